/* Why objects cannot be read though none of them is to blame: limits, memory, somebody's kill. */
#pragma once

#include "base/err.h"

/*
 * Notes it for the rest of the process; the first one stays. libgit2 has but one word for all that
 * goes wrong below it, and "is it there?" has no error at all: so this is remembered beside it.
 * `code` and `hint` are static texts.
 */
void odb_failure_note(const char *code, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* -1 with exit 1 where there is any: what was found out since may be wrong. */
TG_CHECKED int odb_failure_check(struct err *err);
/* The failure `err` is told as the trouble that it came from, if there is any. */
void odb_failure_explain(struct err *err);
