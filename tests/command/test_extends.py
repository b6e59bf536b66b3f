"""A catalog that builds on another: what is added, what is replaced, and what is refused."""

import json
import re
import shutil
import subprocess

import pytest
import yaml

from ..common.program import ROOT, typed_as_tmplgen
from .world import Catalog, git

TEAM = "name: acme\nversion: 1.0.0\nextends: {source: builtin}\n"
TYPES = ["service", "batch", "library", "llm", "images"]
FRAMEWORK = {"images": ["--registry", "a.example/x"], "llm": ["--framework", "transformers"]}
SERVICE = ["--type", "service", "--framework", "pytorch"]


@pytest.fixture
def team(tmp_path):
    """A team's catalog over the built-in one: files by path, `yml` behind its catalog.yml."""

    def make(files=(), yml="", head=TEAM, name="team"):
        folder = tmp_path / name
        for path, text in {"catalog.yml": head + yml, **dict(files)}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        return folder

    return make


@pytest.fixture
def make(tmplgen, work):
    """The files of a child, made without a repository, and what `new` said."""

    def run(folder, *args, name="child"):
        words = ["--catalog", folder, "--no-git", "--name", "child"]
        done = tmplgen("new", name, *words, *args, cwd=work)
        assert done.code == 0, done.err
        root = work / name
        files = {str(p.relative_to(root)): p for p in root.rglob("*") if p.is_file()}
        return {path: file.read_text() for path, file in files.items()}, done

    return run


@pytest.fixture
def refused(tmplgen, work):
    def run(folder, *args, code=2):
        done = tmplgen("new", "child", "--catalog", folder, *args, cwd=work)
        assert done.code == code, done.out + done.err
        assert not (work / "child").exists()
        return done.err

    return run


def trees(tmplgen, work, *args):
    done = tmplgen("new", "x", "--dry-run", "--json", *args, cwd=work)
    assert done.code == 0, done.err
    return done.json["tree"]


def record(files):
    return yaml.safe_load(files[".tmplgen.yml"])


def show(path):
    """A file of the catalog that is built in, as it lies in the source tree."""
    return (ROOT / path).read_text()


# ---------------------------------------------------------------- without changes


@pytest.mark.parametrize("kind", TYPES)
def test_without_changes_every_type_is_the_built_in_ones(tmplgen, work, team, kind):
    args = ["--type", kind, *FRAMEWORK.get(kind, ["--framework", "pytorch"])]
    assert trees(tmplgen, work, *args, "--catalog", team()) == trees(tmplgen, work, *args)


def test_the_rest_of_the_program_sees_one_catalog(tmplgen, work, team):
    folder = team()
    for args in (["matrix", "list"], ["image", "list"]):
        done = tmplgen(*args, "--catalog", folder, cwd=work)
        assert done.code == 0, done.err
        assert done.out == tmplgen(*args, cwd=work).out


def test_new_says_what_the_catalog_is_built_on_and_the_record_has_both(make, team):
    files, done = make(team(), *SERVICE)
    version = yaml.safe_load(show("catalog.yml"))["version"]
    assert f"\nCatalog acme 1.0.0, built on tmplgen {version}\n" in done.out
    assert done.err.count("plain folder") == 1, done.err
    catalog = record(files)["catalog"]
    assert (catalog["version"], catalog["commit"]) == ("1.0.0", None)
    extended = catalog["extends"]
    assert (extended["source"], extended["version"]) == ("builtin", version)
    assert re.fullmatch("[0-9a-f]{40}", extended["commit"])


def test_a_catalog_that_extends_nothing_has_no_such_word(make, catalog):
    files, done = make(catalog.folder, "--type", "thing")
    assert list(record(files)["catalog"]) == ["source", "ref", "commit", "version"]
    assert "built on" not in done.out


# ---------------------------------------------------------------- what a team adds


