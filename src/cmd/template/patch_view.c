/* Patches for people: masked, in colour on a terminal, and not without end. */
#include "cmd/template/author_session.h"

#include "base/buf.h"
#include "base/str.h"
#include "base/unicode.h"
#include "io/term.h"

#include <stdio.h>
#include <string.h>

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

/* Without its end. Tabs are what Makefiles are made of. */
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
