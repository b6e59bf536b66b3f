"""What NVML and the kernel log say of a GPU beside its failures."""

import pytest

from .test_doctor import Doctor

XID = "NVRM: Xid (PCI:0000:01:00): {}, pid=13, name=python, GPU has fallen off the bus."


def details(report):
    return {row["layer"]: row["detail"] for row in report.json["layers"]}


def log(root, *lines):
    return root.file("/.gpu-smoke/kmsg", "".join(f"{line}\n" for line in lines))


# ---------------------------------------------------------------- the kernel log


def test_a_log_that_cannot_be_read_is_said_to_be_so(healthy, smoke):
    report = smoke(root=healthy)
    assert "kernel log not visible from here" in details(report)["health"]
    assert report.json["kernel_log"] == {"visible": False, "xids": []}


def test_a_log_without_xids(healthy, smoke):
    log(healthy, "12 nvidia: loading out-of-tree module taints kernel.")
    report = smoke(root=healthy)
    assert "no Xid in the kernel log" in details(report)["health"]
    assert report.json["kernel_log"] == {"visible": True, "xids": []}


def test_a_fault_of_the_last_day_is_a_warning(healthy, smoke):
    log(healthy, "7000 " + XID.format(79))
    report = smoke(root=healthy)
    assert report.code == 0
    (warning,) = report.json["warnings"]
    assert "kernel log, 116 minutes ago: Xid 79 of 0000:01:00, " in warning
    (xid,) = report.json["kernel_log"]["xids"]
    assert (xid["xid"], xid["pci"], xid["seconds_ago"]) == (79, "0000:01:00", 7000)


@pytest.mark.parametrize("line", ["90000 " + XID.format(79), "60 " + XID.format(31),
                                  "60 " + XID.format(13), "60 " + XID.format(43)])  # fmt: skip
def test_old_ones_and_those_of_programs_are_none(line, healthy, smoke):
    log(healthy, line)
    report = smoke(root=healthy)
    assert report.code == 0 and report.json["warnings"] == []
    assert len(report.json["kernel_log"]["xids"]) == 1


@pytest.mark.parametrize("line", [
    "60 NVRM: Xid (PCI:0000:43:00): pid=79", "60 NVRM: loading 79", "60 Xid: 79",
    "x NVRM: Xid (PCI:" + "0" * 500 + "): 79", "60 NVRM: Xid (PCI:0000:01:00): ",
])  # fmt: skip
def test_the_number_is_that_of_the_field_alone(line, healthy, smoke):
    log(healthy, line)
    assert smoke(root=healthy).json["kernel_log"]["xids"] == []


def test_the_newest_are_kept_of_a_log_without_end(healthy, smoke):
    log(healthy, *(f"{100000 - n} {XID.format(79)}" for n in range(5000)))
    xids = smoke(root=healthy).json["kernel_log"]["xids"]
    assert [x["seconds_ago"] for x in xids] == [100000 - n for n in range(4984, 5000)]


def test_it_is_evidence_where_the_gpu_does_not_work(healthy, smoke):
    log(healthy, "60 " + XID.format(79))
    report = smoke(root=healthy, script="cuInit=999")
    assert report.finding["layer"] == "init"
    assert "kernel log, 1 minutes ago: Xid 79 of 0000:01:00" in report.evidence


# ---------------------------------------------------------------- NVML


def test_what_a_board_says_of_itself(healthy, smoke):
    report = smoke(root=healthy, nvml="persistence=0;links=4;gen_max=1;width=1;width_max=1")
    (board,) = report.json["health"]
    assert board["persistence_mode"] == 0 and board["temperature_c"] == 41
    assert (board["power_w"], board["power_limit_w"], board["sm_clock_mhz"]) == (70, 700, 1980)
    assert (board["pcie_generation_max"], board["pcie_lanes"]) == (1, 1)
    assert (board["nvlinks_up"], board["nvlinks_down"], board["nvlink_errors"]) == (4, 0, 0)
    assert (board["ecc_uncorrected"], board["ecc_corrected"]) == (0, 12)
    assert board["ecc_uncorrected_ever"] == 34
    assert "; 41 C, 70 W, persistence off" in details(report)["health"]
    assert report.json["warnings"] == [], "a slower link when idle, old errors: no complaint"
    (older,) = smoke(root=healthy).json["health"]
    assert older["nvlinks_up"] is None


