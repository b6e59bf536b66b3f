"""What messages, hints and help tell people to type exists: commands, and each flag beside them."""

import re
import subprocess

import pytest

from ..common.program import BINARY, ROOT
from .test_usage import WHOLE

# Of other programs, in a hint of their own.
FOREIGN = {
    "--depth",
    "--filter",
    "--git-dir",
    "--no-auto-gc",
    "--no-recurse-submodules",
    "--no-tags",
    "--no-write-fetch-head",
    "--raw",
    "--stdin",
    "--symref",
    "--cached",
    "--git",
    "--rm",
    "--volume",
    "--workdir",
    "--force-with-lease",
    "--version",
    "--no-build-isolation",
    "--no-cache-dir",
    "--index-url",
    "--extra-index-url",
    "--find-links",
    "--all",
    "--disable-pip-version-check",
    "--no-install-recommends",
}
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|\'(?:[^\'\\\n]|\\.)+\'|"(?:[^"\\\n]|\\.)*"|\s+|.', re.S)
# Where text is not said to anybody, or belongs to a program of its own.
LEFT_OUT = (
    "src/smoke/",
    "src/cmd/common/cmd_help.c",
    "src/image/build/engine_",
    "src/image/rebase/rebase_steps.c",
)


def literals(source: str):
    """String literals of C, adjacent ones as one, without their escapes."""
    text = None
    for token in TOKEN.findall(source):
        if token.startswith('"'):
            text = (text or "") + token[1:-1].replace('\\"', '"').replace("\\n", "\n")
        elif text is not None and not token.isspace() and not token.startswith(("/*", "//")):
            yield text
            text = None


def options() -> dict:
    """The flags of each command, by its name: from the table that the parser reads, too."""

    def words(*typed):
        asked = [BINARY, "__complete", *typed]
        lines = subprocess.run(asked, capture_output=True, check=True, text=True).stdout
        return [line.split("\t")[0] for line in lines.splitlines()]

    return {name: {*words(*name.split(), "--"), "-h"} for name in WHOLE}


def said():
    for path in sorted((ROOT / "src").rglob("*.c")):
        name = str(path.relative_to(ROOT))
        if not name.startswith(LEFT_OUT):
            for text in literals(path.read_text()):
                yield name, text


def commands_in(text: str):
    """What stands in quotes, or on a line of its own, and begins with the program's name."""
    for pattern in (r"'tmplgen ([^'\n]*)'", r"`tmplgen ([^`\n]*)`", r"^  +tmplgen (.*?)(?:  |$)"):
        yield from re.findall(pattern, text, re.M)


COMMANDS = options()


def wrong(text: str) -> list:
    """Commands that do not exist, and flags that theirs does not have."""
    found = []
    for words in commands_in(text):
        parts = words.split()
        name = next((n for n in (" ".join(parts[:2]), parts[0]) if n in COMMANDS), None)
        if parts[0].startswith(("%", "COMMAND")):
            continue
        if not name:
            found.append(words)
            continue
        for flag in re.findall(r"(?<!\S)--[a-z][a-z-]*", words):
            if flag not in COMMANDS[name]:
                found.append(f"{name} {flag}")
    rest = re.sub(r"(?<![-\w])git [^'\n]*", "", text)
    every = set().union(*COMMANDS.values()) | FOREIGN
    found += [flag for flag in re.findall(r"(?<![\w-])--[a-z][a-z-]+", rest) if flag not in every]
    return found


def test_A8_every_command_and_flag_that_is_named_exists():
    assert {"update", "matrix resolve", "help"} <= COMMANDS.keys()
    checked, bad = 0, []
    for name, text in said():
        checked += len(list(commands_in(text)))
        bad += [f"{name}: {one}" for one in wrong(text)]
    assert bad == [], "\n".join(bad)
    assert checked >= 20, "the search finds too little: it looks in the wrong places"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("'tmplgen adapt' starts anew", "adapt"),
        ("try 'tmplgen update --frobnicate'", "update --frobnicate"),
        ("  tmplgen updat --continue    commits", "updat --continue"),
        ("--frobnicate takes it", "--frobnicate"),
    ],
)
def test_words_that_do_not_exist_are_found(text, what):
    assert what in wrong(text)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_of_each_command_names_only_what_exists(name):
    done = subprocess.run([BINARY, *name.split(), "--help"], capture_output=True, check=True)
    assert wrong(done.stdout.decode()) == []
