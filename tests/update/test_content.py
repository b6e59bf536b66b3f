"""
What counts as the same content: line endings, names that differ by case, what many files share, and
files that no longer parse. Named after what was found to go wrong.
"""

import subprocess

import pytest

from .mounts import mounted
from .scenarios import BINARY, LONG, lines, template
from .world import files_on_disk

HEADER = """\
# Copyright 2026 Example Corporation. All rights reserved, see LICENSE.
# SPDX-License-Identifier: Apache-2.0
"""


def crlf(text):
    return (text if isinstance(text, bytes) else text.encode()).replace(b"\n", b"\r\n")


def notes(done):
    return {line["path"]: line["note"] for line in done.json["paths"]}


def updated(world, *args):
    """An update without a conflict, and the proof that a second one does nothing."""
    done = world.update(*args)
    assert (done.code, done.json["result"]) == (0, "updated"), done.out
    head, disk = world.git("rev-parse", "HEAD"), files_on_disk(world.child, times=True)
    again = world.update()
    assert (again.code, again.json["result"]) == (0, "up-to-date")
    assert (world.git("rev-parse", "HEAD"), files_on_disk(world.child, times=True)) == (head, disk)
    assert world.git("status", "--porcelain") == ""
    return done


def disk(world, path):
    return (world.child / path).read_bytes()


# ---------------------------------------------------------------- line endings


def windows_editor(path):
    """What an editor does that writes the file anew with its own line endings."""
    subprocess.run(["sed", "-i", "s/$/\\r/", path], check=True)


def test_S_12_an_editor_that_wrote_crlf_makes_no_conflict(world):
    world.release("1.0.0", {"a": lines(64), "untouched": LONG})
    world.new()
    windows_editor(world.child / "a")
    world.commit("saved on Windows")
    world.release("1.1.0", {"a": lines(64, {20: "twenty", 64: "last\nadded"}), "untouched": LONG})
    done = updated(world)
    assert done.paths == {"a": "merged"}
    assert notes(done) == {"a": "your line endings are kept"}
    assert disk(world, "a") == crlf(lines(64, {20: "twenty", 64: "last\nadded"}))


