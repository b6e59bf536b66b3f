/* The variable `loop`. */
#include "jinja/run/loop.h"

#include "jinja/run/vm.h"
#include "jinja/values/iterate.h"
#include "jinja/values/value.h"

int loop_next(struct value *out, struct vm *vm, struct loop *loop)
{
    int rc = 1;
    if (loop->after.kind != V_MISSING) {
        *out = loop->after;
        loop->after = (struct value){.kind = V_MISSING};
    } else {
        rc = iterator_next(out, vm, loop->iterator);
    }
    if (rc <= 0)
        return rc;
    loop->index0++;
    loop->before = loop->current;
    loop->current = *out;
    return 1;
}

/* Reads an iterable without a length to its end; iteration continues over the items read. */
int loop_length(size_t *out, struct vm *vm, struct loop *loop)
{
    struct value rest, iterator = {.kind = V_ITERATOR, .iterator = loop->iterator};
    if (!loop->has_length && loop->sized) {
        if (value_length(&loop->length, vm, &loop->iterable))
            return -1;
    } else if (!loop->has_length) {
        if (iterate_list(&rest, vm, V_LIST, &iterator) || iterator_open(&loop->iterator, vm, &rest))
            return -1;
        loop->length = rest.list->count + loop->index0 + 1 + (loop->after.kind != V_MISSING);
    }
    loop->has_length = true;
    *out = loop->length;
    return 0;
}

static int peek(bool *is_there, struct vm *vm, struct loop *loop)
{
    if (loop->after.kind == V_MISSING) {
        struct value next;
        int rc = iterator_next(&next, vm, loop->iterator);
        if (rc < 0)
            return -1;
        if (rc)
            loop->after = next;
    }
    *is_there = loop->after.kind != V_MISSING;
    return 0;
}

/* clang-format off */
#define EACH_LOOP_PART(X) \
    X(INDEX, "index") X(INDEX0, "index0") X(REVINDEX, "revindex") X(REVINDEX0, "revindex0") \
    X(FIRST, "first") X(LAST, "last") X(LENGTH, "length") X(PREVITEM, "previtem") \
    X(NEXTITEM, "nextitem") X(DEPTH, "depth") X(DEPTH0, "depth0")
/* clang-format on */

#define PART_CONSTANT(part, name) PART_##part,
#define PART_NAME(part, name) name,
enum loop_part { EACH_LOOP_PART(PART_CONSTANT) PART_COUNT };

/* Attributes in the order of their parts; then the methods. */
const char *const loop_names[] = {EACH_LOOP_PART(PART_NAME) "cycle", "changed"};
const size_t loop_name_count = sizeof(loop_names) / sizeof(loop_names[0]);

static int get_part(struct value *out, struct vm *vm, struct loop *loop, enum loop_part part)
{
    int64_t index0 = (int64_t)loop->index0;
    bool counts = part == PART_REVINDEX || part == PART_REVINDEX0 || part == PART_LENGTH;
    bool more = false, looks = part == PART_LAST || part == PART_NEXTITEM;
    size_t length = 0;
    if ((counts && loop_length(&length, vm, loop)) || (looks && peek(&more, vm, loop)))
        return -1;
    switch (part) {
    case PART_FIRST:
        *out = value_bool(index0 == 0);
        break;
    case PART_LAST:
        *out = value_bool(!more);
        break;
    case PART_PREVITEM:
        *out = index0 == 0 ? vm_undefined_reason(vm, "there is no previous item") : loop->before;
        break;
    case PART_NEXTITEM:
        *out = more ? loop->after : vm_undefined_reason(vm, "there is no next item");
        break;
    case PART_DEPTH:
    case PART_DEPTH0:
        *out = value_int(part == PART_DEPTH);
        break;
    case PART_INDEX:
    case PART_INDEX0:
        *out = value_int(index0 + (part == PART_INDEX));
        break;
    default:
        *out = value_int((int64_t)length - (part == PART_LENGTH ? 0 : index0) -
                         (part == PART_REVINDEX0));
        break;
    }
    return 0;
}

int loop_attribute(struct value *out, struct vm *vm, struct loop *loop, struct span name)
{
    for (size_t i = 0; i < PART_COUNT; i++)
        if (span_equal(name, span_from(loop_names[i])))
            return get_part(out, vm, loop, (enum loop_part)i) ? -1 : 1;
    return 0;
}
