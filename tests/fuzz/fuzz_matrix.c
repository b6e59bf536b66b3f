/* Whatever stands in a file of a matrix: it is read or refused with its place, and resolving ends.
 */
#include "fuzz.h"

#include "../unit/small_matrix.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/data.h"
#include "matrix/matrix.h"
#include "resolver/resolver.h"

#include <stdint.h>

static void ignore(void *context, const struct err *finding)
{
    (void)context;
    must(finding->exit == TG_USAGE && finding->message);
}

/* A refusal has its reasons, and an answer its explanation. */
static void resolve(struct arena *arena, const struct matrix *matrix,
                    const struct stack_request *request)
{
    ERR_SCRATCH(err);
    BUF_SCRATCH(text, LIMIT_MIB);
    struct data *resolution = NULL, *refusal = NULL, *why = NULL;
    if (matrix_resolve(&resolution, &refusal, arena, matrix, request, &err) == 0) {
        must(resolution != NULL);
        (void)matrix_explain(&text, resolution);
        must(matrix_why(&why, arena, matrix, request, &err) == 0);
        return;
    }
    must(err.exit == TG_USAGE || err.exit == TG_UNSOLVABLE);
    must(err.exit != TG_UNSOLVABLE || refusal);
    if (refusal)
        (void)matrix_explain_refusal(&text, refusal);
}

static void use(struct arena *arena, const struct matrix *matrix)
{
    const struct stack_request requests[] = {
        {SAY(FRAMEWORK, "demo")},
        {SAY(FRAMEWORK, "demo>=1"), SAY(DRIVER, "535"), SAY(VARIANT, "cu124"), SAY(PYTHON, "3.10")},
        {SAY(FRAMEWORK, "demo"), SAY(GPU, "A100", "sm_70"), SAY(DRIVER, "470")},
        {SAY(FRAMEWORK, "demo"), SAY(IMAGE, "nvidia/cuda:12.4.9-base-ubuntu22.04"),
         SAY(OS, "ubuntu22.04")},
        {SAY(FRAMEWORK, "demo"), SAY(PLATFORM, "there"), SAY(WITH, "other")},
    };
    (void)matrix_check(arena, matrix, span_of("", 0), ignore, NULL);
    for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++)
        resolve(arena, matrix, &requests[i]);
}

/* The first byte names the file that the rest stands in, or the overlay. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct memory memory;
    struct matrix *matrix;
    struct span overlay = span_of("", 0);
    if (!size)
        return 0;
    fill(&memory);
    unsigned file = bytes[0] % (FILES + 1);
    char *text = arena_memdup(&arena, bytes + 1, size - 1);
    if (strlen(text) != size - 1)
        return 0; /* the small matrix holds texts that end at a NUL */
    if (file < FILES)
        memory.texts[file] = text;
    else
        overlay = span_of(text, size - 1);
    if (matrix_load(&matrix, &arena, &memory.set, overlay, "demo", &err)) {
        must(err.exit == TG_USAGE && err.message);
        return 0;
    }
    use(&arena, matrix);
    return 0;
}
