"""The judge of `make peers`: a loss must be called a loss, whoever made it."""

import pytest

from ..peers import judge as judging
from ..peers.cases import CASES, Case
from ..peers.judge import LOSS, NOT_POSSIBLE, REFUSED, RIGHT, UNTOLD, WRONG, Run, Seen, judge
from ..peers.tools import TOOLS

BASE = {"a": ("", b"1\n2\n3\n4\n"), "b": ("", b"same\n")}
CHILD = {**BASE, "a": ("", b"1\nmine\n3\n4\n"), "own": ("", b"own 1\nown 2\n")}
MERGED = {**CHILD, "a": ("", b"1\nmine\n3\ntheirs\n")}
MARKED = {**CHILD, "a": ("", b"1\n<<<<<<< ours\nmine\n=======\ntheirs\n>>>>>>> theirs\n")}
CLEAN = Case("T", "", {}, {}, files={"a": "1\nmine\n3\ntheirs\n"})
CONFLICT = Case("T", "", {}, {}, want=("conflict",), conflicts=("a",))
STAGED = {"a": {"1": b"1\n2\n3\n4\n", "2": b"1\nmine\n3\n4\n", "3": b"1\ntheirs\n3\n4\n"}}


def word(case, after, code=0, out="", before=CHILD, base=BASE, stages=None, possible=True, **more):
    was = Seen(before, "head", "index")
    now = Seen(after, more.get("head", "head"), more.get("index", "index"), stages or {})
    return judge(case, base, was, Run(code, out, possible), now).word


def without(files, *paths):
    return {path: content for path, content in files.items() if path not in paths}


def test_what_is_wanted_is_right():
    assert word(CLEAN, MERGED) == RIGHT


def test_wanted_content_with_another_exit_code_is_wrong():
    assert word(CLEAN, MERGED, code=1) == WRONG


def test_template_edit_that_did_not_arrive_is_wrong_and_no_loss():
    assert word(CLEAN, CHILD) == WRONG


@pytest.mark.parametrize(
    "after",
    [
        {**MERGED, "a": ("", b"1\n2\n3\ntheirs\n")},
        without(MERGED, "a"),
        without(MERGED, "own"),
        {**MERGED, "own": ("", b"own 1\n")},
        {**MERGED, "own": ("l", b"a")},
    ],
    ids=["overwritten", "deleted", "own file deleted", "half of own file", "own file a link"],
)
def test_content_that_is_gone_with_exit_0_is_a_loss(after):
    assert word(CLEAN, after) == LOSS
    assert word(CONFLICT, after) == LOSS
    assert word(CLEAN, after, possible=False) == LOSS


def test_content_that_is_gone_with_another_exit_code_is_no_silent_one():
    assert word(CLEAN, without(MERGED, "a"), code=1) == WRONG


def test_loss_beside_a_conflict_of_another_path_is_a_loss():
    assert word(CONFLICT, without(MARKED, "own"), stages=STAGED) == LOSS


def test_lines_that_stand_in_an_old_file_are_no_excuse():
    """They must be where the run put them, or beside."""
    before = {**CHILD, "notes": ("", b"mine\n")}
    assert word(CLEAN, {**MERGED, "notes": ("", b"mine\n"), "a": BASE["a"]}, before=before) == LOSS


def test_moved_content_is_no_loss():
    after = {**without(MERGED, "a"), "new/a": MERGED["a"]}
    case = Case("T", "", {}, {}, files={"a": None, "new/a": "1\nmine\n3\ntheirs\n"})
    assert word(case, after) == RIGHT


def test_binary_that_is_replaced_is_a_loss():
    before = {**CHILD, "bin": ("", b"\0mine")}
    base = {**BASE, "bin": ("", b"\0old")}
    assert word(CLEAN, {**MERGED, "bin": ("", b"\0old")}, before=before, base=base) == LOSS
    kept = {"bin": {"2": b"\0mine"}}
    after = {**MERGED, "bin": ("", b"\0new")}
    assert word(CONFLICT, after, code=5, before=before, base=base, stages=kept) == RIGHT


