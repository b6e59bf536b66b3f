"""A batch job on Kubernetes: its manifests say of statuses, time and folders what its code does."""

import ast
import re
import subprocess

import pytest
import yaml

from ..child.matrix import TMPLGEN, Child, tmplgen

SEVERAL = ("jobset", "trainjob")
WORKLOADS = ("job", "cronjob", "indexed-job", *SEVERAL)


@pytest.fixture(scope="module")
def children(tmp_path_factory):
    root = tmp_path_factory.mktemp("batch")
    made = {}
    for name in WORKLOADS:
        words = ["--type", "batch", "--name", "it", "--framework", "pytorch", "--deploy", "k8s"]
        words += [
            "--platform",
            "gke",
            "--set",
            f"workload={name}",
            "--set",
            "spot=true",
            "--no-git",
        ]
        tmplgen("new", root / name, *words, "--defaults", "--quiet", cwd=root)
        made[name] = Child(root / name, words)
    return made


@pytest.fixture(params=WORKLOADS)
def child(request, children):
    return children[request.param]


@pytest.fixture(params=("job", "cronjob", "indexed-job"))
def alone(request, children):
    return children[request.param]


@pytest.fixture(params=SEVERAL)
def several(request, children):
    return children[request.param]


def documents(child):
    found = {}
    for path in child.files("deploy/k8s/base/*.yaml"):
        if path.name != "kustomization.yaml":
            one = yaml.safe_load(path.read_text())
            found[one["kind"]] = one
    return found


def job(child):
    """The spec of the Job, wherever it is."""
    found = documents(child)
    if "Job" in found:
        return found["Job"]["spec"]
    if "CronJob" in found:
        return found["CronJob"]["spec"]["jobTemplate"]["spec"]
    return jobs_of(child)["replicatedJobs"][0]["template"]["spec"]


def jobs_of(child):
    """The spec of the JobSet, which a TrainingRuntime has within it."""
    found = documents(child)
    if "JobSet" in found:
        return found["JobSet"]["spec"]
    return found["TrainingRuntime"]["spec"]["template"]["spec"]


def pod(child):
    return job(child)["template"]["spec"]


def main(child):
    return pod(child)["containers"][0]


def constants(child, name):
    """What a module of the child sets to a number or a text, by name."""
    (path,) = child.files(f"src/*/{name}.py")
    found = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Assign):
            try:
                found[node.targets[0].id] = ast.literal_eval(node.value)
            except ValueError:
                continue
    return found


def statuses(child):
    known = constants(child, "errors")
    return {name: known[name] for name in ("BUG", "BAD_INPUT", "AGAIN", "NO_GPU")}


def fate(policy, container, status, disrupted=False):
    """What Kubernetes does with a failed pod: the first rule that fits, else the pod counts."""
    for rule in policy["rules"]:
        codes = rule.get("onExitCodes")
        if codes and codes["containerName"] == container and codes["operator"] == "In":
            if status in codes["values"]:
                return rule["action"]
        wanted = {one["type"] for one in rule.get("onPodConditions", [])}
        if disrupted and "DisruptionTarget" in wanted:
            return rule["action"]
    return "Count"


def wrong_fates(policy, container, code, fails):
    """What becomes of a run's pods that should not: (status, disrupted, fate)."""
    wanted = {
        (code["BAD_INPUT"], False): fails,
        (code["AGAIN"], False): "Ignore",
        (code["NO_GPU"], False): "Count",
        (code["BUG"], False): "Count",
        # Killed; by a drain, by anything else.
        (137, True): "Ignore",
        (137, False): "Count",
    }
    found = {case: fate(policy, container, *case) for case in wanted}
    return [(*case, found[case]) for case in wanted if found[case] != wanted[case]]


def fails(child):
    return "FailIndex" if job(child).get("completionMode") == "Indexed" else "FailJob"


def test_each_status_has_its_fate(alone):
    policy = job(alone)["podFailurePolicy"]
    assert not wrong_fates(policy, main(alone)["name"], statuses(alone), fails(alone))


def test_a_policy_with_a_rule_less_or_of_another_container_is_seen(alone):
    code, rules = statuses(alone), job(alone)["podFailurePolicy"]["rules"]
    for n in range(len(rules)):
        less = {"rules": rules[:n] + rules[n + 1 :]}
        assert len(wrong_fates(less, main(alone)["name"], code, fails(alone))) == 1
    assert len(wrong_fates({"rules": rules}, "other", code, fails(alone))) == 2


def test_no_rule_takes_the_smoke_tests_statuses_for_the_runs(child):
    policy = job(child)["podFailurePolicy"]
    for status in (*range(10, 20), 42, 75, 77):
        assert fate(policy, "gpu-smoke", status) == "Count"


