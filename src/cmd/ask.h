/* Asking a person at a terminal: questions on stderr, answers from stdin. */
#ifndef TMPLGEN_CMD_ASK_H
#define TMPLGEN_CMD_ASK_H

#include "catalog/answers.h"

struct typed;

/* The asker of answers_collect; what is typed, but for secrets, goes into `typed`. */
struct asker terminal_asker(struct typed *typed);

#endif
