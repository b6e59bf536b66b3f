/* Names of files: conditions in them become rules, answers in them stay. */
#ifndef TMPLGEN_IMPORT_NAMES_H
#define TMPLGEN_IMPORT_NAMES_H

#include <stdbool.h>

struct draft;
struct draft_input;

/*
 * Puts conditions in the names of the inputs, such as `{% if A %}docs{% endif %}`, into rules of
 * the draft, where no other file can have the same name.
 */
void names_settle(struct draft *draft);
/* The name of a file below files/, in our words. False where it cannot be said: `*why`. */
bool names_translate(const char **out, const char **why, struct draft *draft,
                     const struct draft_input *input);

#endif
