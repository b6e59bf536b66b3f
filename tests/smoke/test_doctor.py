"""`tmplgen doctor`: gpu-smoke's report, what the matrix says of the machine, and captures."""

import io
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import tarfile
import time
from pathlib import Path

import pytest

from .root import DRIVER, LIB, Root, Runner
from .rows import PASSES, ROWS, no_gpu, wheel
from .workshop import SOURCE, TOP

BINARY = Path(os.environ.get("TMPLGEN", TOP / "build" / "tmplgen")).resolve()
BOTH = [*ROWS, *PASSES]
NAMES = [row.name for row in BOTH]
# What is the same code for every row: each eighth one is quick to see.
SOME = [
    pytest.param(row, id=row.name, marks=[pytest.mark.full] if i % 8 else [])
    for i, row in enumerate(BOTH)
]
T4 = "driver=12020;cc=7.5;name=Tesla T4"


class Doctor(Runner):
    """The same runs with the program that has gpu-smoke built in."""

    def __init__(self, folder):
        super().__init__(BINARY, folder)
        self.home = folder / "home"
        self.home.mkdir()

    def __call__(self, *args, **more):
        env = {"HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1", **(more.pop("env", None) or {})}
        return super().__call__("doctor", *args, env=env, **more)


@pytest.fixture
def doctor(tmp_path):
    if not BINARY.exists():
        pytest.skip(f"no {BINARY}: make")
    return Doctor(tmp_path)


def made(row, root):
    return row.make(root.healthy_container() if row.container else root.healthy())


def more_of(row):
    return {"script": row.script, "nvml": row.nvml, "env": getattr(row, "env", {})}


def driver(root, version):
    root.module(version)
    return root.no_driver_library().driver_library(version)


# ------------------------------------------------------------------ the report


@pytest.mark.turns(24)
@pytest.mark.parametrize("row", SOME)
def test_report_is_that_of_gpu_smoke(row, root, doctor, smoke):
    args = getattr(row, "args", ())
    machine = made(row, root)
    mine = doctor(*args, root=machine, **more_of(row))
    document = mine.json
    matrix, child = document.pop("matrix"), document.pop("child")
    other = smoke(*args, root=machine, **more_of(row)).json
    for each in (document, other):  # what is measured is never the same twice
        del each["init_seconds"]
        for gpu in each["gpus"]:
            del gpu["to_gpu_gb_s"], gpu["from_gpu_gb_s"]
        for layer in each["layers"]:
            layer["detail"] = re.sub(r"host .* from it", "", layer["detail"])
    assert document == other
    assert child is None and matrix["rows"] > matrix["runs"] > 0


@pytest.mark.turns(24)
@pytest.mark.parametrize("row", SOME)
def test_human_report_fits_a_screen(row, root, doctor):
    report = doctor(*getattr(row, "args", ()), root=made(row, root), json=False, **more_of(row))
    lines = report.out.replace(str(root.path), "").splitlines()
    words = [line for line in lines if " /" not in line]  # paths are not broken
    assert len(lines) <= 24 and max(map(len, words)) <= 80, report.out


def test_human_report_says_rows_images_and_newer_drivers(healthy, doctor):
    report = doctor(root=driver(healthy, "535.183.01"), script=T4, json=False)
    assert report.code == 0
    assert "matrix driver 535.183.01, T4: " in report.out
    assert re.search(r"^image  nvidia/cuda:\S+: \w", report.out, re.M)
    assert re.search(
        r"^newer  driver 5\d\d \(CUDA 1\d\.\d\) opens \d+ builds more", report.out, re.M
    )


def test_no_gpu_has_no_matrix(root, doctor):
    no_gpu(root.healthy())
    report = doctor(root=root, script="cuInit=100")
    assert (report.code, report.json["matrix"]) == (77, None)
    assert doctor("--require-gpu", root=root, script="cuInit=100").code == 10


