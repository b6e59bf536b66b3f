"""A GPU that computes wrong never passes: fakes of a driver, each broken in one way.

What is drawn is drawn by SEED; what was drawn stands in the name of the test.
"""

import ctypes
import random
import re
import struct

import pytest

from .workshop import HERE, SOURCE, ptx

SEED = 20261125
N = 128  # the matrices of level quick
KERNELS = ["smoke_add", "smoke_pattern", "smoke_compare", "smoke_gemm"]
draw = random.Random(SEED)

full = pytest.mark.full


def some(cases, quick):
    """All of them; the first ones without test-full."""
    return [pytest.param(case, marks=[] if i < quick else [full]) for i, case in enumerate(cases)]


def pairs(count):
    drawn = [tuple(sorted(draw.sample(range(N), 2))) for _ in range(count)]
    return [(0, 7), (0, 1), (N - 2, N - 1), *drawn]


def caught(report, *words):
    assert (report.code, report.cause) == (16, "wrong-result"), report.out
    for word in words:
        assert word in report.evidence
    return True


# ---------------------------------------------------------------- products


@pytest.mark.parametrize("pair", some(pairs(40), 5), ids=str)
@pytest.mark.parametrize("what", ["columns", "rows"])
def test_columns_or_rows_that_are_exchanged(what, pair, healthy, smoke):
    report = smoke(root=healthy, script=f"{what}={pair[0]},{pair[1]}")
    assert caught(report, "matrix product", "in product 1 ")


@pytest.mark.parametrize("which", some([0, 99, 50, *draw.sample(range(100), 30)], 5))
def test_one_product_in_a_hundred(which, healthy, smoke):
    report = smoke(root=healthy, script=f"corrupt=product;one_in=100;which={which}")
    assert caught(report, f"in product {which + 1} 1 of {N * N} values")


@full
@pytest.mark.parametrize("kernel", ["smoke_tensor", "smoke_double"])
@pytest.mark.parametrize(
    "how", ["columns=0,7", "rows=3,900", "corrupt=product;one_in=100;which=77"]
)
def test_tensor_cores_and_fp64_that_are_wrong(kernel, how, healthy, smoke):
    report = smoke("--level", "medium", root=healthy, script=f"of={kernel};{how}")
    assert caught(report, {"smoke_tensor": "tensor-core", "smoke_double": "fp64"}[kernel])


@full
def test_what_level_medium_measures(healthy, smoke):
    report = smoke("--level", "medium", root=healthy)
    (gpu,) = report.json["gpus"]
    assert report.code == 0
    assert all(gpu[key] > 0 for key in ("gflops", "gflops_fp64", "gflops_fp16"))
    assert gpu["checksum"] != smoke(root=healthy).json["gpus"][0]["checksum"], "larger products"
    (older,) = smoke("--level", "medium", root=healthy, script="cc=6.1").json["gpus"]
    assert older["gflops_fp64"] > 0
    assert older["gflops_fp16"] is None, "no tensor cores before Volta"


def test_level_quick_claims_no_speed(healthy, smoke):
    (gpu,) = smoke(root=healthy).json["gpus"]
    assert (gpu["gflops"], gpu["gflops_fp64"], gpu["gflops_fp16"]) == (None, None, None)


# ---------------------------------------------------------------- launches


def quick_first(number):
    """The first ones, which differ most, the last ones and one between, then all others."""
    return number > 11 and number != 140 and number <= LAUNCHES - 8


# The vector add, the memory's four checks and two patterns, the products with their comparisons and
# the one that has to find all wrong, what is copied within the GPU with four comparisons, and three
# of what came from the host.
LAUNCHES = 1 + 6 + 1 + 2 * 128 + 5 + 3


@pytest.mark.turns(80)
@pytest.mark.parametrize("number", some(sorted(range(1, LAUNCHES + 1), key=quick_first), 20))
def test_a_launch_that_is_skipped(number, healthy, smoke):
    assert caught(smoke(root=healthy, script=f"cuLaunchKernel@{number}=nothing"))


