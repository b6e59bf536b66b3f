/* Reads a manifest with several mistakes: reports each, and reads the rest without them. */
#include "author/lint/lint_run.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "data/fileset.h"
#include "data/yaml.h"

#include <string.h>

#define BYTES_MAX (4 * LIMIT_MIB) /* read again and again */
#define ATTEMPTS_MAX 100

/* The catalog's files, one of them with its text replaced. */
struct overlay {
    struct fileset set; /* first: a set is cast back */
    const struct fileset *below;
    size_t index;
    struct span text;
    struct extent {
        size_t from, to; /* from the start of its line to the start of what follows */
        bool member;     /* it is a member of the document */
    } * holes;           /* removed parts; the other bytes keep their places */
    size_t hole_count;
};

static int read_overlay(struct span *out, const struct fileset *set, size_t index, struct err *err)
{
    const struct overlay *overlay = (const struct overlay *)set;
    if (index != overlay->index)
        return overlay->below->read(out, overlay->below, index, err);
    *out = overlay->text;
    return 0;
}

/* ---------------------------------------------------------------- the part to blame */

static size_t offset_of(struct span text, size_t line, size_t column)
{
    size_t at = 0;
    for (size_t i = 1; i < line && at < text.len; i++) {
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        at = end ? (size_t)(end + 1 - text.ptr) : text.len;
    }
    for (size_t i = 1; i < column && at < text.len; i++)
        (void)utf8_next(text, &at);
    return at;
}

static size_t line_start(struct span text, size_t at)
{
    while (at > 0 && text.ptr[at - 1] != '\n')
        at--;
    return at;
}

/* True where it is written in braces or brackets. */
static bool is_flow(const struct yaml_node *node)
{
    return node->offset < node->doc->source.len &&
           strchr("{[", node->doc->source.ptr[node->offset]) != NULL;
}

static bool begins_with(const struct yaml_node *node, size_t at)
{
    return node->kind == YAML_MAP && node->map.count && node->map.members[0].key->offset == at;
}

/*
 * Finds the innermost part that can be removed and holds `at`: an entry of a list (for the only
 * one, the whole list), or a member of the document. For an unknown key it is that member alone,
 * unless only its dash or its braces would remain.
 */
static void find_extent(struct extent *out, const struct yaml_node *node, size_t end, size_t at,
                        bool member, size_t depth)
{
    bool is_map = node->kind == YAML_MAP;
    size_t count = node->kind == YAML_LIST ? node->list.count : is_map ? node->map.count : 0;
    for (size_t i = count; i-- > 0;) {
        const struct yaml_node *value = is_map ? node->map.members[i].value : node->list.items[i];
        size_t from = is_map ? node->map.members[i].key->offset : value->offset;
        size_t to = end;
        if (i + 1 < count)
            to = is_map ? node->map.members[i + 1].key->offset : node->list.items[i + 1]->offset;
        if (from > at)
            continue;
        bool alone = is_map ? member && from == at : count > 1;
        if (depth == 0 || (alone && !is_flow(node)))
            *out = (struct extent){from, to, depth == 0};
        find_extent(out, value, to, at, member && (is_map || !begins_with(value, at)), depth + 1);
        return;
    }
}

/* Blanks the lines of an extent; what follows on the last line stays where it begins a line. */
static void blank(char *text, struct span source, struct extent extent)
{
    size_t from = line_start(source, extent.from), to = extent.to;
    if (to < source.len)
        to = line_start(source, to);
    if (to <= from) { /* it shares its line with its neighbours */
        const char *end = memchr(source.ptr + from, '\n', source.len - from);
        to = end ? (size_t)(end - source.ptr) : source.len;
    }
    for (size_t i = from; i < to; i++)
        if (text[i] != '\n')
            text[i] = ' ';
}

/* True where a part was removed from a value that now lacks something. */
static bool has_hole(const struct overlay *overlay, const struct extent *extent, bool whole)
{
    for (size_t i = 0; i < overlay->hole_count; i++) {
        const struct extent *hole = &overlay->holes[i];
        if (whole ? hole->member : hole->from >= extent->from && hole->from < extent->to)
            return true;
    }
    return false;
}

/*
 * Removes what the error blames; false where nothing more can be removed. `*follows`: the error
 * exists only because of an earlier removal.
 */
static bool take_out(bool *follows, struct overlay *overlay, struct arena *arena, const char *path,
                     const struct err *wrong)
{
    ERR_SCRATCH(ignored);
    ARENA_SCRATCH(scratch);
    struct yaml_doc *doc;
    struct extent extent = {0, 0, false};
    *follows = false;
    if (yaml_parse(&doc, &scratch, path, overlay->text, &ignored) < 0)
        return false;
    *follows = !doc->root && overlay->hole_count;
    if (!doc->root || !wrong->where.line || !str_equal(wrong->where.file, path))
        return false;
    size_t at = offset_of(doc->source, wrong->where.line, wrong->where.column);
    bool missing = str_ends(wrong->message, " is missing");
    bool whole = missing && at == doc->root->offset;
    find_extent(&extent, doc->root, doc->source.len, at, str_starts(wrong->message, "unknown key"),
                0);
    *follows = missing && has_hole(overlay, &extent, whole);
    if (whole || extent.to == 0)
        return false;
    char *text = arena_memdup(arena, doc->source.ptr, doc->source.len);
    blank(text, doc->source, extent);
    bool changed = memcmp(text, doc->source.ptr, doc->source.len) != 0;
    overlay->text = span_of(text, doc->source.len);
    arena_push(arena, overlay->holes, overlay->hole_count) = extent;
    return changed;
}

int reread(bool *loaded, bool *damaged, struct arena *arena, const struct fileset *files,
           const struct rereading *rereading, struct err *err)
{
    struct overlay overlay = {.set = *files, .below = files};
    long index = fileset_find(files, rereading->path);
    *loaded = *damaged = false;
    overlay.set.read = read_overlay;
    overlay.index = (size_t)index;
    if (index < 0)
        return 0;
    if (files->read(&overlay.text, files, overlay.index, err) < 0)
        return -1;
    size_t attempts = BYTES_MAX / (overlay.text.len + 1);
    for (size_t i = 0; i <= attempts && i < ATTEMPTS_MAX; i++) {
        ARENA_SCRATCH(scratch);
        ERR_SCRATCH(wrong);
        if (rereading->text)
            *rereading->text = overlay.text;
        if (rereading->load(rereading->context, &scratch, &overlay.set, &wrong) == 0) {
            *loaded = true;
            return rereading->load(rereading->context, arena, &overlay.set, err);
        }
        if (wrong.exit != TG_USAGE)
            return err_set(err, wrong.exit, wrong.code, "%s", wrong.message);
        if (budget_steps(1, err) < 0)
            return -1;
        *damaged = true;
        bool follows, more = take_out(&follows, &overlay, arena, rereading->path, &wrong);
        if (!follows)
            findings_add(rereading->findings, RULE_MANIFEST, &wrong);
        if (!more)
            return 0;
    }
    return 0;
}
