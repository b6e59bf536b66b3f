"""What goes wrong on GPU machines, row by row: how to make it, and what gpu-smoke must say of it.

The letters are of the layers: H hardware and kernel module, D device nodes, I injection, L finding
libcuda, V init and versions, T toolkit and framework, J compiling PTX, X execution and health,
S sharing, K Kubernetes. A row with a `text` is one that only a message shows: for --explain.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from .root import DRIVER, LIB, PROPRIETARY

EXITS = {
    "hw": 10,
    "kmod": 10,
    "devnodes": 11,
    "inject": 12,
    "libcuda": 13,
    "init": 14,
    "jit": 15,
    "exec": 16,
    "bandwidth": 16,
    "sharing": 17,
    "health": 18,
    "toolkit": 19,
    "framework": 19,
}


@dataclass
class Row:
    """A machine, made from a healthy one, and the finding that it must give."""

    name: str
    layer: str
    cause: str
    fix: str  # what the fix must speak of
    make: Callable = lambda root: root
    script: str = ""
    nvml: str = ""
    env: dict = field(default_factory=dict)
    shows: str = ""  # what the evidence must hold
    args: tuple = ()
    container: bool = False

    @property
    def exit(self):
        return EXITS[self.layer]


def no_gpu(root):
    root.path.joinpath("sys").rename(root.path / "gone")
    root.remove("/proc/driver").remove("/sys/module").remove("/proc/devices")
    return root.no_node()


def no_module(root):
    root.gpu(driver="")
    return root.remove("/proc/driver").remove("/sys/module").remove("/proc/devices").no_node()


def module_for(release):
    def make(root):
        return no_module(root).file(f"/lib/modules/{release}/updates/dkms/nvidia.ko", "")

    return make


def old_gpu(device, version, text=PROPRIETARY):
    def make(root):
        root.gpu(device=device).module(version, text)
        return root.no_driver_library().driver_library(version)

    return make


def driver_pair(module, library, folder=LIB, kind="cuda"):
    def make(root):
        return root.module(module).no_driver_library().driver_library(library, folder, kind)

    return make


def only_library(kind, path=f"{LIB}/libcuda.so.1"):
    def make(root):
        return root.no_driver_library().library(path, kind)

    return make


def nodes(*gone, **opens):
    def make(root):
        if gone:
            root.no_node(*gone)
        for name, how in opens.items():
            root.node(name.replace("_", "-"), **how)
        return root

    return make


def noexec(root):
    options = "rw,nosuid,noexec,relatime"
    lines = f"1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 8:2 / {LIB} {options} - tmpfs tmpfs rw\n"
    root.file("/proc/self/mountinfo", lines)
    return root.recorded(["stage load 0", "dlerror libcuda.so.1: failed to map segment"])


def compat(version="590.48.01", kind="cuda-compat", module=DRIVER):
    """cuda-compat in front of the driver's own, as an image's ld.so.conf puts it."""

    def make(root):
        root.module(module).driver_library(version, "/usr/local/cuda-13.1/compat", kind)
        return root.env(LD_LIBRARY_PATH="/usr/local/cuda-13.1/compat")

    return make


def baked(root):
    return root.no_driver_library().driver_library("535.183.01")


def wheel(cuda="'12.6'", archs="sm_75 sm_80 sm_90", site="/opt/venv/lib/python3.12/site-packages"):
    def make(root):
        root.file(
            f"{site}/torch/version.py",
            f"__all__ = ['__version__', 'debug', 'cuda']\ncuda: Optional[str] = {cuda}\n",
        )
        return root.file(
            f"{site}/torch/lib/libtorch_python.so", b"\0junk\0" + archs.encode() + b"\0"
        )

    return make


def all_of(*makers):
    def make(root):
        for maker in makers:
            root = maker(root)
        return root

    return make


ROWS = [
    # hardware and kernel module
    Row("H02", "kmod", "driver-not-loaded", "modprobe", no_module, "cuInit=100"),
    Row("H06", "kmod", "driver-not-built", "headers", module_for("6.8.0-40-generic"), "cuInit=100"),
    Row(
        "H08",
        "kmod",
        "driver-dropped-gpu",
        "last branch",
        old_gpu("0x1b80", "590.44.01"),
        "cuInit=100",
    ),
    Row(
        "H11",
        "kmod",
        "module-stale",
        "reboot",
        all_of(
            driver_pair("535.104.05", "535.183.01"),
            lambda r: r.driver_library("535.183.01", soname="libnvidia-ml.so.1", kind="nvml"),
        ),
        "cuInit=803",
        "nvmlInit_v2=18",
        shows="535.104.05",
    ),
    Row(
        "H13",
        "init",
        "fabric-manager",
        "start it",
        lambda r: r.node("nvidia-nvswitchctl"),
        "cuInit=802",
        "fabric=2",
    ),
    Row(
        "H14",
        "init",
        "fabric-not-ready",
        "update kernel and driver",
        lambda r: r.file("/var/run/nvidia-fabricmanager/socket", ""),
        "cuInit=802",
    ),
    Row("H16", "init", "vendor-hang", "kernel log", script="cuInit=hang", args=("--timeout", "1")),
    Row("H18 power", "hw", "gpu-power-cable", "cables", script="cuInit=100", nvml="nvmlInit_v2=8"),
    Row(
        "H18 inforom",
        "hw",
        "inforom-corrupted",
        "reflashed",
        script="cuInit=999",
        nvml="nvmlDeviceGetHandleByIndex_v2=14",
    ),
    Row(
        "H18 reset",
        "hw",
        "gpu-reset-required",
        "reset",
        script="cuInit=999",
        nvml="nvmlDeviceGetCount_v2=16",
    ),
    # device nodes
    Row(
        "D03",
        "devnodes",
        "uvm-missing",
        "nvidia-modprobe -c 0 -u",
        nodes("nvidia-uvm"),
        "cuInit=999",
    ),
    Row(
        "D05",
        "devnodes",
        "node-mode",
        "group",
        nodes(nvidia0={"mode": "0600", "opens": "EACCES"}),
        "cuInit=100",
        shows="0600",
    ),
    Row(
        "D06",
        "devnodes",
        "node-cgroup",
        "restart the container",
        nodes(nvidiactl={"opens": "EPERM"}),
        "cuInit=100",
        "nvmlInit_v2=999",
        container=True,
    ),
    Row(
        "D07",
        "devnodes",
        "node-no-driver",
        "load the driver",
        nodes(nvidiactl={"opens": "ENXIO"}),
        "cuInit=100",
    ),
    # injection
    Row(
        "D01",
        "inject",
        "no-gpu-access",
        "--gpus all",
        lambda r: r.no_node(),
        "cuInit=100",
        container=True,
    ),
    Row(
        "D02",
        "inject",
        "no-device-allocated",
        "NVIDIA_VISIBLE_DEVICES",
        lambda r: r.no_node("nvidia0").env(NVIDIA_VISIBLE_DEVICES="none"),
        "cuInit=100",
        container=True,
    ),
    Row(
        "I11 unset",
        "inject",
        "gpu-not-requested",
        "--gpus all",
        lambda r: r.no_node().file("/.gpu-smoke/environ", "PATH=/bin\n"),
        "cuInit=100",
        container=True,
    ),
    Row(
        "I11 void",
        "inject",
        "gpu-not-requested",
        "--gpus all",
        lambda r: r.no_node().env(NVIDIA_VISIBLE_DEVICES="void"),
        "cuInit=100",
        container=True,
    ),
    Row(
        "I11 empty",
        "inject",
        "gpu-not-requested",
        "--gpus all",
        lambda r: r.no_node().env(NVIDIA_VISIBLE_DEVICES=""),
        "cuInit=100",
        container=True,
    ),
    Row(
        "I12",
        "inject",
        "capability-compute-missing",
        "compute,utility",
        lambda r: r.no_driver_library().env(NVIDIA_DRIVER_CAPABILITIES="utility"),
        container=True,
        shows="NVIDIA_DRIVER_CAPABILITIES=utility",
    ),
    Row(
        "I16",
        "libcuda",
        "libcuda-unsearched",
        "LD_LIBRARY_PATH",
        lambda r: (
            r.no_driver_library()
            .driver_library(folder="/opt/drv")
            .env(NVIDIA_CTK_LIBCUDA_DIR="/opt/drv")
        ),
        container=True,
        shows="/opt/drv/libcuda.so",
    ),
    # finding libcuda
    Row(
        "L01",
        "libcuda",
        "libcuda-absent",
        "never install it in the image",
        lambda r: r.no_driver_library(),
    ),
    Row(
        "L02",
        "libcuda",
        "libcuda-unsearched",
        "LD_LIBRARY_PATH",
        lambda r: r.no_driver_library().driver_library(folder="/usr/local/nvidia/lib64"),
        shows="/usr/local/nvidia/lib64/libcuda.so",
    ),
    Row("L03", "libcuda", "empty-file", "size 0", only_library("zero")),
    Row("L05", "libcuda", "wrong-elf-class", "64-bit", only_library("cuda+class32")),
    Row("L07", "libcuda", "not-elf", "driver's own file", only_library("text")),
    Row("L10", "libcuda", "noexec-mount", "without noexec", noexec),
    Row(
        "L12",
        "libcuda",
        "undefined-symbol",
        "one version",
        only_library("cuda-undefined"),
        shows="cuNobodyHasThis",
    ),
    Row(
        "L14",
        "libcuda",
        "stub-library",
        "LD_LIBRARY_PATH",
        lambda r: r.library("/usr/local/cuda-12.4/lib64/stubs/libcuda.so.1", "cuda-stub").env(
            LD_LIBRARY_PATH="/usr/local/cuda-12.4/lib64/stubs"
        ),
        shows="stub",
    ),
    Row("L16", "libcuda", "is-directory", "fix the mount", only_library("directory")),
    Row(
        "L19",
        "libcuda",
        "libcuda-unversioned",
        "libcuda.so.1",
        lambda r: r.no_driver_library().library(f"{LIB}/libcuda.so"),
    ),
    Row(
        "L22",
        "libcuda",
        "musl-libc",
        "glibc",
        lambda r: r.no_driver_library().file("/lib/ld-musl-x86_64.so.1", ""),
    ),
    # init and versions
    Row(
        "V01 empty",
        "init",
        "env-hides-gpus",
        "unset",
        lambda r: r.env(CUDA_VISIBLE_DEVICES=""),
        "cuInit=100",
        shows="(empty)",
    ),
    Row(
        "V01 -1",
        "init",
        "env-hides-gpus",
        "unset",
        lambda r: r.env(CUDA_VISIBLE_DEVICES="-1"),
        "cuInit=100",
    ),
    Row(
        "V01 unknown",
        "init",
        "env-hides-gpus",
        "devices that exist",
        lambda r: r.env(CUDA_VISIBLE_DEVICES="GPU-nope,0"),
        "cuInit=100",
        shows="GPU-nope",
    ),
    Row("V04", "init", "not-initialized", "spawn", script="cuInit=3"),
    Row("V05", "init", "driver-too-old", "update the driver", wheel("'13.0'"), "driver=12080"),
    Row(
        "V07 shadowed",
        "init",
        "shadowed-libcuda",
        "first one's folder",
        lambda r: r.driver_library("535.54.03", "/opt/old").env(LD_LIBRARY_PATH="/opt/old"),
        "cuInit=803",
        shows=DRIVER,
    ),
    Row(
        "V07 baked in",
        "init",
        "baked-in-libcuda",
        "from the image",
        baked,
        "cuInit=803",
        container=True,
    ),
    Row(
        "V07 compat",
        "init",
        "compat-wrong-driver",
        "compat folder",
        compat(module="545.23.08"),
        "cuInit=803",
        shows='"Driver":[535,550,570,580]',
    ),
    Row("V08", "init", "compat-unsupported-gpu", "newer driver", compat(), "cuInit=804"),
    Row(
        "V12 exclusive",
        "init",
        "device-unavailable",
        "nvidia-smi -c DEFAULT",
        script="cuDevicePrimaryCtxRetain=46;mode=3",
        shows="compute mode 3",
    ),
    Row(
        "V12 prohibited",
        "init",
        "device-unavailable",
        "nvidia-smi -c DEFAULT",
        script="cuDevicePrimaryCtxRetain=46;mode=2",
        shows="compute mode 2",
    ),
    Row("V15", "init", "driver-set-incomplete", "full set", script="cuInit=303"),
    Row("V15 symbol", "init", "driver-set-incomplete", "full set", script="cuInit=302"),
    Row("V16", "init", "not-supported", "switch the feature off", script="cuInit=801"),
    Row("V16 permission", "init", "not-permitted", "sandbox", script="cuInit=800"),
    Row("V18", "init", "cuda-error", "newer driver", script="cuInit=4711", shows="4711"),
    Row("V19 segv", "init", "vendor-crash", "one version", script="cuInit=segv", shows="signal 11"),
    Row(
        "V19 abort", "init", "vendor-crash", "one version", script="cuInit=abort", shows="signal 6"
    ),
    # toolkit and framework
    Row(
        "T07 too new",
        "framework",
        "wheel-lacks-gpu",
        "CUDA variant",
        wheel(archs="sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90"),
        "cc=12.0",
        shows="sm_120",
    ),
    Row(
        "T07 too old",
        "framework",
        "wheel-lacks-gpu",
        "CUDA variant",
        wheel(archs="sm_75 sm_80 sm_86 sm_90 sm_100 sm_120 compute_120"),
        "cc=6.1",
        shows="sm_61",
    ),
    # compiling PTX
    Row("J01", "jit", "ptx-too-new", "update the driver", script="ptx=5.0", shows="222"),
    Row("J03", "jit", "jit-compiler-missing", "compute,utility", script="cuModuleLoadDataEx=221"),
    Row("J05", "jit", "bad-image", "build it again", script="cuModuleLoadDataEx=200"),
    Row("J07", "jit", "entry-missing", "together", script="cuModuleGetFunction=500"),
    Row(
        "J09",
        "jit",
        "ptx-target-too-new",
        "lower target",
        shows=".target",
        script="cuModuleLoadDataEx=218;"
        "jitlog=ptxas fatal: SM version specified by .target is higher than default SM version",
    ),
    # execution and health
    Row(
        "X01",
        "exec",
        "wrong-result",
        "drain the node",
        script="corrupt=add",
        shows="first at 32768: expected 10, got 11",
    ),
    Row("X04", "exec", "illegal-access", "compute-sanitizer", script="cuCtxSynchronize=700"),
    Row("X06 resources", "exec", "launch-resources", "smaller blocks", script="cuLaunchKernel=701"),
    Row("X06 timeout", "exec", "launch-timeout", "display", script="cuCtxSynchronize=702"),
    Row(
        "X06 assert", "exec", "device-assert", "CUDA_LAUNCH_BLOCKING", script="cuCtxSynchronize=710"
    ),
    Row(
        "X06 instruction",
        "exec",
        "illegal-instruction",
        "build for this GPU",
        script="cuCtxSynchronize=715",
    ),
    Row("X06 alignment", "exec", "misaligned", "compute-sanitizer", script="cuCtxSynchronize=716"),
    Row("X06 failure", "exec", "kernel-fault", "compute-sanitizer", script="cuCtxSynchronize=719"),
    Row("X07", "health", "ecc-error", "drain the node", script="cuCtxSynchronize=214"),
    Row("X08 nvlink", "health", "nvlink-error", "drain the node", script="cuCtxSynchronize=220"),
    Row("X08 contained", "health", "error-contained", "restart", script="cuCtxSynchronize=226"),
    # sharing
    Row(
        "S01",
        "sharing",
        "mps-unreachable",
        "hostIPC",
        lambda r: r.env(CUDA_MPS_PIPE_DIRECTORY="/var/mps"),
        "cuInit=805",
    ),
    Row("S04 806", "sharing", "mps-not-ready", "runAsUser", script="cuDevicePrimaryCtxRetain=806"),
    Row("S04 807", "sharing", "mps-not-ready", "runAsUser", script="cuDevicePrimaryCtxRetain=807"),
    Row("S04 808", "sharing", "mps-full", "fewer", script="cuDevicePrimaryCtxRetain=808"),
    Row("S04 809", "sharing", "mps-full", "fewer", script="cuInit=809"),
    Row("S04 810", "sharing", "mps-killed", "restart", script="cuCtxSynchronize@2=810"),
    Row(
        "S06",
        "sharing",
        "mig-no-instances",
        "nvidia-smi mig -cgi",
        script="cuInit=100",
        nvml="mig=1",
    ),
    Row("S12", "exec", "out-of-memory", "cap the framework's memory", script="cuMemAlloc_v2=2"),
]


@dataclass
class Pass:
    """A machine that is fine: what must not be a finding, and what must be warned of."""

    name: str
    make: Callable = lambda root: root
    script: str = ""
    nvml: str = ""
    warns: str = ""  # what a warning must hold; "" when there must be none
    container: bool = False


PASSES = [
    Pass("healthy"),
    Pass("healthy container", container=True),
    Pass("D12 nvidia-frontend", lambda r: r.devices(nvidia=0, nvidia_frontend=195)),
    Pass(
        "D13 WSL",
        lambda r: (
            no_gpu(r)
            .node("dxg")
            .driver_library(folder="/usr/lib/wsl/lib")
            .env(LD_LIBRARY_PATH="/usr/lib/wsl/lib")
        ),
    ),
    Pass("Jetson", lambda r: no_gpu(r).file("/dev/nvhost-ctrl", "")),
    Pass("gVisor hides the bus", lambda r: r.remove("/sys").remove("/proc/driver")),
    Pass(
        "L17",
        lambda r: r.driver_library("535.54.03", "/usr/lib"),
        warns="several versions of libcuda.so.1",
    ),
    Pass(
        "L05 skipped",
        lambda r: r.library("/opt/a/libcuda.so.1", "cuda+class32").env(LD_LIBRARY_PATH="/opt/a"),
    ),
    Pass("V11 compat works", compat()),
    Pass(
        "I12 reverse",
        lambda r: r.no_driver_library("libnvidia-ml.so.1").env(
            NVIDIA_DRIVER_CAPABILITIES="compute"
        ),
        container=True,
        warns="NVML was not injected",
    ),
    Pass(
        "I09 stale CDI",
        lambda r: r.file(
            "/etc/cdi/nvidia.yaml",
            "cdiVersion: 0.5.0\nkind: nvidia.com/gpu\ncontainerEdits:\n  deviceNodes:\n"
            "  - path: /dev/nvidia-uvm\n    major: 511\n",
        ),
        warns="major 511, here it is 510",
    ),
    Pass(
        "T06 shadowed cuDNN",
        all_of(
            wheel(),
            lambda r: (
                r.library(
                    "/opt/venv/lib/python3.12/site-packages/nvidia/cudnn/lib/libcudnn.so.9", "empty"
                )
                .library("/opt/cuda/lib64/libcudnn.so.9", "empty")
                .env(LD_LIBRARY_PATH="/opt/cuda/lib64")
            ),
        ),
        warns="in front of the wheel's own",
    ),
    Pass(
        "T13",
        all_of(
            wheel(),
            lambda r: r.library(
                "/opt/venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcudart.so.13", "empty"
            ).library(
                "/opt/venv/lib/python3.12/site-packages/nvidia/cuda_runtime/lib/libcudart.so.12",
                "empty",
            ),
        ),
        warns="libcudart of two majors",
    ),
    Pass("X11", script="ms=5", warns="bandwidth is far below"),
    Pass("X11 lanes", nvml="width=4", warns="4 of 16 lanes"),
    Pass("X13 rows", nvml="rows_pending=1", warns="memory rows wait"),
    Pass("X13 pages", nvml="pages_pending=1", warns="memory rows wait"),
    Pass("X14 hardware", nvml="throttle=8", warns="throttled"),
    Pass("X14 thermal", nvml="throttle=32", warns="throttled"),
    Pass("X14 power cap", nvml="throttle=4"),
    Pass("H18 works", nvml="nvmlDeviceGetHandleByIndex_v2=14", warns="infoROM"),
    Pass("T09 K14", lambda r: r.shm(64 << 20), container=True, warns="/dev/shm is small"),
    Pass("NVML is blocked", nvml="nvmlInit_v2=17", warns="blocks NVML"),
    Pass("several GPUs", script="count=3"),
]


# What users paste, and the causes that must be named for it; the first one is the likeliest.
TEXTS = yaml.safe_load(Path(__file__).with_name("messages.yml").read_text())
