/* Filters to other notations: tojson, and our own dockerfile_quote shell_quote slug to_yaml. */
#include "jinja/filters/filter_bodies.h"

#include "base/shell.h"
#include "base/utf8.h"
#include "data/data.h"
#include "data/yaml.h"
#include "jinja/run/vm.h"
#include "jinja/values/sort.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- JSON */

/* As Jinja2's htmlsafe_json_dumps, with sorted keys. */
struct tojson_writer {
    struct buf *out;
    struct vm *vm;
    struct span indent; /* of one level; `ptr` NULL: all on one line */
    size_t depth;
};

static int write_value(struct tojson_writer *writer, const struct value *value);

/* Escapes characters with a meaning in HTML. */
static bool put_html(struct buf *out, char c)
{
    if (c != '<' && c != '>' && c != '&' && c != '\'')
        return false;
    (void)buf_printf(out, "\\u%04x", c);
    return true;
}

static void put_character(struct buf *out, uint32_t c)
{
    static const char from[] = "\"\\\n\r\t\f\b", to[] = "\"\\nrtfb";
    const char *found = c && c < 0x80 ? strchr(from, (int)c) : NULL;
    if (found)
        (void)buf_printf(out, "\\%c", to[found - from]);
    else if (c >= 0x10000)
        (void)buf_printf(out, "\\u%04x\\u%04x", 0xD800 + ((c - 0x10000) >> 10),
                         0xDC00 + ((c - 0x10000) & 0x3FF));
    else if (c < 0x20 || c > 0x7E)
        (void)buf_printf(out, "\\u%04x", c);
    else if (!put_html(out, (char)c))
        (void)buf_putc(out, (char)c);
}

/* The number of bytes from `start` on that need no escape, and are copied at once: usually most. */
static size_t plain_length(struct span text, size_t start)
{
    size_t end = start;
    while (end < text.len && text.ptr[end] >= 0x20 && text.ptr[end] <= 0x7E &&
           !strchr("\"\\<>&'", text.ptr[end]))
        end++;
    return end - start;
}

/*
 * Charges for written bytes, since escaping takes far longer than copying. If the text is too long,
 * nothing more is written or read.
 */
static int write_text(struct tojson_writer *writer, struct span text)
{
    size_t start = writer->out->len;
    if (vm_charge_bytes(writer->vm, text.len))
        return -1;
    (void)buf_putc(writer->out, '"');
    for (size_t pos = 0; pos < text.len && !writer->out->overflowed;) {
        size_t plain = plain_length(text, pos);
        (void)buf_append(writer->out, text.ptr + pos, plain);
        pos += plain;
        if (pos < text.len)
            put_character(writer->out, utf8_next(text, &pos));
    }
    (void)buf_putc(writer->out, '"');
    return vm_charge(writer->vm, (writer->out->len - start) / 8);
}

static void write_real(struct tojson_writer *writer, double real)
{
    vm_owe(writer->vm, 32);
    if (isfinite(real))
        (void)data_put_real(writer->out, real);
    else
        (void)buf_puts(writer->out, isnan(real) ? "NaN" : real < 0 ? "-Infinity" : "Infinity");
}

/* ---------------------------------------------------------------- containers */

static void new_line(struct tojson_writer *writer)
{
    if (!writer->indent.ptr)
        return;
    (void)buf_putc(writer->out, '\n');
    for (size_t depth = 0; depth < writer->depth && !writer->out->overflowed; depth++)
        for (size_t i = 0; i < writer->indent.len; i++)
            if (!put_html(writer->out, writer->indent.ptr[i]))
                (void)buf_putc(writer->out, writer->indent.ptr[i]);
}

static int begin_item(struct tojson_writer *writer, size_t i)
{
    if (i)
        (void)buf_puts(writer->out, writer->indent.ptr ? "," : ", ");
    new_line(writer);
    return vm_charge(writer->vm, 1);
}

