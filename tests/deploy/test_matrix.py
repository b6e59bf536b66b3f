"""Every pair of choices of what is deployed, rendered and read by all that reads such files.

SEED=N takes other rows. ONE_IN=1 takes all of them; else it is every fourth, others with each turn.
"""

import itertools
import json
import os
import re
from dataclasses import dataclass

import pytest

from ..child import matrix, pairs
from . import checkers, render, schemas, tools

SEED = int(os.environ.get("SEED") or os.environ.get("TURNS") or 20261128)
ONE_IN = int(os.environ.get("ONE_IN") or 4)


@dataclass
class Overlay:
    """What kustomize makes of an overlay of a child."""

    made: render.Made
    path: object
    documents: list

    def pods(self):
        """Of a cluster's repository, those of the smoke test: plugins must be privileged."""
        found = checkers.pods(self.documents)
        if self.made.kind != "cluster":
            return [pod for _, pod in found]
        return [pod for one, pod in found if one["metadata"]["name"].startswith("gpu-smoke")]

    def reaches_its_node(self):
        """Whether pods talk to an MPS daemon there: of the AWS plugin, and Google's."""
        way = self.made.row.get("gpu_sharing") if self.path.name == "default" else self.path.name
        return way == "aws-vgpu" or (way == "mps" and self.made.row.get("platform") == "gke")


def distinct(documents):
    found = {json.dumps(one, sort_keys=True): one for one in documents}
    return list(found.values())


def all_files(made, _):
    """What all children have to pass, but for texts that Prometheus fills in."""
    found = matrix.check([one.child for one in made])
    return [one for one in found if not re.search(r"/rules.yaml: .*\{\{ \$(labels|value)", one)]


def heads_and_leftovers(made, _):
    found = []
    for path in [path for one in made for path in one.child.files("deploy/**/*")]:
        found += checkers.unsaid(path)
        if path.suffix in (".yaml", ".yml"):
            found += checkers.repeated(path)
    return found


def refusals(made, _):
    return [e for one in made for e in render.without_reason(one)]


def schemas_of_all(made, built):
    documents = [one for overlay in built for one in overlay.documents]
    documents += [one for each in made for one in render.of_engines(each.child)]
    return [e for one in distinct(documents) for e in schemas.wrong(one)]


def names(_, built):
    """What documents say of each other; a cluster's are of several projects."""
    found = []
    for one in built:
        said = checkers.idle(one.path, one.documents)
        if one.made.kind != "cluster":
            said += checkers.dangling(one.documents)
        found += [f"{one.path}: {e}" for e in said]
    return found


def restricted(_, built):
    found = []
    for one in built:
        allowed = checkers.HOSTS if one.reaches_its_node() else set()
        found += [
            f"{one.path}: {e}" for pod in one.pods() for e in checkers.not_restricted(pod)
            if e not in allowed
        ]  # fmt: skip
    return found


def resources(_, built):
    found = []
    for one in built:
        clients = int(one.made.row.get("gpu_clients") or 4)
        for pod in one.pods() if one.made.kind != "cluster" else []:
            said = checkers.unlimited(pod) + checkers.over_cap(pod, clients)
            found += [f"{one.path}: {e}" for e in said]
    return found


def rules(_, built):
    found = [d for one in built for d in one.documents if d["kind"] == "PrometheusRule"]
    return [e for one in distinct(found) for e in tools.promtool(one)]


def workflows(made, _):
    folders = [one.child.folder for one in made if (one.child.folder / ".github").is_dir()]
    return tools.zizmor(folders) if folders else ["no workflows at all"]


def policies(_, built):
    """One overlay of each set of kinds and way of sharing: these rules look at nothing else."""
    seen = {}
    for one in built:
        kinds = tuple(sorted(document["kind"] for document in one.documents))
        seen.setdefault((kinds, one.path.name), one.documents)
    return tools.checkov(distinct(itertools.chain.from_iterable(seen.values())))


def of_github(parser):
    """GitHub's own parser on each workflow that differs."""

    def check(made, _):
        paths = [path for one in made for path in one.child.files(".github/workflows/*.yml")]
        each = {path.read_bytes(): path for path in paths}
        return [e for path in each.values() for e in tools.github(parser, path)]

    return check


CHECKS = (all_files, heads_and_leftovers, refusals, schemas_of_all, names, restricted, resources)
CHECKS += (rules, workflows, policies)


@pytest.mark.full
@pytest.mark.turns(2)
@pytest.mark.parametrize("kind", render.TYPES)
def test_every_child_passes_every_check(kind, parser, tmp_path):
    """One test for a type, so that its children are made once."""
    made = render.matrix(tmp_path, kind, SEED, ONE_IN)
    built = [
        Overlay(one, path, render.kustomize(path))
        for one in made
        for path in render.overlays(one.child)
    ]
    refused = sum(len(one.refusals) for one in made)
    print(f"SEED={SEED} {kind}: {len(made)} children, {len(built)} overlays, {refused} refusals")
    found = {one.__name__: one(made, built) for one in (*CHECKS, of_github(parser))}
    assert {name: said for name, said in found.items() if said} == {}
    if ONE_IN == 1:
        assert left_out(made) == {}


def left_out(made):
    """Choices that are in no child: only asked for, and refused together with others."""
    kind, found = made[0].kind, {}
    for name, values in render.choices(render.manifest_of(kind)).items():
        missing = {value for value in values if value is not None}
        missing -= {one.row.get(name) for one in made} | render.NEVER.get((kind, name), set())
        if missing:
            found[name] = missing
    return found


@pytest.mark.parametrize("kind", render.TYPES)
def test_every_question_is_in_the_rows(kind):
    """But for names and texts that stand in every child."""
    manifest = render.manifest_of(kind)
    asked = {q["name"] for q in manifest["questions"] if q.get("computed") is None}
    choices = render.choices(manifest)
    plain = {"name", "package", "description", "license_holder", "license_year", "python_version"}
    assert asked - set(choices) <= plain
    rows = pairs.rows(choices, SEED)
    for name, values in choices.items():
        assert {row[name] for row in rows} == set(values)


def test_all_of_them_are_two_hundred():
    rows = [pairs.rows(render.choices(render.manifest_of(kind)), SEED) for kind in render.TYPES]
    assert sum(map(len, rows)) >= 200
