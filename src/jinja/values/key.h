/* Keys of mappings: hashes and equality. */
#pragma once

#include "base/err.h"
#include "jinja/values/types.h"

struct vm;

/* Equality of hashable values; compare.h has that of all values. */
TG_CHECKED int key_equal(bool *out, struct vm *vm, const struct value *a, const struct value *b);
/* Equal keys have equal hashes; lists and mappings have none. */
uint64_t text_hash(struct span text);
TG_CHECKED int value_hash(uint64_t *out, struct vm *vm, const struct value *value);
