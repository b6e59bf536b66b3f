/* SIGINT and SIGTERM as a flag that long work looks at, so that it can tidy up. */
#ifndef TMPLGEN_BASE_INTERRUPT_H
#define TMPLGEN_BASE_INTERRUPT_H

#include "base/err.h"

/* From here on the signals set the flag instead of ending the process. */
void interrupt_install(void);
/* -1 with exit 130 or 143, code "interrupted", where a signal came; else 0. */
TG_CHECKED int interrupt_check(struct err *err);
/*
 * One byte of `fd`, however long it takes; a signal ends the wait, also one that came just before
 * it. 1: read, 0: end of input (or nothing more can be read), -1: interrupted.
 */
TG_CHECKED int interrupt_read_byte(char *out, int fd, struct err *err);

#endif
