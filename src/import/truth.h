/* Conditions: texts that copier renders and takes for true or false. */
#ifndef TMPLGEN_IMPORT_TRUTH_H
#define TMPLGEN_IMPORT_TRUTH_H

struct draft;

/*
 * The bare expression that is true where copier takes what `text` renders to for true. NULL where
 * there is none; `*why` is the reason.
 */
const char *truth_of(const char **why, struct draft *draft, const char *text);

#endif