def test_a_default_of_the_team_for_all_types(make, team):
    folder = team(yml="defaults: {registry: ghcr.io/acme}\n")
    for kind in ("service", "batch"):
        files, _ = make(folder, "--type", kind, "--framework", "pytorch", name=kind)
        assert record(files)["answers"]["registry"] == "ghcr.io/acme"
        assert "ghcr.io/acme" in files["Dockerfile"]
    files, _ = make(folder, *SERVICE, "--registry", "else.example/x", name="said")
    assert record(files)["answers"]["registry"] == "else.example/x"


def test_a_default_of_the_team_for_one_type(make, team):
    text = "extends: service\nquestions:\n  - {name: registry, default: ghcr.io/acme}\n"
    folder = team({"templates/service/template.yml": text})
    files, _ = make(folder, *SERVICE)
    assert record(files)["answers"]["registry"] == "ghcr.io/acme"
    files, _ = make(folder, "--type", "batch", "--framework", "pytorch", name="other")
    assert record(files)["answers"]["registry"] == ""


def test_the_nearest_default_counts(make, team):
    base = team(yml="defaults: {registry: a.example/x}\n", name="base")
    text = "extends: service\nquestions: [{name: registry, default: b.example/x}]\n"
    over = {"templates/service/template.yml": text}
    head = f"name: top\nversion: 1.0.0\nextends: {{source: {base}}}\n"
    files, _ = make(team(over, head=head, name="one"), *SERVICE, name="one")
    assert record(files)["answers"]["registry"] == "b.example/x"
    yml = "defaults: {registry: c.example/x}\n"
    files, _ = make(team(over, yml, head, "two"), *SERVICE, name="two")
    assert record(files)["answers"]["registry"] == "c.example/x"


def test_a_default_that_is_none_for_its_question_is_told_where_it_stands(refused, team):
    told = refused(team(yml="defaults: {conda: perhaps}\n"), *SERVICE)
    assert "catalog.yml:4:19:" in told and "perhaps" in told, told


def test_a_layer_and_a_question_more(make, team):
    manifest = """\
extends: service
layers: [{name: on-call}]
questions:
  - {name: on_call, help: who answers at night, default: nobody}
refuse: [{when: "on_call == 'you'", because: that is not you}]
files: [{match: ON-CALL.md, policy: seed}]
next: ["cat ON-CALL.md"]
"""
    folder = team(
        {
            "templates/service/template.yml": manifest,
            "templates/_layers/on-call/layer.yml": "description: who is on call\n",
            "templates/_layers/on-call/files/ON-CALL.md.j2": "At night: {{ on_call }}\n",
        }
    )
    files, done = make(folder, *SERVICE, "--set", "on_call=Ann")
    assert files["ON-CALL.md"] == "At night: Ann\n"
    assert done.out.rstrip().endswith("cat ON-CALL.md")
    assert "make setup" in done.out  # what the type had is there, too
    plain, _ = make("builtin", *SERVICE, name="plain")
    differ = {path for path in plain if plain[path] != files[path]}
    assert set(files) - set(plain) == {"ON-CALL.md"}
    assert differ <= {".tmplgen.yml", "README.md", "pyproject.toml"} | {
        path for path in plain if "child" in files[path]
    }


def test_what_is_added_holds(refused, team):
    manifest = 'extends: service\nrefuse: [{when: "registry", because: no registries here}]\n'
    folder = team({"templates/service/template.yml": manifest})
    assert "no registries here" in refused(folder, *SERVICE, "--registry", "a.example/b")


