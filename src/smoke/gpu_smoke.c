/* gpu_smoke.c: names the broken layer of this machine's GPU call stack, and the fix.
 *
 *   cc -O2 gpu_smoke.c -ldl -o gpu-smoke && ./gpu-smoke
 *
 * Needs a C11 compiler and glibc 2.17 or newer, nothing of CUDA. Vendor code is loaded only in
 * forked children under a watchdog: a library that crashes or hangs is a finding.
 *
 * First facts are collected (files of the machine, then lines of text from the children), then one
 * table of rules is walked from the hardware up: the first that breaks a layer is the finding.
 * docs/smoke.md tells what a --root holds.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SMOKE_VERSION "0.1.0"

enum {
  MAX_PATH = 1024,
  MAX_LINE = 1024,
  MAX_FILE = 1 << 20, /* largest text file that is read */
  MAX_CACHE = 8 << 20, /* largest ld.so.cache */
  MAX_POOL = 64 << 20, /* all memory that a report may take */
  MAX_ENTRIES = 4096, /* entries of one folder that are looked at */
  MAX_LINKS = 40, /* links followed in one path */
  MAX_EVIDENCE = 8,
  MAX_WARNINGS = 32,
  MAX_PCI = 64,
  MAX_NODES = 96,
  MAX_MOUNTS = 1024,
  MAX_PLACES = 96,
  MAX_LIBRARIES = 96,
  MAX_GPUS = 32,
  MAX_SHARE = 64,
  MAX_BLOCKS = 1 << 13, /* of 64 KiB, of a framework */
  MAX_LOG = 1 << 16
};

typedef unsigned long long ullong;

/* The text that a variadic function got, in an array of its own. */
#define FORMATTED(line, fmt) \
  char line[MAX_LINE] = ""; \
  va_list args; \
  va_start(args, fmt); \
  (void)vsnprintf(line, sizeof line, fmt, args); \
  va_end(args)

#define PRINTF(at, values) __attribute__((format(printf, at, values)))
#define LENGTH(table) (sizeof(table) / sizeof((table)[0]))

/* ---- layers */

enum layer {
  HW,
  KMOD,
  DEVNODES,
  INJECT,
  LIBCUDA,
  INIT,
  TOOLKIT,
  FRAMEWORK,
  JIT,
  EXEC,
  BANDWIDTH,
  HEALTH,
  SHARING,
  N_LAYERS,
  ANYWHERE = N_LAYERS
};

static const struct {
  const char *name;
  int exit;
  const char *what;
} layers[N_LAYERS] = {
  [HW] = {"hw", 10, "GPU on the PCI bus"},
  [KMOD] = {"kmod", 10, "kernel driver (nvidia.ko)"},
  [DEVNODES] = {"devnodes", 11, "device nodes (/dev/nvidia*)"},
  [INJECT] = {"inject", 12, "container injection"},
  [LIBCUDA] = {"libcuda", 13, "user-mode driver (libcuda.so.1)"},
  [INIT] = {"init", 14, "driver start and versions"},
  [TOOLKIT] = {"toolkit", 19, "CUDA toolkit libraries"},
  [FRAMEWORK] = {"framework", 19, "ML framework"},
  [JIT] = {"jit", 15, "PTX compiled for this GPU"},
  [EXEC] = {"exec", 16, "kernels run, results right"},
  [BANDWIDTH] = {"bandwidth", 16, "memory bandwidth"},
  [HEALTH] = {"health", 18, "health of the GPU (NVML)"},
  [SHARING] = {"sharing", 17, "sharing (MIG, MPS, vGPU)"},
};

enum { EXIT_FINE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_NO_GPU = 77 };

enum state { OK, WARNING, BROKEN, NOT_REACHED, NOT_APPLICABLE };

static const char *const state_names[] = {
  "ok", "warning", "broken", "not-reached", "not-applicable"};

/* ---- causes, and the texts by which others tell of them */

struct cause {
  enum layer layer;
  const char *name, *what, *why, *fix;
  const char *texts; /* separated by '|'; '*' stands for anything in between */
};

#define NOT_FOUND "libcuda.so.1: cannot open shared object"

static const struct cause cause_table[] = {
  {HW, "no-gpu", "no NVIDIA GPU on this machine", "neither PCI bus, kernel nor /dev shows one",
    "use a machine (a node type) with a GPU", ""},
  {HW, "gpu-off-bus", "a GPU has fallen off the PCI bus",
    "its registers read as all ones: power, seating or heat",
    "power-cycle the machine; replace the board", "has fallen off the bus"},
  {HW, "gpu-power-cable", "a GPU lacks external power", "NVML says so (8)",
    "connect the power cables, restart", ""},
  {HW, "inforom-corrupted", "the GPU's infoROM is corrupted", "NVML says so (14)",
    "have the board reflashed or replaced", ""},
  {HW, "gpu-reset-required", "a GPU must be reset", "it stopped after a fatal error",
    "drain the node, 'nvidia-smi --gpu-reset' or reboot", ""},
  {HW, "gpu-lost", "the driver lost a GPU", "it no longer answers",
    "drain the node, see Xid in the kernel log, reboot", ""},
  {HW, "fewer-gpus", "fewer GPUs than promised", "--expect names more than CUDA sees",
    "check the allocation and CUDA_VISIBLE_DEVICES", ""},
  {HW, "other-gpu", "another GPU than promised", "its compute capability was not asked for",
    "use the promised node type, or resolve again", ""},
  {KMOD, "driver-not-loaded", "the NVIDIA kernel driver is not loaded",
    "the GPU is there, the module 'nvidia' is not",
    "install the driver, 'modprobe nvidia'; Secure Boot: enrol its key",
    "NVIDIA-SMI has failed because it couldn't communicate|nvml error: driver not loaded"},
  {KMOD, "driver-not-built", "the driver is not built for the running kernel",
    "a kernel update without a DKMS rebuild",
    "install its headers, 'dkms autoinstall'; or boot the older one",
    "Module nvidia not found in directory|NVIDIA-SMI has failed because it couldn't communicate"},
  {KMOD, "other-driver-bound", "another kernel driver holds the GPU",
    "nouveau, or vfio-pci (for a virtual machine)", "blacklist nouveau or unbind vfio; reboot", ""},
  {KMOD, "driver-dropped-gpu", "this driver no longer supports this GPU",
    "470 is the last for Kepler, 580 for Maxwell to Volta",
    "install that last branch and hold the package", "legacy driver*will ignore this GPU"},
  {KMOD, "module-flavour", "the kernel module's flavour does not fit the GPU",
    "the open one needs Turing, Blackwell needs the open one", "install the other flavour",
    "requires use of the NVIDIA open kernel modules"},
  {KMOD, "module-stale", "kernel module and libraries differ in version",
    "the driver was upgraded, the old module stayed loaded",
    "reboot, or reload the nvidia modules; hold the driver package",
    "Driver/library version mismatch|NVML library version:"},
  {DEVNODES, "nodes-missing", "the GPUs' device nodes are missing",
    "the driver is loaded, but nobody made /dev/nvidia<N>", "'nvidia-modprobe -c 0 -u' as root",
    ""},
  {DEVNODES, "uvm-missing", "/dev/nvidia-uvm is missing",
    "nvidia-smi does without it, CUDA does not",
    "host: 'modprobe nvidia_uvm; nvidia-modprobe -c 0 -u'; container: pass it", ""},
  {DEVNODES, "node-major", "a device node has a stale major number",
    "the node or CDI file is older than the driver's start",
    "'nvidia-ctk cdi generate' again, restart the container", ""},
  {DEVNODES, "node-mode", "no permission to open a device node",
    "owner and mode forbid it (EACCES)",
    "add the node's group (supplementalGroups), or DeviceFileMode=0666",
    "Permission denied*/dev/nvidia|Failed to initialize NVML: Insufficient Permissions|nvml "
    "error: insufficient permissions"},
  {DEVNODES, "node-nodev", "device nodes do not work here",
    "EACCES though the mode allows it: nodev, security module",
    "mount without nodev; see AppArmor, SELinux", ""},
  {DEVNODES, "node-cgroup", "the device cgroup forbids a device node",
    "EPERM: a daemon-reload rewrote the container's device rules",
    "restart the container; use CDI or --device",
    "Failed to initialize NVML: Unknown Error|/dev/nvidia*Operation not permitted"},
  {DEVNODES, "node-no-driver", "no driver behind a device node",
    "ENXIO: baked into the image, or the module was unloaded",
    "load the driver on the host; keep no /dev nodes in images",
    "/dev/nvidia*No such device or address"},
  {DEVNODES, "node-io-error", "a device node gives an I/O error",
    "the adapter failed to start or died",
    "see NVRM and Xid in the kernel log; reset the GPU or reboot", ""},
  {DEVNODES, "node-busy", "a device node is busy", "someone has it alone",
    "find who: 'fuser -v /dev/nvidia*'", ""},
  {DEVNODES, "node-not-device", "a device node is no device",
    "a file is in its place: the mount had no source",
    "load the driver on the host, then start the container", ""},
  {DEVNODES, "mig-caps-missing", "the MIG capability nodes are missing",
    "/dev/nvidia-caps lacks those of the MIG device asked for",
    "let the toolkit inject them, or 'nvidia-modprobe -f' access files", ""},
  {INJECT, "gpu-not-requested", "this container asked for no GPU",
    "NVIDIA_VISIBLE_DEVICES is unset, empty or 'void'",
    "start it with '--gpus all' or the limit 'nvidia.com/gpu: 1'", ""},
  {INJECT, "no-gpu-access", "this container has no GPU access", "no device nodes were passed in",
    "'--gpus all', CDI or 'nvidia.com/gpu: 1'; is the runtime nvidia's?", ""},
  {INJECT, "no-device-allocated", "no GPU was allocated to this container",
    "/dev/nvidiactl came in without any /dev/nvidia<N>",
    "NVIDIA_VISIBLE_DEVICES=all, '--gpus all' or 'nvidia.com/gpu: 1'", ""},
  {INJECT, "capability-compute-missing", "libcuda was not injected",
    "NVIDIA_DRIVER_CAPABILITIES lacks 'compute'", "set it to compute,utility", ""},
  {INJECT, "capability-utility-missing", "NVML was not injected",
    "NVIDIA_DRIVER_CAPABILITIES lacks 'utility'", "set it to compute,utility", ""},
  {INJECT, "cdi-stale", "a CDI file no longer fits this host",
    "it names files or numbers of an earlier driver",
    "'nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml'", "failed to stat CDI host device"},
  {INJECT, "cdi-unresolvable", "the engine cannot find the CDI device",
    "no CDI file, not where it looks, or of another kind",
    "'nvidia-ctk cdi generate', check the engine's CDI folders", "unresolvable CDI devices"},
  {INJECT, "engine-no-gpu", "the container engine knows no GPUs",
    "container toolkit not configured, or no GPU at all",
    "install it, 'nvidia-ctk runtime configure', restart the engine",
    "could not select device driver*gpu"},
  {INJECT, "host-driver-missing", "the engine finds no driver on the host",
    "no driver, docker from snap, or Docker Desktop without WSL 2",
    "install the driver; docker's own packages; the WSL 2 backend",
    "load library failed: libnvidia-ml.so.1"},
  {INJECT, "image-gate", "the image demands a newer driver",
    "NVIDIA_REQUIRE_CUDA names a CUDA that this driver lacks",
    "an older CUDA's image (see the matrix), or a newer driver", "unsatisfied condition: cuda"},
  {INJECT, "cgroup-bpf", "a rootless engine cannot set the device cgroup",
    "it may not use bpf in a user namespace",
    "'no-cgroups = true' in the toolkit's config.toml, or CDI", "bpf_prog_query"},
  {INJECT, "gpu-in-build", "an image build has no GPU", "builders inject neither nodes nor libcuda",
    "link against stubs, run GPU code only in containers", "cannot find -lcuda"},
  {INJECT, "k8s-no-gpu-free", "no node has that GPU resource free",
    "not advertised, all taken, or a wrong name",
    "'kubectl describe node', the device plugin's log",
    "Insufficient nvidia.com/|Insufficient*gpu"},
  {INJECT, "k8s-taint", "the pod does not tolerate the nodes' taint",
    "it keeps other pods off GPU nodes", "tolerate key nvidia.com/gpu, operator Exists",
    "untolerated taint*gpu"},
  {INJECT, "k8s-plugin-no-nvml", "the device plugin cannot load NVML",
    "nvidia is not that node's default runtime",
    "'runtimeClassName: nvidia', or make nvidia the default",
    "Detected non-NVML platform|Incompatible*detected"},
  {INJECT, "k8s-whole-gpus", "GPUs come in whole numbers, request as limit",
    "extended resources are integers", "an integer under limits; share by MIG, MPS, time-slicing",
    "nvidia.com*integer|equal to nvidia.com|/gpu: 0."},
  {INJECT, "k8s-runtime-class", "the RuntimeClass 'nvidia' does not exist",
    "the GPU operator makes it, clouds have none",
    "create it (handler nvidia), or drop runtimeClassName", "RuntimeClass*nvidia*not found"},
  {INJECT, "k8s-plugin-twice", "two device plugins on one node",
    "Bottlerocket and GKE bring one, AWS's vGPU another", "keep one: a node selector on the other",
    "already registered*nvidia.com/gpu|k8s.amazonaws.com/vgpu*nvidia"},
  {LIBCUDA, "libcuda-absent", "libcuda.so.1 is nowhere on this machine",
    "the host's user-mode driver was not injected",
    "get it injected; never install it in the image",
    NOT_FOUND "|Could not find cuda drivers on your machine|Found no "
              "NVIDIA driver on your system"},
  {LIBCUDA, "libcuda-unsearched", "libcuda.so.1 lies where the loader does not look",
    "its folder is not on its path", "put that folder on LD_LIBRARY_PATH, or run ldconfig",
    NOT_FOUND},
  {LIBCUDA, "libcuda-unversioned", "only libcuda.so is there, libcuda.so.1 is loaded",
    "the plain name is for linking", "get the driver's libcuda.so.1 injected",
    "libcuda.so: cannot open shared object"},
  {LIBCUDA, "empty-file", "libcuda.so.1 is an empty file",
    "the image was built under the nvidia runtime",
    "build with the plain runtime; delete driver files of size 0", "libcuda*file too short"},
  {LIBCUDA, "truncated-file", "libcuda.so.1 is cut short", "loading it gives a bus error",
    "install the driver again; look for a full disk", ""},
  {LIBCUDA, "wrong-elf-class", "libcuda.so.1 is a 32-bit library",
    "a 64-bit program cannot load it", "put the folder of the 64-bit libraries first",
    "libcuda*wrong ELF class"},
  {LIBCUDA, "wrong-machine", "libcuda.so.1 is for another processor",
    "x86-64 and aarch64 are mixed", "use image and driver of this machine's architecture",
    NOT_FOUND},
  {LIBCUDA, "not-elf", "libcuda.so.1 is no library",
    "a Git LFS pointer, linker script, failed download", "replace it by the driver's own file",
    "libcuda*invalid ELF header"},
  {LIBCUDA, "is-directory", "libcuda.so.1 is a folder", "a bind mount without a source made it",
    "fix the mount, remove the folder", "libcuda*Is a directory"},
  {LIBCUDA, "unreadable", "libcuda.so.1 may not be read",
    "its mode forbids it; the loader says 'no such file'", "make it readable for this user",
    NOT_FOUND},
  {LIBCUDA, "dangling-link", "libcuda.so.1 points to nothing",
    "half an upgrade, or the file is not mounted",
    "install the driver again; in a container mount both", NOT_FOUND},
  {LIBCUDA, "noexec-mount", "libcuda.so.1 is on a noexec mount", "its code may not be mapped",
    "mount without noexec, or use another path", "libcuda*failed to map segment"},
  {LIBCUDA, "undefined-symbol", "libcuda.so.1 does not fit its neighbours",
    "files of several drivers are mixed", "take all driver libraries from one version",
    "libcuda*undefined symbol"},
  {LIBCUDA, "missing-dependency", "a library that libcuda.so.1 needs is missing",
    "only part of the driver was injected", "NVIDIA_DRIVER_CAPABILITIES=compute,utility", ""},
  {LIBCUDA, "libc-too-old", "the driver needs a newer C library",
    "a symbol version is missing in libc", "use a base image of a newer distribution",
    "version `GLIBC*not found"},
  {LIBCUDA, "musl-libc", "this system has musl, the driver needs glibc",
    "NVIDIA builds for glibc only", "use an image with glibc: Debian, Ubuntu, UBI",
    "Error relocating*libcuda|Error loading shared library libcuda"},
  {LIBCUDA, "stub-library", "the toolkit's stub is loaded as the driver",
    "lib64/stubs is on the library path (34)", "take it off LD_LIBRARY_PATH and run paths", ""},
  {LIBCUDA, "several-libcuda", "several versions of libcuda.so.1 are in reach",
    "the first that loads wins", "keep the one that fits the kernel module", ""},
  {LIBCUDA, "not-a-driver", "libcuda.so.1 is no CUDA driver of today",
    "it lacks entry points of CUDA 9", "take it off the library path", ""},
  {LIBCUDA, "libcuda-load", "libcuda.so.1 does not load", "the loader refused it",
    "let the host's driver be injected", ""},
  {INIT, "env-hides-gpus", "CUDA_VISIBLE_DEVICES hides the GPUs",
    "an empty, -1 or unknown entry hides itself and all after it",
    "unset it, or name devices that exist", ""},
  {INIT, "no-device", "the CUDA driver finds no GPU that it may use",
    "libcuda loads but enumerates nothing (100)",
    "check nodes, CUDA_VISIBLE_DEVICES, NVRM in the kernel log", ""},
  {INIT, "not-initialized", "CUDA cannot start in this process (3)",
    "a forked child cannot use its parent's CUDA", "use the 'spawn' start method",
    "Cannot re-initialize CUDA in forked subprocess"},
  {INIT, "driver-too-old", "the driver is too old for this CUDA",
    "CUDA 11 needs driver 450, 12 needs 525, 13 needs 580",
    "update the driver, or take the build for an older CUDA",
    "NVIDIA driver on your system is too old"},
  {INIT, "version-mismatch", "libcuda and kernel module differ in version",
    "the driver refuses the pair (803)", "have one libcuda, of the module's version", ""},
  {INIT, "compat-wrong-driver", "this cuda-compat does not work on this driver",
    "it holds only for the branches that it lists",
    "take the compat folder off the path; older CUDA or newer driver", ""},
  {INIT, "compat-unsupported-gpu", "forward compatibility does not cover this GPU",
    "cuda-compat is for data-center GPUs (804)",
    "take the compat folder off the path; newer driver or older CUDA", ""},
  {INIT, "shadowed-libcuda", "another libcuda lies in front of the right one",
    "the loader takes the first", "take the first one's folder off the library path", ""},
  {INIT, "baked-in-libcuda", "the image brings its own libcuda",
    "it does not fit the host's kernel module", "remove libcuda1, libnvidia-compute from the image",
    ""},
  {INIT, "fabric-manager", "the NVSwitch fabric is not up (802)",
    "the GPUs wait for nvidia-fabricmanager",
    "start it (of the driver's version); in a cloud replace the node", ""},
  {INIT, "fabric-not-ready", "the GPUs are not ready yet (802)",
    "still starting, or driver and kernel clash (KASLR)",
    "wait; update kernel and driver, or boot with nokaslr", ""},
  {INIT, "device-unavailable", "the GPU is busy or unavailable (46)",
    "compute mode exclusive or prohibited, or no MPS server",
    "end the other process, start MPS, or 'nvidia-smi -c DEFAULT'", ""},
  {INIT, "driver-set-incomplete", "parts of the driver are missing",
    "libcuda could not load or start its own libraries",
    "get the full set injected (compute), all of one version", ""},
  {INIT, "not-permitted", "the operation is not permitted (800)",
    "profiling rights, a licence, or a sandbox",
    "allow profiling (NVreg_RestrictProfilingToAdminUsers=0); sandbox", ""},
  {INIT, "not-supported", "the operation is not supported here (801)",
    "vGPU, MIG and WSL lack some features", "switch the feature off for this device", ""},
  {INIT, "invalid-device", "the device number does not exist (101)",
    "fewer GPUs are visible than expected", "check CUDA_VISIBLE_DEVICES and the allocation", ""},
  {INIT, "os-call-failed", "a system call of the driver failed (304)",
    "seccomp, a sandbox or a limit", "try without the profile; see the kernel log", ""},
  {INIT, "unknown-error", "the driver reports an unknown error (999)",
    "mostly nvidia-uvm missing, stale or forbidden",
    "check /dev/nvidia-uvm, Xid in the kernel log; reboot", ""},
  {ANYWHERE, "cuda-error", "the CUDA driver reports an error", "see the code",
    "see the kernel log; a newer driver may know more", ""},
  {ANYWHERE, "vendor-crash", "the driver's code crashed", "mixed or damaged driver files, or a bug",
    "take all driver libraries from one version; see the kernel log", ""},
  {ANYWHERE, "vendor-hang", "the driver's code hangs",
    "a wedged GPU or firmware, or a very slow start",
    "see Xid in the kernel log, reboot; or raise --timeout", ""},
  {TOOLKIT, "cudnn-major", "cuDNN is missing or of another major version",
    "libcudnn.so.8 and .9 do not replace each other",
    "install the major that the matrix names for this framework",
    "libcudnn*cannot open shared object|Could not load library libcudnn"},
  {TOOLKIT, "toolkit-missing", "a CUDA toolkit library is missing",
    "the framework wants it from the environment",
    "the runtime image that the matrix names, or '[and-cuda]'",
    "Could not load dynamic library 'lib|Cannot dlopen some GPU libraries|libcu*cannot open "
    "shared object|libnvJitLink*cannot open|libnvrtc*cannot open"},
  {TOOLKIT, "two-runtimes", "libcudart of two majors is installed",
    "wheels of several CUDA majors are mixed", "install all wheels for one CUDA major", ""},
  {TOOLKIT, "toolkit-shadowed", "a toolkit lies in front of the wheel's own",
    "LD_LIBRARY_PATH wins over the wheel", "take the toolkit's folder off LD_LIBRARY_PATH", ""},
  {FRAMEWORK, "cpu-only-wheel", "the installed framework is a CPU-only build",
    "it never uses a GPU", "install the CUDA build: the matrix names version and index",
    "Torch not compiled with CUDA enabled"},
  {FRAMEWORK, "wheel-lacks-gpu", "the framework has no code for this GPU",
    "no cubin and no PTX of its build fits (209)",
    "take the CUDA variant that covers it: the matrix names it",
    "is not compatible with the current PyTorch"},
  {FRAMEWORK, "xla-tools", "XLA finds no ptxas or libdevice", "runtime images lack the compiler",
    "install nvidia-cuda-nvcc, or set --xla_gpu_cuda_data_dir",
    "find libdevice|libdevice not found|ptxas*not found|Couldn't invoke ptxas"},
  {JIT, "ptx-too-new", "the driver is too old for this PTX (222)",
    "minor-version compatibility excludes PTX",
    "update the driver, ship cubins, or use an older toolkit", "Unsupported .version"},
  {JIT, "jit-compiler-missing", "the driver's PTX compiler is missing (221)",
    "libnvidia-ptxjitcompiler.so.1 was not injected",
    "NVIDIA_DRIVER_CAPABILITIES=compute,utility; one full driver set",
    "libnvidia-ptxjitcompiler*cannot open"},
  {JIT, "jit-disabled", "compiling PTX is switched off (223)", "CUDA_DISABLE_PTX_JIT is set",
    "unset it, or ship cubins for every GPU", ""},
  {JIT, "bad-image", "the driver refuses the kernel image",
    "damaged, or made for something else (200, 218)", "build it again; see the compiler's log", ""},
  {JIT, "entry-missing", "the kernel is not in the module (500)",
    "another version of it was loaded", "build program and kernels together", ""},
  {JIT, "ptx-target-too-new", "the PTX is for a newer GPU than this",
    "its .target is above the compute capability", "build for a lower target",
    "SM version specified by .target is higher"},
  {EXEC, "out-of-memory", "the GPU has not enough free memory",
    "others hold it (time-slicing and AWS vGPU isolate none)",
    "cap the framework's memory, end the others, a larger slice", ""},
  {EXEC, "wrong-result", "a kernel ran, and its result is wrong",
    "bad memory, a bad compute unit, or a driver bug",
    "run again; then drain the node, replace the GPU", ""},
  {EXEC, "illegal-access", "a kernel used memory that it may not (700)",
    "its bug, or failing hardware", "the context is lost; run compute-sanitizer", ""},
  {EXEC, "launch-timeout", "a kernel ran too long (702)", "the watchdog of a display stops kernels",
    "use a GPU without a display", ""},
  {EXEC, "launch-resources", "a kernel asks for more than the GPU has (701)",
    "registers, threads or shared memory", "launch smaller blocks", ""},
  {EXEC, "kernel-fault", "a kernel faulted", "a bug, or failing hardware",
    "run compute-sanitizer; gpu-smoke --level long", ""},
  {BANDWIDTH, "bandwidth-low", "memory bandwidth is far below the GPU's peak",
    "throttled, a slice, or shared right now", "see health and sharing", ""},
  {HEALTH, "ecc-error", "an uncorrectable memory error (ECC)", "the GPU's memory is failing",
    "drain the node, reset the GPU; replace it if it returns", ""},
  {HEALTH, "nvlink-error", "an NVLink error (220)", "a link or the fabric failed",
    "drain the node; see the fabric manager's log", ""},
  {HEALTH, "error-contained", "a contained memory error (226)", "the GPU stopped only this process",
    "restart the process; drain if it returns", ""},
  {HEALTH, "rows-pending", "memory rows wait to be replaced", "it takes effect at the next reset",
    "reset the GPU in the next maintenance", ""},
  {HEALTH, "remap-failed", "the GPU has no spare memory rows left", "row remapping failed",
    "drain the node; replace the GPU", ""},
  {HEALTH, "throttled", "the GPU's clocks are throttled",
    "heat, power brake or a hardware slowdown", "check cooling and power supply", ""},
  {HEALTH, "pcie-degraded", "the PCIe link is narrower than it could be",
    "seating, a riser or the slot", "reseat the board; see lspci -vv", ""},
  {HEALTH, "nvml-failed", "NVML does not work", "CUDA may work all the same", "see the code", ""},
  {HEALTH, "nvml-blocked", "the operating system blocks NVML (17)",
    "cgroup rules deny the device nodes", "restart the container", ""},
  {SHARING, "mps-unreachable", "the MPS server cannot be reached (805)",
    "its pipe folder is there, the server is not",
    "mount pipe folder and /dev/shm, hostIPC: true, same user id", ""},
  {SHARING, "mps-not-ready", "the MPS server is not ready (806, 807)",
    "it starts, or serves another user id", "one runAsUser for all clients; restart the daemon",
    "push client to pending list"},
  {SHARING, "mps-full", "the MPS server takes no more clients (808, 809)", "48 clients per GPU",
    "run fewer per GPU", ""},
  {SHARING, "mps-killed", "the MPS server ended this client (810)",
    "a fault of one client ends the others too", "restart; find the client that faults", ""},
  {SHARING, "mig-no-instances", "MIG is on, but has no instances",
    "nvidia-smi lists the GPU, CUDA finds none (100)",
    "'nvidia-smi mig -cgi PROFILE -C', or switch MIG off", ""},
  {SHARING, "sharing-not-in-force", "the GPU is not shared as asked for",
    "another kind is in force, or none", "check the device plugin's configuration", ""},
  {SHARING, "shared-limit", "more than one share of a GPU was asked for",
    "the plugin allows one (failRequestsGreaterThanOne)", "ask for 1",
    "maximum request size for shared resources is 1"},
  {SHARING, "shm-small", "/dev/shm is small", "64 MiB is the default; data loaders need more",
    "--shm-size=8g; Kubernetes: emptyDir of medium Memory",
    "insufficient shared memory (shm)|bus error encountered in worker"},
};

