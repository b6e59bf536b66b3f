"""tools/deps.sh on made-up machines: it installs what is missing, or names it and stops."""

import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
NEEDED = ["sh", "awk", "tr", "mktemp", "rm", "cat", "env"]
HAVE_ALL = """\
#!/bin/sh
shift 2
for name; do echo "$name installed"; done
"""
HAVE_NONE = "#!/bin/sh\nexit 1\n"
APT = '#!/bin/sh\necho "apt-get $*" >>"$LOG"\n'
FAILING_APT = '#!/bin/sh\necho "E: no network"\nexit 100\n'
SUDO = '#!/bin/sh\necho "sudo $*" >>"$LOG"\nexec "$@"\n'


class Machine:
    """A PATH of its own, with the commands that a test gives it."""

    def __init__(self, folder, user):
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.log = folder / "log"
        for name in NEEDED:
            (self.bin / name).symlink_to(shutil.which(name))
        self.add("id", f"#!/bin/sh\necho {user}\n")

    def add(self, name, script):
        path = self.bin / name
        path.write_text(script)
        path.chmod(0o755)

    def deps(self, *words, **env):
        done = subprocess.run(
            [str(TOP / "tools/deps.sh"), *words],
            env={"PATH": str(self.bin), "LOG": str(self.log), **env},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr

    @property
    def calls(self):
        return self.log.read_text() if self.log.exists() else ""


@pytest.fixture
def root(tmp_path):
    return Machine(tmp_path, 0)


@pytest.fixture
def user(tmp_path):
    return Machine(tmp_path, 1000)


def debian(machine, dpkg=HAVE_NONE, apt=APT):
    machine.add("dpkg-query", dpkg)
    machine.add("apt-get", apt)
    return machine


def test_missing_packages_are_installed_by_root(root):
    status, said = debian(root).deps("build")
    assert status == 0, said
    assert "apt-get -qq" in root.calls
    for name in ("gcc", "libgit2-dev", "libyaml-dev", "libjansson-dev", "pkg-config"):
        assert f" {name}" in root.calls
    assert "sudo" not in root.calls


def test_user_installs_through_sudo(user):
    debian(user).add("sudo", SUDO)
    assert user.deps("build")[0] == 0
    assert user.calls.startswith("sudo env DEBIAN_FRONTEND=noninteractive apt-get")


def test_user_without_sudo_is_told_what_root_has_to_do(user):
    status, said = debian(user).deps("build")
    assert status == 1
    assert "apt-get install gcc" in said
    assert user.calls == ""


def test_nothing_happens_when_nothing_is_missing(root):
    debian(root, dpkg=HAVE_ALL)
    for name in ("gcc", "make", "pkg-config"):
        root.add(name, "#!/bin/sh\n")
    assert root.deps("build") == (0, "")
    assert root.calls == ""


def test_check_names_what_is_missing_and_installs_nothing(root):
    status, said = debian(root).deps("--check", "build")
    assert status == 1
    assert "libgit2-dev" in said
    assert "make deps" in said
    assert root.calls == ""


def test_failing_apt_is_shown_and_fails(root):
    status, said = debian(root, apt=FAILING_APT).deps("build")
    assert status != 0
    assert "E: no network" in said


def test_other_system_is_told_exactly_what_to_install(root):
    status, said = root.deps("test-full")
    assert status == 1
    assert "neither Debian nor Ubuntu" in said
    listed = {line.strip() for line in said.splitlines() if line.startswith("    ")}
    assert {"gcc", "libgit2-dev", "valgrind", "clang-tidy", "buildah", "npm"} <= listed
    assert root.deps("test-full", NO_DEPS="1") == (0, "")


def test_unknown_group_is_wrong_usage(root):
    status, said = debian(root).deps("tests")
    assert status == 2
    assert "there are: build, test, test-full" in said
