"""The program as such: codes, reports, limits, and what vendor code may do to it."""

import json
import os
import re
import shutil
import socket
import subprocess
from xml.etree import ElementTree

import pytest

from .root import DRIVER, LAYERS, LIB, Root
from .rows import EXITS, ROWS
from .workshop import SOURCE, TOP

KEYS = [
    *("schema", "exit", "finding", "layers", "gpus", "health", "kernel_log", "libraries"),
    *("share", "warnings", "init_seconds"),
]
CAUSES, CODES = TOP / "src/smoke/causes.txt", TOP / "src/smoke/codes.txt"
STATES = {"ok", "warning", "broken", "not-reached", "not-applicable"}
STAGES = {
    "cuDriverGetVersion": "init",
    "cuInit": "init",
    "cuDeviceGetCount": "init",
    "cuDeviceGetName": "init",
    "cuDevicePrimaryCtxRetain": "init",
    "cuModuleLoadDataEx": "jit",
    "cuLaunchKernel": "exec",
    "cuCtxSynchronize": "exec",
    "cuMemsetD32_v2": "exec",
    "cuMemcpyDtoD_v2": "bandwidth",
    "cuEventElapsedTime": "bandwidth",
}


def known_causes():
    """{name: texts}: what --explain knows."""
    parts = re.split(r"(?m)^(?=[a-z])", CAUSES.read_text())[1:]
    return {part.split()[0]: re.findall(r"(?m)^  text[!?]? +(.*)", part) for part in parts}


def own_causes():
    """The names in the table of the program that children get."""
    table = SOURCE.read_text().split("cause_table[] = {")[1].split("\n};")[0]
    return re.findall(r'\{[A-Z]+,\s*"([a-z0-9-]+)"', table)


def test_source_is_one_small_file():
    text = SOURCE.read_text()
    assert len(text.splitlines()) <= 5000 and len(text.encode()) <= 230_000
    assert max(map(len, text.splitlines())) <= 100
    assert not re.findall(r'#include "', text)


def test_source_has_no_texts_of_other_programs():
    """They are for --explain, which tmplgen has."""
    source = SOURCE.read_text().lower()
    ours = re.sub(r"(?m)^  text.*", "", CAUSES.read_text()) + CODES.read_text()
    texts = {text.lower() for texts in known_causes().values() for text in texts if len(text) > 20}
    assert len(texts) > 700
    assert not {text for text in texts if text in source and text not in ours.lower()}


def test_explaining_is_tmplgens(smoke):
    for words in (["--explain"], ["--explain", "803"], ["--explain=-"], ["--load", "--explain"]):
        report = smoke(*words)
        assert (report.code, report.json["schema"]) == (2, "tmplgen/smoke@1")
        assert report.json["error"]["message"].startswith("unknown option '--explain")
        assert "'tmplgen doctor --explain'" in report.err


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("level", ["-O0", pytest.param("-O2", marks=pytest.mark.full)])
def test_compiles_without_a_warning(compiler, level, workshop):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler} here")
    workshop.program(compiler, level, "-Wshadow", "-Wstrict-prototypes", "-Wwrite-strings")


def test_compiles_as_a_child_does(workshop):
    workshop.make("plain", [SOURCE], ["cc", str(SOURCE), "-ldl"])


def test_document_has_its_keys_in_order(healthy, smoke):
    document = smoke(root=healthy).json
    assert list(document) == KEYS
    assert document["schema"] == "tmplgen/smoke@1"
    assert [row["layer"] for row in document["layers"]] == LAYERS
    assert {row["state"] for row in document["layers"]} <= STATES
    gpu = document["gpus"][0]
    assert (gpu["name"], gpu["compute_capability"]) == ("Fake GPU", "9.0")
    assert gpu["uuid"] == "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"
    assert gpu["bandwidth_gb_s"] > 0


def test_finding_has_its_keys(healthy, smoke):
    finding = smoke(root=healthy, script="cuInit=803").finding
    assert list(finding)[:4] == ["layer", "cause", "evidence", "fix"]