static const struct cause *cause_find(const char *name)
{
  size_t n = strcspn(name, " ");

  for (size_t i = 0; i < LENGTH(cause_table); i++)
    if (strncmp(cause_table[i].name, name, n) == 0 && !cause_table[i].name[n])
      return &cause_table[i];
  return NULL;
}

/* Is one of the cause's texts in this one? Without regard to case. */
static int cause_told(const struct cause *c, const char *text)
{
  const char *at = text;

  for (const char *p = c->texts; *p;) {
    char part[96];
    size_t n = strcspn(p, "*|");
    snprintf(part, sizeof part, "%.*s", (int)n, p);
    at = at ? strcasestr(at, part) : NULL;
    p += n;
    if (*p != '*' && at) return 1;
    if (*p == '|') at = text;
    p += *p != '\0';
  }
  return 0;
}

/* ---- codes that others print */

struct code {
  int code;
  const char *name, *text;
  const char *causes; /* separated by blanks, the likeliest first */
};

/* 35 and 98 only the runtime API has. */
static const struct code cuda_codes[] = {
  {1, "INVALID_VALUE", "invalid argument", "cuda-error"},
  {2, "OUT_OF_MEMORY", "out of memory", "out-of-memory"},
  {3, "NOT_INITIALIZED", "initialization error", "not-initialized"},
  {34, "STUB_LIBRARY", "CUDA driver is a stub library", "stub-library"},
  {35, "INSUFFICIENT_DRIVER", "CUDA driver version is insufficient",
    "driver-too-old libcuda-absent libcuda-unsearched empty-file wrong-elf-class wrong-machine "
    "not-elf dangling-link is-directory missing-dependency undefined-symbol"},
  {36, "CALL_REQUIRES_NEWER_DRIVER", "API call is not supported", "driver-too-old"},
  {46, "DEVICE_UNAVAILABLE", "is/are busy or unavailable", "device-unavailable"},
  {98, "INVALID_DEVICE_FUNCTION", "invalid device function", "wheel-lacks-gpu"},
  {100, "NO_DEVICE", "no CUDA-capable device is detected",
    "no-device env-hides-gpus no-gpu-access driver-not-loaded node-mode node-cgroup "
    "driver-dropped-gpu mig-no-instances"},
  {101, "INVALID_DEVICE", "invalid device ordinal", "invalid-device"},
  {102, "DEVICE_NOT_LICENSED", "device doesn't have valid Grid license", "not-permitted"},
  {200, "INVALID_IMAGE", "device kernel image is invalid", "bad-image"},
  {201, "INVALID_CONTEXT", "invalid device context", "not-initialized"},
  {209, "NO_BINARY_FOR_GPU", "no kernel image is available", "wheel-lacks-gpu"},
  {214, "ECC_UNCORRECTABLE", "uncorrectable ECC error encountered", "ecc-error"},
  {218, "INVALID_PTX", "a PTX JIT compilation failed", "bad-image ptx-target-too-new"},
  {220, "NVLINK_UNCORRECTABLE", "uncorrectable NVLink error", "nvlink-error"},
  {221, "JIT_COMPILER_NOT_FOUND", "PTX JIT compiler library not found", "jit-compiler-missing"},
  {222, "UNSUPPORTED_PTX_VERSION", "PTX was compiled with an unsupported toolchain", "ptx-too-new"},
  {223, "JIT_COMPILATION_DISABLED", "PTX JIT compilation was disabled", "jit-disabled"},
  {226, "CONTAINED", "access of peer GPU memory over nvlink", "error-contained"},
  {302, "SHARED_OBJECT_SYMBOL_NOT_FOUND", "shared object symbol not found",
    "driver-set-incomplete"},
  {303, "SHARED_OBJECT_INIT_FAILED", "shared object initialization failed",
    "driver-set-incomplete"},
  {304, "OPERATING_SYSTEM", "OS call failed", "os-call-failed"},
  {400, "INVALID_HANDLE", "invalid resource handle", "cuda-error"},
  {500, "NOT_FOUND", "named symbol not found", "entry-missing"},
  {700, "ILLEGAL_ADDRESS", "an illegal memory access was encountered", "illegal-access"},
  {701, "LAUNCH_OUT_OF_RESOURCES", "too many resources requested for launch", "launch-resources"},
  {702, "LAUNCH_TIMEOUT", "the launch timed out and was terminated", "launch-timeout"},
  {710, "ASSERT", "device-side assert triggered", "kernel-fault"},
  {714, "HARDWARE_STACK_ERROR", "hardware stack error", "kernel-fault"},
  {715, "ILLEGAL_INSTRUCTION", "an illegal instruction was encountered", "kernel-fault"},
  {716, "MISALIGNED_ADDRESS", "misaligned address", "kernel-fault"},
  {717, "INVALID_ADDRESS_SPACE", "global/shared address space", "kernel-fault"},
  {718, "INVALID_PC", "invalid program counter", "kernel-fault"},
  {719, "LAUNCH_FAILED", "unspecified launch failure", "kernel-fault"},
  {800, "NOT_PERMITTED", "operation not permitted", "not-permitted"},
  {801, "NOT_SUPPORTED", "operation not supported", "not-supported"},
  {802, "SYSTEM_NOT_READY", "system not yet initialized", "fabric-not-ready fabric-manager"},
  {803, "SYSTEM_DRIVER_MISMATCH", "unsupported display driver / cuda driver combination",
    "version-mismatch module-stale compat-wrong-driver shadowed-libcuda baked-in-libcuda"},
  {804, "COMPAT_NOT_SUPPORTED_ON_DEVICE", "forward compatibility was attempted on non supported HW",
    "compat-unsupported-gpu"},
  {805, "MPS_CONNECTION_FAILED", "MPS client failed to connect", "mps-unreachable"},
  {806, "MPS_RPC_FAILURE", "call between the MPS server and the MPS client", "mps-not-ready"},
  {807, "MPS_SERVER_NOT_READY", "MPS server is not ready", "mps-not-ready"},
  {808, "MPS_MAX_CLIENTS_REACHED", "resources required to create MPS client", "mps-full"},
  {809, "MPS_MAX_CONNECTIONS_REACHED", "resources required to support device", "mps-full"},
  {810, "MPS_CLIENT_TERMINATED", "MPS client has been terminated", "mps-killed"},
  {999, "UNKNOWN", "unknown error",
    "unknown-error uvm-missing node-major node-cgroup driver-not-loaded gpu-off-bus"},
};

static const struct code nvml_codes[] = {
  {3, "NOT_SUPPORTED", "not supported", "nvml-failed"},
  {4, "NO_PERMISSION", "no permission", "node-mode"},
  {8, "INSUFFICIENT_POWER", "insufficient external power", "gpu-power-cable"},
  {9, "DRIVER_NOT_LOADED", "driver not loaded", "driver-not-loaded"},
  {12, "LIBRARY_NOT_FOUND", "NVML shared library not found", "capability-utility-missing"},
  {14, "CORRUPTED_INFOROM", "infoROM is corrupted", "inforom-corrupted"},
  {15, "GPU_IS_LOST", "GPU is lost", "gpu-lost"},
  {16, "RESET_REQUIRED", "GPU requires reset", "gpu-reset-required"},
  {17, "OPERATING_SYSTEM", "blocked by the operating system", "nvml-blocked node-cgroup"},
  {18, "LIB_RM_VERSION_MISMATCH", "Driver/library version mismatch", "module-stale"},
  {19, "IN_USE", "in use by another client", "device-unavailable"},
  {255, "UNKNOWN", "internal driver error", "unknown-error"},
  {999, "UNKNOWN", "Unknown Error", "node-cgroup nvml-failed"},
};

/* Of the kernel log. */
static const struct code xid_codes[] = {
  {13, "GRAPHICS_ENGINE", "graphics engine exception", "kernel-fault"},
  {31, "MMU_FAULT", "GPU memory page fault", "illegal-access"},
  {43, "STOPPED", "GPU stopped processing", "kernel-fault"},
  {48, "DOUBLE_BIT_ECC", "double bit ECC error", "ecc-error"},
  {64, "ROW_REMAP_FAILED", "row remapping failed", "remap-failed"},
  {74, "NVLINK", "NVLink error", "nvlink-error"},
  {79, "OFF_THE_BUS", "GPU has fallen off the bus", "gpu-off-bus"},
  {94, "CONTAINED_ECC", "contained ECC error", "error-contained"},
  {95, "UNCONTAINED_ECC", "uncontained ECC error", "ecc-error gpu-reset-required"},
  {119, "GSP_TIMEOUT", "GSP RPC timeout", "vendor-hang gpu-reset-required"},
};

static const struct {
  const char *word, *prefix; /* in front of the number; in front of the name */
  const struct code *codes;
  size_t n;
} code_tables[] = {
  {"nvidia-smi", "NVML_ERROR_", nvml_codes, LENGTH(nvml_codes)}, /* its exit codes are these */
  {"nvml", "NVML_ERROR_", nvml_codes, LENGTH(nvml_codes)},
  {"xid", "Xid ", xid_codes, LENGTH(xid_codes)},
  {"", "CUDA_ERROR_", cuda_codes, LENGTH(cuda_codes)},
};

enum { SMI_CODES, NVML_CODES, XID_CODES, CUDA_CODES };

static const struct code *code_find(int table, int code)
{
  for (size_t i = 0; i < code_tables[table].n; i++)
    if (code_tables[table].codes[i].code == code) return &code_tables[table].codes[i];
  return NULL;
}

/* ---- text and memory */

PRINTF(3, 4) static void format(char *out, size_t size, const char *fmt, ...)
{
  va_list args;

  va_start(args, fmt);
  if (vsnprintf(out, size, fmt, args) < 0) out[0] = '\0';
  va_end(args);
}

/* All memory of a report, freed at once; in pieces, so that a sanitizer sees their ends. */
struct piece {
  struct piece *next;
  char bytes[];
};

struct pool {
  struct piece *first;
  size_t used;
};

static char *pool_get(struct pool *p, size_t size)
{
  struct piece *piece;

  if (size > MAX_POOL || p->used > MAX_POOL - size) return NULL;
  piece = calloc(1, sizeof *piece + size);
  if (!piece) return NULL;
  piece->next = p->first;
  p->first = piece;
  p->used += size;
  return piece->bytes;
}

static void pool_release(struct pool *p)
{
  while (p->first) {
    struct piece *next = p->first->next;
    free(p->first);
    p->first = next;
  }
  p->used = 0;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static int same(const char *a, const char *b) { return strcmp(a, b) == 0; }

static int starts(const char *text, const char *start)
{
  return strncmp(text, start, strlen(start)) == 0;
}

/* The next line, cut off *rest; NULL after the last. */
static char *next_line(char **rest)
{
  char *line = *rest;

  if (!line || !*line) return NULL;
  size_t n = strcspn(line, "\n");
  *rest = line + n + (line[n] == '\n');
  line[n] = '\0';
  while (n > 0 && is_space(line[n - 1])) line[--n] = '\0';
  return line;
}

/* The next word, cut off *rest; "" after the last. */
static char *next_word(char **rest)
{
  char *word = *rest + strspn(*rest, " \t");
  size_t n = strcspn(word, " \t");

  *rest = word + n + (word[n] != '\0');
  word[n] = '\0';
  return word;
}

/* Is the word in the list? */
static int list_has(const char *list, const char *seps, const char *word)
{
  for (size_t n; *list; list += n + (list[n] != '\0')) {
    n = strcspn(list, seps);
    if (n == strlen(word) && strncmp(list, word, n) == 0) return 1;
  }
  return 0;
}

/* Versions by their numbers: 535.54 comes before 535.104. */
static int version_compare(const char *a, const char *b)
{
  while (*a || *b) {
    char *enda, *endb;
    unsigned long x = strtoul(a, &enda, 10), y = strtoul(b, &endb, 10);
    if (x != y) return x < y ? -1 : 1;
    a = *enda == '.' ? enda + 1 : "";
    b = *endb == '.' ? endb + 1 : "";
  }
  return 0;
}

/* ---- the machine, or a root that shows one */

/* With a root, every path is looked up inside it, links included. */
struct host {
  const char *root; /* NULL: this machine */
  const char *environ, *manifest; /* of the root, or NULL */
  struct pool pool;
  void (*seen)(void *context, const char *path); /* told of every path; or NULL */
  void *context;
};

/* Never NULL: a text that finds no room is "". */
PRINTF(2, 3) static const char *text_of(struct host *h, const char *fmt, ...)
{
  FORMATTED(line, fmt);
  size_t size = strlen(line) + 1;
  char *copy = pool_get(&h->pool, size);
  return copy ? memcpy(copy, line, size) : "";
}

/* A copy of the next item of a list, NULL after the last. */
static const char *list_next(struct host *h, const char **list, const char *seps)
{
  const char *item = *list;
  size_t n = item ? strcspn(item, seps) : 0;

  if (!item || !*item) return NULL;
  *list = item + n + (item[n] != '\0');
  return text_of(h, "%.*s", (int)n, item);
}

/* The path inside the root after all links, but for one at the end with keep. */
static int host_real(const struct host *h, const char *path, int keep, char real[MAX_PATH])
{
  char left[2 * MAX_PATH], rest[2 * MAX_PATH], full[2 * MAX_PATH], link[MAX_PATH];
  int links = 0;

  real[0] = '\0';
  if (strlen(path) >= MAX_PATH) return -1;
  format(rest, sizeof rest, "%s", path);
  while (rest[strspn(rest, "/")]) {
    format(left, sizeof left, "%s", rest + strspn(rest, "/"));
    size_t n = strcspn(left, "/"), was = strlen(real);
    format(rest, sizeof rest, "%s", left + n);
    left[n] = '\0';
    if (same(left, "..")) {
      char *slash = strrchr(real, '/');
      *(slash ? slash : real) = '\0';
    }
    if (same(left, "..") || same(left, ".")) continue;
    format(real + was, MAX_PATH - was, "/%s", left);
    format(full, sizeof full, "%s%s", h->root, real);
    ssize_t size = keep && !rest[strspn(rest, "/")] ? -1 : readlink(full, link, MAX_PATH - 1);
    if (size < 0) continue;
    link[size] = '\0';
    if (++links > MAX_LINKS || strlen(rest) + (size_t)size >= MAX_PATH) return -1;
    real[link[0] == '/' ? 0 : was] = '\0';
    format(left, sizeof left, "%s%s", link, rest);
    format(rest, sizeof rest, "%s", left);
  }
  return 0;
}

/* The path to hand to the system. */
static int host_path(const struct host *h, const char *path, int keep, char out[2 * MAX_PATH])
{
  char real[MAX_PATH];

  if (h->seen) h->seen(h->context, path);
  if (!h->root) {
    format(out, 2 * MAX_PATH, "%s", path);
    return strlen(path) < MAX_PATH ? 0 : -1;
  }
  if (host_real(h, path, keep, real)) return -1;
  format(out, 2 * MAX_PATH, "%s%s", h->root, real);
  return 0;
}

/* Regular files only: a root may hold anything. One without rights shows an unreadable one. */
static int host_open(const struct host *h, const char *path)
{
  char full[2 * MAX_PATH];
  struct stat st;

  if (host_path(h, path, 0, full) || stat(full, &st) || !S_ISREG(st.st_mode) ||
    (h->root && !(st.st_mode & 0444)))
    return -1;
  int fd = open(full, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
    close(fd);
    return -1;
  }
  return fd;
}

/* At most max bytes of the file and a NUL; or NULL. */
static char *host_bytes(struct host *h, const char *path, size_t max, size_t *size)
{
  struct stat st;
  int fd = host_open(h, path);
  char *buf, *copy = NULL;

  *size = 0;
  if (fd < 0) return NULL;
  if (fstat(fd, &st) == 0 && (st.st_size || h->root) && (size_t)st.st_size < max)
    max = (size_t)st.st_size; /* files of /proc say 0 */
  buf = malloc(max + 1);
  for (ssize_t n; buf && *size < max && (n = read(fd, buf + *size, max - *size)) > 0;)
    *size += (size_t)n;
  if (buf && (copy = pool_get(&h->pool, *size + 1))) memcpy(copy, buf, *size);
  free(buf);
  close(fd);
  return copy;
}

/* The file's text; NUL bytes become newlines. */
PRINTF(2, 3) static char *host_read(struct host *h, const char *fmt, ...)
{
  FORMATTED(path, fmt);
  size_t size;
  char *text = host_bytes(h, path, MAX_FILE, &size);

  for (size_t i = 0; text && i < size; i++)
    if (!text[i]) text[i] = '\n';
  return text;
}

static int host_stat(const struct host *h, const char *path, int keep, struct stat *st)
{
  char full[2 * MAX_PATH];

  return host_path(h, path, keep, full) || (keep ? lstat(full, st) : stat(full, st)) ? -1 : 0;
}

static int host_exists(const struct host *h, const char *path)
{
  struct stat st;

  return host_stat(h, path, 0, &st) == 0;
}

/* The path after all links, "" when it leads nowhere. */
static void host_canonical(const struct host *h, const char *path, char out[MAX_PATH])
{
  char full[2 * MAX_PATH];

  char *real = host_path(h, path, 0, full) ? NULL : realpath(full, NULL);
  format(out, MAX_PATH, "%s", !real ? "" : h->root ? full + strlen(h->root) : real);
  free(real);
}

static int by_name(const void *a, const void *b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names in a folder, sorted; NULL-terminated. */
PRINTF(2, 3) static const char **host_list(struct host *h, const char *fmt, ...)
{
  FORMATTED(path, fmt);
  static const char *none[] = {NULL};
  const char *names[MAX_ENTRIES];
  char full[2 * MAX_PATH];
  size_t n = 0;
  DIR *dir = host_path(h, path, 0, full) ? NULL : opendir(full);

  if (!dir) return none;
  for (struct dirent *e; n < MAX_ENTRIES && (e = readdir(dir));)
    if (e->d_name[0] != '.') names[n++] = text_of(h, "%s", e->d_name);
  closedir(dir);
  qsort(names, n, sizeof *names, by_name);
  const char **list = (const char **)(void *)pool_get(&h->pool, (n + 1) * sizeof *list);
  if (!list) return none;
  memcpy(list, names, n * sizeof *list);
  return list;
}

/* The value in the last line of the text that is KEY, separator, VALUE; NULL when there is none. */
static const char *value_of(struct host *h, const char *text, const char *key, char separator)
{
  size_t n = strlen(key);
  const char *value = NULL;

  for (const char *line = text; line && *line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, key, n) == 0 && (line[n] == separator || line[n] == '\n'))
      value = line + n + (line[n] == separator);
  }
  return value ? text_of(h, "%.*s", (int)strcspn(value, "\n"), value) : NULL;
}

