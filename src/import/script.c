/* Hooks and tasks: code that is never run here, told to whoever decides what becomes of it. */
#include "import/script.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/unicode.h"
#include "base/utf8.h"

#include <string.h>

enum { LINES = 3, BYTES = 160 };

/* Comments, imports and what is empty say nothing. */
static bool says_something(struct span line)
{
    static const char *const silent[] = {"#", "import ", "from ", "\"\"\"", "'''", "set -"};
    if (line.len == 0)
        return false;
    for (size_t i = 0; i < sizeof(silent) / sizeof(*silent); i++)
        if (line.len >= strlen(silent[i]) && memcmp(line.ptr, silent[i], strlen(silent[i])) == 0)
            return false;
    return true;
}

const char *script_gist(struct arena *arena, struct span text)
{
    BUF_SCRATCH(out, (size_t)BYTES * (LINES + 1));
    if (!utf8_valid(text))
        return "no text";
    for (size_t at = 0, lines = 0; at < text.len && lines < LINES && out.len < BYTES;) {
        const char *end = memchr(text.ptr + at, '\n', text.len - at);
        size_t len = end ? (size_t)(end - text.ptr) - at : text.len - at;
        struct span line = unicode_strip(span_of(text.ptr + at, len), true, true);
        at += len + 1;
        if (!says_something(line))
            continue;
        size_t shown = line.len < BYTES ? line.len : BYTES;
        while (shown && shown < line.len && utf8_continues(line.ptr[shown]))
            shown--;
        (void)buf_puts(&out, lines++ ? "; " : "");
        (void)buf_append(&out, line.ptr, shown);
    }
    return arena_strdup(arena, buf_text(&out));
}
