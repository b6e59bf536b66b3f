"""Compares a project by cookiecutter or copier with one of a catalog made from the same template.

For the importer in Python, which turns such a template into a catalog: its tests call `compare` for
each shape of `shapes.py`. Both tools must be installed, as
`tests/peers/requirements.txt` pins them. What an importer reports is a mapping:

    types      one entry for each type of the catalog
      name, questions   as the catalog has them
      renames           [{from, to}]: names that the template spells differently
      decisions         [{kind}]: what the importer left to a person
"""

import contextlib
import io
import os
import stat
import warnings
from pathlib import Path

from ..command.world import Runner

# What a project by tmplgen has besides.
OURS = {".tmplgen.yml", ".gitattributes"}
ATTRIBUTES = b"/.tmplgen.yml -merge\n"


def put(folder: Path, files: dict) -> Path:
    """Texts, bytes, or (text, True) of what is executable."""
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        text, executable = content if isinstance(content, tuple) else (content, False)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        if executable:
            target.chmod(0o755)
    return folder


def tree(folder: Path) -> dict:
    """Content and executable bit of each file, by path."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            mode = path.stat().st_mode & stat.S_IXUSR
            found[str(path.relative_to(folder))] = (path.read_bytes(), bool(mode))
    return found


def said(value) -> str:
    """An answer as `--set` takes it."""
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(value) or "none" if isinstance(value, list) else str(value)


class World(Runner):
    """A folder with a template (`template/`), its catalog (`catalog/`) and projects by both."""

    def __init__(self, folder: Path):
        (folder / "home").mkdir()
        super().__init__(folder / "home")
        self.folder = folder
        self.made = 0

    def fresh(self) -> Path:
        self.made += 1
        return self.folder / f"p{self.made}"

    def ours(self, document: dict, answers: dict, type_=0, catalog="catalog") -> dict:
        """The files that `tmplgen new` makes of the catalog, without those that it adds."""
        entry = document["types"][type_]
        names = {one["from"]: one["to"] for one in entry["renames"]}
        given = []
        for name, value in answers.items():
            if names.get(name, name) in entry["questions"]:
                given += ["--set", f"{names.get(name, name)}={said(value)}"]
        path = self.fresh()
        done = self(
            *("new", path, "--catalog", catalog, "--type", entry["name"], "--name", "project"),
            *("--defaults", "--no-git", *given),
            cwd=self.folder,
        )
        assert done.code == 0, done.out + done.err
        made = tree(path)
        attributes, mode = made[".gitattributes"]
        kept = attributes.removesuffix(ATTRIBUTES)
        del made[".tmplgen.yml"]
        if kept:
            made[".gitattributes"] = (kept, mode)
        else:
            del made[".gitattributes"]
        return made

    def cookiecutter(self, answers: dict, source="template") -> Path:
        """A project by cookiecutter itself, whose hooks are not run."""
        from cookiecutter.main import cookiecutter

        config = self.folder / "cookiecutter.yml"
        config.write_text(f"cookiecutters_dir: {self.home}/c\nreplay_dir: {self.home}/r\n")
        return Path(
            cookiecutter(
                str(self.folder / source),
                no_input=True,
                extra_context=answers,
                output_dir=str(self.fresh()),
                config_file=str(config),
                accept_hooks=False,
            )
        )

    def copier(self, answers: dict, source="template") -> Path:
        """A project by copier itself, whose tasks are not run."""
        import copier

        os.environ["COPIER_SETTINGS_PATH"] = str(self.home / "copier.yml")
        with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            copier.run_copy(
                str(self.folder / source),
                path := self.fresh(),
                data=answers,
                defaults=True,
                quiet=True,
                unsafe=True,
                skip_tasks=True,
            )
        return path


def compare(world: World, shape, document: dict) -> None:
    """Fails where a project of any answers of the shape differs from their tool's."""
    entries = document["types"]
    told = {one["kind"] for entry in entries for one in entry["decisions"]}
    # cookiecutter asks for what only the folder's own name reads, too
    assert told - {"unused"} == shape.kinds
    for answers in shape.answers:
        for number, entry in enumerate(entries):
            if shape.tool == "copier":
                wanted = tree(world.copier(answers))
            elif len(entries) > 1:
                source = f"template/{['lib', 'web'][number]}"
                wanted = tree(world.cookiecutter(answers, source))
            else:
                wanted = tree(world.cookiecutter(answers))
            made = world.ours(document, answers, number)
            for path in shape.aside:
                wanted.pop(path, None)
                made.pop(path, None)
            assert made == wanted, f"{entry['name']} {answers}"
