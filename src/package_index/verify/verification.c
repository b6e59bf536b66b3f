/* The findings on a row: what the index proves, and where it differs. */
#include "package_index/verify/verification.h"

#include "base/arena.h"
#include "base/str.h"
#include "data/document.h"
#include "matrix/facts.h"

#include <stdarg.h>

void verification_prove(const struct verification *c, const char *what)
{
    data_push(c->arena, c->proved, data_str(c->arena, what));
}

void verification_differ(const struct verification *c, const char *what, const char *row,
                         const char *index, const char *evidence, ...)
{
    va_list args;
    va_start(args, evidence);
    const char *text = arena_vprintf(c->arena, evidence, args);
    va_end(args);
    bool explained = words_have(&c->release->differs, what) || words_have(&c->build->differs, what);
    data_push(c->arena, c->differences,
              data_of(c->arena, FIELD("what", what), FIELD("row", row), FIELD("index", index),
                      FIELD("evidence", *text ? text : NULL), FIELD("explained", explained)));
}

const char *verification_named(const struct verification *c)
{
    return arena_printf(c->arena, "%s %s", c->evidence.package, c->evidence.version);
}
