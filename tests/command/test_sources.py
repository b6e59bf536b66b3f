"""Catalogs that lie in git: many refs, trees that git never makes, ways out of their folder."""

import resource
import subprocess

import pytest

from ..common.program import VALGRIND
from .world import git

REFUSED = 3


def processor_seconds():
    """Of the programs that ended: other than time, the same on a busy machine."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def put(folder, kind, data):
    """An object as it is given, whatever git thinks of it; its id."""
    done = subprocess.run(
        ["git", "hash-object", "--literally", "-w", "--stdin", "-t", kind],
        cwd=folder,
        input=data,
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


@pytest.fixture
def repository(catalog):
    """The small catalog, committed and tagged v1.0.0."""
    git(catalog.folder, "init", "-q", "-b", "main")
    git(catalog.folder, "add", "-A")
    git(catalog.folder, "commit", "-q", "-m", "1")
    git(catalog.folder, "tag", "v1.0.0")
    return catalog.folder


@pytest.fixture
def make(tmplgen, work):
    def run(source, path="child", **more):
        return tmplgen("new", path, "--type", "thing", "--catalog", source, cwd=work, **more)

    return run


# ---------------------------------------------------------------- many refs


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "loose"])
def test_many_refs_take_no_longer_than_reading_them(tmplgen, repository, make, work, packed):
    if packed:
        head = git(repository, "rev-parse", "HEAD")
        count = 5000 if VALGRIND else 20000  # there the time is not measured
        lines = [f"{head} refs/heads/b{i:05}" for i in range(count)]
        lines += [f"{head} refs/tags/t{i:06}" for i in range(2 * count)]
        (repository / ".git/packed-refs").write_text("\n".join([*lines, ""]))
    else:
        head = git(repository, "rev-parse", "HEAD") + "\n"
        for kind, count in (("heads", 1000), ("tags", 2000)):
            for i in range(count):
                (repository / ".git/refs" / kind / f"x{i}").write_text(head)
    for args in (["status"], ["update", "--check"]):
        if not (work / "child").exists():
            assert make(repository).code == 0
        start = processor_seconds()
        done = tmplgen(*args, cwd=work / "child", timeout=60)
        assert done.code == 0, done.err
        if not VALGRIND:
            # 10 and more where each looks at all; 0.4 is usual
            assert processor_seconds() - start < 4


def test_annotated_tags_of_tags_are_peeled(repository, make, work):
    git(repository, "tag", "-a", "-m", "x", "v1.1.0", "v1.0.0")
    git(repository, "tag", "-a", "-m", "x", "v1.2.0", "v1.1.0")
    git(repository, "tag", "v9.0.0", "HEAD^{tree}")  # no revision
    done = make(repository)
    assert done.code == 0, done.err
    assert "ref: v1.2.0" in (work / "child/.tmplgen.yml").read_text()


def test_more_refs_than_the_limit(repository, make):
    head = git(repository, "rev-parse", "HEAD")
    with (repository / ".git/packed-refs").open("w") as file:
        file.writelines(f"{head} refs/tags/t{i}\n" for i in range(1000001))
    done = make(repository, timeout=60)
    assert done.code == 2
    assert "more than 1000000 tags and branches" in done.err


# ---------------------------------------------------------------- nothing of its own is believed


def test_configuration_of_a_catalog_is_not_read(repository, make, tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("password = 1\n[[[\n")
    with (repository / ".git/config").open("a") as file:
        file.write(f'[include]\n\tpath = {secret}\n[includeIf "gitdir:/"]\n\tpath = {secret}\n')
        file.write("[core]\n\tworktree = /nowhere\n[[[ not even a configuration\n")
    done = make(f"{repository}@v1.0.0")
    assert done.code == 0 and "secret" not in done.err, done.err
    assert make(repository, "other").code == 0


def other(tmp_path, repository):
    """Another repository of the user, with a commit that the catalog does not have."""
    folder = tmp_path / "private"
    git(tmp_path, "clone", "-q", str(repository), str(folder))
    (folder / "templates/thing/files/private").write_text("private\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "private")
    return folder


def leave_by_alternates(repository, private):
    (repository / ".git/objects/info/alternates").write_text(f"{private}/.git/objects\n")
    return "git repack -a -d"


def leave_by_git_file(repository, private):
    git(repository, "gc", "-q")
    (repository / ".git").rename(repository / "old")
    (repository / ".git").write_text(f"gitdir: {private}/.git\n")
    return "clone it"


def leave_by_worktree(repository, private):
    git(private, "worktree", "add", "-q", "../linked")
    (repository / ".git").rename(repository / "old")
    (repository / ".git").write_text(f"gitdir: {private}/.git/worktrees/linked\n")
    return "clone it"


def leave_by_link(part):
    def leave(repository, private):
        path = repository / ".git" / part
        if path.exists():
            path.rename(repository / "old")
        path.symlink_to(private / ".git" / part)
        return "git clone"

    return leave


WAYS_OUT = {
    "alternates": leave_by_alternates,
    "a .git file": leave_by_git_file,
    "the work tree of another": leave_by_worktree,
    "link: .git": leave_by_link(""),
    **{f"link: {part}": leave_by_link(part) for part in ("objects", "refs", "HEAD")},
    "link: objects/pack": leave_by_link("objects/pack"),
}


@pytest.mark.parametrize("way", WAYS_OUT)
@pytest.mark.parametrize("ref", ["", "@COMMIT"], ids=["default", "by id"])
def test_nothing_outside_of_a_catalog_is_read(repository, make, tmp_path, work, way, ref):
    private = other(tmp_path, repository)
    commit = git(private, "rev-parse", "HEAD")
    git(private, "gc", "-q")
    git(repository, "tag", "-d", "v1.0.0")
    hint = WAYS_OUT[way](repository, private)
    done = make(f"{repository}{ref.replace('COMMIT', commit)}")
    if ref and way == "link: HEAD":  # nobody asks for it
        assert done.code == 2, done.err
        return
    assert done.code == REFUSED, done.err
    assert hint in done.err
    assert not (work / "child").exists()


def test_way_out_of_alternates_works(repository, make, tmp_path):
    private = other(tmp_path, repository)
    shared = tmp_path / "shared"
    git(tmp_path, "clone", "-q", "--shared", str(private), str(shared))
    assert make(shared).code == REFUSED
    git(shared, "repack", "-a", "-d", "-q")
    (shared / ".git/objects/info/alternates").unlink()
    assert make(shared).code == 0


def test_own_linked_work_tree_is_a_catalog(repository, make, tmp_path, work):
    git(repository, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "side")
    done = make(tmp_path / "linked")
    assert done.code == 0, done.err
    assert "ref: v1.0.0" in (work / "child/.tmplgen.yml").read_text()


def test_refs_in_another_form_are_told(repository, make):
    (repository / ".git/reftable").mkdir()
    done = make(repository)
    assert done.code == REFUSED
    assert "git refs migrate" in done.err


# ---------------------------------------------------------------- trees that git never makes


def entry(mode, name, oid):
    return f"{mode} {name}\0".encode() + bytes.fromhex(oid)


NAMES = {
    "slash": lambda blob, tree: [entry("100644", "a/b", blob)],
    "absolute": lambda blob, tree: [entry("100644", "/etc/x", blob)],
    "dot": lambda blob, tree: [entry("40000", ".", tree)],
    "dots": lambda blob, tree: [entry("40000", "..", tree)],
    "git": lambda blob, tree: [entry("40000", ".GIT", tree)],
    "twice": lambda blob, tree: [entry("100644", "a", blob), entry("100644", "a", blob)],
    "file and folder": lambda blob, tree: [
        entry("100644", "a", blob),
        entry("100644", "a.b", blob),
        entry("40000", "a", tree),
    ],
    "order": lambda blob, tree: [entry("100644", "b", blob), entry("100644", "a", blob)],
}


@pytest.mark.parametrize("where", ["at the top", "below"])
@pytest.mark.parametrize("kind", NAMES)
def test_names_that_git_does_not_make_are_refused(repository, make, work, kind, where):
    blob = put(repository, "blob", b"x\n")
    odd = put(repository, "tree", b"".join(NAMES[kind](blob, put(repository, "tree", b""))))
    top = git(repository, "ls-tree", "HEAD")
    if where == "below":
        files = f"040000 tree {odd}\tfiles\n" + f"100644 blob {blob}\ttemplate.yml"
        odd = mktree(repository, f"040000 tree {mktree(repository, files)}\tthing")
        top = "\n".join(x for x in top.splitlines() if not x.endswith("templates"))
        tree = mktree(repository, f"{top}\n040000 tree {odd}\ttemplates")
    else:
        tree = odd
    commit = git(repository, "commit-tree", tree, "-m", "odd")
    done = make(f"{repository}@{commit}")
    assert done.code == REFUSED, done.err
    assert "unsafe path" in done.err
    assert not (work / "child").exists()


def mktree(folder, lines):
    done = subprocess.run(
        ["git", "mktree"],
        cwd=folder,
        input=lines + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


# ---------------------------------------------------------------- a catalog in the project


def nested(work, repository, place):
    """A project whose record names a catalog inside of its own repository."""
    child = work / "child"
    text = (child / ".tmplgen.yml").read_text()
    (child / "cat/templates").parent.mkdir()
    for name in ("catalog.yml", "templates"):
        subprocess.run(["cp", "-r", repository / name, child / "cat"], check=True)
    source = place.format(child=child, link=work / "link")
    (work / "link").symlink_to(child / "cat")
    (child / ".tmplgen.yml").write_text(text.replace(f"source: {repository}", f"source: {source}"))
    git(child, "add", "-A")
    git(child, "commit", "-q", "-m", "hostile")
    return child


PLACES = [
    "{child}/cat",
    "file://{child}/cat",
    "cat",
    "./x/../cat",
    "{link}",
    "{child}/../child/cat",
]


@pytest.mark.parametrize("place", PLACES)
def test_catalog_inside_of_the_project_is_new_to_the_user(tmplgen, repository, make, work, place):
    assert make(repository).code == 0
    child = nested(work, repository, place)
    (child / "x").mkdir()
    for args in (["update"], ["update", "--check"], ["status", "--fetch"]):
        done = tmplgen(*args, "--json", cwd=child)
        assert done.code == REFUSED, done.out
        assert done.json["error"]["code"] == "untrusted-source"
        assert "--trust" in done.json["error"]["hint"]
    done = tmplgen("update", "--check", "--trust", cwd=child)
    assert "untrusted" not in done.err and "new to you" not in done.err


def test_listed_catalog_inside_of_the_project_is_taken(tmplgen, repository, make, work):
    assert make(repository).code == 0
    child = nested(work, repository, "{child}/cat")
    tmplgen.configure(f"trusted: ['{child}/*']\n")
    assert "new to you" not in tmplgen("update", "--check", cwd=child).err


def test_remote_catalog_says_what_to_do(make):
    for source in ("https://example.org/c.git", "git@example.org:c.git"):
        done = make(source)
        assert done.code == REFUSED
        assert "remote and new to you" in done.err and "--trust" in done.err
