"""
Templates of packages that people install, by Jinja2 and by us, with contexts made up for them.

    build/venv/bin/python -m tests.oracle.real_templates             the table of docs/templates.md
    WRITE=1 build/venv/bin/python -m tests.oracle.real_templates     writes it there
    WHY=1 ...                                                        and what differs or is refused

The packages (real_templates.txt) come by pip, once, into build/; no text of theirs leaves it.
"""

import collections
import os
import random
import re
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path

import jinja2
from jinja2 import meta, nodes

from . import oracle

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "build" / "real-templates"
PAGE = ROOT / "docs" / "templates.md"
LIST = Path(__file__).with_suffix(".txt")
SEED = int(os.environ.get("SEED") or 20261126)
CONTEXTS = 12

# ---------------------------------------------------------------- collecting


def pins():
    return [line for line in LIST.read_text().split("\n") if line and not line.startswith("#")]


def archive_of(pin):
    """The package's file in the cache, or None."""
    name, version = pin.split("==")
    pattern = re.sub("[-_.]", "[-_.]", name) + "-" + re.escape(version) + r"[-.].*"
    there = [p for p in CACHE.glob("*") if re.fullmatch(pattern, p.name, re.IGNORECASE)]
    return there[0] if there else None


def download():
    """What the cache lacks, by one call of pip."""
    CACHE.mkdir(parents=True, exist_ok=True)
    missing = [pin for pin in pins() if not archive_of(pin)]
    if missing:
        pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*pip, "--ignore-requires-python", "-d", str(CACHE), *missing], check=True)


def files_of(archive):
    """Path and bytes of every file of a wheel."""
    with zipfile.ZipFile(archive) as opened:
        yield from ((name, opened.read(name)) for name in opened.namelist())


NAMES = re.compile(r"\.(j2|jinja|jinja2)(\.\w+)?$")
FOLDERS = re.compile(r"(^|/)(templates?|themes?|macros|\{\{[^/]*\}\}[^/]*)/")
ENDINGS = re.compile(
    r"\.(html|xml|tpl|sql|py|md|toml|ya?ml|cfg|tex|rst|txt|sh|css)(_t|\.jinja)?$|/[A-Z]\w+$"
)


def templates_of(pin):
    """The texts of a package by path: all that could be a template."""
    found = {}
    for path, data in files_of(archive_of(pin)):
        likely = NAMES.search(path) or (FOLDERS.search(path) and ENDINGS.search(path))
        if not likely or not (b"{{" in data or b"{%" in data) or len(data) > 200000:
            continue
        try:
            found[path] = data.decode()
        except UnicodeDecodeError:
            continue
    return found


# ---------------------------------------------------------------- what a template uses

KINDS = {
    nodes.Macro: "macro", nodes.Import: "import", nodes.FromImport: "from import",
    nodes.Extends: "extends", nodes.Block: "block", nodes.CallBlock: "call block",
    nodes.For: "for", nodes.If: "if", nodes.Assign: "set", nodes.AssignBlock: "set block",
    nodes.Include: "include", nodes.FilterBlock: "filter block", nodes.Slice: "slice",
    nodes.Concat: "~", nodes.CondExpr: "inline if", nodes.NSRef: "namespace", nodes.With: "with",
}  # fmt: skip


def constructs_of(tree):
    found = {word for kind, word in KINDS.items() if tree.find(kind)}
    found |= {f"filter {node.name}" for node in tree.find_all(nodes.Filter)}
    found |= {f"test {node.name}" for node in tree.find_all(nodes.Test)}
    if any(loop.recursive for loop in tree.find_all(nodes.For)):
        found.add("recursive loop")
    return found


