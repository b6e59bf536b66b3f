"""A rebase that goes through: files keep their rules, commits their words; the tree is pick's."""

import os

import pytest

from .scenarios import LONG, lines, template
from .test_rebase_random import commits_of, raw_commits
from .test_rebase_shapes import rebase, refused, replayed, states, subjects, write_commit
from .world import RECORD, assert_sound, put, stocked

MINE, THEIRS = lines(20, {5: "mine"}), lines(20, {15: "theirs"})
BOTH = lines(20, {5: "mine", 15: "theirs"})


def begun(world, old, *rules, **more):
    """A child of version 1.0.0 with one commit of its own."""
    world.release("1.0.0", old, template(*rules, **more))
    world.new()
    world.edit({"own/x": "x\n"}, "one")


def changed(world, rev="HEAD") -> list:
    """What a commit changed, but for its record."""
    return world.git("diff", "--name-only", "--no-renames", f"{rev}~1", rev).splitlines()


# ---------------------------------------------------------------- the rules of files


def test_a_seed_stays_the_childs(world):
    begun(world, {"seed": "old\n", "a": LONG}, "seed seed")
    world.edit({"seed": "mine\n"}, "its seed")
    world.edit({"seed": "mine, more\n"}, "and again")
    world.release("1.1.0", {"seed": "new\n", "a": THEIRS}, template("seed seed"))
    done = replayed(world)
    assert set(states(done).values()) == {"replayed"}
    assert world.read("seed") == "mine, more\n"
    assert world.git("show", "HEAD~1:seed") == "mine"


def test_a_managed_file_is_in_conflict_once_it_was_edited(world):
    rule = "managed m"
    begun(world, {"m": LONG}, rule)
    world.edit({"m": MINE}, "edits it")
    world.release("1.1.0", {"m": THEIRS}, template(rule))
    done = rebase(world)
    assert done.code == 5 and states(done)["edits it"] == "conflict", done.out


def test_yours_holds_for_every_commit(world):
    begun(world, {"a": LONG, "b": LONG})
    record = world.read(RECORD).replace("yours: []", "yours: [a]")
    assert "yours: [a]" in record
    world.edit({RECORD: record}, "a is ours")
    world.edit({"a": MINE}, "edits it")
    world.edit({"a": "all of it\n"}, "all of it")
    world.release("1.1.0", {"a": lines(20, {5: "theirs"}), "b": THEIRS})
    done = replayed(world)
    assert world.read("a") == "all of it\n"
    assert world.git("show", "HEAD~1:a") + "\n" == MINE
    assert states(done)["a is ours"] in ("replayed", "dropped")


def test_lines_of_both_are_kept_where_they_are_a_list(world):
    rule = "lines ignored"
    begun(world, {"ignored": "a\nb\n"}, rule)
    world.edit({"ignored": "a\nb\nmine\n"}, "mine")
    world.edit({"ignored": "a\nb\nmine\nmore\n"}, "more")
    world.release("1.1.0", {"ignored": "a\nb\ntheirs\n"}, template(rule))
    replayed(world)
    assert sorted(world.read("ignored").split()) == ["a", "b", "mine", "more", "theirs"]


def test_a_renamed_file_of_the_template_is_edited_under_its_new_name(world):
    begun(world, {"old/name": LONG, "b": LONG})
    world.edit({"old/name": lines(20, {3: "mine"})}, "edits it")
    world.edit({"old/name": lines(20, {3: "mine", 18: "more"})}, "edits more")
    moved = template(migrations="  - {from: '<1.1', rename_files: {old/name: new/name}}\n")
    world.release("1.1.0", {"new/name": lines(20, {10: "theirs"}), "b": LONG}, moved)
    replayed(world)
    assert changed(world) == ["new/name"]
    assert world.read("new/name") == lines(20, {3: "mine", 10: "theirs", 18: "more"})


def test_a_file_that_the_child_renamed_is_followed(world):
    begun(world, {"a": LONG, "b": "b\n"})
    world.edit({"src/a": {"from": "a"}}, "moves it")
    world.edit({"src/a": MINE}, "edits it there")
    world.release("1.1.0", {"a": THEIRS, "b": "b\n"})
    replayed(world)
    assert world.read("src/a") == BOTH
    assert sorted(changed(world, "HEAD~1")) == ["a", "src/a"]