def test_a_type_that_is_based_on_another(make, team):
    manifest = """\
description: a service of ours
extends: service
overrides: [docs/adr.md]
questions: [{name: tier, type: choice, choices: [a, b], default: a}]
files:
  - {match: "docs/**", policy: managed}
  - {match: "k8s/**", when: "tier == 'b'"}
"""
    folder = team(
        {
            "templates/api/template.yml": manifest,
            "templates/api/files/TIER.md.j2": "{{ tier }} {{ template }}\n",
        }
    )
    # without the override, which overrides nothing here
    args = ["--type", "api", "--framework", "pytorch"]
    files, _ = make(folder, *args)
    service, _ = make("builtin", *SERVICE, name="s")
    assert files.pop("TIER.md") == "a service\n"  # layers know it as what it extends
    made = record(files)
    assert (made["template"], made["answers"]["tier"]) == ("api", "a")
    files.pop(".tmplgen.yml"), service.pop(".tmplgen.yml")
    assert files == service


def test_a_type_that_is_based_on_another_replaces_and_leaves_out_its_files(
    tmplgen, new, catalog, work
):
    catalog.file("a.txt", "a").file("b.txt", "b").file("c.txt.j2", "{{ greeting }}")
    catalog.template(
        "description: d\nextends: thing\noverrides: [a.txt]\n"
        "files: [{match: b.txt, when: 'false'}, {match: c.txt, policy: managed}]\n",
        name="other",
    )
    catalog.write("templates/other/files/a.txt", "A")

    def other(path, *args):
        return tmplgen("new", path, "--type", "other", "--catalog", catalog.folder, *args, cwd=work)

    done = new("child", "--json", "--no-git")
    assert {f["path"] for f in done.json["files"]} >= {"a.txt", "b.txt", "c.txt"}
    done = other("other", "--json", "--no-git")
    made = {f["path"]: f for f in done.json["files"]}
    assert set(made) == {".gitattributes", "a.txt", "c.txt", "hello.txt"}
    assert made["a.txt"]["source"] == "templates/other/files/a.txt"
    assert made["c.txt"]["policy"] == "managed"
    catalog.template("description: d\nextends: thing\n", name="other")
    done = other("third")
    assert done.code == 2 and "both render to 'a.txt'" in done.err


def test_one_include_and_one_file_replaced(make, team):
    include = "templates/_includes/ci/jobs.j2"
    layer = "templates/_layers/docker/files/.dockerignore.j2"
    folder = team(
        {include: show(include) + "{# ours #}", layer: "*\n"},
        f'overrides: ["templates/_includes/**", {layer}]\n',
    )
    files, _ = make(folder, *SERVICE)
    assert files[".dockerignore"] == "*\n"


def test_a_file_more_in_a_layer_of_the_other_catalog(make, team):
    folder = team({"templates/_layers/docker/files/OURS.txt": "ours\n"})
    files, _ = make(folder, *SERVICE)
    assert files["OURS.txt"] == "ours\n"


ROWS = """\
sources: {acme: our own build of 2026-11}
frameworks:
  pytorch:
    releases:
    - {version: 2.99.0, like: 2.15.0, source: acme, as_of: 2026-11}
    builds:
    - {releases: 2.99.0, variant: cu132, like: 2.15.0, source: acme, as_of: 2026-11}
"""


def resolved(tmplgen, work, folder, *args):
    done = tmplgen("matrix", "resolve", *args, "--json", "--catalog", folder, cwd=work)
    assert done.code == 0, done.err
    return done.json["resolution"]


def test_a_row_more_of_a_framework(tmplgen, work, team):
    folder = team({"matrices/rows/acme.yml": ROWS})
    found = resolved(tmplgen, work, folder, "--framework", "pytorch")
    assert found["framework"]["version"] == "2.99.0"
    assert "overlay" not in json.dumps(found["notes"])
    assert tmplgen("matrix", "check", "--catalog", folder, cwd=work).code == 0
    (work / "mine.yml").write_text(
        "frameworks: {pytorch: {releases: [{version: 2.99.1, like: 2.99.0}],"
        " builds: [{releases: 2.99.1, variant: cu132, like: 2.99.0}]}}\n"
    )
    found = resolved(
        tmplgen, work, folder, "--framework", "pytorch", "--overlay", work / "mine.yml"
    )
    assert found["framework"]["version"] == "2.99.1"


