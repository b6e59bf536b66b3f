"""`template test`: what it renders, what it compares with, and how it ends."""

import itertools
import os
import shlex
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest

from ..command.world import git
from ..common.program import BINARY, Result

QUESTIONS = """\
description: a test
stack: none
questions:
  - {name: mode, type: choice, choices: [plain, deep], default: plain}
  - {name: depth, type: choice, choices: [one, two], default: one, when: "mode == 'deep'"}
  - {name: width, type: choice, choices: [thin, wide], default: thin, when: "mode == 'deep'"}
  - {name: fast, type: bool, default: false}
  - {name: parts, type: list, choices: [a, b, c], default: [a]}
  - {name: note, type: str, default: "", pattern: "[a-z-]*"}
  - {name: count, type: int, default: 3}
"""
FILE = "{{ [mode, depth, width, fast, parts, note, count] | tojson }}\n"
# Values that are tried, the default first, as a template sees them.
TRIED = {
    "mode": ["plain", "deep"],
    "depth": ["one", "two"],
    "width": ["thin", "wide"],
    "fast": ["false", "true"],
    "parts": ["a", "none", "b", "c", "a,b,c"],
    "note": ["", "z"],
    "count": ["3", "0", "1"],
}


@pytest.fixture
def test(tmplgen, catalog):
    def run(*args, **more) -> Result:
        return tmplgen("template", "test", *args, cwd=catalog.folder, **more)

    return run


@pytest.fixture
def asking(catalog):
    return catalog.template(QUESTIONS).file("hello.txt.j2", FILE)


BOUNDED = """\
description: a test
stack: none
questions:
  - {name: port, type: int, default: 8080, min: 1024, max: 65535}
  - {name: next_port, type: int, computed: "{{ port + 1 }}"}
  - {name: share, type: float, default: 0.5, min: 0, max: 0.9}
  - {name: few, type: int, default: 1, min: 0, max: 3}
  - {name: ports, type: list, items: int, default: [80], min: 10, max: 99}
  - {name: ids, type: list, items: int, default: []}
  - {name: tags, type: list, default: [a], pattern: "[a-z]+"}
  - {name: token, type: str, secret: true, default: change-me}
next: ["echo {{ token }}"]
"""
BOUNDED_FILE = "{{ [port, next_port, share, few, ports, ids, tags] | tojson }}\n"


def commit(catalog, message="x"):
    if not (catalog.folder / ".git").exists():
        git(catalog.folder, "init", "-q", "-b", "main")
    git(catalog.folder, "add", "-A")
    git(catalog.folder, "commit", "-q", "--allow-empty", "-m", message)


def cases(test, catalog, text=FILE):
    """What is said in each case: a template that differs from HEAD names all of them."""
    commit(catalog)
    (catalog.folder / "templates/thing/files/new.txt.j2").write_text(text + "{{ name }}\n")
    found = test("--json").json["types"][0]["differences"]
    (catalog.folder / "templates/thing/files/new.txt.j2").unlink()
    said = []
    for change in found:
        words = [] if change["case"] == "defaults" else change["case"].split(" ")
        said.append(dict(word.split("=", 1) for word in words))
    return said


def effect(case):
    """The values of a case that make a difference."""
    row = {name: case.get(name, values[0]) for name, values in TRIED.items()}
    if row["mode"] == "plain":
        del row["depth"], row["width"]
    return row


def test_every_two_values_meet_that_can(test, asking):
    name = "questions:\n  - {name: name, type: str, pattern: thing}"
    asking.template(QUESTIONS.replace("questions:", name))
    rows = [effect(case) for case in cases(test, asking)]
    met = {frozenset(pair) for row in rows for pair in itertools.combinations(row.items(), 2)}
    wanted = {
        frozenset([(one, a), (other, b)])
        for one, other in itertools.combinations(TRIED, 2)
        for a in TRIED[one]
        for b in TRIED[other]
        if not ({one, other} & {"depth", "width"} and ("mode", "plain") in [(one, a), (other, b)])
    }
    assert wanted - met == set()
    done = test("--json").json["types"][0]
    with_name = sum(map(len, TRIED.values()))
    assert (done["pairs"], done["unreached"]) == (len(met) + with_name, [])
    assert done["ruled_out"] == 4  # what is plain has neither depth nor width
    assert len(rows) < 25  # of 480 combinations; 15 at least, for parts and count


def test_the_same_cases_each_time(test, asking):
    assert cases(test, asking) == cases(test, asking)


