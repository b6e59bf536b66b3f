/* Filters for HTML and addresses: escape forceescape safe urlencode. */
#include "jinja/filters/filter_bodies.h"

#include "jinja/run/vm.h"
#include "jinja/values/iterate.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

#include <string.h>

/* ---------------------------------------------------------------- HTML */

static int escape_text(struct value *out, struct vm *vm, struct span text)
{
    static const char from[] = "&<>'\"";
    static const char *const to[] = {"&amp;", "&lt;", "&gt;", "&#39;", "&#34;"};
    size_t start = vm_begin(vm);
    for (size_t i = 0, plain = 0; i <= text.len; i++) {
        const char *found = i < text.len && text.ptr[i] ? strchr(from, text.ptr[i]) : NULL;
        if (i < text.len && !found)
            continue;
        (void)buf_append(&vm->scratch, text.ptr + plain, i - plain);
        (void)buf_puts(&vm->scratch, found ? to[found - from] : "");
        plain = i + 1;
    }
    if (vm_charge_bytes(vm, text.len) || vm_end(out, vm, start))
        return -1;
    out->safe = true;
    return 0;
}

/* If `how` is true, escapes even text that is escaped already. */
int filter_escape(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value text;
    if (value_to_text(&text, vm, given->self))
        return -1;
    *out = text;
    return text.safe && !given->how ? 0 : escape_text(out, vm, text.text);
}

int filter_safe(struct value *out, struct vm *vm, const struct arguments *given)
{
    if (value_to_text(out, vm, given->self))
        return -1;
    out->safe = true;
    return 0;
}

/* ---------------------------------------------------------------- addresses */

static bool is_plain(char c, bool in_query)
{
    return str_digit(c) < 36 || (c && strchr("_.-~", c)) || (c == '/' && !in_query);
}

static int put_part(struct vm *vm, const struct value *value, bool in_query)
{
    struct value text;
    if (value_to_text(&text, vm, value) || vm_charge(vm, text.text.len / 4))
        return -1;
    for (size_t i = 0; i < text.text.len; i++) {
        char c = text.text.ptr[i];
        if (is_plain(c, in_query) || (c == ' ' && in_query))
            (void)buf_putc(&vm->scratch, (char)(c == ' ' ? '+' : c));
        else
            (void)buf_printf(&vm->scratch, "%%%02X", (unsigned)(unsigned char)c);
    }
    return 0;
}

static int put_pair(struct vm *vm, const struct value *pair)
{
    struct value parts;
    if (iterate_list(&parts, vm, V_LIST, pair))
        return -1;
    if (parts.list->count != 2)
        return vm_fail(vm, CODE_TYPE, "'urlencode' takes pairs");
    if (put_part(vm, &parts.list->items[0], true))
        return -1;
    (void)buf_putc(&vm->scratch, '=');
    return put_part(vm, &parts.list->items[1], true);
}

static int put_query(struct vm *vm, const struct value *self)
{
    struct iterator *iterator;
    struct value pair, items = {.kind = V_VIEW, .part = VIEW_ITEMS, .dict = self->dict};
    int rc;
    if (iterator_open(&iterator, vm, self->kind == V_DICT ? &items : self))
        return -1;
    for (size_t i = 0; (rc = iterator_next(&pair, vm, iterator)) > 0; i++) {
        (void)buf_puts(&vm->scratch, i ? "&" : "");
        if (put_pair(vm, &pair))
            return -1;
    }
    return rc;
}

/* A text as a part of a path; a mapping, or pairs, as a query. */
int filter_urlencode(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    size_t start = vm_begin(vm);
    bool query = self->kind == V_UNDEFINED || (self->kind != V_TEXT && value_is_iterable(self));
    if (query ? put_query(vm, self) : put_part(vm, self, false))
        return -1;
    return vm_end(out, vm, start);
}
