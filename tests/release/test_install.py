"""`make install` brings what a package has, and `make uninstall` takes it away."""

import html
import os
import re
import shutil
import subprocess

import pytest

from ..common.program import BINARY, ROOT

pytestmark = pytest.mark.skipif(BINARY != ROOT / "build/tmplgen", reason="installs build/tmplgen")


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    destination = tmp_path_factory.mktemp("destination")
    make("install", destination)
    yield destination / "usr"
    make("uninstall", destination)
    assert not [path for path in destination.rglob("*") if not path.is_dir()]
    assert not (destination / "usr/share/doc/tmplgen").exists()


def make(target, destination):
    # The make that runs the tests tells of its jobs, which are none of this one's.
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    command = ["make", "-s", target, f"DESTDIR={destination}", "PREFIX=/usr"]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def commands():
    listed = subprocess.run([BINARY, "help"], capture_output=True, text=True, check=True).stdout
    words = [
        line[2:20].strip() for line in listed.split("commands:")[1].splitlines() if line[:2] == "  "
    ]
    return [word for word in words if word]


def test_programs_run_from_there(prefix):
    for name in ("tmplgen", "gpu-smoke"):
        done = subprocess.run([prefix / "bin" / name, "--version"], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout


def test_each_command_has_a_page_and_the_checker_of_pages_is_silent(prefix):
    pages = sorted((prefix / "share/man/man1").iterdir())
    wanted = ["gpu-smoke.1", "tmplgen.1"]
    wanted += [f"tmplgen-{name.replace(' ', '-')}.1" for name in commands()]
    assert [page.name for page in pages] == sorted(wanted)
    manpath = {**os.environ, "MANPATH": str(prefix / "share/man")}
    subprocess.run(
        [shutil.which("makewhatis", path=f"{os.environ['PATH']}:/usr/sbin"), prefix / "share/man"],
        check=True,
    )
    lint = ["mandoc", "-Tlint", "-Wstyle", *pages]
    done = subprocess.run(lint, env=manpath, capture_output=True, text=True)
    (prefix / "share/man/mandoc.db").unlink()
    assert (done.returncode, done.stdout) == (0, "")


def test_a_page_says_what_help_says(prefix):
    shown = ["mandoc", "-Tmarkdown", prefix / "share/man/man1/tmplgen-matrix-resolve.1"]
    page = subprocess.run(shown, capture_output=True, text=True, check=True).stdout
    page = " ".join(html.unescape(re.sub(r"[*\\]", "", page)).split())
    for words in ("tmplgen matrix resolve", "--explain", "--driver VERSION|auto", "say why each"):
        assert words in page


def test_the_licence_and_completions_are_there(prefix):
    share = prefix / "share"
    assert (share / "doc/tmplgen/LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    for shell, path in [
        ("bash", "bash-completion/completions/tmplgen"),
        ("zsh", "zsh/site-functions/_tmplgen"),
        ("fish", "fish/vendor_completions.d/tmplgen.fish"),
    ]:
        script = subprocess.run([BINARY, "completion", shell], capture_output=True, check=True)
        assert (share / path).read_bytes() == script.stdout


def test_a_relative_folder_is_the_callers_and_a_failure_fails(tmp_path):
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    beside = os.path.relpath(tmp_path, ROOT)
    command = ["make", "-s", "install", f"DESTDIR={beside}/a b", "PREFIX=/usr"]
    subprocess.run(command, cwd=ROOT, env=env, check=True)
    assert (tmp_path / "a b/usr/bin/tmplgen").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "a b/usr/share/man/man1/tmplgen.1").stat().st_mode & 0o777 == 0o644
    (tmp_path / "file").touch()
    command[3] = f"DESTDIR={tmp_path}/file"
    assert subprocess.run(command, cwd=ROOT, env=env, capture_output=True).returncode != 0
    twice = ["make", "-s", "uninstall", f"DESTDIR={beside}/a b", "PREFIX=/usr"]
    for _ in range(2):
        subprocess.run(twice, cwd=ROOT, env=env, check=True)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "file"]
