"""Which version, which answers, and how the base is proven."""

import re
import shutil

import pytest

from ..common.program import BINARY
from ..common.terminal import converse, interrupt
from .scenarios import LONG, lines, template
from .world import RECORD, assert_sound, put, snapshot


def text(number):
    return {"a": lines(20, {number: f"version {number}"})}


def version(world):
    return re.search(r'version: "?([^"\n]+)', world.read(RECORD)).group(1)


def ok(world, *args, result="updated", **more):
    done = world.update(*args, **more)
    assert (done.code, done.json["result"]) == (0, result), done.out
    return done


def fails(world, code, word, *args, **more):
    before = snapshot(world)
    done = world.update(*args, **more)
    assert (done.code, done.error["code"]) == (code, word), done.out
    assert snapshot(world) == before
    return done.error


# ---------------------------------------------------------------- tags, branches, commits


def test_S_93_tags_are_ordered_by_semver_and_others_are_passed_over(world):
    world.release("1.8.0", text(1))
    world.new()
    world.release("1.10.0", text(3))
    world.release("1.9.0", text(2))
    world.release("2.0.0-rc.1", text(4))
    world.git("tag", "nightly", cwd=world.catalog)
    world.git("tag", "docs-3", cwd=world.catalog)
    world.git("tag", "-a", "-m", "x", "v1.10.1", "v1.10.0", cwd=world.catalog)
    assert ok(world).json["to"]["version"] == "1.10.0"
    assert "v1.10.1" in world.read(RECORD)


def test_prerelease_only_by_flag(world):
    world.release("1.0.0", text(1))
    world.new()
    world.release("1.1.0-rc.1", text(2))
    ok(world, result="up-to-date")
    ok(world, "--prerelease")
    assert version(world) == "1.1.0-rc.1"
    world.release("1.1.0", text(3))
    ok(world)
    assert version(world) == "1.1.0"


def test_recorded_branch_goes_to_its_tip(world):
    world.release("1.0.0", text(1), tag=False)
    world.new(ref="main")
    world.release("1.0.1", text(2), tag=False)
    ok(world)
    assert version(world) == "1.0.1"


def test_recorded_commit_stays_unless_told(world):
    commit = world.release("1.0.0", text(1), tag=False)
    world.new(ref=commit)
    newer = world.release("1.1.0", text(2))
    ok(world, result="up-to-date")
    ok(world, "--to", newer[:12])
    assert newer in world.read(RECORD)


@pytest.mark.parametrize("ref", ["v1.1.0", "main"])
def test_to_names_tag_or_branch(world, ref):
    world.release("1.0.0", text(1))
    world.new()
    world.release("1.1.0", text(2))
    ok(world, "--to", ref)
    assert f"ref: {ref}\n" in world.read(RECORD)


def test_unknown_ref_is_wrong_usage_with_the_nearest(world):
    world.release("1.0.0", text(1))
    world.new()
    assert "v1.0.0" in fails(world, 2, "unknown-ref", "--to", "v1.0.9")["hint"]


def test_moved_tag_is_told_and_the_recorded_commit_counts(world):
    world.release("1.0.0", text(1))
    world.new()
    world.release("1.0.0", text(2))
    done = world.update()
    assert (done.code, done.json["result"]) == (0, "up-to-date")
    assert any("v1.0.0" in w for w in done.json["warnings"])


def test_S_92_downgrade_needs_its_flag(world):
    world.release("1.0.0", text(1))
    world.release("1.1.0", text(2))
    world.new()
    fails(world, 3, "downgrade", "--to", "v1.0.0")
    ok(world, "--to", "v1.0.0", "--allow-downgrade")
    assert version(world) == "1.0.0"


def test_S_91_nothing_newer_is_up_to_date(world):
    world.release("1.0.0", text(1))
    world.new()
    ok(world, result="up-to-date")


def test_check_says_6_and_writes_nothing(world):
    world.release("1.0.0", text(1))
    world.new()
    assert world.update("--check").code == 0
    world.release("1.1.0", text(2))
    before = snapshot(world)
    done = world.update("--check")
    assert (done.code, done.json["result"]) == (6, "available")
    assert snapshot(world) == before


