/* Files that are made below an open folder, and files that are read. */
#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "io/io.h"
#include "place.h"
#include "unit/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

TEST_IN_PLACE(test_io_read_file__of_no_regular_file_fails_and_leaves_nothing_open)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    const struct place *place = *state;
    struct span found;
    assert_int_equal(mkfifoat(place->fd, "fifo", 0600), 0);
    assert_int_equal(io_read_file(&found, &arena, place->fd, "fifo", 100, &err), -1);
    assert_int_equal(io_read_file(&found, &arena, place->fd, ".", 100, &err), -1);
    assert_int_equal(io_read_file(&found, &arena, place->fd, "none", 100, &err), -1);
    place_put(place, "long", "longer than that");
    assert_int_equal(io_read_file(&found, &arena, place->fd, "long", 3, &err), -1);
}

TEST(test_io_make_folders__tells_the_first_that_it_could_not_make)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    const char *made;
    assert_int_equal(io_make_folders(&made, &arena, "/proc/none/below", &err), -1);
    assert_non_null(strstr(err.message, "'/proc/none'"));
}

TEST_IN_PLACE(test_io_make__never_writes_into_what_is_there)
{
    const struct place *place = *state;
    place_put(place, "d/a", "longer than new");
    assert_int_equal(make_again(place, "d/a"), -1);
    place_holds(place, "d/a", "longer than new");
    assert_int_equal(symlinkat("d/none", place->fd, "link"), 0);
    assert_int_equal(make_again(place, "link"), -1);
    struct stat info;
    assert_int_equal(fstatat(place->fd, "d/none", &info, 0), -1);
}

TEST_IN_PLACE(test_io_make__never_goes_through_a_link)
{
    const struct place *place = *state;
    place_put(place, "d/a", "a");
    assert_int_equal(symlinkat("d", place->fd, "link"), 0);
    assert_int_equal(make_again(place, "link/b"), -1);
    assert_int_equal(make_again(place, "d/b"), 0);
}

static const char *why_not(const struct place *place, const char *path, struct err *err)
{
    struct io_maker maker = IO_MAKER_INIT(place->fd);
    assert_int_equal(io_make(&maker, path, span_from("new"), false, err), -1);
    io_maker_release(&maker);
    return err->message;
}

TEST_IN_PLACE(test_io_make__says_what_is_wrong_with_a_folder)
{
    ERR_SCRATCH(err);
    const struct place *place = *state;
    char path[600];
    memset(path, 'x', sizeof(path));
    (void)snprintf(path + 400, sizeof(path) - 400, "/a");
    assert_non_null(strstr(why_not(place, path, &err), "File name too long"));
    place_put(place, "file", "text");
    assert_non_null(strstr(why_not(place, "file/a", &err), "Not a directory"));
    assert_non_null(strstr(why_not(place, "file/b/a", &err), "Not a directory"));
    assert_int_equal(mkdirat(place->fd, "folder", 0700), 0);
    assert_non_null(strstr(why_not(place, "folder", &err), "File exists"));
}

TEST_IN_PLACE(test_io_move_new__takes_no_name_that_is_there)
{
    const struct place *place = *state;
    place_put(place, "a", "a");
    place_put(place, "b", "b");
    assert_int_equal(io_move_new(place->fd, "a", place->fd, "b"), -1);
    assert_int_equal(errno, EEXIST);
    place_holds(place, "b", "b");
    assert_int_equal(io_move_new(place->fd, "a", place->fd, "c"), 0);
    place_holds(place, "a", NULL);
    place_holds(place, "c", "a");
    assert_int_equal(io_claim(place->fd, "c", place->fd, "b"), -1);
    assert_int_equal(io_claim(place->fd, "c", place->fd, "d"), 0);
    place_holds(place, "d", "a");
}

TEST_IN_PLACE(test_io_next__leaves_out_the_folder_and_the_one_above)
{
    const struct place *place = *state;
    place_put(place, "only", "x");
    DIR *dir = opendir(place->path);
    assert_non_null(dir);
    errno = EIO;
    assert_string_equal(io_next(dir)->d_name, "only");
    errno = EIO;
    assert_null(io_next(dir));
    assert_int_equal(errno, 0);
    (void)closedir(dir);
}

TEST_IN_PLACE(test_io_make__mode_is_as_told)
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

TEST_IN_PLACE(test_io_read_file__takes_its_maximum_and_no_byte_more)
{
    const struct place *place = *state;
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct span found;
    place_put(place, "a", "12345");
    assert_int_equal(io_read_file(&found, &arena, place->fd, "a", 5, &err), 0);
    assert_int_equal(found.len, 5);
    assert_int_equal(io_read_file(&found, &arena, place->fd, "a", 4, &err), -1);
}

TEST_IN_PLACE(test_io_sync__tells_of_what_is_not_there)
{
    const struct place *place = *state;
    ERR_SCRATCH(err);
    place_put(place, "a", "a");
    const struct io_place places[] = {{place->fd, "a"}, {place->fd, "."}, {place->fd, "gone"}};
    assert_int_equal(io_sync(places, 2, &err), 0);
    assert_int_equal(io_sync(places, 3, &err), -1);
}

TEST_IN_PLACE(test_io_is_empty__counts_all_but_the_one)
{
    const struct place *place = *state;
    ERR_SCRATCH(err);
    bool empty = false;
    assert_int_equal(io_is_empty(&empty, place->path, NULL, &err), 0);
    assert_true(empty);
    place_put(place, ".git", "");
    assert_int_equal(io_is_empty(&empty, place->path, NULL, &err), 0);
    assert_false(empty);
    assert_int_equal(io_is_empty(&empty, place->path, ".git", &err), 0);
    assert_true(empty);
    place_put(place, "other", "");
    assert_int_equal(io_is_empty(&empty, place->path, ".git", &err), 0);
    assert_false(empty);
}

TEST_IN_PLACE(test_io_remove__takes_a_folder_and_follows_no_link)
{
    const struct place *place = *state;
    struct stat info;
    place_put(place, "kept/a", "a");
    place_put(place, "d/e/f", "f");
    assert_int_equal(symlinkat("../kept", place->fd, "d/link"), 0);
    io_remove(place->fd, "d");
    assert_int_equal(fstatat(place->fd, "d", &info, AT_SYMLINK_NOFOLLOW), -1);
    place_holds(place, "kept/a", "a");
}
