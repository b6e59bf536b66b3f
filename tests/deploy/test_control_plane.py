"""What a real control plane does with what is deployed: where pods go, and what becomes of a run.

    KUBEBUILDER_ASSETS=FOLDER pytest tests/deploy/test_control_plane.py

As test_api_server.py; kube-controller-manager and kube-scheduler are in the folder, too.
"""

import itertools
import time
from pathlib import Path

import pytest

from ..smoke.conftest import program, workshop  # noqa: F401
from . import api_server, render
from .tools import run

there = api_server.ASSETS and Path(api_server.ASSETS, "kube-scheduler").exists()
pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not there, reason="KUBEBUILDER_ASSETS names no control plane"),
]

H100 = {
    "kubernetes.io/arch": "amd64",
    "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3",
    "nvidia.com/cuda.driver-version.major": "580",
    "nvidia.com/gpu.sharing-strategy": "none",
}
SHARED = {
    **H100,
    "nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3-SHARED",
    "nvidia.com/gpu.sharing-strategy": "mps",
    "nvidia.com/gpu.replicas": "4",
}
# Each has one thing that keeps the pods away.
UNFIT = {
    "an-old-driver": ({**H100, "nvidia.com/cuda.driver-version.major": "570"}, 8),
    "another-model": ({**H100, "nvidia.com/gpu.product": "Tesla-T4"}, 8),
    "another-processor": ({**H100, "kubernetes.io/arch": "arm64"}, 8),
    "no-discovery": ({"kubernetes.io/arch": "amd64"}, 8),
    "time-slices": ({**SHARED, "nvidia.com/gpu.sharing-strategy": "time-slicing"}, 8),
    "tainted": (H100, 8),
    "no-device-plugin": ({**H100, "nvidia.com/gpu.product": "NVIDIA-A10"}, 0),
}
BATCH = ("--type", "batch", "--gpu", "H100", "--platform", "generic")
SERVICE = ("--type", "service", "--gpu", "H100", "--platform", "generic")
NUMBERS = itertools.count()


@pytest.fixture(scope="module")
def plane(tmp_path_factory):
    with api_server.ControlPlane(tmp_path_factory.mktemp("plane")) as it:
        for name, (labels, gpus) in UNFIT.items():
            it.add_node(name, labels, gpus)
        it.kubectl("taint", "node", "tainted", "team=a:NoSchedule")
        it.add_node("good", H100, 100)
        it.add_node("good-mps", SHARED, 16)
        yield it


@pytest.fixture
def space(plane):
    """A namespace of the test's own, of the restricted standard."""
    name = f"team-{next(NUMBERS)}"
    plane.kubectl("create", "namespace", name)
    level = "pod-security.kubernetes.io/enforce=restricted"
    plane.kubectl("label", "namespace", name, level)
    yield name
    plane.kubectl("delete", "namespace", name, "--wait=false")  # no kubelet ends its pods


def deploy(plane, space, folder, *words, overlay="default", volumes=True):
    words = ["--framework", "pytorch", "--deploy", "k8s", "--name", "it", *words]
    child = render.render(folder / "it", *words)
    path = child.folder / "deploy/k8s/overlays" / overlay
    claims = [one for one in render.kustomize(path) if one["kind"] == "PersistentVolumeClaim"]
    if claims and volumes:
        plane.kubectl("create", "-f", "-", documents=[volume(one, space) for one in claims])
    plane.kubectl("apply", "-n", space, "-k", path)
    return child


def volume(claim, space):
    """One that is there, as a storage class would make it."""
    name = claim["metadata"]["name"]
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"{space}-{name}"},
        "spec": {
            "capacity": claim["spec"]["resources"]["requests"],
            "accessModes": claim["spec"]["accessModes"],
            "claimRef": {"namespace": space, "name": name},
            "hostPath": {"path": "/nowhere"},
        },
    }


