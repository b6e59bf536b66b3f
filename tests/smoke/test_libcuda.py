"""Which libcuda is taken, and why: what is predicted is what the real loader does."""

import subprocess
from itertools import product

import pytest

from .root import DRIVER, LIB, crafted, make_unreadable
from .workshop import HERE

# What stands in a folder of the path, and whether the loader goes on behind it.
SKIPPED = ["cuda+class32", "cuda+aarch64", "cuda+ppc64", "dangling"]
FATAL = ["zero", "text", "lfs", "script", "directory"]
CAUSES = {
    "cuda+class32": "wrong-elf-class",
    "cuda+aarch64": "wrong-machine",
    "cuda+ppc64": "wrong-machine",
    "cuda+truncated": "truncated-file",
    "cuda+head": "truncated-file",
    "dangling": "dangling-link",
    "unreadable": "unreadable",
    "zero": "empty-file",
    "text": "not-elf",
    "lfs": "not-elf",
    "script": "not-elf",
    "directory": "is-directory",
}


@pytest.fixture(scope="module")
def loader(workshop):
    source = HERE / "fake" / "loader.c"
    return workshop.make("loader", [source], ["cc", "-D_GNU_SOURCE", str(source), "-ldl"])


def put(folder, kind, workshop):
    folder.mkdir(parents=True)
    at = folder / "libcuda.so.1"
    if kind == "dangling":
        at.symlink_to("libcuda.so.999")
    elif kind == "directory":
        at.mkdir()
    elif kind != "nothing":
        at.write_bytes(crafted(workshop, "cuda" if kind == "unreadable" else kind))
        if kind == "unreadable":
            make_unreadable(at)
    return at


@pytest.mark.turns(40)
@pytest.mark.parametrize(
    "first,second", list(product([*SKIPPED, *FATAL, "nothing", "cuda"], repeat=2))
)
def test_prediction_is_what_the_loader_does(first, second, workshop, smoke, loader, tmp_path):
    put(tmp_path / "a", first, workshop)
    put(tmp_path / "b", second, workshop)
    put(tmp_path / "c", "cuda", workshop)
    path = ":".join(str(tmp_path / name) for name in "abc")
    real = subprocess.run(
        [loader], env={"LD_LIBRARY_PATH": path}, capture_output=True, text=True, check=False
    )
    report = smoke(env={"LD_LIBRARY_PATH": path})
    rows = [row for row in report.json["libraries"] if row["name"] == "libcuda.so.1"]
    chosen = [row for row in rows if row["chosen"]]
    assert len(chosen) == 1
    if real.returncode == 0:
        assert chosen[0]["path"] == real.stdout.strip()
        assert (chosen[0]["defect"], report.code) == (None, 0)
    else:
        assert chosen[0]["defect"] is not None
        assert chosen[0]["defect"] in {CAUSES.get(first), CAUSES.get(second)}


@pytest.mark.parametrize("kind", CAUSES)
def test_bad_candidate_is_named(kind, root, workshop, smoke):
    root.healthy().no_driver_library()
    path = f"{LIB}/libcuda.so.1"
    if kind == "dangling":
        root.link(path, "libcuda.so.999")
    else:
        root.library(path, "cuda" if kind == "unreadable" else kind)
    if kind == "unreadable":
        make_unreadable(root.path / path.lstrip("/"))
        if (root.path / path.lstrip("/")).stat().st_uid == 0:
            pytest.skip("root reads every file")
    report = smoke(root=root)
    assert (report.code, report.cause) == (13, CAUSES[kind])
    assert path in report.evidence


def test_truncated_library_kills_only_the_child(root, smoke):
    root.healthy().no_driver_library().library(f"{LIB}/libcuda.so.1", "cuda+truncated")
    report = smoke(root=root)
    assert (report.code, report.cause, report.states["libcuda"]) == (13, "truncated-file", "broken")


@pytest.mark.parametrize("first", SKIPPED)
def test_good_copy_behind_one_that_is_skipped_is_taken(first, root, smoke):
    root.healthy().env(LD_LIBRARY_PATH="/opt/a")
    if first == "dangling":
        root.link("/opt/a/libcuda.so.1", "nothing")
    else:
        root.library("/opt/a/libcuda.so.1", first)
    report = smoke(root=root)
    rows = report.json["libraries"]
    assert report.code == 0
    assert [row["chosen"] for row in rows if row["path"] == f"{LIB}/libcuda.so.1"] == [True]


@pytest.mark.parametrize("first", FATAL)
def test_good_copy_behind_one_that_stops_the_loader_does_not_help(first, root, smoke):
    root.healthy().env(LD_LIBRARY_PATH="/opt/a").library("/opt/a/libcuda.so.1", first)
    report = smoke(root=root)
    assert (report.code, report.cause) == (13, CAUSES[first])


