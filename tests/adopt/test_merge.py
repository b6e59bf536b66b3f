"""`--merge`: what differs is merged against the version of the template that it is most like."""

import pytest

from ..update.scenarios import lines
from ..update.world import TEMPLATE, assert_sound, put, snapshot

V1 = {"a": lines(40), "b": lines(20), "own": "1\n"}
V2 = {"a": lines(40, {30: "two"}), "b": lines(20, {15: "two"}), "own": "1\n"}
V3 = {"a": lines(40, {30: "three", 10: "ten"}), "b": lines(20, {15: "three"}), "own": "2\n"}


def releases(place, **more):
    for number, files in enumerate((V1, V2, V3)):
        place.release(f"1.{number}.0", files, **more)


def test_against_the_version_that_it_is_most_like(place):
    releases(place)
    place.repository({"a": lines(40, {30: "two", 3: "mine"}), "b": "mine\n", "own": "mine\n"})
    done = place.adopt("--merge", "a")
    assert done.code == 0, done.err
    assert done.paths == {
        ".gitattributes": "added",
        "a": "merged",
        "b": "kept-yours",
        "own": "kept-yours",
    }
    assert place.read("a") == lines(40, {30: "three", 10: "ten", 3: "mine"})
    assert done.json["yours"] == ["b", "own"]
    search = done.json["search"]
    assert search["version"] == "1.1.0"
    assert search["commit"] == place.git("rev-parse", "v1.1.0", cwd=place.catalog)
    assert [line["version"] for line in search["versions"]] == ["1.2.0", "1.1.0", "1.0.0"]
    alike = {line["version"]: line["alike"] for line in search["versions"]}
    assert alike["1.1.0"] > alike["1.0.0"] and alike["1.1.0"] > alike["1.2.0"]
    assert search["files"] == [{"path": "a", "alike": alike["1.1.0"]}]
    assert_sound(place)


def test_a_file_of_an_older_version_becomes_the_newest(place):
    releases(place)
    place.repository({"a": V2["a"], "b": V2["b"], "own": "mine\n"})
    done = place.adopt("--merge", "[ab]")
    assert done.code == 0 and done.paths["a"] == done.paths["b"] == "updated"
    assert place.read("a") == V3["a"] and place.read("b") == V3["b"]
    (best,) = (v for v in done.json["search"]["versions"] if v["version"] == "1.1.0")
    assert best["identical"] == 2 and best["alike"] == 100


def test_identical_files_count_most(place):
    place.release("1.0.0", {"a": "same\n", "b": "nothing of it\n" * 50})
    place.release("1.1.0", {"a": "other\n", "b": lines(50)})
    place.release("1.2.0", {"a": "third\n", "b": "third\n"})
    place.repository({"a": "same\n", "b": lines(50, {3: "mine"})})
    done = place.adopt("--merge", "*", "--dry-run")
    assert done.json["search"]["version"] == "1.0.0"


def test_of_equals_the_newest(place):
    releases(place)
    place.repository({"a": "nothing of it\n", "b": V3["b"], "own": V3["own"]})
    done = place.adopt("--merge", "a", "--dry-run")
    assert done.json["search"]["version"] == "1.2.0"


def test_the_wanted_version_counts_without_a_tag(place):
    releases(place)
    place.release("1.3.0", {**V3, "a": lines(40, {5: "five"})}, tag=False)
    place.git("branch", "-f", "next", cwd=place.catalog)
    place.repository({"a": lines(40, {5: "five", 30: "mine"})})
    done = place.adopt("--merge", "a", catalog=f"{place.catalog}@next")
    search = done.json["search"]
    assert done.code == 0 and search["version"] == "1.3.0"
    assert [line["version"] for line in search["versions"]][-1] == "1.3.0"
    assert place.read("a") == lines(40, {5: "five", 30: "mine"})


def test_a_version_that_these_answers_do_not_make_is_passed_over(place):
    asks = "description: t\nstack: none\nquestions:\n  - {name: must, type: str}\n"
    place.release("1.0.0", {"a": "{{ must }}\n", "b.j2": "{{ must }}\n"}, template=asks)
    place.release("1.1.0", {"a": lines(40), "b": "b\n"})
    place.repository({"a": lines(40, {3: "mine"})})
    done = place.adopt("--merge", "a")
    assert done.code == 0, done.err
    problems = {line["version"]: line["problem"] for line in done.json["search"]["versions"]}
    assert problems["1.1.0"] is None and "must" in problems["1.0.0"]


def conflict(place):
    releases(place)
    mine = {"a": lines(40, {30: "two", 10: "mine"}), "b": "mine\n", "own": "mine\n"}
    place.repository(mine)
    put(place.child, {"loose": "mine\n"})
    return snapshot(place)


def test_conflicts_stop_as_those_of_an_update_do(place):
    conflict(place)
    done = place.adopt("--merge", "a")
    assert done.code == 5 and done.json["result"] == "conflicts"
    assert done.paths["a"] == "conflict" and done.paths["b"] == "kept-yours"
    text = place.read("a")
    assert "<<<<<<< your project\n" in text and "||||||| template 1.1.0\n" in text
    assert ">>>>>>> template 1.2.0\n" in text
    stages = place.git("ls-files", "-u").splitlines()
    assert [line.split()[2] for line in stages] == ["1", "2", "3"]
    assert (place.child / ".git/CHERRY_PICK_HEAD").exists()
    steps = [step["run"] for step in done.json["next"]]
    assert "tmplgen update --continue" in steps and "tmplgen update --abort" in steps


