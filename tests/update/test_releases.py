"""
The built-in catalog over releases: what an older binary made, a newer one renders, checks and
updates, on a fresh clone, with no network.
"""

import re
import shutil
import subprocess

import pytest
import yaml

from ..common.program import ROOT
from .builds import BUILD, link, once, release_of_today, shell
from .evolution import copy_catalog, set_version
from .world import RECORD, assert_sound, files_on_disk, put

SERVICE = ("--type", "service", "--framework", "pytorch")
NO_NETWORK = ("unshare", "-rn")


def append(path, text):
    path.write_text(path.read_text() + text)


def second(catalog):
    """What a release changes: a line, a new file, a new question, a dropped file."""
    put(catalog, {"CHANGELOG.md": "# Changelog\n\n## 0.2.0\n\n- Operations.\n"})
    service = catalog / "templates" / "service"
    readme = service / "files" / "README.md.j2"
    append(readme, "\n## Operations\n\nRead docs/operations.md; {{ audience }} does.\n")
    put(service / "files", {"docs/operations.md.j2": "# Operations of {{ name }}\n\nCalmly.\n"})
    manifest = service / "template.yml"
    question = "questions:\n  - {name: audience, type: str, default: the team, help: Who runs it}\n"
    manifest.write_text(manifest.read_text().replace("questions:\n", question, 1))


def third(catalog):
    service = catalog / "templates" / "service"
    put(service / "files", {"docs/operations.md.j2": None})
    put(
        service / "files",
        {"docs/running.md.j2": "# Operations of {{ name }}\n\nCalmly.\n\nAlways.\n"},
    )
    manifest = service / "template.yml"
    append(
        manifest,
        "migrations:\n  - from: '<0.3'\n    rename_answers: {audience: operator}\n"
        "    rename_files: {docs/operations.md: docs/running.md}\n",
    )
    for path in (manifest, service / "files" / "README.md.j2"):
        path.write_text(path.read_text().replace("audience,", "operator,"))
    readme = service / "files" / "README.md.j2"
    text = readme.read_text().replace("operations.md; {{ audience }}", "running.md; {{ operator }}")
    readme.write_text(text)


RELEASES = [("0.1.0", None), ("0.2.0", second), ("0.3.0", third)]


@pytest.fixture(scope="module")
def binaries(tmp_path_factory):
    """One for each release, which holds it and those before; the last is of no release."""
    return once(tmp_path_factory, "releases", make_binaries)


def make_binaries(folder):
    copy_catalog(folder)
    (folder / "releases").mkdir()
    for manifest in folder.glob("templates/*/template.yml"):  # those are of real releases
        text = manifest.read_text()
        manifest.write_text(re.sub(r"^migrations:\n(  .*\n)+", "", text, flags=re.M))
    set_version(folder, "0.1.0-dev")
    made = [link(folder, "tmplgen-dev")]
    for day, (version, change) in enumerate(RELEASES, 1):
        if change:
            change(folder)
        set_version(folder, version)
        shell(BUILD / "catalog-pack", "release", f"2026-02-0{day}", cwd=folder)
        made.append(link(folder, f"tmplgen-{version}"))
    return made[1:] + made[:1]


def run(world, binary, *args, **more):
    """With no network at all, where this machine can take it away."""
    can = shutil.which("unshare") and subprocess.run([*NO_NETWORK, "true"], check=False)
    prefix = (*(NO_NETWORK if can and can.returncode == 0 else ()), *more.pop("prefix", ()))
    world.binary = binary
    return world.tmplgen(*args, prefix=prefix, **more)


def make_child(world, binary, *args):
    done = run(world, binary, "new", world.child, *SERVICE, *args)
    assert done.code == 0, done.err


def edit(world):
    """Lines of the user's own, at the top of files that the template goes on changing."""
    readme = world.read("README.md").split("\n")
    readme.insert(1, "\nOurs.")
    world.edit({"README.md": "\n".join(readme), "src/own.py": "OWN = 1\n"})


def fresh_clone(world, name="fresh"):
    world.git("clone", "-q", f"file://{world.child}", name, cwd=world.folder)
    return world.folder / name


def updated(world, binary, child, *args):
    done = run(world, binary, "update", child, "--json", *args)
    assert (done.code, done.json["result"]) == (0, "updated"), done.out + done.err
    return done


