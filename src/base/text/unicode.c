/* Character classes, letter case, and the key under which names are equal. */
#include "base/unicode.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

struct range {
    uint32_t first, last;
};

/* Characters with the same canonical combining class, not 0. */
struct class_range {
    uint32_t first, last, class;
};

/* One step of a canonical decomposition; `second` is 0 if there is only one character. */
struct decomposition {
    uint32_t from, first, second;
};

/* Every `stride`th character from `first` to `last` maps to the one `delta` further on. */
struct case_range {
    uint32_t first, last, stride;
    int32_t delta;
};

/* A character that maps to up to three; unused places are 0. */
struct case_special {
    uint32_t from, first, second, third;
};

#include "base/text/unicode_tables.inc"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*
 * The last row of a sorted table that does not begin after `c`, or NULL. Every row begins with its
 * first character.
 */
static const void *find_row(const void *table, size_t count, size_t size, uint32_t c)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t first;
        memcpy(&first, (const char *)table + middle * size, sizeof(first));
        if (first <= c)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? (const char *)table + (low - 1) * size : NULL;
}

#define FIND_ROW(table, c) find_row((table), COUNT(table), sizeof((table)[0]), (c))

static bool in_row(const struct range *row, uint32_t c)
{
    return row && c <= row->last;
}

#define IS_IN(ranges, c) in_row(FIND_ROW((ranges), (c)), (c))

bool unicode_is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

bool unicode_is_hidden(uint32_t c)
{
    return c >= 0xAD && IS_IN(hidden_ranges, c);
}

bool unicode_is_space(uint32_t c)
{
    if (c >= ' ' && c < 0x7F) /* most are */
        return c == ' ';
    return IS_IN(space_ranges, c);
}

bool unicode_is_line_break(uint32_t c)
{
    return (c >= '\n' && c <= '\r') || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
           c == 0x2029;
}

bool unicode_is_unassigned(uint32_t c)
{
    return c >= 0x80 && IS_IN(unassigned_ranges, c);
}

bool unicode_is_printable(uint32_t c)
{
    return !IS_IN(unprintable_ranges, c) && !unicode_is_unassigned(c);
}

int unicode_digit(uint32_t c)
{
    const struct range *row = FIND_ROW(decimal_ranges, c);
    return in_row(row, c) ? (int)((c - row->first) % 10) : -1;
}

bool unicode_is_word(uint32_t c)
{
    return IS_IN(word_ranges, c);
}

static bool is_small(uint32_t c)
{
    return IS_IN(small_ranges, c);
}

static bool is_capital(uint32_t c)
{
    return IS_IN(capital_ranges, c);
}

/* Whether at least one character is `wanted` and none is `other`. */
static bool is_all(struct span text, bool (*wanted)(uint32_t c), bool (*other)(uint32_t c))
{
    bool found = false;
    for (size_t pos = 0; pos < text.len;) {
        uint32_t c = utf8_next(text, &pos);
        if (other(c) || IS_IN(title_ranges, c))
            return false;
        found = found || wanted(c);
    }
    return found;
}

bool unicode_is_lower(struct span text)
{
    return is_all(text, is_small, is_capital);
}

bool unicode_is_upper(struct span text)
{
    return is_all(text, is_capital, is_small);
}

static int result(const struct buf *out)
{
    return out->overflowed ? -1 : 0;
}

int unicode_mask(struct buf *out, struct span text, bool keep_newlines)
{
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = utf8_next(text, &pos);
        if (c == UTF8_INVALID)
            (void)buf_printf(out, "\\x%02X", (unsigned char)text.ptr[start]);
        else if (c == '\n' && keep_newlines)
            (void)buf_putc(out, '\n');
        else if (unicode_is_control(c) && c < 0x80)
            (void)buf_printf(out, "\\x%02X", (unsigned)c);
        else if (unicode_is_control(c) || unicode_is_hidden(c))
            (void)buf_printf(out, c < 0x10000 ? "\\u%04X" : "\\U%08X", (unsigned)c);
        else
            (void)buf_append(out, text.ptr + start, pos - start);
    }
    return result(out);
}

/* One of the case mappings: ranges for most characters, specials for those that become several. */
struct case_table {
    const struct case_range *ranges;
    size_t range_count;
    const struct case_special *specials;
    size_t special_count;
};

#define CASE_TABLE(of)                                                                             \
    {                                                                                              \
        of##_ranges, COUNT(of##_ranges), of##_specials, COUNT(of##_specials)                       \
    }
static const struct case_table lower_table = CASE_TABLE(lower), upper_table = CASE_TABLE(upper),
                               fold_table = CASE_TABLE(fold);

