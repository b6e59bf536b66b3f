"""Children of each type on each framework: set up, checked, tested, and the services asked.

They take turns: which one, the number of commits says, or SEED. PAIRS=all takes all,
PAIRS=service/jax,batch/none those named.
"""

import os
import re
import shutil
from contextlib import contextmanager

import pytest
import yaml

from .support import HANGS_S, TMPLGEN, TOP, free_port, run, seed, service, set_up

# The release that pip has as a CPU build.
RELEASES = {
    "pytorch": ["pytorch==2.13.0"],
    "transformers": ["transformers", "--with", "torch==2.13.0"],
}


def all_pairs():
    """Every type with every framework that it has files for."""
    found = []
    for path in sorted((TOP / "templates").glob("*/template.yml")):
        manifest = yaml.safe_load(path.read_text())
        found += [(path.parent.name, name) for name in manifest.get("frameworks", [])]
    return found


def named(pairs):
    """Those that PAIRS names, None where it names none."""
    wanted = os.environ.get("PAIRS", "")
    if wanted == "all":
        return pairs
    return [it for it in pairs if "/".join(it) in wanted.split(",")] if wanted else None


def one_of(pairs):
    """Those that PAIRS names, else one, in turns."""
    found = named(pairs)
    return [pairs[seed() % len(pairs)]] if found is None else found


def chosen():
    """The pairs of this run."""
    pairs = all_pairs()
    if (wanted := named(pairs)) is not None:
        return wanted
    # test_child.py has the service on PyTorch.
    others = [pair for pair in pairs if pair != ("service", "pytorch")]
    return [others[seed() % len(others)]]


@pytest.fixture(scope="module", params=[f"{kind}/{name}" for kind, name in chosen()])
def made(request, tmp_path_factory):
    """A child, and its environment."""
    kind, framework = request.param.split("/")
    print(f"SEED={seed()}")
    scratch = tmp_path_factory.mktemp("made")
    words = ["--type", kind, "--framework", *RELEASES.get(framework, [framework])]
    run(TMPLGEN, "new", *words, "--python", "3.11", cwd=scratch)
    child = scratch / f"{framework}-{kind}"
    with set_up(child, framework) as venv:
        yield child, venv
    shutil.rmtree(scratch)


def test_lint_and_tests_pass_and_leave_the_child_clean(made):
    child, venv = made
    assert "no issues found" in run("make", "lint", cwd=child, VENV=venv)
    # A job is killed twice in them, and goes on.
    said = run("make", "test", cwd=child, VENV=venv, SEED=str(seed()))
    assert re.search(r"\b\d+ passed", said)
    run(venv / "bin/python", "-m", "compileall", "-q", "src", "tests", cwd=child)
    assert run("git", "status", "--porcelain", cwd=child) == ""


# A fraction of the GPU, and what JAX tells its plugin for CUDA when it is asked for a device.
CAPPED = """
import os, sys
from importlib import import_module
from jaxlib import xla_client
os.environ["XLA_PYTHON_CLIENT_MEM_FRACTION"] = "0.9"
devices = import_module(f"{sys.argv[1]}.{sys.argv[2]}")
devices.limit_memory("cuda", 0.25)
print(xla_client.generate_pjrt_gpu_plugin_options()["memory_fraction"])
"""


def test_the_memory_cap_reaches_what_jax_tells_its_plugin(made):
    child, venv = made
    if not child.name.startswith("jax-") or child.name.endswith("-library"):
        pytest.skip("no cap of JAX")
    module = "backend" if child.name.endswith("-batch") else "devices"
    words = [child.name.replace("-", "_"), module]
    assert run(venv / "bin/python", "-c", CAPPED, *words, cwd=child).strip() == "0.25"


ON_THE_CPU = """
import pytest

@pytest.fixture(scope="session")
def device():
    return "cpu"
"""


def test_what_asks_for_a_gpu_is_right_where_it_gets_a_cpu(made, tmp_path):
    """Nobody here has a GPU: a test that could run nowhere would be found by its first user."""
    child, venv = made
    if not (child / "tests/gpu").exists():
        pytest.skip("no GPU tests of its own")
    copy = tmp_path / "it"
    shutil.copytree(child, copy, ignore=shutil.ignore_patterns(".git"))
    (copy / "tests/gpu/conftest.py").write_text(ON_THE_CPU)
    # What a CPU has none of.
    words = ["-m", "gpu", "-k", "not memory_cap and not holds", "-p", "no:cacheprovider"]
    said = run(venv / "bin/python", "-m", "pytest", *words, cwd=copy)
    assert re.search(r"\b[1-9] passed", said)


@contextmanager
def served(made, kind, scratch):
    """The child's service with the model that it makes, asked for its end when the block ends."""
    child, venv = made
    if not child.name.endswith(f"-{kind}"):
        pytest.skip(f"not of type {kind}")
    run("make", "model", cwd=child, VENV=venv)
    port = free_port()
    command = [venv / "bin/python", "-m", child.name.replace("-", "_"), "serve"]
    settings = {"SERVE_PORT": str(port), "SERVE_DEVICE": "cpu", "SERVE_DRAIN_DELAY_S": "0"}
    with service(command, port, scratch / "log", cwd=child, **settings) as it:
        it.wait_ready()
        yield it
        it.process.terminate()
        assert it.process.wait(HANGS_S) == 0


def test_service_answers(made, tmp_path):
    """Under load, too, in its own tests."""
    with served(made, "service", tmp_path) as it:
        assert it.predict() == "negative"


# What a user of OpenAI's client writes.
OPENAI = """
import sys
import openai
client = openai.OpenAI(base_url=sys.argv[1], api_key="none")
model = client.models.list().data[0].id
asked = [{"role": "user", "content": "What is the capital of France?"}]
more = {"model": model, "messages": asked, "temperature": 0}
whole = client.chat.completions.create(**more).choices[0].message.content
chunks = client.chat.completions.create(**more, stream=True)
assert "".join(it.choices[0].delta.content or "" for it in chunks) == whole
print(whole)
"""


def test_language_model_answers_openai_s_client(made, tmp_path):
    child, venv = made
    with served(made, "llm", tmp_path) as it:
        url = f"http://127.0.0.1:{it.port}/v1"
        said = run(venv / "bin/python", "-c", OPENAI, url, cwd=child)
        assert "The capital of France is Paris." in said


@pytest.mark.soak
def test_job_that_is_killed_ends_with_the_same_bits(made):
    """And again: its own tests kill it twice."""
    child, venv = made
    if not child.name.endswith("-batch"):
        pytest.skip("not a batch job")
    kills = os.environ.get("KILLS", "5")
    said = run("make", "kill-test", f"KILLS={kills}", cwd=child, VENV=venv, SEED=str(seed()))
    print(said)
    assert re.search(rf"\bSEED={seed()}: {kills} kills in \d+ runs", said)
