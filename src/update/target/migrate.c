/* Carries answers from the recorded version of a template to another. */

#include "base/arena.h"
#include "base/intern.h"
#include "catalog/answers.h"
#include "catalog/manifest.h"
#include "catalog/origin.h"
#include "child/provenance.h"
#include "data/data.h"
#include "data/yaml.h"
#include "matrix/version.h"
#include "update/target/update_target.h"

#include <string.h>

/* One recorded answer under its new name; NULL: the migration dropped it. */
struct moving {
    const char *old, *name;
    const struct yaml_node *node;
    bool by_hand; /* edited in the record: counts as --set */
};

/* The answer, or file, that has a name now. */
struct holders {
    struct intern names;
    size_t *at; /* its index, by the name's number; NOWHERE: none has it */
};

#define NOWHERE ((size_t)-1)

static size_t holder(const struct holders *holders, const char *name)
{
    size_t number = intern_find(&holders->names, span_from(name));
    return holders->at && number != INTERN_NONE ? holders->at[number] : NOWHERE;
}

static void hold(struct holders *holders, struct arena *arena, const char *name, size_t at)
{
    size_t count = holders->names.count;
    size_t number = intern_add(&holders->names, arena, span_from(name));
    if (number == count)
        holders->at = arena_grow(arena, holders->at, count, sizeof(*holders->at));
    holders->at[number] = at;
}

struct moves {
    struct arena *arena;
    struct moving *items;
    size_t count;
    struct holders answers; /* of `items` */
    struct holders files;   /* of the renames, by their new names */
    struct migrated *out;
    const struct manifest *manifest; /* of the target */
};

static int applies(bool *out, struct arena *arena, const struct migration *migration,
                   const struct catalog_origin *recorded, struct err *err)
{
    const struct catalog_origin *of = origin_like(recorded, migration->source, migration->depth);
    struct spec spec;
    struct version version;
    *out = false;
    if (spec_parse(&spec, arena, migration->from, "from", err) < 0)
        return -1;
    if (!of)
        return 0;
    const char *release = arena_memdup(arena, of->version, strcspn(of->version, "-+"));
    *out = version_parse(&version, release) == 0 && spec_matches(&spec, &version);
    return 0;
}

/* Gives an answer another name, or none. The name's present holder keeps it. */
static void rename_answer(struct moves *m, size_t at, const char *name)
{
    if (at == NOWHERE || (name && holder(&m->answers, name) != NOWHERE))
        return;
    if (m->items[at].name)
        hold(&m->answers, m->arena, m->items[at].name, NOWHERE);
    if (name)
        hold(&m->answers, m->arena, name, at);
    m->items[at].name = name;
}

/*
 * Renames all at once, so that two answers can swap their names. An answer that already has the new
 * name keeps it.
 */
static void rename_answers(struct moves *m, const struct migration *migration)
{
    size_t count = migration->rename_answers.count;
    const char *const *old = migration->rename_answers.old;
    const char *const *new = migration->rename_answers.new;
    size_t *moved = arena_array(m->arena, count + 1, sizeof(*moved));
    for (size_t i = 0; i < count; i++)
        moved[i] = holder(&m->answers, old[i]);
    for (size_t i = 0; i < count; i++)
        rename_answer(m, moved[i], NULL);
    for (size_t i = 0; i < count; i++)
        rename_answer(m, moved[i], new[i]);
    for (size_t i = 0; i < migration->drop_answers.count; i++)
        rename_answer(m, holder(&m->answers, migration->drop_answers.items[i]), NULL);
}

/* A later migration may rename files that an earlier one has renamed. */
static void rename_files(struct moves *m, const struct migration *migration)
{
    const struct renames *more = &migration->rename_files;
    struct renames *files = &m->out->files;
    size_t *moved = arena_array(m->arena, more->count + 1, sizeof(*moved));
    for (size_t i = 0; i < more->count; i++) {
        moved[i] = holder(&m->files, more->old[i]);
        if (moved[i] != NOWHERE)
            continue;
        moved[i] = files->count++;
        files->old[moved[i]] = more->old[i];
    }
    for (size_t i = 0; i < more->count; i++)
        hold(&m->files, m->arena, more->old[i], NOWHERE);
    for (size_t i = 0; i < more->count; i++) {
        files->new[moved[i]] = more->new[i];
        hold(&m->files, m->arena, more->new[i], moved[i]);
    }
}

/* Makes room for all files that migrations rename. */
static void begin(struct migrated *out, struct arena *arena, const struct manifest *manifest)
{
    size_t count = 1;
    for (size_t i = 0; i < manifest->migration_count; i++)
        count += manifest->migrations[i].rename_files.count;
    *out = (struct migrated){.files = {arena_array(arena, count, sizeof(char *)),
                                       arena_array(arena, count, sizeof(char *)), 0}};
}

