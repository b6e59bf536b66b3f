"""
Hostile catalogs of any size: one construct for each thing that a catalog, a child or an answer may
hold. `make(n)` gives the files of a world, in which `words` run.
"""

import hashlib
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import tables
from .place import DRY, catalog, commit, question, template

TOP = Path(__file__).resolve().parents[2]
DOCUMENT, TEMPLATE = 1 << 20, 4 << 20  # no file of the catalog may be longer


@dataclass(frozen=True)
class Construct:
    name: str
    make: Callable  # files of the catalog by path; a path that begins with `../` lies beside it
    words: tuple = DRY
    most: int = 10**7
    whole: bool = False  # on top of the built-in catalog's files
    repository: str = ""  # a folder that is committed

    def lay(self, folder: Path, n: int):
        """False where this size is more than a file may have, or a file system does."""
        files = self.make(n)
        if any(len(text) > TEMPLATE for text in files.values()):
            return False
        cat = folder / "cat"
        cat.mkdir()
        for part in ("templates", "matrices", "base-images") if self.whole else ():
            shutil.copytree(TOP / part, cat / part)
        for path, text in files.items():
            target = cat / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode())
        if self.repository:
            commit(folder / self.repository)
        return True


# ---------------------------------------------------------------- the language

LETTERS = {
    "letters": "x", "blanks": " ", "lines": "\\n", "CRLF": "\\r\\n", "quotes": '\\"',
    "apostrophes": "\\'", "words": "aB ", "wide": "é", "wider": "😀", "dots": ".", "digits": "1",
    "escapes": "\\x01", "markup": "<&", "percent": "%%",
}  # fmt: skip
BIG = 1000000
# What a parameter gets that must be there; any other gets a text.
SAMPLES = {
    "width": "9", "index": "0", "start": "0", "end": "9", "stop": "9", "num": "3", "seq": "'abc'",
    "items": "['a', 'b']", "count": "9", "maxsplit": "9", "precision": "2", "base": "10",
    "indent": "2", "reverse": "true", "first": "true", "boolean": "true", "keepends": "true",
    "method": "'floor'", "linecount": "3", "slices": "3", "length": "9", "leeway": "2",
    "attribute": "0", "by": "'key'", "case_sensitive": "true",
}  # fmt: skip


def call(row, big=None, value=""):
    """The arguments of a call, with `value` for the parameter `big`."""
    _, parameters, required = row
    taken = parameters[: max(required, parameters.index(big) + 1 if big else 0)]
    return ", ".join(value if p == big else SAMPLES.get(p, "'x'") for p in taken)


def applied(kind, row, subject, arguments):
    name = row[0]
    if kind == "test":
        return f"({subject} is {name}({arguments}))" if arguments else f"({subject} is {name})"
    if kind == "filter":
        return f"({subject}|{name}({arguments}))"
    return f"({subject}.{name}({arguments}))"


def once(text):
    """An expression that is worked out, and of which little is written."""
    return template("{% set r = " + text + " %}")


def loops(text, value):
    return lambda n: template(
        f"{{% set a = {value} %}}{{% for i in range({n}) %}}{{% set r = {text} %}}{{% endfor %}}"
    )


def of_values(kind, row, values):
    """One call on a long value, many calls on a big one."""
    for name, value in values.items():
        yield (
            f"{kind} {row[0]}: {name}",
            lambda n, v=value: once(applied(kind, row, f"({v(n)})", call(row))),
            10**7,
        )
        big = value(10000 if "list" in name or "dict" in name else BIG)
        yield (
            f"{kind} {row[0]}: {name}, often",
            loops(applied(kind, row, "a", call(row)), big),
            10**6,
        )


def of_arguments(kind, row, subject):
    for name in row[1]:
        for what, value in {"text": "'x'*{}", "number": "{}", "list": "['x']*{}"}.items():
            yield (
                f"{kind} {row[0]}: {name} a long {what}",
                lambda n, p=name, v=value: once(
                    applied(kind, row, subject, call(row, p, v.format(n)))
                ),
                10**7,
            )


# A value of each kind that holds another, so that a call may stand in a call whatever it gives.
AROUND = {
    "text": "('a x' ~ {})", "number": "({} and 7)", "list": "[{}, 'x']", "tuple": "({}, 'x')",
    "dict": "{{'x': {}}}",
}  # fmt: skip


def of_source(kind, row, subject, around):
    one = applied(kind, row, subject, call(row))
    yield f"{kind} {row[0]}: in a row", lambda n: template(f"{{% set r = {one} %}}" * n), 10**6

    def nested(n):
        text = subject
        for _ in range(n):
            text = applied(kind, row, AROUND[around].format(text), call(row))
        return once(text)

    def chained(n):
        text = subject
        for _ in range(n):
            text = applied(kind, row, text, call(row))[1:-1]
        return once(text)

    yield f"{kind} {row[0]}: nested", nested, 10**4
    if kind != "test":
        yield f"{kind} {row[0]}: chained", chained, 10**4


