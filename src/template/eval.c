/* Evaluating expressions: one function for each kind of node. */
#include "template/eval.h"

#include "base/data.h"
#include "base/limits.h"
#include "template/arith.h"
#include "template/compare.h"
#include "template/function.h"
#include "template/member.h"
#include "template/methods.h"
#include "template/print.h"
#include "template/program.h"
#include "template/scope.h"
#include "template/value.h"
#include "template/vm.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- names */

/* Variables that Jinja2 has by itself, and this language has not. */
static const char *const refused_names[] = {"cycler", "dict", "joiner", "lipsum", "namespace"};

/* Lists and mappings of the context are made once: all templates of a render share them. */
static int share(struct value *out, struct vm *vm, struct span name, const struct data *data)
{
    struct value key = value_text(name), *found;
    *out = (struct value){.kind = V_MISSING};
    if (data->kind != DATA_LIST && data->kind != DATA_MAP) {
        *out = value_from_data(vm, data);
        return 0;
    }
    if (!vm->shared)
        vm->shared = dict_new(vm).dict;
    if (dict_find(&found, vm, vm->shared, &key))
        return -1;
    *out = found ? *found : value_from_data(vm, data);
    return found ? 0 : dict_put(vm, vm->shared, &key, out);
}

static int find_builtin(struct value *out, struct vm *vm, struct span name)
{
    *out = (struct value){.kind = V_MISSING};
    if (span_equal(name, span_from("range")))
        out->kind = V_RANGE_TYPE;
    for (size_t i = 0; i < sizeof(refused_names) / sizeof(refused_names[0]); i++)
        if (span_equal(name, span_from(refused_names[i])))
            return vm_fail(vm, CODE_SYNTAX, "'%s' is not in the template language",
                           refused_names[i]);
    return 0;
}

/* What the templates that include this one have set, then the context, then what is built in. */
static int resolve(struct value *out, struct vm *vm, struct span name)
{
    const struct frame *frame = vm->frame;
    size_t looked = 0;
    for (; frame->parent; frame = frame->parent) {
        const struct symbol *symbol = NULL;
        for (const struct scope *scope = frame->scope; scope && !symbol; scope = scope->parent) {
            symbol = scope_own(scope, name);
            looked++;
        }
        const struct value *value = symbol ? &frame->parent->slots[symbol->slot] : NULL;
        if (value && value->kind != V_MISSING && value->kind != V_UNRESOLVED) {
            *out = *value;
            vm_owe(vm, looked);
            return 0;
        }
    }
    vm_owe(vm, looked);
    const struct data *data = frame->bare ? NULL : data_get_span(vm->context, name);
    return data ? share(out, vm, name, data) : find_builtin(out, vm, name);
}

static int eval_name(struct value *out, struct vm *vm, const struct node *node)
{
    struct value *slot = &vm->frame->slots[node->name.symbol->slot];
    vm->at = node->offset;
    if (slot->kind == V_UNRESOLVED && resolve(slot, vm, node->name.name))
        return -1;
    *out = slot->kind == V_MISSING ? vm_undefined_name(vm, node->name.name) : *slot;
    return 0;
}

static const char *name_nearest(struct vm *vm, struct span name)
{
    const struct scope *root = vm->frame->program->root;
    size_t count = 0, known = vm->context ? vm->context->map.count : 0;
    const char **names = arena_array(vm->arena, known + root->names.count + 1, sizeof(*names));
    for (size_t i = 0; i < known; i++)
        names[count++] = vm->context->map.members[i].name.ptr;
    for (const struct symbol *symbol = root->symbols; symbol; symbol = symbol->next)
        if (symbol->stored)
            names[count++] = arena_memdup(vm->arena, symbol->name.ptr, symbol->name.len);
    names[count++] = "range";
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

/* All values first, their texts then: one of them may change another. */
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

static int eval_item_node(struct value *out, struct vm *vm, const struct node *node)
{
    struct value object, index;
    if (eval(&object, vm, node->member.object) || eval(&index, vm, node->member.index))
        return -1;
    vm->at = node->offset;
    return member_item(out, vm, &object, &index);
}

/* ---------------------------------------------------------------- binding arguments */

struct call {
    struct vm *vm;
    const struct function *function;
    struct value fixed[FUNCTION_PARAMETERS];
    struct arguments arguments;
    uint32_t at;
};

static int fail_call(struct call *call, const char *format, struct span name)
{
    struct vm *vm = call->vm;
    vm->at = call->at;
    return vm_fail(vm, CODE_TYPE, "'%s' %s%s", call->function->name, format, vm_show(vm, name));
}

static struct span parameter_name(const char *parameter)
{
    return span_from(parameter + (*parameter == '/'));
}

static size_t parameter_count(const struct function *function)
{
    size_t count = 0;
    while (count < FUNCTION_PARAMETERS && function->parameters[count])
        count++;
    return count;
}

static int bind_positional(struct call *call, const struct call_args *args)
{
    const struct node_list *list = &args->positional;
    struct value *values = call->fixed;
    if (!call->function->variadic && list->count > parameter_count(call->function))
        return fail_call(call, "takes fewer arguments", span_of("", 0));
    if (list->count > FUNCTION_PARAMETERS)
        values = vm_alloc(call->vm, list->count * sizeof(*values));
    for (size_t i = 0; i < list->count; i++)
        if (eval(&values[i], call->vm, list->items[i]))
            return -1;
    call->arguments.values = values;
    call->arguments.count = list->count;
    return 0;
}

static int bind_extra(struct call *call, const struct keyword *keyword)
{
    struct value value, name = value_text(keyword->name);
    if (!call->function->keywords)
        return fail_call(call, "has no parameter ", keyword->name);
    if (!call->arguments.keywords)
        call->arguments.keywords = dict_new(call->vm).dict;
    return eval(&value, call->vm, keyword->value) ||
           dict_put(call->vm, call->arguments.keywords, &name, &value);
}

static int bind_keyword(struct call *call, const struct keyword *keyword)
{
    size_t count = parameter_count(call->function);
    for (size_t i = 0; i < count; i++) {
        if (!span_equal(keyword->name, span_from(call->function->parameters[i])))
            continue;
        if (call->fixed[i].kind != V_MISSING)
            return fail_call(call, "is given twice the parameter ", keyword->name);
        return eval(&call->fixed[i], call->vm, keyword->value);
    }
    return bind_extra(call, keyword);
}

static int bind(struct call *call, const struct call_args *args)
{
    if (bind_positional(call, args))
        return -1;
    for (const struct keyword *keyword = args->keywords; keyword; keyword = keyword->next)
        if (bind_keyword(call, keyword))
            return -1;
    for (size_t i = 0; i < call->function->required; i++)
        if (call->fixed[i].kind == V_MISSING)
            return fail_call(call, "lacks its argument ",
                             parameter_name(call->function->parameters[i]));
    if (!call->function->variadic)
        call->arguments.count = FUNCTION_PARAMETERS;
    return 0;
}

/*
 * What a function is given it may look at, whatever it does: here is where all of them pay for the
 * bytes. Those that loop further charge for that themselves.
 */
static int charge_call(struct vm *vm, const struct value *self, const struct arguments *arguments)
{
    size_t bytes = self->kind == V_TEXT ? self->text.len : 0;
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->values[i].kind == V_TEXT)
            bytes += arguments->values[i].text.len;
    return vm_charge_bytes(vm, bytes);
}

