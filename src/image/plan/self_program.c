/* The program that runs, as a file: found by the mapping of its code, proven by its bytes. */
#include "image/plan/self_program.h"

#include "base/arena.h"
#include "base/limits.h"
#include "io/io.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PROGRAM_BYTES_MAX (64 * LIMIT_MIB)
#define MAPS_LINE_MAX 8192

/* Code of this program in memory, and where it comes from. */
struct code {
    const char *start;
    size_t len, offset; /* in the file */
    const char *path;   /* NULL: the kernel names none */
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
        found = read_mapping(out, arena, line, (uintptr_t)self_program_read);
    if (maps)
        (void)fclose(maps);
    return found;
}

/* The last page of a mapping goes on behind the end of a short file. */
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
    return path && io_read_file(out, arena, AT_FDCWD, path, PROGRAM_BYTES_MAX, &err) == 0 &&
           holds(*out, code);
}

/*
 * /proc/self/exe has what runs even where an upgrade has replaced its name since; of a loader that
 * was told to run it, it is the loader.
 */
int self_program_read(struct span *out, struct arena *arena, struct err *err)
{
    struct code code;
    if (find_code(&code, arena) &&
        (is_in(out, arena, "/proc/self/exe", &code) || is_in(out, arena, code.path, &code)))
        return 0;
    (void)err_set(err, TG_REFUSED, "program-unknown",
                  "the running tmplgen cannot be found as a file, to be put into the image");
    return err_hint(err, "run it again: was it replaced, or taken away, since it was started?");
}
