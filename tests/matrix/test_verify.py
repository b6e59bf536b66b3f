"""`matrix verify` on what a live package index answered, recorded in tests/data."""

import pytest


def test_every_build_agrees_with_the_index(matrix, record):
    made = matrix("verify", "--offline", record, "--json").json
    assert made["exit"] == 0
    assert made["since"] is None
    assert made["counts"]["verified"] >= 950
    assert made["counts"]["differs"] == made["counts"]["failed"] == 0


def test_rows_of_other_indexes_are_not_asked(matrix, record):
    made = matrix("verify", "pytorch", "--offline", record, "--json").json
    rows = {(r["release"], r["variant"]): r for r in made["rows"]}
    assert rows["2.13.0", "cu130"]["state"] == "verified"
    assert rows["2.13.0", "cu130"]["requirement"] == "torch==2.13.0"
    other = rows["2.13.0", "cu126"]
    assert (other["state"], other["proved"]) == ("not-asked", [])
    assert other["why"] == "it is on https://download.pytorch.org/whl/cu126"


def test_what_requirements_prove(matrix, record):
    made = matrix("verify", "--offline", record, "--json").json
    rows = {(r["framework"], r["release"], r["variant"]): r for r in made["rows"]}
    torch = rows["pytorch", "2.8.0", "cu128"]
    assert {"cuda", "cudnn", "companions", "python", "glibc"} <= set(torch["proved"])
    jax = rows["jax", "0.10.0", "cuda12"]
    assert {"cuda-range", "cudnn"} <= set(jax["proved"])
    assert "cuda" in rows["tensorflow", "2.18.0", "pypi"]["proved"]


def test_packages_are_verified(matrix, record):
    made = matrix("verify", "vllm", "--offline", record, "--json").json
    rows = {r["release"]: r for r in made["rows"]}
    assert {r["framework"] for r in made["rows"]} == {"vllm"}
    assert {"wheel", "python", "glibc", "requires"} <= set(rows["0.20.2"]["proved"])
    [glibc] = rows["0.32.0"]["differences"]  # of what it requires, which its own wheel does not say
    assert (glibc["what"], glibc["explained"]) == ("glibc", True)
    # what has no wheel, what PyTorch requires of it, what an extra of its own name brings
    for name, version, word in (
        ("deepspeed", "0.19.8", "source"),
        ("triton", "3.8.0", "requires"),
        ("transformers", "5.23.0", "requires"),
    ):
        made = matrix("verify", name, "--offline", record, "--json").json
        row = next(r for r in made["rows"] if r["release"] == version)
        assert (row["state"], word in row["proved"]) == ("verified", True)


def test_companions_are_no_rows_of_their_own(matrix, record):
    made = matrix("verify", "torchvision", "--offline", record, "--json").json
    assert made["rows"] == []


def test_explained_differences_are_shown_and_do_not_fail(matrix, record):
    made = matrix("verify", "tensorflow", "--offline", record, "--json").json
    row = next(r for r in made["rows"] if (r["release"], r["variant"]) == ("2.19.0", "pypi"))
    assert row["state"] == "verified"
    assert [(d["what"], d["explained"]) for d in row["differences"]] == [("processor", True)]
    assert made["counts"]["explained"] > 0