TEXTS = {
    name: (lambda n, c=letters: f'"{c}"*{max(1, n // len(c))}') for name, letters in LETTERS.items()
}
LISTS = {
    "list": lambda n: f"range({n})|list",
    "list of texts": lambda n: f"['a', 'B', 'c ']*{n}",
    "list of one text": lambda n: f"['x'*1000]*{n}",
}
TUPLES = {"tuple": lambda n: f"(1, 'a')*{n}", "tuple of one text": lambda n: f"('x'*1000,)*{n}"}
NUMBERS = {"number": lambda n: "0." + "1" * n, "digits of a text": lambda n: f"('1'*{n})|length"}
SUBJECTS = {
    "text": (TEXTS, "'a x'"),
    "number": (NUMBERS, "7"),
    "list": (LISTS, "[1, 'x']"),
    "tuple": (TUPLES, "(1, 'x')"),
    "dict": ({"dict": lambda n: "{" + ", ".join(f"'k{i}': 1" for i in range(n)) + "}"}, "{'x': 1}"),
}
OF_DICTS = {"dictsort"}
OF_NUMBERS = {"abs", "round", "divisibleby", "even", "odd"}
# Where what is looked for must be there: as far from the beginning of the search as it can be.
FAR = {"index": "({0}) + {1}", "rindex": "{1} + ({0})"}
ITEMS = {"text": "'x'", "list": "['x']", "tuple": "('x',)"}


def far(values, kind, name):
    """The values of a method that fails where it finds nothing."""
    pattern = FAR.get(name, "{0}")
    item = ITEMS.get(kind)
    return {key: (lambda n, v=value: pattern.format(v(n), item)) for key, value in values.items()}


def of_language():
    for kind, rows in {"filter": tables.filters(), "test": tables.tests()}.items():
        for row in rows:
            around = "number" if row[0] in OF_NUMBERS else "dict" if row[0] in OF_DICTS else "text"
            dicts, subject = SUBJECTS[around] if row[0] in OF_DICTS else ({}, SUBJECTS[around][1])
            yield from of_values(kind, row, dicts or {**TEXTS, **LISTS, **NUMBERS})
            yield from of_arguments(kind, row, subject)
            yield from of_source(kind, row, subject, around)
    for kind, rows in tables.methods().items():
        for row in rows if kind not in ("loop", "cycler") else ():
            values, subject = SUBJECTS[kind]
            label = f"method {kind}"
            yield from of_values(label, row, far(values, kind, row[0]))
            yield from of_arguments(label, row, subject)
            yield from of_source(label, row, subject, kind)
    for name, text in {"changed": "loop.changed(a)", "cycle": "loop.cycle(a, 1)"}.items():
        yield f"method loop {name}: often", loops(text, f"'x'*{BIG}"), 10**6
    for name in ("next", "reset"):
        yield f"method cycler {name}: often", loops(f"a.{name}()", "cycler(*range(10000))"), 10**6


def again_and_again(text):
    """One iterator around the other, which are walked in the end."""
    return lambda n: template(
        "{% set d = {'x': [1]} %}{% for i in range(" + str(n) + ") %}"
        "{% set _ = d.update(x=d.x|" + text + ") %}{% endfor %}{{ d.x|list|length }}"
    )


# What is walked late costs nothing before.
WALKED = {
    "map": "range({0})|map('string')", "map attribute": "([[1]]*{0})|map(attribute=0)",
    "map default": "([[]]*{0})|map(attribute='a.b', default='x')",
    "map map": "[range({0})]|map('map', 'e')|map('list')",
    "map upper": "(['x'*1000]*{0})|map('upper')", "select": "range({0})|select('odd')",
    "select in": "range({0})|select('in', range(9))", "reject": "range({0})|reject",
    "selectattr": "([[1]]*{0})|selectattr(0, '==', 1)", "rejectattr": "([[1]]*{0})|rejectattr(0)",
    "batch": "range({0})|batch(2)",
    "batch fill": "[1]|batch({0}, 'x')", "slice": "range({0})|slice(3)",
    "slices": "[1]|slice({0}, 'x')", "sort of map": "range({0})|map('string')|sort",
    "path": "[1]|map(attribute='a.'*{0}, default=1)",
}  # fmt: skip