def test_driver_that_is_not_loaded_has_no_matrix(root, doctor):
    no_gpu(root.healthy()).gpu(driver="")
    report = doctor(root=root, script="cuInit=100", nvml="nvmlInit_v2=9")
    assert (report.cause, report.json["matrix"]) == ("driver-not-loaded", None)
    report = doctor(root=root.remove("/sys").node("dxg"))
    assert report.json["matrix"]["request"]["driver"] == DRIVER, "of NVML, as under WSL"


def test_options_that_gpu_smoke_has_are_there(doctor):
    table = SOURCE.read_text().split("option_table[] = {")[1].split("#undef FIELD")[0]
    options = set(re.findall(r'\{"(--[a-z-]+)"', table)) - {"--version"}
    shown = doctor("--help", json=False).out
    assert options < set(re.findall(r"--[a-z-]+", shown))


@pytest.mark.parametrize(
    "words",
    [["--level", "deep"], ["--timeout", "0"], ["--share", "x"], ["--root", "/nowhere"],
     ["--expect", "/nowhere"], ["--nope"], ["extra"],
     ["--explain", "803", "--capture", "x.tar"]],
)  # fmt: skip
def test_wrong_usage_is_an_error_of_tmplgen(words, doctor):
    report = doctor(*words)
    assert report.code == 2 and report.json["error"]["code"] == "usage"
    assert report.json["error"]["message"] in doctor(*words, json=False).err


def test_explaining_is_the_same(doctor, explainer):
    for text in ("803", "Xid 79", "libcuda.so.1: file too short"):
        for json_wanted in (True, False):
            mine = doctor("--explain", text, json=json_wanted)
            other = explainer("--explain", text, json=json_wanted)
            assert mine.json == other.json if json_wanted else mine.out == other.out
    assert doctor("--explain", "4711").json["causes"] == []


def test_a_log_is_explained_from_a_file_and_from_standard_input(doctor, tmp_path):
    log = tmp_path / "log"
    log.write_text("step 1\nNVRM: Xid (PCI:0000:3b:00): 79, GPU has fallen off the bus.\n")
    document = doctor("--explain", f"@{log}").json
    assert [(c["cause"], c["line"]) for c in document["causes"]] == [("gpu-off-bus", 2)]
    command = [BINARY, "doctor", "--json", "--explain", "-"]
    with log.open() as stdin:
        done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)
    assert json.loads(done.stdout) == document
    assert doctor("--explain", f"@{tmp_path}/none").code == 2


def test_junit_and_expect_are_handed_on(healthy, doctor, tmp_path):
    expect = tmp_path / "expect"
    expect.write_text("gpus: 2\n")
    report = doctor("--junit", tmp_path / "j.xml", "--expect", expect, root=healthy)
    assert (report.code, report.cause) == (10, "fewer-gpus")
    assert "fewer-gpus" in (tmp_path / "j.xml").read_text()


@pytest.mark.full
def test_share_is_handed_on(healthy, doctor):
    assert doctor("--share", "2", root=healthy).json["share"]["processes"] == 2


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_it_and_its_children(number, healthy, doctor, tmp_path):
    words = [BINARY, "doctor", "--root", healthy.path, "--load", "--capture", tmp_path / "a.tar"]
    env = {"HOME": str(doctor.home), "FAKE_CUDA": "cuInit=hang"}
    with subprocess.Popen(words, env=env, stdout=subprocess.DEVNULL) as run:
        children = Path(f"/proc/{run.pid}/task/{run.pid}/children")
        deadline = time.monotonic() + 20
        while not (child := children.read_text().split()) and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.1)
        run.send_signal(number)
        assert run.wait(20) == 128 + number
    deadline = time.monotonic() + 5
    while Path(f"/proc/{child[0]}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{child[0]}").exists()
    assert not list(tmp_path.glob("a.tar*"))


# ------------------------------------------------------------------ the matrix


