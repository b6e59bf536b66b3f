"""docs/authors-testing.md: its commands, run one after the other, do what it says."""

import re
import shlex

import yaml

from ..command.world import git
from ..common.program import ROOT

PAGE = ROOT / "docs" / "authors-testing.md"


def commands():
    lines = re.findall(r"^    (?:tmplgen|git) .*", PAGE.read_text(), re.M)
    return [shlex.split(line, comments=True) for line in lines]


def test_the_page_from_a_fork_to_the_next_release(tmplgen, tmp_path):
    (export, new, update, another, fetch, merge, look, watch, test) = commands()
    acme, newest = (
        tmp_path / "acme",
        sorted((ROOT / "releases/index.txt").read_text().split("\n"))[-1],
    )

    def run(words, cwd, **instead):
        words = [instead.get(word, word) for word in words]
        done = tmplgen(*words[1:], cwd=cwd)
        assert done.code == 0, done.err
        return done.out

    run(export, tmp_path)
    run(new, acme)
    assert ".tmplgen-render/web-tool" in run(look, acme)
    assert watch == ["tmplgen", "template", "render", "web-tool", "--watch"]  # test_render_watch.py
    git(acme, "add", "-A")
    git(acme, "commit", "-qm", "web-tool")
    assert "  defaults: same" in run([*test, "web-tool"], acme)
    made = ["--framework", "pytorch", "--catalog", f"builtin@v{newest.split()[0]}"]
    run(["tmplgen", "new", "child", "--type", "library", *made], tmp_path)
    run(update, tmp_path, PROJECT="child")
    record = yaml.safe_load((tmp_path / "child/.tmplgen.yml").read_text())["catalog"]
    assert (record["source"], record["commit"]) == (str(acme), newest.split()[1])
    run(another, tmp_path)
    theirs, page = tmp_path / "next", acme / "templates/service/template.yml"
    git(theirs, "checkout", "-q", "main~")
    with open(theirs / "matrices/cuda.yml", "a") as file:
        file.write("# theirs\n")
    git(theirs, "commit", "-qam", "tmplgen catalog 9.0.0")
    git(theirs, "tag", "v9.0.0")
    page.write_text(page.read_text() + "# ours\n")
    git(acme, "commit", "-qam", "ours")
    git(tmp_path, *fetch[1:])
    git(tmp_path, *merge[1:], "--no-edit")
    assert git(acme, "merge-base", "HEAD^", "tmplgen-v9.0.0") == git(theirs, "rev-parse", "main~")
    assert (acme / "matrices/cuda.yml").read_text().endswith("# theirs\n")
    assert page.read_text().endswith("# ours\n")
    assert yaml.safe_load((acme / "catalog.yml").read_text())["name"] == "acme/ml"