WRONG = [
    ("pytorch", "cuda: 12.8, cudnn: 9.10.2.21", "cuda: 12.8, cudnn: 9.8.0.87", "cudnn"),
    ("pytorch", "version: 2.13.0, like", "version: 2.13.0, pythons: 3.9 3.10, like", "python"),
    ("pytorch", "{torchvision: 0.28.0", "{torchvision: 0.27.0", "companion"),
    ("pytorch", "{torchvision: 0.28.0", "{torchvision: 0.28.9", "companion"),
    ("pytorch", "torchaudio: 2.8.0", "torchaudio: 2.8.9", "companion"),
    ("tensorflow", "like: 2.17.0, cuda: 12.5", "like: 2.17.0, cuda: 12.6", "cuda"),
    ("tensorflow", "like: 2.17.0, cuda: 12.5", "like: 2.17.0, cuda: 11.8", "cuda"),
    ("rapids", "glibc: 2.24", "glibc: 2.17", "glibc"),
    ("rapids", "glibc: 2.24", "glibc: 2.31", "glibc"),
    ("xgboost", "cuda: 12.9, cc_min: 7.0, processors: x86_64 aarch64",
     "cuda: 12.9, cc_min: 7.0, processors: x86_64", "processor"),
    ("cupy", "14.2.0", "14.2.7", "release"),
    ("jax", "jax[cpu]=={version}", "jax=={version}", "family"),
    ("jax", "variant: cuda12, extra: cuda12,",
     'variant: cuda12, requirements: "jax=={version}",', "family"),
    ("tensorflow", "tensorflow[and-cuda]=={version}", "tensorflow=={version}", "family"),
    ("pytorch", "as_of: 2026-09", "as_of: 2025-01-01", "as_of"),
    ("pytorch", "as_of: 2026-09", "as_of: 2031-01-01", "as_of"),
    ("transformers", "torch>=2.6", "torch>=2.7", "requires"),
    ("jax", "pins: numpy>=2.2", "pins: numpy>=1.26", "requires"),
    ("tensorflow", "numpy>=1.26,<2.2", "numpy>=1.26", "requires"),
    ("vllm", "torch==2.14.0", "torch==2.14.1", "requires"),
    ("vllm", "transformers>=5.16.1,<5.20.0 ", "", "requires"),
    ("accelerate", "version: 1.14.0", "version: 1.14.9", "release"),
    ("xformers", "torch==2.10.0", "torch>=2.10", "requires"),
    ("bitsandbytes", "processors: x86_64, glibc: 2.24", "glibc: 2.24", "processor"),
    ("triton", "torch==2.15.*", "torch>=2.14.1", "requires"),
    ("triton", "3.9.0, pythons: 3.11 3.12 3.13 3.14", "3.9.0, pythons: 3.11", "python"),
    ("accelerate", "as_of: 2026-11-24", "as_of: 2031-01-01", "as_of"),
    ("accelerate", "1.15.0, pythons: 3.10", "1.15.0, pythons: 3.9 3.10", "python"),
    ("accelerate", "title: Accelerate", "title: Accelerate\nsupply: build", "wheel"),
    ("deepspeed", "supply: build\n", "", "wheel"),
    ("peft", "torch>=1.13.0 transformers accelerate>=0.21.0", "torch>=1.13.0 transformers",
     "requires"),
    ("bitsandbytes", "glibc: 2.24", "glibc: 2.17", "glibc"),
]  # fmt: skip


@pytest.mark.turns(8)
@pytest.mark.parametrize(("framework", "old", "new", "what"), WRONG)
def test_wrong_row_is_told(matrix, record, catalog, framework, old, new, what):
    path = next((catalog / "matrices").glob(f"*/{framework}.yml"))
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    words = ["verify", framework, "--offline", record, "--catalog", catalog]
    made = matrix(*words, "--json").json
    assert made["exit"] == 6
    found = [d for r in made["rows"] for d in r["differences"] if not d["explained"]]
    assert what in {d["what"] for d in found}
    for row in made["rows"]:  # what differs is not proved
        assert not {d["what"].rstrip("s") for d in row["differences"]} & {
            word.rstrip("s") for word in row["proved"]
        }
    shown = matrix(*words)
    assert shown.code == 6
    assert f": {what}: the row has" in shown.out


def test_what_the_record_lacks_is_not_asked(matrix, tmp_path):
    path = tmp_path / "empty.json"
    path.write_text('{"schema": "tmplgen/index-record@1", "projects": {}}')
    made = matrix("verify", "--offline", path, "--json").json
    assert made["exit"] == 0
    assert made["counts"]["verified"] == 0
    assert made["counts"]["not_asked"] == len(made["rows"])


NO_RECORDS = [
    "{}",
    "[]",
    '{"schema": "tmplgen/index-record@1"}',
    '{"schema": "tmplgen/index-record@1", "projects": {"torch": []}}',
    '{"schema": "tmplgen/index-record@1", "projects": {"torch": {"1": 1}}}',
    '{"schema": "tmplgen/index-record@1", "projects": {"torch": {"1": {"wheels": [1]}}}}',
    '{"schema": "tmplgen/index-record@1", "projects": {"torch": {"1": {"requires": "x"}}}}',
    '{"schema": "tmplgen/index-record@1", "projects": {"torch": {"1": {"requires": {"a": 1}}}}}',
    "{",
]


@pytest.mark.parametrize("text", NO_RECORDS)
def test_what_is_no_record_is_refused(matrix, tmp_path, text):
    path = tmp_path / "record.json"
    path.write_text(text)
    made = matrix("verify", "--offline", path, "--json").json
    assert made["exit"] == 2
    assert made["error"]["code"] == "invalid"
    assert matrix("verify", "--offline", tmp_path / "none").code == 1


@pytest.mark.parametrize(
    "words",
    [
        ["--offline", "x", "--since", "2024-01-01"],
        ["--offline", "x", "--record", "y"],
        ["--since", "yesterday", "--index-url", "http://127.0.0.1:9/simple"],
        ["--timeout", "0", "--index-url", "http://127.0.0.1:9/simple"],
        ["no-framework", "--offline", "x"],
    ],
)
def test_wrong_usage(matrix, words):
    assert matrix("verify", *words).code == 2
