"""Catalogs: strict manifests, layers, delimiters, unsafe paths; data alone adds a layer."""

import os
import shutil

import pytest

from ..common.program import ROOT

Q = "description: d\nstack: none\nquestions:\n"


def refused(done, code, *words):
    assert done.code == code, done.err
    for word in words:
        assert word in done.err


# ---------------------------------------------------------------- what is not there


def test_no_such_folder(tmplgen, work):
    done = tmplgen("new", "--type", "thing", "--catalog", "nowhere", cwd=work)
    refused(done, 2, "no catalog at 'nowhere'")


def test_folder_without_catalog_file(tmplgen, work):
    done = tmplgen("new", "--type", "thing", "--catalog", work, cwd=work)
    refused(done, 2, "catalog.yml")


def test_remote_catalog_needs_trust(tmplgen, work):
    done = tmplgen(
        "new", "--type", "x", "--catalog", "https://example.com/c.git@v1", "--json", cwd=work
    )
    assert done.code == 3
    assert done.json["error"]["code"] == "untrusted-source"


def test_folder_catalog_warns_that_it_is_for_development(new):
    done = new("child")
    assert done.code == 0
    assert "for development" in done.err


def test_unknown_version_of_the_built_in_catalog(tmplgen, work):
    done = tmplgen(
        "new", "--type", "service", "--framework", "pytorch", "--catalog", "builtin@v99", cwd=work
    )
    refused(done, 2, "v99")


def test_first_release_is_found_under_its_tag(tmplgen, work):
    done = tmplgen(
        "new",
        "--type",
        "service",
        "--framework",
        "pytorch",
        "--catalog",
        "builtin@v0.1.0",
        "--json",
        cwd=work,
    )
    assert done.code == 0, done.err


def test_folder_catalog_has_no_revisions(tmplgen, work, catalog):
    done = tmplgen("new", "--type", "thing", "--catalog", f"{catalog.folder}@v1", cwd=work)
    refused(done, 2, "no revision 'v1'")


# ---------------------------------------------------------------- strict manifests


@pytest.mark.parametrize(
    ("path", "text", "words"),
    [
        ("catalog.yml", "name: x\n", ["catalog.yml:1", "'version' is missing"]),
        ("catalog.yml", "name: x\nversion: 1.0\n", ["catalog.yml:2:10", "semantic version"]),
        ("catalog.yml", "name: x\nversion: 1.0.0\ntmplgen: '>=99'\n", [":3:10", "needs tmplgen"]),
        ("catalog.yml", "name: x\nversion: 1.0.0\nvresion: 2\n", [":3:1", "vresion"]),
        ("catalog.yml", "name: x\nname: y\nversion: 1.0.0\n", [":2:1", "name"]),
        ("catalog.yml", "name: &a x\nversion: 1.0.0\n", [":1:7", "anchor"]),
        ("catalog.yml", "name: !!str x\nversion: 1.0.0\n", [":1:7", "tag"]),
        ("catalog.yml", "name: x\nversion: 1.0.0\n---\na: b\n", ["document"]),
        ("catalog.yml", "name: [x\n", ["catalog.yml:"]),
        ("templates/thing/template.yml", "stack: none\n", ["'description' is missing"]),
        ("templates/thing/template.yml", "description: d\nstack: cuda\n", [":2:8", "stack"]),
        ("templates/thing/template.yml", "description: d\nlayer: []\n", [":2:1", "layers"]),
        ("templates/thing/template.yml", Q + "  - {name: q, type: string}\n", ["question type"]),
        ("templates/thing/template.yml", Q + "  - {type: str}\n", ["'name' is missing"]),
        ("templates/thing/template.yml", Q + "  - {name: a b}\n", ["letters, digits"]),
        ("templates/thing/template.yml", Q + "  - {name: resolution}\n", ["taken"]),
        ("templates/thing/template.yml", Q + "  - {name: q}\n  - {name: q}\n", ["asked twice"]),
        ("templates/thing/template.yml", Q + "  - {name: q, type: choice}\n", ["'choices'"]),
        ("templates/thing/template.yml", Q + "  - {name: q, choices: [a]}\n", ["choice or list"]),
        ("templates/thing/template.yml", Q + "  - {name: q, pattern: '('}\n", [":4:25", "no ')'"]),
        ("templates/thing/template.yml", Q + "  - {name: q, default: x}\n", ["no template reads"]),
        ("templates/thing/template.yml", Q + "  - q\n", ["mapping"]),
        (
            "templates/thing/template.yml",
            "description: d\nstack: none\nfiles: [{match: a, policy: keep}]\n",
            ["policy"],
        ),
        (
            "templates/thing/template.yml",
            "description: d\nstack: none\nlayers: [{name: dcoker}]\n",
            ["no layer 'dcoker'"],
        ),
    ],
)
def test_broken_manifest_is_named_with_its_place(new, work, catalog, path, text, words):
    catalog.write(path, text)
    if "greeting" not in text:
        catalog.file("hello.txt.j2", "hi\n")
    refused(new("child"), 2, *words)
    assert os.listdir(work) == []


