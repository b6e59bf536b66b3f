"""`matrix list`, `matrix check` and the options of `matrix resolve` as users call them."""

import pytest


def edit(catalog, file, old, new):
    path = catalog / "matrices" / file
    text = path.read_text()
    assert text.count(old) >= 1, old
    path.write_text(text.replace(old, new, 1))


def test_check_is_green_on_the_shipped_matrix(matrix, tags):
    result = matrix("check", "--tags", tags)
    assert result.code == 0, result.err
    assert matrix("check", "--json").json["findings"] == []


PYTORCH = "frameworks/pytorch.yml"
BROKEN = [
    ("cuda.yml", "- {cuda: 10.1.105,", "- {cuda: 9.1.105,", "older one first"),
    ("cuda.yml", "driver: 530.30.02", "driver: 430.30.02", "below the floor"),
    ("cuda.yml", "12.4.1, driver: 550.54.15", "12.4.1, driver: 555.42.02", "of branch 555"),
    ("cuda.yml", "12.6.3, driver: 560.35.05", "12.6.3, driver: 550.54.14", "brings CUDA 12.4"),
    ("drivers.yml", "cuda-compat-12-4, branches: 535", "cuda-compat-12-4, branches: 470 535",
     "branch 470 takes cuda-compat-12-4, but not the newer"),
    ("drivers.yml", "cuda-compat-13-4, branches: 535 570 580 590 595 610",
     "cuda-compat-13-4, branches: 535 570 580 590 595 610 615", "brings CUDA 13.4 without"),
    ("drivers.yml", "- {branch: 418,", "- {branch: 408,", "older branches and CUDA first"),
    ("drivers.yml", "branches: 535 570 580", "branches: 535 571 580", "no driver branch 571"),
    ("drivers.yml", "branch: 545, cuda: 12.3", "branch: 545, cuda: 12.23", "no toolkit 12.23"),
    ("gpus.yml", "{gpu: L4, cc: 8.9", "{gpu: L4, cc: 8.1", "no architecture of compute cap"),
    ("gpus.yml", "on: {eks: p2}", "on: {ecs: p2}", "no platform 'ecs'"),
    ("gpus.yml", "mig: {24: 1g.6gb:4", "mig: {25: 1g.6gb:4", "no memory size 25"),
    ("gpus.yml", "1g.6gb:4 2g", "1g.6gb-4 2g", "MIG profiles are written"),
    ("gpus.yml", "first_cuda: 9.0,", "first_cuda: 19.0,", "no driver branch drives"),
    ("platforms.yml", "driver: 535", "driver: 536", "no driver branch 536"),
    ("images.yml", "- {cuda: 12.6.3,", "- {cuda: 12.6.9,", "no toolkit 12.6.9"),
    ("images.yml", "superseded_by: 12.6.3", "superseded_by: 12.8.1", "no newer patch"),
    ("images.yml", "superseded_by: 13.1.1", "superseded_by: 13.1.7", "no image of CUDA 13.1.7"),
    ("images.yml", "gate: {cuda: 12.6,", "gate: {cuda: 12.5,", "the gate asks for CUDA 12.5"),
    ("images.yml", "branches: 470 535 550,", "branches: 470 533 550,", "no driver branch 533"),
    ("images.yml", "first: 12.5.1", "first: 12.8.1", "has images from CUDA 12.8.1"),
    ("images.yml", "state: superseded, ", "state: supported, ", "yet 'supported'"),
    ("images.yml", "cudnn: 9.8.0.87, ", "", "but of which version"),
    ("images.yml", "os: ubuntu26.04, repository", "os: ubuntu2604, repository", "no distribution"),
    (PYTORCH, "default: cu128", "default: cu127", "has no build cu127"),
    (PYTORCH, "pypi: cu124", "pypi: cu125", "has no build cu125"),
    (PYTORCH, "experimental: 3.14", "experimental: 3.13", "is stable as well"),
    (PYTORCH, "torchvision: 0.28.0", "torchvision: new", "a name and a version"),
    (PYTORCH, "{releases: 2.13.0,", "{releases: 2.13.3,", "no release 2.13.3"),
    (PYTORCH, "cuda: 12.9", "cuda: 12.7", "no toolkit 12.7"),
    (PYTORCH, "variant: cu132, cuda: 13.2", "variant: cu132, cuda: 13.1", "cu132 is"),
    (PYTORCH, "x86_64: 7.5 8.0", "x86_64: 7.0 7.5 8.0", "makes no cubins for 7.0"),
    ("frameworks/onnxruntime.yml", 'cudnn: 9,', 'cudnn: ">=9,<10",', "an image has one cuDNN"),
    (PYTORCH, "processors: x86_64 aarch64", "processors: mips", "out of reach"),
]  # fmt: skip


