/* What is checked in files that come out of a render: Dockerfiles, workflows. */
#ifndef TMPLGEN_AUTHOR_FILE_CHECKS_H
#define TMPLGEN_AUTHOR_FILE_CHECKS_H

#include "author/rules.h"
#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct arena;

/* Told of each thing that is found: at a line of the file, from 1, with message and hint. */
struct check_report {
    void (*found)(void *context, enum lint_rule rule, size_t line, const struct err *wrong);
    void *context;
};

/* Whether the file at that path of a project is one. */
bool is_dockerfile(const char *path);
bool is_workflow(const char *path);

void check_dockerfile(const struct check_report *report, struct arena *arena, struct span text);
/* A file that is no YAML that can be read is left alone. */
void check_workflow(const struct check_report *report, struct arena *arena, const char *path,
                    struct span text);

#endif
