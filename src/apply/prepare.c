/* Before the journal: everything that an update needs space for is written and made durable. */
#include "apply/parts.h"
#include "base/arena.h"
#include "base/io.h"
#include "git/repo.h"
#include "git/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *prepared_ref(struct arena *arena, size_t number)
{
    return arena_printf(arena, "ref.%zu", number);
}

static const char *work_name(const struct journal *j)
{
    return j->kind == JOURNAL_COMMIT ? WORK_COMMIT : WORK;
}

/* Never through a link at its place. `path` has no '/' at its end: with one, links are followed. */
static int open_folder(int *fd, const char *path, struct err *err)
{
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return err_errno(err, errno, "io", "cannot make the folder '%s'", path);
    *fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *fd < 0 ? err_errno(err, errno, "io", "cannot open the folder '%s'", path) : 0;
}

int work_open(struct apply *a, const struct journal *j, struct err *err)
{
    work_close(a);
    const char *work = arena_printf(a->arena, "%s%s", a->path, work_name(j));
    a->work_path = arena_printf(a->arena, "%s/", work);
    if (open_folder(&a->work, work, err) < 0 || open_folder(&a->stage, j->stage, err) < 0)
        return -1;
    a->swap = (struct swap){.arena = a->arena,
                            .top = a->repo->top_fd,
                            .stage = a->stage,
                            .modes_count = repo_flag(a->repo, "core.filemode", true),
                            .store = a->repo->store};
    return 0;
}

void work_close(struct apply *a)
{
    if (a->work >= 0)
        (void)close(a->work);
    if (a->stage >= 0)
        (void)close(a->stage);
    a->work = a->stage = -1;
}

