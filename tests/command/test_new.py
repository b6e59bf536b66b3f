"""`tmplgen new`: where it writes, what it commits, what it says; failures leave nothing."""

import json
import os
import shutil
import stat
import subprocess

import pytest

from ..common.program import BINARY
from .world import git

EXACT = ["new", "--type", "service", "--framework", "pytorch"]


def everything_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


# ---------------------------------------------------------------- the exact command


def test_exact_command_makes_a_repository_with_one_root_commit(tmplgen, work):
    done = tmplgen(*EXACT, cwd=work)
    assert done.code == 0, done.err
    child = work / "pytorch-service"
    assert (child / "Dockerfile").is_file()
    assert git(child, "rev-list", "--count", "HEAD") == "1"
    assert git(child, "status", "--porcelain") == ""
    assert git(child, "fsck", "--strict") == ""
    assert os.listdir(work) == ["pytorch-service"]


def test_exact_command_says_what_it_did_and_what_comes_next(tmplgen, work):
    done = tmplgen(*EXACT, cwd=work)
    assert "Created ./pytorch-service" in done.out
    assert "cd ./pytorch-service" in done.out
    assert "pytorch" in done.out and "nvidia/cuda" in done.out


def test_no_identity_commits_as_tmplgen_and_says_so(tmplgen, work):
    done = tmplgen(*EXACT, cwd=work)
    author = git(work / "pytorch-service", "log", "-1", "--format=%an <%ae>|%cn <%ce>")
    assert author == "tmplgen <tmplgen@localhost>|tmplgen <tmplgen@localhost>"
    assert "tmplgen <tmplgen@localhost>" in done.err


def test_identity_and_default_branch_of_the_user_are_honoured(tmplgen, work):
    (tmplgen.home / ".gitconfig").write_text(
        "[user]\nname = Ada L\nemail = ada@example.com\n[init]\ndefaultBranch = trunk\n"
    )
    assert tmplgen(*EXACT, cwd=work).code == 0
    child = work / "pytorch-service"
    assert git(child, "log", "-1", "--format=%an <%ae>") == "Ada L <ada@example.com>"
    assert git(child, "symbolic-ref", "--short", "HEAD") == "trunk"


def test_identity_of_the_environment_wins(tmplgen, work):
    env = {"GIT_AUTHOR_NAME": "Env A", "GIT_AUTHOR_EMAIL": "env@example.com"}
    assert tmplgen(*EXACT, cwd=work, env=env).code == 0
    child = work / "pytorch-service"
    assert git(child, "log", "-1", "--format=%an <%ae>") == "Env A <env@example.com>"


def test_json_carries_path_type_answers_files_commit_tree_and_resolution(tmplgen, work):
    document = tmplgen(*EXACT, "--json", cwd=work).json
    assert document["schema"] == "tmplgen/new@1"
    assert document["exit"] == 0
    child = work / "pytorch-service"
    assert document["path"] == str(child)
    assert document["type"] == "service"
    assert document["answers"]["name"] == "pytorch-service"
    assert document["commit"] == git(child, "rev-parse", "HEAD")
    assert document["resolution"]["framework"]["name"] == "pytorch"
    listed = {entry["path"] for entry in document["files"]}
    tracked = set(git(child, "ls-files").splitlines())
    assert tracked == listed | {".tmplgen.yml"}


def test_render_tree_has_a_base_commit_under_its_own_ref(tmplgen, work):
    tree = tmplgen(*EXACT, "--json", cwd=work).json["tree"]
    child = work / "pytorch-service"
    assert git(child, "rev-parse", f"refs/tmplgen/base/{tree}^{{tree}}") == tree
    without_record = git(child, "ls-tree", "-r", "--name-only", tree).splitlines()
    assert ".tmplgen.yml" not in without_record


