"""What people posted when their GPU did not work, and what looks like it: tests/smoke/texts/.

A row is right where the first cause is of a layer that an expert accepts, and what is said of it is
about what was wrong (`says`). Of rows in which the same words name the same cause one stands there,
with the lines that the answer is made of. `missed`: it says nothing that could be told from other
texts; once it is explained the word has to go.
"""

import json
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from .workshop import TOP

FOLDER = Path(__file__).parent / "texts"
MANUAL = (TOP / "docs/smoke.md").read_text()
ROWS = [
    pytest.param(
        row,
        id=f"{path.stem}-{number}",
        marks=[pytest.mark.xfail(strict=True)] if row.get("missed") else [],
    )
    for path in sorted(FOLDER.glob("*.yml"))
    for number, row in enumerate(yaml.safe_load(path.read_text()))
]
KINDS = {kind: [row for row in ROWS if row.values[0].get("kind") == kind]
         for kind in (None, "none", "mixed")}  # fmt: skip


@pytest.fixture
def explain(shipped):
    def run(text, *words):
        done = subprocess.run(
            [shipped, *words, "--json", "--explain", "-"],
            input=text.encode(), capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        document = json.loads(done.stdout)
        assert document["schema"] == "tmplgen/explain@2" and document["exit"] == 0
        assert len(document["causes"]) <= 3
        return document

    return run


def is_right(row, cause):
    said = " ".join(cause[key] for key in ("what", "why", "fix"))
    return cause["layer"] in (*row["layers"], None) and re.search(row["says"], said)


@pytest.mark.parametrize("row", KINDS[None])
def test_what_people_posted_is_explained(row, explain):
    causes = explain(row["text"])["causes"]
    assert causes and is_right(row, causes[0]), (row["cause"], causes)
    line = row["text"].splitlines()[causes[0]["line"] - 1]
    assert causes[0]["matched"] in line and causes[0]["text"] in line


@pytest.mark.parametrize("row", KINDS["none"])
def test_what_is_no_failure_of_a_gpu_is_not_explained(row, explain):
    assert explain(row["text"])["causes"] == []


@pytest.mark.parametrize("row", KINDS["mixed"])
def test_in_a_log_the_first_cause_is_the_root(row, explain):
    causes = explain(row["text"])["causes"]
    assert causes and is_right(row, causes[0]), (row["cause"], causes)
    assert causes[0]["line"] in (row["first"] if isinstance(row["first"], list) else [row["first"]])


@pytest.mark.full  # asks of every text again
def test_there_are_as_many_as_promised(explain):
    """218 causes: a row that goes takes none with it."""
    assert f"{len(ROWS)} texts that people posted" in " ".join(MANUAL.split())
    assert len(KINDS["none"]) >= 111 and len(KINDS["mixed"]) >= 74
    rows = [row.values[0] for row in ROWS]
    assert len({row["text"] for row in rows}) == len(rows)
    assert {row["link"].partition("//")[0] for row in rows} == {"https:"}
    causes = (explain(row["text"])["causes"] for row in rows if row.get("kind") != "none")
    assert len({found[0]["cause"] for found in causes if found}) >= 218


WRAPPED = [
    "\x1b[31m{}\x1b[0m",
    '{{"log":"{}\\n","stream":"stderr","time":"2026-01-01T00:00:00Z"}}',
    "Nov 25 03:00:00 node1 kernel: [12345.678901] {}",
    "  Warning  Failed  3s (x4 over 12s)  kubelet  Error: failed to start: {}: unknown",
    "(worker pid=77, ip=10.0.0.1) [rank3]: {}",
    "E1125 03:00:00.000000       1 main.go:132] error: {}",
    "msg=\"{}\" level=error",
    "> {}",
]  # fmt: skip
SAID = [
    ("NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus.", "gpu-off-bus"),
    ("CUDA driver version is insufficient for CUDA runtime version", "driver-too-old"),
    ("could not select device driver with capabilities: [[gpu]]", None),
    ("libcudnn.so.9: cannot open shared object file: No such file or directory", "cudnn-major"),
]


@pytest.mark.parametrize("wrapped", WRAPPED)
@pytest.mark.parametrize(("text", "cause"), SAID)
def test_what_others_wrap_around_a_line_changes_nothing(wrapped, text, cause, explain):
    plain = [c["cause"] for c in explain(text)["causes"]]
    assert [c["cause"] for c in explain(wrapped.format(text))["causes"]][:1] == plain[:1]
    assert not cause or plain[0] == cause


@pytest.mark.parametrize("between", ["\n", "\r\n", "\n    "])
def test_a_line_that_was_broken_is_read_as_one(between, explain):
    said = "RuntimeError: The NVIDIA driver on your system is too old (found version 11040)."
    for blank in (i for i, letter in enumerate(said) if letter == " "):
        text = f"step 1\n{said[:blank]}{between}{said[blank + 1 :]}\nstep 2\n"
        causes = explain(text)["causes"]
        assert [c["cause"] for c in causes] == ["driver-too-old"], text
        assert causes[0]["line"] in (2, 3)


def test_what_powershell_wrote_is_read(shipped, tmp_path):
    log = tmp_path / "log"
    log.write_text("CUDA out of memory. Tried to allocate 2 GiB\n", "utf-16")
    document = json.loads(subprocess.check_output([shipped, "--json", "--explain", f"@{log}"]))
    assert [c["cause"] for c in document["causes"]] == ["out-of-memory"]


def test_a_log_is_read_as_it_comes(shipped, tmp_path):
    """Ten megabytes, and lines of any length: in a few megabytes of memory."""
    log = tmp_path / "log"
    with log.open("w") as out:
        out.writelines(f"step {n} loss {n / 7}\n" for n in range(200_000))
        out.write("x" * 3_000_000 + " CUDA out of memory. Tried to allocate 2 GiB\n")
        out.writelines(f"make: *** [all] Error {n % 10}\n" for n in range(200_000))
    command = ["bash", "-c", f"ulimit -v 65536; exec {shipped} --json --explain @{log}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    document = json.loads(done.stdout)
    assert [c["cause"] for c in document["causes"]] == ["out-of-memory"]
    assert document["causes"][0]["line"] == 200_001
    assert document["lines"] == 400_001 and document["bytes"] == log.stat().st_size


@pytest.mark.parametrize("number", ["700", " 700", "803\n"])
def test_a_number_alone_is_a_code(number, explainer):
    assert explainer("--explain", number).json["causes"]


@pytest.mark.parametrize("text", [
    "Process finished with exit code 1", "epoch (2) done", "[Errno 2] No such file",
    "500 Server Error", "exited with code 46", "mount: operation not permitted", "invalid argument",
    "make: *** [Makefile:12: cuda] Error 2", "nvcc exited with code 2: /usr/local/cuda exit code 1",
    "GPU 0: 46 C, 100 W", "PCI:0000:43:00 pid=13", "error 2", "returned 100",
])  # fmt: skip
def test_a_number_elsewhere_is_none(text, explain):
    assert explain(text)["causes"] == []