OPERATORS = ("+", "~", "==", "<", "in", "and", "or", "%", "*")
CONSTRUCTS = {
    **{
        f"walked {name}": lambda n, text=text: once(f"({text.format(n)}|list)")
        for name, text in WALKED.items()
    },
    **{
        f"iterators around iterators: {text}": again_and_again(text)
        for text in (
            "map('string')",
            "select",
            "batch(1)",
            "unique",
            "reverse",
            "slice(1)",
        )
    },
    "texts side by side": lambda n: once("'a' " * n),
    "long text": lambda n: once("'" + "a" * n + "'"),
    "long number": lambda n: once("1" * n),
    "escapes": lambda n: once("'" + "\\n" * n + "'"),
    "list": lambda n: once("[" + "1, " * n + "]"),
    "dict": lambda n: once("{" + ", ".join(f"'k{i}': 1" for i in range(n)) + "}"),
    "brackets": lambda n: once("(" * n + "1" + ")" * n),
    "signs": lambda n: once("-" * n + "1"),
    "not": lambda n: once("not " * n + "1"),
    "attributes": lambda n: once("1 or a" + ".a" * n),
    "indexes": lambda n: once("'a'" + "[0]" * n),
    "inline if": lambda n: once("1 if 1 else " * n + "2"),
    "outputs": lambda n: template("{{ 1 }}" * n),
    "comments": lambda n: template("{# a #}" * n),
    "raw": lambda n: template("{% raw %}{{{% endraw %}" * n),
    "braces": lambda n: template("{ " * n),
    "open comment": lambda n: template("{#" * n),
    "plain": lambda n: template("x" * n),
    "blanks": lambda n: template(" " * n),
    "line ends": lambda n: template("\n" * n),
    "sets": lambda n: template("".join(f"{{% set v{i} = 1 %}}" for i in range(n))),
    "set blocks": lambda n: template("{% set v %}a{% endset %}" * n),
    "names": lambda n: template(
        "{% if 0 %}" + "".join(f"{{{{v{i}}}}}" for i in range(n)) + "{% endif %}"
    ),
    "ifs": lambda n: template("{% if 1 %}a{% endif %}" * n),
    "ifs in ifs": lambda n: template("{% if 1 %}" * n + "{% endif %}" * n),
    "elifs": lambda n: template("{% if 0 %}" + "{% elif 0 %}" * n + "{% endif %}"),
    "fors": lambda n: template("{% for i in [1] %}{% endfor %}" * n),
    "loop": lambda n: template(f"{{% for i in range({n}) %}}{{{{ i }}}}{{% endfor %}}"),
    "loop with a filter": lambda n: template(
        f"{{% for i in range({n}) if i %}}{{{{ i }}}}{{% endfor %}}"
    ),
    "loop with all that it knows": lambda n: template(
        f"{{% for i in range({n}) %}}{{{{ loop.previtem is defined }}}}{{{{ loop.length }}}}"
        "{{ loop.nextitem is defined }}{{ loop.revindex }}{% endfor %}"
    ),
    "append": lambda n: template(
        f"{{% set a = [] %}}{{% for i in range({n}) %}}{{% set _ = a.append(i) %}}{{% endfor %}}"
    ),
    "dict by update": lambda n: template(
        f"{{% set a = {{}} %}}{{% for i in range({n}) %}}"
        "{% set _ = a.update({i: 1}) %}{% endfor %}"
    ),
    "texts that grow": lambda n: template(
        f"{{% set a = [''] %}}{{% for i in range({n}) %}}"
        "{% set _ = a.insert(0, a[0] ~ 'x') %}{% endfor %}"
    ),
    "doublings": lambda n: template("{% set a = [1] %}" + "{% set a = [a, a] %}" * n + "{{ a }}"),
    "equality of doublings": lambda n: template(
        "{% set a = [1] %}{% set b = [1] %}"
        + "{% set a = [a, a] %}{% set b = [b, b] %}" * n
        + "{{ a == b }}"
    ),
    "macros": lambda n: template(
        "".join(f"{{% macro m{i}() %}}{{% endmacro %}}{{{{ m{i}() }}}}" for i in range(n))
    ),
    "macro in a loop": lambda n: template(
        "{% macro m(a, b=1) %}{{ a }}{{ caller(b) }}{% endmacro %}"
        f"{{% for i in range({n}) %}}{{% call(c) m(i) %}}{{{{ c }}}}{{% endcall %}}{{% endfor %}}"
    ),
    "macro of many variables": lambda n: template(
        "{% macro m() %}" + "".join(f"{{% set v{i} = 1 %}}" for i in range(1000)) + "{% endmacro %}"
        f"{{% for i in range({n}) %}}{{% set _ = m() %}}{{% endfor %}}"
    ),
    "parameters": lambda n: template(
        "{% macro m(" + ", ".join(f"p{i}=1" for i in range(n)) + ") %}{% endmacro %}"
        "{{ m(" + ", ".join(f"p{i}=2" for i in range(n)) + ") }}"
    ),
    "stars": lambda n: template(
        "{% macro m() %}{{ varargs|length }}{% endmacro %}" + f"{{{{ m(*range({n})) }}}}"
    ),
    "withs": lambda n: template("{% with a = 1, b = 2 %}{% endwith %}" * n),
    "filter blocks": lambda n: template("{% filter upper %}a{% endfilter %}" * n),
    "blocks": lambda n: template(
        "".join(f"{{% block b{i} scoped %}}{{% endblock %}}" for i in range(n))
    ),
    "namespace in a loop": lambda n: template(
        f"{{% set ns = namespace(a=0) %}}{{% for i in range({n}) %}}{{% set ns.a = ns.a + 1 %}}"
        "{% endfor %}"
    ),
    **{
        f"slice {part}": loops(f"a[{part}]", value)
        for part, value in {
            "1:": f"'x'*{BIG}",
            "::-1": f"'x'*{BIG}",
            "::2": "range(10000)|list",
        }.items()
    },
    "imports": lambda n: catalog(
        files={"../includes/i": "{% macro m() %}{% endmacro %}{% set x = 1 %}"},
        file=f"{{{{ name }}}}{{% for i in range({n}) %}}{{% import 't/i' as m with context %}}"
        "{% endfor %}",
    ),
    "extends of one another": lambda n: catalog(
        files={
            f"../includes/i{i}": (f"{{% extends 't/i{i + 1}' %}}" if i + 1 < n else "")
            + "{% block b %}{{ super() if super is defined }}{% endblock %}"
            for i in range(min(n, 1000))
        },
        file="{{ name }}{% extends 't/i0' %}",
    ),
    "includes": lambda n: catalog(
        files={"../includes/i": "x"}, file="{{ name }}" + "{% include 't/i' %}" * n
    ),
    "includes of one another": lambda n: catalog(
        files={
            f"../includes/i{i}": f"{{% include 't/i{i + 1}' ignore missing %}}"
            for i in range(min(n, 1000))
        },
        file="{{ name }}{% include 't/i0' %}",
    ),
    "include in a loop": lambda n: catalog(
        files={"../includes/i": "x" * 1000},
        file=f"{{{{ name }}}}{{% for i in range({n}) %}}{{% include 't/i' %}}{{% endfor %}}",
    ),
    "include of a list": lambda n: catalog(
        files={"../includes/i": "x"},
        file="{{ name }}{% include [" + "'t/n', " * n + "'t/i'] %}",
    ),
    **{
        f"operator {word}": lambda n, w=word: once(f" {w} ".join(["'1'" if w == "in" else "1"] * n))
        for word in OPERATORS
    },
    **{
        f"operator {word} on texts": loops(f"a {word} a", f"'x'*{BIG}")
        for word in ("+", "~", "==", "<", "in")
    },
    **{
        f"operator {word} on lists": loops(f"a {word} a", "range(10000)|list")
        for word in ("+", "==", "<")
    },
    "text times": lambda n: once(f"'x'*{n}"),
    "list times": lambda n: once(f"[1]*{n}"),
    "power": lambda n: once(f"3 ** {n}"),
    "width of a format": lambda n: once(f"'%{n}d' % 1"),
    **{
        f"long texts {how}": lambda n, t=text: once(t.format(f"(['x'*16000000]*{n})"))
        for how, text in {
            "as a text": "{}|string",
            "joined": "{} ~ 1",
            "as JSON": "{}|tojson",
        }.items()
    },
    "long texts printed": lambda n: template(f"{{{{ ['x'*16000000]*{n} }}}}"),
    "long indent of JSON": lambda n: once(f"([[1]]*900000)|tojson(' '*{n})"),
    "rows of an indented JSON": lambda n: once(f"([[1]]*{n})|tojson(' '*1000000)"),
    "formats": lambda n: once("'" + "%d" * n + "' % (" + "1," * n + ")"),
}

