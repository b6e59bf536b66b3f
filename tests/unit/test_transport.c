/* The `git` command under limits: a `git` of the test's own stands in for a server that goes on. */
#include "git/transport.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "place.h"
#include "unit/test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Runs `script` as git in the test's folder. */
static int run(struct transport_answer *out, struct arena *arena, const struct place *place,
               const char *script, size_t max_bytes, int seconds, struct err *err)
{
    const char *const arguments[] = {"fetch", "--", "https://h/x", NULL};
    const char *path = arena_printf(arena, "%s:/usr/bin:/bin", place->path);
    const struct transport how = {
        .git_dir = place->path, .max_bytes = max_bytes, .seconds = seconds};
    place_put(place, "objects/pack/old.pack", "0123456789");
    place_put(place, "git", script);
    assert_int_equal(chmod(arena_printf(arena, "%s/git", place->path), 0700), 0);
    assert_int_equal(setenv("PATH", path, 1), 0);
    return transport_run(out, arena, &how, arguments, err);
}

TEST_IN_PLACE(test_transport__ends_what_takes_too_many_bytes)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct transport_answer answer;
    const char *script = "#!/bin/sh\ncd ${1#--git-dir=}/objects/pack\n"
                         "head -c 3000000 /dev/zero >tmp_pack_x\nexec sleep 60\n";
    time_t start = time(NULL);
    assert_int_equal(run(&answer, &arena, *state, script, 2 * LIMIT_MIB, 60, &err), -1);
    assert_int_equal(err.exit, TG_RUNTIME);
    assert_string_equal(err.code, "limit");
    assert_string_equal(err.message, "more than 2 MiB came");
    assert_true(time(NULL) - start < 30);
}

TEST_IN_PLACE(test_transport__ends_what_takes_too_long)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct transport_answer answer;
    assert_int_equal(run(&answer, &arena, *state, "#!/bin/sh\nexec sleep 60\n", 0, 1, &err), -1);
    assert_string_equal(err.code, "limit");
    assert_string_equal(err.message, "git has not ended after 1 s");
}

TEST_IN_PLACE(test_transport__words_have_no_password)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct transport_answer answer;
    const char *script =
        "#!/bin/sh\necho \"fatal: unable to access 'https://u:p@w@h/x/': no\" >&2\n"
        "echo 'remote: see https://a@h/b and https://c/d@e' >&2\nexit 128\n";
    assert_int_equal(run(&answer, &arena, *state, script, 0, 60, &err), 0);
    assert_int_equal(answer.status, 128);
    assert_string_equal(answer.words, "unable to access 'https://h/x/': no; see https://h/b and "
                                      "https://c/d@e");
}

TEST_IN_PLACE(test_transport__keeps_no_variable_that_leads_elsewhere)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct transport_answer answer;
    (void)setenv("GIT_DIR", "/nowhere", 1);
    (void)setenv("GIT_CONFIG_PARAMETERS", "'a.b=c'", 1);
    (void)setenv("GIT_SSL_NO_VERIFY", "1", 1);
    (void)setenv("GIT_SSL_CAINFO", "/ca", 1);
    (void)setenv("SSH_AUTH_SOCK", "/agent", 1);
    assert_int_equal(run(&answer, &arena, *state, "#!/bin/sh\nenv | sort\n", 0, 60, &err), 0);
    const char *text = arena_memdup(&arena, answer.output.ptr, answer.output.len);
    assert_null(strstr(text, "GIT_DIR"));
    assert_null(strstr(text, "GIT_CONFIG_PARAMETERS"));
    assert_null(strstr(text, "GIT_SSL_NO_VERIFY"));
    assert_non_null(strstr(text, "GIT_SSL_CAINFO=/ca\n"));
    assert_non_null(strstr(text, "SSH_AUTH_SOCK=/agent\n"));
    assert_non_null(strstr(text, "GIT_TERMINAL_PROMPT=0\n"));
}
