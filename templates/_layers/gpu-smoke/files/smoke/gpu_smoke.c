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
  MAX_XIDS = 16,
  MAX_RECORDS = 1 << 17, /* of the kernel's log */
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

/* ---- causes, and how others tell of them
 *
 * A line of `texts` is a rank and a text. The rank: '!' names the root of a failure, '.' the
 * failure, '?' what only follows from one. The text: small letters, ' for any quote, one blank for
 * many; '*' anything, '#' a number; ' & ' parts two texts of one line. A text that begins with a
 * letter or digit begins a word.
 */
struct cause {
  enum layer layer;
  const char *name, *what, *why, *fix, *texts;
};

/* Of a driver, a library, the kernel log. NULL: it has no such name. */
struct code {
  int code;
  const char *name, *runtime_name, *text;
  const char *causes; /* separated by blanks, the likeliest first */
};

/* ---- tables: tools/smoke-tables made these of its sources */
/* clang-format off */

static const struct cause cause_table[] = {
  {HW, "no-gpu", "no NVIDIA GPU on this machine", "neither PCI bus, kernel nor /dev shows one",
    "use a machine (a node type) with a GPU", ".no nvidia gpu detected\n"
    ".no nvidia devices found on the system\n" ".you do not appear to have an nvidia gpu\n"
    ".no nvidia adapter\n" ".no nvidia gpu on this machine\n"},
  {HW, "could-not-look", "nothing was readable: whether there is a GPU is not known",
    "/sys and /proc are empty or not mounted here (a chroot, a sandbox)",
    "mount both, or run it on the machine itself", ".whether there is a gpu is not known\n"
    ".nothing was readable: whether there is a gpu is not known\n"},
  {HW, "gpu-off-bus", "a GPU has fallen off the PCI bus",
    "its registers read as all ones: power, seating or heat",
    "power-cycle the machine; replace the board", "!has fallen off the bus\n"
    "!fallen off the bus and is not responding\n" "!gpu lost from the bus\n"
    ".unable to determine the device handle for * unknown error\n"
    ".unable to determine the device handle for * no device found\n" "!unknown pci header type\n"
    "!unknown header type 7f\n" ".nvidia corporation & (rev ff)\n"
    ".device inaccessible & nvidia\n" ".a gpu has fallen off the pci bus\n"},
  {HW, "gpu-power-cable", "a GPU lacks external power", "NVML says so (8)",
    "connect the power cables, restart", ".insufficient external power\n"
    ".power cables & not & connected\n" ".pci-e power & not & connected\n"
    ".a gpu lacks external power\n"},
  {HW, "inforom-corrupted", "the GPU's infoROM is corrupted", "NVML says so (14)",
    "have the board reflashed or replaced", ".inforom is corrupted\n"
    ".the gpu's inforom is corrupted\n"},
  {HW, "gpu-reset-required", "a GPU must be reset", "it stopped after a fatal error",
    "drain the node, 'nvidia-smi --gpu-reset' or reboot", ".gpu recovery action changed\n"
    ".gpu requires reset\n" ".reset the gpu * to recover\n" ".gpu reset required\n"
    ".nv_err_reset_required\n" ".unexpected wpr2 already up\n"
    ".likely in a bad state and may need to be reset\n" ".a gpu must be reset\n"},
  {HW, "gpu-lost", "the driver lost a GPU", "it no longer answers",
    "drain the node, see Xid in the kernel log, reboot", ".gpu is lost\n"
    ".reboot the system to recover this gpu\n" ".the driver lost a gpu\n"},
  {HW, "gpu-asleep", "the GPU does not wake from power saving (D3cold)",
    "the slot or the firmware does not give its power back",
    "pcie_port_pm=off on the kernel's command line; a BIOS update; cold start",
    ".nvidia & unable to change power state from d3cold\n"
    ".vfio-pci & unable to change power state from\n"
    ".nvidia & can't change power state from d3cold\n"
    ".the gpu does not wake from power saving (d3cold)\n"},
  {HW, "bar-unassigned", "the GPU got no memory window on the PCI bus (BAR)",
    "the BIOS has no room for it, or large addresses are off",
    "'Above 4G Decoding' in the BIOS; pci=realloc on the kernel's command line",
    ".this pci i/o region assigned to your nvidia device is invalid\n" ".nvrm: bar# is 0m\n"
    ".bar & can't assign; no space & nvidia\n" ".bar # & can't assign; no space\n"
    ".the gpu got no memory window on the pci bus (bar)\n"},
  {HW, "nvswitch-fault", "an NVSwitch has a fault", "a link or the switch itself failed (SXid)",
    "reset the node's GPUs and switches, or reboot; replace the baseboard if it returns",
    ".nvswitch fatal error\n" ".nvidia-nvswitch & sxid & fatal\n" ".nvidia-nvswitch & sxid\n"
    ".number of nvswitches don't match\n" ".nvswitch * failed to initialize\n"
    ".an nvswitch has a fault\n"},
  {HW, "nvlink-down", "an NVLink of the GPU is down or has errors",
    "the link, its bridge, or the other end failed",
    "'nvidia-smi nvlink -s'; reseat the bridge; reset all GPUs; drain the node if it returns",
    ".nvlink: fatal error detected\n" ".failed to update rx detect link mask\n"
    ".netir_link_evt\n" ".rlw_\n" ".nvlink link # is currently down\n"
    ".an nvlink of the gpu is down or has errors\n"},
  {HW, "controller-halt", "a processor inside the GPU has stopped (Xid 62)",
    "overheating, power, or a dying board", "cold start; replace the board if it returns",
    ".a processor inside the gpu has stopped (xid 62)\n"},
  {HW, "fan-failed", "a fan or sensor of the GPU does not work",
    "nvidia-smi shows ERR! where it cannot read",
    "see Xid in the kernel log; reboot; replace the board", ".|err!\n" ".err! / #w\n"
    ".unable to read fan speed\n" ".a fan or sensor of the gpu does not work\n"},
  {HW, "fewer-gpus", "fewer GPUs than promised", "--expect names more than CUDA sees",
    "check the allocation and CUDA_VISIBLE_DEVICES", ".gres/gpu: count changed on node\n"
    ".fewer gpus than promised\n"},
  {HW, "more-gpus", "more GPUs than promised",
    "the container or job sees GPUs that were not allocated to it",
    "ask for the right number; NVIDIA_VISIBLE_DEVICES of the allocation, not 'all'",
    ".more gpus than promised\n"},
  {HW, "other-gpu", "another GPU than promised", "its compute capability was not asked for",
    "use the promised node type, or resolve again",
    ".could not find an unused configuration record with a gres type\n"
    ".another gpu than promised\n"},
  {HW, "pcie-fatal", "the GPU stopped answering on the PCI bus (fatal PCIe errors)",
    "slot, riser, cable, power, or the board",
    "reseat the board or cable; another slot; power-cycle; replace it if it returns",
    "!aer: multiple uncorrected (fatal)\n" "!aer: uncorrected (fatal)\n"
    "!severity=uncorrected (fatal)\n" "!cmpltto\n" "!surprise down\n"
    "!aer: uncorrectable (fatal)\n" "!aer: uncorrectable (non-fatal)\n"
    "!nvidia & aer: can't recover\n"
    ".the gpu stopped answering on the pci bus (fatal pcie errors)\n"},
  {HW, "fabric-resources", "the GPU did not join the NVLink fabric",
    "fabric manager or IMEX gave it no place there (no clique)",
    "restart nvidia-fabricmanager and nvidia-imex; reset the GPUs; see their logs",
    ".status : insufficient resources\n" ".fabric & insufficient resources\n"
    ".the gpu did not join the nvlink fabric\n"},
  {KMOD, "driver-not-loaded", "the NVIDIA kernel driver is not loaded",
    "the GPU is there, the module 'nvidia' is not",
    "install the driver, 'modprobe nvidia'; Secure Boot: enrol its key",
    ".nvidia-smi has failed because it couldn't communicate\n"
    ".couldn't communicate with the nvidia driver\n" ".nvml error: driver not loaded\n"
    ".failed to initialize nvml: driver not loaded\n"
    "./proc/driver/nvidia/version & no such file\n"
    ".could not open file to read * /proc/driver/nvidia/version\n"
    ".kernel module load error: no such device\n" ".could not load the kernel module 'nvidia\n"
    ".nvidia driver modules are not yet loaded\n" ".unable to load the kernel module 'nvidia\n"
    ".fatal: module nvidia not found\n" ".the nvidia kernel driver is not loaded\n"},
  {KMOD, "driver-not-built", "the driver is not built for the running kernel",
    "a kernel update without a DKMS rebuild",
    "install its headers, 'dkms autoinstall'; or boot the older one",
    ".module nvidia* not found in directory\n" ".nvidia: disagrees about version of symbol\n"
    ".could not insert 'nvidia*': exec format error\n" ".nvidia: unknown symbol\n"
    ".nvidia: version magic\n" ".the driver is not built for the running kernel\n"},
  {KMOD, "dkms-headers", "the kernel's headers are missing, so that the driver cannot be built",
    "linux-headers of the running kernel are not installed, or by half",
    "'apt install linux-headers-$(uname -r)' (kernel-devel on RHEL), then 'dkms autoinstall'",
    ".kernel headers for kernel * cannot be found & nvidia\n" ".dkms & nvidia & headers\n"
    ".unable to find the kernel source tree\n" ".unable to find the development tool 'cc'\n"
    ".module.symvers file is missing\n" ".unable to find a match: kernel-headers\n"
    ".unable to find a match: kernel-devel\n"
    ".filtered out by exclude filtering for argument: kernel\n"
    ".could not resolve linux kernel version\n" ".unable to locate package linux-headers\n"
    ".the kernel's headers are missing, so that the driver cannot be built\n"},
  {KMOD, "dkms-build", "the driver's module does not compile for this kernel",
    "the driver is older than the kernel, or the kernel forbids what it uses (GPL-only symbols,"
    " RT)", "a newer driver, or an older kernel; make.log of DKMS names the line",
    ".bad return status for module build & nvidia\n" "./var/lib/dkms/nvidia* error:\n"
    ".nv_create_proc_entry\n" "./dkms/nvidia*/make.log\n" ".gpl-incompatible module nvidia\n"
    ".modpost & nvidia\n" ".failed to install the kernel module through dkms\n"
    ".error occurred while performing the step: 'building kernel modules'\n"
    ".the nvidia kernel module was not created\n" ".building kernel module 'nvidia & fail\n"
    ".dkms & nvidia & failed\n" ".nvidia-uvm/* error:\n" ".nvidia*/*.c: & implicit declaration\n"
    "!modpost: gpl-incompatible module\n" ".gpl-only symbols & nvidia\n" ".nvidia*.c: & error\n"
    ".nvidia-uvm/ & -wimplicit-function-declaration\n" ".nvidia-uvm/*.c\n"
    ".the driver's module does not compile for this kernel\n"},
  {KMOD, "dkms-compiler", "the module is compiled by another gcc than the kernel",
    "the kernel's options are unknown to it",
    "install and use the kernel's gcc: CC=gcc-12; then 'dkms autoinstall'",
    ".unrecognized command-line option '-f & dkms\n"
    ".unrecognized command-line option '-ftrivial-auto-var-init=zero'\n"
    ".the compiler used to compile the kernel\n" ".compiler version check failed\n"
    ".cc version check failed\n" ".unknown warning option & -werror\n"
    "./nvidia/ & unknown warning option\n"
    ".the module is compiled by another gcc than the kernel\n"},
  {KMOD, "secure-boot", "Secure Boot refuses the driver's module",
    "it is not signed with a key that this machine knows",
    "'mokutil --import' the DKMS key and reboot, signed modules of the distribution, or Secure"
    " Boot off", ".module verification failed & nvidia & lockdown\n"
    ".loading of unsigned module is rejected\n" ".lockdown: & nvidia\n"
    "!could not insert 'nvidia': operation not permitted\n" "!uefi secure boot enabled\n"
    "!config_module_sig set\n" ".nvidia & key was rejected by service\n"
    ".could not insert 'nvidia*': key was rejected by service\n"
    ".required key not available & nvidia\n" ".key was rejected by service & nvidia\n"
    ".kernel module load error: required key not available\n"
    ".kernel module load error: key was rejected by service\n"
    ".secure boot refuses the driver's module\n"},
  {KMOD, "other-driver-bound", "another kernel driver holds the GPU",
    "nouveau, a framebuffer, or vfio-pci (for a virtual machine)",
    "blacklist nouveau or unbind vfio; 'update-initramfs -u'; reboot",
    ".nouveau kernel driver is currently in use\n" ".nouveau & incompatible & nvidia\n"
    ".request_mem_region failed\n" ".kernel driver in use: nouveau\n"
    ".kernel driver in use: vfio-pci\n" ".is already bound to *core\n"
    "!nvidia probe routine was not called\n" "!no nvidia devices probed\n"
    ".conflicting driver such as nouveau\n" ".nvrm: gpu * is already bound to\n"
    ".another kernel driver holds the gpu\n"},
  {KMOD, "driver-dropped-gpu", "this driver no longer supports this GPU",
    "470 is the last for Kepler, 580 for Maxwell to Volta",
    "install that last branch and hold the package", ".legacy driver & ignore this gpu\n"
    ".supported through the nvidia * legacy drivers\n" ".nvidia driver will ignore this gpu\n"
    ".this driver no longer supports this gpu\n"},
  {KMOD, "driver-lacks-gpu", "this driver does not know the GPU",
    "it is older than the GPU, or the GPU is not for this system",
    "a newer driver: the matrix names the first branch of each GPU",
    ".is not supported by the nvidia * driver release\n" ".supported nvidia gpu products\n"
    "?the nvidia probe routine failed\n"
    "?none of the nvidia graphics adapters were initialized\n"
    "?none of the nvidia devices were initialized\n" ".this pci device is not supported\n"
    ".this driver does not know the gpu\n"},
  {KMOD, "module-flavour", "the kernel module's flavour does not fit the GPU",
    "the open one needs Turing, Blackwell needs the open one",
    "install the other flavour (nvidia-open, or the proprietary)",
    "!requires use of the nvidia open kernel modules\n"
    "!open nvidia kernel module & not support\n"
    "!does not include the required gpu system processor\n" ".nvreg_openrmenableunsupportedgpus\n"
    "!is not supported by open\n" "!open nvidia.ko is only ready for use\n"
    ".openrmenableunsupportedgpus\n" "!installed in this system is not supported by open\n"
    ".the kernel module's flavour does not fit the gpu\n"},
  {KMOD, "module-stale", "kernel module and libraries differ in version",
    "the driver was upgraded, the old module stayed loaded",
    "reboot, or reload the nvidia modules; hold the driver package",
    ".driver/library version mismatch\n" ".nvml library version:\n"
    "!api mismatch: the client has the version\n" ".this kernel module has the version\n"
    ".nvrm: api mismatch: the client\n" ".kernel module and libraries differ in version\n"},
  {KMOD, "module-in-use", "the old module is in use and cannot be replaced",
    "X, persistenced, DCGM or a CUDA program holds it",
    "stop them ('lsof /dev/nvidia*'), 'rmmod nvidia_uvm nvidia_drm nvidia_modeset nvidia'; or"
    " reboot", ".kernel module 'nvidia* appears to already be loaded\n"
    ".module nvidia* is in use\n" ".rmmod: error: module nvidia\n"
    ".could not unload nvidia driver kernel modules\n"
    ".the old module is in use and cannot be replaced\n"},
  {KMOD, "adapter-init", "the driver cannot start this GPU (RmInitAdapter)",
    "a virtual machine's passthrough, missing firmware, power, or failing hardware",
    "other NVRM lines before it; cold start; above 4G decoding and a hidden hypervisor in VMs;"
    " a newer driver", "?rminitadapter failed\n" "?rm_init_adapter failed\n"
    ".failed to initialize the nvidia gpu at pci\n"
    ".could not open the device file /dev/nvidia* (input/output error)\n"
    ".the driver cannot start this gpu (rminitadapter)\n"},
  {KMOD, "gsp-firmware", "the GPU's own processor (GSP) does not answer or crashed",
    "its firmware hangs, is missing, or does not belong to this driver",
    "reset the GPU or reboot; a newer driver; NVreg_EnableGpuFirmware=0 where the GPU allows"
    " it", ".waiting for rpc response from gpu\n" ".timeout waiting for rpc from gsp\n"
    ".gsp task exception\n" "!rmfetchgsprmimages: no firmware image found\n" ".gsp_*.bin & fail\n"
    ".direct firmware load for nvidia\n" ".gsp rpc & timeout\n" ".gsp * init & fail\n"
    ".gsp lockdown\n" "!_kgspbootgsprm\n" "!failed to initialize gsp\n" "!gsp firmware & fail\n"
    ".kgspinitrm\n" ".the gpu's own processor (gsp) does not answer or crashed\n"},
  {KMOD, "module-symbols", "a module beside the driver finds no symbols of nvidia.ko",
    "it was built against another driver or OFED, or its licence forbids them (GPL-only)",
    "the open kernel modules; build nvidia-fs, nvidia-peermem or gdrdrv again for this driver",
    "!nvidia_fs: unknown symbol\n" "!module using gpl-only symbols uses symbols\n"
    ".unknown symbol nvidia_p2p\n" ".unknown symbol & nvidia & err\n"
    ".could not insert 'nv_peer_mem'\n" ".could not insert 'nvidia_peermem'\n"
    ".could not insert 'nvidia_fs'\n"
    ".a module beside the driver finds no symbols of nvidia.ko\n"},
  {KMOD, "display-engine", "the display part of the GPU reports an error",
    "cable, monitor, mode setting, or the driver",
    "a newer driver; programs that only compute need no display",
    ".the display part of the gpu reports an error\n"},
  {DEVNODES, "nodes-missing", "the GPUs' device nodes are missing",
    "the driver is loaded, but nobody made /dev/nvidia<N>", "'nvidia-modprobe -c 0 -u' as root",
    ".failed to query nvidia devices\n" ".ls: cannot access '/dev/nvidia\n"
    ".could not open the device file /dev/nvidia* (no such file\n"
    "./dev/nvidiactl: no such file\n" "./dev/nvidia0: no such file\n"
    ".failed to create nvidia device nodes\n" ".failed to create device node nvidiactl\n"
    ".stat /dev/nvidia*: no such file\n" ".failed to detect correct '/dev/nvidia' path\n"
    ".nvrmmeminitnvmap failed with no such file\n" ".failed to mount '/dev/nvidia\n"
    ".mknod & /dev/nvidia & fail\n" "!mknod * /dev/nvidia\n" ".lstat /dev/nvidia*: no such file\n"
    ".the gpus' device nodes are missing\n"},
  {DEVNODES, "uvm-missing", "/dev/nvidia-uvm is missing",
    "nvidia-smi does without it, CUDA does not",
    "host: 'modprobe nvidia_uvm; nvidia-modprobe -c 0 -u'; container: pass it",
    "!/dev/nvidia-uvm: no such file\n" "!/dev/nvidia-uvm': no such file\n"
    "!/dev/nvidia-uvm*': no such file\n" ".could not locate /dev/nvidia-uvm:\n"
    ".could not locate /dev/nvidia-uvm-tools\n" ".module nvidia-uvm not found\n"
    ".could not insert 'nvidia_uvm'\n" "!could not load uvm kernel module\n"
    "!is nvidia-modprobe installed\n" ".failed to initialize cuda: unknown error\n"
    ".failed to get device context 999\n" "!/dev/nvidia-uvm-tools: no such file\n"
    "!/dev/nvidia-uvm & enoent\n" "./dev/nvidia-uvm is missing\n"},
  {DEVNODES, "modeset-missing", "/dev/nvidia-modeset is missing",
    "nobody made it on this headless machine, and all capabilities are asked for",
    "'nvidia-modprobe -m'; NVIDIA_DRIVER_CAPABILITIES=compute,utility",
    "./dev/nvidia-modeset: no such file\n" "./dev/nvidia-modeset is missing\n"},
  {DEVNODES, "node-major", "a device node has a stale major number",
    "the node or CDI file is older than the driver's start",
    "'nvidia-ctk cdi generate' again, restart the container", ".failed to determine major\n"
    ".invalid device node & nvidia\n" ".a device node has a stale major number\n"},
  {DEVNODES, "node-mode", "no permission to open a device node",
    "owner and mode forbid it (EACCES)",
    "add the node's group (supplementalGroups), or DeviceFileMode=0666",
    ".permission denied & /dev/nvidia\n" ".failed to initialize nvml: insufficient permissions\n"
    ".nvml error: insufficient permissions\n" ".permission denied & /dev/nvhost\n"
    ".permission denied & /dev/nvmap\n" ".nvmlerror_nopermission\n"
    ".pynvml could not be initialized insufficient permissions\n" ".c-w--wx-wt\n"
    ".crw------- * nvhost\n" ".crw------- * nvidia\n"
    ".nvrmmeminitnvmap failed with permission denied\n" ".nvidia & mode 0600\n"
    ".no permission to open a device node\n"},
  {DEVNODES, "node-nodev", "device nodes do not work here",
    "EACCES though the mode allows it: nodev, security module",
    "mount without nodev; see AppArmor, SELinux", ".avc: denied & nvidia\n"
    ".apparmor='denied' & nvidia\n" ".device nodes do not work here\n"},
  {DEVNODES, "node-cgroup", "the device cgroup forbids a device node",
    "EPERM: a daemon-reload rewrote the container's device rules, or a sandbox",
    "restart the container; use CDI or --device", ".failed to initialize nvml: unknown error\n"
    "./dev/nvidia* operation not permitted\n" ".operation not permitted & /dev/nvidia\n"
    ".gpu access blocked by the operating system\n" ".the device cgroup forbids a device node\n"},
  {DEVNODES, "node-no-driver", "no driver behind a device node",
    "ENXIO: baked into the image, or the module was unloaded",
    "load the driver on the host; keep no /dev nodes in images", "./dev/nvidia* no such device\n"
    ".no such device or address & /dev/nvidia\n" ".no driver behind a device node\n"},
  {DEVNODES, "node-io-error", "a device node gives an I/O error",
    "the adapter failed to start or died",
    "see NVRM and Xid in the kernel log; reset the GPU or reboot",
    "./dev/nvidia* input/output error\n" ".a device node gives an i/o error\n"},
  {DEVNODES, "node-busy", "a device node is busy", "someone has it alone",
    "find who: 'fuser -v /dev/nvidia*'", "./dev/nvidia* device or resource busy\n"
    ".a device node is busy\n"},
  {DEVNODES, "node-not-device", "a device node is no device",
    "a file is in its place: the mount had no source",
    "load the driver on the host, then start the container", "./dev/nvidia* not a device\n"
    ".not a device node & nvidia\n" ".a device node is no device\n"},
  {DEVNODES, "mig-caps-missing", "the MIG capability nodes are missing",
    "/dev/nvidia-caps lacks those of the MIG device asked for",
    "let the toolkit inject them, or 'nvidia-modprobe -f' access files",
    "./dev/nvidia-caps & no such file\n" ".nvidia-cap# & no such file\n"
    "./proc/driver/nvidia/capabilities: no such file\n"
    ".the mig capability nodes are missing\n"},
  {DEVNODES, "modprobe-stale", "nvidia-modprobe is older than the driver",
    "this version does not know an option that it is called with",
    "install nvidia-modprobe of the driver's version", ".nvidia-modprobe: unrecognized option\n"
    ".nvidia-modprobe is older than the driver\n"},
  {DEVNODES, "persistenced", "nvidia-persistenced cannot start",
    "it may not make its folder, or finds no devices",
    "start it as root (it drops rights itself); see the device nodes",
    ".nvidia-persistenced: failed\n" ".nvidia-persistenced & fail\n"
    ".nvidia-persistenced cannot start\n"},
  {DEVNODES, "node-selinux", "SELinux keeps the process from the device node",
    "containers may not use devices unless that is allowed",
    "setsebool -P container_use_devices on; podman --security-opt label=disable",
    "!xserver_misc_device_t & /dev/nvidia\n" ".target context * xserver_misc_device_t\n"
    ".selinux is preventing & nvidia\n" ".avc: denied & nvidia\n"
    ".avc: denied & xserver_misc_device_t\n" "!xserver_misc_device_t\n"
    ".selinux keeps the process from the device node\n"},
  {DEVNODES, "gdr-node", "/dev/gdrdrv cannot be opened (GDRCopy)",
    "its kernel module is not loaded, or the node was not made or passed in",
    "modprobe gdrdrv; its insmod.sh makes the node; pass the node into the container",
    ".is gdrdrv driver installed and loaded\n" ".gdr_open error\n" ".gdrdrv & no such file\n"
    "./dev/gdrdrv cannot be opened (gdrcopy)\n"},
  {HEALTH, "ecc-error", "an uncorrectable memory error (ECC)", "the GPU's memory is failing",
    "drain the node, reset the GPU; replace it if it returns",
    ".uncorrectable ecc error encountered\n" ".cudaerroreccuncorrectable\n"
    ".uncorrectable double bit error\n" ".uncorrectable memory errors\n"
    ".dbe has been detected\n" ".uncorrectable ecc\n" ".an uncorrectable memory error (ecc)\n"},
  {HEALTH, "nvlink-error", "an NVLink error (220)", "a link or the fabric failed",
    "drain the node; see the fabric manager's log", ".uncorrectable nvlink error\n"
    ".an nvlink error (220)\n"},
  {HEALTH, "error-contained", "a contained memory error (226)",
    "the GPU stopped only this process", "restart the process; drain if it returns",
    ".a contained memory error (226)\n"},
  {HEALTH, "rows-pending", "memory rows wait to be replaced", "it takes effect at the next reset",
    "reset the GPU in the next maintenance", ".new row marked for remapping\n"
    ".remappings are pending\n" ".pending : yes\n" ".row remapping & pending\n"
    ".memory rows wait to be replaced\n"},
  {HEALTH, "pages-pending", "memory pages wait to be retired",
    "it takes effect when the driver starts anew",
    "reboot or reload the driver in the next maintenance; replace the GPU if more follow",
    ".pending page blacklist : yes\n" ".retired pages & pending\n"
    ".memory pages wait to be retired\n"},
  {HEALTH, "remap-failed", "the GPU has no spare memory rows left", "row remapping failed",
    "drain the node; replace the GPU", ".remapping failure occurred : yes\n"
    ".all reserved rows for bank are remapped\n" ".row remapper error\n" ".row remap failure\n"
    ".the gpu has no spare memory rows left\n"},
  {HEALTH, "sram-errors", "errors in the GPU's SRAM were counted",
    "caches or registers are failing; one stray event is tolerable",
    "reset the GPU; replace it where the count grows or the threshold is exceeded",
    ".sram uncorrectable : 1\n" ".sram uncorrectable : 2\n" ".sram threshold exceeded : yes\n"
    ".errors in the gpu's sram were counted\n"},
  {HEALTH, "xid-before", "the kernel logged a fault of the GPU (Xid) within the last day",
    "it works now, and may fail again",
    "'gpu-smoke --explain' with the line; --level long; drain the node if it comes back",
    ".the kernel logged a fault of the gpu\n"
    ".the kernel logged a fault of the gpu (xid) within the last day\n"},
  {HEALTH, "throttled", "the GPU's clocks are throttled",
    "heat, power brake or a hardware slowdown", "check cooling and power supply",
    ".hw slowdown : active\n" ".hw thermal slowdown : active\n"
    ".clocks_throttle_reasons & active\n" ".the gpu's clocks are throttled\n"},
  {HEALTH, "thermal", "the GPU is too hot", "cooling, dust, paste, or the room",
    "check fans and air flow; lower the power limit ('nvidia-smi -pl')",
    ".sw thermal slowdown : active\n" ".thermal violations\n"
    ".verify that the cooling on this machine\n" ".temperature & above & gpu & threshold\n"
    ".the gpu is too hot\n"},
  {HEALTH, "power-brake", "the server brakes the GPU's power",
    "its power supplies or BMC assert the power brake",
    "check power supplies and the BMC's limits", "!hw power brake slowdown : active\n"
    ".the server brakes the gpu's power\n"},
  {HEALTH, "power-cap", "the GPU's clocks are held by its power limit",
    "the load asks for more than the limit allows",
    "'nvidia-smi -q -d POWER'; raise the limit with -pl where that is allowed",
    ".sw power cap : active\n" ".sw power cap: active\n" ".current power limit\n"
    ".the gpu's clocks are held by its power limit\n"},
  {HEALTH, "pcie-degraded", "the PCIe link is narrower than it could be",
    "seating, a riser or the slot", "reseat the board; see lspci -vv",
    ".is running at pci link width\n" "?available pcie bandwidth, limited by * pcie x# link\n"
    ".the pcie link is narrower than it could be\n"},
  {HEALTH, "nvml-device-absent", "NVML does not find that device",
    "the index or UUID is of another host, or the GPU went away", "'nvidia-smi -L' names them",
    ".no devices were found\n" ".nvml does not find that device\n"},
  {HEALTH, "ecc-corrected", "many memory errors were corrected", "the memory is wearing out",
    "watch it; replace the GPU where the count grows", ".excessive_sbe\n"
    ".excessive single bit\n" ".many memory errors were corrected\n"},
  {HEALTH, "nvml-failed", "NVML does not work", "CUDA may work all the same", "see the code",
    "?failed to initialize nvml\n" "?nvmlerror\n" "?nvml does not work\n"},
  {HEALTH, "nvml-blocked", "the operating system blocks NVML (17)",
    "cgroup rules deny the device nodes", "restart the container",
    ".blocked by the operating system\n" ".the operating system blocks nvml (17)\n"},
  {HEALTH, "page-fault-kernel", "the driver's log shows a fault of a program's kernel",
    "a bug of the program, sometimes failing hardware",
    "run compute-sanitizer; gpu-smoke --level long", "?graphics sm warp exception\n"
    "?mmu fault: engine\n" "?the driver's log shows a fault of a program's kernel\n"},
  {HEALTH, "ecc-rate", "correctable ECC errors come fast",
    "single bits flip: the memory gets worse, rows are remapped",
    "watch remapped rows; --level long; drain and replace the board when rows run out",
    ".dcgm_fi_dev_ecc_sbe\n" ".correctable_remapped_rows\n" ".single-bit ecc & rate\n"
    ".correctable ecc errors come fast\n"},
  {HEALTH, "power-smoothing", "the circuit that smooths the GPU's power is off or worn",
    "what evens out steps of the load has a life of its own",
    "tell who runs the rack's power; replace the board in the next maintenance",
    ".the circuit that smooths the gpu's power is off or worn\n"},
  {HEALTH, "xid-note", "a note of the driver in the kernel log, no failure by itself",
    "tests, telemetry and switches are logged as Xid too", "look for another Xid near it",
    ".a note of the driver in the kernel log, no failure by itself\n"},
  {INJECT, "gpu-not-requested", "this container asked for no GPU",
    "it was started without a GPU: NVIDIA_VISIBLE_DEVICES is unset, empty or 'void'",
    "start it with '--gpus all' or the limit 'nvidia.com/gpu: 1'",
    ".the nvidia driver was not detected. gpu functionality will not be available\n"
    ".use the nvidia container toolkit to start this container with gpu support\n"
    ".use 'nvidia-docker run' to start this container\n" ".this container asked for no gpu\n"},
  {INJECT, "no-gpu-access", "this container has no GPU access",
    "no device nodes were passed in; singularity --nv found no driver on this host",
    "'--gpus all', CDI or 'nvidia.com/gpu: 1'; is the runtime nvidia's?",
    ".could not find any nv files on this host\n" ".this container has no gpu access\n"},
  {INJECT, "no-device-allocated", "no GPU was allocated to this container",
    "/dev/nvidiactl came in without any /dev/nvidia<N>",
    "NVIDIA_VISIBLE_DEVICES=all, '--gpus all' or 'nvidia.com/gpu: 1'",
    ".unknown device id: no-gpu-has-*-to-run\n" ".no devices found. waiting indefinitely\n"
    ".no gpu was allocated to this container\n"},
  {INJECT, "capability-compute-missing", "libcuda was not injected",
    "NVIDIA_DRIVER_CAPABILITIES lacks 'compute'", "set it to compute,utility",
    ".libcuda was not injected\n"},
  {INJECT, "gpus-unasked", "the pod sees all GPUs of the node, allocated or not",
    "the image sets NVIDIA_VISIBLE_DEVICES=all, and the runtime obeys",
    "ask for nvidia.com/gpu, else NVIDIA_VISIBLE_DEVICES=void;"
    " accept-nvidia-visible-devices-envvar-when-unprivileged = false",
    ".accept-nvidia-visible-devices-envvar-when-unprivileged\n"
    ".the pod sees all gpus of the node\n"
    ".the pod sees all gpus of the node, allocated or not\n"},
  {INJECT, "capability-utility-missing", "NVML was not injected",
    "NVIDIA_DRIVER_CAPABILITIES lacks 'utility'", "set it to compute,utility",
    ".nvml was not injected\n"},
  {INJECT, "capability-video-missing", "the video libraries were not injected",
    "NVIDIA_DRIVER_CAPABILITIES lacks 'video' (NVENC, NVDEC)",
    "set it to compute,utility,video; the host's driver has the libraries",
    ".cannot load libnvidia-encode.so.1\n" ".cannot load libnvcuvid.so.1\n"
    ".libnvcuvid.so.1: cannot open shared object\n"
    ".libnvidia-encode.so.1: cannot open shared object\n"
    ".the video libraries were not injected\n"},
  {INJECT, "engine-no-gpu", "the container engine knows no GPUs",
    "the NVIDIA Container Toolkit is not installed or not configured for it",
    "install it, 'nvidia-ctk runtime configure', restart the engine",
    ".could not select device driver * with capabilities: [[*gpu\n"
    ".could not select device driver 'nvidia'\n" ".the container engine knows no gpus\n"},
  {INJECT, "engine-no-runtime", "the container engine has no runtime called nvidia",
    "neither daemon.json nor containerd's or CRI-O's configuration defines it",
    "'nvidia-ctk runtime configure --runtime=docker' (or containerd, crio), restart it",
    ".unknown runtime specified nvidia\n" ".unknown or invalid runtime name: nvidia\n"
    ".no runtime for 'nvidia' is configured\n" ".failed to find runtime handler nvidia\n"
    ".no such runtime * nvidia\n" ".cannot find runtime handler * nvidia\n"
    ".runtimehandler 'nvidia' not supported\n"
    ".the container engine has no runtime called nvidia\n"},
  {INJECT, "toolkit-hook-missing", "a program of the NVIDIA Container Toolkit is missing",
    "the runtime starts hooks that are not installed, or of another version",
    "install nvidia-container-toolkit whole and of one version; restart the engine",
    ".nvidia-container-runtime-hook: no such file or directory\n" ".inject nvidia hook: stat\n"
    ".nvidia-container-toolkit: no such file or directory\n"
    ".exec: 'nvidia-container-runtime': executable file not found\n"
    ".nvidia-container-cli* not found\n" ".command not found: nvidia-container-cli\n"
    ".no help topic for 'prestart'\n" ".nvidia-container-cli: no such file or directory\n"
    ".fork/exec *nvidia*: no such file or directory\n"
    ".a program of the nvidia container toolkit is missing\n"},
  {INJECT, "hook-failed", "the toolkit's hook ended with an error",
    "nvidia-container-cli or nvidia-cdi-hook gave up; its own line says more",
    "read the hook's line above; 'nvidia-container-cli -k -d /dev/tty info' on the host",
    "?error executing hook * nvidia\n" "?98-nvidia.sh exited with return code\n"
    "?error running hook * exit status & nvidia\n" "?error running prestart hook & nvidia\n"
    ".executing hook * oci-nvidia-hook\n" "!executing hook * nvidia-container-runtime-hook\n"
    ".nvidia-cdi-hook & exit code\n" ".the toolkit's hook ended with an error\n"},
  {INJECT, "engine-flag-unknown", "this container engine is too old for GPUs, or in swarm mode",
    "--gpus needs Docker 19.03, device reservations Compose 1.28 (docker stack has none), CDI"
    " Podman 4.1", "update the engine; until then '--runtime=nvidia'", ".unknown flag: --gpus\n"
    ".resources.reservations*additional propert*devices\n"
    ".unsupported config option * 'runtime'\n"
    ".stat nvidia.com/gpu=*: no such file or directory\n" ".invalid device mode: nvidia.com/gpu\n"
    ".this container engine is too old for gpus, or in swarm mode\n"},
  {INJECT, "cdi-stale", "a CDI file no longer fits this host",
    "it names files or numbers of an earlier driver",
    "'nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml'", ".failed to stat cdi host device\n"
    ".nvidia-cdi-hook & exit code\n" "?failed to inject cdi devices\n"
    ".a cdi file no longer fits this host\n"},
  {INJECT, "cdi-unresolvable", "the engine cannot find the CDI device",
    "no CDI file, not where it looks, or of another kind",
    "'nvidia-ctk cdi generate', check the engine's CDI folders", ".unresolvable cdi devices\n"
    ".cdi device injection failed\n" ".cdi registry: * nvidia.com/gpu\n"
    ".the engine cannot find the cdi device\n"},
  {INJECT, "host-driver-missing", "the engine finds no driver on the host",
    "no NVIDIA driver there, docker from snap, or Docker Desktop without WSL 2",
    "install the driver; docker's own packages; the WSL 2 backend",
    "!load library failed: libnvidia-ml.so.1\n"
    ".nvidia-container-cli & driver error: failed to process request\n"
    ".chroot: failed to run command 'nvidia-smi'\n" "!load library failed: libcuda.so.1\n"
    ".the engine finds no driver on the host\n"},
  {INJECT, "host-wsl-no-adapter", "WSL shows no GPU to containers",
    "WSL 1, a Windows driver that is too old for WSL, or no NVIDIA GPU",
    "'wsl --set-version DISTRO 2'; update the Windows driver and WSL ('wsl --update')",
    ".wsl environment detected but no adapters were found\n" "./dev/dxg & no such file\n"
    ".wsl shows no gpu to containers\n"},
  {INJECT, "image-gate", "the image demands a newer driver",
    "NVIDIA_REQUIRE_CUDA names a CUDA that this driver lacks",
    "an older CUDA's image (see the matrix), or a newer driver", ".unsatisfied condition: cuda\n"
    ".unsatisfied condition: driver\n" ".unsatisfied condition: brand\n"
    ".the image demands a newer driver\n"},
  {INJECT, "visible-unknown", "NVIDIA_VISIBLE_DEVICES names a device that is not there",
    "an index or UUID of another host, or a MIG name of the old form",
    "names as 'nvidia-smi -L' prints them on this host; MIG-<uuid> since driver 470",
    ".nvidia-container-cli & device error & unknown device\n" ".device error: * unknown device\n"
    ".failed to get device handle from uuid\n"
    ".nvidia_visible_devices names a device that is not there\n"},
  {INJECT, "cgroup-bpf", "a rootless or nested (LXC) engine cannot set the device cgroup",
    "it may not use bpf in a user namespace",
    "'no-cgroups = true' in the toolkit's config.toml, or CDI", ".failed to add device rules\n"
    ".nvidia & bpf_prog_query\n" ".nvidia-container-cli & bpf_prog_query\n"
    ".a rootless or nested (lxc) engine cannot set the device cgroup\n"},
  {INJECT, "cgroup-v2-unknown", "this toolkit knows only version 1 of cgroups",
    "the host has version 2, libnvidia-container before 1.8 does not",
    "update nvidia-container-toolkit (1.8 or newer); until then 'no-cgroups = true'",
    ".cgroup subsystem devices not found\n" ".this toolkit knows only version 1 of cgroups\n"},
  {INJECT, "toolkit-ldconfig", "the toolkit could not run ldconfig in the container",
    "the image lacks it, is read-only or of another architecture, or mounts forbid it",
    "ldconfig = \"@/sbin/ldconfig\" in the toolkit's config.toml; CDI; a writable root",
    ".ldcache error & ldconfig\n" ".ldconfig & failed with error code\n"
    ".the toolkit could not run ldconfig in the container\n"},
  {INJECT, "toolkit-mount", "the toolkit could not mount the driver's files",
    "a file of the image is in the way, or permission on the container's file system is"
    " lacking",
    "remove driver files (libcuda.so*, nvidia-smi) from the image; see the path in the line",
    "?nvidia-container-cli & mount error\n"
    ".nvidia-container-cli & container error & permission denied\n"
    ".nvidia-container-cli & file creation failed & file exists\n"
    ".nvidia-container-cli & detection error\n" "?skipping user bind * nvidia\n"
    "?library bind directory not present in container\n" "!persistenced & mount\n"
    ".the toolkit could not mount the driver's files\n"},
  {INJECT, "gpu-in-build", "an image build has no GPU",
    "builders inject neither nodes nor libcuda",
    "link against stubs, run GPU code only in containers", ".executor failed running & libcuda\n"
    ".process '/bin/sh -c & libcuda\n" ".an image build has no gpu\n"},
  {INJECT, "k8s-no-gpu-free", "no node has that GPU resource free",
    "not advertised by a device plugin, all taken, or a wrong name",
    "'kubectl describe node' (Allocatable), the device plugin's log",
    "!insufficient nvidia.com/\n" ".insufficient & gpu\n" ".insufficient k8s.amazonaws.com/vgpu\n"
    ".requested number of devices unavailable for nvidia.com\n" ".cannot allocate all claims\n"
    ".doesn't have the resource 'nvidia.com\n" ".nodeaffinity & nvidia\n"
    ".hami-scheduler & unregistered\n" ".hami-scheduler & no available node\n"
    ".cardinsufficient\n" ".nodeunfitpod\n" ".no node has that gpu resource free\n"},
  {INJECT, "k8s-no-node-group", "the autoscaler knows no node group with that GPU",
    "no group offers nvidia.com/gpu, its label is missing, or its maximum is reached",
    "a GPU node pool with room; tell the autoscaler its resource and label",
    "!pod didn't trigger scale-up & nvidia\n" "!nottriggerscaleup & gpu\n"
    ".the autoscaler knows no node group with that gpu\n"},
  {INJECT, "k8s-taint", "the pod does not tolerate the nodes' taint",
    "it keeps other pods off GPU nodes", "tolerate key nvidia.com/gpu, operator Exists",
    ".untolerated taint & gpu\n" ".had taint & gpu & didn't tolerate\n"
    ".the pod does not tolerate the nodes' taint\n"},
  {INJECT, "k8s-selector", "no node has the labels that the pod selects",
    "node selector or affinity name a GPU product or pool that does not exist",
    "'kubectl get nodes --show-labels | grep nvidia'; is gpu-feature-discovery running?",
    ".didn't match pod's node affinity & gpu\n" ".didn't match node selector & gpu\n"
    ".node(s) didn't match * selector & nvidia\n"
    ".no node has the labels that the pod selects\n"},
  {INJECT, "k8s-admission", "the kubelet could not allocate the GPU that was promised",
    "the device plugin died, restarted, or a GPU became unhealthy in between",
    "delete the pod; see the device plugin's log and 'kubectl describe node'",
    ".unexpectedadmissionerror & gpu\n" ".unexpectedadmissionerror & rpc error\n"
    ".allocate failed due to\n" ".pod allocate failed\n"
    ".the kubelet could not allocate the gpu that was promised\n"},
  {INJECT, "k8s-quota", "the GPU quota is used up",
    "a ResourceQuota of the namespace, or the cloud project's, allows no more",
    "free GPUs, or have the quota raised", ".exceeded quota & gpu\n" ".exceeded quota & nvidia\n"
    ".insufficient regional quota & gpu\n" ".quota 'gpus_all_regions' exceeded\n"
    ".quota & gpus & exceeded\n" ".quota & nvidia_ & exceeded\n" ".the gpu quota is used up\n"},
  {INJECT, "k8s-plugin-no-nvml", "the device plugin cannot load NVML",
    "nvidia is not that node's default runtime",
    "'runtimeClassName: nvidia', or make nvidia the default", "!detected non-nvml platform\n"
    ".incompatible * detected & nvidia\n" ".incompatible platform detected\n"
    ".incompatible strategy detected\n"
    ".if this is a gpu node, did you configure the nvidia container toolkit\n"
    ".if this is not a gpu node, you should set up a toleration\n"
    ".failed to construct resource managers: invalid device discovery strategy\n"
    ".the device plugin cannot load nvml\n"},
  {INJECT, "k8s-plugin-register", "the device plugin cannot register with the kubelet",
    "the kubelet's socket is missing, mounted elsewhere, or the kubelet restarts",
    "mount /var/lib/kubelet/device-plugins of the host; restart the plugin's pod",
    ".could not register device plugin\n" ".kubelet.sock & device-plugins & connect\n"
    ".the device plugin cannot register with the kubelet\n"},
  {INJECT, "k8s-whole-gpus", "GPUs come in whole numbers, request as limit",
    "extended resources are integers", "an integer under limits; share by MIG, MPS, time-slicing",
    ".nvidia.com*must be an integer\n" ".must be equal to nvidia.com\n" ".nvidia.com/gpu: 0.\n"
    ".limit must be set for non overcommitable resources\n"
    ".gpus come in whole numbers, request as limit\n"},
  {INJECT, "k8s-runtime-class", "the RuntimeClass 'nvidia' does not exist",
    "the GPU operator makes it, clouds have none",
    "create it (handler nvidia), or drop runtimeClassName", ".runtimeclass & nvidia & not found\n"
    ".runtimehandler 'nvidia' not supported\n" ".no runtime for 'nvidia' is configured\n"
    ".runtimehandler * nvidia* not supported\n" ".the runtimeclass 'nvidia' does not exist\n"},
  {INJECT, "k8s-plugin-twice", "two device plugins on one node",
    "Bottlerocket and GKE bring one, AWS's vGPU another",
    "keep one: a node selector on the other", ".already registered & nvidia.com/gpu\n"
    ".k8s.amazonaws.com/vgpu & nvidia\n" ".two device plugins on one node\n"},
  {INJECT, "pod-security",
    "the cluster's pod security forbids what GPU pods of this kind ask for",
    "privileged, hostPath or host namespaces are not allowed there",
    "label the namespace pod-security.kubernetes.io/enforce=privileged, or grant the SCC",
    ".violates podsecurity & nvidia\n" ".violates podsecurity & gpu\n"
    ".violates podsecurity & hostipc\n"
    ".unable to validate against any * security * & privileged\n"
    ".privileged containers are not allowed\n" ".hostpath volumes are not allowed\n"
    ".the cluster's pod security forbids what gpu pods of this kind ask for\n"},
  {INJECT, "knative-features",
    "Knative does not allow node selectors, tolerations or runtime classes",
    "its feature flags are off",
    "config-features: kubernetes.podspec-nodeselector, -tolerations, -runtimeclassname:"
    " enabled", ".serving.knative.dev & must not set the field\n"
    ".knative does not allow node selectors, tolerations or runtime classes\n"},
  {INJECT, "node-lost", "the node went away",
    "a spot or preemptible machine was taken back, or it failed",
    "start again elsewhere, resume from the checkpoint; on-demand nodes for what cannot",
    ".cancelled at * due to node failure\n" ".node is being preempted\n"
    ".spot instance & interrupt\n" ".spot instance & terminat\n"
    ".terminationbykubernetes & node\n" ".deletionbytaintmanager\n" ".the node went away\n"},
  {INJECT, "operator-driver", "the GPU Operator's driver or toolkit container is not ready",
    "its validator waits for a driver that does not load on this node",
    "logs of nvidia-driver-daemonset and nvidia-operator-validator; driver.enabled=false where"
    " the host has one", ".driver-validation & fail\n" ".toolkit-validation & crashloop\n"
    "?toolkit-validation & back-off\n" ".nvidia-operator-validator & init:\n"
    ".waiting for nvidia drivers to be loaded\n" "..driver-ctr-ready\n"
    ".driver is not pre-installed on the host\n" ".validations/driver-ready\n"
    ".the gpu operator's driver or toolkit container is not ready\n"},
  {INJECT, "container-toolkit", "the NVIDIA Container Toolkit reports an error",
    "its own words stand in the line",
    "'nvidia-container-cli -k -d /dev/tty info' on the host; update the toolkit",
    "?nvidia-container-cli & error\n" "?nvidia-container-runtime & error\n"
    "!nvidia-container-cli & change root failed\n"
    ".the nvidia container toolkit reports an error\n"},
  {INJECT, "device-plugin", "the device plugin reports an error",
    "its own words stand in the line",
    "its log and 'kubectl describe node'; is the driver of that node whole?",
    "?nvidia-device-plugin & error\n" "?error starting plugins\n"
    "?the device plugin reports an error\n"},
  {INJECT, "slurm-gres", "Slurm has fewer GPUs than configured or asked for (GRES), or others",
    "gres.conf, slurm.conf and what the node has do not agree, or the request does not fit"
    " them",
    "gres.conf (AutoDetect=nvml), GresTypes=gpu, SelectType=select/cons_tres; slurmd -G on the"
    " node; scontrol show node", ".requested gres option unsupported\n"
    ".invalid generic resource (gres) specification\n"
    ".gres/gpu count reported lower than configured\n" ".gres/gpu & lower than configured\n"
    ".invalid gres & gpu\n" ".gres_plugin & gpu\n"
    ".slurm has fewer gpus than configured or asked for (gres), or others\n"},
  {INJECT, "nomad-devices", "Nomad finds no node with such a GPU",
    "its nvidia device plugin is not there, or advertises other devices",
    "install nomad-device-nvidia in plugin_dir; nomad node status -verbose shows its devices",
    ".devices: no devices match request\n" ".missing devices & nvidia\n"
    ".device plugin & nomad & nvidia\n" ".nomad finds no node with such a gpu\n"},
  {INJECT, "singularity-nv", "Singularity or Apptainer finds no driver on this host to bind in",
    "--nv looks for the files of nvliblist.conf: no driver here, or elsewhere",
    "install the driver on the host; ldconfig; nvliblist.conf for other folders; --nvccli",
    ".could not find any nvidia binaries on this host\n"
    ".could not find any nvidia libraries on this host\n"
    ".could not find any nv files on this host\n"
    ".nv files & may need to edit * nvliblist.conf\n"
    ".singularity or apptainer finds no driver on this host to bind in\n"},
  {INJECT, "ray-no-gpu", "Ray has no GPU free on this node",
    "all are taken by placement groups, or Ray was started without any",
    "ray status; ray start --num-gpus=N; end the other actors; fewer workers",
    ".current node has no gpu available\n"
    ".no available node types can fulfill resource request & gpu\n"
    ".ray does not allocate any gpus\n" ".cannot provide a placement group\n"
    ".error: no available node types can fulfill & 'gpu'\n"
    ".ray has no gpu free on this node\n"},
  {INJECT, "gvisor-driver", "gVisor does not know this driver version (nvproxy)",
    "each runsc release lists the driver versions that it passes on",
    "a newer runsc, or a driver of its list (runsc nvproxy list-supported-drivers)",
    ".unsupported nvidia driver version\n" ".nvproxy & unsupported\n"
    ".registering nvproxy driver\n" ".gvisor does not know this driver version (nvproxy)\n"},
  {INJECT, "capability-graphics-missing",
    "the graphics libraries (Vulkan, OpenGL) were not injected",
    "NVIDIA_DRIVER_CAPABILITIES lacks 'graphics', or the host has a headless driver without"
    " libnvidia-gl",
    "set it to graphics,compute,utility; install libnvidia-gl of the driver on the host",
    ".error_incompatible_driver\n" ".libglx_nvidia.so.0\n" ".vkcreateinstance failed\n"
    ".libnvidia-vulkan-producer\n" ".libegl_nvidia.so.0\n"
    ".the graphics libraries (vulkan, opengl) were not injected\n"},
  {LIBCUDA, "libcuda-absent", "libcuda.so.1 is nowhere on this machine",
    "the host's user-mode driver was not injected, or no driver is installed",
    "get it injected ('--gpus all'); never install it in the image, the driver on the host",
    ".libcuda.so.1: cannot open shared object\n" ".could not find cuda drivers on your machine\n"
    ".found no nvidia driver on your system\n" ".could not load dynamic library 'libcuda.so.1'\n"
    ".could not find 'nvcuda.dll'\n" ".unable to find cuda driver\n"
    ".cuda driver library could not be found\n" ".cuda driver could not be found\n"
    ".could not find module 'nvcuda.dll'\n" ".failed to load libcuda\n"
    ".dynamically load the 'cuda' shared library\n" ".unable to find cuda lib under the names\n"
    ".couldn't open cuda library libcuda.so\n" ".numba_cuda_driver * is not a valid file path\n"
    ".libcuda.so.1 is nowhere on this machine\n"},
  {LIBCUDA, "libcuda-unsearched", "libcuda.so.1 lies where the loader does not look",
    "its folder is not on its path", "put that folder on LD_LIBRARY_PATH, or run ldconfig",
    ".libcuda.so.1: cannot open shared object\n" "!libcuda.so cannot found\n"
    ".libcuda.so cannot be found\n" ".libcuda.so.1 lies where the loader does not look\n"},
  {LIBCUDA, "libcuda-unversioned", "the plain name libcuda.so is not there, only libcuda.so.1",
    "the plain name is for linking; Triton and numba look for it as well",
    "a link libcuda.so beside libcuda.so.1, then ldconfig",
    ".libcuda.so: cannot open shared object\n" ".please create a symlink of libcuda.so\n"
    ".cannot find -lcuda\n" ".possible cuda driver libraries are found but error occurred\n"
    ".the plain name libcuda.so is not there, only libcuda.so.1\n"},
  {LIBCUDA, "empty-file", "libcuda.so.1 is an empty file",
    "the image was built under the nvidia runtime, which leaves mount points of size 0",
    "build with the plain runtime; delete driver files of size 0",
    ".libcuda.so* file not recognized: file truncated\n" ".libcuda.so* file too short\n"
    ".libcuda.so.1 is an empty file\n"},
  {LIBCUDA, "truncated-file", "libcuda.so.1 is cut short", "loading it gives a bus error",
    "install the driver again; look for a full disk",
    ".libcuda.so* elf load command past end of file\n" ".libcuda.so.1 is cut short\n"},
  {LIBCUDA, "wrong-elf-class", "libcuda.so.1 is a 32-bit library",
    "a 64-bit program cannot load it", "put the folder of the 64-bit libraries first",
    ".skipping incompatible * libcuda.so\n" "!libcuda.so* wrong elf class\n"
    ".libcuda.so.1 is a 32-bit library\n"},
  {LIBCUDA, "wrong-machine", "libcuda.so.1 is for another processor",
    "x86-64 and aarch64 are mixed", "use image and driver of this machine's architecture",
    ".libcuda* & incompatible architecture\n"
    ".libcuda.so* cannot open shared object file & exec format error\n"
    ".libcuda.so.1 is for another processor\n"},
  {LIBCUDA, "not-elf", "libcuda.so.1 is no library",
    "a Git LFS pointer, linker script, failed download", "replace it by the driver's own file",
    ".libcuda.so* invalid elf header\n" ".libcuda.so.1 is no library\n"},
  {LIBCUDA, "is-directory", "libcuda.so.1 is a folder", "a bind mount without a source made it",
    "fix the mount, remove the folder", ".libcuda.so* is a directory\n"
    ".libcuda.so.1 is a folder\n"},
  {LIBCUDA, "unreadable", "libcuda.so.1 may not be read",
    "its mode forbids it; the loader says 'no such file'", "make it readable for this user",
    ".libcuda.so* cannot open shared object file: permission denied\n"
    ".libcuda.so.1 may not be read\n"},
  {LIBCUDA, "dangling-link", "libcuda.so.1 points to nothing",
    "half an upgrade, or the file is not mounted",
    "install the driver again; in a container mount both", ".libcuda.so.1 points to nothing\n"},
  {LIBCUDA, "noexec-mount", "libcuda.so.1 is on a noexec mount", "its code may not be mapped",
    "mount without noexec, or use another path", ".libcuda.so* failed to map segment\n"
    ".libcuda.so.1 is on a noexec mount\n"},
  {LIBCUDA, "undefined-symbol", "libcuda.so.1 lacks a symbol that is asked for",
    "the driver is older than what it was built for, or files of several drivers are mixed",
    "a newer driver, or the build for an older CUDA; all driver files of one version",
    ".libcuda.so* undefined symbol\n" ".undefined symbol: cu*_v\n" ".undefined symbol: cudevice\n"
    ".undefined symbol: cuctx\n" ".undefined symbol: cumem\n" ".function cu* not found\n"
    ".symbol lookup for cu* failed\n" ".libcuda.so.1 lacks a symbol that is asked for\n"},
  {LIBCUDA, "nvml-too-old", "libnvidia-ml.so.1 lacks a symbol that is asked for",
    "the driver is older than the program (pynvml, DCGM) that reads it",
    "update the driver, or an older nvidia-ml-py", ".libnvidia-ml.so* undefined symbol\n"
    ".nvmlerror_functionnotfound\n" ".undefined symbol: nvml\n"
    ".libnvidia-ml.so.1 lacks a symbol that is asked for\n"},
  {LIBCUDA, "nvml-absent", "libnvidia-ml.so.1 is not found",
    "no driver here, or it was not injected (capability 'utility'), or its folder is not"
    " searched",
    "install the driver on the host; NVIDIA_DRIVER_CAPABILITIES=compute,utility; ldconfig",
    ".libnvidia-ml.so.1: cannot open shared object\n"
    ".nvidia-smi couldn't find libnvidia-ml.so\n" ".nvml shared library not found\n"
    ".nvmlerror_librarynotfound\n" ".couldn't find libnvidia-ml\n"
    ".libnvidia-ml.so.1, 6): image not found\n" ".libnvidia-ml & image not found\n"
    ".libnvidia-ml.so.1 is not found\n"},
  {LIBCUDA, "missing-dependency", "a library that libcuda.so.1 needs is missing",
    "only part of the driver was injected", "NVIDIA_DRIVER_CAPABILITIES=compute,utility",
    ".libnvidia-* cannot open shared object file: no such file & libcuda\n"
    ".libnvidia-nvvm.so* cannot open\n" ".libnvidia-gpucomp.so* cannot open\n"
    ".a library that libcuda.so.1 needs is missing\n"},
  {LIBCUDA, "libc-too-old", "the driver needs a newer C library",
    "a symbol version is missing in libc", "use a base image of a newer distribution",
    ".version 'glibc_*' not found & libcuda\n" ".version 'glibc_*' not found & libnvidia\n"
    ".the driver needs a newer c library\n"},
  {LIBCUDA, "musl-libc", "this system has musl, the driver needs glibc",
    "NVIDIA builds for glibc only", "use an image with glibc: Debian, Ubuntu, UBI",
    ".error relocating & libcuda\n" ".error loading shared library libcuda\n"
    ".error loading shared library libnvidia\n" ".error relocating & libnvidia\n"
    ".error loading shared library ld-linux & libcud\n"
    ".this system has musl, the driver needs glibc\n"},
  {LIBCUDA, "preload-driver", "a wrong driver library is preloaded",
    "LD_PRELOAD or /etc/ld.so.preload goes before every path of the loader",
    "take it out there; the host's libcuda.so.1 is found without",
    ".a wrong driver library is preloaded\n"},
  {LIBCUDA, "stub-library", "the toolkit's stub is loaded as the driver",
    "lib64/stubs is on the library path (34)", "take it off LD_LIBRARY_PATH and run paths",
    "!/stubs/libcuda.so\n" "!/stubs/libnvidia-ml.so\n" "!driver is a stub library\n"
    ".you should always run with libnvidia-ml.so that is installed with your nvidia display"
    " driver\n" ".the toolkit's stub is loaded as the driver\n"},
  {LIBCUDA, "several-libcuda", "several versions of libcuda.so.1 are in reach",
    "the first that loads wins", "keep the one that fits the kernel module",
    ".libcuda.so & multiple & found\n" ".several versions of libcuda.so.1 are in reach\n"},
  {LIBCUDA, "not-a-driver", "libcuda.so.1 is no CUDA driver of today",
    "it lacks entry points of CUDA 9", "take it off the library path",
    ".driver missing function: cu\n" ".undefined symbol: cuinit\n"
    ".could not load symbol 'cudrivergetversion'\n" ".libcuda.so.1 is no cuda driver of today\n"},
  {LIBCUDA, "libcuda-load", "libcuda.so.1 does not load", "the loader refused it",
    "let the host's driver be injected", "?libcuda.so & segmentation fault\n"
    ".unable to load nvcuda\n" ".unable to load libcuda\n" ".libcuda.so.1 does not load\n"},
  {LIBCUDA, "nvenc-too-old", "the driver is too old for this video encoder",
    "NVENC's API is newer than the driver", "update the driver, or an older ffmpeg",
    ".driver does not support the required nvenc api version\n"
    ".the driver is too old for this video encoder\n"},
  {INIT, "env-hides-gpus", "CUDA_VISIBLE_DEVICES hides the GPUs",
    "an empty, -1 or unknown entry hides itself and all after it",
    "unset it, or name devices that exist", ".cuda_visible_devices & no device\n"
    ".cuda_visible_devices is set to an empty\n" ".visible devices list & invalid\n"
    ".cuda_visible_devices hides the gpus\n"},
  {INIT, "gpus-unseen", "CUDA sees fewer GPUs than NVML",
    "one is lost or in error, has MIG on, or CUDA_VISIBLE_DEVICES ends early",
    "'nvidia-smi -q' and Xid in the kernel log; reset that GPU or drain the node",
    ".cuda sees fewer gpus than nvml\n"},
  {INIT, "env-ignored", "a variable of CUDA has a value that CUDA does not know",
    "it is ignored without a word", "write it as CUDA's manual does",
    ".a variable of cuda has a value that cuda does not know\n"},
  {INIT, "slow-start", "the driver takes long to start",
    "persistence mode is off: each first program loads the GPUs' state anew",
    "nvidia-persistenced ('nvidia-smi -pm 1'); fewer GPUs in CUDA_VISIBLE_DEVICES",
    ".cuinit takes & seconds\n" ".cuinit is slow\n" ".cuinit took # s\n"
    ".the driver takes long to start\n"},
  {INIT, "no-device", "the CUDA driver finds no GPU that it may use",
    "libcuda loads but enumerates nothing (100)",
    "check nodes, CUDA_VISIBLE_DEVICES, NVRM in the kernel log",
    ".no cuda-capable device is detected\n" ".no cuda gpus are available\n"
    ".no cuda-capable device\n" ".no gpu detected\n" ".no nvidia gpu device is present\n"
    ".no cuda device found\n" "?no cuda runtime is found\n"
    ".the cuda driver finds no gpu that it may use\n"},
  {INIT, "not-initialized", "CUDA cannot start in this process (3)",
    "a child that was forked after CUDA's start, or a driver that cannot start here",
    "start method 'spawn'; else check device nodes, MIG instances and the driver",
    "!cannot re-initialize cuda in forked subprocess\n" ".cuinit failed: initialization error\n"
    ".cuda & initialization error\n" ".cuda cannot start in this process (3)\n"},
  {INIT, "driver-too-old", "the driver is too old for this CUDA",
    "CUDA 11 needs driver 450, 12 needs 525, 13 needs 580",
    "update the driver, or take the build for an older CUDA",
    ".nvidia driver on your system is too old\n" ".cuda driver version is insufficient\n"
    ".installed nvidia cuda driver is older than the cuda runtime\n" ".nvidia driver is too old\n"
    ".driver needs to be updated to cuda\n" ".driver version is insufficient for\n"
    ".driver version * is too old\n" ".cudnn_status_not_supported_incompatible_cuda_driver\n"
    ".the driver is too old for this cuda\n"},
  {INIT, "version-mismatch", "libcuda and kernel module differ in version",
    "the driver refuses the pair (803)",
    "have one libcuda, of the module's version; reboot after an update of the driver",
    ".unsupported display driver / cuda driver combination\n"
    "!kernel version * does not match dso version\n" ".error 500: named symbol not found\n"
    ".libcuda and kernel module differ in version\n"},
  {INIT, "compat-wrong-driver", "this cuda-compat does not work on this driver",
    "it holds only for the branches that it lists",
    "take the compat folder off the path; older CUDA or newer driver",
    ".cuda-compat & not & driver\n" ".cuda forward compatibility mode enabled & failed\n"
    ".this cuda-compat does not work on this driver\n"},
  {INIT, "compat-older", "cuda-compat is older than the host's own driver",
    "it is meant for hosts whose driver is older than the image",
    "take the compat folder off LD_LIBRARY_PATH and ld.so.conf.d: the host's libcuda is newer",
    ".cuda-compat is older than the host\n" ".cuda-compat is older than the host's own driver\n"},
  {INIT, "compat-unsupported-gpu", "forward compatibility does not cover this GPU",
    "cuda-compat is for data-center GPUs (804)",
    "take the compat folder off the path; newer driver or older CUDA",
    ".forward compatibility was attempted on non supported hw\n"
    ".forward compatibility does not cover this gpu\n"},
  {INIT, "shadowed-libcuda", "another libcuda lies in front of the right one",
    "the loader takes the first", "take the first one's folder off the library path",
    ".another libcuda lies in front of the right one\n"},
  {INIT, "baked-in-libcuda", "the image brings its own libcuda",
    "it does not fit the host's kernel module",
    "remove libcuda1, libnvidia-compute from the image", ".the image brings its own libcuda\n"},
  {INIT, "fabric-manager", "the NVSwitch fabric is not up (802)",
    "the GPUs wait for nvidia-fabricmanager, or for confidential computing's ready state",
    "start it (of the driver's version); in a cloud replace the node; 'nvidia-smi conf-compute"
    " -srs 1'", ".system not yet initialized\n" ".cuda_error_system_not_ready\n"
    "!nvidia-fabricmanager & fail\n" "!fabric manager & version & mismatch\n"
    ".fabric manager & not running\n" ".fabric state & in progress\n"
    ".fabric manager nvidia gpu driver interface version\n"
    ".unknown option: *fabricmanager.cfg\n" ".the nvswitch fabric is not up (802)\n"},
  {INIT, "fabric-not-ready", "the GPUs are not ready yet (802)",
    "still starting, or driver and kernel clash (KASLR)",
    "wait; update kernel and driver, or boot with nokaslr",
    ".the gpus are not ready yet (802)\n"},
  {INIT, "device-unavailable", "the GPU is busy or unavailable (46)",
    "compute mode exclusive or prohibited, no MPS server, or a vGPU without a licence",
    "end the other process, start MPS, or 'nvidia-smi -c DEFAULT'; check the licence",
    ".is/are busy or unavailable\n" ".devices are busy or unavailable\n"
    ".exclusive-process & already\n" ".the gpu is busy or unavailable (46)\n"},
  {INIT, "driver-set-incomplete", "parts of the driver are missing",
    "libcuda could not load or start its own libraries",
    "get the full set injected (compute), all of one version",
    ".parts of the driver are missing\n"},
  {INIT, "not-permitted", "the operation is not permitted (800)",
    "profiling rights, a licence, or a sandbox",
    "allow profiling (NVreg_RestrictProfilingToAdminUsers=0); sandbox", ".err_nvgpuctrperm\n"
    ".permission to access nvidia gpu performance counters\n"
    ".cupti_error_insufficient_privileges\n" ".nvml: unable to get * insufficient permissions\n"
    ".the operation is not permitted (800)\n"},
  {INIT, "not-supported", "the operation is not supported here (801)",
    "vGPU, MIG and WSL lack some features", "switch the feature off for this device",
    ".the operation is not supported here (801)\n"},
  {INIT, "invalid-device", "the device number does not exist (101)",
    "fewer GPUs are visible than expected: more processes than GPUs, or CUDA_VISIBLE_DEVICES",
    "check CUDA_VISIBLE_DEVICES, the number of processes and the allocation",
    ".invalid device ordinal\n" ".invalid cuda device= requested\n" ".invalid device id\n"
    ".attempting to use device * but only * available\n"
    ".the device number does not exist (101)\n"},
  {INIT, "os-call-failed", "a system call of the driver failed (304)",
    "device nodes, seccomp, a sandbox or a limit",
    "try without the profile; check /dev/nvidia*; see the kernel log",
    ".os call failed or operation not supported on this os\n"
    ".a system call of the driver failed (304)\n"},
  {INIT, "unknown-error", "the driver reports an unknown error (999)",
    "mostly nvidia-uvm missing, stale after suspend, or forbidden",
    "check /dev/nvidia-uvm; 'rmmod nvidia_uvm; modprobe nvidia_uvm'; Xid in the kernel log;"
    " reboot", ".cuda unknown error\n" ".cuda initialization: unknown error\n"
    ".unknown error (999)\n" ".the driver reports an unknown error (999)\n"},
  {ANYWHERE, "cuda-error", "the CUDA driver reports an error", "see the code",
    "see the kernel log; a newer driver may know more", "?cuda error\n" "?cuda failure\n"
    "?cuda runtime error\n" "?the cuda driver reports an error\n"},
  {ANYWHERE, "invalid-value", "a CUDA call got an argument that it rejects",
    "a bug of the program, a size of 0 or beyond a limit, or libraries that do not fit",
    "the line before it, CUDA_LAUNCH_BLOCKING=1; update the framework",
    "?cuda error: invalid argument\n" "?a cuda call got an argument that it rejects\n"},
  {ANYWHERE, "context-lost", "a CUDA handle or context is no longer valid",
    "an earlier error ended it, or it belongs to another process, device or library",
    "look for the first error before it; one context per process", ".invalid resource handle\n"
    ".invalid device context\n" ".a cuda handle or context is no longer valid\n"},
  {ANYWHERE, "capture-state", "a CUDA graph could not be captured",
    "the program did in between what capturing forbids",
    "switch graphs off (enforce_eager, torch.compile mode) to see the error itself",
    ".operation not permitted when stream is capturing\n"
    ".operation failed due to a previous error during capture\n"
    ".a cuda graph could not be captured\n"},
  {ANYWHERE, "shutting-down", "CUDA was called while the process ends",
    "an error before it ended the program, or a thread outlives main",
    "look for the first error before it", "?driver shutting down\n"
    "?cuda was called while the process ends\n"},
  {ANYWHERE, "profiler-state", "a profiler's call came at the wrong time",
    "another profiler holds the GPU, or it was started twice", "one profiler at a time",
    ".a profiler's call came at the wrong time\n"},
  {ANYWHERE, "vendor-crash", "the driver's code crashed",
    "mixed or damaged driver files, or a bug",
    "take all driver libraries from one version; see the kernel log",
    ".segfault at * in libcuda.so\n" ".segfault at * in libnvidia\n"
    ".the driver's code crashed\n"},
  {ANYWHERE, "vendor-hang", "the driver's code hangs",
    "a wedged GPU or firmware, or a very slow start",
    "see Xid in the kernel log, reboot; or raise --timeout", ".blocked for more than & nvidia\n"
    ".soft lockup & nvidia\n" ".the driver's code hangs\n"},
  {TOOLKIT, "cudnn-major", "cuDNN is missing or of another version than the framework's",
    "libcudnn.so.8 and .9 do not replace each other, and an older minor does not do",
    "install the cuDNN that the matrix names for this framework; one only",
    ".libcudnn* cannot open shared object\n" ".could not load library libcudnn\n"
    ".unable to load any of {libcudnn\n" ".could not load dynamic library 'libcudnn\n"
    "!loaded runtime cudnn library: * but source was compiled with\n"
    "!cudnn compiled * and runtime * versions mismatch\n" ".outdated cudnn installation found\n"
    ".cudnn version incompatibility\n" ".cannot load symbol cudnn\n"
    ".cudnn_status_sublibrary_version_mismatch\n" ".cudnn_status_version_mismatch\n"
    ".could not find any cudnn.h\n" ".libcudnn*: invalid elf header\n"
    ".cudnn_status_serialization_version_mismatch\n" ".cudnn_status_sublibrary_loading_failed\n"
    ".cudnn_status_not_supported_sublibrary_unavailable\n"
    ".cudnn_status_not_supported_incompatible_cudart\n"
    ".cudnn_status_not_supported_runtime_prerequisite_missing\n"
    ".cudnn_status_runtime_prerequisite_missing\n"
    ".found cudnn version * but jax was built against version\n"
    ".cudnn is missing or of another version than the framework's\n"},
  {TOOLKIT, "cudnn-damaged", "a file of cuDNN is damaged",
    "empty, cut short or no library: a bad copy or download",
    "install cuDNN again, from its package", ".libcudnn* file too short\n"
    ".cudnn_status_serialization_version_mismatch\n" ".cudnn_status_sublibrary_loading_failed\n"
    ".a file of cudnn is damaged\n"},
  {TOOLKIT, "toolkit-missing",
    "a CUDA toolkit library is missing (cuBLAS, cuFFT, cudart ...; the line names it)",
    "the framework wants it from the environment",
    "the runtime image that the matrix names, or '[and-cuda]'; LD_LIBRARY_PATH to it",
    ".could not load dynamic library 'lib\n" ".could not load dynamic library 'cu\n"
    "?cannot dlopen some gpu libraries\n" ".libcublas* cannot open shared object\n"
    ".libcublaslt* cannot open shared object\n" ".libcudart* cannot open shared object\n"
    ".libcufft* cannot open shared object\n" ".libcurand* cannot open shared object\n"
    ".libcusolver* cannot open shared object\n" ".libcusparse* cannot open shared object\n"
    ".libcupti* cannot open shared object\n" ".libnvrtc* cannot open\n"
    ".libnvtoolsext* cannot open\n" ".libnppi* cannot open\n" ".libcufile* cannot open\n"
    ".library cublas64_*.dll is not found\n" ".libnvinfer*cannot open shared object\n"
    ".libnvinfer & no such file\n" ".cufft_missing_dependency\n"
    ".a cuda toolkit library is missing (cublas, cufft, cudart ...; the line names it)\n"},
  {TOOLKIT, "nvjitlink-mismatch", "libnvJitLink is missing or of another CUDA than cuSPARSE",
    "an older one lies in front of the wheel's own, mostly by LD_LIBRARY_PATH",
    "take the toolkit's folder off LD_LIBRARY_PATH, or install nvidia-nvjitlink of the same"
    " CUDA", "!libnvjitlink* cannot open\n" ".undefined symbol: __nvjitlink\n"
    ".undefined symbol: nvjitlink\n" ".cannot find -lnvjitlink\n"
    ".nvjitlink_error_outdated_library\n" ".may need newer version of nvjitlink library\n"
    ".libnvjitlink is missing or of another cuda than cusparse\n"},
  {TOOLKIT, "cublas-mixed", "libcublas and libcublasLt are of different versions",
    "two toolkits are mixed: conda's, pip's and the system's",
    "take the other one's folder off LD_LIBRARY_PATH; one source of CUDA libraries",
    ".libcublas* & not defined in file libcublaslt\n" ".undefined symbol: cublaslt\n"
    ".undefined symbol: cublas\n" ".libcublas and libcublaslt are of different versions\n"},
  {TOOLKIT, "library-mixed", "CUDA libraries of different versions meet",
    "one was built for another version of the other",
    "one source of CUDA libraries, all of one version; look at LD_LIBRARY_PATH",
    ".undefined symbol: cusparse\n" ".undefined symbol: cusolver\n" ".undefined symbol: cudnn\n"
    ".undefined symbol: cuda\n" "?not defined in file libcu* with link time reference\n"
    ".curand_status_version_mismatch\n" ".cuda libraries of different versions meet\n"},
  {TOOLKIT, "nccl-mixed", "NCCL is older than what was built with it",
    "another libnccl.so.2 is loaded than that of the wheel",
    "take the other one off LD_LIBRARY_PATH, or update it; 'pip show nvidia-nccl-cu12'",
    ".undefined symbol: nccl\n" ".libnccl.so* cannot open\n" ".mismatched nccl version\n"
    ".nccl version mismatch\n" ".nccl is older than what was built with it\n"},
  {TOOLKIT, "library-damaged", "a CUDA library's file is damaged",
    "empty, cut short, or no library", "install its package again", ".libcu* invalid elf header\n"
    ".libcu* file too short\n" ".lib*cu* elf load command past end of file\n"
    ".libnv* invalid elf header\n" ".libnccl* file too short\n" ".libnv* file too short\n"
    ".a cuda library's file is damaged\n"},
  {TOOLKIT, "two-runtimes", "libcudart of two majors is installed",
    "wheels of several CUDA majors are mixed", "install all wheels for one CUDA major",
    ".multiple libcudart\n" ".found two conflicting cuda installs\n"
    ".libcudart.so* may conflict with libcudart\n" ".found duplicate * libcudart.so\n"
    ".libcudart of two majors is installed\n"},
  {TOOLKIT, "toolkit-shadowed", "a toolkit lies in front of the wheel's own",
    "LD_LIBRARY_PATH wins over the wheel", "take the toolkit's folder off LD_LIBRARY_PATH",
    ".found cu* version * but jax was built against version\n"
    ".outdated cu* installation found\n" ".a toolkit lies in front of the wheel's own\n"},
  {TOOLKIT, "glibc-too-old", "this distribution's glibc is too old for a library",
    "it was built on a newer one",
    "a newer distribution or base image (the matrix names them), or an older release",
    ".version 'glibc_#' not found\n" ".this distribution's glibc is too old for a library\n"},
  {TOOLKIT, "glibcxx-too-old", "the libstdc++ that is found is too old",
    "it was built with a newer compiler; conda's and the system's differ",
    "'conda install libstdcxx-ng', or a newer distribution; look at LD_LIBRARY_PATH",
    ".version 'glibcxx_#' not found\n" ".version 'cxxabi_#' not found\n"
    ".the libstdc++ that is found is too old\n"},
  {TOOLKIT, "loader-tls", "the loader has no room left for a library's thread-local data",
    "too many libraries were loaded before it",
    "import it first, or LD_PRELOAD the library that the line names",
    ".cannot allocate memory in static tls block\n"
    ".cannot load any more object with static tls\n"
    ".the loader has no room left for a library's thread-local data\n"},
  {TOOLKIT, "loader-preload", "LD_PRELOAD names a library that is not there",
    "the container does not have it, the mount made a folder, or it is for another"
    " architecture", "unset LD_PRELOAD (empty /etc/ld.so.preload), or mount the library",
    ".libvgpu.so* from /etc/ld.so.preload cannot be preloaded\n"
    ".libcu* from ld_preload cannot be preloaded\n"
    ".libnv* from ld_preload cannot be preloaded\n" ".*gpu* from ld_preload cannot be preloaded\n"
    ".ld_preload names a library that is not there\n"},
  {TOOLKIT, "nvcc-target", "this nvcc does not know the GPU's architecture",
    "the toolkit is older than the GPU, or has dropped it, or the name is wrong",
    "a toolkit that knows it (the matrix), or TORCH_CUDA_ARCH_LIST, CMAKE_CUDA_ARCHITECTURES"
    " for one that it knows", ".nvcc fatal : unsupported gpu architecture\n"
    ".unsupported gpu architecture 'compute_\n" ".value 'sm_*' is not defined for option 'gpu-\n"
    ".failed to detect a default cuda architecture\n" ".unknown cuda arch\n"
    ".cmake_cuda_architectures must be\n" ".this nvcc does not know the gpu's architecture\n"},
  {TOOLKIT, "nvcc-host-compiler", "nvcc does not take this host compiler",
    "gcc, clang or Visual Studio is newer than the toolkit knows",
    "NVCC_PREPEND_FLAGS='-ccbin g++-12' (an older one), or a newer toolkit",
    ".unsupported gnu version! gcc versions later than\n" ".unsupported clang version\n"
    ".unsupported microsoft visual studio version\n" ".parameter packs not expanded with\n"
    ".exception specification is incompatible with that of previous function\n"
    ".identifier '_float32' is undefined\n" ".bits/mathcalls & error\n"
    ".cannot find a supported version of microsoft visual studio\n"
    ".allow-unsupported-compiler\n" ".nvcc does not take this host compiler\n"},
  {TOOLKIT, "nvcc-missing", "the CUDA compiler nvcc is not found",
    "no toolkit is installed, or CUDA_HOME does not name it; runtime images have none",
    "a devel image, or the toolkit; CUDA_HOME=/usr/local/cuda and its bin on PATH",
    ".cuda_home environment variable is not set\n" ".nvcc: command not found\n"
    ".nvcc: not found\n" ".nvcc was not found\n" ".the cuda compiler identification is unknown\n"
    ".no cmake_cuda_compiler could be found\n" ".could not find nvcc\n"
    ".cuda_toolkit_root_dir not found\n" ".bin/nvcc': no such file\n"
    ".failed checking for nvcc\n" ".cannot find libdevice for sm_\n"
    ".the cuda compiler nvcc is not found\n"},
  {TOOLKIT, "toolkit-headers", "headers of the CUDA toolkit are missing",
    "only part of the toolkit is installed", "a devel image, or the toolkit's -dev packages",
    ".cuda_runtime.h: no such file\n" ".cuda_runtime_api.h: no such file\n"
    ".error: cuda.h: no such file\n" ".cuda_fp16.h: no such file\n" ".cusparse.h: no such file\n"
    ".cusolverdn.h: no such file\n" ".cublas_v2.h: no such file\n" ".cudnn.h: no such file\n"
    ".nccl.h: no such file\n" ".nvtoolsext.h: no such file\n" ".thrust/*: no such file\n"
    ".nv/target: no such file\n" ".cannot open source file 'vector_types.h'\n"
    ".catastrophic error: cannot open source file & cuda\n" ".cuda_fp16.h & no such file\n"
    ".headers of the cuda toolkit are missing\n"},
  {TOOLKIT, "toolkit-link", "the linker does not find a CUDA library",
    "the toolkit's lib64 (or lib64/stubs) is not on its path",
    "-L/usr/local/cuda/lib64, and -L/usr/local/cuda/lib64/stubs for -lcuda",
    ".cannot find -lcudart\n" ".cannot find -lcublas\n" ".cannot find -lcudnn\n"
    ".cannot find -lnvrtc\n" ".cannot find -lcufft\n" ".cannot find -lcurand\n"
    ".cannot find -lnvidia-ml\n" ".libcuda.so.1, needed by\n"
    ".libcuda.so.1, needed by & not found\n" ".the linker does not find a cuda library\n"},
  {TOOLKIT, "toolkits-mixed-build", "parts of two toolkits meet in one build",
    "nvcc, ptxas, nvlink or libcudadevrt are of different versions, or objects are stale",
    "one toolkit on PATH, CUDA_HOME and the link path; build from clean",
    ".newer than toolkit (\n" ".nvlink fatal\n" ".ptxas fatal : unsupported .version\n"
    ".ptxas fatal : ptx assembly aborted\n" ".parts of two toolkits meet in one build\n"},
  {TOOLKIT, "nvcc-killed", "nvcc ended without its words",
    "it had no memory left: too many jobs at once",
    "MAX_JOBS=2, fewer architectures, more memory", ".nvcc & killed\n" ".cicc & killed\n"
    ".ptxas & died due to signal 9\n" ".nvcc error : * died due to signal\n"
    ".nvcc ended without its words\n"},
  {TOOLKIT, "detected-cuda-mismatch", "the toolkit is of another CUDA than PyTorch",
    "extensions must be built with the CUDA of the wheel",
    "CUDA_HOME to the toolkit of that major, or the PyTorch for the other one",
    ".mismatches the version that was used to compile pytorch\n" ".cuda version * mismatches\n"
    ".does not match the version torch was compiled with * unable to compile\n"
    ".the toolkit is of another cuda than pytorch\n"},
  {TOOLKIT, "target-too-low", "the code needs a newer target than it is compiled for",
    "it uses instructions of newer GPUs (tensor cores, bf16, ldmatrix)",
    "TORCH_CUDA_ARCH_LIST or -arch of the GPU at hand; leave out older ones",
    ".requires .target sm_* or higher\n" ".__hfma2_relu & undefined\n"
    ".no instance of overloaded function 'atomicadd'\n"
    ".the code needs a newer target than it is compiled for\n"},
  {TOOLKIT, "nvrtc-symbol", "libnvrtc is of another CUDA than the program was made for",
    "a symbol that it asks for is not in this major version",
    "NVRTC of the CUDA that it was built for; a newer version of the program",
    ".libnvrtc*undefined symbol\n" ".undefined symbol: nvrtc\n" ".libnvrtc & dlsym\n"
    ".libnvrtc is of another cuda than the program was made for\n"},
  {TOOLKIT, "tensorrt-libraries", "TensorRT's libraries are not found",
    "the loader does not search their folder, or another major is installed",
    "LD_LIBRARY_PATH to its lib folder; pip install tensorrt of the major that is asked for",
    "!libnvinfer\n" "!libnvonnxparser\n" ".tensorrt's libraries are not found\n"},
  {TOOLKIT, "library-locked", "a CUDA library may not be loaded (file rights)",
    "the file or its folder cannot be read or run by this user",
    "chmod or icacls; another folder for artifacts; an antivirus program",
    ".could not load library & cudnn\n" ".could not load library & cublas\n"
    ".access is denied & cudnn\n" ".a cuda library may not be loaded (file rights)\n"},
  {TOOLKIT, "library-arch", "a CUDA library is for another processor or word size",
    "32 and 64 bits, or x86-64 and aarch64, are mixed on the library path",
    "put the folder of this machine's libraries first; the wheel or package of its"
    " architecture", ".libcu* wrong elf class\n" ".libnv* wrong elf class\n"
    ".libnccl* wrong elf class\n" ".libcu* cannot open shared object file & exec format error\n"
    ".a cuda library is for another processor or word size\n"},
  {FRAMEWORK, "cpu-only-wheel", "the installed framework is a CPU-only build",
    "it never uses a GPU (PyTorch's +cpu wheel, jax without [cuda12], paddlepaddle,"
    " onnxruntime)", "install the CUDA build: the matrix names version and index",
    ".torch not compiled with cuda enabled\n" ".pytorch * compiled without cuda\n"
    ".attempting to deserialize object on a cuda device but torch.cuda.is_available() is"
    " false\n" ".a cuda-enabled jaxlib is not installed\n"
    ".no gpu/tpu found, falling back to cpu\n" ".you have installed cpu version paddlepaddle\n"
    ".please compile with cuda enabled\n" ".gpu tree learner was not enabled in this build\n"
    ".cuda tree learner was not enabled in this build\n"
    ".llama.cpp was compiled without gpu support\n" ".not compiled with cuda support\n"
    ".was not compiled with cuda\n" ".xgboost version not compiled with gpu support\n"
    ".compiled without gpu support\n" ".ctranslate2 package was not compiled with cuda support\n"
    ".rebuild * with cuda\n" ".device is changed from gpu to cpu\n" ".no gpu implementation for\n"
    ".could not find cuda support in\n" ".the installed framework is a cpu-only build\n"},
  {FRAMEWORK, "companion-cpu-build", "a companion of the framework is built for another PyTorch",
    "torch and xformers, torchvision or torchaudio are of different releases or CUDAs",
    "the set that the matrix names, in one pip command; 'tmplgen matrix resolve --with'",
    ".xformers can't load c++/cuda extensions\n" ".xformers was built for\n"
    ".operator torchvision::nms does not exist\n"
    ".couldn't load custom c++ ops. this can happen if your pytorch and torchvision\n"
    ".detected that pytorch and torchvision were compiled with different cuda\n"
    ".detected that pytorch and torchaudio were compiled with different cuda\n"
    ".partially initialized module 'torchvision'\n"
    ".torchvision * has no attribute 'extension'\n"
    ".a companion of the framework is built for another pytorch\n"},
  {FRAMEWORK, "onnxruntime-cpu", "ONNX Runtime's CPU package is the one that is imported",
    "onnxruntime and onnxruntime-gpu overwrite each other's files",
    "'pip uninstall onnxruntime onnxruntime-gpu', then install onnxruntime-gpu alone",
    ".cudaexecutionprovider' is not in available provider\n"
    ".['azureexecutionprovider', 'cpuexecutionprovider']\n"
    ".available providers: 'azureexecutionprovider, cpuexecutionprovider'\n"
    ".onnx runtime's cpu package is the one that is imported\n"},
  {FRAMEWORK, "onnxruntime-provider", "ONNX Runtime cannot load its CUDA provider",
    "CUDA's or cuDNN's libraries of the major that it wants are not there",
    "the CUDA and cuDNN that the matrix names; onnxruntime.preload_dlls()",
    "?failed to create cudaexecutionprovider\n" "?libonnxruntime_providers_cuda.so with error\n"
    "?failed to load library libonnxruntime_providers_cuda\n" ".onnxruntime_providers_cuda.dll\n"
    ".onnxruntime_providers_cuda & loadlibrary\n" ".loadlibrary failed with error 126\n"
    ".onnx runtime cannot load its cuda provider\n"},
  {FRAMEWORK, "wheel-lacks-gpu", "the framework has no code for this GPU",
    "its build has no kernels (cubin, PTX) for the GPU's compute capability (209)",
    "take the CUDA variant that covers it: the matrix names it; or build for its architecture",
    "!is not compatible with the current pytorch installation\n"
    "!pytorch install supports cuda capabilities\n"
    "!pytorch no longer supports this gpu because it is too old\n"
    ".no kernel image is available\n" ".invalid device function\n"
    ".the minimum * cuda capability * is\n" ".nvidia gpu * requires compute capability\n"
    ".gpu * compute capability * is not supported\n"
    ".ignoring visible gpu device * with cuda compute capability\n"
    ".flashattention only supports\n"
    ".bfloat16 is only supported on gpus with compute capability\n"
    ".tensorflow was not built with cuda kernel binaries compatible with compute capability\n"
    ".sm_* is not supported by this build\n" ".is not compatible with paddle installation\n"
    ".not compatible with * installation with arch\n"
    ".was not built to work with the selected device\n" ".cuda_arch_bin in your build\n"
    ".check cuda_arch_ptx\n" ".the framework has no code for this gpu\n"},
  {FRAMEWORK, "gpu-too-old-for-feature", "this GPU is too old for a feature of the framework",
    "it needs a newer compute capability: 7.0 for Triton, 8.0 for bfloat16 and FlashAttention,"
    " 8.9 for fp8", "switch the feature off (float16, another attention backend), or a newer GPU",
    ".too old to be supported by the triton gpu compiler\n"
    ".fp8e4nv not supported in this architecture\n" ".flashattention * ampere gpus or newer\n"
    ".cannot use flashattention & compute capability\n"
    ".this gpu is too old for a feature of the framework\n"},
  {FRAMEWORK, "extension-abi", "an extension is built for another PyTorch",
    "a symbol of torch is missing: another version, C++ ABI, or CUDA",
    "the wheel for this torch (the matrix), or build it again: '--no-build-isolation"
    " --no-cache-dir'", ".undefined symbol: _zn3c10\n" ".undefined symbol: _zn2at\n"
    ".undefined symbol: _zn5torch\n" ".undefined symbol: _znk3c10\n"
    ".undefined symbol: _znk2at\n" ".undefined symbol: _znk5torch\n"
    ".undefined symbol: _zn6caffe2\n" ".undefined symbol: _zn10tensorflow\n"
    ".undefined symbol: aoti_torch\n" ".undefined symbol: thc\n" ".has no symbol * torch\n"
    ".libtorch_cuda_cu.so\n" ".libtorch_cuda_cpp.so\n"
    ".an extension is built for another pytorch\n"},
  {FRAMEWORK, "tensorflow-abi", "an extension is built for another TensorFlow",
    "a symbol of TensorFlow is missing", "the release of both that belong together",
    ".undefined symbol: _zn10tensorflow\n" ".an extension is built for another tensorflow\n"},
  {FRAMEWORK, "bitsandbytes-cpu", "bitsandbytes has no library for this CUDA",
    "it fell back to its CPU code: no CUDA is found, or its release is older than it",
    "a release that knows this CUDA; unset BNB_CUDA_VERSION; 'python -m bitsandbytes'",
    ".bitsandbytes was compiled without gpu support\n"
    ".libbitsandbytes_cpu.so: undefined symbol\n" ".could not find the bitsandbytes cuda binary\n"
    ".libbitsandbytes_cuda*: cannot open\n" ".cuda setup failed despite gpu being available\n"
    ".required library version not found: libbitsandbytes_cuda\n"
    ".bitsandbytes has no library for this cuda\n"},
  {FRAMEWORK, "wheel-not-found", "pip finds no wheel of this release",
    "it is on the framework's own index, or not built for this Python, processor or CUDA",
    "--index-url https://download.pytorch.org/whl/cu126 (of the variant); the Python that the"
    " matrix names", ".no matching distribution found for torch\n"
    ".could not find a version that satisfies the requirement torch\n"
    ".could not find a version that satisfies the requirement tensorflow\n"
    ".no matching distribution found for tensorflow\n"
    ".could not find a version that satisfies the requirement jax\n"
    ".could not find a version that satisfies the requirement onnxruntime-gpu\n"
    ".could not find a version that satisfies the requirement nvidia-\n"
    ".no solution found & torch\n" ".pip finds no wheel of this release\n"},
  {FRAMEWORK, "wheel-wrong-platform", "this wheel is for another Python, system or ABI",
    "its tags (cp310, linux_x86_64, cxx11abi) do not fit",
    "the wheel with the tags of 'pip debug --verbose'; or let pip choose",
    ".flash_attn* is not a supported wheel on this platform\n"
    ".torch* is not a supported wheel on this platform\n"
    ".*cu1* is not a supported wheel on this platform\n"
    ".a url dependency is incompatible with the current platform & cu1\n"
    ".hint: the wheel is compatible with * but you're on\n"
    ".this wheel is for another python, system or abi\n"},
  {FRAMEWORK, "build-needs-torch",
    "an extension needs torch to be built, and the build does not see it",
    "pip and uv build in an environment of their own",
    "install torch first, then '--no-build-isolation'", ".no module named 'torch' & build\n"
    ".depends on 'torch', but doesn't declare it as a build dependency\n"
    ".modulenotfounderror: no module named 'torch' & setup.py\n"
    ".an extension needs torch to be built, and the build does not see it\n"},
  {FRAMEWORK, "package-renamed", "this pip package is gone",
    "tensorflow has GPU support itself since 2.1", "'pip install \"tensorflow[and-cuda]\"'",
    ".the 'tensorflow-gpu' package has been removed\n" ".this pip package is gone\n"},
  {FRAMEWORK, "plugin-mismatch", "JAX's CUDA plugin and jaxlib are of different releases",
    "one was updated without the other", "'pip install -U \"jax[cuda12]\"': all of one release",
    ".mismatched pjrt plugin\n" ".pjrt api version\n"
    ".jaxlib version * is newer than and incompatible with jax\n" ".jax requires jaxlib\n"
    ".not compatible with the installed jaxlib\n" ".jax plugin * is installed\n"
    ".jax's cuda plugin and jaxlib are of different releases\n"},
  {FRAMEWORK, "jax-backend", "JAX cannot start its CUDA backend",
    "its own words stand in the line",
    "'pip install -U \"jax[cuda12]\"'; driver and libraries as the matrix says",
    "?unable to initialize backend 'cuda'\n"
    "?unable to use cuda because of the following issues\n" "?cuda backend failed to initialize\n"
    "?jax cannot start its cuda backend\n"},
  {FRAMEWORK, "xla-tools", "XLA finds no ptxas or libdevice", "runtime images lack the compiler",
    "install nvidia-cuda-nvcc, or set --xla_gpu_cuda_data_dir", ".ptxas* not found\n"
    ".couldn't invoke ptxas\n" ".ptxas * has a bug that we think can affect xla\n"
    ".ptxas returned an error during compilation of ptx to sass\n"
    ".xla finds no ptxas or libdevice\n"},
  {FRAMEWORK, "cupy-twice", "several CuPy packages are installed together",
    "each is for another CUDA, and they write to the same folder",
    "pip uninstall all of them, then install the one that fits",
    ".multiple cupy packages are installed\n" ".several cupy packages are installed together\n"},
  {FRAMEWORK, "cpu-only-library", "a library beside the framework is built without CUDA",
    "its default wheel or package is CPU-only",
    "its build for this CUDA, from its own index; or compile it with CUDA switched on",
    ".device api cuda is not enabled\n" ".please install the cuda version of dgl\n"
    ".the library is compiled without cuda support\n" ".throw_no_cuda\n"
    ".a library beside the framework is built without cuda\n"},
  {JIT, "ptx-too-new", "the driver is too old for this PTX (222)",
    "the PTX comes from a newer CUDA toolkit: minor-version compatibility excludes it",
    "update the driver, ship cubins, or use an older toolkit",
    ".provided ptx was compiled with an unsupported toolchain\n" ".unsupported .version\n"
    ".cuda_error_unsupported_ptx_version\n" ".(unsupported ptx version)\n"
    ".the driver is too old for this ptx (222)\n"},
  {JIT, "jit-compiler-missing", "the driver's PTX compiler is missing (221)",
    "libnvidia-ptxjitcompiler.so.1 was not injected",
    "NVIDIA_DRIVER_CAPABILITIES=compute,utility; one full driver set",
    ".libnvidia-ptxjitcompiler*cannot open\n" ".libnvidia-ptxjitcompiler\n"
    ".ptx jit compiler library not found\n" ".the driver's ptx compiler is missing (221)\n"},
  {JIT, "jit-disabled", "compiling PTX is switched off (223)", "CUDA_DISABLE_PTX_JIT is set",
    "unset it, or ship cubins for every GPU", ".ptx jit compilation was disabled\n"
    ".compiling ptx is switched off (223)\n"},
  {JIT, "bad-image", "the driver refuses the kernel image",
    "damaged, or built for another GPU (200, 218)",
    "build it again for this GPU's architecture; see the compiler's log",
    ".device kernel image is invalid\n" ".a ptx jit compilation failed\n"
    ".cuda_error_invalid_ptx\n" ".cuda_error_invalid_source\n"
    ".the driver refuses the kernel image\n"},
  {JIT, "entry-missing", "the kernel is not in the module (500)",
    "another version of it was loaded", "build program and kernels together",
    ".named symbol not found\n" ".the kernel is not in the module (500)\n"},
  {JIT, "ptx-target-too-new", "the PTX is for a newer GPU than this",
    "its .target is above the compute capability", "build for a lower target",
    ".sm version specified by .target is higher\n" ".the ptx is for a newer gpu than this\n"},
  {JIT, "ptxas-too-old", "the ptxas that is called does not know this GPU or this PTX",
    "Triton's or PATH's ptxas is of an older CUDA",
    "a newer Triton; TRITON_PTXAS_PATH to a newer ptxas; the toolkit that the matrix names",
    "!ptxas error\n" ".ptxas & gpu-name\n" ".internal triton ptx codegen error\n"
    "!does not support cc\n" ".ptxas too old\n" "!ptxas fatal & value 'sm_\n"
    "!you are using ptxas\n" ".you are using ptxas * but tf requires\n"
    ".the ptxas that is called does not know this gpu or this ptx\n"},
  {JIT, "nvrtc-target", "NVRTC does not know this GPU",
    "the framework's CUDA is older than the GPU",
    "the build for a newer CUDA: the matrix names it",
    ".nvrtc: error: invalid value for --gpu-architecture\n" ".nvrtc_error_invalid_option\n"
    ".nvrtc does not know this gpu\n"},
  {JIT, "nvrtc-builtins", "NVRTC does not find its own builtins",
    "libnvrtc-builtins of the same CUDA is not beside it",
    "install nvidia-cuda-nvrtc of that CUDA; look at LD_LIBRARY_PATH",
    ".failed to open libnvrtc-builtins\n" ".nvrtc_error_builtin_operation_failure\n"
    ".nvrtc does not find its own builtins\n"},
  {JIT, "nvrtc-compile", "a kernel's source does not compile at run time (NVRTC)",
    "missing headers of CUDA, an old release of the framework for them, or an error in the"
    " source", "nvidia-cuda-runtime and -cccl of the same CUDA; CUDA_PATH; update the framework",
    ".nvrtc: error\n" ".nvrtc compilation failed\n" ".nvrtc_error_compilation\n"
    ".compileexception & .cu\n" ".cubin.cu\n" ".cuda compile error\n"
    ".catastrophic error * cannot open source file\n" ".nvrtc_error_out_of_memory\n"
    ".nvrtc_error_program_creation_failure\n" ".nvrtc_error_invalid_input\n"
    ".nvrtc_error_invalid_program\n" ".nvrtc_error_no_name_expressions_after_compilation\n"
    ".nvrtc_error_no_lowered_names_before_compilation\n"
    ".nvrtc_error_name_expression_not_valid\n" ".nvrtc_error_internal_error\n"
    ".nvrtc_error_time_file_write_failed\n" ".nvrtc_error_no_pch_create_attempted\n"
    ".nvrtc_error_pch_create_heap_exhausted\n" ".nvrtc_error_pch_create\n"
    ".nvrtc_error_cancelled\n" ".cudnn_status_internal_error_compilation_failed\n"
    ".nvrtc_error_\n" ".a kernel's source does not compile at run time (nvrtc)\n"},
  {JIT, "nvvm-missing", "libNVVM or libdevice is not found",
    "numba compiles with them, and CUDA_HOME does not lead there",
    "'conda install cuda-nvcc', or CUDA_HOME of a whole toolkit", ".libnvvm cannot be found\n"
    ".nvvmsupporterror\n" ".libnvvm.so & cannot open\n" ".nvvm_error\n"
    ".libnvvm or libdevice is not found\n"},
  {JIT, "triton-compiler", "Triton needs a C compiler, and Python's headers, at run time",
    "it builds its launcher with gcc, which runtime images lack",
    "install gcc and python3-dev in the image, or set CC", ".failed to find c compiler\n"
    ".python.h: no such file\n" ".failed to find python libs\n"
    ".include file 'python.h' not found\n" ".is not a recognized processor for this target\n"
    ".cannot select: intrinsic %llvm.nvvm\n"
    ".triton needs a c compiler, and python's headers, at run time\n"},
  {JIT, "triton-cuda-unknown", "this Triton is too old for this CUDA",
    "it does not know the PTX of the version that it got",
    "the Triton that belongs to this PyTorch: the matrix names it",
    ".triton only support cuda 10.0 or higher, but got cuda version\n"
    ".this triton is too old for this cuda\n"},
  {JIT, "triton-cache", "Triton cannot write its cache",
    "its folder is not writable for this user, full, or on a network file system",
    "TRITON_CACHE_DIR to a local folder of this user", "..triton & permission denied\n"
    "..triton/cache & stale file handle\n" "..triton/cache & busy\n" "..triton & no space left\n"
    "..triton & read-only file system\n" ".triton cannot write its cache\n"},
  {JIT, "triton-compile", "Triton cannot compile a kernel",
    "what it uses does not exist on this GPU or in this release",
    "a release of Triton and PyTorch that belong together; a smaller configuration",
    "?triton.compiler.errors.compilationerror\n" "?triton.compiler & error\n"
    "?torch._inductor & triton\n" ".passmanager::run failed\n"
    ".triton cannot compile a kernel\n"},
  {JIT, "bf16-too-old", "a kernel uses bfloat16 on a GPU before Ampere",
    "its instructions need compute capability 8.0",
    "float16 (or float32) on this GPU: dtype=half", ".feature '.bf16' requires .target sm_80\n"
    ".bfloat16 & requires & sm_80\n" "!bf16* requires .target sm_80\n"
    ".a kernel uses bfloat16 on a gpu before ampere\n"},
  {JIT, "cache-full", "the cache of compiled kernels cannot be written",
    "CUDA_CACHE_PATH or ~/.nv is full, read-only or of another user",
    "CUDA_CACHE_PATH to a writable folder", "..nv/computecache\n"
    ".the cache of compiled kernels cannot be written\n"},
  {JIT, "libdevice-missing", "libdevice is not found",
    "the CUDA toolkit that the compiler was given lacks it, or its place is not known",
    "XLA_FLAGS=--xla_gpu_cuda_data_dir=/usr/local/cuda; install cuda-nvcc or nvidia-cuda-nvcc;"
    " CUDA_HOME", "!libdevice is required by this hlo\n" "!libdevice not found at\n"
    "!find libdevice\n" ".libdevice is not found\n"},
  {JIT, "nvjitlink-failed", "nvJitLink cannot link the kernels",
    "its input is of another CUDA or architecture, or an option is not known",
    "build all parts with one toolkit; nvidia-nvjitlink of the newest minor version among them",
    ".nvjitlink_error_unrecognized_option\n" ".nvjitlink_error_missing_arch\n"
    ".nvjitlink_error_invalid_input\n" ".nvjitlink_error_ptx_compile\n"
    ".nvjitlink_error_nvvm_compile\n" ".nvjitlink_error_internal\n"
    ".nvjitlink_error_threadpool\n" ".nvjitlink_error_unrecognized_input\n"
    ".nvjitlink_error_finalize\n" ".nvjitlink_error_\n" ".nvjitlinkerror\n"
    ".nvjitlink cannot link the kernels\n"},
  {EXEC, "out-of-memory", "the GPU has not enough free memory",
    "model and batch are larger, or others hold it (time-slicing and AWS vGPU isolate none)",
    "a smaller batch; cap the framework's memory; end the others ('nvidia-smi'); a larger GPU"
    " or slice", ".cuda out of memory\n" ".cuda error: out of memory\n"
    ".cuda failure*'out of memory'\n" ".cudamalloc failed: out of memory\n"
    ".cudaerrormemoryallocation\n" ".cuda_error_out_of_memory\n" ".oom when allocating tensor\n"
    ".resource_exhausted: out of memory\n" ".ran out of memory trying to allocate\n"
    ".out of memory allocating * bytes & allocated so far\n"
    ".failed to allocate memory for requested buffer\n" ".bfcarena::allocaterawinternal\n"
    ".rmm failure\n" ".maximum pool size exceeded\n" ".std::bad_alloc: out_of_memory: cuda\n"
    ".no available memory for the cache blocks\n" ".larger than the available kv cache memory\n"
    ".larger than the maximum number of tokens that can be stored in kv cache\n"
    ".toutofmemoryerror\n" ".cnmem_status_out_of_memory\n"
    ".requested amount of gpu memory * could not be allocated\n"
    ".device memory is insufficient to use tactic\n" ".unable to allocate cuda# buffer\n"
    ".failed to allocate * cuda# buffer\n" ".failed to allocate * from device\n"
    ".error code 2: outofmemory\n" ".cuda error in * allocate: 2 (out of memory)\n"
    ".gpu memory allocation error\n" ".failed to allocate * on gpu\n"
    ".unable to allocate * gpu memory\n" ".gpu out of memory\n" ".hip out of memory\n"
    "!resource_exhausted: failed to allocate request\n"
    ".would exceed allowed memory. (out of memory)\n" ".system is out of gpu\n"
    "!out of memory error on gpu\n" "!device * oom # / #\n" ".resourceexhaustederror:\n"
    "!cuda failure 'out of memory'\n" "!cuda failure # 'out of memory'\n"
    ".cusolver_status_alloc_failed\n" ".cusparse_status_alloc_failed\n"
    ".curand_status_allocation_failed\n" ".resource exhausted: failed to allocate request\n"
    ".resource exhausted: out of memory while trying\n"
    ".pooled_storage_manager.h:*: memory allocation failed\n" "..cuh(#): out of memory\n"
    "..cu(#): out of memory\n" ".the gpu has not enough free memory\n"},
  {EXEC, "memory-of-others", "other processes hold the GPU's memory",
    "less is free than the program wants at its start",
    "'nvidia-smi' names them; end them, or ask for less (gpu_memory_utilization)",
    ".on startup is less than desired gpu memory utilization\n"
    ".failed call to cudeviceprimaryctxretain: cuda_error_out_of_memory\n"
    ".call to cuinit results in cuda_error_out_of_memory\n"
    ".other processes hold the gpu's memory\n"},
  {EXEC, "wrong-result", "a kernel ran, and its result is wrong",
    "defective hardware (memory, overclocking, heat), where the code is known to be right",
    "run again; then drain the node, replace the GPU", ".test failed! & gpu\n" ".gpu * faulty\n"
    ".result verification failed at element\n" ".errors: * warning! & gpu\n"
    ".a kernel ran, and its result is wrong\n"},
  {EXEC, "illegal-access", "a kernel used memory that it may not (700)",
    "an invalid address or an index out of bounds: its bug, or failing hardware",
    "the context is lost; run compute-sanitizer, CUDA_LAUNCH_BLOCKING=1",
    ".an illegal memory access was encountered\n" ".cudaerrorillegaladdress\n"
    ".cuda_error_illegal_address\n" ".invalid __global__ read\n" ".invalid __global__ write\n"
    ".cuda exception: warp illegal address\n" ".illegal address in cuda queue\n"
    ".fault_priv_violation\n" ".a kernel used memory that it may not (700)\n"},
  {EXEC, "device-assert", "a check in a kernel failed (device-side assert)",
    "an index or a label out of range, or NaN where none may be",
    "run the batch on the CPU, or CUDA_LAUNCH_BLOCKING=1: the line tells which; check labels"
    " and ids", "!block: [* thread: [* assertion\n" ".device-side assert triggered\n"
    ".cudaerrorassert\n" ".a check in a kernel failed (device-side assert)\n"},
  {EXEC, "misaligned", "a kernel used an address that is not aligned (716)",
    "its bug: a type is read where it may not start", "run compute-sanitizer; align the pointers",
    ".misaligned address\n" ".is misaligned\n"
    ".a kernel used an address that is not aligned (716)\n"},
  {EXEC, "illegal-instruction", "a kernel has an illegal instruction (715)",
    "code for another GPU, damaged code, or unstable hardware",
    "build for this GPU; take overclocking back; gpu-smoke --level long",
    ".an illegal instruction was encountered\n" ".a kernel has an illegal instruction (715)\n"},
  {EXEC, "launch-timeout", "a kernel ran too long (702)",
    "the watchdog of a display stops kernels", "use a GPU without a display, or shorter kernels",
    ".the launch timed out and was terminated\n" ".cuda_error_launch_timeout\n"
    ".a kernel ran too long (702)\n"},
  {EXEC, "launch-resources", "a kernel asks for more than the GPU has (701)",
    "registers, threads or shared memory per block",
    "smaller blocks, fewer stages; the tuning is for a larger GPU",
    ".too many resources requested for launch\n" ".out of resource: shared memory\n"
    ".outofresources\n" ".invalid configuration argument\n" ".too much shared data\n"
    ".a kernel asks for more than the gpu has (701)\n"},
  {EXEC, "kernel-fault", "a kernel faulted", "a bug, or failing hardware",
    "run compute-sanitizer; gpu-smoke --level long; Xid in the kernel log",
    ".unspecified launch failure\n" ".cuda_error_launch_failed\n" ".cudaerrorlaunchfailure\n"
    ".failed to launch * kernel\n" ".hardware stack error\n" ".invalid program counter\n"
    ".== compute-sanitizer\n" ".a kernel faulted\n"},
  {EXEC, "kernel-killed", "work of a program was removed from the GPU (Xid 45)",
    "the program ended or was killed, or an earlier Xid made it so",
    "look for the Xid or signal before it",
    ".work of a program was removed from the gpu (xid 45)\n"},
  {EXEC, "cublas-start", "cuBLAS cannot start",
    "no GPU memory is left for its handle, or its library does not fit driver and framework",
    "a smaller batch, allow_growth; one cuBLAS only: LD_LIBRARY_PATH",
    ".cublas_status_alloc_failed\n" ".cublas_status_not_initialized\n"
    ".failed to create cublas handle\n" ".cublas cannot start\n"},
  {EXEC, "cublas-status", "cuBLAS reports an error",
    "a call that it does not take: shapes, an index error before, or a library of another"
    " version",
    "CUDA_LAUNCH_BLOCKING=1; run the batch on the CPU; one cuBLAS only: LD_LIBRARY_PATH",
    ".cublas_status_execution_failed\n" ".cublas_status_invalid_value\n"
    ".cublas_status_internal_error\n" ".cublas_status_not_supported\n"
    ".cublas_status_mapping_error\n" ".cublas_status_license_error\n"
    ".cublas reports an error\n"},
  {EXEC, "cudnn-start", "cuDNN cannot start",
    "no GPU memory is left for it, or its library does not fit framework or driver",
    "a smaller batch, allow_growth; the cuDNN that the matrix names",
    ".cudnn_status_not_initialized\n" ".cudnn_status_alloc_failed\n"
    ".could not create cudnn handle\n" ".failed to get convolution algorithm\n"
    ".cudnn_status_internal_error_host_allocation_failed\n"
    ".cudnn_status_internal_error_device_allocation_failed\n" ".cudnn cannot start\n"},
  {EXEC, "cudnn-status", "cuDNN reports an error",
    "an input that it has no algorithm for, no memory for its workspace, or mixed versions",
    ".contiguous(), a smaller batch; torch.backends.cudnn.enabled = False tells; the cuDNN of"
    " the matrix", ".cudnn_status_not_supported\n" ".cudnn_status_execution_failed\n"
    ".cudnn_status_internal_error\n" ".cudnn_status_mapping_error\n" ".cudnn_status_bad_param\n"
    ".unable to find a valid cudnn algorithm\n"
    ".unable to find an engine to execute this computation\n" ".cudnn_status_license_error\n"
    ".cudnn_status_runtime_\n" ".cudnn_status_invalid_value\n" ".cudnn_status_deprecated\n"
    ".cudnn_status_runtime_in_progress\n" ".cudnn_status_runtime_fp_overflow\n"
    ".cudnn reports an error\n"},
  {EXEC, "cufft-status", "cuFFT reports an error",
    "no memory for its plan, or a library too old for the GPU",
    "free memory; the framework's build for a newer CUDA", ".cufft_internal_error\n"
    ".cufft_alloc_failed\n" ".cufft_exec_failed\n" ".cufft error\n" ".cufft_invalid_plan\n"
    ".cufft_invalid_type\n" ".cufft_invalid_value\n" ".cufft_setup_failed\n"
    ".cufft_invalid_size\n" ".cufft_unaligned_data\n" ".cufft_invalid_device\n"
    ".cufft_no_workspace\n" ".cufft_not_implemented\n" ".cufft_not_supported\n"
    ".cufft_missing_dependency\n" ".cufft_nvrtc_failure\n" ".cufft_nvjitlink_failure\n"
    ".cufft_nvshmem_failure\n" ".cufft_incomplete_parameter_list\n" ".cufft_parse_error\n"
    ".cufft_license_error\n" ".cufft reports an error\n"},
  {EXEC, "cusolver-status", "cuSOLVER or cuSPARSE reports an error",
    "no memory for its workspace, a singular matrix, or mixed libraries",
    "float64, a smaller batch; one source of CUDA libraries", ".cusolver error\n"
    ".cusolver_status_not_initialized\n" ".cusolver_status_alloc_failed\n"
    ".cusolver_status_invalid_value\n" ".cusolver_status_mapping_error\n"
    ".cusolver_status_execution_failed\n" ".cusolver_status_internal_error\n"
    ".cusolver_status_matrix_type_not_supported\n" ".cusolver_status_not_supported\n"
    ".cusolver_status_zero_pivot\n" ".cusolver_status_invalid_license\n"
    ".cusolver_status_invalid_workspace\n" ".cusparse_status_not_initialized\n"
    ".cusparse_status_alloc_failed\n" ".cusparse_status_invalid_value\n"
    ".cusparse_status_mapping_error\n" ".cusparse_status_execution_failed\n"
    ".cusparse_status_internal_error\n" ".cusparse_status_matrix_type_not_supported\n"
    ".cusparse_status_zero_pivot\n" ".cusparse_status_not_supported\n"
    ".cusparse_status_insufficient_resources\n" ".cusolver_status_irs_\n"
    ".cusolver_status_invalid_\n" ".cusolver or cusparse reports an error\n"},
  {EXEC, "curand-status", "cuRAND failed",
    "not initialised, no memory, or a launch that failed before",
    "look for the first CUDA error before it; CUDA_LAUNCH_BLOCKING=1; free memory",
    ".curand_status_version_mismatch\n" ".curand_status_not_initialized\n"
    ".curand_status_allocation_failed\n" ".curand_status_type_error\n"
    ".curand_status_out_of_range\n" ".curand_status_length_not_multiple\n"
    ".curand_status_double_precision_required\n" ".curand_status_launch_failure\n"
    ".curand_status_preexisting_failure\n" ".curand_status_initialization_failed\n"
    ".curand_status_internal_error\n" ".curand_status_\n" ".curand failure #\n"
    ".curand failed\n"},
  {EXEC, "copy-engine", "a copy to, from or inside the GPU failed (copy engine)",
    "a bad or freed address of a program; where several programs meet it, the link or the"
    " memory", "restart the program, compute-sanitizer; drain the node if others meet it too",
    ".a copy to, from or inside the gpu failed (copy engine)\n"},
  {EXEC, "media-engine", "an engine beside the cores failed (video, JPEG, optical flow, DLA)",
    "a damaged stream, a bug of the program or of the driver",
    "restart the program; decode on the CPU to compare; a newer driver",
    ".an engine beside the cores failed (video, jpeg, optical flow, dla)\n"},
  {EXEC, "library-lacks-gpu",
    "a CUDA library (cuBLAS, cuDNN, cuSOLVER ...) has no code for this GPU",
    "the library is older than the GPU, has dropped it, or the GPU lacks what is asked for"
    " (fp16, tensor cores)",
    "the build for a CUDA that covers this GPU: the matrix names it; or a newer GPU",
    ".cudnn_status_arch_mismatch\n" ".cudnn_status_not_supported_arch_mismatch\n"
    ".cublas_status_arch_mismatch\n" ".cudnnstatusarchmismatch\n" ".curand_status_arch_mismatch\n"
    ".cusolver_status_arch_mismatch\n" ".cusparse_status_arch_mismatch\n"
    ".a cuda library (cublas, cudnn, cusolver ...) has no code for this gpu\n"},
  {EXEC, "npp-status", "NPP (image processing) reports an error",
    "sizes, steps or types that it does not take, or an earlier failure of a kernel",
    "compute-sanitizer; one source of CUDA libraries", ".npp_cuda_kernel_execution_error\n"
    ".npp_memory_allocation_err\n" ".npp_no_memory_error\n" "?npp_*_error\n" "?npp_error\n"
    ".npp (image processing) reports an error\n"},
  {BANDWIDTH, "bandwidth-low", "memory bandwidth is far below the GPU's peak",
    "throttled, a slice, or shared right now", "see health and sharing",
    ".did not exceed minimum required bandwidth\n"
    ".memory bandwidth is far below the gpu's peak\n"},
  {BANDWIDTH, "pcie-slow", "the PCIe link is slower than it could be",
    "fewer lanes or an older generation: seating, a riser, the slot, or saving power when idle",
    "look under load ('lspci -vv', LnkSta); reseat the board; the BIOS's setting of the slot",
    ".lnksta: * downgraded\n" ".lnksta:*(downgraded)\n" ".lnksta: speed 2.5gt/s\n"
    ".is running at pci link generation\n" ".the pcie link is slower than it could be\n"},
  {BANDWIDTH, "pcie-errors", "the PCIe link has errors",
    "a bad signal: slot, riser, cable, power; uncorrected ones end in a lost GPU",
    "reseat or replace the riser; pcie_aspm=off; an older PCIe generation in the BIOS",
    ".pcie bus error: severity=\n" ".aer: correctable error\n" ".aer: uncorrect\n"
    ".aer: multiple\n" ".the pcie link has errors\n"},
  {BANDWIDTH, "peer-unsupported", "GPUs cannot reach each other directly (peer to peer, 217)",
    "GeForce cards have none, or chipset, IOMMU or a virtual machine forbid it",
    "NCCL_P2P_DISABLE=1; switch off the IOMMU or ACS on bare metal",
    ".peer access is not supported between these two devices\n"
    ".platform lacks gpu p2p capability\n" ".failed to open cuda ipc handle\n"
    ".cudaerrorpeeraccessunsupported\n"
    ".gpus cannot reach each other directly (peer to peer, 217)\n"},
  {BANDWIDTH, "peer-corrupt",
    "direct copies between GPUs come back wrong, or never end (peer to peer)",
    "the IOMMU or PCIe ACS redirects what one GPU sends to another",
    "iommu=pt or off and ACS off (bare metal); until then NCCL_P2P_DISABLE=1",
    ".wrong direct copy between gpu\n" ".verification error @ element\n"
    ".direct copies between gpus come back wrong, or never end (peer to peer)\n"},
  {BANDWIDTH, "iommu-faults", "the IOMMU stops the GPU's transfers",
    "peer-to-peer or DMA goes to addresses that it does not know (IOMMU, ACS)",
    "iommu=pt or off on the kernel's command line, ACS off; never both P2P and a translating"
    " IOMMU", ".io_page_fault & nvidia\n" ".amd-vi: event logged\n" ".dmar: * fault\n"
    ".the iommu stops the gpu's transfers\n"},
  {BANDWIDTH, "pinned-memory", "host memory cannot be pinned",
    "too little RAM, a limit (ulimit -l, vm.max_map_count), or memory that never was"
    " registered", "less pinned memory; ulimit -l unlimited; WSL has little of it",
    ".could not allocate pinned host memory\n" ".failed to alloc * bytes on host\n"
    ".failed to allocate pinned system memory\n" ".cudahostregister & fail\n"
    ".cudahostgetdevicepointer failed\n" ".cudahostunregister returned\n"
    ".cudaerrorhostmemoryalreadyregistered\n" ".cudaerrorhostmemorynotregistered\n"
    ".cuda error: part or all of the requested memory range is already mapped\n"
    ".not pin memory\n" "!of pinned memory\n" ".host memory cannot be pinned\n"},
  {BANDWIDTH, "peer-state", "peer access between GPUs was set up wrongly",
    "switched on twice, never, or for too many GPUs",
    "NCCL_P2P_DISABLE=1 tells; update NCCL or the framework",
    ".peer access between gpus was set up wrongly\n"},
  {BANDWIDTH, "nccl-timeout", "a collective never ended (NCCL timeout)",
    "one rank stopped, took another way through the code, or the network between them hangs",
    "look for the first rank that failed; py-spy dump; NCCL_DEBUG=INFO; NCCL_P2P_DISABLE=1"
    " tells of P2P", ".watchdog caught collective operation timeout\n"
    "?some nccl operations have failed or timed out\n"
    "?to avoid data inconsistency, we are taking the entire process down\n"
    "?nccl watchdog thread terminated\n"
    ".terminating the process after attempting to dump debug info\n" ".nccltimeout\n"
    ".a collective never ended (nccl timeout)\n"},
  {BANDWIDTH, "nccl-connect", "NCCL's ranks cannot reach each other",
    "the wrong interface, a firewall, or a rank that is not there",
    "NCCL_SOCKET_IFNAME to the interface that all have; open the ports; NCCL_DEBUG=INFO",
    ".nccl warn * connection refused\n" ".call to connect failed\n"
    ".socketstartconnect: connect to\n" ".ncclsocketinit: connecting to address\n"
    ".bootstrap : no socket interface found\n" ".retrieving nccluniqueid from\n"
    ".no route to host & nccl\n" ".nccl & network is unreachable\n"
    ".nccl's ranks cannot reach each other\n"},
  {BANDWIDTH, "nccl-remote", "the other rank went away (NCCL)",
    "it crashed or was killed, or the network broke",
    "look in that rank's log for the first failure", ".ncclremoteerror\n"
    "?nccl warn * connection closed by remote peer\n"
    ".net_socket & connection closed by remote peer\n" ".connection reset by peer & nccl\n"
    ".socketprogressopt\n" ".the other rank went away (nccl)\n"},
  {BANDWIDTH, "nccl-rdma", "RDMA between the nodes fails (NCCL NET/IB)",
    "lost packets, wrong GID or route, the NIC cannot reach the GPU's memory (peermem, ACS)",
    "NCCL_IB_DISABLE=1 tells; NCCL_IB_GID_INDEX, NCCL_NET_GDR_LEVEL; 'modprobe nvidia-peermem';"
    " ACS off", ".net/ib : got completion\n" "!call to ibv_modify_qp failed\n"
    ".ibv_modify_qp failed\n" ".ibv_wc_\n" ".rdma between the nodes fails (nccl net/ib)\n"},
  {BANDWIDTH, "rdma-memlock", "RDMA cannot register memory",
    "the limit of locked memory is too small",
    "ulimit -l unlimited (docker: --ulimit memlock=-1), capability IPC_LOCK",
    ".ibv_reg_mr* failed with error cannot allocate memory\n"
    ".ibv_create_* & cannot allocate memory\n" ".rdma cannot register memory\n"},
  {BANDWIDTH, "gdr-missing", "GPUDirect RDMA is not available",
    "nvidia-peermem (or dma-buf, gdrdrv) is not loaded, or the GPU's BAR is too small",
    "'modprobe nvidia-peermem'; load gdrdrv; open modules for dma-buf", ".couldn't allocate mr\n"
    ".ibv_reg_mr(gpu) failed\n" ".ibv_reg_mr & bad address\n" ".ibv_reg_dmabuf_mr\n"
    ".unable to open gdr driver\n" ".gdr_copy' is not available\n" ".nv_peer_mem & fail\n"
    ".nvidia_peermem & fail\n" ".modprobe & nvidia-peermem & fail\n"
    ".could not insert 'nvidia_peermem'\n" ".gpudirect rdma is not available\n"},
  {BANDWIDTH, "nvls-fabric", "NVLink SHARP does not work (401)",
    "fabric manager or NVSwitches are in a bad state",
    "restart nvidia-fabricmanager (of the driver's version); NCCL_NVLS_ENABLE=0",
    ".transport/nvls.cc & cuda failure\n" "!failed to bind nvlink sharp\n"
    ".operation cannot be performed in the present state\n"
    ".nvlink sharp does not work (401)\n"},
  {BANDWIDTH, "imex-domain", "nodes are not in one multi-node NVLink domain",
    "nvidia-imex does not run, or its channels are not there",
    "start nvidia-imex on all nodes; /dev/nvidia-caps-imex-channels; the compute domain of the"
    " pods", ".cumemsetaccess & multinode\n" ".nvidia-imex & fail\n" ".imex & not\n"
    ".nodes are not in one multi-node nvlink domain\n"},
  {BANDWIDTH, "nccl-usage", "NCCL was called wrongly", "ranks, devices or sizes do not agree",
    "one GPU per rank: torch.cuda.set_device(local_rank); NCCL_DEBUG=WARN", "?ncclinvalidusage\n"
    "?ncclinvalidargument\n" "?nccl was called wrongly\n"},
  {BANDWIDTH, "nccl-error", "NCCL failed", "its cause stands in an earlier line of some rank",
    "NCCL_DEBUG=INFO, and look for the first WARN of each rank", "?ncclunhandledcudaerror\n"
    "?ncclsystemerror\n" "?ncclinternalerror\n" "?nccl error in\n" "?unhandled system error\n"
    "?unhandled cuda error\n" "?nccl warn\n" "?nccl failed\n"},
  {BANDWIDTH, "gds-unready", "GPUDirect Storage cannot be used here",
    "the NVMe driver or file system is not made for nvidia-fs",
    "gdscheck -p; MLNX_OFED with NVMe patches or the P2PDMA mode; ext4/xfs in ordered mode;"
    " compat mode works without", ".nvme driver not registered with nvidia-fs\n"
    ".cufio & nvidia-fs\n" ".cufiledriveropen & fail\n" ".nvidia-fs & not\n"
    ".gpudirect storage cannot be used here\n"},
  {BANDWIDTH, "mpi-not-cuda", "MPI or UCX takes GPU memory for host memory",
    "it was built without CUDA, or CUDA was switched off in its transports",
    "a CUDA-aware build (ompi_info, ucx_info -d | grep cuda); UCX_TLS with cuda_copy,cuda_ipc;"
    " UCX_MEMTYPE_CACHE=n", ".process_vm_readv & bad address\n"
    ".process_vm_writev & bad address\n" ".ucx error & bad address\n" ".not cuda-aware\n"
    ".cuda-aware mpi & not\n" ".mpi or ucx takes gpu memory for host memory\n"},
  {BANDWIDTH, "nvshmem-transport", "NVSHMEM cannot connect its queue pairs (IBGDA, RDMA)",
    "wrong GID, traffic class or NIC settings, or the driver lacks what it asks for",
    "NVSHMEM_IB_GID_INDEX, NVSHMEM_HCA_LIST; PeerMappingOverride=1 of the driver;"
    " NVSHMEM_DEBUG=INFO", ".ibgda.cpp & non-zero status\n" ".nvshmem & non-zero status\n"
    ".nvshmem & failed to initialize\n" ".ibgda & fail\n"
    ".nvshmem cannot connect its queue pairs (ibgda, rdma)\n"},
  {BANDWIDTH, "efa-missing", "libfabric finds no EFA or RDMA device",
    "none attached to the instance, or /dev/infiniband was not passed in",
    "fi_info -p efa; EFA on the instance; device plugin aws-efa-k8s, vpc.amazonaws.com/efa",
    "!net/ofi\n" ".fi_getinfo() call failed\n" ".libfabric & no data available\n"
    ".libfabric finds no efa or rdma device\n"},
  {BANDWIDTH, "nccl-topology", "NCCL cannot build its topology",
    "the XML that it was given, or /sys in this sandbox, lacks what it needs",
    "unset NCCL_TOPO_FILE or take the one of this instance type; mount /sys",
    "!graph/xml & nccl warn\n" ".nccl warn attribute * not found\n"
    ".could not find a path for pattern\n" ".nccl_topo_file & fail\n"
    ".nccl cannot build its topology\n"},
  {SHARING, "vgpu-hook", "a library that shares the GPU is hooked in front of CUDA",
    "it is preloaded, limits memory and cores, and answers for the driver",
    "compare without it: unset LD_PRELOAD; update it with the driver", "?[hami-core error\n"
    "?libvgpu.c:\n" "?a library that shares the gpu is hooked in front of cuda\n"},
  {SHARING, "mps-unreachable", "the MPS server cannot be reached (805)",
    "its pipe folder is there, the server is not",
    "mount pipe folder and /dev/shm, hostIPC: true, same user id",
    ".mps client failed to connect\n" ".cannot find mps control daemon process\n"
    ".error waiting for mps daemon\n" ".failed to send command to mps daemon\n"
    ".hostpath type check failed & nvidia-mps\n" ".the mps server cannot be reached (805)\n"},
  {SHARING, "mps-not-ready", "the MPS server is not ready (806, 807)",
    "it starts, dies at its start, or serves another user id",
    "one runAsUser for all clients; see server.log and control.log; restart the daemon",
    ".push client to pending list\n" ".server encountered a fatal exception\n"
    ".mps server is not ready\n" ".an instance of this daemon is already running\n"
    ".nvidia-cuda-mps-server exited with status\n" ".the mps server is not ready (806, 807)\n"},
  {SHARING, "mps-full", "the MPS server takes no more clients (808, 809)", "48 clients per GPU",
    "run fewer per GPU", ".resources required to create mps client\n"
    ".resources required to support device\n"
    ".the mps server takes no more clients (808, 809)\n"},
  {SHARING, "mps-killed", "the MPS server ended this client (810)",
    "a fault of one client ends the others too", "restart; find the client that faults",
    ".mps client has been terminated\n" ".server & client * disconnected & fatal\n"
    ".the mps server ended this client (810)\n"},
  {SHARING, "mps-config", "MPS sharing is configured by half",
    "the device plugin has no MPS root, or its control daemon does not run",
    "install plugin and MPS control daemon from one chart; mpsRoot",
    ".using mps requires --mps-root\n" ".mps & not supported\n"
    ".mps sharing is configured by half\n"},
  {SHARING, "mig-no-instances", "MIG is on, but has no instances",
    "nvidia-smi lists the GPU, CUDA finds none (100)",
    "'nvidia-smi mig -cgi PROFILE -C', or switch MIG off",
    ".mig mode is enabled, but no mig devices\n" ".no mig-enabled & found\n"
    ".mig & at least one gpu * no mig\n" ".mig is on, but has no instances\n"},
  {SHARING, "mig-pending", "MIG cannot be switched now",
    "processes (persistenced, X, DCGM, a driver module) hold the GPU, so that it cannot be"
    " reset", "end them; 'nvidia-smi --gpu-reset', or reboot", ".mig mode is in pending\n"
    ".could not be reset & in use by another client\n" ".the following gpus could not be reset\n"
    ".mig cannot be switched now\n"},
  {SHARING, "mig-permission", "no right to manage MIG",
    "only root, or a process with its capability node, may",
    "as root, or NVIDIA_MIG_CONFIG_DEVICES=all",
    ".failed to display compute instances: insufficient permissions\n"
    ".mig & insufficient permissions\n" ".nvmldevicegetmemoryinfo & nopermission\n"
    ".no right to manage mig\n"},
  {SHARING, "mig-profile", "this MIG profile does not fit",
    "not of this GPU, no room beside the others, or other instances are in the way",
    "'nvidia-smi mig -lgip', destroy instances first (-dci, -dgi)",
    ".unable to create a gpu instance\n" ".failed to create gpu instances\n"
    ".mig & insufficient resources\n" ".invalid mig profile\n" ".mig & not supported & gpu\n"
    ".this mig profile does not fit\n"},
  {SHARING, "gpu-held", "the GPU is held by another process",
    "it cannot be reset or reconfigured while one uses it",
    "'fuser -v /dev/nvidia*', end them; stop nvidia-persistenced and DCGM",
    ".currently in use by another process\n" "?in use by another client\n"
    "?being used by one or more other processes\n" ".the gpu is held by another process\n"},
  {SHARING, "sharing-not-in-force", "the GPU is not shared as asked for",
    "another kind is in force, or none", "check the device plugin's configuration",
    ".unknown gpu sharing strategy\n" ".the gpu is not shared as asked for\n"},
  {SHARING, "shared-limit", "more than one share of a GPU was asked for",
    "the plugin allows one (failRequestsGreaterThanOne)", "ask for 1",
    "!maximum request size for shared resources is 1\n"
    ".more than one share of a gpu was asked for\n"},
  {SHARING, "vgpu-licence", "the vGPU has no licence",
    "the licence server is not configured, not reached, or has none left; it then runs"
    " restricted",
    "gridd.conf or the client token; 'nvidia-smi -q | grep License'; systemctl restart"
    " nvidia-gridd", ".nvidia-gridd & failed to acquire\n" ".nvidia-gridd & failed\n"
    ".nvidia-gridd & not set\n" ".nvidia-gridd & invalid\n" ".nvidia-gridd & error\n"
    ".license status : unlicensed\n" ".doesn't have valid grid license\n"
    ".no valid grid license\n" ".vgpu * license\n" ".valid grid license not found\n"
    ".license & gpu features and performance will be restricted\n" ".the vgpu has no licence\n"},
  {SHARING, "vgpu-versions", "the vGPU's guest and host drivers do not fit",
    "the guest's is older or newer than the host's vGPU manager takes",
    "guest driver of the same vGPU release as the host's", ".incompatible guest/host drivers\n"
    ".guest vgx version is\n" ".the vgpu's guest and host drivers do not fit\n"},
  {SHARING, "vgpu-host", "the host cannot make a vGPU",
    "the board does not support it, or the host's driver is not the vGPU manager",
    "a board of NVIDIA's vGPU list, with the vGPU host driver; a licence",
    ".vgpu is supported only on vgx capable boards\n" ".nvidia-vgpu-mgr & error\n"
    ".vmiop_log & error\n" ".sysfsdev=/sys/bus/mdev\n" ".mdev & error getting device from group\n"
    ".mediated device driver\n" ".the host cannot make a vgpu\n"},
  {SHARING, "duplicate-gpu", "two ranks use the same GPU", "NCCL wants a GPU for each",
    "torch.cuda.set_device(local_rank); as many processes as GPUs", "!duplicate gpu detected\n"
    ".two ranks use the same gpu\n"},
  {SHARING, "shm-small", "/dev/shm is small",
    "64 MiB is a container's default; data loaders and NCCL need more",
    "--shm-size=8g or --ipc=host; Kubernetes: emptyDir of medium Memory on /dev/shm",
    ".insufficient shared memory (shm)\n" ".bus error encountered in worker\n"
    ".is killed by signal: bus error\n" ".workers are out of shared memory\n"
    "!failed to extend /dev/shm/nccl\n" "!posix_fallocate failed : no space left\n"
    ".error while creating shared memory segment\n"
    ".error while attaching to shared memory segment\n" "./dev/shm & no space left\n"
    "!/dev/shm has only\n" ".unable to initialize shared memory key\n" ".use '--shm-size'\n"
    "./dev/shm is small\n"},
  {SHARING, "shm-permission", "/dev/shm may not be written by this user",
    "its mode is not 1777, or another user's files lie there",
    "chmod 1777 /dev/shm; remove old nccl-* and torch_* files",
    "!shm_open failed : permission denied\n" "./dev/shm & permission denied\n"
    "./dev/shm may not be written by this user\n"},
  {SHARING, "torch-sharing", "shared memory or open files of the data loaders are used up",
    "limits of mappings (vm.max_map_count), of /dev/shm or of open files",
    "ulimit -n 65536; torch.multiprocessing.set_sharing_strategy('file_system'); fewer workers",
    ".unable to open shared memory object\n" ".unable to mmap * bytes from file </torch\n"
    ".received 0 items of ancdata\n" ".unable to write to file </torch\n"
    ".shared memory or open files of the data loaders are used up\n"},
  {SHARING, "mig-uuid", "a program does not understand a MIG UUID in CUDA_VISIBLE_DEVICES",
    "it takes each entry for a number",
    "CUDA_VISIBLE_DEVICES=0 within the slice (it is the only device there), or a newer version"
    " of it", ".invalid literal for int() with base 10: 'mig-\n"
    ".invalid literal for int() & mig-\n" ".invalid literal for int() & gpu-\n"
    ".a program does not understand a mig uuid in cuda_visible_devices\n"},
};

