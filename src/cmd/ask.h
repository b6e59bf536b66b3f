/* Asking a person at a terminal: questions on stderr, answers from stdin. */
#ifndef TMPLGEN_CMD_ASK_H
#define TMPLGEN_CMD_ASK_H

struct asker;

/* The asker of answers_collect. */
extern const struct asker terminal_asker;

#endif