@pytest.mark.parametrize(
    "other", [("--dry-run",), ("--restore", "a"), ("--branch", "topic"), ("--no-commit",)]
)
def test_check_with_what_acts_is_wrong_usage(world, other):
    world.release("1.0.0", text(1))
    world.new()
    world.release("1.1.0", text(2))
    before = snapshot(world)
    done = world.update("--check", *other)
    assert (done.code, done.error["code"]) == (2, "usage")
    assert other[0] in done.error["message"]
    assert snapshot(world) == before


def test_S_90_catalog_that_is_not_at_hand_is_a_clean_error(world):
    world.release("1.0.0", text(1))
    world.new()
    shutil.rmtree(world.catalog)
    fails(world, 1, "unreachable-catalog")
    fails(world, 2, "unknown-catalog", "--catalog", world.folder / "mistyped")


@pytest.mark.parametrize("look", [(), ("--check",), ("--dry-run",)])
def test_S_90_naming_a_version_does_not_make_a_lost_catalog_mistyped(world, look):
    world.release("1.0.0", text(1))
    world.release("2.0.0", text(2))
    world.new(ref="v1.0.0")
    fails(world, 2, "unknown-ref", "--to", "v3.0.0", *look)
    shutil.rmtree(world.catalog)
    error = fails(world, 1, "unreachable-catalog", "--to", "v2.0.0", *look)
    assert "--catalog" in error["hint"]
    fails(world, 2, "unknown-catalog", "--catalog", world.folder / "typo", "--to", "v2.0.0", *look)


def test_plain_folder_catalog_updates_by_its_base_ref(world):
    world.release("1.0.0", text(1))
    shutil.rmtree(world.catalog / ".git")
    world.new()
    put(world.catalog, {"catalog.yml": "name: demo\nversion: 1.1.0\n"})
    put(world.catalog / "templates/app/files", text(2))
    assert ok(world).json["base"]["proven_by"] == "ref"
    ok(world, result="up-to-date")


# ---------------------------------------------------------------- answers


def asking(*questions, **more):
    block = "".join(f"  - {q}\n" for q in questions)
    return template(**({"questions": block} if questions else {}), **more)


def kept(world):
    block = world.read(RECORD).split("answers:\n")[1].split("request:")[0]
    return dict(re.findall(r"^  (\w+): \"?([^\"\n]*)", block, re.M))


def test_S_103_new_question_takes_its_default_and_is_listed(world):
    world.release("1.0.0", text(1))
    world.new()
    files = {**text(2), "t.j2": "{{ team }}\n"}
    world.release("1.1.0", files, template=asking("{name: team, type: str, default: red}"))
    assert ok(world).json["answers"]["added"] == ["team"]
    assert kept(world)["team"] == "red"


def test_S_104_new_question_without_default_is_refused_by_name(world):
    world.release("1.0.0", text(1))
    world.new()
    files = {**text(2), "t.j2": "{{ team }}\n"}
    world.release("1.1.0", files, template=asking("{name: team, type: str}"))
    assert "team" in fails(world, 2, "missing-answer")["message"]
    ok(world, "--set", "team=blue")
    assert world.read("t") == "blue\n"


def test_S_105_dropped_question_leaves_the_record_and_is_listed(world):
    files = {**text(1), "t.j2": "{{ team }}\n"}
    world.release("1.0.0", files, template=asking("{name: team, type: str, default: red}"))
    world.new()
    world.release("1.1.0", text(2))
    assert ok(world).json["answers"]["dropped"] == ["team"]
    assert "team" not in kept(world)


def test_S_107_changed_default_does_not_replace_an_answer(world):
    files = {"t.j2": "{{ team }}\n"}
    world.release("1.0.0", files, template=asking("{name: team, type: str, default: red}"))
    world.new()
    world.release("1.1.0", files, template=asking("{name: team, type: str, default: blue}"))
    ok(world)
    assert world.read("t") == "red\n"


def test_S_107_question_that_was_hidden_takes_the_new_default(world):
    files = {"t.j2": "{{ on }} {{ team }}\n"}
    on = "{name: on, type: bool, default: false}"
    old = "{name: team, type: str, default: red, when: on}"
    world.release("1.0.0", files, template=asking(on, old))
    world.new()
    world.release("1.1.0", files, template=asking(on, old.replace("red", "blue")))
    ok(world, "--set", "on=true")
    assert world.read("t") == "True blue\n"


