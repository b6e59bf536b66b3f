"""`template export`: a repository that children, and the next release, find their way in."""

import os
import shutil
import subprocess

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


def test_what_ci_runs(shared, tmp_path):
    """What is installed, else the image, else a word on what to do."""
    fork = shared[0]
    said = tmp_path / "said"
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "dirname"):
        (programs / name).symlink_to(shutil.which(name))

    def fake(name, status=0):
        (programs / name).write_text(f'#!/bin/sh\necho "{name} $*" >> {said}\nexit {status}\n')
        (programs / name).chmod(0o755)

    def run(**env):
        said.unlink(missing_ok=True)
        done = subprocess.run(
            [fork / "ci/catalog.sh"],
            env={"PATH": str(programs), **env},
            capture_output=True,
            text=True,
        )
        return done.returncode, said.read_text().splitlines() if said.exists() else done.stderr

    code, text = run()
    assert code == 1 and "set TMPLGEN_IMAGE" in text
    fake("docker")
    code, lines = run(TMPLGEN_IMAGE="r/tmplgen:1")
    assert code == 0
    assert [line.split(" r/tmplgen:1 ")[1] for line in lines] == [
        "tmplgen template lint",
        "tmplgen template test",
    ]
    fake("tmplgen")
    assert run() == (0, ["tmplgen template lint", "tmplgen template test"])
    fake("tmplgen", 6)
    assert run() == (6, ["tmplgen template lint"])
    assert (fork / "ci/catalog.sh").read_text().startswith("#!/bin/sh\n")
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