/* A variable of the environment: only names asked for here are ever looked at. */
static const char *host_env(struct host *h, const char *name)
{
  return h->environ ? value_of(h, h->environ, name, '=') : getenv(name);
}

/* ---- facts read from files */

enum { NVIDIA = 0x10de, NVSWITCH_CLASS = 0x0680 };

struct pci {
  const char *address, *driver; /* bound kernel driver, or "" */
  unsigned device;
  int off_bus;
};

struct node {
  const char *path;
  int is_device, open_errno; /* 0: opened; -1: not tried */
  unsigned major, mode;
};

struct mount {
  const char *point, *options, *type;
};

/* What is wrong with a library's file. */
enum defect {
  FINE,
  DANGLING,
  UNREADABLE,
  CLASS32,
  MACHINE,
  FATAL, /* from here on the loader stops; before, it goes on */
  DIRECTORY = FATAL,
  EMPTY,
  NOT_ELF,
  TRUNCATED,
  NOEXEC
};

static const char *const defect_causes[] = {
  "",
  "dangling-link",
  "unreadable",
  "wrong-elf-class",
  "wrong-machine",
  "is-directory",
  "empty-file",
  "not-elf",
  "truncated-file",
  "noexec-mount",
};

struct library {
  const char *name, *path, *real, *origin;
  const char *version;
  char note[256]; /* of forward compatibility */
  enum defect defect;
  int searched, chosen, mounted;
  ullong size;
};

struct place {
  const char *dir, *origin;
  int searched;
};

struct facts {
  struct host *h;
  struct pci gpu[MAX_PCI];
  size_t gpus, nvswitches;
  const char *version, *flavour, *built_for; /* another kernel that has nvidia.ko, or NULL */
  const char *release;
  int module_loaded, built_here;
  struct node node[MAX_NODES];
  size_t nodes;
  int wsl, tegra, mig_nodes, musl, on_host, in_build;
  const char *container, *devices, *cdi_stale, *mig_made;
  struct mount mount[MAX_MOUNTS];
  size_t mounts;
  struct place place[MAX_PLACES];
  size_t places;
  struct library lib[MAX_LIBRARIES];
  size_t libs;
  ullong shm;
  const char *framework, *framework_cuda, *framework_archs; /* NULL: none found */
  unsigned machine; /* ELF machine of this host */
};

/* PCI device numbers of generations that not every driver supports. */
static const struct generation {
  unsigned from, to;
  const char *name, *flavour; /* of the module that is needed */
  int last;
} generations[] = {
  {0x0fc0, 0x12ff, "Kepler", "proprietary", 470},
  {0x1340, 0x1dff, "Maxwell, Pascal or Volta", "proprietary", 580},
  {0x2900, 0x2fff, "Blackwell", "open", 1 << 30},
};

static unsigned long read_number(struct facts *f, const char *dir, const char *name)
{
  char *text = host_read(f->h, "%s/%s", dir, name);

  return text ? strtoul(text, NULL, 0) : 0;
}

static void read_gpu(struct facts *f, struct pci *gpu, const char *dir)
{
  char link[MAX_PATH];
  size_t n;
  const char *config = host_bytes(f->h, text_of(f->h, "%s/config", dir), 64, &n);

  gpu->device = (unsigned)read_number(f, dir, "device");
  gpu->off_bus = config && n >= 4 && memcmp(config, "\xff\xff\xff\xff", 4) == 0;
  host_canonical(f->h, text_of(f->h, "%s/driver", dir), link);
  gpu->driver = text_of(f->h, "%s", link[0] ? strrchr(link, '/') + 1 : "");
}

static void read_pci(struct facts *f)
{
  static const char base[] = "/sys/bus/pci/devices";

  for (const char **name = host_list(f->h, base); *name && f->gpus < MAX_PCI; name++) {
    const char *dir = text_of(f->h, "%s/%s", base, *name);
    unsigned long class = read_number(f, dir, "class") >> 8;
    if (read_number(f, dir, "vendor") != NVIDIA) continue;
    f->nvswitches += class == NVSWITCH_CLASS;
    if (class >> 8 != 3) continue;
    f->gpu[f->gpus].address = *name;
    read_gpu(f, &f->gpu[f->gpus++], dir);
  }
}

/* The first number of the form ddd.d+[.d+], what drivers call their version; or "". */
static const char *find_version(struct host *h, const char *text)
{
  for (size_t n; text && (text = strpbrk(text, "0123456789")); text += n) {
    n = strspn(text, "0123456789.");
    if (n >= 5 && text[3] == '.') return text_of(h, "%.*s", (int)n, text);
  }
  return "";
}

static int has_module(struct facts *f, const char *release)
{
  const char *dirs = "updates/dkms updates extra extra/nvidia weak-updates misc "
                     "kernel/drivers/video kernel/drivers/video/nvidia",
             *dir;
  char *index = host_read(f->h, "/lib/modules/%s/modules.dep", release);

  if (index && strstr(index, "/nvidia.ko")) return 1;
  while ((dir = list_next(f->h, &dirs, " ")))
    for (const char **name = host_list(f->h, "/lib/modules/%s/%s", release, dir); *name; name++)
      if (starts(*name, "nvidia.ko")) return 1;
  return 0;
}

static void read_module(struct facts *f)
{
  const char *text = host_read(f->h, "/proc/driver/nvidia/version");

  f->flavour = text && strstr(text, "Open Kernel Module") ? "open" : "proprietary";
  f->module_loaded = text || host_exists(f->h, "/sys/module/nvidia");
  f->version = find_version(f->h, text ? strstr(text, "Module") : NULL);
  if (!*f->version) f->version = find_version(f->h, host_read(f->h, "/sys/module/nvidia/version"));
  if (f->h->root && text && !f->h->manifest)
    f->machine = strstr(text, "aarch64") ? EM_AARCH64 : EM_X86_64;
  text = host_read(f->h, "/proc/sys/kernel/osrelease");
  f->release = text_of(f->h, "%.*s", text ? (int)strcspn(text, "\n") : 0, text ? text : "");
  if (f->module_loaded || !f->gpus || !*f->release) return;
  f->built_here = has_module(f, f->release);
  for (const char **name = host_list(f->h, "/lib/modules"); *name; name++)
    if (!same(*name, f->release) && has_module(f, *name)) f->built_for = *name;
}

static const struct {
  int number;
  const char *name, *cause;
} open_errors[] = {
  {0, "ok", ""},
  {EACCES, "EACCES", "node-mode"},
  {EPERM, "EPERM", "node-cgroup"},
  {ENXIO, "ENXIO", "node-no-driver"},
  {ENODEV, "ENODEV", "node-no-driver"},
  {EBUSY, "EBUSY", "node-busy"},
  {EIO, "EIO", "node-io-error"},
};

static void add_node(struct facts *f, const char *path)
{
  struct node *node = &f->node[f->nodes];
  struct stat st;

  if (f->nodes == MAX_NODES || host_stat(f->h, path, 1, &st)) return;
  node->path = path;
  node->is_device = S_ISCHR(st.st_mode) || f->h->root; /* in a root a plain file shows a node */
  node->major = S_ISCHR(st.st_mode) ? major(st.st_rdev) : 0;
  node->mode = st.st_mode & 07777;
  node->open_errno = -1;
  if (!f->h->root && S_ISCHR(st.st_mode)) {
    int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    node->open_errno = fd < 0 ? errno : 0;
    if (fd >= 0) close(fd);
  }
  f->nodes++;
}

/* PATH c|f MAJOR MINOR MODE ok|ERRNO */
static void add_node_line(struct facts *f, char *line)
{
  struct node *node = &f->node[f->nodes];
  char *path = next_word(&line);

  if (f->nodes == MAX_NODES || path[0] != '/') return;
  node->path = path;
  node->is_device = same(next_word(&line), "c");
  node->major = (unsigned)strtoul(next_word(&line), NULL, 10);
  next_word(&line);
  node->mode = (unsigned)strtoul(next_word(&line), NULL, 8);
  const char *word = next_word(&line);
  node->open_errno = is_digit(*word) ? atoi(word) : -1;
  for (size_t i = 0; i < LENGTH(open_errors); i++)
    if (same(word, open_errors[i].name)) node->open_errno = open_errors[i].number;
  f->nodes++;
}

static const struct node *node_find(const struct facts *f, const char *path)
{
  for (size_t i = 0; i < f->nodes; i++)
    if (same(f->node[i].path, path)) return &f->node[i];
  return NULL;
}

static int is_gpu_node(const struct node *node)
{
  return starts(node->path, "/dev/nvidia") && is_digit(node->path[11]);
}

static void read_nodes(struct facts *f)
{
  char *manifest = f->h->root ? host_read(f->h, "/.gpu-smoke/nodes") : NULL;

  for (char *line; (line = next_line(&manifest));) add_node_line(f, line);
  if (!f->nodes) {
    for (const char **name = host_list(f->h, "/dev"); *name; name++)
      if (starts(*name, "nvidia") && !starts(*name, "nvidia-caps"))
        add_node(f, text_of(f->h, "/dev/%s", *name));
    for (const char **name = host_list(f->h, "/dev/nvidia-caps"); *name; name++)
      add_node(f, text_of(f->h, "/dev/nvidia-caps/%s", *name));
    add_node(f, "/dev/dxg");
  }
  for (size_t i = 0; i < f->nodes; i++)
    f->mig_nodes += starts(f->node[i].path, "/dev/nvidia-caps/nvidia-cap");
  f->wsl = node_find(f, "/dev/dxg") != NULL;
  f->tegra = host_exists(f->h, "/dev/nvhost-ctrl") || host_exists(f->h, "/dev/nvmap");
  f->devices = host_read(f->h, "/proc/devices");
  for (const char **gpu = host_list(f->h, "/proc/driver/nvidia/capabilities"); *gpu; gpu++)
    for (const char **name = host_list(f->h, "/proc/driver/nvidia/capabilities/%s/mig", *gpu);
         *name; name++)
      if (starts(*name, "gi")) f->mig_made = text_of(f->h, "%s/%s", *gpu, *name);
}

/* The major number that the kernel gave to a driver, or 0. */
static unsigned device_major(const struct facts *f, const char *name)
{
  for (const char *line = f->devices; line && *line; line = strchr(line, '\n')) {
    char *end;
    line += *line == '\n';
    unsigned long n = strtoul(line, &end, 10);
    size_t len = strlen(name);
    if (end != line && *end == ' ' && strncmp(end + 1, name, len) == 0 &&
      (!end[1 + len] || is_space(end[1 + len])))
      return (unsigned)n;
  }
  return 0;
}

/* ID PARENT MAJOR:MINOR ROOT POINT OPTIONS ... - TYPE SOURCE SUPER */
static void read_mounts(struct facts *f)
{
  char *text = host_read(f->h, "/proc/self/mountinfo");

  for (char *line; f->mounts < MAX_MOUNTS && (line = next_line(&text));) {
    struct mount *m = &f->mount[f->mounts];
    for (int i = 0; i < 4; i++) next_word(&line);
    char *point = next_word(&line);
    m->point = point;
    m->options = next_word(&line);
    char *tail = strstr(line, "- ");
    line = tail ? tail + 2 : line;
    m->type = next_word(&line);
    f->mounts += point[0] == '/';
  }
}

/* The mount that holds a path, or NULL. */
static const struct mount *mount_of(const struct facts *f, const char *path)
{
  const struct mount *best = NULL;
  size_t longest = 0;

  for (size_t i = 0; i < f->mounts; i++) {
    size_t n = strlen(f->mount[i].point);
    n -= n == 1; /* "/" */
    if (strncmp(path, f->mount[i].point, n) == 0 && (!path[n] || path[n] == '/') && n >= longest) {
      longest = n;
      best = &f->mount[i];
    }
  }
  return best;
}

static void read_container(struct facts *f)
{
  const char *words = "docker kubepods containerd libpod lxc buildkit", *word,
             *marks = "/.dockerenv /run/.containerenv /var/run/secrets/kubernetes.io";
  char *cgroup = host_read(f->h, "/proc/1/cgroup"), *comm = host_read(f->h, "/proc/1/comm");
  const struct mount *top = mount_of(f, "/");

  while ((word = list_next(f->h, &words, " ")))
    if (cgroup && strstr(cgroup, word)) f->container = word;
  if (top && same(top->type, "overlay")) f->container = "overlay root";
  if (host_env(f->h, "KUBERNETES_SERVICE_HOST")) f->container = "Kubernetes";
  while ((word = list_next(f->h, &marks, " ")))
    if (host_exists(f->h, word)) f->container = word;
  word = next_line(&comm);
  f->on_host = word && !f->container && list_has("systemd init runit", " ", word);
  f->in_build = (cgroup && strstr(cgroup, "buildkit")) || host_exists(f->h, "/kaniko");
}

/* KEY: VALUE wherever it stands, in YAML and JSON alike: a key is the word before. */
static void read_cdi_file(struct facts *f, const char *file)
{
  const char *text = host_read(f->h, "%s", file), *key = "", *path = "", *word;

  if (!text || !strstr(text, "nvidia.com/")) return;
  while ((word = list_next(f->h, &text, " \t\n{}[],\"':"))) {
    const struct node *node = same(key, "major") ? node_find(f, path) : NULL;
    if (!*word || same(word, "-")) continue;
    path = same(key, "path") ? word : path;
    if (node && node->major && node->major != strtoul(word, NULL, 10))
      f->cdi_stale =
        text_of(f->h, "%s gives %s major %s, here it is %u", file, path, word, node->major);
    if (same(key, "hostPath") && strstr(word, ".so.") && !f->container && !host_exists(f->h, word))
      f->cdi_stale = text_of(f->h, "%s names %s, which is not there", file, word);
    key = word;
  }
}

static void read_cdi(struct facts *f)
{
  const char *dirs = "/etc/cdi /var/run/cdi", *dir;

  while ((dir = list_next(f->h, &dirs, " ")))
    for (const char **name = host_list(f->h, "%s", dir); *name; name++)
      read_cdi_file(f, text_of(f->h, "%s/%s", dir, *name));
}

/* What is no file. */
static void read_system(struct facts *f)
{
  struct statvfs vfs;
  char *shm = f->h->root ? host_read(f->h, "/.gpu-smoke/shm") : NULL;
  const char *machine = value_of(f->h, f->h->manifest, "machine", '=');

#if defined(__aarch64__)
  f->machine = EM_AARCH64;
#else
  f->machine = EM_X86_64;
#endif
  f->machine = machine ? (unsigned)atoi(machine) : f->machine;
  if (!f->h->root && statvfs("/dev/shm", &vfs) == 0)
    f->shm = (ullong)vfs.f_blocks * vfs.f_frsize;
  else if (shm)
    f->shm = strtoull(shm, NULL, 10);
  for (const char **name = host_list(f->h, "/lib"); *name; name++)
    f->musl |= starts(*name, "ld-musl-");
}

/* ---- libraries: which file the loader takes, and why */

static int take(int fd, uint64_t at, void *out, size_t size)
{
  return at <= INT64_MAX && pread(fd, out, size, (off_t)at) == (ssize_t)size ? 0 : -1;
}

/* Keeps the JSON of a forward-compatibility note, if it is here. */
static void elf_note(int fd, uint64_t at, uint64_t size, struct library *lib)
{
  static const char owner[] = "NVIDIA Corporation";
  char buf[2048];
  size_t n = size < sizeof buf ? (size_t)size : sizeof buf;

  const char *name =
    lib->note[0] || take(fd, at, buf, n) ? NULL : memmem(buf, n, owner, sizeof owner);
  const char *json = name ? memchr(name, '{', n - (size_t)(name - buf)) : NULL;
  const char *end = json ? memchr(json, '}', n - (size_t)(json - buf)) : NULL;
  if (end) format(lib->note, sizeof lib->note, "%.*s", (int)(end - json + 1), json);
}

/* Looks at the file as the loader would; lib->size is set. */
static enum defect elf_inspect(int fd, unsigned machine, struct library *lib)
{
  Elf64_Ehdr head;
  Elf64_Phdr p;
  Elf64_Shdr s;
  size_t n = lib->size < sizeof head ? (size_t)lib->size : sizeof head;

  memset(&head, 0, sizeof head);
  if (lib->size == 0) return EMPTY;
  if (take(fd, 0, &head, n) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return NOT_ELF;
  if (head.e_ident[EI_CLASS] == ELFCLASS32) return CLASS32;
  if (n == sizeof head && head.e_machine != machine) return MACHINE;
  for (unsigned i = 0; i < head.e_phnum && i < 64; i++) {
    if (head.e_phoff > lib->size || take(fd, head.e_phoff + i * sizeof p, &p, sizeof p) ||
      (p.p_type == PT_LOAD && (p.p_offset > lib->size || p.p_filesz > lib->size - p.p_offset)))
      return TRUNCATED;
    if (p.p_type == PT_NOTE) elf_note(fd, p.p_offset, p.p_filesz, lib);
  }
  for (unsigned i = 0; i < head.e_shnum && i < 256 && head.e_shoff < lib->size; i++)
    if (take(fd, head.e_shoff + i * sizeof s, &s, sizeof s) == 0 && s.sh_type == SHT_NOTE)
      elf_note(fd, s.sh_offset, s.sh_size, lib);
  return head.e_phnum ? FINE : TRUNCATED;
}

static enum defect library_inspect(struct facts *f, struct library *lib)
{
  struct stat st;
  char real[MAX_PATH];

  host_canonical(f->h, lib->path, real);
  lib->real = text_of(f->h, "%s", real[0] ? real : lib->path);
  lib->version = find_version(f->h, strrchr(lib->real, '/'));
  const struct mount *m = mount_of(f, lib->real);
  lib->mounted = m && m->point[1];
  if (host_stat(f->h, lib->path, 0, &st)) return DANGLING;
  if (S_ISDIR(st.st_mode)) return DIRECTORY;
  lib->size = (ullong)st.st_size;
  int fd = host_open(f->h, lib->path);
  if (fd < 0) return S_ISREG(st.st_mode) ? UNREADABLE : NOT_ELF;
  enum defect defect = elf_inspect(fd, f->machine, lib);
  close(fd);
  return defect == FINE && m && list_has(m->options, ",", "noexec") ? NOEXEC : defect;
}

static void add_place(struct facts *f, const char *dir, const char *origin, int searched)
{
  for (size_t i = 0; i < f->places; i++)
    if (same(f->place[i].dir, dir)) return;
  if (f->places < MAX_PLACES) f->place[f->places++] = (struct place){dir, origin, searched};
}

static void add_library(
  struct facts *f, const char *path, const char *name, const struct place *place)
{
  struct library *lib = &f->lib[f->libs];
  struct stat st;

