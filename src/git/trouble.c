/* Why objects cannot be read though none of them is to blame: limits, memory, somebody's kill. */
#include "git/trouble.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

static struct {
    const char *code, *hint;
    char message[200];
} noted;

void trouble_note(const char *code, const char *hint, const char *format, ...)
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

int trouble_check(struct err *err)
{
    if (!noted.code)
        return 0;
    (void)err_set(err, TG_RUNTIME, noted.code, "%s", noted.message);
    return err_hint(err, "%s", noted.hint);
}

void trouble_explain(struct err *err)
{
    ERR_SCRATCH(trouble);
    if (str_equal(err->code, "interrupted") || trouble_check(&trouble) == 0)
        return;
    err_release(err);
    *err = trouble;
    trouble = (struct err)ERR_INIT;
}
