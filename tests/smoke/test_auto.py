"""`--driver auto`, `--gpu auto`: what is asked is what this machine has, and so it is recorded."""

import json
import os
import shutil
import subprocess

import pytest
import yaml

from .root import DRIVER
from .test_doctor import BINARY


@pytest.fixture
def tmplgen(tmp_path, workshop):
    """The program on a machine with fake libraries, `script` for CUDA; None: without any."""
    folder = tmp_path / "lib"
    folder.mkdir()
    for name, kind in (("libcuda.so.1", "cuda"), ("libnvidia-ml.so.1", "nvml")):
        shutil.copy(workshop.library(kind), folder / name)

    def run(script, *words):
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
        if script is not None:
            env |= {"LD_LIBRARY_PATH": str(folder), "FAKE_CUDA": script}
        done = subprocess.run(
            [BINARY, *map(str, words), "--json"],
            capture_output=True, text=True, env=env, cwd=tmp_path, check=False,
        )  # fmt: skip
        return json.loads(done.stdout)

    return run


pytestmark = pytest.mark.skipif(
    os.path.exists("/proc/driver/nvidia"), reason="a machine with a driver of its own"
)
RESOLVE = ["matrix", "resolve", "--framework", "pytorch"]
AUTO = ["--driver", "auto", "--gpu", "auto"]
T4 = "name=Tesla T4;cc=7.5"


def test_request_holds_what_is_here(tmplgen):
    document = tmplgen(T4, *RESOLVE, *AUTO, "--arch", "auto")
    request = {"framework": "pytorch", "driver": DRIVER, "gpu": ["T4"], "arch": os.uname().machine}
    assert (document["exit"], document["request"]) == (0, request)
    assert document["resolution"]["gpus"][0]["name"] == "T4"


def test_gpu_of_here_beside_one_that_is_named(tmplgen):
    document = tmplgen(T4, *RESOLVE, "--gpu", "auto", "--gpu", "A100")
    assert document["request"]["gpu"] == ["A100", "T4"]


def test_unknown_card_is_asked_by_its_compute_capability(tmplgen):
    document = tmplgen("name=NVIDIA Q1;cc=9.0", *RESOLVE, *AUTO)
    assert document["request"]["gpu"] == ["sm_90"]
    document = tmplgen("name=NVIDIA Q1;cc=9.9", *RESOLVE, *AUTO)
    assert (document["exit"], document["error"]["code"]) == (2, "unknown-gpu")
    assert "NVIDIA Q1" in document["error"]["message"]


def test_driver_decides_as_if_it_were_named(tmplgen):
    v100 = "name=Tesla V100-SXM2-16GB;cc=7.0"
    here = tmplgen(v100, *RESOLVE, *AUTO)
    named = tmplgen(None, *RESOLVE, "--driver", DRIVER, "--gpu", "V100")
    assert here["resolution"] == named["resolution"]
    assert here["resolution"]["cuda"]["variant"] == "cu126"


@pytest.mark.parametrize("option", ["driver", "gpu"])
def test_machine_without_is_wrong_usage(option, tmplgen):
    document = tmplgen(None, *RESOLVE, f"--{option}", "auto")
    assert (document["exit"], document["error"]["code"]) == (2, "no-gpu")
    assert f"--{option} auto" in document["error"]["message"]
    assert "tmplgen doctor" in document["error"]["hint"]


def test_difference_to_here(tmplgen):
    document = tmplgen(T4, *RESOLVE, "--gpu", "B200", "--diff", "--gpu auto")
    assert document["diff_request"]["gpu"] == ["T4"]


def test_record_and_update_hold_what_was_found(tmplgen, tmp_path):
    where = tmp_path / "child"
    words = ["new", where, "--type", "service", "--framework", "pytorch", "--defaults"]
    assert tmplgen(T4, *words, *AUTO)["exit"] == 0
    record = where / ".tmplgen.yml"
    assert yaml.safe_load(record.read_text())["request"]["gpu"] == ["T4"]
    document = tmplgen("name=NVIDIA L4;cc=8.9", "update", where, "--set", "gpu=auto")
    assert document["exit"] == 0, document
    request = yaml.safe_load(record.read_text())["request"]
    assert (request["gpu"], request["driver"]) == (["L4"], DRIVER)
