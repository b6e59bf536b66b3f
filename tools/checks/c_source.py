"""C as tokens: as much of the language as the checkers of circles, tags and options need.

Nothing is preprocessed, so what a checker sees holds for every build.
"""

import functools
import re
from typing import NamedTuple

TOKEN = re.compile(
    r"""
    (?P<blank>[ \t\f]+|\\\n|/\*.*?\*/|//[^\n]*)
  | (?P<newline>\n)
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
  | (?P<char>[uUL]?'(?:\\.|[^'\\\n])*')
  | (?P<word>[A-Za-z_]\w*)
  | (?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)
  | (?P<mark>->|\.\.\.|.)
    """,
    re.X | re.S,
)
OPENING, CLOSING = "([{", ")]}"
NOT_A_TYPE = frozenset("return else case do goto sizeof default".split())


class Token(NamedTuple):
    kind: str  # string, char, word, number or mark
    text: str
    line: int
    spaced: bool = False  # stands behind a blank


class Declaration(NamedTuple):
    """What ends with a ';' or a function's body outside of all braces, or one directive."""

    tokens: list
    directive: bool


@functools.cache
def read(path):
    """The declarations of a file, read once for all checkers."""
    return declarations(path.read_text(errors="replace"))


def declarations(text):
    """All declarations and directives of a source, in their order."""
    found, open_tokens, directive, depth, line = [], [], None, 0, 1
    for match in TOKEN.finditer(text):
        kind, word = match.lastgroup, match[0]
        if kind == "newline" and directive is not None:
            found.append(Declaration(directive, True))
            directive = None
        elif kind == "mark" and word == "#" and directive is None and _starts_line(text, match):
            directive = []
        elif kind not in ("blank", "newline"):
            (open_tokens if directive is None else directive).append(
                Token(kind, word, line, text[match.start() - 1 : match.start()].isspace())
            )
            if directive is None and kind == "mark":
                depth += (word in OPENING) - (word in CLOSING)
                if depth <= 0 and _ends(open_tokens):
                    found.append(Declaration(open_tokens, False))
                    open_tokens, depth = [], 0
        line += word.count("\n")
    return found


def _starts_line(text, match):
    return not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()


def _ends(tokens):
    return tokens[-1].text == ";" or (tokens[-1].text == "}" and function_name(tokens) is not None)


def outermost(tokens):
    """(index, token) of what stands in no bracket; an opening one counts, what is inside not."""
    depth = 0
    for index, token in enumerate(tokens):
        if token.kind == "mark" and token.text in CLOSING:
            depth -= 1
        elif depth == 0:
            yield index, token
        if token.kind == "mark" and token.text in OPENING:
            depth += 1


def function_name(tokens):
    """The name of the function that is defined here, or None."""
    name = None
    for index, token in outermost(tokens):
        if token.text in ("=", ";"):
            return None
        if token.text == "(" and name is None and tokens[index - 1].text != "__attribute__":
            name = tokens[index - 1].text
        if token.text == "{":
            return name if tokens[index - 1].text == ")" else None
    return None


def defined_names(declaration):
    """Functions and objects that are defined here."""
    tokens = declaration.tokens
    words = {token.text for _, token in outermost(tokens)}
    if declaration.directive or words & {"extern", "typedef"}:
        return []
    name = function_name(tokens)
    if name:
        return [name]
    names = []
    for index, token in outermost(tokens):
        if token.text == "(":
            return []  # a prototype
        if token.text in ("=", ",", ";", "[") and index >= 2 and tokens[index - 1].kind == "word":
            names.append(tokens[index - 1].text)
    return names


def is_static(declaration):
    return "static" in (token.text for _, token in outermost(declaration.tokens))


def includes(declaration):
    """The path between quotes of an #include, or None."""
    words = declaration.tokens
    if declaration.directive and len(words) == 2 and words[0].text == "include":
        return words[1].text[1:-1] if words[1].kind == "string" else None
    return None


def used_names(declaration):
    """{name: line} of the words in a body, an initializer or a directive that may stand for a
    function or an object of any file."""
    tokens, used, own = declaration.tokens, {}, set()
    if not declaration.directive and not function_name(tokens) and not _is_initialized(tokens):
        return {}
    for index, token in enumerate(tokens):
        if token.kind != "word":
            continue
        before = tokens[index - 1] if index else Token("mark", ";", 0)
        if before.text in (".", "->", "struct", "union", "enum", "goto"):
            continue
        if _declares(tokens, index, before):
            own.add(token.text)
        else:
            used.setdefault(token.text, token.line)
    return {name: line for name, line in used.items() if name not in own}


def _is_initialized(tokens):
    return any(token.text == "=" for _, token in outermost(tokens))


def _declares(tokens, index, before):
    """Whether the word at `index` is the name in a declaration: `TYPE NAME`, `TYPE *NAME` (where a
    product has blanks around its star, as clang-format writes it), `, *NAME =`, `(*NAME)(` or
    `..._SCRATCH(NAME`.
    """
    behind, following = index - 1, [token.text for token in tokens[index + 1 : index + 3]]
    while behind >= 0 and tokens[behind].text == "*":
        behind -= 1
    if tokens[behind].text == ",":
        return following[:1] == ["="] and following != ["=", "="]
    if tokens[behind].text == "(" and before.text == "*":
        return following == [")", "("]
    if tokens[behind].text == "(":
        return tokens[behind - 1].text.endswith("_SCRATCH")
    is_type = tokens[behind].kind == "word" and tokens[behind].text not in NOT_A_TYPE
    return is_type and not (before.text == "*" and tokens[index].spaced)
