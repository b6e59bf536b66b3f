/*
 * A file system that hands everything on to the folder that it is mounted over, but for what it is
 * told to lack; it can write down all that changes, in order, with the bytes. It speaks the
 * kernel's FUSE protocol itself: nothing is needed but /dev/fuse and the right to mount.
 *
 *   passthrough FOLDER [--log FILE] [SWITCH[=ERRNO]...]
 *
 *   norename      renames with flags fail with EINVAL, as on NFS, sshfs and many a FUSE
 *   noexchange    only those that exchange two names do
 *   nolink        hard links fail with EPERM
 *   linkino       each name of a file has an inode number of its own, as on sshfs
 *   nochmod       chmod fails with EPERM
 *   noutimens     so does setting times
 *   nofsyncdir    fsync of a folder fails with EINVAL
 *   nocase        names that differ by the case of ASCII letters are one, and keep the first's
 *                 spelling, as in what Docker Desktop mounts of a Mac or of Windows
 *   anymode       every file looks executable, whatever it is given, as on FAT and exFAT
 *
 * Says `ready` once it is mounted, or why it cannot be (exit code 2); ends when it is unmounted,
 * and unmounts itself when it is told to end or when the process that started it is gone.
 *
 * The log has a record for each change that succeeded: words between tabs, a line's end and, where
 * the last word of `write` and `symlink` is a length, so many bytes. Inodes and folders are
 * numbers:
 *
 *   create, mkdir, mknod   FOLDER NAME INODE MODE
 *   symlink                FOLDER NAME INODE LENGTH
 *   link                   FOLDER NAME INODE
 *   unlink, rmdir          FOLDER NAME
 *   rename                 FOLDER NAME FOLDER NAME FLAGS
 *   write                  INODE OFFSET LENGTH
 *   truncate, chmod        INODE SIZE|MODE
 *   fsync, fsyncdir        INODE
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/fuse.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum { MAX_WRITE = 128 * 1024, BUFFER = MAX_WRITE + 4096, KEEP_SECONDS = 3600, BUCKETS = 4096 };

/* ---------------------------------------------------------------- what it lacks */

enum lack {
    NORENAME,
    NOEXCHANGE,
    NOLINK,
    LINKINO,
    NOCHMOD,
    NOUTIMENS,
    NOFSYNCDIR,
    NOCASE,
    ANYMODE,
    LACKS
};

static struct {
    const char *name;
    int error;
    bool on;
} lacks[LACKS] = {
    [NORENAME] = {"norename", EINVAL, false},
    [NOEXCHANGE] = {"noexchange", EINVAL, false},
    [NOLINK] = {"nolink", EPERM, false},
    [LINKINO] = {"linkino", 0, false},
    [NOCHMOD] = {"nochmod", EPERM, false},
    [NOUTIMENS] = {"noutimens", EPERM, false},
    [NOFSYNCDIR] = {"nofsyncdir", EINVAL, false},
    [NOCASE] = {"nocase", 0, false},
    [ANYMODE] = {"anymode", 0, false},
};

static bool lacks_it(enum lack what)
{
    if (lacks[what].on)
        errno = lacks[what].error;
    return lacks[what].on;
}

static FILE *record;

#define RECORD(...) (void)(record && fprintf(record, __VA_ARGS__))

static void record_bytes(const void *bytes, size_t len)
{
    if (record)
        (void)fwrite(bytes, 1, len, record);
}

/* ---------------------------------------------------------------- nodes */

/* What the kernel knows by a number: its address here. */
struct node {
    struct node *next; /* of the same bucket */
    uint64_t lookups, parent;
    ino_t inode;
    char *name; /* where each name has a node of its own */
    int fd;     /* O_PATH */
};

static struct node root = {.fd = -1, .lookups = 1};
static struct node *nodes[BUCKETS];

static struct node *node_of(uint64_t id)
{
    return id == FUSE_ROOT_ID ? &root : (struct node *)(uintptr_t)id;
}

static uint64_t id_of(const struct node *node)
{
    return node == &root ? FUSE_ROOT_ID : (uintptr_t)node;
}

