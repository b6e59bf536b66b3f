"""What a repository says of itself is guessed, shown, and asked for on a terminal."""

import pytest

from ..common.terminal import converse
from ..update.world import put

QUESTIONS = """description: a test
stack: none
questions:
  - {name: package, type: str, default: pkg, pattern: "[a-z][a-z0-9_]*"}
  - {name: description, type: str, default: none}
  - {name: author, type: str, default: nobody}
  - {name: licence, type: choice, default: MIT, choices: [MIT, BSD]}
  - {name: docs, type: bool, default: false}
  - {name: ci, type: list, default: [github], choices: [github, gitlab]}
  - {name: workers, type: int, default: 1}
"""
ANSWERS = {
    "answers.j2": "{{ name }} {{ package }} {{ description }} {{ author }} {{ licence }} "
    "{{ docs }} {{ ci | join('+') }} {{ workers }}\n"
}
PYPROJECT = """# a comment with "quotes" and [brackets]
[build-system]
requires = ["setuptools"]
[project]
name = "My_Shop"
description = 'Sells # things'
requires-python = ">=3.9"
dependencies = [
  "torch == 2.4.1",  # the framework
  "numpy>=1; python_version < '3.12'",
]
[project.optional-dependencies]
dev = ["pytest"]
"""
POETRY = """[tool.poetry]
name = "shop"
[tool.poetry.dependencies]
python = "^3.10"
torch = {version = "~2.4", extras = ["x"]}
"""
SETUP = """[metadata]
name = shop
description: Sells things
[options]
python_requires = >=3.9
install_requires =
    numpy
    torch>=2.2,<2.5
"""
CONDA = """name: env
channels: [conda-forge]
dependencies:
  - python=3.11
  - conda-forge::pytorch=2.4
  - numpy
  - pip:
      - requests==2
"""


def guesses(done) -> dict:
    assert done.code == 0, done.err
    return {guess["what"]: (guess["value"], guess["from"]) for guess in done.json["guesses"]}


# Files, and what is guessed of the stack.
STACKS = {
    "requirements": (
        {"requirements.txt": "flask\n--index-url https://x\n-r more.txt\ntorch==2.4.1+cu121\n"},
        {"framework": ("pytorch==2.4.1", "requirements.txt")},
    ),
    "requirements with hashes": (
        {"requirements.txt": "torch==2.4.1 \\\n    --hash=sha256:00\nother==1 --hash=sha256:00\n"},
        {"framework": ("pytorch==2.4.1", "requirements.txt")},
    ),
    "a folder of requirements": (
        {"requirements/base.txt": "tensorflow>=2.16\n", "requirements/dev.txt": "pytest\n"},
        {"framework": ("tensorflow>=2.16", "requirements/base.txt")},
    ),
    "a pin tells more than a name": (
        {"requirements-dev.txt": "torch\n", "requirements.txt": "torch==2.4.1\n"},
        {"framework": ("pytorch==2.4.1", "requirements.txt")},
    ),
    "pyproject": (
        {"pyproject.toml": PYPROJECT},
        {"framework": ("pytorch==2.4.1", "pyproject.toml"), "python": (">=3.9", "pyproject.toml")},
    ),
    "poetry": (
        {"pyproject.toml": POETRY},
        {
            "framework": ("pytorch>=2.4,<2.5", "pyproject.toml"),
            "python": (">=3.10,<4", "pyproject.toml"),
        },
    ),
    "a group of poetry": (
        {
            "pyproject.toml": "[tool.poetry.dependencies]\npython = '~3'\n"
            "[tool.poetry.group.ml.dependencies]\ntorch = {version = '~2.4', optional = true}\n"
        },
        {
            "framework": ("pytorch>=2.4,<2.5", "pyproject.toml"),
            "python": (">=3,<4", "pyproject.toml"),
        },
    ),
    "poetry's older table": (
        {"pyproject.toml": "[tool.poetry.dev-dependencies]\njax = '^0.4.30'\n"},
        {"framework": ("jax>=0.4.30,<0.5", "pyproject.toml")},
    ),
    "setup.cfg": (
        {"setup.cfg": SETUP},
        {"framework": ("pytorch>=2.2,<2.5", "setup.cfg"), "python": (">=3.9", "setup.cfg")},
    ),
    "environment.yml": (
        {"environment.yml": CONDA},
        {
            "framework": ("pytorch==2.4.*", "environment.yml"),
            "python": ("==3.11.*", "environment.yml"),
        },
    ),
    "Dockerfile": (
        {
            "Dockerfile": "ARG V=1\nFROM --platform=linux/amd64 python:3.11.4-slim AS base\nRUN x\n"
            "FROM x:$V\n",
            "requirements.txt": "onnxruntime-gpu\n",
        },
        {
            "framework": ("onnxruntime", "requirements.txt"),
            "python": ("==3.11.*", "Dockerfile"),
        },
    ),
    "an image of a framework": (
        {"Dockerfile": "FROM pytorch/pytorch:2.4.1-cuda12.1-cudnn9-runtime\n"},
        {"framework": ("pytorch==2.4.1", "Dockerfile")},
    ),
    "an exact Python tells more": (
        {
            "pyproject.toml": "[project]\nrequires-python = '>=3.9'\n",
            ".python-version": "3.12.1\n",
            "requirements.txt": "jax\n",
        },
        {"framework": ("jax", "requirements.txt"), "python": ("==3.12.*", ".python-version")},
    ),
}


