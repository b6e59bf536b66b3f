/* A fake libnvidia-ml.so.1, scripted by FAKE_NVML.
 *
 * Settings: count, driver, uuid, mig, virtual, width, width_max, gen, gen_max, pages_pending,
 * rows_pending, remap_failed, ecc, throttle, fabric, mig@N, migs, compute_mode. persistence, power,
 * power_limit, replays, temperature, sm, links, link_down, link_errors, processes. A build with
 * -DOLD has the names of drivers before 535.
 */
#include "fake.h"

#define SCRIPT "FAKE_NVML"
#define ENTER() FAKE_ENTER(SCRIPT)

static int devices[64], migs[8 * 64];

int nvmlInit_v2(void)
{
    ENTER();
    return 0;
}

const char *nvmlErrorString(int code)
{
    return code == 18   ? "Driver/library version mismatch"
           : code == 15 ? "GPU is lost"
                        : "Some NVML error";
}

int nvmlSystemGetDriverVersion(char *version, unsigned size)
{
    ENTER();
    if (!fake_text(SCRIPT, "driver", version, size))
        snprintf(version, size, "580.95.05");
    return 0;
}

int nvmlDeviceGetCount_v2(unsigned *count)
{
    ENTER();
    *count = (unsigned)fake_number(SCRIPT, "count", 1);
    return 0;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device)
{
    ENTER();
    *device = &devices[i];
    return 0;
}

int nvmlDeviceGetMaxMigDeviceCount(void *device, unsigned *count)
{
    ENTER();
    (void)device;
    *count = fake_number(SCRIPT, "mig", 0) > 0 ? 7 : 0;
    return 0;
}

int nvmlDeviceGetMigDeviceHandleByIndex(void *device, unsigned i, void **mig)
{
    ENTER();
    if (i >= fake_number(SCRIPT, "migs", 0))
        return 6;
    *mig = &migs[8 * ((int *)device - devices) + i];
    return 0;
}

