/* Output that becomes a text instead of being printed. */
#ifndef TMPLGEN_CAPTURE_H
#define TMPLGEN_CAPTURE_H

#include "base/err.h"

struct value;
struct vm;

/* What `run` prints, as a text. */
TG_CHECKED int capture(struct value *out, struct vm *vm,
                       int (*run)(struct vm *vm, const void *what), const void *what);
/* Likewise, of statements. */
struct statement;
TG_CHECKED int capture_body(struct value *out, struct vm *vm, const struct statement *body);

#endif
