"""The bot for real: newer catalogs, a bare repository, tokens that may less, and one request."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from ..common.program import BINARY
from .forge import TOKEN, Forge
from .place import EDITORCONFIG, OF_TEAMS, Place, comment, git

pytestmark = pytest.mark.full
WORKFLOW = "templates/_layers/update-bot/files/.github/workflows/template-update.yml.j2"


@pytest.fixture
def forge():
    it = Forge()
    yield it
    it.close()


@pytest.fixture
def place(tmp_path, forge):
    return Place(tmp_path, "library", forge)


def test_nothing_is_proposed_where_nothing_is_newer(place):
    done = place.run()
    assert done.returncode == 0, done.stderr
    assert place.branch() == [] and place.forge.log == []


@pytest.mark.parametrize("how", ["github", "gitlab"])
@pytest.mark.parametrize("kind", ["library", "service", "batch", *OF_TEAMS])
def test_a_newer_version_is_one_request_which_is_renewed_a_week_later(tmp_path, forge, kind, how):
    place = Place(tmp_path, kind, forge)
    place.release("9.1.0", **{EDITORCONFIG: comment})
    done = place.run(how)
    assert done.returncode == 0, done.stderr
    assert "opened https://forge/" in done.stdout
    [request] = forge.requests
    assert "9.0.0 to 9.1.0" in request["title"] and "`" not in request["title"]
    text = request.get("body") or request["description"]
    assert "updated" in text and not text.startswith("#")
    assert request.get("draft") in (False, None) and not request["title"].startswith("Draft")
    assert len(place.branch()) == 1 and place.at(".editorconfig").endswith("# newer")

    # The same week again: nothing new, nothing doubled.
    tip = git(place.origin, "rev-parse", "tmplgen/update")
    assert place.run(how).returncode == 0
    assert git(place.origin, "rev-parse", "tmplgen/update") == tip and len(forge.requests) == 1

    place.release("9.2.0", **{EDITORCONFIG: comment})
    done = place.run(how)
    assert done.returncode == 0 and "renewed" in done.stdout, done.stderr
    assert len(forge.requests) == 1 and "9.0.0 to 9.2.0" in forge.requests[0]["title"]
    assert len(place.branch()) == 1 and place.at(".editorconfig").endswith("# newer\n# newer")


def test_conflicts_are_handed_over_on_the_branch(place):
    place.push(**{".editorconfig": lambda text: f"{text}# ours\n"})
    place.release("9.1.0", **{EDITORCONFIG: comment})
    done = place.run()
    assert done.returncode == 0, done.stderr
    [request] = place.forge.requests
    assert request["draft"] is True and "conflict" in request["body"].lower()
    assert place.at(".editorconfig").endswith("# ours")
    assert place.at(".editorconfig.tmplgen-theirs").endswith("# newer")


def test_work_of_others_on_the_branch_is_left_alone(place):
    place.release("9.1.0", **{EDITORCONFIG: comment})
    assert place.run().returncode == 0
    child = place.folder / "work"
    git(
        place.folder,
        "clone",
        "--quiet",
        "--branch",
        "tmplgen/update",
        str(place.origin),
        str(child),
    )
    (child / "README.md").write_text("mine\n")
    git(child, "commit", "--quiet", "-am", "mine")
    git(child, "push", "--quiet")
    place.release("9.2.0", **{EDITORCONFIG: comment})
    before = git(place.origin, "rev-parse", "tmplgen/update")
    done = place.run()
    assert done.returncode == 0 and "left alone" in done.stderr
    assert git(place.origin, "rev-parse", "tmplgen/update") == before


@pytest.fixture
def desk(place):
    """A person's own clone, on main, with work that is not committed."""
    place.release("9.1.0", **{EDITORCONFIG: comment})
    assert place.run().returncode == 0
    git(place.clone, "checkout", "--quiet", "main")
    (place.clone / "README.md").write_text("not yet\n")
    return place


def at_the_desk(place):
    """What of a person's clone no run may change."""
    words = [["symbolic-ref", "HEAD"], ["rev-parse", "HEAD"], ["status", "--porcelain"]]
    words += [["worktree", "list"], ["stash", "list"], ["rev-parse", "main"]]
    return [git(place.clone, *it) for it in words]


def test_a_person_s_clone_stays_as_it_is(desk):
    before = at_the_desk(desk)
    desk.release("9.2.0", **{EDITORCONFIG: comment})
    done = desk.run("branch", fresh=False)
    assert done.returncode == 0 and desk.at(".editorconfig").endswith("# newer\n# newer")
    assert at_the_desk(desk) == before


