"""The three pipelines of a child: each read by what its system would read it with, all the same."""

import os
import re
import shutil

import pytest
import yaml

from .readers import GitLab, jenkins, jenkins_refuses, results
from .support import run, share_tools, venv_of

SCRIPT = re.compile(r"ci/[a-z-]+\.sh(?: (?:cpu|test)\b)?")
GPU = "GPU_RUNNER=gpu"


# ---------------------------------------------------------------- GitLab


@pytest.fixture
def gitlab(node_modules, every_ci):
    return GitLab(node_modules, every_ci)


def test_gitlab_has_a_gpu_job_where_a_runner_is_named(gitlab):
    without, named = gitlab.jobs(), gitlab.jobs(GPU)
    assert {"lint", "test"} <= set(without)
    assert set(named) - set(without) == {"gpu-smoke"}
    assert not named["gpu-smoke"].get("allow_failure")


def test_gitlab_gives_no_gpu_to_a_fork(gitlab):
    request = ["CI_PIPELINE_SOURCE=merge_request_event", "CI_MERGE_REQUEST_PROJECT_ID=1", GPU]
    assert "gpu-smoke" in gitlab.jobs(*request, "CI_MERGE_REQUEST_SOURCE_PROJECT_ID=1")
    assert "gpu-smoke" not in gitlab.jobs(*request, "CI_MERGE_REQUEST_SOURCE_PROJECT_ID=2")


def test_gitlab_publishes_what_the_type_publishes(gitlab):
    if (gitlab.folder / "ci/dist.sh").exists():
        assert "publish" in gitlab.jobs("CI_COMMIT_TAG=v0.1.0")
        assert "publish" not in gitlab.jobs()
    else:
        assert "publish" in gitlab.jobs()
        assert "publish" not in gitlab.jobs("CI_COMMIT_BRANCH=feature")


@pytest.mark.parametrize("every_ci", ["service"], indirect=True)
@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("  script:", "  scripts:", "script"),
        ("needs: [lint, test]", "needs: [lynt, test]", "lynt"),
        ("when: always", "when: allways", "allways"),
    ],
)
def test_gitlab_ci_local_rejects_a_broken_pipeline(gitlab, tmp_path, right, wrong, says):
    copy = tmp_path / "child"
    shutil.copytree(gitlab.folder, copy, symlinks=True)
    text = (copy / ".gitlab-ci.yml").read_text()
    assert right in text
    (copy / ".gitlab-ci.yml").write_text(text.replace(right, wrong))
    broken = GitLab(gitlab.command[0].parent.parent, copy)
    assert says in broken.run("--validate-dependency-chain", "--variable", GPU, status=1)


# ---------------------------------------------------------------- Jenkins


def test_jenkins_skips_the_gpu_stage_without_waiting_for_an_agent(every_ci):
    run = jenkins(every_ci / "Jenkinsfile", "BRANCH_NAME=feature")
    assert run["result"] == "SUCCESS"
    found = results(run)
    assert {name for name, result in found.items() if result == "SKIPPED"} == {
        "gpu-smoke",
        "publish",
    }
    assert all(stage["minutes"] for stage in run["stages"] if stage["result"] != "SKIPPED")


def test_jenkins_runs_the_gpu_stage_on_the_named_agent_and_publishes(every_ci):
    run = jenkins(every_ci / "Jenkinsfile", "BRANCH_NAME=main", "TAG_NAME=v0.1.0", GPU)
    assert set(results(run).values()) == {"SUCCESS"}
    agents = {stage["name"]: stage["agent"] for stage in run["stages"]}
    assert agents.pop("gpu-smoke") == "gpu"
    assert set(agents.values()) == {"any"}
    publish = run["stages"][-1]
    assert publish["credentials"]
    assert run["aborts"] is False
    assert run["said"] is None
    reports = [stage["junit"] for stage in run["stages"] if "junit" in stage]
    assert reports == ["reports/tests.xml", "reports/gpu-smoke-*.xml"]


