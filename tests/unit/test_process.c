/* What other programs say while they run, to the last of it. */
#include "io/process.h"

#include "base/buf.h"
#include "base/err.h"
#include "unit/test.h"

#include <string.h>
#include <time.h>

/* A listener that is slow between two looks at the program, as a terminal may make it. */
struct listener {
    struct buf said;
    long slow_ms;
};

static void hear(void *context, const char *line)
{
    struct listener *l = context;
    assert_int_equal(buf_printf(&l->said, "%s|", line), 0);
}

static void be_slow(void *context)
{
    const struct listener *l = context;
    const struct timespec time = {.tv_nsec = l->slow_ms * 1000000};
    (void)nanosleep(&time, NULL);
}

/* `said` of NULL: among other things. */
static void check(const char *script, long slow_ms, bool answers, const char *said,
                  const char *answered)
{
    ERR_SCRATCH(err);
    BUF_SCRATCH(out, 1000000);
    struct listener l = {.said = BUF_INIT(1000000), .slow_ms = slow_ms};
    const char *const argv[] = {"sh", "-c", script, NULL};
    const struct process_watch watch = {
        .line = hear, .idle = be_slow, .context = &l, .out = answers ? &out : NULL};
    int status;
    assert_int_equal(process_stream(&status, argv, &watch, &err), 0);
    assert_int_equal(status, 3);
    if (said)
        assert_string_equal(buf_text(&l.said), said);
    else
        assert_non_null(strstr(buf_text(&l.said), "last|"));
    assert_string_equal(buf_text(&out), answered);
    buf_release(&l.said);
}

/* It ends while the listener is busy with something else, having been silent when last looked at.
 */
TEST(test_process__last_words)
{
    check("sleep 0.2; echo last; exit 3", 300, false, "last|", "");
    check("sleep 0.2; echo one; echo two >&2; exit 3", 300, false, "one|two|", "");
    check("sleep 0.2; echo one; echo two >&2; exit 3", 300, true, "two|", "one\n");
    check("sleep 0.2; printf 'no end of line'; exit 3", 300, false, "no end of line|", "");
    check("exec >&-; sleep 0.2; echo last >&2; exit 3", 300, true, "last|", "");
}

/* As much as a pipe holds: 64 KiB, but for the last line. */
TEST(test_process__a_full_pipe_of_last_words)
{
    BUF_SCRATCH(expected, 100000);
    for (int i = 0; i < 6000; i++)
        assert_int_equal(buf_puts(&expected, "last word|"), 0);
    check("sleep 0.2; yes 'last word' | head -n 6000; exit 3", 300, false, buf_text(&expected), "");
}

/* A program that it left behind holds the pipe: what is said soon is heard, and nobody waits long.
 */
TEST(test_process__what_was_left_behind)
{
    struct timespec start, end;
    (void)clock_gettime(CLOCK_MONOTONIC, &start);
    check("(sleep 30; echo late) & echo last; exit 3", 0, false, "last|", "");
    check("while echo more; do sleep 0.01; done & echo last; exit 3", 0, false, NULL, "");
    (void)clock_gettime(CLOCK_MONOTONIC, &end);
    assert_in_range(end.tv_sec - start.tv_sec, 0, 20);
}
