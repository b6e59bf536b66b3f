"""`template render`: a scratch folder that is only ever its own, and --watch on top of it."""

import os
import pty
import signal
import subprocess
import time

import pytest

from ..common.program import BINARY, INSTRUMENTED


@pytest.fixture
def render(tmplgen, catalog):
    def run(*args, **more):
        return tmplgen("template", "render", "thing", *args, cwd=catalog.folder, **more)

    return run


def tree(folder):
    return {
        str(path.relative_to(folder)): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".tmplgen-render"
    }


def test_renders_what_new_would_make(tmplgen, render, catalog, tmp_path):
    catalog.file("run.sh", "#!/bin/sh\n", executable=True)
    out = tmp_path / "out"
    done = render("--output", out, "--set", "greeting=hi", "--json").json
    assert done["first"] and done["files"] == 3 and len(done["changes"]) == 3
    made = [
        "--type",
        "thing",
        "--catalog",
        catalog.folder,
        "--set",
        "greeting=hi",
        "--name",
        "thing",
    ]
    new = tmplgen("new", tmp_path / "child", *made, "--json", cwd=tmp_path).json
    assert done["tree"] == new["tree"]
    assert tree(out) == {
        "run.sh": "#!/bin/sh\n",
        "hello.txt": "hi thing\n",
        ".gitattributes": "/.tmplgen.yml -merge\n",
    }
    assert os.access(out / "run.sh", os.X_OK) and not os.access(out / "hello.txt", os.X_OK)


def test_again_shows_what_changed(render, catalog):
    catalog.file("docs/a.txt", "a\n")
    first = render()
    assert first.code == 0
    assert first.out == ".tmplgen-render/thing: 3 files of thing, 3 changed\n"
    catalog.file("hello.txt.j2", "{{ greeting }}, {{ name }}!\n")
    catalog.file("new.txt", "new\n")
    (catalog.folder / "templates/thing/files/docs/a.txt").unlink()
    done = render()
    assert "-hello thing\n+hello, thing!\n" in done.out
    assert "new file mode 100644" in done.out and "deleted file mode 100644" in done.out
    assert done.out.endswith("3 changed\n")
    out = catalog.folder / ".tmplgen-render" / "thing"
    assert set(tree(out)) == {".gitattributes", "hello.txt", "new.txt"}
    assert not (out / "docs").exists()
    again = render()
    assert again.out == ".tmplgen-render/thing: 3 files of thing, 0 changed\n"


def test_the_default_folder_is_hidden_from_git(render, catalog):
    subprocess.run(["git", "init", "-q"], cwd=catalog.folder, check=True)
    render()
    seen = subprocess.run(
        ["git", "status", "--porcelain", "-uall"],
        cwd=catalog.folder,
        capture_output=True,
        check=True,
    )
    assert b"tmplgen-render" not in seen.stdout


def test_other_files_stay(render, catalog, tmp_path):
    out = tmp_path / "out"
    render("--output", out)
    (out / "build").mkdir()
    (out / "build" / "x").write_text("x")
    catalog.file("hello.txt.j2", "bye {{ greeting }} {{ name }}\n")
    assert render("--output", out).code == 0
    assert (out / "build" / "x").read_text() == "x"


def refused(done, out, before):
    assert done.code == 3, done.err
    assert tree(out) == before
    return done.err


def test_a_folder_that_is_no_scratch_folder_is_refused(render, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "mine").write_text("mine")
    assert "is not empty, and no scratch folder" in refused(
        render("--output", out), out, {"mine": "mine"}
    )


@pytest.mark.parametrize(
    "place",
    ["templates", "templates/thing/files/out", "templates/thing", "matrices/o", "base-images/o"],
)
@pytest.mark.parametrize("mode", [[], ["--watch"]])
def test_a_folder_of_the_catalog_itself_is_refused(render, catalog, tmp_path, place, mode):
    (tmp_path / "link").symlink_to(catalog.folder)
    before = sorted(catalog.folder.rglob("*"))
    for output in (place, catalog.folder / place, f"../{catalog.folder.name}/{place}/"):
        done = render("--output", output, *mode)
        assert done.code == 3 and "--output" in done.err, done.err
    assert render("--output", tmp_path / "link" / place, *mode).code == 3
    assert sorted(catalog.folder.rglob("*")) == before


def test_the_default_folder_is_refused_in_the_catalogs_own_folders(tmplgen, catalog):
    inside = catalog.folder / "templates"
    done = tmplgen("template", "render", "thing", "--catalog", "..", cwd=inside)
    assert done.code == 3
    assert not (inside / ".tmplgen-render").exists()


def test_a_folder_beside_them_is_taken(render, catalog):
    for output in ("templates-out", "out", "tests/x"):
        assert render("--output", output).code == 0


