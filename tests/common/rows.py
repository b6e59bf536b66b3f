"""Rows of the files of matrices/, as text."""

import re
import shutil

from .program import ROOT


def matrix_catalog(folder, name="small"):
    """Makes a catalog that has a copy of the shipped matrix, and nothing else."""
    shutil.copytree(ROOT / "matrices", folder / "matrices")
    (folder / "catalog.yml").write_text(f"name: {name}\nversion: 1.0.0\n")
    (folder / "templates").mkdir()
    return folder


def drop_rows(path, pattern):
    """Takes out the rows that begin so, behind their `- `; a row may go over several lines."""
    rows = re.split(r"(?m)^(?=\S)", path.read_text())
    path.write_text("".join(row for row in rows if not re.search(r"^- " + pattern, row, re.S)))


def only_framework(matrices, name, text):
    """Leaves one framework, of that text, and no package, in a copy of matrices/."""
    for folder in ("frameworks", "packages"):
        for path in (matrices / folder).glob("*.yml"):
            path.unlink()
    (matrices / "frameworks" / f"{name}.yml").write_text(text)
