"""Every scenario, with the invariants that hold in all of them."""

import re
import subprocess

import pytest

from .scenarios import SCENARIOS
from .world import RECORD, STRATEGIES, assert_sound, files_on_disk, git_files, put, snapshot


def prepare(world, scenario):
    world.release("1.0.0", scenario.old, template=scenario.old_template)
    world.new()
    if scenario.child:
        world.edit(scenario.child)
    if scenario.yours:
        text = world.read(RECORD).replace("yours: []", "yours:")
        text += "".join(f'  - "{glob}"\n' for glob in scenario.yours)
        world.edit({RECORD: text})
    world.release("1.1.0", scenario.new, template=scenario.new_template)


def on_disk(path):
    if path.is_symlink():
        return ("l", str(path.readlink()))
    if not path.is_file():
        return None
    content = path.read_bytes()
    return ("x", content) if path.stat().st_mode & 0o100 else content


def as_bytes(content):
    if isinstance(content, tuple):
        mode, text = content
        return content if mode == "l" else (mode, text.encode() if isinstance(text, str) else text)
    return content.encode() if isinstance(content, str) else content


def assert_nothing_lost(world, document, base, child, child_dir):
    """I1: what is not where it was is explained by one line, and the child's lines are there."""
    lines = document["paths"]
    texts = world.objects({blob for _, blob in (*child.values(), *base.values())})
    for path, (mode, blob) in child.items():
        if path == RECORD or mode in ("120000", "160000"):
            continue
        was = texts[blob][1]
        now = on_disk(child_dir / path)
        if now is not None and (now[1] if isinstance(now, tuple) else now) == was:
            continue
        told = [ln for ln in lines if path == ln["from_path"]]
        told = told or [ln for ln in lines if path == ln["path"]]
        assert len(told) == 1, (path, told)
        line = told[0]
        place = child_dir / line["path"]
        origin = base.get(path) or base.get(line["from_path"])
        if line["state"] in ("updated", "deleted"):
            assert (origin and origin[1] == blob) or line["from_path"], line
            continue
        assert line["state"] in ("conflict", "merged", "renamed"), line
        aside = child_dir / (path + "~HEAD")
        text = (aside if aside.is_file() else place).read_bytes()
        if b"\0" in was:
            assert text == was, path
        old = texts[origin[1]][1] if origin else b""
        assert set(was.splitlines()) - set(old.splitlines()) <= set(text.splitlines()), path


def assert_every_path_told(world, document, base, child):
    """Where child, base and new render differ there is one line, and no path has two."""
    new = world.listing(world.pseudoref if document["exit"] == 5 else render_ref(world))
    told = [ln["path"] for ln in document["paths"]]
    told += [ln["from_path"] for ln in document["paths"] if ln["from_path"]]
    notes = " ".join(ln["note"] or "" for ln in document["paths"])
    for path in (base.keys() | new.keys()) - {RECORD}:
        sides = {base.get(path), child.get(path), new.get(path)}
        if len(sides) > 1:
            assert path in told or f"'{path}'" in notes, (path, document["paths"])
    states = [ln["path"] for ln in document["paths"]]
    assert len(states) == len(set(states))


def render_ref(world):
    tree = re.search(r"tree: \"?([0-9a-f]{40})", world.read(RECORD)).group(1)
    return f"refs/tmplgen/base/{tree}"


def assert_stages(world, conflicts):
    found = {}
    for line in world.git("ls-files", "-u").splitlines():
        meta, path = line.split("\t")
        found.setdefault(path, set()).add(meta.split(" ")[2])
    assert sorted(found) == sorted(conflicts), found


def assert_conflict_state(world, scenario):
    assert_stages(world, scenario.conflicts)
    git_dir = world.child / ".git"
    assert (git_dir / world.pseudoref).exists()
    assert f"git {world.git_command} --abort" in world.git("status")
    staged = world.git("diff", "--cached", "--name-only").splitlines()
    assert RECORD in staged
    text = (git_dir / "MERGE_MSG").read_text()
    assert text.startswith("Update template app of demo from 1.0.0 to 1.1.0\n")


def assert_idempotent(world):
    """I2: a second run writes nothing."""
    before = (files_on_disk(world.child, times=True), git_files(world.child / ".git"))
    again = world.update()
    assert (again.code, again.json["result"]) == (0, "up-to-date"), again.out
    assert (files_on_disk(world.child, times=True), git_files(world.child / ".git")) == before


