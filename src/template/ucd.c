/* What Python's str knows about characters: case, spaces, digits, printability. */
#include "template/ucd.h"

#include "base/buf.h"

struct ucd_range {
    uint32_t first, last;
};

struct ucd_mapping {
    uint32_t from, to[3]; /* `to` ends at the first 0 */
};

#include "template/ucd_tables.inc"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool in_ranges(const struct ucd_range *ranges, size_t count, uint32_t c)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c > ranges[middle].last)
            low = middle + 1;
        else if (c < ranges[middle].first)
            high = middle;
        else
            return true;
    }
    return false;
}

static const struct ucd_mapping *find_mapping(const struct ucd_mapping *mappings, size_t count,
                                              uint32_t c)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (c > mappings[middle].from)
            low = middle + 1;
        else if (c < mappings[middle].from)
            high = middle;
        else
            return &mappings[middle];
    }
    return NULL;
}

static bool continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

uint32_t ucd_next(struct span text, size_t *pos)
{
    unsigned char lead = (unsigned char)text.ptr[(*pos)++];
    size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    uint32_t c = more == 3 ? lead & 0x07 : more == 2 ? lead & 0x0F : more == 1 ? lead & 0x1F : lead;
    for (; more > 0 && *pos < text.len && continues(text.ptr[*pos]); more--)
        c = c << 6 | ((unsigned char)text.ptr[(*pos)++] & 0x3F);
    return c;
}

uint32_t ucd_previous(struct span text, size_t *pos)
{
    do
        (*pos)--;
    while (*pos > 0 && continues(text.ptr[*pos]));
    size_t start = *pos;
    return ucd_next(text, &start);
}

void ucd_put(struct buf *out, uint32_t c)
{
    char bytes[4];
    size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = len - 1; i > 0; i--) {
        bytes[i] = (char)(0x80 | (c & 0x3F));
        c >>= 6;
    }
    bytes[0] = (char)(leads[len] | c);
    (void)buf_append(out, bytes, len);
}

size_t ucd_count(struct span text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += !continues(text.ptr[i]);
    return count;
}

size_t ucd_offset(struct span text, size_t index)
{
    for (size_t i = 0; i < text.len; i++) {
        if (continues(text.ptr[i]))
            continue;
        if (index-- == 0)
            return i;
    }
    return text.len;
}

bool ucd_is_space(uint32_t c)
{
    if (c < 0x80)
        return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
           c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

bool ucd_is_line_break(uint32_t c)
{
    return (c >= '\n' && c <= '\r') || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 ||
           c == 0x2029;
}

bool ucd_is_printable(uint32_t c)
{
    return c < 0x7F ? c >= 0x20 : !in_ranges(ucd_hidden, COUNT(ucd_hidden), c);
}

bool ucd_is_unassigned(uint32_t c)
{
    return c >= 0x80 && in_ranges(ucd_unassigned, COUNT(ucd_unassigned), c);
}

int ucd_digit(uint32_t c)
{
    if (c < 0x80)
        return c >= '0' && c <= '9' ? (int)(c - '0') : -1;
    for (size_t i = 0; i < COUNT(ucd_zeros); i++)
        if (c >= ucd_zeros[i] && c <= ucd_zeros[i] + 9)
            return (int)(c - ucd_zeros[i]);
    return -1;
}

static bool is_cased(uint32_t c)
{
    return in_ranges(ucd_cased, COUNT(ucd_cased), c);
}

static bool is_ignorable(uint32_t c)
{
    return in_ranges(ucd_ignorable, COUNT(ucd_ignorable), c);
}

/* Does the sigma in [start, end) end a word: a letter before it and none behind it? */
static bool sigma_is_final(struct span text, size_t start, size_t end)
{
    bool before = false;
    while (start > 0) {
        uint32_t c = ucd_previous(text, &start);
        if (is_ignorable(c))
            continue;
        before = is_cased(c);
        break;
    }
    while (before && end < text.len) {
        uint32_t c = ucd_next(text, &end);
        if (!is_ignorable(c))
            return !is_cased(c);
    }
    return before;
}

static void put_mapped(struct buf *out, const struct ucd_mapping *mappings, size_t count,
                       uint32_t c)
{
    const struct ucd_mapping *mapping = find_mapping(mappings, count, c);
    if (!mapping) {
        ucd_put(out, c);
        return;
    }
    for (size_t i = 0; i < 3 && (i == 0 || mapping->to[i]); i++)
        ucd_put(out, mapping->to[i]);
}

#define CAPITAL_SIGMA 0x3A3
#define FINAL_SIGMA 0x3C2

static void put_lower(struct buf *out, struct span text, size_t start, size_t end, uint32_t c)
{
    if (c == CAPITAL_SIGMA && sigma_is_final(text, start, end))
        ucd_put(out, FINAL_SIGMA);
    else if (c < 0x80)
        (void)buf_putc(out, (char)(c >= 'A' && c <= 'Z' ? c + 32 : c));
    else
        put_mapped(out, ucd_lower, COUNT(ucd_lower), c);
}

int ucd_convert(struct buf *out, struct span text, enum ucd_case to, uint32_t *unknown)
{
    bool in_word = false;
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = ucd_next(text, &pos);
        if (ucd_is_unassigned(c)) {
            *unknown = c;
            return -1;
        }
        bool first = to == UCD_CAPITALIZE ? start == 0 : !in_word;
        if (to == UCD_UPPER)
            put_mapped(out, ucd_upper, COUNT(ucd_upper), c);
        else if (to == UCD_LOWER || !first)
            put_lower(out, text, start, pos, c);
        else
            put_mapped(out, ucd_title, COUNT(ucd_title), c);
        in_word = to == UCD_TITLE && is_cased(c);
    }
    return 0;
}

struct span ucd_strip(struct span text, bool left, bool right)
{
    size_t start = 0, end = text.len;
    while (left && start < end) {
        size_t next = start;
        if (!ucd_is_space(ucd_next(text, &next)))
            break;
        start = next;
    }
    while (right && end > start) {
        size_t before = end;
        if (!ucd_is_space(ucd_previous(text, &before)))
            break;
        end = before;
    }
    return span_of(text.ptr + start, end - start);
}
