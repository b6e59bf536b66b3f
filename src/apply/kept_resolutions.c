/* Resolutions of conflicts, kept so that the next equal conflict is resolved in the same way. */
#include "apply/kept_resolutions.h"

#include "apply/work_folder.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/sha.h"
#include "git/path_change.h"
#include "git/repo.h"
#include "git/store.h"
#include "io/io.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER APPLY_FOLDER "/resolutions"
#define DRAFT "draft"
/* A file is the sum of all that follows, "100644\n", and the content. */
enum { NAME_SIZE = 65, SUM_BYTES = 65, MODE_BYTES = 7, HEAD_BYTES = SUM_BYTES + MODE_BYTES };

/* The modes of a resolution. */
static const struct {
    const char *text;
    unsigned mode;
} modes[] = {{"000000\n", LEAF_ABSENT}, {"100644\n", LEAF_FILE}, {"100755\n", LEAF_EXECUTABLE}};
enum { MODES = sizeof(modes) / sizeof(*modes) };

static void name_of(char name[NAME_SIZE], const struct conflict *conflict)
{
    ARENA_SCRATCH(scratch);
    const struct tree_entry *stages = conflict->stages;
    const char *text = arena_printf(&scratch, "%s\n", conflict->path);
    for (size_t i = STAGE_BASE; i < STAGES; i++)
        text = arena_printf(&scratch, "%s%o %s\n", text, stages[i].mode,
                            oid_text(&scratch, &stages[i].id));
    sha256_hex(name, text, strlen(text));
}

static int open_folder(const struct repo *repo)
{
    return openat(repo->common_fd, FOLDER, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* ---------------------------------------------------------------- kept */

/* Finds the oldest resolution; returns how many there are. */
static size_t find_oldest(char oldest[NAME_SIZE], DIR *dir)
{
    struct dirent *entry;
    struct stat info, first = {0};
    size_t count = 0;
    while ((entry = io_next(dir))) {
        if (strlen(entry->d_name) != NAME_SIZE - 1 ||
            fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (count++ && info.st_mtime >= first.st_mtime)
            continue;
        first = info;
        memcpy(oldest, entry->d_name, NAME_SIZE);
    }
    return count;
}

static void make_room(int folder)
{
    char oldest[NAME_SIZE] = "";
    IO_DIR_SCRATCH(dir) = io_open_dir(folder, ".");
    if (dir && find_oldest(oldest, dir) >= RESOLUTIONS_MAX)
        (void)unlinkat(folder, oldest, 0);
}

static int format(struct span *out, struct arena *arena, const struct repo *repo,
                  const struct tree_entry *resolved, struct err *err)
{
    STORE_BYTES_SCRATCH(content);
    size_t i = 0;
    while (i < MODES && modes[i].mode != resolved->mode)
        i++;
    if (i == MODES ||
        (resolved->mode != LEAF_ABSENT &&
         store_get(&content, repo->store, STORE_BLOB, &resolved->id, "a resolution", err) < 0) ||
        content.bytes.len > LIMIT_TEMPLATE_BYTES)
        return -1;
    size_t len = HEAD_BYTES + content.bytes.len;
    char *text = arena_alloc(arena, len);
    memcpy(text + SUM_BYTES, modes[i].text, MODE_BYTES);
    if (content.bytes.len)
        memcpy(text + HEAD_BYTES, content.bytes.ptr, content.bytes.len);
    sha256_hex(text, text + SUM_BYTES, len - SUM_BYTES);
    text[SUM_BYTES - 1] = '\n';
    *out = span_of(text, len);
    return 0;
}

void kept_resolution_store(const struct repo *repo, const struct conflict *conflict,
                           const struct tree_entry *resolved)
{
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(ignored);
    char name[NAME_SIZE];
    struct span text;
    if (format(&text, &scratch, repo, resolved, &ignored) < 0)
        return;
    if (mkdirat(repo->common_fd, FOLDER, 0777) == 0)
        (void)!disk_sync(repo->common_fd, APPLY_FOLDER, &ignored);
    IO_FD_SCRATCH(folder) = open_folder(repo);
    if (folder < 0)
        return;
    make_room(folder);
    name_of(name, conflict);
    if (disk_write(folder, DRAFT, text, 0666, &ignored) == 0 &&
        disk_sync(folder, DRAFT, &ignored) == 0 && renameat(folder, DRAFT, folder, name) == 0)
        (void)!disk_sync_folder(folder, "a resolution", &ignored);
}

/* ---------------------------------------------------------------- found */

/* `text` is what follows the sum. */
static int parse(struct tree_entry *out, bool *found, const struct repo *repo, struct span text,
                 struct err *err)
{
    for (size_t i = 0; i < MODES; i++) {
        if (text.len < MODE_BYTES || memcmp(text.ptr, modes[i].text, MODE_BYTES) != 0)
            continue;
        struct span bytes = span_of(text.ptr + MODE_BYTES, text.len - MODE_BYTES);
        *out = (struct tree_entry){.mode = modes[i].mode};
        *found = true;
        return out->mode == LEAF_ABSENT ? 0
                                        : store_put(&out->id, repo->store, STORE_BLOB, bytes, err);
    }
    return 0;
}

static bool is_whole(struct span text)
{
    char sum[SUM_BYTES];
    if (text.len < SUM_BYTES || text.ptr[SUM_BYTES - 1] != '\n')
        return false;
    sha256_hex(sum, text.ptr + SUM_BYTES, text.len - SUM_BYTES);
    return memcmp(sum, text.ptr, SUM_BYTES - 1) == 0;
}

int kept_resolution_find(struct tree_entry *out, bool *found, const struct repo *repo,
                         const struct conflict *conflict, struct err *err)
{
    ERR_SCRATCH(ignored);
    char name[NAME_SIZE];
    struct span text;
    *found = false;
    name_of(name, conflict);
    IO_FD_SCRATCH(folder) = open_folder(repo);
    if (folder < 0 ||
        io_read_file(&text, repo->arena, folder, name, LIMIT_TEMPLATE_BYTES + HEAD_BYTES,
                     &ignored) < 0 ||
        !is_whole(text))
        return 0;
    return parse(out, found, repo, span_of(text.ptr + SUM_BYTES, text.len - SUM_BYTES), err);
}