def test_usage_errors_are_2_and_a_document(smoke):
    for words in (["--jso"], ["--timeout", "x"], ["--timeout"], ["--timeout", "0"],
                  ["--share", "65"], ["--level", "deep"], ["--redact=1"], ["--expect", "/nowhere"],
                  ["--root", "/nowhere"], ["extra"]):  # fmt: skip
        report = smoke(*words)
        assert report.code == 2, words
        assert report.json["error"]["code"] in {"usage", "expect"}
        assert report.err.startswith("gpu-smoke: ")


def test_help_names_every_option(smoke, explainer):
    options = set(re.findall(r'\{"(--[a-z-]+)"', SOURCE.read_text()))
    for program, missing in ((smoke, {"--explain"}), (explainer, set())):
        report = program("--help", json=False)
        assert report.code == 0
        assert options - set(re.findall(r"(?m)^  (--[a-z-]+)", report.out)) == missing
        assert max(len(line) for line in report.out.splitlines()) <= 100


@pytest.mark.parametrize("entry", STAGES)
@pytest.mark.parametrize("how,signal", [("segv", 11), ("bus", 7), ("abort", 6)])
def test_death_has_the_layer_where_it_happened(entry, how, signal, healthy, smoke):
    report = smoke(root=healthy, script=f"{entry}={how}")
    layer = STAGES[entry]
    assert (report.finding["layer"], report.cause) == (layer, "vendor-crash")
    assert report.code == EXITS[layer]
    assert f"signal {signal} " in report.evidence


@pytest.mark.parametrize("entry", ["cuInit", "cuModuleLoadDataEx", "cuCtxSynchronize"])
def test_hang_ends_within_the_time_limit(entry, healthy, smoke):
    report = smoke("--timeout", "3", root=healthy, script=f"{entry}=hang")
    assert (report.cause, report.code) == ("vendor-hang", EXITS[STAGES[entry]])
    assert "no answer within 3 s" in report.evidence


def test_silent_exit_of_vendor_code_is_a_crash(healthy, smoke):
    report = smoke(root=healthy, script="cuInit=exit")
    assert (report.code, report.cause) == (14, "vendor-crash")


def test_nvml_that_hangs_or_crashes_is_a_warning(healthy, smoke):
    report = smoke(root=healthy, nvml="nvmlInit_v2=segv")
    assert report.code == 0 and "NVML" in report.json["warnings"][0]


def test_vendor_chatter_does_not_reach_the_document(healthy, smoke):
    report = smoke(root=healthy, script="cuInit=print")
    assert report.code == 0 and report.json
    report = smoke(root=healthy, script="cuInit=print;cuDeviceGetCount=999")
    assert "a message of the vendor's own" in report.evidence


def test_second_gpu_that_is_bad_is_found(healthy, smoke):
    report = smoke(root=healthy, script="count=2;cuLaunchKernel@300=700")
    assert (report.code, report.cause) == (16, "illegal-access")
    assert [gpu["proven"] for gpu in report.json["gpus"]] == [True, False]


@pytest.mark.parametrize("direct", [0, 1])
def test_copies_between_gpus_are_checked(direct, healthy, smoke):
    report = smoke(root=healthy, script=f"count=3;direct={direct}")
    detail = {row["layer"]: row["detail"] for row in report.json["layers"]}["bandwidth"]
    assert report.code == 0 and f"{2 * direct} of 2 others direct" in detail
    assert "direct" not in str(smoke(root=healthy).json["layers"])


