"""Children that are deployed, what kustomize makes of them, and what can be chosen for them."""

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from ..child import pairs
from ..child.matrix import TMPLGEN, Child
from ..common import questions

# Debian's is of 2020 and knows no components: a package of the venv brings it.
KUBECTL = shutil.which("kubectl", path=str(Path(sys.executable).parent)) or "kubectl"
# Types whose children can be deployed.
TYPES = ("service", "batch", "llm", "cluster")
# What may be any text or number: values to try. None: not said.
VALUES = {
    "deploy": ["k8s", "k8s", "none"],
    "registry": [None, "ghcr.io/acme"],
    "gpu_sharing": ["none", "time-slicing", "mps", "mig:1g.5gb", "mig:1g.10gb", "aws-vgpu", "dra"],
    "gpu_clients": [None, "7"],
    "gpu_fraction": [None, "0.1"],
    "queue": [None, "team-a"],
    "replicas": [None, "1"],
    "most_replicas": [None, "50"],
    "prometheus": [None, "https://prometheus.example.org/a"],
    "wake_query": [None, 'sum(rate(requests{host="a.example.org"}[1m]))'],
    "gateway": [None, "it.example.org"],
    "gateway_name": [None, "edge/outside.example"],
    "schedule": [None, "*/30 1-5 * * 1,3"],
    "runs": [None, "3"],
    "machines": [None, "5"],
    "gpus_per_machine": [None, "8"],
    "storage": [None, "2Ti"],
    # A repository of a cluster's.
    "gpus": [None, "none", "T4", "V100", "A100-40GB,H100"],
    "mig_slices": [None, "2"],
    "driver_version": [None, "580.95.05"],
    "operator_namespace": [None, "operators"],
    "smoke_namespace": [None, "tests"],
    "smoke_minutes": [None, "15"],
    "smoke_schedule": [None, "30 */6 * * 1-5"],
    "smoke_nodes": [None, "3"],
    "team_namespaces": [None, "vision,speech"],
}
STACK = {
    "platform": [None, "gke", "eks", "aks", "generic"],
    "gpu": [None, "T4", "A100", "H100", "P100", "cpu"],
    "arch": [None, "aarch64"],
    "driver": [None, "580"],
}
OPTIONS = {"framework", *STACK, "ci", "name"}
# Left out, one after the other, until tmplgen agrees: first what its refusal names.
LEFT_OUT = ("gpu_fraction", "driver_version", "gpu_sharing", "gpus_per_machine", "orchestrator")
LEFT_OUT += ("spot", "workload", "most_replicas", "arch", "driver", "gpu", "platform")
LEFT_OUT += ("platforms", "gpus")
# Choices that a type refuses whatever else is chosen.
NEVER = {
    ("llm", "orchestrator"): {"flyte", "airflow", "kubeflow", "argo", "ray", "slurm"},
}
# What goes with little else, and would be given up for it in every row.
_SHARED = [
    {"deploy": "k8s", "platform": "eks", "gpu_sharing": "aws-vgpu"},
    {"deploy": "k8s", "platform": "gke", "driver": "580", "gpu_sharing": "dra"},
]
CERTAIN = {
    "service": [{"framework": "pytorch", **row} for row in _SHARED],
    "batch": [{"framework": "jax", **row} for row in _SHARED],
    "llm": [{"framework": "transformers", **row} for row in _SHARED],
    "cluster": [{"gpu_sharing": "mig", "gpus": "A100-40GB,H100", "mig_slices": "2"}],
}
NO_DIFFERENCE = re.compile(r"^tmplgen: error: '(\w+)' makes no difference here", re.M)


@dataclass
class Made:
    """A child, the choices that it was made of, and what tmplgen said to those that do not go."""

    child: Child
    kind: str
    row: dict
    refusals: list = field(default_factory=list)


def manifest_of(kind):
    done = subprocess.run(
        [str(TMPLGEN), "template", "show", kind, "--json"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return json.loads(done.stdout)


def choices(manifest):
    """What can be chosen for a type, as tmplgen itself tells it."""
    found = {}
    if manifest["stack"] == "framework":
        found |= {"framework": manifest["frameworks"], **STACK}
    for question in manifest["questions"]:
        name = question["name"]
        if question.get("computed") is not None:
            continue
        if name in VALUES and question["type"] != "choice" or name == "deploy":
            found[name] = VALUES[name]
        elif question["type"] == "bool":
            found[name] = ["false", "true"]
        elif question["type"] == "choice":
            found[name] = questions.values(question)
        elif question["type"] == "list":
            each = questions.values(question)
            found[name] = ["none", *each, ",".join(each)]
    return found


def words(kind, row):
    """The words of `tmplgen new` for a row; what is None is not said."""
    said = ["--type", kind]
    for name, value in row.items():
        if name == "gpu" and value == "cpu":
            said += ["--variant", "cpu"]
        elif value is not None:
            said += [f"--{name}", value] if name in OPTIONS else ["--set", f"{name}={value}"]
    return said


def new(folder, said):
    """Whether it was made, and what tmplgen said."""
    done = subprocess.run(
        [str(TMPLGEN), "new", str(folder), *said, "--no-git", "--quiet"],
        env={"PATH": os.environ["PATH"], "HOME": str(folder.parent)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode in (0, 2, 4), f"{said}: {done.returncode}\n{done.stderr}"
    return done.returncode == 0, done.stderr


def render(folder, *said):
    """A child that has to be made."""
    made, text = new(folder, said)
    assert made, f"{said}\n{text}"
    return Child(folder, list(said))


def make(folder, kind, row):
    """A child of a row, or of what of it goes together."""
    row, refusals = dict(row), []
    while True:
        made, text = new(folder, words(kind, row))
        if made:
            return Made(Child(folder, words(kind, row)), kind, row, refusals)
        beside = NO_DIFFERENCE.search(text)
        if beside:
            row.pop(beside[1])
            continue
        refusals.append((words(kind, row), text))
        said = [name for name in LEFT_OUT if row.get(name) is not None]
        assert said, f"refused however it is asked: {refusals}"
        row.pop(min(said, key=lambda name: not re.search(rf"\b{name}\b", text.replace("-", "_"))))


def without_reason(made):
    """Refusals that say nothing of why: no words behind the colon, or nothing that was asked."""
    found = []
    for said, text in made.refusals:
        reason = re.search(r"tmplgen: error: (.*)", text)
        if not reason or len(reason[1].split()) < 4:
            found.append(f"{said}: {text}")
    return found


def matrix(root, kind, seed, one_in=1):
    """Children in which each pair of choices was asked for; every `one_in`th of them."""
    rows = enumerate([*pairs.rows(choices(manifest_of(kind)), seed), *CERTAIN[kind]])
    taken = [(n, row) for n, row in rows if n % one_in == seed % one_in]
    return [make(root / f"{kind}-{n}", kind, row) for n, row in taken]


def of_engines(child):
    """The manifests of orchestrators, which kustomize has nothing to do with."""
    found = []
    for path in child.files("deploy/*/*.yaml"):
        if path.parent.name not in ("k8s", "prometheus"):
            for one in yaml.safe_load_all(path.read_text()):
                if isinstance(one, dict) and "kind" in one and "apiVersion" in one:
                    found.append(one)
    return found


def kustomize(folder):
    """The documents that `kubectl kustomize` makes of a folder."""
    done = subprocess.run(
        [KUBECTL, "kustomize", str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{folder}: {done.stderr}"
    return list(yaml.safe_load_all(done.stdout))


def overlays(child):
    """What can be applied to a cluster."""
    return sorted(path.parent for path in child.files("overlays/*/kustomization.yaml"))