def test_jenkins_checks_side_by_side_on_the_agents_that_are_named(every_ci):
    run = jenkins(every_ci / "Jenkinsfile", "BRANCH_NAME=feature", "CPU_RUNNER=linux", GPU)
    agents = {stage["name"]: stage.get("agent") for stage in run["stages"]}
    assert agents.pop("gpu-smoke") == "gpu"
    assert agents.pop("publish") is None
    assert set(agents.values()) == {"linux"}
    beside = [stage["name"] for stage in run["stages"] if stage.get("beside") == "check"]
    assert beside[:2] == ["lint", "test"]
    assert run["aborts"] is True


def test_jenkins_tells_a_plain_job_why_it_does_not_publish(every_ci):
    run = jenkins(every_ci / "Jenkinsfile")
    assert results(run)["publish"] == "SKIPPED"
    assert "only a multibranch pipeline" in run["said"]
    assert "multibranch" in (every_ci / "Jenkinsfile").read_text().split("pipeline {")[0]


@pytest.mark.parametrize("every_ci", ["service"], indirect=True)
@pytest.mark.parametrize("absent", ["", "cosign-key", "cosign-password"])
def test_jenkins_signs_where_it_has_the_key_and_says_where_it_has_not(every_ci, absent):
    run = jenkins(every_ci / "Jenkinsfile", "BRANCH_NAME=main", f"ABSENT={absent}")
    publish = run["stages"][-1]
    assert publish["result"] == "SUCCESS" and publish["commands"].count("ci/sign.sh") == 1
    given = publish["credentials"]["ci/sign.sh"]
    assert {"REGISTRY_USER", "REGISTRY_PASSWORD"} < set(given)
    assert {"COSIGN_KEY", "COSIGN_PASSWORD"} & set(given) == (
        set() if absent else {"COSIGN_KEY", "COSIGN_PASSWORD"}
    )
    assert (absent in publish["said"]) if absent else ("said" not in publish)


@pytest.mark.parametrize("every_ci", ["service"], indirect=True)
def test_jenkins_fails_where_signing_fails_and_does_not_try_without_the_key(every_ci):
    run = jenkins(every_ci / "Jenkinsfile", "BRANCH_NAME=main", "ci/sign.sh?=1")
    assert run["result"] == "FAILURE"
    assert run["stages"][-1]["commands"].count("ci/sign.sh") == 1


@pytest.mark.parametrize("every_ci", ["service"], indirect=True)
def test_jenkins_builds_nothing_where_a_check_fails_but_ends_the_other(every_ci):
    run = jenkins(every_ci / "Jenkinsfile", "BRANCH_NAME=main", "ci/lint.sh?=1")
    found = results(run)
    assert found["lint"] == "FAILURE" and found["test"] == "SUCCESS"
    assert found["build-image"] == found["publish"] == "SKIPPED"
    assert run["result"] == "FAILURE"


@pytest.mark.parametrize("every_ci", ["service"], indirect=True)
@pytest.mark.parametrize(
    ("status", "stage", "whole"),
    [("77", "FAILURE", "FAILURE"), ("12", "FAILURE", "FAILURE"), ("0", "SUCCESS", "SUCCESS")],
)
def test_jenkins_fails_where_the_gpu_does_not_work(every_ci, status, stage, whole):
    run = jenkins(every_ci / "Jenkinsfile", GPU, "BRANCH_NAME=main", f"ci/gpu.sh?={status}")
    assert run["result"] == whole
    assert results(run)["gpu-smoke"] == stage
    assert (results(run)["publish"] == "SKIPPED") >= (stage == "FAILURE")


def test_jenkins_gives_no_gpu_to_a_fork_and_no_password_to_push_to_a_change(every_ci):
    run = jenkins(every_ci / "Jenkinsfile", GPU, "CHANGE_ID=7", "BRANCH_NAME=PR-7")
    assert results(run)["gpu-smoke"] == "SUCCESS"
    given = {command for stage in run["stages"] for command in stage["credentials"]}
    assert given <= {"ci/image.sh", "ci/bring-image.sh"}  # they pull the team's image
    run = jenkins(every_ci / "Jenkinsfile", GPU, "CHANGE_ID=7", "CHANGE_FORK=other")
    assert results(run)["gpu-smoke"] == "SKIPPED"
    assert not any(stage["credentials"] for stage in run["stages"])