@pytest.mark.parametrize("name", STACKS)
def test_the_stack(place, name):
    files, expected = STACKS[name]
    place.repository(files)
    done = place.adopt("--dry-run", "--set", "ci=none", catalog=False, kind="service")
    found = guesses(done)
    assert {key: found[key] for key in ("framework", "python") if key in found} == expected


def test_an_option_wins_over_a_guess(place):
    place.repository({"pyproject.toml": PYPROJECT})
    done = place.adopt(
        *("--dry-run", "--framework", "jax", "--python", "3.12", "--name", "other"),
        *("--set", "package=mine"),
        catalog=False,
        kind="service",
    )
    assert set(guesses(done)) == {"description"}
    stack = {line["what"]: line["to"] for line in done.json["stack"]}
    assert stack["framework"] == "jax" and stack["python"] == "3.12"


def test_a_pin_without_a_row_is_loosened_and_told(place):
    place.repository({"requirements.txt": "torch==2.4.99\n"})
    done = place.adopt("--dry-run", catalog=False, kind="service")
    assert guesses(done)["framework"] == ("pytorch==2.4.*", "requirements.txt")
    (warning,) = done.json["warnings"]
    assert warning == (
        "requirements.txt says 'pytorch==2.4.99', for which there is no stack: 'pytorch==2.4.*' "
        "was taken"
    )


def test_a_framework_without_any_row_is_loosened_to_its_name(place):
    place.repository({"requirements.txt": "torch==0.0.1\n", ".python-version": "3.11\n"})
    done = place.adopt("--dry-run", catalog=False, kind="service")
    found = guesses(done)
    assert found["framework"] == ("pytorch", "requirements.txt")
    assert found["python"] == ("==3.11.*", ".python-version")


def test_a_python_without_a_stack_is_left_out_and_told(place):
    place.repository({"requirements.txt": "torch==2.4.1\n", ".python-version": "3.99\n"})
    done = place.adopt("--dry-run", catalog=False, kind="service")
    found = guesses(done)
    assert found["framework"] == ("pytorch==2.4.1", "requirements.txt") and "python" not in found
    assert any(".python-version says Python '==3.99.*'" in text for text in done.json["warnings"])


def test_a_python_that_the_type_does_not_take_is_left_out_and_told(place):
    place.repository({"requirements.txt": "torch==2.4.1\n", ".python-version": "3.10\n"})
    done = place.adopt("--dry-run", catalog=False, kind="batch")
    assert "python" not in guesses(done)
    (python,) = (line["to"] for line in done.json["stack"] if line["what"] == "python")
    assert int(python.split(".")[1]) >= 11
    assert any(".python-version says Python '==3.10.*'" in text for text in done.json["warnings"])


def test_several_frameworks_are_told(place):
    place.repository({"requirements.txt": "xgboost\ntorch\ntransformers\n"})
    done = place.adopt("--dry-run", catalog=False, kind="service")
    assert guesses(done)["framework"][0] == "pytorch"
    (warning,) = done.json["warnings"]
    assert "'pytorch', 'transformers', 'xgboost'" in warning and "--framework" in warning


def test_without_a_framework_it_is_missing_still(place):
    place.repository({"requirements.txt": "flask\nnumpy\n"})
    done = place.adopt("--dry-run", catalog=False, kind="service")
    assert done.code == 2 and done.error["code"] == "missing-answer"


# ---------------------------------------------------------------- answers

