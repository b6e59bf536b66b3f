/* Properties of the terminal. */
#include "io/term.h"

#include "base/str.h"
#include "io/interrupt.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
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

size_t term_height(FILE *stream)
{
    struct winsize size = {0};
    bool known = ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
    return known ? size.ws_row : 24;
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

/* ---------------------------------------------------------------- key by key */

static struct termios lines_mode, keys_mode;
static volatile sig_atomic_t has_keys, went_on;

/* Signals of keys that stop or end a program which does nothing about them. */
static const int leaving[] = {SIGTSTP, SIGQUIT};
static struct sigaction actions_before[sizeof leaving / sizeof *leaving];

static void leave(int number);

/* With these signals held back: in between, `leave` would find half of what it relies on. */
static bool set_keys(bool on)
{
    struct sigaction action = {.sa_handler = leave, .sa_flags = SA_RESTART | SA_NODEFER};
    sigset_t held, before;
    (void)sigemptyset(&action.sa_mask);
    (void)sigemptyset(&held);
    for (size_t i = 0; i < sizeof leaving / sizeof *leaving; i++)
        (void)sigaddset(&held, leaving[i]);
    (void)sigprocmask(SIG_BLOCK, &held, &before);
    for (size_t i = 0; i < sizeof leaving / sizeof *leaving; i++)
        (void)sigaction(leaving[i], on ? &action : &actions_before[i],
                        on ? &actions_before[i] : NULL);
    has_keys = on;
    bool done = tcsetattr(STDIN_FILENO, TCSANOW, on ? &keys_mode : &lines_mode) == 0;
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    return done;
}

/* Gives the terminal back before the signal has its own effect; after a stop takes it again. */
static void leave(int number)
{
    int before = errno;
    term_keys_end();
    (void)kill(getpid(), number);
    (void)set_keys(true); /* whoever let it go on may have another mode now: lines_mode stays */
    went_on = 1;
    errno = before;
}

bool term_keys_begin(void)
{
    if (has_keys || tcgetattr(STDIN_FILENO, &lines_mode) < 0)
        return has_keys;
    keys_mode = lines_mode;
    keys_mode.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    keys_mode.c_cc[VMIN] = 1;
    keys_mode.c_cc[VTIME] = 0;
    return set_keys(true);
}

void term_keys_end(void)
{
    if (has_keys)
        (void)set_keys(false);
}

int term_read_key(char *out, struct err *err)
{
    int rc = interrupt_wait(STDIN_FILENO, err);
    if (rc < 0)
        return -1;
    if (went_on) {
        went_on = 0;
        return 2;
    }
    ssize_t count = rc ? -1 : read(STDIN_FILENO, out, 1);
    if (rc || (count < 0 && errno == EINTR))
        return term_read_key(out, err);
    return count == 1;
}

bool term_key_waits(void)
{
    struct pollfd wanted = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&wanted, 1, 0) == 1;
}
