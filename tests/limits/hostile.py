"""
Hostile catalogs of any size: one construct for each thing that a catalog, a child or an answer may
hold. `make(n)` gives the files of a world, in which `words` run.
"""

import itertools
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from . import tables
from .place import DRY, catalog, question, template

TOP = Path(__file__).resolve().parents[2]
DOCUMENT, TEMPLATE = 1 << 20, 4 << 20  # no file of the catalog may be longer


@dataclass(frozen=True)
class Construct:
    name: str
    make: Callable  # files of the catalog by path; a path that begins with `../` lies beside it
    words: tuple = DRY
    most: int = 10**7
    whole: bool = False  # on top of the built-in catalog's files

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


def of_source(kind, row, subject):
    one = applied(kind, row, subject, call(row))
    yield f"{kind} {row[0]}: in a row", lambda n: template(f"{{% set r = {one} %}}" * n), 10**6

    def nested(n):
        text = subject
        for _ in range(n):
            text = applied(kind, row, text, call(row))[1:-1] if kind != "test" else text + one
        return once(text)

    yield f"{kind} {row[0]}: nested", nested, 10**4


TEXTS = {
    name: (lambda n, c=letters: f'"{c}"*{max(1, n // len(c))}') for name, letters in LETTERS.items()
}
LISTS = {
    "list": lambda n: f"range({n})|list",
    "list of texts": lambda n: f"['a', 'B', 'c ']*{n}",
    "list of one text": lambda n: f"['x'*1000]*{n}",
}
SUBJECTS = {
    "text": (TEXTS, "'a x'"),
    "list": (LISTS, "[1, 'x']"),
    "tuple": (LISTS, "(1, 'x')"),
    "dict": ({"dict": lambda n: "{" + ", ".join(f"'k{i}': 1" for i in range(n)) + "}"}, "{'x': 1}"),
}


def of_language():
    for kind, rows in {"filter": tables.filters(), "test": tables.tests()}.items():
        for row in rows:
            yield from of_values(kind, row, {**TEXTS, **LISTS})
            yield from of_arguments(kind, row, "'a x'")
            yield from of_source(kind, row, "'a x'")
    for kind, rows in tables.methods().items():
        for row in rows if kind != "loop" else ():
            values, subject = SUBJECTS[kind]
            label = f"method {kind}"
            yield from of_values(label, row, values)
            yield from of_arguments(label, row, subject)
            yield from of_source(label, row, subject)
    for name, text in {"changed": "loop.changed(a)", "cycle": "loop.cycle(a, 1)"}.items():
        yield f"method loop {name}: often", loops(text, f"'x'*{BIG}"), 10**6