static int write_items(struct tojson_writer *writer, struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        if (begin_item(writer, i) || write_value(writer, &list->items[i]))
            return -1;
    return 0;
}

/* Keys that are not texts are written as texts. */
static int write_key(struct tojson_writer *writer, const struct value *key)
{
    if (key->kind == V_TEXT)
        return write_text(writer, key->text);
    if (key->kind == V_TUPLE)
        return vm_fail(writer->vm, CODE_TYPE, "a tuple cannot be a key in JSON");
    (void)buf_putc(writer->out, '"');
    if (write_value(writer, key))
        return -1;
    (void)buf_putc(writer->out, '"');
    return 0;
}

static int write_members(struct tojson_writer *writer, struct dict *dict)
{
    struct sorted *members = vm_alloc(writer->vm, dict->count * sizeof(*members));
    for (size_t i = 0; i < dict->count; i++)
        members[i] = (struct sorted){dict->entries[i].key, dict->entries[i].value};
    if (sort_values(writer->vm, members, dict->count, 0))
        return -1;
    for (size_t i = 0; i < dict->count; i++) {
        if (begin_item(writer, i) || write_key(writer, &members[i].key))
            return -1;
        (void)buf_puts(writer->out, ": ");
        if (write_value(writer, &members[i].value))
            return -1;
    }
    return 0;
}

static int write_container(struct tojson_writer *writer, const struct value *value)
{
    bool map = value->kind == V_DICT;
    if (map)
        dict_open(writer->vm, value->dict);
    else
        list_open(writer->vm, value->list);
    bool empty = map ? value->dict->count == 0 : value->list->count == 0;
    (void)buf_putc(writer->out, map ? '{' : '[');
    writer->depth++;
    if (vm_enter(writer->vm))
        return -1;
    if (map ? write_members(writer, value->dict) : write_items(writer, value->list))
        return -1;
    vm_leave(writer->vm);
    writer->depth--;
    if (!empty)
        new_line(writer);
    (void)buf_putc(writer->out, map ? '}' : ']');
    return 0;
}

static int write_value(struct tojson_writer *writer, const struct value *value)
{
    switch (value->kind) {
    case V_NONE:
        (void)buf_puts(writer->out, "null");
        return 0;
    case V_BOOL:
        (void)buf_puts(writer->out, value->boolean ? "true" : "false");
        return 0;
    case V_INT:
        return value_print(writer->out, writer->vm, value);
    case V_FLOAT:
        write_real(writer, value->real);
        return 0;
    case V_TEXT:
        return write_text(writer, value->text);
    case V_LIST:
    case V_TUPLE:
    case V_DICT:
        return write_container(writer, value);
    default:
        return vm_fail_value(writer->vm, value, "has no form in JSON");
    }
}

static int json_indent(struct span *out, struct vm *vm, const struct arguments *arguments)
{
    int64_t width;
    struct value text;
    *out = span_of(NULL, 0);
    if (!argument_given(arguments, 0) || arguments->values[0].kind == V_NONE)
        return 0;
    if (arguments->values[0].kind == V_TEXT) {
        *out = arguments->values[0].text;
        return 0;
    }
    if (argument_integer(&width, vm, arguments, 0, 0))
        return -1;
    if (width > 1024)
        return vm_fail(vm, CODE_LIMIT, "the indent of 'tojson' is larger than 1024");
    size_t start = vm_begin(vm);
    for (int64_t i = 0; i < width; i++)
        (void)buf_putc(&vm->scratch, ' ');
    if (vm_end(&text, vm, start))
        return -1;
    *out = text.text;
    return 0;
}

int filter_tojson(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct tojson_writer writer = {.out = &vm->scratch, .vm = vm};
    /* a text needs no indent: Python does not even check it */
    if (given->self->kind != V_TEXT && json_indent(&writer.indent, vm, given))
        return -1;
    size_t start = vm_begin(vm);
    if (write_value(&writer, given->self) || vm_end(out, vm, start))
        return -1;
    out->safe = true;
    return 0;
}

