/* Reads a catalog's CHANGELOG.md (keepachangelog.com): the changes of each version. */
#include "catalog/changelog.h"

#include "base/arena.h"
#include "catalog/semver.h"

#include <stdlib.h>
#include <string.h>

enum { VERSION_MAX = 100 };

struct found {
    struct changelog_section section;
    struct semver version;
    size_t order;
};

struct sectioning {
    struct arena *arena;
    struct found *items;
    size_t count;
    const char *fence; /* closes the current code block; NULL: outside of one */
    bool open;         /* the last item's text continues */
};

/* Tracks code blocks: headings inside them do not count. */
static void follow_fence(struct sectioning *r, struct span line)
{
    size_t indent = 0;
    while (indent < line.len && indent < 3 && line.ptr[indent] == ' ')
        indent++;
    struct span rest = span_of(line.ptr + indent, line.len - indent);
    if (r->fence)
        r->fence = span_starts(rest, r->fence) ? NULL : r->fence;
    else if (span_starts(rest, "```"))
        r->fence = "```";
    else if (span_starts(rest, "~~~"))
        r->fence = "~~~";
}

/* Returns the level of a heading and sets its text; 0 if it is not a heading. */
static size_t heading(struct span *text, struct span line)
{
    size_t level = 0;
    while (level < line.len && line.ptr[level] == '#')
        level++;
    if (level == 0 || level == line.len || (line.ptr[level] != ' ' && line.ptr[level] != '\t'))
        return 0;
    *text = span_of(line.ptr + level, line.len - level);
    while (text->len && (*text->ptr == ' ' || *text->ptr == '\t'))
        *text = span_of(text->ptr + 1, text->len - 1);
    return level;
}

/* The version at the start of a heading, or NULL. */
static const char *version_of(struct arena *arena, struct span text, struct semver *out)
{
    static const char bytes[] = "0123456789.-+abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char version[VERSION_MAX + 1];
    if (text.len && *text.ptr == '[')
        text = span_of(text.ptr + 1, text.len - 1);
    if (text.len && (*text.ptr == 'v' || *text.ptr == 'V'))
        text = span_of(text.ptr + 1, text.len - 1);
    size_t len = 0;
    while (len < text.len && len < VERSION_MAX && text.ptr[len] && strchr(bytes, text.ptr[len])) {
        version[len] = text.ptr[len];
        len++;
    }
    version[len] = '\0';
    const char *kept = arena_strdup(arena, version);
    return semver_parse(out, kept) ? kept : NULL;
}

static void end_section(struct sectioning *r, const char *end)
{
    if (!r->open)
        return;
    struct span *text = &r->items[r->count - 1].section.text;
    text->len = (size_t)(end - text->ptr);
    r->open = false;
}

/* A heading of level 3 or deeper belongs to the text of its section. */
static void read_line(struct sectioning *r, struct span line, const char *behind)
{
    struct span text;
    struct semver version;
    bool code = r->fence != NULL;
    follow_fence(r, line);
    size_t level = code || r->fence ? 0 : heading(&text, line);
    if (level == 0 || level > 2)
        return;
    end_section(r, line.ptr);
    const char *name = version_of(r->arena, text, &version);
    if (!name)
        return;
    size_t order = r->count;
    arena_push(r->arena, r->items, r->count) =
        (struct found){{name, span_of(behind, 0)}, version, order};
    r->open = true;
}

/* Sorts newest first; equal versions stay in file order. */
static int by_version(const void *a, const void *b)
{
    const struct found *left = a, *right = b;
    int order = semver_compare(&right->version, &left->version);
    return order ? order : (left->order > right->order) - (left->order < right->order);
}

size_t changelog_sections(struct changelog_section **out, struct arena *arena, struct span text,
                          const struct semver *after, const struct semver *until)
{
    struct sectioning r = {.arena = arena};
    size_t count = 0;
    while (text.len) {
        struct span line = span_cut_line(&text);
        read_line(&r, line, text.ptr);
    }
    end_section(&r, text.ptr);
    if (r.count)
        qsort(r.items, r.count, sizeof(*r.items), by_version);
    *out = arena_array(arena, r.count + 1, sizeof(**out));
    for (size_t i = 0; i < r.count; i++) {
        const struct semver *version = &r.items[i].version;
        bool again = i && semver_compare(&r.items[i - 1].version, version) == 0;
        if (!again && semver_compare(version, after) > 0 && semver_compare(version, until) <= 0)
            (*out)[count++] = r.items[i].section;
    }
    return count;
}
