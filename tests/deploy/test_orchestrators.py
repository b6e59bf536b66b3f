"""An engine starts the same image and command as any other, and its own package reads the file."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pytest
import yaml

from ..common.program import BINARY
from ..e2e.support import WORK, one_at_a_time

ENGINES = ("flyte", "airflow", "kubeflow", "argo", "ray", "skypilot", "slurm")
COMMAND = ["python", "-m", "it", "train", "--out", "/runs/it"]
IMAGE = "registry.example.org/team/it:latest"
CAP = "0.22"  # of four clients
FILES = {
    "flyte": "deploy/flyte/job.py",
    "airflow": "deploy/airflow/dag.py",
    "kubeflow": "deploy/kubeflow/pipeline.py",
    "argo": "deploy/argo/workflow.yaml",
    "ray": "deploy/ray/rayjob.yaml",
    "skypilot": "deploy/skypilot/task.yaml",
    "slurm": "deploy/slurm/job.sbatch",
}


def made(folder, engine, kind="batch", sharing="none", platform="gke", status=0):
    """A child of a kind; what was said where it is refused."""
    said = {"orchestrator": engine, "gpu_sharing": sharing, "registry": "registry.example.org/team"}
    stack = [
        "--framework",
        "transformers" if kind == "llm" else "pytorch",
        "--platform",
        platform,
        "--gpu",
        "A100",
    ]
    if sharing == "dra":
        stack += ["--driver", "580"]
    done = subprocess.run(
        [
            BINARY,
            "new",
            folder,
            "--type",
            kind,
            "--name",
            "it",
            *stack,
            "--no-git",
            "--defaults",
            "--quiet",
        ]
        + [word for name, value in said.items() for word in ("--set", f"{name}={value}")],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], "HOME": str(folder.parent)},
    )
    assert done.returncode == status, done.stderr
    return done.stderr


@pytest.fixture(scope="module")
def children(tmp_path_factory):
    folder = tmp_path_factory.mktemp("engines")
    for engine in ENGINES:
        made(folder / engine, engine, sharing="none" if engine == "skypilot" else "time-slicing")
    return folder


def texts(child, engine):
    """All that an engine reads, by name."""
    return {path.name: path.read_text() for path in sorted((child / "deploy" / engine).iterdir())}


@pytest.mark.parametrize("engine", ENGINES)
def test_each_engine_starts_the_same_image_and_command(children, engine):
    text = (children / engine / FILES[engine]).read_text()
    words = re.sub(r'",\s+"', '", "', text)  # below one another, in Python
    assert json.dumps(COMMAND)[1:-1] in words or " ".join(COMMAND) in text
    assert IMAGE in "".join(texts(children / engine, engine).values())


@pytest.mark.parametrize("engine", [it for it in ENGINES if it != "skypilot"])
def test_what_shares_a_gpu_has_its_memory_cap_in_each(children, engine):
    text = "".join(texts(children / engine, engine).values())
    assert "BATCH_MEMORY_FRACTION" in text
    assert CAP in text


@pytest.mark.parametrize("engine", ENGINES)
def test_only_the_chosen_engine_is_there(children, engine):
    folders = {path.name for path in (children / engine / "deploy").iterdir() if path.is_dir()}
    assert folders & set(ENGINES) == {engine}


@pytest.mark.parametrize("engine", ENGINES)
def test_each_file_says_where_its_facts_come_from(children, engine):
    for name, text in texts(children / engine, engine).items():
        assert "Source" in text or "Facts" in text, name


def pods(child, engine):
    """The pods' specs that an engine is given, read as YAML."""
    documents = [
        yaml.safe_load(text)
        for name, text in texts(child, engine).items()
        if name.endswith(".yaml")
    ]
    for it in documents:
        spec = it["spec"]
        if it["kind"] == "Pod":
            yield spec
        elif it["kind"] in ("Workflow", "CronWorkflow"):
            patch = spec.get("workflowSpec", spec)["templates"][0]["podSpecPatch"]
            yield yaml.safe_load(patch)
        elif it["kind"] == "RayJob":
            yield spec["rayClusterSpec"]["headGroupSpec"]["template"]["spec"]


