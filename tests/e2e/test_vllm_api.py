"""vLLM's stand-in in the tests of a language model has the names of the real one.

Without a GPU vLLM is never run here, so its source is read: that of the release that `--with vllm`
takes, from the package index.
"""

import ast
import sys
import zipfile

import pytest
import yaml

from .support import TMPLGEN, run

pytestmark = pytest.mark.soak
# Where the classes are that `vllm` exports, with those that they inherit from or are called.
PLACES = {
    "SamplingParams": ("vllm/sampling_params.py", ["SamplingParams"]),
    "RequestOutputKind": ("vllm/sampling_params.py", ["RequestOutputKind"]),
    "AsyncEngineArgs": ("vllm/engine/arg_utils.py", ["AsyncEngineArgs", "EngineArgs"]),
    "AsyncLLMEngine": ("vllm/v1/engine/async_llm.py", ["AsyncLLM"]),
}
# What the stand-in has for its own use.
OWN = {"args", "says", "finish", "asked", "aborted", "dead", "closed", "model_config"}


def classes(source):
    return {it.name: it for it in ast.walk(ast.parse(source)) if isinstance(it, ast.ClassDef)}


def names_of(found):
    """Fields and methods of a class, these with their parameters in order."""
    names = {}
    for it in found.body:
        if isinstance(it, ast.AnnAssign):
            names[it.target.id] = None
        elif isinstance(it, ast.Assign):
            names[it.targets[0].id] = None
        elif isinstance(it, (ast.FunctionDef, ast.AsyncFunctionDef)):
            kind = type(it).__name__
            names[it.name] = (kind, [argument.arg for argument in it.args.args])
    return names


def test_the_stand_in_has_the_names_of_the_real_one(tmp_path):
    words = ["--type", "llm", "--framework", "transformers", "--with", "vllm", "--name", "it"]
    run(TMPLGEN, "new", tmp_path / "it", *words, "--no-git", "--python", "3.11")
    record = yaml.safe_load((tmp_path / "it/.tmplgen.yml").read_text())
    version = record["resolution"]["companions"]["vllm"]
    pip = [sys.executable, "-m", "pip", "download", "--no-deps", "--dest", tmp_path]
    run(*pip, "--only-binary", ":all:", "--python-version", "3.11", f"vllm=={version}")
    stand_in = classes((tmp_path / "it/tests/test_vllm_engine.py").read_text())
    with zipfile.ZipFile(next(tmp_path.glob("vllm-*.whl"))) as wheel:
        exported = wheel.read("vllm/__init__.py").decode()
        for name, (path, origins) in PLACES.items():
            real = classes(wheel.read(path))
            known = {}
            for origin in origins:
                known |= names_of(real[origin])
            for wanted, parameters in names_of(stand_in[name]).items():
                if wanted in OWN:
                    continue
                assert wanted in known, f"{name}.{wanted} of vLLM {version}"
                if parameters is not None:
                    kind, arguments = known[wanted]
                    assert kind == parameters[0], f"{name}.{wanted}"
                    assert arguments[: len(parameters[1])] == parameters[1], f"{name}.{wanted}"
            if name != "RequestOutputKind":
                assert f'"{name}"' in exported
