/* The differences between two renders, over many cases: each change once, as a patch. */
#include "author/differences.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "catalog/render.h"
#include "git/patch.h"

#include <string.h>

enum { PATCHES_MAX = 500 };
#define PATCH_BYTES_MAX (256 * LIMIT_KIB)

static struct patch_side side_of(const struct render_entry *entry)
{
    if (!entry)
        return (struct patch_side){0};
    return (struct patch_side){.bytes = entry->bytes.ptr ? entry->bytes : (struct span){"", 0},
                               .executable = entry->executable};
}

static bool is_same(const struct render_entry *a, const struct render_entry *b)
{
    return a && b && a->executable == b->executable && memcmp(a->id, b->id, sizeof(a->id)) == 0;
}

/* The key of a change: its path, and both contents with their modes. */
static struct span key_of(struct buf *out, const char *path, const struct render_entry *old,
                          const struct render_entry *new)
{
    const struct render_entry *sides[] = {old, new};
    (void)buf_puts(out, path);
    for (size_t i = 0; i < 2; i++) {
        (void)buf_putc(out, '\0');
        (void)buf_putc(out, sides[i] && sides[i]->executable ? 'x' : '-');
        if (sides[i])
            (void)buf_append(out, sides[i]->id, sizeof(sides[i]->id));
    }
    return span_of(buf_text(out), out->len);
}

static int add(struct differences *out, struct arena *arena, const struct render_entry *old,
               const struct render_entry *new, const char *where, struct err *err)
{
    BUF_SCRATCH(key, LIMIT_PATH_BYTES + LIMIT_KIB);
    BUF_SCRATCH(patch, PATCH_BYTES_MAX);
    const char *path = old ? old->path : new ? new->path : "";
    struct span text = key_of(&key, path, old, new);
    size_t number = intern_find(&out->keys, text);
    if (number != INTERN_NONE) {
        out->items[number].cases++;
        return 0;
    }
    (void)intern_add(&out->keys, arena, span_of(arena_memdup(arena, text.ptr, text.len), text.len));
    struct patch_side before = side_of(old), after = side_of(new);
    struct difference *item = &arena_push(arena, out->items, out->count);
    *item = (struct difference){
        .path = arena_strdup(arena, path), .where = arena_strdup(arena, where), .cases = 1};
    if (out->count > PATCHES_MAX)
        return 0;
    ERR_SCRATCH(inner);
    if (patch_file(&patch, path, &before, &after, &inner) == 0)
        item->patch = arena_strdup(arena, buf_text(&patch));
    else if (strcmp(inner.code, "limit") != 0)
        return err_set(err, inner.exit, inner.code, "%s", inner.message);
    return 0;
}

int differences_add(struct differences *out, struct arena *arena, const struct render *old,
                    const struct render *new, const char *where, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    size_t i = 0, j = 0;
    while (i < old->count || j < new->count) {
        const struct render_entry *a = i < old->count ? &old->entries[i] : NULL;
        const struct render_entry *b = j < new->count ? &new->entries[j] : NULL;
        int order = !a ? 1 : !b ? -1 : strcmp(a->path, b->path);
        a = order <= 0 ? a : NULL;
        b = order >= 0 ? b : NULL;
        i += a != NULL;
        j += b != NULL;
        if (!is_same(a, b) && add(out, arena, a, b, where, err) < 0)
            return -1;
    }
    return 0;
}