def test_what_the_child_deleted_stays_deleted(world):
    begun(world, {"a": LONG, "b": LONG})
    world.edit({"a": None}, "without it")
    world.edit({"own/y": "y\n"}, "two")
    world.release("1.1.0", {"a": THEIRS, "b": THEIRS})
    done = replayed(world)
    assert not (world.child / "a").exists()
    assert changed(world, "HEAD~1") == ["a"]
    assert states(done)["without it"] == "replayed"


def test_what_was_deleted_and_written_anew_is_the_childs(world):
    begun(world, {"a": LONG, "b": LONG})
    world.edit({"a": None}, "without it")
    world.edit({"a": "something else\n"}, "with one of its own")
    world.release("1.1.0", {"a": LONG, "b": THEIRS})
    replayed(world)
    assert world.read("a") == "something else\n"


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_line_endings_are_the_childs(world, end):
    begun(world, {"a": LONG})
    world.edit({".gitattributes": "* -text\n", "a": LONG.replace("\n", "\r\n")}, "CRLF")
    world.edit({"a": MINE.replace("\n", end)}, "edits it")
    world.release("1.1.0", {"a": THEIRS})
    replayed(world)
    assert world.read("a") == BOTH.replace("\n", end)


def test_modes_links_and_binaries(world):
    begun(world, {"run": "#!/bin/sh\n", "bin": b"\0old", "a": LONG})
    world.edit({"to": ("l", "run")}, "a link")
    world.edit({"run": ("x", "#!/bin/sh\n")}, "executable")
    world.edit({"to": ("l", "elsewhere")}, "another target")
    world.edit({"bin": b"\0mine"}, "binary")
    world.edit({"own/to": ("l", "../a"), "own/bin": b"\0\1"}, "of its own")
    world.release("1.1.0", {"run": "#!/bin/sh\nexit\n", "bin": b"\0old", "a": THEIRS})
    replayed(world)
    listed = {path: mode for path, (mode, _) in world.listing().items()}
    assert (listed["run"], listed["to"], listed["own/to"]) == ("100755", "120000", "120000")
    assert world.read("run") == "#!/bin/sh\nexit\n"
    assert (world.child / "bin").read_bytes() == b"\0mine"
    assert os.readlink(world.child / "to") == "elsewhere"


def test_a_submodule_is_carried_along(world):
    begun(world, {"a": LONG})
    commit = world.git("rev-parse", "HEAD")
    world.git("update-index", "--add", "--cacheinfo", f"160000,{commit},lib")
    world.git("commit", "-q", "-m", "a submodule")
    (world.child / "lib").mkdir()
    world.edit({"a": MINE}, "edits")
    world.release("1.1.0", {"a": THEIRS})
    replayed(world)
    assert world.listing()["lib"] == ("160000", commit)
    assert changed(world, "HEAD~1") == ["lib"]


def test_another_child_in_a_folder_is_left_alone(world):
    begun(world, {"a": LONG, "b": LONG})
    world.new("--commit", path=world.child / "nested")
    world.edit({"nested/a": MINE}, "edits the nested one")
    nested = {path: leaf for path, leaf in world.listing().items() if path.startswith("nested/")}
    assert len(nested) >= 3
    world.release("1.1.0", {"a": THEIRS})
    replayed(world)
    assert {p: leaf for p, leaf in world.listing().items() if p.startswith("nested/")} == nested


def test_where_the_tree_is_not_picks_it_is_refused(world):
    """Deleted, it stays so; brought back, it is a new file, with nothing of the new version."""
    begun(world, {"a": LONG, "b": "b\n"})
    world.edit({"a": None}, "without it")
    world.git("revert", "--no-edit", "HEAD")
    world.release("1.1.0", {"a": THEIRS, "b": "b\n"})
    error = refused(world, "differs-from-pick")
    assert error["message"].endswith(": 'a'"), error
    assert "without --strategy rebase" in error["hint"]


# ---------------------------------------------------------------- one after another

ASKS = template(questions="  - {name: who, type: str, default: nobody}\n")


