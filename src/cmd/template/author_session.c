/* Shared by the `template` commands: their authors' catalog, and patches for people. */
#include "cmd/template/author_session.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "base/unicode.h"
#include "catalog/catalog.h"
#include "cmd/cmd.h"
#include "io/term.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---------------------------------------------------------------- the catalog */

const struct option author_options[] = {
    {"catalog", "SRC[@REF]",
     "the catalog (default: the folder that you are in, where it has a catalog.yml; else as for "
     "'new'); a folder without @REF as it lies there, whatever is committed",
     false},
    {"trust", NULL, "trust this catalog (needed the first time)", false},
    {NULL, NULL, NULL, false},
};

const struct option checked_options[] = {
    {"catalog", "SRC[@REF]",
     "the catalog (default: the folder that you are in); a folder without @REF as it lies there, "
     "whatever is committed",
     false},
    {"trust", NULL, "trust this catalog (needed the first time)", false},
    {NULL, NULL, NULL, false},
};

static bool is_catalog_folder(struct arena *arena, const char *source)
{
    return source_path(source) == source &&
           access(arena_printf(arena, "%s/catalog.yml", source), F_OK) == 0;
}

int cmd_open_authored(const char **folder, struct run *run, struct err *err)
{
    const char *source, *ref, *ignored;
    folder = folder ? folder : &ignored;
    *folder = NULL;
    if (cmd_named_catalog(&source, &ref, run, err) < 0)
        return -1;
    if (!source && is_catalog_folder(&run->arena, "."))
        source = ".";
    if (!source)
        return cmd_open_catalog(run, err);
    if (ref || !is_catalog_folder(&run->arena, source))
        return catalog_open(&run->catalog, &run->arena, source, ref, err);
    if (catalog_open_folder(&run->catalog, &run->arena, source, err) < 0)
        return -1;
    *folder = run->catalog->origin.source;
    return 0;
}

int cmd_open_checked(const char **folder, struct run *run, struct err *err)
{
    if (opt_value(&run->options, "catalog") || is_catalog_folder(&run->arena, "."))
        return cmd_open_authored(folder, run, err);
    (void)err_set(err, TG_USAGE, "unknown-catalog", "there is no catalog.yml in this folder");
    return err_hint(err, "--catalog names a catalog: a folder, a repository, or 'builtin', the one "
                         "built in");
}

/* ---------------------------------------------------------------- patches */

static const struct {
    const char *start, *colour;
} colours[] = {{"diff ", "\033[1m"},
               {"+++", "\033[1m"},
               {"---", "\033[1m"},
               {"+", "\033[32m"},
               {"-", "\033[31m"},
               {"@@", "\033[36m"},
               {"", ""}};

static const char *colour_of(const char *line)
{
    size_t i = 0;
    while (!str_starts(line, colours[i].start))
        i++;
    return term_colour(stdout, colours[i].colour, "");
}

/* Puts a line without its end. Keeps tabs, which Makefiles need. */
static void put_line(struct patch_view *view, const char *line, size_t len)
{
    const char *colour = colour_of(line);
    if (view->room == 0) {
        view->hidden++;
        return;
    }
    view->room--;
    (void)buf_puts(view->out, colour);
    while (len) {
        const char *tab = memchr(line, '\t', len);
        size_t part = tab ? (size_t)(tab - line) : len;
        (void)unicode_mask(view->out, span_of(line, part), false);
        (void)buf_puts(view->out, tab ? "\t" : "");
        line += part + (tab != NULL);
        len -= part + (tab != NULL);
    }
    (void)buf_puts(view->out, *colour ? "\033[0m\n" : "\n");
}

void patch_view_put(struct patch_view *view, const struct difference *difference)
{
    const char *line = difference->patch;
    if (difference->where) {
        (void)buf_printf(view->out,
                         difference->cases == 1 ? "# in one case: " : "# in %zu cases, the first: ",
                         difference->cases);
        (void)unicode_mask(view->out, span_from(difference->where), false);
        (void)buf_putc(view->out, '\n');
    }
    if (!line) {
        (void)buf_puts(view->out, "# not shown: ");
        (void)unicode_mask(view->out, span_from(difference->path), false);
        (void)buf_putc(view->out, '\n');
    }
    while (line && *line) {
        size_t len = strcspn(line, "\n");
        put_line(view, line, len);
        line += len + (line[len] == '\n');
    }
}