  if (f->libs == MAX_LIBRARIES || host_stat(f->h, path, 1, &st)) return;
  *lib = (struct library){
    .name = name, .path = path, .origin = place->origin, .searched = place->searched};
  lib->defect = library_inspect(f, lib);
  for (size_t i = 0; i < f->libs; i++)
    if (same(f->lib[i].real, lib->real) && same(f->lib[i].name, name))
      return; /* the same file by another way */
  f->libs++;
}

struct cache_head {
  char magic[20];
  uint32_t n, more[6];
};

struct cache_entry {
  int32_t flags;
  uint32_t name, path, os;
  uint64_t hwcap;
};

/* The loader's cache: libraries of this machine's kind whose name starts so. */
static void read_cache(struct facts *f, const char *start)
{
  static const char magic[] = "glibc-ld.so.cache1.1";
  static const struct place place = {"", "ld.so.cache", 1};
  struct cache_head head;
  struct cache_entry e;
  size_t size;
  const char *cache = host_bytes(f->h, "/etc/ld.so.cache", MAX_CACHE, &size);
  const char *at = cache ? memmem(cache, size, magic, sizeof magic - 1) : NULL;

  if (!at || (size -= (size_t)(at - cache)) < sizeof head) return;
  memcpy(&head, at, sizeof head);
  for (size_t i = 0; i < head.n && sizeof head + (i + 1) * sizeof e <= size; i++) {
    memcpy(&e, at + sizeof head + i * sizeof e, sizeof e);
    if (e.name < size && e.path < size && starts(at + e.name, start) &&
      (e.flags & 0xff00) == (f->machine == EM_AARCH64 ? 0x0a00 : 0x0300))
      add_library(f, text_of(f->h, "%s", at + e.path), text_of(f->h, "%s", at + e.name), &place);
  }
}

/* The loader's own folders: asked of it, or for a root the usual ones. */
static void add_default_places(struct facts *f)
{
  const char *dirs = "/lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu /lib/aarch64-linux-gnu "
                     "/usr/lib/aarch64-linux-gnu /lib64 /usr/lib64 /lib /usr/lib",
             *dir, *made = value_of(f->h, f->h->manifest, "places", '=');
  dirs = made ? made : dirs;
  while (f->h->root && (dir = list_next(f->h, &dirs, " "))) add_place(f, dir, "default", 1);
#ifdef __GLIBC__
  Dl_serinfo size, *info;
  void *self = f->h->root ? NULL : dlopen(NULL, RTLD_LAZY);
  if (self && dlinfo(self, RTLD_DI_SERINFOSIZE, &size) == 0 &&
    (info = (Dl_serinfo *)(void *)pool_get(&f->h->pool, size.dls_size))) {
    *info = size;
    if (dlinfo(self, RTLD_DI_SERINFO, info) == 0)
      for (unsigned i = 0; i < info->dls_cnt; i++)
        add_place(f, text_of(f->h, "%s", info->dls_serpath[i].dls_name), "default", 1);
  }
  if (self) dlclose(self);
#endif
}

static void add_unsearched_places(struct facts *f)
{
  const char *dirs = "/usr/local/nvidia/lib64 /usr/local/nvidia/lib /usr/lib/wsl/lib "
                     "/usr/lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu/nvidia "
                     "/usr/lib/x86_64-linux-gnu/nvidia/current /usr/lib/aarch64-linux-gnu "
                     "/usr/lib/aarch64-linux-gnu/nvidia /usr/lib/aarch64-linux-gnu/tegra "
                     "/usr/lib64 /usr/lib64/nvidia /usr/lib /run/opengl-driver/lib "
                     "/var/lib/nvidia/lib64 /run/nvidia/driver/usr/lib/x86_64-linux-gnu "
                     "/run/nvidia/driver/usr/lib64 /home/kubernetes/bin/nvidia/lib64",
             *dir = host_env(f->h, "NVIDIA_CTK_LIBCUDA_DIR");

  if (dir) add_place(f, dir, "unsearched", 0);
  while ((dir = list_next(f->h, &dirs, " "))) add_place(f, dir, "unsearched", 0);
  for (const char **name = host_list(f->h, "/usr/local"); *name; name++)
    if (starts(*name, "cuda")) {
      add_place(f, text_of(f->h, "/usr/local/%s/compat", *name), "unsearched", 0);
      add_place(f, text_of(f->h, "/usr/local/%s/lib64/stubs", *name), "unsearched", 0);
    }
}

static void add_in_places(struct facts *f, const char *name, size_t from, size_t to)
{
  for (size_t i = from; i < to; i++)
    add_library(f, text_of(f->h, "%s/%s", f->place[i].dir, name), name, &f->place[i]);
}

static const char libcuda[] = "libcuda.so.1", libnvml[] = "libnvidia-ml.so.1";

/* All candidates in the loader's order, then the copies that it does not see. */
static void read_libraries(struct facts *f)
{
  const char *names[] = {libcuda, libnvml, "libnvidia-ptxjitcompiler.so.1", "libcuda.so"};
  const char *path = host_env(f->h, "LD_LIBRARY_PATH"), *dir;
  size_t own, searched;

  while ((dir = list_next(f->h, &path, ":;"))) add_place(f, *dir ? dir : ".", "LD_LIBRARY_PATH", 1);
  own = f->places;
  add_default_places(f);
  searched = f->places;
  add_unsearched_places(f);
  for (size_t i = 0; i < LENGTH(names); i++) {
    add_in_places(f, names[i], 0, own);
    read_cache(f, names[i]);
    add_in_places(f, names[i], own, i == 0 ? f->places : searched);
  }
}

/* The file that the loader comes to first: good, or bad in a way that stops it. */
static struct library *library_winner(struct facts *f, const char *name)
{
  struct library *skipped = NULL;

  for (size_t i = 0; i < f->libs; i++) {
    struct library *lib = &f->lib[i];
    if (!lib->searched || !same(lib->name, name)) continue;
    if (lib->defect == FINE || lib->defect >= FATAL) return lib;
    skipped = skipped ? skipped : lib;
  }
  return skipped;
}

/* ---- toolkit libraries and the framework */

static const char *const toolkit_names[] = {"libcudart.so.", "libcublas.so.", "libcudnn.so."};

static void add_toolkit_dir(struct facts *f, const char *dir, const char *origin)
{
  struct place place = {dir, origin, !same(origin, "wheel")};

  for (const char **name = host_list(f->h, "%s", dir); *name; name++)
    for (size_t i = 0; i < LENGTH(toolkit_names); i++)
      if (starts(*name, toolkit_names[i]) && !strchr(*name + strlen(toolkit_names[i]), '.'))
        add_library(f, text_of(f->h, "%s/%s", dir, *name), *name, &place);
}

/* Python: key = 'value', key: Optional[str] = None, ('key', [...]). */
static const char *python_value(struct facts *f, const char *text, const char *key)
{
  for (const char *at = text; (at = strstr(at, key)); at++) {
    const char *value = at + strlen(key);
    if ((at > text && at[-1] != '\n' && (at < text + 2 || at[-2] != '(')) ||
      !strchr("': =", *value))
      continue;
    if (*value == ':') /* a type */
      value += strcspn(value, "=\n");
    value += strspn(value, "', =\"");
    size_t n = *value == '[' ? strcspn(value, "]\n") : strcspn(value, "\"',)\n");
    return text_of(f->h, "%.*s", (int)n, value);
  }
  return NULL;
}

/* The words "sm_70 sm_80 compute_90" that a build left in its library. */
static const char *find_archs(struct facts *f, const char *path)
{
  char buf[256 + 65536] = "";
  const char *found = NULL;
  int fd = host_open(f->h, path), left = MAX_BLOCKS;

  for (ssize_t n; !found && fd >= 0 && left-- && (n = read(fd, buf + 256, 65536)) > 0;) {
    char *end = buf + 256 + n, *at = buf;
    while (!found && (at = memmem(at, (size_t)(end - at), "sm_", 3))) {
      size_t len = 3;
      while (at + len < end && strchr("smcopute_0123456789af ", at[len]) && at[len]) len++;
      if (memmem(at, len, " sm_", 4) && at + len < end) found = text_of(f->h, "%.*s", (int)len, at);
      at += len;
    }
    memmove(buf, end - 256, 256);
  }
  if (fd >= 0) close(fd);
  return found;
}

/* How a framework's build tells about itself. */
static const struct {
  const char *name, *file, *cuda, *archs, *library;
} frameworks[] = {
  {"pytorch", "torch/version.py", "cuda", NULL, "torch/lib/libtorch_python.so"},
  {"tensorflow", "tensorflow/python/platform/build_info.py", "cuda_version",
    "cuda_compute_capabilities", NULL},
  {"onnxruntime", "onnxruntime/capi/build_and_package_info.py", "cuda_version", NULL, NULL},
  {"jax", "jaxlib/version.py", NULL, NULL, NULL},
};

/* JAX's CUDA comes as a plugin of its own. */
static const char *jax_cuda(struct facts *f, const char *site)
{
  for (const char **name = host_list(f->h, "%s/jax_plugins", site); *name; name++)
    if (starts(*name, "xla_cuda")) return *name + strlen("xla_cuda");
  return NULL;
}

static void read_site(struct facts *f, const char *site)
{
  for (size_t i = 0; i < LENGTH(frameworks) && !f->framework; i++) {
    const char *lib = frameworks[i].library,
               *text = host_read(f->h, "%s/%s", site, frameworks[i].file);
    if (!text) continue;
    const char *cuda =
      frameworks[i].cuda ? python_value(f, text, frameworks[i].cuda) : jax_cuda(f, site);
    f->framework = text_of(f->h, "%s in %s", frameworks[i].name, site);
    f->framework_cuda = cuda && is_digit(cuda[0]) ? cuda : "";
    f->framework_archs = lib ? find_archs(f, text_of(f->h, "%s/%s", site, lib))
      : frameworks[i].archs  ? python_value(f, text, frameworks[i].archs)
                             : NULL;
  }
  for (const char **name = host_list(f->h, "%s/nvidia", site); *name; name++)
    add_toolkit_dir(f, text_of(f->h, "%s/nvidia/%s/lib", site, *name), "wheel");
}

static void read_toolkit(struct facts *f)
{
  const char *homes = "VIRTUAL_ENV CONDA_PREFIX /opt/venv /venv /app/.venv /opt/conda /usr/local "
                      "/usr",
             *path = host_env(f->h, "PYTHONPATH"), *item;

  while ((item = list_next(f->h, &path, ":"))) read_site(f, item);
  while ((item = list_next(f->h, &homes, " "))) {
    const char *home = *item == '/' ? item : host_env(f->h, item);
    for (const char **name = host_list(f->h, "%s/lib", home ? home : "/nowhere"); *name; name++)
      if (starts(*name, "python3")) {
        read_site(f, text_of(f->h, "%s/lib/%s/site-packages", home, *name));
        read_site(f, text_of(f->h, "%s/lib/%s/dist-packages", home, *name));
      }
  }
  for (size_t i = 0; i < f->places; i++)
    if (f->place[i].searched) add_toolkit_dir(f, f->place[i].dir, f->place[i].origin);
  for (size_t i = 0; i < LENGTH(toolkit_names); i++) read_cache(f, toolkit_names[i]);
}

static void facts_read(struct facts *f)
{
  read_system(f);
  read_pci(f);
  read_module(f);
  read_nodes(f);
  read_mounts(f);
  read_container(f);
  read_cdi(f);
  read_libraries(f);
  read_toolkit(f);
}

/* ---- kernels */

/* PTX 6.0 for sm_50 reaches every GPU since Maxwell and every driver since 384. */
static const char ptx_head[] = ".version 6.0\n.target sm_50\n.address_size 64\n";

/* c[i] = a[i] + b[i] for i < n */
static const char ptx_add[] =
  ".visible .entry smoke_add(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 pn) {\n"
  ".reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %d<8>;\n"
  "ld.param.u64 %d1, [pa]; ld.param.u64 %d2, [pb]; ld.param.u64 %d3, [pc];\n"
  "ld.param.u32 %r1, [pn]; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\n"
  "mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4; setp.ge.u32 %p1, %r5, %r1;\n"
  "@%p1 bra END; mul.wide.u32 %d4, %r5, 4; cvta.to.global.u64 %d5, %d1;\n"
  "cvta.to.global.u64 %d6, %d2; cvta.to.global.u64 %d7, %d3; add.s64 %d5, %d5, %d4;\n"
  "add.s64 %d6, %d6, %d4; add.s64 %d7, %d7, %d4; ld.global.f32 %f1, [%d5];\n"
  "ld.global.f32 %f2, [%d6]; add.f32 %f3, %f1, %f2; st.global.f32 [%d7], %f3;\n"
  "END: ret; }\n";

/* Writes pattern_word() for i < n, or with po compares: po[0] counts differences, po[1] is the
 * index of the first. */
static const char ptx_pattern[] =
  ".visible .entry smoke_pattern(.param .u64 pp, .param .u64 pn, .param .u32 ps, .param .u64 po) "
  "{\n"
  ".reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<12>; ld.param.u64 %d1, [pp];\n"
  "ld.param.u64 %d2, [pn]; ld.param.u32 %r1, [ps]; ld.param.u64 %d9, [po];\n"
  "setp.eq.u64 %p3, %d9, 0; cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d9, %d9;\n"
  "mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
  "mov.u32 %r5, %nctaid.x; mul.wide.u32 %d3, %r2, %r3; cvt.u64.u32 %d4, %r4;\n"
  "add.s64 %d3, %d3, %d4; mul.wide.u32 %d5, %r5, %r3;\n"
  "NEXT: setp.ge.u64 %p1, %d3, %d2; @%p1 bra END; cvt.u32.u64 %r6, %d3;\n"
  "mul.lo.u32 %r6, %r6, 2654435761; shr.u64 %d6, %d3, 32; cvt.u32.u64 %r7, %d6;\n"
  "mul.lo.u32 %r7, %r7, 2246822507; xor.b32 %r6, %r6, %r7; xor.b32 %r6, %r6, %r1;\n"
  "shl.b64 %d7, %d3, 2; add.s64 %d8, %d1, %d7; @%p3 bra WRITE; ld.global.u32 %r8, [%d8];\n"
  "setp.eq.u32 %p2, %r8, %r6; @%p2 bra STEP; atom.global.add.u64 %d10, [%d9], 1;\n"
  "atom.global.min.u64 %d11, [%d9+8], %d3; bra STEP;\n"
  "WRITE: st.global.u32 [%d8], %r6;\n"
  "STEP: add.s64 %d3, %d3, %d5; bra NEXT;\n"
  "END: ret; }\n";

/* c = a * b, n x n, in tiles of 16 x 16. r6 column, r7 row, r8 r9 r10 words of a, b and c, r15 r16
 * own places in the tiles, r17 row of tile a, r18 column of tile b */
static const char ptx_gemm[] =
  ".visible .entry smoke_gemm(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 pn) {\n"
  ".reg .pred %p<3>; .reg .b32 %r<24>; .reg .f32 %f<5>; .reg .b64 %d<12>;\n"
  ".shared .align 4 .b8 ta[1024]; .shared .align 4 .b8 tb[1024]; ld.param.u64 %d1, [pa];\n"
  "ld.param.u64 %d2, [pb]; ld.param.u64 %d3, [pc]; ld.param.u32 %r1, [pn];\n"
  "cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2; cvta.to.global.u64 %d3, %d3;\n"
  "mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ctaid.x;\n"
  "mov.u32 %r5, %ctaid.y; mad.lo.s32 %r6, %r4, 16, %r2; mad.lo.s32 %r7, %r5, 16, %r3;\n"
  "mad.lo.s32 %r8, %r7, %r1, %r2; mad.lo.s32 %r9, %r3, %r1, %r6;\n"
  "mad.lo.s32 %r10, %r7, %r1, %r6; shl.b32 %r11, %r1, 4; mad.lo.s32 %r12, %r3, 16, %r2;\n"
  "shl.b32 %r12, %r12, 2; mov.u32 %r13, ta; mov.u32 %r14, tb; add.s32 %r15, %r13, %r12;\n"
  "add.s32 %r16, %r14, %r12; shl.b32 %r17, %r3, 6; add.s32 %r17, %r13, %r17;\n"
  "shl.b32 %r18, %r2, 2; add.s32 %r18, %r14, %r18; mov.f32 %f1, 0f00000000;\n"
  "mov.u32 %r19, 0;\n"
  "TILE: mul.wide.u32 %d4, %r8, 4; add.s64 %d5, %d1, %d4; ld.global.f32 %f2, [%d5];\n"
  "st.shared.f32 [%r15], %f2; mul.wide.u32 %d6, %r9, 4; add.s64 %d7, %d2, %d6;\n"
  "ld.global.f32 %f3, [%d7]; st.shared.f32 [%r16], %f3; bar.sync 0; mov.u32 %r20, 0;\n"
  "mov.u32 %r21, %r17; mov.u32 %r22, %r18;\n"
  "INNER:\n"
  "ld.shared.f32 %f2, [%r21]; ld.shared.f32 %f3, [%r22]; fma.rn.f32 %f1, %f2, %f3, %f1;\n"
  "add.s32 %r21, %r21, 4; add.s32 %r22, %r22, 64; add.s32 %r20, %r20, 1;\n"
  "setp.lt.u32 %p1, %r20, 16; @%p1 bra INNER; bar.sync 0; add.s32 %r8, %r8, 16;\n"
  "add.s32 %r9, %r9, %r11; add.s32 %r19, %r19, 16; setp.lt.u32 %p2, %r19, %r1;\n"
  "@%p2 bra TILE; mul.wide.u32 %d8, %r10, 4; add.s64 %d9, %d3, %d8;\n"
  "st.global.f32 [%d9], %f1; ret; }\n";

static uint32_t pattern_word(uint64_t i, uint32_t seed)
{
  return ((uint32_t)i * 2654435761u) ^ ((uint32_t)(i >> 32) * 2246822507u) ^ seed;
}

/* ---- the CUDA driver API */

typedef uint64_t device_ptr;

/* In the order of cuda_names. */
struct cuda {
  int (*cuInit)(unsigned), (*cuDriverGetVersion)(int *), (*cuGetErrorString)(int, const char **),
    (*cuDeviceGetCount)(int *), (*cuDeviceGet)(int *, int), (*cuDeviceGetName)(char *, int, int),
    (*cuDeviceGetAttribute)(int *, int, int), (*cuDeviceTotalMem)(size_t *, int),
    (*cuDeviceGetUuid)(unsigned char *, int), (*cuDevicePrimaryCtxRetain)(void **, int),
    (*cuDevicePrimaryCtxRelease)(int), (*cuCtxSetCurrent)(void *), (*cuCtxSynchronize)(void),
    (*cuMemGetInfo)(size_t *, size_t *), (*cuMemAlloc)(device_ptr *, size_t),
    (*cuMemFree)(device_ptr), (*cuMemcpyHtoD)(device_ptr, const void *, size_t),
    (*cuMemcpyDtoH)(void *, device_ptr, size_t), (*cuMemcpyDtoD)(device_ptr, device_ptr, size_t),
    (*cuMemsetD32)(device_ptr, unsigned, size_t),
    (*cuModuleLoadDataEx)(void **, const void *, unsigned, int *, void **),
    (*cuModuleUnload)(void *), (*cuModuleGetFunction)(void **, void *, const char *),
    (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
      void *, void **, void **),
    (*cuEventCreate)(void **, unsigned), (*cuEventRecord)(void *, void *),
    (*cuEventSynchronize)(void *), (*cuEventElapsedTime)(float *, void *, void *),
    (*cuEventDestroy)(void *), (*cuDeviceCanAccessPeer)(int *, int, int),
    (*cuMemcpyPeer)(device_ptr, void *, device_ptr, void *, size_t);
};

/* The exported names: cuGetProcAddress is younger. '?': may be absent; '|': the older name. */
static const char cuda_names[] =
  "cuInit cuDriverGetVersion ?cuGetErrorString cuDeviceGetCount cuDeviceGet "
  "cuDeviceGetName cuDeviceGetAttribute cuDeviceTotalMem_v2 "
  "?cuDeviceGetUuid_v2|cuDeviceGetUuid cuDevicePrimaryCtxRetain "
  "cuDevicePrimaryCtxRelease_v2|cuDevicePrimaryCtxRelease cuCtxSetCurrent cuCtxSynchronize "
  "cuMemGetInfo_v2 cuMemAlloc_v2 cuMemFree_v2 cuMemcpyHtoD_v2 "
  "cuMemcpyDtoH_v2 cuMemcpyDtoD_v2 cuMemsetD32_v2 cuModuleLoadDataEx cuModuleUnload "
  "cuModuleGetFunction cuLaunchKernel cuEventCreate cuEventRecord cuEventSynchronize "
  "cuEventElapsedTime cuEventDestroy_v2|cuEventDestroy ?cuDeviceCanAccessPeer ?cuMemcpyPeer ";

static const struct {
  int number;
  const char *word;
} attributes[] = {
  {20, "mode"},
  {36, "clock_khz"},
  {37, "bus_bits"},
  {75, "cc_major"},
  {76, "cc_minor"},
  {133, "mps"},
};

/* ---- the child: walks the driver API, reports by lines */

static const struct {
  const char *name;
  int timeout, seconds, share, percent; /* of free memory; 0: 4 MiB */
  unsigned size; /* of matrices */
} levels[] = {
  {"quick", 20, 0, 1, 0, 128},
  {"medium", 120, 3, 5, 25, 1024},
  {"long", 1800, 60, 20, 90, 2048},
};

/* Every line starts with \1, so that what vendor code prints by itself is told apart:
 *   stage NAME GPU       what is tried next; a death belongs to it
 *   error CODE TEXT      the stage failed
 *   KEY TEXT, KEY GPU TEXT, number GPU KEY N
 *   done                 all stages passed
 */
struct child {
  int out, barrier[2], gpu; /* the pipe to the parent, and one that it closes as a signal */
  int share; /* it is one of several at once on the first GPU */
  int dev;
  void *context;
  size_t level;
  const char *path; /* of the library */
  struct cuda cu;
  void *module;
};

PRINTF(2, 3) static void tell(const struct child *c, const char *fmt, ...)
{
  char line[MAX_LINE + 3];
  FORMATTED(text, fmt);
  for (char *at = text; (at = strpbrk(at, "\n\1"));) *at = ' ';
  format(line, sizeof line, "\n\1%s\n", text);
  size_t len = strlen(line);
  for (size_t at = 0; at < len;) {
    ssize_t n = write(c->out, line + at, len - at);
    if (n < 0 && errno != EINTR) return;
    at += n > 0 ? (size_t)n : 0;
  }
}

static void stage(const struct child *c, const char *name) { tell(c, "stage %s %d", name, c->gpu); }

static long now_ms(void)
{
  struct timespec t;

  clock_gettime(CLOCK_MONOTONIC, &t);
  return (long)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Reports a driver error; 0 when there is none. */
static int failed(const struct child *c, const char *func, int code)
{
  const struct code *known = code_find(CUDA_CODES, code);
  const char *text = known ? known->text : NULL;

  if (code == 0) return 0;
  if (!known && (!c->cu.cuGetErrorString || c->cu.cuGetErrorString(code, &text))) text = NULL;
  tell(c, "error %d %s: %s", code, func, text ? text : "unknown to this version");
  return -1;
}

/* Calls an entry point; true when it failed. */
#define FAILS(func, ...) failed(c, #func, c->cu.func(__VA_ARGS__))

static void *child_open(const struct child *c)
{
  struct link_map *map = NULL;

  stage(c, "load");
  void *lib = dlopen(c->path, RTLD_NOW | RTLD_LOCAL);
  if (!lib)
    tell(c, "dlerror %s", dlerror());
  else if (dlinfo(lib, RTLD_DI_LINKMAP, &map) == 0 && map)
    tell(c, "loaded %s", map->l_name);
  return lib;
}

/* dlsym for NAME, ?NAME, NAME|OLDER; a blank ends it */
static void *find_entry(void *lib, const char *names)
{
  char name[64];
  void *at = NULL;

  for (names += *names == '?'; *names && *names != ' ' && !at; names += strcspn(names, "| ")) {
    names += *names == '|';
    format(name, sizeof name, "%.*s", (int)strcspn(names, "| "), names);
    at = dlsym(lib, name);
  }
  return at;
}

static int child_bind(struct child *c, void *lib)
{
  const char *names = cuda_names;
  void *entries[sizeof(struct cuda) / sizeof(void *)];

  for (size_t i = 0; i < LENGTH(entries); i++, names += strcspn(names, " ") + 1)
    if (!(entries[i] = find_entry(lib, names)) && *names != '?') {
      tell(c, "missing %.*s", (int)strcspn(names, "| "), names);
      return -1;
    }
  memcpy(&c->cu, entries, sizeof entries);
  return 0;
}

static int child_describe(const struct child *c, int dev)
{
  char text[256] = "";
  unsigned char id[16];
  size_t total = 0;

  if (FAILS(cuDeviceGetName, text, sizeof text - 1, dev) || FAILS(cuDeviceTotalMem, &total, dev))
    return -1;
  tell(c, "name %d %s", c->gpu, text);
  tell(c, "number %d memory %zu", c->gpu, total);
  for (size_t i = 0; i < LENGTH(attributes); i++) {
    int value = 0;
    if (c->cu.cuDeviceGetAttribute(&value, attributes[i].number, dev) == 0)
      tell(c, "number %d %s %d", c->gpu, attributes[i].word, value);
  }
  if (!c->cu.cuDeviceGetUuid || c->cu.cuDeviceGetUuid(id, dev)) return 0;
  for (size_t i = 0, n = 0; i < sizeof id; i++, n += strlen(text + n))
    format(
      text + n, sizeof text - n, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", id[i]);
  tell(c, "uuid %d %s", c->gpu, text);
  return 0;
}

struct buffers {
  device_ptr at[3];
  float *host;
  int n;
};

static int buffers_get(const struct child *c, struct buffers *b, size_t size, int n, size_t hosts)
{
  memset(b, 0, sizeof *b);
  if (hosts && !(b->host = malloc(hosts * size))) return -1;
  for (; b->n < n; b->n++)
    if (FAILS(cuMemAlloc, &b->at[b->n], size)) return -1;
  return 0;
}

static void buffers_release(const struct child *c, struct buffers *b)
{
  while (b->n > 0) c->cu.cuMemFree(b->at[--b->n]);
  free(b->host);
}

/* grid: blocks and threads, x and y */
static int run_kernel(const struct child *c, const char *name, const unsigned grid[4], void **args)
{
  void *f = NULL;

  return FAILS(cuModuleGetFunction, &f, c->module, name) ||
    FAILS(cuLaunchKernel, f, grid[0], grid[1], 1, grid[2], grid[3], 1, 0, NULL, args, NULL) ||
    failed(c, "cuCtxSynchronize", c->cu.cuCtxSynchronize());
}

enum { ADD_WORDS = 1 << 16 };

/* Small whole numbers: floating point is exact. */
static float small_number(unsigned i, unsigned step) { return (float)((i * step + i / 7) % 8); }

static int test_add(const struct child *c, struct buffers *b)
{
  static const unsigned grid[] = {ADD_WORDS / 256, 1, 256, 1};
  size_t size = ADD_WORDS * sizeof(float);
  unsigned n = ADD_WORDS, wrong = 0, first = 0;
  void *args[] = {&b->at[0], &b->at[1], &b->at[2], &n};

  stage(c, "add");
  if (buffers_get(c, b, size, 3, 1)) return -1;
  for (unsigned side = 0; side < 2; side++) {
    for (unsigned i = 0; i < n; i++) b->host[i] = small_number(i, side ? 5 : 3);
    if (FAILS(cuMemcpyHtoD, b->at[side], b->host, size)) return -1;
  }
  /* poisoned, so that a kernel that never ran cannot pass */
  if (FAILS(cuMemsetD32, b->at[2], 0xffffffffu, n) || run_kernel(c, "smoke_add", grid, args) ||
    FAILS(cuMemcpyDtoH, b->host, b->at[2], size))
    return -1;
  for (unsigned i = n; i-- > 0;)
    if (b->host[i] != small_number(i, 3) + small_number(i, 5)) {
      wrong++;
      first = i;
    }
  if (wrong)
    tell(c, "wrong vector add on GPU %d: %u of %u values, first at %u: expected %g, got %g", c->gpu,
      wrong, n, first, (double)(small_number(first, 3) + small_number(first, 5)),
      (double)b->host[first]);
  return wrong ? -1 : 0;
}

/* Twice, the second time with all bits turned. */
static int pattern_run(const struct child *c, device_ptr p, device_ptr out, uint64_t words)
{
  static const unsigned grid[] = {1024, 1, 256, 1};
  uint32_t seed = 0x5a5a1234u, got = 0;
  device_ptr none = 0;
  void *write[] = {&p, &words, &seed, &none}, *check[] = {&p, &words, &seed, &out};

  for (int i = 0; i < 2; i++, seed = ~seed) {
    uint64_t found[2] = {0, UINT64_MAX};
    if (FAILS(cuMemcpyHtoD, out, found, sizeof found) ||
      run_kernel(c, "smoke_pattern", grid, write) || run_kernel(c, "smoke_pattern", grid, check) ||
      FAILS(cuMemcpyDtoH, found, out, sizeof found))
      return -1;
    if (found[0] == 0) continue;
    if (found[1] < words && FAILS(cuMemcpyDtoH, &got, p + 4 * found[1], sizeof got)) return -1;
    tell(c, "wrong memory on GPU %d: %llu words, first at %llu: wrong bits 0x%08x", c->gpu,
      (ullong)found[0], (ullong)found[1], got ^ pattern_word(found[1], seed));
    return -1;
  }
  tell(c, "number %d memory_checked %llu", c->gpu, (ullong)words * 4);
  return 0;
}

static int test_memory(const struct child *c, struct buffers *b)
{
  size_t left = 0, total = 0, size = (size_t)4 << 20;

  stage(c, "memory");
  if (FAILS(cuMemGetInfo, &left, &total) || buffers_get(c, b, 64, 1, 0)) return -1;
  left = left / 100 * (size_t)levels[c->level].percent & ~(size_t)0xffff;
  size = left > size ? left : size;
  if (FAILS(cuMemAlloc, &b->at[1], size)) return -1;
  b->n = 2;
  return pattern_run(c, b->at[1], b->at[0], size / 4);
}

/* Freivalds: for whole r > 0, a * (b * r) must be c * r. The first wrong row, or n. */
static size_t gemm_wrong(const float *a, const float *b, const float *got, size_t n)
{
  int64_t *br = calloc(n, sizeof *br);

  for (size_t i = 0; br && i < n * n; i++) br[i / n] += (int64_t)b[i] * (int64_t)(1 + i % n % 7);
  for (size_t i = 0; i < n; i++) {
    int64_t left = br ? 0 : 1;
    for (size_t j = 0; br && j < n; j++) {
      float x = got[i * n + j];
      int whole = x >= 0 && x < 16777216 && x == (float)(int64_t)x;
      left += (int64_t)a[i * n + j] * br[j];
      left -= whole ? (int64_t)x * (int64_t)(1 + j % 7) : INT32_MAX;
    }
    if (left) {
      free(br);
      return i;
    }
  }
  free(br);
  return n;
}

/* Multiplies for some seconds, at least once, and checks the last product. */
static int gemm_run(const struct child *c, const struct buffers *b, unsigned n, int seconds)
{
  unsigned grid[] = {n / 16, n / 16, 16, 16}, done = 0;
  device_ptr pa = b->at[0], pb = b->at[1], pc = b->at[2];
  void *args[] = {&pa, &pb, &pc, &n};
  size_t words = (size_t)n * n;
  float *got = b->host + 2 * words;
  uint64_t sum = 14695981039346656037u;
  long start = now_ms(), spent;

  do {
    if (run_kernel(c, "smoke_gemm", grid, args)) return -1;
    done++;
    spent = now_ms() - start;
  } while (spent < 1000L * seconds);
  if (FAILS(cuMemcpyDtoH, got, pc, words * sizeof *got)) return -1;
  size_t row = gemm_wrong(b->host, b->host + words, got, n);
  if (row < n) {
    tell(c, "wrong matrix product on GPU %d: row %zu of %u", c->gpu, row, n);
    return -1;
  }
  for (size_t i = 0; i < words; i++) sum = (sum ^ (uint64_t)got[i]) * 1099511628211u;
  tell(c, "checksum %d %016llx", c->gpu, (ullong)sum);
  tell(c, "gflops %d %.1f", c->gpu, 2e-6 * n * n * n * done / (double)(spent ? spent : 1));
  return 0;
}

static int test_gemm(const struct child *c, struct buffers *b)
{
  unsigned n = c->share ? 1024 : levels[c->level].size;
  size_t words = (size_t)n * n, size = words * sizeof(float);
  char go;

  stage(c, "gemm");
  if (buffers_get(c, b, size, 3, 3)) return -1;
  for (unsigned i = 0; i < words; i++) {
    b->host[i] = small_number(i, 3);
    b->host[words + i] = small_number(i, 5);
  }
  if (FAILS(cuMemcpyHtoD, b->at[0], b->host, size) ||
    FAILS(cuMemcpyHtoD, b->at[1], b->host + words, size) ||
    FAILS(cuMemsetD32, b->at[2], 0xffffffffu, words))
    return -1;
  if (c->share) { /* wait until all sharers are ready */
    tell(c, "ready");
    if (read(0, &go, 1) < 0) return -1;
  }
  return gemm_run(c, b, n, c->share ? levels[c->level].share : levels[c->level].seconds);
}

/* The best of three copies within the device, read and write counted. */
static int test_bandwidth(const struct child *c, struct buffers *b)
{
  size_t left = 0, total = 0, size = (size_t)256 << 20;
  void *from = NULL, *to = NULL;
  float best = 0, ms = 0;

  stage(c, "bandwidth");
  if (FAILS(cuMemGetInfo, &left, &total)) return -1;
  while (size > (1 << 20) && size > left / 4) size /= 2;
  if (buffers_get(c, b, size, 2, 0) || FAILS(cuEventCreate, &from, 0) ||
    FAILS(cuEventCreate, &to, 0))
    return -1;
  for (int i = 0; i < 4; i++) { /* the first one only warms up */
    if (FAILS(cuEventRecord, from, NULL) || FAILS(cuMemcpyDtoD, b->at[1], b->at[0], size) ||
      FAILS(cuEventRecord, to, NULL) || FAILS(cuEventSynchronize, to) ||
      FAILS(cuEventElapsedTime, &ms, from, to))
      return -1;
    if (i > 0 && ms > 0 && (best == 0 || ms < best)) best = ms;
  }
  if (best > 0) tell(c, "bandwidth %d %.1f", c->gpu, 2e-6 * (double)size / (double)best);
  return FAILS(cuEventDestroy, from) || FAILS(cuEventDestroy, to);
}

enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_SIZE = 6 };

static int child_jit(struct child *c)
{
  static char ptx[sizeof ptx_head + sizeof ptx_add + sizeof ptx_pattern + sizeof ptx_gemm];
  char log[512] = "";
  int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE};
  void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};