static void list_answers(struct moves *m, const struct provenance *provenance)
{
    const struct yaml_node *map = provenance->wanted.answers_node;
    m->items = arena_array(m->arena, map ? map->map.count + 1 : 1, sizeof(*m->items));
    for (size_t i = 0; map && i < map->map.count; i++) {
        const char *name = map->map.members[i].key->text.ptr;
        const struct data *was = data_get(provenance->made.answers, name);
        const struct data *is = data_get(provenance->wanted.answers, name);
        hold(&m->answers, m->arena, name, m->count);
        m->items[m->count++] =
            (struct moving){.old = name,
                            .name = name,
                            .node = map->map.members[i].value,
                            .by_hand = provenance->edited && !(was && is && data_equal(was, is))};
    }
}

/* Writes 3.0 as 3 where the question now asks for a whole number. */
static const char *as_integer(struct arena *arena, const struct yaml_node *node)
{
    const char *dot;
    if (node->kind != YAML_SCALAR || !(dot = strchr(node->text.ptr, '.')) || !dot[1] ||
        strspn(dot + 1, "0") != strlen(dot + 1))
        return NULL;
    return arena_memdup(arena, node->text.ptr, (size_t)(dot - node->text.ptr));
}

static void give(const struct moves *m, struct given_list *given)
{
    for (size_t i = 0; i < m->count; i++) {
        const struct moving *item = &m->items[i];
        if (!item->name)
            continue;
        const struct question *question = manifest_question(m->manifest, item->name);
        struct given one = {.name = item->name,
                            .from = item->by_hand ? GIVEN_FILE : GIVEN_RECORD,
                            .node = item->node};
        if (question && question->type == QUESTION_INT &&
            (one.text = as_integer(m->arena, item->node)))
            one.node = NULL;
        given_add(given, m->arena, one);
    }
}

static void note_renames(const struct moves *m)
{
    struct renames *renamed = &m->out->answers.renamed;
    renamed->old = arena_array(m->arena, m->count + 1, sizeof(char *));
    renamed->new = arena_array(m->arena, m->count + 1, sizeof(char *));
    for (size_t i = 0; i < m->count; i++) {
        if (!m->items[i].name || strcmp(m->items[i].name, m->items[i].old) == 0)
            continue;
        renamed->old[renamed->count] = m->items[i].old;
        renamed->new[renamed->count++] = m->items[i].name;
    }
}

int migrate_apply(struct migrated *out, struct given_list *given, struct arena *arena,
                  const struct manifest *manifest, const struct provenance *provenance,
                  const struct given_list *sets, struct err *err)
{
    struct moves m = {.arena = arena, .out = out, .manifest = manifest};
    begin(out, arena, manifest);
    list_answers(&m, provenance);
    for (size_t i = 0; i < manifest->migration_count; i++) {
        const struct migration *migration = &manifest->migrations[i];
        bool matches;
        if (applies(&matches, arena, migration, &provenance->wanted.catalog, err) < 0)
            return -1;
        if (!matches)
            continue;
        rename_answers(&m, migration);
        rename_files(&m, migration);
        if (migration->note)
            words_add(&out->notes, arena, migration->note);
    }
    for (size_t i = 0; sets && i < sets->count; i++)
        given_add(given, arena, sets->items[i]);
    give(&m, given);
    note_renames(&m);
    return 0;
}

int migrate_renames(struct migrated *out, struct arena *arena, const struct manifest *manifest,
                    const struct catalog_origin *from, const struct catalog_origin *to,
                    struct err *err)
{
    struct moves m = {.arena = arena, .out = out, .manifest = manifest};
    begin(out, arena, manifest);
    for (size_t i = 0; i < manifest->migration_count; i++) {
        const struct migration *migration = &manifest->migrations[i];
        bool matches, later = false;
        if (applies(&matches, arena, migration, from, err) < 0 ||
            (to && applies(&later, arena, migration, to, err) < 0))
            return -1;
        if (matches && !later)
            rename_files(&m, migration);
    }
    return 0;
}

/* Lists names of `a` that `b` lacks, without those that a rename explains. */
static struct words list_missing(struct arena *arena, const struct data *a, const struct data *b,
                                 const char *const *renamed, size_t renamed_count)
{
    struct words missing = {0};
    for (size_t i = 0; i < a->map.count; i++) {
        const char *name = a->map.members[i].name.ptr;
        if (!data_get(b, name) && !str_is_among(name, renamed, renamed_count))
            words_add(&missing, arena, name);
    }
    return missing;
}

void migrate_compare(struct migrated *out, struct arena *arena, const struct provenance *provenance,
                     const struct data *kept)
{
    const struct data *before = provenance->made.answers;
    const struct renames *renamed = &out->answers.renamed;
    out->answers.added = list_missing(arena, kept, before, renamed->new, renamed->count);
    out->answers.dropped = list_missing(arena, before, kept, renamed->old, renamed->count);
}
