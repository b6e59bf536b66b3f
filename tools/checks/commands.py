"""A command that is shown to be typed, and names something, is written by shell_command().

What counts as one: a text in src/ that has the first words of a command, and behind them, before
its quotation ends, a conversion; or an option with a conversion as its value.
"""

import re

from . import c_source

QUOTES_ITSELF = "shell_command"
FIRST_WORDS = r"""
    cd | make | (?:pip|uv)\ (?:install|add) | apt-get\ install
  | git\ (?:-C|add|branch|checkout|clone|commit|config|diff|fetch|for-each-ref|log|merge|mv|pull
           |push|rebase|reset|restore|rm|show|sparse-checkout|stash|switch|update-index)
  | tmplgen\ (?:new|update|adopt|status|diff|matrix|image|doctor|help)
  | (?:docker|podman|buildah|skopeo)\ (?:copy|inspect|login|pull|push|run|tag)
"""
# A quotation ends where its mark stands before a blank or at the end of a sentence.
COMMAND = re.compile(
    rf"(?<![\w.-])(?:{FIRST_WORDS})[ ](?:(?!['`](?:[ ,;:.)]|$)).)*?%[^%]", re.X | re.S
)
OPTION = re.compile(r"(?<!usage: )--[a-z][a-z-]* %[^%]")
# What is said of an option in a problem is no command; what is done to files is no `make`.
PROBLEMS = ("err_set", "err_errno", "git_fail", "err_wrap")
NO_COMMAND = re.compile(r"cannot make ")


def _texts(tokens):
    """(tokens before, text) of each text, with those that are joined to it."""
    index = 0
    while index < len(tokens):
        start, text = index, ""
        while index < len(tokens) and (tokens[index].kind == "string" or _is_macro(tokens, index)):
            text += tokens[index].text[1:-1] if tokens[index].kind == "string" else "X"
            index += 1
        if any(token.kind == "string" for token in tokens[start:index]):
            yield tokens[:start], tokens[start].line, text
        index += index == start


def _is_macro(tokens, index):
    """A name beside a text is a text."""
    beside = tokens[max(index - 1, 0) : index] + tokens[index + 1 : index + 2]
    return tokens[index].kind == "word" and any(token.kind == "string" for token in beside)


def _callers(before):
    """The names of the calls in whose arguments this stands."""
    depth = 0
    for index in range(len(before) - 1, 0, -1):
        depth += (before[index].text == ")") - (before[index].text == "(")
        if depth < 0:
            depth = 0
            yield before[index - 1].text


def findings(root, paths):
    """One line for each command whose names are not quoted."""
    found = []
    for path in paths:
        if not path.startswith("src/"):
            continue
        for declaration in c_source.read(root / path):
            strings = (token.text for token in declaration.tokens if token.kind == "string")
            if not any("%" in string for string in strings):
                continue
            for before, line, text in _texts(declaration.tokens):
                callers = set(_callers(before))
                option = OPTION.search(text) and not callers & set(PROBLEMS)
                command = COMMAND.search(text) and not NO_COMMAND.search(text)
                if (option or command) and QUOTES_ITSELF not in callers:
                    found.append(f"{path}:{line}: a command is written past {QUOTES_ITSELF}()")
    return found
