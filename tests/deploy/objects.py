"""What an API server would say of objects, without one: schemas of Kubernetes, and a table for kinds of others."""

import functools

import kubernetes_validate
import yaml

from ..common.program import ROOT

# Strict: a field that is not there is an error.
VERSIONS = ("1.32", "1.34", "1.36")


def invalid(document, version):
    """Why Kubernetes of that version refuses it; unknown fields are errors."""
    try:
        kubernetes_validate.validate(document, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        return error.message
    return None


@functools.cache
def kinds_of_others():
    return yaml.safe_load((ROOT / "tests/deploy/kinds.yml").read_text())


def unlike(value, shape, at=""):
    """Where a value is not as its kind's shape; see kinds.yml."""
    if shape == "predictor":  # a pod's spec, with words of its own beside it
        own = {"minReplicas": "integer", "maxReplicas": "integer", "labels": {"*": "text"}}
        mine = {key: one for key, one in value.items() if key in own}
        rest = {key: one for key, one in value.items() if key not in own}
        return unlike(mine, own, at) + unlike(rest, "pod", at)
    if shape == "pod":
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": value}
        wrong = invalid(pod, VERSIONS[-1])
        return [f"{at}: {wrong}"] if wrong else []
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return [f"{at}: no map"]
        known = shape.get("*")
        wrong = [] if known or not shape else [f"{at}.{key}" for key in value if key not in shape]
        for key, one in value.items():
            if known or key in shape:
                wrong += unlike(one, known or shape[key], f"{at}.{key}")
        return wrong
    if isinstance(shape, list) and len(shape) > 1:
        return [] if value in shape else [f"{at}: {value!r}"]
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{at}: no list"]
        return [e for n, one in enumerate(value) for e in unlike(one, shape[0], f"{at}[{n}]")]
    wanted = {"text": str, "integer": int, "bool": bool, "quantity": (int, str)}[shape]
    return [] if isinstance(value, wanted) else [f"{at}: {value!r}"]


def unlike_its_kind(document):
    shape = kinds_of_others()[f"{document['apiVersion']}/{document['kind']}"]
    rest = {k: v for k, v in document.items() if k not in ("apiVersion", "kind", "metadata")}
    return unlike(rest, shape)




def not_restricted(pod):
    """What of the restricted Pod Security Standard the pod does not keep."""
    found = [key for key in ("hostIPC", "hostPID", "hostNetwork") if pod.get(key)]
    found += [v["name"] for v in pod.get("volumes", []) if "hostPath" in v]
    mine = pod.get("securityContext", {})
    if not mine.get("runAsNonRoot") or not mine.get("runAsUser"):
        found.append("runAsNonRoot")
    if mine.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        found.append("seccompProfile")
    for container in pod["containers"] + pod.get("initContainers", []):
        its = container.get("securityContext", {})
        if its.get("allowPrivilegeEscalation") is not False or its.get("privileged"):
            found.append(f"{container['name']}: allowPrivilegeEscalation")
        if its.get("capabilities") != {"drop": ["ALL"]}:
            found.append(f"{container['name']}: capabilities")
        if not its.get("readOnlyRootFilesystem"):
            found.append(f"{container['name']}: readOnlyRootFilesystem")
    return found


def wrong(document):
    """What any of the versions, or the table, says against an object."""
    if f"{document['apiVersion']}/{document['kind']}" in kinds_of_others():
        return unlike_its_kind(document)
    found = [invalid(document, version) for version in VERSIONS if _knows(version, document)]
    return sorted({one for one in found if one})


def _knows(version, document):
    """Dynamic resource allocation is of 1.34."""
    young = document["apiVersion"] == "resource.k8s.io/v1" or "resourceClaims" in str(document)
    return not young or version >= "1.34"


# Where the pod is in the object that brings it.
POD_AT = {
    "Deployment": ("spec", "template", "spec"),
    "DaemonSet": ("spec", "template", "spec"),
    "Job": ("spec", "template", "spec"),
    "CronJob": ("spec", "jobTemplate", "spec", "template", "spec"),
    "JobSet": ("spec", "replicatedJobs", 0, "template", "spec", "template", "spec"),
    "TrainingRuntime": (
        *("spec", "template", "spec", "replicatedJobs", 0, "template", "spec", "template", "spec"),
    ),
    "InferenceService": ("spec", "predictor"),
    "RayJob": ("spec", "rayClusterSpec", "headGroupSpec", "template", "spec"),
    "RayService": ("spec", "rayClusterConfig", "headGroupSpec", "template", "spec"),
    "Pod": ("spec",),
}


def pod_of(document):
    """The spec of an object's pod, or None."""
    if document["kind"] not in POD_AT:
        return None
    at = document
    for part in POD_AT[document["kind"]]:
        at = at[part]
    return at