COPIER = """# Changes here will be overwritten by Copier
_commit: v1.2.0
_src_path: gh:someone/template
project_name: My Shop
package_name: shop
author: Ann
licence: BSD
docs: true
ci:
- gitlab
- github
workers: 4
unknown: x
"""
CRUFT = """{"template": "https://example.org/t", "commit": "00", "checkout": null, "context":
{"cookiecutter": {"project_name": "My Shop", "project_slug": "my_shop", "author": "Ann",
"licence": "GPL", "workers": 2, "_template": "t", "python_version": "3.11"}}, "directory": null}
"""
TAKEN = {
    "pyproject": (
        {"pyproject.toml": PYPROJECT, "src/shop/__init__.py": ""},
        "my-shop shop Sells # things nobody MIT False github 1\n",
    ),
    "setup.cfg": (
        {"setup.cfg": SETUP, "shop/__init__.py": "", "tests/__init__.py": ""},
        "shop shop Sells things nobody MIT False github 1\n",
    ),
    "copier": ({".copier-answers.yml": COPIER}, "my-shop shop none Ann BSD True gitlab+github 4\n"),
    "cruft": ({".cruft.json": CRUFT}, "my-shop my_shop none Ann MIT False github 2\n"),
    "the folder": ({"x": "x\n"}, "child pkg none nobody MIT False github 1\n"),
}


@pytest.mark.parametrize("name", TAKEN)
def test_the_answers(place, name):
    files, expected = TAKEN[name]
    place.release("1.0.0", ANSWERS, template=QUESTIONS)
    place.repository(files)
    before = place.listing()
    done = place.adopt()
    assert done.code == 0, done.err
    assert place.read("answers") == expected
    assert done.json["warnings"] == []
    assert {path: place.listing()[path] for path in before} == before
    for what, (value, origin) in guesses(done).items():
        assert value.split(",")[0] in place.record() and (origin in before or "folder" in origin), (
            what
        )


def test_answers_files_and_flags_win_over_guesses_and_guesses_over_the_configuration(place):
    place.release("1.0.0", ANSWERS, template=QUESTIONS)
    place.repository({".copier-answers.yml": COPIER})
    put(
        place.home,
        {
            ".config/tmplgen/config.yml": "answers: {author: Config, description: Config}\n",
            "answers.yml": "licence: MIT\n",
        },
    )
    done = place.adopt("--answers", place.home / "answers.yml", "--set", "workers=9")
    assert done.code == 0, done.err
    assert place.read("answers") == "my-shop shop Config Ann MIT True gitlab+github 9\n"
    assert {"licence", "workers"}.isdisjoint(guesses(done))


