/* What a run wrote somewhere, noted in the user's cache: a later one sees whether it still is that.
 */
#include "image/lock/last_written.h"

#include "base/arena.h"
#include "base/err.h"
#include "base/sha.h"
#include "io/io.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* By the place's name; NULL: none can be there. */
static const char *path_of(struct arena *arena, const char *marks, const char *place)
{
    char sum[SHA256_HEX_SIZE], *whole = marks ? realpath(place, NULL) : NULL;
    if (!whole)
        return NULL;
    sha256_hex(sum, whole, strlen(whole));
    free(whole);
    return arena_printf(arena, "%s/%s", marks, sum);
}

void last_written_keep(const char *marks, const char *place, struct span text)
{
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(unkept);
    const char *made, *path = path_of(&scratch, marks, place);
    if (!path || io_make_folders(&made, &scratch, marks, &unkept) < 0)
        return;
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && io_write_all(fd, text) < 0)
        (void)unlink(path);
    if (fd >= 0)
        (void)close(fd);
}

bool last_written_read(struct span *out, struct arena *arena, const char *marks, const char *place)
{
    ERR_SCRATCH(unread);
    const char *path = path_of(arena, marks, place);
    return path && io_read_file(out, arena, AT_FDCWD, path, MARK_BYTES_MAX, &unread) == 0;
}
