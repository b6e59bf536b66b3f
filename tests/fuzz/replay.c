/* Runs inputs through one of the fuzzers, without clang: what they found once is found again.
 *
 *     build-san/fuzz-replay NAME FILE...
 *
 * An input that fails, or takes longer than SECONDS, ends it; its path is the last one printed.
 */
#include "base/arena.h"
#include "base/limits.h"
#include "io/io.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>

/* Of the processor, under sanitizers. */
#define SECONDS 30

typedef int fuzz_one(const uint8_t *bytes, size_t size);

/* The Makefile gives the entry of each fuzz_NAME.c that name. */
static fuzz_one *find(const char *name)
{
    char entry[64];
    (void)snprintf(entry, sizeof(entry), "fuzz_%s", name);
    return (fuzz_one *)dlsym(RTLD_DEFAULT, entry);
}

/* Harnesses may go to folders of their own: everything is read before. */
static int read_inputs(struct span *out, struct arena *arena, char *const *paths, size_t count)
{
    ERR_SCRATCH(err);
    for (size_t i = 0; i < count; i++)
        if (io_read(&out[i], arena, AT_FDCWD, paths[i], LIMIT_MIB, &err) < 0) {
            (void)fprintf(stderr, "fuzz-replay: %s\n", err.message);
            return -1;
        }
    return 0;
}

int main(int argc, char **argv)
{
    ARENA_SCRATCH(arena);
    fuzz_one *run = argc > 1 ? find(argv[1]) : NULL;
    if (!run) {
        (void)fprintf(stderr, "usage: fuzz-replay NAME FILE...\n");
        return 2;
    }
    size_t count = (size_t)argc - 2;
    struct span *inputs = arena_array(&arena, count, sizeof(*inputs));
    if (read_inputs(inputs, &arena, argv + 2, count) < 0)
        return 2;
    for (size_t i = 0; i < count; i++) {
        (void)printf("%s\n", argv[i + 2]);
        (void)fflush(stdout);
        (void)setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = SECONDS}, NULL);
        (void)run((const uint8_t *)inputs[i].ptr, inputs[i].len);
    }
    return 0;
}