def pods_of(plane, space, count):
    api_server.until(lambda: len(plane.pods(space, "it")) >= count)
    found = plane.pods(space, "it")
    assert len(found) == count
    return found


def scheduled(pod):
    """The node; or what the scheduler says."""
    for one in pod.get("status", {}).get("conditions", []):
        if one["type"] == "PodScheduled":
            return pod["spec"]["nodeName"] if one["status"] == "True" else one["message"]
    return None


def placed(plane, space, count):
    api_server.until(lambda: all(map(scheduled, pods_of(plane, space, count))))
    return [scheduled(pod) for pod in plane.pods(space, "it")]


# ---------------------------------------------------------------- where pods go


@pytest.mark.parametrize(
    ("overlay", "node"),
    [("default", "good"), ("mps", "good-mps"), ("time-slicing", "time-slices")],
)
def test_pods_go_where_model_driver_and_sharing_fit(plane, space, tmp_path, overlay, node):
    deploy(plane, space, tmp_path, *SERVICE, overlay=overlay)
    assert set(placed(plane, space, 2)) == {node}


def test_an_arm_build_goes_to_an_arm_node(plane, space, tmp_path):
    deploy(plane, space, tmp_path, *BATCH, "--arch", "aarch64")
    assert placed(plane, space, 1) == ["another-processor"]


STATES = {
    "no such model": (["--gpu", "L40S"], True, "node affinity/selector", None),
    "no device plugin": (["--gpu", "A10"], True, "Insufficient nvidia.com/gpu", "inject"),
    "no storage": (
        ["--gpu", "H100"],
        False,
        "pod has unbound immediate PersistentVolumeClaims",
        None,
    ),
}


@pytest.mark.parametrize("case", STATES)
def test_the_page_has_what_the_scheduler_says(plane, space, tmp_path, program, case):  # noqa: F811
    words, volumes, said, layer = STATES[case]
    words = ("--type", "batch", "--platform", "generic", *words)
    child = deploy(plane, space, tmp_path, *words, volumes=volumes)
    (message,) = placed(plane, space, 1)
    assert said in message and said in (child.folder / "docs/deploy.md").read_text()
    (tmp_path / "pod.txt").write_text(
        f"  Warning  FailedScheduling  1s  default-scheduler  {message}"
    )
    explained = run(program, "--explain", f"@{tmp_path / 'pod.txt'}")
    assert (layer or "nothing of a GPU") in explained.stdout


# ---------------------------------------------------------------- what becomes of a run


def named(one):
    return one["metadata"]["name"]


def ends(plane, space, pod, code, container="main", **more):
    """The pod's container ended so; the others never began, or had ended well."""
    state = {"terminated": {"exitCode": code, "reason": "Completed" if code == 0 else "Error"}}
    status = {"name": container, "state": state, "ready": False, "restartCount": 0}
    status |= {"image": "it", "imageID": "it"}
    which = "initContainerStatuses" if container == "gpu-smoke" else "containerStatuses"
    phase = "Succeeded" if code == 0 else "Failed"
    plane.write("pod", named(pod), {"phase": phase, which: [status], **more}, space)


def conditions(job):
    return {
        one["type"]: one.get("reason")
        for one in job.get("status", {}).get("conditions", [])
        if one["status"] == "True"
    }


def job_of(plane, space, name="it"):
    return plane.get("job", name, "-n", space)


def begin(plane, space, tmp_path, workload):
    """A run's first pod, and its job."""
    deploy(plane, space, tmp_path, *BATCH, "--set", f"workload={workload}")
    if workload == "cronjob":
        plane.kubectl("create", "job", "it-now", "--from=cronjob/it", "-n", space)
    (pod,) = pods_of(plane, space, 1)
    return pod, "it-now" if workload == "cronjob" else "it"


