"""Shapes of repositories as they are found: files, and what else makes them so."""

from dataclasses import dataclass, field

from .place import Place

POINTER = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n"
)
FLASK = {
    "app.py": "from flask import Flask\n\napp = Flask(__name__)\n",
    "shop/__init__.py": "",
    "shop/models.py": "import torch\n",
    "templates/index.html": "<h1>{{ title }}</h1>\n",
    "static/logo.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)),
    "requirements.txt": "flask==3.0.3\ntorch==2.4.1\n",
    "Dockerfile": 'FROM python:3.11-slim\nCOPY . /app\nCMD ["flask", "run"]\n',
    "README.md": "# Shop\n",
    "Makefile": "run:\n\tflask run\n",
    ".gitignore": "__pycache__/\n.env\ninstance/\n",
    "migrations/env.py": "x = 1\n",
    "tests/test_app.py": "def test():\n    pass\n",
}
DATA_SCIENCE = {
    "data/raw/.gitkeep": "",
    "data/processed/.gitkeep": "",
    "docs/Makefile": "html:\n",
    "models/.gitkeep": "",
    "notebooks/1.0-ab-look.ipynb": '{"cells": [], "nbformat": 4}\n',
    "references/.gitkeep": "",
    "reports/figures/.gitkeep": "",
    "src/__init__.py": "",
    "src/data/make_dataset.py": "print('data')\n",
    "src/features/build_features.py": "print('features')\n",
    "setup.cfg": "[metadata]\nname = churn\n[options]\ninstall_requires =\n    torch\n",
    "setup.py": "from setuptools import setup\nsetup()\n",
    "environment.yml": "name: churn\ndependencies:\n- python=3.11\n- pip:\n  - torch==2.4.1\n",
    "Makefile": "data:\n\tpython src/data/make_dataset.py\n",
    "README.md": "Churn\n=====\n",
    ".cruft.json": '{"template": "t", "context": {"cookiecutter": {"project_name": "Churn"}}}\n',
    "tox.ini": "[flake8]\nmax-line-length = 79\n",
}
COPIER = {
    ".copier-answers.yml": "_commit: v3.1.0\n_src_path: gh:team/template\n"
    "project_name: Shop API\npackage_name: shop_api\nproject_description: An API\n",
    "pyproject.toml": '[project]\nname = "shop-api"\nrequires-python = ">=3.10"\n'
    'dependencies = ["torch>=2.4,<2.6"]\n',
    "src/shop_api/__init__.py": "",
    "src/shop_api/main.py": "print()\n",
    "README.md": "# Shop API\n",
    ".pre-commit-config.yaml": "repos: []\n",
    "Makefile": "test:\n\tpytest\n",
}
WINDOWS = {
    "Readme.MD": "# Mine\r\n",
    "MAKEFILE": "all:\r\n\techo mine\r\n",
    "Docs/Guide with spaces.txt": "x\r\n",
    "src/Größe.py": "x = 1\r\n",
    "build.bat": "@echo off\r\n",
    "requirements.txt": "torch==2.4.1\r\n",
}


@dataclass
class Shape:
    files: dict
    prepare: object = None  # called with the place, after the files were written
    folder: str = ""  # of the repository, that is adopted
    edit: dict = field(default_factory=lambda: {"README.md": "# Mine, and more\n"})
    clean: bool = True  # git status has nothing to say afterwards


def monorepo(place: Place):
    place.edit({"services/b/dirty": "1\n"})
    (place.child / "services/b/dirty").write_text("not committed\n")


def submodules(place: Place):
    library = place.repository({"lib.py": "x = 1\n"}, place.folder / "library")
    place.git(
        *("-c", "protocol.file.allow=always", "submodule", "add", "-q", library, "third/library")
    )
    place.git("commit", "-q", "-m", "library")


def crlf(place: Place):
    place.git("config", "core.autocrlf", "false")


def autocrlf(place: Place):
    """As a clone on Windows has it: LF in objects, CRLF on disk."""
    place.git("config", "core.autocrlf", "true")
    place.git("rm", "-q", "-r", "--cached", ".")
    place.git("reset", "-q", "--hard")


def many() -> dict:
    files = {f"pkg{i % 50}/mod{i}.py": f"# {i}\nvalue = {i}\n" for i in range(1500)}
    return {**files, "README.md": "# Big\n", "requirements.txt": "torch==2.4.1\n"}


CRLF = {
    name: text.replace("\n", "\r\n") if isinstance(text, str) else text
    for name, text in FLASK.items()
}

SHAPES = {
    "flask": Shape(FLASK),
    "data-science": Shape(DATA_SCIENCE),
    "copier-child": Shape(COPIER),
    "monorepo": Shape(
        {**{f"services/a/{name}": text for name, text in FLASK.items()}, "go.work": "go 1.22\n"},
        monorepo,
        folder="services/a",
        edit={"services/a/README.md": "# Mine, and more\n"},
        clean=False,
    ),
    "lfs": Shape(
        {
            **FLASK,
            ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n",
            "models/weights.bin": POINTER,
        }
    ),
    "submodules": Shape(FLASK, submodules),
    "crlf": Shape(CRLF, crlf, edit={"README.md": "# Mine, and more\r\n"}),
    "autocrlf": Shape(FLASK, autocrlf, edit={"README.md": "# Mine, and more\r\n"}),
    "windows-names": Shape(WINDOWS, crlf, edit={"Readme.MD": "# Mine, and more\r\n"}),
    "many-files": Shape(many()),
    "empty": Shape({}, edit={"src/own.py": "x = 1\n"}),
}
