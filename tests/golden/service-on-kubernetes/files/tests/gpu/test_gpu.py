"""What only a GPU can prove."""

from __future__ import annotations

import subprocess
import sys

import pytest

from it import model, schemas

pytestmark = pytest.mark.gpu


def test_the_gpu_answers_as_the_cpu_does(device, model_dir):
    instances = schemas.EXAMPLES * 50
    on_cpu = model.load(model_dir, "cpu").predict(instances)
    on_gpu = model.load(model_dir, device).predict(instances)
    for expected, got in zip(on_cpu, on_gpu, strict=True):
        assert model.alike(got.model_dump(mode="json"), expected.model_dump(mode="json"), 1e-4)


# In a process of its own: a cap comes before anything else is on the device.
CAPPED = """
import sys
from pathlib import Path
from it import devices, model, schemas
try:
    it = model.load(Path(sys.argv[1]), "cuda", 0.001)
    for power in range(22):
        it.predict(schemas.EXAMPLES[:1] * (1 << power))
    print("everything fits")
except Exception as error:
    print("out of memory" if devices.is_out_of_memory(error) else repr(error))
"""


def test_the_memory_cap_holds_and_its_error_is_known(device, model_dir):  # noqa: ARG001
    done = subprocess.run(
        [sys.executable, "-c", CAPPED, model_dir],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if "no memory cap" in done.stdout:
        pytest.skip(done.stdout)
    assert done.stdout == "out of memory\n", done.stdout + done.stderr


def test_a_model_on_the_gpu_says_what_it_holds_there(device, model_dir):
    it = model.load(model_dir, device)
    used, total = it.memory()
    assert total == 0 or 0 <= used < total
    assert it.info()["device_name"]