def test_untracked_file_that_is_overwritten_is_a_loss():
    before = {**CHILD, ".env": ("", b"SECRET=1\n")}
    case = Case("T", "", {}, {}, want=("refused",))
    assert word(case, {**MERGED, ".env": ("", b"theirs\n")}, before=before) == LOSS


def test_conflict_with_exit_0_is_told_apart():
    assert word(CONFLICT, MARKED, code=0, stages=STAGED) == UNTOLD
    assert word(CONFLICT, MARKED, code=0) == UNTOLD
    assert word(CONFLICT, {**CHILD, "a.rej": ("", b"+theirs\n")}, code=0) == UNTOLD
    assert word(CONFLICT, MARKED, code=5, stages=STAGED) == RIGHT


def test_conflict_where_a_clean_merge_is_wanted_is_wrong():
    assert word(CLEAN, MARKED, code=5, stages=STAGED) == WRONG


def test_conflict_that_was_there_before_is_none():
    was = Seen(MARKED, "head", "index", STAGED)
    verdict = judge(Case("T", "", {}, {}, want=("refused",)), BASE, was, Run(3), was)
    assert verdict.word == RIGHT


def test_clean_run_where_a_conflict_is_wanted_is_wrong():
    assert word(CONFLICT, MERGED) == WRONG


def test_refusal_must_touch_nothing():
    refusing = Case("T", "", {}, {}, want=("refused",))
    assert word(refusing, CHILD, code=1) == RIGHT
    assert word(refusing, MERGED, code=1) == WRONG
    assert word(refusing, CHILD, code=1, index="staged") == WRONG
    assert word(refusing, CHILD, code=1, head="moved") == WRONG
    assert word(refusing, CHILD, code=0) == WRONG
    assert word(CLEAN, CHILD, code=1) == REFUSED


def test_deleted_file_that_comes_back_is_wrong():
    case = Case("T", "", {}, {}, files={"b": None})
    before = without(CHILD, "b")
    assert word(case, CHILD, before=before) == WRONG
    assert word(case, before, before=before) == RIGHT


def test_nothing_means_no_byte():
    case = Case("T", "", {}, {}, want=("nothing",))
    assert word(case, CHILD) == RIGHT
    assert word(case, MERGED) == WRONG


def test_missing_feature_excuses_all_but_a_loss():
    assert word(CLEAN, CHILD, possible=False) == NOT_POSSIBLE
    assert word(CLEAN, MERGED, possible=False) == RIGHT


def test_what_was_undone_must_be_as_before():
    case = Case("T", "", {}, {}, want=("back",), mark=Seen(CHILD, "head"))
    assert word(case, CHILD, before=MARKED) == RIGHT
    assert word(case, MARKED, before=MARKED) == WRONG
    assert word(case, CHILD, before=MARKED, head="moved") == WRONG


def test_warning_must_name_the_path_and_the_reason():
    case = Case("T", "", {}, {}, files={"a": "1\nmine\n3\ntheirs\n"}, warning="a.yml")
    assert word(case, MERGED, out="updated a.yml") == WRONG
    assert word(case, MERGED, out="warning: 'a.yml' does not parse") == RIGHT


def test_progress_of_copier_is_no_word_about_a_loss():
    shown = "    conflict  a\n   overwrite  a\n"
    assert word(CLEAN, {**MERGED, "a": BASE["a"]}, out=shown) == LOSS


def test_line_endings_alone_are_no_content():
    before = {**CHILD, "a": ("", b"1\r\nmine\r\n3\r\n4\r\n")}
    assert word(CLEAN, MERGED, before=before) == RIGHT


def test_cases_have_names_of_their_own_and_wants_that_exist():
    assert len({case.id for case in CASES}) == len(CASES)
    wants = {want for case in CASES for want in case.want}
    assert wants <= {"clean", "conflict", "refused", "nothing", "back"}
    needs = {need for case in CASES for need in case.needs}
    assert needs <= frozenset().union(*(tool.lacks for tool in TOOLS))
    assert len(judging.WORDS) == 6
