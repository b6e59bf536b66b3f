/* gpu_smoke.c: names the broken layer of this machine's GPU call stack, and the fix.
 *
 *   cc -O2 gpu_smoke.c -ldl -o gpu-smoke && ./gpu-smoke
 *
 * Needs a C11 compiler and glibc 2.17 or newer, nothing of CUDA. Vendor code is loaded only in
 * forked children under a watchdog: a library that crashes or hangs is a finding.
 *
 * First facts are collected (files of the machine, then lines of text from the children), then one
 * table of rules is walked from the hardware up: the first that breaks a layer is the finding.
 * tmplgen's manual, docs/smoke.md, tells what a --root holds.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <dirent.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
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

enum {
  MAX_PATH = 1024,
  MAX_LINE = 1024,
  MAX_FILE = 1 << 20, /* largest text file that is read */
  MAX_CACHE = 8 << 20, /* largest ld.so.cache */
  MAX_POOL = 64 << 20, /* all memory that a report may take */
  MAX_ENTRIES = 4096, /* entries of one folder that are looked at */
  MAX_LINKS = 40, /* links followed in one path */
  MAX_RECORDS = 1 << 17, /* of the kernel's log */
  MAX_BLOCKS = 1 << 13, /* of 64 KiB, of a framework */
  MAX_LOG = 1 << 16 /* what a child says */
};

/* How many are kept of each. */
enum { MAX_PCI = 64, MAX_NODES = 96, MAX_MOUNTS = 1024, MAX_PLACES = 96, MAX_LIBRARIES = 96 };
enum { MAX_GPUS = 32, MAX_SHARE = 64, MAX_XIDS = 16, MAX_EVIDENCE = 8, MAX_WARNINGS = 32 };

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