@pytest.mark.parametrize("every_ci", ["service"], indirect=True)
@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        ("beforeAgent true", "", "waits for ever"),
        ("label \"${env.CPU_RUNNER ?: ''}\"", "", "an agent without a label"),
        ("    agent none\n", "", "without agent"),
        ("steps {", "step {", "'step' is no word"),
        ("unit: 'MINUTES'", "unit: 'MINUTE'", "timeout"),
        ("            }\n            steps {", "            } steps {", "null object"),
        ("            parallel {", "            stages {", "'stages' is no word"),
        ("buildDiscarder(", "buildDiscard(", "'buildDiscard' is no word"),
        ("stage('test')", "stage('lint')", "two stages"),
        ("pipeline {", "pipeline {{", "Exception"),
    ],
)
def test_the_recorder_rejects_a_broken_jenkinsfile(every_ci, tmp_path, right, wrong, says):
    text = (every_ci / "Jenkinsfile").read_text()
    assert right in text
    (tmp_path / "Jenkinsfile").write_text(text.replace(right, wrong, 1))
    assert says in jenkins_refuses(tmp_path / "Jenkinsfile")


# ---------------------------------------------------------------- all three


def test_all_three_run_the_same_scripts_in_the_same_jobs(every_ci):
    github = yaml.safe_load((every_ci / ".github/workflows/ci.yml").read_text())["jobs"]
    gitlab = yaml.safe_load((every_ci / ".gitlab-ci.yml").read_text())
    stages = jenkins(every_ci / "Jenkinsfile", GPU, "BRANCH_NAME=main", "TAG_NAME=v1")["stages"]

    def scripts(lines):
        left_out = ("framework", "remove-images")
        found = [word for line in lines for word in SCRIPT.findall(line)]
        return [word for word in found if not any(name in word for name in left_out)]

    by_github = {
        name: scripts(step["run"] for step in job["steps"] if "run" in step)
        for name, job in github.items()
    }
    by_gitlab = {name: scripts(gitlab[name]["script"]) for name in gitlab["stages"]}
    by_jenkins = {stage["name"]: scripts(stage["commands"]) for stage in stages}
    assert by_github == by_gitlab == by_jenkins
    # Who keeps machines: Jenkins all of them, GitLab and GitHub those with a GPU.
    kept = {stage["name"] for stage in stages if "ci/remove-images.sh" in stage["commands"]}
    assert kept == {name for name in by_github if name in ("build-image", "gpu-smoke")} | (
        {"publish"} if "build-image" in by_github else set()
    )
    assert gitlab["gpu-smoke"]["after_script"] == ["ci/remove-images.sh"]
    last = github["gpu-smoke"]["steps"][-1]
    assert last["run"] == "ci/remove-images.sh" and "always()" in last["if"]
    called = {word.split()[0] for words in by_github.values() for word in words}
    for script in called:
        assert os.access(every_ci / script, os.X_OK), script


@pytest.mark.turns(2)
@pytest.mark.parametrize("every_ci", ["library"], indirect=True)
@pytest.mark.parametrize(
    ("job", "says"),
    [
        ("lint", "no issues found"),
        ("test", " passed"),
        ("test-oldest", " passed"),
        ("dist", r"\bit \d\S* works: \d+ examples"),
    ],
)
def test_gitlabs_jobs_for_cpus_run_with_its_shell_executor(gitlab, job, says):
    if job == "dist" and not (gitlab.folder / "build").exists():
        share_tools(gitlab.folder)
    words = ["--force-shell-executor", "--no-color", job]
    said = run(*gitlab.command, *words, cwd=gitlab.folder, VENV=venv_of("none"))
    assert re.search(says, said) and re.search(rf"PASS.*{job}", said), said[-3000:]
