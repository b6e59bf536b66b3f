"""Every pair of choices of every type, rendered and checked: SEED=N takes other rows.

`make test` has a dozen rows of each type, others with each commit.
"""

import os
import random
import re
import shutil

import pytest

from . import matrix, pairs
from .matrix import Child, tmplgen

SEED = int(os.environ.get("SEED") or 20261121)
PIPELINES = {
    "github": ".github/workflows/ci.yml",
    "gitlab": ".gitlab-ci.yml",
    "jenkins": "Jenkinsfile",
}
TURN = os.environ.get("TURNS")
TYPES = pairs.types()
# Those whose children are Python projects on a framework.
STACKED = [kind for kind, manifest in TYPES.items() if manifest["stack"] == "framework"]


def make(root, kind, rows):
    """Children of a type. Where a stack does not exist, with another Python or with less."""
    children = []
    for number, row in enumerate(rows):
        for left_out in ((), ("python",), ("python", "variant"), ("python", "variant", "with")):
            said = pairs.words(kind, {**row, **dict.fromkeys(left_out)})
            folder = root / str(number)
            if tmplgen("new", folder, *said, "--no-git", cwd=root, statuses=(0, 4)) == 0:
                children.append(Child(folder, said))
                break
        else:
            pytest.fail(f"refused however it is asked: {said}")
    return children


def rows_of(kind):
    print(f"SEED={SEED}")
    return pairs.rows(pairs.choices(TYPES[kind]), SEED)


def lists_of_their_own(child):
    """What is compiled, and PyTorch beside a framework that is not on it, have one."""
    if ("flash-attn" in child.words) != (child.folder / "requirements/build.txt").exists():
        yield "requirements/build.txt"
    beside = "torch" in child.words and not {"pytorch", "transformers", "cpu"} & set(child.words)
    if beside and not (child.folder / "requirements/indexed.txt").exists():
        yield "requirements/indexed.txt"


def pipelines(child):
    """Those that were asked for are there, and no other."""
    asked = child.words[child.words.index("--ci") + 1].split(",")
    for name, path in PIPELINES.items():
        if (child.folder / path).exists() != (name in asked):
            yield path


def advice(child):
    """The pages of a job advise nothing that its backend refuses.

    Only the table of the README names it, to say that it is refused.
    """
    if child.words[1] != "batch":
        return
    backend = next(child.folder.glob("src/*/backend.py")).read_text()
    refused = re.search(r"^UNSUPPORTED\b.*?\{(.*?)\}$", backend, re.M | re.S)
    names = set(re.findall(r'^    "(\w+)":', refused[1], re.M))
    if {"bf16", "fp16"} <= names:
        names.add("precision")
    pages = child.text("docs/scaling.md")
    pages += re.sub(r"^\|.*\n", "", child.text("README.md"), flags=re.M)
    yield from (name for name in names if f"`{name}`" in pages or f" {name} --" in pages)


def in_turn(rows):
    """A dozen where there are turns, all of them in as many turns as there are dozens."""
    count = -(-len(rows) // 12) if TURN else 1
    return rows[int(TURN or 0) % count :: count]


@pytest.mark.turns(len(TYPES))  # all of them, so that `make soak` has it, with all rows
@pytest.mark.parametrize("kind", TYPES)
def test_every_child_passes_every_check(kind, tmp_path):
    """One test for a type, so that its children are made once."""
    made = make(tmp_path, kind, in_turn(rows_of(kind)))
    found = matrix.check(made)
    for check in (lists_of_their_own, pipelines, advice):
        found += [f"{child.id}: {check.__name__}: {it}" for child in made for it in check(child)]
    assert found == []


@pytest.mark.parametrize("kind", TYPES)
def test_every_framework_and_pipeline_is_among_the_rows(kind):
    rows = rows_of(kind)
    assert {row.get("framework") for row in rows} == set(TYPES[kind].get("frameworks", [None]))
    assert {name for row in rows for name in row["ci"].split(",")} == {*PIPELINES, "none"}


def test_types_are_right_in_one_and_a_wrong_one_is_found(tmp_path):
    pick = random.Random(f"{SEED} {TURN}")
    kind = pick.choice(STACKED)
    [child] = make(tmp_path, kind, [pick.choice(rows_of(kind))])
    assert matrix.mypy([child]) == [], child.id
    [package] = child.folder.glob("src/*")
    (package / "bad.py").write_text("def f() -> int:\n    return ''\n")
    assert matrix.mypy([child]) != []


@pytest.mark.full
@pytest.mark.turns(2)
@pytest.mark.parametrize("kind", STACKED)
def test_types_are_right_in_all(kind, tmp_path):
    # The name of the package makes no difference to its types.
    made = {
        (child.text("requirements/framework.txt"), child.text(".python-version")): child
        for child in make(tmp_path, kind, rows_of(kind))
    }
    assert matrix.mypy(list(made.values())) == []


# What each check is for, in a child that is good but for this file.
BROKEN = [
    (matrix.ruff, "src/it/bad.py", "import os\n"),
    (matrix.compiles, "src/it/syntax.py", "def f(:\n"),
    (matrix.shellcheck, "ci/bad.sh", "#!/bin/sh\necho $x\n"),
    (matrix.yamllint, ".gitlab-ci.yml", "a: 1\na: 2\n"),
    (matrix.project, "pyproject.toml", '[project]\nname = "it"\n'),
    (matrix.readme, "README.md", "    make nothing\n\n`ci/nothing.sh`\n"),
    (matrix.unrendered, "Dockerfile", "FROM {{ image }}\n"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A good child."""
    folder = tmp_path_factory.mktemp("library") / "it"
    words = ["--type", "library", "--framework", "none", "--name", "it"]
    tmplgen("new", folder, *words, "--no-git", cwd=folder.parent)
    assert matrix.check([Child(folder, words)]) == []
    return folder


def test_every_check_is_tried():
    assert tuple(check for check, *_ in BROKEN) == matrix.CHECKS


@pytest.mark.parametrize(("check", "path", "text"), BROKEN)
def test_each_check_finds_what_it_is_for(library, tmp_path, check, path, text):
    child = Child(shutil.copytree(library, tmp_path / "it"), [])
    (child.folder / path).write_text(text)
    assert check([child]) != []