static bool is_same(const struct node *node, ino_t inode, uint64_t parent, const char *name)
{
    if (node->inode != inode)
        return false;
    return !name || (node->name && node->parent == parent && strcmp(node->name, name) == 0);
}

/* Takes `fd` over. `name` where it is part of what a node is. */
static struct node *node_get(int fd, ino_t inode, uint64_t parent, const char *name)
{
    struct node **bucket = &nodes[inode % BUCKETS], *node = *bucket;
    while (node && !is_same(node, inode, parent, name))
        node = node->next;
    if (node) {
        (void)close(fd);
    } else {
        node = calloc(1, sizeof(*node));
        if (!node)
            abort();
        *node = (struct node){.next = *bucket, .inode = inode, .parent = parent, .fd = fd};
        node->name = name ? strdup(name) : NULL;
        *bucket = node;
    }
    node->lookups++;
    return node;
}

static void node_forget(uint64_t id, uint64_t count)
{
    struct node *node = node_of(id), **link = &nodes[node->inode % BUCKETS];
    if (node == &root || (node->lookups -= count) > 0)
        return;
    while (*link != node)
        link = &(*link)->next;
    *link = node->next;
    (void)close(node->fd);
    free(node->name);
    free(node);
}

/* ---------------------------------------------------------------- answers */

static int device = -1;
static const struct fuse_in_header *asked;

static void answer(int error, const void *bytes, size_t len, const void *more, size_t more_len)
{
    static char out[BUFFER + 4096];
    struct fuse_out_header head = {.unique = asked->unique, .error = -error};
    head.len = (uint32_t)(sizeof(head) + len + more_len);
    memcpy(out, &head, sizeof(head));
    if (len)
        memcpy(out + sizeof(head), bytes, len);
    if (more_len)
        memcpy(out + sizeof(head) + len, more, more_len);
    (void)!write(device, out, head.len);
}

static void fail(void)
{
    answer(errno ? errno : EIO, NULL, 0, NULL, 0);
}

static void done(int rc)
{
    if (rc < 0)
        fail();
    else
        answer(0, NULL, 0, NULL, 0);
}

static void fill_attr(struct fuse_attr *out, const struct stat *info, const struct node *node)
{
    uint64_t inode = info->st_ino;
    for (const char *c = node->name; c && *c; c++)
        inode = inode * 31 + (unsigned char)*c;
    *out = (struct fuse_attr){
        .ino = inode + (node->name ? node->parent : 0),
        .size = (uint64_t)info->st_size,
        .blocks = (uint64_t)info->st_blocks,
        .atime = (uint64_t)info->st_atim.tv_sec,
        .mtime = (uint64_t)info->st_mtim.tv_sec,
        .ctime = (uint64_t)info->st_ctim.tv_sec,
        .atimensec = (uint32_t)info->st_atim.tv_nsec,
        .mtimensec = (uint32_t)info->st_mtim.tv_nsec,
        .ctimensec = (uint32_t)info->st_ctim.tv_nsec,
        .mode = info->st_mode | (lacks[ANYMODE].on && S_ISREG(info->st_mode) ? 0111 : 0),
        .nlink = (uint32_t)info->st_nlink,
        .uid = info->st_uid,
        .gid = info->st_gid,
        .rdev = (uint32_t)info->st_rdev,
        .blksize = (uint32_t)info->st_blksize,
    };
}

/* Nobody else changes what lies below, so the kernel may keep what it is told. */
static uint64_t keep(void)
{
    return lacks[LINKINO].on || lacks[NOCASE].on ? 0 : KEEP_SECONDS;
}

static void answer_attr(const struct node *node)
{
    struct fuse_attr_out out = {.attr_valid = keep()};
    struct stat info;
    if (fstatat(node->fd, "", &info, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) < 0) {
        fail();
        return;
    }
    fill_attr(&out.attr, &info, node);
    answer(0, &out, sizeof(out), NULL, 0);
}