def test_S_108_answer_that_is_not_valid_any_more_is_refused(world):
    files = {"t.j2": "{{ team }}\n"}
    both = "{name: team, type: choice, choices: [red, blue], default: red}"
    world.release("1.0.0", files, template=asking(both))
    world.new()
    only = "{name: team, type: choice, choices: [blue, green], default: blue}"
    world.release("1.1.0", files, template=asking(only))
    fails(world, 2, "invalid-answer")
    ok(world, "--set", "team=green")
    assert world.read("t") == "green\n"


@pytest.mark.parametrize(
    ("old", "answer", "new", "shown"),
    [
        ("int", "12", "str", "12"),
        ("str", "7", "int", "7"),
        ("float", "3.0", "int", "3"),
        ("str", "true", "bool", "True"),
        ("bool", "true", "str", "true"),
    ],
)
def test_S_109_lossless_conversion_of_types(world, old, answer, new, shown):
    files = {"t.j2": "{{ x }}\n"}
    world.release("1.0.0", files, template=asking(f"{{name: x, type: {old}}}"))
    world.new("--set", f"x={answer}")
    world.release("1.1.0", files, template=asking(f"{{name: x, type: {new}}}"))
    ok(world)
    assert world.read("t") == f"{shown}\n"


def test_S_109_conversion_that_loses_is_refused(world):
    files = {"t.j2": "{{ x }}\n"}
    world.release("1.0.0", files, template=asking("{name: x, type: str}"))
    world.new("--set", "x=many")
    world.release("1.1.0", files, template=asking("{name: x, type: int}"))
    fails(world, 2, "invalid-answer")


def test_S_112_question_that_becomes_hidden_leaves_the_record(world):
    files = {"t.j2": "{{ on }} {{ team }}\n"}
    on = "{name: on, type: bool, default: true}"
    team = "{name: team, type: str, default: red, when: on}"
    world.release("1.0.0", files, template=asking(on, team))
    world.new("--set", "team=blue")
    done = ok(world, "--set", "on=false")
    assert done.json["answers"]["dropped"] == ["team"]
    assert world.read("t") == "False red\n"
    assert "team" not in kept(world)


def test_S_113_answers_alone_change_at_the_same_version(world):
    files = {"t.j2": "{{ team }}\n" + LONG}
    world.release("1.0.0", files, template=asking("{name: team, type: str, default: red}"))
    world.new()
    world.edit({"t": "red\n" + lines(20, {10: "mine"})})
    done = ok(world, "--set", "team=blue")
    assert done.paths == {"t": "merged"}
    assert version(world) == "1.0.0"
    assert world.read("t") == "blue\n" + lines(20, {10: "mine"})


def test_S_40_file_of_a_condition_comes_and_goes_with_the_answer(world):
    files = {"{% if docker %}Dockerfile{% endif %}": "FROM x\n", "a": "1\n"}
    docker = "{name: docker, type: bool, default: true}"
    world.release("1.0.0", files, template=asking(docker))
    world.new()
    assert ok(world, "--set", "docker=false").paths == {"Dockerfile": "deleted"}
    assert ok(world, "--set", "docker=true").paths == {"Dockerfile": "added"}
    world.edit({"Dockerfile": "FROM mine\n"})
    done = world.update("--set", "docker=false")
    assert (done.code, done.paths) == (5, {"Dockerfile": "conflict"})


def test_users_own_defaults_answer_new_questions_and_replace_no_answer(world):
    old = "{name: team, type: str, default: red}"
    world.release("1.0.0", {"t.j2": "{{ team }}\n"}, template=asking(old))
    world.new()
    put(world.home, {".config/tmplgen/config.yml": "answers: {team: green, size: 7}\n"})
    files = {"t.j2": "{{ team }} {{ size }}\n"}
    new = asking(old, "{name: size, type: int, default: 3}")
    world.release("1.1.0", files, template=new)
    ok(world)
    assert world.read("t") == "red 7\n"
    ok(world, result="up-to-date")


def test_set_to_what_it_is_already_is_up_to_date(world):
    files = {"t.j2": "{{ team }}\n"}
    world.release("1.0.0", files, template=asking("{name: team, type: str, default: red}"))
    world.new()
    ok(world, "--set", "team=red", result="up-to-date")


TERMINAL = {"TERM": "dumb"}


