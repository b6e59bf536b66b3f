/* What the terminal can do. */
#include "base/term.h"

#include "base/str.h"

#include <stdlib.h>
#include <unistd.h>

bool term_interactive(void)
{
    return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

bool term_moves(FILE *stream)
{
    const char *terminal = getenv("TERM");
    return terminal && *terminal && !str_equal(terminal, "dumb") && isatty(fileno(stream));
}

const char *term_colour(FILE *stream, const char *coloured, const char *plain)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool wanted = !(no_colour && *no_colour) && terminal && !str_equal(terminal, "dumb");
    return wanted && isatty(fileno(stream)) ? coloured : plain;
}
