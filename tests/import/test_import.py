"""`template import`: what it reads, refuses, tells, and leaves behind."""

import json
import os

import pytest

from ..command.world import git
from .world import put, tree

ROOT = "{{cookiecutter.project_slug}}/"
COOKIE = {
    "cookiecutter.json": json.dumps({"project_slug": "x", "title": "A title"}),
    ROOT + "a.txt": "{{ cookiecutter.title }} {{ cookiecutter.project_slug }}\n",
}
COPIER = {"copier.yml": "title: A title\n", "a.txt.jinja": "{{ title }}\n"}


def template(world, files):
    return put(world.folder / "template", files)


def kinds(document):
    return [one["kind"] for entry in document["types"] for one in entry["decisions"]]


# ---------------------------------------------------------------- where it reads


def repository(world):
    folder = template(world, COOKIE)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    git(folder, "tag", "v1.0.0")
    put(folder, {ROOT + "b.txt": "second\n"})
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "two")
    return folder


def test_a_repository_is_read_at_its_newest_release(world):
    folder = repository(world)
    document = world.imported()
    assert (document["ref"], document["commit"]) == ("v1.0.0", git(folder, "rev-parse", "v1.0.0"))
    assert not (world.folder / "catalog/templates/template/files/b.txt").exists()


def test_ref_names_another_revision(world):
    folder = repository(world)
    document = world.imported(f"file://{folder}", "catalog", "--ref", "main")
    assert document["commit"] == git(folder, "rev-parse", "main")
    assert (world.folder / "catalog/templates/template/files/b.txt").read_text() == "second\n"


def test_what_is_not_committed_is_read_as_it_lies(world):
    folder = repository(world)
    put(folder, {ROOT + "c.txt": "third\n"})
    assert world.imported()["commit"] is None
    assert (world.folder / "catalog/templates/template/files/c.txt").exists()


def test_the_type_is_named_after_the_source(world):
    put(world.folder / "My Template.git", COOKIE)
    document = world.imported("My Template.git/")
    assert [entry["name"] for entry in document["types"]] == ["my-template"]
    assert (world.folder / "catalog/catalog.yml").read_text().startswith("name: my-template\n")


def test_an_empty_folder_is_taken(world):
    template(world, COPIER)
    (world.folder / "catalog").mkdir()
    world.imported()
    assert (world.folder / "catalog/templates/template/template.yml").exists()


# ---------------------------------------------------------------- what it refuses


def test_a_folder_with_files_is_left_alone(world):
    template(world, COPIER)
    put(world.folder / "catalog", {"mine": "x"})
    assert world.refused("template", "--output", "catalog", code=3)["code"] == "target-not-empty"
    assert (
        world.refused("template", "--output", "catalog/mine", code=3)["code"] == "target-not-empty"
    )


@pytest.mark.parametrize(
    "args", [(), ("template",), ("template", "--output", ""), ("", "--output", "c")], ids=str
)
def test_both_must_be_named(world, args):
    assert world.refused(*args)["code"] == "usage"


def test_no_template(world):
    template(world, {"README.md": "x"})
    error = world.refused("template", "--output", "new/catalog")
    assert (
        error["code"] == "invalid" and "no cookiecutter.json and no copier.yml" in error["message"]
    )
    error = world.refused("nowhere", "--output", "c")
    assert error["code"] == "unknown-catalog" and "catalog" not in error["hint"]
    assert error["message"] == "there is no template at 'nowhere': No such file or directory"


def test_one_is_said_as_one(world):
    files = {"y": "{% now %}", "z": "{{cookiecutter.a}}"}
    files = {f"{{{{cookiecutter.a}}}}/{name}": text for name, text in files.items()}
    template(world, {"cookiecutter.json": '{"a": "x"}', **files})
    done = world("template", "import", "template", "--output", "one", cwd=world.folder)
    assert "1 question, 1 template, 0 copied files\n" in done.out
    assert "1 thing for a person to decide" in done.out
    page = (world.folder / "one/IMPORT.md").read_text()
    counts = "1 template, 0 copied files, 1 file that is not rendered yet, 1 thing to decide."
    assert counts in page