static void empty_folder(int folder)
{
    DIR *dir = fdopendir(fcntl(folder, F_DUPFD_CLOEXEC, 0));
    struct dirent *entry;
    if (!dir)
        return;
    rewinddir(dir);
    while ((entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            (void)unlinkat(folder, entry->d_name, 0);
    (void)closedir(dir);
}

void work_remove(struct apply *a, const struct journal *j)
{
    if (a->work < 0)
        return;
    empty_folder(a->work);
    work_close(a);
    (void)rmdir(j->stage);
    (void)rmdir(a->work_path);
}

/* Files are exchanged by rename, so they are staged on the file system of the work tree. */
static int choose_stage(const struct apply *a, struct journal *j, struct err *err)
{
    struct stat here, there;
    if (fstat(a->folder, &here) < 0 || fstat(a->repo->top_fd, &there) < 0)
        return err_errno(err, errno, "io", "cannot look at the work tree");
    j->stage = here.st_dev == there.st_dev || j->kind == JOURNAL_COMMIT
                   ? arena_printf(a->arena, "%s%s/" STAGE, a->path, work_name(j))
                   : arena_printf(a->arena, "%s" FALLBACK_STAGE, a->repo->top);
    return 0;
}

void work_tidy(struct apply *a, const struct journal *j)
{
    ERR_SCRATCH(ignored);
    struct journal leftover = *j;
    struct stat info;
    if (fstatat(a->folder, work_name(j), &info, AT_SYMLINK_NOFOLLOW) < 0 ||
        choose_stage(a, &leftover, &ignored) < 0 || work_open(a, &leftover, &ignored) < 0)
        return;
    empty_folder(a->stage);
    work_remove(a, &leftover);
}

static bool needs_file(const struct change *change)
{
    return change_on_disk(change) && change->new.kind == DISK_FILE;
}

/* What is prepared, to be made durable all at once before the journal tells of it. */
struct prepared {
    const struct apply *apply;
    struct io_place *places;
    size_t count, room;
};

static void add_place(struct prepared *p, int folder, const char *name)
{
    if (p->count == p->room) {
        size_t room = p->room ? p->room * 2 : 64;
        struct io_place *places = arena_array(p->apply->arena, room, sizeof(*places));
        if (p->count)
            memcpy(places, p->places, p->count * sizeof(*places));
        p->places = places;
        p->room = room;
    }
    p->places[p->count++] = (struct io_place){folder, name};
}

static int stage_files(struct prepared *p, const struct journal *j, struct err *err)
{
    const struct apply *a = p->apply;
    for (size_t i = 0; i < j->change_count; i++) {
        if (!needs_file(&j->changes[i]))
            continue;
        if (swap_stage(&a->swap, i, &j->changes[i], &j->changes[i].new, err) < 0)
            return -1;
        add_place(p, a->stage, arena_printf(a->arena, "%zu", i));
    }
    add_place(p, a->stage, ".");
    return 0;
}

static int prepare_text(struct prepared *p, const char *name, const char *text, struct err *err)
{
    add_place(p, p->apply->work, name);
    return disk_write(p->apply->work, name, span_from(text), 0666 & ~p->apply->repo->mask, err);
}

static int prepare_oid(struct prepared *p, const char *name, const struct oid *id, struct err *err)
{
    char text[42];
    oid_hex(text, id);
    text[40] = '\n';
    text[41] = '\0';
    return prepare_text(p, name, text, err);
}

static int prepare_head(struct prepared *p, const struct journal *j, struct err *err)
{
    struct arena *arena = p->apply->arena;
    if (!journal_moves_head(j))
        return 0;
    if (prepare_text(p, HEAD_NEW, arena_printf(arena, "%s\n", j->head_new), err) < 0)
        return -1;
    return prepare_text(p, HEAD_OLD, arena_printf(arena, "%s\n", j->head_old), err);
}

static int prepare_refs(struct prepared *p, const struct journal *j, struct err *err)
{
    if (journal_moves_branch(j) && (prepare_oid(p, TIP_NEW, &j->branch_new, err) < 0 ||
                                    prepare_oid(p, TIP_OLD, &j->branch_old, err) < 0))
        return -1;
    if (prepare_head(p, j, err) < 0)
        return -1;
    if (j->kind == JOURNAL_CONFLICT && prepare_oid(p, PICK, &j->pick, err) < 0)
        return -1;
    if (j->message && journal_stops(j) && prepare_text(p, MESSAGE, j->message, err) < 0)
        return -1;
    for (size_t i = 0; i < j->ref_count; i++)
        if (j->refs[i].is_new &&
            prepare_oid(p, prepared_ref(p->apply->arena, i), &j->refs[i].target, err) < 0)
            return -1;
    add_place(p, p->apply->work, ".");
    return 0;
}

static int move_pack_file(const struct apply *a, int packs, const char *pack, const char *ending,
                          struct err *err)
{
    const char *name = arena_printf(a->arena, "%s%s", pack, ending);
    if (renameat(a->work, name, packs, name) < 0)
        return err_errno(err, errno, "io", "cannot write the objects");
    return 0;
}

/* `pack` is "" where there is nothing new. */
static int write_pack(char pack[PACK_NAME_SIZE], struct prepared *p, struct err *err)
{
    const struct apply *a = p->apply;
    if (store_write_pack(pack, a->repo->store, a->work_path, false, err) < 0)
        return -1;
    if (!*pack)
        return 0;
    add_place(p, a->work, arena_printf(a->arena, "%s.pack", pack));
    add_place(p, a->work, arena_printf(a->arena, "%s.idx", pack));
    return 0;
}

/* The pack, durable by now, gets to its place whole: the data first, then the index. */
static int move_pack(const struct apply *a, const char *pack, struct err *err)
{
    int packs;
    if (!*pack)
        return 0;
    if (open_folder(&packs, arena_printf(a->arena, "%sobjects/pack", a->repo->common_dir), err) < 0)
        return -1;
    int rc = move_pack_file(a, packs, pack, ".pack", err);
    if (rc == 0)
        rc = move_pack_file(a, packs, pack, ".idx", err);
    if (rc == 0)
        rc = disk_sync_folder(packs, "the objects", err);
    (void)close(packs);
    return rc;
}

static int note_repository(const struct apply *a, struct journal *j, struct err *err)
{
    struct stat info;
    if (fstat(a->repo->git_fd, &info) < 0)
        return err_errno(err, errno, "io", "cannot look at the git folder");
    j->repo_dev = info.st_dev;
    j->repo_ino = info.st_ino;
    return 0;
}

int prepare_all(struct apply *a, struct journal *j, struct err *err)
{
    if (note_repository(a, j, err) < 0 || choose_stage(a, j, err) < 0 || work_open(a, j, err) < 0)
        return -1;
    empty_folder(a->work);
    empty_folder(a->stage);
    files_list_missing_folders(a, j);
    struct prepared p = {.apply = a};
    char pack[PACK_NAME_SIZE];
    if (write_pack(pack, &p, err) < 0 || stage_files(&p, j, err) < 0 ||
        prepare_refs(&p, j, err) < 0 || io_sync(p.places, p.count, err) < 0)
        return -1;
    return move_pack(a, pack, err);
}
