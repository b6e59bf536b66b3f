"""Every checker of `make lint` finds what it is for, and passes what is right."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pip._internal.models.index import PyPI  # the names, without writing them

TOP = Path(__file__).resolve().parents[2]
LINT = [sys.executable, str(TOP / "tools" / "lint")]

HEADER = "/* A file of the test. */\n"
LONG_FUNCTION = (
    HEADER + "int f(int x);\nint f(int x)\n{\n" + "    x += 1;\n" * 70 + "    return x;\n}\n"
)

# checker, path, content, what the finding says
BROKEN = [
    ("clang-format", "src/base/x.c", HEADER + "int  f( void );\n", "src/base/x.c:2"),
    ("clang-format", "templates/x.c", HEADER + "int  f( void );\n", "templates/x.c:2"),
    ("clang-tidy", "src/base/x.c", LONG_FUNCTION, "readability-function-size"),
    (
        "clang-analyzer",
        "src/base/x.c",
        HEADER + "int f(void);\nint f(void)\n{\n    int x;\n    return x;\n}\n",
        "clang-analyzer",
    ),
    (
        "cppcheck",
        "src/base/x.c",
        HEADER + "int f(void);\nint f(void)\n{\n    int a[2] = {0, 1};\n    return a[2];\n}\n",
        "arrayIndexOutOfBounds",
    ),
    ("layers", "src/base/x.c", HEADER + '#include "cmd/cmd.h"\n', "arrows point down"),
    ("layers", "src/jinja/x.c", HEADER + '#include "matrix/matrix.h"\n', "arrows point down"),
    ("layers", "src/base/x.h", HEADER + "#include <git2.h>\n", "<git2.h> in a header"),
    ("layers", "src/base/x.h", HEADER + "#include <git2/oid.h>\n", "<git2/oid.h> in a header"),
    ("layers", "src/matrix/x.c", HEADER + "#include <yaml.h>\n", "not for this file"),
    ("layers", "src/base/x.c", HEADER + "#include <regex.h>\n", "not for this file"),
    ("layers", "src/smoke/x.c", HEADER + '#include "base/err.h"\n', "stands alone"),
    ("layers", "templates/x.c", HEADER + '#include "base/err.h"\n', "stands alone"),
    (
        "layers",
        "src/child/x.c",
        HEADER + '#include "smoke/capture/tar.h"\n',
        "only src/cmd/ may include",
    ),
    ("layers", "src/cmd/x.c", HEADER + '#include "base/text/x.h"\n', "src/base/'s own"),
    ("layers", "src/base/x.h", HEADER, "it belongs in a room"),
    ("text", "README.md", f"see https://{PyPI.netloc}/simple\n", "package registry"),
    ("text", "README.md", f"see test.{PyPI.netloc.upper()}:443\n", "package registry"),
    ("text", "README.md", f"see {PyPI.file_storage_domain}.\n", "package registry"),
    ("text", "src/base/x.c", HEADER + "/* TO" + "DO */\n", "unfinished"),
    ("text", "src/base/x.c", "int x;\n", "what the file is for"),
    ("text", "templates/x.c", "int x;\n", "what the file is for"),
    ("text", "src/base/x.c", HEADER + "/*" + "-" * 100 + "*/\n", "at most 100"),
    ("text", "matrices/cuda.yml", "# Rows.\n#" + "-" * 120 + "\n", "at most 120"),
    ("text", "src/base/x.c", HEADER + "int x; \n", "blanks at the end"),
    ("text", "src/base/x.c", HEADER + "int x;", "no newline"),
    ("text", "README.md", "caf\xe9\n".encode("latin-1"), "not UTF-8"),
    ("text", "README.md", "see [it](docs/it.md#there)\n", "which is not there"),
    ("text", "templates/{{ it }}.txt", "it\n", "a blank in its path"),
    *(
        (
            "commands",
            "src/base/x.c",
            HEADER + "int f(char *a)\n{\n    return " + call + ";\n}\n",
            "src/base/x.c:4: a command is written past",
        )
        for call in (
            "err_hint(a, \"'git restore %s' brings it\", a)",
            'say("Next:\\n  cd %s\\n", a)',
            'say("one is named by --only %s", a)',
            'err_set(a, "not yet: " "tmplgen image " "lock %s", a)',
            # what another call quotes is not what this one prints
            'say(shell_command(a, "x"), "git show " REF "%s", a)',
        )
    ),
    (
        "smoke-tables",
        "src/smoke/causes.txt",
        "== hw\n\nx\n  what a\n  why b\n  fix c\n",
        "x: a cause without a text",
    ),
    ("shellcheck", "tools/x.sh", "#!/bin/sh\necho $1\n", "SC2086"),
    ("shellcheck", ".ci/run", "#!/bin/sh\ncd $1\n", "SC2086"),
    ("ruff", "tests/x.py", '"""Says what for."""\n\nimport os\n', "F401"),
    ("ruff-format", "tests/x.py", '"""Says what for."""\nx = {  }\n', "x.py"),
]

OPT = HEADER + '#include "cmd/common/opt.h"\n\n'
GROUPS = """
static const struct option options[] = {
    {"dry-run", NULL, "write nothing", false},
    {"to", "REF", "go there", false},
    {NULL, NULL, NULL, false},
};
static const struct command command = {.options = {{"How", options}}};
"""

# checker, files, what the finding says
BROKEN_TOGETHER = [
    (
        "circles",
        {
            "src/base/x.h": HEADER + '#include "base/y.h"\n',
            "src/base/y.h": HEADER + '#include "base/x.h"\n',
        },
        "x: a circle of files: x -> y (included) -> x (included)",
    ),
    (
        "circles",
        {
            "src/base/x.c": HEADER + "int f(int i);\nint g(int i);\n\nint f(int i)\n{\n"
            "    return i ? g(i - 1) : 0;\n}\n",
            "src/base/y.c": HEADER + "int f(int i);\nint g(int i);\nint h;\n\nint g(int i)\n{\n"
            "    return f(i);\n}\n",
        },
        "x -> y (g) -> x (f)",
    ),
    (
        "circles",
        {
            "src/base/x.c": HEADER + "extern const int table[];\nconst int size = 3;\n\n"
            "int f(void)\n{\n    return table[0];\n}\n",
            "src/base/y.c": HEADER + "extern const int size;\nextern int *const pointers[];\n"
            "const int table[] = {1};\nconst int *const pointers[] = {&size};\n",
        },
        "x -> y (table) -> x (size)",
    ),
    (
        "layers",
        {"src/base/x.c": HEADER, "src/cmd/common/x.c": HEADER},
        "src/cmd/common/x.c: src/base/x.c has the same name",
    ),
    (
        "layers",
        {f"src/base/text/x{i}.c": HEADER for i in range(26)},
        "src/base/text: 26 files of *.c",
    ),
    (
        "growth",
        {"src/base/x.c": HEADER, "tools/growth.txt": "lines src/base 0\n"},
        "lines of src/base: 1, and 0 is the most",
    ),
    (
        "growth",
        {"src/base/x.c": HEADER, "tools/growth.txt": "lines tests 9\n"},
        "nothing says how many lines src/base may have",
    ),
    (
        "growth",
        {"tools/growth.txt": "ratio smoke 2\n", "build/reports/test.json": '{"smoke": 2.5}'},
        "ratio of smoke: 2.5, and 2 is the most",
    ),
    (
        "growth",
        {"tools/growth.txt": "ratio smoke 2\n", "build/reports/test.json": '{"new": 0.1}'},
        "nothing says how long new may take",
    ),
    (
        "instructions",
        {
            "tools/growth.txt": "instructions new 90\n",
            "tests/bench/part_instructions.py": "print('{\"new\": 90.5}')\n",
        },
        "millions of instructions of new: 90.5, and 90 is the most",
    ),
    (
        "instructions",
        {
            "tools/growth.txt": "instructions new 90\n",
            "tests/bench/part_instructions.py": "raise SystemExit('no valgrind')\n",
        },
        "no valgrind",
    ),
    (
        "tags",
        {
            "src/base/x.c": HEADER + "struct node {\n    int x;\n};\n",
            "src/cmd/y.c": HEADER + "\nenum node { ONE };\n",
        },
        "src/cmd/y.c:3: the tag 'node' means something else in src/base/x.c:2",
    ),
    (
        "memory",
        {"src/cmd/y.c": HEADER + "\nint f(void)\n{\n    return malloc(9) != 0;\n}\n"},
        "src/cmd/y.c:5: malloc takes memory that no budget counts: use an arena",
    ),
    (
        "options",
        {
            "src/cmd/x.c": OPT + "int f(const struct parsed *p)\n{\n"
            '    return opt_given(p, "dry-run");\n}\n' + GROUPS,
            # another command's reading is none
            "src/cmd/y.c": OPT + "int g(const struct parsed *p)\n{\n"
            '    return opt_value(p, "to") != NULL;\n}\n',
        },
        "src/cmd/x.c:11: nothing that src/cmd/x.c calls reads '--to'",
    ),
]

RIGHT = {
    "src/base/text/x_parts.h": HEADER + "int g(int i);\n",
    "src/base/text/x_parts.c": HEADER + '#include "base/text/x_parts.h"\n\n'
    "/* f(1) calls this, and so does base/x. */\nint g(int i)\n{\n    return i + 1;\n}\n",
    "src/base/x.h": HEADER + "int f(int x);\n",
    "src/base/x.c": HEADER + '#include "base/x.h"\n\n#include "base/text/x_parts.h"\n\n'
    "int f(int x)\n{\n    return g(x) + 1;\n}\n",
    "src/git/git.c": HEADER + '#include "base/x.h"\n\n#include <git2.h>\n',
    "src/cmd/common/opt.h": HEADER + "#include <stdbool.h>\n#include <stddef.h>\n\n"
    "struct option {\n    const char *name, *argument, *help;\n    bool repeatable;\n};\n"
    "struct option_group {\n    const char *title;\n    const struct option *options;\n};\n"
    "struct command {\n    struct option_group options[2];\n};\n"
    "struct parsed;\nbool opt_given(const struct parsed *parsed, const char *name);\n",
    "src/cmd/common/given.h": HEADER
    + "struct parsed;\nint x_given(const struct parsed *parsed);\n",
    "src/cmd/common/given.c": HEADER
    + '#include "cmd/common/given.h"\n\n#include "base/x.h"\n#include "cmd/common/opt.h"\n'
    + GROUPS
    + """
