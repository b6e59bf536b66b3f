"""Random texts of Jinja2 in every style of tags and white space, and what Jinja2 makes of them.

For the importer in Python, whose tests are to hold that a converted text renders to the same bytes:
for each of `STYLES` convert the texts of `cases`, and compare with `rendered`.
"""

import random

import jinja2

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


def options_of(style):
    """The settings of a Jinja2 environment."""
    tags, (trim, lstrip, keep) = style
    return {
        **dict(zip(NAMES, tags, strict=True)),
        "trim_blocks": trim,
        "lstrip_blocks": lstrip,
        "keep_trailing_newline": keep,
    }


def rendered(style, text):
    """The bytes that Jinja2 renders; None where the text is no template."""
    environment = jinja2.Environment(undefined=jinja2.StrictUndefined, **options_of(style))
    try:
        return environment.from_string(text).render(a=True, s="x")
    except jinja2.TemplateError:
        return None
