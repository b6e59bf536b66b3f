"""What `update` says: counts, conflicts, what is to be done. Its commands are run as they stand."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from .scenarios import LONG, lines
from .world import RECORD, TEMPLATE, assert_sound, put, snapshot

THEIRS = lines(20, {5: "theirs"})


@pytest.fixture
def many(world):
    """Each state once, and conflicts of four kinds."""
    world.release(
        "1.0.0",
        dict.fromkeys(("both", "same", "only", "gone", "kept", "dropped"), LONG) | {"d": LONG},
    )
    world.new()
    edits = {"both": lines(20, {5: "mine"}), "same": lines(20, {15: "mine"}), "kept": None}
    edits |= {"dropped": lines(20, {5: "mine"}), "d": lines(20, {5: "mine"})}
    world.edit(edits | {"link": ("l", "/nowhere"), "conf/x": "mine\n"})
    new = {"both": THEIRS, "same": THEIRS, "only": THEIRS, "kept": THEIRS, "new": "new\n"}
    world.release("1.1.0", new | {"d/x": "x\n", "link/y": "y\n", "conf": "file\n"})
    return world


def commands(text: str) -> list[str]:
    """Below `Next:`, each with what stands before two spaces or the end of the line."""
    block = text.split("\nNext:\n")[1].split("\n\n")[0]
    named = [line for line in block.splitlines() if line.startswith("  ") and line[2] != " "]
    return [line.strip().split("  ")[0] for line in named]


def run(world, command, check=True):
    words = shlex.split(command)
    if words[0] == "tmplgen":
        return world.tmplgen(*words[1:], cwd=world.child)
    env = {**world.env, "GIT_EDITOR": "true"}
    done = subprocess.run(words, cwd=world.child, env=env, capture_output=True, check=False)
    assert not check or done.returncode == 0, (command, done.stderr)
    return done


def test_report_begins_with_counts_and_conflicts_and_ends_with_what_to_do(many):
    done = many.tmplgen("update", many.child)
    assert done.code == 5
    blocks = done.out.split("\n\n")
    assert blocks[0] == (
        "Updated 1.0.0 -> 1.1.0, with conflicts\n"
        "11 files: 5 in conflict, 1 merged, 1 kept deleted, 1 deleted, 2 added, 1 updated"
    )
    title, *conflicts = blocks[1].splitlines()
    assert title == "Conflicts:"
    assert [line.split()[1].rstrip(":") for line in conflicts] == [
        "both",
        "conf",
        "d",
        "dropped",
        "link/y",
    ]
    assert "conflict " not in "\n\n".join(blocks[2:])
    assert blocks[-1].startswith(f"Next:\n  git -C {many.child} status\n")


def test_counts_are_those_of_the_paths(many):
    done = many.update("--dry-run")
    counts = dict(done.json["counts"])
    states = [line["state"] for line in done.json["paths"]]
    assert counts.pop("files") == len(states)
    assert counts == {state: states.count(state) for state in counts}
    assert set(states) <= set(counts)
    real = many.update()
    assert (real.json["paths"], real.json["counts"]) == (done.json["paths"], done.json["counts"])


def test_A8_every_command_that_resolves_a_conflict_works_as_printed(many):
    done = many.update()
    resolving = {p["path"]: p["resolve"] for p in done.json["paths"] if p["state"] == "conflict"}
    assert resolving["link/y"] == "git rm --cached -- link/y"
    assert resolving["conf"] == "git rm --cached -- conf"
    put(many.child, {"both": "resolved\n"})
    for command in resolving.values():
        run(many, command)
    assert many.git("ls-files", "-u") == ""
    assert many.git("ls-files", "conf/x") == "conf/x"
    done = many.update("--continue")
    assert (done.code, done.json["result"]) == (0, "updated")
    assert_sound(many)


def test_names_that_a_shell_would_take_apart_are_quoted(world):
    name = "it's a $(touch x) file"
    world.release("1.0.0", {name: LONG})
    world.new()
    world.edit({name: lines(20, {5: "mine"})})
    world.release("1.1.0", {name: THEIRS})
    done = world.update()
    put(world.child, {name: "resolved\n"})
    run(world, done.json["paths"][0]["resolve"])
    assert world.update("--continue").code == 0


def test_A5_finished_continue_reports_no_conflict(many):
    many.update()
    put(many.child, {"both": "resolved\n"})
    assert many.update("--continue").json["counts"]["conflict"] == 5
    many.git("rm", "-q", "--cached", "link/y", "conf")
    many.git("add", "both", "dropped", "d~HEAD")
    done = many.update("--continue")
    assert (done.code, done.json["result"], done.json["counts"]["conflict"]) == (0, "updated", 0)
    both = next(p for p in done.json["paths"] if p["path"] == "both")
    assert (both["state"], both["note"], both["resolve"]) == ("merged", "you resolved it", None)
    merged = {path for path, state in done.paths.items() if state == "merged"}
    assert merged == {"both", "d", "same"}  # d is a folder now, and yours is d~HEAD
    kept = {path for path, state in done.paths.items() if state == "kept-yours"}
    assert kept == {"conf", "dropped", "link/y"}


def test_A5_nor_does_one_after_git_committed_it(many):
    many.update()
    many.git("rm", "-q", "--cached", "link/y", "conf")
    put(many.child, {"both": "resolved\n"})
    many.git("add", "both", "dropped", "d~HEAD")
    many.git("cherry-pick", "--continue")
    done = many.update("--continue")
    assert (done.json["result"], done.json["counts"]["conflict"]) == ("up-to-date", 0)


def test_A8_abort_recalls_no_warning_of_what_is_undone(many):
    before = snapshot(many)
    assert any("d~HEAD" in warning for warning in many.update().json["warnings"])
    done = many.update("--abort")
    assert (done.json["result"], done.json["warnings"]) == ("aborted", [])
    assert snapshot(many) == before


def run_above(world, command):
    """In the folder above the child's."""
    words = shlex.split(command)
    if words[0] == "tmplgen":
        return world.tmplgen(*words[1:])
    env = {**world.env, "GIT_EDITOR": "true"}
    done = subprocess.run(words, cwd=world.folder, env=env, capture_output=True, check=False)
    assert done.returncode == 0, (command, done.stderr)
    return done