/* The spelling under which the folder has `name`; `name` where it has none. */
static const char *spelling(const struct node *folder, const char *name)
{
    static char found[NAME_MAX + 1];
    int fd = lacks[NOCASE].on ? openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry = NULL;
    while (dir && (entry = readdir(dir)) && strcasecmp(entry->d_name, name) != 0)
        ;
    if (entry)
        (void)snprintf(found, sizeof(found), "%s", entry->d_name);
    if (dir)
        (void)closedir(dir);
    return entry ? found : name;
}

/* What `name` is, with one look more at it to its account. NULL with errno. */
static struct node *look_up(struct fuse_entry_out *out, const struct node *folder, const char *name)
{
    struct stat info;
    name = spelling(folder, name);
    int fd = openat(folder->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstatat(fd, "", &info, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) < 0)
        return NULL;
    bool own = lacks[LINKINO].on && S_ISREG(info.st_mode);
    struct node *node = node_get(fd, info.st_ino, id_of(folder), own ? name : NULL);
    *out =
        (struct fuse_entry_out){.nodeid = id_of(node), .entry_valid = keep(), .attr_valid = keep()};
    fill_attr(&out->attr, &info, node);
    return node;
}

static struct node *answer_entry(const struct node *folder, const char *name)
{
    struct fuse_entry_out out;
    struct node *node = look_up(&out, folder, name);
    if (node)
        answer(0, &out, sizeof(out), NULL, 0);
    else
        fail();
    return node;
}

static const char *path_of(const struct node *node)
{
    static char path[64];
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", node->fd);
    return path;
}

/* ---------------------------------------------------------------- looking */

static void do_init(struct node *node, const void *in)
{
    const struct fuse_init_in *init = in;
    struct fuse_init_out out = {.major = FUSE_KERNEL_VERSION,
                                .minor = 31,
                                .max_readahead = init->max_readahead,
                                .flags = FUSE_ATOMIC_O_TRUNC | FUSE_BIG_WRITES | FUSE_ASYNC_READ,
                                .max_background = 16,
                                .congestion_threshold = 12,
                                .max_write = MAX_WRITE,
                                .time_gran = 1};
    (void)node;
    out.flags &= init->flags;
    answer(0, &out, sizeof(out), NULL, 0);
}

static void do_lookup(struct node *node, const void *in)
{
    struct fuse_entry_out out = {.entry_valid = keep()};
    if (!look_up(&out, node, in) && errno != ENOENT)
        fail();
    else
        answer(0, &out, sizeof(out), NULL, 0); /* number 0: there is none */
}

static void do_forget(struct node *node, const void *in)
{
    node_forget(id_of(node), ((const struct fuse_forget_in *)in)->nlookup);
}

static void do_batch_forget(struct node *node, const void *in)
{
    const struct fuse_batch_forget_in *batch = in;
    const struct fuse_forget_one *one = (const void *)(batch + 1);
    (void)node;
    for (uint32_t i = 0; i < batch->count; i++)
        node_forget(one[i].nodeid, one[i].nlookup);
}

static void do_getattr(struct node *node, const void *in)
{
    (void)in;
    answer_attr(node);
}

static void do_readlink(struct node *node, const void *in)
{
    char target[PATH_MAX];
    ssize_t len = readlinkat(node->fd, "", target, sizeof(target));
    (void)in;
    if (len < 0)
        fail();
    else
        answer(0, target, (size_t)len, NULL, 0);
}

static void do_statfs(struct node *node, const void *in)
{
    struct statvfs info;
    (void)in;
    if (fstatvfs(node->fd, &info) < 0) {
        fail();
        return;
    }
    struct fuse_statfs_out out = {.st = {.blocks = info.f_blocks,
                                         .bfree = info.f_bfree,
                                         .bavail = info.f_bavail,
                                         .files = info.f_files,
                                         .ffree = info.f_ffree,
                                         .bsize = (uint32_t)info.f_bsize,
                                         .namelen = (uint32_t)info.f_namemax,
                                         .frsize = (uint32_t)info.f_frsize}};
    answer(0, &out, sizeof(out), NULL, 0);
}

