/* Any tar: it is refused, or unpacked inside the folder. The sums of heads are set right.
 *
 * What is no gzip file itself is packed, and read a second time: to the same end.
 */
#include "hostile_root.h"
#include "smoke/capture/tar.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <zlib.h>

enum { BLOCK = 512, SUM = 148, MAGIC = 257 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void set_sum(uint8_t *block)
{
    unsigned sum = 0;

    memset(block + SUM, ' ', 8);
    for (size_t i = 0; i < BLOCK; i++)
        sum += block[i];
    (void)snprintf((char *)block + SUM, 8, "%06o", sum);
}

/* How many entries a folder has. */
static int entries(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;

    while (dir && readdir(dir))
        n++;
    if (dir)
        closedir(dir);
    return n - 2;
}

static int make_tar(char path[64], const uint8_t *bytes, size_t size)
{
    int fd = memfd_create("tar", MFD_CLOEXEC);
    uint8_t *copy = malloc(size + 1);

    if (fd < 0 || !copy)
        abort();
    memcpy(copy, bytes, size);
    for (size_t at = 0; at + BLOCK <= size; at += BLOCK)
        if (memcmp(copy + at + MAGIC, "ustar", 5) == 0)
            set_sum(copy + at);
    if (write(fd, copy, size) != (ssize_t)size)
        abort();
    free(copy);
    (void)snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

/* The file behind `tar`, packed. */
static int pack(char path[64], int tar)
{
    int fd = memfd_create("gz", MFD_CLOEXEC);
    gzFile out = gzdopen(dup(fd), "wb1");
    char buf[4096];
    ssize_t n;

    if (fd < 0 || !out)
        abort();
    for (off_t at = 0; (n = pread(tar, buf, sizeof buf, at)) > 0; at += n)
        if (gzwrite(out, buf, (unsigned)n) != n)
            abort();
    if (gzclose(out) != Z_OK)
        abort();
    (void)snprintf(path, 64, "/proc/self/fd/%d", fd);
    return fd;
}

static int unpack(const char *path)
{
    char base[] = "/tmp/fuzz-smoke-XXXXXX", folder[64];
    tar_error error = "";

    if (!mkdtemp(base))
        abort();
    (void)snprintf(folder, sizeof folder, "%s/in", base);
    if (mkdir(folder, 0700))
        abort();
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    int rc = tar_unpack(path, fd, error);
    if ((rc != 0 && !*error) || entries(base) != 1)
        abort();
    close(fd);
    hostile_remove(base);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char path[64];
    int tar = make_tar(path, bytes, size), rc = unpack(path);

    if (size < 2 || memcmp(bytes, "\x1f\x8b", 2) != 0) {
        int packed = pack(path, tar), again = unpack(path);
        if (rc == 0 && again != 0)
            abort();
        close(packed);
    }
    close(tar);
    return 0;
}