@pytest.mark.parametrize(
    ("old", "new", "place", "words"),
    [
        ("2.99.0, like: 2.15.0", "2.15.0, like: 2.14.0", "5:17", "a second row of version 2.15.0"),
        ("pytorch:", "pytroch:", "3:3", "there is no 'matrices/frameworks/pytroch.yml'"),
        ("acme: our", "index: our", "1:1", "1 of these names are taken"),
        ("    releases:", "    supply: wheel\n    releases:", "4:5", "only rows can be added"),
        (", as_of: 2026-11}\n    builds", "}\n    builds", "5:7", "'as_of' is missing"),
        ("frameworks:", "framworks:", "2:1", "framworks"),
    ],
)
def test_rows_are_as_strict_as_those_of_the_file(tmplgen, work, team, old, new, place, words):
    folder = team({"matrices/rows/acme.yml": ROWS.replace(old, new, 1)})
    done = tmplgen("matrix", "resolve", "--framework", "pytorch", "--catalog", folder, cwd=work)
    assert done.code == 2
    assert f"matrices/rows/acme.yml:{place}:" in done.err and words in done.err, done.err


def test_a_framework_file_replaced(tmplgen, work, team):
    path = "matrices/frameworks/pytorch.yml"
    text = show(path).replace("title: PyTorch", "title: Our PyTorch")
    folder = team({path: text}, f'overrides: ["{path}"]\n')
    args = ["matrix", "list", "--catalog", folder]
    assert "Our PyTorch" in tmplgen(*args, cwd=work).out


def test_a_file_of_the_other_one_is_not_written_to(tmplgen, work, team):
    args = ["matrix", "accept", "tensorflow==2.22.0rc0", "--catalog", team()]
    done = tmplgen(*args, cwd=work)
    assert done.code == 2
    assert "there is no '" in done.err and "under 'overrides'" in done.err, done.err


def test_a_framework_more(make, team):
    source = ROOT / "templates/_layers/framework-none"
    layer = {
        f"templates/_layers/framework-ours/{path.relative_to(source)}": path.read_text()
        for path in source.rglob("*")
        if path.is_file() and "batch" not in path.name
    }
    matrix = show("matrices/frameworks/none.yml").replace("framework: none", "framework: ours")
    folder = team(
        {
            **layer,
            "matrices/frameworks/ours.yml": matrix,
            "templates/service/template.yml": "extends: service\nframeworks: [ours]\n",
            "templates/_layers/framework-ours/files/OURS.md": "ours\n",
        }
    )
    files, _ = make(folder, "--type", "service", "--framework", "ours")
    assert files["OURS.md"] == "ours\n"
    assert record(files)["resolution"]["framework"]["name"] == "ours"
    plain, _ = make(folder, "--type", "service", "--framework", "jax", name="jax")
    assert "OURS.md" not in plain


def test_a_base_image_more_serves_before_others_and_types_based_on_its_own(make, team):
    image = show("base-images/pytorch/image.yml")
    folder = team(
        {
            "base-images/acme/image.yml": image,
            "base-images/acme/Dockerfile.j2": show("base-images/pytorch/Dockerfile.j2"),
            "templates/api/template.yml": "extends: service\n",
        }
    )
    for kind in ("service", "api"):
        files, _ = make(
            folder, "--type", kind, "--framework", "pytorch", "--registry", "r.io/x", name=kind
        )
        assert record(files)["resolution"]["team_image"]["repository"] == "r.io/x/acme"


# ---------------------------------------------------------------- what is refused