def assert_dry_run_tells_the_truth(world, scenario):
    """`--dry-run` foresees the report and touches nothing."""
    before = (files_on_disk(world.child, times=True), git_files(world.child / ".git"))
    dry = world.update("--dry-run", *scenario.args)
    assert (files_on_disk(world.child, times=True), git_files(world.child / ".git")) == before
    return dry


def resolve(world):
    """As a user would: the file as it stands, without its markers."""
    for path in sorted(set(world.git("diff", "--name-only", "--diff-filter=U").splitlines())):
        target = world.child / path
        if not target.exists() and not target.is_symlink():
            # `git add` of a link has settled what was below it
            world.git("rm", "-q", "--cached", "--ignore-unmatch", "--", path)
            continue
        if target.is_file() and not target.is_symlink():
            marks = (b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>")
            lines = target.read_bytes().splitlines(True)
            target.write_bytes(b"".join(ln for ln in lines if not ln.startswith(marks)))
        world.git("add", "--", path)


def run_in_copy(world, name, scenario, env):
    """The same update of the same child, in other surroundings: its tree."""
    child = world.copy(name)
    world.git("config", "user.name", "Somebody Else", cwd=child)
    world.git("config", "core.hooksPath", str(world.folder / "hooks"), cwd=child)
    world.git("config", "merge.conflictStyle", "merge", cwd=child)
    world.git("config", "diff.renames", "copies", cwd=child)
    world.git("config", "core.quotePath", "true", cwd=child)
    command = ["sh", "-c", 'umask 077; exec "$@"', "sh"]
    args = ("--strategy", "pick", *scenario.args)
    done = world.update(*args, child=child, env=env, prefix=command, cwd="/")
    return done, world.git("ls-files", "-s", cwd=child)


def each_scenario(*strategies):
    """With each strategy; what names none is by pick."""
    found = {
        scenario.id if strategy == "pick" else f"{scenario.id}-{strategy}": (strategy, scenario)
        for strategy in strategies
        for scenario in SCENARIOS
    }
    return pytest.mark.parametrize(("strategy", "scenario"), found.values(), ids=found)


@pytest.mark.turns(22)
@each_scenario(*STRATEGIES)
def test_scenario(world, strategy, scenario):
    """What comes out is, under every strategy, what `pick` makes of it elsewhere."""
    world.strategy = strategy
    prepare(world, scenario)
    old = snapshot(world)
    head = world.git("rev-parse", "HEAD")
    child = world.listing()
    hooks = world.folder / "hooks"
    put(hooks, dict.fromkeys(("pre-commit", "post-checkout"), ("x", "#!/bin/sh\nexit 1\n")))
    elsewhere, its_index = run_in_copy(
        world, "elsewhere", scenario, {"LC_ALL": "C", "TZ": "Asia/Kathmandu", "LANG": "tr_TR"}
    )
    dry = assert_dry_run_tells_the_truth(world, scenario)
    done = world.update(*scenario.args)

    document = done.json
    expected = (5, "conflicts") if scenario.conflicts else (0, "updated")
    assert (done.code, document["result"]) == expected, done.out
    assert done.paths == scenario.paths
    assert {ln["path"] for ln in document["paths"]} == set(scenario.paths)
    assert dry.code == done.code
    assert dry.json["paths"] == document["paths"]
    assert elsewhere.code == done.code
    assert elsewhere.json["paths"] == document["paths"]
    for path, content in scenario.files.items():
        assert on_disk(world.child / path) == (content if content is None else as_bytes(content)), (
            path
        )
    assert_nothing_lost(world, document, base_listing(world), child, world.child)
    assert_every_path_told(world, document, base_listing(world), child)
    if scenario.warning:
        assert any(scenario.warning in text for text in document["warnings"]), document["warnings"]

    assert world.git("ls-files", "-s") == its_index
    if not scenario.conflicts:
        assert_landed(world, head)
        assert world.git("status", "--porcelain") == ""
        assert world.git("diff-files") == ""
        assert_sound(world)
        assert_idempotent(world)
        return
    assert_conflict_state(world, scenario)
    check_ways_out(world, scenario, old, head)


def settle(world):
    """Every stop of a rebase is resolved and continued."""
    for _ in range(3):
        resolve(world)
        done = world.update("--continue")
        assert done.code in (0, 5), done.out
        if done.code == 0:
            return done
    raise AssertionError("more stops than there are commits")


@pytest.mark.turns(10)
@each_scenario("rebase")
def test_scenario_replayed(world, strategy, scenario):
    """The child's commits on the new base end in what `pick` makes of it, or stop where it does."""
    world.strategy = strategy
    prepare(world, scenario)
    if "--restore" in scenario.args:
        done = world.update(*scenario.args)
        assert (done.code, done.error["code"]) == (2, "usage"), done.out
        return
    old, there = snapshot(world), world.copy("there")
    picked = world.update("--strategy", "pick", *scenario.args, child=there)
    dry = assert_dry_run_tells_the_truth(world, scenario)
    done = world.update(*scenario.args)
    assert done.code == dry.code == picked.code, done.out
    if scenario.conflicts:
        assert world.update("--abort").code == 0
        assert snapshot(world) == old
        assert_sound(world)
        assert world.update(*scenario.args).code == 5
        assert settle(world).json["result"] == "updated"
    else:
        assert done.json["paths"] == picked.json["paths"] == dry.json["paths"]
        assert world.git("ls-files", "-s") == world.git("ls-files", "-s", cwd=there)
    assert 'version: "1.1.0"' in world.read(RECORD)
    assert world.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert world.git("status", "--porcelain") == ""
    assert_sound(world)
    assert_idempotent(world)


def assert_landed(world, head):
    """What the strategy makes of it: on top of what was there."""
    parents = world.git("show", "-s", "--format=%P").split()
    merged = [world.git("rev-parse", render_ref(world))] if world.strategy == "merge" else []
    assert parents == [head, *merged]


def base_listing(world):
    """What the first commit rendered to: the base of every scenario."""
    root = world.git("rev-list", "--first-parent", "--max-parents=0", "HEAD").splitlines()[-1]
    return world.listing(rev=root)


def check_ways_out(world, scenario, old, head):
    """Both programs abort exactly and continue alike."""
    refused = world.update()
    assert (refused.code, refused.error["code"]) == (3, "update-in-progress")
    aborted = world.tmplgen("update", "--abort", "--json", cwd=world.child)
    assert (aborted.code, aborted.json["result"]) == (0, "aborted"), aborted.out
    assert snapshot(world) == old
    assert_sound(world)

    again = world.update(*scenario.args)
    assert again.code == 5
    world.git(world.git_command, "--abort")
    assert snapshot(world) == old
    assert_sound_but_pending(world)

    assert world.update(*scenario.args).code == 5
    unresolved = world.tmplgen("update", "--continue", "--json", cwd=world.child)
    assert (unresolved.code, unresolved.json["result"]) == (5, "conflicts")
    resolve(world)
    resolved = world.git("write-tree")
    done = world.tmplgen("update", "--continue", "--json", cwd=world.child)
    assert (done.code, done.json["result"]) == (0, "updated"), done.out
    assert world.git("rev-parse", "HEAD^{tree}") == resolved
    assert_landed(world, head)
    assert world.git("status", "--porcelain") == ""
    subject = "Update template app of demo from 1.0.0 to 1.1.0"
    assert world.git("log", "-1", "--format=%s%n%b%an") == f"{subject}\nAnn"
    assert_sound(world)
    assert_idempotent(world)
    ours = world.git("cat-file", "commit", "HEAD")

    world.git("reset", "-q", "--hard", head)
    assert world.update(*scenario.args).code == 5
    resolve(world)
    world.git(world.git_command, "--continue")
    assert world.git("rev-parse", "HEAD^{tree}") == resolved
    theirs = world.git("cat-file", "commit", "HEAD")
    assert strip_times(ours) == strip_times(theirs)
    assert (world.update().code, world.update().json["result"]) == (0, "up-to-date")
    assert_sound(world)


def strip_times(commit):
    """A commit without its dates, and without what git's clean-up of messages trims."""
    lines = [
        ln.rsplit(" ", 2)[0] if ln.startswith(("author", "committer")) else ln
        for ln in commit.splitlines()
    ]
    return "\n".join(lines).rstrip("\n")


def assert_sound_but_pending(world):
    """After git's own abort only what tmplgen remembers of the run is left."""
    done = world.git("fsck", "--strict", "--no-dangling", check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    left = subprocess.run(
        ["find", ".git", "-name", "*.lock"], cwd=world.child, capture_output=True, check=True
    )
    assert left.stdout == b""