HOSTILE = {
    "no TOML": ({"pyproject.toml": "[project\nname = 'x'\n"}, "pyproject.toml"),
    "no YAML": ({"environment.yml": "a: &b [\n"}, "environment.yml"),
    "no JSON": ({".cruft.json": '{"context":'}, ".cruft.json"),
    "YAML of another kind": ({".copier-answers.yml": "a: !!python/x y\n"}, ".copier-answers.yml"),
    "too large": ({"requirements.txt": "#" * (1 << 21)}, "requirements.txt"),
    "binary": ({"setup.cfg": b"[metadata]\nname = \xff\n"}, "setup.cfg"),
    "NUL": ({"Dockerfile": b"FROM a\0b:1.2\n"}, "Dockerfile"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_read_is_a_warning(place, name):
    files, path = HOSTILE[name]
    place.release("1.0.0", ANSWERS, template=QUESTIONS)
    place.repository(files)
    done = place.adopt("--dry-run")
    assert done.code == 0, done.err
    (warning,) = done.json["warnings"]
    assert warning.startswith(f"'{path}' was not read for guesses: ")


def test_odd_content_is_passed_over(place):
    place.release("1.0.0", ANSWERS, template=QUESTIONS)
    place.repository(
        {
            "requirements.txt": "@\n==\n;;;\n" + "x" * 5000 + "==" + "9" * 5000 + "\n" * 20,
            "Dockerfile": "FROM\nFROM \nFROM a:\nFROM :1.2\nFROM ${X:-y}:1.2\nfrom python:3\n",
            "environment.yml": "dependencies: {a: b}\n",
            ".python-version": "\n",
            ".cruft.json": '{"context": {"cookiecutter": [1, 2]}}',
            ".copier-answers.yml": "- a\n- b\n",
            "pyproject.toml": "[project]\nname = ''\ndependencies = [['x'], {y = 'z'}]\n",
            "setup.cfg": "name\n[metadata\n= x\n  more\n[options]\npython_requires\n",
            "environment.yaml": "dependencies:\n- =\n- a=\n- pip\n- {pip: x}\n- ::\n- python=\n",
        }
    )
    done = place.adopt("--dry-run")
    assert done.code == 0, done.err
    assert guesses(done) == {"name": ("child", "the folder's name")}


LONG_KEYS = {
    "deep": f"[{'.'.join('a' * 200_000)}]\nx = 'y'\n",
    "deep, many": f"[{'.'.join('a' * 1000)}]\n" + "".join(f"x{i} = ''\n" for i in range(60_000)),
    "long, many": f"[{'k' * 200_000}]\n" + "".join(f"x{i} = ''\n" for i in range(60_000)),
    "array": f"[{'k' * 200_000}]\nx = [" + "''," * 200_000 + "]\n",
}


@pytest.mark.parametrize("name", LONG_KEYS)
def test_keys_that_are_long_cost_little(place, name):
    """Each value's path was put together anew: gigabytes, for a file of one megabyte."""
    place.release("1.0.0", ANSWERS, template=QUESTIONS)
    place.repository({"pyproject.toml": "[project]\nname = 'found'\n" + LONG_KEYS[name]})
    done = place.adopt("--dry-run", prefix=("prlimit", f"--data={256 << 20}"))
    assert done.code == 0, done.err
    assert guesses(done)["name"] == ("found", "pyproject.toml")


def test_a_list_that_is_long_costs_little(place):
    place.release("1.0.0", ANSWERS, template=QUESTIONS)
    answers = "name: found\nzz:\n" + "- aa\n" * 150_000
    place.repository({".copier-answers.yml": answers})
    done = place.adopt("--dry-run", prefix=("prlimit", f"--data={512 << 20}"))
    assert done.code == 0, done.err
    assert guesses(done)["name"] == ("found", ".copier-answers.yml")


@pytest.mark.parametrize("number", ["9223372036854775807", "1" * 500])
@pytest.mark.parametrize("form", ["^{}", "~1.{}", "^0.0.{}"])
def test_a_number_that_is_no_version_is_passed_over(place, number, form):
    place.release("1.0.0", ANSWERS, template=QUESTIONS)
    text = f"[tool.poetry.dependencies]\npython = '{form.format(number)}'\n"
    place.repository({"pyproject.toml": text})
    assert "python" not in guesses(place.adopt("--dry-run"))


def test_what_a_terminal_would_do_is_no_guess(place):
    place.release("1.0.0", ANSWERS, template=QUESTIONS)
    escape = "description = 'x'\nname = \"a\\u001b]0;pwn\\u0007\"\n"
    place.repository({"pyproject.toml": "[project]\n" + escape})
    done = place.adopt("--dry-run")
    assert done.code == 0 and guesses(done)["name"] == ("child", "the folder's name"), done.out


def test_links_and_files_of_nested_projects_are_not_read(place):
    place.release("1.0.0", ANSWERS, template=QUESTIONS)
    secret = place.folder / "secret.toml"
    secret.write_text("[project]\nname = 'secret'\n")
    place.repository({"pyproject.toml": ("l", str(secret)), "x": "1\n"})
    assert guesses(place.adopt("--dry-run")) == {"name": ("child", "the folder's name")}


def test_guesses_that_do_not_go_together_are_left_out(place):
    refuse = "refuse:\n  - {when: \"package == 'shop'\", because: no shop}\n"
    place.release("1.0.0", ANSWERS, template=QUESTIONS + refuse)
    place.repository({"shop/__init__.py": "", "x": "1\n"})
    done = place.adopt()
    assert done.code == 0, done.err
    assert place.read("answers").split()[1] == "pkg"
    assert "what was guessed is left out: no shop" in done.json["warnings"]


# ---------------------------------------------------------------- on a terminal


def test_each_is_asked_on_a_terminal(place):
    place.release("1.0.0", ANSWERS, template=QUESTIONS)
    place.repository({".copier-answers.yml": COPIER})
    words = [place.binary, "adopt", place.child, "--catalog", place.catalog]
    replies = ["app", "", "store", "", "", "", "no", "", ""]
    cues = [" > "] * len(replies)
    code, _, shown = converse(
        words,
        place.folder,
        place.env,
        [(cue, f"{text}\n") for cue, text in zip(cues, replies, strict=True)],
    )
    assert code == 0, shown
    assert "[my-shop] >" in shown and "[shop] >" in shown and "[gitlab, github] >" in shown
    assert place.read("answers") == "my-shop store none Ann BSD False gitlab+github 4\n"


def test_the_stack_is_asked_on_a_terminal(place):
    place.repository({"requirements.txt": "torch==2.4.1\n", ".python-version": "3.11\n"})
    words = [place.binary, "adopt", place.child, "--type", "service"]
    replies = [(" > ", "\n"), (" > ", "3.10\n"), *[(" > ", "\n")] * 13]
    code, out, shown = converse(words, place.folder, place.env, replies)
    assert code == 0, shown
    assert "[pytorch==2.4.1] >" in shown and "[==3.11.*] >" in shown
    assert "-> 3.10" in out and "requirements.txt" in out
