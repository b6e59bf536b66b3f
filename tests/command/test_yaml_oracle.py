"""What tmplgen reads and writes as YAML, PyYAML reads and writes the same.

The real PyYAML is the oracle: it takes every plain text for what YAML 1.1 says it looks like, so a
text that is not quoted where it has to be comes back as something else.
"""

import random

import pytest
import yaml

from ..common.pure_yaml import read_yaml

# What YAML gives a meaning to, what looks like another type, and what does not show.
PIECES = [
    *("yes No y n null ~ true 1 1.5 0x1 1e5 1_0 1:30 2024-01-01 .inf . = << on o").split(),
    *"-#[]{},!&*|>%@`\"'\\:?/+()_<~",
    *("- ", "---", "...", ": ", " #", "? ", "\n", "\n\n", "\t", "\r\n", " ", "  "),
    *("\u00e9", "\u65e5", "\U0001f600", "\u00a0", "\u00df", "a", "abc", "Word"),
    *("\x1b", "\x7f", "\x85", "\u200b", "\u202e", "\u2028", "\ufeff", "\U000e0001"),
]


def texts(seed, count):
    draw = random.Random(seed)
    return ["".join(draw.choices(PIECES, k=draw.choice([1, 1, 2, 2, 3, 6]))) for _ in range(count)]


def questions(count):
    lines = "".join(f"  - {{name: q{i}, type: str, default: x}}\n" for i in range(count))
    return f"description: a test\nstack: none\nquestions:\n{lines}"


def use_all(count):
    return "".join(f"{{{{ q{i} }}}}\n" for i in range(count))


@pytest.mark.parametrize("seed", range(4))
def test_answers_are_read_and_recorded_as_pyyaml_reads_them(new, work, catalog, tmp_path, seed):
    asked = {f"q{i}": text for i, text in enumerate(texts(seed, 100))}
    catalog.template(questions(len(asked))).file("hello.txt.j2", use_all(len(asked)))
    style = [None, '"', "'", "|"][seed]
    written = yaml.safe_dump(asked, default_style=style, allow_unicode=seed % 2 == 0)
    path = tmp_path / "answers.yml"
    path.write_text(written, encoding="utf-8", newline="")
    answers = read_yaml(written)  # U+0085 is a line break to every reader: not always as asked

    done = new("child", "--answers", path)

    assert done.code == 0, done.err
    record = (work / "child" / ".tmplgen.yml").read_bytes().decode()
    got = read_yaml(record)["answers"]
    assert {name: got[name] for name in answers} == answers
    assert all(c.isprintable() or c == "\n" for c in record)
