/* Lines of texts for offsets that mostly grow: each byte is looked at once. */
#ifndef TMPLGEN_LINE_COUNTER_H
#define TMPLGEN_LINE_COUNTER_H

#include "base/span.h"

/* Zeroed at first. */
struct line_counter {
    const char *text;      /* that was asked for last */
    size_t offset, before; /* line ends before the offset in it */
};

/* The line of a byte, from 1. */
static inline size_t line_counter_at(struct line_counter *counter, struct span text, size_t offset)
{
    if (offset < counter->offset || (counter->offset && text.ptr != counter->text))
        *counter = (struct line_counter){NULL, 0, 0};
    counter->text = text.ptr;
    for (; counter->offset < offset && counter->offset < text.len; counter->offset++)
        counter->before += text.ptr[counter->offset] == '\n';
    return counter->before + 1;
}

#endif
