/* Another program, run for what it prints. */
#ifndef TMPLGEN_BASE_PROCESS_H
#define TMPLGEN_BASE_PROCESS_H

#include "base/err.h"

struct buf;

/*
 * Runs argv (NULL-terminated; looked up in PATH) with nothing to read and its complaints dropped,
 * and appends what it prints to `out`. `*status` is its exit code, or 128 and the signal's number.
 * Exit 1, "process", where it cannot be started, prints more than `out` takes, or has not ended
 * after `seconds`; it is killed then.
 */
TG_CHECKED int process_capture(struct buf *out, int *status, const char *const *argv, int seconds,
                               struct err *err);

#endif
