/* What may stand in the files of matrices/. */
#ifndef TMPLGEN_MATRIX_SCHEMA_H
#define TMPLGEN_MATRIX_SCHEMA_H

#include "matrix/read/fields.h"

/* A file that every resolution needs; `name` is the key of its rows in an overlay. */
struct shared_file {
    const char *name, *path;
    struct document document; /* fills a struct matrix */
};

extern const struct shared_file shared_files[];
extern const size_t shared_file_count;
extern const struct document framework_document; /* fills a struct framework */
extern const struct document package_document;   /* likewise */

#define FRAMEWORKS_FOLDER "matrices/frameworks/"
#define PACKAGES_FOLDER "matrices/packages/"
/* What the file of that path is, or NULL. */
const struct document *document_of(const char *path);

#endif
