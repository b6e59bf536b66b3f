/* The text of a pull request for an update, in Markdown. */
#include "update/summary.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/markdown.h"
#include "base/str.h"
#include "catalog/origin.h"
#include "data/data.h"
#include "update/next_steps.h"

#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

enum { LINES_SHOWN = 100 };
#define TEXT_MAX ((size_t)60000) /* forges allow 64 KiB */
#define SECTION_MAX (LIMIT_MIB)

/* Writes `text`; its `%c` take an argument as a code span, its `%t` as running text. */
static void put(struct buf *out, const char *text, ...)
{
    va_list args;
    va_start(args, text);
    for (const char *mark; (mark = strchr(text, '%')); text = mark + 2) {
        struct span foreign = span_from(va_arg(args, const char *));
        (void)buf_append(out, text, (size_t)(mark - text));
        (void)(mark[1] == 'c' ? markdown_code(out, foreign) : markdown_text(out, foreign));
    }
    (void)buf_puts(out, text);
    va_end(args);
}

static const char *version_of(struct arena *arena, const struct data *document, const char *which)
{
    const struct data *origin = data_get(document, which);
    const char *version =
        origin_words_of(arena, data_get_text(origin, "version"), data_get(origin, "extends"));
    return version ? version : "?";
}

/* ---------------------------------------------------------------- the head */

static void put_title(struct buf *out, const struct data *document)
{
    ARENA_SCRATCH(scratch);
    const char *template = data_get_text(document, "template");
    put(out, template ? "# Template %c: " : "# ", template);
    put(out, "%c to %c\n\n", version_of(&scratch, document, "from"),
        version_of(&scratch, document, "to"));
}

/* Describes the branch as it is, even where an earlier run made it. */
static const char *sentence_of(const struct data *document)
{
    static const struct {
        const char *result, *words, *foreseen;
    } known[] = {
        {"updated", "The project is updated.",
         "The project would be updated; nothing is changed yet."},
        {"up-to-date", "The project is up to date: there is nothing to do.", NULL},
        {"available", "An update is available; nothing is changed yet.", NULL},
        {"staged", "The update is staged, not committed.",
         "The update would be staged, not committed; nothing is changed yet."},
        {"aborted", "The update is undone.", NULL},
    };
    bool foreseen = data_get_text(document, "diff") != NULL; /* --dry-run */
    const char *result = data_get_text(document, "result");
    if (next_stayed(document) && str_equal(result, "up-to-date"))
        result = "updated";
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (str_equal(known[i].result, result))
            return foreseen && known[i].foreseen ? known[i].foreseen : known[i].words;
    if (foreseen)
        return "**There would be conflicts**; nothing is changed yet.";
    return data_get_text(document, "commit")
               ? "**There are conflicts.** Your content is kept; the template's lies beside it."
               : "**There are conflicts**, which wait in the work tree.";
}

static void put_origin(struct buf *out, const struct data *document)
{
    const struct data *catalog = data_get(document, "catalog");
    const char *name = data_get_text(catalog, "name"), *commit = data_get_text(document, "commit");
    const char *revision = data_get_text(data_get(document, "to"), "commit");
    (void)buf_printf(out, "%s\n\n", sentence_of(document));
    if (name) {
        put(out, "- Catalog: %c from %c", name, data_get_text(catalog, "source"));
        if (revision)
            (void)buf_printf(out, ", revision `%.12s`", revision);
        (void)buf_putc(out, '\n');
    }
    if (commit)
        (void)buf_printf(out, "- Commit: `%s`\n", commit);
}

static const char *counted(const char *state)
{
    return strcmp(state, "conflict") == 0       ? "in conflict"
           : strcmp(state, "kept-deleted") == 0 ? "kept deleted"
           : strcmp(state, "kept-yours") == 0   ? "kept yours"
                                                : state;
}

static void put_counts(struct buf *out, const struct data *document)
{
    const struct data *counts = data_get(document, "counts");
    const char *before = "- Files: ";
    for (size_t i = 1; i < counts->map.count; i++) {
        long long number = (long long)counts->map.members[i].value->integer;
        if (number == 0)
            continue;
        (void)buf_printf(out, "%s%lld %s", before, number,
                         counted(counts->map.members[i].name.ptr));
        before = ", ";
    }
    (void)buf_puts(out, *before == ',' ? "\n" : "");
}

/* ---------------------------------------------------------------- paths */

static void put_path(struct buf *out, const struct data *path)
{
    const char *note = data_get_text(path, "note"), *theirs = data_get_text(path, "theirs");
    const char *from = data_get_text(path, "from_path");
    put(out, "- %c", data_get_text(path, "path"));
    if (from)
        put(out, " (was %c)", from);
    if (note)
        put(out, ": %t", note);
    if (theirs)
        put(out, "; the template's is %c", theirs);
    (void)buf_putc(out, '\n');
}

/* Lists the paths of a state. Cuts a long list: the commit has them all. */
static void put_state(struct buf *out, const struct data *document, const char *state,
                      const char *title)
{
    const struct data *paths = data_get(document, "paths");
    size_t count = 0;
    for (size_t i = 0; i < paths->list.count; i++) {
        if (!str_equal(data_get_text(paths->list.items[i], "state"), state))
            continue;
        if (count++ == 0)
            (void)buf_printf(out, "\n## %s\n\n", title);
        if (count <= LINES_SHOWN)
            put_path(out, paths->list.items[i]);
    }
    if (count > LINES_SHOWN)
        (void)buf_printf(out, "- and %zu more\n", count - LINES_SHOWN);
}

/* ---------------------------------------------------------------- commits that are replayed */

