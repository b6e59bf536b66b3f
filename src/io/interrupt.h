/* SIGINT, SIGTERM and SIGHUP as a flag that long work looks at, so that it can tidy up. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

/* From here on the signals set the flag instead of ending the process. */
void interrupt_install(void);
/* -1 with exit 130, 143 or 129, code "interrupted", where a signal came; else 0. */
TG_CHECKED int interrupt_check(struct err *err);
/* What was asked for is done, or will be whatever comes: a signal no longer means "not done". */
void interrupt_settle(void);
bool interrupt_settled(void);
/* Until `fd` can be read; as below where a signal ends the wait. */
TG_CHECKED int interrupt_wait(int fd, struct err *err);
/*
 * One byte of `fd`, however long it takes; a signal ends the wait, also one that came just before
 * it. 1: read, 0: end of input (or nothing more can be read), -1: interrupted.
 */
TG_CHECKED int interrupt_read_byte(char *out, int fd, struct err *err);