def test_utf_16_is_refused(new, catalog):
    catalog.write("catalog.yml", "name: x\nversion: 1.0.0\n".encode("utf-16"))
    assert new("child").code == 2


def test_error_shows_the_line_and_a_caret(new, catalog):
    catalog.file("hello.txt.j2", "first\n{{ greeting }} {{ nmae }}\n")
    done = new("child")
    assert done.code == 2
    assert "templates/thing/files/hello.txt.j2:2:19" in done.err
    at = done.err.splitlines()
    line, caret = (text for text in at if text.startswith("  | "))
    assert line.endswith("{{ greeting }} {{ nmae }}")
    assert caret.index("^") == line.index("nmae")
    assert "did you mean 'name'" in done.err


def test_error_in_a_long_line_shows_only_the_part_around_it(new, catalog):
    catalog.file("hello.txt.j2", "x" * 5000 + "{{ nmae }}" + "y" * 5000 + "{{ greeting }}\n")
    done = new("child")
    assert done.code == 2
    assert "hello.txt.j2:1:5004" in done.err
    line, caret = (text for text in done.err.splitlines() if text.startswith("  | "))
    assert len(line) < 200
    assert caret.index("^") == line.index("nmae")


def test_too_long_a_glob_names_the_limit(new, catalog):
    catalog.template(
        "description: d\nstack: none\nquestions: [{name: greeting, default: hello}]\n"
        f"files: [{{match: '{'a' * 513}', policy: seed}}]\n"
    )
    refused(new("child"), 2, "template.yml:4", "512")


REFUSING = """\
description: d
stack: none
questions:
  - {name: greeting, default: hello}
  - {name: loud, type: bool, default: false}
refuse:
  - {when: "loud and greeting != 'HELLO'", because: "'{{ greeting }}' is not loud"}
"""


def test_answers_that_do_not_go_together_are_refused_with_the_reason(new, work, catalog):
    catalog.template(REFUSING)
    catalog.file("hello.txt.j2", "{{ greeting }} {{ loud }}\n")
    refused(new("child", "--set", "loud=true"), 2, "'hello' is not loud")
    assert os.listdir(work) == []
    assert new("child", "--set", "loud=true", "--set", "greeting=HELLO").code == 0


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("{when: loud}", "needs 'when' and 'because'"),
        ("{when: loud, because: x, hint: y}", "hint"),
        ("{when: loud and, because: x}", "template.yml:7"),
        ("{when: laud, because: x}", "laud"),
    ],
)
def test_a_refusal_that_is_wrong_is_named_with_its_place(new, catalog, entry, words):
    catalog.template(REFUSING[: REFUSING.rindex("{when")] + entry + "\n")
    catalog.file("hello.txt.j2", "{{ greeting }} {{ loud }}\n")
    refused(new("child"), 2, "template.yml:7", words)


def test_error_in_an_included_file_shows_the_way_there(new, catalog):
    catalog.write("templates/_includes/part.txt", "{{ greeting.x.y }}\n")
    catalog.file("hello.txt.j2", "{% include 'part.txt' %}\n{{ greeting }}\n")
    done = new("child")
    assert done.code == 2
    assert "part.txt:1" in done.err
    assert "hello.txt.j2:1" in done.err


