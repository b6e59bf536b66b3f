/* An update as the text of a pull request, in Markdown. */
#ifndef TMPLGEN_SUMMARY_H
#define TMPLGEN_SUMMARY_H

struct buf;
struct data;

/*
 * Formats a document of `update` (docs/json.md). Text of catalog and child is escaped: it is no
 * markup, mentions nobody and closes no issue. A section that makes the text too long for a forge
 * is left out, and a line says so.
 */
void summary_format(struct buf *out, const struct data *document);

#endif