def test_a_person_s_commits_on_the_branch_here_are_left_alone(desk):
    git(desk.clone, "branch", "--force", "tmplgen/update", "origin/tmplgen/update")
    review = desk.folder / "review"
    git(desk.clone, "worktree", "add", "--quiet", str(review), "tmplgen/update")
    (review / "review.txt").write_text("mine\n")
    git(review, "add", "review.txt")
    git(review, "commit", "--quiet", "-m", "mine")
    git(desk.clone, "worktree", "remove", str(review))
    before, mine = at_the_desk(desk), git(desk.clone, "rev-parse", "tmplgen/update")
    desk.release("9.2.0", **{EDITORCONFIG: comment})
    there = git(desk.origin, "rev-parse", "tmplgen/update")
    done = desk.run("branch", fresh=False)
    assert done.returncode == 0 and "left alone" in done.stderr, done.stderr
    assert git(desk.clone, "rev-parse", "tmplgen/update") == mine
    assert git(desk.origin, "rev-parse", "tmplgen/update") == there
    assert at_the_desk(desk) == before


@pytest.mark.parametrize("why", ["a filter", "the branch is checked out"])
def test_any_other_refusal_is_a_failure(desk, why):
    desk.release("9.2.0", **{EDITORCONFIG: comment})
    if why == "a filter":
        (desk.clone / ".git/info/attributes").write_text(".editorconfig filter=lfs\n")
    else:
        git(desk.clone, "stash", "--quiet")
        git(desk.clone, "checkout", "--quiet", "tmplgen/update")
    before = at_the_desk(desk)
    done = desk.run("branch", fresh=False)
    assert done.returncode == 1 and "left alone" not in done.stderr, done.stderr
    assert at_the_desk(desk) == before


def test_projects_of_one_repository_have_a_branch_each(place):
    git(place.clone, "checkout", "--quiet", "main")
    words = ["--type", "library", "--framework", "none", "--defaults", "--commit", "--trust"]
    place.tmplgen("new", place.clone / "svc/b", *words, "--catalog", f"{place.catalog}@v9.0.0")
    place.release("9.1.0", **{EDITORCONFIG: comment})
    for folder in ("svc/b/", ""):
        done = place.run("branch", fresh=False, folder=folder)
        assert done.returncode == 0, done.stderr
    assert place.at("svc/b/.editorconfig", "tmplgen/update-svc/b").endswith("# newer")
    assert not place.at("svc/b/.editorconfig").endswith("# newer")
    assert place.at(".editorconfig").endswith("# newer")


def bundled(place):
    """What the bundle brings into a clone of the origin."""
    fresh = place.folder / "fresh"
    git(place.folder, "clone", "--quiet", str(place.origin), str(fresh))
    git(
        fresh,
        "fetch",
        "--quiet",
        str(place.clone / "reports/template-update.bundle"),
        "tmplgen/update",
    )
    return git(fresh, "show", "FETCH_HEAD:.github/workflows/template-update.yml")


def test_without_the_right_to_push_workflows_it_fails_with_a_bundle(place):
    place.release("9.1.0", **{WORKFLOW: comment})
    done = place.run(token=None, GITHUB_TOKEN=TOKEN)
    assert done.returncode == 1
    for word in ("TEMPLATE_UPDATE_TOKEN", "workflows", ".github/workflows/template-update.yml"):
        assert word in done.stderr
    assert place.branch() == [] and place.forge.requests == []
    assert bundled(place).endswith("# newer")
    assert (place.clone / "reports/template-update.md").read_text().startswith("# Template")


def test_what_touches_no_workflow_needs_no_token_of_its_own(place):
    place.release("9.1.0", **{EDITORCONFIG: comment})
    done = place.run(token=None, GITHUB_TOKEN=TOKEN)
    assert done.returncode == 0, done.stderr
    assert len(place.forge.requests) == 1


def refuse_pushes(place, words):
    hook = place.origin / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ncat >/dev/null\necho '{words}' >&2\nexit 1\n")
    hook.chmod(0o755)


def test_a_token_that_may_not_push_workflows_is_told_by_the_right_that_it_lacks(place):
    refuse_pushes(
        place,
        "refusing to allow a GitHub App to create or update workflow "
        "`.github/workflows/template-update.yml` without `workflows` permission",
    )
    place.release("9.1.0", **{WORKFLOW: comment})
    done = place.run()
    assert done.returncode == 1 and "workflows, each to write" in done.stderr
    assert bundled(place).endswith("# newer")


def test_a_token_that_may_not_push_at_all(place):
    refuse_pushes(place, "permission denied")
    place.release("9.1.0", **{WORKFLOW: comment})
    done = place.run()
    assert done.returncode == 1 and "allowed to write the repository's contents" in done.stderr
    assert bundled(place).endswith("# newer")


