/* Places of tests: what is made, looked at and removed, and that nothing is left open. */
#include "place.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "io/io.h"
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DESCRIPTORS = 256 };

static int opened;

static int count_open(void)
{
    int count = 0;
    for (int fd = 0; fd < DESCRIPTORS; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

int place_make(void **state)
{
    static struct place place;
    (void)snprintf(place.path, sizeof(place.path), "/tmp/tmplgen-unit-XXXXXX");
    if (!mkdtemp(place.path))
        return -1;
    place.fd = open(place.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *state = &place;
    opened = count_open();
    return place.fd < 0 ? -1 : 0;
}

int place_remove(void **state)
{
    struct place *place = *state;
    int left = count_open() - opened;
    (void)close(place->fd);
    io_remove(AT_FDCWD, place->path);
    if (left)
        (void)fprintf(stderr, "%d descriptors more than before\n", left);
    return left ? -1 : 0;
}

void place_put(const struct place *place, const char *path, const char *text)
{
    ERR_SCRATCH(err);
    struct io_maker maker = IO_MAKER_INIT(place->fd);
    assert_int_equal(io_make(&maker, path, span_from(text), false, &err), 0);
    io_maker_release(&maker);
}

void place_holds(const struct place *place, const char *path, const char *text)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct span found;
    struct stat info;
    int rc = fstatat(place->fd, path, &info, AT_SYMLINK_NOFOLLOW);
    if (!text) {
        assert_int_equal(rc, -1);
        assert_int_equal(errno, ENOENT);
        return;
    }
    assert_int_equal(io_read_file(&found, &arena, place->fd, path, 4096, &err), 0);
    assert_true(span_equal(found, span_from(text)));
}
