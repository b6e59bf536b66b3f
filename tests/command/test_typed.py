"""What is printed to be typed does what it says, whatever it names, and nothing else."""

import shlex

import pytest

from ..common.shells import NASTY, SHOWABLE, UNSHOWABLE, UNTYPABLE, can_be_shown, goes_to

BARE = ["new", "--type", "thing", "--name", "demo", "--defaults", "--no-git"]


def told(done):
    """The commands below `Next:`."""
    return [line[2:] for line in done.out.split("\nNext:\n")[1].splitlines()]


@pytest.mark.parametrize("name", NASTY, ids=ascii)
def test_next_of_new_goes_to_what_was_made(tmplgen, work, catalog, name):
    done = tmplgen(*BARE, "--catalog", catalog.folder, "--", name, cwd=work)
    assert done.code == 0, done.err
    assert can_be_shown(done.out)
    assert goes_to(told(done)[0], work) == work.resolve() / name


@pytest.mark.parametrize("name", UNTYPABLE, ids=ascii)
def test_name_that_no_shell_can_be_told_is_not_pretended_to_be_typable(
    tmplgen, work, catalog, name
):
    done = tmplgen(*BARE, "--catalog", catalog.folder, "--", name, cwd=work)
    assert done.code == 0, done.err
    assert told(done)[0].endswith("NAME-THAT-CANNOT-BE-TYPED")


def test_plain_path_is_shown_as_it_was_given(tmplgen, work, catalog):
    done = tmplgen(*BARE, "a/b-c_d.e", "--catalog", catalog.folder, cwd=work)
    assert told(done)[0] == "cd a/b-c_d.e"


@pytest.mark.parametrize("name", [*SHOWABLE, *UNSHOWABLE], ids=ascii)
def test_hint_with_a_file_that_was_named(tmplgen, work, name):
    """`image lock` is said again with the file of the lock, as one word of a command."""
    (work / "images.yml").write_text("schema: 1\nregistry: 127.0.0.1:1/x\nimages: []\n")
    done = tmplgen("image", "list", "images.yml", f"--lock={name}", cwd=work)
    assert (done.code, "no-lock" in done.err) == (2, False), done.err
    hint = done.err.split("hint: ")[1]
    command = hint.removesuffix(" makes it\n")
    assert can_be_shown(command)
    assert command.startswith("tmplgen image lock --lock ")
    if name in SHOWABLE:
        assert shlex.split(command)[4].removeprefix("./") == name.removeprefix("./")