@pytest.mark.full
def test_child_of_the_old_binary_is_updated_by_the_new_one_on_a_fresh_clone(world, binaries):
    make_child(world, binaries[0])
    edit(world)
    clone = fresh_clone(world)
    assert run(world, binaries[0], "update", clone, "--check").code == 0
    status = run(world, binaries[1], "status", clone, "--json").json
    assert status["update"] == {"available": "0.2.0"}
    assert {p["path"] for p in status["paths"]} == {"README.md", "src/own.py"}
    assert run(world, binaries[1], "update", clone, "--check").code == 6

    done = updated(world, binaries[1], clone)
    assert done.json["base"]["proven_by"] == "render"
    assert (done.json["from"]["version"], done.json["to"]["version"]) == ("0.1.0", "0.2.0")
    assert done.paths == {"README.md": "merged", "docs/operations.md": "added"}
    text = world.read("README.md", clone)
    assert "\nOurs.\n" in text and text.endswith("docs/operations.md; the team does.\n")
    assert world.read("src/own.py", clone) == "OWN = 1\n"
    assert_sound(world, clone)
    updated(world, binaries[1], world.child)
    assert world.tree() == world.tree(child=clone)
    assert run(world, binaries[1], "update", clone, "--check").code == 0


@pytest.mark.full
def test_one_hop_over_a_release_equals_two(world, binaries):
    make_child(world, binaries[0], "--set", "description=Ours")
    edit(world)
    clone = fresh_clone(world)
    updated(world, binaries[1], world.child)
    updated(world, binaries[2], world.child)
    done = updated(world, binaries[2], clone)
    assert world.tree() == world.tree(child=clone)
    assert done.json["answers"]["added"] == ["operator"]
    assert "running.md; the team does" in world.read("README.md", clone)
    assert not (clone / "docs/operations.md").exists()


@pytest.mark.full
def test_answer_and_file_renamed_by_a_release_are_followed(world, binaries):
    make_child(world, binaries[1], "--set", "audience=Ann")
    world.edit({"docs/operations.md": "# Operations of us\n\nCalmly.\n"})
    done = updated(world, binaries[2], fresh_clone(world))
    assert done.json["answers"]["renamed"] == [{"from": "audience", "to": "operator"}]
    assert "running.md; Ann does" in world.read("README.md", world.folder / "fresh")
    text = world.read("docs/running.md", world.folder / "fresh")
    assert text == "# Operations of us\n\nCalmly.\n\nAlways.\n"


@pytest.mark.full
def test_newest_binary_goes_to_any_release_it_holds(world, binaries):
    make_child(world, binaries[0])
    updated(world, binaries[2], world.child, "--to", "v0.2.0")
    assert "audience: the team" in world.read(RECORD)
    refused = run(world, binaries[2], "update", world.child, "--to", "v0.1.0", "--json")
    assert (refused.code, refused.error["code"]) == (3, "downgrade")
    tree = world.tree(rev="HEAD^")
    updated(world, binaries[2], world.child, "--to", "v0.1.0", "--allow-downgrade")
    assert world.tree() == tree


@pytest.mark.full
def test_old_binary_says_that_it_is_too_old_and_changes_nothing(world, binaries):
    make_child(world, binaries[1])
    before = files_on_disk(world.child)
    done = run(world, binaries[0], "update", world.child, "--json")
    assert done.code == 2, done.out
    assert "newer tmplgen" in done.error["hint"]
    assert files_on_disk(world.child) == before
    status = run(world, binaries[0], "status", world.child, "--json")
    assert (status.code, status.json["catalog"]["version"]) == (0, "0.2.0")


@pytest.mark.full
def test_old_binary_is_told_by_check_and_status(world, binaries):
    make_child(world, binaries[1])
    words = "this tmplgen is older than the project: 0.1.0 against 0.2.0"
    for command in (("update", world.child, "--check"), ("status", world.child, "--fetch")):
        done = run(world, binaries[0], *command, "--json")
        assert done.code == 0, done.out
        assert any(warning.startswith(words) for warning in done.json["warnings"])
        assert words in run(world, binaries[0], *command).err
    assert words in run(world, binaries[0], "update", world.child).err
    assert words not in run(world, binaries[1], "update", world.child, "--check").err


@pytest.mark.full
def test_binary_says_what_its_releases_brought(world, binaries):
    make_child(world, binaries[0])
    check = run(world, binaries[1], "update", world.child, "--check", "--json")
    note = {"version": "0.2.0", "from": "changelog", "text": "- Operations.\n"}
    assert check.json["notes"] == [note]
    updated(world, binaries[2], world.child)
    assert "\nNew in 0.2.0:\n\n  - Operations." in world.git("log", "-1", "--format=%B")


