/* Turns SIGINT, SIGTERM and SIGHUP into a flag that long work polls, so that it can clean up. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

/* From here on the signals set the flag instead of ending the process. */
void interrupt_install(void);
/* Returns -1 with exit 130, 143 or 129, code "interrupted", if a signal came; else 0. */
TG_CHECKED int interrupt_check(struct err *err);
/* The work is done, or can no longer fail to be: a signal no longer means "not done". */
void interrupt_settle(void);
bool interrupt_settled(void);
/*
 * Waits until `fd` is readable. One of those signals ends the wait with -1, as below; another one
 * that has a handler with 1.
 */
TG_CHECKED int interrupt_wait(int fd, struct err *err);
/*
 * Reads one byte, waiting as long as needed. A signal, even one just before the wait, ends it.
 * Returns 1: read, 0: end of input or unreadable, -1: interrupted.
 */
TG_CHECKED int interrupt_read_byte(char *out, int fd, struct err *err);
