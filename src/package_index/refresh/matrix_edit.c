/* A matrix with some files' texts replaced, and rows of it with their confidence lifted. */
#include "package_index/refresh.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/shell.h"
#include "base/str.h"
#include "data/document.h"
#include "data/fileset.h"
#include "data/yaml.h"
#include "matrix/facts.h"
#include "matrix/matrix.h"
#include "resolver/resolver.h"

#include <string.h>

/* A catalog with some files' texts replaced. */
struct patched {
    struct fileset set;
    const struct fileset *below;
    const struct patch *patches;
    size_t count;
};

static int read_patched(struct span *out, const struct fileset *set, size_t index, struct err *err)
{
    const struct patched *patched = (const struct patched *)set;
    for (size_t i = 0; i < patched->count; i++)
        if (str_equal(patched->patches[i].path, set->entries[index].path)) {
            *out = patched->patches[i].text;
            return 0;
        }
    return patched->below->read(out, patched->below, index, err);
}

static void keep_first(void *context, const struct err *finding)
{
    struct err *first = context;
    if (!first->message)
        (void)err_set(first, TG_USAGE, "invalid-matrix", "%s", finding->message);
}

int matrix_patch_check(const struct matrix *matrix, const struct patch *patches, size_t count,
                       const char *what, struct err *err)
{
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(first);
    struct matrix *again;
    struct patched patched = {*matrix->files, matrix->files, patches, count};
    patched.set.read = read_patched;
    if (matrix_load_placed(&again, &scratch, &patched.set, span_of("", 0), NULL, err) < 0)
        return err_wrap(err, "%s", what);
    if (matrix_check(&scratch, again, span_of("", 0), keep_first, &first))
        return err_set(err, TG_USAGE, "invalid-matrix", "%s: %s", what, first.message);
    return 0;
}

/* ------------------------------------------------------------------ confidence */

#define ROWS_MAX 64

/* The words to change in the file, in their order. */
struct lifting {
    const char *path; /* of the file */
    struct arena *arena;
    const struct acceptance *acceptance;
    struct data *rows;
    const struct yaml_node *words[ROWS_MAX];
    size_t count;
};

static bool is_below(const struct lifting *l, const struct fact *fact)
{
    return fact->confidence == CONFIDENCE_LOW ||
           (fact->confidence == CONFIDENCE_MEDIUM && str_equal(l->acceptance->confidence, "high"));
}

static void lift(struct lifting *l, const struct fact *fact, const char *kind, const char *releases,
                 const char *variant)
{
    ERR_SCRATCH(err);
    const struct yaml_node *word = yaml_get(fact->node, "confidence");
    if (!word || !is_below(l, fact) || l->count == ROWS_MAX ||
        strcmp(word->doc->name, l->path) != 0) /* the row is in another file */
        return;
    (void)yaml_error(&err, word, "here");
    struct data *row = data_of(
        l->arena, FIELD("kind", kind), FIELD("releases", releases), FIELD("variant", variant),
        FIELD("was", confidence_names[fact->confidence]), FIELD("line", err.where.line));
    data_push(l->arena, l->rows, row);
    size_t at = l->count++; /* sorts by place in the file: the text is copied piece by piece */
    for (; at && l->words[at - 1]->offset > word->offset; at--)
        l->words[at] = l->words[at - 1];
    l->words[at] = word;
}

static int lift_release(struct lifting *l, const struct framework *framework, struct err *err)
{
    const struct acceptance *a = l->acceptance;
    struct version version;
    const struct release *release =
        version_parse(&version, a->version) == 0 ? release_of(framework, &version) : NULL;
    bool found = !a->variant;
    if (!release) {
        (void)err_set(err, TG_UNSOLVABLE, "unknown-release", "%s has no row of %s", a->framework,
                      a->version);
        return err_hint(err, "%s proposes rows",
                        shell_command(l->arena, "tmplgen matrix refresh %s", a->framework));
    }
    lift(l, &release->fact, "release", release->version.text, NULL);
    for (size_t i = 0; i < release->build_count; i++) {
        const struct build *build = release->builds[i];
        if (a->variant && !str_equal(a->variant, build->variant))
            continue;
        found = true;
        lift(l, &build->fact, "build",
             str_join(l->arena, build->releases.items, build->releases.count, " "), build->variant);
    }
    if (!found)
        return err_set(err, TG_UNSOLVABLE, "unknown-variant", "%s %s has no build %s", a->framework,
                       a->version, a->variant);
    return 0;
}

/* Changes the words; everything else stays byte for byte. */
static void change_words(struct buf *out, struct span text, const struct lifting *l)
{
    size_t at = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct yaml_node *word = l->words[i];
        size_t begin = text.len - word->doc->source.len + word->offset; /* after a BOM */
        (void)buf_append(out, text.ptr + at, begin - at);
        (void)buf_puts(out, l->acceptance->confidence);
        at = begin + word->text.len + (word->plain ? 0 : 2);
    }
    (void)buf_append(out, text.ptr + at, text.len - at);
}

int matrix_accept(struct data **lifted, const char **text, struct arena *arena,
                  const struct matrix *matrix, const struct acceptance *acceptance, struct err *err)
{
    struct lifting l = {.arena = arena, .acceptance = acceptance, .rows = data_list(arena)};
    const struct framework *framework = framework_or_package(matrix, acceptance->framework);
    const char *path = matrix_file_of(arena, matrix, acceptance->framework);
    struct span before;
    BUF_SCRATCH(after, LIMIT_DOCUMENT_BYTES);
    *lifted = l.rows;
    l.path = path;
    if (!framework)
        return err_set(err, TG_USAGE, "unknown-framework", "unknown framework '%s'",
                       acceptance->framework);
    if (lift_release(&l, framework, err) < 0 || fileset_get(&before, matrix->files, path, err) < 0)
        return -1;
    change_words(&after, before, &l);
    *text = arena_strdup(arena, buf_text(&after));
    const struct patch patch = {path, span_from(*text)};
    return matrix_patch_check(matrix, &patch, 1, "the lifted rows", err);
}