@pytest.mark.parametrize("engine", ["flyte", "airflow", "argo", "ray"])
def test_pods_of_engines_keep_the_rules_of_restricted_ones(children, engine):
    found = list(pods(children / engine, engine))
    assert found
    for pod in found:
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        for it in pod["containers"] + pod["initContainers"]:
            assert it["securityContext"]["allowPrivilegeEscalation"] is False
            assert it["securityContext"]["capabilities"]["drop"] == ["ALL"]
            assert it["securityContext"]["readOnlyRootFilesystem"] is True
            assert it["resources"]["limits"]["nvidia.com/gpu"] in (1, "1")


REFUSED = [
    ("slurm", "batch", "dra", "gke", "shares GPUs by MIG, MPS and shards"),
    ("slurm", "batch", "aws-vgpu", "eks", "Slurm has no aws-vgpu"),
    ("skypilot", "batch", "time-slicing", "gke", "whole GPUs"),
    ("kubeflow", "batch", "aws-vgpu", "eks", "IPC"),
    ("argo", "batch", "dra", "gke", "a claim is a manifest of its own"),
    ("ray", "llm", "none", "gke", "vLLM brings its own Ray"),
]


@pytest.mark.parametrize(("engine", "kind", "sharing", "platform", "because"), REFUSED)
def test_what_an_engine_cannot_do_is_refused_with_the_reason(
    tmp_path, engine, kind, sharing, platform, because
):
    status = (
        2 if kind == "llm" else 4
    )  # the type takes no such engine; the platform or GPU has no such way
    assert because in made(tmp_path / "it", engine, kind, sharing, platform, status)


# Slurm: the script itself, with stand-ins for what a cluster has.

SRUN = """#!/bin/bash
[ "$1" = --help ] && { echo "      --container-image=..."; exit; }
while case $1 in --*) true ;; *) false ;; esac do echo "$1" >> "$TOLD"; shift; done
case $1 in
gpu-smoke) exit "${SMOKE:-0}" ;;
*)
    echo "$*" >> "$TOLD"
    [ "$RUN" = save ] || exit "$RUN"
    trap 'sleep "${SAVES:-0.2}"; exit 75' USR1
    echo running >> "$TOLD"
    while :; do sleep 0.02; done
    ;;
esac
"""
SCONTROL = '#!/bin/bash\necho "scontrol $*" >> "$TOLD"\n'