def test_several_machines_begin_again_but_after_bad_input(several):
    one, code = job(several), statuses(several)
    name = main(several)["name"]
    assert fate(one["podFailurePolicy"], name, code["BAD_INPUT"]) == "FailJob"
    for status in ("BUG", "AGAIN", "NO_GPU"):
        assert fate(one["podFailurePolicy"], name, code[status]) == "Count"
    # One pod that counts is the end of the Job, of which the JobSet makes another.
    assert one["backoffLimit"] == 0
    policy = jobs_of(several)["failurePolicy"]
    assert policy["maxRestarts"] > 0
    assert [(r["action"], r["onJobFailureReasons"]) for r in policy["rules"]] == [
        ("FailJobSet", ["PodFailurePolicy"])
    ]


def test_a_failure_policy_is_one_that_kubernetes_takes(child):
    assert pod(child)["restartPolicy"] == "Never"
    names = {one["name"] for one in [*pod(child)["containers"], *pod(child)["initContainers"]]}
    for rule in job(child)["podFailurePolicy"]["rules"]:
        assert len({"onExitCodes", "onPodConditions"} & set(rule)) == 1
        assert rule.get("onExitCodes", {}).get("containerName") in {None, *names}
        assert (rule["action"] == "FailIndex") <= ("backoffLimitPerIndex" in job(child))


def test_two_pods_never_write_one_checkpoint(alone):
    assert job(alone)["podReplacementPolicy"] == "Failed"
    cron = documents(alone).get("CronJob")
    assert cron is None or cron["spec"]["concurrencyPolicy"] == "Forbid"


def out(child):
    words = main(child).get("command", []) + main(child).get("args", [])
    return words[words.index("--out") + 1]


def test_a_run_is_kept_on_the_volume(child):
    assert len(out(child).strip("/").split("/")) == 2
    mounts = {m["mountPath"]: m for m in main(child)["volumeMounts"]}
    mount = mounts["/" + out(child).split("/")[1]]
    (volume,) = [v for v in pod(child)["volumes"] if v["name"] == mount["name"]]
    claim = documents(child)["PersistentVolumeClaim"]
    assert volume["persistentVolumeClaim"]["claimName"] == claim["metadata"]["name"]
    assert not mount.get("readOnly")
    mode = "ReadWriteMany" if pods(child) > 1 else "ReadWriteOnce"
    assert claim["spec"]["accessModes"] == [mode]


def pods(child):
    """How many of them there are at a time."""
    found = documents(child)
    if "TrainJob" in found:
        return found["TrainJob"]["spec"]["trainer"]["numNodes"]
    return job(child).get("parallelism", 1)


def test_what_is_not_one_run_has_several_folders(children):
    words = main(children["indexed-job"])["args"]
    assert out(children["indexed-job"]) == "/runs/$(JOB_COMPLETION_INDEX)"
    assert words[words.index("--seed") + 1] == "$(JOB_COMPLETION_INDEX)"
    assert out(children["cronjob"]) == "/runs/$(JOB_NAME)"
    (name,) = [e for e in main(children["cronjob"])["env"] if e["name"] == "JOB_NAME"]
    assert "job-name" in name["valueFrom"]["fieldRef"]["fieldPath"]
    for one in ("job", *SEVERAL):
        assert "$(" not in out(children[one])


def test_flags_and_variables_are_the_commands_own(child):
    (path,) = child.files("src/*/options.py")
    (config,) = child.files("src/*/config.py")
    known = path.read_text() + config.read_text()
    words = main(child).get("args", [])
    for word in words:
        if word.startswith("--"):
            assert re.search(rf"\b{word[2:].replace('-', '_')}\b", known), word
    for one in main(child)["env"]:
        if one["name"].startswith("BATCH_"):
            assert re.search(rf"\b{one['name'][6:].lower()}\b", known), one


def test_processes_may_save_for_as_long_as_the_pod_may(several):
    waits = int(constants(several, "launch")["DEFAULTS"]["PET_SHUTDOWN_TIMEOUT"])
    assert pod(several)["terminationGracePeriodSeconds"] - 30 < waits
    assert waits < pod(several)["terminationGracePeriodSeconds"]


def test_a_spot_machine_leaves_less_time_than_the_platform_gives(child):
    component = yaml.safe_load(child.text("deploy/k8s/components/spot/kustomization.yaml"))
    (patch,) = component["patches"]
    changes = {one["path"]: one["value"] for one in yaml.safe_load(patch["patch"])}
    (grace,) = [v for path, v in changes.items() if path.endswith("/terminationGracePeriodSeconds")]
    assert grace <= 25 < pod(child)["terminationGracePeriodSeconds"]
    assert "cloud.google.com~1gke-spot" in "".join(changes)
    default = yaml.safe_load(child.text("deploy/k8s/overlays/default/kustomization.yaml"))
    assert "../../components/spot" in default["components"]


