"""A repository is put under a template: what is added, what stays, what is refused."""

import os

import pytest

from ..update.world import TEMPLATE, assert_sound, files_on_disk, git_files, put, snapshot
from .place import kept

SEEDS = TEMPLATE + "files:\n  - {match: 'data/*', policy: seed}\n"
FIRST = {
    "README.md": "# The template's\n",
    "Makefile": "all:\n",
    "tools/run.sh": ("x", "#!/bin/sh\n"),
    "data/sample": "sample\n",
    "data/other": "other\n",
}
SECOND = {**FIRST, "Makefile": "all: more\n", "README.md": "# Newer\n", "tools/new": "new\n"}
THIRD = {**SECOND, "tools/run.sh": ("x", "#!/bin/bash\n"), "README.md": "# Newest\n"}
MINE = {
    "README.md": "# Mine\n",
    "Makefile": "all:\n",
    "data/sample": "my own\n",
    "src/main.py": "print()\n",
}


def releases(place):
    place.release("1.0.0", FIRST, template=SEEDS)


def test_same_is_the_templates_different_stays_missing_is_added(place):
    releases(place)
    place.repository(MINE)
    before = place.listing()
    done = place.adopt()
    assert done.code == 0, done.err
    assert done.paths == {
        ".gitattributes": "added",
        "Makefile": "adopted",
        "README.md": "kept-yours",
        "data/other": "added",
        "data/sample": "kept-yours",
        "tools/run.sh": "added",
    }
    assert done.json["result"] == "adopted" and done.json["from"] is None
    assert done.json["to"]["version"] == "1.0.0" and done.json["template"] == "app"
    kept(before, place.listing())
    assert done.json["yours"] == ["README.md"] == place.yours()  # a seed needs no glob
    assert place.git("log", "--format=%s", "-1") == "Adopt template app of demo 1.0.0"
    assert place.git("rev-list", "--count", "HEAD") == "2"
    assert place.git("rev-parse", "HEAD") == done.json["commit"]
    assert place.git("status", "--porcelain") == ""
    ref = place.git("rev-parse", f"refs/tmplgen/base/{done.json['tree']}^{{tree}}")
    assert ref == done.json["tree"] and f'tree: "{ref}"' in place.record()
    assert_sound(place)


def test_the_updates_after_it_are_calm(place):
    releases(place)
    place.repository(MINE)
    assert place.adopt().code == 0
    assert place.update().json["result"] == "up-to-date"
    place.edit({"README.md": "# Mine, again\n", "src/main.py": "print(1)\n"})
    before = place.listing()
    place.release("1.1.0", SECOND, template=SEEDS)
    done = place.update()
    assert done.code == 0 and done.json["warnings"] == []
    assert done.paths == {
        "Makefile": "updated",
        "README.md": "kept-yours",
        "data/sample": "kept-yours",
        "tools/new": "added",
    }
    place.release("1.2.0", THIRD, template=SEEDS)
    done = place.update()
    assert done.code == 0
    assert done.paths == {
        "README.md": "kept-yours",
        "data/sample": "kept-yours",
        "tools/run.sh": "updated",
    }
    after = place.listing()
    kept({path: before[path] for path in ("README.md", "src/main.py", "data/sample")}, after)
    assert_sound(place)


def test_an_adopted_file_merges_later(place):
    releases(place)
    place.repository(MINE)
    assert place.adopt().code == 0
    place.edit({"Makefile": "all:\nmine:\n\techo\n"})
    place.release("1.1.0", {**FIRST, "Makefile": "# head\nall:\n"}, template=SEEDS)
    done = place.update()
    assert done.code in (0, 5) and done.paths["Makefile"] in ("merged", "conflict")


