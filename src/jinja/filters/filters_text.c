/* Filters of texts: capitalize format indent lower replace string title trim upper. */
#include "jinja/filters/filter_bodies.h"

#include "base/limits.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "jinja/functions/text_parts.h"
#include "jinja/run/vm.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

/* ---------------------------------------------------------------- upper and lower case */

/* `how` is the case. */
int filter_case(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value text;
    if (value_to_text(&text, vm, given->self) ||
        text_case(out, vm, text.text, (enum letter_case)given->how))
        return -1;
    out->safe = text.safe;
    return 0;
}

/* Characters before the start of a word: [-\s({\[<] */
static bool is_word_gap(uint32_t c)
{
    return c == '-' || c == '(' || c == '{' || c == '[' || c == '<' || unicode_is_space(c);
}

/* One piece between gaps: upper-cases its first character, lower-cases the rest. */
static int title_piece(struct vm *vm, struct span piece)
{
    size_t pos = 0;
    if (piece.len == 0)
        return 0;
    (void)utf8_next(piece, &pos);
    if (text_put_case(vm, span_of(piece.ptr, pos), UNICODE_UPPER))
        return -1;
    return text_put_case(vm, span_of(piece.ptr + pos, piece.len - pos), UNICODE_LOWER);
}

/* Jinja2's own title(): words begin only after blanks, dashes and opening brackets. */
int filter_title(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value text;
    size_t piece = 0;
    if (value_to_text(&text, vm, given->self))
        return -1;
    size_t start = vm_begin(vm);
    for (size_t pos = 0; pos < text.text.len;) {
        size_t gap = pos;
        if (!is_word_gap(utf8_next(text.text, &pos)))
            continue;
        if (title_piece(vm, span_of(text.text.ptr + piece, gap - piece)))
            return -1;
        (void)buf_append(&vm->scratch, text.text.ptr + gap, pos - gap);
        piece = pos;
    }
    if (title_piece(vm, span_of(text.text.ptr + piece, text.text.len - piece)))
        return -1;
    return vm_end(out, vm, start);
}

/* ---------------------------------------------------------------- others */

int filter_string(struct value *out, struct vm *vm, const struct arguments *given)
{
    return value_to_text(out, vm, given->self);
}

int filter_format(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value text, values = list_new(vm, V_TUPLE, given->count);
    if (given->count && given->keywords)
        return vm_fail(vm, CODE_TYPE, "'format' takes given by place or by name, not both");
    if (list_push_all(vm, values.list, given->values, given->count))
        return -1;
    if (given->keywords)
        values = (struct value){.kind = V_DICT, .dict = given->keywords};
    return value_to_text(&text, vm, given->self) || format_percent(out, vm, &text, &values) ? -1
                                                                                            : 0;
}

int filter_replace(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value text, old, new;
    int64_t count;
    if (value_to_text(&text, vm, given->self) || value_to_text(&old, vm, &given->values[0]) ||
        value_to_text(&new, vm, &given->values[1]) || argument_count(&count, vm, given, 2, -1))
        return -1;
    return text_replace(out, vm, text.text, &(struct text_change){old.text, new.text, count});
}

int filter_trim(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value text;
    if (value_to_text(&text, vm, given->self) || text_strip(out, vm, text.text, given, TEXT_BOTH))
        return -1;
    out->safe = text.safe;
    return 0;
}

/* ---------------------------------------------------------------- indent */

static int indentation(struct value *out, struct vm *vm, const struct arguments *arguments)
{
    int64_t width;
    size_t start = vm_begin(vm);
    if (argument_given(arguments, 0) && arguments->values[0].kind == V_TEXT) {
        *out = arguments->values[0];
        return 0;
    }
    if (argument_integer(&width, vm, arguments, 0, 4))
        return -1;
    if (width > (int64_t)LIMIT_TEMPLATE_TEXT_BYTES)
        return vm_fail(vm, CODE_LIMIT, "the width of 'indent' is too large");
    for (int64_t i = 0; i < width; i++)
        (void)buf_putc(&vm->scratch, ' ');
    return vm_end(out, vm, start);
}

int filter_indent(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    struct value indent;
    struct span line;
    bool first, blank, all;
    if (self->kind != V_TEXT)
        return vm_fail_kind(vm, "'indent' takes a text", self);
    if (indentation(&indent, vm, given) || argument_truth(&first, vm, given, 1, false) ||
        argument_truth(&all, vm, given, 2, false))
        return -1;
    struct text_lines lines = {.text = self->text};
    size_t start = vm_begin(vm);
    /* read as if a line end followed the text: an empty last line counts */
    for (size_t i = 0; text_next_line_or_rest(&line, &lines); i++) {
        blank = line.len == 0 && !all;
        (void)buf_puts(&vm->scratch, i ? "\n" : "");
        if (i ? !blank : first)
            (void)buf_append(&vm->scratch, indent.text.ptr, indent.text.len);
        (void)buf_append(&vm->scratch, line.ptr, line.len);
        if (vm_charge(vm, 1))
            return -1;
    }
    if (vm_end(out, vm, start))
        return -1;
    out->safe = self->safe;
    return 0;
}