class Template:
    def __init__(self, package, path, text, files):
        self.package, self.path, self.text = package, path, text
        self.tree = oracle.environment().parse(text)
        self.constructs = constructs_of(self.tree)
        self.includes, self.trees = {}, [self.tree]
        self.gather(self.tree, files)

    def gather(self, tree, files):
        """The templates that it names, as far as the package has them."""
        for name in meta.find_referenced_templates(tree):
            path = next((p for p in sorted(files) if name and p.endswith("/" + name)), None)
            if path is None or name in self.includes:
                continue
            self.includes[name] = files[path]
            try:
                inner = oracle.environment().parse(files[path])
            except jinja2.TemplateSyntaxError:
                continue
            self.constructs |= constructs_of(inner)
            self.trees.append(inner)
            self.gather(inner, files)


def is_foreign(template):
    """Whether it uses filters or tests that Jinja2 itself has not."""
    env = oracle.environment()
    for tree in template.trees:
        if any(node.name not in env.filters for node in tree.find_all(nodes.Filter)):
            return True
        if any(node.name not in env.tests for node in tree.find_all(nodes.Test)):
            return True
    return False


def collect():
    """(templates, how many texts Jinja2 itself does not take, how many need foreign filters)."""
    download()
    seen, found, broken, foreign = set(), [], 0, 0
    for pin in pins():
        files = templates_of(pin)
        for path, text in sorted(files.items()):
            if text in seen:
                continue
            seen.add(text)
            try:
                template = Template(pin.split("==")[0], path, text, files)
            except (jinja2.TemplateSyntaxError, RecursionError):
                broken += 1
                continue
            if is_foreign(template):
                foreign += 1
            elif template.constructs or template.tree.find(nodes.Name):
                found.append(template)
    return found, broken, foreign


# ---------------------------------------------------------------- made-up contexts

TEXT_METHODS = {
    "upper", "lower", "strip", "split", "replace", "startswith", "endswith", "title", "rstrip",
    "lstrip", "format", "join", "splitlines", "capitalize", "encode", "count",
}  # fmt: skip
DICT_METHODS = {"items", "keys", "values", "get", "update", "setdefault", "pop"}
LIST_METHODS = {"append", "extend", "insert", "index"}
SAME_ITEMS = {
    "list", "sort", "unique", "reverse", "select", "reject", "selectattr", "rejectattr", "default",
    "d", "dictsort", "items", "map",
}  # fmt: skip
WORDS = [
    "alpha",
    "Beta gamma",
    "x",
    "1.2.3",
    "a/b",
    "<b>&",
    "it's",
    "",
    "two\nlines",
    "\u00e9\u6f22",
    "ubuntu",
]


class Shape:
    """What a template asks of a value."""

    def __init__(self):
        self.members, self.item, self.constants = {}, None, []
        self.kinds = set()

    def member(self, name):
        return self.members.setdefault(name, Shape())

    def each(self):
        self.item = self.item or Shape()
        return self.item

    def make(self, rng, depth=0):
        if depth > 5 or rng.random() < 0.02:
            return None
        if self.item and "dict" in self.kinds and not self.members:
            return {
                word: self.item.make(rng, depth + 1)
                for word in rng.sample(WORDS[:7], rng.randrange(4))
            }
        if self.item and not self.members:
            return [self.item.make(rng, depth + 1) for _ in range(rng.choice([0, 1, 1, 2, 3]))]
        if self.members or "dict" in self.kinds:
            members = {k: v.make(rng, depth + 1) for k, v in self.members.items()}
            return {k: v for k, v in members.items() if rng.random() > 0.02}
        if self.constants and rng.random() < 0.7:
            return rng.choice(self.constants)
        if "text" in self.kinds:
            return rng.choice(WORDS)
        if "list" in self.kinds:
            return rng.sample(WORDS, rng.randrange(3))
        plain = [lambda: rng.choice(WORDS)] * 5
        plain += [lambda: rng.randrange(-1, 12)] * 2
        return rng.choice([*plain, lambda: True, lambda: False, lambda: None, list])()


