/* The formats of templates that can be imported: a row each. */
#ifndef TMPLGEN_IMPORT_FORMAT_H
#define TMPLGEN_IMPORT_FORMAT_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct draft;
struct fileset;

struct import_format {
    const char *name;
    /* The file in `folder` ("" or with its '/') that says how; NULL: it is of another format. */
    const char *(*find)(const struct fileset *files, const char *folder);
    /* Fills a draft that was just begun: answers, questions, rules, inputs, what to tell. */
    TG_CHECKED int (*read)(struct draft *draft, const char *folder, struct err *err);
};

extern const struct import_format cookiecutter_format, copier_format;

#endif