  stage(c, "jit");
  format(ptx, sizeof ptx, "%s%s%s%s", ptx_head, ptx_add, ptx_pattern, ptx_gemm);
  int code = c->cu.cuModuleLoadDataEx(&c->module, ptx, LENGTH(options), options, values);
  if (code && log[0]) tell(c, "jitlog %s", log);
  return failed(c, "cuModuleLoadDataEx", code);
}

/* A copy from the first GPU, checked here. */
static int test_peer(const struct child *c, struct buffers *b)
{
  unsigned words = 1 << 18, seed = 0x5a5a1234u;
  size_t size = words * sizeof seed;
  int first = 0, direct = 0;
  void *there = NULL;
  device_ptr from = 0;

  if (c->gpu == 0 || !c->cu.cuDeviceCanAccessPeer || !c->cu.cuMemcpyPeer) return 0;
  stage(c, "peer");
  if (FAILS(cuDeviceGet, &first, 0) || FAILS(cuDeviceCanAccessPeer, &direct, c->dev, first) ||
    FAILS(cuDevicePrimaryCtxRetain, &there, first) || FAILS(cuCtxSetCurrent, there) ||
    FAILS(cuMemAlloc, &from, size) || FAILS(cuMemsetD32, from, seed, words) ||
    FAILS(cuCtxSetCurrent, c->context) || buffers_get(c, b, size, 1, 1) ||
    FAILS(cuMemcpyPeer, b->at[0], c->context, from, there, size) ||
    FAILS(cuMemcpyDtoH, b->host, b->at[0], size) || FAILS(cuDevicePrimaryCtxRelease, first))
    return -1;
  while (words && ((unsigned *)(void *)b->host)[words - 1] == seed) words--;
  if (words) tell(c, "wrong copy from GPU 0 to %d: %u words or less", c->gpu, words);
  tell(c, "number %d direct %d", c->gpu, direct);
  return words ? -1 : 0;
}

/* Of these three prove a GPU. */
static int (*const tests[])(const struct child *, struct buffers *) = {
  test_add, test_memory, test_gemm, test_bandwidth, test_peer};

static int child_gpu(struct child *c)
{
  int rc = 0;

  stage(c, "device");
  if (FAILS(cuDeviceGet, &c->dev, c->gpu) || child_describe(c, c->dev)) return -1;
  stage(c, "context");
  if (FAILS(cuDevicePrimaryCtxRetain, &c->context, c->dev) || FAILS(cuCtxSetCurrent, c->context) ||
    child_jit(c))
    return -1;
  for (size_t i = c->share ? 2 : 0; !rc && i < (c->share ? 3 : LENGTH(tests)); i++) {
    if (i == 3) tell(c, "number %d proven 1", c->gpu);
    struct buffers b = {.n = 0};
    rc = tests[i](c, &b);
    buffers_release(c, &b);
  }
  return rc || FAILS(cuModuleUnload, c->module) || FAILS(cuDevicePrimaryCtxRelease, c->dev);
}

/* All GPUs, or the first one with others at once. */
static void child_cuda(struct child *c)
{
  int version = 0, count = 0;
  void *lib;

  setenv("CUDA_CACHE_DISABLE", "1", 1); /* a warm cache would hide a broken compiler */
  lib = child_open(c);
  if (!lib || child_bind(c, lib)) return;
  stage(c, "version");
  if (FAILS(cuDriverGetVersion, &version)) return;
  tell(c, "driver_cuda %d", version);
  stage(c, "init");
  if (FAILS(cuInit, 0) || FAILS(cuDeviceGetCount, &count)) return;
  tell(c, "count %d", count);
  for (; c->gpu < (c->share ? 1 : count) && c->gpu < MAX_GPUS; c->gpu++)
    if (child_gpu(c)) return;
  tell(c, "done");
}

/* ---- the other child: NVML */

enum shape { ONE, TWO, FOUR, LONG_ONE, ECC, FABRIC };

/* What is asked of each device: the call's shape, the words for what it gives. */
static const struct {
  const char *name;
  enum shape shape;
  const char *words[4];
} nvml_calls[] = {
  {"nvmlDeviceGetMigMode", TWO, {"mig"}},
  {"nvmlDeviceGetVirtualizationMode", ONE, {"virtual"}},
  {"nvmlDeviceGetCurrPcieLinkWidth", ONE, {"pcie_width"}},
  {"nvmlDeviceGetMaxPcieLinkWidth", ONE, {"pcie_width_max"}},
  {"nvmlDeviceGetRetiredPagesPendingStatus", ONE, {"pages_pending"}},
  {"nvmlDeviceGetRemappedRows", FOUR, {NULL, NULL, "rows_pending", "remap_failed"}},
  {"nvmlDeviceGetTotalEccErrors", ECC, {"ecc_errors"}},
  {"nvmlDeviceGetCurrentClocksEventReasons|nvmlDeviceGetCurrentClocksThrottleReasons", LONG_ONE,
    {"throttle"}},
  {"nvmlDeviceGetGpuFabricInfo", FABRIC, {"fabric"}},
};

union nvml_call {
  void *at;
  int (*none)(void);
  const char *(*text)(int);
  int (*version)(char *, unsigned);
  int (*count)(unsigned *);
  int (*handle)(unsigned, void **);
  int (*string)(void *, char *, unsigned);
  int (*one)(void *, unsigned *);
  int (*two)(void *, unsigned *, unsigned *);
  int (*four)(void *, unsigned *, unsigned *, unsigned *, unsigned *);
  int (*longs)(void *, ullong *);
  int (*ecc)(void *, int, int, ullong *);
  int (*bytes)(void *, unsigned char *);
};

static void nvml_device(const struct child *c, void *lib, void *device)
{
  for (size_t i = 0; i < LENGTH(nvml_calls); i++) {
    union nvml_call call = {find_entry(lib, nvml_calls[i].name)};
    enum shape shape = nvml_calls[i].shape;
    unsigned n[4] = {0};
    ullong l = 0;
    unsigned char fabric[64] = {0}; /* the state is its byte 24 */
    int code = !call.at   ? -1
      : shape == ONE      ? call.one(device, &n[0])
      : shape == TWO      ? call.two(device, &n[0], &n[1])
      : shape == FOUR     ? call.four(device, &n[0], &n[1], &n[2], &n[3])
      : shape == LONG_ONE ? call.longs(device, &l)
      : shape == ECC      ? call.ecc(device, 1, 0, &l) /* uncorrected, volatile */
                          : call.bytes(device, fabric);
    l += n[0] + fabric[24];
    for (int k = 0; code == 0 && k < 4; k++)
      if (nvml_calls[i].words[k])
        tell(c, "number %d %s %llu", c->gpu, nvml_calls[i].words[k], k ? n[k] : l);
  }
}

static int nvml_failed(const struct child *c, void *lib, const char *func, int code)
{
  union nvml_call call = {dlsym(lib, "nvmlErrorString")};

  if (code) tell(c, "error %d %s: %s", code, func, call.at ? call.text(code) : "");
  return code;
}

static void child_nvml(struct child *c)
{
  void *lib = child_open(c), *device = NULL;
  union nvml_call init = {lib ? find_entry(lib, "nvmlInit_v2|nvmlInit") : NULL}, call;
  char text[96] = "";
  unsigned count = 0;

  if (!init.at) return;
  stage(c, "nvml");
  if (nvml_failed(c, lib, "nvmlInit", init.none())) return;
  call.at = dlsym(lib, "nvmlSystemGetDriverVersion");
  if (call.at && call.version(text, sizeof text) == 0) tell(c, "driver %s", text);
  call.at = find_entry(lib, "nvmlDeviceGetCount_v2|nvmlDeviceGetCount");
  if (!call.at || nvml_failed(c, lib, "nvmlDeviceGetCount", call.count(&count))) return;
  tell(c, "count %u", count);
  for (c->gpu = 0; c->gpu < (int)count && c->gpu < MAX_GPUS; c->gpu++) {
    call.at = find_entry(lib, "nvmlDeviceGetHandleByIndex_v2|nvmlDeviceGetHandleByIndex");
    if (!call.at ||
      nvml_failed(c, lib, "nvmlDeviceGetHandleByIndex", call.handle((unsigned)c->gpu, &device)))
      continue;
    call.at = dlsym(lib, "nvmlDeviceGetUUID");
    if (call.at && call.string(device, text, sizeof text) == 0) tell(c, "uuid %d %s", c->gpu, text);
    nvml_device(c, lib, device);
  }
  tell(c, "done");
}