class Reader:
    """Reads from a template what shape its variables have."""

    def __init__(self):
        self.root = Shape()

    def shape(self, node, names):
        if isinstance(node, nodes.Name):
            return names.get(node.name) or self.root.member(node.name)
        if isinstance(node, nodes.Getattr):
            inner = self.shape(node.node, names)
            return inner.member(node.attr) if inner else None
        if isinstance(node, nodes.Getitem):
            inner = self.shape(node.node, names)
            constant = node.arg.value if isinstance(node.arg, nodes.Const) else None
            if inner and isinstance(constant, str):
                return inner.member(constant)
            return inner.each() if inner else None
        if isinstance(node, nodes.Filter) and node.name in SAME_ITEMS:
            return self.shape(node.node, names)
        if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
            return self.method(node, names)
        return None

    def method(self, call, names):
        inner, name = self.shape(call.node.node, names), call.node.attr
        if inner is None:
            return None
        kinds = {"text": TEXT_METHODS, "dict": DICT_METHODS, "list": LIST_METHODS}
        inner.kinds |= {kind for kind, methods in kinds.items() if name in methods}
        if name == "get" and call.args and isinstance(call.args[0], nodes.Const):
            return inner.member(call.args[0].value)
        return inner if name in ("items", "values", "keys", "copy") else None

    def target(self, node, shape, names, pairs):
        if isinstance(node, nodes.Name):
            names[node.name] = shape
        elif pairs and len(node.items) == 2 and isinstance(node.items[1], nodes.Name):
            names[node.items[0].name] = Shape()
            names[node.items[1].name] = shape
        else:
            for item in node.items:
                self.target(item, shape.each() if shape else Shape(), names, False)

    def read(self, node, names):
        if isinstance(node, nodes.For):
            self.read(node.iter, names)
            names = dict(names)
            shape = self.shape(node.iter, names)
            call = node.iter.node if isinstance(node.iter, nodes.Filter) else node.iter
            pairs = isinstance(call, nodes.Call) and getattr(call.node, "attr", "") == "items"
            pairs = pairs or (
                isinstance(node.iter, nodes.Filter) and node.iter.name in ("items", "dictsort")
            )
            if pairs and shape:
                shape.kinds.add("dict")
            self.target(node.target, shape.each() if shape else Shape(), names, pairs)
        elif isinstance(node, (nodes.Getattr, nodes.Getitem, nodes.Call)):
            self.shape(node, names)
        elif isinstance(node, nodes.Compare):
            shape = self.shape(node.expr, names)
            values = [operand.expr for operand in node.ops]
            values += [item for value in values for item in getattr(value, "items", [])]
            if shape:
                shape.constants += [v.value for v in values if isinstance(v, nodes.Const)]
        for child in node.iter_child_nodes():
            self.read(child, names)


def shape_of(template):
    reader = Reader()
    for tree in template.trees:
        reader.read(tree, {})
    return reader.root


BUILT_IN = {"loop", "caller", "super", "self", "varargs", "kwargs"}


def free_names(template):
    """What the context has to have: also what has a name of Jinja2's own and is not called."""
    free = set().union(*(meta.find_undeclared_variables(tree) for tree in template.trees))
    named = {node.name for tree in template.trees for node in tree.find_all(nodes.Name)}
    calls = [call.node for tree in template.trees for call in tree.find_all(nodes.Call)]
    called = {node.name for node in calls if isinstance(node, nodes.Name)}
    return sorted((free - BUILT_IN) | (named & set(oracle.environment().globals) - called))


def context_for(template, shape, rng):
    names = free_names(template)
    return {name: shape.member(name).make(rng) for name in names if rng.random() > 0.01}


# ---------------------------------------------------------------- comparing

REFUSED = re.compile(
    "is not in the template language|cannot be printed|slices are not|does not fit in 64 bits"
    "|is being walked|cannot be compared|cannot be a key|negative constant|is not known"
)


def expected(compiled, context):
    try:
        return compiled.render(context)
    except Exception as error:  # noqa: BLE001 any of Python's errors
        return error


class Result:
    def __init__(self):
        self.equal = self.fail = 0
        self.refused, self.wrong = collections.Counter(), []

    @property
    def kind(self):
        if self.wrong:
            return "different"
        if self.refused:
            return "refused"
        return "equal" if self.equal else "fails in both"


