"""Deployed children, every pair of choices: strict schemas, references, security, sharing. SEED=N takes other rows."""

import ast
import copy
import json
import os
import re
import shutil
import subprocess

import pytest
import yaml

from ..child.matrix import YAMLLINT
from . import kustomize, renders
from .objects import kinds_of_others, not_restricted, pod_of, wrong

pytestmark = pytest.mark.full

SEEDS = [renders.SEED + n for n in range(int(os.environ.get("SEEDS") or 1))]
# A way of sharing that cannot keep the restricted standard says so in its component.
SAYS_SO = re.compile(r"refuses? (this pod|hostIPC)")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("deployed")
    print(f"SEED={renders.SEED}")
    rows = [one for seed in SEEDS for one in renders.all_rows(seed)]
    found = [renders.render(kind, row, root / str(n)) for n, (kind, row) in enumerate(rows)]
    print(len(found), "renders")
    return found


@pytest.fixture(scope="module")
def built(made):
    """(child, overlay, its documents) of all."""
    return [(it, overlay, kustomize.build(overlay)) for it in made for overlay in it.overlays()]


def test_what_is_refused_is_refused_with_a_reason(made):
    for it in made:
        for said in it.refused:
            code, _, words = said.partition(": ")
            assert code in ("2", "4") and len(words.split()) > 8, f"{it.id}: {said}"


def test_every_choice_is_in_some_render(made):
    for kind in renders.TYPES:
        answers = [it.answers for it in made if it.kind == kind]
        missing = []
        for name, values in renders.choices(kind).items():
            seen = {str(a.get(name)).lower() for a in answers if name in a}
            seen |= {w for a in answers if isinstance(a.get(name), list) for w in [",".join(a[name]) or "none"]}
            missing += [f"{name}={v}" for v in values if str(v).lower() not in seen]
        assert not missing, f"{kind}: {missing}"


def test_every_object_is_as_its_schema_says(built):
    checked, found = {}, []
    for it, overlay, documents in built:
        for document in documents:
            text = json.dumps(document, sort_keys=True)
            if text not in checked:
                checked[text] = wrong(document)
            found += [f"{it.id} {overlay.name} {document['kind']}: {w}" for w in checked[text]]
    assert found == []
    seen = {f"{d['apiVersion']}/{d['kind']}" for _, _, documents in built for d in documents}
    of_projects = {k for k in kinds_of_others() if not k.startswith(("kueue", "nfd", "argo", "ray"))}
    assert of_projects <= seen


