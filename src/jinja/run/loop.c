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

/* What has no length is walked to its end, and the walk goes on over what was found. */
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

static int get_index(struct value *out, struct vm *vm, struct loop *loop)
{
    (void)vm;
    *out = value_int((int64_t)loop->index0 + 1);
    return 0;
}

static int get_index0(struct value *out, struct vm *vm, struct loop *loop)
{
    (void)vm;
    *out = value_int((int64_t)loop->index0);
    return 0;
}

static int get_length(struct value *out, struct vm *vm, struct loop *loop)
{
    size_t length;
    if (loop_length(&length, vm, loop))
        return -1;
    *out = value_int((int64_t)length);
    return 0;
}

static int get_revindex(struct value *out, struct vm *vm, struct loop *loop)
{
    if (get_length(out, vm, loop))
        return -1;
    out->integer -= (int64_t)loop->index0;
    return 0;
}

static int get_revindex0(struct value *out, struct vm *vm, struct loop *loop)
{
    if (get_revindex(out, vm, loop))
        return -1;
    out->integer--;
    return 0;
}

static int get_first(struct value *out, struct vm *vm, struct loop *loop)
{
    (void)vm;
    *out = value_bool(loop->index0 == 0);
    return 0;
}

static int get_last(struct value *out, struct vm *vm, struct loop *loop)
{
    bool more;
    if (peek(&more, vm, loop))
        return -1;
    *out = value_bool(!more);
    return 0;
}

static int get_previtem(struct value *out, struct vm *vm, struct loop *loop)
{
    *out = loop->index0 == 0 ? vm_undefined_reason(vm, "there is no previous item") : loop->before;
    return 0;
}

static int get_nextitem(struct value *out, struct vm *vm, struct loop *loop)
{
    bool more;
    if (peek(&more, vm, loop))
        return -1;
    *out = more ? loop->after : vm_undefined_reason(vm, "there is no next item");
    return 0;
}

static int get_depth(struct value *out, struct vm *vm, struct loop *loop)
{
    (void)vm;
    (void)loop;
    *out = value_int(1);
    return 0;
}

static int get_depth0(struct value *out, struct vm *vm, struct loop *loop)
{
    (void)vm;
    (void)loop;
    *out = value_int(0);
    return 0;
}

const char *const loop_names[] = {
    "index", "index0",   "revindex", "revindex0", "first", "last",   "length",
    "cycle", "previtem", "nextitem", "changed",   "depth", "depth0",
};
const size_t loop_name_count = sizeof(loop_names) / sizeof(loop_names[0]);

int loop_attribute(struct value *out, struct vm *vm, struct loop *loop, struct span name)
{
    static const struct {
        const char *name;
        int (*get)(struct value *out, struct vm *vm, struct loop *loop);
    } attributes[] = {
        {"index", get_index},   {"index0", get_index0},       {"revindex", get_revindex},
        {"first", get_first},   {"revindex0", get_revindex0}, {"last", get_last},
        {"length", get_length}, {"previtem", get_previtem},   {"nextitem", get_nextitem},
        {"depth", get_depth},   {"depth0", get_depth0},
    };
    for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
        if (span_equal(name, span_from(attributes[i].name)))
            return attributes[i].get(out, vm, loop) ? -1 : 1;
    return 0;
}
