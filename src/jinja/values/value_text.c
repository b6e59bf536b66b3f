/* Values as text: Python's str() and repr(). */
#include "jinja/values/value_text.h"

#include "base/buf.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "data/data.h"
#include "jinja/run/loop.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/ast.h"
#include "jinja/syntax/program.h"
#include "jinja/values/sort.h"
#include "jinja/values/value.h"

#include <inttypes.h>
#include <string.h>

/* ---------------------------------------------------------------- texts */

static void put_escape(struct buf *out, uint32_t c)
{
    static const char shorts[] = "\tt\nn\rr";
    const char *found = c < 0x80 ? strchr(shorts, (int)c) : NULL;
    if (found && (found - shorts) % 2 == 0)
        (void)buf_printf(out, "\\%c", found[1]);
    else if (c < 0x100)
        (void)buf_printf(out, "\\x%02x", c);
    else
        (void)buf_printf(out, c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
}

static int repr_character(struct buf *out, struct vm *vm, uint32_t c, char quote)
{
    if (c == (uint32_t)quote || c == '\\')
        (void)buf_printf(out, "\\%c", (int)c);
    else if (unicode_is_unassigned(c))
        return vm_fail(vm, CODE_TYPE,
                       "the character U+%04X cannot be quoted: it is not in Unicode 14", c);
    else if (unicode_is_printable(c))
        (void)utf8_put(out, c);
    else
        put_escape(out, c);
    return 0;
}

static int repr_text(struct buf *out, struct vm *vm, const struct value *value)
{
    struct span text = value->text;
    size_t start = out->len;
    if (vm_charge_bytes(vm, text.len))
        return -1;
    bool single = text.len && memchr(text.ptr, '\'', text.len);
    char quote = single && !memchr(text.ptr, '"', text.len) ? '"' : '\'';
    (void)buf_puts(out, value->safe ? "Markup(" : "");
    (void)buf_putc(out, quote);
    for (size_t pos = 0; pos < text.len && !out->overflowed;)
        if (repr_character(out, vm, utf8_next(text, &pos), quote))
            return -1;
    (void)buf_putc(out, quote);
    (void)buf_puts(out, value->safe ? ")" : "");
    return vm_charge(vm, (out->len - start) / 8); /* escaping is slow */
}

/* ---------------------------------------------------------------- containers */

/* The containers being printed, to detect nesting in itself: shown as "...", an error if sorted. */
struct printing {
    const void *container;
    const struct printing *outer;
    bool sorted; /* sort mappings by key */
};

static int repr_value(struct buf *out, struct vm *vm, const struct value *value,
                      const struct printing *outer);

/* Keys of different kinds: by the names of Python's types. */
static int key_rank(const struct value *key)
{
    return key->kind == V_NONE ? 0 : value_is_number(key) ? 1 : key->kind == V_TEXT ? 2 : 3;
}

int value_sorted_members(struct sorted **out, struct vm *vm, struct dict *dict)
{
    dict_open(vm, dict);
    *out = vm_alloc(vm, dict->count * sizeof(**out));
    for (size_t i = 0; i < dict->count; i++) {
        struct value rank = value_int(key_rank(&dict->entries[i].key));
        struct value key = list_new(vm, V_LIST, 2);
        if (vm_charge(vm, 1) || list_push(vm, key.list, &rank) ||
            list_push(vm, key.list, &dict->entries[i].key))
            return -1;
        (*out)[i] = (struct sorted){key, dict_part(vm, dict, VIEW_ITEMS, i)};
    }
    return sort_values(vm, *out, dict->count, 0);
}

bool value_is_sorted(const struct value *value)
{
    return value->kind == V_LIST || (value->kind == V_TUPLE && !value->group) ||
           value->kind == V_DICT;
}

static bool is_printing(const struct printing *outer, const void *container)
{
    while (outer && outer->container != container)
        outer = outer->outer;
    return outer != NULL;
}

static int repr_list(struct buf *out, struct vm *vm, const struct value *value,
                     const struct printing *outer)
{
    struct list *list = value->list;
    const struct printing printing = {list, outer, outer && outer->sorted};
    bool tuple = value->kind == V_TUPLE;
    list_open(vm, list);
    (void)buf_putc(out, tuple ? '(' : '[');
    for (size_t i = 0; i < list->count; i++) {
        (void)buf_puts(out, i ? ", " : "");
        if (vm_charge(vm, 1) || repr_value(out, vm, &list->items[i], &printing))
            return -1;
    }
    (void)buf_puts(out, tuple && list->count == 1 ? "," : "");
    (void)buf_putc(out, tuple ? ')' : ']');
    return 0;
}

static int repr_dict(struct buf *out, struct vm *vm, const struct value *value,
                     const struct printing *outer)
{
    struct dict *dict = value->dict;
    const struct printing printing = {dict, outer, outer && outer->sorted};
    struct sorted *members = NULL;
    dict_open(vm, dict);
    if (printing.sorted && value_sorted_members(&members, vm, dict))
        return -1;
    (void)buf_putc(out, '{');
    for (size_t i = 0; i < dict->count; i++) {
        const struct value *pair = members ? members[i].value.list->items : NULL;
        (void)buf_puts(out, i ? ", " : "");
        if (vm_charge(vm, 1) ||
            repr_value(out, vm, pair ? &pair[0] : &dict->entries[i].key, &printing))
            return -1;
        (void)buf_puts(out, ": ");
        if (repr_value(out, vm, pair ? &pair[1] : &dict->entries[i].value, &printing))
            return -1;
    }
    (void)buf_putc(out, '}');
    return 0;
}

static int repr_view(struct buf *out, struct vm *vm, const struct value *value,
                     const struct printing *outer)
{
    static const char *const names[] = {
        [VIEW_KEYS] = "keys", [VIEW_VALUES] = "values", [VIEW_ITEMS] = "items"};
    dict_open(vm, value->dict);
    (void)buf_printf(out, "dict_%s([", names[value->part]);
    for (size_t i = 0; i < value->dict->count; i++) {
        struct value part = dict_part(vm, value->dict, value->part, i);
        (void)buf_puts(out, i ? ", " : "");
        if (vm_charge(vm, 1) || repr_value(out, vm, &part, outer))
            return -1;
    }
    (void)buf_puts(out, "])");
    return 0;
}

static int repr_container(struct buf *out, struct vm *vm, const struct value *value,
                          const struct printing *outer)
{
    static const char *const again[] = {
        [V_LIST] = "[...]", [V_TUPLE] = "(...)", [V_DICT] = "{...}"};
    if (value->kind != V_VIEW && !(outer && outer->sorted) && is_printing(outer, value->list)) {
        (void)buf_puts(out, again[value->kind]);
        return 0;
    }
    if (vm_enter(vm))
        return -1;
    int rc = value->kind == V_DICT   ? repr_dict(out, vm, value, outer)
             : value->kind == V_VIEW ? repr_view(out, vm, value, outer)
                                     : repr_list(out, vm, value, outer);
    vm_leave(vm);
    return rc;
}

static void repr_range(struct buf *out, const struct int_range *range)
{
    (void)buf_printf(out, "range(%" PRId64 ", %" PRId64, range->start, range->stop);
    if (range->step != 1)
        (void)buf_printf(out, ", %" PRId64, range->step);
    (void)buf_putc(out, ')');
}

static int repr_loop(struct buf *out, struct vm *vm, struct loop *loop)
{
    size_t length;
    if (loop_length(&length, vm, loop))
        return -1;
    (void)buf_printf(out, "<LoopContext %zu/%zu>", loop->index0 + 1, length);
    return 0;
}

/* "<WHAT VALUE>" */
static int repr_tagged(struct buf *out, struct vm *vm, const char *what, const struct value *value,
                       const struct printing *outer)
{
    (void)buf_printf(out, "<%s ", what);
    if (repr_value(out, vm, value, outer))
        return -1;
    (void)buf_putc(out, '>');
    return 0;
}

static int repr_macro(struct buf *out, struct vm *vm, struct span name)
{
    struct value text = value_text(name);
    if (name.len)
        return repr_tagged(out, vm, "Macro", &text, NULL);
    (void)buf_puts(out, "<Macro anonymous>");
    return 0;
}

static int repr_value(struct buf *out, struct vm *vm, const struct value *value,
                      const struct printing *outer)
{
    struct value inner;
    if (outer && outer->sorted && !value_is_sorted(value))
        outer = NULL;
    switch (value->kind) {
    case V_UNDEFINED:
        (void)buf_puts(out, "Undefined");
        return 0;
    case V_NONE:
        (void)buf_puts(out, "None");
        return 0;
    case V_BOOL:
        (void)buf_puts(out, value->boolean ? "True" : "False");
        return 0;
    case V_INT:
        (void)buf_printf(out, "%" PRId64, value->integer);
        return 0;
    case V_FLOAT:
        (void)data_put_real(out, value->real);
        return vm_charge(vm, 32); /* up to three attempts, with numbers of 308 digits */
    case V_TEXT:
        return repr_text(out, vm, value);
    case V_LIST:
    case V_TUPLE:
    case V_DICT:
    case V_VIEW:
        return repr_container(out, vm, value, outer);
    case V_RANGE:
        repr_range(out, value->range);
        return 0;
    case V_LOOP:
        return repr_loop(out, vm, value->loop);
    case V_MACRO:
        return repr_macro(out, vm, value->macro->code->name);
    case V_MODULE:
        inner = value_text(span_from(value->module->program->name));
        return repr_tagged(out, vm, "TemplateModule", &inner, NULL);
    case V_NAMESPACE:
        inner = (struct value){.kind = V_DICT, .dict = value->dict};
        return repr_tagged(out, vm, "Namespace", &inner, outer);
    default:
        return vm_fail(vm, CODE_TYPE, "%s cannot be printed", value_kind_name(value));
    }
}

int value_repr(struct buf *out, struct vm *vm, const struct value *value)
{
    return repr_value(out, vm, value, NULL);
}

int value_repr_sorted(struct buf *out, struct vm *vm, const struct value *value)
{
    return repr_value(out, vm, value, &(struct printing){.sorted = true});
}

int value_print(struct buf *out, struct vm *vm, const struct value *value)
{
    if (value->kind == V_TEXT) {
        (void)buf_append(out, value->text.ptr, value->text.len);
        return 0;
    }
    if (value->kind == V_UNDEFINED)
        return value->undefined->lenient ? 0 : vm_fail_undefined(vm, value);
    if (value->kind == V_MODULE)
        return value_print(out, vm, &value->module->text);
    return repr_value(out, vm, value, NULL);
}

int value_to_text(struct value *out, struct vm *vm, const struct value *value)
{
    if (value->kind == V_TEXT) {
        *out = *value;
        return 0;
    }
    size_t start = vm_begin(vm);
    return value_print(&vm->scratch, vm, value) ? -1 : vm_end(out, vm, start);
}
