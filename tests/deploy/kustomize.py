"""What kustomize makes of an overlay, as far as children use it: resources, components, JSON patches, images, labels
and generated ConfigMaps. Where there is a kubectl its own kustomize is the judge of this one (test_matrix.py).
"""

import copy
from pathlib import Path

import yaml

KINDS = {"Kustomization", "Component"}
KEYS = {
    *("apiVersion", "kind", "resources", "components", "patches", "images", "labels"),
    *("configMapGenerator", "generatorOptions"),
}
POD_TEMPLATES = ("spec", "template")


def build(folder):
    """The documents of a folder with a kustomization."""
    return _build(Path(folder), [])


def _build(folder, documents):
    path = folder / "kustomization.yaml"
    it = yaml.safe_load(path.read_text())
    assert it["kind"] in KINDS and not set(it) - KEYS, f"{path}: {set(it) - KEYS}"
    if it["kind"] == "Kustomization":
        documents = []
    for name in it.get("resources", []):
        found = (folder / name).resolve()
        if found.is_dir():
            documents = documents + _build(found, [])
        else:
            documents = documents + [d for d in yaml.safe_load_all(found.read_text()) if d]
    documents = documents + [_config_map(folder, one) for one in it.get("configMapGenerator", [])]
    for name in it.get("components", []):
        documents = _build((folder / name).resolve(), documents)
    documents = copy.deepcopy(documents)
    for patch in it.get("patches", []):
        _patch(documents, patch, path)
    for label in it.get("labels", []):
        for document in documents:
            _label(document, label)
    for image in it.get("images", []):
        for document in documents:
            _image(document, image)
    return documents


def _config_map(folder, generator):
    data = {Path(name).name: (folder / name).read_text() for name in generator["files"]}
    metadata = {"name": generator["name"]}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data}


def _patch(documents, patch, path):
    target = patch["target"]
    group, _, version = "/".join(
        [target.get("group", ""), target["version"]]
    ).rpartition("/")
    wanted = f"{group}/{version}" if group else version
    found = [
        d
        for d in documents
        if (d["apiVersion"], d["kind"], d["metadata"]["name"])
        == (wanted, target["kind"], target["name"])
    ]
    assert len(found) == 1, f"{path}: {target} is there {len(found)} times"
    for change in yaml.safe_load(patch["patch"]):
        _change(found[0], change, path)


def _change(document, change, path):
    assert change["op"] == "add", f"{path}: {change}"
    parts = [p.replace("~1", "/").replace("~0", "~") for p in change["path"].split("/")[1:]]
    at = document
    for part in parts[:-1]:
        at = at[int(part)] if isinstance(at, list) else at[part]
    if isinstance(at, list):
        assert parts[-1] == "-", f"{path}: {change}"
        at.append(change["value"])
    else:
        at[parts[-1]] = change["value"]


def _label(document, label):
    places = [document["metadata"]]
    if label.get("includeTemplates"):
        spec = document.get("spec", {})
        for template in (
            spec.get("template"),
            spec.get("jobTemplate"),
            spec.get("jobTemplate", {}).get("spec", {}).get("template"),
        ):
            if template and document["kind"] in ("Deployment", "Job", "CronJob", "DaemonSet"):
                places.append(template.setdefault("metadata", {}))
    for place in places:
        place["labels"] = {**place.get("labels", {}), **label["pairs"]}


def _image(value, image):
    if isinstance(value, list):
        for one in value:
            _image(one, image)
    elif isinstance(value, dict):
        for name, one in value.items():
            if name in ("containers", "initContainers") and isinstance(one, list):
                for container in one:
                    if container.get("image") == image["name"]:
                        container["image"] = _named(image)
            else:
                _image(one, image)


def _named(image):
    name = image.get("newName", image["name"])
    return f"{name}@{image['digest']}" if "digest" in image else f"{name}:{image['newTag']}"
