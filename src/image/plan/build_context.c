/* The build context of a row: its Dockerfile and the files that it copies. */
#include "image/build_context.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/sha.h"
#include "catalog/base_image.h"
#include "catalog/catalog_source.h"
#include "data/document.h"
#include "image/image_rows.h"
#include "image/lock.h"
#include "io/io.h"
#include "io/path.h"
#include "tmplgen.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_BYTES_MAX (64 * LIMIT_MIB)
#define MAPS_LINE_MAX 8192

/* ------------------------------------------------------------------ variables of templates */

static struct data *base_data(struct arena *arena, const struct image_row *row,
                              const struct lock *lock)
{
    const struct data *image = data_get(row->resolution, "image");
    const char *digest = lock_digest(lock, row->base);
    return data_of(
        arena, FIELD("repository", data_get_text(image, "repository")),
        FIELD("tag", data_get_text(image, "tag")), FIELD("digest", digest),
        FIELD("reference", digest ? arena_printf(arena, "%s@%s", row->base, digest) : row->base));
}

static struct data *image_data(struct arena *arena, const struct image_row *row,
                               const struct lock *lock)
{
    return data_of(arena, FIELD("name", row->image->name),
                   FIELD("description", row->image->description), FIELD("tag", row->tag),
                   FIELD("program", row->image->program),
                   FIELD("os", base_image_os(arena, row->resolution)),
                   FIELD("cuda", data_get_text(data_get(row->resolution, "cuda"), "version")),
                   FIELD("base", base_data(arena, row, lock)));
}

static struct data *context_data(struct arena *arena, const struct catalog *catalog,
                                 const struct image_row *row, const struct lock *lock)
{
    const char *name = arena_printf(arena, "%s:%s", row->image->name, row->tag);
    const struct data *packages = data_get(lock->packages, name);
    struct data *from =
        data_of(arena, FIELD("name", catalog->name), FIELD("version", catalog->origin.version),
                FIELD("commit", catalog->origin.commit));
    return data_of(arena, FIELD("image", image_data(arena, row, lock)),
                   FIELD("request", stack_request_data(arena, &row->request)),
                   FIELD("resolution", data_copy(arena, row->resolution)), FIELD("catalog", from),
                   FIELD("version", TMPLGEN_VERSION),
                   FIELD("packages", packages ? data_copy(arena, packages) : data_map(arena)));
}

/* ------------------------------------------------------------------ the running program */

/* Some code of this program in memory, and its origin: the bytes prove the file. */
struct code {
    const char *start;
    size_t len, offset; /* the offset is that in the file */
    const char *path;   /* NULL: the kernel has none */
};

/* One line of /proc/self/maps: "START-END PERMS OFFSET MAJOR:MINOR INODE    PATH". */
static bool read_mapping(struct code *out, struct arena *arena, char *line, uintptr_t inside)
{
    unsigned long start, end, offset;
    int path = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%lx-%lx %*s %lx %*s %*s %n", &start, &end, &offset, &path) != 3 || !path ||
        inside < start || inside >= end)
        return false;
    *out = (struct code){.start = (const char *)(uintptr_t)start,
                         .len = end - start,
                         .offset = offset,
                         .path = line[path] == '/' ? arena_strdup(arena, line + path) : NULL};
    return true;
}

static bool find_code(struct code *out, struct arena *arena)
{
    char line[MAPS_LINE_MAX];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "re");
    while (maps && !found && fgets(line, sizeof(line), maps))
        found = read_mapping(out, arena, line, (uintptr_t)image_context);
    if (maps)
        (void)fclose(maps);
    return found;
}

/* The last page of a mapping extends past the end of a short file. */
static bool holds(struct span bytes, const struct code *code)
{
    if (bytes.len < 4 || memcmp(bytes.ptr, "\177ELF", 4) != 0 || code->offset >= bytes.len)
        return false;
    size_t rest = bytes.len - code->offset;
    return memcmp(bytes.ptr + code->offset, code->start, rest < code->len ? rest : code->len) == 0;
}

static bool is_in(struct span *out, struct arena *arena, const char *path, const struct code *code)
{
    ERR_SCRATCH(err);
    return path && io_read_file(out, arena, AT_FDCWD, path, FILE_BYTES_MAX, &err) == 0 &&
           holds(*out, code);
}

/*
 * /proc/self/exe is the running program even where an upgrade has since replaced its file. Where a
 * loader was told to run the program, it is the loader.
 */
static int read_program(struct span *out, struct arena *arena, struct err *err)
{
    struct code code;
    if (find_code(&code, arena) &&
        (is_in(out, arena, "/proc/self/exe", &code) || is_in(out, arena, code.path, &code)))
        return 0;
    (void)err_set(err, TG_REFUSED, "program-unknown",
                  "the running tmplgen cannot be found as a file, to be put into the image");
    return err_hint(err, "run it again: was it replaced, or taken away, since it was started?");
}

/* ------------------------------------------------------------------ files */

