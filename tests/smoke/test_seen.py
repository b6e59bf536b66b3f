"""What was to be seen on the machine and went unsaid: each with its cause, and in a capture too."""

import shutil
import subprocess
import time

import pytest

from .root import Report
from .rows import EXITS, Pass, Row
from .test_doctor import Doctor

UUID = "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f"
SECOND = "GPU-01020304-0506-0708-090a-0b0c0d0e0f10"
MIG = "MIG-00010203-0405-0607-0809-0a0b0c0d0e0f"
TWO = "count=2"


@pytest.fixture
def doctor(tmp_path):
    return Doctor(tmp_path)


def devices(value, mig=False):
    def make(root):
        if mig:
            root.node("nvidia-caps/nvidia-cap1")
            root.file("/proc/driver/nvidia/capabilities/gpu0/mig/gi1/access", "DeviceFileMinor: 1")
        return root.env(CUDA_VISIBLE_DEVICES=value)

    return make


def hides(name, value, shows, nvml=""):
    return Row(name, "init", "env-hides-gpus", "exist", devices(value, "migs" in nvml),
               "cuInit=100", nvml, shows=shows)  # fmt: skip


def shows_all(name, value, nvml="", cause="no-device", layer="init"):
    """The variable is right: not it is to blame."""
    return Row(name, layer, cause, "", devices(value, "migs" in nvml), "cuInit=100", nvml)


ROWS = [
    hides("empty", "", "it is empty"),
    hides("index that is not there", "1", "'1' is no device: there are 1"),
    hides("negative", "-1", "'-1' is no device"),
    hides("NoDevFiles", "NoDevFiles", "'NoDevFiles' is no device"),
    hides("comma first", ",0", "'' is no device"),
    hides("bad entry first", "7,0", "'7' is no device"),
    hides("UUID that is not there", "GPU-ff", "'GPU-ff' is no device"),
    hides("UUID that is none", "GPU-0001020g", "'GPU-0001020g' is no device"),
    hides("UUID of nothing", "GPU-", "'GPU-' is no device"),
    hides("UUID in small letters", UUID.lower(), "is no device"),
    hides("prefix of two", "GPU-0", "'GPU-0' is no device: there are 2", TWO),
    hides("index twice", "0,0", "'0' comes twice", TWO),
    hides("UUID twice", f"{UUID},{SECOND},GPU-0001", "'GPU-0001' comes twice", TWO),
    hides("MIG where it is off", MIG, "is no device"),
    hides("MIG device that is not there", "MIG-ffff", "is no device", "mig=1;migs=2"),
    hides("MIG of another GPU", "MIG-GPU-ff/1/0", "is no device", "mig=1;migs=2"),
    shows_all("Slurm's", "0"),
    shows_all("Slurm's, MIG without instances", "0", "mig=1", "mig-no-instances", "sharing"),
    shows_all("UUID", UUID),
    shows_all("prefix of a UUID", "GPU-0001"),
    shows_all("list that ends early", "0,7,0"),
    shows_all("index with more behind it", "0gpu, 1x", TWO),
    shows_all("index after a UUID", f"{UUID},1", TWO),
    shows_all("MIG device", MIG, "mig=1;migs=2"),
    shows_all("prefix of a MIG device", "MIG-0001", "mig=1;migs=2"),
    shows_all("older name of a MIG device", f"MIG-{UUID}/1/0", "mig=1;migs=2"),
    Row("more nodes, no NVML", "init", "no-device", "",
        lambda r: r.node("nvidia1").env(CUDA_VISIBLE_DEVICES="1"), "cuInit=100", "nvmlInit_v2=999"),
    Row("node that is a file", "devnodes", "node-not-device", "load the driver on the host",
        lambda r: r.node("nvidia0", kind="f", opens="-"), "cuInit=100"),
]  # fmt: skip

EIGHT = "count=7;skip=3", "count=8"
THIRD = "GPU-03040506-0708-090a-0b0c-0d0e0f101112"


def seven(name, warns, nvml="", make=lambda root: root, script=EIGHT[0]):
    return Pass(name, make, script, ";".join(filter(None, [EIGHT[1], nvml])), warns)


PASSES = [
    seven("one of eight", f"NVML has 8, CUDA 7: not NVML's number 3, {THIRD}, lost or in error"),
    seven("one of eight, lost", "not NVML's number 3, GPU is lost",
          "nvmlDeviceGetHandleByIndex_v2@4=15"),
    seven("one of eight has MIG on", f"number 3, {THIRD}, MIG is on there", "mig@3=1"),
    seven("one of eight is prohibited", f"{THIRD}, its compute mode is prohibited",
          "compute_mode=2"),
    seven("two of eight", f"number 3, {THIRD}, lost or in error", script="count=6;skip=3"),
    seven("list that ends early", "CUDA_VISIBLE_DEVICES ends early, 'GPU-ff' is no device",
          make=devices(f"{UUID},GPU-ff,{SECOND}"), script="count=1"),
    seven("CUDA_VISIBLE_DEVICES leaves seven", "", make=devices("0,1,2,4,5,6,7")),
    seven("CUDA_VISIBLE_DEVICES promises more", f"number 3, {THIRD}",
          make=devices("0,1,2,3,4,5,6,7")),
    Pass("CUDA sees more than NVML", script="count=2"),
]  # fmt: skip


