/* Takes the first GPU's memory until nothing is left, says "held", waits for the end of its input.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void *lib;

static int call(const char *name, uint64_t a, uint64_t b)
{
    int (*f)(uint64_t, uint64_t);
    void *at = dlsym(lib, name);

    memcpy(&f, &at, sizeof f);
    return at ? f(a, b) : -1;
}

int main(void)
{
    void *context = NULL;
    uint64_t at = 0, held = 0;

    lib = dlopen("libcuda.so.1", RTLD_NOW);
    if (!lib || call("cuInit", 0, 0) || call("cuDevicePrimaryCtxRetain", (uintptr_t)&context, 0) ||
        call("cuCtxSetCurrent", (uintptr_t)context, 0))
        return 1;
    for (uint64_t size = (uint64_t)1 << 36; size >= 1 << 16; size /= 2)
        while (call("cuMemAlloc_v2", (uintptr_t)&at, size) == 0)
            held += size;
    printf("held %llu\n", (unsigned long long)held);
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return 0;
}