static void do_read(struct node *node, const void *in)
{
    static char bytes[MAX_WRITE];
    const struct fuse_read_in *read_in = in;
    size_t size = read_in->size < sizeof(bytes) ? read_in->size : sizeof(bytes);
    ssize_t got = pread((int)read_in->fh, bytes, size, (off_t)read_in->offset);
    (void)node;
    if (got < 0)
        fail();
    else
        answer(0, bytes, (size_t)got, NULL, 0);
}

static void do_opendir(struct node *node, const void *in)
{
    int fd = open(path_of(node), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct fuse_open_out out = {.fh = (uintptr_t)dir};
    (void)in;
    if (dir)
        answer(0, &out, sizeof(out), NULL, 0);
    else
        fail();
}

static void do_readdir(struct node *node, const void *in)
{
    static char list[MAX_WRITE];
    const struct fuse_read_in *read_in = in;
    DIR *dir = (DIR *)(uintptr_t)read_in->fh;
    size_t used = 0, size = read_in->size < sizeof(list) ? read_in->size : sizeof(list);
    const struct dirent *entry;
    (void)node;
    if (read_in->offset)
        seekdir(dir, (long)read_in->offset);
    else
        rewinddir(dir);
    while ((entry = readdir(dir))) {
        struct fuse_dirent *out = (struct fuse_dirent *)(void *)(list + used);
        size_t len = strlen(entry->d_name), whole = FUSE_DIRENT_ALIGN(FUSE_NAME_OFFSET + len);
        if (used + whole > size)
            break;
        memset(out, 0, whole);
        *out = (struct fuse_dirent){.ino = entry->d_ino,
                                    .off = (uint64_t)entry->d_off,
                                    .namelen = (uint32_t)len,
                                    .type = entry->d_type};
        memcpy(out->name, entry->d_name, len);
        used += whole;
    }
    answer(0, list, used, NULL, 0);
}

static void do_releasedir(struct node *node, const void *in)
{
    const struct fuse_release_in *release = in;
    (void)node;
    done(closedir((DIR *)(uintptr_t)release->fh));
}

static void do_release(struct node *node, const void *in)
{
    const struct fuse_release_in *release = in;
    (void)node;
    done(close((int)release->fh));
}

/* ---------------------------------------------------------------- files */

/* The kernel says where what is appended goes. */
static int flags_of(uint32_t flags)
{
    return (int)(flags & ~(uint32_t)(O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW)) | O_CLOEXEC;
}

static void do_open(struct node *node, const void *in)
{
    const struct fuse_open_in *open_in = in;
    int fd = open(path_of(node), flags_of(open_in->flags));
    if (fd < 0) {
        fail();
        return;
    }
    if (open_in->flags & O_TRUNC)
        RECORD("truncate\t%ju\t0\n", (uintmax_t)node->inode);
    struct fuse_open_out out = {.fh = (uint64_t)fd};
    answer(0, &out, sizeof(out), NULL, 0);
}

static void do_create(struct node *folder, const void *in)
{
    const struct fuse_create_in *create = in;
    const char *name = (const char *)(create + 1);
    struct fuse_entry_out entry;
    int flags = flags_of(create->flags) | O_CREAT | O_EXCL;
    int fd = openat(folder->fd, name, flags, create->mode & 07777);
    struct node *node = fd < 0 ? NULL : look_up(&entry, folder, name);
    if (!node) {
        fail();
        return;
    }
    RECORD("create\t%ju\t%s\t%ju\t%o\n", (uintmax_t)folder->inode, name, (uintmax_t)node->inode,
           create->mode & 07777);
    struct fuse_open_out out = {.fh = (uint64_t)fd};
    answer(0, &entry, sizeof(entry), &out, sizeof(out));
}

static void do_write(struct node *node, const void *in)
{
    const struct fuse_write_in *write_in = in;
    ssize_t put = pwrite((int)write_in->fh, write_in + 1, write_in->size, (off_t)write_in->offset);
    if (put < 0) {
        fail();
        return;
    }
    RECORD("write\t%ju\t%ju\t%zd\n", (uintmax_t)node->inode, (uintmax_t)write_in->offset, put);
    record_bytes(write_in + 1, (size_t)put);
    struct fuse_write_out out = {.size = (uint32_t)put};
    answer(0, &out, sizeof(out), NULL, 0);
}

static int set_times(const struct node *node, const struct fuse_setattr_in *set)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_OMIT}};
    if (set->valid & FATTR_ATIME)
        times[0] = (struct timespec){(time_t)set->atime, (long)set->atimensec};
    if (set->valid & FATTR_MTIME)
        times[1] = (struct timespec){(time_t)set->mtime, (long)set->mtimensec};
    if (set->valid & FATTR_ATIME_NOW)
        times[0].tv_nsec = UTIME_NOW;
    if (set->valid & FATTR_MTIME_NOW)
        times[1].tv_nsec = UTIME_NOW;
    return utimensat(node->fd, "", times, AT_EMPTY_PATH);
}

