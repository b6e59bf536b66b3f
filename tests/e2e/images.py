"""Images of the end-to-end tests: their store, stand-ins for CUDA, wheels that are made up."""

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path

from .support import CACHE, HANGS_S, TMPLGEN, WORK, bare_root, clean_env, run, storage_driver

STORE, RUN_STORE = WORK / "containers", WORK / "containers-run"
STORAGE = ["--root", STORE, "--runroot", RUN_STORE, "--storage-driver", storage_driver()]
BASE = "localhost/plain-debian"


def buildah(command, *words, **more):
    return run("buildah", *STORAGE, command, *words, **more)


def inspect(image):
    return json.loads(buildah("inspect", "--type", "image", image))


def skopeo(name, *words):
    return json.loads(run("skopeo", "inspect", "--tls-verify=false", *words, f"docker://{name}"))


def pulled(name):
    """The digest that a registry gives buildah; the image is here then."""
    buildah("pull", "--quiet", "--tls-verify=false", "--policy=always", name)
    return inspect(name)["FromImageDigest"]


def config_of(name):
    return inspect(name)["OCIv1"]["config"]


def layers(image):
    """The layers as they are unpacked, those of the base first: digest and size."""
    found = json.loads(inspect(image)["Manifest"])["layers"]
    return [(layer["digest"], layer["size"]) for layer in found]


def container_of(image):
    return buildah("from", image).split()[-1]


def inside(container, *command, **env):
    settings = [f"--env={name}={value}" for name, value in env.items()]
    return ["buildah", *STORAGE, "run", "--isolation=chroot", *settings, container, "--", *command]


def frozen(image):
    container = container_of(image)
    return run(*inside(container, "pip", "--disable-pip-version-check", "freeze")).splitlines()


def forget_store():
    """With what the builder left mounted in it, which could not be removed."""
    mounted = [line.split()[1] for line in Path("/proc/mounts").read_text().splitlines()]
    for folder in (STORE, RUN_STORE):
        for place in reversed(mounted):
            if place.startswith(f"{folder}/"):
                run("umount", "--lazy", place)
        shutil.rmtree(folder, ignore_errors=True)


def forget_images():
    """All but the base, and the containers on them."""
    buildah("rm", "--all")
    names = {name for row in json.loads(buildah("images", "--json")) for name in row["names"] or []}
    buildah("rmi", "--force", *sorted(names - {f"{BASE}:latest"}))
    buildah("rmi", "--prune", "--force")


def make_base():
    """A plain Debian in the place of CUDA's images, which knows the packages that they know."""
    root = bare_root(WORK / "image-root", "ca-certificates")
    add_packages(root)
    container = buildah("from", "scratch").split()[-1]
    buildah("copy", "--quiet", container, root, "/")
    buildah("commit", "--quiet", container, BASE)
    buildah("rm", container)
    shutil.rmtree(root)


def push_patched(name, scratch):
    """The stand-in with a file more."""
    container = container_of(BASE)
    (scratch / "patched").write_text("yes\n")
    buildah("copy", "--quiet", container, scratch / "patched", "/etc/patched")
    buildah("commit", "--quiet", container, "localhost/patched")
    buildah("push", "--quiet", "--tls-verify=false", "localhost/patched", f"docker://{name}")


def add_packages(root):
    """CUDA's packages of the images on them, made up, from a repository in the image itself."""
    folder = root / "srv/debs"
    folder.mkdir(parents=True)
    for name in ("cuda-libraries-13-0", "libcudnn9-cuda-13"):
        package = WORK / "deb" / name
        (package / "DEBIAN").mkdir(parents=True, exist_ok=True)
        (package / "DEBIAN/control").write_text(
            f"Package: {name}\nVersion: 1\nArchitecture: all\nMaintainer: nobody <n@example.org>\n"
            "Description: made up\n"
        )
        (package / f"usr/local/lib/{name}").mkdir(parents=True, exist_ok=True)
        run("dpkg-deb", "--build", "--root-owner-group", package, folder)
    packages = run("dpkg-scanpackages", "--multiversion", ".", cwd=folder)
    lines = [line for line in packages.splitlines() if not line.startswith("dpkg-scanpackages")]
    (folder / "Packages").write_text("\n".join([*lines, ""]))
    sources = root / "etc/apt/sources.list.d/local.list"
    sources.write_text("deb [trusted=yes] file:/srv/debs ./\n")


# ---------------------------------------------------------------- wheels

# What the images of children install, in one folder for one index: images share layers, and another
# URL of an index would be another layer.
WHEELS = CACHE / "wheels"


def bring_wheels(child):
    """Fetches what a child's images install; once, as long as it asks for the same."""
    lists = sorted((child / "requirements").glob("*.txt"))
    stamp = WHEELS / hashlib.sha256(b"".join(path.read_bytes() for path in lists)).hexdigest()
    if not stamp.exists():
        wanted = [word for path in lists for word in ("--requirement", path)]
        download(*wanted, "hatchling>=1.26", "hatch-vcs>=0.4")
        stamp.touch()


