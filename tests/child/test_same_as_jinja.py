"""tmplgen renders its own catalog byte for byte as the real Jinja2 does."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from .render import answers, render

TOP = Path(__file__).resolve().parents[2]
TMPLGEN = (TOP / os.environ.get("TMPLGEN", "build/tmplgen")).resolve()
# What tmplgen itself adds: a file, and a line to another one.
OWN = {".tmplgen.yml", ".gitattributes"}
LINE = b"/.tmplgen.yml -merge\n"

PYTORCH = "--framework=pytorch"
SERVICE = ["--type=service", PYTORCH]
CASES = {
    "as-asked-in-the-readme": SERVICE,
    "python-and-gpus": [*SERVICE, "--python", "3.11", "--gpu", "T4", "--gpu", "A100"],
    "cpu": [*SERVICE, "--variant", "cpu"],
    "old": [
        *["--type=service", "--framework=pytorch==2.2.2"],
        *["--with", "torchvision", "--with", "torchmetrics"],
    ],
    "transformers": ["--type=service", "--framework=transformers", "--python", "3.11"],
    "tensorflow": ["--type=service", "--framework=tensorflow", "--python", "3.11"],
    "jax": ["--type=service", "--framework=jax", "--python", "3.11"],
    "xgboost": ["--type=service", "--framework=xgboost", "--variant", "cuda12", "--ci", "none"],
    "onnxruntime": ["--type=service", "--framework=onnxruntime"],
    "none": ["--type=service", "--framework=none"],
    "answers": [*SERVICE, "--name", "3d-shapes", "--registry", "ghcr.io/team", "--ci", "none"],
    "every-ci": [*SERVICE, "--ci", "github,gitlab,jenkins", "--registry", "ghcr.io/team"],
    "text": [*SERVICE, "--set", 'description=two\nlines "quoted" \\ {{ x }} \U0001f600 \x01 é'],
    "library": ["--type=library", PYTORCH],
    "library-jax": ["--type=library", "--framework=jax", "--python", "3.11"],
    "library-none": ["--type=library", "--framework=none", "--ci", "none"],
    "library-with-all": [
        *["--type=library", PYTORCH, "--set", "docs=true", "--ci", "github,gitlab,jenkins"],
    ],
    "llm": ["--type=llm", "--framework=transformers", "--ci", "none"],
    "llm-vllm": ["--type=llm", "--framework=transformers", "--with", "vllm", "--python", "3.12"],
    "images": ["--type=images", "--registry", "ghcr.io/team", "--ci", "github,gitlab,jenkins"],
    "cluster": ["--type=cluster", "--set", "platforms=gke,eks", "--set", "gpu_sharing=aws-vgpu"],
    "cluster-mig": [
        *["--type=cluster", "--set", "gpu_sharing=mig", "--set", "gpus=T4,A30,A100-40GB"],
        *["--ci", "github,gitlab,jenkins", "--registry", "ghcr.io/team"],
    ],
    "images-without-ci": ["--type=images", "--registry", "r.example.org:5000/a", "--ci", "none"],
}


@pytest.fixture(scope="module", params=CASES)
def made(request, tmp_path_factory):
    """The report of `new --json`, and the folder that it made."""
    scratch = tmp_path_factory.mktemp("made")
    done = subprocess.run(
        [TMPLGEN, "new", scratch / "child", *CASES[request.param], "--json"],
        cwd=scratch,
        env={"PATH": os.environ["PATH"], "HOME": str(scratch)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout), scratch / "child"


def test_every_file_is_the_same(made):
    report, folder = made
    template = report["type"]
    context = {
        "name": report["answers"]["name"],
        "template": template,
        "request": report["request"],
        "resolution": report["resolution"],
    }
    expected = render(template, answers(template, context, report["answers"]))
    found = {
        path.relative_to(folder).as_posix(): (path.stat().st_mode & 0o111 != 0, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }
    attributes = b"".join(expected.pop(".gitattributes", (False, b""))[1:])
    assert found[".gitattributes"] == (False, attributes + LINE)
    assert set(found) - OWN == set(expected)
    for path, content in expected.items():
        assert found[path] == content, path
