/* A root made of a fuzzer's input: files, links and folders at the paths that gpu-smoke looks at.
 *
 * The input is a list of entries: one byte that chooses the path, one that chooses file, link or
 * folder, two of length, and the content.
 */
#ifndef HOSTILE_ROOT_H
#define HOSTILE_ROOT_H

#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOSTILE_PATH 1024

static const char *const paths[] = {
    "/proc/driver/nvidia/version",
    "/proc/devices",
    "/proc/self/mountinfo",
    "/proc/1/cgroup",
    "/proc/1/comm",
    "/proc/sys/kernel/osrelease",
    "/etc/cdi/nvidia.yaml",
    "/var/run/cdi/nvidia.json",
    "/etc/ld.so.cache",
    "/sys/bus/pci/devices/0000:01:00.0/vendor",
    "/sys/bus/pci/devices/0000:01:00.0/class",
    "/sys/bus/pci/devices/0000:01:00.0/device",
    "/sys/bus/pci/devices/0000:01:00.0/config",
    "/sys/bus/pci/devices/0000:01:00.0/driver",
    "/usr/lib/x86_64-linux-gnu/libcuda.so.1",
    "/usr/lib/x86_64-linux-gnu/libcuda.so.580.95.05",
    "/usr/lib/x86_64-linux-gnu/libnvidia-ml.so.1",
    "/usr/local/nvidia/lib64/libcuda.so.1",
    "/opt/venv/lib/python3.12/site-packages/torch/version.py",
    "/opt/venv/lib/python3.12/site-packages/torch/lib/libtorch_python.so",
    "/.gpu-smoke/nodes",
    "/.gpu-smoke/environ",
    "/.gpu-smoke/cuda",
    "/.gpu-smoke/nvml",
    "/.gpu-smoke/shm",
    "/.gpu-smoke/host",
};

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *walk)
{
    (void)st;
    (void)kind;
    (void)walk;
    return remove(path);
}

static void make_folders(char *path)
{
    for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
        *at = '\0';
        (void)mkdir(path, 0700);
        *at = '/';
    }
}

static void make_entry(const char *root, const uint8_t *head, const uint8_t *content, size_t size)
{
    char path[HOSTILE_PATH], target[HOSTILE_PATH];

    (void)snprintf(path, sizeof path, "%s%s", root,
                   paths[head[0] % (sizeof paths / sizeof *paths)]);
    make_folders(path);
    (void)remove(path);
    if (head[1] % 8 == 1) {
        (void)snprintf(target, sizeof target, "%.*s", (int)(size < 200 ? size : 200),
                       (const char *)content);
        (void)!symlink(target, path);
        return;
    }
    if (head[1] % 8 == 2) {
        (void)mkdir(path, 0700);
        return;
    }
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fwrite(content, 1, size, file);
    fclose(file);
}

/* Fills the folder. */
static void hostile_root(const char *root, const uint8_t *bytes, size_t size)
{
    while (size >= 4) {
        const uint8_t *head = bytes;
        size_t length = (size_t)bytes[2] | (size_t)bytes[3] << 8;
        bytes += 4;
        size -= 4;
        length = length < size ? length : size;
        make_entry(root, head, bytes, length);
        bytes += length;
        size -= length;
    }
}

static void hostile_remove(const char *root)
{
    (void)nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

#endif
