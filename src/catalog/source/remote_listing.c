/* What a server says it has: `git ls-remote`, kept in the cache until it is asked again. */
#include "catalog/source/remote_listing.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/revision.h"
#include "git/foreign_repo.h"
#include "git/libgit2.h"

#include <string.h>

enum { ID_DIGITS = 40 };

static int bad_line(struct err *err, const char *line)
{
    return err_set(err, TG_RUNTIME, "answer", "the server's list of refs has a line '%.100s'",
                   line);
}

/* "refs/tags/v1.0.0" to its kind and name; false where it is no revision. */
static bool split_name(struct catalog_revision *out, const char *ref)
{
    static const struct {
        const char *prefix;
        enum revision_kind kind;
    } prefixes[] = {{"refs/tags/", REVISION_TAG}, {"refs/heads/", REVISION_BRANCH}};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
        if (str_starts(ref, prefixes[i].prefix) && foreign_ref_is_name(ref)) {
            out->kind = prefixes[i].kind;
            out->name = ref + strlen(prefixes[i].prefix);
            return true;
        }
    return false;
}

/* "v1.0.0^{}": what the tag of the line before leads to. */
static void peel(struct ref_listing *out, char *name, const char *id)
{
    struct catalog_revision *last = out->count ? &out->items[out->count - 1] : NULL;
    name[strlen(name) - strlen("^{}")] = '\0';
    if (last && last->kind == REVISION_TAG && str_starts(name, "refs/tags/") &&
        strcmp(last->name, name + strlen("refs/tags/")) == 0)
        last->commit = id;
}

static int add(struct ref_listing *out, struct arena *arena, const char *id, const char *name,
               struct err *err)
{
    struct catalog_revision next = {.commit = id, .object = id};
    if (!split_name(&next, name))
        return 0;
    if (out->count == LIMIT_REFS)
        return err_set(err, TG_USAGE, "limit", "the catalog has more than %zu tags and branches",
                       LIMIT_REFS);
    out->items = arena_grow(arena, out->items, out->count, sizeof(*out->items));
    out->items[out->count++] = next;
    return 0;
}

static int take_line(struct ref_listing *out, struct arena *arena, char *line, struct err *err)
{
    static const char link[] = "ref: refs/heads/";
    char *name = strchr(line, '\t');
    if (!name)
        return bad_line(err, line);
    *name++ = '\0';
    if (str_starts(line, link) && strcmp(name, "HEAD") == 0)
        out->head_branch = line + strlen(link);
    if (str_starts(line, "ref: "))
        return 0;
    size_t len = strlen(line);
    if (strspn(line, "0123456789abcdef") != len || len < ID_DIGITS)
        return bad_line(err, line);
    if (len > ID_DIGITS)
        return err_set(err, TG_REFUSED, "repository-form",
                       "the catalog's repository names objects by SHA-256: tmplgen reads those of "
                       "SHA-1 only");
    if (strcmp(name, "HEAD") == 0)
        out->head_commit = line;
    else if (str_ends(name, "^{}"))
        peel(out, name, line);
    else
        return add(out, arena, line, name, err);
    return 0;
}

int listing_parse(struct ref_listing *out, struct arena *arena, struct span text, struct err *err)
{
    *out = (struct ref_listing){.count = 0};
    if (git_start(err) < 0)
        return -1;
    while (text.len) {
        const char *end = memchr(text.ptr, '\n', text.len);
        size_t len = end ? (size_t)(end - text.ptr) : text.len;
        if (take_line(out, arena, arena_memdup(arena, text.ptr, len), err) < 0)
            return -1;
        text = span_of(text.ptr + len + (end != NULL), text.len - len - (end != NULL));
    }
    return 0;
}