@pytest.mark.parametrize(
    ("nvml", "says"),
    [
        ("count=2;links=6;link_down@0=2", "4 NVLinks are up, 2 down, 0 errors"),
        ("links=6;link_errors=9", "6 NVLinks are up, 0 down, 9 errors"),
        ("replays=5000", "sent 5000 PCIe packets again"),
    ],
)
def test_links_with_errors_are_warnings(nvml, says, healthy, smoke):
    report = smoke(root=healthy, nvml=nvml)
    assert report.code == 0
    assert says in str(report.json["warnings"])


@pytest.mark.parametrize("nvml", ["links=6;link_down=6", "replays=20"])
def test_links_that_nobody_connected_are_none(nvml, healthy, smoke):
    assert smoke(root=healthy, nvml=nvml).json["warnings"] == []


def test_who_holds_the_memory_is_named(healthy, smoke):
    report = smoke(root=healthy, nvml="processes=2")
    assert report.code == 0
    assert [text.split(": ")[1] for text in report.json["health"][0]["processes"]] == [
        "1024 MiB of GPU 0",
        "2048 MiB of GPU 0",
    ]
    report = smoke(root=healthy, nvml="processes=2", script="free=1000000")
    assert (report.code, report.cause) == (16, "memory-of-others")
    assert "1024 MiB of GPU 0" in report.evidence
    assert smoke(root=healthy, script="free=1000000").cause == "out-of-memory"
    assert smoke(root=healthy, nvml="processes=99").json["health"][0]["processes"] == []


# ---------------------------------------------------------------- bandwidth by the matrix


@pytest.mark.parametrize(
    ("name", "gb_s", "warns"),
    [
        ("NVIDIA H100 80GB HBM3", 1100, True),
        ("NVIDIA H100 80GB HBM3", 1300, False),
        ("NVIDIA H100 NVL", 1300, True),  # not the H100, whose least is 2000
        ("Tesla T4", 150, True),
        ("Tesla T4", 250, False),
        ("NVIDIA A100X", 100, False),  # another card
        ("Fake GPU", 1, False),
    ],
)
def test_bandwidth_is_held_against_the_models(name, gb_s, warns, healthy, smoke):
    ms = 2 * (4 << 20) / gb_s / 1e6  # what the fake says that a copy of 4 MiB took
    script = f"name={name};clock_khz=0;ms={ms}"
    report = smoke(root=healthy, script=script)
    assert report.json["gpus"][0]["bandwidth_gb_s"] == pytest.approx(gb_s, rel=0.02)
    assert any("its model has" in text for text in report.json["warnings"]) == warns
    if warns:
        assert not smoke(root=healthy, script=script, nvml="mig=1").json["warnings"]


# ---------------------------------------------------------------- what is no fault


def test_a_line_of_dmesg_has_no_age(healthy, smoke):
    log(healthy, "[449410.3] " + XID.format(79), "Nov 25 03:00:00 n kernel: " + XID.format(48))
    document = smoke(root=healthy).json
    assert [(x["xid"], x["seconds_ago"]) for x in document["kernel_log"]["xids"]] == [
        (79, None), (48, None)]  # fmt: skip
    assert "kernel log: Xid 48 of 0000:01:00, " in str(document["warnings"])


def test_the_form_of_older_drivers_is_read(healthy, smoke):
    log(healthy, "90000 NVRM: Xid (0000:3b:00): 48, DBE")
    (xid,) = smoke(root=healthy).json["kernel_log"]["xids"]
    assert (xid["xid"], xid["pci"], xid["seconds_ago"]) == (48, "0000:3b:00", 90000)


