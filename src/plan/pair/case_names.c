/* Names that differ by case alone: one name to macOS and Windows. */
#include "plan/case_names.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/unicode.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_BYTES_MAX = 1 << 16, LENGTHS = 1024 };

/* A name to look for. */
struct folded_name {
    const char *key; /* NULL: too long to have one */
    size_t asking;   /* index of the file that asks */
    size_t found;    /* in the list */
    size_t matches;
};

static size_t make_wanted(struct folded_name *out, struct arena *arena,
                          const struct plan_list *asking, const bool *asks)
{
    size_t kept = 0;
    for (size_t i = 0; i < asking->count; i++) {
        BUF_SCRATCH(key, KEY_BYTES_MAX);
        if (asks[i] && unicode_fold_key(&key, span_from(asking->files[i].path)) == 0)
            out[kept++] =
                (struct folded_name){.key = arena_strdup(arena, buf_text(&key)), .asking = i};
    }
    qsort(out, kept, sizeof(*out), str_compare_first);
    return kept;
}

/* False where no wanted name has the length of `path`: folding keeps the length of ASCII. */
static bool may_be_wanted(const char *path, const bool lengths[LENGTHS])
{
    size_t len = 0;
    for (; path[len]; len++)
        if ((unsigned char)path[len] >= 0x80)
            return true;
    return lengths[len % LENGTHS];
}

static void look_up(struct folded_name *wanted, size_t count, const struct plan_list *list)
{
    BUF_SCRATCH(key, KEY_BYTES_MAX);
    bool lengths[LENGTHS] = {false};
    for (size_t i = 0; i < count; i++)
        lengths[strlen(wanted[i].key) % LENGTHS] = true;
    for (size_t i = 0; i < list->count; i++) {
        if (!may_be_wanted(list->files[i].path, lengths))
            continue;
        buf_truncate(&key, 0);
        if (unicode_fold_key(&key, span_from(list->files[i].path)) < 0)
            return;
        struct folded_name asked = {.key = buf_text(&key)};
        struct folded_name *found =
            bsearch(&asked, wanted, count, sizeof(*wanted), str_compare_first);
        if (!found)
            continue;
        found->found = i;
        found->matches++;
    }
}

bool names_alike(const char *a, const char *b)
{
    BUF_SCRATCH(left, KEY_BYTES_MAX);
    BUF_SCRATCH(right, KEY_BYTES_MAX);
    return unicode_fold_key(&left, span_from(a)) == 0 &&
           unicode_fold_key(&right, span_from(b)) == 0 &&
           strcmp(buf_text(&left), buf_text(&right)) == 0;
}

static bool is_alone(const struct folded_name *wanted, size_t count, size_t at)
{
    return (at == 0 || strcmp(wanted[at - 1].key, wanted[at].key) != 0) &&
           (at + 1 == count || strcmp(wanted[at + 1].key, wanted[at].key) != 0);
}

size_t *names_without_case(struct arena *arena, const struct plan_list *asking, const bool *asks,
                           const struct plan_list *list)
{
    struct folded_name *wanted = arena_array(arena, asking->count + 1, sizeof(*wanted));
    size_t *out = arena_array(arena, asking->count + 1, sizeof(*out));
    for (size_t i = 0; i < asking->count; i++)
        out[i] = SIZE_MAX;
    size_t count = make_wanted(wanted, arena, asking, asks);
    if (count)
        look_up(wanted, count, list);
    for (size_t i = 0; i < count; i++)
        if (wanted[i].matches == 1 && is_alone(wanted, count, i))
            out[wanted[i].asking] = wanted[i].found;
    return out;
}