def test_there_are_as_many_launches_as_are_skipped(healthy, smoke):
    assert smoke(root=healthy, script=f"cuLaunchKernel@{LAUNCHES}=700").code == 16
    assert smoke(root=healthy, script=f"cuLaunchKernel@{LAUNCHES + 1}=700").code == 0


def test_every_launch_is_skipped(healthy, smoke):
    assert caught(smoke(root=healthy, script="cuLaunchKernel=nothing"))


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_that_does_nothing(kernel, healthy, smoke):
    assert caught(smoke(root=healthy, script=f"lazy={kernel}"))


@pytest.mark.parametrize("kernel", ["smoke_gemm", "smoke_pattern", "smoke_compare"])
def test_a_kernel_that_gives_what_its_launch_before_gave(kernel, healthy, smoke):
    assert caught(smoke(root=healthy, script=f"stale={kernel}"))


@full
@pytest.mark.parametrize("how", ["lazy", "stale"])
@pytest.mark.parametrize("kernel", ["smoke_tensor", "smoke_double"])
def test_a_slower_kernel_that_does_nothing_or_gives_what_it_gave_before(
    how, kernel, healthy, smoke
):
    report = smoke("--level", "medium", root=healthy, script=f"{how}={kernel}")
    assert caught(report, {"smoke_tensor": "tensor-core", "smoke_double": "fp64"}[kernel])


def test_a_comparison_that_finds_nothing(healthy, smoke):
    assert caught(
        smoke(root=healthy, script="corrupt=compare"), "wrong values smoke_compare finds 0"
    )


# ---------------------------------------------------------------- memory and copies


@pytest.mark.parametrize(
    ("corrupt", "says"),
    [
        ("memory", "wrong bits 0x00000040"),
        ("stuck", "wrong bits 0x00000040"),
        ("alias", "wrong memory"),
        ("fold", "wrong memory"),
        ("once", "one wrong word planted at"),
        ("within", "copy within GPU 0: 1 of "),
        ("to-gpu", "vector add"),
        ("from-gpu", "vector add"),
        ("add", "vector add"),
    ],
)
def test_memory_and_copies_that_are_wrong(corrupt, says, healthy, smoke):
    report = smoke(root=healthy, script=f"corrupt={corrupt}")
    assert caught(report)
    assert says.removeprefix("wrong memory") in report.evidence


@pytest.mark.parametrize(
    "call", ["cuMemcpyHtoD_v2", "cuMemcpyDtoH_v2", "cuMemsetD32_v2", "cuMemcpyDtoD_v2"]
)
def test_a_copy_that_does_nothing(call, healthy, smoke):
    assert smoke(root=healthy, script=f"{call}=nothing").code == 16


# What goes up: what is added, six matrices, counters for the looks at memory, at products, at what
# was copied within the GPU and at what came from the host, and that. What comes down: a sum, the
# counters, a product, what had come from the host.
COPIES = {"cuMemcpyHtoD_v2": 2 + 6 + 4 + 129 + 4 + 3 + 3, "cuMemcpyDtoH_v2": 1 + 140 + 1 + 3}


@pytest.mark.parametrize("call", COPIES)
def test_there_are_as_many_copies_as_do_nothing(call, healthy, smoke):
    assert smoke(root=healthy, script=f"{call}@{COPIES[call]}=700").code == 16
    assert smoke(root=healthy, script=f"{call}@{COPIES[call] + 1}=700").code == 0


@pytest.mark.turns(60)
@pytest.mark.parametrize(
    ("call", "number"),
    [
        pytest.param(call, number, marks=[] if number in (1, 2, 7, 13, 14, 145) else [full])
        for call in COPIES
        for number in range(1, COPIES[call] + 1)
    ],
)
def test_one_copy_that_does_nothing(call, number, healthy, smoke):
    """13: the counters of the first product, which may be 0 in memory that nobody used before."""
    assert smoke(root=healthy, script=f"{call}@{number}=nothing").code == 16