def test_a_token_that_may_open_no_request(place):
    place.forge.refuse = 403
    place.release("9.1.0", **{EDITORCONFIG: comment})
    done = place.run()
    assert done.returncode == 1
    assert "403" in done.stderr and "allowed to write pull requests" in done.stderr
    assert len(place.branch()) == 1


def test_tmplgen_comes_from_a_release_whose_sum_is_right(place):
    sha = subprocess.run(["sha256sum", BINARY], capture_output=True, text=True, check=True)
    url = {"TMPLGEN": None, "TMPLGEN_URL": f"file://{BINARY}", "PATH": "/usr/bin:/bin"}
    place.release("9.1.0", **{EDITORCONFIG: comment})
    done = place.run("branch", TMPLGEN_SHA256="0" * 64, **url)
    assert done.returncode == 1 and "is not the tmplgen whose sha256" in done.stderr
    done = place.run("branch", **url)
    assert done.returncode != 0 and "says which program TMPLGEN_URL has to have" in done.stderr
    gone = {**url, "TMPLGEN_URL": "file:///nowhere"}
    done = place.run("branch", TMPLGEN_SHA256="0" * 64, **gone)
    assert done.returncode == 1 and "cannot fetch file:///nowhere: " in done.stderr
    assert "Traceback" not in done.stderr
    done = place.run("branch", TMPLGEN_SHA256=sha.stdout.split()[0], **url)
    assert done.returncode == 0, done.stderr
    assert len(place.branch()) == 1 and place.forge.log == []


def test_until_it_is_set_up_it_says_how_and_nobody_gets_a_red_job(place):
    place.release("9.1.0", **{EDITORCONFIG: comment})
    done = place.run(TMPLGEN=None, PATH="/usr/bin:/bin")
    assert done.returncode == 0 and place.branch() == []
    assert done.stdout.startswith("::notice title=template-update::not set up: TMPLGEN_PIP, ")


def test_tmplgen_comes_from_pip(place, tmp_path):
    """A wheel with the program in its scripts, as `make wheel` makes it."""
    about = "tmplgen-9.dist-info"
    with zipfile.ZipFile(tmp_path / "tmplgen-9-py3-none-any.whl", "w") as file:
        script = zipfile.ZipInfo("tmplgen-9.data/scripts/tmplgen")
        script.external_attr = 0o100755 << 16
        file.writestr(script, BINARY.read_bytes())
        file.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tmplgen\nVersion: 9\n")
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        file.writestr(f"{about}/RECORD", "")
    here = {"TMPLGEN": None, "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path)}
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    place.release("9.1.0", **{EDITORCONFIG: comment})
    done = place.run("branch", TMPLGEN_PIP="tmplgen==8", PATH=path, **here)
    assert done.returncode == 1 and "pip has no tmplgen==8" in done.stderr
    done = place.run("branch", TMPLGEN_PIP="tmplgen==9", PATH=path, **here)
    assert done.returncode == 0, done.stderr
    assert len(place.branch()) == 1


DOCKER = """#!/bin/sh
case $1 in
    create) [ "$4" = registry/tmplgen:1 ] && echo made ;;
    cp) [ "$2" = made:/usr/local/bin/tmplgen ] && cp {binary} "$3" ;;
    rm) [ "$2" = made ] && echo "$2" >>{log} ;;
    *) exit 9 ;;
esac
"""
BUILDAH = """#!/bin/sh
case $1 in
    from) [ "$2" = registry/tmplgen:1 ] && echo made ;;
    run) shift 3 && [ "$*" = "cat /usr/local/bin/tmplgen" ] && cat {binary} ;;
    rm) [ "$2" = made ] && echo "$2" >>{log} ;;
    *) exit 9 ;;
esac
"""


@pytest.mark.parametrize(("name", "engine"), [("docker", DOCKER), ("buildah", BUILDAH)])
def test_tmplgen_comes_out_of_an_image(place, tmp_path, name, engine):
    program, log = tmp_path / name, tmp_path / "log"
    program.write_text(engine.format(binary=BINARY, log=log))
    program.chmod(0o755)
    place.release("9.1.0", **{EDITORCONFIG: comment})
    where = {"TMPLGEN": None, "PATH": "/usr/bin:/bin", "ENGINE": str(program)}
    done = place.run("branch", TMPLGEN_IMAGE="registry/other:1", **where)
    assert done.returncode == 1 and "there is no tmplgen in the image" in done.stderr
    done = place.run("branch", TMPLGEN_IMAGE="registry/tmplgen:1", **where)
    assert done.returncode == 0, done.stderr
    assert len(place.branch()) == 1 and log.read_text() == "made\n"