def test_record_holds_catalog_answers_request_resolution_and_render(tmplgen, work):
    import yaml

    document = tmplgen(*EXACT, "--json", cwd=work).json
    record = yaml.safe_load((work / "pytorch-service" / ".tmplgen.yml").read_text())
    assert list(record) == [
        "schema",
        "catalog",
        "template",
        "answers",
        "request",
        "resolution",
        "render",
        "yours",
    ]
    assert record["schema"] == 1
    assert record["catalog"]["source"] == "builtin"
    assert len(record["catalog"]["commit"]) == 40
    assert record["template"] == "service"
    assert record["answers"] == document["answers"]
    assert record["request"] == {"framework": "pytorch"}
    assert document["resolution"].pop("team_image") is None  # which a record leaves out
    assert record["resolution"] == document["resolution"]
    assert record["render"]["tree"] == document["tree"]
    assert len(record["render"]["inputs"]) == 64
    assert record["render"]["engine"] == 1
    assert record["yours"] == []


def test_attributes_keep_git_from_merging_the_record(new, work):
    assert new("child").code == 0
    assert git(work / "child", "check-attr", "merge", ".tmplgen.yml") == (
        ".tmplgen.yml: merge: unset"
    )


def test_attributes_of_the_template_are_kept(new, work, catalog):
    catalog.file(".gitattributes", "*.bin binary")
    assert new("child").code == 0
    text = (work / "child" / ".gitattributes").read_text()
    assert text == "*.bin binary\n/.tmplgen.yml -merge\n"


# ---------------------------------------------------------------- where it writes


def test_default_name_of_a_type_without_stack_is_the_last_part_of_the_path(new, work):
    assert new("some/deep/thing-x").code == 0
    assert (work / "some/deep/thing-x/hello.txt").read_text() == "hello thing-x\n"


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("reviews", "reviews"),
        ("deep/er/reviews/", "reviews"),
        ("My App", "my-app"),
        (".", "real-folder"),
        ("torch", "pytorch-library"),  # its package would hide PyTorch's
        ("@", "pytorch-library"),
    ],
)
def test_a_project_is_called_like_its_folder_where_that_can_be(tmplgen, work, path, name):
    folder = work / "real-folder"
    folder.mkdir()
    words = ["new", path, "--type", "library", "--framework", "pytorch", "--defaults", "--no-git"]
    done = tmplgen(*words, "--json", cwd=folder)
    assert done.json["answers"]["name"] == name
    last = path.rstrip("/").rsplit("/", 1)[-1]
    assert ("--name says another" in done.err) == (name not in (last, "real-folder"))


@pytest.mark.parametrize("type", ["service", "batch", "library", "llm"])
def test_a_word_of_python_is_no_package(tmplgen, work, type):
    framework = {"llm": "transformers"}.get(type, "none")
    words = ["new", "it", "--type", type, "--framework", framework, "--set", "package=import"]
    done = tmplgen(*words, cwd=work)
    assert done.code == 2 and "it is a word of Python" in done.err
    assert os.listdir(work) == []


def test_a_name_that_is_said_wins_over_the_folders(tmplgen, work):
    words = ["--type", "library", "--framework", "none", "--name", "b", "--json"]
    assert tmplgen("new", "a", *words, cwd=work).json["answers"]["name"] == "b"


def test_default_path_is_the_name(new, work):
    assert new("--name", "abc").code == 0
    assert (work / "abc" / "hello.txt").read_text() == "hello abc\n"


def test_current_folder_can_be_the_target(new, work):
    assert new(".", "--name", "here").code == 0
    assert (work / "hello.txt").read_text() == "hello here\n"
    assert git(work, "status", "--porcelain") == ""
    assert not [name for name in os.listdir(work) if name.startswith(".tmplgen-")]


def test_fresh_clone_that_holds_only_git_can_be_the_target(new, work):
    git(work, "init", "-q", ".")
    assert new(".", "--name", "here", "--commit").code == 0
    assert git(work, "rev-list", "--count", "HEAD") == "1"
    assert git(work, "status", "--porcelain") == ""


def test_non_empty_target_is_refused_and_left_alone(new, work):
    (work / "child").mkdir()
    (work / "child" / "mine").write_text("x")
    done = new("child", "--json")
    assert done.code == 3
    assert done.json["error"]["code"] == "target-not-empty"
    assert everything_below(work) == ["child", "child/mine"]


