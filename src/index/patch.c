/* A matrix with another text in place of one of its files. */
#include "index/patch.h"

#include "base/arena.h"
#include "base/fileset.h"
#include "matrix/facts.h"
#include "matrix/matrix.h"
#include "resolver/check.h"

/* A catalog with another text in place of one of its files. */
struct patched {
    struct fileset set;
    const struct fileset *below;
    size_t at;
    struct span text;
};

static int read_patched(struct span *out, const struct fileset *set, size_t index, struct err *err)
{
    const struct patched *patched = (const struct patched *)set;
    if (index != patched->at)
        return patched->below->read(out, patched->below, index, err);
    *out = patched->text;
    return 0;
}

static void keep_first(void *context, const struct err *finding)
{
    struct err *first = context;
    if (!first->message)
        (void)err_set(first, TG_USAGE, "invalid-matrix", "%s", finding->message);
}

int matrix_patch_check(const struct matrix *matrix, const char *path, struct span text,
                       const char *what, struct err *err)
{
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(first);
    struct matrix *again;
    struct patched patched = {.set = *matrix->files,
                              .below = matrix->files,
                              .at = (size_t)fileset_find(matrix->files, path),
                              .text = text};
    patched.set.read = read_patched;
    if (matrix_load_placed(&again, &scratch, &patched.set, span_of("", 0), NULL, err) < 0)
        return err_wrap(err, "%s", what);
    if (matrix_check(&scratch, again, span_of("", 0), keep_first, &first))
        return err_set(err, TG_USAGE, "invalid-matrix", "%s: %s", what, first.message);
    return 0;
}
