/* The news of a version in its authors' words: the changelog, and notes of migrations. */

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "catalog/catalog_source.h"
#include "catalog/changelog.h"
#include "catalog/origin.h"
#include "catalog/semver.h"
#include "data/document.h"
#include "data/fileset.h"
#include "update/target/update_target.h"

#include <string.h>

enum { LINES_MAX = 100, LINE_BYTES = 400, TAB = 4 };
#define TEXT_MAX (LIMIT_MIB)
#define BLANKS " \t\r"

struct noting {
    struct arena *arena;
    struct data *list;
    const char *catalog; /* the name of an extended catalog; NULL for the child's own */
    size_t lines;        /* so far, of all notes */
    bool cut;            /* the notes are too long */
    bool gap;            /* an empty line is due */
    bool after_heading;
};

static const char cut_line[] = "... see " CHANGELOG_PATH " of the catalog";

/* ---------------------------------------------------------------- one line */

/* True for "[1.1.0]: https://...", a link's target and no text. */
static bool is_link_target(struct span line)
{
    const char *end = line.len && *line.ptr == '[' ? memchr(line.ptr, ']', line.len) : NULL;
    return end && end + 1 < line.ptr + line.len && end[1] == ':';
}

/* "### Added" becomes "Added:": in a commit's message a '#' begins a comment. */
static struct span heading_text(struct span line)
{
    size_t start = 0;
    while (start < line.len && line.ptr[start] == '#')
        start++;
    if (start == 0 || (start < line.len && line.ptr[start] != ' '))
        return span_of(NULL, 0);
    while (start < line.len && line.ptr[start] == ' ')
        start++;
    return span_trim_end(span_of(line.ptr + start, line.len - start), BLANKS);
}

static void put_plain(struct buf *out, struct span line)
{
    BUF_SCRATCH(spaced, TEXT_MAX);
    for (size_t i = 0; i < line.len; i++)
        (void)(line.ptr[i] == '\t' ? buf_printf(&spaced, "%*s", TAB, "")
                                   : buf_putc(&spaced, line.ptr[i]));
    (void)unicode_mask(out, span_of(buf_text(&spaced), spaced.len), false);
}

static void put_line(struct buf *out, struct span line)
{
    BUF_SCRATCH(plain, TEXT_MAX);
    struct span heading = heading_text(line);
    put_plain(&plain, heading.len ? heading : line);
    if (heading.len && plain.ptr[plain.len - 1] != ':')
        (void)buf_putc(&plain, ':');
    size_t len = plain.len > LINE_BYTES ? LINE_BYTES : plain.len;
    while (len < plain.len && utf8_continues(plain.ptr[len]))
        len--;
    (void)buf_append(out, buf_text(&plain), len);
    (void)buf_puts(out, len < plain.len ? "...\n" : "\n");
}

/* ---------------------------------------------------------------- one note */

static void add_line(struct noting *n, struct buf *out, struct span line)
{
    if (n->lines >= LINES_MAX) {
        n->cut = true;
        return;
    }
    if (n->gap && out->len)
        (void)buf_putc(out, '\n');
    n->lines += 1 + (n->gap && out->len);
    n->gap = false;
    put_line(out, line);
    n->after_heading = heading_text(line).len > 0;
}

static void add_note(struct noting *n, const char *version, const char *from, struct span text)
{
    BUF_SCRATCH(out, TEXT_MAX);
    if (n->cut)
        return;
    n->gap = false;
    while (text.len && !n->cut) {
        struct span line = span_trim_end(span_cut_line(&text), BLANKS);
        if (line.len == 0)
            n->gap = !n->after_heading;
        else if (!is_link_target(line))
            add_line(n, &out, line);
    }
    if (n->cut)
        (void)buf_printf(&out, "%s\n", cut_line);
    if (out.len == 0)
        return;
    struct data *note = data_of(n->arena, FIELD("version", version), FIELD("from", from),
                                FIELD("text", buf_text(&out)));
    if (n->catalog)
        data_put_text(n->arena, note, "catalog", n->catalog);
    data_push(n->arena, n->list, note);
}

/* ---------------------------------------------------------------- all of them */

static int add_changelog(struct noting *n, const struct catalog *catalog, const char *after,
                         struct err *err)
{
    const struct fileset *files = catalog->own ? catalog->own : catalog->files;
    struct changelog_section *sections;
    struct semver first, last;
    struct span text;
    if (fileset_find(files, CHANGELOG_PATH) < 0 || !semver_parse(&first, after) ||
        !semver_parse(&last, catalog->origin.version) || semver_compare(&first, &last) >= 0)
        return 0;
    if (fileset_get(&text, files, CHANGELOG_PATH, err) < 0)
        return -1;
    if (text.len > LIMIT_DOCUMENT_BYTES)
        return err_set(err, TG_USAGE, "limit", "'" CHANGELOG_PATH "' is larger than %zu bytes",
                       LIMIT_DOCUMENT_BYTES);
    size_t count = changelog_sections(&sections, n->arena, text, &first, &last);
    for (size_t i = 0; i < count; i++)
        add_note(n, sections[i].version, "changelog", sections[i].text);
    return 0;
}

int notes_collect(struct data **out, struct arena *arena, const struct catalog *catalog,
                  const struct migrated *migrated, const struct catalog_origin *made,
                  struct err *err)
{
    struct noting n = {.arena = arena, .list = data_list(arena)};
    *out = n.list;
    for (size_t i = 0; i < migrated->notes.count; i++)
        add_note(&n, NULL, "migration", span_from(migrated->notes.items[i]));
    for (size_t depth = 0; catalog; depth++, catalog = catalog->extends) {
        const struct catalog_origin *before = origin_like(made, catalog->origin.source, depth);
        n.catalog = depth ? catalog->name : NULL;
        if (before && add_changelog(&n, catalog, before->version, err) < 0)
            return -1;
    }
    return 0;
}
