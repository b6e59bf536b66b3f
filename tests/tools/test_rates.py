"""The oracle of `make peers RATES=1`: what is wrong must be called wrong, whoever did it."""

import pytest

from ..peers.histories import Edit, History, do
from ..peers.oracle import Update
from ..peers.rates import Count, shortcomings
from ..peers.rivals import Step, childs_hunks

TEXT = b"one\ntwo\nthree\nfour\nfive\nsix\n"
THEIRS = TEXT.replace(b"two\n", b"2\n").replace(b"three\n", b"")
MINE = TEXT.replace(b"five\n", b"").replace(b"six\n", b"six\n# mine-1\n")
BOTH = b"one\n2\nfour\nsix\n# mine-1\n"
OWN = {"own": ("", b"mine-2\n")}


def update(mine, now, old=None, new=None, told=(), **more):
    history = History(
        0,
        None,
        "app",
        [],
        trees=[old or {"a": ("", TEXT)}, new or {"a": ("", THEIRS)}],
        renames=[{}, more.get("renames", {})],
        seeds=[[], more.get("seeds", [])],
        places=[more.get("places", {})],
    )
    step = Step(1, told=list(told), before=mine, after=now, stages=more.get("stages", {}))
    return Update(history, step)


def files(text, **more):
    return {"a": ("", text), **OWN, **more}


def test_what_both_changed_is_right():
    made = update(files(MINE), files(BOTH))
    assert (list(made.wrong()), list(made.lost_words()), made.conflicts()) == ([], [], [])


def test_line_endings_are_no_content():
    crlf = BOTH.replace(b"\n", b"\r\n")
    assert not update(files(MINE), files(crlf)).wrong()


@pytest.mark.parametrize(
    "now",
    [
        files(BOTH.replace(b"2\n", b"two\n")),
        files(BOTH.replace(b"2\n", b"")),
        files(BOTH.replace(b"2\n", b"2\nthree\n")),
        files(BOTH.replace(b"four\n", b"four\nfive\n")),
        files(BOTH.replace(b"# mine-1\n", b"")),
        files(BOTH.replace(b"one\n", b"")),
        OWN,
        {"a": ("", BOTH)},
        files(BOTH, own=("", b"mine-2\nmore\n")),
    ],
    ids=[
        *("edit not taken", "line not taken", "dropped line stays", "my dropped line is back"),
        *("my line is gone", "line of both is gone", "file is gone", "own file is gone"),
        "own file is another",
    ],
)
def test_a_clean_merge_that_is_not_right(now):
    assert update(files(MINE), now).wrong()


def test_a_path_in_conflict_is_looked_at_by_its_owner():
    now = files(b"one\n<<<<<<< a\n# mine-1\n=======\n2\n>>>>>>> b\n")
    made = update(files(MINE), now, told=["a"])
    assert (list(made.wrong()), list(made.lost_words()), made.conflicts()) == ([], [], ["a"])


def test_a_line_is_lost_in_a_conflict_too_unless_the_index_has_it():
    now = files(b"theirs\n")
    assert list(update(files(MINE), now, told=["a"]).lost_words())
    assert not list(update(files(MINE), now, told=["a"], stages={"a": {"2": MINE}}).lost_words())


def test_what_i_deleted_must_not_come_back():
    assert update(OWN, files(THEIRS)).wrong()
    assert not update(OWN, OWN).wrong()


def test_what_the_template_adds_and_drops():
    new = {"a": ("", TEXT), "b": ("", b"new\n")}
    assert update(files(TEXT), files(TEXT), new=new).wrong()
    assert not update(files(TEXT), files(TEXT, b=new["b"]), new=new).wrong()
    dropped = {"b": ("", b"new\n")}
    assert update(files(TEXT), files(TEXT), new=dropped).wrong() == [
        "a: not removed",
        "b: not added",
    ]
    assert not update(files(TEXT), {**OWN, **dropped}, new=dropped).wrong()


def test_a_file_that_i_moved_takes_what_is_new():
    places = {"a": ["mine/a", "a"]}
    mine = {"mine/a": ("", MINE), **OWN}
    assert not update(mine, {"mine/a": ("", BOTH), **OWN}, places=places).wrong()
    assert update(mine, mine, places=places).wrong()


def test_a_conflict_has_one_name():
    renames = {"a": "b"}
    mine = {"c": ("", MINE), **OWN}
    new = {"b": ("", THEIRS)}
    places = {"a": ["c", "a"]}
    told = ["a", "b", "c"]
    made = update(mine, mine, new=new, told=told, renames=renames, places=places)
    assert made.conflicts() == ["a"]


def test_a_seed_is_the_owners():
    assert not update(files(MINE), files(MINE), seeds=["a"]).wrong()


def test_resolving_keeps_the_childs_lines():
    text = b"1\n<<<<<<< a\nx\n||||||| b\ny\n=======\nz\n>>>>>>> c\n2\n=======\n"
    assert childs_hunks(text, "first") == b"1\nx\n2\n=======\n"
    assert childs_hunks(text, "last") == b"1\nz\n2\n=======\n"


def test_an_edit_finds_its_line_or_does_nothing(tmp_path):
    (tmp_path / "a").write_bytes(b"one\r\ntwo\r\n")
    assert do(tmp_path, Edit("insert", ["gone", "a"], "one", "mine"))
    assert (tmp_path / "a").read_bytes() == b"one\r\nmine\r\ntwo\r\n"
    assert do(tmp_path, Edit("drop", ["a"], "two"))
    assert not do(tmp_path, Edit("replace", ["a"], "two", "x"))
    assert (tmp_path / "a").read_bytes() == b"one\r\nmine\r\n"


def test_more_conflicts_than_another_are_told():
    one, none = [Count(11, [("1.1.0", "a")])], [Count(11)]
    found = {"tmplgen pick": dict(enumerate(one)), "copier": dict(enumerate(none))}
    assert len(list(shortcomings(found))) == 2
    assert not list(shortcomings({"tmplgen pick": {0: none[0]}, "copier": {0: one[0]}}))
    silent = Count(11, lost=["a"], silent=[("1.1.0", "a")])
    assert not list(shortcomings({"tmplgen pick": {0: one[0]}, "copier": {0: silent}}))
    lost = {"tmplgen merge": {0: Count(11, lost=["a"])}, "copier": {0: one[0]}}
    assert list(shortcomings(lost))
