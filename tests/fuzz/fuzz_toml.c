/* TOML: whatever comes, it is valid or not, with CRLF as with LF, and a line more at its end. */
#include "fuzz.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/toml.h"

#include <stdint.h>
#include <string.h>

static bool valid(const struct buf *buf)
{
    return toml_valid(span_of(buf_text(buf), buf->len));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    struct span source = span_of((const char *)bytes, size);
    BUF_SCRATCH(crlf, LIMIT_MIB);
    BUF_SCRATCH(more, LIMIT_MIB);
    bool is_valid = toml_valid(source);
    if (!is_valid || memchr(bytes, '\r', size))
        return 0;
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] == '\n')
            (void)buf_putc(&crlf, '\r');
        (void)buf_putc(&crlf, (char)bytes[i]);
    }
    must(valid(&crlf));
    (void)buf_append(&more, bytes, size);
    (void)buf_puts(&more, "\n# a comment\n");
    must(valid(&more));
    /* a table that is declared twice is never valid */
    (void)buf_puts(&more, "[fuzz-1]\n[fuzz-1]\n");
    must(!valid(&more));
    return 0;
}