/* ---- the parent: watches a child, keeps its lines */

struct probe {
  struct host *h;
  int ran, done, timed_out, signal, code, count, driver_cuda;
  const char *stage, *error, *dlerror, *loaded, *missing, *wrong, *jitlog; /* "": not said */
  size_t size;
  char log[MAX_LOG];
};

/* What the child said last under this key; "" when nothing. */
PRINTF(2, 3) static const char *said(const struct probe *p, const char *fmt, ...)
{
  FORMATTED(path, fmt);
  const char *value = value_of(p->h, p->log, text_of(p->h, "\1%s", path), ' ');

  return value ? value : "";
}

/* A number that was reported of a GPU; -1: none. */
static long long number(const struct probe *p, int gpu, const char *word)
{
  const char *value = said(p, "number %d %s", gpu, word);

  return *value ? strtoll(value, NULL, 10) : -1;
}

/* Takes from the log what the rules ask for. */
static void probe_read(struct probe *p)
{
  p->stage = said(p, "stage");
  p->error = said(p, "error");
  p->dlerror = said(p, "dlerror");
  p->loaded = said(p, "loaded");
  p->missing = said(p, "missing");
  p->wrong = said(p, "wrong");
  p->jitlog = said(p, "jitlog");
  p->done = strstr(p->log, "\1done") != NULL;
  p->code = atoi(p->error);
  p->driver_cuda = atoi(said(p, "driver_cuda"));
  p->count = atoi(said(p, "count"));
  p->count = p->count < 0 ? 0 : p->count > MAX_GPUS ? MAX_GPUS : p->count;
}

/* A capture's record of a child; '|' marks what vendor code printed. */
static void probe_replay(struct probe *p, const char *path)
{
  char *text = host_read(p->h, "%s", path);

  p->ran = text != NULL;
  for (char *line; (line = next_line(&text)); p->size = strlen(p->log))
    format(p->log + p->size, sizeof p->log - p->size, *line == '|' ? "\n%s" : "\n\1%s",
      line + (*line == '|'));
  p->signal = atoi(said(p, "signal"));
  p->timed_out = strstr(p->log, "\1timeout") != NULL;
}

/* The first line that vendor code printed by itself, or "". */
static const char *printed(const struct probe *p)
{
  const char *line = p->log + strspn(p->log, "\n");

  while (*line == '\1' && *(line += strcspn(line, "\n"))) line += strspn(line, "\n");
  return text_of(p->h, "%.*s", (int)strcspn(line, "\n"), line);
}

struct running {
  pid_t pid;
  int in;
};

/* Reads until the child ends, or is ready; -1: too late. */
static int watch(struct running *r, struct probe *p, long deadline, int until_ready)
{
  char spare[4096];

  while (!(until_ready && strstr(p->log, "\1ready"))) {
    struct pollfd fd = {.fd = r->in, .events = POLLIN};
    long left = deadline - now_ms();
    char *to = p->size + sizeof spare < sizeof p->log ? p->log + p->size : spare;
    if (left <= 0) return -1;
    if (poll(&fd, 1, left > 1000 ? 1000 : (int)left) <= 0) continue;
    ssize_t n = read(r->in, to, sizeof spare);
    if (n <= 0) return 0;
    for (ssize_t i = 0; i < n; i++) to[i] = to[i] ? to[i] : ' ';
    p->size += to == spare ? 0 : (size_t)n;
  }
  return 0;
}

static int child_start(struct running *r, struct child c, void (*work)(struct child *))
{
  static const struct rlimit no_core = {0, 0};
  int pipe[2];

  if (pipe2(pipe, O_CLOEXEC)) return -1;
  if ((r->pid = fork()) == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setrlimit(RLIMIT_CORE, &no_core);
    close(c.barrier[1]); /* so that the parent's closing is seen */
    dup2(c.barrier[0], 0);
    dup2(pipe[1], 1);
    dup2(pipe[1], 2);
    c.out = pipe[1];
    work(&c);
    _exit(0);
  }
  close(pipe[1]);
  r->in = pipe[0];
  return r->pid < 0 ? -1 : 0;
}

/* A child stuck in the kernel is left behind after two seconds. */
static void child_end(struct running *r, struct probe *p, int late)
{
  int status = 0;

  if (late) {
    p->timed_out = 1;
    kill(r->pid, SIGKILL);
  }
  close(r->in);
  for (int i = 0; i < 400; i++) {
    struct timespec t = {0, 5000000};
    pid_t got = waitpid(r->pid, &status, WNOHANG);
    if (got == r->pid && WIFSIGNALED(status) && !late) p->signal = WTERMSIG(status);
    if (got == r->pid || (got < 0 && errno != EINTR)) return;
    nanosleep(&t, NULL);
  }
}

/* Runs n children at once: those that say "ready" wait until the last one does. */
static int probe_run(
  struct probe *p, struct child c, void (*work)(struct child *), int n, int seconds)
{
  struct running r[MAX_SHARE];
  long deadline = now_ms() + 1000L * seconds;
  int started = 0;

  if (pipe2(c.barrier, O_CLOEXEC)) return -1;
  while (started < n && child_start(&r[started], c, work) == 0) started++;
  for (int i = 0; i < started; i++) p[i].ran = watch(&r[i], &p[i], deadline, 1) <= 0;
  close(c.barrier[0]);
  close(c.barrier[1]);
  for (int i = 0; i < started; i++) child_end(&r[i], &p[i], watch(&r[i], &p[i], deadline, 0));
  return started == n ? 0 : -1;
}

/* ---- verdict */

struct options {
  int help, version, json, require_gpu, redact, load, timeout, share;
  const char *root, *level, *expect, *explain, *junit;
};

struct finding {
  const struct cause *cause;
  enum layer layer;
  const char *evidence[MAX_EVIDENCE];
  size_t n;
};

struct smoke {
  struct options opt;
  size_t level;
  struct host host;
  struct facts facts;
  struct probe cuda, nvml;
  const char *expect; /* what was promised: lines of KEY=VALUE */
  struct library *chosen;
  int found, exit;
  struct finding finding;
  enum state state[N_LAYERS];
  const char *detail[N_LAYERS], *warning[MAX_WARNINGS];
  size_t warnings;
  double share[MAX_SHARE]; /* GFLOPS of each */
};

/* Where the stage that a child reached belongs: INIT where nothing else is named. */
static enum layer stage_layer(const struct probe *p)
{
  static const struct {
    const char *stage;
    enum layer layer;
  } table[] = {
    {"load", LIBCUDA},
    {"jit", JIT},
    {"add", EXEC},
    {"memory", EXEC},
    {"gemm", EXEC},
    {"bandwidth", BANDWIDTH},
    {"peer", BANDWIDTH},
  };

  for (size_t i = 0; i < LENGTH(table); i++)
    if (starts(p->stage, table[i].stage)) return table[i].layer;
  return INIT;
}

static int proven(const struct smoke *s)
{
  int n = 0;

  for (int i = 0; i < s->cuda.count; i++) n += number(&s->cuda, i, "proven") == 1;
  return n > 0 && n == s->cuda.count;
}

/* Adds to the evidence; always 1. */
PRINTF(2, 3) static int shows(struct smoke *s, const char *fmt, ...)
{
  FORMATTED(line, fmt);
  if (s->finding.n < MAX_EVIDENCE)
    s->finding.evidence[s->finding.n++] = text_of(&s->host, "%s", line);
  return 1;
}

static int shows_env(struct smoke *s, const char *name)
{
  const char *value = host_env(&s->host, name);

  return shows(s, "%s=%s", name, !value ? "(unset)" : *value ? value : "(empty)");
}

static int shows_library(struct smoke *s, const struct library *lib)
{
  return shows(s, "%s -> %s (%s, %llu bytes)", lib->path, lib->real, lib->origin, lib->size);
}

static int shows_versions(struct smoke *s)
{
  if (s->chosen) shows_library(s, s->chosen);
  return shows(s, "kernel module %s", s->facts.version);
}

static void blame(struct smoke *s, const char *cause) { s->finding.cause = cause_find(cause); }

/* What was promised under this key, or "". */
static const char *promised(struct smoke *s, const char *key)
{
  const char *value = value_of(&s->host, s->expect, key, '=');

  return value ? value : "";
}

/* A rule holds when its complaint is true; it shows why, and may blame another cause. */
#define HOLDS(rule) static int rule(struct smoke *s)

HOLDS(no_gpu)
{
  const struct facts *a = &s->facts;
  const struct probe *p = &s->cuda;

  if (a->gpus || a->module_loaded || a->nodes || a->tegra || p->count || p->signal ||
    p->timed_out || (p->code && p->code != 100 && p->code != 34))
    return 0;
  if (a->in_build) shows(s, "this looks like an image build");
  if (p->code) shows(s, "%s", p->error);
  return shows(s, "no display device of vendor 0x10de in /sys/bus/pci, no /dev/nvidia*");
}

HOLDS(off_bus)
{
  for (size_t i = 0; i < s->facts.gpus; i++)
    if (s->facts.gpu[i].off_bus) return shows(s, "GPU at %s", s->facts.gpu[i].address);
  return 0;
}

static int nvml_says(struct smoke *s, int hardware)
{
  const struct code *code = code_find(NVML_CODES, s->nvml.code);

  if (code) blame(s, code->causes);
  if (hardware ? !code || s->finding.cause->layer != HW
               : !s->nvml.code && !s->nvml.signal && !s->nvml.timed_out)
    return 0;
  return shows(s, "NVML: %s%s", s->nvml.code ? s->nvml.error : "died or hung in stage ",
    s->nvml.code ? "" : s->nvml.stage);
}

HOLDS(nvml_hardware) { return nvml_says(s, 1); }

HOLDS(nvml_other) { return nvml_says(s, 0); }

HOLDS(fewer_gpus)
{
  return s->cuda.done && s->cuda.count < atoi(promised(s, "gpus")) &&
    shows(s, "%s promised, CUDA sees %d", promised(s, "gpus"), s->cuda.count);
}

static const char *capability(struct smoke *s, int gpu)
{
  return text_of(
    &s->host, "%lld.%lld", number(&s->cuda, gpu, "cc_major"), number(&s->cuda, gpu, "cc_minor"));
}

HOLDS(other_gpu)
{
  const char *want = promised(s, "gpu");

  for (int i = 0; i < s->cuda.count && *want; i++)
    if (!list_has(want, " ,", capability(s, i)))
      return shows(s, "GPU %d is a %s, compute capability %s; promised: %s", i,
        said(&s->cuda, "name %d", i), capability(s, i), want);
  return 0;
}

static int hidden(const struct smoke *s) { return s->facts.wsl || s->facts.tegra; }

HOLDS(not_loaded)
{
  const struct facts *a = &s->facts;
  const struct node *ctl = node_find(a, "/dev/nvidiactl");
  const struct pci *gpu = &a->gpu[0];

  if (!a->gpus || a->module_loaded || hidden(s) || (ctl && ctl->open_errno == 0)) return 0;
  if (same(gpu->driver, "nouveau") || starts(gpu->driver, "vfio"))
    blame(s, "other-driver-bound");
  else if (a->built_for && !a->built_here) {
    blame(s, "driver-not-built");
    shows(s, "kernel %s runs; nvidia.ko is built for %s", a->release, a->built_for);
  }
  return shows(s, "GPU %04x:%04x at %s, bound to %s; no /proc/driver/nvidia", NVIDIA, gpu->device,
    gpu->address, gpu->driver[0] ? gpu->driver : "no driver");
}

HOLDS(dropped_gpu)
{
  const struct facts *a = &s->facts;
  int branch = atoi(a->version);

  for (size_t i = 0; i < a->gpus && branch; i++)
    for (size_t k = 0; k < LENGTH(generations); k++) {
      const struct generation *g = &generations[k];
      if (a->gpu[i].device < g->from || a->gpu[i].device > g->to ||
        (branch <= g->last && same(a->flavour, g->flavour)))
        continue;
      if (branch <= g->last) blame(s, "module-flavour");
      return shows(s, "GPU %04x:%04x is %s, the module is %s, %s", NVIDIA, a->gpu[i].device,
        g->name, a->version, a->flavour);
    }
  return 0;
}

static int is_compat(const struct library *lib)
{
  return lib && (lib->note[0] || strstr(lib->real, "/compat/"));
}

/* The chosen libcuda is of another version than the module, and no compat build. */
static int mismatch(const struct smoke *s)
{
  const char *module = s->facts.version;

  return s->chosen && *s->chosen->version && module[0] && !hidden(s) && !is_compat(s->chosen) &&
    version_compare(s->chosen->version, module) != 0;
}

static const struct library *matching_copy(const struct smoke *s)
{
  for (size_t i = 0; i < s->facts.libs; i++) {
    const struct library *lib = &s->facts.lib[i];
    if (lib->defect == FINE && same(lib->name, libcuda) && *lib->version &&
      version_compare(lib->version, s->facts.version) == 0)
      return lib;
  }
  return NULL;
}

/* Is it in the image, not mounted from the host? */
static int baked(const struct smoke *s)
{
  return s->facts.container && s->facts.mounts && s->chosen && !s->chosen->mounted;
}

HOLDS(shadowed)
{
  return mismatch(s) && matching_copy(s) && shows_versions(s) && shows_library(s, matching_copy(s));
}

HOLDS(baked_in) { return mismatch(s) && baked(s) && shows_versions(s); }

HOLDS(stale_module)
{
  int nvml = s->nvml.code == 18 && !is_compat(s->chosen);

  if (!nvml && (!mismatch(s) || matching_copy(s) || baked(s))) return 0;
  if (nvml) shows(s, "NVML: %s", s->nvml.error);
  return shows_versions(s);
}

static int needs_nodes(const struct smoke *s) { return s->facts.module_loaded && !hidden(s); }

/* How many /dev/nvidia<N> there are; or, of those, not known to be closed. */
static int gpu_nodes(const struct smoke *s, int opened)
{
  int n = 0;

  for (size_t i = 0; i < s->facts.nodes; i++)
    n += is_gpu_node(&s->facts.node[i]) && (!opened || s->facts.node[i].open_errno <= 0);
  return n;
}

HOLDS(nodes_missing)
{
  return needs_nodes(s) && s->facts.on_host && !gpu_nodes(s, 0) &&
    shows(s, "driver %s is loaded; /dev/nvidia<N>: none", s->facts.version);
}

HOLDS(node_major)
{
  const struct facts *a = &s->facts;
  unsigned nvidia = device_major(a, "nvidia"), uvm = device_major(a, "nvidia-uvm");

  if (!nvidia) nvidia = device_major(a, "nvidia-frontend"); /* its name before 550.40 */
  for (size_t i = 0; i < a->nodes; i++) {
    const struct node *node = &a->node[i];
    unsigned want = starts(node->path, "/dev/nvidia-uvm")       ? uvm
      : is_gpu_node(node) || same(node->path, "/dev/nvidiactl") ? nvidia
                                                                : 0;
    if (want && node->major && node->major != want)
      return shows(s, "%s has major %u, /proc/devices says %u", node->path, node->major, want);
  }
  return 0;
}

HOLDS(node_closed)
{
  for (size_t i = 0; i < s->facts.nodes; i++) {
    const struct node *node = &s->facts.node[i];
    int needed = list_has("/dev/nvidiactl /dev/nvidia-uvm /dev/dxg", " ", node->path) ||
      (is_gpu_node(node) && !gpu_nodes(s, 1));
    if (!needed || (node->is_device && node->open_errno <= 0)) continue;
    blame(s, node->is_device ? "node-io-error" : "node-not-device");
    for (size_t k = 1; node->is_device && k < LENGTH(open_errors); k++)
      if (open_errors[k].number == node->open_errno) blame(s, open_errors[k].cause);
    if (node->open_errno == EACCES && (node->mode & 0666) == 0666) blame(s, "node-nodev");
    return shows(s, "%s: mode %04o, open: %s", node->path, node->mode,
      node->is_device ? strerror(node->open_errno) : "no device");
  }
  return 0;
}

HOLDS(uvm_missing)
{
  return needs_nodes(s) && gpu_nodes(s, 0) && !node_find(&s->facts, "/dev/nvidia-uvm") &&
    shows(s, "/dev/nvidia<N> is there, /dev/nvidia-uvm is not");
}

static int asks_mig(struct smoke *s)
{
  const char *visible = host_env(&s->host, "NVIDIA_VISIBLE_DEVICES"),
             *cuda = host_env(&s->host, "CUDA_VISIBLE_DEVICES");

  return (visible && strstr(visible, "MIG-")) || (cuda && strstr(cuda, "MIG-"));
}

HOLDS(mig_caps)
{
  return asks_mig(s) && needs_nodes(s) && gpu_nodes(s, 0) && !s->facts.mig_nodes &&
    shows(s, "a MIG device is asked for, /dev/nvidia-caps/nvidia-cap*: none");
}

HOLDS(no_access)
{
  const char *visible = host_env(&s->host, "NVIDIA_VISIBLE_DEVICES");

  if (!needs_nodes(s) || s->facts.on_host || gpu_nodes(s, 0)) return 0;
  if (node_find(&s->facts, "/dev/nvidiactl") || (visible && same(visible, "none")))
    blame(s, "no-device-allocated");
  else if (!visible || list_has("void", " ", visible) || !*visible)
    blame(s, "gpu-not-requested");
  shows(s, "driver %s is loaded on the host, /dev/nvidia<N>: none here", s->facts.version);
  return shows_env(s, "NVIDIA_VISIBLE_DEVICES");
}

/* -1: there is no list of capabilities */
static int lacks_capability(struct smoke *s, const char *name)
{
  const char *caps = host_env(&s->host, "NVIDIA_DRIVER_CAPABILITIES");

  return !caps || !*caps ? -1 : !list_has(caps, ", ", name) && !list_has(caps, ", ", "all");
}

HOLDS(no_compute)
{
  const struct library *nvml = library_winner(&s->facts, libnvml);
  int lacks = lacks_capability(s, "compute");

  return !s->facts.on_host && !library_winner(&s->facts, libcuda) && !s->cuda.loaded[0] &&
    (lacks > 0 || (lacks < 0 && nvml)) && shows_env(s, "NVIDIA_DRIVER_CAPABILITIES") &&
    shows(s, "%s: %s; %s: none", libnvml, nvml ? nvml->real : "none", libcuda);
}

HOLDS(no_utility)
{
  return !s->facts.on_host && lacks_capability(s, "utility") > 0 &&
    !library_winner(&s->facts, libnvml) && shows_env(s, "NVIDIA_DRIVER_CAPABILITIES");
}

HOLDS(cdi_stale) { return s->facts.cdi_stale && shows(s, "%s", s->facts.cdi_stale); }

/* Nothing by that name where the loader looks: is a good one elsewhere? */
static int shows_elsewhere(struct smoke *s)
{
  blame(s, s->facts.musl ? "musl-libc" : "libcuda-absent");
  for (size_t i = s->facts.libs; i-- > 0;) {
    const struct library *lib = &s->facts.lib[i];
    int plain = same(lib->name, "libcuda.so");
    if ((!plain && !same(lib->name, libcuda)) || lib->defect != FINE || is_compat(lib)) continue;
    shows_library(s, lib);
    if (!s->facts.musl) blame(s, plain ? "libcuda-unversioned" : "libcuda-unsearched");
  }
  return shows_env(s, "LD_LIBRARY_PATH");
}

HOLDS(libcuda_broken)
{
  const struct library *lib = library_winner(&s->facts, libcuda);
  const char *error = s->cuda.dlerror;

  if (s->cuda.loaded[0] || s->cuda.count) return 0;
  if (error[0]) shows(s, "the loader says: %s", error);
  if (!lib) return shows_elsewhere(s);
  if (lib->defect != FINE) {
    blame(s, defect_causes[lib->defect]);
    return shows_library(s, lib);
  }
  if (strstr(error, "cannot open shared object")) blame(s, "missing-dependency");
  for (size_t i = 0; i < LENGTH(cause_table) && !strstr(error, "No such file"); i++)
    if (cause_table[i].layer == LIBCUDA && cause_told(&cause_table[i], error))
      s->finding.cause = &cause_table[i];
  return error[0] != '\0';
}

HOLDS(stub)
{
  int on_path = !s->cuda.ran && s->chosen && strstr(s->chosen->real, "/stubs/");

  if (s->cuda.code) shows(s, "%s", s->cuda.error);
  return (s->cuda.code == 34 || on_path) &&
    shows(s, "%s", s->chosen ? s->chosen->real : s->cuda.loaded);
}

HOLDS(no_driver)
{
  return s->cuda.missing[0] && shows(s, "%s has no %s", s->cuda.loaded, s->cuda.missing);
}

HOLDS(several)
{
  const struct library *first = NULL;

  for (size_t i = 0; i < s->facts.libs; i++) {
    const struct library *lib = &s->facts.lib[i];
    if (!lib->searched || !same(lib->name, libcuda) || lib->defect != FINE || is_compat(lib))
      continue;
    if (first && !same(first->version, lib->version))
      return shows(s, "%s, then %s", first->real, lib->real);
    first = first ? first : lib;
  }
  return 0;
}

HOLDS(env_hides)
{
  return s->cuda.code == 100 && host_env(&s->host, "CUDA_VISIBLE_DEVICES") &&
    shows_env(s, "CUDA_VISIBLE_DEVICES") && shows(s, "%s", s->cuda.error);
}

/* Forward compatibility: the library's note lists the branches on which it works. */
HOLDS(compat)
{
  const char *list = is_compat(s->chosen) ? strstr(s->chosen->note, "\"Driver\"") : NULL;
  int branch = atoi(s->facts.version), listed = !list || !branch;

  for (; list && *list && *list != ']'; list++)
    listed |= strchr("[, ", *list) && atoi(list + 1) == branch;
  if (!is_compat(s->chosen) || (s->cuda.code != 803 && listed)) return 0;
  shows(s, "note of the library: %s", s->chosen->note[0] ? s->chosen->note : "none");
  return shows_versions(s);
}