def compare(ours, template, contexts=CONTEXTS):
    result, rng = Result(), random.Random(f"{SEED} {template.package} {template.path}")
    shape = shape_of(template)
    compiled = oracle.environment(template.includes).from_string(template.text)
    for _ in range(contexts):
        context = context_for(template, shape, rng)
        answer = ours.ask(template.text, context, template.includes)
        wanted = expected(compiled, context)
        if "error" in answer and REFUSED.search(answer["error"]):
            result.refused[answer["error"]] += 1
        elif isinstance(wanted, Exception) and "error" in answer:
            result.fail += 1
        elif answer.get("out") == wanted:
            result.equal += 1
        elif "error" in answer and " at 0x" in str(wanted):  # Jinja2 prints an address in memory
            result.refused[answer["error"]] += 1
        else:
            result.wrong.append((context, wanted, answer))
    return result


# ---------------------------------------------------------------- the table

OUTCOMES = ("equal", "fails in both", "refused", "different")


def row(name, results):
    counts = collections.Counter(result.kind for result in results)
    share = 100 * (counts["equal"] + counts["fails in both"]) / len(results)
    return (
        f"| {name} | {len(results)} | "
        + " | ".join(str(counts[o]) for o in OUTCOMES)
        + f" | {share:.0f} % |"
    )


def table(results, broken, foreign):
    by_package, by_construct = collections.defaultdict(list), collections.defaultdict(list)
    reasons = collections.Counter()
    for template, result in results:
        by_package[template.package].append(result)
        for construct in template.constructs:
            by_construct[construct].append(result)
        if result.kind == "refused":
            reasons[
                re.sub(r"'[^']*'|U\+\w+", lambda m: m[0], result.refused.most_common(1)[0][0])
            ] += 1
    renders = sum(result.equal for _, result in results)
    head = (
        " | templates | equal | fail in both | refused | different | as Jinja2 |\n|" + " --- |" * 7
    )
    common = {k: v for k, v in by_construct.items() if len(v) >= 3}
    about = (
        f"{len(results)} templates of {len(by_package)} packages, each with {CONTEXTS} contexts "
        f"made up for it (seed {SEED}): {renders} renders are equal byte for byte. Left out: "
        f"{foreign} that need filters or tests of their program, and {broken} that Jinja2 without "
        "that program's extensions cannot read. “Fail in both”: with each context "
        "something is undefined or of the wrong kind."
    )
    lines = [
        textwrap.fill(about, 102),
        "", f"| construct{head}",
        *(row(f"`{k}`", v) for k, v in sorted(common.items(), key=lambda kv: (-len(kv[1]), kv[0]))),
        row("all", [result for _, result in results]), "", f"| package{head}",
        *(row(k, v) for k, v in sorted(by_package.items())), "",
    ]  # fmt: skip
    if reasons:
        lines += ["Refused:", ""]
        lines += [f"- {count}: {reason}" for reason, count in reasons.most_common()] + [""]
    return "\n".join(lines)


def run(ours, contexts=CONTEXTS):
    found, broken, foreign = collect()
    return [(t, compare(ours, t, contexts)) for t in found], broken, foreign


def main():
    ours = oracle.Ours(os.environ.get("ORACLE_RENDER") or ROOT / "build" / "oracle-render")
    results, broken, foreign = run(ours)
    text = table(results, broken, foreign)
    print(text)
    for template, result in results if os.environ.get("WHY") else ():
        if result.refused or result.wrong:
            print(
                template.package, template.path, result.kind, dict(result.refused), result.wrong[:1]
            )
    if os.environ.get("WRITE"):
        page = PAGE.read_text(encoding="utf-8")
        section = "## Real templates\n\n" + text + "\n"
        pattern = re.compile(r"## Real templates\n.*?(?=^## )", re.DOTALL | re.MULTILINE)
        if not pattern.search(page):
            page = page.replace("## Limits\n", section + "## Limits\n")
        PAGE.write_text(pattern.sub(lambda _: section, page), encoding="utf-8")
    return any(result.wrong for _, result in results)


if __name__ == "__main__":
    sys.exit(main())
