"""Released versions of the built-in catalog: kept for good, the same wherever they are built."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
TOOL = TOP / "build" / "catalog-pack"
PARTS = ["catalog.yml", "templates", "base-images", "matrices", "releases"]


PRINT_FILES_OF_SIZE = """\
#include "catalog/builtin_data.h"
#include <stdio.h>

int main(void)
{
    const struct builtin_version *head = &builtin_versions[builtin_head];
    for (unsigned i = 0; i < head->count; i++) {
        struct builtin_part data = builtin_blobs[builtin_files[head->first + i].blob].data;
        if (data.size == SIZE)
            fwrite(builtin_bytes + data.at, 1, SIZE, stdout);
    }
    return 0;
}
"""


def pack(folder, *words):
    done = subprocess.run(
        [str(TOOL), *words], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def write_catalog(folder, version, text="one\n"):
    (folder / "catalog.yml").write_text(f"name: test\nversion: {version}\n")
    path = folder / "templates" / "service" / "files" / "README.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    (folder / "releases").mkdir(exist_ok=True)


@pytest.fixture
def catalog(tmp_path):
    write_catalog(tmp_path, "0.1.0")
    return tmp_path


def release(folder, date="2026-01-02"):
    status, said = pack(folder, "release", date)
    assert status == 0, said
    return re.search(r"[0-9a-f]{40}", said)[0]


def embedded(folder):
    status, said = pack(folder, "embed", ".")
    assert status == 0, said
    return (folder / "catalog_data.c").read_text()


def head_of(data):
    commits = re.findall(r'\{"[^"]*", "([0-9a-f]{40})", ', data)
    return commits[int(re.search(r"builtin_head = ([0-9]+);", data)[1])]


def test_catalog_of_this_repository_is_the_released_one_or_one_to_come():
    status, said = pack(TOP, "check")
    assert status == 0, said


def test_head_is_the_release_while_nothing_changed(catalog):
    commit = release(catalog)
    assert head_of(embedded(catalog)) == commit


def test_head_of_a_changed_catalog_is_another_commit_and_the_release_stays(catalog):
    commit = release(catalog)
    write_catalog(catalog, "0.2.0-dev", "two\n")
    data = embedded(catalog)
    assert head_of(data) != commit
    assert f'{{"0.1.0", "{commit}", ' in data
    assert "one\\n" in data
    assert "two\\n" in data


def test_release_is_a_commit_that_git_reads(catalog, tmp_path_factory):
    first = release(catalog)
    write_catalog(catalog, "0.2.0", "two\n")
    second = release(catalog, "2026-01-03")
    bare = tmp_path_factory.mktemp("git")

    def git(*words, **more):
        return subprocess.run(
            ["git", *words], cwd=bare, check=True, capture_output=True, **more
        ).stdout

    git("init", "--bare", "--quiet")
    with open(catalog / "releases" / "catalog.pack", "rb") as stream:
        git("unpack-objects", "-q", stdin=stream)
    git("fsck", "--strict")
    said = git("log", "--format=%H %P %an <%ae> %aI %cn %cI %s", second).decode().splitlines()
    who = "tmplgen <tmplgen@localhost>"
    assert said == [
        f"{second} {first} {who} 2026-01-03T00:00:00+00:00 tmplgen 2026-01-03T00:00:00+00:00 "
        "tmplgen catalog 0.2.0",
        f"{first}  {who} 2026-01-02T00:00:00+00:00 tmplgen 2026-01-02T00:00:00+00:00 "
        "tmplgen catalog 0.1.0",
    ]
    assert git("show", f"{first}:templates/service/files/README.md") == b"one\n"


def test_release_does_not_change_once_it_is_made(catalog):
    release(catalog)
    assert pack(catalog, "release", "2026-05-05")[0] == 0  # the same files: nothing to do
    assert (catalog / "releases" / "index.txt").read_text().count("\n") == 1
    write_catalog(catalog, "0.1.0", "two\n")
    status, said = pack(catalog, "release", "2026-01-03")
    assert status == 1
    assert "not newer than 0.1.0" in said


@pytest.mark.parametrize(
    ("version", "text", "status", "says"),
    [
        ("0.1.0", "one\n", 0, "as released on 2026-01-02"),
        ("0.1.0", "two\n", 1, "differs from release 0.1.0"),
        ("0.2.0", "two\n", 1, "0.2.0 is not in releases/"),
        ("0.2.0-dev", "two\n", 0, "not yet released"),
    ],
)
def test_check_finds_a_catalog_that_is_not_what_it_says(catalog, version, text, status, says):
    release(catalog)
    write_catalog(catalog, version, text)
    found, said = pack(catalog, "check")
    assert (found, says in said) == (status, True), said


@pytest.mark.parametrize("version", ["0.1.0", "0.0.9", "0.2.0-dev", "two"])
def test_release_wants_a_newer_plain_version(catalog, version):
    release(catalog)
    write_catalog(catalog, version, "two\n")
    assert pack(catalog, "release", "2026-01-03")[0] == 1


def test_release_is_not_dated_before_the_newest(catalog):
    release(catalog)
    write_catalog(catalog, "0.2.0", "two\n")
    status, said = pack(catalog, "release", "2026-01-01")
    assert status == 1
    assert "before 2026-01-02" in said


def test_links_are_refused(catalog):
    (catalog / "templates" / "link").symlink_to("service")
    status, said = pack(catalog, "embed", ".")
    assert status == 1
    assert "templates/link: neither a file nor a folder" in said


def test_damaged_pack_is_refused(catalog):
    release(catalog)
    path = catalog / "releases" / "catalog.pack"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 0xFF
    path.write_bytes(data)
    status, said = pack(catalog, "embed", ".")
    assert status == 1
    assert "releases/catalog.pack" in said


def test_embedding_depends_on_contents_alone(tmp_path):
    """Not on a repository around it, the order of a folder, times, or bits that umask takes."""
    for copy, order in (("a", sorted), ("b", lambda names: sorted(names, reverse=True))):
        for part in PARTS:
            source = TOP / part
            if source.is_file():
                (tmp_path / copy).mkdir(exist_ok=True)
                shutil.copyfile(source, tmp_path / copy / part)
            elif source.is_dir():
                copy_tree(source, tmp_path / copy / part, order, 0o077 if copy == "b" else 0o022)
    assert embedded(tmp_path / "a") == embedded(tmp_path / "b")


def copy_tree(source, target, order, umask):
    target.mkdir(parents=True)
    for name in order(os.listdir(source)):
        if (source / name).is_dir():
            copy_tree(source / name, target / name, order, umask)
            continue
        shutil.copyfile(source / name, target / name)
        mode = 0o777 if os.access(source / name, os.X_OK) else 0o666
        os.chmod(target / name, mode & ~umask)


def test_data_in_the_binary_is_what_the_catalog_holds(catalog, tmp_path):
    """Every byte survives being written as C and compiled."""
    odd = bytes(range(256)) * 3 + b'??= "quoted" \\ 0123\n'
    path = catalog / "templates" / "service" / "files" / "odd.bin"
    path.write_bytes(odd)
    embedded(catalog)
    program = tmp_path / "print.c"
    program.write_text(PRINT_FILES_OF_SIZE)
    binary = tmp_path / "print"
    subprocess.run(
        [
            "gcc",
            f"-DSIZE={len(odd)}",
            f"-I{TOP / 'src'}",
            program,
            catalog / "catalog_data.c",
            "-o",
            binary,
        ],
        check=True,
    )
    assert subprocess.run([binary], check=True, stdout=subprocess.PIPE).stdout == odd
