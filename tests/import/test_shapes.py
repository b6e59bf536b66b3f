"""Shapes of public templates: a project by their own tool, and one by the imported catalog."""

import pytest

from .shapes import SHAPES
from .world import put, tree

QUICK = {"pypackage", "scverse", "clashes", "copier-uv", "no-suffix", "nlesc"}


def compare(world, shape, count):
    put(world.folder / "template", shape.files)
    document = world.imported()
    entries = document["types"]
    told = {one["kind"] for entry in entries for one in entry["decisions"]}
    # cookiecutter asks for what only the folder's own name reads, too
    assert told - {"unused"} == shape.kinds
    for answers in shape.answers[:count]:
        for number, entry in enumerate(entries):
            if shape.tool == "copier":
                wanted = tree(world.copier(answers))
            elif len(entries) > 1:
                source = f"template/{['lib', 'web'][number]}"
                wanted = tree(world.cookiecutter(answers, source))
            else:
                wanted = tree(world.cookiecutter(answers))
            made = world.ours(document, answers, number)
            for path in shape.aside:
                wanted.pop(path, None)
                made.pop(path, None)
            assert made.keys() == wanted.keys(), f"{entry['name']} {answers}"
            assert made == wanted, f"{entry['name']} {answers}"


@pytest.mark.parametrize(
    "shape", [one for one in SHAPES if one.name in QUICK], ids=lambda s: s.name
)
def test_a_project_is_what_their_tool_makes(world, shape):
    compare(world, shape, 2)


@pytest.mark.full
@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_every_shape_with_every_answer(world, shape):
    compare(world, shape, 9)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda s: s.name)
def test_an_imported_catalog_passes_its_test(world, shape):
    put(world.folder / "template", shape.files)
    world.imported()
    done = world("template", "test", "--catalog", "catalog", cwd=world.folder)
    if shape.name == "nf-core":  # the name must have a '/', and nothing there says so
        assert done.code == 2 and "project_name.split('/')[1]" in done.err
    else:
        assert done.code == 0, done.out + done.err


def test_there_are_twenty_shapes():
    assert len({one.name for one in SHAPES}) == len(SHAPES) >= 20