# ---------------------------------------------------------------- manifests


def rows(key, row, **more):
    """A list of N rows; `{}` is the number of each."""
    return lambda n: catalog(
        f"{key}:\n" + "".join("  - " + row.replace("{}", str(i)) + "\n" for i in range(n)), **more
    )


def long(key, text, end=""):
    return lambda n: catalog(f"{key}: {text * n}{end}\n")


def layered(use):
    def make(n):
        layers = {f"l{i}/layer.yml": "description: l\n" for i in range(n)}
        files = {f"l{i}/files/f{i}": "x" for i in range(n)}
        text = "".join("  - " + use.replace("{}", str(i)) + "\n" for i in range(n))
        return catalog("layers:\n" + text, layers={**layers, **files})

    return make


def layer(key, row):
    def make(n):
        text = "".join("  - " + row.replace("{}", str(i)) + "\n" for i in range(n))
        return catalog(
            "layers: [{name: l}]\n",
            layers={"l/layer.yml": f"description: l\n{key}:\n{text}", "l/files/f": "x"},
        )

    return make


def asking_layers(n, use="{name: l{}}"):
    """N layers, each with two questions that its file reads."""
    layers = {}
    for i in range(n):
        asked = "".join(f"  - {{name: {q}{i}, default: a}}\n" for q in "qr")
        layers[f"l{i}/layer.yml"] = f"description: l\nquestions:\n{asked}"
        layers[f"l{i}/files/f{i}.j2"] = f"{{{{ q{i} }}}}{{{{ r{i} }}}}"
    text = "".join("  - " + use.replace("{}", str(i)) + "\n" for i in range(n))
    return catalog("layers:\n" + text, layers=layers)