def test_a_file_that_was_edited_is_refused(render, catalog, tmp_path):
    out = tmp_path / "out"
    render("--output", out)
    (out / "hello.txt").write_text("mine")
    catalog.file("new.txt", "new\n")
    before = tree(out)
    assert "hello.txt' is not as it was written there" in refused(
        render("--output", out), out, before
    )
    (out / "hello.txt").unlink()  # what is missing is made again
    assert render("--output", out).code == 0
    assert (out / "hello.txt").read_text() == "hello thing\n"


def test_a_file_in_the_way_is_refused(render, catalog, tmp_path):
    out = tmp_path / "out"
    render("--output", out)
    (out / "new.txt").write_text("mine")
    catalog.file("new.txt", "new\n")
    refused(render("--output", out), out, tree(out))


def test_links_are_not_followed(render, catalog, tmp_path):
    out, outside = tmp_path / "out", tmp_path / "outside"
    catalog.file("docs/a.txt", "a\n")
    render("--output", out)
    (out / "docs" / "a.txt").unlink()
    (out / "docs").rmdir()
    outside.mkdir()
    (out / "docs").symlink_to(outside)
    done = render("--output", out)
    assert done.code == 3
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("line", ["../victim", "/etc/passwd", ".git/config", "a/../../victim", ""])
def test_a_list_that_somebody_else_wrote_is_refused(render, tmp_path, line):
    out, victim = tmp_path / "out", tmp_path / "victim"
    victim.write_text("hello thing\n")
    render("--output", out)
    mark = (out / ".tmplgen-render").read_text()
    number = mark.splitlines()[-1].split(" ")[0]
    (out / ".tmplgen-render").write_text(f"{mark}{number} {line}\n")
    done = render("--output", out)
    assert done.code == 3
    assert "that tmplgen did not write" in done.err
    assert victim.exists()


def test_a_file_becomes_a_folder_and_back(render, catalog, tmp_path):
    out = tmp_path / "out"
    catalog.file("a", "a\n")
    render("--output", out)
    (catalog.folder / "templates/thing/files/a").unlink()
    catalog.file("a/b", "b\n")
    assert render("--output", out).code == 0
    assert tree(out)["a/b"] == "b\n"
    (catalog.folder / "templates/thing/files/a/b").unlink()
    (catalog.folder / "templates/thing/files/a").rmdir()
    catalog.file("a", "a\n")
    assert render("--output", out).code == 0
    assert tree(out)["a"] == "a\n"


def test_a_render_that_was_cut_off_goes_on(render, catalog, tmp_path):
    """Killed after any of its files: the next one knows what is its own."""
    out = tmp_path / "out"
    for number in range(20):
        catalog.file(f"f{number:02}", "old\n")
    render("--output", out)
    mark = (out / ".tmplgen-render").read_text()
    for number in range(20):
        catalog.file(f"f{number:02}", f"new {number}\n")
    render("--output", out)
    both = mark + (out / ".tmplgen-render").read_text()
    for number in range(10, 20):
        (out / f"f{number}").write_text("old\n")
    (out / ".tmplgen-render").write_text(both)
    done = render("--output", out, "--json").json
    assert [change["path"] for change in done["changes"]] == [f"f{n}" for n in range(10, 20)]
    assert tree(out)["f19"] == "new 19\n"
    assert both.startswith((out / ".tmplgen-render").read_text().splitlines()[0])


def test_answers_of_a_file_and_what_is_wrong_with_them(render, catalog, tmp_path):
    answers = tmp_path / "a.yml"
    answers.write_text("greeting: ahoy\n")
    render("--output", tmp_path / "out", "--answers", answers)
    assert (tmp_path / "out" / "hello.txt").read_text() == "ahoy thing\n"
    answers.write_text("greting: ahoy\n")
    assert render("--output", tmp_path / "out", "--answers", answers).code == 2
    assert render("--output", tmp_path / "out", "--framework", "pytorch").code == 2


def test_without_a_type_it_names_those_that_there_are(tmplgen, catalog):
    done = tmplgen("template", "render", cwd=catalog.folder)
    assert done.code == 2
    assert "TYPE is missing" in done.err and "has: thing" in done.err


# ---------------------------------------------------------------- --watch


class Watch:
    """A run of --watch: lines of it, each with a time limit."""

    def __init__(self, tmplgen, catalog, *args, tty=False, kind="thing"):
        self.main, out = pty.openpty() if tty else os.pipe()
        self.process = subprocess.Popen(
            [BINARY, "template", "render", kind, "--watch", *args],
            cwd=catalog.folder,
            env={**tmplgen.env, "TERM": "xterm"},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
        )
        os.close(out)
        os.set_blocking(self.main, False)
        self.seen = ""

    def until(self, text, seconds=20):
        """What is said up to and with `text`."""
        end = time.monotonic() + seconds
        while text not in self.seen:
            assert time.monotonic() < end, self.seen
            try:
                self.seen += os.read(self.main, 65536).decode()
            except (BlockingIOError, OSError):
                time.sleep(0.002)
        at = self.seen.index(text) + len(text)
        said, self.seen = self.seen[:at], self.seen[at:]
        return said

    def end(self, number=signal.SIGINT):
        self.process.send_signal(number)
        code = self.process.wait(20)
        os.close(self.main)
        return code


