/* Any bytes as libcuda.so.1: the inspection reads nothing beyond them, and ends. */
#define GPU_SMOKE_NO_MAIN
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "../../templates/_layers/gpu-smoke/files/smoke/gpu_smoke.c"
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const unsigned machines[] = {EM_X86_64, EM_AARCH64};
    int fd = memfd_create("library", 0);

    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
        abort();
    for (size_t i = 0; i < LENGTH(machines); i++) {
        struct library lib = {.size = size};
        const char *defect = elf_inspect(fd, machines[i], &lib);
        if ((defect && !cause_find(defect)) || strlen(lib.note) >= sizeof lib.note)
            abort();
        if (size == 0 && (!defect || !same(defect, "empty-file")))
            abort();
    }
    close(fd);
    return 0;
}
