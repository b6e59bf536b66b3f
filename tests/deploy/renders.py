"""Children that are deployed, in which every pair of choices that go together is made at least once."""

import itertools
import os
import random
import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from ..child import pairs
from ..common.program import BINARY

SEED = int(os.environ.get("SEED") or 20261128)
# What can be chosen of the stack, and of texts.
STACK = ("variant", "platform", "gpu", "driver", "arch")
PLATFORMS = [None, "gke", "eks", "aks"]
GPUS = [None, "A100", "T4", "H100"]
SHARING = ["none", "mig:1g.10gb", "time-slicing", "mps", "aws-vgpu", "dra"]
TEXTS = {
    "gpu_sharing": SHARING,
    "queue": ["", "gpus"],
    "gateway": ["", "it.example.org"],
    "registry": ["", "registry.example.org:5000/team"],
    "schedule": ["0 3 * * *"],
}
NUMBERS = {"gpu_clients": ["4", "7"], "gpus_per_machine": ["1", "4"]}
LEFT_ALONE = {"name", "package", "description", "license", "conda", "update_bot", "license_year"}
TYPES = ("service", "batch", "llm")


@dataclass
class Render:
    kind: str
    row: dict
    folder: Path
    answers: dict = field(default_factory=dict)
    refused: list = field(default_factory=list)  # on the way to it

    @property
    def id(self):
        return f"{self.kind} " + " ".join(f"{k}={v}" for k, v in self.row.items() if v is not None)

    def overlays(self):
        return sorted((self.folder / "deploy/k8s/overlays").glob("*/"))

    def files(self, pattern):
        return sorted(path for path in (self.folder / "deploy").rglob(pattern) if path.is_file())


def choices(kind):
    """What can be chosen for a type where it is deployed: a list of values for each name."""
    manifest = pairs.types()[kind]
    found = {}
    for question in manifest["questions"]:
        name, kind_of = question["name"], question.get("type", "str")
        if name in LEFT_ALONE or "computed" in question:
            continue
        if kind_of == "bool":
            found[name] = ["false", "true"]
        elif kind_of == "choice":
            found[name] = pairs.questions.values(question)
        elif kind_of == "list":
            found[name] = ["none", "github,gitlab,jenkins"]
        elif name in TEXTS or name in NUMBERS:
            found[name] = TEXTS.get(name) or NUMBERS[name]
    found["deploy"] = ["k8s"]
    if kind == "llm":
        found["orchestrator"] = ["none", "skypilot"]
    return found


def _said(kind, folder, row):
    said = ["new", str(folder), "--type", kind, "--name", "it", "--no-git", "--defaults", "--quiet"]
    for name, value in row.items():
        if value is None:
            continue
        option = name in ("framework", "ci", *STACK)
        said += [f"--{name}", value] if option else ["--set", f"{name}={value}"]
    return said


def _once(kind, row, folder):
    done = subprocess.run(
        [BINARY, *_said(kind, folder, row)],
        cwd=folder.parent,
        env={"PATH": os.environ["PATH"], "HOME": str(folder.parent)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return f"{done.returncode}: {done.stderr.strip()}" if done.returncode else ""


def fitted(kind, row, seed):
    """A row with a stack that goes with its answers, most of it left to chance; few are refused for it."""
    draw = random.Random(f"{seed} {kind} {sorted(map(str, row.items()))}")
    row, sharing = dict(row), row.get("gpu_sharing", "none")
    of = pairs.types()[kind]["frameworks"]
    if row.get("workload") in ("jobset", "trainjob"):
        of = ["pytorch", "transformers"]
    if row.get("kserve") == "true" and draw.random() < 0.5:
        row["kserve"] = "false"  # KServe scales and routes by itself
    elif row.get("kserve") == "true":
        row = {name: value for name, value in row.items() if name not in ("autoscale", "gateway")}
    if row.get("scale_to_zero") == "true" and "autoscale" in row:
        row["autoscale"] = "keda"
    if row.get("orchestrator") == "skypilot":
        row["gpu_sharing"] = sharing = "none"
    if row.get("orchestrator") not in (None, "none") and sharing in ("dra", "aws-vgpu"):
        row["gpu_sharing"] = sharing = "mps"
    row["framework"] = draw.choice([f for f in of if f != "xgboost" or sharing in ("none", "mps", "dra")])
    row["platform"] = draw.choice(
        ["eks"] if sharing == "aws-vgpu" else ["gke", "eks", "aks"] if row.get("spot") == "true" else PLATFORMS
    )
    row["gpu"] = draw.choice([None, "A100", "H100"] if "mig" in sharing else GPUS)
    if sharing == "dra" or draw.random() < 0.2:
        row["driver"] = "580"
    if row["gpu"] in (None, "H100") and draw.random() < 0.2:
        row["arch"] = "aarch64"
    if row["gpu"] is None and sharing == "none" and "driver" not in row and draw.random() < 0.2:
        row["variant"] = "cpu"
    return row


# What a row is without, one after the other, where it is refused all the same.
LESS = ("arch", "variant", "driver", "gpu", "platform", "gpu_sharing", "orchestrator", "spot")


def render(kind, row, folder):
    """A child. An answer that nobody asks for beside the others is left out; of what does not go together more and
    more is, and what was refused on the way is kept."""
    row, refused, less = dict(row), [], list(LESS)
    while True:
        said = _once(kind, row, folder)
        if not said:
            record = yaml.safe_load((folder / ".tmplgen.yml").read_text())
            return Render(kind, row, folder, record["answers"], refused)
        idle = re.search(r"'(\w+)' makes no difference here", said)
        if not idle:
            refused.append(said)
            while row.get(less[0]) is None:
                less.pop(0)
        row.pop(idle[1] if idle else less.pop(0))


def _pairwise(choices, seed):
    """Rows in which every two values of two choices meet, by greed."""
    draw = random.Random(seed)
    every = list(choices)
    missing = {
        (one, a): {(other, b) for other in every if other != one for b in choices[other]}
        for one in every
        for a in choices[one]
    }
    found = []
    while any(missing.values()):
        begin = max(sorted(missing), key=lambda it: len(missing[it]))
        row = dict([begin])
        for name in draw.sample(every, len(every)):
            if name not in row:
                values = draw.sample(choices[name], len(choices[name]))
                row[name] = max(
                    values, key=lambda v: sum((name, v) in missing[it] for it in row.items())
                )
        for item in row.items():
            missing[item] -= set(row.items())
        found.append(row)
    return found


def rows(kind, seed=SEED):
    return [fitted(kind, row, seed) for row in _pairwise(choices(kind), seed)]


def all_rows(seed=SEED):
    """Those of all types; rotated by the seed, so that a sample of them is another one each time."""
    every = list(itertools.chain(*([(kind, row) for row in rows(kind, seed)] for kind in TYPES)))
    random.Random(seed).shuffle(every)
    return every
