"""What is printed to be typed, typed: into every shell that is here."""

import os
import shutil
import subprocess
from pathlib import Path

# Each is a folder, a file or an option to a shell that reads it without care.
SHOWABLE = [
    "p $(touch PWNED)", "my dir", "-x", "--", "~t", "~", "it's", "a;touch PWNED", "a`touch PWNED`",
    "$HOME", "!!", "*", "[a]", "ümläut", "'", '"', "a&touch PWNED", "a|b", "a>PWNED", "#a", "=ls",
    "+1", "{a,b}", "a\\b", "\\", "%1", "(a)", "日本", "`", "``a", " a", "a ", "a=b",
]  # fmt: skip
# No terminal may be sent these as they are. The last two are no UTF-8.
UNSHOWABLE = [
    "a\nb", "\na", "a\n::error::b", "a\tb", "a\x1b[31mb", "a\rb", "a\x7fb", "a\u202eb", "a\u200bb",
    "a\u2028b", "a\x85b", "'\n!!\"$(touch PWNED)`\\n%s%%", "-\nx", "a\udcffb", "\udcc3(\n;touch x",
]  # fmt: skip
UNTYPABLE = ["a\n", "-x\n\n"]
NASTY = SHOWABLE + UNSHOWABLE
SHELLS = [
    [*words]
    for words in (
        ["sh"], ["bash"], ["dash"], ["zsh", "-f"], ["ksh"], ["busybox", "sh"],
        ["bash", "--norc", "--noprofile", "-i"],  # where "!!" is a command
    )
    if shutil.which(words[0])
]  # fmt: skip


def tree(folder: Path) -> set:
    return {os.path.join(root, name) for root, *more in os.walk(folder) for name in sum(more, [])}


def can_be_shown(text: str) -> bool:
    """Whether a terminal may be sent it as it is."""
    return all(c.isprintable() or c == "\n" for c in text)


def type_into(shell, lines: str, cwd: Path) -> bytes:
    """The output of the lines, as somebody types them; all of them must work."""
    done = subprocess.run(
        shell,
        input=b"set -e\n" + lines.encode() + b"\n",
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "HOME": str(cwd), "LC_ALL": "C.UTF-8", "HISTFILE": ""},
        capture_output=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 0, (shell, lines, done.stderr)
    return done.stdout


def goes_to(command: str, cwd: Path) -> Path:
    """The folder in which somebody is after this command, in any shell; it does nothing else."""
    before = tree(cwd)
    places = {type_into(shell, f"{command}\npwd -P", cwd) for shell in SHELLS}
    assert len(places) == 1, (command, places)
    assert tree(cwd) == before
    return Path(os.fsdecode(places.pop()[:-1]))