def resolve(folder, home, *words):
    done = subprocess.run(
        [BINARY, "matrix", "resolve", *words, "--json"],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize(
    "version,script,gpu",
    [("535.183.01", T4, "T4"), (DRIVER, "name=NVIDIA H100 80GB HBM3;cc=9.0", "H100"),
     ("570.86.10", "name=NVIDIA A100-SXM4-40GB;cc=8.0", "A100"),
     ("580.65.06", "name=NVIDIA RTX 5090;cc=12.0", "RTX 5090"),
     ("550.54.14", "name=Some card of tomorrow;cc=8.9", "sm_89")],
)  # fmt: skip
def test_stacks_are_those_of_the_resolver(version, script, gpu, healthy, doctor, tmp_path):
    report = doctor(root=driver(healthy, version), script=script)
    matrix = report.json["matrix"]
    assert matrix["request"] == {"driver": version, "gpu": [gpu], "arch": "x86_64"}
    assert len(matrix["frameworks"]) >= 6
    for row in matrix["frameworks"]:
        words = ["--framework", row["framework"], "--driver", version, "--gpu", gpu]
        want = resolve(tmp_path, doctor.home, *words)
        assert row["resolution"] == want.get("resolution")
        assert (row["because"] is None) == (want["exit"] == 0)
        runs = row["runs"] + row["forward"]
        assert (runs > 0) == (want["exit"] == 0) and runs <= row["rows"]
    own = [row for row in matrix["frameworks"] if row["framework"] != "transformers"]
    assert matrix["runs"] == sum(row["runs"] for row in own), "PyTorch's builds count once"
    wanted = {row["image"] for row in matrix["frameworks"]} - {None}
    assert {image["image"] for image in matrix["images"]} == wanted


def test_newer_drivers_open_what_the_resolver_says(healthy, doctor, tmp_path):
    report = doctor(root=driver(healthy, "470.82.01"), script="driver=11040;name=Tesla T4;cc=7.5")
    newer = report.json["matrix"]["newer_drivers"]
    assert newer and newer[0]["more_rows"] > 0
    best = {}
    for branch in newer:
        for row in branch["opens"]:
            words = ["--framework", row["framework"], "--driver", branch["driver"], "--gpu", "T4"]
            framework = resolve(tmp_path, doctor.home, *words)["resolution"]["framework"]
            assert framework["version"] == row["version"]
            assert best.get(row["framework"]) != (row["version"], row["variant"])
            best[row["framework"]] = (row["version"], row["variant"])


def test_driver_that_dropped_the_gpu_is_not_offered(healthy, doctor):
    report = doctor(root=driver(healthy, "535.183.01"), script="name=Tesla V100-SXM2-16GB;cc=7.0")
    newer = report.json["matrix"]["newer_drivers"]
    assert {int(branch["driver"]) for branch in newer} <= {580}


def test_models_are_known_where_cuda_does_not_start(healthy, doctor):
    healthy.file(
        "/proc/driver/nvidia/gpus/0000:01:00.0/information",
        "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   24\nGPU UUID: \t GPU-1\n",
    )
    report = doctor(root=healthy, script="cuInit=999")
    assert report.code == 14
    assert report.json["matrix"]["request"]["gpu"] == ["A100"]


def test_gpu_that_nobody_knows_is_named(healthy, doctor):
    report = doctor(root=healthy, script="name=NVIDIA Q1;cc=99.9")
    assert report.json["matrix"]["unknown_gpus"] == ["NVIDIA Q1"]


def test_overlay_of_this_folder_counts(healthy, doctor, tmp_path):
    (tmp_path / ".tmplgen-matrix.yml").write_text(
        "gpus:\n  gpus:\n  - {gpu: Q1, cc: 9.0, class: datacenter}\n"
    )
    report = doctor(root=healthy, script="name=NVIDIA Q1;cc=9.0")
    assert report.json["matrix"]["request"]["gpu"] == ["Q1"]
    assert "go before the catalog's" in report.err


# ------------------------------------------------------------------ a child


@pytest.fixture
def child(doctor, tmp_path):
    """A service for a driver of CUDA 12.6, in which the doctor then runs."""
    done = subprocess.run(
        [BINARY, "new", "child", "--type", "service", "--framework", "pytorch==2.9.1",
         "--variant", "cu126", "--no-git"],
        cwd=tmp_path, env={"PATH": os.environ["PATH"], "HOME": str(doctor.home)},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    doctor.folder = tmp_path / "child"
    return doctor


@pytest.mark.parametrize(
    "version,script,runs,relies",
    [("560.35.03", "name=Tesla T4;cc=7.5", True, "native"),
     ("535.183.01", "name=Tesla T4;cc=7.5", True, "minor-version"),
     ("470.82.01", "name=Tesla T4;cc=7.5", False, None),
     (DRIVER, "name=NVIDIA B200;cc=10.0", False, None)],
)  # fmt: skip
def test_child_is_told_whether_it_runs_here(version, script, runs, relies, healthy, child):
    report = child(root=driver(healthy, version), script=script)
    told = report.json["child"]
    assert (told["runs"], told["relies_on"]) == (runs, relies)
    assert told["framework"] == {"name": "pytorch", "version": "2.9.1"}
    assert bool(told["because"]) == (not runs)
    words = child(root=healthy, script=script, json=False).out
    assert f"child  pytorch 2.9.1 cu126 {'runs' if runs else 'does not run'} on this" in words


def test_child_without_a_driver_cannot_be_judged(root, child):
    no_gpu(root.healthy())
    report = child(root=root, script="cuInit=100")
    assert report.code == 77
    assert report.json["child"]["runs"] is None and report.json["child"]["because"]


def test_broken_record_does_not_hold_up_the_report(healthy, child):
    (child.folder / ".tmplgen.yml").write_text("schema: 1\n")
    report = child(root=healthy)
    assert (report.code, report.json["child"]) == (0, None)
    assert report.json["matrix"] and "matrix is here: .tmplgen.yml: " in report.err
    assert ".tmplgen.yml: " in report.json["warnings"][-1]


def test_catalog_that_is_named_must_be_there(healthy, doctor):
    report = doctor("--catalog", "/nowhere", root=healthy)
    assert report.code in {1, 2, 3} and report.json["error"]
    report = doctor("--overlay", "/nowhere", root=healthy)
    assert (report.code, report.json["error"]["code"]) == (1, "io")


def test_libraries_of_a_tar_are_not_loaded(healthy, doctor, tmp_path):
    doctor("--capture", tmp_path / "a.tar", root=healthy)
    report = doctor("--root", tmp_path / "a.tar", "--load")
    assert (report.code, report.json["error"]["code"]) == (2, "usage")


# ------------------------------------------------------------------ captures


@pytest.mark.turns(10)
@pytest.mark.parametrize("row", BOTH, ids=NAMES)
def test_capture_is_diagnosed_like_the_machine(row, root, doctor, tmp_path):
    args, file = getattr(row, "args", ()), tmp_path / "capture.tar"
    first = doctor("--capture", file, *args, root=made(row, root), **more_of(row))
    shutil.rmtree(root.path)
    again = doctor("--root", file, *args)
    assert (first.code, first.json) == (again.code, again.json)
    assert first.code == getattr(row, "exit", 0)


@pytest.mark.parametrize(
    "script", ["", "cuInit=803", "cuInit=segv", "cuInit=print;cuDeviceGet=999"]
)
def test_capture_of_this_machine_is_diagnosed_like_it(script, doctor, workshop, tmp_path):
    """Alive: with fake libraries on the loader's path, on whatever this machine is."""
    folder = tmp_path / "lib"
    folder.mkdir()
    for name, kind in (("libcuda.so.1", "cuda"), ("libnvidia-ml.so.1", "nvml")):
        shutil.copy(workshop.library(kind), folder / name)
    (folder / "libcuda.so").symlink_to("libcuda.so.1")
    file = tmp_path / "capture.tar"
    env = {"LD_LIBRARY_PATH": str(folder), "CUDA_VISIBLE_DEVICES": "0"}
    first = doctor("--capture", file, script=script, env=env)
    assert first.code in {0, 14}
    assert str(folder / "libcuda.so.1") in [row["path"] for row in first.json["libraries"]]
    shutil.rmtree(folder)
    again = doctor("--root", file)
    assert (first.code, first.json) == (again.code, again.json)


def test_capture_of_a_capture_is_the_same(healthy, doctor, tmp_path):
    doctor("--capture", tmp_path / "a.tar", root=healthy, script="cuInit=802")
    doctor("--root", tmp_path / "a.tar", "--capture", tmp_path / "b.tar")
    assert doctor("--root", tmp_path / "b.tar").json == doctor("--root", tmp_path / "a.tar").json


@pytest.mark.parametrize("tool", ["tar", "tarfile"])
def test_capture_is_a_plain_tar(tool, healthy, doctor, smoke, tmp_path):
    """Unpacked by others it is a folder that gpu-smoke by itself reads to the same report."""
    wheel()(healthy)
    first = doctor("--capture", tmp_path / "a.tar", root=healthy, script="cc=12.0")
    folder = tmp_path / "unpacked"
    folder.mkdir()
    if tool == "tar":
        subprocess.run(["tar", "-C", folder, "-xf", tmp_path / "a.tar"], check=True)
    else:
        with tarfile.open(tmp_path / "a.tar") as archive:
            # Debian 12's Python has no argument for it: links out of the folder are what we packed.
            archive.extraction_filter = lambda member, _: member
            archive.extractall(folder)
    again = smoke("--root", folder)
    document = first.json
    del document["matrix"], document["child"]
    assert (document["exit"], document) == (19, again.json)


def test_capture_of_a_library_is_small_and_keeps_its_size(healthy, doctor, tmp_path):
    path = healthy.path / f"{LIB.lstrip('/')}/libcuda.so.{DRIVER}"
    with path.open("r+b") as file:
        file.truncate(100 << 20)
    doctor("--capture", tmp_path / "a.tar", root=healthy)
    assert (tmp_path / "a.tar").stat().st_size < 1 << 20
    with tarfile.open(tmp_path / "a.tar") as archive:
        assert archive.getmember(str(path.relative_to(healthy.path))).size == 100 << 20


def test_capture_holds_no_secret_of_the_environment(healthy, doctor, tmp_path):
    secret, names = "sw0rdf1sh", ["AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "NVIDIA_API_KEY"]
    healthy.env(**dict.fromkeys(names, secret), KUBERNETES_SERVICE_HOST="10.11.12.13")
    healthy.file("/proc/self/mountinfo", f"1 0 8:1 / / rw - cifs //{secret} rw,pass={secret}\n")
    doctor("--capture", tmp_path / "a.tar", root=healthy, env=dict.fromkeys(names, secret))
    content = (tmp_path / "a.tar").read_bytes()
    assert secret.encode() not in content and b"10.11.12.13" not in content
    assert b"KUBERNETES_SERVICE_HOST=here" in content


def test_every_variable_that_is_looked_at_is_captured():
    looked = set(re.findall(r'host_env\([^,]*, "([A-Z_]+)"', SOURCE.read_text()))
    looked |= set(re.findall(r'shows_env\(s, "([A-Z_]+)"', SOURCE.read_text()))
    looked |= set(re.findall(r'env_(?:set|ignored)\(s, "([A-Z_]+)"', SOURCE.read_text()))
    text = (TOP / "src/smoke/doctor.c").read_text()
    kept = text.split("smoke_variables[] = {")[1].split("}")[0]
    assert looked | {"VIRTUAL_ENV", "CONDA_PREFIX"} == set(re.findall(r'"([A-Z_]+)"', kept))


def test_redacted_capture_hides_identifiers(healthy, doctor, tmp_path):
    uuid, name = "0a1b2c3d-1111-2222-3333-444455556666", socket.gethostname()
    healthy.env(CUDA_VISIBLE_DEVICES=f"GPU-{uuid},{name}")
    healthy.file(
        "/proc/driver/nvidia/gpus/0000:01:00.0/information", f"Model: T4\nGPU UUID: GPU-{uuid}\n"
    )
    healthy.file("/proc/1/cgroup", f"0::/kubepods/{uuid}\n")
    for args, hidden in (([], False), (["--redact"], True)):
        doctor("--capture", tmp_path / "a.tar", *args, root=healthy, script="cuInit=100")
        content = (tmp_path / "a.tar").read_bytes()
        assert (uuid.encode() not in content) == hidden
        assert not hidden or len(name) < 3 or name.encode() not in content
    report = doctor("--root", tmp_path / "a.tar", "--redact").json
    assert report["finding"]["cause"] == "env-hides-gpus"


def test_redacted_capture_is_diagnosed_like_the_redacted_machine(healthy, doctor, tmp_path):
    first = doctor("--capture", tmp_path / "a.tar", "--redact", root=healthy).json
    assert first["gpus"][0]["uuid"] == "GPU-(redacted)"
    assert doctor("--root", tmp_path / "a.tar", "--redact").json == first


def test_unreadable_library_stays_unreadable(root, doctor, tmp_path):
    root.healthy().no_driver_library().library(f"{LIB}/libcuda.so.1", "cuda")
    (root.path / f"{LIB.lstrip('/')}/libcuda.so.1").chmod(0)
    root.recorded(["stage load 0", "dlerror libcuda.so.1: cannot open shared object file"])
    first = doctor("--capture", tmp_path / "a.tar", root=root)
    again = doctor("--root", tmp_path / "a.tar")
    assert first.cause == again.cause == "unreadable"


@pytest.mark.parametrize("why", ["no folder", "a folder", "disk full"])
def test_capture_is_written_whole_or_not_at_all(why, healthy, doctor, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    file = folder / "a.tar"
    if why == "disk full":
        file.write_text("mine\n")
    names = {"no folder": tmp_path / "gone" / "a.tar", "a folder": folder, "disk full": file}
    words = [BINARY, "doctor", "--json", "--capture", names[why], "--root", healthy.path]
    done = subprocess.run(
        words,
        env={"HOME": str(doctor.home), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=False,
        restore_signals=False,  # a file that is too large is an error, not a death
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
    )
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"]) == (1, "io")
    assert str(names[why]) in error["message"]
    assert [p.name for p in folder.iterdir()] == (["a.tar"] if why == "disk full" else [])
    assert why != "disk full" or file.read_text() == "mine\n"
    assert not list(tmp_path.glob("out.*"))


# ------------------------------------------------------------------ hostile tars


def archive(path, *members, form=tarfile.GNU_FORMAT):
    with tarfile.open(path, "w", format=form) as made_tar:
        for name, kind, content in members:
            info = tarfile.TarInfo(name)
            info.type = kind
            if kind in (tarfile.SYMTYPE, tarfile.LNKTYPE):
                info.linkname = content
                made_tar.addfile(info)
            else:
                info.size = len(content)
                made_tar.addfile(info, io.BytesIO(content))
    return path


FILE, FOLDER, LINK = tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE
HOSTILE = {
    "absolute": [("/etc/x", FILE, b"x")],
    "up": [("a/../../x", FILE, b"x")],
    "up at the end": [("a/..", FOLDER, b"")],
    "behind a link": [("a", LINK, "/"), ("a/evil", FILE, b"x")],
    "behind a link up": [("a", LINK, ".."), ("a/evil", FILE, b"x")],
    "through a link": [("a", LINK, "/evil"), ("a", FILE, b"x")],
    "twice": [("a", FILE, b"x"), ("a", FILE, b"y")],
    "a folder on a file": [("a", FILE, b"x"), ("a/b", FILE, b"y")],
    "hard link": [("a", tarfile.LNKTYPE, "/etc/passwd")],
    "device": [("dev/nvidia0", tarfile.CHRTYPE, b"")],
    "pipe": [("pipe", tarfile.FIFOTYPE, b"")],
    "control bytes": [("a\x1b[31m", FILE, b"x")],
    "empty link": [("a", LINK, "")],
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_tar_is_refused(what, doctor, tmp_path):
    file = archive(tmp_path / "evil.tar", *HOSTILE[what])
    report = doctor("--root", file, env={"TMPDIR": str(tmp_path)})
    assert (report.code, report.json["error"]["code"]) == (2, "invalid")
    assert "\x1b" not in report.out + report.err
    assert not Path("/evil").exists() and not (tmp_path / "evil").exists()
    assert not list(tmp_path.glob("tmplgen-doctor-*"))


def header(**fields):
    """A head of GNU's form with a right sum, whatever stands in its fields."""
    block = bytearray(512)
    places = {"name": 0, "mode": 100, "size": 124, "type": 156, "magic": 257, "sparse": 386,
              "extended": 482, "real": 483}  # fmt: skip
    values = {"name": b"a", "mode": b"0000644", "size": b"00000000000", "type": b"0",
              "magic": b"ustar  ", **fields}  # fmt: skip
    for name, value in values.items():
        block[places[name] : places[name] + len(value)] = value
    block[148:156] = b"        "
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def sparse(*pairs):
    return b"".join(b"%011o\0%011o\0" % pair for pair in pairs)


DAMAGED = {
    "empty": b"",
    "text": b"this is no archive\n" * 100,
    "cut short": header(size=b"%011o" % 4000) + b"x" * 512,
    "without an end": header(),
    "sum": header()[:-1] + b"\1",
    "size without digits": header(size=b"12345678xyz"),
    "size of many": header(size=b"\x80\0\0\0\0\0\0\xff\xff\xff\xff"),
    "too large": header(size=b"77777777777"),
    "long name that is too long": header(type=b"L", size=b"%011o" % 5000) + b"x" * 5120,
    "long name of nothing": header(type=b"L", size=b"%011o" % 0),
    "holes that overlap": header(
        type=b"S", size=b"%011o" % 1024, real=b"%011o" % 4096, sparse=sparse((512, 512), (0, 512))
    ) + b"x" * 1024,
    "holes past the end": header(
        type=b"S", size=b"%011o" % 512, real=b"%011o" % 256, sparse=sparse((0, 512))
    ) + b"x" * 512,
    "holes of other size": header(
        type=b"S", size=b"%011o" % 1024, real=b"%011o" % 4096, sparse=sparse((0, 512))
    ) + b"x" * 1024,
    "huge hole": header(type=b"S", real=b"77777777777", sparse=sparse((0, 0))),
    "lists without end": header(type=b"S", real=b"%011o" % 512, extended=b"\1")
    + (sparse(*[(0, 0)] * 21) + b"\1" + b"\0" * 7) * 100,
    "unknown type": header(type=b"x", size=b"%011o" % 512) + b"path=/x\n".ljust(512, b"\0"),
}  # fmt: skip


@pytest.mark.parametrize("what", DAMAGED)
def test_damaged_tar_is_refused(what, doctor, tmp_path):
    file = tmp_path / "damaged.tar"
    file.write_bytes(DAMAGED[what])
    report = doctor("--root", file, env={"TMPDIR": str(tmp_path)})
    assert (report.code, report.json["error"]["code"]) == (2, "invalid")
    assert not list(tmp_path.glob("tmplgen-doctor-*"))


def test_tar_of_many_entries_is_refused(doctor, tmp_path):
    file = archive(tmp_path / "many.tar", *[(f"f{i}", FILE, b"") for i in range(20_001)])
    report = doctor("--root", file, env={"TMPDIR": str(tmp_path)})
    assert report.code == 2 and "holds too much" in report.json["error"]["message"]


def test_tar_made_by_hand_is_read(healthy, doctor, tmp_path):
    healthy.loads = False
    subprocess.run(
        ["tar", "--format=ustar", "-C", healthy.path, "-cf", tmp_path / "a.tar", "."], check=True
    )
    assert doctor("--root", tmp_path / "a.tar").json == doctor(root=healthy).json


def test_made_machines_with_long_names(root, doctor, tmp_path, workshop):
    """Names of more than 100 bytes, and links of that length."""
    deep = "/opt/" + "/".join(["a" * 60] * 4)
    root.healthy().no_driver_library().driver_library(folder=deep)
    root.link(f"{LIB}/libcuda.so.1", f"{deep}/libcuda.so.1")
    first = doctor("--capture", tmp_path / "a.tar", root=root)
    again = doctor("--root", tmp_path / "a.tar")
    assert first.code == again.code == 0 and first.json == again.json
    assert isinstance(root, Root)
