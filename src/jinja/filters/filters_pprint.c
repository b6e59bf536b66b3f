/* The filter pprint: breaks long values into lines, as Python's pprint does. */
#include "jinja/filters/filter_bodies.h"

#include "base/unicode.h"
#include "base/utf8.h"
#include "jinja/functions/text_parts.h"
#include "jinja/run/vm.h"
#include "jinja/values/sort.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

#define LINE_WIDTH 80

struct pprinter {
    struct buf *out;
    struct vm *vm;
};

/* The columns before a value, and those to keep free behind its last line. */
struct margins {
    size_t left, right;
};

/* Writes a value on one line, and counts its characters. */
static int put_measured(size_t *width, struct pprinter *printer, const struct value *value)
{
    size_t start = printer->out->len;
    if (value_repr_sorted(printer->out, printer->vm, value))
        return -1;
    struct span text = span_of(buf_text(printer->out) + start, printer->out->len - start);
    *width = utf8_count(text);
    return vm_charge_bytes(printer->vm, text.len);
}

/* ---------------------------------------------------------------- on several lines */

static int put_value(struct pprinter *printer, const struct value *value, struct margins margins,
                     bool outermost);

static int put_line_end(struct pprinter *printer, const char *before, size_t indent)
{
    (void)buf_printf(printer->out, "%s\n%*s", before, (int)indent, "");
    return vm_charge(printer->vm, indent / 16 + 1);
}

static int put_long_list(struct pprinter *printer, const struct value *value,
                         struct margins margins)
{
    struct list *list = value->list;
    bool tuple = value->kind == V_TUPLE;
    const char *end = !tuple ? "]" : list->count == 1 ? ",)" : ")";
    size_t behind = margins.right + 1 + (tuple && list->count == 1);
    (void)buf_putc(printer->out, tuple ? '(' : '[');
    for (size_t i = 0; i < list->count; i++) {
        bool last = i + 1 == list->count;
        const struct margins inner = {margins.left + 1, last ? behind : 1};
        if (put_value(printer, &list->items[i], inner, false))
            return -1;
        if (!last && put_line_end(printer, ",", inner.left))
            return -1;
    }
    (void)buf_puts(printer->out, end);
    return 0;
}

static int put_long_dict(struct pprinter *printer, const struct value *value,
                         struct margins margins)
{
    struct sorted *members;
    size_t width, count = value->dict->count;
    if (value_sorted_members(&members, printer->vm, value->dict))
        return -1;
    (void)buf_putc(printer->out, '{');
    for (size_t i = 0; i < count; i++) {
        const struct value *pair = members[i].value.list->items;
        bool last = i + 1 == count;
        if (put_measured(&width, printer, &pair[0]))
            return -1;
        (void)buf_puts(printer->out, ": ");
        const struct margins inner = {margins.left + 1 + width + 2, last ? margins.right + 1 : 1};
        if (put_value(printer, &pair[1], inner, false))
            return -1;
        if (!last && put_line_end(printer, ",", margins.left + 1))
            return -1;
    }
    (void)buf_putc(printer->out, '}');
    return 0;
}

/* ---------------------------------------------------------------- long texts */

/* A text split into literals on lines of their own, which Python concatenates. */
struct pieces {
    struct pprinter *printer;
    struct margins margins;
    size_t count;
};

static int literal_width(size_t *out, struct vm *vm, struct span text)
{
    struct value value = value_text(text);
    size_t start = vm_begin(vm);
    if (value_repr(&vm->scratch, vm, &value))
        return -1;
    *out = utf8_count(span_of(buf_text(&vm->scratch) + start, vm->scratch.len - start));
    buf_truncate(&vm->scratch, start);
    return 0;
}

static int put_piece(struct pieces *pieces, struct span text)
{
    struct value value = value_text(text);
    if (pieces->count++ && put_line_end(pieces->printer, "", pieces->margins.left))
        return -1;
    return value_repr(pieces->printer->out, pieces->printer->vm, &value);
}

/* A word and the blanks after it. */
static struct span take_word(struct span text, size_t *pos)
{
    size_t start = *pos, next = start;
    bool blank = false;
    while (next < text.len) {
        bool space = unicode_is_space(utf8_next(text, &next));
        if (blank && !space)
            break;
        blank = space;
        *pos = next;
    }
    return span_of(text.ptr + start, *pos - start);
}

/* Fills each piece with as many words as fit; `last` is true for the text's last line. */
static int put_words(struct pieces *pieces, struct span line, bool last)
{
    struct vm *vm = pieces->printer->vm;
    struct span current = span_of(line.ptr, 0);
    size_t width;
    for (size_t pos = 0; pos < line.len;) {
        struct span word = take_word(line, &pos);
        struct span longer = span_of(current.ptr, current.len + word.len);
        size_t margins =
            pieces->margins.left + (last && pos == line.len ? pieces->margins.right : 0);
        if (literal_width(&width, vm, longer))
            return -1;
        if (width + margins <= LINE_WIDTH) {
            current = longer;
            continue;
        }
        if (current.len && put_piece(pieces, current))
            return -1;
        current = word;
    }
    return current.len ? put_piece(pieces, current) : 0;
}

static int put_long_text(struct pprinter *printer, const struct value *value,
                         struct margins margins, bool outermost)
{
    struct pieces pieces = {printer, {margins.left + outermost, margins.right + outermost}, 0};
    struct text_lines lines = {.text = value->text};
    struct span line, whole;
    size_t start = printer->out->len, width;
    (void)buf_puts(printer->out, outermost ? "(" : "");
    while (text_next_line(&line, &whole, &lines)) {
        bool last = lines.pos == value->text.len;
        if (literal_width(&width, printer->vm, whole))
            return -1;
        bool fits = width + pieces.margins.left + (last ? pieces.margins.right : 0) <= LINE_WIDTH;
        if (fits ? put_piece(&pieces, whole) : put_words(&pieces, whole, last))
            return -1;
    }
    if (outermost && pieces.count == 1) { /* one literal needs no brackets */
        buf_truncate(printer->out, start);
        return value_repr(printer->out, printer->vm, value);
    }
    (void)buf_puts(printer->out, outermost ? ")" : "");
    return 0;
}

static int put_value(struct pprinter *printer, const struct value *value, struct margins margins,
                     bool outermost)
{
    size_t start = printer->out->len, width;
    if (put_measured(&width, printer, value))
        return -1;
    bool text = value->kind == V_TEXT && !value->safe && value->text.len;
    if (width + margins.left + margins.right <= LINE_WIDTH || (!value_is_sorted(value) && !text))
        return 0;
    buf_truncate(printer->out, start);
    if (text)
        return put_long_text(printer, value, margins, outermost);
    if (vm_enter(printer->vm) || (value->kind == V_DICT ? put_long_dict(printer, value, margins)
                                                        : put_long_list(printer, value, margins)))
        return -1;
    vm_leave(printer->vm);
    return 0;
}

/* Sorts mappings by key. Refuses a value that contains itself. */
int filter_pprint(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct pprinter printer = {&vm->scratch, vm};
    size_t start = vm_begin(vm);
    return put_value(&printer, given->self, (struct margins){0, 0}, true) ? -1
                                                                          : vm_end(out, vm, start);
}
