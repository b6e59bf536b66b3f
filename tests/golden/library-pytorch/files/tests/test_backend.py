"""What backend.py promises, whichever framework it is for."""

from __future__ import annotations

import numpy as np
import pytest

from pytorch_library import backend, topk_cosine


def test_info_names_the_framework_and_its_version():
    said = backend.info()
    assert {"framework", "version", "cuda"} <= set(said)
    assert said["framework"] == backend.NAME


@pytest.mark.parametrize("wanted", ["cpu", "auto"])
def test_there_is_always_a_device(wanted):
    device = backend.pick_device(wanted)
    assert device == "cpu" or device.startswith("cuda:")
    assert backend.device_name(device)


@pytest.mark.parametrize("wanted", ["gpu", "cuda:x", "cuda:", "cpu:0", ""])
def test_no_other_word_is_a_device(wanted):
    with pytest.raises(backend.DeviceError, match="use auto, cpu, cuda"):
        backend.pick_device(wanted)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4"])
def test_arrays_come_back_as_they_went(dtype):
    values = np.arange(6, dtype=dtype).reshape(2, 3)
    array = backend.asarray(values.astype("f4"), "cpu")
    assert backend.device_of(array) == "cpu"
    np.testing.assert_array_equal(backend.to_numpy(array), values)


def test_the_library_works_on_the_backends_arrays():
    rows = backend.asarray(np.eye(4, dtype="f4"), "cpu")
    found = topk_cosine(rows, rows, 1)
    backend.sync("cpu")
    assert backend.to_numpy(found.indices)[:, 0].tolist() == [0, 1, 2, 3]


def test_an_error_of_the_code_is_no_lack_of_memory():
    assert not backend.is_out_of_memory(ValueError("shape"))
