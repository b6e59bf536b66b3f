/* Files in memory as a set, sorted, to be read as a catalog. */
#include "import/memory.h"

#include "base/arena.h"
#include "base/fileset.h"
#include "import/draft.h"

#include <stdlib.h>
#include <string.h>

struct memory {
    struct fileset set; /* first: a set is cast back */
    struct span *bytes; /* of each entry */
};

static int read_bytes(struct span *out, const struct fileset *set, size_t index, struct err *err)
{
    (void)err;
    *out = ((const struct memory *)set)->bytes[index];
    return 0;
}

static int by_path(const void *a, const void *b)
{
    const struct draft_file *const *one = a, *const *other = b;
    return strcmp((*one)->path, (*other)->path);
}

const struct fileset *memory_set(struct arena *arena, const struct draft_file *files, size_t count)
{
    const struct draft_file **sorted = arena_array(arena, count + 1, sizeof(*sorted));
    struct fileset_entry *entries = arena_array(arena, count + 1, sizeof(*entries));
    struct memory *memory = arena_alloc(arena, sizeof(*memory));
    memory->bytes = arena_array(arena, count + 1, sizeof(*memory->bytes));
    for (size_t i = 0; i < count; i++)
        sorted[i] = &files[i];
    if (count)
        qsort(sorted, count, sizeof(*sorted), by_path);
    for (size_t i = 0; i < count; i++) {
        entries[i] = (struct fileset_entry){.path = sorted[i]->path,
                                            .executable = sorted[i]->executable,
                                            .size = sorted[i]->bytes.len};
        memory->bytes[i] = sorted[i]->bytes;
    }
    memory->set = (struct fileset){.entries = entries, .count = count, .read = read_bytes};
    return &memory->set;
}