def test_a_clash_that_nobody_declares(refused, team):
    path = "templates/_layers/docker/files/Dockerfile.j2"
    other = "templates/_layers/docker/files/docker-bake.hcl.j2"
    told = refused(team({path: "x"}), *SERVICE)
    assert f"catalog.yml:3:10: '{path}' is in this catalog and in 'tmplgen'" in told
    assert f"add \"{path}\" to 'overrides'" in told
    folder = team({path: "x", "matrices/gpus.yml": "x"}, "overrides: [matrices/none.yml]\n")
    assert other and "'matrices/none.yml' overrides nothing" in refused(folder, *SERVICE)
    folder = team({}, "overrides: [matrices/cuda.yml, matrices/gpus.yml]\n")
    told = refused(folder, *SERVICE)
    assert "catalog.yml:4:13: 'matrices/cuda.yml' overrides nothing: this catalog has no" in told
    folder = team({"matrices/cuda.yml": "x"}, "overrides: [matrices/cuda.yml, matrices/gpus.yml]\n")
    assert f"catalog.yml:4:13: '{path}'" not in refused(folder, *SERVICE)


def test_the_hint_of_a_clash_is_a_glob_of_that_file_alone(tmplgen, work, catalog, tmp_path):
    catalog.file("[a]*.txt", "x")
    top = Catalog(tmp_path / "top")
    shutil.rmtree(top.folder / "templates")
    top.file("[a]*.txt", "y")
    head = f"name: top\nversion: 1.0.0\nextends: {{source: {catalog.folder}}}\n"
    top.write("catalog.yml", head)
    args = ["new", "x", "--type", "thing", "--catalog", top.folder]
    done = tmplgen(*args, cwd=work)
    glob = re.search(r'add "(.*)" to', done.err)[1]
    assert glob == "templates/thing/files/[[]a][*].txt"
    top.write("catalog.yml", head + f'overrides: ["{glob}"]\n')
    assert tmplgen(*args, cwd=work).code == 0


def test_several_clashes_are_counted(refused, team):
    files = {f"matrices/{name}.yml": "x" for name in ("cuda", "gpus", "images")}
    assert "'matrices/cuda.yml' is in" in (told := refused(team(files), *SERVICE))
    assert ", and 2 more like it" in told


@pytest.mark.parametrize(
    ("yml", "place", "words"),
    [
        ("extends: builtin\n", "3:10", "a mapping is wanted here"),
        ("extends: {}\n", "3:10", "'source' is missing"),
        ("extends: {source: ''}\n", "3:10", "'source' is missing"),
        ("extends: {source: builtin, rev: x}\n", "3:28", "'rev'"),
        ("extends: {source: builtin, ref: v99.0.0}\n", "3:10", "has no version 'v99.0.0'"),
        ("extends: {source: /nowhere/at/all}\n", "3:10", "there is no catalog at"),
        ("overrides: [x]\n", "3:12", "'overrides' means nothing without 'extends'"),
        ("defaults: [x]\n", "3:11", "'defaults' must be a mapping"),
        ("defaults: {name: x}\n", "3:18", "'name' has no default"),
    ],
)
def test_what_is_written_wrong_is_told_at_its_place(refused, team, yml, place, words):
    told = refused(team(head="name: acme\nversion: 1.0.0\n", yml=yml), *SERVICE)
    assert f"catalog.yml:{place}:" in told and words in told, told


def test_an_older_program_says_which_it_needs(refused, team):
    head = "name: acme\nversion: 1.0.0\nextends: {source: builtin, ref: v99.1.0}\n"
    assert "install tmplgen 99.1.0 or newer" in refused(team(head=head), *SERVICE)


def test_an_older_release_of_the_built_in_one(make, team):
    head = "name: acme\nversion: 1.0.0\nextends: {source: builtin, ref: v0.2.0}\n"
    files, done = make(team(head=head), *SERVICE)
    extended = record(files)["catalog"]["extends"]
    assert (extended["ref"], extended["version"]) == ("v0.2.0", "0.2.0")
    assert "built on tmplgen 0.2.0" in done.out


