/* A fake libcuda.so.1: scripted by FAKE_CUDA, with memory that is the host's and kernels that run.
 *
 * Settings: count, cc (9.0), driver (13000), name, memory, free, largest (bytes; the
 * last: of an allocation), copy_ms (what a copy of some size takes at least), mps, mode (compute
 * mode), clock_khz, bus_bits, integrated, direct (0: GPUs do not reach each other), corrupt
 * (add|memory|stuck|alias|compare|product|peer|direct|within|to-gpu|from-gpu: one word each time;
 * once: memory at the first check alone; fold: the upper half of memory is the lower one;
 * peer-zero|direct-zero: nothing but zeros come), of (smoke_gemm|smoke_tensor|smoke_double: the
 * products that are meant; all), one_in and which (of so many products that one, counted from 0),
 * columns, rows (0,7: of products, exchanged), lazy (the kernel of that name does nothing), stale
 * (it gives what its launch before gave), ptx (newest PTX version that it takes: 9.0), jitlog, ms
 * (what every event pair measured), skip (the GPU that is not counted), interpret (1: run the PTX
 * itself, not its double), idle (1: kernels are launched and do nothing). A build with
 * -DWITHOUT_cuXxx lacks that entry point; -DSTUB makes every entry point return 34.
 */
#define _GNU_SOURCE
#include "fake.h"
#include "ptx.h"
#include <dlfcn.h>
#include <math.h>
#include <stdint.h>

#define SCRIPT "FAKE_CUDA"
#ifdef STUB
#define ENTER() return 34
#else
#define ENTER() FAKE_ENTER(SCRIPT)
#endif

enum { MAX_KERNELS = 8, MEMORY = 16 << 20 };

static const char *const kernels[MAX_KERNELS] = {"smoke_add",     "smoke_pattern", "smoke_gemm",
                                                 "smoke_compare", "smoke_double",  "smoke_tensor"};
static const char *image_of[MAX_KERNELS]; /* the PTX that the kernel was last taken from */
#ifndef WITHOUT_PEERS
static int peers_enabled;
#endif

static int corrupts(const char *what)
{
    char value[32];

    return fake_text(SCRIPT, "corrupt", value, sizeof value) && strcmp(value, what) == 0;
}

int cuInit(unsigned flags)
{
    ENTER();
    return flags ? 1 : 0;
}

int cuDriverGetVersion(int *version)
{
    ENTER();
    *version = (int)fake_number(SCRIPT, "driver", 13000);
    return 0;
}

#ifndef WITHOUT_cuGetErrorName
int cuGetErrorName(int code, const char **name)
{
    ENTER();
    if (code == 803)
        *name = "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH";
    return code == 803 ? 0 : 1;
}
#endif

int cuGetErrorString(int code, const char **text)
{
    ENTER();
    if (code == 803)
        *text = "system has unsupported display driver / cuda driver combination";
    return code == 803 ? 0 : 1;
}

int cuDeviceGetCount(int *count)
{
    ENTER();
    *count = (int)fake_number(SCRIPT, "count", 1);
    return 0;
}

int cuDeviceGet(int *device, int ordinal)
{
    ENTER();
    *device = ordinal;
    return 0;
}

int cuDeviceGetName(char *name, int size, int device)
{
    ENTER();
    (void)device;
    if (!fake_text(SCRIPT, "name", name, (size_t)size))
        snprintf(name, (size_t)size, "Fake GPU");
    return 0;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    char cc[16] = "9.0", *minor;

    ENTER();
    (void)device;
    fake_text(SCRIPT, "cc", cc, sizeof cc);
    minor = strchr(cc, '.');
    switch (attribute) {
    case 18:
        *value = (int)fake_number(SCRIPT, "integrated", 0);
        break;
    case 16:
        *value = 4;
        break;
    case 20:
        *value = (int)fake_number(SCRIPT, "mode", 0);
        break;
    case 36:
        *value = (int)fake_number(SCRIPT, "clock_khz", 1000000);
        break;
    case 37:
        *value = (int)fake_number(SCRIPT, "bus_bits", 256);
        break;
    case 75:
        *value = atoi(cc);
        break;
    case 76:
        *value = minor ? atoi(minor + 1) : 0;
        break;
    case 133:
        *value = (int)fake_number(SCRIPT, "mps", 0);
        break;
    default:
        *value = 0;
    }
    return 0;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    ENTER();
    (void)device;
    *bytes = (size_t)fake_number(SCRIPT, "memory", MEMORY);
    return 0;
}

