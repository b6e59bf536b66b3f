"""Random templates from a grammar: mostly right ones, of everything that the language has."""

import random

from . import grammar_filters

NAMES = ["s", "t", "i", "j", "f", "b", "n", "e", "l", "m", "d", "u", "w", "missing"]
CONTEXT = {
    "s": "Hello, World",
    "t": 'it\'s a <b>"t\u00e4st"</b>\n\n  two \u6f22\ttabs ',
    "i": 7,
    "j": -3,
    "f": 2.5,
    "b": True,
    "n": None,
    "e": [],
    "l": [3, 1, 2, 1],
    "m": ["b", "A", "c", "a", "B"],
    "d": {"a": 1, "b": [1, 2], "items": 5, "k\u00e9y": None},
    "u": [{"name": "Bob", "age": 3}, {"name": "al", "age": 2}, {"name": "Cy", "age": 2}],
    "w": "\u0394\u039f\u03a3 stra\u00dfe \ufb01n \u01c6",
}
INCLUDES = {
    "one": "one {{ i }}{% if x is defined %}{{ x }}{% endif %}\n",
    "two": "  {%- for x in l %}\n  {{ x }}{% include 'one' %}\n  {%- endfor %}\n",
    "three": "{{ loop is defined }}{% set x = 'inner' %}{{ x }}",
}
TEXTS = [
    "",
    " ",
    "a",
    "b,c",
    "x y  z",
    "\n",
    "\u00e9",
    "%s",
    "<a&'>",
    "ab",
    "A",
    "1",
    " 42 ",
    "2.5",
]
PLAIN = [
    " ",
    "\n",
    "  ",
    "\n\n",
    "text",
    "line\n",
    "  x  ",
    "{",
    "}",
    "%",
    "#",
    "\t",
    "\r\n",
    "\u00a0",
]
FILTERS = [
    "upper", "lower", "title", "capitalize", "trim", "length", "count", "first", "last", "list",
    "sort", "unique", "reverse", "join", "int", "float", "abs", "string", "round", "tojson",
    "items", "indent", "default", "format", "unique|list", "reverse|list", "items|list", "slug",
    "shell_quote", "sort|list",
]  # fmt: skip
TESTS = [
    "defined", "undefined", "none", "string", "number", "mapping", "iterable", "sequence", "odd",
    "even", "boolean", "integer", "float", "true", "false",
]  # fmt: skip
METHODS = [
    "upper()", "lower()", "title()", "capitalize()", "strip()", "split()", "items()", "keys()",
    "values()", "copy()", "splitlines()", "append", "count",
]  # fmt: skip
LOOP = [
    "index", "index0", "revindex", "revindex0", "first", "last", "length", "previtem", "nextitem",
    "depth", "cycle('a', 'b')", "changed(i)",
]  # fmt: skip


