/* Evaluating expressions: one function for each kind of node. */
#include "jinja/run/eval.h"

#include "data/data.h"
#include "jinja/functions/builtins.h"
#include "jinja/functions/function.h"
#include "jinja/functions/method_bodies.h"
#include "jinja/run/context.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/program.h"
#include "jinja/syntax/scope.h"
#include "jinja/values/arith.h"
#include "jinja/values/compare.h"
#include "jinja/values/iterate.h"
#include "jinja/values/member.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- names */

static int eval_name(struct value *out, struct vm *vm, const struct node *node)
{
    const struct frame *frame = vm->frame;
    for (size_t hops = node->name.hops; hops; hops--)
        frame = frame->up;
    struct value *slot = &frame->slots[node->name.symbol->slot];
    vm->at = node->offset;
    if (slot->kind == V_UNRESOLVED && context_find(slot, vm, node->name.name))
        return -1;
    if (slot->kind != V_MISSING) {
        *out = *slot;
        return 0;
    }
    if (function_is_refused(&builtins, node->name.name))
        return vm_fail(vm, CODE_SYNTAX, "'%s' is not in the template language",
                       vm_show(vm, node->name.name));
    *out = vm_undefined_name(vm, node->name.name);
    return 0;
}

static const char *name_nearest(struct vm *vm, struct span name)
{
    const struct scope *root = vm->frame->program->root;
    size_t count = 0, known = vm->context ? vm->context->map.count : 0;
    const char **names =
        arena_array(vm->arena, known + root->names.count + builtins.count, sizeof(*names));
    for (size_t i = 0; i < known; i++)
        names[count++] = vm->context->map.members[i].name.ptr;
    for (const struct symbol *symbol = root->symbols; symbol; symbol = symbol->next)
        if (symbol->stored)
            names[count++] = arena_memdup(vm->arena, symbol->name.ptr, symbol->name.len);
    for (size_t i = 0; i < builtins.count; i++)
        names[count++] = builtins.functions[i].name;
    return str_nearest(arena_memdup(vm->arena, name.ptr, name.len), names, count);
}

const char *eval_nearest(struct vm *vm, const struct undefined *undefined)
{
    if (undefined->why == UNDEFINED_MEMBER)
        return member_nearest(vm, &undefined->object, undefined->name);
    return undefined->why == UNDEFINED_NAME ? name_nearest(vm, undefined->name) : NULL;
}

/* ---------------------------------------------------------------- literals */

static int eval_constant(struct value *out, struct vm *vm, const struct node *node)
{
    (void)vm;
    *out = node->value;
    return 0;
}

static int eval_list(struct value *out, struct vm *vm, const struct node *node)
{
    const struct node_list *items = &node->items;
    struct value list = list_new(vm, node->kind == N_TUPLE ? V_TUPLE : V_LIST, items->count);
    for (size_t i = 0; i < items->count; i++) {
        struct value item;
        if (eval(&item, vm, items->items[i]) || list_push(vm, list.list, &item))
            return -1;
    }
    *out = list;
    return 0;
}

static int eval_dict(struct value *out, struct vm *vm, const struct node *node)
{
    const struct node_list *items = &node->items;
    struct value dict = dict_new(vm);
    for (size_t i = 0; i + 1 < items->count; i += 2) {
        struct value key, value;
        if (eval(&key, vm, items->items[i]) || eval(&value, vm, items->items[i + 1]))
            return -1;
        vm->at = items->items[i]->offset;
        if (dict_put(vm, dict.dict, &key, &value))
            return -1;
    }
    *out = dict;
    return 0;
}

/* Evaluates all values before it converts any to text: one may change another. */
static int eval_concat(struct value *out, struct vm *vm, const struct node *node)
{
    struct value list;
    if (eval_list(&list, vm, node))
        return -1;
    size_t start = vm_begin(vm);
    for (size_t i = 0; i < node->items.count; i++) {
        vm->at = node->items.items[i]->offset;
        if (value_print(&vm->scratch, vm, &list.list->items[i]))
            return -1;
    }
    return vm_end(out, vm, start);
}

/* ---------------------------------------------------------------- attributes and items */