@pytest.mark.parametrize(
    "script,layer,cause",
    [("corrupt=peer", "exec", "wrong-result"), ("cuMemcpyPeer=220", "health", "nvlink-error"),
     ("cuMemcpyPeer=700", "exec", "illegal-access"), ("cuMemcpyPeer=segv", "bandwidth",
     "vendor-crash"), ("cuDeviceCanAccessPeer=1", "bandwidth", "invalid-value")],
)  # fmt: skip
def test_copy_between_gpus_that_fails_is_named(script, layer, cause, healthy, smoke):
    report = smoke(root=healthy, script=f"count=2;{script}")
    assert (report.finding["layer"], report.cause) == (layer, cause)
    assert report.code == EXITS[layer]
    assert smoke(root=healthy, script=script).code == 0, "with one GPU nothing is copied"


MPS = "/var/mps"


@pytest.mark.parametrize(
    "make,says",
    [(lambda root: root, "/var/mps/control: not there: no daemon, or not mounted"),
     (lambda root: root.file(f"{MPS}/control", "", 0o600), "/var/mps/control: there, writable"),
     (lambda root: root.file(f"{MPS}/control", "", 0o444), "not writable: another user's daemon")],
)  # fmt: skip
def test_place_where_mps_is_met_is_looked_at(make, says, healthy, smoke):
    make(healthy).env(CUDA_MPS_PIPE_DIRECTORY=MPS)
    report = smoke(root=healthy, script="cuDevicePrimaryCtxRetain=805")
    assert (report.code, report.cause) == (17, "mps-unreachable")
    assert says in report.evidence
    healthy.env(CUDA_MPS_PIPE_DIRECTORY="")
    assert "/tmp/nvidia-mps/control" in smoke(root=healthy, script="cuInit=805").evidence


def test_mps_that_is_asked_for_and_not_met_is_a_warning(healthy, smoke):
    healthy.env(CUDA_MPS_PIPE_DIRECTORY=MPS)
    report = smoke(root=healthy)
    assert report.code == 0 and "not shared as asked for" in report.json["warnings"][0]


@pytest.mark.full
def test_ptx_itself_computes_what_it_should(healthy, smoke):
    """An interpreter written from the PTX manual runs the very text that a GPU gets."""
    report = smoke(
        "--timeout", "110", root=healthy, script="interpret=1;memory=5000000", timeout=120
    )
    assert report.code == 0
    assert report.json["gpus"][0]["checksum"] == smoke(root=healthy).json["gpus"][0]["checksum"]


def test_share_tells_what_each_gets(healthy, smoke):
    document = smoke("--share", "2", "--timeout", "300", root=healthy, timeout=300).json
    assert document["share"]["processes"] == len(document["share"]["gflops"]) == 2
    assert all(value > 0 for value in document["share"]["gflops"])
    assert 0 < document["share"]["evenness"] <= 1


EXPECTED = """
# from the matrix
driver: 525.60.13   # at least
cuda: "12.6"
gpu: 8.0, 9.0
archs: sm_80 sm_90 compute_90
gpus: 1
sharing: none   # or mps
"""


def expect(tmp_path, **changes):
    lines = []
    for line in EXPECTED.splitlines():
        key = line.split(":")[0]
        lines.append(f"{key}: {changes.pop(key)}" if key in changes else line)
    assert not changes
    file = tmp_path / "expect"
    file.write_text("\n".join(lines) + "\n")
    return ["--expect", file]


def test_promise_that_is_kept_passes(healthy, smoke, tmp_path):
    assert smoke(*expect(tmp_path), root=healthy).code == 0


@pytest.mark.parametrize(
    "change,cause",
    [
        ({"driver": "590.10.01"}, "driver-too-old"),
        ({"cuda": "14.0"}, "driver-too-old"),
        ({"gpu": "7.5"}, "other-gpu"),
        ({"gpus": "2"}, "fewer-gpus"),
        ({"archs": "sm_70 sm_100"}, "wheel-lacks-gpu"),
        ({"sharing": "mps"}, "sharing-not-in-force"),
        ({"sharing": "mig:1g.18gb"}, "sharing-not-in-force"),
    ],
)
def test_promise_that_is_broken_is_named(change, cause, healthy, smoke, tmp_path):
    report = smoke(*expect(tmp_path, **change), root=healthy)
    assert report.cause == cause
    assert report.code == EXITS[report.finding["layer"]]


