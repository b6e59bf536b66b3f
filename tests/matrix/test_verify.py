"""`matrix verify` on what a live package index answered, recorded in tests/data."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from ..common.schemas import check

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests" / "data" / "index-record.json.gz"


@pytest.fixture(scope="session")
def record(tmp_path_factory):
    path = tmp_path_factory.mktemp("record") / "index.json"
    path.write_bytes(gzip.decompress(RECORD.read_bytes()))
    return path


@pytest.fixture
def catalog(tmp_path):
    folder = tmp_path / "catalog"
    shutil.copytree(ROOT / "matrices", folder / "matrices")
    (folder / "catalog.yml").write_text("name: broken\nversion: 1.0.0\n")
    (folder / "templates").mkdir()
    return folder


def document(result):
    made = json.loads(result.out)
    check(made)
    assert made["exit"] == result.code
    return made


def test_every_build_agrees_with_the_index(matrix, record):
    made = document(matrix("verify", "--offline", record, "--json"))
    assert made["exit"] == 0
    assert made["since"] is None
    assert made["counts"]["verified"] >= 375
    assert made["counts"]["differs"] == made["counts"]["failed"] == 0


def test_rows_of_other_indexes_are_not_asked(matrix, record):
    made = document(matrix("verify", "pytorch", "--offline", record, "--json"))
    rows = {(r["release"], r["variant"]): r for r in made["rows"]}
    assert rows["2.13.0", "cu130"]["state"] == "verified"
    assert rows["2.13.0", "cu130"]["requirement"] == "torch==2.13.0"
    other = rows["2.13.0", "cu126"]
    assert (other["state"], other["proved"]) == ("not-asked", [])
    assert other["why"] == "it is on https://download.pytorch.org/whl/cu126"


def test_what_requirements_prove(matrix, record):
    made = document(matrix("verify", "--offline", record, "--json"))
    rows = {(r["framework"], r["release"], r["variant"]): r for r in made["rows"]}
    torch = rows["pytorch", "2.8.0", "cu128"]
    assert {"cuda", "cudnn", "companions", "python", "glibc"} <= set(torch["proved"])
    jax = rows["jax", "0.10.0", "cuda12"]
    assert {"cuda-range", "cudnn"} <= set(jax["proved"])
    assert "cuda" in rows["tensorflow", "2.18.0", "pypi"]["proved"]


def test_explained_differences_are_shown_and_do_not_fail(matrix, record):
    made = document(matrix("verify", "tensorflow", "--offline", record, "--json"))
    row = next(r for r in made["rows"] if (r["release"], r["variant"]) == ("2.19.0", "pypi"))
    assert row["state"] == "verified"
    assert [(d["what"], d["explained"]) for d in row["differences"]] == [("processor", True)]
    assert made["counts"]["explained"] > 0


WRONG = [
    ("pytorch", "cuda: 12.8, cudnn: 9.10.2.21", "cuda: 12.8, cudnn: 9.8.0.87", "cudnn"),
    ("pytorch", "version: 2.13.0, like", "version: 2.13.0, pythons: 3.9 3.10, like", "python"),
    ("pytorch", "{torchvision: 0.28.0", "{torchvision: 0.27.0", "companion"),
    ("pytorch", "{torchvision: 0.28.0", "{torchvision: 0.28.9", "companion"),
    ("tensorflow", "like: 2.17.0, cuda: 12.5", "like: 2.17.0, cuda: 12.6", "cuda"),
    ("tensorflow", "like: 2.17.0, cuda: 12.5", "like: 2.17.0, cuda: 11.8", "cuda"),
    ("rapids", "glibc: 2.24", "glibc: 2.17", "glibc"),
    ("rapids", "glibc: 2.24", "glibc: 2.31", "glibc"),
    ("xgboost", "like: 2.1.4, cuda: 12.9", "like: 2.1.4, processors: x86_64, cuda: 12.9",
     "processor"),
    ("cupy", "14.2.0", "14.2.7", "release"),
    ("jax", "cpu, extra: cpu,", 'cpu, requirements: "jax=={version}",', "family"),
    ("jax", "variant: cuda12, extra: cuda12,",
     'variant: cuda12, requirements: "jax=={version}",', "family"),
    ("tensorflow", "tensorflow[and-cuda]=={version}", "tensorflow=={version}", "family"),
    ("pytorch", "as_of: 2026-09", "as_of: 2025-01-01", "as_of"),
    ("pytorch", "as_of: 2026-09", "as_of: 2031-01-01", "as_of"),
]  # fmt: skip


@pytest.mark.parametrize(("framework", "old", "new", "what"), WRONG)
def test_wrong_row_is_told(matrix, record, catalog, framework, old, new, what):
    path = catalog / "matrices" / "frameworks" / f"{framework}.yml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))
    words = ["verify", framework, "--offline", record, "--catalog", catalog]
    made = document(matrix(*words, "--json"))
    assert made["exit"] == 6
    found = [d for r in made["rows"] for d in r["differences"] if not d["explained"]]
    assert what in {d["what"] for d in found}
    shown = matrix(*words)
    assert shown.code == 6
    assert f": {what}: the row has" in shown.out


def test_what_the_record_lacks_is_not_asked(matrix, tmp_path):
    path = tmp_path / "empty.json"
    path.write_text('{"schema": "tmplgen/index-record@1", "projects": {}}')
    made = document(matrix("verify", "--offline", path, "--json"))
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
    made = document(matrix("verify", "--offline", path, "--json"))
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
