/* Tar archives of captured machines: written whole or not at all, read with distrust. */
#include "smoke/capture/tar.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { BLOCK = 512, HEAD_SPARSE = 4, MORE_SPARSE = 21 };

struct sparse {
    char at[12], size[12];
};

/* GNU's form: it has holes, and names of any length. */
struct head {
    char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], sum[8], type, link[100], magic[8];
    char uname[32], gname[32], major[8], minor[8], atime[12], ctime[12], offset[12], longnames[4];
    char unused;
    struct sparse sparse[HEAD_SPARSE];
    char extended, real_size[12], pad[17];
};

/* A continuation of a long list of regions. */
struct more {
    struct sparse sparse[MORE_SPARSE];
    char extended, pad[7];
};

_Static_assert(sizeof(struct head) == BLOCK, "a head is a block");
_Static_assert(sizeof(struct more) == BLOCK, "its continuation too");

__attribute__((format(printf, 2, 3))) static int wrong(char *error, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(error, TAR_ERROR_MAX, fmt, args);
    va_end(args);
    return -1;
}

/* ---- writing */

static int write_all(struct tar *t, const void *bytes, size_t size)
{
    errno = 0; /* zlib's own errors do not set it */
    if (size == 0 || gzwrite(t->packed, bytes, (unsigned)size) > 0)
        return 0;
    return wrong(t->error, "cannot write '%s': %s", t->path, strerror(errno ? errno : ENOSPC));
}

static int write_padding(struct tar *t, unsigned long long size)
{
    static const char zeros[2 * BLOCK];
    return write_all(t, zeros, (size_t)((BLOCK - size % BLOCK) % BLOCK));
}

static void put_octal(char *field, size_t size, unsigned long long value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%0*llo", (int)size - 1, value);
    memcpy(field, text + strlen(text) - (size - 1), size - 1);
}

static void put_text(char *field, size_t size, const char *text)
{
    size_t n = strlen(text);
    memcpy(field, text, n < size ? n : size);
}

static unsigned head_sum(const struct head *head)
{
    const unsigned char *bytes = (const unsigned char *)head;
    unsigned sum = 0;
    for (size_t i = 0; i < BLOCK; i++) {
        size_t sum_at = offsetof(struct head, sum);
        sum += i >= sum_at && i < sum_at + sizeof head->sum ? ' ' : bytes[i];
    }
    return sum;
}

static void head_fill(struct head *head, char type, unsigned mode, unsigned long long size)
{
    memset(head, 0, sizeof *head);
    put_octal(head->mode, sizeof head->mode, mode & 0777);
    put_octal(head->uid, sizeof head->uid, 0);
    put_octal(head->gid, sizeof head->gid, 0);
    put_octal(head->size, sizeof head->size, size);
    put_octal(head->mtime, sizeof head->mtime, 0);
    memcpy(head->magic, "ustar  ", sizeof head->magic);
    head->type = type;
}

static int head_write(struct tar *t, struct head *head)
{
    (void)snprintf(head->sum, sizeof head->sum, "%06o", head_sum(head));
    head->sum[7] = ' ';
    return write_all(t, head, sizeof *head);
}

/* Writes a name that is too long for its field as a file of type L or K before the entry. */
static int write_long(struct tar *t, char type, const char *text)
{
    struct head head;
    size_t size = strlen(text) + 1;
    if (size <= sizeof head.name)
        return 0;
    if (size > TAR_NAME_MAX)
        return wrong(t->error, "the name '%.60s...' is too long", text);
    head_fill(&head, type, 0644, size);
    put_text(head.name, sizeof head.name, "././@LongLink");
    return head_write(t, &head) || write_all(t, text, size) || write_padding(t, size) ? -1 : 0;
}

static int write_entry(struct tar *t, struct head *head, const char *name, const char *target)
{
    if (write_long(t, 'K', target) || write_long(t, 'L', name))
        return -1;
    put_text(head->name, sizeof head->name - 1, name);
    put_text(head->link, sizeof head->link - 1, target);
    return head_write(t, head);
}

static int is_gzip_name(const char *path)
{
    size_t n = strlen(path);
    return (n > 3 && strcmp(path + n - 3, ".gz") == 0) ||
           (n > 4 && strcmp(path + n - 4, ".tgz") == 0);
}

