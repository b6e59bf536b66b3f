/* Writes everything that an update needs space for, and makes it durable, before the journal. */

#include "apply/journal.h"
#include "apply/steps/steps.h"
#include "apply/work_folder.h"
#include "base/arena.h"
#include "git/ref.h"
#include "git/repo.h"
#include "git/store.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The prepared files. One sync makes them durable before the journal names them. */
struct prepared {
    struct arena *arena;
    const struct work *work;
    struct io_place *places;
    size_t count;
};

static void add_place(struct prepared *p, int folder, const char *name)
{
    arena_push(p->arena, p->places, p->count) = (struct io_place){folder, name};
}

/* ---------------------------------------------------------------- files of the work tree */

static int stage_files(struct prepared *p, const struct journal_files *files, struct err *err)
{
    const struct work *work = p->work;
    for (size_t i = 0; i < files->count; i++) {
        const struct path_change *change = &files->changes[i];
        if (!path_change_on_disk(change) || change->new.kind != DISK_FILE)
            continue;
        if (swap_stage(&work->swap, i, change, &change->new, err) < 0)
            return -1;
        add_place(p, work->stage, arena_printf(p->arena, "%zu", i));
    }
    add_place(p, work->stage, ".");
    return 0;
}

static void list_missing_folders(struct words *made, const struct repo *repo,
                                 const struct journal_files *files)
{
    struct stat info;
    const char *last = "";
    for (size_t i = 0; i < files->count; i++) {
        const struct path_change *change = &files->changes[i];
        if (!path_change_on_disk(change) || change->old.kind != DISK_ABSENT)
            continue;
        const char *path = change->path;
        for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
            const char *folder = arena_memdup(repo->arena, path, (size_t)(slash - path));
            if (fstatat(repo->top_fd, folder, &info, AT_SYMLINK_NOFOLLOW) == 0 ||
                strcmp(folder, last) == 0)
                continue;
            words_add(made, repo->arena, last = folder);
        }
    }
}

/* ---------------------------------------------------------------- files of git's folder */

/* Does nothing where `text` is NULL. */
static int prepare_text(struct prepared *p, const char *name, const char *text, const char *end,
                        struct err *err)
{
    if (!text)
        return 0;
    add_place(p, p->work->fd, name);
    return disk_write(p->work->fd, name, span_from(arena_printf(p->arena, "%s%s", text, end)),
                      p->work->mode, err);
}

static int prepare_line(struct prepared *p, const char *name, const char *text, struct err *err)
{
    return prepare_text(p, name, text, "\n", err);
}

static int prepare_oid(struct prepared *p, const char *name, const struct oid *id, struct err *err)
{
    return prepare_line(p, name, oid_text(p->arena, id), err);
}

static int prepare_tip(struct prepared *p, const struct repo *repo, const struct journal_tip *tip,
                       struct err *err)
{
    if (journal_moves_branch(tip) && (prepare_oid(p, TIP_NEW, &tip->branch_new, err) < 0 ||
                                      prepare_oid(p, TIP_OLD, &tip->branch_old, err) < 0))
        return -1;
    if (journal_moves_head(tip) && (prepare_line(p, HEAD_NEW, tip->head_new, err) < 0 ||
                                    prepare_line(p, HEAD_OLD, tip->head_old, err) < 0))
        return -1;
    if (journal_moves_head(tip) && repo->branch && prepare_oid(p, HEAD_LEFT, &repo->head, err) < 0)
        return -1;
    if (prepare_line(p, ORIG_HEAD_NEW, tip->orig_head, err) < 0)
        return -1;
    return prepare_line(p, ORIG_HEAD_OLD, tip->orig_head_old, err);
}

/* Prepares the stop that undoing the run restores. */
static int prepare_before(struct prepared *p, const struct journal_before *before, struct err *err)
{
    if (prepare_text(p, MESSAGE_OLD, before->message, "", err) < 0)
        return -1;
    return oid_is_zero(&before->brought) ? 0 : prepare_oid(p, PSEUDOREF_OLD, &before->brought, err);
}

static int prepare_stop(struct prepared *p, const struct journal_stop *stop, struct err *err)
{
    if (stop->pseudoref && prepare_oid(p, PSEUDOREF, &stop->brought, err) < 0)
        return -1;
    if (journal_merges(stop) && prepare_text(p, MODE, MODE_TEXT, "", err) < 0)
        return -1;
    return prepare_text(p, MESSAGE, stop->message, "", err);
}

static int prepare_refs(struct prepared *p, const struct journal_refs *refs, struct err *err)
{
    for (size_t i = 0; i < refs->count; i++)
        if (refs->items[i].is_new &&
            prepare_oid(p, work_ref_name(p->arena, i), &refs->items[i].target, err) < 0)
            return -1;
    return 0;
}

/* ---------------------------------------------------------------- objects */

/* `pack` is "" where there is nothing new. */
static int write_pack(char pack[PACK_NAME_SIZE], struct prepared *p, struct store *store,
                      struct err *err)
{
    if (store_write_pack(pack, store, p->work->path, false, err) < 0)
        return -1;
    if (!*pack)
        return 0;
    add_place(p, p->work->fd, arena_printf(p->arena, "%s.pack", pack));
    add_place(p, p->work->fd, arena_printf(p->arena, "%s.idx", pack));
    return 0;
}

/* Moves the pack, which is durable already: first the data, then the index. */
static int move_pack(const struct repo *repo, const struct work *work, const char *pack,
                     struct err *err)
{
    static const char *const endings[] = {".pack", ".idx"};
    const char *folder = arena_printf(repo->arena, "%sobjects/pack", repo->common_dir);
    IO_FD_SCRATCH(packs) = -1;
    if (!*pack)
        return 0;
    if (work_open_folder(&packs, folder, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
        const char *name = arena_printf(repo->arena, "%s%s", pack, endings[i]);
        if (renameat(work->fd, name, packs, name) < 0)
            return err_errno(err, errno, "io", "cannot write the objects");
    }
    return disk_sync_folder(packs, "the objects", err);
}

static int prepare_files(struct prepared *p, const struct apply *a, const struct journal *j,
                         struct err *err)
{
    if (stage_files(p, &j->files, err) < 0)
        return -1;
    add_place(p, a->folder, ".");
    if (j->files.stage_in_tree)
        add_place(p, a->repo->top_fd, ".");
    if (prepare_tip(p, a->repo, &j->tip, err) < 0 || prepare_before(p, &j->before, err) < 0 ||
        (journal_stops(j) && prepare_stop(p, &j->stop, err) < 0) ||
        prepare_refs(p, &j->refs, err) < 0)
        return -1;
    add_place(p, p->work->fd, ".");
    return 0;
}

int prepare_all(struct work *work, const struct apply *a, struct journal *j, struct err *err)
{
    struct prepared p = {.arena = a->repo->arena, .work = work};
    char pack[PACK_NAME_SIZE];
    j->run.token = a->token;
    if (ref_probe(a->common, TOKEN, err) < 0 ||
        (j->kind != JOURNAL_COMMIT && work_choose_stage(&j->files.stage_in_tree, a, err) < 0) ||
        work_open(work, a, j, err) < 0)
        return -1;
    work_empty(work->fd);
    work_empty(work->stage);
    list_missing_folders(&j->files.made, a->repo, &j->files);
    if (write_pack(pack, &p, a->repo->store, err) < 0 || prepare_files(&p, a, j, err) < 0 ||
        io_sync(p.places, p.count, err) < 0)
        return -1;
    j->run.pack = arena_strdup(a->repo->arena, pack);
    return move_pack(a->repo, work, pack, err);
}