def test_terminal_asks_new_questions_and_no_others(world):
    old = "{name: team, type: str, default: red}"
    world.release("1.0.0", {"t.j2": "{{ team }}\n"}, template=asking(old))
    world.new("--set", "team=blue")
    files = {"t.j2": "{{ team }} {{ size }} {{ kind }}\n"}
    new = ("{name: size, type: int, default: 3}", "{name: kind, type: choice, choices: [x, y]}")
    world.release("1.1.0", files, template=asking(old, *new))
    code, out, shown = converse(
        [BINARY, "update", world.child],
        world.folder,
        {**world.env, **TERMINAL},
        [("size", "many\n"), ("must be an integer", "4\n"), ("kind", "2\n")],
    )
    assert code == 0, shown
    assert world.read("t") == "blue 4 y\n"
    assert "team" not in shown
    assert "New answers: size, kind" in out


def waiting_question(world):
    world.release("1.0.0", {"t": "1\n"})
    world.new()
    size = asking("{name: size, type: int, default: 3}")
    world.release("1.1.0", {"t.j2": "{{ size }}\n"}, template=size)


def test_check_asks_nothing(world):
    waiting_question(world)
    command = [BINARY, "update", world.child, "--check"]
    code, _, shown = converse(command, world.folder, {**world.env, **TERMINAL}, [])
    assert (code, shown) == (6, "")


def test_dry_run_asks_what_the_run_will_ask(world):
    waiting_question(world)
    command = [BINARY, "update", world.child, "--dry-run"]
    code, out, _ = converse(command, world.folder, {**world.env, **TERMINAL}, [("size", "7\n")])
    assert code == 0
    assert "+7\n" in out
    assert world.read("t") == "1\n"


def test_interrupt_at_a_question_changes_nothing(world):
    waiting_question(world)
    before = snapshot(world)
    command = [BINARY, "update", world.child]
    assert interrupt(command, world.folder, {**world.env, **TERMINAL}) == 130
    assert snapshot(world) == before
    ok(world)


def test_set_of_an_unknown_question_is_wrong_usage(world):
    world.release("1.0.0", text(1))
    world.new()
    fails(world, 2, "unknown-question", "--set", "nothing=1")


def test_stack_choice_without_a_stack_is_wrong_usage(world):
    world.release("1.0.0", text(1))
    world.new()
    fails(world, 2, "usage", "--set", "cuda=12.6")


def test_answer_edited_by_hand_counts_as_set(world):
    files = {"t.j2": "{{ team }}\n"}
    world.release("1.0.0", files, template=asking("{name: team, type: str, default: red}"))
    world.new()
    world.edit({RECORD: world.read(RECORD).replace("team: red", "team: blue")})
    assert ok(world).paths == {"t": "updated"}
    assert world.read("t") == "blue\n"
    ok(world, result="up-to-date")


def test_record_of_which_no_version_is_genuine_is_refused(world):
    files = {"t.j2": "{{ team }}\n"}
    world.release("1.0.0", files, template=asking("{name: team, type: str, default: red}"))
    world.new()
    put(world.child, {RECORD: world.read(RECORD).replace("team: red", "team: blue")})
    world.git("add", "-A")
    world.git("commit", "-q", "--amend", "-m", "edited")
    fails(world, 3, "edited-record")


def test_yours_is_no_input_and_survives(world):
    world.release("1.0.0", text(1))
    world.new()
    world.edit({RECORD: world.read(RECORD).replace("yours: []", 'yours:\n  - "docs/**"')})
    world.release("1.1.0", text(2))
    ok(world)
    assert "docs/**" in world.read(RECORD)


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("docs/**", 'it is a list of globs, such as yours: ["docs/**"]'),
        ("'docs/**'", 'it is a list of globs, such as yours: ["docs/**"]'),
        ("[~]", "put the text in quotes"),
        ("", "give a value, or leave the key out"),
    ],
)
def test_what_is_no_list_of_globs_is_told_with_the_right_form(world, said, hint):
    world.release("1.0.0", text(1))
    world.new()
    world.edit({RECORD: world.read(RECORD).replace("yours: []", f"yours: {said}")})
    done = world.tmplgen("status", world.child)
    assert done.code == 2 and f"hint: {hint}" in done.err


