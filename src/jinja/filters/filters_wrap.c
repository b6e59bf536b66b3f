/* Filters that fit texts into a width or count in them: center truncate wordcount wordwrap. */
#include "jinja/filters/filter_bodies.h"

#include "base/unicode.h"
#include "base/utf8.h"
#include "jinja/functions/method_bodies.h"
#include "jinja/functions/text_parts.h"
#include "jinja/run/vm.h"
#include "jinja/values/arith.h"
#include "jinja/values/value.h"
#include "jinja/values/value_text.h"

#include <string.h>

int filter_center(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value text, width = argument_given(given, 0) ? given->values[0] : value_int(80);
    const struct arguments justify = {
        .self = &text, .values = &width, .count = 1, .how = TEXT_BOTH};
    if (value_to_text(&text, vm, given->self) || text_justify(out, vm, &justify))
        return -1;
    out->safe = text.safe;
    return 0;
}

int filter_wordcount(struct value *out, struct vm *vm, const struct arguments *given)
{
    struct value text;
    int64_t words = 0;
    bool inside = false;
    if (value_to_text(&text, vm, given->self) || vm_charge(vm, text.text.len / 4))
        return -1;
    for (size_t pos = 0; pos < text.text.len;) {
        uint32_t c = utf8_next(text.text, &pos);
        if (unicode_is_unassigned(c))
            return vm_fail(vm, CODE_TYPE,
                           "whether U+%04X is of a word is not known: it is not in Unicode 14", c);
        bool word = unicode_is_word(c);
        words += word && !inside;
        inside = word;
    }
    *out = value_int(words);
    return 0;
}

/* ---------------------------------------------------------------- truncate */

/* Accepts a float, too, for numbers that are only compared. */
static int number_argument(struct value *out, struct vm *vm, const struct arguments *arguments,
                           size_t i, int64_t fallback)
{
    *out = argument_given(arguments, i) ? arguments->values[i] : value_int(fallback);
    return value_is_number(out) ? 0 : vm_fail_kind(vm, "a number is needed here", out);
}

/* Cuts a text to so many characters, at a blank unless words may be cut. */
static struct span cut_text(struct span text, size_t characters, bool cut_words)
{
    struct span left = span_of(text.ptr, utf8_offset(text, characters));
    size_t blank = cut_words ? SIZE_MAX : text_find_last(left, span_of(" ", 1));
    return blank == SIZE_MAX ? left : span_of(left.ptr, blank);
}

int filter_truncate(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    struct value length, leeway, most, left;
    struct value end = argument_given(given, 2) ? given->values[2] : value_text(span_of("...", 3));
    bool standard = !argument_given(given, 3) || given->values[3].kind == V_NONE;
    size_t size, end_size;
    int64_t characters;
    bool cut_words;
    if (number_argument(&length, vm, given, 0, 255) || value_length(&end_size, vm, &end))
        return -1;
    leeway = value_int(5);
    if (!standard && number_argument(&leeway, vm, given, 3, 5))
        return -1;
    if (value_real(&length) < (double)end_size || value_real(&leeway) < 0)
        return vm_fail(vm, CODE_TYPE, "the length of 'truncate' has no room for its end");
    if (value_binary(&most, vm, OP_ADD, &length, &leeway) || value_length(&size, vm, self))
        return -1;
    *out = *self;
    if ((double)size <= value_real(&most))
        return 0;
    if (self->kind != V_TEXT)
        return vm_fail(vm, CODE_TYPE, "'truncate' takes a text, not %s", value_kind_name(self));
    if (argument_truth(&cut_words, vm, given, 1, false) ||
        argument_integer(&characters, vm, given, 0, 255))
        return -1;
    left = *self;
    left.text = cut_text(self->text, (size_t)characters - end_size, cut_words);
    return value_binary(out, vm, OP_ADD, &left, &end);
}

/* ---------------------------------------------------------------- wordwrap */