@pytest.mark.parametrize("ref", ["", ", ref: null", ", ref: ~"])
def test_no_ref_is_the_newest(make, team, ref):
    head = f"name: acme\nversion: 1.0.0\nextends: {{source: builtin{ref}}}\n"
    _, done = make(team(head=head), *SERVICE)
    assert f"built on tmplgen {yaml.safe_load(show('catalog.yml'))['version']}" in done.out


def chain(team, names, last="extends: {source: builtin}\n"):
    """Catalogs that extend each other, the first one first; each has a file of its own."""
    for name, below in zip(names, [*names[1:], None], strict=True):
        head = f"name: {name}\nversion: 1.0.0\n"
        head += f"extends: {{source: ../{below}}}\n" if below else last
        team({f"templates/_layers/docker/files/{name}.txt": name}, head=head, name=name)
    return team.__closure__ and names[0]


def test_a_chain_of_three(make, team, tmp_path):
    chain(team, ["top", "middle"])
    files, done = make(tmp_path / "top", *SERVICE)
    assert (files["top.txt"], files["middle.txt"]) == ("top", "middle")
    assert "Catalog top 1.0.0, built on middle 1.0.0, built on tmplgen" in done.out
    made = record(files)["catalog"]
    assert made["extends"]["source"] == str(tmp_path / "middle")
    assert made["extends"]["extends"]["source"] == "builtin"
    assert done.err.count("plain folder") == 1


def test_more_of_them_than_a_few_are_refused(refused, team, tmp_path):
    chain(team, ["a", "b", "c", "d", "e"])
    assert "more than 5 catalogs extend each other" in refused(tmp_path / "a", *SERVICE)


@pytest.mark.parametrize("names", [["a"], ["a", "b"], ["a", "b", "c"]])
def test_circles(refused, team, tmp_path, names):
    chain(team, names, "extends: {source: ../a}\n")
    assert "extends itself, in a circle" in refused(tmp_path / "a", *SERVICE)


def test_types_that_extend_each_other_in_a_circle(refused, team):
    files = {
        "templates/a/template.yml": "extends: b\n",
        "templates/b/template.yml": "extends: a\n",
        "templates/c/template.yml": "extends: c\n",
        "templates/d/template.yml": "extends: servise\n",
    }
    folder = team(files)
    told = refused(folder, "--type", "a", "--framework", "pytorch")
    assert "templates/b/template.yml:1:10: 'a' extends itself, in a circle" in told
    told = refused(folder, "--type", "c", "--framework", "pytorch")
    assert "template.yml:1:10: 'c' extends itself: no catalog below has such a type" in told
    assert "did you mean 'service'?" in refused(folder, "--type", "d", "--framework", "pytorch")


def test_a_wrong_line_of_the_other_catalogs_manifest_is_told_as_its(
    tmplgen, work, catalog, tmp_path
):
    catalog.template("description: d\nstack: none\nquestions:\n  - {name: greeting, typ: str}\n")
    top = tmp_path / "top"
    for path, text in {
        "catalog.yml": f"name: top\nversion: 1.0.0\nextends: {{source: {catalog.folder}}}\n",
        "templates/thing/template.yml": "extends: thing\nquestions: [{name: more}]\n",
    }.items():
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        (top / path).write_text(text)
    done = tmplgen("new", "x", "--type", "thing", "--catalog", top, cwd=work)
    assert done.code == 2
    assert "test:templates/thing/template.yml:4:22:" in done.err, done.err


def test_a_question_of_the_same_name_twice_is_told(refused, team):
    text = "extends: service\nquestions: [{name: registry}, {name: registry}]\n"
    told = refused(team({"templates/service/template.yml": text}), *SERVICE)
    assert "template.yml:2:31: the question 'registry' is asked twice" in told, told


# ---------------------------------------------------------------- where the other one lies