def test_a_choice_that_is_offered_after_another_is_found(test, asking):
    asking.template(QUESTIONS.replace("[one, two]", "\"{{ 'one\\ntwo\\n' ~ mode }}\""))
    done = test("--json").json["types"][0]
    assert done["unreached"] == []


def test_refused_answers_are_no_case(test, asking):
    refuse = "refuse:\n  - {when: \"fast and mode == 'deep'\", because: no}\n"
    asking.template(QUESTIONS + refuse)
    done = test("--json").json["types"][0]
    # fast with deep, and with each depth and width; these with plain
    assert done["ruled_out"] == 1 + 4 + 4
    assert not [c for c in cases(test, asking) if c.get("fast") == "true" and c.get("mode")]


def test_a_value_that_no_case_takes_is_named(test, asking):
    asking.template(QUESTIONS + "refuse:\n  - {when: fast, because: no}\n")
    done = test()
    assert done.code == 0
    assert "  no case takes fast=true\n" in done.out


def test_a_branch_that_needs_two_answers_is_rendered(test, asking):
    asking.file("hello.txt.j2", FILE + "{% if fast and width == 'wide' %}{{ nope }}{% endif %}\n")
    done = test()
    assert done.code == 2
    assert "templates/thing/files/hello.txt.j2:2:37: 'nope' is undefined" in done.err
    command = done.err.split("to see it again: ")[1].splitlines()[0]
    assert {"fast=true", "width=wide", "mode=deep"} <= set(shlex.split(command))


def test_a_path_that_two_layers_write_is_refused(tmplgen, test, catalog):
    """Under answers that nobody gets by default: each pair of them is tried here."""
    catalog.layer("one", "description: one\n", {"same.txt": "1\n"})
    catalog.layer("two", "description: two\n", {"same.txt": "2\n"})
    catalog.template(
        "description: x\nstack: none\nquestions:\n"
        "  - {name: kind, type: choice, choices: [a, b], default: a}\n"
        "layers: [{name: one}, {name: two, when: \"kind == 'b'\"}]\n"
    ).file("hello.txt.j2", "{{ kind }}\n")
    render = ("template", "render", "thing", "--set")
    assert tmplgen(*render, "kind=a", cwd=catalog.folder).code == 0
    for done in (test(), tmplgen(*render, "kind=b", cwd=catalog.folder)):
        assert done.code == 2
        assert "both render to 'same.txt'" in done.err and "overrides" in done.err
    assert "--set kind=b" in test().err


def test_the_command_that_repeats_an_error_repeats_it(tmplgen, test, asking, tmp_path):
    asking.file("hello.txt.j2", FILE + "{% if note == 'z' and count == 0 %}{{ nope }}{% endif %}\n")
    failed = test("--json").json
    assert failed["error"]["code"] == "template-undefined"
    words = shlex.split(failed["repeat"])
    assert words[0] == "tmplgen"
    done = tmplgen(*words[1:], "--output", tmp_path / "out", cwd=tmp_path)
    assert done.code == 2
    assert "'nope' is undefined" in done.err


@pytest.mark.parametrize(
    "condition",
    [
        "greeting == ''",
        r"""'{{' in greeting and '"' in greeting and '\\' in greeting""",
        "'é' in greeting",
    ],
)
def test_text_that_is_hard_on_templates_is_tried(test, catalog, condition):
    catalog.file("hello.txt.j2", "{% if " + condition + " %}{{ nope }}{% endif %}{{ name }}\n")
    done = test()
    assert done.code == 2
    assert "'nope' is undefined" in done.err


def test_samples_are_tried_instead(test, catalog):
    question = "questions:\n  - {name: host, type: str, pattern: 'h[0-9]{9}'}\n"
    catalog.template("description: t\nstack: none\n" + question)
    catalog.file("hello.txt.j2", "{{ host }}\n")
    done = test()
    assert done.code == 2
    assert "'host'" in done.err
    catalog.write("tests/thing/test.yml", "samples: {host: [h123456789, h000000000]}\n")
    assert test("--json").json["types"][0]["unreached"] == []


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ([2001], "more than 2000 values to try"),
        ([50, 50], "more than 2000 cases"),
    ],
)
def test_limits(test, catalog, choices, said):
    names = [f"q{number}" for number in range(len(choices))]
    questions = "".join(
        f"  - {{name: {name}, type: choice, default: a0, choices: [{', '.join(words)}]}}\n"
        for name, words in zip(names, [[f"a{i}" for i in range(c)] for c in choices], strict=True)
    )
    catalog.template("description: t\nstack: none\nquestions:\n" + questions)
    catalog.file("hello.txt.j2", "".join(f"{{{{ {name} }}}}" for name in names) + "{{ name }}\n")
    done = test()
    assert done.code == 2
    assert said in done.err


