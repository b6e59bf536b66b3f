"""What an API server would say to a document: unknown fields are errors."""

import copy
import importlib
import json
import re
import subprocess
from functools import cache

import kubernetes_validate
import yaml
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError
from referencing import Registry, Resource

from ..common.program import ROOT
from ..e2e.support import install_node_modules

VERSIONS = ("1.32", "1.34", "1.36")
# Kinds that came later than the first of these: nobody takes them who has an older cluster.
NEWER = {"resource.k8s.io/v1/ResourceClaimTemplate": "1.34"}
# Of a package, which has Go's types of these kinds as models, and takes a second to import.
MODELS = {
    "jobset.x-k8s.io/v1alpha2/JobSet": "JobsetV1alpha2JobSet",
    "trainer.kubeflow.org/v1alpha1/TrainJob": "TrainerV1alpha1TrainJob",
    "trainer.kubeflow.org/v1alpha1/TrainingRuntime": "TrainerV1alpha1TrainingRuntime",
}
# Of packages of npm, which have validators made of these CustomResourceDefinitions.
CRDS = {
    f"{kind}/{name}": f"{package}/_schemas/{types}{name}"
    for package, kind, types, names in (
        ("argo-workflows", "argoproj.io/v1alpha1",
         "ComGithubArgoprojArgoWorkflowsV4PkgApisWorkflowV1alpha1", ["Workflow", "CronWorkflow"]),
        ("gateway-api", "gateway.networking.k8s.io/v1",
         "IoK8sSigsGatewayApiApisV1", ["HTTPRoute"]),
        ("keda", "keda.sh/v1alpha1",
         "ComGithubKedacoreKedaV2ApisKedaV1alpha1", ["ScaledObject"]),
        ("prometheus-operator", "monitoring.coreos.com/v1",
         "ComGithubPrometheusOperatorPrometheusOperatorPkgApisMonitoringV1",
         ["PodMonitor", "PrometheusRule"]),
    )
    for name in names
}  # fmt: skip
TEXTS = {"text": str, "boolean": bool, "integer": int, "number": (int, float)}
TEXTS["quantity"] = (int, str)
# The second is of the kinds that a cluster repository has.
TABLES = ("kinds.yml", "cluster_kinds.yml")
POD = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "it"}}


@cache
def kinds():
    found = {}
    for name in TABLES:
        for kind, shape in yaml.safe_load((ROOT / "tests/deploy" / name).read_text()).items():
            found.setdefault(kind, shape)
    return found


def kind_of(document):
    return f"{document.get('apiVersion')}/{document.get('kind')}"


def wrong(document):
    """All that is wrong with a document; nothing is what is wanted."""
    kind = kind_of(document)
    if kind in MODELS:
        models = importlib.import_module("kubeflow_trainer_api.models")
        return of_model(document, getattr(models, MODELS[kind]))
    if kind in CRDS:
        return of_crd(document, CRDS[kind])
    if kind in kinds():
        rest = {k: v for k, v in document.items() if k not in ("apiVersion", "kind")}
        return unlike(rest, {"metadata": {}, **kinds()[kind]})
    return [f"{kind} of {v}: {said}" for v in VERSIONS for said in invalid(document, v)]


@cache
def _validator(kind, api_version, version):
    """Of a schema of the package, which itself reads all of them again for each document."""
    group = re.sub(r"^([^./]*)(?:[.][^/]*)?/", r"\1-", api_version)
    folder = f"kubernetes-json-schema/v{version}.0-local-strict"
    read = kubernetes_validate.utils.schema_contents
    try:
        schema = read(f"{folder}/{kind.lower()}-{group}.json", version)
    except FileNotFoundError:
        return None
    registry = Resource.from_contents(read(f"{folder}/_definitions.json", version)) @ Registry()
    return Draft202012Validator(schema, registry=Resource.from_contents(schema) @ registry)


def invalid(document, version=VERSIONS[-1]):
    """Why Kubernetes of that version refuses it."""
    kind = kind_of(document)
    validator = _validator(document.get("kind", ""), document.get("apiVersion", ""), version)
    if validator is None:
        return [] if version < NEWER.get(kind, "0") else ["no such kind"]
    return [f"{e.json_path}: {e.message}" for e in validator.iter_errors(document)]


