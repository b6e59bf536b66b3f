/* A bake file: all rows as targets of BuildKit. */
#include "image/build_context.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/sha.h"
#include "base/str.h"
#include "catalog/base_image.h"
#include "data/document.h"
#include "data/json.h"
#include "image/image_rows.h"
#include "io/io.h"
#include "io/output.h"
#include "registry/reference.h"

#include <ctype.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define BAKE_BYTES_MAX (16 * LIMIT_MIB)

/* Names of targets and groups consist of letters, digits, '_' and '-', and are unique. */
static const char *free_name(struct arena *arena, const char *text, const struct data *taken)
{
    char *name = arena_strdup(arena, text);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '-')
            *c = '_';
    const char *out = name;
    for (int i = 2; data_get(taken, out); i++)
        out = arena_printf(arena, "%s_%d", name, i);
    return out;
}

/* Texts of a bake file are templates, in which a doubled sign stands for itself. */
static const char *literal(struct arena *arena, const char *text)
{
    const char *out = "";
    for (; *text; text++) {
        bool special = (*text == '$' || *text == '%') && text[1] == '{';
        out = arena_printf(arena, "%s%.*s%c", out, special, text, *text);
    }
    return out;
}

static struct data *one(struct arena *arena, const char *text)
{
    return data_texts(arena, &text, 1);
}

static struct data *tags(struct arena *arena, const struct image_row *row)
{
    struct data *list = one(arena, row->name);
    for (size_t i = 0; i < row->aliases.count; i++)
        data_push(arena, list, data_str(arena, row->aliases.items[i]));
    return list;
}

static struct data *target(struct arena *arena, const struct bake_row *row, const char *registry)
{
    static const char *const attest[] = {"type=provenance,mode=max", "type=sbom"};
    const char *tag = arena_printf(arena, "cache-%s", row->row->tag);
    const char *cache = arena_printf(arena, "type=registry,ref=%s/%s:%s", registry ? registry : "",
                                     row->row->image->name, tag);
    struct data *map = data_of(
        arena, FIELD("context", literal(arena, row->context)), FIELD("dockerfile", "Dockerfile"),
        FIELD("tags", tags(arena, row->row)), FIELD("platforms", data_copy(arena, row->platforms)));
    if (registry && image_tag_is_valid(tag))
        data_add(arena, map, FIELD("cache-from", one(arena, cache)),
                 FIELD("cache-to", one(arena, arena_printf(arena, "%s,mode=max", cache))));
    return data_add(arena, map, FIELD("attest", data_texts(arena, attest, 2)));
}

static void add_group(struct arena *arena, struct data *out, struct data *taken, const char *name,
                      struct data *targets)
{
    const char *group = free_name(arena, name, taken);
    data_put(arena, out, group, data_of(arena, FIELD("targets", targets)));
    data_put(arena, taken, group, data_null(arena));
}

/* Groups the targets of each image, and all of them, under names that no target has. */
static struct data *groups(struct arena *arena, const struct bake_row *rows, size_t count,
                           const struct data *targets)
{
    struct data *by_image = data_map(arena), *out = data_map(arena), *all = data_list(arena);
    struct data *taken = data_copy(arena, targets);
    for (size_t i = 0; i < count; i++) {
        const char *image = rows[i].row->image->name;
        struct data *list = data_get(by_image, image);
        struct data *name = data_span(arena, targets->map.members[i].name);
        if (!list) {
            list = data_list(arena);
            data_put(arena, by_image, image, list);
        }
        data_push(arena, list, name);
        data_push(arena, all, name);
    }
    add_group(arena, out, taken, "default", all);
    for (size_t i = 0; i < by_image->map.count; i++)
        add_group(arena, out, taken, by_image->map.members[i].name.ptr,
                  by_image->map.members[i].value);
    return out;
}

static struct data *told(struct arena *arena, const struct bake_row *row, const char *name)
{
    return data_of(arena, FIELD("name", name), FIELD("image", row->row->image->name),
                   FIELD("tag", row->row->tag),
                   FIELD("platforms", data_copy(arena, row->platforms)),
                   FIELD("context", row->context));
}

struct data *bake_document(struct data **targets, struct arena *arena, const struct bake_row *rows,
                           size_t count, const char *registry)
{
    struct data *all = data_map(arena);
    *targets = data_list(arena);
    for (size_t i = 0; i < count; i++) {
        const struct image_row *row = rows[i].row;
        const char *name =
            free_name(arena, arena_printf(arena, "%s-%s", row->image->name, row->tag), all);
        data_put(arena, all, name, target(arena, &rows[i], registry));
        data_push(arena, *targets, told(arena, &rows[i], name));
    }
    return data_of(arena, FIELD("group", groups(arena, rows, count, all)), FIELD("target", all));
}

/* ------------------------------------------------------------------ the file */

static const char *sum_of(struct arena *arena, struct span text)
{
    char sum[SHA256_HEX_SIZE];
    sha256_hex(sum, text.ptr, text.len);
    return arena_strdup(arena, sum);
}

/* Refuses an existing file, unless it is the same, or an earlier bake file, unchanged. */
static int check_file(bool *same, struct arena *arena, const char *path, struct span text,
                      const char *marks, struct err *err)
{
    struct span now, mark;
    struct stat st;
    ERR_SCRATCH(unread);
    *same = false;
    if (lstat(path, &st) < 0)
        return 0;
    if (io_read_file(&now, arena, AT_FDCWD, path, BAKE_BYTES_MAX, &unread) == 0) {
        *same = span_equal(now, text);
        if (*same || (last_written_read(&mark, arena, marks, path) &&
                      span_equal(mark, span_from(sum_of(arena, now)))))
            return 0;
    }
    (void)err_set(err, TG_REFUSED, "target-not-empty",
                  "'%s' holds something else than what was baked", path);
    return err_hint(err, "remove it, or name another --output");
}

static int write_all(struct arena *arena, const char *path, struct span text,
                     const struct image_contexts *contexts, struct err *err)
{
    struct output file;
    if (output_open(&file, arena, path, err) < 0)
        return -1;
    if (image_contexts_write(arena, contexts, err) < 0) {
        output_close(&file);
        return -1;
    }
    if (output_write(&file, text, err) < 0)
        return -1;
    last_written_keep(contexts->marks, path, span_from(sum_of(arena, text)));
    return 0;
}

int bake_write(struct arena *arena, const char *path, const struct data *document,
               const struct image_contexts *contexts, struct err *err)
{
    BUF_SCRATCH(text, BAKE_BYTES_MAX);
    bool same;
    if (json_write(&text, document, true) < 0 || buf_puts(&text, "\n") < 0)
        return err_set(err, TG_RUNTIME, "limit", "the bake file would be too large");
    struct span bytes = span_of(text.ptr, text.len);
    if (check_file(&same, arena, path, bytes, contexts->marks, err) < 0)
        return -1;
    return same ? image_contexts_write(arena, contexts, err)
                : write_all(arena, path, bytes, contexts, err);
}