def test_ends_of_lines_are_told_of_a_file_that_is_rendered(world):
    files = {"cookiecutter.json": '{"a": "x"}', "{{cookiecutter.a}}/y": b"{{cookiecutter.a}}\r\n"}
    template(world, files)
    (told,) = world.imported()["types"][0]["decisions"]
    assert told["kind"] == "ending" and "CR LF" in told["what"]
    page = (world.folder / "catalog/IMPORT.md").read_text()
    assert "### Ends of lines" in page and "unconverted" not in page


def test_a_source_on_a_server_wants_trust(world):
    error = world.refused("https://example.com/t.git", "--output", "c", code=3)
    assert error["code"] == "untrusted-source"


@pytest.mark.parametrize(
    "text, line, says",
    [
        ("a: 1\nb: !include x.yml\n", 2, "tags ('!include')"),
        ("a: 1\na: 2\n", 2, "duplicate key 'a'"),
        ("a: *gone\n", 1, "no anchor '&gone'"),
        ("a: &a [*a]\n", 1, "no anchor '&a'"),
        ("a: 1\n---\nb: 2\n", 2, "second document"),
        ("- a\n", 1, "a mapping is wanted"),
        ("a: 1\n_envops: {autoescape: true}\n", 2, "'autoescape'"),
        ("_envops:\n  block_start_string: ''\n", 2, "'block_start_string'"),
        ("a: 1\n_subdirectory: '{{ a }}'\n", 2, "'_subdirectory'"),
        ("_exclude: [[a]]\n", 1, "'_exclude'"),
        ("a: " + "[" * 70 + "]" * 70 + "\n", 1, "levels"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_copier_yml_cannot_say(world, text, line, says):
    template(world, {**COPIER, "copier.yml": text})
    error = world.refused("template", "--output", "catalog")
    assert says in error["message"]
    assert (error["where"]["file"], error["where"]["line"]) == ("copier.yml", line)


def test_aliases_do_not_grow_past_the_limits(world):
    laughs = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 9)
    )
    deep = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 80))
    for text in (laughs, deep):
        template(world, {**COPIER, "copier.yml": text})
        assert world.refused("template", "--output", "catalog")["code"] == "limit"