def made(row, root):
    return row.make(root.healthy_container() if row.container else root.healthy())


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_seen_row_has_its_layer_cause_and_fix(row, root, smoke):
    report = smoke(*row.args, root=made(row, root), script=row.script, nvml=row.nvml)
    assert (report.finding["layer"], report.cause) == (row.layer, row.cause)
    assert report.code == EXITS[row.layer]
    assert row.fix in report.finding["fix"] and row.shows in report.evidence
    states = list(report.states.values())
    assert set(states[states.index("broken") + 1 :]) <= {"not-reached"}


@pytest.mark.parametrize("row", PASSES, ids=[row.name for row in PASSES])
@pytest.mark.parametrize("words", [[], ["--redact"]], ids=["whole", "redacted"])
def test_seen_pass_is_warned_of_and_is_the_same_in_a_capture(words, row, root, doctor, tmp_path):
    first, again = captured(doctor, tmp_path / "a.tar", made(row, root), row, *words)
    assert first == again and (first["exit"], first["finding"]) == (0, None)
    warnings = "\n".join(first["warnings"])
    assert (row.warns if not words else row.warns.split("GPU-")[0]) in warnings
    assert row.warns or not warnings


def test_fewer_gpus_than_promised_names_the_one_that_is_missing(healthy, smoke, tmp_path):
    (tmp_path / "expect").write_text("gpus: 8\n")
    report = smoke("--expect", tmp_path / "expect", root=healthy, script=EIGHT[0], nvml=EIGHT[1])
    assert (report.code, report.cause) == (10, "fewer-gpus")
    assert "8 promised, CUDA sees 7" in report.evidence and THIRD in report.evidence


def captured(doctor, file, root, row, *words):
    """The report of the machine, and that of its capture."""
    words = (*words, *getattr(row, "args", ()))
    first = doctor("--capture", file, *words, root=root, script=row.script, nvml=row.nvml).json
    shutil.rmtree(root.path)
    return first, doctor("--root", file, *words).json


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=row.name, marks=[pytest.mark.full] if i % 3 else [])
            for i, row in enumerate(ROWS)]
)  # fmt: skip
@pytest.mark.parametrize("words", [[], ["--redact"]], ids=["whole", "redacted"])
def test_seen_row_is_the_same_in_a_capture(words, row, root, doctor, tmp_path):
    first, again = captured(doctor, tmp_path / "a.tar", made(row, root), row, *words)
    assert first == again and first["finding"]["cause"] == row.cause


# ------------------------------------------------------------------ alive, in a namespace


def alone(program, *commands, words=""):
    """Runs the program as root of a namespace, after the commands."""
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("no namespaces here")
    script = "\n".join(["set -e", *commands, f'exec "{program}" --json {words}'])
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", script], capture_output=True, text=True, check=False
    )
    return Report(done.returncode, done.stdout, done.stderr)


def test_node_that_is_a_file_is_seen_alive_and_as_root(program):
    report = alone(program, "mount -t tmpfs none /dev", ": >/dev/nvidia0")
    assert (report.code, report.cause) == (11, "node-not-device")
    assert "/dev/nvidia0: mode 0644, open: no device" in report.evidence


def test_nvml_that_hangs_ends_within_the_time_limit(healthy, smoke):
    start = time.monotonic()
    report = smoke("--timeout", "2", root=healthy, nvml="nvmlInit_v2=hang")
    assert time.monotonic() - start < 4
    assert report.code == 0 and "hung in stage nvml" in str(report.json["warnings"])


# ------------------------------------------------------------------ where nothing can be looked at


def test_nothing_that_can_be_read_is_not_no_gpu(program):
    hide = [f"mount -t tmpfs none {place}" for place in ("/sys", "/dev", "/proc")]
    report = alone(program, *hide)
    assert (report.code, report.cause) == (77, "could-not-look")
    assert "/sys is not readable" in report.evidence and "/proc is not" in report.evidence
    assert alone(program, *hide, words="--require-gpu").code == 10


@pytest.mark.parametrize("gone", ["sys", "proc"])
def test_half_a_look_says_what_was_not_readable(gone, root, smoke):
    root.file("/sys/bus/pci/drivers/x", "").file("/proc/1/comm", "bash\n").remove(f"/{gone}")
    report = smoke(root=root)
    assert (report.code, report.cause) == (77, "no-gpu")
    assert f"/{gone} is not readable here" in report.evidence


def test_capture_of_nothing_says_so_too(root, doctor, tmp_path):
    first = doctor("--capture", tmp_path / "a.tar", root=root)
    again = doctor("--root", tmp_path / "a.tar")
    assert (first.code, first.cause) == (77, "could-not-look")
    assert first.json == again.json and "not known" in first.json["layers"][0]["detail"]
    assert doctor("--require-gpu", root=root).code == 10
