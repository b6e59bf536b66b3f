/* Filters that ask a filter or a test of each item: map reject rejectattr select selectattr. */
#include "jinja/filters/filter_bodies.h"

#include "jinja/filters/attribute_path.h"
#include "jinja/run/vm.h"
#include "jinja/values/iterate.h"
#include "jinja/values/value.h"

/* The differences between these filters. */
struct selection {
    const char *filter;
    bool attribute; /* the first argument is an attribute */
    bool keep;      /* keeps items that pass; else those that fail */
};

static const struct selection selections[] = {
    [FILTER_MAP] = {"map", false, false},
    [FILTER_SELECT] = {"select", false, true},
    [FILTER_REJECT] = {"reject", false, false},
    [FILTER_SELECTATTR] = {"selectattr", true, true},
    [FILTER_REJECTATTR] = {"rejectattr", true, false},
};

/*
 * The iterator of all of them. Evaluation is as late as in Jinja2: the value when iteration begins,
 * the name of the filter or test with each item.
 */
struct selecting {
    const struct selection *how;
    struct arguments given; /* from the template; later those left for the filter or test */
    struct attribute_path path;
    const struct value *name;
    struct iterator *all; /* NULL until iteration begins */
};

static int find_function(const struct function **out, struct vm *vm,
                         const struct selecting *selecting)
{
    bool filter = selecting->how == &selections[FILTER_MAP];
    const struct function_table *table = filter ? vm->filters : vm->tests;
    const struct value *name = selecting->name;
    const char *what = filter ? "filter" : "test";
    if (name->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, name);
    if (name->kind != V_TEXT)
        return vm_fail(vm, CODE_TYPE, "the name of a %s is a text, not %s", what,
                       value_kind_name(name));
    *out = function_find(table, name->text);
    if (*out)
        return 0;
    const char *shown = vm_show(vm, name->text), *nearest = function_nearest(table, name->text);
    if (function_is_refused(table, name->text))
        return vm_fail(vm, CODE_SYNTAX, "the %s '%s' is not in the template language", what, shown);
    (void)vm_fail(vm, CODE_SYNTAX, "there is no %s '%s'", what, shown);
    return nearest ? err_hint(vm->err, "did you mean '%s'?", nearest) : -1;
}

static int ask(struct value *out, struct vm *vm, const struct selecting *selecting,
               const struct value *item)
{
    const struct function *function;
    struct value subject;
    if (attribute_path_get(&subject, vm, &selecting->path, item, false))
        return -1;
    *out = subject;
    if (!selecting->name)
        return 0;
    struct arguments given = selecting->given;
    given.self = &subject;
    return find_function(&function, vm, selecting) || function_call(out, vm, function, &given);
}

/* ---------------------------------------------------------------- the arguments */

/* "attribute" and "default" of map. */
static int prepare_map_attribute(struct vm *vm, struct selecting *selecting)
{
    struct dict *keywords = selecting->given.keywords;
    const struct value *fallback = dict_find_text(vm, keywords, span_from("default"));
    const struct value *attribute = dict_find_text(vm, keywords, span_from("attribute"));
    if (keywords->count > 1 + (size_t)(fallback != NULL))
        return vm_fail(vm, CODE_TYPE, "'map' takes 'attribute' and 'default', or a filter");
    if (attribute_path_parse(&selecting->path, vm, attribute))
        return -1;
    if (fallback && fallback->kind != V_NONE)
        selecting->path.fallback = *fallback;
    return 0;
}

static const struct value *take_argument(struct arguments *given)
{
    if (given->count == 0)
        return NULL;
    given->count--;
    return given->values++;
}

static int prepare(struct vm *vm, struct selecting *selecting)
{
    const struct selection *how = selecting->how;
    struct arguments *given = &selecting->given;
    bool by_attribute = how == &selections[FILTER_MAP] && given->count == 0 && given->keywords &&
                        dict_find_text(vm, given->keywords, span_from("attribute"));
    if (by_attribute)
        return prepare_map_attribute(vm, selecting);
    if (how->attribute) {
        const struct value *attribute = take_argument(given);
        if (!attribute)
            return vm_fail(vm, CODE_TYPE, "'%s' lacks the name of an attribute", how->filter);
        if (attribute_path_parse(&selecting->path, vm, attribute))
            return -1;
    }
    selecting->name = take_argument(given);
    if (how == &selections[FILTER_MAP] && !selecting->name)
        return vm_fail(vm, CODE_TYPE, "'map' lacks the name of a filter");
    return 0;
}

/* ---------------------------------------------------------------- iterating */

/* Returns 1 if there is something to iterate. A false value has no items, as in Jinja2. */
static int begin(struct vm *vm, struct selecting *selecting, const struct value *source)
{
    bool truth;
    if (value_truth(&truth, vm, source))
        return -1;
    if (!truth)
        return 0;
    return prepare(vm, selecting) || iterator_open(&selecting->all, vm, source) ? -1 : 1;
}

static int next_of_selecting(struct value *out, struct vm *vm, struct iterator *iterator)
{
    struct selecting *selecting = iterator->more;
    struct value item, answer;
    bool holds;
    int rc = selecting->all ? 1 : begin(vm, selecting, &iterator->source);
    if (rc <= 0)
        return rc;
    while ((rc = iterator_next(&item, vm, selecting->all)) > 0) {
        if (ask(&answer, vm, selecting, &item))
            return -1;
        *out = selecting->how == &selections[FILTER_MAP] ? answer : item;
        if (selecting->how == &selections[FILTER_MAP])
            return 1;
        if (value_truth(&holds, vm, &answer))
            return -1;
        if (holds == selecting->how->keep)
            return 1;
    }
    return rc;
}

/* Copies the arguments, which are needed after the call. */
int filter_select(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct selecting *selecting = vm_alloc(vm, sizeof(*selecting));
    struct value *values = vm_alloc(vm, given->count * sizeof(*values));
    for (size_t i = 0; i < given->count; i++)
        values[i] = given->values[i];
    *selecting = (struct selecting){.how = &selections[given->how], .given = *given};
    selecting->given.values = values;
    *out = iterator_of(vm, next_of_selecting, given->self, selecting);
    return 0;
}
