/*
 * Says which documents are valid TOML: reads "LENGTH\n" and so many bytes, again and again, and
 * writes 1 or 0 for each.
 */
#include "base/arena.h"
#include "data/toml.h"

#include <stdio.h>

int main(void)
{
    size_t length;
    while (scanf("%zu", &length) == 1 && getchar() == '\n') {
        ARENA_SCRATCH(arena);
        char *bytes = arena_array(&arena, length + 1, 1);
        if (fread(bytes, 1, length, stdin) != length)
            return 1;
        if (putchar(toml_valid(span_of(bytes, length)) ? '1' : '0') == EOF)
            return 1;
    }
    return fflush(stdout) ? 1 : 0;
}
