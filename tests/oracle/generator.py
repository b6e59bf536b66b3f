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
# Programs are made of several templates: these are named by them, besides some that are random.
FIXED = {
    **INCLUDES,
    "lib": "lib {{ i is defined }}{% macro wrap(a, b='-') %}{{ b }}{{ a }}{{ b }}{% endmacro %}"
    "{% macro each(l) %}{% for x in l %}{{ caller(x) }}{% endfor %}{% endmacro %}"
    "{% macro all() %}{{ varargs }}{{ kwargs }}{{ i|default('no i') }}{% endmacro %}"
    "{% set shared = ['lib'] %}{% set _own = 1 %}"
    "{% if x is defined %}{% set seen = x %}{% endif %}",
    "base": "<{% block one %}base {{ x|default('none') }}{% endblock %}|"
    "{% for y in l %}{% block two scoped %}{{ y }}{{ loop.index }}{% endblock %}{% endfor %}|"
    "{{ self.one() }}{% set x = 'of base' %}{% block three %}{{ x }}{% endblock %}>\n",
    "mid": "{% extends 'base' %}{% set x = 'of mid' %}"
    "{% block one %}mid({{ super() }}){% block four %}{{ x }}{% endblock %}{% endblock %}",
    "strict": "{% block one required %} {% endblock %}{% block two %}{{ i }}{% endblock %}",
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
    """One program for each call of `program`: a template, and those that it names; all of them
    follow from the seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.begin()

    def begin(self):
        self.names = []
        self.macros = []
        self.modules = []
        self.spaces = []
        self.blocks = []
        self.loops = 0
        self.inside = []
        self.mild = self.one_in(2)

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

    def arguments(self, depth):
        """Of a call: some by position, some by name, some by stars."""
        given = [self.expression(depth) for _ in range(self.random.randrange(3))]
        if self.one_in(8):
            given.append("*" + self.random.choice(["l", "varargs", "m[:1]", self.atom()]))
        named = self.random.sample(["a", "b", "c", "caller"], self.random.choice([0, 0, 1, 2]))
        given += [f"{name}={self.expression(depth)}" for name in named]
        if self.one_in(8):
            given.append("**" + self.random.choice(["d", "kwargs", "{'a': 1}", self.atom()]))
        return ", ".join(given)

    def invoked(self, depth):
        """A call of something that a template can make."""
        known = self.macros * 3 + [
            f"{module}.{self.random.choice(['wrap', 'all', 'each', 'f'])}"
            for module in self.modules
        ]
        known += [f"self.{name}" for name in self.blocks] + self.inside
        known += ["dict", "namespace", "cycler", "joiner", "self.one", "super", "caller"]
        return f"{self.random.choice(known)}({self.arguments(depth)})"

    def object_part(self, depth):
        name = self.random.choice(self.macros + self.spaces + self.modules + ["self", "x"])
        part = self.random.choice([
            "name", "arguments", "catch_kwargs", "catch_varargs", "caller", "a", "b", "shared",
            "seen", "x", "current", "next()", "pos", "items", "used", "sep", "one.name", "_own",
            "explicit_caller", "super",
        ])  # fmt: skip
        return f"{name}.{part}" if not self.one_in(6) else f"{name}['{part}']"

    def bound(self, depth):
        return (
            ""
            if self.one_in(3)
            else self.random.choice(
                [self.number(), self.atom(), "-1", "1", "2", self.expression(depth)]
            )
        )

    def sliced(self, depth):
        step = ":" + self.bound(0) if self.one_in(2) else ""
        return f"{self.primary(depth)}[{self.bound(depth)}:{self.bound(depth)}{step}]"

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
            lambda: self.invoked(depth - 1),
            lambda: self.object_part(depth - 1),
            lambda: self.sliced(depth - 1),
            lambda: f"range({self.random.randrange(-2, 5)})",
        )

    def harmless(self):
        """An expression that hardly fails, so that the program gets further."""
        known = [f"{name}('-')" for name in self.macros] + [f"{name}()" for name in self.inside]
        known += [f"self.{name}()" for name in self.blocks]
        known += [f"{module}.wrap(i)" for module in self.modules]
        known += [f"{space}.a|default('.')" for space in self.spaces]
        known += ["loop.index", "loop.last"] if self.loops else []
        return self.random.choice(known * 2 + [
            f"{self.name()}|default('-')", f"{self.name()} is defined", self.number(), self.text(),
            "l|join", "s[1:3]", "i + 1", "l[::-1]", "x|default('x')", "1 < i <= j",
            "varargs|default(0)", "caller is defined",
        ])  # fmt: skip

    def expression(self, depth):
        if self.mild and not self.one_in(12):
            return self.harmless()
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
            lambda: (
                f"{self.atom()} {compare} {self.expression(b)} < {self.atom()} == {self.atom()}"
            ),
            lambda: self.invoked(a),
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
        if self.one_in(12):
            source = self.random.choice(["varargs", "kwargs", "caller()", self.expression(2)])
        if names == ["k", "v"]:
            source = self.random.choice(["d.items()", "d|items", "[(1, 2), (3, 4)]", "['ab']"])
        test = f" if {self.expression(2)}" if self.one_in(4) else ""
        self.loops += 1
        text = self.tag(f"for {target} in {source}{test}") + self.within(depth, names)
        self.loops -= 1
        if self.one_in(4):
            text += self.tag("else") + self.body(depth - 1)
        return text + self.tag("endfor")

    def within(self, depth, names=(), inside=()):
        """A body with names of its own, and without those that it sets."""
        before = [list(known) for known in self.known()]
        self.names += names
        self.inside += inside
        text = self.body(depth - 1)
        for known, old in zip(self.known(), before, strict=True):
            known[:] = old
        return text

    def known(self):
        return self.names, self.macros, self.modules, self.spaces, self.inside

    def parameters(self, depth):
        names = self.random.sample(["a", "b", "c", "x", "i"], self.random.randrange(4))
        if self.one_in(12):
            names.append(self.random.choice(["caller", "kwargs", "varargs"]))
        first = self.random.randrange(len(names) + 1)
        parts = [
            f"{name}={self.expression(1)}" if number >= first else name
            for number, name in enumerate(names)
        ]
        return ", ".join(parts), names

    def macro(self, depth):
        name = self.random.choice(["f", "g", "h", "_p"])
        text, names = self.parameters(depth)
        special = self.random.choice([[], [], ["caller()"], ["varargs", "kwargs"], ["caller(1)"]])
        if self.mild:
            text = ", ".join(f"{name}={self.harmless()}" for name in names)
        loops, self.loops = self.loops, 0
        body = self.within(depth, names + special, ["caller"] if special[:1] else [])
        self.loops = loops
        self.macros.append(name)
        return self.tag(f"macro {name}({text})") + body + self.tag("endmacro")

    def call_block(self, depth):
        text, names = self.parameters(depth)
        text = self.random.choice(["", f"({text})", "(x)"])
        called = self.invoked(1)
        if self.mild:
            called = self.random.choice(["each(l)", "f()", "g('a')", "lib.each(m)", "h(1, 2)"])
        head = self.tag(f"call{text} {called}")
        return head + self.within(depth, names + ["x"]) + self.tag("endcall")

    def filter_block(self, depth):
        chain = "|".join(self.filter(1) for _ in range(self.random.randrange(1, 3)))
        if self.mild:
            chain = self.random.choice(["upper", "trim|indent(2)", "replace('a', x|default('-'))"])
        return self.tag(f"filter {chain}") + self.within(depth) + self.tag("endfilter")

    def with_block(self, depth):
        names = self.random.sample(["x", "y", "i", "w"], self.random.randrange(3))
        pairs = ", ".join(f"{name} = {self.expression(2)}" for name in names)
        return self.tag(f"with {pairs}") + self.within(depth, names) + self.tag("endwith")

    def block(self, depth):
        free = [name for name in ["one", "two", "three", "four", "five"] if name not in self.blocks]
        if not free:
            return ""
        name = self.random.choice(free)
        self.blocks.append(name)
        words = self.random.choice(["", "", "", " scoped", " scoped"])
        if self.one_in(12):
            words += " required"
        loops, self.loops = self.loops, 0
        body = " \n" if "required" in words else self.within(depth, (), ["super", "super.super"])
        self.loops = loops
        end = self.random.choice(["endblock", f"endblock {name}"])
        return self.tag(f"block {name}{words}") + body + self.tag(end)

    def space(self, depth):
        if not self.spaces or self.one_in(3):
            self.spaces.append(self.random.choice(["ns", "space"]))
            made = self.random.choice(["", "a=1", "a=l, b=2", "d", "{'x': 1}, b=3", self.atom()])
            return self.tag(f"set {self.spaces[-1]} = namespace({made})")
        name = self.random.choice(self.spaces + ["d"])
        return self.random.choice([
            self.tag(f"set {name}.a = {self.expression(2)}"),
            self.tag(f"set {name}.b, x = {self.expression(1)}, {self.expression(1)}"),
            self.tag(f"set {name}.a") + self.within(1) + self.tag("endset"),
        ])  # fmt: skip

    def imported(self, depth):
        file = self.random.choice(["'lib'", "'lib'", "'other'", "'mid'", "'li' ~ 'b'"])
        context = self.random.choice(["", "", " with context", " without context"])
        if self.one_in(2):
            self.modules.append(self.random.choice(["mod", "lib"]))
            return self.tag(f"import {file} as {self.modules[-1]}{context}")
        names = self.random.sample(["wrap", "each", "all", "shared", "seen", "f", "x"], 2)
        self.macros += names
        alias = " as z" if self.one_in(4) else ""
        if alias:
            self.macros.append("z")
        return self.tag(f"from {file} import {names[0]}, {names[1]}{alias}{context}")

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
        name = self.random.choice(
            ["'one'", "'two'", "'three'", "['nope', 'one']", "'lib'", "'mid'", "'other'", "'base'"]
        )
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
            lambda: self.large(depth),
        )

    def large(self, depth):
        """What is made of other things, or makes them."""
        return self.pick(
            lambda: self.macro(depth),
            lambda: self.macro(depth),
            lambda: self.call_block(depth),
            lambda: self.filter_block(depth),
            lambda: self.with_block(depth),
            lambda: self.block(depth),
            lambda: self.space(depth),
            lambda: self.imported(depth),
        )

    def body(self, depth):
        return "".join(self.statement(depth) for _ in range(self.random.randrange(1, 4)))

    def template(self):
        self.begin()
        if self.one_in(4):
            # one expression: a failure of it hides nothing else
            return "{{ " + self.expression(4) + " }}"
        if self.one_in(3):
            return self.child()
        return self.body(3)

    def child(self):
        before = self.body(1) if self.one_in(3) else ""
        parent = self.random.choice(["base", "mid", "other", "base", "strict"])
        head = before + self.tag(f"extends '{parent}'")
        return head + self.body(2) + self.block(3) + self.body(1) + self.block(3)

    def program(self):
        """A template, and all that it may name."""
        other = self.template()
        return self.template(), {**FIXED, "other": other}