static int is_word(char c)
{
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

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

/* ---- what can be wrong: what it is, why, and what to do */

struct cause {
  enum layer layer;
  const char *name, *what, *why, *fix;
};

/* What a number means: of errors of the driver or NVML a cause, of Xids (the kernel log) a text. */
struct code {
  int number;
  const char *means;
};

/* ---- tables: tools/smoke-tables made these of its sources */
/* clang-format off */

static const struct cause cause_table[] = {
  {HW, "no-gpu", "no NVIDIA GPU on this machine", "neither PCI bus, kernel nor /dev shows one",
    "use a machine (a node type) with a GPU"},
  {HW, "could-not-look", "nothing was readable: whether there is a GPU is not known",
    "/sys and /proc are empty or not mounted here (a chroot, a sandbox)",
    "mount both, or run it on the machine itself"},
  {HW, "gpu-off-bus", "a GPU has fallen off the PCI bus",
    "its registers read as all ones: power, seating or heat",
    "power-cycle the machine; replace the board"},
  {HW, "gpu-power-cable", "a GPU lacks external power", "NVML says so (8)",
    "connect the power cables, restart"},
  {HW, "inforom-corrupted", "the GPU's infoROM is corrupted", "NVML says so (14)",
    "have the board reflashed or replaced"},
  {HW, "gpu-reset-required", "a GPU must be reset", "it stopped after a fatal error",
    "drain the node, 'nvidia-smi --gpu-reset' or reboot"},
  {HW, "gpu-lost", "the driver lost a GPU", "it no longer answers",
    "drain the node, see Xid in the kernel log, reboot"},
  {HW, "nvlink-down", "an NVLink of the GPU is down or has errors",
    "the link, its bridge, or the other end failed",
    "'nvidia-smi nvlink -s'; reseat the bridge; reset all GPUs; drain the node if it returns"},
  {HW, "fewer-gpus", "fewer GPUs than promised", "--expect names more than CUDA sees",
    "check the allocation and CUDA_VISIBLE_DEVICES"},
  {HW, "more-gpus", "more GPUs than promised",
    "the container or job sees GPUs that were not allocated to it",
    "ask for the right number; NVIDIA_VISIBLE_DEVICES of the allocation, not 'all'"},
  {HW, "other-gpu", "another GPU than promised", "its compute capability was not asked for",
    "use the promised node type, or resolve again"},
  {KMOD, "driver-not-loaded", "the NVIDIA kernel driver is not loaded",
    "the GPU is there, the module 'nvidia' is not",
    "install the driver, 'modprobe nvidia'; Secure Boot: enrol its key"},
  {KMOD, "driver-not-built", "the driver is not built for the running kernel",
    "a kernel update without a DKMS rebuild",
    "install its headers, 'dkms autoinstall'; or boot the older one"},
  {KMOD, "other-driver-bound", "another kernel driver holds the GPU",
    "nouveau, a framebuffer, or vfio-pci (for a virtual machine)",
    "blacklist nouveau or unbind vfio; 'update-initramfs -u'; reboot"},
  {KMOD, "driver-dropped-gpu", "this driver no longer supports this GPU",
    "470 is the last for Kepler, 580 for Maxwell to Volta",
    "install that last branch and hold the package"},
  {KMOD, "module-flavour", "the kernel module's flavour does not fit the GPU",
    "the open one needs Turing, Blackwell needs the open one",
    "install the other flavour (nvidia-open, or the proprietary)"},
  {KMOD, "module-stale", "kernel module and libraries differ in version",
    "the driver was upgraded, the old module stayed loaded",
    "reboot, or reload the nvidia modules; hold the driver package"},
  {DEVNODES, "nodes-missing", "the GPUs' device nodes are missing",
    "the driver is loaded, but nobody made /dev/nvidia<N>", "'nvidia-modprobe -c 0 -u' as root"},
  {DEVNODES, "uvm-missing", "/dev/nvidia-uvm is missing",
    "nvidia-smi does without it, CUDA does not",
    "host: 'modprobe nvidia_uvm; nvidia-modprobe -c 0 -u'; container: pass it"},
  {DEVNODES, "node-major", "a device node has a stale major number",
    "the node or CDI file is older than the driver's start",
    "'nvidia-ctk cdi generate' again, restart the container"},
  {DEVNODES, "node-mode", "no permission to open a device node",
    "owner and mode forbid it (EACCES)",
    "add the node's group (supplementalGroups), or DeviceFileMode=0666"},
  {DEVNODES, "node-nodev", "device nodes do not work here",
    "EACCES though the mode allows it: nodev, security module",
    "mount without nodev; see AppArmor, SELinux"},
  {DEVNODES, "node-cgroup", "the device cgroup forbids a device node",
    "EPERM: a daemon-reload rewrote the container's device rules, or a sandbox",
    "restart the container; use CDI or --device"},
  {DEVNODES, "node-no-driver", "no driver behind a device node",
    "ENXIO: baked into the image, or the module was unloaded",
    "load the driver on the host; keep no /dev nodes in images"},
  {DEVNODES, "node-io-error", "a device node gives an I/O error",
    "the adapter failed to start or died",
    "see NVRM and Xid in the kernel log; reset the GPU or reboot"},
  {DEVNODES, "node-busy", "a device node is busy", "someone has it alone",
    "find who: 'fuser -v /dev/nvidia*'"},
  {DEVNODES, "node-not-device", "a device node is no device",
    "a file is in its place: the mount had no source",
    "load the driver on the host, then start the container"},
  {DEVNODES, "mig-caps-missing", "the MIG capability nodes are missing",
    "/dev/nvidia-caps lacks those of the MIG device asked for",
    "let the toolkit inject them, or 'nvidia-modprobe -f' access files"},
  {HEALTH, "ecc-error", "an uncorrectable memory error (ECC)", "the GPU's memory is failing",
    "drain the node, reset the GPU; replace it if it returns"},
  {HEALTH, "nvlink-error", "an NVLink error (220)", "a link or the fabric failed",
    "drain the node; see the fabric manager's log"},
  {HEALTH, "error-contained", "a contained memory error (226)", "the GPU stopped only this process",
    "restart the process; drain if it returns"},
  {HEALTH, "rows-pending", "memory rows wait to be replaced", "it takes effect at the next reset",
    "reset the GPU in the next maintenance"},
  {HEALTH, "remap-failed", "the GPU has no spare memory rows left", "row remapping failed",
    "drain the node; replace the GPU"},
  {HEALTH, "xid-before", "the kernel logged a fault of the GPU (Xid) within the last day",
    "it works now, and may fail again",
    "'tmplgen doctor --explain' with the line; --level long; drain the node if it comes back"},
  {HEALTH, "throttled", "the GPU's clocks are throttled",
    "heat, power brake or a hardware slowdown", "check cooling and power supply"},
  {HEALTH, "pcie-degraded", "the PCIe link is narrower than it could be",
    "seating, a riser or the slot", "reseat the board; see lspci -vv"},
  {HEALTH, "nvml-failed", "NVML does not work", "CUDA may work all the same", "see the code"},
  {HEALTH, "nvml-blocked", "the operating system blocks NVML (17)",
    "cgroup rules deny the device nodes", "restart the container"},
  {INJECT, "gpu-not-requested", "this container asked for no GPU",
    "it was started without a GPU: NVIDIA_VISIBLE_DEVICES is unset, empty or 'void'",
    "start it with '--gpus all' or the limit 'nvidia.com/gpu: 1'"},
  {INJECT, "no-gpu-access", "this container has no GPU access",
    "no device nodes were passed in; singularity --nv found no driver on this host",
    "'--gpus all', CDI or 'nvidia.com/gpu: 1'; is the runtime nvidia's?"},
  {INJECT, "no-device-allocated", "no GPU was allocated to this container",
    "/dev/nvidiactl came in without any /dev/nvidia<N>",
    "NVIDIA_VISIBLE_DEVICES=all, '--gpus all' or 'nvidia.com/gpu: 1'"},
  {INJECT, "capability-compute-missing", "libcuda was not injected",
    "NVIDIA_DRIVER_CAPABILITIES lacks 'compute'", "set it to compute,utility"},
  {INJECT, "gpus-unasked", "the pod sees all GPUs of the node, allocated or not",
    "the image sets NVIDIA_VISIBLE_DEVICES=all, and the runtime obeys",
    "ask for nvidia.com/gpu, else NVIDIA_VISIBLE_DEVICES=void;"
    " accept-nvidia-visible-devices-envvar-when-unprivileged = false"},
  {INJECT, "capability-utility-missing", "NVML was not injected",
    "NVIDIA_DRIVER_CAPABILITIES lacks 'utility'", "set it to compute,utility"},
  {INJECT, "cdi-stale", "a CDI file no longer fits this host",
    "it names files or numbers of an earlier driver",
    "'nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml'"},
  {INJECT, "image-gate", "the image demands a newer driver",
    "NVIDIA_REQUIRE_CUDA names a CUDA that this driver lacks",
    "an older CUDA's image (see the matrix), or a newer driver"},
  {LIBCUDA, "libcuda-absent", "libcuda.so.1 is nowhere on this machine",
    "the host's user-mode driver was not injected, or no driver is installed",
    "get it injected ('--gpus all'); never install it in the image, the driver on the host"},
  {LIBCUDA, "libcuda-unsearched", "libcuda.so.1 lies where the loader does not look",
    "its folder is not on its path", "put that folder on LD_LIBRARY_PATH, or run ldconfig"},
  {LIBCUDA, "libcuda-unversioned", "the plain name libcuda.so is not there, only libcuda.so.1",
    "the plain name is for linking; Triton and numba look for it as well",
    "a link libcuda.so beside libcuda.so.1, then ldconfig"},
  {LIBCUDA, "empty-file", "libcuda.so.1 is an empty file",
    "the image was built under the nvidia runtime, which leaves mount points of size 0",
    "build with the plain runtime; delete driver files of size 0"},
  {LIBCUDA, "truncated-file", "libcuda.so.1 is cut short", "loading it gives a bus error",
    "install the driver again; look for a full disk"},
  {LIBCUDA, "wrong-elf-class", "libcuda.so.1 is a 32-bit library",
    "a 64-bit program cannot load it", "put the folder of the 64-bit libraries first"},
  {LIBCUDA, "wrong-machine", "libcuda.so.1 is for another processor",
    "x86-64 and aarch64 are mixed", "use image and driver of this machine's architecture"},
  {LIBCUDA, "not-elf", "libcuda.so.1 is no library",
    "a Git LFS pointer, linker script, failed download", "replace it by the driver's own file"},
  {LIBCUDA, "is-directory", "libcuda.so.1 is a folder", "a bind mount without a source made it",
    "fix the mount, remove the folder"},
  {LIBCUDA, "unreadable", "libcuda.so.1 may not be read",
    "its mode forbids it; the loader says 'no such file'", "make it readable for this user"},
  {LIBCUDA, "dangling-link", "libcuda.so.1 points to nothing",
    "half an upgrade, or the file is not mounted",
    "install the driver again; in a container mount both"},
  {LIBCUDA, "noexec-mount", "libcuda.so.1 is on a noexec mount", "its code may not be mapped",
    "mount without noexec, or use another path"},
  {LIBCUDA, "undefined-symbol", "libcuda.so.1 lacks a symbol that is asked for",
    "the driver is older than what it was built for, or files of several drivers are mixed",
    "a newer driver, or the build for an older CUDA; all driver files of one version"},
  {LIBCUDA, "nvml-too-old", "libnvidia-ml.so.1 lacks a symbol that is asked for",
    "the driver is older than the program (pynvml, DCGM) that reads it",
    "update the driver, or an older nvidia-ml-py"},
  {LIBCUDA, "nvml-absent", "libnvidia-ml.so.1 is not found",
    "no driver here, or it was not injected (capability 'utility'), or its folder is not"
    " searched",
    "install the driver on the host; NVIDIA_DRIVER_CAPABILITIES=compute,utility; ldconfig"},
  {LIBCUDA, "missing-dependency", "a library that libcuda.so.1 needs is missing",
    "only part of the driver was injected", "NVIDIA_DRIVER_CAPABILITIES=compute,utility"},
  {LIBCUDA, "libc-too-old", "the driver needs a newer C library",
    "a symbol version is missing in libc", "use a base image of a newer distribution"},
  {LIBCUDA, "musl-libc", "this system has musl, the driver needs glibc",
    "NVIDIA builds for glibc only", "use an image with glibc: Debian, Ubuntu, UBI"},
  {LIBCUDA, "preload-driver", "a wrong driver library is preloaded",
    "LD_PRELOAD or /etc/ld.so.preload goes before every path of the loader",
    "take it out there; the host's libcuda.so.1 is found without"},
  {LIBCUDA, "stub-library", "the toolkit's stub is loaded as the driver",
    "lib64/stubs is on the library path (34)", "take it off LD_LIBRARY_PATH and run paths"},
  {LIBCUDA, "several-libcuda", "several versions of libcuda.so.1 are in reach",
    "the first that loads wins", "keep the one that fits the kernel module"},
  {LIBCUDA, "not-a-driver", "libcuda.so.1 is no CUDA driver of today",
    "it lacks entry points of CUDA 9", "take it off the library path"},
  {LIBCUDA, "libcuda-load", "libcuda.so.1 does not load", "the loader refused it",
    "let the host's driver be injected"},
  {INIT, "env-hides-gpus", "CUDA_VISIBLE_DEVICES hides the GPUs",
    "an empty, -1 or unknown entry hides itself and all after it",
    "unset it, or name devices that exist"},
  {INIT, "gpus-unseen", "CUDA sees fewer GPUs than NVML",
    "one is lost or in error, has MIG on, or CUDA_VISIBLE_DEVICES ends early",
    "'nvidia-smi -q' and Xid in the kernel log; reset that GPU or drain the node"},
  {INIT, "env-ignored", "a variable of CUDA has a value that CUDA does not know",
    "it is ignored without a word", "write it as CUDA's manual does"},
  {INIT, "slow-start", "the driver takes long to start",
    "persistence mode is off: each first program loads the GPUs' state anew",
    "nvidia-persistenced ('nvidia-smi -pm 1'); fewer GPUs in CUDA_VISIBLE_DEVICES"},
  {INIT, "no-device", "the CUDA driver finds no GPU that it may use",
    "libcuda loads but enumerates nothing (100)",
    "check nodes, CUDA_VISIBLE_DEVICES, NVRM in the kernel log"},
  {INIT, "not-initialized", "CUDA cannot start in this process (3)",
    "a child that was forked after CUDA's start, or a driver that cannot start here",
    "start method 'spawn'; else check device nodes, MIG instances and the driver"},
  {INIT, "driver-too-old", "the driver is too old for this CUDA",
    "CUDA 11 needs driver 450, 12 needs 525, 13 needs 580",
    "update the driver, or take the build for an older CUDA"},
  {INIT, "version-mismatch", "libcuda and kernel module differ in version",
    "the driver refuses the pair (803)",
    "have one libcuda, of the module's version; reboot after an update of the driver"},
  {INIT, "compat-wrong-driver", "this cuda-compat does not work on this driver",
    "it holds only for the branches that it lists",
    "take the compat folder off the path; older CUDA or newer driver"},
  {INIT, "compat-older", "cuda-compat is older than the host's own driver",
    "it is meant for hosts whose driver is older than the image",
    "take the compat folder off LD_LIBRARY_PATH and ld.so.conf.d: the host's libcuda is newer"},
  {INIT, "compat-unsupported-gpu", "forward compatibility does not cover this GPU",
    "cuda-compat is for data-center GPUs (804)",
    "take the compat folder off the path; newer driver or older CUDA"},
  {INIT, "shadowed-libcuda", "another libcuda lies in front of the right one",
    "the loader takes the first", "take the first one's folder off the library path"},
  {INIT, "baked-in-libcuda", "the image brings its own libcuda",
    "it does not fit the host's kernel module",
    "remove libcuda1, libnvidia-compute from the image"},
  {INIT, "fabric-manager", "the NVSwitch fabric is not up (802)",
    "the GPUs wait for nvidia-fabricmanager, or for confidential computing's ready state",
    "start it (of the driver's version); in a cloud replace the node; 'nvidia-smi conf-compute"
    " -srs 1'"},
  {INIT, "fabric-not-ready", "the GPUs are not ready yet (802)",
    "still starting, or driver and kernel clash (KASLR)",
    "wait; update kernel and driver, or boot with nokaslr"},
  {INIT, "device-unavailable", "the GPU is busy or unavailable (46)",
    "compute mode exclusive or prohibited, no MPS server, or a vGPU without a licence",
    "end the other process, start MPS, or 'nvidia-smi -c DEFAULT'; check the licence"},
  {INIT, "driver-set-incomplete", "parts of the driver are missing",
    "libcuda could not load or start its own libraries",
    "get the full set injected (compute), all of one version"},
  {INIT, "not-permitted", "the operation is not permitted (800)",
    "profiling rights, a licence, or a sandbox",
    "allow profiling (NVreg_RestrictProfilingToAdminUsers=0); sandbox"},
  {INIT, "not-supported", "the operation is not supported here (801)",
    "vGPU, MIG and WSL lack some features", "switch the feature off for this device"},
  {INIT, "invalid-device", "the device number does not exist (101)",
    "fewer GPUs are visible than expected: more processes than GPUs, or CUDA_VISIBLE_DEVICES",
    "check CUDA_VISIBLE_DEVICES, the number of processes and the allocation"},
  {INIT, "os-call-failed", "a system call of the driver failed (304)",
    "device nodes, seccomp, a sandbox or a limit",
    "try without the profile; check /dev/nvidia*; see the kernel log"},
  {INIT, "unknown-error", "the driver reports an unknown error (999)",
    "mostly nvidia-uvm missing, stale after suspend, or forbidden",
    "check /dev/nvidia-uvm; 'rmmod nvidia_uvm; modprobe nvidia_uvm'; Xid in the kernel log;"
    " reboot"},
  {ANYWHERE, "cuda-error", "the CUDA driver reports an error", "see the code",
    "see the kernel log; a newer driver may know more"},
  {ANYWHERE, "invalid-value", "a CUDA call got an argument that it rejects",
    "a bug of the program, a size of 0 or beyond a limit, or libraries that do not fit",
    "the line before it, CUDA_LAUNCH_BLOCKING=1; update the framework"},
  {ANYWHERE, "context-lost", "a CUDA handle or context is no longer valid",
    "an earlier error ended it, or it belongs to another process, device or library",
    "look for the first error before it; one context per process"},
  {ANYWHERE, "vendor-crash", "the driver's code crashed", "mixed or damaged driver files, or a bug",
    "take all driver libraries from one version; see the kernel log"},
  {ANYWHERE, "vendor-hang", "the driver's code hangs",
    "a wedged GPU or firmware, or a very slow start",
    "see Xid in the kernel log, reboot; or raise --timeout"},
  {TOOLKIT, "two-runtimes", "libcudart of two majors is installed",
    "wheels of several CUDA majors are mixed", "install all wheels for one CUDA major"},
  {TOOLKIT, "toolkit-shadowed", "a toolkit lies in front of the wheel's own",
    "LD_LIBRARY_PATH wins over the wheel", "take the toolkit's folder off LD_LIBRARY_PATH"},
  {TOOLKIT, "loader-preload", "LD_PRELOAD names a library that is not there",
    "the container does not have it, the mount made a folder, or it is for another architecture",
    "unset LD_PRELOAD (empty /etc/ld.so.preload), or mount the library"},
  {FRAMEWORK, "cpu-only-wheel", "the installed framework is a CPU-only build",
    "it never uses a GPU (PyTorch's +cpu wheel, jax without [cuda12], paddlepaddle, onnxruntime)",
    "install the CUDA build: the matrix names version and index"},
  {FRAMEWORK, "wheel-lacks-gpu", "the framework has no code for this GPU",
    "its build has no kernels (cubin, PTX) for the GPU's compute capability (209)",
    "take the CUDA variant that covers it: the matrix names it; or build for its architecture"},
  {JIT, "ptx-too-new", "the driver is too old for this PTX (222)",
    "the PTX comes from a newer CUDA toolkit: minor-version compatibility excludes it",
    "update the driver, ship cubins, or use an older toolkit"},
  {JIT, "jit-compiler-missing", "the driver's PTX compiler is missing (221)",
    "libnvidia-ptxjitcompiler.so.1 was not injected",
    "NVIDIA_DRIVER_CAPABILITIES=compute,utility; one full driver set"},
  {JIT, "jit-disabled", "compiling PTX is switched off (223)", "CUDA_DISABLE_PTX_JIT is set",
    "unset it, or ship cubins for every GPU"},
  {JIT, "bad-image", "the driver refuses the kernel image",
    "damaged, or built for another GPU (200, 218)",
    "build it again for this GPU's architecture; see the compiler's log"},
  {JIT, "entry-missing", "the kernel is not in the module (500)",
    "another version of it was loaded", "build program and kernels together"},
  {JIT, "ptx-target-too-new", "the PTX is for a newer GPU than this",
    "its .target is above the compute capability", "build for a lower target"},
  {EXEC, "out-of-memory", "the GPU has not enough free memory",
    "model and batch are larger, or others hold it (time-slicing and AWS vGPU isolate none)",
    "a smaller batch; cap the framework's memory; end the others ('nvidia-smi'); a larger GPU or"
    " slice"},
  {EXEC, "memory-of-others", "other processes hold the GPU's memory",
    "less is free than the program wants at its start",
    "'nvidia-smi' names them; end them, or ask for less (gpu_memory_utilization)"},
  {EXEC, "wrong-result", "a kernel ran, and its result is wrong",
    "defective hardware (memory, overclocking, heat), where the code is known to be right",
    "run again; then drain the node, replace the GPU"},
  {EXEC, "illegal-access", "a kernel used memory that it may not (700)",
    "an invalid address or an index out of bounds: its bug, or failing hardware",
    "the context is lost; run compute-sanitizer, CUDA_LAUNCH_BLOCKING=1"},
  {EXEC, "device-assert", "a check in a kernel failed (device-side assert)",
    "an index or a label out of range, or NaN where none may be",
    "run the batch on the CPU, or CUDA_LAUNCH_BLOCKING=1: the line tells which; check labels and"
    " ids"},
  {EXEC, "misaligned", "a kernel used an address that is not aligned (716)",
    "its bug: a type is read where it may not start", "run compute-sanitizer; align the pointers"},
  {EXEC, "illegal-instruction", "a kernel has an illegal instruction (715)",
    "code for another GPU, damaged code, or unstable hardware",
    "build for this GPU; take overclocking back; gpu-smoke --level long"},
  {EXEC, "launch-timeout", "a kernel ran too long (702)", "the watchdog of a display stops kernels",
    "use a GPU without a display, or shorter kernels"},
  {EXEC, "launch-resources", "a kernel asks for more than the GPU has (701)",
    "registers, threads or shared memory per block",
    "smaller blocks, fewer stages; the tuning is for a larger GPU"},
  {EXEC, "kernel-fault", "a kernel faulted", "a bug, or failing hardware",
    "run compute-sanitizer; gpu-smoke --level long; Xid in the kernel log"},
  {BANDWIDTH, "bandwidth-low", "memory bandwidth is far below the GPU's peak",
    "throttled, a slice, or shared right now", "see health and sharing"},
  {BANDWIDTH, "pcie-slow", "the PCIe link is slower than it could be",
    "fewer lanes or an older generation: seating, a riser, the slot, or saving power when idle",
    "look under load ('lspci -vv', LnkSta); reseat the board; the BIOS's setting of the slot"},
  {BANDWIDTH, "pcie-errors", "the PCIe link has errors",
    "a bad signal: slot, riser, cable, power; uncorrected ones end in a lost GPU",
    "reseat or replace the riser; pcie_aspm=off; an older PCIe generation in the BIOS"},
  {BANDWIDTH, "peer-unsupported", "GPUs cannot reach each other directly (peer to peer, 217)",
    "GeForce cards have none, or chipset, IOMMU or a virtual machine forbid it",
    "NCCL_P2P_DISABLE=1; switch off the IOMMU or ACS on bare metal"},
  {BANDWIDTH, "peer-corrupt",
    "direct copies between GPUs come back wrong, or never end (peer to peer)",
    "the IOMMU or PCIe ACS redirects what one GPU sends to another",
    "iommu=pt or off and ACS off (bare metal); until then NCCL_P2P_DISABLE=1"},
  {BANDWIDTH, "peer-state", "peer access between GPUs was set up wrongly",
    "switched on twice, never, or for too many GPUs",
    "NCCL_P2P_DISABLE=1 tells; update NCCL or the framework"},
  {SHARING, "vgpu-hook", "a library that shares the GPU is hooked in front of CUDA",
    "it is preloaded, limits memory and cores, and answers for the driver",
    "compare without it: unset LD_PRELOAD; update it with the driver"},
  {SHARING, "mps-unreachable", "the MPS server cannot be reached (805)",
    "its pipe folder is there, the server is not",
    "mount pipe folder and /dev/shm, hostIPC: true, same user id"},
  {SHARING, "mps-not-ready", "the MPS server is not ready (806, 807)",
    "it starts, dies at its start, or serves another user id",
    "one runAsUser for all clients; see server.log and control.log; restart the daemon"},
  {SHARING, "mps-full", "the MPS server takes no more clients (808, 809)", "48 clients per GPU",
    "run fewer per GPU"},
  {SHARING, "mps-killed", "the MPS server ended this client (810)",
    "a fault of one client ends the others too", "restart; find the client that faults"},
  {SHARING, "mig-no-instances", "MIG is on, but has no instances",
    "nvidia-smi lists the GPU, CUDA finds none (100)",
    "'nvidia-smi mig -cgi PROFILE -C', or switch MIG off"},
  {SHARING, "sharing-not-in-force", "the GPU is not shared as asked for",
    "another kind is in force, or none", "check the device plugin's configuration"},
  {SHARING, "vgpu-licence", "the vGPU has no licence",
    "the licence server is not configured, not reached, or has none left; it then runs"
    " restricted",
    "gridd.conf or the client token; 'nvidia-smi -q | grep License'; systemctl restart"
    " nvidia-gridd"},
  {SHARING, "shm-small", "/dev/shm is small",
    "64 MiB is a container's default; data loaders and NCCL need more",
    "--shm-size=8g or --ipc=host; Kubernetes: emptyDir of medium Memory on /dev/shm"},
};

static const struct code cuda_codes[] = {
  {1, "invalid-value"}, {2, "out-of-memory"}, {3, "not-initialized"}, {34, "stub-library"},
  {36, "driver-too-old"}, {46, "device-unavailable"}, {100, "no-device"}, {101, "invalid-device"},
  {102, "vgpu-licence"}, {200, "bad-image"}, {201, "context-lost"}, {209, "wheel-lacks-gpu"},
  {214, "ecc-error"}, {216, "device-unavailable"}, {217, "peer-unsupported"}, {218, "bad-image"},
  {220, "nvlink-error"}, {221, "jit-compiler-missing"}, {222, "ptx-too-new"}, {223, "jit-disabled"},
  {224, "not-supported"}, {225, "bad-image"}, {226, "error-contained"}, {227, "driver-too-old"},
  {300, "bad-image"}, {301, "entry-missing"}, {302, "driver-set-incomplete"},
  {303, "driver-set-incomplete"}, {304, "os-call-failed"}, {400, "context-lost"},
  {500, "entry-missing"}, {700, "illegal-access"}, {701, "launch-resources"},
  {702, "launch-timeout"}, {703, "bad-image"}, {704, "peer-state"}, {705, "peer-state"},
  {708, "context-lost"}, {709, "context-lost"}, {710, "device-assert"}, {711, "peer-state"},
  {714, "kernel-fault"}, {715, "illegal-instruction"}, {716, "misaligned"}, {717, "kernel-fault"},
  {718, "kernel-fault"}, {719, "kernel-fault"}, {720, "launch-resources"}, {721, "kernel-fault"},
  {800, "not-permitted"}, {801, "not-supported"}, {802, "fabric-manager"},
  {803, "version-mismatch"}, {804, "compat-unsupported-gpu"}, {805, "mps-unreachable"},
  {806, "mps-not-ready"}, {807, "mps-not-ready"}, {808, "mps-full"}, {809, "mps-full"},
  {810, "mps-killed"}, {811, "not-supported"}, {812, "bad-image"}, {909, "vendor-hang"},
  {911, "vendor-crash"}, {912, "launch-resources"}, {913, "entry-missing"}, {914, "not-supported"},
  {915, "launch-resources"}, {919, "fabric-manager"}, {999, "unknown-error"},
};

static const struct code nvml_codes[] = {
  {4, "node-mode"}, {8, "gpu-power-cable"}, {9, "driver-not-loaded"}, {10, "vendor-hang"},
  {11, "gpu-lost"}, {12, "nvml-absent"}, {13, "nvml-too-old"}, {14, "inforom-corrupted"},
  {15, "gpu-lost"}, {16, "gpu-reset-required"}, {17, "nvml-blocked"}, {18, "module-stale"},
  {25, "nvml-too-old"}, {27, "fabric-not-ready"}, {28, "gpu-lost"}, {999, "node-cgroup"},
};

static const struct code xid_codes[] = {
  {1, "queue of commands: unknown method"}, {2, "queue of commands: software method"},
  {3, "queue of commands: unknown method"}, {4, "queue of commands: channel is busy"},
  {5, "queue of commands ran over"}, {6, "queue of commands cannot be read"},
  {7, "queue of commands: bad address"}, {8, "a channel did not go idle, GPU stopped processing"},
  {9, "graphics engine: wrong instance"}, {10, "graphics engine: single step"},
  {11, "graphics engine: invalid command stream"}, {12, "graphics engine: software method"},
  {13, "graphics engine exception, mostly the program's fault"},
  {14, "a test of the error reports"}, {15, "display: scanline timeout"},
  {16, "display: vertical blank timeout"}, {17, "display: wrong parameter"},
  {18, "bus mastering timed out"}, {19, "display: a notice was missed"},
  {20, "MPEG engine: software method"}, {21, "motion estimation: software method"},
  {22, "video processor: software method"}, {23, "reports of errors were switched on"},
  {24, "semaphore timeout"}, {25, "graphics engine: illegal command stream"},
  {26, "framebuffer timeout"}, {27, "video processor exception"},
  {28, "video processor (VP2) exception"}, {29, "bit stream processor exception"},
  {30, "access to a bad address by the driver"},
  {31, "GPU memory page fault, mostly the program's"},
  {32, "invalid or corrupted push buffer stream"}, {33, "security engine exception"},
  {34, "video engine (MSVLD) exception"}, {35, "video engine (MSPDEC) exception"},
  {36, "video engine (MSPPP) exception"}, {37, "firmware does not know a method"},
  {38, "driver firmware error"}, {39, "copy engine 0 exception"}, {40, "copy engine 1 exception"},
  {41, "copy engine 2 exception"}, {42, "image compositor (VIC) exception"},
  {43, "a channel was stopped after a fault of its program"},
  {44, "graphics engine fault during context switch"},
  {45, "preemptive cleanup, due to previous errors"}, {46, "GPU stopped processing, timeout"},
  {47, "video encoder (NVENC0) exception"}, {48, "double bit ECC error"},
  {49, "quiet mode: level set by the registry"}, {50, "quiet mode: level changed after an error"},
  {51, "quiet mode: stress test failed"}, {52, "quiet mode: level changed as it grew hot"},
  {53, "quiet mode: clocks lowered for heat"}, {54, "auxiliary power is not connected"},
  {55, "temperature cannot be read"}, {56, "display engine error"},
  {57, "error programming the video memory interface"}, {58, "unstable video memory interface"},
  {59, "micro-controller (PMU) error"}, {60, "security engine (SEC2) exception"},
  {61, "internal micro-controller breakpoint"}, {62, "internal micro-controller halt"},
  {63, "row remapping or page retirement recorded"},
  {64, "row remapping or page retirement failed"}, {65, "video encoder (NVENC1) exception"},
  {66, "illegal access by driver"}, {67, "illegal access by driver"},
  {68, "video decoder (NVDEC0) exception"}, {69, "graphics engine class error"},
  {70, "copy engine 3 exception"}, {71, "copy engine 4 exception"}, {72, "copy engine 5 exception"},
  {73, "video encoder (NVENC2) exception"}, {74, "NVLink error"}, {75, "copy engine 6 exception"},
  {76, "copy engine 7 exception"}, {77, "copy engine 8 exception"}, {78, "vGPU start error"},
  {79, "GPU has fallen off the bus"}, {80, "corrupted data sent to GPU"},
  {81, "VGA subsystem error"}, {82, "JPEG engine (NVJPG0) error"},
  {83, "video decoder (NVDEC1) error"}, {84, "video decoder (NVDEC2) error"},
  {85, "copy engine 9 exception"}, {86, "optical flow (OFA0) exception"},
  {87, "report of the driver's telemetry"}, {88, "video decoder (NVDEC3) error"},
  {89, "video decoder (NVDEC4) error"}, {90, "error in the L2 cache"}, {91, "reserved"},
  {92, "high single-bit ECC error rate"}, {93, "infoROM erase limit exceeded"},
  {94, "contained ECC error"}, {95, "uncontained ECC error"}, {96, "video decoder (NVDEC5) error"},
  {97, "video decoder (NVDEC6) error"}, {98, "video decoder (NVDEC7) error"},
  {99, "JPEG engine (NVJPG1) error"}, {100, "JPEG engine (NVJPG2) error"},
  {101, "JPEG engine (NVJPG3) error"}, {102, "JPEG engine (NVJPG4) error"},
  {103, "JPEG engine (NVJPG5) error"}, {104, "JPEG engine (NVJPG6) error"},
  {105, "JPEG engine (NVJPG7) error"}, {106, "test message of the management bus"},
  {107, "silent test message of the management bus"},
  {108, "NVLink: a remote address was not translated"}, {109, "context switch timeout"},
  {110, "security fault error"}, {111, "bundle error event"}, {112, "display supervisor error"},
  {113, "DisplayPort link training failed"}, {114, "display: underflow of a head"},
  {115, "display: registers of the core channel"}, {116, "display: registers of a window channel"},
  {117, "display: registers of a cursor channel"}, {118, "display: registers of a head"},
  {119, "GSP RPC timeout"}, {120, "GSP error"}, {121, "C2C link error"},
  {122, "SPI PMU RPC read failure"}, {123, "SPI PMU RPC write failure"},
  {124, "SPI PMU RPC erase failure"}, {125, "infoROM file system error"},
  {126, "copy engine 10 exception"}, {127, "copy engine 11 exception"},
  {128, "copy engine 12 exception"}, {129, "copy engine 13 exception"},
  {130, "copy engine 14 exception"}, {131, "copy engine 15 exception"},
  {132, "copy engine 16 exception"}, {133, "copy engine 17 exception"},
  {134, "copy engine 18 exception"}, {135, "copy engine 19 exception"},
  {136, "NVLink training failed"}, {137, "NVLink: a remote access was not allowed"},
  {138, "deep learning accelerator (DLA) error"}, {139, "optical flow (OFA1) error"},
  {140, "unrecovered ECC error"}, {141, "CUDA fast path error"},
  {142, "video encoder (NVENC3) error"}, {143, "GPU initialization error"},
  {144, "NVLink error (fifth generation)"}, {145, "NVLink error (fifth generation)"},
  {146, "NVLink error (fifth generation)"}, {147, "NVLink error (fifth generation)"},
  {148, "NVLink error (fifth generation)"}, {149, "NVLink error (fifth generation)"},
  {150, "NVLink error (fifth generation)"}, {151, "key rotation error"},
  {152, "DLA: error of its memory unit"}, {153, "DLA: timeout"},
  {154, "GPU recovery action changed"}, {155, "NVLink software-defined error"},
  {156, "resource retirement event"}, {157, "resource retirement failure"},
  {158, "GPU fatal timeout"}, {159, "error of the CPU's coherent link (CHI)"},
  {160, "channel retirement event"}, {161, "channel retirement failure"},
  {162, "power smoothing works again"}, {163, "power smoothing is off"},
  {164, "power smoothing nears the end of its life"}, {165, "power smoothing is worn out"},
  {166, "NVLink: traffic before encryption was set up"}, {167, "fatal timeout on PCIe"},
  {168, "less memory: errors in the protected region"}, {169, "security processor (SEC2) halt"},
  {170, "NVLink: interrupt in confidential computing"},
  {171, "uncorrectable DRAM error, more of 48"}, {172, "uncorrectable SRAM error, more of 48"},
  {185, "memory was put out of use (sparing)"},
};

static const int xid_notes[] = {10, 14, 23, 49, 87, 91, 106, 107, 162};

/* The least of the model's versions, in GB/s. */
static const struct {
  const char *gpu;
  int gb_s;
} bandwidths[] = {
  {"V100", 900}, {"T4", 320}, {"A100", 1555}, {"A30", 933}, {"A10", 600}, {"A40", 696}, {"L4", 300},
  {"L40", 864}, {"L40S", 864}, {"H100", 2000}, {"H100 NVL", 3900}, {"GH200", 4000}, {"H200", 4800},
  {"B200", 7700},
};

/* clang-format on */
/* ---- tables end */

#define MEANS(codes, number) code_means(codes, LENGTH(codes), number)

/* NULL: that is not known here. */
static const char *code_means(const struct code *codes, size_t n, int number)
{
  for (size_t i = 0; i < n; i++)
    if (codes[i].number == number) return codes[i].means;
  return NULL;
}

static const struct cause *cause_find(const char *name)
{
  for (size_t i = 0; i < LENGTH(cause_table); i++)
    if (same(cause_table[i].name, name)) return &cause_table[i];
  return NULL;
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

struct library {
  const char *name, *path, *real, *origin;
  const char *version;
  char note[256]; /* of forward compatibility */
  const char *defect; /* the cause that it is, or NULL */
  int searched, chosen, mounted;
  ullong size;
};

struct place {
  const char *dir, *origin;
  int searched;
};

/* A line of the kernel's log with an Xid. */
struct xid {
  const char *address, *text; /* of the PCI bus; behind the number */
  int number;
  long long age; /* seconds; -1: not known */
};

struct facts {
  struct host *h;
  struct xid xid[MAX_XIDS]; /* the newest, the oldest of them first */
  size_t xids;
  int log_seen; /* the kernel's log could be read */
  struct pci gpu[MAX_PCI];
  size_t gpus, nvswitches;
  const char *version, *flavour, *built_for; /* another kernel that has nvidia.ko, or NULL */
  const char *release;
  int module_loaded, built_here;
  struct node node[MAX_NODES];
  size_t nodes;
  int wsl, tegra, mig_nodes, musl, on_host, in_build;
  int no_sys, no_proc; /* nothing to be read there */
  const char *container, *devices, *cdi_stale, *mig_made;
  const char *hides, *unseen; /* why CUDA_VISIBLE_DEVICES hides all, what CUDA lacks; or NULL */
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
} open_errors[] = {{0, "ok", ""}, {EACCES, "EACCES", "node-mode"}, {EPERM, "EPERM", "node-cgroup"},
  {ENXIO, "ENXIO", "node-no-driver"}, {ENODEV, "ENODEV", "node-no-driver"},
  {EBUSY, "EBUSY", "node-busy"}, {EIO, "EIO", "node-io-error"}};

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
  int n;
  for (char *line; (line = next_line(&manifest));) add_node_line(f, line);
  if (!f->nodes) {
    for (const char **name = host_list(f->h, "/dev"); *name; name++)
      if (starts(*name, "nvidia") && !starts(*name, "nvidia-caps"))
        add_node(f, text_of(f->h, "/dev/%s", *name));
    for (const char **name = host_list(f->h, "/dev/nvidia-caps"); *name; name++)
      add_node(f, text_of(f->h, "/dev/nvidia-caps/%s", *name));
    add_node(f, "/dev/dxg");
  }
  for (size_t i = 0; i < f->nodes; i++) /* 1 and 2 configure and watch, and all have them */
    f->mig_nodes += sscanf(f->node[i].path, "/dev/nvidia-caps/nvidia-cap%d", &n) == 1 && n > 2;
  f->wsl = node_find(f, "/dev/dxg") != NULL;
  f->tegra = host_exists(f->h, "/dev/nvhost-ctrl") || host_exists(f->h, "/dev/nvmap");
  f->devices = host_read(f->h, "/proc/devices");
  for (const char **gpu = host_list(f->h, "/proc/driver/nvidia/capabilities"); *gpu; gpu++)
    for (const char **name = host_list(f->h, "/proc/driver/nvidia/capabilities/%s/mig", *gpu);
         *name; name++)
      if (starts(*name, "gi")) f->mig_made = text_of(f->h, "%s/%s", *gpu, *name);
}

/* AGE TEXT, of the kernel's log. The number is that behind the bus address alone. */
static void add_xid(struct facts *f, const char *line)
{
  char address[32] = "";
  const char *at = strstr(line, "NVRM: Xid (");
  char *end;
  long long age = strtoll(line, &end, 10);
  struct xid *x = &f->xid[MAX_XIDS - 1];
  int number = 0, n = 0;
  if (end == line || *end != ' ') age = -1; /* a line of dmesg */
  if (!at ||
    (sscanf(at, "NVRM: Xid (PCI:%31[0-9a-fA-F:.]): %d%n", address, &number, &n) < 2 &&
      sscanf(at, "NVRM: Xid (%31[0-9a-fA-F:.]): %d%n", address, &number, &n) < 2))
    return;
  if (f->xids == MAX_XIDS)
    memmove(f->xid, f->xid + 1, (MAX_XIDS - 1) * sizeof *f->xid);
  else
    x = &f->xid[f->xids++];
  at += (size_t)n + strspn(at + n, ", ");
  *x = (struct xid){text_of(f->h, "%s", address), text_of(f->h, "%.160s", at), number, age};
}

/* Not a console that stands there under this name: reading would take its input. */
static int open_kernel_log(void)
{
  int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat st;
  if (fd < 0 || (fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 11)))
    return fd;
  close(fd);
  return -1;
}

