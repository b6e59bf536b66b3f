"""The three pipelines of a repository of base images, and the one that GitLab's writes."""

import json
import os
import re
import shutil

import pytest
import yaml

from .readers import GitLab, jenkins, jenkins_refuses, results
from .support import run

ROWS = ["pytorch:2.14.1-cu126-py312-ubuntu24.04", "pytorch:2.15.0-cu132-py312-ubuntu24.04"]
LIST = json.dumps(
    {"images": [{"name": "pytorch", "rows": [{"tag": row.split(":")[1]} for row in ROWS]}]}
)
PLANNED = "ci/rows.sh?>=" + "\n".join(ROWS)
MAIN = ["BRANCH_NAME=main", PLANNED]
TIMER = "TRIGGER=TimerTrigger"
SCHEDULED = "CI_PIPELINE_SOURCE=schedule"
REQUEST = ["CI_PIPELINE_SOURCE=merge_request_event", "CI_COMMIT_BRANCH="]


@pytest.fixture
def gitlab(node_modules, images_ci):
    return GitLab(node_modules, images_ci)


def test_gitlab_builds_on_a_push_and_verifies_on_a_schedule(gitlab):
    assert set(gitlab.jobs()) == {"lint", "render", "plan", "build"}
    assert set(gitlab.jobs(SCHEDULED)) == {"verify"}
    assert set(gitlab.jobs(SCHEDULED, "CI_COMMIT_BRANCH=feature")) == set()
    assert set(gitlab.jobs(*REQUEST)) == {"lint", "render", "plan", "build"}


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    """A tmplgen that has the rows and builds all but one of them."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "list").write_text(LIST)
    made = " ".join(f"render/{row.replace(':', '/')}" for row in ROWS)
    render = f"for row in {made}; do mkdir -p $row; echo FROM x >$row/Dockerfile; done"
    cases = [f"*list*) cat {folder}/list", f"*render*) {render}", "*only*cu126*) exit 1"]
    answers = " ;; ".join(cases)
    (folder / "tmplgen").write_text(f'#!/bin/sh\ncase "$*" in {answers} ;; esac\n')
    (folder / "tmplgen").chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


@pytest.fixture(params=["", "--push"])
def child_pipeline(request, node_modules, images_ci, program, tmp_path):
    """A copy of the repository whose pipeline is the one that the job `plan` wrote."""
    folder = tmp_path / "child"
    shutil.copytree(images_ci, folder, symlinks=True)
    words = [request.param] if request.param else []
    text = run("ci/gitlab-rows.sh", *words, cwd=folder, PATH=program)
    (folder / ".gitlab-ci.yml").write_text(text)
    return GitLab(node_modules, folder)


def test_gitlabs_child_pipeline_has_every_row_however_it_is_started(child_pipeline):
    child_pipeline.run("--validate-dependency-chain")
    source = "CI_PIPELINE_SOURCE=parent_pipeline"
    assert set(child_pipeline.jobs(source)) == set(ROWS)
    assert set(child_pipeline.jobs(source, "CI_COMMIT_BRANCH=", "CI_COMMIT_TAG=")) == set(ROWS)


def test_gitlabs_child_pipeline_fails_when_a_row_does(child_pipeline, program):
    words = ["--force-shell-executor", "--no-color"]
    said = run(*child_pipeline.command, *words, cwd=child_pipeline.folder, status=1, PATH=program)
    assert re.search(rf"PASS.*{re.escape(ROWS[1])}", said), said[-3000:]


@pytest.mark.parametrize(("branch", "push"), [("main", "--push "), ("feature", "")])
def test_gitlabs_whole_pipeline_builds_every_row_whichever_fails(
    node_modules, images_ci, program, tmp_path, branch, push
):
    folder = tmp_path / "child"
    shutil.copytree(images_ci, folder, symlinks=True)
    run("git", "switch", "--quiet", "--force-create", branch, cwd=folder)
    command = [*GitLab(node_modules, folder).command, "--force-shell-executor", "--no-color"]
    said = run(*command, cwd=folder, PATH=program)  # what failed below does not reach its status
    assert all(f"ci/build.sh {push}{row}" in said for row in ROWS)
    for result, name in (("PASS", "plan"), ("FAIL", ROWS[0]), ("PASS", ROWS[1])):
        assert re.search(rf"{result}.*{re.escape(name)}", said), said[-3000:]
    assert run("git", "status", "--porcelain", cwd=folder) == "?? .gitlab-ci-local/\n"


def test_jenkins_pushes_every_row_of_the_main_branch_with_credentials(images_ci):
    done = jenkins(images_ci / "Jenkinsfile", *MAIN)
    assert results(done) == dict.fromkeys(["lint", "render", "build"], "SUCCESS") | {
        "verify": "SKIPPED"
    }
    build = done["stages"][2]
    assert build["branches"] == ROWS
    assert build["commands"] == ["ci/rows.sh", *(f"ci/build.sh --push {row}" for row in ROWS)]
    assert all("registry" in build["credentials"][word] for word in build["commands"][1:])
    assert all(stage["minutes"] for stage in done["stages"])


@pytest.mark.parametrize("settings", [["BRANCH_NAME=feature"], ["BRANCH_NAME=PR-7", "CHANGE_ID=7"]])
def test_jenkins_gives_no_credentials_elsewhere(images_ci, settings):
    done = jenkins(images_ci / "Jenkinsfile", *settings, PLANNED)
    assert done["stages"][2]["commands"] == ["ci/rows.sh", *(f"ci/build.sh {row}" for row in ROWS)]
    assert not any(stage["credentials"] for stage in done["stages"])
    assert done["cron"] == ""


@pytest.mark.parametrize(("branch", "aborts"), [("main", False), ("feature", True)])
def test_jenkins_lets_a_push_end(images_ci, branch, aborts):
    done = jenkins(images_ci / "Jenkinsfile", f"BRANCH_NAME={branch}", PLANNED)
    assert done["aborts"] is aborts


def test_jenkins_builds_the_other_rows_when_one_fails(images_ci):
    done = jenkins(images_ci / "Jenkinsfile", *MAIN, f"ci/build.sh --push {ROWS[0]}?=1")
    assert done["result"] == "FAILURE"
    assert done["stages"][2]["failed"] == [ROWS[0]]
    assert len(done["stages"][2]["commands"]) == 3


def test_jenkins_verifies_the_main_branch_once_a_week(images_ci):
    done = jenkins(images_ci / "Jenkinsfile", *MAIN, TIMER)
    assert done["cron"]
    assert {name for name, result in results(done).items() if result != "SKIPPED"} == {"verify"}
    assert done["stages"][3]["commands"] == ["ci/propose-lock.sh branch"]


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("parallel rows", "node { parallel rows }", "for ever"),
        ("                                checkout scm\n", "", "nothing is checked out"),
        ("triggeredBy", "triggerBy", "'triggerBy' is no word"),
    ],
)
def test_the_recorder_rejects_a_broken_jenkinsfile(images_ci, tmp_path, right, wrong, says):
    text = (images_ci / "Jenkinsfile").read_text()
    assert right in text
    (tmp_path / "Jenkinsfile").write_text(text.replace(right, wrong, 1))
    assert says in jenkins_refuses(tmp_path / "Jenkinsfile", *MAIN)


def test_all_three_run_the_same_scripts(images_ci):
    workflows = [
        yaml.safe_load((images_ci / f".github/workflows/{name}.yml").read_text())["jobs"]
        for name in ("ci", "verify")
    ]
    github = {**workflows[0], **workflows[1]}
    lab = yaml.safe_load((images_ci / ".gitlab-ci.yml").read_text())
    del lab["template-update"]  # elsewhere it has files of its own: see test_bot_pipelines.py
    stages = jenkins(images_ci / "Jenkinsfile", *MAIN)["stages"]
    stages += jenkins(images_ci / "Jenkinsfile", *MAIN, TIMER)["stages"]

    def scripts(lines):
        return {word for line in lines for word in re.findall(r"ci/[a-z-]+\.sh", line)}

    by_github = scripts(
        step["run"] for job in github.values() for step in job["steps"] if "run" in step
    )
    by_jenkins = scripts(line for stage in stages for line in stage["commands"])
    by_gitlab = scripts(line for job in lab.values() if "script" in job for line in job["script"])
    assert by_github == by_jenkins
    # Its rows are built by what it writes.
    assert by_gitlab - {"ci/gitlab-rows.sh"} | {"ci/rows.sh", "ci/build.sh"} == by_github
    for script in by_github | by_gitlab:
        assert os.access(images_ci / script, os.X_OK), script


def test_github_gives_each_job_no_more_than_it_needs(images_ci):
    for name in ("ci", "verify"):
        workflow = yaml.safe_load((images_ci / f".github/workflows/{name}.yml").read_text())
        assert workflow["permissions"] == {}
        for job_name, job in workflow["jobs"].items():
            writes = {key for key, value in job["permissions"].items() if value == "write"}
            assert writes == {
                "push": {"packages"},
                "verify": {"contents", "pull-requests"},
            }.get(job_name, set())
            checkout = job["steps"][0]
            assert checkout["with"] == {"persist-credentials": False}
            assert job["timeout-minutes"]
    jobs = yaml.safe_load((images_ci / ".github/workflows/ci.yml").read_text())["jobs"]
    for kind in ("build", "push"):
        assert jobs[kind]["strategy"]["fail-fast"] is False
        assert jobs[kind]["strategy"]["matrix"] == {
            "row": "${{ fromJSON(needs.plan.outputs.rows) }}"
        }
    assert "github.event_name == 'schedule'" in workflow["jobs"]["verify"]["if"]
    assert jobs["build"]["if"] == jobs["push"]["if"].replace("==", "!=")


def test_github_pushes_from_the_default_branch_whatever_it_is_called(images_ci):
    """Its filter knows no default branch: every push starts it, and its jobs ask."""
    workflow = yaml.safe_load((images_ci / ".github/workflows/ci.yml").read_text())
    jobs = workflow["jobs"]
    assert workflow[True]["push"] == {"branches": ["**"]}
    assert "default_branch" in jobs["push"]["if"]
    for name in ("lint", "render", "plan"):
        assert jobs[name]["if"] == f"github.event_name != 'push' || {jobs['push']['if']}"
    assert {"lint", "render", "plan"} == set(jobs["build"]["needs"]) == set(jobs["push"]["needs"])


def test_the_token_of_github_goes_to_no_other_registry(images_ci):
    for name in ("ci", "verify"):
        text = (images_ci / f".github/workflows/{name}.yml").read_text()
        passwords = re.findall("REGISTRY_PASSWORD: (.*)", text)
        assert passwords and set(passwords) == {"${{ secrets.REGISTRY_PASSWORD }}"}
