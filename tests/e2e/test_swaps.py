"""One's own model in a service: two files and the data are changed, all else follows them.

The swaps take turns: which one, the number of commits says, or SEED. SWAPS=all takes all,
SWAPS=tabular,images those named.
"""

import json
import os
import re
import shutil
from pathlib import Path

import pytest

from .support import HANGS_S, TMPLGEN, free_port, run, seed, service, set_up
from .test_frameworks import RELEASES

SWAPS = Path(__file__).parent / "swaps"
# For each: what its code imports besides, and whether there is a baseline to reach.
NEEDS = {"tabular": ([], True), "images": (["pillow==12.2.0"], True), "tokens": ([], False)}
# What makes the data, and the baselines: tools of this test, which the child knows nothing of.
TOOLS = ["scikit-learn==1.7.2", "pillow==12.2.0", "tokenizers==0.23.3"]


def chosen():
    names = sorted(NEEDS)
    wanted = os.environ.get("SWAPS", "")
    if wanted:
        return [name for name in names if wanted == "all" or name in wanted.split(",")]
    return [names[seed() % len(names)]]


@pytest.fixture(scope="module", params=chosen())
def swapped(request, tmp_path_factory):
    """The name, a child with the swap in place, and its virtual environment."""
    scratch = tmp_path_factory.mktemp("swapped")
    words = ["--type", "service", "--framework", *RELEASES["pytorch"], "--python", "3.11"]
    run(TMPLGEN, "new", *words, cwd=scratch)
    child = scratch / "pytorch-service"
    for name in ("schemas.py", "backend.py"):
        shutil.copy(SWAPS / request.param / name, child / "src/pytorch_service" / name)
    needs, _ = NEEDS[request.param]
    if needs:
        with (child / "requirements/runtime.txt").open("a") as file:
            file.writelines(f"{line}\n" for line in needs)
    with set_up(child, "pytorch") as venv:
        run(venv / "bin/python", "-m", "pip", "install", "--quiet", *TOOLS)
        make_data(request.param, child, venv)
        yield request.param, child, venv
    shutil.rmtree(scratch)


def make_data(name, child, venv):
    said = (child / "src/pytorch_service/schemas.py").read_text()
    file = child / re.search(r'^DATA = "(.*)"$', said, re.M)[1]
    run(venv / "bin/python", SWAPS / "make_data.py", name, file)


def changed(child):
    """The files that are not as the template has them; data comes beside them."""
    lines = run("git", "status", "--porcelain", cwd=child).splitlines()
    return [line for line in lines if not line.startswith("?? data/")]


def test_at_most_three_files_change_and_lint_and_tests_pass(swapped):
    name, child, venv = swapped
    assert "no issues found" in run("make", "lint", cwd=child, VENV=venv)
    assert re.search(r"\b\d+ passed", run("make", "test", cwd=child, VENV=venv))
    wanted = [" M src/pytorch_service/backend.py", " M src/pytorch_service/schemas.py"]
    wanted += [" M requirements/runtime.txt"] * bool(NEEDS[name][0])
    assert sorted(changed(child)) == sorted(wanted)


def test_it_learns_as_well_as_the_baseline(swapped):
    name, child, venv = swapped
    run("make", "model", cwd=child, VENV=venv)
    found = json.loads((child / "model/manifest.json").read_text())["metrics"]["accuracy"]
    if NEEDS[name][1]:
        script = SWAPS / "baseline.py"
        least = float(run(venv / "bin/python", script, "pytorch_service", cwd=child)) - 0.02
    else:
        least = 0.95
    print(f"{name}: accuracy {found:.4f}, wanted {least:.4f}")
    assert found >= least


def check_stream(it, instance, wanted):
    """The last piece is the whole answer; where there is none the model cannot stream."""
    status, text = it.ask("/v1/stream", {"instances": [instance]})
    if wanted is None:
        assert status == 404
        return
    *pieces, done = re.findall(r"^data: (.*)$", text, re.M)
    assert (status, done, len(pieces)) == (200, "[DONE]", len(instance))
    last = json.loads(pieces[-1])["predictions"][0]
    assert last["label"] == wanted["label"]
    assert last["score"] == pytest.approx(wanted["score"], abs=1e-5)


def test_it_is_served_and_stops(swapped, tmp_path):
    name, child, venv = swapped
    run("make", "model", cwd=child, VENV=venv)
    port = free_port()
    command = [venv / "bin/python", "-m", "pytorch_service"]
    request = json.loads(run(*command, "example", cwd=child))
    settings = {"SERVE_PORT": str(port), "SERVE_DEVICE": "cpu", "SERVE_DRAIN_DELAY_S": "0"}
    with service([*command, "serve"], port, tmp_path / "log", cwd=child, **settings) as it:
        it.wait_ready()
        status, text = it.ask("/v1/predict", request)
        assert status == 200, text
        assert len(json.loads(text)["predictions"]) == len(request["instances"])
        assert it.ask("/v1/predict", {"instances": [None]})[0] == 422
        predictions = json.loads(text)["predictions"]
        check_stream(it, request["instances"][0], predictions[0] if name == "tokens" else None)
        it.process.terminate()
        assert it.process.wait(HANGS_S) == 0