static int eval_attribute_node(struct value *out, struct vm *vm, const struct node *node)
{
    struct value object;
    if (eval(&object, vm, node->member.object))
        return -1;
    vm->at = node->offset;
    return member_attribute(out, vm, &object, node->member.name);
}

static int eval_slice(struct value *out, struct vm *vm, const struct node *node)
{
    const struct node *slice = node->member.index;
    const struct node *const parts[] = {slice->slice.start, slice->slice.stop, slice->slice.step};
    struct value object, bounds[3] = {{.kind = V_MISSING}};
    if (eval(&object, vm, node->member.object))
        return -1;
    for (size_t i = 0; i < 3; i++)
        if (parts[i] && eval(&bounds[i], vm, parts[i]))
            return -1;
    vm->at = slice->offset;
    return member_slice(out, vm, &object, bounds);
}

static int eval_item_node(struct value *out, struct vm *vm, const struct node *node)
{
    struct value object, index;
    if (node->member.index->kind == N_SLICE)
        return eval_slice(out, vm, node);
    if (eval(&object, vm, node->member.object) || eval(&index, vm, node->member.index))
        return -1;
    vm->at = node->offset;
    return member_item(out, vm, &object, &index);
}

/* ---------------------------------------------------------------- arguments of calls */

/* Adds the items of the list after `*`. */
static int eval_star(struct arguments *out, struct vm *vm, const struct node *star)
{
    struct value list, all;
    if (eval(&list, vm, star))
        return -1;
    vm->at = star->offset;
    if (iterate_list(&list, vm, V_LIST, &list))
        return -1;
    all = list_new(vm, V_LIST, out->count + list.list->count);
    for (size_t i = 0; i < out->count; i++)
        all.list->items[i] = out->values[i];
    for (size_t i = 0; i < list.list->count; i++)
        all.list->items[out->count + i] = list.list->items[i];
    out->values = all.list->items;
    out->count += list.list->count;
    return 0;
}

/* Evaluates positional arguments, in `room` if it suffices. */
static int eval_positional(struct arguments *out, struct vm *vm, const struct call_args *args,
                           struct value room[FUNCTION_PARAMETERS])
{
    const struct node_list *list = &args->positional;
    struct value *values = room;
    if (list->count > FUNCTION_PARAMETERS)
        values = vm_alloc(vm, list->count * sizeof(*values));
    for (size_t i = 0; i < list->count; i++)
        if (eval(&values[i], vm, list->items[i]))
            return -1;
    out->values = values;
    out->count = list->count;
    return args->star ? eval_star(out, vm, args->star) : 0;
}

/* Evaluates the mapping after `**`, whose keys must be names. */
static int eval_star_star(struct dict **out, struct vm *vm, const struct call_args *args)
{
    struct value value;
    *out = NULL;
    if (!args->star_star)
        return 0;
    if (eval(&value, vm, args->star_star))
        return -1;
    vm->at = args->star_star->offset;
    if (value.kind != V_DICT)
        return vm_fail_kind(vm, "'**' takes a mapping", &value);
    dict_open(vm, value.dict);
    for (size_t i = 0; i < value.dict->count; i++)
        if (vm_charge(vm, 1) || value.dict->entries[i].key.kind != V_TEXT)
            return vm_fail(vm, CODE_TYPE, "the keys behind '**' must be texts");
    *out = value.dict;
    return 0;
}

static int add_named(struct arguments *out, struct vm *vm, struct span name,
                     const struct value *value)
{
    struct value key = value_text(name), *there = NULL;
    if (!out->keywords)
        out->keywords = dict_new(vm).dict;
    if (dict_find(&there, vm, out->keywords, &key))
        return -1;
    if (there)
        return vm_fail(vm, CODE_TYPE, "'%s' is given twice", vm_show(vm, name));
    return dict_put(vm, out->keywords, &key, value);
}