@pytest.mark.parametrize(
    "text, says",
    [
        ("{", "cookiecutter.json"),
        ("[]", "a mapping is wanted"),
        ('{"a": 1, "a": 2}', "a"),
        ('{"_copy_without_render": "x"}', "'_copy_without_render'"),
        ('{"_jinja2_env_vars": {"line_statement_prefix": "%"}}', "'line_statement_prefix'"),
        ('{"templates": {"a": {"path": "../.."}}}', "'../..'"),
        ('{"templates": {"a": {}}}', "'a'"),
        ('{"template": ["no path"]}', "'no path'"),
        ('{"a":' * 70 + "1" + "}" * 70, "limit"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_cookiecutter_json_cannot_say(world, text, says):
    template(world, {**COOKIE, "cookiecutter.json": text})
    error = world.refused("template", "--output", "catalog")
    assert says in error["message"] + str(error["where"])
    assert error["where"]["file"] == "cookiecutter.json"


def test_no_folder_of_the_project(world):
    template(world, {"cookiecutter.json": "{}", "src/a": "x"})
    assert "no folder" in world.refused("template", "--output", "catalog")["message"]


@pytest.mark.parametrize("name", ["a\x1b[31m", "a\nb", "con", "a:b", "x\u202ey", ".git /a", "b."])
def test_names_that_no_project_can_have(world, name):
    template(world, {**COPIER, name: "x"})
    assert world.refused("template", "--output", "catalog", code=3)["code"] == "unsafe-path"


def test_a_name_that_leads_out_when_it_is_rendered(world):
    """The catalog is made; no project is."""
    template(world, {**COPIER, "{{ title }}{{ '..' }}": "x"})
    world.imported()
    done = world(
        *("new", "p", "--catalog", "catalog", "--type", "template", "--defaults"),
        *("--set", "title=."),
        cwd=world.folder,
    )
    assert done.code in (2, 3) and not (world.folder / "p").exists()


# ---------------------------------------------------------------- what it tells


def test_nothing_of_the_template_is_run(world):
    spy = world.folder / "ran"
    template(
        world,
        {
            **COOKIE,
            "hooks/pre_gen_project.sh": (f"#!/bin/sh\n# a comment\ntouch {spy}\n", True),
            "hooks/post_gen_project.py": f"import os\nos.system('touch {spy}')\n",
            "cookiecutter.json": json.dumps(
                {"project_slug": "x", "title": "t", "_extensions": ["local.Extension"]}
            ),
            "local.py": f"open({str(spy)!r}, 'w')\n",
        },
    )
    document = world.imported()
    told = {one["file"]: one["what"] for one in document["types"][0]["decisions"]}
    assert kinds(document).count("hook") == 2 and "extension" in kinds(document)
    assert f"touch {spy}" in told["hooks/pre_gen_project.sh"]
    assert not spy.exists()
    page = (world.folder / "catalog/IMPORT.md").read_text()
    assert "### Hooks" in page and "hooks/post_gen_project.py" in page


def test_links_are_told(world):
    folder = template(world, COPIER)
    (folder / "link").symlink_to("a.txt.jinja")
    (folder / "out").symlink_to("/etc")
    os.mkfifo(folder / "pipe")
    document = world.imported()
    told = {one["file"] for one in document["types"][0]["decisions"] if one["kind"] == "link"}
    assert told == {"link", "out", "pipe"}
    assert set(world.ours(document, {})) == {"a.txt"}


def test_the_line_of_what_is_not_rendered(world):
    template(world, {**COPIER, "b.txt.jinja": "{{ title }}\n\n{% now 'utc' %}\n"})
    decision = world.imported()["types"][0]["decisions"][0]
    assert (decision["kind"], decision["file"], decision["line"]) == ("template", "b.txt.jinja", 3)
    kept = world.folder / "catalog/templates/template/unconverted/b.txt.jinja"
    assert kept.read_text() == "{{ title }}\n\n{% now 'utc' %}\n"


def test_what_fails_only_when_it_is_rendered_is_put_aside_too(world):
    template(world, {**COPIER, "b.txt.jinja": "{{ title }}\n{{ title.nothing.of_it }}\n"})
    document = world.imported()
    assert kinds(document) == ["template"]
    assert set(world.ours(document, {})) == {"a.txt"}


def test_a_piece_of_what_is_put_aside_goes_with_it(world):
    """Else the question that only it reads would be one that no template reads."""
    manifest = {"copier.yml": "title: t\nlost: x\n", "piece": "{{ lost }}\n"}
    files = {"b.jinja": "{% include 'piece' %}{{ title.of.nothing }}\n"}
    template(world, {**COPIER, **manifest, **files})
    document = world.imported()
    assert document["types"][0]["questions"] == ["title"]
    assert not (world.folder / "catalog/templates/template/includes").exists()
    assert set(world.ours(document, {})) == {"a.txt", "piece"}


def test_a_question_that_nothing_reads_is_kept_in_the_report(world):
    template(world, {**COPIER, "copier.yml": "title: A title\nunused: {type: int, default: 3}\n"})
    document = world.imported()
    assert document["types"][0]["questions"] == ["title"] and kinds(document) == ["unused"]
    assert "- name: unused\n  type: int" in (world.folder / "catalog/IMPORT.md").read_text()


def test_a_validator_refuses_what_copier_refuses(world):
    template(
        world,
        {
            "copier.yml": "port:\n  type: int\n  default: 80\n"
            "  validator: '{% if port < 1 %}{{ port }} is no port{% endif %}'\n"
            "word:\n  default: a\n  validator: >-\n"
            "    {% if not (word | regex_search('^[a-z]+$')) %}x{% endif %}\n"
            "size: {type: int, default: 1, choices: [1, 2]}\n",
            "a.txt.jinja": "{{ port }}{{ word }}{{ size }}\n",
        },
    )
    assert kinds(world.imported()) == []
    for answer, says in (("port=0", "0 is no port"), ("word=A", "[a-z]+"), ("size=3", "[1, 2]")):
        done = world(
            *("new", "p", "--catalog", "catalog", "--type", "template", "--defaults"),
            *("--set", answer, "--json"),
            cwd=world.folder,
        )
        assert done.code == 2 and says in done.json["error"]["message"]


def test_a_condition_means_what_copier_takes_for_true(world):
    """`no` as a text is false there, and true in an expression."""
    template(
        world,
        {
            "copier.yml": "docs: {type: str, choices: ['no', 'yes'], default: 'no'}\n"
            "tool: {type: str, default: mkdocs, when: '{{ docs }}'}\n"
            "both: {type: str, default: b, when: '{{ docs and tool }}'}\n"
            "shown: {type: bool, default: '{{ docs }}'}\n"
            "later: {type: bool, default: true, when: '{% if docs == \"yes\" %}true{% endif %}'}\n",
            "a.txt.jinja": "{{ docs }}{{ tool }}{{ both }}{{ later }}{{ shown }}\n",
        },
    )
    document = world.imported()
    assert kinds(document) == []
    for answers in ({}, {"docs": "yes", "tool": "t", "both": "x", "later": False}):
        assert world.ours(document, answers) == {
            path: leaf
            for path, leaf in tree(world.copier(answers)).items()
            if path != ".copier-answers.yml"
        }
    done = world(
        *("new", "p", "--catalog", "catalog", "--type", "template", "--defaults"),
        *("--set", "tool=t"),
        cwd=world.folder,
    )
    assert done.code == 2 and "makes no difference here" in done.err


# ---------------------------------------------------------------- its projects follow


def child(world, made):
    git(made, "init", "-q", "-b", "main")
    git(made, "add", ".")
    git(made, "commit", "-qm", "made")
    return made


def follow(world, made, catalog):
    """Adopts a project of the template, then updates it to a catalog that changed."""
    git(catalog, "init", "-q", "-b", "main")
    git(catalog, "add", ".")
    git(catalog, "commit", "-qm", "imported")
    git(catalog, "tag", "v0.1.0")
    env = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.com"}
    env |= {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.com"}
    done = world(
        *("adopt", made, "--catalog", catalog, "--type", "template", "--defaults", "--json"),
        cwd=world.folder,
        env=env,
    )
    assert done.code == 0, done.out + done.err
    states = {one["path"]: one["state"] for one in done.json["paths"]}
    template_file = catalog / "templates/template/files/a.txt.j2"
    template_file.write_text(template_file.read_text() + "one line more\n")
    (catalog / "catalog.yml").write_text("name: template\nversion: 0.2.0\n")
    git(catalog, "commit", "-qam", "more")
    git(catalog, "tag", "v0.2.0")
    done = world("update", made, "--json", cwd=world.folder, env=env)
    assert done.code == 0, done.out + done.err
    return states


def test_a_project_of_copier_follows_by_adopt(world):
    template(
        world,
        {
            **COPIER,
            "copier.yml": "title: A title\nname: n\n",
            "b.txt.jinja": "{{ name }}\n",
            "{{_copier_conf.answers_file}}.jinja": "{{ _copier_answers|to_nice_yaml }}",
        },
    )
    made = child(world, world.copier({"title": "Their own"}))
    world.imported()
    states = follow(world, made, world.folder / "catalog")
    assert states["a.txt"] == states["b.txt"] == "adopted"
    assert (made / "a.txt").read_text() == "Their own\none line more\n"
    assert "title: Their own" in (made / ".tmplgen.yml").read_text()


@pytest.mark.parametrize("answers_file", [".cruft.json", ".cookiecutter.json"])
def test_a_project_of_cookiecutter_follows_by_adopt(world, answers_file):
    template(world, COOKIE)
    made = world.cookiecutter({"title": "Their own"})
    answers = {"cookiecutter": {"title": "Their own", "project_slug": "x"}}
    whole = {"template": "t", "context": answers} if answers_file == ".cruft.json" else answers
    put(made, {answers_file: json.dumps(whole)})
    world.imported()
    states = follow(world, child(world, made), world.folder / "catalog")
    assert states["a.txt"] == "adopted"
    assert (made / "a.txt").read_text() == "Their own x\none line more\n"
