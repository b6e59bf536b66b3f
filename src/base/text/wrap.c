/* Text broken into lines between its words. */
#include "base/wrap.h"

#include "base/buf.h"

#include <string.h>

/* Characters of UTF-8. */
static size_t length(const char *text, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes; i++)
        count += ((unsigned char)text[i] & 0xC0) != 0x80;
    return count;
}

void wrap_text(struct buf *out, const char *text, size_t column, size_t indent, size_t width)
{
    size_t blanks = 0;
    while (*text) {
        size_t bytes = strcspn(text, " \n"), len = length(text, bytes);
        if (bytes && column > indent && column + blanks + len > width) {
            (void)buf_printf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (bytes) {
            (void)buf_printf(out, "%*s", (int)blanks, "");
            column += blanks;
        }
        (void)buf_append(out, text, bytes);
        column += len;
        blanks = bytes ? 0 : blanks;
        text += bytes;
        if (*text == '\n') {
            (void)buf_printf(out, "\n%*s", text[1] && text[1] != '\n' ? (int)indent : 0, "");
            column = indent;
            blanks = 0;
        }
        blanks += *text == ' ';
        text += *text != '\0';
    }
    (void)buf_putc(out, '\n');
}
