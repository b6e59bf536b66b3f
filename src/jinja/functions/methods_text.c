/* Methods of texts, as Python's str has them. */
#include "jinja/functions/method_bodies.h"

#include "base/limits.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "jinja/functions/text_parts.h"
#include "jinja/run/vm.h"
#include "jinja/values/iterate.h"
#include "jinja/values/value.h"

#include <string.h>

/* ---------------------------------------------------------------- upper and lower case, ends */

int text_change_case(struct value *out, struct vm *vm, const struct arguments *given)
{
    return text_case(out, vm, given->self->text, (enum letter_case)given->how);
}

int text_strip_method(struct value *out, struct vm *vm, const struct arguments *given)
{
    return text_strip(out, vm, given->self->text, given, (int)given->how);
}

int text_remove(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct span part, text = given->self->text;
    bool left = given->how == TEXT_LEFT;
    if (argument_text(&part, vm, given, 0))
        return -1;
    if ((left ? text_starts : text_ends)(text, part))
        text = span_of(text.ptr + (left ? part.len : 0), text.len - part.len);
    *out = value_text(text);
    return 0;
}

int text_replace_method(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct text_change change;
    if (argument_text(&change.old, vm, given, 0) || argument_text(&change.new, vm, given, 1) ||
        argument_integer(&change.count, vm, given, 2, -1))
        return -1;
    return text_replace(out, vm, given->self->text, &change);
}

/* ---------------------------------------------------------------- finding */

/* The part of a text between two indices (arguments 1 and 2). Empty and not `valid` if the first is
 * behind the second or the end. */
struct window {
    struct span text;
    size_t start; /* index of its first character */
    bool valid;
};

static int64_t adjust(int64_t index, int64_t length)
{
    if (index < 0)
        index += length;
    return index < 0 ? 0 : index;
}

static int open_window(struct window *out, struct vm *vm, struct span text,
                       const struct arguments *arguments)
{
    int64_t start, end, length = (int64_t)utf8_count(text);
    if (argument_count(&start, vm, arguments, 1, 0) ||
        argument_count(&end, vm, arguments, 2, length))
        return -1;
    start = adjust(start, length);
    end = end > length ? length : adjust(end, length);
    *out = (struct window){.text = span_of("", 0), .start = (size_t)start, .valid = start <= end};
    if (!out->valid)
        return 0;
    size_t first = utf8_offset(text, (size_t)start), behind = utf8_offset(text, (size_t)end);
    out->text = span_of(text.ptr + first, behind - first);
    return 0;
}

/* The index of a byte of the window, or -1 for "not found". */
static int64_t index_of(const struct window *window, size_t byte)
{
    if (byte == SIZE_MAX)
        return -1;
    return (int64_t)(window->start + utf8_count(span_of(window->text.ptr, byte)));
}

/* The first match, or with TEXT_RIGHT the last; with TEXT_MUST, none is an error. */
int text_index(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct window window;
    struct span part;
    if (argument_text(&part, vm, given, 0) || open_window(&window, vm, given->self->text, given) ||
        vm_charge(vm, text_search_steps(window.text, part)))
        return -1;
    size_t found = !window.valid             ? SIZE_MAX
                   : given->how & TEXT_RIGHT ? text_find_last(window.text, part)
                                             : text_find(window.text, part, 0);
    if (found == SIZE_MAX && given->how & TEXT_MUST)
        return vm_fail(vm, CODE_TYPE, "'index' does not find the text");
    *out = value_int(index_of(&window, found));
    return 0;
}

int text_count(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct window window;
    struct span part;
    int64_t count = 0;
    if (argument_text(&part, vm, given, 0) || open_window(&window, vm, given->self->text, given))
        return -1;
    if (part.len == 0)
        count = window.valid ? (int64_t)utf8_count(window.text) + 1 : 0;
    for (size_t at = 0; part.len && (at = text_find(window.text, part, at)) != SIZE_MAX; count++)
        at += part.len;
    *out = value_int(count);
    return 0;
}

/* startswith and endswith: with a tuple, any of its texts. */
static int matches(bool *out, struct vm *vm, const struct window *window, const struct value *part,
                   bool (*match)(struct span text, struct span part))
{
    if (part->kind == V_TEXT) {
        *out = window->valid && match(window->text, part->text);
        return 0;
    }
    return vm_fail_kind(vm, "a text is needed here", part);
}

