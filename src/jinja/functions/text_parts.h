/* Shared code of the filters and methods of texts. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "base/unicode.h"
#include "jinja/functions/function.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fails on a character that our version of Unicode lacks. */
TG_CHECKED int text_check_case(struct vm *vm, struct span text);
/* Changes the case of a text; appends the result to the scratch buffer. */
TG_CHECKED int text_case(struct value *out, struct vm *vm, struct span text, enum letter_case into);
TG_CHECKED int text_put_case(struct vm *vm, struct span text, enum letter_case into);

struct text_change {
    struct span old, new;
    int64_t count; /* negative: all */
};
/* str.replace. */
TG_CHECKED int text_replace(struct value *out, struct vm *vm, struct span text,
                            const struct text_change *change);

/* The values of `how` for related methods: the side that they start from or work on. */
enum text_how { TEXT_LEFT = 1, TEXT_RIGHT = 2, TEXT_BOTH = 3, TEXT_MUST = 4 };
/* str.strip, lstrip, rstrip. Argument 0 is the characters to strip, or none for white space. */
TG_CHECKED int text_strip(struct value *out, struct vm *vm, struct span text,
                          const struct arguments *arguments, int sides);

/* The lines of a text, as str.splitlines finds them. */
struct text_lines {
    struct span text;
    size_t pos;
    bool done;
};
/* `line` excludes the line end, `whole` (may be NULL) includes it. */
bool text_next_line(struct span *line, struct span *whole, struct text_lines *lines);
/* The same as if the text ended in a line end: there is always a last line. */
bool text_next_line_or_rest(struct span *line, struct text_lines *lines);

/* The byte offset of the first `part` in `text` at or after `from`, or SIZE_MAX. */
size_t text_find(struct span text, struct span part, size_t from);
/* The offset of the last one. */
size_t text_find_last(struct span text, struct span part);
/* The steps to charge for a search from the end, which is not linear. */
size_t text_search_steps(struct span text, struct span part);
bool text_starts(struct span text, struct span part);
bool text_ends(struct span text, struct span part);

/* TEXT % values, where values is a tuple, a mapping or a single value. */
TG_CHECKED int format_percent(struct value *out, struct vm *vm, const struct value *format,
                              const struct value *values);

/* Parses texts as numbers, like Python's int() and float(). */
enum number_reading { NUMBER_OK, NUMBER_BAD, NUMBER_LARGE, NUMBER_NOT_FINITE };
enum number_reading text_to_integer(int64_t *out, struct span text, int64_t base);
enum number_reading text_to_real(double *out, struct span text);
