/* The children of a node in the syntax tree. */
#include "jinja/syntax/ast.h"

/* A node has up to three single children, a list of children, and arguments of a call. */
struct below {
    struct node *nodes[3]; /* each may be NULL */
    const struct node_list *list;
    const struct call_args *args;
};

static struct below below_of(const struct node *node)
{
    switch (node->kind) {
    case N_LIST:
    case N_TUPLE:
    case N_DICT:
    case N_CONCAT:
        return (struct below){.list = &node->items};
    case N_COMPARE:
        return (struct below){.list = &node->compare.operands};
    case N_ATTRIBUTE:
    case N_NAMESPACED:
        return (struct below){.nodes = {node->member.object}};
    case N_ITEM:
        return (struct below){.nodes = {node->member.object, node->member.index}};
    case N_SLICE:
        return (struct below){.nodes = {node->slice.start, node->slice.stop, node->slice.step}};
    case N_CALL:
        return (struct below){.nodes = {node->call.callee}, .args = &node->call.args};
    case N_FILTER:
    case N_TEST:
        return (struct below){.nodes = {node->filter.object}, .args = &node->filter.args};
    case N_NOT:
    case N_NEGATE:
    case N_PLUS:
        return (struct below){.nodes = {node->binary.right}};
    case N_BINARY:
    case N_AND:
    case N_OR:
        return (struct below){.nodes = {node->binary.left, node->binary.right}};
    case N_CONDITION:
        return (struct below){
            .nodes = {node->condition.test, node->condition.yes, node->condition.no}};
    case N_NAME:
    case N_CONSTANT:
    case N_KIND_COUNT:
        break;
    }
    return (struct below){.list = NULL};
}

static int each_argument(const struct call_args *args,
                         int (*visit)(void *context, struct node *below), void *context)
{
    for (size_t i = 0; i < args->positional.count; i++)
        if (visit(context, args->positional.items[i]))
            return -1;
    for (const struct keyword *keyword = args->keywords; keyword; keyword = keyword->next)
        if (visit(context, keyword->value))
            return -1;
    return (args->star && visit(context, args->star)) ||
                   (args->star_star && visit(context, args->star_star))
               ? -1
               : 0;
}

int node_each(const struct node *node, int (*visit)(void *context, struct node *below),
              void *context)
{
    const struct below below = below_of(node);
    for (size_t i = 0; i < 3; i++)
        if (below.nodes[i] && visit(context, below.nodes[i]))
            return -1;
    for (size_t i = 0; below.list && i < below.list->count; i++)
        if (visit(context, below.list->items[i]))
            return -1;
    return below.args ? each_argument(below.args, visit, context) : 0;
}
