/* UTF-8: bytes to characters and back. */
#include "base/utf8.h"

#include "base/buf.h"

bool utf8_continues(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* The length of the sequence that `byte` begins, or 0 if it begins none. */
static size_t sequence_length(unsigned char byte)
{
    if (byte < 0x80)
        return 1;
    if (byte >= 0xC2 && byte <= 0xDF)
        return 2;
    if (byte >= 0xE0 && byte <= 0xEF)
        return 3;
    return byte >= 0xF0 && byte <= 0xF4 ? 4 : 0;
}

uint32_t utf8_next(struct span text, size_t *pos)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text.ptr + *pos;
    size_t len = sequence_length(*bytes);
    if (len == 1) {
        *pos += 1;
        return *bytes;
    }
    if (len == 0 || len > text.len - *pos) {
        *pos += 1;
        return UTF8_INVALID;
    }
    uint32_t c = *bytes & (0xFFU >> (len + 1));
    for (size_t i = 1; i < len; i++) {
        if (!utf8_continues((char)bytes[i])) {
            *pos += 1;
            return UTF8_INVALID;
        }
        c = c << 6 | (bytes[i] & 0x3F);
    }
    if (c < least[len] || (c >= 0xD800 && c <= 0xDFFF) || c > 0x10FFFF) {
        *pos += 1;
        return UTF8_INVALID;
    }
    *pos += len;
    return c;
}

uint32_t utf8_previous(struct span text, size_t *pos)
{
    do
        (*pos)--;
    while (*pos > 0 && utf8_continues(text.ptr[*pos]));
    size_t start = *pos;
    return utf8_next(text, &start);
}

bool utf8_valid(struct span text)
{
    for (size_t pos = 0; pos < text.len;)
        if (utf8_next(text, &pos) == UTF8_INVALID)
            return false;
    return true;
}

int utf8_put(struct buf *out, uint32_t c)
{
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    size_t len = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    char bytes[4];
    for (size_t i = len - 1; i > 0; i--, c >>= 6)
        bytes[i] = (char)(0x80 | (c & 0x3F));
    bytes[0] = (char)(leads[len] | c);
    return buf_append(out, bytes, len);
}

size_t utf8_count(struct span text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += !utf8_continues(text.ptr[i]);
    return count;
}

size_t utf8_offset(struct span text, size_t index)
{
    for (size_t i = 0; i < text.len; i++) {
        if (utf8_continues(text.ptr[i]))
            continue;
        if (index-- == 0)
            return i;
    }
    return text.len;
}