/* The log of the kernel that runs, from its ring: a record a read,
 * PRIORITY,NUMBER,MICROSECONDS,...;TEXT (Documentation/ABI/testing/dev-kmsg). A root has AGE TEXT
 * in lines. */
static void read_kernel_log(struct facts *f)
{
  char *text = f->h->root ? host_read(f->h, "/.gpu-smoke/kmsg") : NULL, record[8193];
  int fd = f->h->root ? -1 : open_kernel_log();
  struct timespec now;
  ssize_t n = -1;
  f->log_seen = text != NULL;
  for (char *line; (line = next_line(&text));) add_xid(f, line);
  if (fd < 0) return;
  clock_gettime(CLOCK_MONOTONIC, &now);
  for (long i = 0;
       i < MAX_RECORDS && ((n = read(fd, record, sizeof record - 1)) > 0 || errno == EPIPE); i++) {
    f->log_seen = 1;
    if (n <= 0) continue; /* overwritten before it was read */
    record[n] = '\0';
    const char *message = strchr(record, ';');
    long long stamp = 0;
    if (message && strstr(message, "NVRM: Xid") &&
      sscanf(record, "%*[^,],%*[^,],%lld", &stamp) == 1) {
      long long age = (long long)now.tv_sec - stamp / 1000000;
      int length = (int)strcspn(message + 1, "\n");
      add_xid(f, text_of(f->h, "%lld %.*s", age < 0 ? 0 : age, length, message + 1));
    }
  }
  f->log_seen |= n < 0 && errno == EAGAIN;
  close(fd);
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
  f->no_sys = !*host_list(f->h, "/sys");
  f->no_proc = !*host_list(f->h, "/proc");
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
static const char *elf_inspect(int fd, unsigned machine, struct library *lib)
{
  Elf64_Ehdr head;
  Elf64_Phdr p;
  Elf64_Shdr s;
  size_t n = lib->size < sizeof head ? (size_t)lib->size : sizeof head;
  memset(&head, 0, sizeof head);
  if (lib->size == 0) return "empty-file";
  if (take(fd, 0, &head, n) || memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return "not-elf";
  if (head.e_ident[EI_CLASS] == ELFCLASS32) return "wrong-elf-class";
  if (n == sizeof head && head.e_machine != machine) return "wrong-machine";
  for (unsigned i = 0; i < head.e_phnum && i < 64; i++) {
    if (head.e_phoff > lib->size || take(fd, head.e_phoff + i * sizeof p, &p, sizeof p) ||
      (p.p_type == PT_LOAD && (p.p_offset > lib->size || p.p_filesz > lib->size - p.p_offset)))
      return "truncated-file";
    if (p.p_type == PT_NOTE) elf_note(fd, p.p_offset, p.p_filesz, lib);
  }
  for (unsigned i = 0; i < head.e_shnum && i < 256 && head.e_shoff < lib->size; i++)
    if (take(fd, head.e_shoff + i * sizeof s, &s, sizeof s) == 0 && s.sh_type == SHT_NOTE)
      elf_note(fd, s.sh_offset, s.sh_size, lib);
  return head.e_phnum ? NULL : "truncated-file";
}

static const char *library_inspect(struct facts *f, struct library *lib)
{
  struct stat st;
  char real[MAX_PATH];
  host_canonical(f->h, lib->path, real);
  lib->real = text_of(f->h, "%s", real[0] ? real : lib->path);
  lib->version = find_version(f->h, strrchr(lib->real, '/'));
  const struct mount *m = mount_of(f, lib->real);
  lib->mounted = m && m->point[1];
  if (host_stat(f->h, lib->path, 0, &st)) return "dangling-link";
  if (S_ISDIR(st.st_mode)) return "is-directory";
  lib->size = (ullong)st.st_size;
  int fd = host_open(f->h, lib->path);
  if (fd < 0) return S_ISREG(st.st_mode) ? "unreadable" : "not-elf";
  const char *defect = elf_inspect(fd, f->machine, lib);
  close(fd);
  return !defect && m && list_has(m->options, ",", "noexec") ? "noexec-mount" : defect;
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
  static const char passed[] = "dangling-link unreadable wrong-elf-class wrong-machine";
  struct library *skipped = NULL;
  for (size_t i = 0; i < f->libs; i++) {
    struct library *lib = &f->lib[i];
    if (!lib->searched || !same(lib->name, name)) continue;
    if (!lib->defect || !list_has(passed, " ", lib->defect)) return lib;
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
  "  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %d<8>;\n"
  "  ld.param.u64 %d1, [pa]; ld.param.u64 %d2, [pb]; ld.param.u64 %d3, [pc];\n"
  "  ld.param.u32 %r1, [pn];\n"
  "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
  "  mad.lo.s32 %r5, %r2, %r3, %r4;\n" /* r5: i */
  "  setp.ge.u32 %p1, %r5, %r1;\n"
  "  @%p1 bra END;\n"
  "  mul.wide.u32 %d4, %r5, 4;\n" /* d4: its place in bytes */
  "  cvta.to.global.u64 %d5, %d1; cvta.to.global.u64 %d6, %d2;\n"
  "  cvta.to.global.u64 %d7, %d3;\n"
  "  add.s64 %d5, %d5, %d4;\n"
  "  add.s64 %d6, %d6, %d4;\n"
  "  add.s64 %d7, %d7, %d4;\n"
  "  ld.global.f32 %f1, [%d5];\n"
  "  ld.global.f32 %f2, [%d6];\n"
  "  add.f32 %f3, %f1, %f2;\n"
  "  st.global.f32 [%d7], %f3;\n"
  "END:\n"
  "  ret;\n"
  "}\n";

/* Writes pattern_word() for i < n, or with po compares. What a look counts: po[0] words that
 * differ, po[1] the index of the first, po[2] words that were looked at. */
static const char ptx_pattern[] =
  ".visible .entry smoke_pattern(.param .u64 pp, .param .u64 pn, .param .u32 ps, .param .u64 po)\n"
  "{\n"
  "  .reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<13>;\n"
  "  ld.param.u64 %d1, [pp]; ld.param.u64 %d2, [pn];\n"
  "  ld.param.u32 %r1, [ps];\n"
  "  ld.param.u64 %d9, [po];\n"
  "  setp.eq.u64 %p3, %d9, 0;\n" /* p3: writes */
  "  cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d9, %d9;\n"
  "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
  "  mov.u32 %r5, %nctaid.x;\n"
  "  mul.wide.u32 %d3, %r2, %r3;\n" /* d3: i */
  "  cvt.u64.u32 %d4, %r4;\n"
  "  add.s64 %d3, %d3, %d4;\n"
  "  mul.wide.u32 %d5, %r5, %r3;\n" /* d5: all threads */
  "  mov.u64 %d12, 0;\n" /* d12: looked at */
  "NEXT:\n"
  "  setp.ge.u64 %p1, %d3, %d2;\n"
  "  @%p1 bra COUNT;\n"
  "  cvt.u32.u64 %r6, %d3;\n"
  "  mul.lo.u32 %r6, %r6, 2654435761;\n"
  "  shr.u64 %d6, %d3, 32;\n"
  "  cvt.u32.u64 %r7, %d6;\n"
  "  mul.lo.u32 %r7, %r7, 2246822507;\n"
  "  xor.b32 %r6, %r6, %r7;\n"
  "  xor.b32 %r6, %r6, %r1;\n" /* r6: the word */
  "  shl.b64 %d7, %d3, 2;\n"
  "  add.s64 %d8, %d1, %d7;\n" /* d8: its place */
  "  @%p3 bra WRITE;\n"
  "  ld.global.u32 %r8, [%d8];\n"
  "  add.s64 %d12, %d12, 1;\n"
  "  setp.eq.u32 %p2, %r8, %r6;\n"
  "  @%p2 bra STEP;\n"
  "  atom.global.add.u64 %d10, [%d9], 1;\n" /* differs */
  "  atom.global.min.u64 %d11, [%d9+8], %d3;\n" /* the first that does */
  "  bra STEP;\n"
  "WRITE:\n"
  "  st.global.u32 [%d8], %r6;\n"
  "STEP:\n"
  "  add.s64 %d3, %d3, %d5;\n" /* the next that is this thread's */
  "  bra NEXT;\n"
  "COUNT:\n"
  "  @%p3 bra END;\n"
  "  atom.global.add.u64 %d10, [%d9+16], %d12;\n" /* all that it looked at */
  "END:\n"
  "  ret;\n"
  "}\n";

/* Compares n words of two arrays, and counts as above. */
static const char ptx_compare[] =
  ".visible .entry smoke_compare(.param .u64 pa, .param .u64 pb, .param .u64 pn, .param .u64 po)\n"
  "{\n"
  "  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %d<13>;\n"
  "  ld.param.u64 %d1, [pa]; ld.param.u64 %d2, [pb]; ld.param.u64 %d3, [pn];\n"
  "  ld.param.u64 %d4, [po];\n"
  "  cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2;\n"
  "  cvta.to.global.u64 %d4, %d4;\n"
  "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x;\n"
  "  mov.u32 %r5, %nctaid.x;\n"
  "  mul.wide.u32 %d5, %r2, %r3;\n" /* d5: i */
  "  cvt.u64.u32 %d6, %r4;\n"
  "  add.s64 %d5, %d5, %d6;\n"
  "  mul.wide.u32 %d7, %r5, %r3;\n" /* d7: all threads */
  "  mov.u64 %d12, 0;\n" /* d12: looked at */
  "NEXT:\n"
  "  setp.ge.u64 %p1, %d5, %d3;\n"
  "  @%p1 bra COUNT;\n"
  "  shl.b64 %d8, %d5, 2;\n" /* d8: its place in bytes */
  "  add.s64 %d9, %d1, %d8;\n"
  "  add.s64 %d10, %d2, %d8;\n"
  "  ld.global.u32 %r6, [%d9];\n"
  "  ld.global.u32 %r7, [%d10];\n"
  "  add.s64 %d12, %d12, 1;\n"
  "  setp.eq.u32 %p2, %r6, %r7;\n"
  "  @%p2 bra STEP;\n"
  "  atom.global.add.u64 %d11, [%d4], 1;\n" /* differs */
  "  atom.global.min.u64 %d11, [%d4+8], %d5;\n" /* the first that does */
  "STEP:\n"
  "  add.s64 %d5, %d5, %d7;\n" /* the next that is this thread's */
  "  bra NEXT;\n"
  "COUNT:\n"
  "  atom.global.add.u64 %d11, [%d4+16], %d12;\n" /* all that it looked at */
  "  ret;\n"
  "}\n";

/* c = a * b, n x n, in tiles of 16 x 16: each thread brings one word of either tile. */
static const char ptx_gemm[] =
  ".visible .entry smoke_gemm(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 pn) {\n"
  "  .reg .pred %p<3>; .reg .b32 %r<24>; .reg .f32 %f<5>; .reg .b64 %d<12>;\n"
  "  .shared .align 4 .b8 ta[1024];\n"
  "  .shared .align 4 .b8 tb[1024];\n"
  "  ld.param.u64 %d1, [pa]; ld.param.u64 %d2, [pb]; ld.param.u64 %d3, [pc];\n"
  "  ld.param.u32 %r1, [pn];\n"
  "  cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2;\n"
  "  cvta.to.global.u64 %d3, %d3;\n"
  "  mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ctaid.x;\n"
  "  mov.u32 %r5, %ctaid.y;\n"
  "  mad.lo.s32 %r6, %r4, 16, %r2;\n" /* r6: column */
  "  mad.lo.s32 %r7, %r5, 16, %r3;\n" /* r7: row */
  "  mad.lo.s32 %r8, %r7, %r1, %r2;\n" /* r8: word of a */
  "  mad.lo.s32 %r9, %r3, %r1, %r6;\n" /* r9: word of b */
  "  mad.lo.s32 %r10, %r7, %r1, %r6;\n" /* r10: word of c */
  "  shl.b32 %r11, %r1, 4;\n" /* r11: 16 rows of b */
  "  mad.lo.s32 %r12, %r3, 16, %r2;\n"
  "  shl.b32 %r12, %r12, 2;\n"
  "  mov.u32 %r13, ta;\n"
  "  mov.u32 %r14, tb;\n"
  "  add.s32 %r15, %r13, %r12;\n" /* r15: own place in tile a */
  "  add.s32 %r16, %r14, %r12;\n" /* r16: own place in tile b */
  "  shl.b32 %r17, %r3, 6;\n"
  "  add.s32 %r17, %r13, %r17;\n" /* r17: row of tile a */
  "  shl.b32 %r18, %r2, 2;\n"
  "  add.s32 %r18, %r14, %r18;\n" /* r18: column of tile b */
  "  mov.f32 %f1, 0f00000000;\n" /* f1: the sum */
  "  mov.u32 %r19, 0;\n" /* r19: columns of a that are done */
  "TILE:\n"
  "  mul.wide.u32 %d4, %r8, 4;\n"
  "  add.s64 %d5, %d1, %d4;\n"
  "  ld.global.f32 %f2, [%d5];\n"
  "  st.shared.f32 [%r15], %f2;\n"
  "  mul.wide.u32 %d6, %r9, 4;\n"
  "  add.s64 %d7, %d2, %d6;\n"
  "  ld.global.f32 %f3, [%d7];\n"
  "  st.shared.f32 [%r16], %f3;\n"
  "  bar.sync 0;\n" /* both tiles are there */
  "  mov.u32 %r20, 0;\n" /* r20: of this tile */
  "  mov.u32 %r21, %r17; mov.u32 %r22, %r18;\n"
  "INNER:\n"
  "  ld.shared.f32 %f2, [%r21];\n"
  "  ld.shared.f32 %f3, [%r22];\n"
  "  fma.rn.f32 %f1, %f2, %f3, %f1;\n"
  "  add.s32 %r21, %r21, 4;\n"
  "  add.s32 %r22, %r22, 64;\n"
  "  add.s32 %r20, %r20, 1;\n"
  "  setp.lt.u32 %p1, %r20, 16;\n"
  "  @%p1 bra INNER;\n"
  "  bar.sync 0;\n" /* nobody reads them any more */
  "  add.s32 %r8, %r8, 16;\n" /* the next tile to the right */
  "  add.s32 %r9, %r9, %r11;\n" /* the next tile below */
  "  add.s32 %r19, %r19, 16;\n"
  "  setp.lt.u32 %p2, %r19, %r1;\n"
  "  @%p2 bra TILE;\n"
  "  mul.wide.u32 %d8, %r10, 4;\n"
  "  add.s64 %d9, %d3, %d8;\n"
  "  st.global.f32 [%d9], %f1;\n"
  "  ret;\n"
  "}\n";

/* The same product in fp64, a thread for each value, of the same matrices. Each factor is
 * multiplied by 2^18 + 1, so that the sums take up to 52 bits; what division by the square of it
 * leaves (e5) is 0 only where all of them were right, and goes into the result. */
static const char ptx_double[] =
  ".visible .entry smoke_double(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 pn)\n"
  "{\n"
  "  .reg .pred %p<2>; .reg .b32 %r<12>; .reg .f32 %f<4>; .reg .f64 %e<6>; .reg .b64 %d<10>;\n"
  "  ld.param.u64 %d1, [pa]; ld.param.u64 %d2, [pb]; ld.param.u64 %d3, [pc];\n"
  "  ld.param.u32 %r1, [pn];\n"
  "  cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2;\n"
  "  cvta.to.global.u64 %d3, %d3;\n"
  "  mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.y; mov.u32 %r4, %ctaid.x;\n"
  "  mov.u32 %r5, %ctaid.y;\n"
  "  mad.lo.s32 %r6, %r4, 16, %r2;\n" /* r6: column */
  "  mad.lo.s32 %r7, %r5, 16, %r3;\n" /* r7: row */
  "  mul.lo.u32 %r8, %r7, %r1;\n"
  "  add.s32 %r9, %r8, %r6;\n" /* r9: word of c */
  "  mov.u32 %r10, 0;\n" /* r10: factors that are done */
  "  mul.wide.u32 %d4, %r8, 4;\n"
  "  add.s64 %d4, %d1, %d4;\n" /* d4: row of a */
  "  mul.wide.u32 %d5, %r6, 4;\n"
  "  add.s64 %d5, %d2, %d5;\n" /* d5: column of b */
  "  mul.wide.u32 %d6, %r1, 4;\n" /* d6: a row of b */
  "  mov.f64 %e1, 0d0000000000000000;\n" /* e1: the sum */
  "NEXT:\n"
  "  ld.global.f32 %f1, [%d4];\n"
  "  ld.global.f32 %f2, [%d5];\n"
  "  cvt.f64.f32 %e2, %f1;\n"
  "  cvt.f64.f32 %e3, %f2;\n"
  "  mul.rn.f64 %e2, %e2, 0d4110000400000000;\n" /* times 2^18 + 1 */
  "  mul.rn.f64 %e3, %e3, 0d4110000400000000;\n" /* times 2^18 + 1 */
  "  fma.rn.f64 %e1, %e2, %e3, %e1;\n"
  "  add.s64 %d4, %d4, 4;\n"
  "  add.s64 %d5, %d5, %d6;\n"
  "  add.s32 %r10, %r10, 1;\n"
  "  setp.lt.u32 %p1, %r10, %r1;\n"
  "  @%p1 bra NEXT;\n"
  "  div.rn.f64 %e4, %e1, 0d4230000800010000;\n" /* by its square */
  "  cvt.rni.f64.f64 %e4, %e4;\n" /* e4: the sum of the small ones */
  "  fma.rn.f64 %e5, %e4, 0dC230000800010000, %e1;\n" /* e5: what is left, 0 when all is right */
  "  add.rn.f64 %e4, %e4, %e5;\n" /* any rest spoils the result */
  "  cvt.rn.f32.f64 %f3, %e4;\n"
  "  mul.wide.u32 %d7, %r9, 4;\n"
  "  add.s64 %d8, %d3, %d7;\n"
  "  st.global.f32 [%d8], %f3;\n"
  "  ret;\n"
  "}\n";

/* The same on tensor cores, which GPUs have since Volta: a warp for each 16 x 16 values, fp16 in,
 * fp32 out. a and b are in halves. */
static const char ptx_tensor_head[] = ".version 6.0\n.target sm_70\n.address_size 64\n";

static const char ptx_tensor[] =
  ".visible .entry smoke_tensor(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u32 pn)\n"
  "{\n"
  "  .reg .pred %p<2>; .reg .b32 %r<32>; .reg .f32 %f<9>; .reg .b64 %d<9>;\n"
  "  ld.param.u64 %d1, [pa]; ld.param.u64 %d2, [pb]; ld.param.u64 %d3, [pc];\n"
  "  ld.param.u32 %r1, [pn];\n"
  "  cvta.to.global.u64 %d1, %d1; cvta.to.global.u64 %d2, %d2;\n"
  "  cvta.to.global.u64 %d3, %d3;\n"
  "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ctaid.y;\n"
  "  shl.b32 %r2, %r2, 4;\n" /* r2: first column */
  "  shl.b32 %r3, %r3, 4;\n" /* r3: first row */
  "  mul.lo.u32 %r4, %r3, %r1;\n"
  "  mul.wide.u32 %d4, %r4, 2;\n"
  "  add.s64 %d1, %d1, %d4;\n" /* d1: rows of a */
  "  mul.wide.u32 %d5, %r2, 2;\n"
  "  add.s64 %d2, %d2, %d5;\n" /* d2: columns of b */
  "  add.s32 %r5, %r4, %r2;\n"
  "  mul.wide.u32 %d6, %r5, 4;\n"
  "  add.s64 %d3, %d3, %d6;\n" /* d3: tile of c */
  "  shl.b32 %r6, %r1, 4;\n"
  "  mul.wide.u32 %d7, %r6, 2;\n" /* d7: 16 rows of b */
  "  mov.u32 %r7, 0;\n" /* r7: columns of a that are done */
  "  mov.f32 %f1, 0f00000000; mov.f32 %f2, 0f00000000;\n" /* the sums */
  "  mov.f32 %f3, 0f00000000; mov.f32 %f4, 0f00000000;\n"
  "  mov.f32 %f5, 0f00000000; mov.f32 %f6, 0f00000000;\n"
  "  mov.f32 %f7, 0f00000000; mov.f32 %f8, 0f00000000;\n"
  "TILE:\n"
  "  wmma.load.a.sync.row.m16n16k16.global.f16\n"
  "    {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}, [%d1], %r1;\n"
  "  wmma.load.b.sync.row.m16n16k16.global.f16\n"
  "    {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, [%d2], %r1;\n"
  "  wmma.mma.sync.row.row.m16n16k16.f32.f32\n"
  "    {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8},\n"
  "    {%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17},\n"
  "    {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27},\n"
  "    {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};\n"
  "  add.s64 %d1, %d1, 32;\n" /* the next tile to the right */
  "  add.s64 %d2, %d2, %d7;\n" /* the next tile below */
  "  add.s32 %r7, %r7, 16;\n"
  "  setp.lt.u32 %p1, %r7, %r1;\n"
  "  @%p1 bra TILE;\n"
  "  wmma.store.d.sync.row.m16n16k16.global.f32\n"
  "    [%d3], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, %r1;\n"
  "  ret;\n"
  "}\n";

static uint32_t pattern_word(uint64_t i, uint32_t seed)
{
  return ((uint32_t)i * 2654435761u) ^ ((uint32_t)(i >> 32) * 2246822507u) ^ seed;
}

/* 0 to 7, without a period: no two rows or columns of the matrices and their product are the same.
 * Sums of up to 2^18 products of these are whole in fp32 in whatever order they are added. */
static unsigned small_number(uint32_t i, uint32_t seed)
{
  uint32_t x = (i + seed) * 2654435761u;
  x = (x ^ x >> 15) * 2246822519u;
  return (x ^ x >> 13) & 7;
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
    (*cuMemcpyPeer)(device_ptr, void *, device_ptr, void *, size_t),
    (*cuCtxEnablePeerAccess)(void *, unsigned), (*cuMemAllocHost)(void **, size_t),
    (*cuMemFreeHost)(void *);
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
  "cuEventElapsedTime cuEventDestroy_v2|cuEventDestroy ?cuDeviceCanAccessPeer ?cuMemcpyPeer "
  "?cuCtxEnablePeerAccess cuMemAllocHost_v2 cuMemFreeHost ";

static const struct {
  int number;
  const char *word;
} attributes[] = {{18, "integrated"}, {20, "mode"}, {36, "clock_khz"}, {37, "bus_bits"},
  {75, "cc_major"}, {76, "cc_minor"}, {133, "mps"}};

/* ---- the child: walks the driver API, reports by lines */

/* The least products of each kind: one in a hundred that is wrong is found. */
enum { PRODUCTS = 128, SHARED_SIZE = 1024 };

enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_SIZE = 6 };

static const struct {
  const char *name;
  int timeout, seconds, share, percent; /* of free memory; 0: 4 MiB */
  unsigned size; /* of matrices */
} levels[] = {
  {"quick", 20, 0, 1, 0, 128},
  {"medium", 120, 3, 5, 25, 1024},
  {"long", 1800, 60, 20, 90, 1024},
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

/* Always -1, for what failed. */
PRINTF(2, 3) static int tell(const struct child *c, const char *fmt, ...)
{
  char line[MAX_LINE + 3];
  FORMATTED(text, fmt);
  for (char *at = text; (at = strpbrk(at, "\n\1"));) *at = ' ';
  format(line, sizeof line, "\n\1%s\n", text);
  size_t len = strlen(line);
  for (size_t at = 0; at < len;) {
    ssize_t n = write(c->out, line + at, len - at);
    if (n < 0 && errno != EINTR) return -1;
    at += n > 0 ? (size_t)n : 0;
  }
  return -1;
}

static void stage(const struct child *c, const char *name) { tell(c, "stage %s %d", name, c->gpu); }

static int64_t now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static long now_ms(void) { return (long)(now_ns() / 1000000); }

/* Reports a driver error; 0 when there is none. */
static int failed(const struct child *c, const char *func, int code)
{
  const char *cause = MEANS(cuda_codes, code), *text = NULL;
  if (code == 0) return 0;
  if (!c->cu.cuGetErrorString || c->cu.cuGetErrorString(code, &text) || !text)
    text = cause ? cause_find(cause)->what : "unknown to this version";
  return tell(c, "error %d %s: %s", code, func, text);
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
    if (!(entries[i] = find_entry(lib, names)) && *names != '?')
      return tell(c, "missing %.*s", (int)strcspn(names, "| "), names);
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

/* What a look counts is at[LOOK]; behind it are n buffers of one size. */
enum { LOOK };

struct buffers {
  device_ptr at[9];
  float *host;
  void *pinned[2];
  int n;
};

static int buffers_get(const struct child *c, struct buffers *b, size_t size, int n, size_t hosts)
{
  memset(b, 0, sizeof *b);
  if (hosts && !(b->host = malloc(hosts * size))) return -1;
  for (; b->n <= n; b->n++)
    if (FAILS(cuMemAlloc, &b->at[b->n], b->n == LOOK ? 64 : size)) return -1;
  return 0;
}

static void buffers_release(const struct child *c, struct buffers *b)
{
  while (b->n > 0) c->cu.cuMemFree(b->at[--b->n]);
  for (int i = 0; i < 2; i++)
    if (b->pinned[i]) c->cu.cuMemFreeHost(b->pinned[i]);
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

enum { ADD_WORDS = 1 << 16, COPY_SEED = 0x3c3c5678 };

/* A value that no result has: a NaN. Outputs hold it before each launch, so that a kernel that did
 * not run cannot pass. */
static const unsigned poison = 0xffffffffu;

static int add_right(const struct child *c, const float *got, const char *what)
{
  unsigned wrong = 0, first = 0;
  for (unsigned i = ADD_WORDS; i-- > 0;)
    if (got[i] != (float)(small_number(i, 3) + small_number(i, 5))) {
      wrong++;
      first = i;
    }
  if (!wrong) return 0;
  return tell(c, "wrong %s on GPU %d: %u of %u values, first at %u: expected %u, got %g", what,
    c->gpu, wrong, ADD_WORDS, first, small_number(first, 3) + small_number(first, 5),
    (double)got[first]);
}

/* Runs smoke_add on these, and checks all of c. */
static int add_run(const struct child *c, device_ptr at[3], float *host, const char *what)
{
  static const unsigned grid[] = {ADD_WORDS / 256, 1, 256, 1};
  unsigned n = ADD_WORDS;
  void *args[] = {&at[0], &at[1], &at[2], &n};
  if (FAILS(cuMemsetD32, at[2], poison, n) || run_kernel(c, "smoke_add", grid, args) ||
    FAILS(cuMemcpyDtoH, host, at[2], n * sizeof *host))
    return -1;
  return add_right(c, host, what);
}

/* What is added: small whole numbers, so that floating point is exact. */
static int add_fill(const struct child *c, device_ptr to, float *host, uint32_t seed)
{
  for (uint32_t i = 0; i < ADD_WORDS; i++) host[i] = (float)small_number(i, seed);
  return FAILS(cuMemcpyHtoD, to, host, ADD_WORDS * sizeof *host);
}

static int test_add(const struct child *c, struct buffers *b)
{
  stage(c, "add");
  if (buffers_get(c, b, ADD_WORDS * sizeof(float), 3, 1) || add_fill(c, b->at[1], b->host, 3) ||
    add_fill(c, b->at[2], b->host, 5))
    return -1;
  return add_run(c, b->at + 1, b->host, "vector add");
}

/* What the comparing kernels count. */
struct look {
  uint64_t wrong, first, seen;
};

/* Runs a kernel that compares; -1 also when it did not look at all words. Each time it counts from
 * elsewhere, so that counters which were not set, or are those of the launch before, are wrong. */
static int look_run(const struct child *c, const char *kernel, const unsigned grid[4], void **args,
  device_ptr out, uint64_t words, struct look *look)
{
  static uint64_t start;
  start += (1ull << 40) + 1; /* more than there are words */
  *look = (struct look){start, UINT64_MAX, start};
  if (FAILS(cuMemcpyHtoD, out, look, sizeof *look) || run_kernel(c, kernel, grid, args)) return -1;
  *look = (struct look){UINT64_MAX, 0, UINT64_MAX};
  if (FAILS(cuMemcpyDtoH, look, out, sizeof *look)) return -1;
  look->wrong -= start;
  look->seen -= start;
  if (look->seen == words) return 0;
  return tell(c, "wrong count on GPU %d: %s looked at %llu of %llu words", c->gpu, kernel,
    (ullong)look->seen, (ullong)words);
}

/* Writes the pattern; with `look` compares what is there, and counts in `out`. */
static int pattern_run(const struct child *c, device_ptr p, uint64_t words, uint32_t seed,
  device_ptr out, struct look *look)
{
  static const unsigned grid[] = {1024, 1, 256, 1};
  void *args[] = {&p, &words, &seed, &out};
  return look ? look_run(c, "smoke_pattern", grid, args, out, words, look)
              : run_kernel(c, "smoke_pattern", grid, args);
}

static int memory_wrong(const struct child *c, device_ptr p, uint32_t seed, const struct look *l)
{
  uint32_t got = 0;
  if (FAILS(cuMemcpyDtoH, &got, p + 4 * l->first, sizeof got)) return -1;
  return tell(c, "wrong memory on GPU %d: %llu words, first at %llu: wrong bits 0x%08x", c->gpu,
    (ullong)l->wrong, (ullong)l->first, got ^ pattern_word(l->first, seed));
}

/* Twice, the second time with all bits turned. Each time one wrong word is planted first, and that
 * one alone has to be found, then put right: a check that finds nothing proves nothing. */
static int memory_run(const struct child *c, device_ptr p, device_ptr out, uint64_t words)
{
  uint32_t seed = 0x5a5a1234u;
  struct look planted, mended;
  for (int i = 0; i < 2; i++, seed = ~seed) {
    uint64_t at = (uint64_t)(pattern_word((uint64_t)i + 1, seed) % words);
    uint32_t word = pattern_word(at, seed);
    if (FAILS(cuMemsetD32, p, poison, words) || pattern_run(c, p, words, seed, 0, NULL) ||
      FAILS(cuMemsetD32, p + 4 * at, word ^ 1u << (seed >> 27), 1) ||
      pattern_run(c, p, words, seed, out, &planted) || FAILS(cuMemsetD32, p + 4 * at, word, 1) ||
      pattern_run(c, p, words, seed, out, &mended))
      return -1;
    if (mended.wrong) return memory_wrong(c, p, seed, &mended);
    if (planted.wrong != 1 || planted.first != at)
      return tell(c,
        "wrong memory on GPU %d: one wrong word planted at %llu, found %llu, first at %lld", c->gpu,
        (ullong)at, (ullong)planted.wrong, (long long)planted.first);
  }
  tell(c, "number %d memory_checked %llu", c->gpu, (ullong)words * 4);
  return 0;
}

/* A GPU without memory of its own takes the system's: not much of that. */
static int test_memory(const struct child *c, struct buffers *b)
{
  size_t left = 0, total = 0, size = (size_t)4 << 20, percent = (size_t)levels[c->level].percent;
  int integrated = 0;
  stage(c, "memory");
  if (FAILS(cuMemGetInfo, &left, &total)) return -1;
  (void)c->cu.cuDeviceGetAttribute(&integrated, 18, c->dev);
  left = left / 100 * (integrated && percent > 25 ? 25 : percent) & ~(size_t)0xffff;
  size = left > size ? left : size;
  return buffers_get(c, b, size, 1, 0) || memory_run(c, b->at[1], b->at[LOOK], size / 4);
}

/* Made on the host once for all GPUs, each value by all of its n multiplications: two matrices and
 * their product, and the same transposed, where the second one times the first one is the product.
 * Products alternate between the two, so that what the launch before made is wrong for this one. */
static struct {
  unsigned n;
  float *m[2][3];
} right;

static void transpose(float *to, const float *from, unsigned n)
{
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) to[j * n + i] = from[i * n + j];
}

static int right_make(unsigned n)
{
  size_t words = (size_t)n * n;
  if (right.n == n) return 0;
  free(right.m[0][0]);
  float *a = calloc(6 * words, sizeof *a), *b, *product;
  right.m[0][0] = a;
  right.n = a ? n : 0;
  if (!a) return -1;
  b = a + words;
  product = b + words;
  for (uint32_t i = 0; i < 6; i++) right.m[i / 3][i % 3] = a + i * words;
  for (uint32_t i = 0; i < words; i++) {
    a[i] = (float)small_number(i, 0x1000003);
    b[i] = (float)small_number(i, 0x2000003);
  }
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n; k++) {
      float factor = a[i * n + k], *row = product + i * n;
      for (size_t j = 0; j < n; j++) row[j] += factor * b[k * n + j];
    }
  transpose(right.m[1][0], b, n);
  transpose(right.m[1][1], a, n);
  transpose(right.m[1][2], product, n);
  return 0;
}

/* Whole numbers from 0 to 7 in fp16. */
static void to_halves(uint16_t *to, const float *from, size_t n)
{
  static const uint16_t halves[] = {0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700};
  for (size_t i = 0; i < n; i++) to[i] = halves[(unsigned)from[i] & 7];
}

/* A way to multiply: its name, its kernel, the name of its speed, threads of a block. */
struct product {
  const char *what, *kernel, *speed;
  unsigned x, y;
};

/* What is in the buffers: the product; two matrices and their right product, and these once more,
 * transposed. */
enum { PRODUCT = LOOK + 1, MATRICES };

static int product_compare(
  const struct child *c, const struct buffers *b, int turned, struct look *look)
{
  device_ptr pc = b->at[PRODUCT], pr = b->at[MATRICES + 3 * turned + 2], out = b->at[LOOK];
  uint64_t words = (uint64_t)right.n * right.n;
  unsigned grid[] = {(unsigned)(words / 256), 1, 256, 1};
  void *args[] = {&pc, &pr, &words, &out};
  return look_run(c, "smoke_compare", grid, args, out, words, look);
}

static int product_wrong(
  const struct child *c, const struct product *way, unsigned number, uint64_t wrong, uint64_t first)
{
  return tell(c,
    "wrong %s on GPU %d: in product %u %llu of %llu values, first in row %llu, column %llu",
    way->what, c->gpu, number, (ullong)wrong, (ullong)right.n * right.n, (ullong)first / right.n,
    (ullong)first % right.n);
}

/* The last product once more by the host, so that not all depends on the GPU's own word. */
static int product_last(
  const struct child *c, const struct product *way, const struct buffers *b, unsigned number)
{
  size_t words = (size_t)right.n * right.n;
  uint64_t wrong = 0, first = 0, sum = 14695981039346656037u;
  memset(b->host, 0xff, words * sizeof *b->host);
  if (FAILS(cuMemcpyDtoH, b->host, b->at[PRODUCT], words * sizeof *b->host)) return -1;
  for (size_t i = words; i-- > 0;)
    if (b->host[i] != right.m[0][2][i]) {
      wrong++;
      first = i;
    }
  if (wrong) return product_wrong(c, way, number, wrong, first);
  for (size_t i = 0; i < words; i++) sum = (sum ^ (uint64_t)b->host[i]) * 1099511628211u;
  tell(c, "checksum %d %016llx", c->gpu, (ullong)sum);
  return 0;
}

/* Nothing was multiplied: every value has to be found wrong. */
static int product_control(const struct child *c, const struct product *way, struct buffers *b)
{
  uint64_t words = (uint64_t)right.n * right.n;
  struct look look;
  if (FAILS(cuMemsetD32, b->at[PRODUCT], poison, words) || product_compare(c, b, 0, &look))
    return -1;
  if (look.wrong == words && look.first == 0) return 0;
  return tell(c, "wrong %s on GPU %d: of %llu wrong values smoke_compare finds %llu", way->what,
    c->gpu, (ullong)words, (ullong)look.wrong);
}

/* Multiplies for some seconds, and compares each product wholly. The last one is not turned. */
static int product_run(
  const struct child *c, const struct product *way, struct buffers *b, int seconds)
{
  unsigned n = right.n, grid[] = {n / 16, n / 16, way->x, way->y}, done = 0;
  int64_t start = now_ns(), spent = 0;
  struct look look;
  if (product_control(c, way, b)) return -1;
  do {
    int turned = ++done % 2;
    device_ptr *from = b->at + MATRICES + (size_t)(3 * turned);
    void *args[] = {&from[0], &from[1], &b->at[PRODUCT], &n};
    if (FAILS(cuMemsetD32, b->at[PRODUCT], poison, (size_t)n * n)) return -1;
    int64_t before = now_ns();
    if (run_kernel(c, way->kernel, grid, args)) return -1;
    spent += now_ns() - before;
    if (product_compare(c, b, turned, &look)) return -1;
    if (look.wrong) return product_wrong(c, way, done, look.wrong, look.first);
  } while (done % 2 || done < PRODUCTS || now_ns() - start < seconds * 1000000000LL);
  if (product_last(c, way, b, done)) return -1;
  if (c->level || c->share) /* small matrices say nothing of speed */
    tell(c, "%s %d %.1f", way->speed, c->gpu, 2.0 * n * n * n * done / (double)(spent ? spent : 1));
  return 0;
}

/* Factors in words of fp32, or in halves. */
static int product_test(
  const struct child *c, const struct product *way, struct buffers *b, int halves, int seconds)
{
  size_t words = (size_t)right.n * right.n, size = words * sizeof(float);
  uint16_t *half;
  if (buffers_get(c, b, size, 7, 1)) return -1;
  half = (uint16_t *)(void *)b->host;
  for (int i = 0; i < 6; i++) {
    const float *from = right.m[i / 3][i % 3];
    int in_halves = halves && i % 3 < 2;
    if (in_halves) to_halves(half, from, words);
    if (FAILS(cuMemcpyHtoD, b->at[MATRICES + i], in_halves ? (const void *)half : from,
          in_halves ? words * sizeof *half : size))
      return -1;
  }
  return product_run(c, way, b, seconds);
}

static int test_gemm(const struct child *c, struct buffers *b)
{
  static const struct product way = {"matrix product", "smoke_gemm", "gflops", 16, 16};
  char go;
  stage(c, "gemm");
  if (right_make(c->share ? SHARED_SIZE : levels[c->level].size)) return -1;
  if (c->share) { /* wait until all sharers are ready */
    tell(c, "ready");
    if (read(0, &go, 1) < 0) return -1;
  }
  return product_test(c, &way, b, 0, c->share ? levels[c->level].share : levels[c->level].seconds);
}

static int test_double(const struct child *c, struct buffers *b)
{
  static const struct product way = {"fp64 product", "smoke_double", "gflops_fp64", 16, 16};
  if (!c->level) return 0;
  stage(c, "double");
  return product_test(c, &way, b, 0, levels[c->level].seconds / 3);
}

static int child_load(const struct child *c, void **module, const char *ptx)
{
  char log[512] = "";
  int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE};
  void *values[] = {log, (void *)(uintptr_t)(sizeof log - 1)};
  int code = c->cu.cuModuleLoadDataEx(module, ptx, LENGTH(options), options, values);
  if (code && log[0]) tell(c, "jitlog %s", log);
  return failed(c, "cuModuleLoadDataEx", code);
}

/* GPUs before Volta have no tensor cores. */
static int test_tensor(const struct child *c, struct buffers *b)
{
  static const struct product way = {"tensor-core product", "smoke_tensor", "gflops_fp16", 32, 1};
  static char ptx[sizeof ptx_tensor_head + sizeof ptx_compare + sizeof ptx_tensor];
  struct child tensor = *c;
  int major = 0;
  if (!c->level || FAILS(cuDeviceGetAttribute, &major, 75, c->dev) || major < 7) return 0;
  stage(c, "tensor");
  format(ptx, sizeof ptx, "%s%s%s", ptx_tensor_head, ptx_compare, ptx_tensor);
  if (child_load(c, &tensor.module, ptx)) return -1;
  return product_test(&tensor, &way, b, 1, levels[c->level].seconds / 3) ||
    FAILS(cuModuleUnload, tensor.module);
}

/* What came to the GPU is looked at there: two mistakes on the way cannot undo each other. */
static int copy_arrived(const struct child *c, const struct buffers *b, int at, uint64_t words,
  uint32_t seed, const char *way)
{
  struct look look;
  if (pattern_run(c, b->at[at], words, seed, b->at[LOOK], &look)) return -1;
  if (!look.wrong) return 0;
  return tell(c, "wrong copy %s GPU %d: %llu of %llu words, first at %llu", way, c->gpu,
    (ullong)look.wrong, (ullong)words, (ullong)look.first);
}

/* One copy within the device, from the first buffer into the second, poisoned one. */
static int copy_within(
  const struct child *c, const struct buffers *b, void *const events[2], uint64_t words, float *ms)
{
  return FAILS(cuMemsetD32, b->at[2], poison, words) || FAILS(cuEventRecord, events[0], NULL) ||
    FAILS(cuMemcpyDtoD, b->at[2], b->at[1], 4 * words) || FAILS(cuEventRecord, events[1], NULL) ||
    FAILS(cuEventSynchronize, events[1]) || FAILS(cuEventElapsedTime, ms, events[0], events[1]) ||
    copy_arrived(c, b, 2, words, COPY_SEED, "within");
}

/* The best of three copies, read and write counted. */
static int test_bandwidth(const struct child *c, struct buffers *b)
{
  size_t left = 0, total = 0, size = (size_t)256 << 20;
  void *events[2] = {NULL, NULL};
  float best = 0, ms = 0;
  stage(c, "bandwidth");
  if (FAILS(cuMemGetInfo, &left, &total)) return -1;
  while (size > (1 << 20) && size > left / 4) size /= 2;
  uint64_t words = size / sizeof(uint32_t);
  if (buffers_get(c, b, size, 2, 0) || pattern_run(c, b->at[1], words, COPY_SEED, 0, NULL) ||
    FAILS(cuEventCreate, &events[0], 0) || FAILS(cuEventCreate, &events[1], 0))
    return -1;
  for (int i = 0; i < 4; i++) { /* the first one only warms up */
    if (copy_within(c, b, events, words, &ms)) return -1;
    if (i > 0 && ms > 0 && (best == 0 || ms < best)) best = ms;
  }
  if (best > 0) tell(c, "bandwidth %d %.1f", c->gpu, 2e-6 * (double)size / (double)best);
  return FAILS(cuEventDestroy, events[0]) || FAILS(cuEventDestroy, events[1]);
}

/* There and back, each timed and compared. best: of each so far; 0: none */
static int host_turn(
  const struct child *c, const struct buffers *b, size_t words, uint32_t seed, int64_t best[2])
{
  uint32_t *to = b->pinned[0], *from = b->pinned[1];
  size_t size = words * sizeof *to, wrong = 0;
  int64_t at[4];
  for (size_t i = 0; i < words; i++) to[i] = pattern_word(i, seed);
  memset(from, 0xff, size);
  if (FAILS(cuMemsetD32, b->at[1], poison, words)) return -1;
  if (failed(c, "cuCtxSynchronize", c->cu.cuCtxSynchronize())) return -1;
  at[0] = now_ns();
  if (FAILS(cuMemcpyHtoD, b->at[1], to, size)) return -1;
  at[1] = now_ns();
  if (copy_arrived(c, b, 1, words, seed, "from the host to")) return -1;
  at[2] = now_ns();
  if (FAILS(cuMemcpyDtoH, from, b->at[1], size)) return -1;
  at[3] = now_ns();
  for (int i = 0; i < 2; i++) {
    int64_t spent = at[2 * i + 1] - at[2 * i];
    if (!best[i] || spent < best[i]) best[i] = spent > 0 ? spent : 1;
  }
  while (wrong < words && from[wrong] == pattern_word(wrong, seed)) wrong++;
  if (wrong == words) return 0;
  return tell(c, "wrong copy from GPU %d to the host: word %zu of %zu", c->gpu, wrong, words);
}

/* Between the host's memory and the GPU's, both ways, as fast as the link goes: the host's pages
 * are pinned. */
static int test_host(const struct child *c, struct buffers *b)
{
  size_t left = 0, total = 0, size = (size_t)64 << 20;
  int64_t best[2] = {0, 0};
  stage(c, "host");
  if (FAILS(cuMemGetInfo, &left, &total)) return -1;
  while (size > (4u << 20) && (size > left / 4 || !c->level)) size /= 2;
  if (buffers_get(c, b, size, 1, 0) || FAILS(cuMemAllocHost, &b->pinned[0], size) ||
    FAILS(cuMemAllocHost, &b->pinned[1], size))
    return -1;
  for (uint32_t turn = 0; turn < 3; turn++)
    if (host_turn(c, b, size / sizeof(uint32_t), turn, best)) return -1;
  tell(c, "to_gpu %d %.1f", c->gpu, (double)size / (double)best[0]);
  tell(c, "from_gpu %d %.1f", c->gpu, (double)size / (double)best[1]);
  return 0;
}

enum { PEER_WORDS = ADD_WORDS, PEER_ALREADY = 704 };

/* One copy of all words into `to`, which is poisoned before; what came is compared. */
static int peer_copy(const struct child *c, device_ptr to, void *to_context, device_ptr from,
  void *from_context, float *host, const char *how)
{
  size_t size = PEER_WORDS * sizeof *host;
  unsigned wrong = 0;
  memset(host, 0xff, size);
  if (FAILS(cuCtxSetCurrent, to_context) || FAILS(cuMemsetD32, to, poison, PEER_WORDS) ||
    FAILS(cuMemcpyPeer, to, to_context, from, from_context, size) ||
    failed(c, "cuCtxSynchronize", c->cu.cuCtxSynchronize()) ||
    FAILS(cuMemcpyDtoH, host, to, size) || FAILS(cuCtxSetCurrent, c->context))
    return -1;
  for (uint32_t i = 0; i < PEER_WORDS; i++) wrong += host[i] != (float)small_number(i, 3);
  if (!wrong) return 0;
  return tell(c, "wrong %s copy between GPU 0 and %d: %u of %u words", how, c->gpu, wrong,
    (unsigned)PEER_WORDS);
}

/* Direct: copies both ways, and a kernel here that reads the other GPU's memory. */
static int peer_direct(const struct child *c, struct buffers *b, device_ptr there, void *context)
{
  device_ptr at[] = {there, b->at[2], b->at[3]};
  int code;
  stage(c, "peer-direct");
  for (int side = 0; side < 2; side++) {
    if (FAILS(cuCtxSetCurrent, side ? context : c->context)) return -1;
    code = c->cu.cuCtxEnablePeerAccess(side ? c->context : context, 0);
    if (code != PEER_ALREADY && failed(c, "cuCtxEnablePeerAccess", code)) return -1;
  }
  return peer_copy(c, b->at[1], c->context, there, context, b->host, "direct") ||
    peer_copy(c, there, context, b->at[1], c->context, b->host, "direct") ||
    add_fill(c, b->at[2], b->host, 5) || add_run(c, at, b->host, "direct read of GPU 0's memory");
}

/* Between the first GPU and this one: through the host first, then directly where they can. */
static int test_peer(const struct child *c, struct buffers *b)
{
  size_t size = PEER_WORDS * sizeof(float);
  int first = 0, direct = 0;
  void *context = NULL;
  device_ptr there = 0;
  if (c->gpu == 0 || !c->cu.cuDeviceCanAccessPeer || !c->cu.cuMemcpyPeer) return 0;
  stage(c, "peer");
  if (FAILS(cuDeviceGet, &first, 0) || FAILS(cuDeviceCanAccessPeer, &direct, c->dev, first) ||
    FAILS(cuDevicePrimaryCtxRetain, &context, first) || FAILS(cuCtxSetCurrent, context) ||
    FAILS(cuMemAlloc, &there, size) || FAILS(cuCtxSetCurrent, c->context) ||
    buffers_get(c, b, size, 3, 1) || add_fill(c, b->at[1], b->host, 3) ||
    peer_copy(c, there, context, b->at[1], c->context, b->host, "staged") ||
    peer_copy(c, b->at[1], c->context, there, context, b->host, "staged"))
    return -1;
  if (direct && c->cu.cuCtxEnablePeerAccess && peer_direct(c, b, there, context)) return -1;
  tell(c, "number %d direct %d", c->gpu, direct);
  stage(c, "peer");
  return FAILS(cuCtxSetCurrent, context) || FAILS(cuMemFree, there) ||
    FAILS(cuCtxSetCurrent, c->context) || FAILS(cuDevicePrimaryCtxRelease, first);
}

static int child_jit(struct child *c)
{
  static char ptx[sizeof ptx_head + sizeof ptx_add + sizeof ptx_pattern + sizeof ptx_compare +
    sizeof ptx_gemm + sizeof ptx_double];
  stage(c, "jit");
  format(ptx, sizeof ptx, "%s%s%s%s%s%s", ptx_head, ptx_add, ptx_pattern, ptx_compare, ptx_gemm,
    ptx_double);
  return child_load(c, &c->module, ptx);
}

static int (*const tests[])(const struct child *, struct buffers *) = {
  test_add, test_memory, test_gemm, test_tensor, test_double, test_bandwidth, test_host, test_peer};

enum { SHARERS = 2, PROVEN = 5 }; /* the test that sharers run; behind which a GPU is proven */

static int child_gpu(struct child *c)
{
  int rc = 0;
  stage(c, "device");
  if (FAILS(cuDeviceGet, &c->dev, c->gpu) || child_describe(c, c->dev)) return -1;
  stage(c, "context");
  if (FAILS(cuDevicePrimaryCtxRetain, &c->context, c->dev) || FAILS(cuCtxSetCurrent, c->context) ||
    child_jit(c))
    return -1;
  for (size_t i = c->share ? SHARERS : 0; !rc && i < (c->share ? SHARERS + 1 : LENGTH(tests));
       i++) {
    if (i == PROVEN) tell(c, "number %d proven 1", c->gpu);
    struct buffers b = {.n = 0};
    rc = tests[i](c, &b);
    buffers_release(c, &b);
  }
  if (rc) return rc;
  stage(c, "release");
  return FAILS(cuModuleUnload, c->module) || FAILS(cuDevicePrimaryCtxRelease, c->dev);
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
  long start = now_ms();
  if (FAILS(cuInit, 0)) return;
  tell(c, "init_ms %ld", now_ms() - start);
  if (FAILS(cuDeviceGetCount, &count)) return;
  tell(c, "count %d", count);
  for (; c->gpu < (c->share ? 1 : count) && c->gpu < MAX_GPUS; c->gpu++)
    if (child_gpu(c)) return;
  tell(c, "done");
}

/* ---- the other child: NVML */

enum shape { ONE, TWO, FOUR, LONG_ONE, OF_KIND, ECC, FABRIC };

/* What is asked of each device: the call's shape, the words for what it gives. */
static const struct {
  const char *name;
  enum shape shape;
  const char *words[4];
  int kind, counter; /* what of it: a sensor, a clock, a type of error */
} nvml_calls[] = {
  {"nvmlDeviceGetMigMode", TWO, {"mig"}, 0, 0},
  {"nvmlDeviceGetVirtualizationMode", ONE, {"virtual"}, 0, 0},
  {"nvmlDeviceGetComputeMode", ONE, {"compute_mode"}, 0, 0},
  {"nvmlDeviceGetCurrPcieLinkWidth", ONE, {"pcie_width"}, 0, 0},
  {"nvmlDeviceGetMaxPcieLinkWidth", ONE, {"pcie_width_max"}, 0, 0},
  {"nvmlDeviceGetCurrPcieLinkGeneration", ONE, {"pcie_gen"}, 0, 0},
  {"nvmlDeviceGetMaxPcieLinkGeneration", ONE, {"pcie_gen_max"}, 0, 0},
  {"nvmlDeviceGetRetiredPagesPendingStatus", ONE, {"pages_pending"}, 0, 0},
  {"nvmlDeviceGetRemappedRows", FOUR, {NULL, NULL, "rows_pending", "remap_failed"}, 0, 0},
  {"nvmlDeviceGetTotalEccErrors", ECC, {"ecc_errors"}, 1, 0}, /* uncorrected, since the start */
  {"nvmlDeviceGetTotalEccErrors", ECC, {"ecc_corrected"}, 0, 0},
  {"nvmlDeviceGetTotalEccErrors", ECC, {"ecc_aggregate"}, 1, 1}, /* of the board's life */
  {"nvmlDeviceGetPersistenceMode", ONE, {"persistence"}, 0, 0},
  {"nvmlDeviceGetTemperature", OF_KIND, {"temperature"}, 0, 0}, /* of the chip */
  {"nvmlDeviceGetPowerUsage", ONE, {"power_mw"}, 0, 0},
  {"nvmlDeviceGetEnforcedPowerLimit", ONE, {"power_limit_mw"}, 0, 0},
  {"nvmlDeviceGetClockInfo", OF_KIND, {"sm_mhz"}, 1, 0},
  {"nvmlDeviceGetPcieReplayCounter", ONE, {"pcie_replays"}, 0, 0},
  {"nvmlDeviceGetCurrentClocksEventReasons|nvmlDeviceGetCurrentClocksThrottleReasons", LONG_ONE,
    {"throttle"}, 0, 0},
  {"nvmlDeviceGetGpuFabricInfo", FABRIC, {"fabric"}, 0, 0},
};

/* nvmlProcessInfo_t of _v2 and _v3 (nvml.h 12.9); older drivers are not asked. */
struct nvml_process {
  unsigned pid;
  ullong memory; /* bytes; ULLONG_MAX: not known */
  unsigned gpu_instance, compute_instance;
};

union nvml_call {
  void *at;
  int (*none)(void);
  const char *(*text)(int);
  int (*version)(char *, unsigned);
  int (*count)(unsigned *);
  int (*handle)(unsigned, void **), (*mig)(void *, unsigned, void **);
  int (*string)(void *, char *, unsigned);
  int (*one)(void *, unsigned *);
  int (*two)(void *, unsigned *, unsigned *);
  int (*four)(void *, unsigned *, unsigned *, unsigned *, unsigned *);
  int (*longs)(void *, ullong *);
  int (*of_kind)(void *, int, unsigned *);
  int (*ecc)(void *, int, int, ullong *);
  int (*link)(void *, unsigned, unsigned *);
  int (*link_errors)(void *, unsigned, int, ullong *);
  int (*processes)(void *, unsigned *, struct nvml_process *);
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
      : shape == OF_KIND  ? call.of_kind(device, nvml_calls[i].kind, &n[0])
      : shape == ECC      ? call.ecc(device, nvml_calls[i].kind, nvml_calls[i].counter, &l)
                          : call.bytes(device, fabric);
    l += n[0] + fabric[24];
    for (int k = 0; code == 0 && k < 4; k++)
      if (nvml_calls[i].words[k])
        tell(c, "number %d %s %llu", c->gpu, nvml_calls[i].words[k], k ? n[k] : l);
  }
}

enum { NVML_LINKS = 18, LINK_REPLAYS = 0, LINK_RECOVERIES = 1, MAX_PROCESSES = 32 };

/* How many NVLinks are up and down, and their errors; a GPU without any cannot tell. */
static void nvml_links(const struct child *c, void *lib, void *device)
{
  union nvml_call state = {dlsym(lib, "nvmlDeviceGetNvLinkState")},
                  errors = {dlsym(lib, "nvmlDeviceGetNvLinkErrorCounter")};
  unsigned is_up, up = 0, down = 0;
  ullong n, all = 0;
  for (unsigned i = 0; state.at && i < NVML_LINKS; i++) {
    if (state.link(device, i, &is_up)) continue;
    up += is_up != 0;
    down += is_up == 0;
    for (int kind = LINK_REPLAYS; errors.at && kind <= LINK_RECOVERIES; kind++)
      if (errors.link_errors(device, i, kind, &n) == 0) all += n;
  }
  if (up + down == 0) return;
  tell(c, "number %d nvlinks_up %u", c->gpu, up);
  tell(c, "number %d nvlinks_down %u", c->gpu, down);
  tell(c, "number %d nvlink_errors %llu", c->gpu, all);
}

/* Who computes there, and with how many MiB. */
static void nvml_processes(const struct child *c, void *lib, void *device)
{
  static const char names[] =
    "nvmlDeviceGetComputeRunningProcesses_v3|nvmlDeviceGetComputeRunningProcesses_v2";
  union nvml_call call = {find_entry(lib, names)};
  struct nvml_process found[MAX_PROCESSES];
  unsigned n = MAX_PROCESSES;
  if (!call.at || call.processes(device, &n, found) || n > MAX_PROCESSES) return;
  for (unsigned i = 0; i < n; i++)
    tell(c, "process %d %u %u %lld", c->gpu, i, found[i].pid,
      found[i].memory == ULLONG_MAX ? -1 : (long long)(found[i].memory >> 20));
  tell(c, "number %d processes %u", c->gpu, n);
}

/* The MIG devices of a GPU, by UUID. */
static void nvml_migs(const struct child *c, void *lib, void *device)
{
  union nvml_call most = {dlsym(lib, "nvmlDeviceGetMaxMigDeviceCount")},
                  mig = {dlsym(lib, "nvmlDeviceGetMigDeviceHandleByIndex")},
                  uuid = {dlsym(lib, "nvmlDeviceGetUUID")};
  char text[96] = "";
  unsigned n = 0, found = 0;
  void *at = NULL;
  if (!most.at || !mig.at || !uuid.at || most.one(device, &n)) return;
  for (unsigned i = 0; i < n && i < MAX_GPUS; i++)
    if (mig.mig(device, i, &at) == 0 && uuid.string(at, text, sizeof text) == 0)
      tell(c, "mig %d %u %s", c->gpu, found++, text);
  tell(c, "number %d migs %u", c->gpu, found);
}

static int nvml_failed(const struct child *c, void *lib, const char *func, int code)
{
  union nvml_call call = {dlsym(lib, "nvmlErrorString")};
  if (!code) return 0;
  const char *text = call.at ? call.text(code) : "";
  tell(c, "error %d %s: %s", code, func, text);
  tell(c, "refused %d %s", c->gpu, text);
  return code;
}

/* nvmlPciInfo_t ends with the address, "00000000:3B:00.0" (nvml.h 12.9 and 13.5). */
static void nvml_address(const struct child *c, void *lib, void *device)
{
  union nvml_call call = {dlsym(lib, "nvmlDeviceGetPciInfo_v3")};
  struct {
    char older[16];
    unsigned numbers[5];
    char address[32];
  } pci;
  memset(&pci, 0, sizeof pci);
  if (call.at && call.bytes(device, (unsigned char *)&pci) == 0)
    tell(c, "pci %d %.31s", c->gpu, pci.address);
}

static void child_nvml(struct child *c)
{
  void *lib = child_open(c), *device = NULL;
  union nvml_call init = {lib ? find_entry(lib, "nvmlInit_v2|nvmlInit") : NULL}, call;
  char text[96] = "";
  unsigned count = 0;
  int code = 0;
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
      (code = nvml_failed(
         c, lib, "nvmlDeviceGetHandleByIndex", call.handle((unsigned)c->gpu, &device)))) {
      tell(c, "number %d error %d", c->gpu, code);
      continue;
    }
    call.at = dlsym(lib, "nvmlDeviceGetUUID");
    if (call.at && call.string(device, text, sizeof text) == 0) tell(c, "uuid %d %s", c->gpu, text);
    nvml_device(c, lib, device);
    nvml_migs(c, lib, device);
    nvml_address(c, lib, device);
    nvml_links(c, lib, device);
    nvml_processes(c, lib, device);
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

static double measured(const struct probe *p, const char *key, int gpu)
{
  return strtod(said(p, "%s %d", key, gpu), NULL);
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
  } table[] = {{"load", LIBCUDA}, {"jit", JIT}, {"add", EXEC}, {"memory", EXEC}, {"gemm", EXEC},
    {"tensor", EXEC}, {"double", EXEC}, {"bandwidth", BANDWIDTH}, {"host", BANDWIDTH},
    {"peer", BANDWIDTH}};
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
  if (a->no_sys && a->no_proc) blame(s, "could-not-look");
  if (a->no_sys) shows(s, "/sys is not readable here: no look at the PCI bus");
  if (a->no_proc) shows(s, "/proc is not readable here: no look at the kernel driver");
  return shows(s,
    a->no_sys ? "no /dev/nvidia*"
              : "no display device of vendor 0x10de in /sys/bus/pci, no /dev/nvidia*");
}

HOLDS(off_bus)
{
  for (size_t i = 0; i < s->facts.gpus; i++)
    if (s->facts.gpu[i].off_bus) return shows(s, "GPU at %s", s->facts.gpu[i].address);
  return 0;
}

static int nvml_says(struct smoke *s, int hardware)
{
  const char *cause = MEANS(nvml_codes, s->nvml.code);
  if (cause) blame(s, cause);
  if (hardware ? !cause || s->finding.cause->layer != HW
               : !s->nvml.code && !s->nvml.signal && !s->nvml.timed_out)
    return 0;
  return shows(s, "NVML: %s%s", s->nvml.code ? s->nvml.error : "died or hung in stage ",
    s->nvml.code ? "" : s->nvml.stage);
}

HOLDS(nvml_hardware) { return nvml_says(s, 1); }
HOLDS(nvml_other) { return nvml_says(s, 0); }

HOLDS(more_gpus)
{
  int most = atoi(promised(s, "gpus"));
  return most && s->cuda.count > most &&
    shows(s, "%d promised, CUDA sees %d: others' work may be on them", most, s->cuda.count);
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
    if (!lib->defect && same(lib->name, libcuda) && *lib->version &&
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

/* How many /dev/nvidia<N> there are; or, of those, devices not known to be closed. */
static int gpu_nodes(const struct smoke *s, int opened)
{
  int n = 0;
  for (size_t i = 0; i < s->facts.nodes; i++) {
    const struct node *node = &s->facts.node[i];
    n += is_gpu_node(node) && (!opened || (node->is_device && node->open_errno <= 0));
  }
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
    number(&s->nvml, 0, "mig") != 0 &&
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

/* ---- what the image demands of the driver: NVIDIA_REQUIRE_CUDA */

/* The CUDA of each driver branch. */
static const struct {
  int branch;
  const char *cuda;
} branches[] = {{384, "9.0"}, {390, "9.1"}, {396, "9.2"}, {410, "10.0"}, {418, "10.1"},
  {440, "10.2"}, {450, "11.0"}, {455, "11.1"}, {460, "11.2"}, {465, "11.3"}, {470, "11.4"},
  {495, "11.5"}, {510, "11.6"}, {515, "11.7"}, {520, "11.8"}, {525, "12.0"}, {530, "12.1"},
  {535, "12.2"}, {545, "12.3"}, {550, "12.4"}, {555, "12.5"}, {560, "12.6"}, {565, "12.7"},
  {570, "12.8"}, {575, "12.9"}, {580, "13.0"}, {590, "13.1"}, {595, "13.2"}, {610, "13.3"},
  {615, "13.4"}};

/* What the kernel driver can run, "" when this version does not know. */
static const char *driver_cuda(const struct smoke *s)
{
  int branch = atoi(s->facts.version);
  const char *cuda = "";
  for (size_t i = 0; i < LENGTH(branches) && branch <= branches[LENGTH(branches) - 1].branch; i++)
    if (branches[i].branch <= branch) cuda = branches[i].cuda;
  return cuda;
}

/* NAME OPERATOR VALUE; -1: nobody can tell. */
static int demand_met(struct smoke *s, const char *demand)
{
  size_t n = strcspn(demand, "<>=!"), op = strspn(demand + n, "<>=!");
  const char *value = demand + n + op, *name = text_of(&s->host, "%.*s", (int)n, demand),
             *have = same(name, "cuda")  ? driver_cuda(s)
    : same(name, "driver")               ? s->facts.version
    : same(name, "arch") && s->cuda.done ? capability(s, 0)
                                         : "";
  const char *sign = text_of(&s->host, "%.*s", (int)op, demand + n);
  if (!*have || !is_digit(*value) || !list_has("= != < <= > >=", " ", sign)) return -1;
  int order = version_compare(have, value);
  return (strchr(sign, order < 0 ? '<' : order > 0 ? '>' : '=') != NULL) != (*sign == '!');
}

/* A blank is "or", a comma "and". Nothing demanded is met. */
static int demands_met(struct smoke *s, const char *demands)
{
  const char *all, *one;
  int met = 0, any = 0;
  while ((all = list_next(&s->host, &demands, " "))) {
    int these = *all != '\0';
    any |= these;
    while ((one = list_next(&s->host, &all, ","))) these &= demand_met(s, one) != 0;
    met |= these;
  }
  return met || !any;
}

/* A variable that is set, and not empty; NULL. */
static const char *env_set(struct smoke *s, const char *name)
{
  const char *value = host_env(&s->host, name);
  return value && *value ? value : NULL;
}

static int env_true(const char *value)
{
  return value && !list_has("0 f F false FALSE False", " ", value);
}

static int gate(struct smoke *s, int foretold)
{
  const char *demands = env_set(s, "NVIDIA_REQUIRE_CUDA");
  int off = env_true(env_set(s, "NVIDIA_DISABLE_REQUIRE")),
      breaks = !off && (!s->cuda.ran || s->cuda.code == 35);
  if (!demands || !*s->facts.version || breaks != foretold || demands_met(s, demands)) return 0;
  shows(
    s, "driver %s, CUDA %s; the image demands %.160s", s->facts.version, driver_cuda(s), demands);
  return off ? shows_env(s, "NVIDIA_DISABLE_REQUIRE") : 1;
}

HOLDS(gate_closed) { return gate(s, 1); }
HOLDS(gate_passed) { return gate(s, 0); }

/* In a pod only its allocation gives GPUs; "all" is the image's own word. Plugins that mount what
 * they allocate leave it standing. */
HOLDS(unasked)
{
  const char *asked = env_set(s, "NVIDIA_VISIBLE_DEVICES");
  int nodes = gpu_nodes(s, 0),
      pod = host_env(&s->host, "KUBERNETES_SERVICE_HOST") ||
    host_exists(&s->host, "/var/run/secrets/kubernetes.io");
  if (!pod || !asked || !same(asked, "all") || !nodes || nodes < (int)s->facts.gpus ||
    host_exists(&s->host, "/var/run/nvidia-container-devices") ||
    (s->chosen && starts(s->chosen->real, "/usr/local/nvidia/")))
    return 0;
  return shows(
    s, "NVIDIA_VISIBLE_DEVICES=all, no list of a device plugin: all %d GPU of the node", nodes);
}

HOLDS(cdi_stale) { return s->facts.cdi_stale && shows(s, "%s", s->facts.cdi_stale); }

/* Nothing by that name where the loader looks: is a good one elsewhere? */
static int shows_elsewhere(struct smoke *s)
{
  blame(s, s->facts.musl ? "musl-libc" : "libcuda-absent");
  for (size_t i = s->facts.libs; i-- > 0;) {
    const struct library *lib = &s->facts.lib[i];
    int plain = same(lib->name, "libcuda.so");
    if ((!plain && !same(lib->name, libcuda)) || lib->defect || is_compat(lib)) continue;
    shows_library(s, lib);
    if (!s->facts.musl) blame(s, plain ? "libcuda-unversioned" : "libcuda-unsearched");
  }
  return shows_env(s, "LD_LIBRARY_PATH");
}

/* What the loader says of a library whose file looks right. */
static const struct {
  const char *words, *cause;
} loader_words[] = {{"file too short", "empty-file"}, {"wrong ELF class", "wrong-elf-class"},
  {"past end of file", "truncated-file"}, {"invalid ELF header", "not-elf"},
  {"Permission denied", "unreadable"}, {"failed to map segment", "noexec-mount"},
  {"undefined symbol", "undefined-symbol"}, {"version `GLIBC_", "libc-too-old"},
  {"Error relocating", "musl-libc"}};

HOLDS(libcuda_broken)
{
  const struct library *lib = library_winner(&s->facts, libcuda);
  const char *error = s->cuda.dlerror;
  if (s->cuda.loaded[0] || s->cuda.count) return 0;
  if (error[0]) shows(s, "the loader says: %s", error);
  if (!lib) return shows_elsewhere(s);
  if (lib->defect) {
    blame(s, lib->defect);
    return shows_library(s, lib);
  }
  if (strstr(error, "cannot open shared object")) blame(s, "missing-dependency");
  for (size_t i = 0; i < LENGTH(loader_words) && strstr(error, "libcuda"); i++)
    if (strstr(error, loader_words[i].words)) blame(s, loader_words[i].cause);
  return error[0] != '\0';
}

/* ---- what is loaded in front of everything */

/* The libraries of LD_PRELOAD, or of /etc/ld.so.preload, whose '#' starts a comment. */
static const char *preload_list(struct smoke *s, int file)
{
  char *text = file ? host_read(&s->host, "/etc/ld.so.preload") : NULL, *line;
  const char *list = file ? "" : host_env(&s->host, "LD_PRELOAD");
  while ((line = next_line(&text)))
    list = text_of(&s->host, "%s %.*s", list, (int)strcspn(line, "#"), line);
  return list;
}

/* Its file, as the loader finds it, into *lib; -1: there is none. */
static int preload_inspect(struct smoke *s, const char *item, struct library *lib)
{
  struct facts *a = &s->facts;
  const char *path = item;
  for (size_t i = 0; !strchr(item, '/') && i <= a->places; i++) {
    if (i == a->places) return -1;
    path = text_of(&s->host, "%s/%s", a->place[i].dir, item);
    if (a->place[i].searched && host_exists(&s->host, path)) break;
  }
  *lib = (struct library){.name = item, .path = path, .origin = "preload"};
  lib->defect = library_inspect(a, lib);
  return lib->defect && same(lib->defect, "dangling-link") ? -1 : 0;
}

/* Does the file's name speak of GPUs? Of others (jemalloc) nothing is said. */
static int preload_names(const char *item, const char *const *words)
{
  const char *slash = strrchr(item, '/');
  while (*words && !strstr(slash ? slash : item, *words)) words++;
  return *words != NULL;
}

static const char *const drivers[] = {"libcuda.so", "libnvidia-ml.so", NULL};
static const char *const hooks[] = {
  "vgpu", "vcuda", "cuda-control", "nvshare", "gemhook", "gpushare", "hami", NULL};

enum preload { LOST, DRIVER, HOOK };

/* What is wrong with this one, of that kind; or NULL. */
static const char *preload_says(struct smoke *s, const char *item, enum preload kind)
{
  int hook = preload_names(item, hooks);
  struct library lib;
  if (!*item || strchr(item, '$') || (!hook && !preload_names(item, drivers))) return NULL;
  if (preload_inspect(s, item, &lib)) return kind == LOST ? "not there" : NULL;
  if (lib.defect) return kind == LOST ? lib.defect : NULL;
  if (hook) return kind == HOOK ? "a hook" : NULL;
  if (strstr(lib.real, "/stubs/")) return kind == DRIVER ? "a stub" : NULL;
  int other = *lib.version && *s->facts.version && !is_compat(&lib) &&
    version_compare(lib.version, s->facts.version) != 0;
  return kind == DRIVER && other ? "not of the kernel driver's version" : NULL;
}

/* Is there one of that kind? $LIB and $ORIGIN are for the loader to know. */
static int preloaded(struct smoke *s, enum preload kind)
{
  static const char *const places[] = {"LD_PRELOAD", "/etc/ld.so.preload"};
  const char *item, *what;
  for (int file = 0; file < 2; file++)
    for (const char *list = preload_list(s, file); (item = list_next(&s->host, &list, " :\t\n"));)
      if ((what = preload_says(s, item, kind)))
        return shows(s, "%s names %s: %s", places[file], item, what);
  return 0;
}

HOLDS(preload_missing) { return preloaded(s, LOST); }
HOLDS(preload_driver) { return preloaded(s, DRIVER); }
HOLDS(preload_hook) { return preloaded(s, HOOK); }

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
    if (!lib->searched || !same(lib->name, libcuda) || lib->defect || is_compat(lib)) continue;
    if (first && !same(first->version, lib->version))
      return shows(s, "%s, then %s", first->real, lib->real);
    first = first ? first : lib;
  }
  return 0;
}

/* ---- CUDA_VISIBLE_DEVICES, as CUDA reads it */

/* How many GPUs there are for it to choose from; -1: not known. */
static int gpus_here(const struct smoke *s)
{
  int nodes = gpu_nodes(s, 0);
  return s->nvml.count ? s->nvml.count : nodes ? nodes : -1;
}

/* The one GPU, or MIG device of it, whose UUID begins so; -1: none, or several; -2: not known. */
static int gpu_named(struct smoke *s, const char *start)
{
  int gpu = -1, unknown = !s->nvml.count;
  for (int i = 0; i < s->nvml.count; i++) {
    const char *uuid = said(&s->nvml, "uuid %d", i);
    unknown |= !*uuid || strstr(uuid, "(redacted)");
    if (starts(uuid, start)) gpu = gpu == -1 ? i : -3;
  }
  return gpu >= 0 ? gpu : gpu == -1 && unknown ? -2 : -1;
}

static int mig_named(struct smoke *s, const char *start)
{
  int mig = -1, unknown = !s->nvml.count;
  if (starts(start, "MIG-GPU-")) /* the older form: MIG-GPU-UUID/GI/CI */
    return gpu_named(s, text_of(&s->host, "%.*s", (int)strcspn(start + 4, "/"), start + 4));
  for (int i = 0; i < s->nvml.count; i++) {
    long long n = number(&s->nvml, i, "migs");
    unknown |= n < 0 && number(&s->nvml, i, "mig") != 0;
    for (int k = 0; k < n; k++) {
      const char *uuid = said(&s->nvml, "mig %d %d", i, k);
      unknown |= strstr(uuid, "(redacted)") != NULL;
      if (starts(uuid, start)) mig = mig == -1 ? MAX_GPUS * i + k : -3;
    }
  }
  return mig >= 0 ? mig : mig == -1 && unknown ? -2 : -1;
}

/* Which device an entry means; -1: none; -2: not known. */
static int device_named(struct smoke *s, const char *entry, char kind)
{
  const char *id = entry + 4, *at = entry + strspn(entry, " \t");
  int mig = kind == 'M';
  if (kind) {
    if (starts(entry, mig ? "MIG-GPU-" : "GPU-")) id = entry + (mig ? 8 : 4);
    if (!starts(entry, mig ? "MIG-" : "GPU-") || !*id) return -1;
    if (strstr(id, "(redacted)")) return -2;
    if (id[strspn(id, mig ? "0123456789abcdefABCDEF-/" : "0123456789abcdefABCDEF-")]) return -1;
    return mig ? mig_named(s, entry) : gpu_named(s, entry);
  }
  char *end;
  long n = strtol(at, &end, 10); /* what stands behind the digits does not count */
  return end == at || n < 0 || n >= MAX_PCI || (gpus_here(s) >= 0 && n >= gpus_here(s)) ? -1
                                                                                        : (int)n;
}

/* The list ends before the first entry that is no device; one that comes twice empties it. Gives
 * how many devices are left, -1 where it is not set, and in *why what is wrong, or NULL. */
static int visible(struct smoke *s, const char **why)
{
  const char *value = host_env(&s->host, "CUDA_VISIBLE_DEVICES"), *rest = value, *entry;
  int seen[MAX_PCI], n = 0;
  char kind = !value ? 0 : starts(value, "GPU-") ? 'G' : starts(value, "MIG-") ? 'M' : 0;
  *why = value && !*value ? "it is empty: no device" : NULL;
  while (n < MAX_PCI && (entry = list_next(&s->host, &rest, ","))) {
    int device = device_named(s, entry, kind);
    if (device == -1) {
      *why = gpus_here(s) < 0
        ? text_of(&s->host, "'%s' is no device", entry)
        : text_of(&s->host, "'%s' is no device: there are %d", entry, gpus_here(s));
      return n;
    }
    for (int i = 0; i < n; i++)
      if (device >= 0 && seen[i] == device) {
        *why = text_of(&s->host, "'%s' comes twice: then CUDA takes none", entry);
        return 0;
      }
    seen[n++] = device;
  }
  return value ? n : -1;
}

HOLDS(env_hides)
{
  const char *why, *kept = value_of(&s->host, s->host.manifest, "hides", '=');
  if (s->cuda.code != 100 || (visible(s, &why) && !kept)) return 0;
  shows_env(s, "CUDA_VISIBLE_DEVICES");
  s->facts.hides = kept ? kept : why;
  return shows(s, "%s", s->facts.hides) && shows(s, "%s", s->cuda.error);
}

/* Does CUDA count this GPU of NVML's? -1: not known. */
static int cuda_counts(struct smoke *s, int gpu)
{
  const char *uuid = said(&s->nvml, "uuid %d", gpu);
  int unknown = !starts(uuid, "GPU-") || strstr(uuid, "(redacted)");
  for (int i = 0; i < s->cuda.count && !unknown; i++) {
    const char *other = said(&s->cuda, "uuid %d", i);
    if (same(uuid + 4, other)) return 1;
    unknown = !*other;
  }
  return unknown ? -1 : 0;
}

/* Why CUDA does not count it, as far as NVML tells. */
static const char *unseen_why(struct smoke *s, int gpu)
{
  const char *refused = said(&s->nvml, "refused %d", gpu);
  long long mode = number(&s->nvml, gpu, "compute_mode");
  return *refused                       ? refused
    : number(&s->nvml, gpu, "mig") == 1 ? "MIG is on there"
    : mode == 2                         ? "its compute mode is prohibited"
    : mode == 1 || mode == 3            ? "its compute mode is exclusive"
                                        : "lost or in error: see Xid in the kernel log";
}

/* The GPUs that NVML has, CUDA does not count, and nobody hid; NULL: none. */
static const char *unseen(struct smoke *s)
{
  const char *why, *text, *kept = value_of(&s->host, s->host.manifest, "unseen", '=');
  int n = 0, asked = visible(s, &why);
  if (kept) return kept;
  if (!s->cuda.done || !s->cuda.count || !s->nvml.done || s->nvml.count <= s->cuda.count ||
    (asked >= 0 && !why && asked <= s->cuda.count))
    return NULL;
  text = text_of(&s->host, "NVML has %d, CUDA %d", s->nvml.count, s->cuda.count);
  if (why) return text_of(&s->host, "%s: CUDA_VISIBLE_DEVICES ends early, %s", text, why);
  for (int i = 0; i < s->nvml.count && n < 3; i++) {
    const char *uuid = said(&s->nvml, "uuid %d", i);
    int counts = cuda_counts(s, i);
    if (counts == 0 || (counts < 0 && number(&s->nvml, i, "error") > 0))
      text = text_of(&s->host, "%s%s NVML's number %d%s%s, %s", text, n++ ? ";" : ": not", i,
        *uuid ? ", " : "", uuid, unseen_why(s, i));
  }
  return text;
}

static int gpus_unseen(struct smoke *s)
{
  return (s->facts.unseen = unseen(s)) && shows(s, "%s", s->facts.unseen);
}

HOLDS(fewer_gpus)
{
  if (!s->cuda.done || s->cuda.count >= atoi(promised(s, "gpus"))) return 0;
  shows(s, "%s promised, CUDA sees %d", promised(s, "gpus"), s->cuda.count);
  return gpus_unseen(s) || 1;
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

/* A driver newer than the compat library needs none: the older one stands in its way. */
HOLDS(compat_older)
{
  const char *module = s->facts.version;
  return is_compat(s->chosen) && *s->chosen->version && *module &&
    version_compare(s->chosen->version, module) < 0 && shows_versions(s) &&
    (matching_copy(s) ? shows_library(s, matching_copy(s)) : 1);
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

/* A process that computes on a GPU, as NVML names it; "" behind the last. */
static const char *process_text(struct smoke *s, int gpu, int n)
{
  long long mib = 0;
  int pid = 0;
  const char *name = NULL;
  if (sscanf(said(&s->nvml, "process %d %d", gpu, n), "%d %lld", &pid, &mib) != 2) return "";
  if (!s->opt.redact && !s->facts.container) /* there the numbers are others */
    name = host_read(&s->host, "/proc/%d/comm", pid);
  return text_of(&s->host, "process %d%s%.*s%s: %lld MiB of GPU %d", pid, name ? " (" : "",
    name ? (int)strcspn(name, "\n") : 0, name ? name : "", name ? ")" : "", mib, gpu);
}

/* Asked for early, so that a capture has their names. */
static void name_processes(struct smoke *s)
{
  for (int i = 0; i < s->nvml.count; i++)
    for (int n = 0; *process_text(s, i, n);) n++;
}

/* The number that NVML has for a GPU of CUDA's. */
static int nvml_number(struct smoke *s, int gpu)
{
  const char *uuid = said(&s->cuda, "uuid %d", gpu);
  for (int i = 0; i < s->nvml.count && *uuid; i++) {
    const char *other = said(&s->nvml, "uuid %d", i);
    if (starts(other, "GPU-") && same(other + 4, uuid)) return i;
  }
  return gpu;
}

/* Who computes on the GPU that ran short of memory; 1: they hold the half of it. */
static int shows_processes(struct smoke *s)
{
  int gpu = atoi(s->cuda.stage + strcspn(s->cuda.stage, " ")), at = nvml_number(s, gpu);
  long long held = 0, mib;
  for (int n = 0; sscanf(said(&s->nvml, "process %d %d", at, n), "%*d %lld", &mib) == 1; n++) {
    if (n < 3) shows(s, "%s", process_text(s, at, n));
    held += mib > 0 ? mib : 0;
  }
  return held > 0 && held >= number(&s->cuda, gpu, "memory") >> 21;
}

/* What redirects what GPUs send to each other. */
static void shows_iommu(struct smoke *s)
{
  const char **units = host_list(&s->host, "/sys/class/iommu"), *line;
  if (*units) shows(s, "the IOMMU is on (/sys/class/iommu/%s)", *units);
  line = host_read(&s->host, "/proc/cmdline");
  if (line && strstr(line, "iommu")) shows(s, "kernel's command line: %s", strstr(line, "iommu"));
}

/* What the child came to: a death, an error code, a wrong result. */
HOLDS(probe_failed)
{
  const struct probe *p = &s->cuda;
  const char *cause = MEANS(cuda_codes, p->code);
  const char *texts[] = {p->code ? p->error : "", p->wrong, p->jitlog, p->loaded};
  if (!p->ran || (p->done && p->count)) return 0;
  blame(s,
    p->timed_out    ? "vendor-hang"
      : p->signal   ? "vendor-crash"
      : p->wrong[0] ? "wrong-result"
      : cause       ? cause
      : p->code     ? "cuda-error"
      : p->done     ? "no-device"
                    : "vendor-crash");
  if (strstr(p->jitlog, ".target")) blame(s, "ptx-target-too-new");
  if (starts(p->stage, "peer-direct") && (p->timed_out || p->wrong[0])) blame(s, "peer-corrupt");
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
  if (p->code == 2 && shows_processes(s)) blame(s, "memory-of-others");
  if (same(s->finding.cause->name, "peer-corrupt")) shows_iommu(s);
  if (p->code == 223) shows_env(s, "CUDA_DISABLE_PTX_JIT");
  if (p->code == 2 && env_set(s, "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"))
    shows_env(s, "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT");
  if (*printed(p)) shows(s, "it printed: %s", printed(p));
  return 1;
}

HOLDS(start_failed) { return stage_layer(&s->cuda) <= INIT && probe_failed(s); }

HOLDS(slow_init)
{
  double ms = strtod(said(&s->cuda, "init_ms"), NULL);
  return ms >= 5000 && shows(s, "cuInit took %.1f s", ms / 1000);
}

HOLDS(jit_off)
{
  return s->cuda.code != 223 && env_true(env_set(s, "CUDA_DISABLE_PTX_JIT")) &&
    shows_env(s, "CUDA_DISABLE_PTX_JIT");
}

/* CUDA says nothing of a value that it does not know, and does as if it were not set. */
static int env_ignored(struct smoke *s, const char *name, const char *known)
{
  const char *value = env_set(s, name);
  return value && !list_has(known, " ", value) &&
    shows(s, "%s=%s; CUDA knows: %s", name, value, known);
}

HOLDS(value_ignored)
{
  return env_ignored(s, "CUDA_DEVICE_ORDER", "FASTEST_FIRST PCI_BUS_ID") |
    env_ignored(s, "CUDA_MODULE_LOADING", "LAZY EAGER");
}

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
  const char *const *name = toolkit_names, *front = "LD_LIBRARY_PATH";
  return toolkit_pair(s, name[0], front) | toolkit_pair(s, name[1], front) |
    toolkit_pair(s, name[2], front);
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
           have = measured(&s->cuda, "bandwidth", i);
    if (have > 0 && have < peak / 2)
      return shows(s, "GPU %d: %.0f GB/s, its memory's peak is %.0f", i, have, peak) &&
        shows_env(s, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
  }
  return 0;
}

static int health_says(struct smoke *s, size_t from, size_t to)
{
  static const struct {
    const char *word, *cause;
    long long bits;
  } table[] = {{"remap_failed", "remap-failed", -1}, {"rows_pending", "rows-pending", -1},
    {"pages_pending", "rows-pending", -1}, {"ecc_errors", "ecc-error", -1},
    {"throttle", "throttled", 0xe8}};
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

/* A note, or of a program that uses the GPU wrongly; every other speaks of the GPU, its driver or
 * its links. */
static int is_harmless(int xid)
{
  for (size_t i = 0; i < LENGTH(xid_notes); i++)
    if (xid == xid_notes[i]) return 1;
  return xid == 13 || xid == 31 || xid == 43 || xid == 45 || xid == 68 || xid == 69;
}

static const char *xid_text(struct smoke *s, const struct xid *x)
{
  const char *text = MEANS(xid_codes, x->number);
  long long unit = x->age < 7200 ? 60 : x->age < 172800 ? 3600 : 86400;
  const char *units = unit == 60 ? "minutes"
    : unit == 3600               ? "hours"
                                 : "days",
             *ago = x->age < 0 ? "" : text_of(&s->host, ", %lld %s ago", x->age / unit, units);
  return text_of(&s->host, "kernel log%s: Xid %d of %s%s%s", ago, x->number, x->address,
    text ? ", " : "", text ? text : "");
}

/* Is the GPU at this address one that NVML has here, as far as it tells? Others of the machine are
 * in its log, too. */
static int is_ours(struct smoke *s, const char *address)
{
  unsigned want[3], at[3];
  int told = 0;
  if (sscanf(address, "%x:%x:%x", &want[0], &want[1], &want[2]) != 3) return 1;
  for (int i = 0; i < s->nvml.count; i++) {
    if (sscanf(said(&s->nvml, "pci %d", i), "%x:%x:%x", &at[0], &at[1], &at[2]) != 3) continue;
    if (memcmp(at, want, sizeof at) == 0) return 1;
    told = 1;
  }
  return !told;
}

/* The newest of the last day, where the GPU works now. */
HOLDS(recent_xid)
{
  for (size_t i = s->facts.xids; i-- > 0;) {
    const struct xid *x = &s->facts.xid[i];
    if (x->age < 86400 && !is_harmless(x->number) && is_ours(s, x->address))
      return shows(s, "%s", xid_text(s, x));
  }
  return 0;
}

/* Links that others of the machine have up, or that lead to a switch: a bridge joins only some. */
HOLDS(link_errors)
{
  long long best = s->facts.nvswitches ? INT_MAX : 0;
  for (int i = 0; i < s->nvml.count; i++)
    if (number(&s->nvml, i, "nvlinks_up") > best) best = number(&s->nvml, i, "nvlinks_up");
  for (int i = 0; i < s->nvml.count; i++) {
    long long down = number(&s->nvml, i, "nvlinks_down"), up = number(&s->nvml, i, "nvlinks_up"),
              errors = number(&s->nvml, i, "nvlink_errors");
    if ((down > 0 && up < best && number(&s->nvml, i, "mig") != 1) || errors > 0)
      return shows(
        s, "NVML: GPU %d: %lld NVLinks are up, %lld down, %lld errors", i, up, down, errors);
  }
  return 0;
}

/* A few are sent again on every link; thousands are a bad one. */
HOLDS(many_replays)
{
  for (int i = 0; i < s->nvml.count; i++)
    if (number(&s->nvml, i, "pcie_replays") >= 1000)
      return shows(
        s, "NVML: GPU %d sent %lld PCIe packets again", i, number(&s->nvml, i, "pcie_replays"));
  return 0;
}

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

/* An idle link saves power at a lower generation: what it can do counts, with the lanes it has.
 * rate: in GB/s, one way; of a lane PCI-SIG's rates less what coding takes. */
static const char *link_text(struct smoke *s, int gpu, double *rate)
{
  static const double rates[] = {0, 0.25, 0.5, 0.985, 1.969, 3.938, 7.563};
  long long lanes = number(&s->nvml, gpu, "pcie_width"),
            generation = number(&s->nvml, gpu, "pcie_gen_max");
  int known = lanes > 0 && generation > 0 && generation < (long long)LENGTH(rates);
  *rate = known ? (double)lanes * rates[generation] : 0;
  return known ? text_of(&s->host, "PCIe %lld x%lld", generation, lanes) : NULL;
}

/* Less than half of what the link carries. */
HOLDS(slow_link)
{
  static const char *const ways[] = {"to_gpu", "from_gpu"};
  for (int i = 0; i < s->cuda.count; i++)
    for (size_t k = 0; k < LENGTH(ways); k++) {
      double rate, have = measured(&s->cuda, ways[k], i);
      const char *link = link_text(s, i, &rate);
      if (link && have > 0 && have < rate / 2)
        return shows(s, "GPU %d: %.1f GB/s %s the host; %s carries %.1f", i, have,
          k ? "to" : "from", link, rate);
    }
  return 0;
}

/* What NVML says of a GPU is so; without it, what belongs to MIG devices tells. */
static int mig_in_force(struct smoke *s)
{
  int known = 0;
  for (int i = 0; i < s->nvml.count; i++) {
    if (number(&s->nvml, i, "mig") == 1) return 1;
    known |= number(&s->nvml, i, "mig") == 0;
  }
  return !known && (s->facts.mig_nodes || s->facts.mig_made || asks_mig(s));
}

static const char *sharing_in_force(struct smoke *s)
{
  if (mig_in_force(s)) return "mig";
  return number(&s->cuda, 0, "mps") > 0   ? "mps"
    : number(&s->nvml, 0, "virtual") == 2 ? "vgpu"
                                          : "none";
}

/* GB/s of the model by the matrix: of the longest name that is in this one. */
static double model_bandwidth(const char *name)
{
  size_t best = 0, n;
  double found = 0;
  for (size_t i = 0; i < LENGTH(bandwidths); i++) {
    const char *at = strstr(name, bandwidths[i].gpu);
    n = strlen(bandwidths[i].gpu);
    if (!at || n <= best || (at > name && is_word(at[-1])) || is_word(at[n])) continue;
    best = n;
    found = bandwidths[i].gb_s;
  }
  return found;
}

HOLDS(slower_than_promised)
{
  double want = strtod(promised(s, "bandwidth"), NULL);
  for (int i = 0; i < s->cuda.count; i++) {
    double have = measured(&s->cuda, "bandwidth", i);
    if (have > 0 && have < want)
      return shows(s, "GPU %d: %.0f GB/s, promised: %.0f", i, have, want);
  }
  return 0;
}

/* Under 60 % of what the matrix says of the model; a slice has a part of the memory's channels. */
HOLDS(slow_for_model)
{
  for (int i = 0; i < s->cuda.count && same(sharing_in_force(s), "none"); i++) {
    double expected = model_bandwidth(said(&s->cuda, "name %d", i)),
           have = measured(&s->cuda, "bandwidth", i);
    if (have > 0 && have < 0.6 * expected)
      return shows(s, "GPU %d: %.0f GB/s, its model has %.0f", i, have, expected);
  }
  return 0;
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
  static const char *const names[] = {"CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT",
    "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"};
  int asked = 0;
  if (!s->cuda.done || number(&s->cuda, 0, "mps") != 0) return 0;
  for (size_t i = 0; i < LENGTH(names); i++)
    if (i ? env_set(s, names[i]) : host_env(&s->host, names[i])) asked = shows_env(s, names[i]);
  return asked && shows(s, "%s", mps_trouble(s));
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
  {"more-gpus", WARNS, more_gpus},
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
  {"image-gate", BREAKS, gate_closed},
  {"image-gate", WARNS, gate_passed},
  {"gpus-unasked", WARNS, unasked},
  {"libcuda-load", BREAKS, libcuda_broken},
  {"loader-preload", WARNS, preload_missing},
  {"preload-driver", BREAKS, preload_driver},
  {"stub-library", BREAKS, stub},
  {"not-a-driver", BREAKS, no_driver},
  {"several-libcuda", WARNS, several},
  {"env-hides-gpus", BREAKS, env_hides},
  {"compat-older", BREAKS, compat_older},
  {"compat-wrong-driver", BREAKS, compat},
  {"shadowed-libcuda", BREAKS, shadowed},
  {"baked-in-libcuda", BREAKS, baked_in},
  {"gpus-unseen", WARNS, gpus_unseen},
  {"env-ignored", WARNS, value_ignored},
  {"slow-start", WARNS, slow_init},
  {"fabric-manager", BREAKS, fabric},
  {"mig-no-instances", BREAKS, mig_empty},
  {"cuda-error", BREAKS, start_failed},
  {"driver-too-old", FIRM, old_driver},
  {"two-runtimes", WARNS, two_runtimes},
  {"toolkit-shadowed", WARNS, toolkit_shadowed},
  {"cpu-only-wheel", FIRM, cpu_only},
  {"wheel-lacks-gpu", FIRM, lacks_gpu},
  {"cuda-error", FIRM, probe_failed},
  {"jit-disabled", WARNS, jit_off},
  {"bandwidth-low", WARNS, slow},
  {"bandwidth-low", FIRM, slower_than_promised},
  {"bandwidth-low", WARNS, slow_for_model},
  {"remap-failed", FIRM, remap_failed},
  {"rows-pending", WARNS, health},
  {"pcie-degraded", WARNS, narrow_link},
  {"pcie-errors", WARNS, many_replays},
  {"nvlink-down", WARNS, link_errors},
  {"xid-before", WARNS, recent_xid},
  {"pcie-slow", WARNS, slow_link},
  {"nvml-failed", WARNS, nvml_other},
  {"sharing-not-in-force", FIRM, other_sharing},
  {"sharing-not-in-force", WARNS, mps_unused},
  {"shm-small", WARNS, small_shm},
  {"vgpu-hook", WARNS, preload_hook},
};

/* What the kernel logged of the GPU, where hardware or driver are broken. */
static void add_xid_evidence(struct smoke *s)
{
  enum layer layer = s->finding.layer;
  for (size_t i = s->facts.xids, n = 0; i-- > 0 && n < 2;)
    if (layer <= KMOD || layer == INIT || layer == EXEC || layer == HEALTH)
      n += (size_t)shows(s, "%s", xid_text(s, &s->facts.xid[i]));
}

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
      add_xid_evidence(s);
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

/* The newest PTX that a driver of this CUDA takes; both as 10 * major + minor. From the PTX manual,
 * "Release notes": a version for each CUDA, but that 12.5 and 12.6 share one. */
static int ptx_version(int cuda)
{
  return cuda < 100 ? cuda - 30 : cuda < 110 ? cuda - 37 : cuda - 40 - (cuda >= 126 && cuda < 130);
}

/* The speeds that were measured; at level quick there are none. */
static const char *speeds(struct smoke *s)
{
  static const struct {
    const char *key, *name;
  } table[] = {{"gflops", "fp32"}, {"gflops_fp64", "fp64"}, {"gflops_fp16", "tensor cores"}};
  const char *text = "";
  for (size_t i = 0; i < LENGTH(table); i++) {
    const char *have = said(&s->cuda, "%s 0", table[i].key);
    if (*have)
      text = text_of(&s->host, "%s, %s %.1f", text, table[i].name, strtod(have, NULL) / 1e3);
  }
  return text;
}

/* Of the first GPU: heat, power, who else computes there. */
static const char *board_text(struct smoke *s)
{
  long long heat = number(&s->nvml, 0, "temperature"), watts = number(&s->nvml, 0, "power_mw"),
            others = number(&s->nvml, 0, "processes"), kept = number(&s->nvml, 0, "persistence");
  const char *text = heat > 0 ? text_of(&s->host, "; %lld C", heat) : "";
  if (watts > 0) text = text_of(&s->host, "%s, %lld W", text, watts / 1000);
  if (kept >= 0) text = text_of(&s->host, "%s, persistence %s", text, kept ? "on" : "off");
  return others > 0 ? text_of(&s->host, "%s, %lld processes", text, others) : text;
}

static const char *detail_of(struct smoke *s, int layer)
{
  struct host *h = &s->host;
  const struct facts *a = &s->facts;
  const struct probe *p = &s->cuda;
  int major = p->driver_cuda / 1000, minor = p->driver_cuda % 1000 / 10, direct = 0, ptx;
  const char *link;
  double rate;
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
  case INIT:
    ptx = ptx_version(10 * major + minor);
    return text_of(h, "%d GPU, driver for CUDA %d.%d: runs any %d.x, PTX to %d.%d%s", p->count,
      major, minor, major, ptx / 10, ptx % 10, is_compat(s->chosen) ? ", forward compatible" : "");
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
    return text_of(h, "%s: add, %lld MiB, products right", said(p, "name 0"),
      number(p, 0, "memory_checked") >> 20);
  case BANDWIDTH:
    for (int i = 1; i < p->count; i++) direct += number(p, i, "direct") == 1;
    link = link_text(s, 0, &rate);
    return text_of(h, "%s GB/s within, host %s to, %s from it%s%s%s%s", said(p, "bandwidth 0"),
      said(p, "to_gpu 0"), said(p, "from_gpu 0"), link ? " (" : "", link ? link : "",
      link ? ")" : "",
      p->count > 1 ? text_of(h, "; %d of %d others direct", direct, p->count - 1) : "");
  case HEALTH:
    return s->nvml.done ? text_of(h, "no complaint; %s%s",
                            a->xids         ? "Xids in the kernel log"
                              : a->log_seen ? "no Xid in the kernel log"
                                            : "kernel log not visible from here",
                            board_text(s))
                        : NULL;
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
      "'to_gpu_gb_s': %f, 'from_gpu_gb_s': %f, 'gflops': %f, 'gflops_fp64': %f, "
      "'gflops_fp16': %f, 'memory_bytes': %l, 'checksum': %s, 'proven': %b}",
      said(p, "name %d", i), *uuid ? text_of(&s->host, "%s-%s", mig, uuid) : NULL, capability(s, i),
      measured(p, "bandwidth", i), measured(p, "to_gpu", i), measured(p, "from_gpu", i),
      measured(p, "gflops", i), measured(p, "gflops_fp64", i), measured(p, "gflops_fp16", i),
      number(p, i, "memory"), some(said(p, "checksum %d", i)), number(p, i, "proven") == 1);
  }
}

/* What NVML says of each GPU, in its own order; null: it did not. */
static void json_health(struct smoke *s, struct sink *k)
{
  static const struct {
    const char *word, *key;
    int unit;
  } table[] = {{"persistence", "persistence_mode", 1}, {"compute_mode", "compute_mode", 1},
    {"temperature", "temperature_c", 1}, {"power_mw", "power_w", 1000},
    {"power_limit_mw", "power_limit_w", 1000}, {"sm_mhz", "sm_clock_mhz", 1},
    {"pcie_gen", "pcie_generation", 1}, {"pcie_gen_max", "pcie_generation_max", 1},
    {"pcie_width", "pcie_lanes", 1}, {"pcie_width_max", "pcie_lanes_max", 1},
    {"pcie_replays", "pcie_replays", 1}, {"nvlinks_up", "nvlinks_up", 1},
    {"nvlinks_down", "nvlinks_down", 1}, {"nvlink_errors", "nvlink_errors", 1},
    {"ecc_errors", "ecc_uncorrected", 1}, {"ecc_corrected", "ecc_corrected", 1},
    {"ecc_aggregate", "ecc_uncorrected_ever", 1}, {"throttle", "throttle_reasons", 1}};
  for (int i = 0; i < s->nvml.count; i++) {
    fputs(i ? ",\n  {" : "\n  {", k->out);
    for (size_t n = 0; n < LENGTH(table); n++) {
      long long value = number(&s->nvml, i, table[n].word);
      fprintf(k->out, value < 0 ? "\"%s\": null, " : "\"%s\": %lld, ", table[n].key,
        value / table[n].unit);
    }
    fputs("\"processes\": [", k->out);
    for (int n = 0; *process_text(s, i, n); n++) put(k, n ? ", %s" : "%s", process_text(s, i, n));
    fputs("]}", k->out);
  }
}

static void json_kernel_log(struct smoke *s, struct sink *k)
{
  const struct facts *a = &s->facts;
  put(k, "],\n 'kernel_log': {'visible': %b, 'xids': [", a->log_seen);
  for (size_t i = 0; i < a->xids; i++) {
    const struct xid *x = &a->xid[i];
    put(k, i ? ", {'xid': %d, 'pci': %s" : "{'xid': %d, 'pci': %s", x->number, x->address);
    put(k, x->age < 0 ? ", 'seconds_ago': null" : ", 'seconds_ago': %l", x->age);
    put(k, ", 'text': %s}", s->opt.redact ? "" : x->text);
  }
  put(k, "]},\n 'libraries': [");
}

static void json_libraries(const struct facts *a, struct sink *k)
{
  for (size_t i = 0; i < a->libs; i++) {
    const struct library *lib = &a->lib[i];
    fputs(i ? ",\n  " : "\n  ", k->out);
    put(k,
      "{'name': %s, 'path': %s, 'version': %s, 'chosen': %b, 'real_path': %s, "
      "'found_by': %s, 'defect': %s, 'mounted': %b}",
      lib->name, lib->path, some(lib->version), lib->chosen, lib->real, lib->origin, lib->defect,
      lib->mounted);
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
  put(k, "],\n 'health': [");
  json_health(s, k);
  json_kernel_log(s, k);
  json_libraries(&s->facts, k);
  put(k,
    s->opt.share ? "],\n 'share': {'processes': %d, 'evenness': %f, 'gflops': ["
                 : "],\n 'share': null",
    s->opt.share, evenness(s));
  for (int i = 0; i < s->opt.share; i++) put(k, i ? ", %f" : "%f", s->share[i]);
  put(k, s->opt.share ? "]},\n 'warnings': [" : ",\n 'warnings': [");
  put_list(k, s->warning, s->warnings);
  put(k, "],\n 'init_seconds': %f}\n", strtod(said(&s->cuda, "init_ms"), NULL) / 1000);
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

/* How little was proven, how fast it was, who else is there. */
static void put_notes(struct smoke *s, struct sink *k)
{
  long long of = number(&s->cuda, 0, "memory") >> 20,
            tested = number(&s->cuda, 0, "memory_checked") >> 20;
  const char *fast = speeds(s), *who = NULL;
  if (!s->cuda.done || of <= 0) return;
  if (tested < of / 2)
    put(k, "note  %s\n",
      text_of(&s->host, "%lld of %lld MiB tested (--level medium: a quarter); cuInit took %.1f s",
        tested, of, strtod(said(&s->cuda, "init_ms"), NULL) / 1000));
  if (*fast) put(k, "note  TFLOPS: %s\n", fast + 2);
  for (int n = 0; n < 3 && *(who = process_text(s, 0, n)); n++) put(k, "note  %s\n", who);
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
    put_notes(s, k);
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

/* ---- command line */

static const struct option {
  const char *name, *value, *help;
  size_t offset; /* an int, where there is no value or it is a number; a text */
  long most; /* of a number; 0: it is none */
} option_table[] = {
#define FIELD(name) offsetof(struct options, name)
  {"--json", NULL, "one JSON document on stdout", FIELD(json), 0},
  {"--junit", "FILE", "write a JUnit report too", FIELD(junit), 0},
  {"--require-gpu", NULL, "no GPU is an error (10), not 'skipped' (77)", FIELD(require_gpu), 0},
  {"--level", "quick|medium|long", "how much is run (quick)", FIELD(level), 0},
  {"--timeout", "SECONDS", "give up on vendor code then (20, 120, 1800)", FIELD(timeout), 86400},
  {"--expect", "FILE", "what was promised, KEY: VALUE: driver cuda gpu gpus ...", FIELD(expect), 0},
  {"--share", "N", "then N processes at once on the first GPU", FIELD(share), MAX_SHARE},
#ifdef GPU_SMOKE_EXPLAIN
  {"--explain", "TEXT|-|@FILE", "explain an error, a log, offline", FIELD(explain), 0},
#endif
  {"--redact", NULL, "hide UUIDs and the host's name", FIELD(redact), 0},
  {"--root", "DIR", "read a captured or made-up machine, run nothing", FIELD(root), 0},
  {"--load", NULL, "with --root: load its libraries all the same", FIELD(load), 0},
  {"--version", NULL, "print the version", FIELD(version), 0},
  {"--help", NULL, "print this", FIELD(help), 0},
#undef FIELD
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

/* What is wrong, into error; always -1. */
#define WRONG(error, ...) (format(error, MAX_LINE, __VA_ARGS__), -1)

static int option_set(struct options *o, int argc, char **argv, int *i, char error[MAX_LINE])
{
  const char *arg = argv[*i], *value = strchr(arg, '=');
  size_t n = value ? (size_t)(value - arg) : strlen(arg), k = 0;
  char *end;
  while (k < LENGTH(option_table) &&
    (strlen(option_table[k].name) != n || strncmp(arg, option_table[k].name, n) != 0))
    k++;
  if (k == LENGTH(option_table)) return WRONG(error, "unknown option '%s'", arg);
  const struct option *opt = &option_table[k];
  void *field = (char *)o + opt->offset;
  if (!opt->value) {
    *(int *)field = 1;
    return value ? WRONG(error, "'%s' takes no value", opt->name) : 0;
  }
  if (!value && ++*i >= argc) return WRONG(error, "'%s' needs a value: %s", opt->name, opt->value);
  value = value ? value + 1 : argv[*i];
  if (!opt->most) {
    *(const char **)field = value;
    return 0;
  }
  long number = strtol(value, &end, 10);
  *(int *)field = (int)number;
  if (end == value || *end || number < 1 || number > opt->most)
    return WRONG(error, "'%s' for %s is no number from 1 to %ld", value, opt->name, opt->most);
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
  if (level == LENGTH(levels)) return WRONG(error, "unknown level '%s'", o->level);
  s->level = level;
  o->timeout = o->timeout ? o->timeout : levels[level].timeout;
  return 0;
}

/* KEY: VALUE lines; '#' starts a comment. */
static int expect_read(struct smoke *s, char error[MAX_LINE])
{
  char *rest = host_read(&s->host, "%s", s->opt.expect), *line;
  s->expect = "";
  if (!rest) return WRONG(error, "cannot read '%s'", s->opt.expect);
  for (int n = 1; (line = next_line(&rest)); n++) {
    line[strcspn(line, "#")] = '\0';
    char *key = line + strspn(line, " \t"), *value = key + strcspn(key, ":");
    if (!*key) continue;
    value += *value ? strspn(value + 1, " \t\"'") + 1 : 0;
    key[strcspn(key, ":")] = value[strcspn(value, "\"'")] = '\0';
    value = next_line(&value); /* without blanks at its end */
    if (!list_has("driver cuda gpu archs gpus bandwidth sharing", " ", key))
      return WRONG(error, "%s:%d: unknown key '%s'", s->opt.expect, n, key);
    s->expect = text_of(&s->host, "%s%s=%s\n", s->expect, key, value ? value : "");
  }
  return 0;
}

/* ---- the whole run */

static void run_share(struct smoke *s, struct child c)
{
  struct probe *probes = calloc(MAX_SHARE, sizeof *probes);
  c.share = 1;
  if (probes && proven(s) && right_make(SHARED_SIZE) == 0)
    probe_run(probes, c, child_cuda, s->opt.share, s->opt.timeout);
  for (int i = 0; probes && i < s->opt.share; i++) {
    probes[i].h = &s->host;
    s->share[i] = measured(&probes[i], "gflops", 0);
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
      (!s->cuda.timed_out &&
        probe_run(&s->nvml, nvml, child_nvml, 1, s->opt.timeout < 10 ? s->opt.timeout : 10))))
    return -1;
  if (!run) {
    probe_replay(&s->cuda, "/.gpu-smoke/cuda");
    probe_replay(&s->nvml, "/.gpu-smoke/nvml");
  }
  probe_read(&s->cuda);
  probe_read(&s->nvml);
  read_kernel_log(&s->facts); /* what the children did is in it */
  name_processes(s);
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
      s->opt.explain ? "tmplgen/explain@2" : "tmplgen/smoke@1", code, word, message, hint);
  e.out = err;
  e.quoting = PLAIN;
  put(&e, "gpu-smoke: %s\n  %s\n", message, hint);
  return code;
}

static int smoke_report(struct smoke *s, struct sink *k, FILE *err, char error[MAX_LINE])
{
  struct sink junit = *k;
  struct stat st;
  if (s->opt.expect && expect_read(s, error))
    return fail(s, k, err, EXIT_USAGE, "expect", error, "see --expect in gpu-smoke --help");
  s->host.root = s->opt.root;
  int there = s->opt.root && stat(s->opt.root, &st) == 0;
  if (there && S_ISREG(st.st_mode))
    return fail(s, k, err, EXIT_USAGE, "usage", "the root is a file",
      "unpack it: 'mkdir machine && tar -xf FILE -C machine', --root machine; "
      "'tmplgen doctor --root FILE' reads it as it is");
  if (s->opt.root && (!there || !S_ISDIR(st.st_mode)))
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

/* What tmplgen's own gpu-smoke has more. */
#ifdef GPU_SMOKE_EXPLAIN
static int smoke_explain(struct smoke *s, struct sink *k, FILE *err);
#endif

static int smoke_main(struct smoke *s, int argc, char **argv, FILE *out, FILE *err)
{
  char error[MAX_LINE] = "";
  int rc = options_parse(s, argc, argv, error);
  struct sink k = {.out = out, .quoting = s->opt.json ? JSON : PLAIN, .redact = s->opt.redact};
  if (gethostname(k.name, sizeof k.name - 1)) k.name[0] = '\0';
  const char *hint = strstr(error, "unknown option '--explain")
    ? "'tmplgen doctor --explain' explains texts and numbers"
    : "see gpu-smoke --help";
  if (rc)
    rc = fail(s, &k, err, EXIT_USAGE, "usage", error, hint);
  else if (s->opt.help)
    write_help(out);
  else if (s->opt.version)
    fputs("gpu-smoke 0.1.0\n", out);
#ifdef GPU_SMOKE_EXPLAIN
  else if (s->opt.explain)
    rc = smoke_explain(s, &k, err);
#endif
  else
    rc = smoke_report(s, &k, err, error);
  if (fflush(out) || ferror(out)) {
    fputs("gpu-smoke: cannot write the report\n", err);
    rc = EXIT_FAILED;
  }
  return rc;
}

#ifndef GPU_SMOKE_NO_MAIN
int main(int argc, char **argv)
{
  static struct smoke s;
  int rc = smoke_main(&s, argc, argv, stdout, stderr);
  pool_release(&s.host.pool);
  return rc;
}
#endif