@cache
def _crds():
    """It answers a line with a line, as long as these tests run."""
    modules = install_node_modules()
    words = [modules / ".bin/node", ROOT / "tests/deploy/crds.mjs", modules]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(words, text=True, **pipes)


def of_crd(document, module):
    process = _crds()
    document, patches = _as_argo(copy.deepcopy(document))
    process.stdin.write(json.dumps({"module": module, "document": document}) + "\n")
    process.stdin.flush()
    found = json.loads(process.stdout.readline())
    return found + [f"podSpecPatch: {e}" for one in patches for e in invalid(POD | {"spec": one})]


def _as_argo(document):
    """With the name that Argo gives to a container without one; the patches of pods in it."""
    spec = document.get("spec", {})
    templates = spec.get("workflowSpec", spec).get("templates", [])
    for template in templates:
        if isinstance(template.get("container"), dict):
            template["container"].setdefault("name", "main")
    patches = [one["podSpecPatch"] for one in templates if "podSpecPatch" in one]
    return document, [yaml.safe_load(one) for one in patches]


def of_model(document, model):
    """By the package's model, but for the pods and jobs in it: those are Kubernetes' own."""
    document, inner = _without_jobs(copy.deepcopy(document))
    found = [e for v in VERSIONS for one in inner for e in invalid(one, v)]
    try:
        model.model_validate(document)
    except ValidationError as error:
        found.append(str(error))
    return found + _unknown(document, model, "")


def _without_jobs(document):
    """The document, and the jobs in it as such."""
    spec = document.get("spec", {})
    jobs = spec.get("replicatedJobs") or spec.get("template", {}).get("spec", {}).get(
        "replicatedJobs", []
    )
    inner = [job["template"] for job in jobs]
    for job in jobs:
        job["template"] = {"spec": {"template": {}}}
    return document, [
        {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "it"}, **one}
        | {"metadata": {"name": "it", **one.get("metadata", {})}}
        for one in inner
    ]


def _unknown(value, model, at):
    """Fields that a model has not: pydantic itself lets them pass."""
    if isinstance(value, list):
        return [e for n, one in enumerate(value) for e in _unknown(one, model, f"{at}[{n}]")]
    if not isinstance(value, dict):
        return []
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    found = []
    for key, one in value.items():
        if key not in fields:
            found.append(f"{at}.{key}: unknown")
            continue
        inner = _models_in(fields[key].annotation)
        if inner and "Dict" not in str(fields[key].annotation):
            found += _unknown(one, inner[0], f"{at}.{key}")
    return found


def _models_in(kind):
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [kind]
    return [one for part in getattr(kind, "__args__", ()) for one in _models_in(part)]


def unlike(value, shape, at=""):
    """Where a value is not as its shape: see kinds.yml."""
    if isinstance(shape, dict):
        return _unlike_map(value, shape, at)
    if isinstance(shape, list) and len(shape) > 1:
        return [] if value in shape else [f"{at}: {value!r}"]
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{at}: no list"]
        return [e for n, one in enumerate(value) for e in unlike(one, shape[0], f"{at}[{n}]")]
    if shape == "pod":
        return [f"{at}: {one}" for one in invalid(POD | {"spec": value})]
    good = isinstance(value, TEXTS[shape]) and (shape == "boolean" or not isinstance(value, bool))
    return [] if good else [f"{at}: {value!r}"]


def _unlike_map(value, shape, at):
    if not isinstance(value, dict):
        return [f"{at}: no map"]
    if not shape:
        return []
    if "*" in shape:
        return [e for key, one in value.items() for e in unlike(one, shape["*"], f"{at}.{key}")]
    if "+" in shape:
        rest = {key: one for key, one in value.items() if key not in shape}
        found = unlike(rest, shape["+"], at)
    else:
        found = [f"{at}.{key}: unknown" for key in value if key not in shape]
    for key in value.keys() & shape.keys():
        found += unlike(value[key], shape[key], f"{at}.{key}")
    return found