def test_dry_run_says_the_same_and_touches_nothing(place):
    releases(place)
    place.repository(MINE)
    git = place.child / ".git"
    before = snapshot(place)
    objects = git_files(git)
    foreseen = place.adopt("--dry-run")
    assert foreseen.code == 0 and git_files(git) == objects
    assert snapshot(place) == before
    assert "+++ b/tools/run.sh" in foreseen.json["diff"]
    assert "+++ b/.tmplgen.yml" in foreseen.json["diff"]
    step = foreseen.json["next"][0]["run"]
    assert step == f"tmplgen adopt {place.child} --type app --catalog {place.catalog}"
    done = place.adopt()
    assert done.json["paths"] == foreseen.json["paths"]


def test_no_commit_stages_it_and_continue_commits(place):
    releases(place)
    place.repository(MINE)
    done = place.adopt("--no-commit")
    assert done.code == 0 and done.json["result"] == "staged"
    staged = place.git("diff", "--cached", "--name-only").splitlines()
    assert staged == [".gitattributes", ".tmplgen.yml", "data/other", "tools/run.sh"]
    again = place.adopt()
    assert again.code == 3 and again.error["code"] == "update-in-progress"
    assert place.update("--continue").code == 0
    assert place.git("log", "--format=%s", "-1") == "Adopt template app of demo 1.0.0"
    assert place.update().json["result"] == "up-to-date"
    assert_sound(place)


def test_status_and_diff_say_that_it_waits(place):
    releases(place)
    place.repository(MINE)
    assert place.adopt("--no-commit").code == 0
    for command in ("status", "diff"):
        done = place.tmplgen(command, place.child, "--json")
        assert done.code == 3 and done.error["code"] == "update-in-progress", done.out
        assert "tmplgen update --abort" in done.error["hint"]
    done = place.update("--dry-run")
    assert done.code == 3 and done.error["code"] == "update-in-progress"


def test_no_commit_can_be_committed_by_git(place):
    releases(place)
    place.repository(MINE)
    assert place.adopt("--no-commit").code == 0
    place.git("commit", "-q", "-m", "mine")
    assert place.update().json["result"] == "up-to-date"
    assert_sound(place)


def test_no_commit_and_abort_leave_nothing(place):
    releases(place)
    place.repository(MINE)
    before = snapshot(place)
    assert place.adopt("--no-commit").code == 0
    done = place.update("--abort")
    assert done.code == 0 and done.json["result"] == "aborted"
    assert snapshot(place) == before
    assert place.adopt().json["result"] == "adopted"
    assert_sound(place)


def test_branch_message_and_signoff(place):
    releases(place)
    place.repository(MINE)
    place.git("checkout", "-q", "--detach")
    refused = place.adopt()
    assert refused.code == 3 and refused.error["code"] == "detached-head"
    done = place.adopt("--branch", "topic/adopt", "--message", "Take it", "--signoff")
    assert done.code == 0 and done.json["branch"]["name"] == "topic/adopt"
    message = place.git("log", "--format=%B", "-1", "topic/adopt")
    assert message.startswith("Take it\n") and "Signed-off-by: Ann <ann@example.com>" in message
    assert place.git("symbolic-ref", "HEAD") == "refs/heads/topic/adopt"


def test_odd_names_are_exact_globs(place):
    odd = {"a[1]*": "t\n", "what?": "t\n", "plain": "t\n"}
    place.release("1.0.0", odd)
    place.repository({**dict.fromkeys(odd, "mine\n"), "a1x": "mine\n"})
    done = place.adopt()
    assert done.json["yours"] == ["a[[]1][*]", "plain", "what[?]"]
    place.release("1.1.0", {**dict.fromkeys(odd, "newer\n"), "a1x": "the template's\n"})
    after = place.update()
    assert after.code == 5 and after.paths["a1x"] == "conflict"  # no glob of another file's has it
    assert {after.paths[name] for name in odd} == {"kept-yours"}