def test_all_machines_are_started_by_launch_and_find_the_first(children):
    for name in SEVERAL:
        assert main(children[name])["command"][:3] == ["python", "-m", "it.launch"]
        assert children[name].files("src/*/launch.py")
    words = main(children["jobset"])["command"]
    said = {word: words[n + 1] for n, word in enumerate(words[:-1]) if word.startswith("--")}
    found = documents(children["jobset"])["JobSet"]
    name, (node,) = found["metadata"]["name"], found["spec"]["replicatedJobs"]
    assert said["--nnodes"] == str(node["template"]["spec"]["completions"])
    assert said["--node-rank"] == "$(JOB_COMPLETION_INDEX)"
    # JOBSET-REPLICATEDJOB-JOB-POD.SUBDOMAIN
    assert said["--master-addr"] == f"{name}-{node['name']}-0-0.{name}"
    assert found["spec"]["network"]["enableDNSHostnames"]


def test_machines_of_one_run_reach_each_other_and_nobody_else_does(children):
    for name in WORKLOADS:
        policy = documents(children[name])["NetworkPolicy"]["spec"]
        labels = job(children[name])["template"]["metadata"]["labels"]
        mine = policy["podSelector"]["matchLabels"]
        assert mine.items() <= labels.items()
        peers = [{"podSelector": {"matchLabels": mine}}]
        assert policy.get("ingress", []) == ([{"from": peers}] if name in SEVERAL else [])
        assert ({"to": peers} in policy["egress"]) == (name in SEVERAL)


def test_the_runtime_is_the_one_that_the_trainjob_names(children):
    found = documents(children["trainjob"])
    reference = found["TrainJob"]["spec"]["runtimeRef"]
    assert reference["kind"] == "TrainingRuntime"
    assert reference["name"] == found["TrainingRuntime"]["metadata"]["name"]
    # The trainer fills in the container of that name, of the job that is so labelled.
    (node,) = found["TrainingRuntime"]["spec"]["template"]["spec"]["replicatedJobs"]
    assert (node["name"], main(children["trainjob"])["name"]) == ("node", "node")
    step = node["template"]["metadata"]["labels"]["trainer.kubeflow.org/trainjob-ancestor-step"]
    assert step == "trainer"


def test_readme_says_what_the_cluster_does_about_each_status(child):
    section = child.text("README.md").partition("## Kubernetes\n")[2].partition("\n## ")[0]
    rows = dict(re.findall(r"^\| (\d[^|]*) \| ([^|]*) \|$", section, re.MULTILINE))
    told = {number for row in rows for number in re.findall(r"\b\d+\b", row)}
    assert told == {str(status) for status in statuses(child).values()}
    again = next(text for row, text in rows.items() if "77" in row)
    assert f"{tries(child)} times at most" in again


def tries(child):
    """How often a run that counts is made again."""
    if {"JobSet", "TrainingRuntime"} & set(documents(child)):
        return jobs_of(child)["failurePolicy"]["maxRestarts"]
    return job(child).get("backoffLimit") or job(child)["backoffLimitPerIndex"]


@pytest.mark.parametrize("framework", ["xgboost", "none", "tensorflow"])
@pytest.mark.parametrize("workload", SEVERAL)
def test_one_process_is_not_put_on_several_machines(tmp_path, framework, workload):
    words = ["--type", "batch", "--name", "it", "--framework", framework, "--deploy", "k8s"]
    words += ["--set", f"workload={workload}", "--no-git", "--defaults"]
    done = subprocess.run(
        [TMPLGEN, "new", "it", *words],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 4
    assert "UNSUPPORTED in backend.py" in " ".join(done.stderr.split())
    assert not (tmp_path / "it").exists()


def test_the_page_asks_for_what_there_is(child):
    """kubectl knows logs of pods alone, and the pods of a job that is there stay as they are."""
    (kind,) = documents(child).keys() & {"Job", "CronJob", "JobSet", "TrainJob"}
    page = (child.folder / "docs/deploy.md").read_text()
    assert "    kubectl get pods --watch -l app.kubernetes.io/name=it " in page
    assert set(re.findall(r"kubectl logs -f (\S+?)`", page)) == {"POD"}
    again = re.findall(r"^    kubectl delete (.*?) ", page, re.M)
    assert again == ([] if kind == "CronJob" else [f"{kind.lower()}/it"])
    assert ("kubectl create job it-NAME --from=cronjob/it" in page) == (kind == "CronJob")
    assert ("`it-node-0-0-...`" in page) == (kind in ("JobSet", "TrainJob"))


def test_who_does_not_deploy_has_none_of_it(tmp_path):
    words = ["--type", "batch", "--name", "it", "--framework", "pytorch", "--no-git"]
    tmplgen("new", tmp_path / "it", *words, "--defaults", "--quiet", cwd=tmp_path)
    child = Child(tmp_path / "it", [])
    assert not child.files("deploy/**/*") and not child.files("src/*/launch.py")
    assert "## Kubernetes" not in child.text("README.md")
