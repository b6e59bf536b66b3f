"""The template language beside Jinja2 and minijinja: parse and render, and render alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jinja2
import yaml
from contender import TOP, prose
from render_loop import ENGINES, OPTIONS

TITLE = "Rendering templates"
ABOUT = """
Processor time of the fastest round of all templates of a kind, in processes of their own that
take turns on one core; output per second, and how many times as long the others take. All three
write the same bytes. "render" alone is of templates that were parsed before, with all that they
include; else files that are included are parsed by tmplgen each time, by the others once. A new
project parses each file once.
"""
RENDER = TOP / "build" / "bench-render"
SECONDS = 0.4
CONTEXT = TOP / "tests" / "oracle" / "contexts" / "default.yml"
TEMPLATES = TOP / "templates"
OWN = ("to_yaml", "shell_quote", "slug", "to_toml", "dockerfile_quote")


def read_yaml(path):
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def includes():
    """What the catalog's templates include, by the names by which they do."""
    owned = [*TEMPLATES.glob("*/includes"), *TEMPLATES.glob("_layers/*/includes")]
    folders = {TEMPLATES / "_includes": "", **{p: p.parent.name + "/" for p in owned}}
    return {
        prefix + str(path.relative_to(folder)): path.read_text(encoding="utf-8")
        for folder, prefix in folders.items()
        for path in folder.rglob("*")
        if path.is_file()
    }


def context(files):
    """The default answers of all questions, with the resolution of tests/oracle."""
    answers = read_yaml(CONTEXT)
    names = {**answers.pop("answers"), **answers, "template": "service"}
    env = jinja2.Environment(
        **OPTIONS, undefined=jinja2.StrictUndefined, loader=jinja2.DictLoader(files)
    )
    for path in sorted(TEMPLATES.rglob("template.yml")) + sorted(TEMPLATES.rglob("layer.yml")):
        for question in read_yaml(path).get("questions", []):
            if "name" not in question:  # what is asked elsewhere has another default here
                continue
            default = question.get("default", "")
            if isinstance(default, str):
                default = env.from_string(default).render(names)
            names.setdefault(question["name"], default)
    return names


def accepted(case):
    """Whether both others render it, to the same text."""
    try:
        texts = {engine(case)[1]() for engine in ENGINES.values()}
    except Exception:  # noqa: BLE001 whatever they raise
        return False
    return len(texts) == 1


def of_catalog():
    files = includes()
    names = context(files)
    cases = []
    for path in sorted(TEMPLATES.rglob("*.j2")):
        text = path.read_text(encoding="utf-8")
        case = {"template": text, "context": names, "includes": files}
        if "includes" not in path.parts and "_includes" not in path.parts and accepted(case):
            cases.append(case)
    return cases


def without_includes():
    return [case for case in of_catalog() if "include" not in case["template"]]


def one(template, context=None):
    return [{"template": template, "context": context or {}, "includes": {}}]


def of_loop():
    cells = {"rows": [[f"cell {i} {k}" for k in range(10)] for i in range(2000)]}
    return one(
        "{% for row in rows %}\n{% for cell in row %}{{ loop.index }}: {{ cell }}"
        "{% if not loop.last %}, {% endif %}{% endfor %}\n\n{% endfor %}",
        cells,
    )


def of_filters():
    cells = {"cells": [f"A cell {i}" for i in range(20000)]}
    return one("{% for c in cells %}{{ c|upper|replace('A', 'b') }} {% endfor %}", cells)


def of_text():
    """No two lines are the same: Python has equal constants only once."""
    words = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor."
    lines = [f"{i:06} {words}" + " {{ name }}" * (i % 400 == 0) for i in range(40000)]
    return one("\n".join(lines), {"name": "a name"})


KINDS = {
    "the catalog's templates": of_catalog,
    "those that include nothing": without_includes,
    "a loop of 20,000 cells": of_loop,
    "20,000 cells, two filters each": of_filters,
    "3.5 MB of text": of_text,
}


def seconds_of(command, core):
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {core}),
    )
    _, size, seconds = done.stdout.split()
    return int(size), float(seconds)


def measure(path, mode, rounds):
    """The least seconds of each contender, and the bytes."""
    core = max(os.sched_getaffinity(0))
    loop = Path(__file__).with_name("render_loop.py")
    field = {"tmplgen": [RENDER, path, mode, str(SECONDS)]}
    for engine in ENGINES:
        field[engine] = [sys.executable, loop, engine, path, mode, str(SECONDS)]
    best, size = dict.fromkeys(field, float("inf")), 0
    order = list(field)
    for _ in range(rounds):
        for name in order:
            size, seconds = seconds_of(field[name], core)
            best[name] = min(best[name], seconds)
        order.append(order.pop(0))
    return best, size


def rows(name, cases, rounds, work):
    path = work / "cases.json"
    bare = [{key: one[key] for key in ("template", "context")} for one in cases]
    path.write_text(json.dumps({"includes": cases[0]["includes"], "cases": bare}))
    for mode, words in {"parse": "parse and render", "render": "render"}.items():
        best, size = measure(path, mode, rounds)
        own = best["tmplgen"]
        others = " | ".join(f"{best[engine] / own:.2f} x" for engine in ENGINES)
        yield f"| {name} | {words} | {size / own / 1e6:,.0f} MB/s | {others} |"


def run(rounds, work, _env):
    kinds = {name: make() for name, make in KINDS.items()}
    lines = [row for name, cases in kinds.items() for row in rows(name, cases, rounds, work)]
    count = len(kinds["the catalog's templates"])
    return [
        *prose(ABOUT + f"The catalog's templates are the {count} that all three take.\n"),
        "",
        "| | | tmplgen | Jinja2 3.1.6 | minijinja 3.0.5 |",
        "| --- | --- | --- | --- | --- |",
        *lines,
    ]