@pytest.mark.parametrize(("integrated", "cause"), [(1, "wrong-result"), (0, "out-of-memory")])
def test_what_shares_the_systems_memory_takes_little_of_it(integrated, cause, healthy, smoke):
    script = f"integrated={integrated};memory=100000000;largest=30000000;lazy=smoke_gemm"
    assert smoke("--level", "long", root=healthy, script=script).cause == cause


# ---------------------------------------------------------------- between GPUs


def test_copies_between_gpus_that_are_wrong(healthy, smoke):
    report = smoke(root=healthy, script="count=2;corrupt=peer")
    assert caught(report, "wrong staged copy".removeprefix("wrong "))


@pytest.mark.parametrize(
    "call", ["cuMemcpyPeer=nothing", "cuMemcpyPeer@2=nothing", "corrupt=peer-zero"]
)
def test_copies_between_gpus_that_do_nothing(call, healthy, smoke):
    assert caught(smoke(root=healthy, script=f"count=2;{call}"), "of 65536 words")


@pytest.mark.parametrize(
    "how",
    [
        "corrupt=direct",
        "corrupt=direct-zero",
        "cuMemcpyPeer@3=nothing",
        "cuMemcpyPeer@4=nothing",
        "cuMemcpyPeer@3=hang",
    ],
)
def test_direct_copies_alone_are_wrong_by_the_iommu(how, healthy, smoke):
    healthy.file("/sys/class/iommu/dmar0/x").file(
        "/proc/cmdline", "root=/dev/x intel_iommu=on quiet"
    )
    report = smoke("--timeout", "10", root=healthy, script=f"count=2;{how}")
    assert (report.code, report.cause) == (16, "peer-corrupt")
    assert "the IOMMU is on (/sys/class/iommu/dmar0)" in report.evidence
    assert "iommu=on quiet" in report.evidence
    assert smoke(root=healthy, script=f"count=2;direct=0;{how}").code in (
        (0,) if "@" not in how else (0, 16)
    )
    assert [gpu["proven"] for gpu in report.json["gpus"]] == [True, True]


@pytest.mark.parametrize("which", range(1, 6))
def test_what_came_between_gpus_is_not_what_the_host_has_already(which, healthy, smoke):
    """The last downloads of two GPUs: four copies between them, and what the kernel read."""
    number = 2 * COPIES["cuMemcpyDtoH_v2"] + which
    assert smoke(root=healthy, script=f"count=2;cuMemcpyDtoH_v2@{number}=nothing").code == 16


def test_a_kernel_reads_the_other_gpus_memory(healthy, smoke):
    """The last launch of the second GPU."""
    script = f"count=2;cuLaunchKernel@{2 * LAUNCHES + 1}=nothing"
    report = smoke(root=healthy, script=script)
    assert report.cause == "peer-corrupt"
    assert "direct read of GPU 0's memory" in report.evidence
    assert smoke(root=healthy, script=script.replace("count=2", "count=2;direct=0")).code == 0


def test_peers_that_were_enabled_before_are_no_failure(healthy, smoke):
    assert smoke(root=healthy, script="count=2;cuCtxEnablePeerAccess=704").code == 0


# ---------------------------------------------------------------- between host and GPU


