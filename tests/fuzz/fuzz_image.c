/* Whatever stands in a plan or a lock file: it is refused with its place, or read and kept. */
#include "fuzz.h"

#include "base/arena.h"
#include "base/str.h"
#include "data/data.h"
#include "image/image_rows.h"
#include "image/lock.h"
#include "registry/reference.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/tmplgen-fuzz-image-XXXXXX";

static void forget(void)
{
    (void)unlink("in.yml");
    (void)chdir("/");
    (void)rmdir(folder);
}

/* The readers take files: one folder for all inputs of a run. */
static void put(const uint8_t *bytes, size_t size)
{
    static bool made;
    if (!made) {
        must(mkdtemp(folder) && chdir(folder) == 0);
        made = atexit(forget) == 0;
    }
    int fd = open("in.yml", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    must(fd >= 0 && write(fd, bytes, size) == (ssize_t)size && close(fd) == 0);
}

static void read_plan(struct arena *arena)
{
    ERR_SCRATCH(err);
    struct image_plan *plan;
    if (plan_load(&plan, arena, "in.yml", &err) < 0) {
        must(err.exit == TG_USAGE && err.message && err.code);
        return;
    }
    if (plan->registry)
        must(plan_check_registry(plan->registry, &err) == 0);
    for (size_t i = 0; i < plan->count; i++) {
        must(plan->entries[i].image && plan->entries[i].node);
        for (size_t j = 0; j < plan->entries[i].tags.count; j++)
            must(image_tag_is_valid(plan->entries[i].tags.items[j]));
    }
}

/* No line of what pip reads may be anything but one NAME==VERSION. */
static void check_packages(const struct data *packages)
{
    for (size_t i = 0; i < packages->map.count; i++) {
        const struct data *steps = packages->map.members[i].value;
        for (size_t j = 0; j < steps->map.count; j++) {
            const struct data *list = steps->map.members[j].value;
            for (size_t k = 0; k < list->list.count; k++) {
                const char *text = data_text(list->list.items[k]);
                must(strstr(text, "==") && *text != '-' && !strpbrk(text, " \t\r\n\v\f/@;"));
            }
        }
    }
}

static void check_images(struct arena *arena, const struct lock *lock)
{
    for (size_t i = 0; i < lock->images->map.count; i++) {
        ERR_SCRATCH(err);
        struct image_reference reference;
        const char *name = lock->images->map.members[i].name.ptr;
        must(image_reference_parse(&reference, arena, name, &err) == 0);
        must(reference.tag && !reference.digest);
        must(image_digest_is_valid(lock_digest(lock, name)));
    }
}

/* What is written is read back, and written the same. */
static void read_lock(struct arena *arena)
{
    ERR_SCRATCH(err);
    struct lock lock, again;
    bool written;
    if (lock_load(&lock, arena, "in.yml", &err) < 0) {
        must(err.exit == TG_USAGE && err.message && err.code);
        return;
    }
    check_images(arena, &lock);
    check_packages(lock.packages);
    if (lock_write(&written, &lock, &err) < 0) {
        must(str_equal(err.code, "limit")); /* escapes may make it longer */
        return;
    }
    must(lock_load(&again, arena, "in.yml", &err) == 0);
    must(again.images->map.count == lock.images->map.count);
    must(again.packages->map.count == lock.packages->map.count);
    must(lock_write(&written, &again, &err) == 0 && !written);
}

/* The first byte says which of the two it is. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    if (!size)
        return 0;
    put(bytes + 1, size - 1);
    if (bytes[0] % 2)
        read_plan(&arena);
    else
        read_lock(&arena);
    return 0;
}
