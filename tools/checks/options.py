"""An option that is declared is read: for each command by its own file, by main, or by a file that
they call. To read is opt_given("NAME") and its like, the same with an array of names, or a walk
over the whole table of options.
"""

from . import c_source
from .circles import calls, reached, read_units, unit_name

READERS = ("opt_given", "opt_value", "opt_values", "opt_number")


class File:
    """What one file says of options."""

    def __init__(self, root, path):
        self.path = path
        self.shared, self.own = {}, {}  # tables: {name: {option: place}}
        self.offered = set()  # names of tables that a command has, or a macro of groups
        self.walked = set()  # names of tables that a function goes through
        self.read = set()  # names of options
        arrays, named = {}, set()
        for declaration in c_source.read(root / path):
            if c_source.function_name(declaration.tokens):
                self.walked |= c_source.used_names(declaration).keys()
            elif _is_command(declaration.tokens):
                self.offered |= {token.text for token in declaration.tokens}
            self._keep_table(declaration.tokens)
            named |= self._keep_names(declaration.tokens)
            arrays.update(_arrays_of_strings(declaration.tokens))
        for name in named & arrays.keys():
            self.read |= arrays[name]

    def _keep_table(self, tokens):
        """Where it is `struct option NAME[] = {{"option", ...}, ...}`."""
        words = [token.text for token in tokens if token.text not in ("static", "const")]
        if words[:2] == ["struct", "option"] and "=" in words:
            (self.own if tokens[0].text == "static" else self.shared)[words[2]] = {
                option.text[1:-1]: f"{self.path}:{option.line}"
                for brace, option in zip(tokens, tokens[1:], strict=False)
                if brace.text == "{" and option.kind == "string"
            }

    def _keep_names(self, tokens):
        """Keeps what calls read by name; hands back the words of calls that may be arrays."""
        words = set()
        for index, token in enumerate(tokens):
            if token.kind == "string" and token.text.startswith('"--'):
                self.read.add(token.text[3:-1])
            if token.text in READERS:
                arguments = _arguments(tokens, index + 1)
                self.read |= {t.text[1:-1] for t in arguments if t.kind == "string"}
                words |= {t.text for t in arguments if t.kind == "word"}
        return words


def _is_command(tokens):
    words = [token.text for token in tokens]
    return "command" in words and "options" in words


def _arguments(tokens, start):
    depth = 0
    for index in range(start, len(tokens)):
        depth += (tokens[index].text == "(") - (tokens[index].text == ")")
        if depth == 0:
            return tokens[start:index]
    return []


def _macros(root, paths):
    """The words of each macro of a header: one may stand for several groups of options."""
    found = {}
    for path in (p for p in paths if p.endswith(".h")):
        for declaration in c_source.read(root / path):
            words = [token.text for token in declaration.tokens]
            if declaration.directive and words[1:2] == ["define"]:
                found[words[2]] = words[3:]
    return found


def _arrays_of_strings(tokens):
    """(name, strings) of each `NAME[] = {"a", "b"}`, inside of functions too."""
    for index, token in enumerate(tokens):
        if [t.text for t in tokens[index + 1 : index + 5]] == ["[", "]", "=", "{"]:
            words = [t.text for t in tokens[index + 5 :]]
            words = words[: words.index("}")]
            yield token.text, {word[1:-1] for word in words if word.startswith('"')}


def findings(root, paths):
    """One line for each option and command's file where nothing reads it."""
    paths = tuple(p for p in paths if p.startswith("src/"))
    arrows = calls(read_units(root, paths))
    files = {unit_name(path): File(root, path) for path in paths if path.endswith(".c")}
    macros = _macros(root, paths)
    shared = {name: table for file in files.values() for name, table in file.shared.items()}
    found = []
    for unit, file in files.items():
        names = {unit, "main", *reached(arrows, unit)}
        reach = [files[name] for name in names if name in files]
        read = {name for other in reach for name in other.read}
        for name in sorted(file.offered | {n for m in file.offered for n in macros.get(m, ())}):
            table = file.own.get(name) or shared.get(name, {})
            walkers = [file] if name in file.own else reach
            if not any(name in other.walked for other in walkers):
                found += [
                    f"{where}: nothing that {file.path} calls reads '--{option}'"
                    for option, where in table.items()
                    if option not in read
                ]
    return found