def deep(n):
    """Beyond the limit from the first size on."""
    return "[" * 10 * n + "]" * 10 * n


def in_row(before, one, after):
    return lambda n: catalog(before + one * n + after)


def extending(source):
    return f"name: x\nversion: 1.0.0\nextends: {{source: {source}}}\n"


def questions(n, more=""):
    text = "".join(f"  - {{name: q{i}, default: a}}\n" for i in range(n))
    used = "".join(f"{{{{ q{i} }}}}" for i in range(n))
    return catalog("questions:\n" + text + more, file="{{ name }}" + used)


TRUE = "'1 == 1" + " and 1 == 1" * 3 + "'"
MANIFESTS = {
    "questions": questions,
    "question name": lambda n: catalog(
        f"questions:\n  - {{name: {'q' * n}, default: a}}\n", file=f"{{{{ name ~ {'q' * n} }}}}"
    ),
    "question type": lambda n: question("default: a, type: " + " " * n + "str"),
    "question type unknown": lambda n: question("default: a, type: " + "s" * n),
    "question help": lambda n: question(f"default: a, help: '{'x' * n}'"),
    "question help rendered": lambda n: question(f"default: a, help: \"{{{{ 'x' * {n} }}}}\""),
    "question default": lambda n: question(f"default: '{'x' * n}'"),
    "question default rendered": lambda n: question(f"default: \"{{{{ 'x' * {n} }}}}\""),
    "question default list": lambda n: question(
        "type: list, default: [" + "".join(f"a{i}, " for i in range(n)) + "a]"
    ),
    "question default list rendered": lambda n: question(
        "type: list, default: ["
        + "".join(f"\"{{{{ 'x'*250000 }}}}{i}\", " for i in range(n))
        + "a]"
    ),
    "question choices": lambda n: question(
        "type: choice, default: c0, choices: [" + ", ".join(f"c{i}" for i in range(n)) + "]"
    ),
    "question choices of a list": lambda n: question(
        "type: list, choices: [{0}], default: [{0}]".format(", ".join(f"c{i}" for i in range(n)))
    ),
    "question choices rendered": lambda n: question(
        "type: choice, default: a, choices: [a" + ", \"{{ 'x'*250000 }}\"" * n + "]"
    ),
    "question choices expression": lambda n: question(
        f"type: choice, default: b, choices: '{{{{ \"a\\n\" * {n} }}}}b'"
    ),
    "question when": lambda n: question(f'default: a, when: "1{" and 1" * n}"'),
    "question when in time": lambda n: question(f"default: a, when: \"'x'*{n} in 'x'*{n + 1}\""),
    "question choices labelled": lambda n: question(
        "type: choice, default: a, choices: [a"
        + ", {value: b, label: \"{{ 'x'*9999 }}\"}" * n
        + "]"
    ),
    "question computed": lambda n: question(f"computed: \"{{{{ 'x' * {n} }}}}\""),
    "question items": lambda n: question(
        "type: list, items: int, min: 0, default: [" + ", ".join(map(str, range(n))) + "]"
    ),
    "questions of layers": asking_layers,
    "questions of layers by rendered names": lambda n: asking_layers(n, '{name: "l{{ {} }}"}'),
    "question pattern": lambda n: question(f"default: a, pattern: '{'a?' * n}'"),
    "question pattern choices": lambda n: question(f"default: a, pattern: '{'a|' * n}b'"),
    "question pattern brackets": lambda n: question(f"default: a, pattern: '{'(' * n}a{')' * n}'"),
    "question pattern repeats": lambda n: question(f"default: a, pattern: 'a{{0,{n}}}'"),
    "question pattern nested repeats": lambda n: question(
        f"default: b, pattern: '((a{{0,{n}}}){{0,{n}}})b'"
    ),
    "question pattern and answer": lambda n: question(
        f"default: '{'a' * n}', pattern: '(a|aa)*(a{{0,9}})*a'"
    ),
    "question pattern set": lambda n: question(f"default: a, pattern: '[{'ab' * n}]'"),
    "description": lambda n: catalog(head=f"description: {'x' * n}\nstack: none\n"),
    "stack": lambda n: catalog(head=f"description: a\nstack: {' ' * n}none\n"),
    "stack unknown": lambda n: catalog(head=f"description: a\nstack: {'x' * n}\n"),
    "layers name": layered("{name: l{}}"),
    "layers name rendered": layered('{name: "l{{ {} }}"}'),
    "layers when": layered("{name: l{}, when: 'not 1'}"),
    "layers overrides": layered("{name: l{}, overrides: ['**', 'a{}', 'b*/**/c{}']}"),
    "overrides": rows("overrides", "'a{}/**'"),
    "overrides of many files": lambda n: catalog(
        "overrides:\n" + "".join(f"  - 'a{i}/**'\n" for i in range(n)),
        files={f"f{i}": "x" for i in range(300)},
    ),
    "files match": rows("files", "{match: 'a{}/**/b*', policy: seed}"),
    "files match of many files": rows(
        "files", "{match: '**/*a{}*', policy: seed}", files={f"d/f{i}": "x" for i in range(300)}
    ),
    "files match stars": in_row("files:\n  - {match: '", "*a", "b', policy: seed}\n"),
    "files policy": rows("files", "{match: '**', policy: managed}"),
    "files merge": rows("files", "{match: '**', merge: lines}"),
    "files when": rows("files", "{match: '**', when: '1 == 1'}"),
    "files when in time": rows("files", "{match: '**', when: \"'x'*15000000 in 'x'*16000000\"}"),
    "delimiters match": rows("delimiters", "{match: 'a{}/**', delimiters: square}"),
    "refuse when": rows("refuse", "{when: \"name == '{}'\", because: b}"),
    "refuse when in time": rows("refuse", "{when: \"'x'*16000000 in 'x'*15999999\", because: b}"),
    "refuse after questions": lambda n: questions(
        n,
        "refuse:\n" + "".join(f'  - {{when: "q{i} == name", because: b}}\n' for i in range(n)),
    ),
    "refuse exit": rows("refuse", "{when: \"name == '{}'\", because: b, exit: 4}"),
    "layer refuse": layer("refuse", "{when: \"name == '{}'\", because: b}"),
    "refuse because": lambda n: catalog(
        f"refuse: [{{when: '1', because: \"{{{{ 'x' * {n} }}}}\"}}]\n"
    ),
    "migrations from": rows("migrations", "{from: '<{}'}"),
    "migrations rename_answers": lambda n: questions(
        n,
        "migrations:\n  - {from: '<2', rename_answers: {"
        + ", ".join(f"o{i}: q{i}" for i in range(n))
        + "}}\n",
    ),
    "migrations rename_files": lambda n: catalog(
        "migrations:\n  - {from: '<2', rename_files: {"
        + ", ".join(f"o{i}: n{i}" for i in range(n))
        + "}}\n"
    ),
    "migrations drop_answers": lambda n: catalog(
        "migrations:\n  - {from: '<2', drop_answers: ["
        + ", ".join(f"o{i}" for i in range(n))
        + "]}\n"
    ),
    "migrations note": in_row("migrations:\n  - {from: '<2', note: '", "x", "'}\n"),
    "next": rows("next", "'make {}'"),
    "next rendered": rows("next", "\"{{ 'x'*250000 }}{}\""),
    "frameworks": rows("frameworks", "f{}"),
    "distributions": rows("distributions", "f{}"),
    "frameworks_because": long("frameworks_because", "x"),
    "python": in_row("python: '>=3", ",>=3", "'\n"),
    "python digits": in_row("python: '>=3.", "1", "'\n"),
    "YAML depth": lambda n: catalog("next: " + deep(n) + "\n"),
    "YAML unknown keys": lambda n: catalog("".join(f"k{i}: 1\n" for i in range(n))),
    "YAML comments": in_row("", "# x\n", ""),
    "YAML lines of a text": in_row("frameworks_because: |\n", "  x\n", ""),
    "layer files match": layer("files", "{match: 'a{}/**', policy: seed}"),
    "layer files when": layer("files", "{match: '**', when: '1 == 1'}"),
    "layer delimiters": layer("delimiters", "{match: 'a{}', delimiters: square}"),
    "layer description": lambda n: catalog(
        "layers: [{name: l}]\n", layers={"l/layer.yml": f"description: {'x' * n}\n"}
    ),
    "catalog name": lambda n: {**catalog(), "catalog.yml": f"name: {'x' * n}\nversion: 1.0.0\n"},
    "catalog version": lambda n: {
        **catalog(),
        "catalog.yml": f"name: x\nversion: 1.0.0-{'a.' * n}a\n",
    },
    "catalog tmplgen": lambda n: {
        **catalog(),
        "catalog.yml": f"name: x\nversion: 1.0.0\ntmplgen: '>=0.1{',>=0.1' * n}'\n",
    },
    "catalog extends source ref": lambda n: {
        **catalog(),
        "catalog.yml": extending("../c1"),
        **{f"../c{i}/catalog.yml": extending(f"../c{i + 1}") for i in range(1, n + 1)},
    },
    "catalog overrides": lambda n: {
        **{f"../below/{path}": text for path, text in catalog().items()},
        **catalog(),
        "catalog.yml": extending("../below") + "overrides:\n" + "- 'templates/**'\n- '**'\n" * n,
    },
    "catalog defaults": lambda n: {
        **questions(n),
        "catalog.yml": "name: x\nversion: 1.0.0\ndefaults:\n"
        + "".join(f"  q{i}: a\n" for i in range(n)),
    },
    "CHANGELOG.md": lambda n: {**catalog(), "CHANGELOG.md": "## 1.0.0\n- x\n" * n},
    "tree of files": lambda n: catalog(files={f"f{i}": "x" for i in range(n)}),
    "tree of templates": lambda n: catalog(files={f"f{i}.j2": "{{ name }}" for i in range(n)}),
    "tree of folders": lambda n: catalog(files={f"d{i}/f": "x" for i in range(n)}),
    "tree of rendered names": lambda n: catalog(
        files={f"{{{{ name }}}}-{i}": "x" for i in range(n)}
    ),
    "tree of renders of 10 MB": lambda n: catalog(
        files={
            f"f{i}.j2": "{% for i in range(10) %}{{ 'x'*1000000 }}{% endfor %}" for i in range(n)
        }
    ),
    "tree depth": lambda n: catalog(files={"d/" * n + "f": "x"}),
    "types": lambda n: {
        **catalog(),
        **{f"templates/x{i}/template.yml": "description: a\n" for i in range(n)},
    },
}
# Sizes at which a file system or this generator gives up before the program.
MOST = {"tree": 10000, "tree of renders": 1000, "tree depth": 100, "layers": 10000, "types": 10000}

