"""What a new version brings: CHANGELOG.md and notes of migrations, in reports and commits."""

import os
import re
import shutil

import pytest

from .scenarios import LONG, lines
from .world import TEMPLATE, put

THEIRS = lines(20, {5: "theirs"})
CHANGES = """\
# Changelog

## [Unreleased]

- not yet

## [1.2.0] - 2026-01-02

### Added

- A thing (#12), thanks @bob

```
## 1.1.5
```

## 1.1.0-rc.1

- candidate

## v1.1.0, a good one

- middle

## [1.0.0]

- the first

[1.2.0]: https://example.com/1.2.0
"""


def update_to(world, changes, *args, version="1.2.0", template=TEMPLATE, mine=False):
    world.release("1.0.0", {"a": LONG})
    world.new()
    if mine:
        world.edit({"a": lines(20, {5: "mine"})})
    world.release(version, {"a": THEIRS}, template=template, **{"CHANGELOG.md": changes})
    return world.update(*args)


def body(world, rev="HEAD"):
    return world.git("log", "-1", "--format=%B", rev)


def test_sections_between_the_versions_are_told_newest_first(world):
    done = update_to(world, CHANGES)
    notes = [(note["version"], note["from"]) for note in done.json["notes"]]
    assert notes == [(v, "changelog") for v in ("1.2.0", "1.1.0", "1.1.0-rc.1")]
    text = done.json["notes"][0]["text"]
    assert text == "Added:\n- A thing (#12), thanks @bob\n\n```\n1.1.5:\n```\n"
    assert "first" not in str(notes) and "not yet" not in done.out


@pytest.mark.parametrize("args", [("--check",), ("--dry-run",)])
def test_notes_are_told_before_anything_is_changed(world, args):
    done = update_to(world, CHANGES, *args)
    assert [note["version"] for note in done.json["notes"]] == ["1.2.0", "1.1.0", "1.1.0-rc.1"]
    words = world.tmplgen("update", world.child, *args).out
    assert "New in 1.2.0:\n  Added:\n  - A thing" in words


def test_a_pre_release_is_between_its_release_and_the_one_before(world):
    done = update_to(world, CHANGES, "--prerelease", version="1.1.0-rc.1")
    assert [note["version"] for note in done.json["notes"]] == ["1.1.0-rc.1"]
    world.release("1.2.0", {"a": LONG}, **{"CHANGELOG.md": CHANGES})
    done = world.update()
    assert [note["version"] for note in done.json["notes"]] == ["1.2.0", "1.1.0"]


def test_commit_has_the_notes_and_no_one_elses_issue_or_name(world):
    update_to(world, CHANGES)
    text = body(world)
    assert text.startswith("Update template app of demo from 1.0.0 to 1.2.0\n\nNew in 1.2.0:\n\n")
    assert "\n  Added:\n  - A thing (# 12), thanks @ bob\n" in text
    assert "\n#" not in text


def test_no_form_of_a_reference_is_one_in_the_commit(world):
    forms = ("#1", "o/r#1", "!1", "GH-1", "gh-1", "https://x.org/o/r/issues/1", "x/o/r/pull/1")
    forms += ("https://x.org/g/p/-/merge_requests/1", "x/-/work_items/1", "@ann", "o/r@ann")
    changes = "## 1.2.0\n\n" + "".join(f"- Fixes {form}\n" for form in forms)
    update_to(world, changes + "- High-5, 1/2, https://x.org/1\n")
    text = body(world)
    assert not re.search(r"[#!]\d|\bgh-\d|(issues|pull|requests|items)/\d", text, re.IGNORECASE)
    assert "Fixes GH- 1\n" in text and "/issues/ 1\n" in text
    assert "High-5, 1/2, https://x.org/1" in text


def test_notes_of_a_migration_are_told_where_it_applies(world):
    template = (
        TEMPLATE
        + """\
migrations:
  - {from: "<1.1", note: "Set TOKEN first.\\n\\n# Then restart."}
  - {from: ">=1.1", note: "never"}
"""
    )
    done = update_to(world, CHANGES, template=template)
    first = done.json["notes"][0]
    assert first == {
        "version": None,
        "from": "migration",
        "text": "Set TOKEN first.\n\nThen restart.:\n",
    }
    assert "\nTo know:\n\n  Set TOKEN first.\n" in body(world)
    assert "never" not in done.out


def test_a_note_must_be_a_text(world):
    template = TEMPLATE + 'migrations:\n  - {from: "<9", note: [a]}\n'
    done = update_to(world, CHANGES, template=template)
    assert (done.code, done.error["where"]["line"]) == (2, 4)