@pytest.mark.parametrize("kind", ["file", "link"])
def test_target_that_is_no_folder_is_refused(new, work, kind):
    if kind == "file":
        (work / "child").write_text("x")
    else:
        (work / "elsewhere").mkdir()
        (work / "child").symlink_to("elsewhere")
    before = everything_below(work)
    assert new("child").code == 3
    assert everything_below(work) == before


def test_target_inside_gits_own_folder_is_refused(new, work):
    git(work, "init", "-q", ".")
    done = new(".git/child")
    assert done.code == 3
    assert not (work / ".git" / "child").exists()


def test_inside_a_repository_files_are_written_and_nothing_is_committed(new, work):
    git(work, "init", "-q", ".")
    git(work, "commit", "-q", "--allow-empty", "-m", "first")
    done = new("sub/child")
    assert done.code == 0
    assert git(work, "rev-list", "--count", "--all") == "1"
    assert git(work, "status", "--porcelain") == "?? sub/"
    assert not (work / "sub/child/.git").exists()
    assert "--commit" in done.err


def test_inside_a_repository_commit_takes_only_the_childs_files(new, work):
    git(work, "init", "-q", ".")
    (work / "other").write_text("1\n")
    git(work, "add", "other")
    git(work, "commit", "-q", "-m", "first")
    (work / "other").write_text("2\n")
    git(work, "add", "other")
    (work / "untracked").write_text("u")
    assert new("sub/child", "--commit").code == 0
    assert git(work, "rev-list", "--count", "HEAD") == "2"
    assert git(work, "show", "HEAD:other") == "1"
    changed = git(work, "diff", "--name-only", "HEAD~", "HEAD").splitlines()
    assert changed == [
        "sub/child/.gitattributes",
        "sub/child/.tmplgen.yml",
        "sub/child/hello.txt",
    ]
    assert git(work, "status", "--porcelain").splitlines() == ["M  other", "?? untracked"]


def test_commit_during_a_merge_is_refused_and_leaves_nothing(new, work):
    git(work, "init", "-q", ".")
    git(work, "commit", "-q", "--allow-empty", "-m", "first")
    (work / ".git" / "MERGE_HEAD").write_text(git(work, "rev-parse", "HEAD") + "\n")
    done = new("child", "--commit", "--json")
    assert done.code == 3
    assert done.json["error"]["code"] == "operation-in-progress"
    assert not (work / "child").exists()
    assert git(work, "ls-files") == ""


def test_held_index_lock_fails_the_commit_and_leaves_nothing(new, work):
    git(work, "init", "-q", ".")
    git(work, "commit", "-q", "--allow-empty", "-m", "first")
    (work / ".git" / "index.lock").write_text("")
    done = new("child", "--commit")
    assert done.code == 1
    assert not (work / "child").exists()
    assert git(work, "rev-list", "--count", "HEAD") == "1"


def test_no_git_writes_files_only(new, work):
    assert new("child", "--no-git").code == 0
    assert not (work / "child" / ".git").exists()
    assert (work / "child" / ".tmplgen.yml").exists()


def test_no_git_and_commit_contradict_each_other(new, work):
    assert new("child", "--no-git", "--commit").code == 2
    assert os.listdir(work) == []


def test_executable_bit_reaches_disk_and_tree(new, work, catalog):
    catalog.file("run.sh", "#!/bin/sh\n", executable=True)
    assert new("child").code == 0
    assert (work / "child" / "run.sh").stat().st_mode & stat.S_IXUSR
    assert git(work / "child", "ls-tree", "HEAD", "run.sh").startswith("100755")


def test_binary_files_are_copied_byte_for_byte(new, work, catalog):
    content = bytes(range(256)) * 3 + b"\r\n{{ nothing }}"
    catalog.file("data.bin", content)
    assert new("child").code == 0
    assert (work / "child" / "data.bin").read_bytes() == content


def test_dry_run_lists_files_and_writes_nothing(new, work):
    done = new("child", "--dry-run")
    assert done.code == 0
    assert "hello.txt" in done.out and "merge" in done.out
    assert os.listdir(work) == []


def test_dry_run_foresees_the_same_tree(new, work):
    foreseen = new("child", "--dry-run", "--json").json
    made = new("child", "--json").json
    assert foreseen["tree"] == made["tree"]
    assert foreseen["files"] == made["files"]
    assert foreseen["commit"] is None


