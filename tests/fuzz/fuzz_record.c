/* Whatever stands in a `.tmplgen.yml`: it is refused with its place, or written back the same; and
 * what `update` and `doctor` make of the stack in it is a stack or a refusal.
 */
#include "../unit/small_matrix.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "child/record.h"
#include "child/team_image.h"
#include "data/data.h"
#include "fuzz.h"
#include "matrix/matrix.h"
#include "resolver/resolver.h"
#include "update/target/update_target.h"

#include <stdint.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_data(const struct data *a, const struct data *b)
{
    return a == b || (a && b && data_equal(a, b));
}

static void check_same(const struct record *a, const struct record *b)
{
    must(same_text(a->catalog.source, b->catalog.source));
    must(same_text(a->catalog.ref, b->catalog.ref));
    must(same_text(a->catalog.commit, b->catalog.commit));
    must(same_text(a->catalog.version, b->catalog.version));
    must(same_text(a->type, b->type) && a->engine == b->engine);
    must(same_data(a->answers, b->answers) && same_data(a->request, b->request));
    must(same_data(a->resolution, b->resolution));
    must(strcmp(a->tree, b->tree) == 0 && strcmp(a->inputs, b->inputs) == 0);
    must(a->yours.count == b->yours.count);
    for (size_t i = 0; i < a->yours.count; i++)
        must(same_text(a->yours.items[i], b->yours.items[i]));
}

static void check_written(struct arena *arena, const struct record *record)
{
    ERR_SCRATCH(err);
    BUF_SCRATCH(text, 16 * LIMIT_MIB);
    BUF_SCRATCH(twice, 16 * LIMIT_MIB);
    struct record again;
    char inputs[65], inputs_again[65];
    must(record_format(&text, record) == 0);
    if (text.len > LIMIT_DOCUMENT_BYTES)
        return; /* escapes may make it longer than a record may be */
    must(record_parse(&again, arena, "again", span_of(text.ptr, text.len), &err) == 0);
    check_same(record, &again);
    record_hash_inputs(inputs, record, span_of("", 0));
    record_hash_inputs(inputs_again, &again, span_of("", 0));
    must(strcmp(inputs, inputs_again) == 0);
    must(record_format(&twice, &again) == 0);
    must(text.len == twice.len && memcmp(text.ptr, twice.ptr, text.len) == 0);
}

/* As an update does, in a catalog that has moved on. */
static void update_stack(struct arena *arena, const struct fileset *files,
                         const struct record *record, bool keep)
{
    ERR_SCRATCH(err);
    struct carried_stack stack;
    const struct stack_input input = {
        .files = files, .overlay = span_of("", 0), .recorded = record, .keep = keep};
    if (stack_make(&stack, arena, &input, &err) < 0) {
        must(err.exit == TG_USAGE || (err.exit == TG_UNSOLVABLE && stack.refusal));
        must(err.message && err.code);
        return;
    }
    must(stack.request && stack.resolution);
    struct data *changes = stack_changes(arena, record->resolution, stack.resolution);
    must(changes->kind == DATA_LIST);
    must(stack_changes(arena, stack.resolution, stack.resolution)->list.count == 0);
}

/* As `doctor` does, which asks the matrix of the program. */
static void judge_stack(struct arena *arena, const struct fileset *files,
                        const struct record *record)
{
    ERR_SCRATCH(err);
    static const struct machine_gpu gpu = {"NVIDIA A100-SXM4-40GB", 80};
    static const struct machine machine = {"550.54.14", "x86_64", &gpu, 1};
    struct matrix *matrix;
    must(matrix_load(&matrix, arena, files, span_of("", 0), "demo", &err) == 0);
    must(matrix_runs_stack(arena, matrix, &machine, record->resolution, record->request));
}

static void use_stack(struct arena *arena, const struct record *record)
{
    struct memory memory;
    fill(&memory);
    (void)team_image_shown(arena, record->resolution);
    update_stack(arena, &memory.set, record, true);
    update_stack(arena, &memory.set, record, false);
    if (record->resolution)
        judge_stack(arena, &memory.set, record);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct record record;
    if (record_parse(&record, &arena, "in", span_of((const char *)bytes, size), &err) < 0) {
        must((err.exit == TG_USAGE || err.exit == TG_REFUSED) && err.message && err.code);
        return 0;
    }
    must(strlen(record.tree) == 40 && strlen(record.inputs) == 64 && record.type);
    check_written(&arena, &record);
    use_stack(&arena, &record);
    return 0;
}
