/* This machine's driver and GPUs, where a request says `auto`. */
#ifndef TMPLGEN_MACHINE_H
#define TMPLGEN_MACHINE_H

#include "base/err.h"

struct run;
struct stack_request;

/*
 * Puts what is found here in the place of `auto` for --driver, --gpu and --arch, as `doctor` sees
 * it; a request without the word looks at nothing. Exit 2 where there is no such thing here.
 */
TG_CHECKED int machine_fill_auto(struct stack_request *request, struct run *run, struct err *err);

#endif
