"""A repository that nobody made from a template, and what adopting it does."""

from pathlib import Path

from ..update.world import World, put


class Place(World):
    """A world whose child is adopted rather than made."""

    def repository(self, files: dict, path=None) -> Path:
        where = path or self.child
        where.mkdir(parents=True)
        self.git("init", "-q", cwd=where)
        if files:
            put(where, files)
            self.commit(cwd=where)
        return where

    def adopt(self, *args, child=None, catalog=None, kind="app", **more):
        """With --json; `catalog` False: the built-in one."""
        source = () if catalog is False else ("--catalog", catalog or self.catalog)
        folder = child or self.child
        return self.tmplgen("adopt", folder, "--type", kind, *source, "--json", *args, **more)

    def record(self, child=None) -> str:
        return self.read(".tmplgen.yml", child)

    def yours(self, child=None) -> list:
        """The globs as they stand in the record; none of these tests has one that is quoted."""
        lines = self.record(child).partition("\nyours:")[2].splitlines()
        return [line.strip().removeprefix("- ") for line in lines if line.startswith("  - ")]


def kept(before: dict, after: dict) -> None:
    """Every file of before is there as it was."""
    lost = {path: leaf for path, leaf in before.items() if after.get(path) != leaf}
    assert lost == {}, lost