def test_a_file_where_the_template_has_a_folder(place):
    place.release("1.0.0", {"docs/a": "a\n", "docs/b": "b\n", "tool": "t\n", "own": "o\n"})
    place.repository({"docs": "mine\n", "tool/x": "mine\n"})
    before = place.listing()
    done = place.adopt()
    assert done.code == 0
    assert done.paths["docs/a"] == done.paths["docs/b"] == done.paths["tool"] == "kept-yours"
    kept(before, place.listing())
    place.release("1.1.0", {"docs/a": "a2\n", "docs/b": "b\n", "tool": "t2\n", "own": "o2\n"})
    done = place.update()
    assert done.code == 0 and done.paths["own"] == "updated"
    kept(before, place.listing())


def test_links_and_names_that_differ_by_case_stay(place):
    place.release("1.0.0", {"README.md": "t\n", "LICENSE": "t\n", "bin/tool": "t\n"})
    place.repository({"Readme.md": "mine\n", "LICENSE": ("l", "Readme.md"), "bin": ("l", "other")})
    before = place.listing()
    done = place.adopt()
    assert done.code == 0, done.err
    kept(before, place.listing())
    place.release("1.1.0", {"README.md": "t2\n", "LICENSE": "t2\n", "bin/tool": "t2\n"})
    done = place.update()
    assert done.code == 0
    kept(before, place.listing())
    assert "README.md" not in place.listing()


def test_an_executable_bit_is_the_users(place):
    releases(place)
    place.repository({**MINE, "tools/run.sh": "#!/bin/sh\n", "Makefile": ("x", "all:\n")})
    done = place.adopt()
    assert done.paths["tools/run.sh"] == done.paths["Makefile"] == "adopted"
    assert place.listing()["Makefile"][0] == "100755"
    assert place.listing()["tools/run.sh"][0] == "100644"


def test_untracked_that_is_the_same_is_adopted(place):
    releases(place)
    place.repository({"own": "own\n"})
    put(place.child, {"Makefile": "all:\n", "elsewhere": "mine\n"})
    done = place.adopt()
    assert done.code == 0 and done.paths["Makefile"] == "adopted"
    assert place.git("status", "--porcelain") == "?? elsewhere"
    assert_sound(place)


def test_own_attributes_stay_and_the_line_is_named(place):
    releases(place)
    place.repository({**MINE, ".gitattributes": "* text=auto\n"})
    done = place.adopt()
    assert done.code == 0 and done.paths[".gitattributes"] == "kept-yours"
    assert any("'/.tmplgen.yml -merge'" in text for text in done.json["warnings"])
    other = place.repository(
        {"own": "1\n", ".gitattributes": "* text=auto\r\n/.tmplgen.yml -merge\r\n"},
        place.folder / "other",
    )
    assert place.adopt(child=other).json["warnings"] == []


def test_a_folder_of_a_larger_repository(place):
    releases(place)
    place.repository({"top": "1\n", "services/a/README.md": "# Mine\n", "services/b/x": "1\n"})
    put(place.child, {"services/b/x": "not committed\n", "loose": "1\n"})
    folder = place.child / "services/a"
    done = place.adopt(child=folder)
    assert done.code == 0 and done.json["paths"][0]["path"] == ".gitattributes"
    names = place.git("show", "--format=", "--name-only", "HEAD").splitlines()
    assert names and all(name.startswith("services/a/") for name in names)
    assert place.yours(folder) == ["README.md"]
    assert place.adopt("--dry-run", child=place.child).code == 0  # beside and above it
    inside = place.adopt(child=folder / "tools")
    assert inside.code == 3 and inside.error["code"] == "nested-child"
    place.release("1.1.0", SECOND, template=SEEDS)
    done = place.update(child=folder)
    assert done.code == 0 and done.paths["README.md"] == "kept-yours"
    assert place.git("status", "--porcelain").split() == ["M", "services/b/x", "??", "loose"]
    assert_sound(place)


