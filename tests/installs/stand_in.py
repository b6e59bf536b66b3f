"""A stand-in for PyTorch's indexes, one for each build, which no test can count on reaching.

It serves what those serve: the wheels of PyTorch's own packages under their local versions
(2.14.0+cu126), by the metadata that the package index has of the same release, with the CUDA
packages of the build; and the packages of others that those need. Metadata alone: nothing of it can
be installed.
"""

import json
import os
import re
import subprocess
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import yaml

from ..common.program import ROOT

OWN = {"torch", "torchvision", "torchaudio", "xformers", "torchcodec"}
CUDA_ONLY = {"xformers"}
# What else those indexes have copies of.
OTHERS = re.compile(
    r"nvidia-.*|cuda-.*|triton|filelock|fsspec|jinja2|markupsafe|mpmath|networkx|numpy|pillow"
    r"|setuptools|sympy|typing-extensions|requests|certifi|charset-normalizer|idna|urllib3"
    r"|packaging"
)
PLATFORMS = (
    "manylinux_2_28_x86_64",
    "manylinux_2_28_aarch64",
    "linux_x86_64",
    "linux_aarch64",
)


def pip_platforms(glibc, arch="x86_64"):
    """What a Linux with that minor of glibc 2 takes; pip has to be told each."""
    names = [f"manylinux_2_{minor}_{arch}" for minor in range(5, glibc + 1)]
    return [*names, *(f"manylinux{year}_{arch}" for year in ("2014", "2010", "1"))]


def environment():
    """Of pip: this machine's settings, which may cap versions, are not those of a child's user."""
    kept = ("PATH", "SSL_CERT_FILE", "PIP_CERT")
    own = {name: os.environ[name] for name in kept if name in os.environ}
    return {**own, "PIP_CONFIG_FILE": os.devnull}


def row_of(release, variant):
    """The row of a build in matrices/."""
    text = (ROOT / "matrices" / "frameworks" / "pytorch.yml").read_text()
    builds = yaml.load(text, yaml.BaseLoader)["builds"]  # noqa: S506
    for row in builds:
        if row["variant"] == variant and release in row["releases"].split():
            return row
    return {}


def cuda_packages(release, variant):
    """What a wheel of that build requires of CUDA."""
    if variant == "cpu":
        return []
    row, digits = row_of(release, variant), variant.removeprefix("cu")
    major, minor = digits[:-1], digits[-1]
    suffix = f"-cu{major}"
    needs = [f"nvidia-cudnn{suffix}=={row['cudnn']}"] if "cudnn" in row else []
    needs += [f"nvidia-nccl{suffix}=={row['nccl']}"] if "nccl" in row else []
    if int(major) >= 13:
        return [f"cuda-toolkit[cublas,cudart]=={major}.{minor}.*", *needs]
    pin = f"=={major}.{minor}.*"
    return [f"nvidia-cuda-runtime{suffix}{pin}", f"nvidia-cuda-nvrtc{suffix}{pin}", *needs]


class StandIn:
    """The server; `index(variant)` is where pip is pointed to."""

    def __init__(self, default, pip):
        self.default, self.pip = default.rstrip("/"), pip
        self.known = {}

    def __enter__(self):
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):  # noqa: N802
                outer.answer(self)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()

    def index(self, variant):
        return f"http://127.0.0.1:{self.server.server_address[1]}/whl/{variant}"

    def ask(self, url, kind):
        if url not in self.known:
            request = urllib.request.Request(url, headers={"Accept": kind})  # noqa: S310
            with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310
                self.known[url] = reply.read().decode()
        return self.known[url]

    def wheels(self, name):
        """{version: [(tags without the platform, URL)]} of the package index (PEP 691)."""
        page = json.loads(
            self.ask(f"{self.default}/{name}/", "application/vnd.pypi.simple.v1+json")
        )
        found = {}
        for file in page["files"]:
            parts = file["filename"].removesuffix(".whl").split("-")
            if file["filename"].endswith(".whl") and len(parts) == 5:
                found.setdefault(parts[1], []).append(("-".join(parts[2:4]), file["url"]))
        return found

    def requires(self, name, version):
        """What pip finds that a release requires; it reads a few bytes of a wheel for that."""
        if (name, version) not in self.known:
            every = [tags for tags, _ in self.wheels(name)[version]]
            # Not one of a Python without a lock: it may be of one that is not released.
            tags = ([tags for tags in every if not tags.endswith("t")] or every)[-1]
            python = tags[2:].split("-")[0] if tags.startswith("cp") else "312"
            command = [
                *[self.pip, "install", "--quiet", "--dry-run", "--no-deps", "--ignore-installed"],
                *["--target", "/nonexistent", "--report", "-", "--only-binary", ":all:"],
                *["--python-version", f"{python[0]}.{python[1:].rstrip('tm')}"],
                *[x for p in pip_platforms(39) for x in ("--platform", p)],
                *["--index-url", self.default, f"{name}=={version}"],
            ]
            done = subprocess.run(
                command, capture_output=True, text=True, check=True, env=environment()
            )
            found = json.loads(done.stdout)["install"][0]["metadata"]
            self.known[name, version] = found.get("requires_dist", [])
        return self.known[name, version]

    def metadata(self, name, version, variant):
        """That of a release of the index, with another version and other CUDA packages."""
        foreign = "(nvidia|cuda)-" + ("|triton" if variant == "cpu" else "")
        needs = [r for r in self.requires(name, version) if not re.match(foreign, r)]
        needs += cuda_packages(version, variant) if name == "torch" else []
        head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}+{variant}\n"
        return head + "".join(f"Requires-Dist: {r}\n" for r in needs)

    def page(self, name, variant):
        """The wheels of every release, for every Python that the package index has one for."""
        files = [
            f"{name}-{version}%2B{variant}-{tags}-{platform}.whl"
            for version, wheels in self.wheels(name).items()
            for tags in sorted({tags for tags, _ in wheels})
            for platform in PLATFORMS
        ]
        links = [f'<a href="{file}" data-core-metadata="true">{file}</a>' for file in files]
        return "<!DOCTYPE html><html><body>" + "\n".join(links) + "</body></html>"

    def answer(self, request):
        found = re.fullmatch(r"/whl/(\w+)/([a-z0-9-]+)/(?:([^/]+)\.whl\.metadata)?", request.path)
        if not found:
            return request.send_error(404)
        variant, name, wheel = found.groups()
        if name not in OWN:
            if not OTHERS.fullmatch(name):
                return request.send_error(404)
            request.send_response(302)
            request.send_header("Location", f"{self.default}/{name}/")
            return request.end_headers()
        if variant == "cpu" and name in CUDA_ONLY:
            return request.send_error(404)
        if wheel:
            version = re.split(r"%2[Bb]|\+", wheel.split("-")[1])[0]
            text, kind = self.metadata(name, version, variant), "text/plain"
        else:
            text, kind = self.page(name, variant), "text/html"
        body = text.encode()
        request.send_response(200)
        request.send_header("Content-Type", kind)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)
        return None