# ---------------------------------------------------------------- failures leave nothing behind


def test_read_only_parent_is_one_clear_message(new, work, tmp_path):
    locked = work / "locked"
    locked.mkdir()
    locked.chmod(0o555)
    if os.access(locked, os.W_OK):
        pytest.skip("this user may write everywhere")
    done = new("locked/child")
    assert done.code == 1
    assert "cannot" in done.err
    locked.chmod(0o755)
    assert os.listdir(locked) == []


def on_a_small_disk(options, folder, command, env):
    """Runs a command in a file system of its own at `folder`; prints what is left there."""
    script = f"""
        mount -t tmpfs -o {options} none "$0" && cd "$0" || exit 99
        "$@"; code=$?
        ls -A "$0"; exit $code
    """
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", script, str(folder), *map(str, command)],
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [("size=64k", "No space left on device"), ("ro", "Read-only file system")],
)
def test_disk_that_takes_nothing_is_one_clear_message(tmplgen, work, catalog, options, reason):
    for number in range(40):
        catalog.file(f"{number}.txt", "x" * 4000)
    command = [BINARY, "new", "child", "--type", "thing", "--catalog", catalog.folder]
    done = on_a_small_disk(options, work, command, tmplgen.env)
    if done.returncode == 99 or "unshare" in done.stderr:
        pytest.skip("no right to mount here")
    assert done.returncode == 1, done.stderr
    assert reason in done.stderr
    assert done.stdout == "", "something was left behind"


def test_parent_that_is_a_file_fails_and_leaves_nothing(new, work):
    (work / "file").write_text("x")
    done = new("file/child")
    assert done.code == 1
    assert os.listdir(work) == ["file"]


def test_failing_template_leaves_no_folders(new, work, catalog):
    catalog.file("bad.txt.j2", "{{ unknown_name }}\n")
    done = new("a/b/child")
    assert done.code == 2
    assert os.listdir(work) == []


# ---------------------------------------------------------------- determinism


def test_same_request_same_tree_under_other_surroundings(tmplgen, work, tmp_path):
    """Another zone, locale, umask, user, folder and order of folders: the same tree id."""
    trees = set()
    surroundings = [
        {"TZ": "UTC", "LC_ALL": "C"},
        {"TZ": "Asia/Tokyo", "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"},
        {"TZ": "America/Los_Angeles", "LC_ALL": "tr_TR.UTF-8", "USER": "somebody"},
    ]
    for number, env in enumerate(surroundings):
        folder = work / f"cwd-{number}"
        folder.mkdir()
        old = os.umask([0o022, 0o077, 0o002][number])
        try:
            trees.add(tmplgen(*EXACT, "--json", cwd=folder, env=env).json["tree"])
        finally:
            os.umask(old)
    assert len(trees) == 1


def test_another_user_makes_the_same_tree(tmplgen, work):
    if os.getuid() != 0:
        pytest.skip("only root can become somebody else")
    first = tmplgen(*EXACT, "--dry-run", "--json", cwd=work).json["tree"]
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", str(BINARY), *EXACT]
        + ["--dry-run", "--json"],
        cwd="/",
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
        check=False,
    )
    if "Permission denied" in done.stderr and not done.stdout:
        pytest.skip("another user cannot reach the binary")
    assert json.loads(done.stdout)["tree"] == first


