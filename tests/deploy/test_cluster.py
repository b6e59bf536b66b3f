"""A repository of a platform team: what it renders to, and what reads it."""

import ast
import copy
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import celpy
import pytest
import yaml

from ..child.matrix import Child, check, tmplgen
from ..common.program import ROOT
from .checkers import not_restricted
from .render import KUBECTL
from .schemas import wrong

pytestmark = pytest.mark.full

SMOKE = {"nodes/base/daemonset.yaml", "nodes/base/cronjob.yaml"}
ALL = ["--set", "platforms=gke,eks,aks,generic", "--ci", "github,gitlab,jenkins"]
CASES = {
    "defaults": [],
    "mig": [*ALL, "--set", "gpu_sharing=mig", "--set", "gpus=T4,A30,A100-40GB,H100,RTX-PRO-6000"],
    "mig-halves": ["--set", "gpu_sharing=mig", "--set", "gpus=H200", "--set", "mig_slices=2"],
    "mps": [*ALL, "--set", "gpu_sharing=mps", "--set", "gpu_clients=8", "--set", "gpus=L4,T4"],
    "time-slicing": ["--set", "gpu_sharing=time-slicing", "--set", "smoke_taints=false"],
    "aws-vgpu": [
        *["--set", "platforms=eks", "--set", "gpu_sharing=aws-vgpu", "--set", "gpu_clients=10"],
        *["--set", "gpus=V100", "--set", "smoke_namespace=tests", "--set", "operator_namespace=op"],
    ],
    "little": [
        *["--set", "monitoring=false", "--set", "kueue=false", "--set", "platforms=aks"],
        *["--set", "gpus=none", "--ci", "none"],
    ],
}


@pytest.fixture(scope="module")
def children(tmp_path_factory):
    root = tmp_path_factory.mktemp("clusters")
    made = {}
    for name, words in CASES.items():
        tmplgen("new", root / name, "--type", "cluster", *words, cwd=root)
        made[name] = Child(root / name, words)
    return made


@pytest.fixture(params=CASES)
def child(request, children):
    return children[request.param]


def manifests(child):
    """All objects of the API server, by file. Values are helm's, kustomizations kustomize's."""
    found = []
    for path in child.files("*.yaml"):
        name = str(path.relative_to(child.folder))
        if "values" in name or path.name == "kustomization.yaml":
            continue
        found += [(name, one) for one in yaml.safe_load_all(path.read_text()) if one]
    return found


def kinds(child, *names):
    return [one for _, one in manifests(child) if one["kind"] in names]


def pods(child):
    """The pod of each workload, by its kind and name."""
    found = {}
    for one in kinds(child, "DaemonSet", "CronJob"):
        spec = one["spec"]
        template = spec.get("template") or spec["jobTemplate"]["spec"]["template"]
        found[one["kind"], one["metadata"]["name"]] = template["spec"]
    return found


def smoke_pods(child):
    return {key: pod for key, pod in pods(child).items() if key[1].startswith("gpu-smoke")}


