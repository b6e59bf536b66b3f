/* The filter tojson: Jinja2's htmlsafe_json_dumps with sorted keys. */
#include "jinja/filters/tojson.h"

#include "base/buf.h"
#include "base/utf8.h"
#include "jinja/run/vm.h"
#include "jinja/values/sort.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

#include <math.h>
#include <string.h>

struct tojson_writer {
    struct buf *out;
    struct vm *vm;
    struct span indent;
    size_t level;
};

static int write_value(struct tojson_writer *writer, const struct value *value);

/* Characters that HTML would take for its own. */
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

/* How many bytes from `start` on stand for themselves, and are copied at once: most of a text. */
static size_t plain_length(struct span text, size_t start)
{
    size_t end = start;
    while (end < text.len && text.ptr[end] >= 0x20 && text.ptr[end] <= 0x7E &&
           !strchr("\"\\<>&'", text.ptr[end]))
        end++;
    return end - start;
}

/*
 * What is escaped takes far longer than what is copied: so it is what was written that counts. Of a
 * text that is too long nothing is written, and so nothing more is looked at.
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
    char text[REAL_TEXT_BYTES];
    real_repr(text, real);
    vm_owe(writer->vm, 32);
    (void)buf_puts(writer->out, isnan(real)      ? "NaN"
                                : isfinite(real) ? text
                                : real < 0       ? "-Infinity"
                                                 : "Infinity");
}

/* ---------------------------------------------------------------- containers */

static void new_line(struct tojson_writer *writer)
{
    if (!writer->indent.ptr)
        return;
    (void)buf_putc(writer->out, '\n');
    for (size_t level = 0; level < writer->level && !writer->out->overflowed; level++)
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

/* Keys that are no texts are written as texts. */
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
    writer->level++;
    if (vm_enter(writer->vm))
        return -1;
    if (map ? write_members(writer, value->dict) : write_items(writer, value->list))
        return -1;
    vm_leave(writer->vm);
    writer->level--;
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
    case V_UNDEFINED:
        return vm_fail_undefined(writer->vm, value);
    default:
        return vm_fail(writer->vm, CODE_TYPE, "%s has no form in JSON", value_kind_name(value));
    }
}

int tojson_write(struct buf *out, struct vm *vm, const struct value *value, struct span indent)
{
    struct tojson_writer writer = {.out = out, .vm = vm, .indent = indent};
    return write_value(&writer, value);
}
