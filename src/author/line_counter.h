/* Lines of a text for offsets that mostly grow: each byte is looked at once. */
#ifndef TMPLGEN_AUTHOR_LINE_COUNTER_H
#define TMPLGEN_AUTHOR_LINE_COUNTER_H

#include "base/span.h"

/* Zeroed at first. */
struct line_counter {
    size_t offset, before; /* line ends before the offset that was asked for last */
};

/* The line of a byte, from 1. */
static inline size_t line_counter_at(struct line_counter *counter, struct span text, size_t offset)
{
    if (offset < counter->offset)
        *counter = (struct line_counter){0, 0};
    for (; counter->offset < offset && counter->offset < text.len; counter->offset++)
        counter->before += text.ptr[counter->offset] == '\n';
    return counter->before + 1;
}

#endif
