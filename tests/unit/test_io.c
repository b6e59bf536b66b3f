/* Files that are made below an open folder, and files that are read. */
#include "base/arena.h"
#include "base/err.h"
#include "base/io.h"
#include "base/span.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* A folder of one test; it stays open. */
struct place {
    char path[32];
    int fd;
};

static int make_place(void **state)
{
    static struct place place;
    (void)snprintf(place.path, sizeof(place.path), "/tmp/tmplgen-io-XXXXXX");
    if (!mkdtemp(place.path))
        return -1;
    place.fd = open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *state = &place;
    return place.fd < 0 ? -1 : 0;
}

static int remove_place(void **state)
{
    struct place *place = *state;
    (void)close(place->fd);
    io_remove(AT_FDCWD, place->path);
    return 0;
}

static void put(const struct place *place, const char *path, const char *text)
{
    ERR_SCRATCH(err);
    struct io_maker maker = IO_MAKER_INIT(place->fd);
    assert_int_equal(io_make(&maker, path, span_from(text), false, &err), 0);
    io_maker_release(&maker);
}

static void assert_holds(const struct place *place, const char *path, const char *text)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct span found;
    assert_int_equal(io_read_file(&found, &arena, place->fd, path, 100, &err), 0);
    assert_true(span_equal(found, span_from(text)));
}

static int make_again(const struct place *place, const char *path)
{
    ERR_SCRATCH(err);
    struct io_maker maker = IO_MAKER_INIT(place->fd);
    int rc = io_make(&maker, path, span_from("new"), false, &err);
    io_maker_release(&maker);
    if (rc < 0)
        assert_string_equal(err.code, "io");
    return rc;
}

static int count_open(void)
{
    int count = 0;
    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static void test_io_read_file__of_no_regular_file_fails_and_leaves_nothing_open(void **state)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    const struct place *place = *state;
    struct span found;
    int before = count_open();
    assert_int_equal(mkfifoat(place->fd, "fifo", 0600), 0);
    assert_int_equal(io_read_file(&found, &arena, place->fd, "fifo", 100, &err), -1);
    assert_int_equal(io_read_file(&found, &arena, place->fd, ".", 100, &err), -1);
    assert_int_equal(io_read_file(&found, &arena, place->fd, "none", 100, &err), -1);
    put(place, "long", "longer than that");
    assert_int_equal(io_read_file(&found, &arena, place->fd, "long", 3, &err), -1);
    assert_int_equal(count_open(), before);
}

static void test_io_make__never_writes_into_what_is_there(void **state)
{
    const struct place *place = *state;
    put(place, "d/a", "longer than new");
    assert_int_equal(make_again(place, "d/a"), -1);
    assert_holds(place, "d/a", "longer than new");
    assert_int_equal(symlinkat("d/none", place->fd, "link"), 0);
    assert_int_equal(make_again(place, "link"), -1);
    struct stat info;
    assert_int_equal(fstatat(place->fd, "d/none", &info, 0), -1);
}

static void test_io_make__never_goes_through_a_link(void **state)
{
    const struct place *place = *state;
    put(place, "d/a", "a");
    assert_int_equal(symlinkat("d", place->fd, "link"), 0);
    assert_int_equal(make_again(place, "link/b"), -1);
    assert_int_equal(make_again(place, "d/b"), 0);
}

static void test_io_make__mode_is_as_told(void **state)
{
    const struct place *place = *state;
    ERR_SCRATCH(err);
    struct io_maker maker = IO_MAKER_INIT(place->fd);
    mode_t mask = umask(027);
    assert_int_equal(io_make(&maker, "a/x", span_from(""), true, &err), 0);
    assert_int_equal(io_make(&maker, "a/y", span_from(""), false, &err), 0);
    (void)umask(mask);
    io_maker_release(&maker);
    struct stat info;
    assert_int_equal(fstatat(place->fd, "a/x", &info, 0), 0);
    assert_int_equal(info.st_mode & 0777, 0750);
    assert_int_equal(fstatat(place->fd, "a/y", &info, 0), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

static void test_io_read_file__takes_its_maximum_and_no_byte_more(void **state)
{
    const struct place *place = *state;
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct span found;
    put(place, "a", "12345");
    assert_int_equal(io_read_file(&found, &arena, place->fd, "a", 5, &err), 0);
    assert_int_equal(found.len, 5);
    assert_int_equal(io_read_file(&found, &arena, place->fd, "a", 4, &err), -1);
}

static void test_io_sync__tells_of_what_is_not_there(void **state)
{
    const struct place *place = *state;
    ERR_SCRATCH(err);
    put(place, "a", "a");
    const struct io_place places[] = {{place->fd, "a"}, {place->fd, "."}, {place->fd, "gone"}};
    assert_int_equal(io_sync(places, 2, &err), 0);
    assert_int_equal(io_sync(places, 3, &err), -1);
}

static void test_io_is_empty__counts_all_but_the_one(void **state)
{
    const struct place *place = *state;
    ERR_SCRATCH(err);
    bool empty = false;
    assert_int_equal(io_is_empty(&empty, place->path, NULL, &err), 0);
    assert_true(empty);
    put(place, ".git", "");
    assert_int_equal(io_is_empty(&empty, place->path, NULL, &err), 0);
    assert_false(empty);
    assert_int_equal(io_is_empty(&empty, place->path, ".git", &err), 0);
    assert_true(empty);
    put(place, "other", "");
    assert_int_equal(io_is_empty(&empty, place->path, ".git", &err), 0);
    assert_false(empty);
}

static void test_io_remove__takes_a_folder_and_follows_no_link(void **state)
{
    const struct place *place = *state;
    struct stat info;
    put(place, "kept/a", "a");
    put(place, "d/e/f", "f");
    assert_int_equal(symlinkat("../kept", place->fd, "d/link"), 0);
    io_remove(place->fd, "d");
    assert_int_equal(fstatat(place->fd, "d", &info, AT_SYMLINK_NOFOLLOW), -1);
    assert_holds(place, "kept/a", "a");
}

#define EACH(test) cmocka_unit_test_setup_teardown(test, make_place, remove_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        EACH(test_io_read_file__of_no_regular_file_fails_and_leaves_nothing_open),
        EACH(test_io_make__never_writes_into_what_is_there),
        EACH(test_io_make__never_goes_through_a_link),
        EACH(test_io_make__mode_is_as_told),
        EACH(test_io_read_file__takes_its_maximum_and_no_byte_more),
        EACH(test_io_sync__tells_of_what_is_not_there),
        EACH(test_io_is_empty__counts_all_but_the_one),
        EACH(test_io_remove__takes_a_folder_and_follows_no_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