/* Python's textwrap.TextWrapper, one line of a text at a time. */
struct wrapper {
    struct vm *vm;
    const uint32_t *line;
    size_t count; /* characters of the line */
    size_t width;
    struct span between; /* separator of lines */
    bool break_words;
    bool break_on_hyphens; /* to break long words */
    bool split_on_hyphens; /* to split lines; Python checks "is True" here */
    size_t lines;          /* written so far */
    size_t start, end;     /* the next chunk; after the last, `start` is `count` */
};

static bool is_blank(uint32_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_letter(uint32_t c)
{
    return unicode_is_word(c) && unicode_digit(c) < 0;
}

/* The character `at`, or 0 outside the line. */
static uint32_t at(const struct wrapper *wrapper, size_t i)
{
    return i < wrapper->count ? wrapper->line[i] : 0;
}

static bool is_word_end(const struct wrapper *wrapper, size_t i)
{
    uint32_t c = i ? at(wrapper, i - 1) : 0;
    return c && (unicode_is_word(c) || (c < 0x80 && strchr("!\"'&.,?", (int)c)));
}

/* The end of a dash (two or more) between two words that begins at `i`; 0 if there is none. */
static size_t dash_end(const struct wrapper *wrapper, size_t i)
{
    size_t end = i;
    if (!is_word_end(wrapper, i))
        return 0;
    while (at(wrapper, end) == '-')
        end++;
    return end >= i + 2 && unicode_is_word(at(wrapper, end)) ? end : 0;
}

/* Whether the hyphen at `i` is inside a word that may be broken after it. */
static bool is_hyphen(const struct wrapper *wrapper, size_t i)
{
    if (at(wrapper, i) != '-' || i < 2 || !is_letter(at(wrapper, i - 1)))
        return false;
    bool behind = is_letter(at(wrapper, i - 2)) ||
                  (at(wrapper, i - 2) == '-' && i >= 3 && is_letter(at(wrapper, i - 3)));
    size_t next = i + 2 + (at(wrapper, i + 2) == '-');
    return behind && is_letter(at(wrapper, i + 1)) && is_letter(at(wrapper, next));
}

/* The end of the chunk at `start`: blanks, a word, a part of one, or a dash. */
static size_t chunk_end(const struct wrapper *wrapper, size_t start)
{
    bool blank = start < wrapper->count && is_blank(wrapper->line[start]);
    bool hyphens = wrapper->split_on_hyphens && !blank;
    size_t dash = hyphens ? dash_end(wrapper, start) : 0, i = start;
    if (dash || start == wrapper->count)
        return dash ? dash : start;
    for (i++; i < wrapper->count && is_blank(wrapper->line[i]) == blank; i++) {
        if (hyphens && is_hyphen(wrapper, i))
            return i + 1;
        if (hyphens && dash_end(wrapper, i))
            return i;
    }
    return i;
}

static void next_chunk(struct wrapper *wrapper)
{
    wrapper->start = wrapper->end;
    wrapper->end = chunk_end(wrapper, wrapper->start);
}

static bool is_all_space(const struct wrapper *wrapper, size_t start, size_t end)
{
    while (start < end && unicode_is_space(wrapper->line[start]))
        start++;
    return start == end;
}

/* How much of a chunk longer than a line goes into `room`. */
static size_t broken_length(const struct wrapper *wrapper, size_t room)
{
    const uint32_t *chunk = wrapper->line + wrapper->start;
    size_t hyphen = wrapper->break_on_hyphens ? room : 0;
    while (hyphen > 0 && chunk[hyphen - 1] != '-')
        hyphen--; /* now after the last one, or 0 */
    for (size_t i = 0; i + 1 < hyphen; i++)
        if (chunk[i] != '-')
            return hyphen;
    return room;
}

static void put_line(struct wrapper *wrapper, size_t start, size_t end)
{
    struct buf *out = &wrapper->vm->scratch;
    if (wrapper->lines++)
        (void)buf_append(out, wrapper->between.ptr, wrapper->between.len);
    for (size_t i = start; i < end; i++)
        (void)utf8_put(out, wrapper->line[i]);
}

/* Writes as much as fits into one line, without its trailing blanks; `first` keeps leading ones. */
static void wrap_once(struct wrapper *wrapper, bool first)
{
    if (!first && is_all_space(wrapper, wrapper->start, wrapper->end))
        next_chunk(wrapper);
    size_t start = wrapper->start, last = start, chunks = 0;
    while (wrapper->start < wrapper->count && wrapper->end - start <= wrapper->width) {
        last = wrapper->start;
        next_chunk(wrapper);
        chunks++;
    }
    size_t end = wrapper->start, length = wrapper->end - wrapper->start;
    if (length > wrapper->width && (wrapper->break_words || !chunks)) {
        last = end;
        end +=
            wrapper->break_words ? broken_length(wrapper, wrapper->width - (end - start)) : length;
        wrapper->start = end;
        if (end == wrapper->end)
            next_chunk(wrapper);
        chunks++;
    }
    if (chunks && is_all_space(wrapper, last, end)) {
        end = last;
        chunks--;
    }
    if (chunks)
        put_line(wrapper, start, end);
}

/* An empty line stays. As in Python, the width is checked only if there is a line to wrap. */
static int wrap_line(struct wrapper *wrapper, struct span line, uint32_t *characters)
{
    size_t before = wrapper->lines;
    if (!wrapper->width)
        return vm_fail(wrapper->vm, CODE_TYPE, "the width of 'wordwrap' must be more than 0");
    wrapper->line = characters;
    wrapper->count = 0;
    for (size_t pos = 0; pos < line.len;) {
        uint32_t c = characters[wrapper->count++] = utf8_next(line, &pos);
        if (unicode_is_unassigned(c))
            return vm_fail(wrapper->vm, CODE_TYPE,
                           "whether U+%04X is of a word is not known: it is not in Unicode 14", c);
    }
    wrapper->end = 0;
    next_chunk(wrapper);
    while (wrapper->start < wrapper->count)
        wrap_once(wrapper, wrapper->lines == before);
    if (wrapper->lines == before)
        put_line(wrapper, 0, 0);
    return vm_charge(wrapper->vm, line.len / 2);
}

static int read_wrapper(struct wrapper *wrapper, struct vm *vm, const struct arguments *arguments)
{
    int64_t width;
    bool hyphens = !argument_given(arguments, 3);
    *wrapper = (struct wrapper){.vm = vm, .between = span_of("\n", 1)};
    if (argument_integer(&width, vm, arguments, 0, 79) ||
        argument_truth(&wrapper->break_words, vm, arguments, 1, true) ||
        argument_truth(&wrapper->break_on_hyphens, vm, arguments, 3, true))
        return -1;
    if (!hyphens)
        hyphens = arguments->values[3].kind == V_BOOL && arguments->values[3].boolean;
    wrapper->split_on_hyphens = hyphens;
    if (argument_given(arguments, 2) && arguments->values[2].kind != V_NONE) {
        if (argument_text(&wrapper->between, vm, arguments, 2))
            return -1;
        if (arguments->values[2].safe)
            return vm_fail(vm, CODE_TYPE, "'wordwrap' cannot join by the result of 'escape'");
    }
    wrapper->width = width > 0 ? (size_t)width : 0;
    return 0;
}

int filter_wordwrap(struct value *out, struct vm *vm, const struct arguments *given)
{
    const struct value *self = given->self;
    struct wrapper wrapper;
    if (self->kind != V_TEXT)
        return vm_fail_kind(vm, "'wordwrap' takes a text", self);
    if (read_wrapper(&wrapper, vm, given))
        return -1;
    struct text_lines lines = {.text = self->text};
    struct span line;
    size_t start = vm_begin(vm);
    uint32_t *characters = vm_alloc(vm, self->text.len * sizeof(*characters));
    while (text_next_line(&line, NULL, &lines))
        if (wrap_line(&wrapper, line, characters))
            return -1;
    return vm_end(out, vm, start);
}