int cuDeviceGetPCIBusId(char *bus, int size, int device)
{
    ENTER();
    snprintf(bus, (size_t)size, "0000:%02x:00.0", device + 1);
    return 0;
}

#ifndef WITHOUT_cuDeviceGetUuid_v2
int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    ENTER();
    device += device >= fake_number(SCRIPT, "skip", 64);
    for (int i = 0; i < 16; i++)
        uuid[i] = (unsigned char)(i + device);
    return 0;
}
#endif

int cuDeviceGetUuid(unsigned char *uuid, int device)
{
    ENTER();
    memset(uuid, 0x11 + device, 16);
    return 0;
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
    static int contexts[64];

    ENTER();
    *context = &contexts[device];
    return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
    ENTER();
    (void)device;
    return 0;
}

int cuCtxSetCurrent(void *context)
{
    ENTER();
    return context ? 0 : 201;
}

int cuCtxSynchronize(void)
{
    ENTER();
    return 0;
}

int cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    ENTER();
    *total = (size_t)fake_number(SCRIPT, "memory", MEMORY);
    *free_bytes = (size_t)fake_number(SCRIPT, "free", (double)*total);
    return 0;
}

int cuMemAlloc_v2(uint64_t *at, size_t size)
{
    ENTER();
    if ((double)size > fake_number(SCRIPT, "free", fake_number(SCRIPT, "memory", MEMORY)) ||
        (double)size > fake_number(SCRIPT, "largest", 1e18))
        return 2;
    *at = (uint64_t)(uintptr_t)malloc(size);
    return *at ? 0 : 2;
}

int cuMemFree_v2(uint64_t at)
{
    ENTER();
    free((void *)(uintptr_t)at);
    return 0;
}

int cuMemAllocHost_v2(void **at, size_t size)
{
    ENTER();
    *at = malloc(size);
    return *at ? 0 : 2;
}

int cuMemFreeHost(void *at)
{
    ENTER();
    free(at);
    return 0;
}

/* Large copies alone: a word that counts what is looked at would be seen at once. */
static void corrupt_copy(const char *what, void *to, size_t size)
{
    if (size >= 4096)
        usleep((useconds_t)(1000 * fake_number(SCRIPT, "copy_ms", 0)));
    if (size >= 4096 && corrupts(what))
        ((char *)to)[size / 2 + 4] ^= 1;
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t size)
{
    ENTER();
    memcpy((void *)(uintptr_t)to, from, size);
    corrupt_copy("to-gpu", (void *)(uintptr_t)to, size);
    return 0;
}

int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t size)
{
    ENTER();
    memcpy(to, (const void *)(uintptr_t)from, size);
    corrupt_copy("from-gpu", to, size);
    return 0;
}

int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t size)
{
    ENTER();
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    corrupt_copy("within", (void *)(uintptr_t)to, size);
    return 0;
}

#ifndef WITHOUT_PEERS
int cuDeviceCanAccessPeer(int *can, int device, int peer)
{
    ENTER();
    *can = device != peer && fake_number(SCRIPT, "direct", 1) > 0;
    return 0;
}

int cuMemcpyPeer(uint64_t to, void *to_context, uint64_t from, void *from_context, size_t size)
{
    ENTER();
    if (!to_context || !from_context)
        return 201;
    memcpy((void *)(uintptr_t)to, (const void *)(uintptr_t)from, size);
    if (corrupts("peer") || (peers_enabled && corrupts("direct")))
        ((char *)(uintptr_t)to)[size / 2 + 2] ^= 4;
    if (corrupts("peer-zero") || (peers_enabled && corrupts("direct-zero")))
        memset((void *)(uintptr_t)to, 0, size);
    return 0;
}