def test_what_is_not_picks_behind_a_stop_is_told(world):
    """A person was asked about one file; another one differs, too."""
    begun(world, {"a": LONG, "b": LONG})
    world.edit({"a": None}, "without it")
    world.git("revert", "--no-edit", "HEAD")
    world.edit({"b": MINE}, "mine")
    world.release("1.1.0", {"a": THEIRS, "b": lines(20, {5: "theirs"})})
    assert rebase(world).code == 5
    put(world.child, {"b": "both\n"})
    world.git("add", "b")
    done = world.update("--continue")
    told = [text for text in done.json["warnings"] if "pick" in text]
    assert (done.code, len(told)) == (0, 1), done.out
    assert "'a'" in told[0]
    assert world.read("a") == LONG


def three(world):
    """Three versions, of which each changes lines of its own; the last is what is released last."""
    texts = [LONG, THEIRS, lines(20, {10: "newer", 15: "theirs"})]
    begun(world, {"a": texts[0], "gone": lines(12, {1: "gone"})})
    world.edit({"a": MINE}, "edits")
    for number in (1, 2):
        yield
        world.release(f"1.{number}.0", {"a": texts[number], f"new/{number}": f"{number}\n"})
    yield


ALL = lines(20, {5: "mine", 10: "newer", 15: "theirs"})


@pytest.mark.parametrize("first", ["pick", "rebase"])
@pytest.mark.parametrize("second", ["pick", "merge", "rebase"])
def test_strategies_take_turns(world, first, second):
    versions = three(world)
    next(versions)
    next(versions)
    assert world.update("--strategy", first).code == 0
    world.edit({"own/z": "z\n"}, "between")
    next(versions)
    copy = world.copy("picked")
    assert world.update("--strategy", "pick", child=copy).code == 0
    done = world.update("--strategy", second)
    assert (done.code, done.json["result"]) == (0, "updated"), done.out
    assert world.tree() == world.tree(copy)
    assert world.read("a") == ALL
    assert_sound(world)


def test_a_third_rebase_is_like_the_first(world):
    versions = three(world)
    next(versions)
    for number in (1, 2, 3):
        if number < 3:
            next(versions)
        else:
            world.release("1.3.0", {"a": lines(20, {10: "newest"}), "new/2": "2\n"})
        done = replayed(world, equal=False)
        assert set(states(done).values()) == {"replayed"}, number
        assert subjects(world)[2:] == ["one", "edits", *["more"] * (number - 1)]
        world.edit({f"own/{number}": "more\n"}, "more")
    assert world.read("a") == lines(20, {5: "mine", 10: "newest"})


def test_after_a_merge_it_is_refused_by_name(world):
    versions = three(world)
    next(versions)
    next(versions)
    assert world.update("--strategy", "merge").code == 0
    merge = world.git("rev-parse", "HEAD")
    world.edit({"own/z": "z\n"}, "between")
    next(versions)
    error = refused(world, "merge-in-range")
    assert merge[:10] in error["message"] and "Update template" in error["message"], error


def test_several_updates_are_dissolved(world):
    """And what was written between and behind them stays in its order."""
    versions = three(world)
    next(versions)
    for number in (1, 2):
        next(versions)
        assert world.update().code == 0
        world.edit({f"own/{number}": "x\n"}, f"behind {number}")
    world.release("1.3.0", {"a": lines(20, {10: "newest"}), "new/2": "2\n"})
    done = replayed(world)
    dropped = {subject for subject, state in states(done).items() if state == "dropped"}
    assert len(dropped) == 2 and all("Update template" in subject for subject in dropped)
    notes = [entry["note"] for entry in done.json["commits"] if entry["state"] == "dropped"]
    assert ["1.1.0" in notes[0], "1.2.0" in notes[1]] == [True, True], notes
    assert subjects(world)[2:] == ["one", "edits", "behind 1", "behind 2"]


def test_a_child_that_took_one_update_back(world):
    """Its record goes back with `git revert`, and the next update brings it all again."""
    versions = three(world)
    next(versions)
    next(versions)
    assert world.update().code == 0
    world.git("revert", "--no-edit", "HEAD")
    world.edit({"own/z": "z\n"}, "last")
    next(versions)
    done = replayed(world)
    assert world.read("a") == ALL
    assert states(done)["last"] == "replayed"


