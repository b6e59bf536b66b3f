"""Completion: what the program answers to `__complete`, and what bash, zsh and fish make of it."""

import json
import os
import pty
import re
import select
import shlex
import subprocess

import pytest

from ..common.program import BINARY
from .test_usage import COMMANDS, WHOLE


@pytest.fixture
def ask(tmplgen, work):
    """The candidates of a command line that is split at blanks; the last word is being typed."""

    def run(typed, *more, **settings):
        done = tmplgen("__complete", *typed.split(" "), *more, cwd=work, **settings)
        assert (done.code, done.err) == (0, ""), done.err
        return [line.split("\t")[0] for line in done.out.splitlines()]

    return run


@pytest.fixture(scope="module")
def release():
    """A release of pytorch, and a beginning that only it has."""
    shown = subprocess.run(
        [BINARY, "matrix", "list", "pytorch", "--json"], capture_output=True, check=True
    )
    found = [row["release"] for row in json.loads(shown.stdout)["releases"]]
    return next((r, r[:-1]) for r in found if sum(it.startswith(r[:-1]) for it in found) == 1)


EXACT = [
    ("ne", "new"),
    ("tem", "template"),
    ("--ver", "--verbose --version"),
    ("-", "--json --quiet --verbose --help --version"),
    ("matrix -", "--help --version"),
    ("-q ne", "new"),
    ("--json -v matrix l", "list"),
    ("-q new --type s", "service"),
    ("matrix l", "list"),
    ("matrix ", " ".join(COMMANDS["matrix"])),
    ("nothing ", ""),
    ("help mat", "matrix"),
    ("help matrix a", "accept"),
    ("help new x", ""),
    ("completion ", "bash zsh fish"),
    ("matrix list pl", "platforms"),
    ("new --ty", "--type"),
    ("new --type service --ty", ""),
    ("new --gpu T4 --gpu", "--gpu --gpu-sharing"),
    ("new x y --ty", "--type"),
    ("new -- --ty", ":folders"),
    ("template new x -", "--catalog --stack --from --json --quiet --verbose --help --version"),
    ("new --type s", "service"),
    ("new --type=s", "--type=service"),
    ("template show s", "service"),
    ("template new s", ""),
    ("template new x --stack ", "framework none"),
    ("new --type library --framework ", "pytorch jax none"),
    ("new --type cluster --framework ", ""),
    ("new --framework py", "pytorch"),
    ("new --with torchv", "torchvision"),
    ("new --platform w", "wsl2"),
    ("new --gpu H100", "H100 H100 NVL"),
    ("new --driver a", "auto"),
    ("new --arch ", "x86_64 aarch64"),
    ("new --runtime ", "legacy cdi"),
    ("new --ci ", "github gitlab jenkins none"),
    ("new --ci=github,g", "--ci=github,gitlab"),
    ("new --ci github,gitlab,", "github,gitlab,jenkins"),
    ("new --deploy ", "none k8s"),
    ("new --gpu-sharing t", "time-slicing"),
    ("new --gpu A100 --gpu-sharing mig:7", "mig:7g.40gb mig:7g.80gb"),
    ("new --set ci=github,gi", "ci=github,gitlab"),
    ("new --set=platform=w", "--set=platform=wsl2"),
    ("new --set gpu=T4,H800", "gpu=T4,H800"),
    ("new --set gpu_shar", "gpu_sharing="),
    ("new --type service --set triton=", "triton=yes triton=no"),
    ("new --type library --set triton", ""),
    ("new --name ", ""),
    ("new --answers ", ":files"),
    ("new --catalog ", ":folders"),
    ("update ", ":folders"),
    ("update --restore=x", ":files"),
    ("update --strategy ", "pick merge rebase"),
    ("update --on-conflict ", "stop commit"),
    ("update --to v0.1", "v0.1.0"),
    ("matrix accept torchv", "torchvision"),
    ("image build x cuda-b", "cuda-base"),
    ("image build --engine ", "docker buildah podman"),
    ("image build cuda-base cuda-b", ""),
    ("doctor --level ", "quick medium long"),
    ("doctor --explain x", ""),
    ("doctor --explain=@x", ":files"),
    ("version ", "--json --quiet --verbose --help --version"),
]


def test_each_word_has_its_candidates(ask):
    assert {typed: " ".join(ask(typed)) for typed, _ in EXACT} == dict(EXACT)


def test_versions_follow_their_name(ask, release):
    version, start = release
    assert ask("new --framework pytorch")[:1] == ["pytorch"]
    assert f"pytorch=={version}" in ask("new --framework pytorch")
    for typed, whole in [
        (f"new --framework=pytorch=={start}", f"--framework=pytorch=={version}"),
        (f"new --type service --framework pytorch>={start}", f"pytorch>={version}"),
        (f"new --set framework=pytorch=={start}", f"framework=pytorch=={version}"),
        (f"matrix accept pytorch=={start}", f"pytorch=={version}"),
    ]:
        assert ask(typed) == [whole]
    for typed, one in [
        ("new --cuda ", "12.6"),
        ("new --cuda >=", ">=12.6"),
        ("new --python 3.1", "3.12"),
        ("new --framework jax --variant ", "cuda12"),
        ("new --os u", "ubuntu24.04"),
        ("new --driver 5", "580"),
        ("new --image nvidia/cuda:13.0.", "nvidia/cuda:13.0.1-base-ubuntu24.04"),
        ("new --set ", "framework="),
    ]:
        assert one in ask(typed)