@pytest.mark.parametrize("path", ["child", "-a b"])
def test_next_commands_after_an_update_from_elsewhere_work_as_printed(world, path):
    child = world.folder / path
    world.release("1.0.0", {"a": LONG, "b": LONG})
    world.new().rename(child)
    world.edit({"a": lines(20, {5: "mine"}), "b": None}, child=child)
    world.release("1.1.0", {"a": THEIRS, "b": THEIRS})
    done = world.tmplgen("update", "--", path)
    assert done.code == 5
    status, add, go_on, abort = commands(done.out)
    run_above(world, status)
    assert f"(or: git -C {shlex.quote('./-a b') if ' ' in path else path} cherry" in done.out
    assert run_above(world, abort).code == 0
    assert world.tmplgen("update", "--", path).code == 5
    put(child, {"a": "resolved\n"})
    run_above(world, add.replace("PATH", "a"))
    done = run_above(world, go_on)
    assert done.code == 0
    for command in commands(done.out):
        run_above(world, command)


def test_next_command_of_a_look_has_all_that_was_given(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    for version in ("1.1.0", "1.2.0"):
        world.release(version, {"a": THEIRS})
    args = ("--to", "v1.1.0", "--branch", "topic", "--message", "It's time")
    out = world.tmplgen("update", "child", "--dry-run", "--verbose", *args).out
    (command,) = commands(out)
    assert shlex.split(command) == ["tmplgen", "update", "child", *args]
    out = world.tmplgen("update", "child", "--check", "--to", "v1.1.0").out
    dry, take = commands(out)
    assert shlex.split(dry) == ["tmplgen", "update", "child", "--dry-run", "--to", "v1.1.0"]
    assert take == "tmplgen update child --to v1.1.0"
    assert run_above(world, command).code == 0
    assert world.git("log", "-1", "--format=%s", "topic") == "It's time"
    assert "1.1.0" in world.read(RECORD)


@pytest.mark.parametrize("args", [(), ("--no-commit",), ("--branch", "topic")])
def test_every_next_command_of_a_clean_update_works(world, args):
    world.release("1.0.0", {"a": LONG, "b": LONG})
    world.new()
    world.edit({"b": None})
    world.release("1.1.0", {"a": THEIRS, "b": THEIRS})
    done = world.tmplgen("update", world.child, *args)
    shown = [c for c in commands(done.out) if " push REMOTE " not in c]
    assert shown
    for command in shown:
        run(world, command)
    if not args:
        show = next(c for c in shown if "refs/tmplgen/base" in c)
        assert run(world, show).stdout.decode() == THEIRS


def test_what_the_template_has_for_a_deleted_file_is_shown_under_its_new_name(world):
    moves = "migrations:\n  - {from: '<2', rename_files: {'a b': c}}\n"
    world.release("1.0.0", {"a b": LONG, "gone": LONG + "gone\n"})
    world.new()
    world.edit({"a b": None, "gone": None})
    world.release("1.1.0", {"c": THEIRS}, template=TEMPLATE + moves)
    done = world.update()
    see = {line["path"]: line["see"] for line in done.json["paths"]}
    assert run(world, see["a b"]).stdout.decode() == THEIRS
    assert see.get("gone") is None
    assert see["a b"] in [step["run"] for step in done.json["next"]]


def test_dry_run_of_a_conflict_below_a_link_deletes_no_link_in_its_diff(many):
    diff = many.update("--dry-run").json["diff"]
    assert "/nowhere" not in diff and "d~HEAD" in diff


# ---------------------------------------------------------------- status


def test_status_of_a_stopped_update_tells_the_childs_changes_from_the_templates(many):
    many.update()
    put(many.child, {"only": "edited since\n"})
    document = many.tmplgen("status", many.child, "--json").json
    theirs = {p["path"] for p in document["paths"] if p["from_update"]}
    assert theirs == {"d", "d/x", "gone", "new", "same"}
    assert document["warnings"] == []
    words = many.tmplgen("status", many.child)
    listed = {line.split()[1] for line in words.out.splitlines() if line.startswith("  ")}
    assert {"both", "only", "kept", "dropped"} <= listed and not listed & theirs
    assert "  5 files are as the update that waits has put them" in words.out
    put(many.child, {RECORD: many.read(RECORD) + "# mine\n"})
    document = many.tmplgen("status", many.child, "--json").json
    assert len(document["warnings"]) == 1 and RECORD in document["warnings"][0]


def test_status_without_a_waiting_update_has_nothing_of_one(many):
    document = many.tmplgen("status", many.child, "--json").json
    assert document["paths"] and not any(p["from_update"] for p in document["paths"])


def test_A8_every_command_that_a_message_names_exists(world):
    """'tmplgen update --continue' in the sources: the command, and each of its options."""
    sources = Path(__file__).resolve().parents[2] / "src"
    quoted = re.compile(r"'tmplgen ([a-z]+(?: (?:--)?[a-z-]+)*)")
    named = set()
    for path in sources.rglob("*.c"):
        text = re.sub(r'"\s*\n\s*"', "", path.read_text())
        named |= set(quoted.findall(text))
    assert {"update --continue", "new"} <= named
    commands = world.tmplgen("help", cwd=world.folder).out
    for line in sorted(named):
        words = [w for w in line.split() if not w.startswith("--")]
        known = [w for w in (words[:2], words[:1]) if f"  {' '.join(w)} " in commands]
        assert known, line
        text = world.tmplgen("help", *known[0]).out
        for option in re.findall(r"--[a-z-]+", line):
            assert f"  {option} " in text, line
