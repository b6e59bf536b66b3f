"""The scripts of a cluster repository that test nodes and label them: with the smoke test itself, a
fake driver and an API server that is strict."""

import calendar
import json
import os
import ssl
import subprocess
import sys
import time

import pytest

from ..common.program import ROOT
from ..smoke.conftest import healthy, program, root, workshop  # noqa: F401
from .node_api import NodeApi, merged, serving, wrong

pytestmark = pytest.mark.full

SCRIPTS = ROOT / "templates/cluster/files/nodes/base"
BROKEN = {"key": "tmplgen.gpu/broken", "value": "exec", "effect": "NoSchedule"}
THEIRS = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
SECONDS = 60


@pytest.fixture
def api():
    return NodeApi()


@pytest.fixture
def account(tmp_path):
    folder = tmp_path / "account"
    folder.mkdir()
    (folder / "token").write_text("secret\n")
    return folder


class Pod:
    """The two containers, with the volume between them."""

    def __init__(self, tmp_path, account, address):
        self.report = tmp_path / "report.json"
        self.expect = tmp_path / "expect"
        self.expect.write_text("gpus: 1\n")
        self.env = {
            "PATH": os.environ["PATH"],
            "REPORT": str(self.report),
            "EXPECT": str(self.expect),
            "NODE_NAME": "worker-1",
            "LABEL": "tmplgen.gpu/smoke",
            "TAINT": "tmplgen.gpu/broken",
            "WAIT": "1",
            "API": address,
            "ACCOUNT": str(account),
        }

    def start(self, script, **more):
        return subprocess.Popen(
            [sys.executable, str(SCRIPTS / script)],
            env={**self.env, **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, script, status=0, **more):
        with self.start(script, **more) as done:
            out, err = done.communicate(timeout=SECONDS)
        assert done.returncode == status, out + err
        return out + err

    def says(self, code, **finding):
        self.report.write_text(
            json.dumps({"exit": code, "finding": finding or None, "at": time.time()})
        )

    def label(self, **more):
        return self.run("label_node.py", **more)


@pytest.fixture
def pod(tmp_path, account, api):
    with serving(api) as address:
        yield Pod(tmp_path, account, address)


# ---------------------------------------------------------------- with gpu-smoke and a fake driver


@pytest.fixture
def machine(pod, program, healthy, tmp_path):  # noqa: F811
    """gpu-smoke as the container finds it, on a machine that is made up."""

    def look(script=""):
        wrapper = tmp_path / "gpu-smoke"
        load = "--load" if healthy.loads else ""
        wrapper.write_text(
            f"#!/bin/sh\nFAKE_CUDA='{script}' exec {program} --root {healthy.path} {load} \"$@\"\n"
        )
        wrapper.chmod(0o755)
        pod.run("run_smoke.py", GPU_SMOKE=str(wrapper))
        return pod.label()

    return look


def test_a_node_that_works_is_labelled_ok(machine, api):
    before = int(time.time())
    machine()
    assert api.labels == {"kubernetes.io/hostname": "worker-1", "tmplgen.gpu/smoke": "ok"}
    assert api.taints == [] and "taints" not in api.node["spec"]
    assert api.notes["tmplgen.gpu/smoke-why"] == "all layers work"
    at = time.strptime(api.notes["tmplgen.gpu/smoke-at"], "%Y-%m-%dT%H:%M:%SZ")
    assert before <= calendar.timegm(at) <= time.time()
    assert api.notes["theirs"] == "stays" and api.node["spec"]["podCIDR"]


def test_wrong_results_taint_the_node_until_they_are_right_again(machine, api):
    machine("corrupt=product;one_in=100;which=0")
    assert api.labels["tmplgen.gpu/smoke"] == "exec"
    assert api.taints == [BROKEN]
    assert api.notes["tmplgen.gpu/smoke-why"].startswith("wrong-result: ")
    machine()
    assert api.labels["tmplgen.gpu/smoke"] == "ok"
    assert api.taints == [] and "taints" not in api.node["spec"]


@pytest.mark.parametrize(
    ("script", "layer"),
    [("cuInit=803", "init"), ("cuModuleLoadDataEx=218", "jit"), ("cuLaunchKernel=700", "exec")],
)
def test_each_broken_layer_has_its_name(machine, api, script, layer):
    machine(script)
    assert api.labels["tmplgen.gpu/smoke"] == layer
    assert api.taints == [{**BROKEN, "value": layer}]


def test_less_gpus_than_expected_is_a_broken_node(machine, pod, api):
    pod.expect.write_text("gpus: 2\n")
    machine()
    assert api.labels["tmplgen.gpu/smoke"] == "hw"
    assert api.taints[0]["value"] == "hw"


def test_memory_that_others_use_is_no_fault_of_the_node(machine, api):
    machine("cuMemAlloc_v2=2")
    assert api.labels["tmplgen.gpu/smoke"] == "busy"
    assert api.taints == []


# ---------------------------------------------------------------- verdicts and taints


def test_taints_of_others_stay_and_ours_is_there_once(pod, api):
    api.change({"spec": {"taints": [THEIRS]}})
    pod.says(15, layer="jit", cause="x", what="w", fix="f")
    pod.label()
    assert api.taints == [THEIRS, {**BROKEN, "value": "jit"}]
    pod.says(16, layer="exec", cause="x", what="w", fix="f")
    pod.label()
    assert api.taints == [THEIRS, BROKEN]
    pod.says(0)
    pod.label()
    assert api.taints == [THEIRS]


def test_one_check_does_not_take_away_what_the_other_found(pod, api):
    other = {"LABEL": "tmplgen.gpu/smoke-pod", "TAINT": "tmplgen.gpu/broken-pod"}
    pod.says(12, layer="inject", cause="x", what="w", fix="f")
    pod.label(**other)
    pod.says(0)
    pod.label()
    assert api.labels["tmplgen.gpu/smoke"] == "ok"
    assert api.labels["tmplgen.gpu/smoke-pod"] == "inject"
    assert [taint["key"] for taint in api.taints] == ["tmplgen.gpu/broken-pod"]


@pytest.mark.parametrize(
    ("code", "finding", "value"),
    [
        (1, {}, "error"),
        (2, {}, "error"),
        (124, {}, "error"),
        (127, {}, "error"),
        (-9, {}, "error"),
        (16, {"layer": "exec", "cause": "out-of-memory", "what": "w", "fix": "f"}, "busy"),
        (16, {"layer": "exec", "cause": "memory-of-others", "what": "w", "fix": "f"}, "busy"),
        (14, {"layer": "init", "cause": "device-unavailable", "what": "w", "fix": "f"}, "busy"),
    ],
)
@pytest.mark.parametrize("before", [[], [BROKEN]], ids=["untainted", "tainted"])
def test_what_says_nothing_of_the_node_changes_no_taint(pod, api, code, finding, value, before):
    api.change({"spec": {"taints": before or None}})
    pod.says(code, **finding)
    pod.label()
    assert api.labels["tmplgen.gpu/smoke"] == value
    assert api.taints == before


def test_a_crash_has_the_layer_of_its_code(pod, api):
    pod.says(14)
    pod.label()
    assert api.labels["tmplgen.gpu/smoke"] == "init"
    assert api.taints == [{**BROKEN, "value": "init"}]


def test_a_container_that_does_not_start_is_the_runtime(pod, api):
    assert "inject" in pod.label(WAIT="0.3")
    assert api.labels["tmplgen.gpu/smoke"] == "inject"
    assert api.taints == [{**BROKEN, "value": "inject"}]


def test_without_a_key_nothing_is_tainted(pod, api):
    pod.says(16, layer="exec", cause="x", what="w", fix="f")
    pod.label(TAINT="")
    assert api.labels["tmplgen.gpu/smoke"] == "exec"
    assert api.taints == []


def test_every_layer_that_gpu_smoke_names_is_a_label(pod, api):
    layers = ["hw", "kmod", "devnodes", "inject", "libcuda", "init", "jit", "exec", "bandwidth",
              "sharing", "health", "toolkit", "framework"]  # fmt: skip
    page = (ROOT / "templates/cluster/files/docs/nodes.md.j2").read_text()
    for layer in layers:
        pod.says(16, layer=layer, cause="x", what="w", fix="f")
        pod.label()
        assert api.labels["tmplgen.gpu/smoke"] == layer
        assert f"`{layer}`" in page


# ---------------------------------------------------------------- the API server


def test_a_taint_that_comes_in_between_is_not_lost(pod, api):
    api.between = lambda: api.change({"spec": {"taints": [THEIRS]}})
    pod.says(16, layer="exec", cause="x", what="w", fix="f")
    pod.label()
    assert api.taints == [THEIRS, BROKEN]
    assert [method for method, _ in api.asked] == ["GET", "PATCH", "GET", "PATCH"]


def test_a_node_that_changes_all_the_time_is_given_up(pod, api):
    pod.says(0)
    api.fails = [200, 409] * 10
    real = api.answer

    def answer(method, *rest):
        if method == "GET":
            return real(method, *rest)
        api.asked.append((method, "conflict"))
        return 409, {"kind": "Status"}

    api.answer, api.fails = answer, []
    assert "the node cannot be labelled: HTTP Error 409" in pod.label(status=1)
    assert len(api.asked) == 10


@pytest.mark.parametrize("status", [401, 403, 422, 500])
def test_what_the_server_refuses_is_told_once(pod, api, status):
    pod.says(0)
    api.fails = [status]
    assert f"HTTP Error {status}" in pod.label(status=1)
    assert len(api.asked) == 1 and "secret" not in json.dumps(api.node)


def test_nobody_there_is_told(pod):
    pod.says(0)
    assert "cannot be labelled" in pod.label(status=1, API="http://127.0.0.1:1")


def test_only_this_cluster_s_server_is_believed(pod, api, account, tmp_path):
    """One with another certificate does not get the token."""
    for name in ("ours", "theirs"):
        words = f"req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN={name} -addext"
        subprocess.run(
            ["openssl", *words.split(), "subjectAltName=IP:127.0.0.1",
             "-keyout", tmp_path / f"{name}.key", "-out", tmp_path / f"{name}.crt"],
            check=True, capture_output=True,
        )  # fmt: skip
    (account / "ca.crt").write_text((tmp_path / "ours.crt").read_text())
    pod.says(0)
    for name, status in (("theirs", 1), ("ours", 0)):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(tmp_path / f"{name}.crt", tmp_path / f"{name}.key")
        with serving(api, context) as address:
            said = pod.label(status=status, API=address)
        assert ("CERTIFICATE_VERIFY_FAILED" in said) == bool(status)
        assert bool(api.asked) != bool(status)


# ---------------------------------------------------------------- again and again


def wait_until(true, seconds=SECONDS):
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until
        time.sleep(0.05)


def test_a_daemon_labels_with_each_report_and_takes_a_new_token(pod, api, account):
    pod.says(0)
    running = pod.start("label_node.py", EVERY="1", WAIT="30")
    try:
        wait_until(lambda: api.labels.get("tmplgen.gpu/smoke") == "ok")
        api.token = "fresh"
        (account / "token").write_text("fresh")
        pod.says(16, layer="exec", cause="x", what="w", fix="f")
        wait_until(lambda: api.taints == [BROKEN])
        pod.says(0)
        wait_until(lambda: api.taints == [])
    finally:
        running.kill()
        running.communicate()


def test_a_daemon_survives_an_api_server_that_is_away(pod, api):
    pod.says(0)
    api.fails = [500, 500]
    running = pod.start("label_node.py", EVERY="0.2", WAIT="30")
    try:
        wait_until(lambda: api.labels.get("tmplgen.gpu/smoke") == "ok")
        assert len(api.asked) == 4
    finally:
        running.kill()
        running.communicate()


def test_a_daemon_says_so_when_reports_stop(pod, api):
    pod.says(0)
    running = pod.start("label_node.py", EVERY="0.2", WAIT="0.5")
    try:
        wait_until(lambda: api.labels.get("tmplgen.gpu/smoke") == "ok")
        wait_until(lambda: api.labels.get("tmplgen.gpu/smoke") == "inject")
    finally:
        running.kill()
        running.communicate()


def test_the_test_runs_again_and_again(pod, tmp_path):
    counter = tmp_path / "gpu-smoke"
    counter.write_text(f'#!/bin/sh\necho run >>{tmp_path}/runs\necho "{{}}"\nexit 16\n')
    counter.chmod(0o755)
    (tmp_path / "runs").touch()
    running = pod.start("run_smoke.py", EVERY="0.1", GPU_SMOKE=str(counter))
    try:
        wait_until(lambda: len((tmp_path / "runs").read_text().split()) >= 3)
        assert json.loads(pod.report.read_text())["exit"] == 16
    finally:
        running.kill()
        running.communicate()


@pytest.mark.parametrize(
    ("text", "code"),
    [("exit 3", 3), ("echo '['; exit 16", 16), ("echo '[]'; exit 16", 16), ("sleep 60", 124)],
)
def test_a_test_that_fails_itself_leaves_a_report(pod, api, tmp_path, text, code):
    program = tmp_path / "gpu-smoke"  # noqa: F811
    program.write_text(f"#!/bin/sh\n{text}\n")
    program.chmod(0o755)
    pod.run("run_smoke.py", GPU_SMOKE=str(program), LIMIT="1")
    report = json.loads(pod.report.read_text())
    assert report["exit"] == code and report["finding"] is None
    pod.label()
    assert api.labels["tmplgen.gpu/smoke"] == ("exec" if code == 16 else "error")


def test_an_image_without_gpu_smoke_is_told(pod, api):
    assert "No such file" in pod.run("run_smoke.py", GPU_SMOKE="/nowhere/gpu-smoke")
    pod.label()
    assert api.labels["tmplgen.gpu/smoke"] == "error"


# ---------------------------------------------------------------- the fake itself


def test_the_fake_refuses_what_a_server_refuses(api):
    headers = {"Authorization": "Bearer secret", "Content-Type": "application/merge-patch+json"}
    path = "/api/v1/nodes/worker-1"

    def status(method="PATCH", at=path, body=None, **more):
        return api.answer(method, at, {**headers, **more}, json.dumps(body or {}))[0]

    assert status() == 200
    assert status(Authorization="Bearer other") == 401
    assert status(at="/api/v1/nodes/worker-2") == 403
    assert status(method="PUT") == 405
    assert status(**{"Content-Type": "application/json"}) == 415
    assert status(body={"metadata": {"resourceVersion": "1"}}) == 409
    for bad in (
        {"metadata": {"labels": {"a b": "x"}}},
        {"metadata": {"labels": {"a": "not ok"}}},
        {"metadata": {"labels": {"a": 1}}},
        {"metadata": {"annotations": {"a": 1}}},
        {"spec": {"taints": [{**BROKEN, "effect": "Never"}]}},
        {"spec": {"taints": [BROKEN, {**BROKEN, "value": "init"}]}},
        {"spec": {"taints": [{**BROKEN, "operator": "Exists"}]}},
    ):
        assert status(body=bad) == 422, bad
    assert wrong(merged(api.node, {"spec": {"taints": [BROKEN, THEIRS]}})) is None