def download(*words):
    pip = ["python3.11", "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    run(*pip, "--dest", WHEELS, *words)


# ---------------------------------------------------------------- wheels that are made up


def encoded(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def make_wheel(folder, requirement, modules=None, size=0, more=()):
    """A wheel of NAME==VERSION that holds modules, and `size` bytes that do not compress."""
    name, version = re.match(r"([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^;]+)", requirement).groups()
    plain = re.sub(r"[-_.]+", "_", name)
    modules = modules or [plain]
    info = f"{plain}-{version}.dist-info"
    code = f"__version__ = {version!r}\n".encode()
    told = ["Metadata-Version: 2.1", f"Name: {name}", f"Version: {version}"]
    files = {
        **{f"{module}/__init__.py": code for module in modules},
        f"{info}/METADATA": "\n".join([*told, *more, ""]).encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    if size:
        files[f"{modules[0]}/data.bin"] = os.urandom(size)
    record = [f"{path},sha256={encoded(data)},{len(data)}" for path, data in files.items()]
    files[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    with zipfile.ZipFile(folder / f"{plain}-{version}-py3-none-any.whl", "w") as wheel:
        for path, data in files.items():
            wheel.writestr(zipfile.ZipInfo(path, (2026, 1, 1, 0, 0, 0)), data)


# What a wheel holds, where that is not its name.
MODULES = {"onnxruntime-gpu": ["onnxruntime"], "jax": ["jax", "jax/numpy"]}


def make_wheels(folder, requirements, sizes=None):
    """One for each requirement; `sizes` has the bytes of those that weigh something."""
    folder.mkdir(parents=True, exist_ok=True)
    for requirement in requirements:
        name = re.match(r"[A-Za-z0-9._-]+", requirement)[0]
        make_wheel(folder, requirement, MODULES.get(name), (sizes or {}).get(name, 0))
    return folder


# CUDA in wheels: gigabytes that do nothing without a GPU.
CUDA_WHEEL = re.compile(r"nvidia-(?!ml-py)|cuda-|jax-cuda|triton")


def fetch_wheels(folder, lists):
    """All that pip finds for lists of requirements; CUDA is made up, with what it asks for."""
    pip = ["python3", "-m", "pip", "--disable-pip-version-check"]
    report = folder / "report.json"
    wanted = [word for path in lists for word in ("--requirement", path)]
    only = ["--quiet", "--only-binary", ":all:"]
    folder.mkdir()
    run(*pip, "install", *only, "--dry-run", "--ignore-installed", "--report", report, *wanted,
        "hatchling>=1.26", "hatch-vcs>=0.4")  # fmt: skip
    real = []
    for found in json.loads(report.read_text())["install"]:
        about = found["metadata"]
        requirement = f"{about['name']}=={about['version']}"
        if CUDA_WHEEL.match(about["name"]):
            asked = [f"Requires-Dist: {it}" for it in about.get("requires_dist", [])]
            extras = [f"Provides-Extra: {it}" for it in about.get("provides_extra", [])]
            make_wheel(folder, requirement, more=[*asked, *extras])
        else:
            real.append(requirement)
    run(*pip, "download", *only, "--no-deps", "--dest", folder, *real)
    return folder


# ---------------------------------------------------------------- tmplgen's own images


def engine_env(folder, store=STORE):
    """What lets buildah, as tmplgen calls it, work in a store of the tests, without privileges."""
    conf = folder / "storage.conf"
    conf.write_text(
        f'[storage]\ndriver = "{storage_driver()}"\n'
        f'graphroot = "{store}"\nrunroot = "{store}-run"\n'
    )
    return {
        "CONTAINERS_STORAGE_CONF": str(conf),
        "BUILDAH_ISOLATION": "chroot",
        "TMPLGEN_ENGINE": "buildah",
        "SOURCE_DATE_EPOCH": "1700000000",
        "XDG_CONFIG_HOME": str(folder),
    }


class Images:
    """A team's plan in a folder, and tmplgen on it."""

    def __init__(self, folder: Path, registry, rows):
        self.folder, self.registry, self.plan = folder, registry, rows
        folder.mkdir(parents=True, exist_ok=True)
        plan = {"schema": 1, "registry": f"{registry.host}/team", "images": rows}
        (folder / "images.yml").write_text(json.dumps(plan))
        self.env = engine_env(folder)
        self.mirror = f"{registry.host}/hub"

    def __call__(self, command, *words, status=0):
        done = subprocess.run(
            [TMPLGEN, "image", command, *map(str, words), "--json"],
            cwd=self.folder,
            env=clean_env(**self.env),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=HANGS_S,
            check=False,
        )
        assert done.returncode == status, done.stdout[-3000:] + done.stderr[-8000:]
        return json.loads(done.stdout)

    def rows(self):
        return [row for image in self("list")["images"] for row in image["rows"]]

    def push_bases(self):
        """The stand-in under the name of each base that a row wants, below the mirror."""
        for row in self.rows():
            base = row["base"]
            path = (
                base["repository"] if "/" in base["repository"] else f"library/{base['repository']}"
            )
            target = f"docker://{self.mirror}/{path}:{base['tag']}"
            buildah("push", "--quiet", "--tls-verify=false", BASE, target)

    def build(self, index, *words, status=0):
        return self(
            "build",
            f"--build-arg=INDEX_URL={index}",
            "--build-arg=PYTHON_SOURCE=apt",
            "--mirror",
            self.mirror,
            *words,
            status=status,
        )["built"]
