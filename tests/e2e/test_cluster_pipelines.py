"""The three pipelines of a repository for clusters: what is pushed, and who gets credentials."""

import re

import pytest
import yaml

from .readers import GitLab, jenkins, results

JOBS = {"lint", "build"}
COMMANDS = ["ci/lint.sh", "ci/build.sh", "ci/push.sh"]


def test_gitlab_pushes_from_the_default_branch_alone(node_modules, cluster_ci):
    gitlab = GitLab(node_modules, cluster_ci)
    gitlab.run("--validate-dependency-chain")
    assert set(gitlab.jobs()) == JOBS | {"push"}
    assert set(gitlab.jobs("CI_COMMIT_BRANCH=feature")) == JOBS
    assert set(gitlab.jobs("CI_PIPELINE_SOURCE=schedule", "TEMPLATE_UPDATE=1")) == {
        "template-update"
    }
    request = ["CI_PIPELINE_SOURCE=merge_request_event", "CI_COMMIT_BRANCH="]
    assert set(gitlab.jobs(*request)) == JOBS


@pytest.mark.parametrize("branch", ["main", "master"])
def test_jenkins_pushes_from_the_main_branch_with_credentials(cluster_ci, branch):
    done = jenkins(cluster_ci / "Jenkinsfile", f"BRANCH_NAME={branch}")
    assert results(done) == {"lint": "SUCCESS", "build": "SUCCESS", "push": "SUCCESS"}
    assert [one for stage in done["stages"] for one in stage["commands"]] == COMMANDS
    assert [bool(stage["credentials"]) for stage in done["stages"]] == [False, False, True]


def test_jenkins_gives_no_credentials_elsewhere(cluster_ci):
    done = jenkins(cluster_ci / "Jenkinsfile", "BRANCH_NAME=feature")
    assert not any(stage["credentials"] for stage in done["stages"])
    assert "ci/push.sh" not in [one for stage in done["stages"] for one in stage["commands"]]


def test_jenkins_does_not_push_what_is_broken(cluster_ci):
    done = jenkins(cluster_ci / "Jenkinsfile", "BRANCH_NAME=main", "ci/lint.sh?=1")
    assert "ci/push.sh" not in [one for stage in done["stages"] for one in stage["commands"]]


def test_github_gives_the_registry_s_password_to_the_default_branch_alone(cluster_ci):
    jobs = yaml.safe_load((cluster_ci / ".github/workflows/ci.yml").read_text())["jobs"]
    assert "default_branch" in jobs["push"]["if"] and "pull_request" in jobs["push"]["if"]
    for name, job in jobs.items():
        text = str(job)
        assert ("REGISTRY_PASSWORD" in text) == (name == "push")
        assert job["permissions"] == {"contents": "read"} | (
            {"packages": "write"} if name == "push" else {}
        )
        for step in job["steps"]:
            assert "uses" not in step or re.search(r"@[0-9a-f]{40}$", step["uses"])