OPERATORS = ("+", "~", "==", "<", "in", "and", "or", "%", "*")
CONSTRUCTS = {
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


def in_row(before, one, after):
    return lambda n: catalog(before + one * n + after)


def questions(n):
    text = "".join(f"  - {{name: q{i}, default: a}}\n" for i in range(n))
    used = "".join(f"{{{{ q{i} }}}}" for i in range(n))
    return catalog("questions:\n" + text, file="{{ name }}" + used)


TRUE = "'1 == 1" + " and 1 == 1" * 3 + "'"
MANIFESTS = {
    "questions": questions,
    "question name": lambda n: question("default: a", "q" * n),
    "question type": lambda n: question("default: a, type: " + "s" * n),
    "question help": lambda n: question(f"default: a, help: '{'x' * n}'"),
    "question help rendered": lambda n: question(f"default: a, help: \"{{{{ 'x' * {n} }}}}\""),
    "question default": lambda n: question(f"default: '{'x' * n}'"),
    "question default rendered": lambda n: question(f"default: \"{{{{ 'x' * {n} }}}}\""),
    "question default list": lambda n: question(f"type: list, default: [{'a, ' * n}a]"),
    "question default list rendered": lambda n: question(
        "type: list, default: [" + "\"{{ 'x'*250000 }}\", " * n + "a]"
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
        f"type: choice, default: a, choices: \"{{{{ ['a'] * {n} }}}}\""
    ),
    "question when": lambda n: question(f'default: a, when: "1{" and 1" * n}"'),
    "question when in time": lambda n: question(f"default: a, when: \"'x'*{n} in 'x'*{n + 1}\""),
    "question pattern": lambda n: question(f"default: a, pattern: '{'a?' * n}'"),
    "question pattern choices": lambda n: question(f"default: a, pattern: '{'a|' * n}b'"),
    "question pattern brackets": lambda n: question(f"default: a, pattern: '{'(' * n}a{')' * n}'"),
    "question pattern repeats": lambda n: question(f"default: a, pattern: 'a{{0,{n}}}'"),
    "question pattern nested repeats": lambda n: question(
        f"default: a, pattern: '((a{{0,{n}}}){{0,{n}}})b'"
    ),
    "question pattern and answer": lambda n: question(
        f"default: '{'a' * n}', pattern: '(a|aa)*(a{{0,9}})*a'"
    ),
    "question pattern set": lambda n: question(f"default: a, pattern: '[{'ab' * n}]'"),
    "description": lambda n: catalog(head=f"description: {'x' * n}\nstack: none\n"),
    "stack": lambda n: catalog(head=f"description: a\nstack: {'x' * n}\n"),
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
    "refuse because": lambda n: catalog(
        f"refuse: [{{when: '1', because: \"{{{{ 'x' * {n} }}}}\"}}]\n"
    ),
    "migrations from": rows("migrations", "{from: '<{}'}"),
    "migrations rename_answers": lambda n: catalog(
        "migrations:\n  - {from: '<2', rename_answers: {"
        + ", ".join(f"o{i}: name" for i in range(n))
        + "}}\n"
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
    "frameworks_because": long("frameworks_because", "x"),
    "python": in_row("python: '>=3", ",>=3", "'\n"),
    "python digits": in_row("python: '>=3.", "1", "'\n"),
    "YAML depth": in_row("next: ", "[", ""),
    "YAML keys": lambda n: catalog("".join(f"k{i}: 1\n" for i in range(n))),
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

UNIQUE = {"os": "os{}", "platform": "p{}", "name": "n{}", "gpu": "g{}"}


def matrix_rows(path, section, key):
    """N more rows of a section, made after its first."""
    text = (TOP / "matrices" / path).read_text()
    at = re.search(rf"^{section}:\n((?:#.*\n)*)(?=- \{{)", text, re.MULTILINE)
    if not at:
        return None
    row = text[at.end() : text.index("\n", at.end()) + 1]

    def make(n):
        value = r"\g<1>" + UNIQUE.get(key, "9{:04}.1")
        more = (
            re.sub(rf"(\b{key}: )[^,}}]+", value.format(i), row, count=1) if key else row
            for i in range(n)
        )
        return {
            "catalog.yml": "name: test\nversion: 1.0.0\n",
            f"matrices/{path}": text[: at.end()] + "".join(more) + text[at.end() :],
        }

    return make


def of_matrices():
    files = sorted(p.relative_to(TOP / "matrices") for p in (TOP / "matrices").rglob("*.yml"))
    seen = set()
    for (section, key), path in itertools.product(tables.sections(), files):
        make = matrix_rows(str(path), section, key)
        if not make or section in seen:
            continue
        seen.add(section)
        for verb in (("check",), ("resolve", "--framework", "pytorch")):
            words = ("matrix", *verb, "--catalog", "cat")
            yield Construct(f"matrix {section}: {verb[0]}", make, words, 10**5, True)


IMAGE = "description: a\nframework: none\nflavour: base\ndistributions: [ubuntu]\n"
IMAGES = {
    "description": lambda n: "description: " + "x" * n + "\n",
    "framework": lambda n: "framework: " + "x" * n + "\n",
    "flavour": lambda n: "flavour: " + "x" * n + "\n",
    "tag": lambda n: "tag: '" + "{{ resolution.cuda.version }}" * n + "'\n",
    "program": lambda n: "program: '" + "x/" * n + "x'\n",
    "rows": lambda n: "rows:\n" + "  - {python: '3.12'}\n" * n,
    "rows that differ": lambda n: (
        "rows:\n" + "".join(f"  - {{python: '3.{i}'}}\n" for i in range(n))
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


RECORD = f"""\
schema: 1
render: {{tree: {"0" * 40}, inputs: {"0" * 64}, engine: 1}}
"""
ORIGIN = "catalog: {source: ../cat, ref: null, commit: null, version: 1.0.0}\ntemplate: t\n"
RECORDS = {
    "catalog source": lambda n: (
        "template: t\nanswers: {}\ncatalog: {version: 1.0.0, source: " + "x" * n + "}\n"
    ),
    "catalog ref commit version": lambda n: (
        "template: t\nanswers: {}\ncatalog: {source: ../cat, "
        + "version: 1.0.0, commit: null, ref: "
        + "x" * n
        + "}\n"
    ),
    "template": lambda n: ORIGIN.replace("e: t", "e: " + "t" * n) + "answers: {}\n",
    "answers": lambda n: (
        ORIGIN + "answers: {name: a" + "".join(f", q{i}: a" for i in range(n)) + "}\n"
    ),
    "answers long": lambda n: ORIGIN + "answers: {name: " + "a" * n + "}\n",
    "request": lambda n: (
        ORIGIN
        + "answers: {name: a}\nrequest: {framework: none"
        + "".join(f", q{i}: a" for i in range(n))
        + "}\n"
    ),
    "resolution": lambda n: ORIGIN + "answers: {name: a}\nresolution: {a: [" + "1, " * n + "1]}\n",
    "yours": lambda n: ORIGIN + "answers: {name: a}\nyours:\n" + "- 'a/**'\n" * n,
}


def record(key, make, words):
    return Construct(
        f"record {key}: {words[0]}",
        lambda n: {**catalog(), "../child/.tmplgen.yml": RECORD + make(n)},
        (words[0], "child", *words[1:]),
        10**6,
    )


ANSWERS = {
    "many": lambda n: "".join(f"q{i}: a\n" for i in range(n)),
    "long": lambda n: "name: " + "a" * n + "\n",
    "deep": lambda n: "name: " + "[" * n + "\n",
}


def others():
    yield from (base_image(key, make) for key, make in IMAGES.items())
    for key, make in RECORDS.items():
        for words in (("status",), ("update", "--check")):
            yield record(key, make, words)
    for key, make in ANSWERS.items():
        yield Construct(
            f"answers {key}",
            lambda n, m=make: {**catalog(), "../answers.yml": m(n)},
            (*DRY, "--answers", "answers.yml"),
            10**6,
        )
    yield Construct(
        "overlay",
        lambda n: {
            **catalog(),
            "../.tmplgen-matrix.yml": "toolkits:\n"
            + "".join(f"- {{cuda: 9{i}.1, driver: 535}}\n" for i in range(n)),
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
