/* Properties of the terminal. */
#include "io/term.h"

#include "base/str.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
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

size_t term_width(FILE *stream)
{
    struct winsize size = {0};
    bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    size_t columns = known ? size.ws_col : 80;
    return columns < 20 ? 20 : columns;
}

bool term_echo(bool shown)
{
    struct termios mode;
    if (tcgetattr(STDIN_FILENO, &mode) < 0)
        return true;
    bool was = mode.c_lflag & ECHO;
    mode.c_lflag = shown ? mode.c_lflag | ECHO : mode.c_lflag & ~(tcflag_t)ECHO;
    (void)tcsetattr(STDIN_FILENO, TCSANOW, &mode);
    return was;
}