static int add_program(struct render *files, struct arena *arena, const char *path, struct err *err)
{
    struct span bytes;
    struct path_set *set = path_set_new(arena);
    for (size_t i = 0; i < files->count; i++)
        if (path_set_add(set, files->entries[i].path, files->entries[i].source, err) < 0)
            return -1;
    if (path_set_add(set, path, "the running program", err) < 0 ||
        read_program(&bytes, arena, err) < 0)
        return -1;
    struct render_entry *entries = arena_array(arena, files->count + 1, sizeof(*entries));
    if (files->count)
        memcpy(entries, files->entries, files->count * sizeof(*entries));
    entries[files->count++] =
        (struct render_entry){.path = path, .executable = true, .bytes = bytes, .source = ""};
    qsort(entries, files->count, sizeof(*entries), str_compare_first);
    files->entries = entries;
    return 0;
}

int image_context(struct render *out, struct arena *arena, const struct catalog *catalog,
                  const struct image_row *row, const struct lock *lock, struct err *err)
{
    struct data *context = context_data(arena, catalog, row, lock);
    if (render_context_files(out, arena, catalog, &row->image->files, context, err) < 0)
        return -1;
    return row->image->program ? add_program(out, arena, row->image->program, err) : 0;
}

/* ------------------------------------------------------------------ on disk */

/* Counts files below `folder`, of any kind; -1 where it cannot be read. */
static long count_files(const char *folder)
{
    ARENA_SCRATCH(scratch);
    long count = 0;
    struct dirent *entry;
    DIR *dir = opendir(folder);
    while (dir && count >= 0 && (entry = io_next(dir))) {
        struct stat st;
        const char *path = arena_printf(&scratch, "%s/%s", folder, entry->d_name);
        long inside = 1;
        if (lstat(path, &st) < 0)
            inside = -1;
        else if (S_ISDIR(st.st_mode))
            inside = count_files(path);
        count = inside < 0 ? -1 : count + inside;
    }
    if (dir)
        (void)closedir(dir);
    return dir ? count : -1;
}

/* "SHA256 -|x PATH" for each file: by this a later run knows that nobody changed the files. */
static struct span mark_of(struct arena *arena, const struct render *files)
{
    BUF_SCRATCH(text, MARK_BYTES_MAX);
    for (size_t i = 0; i < files->count; i++) {
        const struct render_entry *entry = &files->entries[i];
        char sum[SHA256_HEX_SIZE];
        sha256_hex(sum, entry->bytes.ptr, entry->bytes.len);
        (void)buf_printf(&text, "%s %c %s\n", sum, entry->executable ? 'x' : '-', entry->path);
    }
    return text.overflowed ? span_from("")
                           : span_of(arena_memdup(arena, buf_text(&text), text.len), text.len);
}

static bool is_as_marked(const char *folder, const char *line)
{
    ARENA_SCRATCH(scratch);
    struct span bytes;
    struct stat st;
    char sum[SHA256_HEX_SIZE];
    ERR_SCRATCH(err);
    const char *head = SHA256_HEX_SIZE + 2 < strlen(line) ? line + SHA256_HEX_SIZE : "- .";
    const char *path = arena_printf(&scratch, "%s/%s", folder, head + 2);
    if (str_starts(head + 2, "../") || strstr(head + 2, "/../") || lstat(path, &st) < 0 ||
        !S_ISREG(st.st_mode) || ((st.st_mode & S_IXUSR) != 0) != (*head == 'x') ||
        io_read_file(&bytes, &scratch, AT_FDCWD, path, FILE_BYTES_MAX, &err) < 0)
        return false;
    sha256_hex(sum, bytes.ptr, bytes.len);
    return strncmp(line, sum, strlen(sum)) == 0;
}

/* True where a folder has the files of a mark, and nothing else. */
static bool holds_just(const char *folder, struct span mark)
{
    ARENA_SCRATCH(scratch);
    char *rest, *text = arena_memdup(&scratch, mark.ptr, mark.len);
    long lines = 0;
    bool same = true;
    for (char *line = strtok_r(text, "\n", &rest); line && same;
         line = strtok_r(NULL, "\n", &rest), lines++)
        same = is_as_marked(folder, line);
    return same && lines && count_files(folder) == lines;
}

static int make_files(const char *folder, const struct render *files, struct err *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), rc = 0;
    struct io_maker maker = IO_MAKER_INIT(fd);
    if (fd < 0)
        return err_errno(err, errno, "io", "cannot open '%s'", folder);
    for (size_t i = 0; rc == 0 && i < files->count; i++) {
        const struct render_entry *entry = &files->entries[i];
        rc = io_make(&maker, entry->path, entry->bytes, entry->executable, err);
    }
    io_maker_release(&maker);
    (void)close(fd);
    return rc;
}

static int refuse(const char *path, struct err *err)
{
    (void)err_set(err, TG_REFUSED, "target-not-empty",
                  "'%s' holds something else than what was rendered", path);
    return err_hint(err, "remove it, or name another --output");
}