def test_many_questions_make_few_cases(test, catalog):
    count = 100
    questions = "".join(f"  - {{name: q{i}, type: bool, default: false}}\n" for i in range(count))
    catalog.template("description: t\nstack: none\nquestions:\n" + questions)
    catalog.file("hello.txt.j2", "".join(f"{{{{ q{i} }}}}" for i in range(count)) + "{{ name }}\n")
    (kind,) = test("--json").json["types"]
    assert kind["pairs"] >= 4 * count * (count - 1) / 2
    assert kind["cases"] <= 20  # 10 at least


def ticks(pid):
    """Hundredths of a second that a process has worked."""
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(") ", 1)[1].split()[11])


def test_ctrl_c_ends_it(tmplgen, catalog):
    """Between two cases; nothing is left half-done, as nothing is written."""
    catalog.template(QUESTIONS)
    catalog.file("hello.txt.j2", FILE)
    inner = "{% for j in range(2000) %}{% endfor %}"
    catalog.file("slow.txt.j2", f"{{% for i in range(400) %}}{inner}{{% endfor %}}\n")
    process = subprocess.Popen(
        [BINARY, "template", "test"],
        cwd=catalog.folder,
        env=tmplgen.env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while ticks(process.pid) < 20:  # it renders by then, and has most of it before it
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert out == b""


# ---------------------------------------------------------------- against a revision


def test_what_differs_from_head_is_shown_once_for_all_cases(test, asking):
    commit(asking)
    assert test().code == 0
    asking.file("fixed.txt", "one\n").file("hello.txt.j2", FILE)
    done = test("--json")
    assert done.code == 6
    document = done.json
    assert document["against"] == "main"
    (change,) = document["types"][0]["differences"]
    assert change["path"] == "fixed.txt"
    assert change["cases"] == document["types"][0]["cases"] == document["types"][0]["compared"]
    assert change["patch"].splitlines()[-3:] == ["+++ b/fixed.txt", "@@ -0,0 +1 @@", "+one"]
    shown = test()
    assert shown.out.count("+one\n") == 1
    assert "# in " in shown.out and "cases, the first: defaults" in shown.out
    assert "what is committed is accepted" in shown.err
    commit(asking)
    assert test().code == 0


def test_a_patch_applies(test, catalog, tmp_path):
    """What is shown is what git takes."""
    catalog.file("run.sh", "#!/bin/sh\nexit 0\n")
    commit(catalog)
    catalog.file("run.sh", "#!/bin/sh\nexit 1\n", executable=True)
    (catalog.folder / "templates/thing/files/hello.txt.j2").unlink()
    catalog.file("a b/new.txt.j2", "{{ greeting }}")
    found = test("--json").json["types"][0]["differences"]
    patches = {d["patch"] for d in found if d["case"] == "defaults"}
    work = tmp_path / "work"
    work.mkdir()
    git(work, "init", "-q")
    (work / "run.sh").write_text("#!/bin/sh\nexit 0\n")
    (work / "hello.txt").write_text("hello thing\n")
    (work / "p").write_text("".join(sorted(patches)))
    git(work, "apply", "p")
    assert (work / "run.sh").read_text() == "#!/bin/sh\nexit 1\n"
    assert os.access(work / "run.sh", os.X_OK)
    assert not (work / "hello.txt").exists()
    assert (work / "a b/new.txt").read_text() == "hello"


def test_against_a_tag(test, catalog):
    commit(catalog)
    git(catalog.folder, "tag", "v1")
    catalog.file("hello.txt.j2", "{{ greeting }}, {{ name }}\n")
    commit(catalog)
    assert test().code == 0
    done = test("--against", "v1")
    assert done.code == 6
    assert "-hello thing\n+hello, thing\n" in done.out
    assert test("--against", "v2").code == 2


def test_a_new_type_is_compared_with_nothing(test, catalog):
    commit(catalog)
    catalog.template("description: t\nstack: none\n", name="other")
    catalog.write("templates/other/files/a", "a\n")
    done = test("--json").json
    other, thing = done["types"]
    assert (other["type"], other["compared"]) == ("other", 0)
    assert (thing["type"], thing["compared"]) == ("thing", thing["cases"])
    assert done["exit"] == 0


def test_long_differences_are_cut_and_counted(test, catalog):
    commit(catalog)
    catalog.file("long.txt", "".join(f"{i}\n" for i in range(1000)))
    shown = test()
    assert shown.code == 6
    assert len(shown.out.splitlines()) < 320
    hidden = int(shown.out.splitlines()[-1].split(" ")[0])
    assert shown.out.splitlines()[-1].endswith("more lines are not shown: --verbose shows them")
    assert len(test("--verbose").out.splitlines()) == len(shown.out.splitlines()) - 1 + hidden


def test_nothing_foreign_reaches_the_terminal_raw(test, catalog):
    commit(catalog)
    catalog.file("a.txt", "\x1b[31mred\ttab\n")
    shown = test()
    assert "\x1b" not in shown.out
    assert "red\ttab" in shown.out


# ---------------------------------------------------------------- named cases


@pytest.fixture
def kept(catalog):
    """A case with an answer of its own."""
    catalog.file(".gitignore.j2", "*.log\ngolden\n").file("run.sh", "#!/bin/sh\n", executable=True)
    catalog.file("x.log", "kept all the same\n")
    return catalog.write("tests/thing/polite/answers.yml", "greeting: good day\nname: ann\n")


def test_goldens_are_missing_then_accepted_then_the_same(test, kept):
    first = test()
    assert first.code == 6
    assert "  polite: missing\n" in first.out
    assert "--accept" in first.err
    assert test("--accept", "--json").json["types"][0]["named"][0]["golden"] == "accepted"
    golden = kept.folder / "tests/thing/polite/golden"
    assert (golden / "hello.txt").read_text() == "good day ann\n"
    assert (golden / "run.sh").stat().st_mode & stat.S_IXUSR
    assert not any(path.name.startswith(".golden-") for path in golden.parent.iterdir())
    assert test().code == 0
    commit(kept)
    assert git(kept.folder, "status", "--porcelain", "--ignored") == ""  # all of it is committed
    assert "tests/thing/polite/golden/x.log" in git(kept.folder, "ls-files")


def test_a_golden_that_differs_is_shown(test, kept):
    test("--accept")
    kept.file("hello.txt.j2", "{{ greeting }} and {{ name }}\n")
    (kept.folder / "tests/thing/polite/golden/run.sh").chmod(0o644)
    (kept.folder / "tests/thing/polite/golden/gone").write_text("x\n")
    done = test("--json").json
    (named,) = done["types"][0]["named"]
    assert (done["exit"], named["golden"]) == (6, "differs")
    patches = {d["path"]: d["patch"] for d in named["differences"]}
    assert set(patches) == {"hello.txt", "run.sh", "gone"}
    assert "-good day ann\n+good day and ann\n" in patches["hello.txt"]
    assert "old mode 100644\nnew mode 100755\n" in patches["run.sh"]
    assert "deleted file mode 100644\n" in patches["gone"]
    assert test("--accept").code == 0
    assert test().code == 0
    assert not (kept.folder / "tests/thing/polite/golden/gone").exists()


def test_only_some_files_are_kept_where_that_is_said(test, kept):
    kept.write("tests/thing/test.yml", "files: ['hello.*', 'nothing/**']\n")
    test("--accept")
    assert os.listdir(kept.folder / "tests/thing/polite/golden") == ["hello.txt"]
    kept.file("run.sh", "#!/bin/sh\nexit\n")
    assert test().code == 0


def test_tests_are_no_part_of_the_catalog(tmplgen, test, kept, tmp_path):
    commit(kept)
    test("--accept")
    done = tmplgen("new", tmp_path / "c", "--type", "thing", "--catalog", kept.folder, cwd=tmp_path)
    assert "not committed" not in done.err


@pytest.mark.parametrize(
    ("path", "text", "said"),
    [
        ("tests/thnig/a/answers.yml", "", "did you mean 'tests/thing'?"),
        ("tests/thing/a/answers.yml", "greting: x\n", "tests/thing/a/answers.yml:1:10"),
        ("tests/thing/a/answers.yml", "- x\n", "answers must be a mapping"),
        ("tests/thing/a/answers.yml", "framework: pytorch\n", "has no stack"),
        ("tests/thing/test.yml", "sample: {}\n", "tests/thing/test.yml:1:1"),
        ("tests/thing/test.yml", "check: [make]\n", "tests/thing/test.yml:1:9"),
        ("tests/thing/test.yml", "samples: [x]\n", "'samples' must be a mapping"),
    ],
)
def test_what_is_wrong_with_tests_is_said(test, catalog, path, text, said):
    catalog.write(path, text)
    done = test()
    assert done.code == 2
    assert said in done.err


def test_links_in_goldens_are_refused(test, kept):
    test("--accept")
    (kept.folder / "tests/thing/polite/golden/evil").symlink_to("/etc/passwd")
    done = test()
    assert done.code == 2
    assert "is a link" in done.err


# ---------------------------------------------------------------- checks


def test_checks_run_in_a_child_when_told_to(test, kept, tmp_path):
    script = "cat hello.txt .tmplgen.yml; git log --format=%s; pwd > " + str(tmp_path / "ran")
    kept.write("tests/thing/test.yml", f"check: [[sh, -c, {script!r}], [cat, nothing]]\n")
    test("--accept")
    assert test().code == 0
    assert not (tmp_path / "ran").exists()
    done = test("--check", "--json").json
    first, second = done["types"][0]["checks"]
    assert (first["status"], first["case"]) == (0, "tests/thing/polite")
    assert first["output"].startswith("good day ann\n")
    assert "template: thing" in first["output"]
    assert second["status"] == 1 and "nothing" in second["output"]
    assert done["exit"] == 6
    shown = test("--check")
    assert "tests/thing/polite: cat nothing: failed\n" in shown.out
    assert "No such file" in shown.out
    assert not os.path.exists((tmp_path / "ran").read_text().strip())


def test_checks_are_for_folders_alone(test, kept):
    kept.write("tests/thing/test.yml", "check: [['false']]\n")
    commit(kept)
    assert test("--catalog", f"{kept.folder}@main", "--check").code == 3
    assert test("--catalog", f"{kept.folder}@main", "--accept").code == 2


# ---------------------------------------------------------------- which catalog, which types


def test_the_folder_we_are_in_is_taken_as_it_lies(test, catalog):
    commit(catalog)
    git(catalog.folder, "tag", "v1.0.0")
    catalog.file("hello.txt.j2", "{{ nope }}")
    commit(catalog)
    assert test().code == 2  # `new` would take the tag
    assert test("--catalog", f"{catalog.folder}@v1.0.0").code == 0


def test_plain_words_of_a_pattern_are_tried(test, catalog):
    catalog.template(
        "description: t\nstack: none\nquestions:\n"
        "  - {name: way, default: none, pattern: 'none|fast|tier:[a-z]+|far-off'}\n"
        "  - {name: other, default: a, pattern: '(b|c)|a'}\n",
        name="thing",
    )
    catalog.file("hello.txt.j2", "{{ name }} {{ way }} {{ other }}")
    done = test("--json", "--verbose")
    [kind] = done.json["types"]
    assert kind["unreached"] == []
    # none, fast and far-off, whatever the other says: no other value of `other` is known
    assert kind["cases"] >= 3


def test_types_by_name(test, catalog):
    catalog.template("description: t\nstack: none\n", name="other")
    catalog.write("templates/other/files/a", "a\n")
    assert [t["type"] for t in test("other", "--json").json["types"]] == ["other"]
    done = test("thnig")
    assert done.code == 2
    assert "did you mean 'thing'?" in done.err


@pytest.mark.turns(1)
@pytest.mark.parametrize("name", ["service", "batch", "library", "llm", "images", "cluster"])
def test_the_built_in_catalog(tmplgen, tmp_path, name):
    done = tmplgen("template", "test", name, "--catalog", "builtin", "--json", cwd=tmp_path).json
    [kind] = done["types"]
    assert kind["cases"] >= 15
    assert kind["pairs"] >= 40
    # A platform is no factor, and some numbers are bound by others.
    unreached = set(kind["unreached"]) - {
        *("gpu_sharing=aws-vgpu", "gpu_fraction=1", "spot=true", "most_replicas=1")
    }
    # A language model is not trained: engines of jobs are refused for it.
    passed_over = ("name=", "orchestrator=") if name == "llm" else ("name=",)
    assert not [value for value in unreached if not value.startswith(passed_over)]


def test_a_release_of_the_built_in_catalog_against_an_older_one(tmplgen, tmp_path):
    which = ["--catalog", "builtin@v0.2.0", "--against", "v0.1.0"]
    done = tmplgen("template", "test", "service", *which, "--json", cwd=tmp_path).json
    assert done["exit"] == 6
    assert done["against"] == "v0.1.0"


def test_questions_with_bounds_and_those_that_nobody_is_asked(test, catalog):
    catalog.template(BOUNDED).file("hello.txt.j2", BOUNDED_FILE)
    said = {
        (name, value) for case in cases(test, catalog, BOUNDED_FILE) for name, value in case.items()
    }
    said = {one for one in said if one[0] != "name"}
    assert said == {
        *(("port", "1024"), ("port", "65535"), ("share", "0"), ("share", "0.9")),
        *(("few", "0"), ("few", "3"), ("ports", "none"), ("ports", "10"), ("ids", "1")),
        *(("tags", "none"), ("tags", "z")),
    }
    assert test("--json").json["types"][0]["unreached"] == []


@pytest.mark.parametrize("bound", ["port > 60000", "port < 2000", "ports == [10]"])
def test_a_branch_that_a_bound_reaches(tmplgen, test, catalog, bound, tmp_path):
    catalog.template(BOUNDED).file(
        "hello.txt.j2", BOUNDED_FILE + "{% if " + bound + " %}{{ nope }}{% endif %}\n"
    )
    done = test()
    assert done.code == 2 and "'nope' is undefined" in done.err
    command = shlex.split(done.err.partition("to see it again: ")[2].splitlines()[0])
    again = tmplgen(*command[1:], "--output", tmp_path / "out", cwd=tmp_path)
    assert again.code == 2 and "'nope' is undefined" in again.err


@pytest.mark.parametrize("more", ["type: int, min: 5", "type: list, items: int, max: 4"])
def test_a_number_without_a_default_is_one_that_is_taken(test, catalog, more):
    catalog.template(
        "description: a test\nstack: none\nquestions:\n  - {name: must, " + more + "}\n"
    ).file("hello.txt.j2", "{{ must }}\n")
    done = test()
    assert done.code == 0 and "no case" not in done.out, done.out + done.err


SLUG = """\
description: a test
stack: none
questions:
  - {name: slug, type: str, default: thing, SLUG}
  - {name: fast, type: bool, default: false}
"""


def test_a_case_whose_answers_make_an_unsafe_path_is_left_out(test, catalog):
    catalog.template(SLUG.replace(", SLUG", ""))
    catalog.file("hello.txt.j2", "{{ fast }}\n").file("src/{{ slug }}/a.txt", "x\n")
    commit(catalog)
    done = test()
    assert done.code == 0, done.err
    (line,) = [line for line in done.out.splitlines() if "unsafe" in line]
    assert "left out" in line and "'pattern'" in line and "src/{{ slug }}/a.txt" in line
    (kind,) = test("--json").json["types"]
    assert 0 < kind["unsafe"] < kind["cases"]
    assert kind["compared"] == kind["cases"] - kind["unsafe"]
    catalog.file("hello.txt.j2", "{{ fast }}{% if fast %}{{ nope }}{% endif %}\n")
    assert test().code == 2
    catalog.template(SLUG.replace("SLUG", 'pattern: "[a-z0-9-]+"'))
    catalog.file("hello.txt.j2", "{{ fast }}\n")
    done = test("--json").json
    assert (done["exit"], done["types"][0]["unsafe"]) == (0, 0)
    catalog.file("hello.txt.j2", "{{ fast }}{% if slug == 'z-9' %}{{ nope }}{% endif %}\n")
    assert test().code == 2


def test_where_every_case_is_unsafe_nothing_is_good(test, catalog):
    catalog.template(SLUG.replace("default: thing, SLUG", 'pattern: "[a-z0-9:/.]+"'))
    catalog.file("hello.txt.j2", "{{ fast }}\n").file("src/{{ slug }}/a.txt", "x\n")
    done = test("--json").json
    assert (done["exit"], done["error"]["code"]) == (3, "unsafe-path")
    assert "src/{{ slug }}/a.txt" in done["error"]["message"]


def test_an_unsafe_path_of_a_named_case_is_an_error(test, catalog):
    catalog.template(SLUG.replace(", SLUG", ""))
    catalog.file("hello.txt.j2", "{{ fast }}\n").file("src/{{ slug }}/a.txt", "x\n")
    answers = catalog.folder / "tests/thing/bad/answers.yml"
    answers.parent.mkdir(parents=True)
    answers.write_text("slug: a/b\n")
    assert test().code == 3