@pytest.mark.parametrize("how", ["tmplgen", "git"])
def test_a_conflict_is_continued(place, how):
    conflict(place)
    assert place.adopt("--merge", "a").code == 5
    unresolved = place.update("--continue")
    assert unresolved.code == 5
    put(place.child, {"a": lines(40, {30: "three", 10: "both"})})
    place.git("add", "a")
    if how == "git":
        place.git("cherry-pick", "--continue")
    else:
        assert place.update("--continue").json["result"] == "updated"
    assert place.git("log", "--format=%s", "-1") == "Adopt template app of demo 1.2.0"
    assert place.git("rev-list", "--count", "HEAD") == "2"
    assert place.update().json["result"] == "up-to-date"
    place.release("1.3.0", {**V3, "a": lines(40, {30: "four", 10: "ten"})})
    done = place.update()
    assert done.code == 0 and done.paths["a"] == "merged"
    assert place.read("a") == lines(40, {30: "four", 10: "both"})
    assert_sound(place)


@pytest.mark.parametrize("how", ["tmplgen", "git"])
def test_a_conflict_is_given_up(place, how):
    before = conflict(place)
    assert place.adopt("--merge", "a").code == 5
    if how == "git":
        place.git("cherry-pick", "--abort")
    else:
        assert place.update("--abort").json["result"] == "aborted"
    assert snapshot(place) == before
    again = place.adopt()
    assert again.code == 0 and again.json["result"] == "adopted", again.err
    assert_sound(place)


def test_no_such_file_is_told(place):
    releases(place)
    place.repository({"a": V3["a"], "b": "mine\n"})
    done = place.adopt("--merge", "a", "--merge", "c/**")
    assert done.code == 0 and done.json["search"] is None
    assert "--merge: no file of such a path differs from the template's" in done.json["warnings"]


def test_a_file_that_the_best_version_lacks_stays(place):
    releases(place)
    place.release("1.3.0", {**V3, "new": "the template's\n"})
    place.repository({"a": lines(40, {30: "two", 3: "mine"}), "b": V2["b"], "new": "mine\n"})
    done = place.adopt("--merge", "*")
    assert done.code == 0 and done.json["search"]["version"] == "1.1.0"
    assert done.paths["new"] == "kept-yours" and done.json["yours"] == ["new"]


def test_line_endings_alone_are_no_difference_and_stay(place):
    releases(place)
    crlf = lines(40, {30: "two", 3: "mine"}).replace("\n", "\r\n")
    place.repository({"a": crlf, "b": V3["b"].replace("\n", "\r\n")})
    done = place.adopt("--merge", "a")
    assert done.code == 0, done.err
    assert place.read("a") == lines(40, {30: "three", 10: "ten", 3: "mine"}).replace("\n", "\r\n")
    assert done.paths["b"] == "adopted"


def test_a_managed_file_and_pins(place):
    rules = TEMPLATE + (
        "files:\n  - {match: b, policy: managed}\n  - {match: pins, merge: lines, policy: merge}\n"
    )
    pins = "one==1\ntwo==2\nthree==3\n"
    place.release("1.0.0", {"b": lines(20), "pins": pins}, template=rules)
    place.release(
        "1.1.0", {"b": lines(20, {18: "x"}), "pins": "one==1\ntwo==2.1\nthree==3\n"}, template=rules
    )
    place.repository({"b": lines(20, {3: "mine"}), "pins": "one==1.5\ntwo==2\nthree==3\n"})
    done = place.adopt("--merge", "*")
    assert done.code == 5
    assert done.paths["b"] == "conflict" and done.paths["pins"] == "merged"
    assert place.read("pins") == "one==1.5\ntwo==2.1\nthree==3\n"


def test_own_attributes_without_the_line_are_told(place):
    place.release("1.0.0", {"x": "1\n", ".gitattributes": "*.png binary\n"})
    place.release("1.1.0", {"x": "1\n", ".gitattributes": "# head\n*.png binary\n"})
    place.repository({".gitattributes": "*.png binary\n*.jpg binary\n"})
    done = place.adopt("--merge", ".gitattributes")
    told = any("'/.tmplgen.yml -merge'" in text for text in done.json["warnings"])
    assert told is ("/.tmplgen.yml -merge\n" not in place.read(".gitattributes"))


def test_the_built_in_catalog(place):
    first = place.folder / "first"
    made = place.tmplgen(
        *("new", first, "--type", "service", "--framework", "pytorch", "--name", "shop"),
        *("--catalog", "builtin@v0.1.0"),
    )
    assert made.code == 0, made.err
    makefile = place.read("Makefile", first)
    place.repository({"Makefile": makefile + "mine:\n\techo mine\n", "own": "1\n"})
    done = place.adopt(
        *("--merge", "Makefile", "--name", "shop", "--framework", "pytorch"),
        catalog=False,
        kind="service",
    )
    assert done.code in (0, 5), done.err
    assert done.json["search"]["files"][0]["alike"] > 90


def test_the_words_show_the_search(place):
    releases(place)
    place.repository({"a": lines(40, {30: "two", 3: "mine"})})
    words = ("adopt", "--type", "app", "--catalog", place.catalog, "--merge", "a")
    done = place.tmplgen(*words, cwd=place.child)
    assert "Merged against version 1.1.0, which is most like them:\n  a " in done.out
    assert "  1.0.0 " in done.out and "  1.2.0 " in done.out
