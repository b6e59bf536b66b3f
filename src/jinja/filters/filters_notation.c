/* Filters to other notations: pprint tojson, and our own dockerfile_quote shell_quote slug to_yaml.
 */
#include "jinja/filters/filter_bodies.h"

#include "base/limits.h"
#include "base/shell.h"
#include "data/data.h"
#include "data/yaml.h"
#include "jinja/filters/pprint.h"
#include "jinja/filters/tojson.h"
#include "jinja/run/vm.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

#include <string.h>

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
    struct span indent;
    /* a text has nothing to indent: Python does not even look */
    if (given->self->kind == V_TEXT)
        indent = span_of(NULL, 0);
    else if (json_indent(&indent, vm, given))
        return -1;
    size_t start = vm_begin(vm);
    if (tojson_write(&vm->scratch, vm, given->self, indent) || vm_end(out, vm, start))
        return -1;
    out->safe = true;
    return 0;
}

int filter_pprint(struct value *out, struct vm *vm, const struct arguments *given)
{
    size_t start = vm_begin(vm);
    return pprint_write(&vm->scratch, vm, given->self) ? -1 : vm_end(out, vm, start);
}

/* One line, or with an indent the block form: every line so far to the right, no line end. */
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
    /* memory of its own is dear beside a number or a short text */
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

/* Numbers, true and none too: a list or a mapping has no obvious form. */
static int scalar_text(struct value *out, struct vm *vm, const struct value *self,
                       const char *filter)
{
    if (self->kind == V_LIST || self->kind == V_TUPLE || self->kind == V_DICT ||
        self->kind == V_RANGE || self->kind == V_VIEW)
        return vm_fail(vm, CODE_TYPE, "'%s' takes a text, not %s", filter, value_kind_name(self));
    return value_to_text(out, vm, self);
}

static bool is_letter_or_digit(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
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

/* A word for ENV, ARG and LABEL: in double quotes, in which nothing is expanded. */
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
        if (!is_letter_or_digit(c)) {
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
