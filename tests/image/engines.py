"""A world with fake engines: what they were called with, and what they then have."""

import atexit
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path

import yaml

from ..common.program import BINARY, Result
from ..common.rows import matrix_catalog

ENGINES = ("docker", "buildah", "podman")
# what image.yml of the images says beyond their description
IMAGES = {
    "alpha": {"contents": [["python", "-c", "import ssl"], ["true"]], "budget": 40},
    "beta": {"contents": [["true"]]},
    "gamma": {},
}


@cache
def catalog():
    """Three images of a few files; made once."""
    folder = Path(tempfile.mkdtemp(prefix="tmplgen-engines-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    matrix_catalog(folder, "team")
    for name, more in IMAGES.items():
        image = folder / "base-images" / name
        image.mkdir(parents=True)
        what = {"description": f"the {name}", "framework": "none", "rows": [{}], **more}
        (image / "image.yml").write_text(yaml.safe_dump(what))
        (image / "Dockerfile.j2").write_text(
            "{% if packages %}\n# {{ packages | tojson }}\n{% endif %}\n"
            "ARG BASE_IMAGE={{ image.base.reference }}\nFROM ${BASE_IMAGE}\n"
        )
    return folder


def digest(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


class World:
    """A folder to work in, a PATH with engines, and their state."""

    def __init__(self, folder, *engines):
        self.folder = folder
        self.catalog = catalog()
        self.fake = folder / "fake"
        self.work = folder / "work"
        self.tmp = folder / "tmp"
        self.bin = folder / "bin"
        for name in ("on", "images", "tags", "containers", "registry", "packages", "layers"):
            (self.fake / name).mkdir(parents=True)
        for place in (self.work, self.tmp, self.bin, folder / "home"):
            place.mkdir()
        (self.fake / "calls").touch()
        for name in engines or ("buildah",):
            self.install(name)
        self.env = {
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "HOME": str(folder / "home"),
            "FAKE": str(self.fake),
            "TMPDIR": str(self.tmp),
            "LC_ALL": "C.UTF-8",
        }

    def install(self, engine):
        shutil.copy(Path(__file__).parent / "engine.sh", self.bin / engine)

    def alone(self):
        """No other engine than those that were installed: only what the scripts need is there."""
        tools = self.folder / "tools"
        tools.mkdir(exist_ok=True)
        for name in "sh cat cut sha256sum tr rm sed sleep dirname true head yes git".split():
            if not (tools / name).exists():
                (tools / name).symlink_to(shutil.which(name))
        self.env["PATH"] = f"{self.bin}:{tools}"

    def on(self, verb, text):
        """Shell text that the engine runs first: "build", "run@beta"."""
        (self.fake / "on" / verb).write_text(text + "\n")

    def plan(self, *entries, **more):
        entries = entries or ({"image": name} for name in IMAGES)
        images = [{"request": {}, **entry} for entry in entries]
        text = yaml.safe_dump({"schema": 1, **more, "images": images})
        (self.work / "images.yml").write_text(text)

    def lock(self, **more):
        path = self.work / "base-images.lock.yml"
        path.write_text(yaml.safe_dump({"schema": 1, "images": {}, **more}))
        return path

    def command(self, *words):
        return [str(BINARY), "image", *words, "--catalog", str(self.catalog)]

    def run(self, *words, timeout=60, **env):
        made = subprocess.run(
            self.command(*words),
            cwd=self.work,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=timeout,
        )
        return Result(made.returncode, made.stdout.decode(), made.stderr.decode())

    def start(self, *words, **env):
        """In the background; whoever asks must end it."""
        return subprocess.Popen(
            self.command(*words),
            cwd=self.work,
            env={**self.env, **env},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )

    def built(self, *words, **env):
        """The exit code and the rows of the document, by image."""
        result = self.run("build", "--json", *words, **env)
        return result.code, {row["image"]: row for row in result.json["built"]}

    # what came of it

    def calls(self, verb=None):
        lines = (self.fake / "calls").read_text().splitlines()
        calls = [line.split("\x1f") for line in lines]
        return [call for call in calls if verb is None or verb in call[1:3]]

    def names(self, kind):
        return {path.name.replace("+", "/") for path in (self.fake / kind).iterdir()}

    @property
    def tags(self):
        """The images that have names, without registry and tag."""
        return {name.split(":")[0].split("/")[-1] for name in self.names("tags")}

    def nothing_left(self):
        """No container, no scratch folder."""
        return not self.names("containers") and not list(self.tmp.iterdir())


def until(true, seconds=20):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)


def alive(pid):
    """Whether it runs; who only waits to be asked for is dead."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def pids(path):
    return [int(word) for word in path.read_text().split()] if path.exists() else []


__all__ = ["ENGINES", "IMAGES", "World", "alive", "catalog", "digest", "os", "pids", "until"]
