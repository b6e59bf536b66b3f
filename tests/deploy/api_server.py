"""A real kube-apiserver on a real etcd; and a control plane, whose nodes are made up."""

import json
import os
import secrets
import socket
import subprocess
import time
from pathlib import Path

import yaml

# As controller-runtime's envtest calls the folder, which its setup-envtest fills.
ASSETS = os.environ.get("KUBEBUILDER_ASSETS")
# A folder of files with CustomResourceDefinitions, so that the server knows these kinds, too.
CRDS = os.environ.get("CRDS")
SECONDS = 120


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as server:
        return server.getsockname()[1]


def until(true):
    end = time.monotonic() + SECONDS
    while not true():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.2)


class ApiServer:
    """`address` and `certificate` are what a pod is given; `kubectl` is the administrator's."""

    def __init__(self, folder):
        self.folder = folder
        self.address = f"https://127.0.0.1:{free_port()}"
        self.certificate = folder / "certificates" / "apiserver.crt"
        self.token = secrets.token_hex()
        self.running = []

    def start(self, program, *words):
        with open(self.folder / f"{program}.log", "w") as log:
            command = [str(word) for word in (Path(ASSETS, program), *words)]
            self.running.append(subprocess.Popen(command, stdout=log, stderr=log))

    def __enter__(self):
        try:
            self.begin()
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self):
        etcd = f"http://127.0.0.1:{free_port()}"
        words = ("--unsafe-no-fsync", "--listen-peer-urls", "http://127.0.0.1:0")
        clients = ("--listen-client-urls", etcd, "--advertise-client-urls", etcd)
        self.start("etcd", "--data-dir", self.folder / "etcd", *words, *clients)
        key = self.folder / "accounts.key"
        subprocess.run(["openssl", "genrsa", "-out", key], check=True, capture_output=True)
        (self.folder / "tokens.csv").write_text(f"{self.token},admin,admin,system:masters\n")
        self.start(
            "kube-apiserver",
            f"--etcd-servers={etcd}",
            "--bind-address=127.0.0.1",
            f"--secure-port={self.address.rpartition(':')[2]}",
            f"--cert-dir={self.certificate.parent}",
            "--service-cluster-ip-range=10.0.0.0/24",
            "--authorization-mode=RBAC",
            f"--token-auth-file={self.folder / 'tokens.csv'}",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={key}",
            f"--service-account-signing-key-file={key}",
            # no controller makes the accounts that it would give to pods
            "--disable-admission-plugins=ServiceAccount",
        )
        until(self.is_ready)

    def is_ready(self):
        assert all(one.poll() is None for one in self.running), f"see the logs in {self.folder}"
        return self.try_kubectl("get", "--raw", "/readyz").returncode == 0

    def __exit__(self, *_):
        for process in reversed(self.running):
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def try_kubectl(self, *words, documents=None, token=None):
        access = ("--server", self.address, "--token", token or self.token)
        access += ("--certificate-authority", self.certificate)
        return subprocess.run(
            [str(word) for word in (Path(ASSETS, "kubectl"), *access, *words)],
            input="\n---\n".join(map(json.dumps, documents or [])),
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder)},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def kubectl(self, *words, documents=None):
        done = self.try_kubectl(*words, documents=documents)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def define(self):
        """The kinds of CRDS."""
        if CRDS:
            # not "apply": its annotation has no room for what is longer than 256 KiB
            self.kubectl("create", "--recursive", "-f", CRDS)
            self.kubectl("wait", "--for=condition=Established", "--timeout=120s", "crd", "--all")

    def get(self, *words):
        return json.loads(self.kubectl("get", *words, "-o", "json"))

    def knows(self):
        """Kinds, as APIVERSION/KIND."""
        lines = self.kubectl("api-resources", "--no-headers").splitlines()
        return {"/".join((line.split()[-3], line.split()[-1])) for line in lines}


class ControlPlane(ApiServer):
    """
    With the controllers that make pods, and the scheduler that binds them. No kubelet runs them:
    what one would write of nodes and pods, tests write.
    """

    def begin(self):
        super().begin()
        access = self.folder / "kubeconfig"
        server = {"server": self.address, "certificate-authority": str(self.certificate)}
        access.write_text(
            yaml.safe_dump(
                {
                    "clusters": [{"name": "it", "cluster": server}],
                    "users": [{"name": "it", "user": {"token": self.token}}],
                    "contexts": [{"name": "it", "context": {"cluster": "it", "user": "it"}}],
                    "current-context": "it",
                }
            )
        )
        common = (f"--kubeconfig={access}", "--leader-elect=false", "--secure-port=0")
        # these would find that nobody looks after the nodes
        without = ("node-lifecycle-controller", "taint-eviction-controller")
        wanted = ",".join(["*", *(f"-{name}" for name in without)])
        self.start("kube-controller-manager", *common, f"--controllers={wanted}")
        self.start("kube-scheduler", *common)

    def add_node(self, name, labels, gpus=0):
        """One with a device plugin, if it has GPUs."""
        plenty = {"cpu": "64", "memory": "512Gi", "pods": "100", "ephemeral-storage": "1Ti"}
        if gpus:
            plenty["nvidia.com/gpu"] = str(gpus)
        node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": labels}}
        self.kubectl("create", "-f", "-", documents=[node])
        # the taint of a node that is not ready yet, which a controller takes away
        self.kubectl("patch", "node", name, "--type=merge", "-p", '{"spec": {"taints": null}}')
        ready = [{"type": "Ready", "status": "True", "reason": "it", "message": "it"}]
        self.write("node", name, {"capacity": plenty, "allocatable": plenty, "conditions": ready})

    def write(self, kind, name, status, space=None):
        """As a kubelet does."""
        where = ["-n", space] if space else []
        words = ("patch", kind, name, "--subresource=status", "--type=merge", "-p")
        self.kubectl(*where, *words, json.dumps({"status": status}))

    def pods(self, space, app):
        found = self.get("pods", "-n", space, "-l", f"app.kubernetes.io/name={app}")["items"]
        return sorted(found, key=lambda one: one["metadata"]["creationTimestamp"])
