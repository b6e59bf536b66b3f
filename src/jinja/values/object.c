/* Attributes of values that are not plain data: macros, modules, blocks, namespaces, the loop. */
#include "jinja/values/object.h"

#include "jinja/run/context.h"
#include "jinja/run/loop.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/ast.h"
#include "jinja/values/value.h"

/* ---------------------------------------------------------------- macros */

static struct value parameter_names(struct vm *vm, const struct macro_code *code)
{
    struct value names = list_new(vm, V_TUPLE, code->count);
    for (size_t i = 0; i < code->count; i++)
        names.list->items[i] = value_text(code->parameters[i].name);
    names.list->count = code->count;
    return names;
}

static bool has_parameter(const struct macro_code *code, const char *name)
{
    for (size_t i = 0; i < code->count; i++)
        if (span_equal(code->parameters[i].name, span_from(name)))
            return true;
    return false;
}

static int macro_attribute(struct value *out, struct vm *vm, const struct value *object,
                           struct span name)
{
    const struct macro_code *code = object->macro->code;
    if (span_equal(name, span_from("name")))
        *out = code->name.len ? value_text(code->name) : value_none();
    else if (span_equal(name, span_from("arguments")))
        *out = parameter_names(vm, code);
    else if (span_equal(name, span_from("catch_kwargs")))
        *out = value_bool(code->kwargs != NULL);
    else if (span_equal(name, span_from("catch_varargs")))
        *out = value_bool(code->varargs != NULL);
    else if (span_equal(name, span_from("caller")))
        *out = value_bool(code->uses_caller);
    else if (span_equal(name, span_from("explicit_caller")))
        *out = value_bool(has_parameter(code, "caller"));
    else
        return 0;
    return 1;
}

/* ---------------------------------------------------------------- templates and blocks */

static int member_of(struct value *out, struct vm *vm, struct dict *dict, struct span name)
{
    const struct value *found = dict_find_text(vm, dict, name);
    if (found)
        *out = *found;
    return found != NULL;
}

static int module_attribute(struct value *out, struct vm *vm, const struct value *object,
                            struct span name)
{
    return member_of(out, vm, object->module->members, name);
}

static int self_attribute(struct value *out, struct vm *vm, const struct value *object,
                          struct span name)
{
    struct block_definition *definition = context_block(vm, object->context, name);
    if (definition)
        *out = block_refer(vm, object->context, definition);
    return definition != NULL;
}

static int block_attribute(struct value *out, struct vm *vm, const struct value *object,
                           struct span name)
{
    const struct block *block = object->block;
    if (span_equal(name, span_from("super")))
        *out = block_refer(vm, block->context, block->definition->parent);
    else if (span_equal(name, span_from("name")))
        *out = value_text(block->definition->code->name);
    else
        return 0;
    return 1;
}

/* ---------------------------------------------------------------- results of built-ins */

bool namespace_hides(struct span name)
{
    return (name.len >= 2 && name.ptr[0] == '_' && name.ptr[1] == '_') ||
           span_equal(name, span_from("_Namespace__attrs"));
}

static int namespace_attribute(struct value *out, struct vm *vm, const struct value *object,
                               struct span name)
{
    return namespace_hides(name) ? 0 : member_of(out, vm, object->dict, name);
}

static int cycler_attribute(struct value *out, struct vm *vm, const struct value *object,
                            struct span name)
{
    const struct cycler *cycler = object->cycler;
    (void)vm;
    if (span_equal(name, span_from("items")))
        *out = (struct value){.kind = V_TUPLE, .list = cycler->items};
    else if (span_equal(name, span_from("pos")))
        *out = value_int((int64_t)cycler->pos);
    else if (span_equal(name, span_from("current")))
        *out = cycler->items->items[cycler->pos];
    else
        return 0;
    return 1;
}

static int joiner_attribute(struct value *out, struct vm *vm, const struct value *object,
                            struct span name)
{
    (void)vm;
    if (span_equal(name, span_from("sep")))
        *out = object->joiner->separator;
    else if (span_equal(name, span_from("used")))
        *out = value_bool(object->joiner->used);
    else
        return 0;
    return 1;
}

static int attribute_of_loop(struct value *out, struct vm *vm, const struct value *object,
                             struct span name)
{
    return loop_attribute(out, vm, object->loop, name);
}

/* ---------------------------------------------------------------- the table of kinds */

static const char *const macro_names[] = {"arguments",     "caller",          "catch_kwargs",
                                          "catch_varargs", "explicit_caller", "name"};
static const char *const block_names[] = {"name", "super"};
static const char *const cycler_names[] = {"current", "items", "pos"};
static const char *const joiner_names[] = {"sep", "used"};

#define NAMES(array) .names = (array), .count = sizeof(array) / sizeof((array)[0])
#define NO_NAMES NULL, 0

static const struct {
    int (*attribute)(struct value *out, struct vm *vm, const struct value *object,
                     struct span name);
    bool hides; /* names with '_' first are Jinja2's own */
    const char *const *names;
    size_t count;
} kinds[] = {
    [V_LOOP] = {attribute_of_loop, true, NO_NAMES},
    [V_MACRO] = {macro_attribute, true, NAMES(macro_names)},
    [V_MODULE] = {module_attribute, true, NO_NAMES},
    [V_SELF] = {self_attribute, true, NO_NAMES},
    [V_BLOCK] = {block_attribute, true, NAMES(block_names)},
    [V_NAMESPACE] = {namespace_attribute, false, NO_NAMES},
    [V_CYCLER] = {cycler_attribute, false, NAMES(cycler_names)},
    [V_JOINER] = {joiner_attribute, false, NAMES(joiner_names)},
    [V_BUILTIN] = {NULL, false, NO_NAMES},
};

int object_attribute(struct value *out, struct vm *vm, const struct value *object, struct span name)
{
    return kinds[object->kind].attribute ? kinds[object->kind].attribute(out, vm, object, name) : 0;
}

bool object_hides(const struct value *object, struct span name)
{
    return (kinds[object->kind].hides && name.len && name.ptr[0] == '_') ||
           (object->kind == V_NAMESPACE && namespace_hides(name));
}

static size_t add_keys(const char **names, size_t room, struct vm *vm, const struct dict *dict)
{
    size_t count = 0;
    for (size_t i = 0; dict && i < dict->count && count < room; i++) {
        struct span key = dict->entries[i].key.text;
        if (dict->entries[i].key.kind == V_TEXT)
            names[count++] = arena_memdup(vm->arena, key.ptr, key.len);
    }
    return count;
}

size_t object_names(const char **names, size_t room, struct vm *vm, const struct value *object)
{
    if (object->kind == V_LOOP) {
        size_t count = loop_name_count < room ? loop_name_count : room;
        for (size_t i = 0; i < count; i++)
            names[i] = loop_names[i];
        return count;
    }
    if (object->kind == V_MODULE)
        return add_keys(names, room, vm, object->module->members);
    if (object->kind == V_SELF)
        return add_keys(names, room, vm, object->context->blocks);
    if (object->kind == V_NAMESPACE)
        return add_keys(names, room, vm, object->dict);
    size_t count = 0;
    for (; count < kinds[object->kind].count && count < room; count++)
        names[count] = kinds[object->kind].names[count];
    return count;
}