@pytest.mark.parametrize("comment", ["#", ";", "-", "auto"])
def test_notes_survive_git_commit_of_a_conflict(world, comment):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.git("config", "core.commentChar", comment)
    world.edit({"a": lines(20, {5: "mine"})})
    world.release("1.2.0", {"a": THEIRS}, **{"CHANGELOG.md": CHANGES})
    assert world.update("--signoff").code == 5
    put(world.child, {"a": "resolved\n"})
    world.git("add", "a")
    world.git("commit", "-q", "--cleanup=strip", env={"GIT_EDITOR": "true"})
    text = body(world)
    assert "\n  Added:\n  - A thing (# 12), thanks @ bob\n" in text
    assert text.endswith("\n\nSigned-off-by: Ann <ann@example.com>")
    assert "Conflicts:" not in text


def test_message_takes_the_subjects_place_and_signoff_is_gits(world):
    update_to(world, CHANGES, "--message", "chore: update\n\n# why", "--signoff")
    text = body(world)
    assert text.startswith("chore: update\n\n# why\n\nNew in 1.2.0:\n")
    world.git("commit", "-q", "--amend", "--signoff", "--no-edit")
    assert body(world) == text
    trailers = world.git("log", "-1", "--format=%(trailers:only)")
    assert trailers == "Signed-off-by: Ann <ann@example.com>"


@pytest.mark.parametrize("how", ["--continue", "commit"])
def test_message_and_signoff_of_what_is_staged(world, how):
    update_to(world, CHANGES, "--no-commit", "--message", "#1 chore", "--signoff")
    if how == "commit":
        world.git("commit", "-q", "--cleanup=strip", env={"GIT_EDITOR": "true"})
    else:
        assert world.update("--continue").code == 0
    text = body(world).strip()
    assert text.startswith("#1 chore\n\nNew in 1.2.0:\n")
    assert text.endswith("\n\nSigned-off-by: Ann <ann@example.com>")


# ---------------------------------------------------------------- hostile


def test_control_bytes_are_masked_and_trailers_are_none(world):
    text = (
        "## 1.2.0\n\n- \x1b[31mred\x07 \u202eevil\n\tx\n\nCo-authored-by: Eve <eve@example.com>\n"
    )
    done = update_to(world, text.encode() + b"\xff\xfe bytes\r\n")
    told = done.json["notes"][0]["text"]
    assert r"\x1B[31mred\x07 \u202Eevil" in told and r"\xFF\xFE bytes" in told
    assert "\n    x\n" in told and "\x1b" not in world.tmplgen("status", world.child).out
    assert world.git("log", "-1", "--format=%(trailers:only)") == ""


def test_a_long_changelog_is_cut_and_says_where_the_rest_is(world):
    text = "## 1.2.0\n" + "".join(f"- {i} {'x' * 1000}é\n" for i in range(900))
    done = update_to(world, text)
    told = done.json["notes"][0]["text"]
    assert len(told.splitlines()) == 101 and len(told) < 50000
    assert told.endswith("... see CHANGELOG.md of the catalog\n")
    assert len(body(world)) < 50000


def test_a_changelog_that_is_too_large_is_a_warning(world):
    done = update_to(world, "## 1.2.0\n" + "x" * (1 << 20))
    assert (done.code, done.json["notes"]) == (0, [])
    assert any("what is new is not known" in warning for warning in done.json["warnings"])


@pytest.mark.parametrize("kind", ["link", "folder", "pipe"])
@pytest.mark.parametrize("git", [True, False])
def test_a_changelog_that_is_no_file_is_none(world, git, kind):
    world.release("1.0.0", {"a": LONG})
    if not git:
        shutil.rmtree(world.catalog / ".git")
    world.new()
    path = "CHANGELOG.md/x" if kind == "folder" else "CHANGELOG.md"
    link = ("l", "/etc/passwd") if kind == "link" else "## 1.2.0\n- x\n"
    files = {"catalog.yml": "name: demo\nversion: 1.2.0\n", path: link}
    put(world.catalog, files | {"templates/app/files/a": THEIRS})
    if kind == "pipe":
        (world.catalog / path).unlink()
        os.mkfifo(world.catalog / path)
    if git:
        world.commit("1.2.0", cwd=world.catalog)
        world.git("tag", "v1.2.0", cwd=world.catalog)
    done = world.update()
    assert (done.code, done.json["result"], done.json["notes"]) == (0, "updated", [])


@pytest.mark.parametrize("changes", ["", "no heading\n", "## \n## [\n#\n", "## 1.2\n- x\n"])
def test_a_changelog_without_versions_is_no_news(world, changes):
    done = update_to(world, changes)
    assert (done.code, done.json["notes"], done.json["warnings"]) == (0, [], [])
