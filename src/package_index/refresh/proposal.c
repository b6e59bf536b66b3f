/* A proposal for a matrix: its row as text, and the reasons for it. */
#include "package_index/refresh/proposal.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "data/document.h"
#include "matrix/facts.h"

#include <stdarg.h>
#include <string.h>

#define COLUMNS 120

bool proposal_is_compiled(const struct proposal *p)
{
    return str_equal(supply_of(p->framework, p->build), "build");
}

bool proposal_is_for_all(const struct proposal *p)
{
    const struct words *releases = &p->build->releases;
    return releases->count == 1 && str_equal(releases->items[0], "all");
}

void proposal_say(const struct proposal *p, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    data_push(p->arena, p->said, data_str(p->arena, arena_vprintf(p->arena, format, args)));
    va_end(args);
}

/* ------------------------------------------------------------------ rows as text */

const char *append_word(struct arena *arena, const char *words, const char *word)
{
    return arena_printf(arena, "%s%s%s", words, *words ? " " : "", word);
}

/* Separates two fields until the row is laid out: no field's text contains it. */
#define FIELD_BREAK "\x01"

static void put_break(struct buf *row)
{
    if (buf_text(row)[row->len - 1] != '{')
        (void)buf_puts(row, "," FIELD_BREAK);
}

/* Writes the value plain if YAML gives no character in it a meaning. */
void row_put(struct buf *row, const char *name, const char *value)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "._+- ";
    if (!value || !*value)
        return;
    put_break(row);
    (void)buf_printf(row, "%s: ", name);
    if (strspn(value, plain) == strlen(value) && *value != '-' && *value != ' ') {
        (void)buf_puts(row, value);
        return;
    }
    (void)buf_putc(row, '"');
    for (const char *c = value; *c; c++)
        if (*c == '"' || *c == '\\')
            (void)buf_printf(row, "\\%c", *c);
        else
            (void)buf_putc(row, (unsigned char)*c < ' ' || *c == 0x7F ? '?' : *c);
    (void)buf_putc(row, '"');
}

void row_put_written(struct buf *row, const char *field)
{
    if (!*field)
        return;
    put_break(row);
    (void)buf_puts(row, field);
}

void row_put_end(struct buf *row, const struct proposal *p, const char *note,
                 const char *confidence)
{
    const char *today = index_asked_on(p->index);
    row_put(row, "note", note);
    row_put(row, "source", arena_printf(p->arena, ROW_SOURCE, today));
    row_put(row, "as_of", today);
    row_put(row, "confidence", confidence);
    (void)buf_putc(row, '}');
}

/* Lays out the row in lines of at most COLUMNS, where the fields allow. */
static const char *laid_out(const struct proposal *p, const char *row)
{
    BUF_SCRATCH(out, ROW_BYTES);
    size_t column = 0;
    while (row && *row) {
        size_t len = strcspn(row, FIELD_BREAK);
        bool fits = column + 1 + len <= COLUMNS;
        if (column)
            (void)buf_puts(&out, fits ? " " : "\n   ");
        column = column ? (fits ? column + 1 : 3) : 0;
        (void)buf_append(&out, row, len);
        column += len;
        row += len + (row[len] != '\0');
    }
    return arena_strdup(p->arena, buf_text(&out));
}

void proposal_add(const struct proposal *p, struct data *list, const char *kind,
                  const char *variant, const char *row, const char *confidence, const char *why)
{
    data_push(p->arena, list,
              data_of(p->arena, FIELD("framework", p->framework->name),
                      FIELD("release", p->version), FIELD("kind", kind), FIELD("variant", variant),
                      FIELD("requirement", p->text), FIELD("row", row ? laid_out(p, row) : NULL),
                      FIELD("confidence", confidence), FIELD("evidence", p->said),
                      FIELD("why", why)));
}
