"""Every pair of choices of every type, rendered and checked: SEED=N takes other rows."""

import os
import random
import re

import pytest

from . import matrix, pairs
from .matrix import Child, tmplgen

SEED = int(os.environ.get("SEED") or 20261121)
TYPES = pairs.types()
# Those whose children are Python projects on a framework.
STACKED = [kind for kind, manifest in TYPES.items() if manifest["stack"] == "framework"]


@pytest.fixture(scope="module", params=TYPES)
def made(request, tmp_path_factory):
    """All children of a type. Where a stack does not exist, with another Python or with less."""
    kind = request.param
    print(f"SEED={SEED}")
    root = tmp_path_factory.mktemp(kind)
    children = []
    for number, row in enumerate(pairs.rows(pairs.choices(TYPES[kind]), SEED)):
        for left_out in ((), ("python",), ("python", "variant"), ("python", "variant", "with")):
            said = pairs.words(kind, {**row, **dict.fromkeys(left_out)})
            folder = root / str(number)
            if tmplgen("new", folder, *said, "--no-git", cwd=root, statuses=(0, 4)) == 0:
                children.append(Child(folder, said))
                break
        else:
            pytest.fail(f"refused however it is asked: {said}")
    return children


def test_every_child_passes_every_check(made):
    assert matrix.check(made) == []


@pytest.mark.parametrize("made", STACKED, indirect=True)
def test_every_framework_is_among_them(made):
    kind = made[0].words[1]
    frameworks = {child.words[child.words.index("--framework") + 1] for child in made}
    assert frameworks == set(TYPES[kind]["frameworks"])


@pytest.mark.parametrize("made", STACKED, indirect=True)
def test_what_is_installed_otherwise_is_among_them(made):
    # A type on Transformers alone has nothing but the index of its PyTorch.
    several = len(TYPES[made[0].words[1]]["frameworks"]) > 1
    for name in ("indexed", "build") if several else ("build",):
        assert {(c.folder / f"requirements/{name}.txt").exists() for c in made} == {True, False}


def test_every_pipeline_is_among_them(made):
    for path in (".github/workflows/ci.yml", ".gitlab-ci.yml", "Jenkinsfile"):
        assert {(child.folder / path).exists() for child in made} == {True, False}


@pytest.mark.parametrize("made", STACKED, indirect=True)
def test_types_are_right_in_one(made):
    child = random.Random(SEED).choice(made)
    assert matrix.mypy(child) == [], child.id


def test_the_pages_of_a_job_advise_nothing_that_its_backend_refuses(made):
    """Only the table of the README names it, to say that it is refused."""
    for child in made:
        if child.words[1] != "batch":
            continue
        backend = next(child.folder.glob("src/*/backend.py")).read_text()
        refused = re.search(r"^UNSUPPORTED\b.*?\{(.*?)\}$", backend, re.M | re.S)
        names = set(re.findall(r'^    "(\w+)":', refused[1], re.M))
        if {"bf16", "fp16"} <= names:
            names.add("precision")
        pages = child.text("docs/scaling.md")
        pages += re.sub(r"^\|.*\n", "", child.text("README.md"), flags=re.M)
        for name in names:
            assert f"`{name}`" not in pages, f"{child.id}: {name}"
            assert f" {name} --" not in pages, f"{child.id}: {name}"


@pytest.mark.full
@pytest.mark.parametrize("made", STACKED, indirect=True)
def test_types_are_right_in_all(made):
    seen = set()
    for child in made:
        # The name of the package makes no difference to its types.
        key = (child.text("requirements/framework.txt"), child.text(".python-version"))
        if key not in seen:
            assert matrix.mypy(child) == [], child.id
            seen.add(key)


BROKEN = {
    "src/it/bad.py": "import os\n",
    "src/it/syntax.py": "def f(:\n",
    "ci/bad.sh": "#!/bin/sh\necho $x\n",
    ".gitlab-ci.yml": "a: 1\na: 2\n",
    "pyproject.toml": '[project]\nname = "it"\n',
    "README.md": "    make nothing\n\n`ci/nothing.sh`\n",
    "Dockerfile": "FROM {{ image }}\n",
}


@pytest.mark.parametrize("path", BROKEN)
def test_each_check_finds_what_it_is_for(tmp_path, path):
    words = ["--type", "library", "--framework", "none", "--name", "it"]
    tmplgen("new", tmp_path / "it", *words, "--no-git", cwd=tmp_path)
    child = Child(tmp_path / "it", words)
    assert matrix.check([child]) == []
    (child.folder / path).write_text(BROKEN[path])
    assert matrix.check([child]) != []


def test_mypy_finds_a_wrong_type(tmp_path):
    words = ["--type", "library", "--framework", "none", "--name", "it"]
    tmplgen("new", tmp_path / "it", *words, "--no-git", cwd=tmp_path)
    (tmp_path / "it/src/it/bad.py").write_text("def f() -> int:\n    return ''\n")
    assert matrix.mypy(Child(tmp_path / "it", words)) != []