/* Evaluates keyword arguments; `caller` is added by a `call` block. */
static int eval_named(struct arguments *out, struct vm *vm, const struct call_args *args,
                      const struct value *caller)
{
    struct dict *more;
    for (const struct keyword *keyword = args->keywords; keyword; keyword = keyword->next) {
        struct value value;
        if (eval(&value, vm, keyword->value) || add_named(out, vm, keyword->name, &value))
            return -1;
    }
    if (caller && add_named(out, vm, span_from("caller"), caller))
        return -1;
    if (eval_star_star(&more, vm, args))
        return -1;
    for (size_t i = 0; more && i < more->count; i++)
        if (add_named(out, vm, more->entries[i].key.text, &more->entries[i].value))
            return -1;
    return 0;
}

static int eval_arguments(struct arguments *out, struct vm *vm, const struct call_args *args,
                          const struct value *caller, struct value room[FUNCTION_PARAMETERS])
{
    uint32_t at = vm->at;
    *out = (struct arguments){.count = 0};
    if (eval_positional(out, vm, args, room) || eval_named(out, vm, args, caller))
        return -1;
    vm->at = at;
    return 0;
}

/* ---------------------------------------------------------------- calls, filters, tests */

/* Evaluates the arguments, then calls a function of the tables. */
static int call_function(struct value *out, struct vm *vm, const struct function *function,
                         const struct value *self, const struct call_args *args,
                         const struct value *caller)
{
    struct value room[FUNCTION_PARAMETERS];
    struct arguments arguments;
    if (eval_arguments(&arguments, vm, args, caller, room))
        return -1;
    arguments.self = self;
    return function_call(out, vm, function, &arguments);
}

/* Calls a macro or a block. */
static int invoke(struct value *out, struct vm *vm, const struct value *callee,
                  const struct call_args *args, const struct value *caller)
{
    struct value room[FUNCTION_PARAMETERS];
    struct arguments arguments;
    if (eval_arguments(&arguments, vm, args, caller, room))
        return -1;
    struct frame *frame = vm->frame;
    frame->weight += frame->program->deepest; /* this expression continues after the call */
    int rc = vm->invoke(out, vm, callee, &arguments);
    frame->weight -= frame->program->deepest;
    return rc;
}

static int call_value(struct value *out, struct vm *vm, const struct value *callee,
                      const struct call_args *args, const struct value *caller)
{
    switch (callee->kind) {
    case V_METHOD:
        return call_function(out, vm, callee->bound->method, &callee->bound->self, args, caller);
    case V_BUILTIN:
        return call_function(out, vm, callee->function, callee, args, caller);
    case V_JOINER:
        return call_function(out, vm, &joiner_function, callee, args, caller);
    case V_MACRO:
    case V_BLOCK:
        return invoke(out, vm, callee, args, caller);
    case V_LOOP:
        return vm_fail(vm, CODE_SYNTAX, "'recursive' loops are not in the template language");
    default:
        return vm_fail_value(vm, callee, "cannot be called");
    }
}

int eval_call_with(struct value *out, struct vm *vm, const struct node *node,
                   const struct value *caller)
{
    const struct node *callee = node->call.callee;
    struct value object;
    if (callee->kind != N_ATTRIBUTE) {
        if (eval(&object, vm, callee))
            return -1;
        vm->at = callee->offset;
        return call_value(out, vm, &object, &node->call.args, caller);
    }
    if (eval(&object, vm, callee->member.object))
        return -1;
    vm->at = callee->offset;
    const struct function *method = method_find(&object, callee->member.name);
    if (method)
        return call_function(out, vm, method, &object, &node->call.args, caller);
    struct value found;
    if (member_attribute(&found, vm, &object, callee->member.name))
        return -1;
    return call_value(out, vm, &found, &node->call.args, caller);
}

static int eval_call(struct value *out, struct vm *vm, const struct node *node)
{
    return eval_call_with(out, vm, node, NULL);
}

static int eval_filter(struct value *out, struct vm *vm, const struct node *node)
{
    struct value object = vm->captured;
    if (node->filter.object && eval(&object, vm, node->filter.object))
        return -1;
    vm->at = node->offset;
    return call_function(out, vm, node->filter.function, &object, &node->filter.args, NULL);
}

static int eval_test(struct value *out, struct vm *vm, const struct node *node)
{
    struct value object;
    if (eval(&object, vm, node->filter.object))
        return -1;
    vm->at = node->offset;
    return call_function(out, vm, node->filter.function, &object, &node->filter.args, NULL);
}

