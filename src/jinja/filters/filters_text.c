/* Filters of texts: capitalize format indent lower replace string title trim upper. */
#include "jinja/filters/filter_bodies.h"

#include "base/limits.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "jinja/functions/text_format.h"
#include "jinja/functions/text_parts.h"
#include "jinja/run/vm.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

/* ---------------------------------------------------------------- upper and lower case */

static int change_case(struct value *out, struct vm *vm, const struct value *self,
                       unicode_mapping *map)
{
    struct value text;
    if (value_to_text(&text, vm, self) || text_case(out, vm, text.text, map))
        return -1;
    out->safe = text.safe;
    return 0;
}

int filter_capitalize(struct value *out, struct vm *vm, const struct value *self,
                      const struct arguments *arguments)
{
    (void)arguments;
    return change_case(out, vm, self, unicode_capitalize);
}

int filter_lower(struct value *out, struct vm *vm, const struct value *self,
                 const struct arguments *arguments)
{
    (void)arguments;
    return change_case(out, vm, self, unicode_lower);
}

int filter_upper(struct value *out, struct vm *vm, const struct value *self,
                 const struct arguments *arguments)
{
    (void)arguments;
    return change_case(out, vm, self, unicode_upper);
}

/* What words begin behind: [-\s({\[<] */
static bool is_word_gap(uint32_t c)
{
    return c == '-' || c == '(' || c == '{' || c == '[' || c == '<' || unicode_is_space(c);
}

/* One piece between gaps: its first character as capital, the rest small. */
static int title_piece(struct vm *vm, struct span piece)
{
    size_t pos = 0;
    if (piece.len == 0)
        return 0;
    (void)utf8_next(piece, &pos);
    if (text_put_case(vm, span_of(piece.ptr, pos), unicode_upper))
        return -1;
    return text_put_case(vm, span_of(piece.ptr + pos, piece.len - pos), unicode_lower);
}

/* Jinja2's own title(): words begin behind blanks, dashes and opening brackets only. */
int filter_title(struct value *out, struct vm *vm, const struct value *self,
                 const struct arguments *arguments)
{
    struct value text;
    size_t piece = 0;
    (void)arguments;
    if (value_to_text(&text, vm, self))
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

int filter_string(struct value *out, struct vm *vm, const struct value *self,
                  const struct arguments *arguments)
{
    (void)arguments;
    return value_to_text(out, vm, self);
}

int filter_format(struct value *out, struct vm *vm, const struct value *self,
                  const struct arguments *arguments)
{
    struct value text, values = list_new(vm, V_TUPLE, arguments->count);
    if (arguments->count && arguments->keywords)
        return vm_fail(vm, CODE_TYPE, "'format' takes arguments by place or by name, not both");
    for (size_t i = 0; i < arguments->count; i++)
        if (list_push(vm, values.list, &arguments->values[i]))
            return -1;
    if (arguments->keywords)
        values = (struct value){.kind = V_DICT, .dict = arguments->keywords};
    return value_to_text(&text, vm, self) || format_percent(out, vm, &text, &values) ? -1 : 0;
}

int filter_replace(struct value *out, struct vm *vm, const struct value *self,
                   const struct arguments *arguments)
{
    struct value text, old, new;
    int64_t count;
    if (value_to_text(&text, vm, self) || value_to_text(&old, vm, &arguments->values[0]) ||
        value_to_text(&new, vm, &arguments->values[1]) ||
        argument_count(&count, vm, arguments, 2, -1))
        return -1;
    return text_replace(out, vm, text.text, &(struct text_change){old.text, new.text, count});
}

int filter_trim(struct value *out, struct vm *vm, const struct value *self,
                const struct arguments *arguments)
{
    struct value text;
    if (value_to_text(&text, vm, self))
        return -1;
    if (text_strip(out, vm, text.text, arguments, TEXT_LEFT | TEXT_RIGHT))
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

int filter_indent(struct value *out, struct vm *vm, const struct value *self,
                  const struct arguments *arguments)
{
    struct value indent;
    struct span line;
    bool first, blank, all;
    if (self->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, self);
    if (self->kind != V_TEXT)
        return vm_fail(vm, CODE_TYPE, "'indent' takes a text, not %s", value_kind_name(self));
    if (indentation(&indent, vm, arguments) || argument_truth(&first, vm, arguments, 1, false) ||
        argument_truth(&all, vm, arguments, 2, false))
        return -1;
    struct text_lines lines = {.text = self->text};
    size_t start = vm_begin(vm);
    /* the text is read as if a line end stood behind it: an empty last line counts */
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
