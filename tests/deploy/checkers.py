"""What has to be true of all manifests of a child together, whatever each schema says."""

import re

import yaml

# Where the pod is in each kind of workload.
PODS = {
    "Pod": "spec",
    "Deployment": "spec.template.spec",
    "DaemonSet": "spec.template.spec",
    "Job": "spec.template.spec",
    "CronJob": "spec.jobTemplate.spec.template.spec",
    "JobSet": "spec.replicatedJobs.0.template.spec.template.spec",
    "TrainingRuntime": "spec.template.spec.replicatedJobs.0.template.spec.template.spec",
    "InferenceService": "spec.predictor",
    "RayJob": "spec.rayClusterSpec.headGroupSpec.template.spec",
    "RayService": "spec.rayClusterConfig.headGroupSpec.template.spec",
}
# Fractions that all processes of a GPU have to share.
CAPS = ("SERVE_MEMORY_FRACTION", "BATCH_MEMORY_FRACTION", "XLA_PYTHON_CLIENT_MEM_FRACTION")
# What pods have that talk to an MPS daemon on their node: these cannot keep the standard.
HOSTS = {"hostIPC", "hostPath"}


def at(document, path):
    for key in path.split("."):
        document = document[int(key)] if key.isdigit() else document.get(key, {})
    return document


def pods(documents):
    """Each workload with its pod."""
    return [(one, at(one, PODS[one["kind"]])) for one in documents if one.get("kind") in PODS]


def containers(pod):
    return pod.get("initContainers", []) + pod.get("containers", [])


def labels_of(document):
    """Those of a workload's pods."""
    path = PODS[document["kind"]].rpartition(".")[0]
    if document["kind"] == "InferenceService":
        return document["spec"]["predictor"].get("labels", {})
    return at(document, f"{path}.metadata.labels") if path else document["metadata"]["labels"]


# ---------------------------------------------------------------- the restricted standard


def not_restricted(pod):
    """What of the Pod Security Standard the pod does not keep; its root cannot be written."""
    found = [key for key in ("hostIPC", "hostPID", "hostNetwork") if pod.get(key)]
    found += ["hostPath" for volume in pod.get("volumes", []) if "hostPath" in volume]
    mine = pod.get("securityContext", {})
    if not mine.get("runAsNonRoot") or not mine.get("runAsUser"):
        found.append("runAsNonRoot")
    if mine.get("seccompProfile", {}).get("type") != "RuntimeDefault":
        found.append("seccompProfile")
    if pod.get("automountServiceAccountToken") is not False:
        found.append("automountServiceAccountToken")
    for one in containers(pod):
        its = one.get("securityContext", {})
        if its.get("allowPrivilegeEscalation") is not False or its.get("privileged"):
            found.append(f"{one['name']}: allowPrivilegeEscalation")
        if its.get("capabilities") != {"drop": ["ALL"]}:
            found.append(f"{one['name']}: capabilities")
        if its.get("readOnlyRootFilesystem") is not True:
            found.append(f"{one['name']}: readOnlyRootFilesystem")
    return found


# ---------------------------------------------------------------- what one document says of another


def dangling(documents):
    """Names that no document has, or no pod answers to."""
    there = {(one["kind"], one["metadata"].get("name")) for one in documents}
    found = []
    for owner, pod in pods(documents):
        found += [
            f"{owner['kind']}: no {kind} {name}"
            for kind, name in _named_by(pod)
            if (kind, name) not in there
        ]
        found += _inside(owner["kind"], pod)
    for one in documents:
        found += _targets(one, documents, there)
    return found


def _named_by(pod):
    """The kinds and names that a pod wants beside it."""
    if pod.get("serviceAccountName", "default") not in ("default", "argo-executor"):
        yield "ServiceAccount", pod["serviceAccountName"]
    for volume in pod.get("volumes", []):
        if "configMap" in volume:
            yield "ConfigMap", volume["configMap"]["name"]
        if "persistentVolumeClaim" in volume:
            yield "PersistentVolumeClaim", volume["persistentVolumeClaim"]["claimName"]
    for claim in pod.get("resourceClaims", []):
        yield "ResourceClaimTemplate", claim["resourceClaimTemplateName"]


def _inside(kind, pod):
    """Mounts without a volume, volumes without a mount, claims and ports that nobody names."""
    volumes = {volume["name"] for volume in pod.get("volumes", [])}
    mounted = {m["name"] for one in containers(pod) for m in one.get("volumeMounts", [])}
    found = [f"{kind}: volume {name}" for name in volumes ^ mounted]
    claims = {claim["name"] for claim in pod.get("resourceClaims", [])}
    used = {c["name"] for one in containers(pod) for c in one["resources"].get("claims", [])}
    found += [f"{kind}: claim {name}" for name in claims ^ used]
    for one in containers(pod):
        names = {port.get("name") for port in one.get("ports", [])}
        for probe in ("livenessProbe", "readinessProbe", "startupProbe"):
            port = one.get(probe, {}).get("httpGet", {}).get("port")
            if isinstance(port, str) and port not in names:
                found.append(f"{kind}: port {port}")
        paths = [mount["mountPath"] for mount in one.get("volumeMounts", [])]
        env = [variable["name"] for variable in one.get("env", [])]
        for twice in (paths, env, [port.get("containerPort") for port in one.get("ports", [])]):
            found += [f"{kind}: {name} twice" for name in set(twice) if twice.count(name) > 1]
    return found