def test_an_update_after_answers_alone_is_dissolved_too(world):
    world.release("1.0.0", {"a.j2": "{{ who }}\n", "b": LONG}, ASKS)
    world.new()
    world.edit({"b": MINE}, "one")
    done = world.update("--set", "who=ann")
    assert (done.code, done.json["result"]) == (0, "updated"), done.out
    world.edit({"own/z": "z\n"}, "two")
    world.release("1.1.0", {"a.j2": "{{ who }}\n", "b": THEIRS}, ASKS)
    done = replayed(world)
    assert list(states(done).values()) == ["replayed", "replayed", "dropped", "replayed"]
    assert (world.read("a"), world.read("b")) == ("ann\n", BOTH)


def test_answers_alone_can_be_rebased(world):
    world.release("1.0.0", {"a.j2": "{{ who }}\n", "b": LONG}, ASKS)
    world.new()
    world.edit({"b": MINE}, "one")
    done = replayed_with(world, "--set", "who=ann")
    assert set(states(done).values()) == {"replayed"}
    assert world.read("a") == "ann\n"


def replayed_with(world, *args):
    copy = world.copy("picked")
    assert world.update(*args, child=copy).code == 0
    done = replayed(world, *args, equal=False)
    assert world.tree() == world.tree(copy)
    return done


# ---------------------------------------------------------------- commits of any kind

MAIN = "refs/heads/main"


@stocked
def ready(world):
    """One commit of its own, and a newer version that conflicts with nothing."""
    begun(world, {"a": LONG, "b": LONG})
    world.edit({"a": MINE}, "two")
    world.release("1.1.0", {"a": THEIRS, "b": LONG})


def object_of(world, text: bytes) -> str:
    """A commit as it is written, with whatever is in it, on the branch."""
    oid = world.git("hash-object", "-t", "commit", "-w", "--literally", "--stdin", stdin=text)
    world.git("update-ref", MAIN, oid)
    return oid


AUTHORS = {
    "no-name": b" <nobody@example.com> 1600000000 +0000",
    "no-address": b"Nobody <> 1600000000 -1130",
    "before-1970": b"Old <old@example.com> -86400 +0000",
    "far-zone": b"Far <far@example.com> 1600000000 +1400",
    "no-such-zone": b"Far <far@example.com> 1600000000 +9999",
    "not-utf-8": b"J\xf6rg <j\xf6rg@example.com> 1600000000 +0100",
    "far-future": b"Late <late@example.com> 99999999999 +0000",
}


def test_authors_are_kept_to_the_byte(ready):
    for author in AUTHORS.values():
        tree, tip = ready.git("rev-parse", "HEAD^{tree}", "HEAD").split()
        head = f"tree {tree}\nparent {tip}\nauthor ".encode() + author
        object_of(ready, head + b"\ncommitter Ann <ann@example.com> 1600000000 +0000\n\nodd\n")
    done = rebase(ready)
    assert done.code == 0, done.out
    raw = raw_commits(ready, ready.child, commits_of(ready, ready.child)[-len(AUTHORS) :])
    assert [headers["author"] for headers, _ in raw.values()] == [[it] for it in AUTHORS.values()]


MESSAGES = {
    "empty": b"",
    "no-end-of-line": b"subject",
    "spaces": b"  subject  \n\n\n\tbody\n\n\n",
    "comments": b"subject\n\n# not a comment\n",
    "escapes": b"\x1b[31mred\x07\n",
    "bytes": b"\xff\xfe\x80\n",
    "carriage-returns": b"subject\r\n\r\nbody\r\n",
    "like-headers": b"tree 1234\nparent 5678\n\nauthor x\n",
    "trailers": b"subject\n\nSigned-off-by: Ann <ann@example.com>\n",
    "1-MiB": b"subject\n\n" + b"0123456 line\n" * 80659,
}


def test_messages_are_kept_to_the_byte(ready):
    for message in MESSAGES.values():
        tree, tip = ready.git("rev-parse", "HEAD^{tree}", "HEAD").split()
        oid = write_commit(ready, tree, [tip], [], message)
    done = rebase(ready)
    assert done.code == 0, done.out
    raw = raw_commits(ready, ready.child, commits_of(ready, ready.child)[-len(MESSAGES) :])
    assert [message for _, message in raw.values()] == list(MESSAGES.values())
    ready.git("reset", "-q", "--hard", oid)
    words = ready.tmplgen("update", ready.child, "--strategy", "rebase")
    assert words.code == 0 and "\x1b" not in words.out and "\x07" not in words.out, words.out
    assert len(words.out) < 20000


