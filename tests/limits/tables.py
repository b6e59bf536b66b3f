"""Names from the program's own tables, so that nothing new is left out."""

import re
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2] / "src"
ROW = re.compile(
    r'\{\s*\.name = "(\w+)",\s*\w+(?:\(\w+\))?(?:,\s*\{([^}]*)\})?(?:,\s*(\d))?\s*[,}]'
)


def functions(text):
    """Rows of a table: name, parameters, how many of them are required."""
    if comparison := re.search(r"#define COMPARISON\(op\) (.*), \.how", text):
        text = re.sub(r"COMPARISON\(OP_\w+\)", comparison[1], text)
    return [
        (name, re.findall(r'"/?(\w+)"', parameters), int(required or 0))
        for name, parameters, required in ROW.findall(text)
    ]


def filters():
    return functions((SOURCE / "jinja/filters/filters.c").read_text())


def tests():
    return functions((SOURCE / "jinja/functions/is_tests.c").read_text())


def methods():
    """Rows by the kind of value: text, list, tuple, dict, loop."""
    text = (SOURCE / "jinja/functions/methods.c").read_text()
    tables = re.findall(r"struct function (\w+)_methods\[\] = \{(.*?)\n\};", text, re.DOTALL)
    return {kind: functions(rows) for kind, rows in tables}


def keys(path):
    """The keys that the mappings of a file may have, as its reader lists them."""
    text = (SOURCE / path).read_text()
    lists = re.findall(r"\*const keys\[\] = \{(.*?)NULL\}", text, re.DOTALL)
    return {name for found in lists for name in re.findall(r'"(\w+)"', found)}


def sections():
    """The lists of rows in matrices/: (name, key)."""
    text = (SOURCE / "matrix/read/matrix_schema.c").read_text()
    return re.findall(r'SECTION\("(\w+)", \w+, \w+, \w+,\s*(?:"(\w+)"|NULL)\)', text)