def test_merge_works_from_there_on_and_rebase_has_no_root(place):
    releases(place)
    place.repository(MINE)
    assert place.adopt().code == 0
    place.release("1.1.0", SECOND, template=SEEDS)
    refused = place.update("--strategy", "rebase")
    assert refused.code == 3 and refused.error["code"] == "unsound-root"
    for version, files in (("1.1.0", SECOND), ("1.2.0", THIRD)):
        place.release(version, files, template=SEEDS)
        done = place.update("--strategy", "merge")
        assert done.code == 0 and done.paths["README.md"] == "kept-yours"
        assert len(place.git("log", "-1", "--format=%P").split()) == 2
    assert_sound(place)


# ---------------------------------------------------------------- an empty repository


@pytest.mark.parametrize("how", [(), ("--no-commit",), ("--branch", "topic/x")])
def test_an_empty_repository_gets_its_first_commit(place, how):
    releases(place)
    place.repository({})
    foreseen = place.adopt("--dry-run", *how)
    assert foreseen.code == 0 and "+++ b/Makefile" in foreseen.json["diff"]
    done = place.adopt(*how)
    assert done.code == 0, done.err
    if how[:1] == ("--no-commit",):
        assert place.update("--continue").code == 0
    assert set(done.paths.values()) == {"added"}
    assert place.git("rev-list", "--count", "HEAD") == "1"
    branch = "topic/x" if "--branch" in how else "main"
    assert place.git("symbolic-ref", "HEAD") == f"refs/heads/{branch}"
    assert place.git("status", "--porcelain") == ""
    assert len(place.git("reflog").splitlines()) == 1
    assert_sound(place)
    place.release("1.1.0", SECOND, template=SEEDS)
    assert place.update().json["result"] == "updated"


def test_an_empty_repository_can_be_rebased_later(place):
    releases(place)
    place.repository({})
    assert place.adopt().code == 0
    place.edit({"own": "1\n"})
    place.release("1.1.0", SECOND, template=SEEDS)
    done = place.update("--strategy", "rebase")
    assert done.code == 0 and done.json["result"] == "updated", done.err
    assert place.git("log", "-1", "--format=%s") == "edit" and place.read("tools/new") == "new\n"


def test_an_empty_repository_is_empty_again_after_abort(place):
    releases(place)
    place.repository({})
    put(place.child, {"loose": "mine\n"})
    assert place.adopt("--no-commit").code == 0
    assert place.update("--abort").json["result"] == "aborted"
    assert place.git("status", "--porcelain", "-uall") == "?? loose"
    assert place.git("for-each-ref") == "" and sorted(files_on_disk(place.child)) == ["loose"]
    assert place.adopt().code == 0
    assert_sound(place)


def test_an_update_of_an_empty_repository_is_refused_still(place):
    releases(place)
    place.repository({})
    done = place.update()
    assert done.code == 3 and done.error["code"] == "no-record"


# ---------------------------------------------------------------- refused


def staged(place):
    put(place.child, {"README.md": "# Staged\n"})
    place.git("add", "README.md")


def in_the_way(place):
    put(place.child, {"tools/run.sh": "mine, and not tracked\n"})


def ignored_in_the_way(place):
    place.edit({".gitignore": "tools\n"})
    in_the_way(place)


def merging(place):
    place.git("checkout", "-q", "-b", "side")
    place.edit({"side": "1\n"})
    place.git("checkout", "-q", "main")
    place.edit({"more": "1\n"})
    place.git("merge", "-q", "--no-commit", "--no-ff", "side")


def nested(place):
    (place.child / "tools").mkdir()
    place.git("init", "-q", cwd=place.child / "tools")


def large_files(place):
    place.edit({".gitattributes": "*.sh filter=lfs diff=lfs merge=lfs -text\n"})


def locked(place):
    put(place.child, {".git/index.lock": ""})


def sha256(place):
    with (place.child / ".git/config").open("a") as config:
        config.write("[core]\nrepositoryFormatVersion = 1\n[extensions]\nobjectFormat = sha256\n")