def refused(tmp_path, *words):
    done = subprocess.run(
        [ROOT / "build/tmplgen", "new", "x", "--type", "cluster", *words],
        cwd=tmp_path, env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2 and not (tmp_path / "x").exists()
    return done.stderr


# ---------------------------------------------------------------- the type


def test_children_pass_the_checks_that_all_children_pass(children):
    found = check(list(children.values()))
    # Prometheus and Grafana fill in texts of their own: these are meant to be there.
    theirs = re.compile(r".*/monitoring/rules.yaml: .*(\{\{ \$(labels[.]\w+|value) \}\})")
    assert [
        one for one in found if not theirs.fullmatch(re.sub(r"(?<=\}\})[^{}]*$", "", one))
    ] == []


def test_the_scripts_are_typed(children):
    (child,) = [children["defaults"]]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", *child.files("nodes/base/*.py")],
        cwd=child.folder.parent, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("answers", "because"),
    [
        (["gpu_sharing=mig", "gpus=T4,L4"], "none of T4, L4 has MIG"),
        (["gpu_sharing=aws-vgpu"], "is for nodes of EKS: take mps"),
        (["gpu_sharing=aws-vgpu", "platforms=gke,aks"], "is for nodes of EKS"),
        (["gpus=V100", "driver_version=595.91.07"], "580 is the last branch for Volta"),
        (["smoke_namespace=gpu-operator"], "the GPU Operator needs a privileged namespace"),
        (["gpus=GTX 1080"], "'gpus'"),
        (["gpu_sharing=mps", "gpu_clients=49"], "'gpu_clients'"),
        (["smoke_schedule=* * *; rm"], "'smoke_schedule'"),
        (["registry=ghcr.io/Team"], "'registry'"),
    ],
)
def test_what_does_not_go_together_is_refused_with_the_reason(tmp_path, answers, because):
    words = [word for answer in answers for word in ("--set", answer)]
    assert because in refused(tmp_path, *words)


def test_gpu_sharing_is_an_option(tmp_path):
    tmplgen("new", "x", "--type", "cluster", "--gpu-sharing", "mps", cwd=tmp_path)
    assert yaml.safe_load((tmp_path / "x/.tmplgen.yml").read_text())["answers"]["gpu_sharing"] == (
        "mps"
    )


def test_only_what_was_chosen_is_there(children):
    there = {
        name: {str(p.relative_to(c.folder)) for p in c.files("*")} for name, c in children.items()
    }
    little, full = there["little"], there["mig"]
    for place in ("monitoring/", "kueue/", "aws-vgpu/", ".github/", "nodes/overlays/g"):
        assert not [path for path in little if path.startswith(place)]
    assert "nodes/overlays/aks/kustomization.yaml" in little
    for platform in ("gke", "eks", "aks"):
        assert f"gpu-operator/values-{platform}.yaml" in full
        assert f"nodes/overlays/{platform}/kustomization.yaml" in full
    assert "aws-vgpu/daemonset.yaml" in there["aws-vgpu"] and "aws-vgpu/daemonset.yaml" not in full
    assert "gpu-operator/config/mig.yaml" in full
    assert "gpu-operator/config/mig.yaml" not in there["mps"]


# ---------------------------------------------------------------- GPUs, held against the matrix


def table():
    text = (ROOT / "templates/cluster/includes/gpus.j2").read_text()
    return ast.literal_eval(re.search(r"set table = (\{.*?\n\}) %\}", text, re.S)[1])


def of_the_matrix():
    return {
        row["gpu"]: row for row in yaml.safe_load((ROOT / "matrices/gpus.yml").read_text())["gpus"]
    }


def differences(copied, rows):
    """What the template's table says otherwise than the matrix."""
    found = []
    for name, entry in copied.items():
        model, _, memory = name.partition("-") if name[-2:] == "GB" else (name, "", "")
        row = rows.get(
            {"H100-NVL": "H100 NVL", "RTX-PRO-6000": "RTX PRO 6000 Blackwell"}.get(model, model)
        )
        if row is None:
            found.append(f"{name}: not in the matrix")
            continue
        known = str(row.get("products", "")).split()
        if known and not set(entry["products"]) <= set(known):
            found.append(f"{name}: {entry['products']}")
        mig = row.get("mig", {})
        size = int(memory[:-2]) if memory else next(iter(mig), None)
        wanted = [part.split(":") for part in str(mig.get(size, "")).split()]
        if [[profile, int(count)] for profile, count in wanted] != [list(e) for e in entry["mig"]]:
            found.append(f"{name}: {entry['mig']}")
        if (
            memory
            and row["memory"] != ""
            and int(memory[:-2]) not in map(int, str(row["memory"]).split())
        ):
            found.append(f"{name}: no such memory")
    return found


def test_the_table_of_gpus_says_what_the_matrix_says():
    assert differences(table(), of_the_matrix()) == []


def test_every_board_of_a_model_is_in_the_table():
    """A product of the matrix that no entry has is a node that nobody tests."""
    rows, copied = of_the_matrix(), table()
    for model in {name.split("-")[0] for name in copied} & set(rows):
        have = {
            p
            for name, entry in copied.items()
            if name.split("-")[0] == model
            for p in entry["products"]
        }
        assert set(str(rows[model].get("products", "")).split()) <= have, model


@pytest.mark.parametrize(
    "spoil",
    [
        lambda t: t["A30"]["mig"].pop(),
        lambda t: t["A30"]["mig"].reverse(),
        lambda t: t["T4"]["mig"].append(["1g.5gb", 7]),
        lambda t: t["H100"]["products"].append("NVIDIA-H100"),
        lambda t: t.update({"A100-60GB": t["A100-80GB"]}),
        lambda t: t.update({"H900": t["H100"]}),
    ],
)
def test_a_table_that_differs_is_found(spoil):
    spoiled = copy.deepcopy(table())
    spoil(spoiled)
    assert differences(spoiled, of_the_matrix())


def test_questions_have_the_models_of_the_table():
    manifest = yaml.safe_load((ROOT / "templates/cluster/template.yml").read_text())
    asked = {q["name"]: q for q in manifest["questions"] if "name" in q}
    assert asked["gpus"]["choices"] == list(table())
    can = re.findall(r"'([A-Z0-9-]+[A-Z0-9])'", asked["mig_gpus"]["computed"])
    assert can == [name for name, entry in table().items() if entry["mig"]]


@pytest.mark.parametrize(
    ("gpu", "slices", "profile"),
    [("A100-40GB", 7, "1g.5gb"), ("A100-40GB", 4, "1g.10gb"), ("A100-40GB", 3, "2g.10gb"),
     ("A100-40GB", 2, "3g.20gb"), ("A30", 7, "1g.6gb"), ("A30", 3, "2g.12gb"),
     ("GH200-144GB", 5, "2g.36gb"), ("RTX-PRO-6000", 7, "1g.24gb")],
)  # fmt: skip
def test_a_gpu_is_cut_as_finely_as_it_can_be(tmp_path, gpu, slices, profile):
    words = ["gpu_sharing=mig", f"gpus={gpu}", f"mig_slices={slices}"]
    words = [word for one in words for word in ("--set", one)]
    tmplgen("new", "x", "--type", "cluster", *words, "--no-git", cwd=tmp_path)
    made = Child(tmp_path / "x", words)
    (pod,) = [pod for (kind, _), pod in smoke_pods(made).items() if kind == "CronJob"]
    assert pod["containers"][0]["resources"]["limits"][f"nvidia.com/mig-{profile}"] == 1
    entry = f"{gpu.lower()}-{profile}"
    assert f"| `{entry}` |" in made.text("README.md")
    assert entry in mig_entries(made)


# ---------------------------------------------------------------- schemas


def test_every_object_is_as_its_schema_says(child):
    for name, document in manifests(child):
        assert wrong(document) == [], name


def test_the_schemas_refuse_what_is_wrong(children):
    for (kind, _), pod in smoke_pods(children["mps"]).items():
        for spoil in (
            lambda p: p.update(runtimeClas="nvidia"),
            lambda p: p["containers"][0].update(command="python3"),
            lambda p: p["containers"][0]["env"].append({"name": "A", "value": 1}),
            lambda p: p["tolerations"][0].update(effects="NoSchedule"),
        ):
            whole = copy.deepcopy(next(one for one in kinds(children["mps"], kind)))
            spec = whole["spec"]
            spoil((spec.get("template") or spec["jobTemplate"]["spec"]["template"])["spec"])
            assert wrong(whole)
        assert pod
    for document in kinds(children["mps"], "ClusterQueue", "ResourceFlavor", "PrometheusRule"):
        spoiled = copy.deepcopy(document)
        spoiled.setdefault("spec", {})["queue"] = "x"
        assert wrong(spoiled)


def kustomized(child):
    """What each kustomization says, and what of it is there."""
    for path in child.files("kustomization.yaml"):
        yield path.parent, yaml.safe_load(path.read_text())


def test_kustomizations_name_every_file_and_no_other(child):
    for folder, said in kustomized(child):
        for resource in said.get("resources", []) + said.get("components", []):
            assert (folder / resource).exists(), (folder, resource)
        generated = [f for g in said.get("configMapGenerator", []) for f in g["files"]]
        for file in generated:
            assert (folder / file).is_file()
        if said["kind"] == "Kustomization":
            beside = {p.name for p in folder.iterdir() if p.is_file()} - {"kustomization.yaml"}
            assert beside == {r for r in said.get("resources", []) if (folder / r).is_file()} | set(
                generated
            ), folder


@pytest.mark.parametrize("name", ["mig", "aws-vgpu", "little"])
def test_kustomize_builds_every_folder(children, name):
    """In these cases is each folder that there may be."""
    for folder, said in kustomized(children[name]):
        if said["kind"] != "Kustomization":
            continue
        done = subprocess.run(
            [KUBECTL, "kustomize", folder], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        for document in yaml.safe_load_all(done.stdout):
            assert wrong(document) == []
        if folder.parent.name == "overlays":
            assert "image: registry.example.org/gpu/gpu-smoke:latest" in done.stdout
            assert re.search(r"configMap:\n\s+name: gpu-smoke-[a-z0-9]{10}\n", done.stdout)
            aks = folder.name == "aks"
            assert ("runtimeClassName: nvidia-container-runtime" in done.stdout) == aks
            assert ("key: sku" in done.stdout) == aks


# ---------------------------------------------------------------- the pods of the smoke test


def test_the_smoke_test_needs_no_privilege(child):
    for name, pod in smoke_pods(child).items():
        assert not_restricted(pod) == [], name


def test_privileges_are_found(children):
    (legacy,) = [p for (_, n), p in pods(children["aws-vgpu"]).items() if n.startswith("aws")]
    found = not_restricted(legacy)
    assert {"hostIPC", "hostPath", "runAsNonRoot", "mps: capabilities"} <= set(found)


def test_who_has_the_gpu_has_no_credentials_and_the_other_way_round(child):
    for (kind, _), pod in smoke_pods(child).items():
        smoke, label = pod["containers"]
        assert pod["automountServiceAccountToken"] is False
        mounts = {c["name"]: {m["name"] for m in c["volumeMounts"]} for c in pod["containers"]}
        assert "account" in mounts["label"] and "account" not in mounts["smoke"]
        env = {c["name"]: {e["name"]: e.get("value") for e in c["env"]} for c in pod["containers"]}
        assert env["label"]["NVIDIA_VISIBLE_DEVICES"] == "void"
        # The DaemonSet holds no GPU for ever; the CronJob gets what the plugin gives, and no more.
        asked = [r for r in smoke["resources"]["limits"] if r.startswith("nvidia.com/")]
        assert bool(asked) == (kind == "CronJob")
        assert env["smoke"].get("NVIDIA_VISIBLE_DEVICES") == (None if asked else "all")
        assert pod.get("runtimeClassName") == (None if asked else "nvidia")
        assert smoke["image"] == label["image"], "a report that is missing says nothing otherwise"


def test_every_container_has_limits_and_every_volume_a_user(child):
    for pod in pods(child).values():
        names = set()
        for container in pod["containers"] + pod.get("initContainers", []):
            resources = container["resources"]
            assert {"cpu", "memory"} <= set(resources["limits"])
            assert {"cpu", "memory"} <= set(resources["requests"])
            names |= {mount["name"] for mount in container.get("volumeMounts", [])}
        assert names == {volume["name"] for volume in pod["volumes"]}


def test_the_scripts_get_the_variables_that_they_read(child):
    read = re.compile(r'environ(?:\.get\(|\[)"([A-Z_]+)"')
    for pod in smoke_pods(child).values():
        for container, script in zip(
            pod["containers"], ("run_smoke.py", "label_node.py"), strict=True
        ):
            text = child.text(f"nodes/base/{script}")
            must = set(re.findall(r'environ\["([A-Z_]+)"\]', text))
            given = {
                one["name"] for one in container["env"] if not one["name"].startswith("NVIDIA")
            }
            assert must <= given <= set(read.findall(text))
            assert container["command"][1] == f"/etc/gpu-smoke/{script}"


def test_a_broken_node_is_tested_again_so_that_its_taint_can_go(child):
    for pod in smoke_pods(child).values():
        tolerated = {one["key"] for one in pod["tolerations"] if one.get("operator") == "Exists"}
        assert {"tmplgen.gpu/broken", "tmplgen.gpu/broken-pod"} <= tolerated
    values = yaml.safe_load(child.text("gpu-operator/values.yaml"))
    for tolerations in (values["daemonsets"]["tolerations"],
                        values["node-feature-discovery"]["worker"]["tolerations"]):  # fmt: skip
        keys = {one["key"] for one in tolerations}
        assert {"nvidia.com/gpu", "tmplgen.gpu/broken", "tmplgen.gpu/broken-pod"} <= keys


def test_taints_are_a_choice(children):
    for name, wanted in (("defaults", True), ("time-slicing", False)):
        for pod in smoke_pods(children[name]).values():
            env = {one["name"]: one.get("value") for one in pod["containers"][1]["env"]}
            assert bool(env["TAINT"]) == wanted
            assert env["LABEL"].startswith("tmplgen.gpu/smoke")


def test_the_account_may_read_and_patch_nodes_and_no_more(child):
    (role,) = kinds(child, "ClusterRole")
    assert role["rules"] == [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get", "patch"]}]
    (binding,) = kinds(child, "ClusterRoleBinding")
    (account,) = kinds(child, "ServiceAccount")
    (subject,) = binding["subjects"]
    assert subject["name"] == account["metadata"]["name"]
    assert {pod["serviceAccountName"] for pod in smoke_pods(child).values()} == {subject["name"]}
    (policy,) = kinds(child, "ValidatingAdmissionPolicy")
    (condition,) = policy["spec"]["matchConditions"]
    user = f"system:serviceaccount:{subject['namespace']}:{subject['name']}"
    assert condition["expression"] == f"request.userInfo.username == '{user}'"
    (bound,) = kinds(child, "ValidatingAdmissionPolicyBinding")
    assert bound["spec"]["policyName"] == policy["metadata"]["name"]


def ruled(policy, old, new, user="gpu-nodes:gpu-smoke", node="a"):
    """What the policy's expressions say to a change of a node, by an implementation of CEL."""
    notes = {"authentication.kubernetes.io/node-name": [node]} if node else {}
    who = {"username": f"system:serviceaccount:{user}", "extra": notes}
    names = {"object": new, "oldObject": old, "request": {"userInfo": who}}
    names = {name: celpy.json_to_cel(value) for name, value in names.items()}

    def value(text):
        environment = celpy.Environment()
        return environment.program(environment.compile(text)).evaluate(names)

    if not all(value(one["expression"]) for one in policy["matchConditions"]):
        return "not asked"
    told = {one["name"]: value(one["expression"]) for one in policy["variables"]}
    names["variables"] = celpy.celtypes.MapType(
        {celpy.celtypes.StringType(name): one for name, one in told.items()}
    )
    for one in policy["validations"]:
        if not value(one["expression"]):
            return one["message"]
    return "allowed"


def node(labels=None, notes=None, taints=None, **spec):
    metadata = {"name": "a"}
    metadata |= {"labels": labels} if labels is not None else {}
    metadata |= {"annotations": notes} if notes is not None else {}
    return {"metadata": metadata, "spec": spec | ({"taints": taints} if taints is not None else {})}


OTHER = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
OURS = {"key": "tmplgen.gpu/broken", "value": "exec", "effect": "NoSchedule"}
NOTE = {"note": "n"}
BEFORE = node({"zone": "1"}, NOTE, [OTHER])


@pytest.mark.parametrize(
    ("old", "new", "more", "says"),
    [
        (node(), node({"tmplgen.gpu/smoke": "ok"}, {"tmplgen.gpu/smoke-at": "t"}), {}, "allowed"),
        (BEFORE, node({"zone": "1", "tmplgen.gpu/x": "ok"}, NOTE, [OTHER, OURS]), {}, "allowed"),
        (node({"zone": "1"}, NOTE, [OTHER, OURS]), BEFORE, {}, "allowed"),
        (node({"tmplgen.gpu/smoke": "ok"}, {}, [OURS]), node({}, {}), {}, "allowed"),
        (BEFORE, BEFORE, {"node": "b"}, "no node but its own"),
        (BEFORE, BEFORE, {"node": None}, "no node but its own"),
        (BEFORE, node({"zone": "2"}, NOTE, [OTHER]), {}, "no label but"),
        (BEFORE, node({}, NOTE, [OTHER]), {}, "no label but"),
        (BEFORE, node({"zone": "1", "a": "b"}, NOTE, [OTHER]), {}, "no label but"),
        (BEFORE, node({"zone": "1"}, {"note": "x"}, [OTHER]), {}, "no annotation but"),
        (BEFORE, node({"zone": "1"}, None, [OTHER]), {}, "no annotation but"),
        (BEFORE, node({"zone": "1"}, NOTE), {}, "no taint but"),
        (BEFORE, node({"zone": "1"}, NOTE, [{**OTHER, "value": "x"}]), {}, "no taint but"),
        (BEFORE, node({"zone": "1"}, NOTE, [OTHER], unschedulable=True), {}, "cordons no node"),
        (BEFORE, node({}, {}), {"user": "kube-system:other"}, "not asked"),
    ],
)  # fmt: skip
def test_the_policy_holds_the_account_to_its_node_and_its_keys(children, old, new, more, says):
    (policy,) = kinds(children["defaults"], "ValidatingAdmissionPolicy")
    assert says in ruled(policy["spec"], old, new, **more)


# ---------------------------------------------------------------- the GPU Operator


def keys_of_the_chart():
    lines = (ROOT / "tests/data/gpu-operator-values.txt").read_text().splitlines()
    return {line for line in lines if not line.startswith("#")}


def unknown_keys(values, known, at=""):
    found = []
    for key, value in values.items():
        path = f"{at}{key}"
        if path in known:
            continue
        if isinstance(value, dict) and any(one.startswith(f"{path}.") for one in known):
            found += unknown_keys(value, known, f"{path}.")
        else:
            found.append(path)
    return found


def test_the_chart_has_every_value(child):
    for path in child.files("values*.yaml"):
        assert unknown_keys(yaml.safe_load(path.read_text()), keys_of_the_chart()) == [], path


def test_a_value_that_the_chart_does_not_have_is_found():
    known = keys_of_the_chart()
    assert unknown_keys({"driver": {"versoin": "1"}}, known) == ["driver.versoin"]
    assert unknown_keys({"devicePlugins": {}}, known) == ["devicePlugins"]
    assert unknown_keys({"mig": {"strategy": "mixed"}, "driver": {"version": "1"}}, known) == []


def sharing_entries(child):
    (config,) = [
        c for c in kinds(child, "ConfigMap") if c["metadata"]["name"] == "device-plugin-config"
    ]
    return {name: yaml.safe_load(text) for name, text in config["data"].items()}


def test_the_plugin_shares_by_one_way_only(child):
    """Fields of the plugin's configuration v1: api/config/v1 of NVIDIA/k8s-device-plugin."""
    answers = yaml.safe_load(child.text(".tmplgen.yml"))["answers"]
    entries = sharing_entries(child)
    assert set(entries) == {"whole", "time-slicing", "mps"}
    values = yaml.safe_load(child.text("gpu-operator/values.yaml"))
    default = values["devicePlugin"]["config"]["default"]
    assert default == (answers["gpu_sharing"] if answers["gpu_sharing"] in entries else "whole")
    for name, entry in entries.items():
        assert set(entry) <= {"version", "flags", "sharing"} and entry["version"] == "v1"
        ways = set(entry.get("sharing", {}))
        assert ways == {"whole": set(), "time-slicing": {"timeSlicing"}, "mps": {"mps"}}[name]
        for way in entry.get("sharing", {}).values():
            assert set(way) <= {"resources", "renameByDefault", "failRequestsGreaterThanOne"}
            assert way["resources"] == [
                {"name": "nvidia.com/gpu", "replicas": answers.get("gpu_clients", 4)}
            ]
        if name == "mps":  # not with MIG
            assert entry.get("flags", {}).get("migStrategy", "none") == "none"


def mig_entries(child):
    (config,) = [c for c in kinds(child, "ConfigMap") if c["metadata"]["name"] == "mig-config"]
    return yaml.safe_load(config["data"]["config.yaml"])["mig-configs"]


def test_mig_is_cut_as_the_matrix_says(children):
    for name in ("mig", "mig-halves"):
        child = children[name]
        answers = yaml.safe_load(child.text(".tmplgen.yml"))["answers"]
        values = yaml.safe_load(child.text("gpu-operator/values.yaml"))
        assert values["migManager"]["config"] == {"name": "mig-config", "default": "all-disabled"}
        assert values["mig"] == {"strategy": "mixed"}
        wanted = {"all-disabled": [{"devices": "all", "mig-enabled": False}]}
        for gpu in answers["gpus"]:
            for profile, count in table()[gpu]["mig"]:
                cut = {"devices": "all", "mig-enabled": True, "mig-devices": {profile: count}}
                wanted[f"{gpu.lower()}-{profile}"] = [cut]
        assert mig_entries(child) == wanted


def test_platforms_bring_what_the_operator_leaves_out(children):
    values = {
        name: yaml.safe_load(children["mig"].text(f"gpu-operator/values-{name}.yaml"))
        for name in ("gke", "eks", "aks")
    }
    assert all(one["driver"] == {"enabled": False} for one in values.values())
    place = "/home/kubernetes/bin/nvidia"
    assert values["gke"]["hostPaths"]["driverInstallDir"] == place
    assert values["gke"]["toolkit"]["installDir"] == place
    assert {"name": "RUNTIME_CONFIG_SOURCE", "value": "file"} in values["gke"]["toolkit"]["env"]
    assert values["aks"]["operator"]["runtimeClass"] == "nvidia-container-runtime"
    assert [one["metadata"]["name"] for one in kinds(children["mig"], "ResourceQuota")] == [
        "gpu-operator-quota"
    ]


# ---------------------------------------------------------------- queues


def test_queues_flavours_and_the_smoke_test_mean_the_same_nodes(child):
    queues = kinds(child, "ClusterQueue")
    if not queues:
        return
    (queue,) = queues
    groups = queue["spec"]["resourceGroups"]
    flavors = {f["metadata"]["name"]: f.get("spec", {}) for f in kinds(child, "ResourceFlavor")}
    listed = [f["name"] for group in groups for f in group["flavors"]]
    assert sorted(listed) == sorted(flavors) and len(set(listed)) == len(listed)
    covered = [resource for group in groups for resource in group["coveredResources"]]
    assert len(set(covered)) == len(covered)
    for group in groups:
        for flavor in group["flavors"]:
            assert [r["name"] for r in flavor["resources"]] == group["coveredResources"]
    labels = {s["nodeLabels"]["nvidia.com/gpu.product"] for s in flavors.values() if s}
    tested, asked = set(), set()
    for (kind, _), pod in smoke_pods(child).items():
        if kind == "CronJob":
            terms = pod["affinity"]["nodeAffinity"]
            (term,) = terms["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
            tested |= set(term["matchExpressions"][0]["values"])
            limits = pod["containers"][0]["resources"]["limits"]
            asked |= {name for name in limits if name.startswith("nvidia.com/")}
    assert labels <= tested and asked == set(covered) - {"cpu", "memory"}
    for local in kinds(child, "LocalQueue"):
        assert local["spec"]["clusterQueue"] == queue["metadata"]["name"]


# ---------------------------------------------------------------- metrics and alerts


# DCGM exporter 4.6.0-4.8.3, etc/default-counters.csv, and kube-state-metrics' documentation.
METRICS = set(
    """DCGM_FI_DEV_SM_CLOCK DCGM_FI_DEV_GPU_TEMP DCGM_FI_DEV_POWER_USAGE DCGM_FI_DEV_GPU_UTIL
    DCGM_FI_DEV_XID_ERRORS DCGM_FI_DEV_FB_FREE DCGM_FI_DEV_FB_USED DCGM_FI_PROF_PIPE_TENSOR_ACTIVE
    DCGM_FI_PROF_DRAM_ACTIVE DCGM_FI_DEV_ROW_REMAP_FAILURE DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS
    kube_node_spec_taint kube_node_labels kube_daemonset_status_number_ready
    kube_daemonset_status_desired_number_scheduled kube_cronjob_status_last_successful_time
    kube_node_status_capacity kube_node_status_allocatable kube_pod_container_resource_requests
    kube_pod_status_phase""".split()
)


def expressions(child):
    (rules,) = kinds(child, "PrometheusRule")
    found = [rule["expr"] for group in rules["spec"]["groups"] for rule in group["rules"]]
    for panel in json.loads(child.text("monitoring/gpus.json"))["panels"]:
        found += [target["expr"] for target in panel["targets"]]
    return found


def test_metrics_are_those_that_the_exporters_have(children):
    for name in ("defaults", "mig", "aws-vgpu"):
        for text in expressions(children[name]):
            used = set(re.findall(r"\b(?:DCGM_FI|kube)_\w+", text))
            assert used and used <= METRICS, used - METRICS


def test_the_dashboard_has_panels_that_do_not_cover_each_other(children):
    board = json.loads(children["defaults"].text("monitoring/gpus.json"))
    squares = set()
    for panel in board["panels"]:
        at = panel["gridPos"]
        mine = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert not mine & squares and at["x"] + at["w"] <= 24
        squares |= mine
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])


PROMTOOL = pytest.mark.skipif(
    not shutil.which("promtool"), reason="no promtool (Debian: prometheus)"
)


def promtool(*words, cwd, status=0):
    done = subprocess.run(
        ["promtool", *words], cwd=cwd, capture_output=True, text=True, check=False
    )
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@PROMTOOL
def test_prometheus_takes_rules_and_queries(children, tmp_path):
    for name in ("defaults", "mig", "aws-vgpu"):
        (rules,) = kinds(children[name], "PrometheusRule")
        (tmp_path / "rules.yml").write_text(yaml.safe_dump(rules["spec"]))
        promtool("check", "rules", "rules.yml", cwd=tmp_path)
        records = [
            {"record": f"panel:{n}", "expr": text.replace("$node", ".*")}
            for n, text in enumerate(expressions(children[name]))
        ]
        (tmp_path / "panels.yml").write_text(
            yaml.safe_dump({"groups": [{"name": "p", "rules": records}]})
        )
        promtool("check", "rules", "panels.yml", cwd=tmp_path)
    records[0]["expr"] += " unless ("
    (tmp_path / "panels.yml").write_text(
        yaml.safe_dump({"groups": [{"name": "p", "rules": records}]})
    )
    promtool("check", "rules", "panels.yml", cwd=tmp_path, status=1)


def series(name, values, **labels):
    inside = ",".join(f'{key}="{value}"' for key, value in labels.items())
    return {"series": f"{name}{{{inside}}}", "values": values}


GPU = {"Hostname": "a", "gpu": "0"}
IN_USE = {**GPU, "exported_namespace": "team", "exported_pod": "p"}
DAEMONS = {"namespace": "gpu-nodes", "daemonset": "gpu-smoke"}
CAPACITY = series("kube_node_status_capacity", "8x700", node="a", resource="nvidia_com_gpu")
# Alert: what makes it fire at `at`, and what does not.
ALERTS = {
    "GpuNodeBroken": (
        "10m",
        [series("kube_node_spec_taint", "1x20", node="a", key="tmplgen.gpu/broken", value="exec")],
        [series("kube_node_spec_taint", "1x20", node="a", key="nvidia.com/gpu", value="present")],
    ),
    "GpuNodeNotOk": (
        "4h",
        [series("kube_node_labels", "1x300", node="a", label_tmplgen_gpu_smoke="busy")],
        [series("kube_node_labels", "1x300", node="a", label_tmplgen_gpu_smoke="ok")],
    ),
    "GpuSmokeNotRunning": (
        "40m",
        [
            series("kube_daemonset_status_number_ready", "2x50", **DAEMONS),
            series("kube_daemonset_status_desired_number_scheduled", "3x50", **DAEMONS),
        ],
        [
            series("kube_daemonset_status_number_ready", "3x50", **DAEMONS),
            series("kube_daemonset_status_desired_number_scheduled", "3x50", **DAEMONS),
        ],
    ),
    "GpuSmokeNoGpuFree": (
        "8d",
        [series("kube_cronjob_status_last_successful_time", "0x200", namespace="gpu-nodes",
                cronjob="gpu-smoke-t4")],
        [series("kube_cronjob_status_last_successful_time", "500000x200", namespace="gpu-nodes",
                cronjob="gpu-smoke-t4")],
    ),
    "GpuXid": (
        "10m",
        [series("DCGM_FI_DEV_XID_ERRORS", "0x5 79x20", **GPU)],
        [series("DCGM_FI_DEV_XID_ERRORS", "0x5 31x20", **GPU)],
    ),
    "GpuRowRemapFailed": (
        "10m",
        [series("DCGM_FI_DEV_ROW_REMAP_FAILURE", "1x20", **GPU)],
        [series("DCGM_FI_DEV_ROW_REMAP_FAILURE", "0x20", **GPU)],
    ),
    "GpuMemoryErrors": (
        "2h",
        [series("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "0x60 1x100", **GPU)],
        [series("DCGM_FI_DEV_UNCORRECTABLE_REMAPPED_ROWS", "1x160", **GPU)],
    ),
    "GpuHot": (
        "30m",
        [series("DCGM_FI_DEV_GPU_TEMP", "95x60", **GPU)],
        [series("DCGM_FI_DEV_GPU_TEMP", "85x60", **GPU)],
    ),
    "GpuWithoutMetrics": (
        "1h",
        [CAPACITY],
        [CAPACITY, series("DCGM_FI_DEV_GPU_TEMP", "40x700", **GPU)],
    ),
    "GpuHeldAndIdle": (
        "10h",
        [series("DCGM_FI_DEV_GPU_UTIL", "0x700", **IN_USE)],
        [series("DCGM_FI_DEV_GPU_UTIL", "0x100 90x600", **IN_USE)],
    ),
}  # fmt: skip


def tried(alert, at, given, wanted):
    # `count(ALERTS)` in place of the texts, which are not what is tested here.
    state = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}}) or vector(0)'
    sample = {"expr": state, "eval_time": at, "exp_samples": [{"value": wanted}]}
    step = "1h" if at.endswith("d") else "1m"
    return {"interval": step, "input_series": given, "promql_expr_test": [sample]}


@PROMTOOL
def test_each_alert_fires_when_it_should_and_only_then(children, tmp_path):
    (rules,) = kinds(children["defaults"], "PrometheusRule")
    assert [r["alert"] for g in rules["spec"]["groups"] for r in g["rules"]] == list(ALERTS)
    (tmp_path / "rules.yml").write_text(yaml.safe_dump(rules["spec"]))
    tests = []
    for alert, (at, fires, does_not) in ALERTS.items():
        tests += [tried(alert, at, fires, 1), tried(alert, at, does_not, 0)]
    for step in ("1m", "1h"):
        mine = [test for test in tests if test["interval"] == step]
        said = {"rule_files": ["rules.yml"], "evaluation_interval": step, "tests": mine}
        (tmp_path / f"{step}.yml").write_text(yaml.safe_dump(said))
        promtool("test", "rules", f"{step}.yml", cwd=tmp_path)
    said["tests"] = [tried("GpuSmokeNoGpuFree", *ALERTS["GpuSmokeNoGpuFree"][:2], 0)]
    (tmp_path / "wrong.yml").write_text(yaml.safe_dump(said))
    promtool("test", "rules", "wrong.yml", cwd=tmp_path, status=1)


# ---------------------------------------------------------------- documents, scripts, updates


def test_every_alert_label_and_file_that_is_spoken_of_is_there(child):
    for path in [child.folder / "README.md", *child.files("docs/*.md")]:
        text = path.read_text()
        for name in re.findall(
            r"`((?:nodes|nfd|kueue|monitoring|gpu-operator|ci|smoke)/[\w./-]*)`", text
        ):
            assert (child.folder / name).exists(), f"{path.name}: {name}"
        for name in re.findall(r"\]\((\w[\w.-]*\.md|docs/[\w.-]+)\)", text):
            assert (path.parent / name).exists(), f"{path.name}: {name}"
        for name in re.findall(r"`(Gpu[A-Z]\w+)`", text):
            assert name in ALERTS
    for target in re.findall(r"^    make ([a-z ]+?) *(?:#|$)", child.text("README.md"), re.M):
        for word in target.split():
            assert re.search(rf"^{word}:", child.text("Makefile"), re.M)


def test_every_manifest_says_where_its_facts_come_from(child):
    for path in [*child.files("*.yaml"), *child.files("*.yml")]:
        text = path.read_text()
        assert text.startswith("#"), path


def test_make_says_what_it_would_do_for_each_platform(children):
    def said(name, *words):
        done = subprocess.run(
            ["make", "-n", *words],
            cwd=children[name].folder,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    gke = said("mig", "operator", "PLATFORM=gke")
    assert "apply -k gpu-operator/config-gke\n" in gke
    assert "--values gpu-operator/values.yaml --values gpu-operator/values-gke.yaml" in gke
    assert "--version v26.7.0" in gke and "apply -k nfd" in gke
    generic = said("mig", "operator", "PLATFORM=generic")
    assert "apply -k gpu-operator/config\n" in generic and "values-" not in generic
    assert "apply -k nodes/overlays/aks" in said("little", "smoke")
    assert "apply -k nodes/overlays/generic" in said("defaults", "smoke")


def test_the_image_is_pinned_by_its_digest(children, tmp_path):
    folder = tmp_path / "child"
    shutil.copytree(children["defaults"].folder, folder)
    digest = "sha256:" + "0" * 64

    def set_image(name, status=0):
        done = subprocess.run(
            ["ci/set-image.sh", name], cwd=folder, capture_output=True, text=True, check=False
        )
        assert done.returncode == status, done.stderr
        return yaml.safe_load((folder / "nodes/image/kustomization.yaml").read_text())["images"]

    pinned = [{"name": "gpu-smoke", "newName": "r.example.org:5000/t/gpu-smoke", "digest": digest}]
    assert set_image(f"r.example.org:5000/t/gpu-smoke@{digest}") == pinned
    for name in ("", "gpu-smoke", "a b:c", "$(id):c"):
        assert set_image(name, status=2) == pinned
    assert set_image("r.example.org/x:1.0") == [
        {"name": "gpu-smoke", "newName": "r.example.org/x", "newTag": "1.0"}
    ]


def test_lint_of_a_child_passes_and_finds_what_is_broken(children, tmp_path):
    folder = tmp_path / "child"
    shutil.copytree(children["defaults"].folder, folder)

    def lint(status):
        done = subprocess.run(
            ["ci/lint.sh"], cwd=folder, capture_output=True, text=True, check=False
        )
        assert (done.returncode != 0) == bool(status), done.stdout + done.stderr

    lint(0)
    for name, more in (
        ("nodes/base/label_node.py", "def broken(:\n"),
        ("monitoring/gpus.json", "}"),
        ("ci/build.sh", "if true; then\n"),
    ):
        text = (folder / name).read_text()
        (folder / name).write_text(text + more)
        lint(1)
        (folder / name).write_text(text)
    lint(0)


def test_hadolint_finds_nothing_in_the_image_of_the_smoke_test(children):
    """But that packages have no versions: those of a distribution are gone with its next update."""
    file = children["defaults"].folder / "smoke/Dockerfile"
    hadolint = [Path(sys.executable).parent / "hadolint", "--ignore=DL3008"]
    done = subprocess.run([*hadolint, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    text = file.read_text().replace("WORKDIR /build", "WORKDIR build")
    done = subprocess.run([*hadolint, "-"], input=text, capture_output=True, text=True, check=False)
    assert "DL3000" in done.stdout and done.returncode == 1


def test_a_daemon_that_has_reported_is_ready(child):
    """The alert GpuSmokeNotRunning counts pods that are not."""
    for (kind, _), pod in smoke_pods(child).items():
        if kind == "DaemonSet":
            report = {
                e["value"] for c in pod["containers"] for e in c["env"] if e["name"] == "REPORT"
            }
            for container in pod["containers"]:
                (*_, asked) = container["readinessProbe"]["exec"]["command"]
                assert {asked} == report


def commit(folder, message):
    for words in (["add", "--all"], ["commit", "--quiet", "--message", message]):
        subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *words],
                       cwd=folder, check=True)  # fmt: skip


def test_an_update_keeps_quotas_and_brings_what_is_new(tmp_path):
    """Two versions of the catalog, and a team that has changed its own lines in between."""
    catalog = tmp_path / "catalog"
    catalog.mkdir()
    for part in ("catalog.yml",):
        shutil.copy(ROOT / part, catalog)
    for part in ("_layers", "_includes", "cluster"):
        shutil.copytree(ROOT / "templates" / part, catalog / "templates" / part)
    subprocess.run(["git", "init", "--quiet", catalog], check=True)
    commit(catalog, "one")
    child = tmp_path / "child"
    words = ["--catalog", f"file://{catalog}"]
    tmplgen("new", child, "--type", "cluster", *words, cwd=tmp_path)

    queues = child / "kueue/queues.yaml"
    queues.write_text(queues.read_text().replace("nominalQuota: 8}", "nominalQuota: 64}", 1))
    (child / "nodes/base/expect").write_text("gpus: 8\n")
    commit(child, "ours")
    base = catalog / "templates/cluster/files"
    for name, old, new in (
        ("kueue/queues.yaml.j2", "BestEffortFIFO", "StrictFIFO"),
        ("nodes/base/daemonset.yaml.j2", "maxUnavailable: 25%", "maxUnavailable: 10%"),
        ("nodes/base/expect", "gpus: 1", "gpus: 2"),
    ):
        text = (base / name).read_text()
        assert old in text
        (base / name).write_text(text.replace(old, new))
    commit(catalog, "two")
    tmplgen("update", child, cwd=tmp_path)
    assert "StrictFIFO" in queues.read_text() and queues.read_text().count("nominalQuota: 64}") == 1
    assert "10%" in (child / "nodes/base/daemonset.yaml").read_text()
    assert (child / "nodes/base/expect").read_text() == "gpus: 8\n"
    tmplgen("update", child, "--check", cwd=tmp_path)