int x_given(const struct parsed *parsed)
{
    static const char *const names[] = {"dry-run", "to"};
    int given = f(command.options[0].title != NULL);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        given += opt_given(parsed, names[i]);
    return given;
}
""",
    "src/base/typed.c": HEADER
    + """#include <stddef.h>

int shell_command(const char *format, const char *word);
int say(const char *format, int first, const char *second);
int typed(const char *text);
int typed(const char *text)
{
    return say("'git status' shows '%i', `git switch` goes to '%s'", 1, text) +
           say("cannot make '%i' of the git %s", 2, text) +
           say("'%i' was made by --check, not by '%s'", 3, text) +
           shell_command(text ? "git switch %s" : "git add -- %s", text);
}
""",
    "tools/x.sh": '#!/bin/sh\n# Says what for.\necho "$1"\n',
    "tests/x.py": '"""Says what for."""\n\nX = {}\n',
    "README.md": "words, [one](tools/x.sh), [two](https://example.org/x), [three](#there)\n",
}


def tree_with(folder, files):
    for name in (".clang-format", ".clang-tidy", "ruff.toml"):
        shutil.copy(TOP / name, folder / name)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def lint(root, *words):
    return subprocess.run(
        [*LINT, "--root", str(root), *words], capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("checker", "path", "content", "says"), BROKEN)
def test_finds(tmp_path, checker, path, content, says):
    done = lint(tree_with(tmp_path, {path: content}), "--only", checker)
    assert done.returncode == 1, done.stdout
    assert "FAIL" in done.stdout
    assert says in done.stdout


@pytest.mark.parametrize(("checker", "sources", "says"), BROKEN_TOGETHER)
def test_finds_what_files_do_together(tmp_path, checker, sources, says):
    done = lint(tree_with(tmp_path, sources), "--only", checker)
    assert done.returncode == 1, done.stdout
    assert says in done.stdout


def test_passes_what_is_right(tmp_path):
    done = lint(tree_with(tmp_path, RIGHT))
    assert done.returncode == 0, done.stdout


def test_finds_a_path_of_this_machine(tmp_path):
    done = lint(tree_with(tmp_path, {"README.md": f"see {tmp_path}/x\n"}), "--only", "text")
    assert done.returncode == 1
    assert "a path of this machine" in done.stdout


def test_looks_again_when_an_included_file_changes(tmp_path):
    tree_with(tmp_path, RIGHT)
    assert lint(tmp_path, "--only", "clang-tidy").returncode == 0
    (tmp_path / "src/base/x.h").write_text(HEADER + "int f(int y);\n")
    done = lint(tmp_path, "--only", "clang-tidy")
    assert done.returncode == 1
    assert "inconsistent-declaration-parameter-name" in done.stdout


def test_refuses_an_unknown_checker(tmp_path):
    done = lint(tmp_path, "--only", "spelling")
    assert done.returncode == 2
    assert "there are clang-format" in done.stderr