@pytest.fixture
def slurm(children, tmp_path):
    """Starts the script, and is asked how it ended and what the cluster was told."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for name, text in (("srun", SRUN), ("scontrol", SCONTROL)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    told = tmp_path / "told"

    def start(script=None, **env):
        told.write_text("")
        shown = {
            "PATH": f"{tools}:{os.environ['PATH']}",
            "HOME": str(tmp_path),
            "TOLD": str(told),
            "SLURM_JOB_ID": "7",
        }
        path = script or children / "slurm" / FILES["slurm"]
        return subprocess.Popen(["/bin/bash", path], env=shown | env)

    start.told = told.read_text
    return start


@pytest.mark.parametrize("status", [0, 1, 42, 75, 77])
def test_slurm_queues_again_only_what_saved(slurm, status):
    assert slurm(RUN=str(status)).wait(20) == (0 if status == 75 else status)
    assert ("scontrol requeue 7" in slurm.told()) == (status == 75)


def test_slurm_starts_the_image_with_the_command(slurm):
    assert slurm(RUN="0").wait(20) == 0
    assert "--container-image=registry.example.org#team/it:latest" in slurm.told()
    assert " ".join(COMMAND) in slurm.told()


def test_slurm_runs_nothing_where_the_smoke_test_failed(slurm):
    assert slurm(RUN="0", SMOKE="12").wait(20) == 12
    assert "train" not in slurm.told()


def tell(slurm, number, script=None, **env):
    """A run that goes on is told by a signal; how the script ended."""
    process = slurm(script, RUN="save", **env)
    for _ in range(500):
        if "running" in slurm.told():
            break
        time.sleep(0.02)
    process.send_signal(number)
    try:
        return process.wait(10)
    finally:
        process.kill()


@pytest.mark.parametrize("seconds", ["0", "0.5"])
def test_slurm_waits_until_a_run_that_is_told_has_saved(slurm, seconds):
    # At once, too: the run may be over before the script looks for it.
    for _ in range(5 if seconds == "0" else 1):
        assert tell(slurm, signal.SIGUSR1, SAVES=seconds) == 0
        assert "scontrol requeue 7" in slurm.told()


def test_a_script_that_does_not_wait_for_the_save_is_found_out(slurm, children, tmp_path):
    text = (children / "slurm" / FILES["slurm"]).read_text()
    broken = tmp_path / "broken.sbatch"
    broken.write_text(text.replace('[ -n "$told" ] || break', "break"))
    assert broken.read_text() != text
    assert tell(slurm, signal.SIGUSR1, broken, SAVES="0.5") != 0


# The engines' own packages, each in an environment of its own.

FLYTE = """
import sys; from collections import OrderedDict
sys.path.insert(0, 'deploy/flyte')
import job
from flytekit.configuration import Image, ImageConfig, SerializationSettings
from flytekit.tools.translator import get_serializable
images = ImageConfig(default_image=Image('default', 'it', 'latest'))
settings = SerializationSettings(project='p', domain='d', version='1', image_config=images)
made = OrderedDict()
get_serializable(made, settings, job.run)
tasks = [it.template for it in made.values() if hasattr(it, 'template')]
task = next(it for it in tasks if it.type == 'raw-container')
from google.protobuf.json_format import MessageToDict
pod = MessageToDict(task.to_flyte_idl())['k8sPod']['podSpec']
print(pod)
main = next(it for it in pod['containers'] if it['name'] == 'primary')
assert main['image'] == IMAGE, main
assert main['command'] + main.get('args', []) == COMMAND, main
assert main['resources']['limits']['nvidia.com/gpu'], main
assert pod['initContainers'][0]['name'] == 'gpu-smoke'
assert task.metadata.retries.retries == 4
"""
AIRFLOW = """
import sys
sys.path.insert(0, 'deploy/airflow')
import dag as it
from types import SimpleNamespace as N
from airflow.sdk.exceptions import AirflowFailException
from airflow.providers.cncf.kubernetes.hooks.kubernetes import KubernetesHook
from airflow.providers.cncf.kubernetes.operators.pod import KubernetesPodOperator
KubernetesHook.is_in_cluster = False  # it would look for a cluster
task = it.dag.get_task('train')
assert task.image == IMAGE and task.cmds == COMMAND
assert task.skip_on_exit_code == [77] and task.retries == 4
pod = task.build_pod_request_obj()
main = next(c for c in pod.spec.containers if c.name == 'base')
assert main.image == IMAGE and main.command == COMMAND
assert main.resources.limits['nvidia.com/gpu'] and pod.spec.init_containers[0].name == 'gpu-smoke'
def fail(self, *args, **kwargs): raise RuntimeError('failed')
KubernetesPodOperator.cleanup = fail
for status, kind in ((42, AirflowFailException), (75, RuntimeError), (1, RuntimeError)):
    ended = N(name='base', state=N(terminated=N(exit_code=status)))
    try: task.cleanup(None, N(status=N(container_statuses=[ended])))
    except Exception as error: assert type(error) is kind, (status, error)
    else: raise SystemExit('not raised')
