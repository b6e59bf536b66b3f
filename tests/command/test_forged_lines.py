"""Texts of a catalog that forge a line of a terminal, a log or a commit: places by texts."""

import re

import pytest

from .world import CATALOG, TEMPLATE, git

FORGED = "x\n::error file=a::forged\r\x1b[31m\b\u202e\u2028\x85y"
# In YAML's double quotes.
QUOTED = '"x\\n::error file=a::forged\\r\\e[31m\\b\\u202e\\u2028\\Ny"'
FORBIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2028\u2029]")


def assert_plain(text):
    assert not FORBIDDEN.search(text), ascii(text)
    assert not [line for line in text.splitlines() if line.startswith("::")], text


def question(**fields):
    text = ", ".join(f"{key}: {value}" for key, value in fields.items())
    return {"template.yml": f"{TEMPLATE}  - {{{text}}}\n"}


PLACES = {
    "name": {"catalog.yml": f"name: {QUOTED}\nversion: 1.0.0\n"},
    "version": {"catalog.yml": f"name: a\nversion: {QUOTED}\n"},
    "tool": {"catalog.yml": f"{CATALOG}tmplgen: {QUOTED}\n"},
    "key": {"catalog.yml": f"{CATALOG}{QUOTED}: 1\n"},
    "description": {"template.yml": TEMPLATE.replace("a test", QUOTED)},
    "layer": {"template.yml": f"{TEMPLATE}layers: [{{name: {QUOTED}}}]\n"},
    "question": question(name=QUOTED, type="str"),
    "type of a question": question(name="q", type=QUOTED),
    "default": question(name="q", type="int", default=QUOTED),
    "choices": question(name="q", type="choice", default="z", choices=f"[{QUOTED}]"),
    "pattern": question(name="q", type="str", pattern="a", default=QUOTED),
    "refuse": {"template.yml": f'{TEMPLATE}refuse:\n  - {{when: "true", because: {QUOTED}}}\n'},
    "next": {"template.yml": f"{TEMPLATE}next: [{QUOTED}]\n"},
    "migration": {
        "template.yml": f"{TEMPLATE}migrations: [{{from: {QUOTED}, drop_answers: [a]}}]\n"
    },
    "delimiters": {"template.yml": f"{TEMPLATE}delimiters: {QUOTED}\n"},
    "glob": {"template.yml": f"{TEMPLATE}files: [{{match: {QUOTED}, policy: no}}]\n"},
    "file": {f"files/{FORGED}": "a\n"},
    "include": {"files/a.j2": "{% include " + QUOTED.replace("\\e", "\\x1b") + " %}\n"},
    "template": {"files/a.j2": "{{ '" + FORGED + "' + 1 }}\n"},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("args", [(), ("--dry-run", "--verbose")], ids=["new", "dry"])
def test_no_text_of_a_catalog_forges_a_line(tmplgen, catalog, work, place, args):
    for path, text in PLACES[place].items():
        catalog.write(path if path == "catalog.yml" else f"templates/thing/{path}", text)
    done = tmplgen("new", "c", "--type", "thing", "--catalog", catalog.folder, *args, cwd=work)
    assert_plain(done.out)
    assert_plain(done.err)
    if (work / "c").exists():
        assert_plain(git(work / "c", "log", "--format=%B"))
        for command in (["status"], ["update", "--check"], ["update", "--dry-run"]):
            done = tmplgen(*command, cwd=work / "c")
            assert_plain(done.out + done.err)


GIVEN = {
    "--set name": ("--set", f"name={FORGED}"),
    "--set": ("--set", f"{FORGED}=1"),
    "--type": ("--type", FORGED),
    "--catalog": ("--catalog", FORGED),
}


@pytest.mark.parametrize("what", GIVEN)
def test_no_argument_forges_a_line(new, work, what):
    done = new("c", *GIVEN[what])
    assert_plain(done.out)
    assert_plain(done.err)
    if (work / "c").exists():
        assert_plain(git(work / "c", "log", "--format=%B"))


@pytest.mark.parametrize("field", ["source", "ref", "version", "template"])
@pytest.mark.parametrize("command", [["status"], ["update", "--check"], ["update"], ["diff"]])
def test_no_field_of_a_record_forges_a_line(tmplgen, catalog, new, work, field, command):
    assert new("c").code == 0
    path = work / "c/.tmplgen.yml"
    text = re.sub(rf"(?m)^(\s*{field}:).*$", lambda m: f"{m[1]} {QUOTED}", path.read_text())
    path.write_text(text)
    git(work / "c", "commit", "-q", "-a", "-m", "edited")
    done = tmplgen(*command, cwd=work / "c")
    assert_plain(done.out)
    assert_plain(done.err)


@pytest.mark.parametrize("name", ["a\\nb", "", " a", "a ", "-a", "a: b", "é", "a" * 101, "$(id)"])
def test_name_of_a_catalog_has_a_pattern(new, catalog, name):
    catalog.write("catalog.yml", f'name: "{name}"\nversion: 1.0.0\n')
    done = new("c")
    assert done.code == 2
    assert "catalog.yml:1:7: 'name' must begin with a letter or digit" in done.err


@pytest.mark.parametrize("name", ["a", "acme ml", "Acme/team-1_x.y", "a" * 100])
def test_name_of_a_catalog_may_be(new, catalog, name):
    catalog.write("catalog.yml", f'name: "{name}"\nversion: 1.0.0\n')
    assert new("c").code == 0