@pytest.mark.turns(8)
@pytest.mark.parametrize(("file", "old", "new", "finding"), BROKEN, ids=[b[3] for b in BROKEN])
def test_check_catches_a_broken_row(matrix, catalog, file, old, new, finding):
    edit(catalog, file, old, new)
    result = matrix("check", "--json", "--catalog", catalog)
    assert result.code == 2
    findings = result.json["error"]["findings"]
    hits = [f for f in findings if finding in f["message"]]
    assert hits
    assert hits[0]["file"] == f"matrices/{file}"
    assert hits[0]["line"] > 0


def test_check_catches_a_tag_outside_the_list(matrix, tags, tmp_path):
    few = tmp_path / "tags"
    few.write_text(tags.read_text().replace("12.6.3-base-ubuntu24.04\n", ""))
    result = matrix("check", "--json", "--tags", few)
    assert result.code == 2
    messages = [f["message"] for f in result.json["error"]["findings"]]
    assert messages == ["12.6.3-base-ubuntu24.04 is not in the tag list"]


def test_check_tells_of_a_file_that_does_not_parse(matrix, catalog):
    edit(catalog, "gpus.yml", "cc: 3.7, class:", "cc: 3.7, klass:")
    result = matrix("check", "--catalog", catalog)
    assert result.code == 2
    assert "matrices/gpus.yml" in result.err
    assert "'class'" in result.err


def test_new_row_needs_no_new_program(matrix, catalog):
    path = catalog / "matrices" / "frameworks" / "pytorch.yml"
    text = path.read_text()
    release = (
        "- {version: 2.99.0, pythons: 3.12, default: cu130, source: release, as_of: 2026-11}\n"
    )
    build = (
        "- {releases: 2.99.0, variant: cu130, cuda: 13.0, x86_64: 8.0, source: release,"
        " as_of: 2026-11}\n"
    )
    path.write_text(
        text.replace("releases:\n", "releases:\n" + release).replace(
            "builds:\n", "builds:\n" + build
        )
    )
    result = matrix("resolve", "--json", "--framework", "pytorch", "--catalog", catalog)
    assert result.json["resolution"]["framework"]["version"] == "2.99.0"


def test_new_framework_needs_no_new_program(matrix, catalog):
    (catalog / "matrices" / "frameworks" / "abacus.yml").write_text(
        "framework: abacus\ntitle: Abacus\nsupply: wheel\n"
        "requirements: abacus[{extra}]=={version}\n"
        "sources: {s: a table}\nreleases:\n"
        "- {version: 1.2, pythons: 3.12, default: cuda13, source: s, as_of: 2026-11}\nbuilds:\n"
        "- {releases: 1.2, variant: cuda13, extra: gpu, cuda: 13.0, x86_64: 8.0, source: s,"
        " as_of: 2026-11}\n"
    )
    result = matrix("resolve", "--json", "--framework", "abacus", "--catalog", catalog)
    resolution = result.json["resolution"]
    assert resolution["requirements"] == ["abacus[gpu]==1.2"]
    assert resolution["index_url"] is None


@pytest.mark.parametrize("topic", [None, "pytorch", "gpus", "drivers", "images", "platforms"])
def test_list_is_a_table_and_a_document(matrix, topic):
    words = [topic] if topic else []
    table = matrix("list", *words)
    assert table.code == 0
    made = matrix("list", "--json", *words).json
    lists = [value for name, value in made.items() if name not in ("schema", "exit")]
    assert len(lists) == (1 if topic else 2)
    assert len(table.out.splitlines()) == sum(len(rows) + 1 for rows in lists)


def test_list_knows_what_it_does_not_have(matrix):
    result = matrix("list", "gpu", "--json")
    assert result.code == 2
    error = result.json["error"]
    assert error["code"] == "unknown-topic"
    assert "gpus" in error["hint"]


