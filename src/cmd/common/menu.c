/* A line that a person types at a terminal, or chooses by arrow keys. */
#include "cmd/common/menu.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "data/data.h"
#include "io/term.h"

#include <stdio.h>
#include <string.h>

#define TEXT_COLUMNS_MIN 10 /* of what is typed, however long the text before it */

enum key { CTRL_D = 4, CTRL_H = 8, CTRL_U = 21, CTRL_W = 23, ESCAPE = 27, DELETE = 127 };

struct typing {
    struct menu *menu;
    struct buf text;  /* typed */
    struct buf shown; /* as it stands on the terminal, up to the cursor */
    size_t width;     /* of the terminal then */
    /* Arrow keys and the like send ESC and more bytes, none of which is text. */
    enum { AT_TEXT, AT_ESCAPE, AT_SEQUENCE } state;
};

/* ---------------------------------------------------------------- what is shown */

/* Ranges of characters that take no column, or two; in order. */
static const struct {
    uint32_t first, last;
    size_t columns;
} unusual[] = {
    {0x0300, 0x036F, 0},   {0x1100, 0x115F, 2},   {0x200B, 0x200F, 0}, {0x2E80, 0x303E, 2},
    {0x3041, 0xA4CF, 2},   {0xAC00, 0xD7A3, 2},   {0xF900, 0xFAFF, 2}, {0xFE00, 0xFE0F, 0},
    {0xFE30, 0xFE6F, 2},   {0xFF00, 0xFF60, 2},   {0xFFE0, 0xFFE6, 2}, {0x1F300, 0x1F64F, 2},
    {0x1F900, 0x1F9FF, 2}, {0x20000, 0x3FFFD, 2},
};

/* Columns of a line; of rows as wide as that, or 0: one. A row ends before what it cannot hold. */
static size_t columns_of(struct span text, size_t width)
{
    size_t columns = 0;
    for (size_t pos = 0; pos < text.len;) {
        uint32_t character = utf8_next(text, &pos);
        if (character == ESCAPE) { /* of a colour */
            while (pos < text.len && text.ptr[pos] != 'm')
                pos++;
            pos += pos < text.len;
            continue;
        }
        size_t more = 1;
        for (size_t i = 0; i < sizeof unusual / sizeof *unusual; i++)
            if (character >= unusual[i].first && character <= unusual[i].last)
                more = unusual[i].columns;
        columns += more == 2 && width && columns % width == width - 1;
        columns += more;
    }
    return columns;
}

/* Goes to the begin of what is shown, in rows as the terminal has them now: it may be resized. */
static void put_back(struct buf *out, const struct typing *l)
{
    size_t rows = 0, width = term_width(stderr);
    struct span rest = span_of(buf_text(&l->shown), l->shown.len);
    while (rest.len) {
        size_t columns = columns_of(span_cut_line(&rest), width);
        rows += width && columns > width ? (columns + width - 1) / width : 1;
    }
    (void)buf_putc(out, '\r');
    if (rows > 1)
        (void)buf_printf(out, "\033[%zuA", rows - 1);
}

/* The end of the typed text, as much of it as the row has room for. */
static void put_typed(struct buf *out, const struct typing *l)
{
    BUF_SCRATCH(masked, 16 * LIMIT_ANSWER_BYTES);
    (void)unicode_mask(&masked, span_of(buf_text(&l->text), l->text.len), false);
    struct span text = span_of(buf_text(&masked), masked.len), before = {out->ptr, out->len};
    while (before.len && memchr(before.ptr, '\n', before.len))
        (void)span_cut_line(&before);
    size_t width = term_width(stderr), used = width ? columns_of(before, width) % width : 0;
    size_t room = width > used + TEXT_COLUMNS_MIN ? width - used - 1 : TEXT_COLUMNS_MIN;
    size_t start = text.len, columns = 0;
    while (start > 0) {
        size_t at = start;
        (void)utf8_previous(text, &at);
        columns += columns_of(span_of(text.ptr + at, start - at), 0);
        if (columns > room)
            break;
        start = at;
    }
    (void)buf_append(out, text.ptr + start, text.len - start);
}

/* One write, and each line erased only behind its new text: nothing flickers. */
static void draw(struct typing *l)
{
    BUF_SCRATCH(out, LIMIT_MIB);
    put_back(&out, l);
    if (l->width != term_width(stderr)) /* rows that it has broken anew remember that */
        (void)buf_puts(&out, "\033[J");
    l->width = term_width(stderr);
    buf_truncate(&l->shown, 0);
    l->menu->put(&l->shown, l->menu, l->menu->context);
    put_typed(&l->shown, l);
    struct span rest = span_of(buf_text(&l->shown), l->shown.len);
    while (rest.len && memchr(rest.ptr, '\n', rest.len)) {
        struct span line = span_cut_line(&rest);
        (void)buf_append(&out, line.ptr, line.len);
        (void)buf_puts(&out, "\033[K\n");
    }
    (void)buf_puts(&out, "\033[J");
    (void)buf_append(&out, rest.ptr, rest.len);
    (void)fputs(buf_text(&out), stderr);
    (void)fflush(stderr);
}

