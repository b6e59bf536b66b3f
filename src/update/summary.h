/* An update as the text of a pull request, in Markdown. */
#ifndef TMPLGEN_SUMMARY_H
#define TMPLGEN_SUMMARY_H

struct buf;
struct data;

/*
 * Of a document of `update` (docs/json.md). All that comes from catalog and child is escaped: it is
 * no markup, mentions nobody, closes no issue. It fits what forges take: sections that do not are
 * left out, and that is said.
 */
void summary_format(struct buf *out, const struct data *document);

#endif
