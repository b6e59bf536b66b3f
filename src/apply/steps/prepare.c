/* Before the journal: everything that an update needs space for is written and made durable. */
#include "apply/steps/prepare.h"

#include "apply/journal.h"
#include "apply/work_folder.h"
#include "base/arena.h"
#include "git/ref.h"
#include "git/repo.h"
#include "git/store.h"
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool needs_file(const struct path_change *change)
{
    return path_change_on_disk(change) && change->new.kind == DISK_FILE;
}

/* What is prepared, to be made durable all at once before the journal tells of it. */
struct prepared {
    const struct apply *apply;
    struct io_place *places;
    size_t count;
};

static void add_place(struct prepared *p, int folder, const char *name)
{
    p->places = arena_grow(p->apply->arena, p->places, p->count, sizeof(*p->places));
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
    add_place(p, a->folder, ".");
    if (j->stage_in_tree)
        add_place(p, a->repo->top_fd, ".");
    return 0;
}

static int prepare_text(struct prepared *p, const char *name, const char *text, struct err *err)
{
    add_place(p, p->apply->work, name);
    return disk_write(p->apply->work, name, span_from(text), 0666 & ~p->apply->mask, err);
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

/* What is there again where the run is undone, and ORIG_HEAD. */
static int prepare_before(struct prepared *p, const struct journal *j, struct err *err)
{
    static const struct oid none;
    struct arena *arena = p->apply->arena;
    if (j->orig_head &&
        prepare_text(p, ORIG_HEAD_NEW, arena_printf(arena, "%s\n", j->orig_head), err) < 0)
        return -1;
    if (j->orig_head_old &&
        prepare_text(p, ORIG_HEAD_OLD, arena_printf(arena, "%s\n", j->orig_head_old), err) < 0)
        return -1;
    if (j->before.message && prepare_text(p, MESSAGE_OLD, j->before.message, err) < 0)
        return -1;
    return oid_equal(&j->before.brought, &none)
               ? 0
               : prepare_oid(p, PSEUDOREF_OLD, &j->before.brought, err);
}

static int prepare_refs(struct prepared *p, const struct journal *j, struct err *err)
{
    if (journal_moves_branch(j) && (prepare_oid(p, TIP_NEW, &j->branch_new, err) < 0 ||
                                    prepare_oid(p, TIP_OLD, &j->branch_old, err) < 0))
        return -1;
    if (prepare_head(p, j, err) < 0 || prepare_before(p, j, err) < 0)
        return -1;
    if (journal_stops(j) && j->pseudoref && prepare_oid(p, PSEUDOREF, &j->brought, err) < 0)
        return -1;
    if (journal_stops(j) && journal_merges(j) && prepare_text(p, MODE, MODE_TEXT, err) < 0)
        return -1;
    if (j->message && journal_stops(j) && prepare_text(p, MESSAGE, j->message, err) < 0)
        return -1;
    for (size_t i = 0; i < j->ref_count; i++)
        if (j->refs[i].is_new &&
            prepare_oid(p, work_ref_name(p->apply->arena, i), &j->refs[i].target, err) < 0)
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
    if (work_open_folder(&packs, arena_printf(a->arena, "%sobjects/pack", a->repo->common_dir),
                         err) < 0)
        return -1;
    int rc = move_pack_file(a, packs, pack, ".pack", err);
    if (rc == 0)
        rc = move_pack_file(a, packs, pack, ".idx", err);
    if (rc == 0)
        rc = disk_sync_folder(packs, "the objects", err);
    (void)close(packs);
    return rc;
}

static void list_missing_folders(const struct apply *a, struct journal *j)
{
    struct stat info;
    const char *last = "";
    for (size_t i = 0; i < j->change_count; i++) {
        const char *path = j->changes[i].path;
        if (!path_change_on_disk(&j->changes[i]) || j->changes[i].old.kind != DISK_ABSENT)
            continue;
        for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
            const char *folder = arena_memdup(a->arena, path, (size_t)(slash - path));
            if (fstatat(a->repo->top_fd, folder, &info, AT_SYMLINK_NOFOLLOW) == 0 ||
                strcmp(folder, last) == 0)
                continue;
            j->made = arena_grow(a->arena, j->made, j->made_count, sizeof(*j->made));
            j->made[j->made_count++] = last = folder;
        }
    }
}

int prepare_all(struct apply *a, struct journal *j, struct err *err)
{
    j->token = a->token;
    if (ref_probe(a->common, TOKEN, err) < 0 || work_choose_stage(a, j, err) < 0 ||
        work_open(a, j, err) < 0)
        return -1;
    work_empty(a->work);
    work_empty(a->stage);
    list_missing_folders(a, j);
    struct prepared p = {.apply = a};
    char pack[PACK_NAME_SIZE];
    if (write_pack(pack, &p, err) < 0 || stage_files(&p, j, err) < 0 ||
        prepare_refs(&p, j, err) < 0 || io_sync(p.places, p.count, err) < 0)
        return -1;
    j->pack = arena_strdup(a->arena, pack);
    return move_pack(a, pack, err);
}