@pytest.mark.skipif(not shutil.which("kubectl"), reason="no kubectl: its kustomize is the judge of ours")
def test_kustomize_itself_builds_the_same(built):
    def named(documents):
        return {(d["apiVersion"], d["kind"], d["metadata"]["name"]): d for d in documents}

    # One each of what differs: a start of kubectl is a tenth of a second.
    picked = {(it.kind, it.answers.get("workload"), it.answers.get("kserve"), overlay.name): (it, overlay, documents)
              for it, overlay, documents in built}  # fmt: skip
    for it, overlay, documents in picked.values():
        done = subprocess.run(["kubectl", "kustomize", overlay], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{it.id}: {done.stderr}"
        assert named(yaml.safe_load_all(done.stdout)) == named(documents), it.id


def names(documents, kind):
    return {d["metadata"]["name"] for d in documents if d["kind"] == kind}


def dangling(documents):
    """References that lead nowhere."""
    found = []
    pods = [(d, pod) for d in documents if (pod := pod_of(d))]
    for document, pod in pods:
        if pod["serviceAccountName"] not in names(documents, "ServiceAccount"):
            found.append("serviceAccountName")
        for volume in pod["volumes"]:
            if "configMap" in volume and volume["configMap"]["name"] not in names(documents, "ConfigMap"):
                found.append(volume["name"])
            claim = volume.get("persistentVolumeClaim", {}).get("claimName")
            if claim and claim not in names(documents, "PersistentVolumeClaim"):
                found.append(claim)
        for claim in pod.get("resourceClaims", []):
            if claim["resourceClaimTemplateName"] not in names(documents, "ResourceClaimTemplate"):
                found.append(claim["name"])
        for container in pod["containers"] + pod.get("initContainers", []):
            volumes = {volume["name"] for volume in pod["volumes"]}
            found += [m["name"] for m in container["volumeMounts"] if m["name"] not in volumes]
        for rule in document["spec"].get("podFailurePolicy", {}).get("rules", []):
            container = rule.get("onExitCodes", {}).get("containerName")
            if container and container not in {c["name"] for c in pod["containers"]}:
                found.append(container)
    ports = {p["name"] for _, pod in pods for c in pod["containers"] for p in c.get("ports", [])}
    for document in documents:
        spec = document.get("spec", {})
        if document["kind"] in ("HorizontalPodAutoscaler", "ScaledObject"):
            found += [n for n in [spec["scaleTargetRef"]["name"]] if n not in names(documents, "Deployment")]
        if document["kind"] == "HTTPRoute":
            found += [b["name"] for r in spec["rules"] for b in r["backendRefs"] if b["name"] not in names(documents, "Service")]
        if document["kind"] == "Service":
            found += [p["targetPort"] for p in spec["ports"] if p["targetPort"] not in ports]
        if document["kind"] == "PodMonitor":
            found += [p["port"] for p in spec["podMetricsEndpoints"] if p["port"] not in ports]
        if document["kind"] == "TrainJob" and spec["runtimeRef"]["name"] not in names(documents, "TrainingRuntime"):
            found.append("runtimeRef")
    return found


def labelled(document):
    """The labels that an object's pods have."""
    spec = document["spec"]
    if document["kind"] == "InferenceService":
        return spec["predictor"]["labels"]
    if document["kind"] == "CronJob":
        return spec["jobTemplate"]["spec"]["template"]["metadata"]["labels"]
    if document["kind"] == "JobSet":
        return spec["replicatedJobs"][0]["template"]["spec"]["template"]["metadata"]["labels"]
    if document["kind"] == "TrainingRuntime":
        return labelled({"kind": "JobSet", "spec": spec["template"]["spec"]})
    return spec["template"]["metadata"]["labels"]


def test_references_lead_somewhere_and_selectors_find_the_pods(built):
    for it, overlay, documents in built:
        assert dangling(documents) == [], f"{it.id} {overlay.name}"
        [pods] = [labelled(d) for d in documents if pod_of(d)]
        for document in documents:
            spec = document.get("spec", {})
            for selector in (spec.get("selector"), spec.get("podSelector")):
                wanted = selector and (selector.get("matchLabels") or selector)
                if wanted and document["kind"] != "ServiceAccount":
                    assert wanted.items() <= pods.items(), f"{it.id} {document['kind']}"


def test_a_dangling_reference_is_found(built):
    _, _, documents = next(b for b in built if b[0].kind == "batch" and "ConfigMap" in str(b[2]))
    for kind in ("ServiceAccount", "ConfigMap", "PersistentVolumeClaim"):
        assert dangling([d for d in documents if d["kind"] != kind])


def test_pods_keep_the_restricted_standard_or_say_that_they_cannot(built):
    for it, overlay, documents in built:
        [pod] = [pod for d in documents if (pod := pod_of(d))]
        found = not_restricted(pod)
        way = it.answers.get("gpu_sharing", "none").split(":")[0] if overlay.name == "default" else overlay.name
        if found:
            assert set(found) <= {"hostIPC", "mps"} and way in ("mps", "aws-vgpu"), f"{it.id} {overlay.name}: {found}"
            text = (it.folder / f"deploy/k8s/components/{way}/kustomization.yaml").read_text()
            assert SAYS_SO.search(text.replace("\n# ", " ")), way
        assert pod["automountServiceAccountToken"] is False
        assert pod["terminationGracePeriodSeconds"] >= 25


def test_a_pod_that_may_too_much_is_found(built):
    _, _, documents = built[0]
    for document in copy.deepcopy(documents):
        if pod := pod_of(document):
            del pod["containers"][0]["securityContext"]["capabilities"]
            assert not_restricted(pod)


def gpu_of(container):
    """What it asks of GPUs."""
    limits = {k: v for k, v in container["resources"].get("limits", {}).items() if "/" in k}
    return limits, container["resources"].get("claims")


def test_the_smoke_test_and_the_project_ask_for_the_same_gpu(built):
    for it, overlay, documents in built:
        [pod] = [pod for d in documents if (pod := pod_of(d))]
        main = pod["containers"][0]
        assert {"memory"} <= set(main["resources"]["limits"]) and {"cpu", "memory"} == set(main["resources"]["requests"])
        smoke = [c for c in pod.get("initContainers", []) if c["name"] == "gpu-smoke"]
        cpu = "variant" in it.row
        assert len(smoke) == (0 if cpu else 1), it.id
        for container in smoke:
            assert gpu_of(container) == gpu_of(main) and gpu_of(main) != ({}, None), f"{it.id} {overlay.name}"
            assert "--require-gpu" in container["command"] and "--expect" in container["command"]


def test_sharing_sets_manifest_and_memory_cap_together(built):
    for it, overlay, documents in built:
        [pod] = [pod for d in documents if (pod := pod_of(d))]
        env = {e["name"]: e.get("value") for e in pod["containers"][0]["env"]}
        cap = env.get("BATCH_MEMORY_FRACTION" if it.kind == "batch" else "SERVE_MEMORY_FRACTION")
        asked = it.answers.get("gpu_sharing", "none")
        way = asked.split(":")[0] if overlay.name == "default" else overlay.name
        shared = way in ("time-slicing", "mps", "aws-vgpu") and it.row["framework"] not in ("xgboost", "none")
        assert (cap is not None) == (shared and "variant" not in it.row), f"{it.id} {overlay.name}"
        clients = int(it.answers.get("gpu_clients", 4))
        if cap:
            assert 0 < float(cap) * clients <= 1
        replicas = [v for k, v in pod["nodeSelector"].items() if k.endswith(("gpu.replicas", "max-shared-clients-per-gpu"))]
        assert replicas in ([], [str(clients)]), it.id
        if way == "aws-vgpu":
            assert env["CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"] == str(100 // clients)
        if way == "mig":
            profile = asked.partition(":")[2]
            assert not profile or profile in json.dumps([gpu_of(pod["containers"][0]), pod["nodeSelector"]])


def test_every_file_says_what_it_is_and_where_its_facts_come_from(made):
    for it in made:
        for path in [*it.files("*.yaml"), *it.files("*.sbatch"), *it.files("*.py")]:
            if "prometheus" in path.parts or "overlays" in path.parts:
                continue
            text = path.read_text()
            head = text if path.suffix != ".yaml" else "\n".join(l for l in text.splitlines() if l.lstrip().startswith("#"))
            assert text.startswith(("#", '"""')), f"{it.id} {path}"
            if path.name not in ("expect",) and "image" not in path.parts and "base/kustomization.yaml" not in str(path):
                assert re.search(r"(Sources?|Facts): ?|Facts as", head), f"{it.id} {path}"


def test_files_are_clean(made):
    from yamllint import config, linter

    rules, seen = config.YamlLintConfig(YAMLLINT), set()
    for it in made:
        for path in it.files("*"):
            text = path.read_text()
            none = "" if path.suffix == ".py" else r"|\bNone\b"
            assert not re.search(r"\{%|\bUndefined\b" + none, text), f"{it.id} {path}"
            if text in seen:
                continue
            seen.add(text)
            if path.suffix == ".yaml":
                assert [str(p) for p in linter.run(text, rules)] == [], f"{it.id} {path}"
            if path.suffix == ".py":
                ast.parse(text)


def test_shells_are_clean(made, tmp_path):
    found = {path.read_text(): path for it in made for path in it.files("*.sbatch")}
    assert found
    done = subprocess.run(["shellcheck", *found.values()], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    bad = tmp_path / "bad.sbatch"
    bad.write_text("#!/bin/bash\nrm -rf $1/x\n")
    assert subprocess.run(["shellcheck", bad], capture_output=True, check=False).returncode != 0


def test_the_rules_of_the_operator_are_those_of_the_file(made):
    seen = 0
    for it in made:
        rule = it.folder / "deploy/k8s/components/monitoring/rules.yaml"
        if rule.exists():
            plain = yaml.safe_load((it.folder / "deploy/prometheus/rules.yaml").read_text())
            assert yaml.safe_load(rule.read_text())["spec"] == plain
            seen += 1
    assert seen


def test_nothing_of_it_is_there_where_it_was_not_chosen(tmp_path):
    for kind in renders.TYPES:
        framework = {"llm": "transformers"}.get(kind, "pytorch")
        it = renders.render(kind, {"framework": framework}, tmp_path / kind)
        there = {str(p.relative_to(it.folder)) for p in it.files("*")}
        assert not {p for p in there if not p.startswith(("deploy/prometheus", "deploy/grafana"))}
        assert not (it.folder / "docs/deploy.md").exists() and not (it.folder / "ci/set-image.sh").exists()