def _targets(one, documents, there):
    spec, kind = one.get("spec", {}), one["kind"]
    found = []
    target = spec.get("scaleTargetRef")
    if target and (target["kind"], target["name"]) not in there:
        found.append(f"{kind}: no {target['kind']} {target['name']}")
    for rule in spec.get("rules", []) if kind == "HTTPRoute" else []:
        for backend in rule["backendRefs"]:
            if ("Service", backend["name"]) not in there:
                found.append(f"{kind}: no Service {backend['name']}")
    selector = _selector(one)
    if selector is not None:
        chosen = [o for o, _ in pods(documents) if selector.items() <= labels_of(o).items()]
        if not chosen:
            found.append(f"{kind}: selects no pod: {selector}")
        found += [f"{kind}: {port}: no such port" for o in chosen for port in _no_port(one, o)]
    return found


def _selector(one):
    spec = one.get("spec", {})
    if one["kind"] == "Service":
        return spec.get("selector")
    for name in ("podSelector", "selector"):
        if one["kind"] in ("NetworkPolicy", "PodDisruptionBudget", "PodMonitor", "Deployment"):
            if name in spec:
                return spec[name].get("matchLabels", {})
    return None


def _no_port(one, owner):
    """Ports by their name that the pods have not."""
    has = {
        p.get("name")
        for c in containers(at(owner, PODS[owner["kind"]]))
        for p in c.get("ports", [])
    }
    wanted = [p.get("targetPort") for p in one["spec"].get("ports", [])]
    wanted += [p.get("port") for p in one["spec"].get("podMetricsEndpoints", [])]
    return [name for name in wanted if isinstance(name, str) and name not in has]


def idle(overlay, documents):
    """Patches of an overlay that no document takes: kustomize passes them over."""
    folder, found = overlay, []
    said = yaml.safe_load((folder / "kustomization.yaml").read_text())
    for component in said.get("components", []):
        found += idle((folder / component).resolve(), documents)
    for patch in said.get("patches", []):
        target = patch["target"]
        named = {(one["kind"], one["metadata"].get("name")) for one in documents}
        # One without a name is for all that there are, and there may be none.
        if "name" in target and (target["kind"], target["name"]) not in named:
            found.append(f"{folder}: no {target} to patch")
    return found


# ---------------------------------------------------------------- resources


def devices(container):
    """What a container wants of a GPU."""
    wanted = container.get("resources", {})
    limits = {k: str(v) for k, v in wanted.get("limits", {}).items() if "/" in k}
    return limits, sorted(c["name"] for c in wanted.get("claims", []))


def unlimited(pod):
    """Containers without limits, and smoke tests of another GPU than the main container's."""
    found = []
    for one in containers(pod):
        resources = one.get("resources", {})
        for part, names in (("limits", ["memory"]), ("requests", ["cpu", "memory"])):
            there = resources.get(part, {})
            found += [f"{one['name']}: no {part} of {n}" for n in names if n not in there]
        asked = {k: v for k, v in resources.get("requests", {}).items() if "/" in k}
        if any(str(v) != str(resources.get("limits", {}).get(k)) for k, v in asked.items()):
            found.append(f"{one['name']}: GPUs are asked for by limits")
    smoke = [one for one in pod.get("initContainers", []) if one["name"] == "gpu-smoke"]
    main = pod["containers"][0]
    if any(devices(one) != devices(main) for one in smoke):
        found.append(f"gpu-smoke wants {devices(smoke[0])}, {main['name']} {devices(main)}")
    if bool(smoke) != any(devices(main)):
        found.append(f"{main['name']}: {'without' if smoke else 'with'} a GPU")
    return found


def over_cap(pod, clients):
    """Fractions of a GPU's memory that are more than its processes can have together."""
    found = []
    for one in containers(pod):
        for variable in one.get("env", []):
            if variable["name"] in CAPS and float(variable["value"]) * clients > 1:
                found.append(f"{one['name']}: {variable['name']} {variable['value']} x {clients}")
    return found


# ---------------------------------------------------------------- texts

# What templates leave where something was forgotten; Prometheus and GitHub have such braces.
LEFT = re.compile(r"\bNone\b|\{%|(?<![\$\{])\{\{ (?!\$|=|labels|tasks|workflow)|: (True|False)$")


def unsaid(path):
    """A file that begins without a comment on what it is, or that a template left something in."""
    text = path.read_text()
    found = [] if re.match(r"(#!.*\n)?#|\"\"\"|\{", text) else [f"{path}: no comment at its head"]
    if path.suffix in (".yaml", ".yml"):
        for number, line in enumerate(text.splitlines(), 1):
            if LEFT.search(line):
                found.append(f"{path}:{number}: {line.strip()}")
    return found


def repeated(path):
    """Keys that stand twice in a map: YAML's own parsers take the last, and say nothing."""
    loader = type("Strict", (yaml.SafeLoader,), {})

    def mapping(self, node, deep=False):
        names = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise yaml.constructor.ConstructorError(
                None, None, f"{twice[0]} twice", node.start_mark
            )
        return yaml.SafeLoader.construct_mapping(self, node, deep)

    loader.add_constructor("tag:yaml.org,2002:map", mapping)
    try:
        list(yaml.load_all(path.read_text(), loader))
    except yaml.YAMLError as error:
        return [f"{path}: {error}"]
    return []
