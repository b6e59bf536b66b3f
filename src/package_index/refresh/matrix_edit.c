/* A matrix with other texts in place of some of its files. */
#include "package_index/matrix_edit.h"

#include "base/arena.h"
#include "data/fileset.h"
#include "matrix/facts.h"
#include "matrix/matrix.h"
#include "resolver/matrix_check.h"

/* A catalog with other texts in place of some of its files. */
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