int tar_create(struct tar *t, const char *path, tar_error error)
{
    size_t size = strlen(path) + sizeof ".XXXXXX";
    *t = (struct tar){.path = path, .error = error, .temporary = malloc(size), .fd = -1};
    if (!t->temporary)
        return wrong(t->error, "out of memory");
    (void)snprintf(t->temporary, size, "%s.XXXXXX", path);
    t->fd = mkstemp(t->temporary);
    int fd = t->fd >= 0 ? dup(t->fd) : -1;
    if (fd >= 0 && (t->packed = gzdopen(fd, is_gzip_name(path) ? "wb" : "wbT")))
        return 0;
    int why = errno;
    if (fd >= 0)
        close(fd);
    tar_abandon(t);
    return wrong(t->error, "cannot write '%s': %s", path, strerror(why));
}

int tar_folder(struct tar *t, const char *name)
{
    struct head head;
    head_fill(&head, '5', 0755, 0);
    return write_entry(t, &head, name, "");
}

int tar_link(struct tar *t, const char *name, const char *target)
{
    struct head head;
    head_fill(&head, '2', 0777, 0);
    return write_entry(t, &head, name, target);
}

int tar_bytes(struct tar *t, const char *name, unsigned mode, const char *bytes, size_t size)
{
    struct head head;
    head_fill(&head, '0', mode, size);
    return write_entry(t, &head, name, "") || write_all(t, bytes, size) || write_padding(t, size)
               ? -1
               : 0;
}

