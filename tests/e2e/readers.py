"""What reads a pipeline as its system would: gitlab-ci-local, and a recorder for Jenkins."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from .support import TOP, clean_env, run

GROOVY = TOP / "tests/e2e/jenkins.groovy"


class GitLab:
    """gitlab-ci-local in the folder of a child."""

    def __init__(self, modules, folder):
        self.command = [modules / ".bin/node", modules / "gitlab-ci-local/dist/index.js"]
        self.folder = folder

    def run(self, *words, status=0):
        return run(*self.command, "--quiet", *words, cwd=self.folder, status=status)

    def jobs(self, *variables):
        """The jobs that a pipeline with these variables has, by name."""
        words = [word for variable in variables for word in ("--variable", variable)]
        said = self.run("--list-json", *words)
        found = json.loads(said[said.index("\n[") :])
        return {job["name"]: job for job in found if job["when"] != "never"}


def java_home():
    """Where the java of the system is: groovy's own guess fails where there are several."""
    return Path(shutil.which("java", path="/usr/bin:" + os.environ["PATH"])).resolve().parents[1]


def jenkins(path, *settings, status=0):
    command = ["groovy", GROOVY, path, *settings]
    done = subprocess.run(
        [str(word) for word in command],
        env=clean_env(JAVA_HOME=str(java_home())),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout if status else json.loads(done.stdout)


def results(run):
    return {stage["name"]: stage["result"] for stage in run["stages"]}
