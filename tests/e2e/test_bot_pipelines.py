"""The bot in the pipelines of a project: when it runs, alone, with which token."""

import pytest
import yaml

from .conftest import EVERY_CI, TEAMS_CI
from .readers import GitLab, jenkins, results

COMMAND = 'ci/template-update.sh "${FORGE:-branch}"'


@pytest.fixture(params=[*EVERY_CI, *TEAMS_CI])
def project(request, make_ci):
    return make_ci(request.param)


def test_gitlab_starts_it_by_its_schedule_alone_and_nothing_else_then(node_modules, project):
    gitlab = GitLab(node_modules, project)
    gitlab.run("--validate-dependency-chain")
    schedule = ["CI_PIPELINE_SOURCE=schedule", "TEMPLATE_UPDATE=1", "GPU_RUNNER=gpu"]
    assert set(gitlab.jobs(*schedule)) == {"template-update"}
    for other in (["CI_PIPELINE_SOURCE=schedule"], ["CI_COMMIT_BRANCH=main"]):
        jobs = set(gitlab.jobs(*other))
        assert "template-update" not in jobs and jobs


@pytest.mark.parametrize("status", [0, 1])
def test_jenkins_gives_it_its_token_and_fails_with_it(project, status):
    done = jenkins(project / "Jenkinsfile.update", f"{COMMAND}?={status}")
    assert results(done) == {"template-update": "FAILURE" if status else "SUCCESS"}
    [stage] = done["stages"]
    assert stage["commands"] == [COMMAND] and stage["credentials"] and stage["minutes"] == 20
    assert done["cron"]


def test_github_gives_it_what_it_needs_and_no_more(project):
    text = (project / ".github/workflows/template-update.yml").read_text()
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    [job] = workflow["jobs"].values()
    assert job["permissions"] == {
        "contents": "write",
        "pull-requests": "write",
        "packages": "read",
    }
    assert job["steps"][0]["with"] == {"fetch-depth": 0, "persist-credentials": False}
    assert [it for it in text.splitlines() if "secrets." in it] == [
        "          TEMPLATE_UPDATE_TOKEN: ${{ secrets.TEMPLATE_UPDATE_TOKEN }}"
    ]
