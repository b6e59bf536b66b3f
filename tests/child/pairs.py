"""Requests for children in which every pair of choices that go together is made at least once."""

import itertools
import random

import yaml

from ..common import questions
from .render import CATALOG

# What is tried of an answer that may be any text; of the name, too.
NASTY = 'Says "no" \\ to $HOME `id` ${{ x }} {{ y }} <b> \U0001f600 é'
TEXTS = {
    "description": [None, NASTY, ""],
    "registry": [None, "registry.example.org:5000/team/ml"],
    "package": [None, "zz_9"],
}
# What is tried with all that hangs on it in tests/deploy.
ELSEWHERE = {"deploy", "orchestrator", "gpu_sharing"}
NAMES = ["it", "z", "a" * 63, "3d-shapes"]
PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]
VARIANTS = [None, "cpu"]
# Nothing, what has an index of its own, what has to be compiled.
WITH = [None, "torch", "flash-attn"]


def types():
    """The types of the catalog, and their manifests."""
    return {
        path.parent.name: yaml.safe_load(path.read_text())
        | {"questions": questions.of_type(path.parent)}
        for path in sorted(CATALOG.glob("templates/*/template.yml"))
    }


def choices(manifest):
    """What can be chosen for a type: a list of values for each choice."""
    found = {"name": NAMES}
    if manifest["stack"] == "framework":
        found |= {
            "framework": manifest["frameworks"],
            "python": PYTHONS[PYTHONS.index(manifest["python"].removeprefix(">=")) :],
            "variant": VARIANTS,
            "with": WITH,
        }
    for question in manifest["questions"]:
        name, kind = question["name"], question.get("type", "str")
        if name in ELSEWHERE or "computed" in question or "when" in question:
            continue
        if question.get("taken", "true") != "true":
            continue
        if kind == "bool":
            found[name] = ["true", "false"]
        elif kind == "choice":
            found[name] = questions.values(question)
        elif kind == "list":
            each = questions.values(question)
            found[name] = ["none", *each, ",".join(each)]
        elif name in TEXTS:
            found[name] = [
                value for value in TEXTS[name] if value is not None or "default" in question
            ]
    return found


def rows(choices, seed):
    """A short list of rows, by greed: each takes values that make as many new pairs as can be."""
    rng = random.Random(seed)
    missing = {
        frozenset([(one, a), (other, b)])
        for one, other in itertools.combinations(choices, 2)
        for a in choices[one]
        for b in choices[other]
    }
    found = []
    while missing:
        # From a pair that is missing, so that each row makes at least one.
        row = dict(min(missing, key=lambda pair: (sorted(map(str, pair)), 0)))
        for name in rng.sample(sorted(set(choices) - set(row)), len(choices) - len(row)):
            values = rng.sample(choices[name], len(choices[name]))
            row[name] = max(
                values,
                key=lambda value: sum(
                    frozenset([(name, value), item]) in missing for item in row.items()
                ),
            )
        missing -= {frozenset(pair) for pair in itertools.combinations(row.items(), 2)}
        found.append(row)
    return found


def words(kind, row):
    """The words of `tmplgen new` for a row."""
    given = {name: value for name, value in row.items() if value is not None}
    said = ["--type", kind, "--name", given.pop("name")]
    for name in ("framework", "python", "variant", "with", "ci"):
        if name in given:
            said += [f"--{name}", given.pop(name)]
    for name, value in given.items():
        said += ["--set", f"{name}={value}"]
    return said
