"""What `make release` makes, as those who get it take it: pip, uv, apt, checkers, auditors."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

from .support import TOP, WORK, bare_root, in_root, run

DIST = TOP / "dist"
VENV = TOP / "build/packages-venv/bin"
LINKED = {"libgit2", "http-parser", "libyaml", "jansson", "zlib"}


@pytest.fixture(scope="module", autouse=True)
def _made(portable):
    run("make", "-s", "build/packages-venv/made", cwd=TOP)
    for pattern in ("*.whl", "*.deb", "*.gz"):  # of another version
        for path in DIST.glob(pattern):
            path.unlink()
    for target in ("wheel", "deb", "dist"):
        run("make", "-j2", target, cwd=TOP)
    run(sys.executable, "tools/package/release.py", "record", "dist", cwd=TOP)


def one(pattern):
    [path] = DIST.glob(pattern)
    return path


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_wheels_are_what_their_names_say():
    wheels = sorted(DIST.glob("*.whl"))
    assert len(wheels) == 2
    assert "warning" not in run(VENV / "twine", "check", "--strict", *wheels).lower()
    for path in wheels:
        tag = re.search(r"manylinux_2_28_\w+", path.name)[0]
        said = " ".join(run(VENV / "auditwheel", "show", path).split())
        assert f'is consistent with the following platform tag: "{tag}"' in said


def test_the_page_on_the_index_has_no_dead_link():
    with zipfile.ZipFile(one("*_x86_64.whl")) as wheel:
        [name] = [it for it in wheel.namelist() if it.endswith("/METADATA")]
        links = re.findall(r"\]\(([^)]*)\)", wheel.read(name).decode())
    assert [it for it in links if not it.startswith("https://")] == []


def test_pip_installs_and_removes_it(tmp_path):
    run(sys.executable, "-m", "venv", tmp_path / "venv")
    pip = [tmp_path / "venv/bin/python", "-m", "pip", "--disable-pip-version-check"]
    before = set((tmp_path / "venv").rglob("*"))
    run(*pip, "install", "--no-index", one("*_x86_64.whl"))
    program = tmp_path / "venv/bin/tmplgen"
    assert program.read_bytes() == (DIST / "tmplgen-x86_64-linux").read_bytes()
    run(program, "new", "--type", "library", "--framework", "none", "--defaults", tmp_path / "made")
    assert (tmp_path / "venv/share/man/man1/tmplgen-new.1").is_file()
    assert list((tmp_path / "venv").rglob("licenses/third-party/libgit2"))
    run(*pip, "uninstall", "--yes", "tmplgen")
    left = set((tmp_path / "venv").rglob("*")) - before
    assert not [path for path in left if path.is_file()]


def test_uv_runs_it_as_a_tool(tmp_path):
    home = {"UV_CACHE_DIR": str(tmp_path / "cache"), "UV_TOOL_DIR": str(tmp_path / "tools")}
    words = ["--python", sys.executable, "--no-index", "--from", one("*_x86_64.whl")]
    said = run(VENV / "uv", "tool", "run", *words, "tmplgen", "version", **home)
    assert "tmplgen " in said


def test_the_checker_of_debian_packages_is_silent():
    said = run("lintian", "--allow-root", "--fail-on", "warning,error", one("*.deb"))
    assert said == ""


@pytest.mark.usefixtures("_root_user")
def test_apt_installs_and_removes_it():
    root = bare_root(WORK / "package-root", "ca-certificates")
    shutil.copy(one("*.deb"), root / "root/it.deb")
    status, said = in_root(root, "apt-get update && apt-get install --yes /root/it.deb")
    assert status == 0, said
    words = "--type service --framework pytorch --defaults"
    status, said = in_root(root, f"cd /root && tmplgen new {words} made && tmplgen status made")
    assert status == 0, said
    assert (root / "usr/share/bash-completion/completions/tmplgen").is_file()
    status, said = in_root(root, "apt-get remove --yes tmplgen && ! command -v tmplgen gpu-smoke")
    assert status == 0, said
    shutil.rmtree(root)


def test_the_source_is_what_git_has_and_the_same_each_time(tmp_path):
    archive = one("*.tar.gz")
    listed = run("tar", "-tzf", archive).splitlines()
    name = listed[0].partition("/")[0]
    tracked = run("git", "ls-tree", "-r", "--name-only", "HEAD", cwd=TOP).splitlines()
    assert {it for it in listed if not it.endswith("/")} == {f"{name}/{it}" for it in tracked}
    run(sys.executable, "tools/package/source.py", tmp_path, cwd=TOP)
    assert (tmp_path / archive.name).read_bytes() == archive.read_bytes()


def test_every_file_has_a_sum_and_the_sums_are_right():
    run("sha256sum", "--check", "--strict", "SHA256SUMS", cwd=DIST)
    named = {line.split()[1] for line in (DIST / "SHA256SUMS").read_text().splitlines()}
    assert named == {path.name for path in DIST.iterdir()} - {"SHA256SUMS"}


def test_the_sbom_is_valid_and_names_what_is_linked_in():
    run(VENV / "pyspdxtools", "--infile", DIST / "tmplgen.spdx.json")
    sbom = json.loads((DIST / "tmplgen.spdx.json").read_text())
    names = {it["SPDXID"]: it["name"] for it in sbom["packages"]}
    linked = [it for it in sbom["relationships"] if it["relationshipType"] == "STATIC_LINK"]
    of_file = {
        names[it["relatedSpdxElement"]]
        for it in linked
        if names[it["spdxElementId"]] == "tmplgen-x86_64-linux"
    }
    assert of_file == LINKED
    for package in sbom["packages"]:
        assert package["licenseConcluded"] != "NOASSERTION"
    # Nothing else is in it: the linker was given these archives alone.
    archives = {it.stem[3:] for it in (TOP / "build/portable/x86_64/lib").glob("lib*.a")}
    assert archives == {"git2", "http_parser", "yaml", "jansson", "z"}


def test_the_statement_is_of_these_files_and_of_their_sources():
    statement = json.loads((DIST / "tmplgen.provenance.json").read_text())
    assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
    told = {it["name"]: it["digest"]["sha256"] for it in statement["subject"]}
    made = [it for it in DIST.iterdir() if it.suffix != ".json" and it.name != "SHA256SUMS"]
    assert told == {path.name: sha256(path) for path in made}
    sources = statement["predicate"]["buildDefinition"]["resolvedDependencies"]
    commit = run("git", "rev-parse", "HEAD", cwd=TOP).strip()
    assert sources[0]["digest"]["gitCommit"] == commit
    downloads = TOP / "build/portable/downloads"
    for source in sources[1:]:
        if "name" in source:
            assert source["digest"]["sha256"] == sha256(downloads / source["name"])


def test_only_a_clean_tagged_tree_of_one_version_is_released(tmp_path):
    """In a clone that gets, one after the other, what was missing."""
    run("git", "clone", "--quiet", "--shared", TOP, tmp_path / "clone")
    clone = tmp_path / "clone"
    env = {
        f"GIT_{who}_{what}": "x@example.org"
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }

    def faults():
        done = subprocess.run(
            [sys.executable, "tools/package/release.py", "check"],
            cwd=clone,
            capture_output=True,
            text=True,
        )
        assert done.returncode == (1 if done.stderr else 0)
        return re.sub(r"(?m)^release: ", "", done.stderr).splitlines()

    def put(name, pattern, text):
        path = clone / name
        found = re.sub(pattern, text, path.read_text(), count=1, flags=re.M)
        assert found != path.read_text()
        path.write_text(found)

    put("src/tmplgen.h", '".*"', '"77.0.0-dev"')
    put("catalog.yml", "^version: .*", "version: 77.0.0-dev")
    assert "'77.0.0-dev' is the version of a tree at work, none of a release" in faults()
    put("src/tmplgen.h", '".*"', '"77.0.0"')
    assert "the program is 77.0.0, the catalog 77.0.0-dev: both have one version" in faults()
    put("catalog.yml", "^version: .*", "version: 77.0.0")
    put("CHANGELOG.md", "^## ", "## 77.0.0, 2077-01-01\n\n## ")
    with open(clone / "releases/index.txt", "a") as index:
        index.write("77.0.0 1 2 2077-01-01\n")
    assert faults() == ["the tree is not clean", "HEAD is not tagged v77.0.0"]
    run("git", "commit", "--quiet", "--all", "--message", "77", cwd=clone, **env)
    run("git", "tag", "v77.0.0", cwd=clone)
    assert faults() == []
    assert os.listdir(clone) and not (clone / "dist").exists()
