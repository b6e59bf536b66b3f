"""Wrong `migrations` of catalogs that are released: of the target they are told, else they do no
harm.
"""

import shutil

import pytest

from .scenarios import template
from .world import assert_sound, put, snapshot

FILES = {"a": "a\n"}
MORE = {"a": "a\n", "b": "b\n"}
SENSELESS = "  - {from: '<1.1', rename_answers: {x: y}, rename_files: {q: q, r: q}}\n"


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        ("  - {from: @abc}\n", "'from' must be a SPEC"),
        ("  - {from: @'', note: n}\n", "'from' must be a SPEC"),
        ("  - {from: '<1.1', rename_files: {a: @../b}}\n", "it holds '.' or '..'"),
        ("  - {from: '<1', rename_files: {@.git/x: a}}\n", "git's own files"),
    ],
)
def test_of_the_target_they_are_told_at_their_place(world, rows, words):
    world.release("1.0.0", FILES)
    world.new()
    manifest = template(migrations=rows)
    world.release("1.1.0", MORE, template=manifest.replace("@", ""))
    before = snapshot(world)
    done = world.tmplgen("update", world.child)
    assert (done.code, snapshot(world)) == (2, before), done.err
    lines = manifest.partition("@")[0].split("\n")
    place = f"templates/app/template.yml:{len(lines)}:{len(lines[-1]) + 1}: "
    assert place in done.err and words in done.err, done.err


@pytest.mark.parametrize("rows", ["  - {from: abc, rename_files: {a: ../b}}\n", SENSELESS])
def test_what_the_child_was_made_from_may_have_wrong_ones(world, rows):
    """It was released before anybody asked: its children must be able to leave it."""
    world.release("1.0.0", FILES)
    shutil.copytree(world.catalog, plain := world.folder / "plain")
    shutil.rmtree(plain / ".git")
    world.tmplgen("new", world.child, "--type", "app", "--catalog", plain)
    put(plain, {"templates/app/template.yml": template(migrations=rows)})
    world.release("1.1.0", MORE)
    done = world.update("--catalog", world.catalog)
    assert (done.code, done.paths["b"]) == (0, "added"), done.out
    assert not [text for text in done.json["warnings"] if "was not rendered again" in text]
    assert_sound(world)


def test_a_released_version_with_senseless_names_is_still_one_to_go_to(world):
    world.release("1.0.0", FILES)
    world.new()
    world.release("1.1.0", MORE, template=template(migrations=SENSELESS))
    done = world.update()
    assert (done.code, done.paths["b"]) == (0, "added"), done.out
    assert_sound(world)