"""
KUBEFLOW = """
import runpy, yaml
runpy.run_path('deploy/kubeflow/pipeline.py', run_name='__main__')
spec, platform = yaml.safe_load_all(open('pipeline.yaml'))
run = spec['deploymentSpec']['executors']['exec-train']['container']
assert run['image'] == IMAGE and run['command'] == COMMAND, run
assert run['resources']['accelerator']['resourceType'].startswith('nvidia.com/gpu'), run
assert spec['root']['dag']['tasks']['train']['retryPolicy']['maxRetryCount'] == 4
made = platform['platforms']['kubernetes']['deploymentSpec']['executors']['exec-train']
assert made['pvcMount'][0]['mountPath'] == '/runs', made
"""
RAY = """
import yaml
from ray.serve.schema import ServeDeploySchema
spec = yaml.safe_load(open('deploy/ray/rayservice.yaml'))['spec']
made = ServeDeploySchema.model_validate(yaml.safe_load(spec['serveConfigV2']))
[application] = made.applications
assert application.import_path == 'it.ray_app:application'
assert application.deployments[0].ray_actor_options.num_gpus == 1
"""
SKYPILOT = """
import sky
task = sky.Task.from_yaml('deploy/skypilot/task.yaml')
[resources] = task.resources
assert 'registry.example.org/team/it' in str(resources.image_id), resources.image_id
assert ' '.join(COMMAND) in task.run
assert resources.accelerators == {'A100': 1} and resources.use_spot
assert resources.job_recovery['recover_on_exit_codes'] == [75], resources.job_recovery
"""
# The package, the child's kind, what is asked of it, and what breaks its file.
READERS = {
    "flyte": (
        ["flytekit==1.16.13", "kubernetes==31.0.0", "setuptools<81"],
        "batch",
        FLYTE,
        ("retries=4", "retrials=4"),
    ),
    "airflow": (
        ["apache-airflow==3.3.2", "apache-airflow-providers-cncf-kubernetes==10.25.0"],
        "batch",
        AIRFLOW,
        ("skip_on_exit_code", "skip_on_exit"),
    ),
    "kubeflow": (
        ["kfp==2.17.3", "kfp-kubernetes==2.17.3"],
        "batch",
        KUBEFLOW,
        ("set_accelerator_limit", "set_accelerator_limits"),
    ),
    "ray": (["ray[serve]==2.60.0"], "service", RAY, ("num_replicas: 1", "num_replicas: -1")),
    "skypilot": (["skypilot==0.14.1"], "batch", SKYPILOT, ("job_recovery:", "job_recoveries:")),
}


def interpreter(engine, packages):
    """Python with an engine's package, kept from run to run."""
    folder = WORK / "venvs" / f"engine-{engine}"
    stamp = folder / "packages"
    with one_at_a_time(f"engine-{engine}"):
        if not stamp.exists() or stamp.read_text() != "\n".join(packages):
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            subprocess.run(
                [folder / "bin/python", "-m", "pip", "install", "-q", *packages], check=True
            )
            stamp.write_text("\n".join(packages))
    return folder / "bin/python"


def read_by(engine, child):
    """What the engine's own package makes of a child's files."""
    packages, _, script, _ = READERS[engine]
    home = child.parent / f"{child.name}-home"
    home.mkdir(exist_ok=True)
    return subprocess.run(
        [interpreter(engine, packages), "-c", f"{COMMAND=}; {IMAGE=}\n{script}"],
        cwd=child,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "AIRFLOW_HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.full
@pytest.mark.turns(1)  # their environments are gigabytes
@pytest.mark.parametrize("engine", READERS)
def test_an_engine_s_own_package_reads_its_file_and_refuses_a_broken_one(tmp_path, engine):
    child = tmp_path / "it"
    made(child, engine, READERS[engine][1])
    done = read_by(engine, child)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    path = child / ("deploy/ray/rayservice.yaml" if engine == "ray" else FILES[engine])
    text = path.read_text()
    broken = text.replace(*READERS[engine][3])
    assert broken != text
    path.write_text(broken)
    assert read_by(engine, child).returncode != 0
