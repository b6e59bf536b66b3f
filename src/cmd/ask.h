/* Asking a person at a terminal: questions on stderr, answers from stdin. */
#ifndef TMPLGEN_CMD_ASK_H
#define TMPLGEN_CMD_ASK_H

#include "base/err.h"

struct arena;
struct asker;

/* The asker of answers_collect. */
extern const struct asker terminal_asker;

/* Asks for one of `choices` until one is named; for what is needed before there are questions. */
TG_CHECKED int ask_choice(const char **out, struct arena *arena, const char *name, const char *help,
                          const char *const *choices, size_t count, struct err *err);

#endif