@pytest.mark.parametrize("workload", ["job", "cronjob"])
@pytest.mark.parametrize(
    ("code", "container", "counts"),
    [(75, "main", 0), (77, "main", 1), (1, "main", 1), (12, "gpu-smoke", 1)],
)
def test_another_pod_goes_on(plane, space, tmp_path, workload, code, container, counts):
    pod, name = begin(plane, space, tmp_path, workload)
    ends(plane, space, pod, code, container)
    api_server.until(lambda: len(plane.pods(space, "it")) == 2)
    job = job_of(plane, space, name)
    assert job["status"].get("failed", 0) == counts and not conditions(job)
    (other,) = [one for one in plane.pods(space, "it") if named(one) != named(pod)]
    ends(plane, space, other, 0)
    api_server.until(lambda: "Complete" in conditions(job_of(plane, space, name)))


@pytest.mark.parametrize("workload", ["job", "cronjob"])
def test_bad_input_ends_the_run(plane, space, tmp_path, workload):
    pod, name = begin(plane, space, tmp_path, workload)
    ends(plane, space, pod, 42)
    api_server.until(lambda: "Failed" in conditions(job_of(plane, space, name)))
    assert conditions(job_of(plane, space, name))["Failed"] == "PodFailurePolicy"
    time.sleep(15)  # longer than another one would take
    assert len(plane.pods(space, "it")) == 1


def test_retries_come_to_an_end(plane, space, tmp_path):
    """Each wait is twice as long: the fifth pod is the last."""
    _, name = begin(plane, space, tmp_path, "job")
    for number in range(1, 6):
        api_server.until(lambda number=number: len(plane.pods(space, "it")) == number)
        for pod in plane.pods(space, "it"):
            if pod["status"]["phase"] == "Pending":
                ends(plane, space, pod, 1)
    api_server.until(lambda: "Failed" in conditions(job_of(plane, space, name)))
    assert conditions(job_of(plane, space, name))["Failed"] == "BackoffLimitExceeded"


def test_a_job_that_is_deleted_is_there_until_its_pod_has_ended(plane, space, tmp_path):
    """As the page's command waits for it."""
    pod, name = begin(plane, space, tmp_path, "job")
    page = (tmp_path / "it/docs/deploy.md").read_text()
    assert "kubectl delete job/it --cascade=foreground" in page
    delete = ("delete", "job/it", "--cascade=foreground", "-n", space)
    waits = plane.try_kubectl(*delete, "--timeout=10s")
    assert "timed out waiting" in waits.stderr and job_of(plane, space, name)
    (left,) = plane.pods(space, "it")
    assert named(left) == named(pod) and left["metadata"]["deletionTimestamp"]
    ends(plane, space, pod, 75)
    plane.kubectl("delete", "pod", named(pod), "-n", space, "--force", "--wait=false")
    plane.kubectl("wait", "--for=delete", "job/it", "-n", space, "--timeout=60s")


def test_an_evicted_pod_takes_no_retry(plane, space, tmp_path):
    pod, name = begin(plane, space, tmp_path, "job")
    gone = [{"type": "DisruptionTarget", "status": "True", "reason": "EvictionByEvictionAPI"}]
    ends(plane, space, pod, 137, conditions=gone)
    api_server.until(lambda: len(plane.pods(space, "it")) == 2)
    assert job_of(plane, space, name)["status"].get("failed", 0) == 0


def test_one_index_of_bad_input_leaves_the_others(plane, space, tmp_path):
    deploy(plane, space, tmp_path, *BATCH, "--set", "workload=indexed-job", "--set", "runs=3")
    api_server.until(lambda: len(plane.pods(space, "it")) == 3)
    for pod, code in zip(plane.pods(space, "it"), (42, 0, 0), strict=True):
        ends(plane, space, pod, code)
    api_server.until(lambda: conditions(job_of(plane, space)))
    job = job_of(plane, space)
    assert job["status"]["succeeded"] == 2
    assert job["status"]["failedIndexes"] and len(job["status"]["failedIndexes"]) == 1


# ---------------------------------------------------------------- a service


