"""`migrations` and `next` of a manifest: wrong ones are told to their author, at their place."""

import pytest

from .world import git

HEAD = "description: d\nstack: none\nquestions:\n  - {name: greeting, default: hello}\n"

# what follows `migrations:`, with "@" before what is to blame; words
WRONG = [
    ("  - {from: @abc}", "'from' must be a SPEC such as \"<2\", not 'abc'"),
    ("  - {from: @''}", "'from' must be a SPEC"),
    ("  - {from: @' '}", "'from' must be a SPEC"),
    ("  - {from: @'<2,'}", "'from' must be a SPEC"),
    ("  - {from: '<2'}\n  - {from: @'=>3'}", "'from' must be a SPEC"),
    ("  - @{note: n}", "'from' is missing"),
    *(
        (f"  - {{from: '<2', rename_files: {{ok: OK, {pair}}}}}", words)
        for pair, words in (
            ("a: @'../../evil'", "'../../evil': it holds '.' or '..'"),
            ("@'../a': b", "'../a': it holds '.' or '..'"),
            ("a: @.git/hooks/x", "git's own files"),
            ("@.GIT/config: b", "git's own files"),
            ("a: @/etc/passwd", "it is absolute"),
            ("a: @''", "it is empty"),
            ('a: @"b\\nc"', "a control character"),
            ("a: @a", "'a' is renamed to itself"),
            ("a: @OK", "'ok' and 'a' are both renamed to 'OK'"),
        )
    ),
    *(
        (f"  - {{from: '<2', rename_answers: {{{pairs}}}{more}}}", words)
        for pairs, more, words in (
            ("a: greeting, b: @greeting", "", "'a' and 'b' are both"),
            ("greeting: @greeting", "", "to itself"),
            ("a: @greting", "", "no question 'greting'"),
            # in one migration all is renamed at once
            ("a: @b, b: greeting", "", "no question 'b'"),
            ("a: @b", ", drop_answers: [b]", "no question 'b'"),
        )
    ),
    # the order is that of the list
    (
        "  - {from: '<3', rename_answers: {b: greeting}}\n"
        "  - {from: '<2', rename_answers: {a: @b}}",
        "no question 'b'",
    ),
]

RIGHT = {
    "moved on": "  - {from: '<2', rename_answers: {a: b}}\n"
    "  - {from: '<3', rename_answers: {b: greeting}}",
    "dropped later": "  - {from: '<2', rename_answers: {a: b}}\n"
    "  - {from: '<3', drop_answers: [b]}",
    "asked anew": "  - {from: '<2', drop_answers: [greeting]}",
    "back again": "  - {from: '<2', rename_answers: {greeting: name}}",
    "name": "  - {from: '<2', rename_answers: {title: name}}",
    "files swapped": "  - {from: '<2', rename_files: {a: b, b: a}}",
    "several": "  - {from: '>=1,<2.5,!=1.3', note: n}\n  - {from: 1.0.0}",
}


@pytest.mark.parametrize(("rows", "words"), WRONG)
def test_wrong_migration_is_told_before_anything_is_made(new, catalog, work, rows, words):
    marked = f"{HEAD}migrations:\n{rows}\n"
    before = marked.partition("@")[0].split("\n")
    catalog.template(marked.replace("@", ""))
    done = new("child", "--defaults")
    assert done.code == 2, done.out
    where = f"templates/thing/template.yml:{len(before)}:{len(before[-1]) + 1}: "
    assert where in done.err and words in done.err, done.err
    assert not (work / "child").exists()


@pytest.mark.parametrize("rows", RIGHT.values(), ids=RIGHT)
def test_right_migrations_are_taken(new, catalog, rows):
    catalog.template(f"{HEAD}migrations:\n{rows}\n")
    assert new("child", "--defaults").code == 0


@pytest.mark.parametrize("command", ["new", "adopt"])
def test_both_that_make_a_child_ask(tmplgen, work, catalog, command):
    catalog.template(f"{HEAD}migrations:\n  - {{from: '<2', rename_answers: {{a: b}}}}\n")
    git(work, "init", "-q")
    git(work, "commit", "-q", "--allow-empty", "-m", "first")
    done = tmplgen(
        command,
        "." if command == "adopt" else "x",
        "--type",
        "thing",
        "--catalog",
        catalog.folder,
        cwd=work,
    )
    assert (done.code, "no question 'b'" in done.err) == (2, True)


def test_many_renames_take_no_longer_than_they_are_many(new, catalog):
    """10,000 names in a manifest: a comparison of each with each would take seconds."""
    names = ", ".join(f"a{i}: b{i}" for i in range(10_000))
    more = ", ".join(f"b{i}" for i in range(10_000))
    catalog.template(
        f"{HEAD}migrations:\n  - {{from: '<2', rename_answers: {{{names}}}}}\n"
        f"  - {{from: '<3', drop_answers: [{more}]}}\n"
    )
    assert new("child", "--defaults", timeout=10).code == 0


# ---------------------------------------------------------------- next


def told(done):
    return [line[2:] for line in done.out.split("\nNext:\n")[1].splitlines()]


def test_next_is_rendered_from_the_answers(new, catalog):
    catalog.template(
        f"{HEAD}  - {{name: port, type: int, default: 8080}}\n"
        "next:\n"
        '  - "streamlit run app/main.py --server.port {{ port }}"\n'
        "  - \"{{ 'make loud' if port > 9000 }}\"\n"
        '  - "{% if port > 80 %}echo {{ greeting | shell_quote }}{% endif %}"\n'
        "  - make {{ template }} {{ name }}\n"
    )
    done = new("child", "--set", "greeting=a; b", "--name", "demo")
    assert done.code == 0, done.err
    assert told(done) == [
        "cd child",
        "streamlit run app/main.py --server.port 8080",
        "echo 'a; b'",
        "make thing demo",
    ]


def test_question_that_next_alone_reads_is_read(new, catalog):
    catalog.template(f"{HEAD}  - {{name: port, default: '1'}}\nnext: ['echo {{{{ port }}}}']\n")
    assert told(new("child", "--defaults"))[1] == "echo 1"


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("make {{ nope }}", "'nope' is undefined"),
        ("make {{ greeting", "template.yml:5:8: "),
        ("make {{ greeting | nope }}", "nope"),
        ("{{ 'x' * 5000 }}", "an entry of 'next' renders to more than 4096 bytes"),
    ],
)
def test_wrong_next_is_told_at_its_place_before_anything_is_made(new, catalog, work, entry, words):
    catalog.template(f'{HEAD}next: ["{entry}"]\n')
    done = new("child", "--defaults")
    assert done.code == 2, done.out
    assert "templates/thing/template.yml:5:8: " in done.err and words in done.err
    assert not (work / "child").exists()


def test_next_is_masked_and_has_no_end_of_its_own(new, catalog):
    catalog.template(f'{HEAD}next: ["a{{{{ greeting }}}}b"]\n')
    done = new("child", "--set", "greeting=\x1b[2J\n::error::x")
    assert done.code == 0, done.err
    assert told(done)[1:] == ["a\\x1B[2J\\x0A::error::xb"]


def test_next_has_a_hundred_lines_at_most(new, catalog):
    catalog.template(HEAD + "next:\n" + "  - x\n" * 101)
    done = new("child", "--defaults")
    assert done.code == 2
    assert "template.yml:106:5: 'next' has more than 100 entries" in done.err
