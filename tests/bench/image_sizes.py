"""Sizes of an image of ours and of plain Dockerfiles: builds both, prints the table of docs.

    build/venv/bin/python -m tests.bench.image_sizes FOLDER        (as root: buildah, debootstrap)

What CUDA's images and wheels hold is made up: bytes of chance, a twentieth of true sizes, each with
its source in docs/images.md. What lies around them is real: Debian, Python, pip, the layers
as buildah makes them. Everything made up counts twentyfold in the table.
"""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

from ..e2e.support import TMPLGEN, bare_root, package_index, run, storage_driver

SCALE = 20
# Megabytes of what is made up.
BASE, RUNTIME, DEVEL = 139, 2709, 2550  # each above the one before
WHEELS = {
    "torch": ("2.13.0", 906),
    "nvidia-cudnn": ("9", 1200),
    "nvidia-cublas": ("13", 670),
    "nvidia-cusolver": ("12", 490),
    "nvidia-others": ("13", 940),
    "numpy": ("2.4.6", 0),
    "safetensors": ("0.8.0", 0),
}
PLAIN = """\
FROM {base}
RUN apt-get update && apt-get install -y python3 python3-pip && rm -rf /var/lib/apt/lists/*
ARG INDEX_URL
RUN pip3 install --break-system-packages --no-cache-dir --index-url $INDEX_URL \\
    torch numpy safetensors
"""


def megabytes(path, size):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(os.urandom(size * 1_000_000 // SCALE))


def make_wheel(folder, name, version, size):
    package = name.replace("-", "_")
    needs = "".join(f"Requires-Dist: {one}\n" for one in WHEELS if one.startswith("nvidia-"))
    info = f"{package}-{version}.dist-info"
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    with zipfile.ZipFile(folder / f"{package}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{package}/__init__.py", "")
        wheel.writestr(f"{package}/lib.made", os.urandom(size * 1_000_000 // SCALE))
        wheel.writestr(f"{info}/METADATA", head + (needs if name == "torch" else ""))
        tag = "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        wheel.writestr(f"{info}/WHEEL", tag)
        wheel.writestr(f"{info}/RECORD", "")


class Builder:
    def __init__(self, folder):
        self.folder = folder
        self.words = ["--root", folder / "storage", "--runroot", folder / "run"]
        self.words += ["--storage-driver", storage_driver()]

    def __call__(self, command, *words):
        return run("buildah", *self.words, command, *words)

    def stand_in(self, name, below, size):
        """An image with that much above another one."""
        context = self.folder / name
        megabytes(context / "cuda.made", size)
        (context / "Dockerfile").write_text(
            f"FROM {below}\nCOPY cuda.made /usr/local/{name}.made\n"
        )
        return self.build(name, context)

    def plain(self):
        root = bare_root(self.folder / "root", "ca-certificates")
        container = self("from", "scratch").split()[-1]
        self("copy", "--quiet", container, root, "/")
        self("commit", "--quiet", container, "localhost/debian")
        self("rm", container)
        return "localhost/debian"

    def build(self, name, context, **arguments):
        given = [f"--build-arg={key}={value}" for key, value in arguments.items()]
        tag = f"localhost/{name}"
        self("build", "--isolation=chroot", "--format=docker", *given, f"--tag={tag}", context)
        return tag

    def size(self, image):
        """Megabytes, with what is made up at its full size; and of that the made-up part."""
        layers = json.loads(json.loads(self("inspect", "--type=image", image))["Manifest"])[
            "layers"
        ]
        container = self("from", image).split()[-1]
        find = ["find", "/usr", "/opt", "-name", "*.made", "-printf", "%s\\n"]
        sizes = self("run", "--isolation=chroot", "--user=0", container, "--", *find).split()
        self("rm", container)
        made = sum(map(int, sizes))
        whole = sum(layer["size"] for layer in layers)
        return (whole + (SCALE - 1) * made) / 1_000_000, SCALE * made / 1_000_000


def main(folder):
    folder.mkdir(parents=True)
    wheels = folder / "wheels"
    wheels.mkdir()
    for name, (version, size) in WHEELS.items():
        make_wheel(wheels, name, version, size)
    buildah = Builder(folder)
    base = buildah.stand_in("base", buildah.plain(), BASE)
    runtime = buildah.stand_in("cudnn-runtime", base, RUNTIME)
    devel = buildah.stand_in("cudnn-devel", runtime, DEVEL)
    words = ["--framework", "pytorch==2.13.0", "--python", "3.11", "--output", folder / "ours"]
    run(TMPLGEN, "image", "render", "pytorch", *words)
    ours = next((folder / "ours/pytorch").iterdir())
    rows = []
    with package_index(wheels) as url:
        given = {"INDEX_URL": url}
        image = buildah.build("ours", ours, **given, BASE_IMAGE=base, PYTHON_SOURCE="apt")
        rows.append(("ours, `pytorch` on `base`", *buildah.size(image)))
        for name, below in (("cudnn-runtime", runtime), ("cudnn-devel", devel)):
            context = folder / f"plain-{name}"
            context.mkdir()
            (context / "Dockerfile").write_text(PLAIN.format(base=below))
            image = buildah.build(f"plain-{name}", context, **given)
            rows.append((f"`FROM ...-{name}`, pip", *buildah.size(image)))
    print("| image | size | of that made up | against ours |\n| --- | --- | --- | --- |")
    for name, size, made in rows:
        print(f"| {name} | {size:,.0f} MB | {made:,.0f} MB | {size / rows[0][1]:.2f} x |")
    subprocess.run(["rm", "-rf", folder], check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
