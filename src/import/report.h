/* What an import says of itself: a document, and IMPORT.md. */
#ifndef TMPLGEN_IMPORT_REPORT_H
#define TMPLGEN_IMPORT_REPORT_H

#include <stddef.h>

struct arena;
struct buf;
struct data;
struct draft;

/* The members of a type in the document: docs/json.md, "template import". */
struct data *report_type(const struct draft *draft);
/* IMPORT.md: for whoever goes on by hand. `source`, `format` as in the document. */
int report_write(struct buf *out, const struct data *document, const struct draft *drafts,
                 size_t count);

#endif
