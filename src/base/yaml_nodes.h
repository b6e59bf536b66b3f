/* YAML documents read beforehand: nodes as bytes, which need no parsing. */
#ifndef TMPLGEN_BASE_YAML_NODES_H
#define TMPLGEN_BASE_YAML_NODES_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct buf;
struct yaml_doc;

/* What yaml_parse made of a document, as bytes for yaml_nodes_read; `out` may overflow. */
void yaml_nodes_write(struct buf *out, const struct yaml_doc *doc);

/*
 * The document again, equal to what yaml_parse makes of `source`. `source` and `bytes` must live as
 * long as the document: texts point into them. Bytes that yaml_nodes_write did not write may be
 * refused (exit 1) or give another document, but are safe to read.
 */
TG_CHECKED int yaml_nodes_read(struct yaml_doc **out, struct arena *arena, const char *name,
                               struct span source, struct span bytes, struct err *err);

#endif
