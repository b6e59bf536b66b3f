/* One parsed template: places in it, for errors. */
#define TMPLGEN_TEMPLATE_UNIT_C
#include "template/unit.h"

int unit_error_at(const struct unit *unit, size_t offset, struct err *err)
{
    return err_at(err, unit->name, unit->source.ptr, unit->source.len, offset);
}
