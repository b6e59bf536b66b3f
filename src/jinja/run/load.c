/* The templates that a render names: each is read and parsed once. */
#include "jinja/run/load.h"

#include "jinja/run/frame.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/parse.h"
#include "jinja/syntax/program.h"
#include "jinja/values/iterate.h"

struct program *cache_find(const struct template_cache *cache, struct span name)
{
    size_t known = intern_find(&cache->names, name);
    return known == INTERN_NONE ? NULL : cache->programs[known];
}

void cache_keep(struct template_cache *cache, struct program *program)
{
    size_t number = intern_add(&cache->names, cache->arena, span_from(program->name));
    cache->programs = arena_grow(cache->arena, cache->programs, number, sizeof(struct program *));
    cache->programs[number] = program;
}

/* Returns 1 with the program, 0 if there is none of that name, -1 on failure. */
static int load_program(struct program **out, struct vm *vm, struct span name,
                        const struct loading *loading)
{
    struct template_cache *cache = vm->cache;
    *out = cache_find(cache, name);
    if (*out)
        return 1;
    const char *text = arena_memdup(vm->arena, name.ptr, name.len);
    struct template_source source = {.name = text};
    if (!vm->loader)
        return vm_fail(vm, CODE_SYNTAX, "'%s' cannot be used here", loading->what);
    int rc = vm->loader->load(&source, vm->loader->context, text, vm->err);
    if (rc > 0)
        return 0;
    if (rc < 0)
        return vm->err->where.file ? -1 : program_error_at(vm->frame->program, vm->at, vm->err);
    source.name = arena_memdup(cache->arena, name.ptr, name.len);
    if (program_parse(out, cache->arena, &source, false, vm->err))
        return frame_trace(vm, loading->how, vm->at);
    cache_keep(cache, *out);
    return 1;
}

/* The first template of a list of names that exists. */
static int load_first(struct program **out, struct vm *vm, const struct value *names,
                      const struct loading *loading)
{
    struct iterator *iterator;
    struct value name;
    int rc, found = 0;
    if (iterator_open(&iterator, vm, names))
        return -1;
    while (!found && (rc = iterator_next(&name, vm, iterator)) != 0) {
        if (rc < 0)
            return -1;
        if (name.kind == V_UNDEFINED)
            continue;
        if (name.kind != V_TEXT)
            return vm_fail_kind(vm, "the name of a template is a text", &name);
        found = load_program(out, vm, name.text, loading);
    }
    return found;
}

int load_named(struct program **out, struct vm *vm, const struct value *name,
               const struct loading *loading, bool several)
{
    if (name->kind == V_TEXT)
        return load_program(out, vm, name->text, loading);
    if (name->kind == V_UNDEFINED)
        return vm_fail_undefined(vm, name);
    if (several && (name->kind == V_LIST || name->kind == V_TUPLE))
        return load_first(out, vm, name, loading);
    return vm_fail(vm, CODE_TYPE, "'%s' takes a text%s, not %s", loading->what,
                   several ? " or a list of texts" : "", value_kind_name(name));
}

int load_missing(struct vm *vm, const struct value *name, const struct loading *loading)
{
    if (name->kind == V_TEXT)
        return vm_fail(vm, CODE_SYNTAX, "there is no template '%s' to %s", vm_show(vm, name->text),
                       loading->what);
    return vm_fail(vm, CODE_SYNTAX, "none of these templates to %s exists", loading->what);
}

int load_must(struct program **out, struct vm *vm, const struct value *name,
              const struct loading *loading)
{
    int found = load_named(out, vm, name, loading, false);
    if (found)
        return found < 0 ? -1 : 0;
    return load_missing(vm, name, loading);
}