@pytest.mark.parametrize(
    "folder",
    [
        "/usr/local/nvidia/lib64",
        "/usr/local/nvidia/lib",
        "/usr/lib/wsl/lib",
        "/usr/lib/x86_64-linux-gnu/nvidia/current",
        "/run/opengl-driver/lib",
        "/home/kubernetes/bin/nvidia/lib64",
        "/run/nvidia/driver/usr/lib64",
    ],
)
def test_copy_where_the_loader_does_not_look_is_found(folder, root, smoke):
    root.healthy().no_driver_library().driver_library(folder=folder)
    report = smoke(root=root)
    assert (report.code, report.cause) == (13, "libcuda-unsearched")
    assert folder in report.evidence


def test_compat_folder_is_no_place_to_send_anyone(root, smoke):
    root.healthy().no_driver_library()
    root.driver_library("590.48.01", "/usr/local/cuda-13.1/compat", "cuda-compat")
    assert smoke(root=root).cause == "libcuda-absent"


def test_missing_dependency_is_told_from_a_missing_library(root, smoke):
    root.healthy().no_driver_library().library(f"{LIB}/libcuda.so.1", "cuda-needs")
    report = smoke(root=root)
    assert (report.code, report.cause) == (13, "missing-dependency")
    assert "libgone.so" in report.evidence


def test_library_without_the_entry_points_is_no_driver(root, smoke):
    root.healthy().no_driver_library().library(f"{LIB}/libcuda.so.1", "cuda-no-init")
    report = smoke(root=root)
    assert (report.code, report.cause) == (13, "not-a-driver")
    assert "cuInit" in report.evidence


def test_driver_with_the_older_names_works(root, smoke):
    root.healthy().library(f"{LIB}/libcuda.so.{DRIVER}", "cuda-old")
    root.library(f"{LIB}/libnvidia-ml.so.{DRIVER}", "nvml-old")
    assert smoke(root=root).code == 0
    assert "throttled" in smoke(root=root, nvml="throttle=64").json["warnings"][0]


def test_libraries_say_version_origin_and_choice(root, smoke):
    root.healthy().driver_library("535.54.03", "/opt/old").env(LD_LIBRARY_PATH="/opt/new:/opt/old")
    rows = [r for r in smoke(root=root).json["libraries"] if r["name"] == "libcuda.so.1"]
    assert [(r["version"], r["found_by"], r["chosen"]) for r in rows] == [
        ("535.54.03", "LD_LIBRARY_PATH", True),
        (DRIVER, "default", False),
    ]


@pytest.mark.parametrize("driver,listed", [(545, False), (565, False), (535, True), (580, True)])
def test_note_of_forward_compatibility_predicts_without_running(driver, listed, root, smoke):
    root.healthy().module(f"{driver}.10.01").recorded()
    root.driver_library("590.48.01", "/usr/local/cuda-13.1/compat", "cuda-compat")
    root.env(LD_LIBRARY_PATH="/usr/local/cuda-13.1/compat")
    report = smoke(root=root)
    if listed:
        assert report.code == 0
    else:
        assert (report.code, report.cause) == (14, "compat-wrong-driver")
        assert '"CUDA Version":"13.1"' in report.evidence


def test_cache_of_the_loader_is_read(root, smoke):
    entries = [(0x0303, "/opt/drv/libcuda.so.1"), (0x0003, "/opt/32/libcuda.so.1")]
    root.healthy().no_driver_library().driver_library(folder="/opt/drv")
    root.library("/opt/32/libcuda.so.1", "cuda+class32")
    root.file("/etc/ld.so.cache", ld_cache(entries))
    rows = [r for r in smoke(root=root).json["libraries"] if r["name"] == "libcuda.so.1"]
    assert [(r["path"], r["found_by"]) for r in rows] == [("/opt/drv/libcuda.so.1", "ld.so.cache")]
    assert smoke(root=root).code == 0


def ld_cache(entries):
    """The bytes of an ld.so.cache with these (flags, path) of libcuda.so.1."""
    name = b"libcuda.so.1\0"
    strings, at = name, 48 + 24 * len(entries)
    table = b""
    for flags, path in entries:
        offset = at + len(strings)
        for number, size in ((flags, 4), (at, 4), (offset, 4), (0, 4), (0, 8)):
            table += number.to_bytes(size, "little")
        strings += path.encode() + b"\0"
    head = b"glibc-ld.so.cache1.1" + len(entries).to_bytes(4, "little")
    head += len(strings).to_bytes(4, "little") + bytes(20)
    return head + table + strings


def test_link_of_a_root_does_not_lead_out_of_it(root, smoke, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "libcuda.so.1").write_bytes(b"")
    root.healthy().no_driver_library()
    for target in (str(outside / "libcuda.so.1"), "../" * 30 + f"{outside}/libcuda.so.1"):
        root.link(f"{LIB}/libcuda.so.1", target)
        assert smoke(root=root).cause == "dangling-link"


def test_absolute_link_is_followed_inside_the_root(root, smoke):
    root.healthy().no_driver_library().library(f"/opt/drv/libcuda.so.{DRIVER}")
    root.link(f"{LIB}/libcuda.so.1", f"/opt/drv/libcuda.so.{DRIVER}")
    report = smoke(root=root)
    assert report.code == 0
    assert report.json["libraries"][0]["real_path"] == f"/opt/drv/libcuda.so.{DRIVER}"
