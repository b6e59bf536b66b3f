/* Any questions with any answers: all are answered, and what is kept of them answers them again as
 * it did; or a refusal.
 */
#include "fuzz.h"
#include "memory_catalog.h"

#include "base/buf.h"
#include "catalog/manifest.h"
#include "data/data.h"
#include "data/json.h"

/* Where answers come from: a file of each kind. */
static const struct {
    const char *path;
    enum given_from from;
} sources[] = {{"set.yml", GIVEN_SET},
               {"answers.yml", GIVEN_FILE},
               {"record.yml", GIVEN_RECORD},
               {"guess.yml", GIVEN_GUESS},
               {"config.yml", GIVEN_CONFIG}};

/* Somebody who types the lines of `typed`, and gives up behind the last. */
static int type_line(const char **text, void *context, struct arena *arena,
                     const struct prompt *prompt, struct err *err)
{
    struct span *left = context;
    must(prompt->question->name && prompt->help && (!prompt->problem || *prompt->problem));
    must(!prompt->choices || prompt->choices->kind == DATA_LIST);
    if (!left->len)
        return err_set(err, TG_USAGE, "missing-answer", "nothing more is typed");
    const char *end = memchr(left->ptr, '\n', left->len);
    size_t len = end ? (size_t)(end - left->ptr) : left->len;
    *text = len ? arena_memdup(arena, left->ptr, len) : NULL;
    *left = span_of(left->ptr + len + (end != NULL), left->len - len - (end != NULL));
    return 0;
}

static const char context_json[] = "{\"template\": \"t\", \"request\": {\"framework\": \"demo\"}, "
                                   "\"resolution\": {\"python\": \"3.12\","
                                   " \"framework\": {\"name\": \"demo\", \"version\": \"2.0\"}, "
                                   "\"cuda\": {\"variant\": \"cu124\"}}}";

static int collect(struct answers *out, struct arena *arena, const struct manifest *manifest,
                   const struct given_list *given, const struct asker *asker, struct err *err)
{
    ERR_SCRATCH(never);
    struct data *context;
    must(json_parse(&context, arena, "context", span_from(context_json), &never) == 0);
    return answers_collect(out, arena, manifest, given, context, "child", asker, err);
}

static void check_complete(const struct manifest *manifest, const struct answers *answers)
{
    must(answers->values->map.count <= manifest->question_count);
    for (size_t i = 0; i < manifest->question_count; i++)
        must(manifest->questions[i].bringer_count ||
             data_get(answers->values, manifest->questions[i].name));
    for (size_t i = 0; i < answers->kept->map.count; i++) {
        const struct data_member *kept = &answers->kept->map.members[i];
        must(data_equal(kept->value, data_get(answers->values, kept->name.ptr)));
    }
}

/* As an update does with what the record says. */
static void check_again(struct arena *arena, const struct manifest *manifest,
                        const struct answers *answers)
{
    ERR_SCRATCH(err);
    BUF_SCRATCH(text, LIMIT_DOCUMENT_BYTES);
    struct yaml_doc *doc;
    struct given_list given = {0};
    struct answers again;
    if (yaml_write(&text, answers->kept, 0) < 0)
        return; /* no record could hold them */
    must(yaml_parse(&doc, arena, "kept", span_of(text.ptr, text.len), &err) == 0);
    for (size_t i = 0; i < doc->root->map.count; i++)
        given_add(&given, arena,
                  (struct given){.name = doc->root->map.members[i].key->text.ptr,
                                 .from = GIVEN_RECORD,
                                 .node = doc->root->map.members[i].value});
    must(collect(&again, arena, manifest, &given, NULL, &err) == 0);
    must(data_equal(again.kept, answers->kept) && data_equal(again.values, answers->values));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct memory_files *files = memory_files(&arena, span_of((const char *)bytes, size));
    struct catalog catalog = memory_catalog(files);
    struct span typed = memory_text(files, "typed");
    const struct asker asker = {type_line, &typed, .secrets = true};
    struct given_list given = {0};
    struct manifest *manifest;
    struct answers answers = {0};
    int rc = manifest_load(&manifest, &arena, &catalog, "t", &err);
    for (size_t i = 0; rc == 0 && i < sizeof(sources) / sizeof(*sources); i++)
        rc = memory_given(&given, &arena, files, sources[i].path, sources[i].from, &err);
    if (rc == 0)
        rc = collect(&answers, &arena, manifest, &given, typed.len ? &asker : NULL, &err);
    if (rc != 0) {
        memory_check_refusal(&err);
        return 0;
    }
    check_complete(manifest, &answers);
    check_again(&arena, manifest, &answers);
    return 0;
}
