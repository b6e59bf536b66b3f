"""Where a message points is a file of the catalog, line and column: an editor can go there."""

import pytest

BAD = "fine\n  {{ greeting.x.y }}\n"
SYNTAX = "fine\n  {% if %}\n"
KINDS = {
    "a file": ("templates/thing/files/hello.txt.j2", BAD),
    "a file of a layer": ("templates/_layers/one/files/a.j2", BAD),
    "an include of all": ("templates/_includes/part", BAD),
    "an include of a layer": ("templates/_layers/one/includes/part", BAD),
    "an include of a type": ("templates/thing/includes/part", BAD),
    "syntax of a file": ("templates/thing/files/hello.txt.j2", SYNTAX),
    "syntax of an include": ("templates/_layers/one/includes/part", SYNTAX),
    "a layer's manifest": ("templates/_layers/one/layer.yml", "description: d\n  x: y\n"),
    "a type's manifest": ("templates/thing/template.yml", "description: d\n  x: y\n"),
    "a layer's condition": (
        "templates/_layers/one/layer.yml",
        "description: d\nfiles: [{match: a, when: nope}]\n",
    ),
    "a default": (
        "templates/thing/template.yml",
        "description: d\nstack: none\nlayers: [{name: one}]\n"
        "questions: [{name: greeting, default: '{{ nope }}'}]\n",
    ),
    "a line of next": (
        "templates/thing/template.yml",
        "description: d\nstack: none\nnext: ['{{ nope }}']\nlayers: [{name: one}]\n"
        "questions: [{name: greeting, default: x}]\n",
    ),
    "the catalog's own": ("catalog.yml", "name: x\nversion: one\n"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_names_a_file_that_is_there(new, catalog, kind):
    path, text = KINDS[kind]
    catalog.template(
        "description: d\nstack: none\nlayers: [{name: one}]\n"
        "questions: [{name: greeting, default: x}]\n"
    )
    catalog.layer("one", "description: one\n", {"a.j2": "x"})
    owner = {"an include of all": "part", "an include of a type": "thing/part"}.get(
        kind, "one/part"
    )
    catalog.file("hello.txt.j2", f"{{% include '{owner}' ignore missing %}}{{{{ greeting }}}}")
    catalog.write(path, text)
    done = new("it", "--json")
    assert done.code == 2, done.err
    where = done.json["error"]["where"]
    assert where["file"] == path
    lines = (catalog.folder / path).read_text().splitlines()
    assert 1 <= where["line"] <= len(lines)
    assert 1 <= where["column"] <= len(lines[where["line"] - 1]) + 1
    if text in (BAD, SYNTAX):
        assert where["line"] == 2
    shown = new("it").err
    assert f"{path}:{where['line']}:{where['column']}: " in shown
    if "include" in kind:
        assert "included from templates/thing/files/hello.txt.j2:1:12" in shown
