/* What lies on disk, and small files that are made there. */
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "git/disk_entry.h"
#include "place.h"
#include "unit/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int parent_of(const struct place *place, const char *path, enum disk_missing missing)
{
    ERR_SCRATCH(err);
    const char *name;
    int fd, rc = disk_parent(&fd, &name, place->fd, path, missing, &err);
    if (rc == 0) {
        assert_true(fd > STDERR_FILENO);
        assert_string_equal(name, strrchr(path, '/') ? strrchr(path, '/') + 1 : path);
        (void)close(fd);
    } else {
        assert_int_equal(fd, -1);
    }
    return rc;
}

TEST_IN_PLACE(test_disk_parent__tells_missing_from_in_the_way)
{
    const struct place *place = *state;
    char path[600];
    memset(path, 'x', sizeof(path));
    (void)snprintf(path + 400, sizeof(path) - 400, "/a");
    place_put(place, "d/file", "x");
    assert_int_equal(symlinkat("d", place->fd, "link"), 0);
    assert_int_equal(parent_of(place, "a", DISK_FIND), 0);
    assert_int_equal(parent_of(place, "d/file", DISK_FIND), 0);
    assert_int_equal(parent_of(place, "none/a", DISK_FIND), 1);
    assert_int_equal(parent_of(place, path, DISK_FIND), 1);
    assert_int_equal(parent_of(place, path, DISK_MAKE), 1);
    assert_int_equal(parent_of(place, "d/file/a", DISK_FIND), 2);
    assert_int_equal(parent_of(place, "link/file", DISK_FIND), 2);
    assert_int_equal(parent_of(place, "d/new/deep/a", DISK_MAKE_DURABLY), 0);
    assert_int_equal(parent_of(place, "d/new/deep/a", DISK_FIND), 0);
    assert_int_equal(parent_of(place, "d/file/a", DISK_MAKE), 2);
}

static enum disk_kind kind_at(const struct place *place, const char *path)
{
    ERR_SCRATCH(err);
    struct disk_entry found;
    assert_int_equal(disk_look(&found, NULL, NULL, place->fd, path, &err), 0);
    return found.kind;
}

TEST_IN_PLACE(test_disk_look__names_each_kind)
{
    const struct place *place = *state;
    char name[300];
    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    place_put(place, "d/file", "x");
    assert_int_equal(symlinkat("none", place->fd, "link"), 0);
    assert_int_equal(mkfifoat(place->fd, "fifo", 0600), 0);
    assert_int_equal(kind_at(place, "d/file"), DISK_FILE);
    assert_int_equal(kind_at(place, "d"), DISK_FOLDER);
    assert_int_equal(kind_at(place, "link"), DISK_LINK);
    assert_int_equal(kind_at(place, "fifo"), DISK_SPECIAL);
    assert_int_equal(kind_at(place, "none"), DISK_ABSENT);
    assert_int_equal(kind_at(place, "none/a"), DISK_ABSENT);
    assert_int_equal(kind_at(place, name), DISK_ABSENT);
    assert_int_equal(kind_at(place, "d/file/a"), DISK_BLOCKED);
    assert_int_equal(kind_at(place, "link/a"), DISK_BLOCKED);
}

TEST_IN_PLACE(test_disk_look__has_content_and_the_owners_bit)
{
    ERR_SCRATCH(err);
    BUF_SCRATCH(content, 100);
    const struct place *place = *state;
    struct disk_entry found;
    struct stat info;
    place_put(place, "a", "x\n");
    assert_int_equal(disk_look(&found, &info, &content, place->fd, "a", &err), 0);
    assert_string_equal(buf_text(&content), "x\n");
    assert_int_equal(info.st_size, 2);
    assert_false(found.executable);
    struct disk_entry same = found;
    assert_int_equal(fchmodat(place->fd, "a", 0654, 0), 0); /* the group's, not the owner's */
    assert_int_equal(disk_look(&found, NULL, NULL, place->fd, "a", &err), 0);
    assert_true(disk_equal(&found, &same));
    assert_int_equal(fchmodat(place->fd, "a", 0744, 0), 0);
    assert_int_equal(disk_look(&found, NULL, NULL, place->fd, "a", &err), 0);
    assert_true(found.executable);
    assert_false(disk_equal(&found, &same));
}

TEST_IN_PLACE(test_disk_exists__knows_a_dangling_link_and_says_when_it_cannot_know)
{
    ERR_SCRATCH(err);
    const struct place *place = *state;
    bool there = false;
    place_put(place, "file", "x");
    assert_int_equal(symlinkat("none", place->fd, "link"), 0);
    assert_int_equal(symlinkat("loop", place->fd, "loop"), 0);
    assert_int_equal(disk_exists(&there, place->fd, "link", &err), 0);
    assert_true(there);
    assert_int_equal(disk_exists(&there, place->fd, "none", &err), 0);
    assert_false(there);
    there = true;
    assert_int_equal(disk_exists(&there, place->fd, "file/a", &err), 0);
    assert_false(there);
    assert_int_equal(disk_exists(&there, place->fd, "loop/a", &err), -1);
    assert_string_equal(err.code, "io");
}