int nvmlDeviceGetUUID(void *device, char *uuid, unsigned size)
{
    int gpu = (int)((int *)device - devices), mig = (int)((int *)device - migs);

    ENTER();
    if (mig >= 0 && mig < 8 * 64)
        snprintf(uuid, size, "MIG-%02x%02x0203-0405-0607-0809-0a0b0c0d0e0f", mig / 8, mig % 8);
    else if (!fake_text(SCRIPT, "uuid", uuid, size)) { /* as the driver's, a byte more each */
        char *at = uuid + snprintf(uuid, size, "GPU-");
        for (int i = 0; i < 16; i++)
            at += sprintf(at, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", i + gpu);
    }
    return 0;
}

static int one(const char *key, double otherwise, unsigned *out)
{
    *out = (unsigned)fake_number(SCRIPT, key, otherwise);
    return 0;
}

#define ONE(name, key, otherwise)                                                                  \
    int name(void *device, unsigned *out);                                                         \
    int name(void *device, unsigned *out)                                                          \
    {                                                                                              \
        ENTER();                                                                                   \
        (void)device;                                                                              \
        return one(key, otherwise, out);                                                           \
    }

ONE(nvmlDeviceGetVirtualizationMode, "virtual", 0)
ONE(nvmlDeviceGetComputeMode, "compute_mode", 0)
ONE(nvmlDeviceGetCurrPcieLinkWidth, "width", 16)
ONE(nvmlDeviceGetMaxPcieLinkWidth, "width_max", 16)
ONE(nvmlDeviceGetCurrPcieLinkGeneration, "gen", 1)
ONE(nvmlDeviceGetMaxPcieLinkGeneration, "gen_max", 0) /* memory of the host is no link */
ONE(nvmlDeviceGetPersistenceMode, "persistence", 1)
ONE(nvmlDeviceGetPowerUsage, "power", 70000)
ONE(nvmlDeviceGetEnforcedPowerLimit, "power_limit", 700000)
ONE(nvmlDeviceGetPcieReplayCounter, "replays", 0)
ONE(nvmlDeviceGetRetiredPagesPendingStatus, "pages_pending", 0)

int nvmlDeviceGetMigMode(void *device, unsigned *now, unsigned *later)
{
    char key[32];

    ENTER();
    *later = 0;
    snprintf(key, sizeof key, "mig@%d", (int)((int *)device - devices));
    return one(key, fake_number(SCRIPT, "mig", 0), now);
}

int nvmlDeviceGetRemappedRows(void *device, unsigned *good, unsigned *bad, unsigned *pending,
                              unsigned *failed)
{
    ENTER();
    (void)device;
    *good = *bad = 0;
    one("remap_failed", 0, failed);
    return one("rows_pending", 0, pending);
}

int nvmlDeviceGetTotalEccErrors(void *device, int type, int counter, unsigned long long *errors)
{
    ENTER();
    (void)device;
    *errors = (unsigned long long)(type == 1 && counter == 0   ? fake_number(SCRIPT, "ecc", 0)
                                   : type == 0 && counter == 0 ? 12
                                   : type == 1 && counter == 1 ? 34
                                                               : 99);
    return 0;
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *celsius)
{
    ENTER();
    (void)device;
    return sensor ? 2 : one("temperature", 41, celsius);
}

int nvmlDeviceGetClockInfo(void *device, int clock, unsigned *mhz)
{
    ENTER();
    (void)device;
    return clock == 1 ? one("sm", 1980, mhz) : 2;
}

/* The older address of 16 bytes, five numbers, the address. */
int nvmlDeviceGetPciInfo_v3(void *device, char *pci)
{
    ENTER();
    memset(pci, 0xee, 36);
    snprintf(pci + 36, 32, "00000000:%02X:00.0", (int)((int *)device - devices) + 1);
    return 0;
}

/* links: how many; link_down: how many of these are down, link_down@N on one GPU */
int nvmlDeviceGetNvLinkState(void *device, unsigned link, unsigned *is_up)
{
    char key[32];

    ENTER();
    snprintf(key, sizeof key, "link_down@%d", (int)((int *)device - devices));
    *is_up = link >= fake_number(SCRIPT, key, fake_number(SCRIPT, "link_down", 0));
    return link < (unsigned)fake_number(SCRIPT, "links", 0) ? 0 : 3;
}

int nvmlDeviceGetNvLinkErrorCounter(void *device, unsigned link, int counter,
                                    unsigned long long *errors)
{
    ENTER();
    (void)device;
    *errors =
        link == 1 && counter == 1 ? (unsigned long long)fake_number(SCRIPT, "link_errors", 0) : 0;
    return 0;
}

struct process {
    unsigned pid;
    unsigned long long memory;
    unsigned gpu_instance, compute_instance;
};

/* processes: how many; each of this test's own parent, with 1, 2, 3 ... GiB */
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *n, struct process *found)
{
    unsigned many = (unsigned)fake_number(SCRIPT, "processes", 0);

    ENTER();
    (void)device;
    if (many > *n) {
        *n = many;
        return 7;
    }
    for (*n = 0; *n < many; ++*n)
        found[*n] = (struct process){(unsigned)getppid(), (*n + 1ULL) << 30, ~0u, ~0u};
    return 0;
}

#ifdef OLD
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
#else
int nvmlDeviceGetCurrentClocksEventReasons(void *device, unsigned long long *reasons)
#endif
{
    ENTER();
    (void)device;
    *reasons = (unsigned long long)fake_number(SCRIPT, "throttle", 0);
    return 0;
}

int nvmlDeviceGetGpuFabricInfo(void *device, unsigned char *info)
{
    ENTER();
    (void)device;
    memset(info, 0xee, 24);
    info[24] = (unsigned char)fake_number(SCRIPT, "fabric", 0);
    return 0;
}
