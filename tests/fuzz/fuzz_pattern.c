/*
 * A line with a pattern, then a text. Whatever a pattern is, it is refused with a place and a hint,
 * or it can be used: in bounded time, with the same result twice, and with what follows from it for
 * patterns made of it.
 */
#include "fuzz.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/pattern.h"

#include <stdint.h>
#include <string.h>

enum outcome { NO, YES, LIMIT };

static enum outcome match(struct span pattern, struct span text)
{
    bool matched = false;
    ERR_SCRATCH(err);
    if (pattern_match(&matched, pattern, text, &err) < 0) {
        must(err.exit == TG_USAGE && strcmp(err.code, "limit") == 0);
        return LIMIT;
    }
    return matched ? YES : NO;
}

static enum outcome match_within(const char *before, struct span pattern, const char *behind,
                                 struct span text)
{
    BUF_SCRATCH(whole, LIMIT_MIB);
    (void)buf_puts(&whole, before);
    (void)buf_append(&whole, pattern.ptr, pattern.len);
    (void)buf_puts(&whole, behind);
    return match(span_of(buf_text(&whole), whole.len), text);
}

static bool agree(enum outcome a, enum outcome b)
{
    return a == LIMIT || b == LIMIT || a == b;
}

#define TEXT_BYTES 500 /* of all patterns below together, within the time that one input has */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    const char *end = memchr(bytes, '\n', size);
    struct span pattern =
        span_of((const char *)bytes, end ? (size_t)(end - (const char *)bytes) : size);
    struct span text = span_of((const char *)bytes + size, 0);
    size_t at = SIZE_MAX;
    ERR_SCRATCH(err);
    if (end)
        text = span_of(end + 1, size - pattern.len - 1);
    if (text.len > TEXT_BYTES)
        text.len = TEXT_BYTES;
    if (pattern_check(&at, pattern, &err) < 0) {
        must(err.exit == TG_USAGE && err.message && err.hint && at <= pattern.len);
        return 0;
    }
    enum outcome outcome = match(pattern, text);
    must(agree(outcome, match_within("^(", pattern, ")$", text)));
    must(agree(outcome, match_within("(", pattern, "){1}", text)));
    must(agree(outcome, match_within("x{0}", pattern, "|", text)) || text.len == 0);
    must(outcome != YES || agree(YES, match_within("(", pattern, ")*", text)));
    must(outcome != YES || agree(YES, match_within("(", pattern, "){0,2}|x", text)));
    must(agree(YES, match_within("(", pattern, ")|(.|[^.])*", text)));
    return 0;
}