int text_has_end(struct value *out, struct vm *vm, const struct arguments *given)
{
    bool (*match)(struct span, struct span) = given->how == TEXT_LEFT ? text_starts : text_ends;
    const struct value *parts = &given->values[0];
    struct window window;
    bool found = false;
    if (open_window(&window, vm, given->self->text, given))
        return -1;
    if (parts->kind != V_TUPLE && matches(&found, vm, &window, parts, match))
        return -1;
    for (size_t i = 0; parts->kind == V_TUPLE && !found && i < parts->list->count; i++)
        if (vm_charge(vm, 1) || matches(&found, vm, &window, &parts->list->items[i], match))
            return -1;
    *out = value_bool(found);
    return 0;
}

/* ---------------------------------------------------------------- splitting and joining */

static int push_text(struct vm *vm, struct list *list, struct span text)
{
    struct value value = value_text(text);
    return list_push(vm, list, &value) || vm_charge(vm, 1) ? -1 : 0;
}

static struct span between(struct span text, size_t start, size_t end)
{
    return span_of(text.ptr + start, end - start);
}

/* Whether the character at `pos` (with `right`, before it) is white space; sets where it ends. */
static bool space_at(struct span text, size_t pos, bool right, size_t *end)
{
    *end = pos;
    return unicode_is_space(right ? utf8_previous(text, end) : utf8_next(text, end));
}

/* By white space, at most `left` times; the rest keeps the blanks at its other end. */
static int split_blanks(struct vm *vm, struct list *list, struct span text, int64_t left,
                        bool right)
{
    size_t pos = right ? text.len : 0, last = right ? 0 : text.len, next;
    for (; left != 0; left -= left > 0) {
        while (pos != last && space_at(text, pos, right, &next))
            pos = next;
        size_t start = pos;
        while (pos != last && !space_at(text, pos, right, &next))
            pos = next;
        if (start == pos)
            return 0;
        if (push_text(vm, list, right ? between(text, pos, start) : between(text, start, pos)))
            return -1;
    }
    struct span rest = right ? between(text, 0, pos) : between(text, pos, text.len);
    rest = unicode_strip(rest, !right, right);
    return rest.len ? push_text(vm, list, rest) : 0;
}

static int split_by(struct vm *vm, struct list *list, struct span rest, struct span separator,
                    int64_t left, bool right)
{
    size_t found;
    for (; left != 0; left -= left > 0) {
        found = right ? text_find_last(rest, separator) : text_find(rest, separator, 0);
        if (found == SIZE_MAX)
            break;
        struct span before = between(rest, 0, found);
        struct span behind = between(rest, found + separator.len, rest.len);
        if (push_text(vm, list, right ? behind : before))
            return -1;
        rest = right ? before : behind;
    }
    return push_text(vm, list, rest);
}

int text_split(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct span text = given->self->text, separator = span_of("", 0);
    bool right = given->how == TEXT_RIGHT;
    bool blanks = !argument_given(given, 0) || given->values[0].kind == V_NONE;
    int64_t left;
    if ((!blanks && argument_text(&separator, vm, given, 0)) ||
        argument_integer(&left, vm, given, 1, -1) ||
        vm_charge(vm, text_search_steps(text, separator)))
        return -1;
    if (!blanks && separator.len == 0)
        return vm_fail(vm, CODE_TYPE, "the separator is empty");
    *out = list_new(vm, V_LIST, 0);
    int rc = blanks ? split_blanks(vm, out->list, text, left, right)
                    : split_by(vm, out->list, text, separator, left, right);
    if (right)
        list_turn(out->list);
    return rc;
}

int text_splitlines(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct text_lines lines = {.text = given->self->text};
    struct span line, whole;
    bool keep;
    if (argument_truth(&keep, vm, given, 0, false))
        return -1;
    *out = list_new(vm, V_LIST, 0);
    while (text_next_line(&line, &whole, &lines))
        if (push_text(vm, out->list, keep ? whole : line))
            return -1;
    return 0;
}