@pytest.mark.full
def test_new_binary_makes_of_an_old_release_what_the_old_one_made(world, binaries):
    for binary, name in ((binaries[0], "old"), (binaries[2], "new")):
        target = world.folder / name / "child"
        done = run(
            world, binary, "new", target, *SERVICE, "--catalog", "builtin@v0.1.0", "--no-git"
        )
        assert done.code == 0, done.err
    assert files_on_disk(world.folder / "old") == files_on_disk(world.folder / "new")


@pytest.mark.full
def test_releases_that_a_user_lost_are_in_no_file_outside_the_binary(world, binaries, tmp_path):
    """The binary alone: copied away from everything it was built from."""
    make_child(world, binaries[0])
    alone = tmp_path / "alone"
    shutil.copy(binaries[1], alone)
    updated(world, alone, fresh_clone(world))


@pytest.mark.full
def test_child_of_a_development_build_is_updated_by_its_root_commit(world, binaries):
    """No release has the catalog that it was made from; its history says what that was."""
    make_child(world, binaries[-1])
    edit(world)
    done = updated(world, binaries[1], fresh_clone(world))
    assert done.json["base"]["proven_by"] == "history"
    assert done.paths["README.md"] == "merged"
    assert "\nOurs.\n" in world.read("README.md", world.folder / "fresh")


# ---------------------------------------------------------------- from a real release to here

# Files whose names had a condition in 0.2.0, by type and choices: a row of `files` says it since.
PYTORCH = ("--type", "batch", "--framework", "pytorch")
XGBOOST = ("--type", "batch", "--framework", "xgboost", "--variant", "cuda12")
ONNX = ("--type", "batch", "--framework", "onnxruntime")
DOCS = ("--type", "library", "--framework", "none", "--set", "docs=true")
CONDITIONAL = {
    "pytorch": (PYTORCH, ["configs/gpu.toml", "src/it/network.py"]),
    "xgboost": (XGBOOST, ["configs/gpu.toml", "src/it/features.py", "src/it/profiles.py"]),
    "onnxruntime": (ONNX, ["src/it/network.py", "src/it/driver.py", "src/it/profiles.py"]),
    "docs": (
        DOCS,
        ["ci/docs.sh", "requirements/docs.txt", "docs/conf.py", "docs/api.md", "docs/index.md"],
    ),
}


def say_newest(folder):
    """Each of those files gets a line more."""
    for words, paths in CONDITIONAL.values():
        files = folder / "templates" / words[1] / "files"
        for path in paths:
            source = files / path.replace("src/it", "src/{{package}}")
            if not source.exists():
                source = source.with_name(source.name + ".j2")
            if "# newest" not in source.read_text():
                append(source, "# newest\n")


@pytest.fixture(scope="module")
def newest(tmp_path_factory):
    """A binary that releases the catalog as it is here, those files changed."""
    [made] = once(tmp_path_factory, "newest", lambda it: [release_of_today(it, say_newest)])
    return made


RELEASED = [it.split()[0] for it in (ROOT / "releases/index.txt").read_text().splitlines()]


@pytest.mark.parametrize("version", RELEASED)
def test_children_of_every_release_are_updated(world, newest, version):
    """All types that it had, with a line and a file of the user's own."""
    catalog = ("--catalog", f"builtin@v{version}")
    listed = run(world, newest, "template", "list", *catalog, "--json").json["types"]
    for kind in (it["type"] for it in listed):
        world.child = world.folder / kind
        needs = {"cluster": [], "images": ["--registry", "r.example.org/team"]}
        words = needs.get(kind, ["--framework", "transformers" if kind == "llm" else "pytorch"])
        made = run(world, newest, "new", world.child, "--type", kind, *words, *catalog)
        assert made.code == 0, made.err
        edit(world)
        done = updated(world, newest, world.child)
        assert (done.json["from"]["version"], done.json["to"]["version"]) == (version, "99.0.0")
        assert "\nOurs.\n" in world.read("README.md") and world.read("src/own.py") == "OWN = 1\n"
        assert run(world, newest, "update", world.child, "--check").code == 0
        assert_sound(world)


# Where the user's line is in a file whose first lines are others by now.
LINE = {"src/it/features.py": 10}


@pytest.fixture(params=CONDITIONAL)
def conditional(request, world, newest):
    """A child of 0.2.0; the paths of those files in it, each with a line of the user's own."""
    words, paths = CONDITIONAL[request.param]
    said = (*words, "--name", "it", "--catalog", "builtin@v0.2.0")
    done = run(world, newest, "new", world.child, *said)
    assert done.code == 0, done.err
    edits = {}
    for path in paths:
        lines = world.read(path).splitlines(keepends=True)
        lines.insert(LINE.get(path, 1), "# ours\n")
        text = "".join(lines)
        edits[path] = ("x", text) if path.endswith(".sh") else text
    world.edit(edits)
    return paths


