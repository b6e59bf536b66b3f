"""Images of tiny layers: bases, and what is built on them."""

import gzip
import io
import json
import tarfile

from .fake import CONFIG, DOCKER, DOCKER_LIST, INDEX, MANIFEST, digest_of

DOCKER_CONFIG = "application/vnd.docker.container.image.v1+json"
LAYERS = {
    MANIFEST: "application/vnd.oci.image.layer.v1.tar+gzip",
    DOCKER: "application/vnd.docker.image.rootfs.diff.tar.gzip",
}
PATH = "PATH=/usr/local/bin:/usr/bin"
LABELS = {
    "tmplgen.os": "ubuntu24.04",
    "tmplgen.cuda": "13.0.1",
    "tmplgen.system.packages": "",
    "tmplgen.writes": "/opt/app /usr/local/bin/gpu-smoke",
}


def layer(name, text):
    """One layer of one file: its bytes, and the digest of what is in it."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        entry = tarfile.TarInfo(name)
        entry.size = len(text)
        archive.addfile(entry, io.BytesIO(text.encode()))
    return gzip.compress(out.getvalue(), mtime=0), digest_of(out.getvalue())


class Image:
    """Layers and a config, and how they are pushed."""

    def __init__(self, *layers, env=(), labels=None, kind=MANIFEST, **config):
        self.layers, self.kind, self.history = list(layers), kind, None
        self.env, self.labels, self.config = list(env), dict(labels or {}), config
        self.annotations = None

    def document(self, architecture):
        own = {"Env": self.env, "Labels": self.labels, **self.config}
        history = self.history or [
            {"created_by": f"COPY file:{diff_id[7:15]} in /opt/app/ "} for _, diff_id in self.layers
        ]
        if "tmplgen.writes" in self.labels and not self.history:
            history.append({"created_by": "LABEL tmplgen.writes=...", "empty_layer": True})
        return {
            "architecture": architecture,
            "os": "linux",
            "created": "2026-01-01T00:00:00Z",
            "config": own,
            "rootfs": {"type": "layers", "diff_ids": [diff_id for _, diff_id in self.layers]},
            "history": history,
        }

    def put(self, registry, repository, name, architecture="amd64"):
        config = registry.push_blob(repository, json.dumps(self.document(architecture)).encode())
        config["mediaType"] = DOCKER_CONFIG if self.kind == DOCKER else CONFIG
        layers = [
            {"mediaType": LAYERS[self.kind], **registry.push_blob(repository, data)}
            for data, _ in self.layers
        ]
        manifest = {
            "schemaVersion": 2, "mediaType": self.kind, "config": config, "layers": layers
        }  # fmt: skip
        if self.annotations:
            manifest["annotations"] = self.annotations
        return put_manifest(registry, repository, name, manifest)


def put_manifest(registry, repository, name, document):
    data = json.dumps(document).encode()
    url = f"/v2/{repository}/manifests/{name or digest_of(data)}"
    kind = {"Content-Type": document["mediaType"]}
    registry.request("PUT", url, data, **kind)
    return data


def put_index(registry, repository, tag, images, kind=INDEX, extra=()):
    entries = []
    for architecture, image in images.items():
        data = image.put(registry, repository, None, architecture)
        platform = {"os": "linux", "architecture": architecture}
        entries.append({"mediaType": image.kind, "digest": digest_of(data), "size": len(data),
                        "platform": platform})  # fmt: skip
    document = {"schemaVersion": 2, "mediaType": kind, "manifests": [*entries, *extra]}
    return put_manifest(registry, repository, tag, document)


def get(registry, repository, what, kind="manifests"):
    accept = ", ".join((INDEX, MANIFEST, DOCKER, DOCKER_LIST))
    answer = registry.request("GET", f"/v2/{repository}/{kind}/{what}", Accept=accept)
    return answer.read()


def config_of(registry, repository, what):
    manifest = json.loads(get(registry, repository, what))
    return json.loads(get(registry, repository, manifest["config"]["digest"], "blobs"))


OLD = [layer("base", "old one"), layer("etc/cuda", "13.0.1")]
NEW = [layer("base", "new one"), layer("etc/cuda", "13.0.3"), layer("etc/more", "fixed")]
OWN = [layer("opt/app/python", "python"), layer("opt/app/main.py", "print()")]


def base(layers, version, **more):
    env = [PATH, f"CUDA_VERSION={version}", f"NV_CUDA_LIB_VERSION={version}-1", "TZ=UTC"]
    labels = {
        "org.opencontainers.image.ref.name": "ubuntu",
        "org.opencontainers.image.version": "24.04",
        "maintainer": f"nvidia {version}",
    }
    return Image(*layers, env=env, labels=labels, Cmd=["/bin/bash"], **more)


def app(name, own=OWN, below=OLD, version="13.0.1", env=(), labels=None, **more):
    """An image on the old base, as a builder makes it."""
    made = base([*below, *own], version, **more)
    made.env[0] = "PATH=/opt/app/venv/bin:/usr/local/bin:/usr/bin"
    made.env += env
    names = dict.fromkeys(["tmplgen.base", "org.opencontainers.image.base.name"], name)
    made.labels |= {**LABELS, **names, **(labels or {})}
    return made