/* ---------------------------------------------------------------- YAML */

/* One line; with an indent, block form with each line that far to the right, no last newline. */
int filter_to_yaml(struct value *out, struct vm *vm, const struct arguments *given)
{
    ARENA_SCRATCH(arena);
    struct data *data;
    int64_t indent;
    bool block = argument_given(given, 0) && given->values[0].kind != V_NONE;
    if (argument_count(&indent, vm, given, 0, 0))
        return -1;
    if (indent < 0 || indent > 1024)
        return vm_fail(vm, CODE_LIMIT, "the indent of 'to_yaml' is not 0 to 1024");
    /* an arena costs much, compared with a number or a short text */
    if (vm_charge(vm, 16) || value_to_data(&data, vm, &arena, given->self))
        return -1;
    size_t start = vm_begin(vm);
    int rc = block ? yaml_write(&vm->scratch, data, (size_t)indent)
                   : yaml_write_flow(&vm->scratch, data);
    if (rc && !vm->scratch.overflowed)
        return vm_fail(vm, CODE_TYPE, "the value has no form in YAML");
    if (block)
        buf_truncate(&vm->scratch, vm->scratch.len - 1);
    return vm_end(out, vm, start);
}

/* ---------------------------------------------------------------- words for shells and names */

/* Also for numbers, true and none, but not for lists and mappings, which have no obvious form. */
static int scalar_text(struct value *out, struct vm *vm, const struct value *self,
                       const char *filter)
{
    if (self->kind == V_LIST || self->kind == V_TUPLE || self->kind == V_DICT ||
        self->kind == V_RANGE || self->kind == V_VIEW)
        return vm_fail(vm, CODE_TYPE, "'%s' takes a text, not %s", filter, value_kind_name(self));
    return value_to_text(out, vm, self);
}

int filter_shell_quote(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value text;
    if (scalar_text(&text, vm, given->self, "shell_quote"))
        return -1;
    if (shell_is_plain(text.text)) {
        *out = value_text(text.text);
        return 0;
    }
    size_t start = vm_begin(vm);
    shell_put_quoted(&vm->scratch, text.text);
    return vm_end(out, vm, start);
}

/* A word for ENV, ARG and LABEL: in double quotes, with nothing in it to expand. */
int filter_dockerfile_quote(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value text;
    if (scalar_text(&text, vm, given->self, "dockerfile_quote"))
        return -1;
    if (text.text.len &&
        (memchr(text.text.ptr, '\n', text.text.len) || memchr(text.text.ptr, '\r', text.text.len)))
        return vm_fail(vm, CODE_TYPE, "a word of a Dockerfile holds no line end");
    if (shell_is_plain(text.text)) {
        *out = value_text(text.text);
        return 0;
    }
    size_t start = vm_begin(vm);
    (void)buf_putc(&vm->scratch, '"');
    for (size_t i = 0; i < text.text.len; i++) {
        char c = text.text.ptr[i];
        (void)buf_puts(&vm->scratch, c == '"' || c == '\\' || c == '$' ? "\\" : "");
        (void)buf_putc(&vm->scratch, c);
    }
    (void)buf_putc(&vm->scratch, '"');
    return vm_end(out, vm, start);
}

int filter_slug(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value text;
    if (scalar_text(&text, vm, given->self, "slug"))
        return -1;
    size_t start = vm_begin(vm);
    bool gap = false;
    for (size_t i = 0; i < text.text.len; i++) {
        char c = text.text.ptr[i];
        if (str_digit(c) >= 36) {
            gap = vm->scratch.len > start;
            continue;
        }
        if (gap)
            (void)buf_putc(&vm->scratch, '-');
        (void)buf_putc(&vm->scratch, (char)(c >= 'A' && c <= 'Z' ? c + 32 : c));
        gap = false;
    }
    return vm_end(out, vm, start);
}
