"""The file in git's folder that spares `status` a rendering: who believes it, and when."""

import pytest
import yaml

from .scenarios import lines, template
from .test_catalogs import inputs_of
from .world import RECORD, put

FIRST = {"a": lines(20), "b": "1\n", "c": "c\n"}
SECOND = {"a": lines(20, {15: "two"}), "b": "2\n", "c": "c\n"}
EDITED = {"a": lines(20, {3: "mine"}), "b": "mine\n"}
RULES = template("seed b", "managed c")


@pytest.fixture
def made(world):
    """A child whose user changed 'a', and 'b', which is a seed."""
    world.release("1.0.0", FIRST, RULES)
    world.new()
    world.edit(EDITED)
    return world


def proof(child):
    return child / ".git" / "tmplgen" / "proof"


def forge(child):
    """The one lie that shows: 'b' is no seed, but managed."""
    text = proof(child).read_text()
    assert "\nseed b\n" in text
    proof(child).write_text(text.replace("\nseed b\n", "\nmanaged b\n"))


def seen(world, child=None):
    """Policy by path, of what the child changed."""
    document = world.tmplgen("status", child or world.child, "--json").json
    assert document["warnings"] == []
    return {line["path"]: line["policy"] for line in document["paths"]}


TRUE, FORGED = {"a": "merge", "b": "seed"}, {"a": "merge", "b": "managed"}


def test_status_says_the_same_with_and_without_it(made):
    said = made.tmplgen("status", made.child, "--json").json
    assert seen(made) == TRUE
    proof(made.child).unlink()
    assert made.tmplgen("status", made.child, "--json").json == said


def test_status_believes_it_after_new_and_after_an_update(made):
    """So what follows is a test: a lie would show."""
    forge(made.child)
    assert seen(made) == FORGED
    made.release("2.0.0", SECOND, RULES)
    assert made.update().code == 0
    assert seen(made) == TRUE
    forge(made.child)
    assert seen(made) == FORGED


def test_status_writes_none(made):
    proof(made.child).unlink()
    assert seen(made) == TRUE
    assert not proof(made.child).exists()


def test_diff_and_update_never_believe_it(made):
    forge(made.child)
    assert made.tmplgen("diff", made.child, "--json").json["base"]["proven_by"] == "render"
    made.release("2.0.0", SECOND, RULES)
    planned = made.update("--dry-run").json
    assert planned["base"]["proven_by"] == "render"
    assert {line["path"]: line["policy"] for line in planned["paths"]} == TRUE


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text[:-1],
        lambda text: text[: len(text) // 2],
        lambda text: "\0" * len(text),
        lambda text: text.replace("proof 1", "proof 2"),
        lambda text: text.replace("managed b", "managed nowhere"),
        lambda text: text.replace("managed b", "mine b"),
        lambda text: text.replace("managed b", "managed"),
        lambda text: text.replace("managed b", ""),
    ],
)
def test_a_damaged_one_is_none(made, damage):
    forge(made.child)
    text = proof(made.child).read_text()
    assert damage(text) != text
    proof(made.child).write_text(damage(text))
    assert seen(made) == TRUE


def test_another_records_is_none(made):
    """Here the newer version's, after the older one was checked out."""
    made.release("2.0.0", SECOND, RULES)
    assert made.update().code == 0
    forge(made.child)
    made.git("checkout", "-q", "--detach", "HEAD~1")
    assert seen(made) == TRUE


def test_it_needs_the_base_ref(made):
    forge(made.child)
    (ref,) = made.git("for-each-ref", "--format=%(refname)", "refs/tmplgen").split()
    made.git("update-ref", "-d", ref)
    assert seen(made) == TRUE


def test_a_folder_without_commits_is_rendered_each_time(world):
    put(
        world.catalog,
        {
            "catalog.yml": "name: demo\nversion: 1.0.0\n",
            "templates/app/template.yml": RULES,
            **{f"templates/app/files/{path}": text for path, text in FIRST.items()},
        },
    )
    world.new()
    assert not proof(world.child).exists()


def test_it_does_not_travel(made):
    """Not with a clone or a fetch, though they may bring every ref."""
    forge(made.child)
    made.git("clone", "-q", f"file://{made.child}", "clone", cwd=made.folder)
    clone = made.folder / "clone"
    made.git("fetch", "-q", "origin", "refs/tmplgen/*:refs/tmplgen/*", cwd=clone)
    assert made.git("for-each-ref", "refs/tmplgen", cwd=clone)
    assert not proof(clone).exists()
    assert seen(made, clone) == TRUE


def test_a_strangers_record_with_its_base_ref_is_not_believed(made):
    """They say that the template rendered 'a' as the stranger has it. It is rendered, and then not
    known under which policies that came to be."""
    path = made.child / RECORD
    made.git("checkout", "-q", "-b", "stranger")
    index = {"GIT_INDEX_FILE": str(made.folder / "index")}
    (ref,) = made.git("for-each-ref", "--format=%(refname)", "refs/tmplgen").split()
    made.git("read-tree", ref, env=index)
    blob = made.git("hash-object", "-w", "a")
    made.git("update-index", "--cacheinfo", f"100644,{blob},a", env=index)
    tree = made.git("write-tree", env=index)
    commit = made.git("commit-tree", tree, "-m", "base")
    made.git("update-ref", f"refs/tmplgen/base/{tree}", commit)
    record = yaml.safe_load(path.read_text())
    old = (record["render"]["tree"], record["render"]["inputs"])
    record["render"]["tree"] = tree
    text = path.read_text().replace(old[0], tree)
    made.edit({RECORD: text.replace(old[1], inputs_of(record))})
    said = made.tmplgen("status", made.child, "--json").json
    assert said["paths"] and all(line["policy"] is None for line in said["paths"])
