"""Random texts of Jinja2 in every style, through an import, beside the real Jinja2."""

import json
import os
import random

import jinja2
import pytest

from .world import put

SEED = int(os.environ.get("SEED", "20261126"))

TAGS = [
    ("{{", "}}", "{%", "%}", "{#", "#}"),
    ("[[", "]]", "[%", "%]", "[#", "#]"),
    ("<<", ">>", "<%", "%>", "<#", "#>"),
    ("\\VAR{", "}", "\\BLOCK{", "}", "\\#{", "}"),
]
NAMES = [
    *("variable_start_string", "variable_end_string", "block_start_string"),
    *("block_end_string", "comment_start_string", "comment_end_string"),
]
# trim_blocks, lstrip_blocks, keep_trailing_newline
MODES = [(False, False, True), (True, False, True), (False, True, True), (True, True, False)]
STYLES = [(tags, mode) for tags in TAGS for mode in MODES]

WORDS = [
    *("a", " ", "  ", "\t", "\n", "\n\n", " \n", "\n ", "\n  ", "x y", "é", "\u00a0", "{", "}"),
    *("[", "]", "%", "#", "{{ x }}", "{% y %}", "{# z #}", "[[ x ]]", "[% y %]", "${{ s }}", "$"),
    *("-", "+", "'", '"', "<b>", "\\", "{% raw %}", "\u2028", "\f", "}}", "%}", "#}"),
]
EXPRESSIONS = ["s", "'{{'", "s|upper", "{'k': s}['k']", "[1, 2]|length", "s if a else '%}'", '"\'"']


class Writer:
    def __init__(self, rng, tags):
        self.rng, self.tags = rng, tags

    def text(self) -> str:
        """No tag of the style begins in it."""
        while True:
            out = "".join(self.rng.choices(WORDS, k=self.rng.randint(0, 4)))
            if not any(begin in out + "{[<\\" for begin in self.tags[::2]):
                return out

    def blank(self) -> str:
        return self.rng.choice(["", " ", " ", "  ", "\n"])

    def sign(self, plus=True) -> str:
        return self.rng.choice(["", "", "", "", "-", "+" if plus else ""])

    def block(self, words: str, plus_end=True) -> str:
        begin, end = self.tags[2:4]
        inside = f"{self.blank()}{words}{self.blank()}"
        return f"{begin}{self.sign()}{inside}{self.sign(plus_end)}{end}"

    def output(self) -> str:
        begin, end = self.tags[:2]
        inside = f" {self.rng.choice(EXPRESSIONS)} "
        return f"{begin}{self.sign()}{inside}{self.sign(False)}{end}"

    def comment(self) -> str:
        begin, end = self.tags[4:]
        inside = self.rng.choice(["", " c ", "c", " {{ x ", "\n", " {% raw %} ", " - ", " +"])
        return f"{begin}{self.sign()}{inside}{self.sign()}{end}"

    def raw(self) -> str:
        inside = self.text() + self.rng.choice(["", self.output(), self.comment(), "{% if x"])
        return self.block("raw", False) + inside + self.block("endraw")

    def node(self, depth: int) -> str:
        kind = self.rng.randint(0, 9)
        if kind < 3:
            return self.output()
        if kind < 5:
            return self.comment()
        if kind < 6:
            return self.raw()
        if kind < 7:
            return self.block("set v = s")
        if depth > 2:
            return self.output()
        if kind < 9:
            return (
                self.block(self.rng.choice(["if a", "if not a", "if s == 'x'"]))
                + self.body(depth + 1)
                + (self.block("else") + self.body(depth + 1) if self.rng.random() < 0.4 else "")
                + self.block("endif")
            )
        return self.block("for i in [1, 2]") + self.body(depth + 1) + self.block("endfor")

    def body(self, depth=0) -> str:
        out = self.text()
        for _ in range(self.rng.randint(1, 4)):
            out += self.node(depth) + self.text()
        return out


def cases(tags, seed, count):
    rng = random.Random(seed)
    return [Writer(rng, tags).body() for _ in range(count)]


def rendered(environment, text):
    """What Jinja2 makes of it; None where it takes it for no template."""
    try:
        return environment.from_string(text).render(a=True, s="x")
    except jinja2.TemplateError:
        return None


def check(world, style, seed, count):
    tags, (trim, lstrip, keep) = style
    options = {
        **dict(zip(NAMES, tags, strict=True)),
        "trim_blocks": trim,
        "lstrip_blocks": lstrip,
        "keep_trailing_newline": keep,
    }
    texts = cases(tags, seed, count)
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, **options)
    wanted = {f"f{i}": rendered(environment, text) for i, text in enumerate(texts)}
    manifest = {"_envops": options, "a": True, "s": "x"}
    files = {f"f{i}.jinja": text for i, text in enumerate(texts)}
    put(world.folder / "template", {"copier.yml": json.dumps(manifest), **files})
    document = world.imported()
    made = world.ours(document, {})
    # at least one template must read each answer, else it is no question
    for name, want in wanted.items():
        source = texts[int(name[1:])]
        got = made[name][0].decode() if name in made else None
        assert got == want, f"SEED={seed} {style} {name}: {source!r}"


@pytest.mark.parametrize("style", STYLES[::8], ids=str)
def test_random_texts_keep_their_bytes(world, style):
    check(world, style, SEED, 60)


@pytest.mark.full
@pytest.mark.parametrize("style", STYLES, ids=str)
def test_many_random_texts_keep_their_bytes(world, style):
    check(world, style, SEED + 1, 130)
