"""What reads a pipeline as its system would: gitlab-ci-local, and a recorder for Jenkins."""

import json
import os
import select
import shutil
import subprocess
from pathlib import Path

from .support import HANGS_S, TOP, clean_env, run

GROOVY = TOP / "tests/e2e/jenkins.groovy"


class GitLab:
    """gitlab-ci-local in the folder of a child."""

    def __init__(self, modules, folder):
        self.command = [modules / ".bin/node", modules / "gitlab-ci-local/dist/index.js"]
        self.folder = folder

    def run(self, *words, status=0):
        return run(*self.command, "--quiet", *words, cwd=self.folder, status=status)

    def jobs(self, *variables):
        """The jobs that a pipeline with these variables has, by name.

        To hold it against the schema takes half of the time: `run` does that.
        """
        words = [word for variable in variables for word in ("--variable", variable)]
        said = self.run("--list-json", "--no-json-schema-validation", *words)
        found = json.loads(said[said.index("\n[") :])
        return {job["name"]: job for job in found if job["when"] != "never"}


def java_home():
    """Where the java of the system is: groovy's own guess fails where there are several."""
    return Path(shutil.which("java", path="/usr/bin:" + os.environ["PATH"])).resolve().parents[1]


class Recorder:
    """A JVM that reads one Jenkinsfile after the other; to start one takes it seconds."""

    process = None

    def start(self):
        # Most of what it runs it runs once: its better compiler would take longer than that.
        env = clean_env(JAVA_HOME=str(java_home()), JAVA_OPTS="-XX:TieredStopAtLevel=1")
        self.process = subprocess.Popen(
            ["groovy", GROOVY], env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, words):
        if not self.process:
            self.start()
        self.process.stdin.write(json.dumps([str(word) for word in words]) + "\n")
        self.process.stdin.flush()
        answers, _, _ = select.select([self.process.stdout], [], [], HANGS_S)
        assert answers, f"no end of {words}"
        return json.loads(self.process.stdout.readline())

    def end(self):
        if self.process:
            self.process.kill()
            self.process.communicate()


RECORDER = Recorder()


def jenkins(path, *settings):
    """What a pipeline would do."""
    found = RECORDER.ask([path, *settings])
    assert "wrong" not in found, found["wrong"]
    return found


def jenkins_refuses(path, *settings):
    """Why a pipeline is none."""
    return RECORDER.ask([path, *settings])["wrong"]


def results(run):
    return {stage["name"]: stage["result"] for stage in run["stages"]}
