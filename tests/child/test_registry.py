"""The scripts that push, pull and publish images, with an engine that writes down its words."""

import os
import subprocess

import pytest

from .matrix import tmplgen

ENGINE = """\
#!/bin/sh
echo "$*" >>"$LOG"
case "$1 $2" in
"login "*) cat >>"$LOG"; echo >>"$LOG" ;;
"pull $ABSENT"*) exit 1 ;;
esac
"""


@pytest.fixture
def engine(tmp_path):
    words = ["--type", "service", "--framework", "none", "--name", "it"]
    words += ["--registry", "registry.example.org:5000/team"]
    tmplgen("new", tmp_path / "it", *words, "--no-git", cwd=tmp_path)
    script, log = tmp_path / "engine", tmp_path / "log"
    script.write_text(ENGINE)
    script.chmod(0o755)

    def run(*command, **env):
        log.write_text("")
        settings = {"PATH": os.environ["PATH"], "ENGINE": str(script), "LOG": str(log)}
        subprocess.run(
            [str(word) for word in command],
            cwd=tmp_path / "it",
            env={**settings, "ABSENT": "nothing", **env},
            check=True,
            capture_output=True,
            timeout=60,
        )
        return log.read_text().splitlines()

    return run


IT = "registry.example.org:5000/team/it"
LOGIN = ["login --username ann --password-stdin registry.example.org:5000", "secret"]
ANN = {"REGISTRY_USER": "ann", "REGISTRY_PASSWORD": "secret"}


@pytest.mark.parametrize("name", ["GITHUB_SHA", "CI_COMMIT_SHA", "GIT_COMMIT"])
def test_images_have_the_name_of_their_commit_in_every_ci(engine, name):
    assert engine("ci/push.sh", **{name: "abc"}) == [f"push {IT}:abc", f"push {IT}:abc-test"]


def test_the_password_is_given_on_standard_input(engine):
    said = engine("ci/push.sh", **ANN)
    assert said[:2] == LOGIN
    assert said[2:] == [f"push {IT}:latest", f"push {IT}:latest-test"]


def test_what_was_tested_is_what_is_published(engine):
    said = engine("ci/publish.sh", **ANN, GITHUB_SHA="abc")
    public = f"{IT}:latest"
    done = [f"pull {IT}:abc", f"tag {IT}:abc {public}", f"push {public}", f"rmi {public}"]
    assert said == [*LOGIN, *done]


def test_images_of_this_commit_are_not_built_again(engine):
    assert engine("ci/bring-image.sh", GITHUB_SHA="abc") == [
        f"pull {IT}:abc",
        f"pull {IT}:abc-test",
    ]


def test_images_that_are_not_there_are_built(engine):
    said = engine("ci/bring-image.sh", GITHUB_SHA="abc", ABSENT=f"{IT}:abc")
    assert [line.split()[0] for line in said] == ["pull", "build", "build"]