# ---------------------------------------------------------------- links and special files


def test_link_in_a_catalog_is_refused(new, work, catalog):
    os.symlink("/etc/passwd", catalog.folder / "templates/thing/files/secret.txt")
    refused(new("child"), 2, "secret.txt", "link")
    assert os.listdir(work) == []


def test_linked_folder_in_a_catalog_is_refused(new, catalog, tmp_path):
    (tmp_path / "outside").mkdir()
    os.symlink(tmp_path / "outside", catalog.folder / "templates/thing/files/sub")
    refused(new("child"), 2, "link")


def test_named_pipe_in_a_catalog_is_refused_and_does_not_hang(new, catalog):
    os.mkfifo(catalog.folder / "templates/thing/files/pipe")
    refused(new("child"), 2, "pipe")


def test_files_beside_the_catalog_are_not_looked_at(new, catalog):
    os.symlink("/nowhere", catalog.folder / "README.md")
    assert new("child").code == 0


# ---------------------------------------------------------------- unsafe paths


@pytest.mark.parametrize(
    "rendered",
    [
        "../escape",
        "a/../../escape",
        "/etc/x",
        ".git",
        ".GIT",
        ".git/config",
        "sub/.Git/config",
        "git~1",
        ".git.",
        ".git ",
        ".git::$INDEX_ALLOCATION",
        ".g\u200cit",
        "a\tb",
        "a\u202eb",
        "a\u200bb",
        "a\\b",
        ".",
        "..",
    ],
)
def test_unsafe_name_writes_nothing(new, work, catalog, rendered):
    catalog.file("{{ greeting }}", "x")
    done = new("child", "--set", f"greeting={rendered}")
    assert done.code == 3, done.err
    assert os.listdir(work) == []
    assert not (work.parent / "escape").exists()


def test_empty_name_leaves_the_file_out(new, work, catalog):
    catalog.file("{{ greeting if greeting != 'none' }}/a.txt", "a")
    catalog.file("{{ greeting if greeting == 'none' }}b.txt", "b")
    assert new("one", "--set", "greeting=none").code == 0
    assert sorted(os.listdir(work / "one")) == [
        ".git",
        ".gitattributes",
        ".tmplgen.yml",
        "hello.txt",
        "noneb.txt",
    ]
    assert new("two", "--set", "greeting=dir").code == 0
    assert (work / "two/dir/a.txt").read_text() == "a"


@pytest.mark.parametrize(
    ("one", "two"),
    [("README.md", "readme.md"), ("stra\u00dfe", "STRASSE"), ("caf\u00e9", "cafe\u0301")],
)
def test_names_equal_after_normalisation_and_folding_clash(new, work, catalog, one, two):
    catalog.file(one, "1").file(two, "2")
    refused(new("child"), 2, "templates/thing/files/")
    assert os.listdir(work) == []


def test_template_may_not_write_the_record(new, catalog):
    catalog.file(".tmplgen.yml", "mine")
    refused(new("child"), 2, ".tmplgen.yml")


def test_too_long_a_path_names_the_limit(new, catalog):
    catalog.file("{{ greeting }}/x", "x")
    done = new("child", "--set", "greeting=" + "y" * 201)
    refused(done, 2, "200")


def test_too_large_a_template_names_the_limit(new, catalog):
    catalog.file("big.txt.j2", "x" * (4 * 1024 * 1024 + 1))
    refused(new("child"), 2, "big.txt.j2", "larger than 4")


def test_too_many_steps_name_the_limit(new, catalog):
    catalog.file(
        "loop.txt.j2",
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}",
    )
    refused(new("child"), 2, "steps")


# ---------------------------------------------------------------- layers


LAYERED = """\
description: layered
stack: none
layers:
  - {name: one}
  - {name: two, overrides: ["shared.txt"]}
  - {name: three, when: "greeting == 'hey'"}
questions:
  - {name: greeting, type: str, default: hello}
"""


