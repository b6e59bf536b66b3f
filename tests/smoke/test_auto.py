"""`--driver auto`, `--gpu auto`: what is asked is what this machine has, and so it is recorded."""

import json
import os
import shutil
import subprocess

import pytest
import yaml

from ..common.terminal import converse
from .root import DRIVER
from .test_doctor import BINARY


@pytest.fixture
def machine(tmp_path, workshop):
    """The environment of a machine with fake libraries, `script` for CUDA; None: without any."""
    folder = tmp_path / "lib"
    folder.mkdir()
    for name, kind in (("libcuda.so.1", "cuda"), ("libnvidia-ml.so.1", "nvml")):
        shutil.copy(workshop.library(kind), folder / name)

    def env(script):
        user = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
        if script is not None:
            user |= {"LD_LIBRARY_PATH": str(folder), "FAKE_CUDA": script}
        return user

    return env


@pytest.fixture
def tmplgen(tmp_path, machine):
    """The program on such a machine."""

    def run(script, *words):
        env = machine(script)
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


# ---------------------------------------------------------------- on a terminal

NEW = ["new", "it", "--type", "library", "--no-git"]
PYTORCH = ["--framework", "pytorch"]
END = [("name - ", "\n"), ("description - ", "\n"), ("ci - ", "\n"), ("registry - ", "\n")]
END += [("more?", "\n"), ("write it?", "\n")]


def asked(tmp_path, env, replies, framework=PYTORCH):
    code, _, shown = converse([BINARY, *NEW, *framework], tmp_path, env, [*replies, *END])
    assert code == 0, shown
    record = yaml.safe_load((tmp_path / "it/.tmplgen.yml").read_text())
    return record["request"], shown


def test_what_is_found_here_is_the_default(tmp_path, machine):
    replies = [("gpu - ", "\n"), ("driver - ", "\n")]
    request, shown = asked(tmp_path, machine(T4), replies)
    assert request == {"framework": "pytorch", "driver": DRIVER, "gpu": ["T4"]}
    assert f"found here: Tesla T4, driver {DRIVER}" in " ".join(shown.split())
    assert "[T4] > " in shown and f"[{DRIVER}] > " in shown


def test_any_says_nothing_and_auto_is_what_is_found(tmp_path, machine):
    replies = [("gpu - ", "any\n"), ("driver - ", "auto\n")]
    request, _ = asked(tmp_path, machine(T4), replies)
    assert request == {"framework": "pytorch", "driver": DRIVER}


def test_a_card_that_no_build_runs_on_is_not_offered(tmp_path, machine):
    replies = [("[any] > ", "auto\n"), ("[any] > ", "\n"), ("driver - ", "any\n")]
    newest = ["--framework", "pytorch>=2.9"]
    request, shown = asked(tmp_path, machine("name=Tesla K80;cc=3.7"), replies, newest)
    assert request == {"framework": "pytorch>=2.9"}
    assert "K80 has compute capability 3.7" in " ".join(shown.split())


def test_without_a_gpu_the_default_is_any(tmp_path, machine):
    replies = [("gpu - ", "auto\n"), ("machine has no GPU", "\n"), ("driver - ", "\n")]
    request, shown = asked(tmp_path, machine(None), replies)
    assert request == {"framework": "pytorch"} and "none is found here" in shown