def test_order_of_a_folder_catalog_does_not_matter(new, work, catalog, tmp_path):
    import shutil

    for name in ["z", "a", "m", "B", "_", "0"]:
        catalog.file(f"{name}.txt", name)
        catalog.file(f"sub-{name}/{name}.txt", name)
    first = new("one", "--json", "--name", "x").json["tree"]
    copy = tmp_path / "copy"
    for path in sorted(catalog.folder.rglob("*"), reverse=True):
        if path.is_file():
            target = copy / path.relative_to(catalog.folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
    shutil.rmtree(catalog.folder)
    copy.rename(catalog.folder)
    assert new("two", "--json", "--name", "x").json["tree"] == first


def test_works_without_home_and_configuration(tmplgen, work):
    done = tmplgen(*EXACT, cwd=work, env={"HOME": "", "XDG_CONFIG_HOME": ""})
    assert done.code == 0, done.err


# ---------------------------------------------------------------- secrets in what is refused

NAMED = ("me:hunter2@r.example.com/team", "https://me:hunter2@r.example.com/team",
         "hunter2@r.example.com/team", "me:hunter2/hunter2@r.example.com/team")  # fmt: skip


@pytest.mark.parametrize("type_name", ["service", "library", "images", "cluster"])
@pytest.mark.parametrize("named", NAMED)
def test_no_password_of_a_registry_is_repeated(tmplgen, work, type_name, named):
    words = ["new", "x", "--type", type_name]
    words += [] if type_name in ("images", "cluster") else ["--framework", "none"]
    words += ["--json"]
    (work / "answers.yml").write_text(f"registry: '{named}'\n")
    for said in (["--registry", named], ["--set", f"registry={named}"],
                 ["--answers", "answers.yml"]):  # fmt: skip
        for done in (tmplgen(*words, *said, cwd=work), tmplgen(*words[:-1], *said, cwd=work)):
            assert done.code == 2 and "hunter2" not in done.out + done.err
            assert "'registry' cannot be '***@r.example.com/team'" in done.out + done.err
    assert sorted(os.listdir(work)) == ["answers.yml"]


@pytest.mark.parametrize("named", NAMED)
@pytest.mark.parametrize(
    "command", [["new", "x", "--type", "service"], ["matrix", "resolve"], ["image", "list", "x"]]
)
def test_no_password_of_an_image_is_repeated(tmplgen, work, command, named):
    for image in (named, f"{named}/cuda:13.0.3-base-ubuntu24.04"):
        words = [*command, "--framework", "none", "--image", image]
        for done in (tmplgen(*words, cwd=work), tmplgen(*words, "--json", cwd=work)):
            assert done.code == 2 and "hunter2" not in done.out + done.err
    assert os.listdir(work) == []


@pytest.mark.parametrize("named", NAMED)
def test_no_password_of_a_plan_is_repeated(tmplgen, work, named):
    plan = {"schema": 1, "images": [{"image": "cuda-base", "request": {"image": f"{named}:1"}}]}
    (work / "images.yml").write_text(json.dumps(plan))
    for more in ([], ["--json"]):
        done = tmplgen("image", "list", *more, cwd=work)
        assert done.code == 2 and "hunter2" not in done.out + done.err


def test_no_password_in_what_is_no_answer_or_no_row(tmplgen, work):
    for words in (["new", "x", "--set", NAMED[0]], ["image", "list", "--only", f"{NAMED[0]}:1"]):
        done = tmplgen(*words, "--json", cwd=work)
        assert done.code == 2 and "hunter2" not in done.out + done.err


def test_a_python_that_is_not_here_is_told_with_what_helps(tmplgen, work, tmp_path):
    words = ["--type", "library", "--framework", "none", "--defaults", "--python", "3.12"]
    bare = tmp_path / "bin"
    bare.mkdir()
    (bare / "git").symlink_to(shutil.which("git"))
    tmplgen.env["PATH"] = str(bare)
    said = tmplgen("new", "one", *words, cwd=work).err
    assert "Python 3.12 is not here" in said and "update --set python=" not in said
    for minor in (10, 13):
        (bare / f"python3.{minor}").symlink_to("/bin/true")
    said = tmplgen("new", "other", *words, cwd=work).err
    assert "'tmplgen update --set python=3.13' moves the project to the one that is" in said
    for name in ("python3.12", "uv"):
        (bare / name).symlink_to("/bin/true")
        assert "not here" not in tmplgen("new", name, *words, cwd=work).err
        (bare / name).unlink()


def test_a_catalog_that_is_not_released_is_told(tmplgen, work):
    version = tmplgen("version", "--json", cwd=work).json["catalog"]["version"]
    words = ["--type", "library", "--framework", "none", "--defaults"]
    said = tmplgen("new", "one", *words, cwd=work).err
    assert (f"catalog {version} is not released" in said) == ("-" in version)
    old = tmplgen("new", "two", *words, "--catalog", "builtin@v0.2.0", cwd=work)
    assert "is not released" not in old.err