static const char *folder_of(struct arena *arena, const char *output, const struct image_row *row)
{
    const char *slash = str_ends(output, "/") ? "" : "/";
    return arena_printf(arena, "%s%s%s/%s", output, slash, row->image->name, row->tag);
}

/* The state of a context's place. */
enum context_place { PLACE_FREE, PLACE_SAME, PLACE_OLD };

/* PLACE_SAME: exactly these files; PLACE_OLD: those of an earlier render, unchanged. */
static int check_folder(enum context_place *place, const char *path, const char *marks,
                        const struct render *files, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct span mark;
    struct stat st;
    bool empty;
    *place = PLACE_FREE;
    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0 : err_errno(err, errno, "io", "cannot look at '%s'", path);
    bool link = S_ISLNK(st.st_mode);
    if ((link && stat(path, &st) < 0) || !S_ISDIR(st.st_mode))
        return refuse(path, err);
    if (io_is_empty(&empty, path, NULL, err) < 0)
        return -1;
    if (!empty && holds_just(path, mark_of(&scratch, files)))
        *place = PLACE_SAME;
    else if (!empty && !link && last_written_read(&mark, &scratch, marks, path) &&
             holds_just(path, mark))
        *place = PLACE_OLD;
    return *place != PLACE_FREE || (empty && !link) ? 0 : refuse(path, err);
}

/* Removes the old folder once the new one is there; a cut in between leaves both of them. */
static int put_in_place(const char *beside, const char *path, const char *old, struct err *err)
{
    if (old && rename(path, old) < 0)
        return err_errno(err, errno, "io", "cannot replace '%s'", path);
    if (rename(beside, path) == 0) {
        if (old)
            io_remove(AT_FDCWD, old);
        return 0;
    }
    int number = errno;
    if (old && rename(old, path) < 0)
        return err_errno(err, number, "io", "cannot make '%s', which is now '%s'", path, old);
    return err_errno(err, number, "io", "cannot make '%s'", path);
}

static int make_folder(const char *path, const struct render *files, bool replace, struct err *err)
{
    ARENA_SCRATCH(scratch);
    const char *made, *tag = strrchr(path, '/') + 1;
    const char *above = arena_memdup(&scratch, path, (size_t)(tag - 1 - path));
    const char *name = arena_printf(&scratch, "%s/.%s.%016" PRIx64, above, tag, io_random());
    const char *beside = arena_printf(&scratch, "%s.new", name);
    const char *old = replace ? arena_printf(&scratch, "%s.old", name) : NULL;
    if (io_make_folders(&made, &scratch, above, err) < 0)
        return -1;
    if (mkdir(beside, 0777) < 0)
        return err_errno(err, errno, "io", "cannot make '%s'", beside);
    int rc = make_files(beside, files, err);
    if (rc == 0)
        rc = put_in_place(beside, path, old, err);
    if (rc < 0)
        io_remove(AT_FDCWD, made ? made : beside);
    return rc;
}

int image_context_write(const char **path, struct arena *arena, const char *output,
                        const char *marks, const struct image_row *row, const struct render *files,
                        struct err *err)
{
    enum context_place place;
    *path = folder_of(arena, output, row);
    if (check_folder(&place, *path, marks, files, err) < 0)
        return -1;
    if (place == PLACE_SAME)
        return 0;
    if (make_folder(*path, files, place == PLACE_OLD, err) < 0)
        return -1;
    last_written_keep(marks, *path, mark_of(arena, files));
    return 0;
}

/* Renders again in each walk: the renders of many rows would take too much memory. */
static int each_context(const char **paths, struct arena *arena, const struct image_contexts *what,
                        bool write, struct err *err)
{
    for (size_t i = 0; i < what->count; i++) {
        ARENA_SCRATCH(scratch);
        const struct image_row *row = &what->rows[i];
        const char *path = folder_of(arena, what->output, row);
        struct render files;
        enum context_place place;
        if (image_context(&files, &scratch, what->catalog, row, what->lock, err) < 0 ||
            (write ? image_context_write(&path, arena, what->output, what->marks, row, &files, err)
                   : check_folder(&place, path, what->marks, &files, err)) < 0)
            return err_wrap(err, "%s:%s", row->image->name, row->tag);
        paths[i] = path;
    }
    return 0;
}

int image_contexts_check(const char ***paths, struct arena *arena,
                         const struct image_contexts *what, struct err *err)
{
    *paths = arena_array(arena, what->count + 1, sizeof(**paths));
    return each_context(*paths, arena, what, false, err);
}

int image_contexts_write(struct arena *arena, const struct image_contexts *what, struct err *err)
{
    const char **paths = arena_array(arena, what->count + 1, sizeof(*paths));
    return each_context(paths, arena, what, true, err);
}

/* ------------------------------------------------------------------ marks of earlier runs */

/* A path made of the place's name; NULL: there can be none. */
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