@pytest.mark.parametrize("kind", ["service", "batch"])
def test_a_project_with_a_registry_is_told_of_the_image_that_must_be_in_it(world, newest, kind):
    """The built-in image is in no registry until somebody builds it."""
    words = ["--type", kind, "--framework", "pytorch", "--registry", "ghcr.io/team"]
    done = run(world, newest, "new", world.child, *words, "--catalog", "builtin@v0.2.0")
    assert done.code == 0, done.err
    notes = updated(world, newest, world.child).json["notes"]
    [note] = [it["text"] for it in notes if "tmplgen image build" in it["text"]]
    assert "ghcr.io/team/pytorch:" in world.read("Dockerfile")
    assert "tmplgen image build --push" in note and "BASE_IMAGE=nvidia/cuda:TAG" in note
    assert run(world, newest, "update", world.child, "--check", "--json").json["notes"] == []


def assert_both(world, path):
    text = world.read(path)
    assert "# ours\n" in text and text.endswith("# newest\n"), path


def assert_none_came_or_went(done, paths):
    """An update takes such a file for the one that it was, never for a new one beside it."""
    assert not {"added", "deleted"} & {how for path, how in done.paths.items() if path in paths}
    assert not {"conflict", "kept-deleted"} & set(done.paths.values())


@pytest.mark.turns(2)
def test_a_file_that_lost_the_condition_in_its_name_merges(world, newest, conditional):
    done = updated(world, newest, world.child)
    assert (done.json["from"]["version"], done.json["to"]["version"]) == ("0.2.0", "99.0.0")
    assert {path: done.paths[path] for path in conditional} == dict.fromkeys(conditional, "merged")
    assert_none_came_or_went(done, conditional)
    for path in conditional:
        assert_both(world, path)
    assert_sound(world, world.child)


@pytest.mark.turns(2)
def test_such_a_file_is_followed_where_the_child_renamed_it(world, newest, conditional):
    renamed = {path: f"{path.rpartition('.')[0]}_of_ours.txt" for path in conditional}
    world.edit({new: {"from": path} for path, new in renamed.items()})
    done = updated(world, newest, world.child)
    assert_none_came_or_went(done, {*renamed, *renamed.values()})
    for path, new in renamed.items():
        assert_both(world, new)
        assert not (world.child / path).exists()


@pytest.mark.turns(2)
def test_such_a_file_is_followed_where_the_same_update_moves_it(world, newest, conditional):
    done = updated(world, newest, world.child, "--set", "package=other")
    moved = [path.replace("src/it/", "src/other/") for path in conditional]
    assert_none_came_or_went(done, {*conditional, *moved})
    for path in moved:
        assert_both(world, path)
    assert not (world.child / "src/it").exists()


CHILDREN = [
    ("0.1.0", SERVICE),
    *(("0.2.0", ("--type", "service", "--framework", name)) for name in ("jax", "transformers")),
    *(("0.2.0", ("--type", "batch", "--framework", name)) for name in ("none", "tensorflow")),
    *(("0.2.0", ("--type", "library", "--framework", name)) for name in ("pytorch", "jax")),
]


# A user's own from the first day on: an update leaves its text as it is.
WRITTEN_ONCE = ["requirements/constraints.txt"]


def held(old, words):
    """
    The words that ask anew for what an update leaves where it was: the minor release and the build.
    """
    framework, version = old["framework"]["name"], old["framework"]["version"]
    minor = ".".join(version.split(".")[:2])
    spec = {framework: f"{framework}=={minor}.*"}
    return [*(spec.get(word, word) for word in words), "--variant", old["cuda"]["variant"]]


@pytest.mark.turns(3)
@pytest.mark.parametrize(("version", "words"), CHILDREN)
def test_an_untouched_child_becomes_what_is_made_anew(world, newest, version, words):
    said = (*words, "--name", "it")
    done = run(world, newest, "new", world.child, *said, "--catalog", f"builtin@v{version}")
    assert done.code == 0, done.err
    old = yaml.safe_load(world.read(RECORD))["resolution"]
    updated(world, newest, world.child)
    done = run(world, newest, "new", world.folder / "anew/it", *held(old, said))
    assert done.code == 0, done.err
    for folder in (world.child, world.folder / "anew/it"):
        for path in (RECORD, *WRITTEN_ONCE):
            (folder / path).unlink()
    assert files_on_disk(world.child) == files_on_disk(world.folder / "anew/it")