static int set_attr(const struct node *node, const struct fuse_setattr_in *set)
{
    if (set->valid & FATTR_MODE) {
        if (lacks_it(NOCHMOD) || chmod(path_of(node), set->mode & 07777) < 0)
            return -1;
        RECORD("chmod\t%ju\t%o\n", (uintmax_t)node->inode, set->mode & 07777);
    }
    if (set->valid & (FATTR_UID | FATTR_GID)) {
        uid_t owner = (set->valid & FATTR_UID) ? set->uid : (uid_t)-1;
        gid_t group = (set->valid & FATTR_GID) ? set->gid : (gid_t)-1;
        if (fchownat(node->fd, "", owner, group, AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) < 0)
            return -1;
    }
    if (set->valid & FATTR_SIZE) {
        if (truncate(path_of(node), (off_t)set->size) < 0)
            return -1;
        RECORD("truncate\t%ju\t%ju\n", (uintmax_t)node->inode, (uintmax_t)set->size);
    }
    /* With a new size or owner the kernel sends times, too, which nobody asked for. */
    if (!(set->valid & (FATTR_ATIME | FATTR_MTIME)))
        return 0;
    if (!(set->valid & FATTR_SIZE) && lacks_it(NOUTIMENS))
        return -1;
    return set_times(node, set);
}

static void do_setattr(struct node *node, const void *in)
{
    if (set_attr(node, in) < 0)
        fail();
    else
        answer_attr(node);
}

static void do_fsync(struct node *node, const void *in)
{
    (void)in; /* it is the kernel's cache below that would be written: nothing to gain */
    RECORD("fsync\t%ju\n", (uintmax_t)node->inode);
    done(0);
}

static void do_fsyncdir(struct node *node, const void *in)
{
    (void)in;
    if (lacks_it(NOFSYNCDIR)) {
        fail();
        return;
    }
    RECORD("fsyncdir\t%ju\n", (uintmax_t)node->inode);
    done(0);
}

/* ---------------------------------------------------------------- names */

static void made(const char *what, const struct node *folder, const char *name, mode_t mode)
{
    const struct node *node = answer_entry(folder, name);
    if (node)
        RECORD("%s\t%ju\t%s\t%ju\t%o\n", what, (uintmax_t)folder->inode, name,
               (uintmax_t)node->inode, mode & 07777);
}

static void do_mkdir(struct node *folder, const void *in)
{
    const struct fuse_mkdir_in *mkdir_in = in;
    const char *name = (const char *)(mkdir_in + 1);
    if (mkdirat(folder->fd, name, mkdir_in->mode & 07777) < 0)
        fail();
    else
        made("mkdir", folder, name, mkdir_in->mode);
}

static void do_mknod(struct node *folder, const void *in)
{
    const struct fuse_mknod_in *mknod_in = in;
    const char *name = (const char *)(mknod_in + 1);
    if (mknodat(folder->fd, name, mknod_in->mode, mknod_in->rdev) < 0)
        fail();
    else
        made("mknod", folder, name, mknod_in->mode);
}

