/* The templates of a render: each is read and parsed once. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct program;
struct template_cache;
struct value;
struct vm;

/* The template of that name, or NULL; one more, whose name lives as long as the cache. */
struct program *cache_find(const struct template_cache *cache, struct span name);
void cache_keep(struct template_cache *cache, struct program *program);

/*
 * The template of that name, for the tag `what`; what fails in it fails at the current place, in
 * the words of `how` ("included from").
 */
struct loading {
    const char *what, *how;
};

/* 1 with the program, 0 where there is none of that name, -1. With `several`, a list may be given.
 */
TG_CHECKED int load_named(struct program **out, struct vm *vm, const struct value *name,
                          const struct loading *loading, bool several);
/* Says that there is none; -1. */
int load_missing(struct vm *vm, const struct value *name, const struct loading *loading);
/* The template, which must be there. */
TG_CHECKED int load_must(struct program **out, struct vm *vm, const struct value *name,
                         const struct loading *loading);