def test_a_rollout_is_done_when_pods_are_ready(plane, space, tmp_path):
    deploy(plane, space, tmp_path, *SERVICE)
    assert placed(plane, space, 2) == ["good", "good"]
    rollout = ("rollout", "status", "deployment/it", "-n", space)
    assert plane.try_kubectl(*rollout, "--timeout=2s").returncode == 1
    for pod in plane.pods(space, "it"):
        be_ready(plane, space, pod)
    assert "successfully rolled out" in plane.kubectl(*rollout, "--timeout=60s")
    api_server.until(lambda: addresses(plane, space) == 2)
    api_server.until(
        lambda: plane.get("pdb", "it", "-n", space)["status"]["disruptionsAllowed"] == 1
    )
    # what a drain asks for: one at a time, and no more than the budget has
    for pod, allowed in zip(plane.pods(space, "it"), (True, False), strict=True):
        assert evicted(plane, space, pod) == allowed


def be_ready(plane, space, pod):
    ready = [{"type": kind, "status": "True"} for kind in ("Ready", "ContainersReady")]
    ready += pod["status"]["conditions"]
    status = {"phase": "Running", "conditions": ready, "podIP": "10.1.0.9"}
    plane.write("pod", pod["metadata"]["name"], status | {"podIPs": [{"ip": "10.1.0.9"}]}, space)


def addresses(plane, space):
    """How many the Service has that are ready."""
    slices = plane.get("endpointslices", "-n", space)["items"]
    every = [one for each in slices for one in each["endpoints"] or []]
    return sum(bool(one["conditions"].get("ready")) for one in every)


def evicted(plane, space, pod):
    name = pod["metadata"]["name"]
    body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": name}}
    path = f"/api/v1/namespaces/{space}/pods/{name}/eviction"
    done = plane.try_kubectl("create", "--raw", path, "-f", "-", documents=[body])
    assert done.returncode == 0 or "disruption budget" in done.stderr, done.stderr
    return done.returncode == 0


# ---------------------------------------------------------------- dynamic resource allocation


def offer(name, driver, capability):
    """A node's GPU, as NVIDIA's DRA driver publishes it (README of NVIDIA/k8s-dra-driver-gpu)."""
    attributes = {
        "type": {"string": "gpu"},
        "productName": {"string": "NVIDIA H100 80GB HBM3"},
        "architecture": {"string": "Hopper"},
        "driverVersion": {"version": driver},
        "cudaComputeCapability": {"version": capability},
        "cudaDriverVersion": {"version": "13.0.0"},
    }
    pool = {"name": name, "generation": 1, "resourceSliceCount": 1}
    device = {"name": "gpu-0", "attributes": attributes}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": f"{name}-gpus"},
        "spec": {"driver": "gpu.nvidia.com", "nodeName": name, "pool": pool, "devices": [device]},
    }


CLASS = {
    "apiVersion": "resource.k8s.io/v1",
    "kind": "DeviceClass",
    "metadata": {"name": "gpu.nvidia.com"},
    "spec": {
        "selectors": [
            {
                "cel": {
                    "expression": "device.driver == 'gpu.nvidia.com' && "
                    "device.attributes['gpu.nvidia.com'].type == 'gpu'"
                }
            }
        ]
    },
}


def test_a_claim_takes_a_gpu_that_fits(plane, space, tmp_path):
    """Of three, by driver and compute capability; the second pod has to wait."""
    offers = [
        offer("an-old-driver", "570.86.15", "9.0.0"),
        offer("another-model", "580.95.5", "7.5.0"),
        offer("good", "580.95.5", "9.0.0"),
    ]
    plane.kubectl("create", "-f", "-", documents=[CLASS, *offers])
    child = deploy(plane, space, tmp_path, *SERVICE, "--set", "gpu_sharing=dra")
    one, other = sorted(placed(plane, space, 2), key=len)
    assert one == "good" and "cannot allocate all claims" in other
    assert "cannot allocate all claims" in (child.folder / "docs/deploy.md").read_text()
