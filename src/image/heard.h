/* What builders say, made fit to be told. */
#ifndef TMPLGEN_IMAGE_HEARD_H
#define TMPLGEN_IMAGE_HEARD_H

struct buf;

/*
 * Appends a line without escape sequences, with user and password of each URL as "***", and with
 * everything else masked that a terminal may take for more than text.
 */
void heard_line(struct buf *out, const char *line);

#endif
