/* What a person has typed at questions: none of it is lost when the command fails. */
#ifndef TMPLGEN_TYPED_ANSWERS_H
#define TMPLGEN_TYPED_ANSWERS_H

struct manifest;
struct run;
struct typed;

/* A list in the run's arena, for terminal_asker. */
struct typed *typed_answers_new(struct run *run);
/* Another answer to the question takes the place of the one before it. */
void typed_answers_add(struct typed *typed, const char *name, const char *text);
void typed_answers_drop(struct typed *typed, const char *name);
/*
 * Puts the command that says again what was typed below the failure's message, where there is any.
 * What the command line said of the secrets of `manifest` (or NULL) is left out.
 */
void typed_answers_tell(const struct typed *typed, const struct manifest *manifest);

#endif