def test_S_12_lines_of_both_come_together_with_the_childs_endings(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.edit({"a": crlf(lines(20, {3: "mine"}))})
    world.release("1.1.0", {"a": lines(20, {15: "theirs"})})
    assert updated(world).paths == {"a": "merged"}
    assert disk(world, "a") == crlf(lines(20, {3: "mine", 15: "theirs"}))
    world.release("1.2.0", {"a": lines(20, {8: "later", 15: "theirs"})})
    assert updated(world).paths == {"a": "merged"}
    assert disk(world, "a") == crlf(lines(20, {3: "mine", 8: "later", 15: "theirs"}))


def test_S_12_two_hops_and_one_hop_end_in_the_same_tree(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.edit({"a": crlf(lines(20, {3: "mine"}))})
    world.release("1.1.0", {"a": lines(20, {10: "ten"})})
    world.release("1.2.0", {"a": lines(20, {10: "ten", 15: "theirs"})})
    other = world.copy("other")
    for version in ("v1.1.0", "v1.2.0"):
        assert world.update("--to", version).code == 0
    assert world.update("--to", "v1.2.0", child=other).code == 0
    assert world.tree() == world.tree(other)


def test_S_12_a_child_with_lf_keeps_it_where_the_template_turns_to_crlf(world):
    world.release("1.0.0", {"a": LONG, "b": LONG, "mine": LONG})
    world.new()
    world.edit({"a": lines(20, {3: "mine"}), "mine": lines(20, {3: "mine"})})
    world.release(
        "1.1.0", {"a": crlf(LONG), "b": crlf(LONG), "mine": crlf(lines(20, {15: "theirs"}))}
    )
    done = updated(world)
    assert done.paths == {"a": "merged", "b": "updated", "mine": "merged"}
    assert disk(world, "a") == lines(20, {3: "mine"}).encode()
    assert disk(world, "b") == crlf(LONG)  # the child had not touched it
    assert disk(world, "mine") == lines(20, {3: "mine", 15: "theirs"}).encode()


def test_S_12_the_same_line_changed_by_both_still_conflicts_on_that_line_alone(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.edit({"a": crlf(lines(20, {3: "mine"}))})
    world.release("1.1.0", {"a": lines(20, {3: "theirs", 15: "fifteen"})})
    done = world.update()
    assert (done.code, done.paths) == (5, {"a": "conflict"})
    text = disk(world, "a")
    assert text.count(b"\n") == text.count(b"\r\n") == 20 + 6
    assert b"<<<<<<< your project\r\nmine\r\n||||||| template 1.0.0\r\nline 3\r\n" in text
    assert b"line 14\r\nfifteen\r\n" in text
    world.git("add", "a")
    refused = world.tmplgen("update", world.child, "--continue", "--json")
    assert refused.code == 5, refused.out
    (world.child / "a").write_bytes(crlf(lines(20, {3: "both", 15: "fifteen"})))
    world.git("add", "a")
    assert world.tmplgen("update", world.child, "--continue").code == 0
    assert world.update().json["result"] == "up-to-date"


def test_S_12_no_line_of_a_file_with_both_endings_is_lost_or_turned(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    mixed = crlf(lines(10)) + lines(20).encode()[len(lines(10)) :]
    world.edit({"a": mixed.replace(b"line 2\r\n", b"mine\r\n")})
    world.release("1.1.0", {"a": lines(20, {5: "five\nnew", 15: "fifteen"})})
    assert updated(world).paths == {"a": "merged"}
    expected = mixed.replace(b"line 2\r\n", b"mine\r\n").replace(b"line 5\r\n", b"five\r\nnew\r\n")
    assert disk(world, "a") == expected.replace(b"line 15\n", b"fifteen\n")


def test_S_12_what_merges_byte_for_byte_is_left_so(world):
    world.release("1.0.0", {"a": lines(10).encode() + crlf(lines(10))})
    world.new()
    world.edit({"a": lines(10, {2: "mine"}).encode() + crlf(lines(10))})
    world.release("1.1.0", {"a": lines(10).encode() + crlf(lines(10)) + b"unix\nwin\r\n"})
    assert updated(world).paths == {"a": "merged"}
    assert disk(world, "a") == (
        lines(10, {2: "mine"}).encode() + crlf(lines(10)) + b"unix\nwin\r\n"
    )


def test_S_12_pins_merge_by_slots_whatever_ends_their_lines(world):
    rules = template("lines pins")
    world.release("1.0.0", {"pins": "a==1\nb==1\nc==1"}, template=rules)
    world.new()
    world.edit({"pins": crlf("a==2\nb==1\nc==1\nmine==1")})
    world.release("1.1.0", {"pins": "a==1\nb==2\nc==1\ntheirs==1"}, template=rules)
    assert updated(world).paths == {"pins": "merged"}
    assert disk(world, "pins") == crlf("a==2\nb==2\nc==1\nmine==1\ntheirs==1")


def test_S_12_a_managed_file_is_not_edited_by_its_endings(world):
    rules = template("managed a", "managed b")
    world.release("1.0.0", {"a": LONG, "b": LONG}, template=rules)
    world.new()
    world.edit({"a": crlf(LONG), "b": crlf(lines(20, {3: "mine"}))})
    new = lines(20, {15: "theirs"})
    world.release("1.1.0", {"a": new, "b": new}, template=rules)
    done = world.update()
    assert (done.code, done.paths) == (5, {"a": "merged", "b": "conflict"})
    assert disk(world, "a") == crlf(new)


def test_S_12_a_dropped_file_goes_where_its_endings_alone_were_changed(world):
    world.release("1.0.0", {"a": LONG, "b": LONG, "c": LONG})
    world.new()
    world.edit({"a": crlf(LONG), "b": crlf(lines(20, {3: "mine"}))})
    world.release("1.1.0", {"c": LONG})
    done = world.update()
    assert (done.code, done.paths) == (5, {"a": "deleted", "b": "conflict"})
    assert notes(done)["a"] == "you had changed its line endings alone"
    assert not (world.child / "a").exists()
    assert disk(world, "b") == crlf(lines(20, {3: "mine"}))


def test_S_12_a_file_that_both_added_is_adopted_with_the_childs_endings(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.edit({"b": crlf(LONG)})
    world.release("1.1.0", {"a": LONG, "b": LONG})
    assert updated(world).paths == {"b": "adopted"}
    assert disk(world, "b") == crlf(LONG)
    world.release("1.2.0", {"a": LONG, "b": lines(20, {15: "theirs"})})
    assert updated(world).paths == {"b": "merged"}
    assert disk(world, "b") == crlf(lines(20, {15: "theirs"}))


def test_S_12_a_renamed_file_is_found_again_with_other_endings(world):
    own = {f"own{i}": f"nothing of the template {i}\n" * 9 for i in range(3)}
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.edit({**own, "a": None, "moved": crlf(lines(20, {3: "mine"}))})
    world.release("1.1.0", {"a": lines(20, {15: "theirs"})})
    assert updated(world).paths == {"moved": "merged"}
    assert disk(world, "moved") == crlf(lines(20, {3: "mine", 15: "theirs"}))


@pytest.mark.parametrize("end", [b"\r", b"\r\r\n"], ids=["old Mac", "two CR"])
def test_S_12_a_cr_that_ends_no_line_is_content(world, end):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.edit({"a": LONG.encode().replace(b"\n", end)})
    world.release("1.1.0", {"a": lines(20, {15: "theirs"})})
    assert world.update().code == 5


def test_S_12_binary_files_have_no_line_endings(world):
    world.release("1.0.0", {"a": BINARY})
    world.new()
    world.edit({"a": BINARY.replace(b"\n", b"\r\n")})
    world.release("1.1.0", {"a": BINARY + b"more"})
    done = world.update()
    assert (done.code, done.paths) == (5, {"a": "conflict"})
    assert disk(world, "a") == BINARY.replace(b"\n", b"\r\n")


@pytest.mark.parametrize("setting", ["true", "input"])
def test_S_12_clones_with_autocrlf_end_in_the_same_tree(world, setting):
    """A child whose repository holds CRLF, cloned by somebody whose git converts line endings."""
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.edit({"a": crlf(lines(20, {3: "mine"}))})
    clone = world.folder / "clone"
    world.git("clone", "-q", "-c", f"core.autocrlf={setting}", world.child, clone)
    world.release("1.1.0", {"a": lines(20, {15: "theirs"})})
    assert world.update(child=clone).code == 0
    assert world.git("status", "--porcelain", cwd=clone) == ""
    assert world.update().code == 0
    assert world.tree(clone) == world.tree()
    assert (clone / "a").read_bytes() == crlf(lines(20, {3: "mine", 15: "theirs"}))


# ---------------------------------------------------------------- names that differ by case


@pytest.mark.parametrize(
    "old,new",
    [("README.md", "Readme.md"), ("Docs/a", "docs/a"), ("Ärger.txt", "ärger.txt")],
)
def test_S_35_a_rename_by_case_alone_needs_no_declaration(world, old, new):
    world.release("1.0.0", {old: LONG, "x": "x\n"})
    world.new()
    world.edit({old: lines(20, {3: "mine"})})
    world.release("1.1.0", {new: lines(20, {15: "theirs"}), "x": "x\n"})
    assert updated(world).paths == {new: "renamed"}
    assert world.read(new) == lines(20, {3: "mine", 15: "theirs"})
    names = world.git("-c", "core.quotePath=false", "ls-files").split("\n")
    assert new in names and old not in names
    assert len({name.casefold() for name in names}) == len(names)


def test_S_35_a_small_file_that_the_child_did_not_touch_moves_too(world):
    world.release("1.0.0", {"README.md": "hello\n"})
    world.new()
    world.release("1.1.0", {"Readme.md": "other words\n"})
    assert updated(world).paths == {"Readme.md": "renamed"}
    assert not (world.child / "README.md").exists()


def test_S_35_the_childs_own_case_of_a_name_stays(world):
    world.release("1.0.0", {"README.md": "hello\n"})
    world.new()
    world.edit({"readme.md": {"from": "README.md"}})
    world.release("1.1.0", {"README.md": "hello, world\n"})
    assert updated(world).paths == {"readme.md": "updated"}
    assert world.read("readme.md") == "hello, world\n"
    world.release("1.2.0", {"ReadMe.md": "hello, all\n"})
    done = updated(world)
    assert done.paths == {"readme.md": "updated"}
    assert notes(done)["readme.md"] == "the template moved it to 'ReadMe.md'"
    assert [n for n in world.git("ls-files").split("\n") if n.lower() == "readme.md"] == [
        "readme.md"
    ]


def test_S_35_a_new_file_meets_the_childs_of_that_name_but_for_case(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.edit({"readme.md": "mine\n", "same": "same\n"})
    world.release("1.1.0", {"a": LONG, "README.md": "theirs\n", "Same": "same\n"})
    done = world.update()
    assert (done.code, done.paths) == (5, {"readme.md": "conflict", "same": "adopted"})
    assert "the template has it as 'README.md'" in notes(done)["readme.md"]
    assert world.read("readme.md") == "mine\n"
    assert not (world.child / "README.md").exists()
    world.git("add", "readme.md")
    assert world.tmplgen("update", world.child, "--continue").code == 0
    assert world.update().json["result"] == "up-to-date"


def test_S_35_two_files_that_differ_by_case_are_two_where_the_child_has_both(world):
    world.release("1.0.0", {"README.md": LONG})
    world.new()
    world.edit({"Readme.md": "another\n"})
    world.release("1.1.0", {"Readme.md": lines(20, {15: "theirs"})})
    done = world.update()
    assert (done.code, done.paths["Readme.md"]) == (5, "conflict")
    assert world.read("Readme.md") == "another\n"


ONE_NAME = "which is one name on this disk"


@pytest.fixture
def blind(world):
    """The child lies on a disk that ignores case: a Mac's or Windows' folder in a container."""
    world.child = world.folder / "disk" / "child"
    world.child.parent.mkdir()
    with mounted(world.child.parent, "nocase"):
        yield world


@pytest.mark.parametrize("old,new", [("README.md", "Readme.md"), ("Docs/a", "docs/a")])
def test_S_35_on_a_disk_that_ignores_case_the_name_stays(blind, old, new):
    blind.release("1.0.0", {old: LONG, "x": "x\n"})
    blind.new()
    assert blind.git("config", "core.ignoreCase") == "true"
    blind.edit({old: lines(20, {3: "mine"})})
    blind.release("1.1.0", {new: lines(20, {15: "theirs"}), "x": "x\n"})
    done = updated(blind)
    assert done.paths == {old: "merged"}
    assert notes(done)[old] == f"the template moved it to '{new}', {ONE_NAME}"
    assert blind.read(old) == lines(20, {3: "mine", 15: "theirs"})
    blind.release("1.2.0", {new: lines(20, {10: "theirs", 15: "theirs"}), "x": "x\n"})
    assert updated(blind).paths == {old: "merged"}
    assert blind.read(old) == lines(20, {3: "mine", 10: "theirs", 15: "theirs"})
    assert old in blind.git("ls-files").split("\n")
    assert blind.git("status", "--porcelain") == ""


def test_S_35_that_a_name_stays_is_told_of_a_file_that_nobody_changed(blind):
    blind.release("1.0.0", {"README.md": LONG, "x": "x\n"})
    blind.new()
    blind.release("1.1.0", {"Readme.md": LONG, "added": "new\n"})  # and x goes
    assert notes(updated(blind))["README.md"] == f"the template moved it to 'Readme.md', {ONE_NAME}"
    assert blind.git("status", "--porcelain") == ""


def test_S_35_one_file_in_the_place_of_another_on_a_disk_that_ignores_case_is_refused(blind):
    blind.release("1.0.0", {"README.md": LONG, "a.txt": LONG})
    blind.new()
    moves = "migrations:\n  - {from: '<1.1', rename_files: {a.txt: Readme.md}}\n"
    blind.release("1.1.0", {"Readme.md": LONG}, template=f"description: a\nstack: none\n{moves}")
    before = files_on_disk(blind.child)
    done = blind.update()
    assert (done.code, done.error["code"]) == (3, "file-system"), done.out
    assert "one name on this disk" in done.error["message"]
    assert "tells upper from lower case" in done.error["hint"]
    assert files_on_disk(blind.child) == before


def test_S_35_a_folder_GIT_beside_git_makes_no_disk_ignore_case(world):
    world.release("1.0.0", {"README.md": LONG})
    world.new()
    (world.child / ".GIT").mkdir()
    world.release("1.1.0", {"Readme.md": LONG})
    assert updated(world).paths == {"Readme.md": "renamed"}


# ---------------------------------------------------------------- what many files share


def told(done, path):
    return notes(done)[path] or ""


@pytest.mark.parametrize(
    "header,others",
    [(HEADER, 1), (HEADER, 5), (HEADER.replace("# ", ""), 5)],
    ids=["comment in two files", "comment in many", "words in many"],
)
def test_A7_a_licence_header_proves_no_rename(world, header, others):
    code = {f"src/code{i}.py": f"{header}value_{i} = {i}\n" for i in range(others)}
    world.release("1.0.0", {**code, "src/utils/__init__.py": header})
    world.new()
    world.edit({"src/utils/__init__.py": None, "src/mine/__init__.py": header})
    world.release("1.1.0", {**code, "src/utils/__init__.py": header + "from .x import y\n"})
    done = updated(world)
    assert done.paths == {"src/utils/__init__.py": "kept-deleted"}
    assert world.read("src/mine/__init__.py") == header
    assert "your 'src/mine/__init__.py' looks like it" in told(done, "src/utils/__init__.py")


def test_A7_nor_does_it_where_no_other_file_has_it(world):
    world.release("1.0.0", {"a": LONG, "src/utils/__init__.py": HEADER})
    world.new()
    world.edit({"src/utils/__init__.py": None, "src/mine/__init__.py": HEADER})
    world.release("1.1.0", {"a": LONG, "src/utils/__init__.py": HEADER + "from .x import y\n"})
    done = updated(world)
    assert done.paths == {"src/utils/__init__.py": "kept-deleted"}
    assert "looks like it" in told(done, "src/utils/__init__.py")
    assert world.read("src/mine/__init__.py") == HEADER


def test_A7_a_longer_header_above_other_code_is_no_likeness(world):
    header = (
        '"""\n' + "".join(f"Clause {i} of the licence of this file.\n" for i in range(20)) + '"""\n'
    )
    old = {"util.py": header + "import os\n\nprint(os.name)\n", "other.py": header + "x = 1\n"}
    world.release("1.0.0", old)
    world.new()
    world.edit({"util.py": None, "mine.py": header + "import sys\n\nprint(sys.path)\n"})
    world.release("1.1.0", {**old, "util.py": header + "import os\n\nprint(os.sep)\n"})
    done = updated(world)
    assert done.paths == {"util.py": "kept-deleted"}
    assert "your 'mine.py' looks like it" in told(done, "util.py")
    assert world.read("mine.py") == header + "import sys\n\nprint(sys.path)\n"


def test_A7_content_that_two_files_of_the_child_have_proves_nothing(world):
    world.release("1.0.0", {"a": LONG, "b": "b\n"})
    world.new()
    world.edit({"a": None, "one": LONG, "b": LONG})
    world.release("1.1.0", {"a": lines(20, {15: "theirs"}), "b": "b\n"})
    done = updated(world)
    assert done.paths == {"a": "kept-deleted", "b": "kept-yours"}
    assert "your 'one' looks like it" in told(done, "a")
    assert (world.read("one"), world.read("b")) == (LONG, LONG)


def test_A7_code_of_its_own_below_a_shared_header_is_still_found(world):
    code = "".join(f"def function_{i}():\n    return {i}\n" for i in range(9))
    files = {f"f{i}.py": f"{HEADER}value_{i} = {i}\n" for i in range(5)}
    world.release("1.0.0", {**files, "util.py": HEADER + code})
    world.new()
    world.edit({"util.py": None, "moved.py": HEADER + code + "MINE = 1\n", "own.py": HEADER})
    new = code.replace("return 3", "return 33")
    world.release("1.1.0", {**files, "util.py": HEADER + new})
    assert updated(world).paths == {"moved.py": "merged"}
    assert world.read("moved.py") == HEADER + new + "MINE = 1\n"


# ---------------------------------------------------------------- TOML


PROJECT = """\
[project]
name = "demo"
version = "1"

# one

# two

[tool.a]
x = 1
"""


@pytest.mark.parametrize("path", ["pyproject.toml", "conf/a.toml", "uv.lock", "Pipfile"])
def test_S_18_toml_that_no_longer_parses_after_a_clean_merge_is_a_warning(world, path):
    table = "[tool.ruff]\nline-length = 100\n"
    world.release("1.0.0", {path: PROJECT})
    world.new()
    world.edit({path: PROJECT.replace("# one\n", table)})
    world.release("1.1.0", {path: PROJECT + "\n" + table})
    done = updated(world)
    assert done.paths == {path: "merged"}
    assert done.json["warnings"] == [f"'{path}' merged, but is no valid TOML any more: look at it"]


@pytest.mark.parametrize(
    "old,mine",
    [
        (PROJECT, PROJECT.replace("# one\n", "[tool.b]\ny = 2\n")),  # parses before and after
        (PROJECT + "[tool.a]\n", PROJECT.replace("# one\n", "# mine\n") + "[tool.a]\n"),  # never
    ],
    ids=["valid", "never valid"],
)
def test_S_18_no_warning_where_the_merge_broke_nothing(world, old, mine):
    world.release("1.0.0", {"pyproject.toml": old})
    world.new()
    world.edit({"pyproject.toml": mine})
    world.release("1.1.0", {"pyproject.toml": old.replace("x = 1", "x = 2")})
    done = updated(world)
    assert (done.paths, done.json["warnings"]) == ({"pyproject.toml": "merged"}, [])
