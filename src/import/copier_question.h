/* The questions of a copier.yml. */
#ifndef TMPLGEN_IMPORT_COPIER_QUESTION_H
#define TMPLGEN_IMPORT_COPIER_QUESTION_H

struct draft;
struct yaml_node;

/* Names and asks all that the mapping has; `path` is the file. */
void copier_questions(struct draft *draft, const char *path, const struct yaml_node *root);

#endif
