/* Failures to read objects for which no object is to blame: limits, memory, a signal. */
#include "git/odb_failure.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

static struct {
    const char *code, *hint;
    char message[200];
} noted;

void odb_failure_note(const char *code, const char *hint, const char *format, ...)
{
    va_list args;
    if (noted.code)
        return;
    noted.code = code;
    noted.hint = hint;
    va_start(args, format);
    (void)vsnprintf(noted.message, sizeof(noted.message), format, args);
    va_end(args);
}

static int tell(struct err *err)
{
    (void)err_set(err, TG_RUNTIME, noted.code, "%s", noted.message);
    return err_hint(err, "%s", noted.hint);
}

int odb_failure_check(struct err *err)
{
    return noted.code ? tell(err) : 0;
}

void odb_failure_explain(struct err *err)
{
    if (noted.code && !str_equal(err->code, "interrupted"))
        (void)tell(err);
}