@pytest.fixture
def layered(catalog):
    catalog.template(LAYERED)
    catalog.layer("one", "description: 1\n", {"shared.txt": "one", "one.txt": "1"})
    catalog.layer("two", "description: 2\n", {"shared.txt": "two"})
    catalog.layer("three", "description: 3\n", {"three.txt.j2": "{{ greeting }}"})
    return catalog


def test_later_layer_overrides_what_it_declares(new, work, layered):
    assert new("child").code == 0
    assert (work / "child/shared.txt").read_text() == "two"
    assert not (work / "child/three.txt").exists()


def test_layer_with_a_condition_joins_when_it_holds(new, work, layered):
    assert new("child", "--set", "greeting=hey").code == 0
    assert (work / "child/three.txt").read_text() == "hey"


def test_undeclared_clash_of_layers_is_an_error(new, layered):
    layered.layer("two", "description: 2\n", {"one.txt": "again"})
    done = new("child")
    refused(done, 2, "one.txt", "overrides")


def test_square_delimiters_leave_dollar_braces_alone(new, work, catalog):
    catalog.template(
        "description: d\nstack: none\n"
        "delimiters: [{match: '**.yml.j2', delimiters: square}]\n"
        "questions: [{name: greeting, default: hello}]\n"
    )
    catalog.file("ci.yml.j2", "run: ${{ vars.X }} [[ greeting ]]\n")
    assert new("child").code == 0
    assert (work / "child/ci.yml").read_text() == "run: ${{ vars.X }} hello\n"


def test_policies_are_reported(new, catalog):
    catalog.template(
        "description: d\nstack: none\n"
        "questions: [{name: greeting, default: hello}]\n"
        "files:\n"
        "  - {match: 'data/**', policy: seed}\n"
        "  - {match: '*.lock', policy: managed}\n"
        "  - {match: 'req.txt', merge: lines}\n"
    )
    catalog.file("data/a/b.csv", "1").file("x.lock", "1").file("req.txt", "a\n")
    files = {f["path"]: (f["policy"], f["merge"]) for f in new("c", "--json").json["files"]}
    assert files["data/a/b.csv"] == ("seed", "text")
    assert files["x.lock"] == ("managed", "text")
    assert files["req.txt"] == ("merge", "lines")
    assert files["hello.txt"] == ("merge", "text")


# ---------------------------------------------------------------- data before code


@pytest.fixture
def builtin_copy(tmp_path):
    """The catalog of this repository, to be changed at will."""
    folder = tmp_path / "fork"
    folder.mkdir()
    shutil.copy(ROOT / "catalog.yml", folder)
    for part in ("templates", "matrices", "base-images"):
        if (ROOT / part).is_dir():
            shutil.copytree(ROOT / part, folder / part)
    return folder


def fork(tmplgen, folder, work, *args):
    return tmplgen(
        "new", "child", "--type", "service", "--framework", "pytorch", "--catalog", folder, *args,
        cwd=work,
    )  # fmt: skip


def test_layer_and_question_need_no_c_change(tmplgen, work, builtin_copy):
    layer = builtin_copy / "templates/_layers/notes"
    (layer / "files").mkdir(parents=True)
    (layer / "layer.yml").write_text("description: notes\n")
    (layer / "files/NOTES.md.j2").write_text("owner: {{ owner }}\n")
    manifest = builtin_copy / "templates/service/template.yml"
    text = manifest.read_text()
    text = text.replace("layers:\n", "layers:\n  - name: notes\n", 1)
    text = text.replace(
        "questions:\n", "questions:\n  - {name: owner, type: str, default: nobody}\n", 1
    )
    manifest.write_text(text)
    done = fork(tmplgen, builtin_copy, work, "--set", "owner=me")
    assert done.code == 0, done.err
    assert (work / "child/NOTES.md").read_text() == "owner: me\n"


def test_fork_of_the_catalog_renders_the_same_tree(tmplgen, work, builtin_copy):
    forked = fork(tmplgen, builtin_copy, work, "--dry-run", "--json").json["tree"]
    own = tmplgen(
        "new", "child", "--type", "service", "--framework", "pytorch", "--dry-run", "--json",
        cwd=work,
    ).json["tree"]  # fmt: skip
    assert forked == own