# ---------------------------------------------------------------- matrices, images, children

# What is unique in the rows of a section; of which other section there must be as many rows.
VERSION = "99.{}.0"
UNIQUE = {
    "toolkits": ("99.{0}.0, driver: 1{0:05}.1", ""),
    "minor_version": ("1{0:05}, driver: 1{0:05}.1", ""),
    "branches": ("1{0:05}, cuda: 99.{0}", "toolkits"),
    "architectures": ("{cc[0]}.{cc[1]}", ""),
    "gpus": ("g{}", ""),
    "platforms": ("p{}", ""),
    "distributions": ("os{}", ""),
    "plain": ("os{}", "distributions"),
    "forward": (VERSION, "toolkits"),
    "images": (VERSION, "toolkits"),
    "library_paths": (VERSION, "toolkits"),
    "capabilities": ("'<9{:04}.1'", ""),
    "cudnn_words": ("'>=9{:04}.1'", ""),
}


def with_rows(files, section, key, n):
    """N more rows of a section, made after its last; none where no file has the section."""
    head = re.compile(rf"^{section}:\n((?:[# -].*\n)*)", re.MULTILINE)
    for path, text in files.items():
        at = head.search(text)
        if not at:
            continue
        row = re.findall(r"^- .*\n(?: .*\n)*", at[1], re.MULTILINE)[-1]
        value, other = UNIQUE.get(section, ("9{:04}.1", ""))
        form = re.compile(rf'(\b{key}: )("[^"]*"|[^,}}\n]+)(, (cuda|driver): [\d.]+)?')
        values = (value.format(i, cc=divmod(200 + i, 10)) for i in range(n))
        more = (form.sub(rf"\g<1>{unique}", row, 1) if key else row for unique in values)
        files = {**files, path: text[: at.end()] + "".join(more) + text[at.end() :]}
        return with_rows(files, other, dict(tables.sections())[other], n) if other else files
    return None