def loose(world, oid):
    return world.child / ".git/objects" / oid[:2] / oid[2:]


def unchanged(world) -> list:
    """Where git itself cannot list the refs any more."""
    return [(world.child / ".git" / name).read_bytes() for name in ("HEAD", "index", MAIN)]


@pytest.mark.parametrize("content", [b"damaged", b"", None])
def test_a_commit_that_cannot_be_read_is_named(ready, content):
    oid = ready.git("rev-parse", "HEAD~1")
    loose(ready, oid).unlink()
    if content is not None:
        loose(ready, oid).write_bytes(content)
    before = unchanged(ready)
    done = rebase(ready)
    assert done.code == 1 and oid in done.error["message"], done.out
    assert "shallow" not in done.out
    assert unchanged(ready) == before


def test_a_merge_tag_or_any_other_header_is_not_carried_over(ready):
    """But those that say how the message reads."""
    tree, tip = ready.git("rev-parse", "HEAD^{tree}", "HEAD").split()
    write_commit(ready, tree, [tip], ["HG:extra branch:x", "encoding KOI8-R"], b"\xc1\n")
    done = rebase(ready)
    assert done.code == 0, done.out
    chain = commits_of(ready, ready.child)
    headers, message = raw_commits(ready, ready.child, chain[-1:])[chain[-1]]
    assert set(headers) == {"tree", "parent", "author", "committer", "encoding"}
    assert message == b"\xc1\n"


# ---------------------------------------------------------------- what is said


@pytest.fixture
def conflict(ready):
    """The third of four commits changes what the template changes."""
    ready.edit({"a": lines(20, {5: "mine", 15: "mine"})}, "@you: closes #1 `in` <b>conflict</b>")
    ready.edit({"own/z": "z\n"}, "last")
    return ready


def test_the_first_line_says_where_it_stopped(conflict):
    commit = conflict.git("rev-parse", "HEAD~1")[:10]
    args = ("update", conflict.child, "--strategy", "rebase")
    where = f"{commit} (@you: closes #1 `in` <b>conflict</b>), commit 4 of 5, on the way"
    dry = conflict.tmplgen(*args, "--dry-run").out.splitlines()[0]
    assert dry == f"Would stop at {where} from 1.0.0 to 1.1.0; nothing was written"
    words = conflict.tmplgen(*args).out.splitlines()[0]
    assert words == f"Stopped at {where} from 1.0.0 to 1.1.0"
    again = conflict.tmplgen("update", conflict.child, "--continue").out.splitlines()[0]
    assert again == words


@pytest.mark.parametrize("stops", [False, True])
def test_the_end_names_a_command_that_shows_the_update(ready, stops):
    if stops:
        ready.edit({"a": lines(20, {5: "mine", 15: "mine"})}, "in conflict")
        ready.edit({"own/z": "z\n"}, "last")
    old = ready.git("rev-parse", "HEAD")
    done = rebase(ready)
    if stops:
        put(ready.child, {"a": lines(20, {5: "mine", 15: "both"})})
        ready.git("add", "a")
        done = ready.update("--continue")
    new = ready.git("rev-parse", "HEAD")
    assert done.json["next"][0]["run"] == f"git diff --stat {old[:7]} {new[:7]}"
    shown = ready.git(*done.json["next"][0]["run"].split()[1:])
    assert "a " in shown and "own" not in shown


def test_the_summary_lists_the_commits(conflict):
    entries = rebase(conflict, "--summary", conflict.folder / "pr.md").json["commits"]
    text = (conflict.folder / "pr.md").read_text()
    listed = text.split("## Commits\n\n")[1].split("\n\n")[0].splitlines()
    ids = [(entry["commit"][:10], entry["to"] and entry["to"][:10]) for entry in entries]
    assert listed[1] == f"- replayed: `{ids[1][0]}` is now `{ids[1][1]}`, `one`"
    odd = "`` @you: closes #1 `in` <b>conflict</b> ``"
    assert listed[3] == f"- conflict: `{ids[3][0]}`, {odd}: in conflict: 'a'"
    assert listed[4] == f"- pending: `{ids[4][0]}`, `last`"
    assert len(listed) == 5