def test_promise_of_sharing_that_is_kept(healthy, smoke, tmp_path):
    assert smoke(*expect(tmp_path, sharing="mps"), root=healthy, script="mps=1").code == 0
    assert smoke(*expect(tmp_path, sharing="aws-vgpu"), root=healthy, script="mps=1").code == 0
    assert smoke(*expect(tmp_path, sharing="time-slicing"), root=healthy).code == 0
    assert smoke(*expect(tmp_path, sharing="mig:1g.18gb"), root=healthy, nvml="mig=1").code == 0


@pytest.mark.parametrize("nvml", [True, False])
@pytest.mark.parametrize("instance", [True, False])
def test_mig_is_in_force_where_nvml_says_so_or_an_instance_is(nvml, instance, healthy, smoke):
    """Every machine has the nodes that configure it, and an instance may be another GPU's."""
    if not nvml:
        healthy.remove(f"{LIB}/libnvidia-ml.so.1")
    if instance:
        healthy.node("nvidia-caps/nvidia-cap12")
    report = smoke(root=healthy)
    assert report.code == 0 and bool(report.json["health"]) == nvml
    detail = {row["layer"]: row["detail"] for row in report.json["layers"]}["sharing"]
    assert detail == f"in force: {'mig' if instance and not nvml else 'none'}"


def test_unknown_promise_is_a_usage_error(healthy, smoke, tmp_path):
    file = tmp_path / "expect"
    file.write_text("driver: 525\ncolour: red\n")
    report = smoke("--expect", file, root=healthy)
    assert report.code == 2 and f"{file}:2: unknown key 'colour'" in report.err


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_human_report_fits_a_screen(row, root, smoke):
    row.make(root.healthy_container() if row.container else root.healthy())
    report = smoke(*row.args, root=root, script=row.script, nvml=row.nvml, json=False)
    lines = report.out.replace(str(root.path), "").splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80, report.out


def test_human_report_draws_the_stack_and_marks_the_break(healthy, smoke):
    report = smoke(root=healthy, script="cuInit=803", json=False)
    lines = report.out.splitlines()
    drawn = [line[3:12].strip() for line in lines[: len(LAYERS)]]
    assert drawn == LAYERS[::-1]
    assert [line for line in lines if line.startswith(">>")] == [lines[LAYERS[::-1].index("init")]]
    for title in ("seen", "what", "why", "do"):
        assert any(line.startswith(title) for line in lines)


def test_junit_report_has_a_case_for_each_layer(healthy, smoke, tmp_path):
    file = tmp_path / "smoke.xml"
    report = smoke("--junit", file, root=healthy, script="cuInit=803")
    suite = ElementTree.parse(file).getroot()
    assert [case.get("name") for case in suite] == LAYERS
    assert suite.get("failures") == "1" and suite.get("tests") == "13"
    failure = suite.find(".//failure")
    assert failure.get("type") == report.cause and report.finding["fix"] in failure.text
    assert len(suite.findall(".//skipped")) == int(suite.get("skipped"))


def test_junit_report_that_cannot_be_written_is_an_error(healthy, smoke):
    assert smoke("--junit", "/nowhere/smoke.xml", root=healthy).code == 1


def test_redact_hides_identifiers(healthy, smoke):
    name = socket.gethostname()
    healthy.env(CUDA_VISIBLE_DEVICES=f"GPU-0a1b2c3d-1111-2222-3333-444455556666,{name}")
    shown = smoke(root=healthy, script="cuInit=100").out
    assert "0a1b2c3d" in shown
    hidden = smoke("--redact", root=healthy, script="cuInit=100")
    assert "0a1b2c3d" not in hidden.out and "(redacted)" in hidden.out and hidden.json
    assert len(name) < 3 or name not in hidden.out
    assert "04050607" not in smoke("--redact", root=healthy).out.replace("-", "")


