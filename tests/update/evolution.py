"""The catalog of this repository, as a copy that goes through versions as a real one would."""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PARTS = ["catalog.yml", "templates", "base-images", "matrices"]


def copy_catalog(target: Path) -> None:
    target.mkdir(parents=True)
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, target / part)
        elif source.exists():
            shutil.copy(source, target / part)


def set_version(catalog: Path, version: str) -> None:
    path = catalog / "catalog.yml"
    path.write_text(re.sub(r"(?m)^version:.*$", f"version: {version}", path.read_text()))


# ---------------------------------------------------------------- twelve versions of it


class Catalog:
    """The copy, and how it changes. A step that finds nothing to change is an error."""

    def __init__(self, folder: Path):
        self.folder = folder
        copy_catalog(folder)
        manifests = sorted(folder.glob("templates/[a-z]*/template.yml"))
        # The others have neither pins nor sources for a user to edit.
        self.types = [p.parent for p in manifests if "\nstack: framework\n" in p.read_text()]
        self.common = folder / "templates" / "_layers" / "python-common"

    def change(self, path: Path, pattern: str, new, count=0) -> None:
        text = path.read_text()
        changed = re.sub(pattern, new, text, count=count, flags=re.M)
        assert changed != text, f"{path}: no {pattern!r}"
        path.write_text(changed)

    def append(self, path: Path, text: str) -> None:
        path.write_text(path.read_text().rstrip("\n") + "\n" + text)

    def add(self, path: Path, text: str, executable=False) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755 if executable else 0o644)

    def to_list(self, manifest: Path, key: str, entry: str) -> None:
        """One more entry of a list of a manifest, which may have none yet."""
        if re.search(rf"(?m)^{key}:\n", manifest.read_text()):
            self.change(manifest, rf"^{key}:\n", lambda m: f"{m[0]}{entry}\n", count=1)
        else:
            self.append(manifest, f"{key}:\n{entry}\n")

    # ------------------------------------------------------------ the steps

    def bump_pins(self):
        def newer(found):
            return f"=={found[1]}.{found[2]}.{int(found[3]) + 1}"

        for path in [*self.folder.glob("templates/**/requirements/dev.txt")]:
            self.change(path, r"==(\d+)\.(\d+)\.(\d+)", newer)
        for path in self.folder.glob("templates/**/files/requirements/runtime.txt"):
            if "==" in path.read_text():
                self.change(path, r"==(\d+)\.(\d+)\.(\d+)", newer, count=2)

    def new_file(self):
        text = "# How to contribute\n\n1. Fork.\n2. Change.\n3. `make lint test`.\n4. Ask.\n"
        self.add(self.common / "files/docs/contributing.md", text)

    def new_section(self):
        for kind in self.types:
            self.append(kind / "files/README.md.j2", "\n## Help\n\nSee docs/contributing.md.\n")

    def rename_file(self):
        old = self.common / "files/CHANGELOG.md"
        old.rename(self.common / "files/docs/changelog.md")
        move = "  - {from: '<1.4', rename_files: {CHANGELOG.md: docs/changelog.md}}"
        for kind in self.types:
            self.to_list(kind / "template.yml", "migrations", move)

    def new_question(self):
        entry = "  - {name: audience, type: str, default: everyone, help: Who reads this}"
        for kind in self.types:
            self.to_list(kind / "template.yml", "questions", entry)
            self.append(kind / "files/README.md.j2", "\nWritten for {{ audience }}.\n")

    def new_layer(self):
        layer = self.folder / "templates/_layers/hygiene"
        self.add(layer / "layer.yml", 'description: "small habits"\n')
        self.add(layer / "files/.mailmap", "# Name <address>\n")
        self.add(layer / "files/ci/hygiene.sh", "#!/bin/sh\nset -eu\ngit diff --check\n", True)
        for kind in self.types:
            self.to_list(kind / "template.yml", "layers", "  - name: hygiene")

    def remove_file(self):
        (self.folder / "templates/_layers/common/files/.editorconfig").unlink()

    def edit_in_the_middle(self):
        dockerfile = self.folder / "templates/_layers/docker/files/Dockerfile.j2"
        self.change(dockerfile, r"\A(.*\n)", r"\1# Nothing here is secret: it can be shown.\n")
        self.change(self.common / "files/ci/lint.sh", r"^(set -.*\n)", r"\1export LC_ALL=C\n")
        for kind in self.types:
            self.change(kind / "files/Makefile.j2", r"\A(.*\n)", r"\1# `make help` lists it.\n")

    def new_framework_patch(self):
        """A patch release of every release of PyTorch that the matrix is sure of."""
        path = self.folder / "matrices/frameworks/pytorch.yml"
        row = re.compile(r"^- \{version: (\d+\.\d+)\.(\d+),[^}]*(?:\}[^}\n]*)*\}\n", re.M)
        rows = row.finditer(path.read_text())
        found = next(row for row in rows if "confidence: low" not in row[0])
        old, new = f"{found[1]}.{found[2]}", f"{found[1]}.{int(found[2]) + 9}"
        self.change(path, re.escape(found[0]), found[0].replace(old, new, 1) + found[0])
        self.change(
            path, rf"(releases: [^,]*)(?<![\d.]){re.escape(old)}(?=[ ,])", rf"\g<1>{old} {new}"
        )

    def modes_and_policies(self):
        self.to_list(
            self.common / "layer.yml", "files", "  - {match: docs/contributing.md, policy: seed}"
        )
        script = self.common / "files/ci/test.sh"
        script.chmod(script.stat().st_mode ^ 0o111)

    def rename_question(self):
        move = "  - {from: '<1.11', rename_answers: {audience: readers}}"
        for kind in self.types:
            self.to_list(kind / "template.yml", "migrations", move)
            self.change(kind / "template.yml", "name: audience", "name: readers")
            self.change(kind / "files/README.md.j2", "{{ audience }}", "{{ readers }}")


STEPS = [
    Catalog.bump_pins,
    Catalog.new_file,
    Catalog.new_section,
    Catalog.rename_file,
    Catalog.new_question,
    Catalog.new_layer,
    Catalog.remove_file,
    Catalog.edit_in_the_middle,
    Catalog.new_framework_patch,
    Catalog.modes_and_policies,
    Catalog.rename_question,
]
VERSIONS = [f"1.{number}.0" for number in range(len(STEPS) + 1)]


def release_versions(world):
    """Makes the catalog of the world, a commit and a tag for each version."""
    catalog = Catalog(world.catalog)
    world.git("init", "-q", cwd=world.catalog)
    for version, step in zip(VERSIONS, [None, *STEPS], strict=True):
        if step:
            step(catalog)
        set_version(world.catalog, version)
        world.commit(version, cwd=world.catalog)
        world.git("tag", f"v{version}", cwd=world.catalog)
    world.types = [kind.name for kind in catalog.types]
