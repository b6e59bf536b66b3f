/* The templates of a render: each is read and parsed once. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct program;
struct template_cache;
struct value;
struct vm;

/* Finds a template by name, or NULL; adds one, whose name must live as long as the cache. */
struct program *cache_find(const struct template_cache *cache, struct span name);
void cache_keep(struct template_cache *cache, struct program *program);

/*
 * Loads a template for the tag `what`. Errors inside it are reported at the current place with the
 * text `how` ("included from").
 */
struct loading {
    const char *what, *how;
};

/* Returns 1 with the program, 0 if there is none, -1 on failure. `several` allows a list. */
TG_CHECKED int load_named(struct program **out, struct vm *vm, const struct value *name,
                          const struct loading *loading, bool several);
/* Reports that there is none; returns -1. */
int load_missing(struct vm *vm, const struct value *name, const struct loading *loading);
/* Loads a template that must exist. */
TG_CHECKED int load_must(struct program **out, struct vm *vm, const struct value *name,
                         const struct loading *loading);
