"""What was to be seen on the machine and went unsaid: each with its cause, and in a capture too."""

import bz2
import gzip
import lzma
import re
import resource
import shutil
import signal
import subprocess

import pytest
import yaml

from .root import LIB, Report
from .rows import EXITS, Pass, Row, compat
from .test_doctor import BINARY, DAMAGED, Doctor, header
from .workshop import SOURCE, TOP

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
            root.node("nvidia-caps/nvidia-cap11")
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

HOOK = "/usr/local/vgpu/libvgpu.so"
STUB = "/usr/local/cuda/lib64/stubs/libcuda.so"


def preload(*names, kind="empty", path=None, file=False):
    """LD_PRELOAD, or the file that has the same for every program."""

    def make(root):
        for name in names if kind else []:
            root.library(path or name, kind)
        if file:
            return root.file("/etc/ld.so.preload", "# ours\n" + "\n".join(names) + " # x\n")
        return root.env(LD_PRELOAD=":".join(names))

    return make


def older_compat(root):
    return compat("535.183.01")(root.module("580.95.05"))


ROWS += [
    Row("stub is preloaded", "libcuda", "preload-driver", "take it out", preload(STUB, kind="cuda"),
        "cuInit=34", shows=f"LD_PRELOAD names {STUB}: a stub"),
    Row("another version is preloaded", "libcuda", "preload-driver", "take it out",
        preload("/opt/libcuda.so.535.54.03", kind="cuda", file=True), "cuInit=803",
        shows="/etc/ld.so.preload names /opt/libcuda.so.535.54.03: not of the kernel"),
    Row("compat is older than the driver", "init", "compat-older", "take the compat folder off",
        older_compat, "cuInit=803", shows="compat/libcuda.so.535.183.01"),
]  # fmt: skip
PASSES += [
    Pass("hook", preload(HOOK), warns=f"LD_PRELOAD names {HOOK}: a hook"),
    Pass("hook for all", preload(HOOK, file=True), warns=f"/etc/ld.so.preload names {HOOK}: a"),
    Pass("hook by its name", preload("libvgpu.so", path=f"{LIB}/libvgpu.so"), warns=": a hook"),
    Pass("hook that is not there", preload(HOOK, kind=""), warns=f"{HOOK}: not there"),
    Pass("hook that is a folder", preload(HOOK, kind="directory", file=True),
         warns=f"{HOOK}: is-directory"),
    Pass("libcuda that is not there", preload("libcuda.so.2", kind=""), warns="2: not there"),
    Pass("driver's own libcuda is preloaded", preload(f"{LIB}/libcuda.so.1", kind="")),
    Pass("other libraries are preloaded",
         preload("libjemalloc.so.2", "/usr/$LIB/libvgpu.so", kind="")),
    Pass("hook before another", preload("libtcmalloc.so", HOOK), warns=f"{HOOK}: a hook"),
    Pass("compat that is older works", older_compat, warns="older than the host's own driver"),
]  # fmt: skip

DEMANDS = "cuda>=13.0 brand=unknown,driver>=535,driver<536 brand=tesla,driver>=550,driver<551"


def demands(value, module="570.86.15", **env):
    def make(root):
        root.module(module).no_driver_library().driver_library(module)
        return root.env(NVIDIA_REQUIRE_CUDA=value, **env)

    return make


def pod(**env):
    return lambda root: root.env(KUBERNETES_SERVICE_HOST="10.0.0.1", **env)


def gate(name, value, module="570.86.15"):
    """The driver is too old for the image: foretold where nothing ran, or CUDA says so."""
    return Row(name, "inject", "image-gate", "newer driver", demands(value, module), "cuInit=35",
               shows=f"driver {module}", container=True)  # fmt: skip


def met(name, value, module="570.86.15"):
    return Pass(name, demands(value, module), container=True)