@pytest.fixture
def watch(tmplgen, catalog):
    running = []

    def start(*args, **more):
        running.append(Watch(tmplgen, catalog, *args, **more))
        running[-1].until("changed")
        return running[-1]

    yield start
    for one in running:
        if one.process.poll() is None:
            one.end()


def test_each_save_is_shown(watch, catalog):
    run = watch()
    for number in range(3):
        catalog.file("hello.txt.j2", f"{number} {{{{ greeting }}}} {{{{ name }}}}\n")
        assert f"+{number} hello thing\n" in run.until("1 changed")
    assert run.end() == 130


def test_all_ways_to_save_are_seen(watch, catalog):
    """In place, by a file that is renamed, in a new folder, gone, another mode, a manifest."""
    run = watch()
    files = catalog.folder / "templates" / "thing" / "files"
    (files / "draft~").write_text("renamed {{ greeting }} {{ name }}\n")
    run.until("+renamed {{ greeting }}")
    run.until("changed")
    os.replace(files / "draft~", files / "hello.txt.j2")
    assert "+renamed hello thing" in run.until("2 changed")
    catalog.file("deep/er/a.txt", "a\n")
    run.until("+++ b/deep/er/a.txt")
    time.sleep(0.2)
    catalog.file("deep/er/a.txt", "b\n")
    run.until("-a\n+b\n")
    run.until("changed")
    (files / "deep/er/a.txt").chmod(0o755)
    run.until("new mode 100755")
    (files / "deep/er/a.txt").unlink()
    run.until("deleted file mode")
    catalog.template(
        (catalog.folder / "templates/thing/template.yml").read_text().replace("hello", "ahoy")
    )
    run.until("+renamed ahoy thing")


def test_an_error_is_shown_and_survived(watch, catalog):
    run = watch()
    catalog.file("hello.txt.j2", "{{ greeting }} {{ nope }}\n")
    run.until("'nope' is undefined")
    catalog.write("catalog.yml", "name: [\n")
    run.until("catalog.yml:")
    catalog.write("catalog.yml", "name: test\nversion: 1.0.0\n")
    run.until("'nope' is undefined")
    catalog.file("hello.txt.j2", "better {{ greeting }} {{ name }}\n")
    run.until("+better hello thing")
    assert run.end(signal.SIGTERM) == 143


def test_a_file_of_answers_is_watched_too(watch, catalog, tmp_path):
    answers = tmp_path / "elsewhere" / "a.yml"
    answers.parent.mkdir()
    answers.write_text("greeting: one\n")
    run = watch("--answers", answers)
    answers.write_text("greeting: two\n")
    run.until("-one thing\n+two thing\n")


def test_what_is_no_part_of_the_catalog_is_not_looked_at(watch, catalog):
    run = watch()
    catalog.write("README.md", "x")
    catalog.write("tests/thing/a/answers.yml", "{}\n")
    time.sleep(0.3)
    catalog.file("hello.txt.j2", "last {{ greeting }} {{ name }}\n")
    assert run.until("+last hello thing").count("diff --git") == 1


def test_colours_are_for_terminals(watch, catalog):
    run = watch(tty=True)
    catalog.file("hello.txt.j2", "c {{ greeting }} {{ name }}\n")
    run.until("\x1b[32m+c hello thing\x1b[0m")


@pytest.mark.skipif(INSTRUMENTED, reason="what is freed is held back there")
def test_memory_does_not_grow(watch, catalog):
    run = watch()

    def resident():
        with open(f"/proc/{run.process.pid}/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    catalog.file("big.txt", "x" * (4 << 20))
    run.until("changed")
    sizes = []
    for number in range(12):
        catalog.file("hello.txt.j2", f"{number} {{{{ greeting }}}} {{{{ name }}}}\n")
        run.until("changed")
        sizes.append(resident())
    assert max(sizes[6:]) < min(sizes[:6]) + (16 << 20), sizes


@pytest.mark.full
def test_latency_of_the_built_in_catalog(tmplgen, watch, catalog, tmp_path):
    """From a save to the patch, of the largest catalog that there is here."""
    assert tmplgen("template", "export", "c", cwd=tmp_path).code == 0
    catalog.folder = tmp_path / "c"
    run = watch("--framework", "pytorch", kind="service")
    times = []
    for number in range(5):
        begin = time.monotonic()
        with open(catalog.folder / "templates/service/files/Makefile.j2", "a") as file:
            file.write(f"# {number}\n")
        run.until(f"+# {number}\n")
        times.append(time.monotonic() - begin)
        run.until("changed")
    assert min(times) < 0.3, times


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--json"], "--watch has no end"),
        (["--catalog", "builtin"], "--watch needs a catalog that lies in a folder"),
    ],
)
def test_watch_where_it_makes_no_sense(render, args, said):
    done = render("--watch", *args)
    assert done.code == 2
    assert said in done.out + done.err
