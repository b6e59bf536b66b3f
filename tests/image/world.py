"""A folder with a plan, a lock file and a catalog of one's own; `tmplgen image` in it."""

import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from ..command.world import Runner
from ..common.program import ROOT

SHIPPED = sorted(path.parent.name for path in (ROOT / "base-images").glob("*/image.yml"))
LOCK = "base-images.lock.yml"
DOCKERFILE = """\
FROM {{ image.base.reference }}
LABEL tmplgen.row="{{ image.tag }}" python="{{ resolution.python }}"
"""


def digest(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def lock_text(*references, **platforms):
    """A lock file as somebody else may have written it; every digest is its reference's hash."""
    names = list(platforms or ["linux_amd64"])
    entries = {
        name: {
            "digest": digest(name),
            "media_type": "application/vnd.oci.image.index.v1+json",
            "platforms": {one.replace("_", "/"): digest(one) for one in names},
        }
        for name in references
    }
    return yaml.safe_dump({"schema": 1, "images": entries})


def files(folder):
    """Every file below, by path: what it holds, a link as where it points to, a pipe as that."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(path)
        elif path.is_fifo():
            found[name] = "pipe"
        elif path.is_file():
            found[name] = path.read_bytes()
    return found


@dataclass
class World:
    """One folder to work in, and a user."""

    folder: Path
    tmplgen: Runner
    catalog: Path | None = None
    env: dict = field(default_factory=dict)

    def __call__(self, *words, **more):
        """`tmplgen image WORDS`."""
        where = ["--catalog", self.catalog] if self.catalog else []
        return self.tmplgen(
            "image", *words, *where, cwd=self.folder, env={**self.env, **more.pop("env", {})},
            timeout=60, **more,
        )  # fmt: skip

    def json(self, *words, code=0):
        done = self(*words, "--json")
        assert done.code == code, done.out + done.err
        return done.json

    def rows(self, *words):
        """IMAGE:TAG of each row that `image list` names."""
        listed = self.json("list", *words)["images"]
        return [f"{image['name']}:{row['tag']}" for image in listed for row in image["rows"]]

    def write(self, path, content):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str | bytes) else yaml.safe_dump(content)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        return target

    def plan(self, *images, path="images.yml", **more):
        return self.write(path, {"schema": 1, "images": list(images), **more})

    def lock(self, path=LOCK):
        return yaml.safe_load((self.folder / path).read_text())

    def files(self):
        return files(self.folder)


def add_image(catalog, name="mine", manifest=None, dockerfile=DOCKERFILE, **files):
    """base-images/NAME with a manifest (keys beside what must be there, or a text)."""
    folder = catalog / "base-images" / name
    folder.mkdir(parents=True, exist_ok=True)
    if not isinstance(manifest, str):
        wanted = {"description": "mine", "framework": "pytorch", "rows": [{}], **(manifest or {})}
        manifest = json.dumps(wanted)
    (folder / "image.yml").write_text(manifest)
    if dockerfile is not None:
        (folder / "Dockerfile.j2").write_text(dockerfile)
    for path, content in files.items():
        (folder / "files").mkdir(exist_ok=True)
        (folder / "files" / path).write_text(content)
    return folder