def test_secrets_of_the_environment_are_not_reported(healthy, smoke, tmp_path):
    secret = "sw0rdf1sh"
    names = ["AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "NVIDIA_API_KEY", "CUDA_PASSWORD"]
    healthy.env(**dict.fromkeys(names, secret))
    for script in ("", "cuInit=100", "cuInit=803", "cuInit=segv"):
        file = tmp_path / "junit.xml"
        args = ["--junit", file]
        report = smoke(*args, root=healthy, script=script, env=dict.fromkeys(names, secret))
        assert secret not in report.out + report.err + file.read_text()


def test_control_bytes_do_not_reach_the_terminal(healthy, smoke):
    healthy.env(CUDA_VISIBLE_DEVICES="\x1b[31mred\x07\xff")
    for json_wanted in (False, True):
        out = smoke(root=healthy, script="cuInit=100", json=json_wanted).out
        assert "red" in out and not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", out)


def test_names_that_are_no_utf8_make_a_valid_document(healthy, smoke):
    path = os.fsencode(healthy.path / "usr/lib/python3/dist-packages/torch")
    os.makedirs(path)
    with open(path + b"/version.py", "wb") as file:
        file.write(b"cuda = '12\xff\xfe.6'\n")
    assert json.loads(smoke(root=healthy).out)["exit"] == 0


def test_root_is_read_and_never_run(healthy, smoke, tmp_path):
    """Without --load a library of the root is not opened by the loader."""
    mark = tmp_path / "ran"
    source = tmp_path / "evil.c"
    source.write_text(
        "#include <stdio.h>\n__attribute__((constructor)) static void run(void)\n"
        f'{{ fclose(fopen("{mark}", "w")); }}\n'
    )
    evil = healthy.path / f"{LIB.lstrip('/')}/libcuda.so.{DRIVER}"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", evil, source], check=True)
    healthy.loads = False
    report = smoke(root=healthy)
    assert report.code == 0 and not mark.exists()
    assert report.states["init"] == report.states["exec"] == "not-applicable"
    human = smoke(root=healthy, json=False).out
    assert "nothing broken in what could be read" in human and "all layers work" not in human


def test_record_of_a_capture_is_diagnosed_like_the_machine(healthy, smoke):
    healthy.recorded(
        ["stage load 0", "loaded /x/libcuda.so.1", "driver_cuda 12020", "stage init 0",
         "error 802 cuInit: system not yet initialized"], ["stage nvml 0", "count 1", "done"],
    )  # fmt: skip
    report = smoke(root=healthy)
    assert (report.code, report.cause) == (14, "fabric-not-ready")


def test_strange_things_in_a_root_do_not_hang(healthy, smoke):
    for path in ("proc/driver/nvidia/version", "proc/devices", "etc/ld.so.cache"):
        at = healthy.path / path
        at.parent.mkdir(parents=True, exist_ok=True)
        at.unlink(missing_ok=True)
        os.mkfifo(at)
    healthy.link("/sys/bus/pci/devices/loop", "loop").link("/proc/self/mountinfo", "/proc/self")
    assert smoke(root=healthy, timeout=20).code in {0, *EXITS.values()}


def test_no_gpu_here_is_said_by_the_codes(program, tmp_path):
    """A live run on this machine: it may have a GPU, it may have none."""
    env = {"PATH": os.environ["PATH"]}
    done = subprocess.run([program, "--json"], env=env, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 77, *EXITS.values()}
    assert json.loads(done.stdout)["exit"] == done.returncode


@pytest.mark.parametrize("code", [1, 2, 3, 34, 35, 36, 46, 98, 100, 101, 200, 209, 214, 218, 220,
                                  221, 222, 223, 226, 302, 303, 304, 500, 700, 701, 702, 710, 715,
                                  716, 719, 800, 801, 802, 803, 804, 805, 806, 807, 808, 809, 810,
                                  999])  # fmt: skip
def test_code_is_explained_in_every_spelling(code, explainer):
    causes = explainer("--explain", str(code)).json["causes"]
    assert causes and causes[0]["code"]["number"] == code
    name = causes[0]["code"]["name"]
    texts = [f"CUDA error {code}: x", f"CUDA error code: {code}", f"cudaSetDevice failed ({code})"]
    for text in [*texts, f"cuInit returned {code}", f"got {name}!"]:
        assert explainer("--explain", text).json["causes"][0]["cause"] == causes[0]["cause"], text


@pytest.mark.parametrize("text", ["12.8 and 535.104", "4711", "", "line 803 of file.py", "hello"])
def test_text_that_says_nothing_of_a_gpu_is_answered_so(text, explainer):
    report = explainer("--explain", text)
    assert (report.code, report.json["causes"], report.json["gpu"]) == (0, [], [])
    assert explainer("--explain", text, json=False).out == "nothing of a GPU in here\n"


def test_text_that_is_unknown_says_what_of_a_gpu_is_in_it(explainer):
    report = explainer("--explain", "all is well\nNVRM: loading NVIDIA UNIX x86_64 Kernel Module")
    assert (report.code, report.json["causes"]) == (0, [])
    assert [(found["line"], found["matched"]) for found in report.json["gpu"]] == [(2, "NVRM")]


@pytest.mark.parametrize(
    "text,cause",
    [("nvidia-smi:9", "driver-not-loaded"), ("nvml:15", "gpu-lost"),
     ("nvml:18", "module-stale"), ("NVML_ERROR_GPU_IS_LOST", "gpu-lost"), ("Xid 48", "ecc-error"),
     ("NVRM: Xid (PCI:0000:3b:00): 119, pid=1, GSP RPC timeout", "gsp-firmware"),
     ("NVRM: Xid (PCI:0000:13:00): 31, pid=79, name=x", "illegal-access")],
)  # fmt: skip
def test_codes_of_other_tools_are_explained(text, cause, explainer):
    assert explainer("--explain", text).json["causes"][0]["cause"] == cause


def test_several_causes_stand_apart(explainer):
    causes = [cause["cause"] for cause in explainer("--explain", "803").json["causes"]]
    parts = explainer("--explain", "803", json=False).out.split("\n\n")
    assert [part.split()[0] for part in parts] == [*causes, "the"]


@pytest.mark.parametrize("cause", known_causes())
def test_every_cause_is_explained_and_in_the_manual(cause, explainer):
    named = explainer("--explain", cause).json["causes"][0]
    assert named["cause"] == cause
    assert f"`{cause}`" in (TOP / "docs/smoke.md").read_text()


def test_every_cause_that_code_or_table_names_exists():
    text = SOURCE.read_text()
    table = set(own_causes())
    used = set(re.findall(r'blame\(s, "([a-z0-9-]+)"', text))
    rules = text.split("} rules[] = {")[1].split("\n};")[0]
    used |= set(re.findall(r'\{"([a-z0-9-]+)", [A-Z]+,', rules))
    for codes in ("cuda_codes", "nvml_codes"):
        rows = text.split(f"{codes}[] = {{")[1].split("\n};")[0]
        used |= set(re.findall(r'\{\d+, "([a-z0-9-]+)"\}', rows))
    assert len(used) > 100
    assert used - table == set()


def test_big_root_is_bounded(root, smoke):
    """A root of a million bytes in every file that is read ends, and soon."""
    root.healthy()
    for path in ("/proc/self/mountinfo", "/proc/devices", "/etc/cdi/nvidia.yaml", "/proc/1/cgroup"):
        root.file(path, "nvidia.com/gpu a b: c [d] {e} " * 40_000)
    assert smoke(root=root, timeout=20).code in {0, *EXITS.values()}


def test_made_machines_are_apart(tmp_path, workshop):
    one, two = Root(tmp_path / "1", workshop), Root(tmp_path / "2", workshop)
    one.env(A="1")
    assert not (two.path / ".gpu-smoke").exists()
