/* Our own filter to_toml: a value as written after the = of a TOML line. */
#include "jinja/filters/filter_bodies.h"

#include "base/unicode.h"
#include "base/utf8.h"
#include "jinja/run/vm.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

#include <string.h>

static int put_value(struct vm *vm, const struct value *value);

static void put_character(struct buf *out, uint32_t c)
{
    static const char from[] = "\"\\\n\r\t\f\b", to[] = "\"\\nrtfb";
    const char *found = c && c < 0x80 ? strchr(from, (int)c) : NULL;
    if (found)
        (void)buf_printf(out, "\\%c", to[found - from]);
    else if (unicode_is_control(c) || unicode_is_hidden(c))
        (void)buf_printf(out, c < 0x10000 ? "\\u%04X" : "\\U%08X", c);
    else
        (void)utf8_put(out, c);
}

static int put_text(struct vm *vm, struct span text)
{
    size_t start = vm->scratch.len;
    (void)buf_putc(&vm->scratch, '"');
    for (size_t pos = 0; pos < text.len && !vm->scratch.overflowed;)
        put_character(&vm->scratch, utf8_next(text, &pos));
    (void)buf_putc(&vm->scratch, '"');
    return vm_charge(vm, (vm->scratch.len - start) / 8);
}

static int put_key(struct vm *vm, const struct value *key)
{
    static const char bare[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t plain = 0;
    if (key->kind != V_TEXT)
        return vm_fail(vm, CODE_TYPE, "the key of a mapping is %s, not a text",
                       value_kind_name(key));
    while (plain < key->text.len && memchr(bare, key->text.ptr[plain], sizeof(bare) - 1))
        plain++;
    if (!plain || plain < key->text.len)
        return put_text(vm, key->text);
    (void)buf_append(&vm->scratch, key->text.ptr, key->text.len);
    return 0;
}

static int put_array(struct vm *vm, struct list *list)
{
    list_open(vm, list);
    (void)buf_putc(&vm->scratch, '[');
    for (size_t i = 0; i < list->count; i++) {
        (void)buf_puts(&vm->scratch, i ? ", " : "");
        if (put_value(vm, &list->items[i]))
            return -1;
    }
    (void)buf_putc(&vm->scratch, ']');
    return 0;
}

static int put_table(struct vm *vm, struct dict *dict)
{
    dict_open(vm, dict);
    (void)buf_puts(&vm->scratch, dict->count ? "{ " : "{");
    for (size_t i = 0; i < dict->count; i++) {
        (void)buf_puts(&vm->scratch, i ? ", " : "");
        if (put_key(vm, &dict->entries[i].key))
            return -1;
        (void)buf_puts(&vm->scratch, " = ");
        if (put_value(vm, &dict->entries[i].value))
            return -1;
    }
    (void)buf_puts(&vm->scratch, dict->count ? " }" : "}");
    return 0;
}

static int put_container(struct vm *vm, const struct value *value)
{
    if (vm_enter(vm))
        return -1;
    if (value->kind == V_DICT ? put_table(vm, value->dict) : put_array(vm, value->list))
        return -1;
    vm_leave(vm);
    return 0;
}

static int put_value(struct vm *vm, const struct value *value)
{
    if (vm_charge(vm, 1))
        return -1;
    switch (value->kind) {
    case V_BOOL:
        (void)buf_puts(&vm->scratch, value->boolean ? "true" : "false");
        return 0;
    case V_INT:
    case V_FLOAT:
        return value_print(&vm->scratch, vm, value);
    case V_TEXT:
        return put_text(vm, value->text);
    case V_LIST:
    case V_TUPLE:
    case V_DICT:
        return put_container(vm, value);
    default:
        return vm_fail_value(vm, value, "has no form in TOML");
    }
}

int filter_to_toml(struct value *out, struct vm *vm, const struct arguments *given)
{
    size_t start = vm_begin(vm);
    return put_value(vm, given->self) ? -1 : vm_end(out, vm, start);
}
