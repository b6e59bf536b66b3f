"""What a real API server says to all that is deployed: by the commands that children's pages name.

    KUBEBUILDER_ASSETS=FOLDER CRDS=FOLDER pytest tests/deploy/test_api_server.py

The first has kube-apiserver, etcd and kubectl, as setup-envtest fetches them (no package has them);
the second CustomResourceDefinitions of the projects of which children have objects.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import time

import pytest

from . import api_server, checkers, render, schemas
from .test_cluster_nodes import BROKEN, SCRIPTS
from .test_matrix import SEED, Overlay, distinct

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not api_server.ASSETS, reason="KUBEBUILDER_ASSETS names no programs"),
]

ONE_IN = int(os.environ.get("ONE_IN") or 1)
TEAM = "team-a"  # of the restricted Pod Security Standard
# Of pods that talk to a daemon on their node; which these are is tested with the pods themselves.
OF_HOSTS = re.compile(
    r'violates? PodSecurity "restricted:latest": (host namespaces \(hostIPC=true\))?(, )?'
    r'(restricted volume types \(volume "[a-z-]+" uses restricted volume type "hostPath"\))?$'
)
DRY = ("--dry-run=server", "--validate=strict", "-f", "-")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with api_server.ApiServer(tmp_path_factory.mktemp("api")) as it:
        it.define()
        it.kubectl("create", "namespace", TEAM)
        levels = [f"pod-security.kubernetes.io/{mode}=restricted" for mode in ("enforce", "warn")]
        it.kubectl("label", "namespace", TEAM, *levels)
        print(it.kubectl("version"), file=sys.stderr)
        yield it


def documents_of(made):
    """Of all overlays and engines, each once."""
    found = [one for child in made for one in render.of_engines(child.child)]
    for child in made:
        for path in render.overlays(child.child):
            found += render.kustomize(path)
    return distinct(found)


def complaints(server, documents):
    """All that the server says against them, a line each; what it does not know is left out."""
    known = server.knows()
    documents = [one for one in documents if schemas.kind_of(one) in known]
    assert documents
    spaces = {one["metadata"]["namespace"] for one in documents if "namespace" in one["metadata"]}
    for name in spaces:
        server.try_kubectl("create", "namespace", name)
    found = []
    # what has no name until it is created cannot be applied
    for words, some in (
        (("apply", "--server-side"), [one for one in documents if "name" in one["metadata"]]),
        (("create",), [one for one in documents if "name" not in one["metadata"]]),
    ):
        for space in (True, False):
            its = [one for one in some if ("namespace" in one["metadata"]) == space]
            where = [] if space else ["--namespace", TEAM]
            if its:
                done = server.try_kubectl(*words, *DRY, *where, documents=its)
                assert done.returncode == 0 or done.stderr
                found += done.stderr.splitlines()
    return found


@pytest.mark.parametrize("kind", render.TYPES)
def test_it_takes_every_overlay(server, tmp_path, kind):
    made = render.matrix(tmp_path, kind, SEED, ONE_IN)
    documents = documents_of(made)
    unknown = {schemas.kind_of(one) for one in documents} - server.knows()
    print(f"SEED={SEED} {kind}: {len(made)} children, {len(documents)} objects, without {unknown}")
    found = {one for one in complaints(server, documents) if not OF_HOSTS.search(one)}
    assert documents and sorted(found) == []
    if api_server.CRDS:
        assert not unknown


@pytest.mark.parametrize("kind", [kind for kind in render.TYPES if kind != "cluster"])
def test_a_restricted_namespace_takes_its_pods(server, tmp_path, kind):
    """But those that talk to a daemon on their node, of which it is known."""
    made = render.matrix(tmp_path, kind, SEED, ONE_IN)
    seen = 0
    for child in made:
        for path in render.overlays(child.child):
            overlay = Overlay(child, path, render.kustomize(path))
            pods = [
                {**schemas.POD, "spec": pod}
                for owner, pod in checkers.pods(overlay.documents)
                if owner["kind"] != "InferenceService"  # which has fields of its own
            ]
            for pod in distinct(pods):
                done = server.try_kubectl("create", *DRY, "-n", TEAM, documents=[pod])
                refused = "violates PodSecurity" in done.stderr
                assert refused == overlay.reaches_its_node(), f"{path}: {done.stderr}"
                assert refused or done.returncode == 0, f"{path}: {done.stderr}"
                seen += 1
    assert seen


BAD = {
    "unknown field": ("Deployment", "spec", {"replicaz": 1}, ".spec.replicaz: field not declared"),
    "selector of others": (
        "Deployment", "spec", {"selector": {"matchLabels": {"a": "b"}}},
        "`selector` does not match template `labels`",
    ),
    "policy": (
        "Job", "spec", {"podFailurePolicy": {"rules": [{"action": "Retry"}]}}, 'value: "Retry"',
    ),
    "restart": (
        "Job", "spec", {"template": {"spec": {"containers": [{"name": "a", "image": "a"}]}}},
        "restartPolicy: Required value",
    ),
    "name": ("Deployment", "metadata", {"name": "A_b"}, "a lowercase RFC 1123 subdomain"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_it_refuses_what_is_wrong(server, tmp_path, case):
    kind, part, change, because = BAD[case]
    child = render.render(
        tmp_path / "it", "--type", "service" if kind == "Deployment" else "batch",
        "--framework", "pytorch", "--deploy", "k8s",
    )  # fmt: skip
    (one,) = [d for d in documents_of([render.Made(child, "", {})]) if d["kind"] == kind][:1]
    assert complaints(server, [one]) == []
    one[part] |= change
    assert because in "\n".join(complaints(server, [one]))


# ---------------------------------------------------------------- as the pages say

# A type, more words, and the kind that carries the image.
CASES = {
    "service": ("service", [], "deployment"),
    "kserve": ("service", ["kserve=true"], "inferenceservice"),
    "llm": ("llm", [], "deployment"),
    "job": ("batch", [], "job"),
    "cronjob": ("batch", ["workload=cronjob"], "cronjob"),
    "indexed": ("batch", ["workload=indexed-job"], "job"),
    "jobset": ("batch", ["workload=jobset"], "jobset"),
    "trainjob": ("batch", ["workload=trainjob"], "trainingruntime"),
}
NEED_CRDS = {"kserve", "jobset", "trainjob"}
IMMUTABLE = {"job", "indexed"}


class OnPage:
    """A child, and the commands of its page, in a namespace."""

    def __init__(self, server, folder, name, case):
        if case in NEED_CRDS and not api_server.CRDS:
            pytest.skip("CRDS names no definitions")
        kind, more, self.kind = CASES[case]
        framework = "transformers" if kind == "llm" else "pytorch"
        words = ["--framework", framework, "--deploy", "k8s", "--registry", "r.example"]
        words += ["--name", f"it-{name}", *(word for one in more for word in ("--set", one))]
        self.server = server
        self.name = f"it-{name}"
        self.child = render.render(folder / "it", "--type", kind, *words)

    def commands(self):
        page = (self.child.folder / "docs/deploy.md").read_text()
        return re.findall(r"^    kubectl (.*?)(?: +#.*)?$", page, re.M)

    def do(self, said):
        # Nobody here ends a job's pods or makes one ready: the command would wait for it.
        for old, new in (("=foreground", "=background"), ("--watch ", ""), ("=10m", "=1s")):
            said = said.replace(old, new)
        said = said.replace("deploy/k8s", f"{self.child.folder}/deploy/k8s")
        return self.server.try_kubectl("-n", TEAM, *said.split())

    def difference(self):
        done = self.do("diff -k deploy/k8s/overlays/default")
        assert done.returncode == (1 if done.stdout else 0), done.stderr
        return done.stdout

    def is_mine(self, one):
        return one["metadata"]["labels"].get("app.kubernetes.io/name") == self.name

    def apply(self):
        """What became of each object."""
        done = self.do(self.commands()[0])
        assert (done.returncode, done.stderr) == (0, "")
        return set(re.findall(r" (\w+)$", done.stdout, re.M))


@pytest.mark.parametrize("case", CASES)
def test_another_image_comes_by_the_page_s_commands(server, tmp_path, case):
    it = OnPage(server, tmp_path, case, case)
    assert it.apply() == {"created"}
    assert it.apply() <= {"unchanged", "configured"}  # what differs, says the next one
    assert it.difference() == ""
    image = f"r.example/{it.name}@sha256:{'a' * 64}"
    command = [it.child.folder / "ci/set-image.sh", image]
    subprocess.run(command, cwd=it.child.folder, check=True, capture_output=True)
    if case in IMMUTABLE:
        assert "field is immutable" in it.do(it.commands()[0]).stderr
    else:
        assert image in it.difference()
    deletes = [one for one in it.commands() if one.startswith("delete")]
    assert bool(deletes) == (case in IMMUTABLE | {"jobset", "trainjob"})
    for one in deletes:
        assert it.do(one).returncode == 0
    assert it.apply() & {"created", "configured"}
    (of_it,) = [one for one in it.server.get(it.kind, "-n", TEAM)["items"] if it.is_mine(one)]
    assert image in json.dumps(of_it)


@pytest.mark.parametrize("case", CASES)
def test_the_page_s_last_command_is_one_of_kubectl(server, tmp_path, case):
    """Nothing runs here: what waits for it does so in vain."""
    it = OnPage(server, tmp_path, f"{case}-last", case)
    it.apply()
    said = it.commands()[1]
    done = it.do(f"{said} --timeout=1s" if said.startswith("rollout") else said)
    if CASES[case][0] == "batch":
        assert (done.returncode, done.stdout) == (0, "") and "No resources found" in done.stderr
    else:
        assert "timed out waiting for the condition" in done.stderr


def test_a_cronjob_runs_at_once_as_often_as_is_wanted(server, tmp_path):
    it = OnPage(server, tmp_path, "now", "cronjob")
    it.apply()
    page = (it.child.folder / "docs/deploy.md").read_text()
    (said,) = re.findall(r"`kubectl (create job .*?)`", page)
    for name in ("one", "two"):
        done = it.do(said.replace("NAME", name))
        assert done.stdout == f"job.batch/{it.name}-{name} created\n"


# ---------------------------------------------------------------- the cluster's smoke test


@pytest.fixture(scope="module")
def nodes(server, tmp_path_factory):
    """The tests of nodes as they are applied, on two nodes."""
    folder = tmp_path_factory.mktemp("cluster") / "it"
    child = render.render(folder, "--type", "cluster", "--registry", "r.example")
    # the GPU Operator's
    server.kubectl("create", "-f", "-", documents=[RUNTIME])
    server.kubectl("apply", "-k", child.folder / "nodes/overlays/generic")
    for name in ("worker-1", "worker-2"):
        meta = {"name": name, "labels": {"kubernetes.io/hostname": name}}
        server.kubectl("create", "-f", "-", documents=[{**NODE, "metadata": meta}])
    return "gpu-nodes"


RUNTIME = {"apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": {"name": "nvidia"}}
RUNTIME["handler"] = "nvidia"
NODE = {"apiVersion": "v1", "kind": "Node", "spec": {"podCIDR": "10.0.0.0/24"}}


class OnNode:
    """The script that labels, with the token that the pod of a node gets."""

    def __init__(self, server, space, folder, name):
        self.server, self.folder, self.name = server, folder, name
        pod = server.get("-n", space, "daemonset/gpu-smoke")
        spec = pod["spec"]["template"]["spec"] | {"nodeName": name}
        document = {**schemas.POD, "metadata": {"name": f"on-{name}"}, "spec": spec}
        server.kubectl("create", "-n", space, "-f", "-", documents=[document])
        bound = ("--bound-object-kind", "Pod", "--bound-object-name", f"on-{name}")
        account = spec["serviceAccountName"]
        self.token = server.kubectl("create", "token", "-n", space, account, *bound).strip()
        (folder / "token").write_text(self.token)
        shutil.copy(server.certificate, folder / "ca.crt")

    def says(self, report, node=None):
        """What the script prints, and whether it labelled."""
        (self.folder / "report.json").write_text(
            json.dumps({"at": time.time(), "finding": None, **report})
        )
        env = {
            "REPORT": self.folder / "report.json",
            "NODE_NAME": node or self.name,
            "LABEL": "tmplgen.gpu/smoke",
            "TAINT": "tmplgen.gpu/broken",
            "WAIT": "1",
            "API": self.server.address,
            "ACCOUNT": self.folder,
        }
        done = subprocess.run(
            [sys.executable, SCRIPTS / "label_node.py"],
            env={key: str(value) for key, value in env.items()},
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    def patch(self, patch):
        words = ("patch", "node", self.name, "--type=merge", "-p", json.dumps(patch))
        done = self.server.try_kubectl(*words, token=self.token)
        return "" if done.returncode == 0 else done.stderr

    @property
    def node(self):
        return self.server.get("node", self.name)


@pytest.fixture(scope="module")
def worker(server, nodes, tmp_path_factory):
    return OnNode(server, nodes, tmp_path_factory.mktemp("worker"), "worker-1")


def test_a_node_is_labelled_and_tainted_by_its_own_pod(worker):
    broken = {"layer": "exec", "cause": "wrong-result", "what": "w", "fix": "f"}
    assert worker.says({"exit": 16, "finding": broken})[0] == 0
    assert worker.node["metadata"]["labels"]["tmplgen.gpu/smoke"] == "exec"
    assert BROKEN in worker.node["spec"]["taints"]
    assert worker.says({"exit": 0})[0] == 0
    assert worker.node["metadata"]["labels"]["tmplgen.gpu/smoke"] == "ok"
    assert BROKEN not in worker.node["spec"].get("taints", [])


def test_no_pod_labels_another_node(worker):
    code, said = worker.says({"exit": 0}, node="worker-2")
    assert code == 1 and "cannot be labelled" in said
    other = worker.server.get("node", "worker-2")
    assert "tmplgen.gpu/smoke" not in other["metadata"]["labels"]


@pytest.mark.parametrize(
    ("patch", "because"),
    [
        ({"metadata": {"labels": {"tmplgen.gpu/x": "y"}}}, ""),
        ({"metadata": {"annotations": {"tmplgen.gpu/x": "y"}}}, ""),
        ({"metadata": {"labels": {"a": "b"}}}, "sets no label but tmplgen.gpu/"),
        ({"metadata": {"labels": {"kubernetes.io/hostname": "c"}}}, "sets no label but"),
        ({"metadata": {"labels": {"kubernetes.io/hostname": None}}}, "sets no label but"),
        ({"metadata": {"annotations": {"a": "b"}}}, "sets no annotation but"),
        ({"spec": {"taints": [{"key": "a", "effect": "NoExecute"}]}}, "sets no taint but"),
        ({"spec": {"unschedulable": True}}, "cordons no node"),
    ],
)
def test_its_account_may_change_nothing_else(worker, patch, because):
    said = worker.patch(patch)
    assert because in said and bool(said) == bool(because)


@pytest.mark.parametrize("space", ["gpu-nodes", "default"])
def test_its_account_may_do_nothing_else(worker, space):
    """But for what everybody may: to ask who he is, and what there is."""
    words = ("auth", "can-i", "--list", "-n", space)
    may = worker.server.try_kubectl(*words, token=worker.token).stdout
    rows = [line.split() for line in may.splitlines()[1:] if "[/" not in line]
    assert [row for row in rows if not row[0].startswith("self")] == [
        ["nodes", "[]", "[]", "[get", "patch]"]
    ]