static int copy_region(struct tar *t, int fd, const struct tar_region *region)
{
    char buf[64 * BLOCK];
    for (unsigned long long done = 0; done < region->size;) {
        size_t want = sizeof buf;
        if (want > region->size - done)
            want = (size_t)(region->size - done);
        ssize_t n = pread(fd, buf, want, (off_t)(region->at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) { /* it shrank or is unreadable: pads with zeros */
            memset(buf, 0, want);
            n = (ssize_t)want;
        }
        if (write_all(t, buf, (size_t)n))
            return -1;
        done += (unsigned long long)n;
    }
    return 0;
}

static void put_sparse(struct sparse *out, const struct tar_region *region)
{
    put_octal(out->at, sizeof out->at, region->at);
    put_octal(out->size, sizeof out->size, region->size);
}

static int write_more(struct tar *t, const struct tar_region *regions, size_t n)
{
    for (size_t i = 0; i < n; i += MORE_SPARSE) {
        struct more more;
        memset(&more, 0, sizeof more);
        for (size_t k = 0; k < MORE_SPARSE && i + k < n; k++)
            put_sparse(&more.sparse[k], &regions[i + k]);
        more.extended = (char)(i + MORE_SPARSE < n);
        if (write_all(t, &more, sizeof more))
            return -1;
    }
    return 0;
}

int tar_regions(struct tar *t, const char *name, unsigned mode, int fd, unsigned long long size,
                const struct tar_region *regions, size_t n)
{
    struct tar_region all[TAR_REGIONS_MAX + 1];
    struct head head;
    unsigned long long stored = 0;
    if (n > TAR_REGIONS_MAX || size > TAR_FILE_MAX)
        return wrong(t->error, "'%s' is too large", name);
    for (size_t i = 0; i < n; i++) {
        all[i] = regions[i];
        stored += regions[i].size;
    }
    if (n == 0 || regions[n - 1].at + regions[n - 1].size < size)
        all[n++] = (struct tar_region){size, 0}; /* marks a final hole */
    head_fill(&head, 'S', mode, stored);
    for (size_t i = 0; i < n && i < HEAD_SPARSE; i++)
        put_sparse(&head.sparse[i], &all[i]);
    head.extended = (char)(n > HEAD_SPARSE);
    put_octal(head.real_size, sizeof head.real_size, size);
    if (write_entry(t, &head, name, "") ||
        (n > HEAD_SPARSE && write_more(t, all + HEAD_SPARSE, n - HEAD_SPARSE)))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (copy_region(t, fd, &all[i]))
            return -1;
    return write_padding(t, stored);
}

int tar_finish(struct tar *t)
{
    static const char end[2 * BLOCK];
    if (write_all(t, end, sizeof end))
        return -1;
    int rc = gzclose(t->packed);
    t->packed = NULL;
    if (rc != Z_OK)
        return wrong(t->error, "cannot write '%s': %s", t->path, strerror(errno ? errno : ENOSPC));
    if (fsync(t->fd) || fchmod(t->fd, 0644) || rename(t->temporary, t->path))
        return wrong(t->error, "cannot write '%s': %s", t->path, strerror(errno));
    free(t->temporary);
    t->temporary = NULL;
    return 0;
}

void tar_abandon(struct tar *t)
{
    if (t->temporary) {
        (void)unlink(t->temporary);
        free(t->temporary);
        t->temporary = NULL;
    }
    if (t->packed)
        (void)gzclose(t->packed);
    if (t->fd >= 0)
        close(t->fd);
    t->packed = NULL;
    t->fd = -1;
}

/* ---- reading */

struct tar_reader {
    gzFile in;
    int folder;
    const char *path;
    char *error;
    char name[TAR_NAME_MAX + 1],
        link[TAR_NAME_MAX + 1]; /* of the next entry, if too long for its header */
    size_t entries;
    unsigned long long bytes, taken; /* of files; including everything around them */
};

static int fail_reading(struct tar_reader *r)
{
    int why = errno, code;
    (void)gzerror(r->in, &code);
    if (code == Z_ERRNO)
        return wrong(r->error, "cannot read '%s': %s", r->path, strerror(why));
    return wrong(r->error, "'%s' is a %s", r->path,
                 code == Z_BUF_ERROR ? "gzip file that is cut short" : "damaged gzip file");
}

static int at_end(struct tar_reader *r)
{
    int code;
    (void)gzerror(r->in, &code);
    return code == Z_BUF_ERROR ? fail_reading(r) : 0;
}

/* At the end of input *size is what was read. Small compressed input may expand without end. */
static int read_some(struct tar_reader *r, void *out, size_t *size)
{
    char *at = out;
    for (size_t done = 0; done < *size;) {
        int n = gzread(r->in, at + done, (unsigned)(*size - done));
        if (n < 0 || (n == 0 && at_end(r)))
            return n < 0 ? fail_reading(r) : -1;
        if (n == 0)
            *size = done;
        done += (size_t)n;
        r->taken += (size_t)n;
        if (r->taken > TAR_STREAM_MAX)
            return wrong(r->error, "'%s' holds too much", r->path);
    }
    return 0;
}

static int read_all(struct tar_reader *r, void *out, size_t size)
{
    size_t got = size;
    if (read_some(r, out, &got))
        return -1;
    return got == size ? 0 : wrong(r->error, "'%s' is cut short, or no tar archive", r->path);
}

/* Reads the rest: a compressed archive ends in its checksum. */
static int read_rest(struct tar_reader *r)
{
    char rest[32 * BLOCK];
    size_t got = sizeof rest;
    int rc = 0;
    while (!rc && got == sizeof rest)
        rc = read_some(r, rest, &got);
    return rc;
}

static int skip_padding(struct tar_reader *r, unsigned long long size)
{
    char rest[BLOCK];
    return read_all(r, rest, (size_t)((BLOCK - size % BLOCK) % BLOCK));
}

/* Digits to a NUL, a blank or the field's end. */
static int take_octal(unsigned long long *out, const char *field, size_t size)
{
    size_t i = 0;
    *out = 0;
    while (i < size && field[i] == ' ')
        i++;
    for (; i < size && field[i] >= '0' && field[i] <= '7'; i++)
        *out = *out * 8 + (unsigned long long)(field[i] - '0');
    return i == size || field[i] == '\0' || field[i] == ' ' ? 0 : -1;
}

/* Refuses names that leave the folder or mislead a reader. */
static int check_name(struct tar_reader *r, const char *name)
{
    if (!*name || *name == '/')
        return wrong(r->error, "'%s' holds a name that is not relative", r->path);
    for (const char *p = name; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return wrong(r->error, "'%s' holds a name with control bytes", r->path);
    for (const char *part = name; *part;) {
        size_t n = strcspn(part, "/");
        if (n == 2 && part[0] == '.' && part[1] == '.')
            return wrong(r->error, "'%s' holds the name '%s', which goes up", r->path, name);
        part += n + (part[n] == '/');
    }
    return 0;
}

/* Opens a name's folder, creating it if needed, never through a link; *last is the last part. */
static int open_parent(struct tar_reader *r, char *name, const char **last)
{
    int at = dup(r->folder);
    while (at >= 0) {
        name += strspn(name, "/");
        while (name[0] == '.' && name[1] == '/')
            name += 1 + strspn(name + 1, "/");
        char *slash = strchr(name, '/');
        if (!slash || !slash[strspn(slash, "/")]) {
            if (slash)
                *slash = '\0';
            *last = name;
            return at;
        }
        *slash = '\0';
        int made = mkdirat(at, name, 0700);
        int next = made && errno != EEXIST
                       ? -1
                       : openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        close(at);
        at = next;
        name = slash + 1;
    }
    return wrong(r->error, "'%s' holds an entry behind a link or a file", r->path);
}

static int fail_entry(struct tar_reader *r, const char *name)
{
    return wrong(r->error, "'%s': cannot unpack '%s': %s", r->path, name, strerror(errno));
}

static int copy_out(struct tar_reader *r, int fd, const struct tar_region *region)
{
    char buf[64 * BLOCK];
    for (unsigned long long done = 0; done < region->size;) {
        size_t n = sizeof buf;
        if (n > region->size - done)
            n = (size_t)(region->size - done);
        if (read_all(r, buf, n))
            return -1;
        if (pwrite(fd, buf, n, (off_t)(region->at + done)) != (ssize_t)n)
            return wrong(r->error, "'%s': cannot unpack: %s", r->path, strerror(errno));
        done += n;
    }
    return 0;
}

/* Reads the regions of a file with holes: in order, within the file, at least one. */
static int take_regions(struct tar_reader *r, const struct sparse *table, size_t n,
                        struct tar_region *regions, size_t *count, unsigned long long size)
{
    for (size_t i = 0; i < n && table[i].at[0]; i++) {
        struct tar_region *new = &regions[*count];
        unsigned long long from = *count ? new[-1].at + new[-1].size : 0;
        if (*count == TAR_REGIONS_MAX + 1 ||
            take_octal(&new->at, table[i].at, sizeof table[i].at) ||
            take_octal(&new->size, table[i].size, sizeof table[i].size) || new->at < from ||
            new->at > size || new->size > size - new->at)
            return wrong(r->error, "'%s' holds a file with impossible holes", r->path);
        ++*count;
    }
    return 0;
}

static int read_regions(struct tar_reader *r, const struct head *head, struct tar_region *regions,
                        size_t *count, unsigned long long *size)
{
    struct more more = {.extended = head->extended};
    if (take_octal(size, head->real_size, sizeof head->real_size) || *size > TAR_FILE_MAX)
        return wrong(r->error, "'%s' holds a file that is too large", r->path);
    if (take_regions(r, head->sparse, HEAD_SPARSE, regions, count, *size))
        return -1;
    while (more.extended)
        if (read_all(r, &more, sizeof more) ||
            take_regions(r, more.sparse, MORE_SPARSE, regions, count, *size))
            return -1;
    return 0;
}

static int unpack_file(struct tar_reader *r, const struct head *head, int at, const char *name,
                       unsigned long long stored)
{
    struct tar_region regions[TAR_REGIONS_MAX + 1] = {{0, stored}};
    unsigned long long mode = 0, size = stored, sum = 0;
    size_t count = head->type != 'S';
    if (head->type == 'S' && read_regions(r, head, regions, &count, &size))
        return -1;
    for (size_t i = 0; i < count; i++)
        sum += regions[i].size;
    if (sum != stored || take_octal(&mode, head->mode, sizeof head->mode))
        return wrong(r->error, "'%s' holds a file with impossible holes", r->path);
    int fd = openat(at, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return fail_entry(r, name);
    int rc = ftruncate(fd, (off_t)size) ? fail_entry(r, name) : 0;
    for (size_t i = 0; i < count && !rc; i++)
        rc = copy_out(r, fd, &regions[i]);
    if (!rc && fchmod(fd, (mode_t)(mode & 0666)))
        rc = fail_entry(r, name);
    close(fd);
    return rc || skip_padding(r, stored) ? -1 : 0;
}

/* Reads a text that was too long for the header. */
static int read_long(struct tar_reader *r, char *out, unsigned long long size)
{
    if (size == 0 || size > TAR_NAME_MAX)
        return wrong(r->error, "'%s' holds a name that is too long", r->path);
    if (read_all(r, out, (size_t)size) || skip_padding(r, size))
        return -1;
    out[size] = '\0';
    return 0;
}

/* The other format's header splits names in two parts. */
static void take_names(struct tar_reader *r, const struct head *head)
{
    const char *prefix = (const char *)head + offsetof(struct head, atime);
    if (!*r->name && memcmp(head->magic, "ustar", 6) == 0 && *prefix)
        (void)snprintf(r->name, sizeof r->name, "%.155s/%.100s", prefix, head->name);
    if (!*r->name)
        (void)snprintf(r->name, sizeof r->name, "%.100s", head->name);
    if (!*r->link)
        (void)snprintf(r->link, sizeof r->link, "%.100s", head->link);
}

static int unpack_entry(struct tar_reader *r, const struct head *head, unsigned long long size)
{
    const char *last = "";
    int rc = 0, at;
    take_names(r, head);
    if (check_name(r, r->name) || (at = open_parent(r, r->name, &last)) < 0)
        return -1;
    if (head->type == '5')
        rc = *last && strcmp(last, ".") != 0 && mkdirat(at, last, 0700) && errno != EEXIST
                 ? fail_entry(r, last)
                 : 0;
    else if (head->type == '2')
        rc = !*r->link || symlinkat(r->link, at, last) ? fail_entry(r, last) : 0;
    else
        rc = unpack_file(r, head, at, last, size);
    close(at);
    r->name[0] = r->link[0] = '\0';
    return rc;
}

/* Returns 1 for an entry, 0 at the end of the archive. */
static int unpack_next(struct tar_reader *r)
{
    struct head head;
    unsigned long long size = 0, sum = 0;
    if (read_all(r, &head, sizeof head))
        return -1;
    if (!head.name[0] && !head.sum[0])
        return 0;
    if (take_octal(&sum, head.sum, sizeof head.sum) || sum != head_sum(&head) ||
        take_octal(&size, head.size, sizeof head.size))
        return wrong(r->error, "'%s' is damaged, or no tar archive", r->path);
    r->bytes += size;
    if (++r->entries > TAR_ENTRIES_MAX || size > TAR_BYTES_MAX || r->bytes > TAR_BYTES_MAX)
        return wrong(r->error, "'%s' holds too much", r->path);
    if (head.type == 'L' || head.type == 'K')
        return read_long(r, head.type == 'L' ? r->name : r->link, size) ? -1 : 1;
    if (!strchr("05S2", head.type ? head.type : '0') ||
        (size && (head.type == '2' || head.type == '5')))
        return wrong(r->error, "'%s' holds something that is no file, folder or link", r->path);
    return unpack_entry(r, &head, size) ? -1 : 1;
}

/* Other formats: how their files begin, their names, and what unpacks them. */
static const struct {
    const char *begin, *name, *unpack;
} others[] = {
    {"\xfd"
     "7zXZ",
     "xz", "xz -d"},
    {"\x28\xb5\x2f\xfd", "zstd", "zstd -d"},
    {"BZh", "bzip2", "bzip2 -d"},
    {"\x04\x22\x4d\x18", "lz4", "lz4 -d"},
    {"LZIP", "lzip", "lzip -d"},
    {"\x1f\x9d", "compress", "gzip -d"},
    {"PK\3\4", "zip", NULL},
    {"7z\xbc\xaf", "7z", NULL},
};

static int refuse_others(struct tar_reader *r, int fd)
{
    struct head head = {.type = 0};
    if (pread(fd, &head, sizeof head, 0) <= 0 || memcmp(head.magic, "ustar", 5) == 0)
        return 0;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const char *name = others[i].name, *unpack = others[i].unpack;
        if (strncmp(head.name, others[i].begin, strlen(others[i].begin)) != 0)
            continue;
        return unpack ? wrong(r->error,
                              "'%s' is compressed with %s, which is not read: unpack it with '%s'",
                              r->path, name, unpack)
                      : wrong(r->error, "'%s' is a %s archive: make a tar of what it holds",
                              r->path, name);
    }
    return 0;
}

static int open_archive(struct tar_reader *r)
{
    int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return wrong(r->error, "cannot read '%s': %s", r->path, strerror(errno));
    int rc = refuse_others(r, fd);
    if (!rc && !(r->in = gzdopen(fd, "rb")))
        rc = wrong(r->error, "cannot read '%s': out of memory", r->path);
    if (rc)
        close(fd);
    return rc;
}

int tar_unpack(const char *path, int folder, tar_error error)
{
    struct tar_reader r = {.folder = folder, .path = path, .error = error};
    int rc = 1;
    if (open_archive(&r))
        return -1;
    while (rc == 1)
        rc = unpack_next(&r);
    if (rc == 0)
        rc = read_rest(&r);
    (void)gzclose(r.in);
    return rc;
}
