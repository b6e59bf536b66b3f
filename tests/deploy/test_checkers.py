"""Each checker refuses what it is for: a good child, spoiled in one place, and it says so."""

import copy
import re

import pytest
import yaml

from ..child.matrix import check
from ..common.program import ROOT
from . import checkers, render, schemas, tools

pytestmark = pytest.mark.full

FOR_ALL = ["--registry", "ghcr.io/acme", "--ci", "github,gitlab,jenkins"]
CHILDREN = {
    "keda": "service --framework pytorch --deploy k8s --gpu-sharing mps --set autoscale=keda "
    "--set gateway=a.example.org --set monitoring=true",
    "kserve": "service --framework pytorch --deploy k8s --set kserve=true --set queue=a",
    "hpa": "service --framework jax --deploy k8s --set autoscale=hpa --gpu H100 "
    "--gpu-sharing mig:1g.10gb",
    "vgpu": "service --framework pytorch --deploy k8s --platform eks --gpu-sharing aws-vgpu",
    "dra": "service --framework pytorch --deploy k8s --gpu-sharing dra",
    "job": "batch --framework pytorch --deploy k8s --orchestrator argo",
    "cronjob": "batch --framework pytorch --deploy k8s --set workload=cronjob --orchestrator ray",
    "jobset": "batch --framework pytorch --deploy k8s --set workload=jobset",
    "trainjob": "batch --framework pytorch --deploy k8s --set workload=trainjob",
    "ray": "service --framework pytorch --orchestrator ray",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("deployed")
    return {
        name: render.render(root / name, "--type", *said.split(), *FOR_ALL)
        for name, said in CHILDREN.items()
    }


@pytest.fixture(scope="module")
def documents(made):
    """Those of each child's default overlay, and those of engines."""
    found = {}
    for name, child in made.items():
        default = child.folder / "deploy/k8s/overlays/default"
        found[name] = render.kustomize(default) if default.is_dir() else []
        found[name] += render.of_engines(child)
    return found


def everything(documents):
    """What all checkers of documents say."""
    said = [e for one in documents for e in schemas.wrong(one)] + checkers.dangling(documents)
    for _, pod in checkers.pods(documents):
        said += checkers.not_restricted(pod) + checkers.unlimited(pod)
        said += checkers.over_cap(pod, 4)
    return said


@pytest.mark.parametrize("name", CHILDREN)
def test_good_children_are_good(documents, name):
    allowed = checkers.HOSTS if name == "vgpu" else set()
    assert set(everything(documents[name])) == allowed


def words(value):
    """Of a row of the tables below, for its name."""
    return value if isinstance(value, str) else ""


def pod_of(documents, kind):
    return next(pod for one, pod in checkers.pods(documents) if one["kind"] == kind)


def kind_of(documents, kind):
    return next(one for one in documents if one["kind"] == kind)


def env(name, value):
    return lambda pod: pod["containers"][0]["env"].append({"name": name, "value": value})


def container(**fields):
    return lambda pod: pod["containers"][0].update(fields)


def remove(*path):
    def spoil(it):
        for key in path[:-1]:
            it = it[key]
        del it[path[-1]]

    return spoil


GPU = "nvidia.com/gpu"
# Of which child, in the pod of which kind, what is spoiled, and what has to be said of it.
PODS = [
    ("keda", "Deployment", lambda p: p.update(runtimeClas="nvidia"), "runtimeClas"),
    ("keda", "Deployment", container(command="serve"), "command"),
    ("keda", "Deployment", env("A", 1), "1 is not of type"),
    ("job", "Job", lambda p: p["tolerations"][0].update(effects="x"), "effects"),
    ("cronjob", "CronJob", lambda p: p.update(restart="Never"), "restart"),
    ("kserve", "InferenceService", container(imagePullPolic="Always"), "imagePullPolic"),
    ("jobset", "JobSet", container(workingDirectory="/"), "workingDirectory"),
    ("trainjob", "TrainingRuntime", container(volumeMount=[]), "volumeMount"),
    ("cronjob", "RayJob", container(lifecycles={}), "lifecycles"),
    ("ray", "RayService", container(ports=[{"name": "a"}]), "containerPort"),
    # The restricted standard.
    *[
        ("job", "Job", spoil, said)
        for spoil, said in (
            (lambda p: p.update(hostIPC=True), "hostIPC"),
            (lambda p: p.update(hostNetwork=True), "hostNetwork"),
            (lambda p: p["volumes"][0].update(hostPath={"path": "/"}), "hostPath"),
            (remove("securityContext", "runAsNonRoot"), "runAsNonRoot"),
            (lambda p: p["securityContext"].update(runAsUser=0), "runAsNonRoot"),
            (remove("securityContext", "seccompProfile"), "seccompProfile"),
            (remove("automountServiceAccountToken"), "automountServiceAccountToken"),
            (remove("containers", 0, "securityContext"), "main: capabilities"),
            (
                lambda p: p["initContainers"][0]["securityContext"]["capabilities"].update(add=[]),
                "gpu-smoke: capabilities",
            ),
            (
                remove("containers", 0, "securityContext", "readOnlyRootFilesystem"),
                "main: readOnlyRootFilesystem",
            ),
            (
                lambda p: p["containers"][0]["securityContext"].update(privileged=True),
                "main: allowPrivilegeEscalation",
            ),
        )
    ],
    # Resources.
    ("job", "Job", remove("containers", 0, "resources", "limits", "memory"), "no limits of memory"),
    ("job", "Job", remove("initContainers", 0, "resources", "requests"), "no requests of cpu"),
    ("job", "Job", remove("initContainers", 0, "resources", "limits", GPU), "gpu-smoke wants"),
    ("hpa", "Deployment", remove("initContainers"), "main: with a GPU"),
    ("dra", "Deployment", remove("initContainers", 0, "resources", "claims"), "gpu-smoke wants"),
    ("keda", "Deployment", env("BATCH_MEMORY_FRACTION", "0.3"), "0.3 x 4"),
    # Names.
    ("job", "Job", remove("volumes", 0), "volume tmp"),
    ("job", "Job", lambda p: p["volumes"].append({"name": "more", "emptyDir": {}}), "volume more"),
    ("job", "Job", env("HOME", "/"), "HOME twice"),
    ("job", "Job", lambda p: p.update(serviceAccountName="it"), "no ServiceAccount it"),
    ("dra", "Deployment", remove("resourceClaims"), "claim"),
    ("keda", "Deployment", remove("containers", 0, "ports", 0, "name"), "port http"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "spoil", "said"), PODS, ids=words)
def test_a_spoiled_pod_is_found(documents, name, kind, spoil, said):
    spoiled = copy.deepcopy(documents[name])
    spoil(pod_of(spoiled, kind))
    new = set(everything(spoiled)) - set(everything(documents[name]))
    assert [one for one in new if said in one], new


def field(path, value):
    def spoil(it):
        *way, last = path.split(".")
        for key in way:
            it = it[int(key)] if key.isdigit() else it[key]
        it[last] = value

    return spoil


DOCUMENTS = [
    ("keda", "Service", field("spec.ports.0.targetPort", "web"), "web: no such port"),
    ("keda", "Service", field("spec.selector", {"app": "x"}), "selects no pod"),
    ("keda", "Service", field("spec.sessionAffinty", "None"), "sessionAffinty"),
    ("keda", "PodDisruptionBudget", field("spec.selector.matchLabels", {"a": ""}), "selects"),
    ("keda", "NetworkPolicy", field("spec.podSelector.matchLabels", {"a": "b"}), "selects no pod"),
    ("keda", "PodMonitor", field("spec.podMetricsEndpoints.0.port", "web"), "web: no such port"),
    ("keda", "PodMonitor", field("spec.podMetricsEndpoint", []), "podMetricsEndpoint: unknown"),
    ("keda", "PrometheusRule", field("spec.groups.0.rules.0.labels.severity", 1), "severity: type"),
    ("keda", "ScaledObject", field("spec.scaleTargetRef.name", "x"), "no Deployment x"),
    ("keda", "ScaledObject", field("spec.minReplicas", 0), "minReplicas: unknown"),
    ("keda", "ScaledObject", field("spec.triggers.0.metadata.threshold", 32), "threshold: type"),
    ("keda", "HTTPRoute", field("spec.hostname", "a"), "hostname: unknown"),
    ("keda", "HTTPRoute", field("spec.rules.0.backendRefs.0.name", "x"), "no Service x"),
    ("hpa", "HorizontalPodAutoscaler", field("spec.scaleTargetRef.kind", "Job"), "no Job"),
    ("hpa", "HorizontalPodAutoscaler", field("spec.maxReplicas", "8"), "maxReplicas"),
    ("kserve", "InferenceService", field("spec.predictor.minReplica", 1), "minReplica"),
    ("kserve", "InferenceService", field("spec.predictr", {}), "predictr: unknown"),
    ("jobset", "JobSet", field("spec.failurePolicy.maxRestart", 2), "maxRestart: unknown"),
    ("jobset", "JobSet", field("spec.failurePolicy.maxRestarts", "2"), "maxRestarts"),
    ("jobset", "JobSet", field("spec.replicatedJobs.0.template.spec.completion", 2), "completion"),
    ("trainjob", "TrainJob", field("spec.trainer.numNode", 2), "numNode: unknown"),
    ("trainjob", "TrainingRuntime", field("spec.mlPolicy.torch.processes", 2), "processes"),
    ("job", "Job", field("spec.podFailurePolicies", {}), "podFailurePolicies"),
    ("job", "Job", field("apiVersion", "batch/v2"), "no such kind"),
    ("job", "Workflow", field("spec.entrypint", "x"), "entrypint: unknown"),
    ("job", "Workflow", field("spec.templates.0.podSpecPatch", "init: []"), "init"),
    ("job", "Workflow", field("spec.templates.0.retryStrategy.limit", 0.5), "limit"),
    ("job", "CronWorkflow", field("spec.schedule", "* * * * *"), "schedule: unknown"),
    ("cronjob", "CronJob", field("spec.concurrency", "Forbid"), "concurrency"),
    ("cronjob", "RayJob", field("spec.entrypointNumGpu", 1), "entrypointNumGpu: unknown"),
    ("ray", "RayService", field("spec.serveConfig", "x"), "serveConfig: unknown"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "spoil", "said"), DOCUMENTS, ids=words)
def test_a_spoiled_document_is_found(documents, name, kind, spoil, said):
    spoiled = copy.deepcopy(documents[name])
    spoil(kind_of(spoiled, kind))
    new = set(everything(spoiled)) - set(everything(documents[name]))
    assert [one for one in new if said in one], new


def test_every_kind_of_the_tables_is_spoiled_here():
    mine = yaml.safe_load((ROOT / "tests/deploy/kinds.yml").read_text())
    mine = {kind.rpartition("/")[2] for kind in [*mine, *schemas.MODELS, *schemas.CRDS]}
    assert mine <= {kind for _, kind, _, _ in [*PODS, *DOCUMENTS]}


def test_a_service_account_that_is_gone_is_missed(documents):
    less = [one for one in documents["job"] if one["kind"] != "ServiceAccount"]
    assert any("no ServiceAccount" in one for one in checkers.dangling(less))
    less = [one for one in documents["job"] if one["kind"] != "PersistentVolumeClaim"]
    assert any("no PersistentVolumeClaim" in one for one in checkers.dangling(less))


# ---------------------------------------------------------------- files


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("resources: [nothing.yaml]\n", "nothing.yaml"),
        ("resource: [../../base]\n", "unknown field"),
        ("resources: [../../base]\ncomponents: [../../components/none]\n", "none"),
        (
            "resources: [../../base]\npatches:\n  - target: {kind: Deployment}\n"
            "    patch: |-\n      - {op: replace, path: /spec/none/a, value: 1}\n",
            "replace operation does not apply",
        ),
    ],
)
def test_kustomize_refuses(made, text, said):
    folder = made["hpa"].folder / "deploy/k8s/overlays/broken"
    folder.mkdir(exist_ok=True)
    head = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n"
    (folder / "kustomization.yaml").write_text(head + text)
    with pytest.raises(AssertionError, match=re.escape(said)):
        render.kustomize(folder)


