/* What builders say, made fit to be told. */
#ifndef TMPLGEN_BUILDER_OUTPUT_H
#define TMPLGEN_BUILDER_OUTPUT_H

#include <stdbool.h>

struct buf;

/*
 * Appends a line without escape sequences, with user and password of each URL as "***", and with
 * everything else masked that a terminal may take for more than text.
 */
void builder_output_line(struct buf *out, const char *line);
/* Whether the line says that there is no such image, in the words of buildah, podman and docker. */
bool builder_output_is_unknown(const char *line);

#endif
