/* Locks that are told from others' by their text, and the small files of a repository. */
#include "base/err.h"
#include "base/span.h"
#include "git/ref.h"
#include "place.h"
#include "unit/test.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOKEN "tmplgen 0123\n"

static int lock(const struct place *place, const char *path, struct err *err)
{
    return ref_lock(place->fd, path, place->fd, "token", "the thing", err);
}

static int unlock(const struct place *place, const char *path, struct err *err)
{
    return ref_unlock(place->fd, path, place->fd, "token", err);
}

TEST_IN_PLACE(test_ref_lock__is_ours_again_and_goes_when_it_is_given_back)
{
    ERR_SCRATCH(err);
    const struct place *place = *state;
    place_put(place, "token", TOKEN);
    assert_int_equal(lock(place, "refs/heads/x/y", &err), 0);
    place_holds(place, "refs/heads/x/y.lock", TOKEN);
    assert_int_equal(lock(place, "refs/heads/x/y", &err), 0);
    assert_int_equal(unlock(place, "refs/heads/x/y", &err), 0);
    place_holds(place, "refs/heads/x/y.lock", NULL);
    assert_int_equal(unlock(place, "refs/heads/x/y", &err), 0);
    assert_int_equal(unlock(place, "none/z", &err), 0);
    assert_int_equal(unlock(place, "token/z", &err), 0);
    assert_int_equal(ref_probe(place->fd, "token", &err), 0);
    place_holds(place, REF_PROBE, NULL);
}

static void assert_foreign(const struct place *place)
{
    ERR_SCRATCH(err);
    assert_int_equal(lock(place, "index", &err), -1);
    assert_int_equal(err.exit, TG_REFUSED);
    assert_string_equal(err.code, "locked");
    assert_non_null(strstr(err.message, "the thing is locked"));
    assert_int_equal(unlock(place, "index", &err), 0);
    struct stat info;
    assert_int_equal(fstatat(place->fd, "index.lock", &info, AT_SYMLINK_NOFOLLOW), 0);
}

TEST_IN_PLACE(test_ref_lock__of_somebody_else_stays)
{
    const struct place *place = *state;
    place_put(place, "token", TOKEN);
    place_put(place, "index.lock", "");
    assert_foreign(place);
    assert_int_equal(unlinkat(place->fd, "index.lock", 0), 0);
    place_put(place, "index.lock", "tmplgen 0124\n");
    assert_foreign(place);
    assert_int_equal(unlinkat(place->fd, "index.lock", 0), 0);
    assert_int_equal(mkdirat(place->fd, "index.lock", 0700), 0);
    assert_foreign(place);
    assert_int_equal(unlinkat(place->fd, "index.lock", AT_REMOVEDIR), 0);
    assert_int_equal(symlinkat("token", place->fd, "index.lock"), 0);
    assert_foreign(place);
    assert_int_equal(unlinkat(place->fd, "token", 0), 0);
    assert_int_equal(unlinkat(place->fd, "index.lock", 0), 0);
    place_put(place, "index.lock", ""); /* of no token: an empty one is not ours, either */
    ERR_SCRATCH(err);
    assert_int_equal(unlock(place, "index", &err), 0);
    place_holds(place, "index.lock", "");
}

static bool says(const struct place *place, const char *path, const char *text)
{
    ERR_SCRATCH(err);
    bool found = true;
    assert_int_equal(ref_says(&found, place->fd, path, text, &err), 0);
    return found;
}

TEST_IN_PLACE(test_ref_says__the_text_less_its_newlines)
{
    ERR_SCRATCH(err);
    const struct place *place = *state;
    bool found = true;
    place_put(place, "HEAD", "ref: refs/heads/main\n\n");
    assert_true(says(place, "HEAD", "ref: refs/heads/main"));
    assert_false(says(place, "HEAD", "ref: refs/heads/mai"));
    assert_false(says(place, "HEAD", "ref: refs/heads/main2"));
    assert_false(says(place, "none", ""));
    assert_false(says(place, "HEAD/none", ""));
    assert_int_equal(mkdirat(place->fd, "folder", 0700), 0);
    assert_false(says(place, "folder", ""));
    assert_int_equal(symlinkat("loop", place->fd, "loop"), 0);
    assert_int_equal(ref_says(&found, place->fd, "loop", "", &err), -1);
    assert_false(found);
}

