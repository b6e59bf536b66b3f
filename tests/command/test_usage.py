"""Wrong usage: the right exit code, one clear message, the nearest name; help that is true."""

import os
import re
import subprocess

import pytest

from ..common.program import BINARY


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["new", "--tpye", "service"], 2, ["'--tpye'", "'--type'"]),
        (["new", "--type"], 2, ["'--type' needs a value"]),
        (["new", "--json=yes"], 2, ["takes no value"]),
        (["new", "-t", "service"], 2, ["'-t'"]),
        (["new", "a", "b", "--type", "service"], 2, ["one argument too many"]),
        (["version", "x"], 2, ["one argument too many", "usage: tmplgen version\n"]),
        (["new", "--name", "a", "--name", "b"], 2, ["given twice"]),
        (["nwe"], 2, ["'nwe'", "'new'"]),
        (["new", "--framework", "pytorch"], 2, ["--type is missing", "service"]),
        (["new", "--type", "servcie", "--framework", "pytorch"], 2, ["did you mean 'service'"]),
        (["new", "--type", "service"], 2, ["--framework is missing", "pytorch"]),
        (["new", "--type", "service", "--framework", "pytroch"], 2, ["'pytorch'"]),
        (["new", "--type", "service", "--framework", "pytorch==99.0"], 4, ["99.0"]),
        (["new", "--type", "service", "--framework", "pytorch>>2"], 2, ["'>>2'"]),
        (["new", "--type", "service", "--framework", "pytorch", "--gpu", "H1000"], 2, ["H100"]),
        (
            ["new", "--type", "service", "--framework", "pytorch==2.13.0", "--driver", "470.82.01"],
            4,
            ["470.82.01"],
        ),
        (["new", "--type", "service", "--framework", "pytorch", "--set", "x"], 2, ["KEY=VALUE"]),
        (
            ["new", "--type", "service", "--framework", "pytorch", "--ci", "gitlba"],
            2,
            ["gitlba", "github"],
        ),
        (
            ["new", "--type", "service", "--framework", "pytorch", "--python", "3.9"],
            4,
            ["needs Python >=3.10", "3.9"],
        ),
        (
            ["new", "--type", "service", "--framework", "cupy"],
            2,
            ["no files for the framework 'cupy'\n", "pytorch"],
        ),
        (
            ["new", "--type", "library", "--framework", "tensorflow"],
            2,
            ["no files for the framework 'tensorflow': ", "array API", "pytorch, jax, none"],
        ),
        (
            ["new", "--type", "service", "--framework", "jax", "--set", "package=jax"],
            2,
            ["'jax' cannot be the name of the package"],
        ),
        (["help", "nwe"], 2, ["'new'"]),
        (["completion", "csh"], 2, ["bash, zsh or fish"]),
    ],
)
def test_wrong_usage_is_one_clear_message(tmplgen, work, args, code, words):
    done = tmplgen(*args, cwd=work)
    assert done.code == code, done.err
    assert done.out == ""
    for word in words:
        assert word in done.err
    assert done.err.count("error:") == 1
    assert os.listdir(work) == []


def test_failure_as_json_is_one_document_with_a_fixed_code(tmplgen, work):
    done = tmplgen("new", "--type", "servcie", "--framework", "pytorch", "--json", cwd=work)
    assert done.code == 2
    assert list(done.json) == ["schema", "exit", "error"]
    assert done.json["schema"] == "tmplgen/new@1"
    assert done.json["exit"] == 2
    assert list(done.json["error"]) == ["code", "message", "hint", "where"]
    assert done.json["error"]["code"] == "unknown-type"
    assert done.json["error"]["where"] is None


def test_impossible_stack_as_json_has_conflicts_and_nearest(tmplgen, work):
    done = tmplgen(
        "new", "--type", "service", "--framework", "pytorch==2.13.0", "--driver", "470.82.01",
        "--json", cwd=work,
    )  # fmt: skip
    assert done.code == 4
    error = done.json["error"]
    assert done.json["request"]["driver"] == "470.82.01"
    assert error["code"] == "unsatisfiable"
    assert error["conflicts"] and error["nearest"]
    assert {"demand", "reason", "rules_out", "because", "source"} <= set(error["conflicts"][0])


def test_stack_option_with_a_type_without_stack_is_wrong_usage(new):
    done = new("child", "--driver", "535")
    assert done.code == 2
    assert "has no stack" in done.err


def test_control_bytes_from_outside_are_masked(tmplgen, work):
    done = tmplgen("new", "--type", "a\x1b[31mb\u202e", cwd=work)
    assert "\x1b" not in done.err and "\u202e" not in done.err
    assert "\\x1B" in done.err