/* (text before the separator, separator, text after it). */
int text_partition(struct value *out, struct vm *vm, const struct arguments *given)
{
    bool last = given->how == TEXT_RIGHT;
    struct span part, text = given->self->text, empty = span_of("", 0);
    if (argument_text(&part, vm, given, 0) || vm_charge(vm, text_search_steps(text, part)))
        return -1;
    if (part.len == 0)
        return vm_fail(vm, CODE_TYPE, "the separator is empty");
    size_t at = last ? text_find_last(text, part) : text_find(text, part, 0);
    struct span parts[3] = {last ? empty : text, empty, last ? text : empty};
    if (at != SIZE_MAX) {
        parts[0] = between(text, 0, at);
        parts[1] = part;
        parts[2] = between(text, at + part.len, text.len);
    }
    *out = list_new(vm, V_TUPLE, 3);
    for (size_t i = 0; i < 3; i++)
        if (push_text(vm, out->list, parts[i]))
            return -1;
    return 0;
}

int text_join(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct iterator *iterator;
    struct value item;
    int rc;
    if (iterator_open(&iterator, vm, &given->values[0]))
        return -1;
    size_t start = vm_begin(vm);
    for (size_t i = 0; (rc = iterator_next(&item, vm, iterator)) > 0; i++) {
        if (item.kind != V_TEXT)
            return vm_fail_kind(vm, "'join' takes texts", &item);
        if (i)
            (void)buf_append(&vm->scratch, given->self->text.ptr, given->self->text.len);
        (void)buf_append(&vm->scratch, item.text.ptr, item.text.len);
    }
    return rc ? -1 : vm_end(out, vm, start);
}

/* ---------------------------------------------------------------- padding */

struct padding {
    struct span fill;
    size_t left, right;
};

static int put_padded(struct value *out, struct vm *vm, struct span text,
                      const struct padding *padding)
{
    size_t start = vm_begin(vm);
    for (size_t i = 0; i < padding->left; i++)
        (void)buf_append(&vm->scratch, padding->fill.ptr, padding->fill.len);
    (void)buf_append(&vm->scratch, text.ptr, text.len);
    for (size_t i = 0; i < padding->right; i++)
        (void)buf_append(&vm->scratch, padding->fill.ptr, padding->fill.len);
    return vm_end(out, vm, start);
}

/* The number of characters by which the text is shorter than argument 0. */
static int lacking(size_t *out, struct vm *vm, struct span text, const struct arguments *arguments)
{
    int64_t width;
    if (argument_integer(&width, vm, arguments, 0, 0))
        return -1;
    if (width > (int64_t)LIMIT_TEMPLATE_TEXT_BYTES)
        return vm_fail(vm, CODE_LIMIT, "a text is longer than %zu bytes",
                       LIMIT_TEMPLATE_TEXT_BYTES);
    int64_t lacks = width - (int64_t)utf8_count(text);
    *out = lacks > 0 ? (size_t)lacks : 0;
    return 0;
}

/* Pads on the given side; on both sides an odd number is divided as in Python. */
int text_justify(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct span text = given->self->text;
    struct padding padding = {.fill = span_of(" ", 1)};
    size_t lacks;
    if (lacking(&lacks, vm, text, given) ||
        (argument_given(given, 1) && argument_text(&padding.fill, vm, given, 1)))
        return -1;
    if (utf8_count(padding.fill) != 1)
        return vm_fail(vm, CODE_TYPE, "the fill must be one character");
    if (given->how == TEXT_BOTH)
        padding.left = lacks / 2 + (lacks & (lacks + utf8_count(text)) & 1);
    else
        padding.left = given->how == TEXT_LEFT ? lacks : 0;
    padding.right = lacks - padding.left;
    return put_padded(out, vm, text, &padding);
}

/* Inserts zeros after the sign. */
int text_zfill(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct span text = given->self->text;
    size_t lacks;
    if (lacking(&lacks, vm, text, given))
        return -1;
    size_t sign = text.len && (text.ptr[0] == '+' || text.ptr[0] == '-');
    size_t start = vm_begin(vm);
    (void)buf_append(&vm->scratch, text.ptr, sign);
    for (size_t i = 0; i < lacks; i++)
        (void)buf_putc(&vm->scratch, '0');
    (void)buf_append(&vm->scratch, text.ptr + sign, text.len - sign);
    return vm_end(out, vm, start);
}