@pytest.mark.parametrize("glob", ["docs/", "/docs/**", "./docs/**", "../docs", ""])
def test_a_glob_of_yours_that_matches_nothing_is_told(world, glob):
    world.release("1.0.0", {"docs/a": "1\n"})
    world.new()
    ours = world.read(RECORD).replace("yours: []", f'yours: ["docs/*", "{glob}"]')
    world.edit({RECORD: ours})
    world.release("1.1.0", {"docs/a": "2\n", "docs/b": "2\n"})
    told = f"'{glob}' under `yours` matches no file"
    for done in (
        world.tmplgen("status", world.child, "--json"),
        world.update("--check"),
        world.update("--dry-run"),
    ):
        assert [w for w in done.json["warnings"] if told in w], done.out


@pytest.mark.parametrize("glob", ["docs/**", "docs", "**/a", "[/]x", ".docs/*"])
def test_a_glob_of_yours_that_may_match_one_day_is_not_told(world, glob):
    world.release("1.0.0", text(1))
    world.new()
    world.edit({RECORD: world.read(RECORD).replace("yours: []", f'yours: ["{glob}"]')})
    assert world.tmplgen("status", world.child, "--json").json["warnings"] == []


def test_check_names_no_path_and_a_dry_run_does(world):
    world.release("1.0.0", {"docs/a": "1\n"})
    world.new()
    world.edit({RECORD: world.read(RECORD).replace("yours: []", 'yours: ["docs/**"]')})
    world.release("1.1.0", {"docs/a": "2\n", "docs/b": "2\n"})
    assert world.update("--check").json["paths"] == []
    assert world.update("--dry-run").paths == {"docs/a": "kept-yours", "docs/b": "kept-yours"}


# ---------------------------------------------------------------- migrations


def test_S_114_each_migration_applies_once_and_in_order(world):
    files = {"t.j2": "{{ one }}\n"}
    world.release("1.0.0", files, template=asking("{name: one, type: str, default: d}"))
    world.new("--set", "one=kept")
    second = "  - {from: '<2', rename_answers: {one: two}}\n"
    third = "  - {from: '<3', rename_answers: {two: three}}\n"
    world.release(
        "2.0.0",
        {"t.j2": "{{ two }}\n"},
        template=asking("{name: two, type: str, default: d}", migrations=second),
    )
    world.release(
        "3.0.0",
        {"t.j2": "{{ three }}\n"},
        template=asking("{name: three, type: str, default: d}", migrations=second + third),
    )
    world.release(
        "4.0.0",
        {"t.j2": "{{ four }}\n"},
        template=asking(
            "{name: four, type: str, default: d}",
            migrations="  - {from: '<4', drop_answers: [three]}\n",
        ),
    )
    done = ok(world, "--to", "v3.0.0")
    assert done.json["answers"]["renamed"] == [{"from": "one", "to": "three"}]
    assert kept(world)["three"] == "kept"
    ok(world, "--to", "v3.0.0", result="up-to-date")
    assert ok(world).json["answers"] == {"added": ["four"], "dropped": ["three"], "renamed": []}


def test_answers_that_swap_their_names(world):
    files = {"t.j2": "{{ one }} {{ two }}\n"}
    both = ("{name: one, type: str, default: d}", "{name: two, type: str, default: e}")
    world.release("1.0.0", files, template=asking(*both))
    world.new("--set", "one=first", "--set", "two=second")
    swap = "  - {from: '<2', rename_answers: {one: two, two: one}}\n"
    world.release("2.0.0", files, template=asking(*both, migrations=swap))
    done = ok(world)
    assert world.read("t") == "second first\n"
    assert len(done.json["answers"]["renamed"]) == 2
    ok(world, result="up-to-date")


def test_migration_of_another_version_does_not_apply(world):
    files = {"t.j2": "{{ one }}\n"}
    one = "{name: one, type: str, default: d}"
    world.release("2.0.0", files, template=asking(one))
    world.new("--set", "one=kept")
    world.release(
        "2.1.0", files, template=asking(one, migrations="  - {from: '<2', drop_answers: [one]}\n")
    )
    ok(world)
    assert kept(world)["one"] == "kept"