def test_a_patch_that_finds_nothing_is_found(made, documents):
    """kustomize itself says nothing to that."""
    overlay = made["hpa"].folder / "deploy/k8s/overlays/default"
    assert checkers.idle(overlay, documents["hpa"]) == []
    less = [one for one in documents["hpa"] if one["kind"] != "Deployment"]
    assert checkers.idle(overlay, less)


@pytest.mark.parametrize(
    "text",
    ["a: 1\n", "# a\nb: None\n", "# a\nb: {% if x %}\n", "# a\nb: {{ app }}\n", "# a\nb: True\n"],
)
def test_what_a_template_left_is_found(tmp_path, text):
    path = tmp_path / "a.yaml"
    path.write_text(text)
    assert checkers.unsaid(path)
    path.write_text(
        "# a\nb: true\nc: '{{ $labels.job }}'\nd: \"{{=asInt(x)}}\"\ne: ${{ github.sha }}\n"
    )
    assert checkers.unsaid(path) == []


def test_a_key_that_stands_twice_is_found(tmp_path):
    path = tmp_path / "a.yaml"
    path.write_text("a: {b: 1, c: 2}\n---\na: {b: 1, b: 2}\n")
    assert "b twice" in checkers.repeated(path)[0]


def test_what_all_children_are_checked_with_reads_manifests(made):
    child = made["keda"]
    path = child.folder / "deploy/k8s/base/service.yaml"
    text = path.read_text()
    try:
        path.write_text(f"{text}a:   1\n")
        assert [one for one in check([child]) if "base/service.yaml" in one]
    finally:
        path.write_text(text)


