/* Asking a person at a terminal: questions on stderr, answers from stdin. */
#ifndef TMPLGEN_ASK_H
#define TMPLGEN_ASK_H

#include "base/err.h"
#include "catalog/answers.h"

#include <stdbool.h>

struct typed;

/* The asker of answers_collect; what is typed, but for secrets, goes into `typed`. */
struct asker terminal_asker(struct typed *typed);

/* A question that yes or no answers; nothing is no. */
TG_CHECKED int ask_yes(bool *yes, const char *question, struct err *err);

#endif
