"""Our own filters, for which there is no Jinja2: what they write is read back by others."""

import json
import os
import random
import re
import shutil
import subprocess
import tomllib

import pytest

from ..common.pure_yaml import read_yaml

SEED = int(os.environ.get("SEED") or 20261126)
PIECES = [
    "a", "B", "0", " ", "  ", "\t", "'", '"', "\\", "$", "${x}", "$(id)", "`", "#", "=", "\u00e9",
    "\u6f22", "\U0001f600", "-", ".", ",", ":", "[", "{", "}", "&", "|", ">", "%", "@", "!", "*",
    "null", "yes", "1e3", "<<", "---", "\u200b", "\u2028", "\x7f", "\x01", "\x1b", "\xa0",
]  # fmt: skip
BREAKS = ["\n", "\r", "\r\n", "\x85", "\n\n"]


def text(rng, pieces=(*PIECES, *BREAKS)):
    return "".join(rng.choice(pieces) for _ in range(rng.randrange(8)))


def value(rng, depth, nulls):
    kinds = [
        lambda: text(rng),
        lambda: rng.randrange(-(2**63), 2**63),
        lambda: rng.choice([0.0, -0.0, 0.1, 1e16, -2.5e-9, 1.7976931348623157e308, 100.0]),
        lambda: rng.random() < 0.5,
    ]
    if nulls:
        kinds.append(lambda: None)
    if depth:
        kinds.append(lambda: [value(rng, depth - 1, nulls) for _ in range(rng.randrange(4))])
        kinds.append(
            lambda: {text(rng): value(rng, depth - 1, nulls) for _ in range(rng.randrange(4))}
        )
    return rng.choice(kinds)()


def values(count, nulls=True):
    print(f"SEED={SEED}")
    rng = random.Random(SEED)
    return [value(rng, 3, nulls) for _ in range(count)]


def same(a, b):
    """Equal, and of the same types all through: 1, 1.0 and true are three things."""
    return json.dumps(a) == json.dumps(b)


def written(ours, template, x):
    answer = ours.ask(template, {"x": x})
    assert "out" in answer, (answer, x)
    return answer["out"]


def test_toml_of_any_value_is_read_back(ours):
    for x in values(600, nulls=False):
        line = written(ours, "{{ x|to_toml }}", x)
        assert "\n" not in line
        assert same(tomllib.loads(f"before = 1\nx = {line} # comment\nafter = 2\n")["x"], x)


@pytest.mark.parametrize("template", ["{{ none|to_toml }}", "{{ [1, [none]]|to_toml }}"])
def test_toml_has_no_null(ours, template):
    assert ours.ask(template)["error"] == "none has no form in TOML"


@pytest.mark.parametrize(
    ("template", "says"),
    [
        ("{{ {1: 2}|to_toml }}", "the key of a mapping is an integer, not a text"),
        ("{{ missing|to_toml }}", "'missing' is undefined"),
        ("{{ range(3)|to_toml }}", "a range has no form in TOML"),
        ("{{ 'a\nb'|dockerfile_quote }}", "a word of a Dockerfile holds no line end"),
        ("{{ 'a\\rb'|dockerfile_quote }}", "a word of a Dockerfile holds no line end"),
        ("{{ ['a']|dockerfile_quote }}", "'dockerfile_quote' takes a text, not a list"),
        ("{{ missing|dockerfile_quote }}", "'missing' is undefined"),
        ("{{ 1|to_yaml(indent=-1) }}", "the indent of 'to_yaml' is not 0 to 1024"),
        ("{{ 1|to_yaml('x') }}", "an integer is needed here, not a text"),
    ],
)
def test_what_has_no_form_is_refused(ours, template, says):
    assert ours.ask(template)["error"] == says


@pytest.mark.parametrize("indent", [0, 2, 5])
def test_yaml_in_block_form_is_read_back(ours, indent):
    for x in values(250):
        block = written(ours, f"{{{{ x|to_yaml(indent={indent}) }}}}", x)
        assert all(line.startswith(" " * indent) for line in block.split("\n"))
        assert same(read_yaml(block), x)
        if indent:
            assert same(read_yaml(f"a: 1\nx:\n{block}\nb: 2\n"), {"a": 1, "x": x, "b": 2})


def test_yaml_without_an_indent_is_one_line(ours):
    for template in ("{{ x|to_yaml }}", "{{ x|to_yaml(none) }}"):
        for x in values(200):
            line = written(ours, template, x)
            assert "\n" not in line
            assert same(read_yaml(f"- {line}\n"), [x])


def words(count):
    """Texts that a line of a Dockerfile can hold."""
    rng = random.Random(SEED)
    pieces = [p for p in PIECES if p != "\x01"]
    return [text(rng, pieces) for _ in range(count)] + [
        "",
        "$HOME",
        "a b",
        "\\",
        '"',
        "'",
        "a\\",
        " ",
    ]


def read_word(word):
    """The word as Docker's shell lexer reads it: plain, or in double quotes with three escapes."""
    if not word.startswith('"'):
        assert re.fullmatch(r"[\w@%+=:,./-]+", word, re.ASCII)
        return word
    inside = re.fullmatch(r'"((?:[^"\\$]|\\["\\$])*)"', word, re.DOTALL)[1]
    return re.sub(r'\\(["\\$])', r"\1", inside)


def test_word_for_a_dockerfile_is_one_word_without_variables(ours):
    for x in words(1000):
        assert read_word(written(ours, "{{ x|dockerfile_quote }}", x)) == x


@pytest.mark.full
@pytest.mark.skipif(not shutil.which("buildah"), reason="buildah is not installed")
def test_words_for_a_dockerfile_are_what_buildah_makes_of_them(ours, tmp_path):
    texts = words(60)
    lines = ["FROM scratch", "ENV x=EXPANDED"]
    for number, x in enumerate(texts):
        word = written(ours, "{{ x|dockerfile_quote }}", x)
        lines += [f"ENV E{number}={word}", f"LABEL L{number}={word} next=1"]
    (tmp_path / "Dockerfile").write_text("\n".join(lines) + "\n", encoding="utf-8")
    store = [
        "--root",
        str(tmp_path / "root"),
        "--runroot",
        str(tmp_path / "run"),
        "--storage-driver=vfs",
    ]
    build = ["buildah", *store, "build", "--isolation", "chroot", "-t", "words", str(tmp_path)]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    shown = subprocess.run(
        ["buildah", *store, "inspect", "--type", "image", "words"], capture_output=True, check=True
    )
    config = json.loads(shown.stdout)["OCIv1"]["config"]
    env = dict(entry.split("=", 1) for entry in config["Env"])
    assert [env[f"E{number}"] for number in range(len(texts))] == texts
    assert [config["Labels"][f"L{number}"] for number in range(len(texts))] == texts
