/* The parameter `attribute` of filters: "a.b.0", for sort also "a,b". */
#include "jinja/filters/attribute_path.h"

#include "base/unicode.h"
#include "base/utf8.h"
#include "jinja/functions/text_parts.h"
#include "jinja/run/vm.h"
#include "jinja/values/member.h"
#include "jinja/values/value.h"

#include <string.h>

static bool is_number(struct span text)
{
    for (size_t pos = 0; pos < text.len;)
        if (unicode_digit(utf8_next(text, &pos)) < 0)
            return false;
    return text.len > 0;
}

static int read_part(struct value *out, struct vm *vm, struct span text)
{
    int64_t index;
    *out = value_text(text);
    if (!is_number(text))
        return 0;
    if (text_to_integer(&index, text, 10) != NUMBER_OK)
        return vm_fail(vm, CODE_TYPE, "the index '%s' does not fit in 64 bits", vm_show(vm, text));
    *out = value_int(index);
    return 0;
}

static size_t count_bytes(struct span text, char byte)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == byte;
    return count;
}

/* Takes the text before the next separator, or the rest. */
static struct span take_until(struct span *text, char separator)
{
    const char *found = text->len ? memchr(text->ptr, separator, text->len) : NULL;
    struct span taken = span_of(text->ptr, found ? (size_t)(found - text->ptr) : text->len);
    size_t used = taken.len + (found != NULL);
    *text = span_of(text->ptr + used, text->len - used);
    return taken;
}

static int read_path(struct attribute_path *out, struct vm *vm, struct span text)
{
    out->count = count_bytes(text, '.') + 1;
    out->parts = vm_alloc(vm, out->count * sizeof(*out->parts));
    for (size_t i = 0; i < out->count; i++)
        if (read_part(&out->parts[i], vm, take_until(&text, '.')))
            return -1;
    return 0;
}

int attribute_path_parse(struct attribute_path *out, struct vm *vm, const struct value *value)
{
    *out = (struct attribute_path){NULL, 0, {.kind = V_MISSING}};
    if (value->kind == V_NONE)
        return 0;
    if (value->kind == V_TEXT)
        return read_path(out, vm, value->text);
    out->parts = vm_alloc(vm, sizeof(*out->parts));
    out->parts[0] = *value;
    out->count = 1;
    return 0;
}

int attribute_path_read(struct attribute_path *out, struct vm *vm,
                        const struct arguments *arguments, size_t i)
{
    const struct value none = value_none();
    return attribute_path_parse(out, vm,
                                argument_given(arguments, i) ? &arguments->values[i] : &none);
}

int attribute_paths_read(struct attribute_paths *out, struct vm *vm,
                         const struct arguments *arguments, size_t i)
{
    bool text = argument_given(arguments, i) && arguments->values[i].kind == V_TEXT;
    struct span rest = text ? arguments->values[i].text : span_of("", 0);
    out->count = text ? count_bytes(rest, ',') + 1 : 1;
    out->paths = vm_alloc(vm, out->count * sizeof(*out->paths));
    if (!text)
        return attribute_path_read(out->paths, vm, arguments, i);
    for (size_t k = 0; k < out->count; k++)
        if (read_path(&out->paths[k], vm, take_until(&rest, ',')))
            return -1;
    return 0;
}

int attribute_path_get(struct value *out, struct vm *vm, const struct attribute_path *path,
                       const struct value *item, bool lower)
{
    struct value value = *item;
    if (vm_charge(vm, path->count))
        return -1;
    for (size_t i = 0; i < path->count; i++) {
        struct value object = value;
        if (member_item(&value, vm, &object, &path->parts[i]))
            return -1;
        if (value.kind == V_UNDEFINED && path->fallback.kind != V_MISSING)
            value = path->fallback;
    }
    *out = value;
    return lower && value.kind == V_TEXT ? text_case(out, vm, value.text, UNICODE_LOWER) : 0;
}

int attribute_paths_key(struct value *out, struct vm *vm, const struct attribute_paths *paths,
                        const struct value *item, bool lower)
{
    if (paths->count == 1)
        return attribute_path_get(out, vm, &paths->paths[0], item, lower);
    struct value key, list = list_new(vm, V_LIST, paths->count);
    for (size_t i = 0; i < paths->count; i++)
        if (attribute_path_get(&key, vm, &paths->paths[i], item, lower) ||
            list_push(vm, list.list, &key))
            return -1;
    *out = list;
    return 0;
}