static void put_commit(struct buf *out, const struct data *commit)
{
    const char *note = data_get_text(commit, "note"), *to = data_get_text(commit, "to");
    (void)buf_printf(out, "- %s: `%.10s`", data_get_text(commit, "state"),
                     data_get_text(commit, "commit"));
    if (to)
        (void)buf_printf(out, " is now `%.10s`", to);
    put(out, ", %c", data_get_text(commit, "subject"));
    if (note)
        put(out, ": %t", note);
    (void)buf_putc(out, '\n');
}

static void put_commits(struct buf *out, const struct data *document)
{
    const struct data *commits = data_get(document, "commits");
    size_t count = commits && commits->kind == DATA_LIST ? commits->list.count : 0;
    (void)buf_puts(out, count ? "\n## Commits\n\n" : "");
    for (size_t i = 0; i < count && i < LINES_SHOWN; i++)
        put_commit(out, commits->list.items[i]);
    if (count > LINES_SHOWN)
        (void)buf_printf(out, "- and %zu more\n", count - LINES_SHOWN);
}

/* ---------------------------------------------------------------- stack, answers, notes */

static void put_stack(struct buf *out, const struct data *document)
{
    const struct data *stack = data_get(document, "stack");
    (void)buf_puts(
        out, stack->list.count ? "\n## Stack\n\n| | before | after |\n| --- | --- | --- |\n" : "");
    for (size_t i = 0; i < stack->list.count; i++) {
        const struct data *change = stack->list.items[i];
        const char *from = data_get_text(change, "from"), *to = data_get_text(change, "to");
        put(out, "| %t | ", data_get_text(change, "what"));
        (void)markdown_cell(out, span_from(from ? from : "none"));
        (void)buf_puts(out, " | ");
        (void)markdown_cell(out, span_from(to ? to : "none"));
        (void)buf_puts(out, " |\n");
    }
}

static void put_names(struct buf *out, const struct data *names, const char *title)
{
    for (size_t i = 0; names && i < names->list.count; i++) {
        (void)buf_puts(out, i ? ", " : title);
        put(out, "%c", data_text(names->list.items[i]));
    }
    (void)buf_puts(out, names && names->list.count ? "\n" : "");
}

static void put_answers(struct buf *out, const struct data *document)
{
    const struct data *answers = data_get(document, "answers");
    const struct data *renamed = data_get(answers, "renamed");
    size_t start = out->len;
    (void)buf_puts(out, "\n## Answers\n\n");
    size_t empty = out->len;
    put_names(out, data_get(answers, "added"), "- New, at their defaults: ");
    put_names(out, data_get(answers, "dropped"), "- Dropped: ");
    for (size_t i = 0; i < renamed->list.count; i++) {
        const struct data *pair = renamed->list.items[i];
        put(out, "- Renamed: %c is now %c\n", data_get_text(pair, "from"),
            data_get_text(pair, "to"));
    }
    if (out->len == empty)
        buf_truncate(out, start);
}

/* Writes a code block: forges find no mentions and issues there. */
static void put_notes(struct buf *out, const struct data *document)
{
    const struct data *notes = data_get(document, "notes");
    for (size_t i = 0; i < notes->list.count; i++) {
        const struct data *note = notes->list.items[i];
        const char *version = data_get_text(note, "version");
        (void)buf_puts(out, i ? "" : "\n## What is new\n");
        const char *catalog = data_get_text(note, "catalog");
        if (version)
            (void)buf_printf(out, "\n### %s%s%s\n\n", catalog ? catalog : "", catalog ? " " : "",
                             version);
        else
            (void)buf_puts(out, "\n### To know\n\n");
        (void)markdown_block(out, "text", span_from(data_get_text(note, "text")));
    }
}

static void put_warnings(struct buf *out, const struct data *document)
{
    const struct data *warnings = data_get(document, "warnings");
    for (size_t i = 0; i < warnings->list.count; i++)
        put(out, i ? "- %t\n" : "\n## Warnings\n\n- %t\n", data_text(warnings->list.items[i]));
}

static void put_next(struct buf *out, const struct data *document)
{
    const struct data *next = data_get(document, "next");
    for (size_t i = 0; i < next->list.count; i++) {
        const struct data *step = next->list.items[i];
        put(out, i ? "- %c: %t\n" : "\n## What to do\n\n- %c: %t\n", data_get_text(step, "run"),
            data_get_text(step, "what"));
    }
}

static void put_conflicts(struct buf *out, const struct data *document)
{
    put_state(out, document, "conflict", "Conflicts");
}

static void put_merged(struct buf *out, const struct data *document)
{
    put_state(out, document, "merged", "Merged: look at these");
}

static void put_kept(struct buf *out, const struct data *document)
{
    put_state(out, document, "kept-deleted", "Stays deleted");
    put_state(out, document, "kept-yours", "Left as it is");
}

void summary_format(struct buf *out, const struct data *document)
{
    static void (*const sections[])(struct buf *, const struct data *) = {
        put_title, put_origin,  put_counts, put_conflicts, put_next, put_commits,
        put_stack, put_answers, put_notes,  put_merged,    put_kept, put_warnings};
    static const char cut[] = "\n(A section is left out here: the text would be too long.)\n";
    for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++) {
        BUF_SCRATCH(section, SECTION_MAX);
        sections[i](&section, document);
        bool fits = !section.overflowed && out->len + section.len + sizeof(cut) < TEXT_MAX;
        if (fits)
            (void)buf_append(out, buf_text(&section), section.len);
        else if (out->len + sizeof(cut) < TEXT_MAX)
            (void)buf_puts(out, cut);
    }
}