REFUSED = {
    "staged": (staged, "staged"),
    "in the way": (in_the_way, "in-the-way"),
    "ignored in the way": (ignored_in_the_way, "in-the-way"),
    "merging": (merging, "operation-in-progress"),
    "nested repository": (nested, "nested-repository"),
    "filter": (large_files, "filter"),
    "locked": (locked, "locked"),
    "form": (sha256, "repository-form"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_nothing_changed(place, name):
    prepare, code = REFUSED[name]
    releases(place)
    place.repository(MINE)
    prepare(place)
    before = files_on_disk(place.child, times=True)
    for how in ((), ("--dry-run",)):
        done = place.adopt(*how)
        assert done.code == 3 and done.error["code"] == code, done.err
        assert done.error["hint"]
    assert files_on_disk(place.child, times=True) == before
    assert not (place.child / ".tmplgen.yml").exists()


def test_refused_where_it_is_a_child_already(place):
    releases(place)
    place.new()
    done = place.adopt()
    assert done.code == 3 and done.error["code"] == "already-adopted"
    assert "tmplgen update" in done.error["hint"]


def test_refused_without_a_repository(place):
    releases(place)
    place.child.mkdir()
    done = place.adopt()
    assert done.code == 3 and done.error["code"] == "no-repository"
    assert "git init" in done.error["hint"]


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("--set", "colour=red"), "unknown-question"),
        (("--message", ""), "usage"),
        (("--branch", "a..b"), "usage"),
        (("--framework", "pytorch"), "usage"),
    ],
)
def test_wrong_usage(place, args, code):
    releases(place)
    place.repository(MINE)
    done = place.adopt(*args)
    assert done.code == 2 and done.error["code"] == code


def test_missing_and_unknown_types(place):
    releases(place)
    place.repository(MINE)
    done = place.tmplgen("adopt", place.child, "--catalog", place.catalog, "--json")
    assert done.code == 2 and done.error["code"] == "missing-answer"
    assert place.adopt(kind="ap").error["code"] == "unknown-type"


# ---------------------------------------------------------------- surroundings


def test_nothing_but_the_inputs_counts(place):
    releases(place)
    place.repository(MINE)
    other = place.copy("other")
    assert place.adopt("--set", "name=one").code == 0
    hook = {".git/hooks/pre-commit": ("x", "#!/bin/sh\nexit 1\n")}
    put(other, hook)
    place.git("config", "core.autocrlf", "true", cwd=other)
    umask = os.umask(0o077)
    try:
        assert place.adopt("--set", "name=one", child=other).code == 0
    finally:
        os.umask(umask)
    assert place.tree() == place.tree(other)


def test_the_words_say_what_the_document_says(place):
    releases(place)
    place.repository(MINE)
    done = place.tmplgen("adopt", "--type", "app", "--catalog", place.catalog, cwd=place.child)
    assert done.code == 0
    assert done.out.startswith("Adopted the template 'app' 1.0.0, commit ")
    assert "1 adopted" in done.out and "  kept-yours    README.md\n" in done.out


@pytest.mark.parametrize(
    ("files", "named"),
    [
        ({"setup.py": "x\n", "setup.cfg": "x\n"}, "setup.py"),
        ({"setup.cfg": "[metadata]\n"}, "setup.cfg"),
        ({"setup.py": "x\n", "pyproject.toml": "[tool.x]\n"}, None),
        ({"main.py": "x\n"}, None),
    ],
)
def test_a_build_that_changes_is_told(place, files, named):
    """pip takes a pyproject.toml that is there for the project's own."""
    place.release("1.0.0", {"pyproject.toml": "[project]\nname = 'x'\n"})
    place.repository(files)
    done = place.adopt("--dry-run")
    told = [text for text in done.json["warnings"] if "'pyproject.toml' is new" in text]
    assert [f"'{named}'" in text for text in told] == [True] * bool(named), done.json["warnings"]