HOLDS(fabric)
{
  long long state = number(&s->nvml, 0, "fabric");

  if (s->cuda.code != 802) return 0;
  if (host_exists(&s->host, "/var/run/nvidia-fabricmanager") || state == 3 ||
    (!s->facts.nvswitches && !node_find(&s->facts, "/dev/nvidia-nvswitchctl") && state <= 0))
    blame(s, "fabric-not-ready");
  return shows(s, "%s", s->cuda.error) &&
    shows(s, "fabric state of NVML: %lld (1 not started, 2 in progress, 3 done)", state);
}

HOLDS(mig_empty)
{
  return s->cuda.code == 100 && number(&s->nvml, 0, "mig") == 1 && !s->facts.mig_made &&
    shows(s, "NVML: MIG mode is on; /proc/driver/nvidia/capabilities: no gi*");
}

/* Where MPS's clients meet its daemon. */
static const char *mps_trouble(struct smoke *s)
{
  const char *dir = host_env(&s->host, "CUDA_MPS_PIPE_DIRECTORY"),
             *at = text_of(&s->host, "%s/control", dir && *dir ? dir : "/tmp/nvidia-mps");
  struct stat st;
  int missing = host_stat(&s->host, at, 0, &st);

  return text_of(&s->host, "%s: %s", at,
    missing ? "not there: no daemon, or not mounted"
      : (s->host.root ? !(st.st_mode & 0222) : access(at, W_OK))
      ? "not writable: another user's daemon"
      : "there, writable");
}

/* What the child came to: a death, an error code, a wrong result. */
HOLDS(probe_failed)
{
  const struct probe *p = &s->cuda;
  const struct code *code = code_find(CUDA_CODES, p->code);
  const char *texts[] = {p->code ? p->error : "", p->wrong, p->jitlog, p->loaded};

  if (!p->ran || (p->done && p->count)) return 0;
  blame(s,
    p->timed_out    ? "vendor-hang"
      : p->signal   ? "vendor-crash"
      : p->wrong[0] ? "wrong-result"
      : code        ? code->causes
      : p->code     ? "cuda-error"
      : p->done     ? "no-device"
                    : "vendor-crash");
  if (strstr(p->jitlog, ".target")) blame(s, "ptx-target-too-new");
  s->finding.layer = s->finding.cause->layer == ANYWHERE ? stage_layer(p) : s->finding.cause->layer;
  if (p->timed_out)
    shows(s, "no answer within %d s in stage '%s'", s->opt.timeout, p->stage);
  else if (p->signal)
    shows(s, "signal %d (%s) in stage '%s'", p->signal, strsignal(p->signal), p->stage);
  for (size_t i = 0; i < LENGTH(texts); i++)
    if (texts[i][0]) shows(s, "%s", texts[i]);
  if (p->code == 46)
    shows(s, "compute mode %lld (2 prohibited, 3 exclusive)",
      number(p, atoi(p->stage + strcspn(p->stage, " ")), "mode"));
  if (p->code == 805) shows(s, "%s", mps_trouble(s));
  if (*printed(p)) shows(s, "it printed: %s", printed(p));
  return 1;
}

HOLDS(start_failed) { return stage_layer(&s->cuda) <= INIT && probe_failed(s); }

HOLDS(old_driver)
{
  int cuda = s->cuda.driver_cuda;
  const char *needs[] = {s->facts.framework_cuda, promised(s, "cuda")};

  if (*s->facts.version && !is_compat(s->chosen) &&
    version_compare(s->facts.version, promised(s, "driver")) < 0)
    return shows(s, "driver %s, promised at least %s", s->facts.version, promised(s, "driver"));
  for (size_t i = 0; i < LENGTH(needs); i++)
    if (cuda && needs[i] && atoi(needs[i]) > cuda / 1000)
      return shows(s, "the driver is for CUDA %d.%d, %s needs %s", cuda / 1000, cuda % 1000 / 10,
        i ? "--expect" : s->facts.framework, needs[i]);
  return 0;
}

/* Two of a kind: two majors among wheels, or a copy in front of a wheel's. */
static int toolkit_pair(struct smoke *s, const char *kind, const char *origin)
{
  const struct library *lib = s->facts.lib;

  for (size_t i = 0; i < s->facts.libs; i++)
    for (size_t k = 0; k < s->facts.libs; k++)
      if (i != k && starts(lib[i].name, kind) && starts(lib[k].name, kind) &&
        same(lib[i].origin, origin) && same(lib[k].origin, "wheel") &&
        (*origin == 'w') == (!same(lib[i].name, lib[k].name)))
        return shows(s, "%s beside %s", lib[i].path, lib[k].path);
  return 0;
}

HOLDS(two_runtimes) { return toolkit_pair(s, toolkit_names[0], "wheel"); }

HOLDS(toolkit_shadowed)
{
  int n = 0;

  for (size_t i = 0; i < LENGTH(toolkit_names); i++)
    n |= toolkit_pair(s, toolkit_names[i], "LD_LIBRARY_PATH");
  return n;
}

HOLDS(cpu_only)
{
  return s->facts.framework && !s->facts.framework_cuda[0] &&
    shows(s, "%s names no CUDA", s->facts.framework);
}

/* Does "sm_80 compute_90" reach sm_NN? With 'a' only its own. */
static int archs_cover(const char *archs, long long nn)
{
  int any = 0;

  for (const char *at = archs; (at = strpbrk(at, "sc")); at++) {
    int ptx = starts(at, "compute_");
    char *end;
    if (!ptx && !starts(at, "sm_")) continue;
    long n = strtol(at + (ptx ? 8 : 3), &end, 10);
    any = 1;
    if (*end == 'a' ? n == nn : n <= nn && (ptx || n / 10 == nn / 10)) return 1;
  }
  return !any;
}

HOLDS(lacks_gpu)
{
  const char *archs = *promised(s, "archs") ? promised(s, "archs") : s->facts.framework_archs;

  for (int i = 0; archs && i < s->cuda.count; i++) {
    long long nn = 10 * number(&s->cuda, i, "cc_major") + number(&s->cuda, i, "cc_minor");
    if (nn > 0 && !archs_cover(archs, nn))
      return shows(s, "GPU %d is sm_%lld; the build has %s", i, nn, archs);
  }
  return 0;
}

/* Less than half of what memory clock and width give. */
HOLDS(slow)
{
  for (int i = 0; i < s->cuda.count; i++) {
    double peak = 2.5e-7 * (double)number(&s->cuda, i, "clock_khz") *
      (double)number(&s->cuda, i, "bus_bits"),
           have = strtod(said(&s->cuda, "bandwidth %d", i), NULL);
    if (have > 0 && have < peak / 2)
      return shows(s, "GPU %d: %.0f GB/s, its memory's peak is %.0f", i, have, peak);
  }
  return 0;
}

static int health_says(struct smoke *s, size_t from, size_t to)
{
  static const struct {
    const char *word, *cause;
    long long bits;
  } table[] = {
    {"remap_failed", "remap-failed", -1},
    {"rows_pending", "rows-pending", -1},
    {"pages_pending", "rows-pending", -1},
    {"ecc_errors", "ecc-error", -1},
    {"throttle", "throttled", 0xe8},
  };

  for (size_t k = from; k < to && k < LENGTH(table); k++)
    for (int i = 0; i < s->nvml.count; i++) {
      long long n = number(&s->nvml, i, table[k].word);
      if (n <= 0 || !(n & table[k].bits)) continue;
      blame(s, table[k].cause);
      return shows(s, "NVML: GPU %d: %s = 0x%llx", i, table[k].word, n);
    }
  return 0;
}

HOLDS(remap_failed) { return health_says(s, 0, 1); }

HOLDS(health) { return health_says(s, 1, SIZE_MAX); }

HOLDS(narrow_link)
{
  for (int i = 0; i < s->nvml.count; i++) {
    long long have = number(&s->nvml, i, "pcie_width"),
              most = number(&s->nvml, i, "pcie_width_max");
    if (have > 0 && have < most)
      return shows(s, "NVML: GPU %d has %lld of %lld lanes", i, have, most);
  }
  return 0;
}

static const char *sharing_in_force(struct smoke *s)
{
  if (s->facts.mig_nodes || s->facts.mig_made || asks_mig(s) || number(&s->nvml, 0, "mig") == 1)
    return "mig";
  return number(&s->cuda, 0, "mps") > 0   ? "mps"
    : number(&s->nvml, 0, "virtual") == 2 ? "vgpu"
                                          : "none";
}

/* Time-slicing and DRA cannot be seen from inside; AWS's vGPUs are MPS. */
HOLDS(other_sharing)
{
  const char *want = promised(s, "sharing"), *have = sharing_in_force(s);

  if (same(want, "aws-vgpu")) want = "mps";
  return *want && s->cuda.count && !list_has("time-slicing dra", " ", want) &&
    strncmp(want, have, strlen(have)) != 0 && /* mig:1g.5gb */
    shows(s, "promised: %s, in force: %s", want, have);
}

HOLDS(mps_unused)
{
  return host_env(&s->host, "CUDA_MPS_PIPE_DIRECTORY") && s->cuda.done &&
    number(&s->cuda, 0, "mps") == 0 && shows_env(s, "CUDA_MPS_PIPE_DIRECTORY") &&
    shows(s, "%s", mps_trouble(s));
}

HOLDS(small_shm)
{
  return s->facts.container && s->facts.shm && s->facts.shm <= 64u << 20 &&
    shows(s, "/dev/shm has %llu MiB", s->facts.shm >> 20);
}

enum weight {
  ABSENT, /* no GPU at all: skipped, unless one is required */
  BREAKS, /* the finding; a warning where kernels ran and were right */
  FIRM, /* the finding even so: a kernel of ours does not disprove it */
  WARNS
};

/* From the hardware up; the first that breaks is the finding. */
static const struct rule {
  const char *cause;
  enum weight weight;
  int (*holds)(struct smoke *s);
} rules[] = {
  {"no-gpu", ABSENT, no_gpu},
  {"gpu-off-bus", BREAKS, off_bus},
  {"gpu-lost", BREAKS, nvml_hardware},
  {"fewer-gpus", FIRM, fewer_gpus},
  {"other-gpu", FIRM, other_gpu},
  {"driver-not-loaded", BREAKS, not_loaded},
  {"driver-dropped-gpu", BREAKS, dropped_gpu},
  {"module-stale", BREAKS, stale_module},
  {"nodes-missing", BREAKS, nodes_missing},
  {"node-major", BREAKS, node_major},
  {"node-mode", BREAKS, node_closed},
  {"uvm-missing", BREAKS, uvm_missing},
  {"mig-caps-missing", BREAKS, mig_caps},
  {"no-gpu-access", BREAKS, no_access},
  {"capability-compute-missing", BREAKS, no_compute},
  {"capability-utility-missing", WARNS, no_utility},
  {"cdi-stale", WARNS, cdi_stale},
  {"libcuda-load", BREAKS, libcuda_broken},
  {"stub-library", BREAKS, stub},
  {"not-a-driver", BREAKS, no_driver},
  {"several-libcuda", WARNS, several},
  {"env-hides-gpus", BREAKS, env_hides},
  {"compat-wrong-driver", BREAKS, compat},
  {"shadowed-libcuda", BREAKS, shadowed},
  {"baked-in-libcuda", BREAKS, baked_in},
  {"fabric-manager", BREAKS, fabric},
  {"mig-no-instances", BREAKS, mig_empty},
  {"cuda-error", BREAKS, start_failed},
  {"driver-too-old", FIRM, old_driver},
  {"two-runtimes", WARNS, two_runtimes},
  {"toolkit-shadowed", WARNS, toolkit_shadowed},
  {"cpu-only-wheel", FIRM, cpu_only},
  {"wheel-lacks-gpu", FIRM, lacks_gpu},
  {"cuda-error", FIRM, probe_failed},
  {"bandwidth-low", WARNS, slow},
  {"remap-failed", FIRM, remap_failed},
  {"rows-pending", WARNS, health},
  {"pcie-degraded", WARNS, narrow_link},
  {"nvml-failed", WARNS, nvml_other},
  {"sharing-not-in-force", FIRM, other_sharing},
  {"sharing-not-in-force", WARNS, mps_unused},
  {"shm-small", WARNS, small_shm},
};

static void judge(struct smoke *s)
{
  struct finding *f = &s->finding;

  for (size_t i = 0; i < LENGTH(rules) && !s->found; i++) {
    *f = (struct finding){.cause = cause_find(rules[i].cause), .layer = N_LAYERS};
    if (!rules[i].holds(s)) continue;
    f->layer = f->layer < N_LAYERS ? f->layer : f->cause->layer;
    s->detail[f->layer] = f->cause->what;
    s->found = rules[i].weight != WARNS && (rules[i].weight != BREAKS || !proven(s));
    if (s->found) {
      s->exit =
        rules[i].weight == ABSENT && !s->opt.require_gpu ? EXIT_NO_GPU : layers[f->layer].exit;
    } else if (s->warnings < MAX_WARNINGS) {
      s->state[f->layer] = WARNING;
      s->warning[s->warnings++] =
        text_of(&s->host, "%s: %s (%s)", layers[f->layer].name, f->cause->what, f->evidence[0]);
    }
  }
}

/* ---- what the layers that work say; NULL: there is nothing to check here */

static const char *detail_of(struct smoke *s, int layer)
{
  struct host *h = &s->host;
  const struct facts *a = &s->facts;
  const struct probe *p = &s->cuda;
  int major = p->driver_cuda / 1000, minor = p->driver_cuda % 1000 / 10, direct = 0;

  switch (layer) {
  case HW:
    return text_of(h, "%zu GPU on the PCI bus here", a->gpus);
  case KMOD:
    return text_of(
      h, "nvidia %s %s", a->version, a->module_loaded ? a->flavour : "not visible here");
  case DEVNODES:
    return text_of(h, "%d of /dev/nvidia<N>, %zu nodes", gpu_nodes(s, 0), a->nodes);
  case INJECT:
    return a->container ? text_of(h, "container (%s), libcuda %s", a->container,
                            baked(s) ? "in the image" : "mounted in")
                        : "no container seen";
  case LIBCUDA:
    return s->chosen ? text_of(h, "%s (%s)", s->chosen->real, s->chosen->origin) : p->loaded;
  case INIT: /* PTX: CUDA 11.0 takes 7.0, 12.0 takes 8.0, 13.0 takes 9.0 */
    return text_of(h, "%d GPU, driver for CUDA %d.%d: runs any %d.x, PTX to %d.%d%s", p->count,
      major, minor, major, major - 4, minor > 8 ? 8 : minor,
      is_compat(s->chosen) ? ", forward compatible" : "");
  case TOOLKIT:
    for (size_t i = 0; i < a->libs; i++)
      if (starts(a->lib[i].name, toolkit_names[0]))
        return text_of(h, "%s (%s)", a->lib[i].path, a->lib[i].origin);
    return NULL;
  case FRAMEWORK:
    return a->framework ? text_of(h, "CUDA %s: %s", a->framework_cuda, a->framework) : NULL;
  case JIT:
    return text_of(h, "PTX 6.0 for sm_50 compiled for %s", capability(s, 0));
  case EXEC:
    return text_of(h, "%s: add, %lld MiB, product right; %s GFLOPS", said(p, "name 0"),
      number(p, 0, "memory_checked") >> 20, said(p, "gflops 0"));
  case BANDWIDTH:
    for (int i = 1; i < p->count; i++) direct += number(p, i, "direct") == 1;
    return text_of(h,
      p->count > 1 ? "%s GB/s within the GPU; %d of %d others direct" : "%s GB/s within the GPU",
      said(p, "bandwidth 0"), direct, p->count - 1);
  case HEALTH:
    return s->nvml.done ? "NVML has no complaint" : NULL;
  default:
    return text_of(h, "in force: %s", sharing_in_force(s));
  }
}

/* Not reached: what comes after the finding, and after the stage where the child stopped. */
static void fill_layers(struct smoke *s)
{
  int end = s->found ? (int)s->finding.layer : N_LAYERS;
  int stop = !s->cuda.ran ? INIT : s->cuda.done ? N_LAYERS : (int)stage_layer(&s->cuda);

  for (int i = 0; i < N_LAYERS; i++) {
    int runs = i == INIT || (i >= JIT && i <= BANDWIDTH);
    if (i == end) {
      s->state[i] = s->exit == EXIT_NO_GPU ? NOT_APPLICABLE : BROKEN;
    } else if (i > end || (s->found && i > stop)) {
      s->state[i] = NOT_REACHED;
      s->detail[i] = "not reached";
    } else if (s->found && i == stop && s->cuda.ran) {
      s->state[i] = WARNING;
      s->detail[i] = s->cuda.error[0] ? s->cuda.error : "stopped here";
    } else if (!s->cuda.ran && runs) {
      s->state[i] = NOT_APPLICABLE;
      s->detail[i] = "a root is read, not run";
    } else if (s->state[i] == OK && !(s->detail[i] = detail_of(s, i))) {
      s->state[i] = NOT_APPLICABLE;
      s->detail[i] = "nothing to check here";
    }
  }
}

/* ---- output */

struct sink {
  FILE *out;
  enum quoting { PLAIN, JSON, XML } quoting;
  int redact;
  char name[65]; /* of this machine */
};