static size_t copy_special(uint32_t to[3], const struct case_special *special)
{
    to[0] = special->first;
    to[1] = special->second;
    to[2] = special->third;
    return to[2] ? 3 : to[1] ? 2 : 1;
}

/* Maps `c` to 1 to 3 characters; returns how many. */
static size_t map_case(uint32_t to[3], const struct case_table *table, uint32_t c)
{
    const struct case_special *special =
        find_row(table->specials, table->special_count, sizeof(*special), c);
    if (special && special->from == c)
        return copy_special(to, special);
    const struct case_range *row = find_row(table->ranges, table->range_count, sizeof(*row), c);
    to[0] = c;
    if (row && c <= row->last && (c - row->first) % row->stride == 0)
        to[0] = (uint32_t)((int32_t)c + row->delta);
    return 1;
}

static size_t map_title(uint32_t to[3], uint32_t c)
{
    const struct case_special *special = FIND_ROW(title_specials, c);
    if (special && special->from == c)
        return copy_special(to, special);
    return map_case(to, &upper_table, c);
}

#define CAPITAL_SIGMA 0x3A3
#define SMALL_SIGMA 0x3C3
#define FINAL_SIGMA 0x3C2

/* Whether the next character from `pos` on that is not case-ignorable is cased. */
static bool cased_follows(struct span text, size_t pos)
{
    while (pos < text.len) {
        uint32_t c = utf8_next(text, &pos);
        if (!IS_IN(case_ignorable_ranges, c))
            return IS_IN(cased_ranges, c);
    }
    return false;
}

/* A text being mapped. What follows `pos` decides how a capital sigma is written. */
struct case_state {
    struct span text;
    size_t pos;
    bool word;         /* the last character that is not case-ignorable has a case */
    bool cased_before; /* the last character has a case */
};

static size_t map_character(uint32_t to[3], const struct case_state *state, enum letter_case into,
                            uint32_t c)
{
    if (into == UNICODE_UPPER)
        return map_case(to, &upper_table, c);
    if (into == UNICODE_TITLE)
        return map_title(to, c);
    if (c != CAPITAL_SIGMA)
        return map_case(to, &lower_table, c);
    to[0] = state->word && !cased_follows(state->text, state->pos) ? FINAL_SIGMA : SMALL_SIGMA;
    return 1;
}

/* Maps the next character; keeps an invalid byte. */
static void put_next(struct buf *out, struct case_state *state, enum letter_case into)
{
    size_t start = state->pos;
    uint32_t to[3], c = utf8_next(state->text, &state->pos);
    if (c == UTF8_INVALID) {
        (void)buf_putc(out, state->text.ptr[start]);
        state->word = state->cased_before = false;
        return;
    }
    size_t count = map_character(to, state, into, c);
    for (size_t i = 0; i < count; i++)
        (void)utf8_put(out, to[i]);
    state->cased_before = IS_IN(cased_ranges, c);
    if (!IS_IN(case_ignorable_ranges, c))
        state->word = state->cased_before;
}

/* The fast path without tables, for ASCII. False for any other text. */
static bool put_ascii(struct buf *out, struct span text, char first)
{
    size_t start = out->len;
    unsigned char all = 0;
    for (size_t i = 0; i < text.len; i++)
        all |= (unsigned char)text.ptr[i];
    if (all >= 0x80)
        return false;
    if (buf_append(out, text.ptr, text.len) == 0)
        for (char *c = out->ptr + start; c < out->ptr + out->len; c++)
            *c = (char)(*c ^ ((unsigned char)(*c - first) < 26 ? 0x20 : 0));
    return true;
}

/* The case of the next character: lower within words, and behind the first character. */
static enum letter_case next_case(const struct case_state *state, enum letter_case into)
{
    if (into == UNICODE_TITLE)
        return state->cased_before ? UNICODE_LOWER : UNICODE_TITLE;
    if (into == UNICODE_CAPITALIZED)
        return state->pos ? UNICODE_LOWER : UNICODE_TITLE;
    return into;
}

int unicode_put_case(struct buf *out, struct span text, enum letter_case into)
{
    struct case_state state = {.text = text};
    if ((into == UNICODE_LOWER && put_ascii(out, text, 'A')) ||
        (into == UNICODE_UPPER && put_ascii(out, text, 'a')))
        return result(out);
    while (state.pos < text.len)
        put_next(out, &state, next_case(&state, into));
    return result(out);
}

