"""What only a GPU can prove."""

from __future__ import annotations

import subprocess
import sys

import pytest

from old_driver import model

pytestmark = pytest.mark.gpu


def test_the_gpu_answers_as_the_cpu_does(device, model_dir):
    texts = ["the film was not good", "what a lovely film", ""] * 50
    on_cpu = model.load(model_dir, "cpu").classify(texts)
    on_gpu = model.load(model_dir, device).classify(texts)
    for expected, got in zip(on_cpu, on_gpu, strict=True):
        assert got == pytest.approx(expected, abs=1e-4)


# In a process of its own: a cap comes before anything else is on the device.
CAPPED = """
from old_driver import backend
device = backend.pick_device("cuda")
backend.limit_memory(device, 0.001)
network = backend.Network(2, device)
try:
    for power in range(22):
        network.predict(["a"] * (1 << power))
    print("everything fits")
except Exception as error:
    print("out of memory" if backend.is_out_of_memory(error) else repr(error))
"""


def test_the_memory_cap_holds_and_its_error_is_known(device):  # noqa: ARG001
    done = subprocess.run(
        [sys.executable, "-c", CAPPED], capture_output=True, text=True, check=False
    )
    if "no memory cap" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.stdout == "out of memory\n", done.stdout + done.stderr


def test_a_model_on_the_gpu_says_what_it_holds_there(device, model_dir):
    it = model.load(model_dir, device)
    used, total = it.memory()
    assert total == 0 or 0 <= used < total
    assert it.info()["device_name"]
