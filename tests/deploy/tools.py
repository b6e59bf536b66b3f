"""Programs that read what children bring: each as its own system would, or as its reviewers do."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from ..common.program import ROOT
from ..e2e.support import one_at_a_time

BIN = Path(sys.executable).parent
CHECKOV = ROOT / "build/tools/checkov"
CHECKOV_VERSION = "3.3.30"
# What a reviewer's rule says that is not so here, and why.
EXPLAINED = {
    "CKV_K8S_11": "a limit of CPU time slows a service down without need; requests share it out",
    "CKV_K8S_14": "ci/set-image.sh puts the digest in once an image is pushed",
    "CKV_K8S_43": "the same",
    "CKV_K8S_21": "kubectl's own namespace: which one it is, whoever applies it says",
    "CKV_K8S_8": "a daemon that tests now and then is ready when it has reported",
    "CKV_K8S_9": "the same; and an engine probes its pods itself",
    "CKV_K8S_18": "which pods share the node's IPC, for MPS, test_matrix.py knows better",
    "CKV2_K8S_6": "engines make such pods, and a team's namespace has rules of its own",
}


def run(*command, **how):
    return subprocess.run(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, **how,
    )  # fmt: skip


def said_by(done):
    return [f"{done.stdout}{done.stderr}"] if done.returncode else []


def zizmor(folders):
    """What is unsafe in the workflows of these folders, in the eyes of zizmor."""
    words = ["--offline", "--no-progress", "--color=never", "--format=plain"]
    return said_by(run(BIN / "zizmor", *words, *(folder.resolve() for folder in folders)))


def github(parser, path):
    """What GitHub's own parser says to a workflow."""
    return said_by(run("node", parser, path))


def promtool(rules):
    """What Prometheus says to the rules of a PrometheusRule."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rules.yml")
        path.write_text(yaml.safe_dump(rules["spec"]))
        return said_by(run("promtool", "check", "rules", path))


def install_checkov():
    """In an environment of its own: it wants older packages than tests do."""
    with one_at_a_time("checkov"):
        if not (CHECKOV / "bin/checkov").exists():
            shutil.rmtree(CHECKOV, ignore_errors=True)
            done = run(sys.executable, "-m", "venv", CHECKOV)
            words = ["install", "--quiet", f"checkov=={CHECKOV_VERSION}"]
            done = done if done.returncode else run(CHECKOV / "bin/pip", *words)
            assert done.returncode == 0, done.stderr
    return CHECKOV / "bin/checkov"


def checkov(documents):
    """Its rules that these documents break, without those that are explained: rule, object."""
    with tempfile.TemporaryDirectory() as folder:
        for number, one in enumerate(documents):
            Path(folder, f"{number}.yaml").write_text(yaml.safe_dump(one))
        words = ["--quiet", "--compact", "--framework", "kubernetes", "--output", "json"]
        # It would ask its maker's server for texts about its rules.
        env = {**os.environ, "LOG_LEVEL": "CRITICAL"}
        done = run(install_checkov(), *words, "--directory", folder, env=env)
    assert done.returncode in (0, 1) and "{" in done.stdout, done.stdout + done.stderr
    told = json.loads(done.stdout)
    assert told["summary"]["parsing_errors"] == 0 and told["summary"]["passed"]
    failed = {(one["check_id"], one["resource"]) for one in told["results"]["failed_checks"]}
    return sorted(one for one in failed if one[0] not in EXPLAINED)
