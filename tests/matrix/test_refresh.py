"""`matrix refresh` on what a live package index answered, recorded in tests/data."""

import gzip
import json
import shutil
from pathlib import Path

import pytest

from ..common.rows import drop_rows
from ..common.schemas import check

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "tests" / "data" / "index-record.json.gz"


@pytest.fixture(scope="session")
def record(tmp_path_factory):
    path = tmp_path_factory.mktemp("record") / "index.json"
    path.write_bytes(gzip.decompress(RECORD.read_bytes()))
    return path


@pytest.fixture
def older(tmp_path):
    """The shipped matrix without the newest rows of PyTorch."""
    folder = tmp_path / "catalog"
    shutil.copytree(ROOT / "matrices", folder / "matrices")
    (folder / "catalog.yml").write_text("name: older\nversion: 1.0.0\n")
    (folder / "templates").mkdir()
    path = folder / "matrices" / "frameworks" / "pytorch.yml"
    drop_rows(path, r"\{(version|releases): 2\.1[3-5]\.")
    return folder


def document(result):
    made = json.loads(result.out)
    check(made)
    assert made["exit"] == result.code == 0, result.err
    return made


def proposals(matrix, record, catalog, *words):
    made = document(
        matrix("refresh", "pytorch", "--offline", record, "--catalog", catalog, "--json", *words)
    )
    return {(p["release"], p["kind"]): p for p in made["proposals"]}, made


def test_rows_come_with_their_evidence_and_confidence(matrix, record, older):
    found, made = proposals(matrix, record, older)
    assert made["written"] == []
    build = found["2.13.0", "build"]
    assert build["variant"] == "cu130"
    assert build["confidence"] == "medium"
    for word in ("cuda: 13.0", "cudnn: 9.20.0.48", "x86_64: 7.5 8.0", "aarch64: 8.0 9.0",
                 "cubins: low", "the GPUs are those of cu130 2.12.1"):  # fmt: skip
        assert word in build["row"].replace("\n  ", "")
    assert any("cuda-toolkit" in said and "==13.0" in said for said in build["evidence"])
    release = found["2.13.0", "release"]
    assert "pythons: 3.10 3.11 3.12 3.13 3.14" in release["row"]
    assert "companions: {torchvision: 0.28.0, torchaudio: 2.11.0}" in release["row"]
    assert release["confidence"] == "medium"
    assert "torchvision 0.28.0 requires torch (==2.13.0)" in release["evidence"]


def test_nothing_is_written_unless_told(matrix, record, older):
    path = older / "matrices" / "frameworks" / "pytorch.yml"
    before = path.read_bytes()
    proposals(matrix, record, older)
    assert path.read_bytes() == before


def test_written_rows_are_a_matrix_that_verifies(matrix, record, older):
    path = older / "matrices" / "frameworks" / "pytorch.yml"
    before = path.read_text().splitlines()
    _, made = proposals(matrix, record, older, "--write")
    assert made["written"] == [str(path)]
    after = path.read_text().splitlines()
    assert [line for line in after if line in before] == before
    assert matrix("check", "--catalog", older).code == 0
    words = ["verify", "pytorch", "--offline", record, "--catalog", older]
    assert matrix(*words).code == 0
    again, _ = proposals(matrix, record, older)
    assert again == {}
    resolved = matrix("resolve", "--framework", "pytorch==2.13.0", "--catalog", older, "--json")
    assert json.loads(resolved.out)["resolution"]["cuda"]["variant"] == "cu130"
    default = matrix("resolve", "--framework", "pytorch", "--catalog", older, "--json")
    assert json.loads(default.out)["resolution"]["framework"]["version"] == "2.14.1"


def test_other_cuda_is_of_low_confidence(matrix, record, older):
    drop_rows(older / "matrices" / "frameworks" / "pytorch.yml", r"\{.*variant: cu132")
    found, _ = proposals(matrix, record, older)
    assert found["2.15.0", "build"]["confidence"] == "low"
    assert "cc_min: 7.5" in found["2.15.0", "build"]["row"]
    assert found["2.15.0", "release"]["confidence"] == "low"


def test_rows_are_of_120_columns_and_in_order(matrix, record, older):
    _, made = proposals(matrix, record, older)
    assert [p["release"] for p in made["proposals"] if p["kind"] == "release"] == [
        "2.13.0", "2.14.0", "2.14.1", "2.15.0",
    ]  # fmt: skip
    for proposal in made["proposals"]:
        assert max(map(len, proposal["row"].splitlines())) <= 120


def test_package_for_each_cuda(matrix, record):
    """RAPIDS has cudf-cu12 and cudf-cu13; the row of 26.10.2 may lack the first."""
    catalog = ROOT / "matrices" / "frameworks" / "rapids.yml"
    made = document(matrix("refresh", "rapids", "--offline", record, "--json"))
    has = "variant: cuda12" in catalog.read_text().split("26.10.2, variant")[-1].split("26.2.0")[0]
    found = {(p["release"], p["variant"]): p for p in made["proposals"]}
    assert has or "cudf-cu12=={version}" in found["26.10.2", "cuda12"]["row"]


def test_package_without_cuda_of_its_own(matrix, record, older):
    """Rows of what lives on another framework need no build."""
    path = older / "matrices" / "frameworks" / "transformers.yml"
    path.write_text(
        "framework: transformers\ntitle: T\nsupply: wheel\nrequirements: transformers=={version}\n"
        'sources: {index: "the index"}\nreleases:\n- {version: 5.20.2, pythons: 3.10 3.11 3.12,'
        ' requires: "torch>=2.6", source: index, as_of: 2026-11-20}\nbuilds: []\n'
    )
    words = ["refresh", "transformers", "--offline", record, "--catalog", older, "--json"]
    made = document(matrix(*words))
    versions = [p["release"] for p in made["proposals"]]
    assert versions[:2] == ["5.21.0", "5.21.1"]
    assert {p["kind"] for p in made["proposals"]} == {"release"}
    for proposal in made["proposals"]:
        assert proposal["confidence"] == "medium"
        assert 'requires: "torch>=2.6"' in proposal["row"]


def test_what_is_not_proven_is_no_row(matrix, record):
    made = document(matrix("refresh", "transformers", "--offline", record, "--json"))
    assert made["proposals"]
    for proposal in made["proposals"]:
        assert proposal["row"] is None
        assert proposal["why"]


def test_write_wants_a_folder(matrix, record):
    result = matrix("refresh", "--offline", record, "--write")
    assert result.code == 2
    assert "--catalog FOLDER" in result.err


def test_rows_for_people(matrix, record, older):
    result = matrix("refresh", "pytorch", "--offline", record, "--catalog", older)
    assert result.code == 0
    assert "pytorch 2.13.0 cu130: a new build, confidence medium" in result.out
    assert "because torch 2.13.0 requires" in result.out
