/* One parsed template: places in it, for errors. */
#define TMPLGEN_TEMPLATE_PROGRAM_C
#include "jinja/syntax/program.h"

int program_error_at(const struct program *program, size_t offset, struct err *err)
{
    return err_at(err, program->path, program->source.ptr, program->source.len, offset);
}