# ---------------------------------------------------------------- options


@pytest.mark.parametrize("strategy", ["pick", "merge"])
def test_rewrite_published_is_for_rebase(ready, strategy):
    done = ready.update("--strategy", strategy, "--rewrite-published")
    assert (done.code, done.error["code"]) == (2, "usage"), done.out
    assert "--rewrite-published" in done.error["message"]


def test_a_conflict_on_a_branch_of_its_own_is_refused(conflict):
    error = refused(conflict, "conflicts-on-branch", "--branch", "topic")
    assert "git switch -c" in error["hint"]
    assert conflict.git("for-each-ref", "refs/heads/topic") == ""


def test_up_to_date_is_said_whatever_the_history_is(ready):
    """Nothing is replayed where nothing is new: nothing stands in the way of that."""
    assert ready.update().code == 0
    ready.git("tag", "v1")
    ready.git("merge", "-q", "--allow-unrelated-histories", "-s", "ours", "-m", "m", other(ready))
    done = rebase(ready)
    assert (done.code, done.json["result"]) == (0, "up-to-date"), done.out


def other(world):
    return world.git("commit-tree", "-m", "other", "HEAD^{tree}")


def test_a_rebase_to_an_older_version(ready):
    """Down is a direction, too, where it is asked for."""
    copy = ready.copy("older")
    assert rebase(ready).code == 0
    back = ("--to", "v1.0.0", "--allow-downgrade")
    done = rebase(ready, *back)
    assert done.code == 0, done.out
    assert ready.git("log", "--format=%s %T", "-3") == ready.git(
        "log", "--format=%s %T", "-3", cwd=copy
    )


LONG_MESSAGES = {
    "lines": b"subject\n\n" + b"0123456 line\n" * 100000,
    "one-line": "ä".encode() * 800000 + b"\n",
}


@pytest.mark.parametrize("kind", LONG_MESSAGES)
def test_a_long_message_is_kept_at_a_stop_and_cut_short_in_reports(ready, kind):
    put(ready.child, {"a": lines(20, {5: "mine", 15: "mine"})})
    ready.git("add", "-A")
    tree, tip = ready.git("write-tree"), ready.git("rev-parse", "HEAD")
    write_commit(ready, tree, [tip], [], LONG_MESSAGES[kind])
    done = rebase(ready)
    assert done.code == 5 and len(done.out) < 10000, done.out[:2000]
    status = ready.tmplgen("status", ready.child)
    assert status.code == 0 and len(status.out) < 2000, status.out[:2000]
    put(ready.child, {"a": lines(20, {5: "mine", 15: "both"})})
    ready.git("add", "-A")
    done = ready.update("--continue")
    assert done.code == 0, done.out
    chain = commits_of(ready, ready.child)
    assert raw_commits(ready, ready.child, chain[-1:])[chain[-1]][1] == LONG_MESSAGES[kind]


# ---------------------------------------------------------------- many


def many(world, count):
    """As many commits, of a few files, from one stream."""
    stream = [b"feature done\n"]
    for number in range(count):
        text = f"{number}\n".encode()
        head = f"commit {MAIN}\nauthor A <a@example.com> {1600000000 + number} +0000\n"
        head += f"committer A <a@example.com> {1600000000 + number} +0000\ndata 2\nc\n"
        stream.append(head.encode())
        stream.append(f"from {MAIN}^0\n".encode() if number == 0 else b"")
        stream.append(b"M 644 inline own/%d\ndata %d\n%s\n" % (number % 50, len(text), text))
    stream.append(b"done\n")
    world.git("fast-import", "--quiet", "--done", stdin=b"".join(stream))
    world.git("reset", "-q", "--hard")


@pytest.mark.full
def test_two_thousand_commits_are_replayed(ready):
    many(ready, 2000)
    done = rebase(ready)
    assert done.code == 0, done.out
    assert len(done.json["commits"]) == 2003
    assert ready.git("rev-list", "--count", "HEAD") == "2004"
    assert_sound(ready)
