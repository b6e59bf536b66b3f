"""Names that NVIDIA's driver prints: each is known, with the compute capability of its chip."""

from pathlib import Path

import pytest

LINES = (Path(__file__).parent / "nvidia_smi.tsv").read_text().splitlines()
NAMES = [line.split("\t") for line in LINES if not line.startswith("#")]
# The first PCI id of each family of chips (pci.ids: TU102 ... GB207), and what it can.
CHIPS = {
    0x1E00: "7.5", 0x2080: "8.0", 0x2180: "7.5", 0x2200: "8.6", 0x2300: "9.0", 0x2400: "8.6",
    0x2680: "8.9", 0x2900: "10.0", 0x2B80: "12.0", 0x2E00: "12.1", 0x2F00: "12.0", 0x3180: "10.3",
}  # fmt: skip


def capability(pci_id):
    return CHIPS[max(first for first in CHIPS if first <= int(pci_id, 16))]


@pytest.mark.parametrize("name,pci_id", NAMES, ids=[name for name, _ in NAMES])
def test_card_is_known_as_the_driver_prints_it(resolve, name, pci_id):
    document = resolve({"framework": "none", "gpu": [name]})
    gpu = document["resolution"]["gpus"][0]
    assert (document["exit"], gpu["compute_capability"]) == (0, capability(pci_id))


def test_list_is_long():
    assert len(NAMES) > 200