def test_every_command_and_option_is_offered(tmplgen, work, ask):
    firsts = [*COMMANDS[""], *(name for name in COMMANDS if name)]
    assert sorted(ask("")) == sorted(firsts)
    for first, words in COMMANDS.items():
        assert first == "" or ask(f"{first} ") == words
    for name in WHOLE:
        helps = tmplgen("help", *name.split(), cwd=work).out
        assert ask(f"{name} --") == re.findall(r"^  (?:-\w, )?(--[a-z-]+)", helps, re.M)


def test_every_value_has_a_row_in_the_table(tmplgen, work, ask):
    """A row may say that nothing is known of a value; without one the answer is ':unknown'."""
    seen = {}
    for name in WHOLE:
        helps = tmplgen("help", *name.split(), cwd=work).out
        usage, options = helps.split("\n")[0], re.findall(r"^  (--[a-z-]+) (\S+)", helps, re.M)
        seen.update({usage.removeprefix(f"usage: tmplgen {name}"): f"{name} "})
        seen.update({option: f"{name} {option[0]} " for option in options})
    assert [typed for typed in seen.values() if ":unknown" in ask(typed)] == []


def test_an_update_is_completed_by_the_record(tmplgen, work, ask):
    made = ["new", "it", "--type", "library", "--framework", "none", "--no-git", "--defaults"]
    assert tmplgen(*made, cwd=work).code == 0
    assert ask("update it --set triton") == []
    for typed in ("update it --set framework=", "update it/src --set framework="):
        names = [it.split("=")[1] for it in ask(typed)]
        assert names == ["pytorch", "jax", "none"]


def test_types_and_questions_are_those_of_the_catalog(tmplgen, work, ask, catalog):
    catalog.template(
        "description: x\nstack: none\nquestions:\n"
        "  - {name: color, type: choice, choices: [{value: red, label: hot}, blue]}\n"
    )
    named = f"new --catalog {catalog.folder}"
    assert ask(f"{named} --type ") == ["thing"]
    assert ask(f"{named} --set c") == ["color="]
    assert ask(f"{named} --set color=") == ["color=red", "color=blue"]
    tmplgen.configure(f"catalog: {catalog.folder}\n")
    assert ask("new --type ") == ["thing"]
    # Of one on a server neither types nor questions are known; the matrix is likely ours.
    tmplgen.configure("catalog: https://catalogs.invalid/x\n")
    assert ask("new --type ") == [] and ask("new --set color") == []
    assert ask("new --platform w") == ["wsl2"]


def test_a_hostile_catalog_offers_nothing_that_is_more_than_text(tmplgen, work, ask, catalog):
    for name in ("$(x)", "`x`", "a\x1b[31mb", "a\nb", "a\tb", "a'b", 'a"b', "a\\b", "\u202ex"):
        catalog.template('description: "\\e[31m$(x)"\nstack: none\n', name)
    catalog.template('description: "\\e[31m$(x)"\nstack: none\n')
    done = tmplgen("__complete", "new", "--catalog", catalog.folder, "--type", "", cwd=work)
    assert done.out == "thing\t\\x1B[31m$(x)\n"


def test_it_never_fails_and_touches_nothing(tmplgen, work, ask, catalog):
    catalog.template("]")
    (work / ".tmplgen.yml").write_text("]")
    os.mkfifo(work / "pipe")
    empty = {"PATH": ""}  # neither git nor anything else can be run
    for typed in ("new --json --set ", "update --to ", "update --set ci=", "x --json", "new --x ",
                  f"new --catalog {catalog.folder} --type ", "new --catalog pipe --type ",
                  f"new --catalog {catalog.folder} --set ", "update pipe --set ci"):  # fmt: skip
        ask(typed, env=empty)
    assert tmplgen("__complete", cwd=work).code == 0
    assert sorted(os.listdir(work)) == [".tmplgen.yml", "pipe"]
    assert os.listdir(tmplgen.home) == []
    assert "__complete" not in tmplgen("help", cwd=work).out


# ---------------------------------------------------------------- in real shells

