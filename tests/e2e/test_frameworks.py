"""Children of each type on each framework: set up, checked, tested, and the services asked.

PyTorch and none are always among them, the others take turns: which ones, the number of commits
says, or SEED. PAIRS=all takes all, PAIRS=service/jax,batch/none those named.
"""

import itertools
import os
import re
import shutil

import pytest
import yaml

from .support import TMPLGEN, TOP, WORK, free_port, run, service

# The release that pip has as a CPU build.
RELEASES = {
    "pytorch": ["pytorch==2.13.0"],
    "transformers": ["transformers", "--with", "torch==2.13.0"],
}
ALWAYS = ("pytorch", "none")
TURNS = 2


def all_pairs():
    """Every type with every framework that it has files for."""
    found = []
    for path in sorted((TOP / "templates").glob("*/template.yml")):
        manifest = yaml.safe_load(path.read_text())
        found += [(path.parent.name, name) for name in manifest.get("frameworks", [])]
    return found


def seed():
    if os.environ.get("SEED"):
        return int(os.environ["SEED"])
    try:
        return int(run("git", "rev-list", "--count", "HEAD", cwd=TOP))
    except AssertionError:
        return 0  # not in a repository


def chosen():
    """The pairs of this run."""
    pairs = all_pairs()
    wanted = os.environ.get("PAIRS", "")
    if wanted == "all":
        return pairs
    if wanted:
        return [pair for pair in pairs if "/".join(pair) in wanted.split(",")]
    # test_child.py has the service on PyTorch.
    fixed = [pair for pair in pairs if pair[1] in ALWAYS and pair != ("service", "pytorch")]
    others = [pair for pair in pairs if pair[1] not in ALWAYS]
    start = seed() * TURNS % max(len(others), 1)
    return fixed + list(itertools.islice(itertools.cycle(others), start, start + TURNS))


@pytest.fixture(scope="module", params=[f"{kind}/{name}" for kind, name in chosen()])
def made(request, tmp_path_factory):
    """A child, and the virtual environment that all children on its framework share."""
    kind, framework = request.param.split("/")
    print(f"SEED={seed()}")
    scratch = tmp_path_factory.mktemp("made")
    words = ["--type", kind, "--framework", *RELEASES.get(framework, [framework])]
    run(TMPLGEN, "new", *words, "--python", "3.11", cwd=scratch)
    child = scratch / f"{framework}-{kind}"
    venv = WORK / "venvs" / framework
    run("make", "setup", "DEVICE=cpu", cwd=child, VENV=venv)
    yield child, venv
    # The environment must not know the folder any longer.
    run(venv / "bin/python", "-m", "pip", "uninstall", "--yes", child.name)
    shutil.rmtree(scratch)


def test_lint_and_tests_pass_and_leave_the_child_clean(made):
    child, venv = made
    assert "no issues found" in run("make", "lint", cwd=child, VENV=venv)
    assert re.search(r"\b\d+ passed", run("make", "test", cwd=child, VENV=venv))
    run(venv / "bin/python", "-m", "compileall", "-q", "src", "tests", cwd=child)
    assert run("git", "status", "--porcelain", cwd=child) == ""


def test_service_answers_under_load(made, tmp_path):
    child, venv = made
    if not child.name.endswith("-service"):
        pytest.skip("not a service")
    run("make", "model", cwd=child, VENV=venv)
    port = free_port()
    command = [venv / "bin/python", "-m", child.name.replace("-", "_"), "serve"]
    settings = {"SERVE_PORT": str(port), "SERVE_DEVICE": "cpu", "SERVE_DRAIN_DELAY_S": "0"}
    with service(command, port, tmp_path / "log", cwd=child, **settings) as it:
        it.wait_ready()
        assert it.predict() == "negative"
        words = ["--url", f"http://127.0.0.1:{port}", "--seconds", "3", "--clients", "8"]
        print(run(venv / "bin/python", "scripts/loadtest.py", *words, cwd=child))
        it.process.terminate()
        assert it.process.wait(timeout=60) == 0


def test_job_that_is_killed_ends_with_the_same_bits(made):
    child, venv = made
    if not child.name.endswith("-batch"):
        pytest.skip("not a batch job")
    kills = os.environ.get("KILLS", "5")
    said = run("make", "kill-test", f"KILLS={kills}", cwd=child, VENV=venv, SEED=str(seed()))
    print(said)
    assert re.search(rf"\bSEED={seed()}: {kills} kills in \d+ runs", said)