/* ---------------------------------------------------------------- operators */

static int eval_truth(bool *out, struct vm *vm, const struct node *node)
{
    struct value value;
    if (eval(&value, vm, node))
        return -1;
    vm->at = node->offset;
    return value_truth(out, vm, &value);
}

static int eval_not(struct value *out, struct vm *vm, const struct node *node)
{
    bool truth;
    if (eval_truth(&truth, vm, node->binary.right))
        return -1;
    *out = value_bool(!truth);
    return 0;
}

static int eval_sign(struct value *out, struct vm *vm, const struct node *node)
{
    struct value value;
    if (eval(&value, vm, node->binary.right))
        return -1;
    vm->at = node->offset;
    return (node->kind == N_NEGATE ? value_negate : value_plus)(out, vm, &value);
}

/* Jinja2 folds a constant base and writes -2 ** x, which Python reads as -(2 ** x). Its output is
 * wrong, so this is refused. */
static bool is_misread_power(const struct node *node, const struct value *left)
{
    return node->binary.op == OP_POW && node->binary.left->constant &&
           !node->binary.right->constant && value_is_number(left) && signbit(value_real(left));
}

static int eval_binary(struct value *out, struct vm *vm, const struct node *node)
{
    struct value left, right;
    if (eval(&left, vm, node->binary.left) || eval(&right, vm, node->binary.right))
        return -1;
    vm->at = node->offset;
    if (is_misread_power(node, &left))
        return vm_fail(vm, CODE_SYNTAX, "a negative constant before '**' must be in a variable");
    return value_binary(out, vm, node->binary.op, &left, &right);
}

static int eval_logic(struct value *out, struct vm *vm, const struct node *node)
{
    bool truth;
    if (eval(out, vm, node->binary.left))
        return -1;
    vm->at = node->binary.left->offset;
    if (value_truth(&truth, vm, out))
        return -1;
    return truth == (node->kind == N_AND) ? eval(out, vm, node->binary.right) : 0;
}

static int eval_compare(struct value *out, struct vm *vm, const struct node *node)
{
    const struct node_list *operands = &node->compare.operands;
    struct value left, right;
    bool holds = true;
    if (eval(&left, vm, operands->items[0]))
        return -1;
    for (size_t i = 1; holds && i < operands->count; i++) {
        if (eval(&right, vm, operands->items[i]))
            return -1;
        vm->at = operands->items[i - 1]->offset;
        if (value_compare(&holds, vm, node->compare.ops[i - 1], &left, &right))
            return -1;
        left = right;
    }
    *out = value_bool(holds);
    return 0;
}

static int eval_condition(struct value *out, struct vm *vm, const struct node *node)
{
    bool truth;
    if (eval_truth(&truth, vm, node->condition.test))
        return -1;
    if (truth)
        return eval(out, vm, node->condition.yes);
    if (node->condition.no)
        return eval(out, vm, node->condition.no);
    vm->at = node->offset;
    *out = vm_undefined_reason(vm, "the inline 'if' is false and has no 'else'");
    out->undefined->lenient = true;
    return 0;
}

int eval(struct value *out, struct vm *vm, const struct node *node)
{
    static int (*const functions[N_KIND_COUNT])(struct value * out, struct vm * vm,
                                                const struct node *node) = {
        [N_CONSTANT] = eval_constant,
        [N_NAME] = eval_name,
        [N_LIST] = eval_list,
        [N_TUPLE] = eval_list,
        [N_DICT] = eval_dict,
        [N_ATTRIBUTE] = eval_attribute_node,
        [N_ITEM] = eval_item_node,
        [N_CALL] = eval_call,
        [N_FILTER] = eval_filter,
        [N_TEST] = eval_test,
        [N_NOT] = eval_not,
        [N_NEGATE] = eval_sign,
        [N_PLUS] = eval_sign,
        [N_BINARY] = eval_binary,
        [N_CONCAT] = eval_concat,
        [N_AND] = eval_logic,
        [N_OR] = eval_logic,
        [N_COMPARE] = eval_compare,
        [N_CONDITION] = eval_condition,
    };
    if (vm_charge(vm, 1))
        return -1;
    return functions[node->kind](out, vm, node);
}