int cuCtxEnablePeerAccess(void *peer, unsigned flags)
{
    ENTER();
    if (!peer || flags)
        return 1;
    if (peers_enabled >= 2)
        return 704;
    peers_enabled++;
    return 0;
}
#endif

int cuMemsetD32_v2(uint64_t at, unsigned value, size_t n)
{
    ENTER();
    unsigned *words = (unsigned *)(uintptr_t)at;
    while (n-- > 0)
        *words++ = value;
    return 0;
}

/* Takes PTX up to the version that the script allows, as a real driver does. */
int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *options, void **values)
{
    const char *version;
    double newest = fake_number(SCRIPT, "ptx", 9.0);

    for (unsigned i = 0; i < n; i++) {
        char log[256];
        if (options[i] == 5 && fake_text(SCRIPT, "jitlog", log, sizeof log))
            memcpy(values[i], log, strlen(log) + 1);
    }
    ENTER();
    version = strstr(image, ".version ");
    if (!version)
        return 200;
    if (atof(version + 9) > newest)
        return 222;
    *module = (void *)(uintptr_t)image;
    return 0;
}

int cuModuleUnload(void *module)
{
    ENTER();
    return module ? 0 : 400;
}

int cuModuleGetFunction(void **function, void *module, const char *name)
{
    char entry[64];

    ENTER();
    snprintf(entry, sizeof entry, ".entry %s(", name);
    for (size_t i = 0; i < MAX_KERNELS && kernels[i]; i++)
        if (strcmp(kernels[i], name) == 0 && strstr(module, entry)) {
            *function = (void *)(uintptr_t)kernels[i];
            image_of[i] = module;
            return 0;
        }
    return 500;
}