def test_no_arguments_show_the_overview(tmplgen, work):
    done = tmplgen(cwd=work)
    assert done.code == 0
    assert "tmplgen new --type service --framework pytorch" in done.out


def test_help_lists_every_option_of_the_command(tmplgen, work):
    done = tmplgen("help", "new", cwd=work)
    for option in ("--type", "--framework", "--gpu", "--set", "--dry-run", "--catalog", "--json"):
        assert option in done.out
    assert tmplgen("new", "--help", cwd=work).out == done.out
    assert max(map(len, done.out.splitlines())) <= 100


def test_version(tmplgen, work):
    done = tmplgen("version", "--json", cwd=work)
    assert done.json["schema"] == "tmplgen/version@1"
    assert tmplgen("--version", cwd=work).out.startswith("tmplgen ")


# Every command of one word and of two; a new one belongs here, and into a schema.
COMMANDS = {
    "": ["new", "update", "adopt", "status", "diff", "doctor", "completion", "help", "version"],
    "matrix": ["list", "resolve", "check", "verify", "refresh", "accept"],
    "image": ["list", "render", "lock", "verify", "build", "push", "bake", "rebase"],
    "template": ["list", "show", "lint", "test", "render", "new", "export"],
}
FAMILIES = sorted(name for name in COMMANDS if name)
WHOLE = [f"{first} {word}".strip() for first, words in COMMANDS.items() for word in words]


def test_the_overview_has_every_command_and_no_other(tmplgen, work):
    shown = tmplgen("help", cwd=work).out.split("commands:\n")[1].split("\n\n")[0]
    listed = [line[2:20].strip() for line in shown.splitlines() if line[2] != " "]
    assert sorted(listed) == sorted(WHOLE)


@pytest.mark.parametrize("name", WHOLE)
def test_every_command_has_help(tmplgen, work, name):
    done = tmplgen("help", *name.split(), cwd=work)
    assert done.code == 0 and done.out.startswith(f"usage: tmplgen {name}")
    assert tmplgen(*name.split(), "--help", cwd=work).out == done.out
    assert max(map(len, done.out.splitlines())) <= 100


@pytest.mark.parametrize("word", ["", *FAMILIES, *WHOLE])
def test_short_options_stand_wherever_the_long_ones_do(tmplgen, work, word):
    for short, long in (("-h", "--help"), ("-V", "--version")):
        done = tmplgen(*word.split(), short, cwd=work)
        assert (done.code, done.err) == (0, ""), done.err
        assert done.out == tmplgen(*word.split(), long, cwd=work).out
    assert done.out == tmplgen("version", cwd=work).out


def test_only_four_options_are_short(tmplgen, work):
    done = tmplgen("new", "-x", cwd=work)
    assert done.code == 2 and "'-x'" in done.err and "only -h, -q, -v and -V are short" in done.err


@pytest.mark.parametrize("words", ["help", "help new", "help matrix", "completion fish"])
def test_what_is_printed_is_the_text_of_the_document(tmplgen, work, words):
    done = tmplgen(*words.split(), "--json", cwd=work)
    assert done.code == 0
    assert done.json["text"] == tmplgen(*words.split(), cwd=work).out


@pytest.mark.parametrize("family", FAMILIES)
def test_half_a_command_tells_the_other_half(tmplgen, work, family):
    wanted = ", ".join(f"{family} {word}" for word in COMMANDS[family])
    for words in ([family], [family, "--json"], [family, "--quiet"]):
        done = tmplgen(*words, cwd=work)
        assert done.code == 2
        assert f"'{family}' needs one word more" in done.err + done.out
        assert wanted in done.err + done.out
    assert tmplgen(family, "--json", cwd=work).json["error"]["code"] == "usage"


@pytest.mark.parametrize("family", FAMILIES)
def test_help_of_half_a_command_is_of_all_that_begin_so(tmplgen, work, family):
    done = tmplgen("help", family, cwd=work)
    shown = [line for line in done.out.splitlines() if line.startswith("usage: ")]
    assert [line.split()[3] for line in shown] == COMMANDS[family]
    assert tmplgen(family, "--help", cwd=work).out == done.out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("image lst", "image list"), ("image bulid", "image build"), ("image veriffy", "image verify"),
     ("matrix resolv", "matrix resolve"), ("init", "new"), ("upgrade", "update")],
)  # fmt: skip
def test_a_mistyped_command_is_understood(tmplgen, work, typed, meant):
    done = tmplgen(*typed.split(), cwd=work)
    assert done.code == 2
    assert f"unknown command '{typed}'" in done.err and f"did you mean '{meant}'?" in done.err