SETUPS = {
    "bash": (["bash", "--norc", "-i"], 'eval "$(tmplgen completion bash)"'),
    # A stand-in for 3.2, which no system of ours has: without what came after it.
    "bash-3": (
        ["bash", "--norc", "-i"],
        "set -u; enable -n mapfile readarray compopt; "
        'eval "$(tmplgen completion bash)"; set -o posix',
    ),
    "zsh": (
        ["zsh", "-f", "-i"],
        "unsetopt auto_remove_slash; autoload -U compinit; compinit -u -D; "
        "source <(tmplgen completion zsh)",
    ),
    "zsh-fpath": (
        ["zsh", "-f", "-i"],
        "mkdir f; tmplgen completion zsh >f/_tmplgen; fpath=(f $fpath); autoload -U compinit; "
        "compinit -u -D",
    ),
}
TYPED = [
    ("tmplgen ne", "new"),
    ("tmplgen matrix li", "matrix list"),
    ("tmplgen new --type s", "new --type service"),
    ("tmplgen new --framework=tr", "new --framework=transformers"),
    ("tmplgen new --ci github,gitl", "new --ci github,gitlab"),
    ("tmplgen new --set ci=githu", "new --set ci=github"),
    ("tmplgen new --gpu-sharing mig:3g.2", "new --gpu-sharing mig:3g.20gb"),
    ("tmplgen new --gpu RTX\\ A", "new --gpu 'RTX A6000'"),
    ("tmplgen new --gpu 'RTX A", "new --gpu 'RTX A6000'"),
    ("tmplgen new --answers=ans", "new --answers=answers.yml"),
    ("tmplgen new --answers my", "new --answers 'my file.yml'"),
    ("tmplgen doctor --explain @ans", "doctor --explain @answers.yml"),
    ("tmplgen new ans", "new ans"),
    ("tmplgen update fol", "update folder/"),
    ("tmplgen new --name ans", "new --name ans"),
    ("~/bin/tmplgen ne", "new"),
    ("./tmplgen ne", "new"),
    ("folder/../tmplgen ne", "new"),
    ("tmplgen -q ne", "-q new"),
]  # fmt: skip


@pytest.fixture
def place(tmplgen, work):
    """A folder with files, among them somebody's `tmplgen`, and ours on PATH."""
    foreign = work / "tmplgen"
    foreign.write_text("#!/bin/sh\ntouch PWNED\necho nerd\n")
    foreign.chmod(0o755)
    for name in ("answers.yml", "my file.yml"):
        (work / name).touch()
    (work / "folder").mkdir()
    program = tmplgen.home / "bin/tmplgen"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(str(BINARY))} "$@"\n')
    program.chmod(0o755)
    return {**tmplgen.env, "PATH": f"{program.parent}:{os.environ['PATH']}", "TERM": "dumb"}


class Terminal:
    """A shell on a terminal. `tmplgen` itself is replaced by what prints its words."""

    def __init__(self, argv, setup, folder, env):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(argv[0], argv, env)
        self.ask(f"{setup}; p() {{ shift; printf '{{%s}}' \"$@\"; echo '.e''nd'; }}; p x ready\n")

    def type(self, keys, until):
        """Returns the match of what is to be shown then."""
        os.write(self.fd, keys.encode())
        shown = b""
        while not (found := re.search(until, shown)):
            assert select.select([self.fd], [], [], 20)[0], shown.decode()
            shown += os.read(self.fd, 65536)
        return found

    def ask(self, keys):
        """The words of the call of `p` that the keys make of the line."""
        found = self.type(keys, rb"((?:{[^{}]*})+)[.]end")
        return re.findall("{([^{}]*)}", found[1].decode())

    def close(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


@pytest.mark.parametrize("setup", SETUPS)
def test_a_shell_completes_what_is_typed(place, work, setup, release):
    version, start = release
    more = [
        (f"tmplgen new --framework pytorch=={start}", f"new --framework pytorch=={version}"),
        (f"tmplgen new --framework 'pytorch>={start}", f"new --framework 'pytorch>={version}'"),
    ]
    rows = TYPED[:6] if setup == "zsh-fpath" else TYPED + more
    terminal = Terminal(*SETUPS[setup], work, place)
    # Tab, then from the start of the command on the line runs `p` with its words.
    got = {typed: terminal.ask(f"{typed}\t\x01p \n") for typed, _ in rows}
    if setup == "zsh":
        terminal.type("tmplgen new --ci \t", rb"gitlab +-- GitLab CI")
    terminal.close()
    assert got == {typed: shlex.split(words) for typed, words in rows}
    assert not (work / "PWNED").exists()


def test_fish_completes_what_is_typed(place, work):
    rows = [(typed, words) for typed, words in TYPED if typed != f"tmplgen {words}"]
    script = "tmplgen completion fish | source\n" + "".join(
        f"complete -C {shlex.quote(typed)}; echo =\n" for typed, _ in rows
    )
    done = subprocess.run(
        ["fish", "--no-config", "-c", script],
        cwd=work,
        env=place,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "list\tShow the rows" in done.stdout
    assert not (work / "PWNED").exists()
    shown = [it.strip().split("\t")[0] for it in done.stdout.split("=\n")]
    assert shown[:-1] == [shlex.split(words)[-1] for _, words in rows]
