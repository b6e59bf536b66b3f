/* How results and failures look: words for people, one JSON document for programs. */
#ifndef TMPLGEN_PRINT_H
#define TMPLGEN_PRINT_H

struct err;
struct run;

/* Message, place, line with caret, trace and hint on stderr; colour only on a terminal. */
void print_failure(const struct run *run, const struct err *err);
/* The one JSON document (docs/json.md) into run->out; `err` is NULL for a result. */
void print_document(struct run *run, int code, const struct err *err);

#endif