def test_help_of_one_word_too_many_knows_the_command(tmplgen, work):
    done = tmplgen("help", "new", "update", cwd=work)
    assert done.code == 2
    assert "no command 'new update'" in done.err and "'new' is one" in done.err


@pytest.mark.parametrize("words", ["--cpu", "--device cpu", "--gpu none", "--gpu=cpu"])
def test_who_wants_no_gpu_is_told_how(tmplgen, work, words):
    done = tmplgen("matrix", "resolve", "--framework", "pytorch", *words.split(), cwd=work)
    assert done.code == 2 and "--variant cpu" in done.err


def test_variants_are_named_once(tmplgen, work):
    done = tmplgen("matrix", "resolve", "--framework", "xgboost", "--variant", "foo", cwd=work)
    assert done.code == 2 and "known: pypi, cuda12, cuda13, cpu\n" in done.err


def test_import_has_left_the_program(tmplgen, work):
    done = tmplgen("template", "import", "SRC", "--output", "DIR", cwd=work)
    assert done.code == 2
    assert "unknown command 'template import'" in done.err and "no longer imports" in done.err


def test_a_second_word_that_is_like_none(tmplgen, work):
    done = tmplgen("image", "xxxxxxxxxxxx", cwd=work)
    assert done.code == 2
    assert "image list, image render" in done.err and "matrix list" not in done.err


def test_full_standard_output_is_reported():
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full here")
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [str(BINARY), "help"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert "standard output" in done.stderr


@pytest.mark.parametrize("word", ["build", "push"])
def test_built_in_images_are_not_touched_unasked(tmplgen, work, word):
    done = tmplgen("image", word, cwd=work)
    assert done.code == 2 and "nobody said which" in done.err
    assert "tmplgen image list" in done.err


@pytest.mark.parametrize("word", ["status", "diff"])
def test_who_looks_outside_of_a_repository_is_told_of_projects(tmplgen, work, word):
    done = tmplgen(word, cwd=work)
    assert done.code == 3 and "git init" not in done.err and "project" in done.err


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("torch", "pytorch"), ("jaxlib", "jax"), ("onnxruntime-gpu", "onnxruntime")],
)
def test_the_name_that_pip_has_for_a_framework_is_understood(tmplgen, work, typed, meant):
    for words in (["matrix", "resolve"], ["new", "x", "--type", "service", "--defaults"]):
        done = tmplgen(*words, "--framework", typed, cwd=work)
        assert done.code == 2 and f"did you mean '{meant}'?" in done.err


@pytest.mark.parametrize("typed", ["keras", "sklearn", "TF", "flax"])
def test_what_people_say_for_a_stack_is_answered_with_a_request_that_works(tmplgen, work, typed):
    said = tmplgen("matrix", "resolve", "--framework", typed, cwd=work)
    assert said.code == 2
    request = re.search(r"did you mean (--framework .*)\?", said.err)[1]
    assert tmplgen("matrix", "resolve", *request.split(), cwd=work).code == 0


def test_what_was_recorded_unchecked_is_not_looked_at_again(tmplgen, work):
    words = ["--type", "library", "--framework", "pytorch", "--with", "torchvison"]
    assert tmplgen("new", "it", *words, "--defaults", cwd=work).code == 2
    assert tmplgen("new", "it", *words, "--defaults", "--unchecked", cwd=work).code == 0
    child = work / "it"
    assert tmplgen("update", "--set", "python=3.11", cwd=child).code == 0
    refused = tmplgen("update", "--set", "with=acelerate", cwd=child)
    assert refused.code == 2 and "did you mean 'accelerate'? --unchecked" in refused.err
    assert tmplgen("update", "--set", "with=acelerate", "--unchecked", cwd=child).code == 0


@pytest.mark.parametrize("words", [["-q"], ["--json", "-v"], ["--quiet"]])
def test_switches_of_every_command_may_stand_before_it(tmplgen, work, words):
    for command in (["version"], ["matrix", "list"]):
        before = tmplgen(*words, *command, cwd=work)
        after = tmplgen(*command, *words, cwd=work)
        assert (before.code, before.out, before.err) == (0, after.out, after.err)
    assert tmplgen(*words, "version", words[0], cwd=work).code == 2


def test_other_options_come_after_the_command_and_that_is_said(tmplgen, work):
    done = tmplgen("--gpu", "T4", "new", cwd=work)
    assert done.code == 2 and "'--gpu' must come after a command" in done.err
