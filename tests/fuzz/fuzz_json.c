/* Whatever is read as JSON is written so that it reads back the same, and safe to print. */
#include "fuzz.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "data/data.h"
#include "data/json.h"

#include <stdint.h>

static void check_written(struct arena *arena, const struct data *data, bool pretty)
{
    ERR_SCRATCH(err);
    BUF_SCRATCH(out, 64 * LIMIT_MIB);
    struct data *again = NULL;
    must(json_write(&out, data, pretty) == 0);
    struct span text = span_of(out.ptr, out.len);
    for (size_t pos = 0; pos < text.len;) {
        uint32_t c = utf8_next(text, &pos);
        must(c != UTF8_INVALID && !unicode_is_hidden(c));
        must(!unicode_is_control(c) || c == '\n');
    }
    if (text.len > LIMIT_DOCUMENT_BYTES)
        return;
    must(json_parse(&again, arena, "again", text, &err) == 0);
    must(data_equal(again, data));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct data *data = NULL;
    if (json_parse(&data, &arena, "in", span_of((const char *)bytes, size), &err)) {
        must(err.exit == TG_USAGE && err.message && err.where.file);
        return 0;
    }
    check_written(&arena, data, false);
    check_written(&arena, data, true);
    return 0;
}