def test_zizmor_finds_what_is_unsafe(made, tmp_path):
    assert tools.zizmor([made["keda"].folder]) == []
    folder = tmp_path / ".github/workflows"
    folder.mkdir(parents=True)
    (folder / "ci.yml").write_text(
        "on: pull_request_target\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n"
        "      - run: echo ${{ github.event.pull_request.title }}\n"
    )
    assert "template-injection" in tools.zizmor([tmp_path])[0]


def test_github_refuses_a_step_that_is_none(made, parser, tmp_path):
    (good, *_) = made["keda"].files(".github/workflows/ci.yml")
    assert tools.github(parser, good) == []
    (tmp_path / "ci.yml").write_text(good.read_text().replace("steps:", "step:"))
    assert tools.github(parser, tmp_path / "ci.yml")


def test_prometheus_refuses_wrong_rules(documents):
    rules = kind_of(documents["keda"], "PrometheusRule")
    assert tools.promtool(rules) == []
    spoiled = copy.deepcopy(rules)
    spoiled["spec"]["groups"][0]["rules"][0]["expr"] += " unless ("
    assert tools.promtool(spoiled)


def test_checkov_finds_what_is_unsafe(documents):
    spoiled = copy.deepcopy(documents["job"])
    pod = pod_of(spoiled, "Job")
    pod["hostPID"] = True
    pod["containers"][0]["securityContext"]["privileged"] = True
    assert {"CKV_K8S_17", "CKV_K8S_16"} <= {rule for rule, _ in tools.checkov(spoiled)}


def test_refusals_have_reasons(tmp_path):
    row = {"framework": "pytorch", "deploy": "k8s", "gpu": "T4", "gpu_sharing": "mig:1g.5gb"}
    found = render.make(tmp_path / "a", "service", row)
    assert "gpu_sharing" not in found.row and len(found.refusals) == 1
    assert render.without_reason(found) == []
    found.refusals.append((["x"], "tmplgen: error: no\n"))
    assert render.without_reason(found)