class Generator:
    """One template for each call of `template`; all of them follow from the seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.names = []
        self.loops = 0

    def pick(self, *choices):
        return self.random.choice(choices)()

    def one_in(self, count):
        return self.random.randrange(count) == 0

    # ------------------------------------------------------------ expressions

    def name(self):
        return self.random.choice(NAMES + self.names * 3)

    def text(self):
        text = self.random.choice(TEXTS)
        quote = self.random.choice("'\"")
        text = text.replace("\\", "\\\\").replace(quote, "\\" + quote)
        return quote + (text.replace("\n", "\\n") if self.one_in(2) else text) + quote

    def number(self):
        return self.random.choice(
            ["0", "1", "2", "3", "10", "-1", "-2", "1.5", "0.1", "-0.5", "1e3", "2.0", "100", "1_0"]
        )

    def constant(self):
        return self.random.choice(["true", "false", "none", "True", "None", "[]", "{}", "()"])

    def items(self, depth):
        return ", ".join(self.expression(depth) for _ in range(self.random.randrange(4)))

    def pairs(self, depth):
        return ", ".join(
            f"{self.atom()}: {self.expression(depth)}" for _ in range(self.random.randrange(3))
        )

    def atom(self):
        return self.pick(self.name, self.name, self.name, self.text, self.number, self.constant)

    def loop_part(self):
        return "loop." + self.random.choice(LOOP) if self.loops else self.name()

    def filtered(self, depth):
        return f"{self.primary(depth)}|{self.filter(depth)}"

    def filter(self, depth):
        if self.one_in(2):
            return grammar_filters.filter_call(self, depth)
        if not self.one_in(3):
            return self.random.choice(FILTERS)
        a, b = self.expression(depth), self.expression(depth)
        return self.random.choice([
            f"default({a})", f"default({a}, true)", f"join({a})", f"join({self.text()})",
            f"replace({self.text()}, {self.text()})", f"replace({a}, {b}, {self.number()})",
            f"round({self.number()})", f"round({self.number()}, 'floor')", "round(1, 'ceil')",
            f"trim({self.text()})", f"indent({self.number()})", f"indent({self.text()}, {a}, {b})",
            f"sort(reverse={self.constant()})", f"sort(case_sensitive={a})",
            "sort(attribute='age')",
            "join(', ', attribute='name')", f"unique({self.constant()})", f"int({a})",
            f"int(0, {self.number()})", f"float({a})", f"format({a})", f"format({a}, {b})",
            f"tojson(indent={self.number()})", "unique(attribute='age')|list", "sort(true, true)",
        ])  # fmt: skip

    def called(self, depth):
        a = self.expression(depth)
        return self.primary(depth) + "." + self.random.choice([
            *METHODS, f"split({self.text()})", f"rsplit({self.text()}, 1)", f"get({a})",
            f"get({a}, {self.atom()})", f"replace({self.text()}, {self.text()})", f"count({a})",
            f"startswith({self.text()})", f"endswith({self.text()})", f"append({a})",
            f"extend({a})", f"update({a})", f"join({a})", f"find({self.text()})", f"index({a})",
            f"insert({self.number()}, {a})", f"strip({self.text()})", f"zfill({self.number()})",
            f"center({self.number()})", f"partition({self.text()})", f"setdefault({a}, 1)",
            f"update(a={a})", f"removeprefix({self.text()})", f"rjust({self.number()}, '*')",
        ])  # fmt: skip

    def member(self, depth):
        tail = self.random.choice([
            ".a", ".b", ".name", ".items", ".nope", ".0", ".1", "[0]", "[-1]", "['a']", "[i]",
            f"[{self.expression(depth)}]",
        ])  # fmt: skip
        return self.primary(depth) + tail

    def primary(self, depth):
        if depth <= 0:
            return self.atom()
        return self.pick(
            self.atom,
            self.atom,
            self.loop_part,
            lambda: f"[{self.items(depth - 1)}]",
            lambda: f"({self.items(depth - 1)})",
            lambda: f"{{{self.pairs(depth - 1)}}}",
            lambda: f"({self.expression(depth - 1)})",
            lambda: self.member(depth - 1),
            lambda: self.called(depth - 1),
            lambda: f"range({self.random.randrange(-2, 5)})",
        )

    def expression(self, depth):
        if depth <= 0 or self.one_in(3):
            return self.atom()
        a, b = depth - 1, depth - 1
        operator = self.random.choice(["+", "-", "*", "/", "//", "%", "~", "**"])
        compare = self.random.choice(["==", "!=", "<", "<=", ">", ">=", "in", "not in"])
        logic = self.random.choice(["and", "or"])
        return self.pick(
            lambda: self.primary(depth),
            lambda: self.filtered(a),
            lambda: self.filtered(a),
            lambda: self.called(a),
            lambda: f"{self.expression(a)} {operator} {self.expression(b)}",
            lambda: f"{self.expression(a)} {compare} {self.expression(b)}",
            lambda: f"{self.expression(a)} {logic} {self.expression(b)}",
            lambda: f"not {self.expression(a)}",
            lambda: f"-{self.primary(a)}",
            lambda: f"{self.primary(a)} is {self.random.choice(TESTS)}",
            lambda: f"{self.primary(a)} is not {self.random.choice(TESTS)}",
            lambda: f"{self.primary(a)} is divisibleby {self.number()}",
            lambda: f"{self.primary(a)} is {grammar_filters.test_call(self, a)}",
            lambda: f"{self.expression(a)} if {self.expression(b)} else {self.expression(a)}",
            lambda: f"({self.expression(a)} if {self.expression(b)})",
            lambda: f"{self.text()} % {self.expression(a)}",
            lambda: (
                f"'%s|%r|%5.1f' % ({self.expression(a)}, {self.expression(b)}, {self.number()})"
            ),
        )

    # ------------------------------------------------------------ statements

    def sign(self, also_plus=True):
        return self.random.choice(["", "", "", "-", "+" if also_plus else "-"])

    def tag(self, text):
        return "{%" + self.sign() + " " + text + " " + self.sign() + "%}"

    def output(self):
        space = self.random.choice(["", " "])
        return "{{" + self.sign() + space + self.expression(3) + " " + self.sign(False) + "}}"

    def plain(self):
        return "".join(self.random.choice(PLAIN) for _ in range(self.random.randrange(1, 4)))

    def comment(self):
        return (
            "{#"
            + self.sign()
            + " "
            + self.random.choice(["", "c", "{{ x }}", "\n"])
            + self.sign()
            + "#}"
        )

    def raw(self):
        inside = self.random.choice(["{{ x }}", "  {% if %}\n", "", " a "])
        return self.tag("raw") + inside + self.tag("endraw")

    def condition(self, depth):
        text = self.tag(f"if {self.expression(2)}") + self.body(depth - 1)
        if self.one_in(3):
            text += self.tag(f"elif {self.expression(2)}") + self.body(depth - 1)
        if self.one_in(2):
            text += self.tag("else") + self.body(depth - 1)
        return text + self.tag("endif")

    def loop(self, depth):
        target, names = self.random.choice(
            [("x", ["x"]), ("x", ["x"]), ("y", ["y"]), ("k, v", ["k", "v"]), ("i", [])]
        )
        source = self.random.choice(
            ["l", "m", "u", "d", "s", "e", "range(3)", "[1, 2]", "l|reverse", "l|unique", "'ab'"]
        )
        if names == ["k", "v"]:
            source = self.random.choice(["d.items()", "d|items", "[(1, 2), (3, 4)]", "['ab']"])
        test = f" if {self.expression(2)}" if self.one_in(4) else ""
        before = list(self.names)
        self.names += names
        self.loops += 1
        text = self.tag(f"for {target} in {source}{test}") + self.body(depth - 1)
        self.loops -= 1
        self.names = before
        if self.one_in(4):
            text += self.tag("else") + self.body(depth - 1)
        return text + self.tag("endfor")

    def assignment(self, depth):
        name = self.random.choice(["x", "y", "z", "i", "s"])
        kind = self.random.randrange(6)
        if kind == 0 and depth > 0:
            chain = self.random.choice(["", " | upper", " | trim | length", " | replace('a', 'b')"])
            text = self.tag(f"set {name}{chain}") + self.body(depth - 1) + self.tag("endset")
        elif kind == 1:
            text = self.tag(f"set {name}, q = {self.expression(2)}, {self.expression(1)}")
        else:
            text = self.tag(f"set {name} = {self.expression(3)}")
        self.names.append(name)
        return text

    def include(self):
        name = self.random.choice(["'one'", "'two'", "'three'", "['nope', 'one']"])
        more = self.random.choice(["", "", " ignore missing", " without context", " with context"])
        return self.tag(f"include {name}{more}")

    def statement(self, depth):
        simple = [self.plain, self.plain, self.output, self.output, self.comment]
        if self.one_in(12):
            simple.append(self.raw)
        if self.one_in(8):
            simple.append(self.include)
        if depth <= 0:
            return self.pick(*simple)
        return self.pick(
            *simple,
            lambda: self.condition(depth),
            lambda: self.loop(depth),
            lambda: self.assignment(depth),
        )

    def body(self, depth):
        return "".join(self.statement(depth) for _ in range(self.random.randrange(1, 4)))

    def template(self):
        self.names, self.loops = [], 0
        if self.one_in(2):
            return self.body(3)
        # one expression: a failure of it hides nothing else
        return "{{ " + self.expression(4) + " }}"