static bool is_of_set(struct span set, uint32_t c)
{
    if (!set.ptr)
        return unicode_is_space(c);
    for (size_t pos = 0; pos < set.len;)
        if (utf8_next(set, &pos) == c)
            return true;
    return false;
}

struct span unicode_strip_set(struct span text, struct span set, bool left, bool right)
{
    size_t start = 0, end = text.len;
    while (left && start < end) {
        size_t next = start;
        if (!is_of_set(set, utf8_next(text, &next)))
            break;
        start = next;
    }
    while (right && end > start) {
        size_t before = end;
        if (!is_of_set(set, utf8_previous(text, &before)))
            break;
        end = before;
    }
    return span_of(text.ptr + start, end - start);
}

struct span unicode_strip(struct span text, bool left, bool right)
{
    return unicode_strip_set(text, span_of(NULL, 0), left, right);
}

static unsigned combining_class(uint32_t c)
{
    const struct class_range *row = FIND_ROW(combining_ranges, c);
    return row && c <= row->last ? row->class : 0;
}

/*
 * Characters on the way to a key. Above the bits of the character each item holds its combining
 * class and its place, so that numeric order is canonical order.
 */
struct character_run {
    uint64_t *items;
    size_t count;
    size_t starter; /* start of the marks not yet sorted */
};

#define ITEM_CHARACTER 0xFFFFFFU
#define ITEM_INVALID 0x800000U /* and the byte */

static int by_order(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void order_marks(struct character_run *run)
{
    if (run->count - run->starter > 1)
        qsort(run->items + run->starter, run->count - run->starter, sizeof(*run->items), by_order);
    run->starter = run->count;
}

static void run_put(struct character_run *run, uint32_t c)
{
    uint64_t class = c & ITEM_INVALID ? 0 : combining_class(c);
    if (!class)
        order_marks(run);
    uint64_t place = (run->count - run->starter) & UINT32_MAX;
    run->items = xgrow(run->items, run->count, sizeof(*run->items));
    run->items[run->count++] = class << 56 | place << 24 | c;
    if (!class)
        run->starter = run->count;
}

#define HANGUL_FIRST 0xAC00
#define HANGUL_COUNT 11172
#define HANGUL_VOWELS 21
#define HANGUL_TRAILS 28

static void decompose_hangul(struct character_run *run, uint32_t index)
{
    uint32_t trail = index % HANGUL_TRAILS;
    run_put(run, 0x1100 + index / (HANGUL_VOWELS * HANGUL_TRAILS));
    run_put(run, 0x1161 + index / HANGUL_TRAILS % HANGUL_VOWELS);
    if (trail)
        run_put(run, 0x11A7 + trail);
}

/* Canonical decompositions nest on their first character only, and four deep at most. */
static void decompose(struct character_run *run, uint32_t c)
{
    uint32_t seconds[4];
    size_t count = 0;
    if (c >= HANGUL_FIRST && c < HANGUL_FIRST + HANGUL_COUNT) {
        decompose_hangul(run, c - HANGUL_FIRST);
        return;
    }
    for (;;) {
        const struct decomposition *row = FIND_ROW(decompositions, c);
        if (!row || row->from != c || count == COUNT(seconds))
            break;
        if (row->second)
            seconds[count++] = row->second;
        c = row->first;
    }
    run_put(run, c);
    while (count)
        run_put(run, seconds[--count]);
}

static void decompose_text(struct character_run *run, struct span text)
{
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = utf8_next(text, &pos);
        if (c == UTF8_INVALID)
            run_put(run, ITEM_INVALID | (unsigned char)text.ptr[start]);
        else
            decompose(run, c);
    }
    order_marks(run);
}

static void fold_run(struct character_run *folded, const struct character_run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        uint32_t to[3], c = run->items[i] & ITEM_CHARACTER;
        if (c & ITEM_INVALID) {
            run_put(folded, c);
            continue;
        }
        size_t count = map_case(to, &fold_table, c);
        for (size_t j = 0; j < count; j++)
            decompose(folded, to[j]);
    }
    order_marks(folded);
}

int unicode_fold_key(struct buf *out, struct span text)
{
    struct character_run run = {0}, folded = {0};
    if (put_ascii(out, text, 'A'))
        return result(out);
    decompose_text(&run, text);
    fold_run(&folded, &run);
    for (size_t i = 0; i < folded.count; i++) {
        uint32_t c = folded.items[i] & ITEM_CHARACTER;
        if (c & ITEM_INVALID)
            (void)buf_putc(out, (char)(c & 0xFF));
        else
            (void)utf8_put(out, c);
    }
    free(run.items);
    free(folded.items);
    return result(out);
}