static void run_add(void **args)
{
    const float *a = *(float **)args[0], *b = *(float **)args[1];
    float *c = *(float **)args[2];
    unsigned n = *(unsigned *)args[3];

    for (unsigned i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    if (corrupts("add"))
        c[n / 2] += 1;
}

static uint32_t pattern(uint64_t i, uint32_t seed)
{
    return ((uint32_t)i * 2654435761u) ^ ((uint32_t)(i >> 32) * 2246822507u) ^ seed;
}

static void run_pattern(void **args)
{
    uint32_t *p = *(uint32_t **)args[0], seed = *(uint32_t *)args[2];
    uint64_t n = *(uint64_t *)args[1], *out = *(uint64_t **)args[3];

    if (!out) {
        for (uint64_t i = 0; i < n; i++)
            p[i] = pattern(i, seed);
        return;
    }
    for (uint64_t i = 0; i < n; i++)
        if (p[i] != pattern(i, seed)) {
            out[0]++;
            if (i < out[1])
                out[1] = i;
        }
    out[2] += n;
}

static void run_compare(void **args)
{
    const uint32_t *a = *(uint32_t **)args[0], *b = *(uint32_t **)args[1];
    uint64_t n = *(uint64_t *)args[2], *out = *(uint64_t **)args[3];
    int blind = corrupts("compare");

    for (uint64_t i = 0; i < n; i++)
        if (a[i] != b[i] && !blind) {
            out[0]++;
            if (i < out[1])
                out[1] = i;
        }
    out[2] += n;
}

static float half_value(uint16_t h)
{
    return h ? ldexpf((float)((h & 0x3ff) | 0x400), (h >> 10) - 25) : 0;
}

/* All three ways to multiply, in whole numbers. */
static void multiply(const float *a, const float *b, float *c, size_t n)
{
    for (const float *end = a + n * n; a < end; a += n, c += n) {
        float *restrict to = memset(c, 0, n * sizeof *c);
        for (size_t k = 0; k < n; k++) {
            const float times = a[k], *restrict from = b + k * n;
            for (size_t j = 0; j < n; j++)
                to[j] += times * from[j];
        }
    }
}

static void run_gemm(void **args)
{
    multiply(*(float **)args[0], *(float **)args[1], *(float **)args[2], *(unsigned *)args[3]);
}

static void run_tensor(void **args)
{
    unsigned n = *(unsigned *)args[3], words = n * n;
    float *a = malloc(2 * sizeof *a * words);

    for (unsigned i = 0; a && i < words; i++) {
        a[i] = half_value((*(uint16_t **)args[0])[i]);
        a[words + i] = half_value((*(uint16_t **)args[1])[i]);
    }
    if (a)
        multiply(a, a + words, *(float **)args[2], n);
    free(a);
}

enum { MAX_KNOWN = 8 };

/* A product that was made before is copied: a GPU is fast, and this is not. */
static int product_known(void **args, const char *function, int learn)
{
    static struct {
        const char *function;
        void *a, *b, *c;
    } known[MAX_KNOWN];
    static size_t next;
    unsigned n = *(unsigned *)args[3];
    size_t in = (size_t)n * n * (strcmp(function, "smoke_tensor") == 0 ? 2 : 4);
    size_t out = (size_t)n * n * 4, i = next;

    if (learn) {
        next = (next + 1) % MAX_KNOWN;
        known[i].function = function;
        known[i].a = memcpy(realloc(known[i].a, in), *(void **)args[0], in);
        known[i].b = memcpy(realloc(known[i].b, in), *(void **)args[1], in);
        known[i].c = memcpy(realloc(known[i].c, out), *(void **)args[2], out);
        return 0;
    }
    for (i = 0; i < MAX_KNOWN; i++)
        if (known[i].function == function && memcmp(known[i].a, *(void **)args[0], in) == 0 &&
            memcmp(known[i].b, *(void **)args[1], in) == 0) {
            memcpy(*(void **)args[2], known[i].c, out);
            return 1;
        }
    return 0;
}

/* What a launch wrote is kept, and what the one before it wrote is given. */
static void make_stale(void *out, size_t size)
{
    static void *before;
    static size_t before_size;
    void *now = memcpy(malloc(size), out, size);

    if (before && before_size == size)
        memcpy(out, before, size);
    free(before);
    before = now;
    before_size = size;
}

static void spoil_stale(void **args, const char *function)
{
    char stale[32];
    unsigned n = *(unsigned *)args[3];

    if (!fake_text(SCRIPT, "stale", stale, sizeof stale) || strcmp(stale, function) != 0)
        return;
    if (strcmp(function, "smoke_compare") == 0)
        make_stale(*(void **)args[3], 3 * sizeof(uint64_t));
    else if (strcmp(function, "smoke_pattern") != 0)
        make_stale(*(void **)args[2], (size_t)n * n * 4);
    else if (!*(uint64_t *)args[3])
        make_stale(*(void **)args[0], *(uint64_t *)args[1] * 4);
}

static void exchange(float *x, float *y)
{
    float was = *x;

    *x = *y;
    *y = was;
}

/* What the script has done to a product. */
static void spoil_product(void **args, const char *function)
{
    static unsigned counts[MAX_KERNELS] = {0};
    float *c = *(float **)args[2];
    unsigned n = *(unsigned *)args[3], one_in = (unsigned)fake_number(SCRIPT, "one_in", 1), x, y;
    unsigned which = (unsigned)fake_number(SCRIPT, "which", 0), number;
    size_t kernel = 0;
    char of[32], two[32];

    while (kernels[kernel] != function)
        kernel++;
    number = counts[kernel]++;
    if (fake_text(SCRIPT, "of", of, sizeof of) && strcmp(of, function) != 0)
        return;
    if (corrupts("product") && number % one_in == which)
        c[(number * 2654435761u + which) % (n * n)] += 1;
    if (fake_text(SCRIPT, "columns", two, sizeof two) && sscanf(two, "%u,%u", &x, &y) == 2)
        for (unsigned i = 0; i < n; i++)
            exchange(&c[i * n + x], &c[i * n + y]);
    if (fake_text(SCRIPT, "rows", two, sizeof two) && sscanf(two, "%u,%u", &x, &y) == 2)
        for (unsigned i = 0; i < n; i++)
            exchange(&c[x * n + i], &c[y * n + i]);
}

/* What the script has done to memory that was written. */
static void spoil_memory(void **args)
{
    uint32_t *p = *(uint32_t **)args[0];
    uint64_t n = *(uint64_t *)args[1];
    static int checks;
    uint64_t *wrong = *(uint64_t **)args[3];

    if (wrong) {
        if (corrupts("once") && checks++ == 0)
            wrong[0]++;
        return;
    }
    if (corrupts("memory"))
        p[n / 3] ^= 0x40;
    if (corrupts("stuck"))
        p[n / 5] |= 0x40;
    if (corrupts("alias"))
        p[n / 7] = p[n / 2];
    if (corrupts("fold"))
        memcpy(p, p + n / 2, n / 2 * 4);
}

static int run_function(const char *function, size_t kernel, const unsigned grid[4], void **args)
{
    static void (*const runs[MAX_KERNELS])(void **) = {run_add,     run_pattern, run_gemm,
                                                       run_compare, run_gemm,    run_tensor};
    int product = runs[kernel] == run_gemm || runs[kernel] == run_tensor;

    if (product && product_known(args, function, 0))
        return 0;
    if (fake_number(SCRIPT, "interpret", 0) > 0) {
        if (ptx_run(image_of[kernel], function, grid[0], grid[1], grid[2], grid[3], args))
            return 719;
    } else {
        runs[kernel](args);
    }
    return product ? product_known(args, function, 1) : 0;
}

/* NOLINTNEXTLINE(readability-function-size): the driver's own signature */
int cuLaunchKernel(const char *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                   unsigned by, unsigned bz, unsigned shared, void *stream, void **args,
                   void **extra)
{
    const unsigned grid[] = {gx, gy, bx, by};
    char lazy[32];
    size_t kernel = 0;
    int code;

    ENTER();
    if (!gx || !gy || !gz || !bx || !by || !bz || shared || stream || extra)
        return 1;
    if (fake_number(SCRIPT, "idle", 0) > 0 ||
        (fake_text(SCRIPT, "lazy", lazy, sizeof lazy) && strcmp(lazy, function) == 0))
        return 0;
    while (kernels[kernel] != function)
        kernel++;
    code = run_function(function, kernel, grid, args);
    if (code)
        return code;
    if (kernel == 1)
        spoil_memory(args);
    else if (kernel == 2 || kernel > 3)
        spoil_product(args, function);
    if (kernel != 0)
        spoil_stale(args, function);
    return 0;
}

int cuEventCreate(void **event, unsigned flags)
{
    static int events[2];
    static int n;

    ENTER();
    (void)flags;
    *event = &events[n++ % 2];
    return 0;
}

int cuEventRecord(void *event, void *stream)
{
    ENTER();
    return event && !stream ? 0 : 400;
}

int cuEventSynchronize(void *event)
{
    ENTER();
    return event ? 0 : 400;
}

int cuEventElapsedTime(float *ms, void *from, void *to)
{
    ENTER();
    (void)from;
    (void)to;
    *ms = (float)fake_number(SCRIPT, "ms", 0.125);
    return 0;
}

int cuEventDestroy_v2(void *event)
{
    ENTER();
    return event ? 0 : 400;
}

/* How the real runtime finds everything else. */
int cuGetProcAddress_v2(const char *symbol, void **at, int version, uint64_t flags, int *status)
{
    static const char *const suffixes[] = {"_v3", "_v2", ""};
    char name[128];

    ENTER();
    (void)version;
    (void)flags;
    *at = NULL;
    for (size_t i = 0; i < 3 && !*at; i++) {
        snprintf(name, sizeof name, "%s%s", symbol, suffixes[i]);
        *at = dlsym(RTLD_DEFAULT, name);
        if (!*at) {
            void *self = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
            *at = self ? dlsym(self, name) : NULL;
        }
    }
    if (status)
        *status = *at ? 0 : 1;
    return *at ? 0 : 500;
}