def test_host_copies_are_measured_and_held_against_the_link(healthy, smoke):
    (gpu,) = smoke(root=healthy).json["gpus"]
    assert gpu["to_gpu_gb_s"] > 0 and gpu["from_gpu_gb_s"] > 0
    report = smoke(root=healthy, nvml="width=1;width_max=1;gen_max=1")
    assert (
        "(PCIe 1 x1)" in {row["layer"]: row["detail"] for row in report.json["layers"]}["bandwidth"]
    )
    assert not [warning for warning in report.json["warnings"] if "GB/s" in warning]
    report = smoke(root=healthy, nvml="gen_max=6", script="copy_ms=3")
    assert report.code == 0
    assert re.search(r"from the host; PCIe 6 x16 carries 121.0", str(report.json["warnings"]))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        ("cuMemcpyHtoD_v2@146", "copy from the host to GPU 0: 1048576 of 1048576 words"),
        ("cuMemcpyDtoH_v2@141", "copy from GPU 0 to the host: word 0 of 1048576"),
        ("cuMemcpyDtoH_v2@145", "copy from GPU 0 to the host: word 0 of 1048576"),
    ],
)
def test_host_copies_that_come_back_wrong(call, says, healthy, smoke):
    """Behind everything else: the last copies of the run."""
    report = smoke(root=healthy, script=f"{call}=nothing")
    assert caught(report, says)


# ---------------------------------------------------------------- the end


@pytest.mark.parametrize("call", ["cuModuleUnload", "cuDevicePrimaryCtxRelease_v2"])
@pytest.mark.parametrize("how", ["hang", "segv", "999"])
def test_a_driver_that_dies_when_all_is_done(call, how, healthy, smoke):
    report = smoke("--timeout", "10", root=healthy, script=f"{call}={how}")
    assert report.finding["layer"] == "init"
    assert report.json["gpus"][0]["proven"]


# ---------------------------------------------------------------- the kernels themselves


@pytest.fixture(scope="module")
def interpreter(workshop):
    sources = [str(HERE / "fake" / "ptx.c")]
    made = workshop.make("ptx", sources, ["cc", "-O2", "-fPIC", "-shared", *sources, "-lm"])
    return ctypes.CDLL(str(made)).ptx_run


@pytest.mark.parametrize(
    ("kernel", "parts", "block", "letter"),
    [
        ("smoke_gemm", ["ptx_head", "ptx_gemm"], (16, 16), "f"),
        ("smoke_double", ["ptx_head", "ptx_double"], (16, 16), "f"),
        ("smoke_tensor", ["ptx_tensor_head", "ptx_tensor"], (32, 1), "e"),
    ],
)
def test_each_way_to_multiply_multiplies(kernel, parts, block, letter, interpreter):
    n = 48
    a, b = ([draw.randrange(8) for _ in range(n * n)] for _ in range(2))
    packed = [ctypes.create_string_buffer(struct.pack(f"{n * n}{letter}", *m)) for m in (a, b)]
    result = ctypes.create_string_buffer(b"\xff" * (4 * n * n))
    places = [ctypes.c_uint64(ctypes.addressof(buffer)) for buffer in (*packed, result)]
    values = [*places, ctypes.c_uint(n)]
    args = (ctypes.c_void_p * 4)(*(ctypes.addressof(value) for value in values))
    text = ptx(parts).encode()
    assert interpreter(text, kernel.encode(), n // 16, n // 16, *block, args) == 0
    got = struct.unpack(f"{n * n}f", result.raw[: 4 * n * n])
    columns = [b[j::n] for j in range(n)]
    for i in range(n):
        row = a[i * n : (i + 1) * n]
        right = [sum(x * y for x, y in zip(row, column, strict=True)) for column in columns]
        assert list(got[i * n : (i + 1) * n]) == right


def test_no_two_rows_or_columns_are_the_same():
    """Else some that are exchanged could not be told."""

    def small(i, seed):
        x = (i + seed) * 2654435761 % 2**32
        x = (x ^ x >> 15) * 2246822519 % 2**32
        return (x ^ x >> 13) & 7

    assert "2246822519u" in SOURCE.read_text()
    for n in (128, 1024):
        for seed in (0x1000003, 0x2000003):
            rows = [bytes(small(i * n + j, seed) for j in range(n)) for i in range(n)]
            columns = [bytes(row[j] for row in rows) for j in range(n)]
            assert len({*rows}) == len({*columns}) == n