static mode_t mode_of(const struct place *place, const char *path)
{
    struct stat info;
    assert_int_equal(fstatat(place->fd, path, &info, AT_SYMLINK_NOFOLLOW), 0);
    return info.st_mode & 07777;
}

TEST_IN_PLACE(test_disk_write__replaces_what_is_there_and_has_the_mode)
{
    ERR_SCRATCH(err);
    const struct place *place = *state;
    place_put(place, "kept", "kept");
    assert_int_equal(symlinkat("kept", place->fd, "a"), 0);
    assert_int_equal(disk_write(place->fd, "a", span_from("new"), 0640, &err), 0);
    place_holds(place, "a", "new");
    assert_int_equal(mode_of(place, "a"), 0640);
    place_holds(place, "kept", "kept");
    assert_int_equal(disk_write(place->fd, "a", span_from("newer"), 0755, &err), 0);
    place_holds(place, "a", "newer");
    assert_int_equal(mode_of(place, "a"), 0755);
    assert_int_equal(disk_write(place->fd, "none/a", span_from("x"), 0644, &err), -1);
    assert_non_null(strstr(err.message, "No such file"));
    assert_int_equal(mkdirat(place->fd, "d", 0700), 0);
    assert_int_equal(disk_write(place->fd, "d", span_from("x"), 0644, &err), -1);
    assert_int_equal(disk_sync(place->fd, "a", &err), 0);
    assert_int_equal(disk_sync(place->fd, "none", &err), -1);
    assert_int_equal(disk_sync_folder(place->fd, "it", &err), 0);
    assert_int_equal(disk_sync_folder(-1, "it", &err), -1);
}

TEST_IN_PLACE(test_disk_keep__gives_a_second_name_once)
{
    ERR_SCRATCH(err);
    const struct place *place = *state;
    place_put(place, "a", "one");
    assert_int_equal(disk_keep(place->fd, "none", place->fd, "kept", &err), 1);
    place_holds(place, "kept", NULL);
    assert_int_equal(disk_keep(place->fd, "a", place->fd, "kept", &err), 0);
    assert_int_equal(disk_write(place->fd, "a", span_from("two"), 0644, &err), 0);
    assert_int_equal(disk_keep(place->fd, "a", place->fd, "kept", &err), 0);
    place_holds(place, "kept", "one");
    assert_int_equal(disk_keep(place->fd, "a", place->fd, "none/kept", &err), 1);
    assert_int_equal(disk_keep(place->fd, "a", place->fd, "a/kept", &err), -1);
}

TEST_IN_PLACE(test_disk_is_hollow__folders_alone_are_nothing)
{
    const struct place *place = *state;
    assert_int_equal(mkdirat(place->fd, "d", 0700), 0);
    assert_int_equal(disk_is_hollow(place->fd, "d"), 1);
    assert_int_equal(mkdirat(place->fd, "d/e", 0700), 0);
    assert_int_equal(mkdirat(place->fd, "d/f", 0700), 0);
    assert_int_equal(disk_is_hollow(place->fd, "d"), 1);
    place_put(place, "d/f/x", "x");
    assert_int_equal(disk_is_hollow(place->fd, "d"), 0);
    assert_int_equal(disk_is_hollow(place->fd, "d/f/x"), 0);
    assert_int_equal(disk_is_hollow(place->fd, "none"), 0);
    assert_int_equal(disk_is_hollow(-1, "d"), -1);
    assert_int_equal(disk_remove_empty(place->fd, "d"), -1);
    place_holds(place, "d/f/x", "x");
    assert_int_equal(unlinkat(place->fd, "d/f/x", 0), 0);
    assert_int_equal(mkdirat(place->fd, "d/f/g", 0700), 0);
    assert_int_equal(disk_remove_empty(place->fd, "d"), 0);
    place_holds(place, "d", NULL);
    assert_int_equal(disk_remove_empty(place->fd, "d"), -1);
}

TEST_IN_PLACE(test_disk_ignores_case__of_an_ordinary_disk_is_false)
{
    const struct place *place = *state;
    assert_false(disk_ignores_case(place->fd));
    assert_int_equal(mkdirat(place->fd, ".git", 0700), 0);
    assert_false(disk_ignores_case(place->fd));
    assert_int_equal(mkdirat(place->fd, ".GIT", 0700), 0);
    assert_false(disk_ignores_case(place->fd));
}