def test_explain_says_why_and_what_was_passed_over(matrix):
    request = ["resolve", "--framework", "pytorch", "--gpu", "V100", "--explain"]
    why = matrix(*request, "--json").json["why"]
    chosen = {row["what"]: row["value"] for row in why["chosen"]}
    assert chosen["variant"] == "cu126"
    passed = {row["what"]: row["reason"] for row in why["passed_over"]}
    assert passed == {
        "pytorch 2.15.0 cu132": "gpu-arch",
        "pytorch 2.14.1 cu130": "gpu-arch",
    }
    assert "passed over" in matrix(*request).out


@pytest.mark.parametrize(
    ("words", "image", "because"),
    [
        ([], "nvidia/cuda:13.2.1-base-ubuntu24.04", "with CUDA 13.2"),
        (
            ["--driver", "535", "--gpu", "RTX 3090"],
            "nvidia/cuda:12.4.1-base-ubuntu22.04",
            "no image of CUDA 12.6 will do",
        ),
        (["--driver", "450"], "ubuntu:24.04", "no CUDA image of its major will do"),
        (["--variant", "cpu"], "ubuntu:26.04", "a CPU build needs no CUDA image"),
    ],
)
def test_explain_says_why_the_image_is_of_another_cuda(matrix, words, image, because):
    answer = matrix("resolve", "--framework", "pytorch", *words, "--explain", "--json").json
    chosen = {row["what"]: row for row in answer["why"]["chosen"]}
    assert chosen["image"]["value"] == image
    assert because in chosen["image"]["because"]
    notes = [one["text"] for one in answer["resolution"]["notes"] if one["code"] == "image-other"]
    other = "will do" in because
    assert len(notes) == other
    assert not other or (notes[0].startswith(image) and "may not start it" in notes[0])


@pytest.mark.parametrize(
    ("request_words", "change", "expected"),
    [
        (["pytorch==2.10.0"], "pytorch==2.14.0", ("cuda.variant", "cu128", "cu130")),
        (["pytorch", "--driver", "535"], "--driver 580", ("cuda.version", "12.6", "13.2")),
        (["pytorch", "--gpu", "V100"], "--gpu=T4", ("cuda.variant", "cu126", "cu132")),
    ],
)
def test_diff_says_what_changes(matrix, request_words, change, expected):
    words = ["resolve", "--json", "--framework", *request_words, "--diff", change]
    made = matrix(*words).json
    assert expected in [(row["what"], row["from"], row["to"]) for row in made["diff"]]
    assert made["diff_resolution"]["framework"]["version"]


def test_diff_of_a_refused_request_is_refused(matrix):
    request = ["resolve", "--framework", "pytorch", "--variant", "cu130"]
    result = matrix(*request, "--diff", "--driver 535", "--json")
    assert result.json["exit"] == 4
    bad = matrix(*request, "--diff", "--driver", "--json").json
    assert bad["error"]["code"] == "usage"


def test_overlay_of_this_folder_is_used_and_told(matrix, tmp_path):
    (tmp_path / ".tmplgen-matrix.yml").write_text(
        "platforms:\n  platforms:\n"
        "  - {platform: gke, title: GKE, driver: 580, selector: x, gpus: any}\n"
    )
    result = matrix(
        "resolve", "--json", "--framework", "pytorch", "--platform", "gke", cwd=tmp_path
    )
    resolution = result.json["resolution"]
    assert resolution["cuda"]["variant"] == "cu132"
    assert "overlay" in {note["code"] for note in resolution["notes"]}
    assert ".tmplgen-matrix.yml" in result.err


def test_overlay_must_be_right(matrix, tmp_path):
    (tmp_path / "mine.yml").write_text("gpus:\n  gpus:\n  - {gpu: T4, cc: 7}\n")
    result = matrix("resolve", "--framework", "pytorch", "--overlay", tmp_path / "mine.yml")
    assert result.code == 2
    assert ".tmplgen-matrix.yml" in result.err
    assert matrix("check", "--overlay", tmp_path / "none.yml").code in (1, 2)


def test_refusal_and_success_fit_a_screen(matrix):
    long = ["resolve", "--framework", "pytorch", "--variant", "cu130", "--driver", "535"]
    assert len(matrix(*long).err.splitlines()) <= 24
    assert len(matrix("resolve", "--framework", "pytorch", "--gpu", "V100").out.splitlines()) <= 24