def matrix_files():
    paths = sorted((TOP / "matrices").rglob("*.yml"))
    return {str(path.relative_to(TOP)): path.read_text() for path in paths}


def of_matrices():
    """Each section in the first file that has one."""
    for section, key in dict(tables.sections()).items():
        for verb in (("check",), ("resolve", "--framework", "pytorch")):
            yield Construct(
                f"matrix {section}: {verb[0]}",
                lambda n, s=section, k=key: {
                    "catalog.yml": "name: test\nversion: 1.0.0\n",
                    **with_rows(matrix_files(), s, k, n),
                },
                ("matrix", *verb, "--catalog", "cat"),
                10**5,
                True,
            )


IMAGE = "description: a\nframework: none\nflavour: base\ndistributions: [ubuntu]\n"
IMAGES = {
    "description": lambda n: "description: " + "x" * n + "\n",
    "framework": lambda n: "framework: " + " " * n + "none\n",
    "framework unknown": lambda n: "framework: " + "x" * n + "\n",
    "flavour": lambda n: "flavour: " + " " * n + "base\n",
    "flavour unknown": lambda n: "flavour: " + "x" * n + "\n",
    "tag": lambda n: "tag: '" + "{{ resolution.cuda.version }}" * n + "'\n",
    "program": lambda n: "program: '" + "x/" * n + "x'\n",
    "rows": lambda n: "rows:\n" + "  - {python: '3.12'}\n" * n,
    "rows that differ": lambda n: (
        "rows:\n" + "".join(f"  - {{python: '<3.{100 + i}'}}\n" for i in range(n))
    ),
    "serves types frameworks": lambda n: (
        "serves: {types: [a" + ", service" * n + "], frameworks: [none" + ", pytorch" * n + "]}\n"
    ),
    "budget": lambda n: "budget: " + "1" * n + "\n",
    "contents": lambda n: "contents:\n" + "  - [a, b]\n" * n,
    "layers": lambda n: "layers:\n" + "  - name: gpu-smoke\n" * n,
    "delimiters": lambda n: "delimiters:\n" + "  - {match: 'a', delimiters: square}\n" * n,
    "overrides": lambda n: "overrides:\n" + "  - 'a/**'\n" * n,
    "files": lambda n: "files:\n" + "  - {match: 'a/**', policy: seed}\n" * n,
    "distributions": lambda n: "distributions: [ubuntu" + ", debian" * n + "]\n",
}