static void do_symlink(struct node *folder, const void *in)
{
    const char *name = in, *target = name + strlen(name) + 1;
    if (symlinkat(target, folder->fd, name) < 0) {
        fail();
        return;
    }
    const struct node *node = answer_entry(folder, name);
    if (node)
        RECORD("symlink\t%ju\t%s\t%ju\t%zu\n%s", (uintmax_t)folder->inode, name,
               (uintmax_t)node->inode, strlen(target), target);
}

static void do_link(struct node *folder, const void *in)
{
    const struct fuse_link_in *link_in = in;
    const char *name = (const char *)(link_in + 1);
    const struct node *old = node_of(link_in->oldnodeid);
    if (lacks_it(NOLINK) ||
        linkat(AT_FDCWD, path_of(old), folder->fd, name, AT_SYMLINK_FOLLOW) < 0) {
        fail();
        return;
    }
    if (answer_entry(folder, name))
        RECORD("link\t%ju\t%s\t%ju\n", (uintmax_t)folder->inode, name, (uintmax_t)old->inode);
}

static void take(const char *what, const struct node *folder, const char *name, int flags)
{
    name = spelling(folder, name);
    int rc = unlinkat(folder->fd, name, flags);
    if (rc == 0)
        RECORD("%s\t%ju\t%s\n", what, (uintmax_t)folder->inode, name);
    done(rc);
}

static void do_unlink(struct node *folder, const void *in)
{
    take("unlink", folder, in, 0);
}

static void do_rmdir(struct node *folder, const void *in)
{
    take("rmdir", folder, in, AT_REMOVEDIR);
}

static void move(const struct node *from, const struct node *to, const char *name, uint32_t flags)
{
    char new_name[NAME_MAX + 1];
    (void)snprintf(new_name, sizeof(new_name), "%s", spelling(to, name + strlen(name) + 1));
    name = spelling(from, name);
    bool lacking =
        (flags && lacks_it(NORENAME)) || ((flags & RENAME_EXCHANGE) && lacks_it(NOEXCHANGE));
    if (lacking || renameat2(from->fd, name, to->fd, new_name, flags) < 0) {
        fail();
        return;
    }
    RECORD("rename\t%ju\t%s\t%ju\t%s\t%u\n", (uintmax_t)from->inode, name, (uintmax_t)to->inode,
           new_name, flags);
    done(0);
}

static void do_rename(struct node *folder, const void *in)
{
    const struct fuse_rename_in *rename_in = in;
    move(folder, node_of(rename_in->newdir), (const char *)(rename_in + 1), 0);
}

static void do_rename2(struct node *folder, const void *in)
{
    const struct fuse_rename2_in *rename_in = in;
    const char *name = (const char *)(rename_in + 1);
    move(folder, node_of(rename_in->newdir), name, rename_in->flags);
}

static void do_nothing(struct node *node, const void *in)
{
    (void)node; /* an interrupt: no answer is expected, and every call is short */
    (void)in;
}

/* What is not here, the kernel does without. */
static void (*const handlers[])(struct node *node, const void *in) = {
    [FUSE_LOOKUP] = do_lookup,     [FUSE_FORGET] = do_forget,
    [FUSE_GETATTR] = do_getattr,   [FUSE_SETATTR] = do_setattr,
    [FUSE_READLINK] = do_readlink, [FUSE_SYMLINK] = do_symlink,
    [FUSE_MKNOD] = do_mknod,       [FUSE_MKDIR] = do_mkdir,
    [FUSE_UNLINK] = do_unlink,     [FUSE_RMDIR] = do_rmdir,
    [FUSE_RENAME] = do_rename,     [FUSE_LINK] = do_link,
    [FUSE_OPEN] = do_open,         [FUSE_READ] = do_read,
    [FUSE_WRITE] = do_write,       [FUSE_STATFS] = do_statfs,
    [FUSE_RELEASE] = do_release,   [FUSE_FSYNC] = do_fsync,
    [FUSE_INIT] = do_init,         [FUSE_OPENDIR] = do_opendir,
    [FUSE_READDIR] = do_readdir,   [FUSE_RELEASEDIR] = do_releasedir,
    [FUSE_FSYNCDIR] = do_fsyncdir, [FUSE_CREATE] = do_create,
    [FUSE_INTERRUPT] = do_nothing, [FUSE_BATCH_FORGET] = do_batch_forget,
    [FUSE_RENAME2] = do_rename2,
};

