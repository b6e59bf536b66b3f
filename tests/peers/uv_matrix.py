"""
`make peers UV=1`: the questions of uv_questions.yml to tmplgen and to uv, and the table of
docs/matrix-uv.md.

    python -m tests.peers.uv_matrix [--only 3,17] [--write]

uv is asked as its documentation says: `uv pip compile --torch-backend`, with the driver in
UV_CUDA_DRIVER_VERSION. It takes the package index as it is today, and PyTorch's own indexes as
uv_proxy.py serves them. The exit code is 1 where an answer of tmplgen's is not right.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from ..common.pages import put_between
from ..common.program import BINARY, ROOT
from ..installs.test_installs import cuda_majors
from ..matrix.conftest import options
from ..matrix.test_questions import faults_of, is_right
from .uv_proxy import HOST, proxy

QUESTIONS = yaml.safe_load((Path(__file__).parent / "uv_questions.yml").read_text())
BIN = ROOT / "build" / "peers-venv" / "bin"
DOCS = ROOT / "docs" / "matrix-uv.md"
CACHE = ROOT / "build" / "peers" / "uv-cache"
BEGIN, END = "<!-- made by `make peers UV=1 WRITE=1` -->", "<!-- end of what is made -->"
LIMIT = 300  # seconds for one answer of uv
RIGHT, WRONG, CANNOT = "right", "**wrong**", "cannot be asked"
SHOWN = ("tensorflow", "jax", "xgboost", "torch", "torchvision", "torchaudio", "triton", "xformers")
SHOWN += ("vllm", "transformers", "accelerate", "bitsandbytes")


# ---------------------------------------------------------------- tmplgen


def ask_tmplgen(case):
    command = [BINARY, "matrix", "resolve", "--json", *options(case["request"])]
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    return json.loads(done.stdout)


def said_by_tmplgen(document):
    if document["exit"]:
        error = document["error"]
        nearest = [" ".join(near["change"]) for near in error.get("nearest", [])]
        return f"refused; `{nearest[0]}` would do" if nearest else "refused"
    found = document["resolution"]
    named = found["requirements"][:4]
    return f"{', '.join(named)} ({found['cuda']['variant']}; image {found['image']['tag']})"


# ---------------------------------------------------------------- uv


class Uv:
    """One environment of uv's for all questions."""

    def __init__(self, url, folder):
        self.folder = folder
        self.env = {
            name: os.environ[name] for name in ("PATH", "SSL_CERT_FILE") if name in os.environ
        }
        self.env |= {
            "HOME": str(folder),
            "HTTPS_PROXY": url,
            "UV_INSECURE_HOST": HOST,
            "NO_COLOR": "1",
        }
        self.env |= {"UV_CACHE_DIR": str(CACHE), "UV_HTTP_TIMEOUT": "120"}

    def ask(self, case):
        """({package: version}, "") or (None, why not)."""
        request, question = case["request"], case["uv"]
        env, driver = dict(self.env), request.get("driver")
        backend = question.get("backend", "auto" if driver else None)
        if driver:
            env["UV_CUDA_DRIVER_VERSION"] = driver
        python = question.get("python", request.get("python", "3.12"))
        asked = self.folder / "asked.in"
        asked.write_text("".join(f"{line}\n" for line in question["ask"]))
        command = [BIN / "uv", "pip", "compile", "--quiet", "--no-config", "--system-certs"]
        command += ["--no-header", "--no-annotate", "--only-binary", ":all:"]
        command += ["--python-version", python, "--python-platform"]
        command += [f"{request.get('arch', 'x86_64')}-manylinux_2_35"]
        command += ["--torch-backend", backend] if backend else []
        done = subprocess.run(
            [*map(str, command), str(asked)],
            capture_output=True, text=True, env=env, timeout=LIMIT, check=False,
        )  # fmt: skip
        if done.returncode:
            if "No solution found" not in done.stderr:
                raise RuntimeError(done.stderr[-1000:])
            return None, " ".join(done.stderr.split())
        pins = [Requirement(line) for line in done.stdout.splitlines() if "==" in line]
        return {canonicalize_name(p.name): str(p.specifier)[2:] for p in pins}, ""


def backend_of(found):
    return Version(found["torch"]).local if "torch" in found else None


def is_right_of_uv(case, found):
    wanted = case["uv"]
    if found is None or wanted.get("refused"):
        return found is None and bool(wanted.get("refused"))
    facts = {name: Version(version).public for name, version in found.items()}
    facts |= {"backend": backend_of(found), "cuda": " ".join(sorted(cuda_majors(found)))}
    return all(is_right(facts.get(name), value) for name, value in wanted["right"].items())


def said_by_uv(found):
    if found is None:
        return "refused"
    named = ", ".join(f"{name}=={found[name]}" for name in SHOWN if name in found)
    majors = cuda_majors(found)
    return f"{named} (CUDA {' and '.join(sorted(majors))})" if len(majors) > 1 else named


def judged_of_uv(case, uv):
    """(what it says, the verdict)."""
    if "cannot" in case["uv"]:
        return case["uv"]["cannot"], CANNOT
    found, _ = uv.ask(case)
    return said_by_uv(found), RIGHT if is_right_of_uv(case, found) else WRONG


# ---------------------------------------------------------------- the table


def cells_of(number, case, uv):
    document = ask_tmplgen(case)
    faults = faults_of(case, document)
    for fault in faults:
        print(f"tmplgen: {number}: {case['question']}: {fault}", flush=True)
    said, word = judged_of_uv(case, uv)
    ours = f"{WRONG if faults else RIGHT}: {said_by_tmplgen(document)}"
    return [str(number), case["question"], f"{word}: {said}", ours, case["why"]]


def table(results):
    version = subprocess.run([BIN / "uv", "--version"], capture_output=True, text=True, check=True)
    head = f"{datetime.now(UTC):%Y-%m-%d}, {' '.join(version.stdout.split()[:2])}."
    lines = [head, "", "| | right | wrong | cannot be asked |", "| --- | --- | --- | --- |"]
    for name, column in (("uv", 2), ("tmplgen", 3)):
        words = [cells[column].split(":")[0] for cells in results]
        lines.append(
            f"| {name} | {' | '.join(str(words.count(w)) for w in (RIGHT, WRONG, CANNOT))} |"
        )
    lines += ["", "| | question | uv | tmplgen | what decides |", "| --- | --- | --- | --- | --- |"]
    lines += ["| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |" for cells in results]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.peers.uv_matrix")
    parser.add_argument("--only", default="", help="numbers with commas between")
    parser.add_argument("--write", action="store_true")
    args = parser.parse_args()
    only = {int(number) for number in args.only.split(",") if number}
    cases = [(n, case) for n, case in enumerate(QUESTIONS, 1) if not only or n in only]
    os.environ["PIP_CONFIG_FILE"] = os.devnull  # the index as it is, not as this machine caps it
    ask = "from pip._internal.models.index import PyPI; print(PyPI.simple_url)"
    default = subprocess.run(
        [BIN / "python", "-c", ask], capture_output=True, text=True, check=True
    )
    with tempfile.TemporaryDirectory(prefix="uv-") as name:
        folder = Path(name)
        with proxy(default.stdout.strip(), BIN / "pip", folder) as url:
            uv = Uv(url, folder)
            results = [cells_of(number, case, uv) for number, case in cases]
    text = table(results)
    print(text)
    if args.write and not only:
        put_between(DOCS, BEGIN, END, text)
    return any(re.match(re.escape(WRONG), cells[3]) is not None for cells in results)


if __name__ == "__main__":
    sys.exit(main())
