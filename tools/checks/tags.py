"""One meaning for each tag of a struct, union or enum in src/, file-local ones too: a debugger and
a search know them by name only.
"""

from . import c_source


def _definitions(root, path):
    for declaration in c_source.read(root / path):
        tokens = declaration.tokens
        for kind, tag, brace in zip(tokens, tokens[1:], tokens[2:], strict=False):
            if (
                kind.text in ("struct", "union", "enum")
                and tag.kind == "word"
                and brace.text == "{"
            ):
                yield tag.text, f"{path}:{tag.line}"


def findings(root, paths):
    """One line for each definition of a tag that another place has defined already."""
    first, found = {}, []
    for path in paths:
        for tag, where in _definitions(root, path) if path.startswith("src/") else ():
            if tag in first:
                found.append(f"{where}: the tag '{tag}' means something else in {first[tag]}")
            first.setdefault(tag, where)
    return found