def base_image(key, make):
    word = key.split()[0]

    def files(n):
        kept = [f"{x}\n" for x in IMAGE.splitlines() if not x.startswith(word + ":")]
        rest = "" if word == "rows" else "rows:\n  - {}\n"
        return {
            "catalog.yml": "name: test\nversion: 1.0.0\n",
            "base-images/x/image.yml": "".join(kept) + rest + make(n),
            "base-images/x/files/Dockerfile.j2": "FROM a\n",
        }

    return Construct(
        f"base image {key}", files, ("image", "list", "x", "--catalog", "cat"), 10**6, True
    )


def chain(n):
    """What a catalog extends, and that, and so on."""
    origin = None
    for _ in range(min(n, 500)):  # Python's own writer of JSON nests no deeper
        origin = {**RECORD["catalog"], "extends": origin} if origin else dict(RECORD["catalog"])
    return origin


HASHED = ("answers", "request", "resolution", "template")
RECORD = {
    "schema": 1,
    "catalog": {"source": "cat", "ref": None, "commit": None, "version": "1.0.0"},
    "template": "t",
    "answers": {"name": "child"},
    "request": None,
    "resolution": None,
    "yours": [],
}
# What differs from that.
RECORDS = {
    "catalog source": lambda n: {"catalog": {**RECORD["catalog"], "source": "./" * n + "cat"}},
    "catalog ref commit version": lambda n: {
        "catalog": {**RECORD["catalog"], "version": f"1.0.0-{'x' * n}"}
    },
    "catalog extends": lambda n: {"catalog": {**RECORD["catalog"], "extends": chain(n)}},
    "template": lambda n: {"template": "t" * n},
    "answers": lambda n: {"answers": {"name": "a", **{f"q{i}": "a" for i in range(n)}}},
    "answers long": lambda n: {"answers": {"name": "a" * n}},
    "request": lambda n: {"request": {"framework": "none", **{f"q{i}": "a" for i in range(n)}}},
    "resolution": lambda n: {"resolution": {"a": [1] * n}},
    "resolution keys": lambda n: {"resolution": {f"k{i}": 1 for i in range(n)}},
    "yours": lambda n: {"yours": ["a/**"] * n},
    "yours that differ": lambda n: {"yours": [f"a{i}/**/b*" for i in range(n)]},
}


def genuine(changes):
    """A record as the program would have written it, of a tree that nobody has."""
    record = {**RECORD, **changes}
    render = {"engine": 1, "tree": "0" * 40}
    commit = {"commit": record["catalog"]["commit"], "overlay": None}
    hashed = {**{key: record[key] for key in HASHED}, **render, **commit}
    text = json.dumps(hashed, sort_keys=True, separators=(",", ":")) + "\n"
    render["inputs"] = hashlib.sha256(text.encode()).hexdigest()
    return json.dumps({**record, "render": render})


def record(key, make, words):
    def files(n):
        base = questions(n) if key == "answers" else catalog()
        return {**base, "../child/.tmplgen.yml": genuine(make(n))}

    words = (words[0], "child", *words[1:])
    return Construct(f"record {key}: {words[0]}", files, words, 10**6, repository="child")


ANSWERS = {
    "many": lambda n: {**questions(n), "../answers.yml": "".join(f"q{i}: a\n" for i in range(n))},
    "long": lambda n: {**catalog(), "../answers.yml": "name: " + "a" * n + "\n"},
    "deep": lambda n: {**catalog(), "../answers.yml": "name: " + deep(n) + "\n"},
}


def others():
    yield from (base_image(key, make) for key, make in IMAGES.items())
    for key, make in RECORDS.items():
        for words in (("status",), ("update", "--check")):
            yield record(key, make, words)
    for key, make in ANSWERS.items():
        yield Construct(f"answers {key}", make, (*DRY, "--answers", "answers.yml"), 10**6)
    yield Construct(
        "overlay",
        lambda n: {
            **catalog(),
            "../.tmplgen-matrix.yml": "cuda:\n  toolkits:\n"
            + "".join(f"  - {{cuda: 99.0.{i}, driver: 535}}\n" for i in range(n)),
        },
        ("matrix", "resolve", "--framework", "pytorch"),
        10**5,
    )


def most_of(name):
    return next((MOST[k] for k in sorted(MOST, key=len, reverse=True) if name.startswith(k)), 10**7)


def constructs():
    found = [Construct(name, make, DRY, most) for name, make, most in of_language()]
    found += [Construct(f"construct {name}", make) for name, make in CONSTRUCTS.items()]
    found += [
        Construct(f"manifest {name}", make, DRY, most_of(name)) for name, make in MANIFESTS.items()
    ]
    return [*found, *of_matrices(), *others()]