/* Calls a function of the tables with the arguments of a call, which are evaluated first. */
static int function_call(struct value *out, struct vm *vm, const struct function *function,
                         const struct value *self, const struct call_args *args)
{
    struct call call = {.vm = vm, .function = function, .at = vm->at};
    if (bind(&call, args) || charge_call(vm, self, &call.arguments))
        return -1;
    vm->at = call.at;
    return function->body(out, vm, self, &call.arguments);
}

/* ---------------------------------------------------------------- calls, filters, tests */

static int range_call(struct value *out, struct vm *vm, const struct value *self,
                      const struct arguments *arguments)
{
    int64_t start, stop, step;
    (void)self;
    bool two = argument_given(arguments, 1);
    if (argument_integer(&start, vm, arguments, 0, 0) ||
        argument_integer(&stop, vm, arguments, 1, 0) ||
        argument_integer(&step, vm, arguments, 2, 1))
        return -1;
    return range_new(out, vm, two ? start : 0, two ? stop : start, step);
}

static const struct function range_function = {
    .name = "range", .body = range_call, .parameters = {"/start", "/stop", "/step"}, .required = 1};

static int call_value(struct value *out, struct vm *vm, const struct value *callee,
                      const struct call_args *args)
{
    switch (callee->kind) {
    case V_METHOD:
        return function_call(out, vm, callee->bound->method, &callee->bound->self, args);
    case V_RANGE_TYPE:
        return function_call(out, vm, &range_function, callee, args);
    case V_UNDEFINED:
        return vm_fail_undefined(vm, callee);
    case V_LOOP:
        return vm_fail(vm, CODE_SYNTAX, "'recursive' loops are not in the template language");
    default:
        return vm_fail(vm, CODE_TYPE, "%s cannot be called", value_kind_name(callee));
    }
}

static int eval_call(struct value *out, struct vm *vm, const struct node *node)
{
    const struct node *callee = node->call.callee;
    struct value object;
    if (callee->kind != N_ATTRIBUTE) {
        if (eval(&object, vm, callee))
            return -1;
        vm->at = callee->offset;
        return call_value(out, vm, &object, &node->call.args);
    }
    if (eval(&object, vm, callee->member.object))
        return -1;
    vm->at = callee->offset;
    const struct function *method = method_find(&object, callee->member.name);
    if (method)
        return function_call(out, vm, method, &object, &node->call.args);
    struct value found;
    if (member_attribute(&found, vm, &object, callee->member.name))
        return -1;
    return call_value(out, vm, &found, &node->call.args);
}

static int eval_filter(struct value *out, struct vm *vm, const struct node *node)
{
    struct value object = vm->captured;
    if (node->filter.object && eval(&object, vm, node->filter.object))
        return -1;
    vm->at = node->offset;
    return function_call(out, vm, node->filter.function, &object, &node->filter.args);
}

static int eval_test(struct value *out, struct vm *vm, const struct node *node)
{
    struct value object;
    if (eval(&object, vm, node->test.object))
        return -1;
    vm->at = node->offset;
    return function_call(out, vm, node->test.function, &object, &node->test.args);
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

/* Jinja2 works a constant base out beforehand and then writes -2 ** x, which Python reads as
 * -(2 ** x): what it prints for that is wrong, so it is refused. */
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