ROWS += [
    gate("image demands a newer CUDA", "cuda>=12.9"),
    gate("image demands another branch", DEMANDS),
    gate("image demands an older driver", "driver<570"),
    gate("image demands two things", "cuda>=12.8,driver>=570.100"),
    gate("image demands another one", "cuda!=12.8"),
    gate("image demands one alone", "cuda=12.9 cuda<12.8 cuda>12.8 cuda<=12.7"),
    Row("JIT is off", "jit", "jit-disabled", "unset it",
        lambda r: r.env(CUDA_DISABLE_PTX_JIT="1"), "cuModuleLoadDataEx=223",
        shows="CUDA_DISABLE_PTX_JIT=1"),
    Row("MPS limits the memory", "exec", "out-of-memory", "",
        lambda r: r.env(CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="0=1M"), "cuMemAlloc_v2=2;mps=1",
        shows="CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=1M"),
]  # fmt: skip
PASSES += [
    met("image demands what is there", "cuda>=12.8"),
    met("image demands nothing", ""),
    met("image demands an older CUDA", "cuda>=9.0 brand=x"),
    met("image may run on this branch", DEMANDS, "550.90.07"),
    met("image demands what nobody can tell", "cuda>=13.0,color=red brand=tesla arch>=7.0"),
    met("driver that nobody knows yet", "cuda>=14.1", "700.10.01"),
    met("driver newer than all branches' demands", "cuda>=12.9 driver>=570.86,driver<571"),
    Pass("image demands more, and works", demands("cuda>=12.9"), container=True,
         warns="the image demands cuda>=12.9"),
    Pass("image's demand is switched off", demands("cuda>=12.9", NVIDIA_DISABLE_REQUIRE="1"),
         container=True, warns="the image demands cuda>=12.9"),
    Pass("PTX is off", lambda r: r.env(CUDA_DISABLE_PTX_JIT="1"), warns="CUDA_DISABLE_PTX_JIT=1"),
    Pass("PTX is not off", lambda r: r.env(CUDA_DISABLE_PTX_JIT="0")),
    Pass("order that CUDA does not know", lambda r: r.env(CUDA_DEVICE_ORDER="PCI_BUS"),
         warns="CUDA_DEVICE_ORDER=PCI_BUS; CUDA knows: FASTEST_FIRST PCI_BUS_ID"),
    Pass("loading that CUDA does not know", lambda r: r.env(CUDA_MODULE_LOADING="NEVER"),
         warns="CUDA_MODULE_LOADING=NEVER; CUDA knows: LAZY EAGER"),
    Pass("values that CUDA knows",
         lambda r: r.env(CUDA_DEVICE_ORDER="PCI_BUS_ID", CUDA_MODULE_LOADING="LAZY")),
    Pass("limit of MPS without MPS", lambda r: r.env(CUDA_MPS_PINNED_DEVICE_MEM_LIMIT="0=1G"),
         warns="CUDA_MPS_PINNED_DEVICE_MEM_LIMIT=0=1G"),
    Pass("part of MPS without MPS", lambda r: r.env(CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="25"),
         warns="CUDA_MPS_ACTIVE_THREAD_PERCENTAGE=25"),
    Pass("part of MPS", lambda r: r.env(CUDA_MPS_ACTIVE_THREAD_PERCENTAGE="25"), "mps=1"),
    Pass("pod that was allocated nothing", pod(), container=True,
         warns="NVIDIA_VISIBLE_DEVICES=all, no list of a device plugin: all 1 GPU of the node"),
    Pass("pod with an allocation", pod(NVIDIA_VISIBLE_DEVICES=UUID), container=True),
    Pass("pod with mounts for an allocation", container=True,
         make=lambda r: pod()(r).file("/var/run/nvidia-container-devices/0", "")),
    Pass("pod with one of two", lambda r: pod()(r).gpu(address="0000:02:00.0"), container=True),
    Pass("pod on GKE", container=True,
         make=lambda r: pod()(r).no_driver_library()
         .driver_library(folder="/usr/local/nvidia/lib64")
         .env(LD_LIBRARY_PATH="/usr/local/nvidia/lib64")),
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


def quick(rows, each):
    """What is the same code for every row: some are quick to see."""
    return [
        pytest.param(row, id=row.name, marks=[pytest.mark.full] if i % each else [])
        for i, row in enumerate(rows)
    ]


@pytest.mark.turns(8)
@pytest.mark.parametrize("row", PASSES, ids=[row.name for row in PASSES])
def test_seen_pass_is_warned_of(row, root, smoke):
    report = smoke(root=made(row, root), script=row.script, nvml=row.nvml)
    warnings = "\n".join(report.json["warnings"])
    assert (report.code, report.finding) == (0, None)
    assert row.warns in warnings and bool(row.warns) == bool(warnings)


@pytest.mark.turns(24)
@pytest.mark.parametrize("words", [[], ["--redact"]], ids=["whole", "redacted"])
@pytest.mark.parametrize("row", quick(PASSES, 8))
def test_seen_pass_is_the_same_in_a_capture(words, row, root, doctor, tmp_path):
    first, again = captured(doctor, tmp_path / "a.tar", made(row, root), row, *words)
    assert first == again and (first["exit"], first["finding"]) == (0, None)
    assert row.warns.split("GPU-")[0] in "\n".join(first["warnings"])


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


@pytest.mark.turns(24)
@pytest.mark.parametrize("row", quick(ROWS, 8))
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
    report = smoke("--timeout", "8", root=healthy, nvml="nvmlInit_v2=hang")
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


# ------------------------------------------------------------------ captures that are packed


def packed(path, content):
    path.write_bytes(gzip.compress(content))
    return path


@pytest.mark.parametrize("name", ["a.tar.gz", "a.tgz"])
def test_capture_is_packed_by_its_name_and_read_by_what_it_begins_with(
    name, healthy, doctor, tmp_path
):
    plain, file, other = tmp_path / "a.tar", tmp_path / name, tmp_path / "capture"
    first = doctor("--capture", plain, root=healthy, script="cuInit=803")
    doctor("--capture", file, root=healthy, script="cuInit=803")
    content = plain.read_bytes()
    assert gzip.decompress(file.read_bytes()) == content
    file.rename(other)
    assert doctor("--root", other).json == first.json
    other.write_bytes(gzip.compress(content[:700]) + gzip.compress(content[700:]) + b"\0" * 20)
    assert doctor("--root", other).json == first.json, "members follow each other"


def test_packed_capture_is_written_whole_or_not_at_all(healthy, doctor, tmp_path):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    (tmp_path / "out").mkdir()
    command = [BINARY, "doctor", "--root", healthy.path, "--capture", "out/a.tar.gz"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, preexec_fn=limit
    )
    assert done.returncode == 1 and "cannot write 'out/a.tar.gz'" in done.stderr
    assert not list((tmp_path / "out").iterdir())


ENDLESS = DAMAGED["lists without end"]
BOMBS = {
    "lists without end": lambda: ENDLESS[:512] + (b"\0" * 504 + b"\1" + b"\0" * 7) * 700_000,
    "zeros behind the end": lambda: b"\0" * (330 << 20),
    "one file": lambda: header(size=b"%011o" % (300 << 20)) + b"\0" * (300 << 20),
}


@pytest.mark.parametrize(
    "what", [pytest.param("zeros behind the end"), *(pytest.param(name, marks=pytest.mark.full)
             for name in BOMBS if name != "zeros behind the end")]
)  # fmt: skip
def test_packed_bomb_is_refused(what, doctor, tmp_path):
    file = tmp_path / "bomb"
    file.write_bytes(gzip.compress(BOMBS[what](), 1))
    assert file.stat().st_size < 4 << 20
    report = doctor("--root", file, env={"TMPDIR": str(tmp_path)})
    assert (report.code, report.json["error"]["code"]) == (2, "invalid")
    assert "holds too much" in report.json["error"]["message"]
    assert not list(tmp_path.glob("tmplgen-doctor-*"))


@pytest.mark.parametrize("what", DAMAGED)
def test_damaged_tar_is_refused_packed_too(what, doctor, tmp_path):
    report = doctor("--root", packed(tmp_path / "a", DAMAGED[what]))
    assert (report.code, report.json["error"]["code"]) == (2, "invalid")


@pytest.mark.parametrize(
    "damage,says",
    [(lambda b: b[:40], "is a gzip file that is cut short"),
     (lambda b: b[:-1], "is a gzip file that is cut short"),
     (lambda b: b[:2], "is a gzip file that is cut short"),
     (lambda b: b[:-8] + b"....." + b[-3:], "is a damaged gzip file"),
     (lambda b: b[:60] + b"\xff" * 40 + b[100:], "is a damaged gzip file"),
     (lambda b: lzma.compress(b), "is compressed with xz"),
     (lambda b: bz2.compress(b), "is compressed with bzip2"),
     (lambda b: b"\x28\xb5\x2f\xfd" + b, "is compressed with zstd"),
     (lambda b: b"PK\3\4" + b, "is a zip archive")],
)  # fmt: skip
def test_what_is_wrong_with_a_packed_capture_is_said(damage, says, healthy, doctor, tmp_path):
    file = tmp_path / "a.tar.gz"
    doctor("--capture", file, root=healthy)
    file.write_bytes(damage(file.read_bytes()))
    report = doctor("--root", file, env={"TMPDIR": str(tmp_path)})
    assert (report.code, report.json["error"]["code"]) == (2, "invalid")
    assert says in report.json["error"]["message"]
    assert not list(tmp_path.glob("tmplgen-doctor-*"))


def test_gpu_smoke_says_what_to_do_with_a_file(smoke, tmp_path):
    report = smoke("--root", packed(tmp_path / "a.tar.gz", b"x"))
    assert (report.code, report.json["error"]["message"]) == (2, "the root is a file")
    assert "tar -xf" in report.err and "tmplgen doctor --root" in report.err


# ------------------------------------------------------------------ promises, and the start


@pytest.mark.parametrize("count,warns", [(1, False), (8, True)])
def test_more_gpus_than_promised_are_warned_of(count, warns, healthy, smoke, tmp_path):
    (tmp_path / "expect").write_text("gpus: 1\n")
    report = smoke("--expect", tmp_path / "expect", root=healthy, script=f"count={count}",
                   nvml=f"count={count}")  # fmt: skip
    assert report.code == 0
    assert ("1 promised, CUDA sees 8" in str(report.json["warnings"])) == warns


def test_table_of_branches_is_that_of_the_matrix():
    table = SOURCE.read_text().split("} branches[] = {")[1].split("};")[0]
    mine = dict(re.findall(r'\{(\d+), "([\d.]+)"\}', table))
    rows = yaml.safe_load((TOP / "matrices/drivers.yml").read_text())["branches"]
    theirs = {str(row["branch"]): str(row["cuda"]) for row in rows}
    assert {branch: mine.get(branch) for branch in theirs} == theirs


STARTED = ["stage load 0", "loaded /x/libcuda.so.1", "driver_cuda 13000", "stage init 0"]


@pytest.mark.parametrize("ms,seconds,warns", [(8240, 8.2, True), (4900, 4.9, False)])
def test_driver_that_starts_slowly_is_warned_of(ms, seconds, warns, healthy, smoke):
    healthy.recorded([*STARTED, f"init_ms {ms}", "count 1", "number 0 proven 1", "done"])
    document = smoke(root=healthy).json
    assert (document["exit"], document["init_seconds"]) == (0, seconds)
    assert (f"cuInit took {seconds} s" in str(document["warnings"])) == warns
    assert not warns or "takes long to start" in document["warnings"][0]


def test_report_says_how_little_was_tested_and_how_long_the_start_took(healthy, smoke):
    said = " ".join(smoke(root=healthy, json=False).out.split())
    words = r"note 4 of 16 MiB tested \(--level medium: a quarter\); cuInit took \d+\.\d s"
    assert re.search(rf"all layers work {words}$", said)
    assert "note" not in smoke(root=healthy, json=False, script="cuInit=803").out


def test_gate_of_the_image_is_foretold_where_nothing_ran(root, smoke):
    demands("cuda>=12.9")(root.healthy_container()).loads = False
    assert (smoke(root=root).code, smoke(root=root).cause) == (12, "image-gate")
    root.env(NVIDIA_DISABLE_REQUIRE="true")
    report = smoke(root=root)
    assert report.code == 0 and "the image demands cuda>=12.9" in report.json["warnings"][0]


def test_report_of_a_long_test_says_nothing_of_that(healthy, smoke):
    lines = ["count 1", "number 0 memory 1000000000", "number 0 memory_checked 900000000", "done"]
    healthy.recorded([*STARTED, *lines])
    out = smoke(root=healthy, json=False).out
    assert "all layers work" in out and "note" not in out
