"""tools/deps.sh on made-up machines: it installs what is missing, or names it and stops."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
NEEDED = ["sh", "awk", "tr", "mktemp", "rm", "cat", "chmod", "ln", "env"]
HAVE_ALL = """\
#!/bin/sh
shift 2
for name; do echo "$name installed"; done
"""
HAVE_NONE = "#!/bin/sh\nexit 1\n"
APT = '#!/bin/sh\necho "apt-get $*" >>"$LOG"\n'
# Knows no package before the lists are fetched, as in a fresh container; then all but $UNKNOWN.
FRESH_APT = """\
#!/bin/sh
echo "apt-get $*" >>"$LOG"
case $* in *update) : >"$LOG.lists" ;; *) [ -e "$LOG.lists" ] || exit 100 ;; esac
case " $* " in *" $UNKNOWN "*) exit 100 ;; esac
"""
FRESH_APT_CACHE = '#!/bin/sh\n[ -e "$LOG.lists" ] && [ "$2" != "$UNKNOWN" ]\n'
RUNTIME = "libclang-rt-dev"
FAILING_APT = '#!/bin/sh\necho "E: no network"\nexit 100\n'
SUDO = '#!/bin/sh\necho "sudo $*" >>"$LOG"\nexec "$@"\n'


class Machine:
    """A PATH of its own, with the commands that a test gives it."""

    def __init__(self, folder, user):
        self.bin = folder / "bin"
        self.bin.mkdir()
        self.log = folder / "log"
        self.system = folder / "system"
        self.policy = self.system / "usr/sbin/policy-rc.d"
        self.policy.parent.mkdir(parents=True)
        self.units = self.system / "etc/systemd/system/multi-user.target.wants"
        self.units.mkdir(parents=True)
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
            env={
                "PATH": str(self.bin),
                "LOG": str(self.log),
                "DEPS_SYSTEM": str(self.system),
                **env,
            },
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
    assert "sudo env DEBIAN_FRONTEND=noninteractive apt-get" in user.calls


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


@pytest.mark.parametrize(
    ("manager", "command", "names"),
    [
        ("dnf", "sudo dnf install", {"libgit2-devel", "libyaml-devel", "jansson-devel", "gcc"}),
        ("zypper", "sudo zypper install", {"libgit2-devel", "libjansson-devel", "gcc"}),
        ("pacman", "sudo pacman -S", {"libgit2", "libyaml", "jansson", "curl", "gcc"}),
    ],
)
def test_the_build_names_what_another_system_calls_it(root, manager, command, names):
    root.add(manager, "#!/bin/sh\nexit 9\n")
    for words in (["build"], ["--check", "build"]):
        status, said = root.deps(*words)
        assert status == 1
        [line] = [line for line in said.splitlines() if line.startswith(command)]
        assert names <= set(line.split())
    for name in ("gcc", "make"):
        root.add(name, "#!/bin/sh\n")
    root.add("pkg-config", '#!/bin/sh\n[ "$2" != jansson ]\n')
    [line] = [line for line in root.deps("build")[1].splitlines() if line.startswith(command)]
    assert len(line.removeprefix(command).split()) == 1
    root.add("pkg-config", "#!/bin/sh\n")
    assert root.deps("build") == (0, "")


# ---------------------------------------------------------------- servers

# A package with a server: it asks whether it may start, and enables itself.
SERVER_APT = """\
#!/bin/sh
"$DEPS_SYSTEM/usr/sbin/policy-rc.d"
echo "start: $?" >>"$LOG"
ln -s x "$DEPS_SYSTEM/etc/systemd/system/multi-user.target.wants/nginx.service"
exit $FAILS
"""
SYSTEMCTL = '#!/bin/sh\necho "systemctl $*" >>"$LOG"\n'


@pytest.mark.parametrize("fails", ["0", "100"])
def test_servers_start_neither_now_nor_with_the_next_boot(root, fails):
    (root.units / "cron.service").symlink_to("x")
    debian(root, apt=SERVER_APT).add("systemctl", SYSTEMCTL)
    status, said = root.deps("test", FAILS=fails)
    assert (status == 0) == (fails == "0"), said
    assert "start: 101" in root.calls
    assert root.calls.endswith("systemctl --quiet disable nginx.service\n")
    assert "cron" not in root.calls
    assert not root.policy.exists()


def test_policy_of_the_system_stays(root):
    root.policy.write_text("#!/bin/sh\nexit 104\n")
    root.policy.chmod(0o755)
    debian(root, apt=SERVER_APT).add("systemctl", SYSTEMCTL)
    assert root.deps("test", FAILS="0")[0] == 0
    assert "start: 104" in root.calls
    assert root.policy.exists()


def test_what_is_installed_is_said_before(root):
    said = debian(root, apt="#!/bin/sh\necho apt-get >&2\n").deps("test")[1]
    assert said.startswith("installing with apt-get: ")
    assert " nginx-light" in said


# ---------------------------------------------------------------- what fuzzers are linked with


@pytest.mark.parametrize("unknown", ["none", RUNTIME])
def test_fresh_machine_gets_the_runtime_of_clang_where_there_is_one(root, unknown):
    debian(root, apt=FRESH_APT).add("apt-cache", FRESH_APT_CACHE)
    status, said = root.deps("test", UNKNOWN=unknown)
    assert status == 0, said
    installed = root.calls.splitlines()[-1].split()
    assert (RUNTIME in installed, "clang" in installed) == (unknown != RUNTIME, True)


def test_runtime_of_clang_that_is_there_is_enough_wherever_it_is_from(root, tmp_path):
    debian(root, dpkg=HAVE_ALL)
    root.add("clang", f"#!/bin/sh\necho {tmp_path}\n")
    assert RUNTIME in root.deps("--check", "test")[1]
    (tmp_path / "lib/linux").mkdir(parents=True)
    (tmp_path / "lib/linux/libclang_rt.fuzzer-some.a").touch()
    assert RUNTIME not in root.deps("--check", "test")[1]


def test_fuzzer_is_linked_by_what_is_named(tmp_path):
    """Nothing of a runtime is missing, says the script: then clang links a fuzzer."""
    said = subprocess.run(
        [TOP / "tools/deps.sh", "--check", "test"], capture_output=True, text=True, check=False
    ).stderr
    if not shutil.which("clang") or RUNTIME in said:
        pytest.skip("no clang here that can link fuzzers")
    source = tmp_path / "x.c"
    source.write_text("int LLVMFuzzerTestOneInput(const char *a, long b) { return !a && b; }\n")
    flags = ["-fsanitize=fuzzer,address,undefined", "-o", tmp_path / "x"]
    subprocess.run(["clang", *flags, source], check=True, capture_output=True)


# ---------------------------------------------------------------- what tests look for

# Programs that tests use where they are, and that no package here brings.
GUESTS = {"compute-sanitizer", "docker", "java", "zig", "qemu-aarch64-static"}
# Of packages that every Debian and Ubuntu has.
ESSENTIAL = {"mke2fs", "mkfs.ext4", "unshare"}


def test_every_program_that_a_test_looks_for_is_installed(root):
    """No test is skipped for want of a program where `make test-full` has seen to all."""
    looked_for = {
        name
        for path in (TOP / "tests").rglob("*.py")
        for name in re.findall(r"""which\(["']([\w.-]+)["']\)""", path.read_text())
    }
    assert {"strace", "skopeo"} <= looked_for
    without = set(debian(root, dpkg=HAVE_ALL).deps("--check", "test-full")[1].split())
    for name in looked_for - GUESTS - ESSENTIAL:
        root.add(name, "#!/bin/sh\n")
        assert set(root.deps("--check", "test-full")[1].split()) < without, name
        (root.bin / name).unlink()


def test_unknown_group_is_wrong_usage(root):
    status, said = debian(root).deps("tests")
    assert status == 2
    assert "there are: build, test, test-full" in said