/* ---------------------------------------------------------------- the mount */

static volatile sig_atomic_t told;

static void leave(int number)
{
    told = number;
}

/* False when it is told to end, which it is nowhere but here. */
static bool wait_for_request(void)
{
    struct pollfd ready = {.fd = device, .events = POLLIN};
    sigset_t none;
    (void)sigemptyset(&none);
    (void)ppoll(&ready, 1, NULL, &none);
    return told == 0;
}

static void serve(void)
{
    static char request[BUFFER];
    while (wait_for_request()) {
        ssize_t len = read(device, request, sizeof(request));
        if (len < 0 && errno == ENODEV)
            return; /* unmounted */
        if (len < (ssize_t)sizeof(*asked))
            continue; /* the process that asked is gone */
        asked = (const struct fuse_in_header *)(void *)request;
        size_t code = asked->opcode;
        errno = 0;
        if (code < sizeof(handlers) / sizeof(*handlers) && handlers[code])
            handlers[code](asked->nodeid ? node_of(asked->nodeid) : &root, asked + 1);
        else
            answer(ENOSYS, NULL, 0, NULL, 0);
    }
}

static int refuse(const char *what)
{
    (void)fprintf(stderr, "passthrough: %s: %s\n", what, strerror(errno));
    return 2;
}

static int set_switch(const char *word)
{
    size_t len = strcspn(word, "=");
    for (size_t i = 0; i < LACKS; i++)
        if (strlen(lacks[i].name) == len && strncmp(lacks[i].name, word, len) == 0) {
            lacks[i].on = true;
            if (word[len])
                lacks[i].error = (int)strtol(word + len + 1, NULL, 10);
            return 0;
        }
    errno = EINVAL;
    return refuse(word);
}

static int read_arguments(int count, char **words)
{
    for (int i = 2; i < count; i++) {
        if (strcmp(words[i], "--log") == 0 && i + 1 < count) {
            record = fopen(words[++i], "w");
            if (!record)
                return refuse(words[i]);
        } else if (set_switch(words[i]) != 0) {
            return 2;
        }
    }
    return 0;
}

static int mount_over(const char *folder)
{
    char options[128];
    struct stat info;
    root.fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (root.fd < 0 || fstat(root.fd, &info) < 0)
        return refuse(folder);
    root.inode = info.st_ino;
    device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (device < 0)
        return refuse("/dev/fuse");
    (void)snprintf(options, sizeof(options),
                   "fd=%d,rootmode=40000,user_id=%u,group_id=%u,default_permissions,allow_other",
                   device, (unsigned)getuid(), (unsigned)getgid());
    if (mount("passthrough", folder, "fuse", MS_NOSUID | MS_NODEV, options) < 0)
        return refuse("cannot mount");
    return 0;
}

int main(int count, char **words)
{
    struct rlimit files = {65536, 65536};
    if (count < 2) {
        (void)fprintf(stderr, "usage: passthrough FOLDER [--log FILE] [SWITCH[=ERRNO]...]\n");
        return 2;
    }
    (void)umask(0); /* the kernel has taken it off already */
    (void)setrlimit(RLIMIT_NOFILE, &files);
    if (read_arguments(count, words) != 0 || mount_over(words[1]) != 0)
        return 2;
    sigset_t end;
    (void)sigemptyset(&end);
    (void)sigaddset(&end, SIGTERM);
    (void)sigprocmask(SIG_BLOCK, &end, NULL);
    (void)signal(SIGTERM, leave);
    (void)signal(SIGINT, SIG_IGN); /* of the terminal: the process that started it unmounts */
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    (void)puts("ready");
    (void)fflush(stdout);
    serve();
    if (told)
        (void)umount2(words[1], MNT_DETACH);
    return record && fclose(record) != 0 ? refuse("the log") : 0;
}
