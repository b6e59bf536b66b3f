/* Failures to read objects for which no object is to blame: limits, memory, a signal. */
#pragma once

#include "base/err.h"

/*
 * Records the first failure for the rest of the process. libgit2 has a single error code for all
 * failures below it, and none for existence checks, so the reason is kept here. `code` and `hint`
 * are static texts.
 */
void odb_failure_note(const char *code, const char *hint, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns -1 with exit 1 if a failure was recorded: results since then may be wrong. */
TG_CHECKED int odb_failure_check(struct err *err);
/* Turns `err` into the recorded failure that caused it, if there is one. */
void odb_failure_explain(struct err *err);