def test_a_fault_of_another_s_gpu_is_no_warning(healthy, smoke):
    log(healthy, "60 NVRM: Xid (PCI:0000:77:00): 79, GPU has fallen off the bus.")
    document = smoke(root=healthy).json
    assert document["warnings"] == [] and len(document["kernel_log"]["xids"]) == 1
    blind = smoke(root=healthy, nvml="nvmlDeviceGetPciInfo_v3=3").json
    assert "Xid 79 of 0000:77:00" in str(blind["warnings"])


def test_little_memory_of_others_is_not_to_blame(healthy, smoke):
    script = f"memory={64 << 30};cuMemAlloc_v2=2"
    report = smoke(root=healthy, nvml="processes=2", script=script)
    assert report.cause == "out-of-memory" and "1024 MiB of GPU 0" in report.evidence


def test_it_is_the_same_gpu_whose_memory_is_short(healthy, smoke):
    cuda = [
        "count 1",
        "uuid 0 0b",
        "number 0 memory 1048576",
        "stage memory 0",
        "error 2 cuMemAlloc",
    ]
    ask = ["count 2", "uuid 0 GPU-0a", "uuid 1 GPU-0b", "process {} 0 77 512", "done"]
    for number, cause in ((0, "out-of-memory"), (1, "memory-of-others")):
        healthy.recorded(cuda, [line.format(number) for line in ask])
        assert smoke(root=healthy).cause == cause


def test_a_process_has_a_name_where_its_number_is_the_driver_s(root, smoke, tmp_path):
    doctor = Doctor(tmp_path)
    ask = ["count 1", "process 0 0 77 512", "number 0 processes 1", "done"]
    root.healthy().file("/proc/77/comm", "python3\n").recorded(None, ask)
    says = ["process 77 (python3): 512 MiB of GPU 0"]
    assert doctor("--capture", tmp_path / "a", root=root).json["health"][0]["processes"] == says
    assert doctor("--root", tmp_path / "a").json["health"][0]["processes"] == says
    root.healthy_container().recorded(None, ask)
    says = ["process 77: 512 MiB of GPU 0"]
    assert smoke(root=root).json["health"][0]["processes"] == says


@pytest.mark.parametrize(
    ("nvml", "switches", "says"),
    [
        ("links=12;link_down=8", False, ""),
        ("count=2;links=18;link_down@1=2", False, "GPU 1: 16 NVLinks are up, 2 down"),
        ("count=2;links=18;link_down@1=18", False, "GPU 1: 0 NVLinks are up, 18 down"),
        ("count=2;links=18;link_down@1=2;mig@1=1", False, ""),
        ("links=18;link_down=18", True, "GPU 0: 0 NVLinks are up, 18 down"),
    ],
)
def test_a_link_that_is_down_is_one_that_others_have(nvml, switches, says, healthy, smoke):
    if switches:
        healthy.file("/sys/bus/pci/devices/0000:05:00.0/vendor", "0x10de\n")
        healthy.file("/sys/bus/pci/devices/0000:05:00.0/class", "0x068000\n")
    warnings = smoke(root=healthy, nvml=nvml, script="count=2" * ("count" in nvml)).json["warnings"]
    found = [text for text in warnings if "NVLink" in text]
    assert len(found) == bool(says) and says in "".join(found)


def test_promised_bandwidth_is_held_against_the_measured_one(healthy, smoke, tmp_path):
    (tmp_path / "expect").write_text("bandwidth: 1000000\n")
    report = smoke("--expect", tmp_path / "expect", root=healthy)
    assert (report.code, report.cause) == (16, "bandwidth-low")
    assert "GB/s, promised: 1000000" in report.evidence
    (tmp_path / "expect").write_text("bandwidth: 0.1\n")
    assert smoke("--expect", tmp_path / "expect", root=healthy).code == 0