def test_a_relative_source_is_a_plain_folders_alone(refused, team, tmp_path):
    chain(team, ["top", "middle"])
    git(tmp_path / "top", "init", "-q")
    told = refused(tmp_path / "top", *SERVICE)
    assert "catalog.yml:3:19: '../middle' is relative" in told and "in a git repository" in told
    git(tmp_path / "top", "add", "-A")
    git(tmp_path / "top", "commit", "-q", "-m", "x")
    assert "'../middle' is relative" in refused(tmp_path / "top", *SERVICE)
    bare = tmp_path / "bare.git"
    subprocess.run(["git", "clone", "-q", "--bare", tmp_path / "top", bare], check=True)
    assert "'../middle' is relative" in refused(bare, *SERVICE)
    assert "'../middle' is relative" in refused(f"file://{bare}", *SERVICE)


def test_links_of_the_other_one_are_refused_as_its_own_would_be(refused, team, tmp_path):
    team({}, name="base")
    (tmp_path / "base/templates").mkdir()
    (tmp_path / "base/templates/x").symlink_to("/etc")
    head = "name: acme\nversion: 1.0.0\nextends: {source: ../base}\n"
    assert "'templates/x' in the catalog is a link" in refused(team(head=head), *SERVICE)


def many_files(folder, name, catalog):
    """A repository of a catalog with 25,000 files, which are few trees."""
    folder.mkdir()
    git(folder, "init", "-q")

    def put(kind, text):
        where = ["mktree"] if kind == "tree" else ["hash-object", "-w", "--stdin"]
        done = subprocess.run(
            ["git", *where], cwd=folder, input=text, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    blob = put("blob", "x")
    part = put("tree", "".join(f"100644 blob {blob}\t{n}\n" for n in range(1000)))
    parts = put("tree", "".join(f"040000 tree {part}\t{name}{n}\n" for n in range(25)))
    lines = f"100644 blob {put('blob', catalog)}\tcatalog.yml\n040000 tree {parts}\tmatrices\n"
    commit = git(folder, "commit-tree", put("tree", lines), "-m", "x")
    git(folder, "update-ref", "HEAD", commit)
    git(folder, "tag", "v1.0.0")
    return f"file://{folder}"


def test_both_together_have_the_limits_of_one(refused, tmp_path):
    base = many_files(tmp_path / "base", "a", "name: base\nversion: 1.0.0\n")
    head = f"name: top\nversion: 1.0.0\nextends: {{source: '{base}'}}\n"
    told = refused(many_files(tmp_path / "top", "b", head), *SERVICE)
    assert "more than 50000 files, with those of 'base', which it extends" in told


# ---------------------------------------------------------------- the documents


def test_the_example_of_the_documents(tmplgen, work):
    section = show("docs/catalogs.md").split("## Building on another catalog\n")[1]
    commands = section.split("```sh\n", 1)[1].split("```", 1)[0]
    person = {f"GIT_{who}_{what}": "ann@example.com" for who in ("AUTHOR", "COMMITTER")
              for what in ("NAME", "EMAIL")}  # fmt: skip
    tools = typed_as_tmplgen(work.parent / "bin")
    done = subprocess.run(
        ["sh", "-eu"],
        cwd=work,
        env={**tmplgen.env, **person, "PATH": f"{tools}:{tmplgen.env['PATH']}"},
        input=commands,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Up to date with version 1.0.0 on" in done.stdout
    assert (
        len([p for p in (work / "acme").rglob("*") if p.is_file() and ".git/" not in str(p)]) < 10
    )
    assert (work / "shop/ON-CALL.md").read_text() == "At night: Ann\n"
    assert (work / "shop/.dockerignore").read_text().startswith("*\n!/src\n")
    front = yaml.safe_load((work / "front/.tmplgen.yml").read_text())
    assert front["resolution"]["framework"]["version"] == "2.15.1"
    assert front["answers"]["registry"] == "ghcr.io/acme"
    assert front["catalog"]["ref"] == "v1.0.0"
    assert (work / "front/gateway.yml").read_text() == 'route: "/front"\n'