/* The choices make room for the one answer. */
static void draw_answer(struct typing *l, struct arena *arena)
{
    BUF_SCRATCH(out, LIMIT_MIB);
    const char *answer = l->text.len ? buf_text(&l->text) : menu_taken(arena, l->menu, ", ");
    put_back(&out, l);
    (void)buf_puts(&out, "\033[J  > ");
    (void)unicode_mask(&out, span_from(answer), false);
    (void)fputs(buf_text(&out), stderr);
}

/* ---------------------------------------------------------------- keys */

static void move(struct menu *menu, bool down)
{
    size_t count = menu->choices->list.count;
    menu->at = (menu->at + (down ? 1 : count - 1)) % count;
    menu->touched |= !menu->several;
}

static bool begins_a_choice(const struct menu *menu, char letter)
{
    for (size_t i = 0; i < menu->choices->list.count; i++)
        if (*data_text(menu->choices->list.items[i]) == letter)
            return true;
    return false;
}

/* Takes a key that means something to the choices. */
static bool take_for_choices(struct menu *menu, char byte)
{
    if (!menu->choices)
        return false;
    if ((byte == 'j' || byte == 'k') && !begins_a_choice(menu, byte)) {
        move(menu, byte == 'j');
        return true;
    }
    if (byte == ' ' && menu->several) {
        menu->taken[menu->at] = !menu->taken[menu->at];
        menu->touched = true;
    }
    return byte == ' ';
}

static void erase(struct typing *l, bool word)
{
    struct span text = span_of(buf_text(&l->text), l->text.len);
    size_t len = text.len;
    while (word && len && text.ptr[len - 1] == ' ')
        len--;
    do {
        if (len)
            (void)utf8_previous(text, &len);
    } while (word && len && text.ptr[len - 1] != ' ');
    buf_truncate(&l->text, len);
}

/* Takes a byte of what a special key sends. */
static void take_special(struct typing *l, char byte)
{
    bool opens = l->state == AT_ESCAPE && (byte == '[' || byte == 'O');
    bool ends = l->state == AT_ESCAPE || (byte >= '@' && byte <= '~');
    if (l->state == AT_SEQUENCE && l->menu->choices && (byte == 'A' || byte == 'B')) {
        buf_truncate(&l->text, 0);
        move(l->menu, byte == 'B');
    }
    l->state = opens ? AT_SEQUENCE : ends ? AT_TEXT : l->state;
}

/* Returns 1: the line is typed; 0: it goes on; -1: the input has ended. */
static int take_key(struct typing *l, char byte)
{
    if (byte == '\n' || byte == '\r')
        return 1;
    if (byte == CTRL_D || byte == '\0') /* so the kernel keeps a Ctrl-D from before key by key */
        return l->text.len ? 0 : -1;
    if (byte == ESCAPE)
        l->state = AT_ESCAPE;
    else if (l->state != AT_TEXT)
        take_special(l, byte);
    else if (byte == CTRL_H || byte == DELETE || byte == CTRL_W)
        erase(l, byte == CTRL_W);
    else if (byte == CTRL_U)
        buf_truncate(&l->text, 0);
    else if (((unsigned char)byte >= ' ' || byte == '\t') &&
             (l->text.len || !take_for_choices(l->menu, byte)))
        (void)buf_putc(&l->text, byte);
    return 0;
}

/* ---------------------------------------------------------------- the line */

const char *menu_taken(struct arena *arena, const struct menu *menu, const char *separator)
{
    struct words taken = {0};
    for (size_t i = 0; i < menu->choices->list.count; i++)
        if (menu->several ? menu->taken[i] : menu->at == i)
            words_add(&taken, arena, data_text(menu->choices->list.items[i]));
    return taken.count ? str_join(arena, taken.items, taken.count, separator) : "none";
}

static int read_keys(struct typing *l, struct err *err)
{
    int taken = 0, rc = 2;
    while (taken == 0) {
        char byte;
        if (rc == 2) /* at first, or what was shown is gone */
            buf_truncate(&l->shown, 0);
        if (rc == 2 || !term_key_waits()) /* of what is pasted only the end is shown */
            draw(l);
        rc = term_read_key(&byte, err);
        if (rc < 0)
            return -1;
        taken = rc == 2 ? 0 : rc == 0 ? -1 : take_key(l, byte);
    }
    return taken > 0;
}

int menu_read(char **line, struct menu *menu, struct arena *arena, struct err *err)
{
    struct typing l = {
        .menu = menu, .text = BUF_INIT(LIMIT_ANSWER_BYTES), .shown = BUF_INIT(LIMIT_MIB)};
    int rc = read_keys(&l, err);
    if (rc > 0 && menu->choices)
        draw_answer(&l, arena);
    else if (rc > 0)
        draw(&l);
    (void)fputc('\n', stderr);
    if (rc > 0 && l.text.overflowed)
        rc = err_set(err, TG_USAGE, "limit", "an answer is longer than %zu bytes",
                     LIMIT_ANSWER_BYTES);
    if (rc > 0 && l.text.len)
        *line = arena_memdup(arena, buf_text(&l.text), l.text.len);
    else if (rc > 0)
        *line = arena_strdup(arena, menu->touched ? menu_taken(arena, menu, ",") : "");
    buf_release(&l.text);
    buf_release(&l.shown);
    return rc;
}