def test_file_renames_of_two_migrations_chain(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.edit({"a": lines(20, {3: "mine"})})
    moves = "  - {from: '<2', rename_files: {a: b}}\n  - {from: '<3', rename_files: {b: c}}\n"
    world.release("3.0.0", {"c": LONG}, template=template(migrations=moves))
    assert ok(world).paths == {"c": "renamed"}
    assert world.read("c") == lines(20, {3: "mine"})


# ---------------------------------------------------------------- the base


def drop_base_refs(world):
    for name in world.git("for-each-ref", "--format=%(refname)", "refs/tmplgen").split():
        world.git("update-ref", "-d", name)


def proven_by(world, *args, **more):
    return ok(world, *args, **more).json["base"]["proven_by"]


def two_versions(world):
    world.release("1.0.0", {"a": LONG})
    world.new()
    world.edit({"a": lines(20, {3: "mine"})})
    world.release("1.1.0", {"a": lines(20, {15: "theirs"})})


def lose_old_version(world):
    """The catalog starts anew: the recorded commit is nowhere."""
    shutil.rmtree(world.catalog)
    world.release("1.1.0", {"a": lines(20, {15: "theirs"})})


def test_base_is_rendered_again(world):
    two_versions(world)
    drop_base_refs(world)
    assert proven_by(world) == "render"


def test_base_by_ref_where_the_recorded_revision_is_gone(world):
    two_versions(world)
    lose_old_version(world)
    done = ok(world)
    assert done.json["base"]["proven_by"] == "ref"
    assert any("by name only" in w for w in done.json["warnings"])
    assert world.read("a") == lines(20, {3: "mine", 15: "theirs"})


def test_base_by_the_root_commit(world):
    two_versions(world)
    drop_base_refs(world)
    lose_old_version(world)
    assert proven_by(world) == "history"


def test_no_proof_is_refused_and_offers_base(world):
    two_versions(world)
    root = world.git("rev-list", "--max-parents=0", "HEAD")
    drop_base_refs(world)
    world.git("checkout", "-q", "--orphan", "anew")
    world.commit("start")
    lose_old_version(world)
    error = fails(world, 3, "no-base")
    assert "--base" in error["hint"] and "tmplgen adopt --type app" in error["hint"]
    assert proven_by(world, "--base", root) == "given"
    assert world.read("a") == lines(20, {3: "mine", 15: "theirs"})


def test_a_tree_object_of_that_name_proves_nothing(world):
    two_versions(world)
    tree = re.search(r"tree: \"?([0-9a-f]{40})", world.read(RECORD)).group(1)
    drop_base_refs(world)
    world.git("checkout", "-q", "--orphan", "anew")
    world.commit("start")
    assert world.git("cat-file", "-t", tree) == "tree"
    lose_old_version(world)
    fails(world, 3, "no-base")


def test_unknown_base_is_wrong_usage(world):
    two_versions(world)
    fails(world, 2, "unknown-commit", "--base", "nothing")


def test_new_base_ref_is_made_and_old_ones_are_pruned(world):
    two_versions(world)
    before = world.git("for-each-ref", "--format=%(refname)", "refs/tmplgen")
    ok(world)
    after = world.git("for-each-ref", "--format=%(refname)", "refs/tmplgen").split()
    tree = re.search(r"tree: \"?([0-9a-f]{40})", world.read(RECORD)).group(1)
    assert after == [f"refs/tmplgen/base/{tree}"]
    assert before not in after


def test_base_ref_that_another_branch_needs_stays(world):
    two_versions(world)
    before = world.git("for-each-ref", "--format=%(refname)", "refs/tmplgen")
    world.git("branch", "release")
    ok(world)
    after = world.git("for-each-ref", "--format=%(refname)", "refs/tmplgen").split()
    assert before in after and len(after) == 2
    world.git("pack-refs", "--all")
    world.git("branch", "-D", "release")
    world.release("1.2.0", {"a": lines(20, {17: "more"})})
    ok(world)
    assert len(world.git("for-each-ref", "--format=%(refname)", "refs/tmplgen").split()) == 1
    assert_sound(world)


def test_base_commit_is_the_same_on_every_machine(world):
    two_versions(world)
    ok(world)
    ours = world.git("for-each-ref", "--format=%(objectname)", "refs/tmplgen")
    other = world.new(path=world.folder / "other" / "child", ref="v1.1.0")
    assert world.git("for-each-ref", "--format=%(objectname)", "refs/tmplgen", cwd=other) == ours