/* Of the UTF-8 character at p; 0: it is none. */
static size_t utf8_length(const unsigned char *p)
{
  size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

  for (size_t i = 1; i < n; i++)
    if ((p[i] & 0xc0) != 0x80) return 0;
  return p[0] > 0xf4 || (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
      (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)
    ? 0
    : n;
}

/* Of what is to be hidden at p: a UUID, or the host's name. */
static size_t secret_length(const struct sink *k, const char *p)
{
  size_t n = strlen(k->name), hex = strspn(p, "0123456789abcdefABCDEF-");

  if (!k->redact) return 0;
  return hex >= 32 && *p != '-' ? hex : n > 2 && strncmp(p, k->name, n) == 0 ? n : 0;
}

static void put_char(struct sink *k, const unsigned char *p, size_t n)
{
  static const char special[] = "&<>\"", *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
  const char *at = strchr(special, *p);

  if (n == 0 || *p < 0x20 || *p == 0x7f) /* control bytes of foreign texts reach no terminal */
    fprintf(k->out, k->quoting == JSON ? "\\u%04x" : "?", n ? *p : 0xfffdu);
  else if (k->quoting == JSON && (*p == '"' || *p == '\\'))
    fprintf(k->out, "\\%c", *p);
  else if (k->quoting == XML && at)
    fputs(names[at - special], k->out);
  else
    fwrite(p, 1, n, k->out);
}

static void put_text(struct sink *k, const char *text)
{
  while (*text) {
    size_t n = secret_length(k, text);
    if (n)
      fputs("(redacted)", k->out);
    else
      put_char(k, (const unsigned char *)text, n = utf8_length((const unsigned char *)text));
    text += n ? n : 1;
  }
}

/* A format in which ' is ", %s a text quoted as the sink needs, %d an int, %l a long long, %f a
 * double (0: null), %b a truth. */
static void put(struct sink *k, const char *fmt, ...)
{
  const char *text, *quote = k->quoting == JSON ? "\"" : "";
  double x;
  va_list args;

  va_start(args, fmt);
  for (; *fmt; fmt++) {
    if (*fmt != '%') {
      putc(*fmt == '\'' ? '"' : *fmt, k->out);
      continue;
    }
    switch (*++fmt) {
    case 's':
      text = va_arg(args, const char *);
      fputs(text ? quote : "null", k->out);
      put_text(k, text ? text : "");
      fputs(text ? quote : "", k->out);
      break;
    case 'd':
      fprintf(k->out, "%d", va_arg(args, int));
      break;
    case 'l':
      fprintf(k->out, "%lld", va_arg(args, long long));
      break;
    case 'b':
      fputs(va_arg(args, int) ? "true" : "false", k->out);
      break;
    default:
      x = va_arg(args, double);
      fprintf(k->out, x > 0 && x < 1e12 ? "%.1f" : "null", x);
    }
  }
  va_end(args);
}

static void put_list(struct sink *k, const char *const *texts, size_t n)
{
  for (size_t i = 0; i < n; i++) put(k, i ? ", %s" : "%s", texts[i]);
}

/* NULL for an empty text */
static const char *some(const char *text) { return text && *text ? text : NULL; }

static void json_gpus(struct smoke *s, struct sink *k)
{
  const struct probe *p = &s->cuda;

  for (int i = 0; i < p->count; i++) {
    const char *uuid = said(p, "uuid %d", i),
               *mig = number(&s->nvml, 0, "mig") == 1 ? "MIG" : "GPU";
    fputs(i ? ",\n  " : "\n  ", k->out);
    put(k,
      "{'name': %s, 'uuid': %s, 'compute_capability': %s, 'bandwidth_gb_s': %f, "
      "'gflops': %f, 'memory_bytes': %l, 'checksum': %s, 'proven': %b}",
      said(p, "name %d", i), *uuid ? text_of(&s->host, "%s-%s", mig, uuid) : NULL, capability(s, i),
      strtod(said(p, "bandwidth %d", i), NULL), strtod(said(p, "gflops %d", i), NULL),
      number(p, i, "memory"), some(said(p, "checksum %d", i)), number(p, i, "proven") == 1);
  }
}

static void json_libraries(const struct facts *a, struct sink *k)
{
  for (size_t i = 0; i < a->libs; i++) {
    const struct library *lib = &a->lib[i];
    fputs(i ? ",\n  " : "\n  ", k->out);
    put(k,
      "{'name': %s, 'path': %s, 'version': %s, 'chosen': %b, 'real_path': %s, "
      "'found_by': %s, 'defect': %s, 'mounted': %b}",
      lib->name, lib->path, some(lib->version), lib->chosen, lib->real, lib->origin,
      some(defect_causes[lib->defect]), lib->mounted);
  }
}

/* How even the shares are: the smallest by the largest. */
static double evenness(const struct smoke *s)
{
  double low = s->share[0], high = s->share[0];

  for (int i = 1; i < s->opt.share; i++) {
    low = s->share[i] < low ? s->share[i] : low;
    high = s->share[i] > high ? s->share[i] : high;
  }
  return high > 0 ? low / high : 0;
}

static void json_cause(struct sink *k, const struct cause *c)
{
  put(k, ", 'fix': %s, 'what': %s, 'why': %s}", c->fix, c->what, c->why);
}

static void write_json(struct smoke *s, struct sink *k)
{
  const struct finding *f = &s->finding;

  put(k, "{'schema': 'tmplgen/smoke@1', 'exit': %d,\n 'finding': ", s->exit);
  if (s->found) {
    put(k, "{'layer': %s, 'cause': %s, 'evidence': [", layers[f->layer].name, f->cause->name);
    put_list(k, f->evidence, f->n);
    putc(']', k->out);
    json_cause(k, f->cause);
  }
  put(k, s->found ? ",\n 'layers': [" : "null,\n 'layers': [");
  for (int i = 0; i < N_LAYERS; i++) {
    fputs(i ? ",\n  " : "\n  ", k->out);
    put(k, "{'layer': %s, 'state': %s, 'detail': %s}", layers[i].name, state_names[s->state[i]],
      s->detail[i]);
  }
  put(k, "],\n 'gpus': [");
  json_gpus(s, k);
  put(k, "],\n 'libraries': [");
  json_libraries(&s->facts, k);
  put(k,
    s->opt.share ? "],\n 'share': {'processes': %d, 'evenness': %f, 'gflops': ["
                 : "],\n 'share': null",
    s->opt.share, evenness(s));
  for (int i = 0; i < s->opt.share; i++) put(k, i ? ", %f" : "%f", s->share[i]);
  put(k, s->opt.share ? "]},\n 'warnings': [" : ",\n 'warnings': [");
  put_list(k, s->warning, s->warnings);
  put(k, "]}\n");
}

static void put_wrapped(struct sink *k, const char *title, const char *text)
{
  size_t column = 5;

  fprintf(k->out, "%-5s", title);
  for (size_t n; *text; text += n + strspn(text + n, " ")) {
    char word[MAX_LINE];
    n = strcspn(text, " ");
    if (column > 5 && column + n >= 78) {
      fputs("\n     ", k->out);
      column = 5;
    }
    column += n + 1;
    format(word, sizeof word, " %.*s", (int)n, text);
    put_text(k, word);
  }
  putc('\n', k->out);
}

static void put_cause(struct sink *k, const struct cause *c)
{
  put(k, "what  %s\n", c->what);
  put_wrapped(k, "why", c->why);
  put_wrapped(k, "do", c->fix);
}

static void write_human(struct smoke *s, struct sink *k)
{
  static const char *const marks[] = {"ok", "warn", "BROKEN", "-", "-"};

  for (int i = N_LAYERS - 1; i >= 0; i--) {
    const char *text = s->state[i] == NOT_REACHED ? layers[i].what : s->detail[i];
    char cut[57];
    format(cut, sizeof cut, "%s", text);
    if (strlen(text) >= sizeof cut) memcpy(cut + sizeof cut - 4, "...", 4);
    fprintf(k->out, "%s %-9s | %-6s | ", s->state[i] == BROKEN ? ">>" : "  ", layers[i].name,
      marks[s->state[i]]);
    put(k, "%s\n", cut);
  }
  if (s->opt.share)
    fprintf(k->out, "share of %d, GFLOPS each, evenness %.2f:", s->opt.share, evenness(s));
  for (int i = 0; i < s->opt.share; i++)
    fprintf(k->out, i + 1 < s->opt.share ? " %.0f" : " %.0f\n", s->share[i]);
  for (size_t i = 0; !s->found && i < s->warnings && i < 4; i++)
    put_wrapped(k, "warn", s->warning[i]);
  if (!s->found) {
    put(k, s->cuda.ran ? "all layers work\n" : "nothing broken in what could be read\n");
    return;
  }
  putc('\n', k->out);
  for (size_t i = 0; i < s->finding.n && i < 4; i++)
    put_wrapped(k, i ? "" : "seen", s->finding.evidence[i]);
  put_cause(k, s->finding.cause);
}

static void write_junit(const struct smoke *s, struct sink *k)
{
  int skipped = 0;

  for (int i = 0; i < N_LAYERS; i++) skipped += s->state[i] >= NOT_REACHED;
  put(k,
    "<?xml version='1.0' encoding='UTF-8'?>\n<testsuite name='gpu-smoke' tests='%d' "
    "failures='%d' errors='0' skipped='%d'>\n",
    N_LAYERS, s->exit && s->exit != EXIT_NO_GPU, skipped);
  for (int i = 0; i < N_LAYERS; i++) {
    put(k, " <testcase classname='gpu-smoke' name='%s'>", layers[i].name);
    if (s->state[i] == BROKEN) {
      put(k, "<failure type='%s' message='%s'>", s->finding.cause->name, s->detail[i]);
      for (size_t n = 0; n < s->finding.n; n++) put(k, "%s\n", s->finding.evidence[n]);
      put(k, "%s</failure>", s->finding.cause->fix);
    } else {
      put(k, s->state[i] >= NOT_REACHED ? "<skipped message='%s'/>" : "<system-out>%s</system-out>",
        s->detail[i]);
    }
    put(k, "</testcase>\n");
  }
  put(k, "</testsuite>\n");
}

/* ---- explain: codes and pasted texts */

/* Is the name in the text as CUDA_ERROR_NO_DEVICE or cudaErrorNoDevice? */
static int names_code(const char *text, const char *prefix, const char *name)
{
  char plain[64] = "cudaError", full[64];
  size_t n = strlen(plain);

  format(full, sizeof full, "%s%s", prefix, name);
  for (const char *p = name; *p && n + 1 < sizeof plain; p++)
    if (*p != '_') plain[n++] = *p;
  plain[n] = '\0';
  return strcasestr(text, full) || (*prefix == 'C' && strcasestr(text, plain));
}

/* Is the number in the text as a code: 803, error 803, (803)? Behind the word in any form. */
static int gives_code(const char *text, const char *word, int code)
{
  const char *at = *word ? strcasestr(text, word) : text;
  char lead[32];

  for (size_t n; at && (at = strpbrk(at, "0123456789")); at += n) {
    const char *start = at - text > 24 ? at - 24 : text;
    char before = at > text ? at[-1] : ' ';
    n = strspn(at, "0123456789");
    format(lead, sizeof lead, "%.*s", (int)(at - start), start);
    int said = *word || (at == text && !at[n]) || before == '(' || strcasestr(lead, "err") ||
      strcasestr(lead, "code") || strcasestr(lead, "return");
    if (said && n < 5 && atoi(at) == code && strchr(" \n(:=[#'\"", before) &&
      strchr(" \n)]:;,.'\"", at[n]) && !(at[n] == '.' && is_digit(at[n + 1])))
      return 1;
  }
  return 0;
}

/* What a text may mean: a code, or just causes (separated by blanks). */
struct match {
  const char *name, *text, *causes;
  int code;
};

enum { MAX_MATCHES = 8 };

static size_t explain(struct host *h, const char *text, struct match *found)
{
  const char *causes = "";
  size_t n = 0;

  for (size_t i = 0; i < LENGTH(cause_table); i++)
    if (same(text, cause_table[i].name) || cause_told(&cause_table[i], text))
      causes = text_of(h, "%s%s%s", causes, *causes ? " " : "", cause_table[i].name);
  if (*causes) found[n++] = (struct match){NULL, text, causes, 0};
  for (size_t t = 0; t < LENGTH(code_tables) && n == 0; t++)
    for (size_t i = 0; i < code_tables[t].n && n < MAX_MATCHES; i++) {
      const struct code *c = &code_tables[t].codes[i];
      if (strcasestr(text, code_tables[t].word) &&
        (gives_code(text, code_tables[t].word, c->code) ||
          names_code(text, code_tables[t].prefix, c->name) ||
          (strlen(c->text) > 13 && strcasestr(text, c->text))))
        found[n++] = (struct match){c->name, c->text, c->causes, c->code};
    }
  return n;
}

static void put_matches(struct sink *k, const char *text, const struct match *m, size_t n)
{
  int json = k->quoting == JSON;

  if (json) put(k, "{'schema': 'tmplgen/explain@1', 'exit': 0, 'input': %s, 'matches': [", text);
  for (size_t i = 0; i < n; i++, m++) {
    fputs(json && i ? ", " : "", k->out);
    if (json)
      put(k, m->code ? "{'code': %d, 'name': %s" : "{'code': null, 'name': null", m->code, m->name);
    else if (m->code)
      put(k, "%d %s: ", m->code, m->name);
    put(k, json ? ", 'text': %s, 'causes': [" : "%s\n", m->text);
    for (const char *name = m->causes; *name; name += strspn(name, " ")) {
      const struct cause *c = cause_find(name);
      const char *layer = c->layer < N_LAYERS ? layers[c->layer].name : NULL;
      fputs(json && name != m->causes ? ", " : "", k->out);
      put(k, json ? "{'cause': %s, 'layer': %s" : "\n%s (%s)\n", c->name,
        json || layer ? layer : "any");
      if (json)
        json_cause(k, c);
      else
        put_cause(k, c);
      name += strcspn(name, " ");
    }
    fputs(json ? "]}" : "", k->out);
  }
  put(k, json ? "]}\n" : "\nwhere there are several causes, gpu-smoke tells which: run it there\n");
}

/* ---- command line */

enum kind { FLAG, NUMBER, TEXT };

static const struct option {
  const char *name, *value, *help;
  enum kind kind;
  size_t offset;
  long most;
} option_table[] = {
#define OPTION(kind, field) kind, offsetof(struct options, field)
  {"--json", NULL, "one JSON document on stdout", OPTION(FLAG, json), 0},
  {"--junit", "FILE", "write a JUnit report too", OPTION(TEXT, junit), 0},
  {"--require-gpu", NULL, "no GPU is an error (10), not 'skipped' (77)", OPTION(FLAG, require_gpu),
    0},
  {"--level", "quick|medium|long", "how much is run (quick)", OPTION(TEXT, level), 0},
  {"--timeout", "SECONDS", "give up on vendor code then (20, 120, 1800)", OPTION(NUMBER, timeout),
    86400},
  {"--expect", "FILE", "what was promised, KEY: VALUE: driver cuda gpu archs gpus sharing",
    OPTION(TEXT, expect), 0},
  {"--share", "N", "then N processes at once on the first GPU", OPTION(NUMBER, share), MAX_SHARE},
  {"--explain", "TEXT|CODE", "explain an error, offline", OPTION(TEXT, explain), 0},
  {"--redact", NULL, "hide UUIDs and the host's name", OPTION(FLAG, redact), 0},
  {"--root", "DIR", "read a captured or made-up machine, run nothing", OPTION(TEXT, root), 0},
  {"--load", NULL, "with --root: load its libraries all the same", OPTION(FLAG, load), 0},
  {"--version", NULL, "print the version", OPTION(FLAG, version), 0},
  {"--help", NULL, "print this", OPTION(FLAG, help), 0},
#undef OPTION
};

static void write_help(FILE *out)
{
  fputs("usage: gpu-smoke [options]\n\nNames the broken layer of this machine's GPU call stack, "
        "and the fix.\n\n",
    out);
  for (size_t i = 0; i < LENGTH(option_table); i++) {
    const struct option *o = &option_table[i];
    int n = fprintf(out, "  %s %s", o->name, o->value ? o->value : "");
    fprintf(out, "%*s%s\n", 29 - n, "", o->help);
  }
  fputs("\nexit: 0 all layers work, 77 no GPU here, else the first broken layer: 10 hw kmod,\n"
        "11 devnodes, 12 inject, 13 libcuda, 14 init, 15 jit, 16 exec bandwidth, 17 sharing,\n"
        "18 health, 19 toolkit framework; 1 the test itself failed, 2 wrong usage\n",
    out);
}

/* What is wrong, into *error; always -1. */
PRINTF(2, 3) static int wrong(char error[MAX_LINE], const char *fmt, ...)
{
  va_list args;

  va_start(args, fmt);
  (void)vsnprintf(error, MAX_LINE, fmt, args);
  va_end(args);
  return -1;
}

static int option_set(struct options *o, int argc, char **argv, int *i, char error[MAX_LINE])
{
  const char *arg = argv[*i], *value = strchr(arg, '=');
  size_t n = value ? (size_t)(value - arg) : strlen(arg), k = 0;
  char *end;

  while (k < LENGTH(option_table) &&
    (strlen(option_table[k].name) != n || strncmp(arg, option_table[k].name, n) != 0))
    k++;
  if (k == LENGTH(option_table)) return wrong(error, "unknown option '%s'", arg);
  const struct option *opt = &option_table[k];
  void *field = (char *)o + opt->offset;
  if (opt->kind == FLAG) {
    *(int *)field = 1;
    return value ? wrong(error, "'%s' takes no value", opt->name) : 0;
  }
  if (!value && ++*i >= argc) return wrong(error, "'%s' needs a value: %s", opt->name, opt->value);
  value = value ? value + 1 : argv[*i];
  if (opt->kind == TEXT) {
    *(const char **)field = value;
    return 0;
  }
  long number = strtol(value, &end, 10);
  *(int *)field = (int)number;
  if (end == value || *end || number < 1 || number > opt->most)
    return wrong(error, "'%s' for %s is no number from 1 to %ld", value, opt->name, opt->most);
  return 0;
}

static int options_parse(struct smoke *s, int argc, char **argv, char error[MAX_LINE])
{
  struct options *o = &s->opt;
  size_t level = 0;

  for (int i = 1; i < argc; i++)
    o->json |= same(argv[i], "--json"); /* so that the error too is a document */
  for (int i = 1; i < argc; i++)
    if (option_set(o, argc, argv, &i, error)) return -1;
  while (o->level && level < LENGTH(levels) && !same(o->level, levels[level].name)) level++;
  if (level == LENGTH(levels)) return wrong(error, "unknown level '%s'", o->level);
  s->level = level;
  o->timeout = o->timeout ? o->timeout : levels[level].timeout;
  return 0;
}

/* KEY: VALUE lines; '#' starts a comment. */
static int expect_read(struct smoke *s, char error[MAX_LINE])
{
  char *rest = host_read(&s->host, "%s", s->opt.expect), *line;

  s->expect = "";
  if (!rest) return wrong(error, "cannot read '%s'", s->opt.expect);
  for (int n = 1; (line = next_line(&rest)); n++) {
    line[strcspn(line, "#")] = '\0';
    char *key = line + strspn(line, " \t"), *value = key + strcspn(key, ":");
    if (!*key) continue;
    value += *value ? strspn(value + 1, " \t\"'") + 1 : 0;
    key[strcspn(key, ":")] = value[strcspn(value, "\"'")] = '\0';
    value = next_line(&value); /* without blanks at its end */
    if (!list_has("driver cuda gpu archs gpus sharing", " ", key))
      return wrong(error, "%s:%d: unknown key '%s'", s->opt.expect, n, key);
    s->expect = text_of(&s->host, "%s%s=%s\n", s->expect, key, value ? value : "");
  }
  return 0;
}

/* ---- the whole run */

static void run_share(struct smoke *s, struct child c)
{
  struct probe *probes = calloc(MAX_SHARE, sizeof *probes);

  c.share = 1;
  if (probes && proven(s)) probe_run(probes, c, child_cuda, s->opt.share, s->opt.timeout);
  for (int i = 0; probes && i < s->opt.share; i++) {
    probes[i].h = &s->host;
    s->share[i] = strtod(said(&probes[i], "gflops 0"), NULL);
  }
  free(probes);
}

/* The loader's choice, or what that would be in the root. */
static const char *load_path(struct smoke *s, const char *name)
{
  const struct library *lib = library_winner(&s->facts, name);

  return s->host.root ? text_of(&s->host, "%s%s", s->host.root, lib ? lib->real : "/nowhere")
                      : name;
}

static void choose(struct smoke *s)
{
  char real[MAX_PATH];

  s->chosen = library_winner(&s->facts, libcuda);
  host_canonical(&s->host, s->cuda.loaded, real);
  for (size_t i = 0; s->cuda.loaded[0] && !s->opt.load && i < s->facts.libs; i++)
    if (same(s->facts.lib[i].real, real)) s->chosen = &s->facts.lib[i];
  if (s->chosen) s->chosen->chosen = 1;
}

static int smoke_run(struct smoke *s)
{
  struct child c = {.level = s->level}, nvml = c;
  int run = !s->host.root || s->opt.load;

  s->facts.h = &s->host;
  s->host.environ = s->host.root ? host_read(&s->host, "/.gpu-smoke/environ") : NULL;
  s->host.manifest = s->host.root ? host_read(&s->host, "/.gpu-smoke/host") : NULL;
  facts_read(&s->facts);
  s->cuda.h = s->nvml.h = &s->host;
  c.path = load_path(s, libcuda);
  nvml.path = load_path(s, libnvml);
  if (run &&
    (probe_run(&s->cuda, c, child_cuda, 1, s->opt.timeout) ||
      (!s->cuda.timed_out && probe_run(&s->nvml, nvml, child_nvml, 1, 10))))
    return -1;
  if (!run) {
    probe_replay(&s->cuda, "/.gpu-smoke/cuda");
    probe_replay(&s->nvml, "/.gpu-smoke/nvml");
  }
  probe_read(&s->cuda);
  probe_read(&s->nvml);
  choose(s);
  judge(s);
  if (run && s->opt.share) run_share(s, c);
  fill_layers(s);
  return 0;
}

static int fail(struct smoke *s, struct sink *k, FILE *err, int code, const char *word,
  const char *message, const char *hint)
{
  struct sink e = *k;

  if (s->opt.json)
    put(k,
      "{'schema': %s, 'exit': %d, 'error': {'code': %s, 'message': %s, 'hint': %s, 'where': "
      "null}}\n",
      s->opt.explain ? "tmplgen/explain@1" : "tmplgen/smoke@1", code, word, message, hint);
  e.out = err;
  e.quoting = PLAIN;
  put(&e, "gpu-smoke: %s\n  %s\n", message, hint);
  return code;
}

static int smoke_explain(struct smoke *s, struct sink *k, FILE *err)
{
  struct match found[MAX_MATCHES];
  size_t n = explain(&s->host, s->opt.explain, found);

  if (n == 0)
    return fail(s, k, err, EXIT_FAILED, "unknown",
      text_of(&s->host, "'%s' is unknown to this version", s->opt.explain),
      "give a code such as 803, or the error's own words");
  put_matches(k, s->opt.explain, found, n);
  return EXIT_FINE;
}

static int smoke_report(struct smoke *s, struct sink *k, FILE *err, char error[MAX_LINE])
{
  struct sink junit = *k;
  struct stat st;

  if (s->opt.expect && expect_read(s, error))
    return fail(s, k, err, EXIT_USAGE, "expect", error, "see --expect in gpu-smoke --help");
  s->host.root = s->opt.root;
  if (s->opt.root && (stat(s->opt.root, &st) || !S_ISDIR(st.st_mode)))
    return fail(s, k, err, EXIT_USAGE, "usage", "the root is no folder",
      "give the folder that holds the machine's proc, sys and dev");
  if (smoke_run(s))
    return fail(s, k, err, EXIT_FAILED, "fork", "cannot start a child process",
      "look at the limits on processes and memory");
  (s->opt.json ? write_json : write_human)(s, k);
  if (!s->opt.junit) return s->exit;
  junit.quoting = XML;
  if ((junit.out = fopen(s->opt.junit, "w"))) write_junit(s, &junit);
  if (junit.out && !ferror(junit.out) && fclose(junit.out) == 0) return s->exit;
  fputs("gpu-smoke: cannot write the JUnit report\n", err);
  return EXIT_FAILED;
}

static int smoke_main(struct smoke *s, int argc, char **argv, FILE *out, FILE *err)
{
  char error[MAX_LINE] = "";
  int rc = options_parse(s, argc, argv, error);
  struct sink k = {.out = out, .quoting = s->opt.json ? JSON : PLAIN, .redact = s->opt.redact};
  if (gethostname(k.name, sizeof k.name - 1)) k.name[0] = '\0';
  if (rc)
    rc = fail(s, &k, err, EXIT_USAGE, "usage", error, "see gpu-smoke --help");
  else if (s->opt.help)
    write_help(out);
  else if (s->opt.version)
    fprintf(out, "gpu-smoke %s\n", SMOKE_VERSION);
  else if (s->opt.explain)
    rc = smoke_explain(s, &k, err);
  else
    rc = smoke_report(s, &k, err, error);
  if (fflush(out) || ferror(out)) {
    fputs("gpu-smoke: cannot write the report\n", err);
    rc = EXIT_FAILED;
  }
  return rc;
}

/* The whole program, for main and for whoever compiles this file in. */
int gpu_smoke(int argc, char **argv, FILE *out, FILE *err);

int gpu_smoke(int argc, char **argv, FILE *out, FILE *err)
{
  struct smoke *s = calloc(1, sizeof *s);
  int rc = EXIT_FAILED;

  if (!s) {
    fputs("gpu-smoke: out of memory\n", err);
    return rc;
  }
  rc = smoke_main(s, argc, argv, out, err);
  pool_release(&s->host.pool);
  free(s);
  return rc;
}

#ifndef GPU_SMOKE_NO_MAIN
int main(int argc, char **argv) { return gpu_smoke(argc, argv, stdout, stderr); }
#endif