static const struct code cuda_codes[] = {
  {1, "CUDA_ERROR_INVALID_VALUE", "cudaErrorInvalidValue", "invalid argument", "invalid-value"},
  {2, "CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation", "out of memory", "out-of-memory"},
  {3, "CUDA_ERROR_NOT_INITIALIZED", "cudaErrorInitializationError", "initialization error",
    "not-initialized"},
  {4, "CUDA_ERROR_DEINITIALIZED", "cudaErrorCudartUnloading", "driver shutting down",
    "shutting-down"},
  {5, "CUDA_ERROR_PROFILER_DISABLED", "cudaErrorProfilerDisabled",
    "profiler disabled while using external profiling tool", "profiler-state"},
  {6, "CUDA_ERROR_PROFILER_NOT_INITIALIZED", "cudaErrorProfilerNotInitialized",
    "profiler not initialized: call cudaProfilerInitialize()", "profiler-state"},
  {7, "CUDA_ERROR_PROFILER_ALREADY_STARTED", "cudaErrorProfilerAlreadyStarted",
    "profiler already started", "profiler-state"},
  {8, "CUDA_ERROR_PROFILER_ALREADY_STOPPED", "cudaErrorProfilerAlreadyStopped",
    "profiler already stopped", "profiler-state"},
  {9, NULL, "cudaErrorInvalidConfiguration", "invalid configuration argument",
    "launch-resources"},
  {10, NULL, "cudaErrorVersionTranslation",
    "Driver is newer than runtime and returned parameters the runtime cannot process",
    "driver-too-old"},
  {12, NULL, "cudaErrorInvalidPitchValue", "invalid pitch argument", "invalid-value"},
  {13, NULL, "cudaErrorInvalidSymbol", "invalid device symbol", "entry-missing wheel-lacks-gpu"},
  {16, NULL, "cudaErrorInvalidHostPointer", "invalid host pointer", "pinned-memory"},
  {17, NULL, "cudaErrorInvalidDevicePointer", "invalid device pointer", "invalid-value"},
  {18, NULL, "cudaErrorInvalidTexture", "invalid texture reference", "cuda-error"},
  {19, NULL, "cudaErrorInvalidTextureBinding", "texture is not bound to a pointer", "cuda-error"},
  {20, NULL, "cudaErrorInvalidChannelDescriptor", "invalid channel descriptor", "cuda-error"},
  {21, NULL, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy",
    "invalid-value"},
  {22, NULL, "cudaErrorAddressOfConstant", "invalid address of constant", "cuda-error"},
  {23, NULL, "cudaErrorTextureFetchFailed", "fetch from texture failed", "cuda-error"},
  {24, NULL, "cudaErrorTextureNotBound", "cannot fetch from a texture that is not bound",
    "cuda-error"},
  {25, NULL, "cudaErrorSynchronizationError", "incorrect use of __syncthreads()", "cuda-error"},
  {26, NULL, "cudaErrorInvalidFilterSetting", "linear filtering not supported for non-float type",
    "cuda-error"},
  {27, NULL, "cudaErrorInvalidNormSetting",
    "read as normalized float not supported for data type", "cuda-error"},
  {28, NULL, "cudaErrorMixedDeviceExecution",
    "device emulation mode and device execution mode cannot be mixed", "cuda-error"},
  {31, NULL, "cudaErrorNotYetImplemented", "feature not yet implemented", "cuda-error"},
  {32, NULL, "cudaErrorMemoryValueTooLarge",
    "memory size or pointer value too large to fit in 32 bit", "cuda-error"},
  {34, "CUDA_ERROR_STUB_LIBRARY", "cudaErrorStubLibrary", "CUDA driver is a stub library",
    "stub-library"},
  {35, NULL, "cudaErrorInsufficientDriver",
    "CUDA driver version is insufficient for CUDA runtime version",
    "driver-too-old libcuda-absent libcuda-unsearched empty-file wrong-elf-class wrong-machine"
    " not-elf dangling-link is-directory missing-dependency undefined-symbol"},
  {36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", "cudaErrorCallRequiresNewerDriver",
    "API call is not supported in the installed CUDA driver", "driver-too-old"},
  {37, NULL, "cudaErrorInvalidSurface", "invalid surface reference", "cuda-error"},
  {43, NULL, "cudaErrorDuplicateVariableName",
    "duplicate global variable looked up by string name", "cuda-error"},
  {44, NULL, "cudaErrorDuplicateTextureName", "duplicate texture looked up by string name",
    "cuda-error"},
  {45, NULL, "cudaErrorDuplicateSurfaceName", "duplicate surface looked up by string name",
    "cuda-error"},
  {46, "CUDA_ERROR_DEVICE_UNAVAILABLE", "cudaErrorDevicesUnavailable",
    "CUDA-capable device(s) is/are busy or unavailable", "device-unavailable"},
  {47, "CUDA_ERROR_MULTICAST_RESOURCE_FULL", NULL, "multicast resources exhausted", "cuda-error"},
  {49, NULL, "cudaErrorIncompatibleDriverContext", "incompatible driver context",
    "driver-too-old"},
  {52, NULL, "cudaErrorMissingConfiguration", "__global__ function call is not configured",
    "cuda-error"},
  {53, NULL, "cudaErrorPriorLaunchFailure", "unspecified launch failure in prior launch",
    "kernel-fault"},
  {65, NULL, "cudaErrorLaunchMaxDepthExceeded",
    "launch would exceed maximum depth of nested launches", "launch-resources"},
  {66, NULL, "cudaErrorLaunchFileScopedTex",
    "launch failed because kernel uses unsupported, file-scoped textures (texture objects are"
    " supported)", "cuda-error"},
  {67, NULL, "cudaErrorLaunchFileScopedSurf",
    "launch failed because kernel uses unsupported, file-scoped surfaces (surface objects are"
    " supported)", "cuda-error"},
  {68, NULL, "cudaErrorSyncDepthExceeded",
    "cudaDeviceSynchronize failed because caller's grid depth exceeds"
    " cudaLimitDevRuntimeSyncDepth", "launch-resources"},
  {69, NULL, "cudaErrorLaunchPendingCountExceeded",
    "launch failed because launch would exceed cudaLimitDevRuntimePendingLaunchCount",
    "launch-resources"},
  {98, NULL, "cudaErrorInvalidDeviceFunction", "invalid device function", "wheel-lacks-gpu"},
  {100, "CUDA_ERROR_NO_DEVICE", "cudaErrorNoDevice", "no CUDA-capable device is detected",
    "no-device env-hides-gpus no-gpu-access driver-not-loaded node-mode node-cgroup"
    " driver-dropped-gpu mig-no-instances"},
  {101, "CUDA_ERROR_INVALID_DEVICE", "cudaErrorInvalidDevice", "invalid device ordinal",
    "invalid-device"},
  {102, "CUDA_ERROR_DEVICE_NOT_LICENSED", "cudaErrorDeviceNotLicensed",
    "device doesn't have valid Grid license", "vgpu-licence not-permitted"},
  {103, NULL, "cudaErrorSoftwareValidityNotEstablished", "integrity checks failed",
    "driver-set-incomplete"},
  {127, NULL, "cudaErrorStartupFailure", "startup failure in cuda runtime",
    "driver-set-incomplete unknown-error"},
  {200, "CUDA_ERROR_INVALID_IMAGE", "cudaErrorInvalidKernelImage",
    "device kernel image is invalid", "bad-image wheel-lacks-gpu"},
  {201, "CUDA_ERROR_INVALID_CONTEXT", "cudaErrorDeviceUninitialized", "invalid device context",
    "context-lost not-initialized"},
  {202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT", NULL, "context already current", "cuda-error"},
  {205, "CUDA_ERROR_MAP_FAILED", "cudaErrorMapBufferObjectFailed",
    "mapping of buffer object failed", "pinned-memory"},
  {206, "CUDA_ERROR_UNMAP_FAILED", "cudaErrorUnmapBufferObjectFailed",
    "unmapping of buffer object failed", "pinned-memory"},
  {207, "CUDA_ERROR_ARRAY_IS_MAPPED", "cudaErrorArrayIsMapped", "array is mapped", "cuda-error"},
  {208, "CUDA_ERROR_ALREADY_MAPPED", "cudaErrorAlreadyMapped", "resource already mapped",
    "cuda-error"},
  {209, "CUDA_ERROR_NO_BINARY_FOR_GPU", "cudaErrorNoKernelImageForDevice",
    "no kernel image is available for execution on the device", "wheel-lacks-gpu"},
  {210, "CUDA_ERROR_ALREADY_ACQUIRED", "cudaErrorAlreadyAcquired", "resource already acquired",
    "cuda-error"},
  {211, "CUDA_ERROR_NOT_MAPPED", "cudaErrorNotMapped", "resource not mapped", "cuda-error"},
  {212, "CUDA_ERROR_NOT_MAPPED_AS_ARRAY", "cudaErrorNotMappedAsArray",
    "resource not mapped as array", "cuda-error"},
  {213, "CUDA_ERROR_NOT_MAPPED_AS_POINTER", "cudaErrorNotMappedAsPointer",
    "resource not mapped as pointer", "cuda-error"},
  {214, "CUDA_ERROR_ECC_UNCORRECTABLE", "cudaErrorECCUncorrectable",
    "uncorrectable ECC error encountered", "ecc-error"},
  {215, "CUDA_ERROR_UNSUPPORTED_LIMIT", "cudaErrorUnsupportedLimit",
    "limit is not supported on this architecture", "cuda-error"},
  {216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE", "cudaErrorDeviceAlreadyInUse",
    "exclusive-thread device already in use by a different thread", "device-unavailable"},
  {217, "CUDA_ERROR_PEER_ACCESS_UNSUPPORTED", "cudaErrorPeerAccessUnsupported",
    "peer access is not supported between these two devices", "peer-unsupported"},
  {218, "CUDA_ERROR_INVALID_PTX", "cudaErrorInvalidPtx", "a PTX JIT compilation failed",
    "bad-image ptx-target-too-new"},
  {219, "CUDA_ERROR_INVALID_GRAPHICS_CONTEXT", "cudaErrorInvalidGraphicsContext",
    "invalid OpenGL or DirectX context", "cuda-error"},
  {220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", "cudaErrorNvlinkUncorrectable",
    "uncorrectable NVLink error detected during the execution", "nvlink-error"},
  {221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", "cudaErrorJitCompilerNotFound",
    "PTX JIT compiler library not found", "jit-compiler-missing"},
  {222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", "cudaErrorUnsupportedPtxVersion",
    "the provided PTX was compiled with an unsupported toolchain.", "ptx-too-new"},
  {223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", "cudaErrorJitCompilationDisabled",
    "PTX JIT compilation was disabled", "jit-disabled"},
  {224, "CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY", "cudaErrorUnsupportedExecAffinity",
    "the provided execution affinity is not supported", "not-supported"},
  {225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", "cudaErrorUnsupportedDevSideSync",
    "the provided PTX contains unsupported call to cudaDeviceSynchronize", "bad-image"},
  {226, "CUDA_ERROR_CONTAINED", "cudaErrorContained",
    "Invalid access of peer GPU memory over nvlink or a hardware error", "error-contained"},
  {227, "CUDA_ERROR_INSUFFICIENT_LOADER_VERSION", "cudaErrorInsufficientLoaderVersion",
    "Loader version is insufficient for fatbin", "driver-too-old"},
  {300, "CUDA_ERROR_INVALID_SOURCE", "cudaErrorInvalidSource", "device kernel image is invalid",
    "bad-image"},
  {301, "CUDA_ERROR_FILE_NOT_FOUND", "cudaErrorFileNotFound", "file not found", "entry-missing"},
  {302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", "cudaErrorSharedObjectSymbolNotFound",
    "shared object symbol not found", "driver-set-incomplete"},
  {303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", "cudaErrorSharedObjectInitFailed",
    "shared object initialization failed", "driver-set-incomplete"},
  {304, "CUDA_ERROR_OPERATING_SYSTEM", "cudaErrorOperatingSystem",
    "OS call failed or operation not supported on this OS", "os-call-failed"},
  {400, "CUDA_ERROR_INVALID_HANDLE", "cudaErrorInvalidResourceHandle", "invalid resource handle",
    "context-lost"},
  {401, "CUDA_ERROR_ILLEGAL_STATE", "cudaErrorIllegalState",
    "the operation cannot be performed in the present state", "nvls-fabric invalid-value"},
  {402, "CUDA_ERROR_LOSSY_QUERY", "cudaErrorLossyQuery",
    "attempted introspection would be semantically lossy", "cuda-error"},
  {500, "CUDA_ERROR_NOT_FOUND", "cudaErrorSymbolNotFound", "named symbol not found",
    "entry-missing"},
  {600, "CUDA_ERROR_NOT_READY", "cudaErrorNotReady", "device not ready", "cuda-error"},
  {700, "CUDA_ERROR_ILLEGAL_ADDRESS", "cudaErrorIllegalAddress",
    "an illegal memory access was encountered", "illegal-access"},
  {701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", "cudaErrorLaunchOutOfResources",
    "too many resources requested for launch", "launch-resources"},
  {702, "CUDA_ERROR_LAUNCH_TIMEOUT", "cudaErrorLaunchTimeout",
    "the launch timed out and was terminated", "launch-timeout"},
  {703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", "cudaErrorLaunchIncompatibleTexturing",
    "launch uses incompatible texturing mode", "bad-image"},
  {704, "CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED", "cudaErrorPeerAccessAlreadyEnabled",
    "peer access is already enabled", "peer-state"},
  {705, "CUDA_ERROR_PEER_ACCESS_NOT_ENABLED", "cudaErrorPeerAccessNotEnabled",
    "peer access has not been enabled", "peer-state"},
  {708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", "cudaErrorSetOnActiveProcess",
    "cannot set while device is active in this process", "context-lost"},
  {709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", "cudaErrorContextIsDestroyed", "context is destroyed",
    "context-lost"},
  {710, "CUDA_ERROR_ASSERT", "cudaErrorAssert", "device-side assert triggered", "device-assert"},
  {711, "CUDA_ERROR_TOO_MANY_PEERS", "cudaErrorTooManyPeers", "peer mapping resources exhausted",
    "peer-state"},
  {712, "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED", "cudaErrorHostMemoryAlreadyRegistered",
    "part or all of the requested memory range is already mapped", "pinned-memory"},
  {713, "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED", "cudaErrorHostMemoryNotRegistered",
    "pointer does not correspond to a registered memory region", "pinned-memory"},
  {714, "CUDA_ERROR_HARDWARE_STACK_ERROR", "cudaErrorHardwareStackError", "hardware stack error",
    "kernel-fault"},
  {715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", "cudaErrorIllegalInstruction",
    "an illegal instruction was encountered", "illegal-instruction kernel-fault"},
  {716, "CUDA_ERROR_MISALIGNED_ADDRESS", "cudaErrorMisalignedAddress", "misaligned address",
    "misaligned"},
  {717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", "cudaErrorInvalidAddressSpace",
    "operation not supported on global/shared address space", "kernel-fault"},
  {718, "CUDA_ERROR_INVALID_PC", "cudaErrorInvalidPc", "invalid program counter", "kernel-fault"},
  {719, "CUDA_ERROR_LAUNCH_FAILED", "cudaErrorLaunchFailure", "unspecified launch failure",
    "kernel-fault"},
  {720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", "cudaErrorCooperativeLaunchTooLarge",
    "too many blocks in cooperative launch", "launch-resources"},
  {721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", "cudaErrorTensorMemoryLeak",
    "tensor memory not completely freed", "kernel-fault"},
  {800, "CUDA_ERROR_NOT_PERMITTED", "cudaErrorNotPermitted", "operation not permitted",
    "not-permitted"},
  {801, "CUDA_ERROR_NOT_SUPPORTED", "cudaErrorNotSupported", "operation not supported",
    "not-supported"},
  {802, "CUDA_ERROR_SYSTEM_NOT_READY", "cudaErrorSystemNotReady", "system not yet initialized",
    "fabric-manager fabric-not-ready"},
  {803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", "cudaErrorSystemDriverMismatch",
    "system has unsupported display driver / cuda driver combination",
    "version-mismatch module-stale compat-wrong-driver shadowed-libcuda baked-in-libcuda"},
  {804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", "cudaErrorCompatNotSupportedOnDevice",
    "forward compatibility was attempted on non supported HW", "compat-unsupported-gpu"},
  {805, "CUDA_ERROR_MPS_CONNECTION_FAILED", "cudaErrorMpsConnectionFailed",
    "MPS client failed to connect to the MPS control daemon or the MPS server",
    "mps-unreachable"},
  {806, "CUDA_ERROR_MPS_RPC_FAILURE", "cudaErrorMpsRpcFailure",
    "the remote procedural call between the MPS server and the MPS client failed",
    "mps-not-ready"},
  {807, "CUDA_ERROR_MPS_SERVER_NOT_READY", "cudaErrorMpsServerNotReady",
    "MPS server is not ready to accept new MPS client requests", "mps-not-ready"},
  {808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", "cudaErrorMpsMaxClientsReached",
    "the hardware resources required to create MPS client have been exhausted", "mps-full"},
  {809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", "cudaErrorMpsMaxConnectionsReached",
    "the hardware resources required to support device connections have been exhausted",
    "mps-full"},
  {810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", "cudaErrorMpsClientTerminated",
    "the MPS client has been terminated by the server", "mps-killed"},
  {811, "CUDA_ERROR_CDP_NOT_SUPPORTED", "cudaErrorCdpNotSupported",
    "is using CUDA Dynamic Parallelism, but the current configuration, like MPS, does not"
    " support it", "not-supported"},
  {812, "CUDA_ERROR_CDP_VERSION_MISMATCH", "cudaErrorCdpVersionMismatch",
    "unsupported interaction between different versions of CUDA Dynamic Parallelism",
    "bad-image"},
  {900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", "cudaErrorStreamCaptureUnsupported",
    "operation not permitted when stream is capturing", "capture-state"},
  {901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", "cudaErrorStreamCaptureInvalidated",
    "operation failed due to a previous error during capture", "capture-state"},
  {902, "CUDA_ERROR_STREAM_CAPTURE_MERGE", "cudaErrorStreamCaptureMerge",
    "operation would result in a merge of separate capture sequences", "capture-state"},
  {903, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "cudaErrorStreamCaptureUnmatched",
    "capture was not ended in the same stream as it began", "capture-state"},
  {904, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED", "cudaErrorStreamCaptureUnjoined",
    "capturing stream has unjoined work", "capture-state"},
  {905, "CUDA_ERROR_STREAM_CAPTURE_ISOLATION", "cudaErrorStreamCaptureIsolation",
    "dependency created on uncaptured work in another stream", "capture-state"},
  {906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", "cudaErrorStreamCaptureImplicit",
    "operation would make the legacy stream depend on a capturing blocking stream",
    "capture-state"},
  {907, "CUDA_ERROR_CAPTURED_EVENT", "cudaErrorCapturedEvent",
    "operation not permitted on an event last recorded in a capturing stream", "capture-state"},
  {908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", "cudaErrorStreamCaptureWrongThread",
    "attempt to terminate a thread-local capture sequence from another thread", "capture-state"},
  {909, "CUDA_ERROR_TIMEOUT", "cudaErrorTimeout", "wait operation timed out", "vendor-hang"},
  {910, "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE", "cudaErrorGraphExecUpdateFailure",
    "the graph update was not performed because it included changes which violated constraints"
    " specific to instantiated graph update", "capture-state"},
  {911, "CUDA_ERROR_EXTERNAL_DEVICE", "cudaErrorExternalDevice",
    "an async error has occured in external entity outside of CUDA", "vendor-crash"},
  {912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", "cudaErrorInvalidClusterSize",
    "a kernel launch error has occurred due to cluster misconfiguration", "launch-resources"},
  {913, "CUDA_ERROR_FUNCTION_NOT_LOADED", "cudaErrorFunctionNotLoaded",
    "the function handle is not loaded when calling an API that requires a loaded function",
    "entry-missing"},
  {914, "CUDA_ERROR_INVALID_RESOURCE_TYPE", "cudaErrorInvalidResourceType",
    "one or more resources passed in are not valid resource types for the operation",
    "not-supported"},
  {915, "CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION", "cudaErrorInvalidResourceConfiguration",
    "one or more resources are insufficient or non-applicable for the operation",
    "launch-resources"},
  {916, "CUDA_ERROR_KEY_ROTATION", NULL, "key rotation", "cuda-error"},
  {917, "CUDA_ERROR_STREAM_DETACHED", "cudaErrorStreamDetached",
    "API call not permitted since the green context associated with the stream has been"
    " destroyed", "capture-state"},
  {918, "CUDA_ERROR_GRAPH_RECAPTURE_FAILURE", "cudaErrorGraphRecaptureFailure",
    "recapturing to the source graph failed and had to be terminated", "capture-state"},
  {919, "CUDA_ERROR_FABRIC_NOT_READY", "cudaErrorFabricNotReady",
    "GPU fabric is not ready within the probe wait budget; application may retry (see"
    " CUDA_FABRIC_INIT_TIMEOUT_MS)", "fabric-manager fabric-not-ready"},
  {999, "CUDA_ERROR_UNKNOWN", "cudaErrorUnknown", "unknown error",
    "unknown-error uvm-missing node-major node-cgroup driver-not-loaded gpu-off-bus"},
  {10000, NULL, "cudaErrorApiFailureBase", "unknown error of a CUDA version without names",
    "cuda-error"},
};

static const struct code nvml_codes[] = {
  {1, "NVML_ERROR_UNINITIALIZED", NULL, "Uninitialized", "nvml-failed"},
  {2, "NVML_ERROR_INVALID_ARGUMENT", NULL, "Invalid Argument", "nvml-failed"},
  {3, "NVML_ERROR_NOT_SUPPORTED", NULL, "Not Supported", "nvml-failed"},
  {4, "NVML_ERROR_NO_PERMISSION", NULL, "Insufficient Permissions", "node-mode"},
  {5, "NVML_ERROR_ALREADY_INITIALIZED", NULL, "Already Initialized", "nvml-failed"},
  {6, "NVML_ERROR_NOT_FOUND", NULL, "Not Found", "nvml-device-absent"},
  {7, "NVML_ERROR_INSUFFICIENT_SIZE", NULL, "Insufficient Size", "nvml-failed"},
  {8, "NVML_ERROR_INSUFFICIENT_POWER", NULL, "Insufficient External Power", "gpu-power-cable"},
  {9, "NVML_ERROR_DRIVER_NOT_LOADED", NULL, "Driver Not Loaded", "driver-not-loaded"},
  {10, "NVML_ERROR_TIMEOUT", NULL, "Timeout", "vendor-hang"},
  {11, "NVML_ERROR_IRQ_ISSUE", NULL, "Interrupt Request Issue", "gpu-lost"},
  {12, "NVML_ERROR_LIBRARY_NOT_FOUND", NULL, "NVML Shared Library Not Found",
    "nvml-absent capability-utility-missing"},
  {13, "NVML_ERROR_FUNCTION_NOT_FOUND", NULL, "Function Not Found", "nvml-too-old"},
  {14, "NVML_ERROR_CORRUPTED_INFOROM", NULL, "Corrupted infoROM", "inforom-corrupted"},
  {15, "NVML_ERROR_GPU_IS_LOST", NULL, "GPU is lost", "gpu-lost gpu-off-bus"},
  {16, "NVML_ERROR_RESET_REQUIRED", NULL, "GPU requires restart", "gpu-reset-required"},
  {17, "NVML_ERROR_OPERATING_SYSTEM", NULL, "The operating system has blocked the request",
    "nvml-blocked node-cgroup"},
  {18, "NVML_ERROR_LIB_RM_VERSION_MISMATCH", NULL, "RM has detected an NVML/RM version mismatch",
    "module-stale"},
  {19, "NVML_ERROR_IN_USE", NULL, "in use", "gpu-held device-unavailable"},
  {20, "NVML_ERROR_MEMORY", NULL, "Insufficient Memory", "nvml-failed"},
  {21, "NVML_ERROR_NO_DATA", NULL, "no data", "nvml-failed"},
  {22, "NVML_ERROR_VGPU_ECC_NOT_SUPPORTED", NULL, "vgpu ecc not supported", "nvml-failed"},
  {23, "NVML_ERROR_INSUFFICIENT_RESOURCES", NULL, "insufficient resources", "mig-profile"},
  {24, "NVML_ERROR_FREQ_NOT_SUPPORTED", NULL, "freq not supported", "nvml-failed"},
  {25, "NVML_ERROR_ARGUMENT_VERSION_MISMATCH", NULL, "argument version mismatch", "nvml-too-old"},
  {26, "NVML_ERROR_DEPRECATED", NULL, "deprecated", "nvml-failed"},
  {27, "NVML_ERROR_NOT_READY", NULL, "not ready", "fabric-not-ready"},
  {28, "NVML_ERROR_GPU_NOT_FOUND", NULL, "gpu not found", "gpu-lost"},
  {29, "NVML_ERROR_INVALID_STATE", NULL, "invalid state", "nvml-failed"},
  {30, "NVML_ERROR_RESET_TYPE_NOT_SUPPORTED", NULL, "reset type not supported", "nvml-failed"},
  {999, "NVML_ERROR_UNKNOWN", NULL, "Unknown Error", "node-cgroup nvml-failed"},
};

static const struct code nccl_codes[] = {
  {1, "ncclUnhandledCudaError", NULL, "unhandled cuda error", "nccl-error"},
  {2, "ncclSystemError", NULL, "unhandled system error", "nccl-error"},
  {3, "ncclInternalError", NULL, "internal error", "nccl-error"},
  {4, "ncclInvalidArgument", NULL, "invalid argument", "nccl-usage"},
  {5, "ncclInvalidUsage", NULL, "invalid usage", "nccl-usage"},
  {6, "ncclRemoteError", NULL, "remote process exited or there was a network error",
    "nccl-remote"},
  {7, "ncclInProgress", NULL, "an operation is still in progress", "nccl-error"},
  {8, "ncclTimeout", NULL, "timeout", "nccl-timeout"},
};

static const struct code xid_codes[] = {
  {1, NULL, NULL, "queue of commands: unknown method", "kernel-fault"},
  {2, NULL, NULL, "queue of commands: software method", "kernel-fault"},
  {3, NULL, NULL, "queue of commands: unknown method", "kernel-fault"},
  {4, NULL, NULL, "queue of commands: channel is busy", "kernel-fault"},
  {5, NULL, NULL, "queue of commands ran over", "kernel-fault"},
  {6, NULL, NULL, "queue of commands cannot be read", "kernel-fault"},
  {7, NULL, NULL, "queue of commands: bad address", "kernel-fault"},
  {8, NULL, NULL, "a channel did not go idle, GPU stopped processing",
    "launch-timeout kernel-fault"},
  {9, NULL, NULL, "graphics engine: wrong instance", "kernel-fault"},
  {10, NULL, NULL, "graphics engine: single step", "xid-note"},
  {11, NULL, NULL, "graphics engine: invalid command stream", "kernel-fault"},
  {12, NULL, NULL, "graphics engine: software method", "kernel-fault"},
  {13, NULL, NULL, "graphics engine exception, mostly the program's fault", "kernel-fault"},
  {14, NULL, NULL, "a test of the error reports", "xid-note"},
  {15, NULL, NULL, "display: scanline timeout", "display-engine"},
  {16, NULL, NULL, "display: vertical blank timeout", "display-engine"},
  {17, NULL, NULL, "display: wrong parameter", "display-engine"},
  {18, NULL, NULL, "bus mastering timed out", "pcie-errors"},
  {19, NULL, NULL, "display: a notice was missed", "display-engine"},
  {20, NULL, NULL, "MPEG engine: software method", "media-engine"},
  {21, NULL, NULL, "motion estimation: software method", "media-engine"},
  {22, NULL, NULL, "video processor: software method", "media-engine"},
  {23, NULL, NULL, "reports of errors were switched on", "xid-note"},
  {24, NULL, NULL, "semaphore timeout", "kernel-fault gpu-reset-required"},
  {25, NULL, NULL, "graphics engine: illegal command stream", "kernel-fault"},
  {26, NULL, NULL, "framebuffer timeout", "gpu-reset-required"},
  {27, NULL, NULL, "video processor exception", "media-engine"},
  {28, NULL, NULL, "video processor (VP2) exception", "media-engine"},
  {29, NULL, NULL, "bit stream processor exception", "media-engine"},
  {30, NULL, NULL, "access to a bad address by the driver", "vendor-crash illegal-access"},
  {31, NULL, NULL, "GPU memory page fault, mostly the program's", "illegal-access"},
  {32, NULL, NULL, "invalid or corrupted push buffer stream", "kernel-fault"},
  {33, NULL, NULL, "security engine exception", "media-engine"},
  {34, NULL, NULL, "video engine (MSVLD) exception", "media-engine"},
  {35, NULL, NULL, "video engine (MSPDEC) exception", "media-engine"},
  {36, NULL, NULL, "video engine (MSPPP) exception", "media-engine"},
  {37, NULL, NULL, "firmware does not know a method", "gsp-firmware"},
  {38, NULL, NULL, "driver firmware error", "gsp-firmware"},
  {39, NULL, NULL, "copy engine 0 exception", "copy-engine"},
  {40, NULL, NULL, "copy engine 1 exception", "copy-engine"},
  {41, NULL, NULL, "copy engine 2 exception", "copy-engine"},
  {42, NULL, NULL, "image compositor (VIC) exception", "media-engine"},
  {43, NULL, NULL, "a channel was stopped after a fault of its program", "kernel-fault"},
  {44, NULL, NULL, "graphics engine fault during context switch", "kernel-fault"},
  {45, NULL, NULL, "preemptive cleanup, due to previous errors", "kernel-killed"},
  {46, NULL, NULL, "GPU stopped processing, timeout", "gpu-reset-required"},
  {47, NULL, NULL, "video encoder (NVENC0) exception", "media-engine"},
  {48, NULL, NULL, "double bit ECC error", "ecc-error"},
  {49, NULL, NULL, "quiet mode: level set by the registry", "xid-note"},
  {50, NULL, NULL, "quiet mode: level changed after an error", "gpu-reset-required"},
  {51, NULL, NULL, "quiet mode: stress test failed", "thermal power-cap"},
  {52, NULL, NULL, "quiet mode: level changed as it grew hot", "thermal"},
  {53, NULL, NULL, "quiet mode: clocks lowered for heat", "thermal"},
  {54, NULL, NULL, "auxiliary power is not connected", "gpu-power-cable"},
  {55, NULL, NULL, "temperature cannot be read", "fan-failed thermal"},
  {56, NULL, NULL, "display engine error", "display-engine"},
  {57, NULL, NULL, "error programming the video memory interface", "controller-halt"},
  {58, NULL, NULL, "unstable video memory interface", "controller-halt"},
  {59, NULL, NULL, "micro-controller (PMU) error", "controller-halt"},
  {60, NULL, NULL, "security engine (SEC2) exception", "media-engine"},
  {61, NULL, NULL, "internal micro-controller breakpoint", "controller-halt"},
  {62, NULL, NULL, "internal micro-controller halt", "controller-halt"},
  {63, NULL, NULL, "row remapping or page retirement recorded", "rows-pending pages-pending"},
  {64, NULL, NULL, "row remapping or page retirement failed", "remap-failed"},
  {65, NULL, NULL, "video encoder (NVENC1) exception", "media-engine"},
  {66, NULL, NULL, "illegal access by driver", "vendor-crash"},
  {67, NULL, NULL, "illegal access by driver", "vendor-crash"},
  {68, NULL, NULL, "video decoder (NVDEC0) exception", "media-engine"},
  {69, NULL, NULL, "graphics engine class error", "kernel-fault"},
  {70, NULL, NULL, "copy engine 3 exception", "copy-engine"},
  {71, NULL, NULL, "copy engine 4 exception", "copy-engine"},
  {72, NULL, NULL, "copy engine 5 exception", "copy-engine"},
  {73, NULL, NULL, "video encoder (NVENC2) exception", "media-engine"},
  {74, NULL, NULL, "NVLink error", "nvlink-down"},
  {75, NULL, NULL, "copy engine 6 exception", "copy-engine"},
  {76, NULL, NULL, "copy engine 7 exception", "copy-engine"},
  {77, NULL, NULL, "copy engine 8 exception", "copy-engine"},
  {78, NULL, NULL, "vGPU start error", "vgpu-host"},
  {79, NULL, NULL, "GPU has fallen off the bus", "gpu-off-bus"},
  {80, NULL, NULL, "corrupted data sent to GPU", "pcie-errors"},
  {81, NULL, NULL, "VGA subsystem error", "display-engine"},
  {82, NULL, NULL, "JPEG engine (NVJPG0) error", "media-engine"},
  {83, NULL, NULL, "video decoder (NVDEC1) error", "media-engine"},
  {84, NULL, NULL, "video decoder (NVDEC2) error", "media-engine"},
  {85, NULL, NULL, "copy engine 9 exception", "copy-engine"},
  {86, NULL, NULL, "optical flow (OFA0) exception", "media-engine"},
  {87, NULL, NULL, "report of the driver's telemetry", "xid-note"},
  {88, NULL, NULL, "video decoder (NVDEC3) error", "media-engine"},
  {89, NULL, NULL, "video decoder (NVDEC4) error", "media-engine"},
  {90, NULL, NULL, "error in the L2 cache", "sram-errors"},
  {91, NULL, NULL, "reserved", "xid-note"},
  {92, NULL, NULL, "high single-bit ECC error rate", "ecc-corrected"},
  {93, NULL, NULL, "infoROM erase limit exceeded", "inforom-corrupted"},
  {94, NULL, NULL, "contained ECC error", "error-contained"},
  {95, NULL, NULL, "uncontained ECC error", "ecc-error gpu-reset-required"},
  {96, NULL, NULL, "video decoder (NVDEC5) error", "media-engine"},
  {97, NULL, NULL, "video decoder (NVDEC6) error", "media-engine"},
  {98, NULL, NULL, "video decoder (NVDEC7) error", "media-engine"},
  {99, NULL, NULL, "JPEG engine (NVJPG1) error", "media-engine"},
  {100, NULL, NULL, "JPEG engine (NVJPG2) error", "media-engine"},
  {101, NULL, NULL, "JPEG engine (NVJPG3) error", "media-engine"},
  {102, NULL, NULL, "JPEG engine (NVJPG4) error", "media-engine"},
  {103, NULL, NULL, "JPEG engine (NVJPG5) error", "media-engine"},
  {104, NULL, NULL, "JPEG engine (NVJPG6) error", "media-engine"},
  {105, NULL, NULL, "JPEG engine (NVJPG7) error", "media-engine"},
  {106, NULL, NULL, "test message of the management bus", "xid-note"},
  {107, NULL, NULL, "silent test message of the management bus", "xid-note"},
  {108, NULL, NULL, "NVLink: a remote address was not translated", "nvlink-down illegal-access"},
  {109, NULL, NULL, "context switch timeout", "gpu-reset-required"},
  {110, NULL, NULL, "security fault error", "gpu-reset-required"},
  {111, NULL, NULL, "bundle error event", "gpu-reset-required"},
  {112, NULL, NULL, "display supervisor error", "display-engine"},
  {113, NULL, NULL, "DisplayPort link training failed", "display-engine"},
  {114, NULL, NULL, "display: underflow of a head", "display-engine"},
  {115, NULL, NULL, "display: registers of the core channel", "display-engine"},
  {116, NULL, NULL, "display: registers of a window channel", "display-engine"},
  {117, NULL, NULL, "display: registers of a cursor channel", "display-engine"},
  {118, NULL, NULL, "display: registers of a head", "display-engine"},
  {119, NULL, NULL, "GSP RPC timeout", "gsp-firmware"},
  {120, NULL, NULL, "GSP error", "gsp-firmware"},
  {121, NULL, NULL, "C2C link error", "nvlink-down"},
  {122, NULL, NULL, "SPI PMU RPC read failure", "inforom-corrupted"},
  {123, NULL, NULL, "SPI PMU RPC write failure", "inforom-corrupted"},
  {124, NULL, NULL, "SPI PMU RPC erase failure", "inforom-corrupted"},
  {125, NULL, NULL, "infoROM file system error", "inforom-corrupted"},
  {126, NULL, NULL, "copy engine 10 exception", "copy-engine"},
  {127, NULL, NULL, "copy engine 11 exception", "copy-engine"},
  {128, NULL, NULL, "copy engine 12 exception", "copy-engine"},
  {129, NULL, NULL, "copy engine 13 exception", "copy-engine"},
  {130, NULL, NULL, "copy engine 14 exception", "copy-engine"},
  {131, NULL, NULL, "copy engine 15 exception", "copy-engine"},
  {132, NULL, NULL, "copy engine 16 exception", "copy-engine"},
  {133, NULL, NULL, "copy engine 17 exception", "copy-engine"},
  {134, NULL, NULL, "copy engine 18 exception", "copy-engine"},
  {135, NULL, NULL, "copy engine 19 exception", "copy-engine"},
  {136, NULL, NULL, "NVLink training failed", "nvlink-down"},
  {137, NULL, NULL, "NVLink: a remote access was not allowed", "illegal-access nvlink-down"},
  {138, NULL, NULL, "deep learning accelerator (DLA) error", "media-engine"},
  {139, NULL, NULL, "optical flow (OFA1) error", "media-engine"},
  {140, NULL, NULL, "unrecovered ECC error", "ecc-error gpu-reset-required"},
  {141, NULL, NULL, "CUDA fast path error", "kernel-fault"},
  {142, NULL, NULL, "video encoder (NVENC3) error", "media-engine"},
  {143, NULL, NULL, "GPU initialization error", "adapter-init"},
  {144, NULL, NULL, "NVLink error (fifth generation)", "nvlink-down"},
  {145, NULL, NULL, "NVLink error (fifth generation)", "nvlink-down"},
  {146, NULL, NULL, "NVLink error (fifth generation)", "nvlink-down"},
  {147, NULL, NULL, "NVLink error (fifth generation)", "nvlink-down"},
  {148, NULL, NULL, "NVLink error (fifth generation)", "nvlink-down"},
  {149, NULL, NULL, "NVLink error (fifth generation)", "nvlink-down"},
  {150, NULL, NULL, "NVLink error (fifth generation)", "nvlink-down"},
  {151, NULL, NULL, "key rotation error", "gpu-reset-required"},
  {152, NULL, NULL, "DLA: error of its memory unit", "media-engine"},
  {153, NULL, NULL, "DLA: timeout", "media-engine"},
  {154, NULL, NULL, "GPU recovery action changed", "gpu-reset-required"},
  {155, NULL, NULL, "NVLink software-defined error", "nvlink-down"},
  {156, NULL, NULL, "resource retirement event", "rows-pending"},
  {157, NULL, NULL, "resource retirement failure", "remap-failed"},
  {158, NULL, NULL, "GPU fatal timeout", "gpu-reset-required"},
  {159, NULL, NULL, "error of the CPU's coherent link (CHI)", "nvlink-down illegal-access"},
  {160, NULL, NULL, "channel retirement event", "ecc-corrected"},
  {161, NULL, NULL, "channel retirement failure", "remap-failed"},
  {162, NULL, NULL, "power smoothing works again", "xid-note"},
  {163, NULL, NULL, "power smoothing is off", "power-smoothing"},
  {164, NULL, NULL, "power smoothing nears the end of its life", "power-smoothing"},
  {165, NULL, NULL, "power smoothing is worn out", "power-smoothing"},
  {166, NULL, NULL, "NVLink: traffic before encryption was set up", "nvlink-down"},
  {167, NULL, NULL, "fatal timeout on PCIe", "gpu-off-bus pcie-errors"},
  {168, NULL, NULL, "less memory: errors in the protected region", "remap-failed ecc-error"},
  {169, NULL, NULL, "security processor (SEC2) halt", "gsp-firmware controller-halt"},
  {170, NULL, NULL, "NVLink: interrupt in confidential computing", "nvlink-down"},
  {171, NULL, NULL, "uncorrectable DRAM error, more of 48", "ecc-error"},
  {172, NULL, NULL, "uncorrectable SRAM error, more of 48", "sram-errors"},
  {185, NULL, NULL, "memory was put out of use (sparing)", "rows-pending"},
};

/* The least of the model's versions, in GB/s. */
static const struct {
  const char *gpu;
  int gb_s;
} bandwidths[] = {
  {"V100", 900},
  {"T4", 320},
  {"A100", 1555},
  {"A30", 933},
  {"A10", 600},
  {"A40", 696},
  {"L4", 300},
  {"L40", 864},
  {"L40S", 864},
  {"H100", 2000},
  {"H100 NVL", 3900},
  {"GH200", 4000},
  {"H200", 4800},
  {"B200", 7700},
};

/* clang-format on */
/* ---- tables end */

static const struct {
  const char *name;
  const struct code *codes;
  size_t n;
} code_tables[] = {
  {"cuda", cuda_codes, LENGTH(cuda_codes)},
  {"nvml", nvml_codes, LENGTH(nvml_codes)},
  {"nccl", nccl_codes, LENGTH(nccl_codes)},
  {"xid", xid_codes, LENGTH(xid_codes)},
};

enum { CUDA_CODES, NVML_CODES, NCCL_CODES, XID_CODES };

static const struct code *code_find(int table, int code)
{
  for (size_t i = 0; i < code_tables[table].n; i++)
    if (code_tables[table].codes[i].code == code) return &code_tables[table].codes[i];
  return NULL;
}

static const struct cause *cause_find(const char *name)
{
  size_t n = strcspn(name, " ");

  for (size_t i = 0; i < LENGTH(cause_table); i++)
    if (strncmp(cause_table[i].name, name, n) == 0 && !cause_table[i].name[n])
      return &cause_table[i];
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

/* ---- texts: a line as the tables see it, and whether a text of theirs is in it */

enum { LINE_KEPT = 4096, LINE_OVERLAP = 512 };

/* Small letters, ' for any quote, one blank for many; without colours and backslashes. */
struct line {
  char text[LINE_KEPT + 1];
  unsigned short from[LINE_KEPT + 1]; /* where each byte stood in the raw line */
  size_t n;
};

static int is_word(char c)
{
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A terminal's escape sequence at p, also spelled out as in JSON and by cat -v; 0: none. */
static size_t escape_length(const char *p, const char *end)
{
  static const char *const starts_with[] = {"\033", "\\u001b", "\\x1b", "\\033", "\\e", "^["};

  for (size_t i = 0; i < LENGTH(starts_with); i++) {
    size_t n = strlen(starts_with[i]);
    if ((size_t)(end - p) <= n || strncasecmp(p, starts_with[i], n) != 0 || p[n] != '[') continue;
    for (n++; p + n < end && (is_digit(p[n]) || strchr(";?", p[n]));) n++;
    return n + (p + n < end);
  }
  return 0;
}

/* A quote of any script at p, that is to be '; 0: none. */
static size_t quote_length(const char *p, const char *end)
{
  static const char *const quotes[] = {
    "\"", "`", "\xe2\x80\x98", "\xe2\x80\x99", "\xe2\x80\x9c", "\xe2\x80\x9d", "\xc2\xb4"};

  for (size_t i = 0; i < LENGTH(quotes); i++)
    if ((size_t)(end - p) >= strlen(quotes[i]) && memcmp(p, quotes[i], strlen(quotes[i])) == 0)
      return strlen(quotes[i]);
  return 0;
}

/* What is at p instead of its bytes: a blank, a quote, nothing (0); -1: the byte itself. */
static int replaced(const char *p, const char *end, int json, size_t *length)
{
  if ((*length = escape_length(p, end))) return 0;
  if ((*length = quote_length(p, end))) return '\'';
  *length = 1;
  if (*p == '\\' && p + 1 < end) {
    if (strchr("\"'\\/", p[1])) return 0;
    *length = 2;
    if (json && strchr("ntr", p[1])) return ' ';
    *length = 1;
  }
  return is_space(*p) || (unsigned char)*p < 0x20 ? ' ' : -1;
}

static void line_read(struct line *l, const char *raw, size_t n)
{
  const char *end = raw + n;
  int json = memmem(raw, n, "\":", 2) != NULL;
  size_t length;

  l->n = 0;
  for (const char *p = raw; p < end && l->n < LINE_KEPT; p += length) {
    int c = replaced(p, end, json, &length);
    if (c == 0 || (c == ' ' && (l->n == 0 || l->text[l->n - 1] == ' '))) continue;
    if (c < 0) c = *p >= 'A' && *p <= 'Z' ? *p + 32 : *p;
    l->from[l->n] = (unsigned short)(p - raw);
    l->text[l->n++] = (char)c;
  }
  l->from[l->n] = (unsigned short)n;
  l->text[l->n] = '\0';
}

/* The number at p: 12, 12.8; its length. */
static size_t number_length(const char *p)
{
  size_t n = 0;

  while (is_digit(p[n]) || (n && p[n] == '.' && is_digit(p[n + 1]))) n++;
  return n;
}

/* How much of p is the piece (without '*'); 0: it is another text. '@' takes a number along. */
static size_t piece_length(const char *piece, size_t n, const char *p, int *code)
{
  const char *start = p;

  for (; n; n--, piece++) {
    size_t digits = *piece == '#' || *piece == '@' ? number_length(p) : 0;
    if (!digits && (*piece == '#' || *piece == '@' || *piece != *p)) return 0;
    if (*piece == '@') {
      if (digits > 3 || p[strspn(p, "0123456789")] == '.' || is_word(p[digits]) || p[digits] == '%')
        return 0;
      *code = atoi(p);
    }
    p += digits ? digits : 1;
  }
  return (size_t)(p - start);
}

struct span {
  size_t at, end;
};

/* Is this part (without ' & ') in the line, from `at` on? '*' is anything: the first place of each
 * piece leaves the most room for the next. */
static int part_found(
  const char *part, size_t n, const struct line *l, size_t at, struct span *found, int *code)
{
  int first = 1;

  while (n) {
    size_t piece = 0, length = 0;
    while (piece < n && part[piece] != '*') piece++;
    int letter = *part != '#' && *part != '@' ? *part : 0;
    for (; piece && at < l->n; at++) {
      const char *next = letter ? memchr(l->text + at, letter, l->n - at) : l->text + at;
      if (!next) return 0;
      at = (size_t)(next - l->text);
      int begins = !first || at == 0 || !is_word(*part) || !is_word(l->text[at - 1]);
      if (begins && (length = piece_length(part, piece, l->text + at, code))) break;
    }
    if (piece && !length) return 0;
    if (first) found->at = at;
    found->end = at += length;
    first = 0;
    piece += piece < n;
    part += piece;
    n -= piece;
  }
  return 1;
}

/* Is the text of a table in the line? All of its parts, in any order; found: the first. */
static int text_found(
  const char *text, size_t n, const struct line *l, struct span *found, int *code)
{
  struct span other;

  for (int first = 1; n; first = 0) {
    const char *and = memmem(text, n, " & ", 3);
    size_t part = and? (size_t)(and-text) : n;
    if (!part_found(text, part, l, 0, first ? found : &other, code)) return 0;
    text += part + (and? 3 : 0);
    n -= part + (and? 3 : 0);
  }
  return 1;
}

/* Is one of the cause's texts in this one? */
static int cause_told(const struct cause *c, const char *text)
{
  struct line line;
  struct span found;
  int code;

  line_read(&line, text, strlen(text));
  for (const char *p = c->texts; *p; p += strcspn(p, "\n") + 1)
    if (text_found(p + 1, strcspn(p, "\n") - 1, &line, &found, &code)) return 1;
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

/* Of an instance: 1 and 2 configure and watch MIG, and every machine has them (mig-minors). */
static int is_mig_node(const char *path)
{
  int minor;
  return sscanf(path, "/dev/nvidia-caps/nvidia-cap%d", &minor) == 1 && minor > 2;
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
  for (size_t i = 0; i < f->nodes; i++) f->mig_nodes += is_mig_node(f->node[i].path);
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
static int is_kernel_log(int fd)
{
  struct stat st;

  return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 11);
}

/* The log of the kernel that runs, from its ring: a record a read,
 * PRIORITY,NUMBER,MICROSECONDS,...;TEXT (Documentation/ABI/testing/dev-kmsg). A root has AGE TEXT
 * in lines. */
static void read_kernel_log(struct facts *f)
{
  char *text = f->h->root ? host_read(f->h, "/.gpu-smoke/kmsg") : NULL, record[8193];
  int fd = f->h->root ? -1 : open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct timespec now;
  ssize_t n = -1;

  f->log_seen = text != NULL;
  for (char *line; (line = next_line(&text));) add_xid(f, line);
  if (fd >= 0 && !is_kernel_log(fd)) {
    close(fd);
    return;
  }
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
      add_xid(f,
        text_of(
          f->h, "%lld %.*s", age < 0 ? 0 : age, (int)strcspn(message + 1, "\n"), message + 1));
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
} attributes[] = {
  {18, "integrated"},
  {20, "mode"},
  {36, "clock_khz"},
  {37, "bus_bits"},
  {75, "cc_major"},
  {76, "cc_minor"},
  {133, "mps"},
};

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
  device_ptr at[8];
  float *host;
  void *pinned[2];
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

/* One more, of another size. */
static int buffers_add(const struct child *c, struct buffers *b, size_t size)
{
  if (FAILS(cuMemAlloc, &b->at[b->n], size)) return -1;
  b->n++;
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
  if (wrong)
    tell(c, "wrong %s on GPU %d: %u of %u values, first at %u: expected %u, got %g", what, c->gpu,
      wrong, ADD_WORDS, first, small_number(first, 3) + small_number(first, 5), (double)got[first]);
  return wrong ? -1 : 0;
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
  if (buffers_get(c, b, ADD_WORDS * sizeof(float), 3, 1) || add_fill(c, b->at[0], b->host, 3) ||
    add_fill(c, b->at[1], b->host, 5))
    return -1;
  return add_run(c, b->at, b->host, "vector add");
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
  if (look->seen != words)
    tell(c, "wrong count on GPU %d: %s looked at %llu of %llu words", c->gpu, kernel,
      (ullong)look->seen, (ullong)words);
  return look->seen == words ? 0 : -1;
}

static int memory_wrong(const struct child *c, device_ptr p, uint32_t seed, const struct look *l)
{
  uint32_t got = 0;

  if (FAILS(cuMemcpyDtoH, &got, p + 4 * l->first, sizeof got)) return -1;
  tell(c, "wrong memory on GPU %d: %llu words, first at %llu: wrong bits 0x%08x", c->gpu,
    (ullong)l->wrong, (ullong)l->first, got ^ pattern_word(l->first, seed));
  return -1;
}

/* Twice, the second time with all bits turned. Each time one wrong word is planted first, and that
 * one alone has to be found, then put right: a check that finds nothing proves nothing. */
static int pattern_run(const struct child *c, device_ptr p, device_ptr out, uint64_t words)
{
  static const unsigned grid[] = {1024, 1, 256, 1};
  uint32_t seed = 0x5a5a1234u;
  device_ptr none = 0;
  void *write[] = {&p, &words, &seed, &none}, *check[] = {&p, &words, &seed, &out};
  struct look planted, mended;

  for (int i = 0; i < 2; i++, seed = ~seed) {
    uint64_t at = (uint64_t)(pattern_word((uint64_t)i + 1, seed) % words);
    uint32_t word = pattern_word(at, seed);
    if (FAILS(cuMemsetD32, p, poison, words) || run_kernel(c, "smoke_pattern", grid, write) ||
      FAILS(cuMemsetD32, p + 4 * at, word ^ 1u << (seed >> 27), 1) ||
      look_run(c, "smoke_pattern", grid, check, out, words, &planted) ||
      FAILS(cuMemsetD32, p + 4 * at, word, 1) ||
      look_run(c, "smoke_pattern", grid, check, out, words, &mended))
      return -1;
    if (mended.wrong) return memory_wrong(c, p, seed, &mended);
    if (planted.wrong != 1 || planted.first != at) {
      tell(c, "wrong memory on GPU %d: one wrong word planted at %llu, found %llu, first at %lld",
        c->gpu, (ullong)at, (ullong)planted.wrong, (long long)planted.first);
      return -1;
    }
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
  if (FAILS(cuMemGetInfo, &left, &total) || buffers_get(c, b, 64, 1, 0)) return -1;
  (void)c->cu.cuDeviceGetAttribute(&integrated, 18, c->dev);
  left = left / 100 * (integrated && percent > 25 ? 25 : percent) & ~(size_t)0xffff;
  size = left > size ? left : size;
  if (buffers_add(c, b, size)) return -1;
  return pattern_run(c, b->at[1], b->at[0], size / 4);
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

/* A way to multiply: what it is called, its kernel, threads of a block, what its speed is called.
 */
struct product {
  const char *what, *kernel, *speed;
  unsigned x, y;
};

/* What is at each place: the product; what a look counts; two matrices and their right product, and
 * these once more, transposed. */
enum { PRODUCT, LOOK, MATRICES };

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
  tell(c, "wrong %s on GPU %d: in product %u %llu of %llu values, first in row %llu, column %llu",
    way->what, c->gpu, number, (ullong)wrong, (ullong)right.n * right.n, (ullong)first / right.n,
    (ullong)first % right.n);
  return -1;
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
  tell(c, "wrong %s on GPU %d: of %llu wrong values smoke_compare finds %llu", way->what, c->gpu,
    (ullong)words, (ullong)look.wrong);
  return -1;
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

  if (buffers_get(c, b, size, MATRICES + 6, 1)) return -1;
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

/* One copy within the device into poisoned memory, timed and compared. at: what a look counts, the
 * source, the target */
static int copy_within(
  const struct child *c, const struct buffers *b, void *const events[2], uint64_t words, float *ms)
{
  static const unsigned grid[] = {1024, 1, 256, 1};
  device_ptr out = b->at[0], to = b->at[2];
  uint32_t seed = COPY_SEED;
  void *check[] = {&to, &words, &seed, &out};
  struct look look;

  if (FAILS(cuMemsetD32, to, poison, words) || FAILS(cuEventRecord, events[0], NULL) ||
    FAILS(cuMemcpyDtoD, to, b->at[1], 4 * words) || FAILS(cuEventRecord, events[1], NULL) ||
    FAILS(cuEventSynchronize, events[1]) || FAILS(cuEventElapsedTime, ms, events[0], events[1]) ||
    look_run(c, "smoke_pattern", grid, check, out, words, &look))
    return -1;
  if (look.wrong)
    tell(c, "wrong copy within GPU %d: %llu of %llu words, first at %llu", c->gpu,
      (ullong)look.wrong, (ullong)words, (ullong)look.first);
  return look.wrong ? -1 : 0;
}

/* The best of three copies, read and write counted. */
static int test_bandwidth(const struct child *c, struct buffers *b)
{
  static const unsigned grid[] = {1024, 1, 256, 1};
  size_t left = 0, total = 0, size = (size_t)256 << 20;
  uint32_t seed = COPY_SEED;
  device_ptr none = 0;
  void *events[2] = {NULL, NULL};
  float best = 0, ms = 0;

  stage(c, "bandwidth");
  if (FAILS(cuMemGetInfo, &left, &total)) return -1;
  while (size > (1 << 20) && size > left / 4) size /= 2;
  uint64_t words = size / sizeof(uint32_t);
  void *write[] = {&b->at[1], &words, &seed, &none};
  if (buffers_get(c, b, 64, 1, 0) || buffers_add(c, b, size) || buffers_add(c, b, size) ||
    run_kernel(c, "smoke_pattern", grid, write) || FAILS(cuEventCreate, &events[0], 0) ||
    FAILS(cuEventCreate, &events[1], 0))
    return -1;
  for (int i = 0; i < 4; i++) { /* the first one only warms up */
    if (copy_within(c, b, events, words, &ms)) return -1;
    if (i > 0 && ms > 0 && (best == 0 || ms < best)) best = ms;
  }
  if (best > 0) tell(c, "bandwidth %d %.1f", c->gpu, 2e-6 * (double)size / (double)best);
  return FAILS(cuEventDestroy, events[0]) || FAILS(cuEventDestroy, events[1]);
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

/* What came to the GPU is looked at there, so that two mistakes on the way cannot undo each other.
 */
static int host_arrived(
  const struct child *c, const struct buffers *b, uint64_t words, uint32_t seed)
{
  static const unsigned grid[] = {1024, 1, 256, 1};
  device_ptr out = b->at[0], p = b->at[1];
  void *check[] = {&p, &words, &seed, &out};
  struct look look;

  if (look_run(c, "smoke_pattern", grid, check, out, words, &look)) return -1;
  if (look.wrong)
    tell(c, "wrong copy from the host to GPU %d: %llu of %llu words, first at %llu", c->gpu,
      (ullong)look.wrong, (ullong)words, (ullong)look.first);
  return look.wrong ? -1 : 0;
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
  if (host_arrived(c, b, words, seed)) return -1;
  at[2] = now_ns();
  if (FAILS(cuMemcpyDtoH, from, b->at[1], size)) return -1;
  at[3] = now_ns();
  for (int i = 0; i < 2; i++) {
    int64_t spent = at[2 * i + 1] - at[2 * i];
    if (!best[i] || spent < best[i]) best[i] = spent > 0 ? spent : 1;
  }
  while (wrong < words && from[wrong] == pattern_word(wrong, seed)) wrong++;
  if (wrong < words)
    tell(c, "wrong copy from GPU %d to the host: word %zu of %zu", c->gpu, wrong, words);
  return wrong < words ? -1 : 0;
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
  if (buffers_get(c, b, 64, 1, 0) || buffers_add(c, b, size) ||
    FAILS(cuMemAllocHost, &b->pinned[0], size) || FAILS(cuMemAllocHost, &b->pinned[1], size))
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
  if (wrong)
    tell(c, "wrong %s copy between GPU 0 and %d: %u of %u words", how, c->gpu, wrong,
      (unsigned)PEER_WORDS);
  return wrong ? -1 : 0;
}

/* Direct: copies both ways, and a kernel here that reads the other GPU's memory. */
static int peer_direct(const struct child *c, struct buffers *b, device_ptr there, void *context)
{
  device_ptr at[] = {there, b->at[1], b->at[2]};
  int code;

  stage(c, "peer-direct");
  for (int side = 0; side < 2; side++) {
    if (FAILS(cuCtxSetCurrent, side ? context : c->context)) return -1;
    code = c->cu.cuCtxEnablePeerAccess(side ? c->context : context, 0);
    if (code != PEER_ALREADY && failed(c, "cuCtxEnablePeerAccess", code)) return -1;
  }
  return peer_copy(c, b->at[0], c->context, there, context, b->host, "direct") ||
    peer_copy(c, there, context, b->at[0], c->context, b->host, "direct") ||
    add_fill(c, b->at[1], b->host, 5) || add_run(c, at, b->host, "direct read of GPU 0's memory");
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
    buffers_get(c, b, size, 3, 1) || add_fill(c, b->at[0], b->host, 3) ||
    peer_copy(c, there, context, b->at[0], c->context, b->host, "staged") ||
    peer_copy(c, b->at[0], c->context, there, context, b->host, "staged"))
    return -1;
  if (direct && c->cu.cuCtxEnablePeerAccess && peer_direct(c, b, there, context)) return -1;
  tell(c, "number %d direct %d", c->gpu, direct);
  stage(c, "peer");
  return FAILS(cuCtxSetCurrent, context) || FAILS(cuMemFree, there) ||
    FAILS(cuCtxSetCurrent, c->context) || FAILS(cuDevicePrimaryCtxRelease, first);
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

/* How many NVLinks are up and down, and their errors. A GPU without any says that it cannot tell.
 */
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

  if (code) tell(c, "error %d %s: %s", code, func, call.at ? call.text(code) : "");
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
    {"tensor", EXEC},
    {"double", EXEC},
    {"bandwidth", BANDWIDTH},
    {"host", BANDWIDTH},
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

static int gpus_unseen(struct smoke *s);

HOLDS(fewer_gpus)
{
  if (!s->cuda.done || s->cuda.count >= atoi(promised(s, "gpus"))) return 0;
  shows(s, "%s promised, CUDA sees %d", promised(s, "gpus"), s->cuda.count);
  return gpus_unseen(s) || 1;
}

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

  if (!*have || !is_digit(*value)) return -1;
  int order = version_compare(have, value);
  return same(sign, "=") ? order == 0
    : same(sign, "!=")   ? order != 0
    : same(sign, ">")    ? order > 0
    : same(sign, "<")    ? order < 0
    : same(sign, ">=")   ? order >= 0
    : same(sign, "<=")   ? order <= 0
                         : -1;
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

/* ---- what is loaded in front of everything */

/* The next library of LD_PRELOAD, then of /etc/ld.so.preload, whose '#' starts a comment. */
static const char *preload_next(struct smoke *s, const char **list, int *file)
{
  const char *item;

  for (;;) {
    while ((item = list_next(&s->host, list, " :\t\n")))
      if (*item) return item;
    if ((*file)++) return NULL;
    char *text = host_read(&s->host, "/etc/ld.so.preload"), *line;
    *list = "";
    while ((line = next_line(&text)))
      *list = text_of(&s->host, "%s %.*s", *list, (int)strcspn(line, "#"), line);
  }
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
  return lib->defect == DANGLING ? -1 : 0;
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

/* What is wrong with a driver's library in front of all others, or NULL. */
static const char *preload_trouble(const struct smoke *s, const struct library *lib)
{
  const char *module = s->facts.version;

  if (strstr(lib->real, "/stubs/")) return "a stub";
  return *lib->version && *module && !is_compat(lib) && version_compare(lib->version, module) != 0
    ? "not of the kernel driver's version"
    : NULL;
}

enum preload { LOST, DRIVER, HOOK };

/* Is there one of that kind? $LIB and $ORIGIN are for the loader to know. */
static int preloaded(struct smoke *s, enum preload kind)
{
  const char *list = host_env(&s->host, "LD_PRELOAD"), *item, *what = NULL;
  struct library lib;
  int file = 0;

  while (!what && (item = preload_next(s, &list, &file))) {
    int hook = preload_names(item, hooks);
    if (strchr(item, '$') || (!hook && !preload_names(item, drivers))) continue;
    int gone = preload_inspect(s, item, &lib);
    if (gone || lib.defect != FINE)
      what = kind != LOST ? NULL : gone ? "not there" : defect_causes[lib.defect];
    else if (kind == DRIVER && !hook)
      what = preload_trouble(s, &lib);
    else if (kind == HOOK && hook)
      what = "a hook";
    if (what) shows(s, "%s names %s: %s", file ? "/etc/ld.so.preload" : "LD_PRELOAD", item, what);
  }
  return what != NULL;
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
    if (!lib->searched || !same(lib->name, libcuda) || lib->defect != FINE || is_compat(lib))
      continue;
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
  const struct code *error = code_find(NVML_CODES, (int)number(&s->nvml, gpu, "error"));
  long long mode = number(&s->nvml, gpu, "compute_mode");

  return error                          ? error->text
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

/* What the child came to: a death, an error code, a wrong result. */
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

enum { SLOW_INIT_MS = 5000 };

HOLDS(slow_init)
{
  double ms = strtod(said(&s->cuda, "init_ms"), NULL);

  return ms >= SLOW_INIT_MS && shows(s, "cuInit took %.1f s", ms / 1000);
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
  return env_ignored(s, "CUDA_DEVICE_ORDER", "FASTEST_FIRST PCI_BUS_ID") +
    env_ignored(s, "CUDA_MODULE_LOADING", "LAZY EAGER") >
    0;
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

/* Of programs that use the GPU wrongly; every other Xid speaks of the GPU, its driver or its links.
 */
static int is_program_fault(int xid)
{
  static const int faults[] = {13, 31, 43, 45, 68, 69};

  for (size_t i = 0; i < LENGTH(faults); i++)
    if (xid == faults[i]) return 1;
  return 0;
}

static const char *xid_text(struct smoke *s, const struct xid *x)
{
  const struct code *code = code_find(XID_CODES, x->number);
  long long unit = x->age < 7200 ? 60 : x->age < 172800 ? 3600 : 86400;

  if (x->age < 0)
    return text_of(&s->host, "kernel log: Xid %d of %s%s%s", x->number, x->address,
      code ? ", " : "", code ? code->text : "");
  return text_of(&s->host, "kernel log, %lld %s ago: Xid %d of %s%s%s", x->age / unit,
    unit == 60       ? "minutes"
      : unit == 3600 ? "hours"
                     : "days",
    x->number, x->address, code ? ", " : "", code ? code->text : "");
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
    const struct code *code = code_find(XID_CODES, x->number);
    int is_note = code && same(code->causes, "xid-note");
    if (x->age < 86400 && !is_program_fault(x->number) && !is_note && is_ours(s, x->address))
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

/* GB/s of a lane, one way, by the link's generation: PCI-SIG's rates less what coding takes. */
static double lane_rate(long long generation)
{
  static const double rates[] = {0, 0.25, 0.5, 0.985, 1.969, 3.938, 7.563};

  return generation > 0 && generation < (long long)LENGTH(rates) ? rates[generation] : 0;
}

/* An idle link saves power at a lower generation: what it can do counts, with the lanes it has. */
static const char *link_text(struct smoke *s, int gpu, double *rate)
{
  long long lanes = number(&s->nvml, gpu, "pcie_width"),
            generation = number(&s->nvml, gpu, "pcie_gen_max");

  *rate = lanes > 0 ? (double)lanes * lane_rate(generation) : 0;
  return *rate > 0 ? text_of(&s->host, "PCIe %lld x%lld", generation, lanes) : NULL;
}

/* Less than half of what the link carries. */
HOLDS(slow_link)
{
  static const char *const ways[] = {"to_gpu", "from_gpu"};

  for (int i = 0; i < s->cuda.count; i++)
    for (size_t k = 0; k < LENGTH(ways); k++) {
      double rate, have = strtod(said(&s->cuda, "%s %d", ways[k], i), NULL);
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

/* GB/s of the model by the matrix, the least of its versions: the longest name that is in this one.
 */
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

/* A slice has a part of the memory's channels. */
static int is_slice(struct smoke *s) { return !same(sharing_in_force(s), "none"); }

HOLDS(slower_than_promised)
{
  double want = strtod(promised(s, "bandwidth"), NULL);

  for (int i = 0; i < s->cuda.count; i++) {
    double have = strtod(said(&s->cuda, "bandwidth %d", i), NULL);
    if (have > 0 && have < want)
      return shows(s, "GPU %d: %.0f GB/s, promised: %.0f", i, have, want);
  }
  return 0;
}

/* Under 60 % of what the matrix says of the model. */
HOLDS(slow_for_model)
{
  for (int i = 0; i < s->cuda.count && !is_slice(s); i++) {
    double expected = model_bandwidth(said(&s->cuda, "name %d", i)),
           have = strtod(said(&s->cuda, "bandwidth %d", i), NULL);
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
  const char *place = host_env(&s->host, "CUDA_MPS_PIPE_DIRECTORY"),
             *limit = env_set(s, "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT"),
             *part = env_set(s, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");

  if (!s->cuda.done || number(&s->cuda, 0, "mps") != 0 || (!place && !limit && !part)) return 0;
  if (place) shows_env(s, "CUDA_MPS_PIPE_DIRECTORY");
  if (limit) shows_env(s, "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT");
  if (part) shows_env(s, "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE");
  return shows(s, "%s", mps_trouble(s));
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

static double measured(const struct probe *p, const char *key, int gpu)
{
  return strtod(said(p, "%s %d", key, gpu), NULL);
}

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
  } table[] = {
    {"persistence", "persistence_mode", 1},
    {"compute_mode", "compute_mode", 1},
    {"temperature", "temperature_c", 1},
    {"power_mw", "power_w", 1000},
    {"power_limit_mw", "power_limit_w", 1000},
    {"sm_mhz", "sm_clock_mhz", 1},
    {"pcie_gen", "pcie_generation", 1},
    {"pcie_gen_max", "pcie_generation_max", 1},
    {"pcie_width", "pcie_lanes", 1},
    {"pcie_width_max", "pcie_lanes_max", 1},
    {"pcie_replays", "pcie_replays", 1},
    {"nvlinks_up", "nvlinks_up", 1},
    {"nvlinks_down", "nvlinks_down", 1},
    {"nvlink_errors", "nvlink_errors", 1},
    {"ecc_errors", "ecc_uncorrected", 1},
    {"ecc_corrected", "ecc_corrected", 1},
    {"ecc_aggregate", "ecc_uncorrected_ever", 1},
    {"throttle", "throttle_reasons", 1},
  };

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

/* ---- explain: any text, line by line */

enum {
  MAX_TELLINGS = 4096,
  GRAMS = 1 << 14,
  MAX_TOLD = 16, /* the best so far, of which three are shown */
  MAX_SHOWN = 3,
  EVIDENCE = 240
};

/* How specific a line is. What only follows is not shown where anything else is. */
enum { FOLLOWS = 2, NUMBERED = 4, NAMED = 6, ROOT = 8, ITSELF = 10 };

/* A text of the tables: of a cause, or of a code. */
struct telling {
  const struct cause *cause;
  const struct code *code;
  const char *text;
  unsigned short n, rank;
  int next; /* of those with the same gram */
  unsigned long seen; /* the look that met it last */
};

struct told {
  const struct cause *cause;
  const struct code *code; /* or NULL */
  int rank;
  size_t weight; /* letters that were met */
  unsigned long line;
  char text[EVIDENCE + 1], matched[EVIDENCE + 1];
};

struct explanation {
  struct telling telling[MAX_TELLINGS];
  size_t tellings;
  int gram[GRAMS];
  unsigned short common[GRAMS]; /* how many texts have it */
  struct told told[MAX_TOLD], gpu[MAX_SHOWN]; /* gpu: lines that speak of one, with their word */
  size_t n, gpus;
  unsigned long lines, looks;
  ullong bytes;
  struct line line;
  char before[LINE_OVERLAP]; /* the line before, where nothing was met in it */
  size_t before_n;
};

static unsigned gram_of(const char *p)
{
  unsigned hash = 0;

  for (int i = 0; i < 4; i++) hash = hash * 131 + (unsigned char)p[i];
  return (hash ^ hash >> 13) % GRAMS;
}

/* Four letters of the text that stand in a line as they are. */
static int is_gram(const char *p) { return strcspn(p, "*#@&\n") >= 4; }

static void telling_add(struct explanation *e, const struct cause *cause, const struct code *code,
  const char *text, size_t n, int rank)
{
  if (e->tellings == MAX_TELLINGS) return;
  e->telling[e->tellings++] =
    (struct telling){cause, code, text, (unsigned short)n, (unsigned short)rank, -1, 0};
  for (size_t i = 0; i + 4 <= n; i++)
    if (is_gram(text + i)) e->common[gram_of(text + i)]++;
}

/* Every text is looked up by the rarest four letters in it. */
static void tellings_index(struct explanation *e)
{
  for (size_t i = 0; i < GRAMS; i++) e->gram[i] = -1;
  for (size_t t = e->tellings; t-- > 0;) { /* so that the first of the table is met first */
    struct telling *tell = &e->telling[t];
    unsigned best = GRAMS;
    for (size_t i = 0; i + 4 <= tell->n; i++) {
      unsigned gram = is_gram(tell->text + i) ? gram_of(tell->text + i) : GRAMS;
      if (gram < GRAMS && (best == GRAMS || e->common[gram] < e->common[best])) best = gram;
    }
    if (best == GRAMS) continue;
    tell->next = e->gram[best];
    e->gram[best] = (int)t;
  }
}

/* Where a number is an error's. */
static const struct {
  int table;
  const char *text;
} number_forms[] = {
  {CUDA_CODES, "error @"},
  {CUDA_CODES, "error: @"},
  {CUDA_CODES, "error:@"},
  {CUDA_CODES, "error=@"},
  {CUDA_CODES, "error = @"},
  {CUDA_CODES, "error (@)"},
  {CUDA_CODES, "error(@)"},
  {CUDA_CODES, "error[@]"},
  {CUDA_CODES, "errno @"},
  {CUDA_CODES, "code @"},
  {CUDA_CODES, "code: @"},
  {CUDA_CODES, "code:@"},
  {CUDA_CODES, "code=@"},
  {CUDA_CODES, "code = @"},
  {CUDA_CODES, "code #@"},
  {CUDA_CODES, "code (@)"},
  {CUDA_CODES, "code=@("},
  {CUDA_CODES, "returned @"},
  {CUDA_CODES, "returned: @"},
  {CUDA_CODES, "return value @"},
  {CUDA_CODES, "returns @"},
  {CUDA_CODES, "failure @"},
  {CUDA_CODES, "failed with @"},
  {CUDA_CODES, "failed (@)"},
  {CUDA_CODES, "failed: @"},
  {CUDA_CODES, "(@ vs."},
  {CUDA_CODES, "status @"},
  {CUDA_CODES, "status: @"},
  {CUDA_CODES, "status=@"},
  {CUDA_CODES, "curesult @"},
  {CUDA_CODES, "handle : @"},
  {CUDA_CODES, "[@] call to cu"},
  {CUDA_CODES, "cuinit = @"},
  {NVML_CODES, "nvml:@"},
  {NVML_CODES, "nvidia-smi:@"},
  {NVML_CODES, "nvml error @"},
  {NVML_CODES, "nvml error: @"},
  {NVML_CODES, "nvml returned @"},
  {XID_CODES, "xid (*): @"},
  {XID_CODES, "xid @"},
  {XID_CODES, "xid: @"},
  {XID_CODES, "xid=@"},
  {XID_CODES, "xid:@"},
  {XID_CODES, "xid error @"},
  {XID_CODES, "xid errors: @"},
};

/* By what a line speaks of a GPU. A number is an error's in those that speak of its software. */
enum speaks { OF_NOTHING, OF_GPU, OF_SOFTWARE };

static enum speaks line_speaks(const struct line *l, struct span *found)
{
  static const struct {
    enum speaks of;
    const char *word;
  } words[] = {
    {OF_SOFTWARE, "nvrm"},
    {OF_SOFTWARE, "xid (*)"},
    {OF_SOFTWARE, "xid #"},
    {OF_SOFTWARE, "xid=#"},
    {OF_SOFTWARE, "xid:#"},
    {OF_SOFTWARE, "xid: #"},
    {OF_SOFTWARE, "nvidia-smi"},
    {OF_SOFTWARE, "nvml"},
    {OF_SOFTWARE, "cuda"},
    {OF_SOFTWARE, "thcuda"},
    {OF_SOFTWARE, "libcuda"},
    {OF_SOFTWARE, "cudnn"},
    {OF_SOFTWARE, "cublas"},
    {OF_SOFTWARE, "nccl warn"},
    {OF_SOFTWARE, "nccl error"},
    {OF_SOFTWARE, "cuinit"},
    {OF_SOFTWARE, "curesult"},
    {OF_SOFTWARE, "cuctx"},
    {OF_SOFTWARE, "cumem"},
    {OF_SOFTWARE, "cudevice"},
    {OF_SOFTWARE, "culaunch"},
    {OF_SOFTWARE, "cumodule"},
    {OF_SOFTWARE, "custream"},
    {OF_GPU, "nccl"},
    {OF_GPU, "nvidia"},
    {OF_GPU, "libnvidia"},
  };
  int code;

  for (size_t i = 0; i < LENGTH(words); i++)
    if (text_found(words[i].word, strlen(words[i].word), l, found, &code)) return words[i].of;
  return OF_NOTHING;
}

/* The status of a process (exit code 1, make's Error 1) is no error of CUDA's. */
static int is_exit_status(const struct line *l, struct span found)
{
  size_t from = found.at > 24 ? found.at - 24 : 0;

  return memmem(l->text + from, found.at - from, "exit", 4) || memmem(l->text, l->n, "*** [", 5) ||
    memmem(l->text, l->n, "make: ***", 9);
}

static int told_before(const struct told *a, const struct told *b)
{
  if (a->rank != b->rank) return a->rank > b->rank;
  return a->line != b->line ? a->line < b->line : a->weight > b->weight;
}

/* Into the list of the best, each cause once. */
static void told_add(struct explanation *e, struct told t)
{
  size_t i = 0, at;

  while (i < e->n && e->told[i].cause != t.cause) i++;
  if (i < e->n && !told_before(&t, &e->told[i])) return;
  if (i == MAX_TOLD && !told_before(&t, &e->told[--i])) return;
  if (i == e->n) e->n++;
  for (at = i; at > 0 && told_before(&t, &e->told[at - 1]); at--) e->told[at] = e->told[at - 1];
  e->told[at] = t;
}

/* The line around what matched, and what matched, as they stood there. */
static void evidence(
  struct told *t, const struct explanation *e, const char *raw, struct span found)
{
  size_t n = e->line.from[e->line.n], at = e->line.from[found.at], end = e->line.from[found.end];
  size_t from = at > EVIDENCE / 3 && n > EVIDENCE ? at - EVIDENCE / 3 : 0;

  while (from < at && ((unsigned char)raw[from] & 0xc0) == 0x80) from++;
  format(t->text, sizeof t->text, "%.*s", (int)(n - from), raw + from);
  format(t->matched, sizeof t->matched, "%.*s", (int)(end - at), raw + at);
  t->line = e->lines;
}

/* A code stands for several causes, the likeliest first. */
static void told_code(
  struct explanation *e, const struct code *code, int rank, const char *raw, struct span found)
{
  int place = 0;

  for (const char *name = code->causes; *name; name += strspn(name, " "), place = 1) {
    struct told t = {cause_find(name), code, rank - place, found.end - found.at, 0, "", ""};
    evidence(&t, e, raw, found);
    if (t.cause) told_add(e, t);
    name += strcspn(name, " ");
  }
}

static int rank_of(char mark) { return mark == '!' ? ROOT : mark == '.' ? NAMED : FOLLOWS; }

/* A code's name or text is as good as its likeliest cause is definite. */
static int code_rank(const struct code *code)
{
  const struct cause *c = cause_find(code->causes);

  return c && (c->layer == ANYWHERE || same(c->name, "nccl-error") || same(c->name, "nccl-usage"))
    ? FOLLOWS
    : NAMED;
}

static void tellings_read(struct host *h, struct explanation *e)
{
  for (size_t i = 0; i < LENGTH(cause_table); i++)
    for (const char *p = cause_table[i].texts; *p; p += strcspn(p, "\n") + 1)
      telling_add(e, &cause_table[i], NULL, p + 1, strcspn(p, "\n") - 1, rank_of(*p));
  for (size_t t = 0; t < LENGTH(code_tables); t++)
    for (size_t i = 0; i < code_tables[t].n && t != XID_CODES; i++) {
      const struct code *c = &code_tables[t].codes[i];
      const char *names[] = {c->name, c->runtime_name, t == CUDA_CODES ? c->text : NULL};
      for (size_t k = 0; k < LENGTH(names); k++) {
        size_t n = names[k] ? strlen(names[k]) : 0;
        char *text = n > 13 ? pool_get(&h->pool, n + 1) : NULL;
        for (size_t j = 0; text && j < n; j++)
          text[j] =
            names[k][j] >= 'A' && names[k][j] <= 'Z' ? (char)(names[k][j] + 32) : names[k][j];
        if (text) telling_add(e, NULL, c, text, n, code_rank(c));
      }
    }
  tellings_index(e);
}

/* A name of a code ends where it ends: cudaErrorInvalidDevice is not the start of another. */
static int is_whole(const struct telling *t, const struct line *l, struct span found)
{
  return !t->code || !(is_word(l->text[found.end]) || l->text[found.end] == '_');
}

/* How many texts are in the line. */
static size_t told_tellings(struct explanation *e, const char *raw, int gpu)
{
  const struct line *l = &e->line;
  struct span found = {0, 0};
  size_t met = 0;
  int code;

  e->looks++;
  for (size_t i = 0; i + 4 <= l->n; i++)
    for (int at = e->gram[gram_of(l->text + i)]; at >= 0; at = e->telling[at].next) {
      struct telling *t = &e->telling[at];
      if (t->seen == e->looks || (t->code && !gpu)) continue;
      t->seen = e->looks;
      if (!text_found(t->text, t->n, l, &found, &code) || !is_whole(t, l, found)) continue;
      met++;
      if (t->code) {
        told_code(e, t->code, t->rank, raw, found);
        continue;
      }
      struct told told = {t->cause, NULL, t->rank, t->n, 0, "", ""};
      evidence(&told, e, raw, found);
      told_add(e, told);
    }
  return met;
}

static void told_numbers(struct explanation *e, const char *raw)
{
  struct span found = {0, 0};

  for (size_t i = 0; i < LENGTH(number_forms); i++) {
    int number = 0, xid = number_forms[i].table == XID_CODES;
    const char *text = number_forms[i].text;
    if (!text_found(text, strlen(text), &e->line, &found, &number) ||
      is_exit_status(&e->line, found))
      continue;
    const struct code *code = code_find(number_forms[i].table, number);
    /* 43 and 45 only follow from what went before, notes are no failures */
    int follows = xid && code && (number == 43 || number == 45 || same(code->causes, "xid-note"));
    if (code) told_code(e, code, follows ? FOLLOWS : xid ? ROOT : NUMBERED, raw, found);
  }
}

/* Terminals and mails break lines: where two in a row tell nothing, what they tell as one. */
static size_t explain_joined(struct explanation *e, const char *raw, size_t n)
{
  char both[LINE_OVERLAP + 1 + LINE_KEPT];
  size_t first = e->before_n;
  struct span found = {0, 0};

  memcpy(both, e->before, first);
  both[first] = ' ';
  memcpy(both + first + 1, raw, n < LINE_KEPT ? n : LINE_KEPT);
  line_read(&e->line, both, first + 1 + (n < LINE_KEPT ? n : LINE_KEPT));
  e->lines--; /* the first of the two is named */
  size_t met = line_speaks(&e->line, &found) ? told_tellings(e, both, 1) : 0;
  e->lines++;
  return met;
}

static void explain_line(struct explanation *e, const char *raw, size_t n)
{
  struct span found = {0, 0};

  line_read(&e->line, raw, n);
  enum speaks of = line_speaks(&e->line, &found);
  if (of && e->gpus < MAX_SHOWN) evidence(&e->gpu[e->gpus++], e, raw, found);
  size_t met = told_tellings(e, raw, of != OF_NOTHING);
  if (of == OF_SOFTWARE) told_numbers(e, raw);
  if (!met && e->before_n) met = explain_joined(e, raw, n);
  e->before_n = met ? 0 : n < LINE_OVERLAP ? n : 0;
  memcpy(e->before, raw, e->before_n);
}

/* All of it, in pieces of a line's length where lines are longer. */
static int explain_stream(struct explanation *e, FILE *in)
{
  char raw[2 * LINE_KEPT] = "";
  size_t n = 0;
  int c;

  for (int before = '\n'; (c = getc(in)) != EOF; before = c, e->bytes++) {
    e->lines += before == '\n';
    if (c == 0) continue; /* PowerShell writes UTF-16 */
    if (c != '\n') raw[n++] = (char)c;
    if (c != '\n' && n < LINE_KEPT) continue;
    explain_line(e, raw, n);
    if (c == '\n') {
      n = 0;
    } else {
      memmove(raw, raw + n - LINE_OVERLAP, LINE_OVERLAP);
      n = LINE_OVERLAP;
    }
  }
  if (n) explain_line(e, raw, n);
  return ferror(in) ? -1 : 0;
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
  {"--expect", "FILE", "what was promised, KEY: VALUE: driver cuda gpu gpus ...",
    OPTION(TEXT, expect), 0},
  {"--share", "N", "then N processes at once on the first GPU", OPTION(NUMBER, share), MAX_SHARE},
  {"--explain", "TEXT|-|@FILE", "explain an error, a log, offline", OPTION(TEXT, explain), 0},
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
    if (!list_has("driver cuda gpu archs gpus bandwidth sharing", " ", key))
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
  if (probes && proven(s) && right_make(SHARED_SIZE) == 0)
    probe_run(probes, c, child_cuda, s->opt.share, s->opt.timeout);
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

static void put_evidence(struct sink *k, const struct told *t)
{
  if (k->quoting == JSON)
    put(k, "'line': %l, 'text': %s, 'matched': %s", (long long)t->line, t->text, t->matched);
  else
    put(k, "  line %l: %s\n", (long long)t->line, t->text);
}

static void json_explanation(struct sink *k, const struct explanation *e, size_t shown)
{
  put(k, "{'schema': 'tmplgen/explain@2', 'exit': 0, 'lines': %l, 'bytes': %l,\n 'causes': [",
    (long long)e->lines, (long long)e->bytes);
  for (size_t i = 0; i < shown; i++) {
    const struct told *t = &e->told[i];
    put(k, i ? ",\n  {'cause': %s, 'layer': %s, " : "\n  {'cause': %s, 'layer': %s, ",
      t->cause->name, t->cause->layer < N_LAYERS ? layers[t->cause->layer].name : NULL);
    put_evidence(k, t);
    if (t->code)
      put(k, ", 'code': {'number': %d, 'name': %s, 'text': %s}", t->code->code,
        t->code->name ? t->code->name : t->code->runtime_name, t->code->text);
    else
      put(k, ", 'code': null");
    json_cause(k, t->cause);
  }
  put(k, "],\n 'gpu': [");
  for (size_t i = 0; i < e->gpus; i++) {
    fputs(i ? ", {" : "{", k->out);
    put_evidence(k, &e->gpu[i]);
    fputs("}", k->out);
  }
  put(k, "]}\n");
}

static void put_explanation(struct sink *k, const struct explanation *e, size_t shown)
{
  for (size_t i = 0; i < shown; i++) {
    const struct told *t = &e->told[i];
    const char *name = t->code ? t->code->name : NULL;
    put(k, "%s%s (%s)\n", i ? "\n" : "", t->cause->name,
      t->cause->layer < N_LAYERS ? layers[t->cause->layer].name : "any layer");
    put_evidence(k, t);
    if (t->code && t->code->runtime_name && !name) name = t->code->runtime_name;
    if (t->code && name)
      put(k, "  that is %d, %s: %s\n", t->code->code, name, t->code->text);
    else if (t->code)
      put(k, "  that is %d: %s\n", t->code->code, t->code->text);
    else if (!same(t->text, t->matched))
      put(k, "  by its words: %s\n", t->matched);
    put_cause(k, t->cause);
  }
  if (shown > 1) put(k, "\nthe likeliest first; gpu-smoke tells which where it happened\n");
  if (shown) return;
  put(k,
    e->gpus ? "no failure that this version knows; of a GPU speaks:\n"
            : "nothing of a GPU in here\n");
  for (size_t i = 0; i < e->gpus; i++) put_evidence(k, &e->gpu[i]);
  if (e->gpus) put(k, "run gpu-smoke where it happened: it looks for itself\n");
}

/* The best three; what only follows from others is left out beside them. */
static size_t explanation_end(const struct explanation *e)
{
  size_t n = 0;

  while (n < e->n && n < MAX_SHOWN && (e->told[0].rank <= FOLLOWS || e->told[n].rank > FOLLOWS))
    n++;
  return n;
}

/* The whole text is a number of the driver, or a cause's name. */
static void explain_itself(struct explanation *e, const char *text)
{
  const struct cause *cause = NULL;
  const struct code *code = NULL;
  struct span all = {0, 0};
  char word[64];

  text += strspn(text, " \n\t");
  format(word, sizeof word, "%.*s", (int)strcspn(text, " \n\t"), text);
  if (text[strlen(word)] && text[strlen(word) + strspn(text + strlen(word), " \n\t")]) return;
  text = word;
  all.end = strlen(text);
  for (size_t i = 0; i < LENGTH(cause_table); i++)
    if (same(text, cause_table[i].name)) cause = &cause_table[i];
  if (*text && !text[strspn(text, "0123456789")]) code = code_find(CUDA_CODES, atoi(text));
  if (!cause && !code) return;
  line_read(&e->line, text, strlen(text));
  e->lines = 1;
  if (code) told_code(e, code, ITSELF, text, all);
  struct told told = {cause, NULL, ITSELF, 0, 0, "", ""};
  evidence(&told, e, text, all);
  if (cause) told_add(e, told);
  e->lines = 0; /* they are counted as they are read */
}

static FILE *explain_open(const char *text)
{
  if (same(text, "-")) return stdin;
  if (*text == '@') return fopen(text + 1, "r");
  return fmemopen((void *)(uintptr_t)text, strlen(text), "r");
}

static int smoke_explain(struct smoke *s, struct sink *k, FILE *err)
{
  const char *text = s->opt.explain;
  struct explanation *e = calloc(1, sizeof *e);
  FILE *in = e && *text ? explain_open(text) : NULL;
  int rc = EXIT_FINE;

  if (e && in) {
    tellings_read(&s->host, e);
    explain_itself(e, text);
    if (explain_stream(e, in)) rc = EXIT_FAILED;
  }
  if (e && *text && !in) rc = EXIT_USAGE;
  if (in && in != stdin) fclose(in);
  if (!e || rc)
    rc = fail(s, k, err, rc == EXIT_USAGE ? rc : EXIT_FAILED, rc == EXIT_USAGE ? "usage" : "read",
      text_of(&s->host, "cannot read '%s'", *text == '@' ? text + 1 : text),
      "give a text, '-' for standard input, or @FILE");
  else
    (k->quoting == JSON ? json_explanation : put_explanation)(k, e, explanation_end(e));
  free(e);
  return rc;
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