TEST_IN_PLACE(test_ref_put__takes_the_place_of_an_empty_folder)
{
    ERR_SCRATCH(err);
    const struct place *place = *state;
    place_put(place, "new", "1\n");
    assert_int_equal(mkdirat(place->fd, "a", 0700), 0);
    assert_int_equal(mkdirat(place->fd, "a/b", 0700), 0);
    assert_int_equal(ref_put(place->fd, "a/b", place->fd, "new", &err), 0);
    place_holds(place, "a/b", "1\n");
    place_holds(place, "new", NULL);
    assert_int_equal(ref_put(place->fd, "a/b", place->fd, "new", &err), 0); /* done already */
    place_put(place, "new", "2\n");
    assert_int_equal(ref_put(place->fd, "a/b/c", place->fd, "new", &err), -1);
    assert_int_equal(ref_put(place->fd, "a", place->fd, "new", &err), -1);
    place_holds(place, "a/b", "1\n");
    assert_int_equal(ref_put(place->fd, "d/e/f", place->fd, "new", &err), 0);
    place_holds(place, "d/e/f", "2\n");
}

TEST_IN_PLACE(test_ref_remove__only_what_says_so)
{
    ERR_SCRATCH(err);
    const struct place *place = *state;
    place_put(place, "a", "1\n");
    assert_int_equal(ref_remove(place->fd, "a", "2", &err), 0);
    place_holds(place, "a", "1\n");
    assert_int_equal(ref_remove(place->fd, "a", "1", &err), 0);
    place_holds(place, "a", NULL);
    assert_int_equal(ref_remove(place->fd, "a", "1", &err), 0);
}

TEST_IN_PLACE(test_ref_delete_all__loose_and_packed)
{
    ERR_SCRATCH(err);
    const struct place *place = *state;
    const char *const names[] = {"refs/t/a", NULL, "refs/t/b"};
    place_put(place, "token", TOKEN);
    place_put(place, "refs/t/a", "1\n");
    assert_int_equal(ref_delete_all(place->fd, place->fd, "token", names, 3, &err), 0);
    place_holds(place, "refs/t/a", NULL);
    place_holds(place, "packed-refs", NULL);
    place_put(place, "refs/t/a", "1\n");
    place_put(
        place, "packed-refs",
        "# pack-refs with: peeled\n1 refs/t/a\n2 refs/t/aa\n3 refs/t/b\n^4\n5 refs/t/c\n^6\n");
    assert_int_equal(ref_delete_all(place->fd, place->fd, "token", names, 3, &err), 0);
    place_holds(place, "refs/t/a", NULL);
    place_holds(place, "packed-refs", "# pack-refs with: peeled\n2 refs/t/aa\n5 refs/t/c\n^6\n");
    place_holds(place, "packed-refs.lock", NULL);
    place_put(place, "packed-refs.lock", "");
    place_put(place, "refs/t/b", "1\n");
    assert_int_equal(ref_delete_all(place->fd, place->fd, "token", names, 3, &err), -1);
    assert_string_equal(err.code, "locked");
    place_holds(place, "refs/t/b", "1\n");
    place_holds(place, "packed-refs.lock", "");
}

TEST_IN_PLACE(test_ref_delete_all__what_cannot_be_read_goes_nowhere)
{
    ERR_SCRATCH(err);
    const struct place *place = *state;
    const char *const names[] = {"refs/t/a"};
    place_put(place, "token", TOKEN);
    place_put(place, "refs/t/a", "1\n");
    assert_int_equal(mkdirat(place->fd, "packed-refs", 0700), 0);
    assert_int_equal(ref_delete_all(place->fd, place->fd, "token", names, 1, &err), -1);
    place_holds(place, "refs/t/a", "1\n");
    place_holds(place, "packed-refs.lock", NULL);
    assert_int_equal(unlinkat(place->fd, "packed-refs", AT_REMOVEDIR), 0);
    assert_int_equal(unlinkat(place->fd, "refs/t/a", 0), 0);
    assert_int_equal(mkdirat(place->fd, "refs/t/a", 0700), 0);
    assert_int_equal(ref_delete_all(place->fd, place->fd, "token", names, 1, &err), -1);
}
