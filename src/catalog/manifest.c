/* Reading template.yml and layer.yml, strictly. */
#include "catalog/manifest.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/fileset.h"
#include "base/limits.h"
#include "base/pattern.h"
#include "base/str.h"
#include "base/yaml.h"
#include "catalog/catalog.h"
#include "matrix/version.h"
#include "resolver/request.h"

#include <string.h>

const char *const question_type_names[QUESTION_TYPE_COUNT] = {
    [QUESTION_STR] = "str",   [QUESTION_INT] = "int",       [QUESTION_FLOAT] = "float",
    [QUESTION_BOOL] = "bool", [QUESTION_CHOICE] = "choice", [QUESTION_LIST] = "list",
};
const char *const file_merge_names[MERGE_COUNT] = {[MERGE_TEXT] = "text", [MERGE_LINES] = "lines"};
static const char *const delimiter_names[] = {
    [DELIMITERS_JINJA] = "jinja", [DELIMITERS_SQUARE] = "square"};

/* What every reader below needs at hand. */
struct reader {
    struct arena *arena;
    struct err *err;
};

static int read_word(size_t *out, const struct reader *reader, const struct yaml_node *node,
                     const char *what, const char *const *names, size_t count)
{
    const char *word = NULL;
    if (yaml_text(&word, node, what, reader->err) < 0)
        return -1;
    if (!word)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, names[i]) == 0) {
            *out = i;
            return 0;
        }
    const char *nearest = str_nearest(word, names, count);
    (void)yaml_error(reader->err, node, "'%s' is no %s", word, what);
    return err_hint(reader->err, "did you mean '%s'?", nearest ? nearest : names[0]);
}

static int want_list(const struct reader *reader, const struct yaml_node *node, const char *what)
{
    return node->kind == YAML_LIST ? 0 : yaml_error(reader->err, node, "'%s' must be a list", what);
}

static int want_map(const struct reader *reader, const struct yaml_node *node, const char *what)
{
    return node->kind == YAML_MAP ? 0 : yaml_error(reader->err, node, "%s must be a mapping", what);
}

static int read_required(const char **out, const struct reader *reader, const struct yaml_node *map,
                         const char *key)
{
    *out = NULL;
    if (yaml_text(out, yaml_get(map, key), key, reader->err) < 0)
        return -1;
    return *out ? 0 : yaml_error(reader->err, map, "'%s' is missing", key);
}

static int read_text(struct manifest_text *out, const struct reader *reader,
                     const struct yaml_node *map, const char *key)
{
    out->node = yaml_get(map, key);
    return yaml_text(&out->text, out->node, key, reader->err);
}

/* Reads a list of mappings of `size` bytes each with `read`; absent: none. */
static int read_list(void **out, size_t *count, size_t size, const struct reader *reader,
                     const struct yaml_node *node, const char *what,
                     int (*read)(void *, const struct reader *, const struct yaml_node *))
{
    *count = 0;
    if (!node)
        return 0;
    if (want_list(reader, node, what) < 0)
        return -1;
    char *items = arena_array(reader->arena, node->list.count + 1, size);
    for (size_t i = 0; i < node->list.count; i++)
        if (want_map(reader, node->list.items[i], "an entry here") < 0 ||
            read(items + i * size, reader, node->list.items[i]) < 0)
            return -1;
    *out = items;
    *count = node->list.count;
    return 0;
}

/* How many rows a list may have that is gone through for each file. */
static int check_count(const struct reader *reader, const struct yaml_node *node, const char *what,
                       size_t limit)
{
    return node && node->kind == YAML_LIST && node->list.count > limit
               ? yaml_over_limit(reader->err, node, node->list.count, what, limit)
               : 0;
}

static int check_glob(const struct reader *reader, const struct yaml_node *node, const char *glob)
{
    return !glob || strlen(glob) <= LIMIT_GLOB_BYTES
               ? 0
               : yaml_error(reader->err, node, "this glob is longer than %zu bytes",
                            LIMIT_GLOB_BYTES);
}

static int read_glob(const char **out, const struct reader *reader, const struct yaml_node *map)
{
    if (read_required(out, reader, map, "match") < 0)
        return -1;
    return check_glob(reader, yaml_get(map, "match"), *out);
}

static int read_overrides(const char ***out, size_t *count, const struct reader *reader,
                          const struct yaml_node *map)
{
    const struct yaml_node *node = yaml_get(map, "overrides");
    if (check_count(reader, node, "overrides", LIMIT_GLOBS) < 0 ||
        yaml_texts(out, count, reader->arena, node, "overrides", reader->err) < 0)
        return -1;
    for (size_t i = 0; i < *count; i++)
        if (check_glob(reader, node, (*out)[i]) < 0)
            return -1;
    return 0;
}

static int check_pattern(const struct reader *reader, const struct question *question)
{
    size_t at = 0;
    if (!question->pattern)
        return 0;
    const struct yaml_node *node = yaml_get(question->node, "pattern");
    if (question->type != QUESTION_STR)
        return yaml_error(reader->err, node, "only a question of type str has a 'pattern'");
    if (pattern_check(&at, span_from(question->pattern), reader->err) < 0)
        return yaml_at_byte(reader->err, node, at);
    return 0;
}

static int check_choices(const struct reader *reader, const struct question *question)
{
    bool takes = question->type == QUESTION_CHOICE || question->type == QUESTION_LIST;
    if (question->choices && !takes)
        return yaml_error(reader->err, question->choices,
                          "only a question of type choice or list has 'choices'");
    if (!question->choices && question->type == QUESTION_CHOICE)
        return yaml_error(reader->err, question->node, "a choice needs 'choices'");
    if (!question->choices || question->choices->kind == YAML_SCALAR)
        return 0;
    if (want_list(reader, question->choices, "choices") < 0)
        return -1;
    if (question->choices->list.count == 0)
        return yaml_error(reader->err, question->choices, "'choices' is empty");
    return 0;
}

/* A name that templates can say: a letter, then letters, digits and underscores. */
static bool is_identifier(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return *name && strchr(letters, *name) &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] ==
               '\0';
}

/* Names that templates see besides answers, and the stack's choices, which are no questions. */
static bool is_reserved(const char *name)
{
    static const char *const reserved[] = {"resolution", "request", "template", "type", "true",
                                           "false",      "none",    "loop",     "range"};
    for (size_t i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
        if (strcmp(name, reserved[i]) == 0)
            return true;
    return stack_choice_of(span_from(name)) < CHOICE_COUNT;
}

static int check_name(const struct reader *reader, const struct question *question)
{
    const struct yaml_node *node = yaml_get(question->node, "name");
    if (!is_identifier(question->name))
        return yaml_error(reader->err, node,
                          "the question '%s' needs a name of letters, digits and '_'",
                          question->name);
    if (is_reserved(question->name))
        return yaml_error(reader->err, node, "the name '%s' is taken by tmplgen itself",
                          question->name);
    return 0;
}

static int read_question(void *out, const struct reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = {"name",    "type",    "help", "default",
                                       "choices", "pattern", "when", NULL};
    struct question *question = out;
    size_t type = QUESTION_STR;
    question->node = node;
    if (yaml_check_keys(node, keys, reader->err) < 0 ||
        read_required(&question->name, reader, node, "name") < 0 ||
        read_word(&type, reader, yaml_get(node, "type"), "question type", question_type_names,
                  QUESTION_TYPE_COUNT) < 0 ||
        read_text(&question->help, reader, node, "help") < 0 ||
        yaml_text(&question->pattern, yaml_get(node, "pattern"), "pattern", reader->err) < 0 ||
        read_text(&question->when, reader, node, "when") < 0)
        return -1;
    question->type = (enum question_type)type;
    question->fallback = yaml_get(node, "default");
    question->choices = yaml_get(node, "choices");
    if (check_name(reader, question) < 0 || check_pattern(reader, question) < 0)
        return -1;
    return check_choices(reader, question);
}

static int number_questions(struct manifest *manifest, const struct reader *reader)
{
    for (size_t i = 0; i < manifest->question_count; i++) {
        const struct question *question = &manifest->questions[i];
        if (intern_add(&manifest->question_names, reader->arena, span_from(question->name)) < i)
            return yaml_error(reader->err, question->node, "the question '%s' is asked twice",
                              question->name);
    }
    return 0;
}

static int read_file_rule(void *out, const struct reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = {"match", "policy", "merge", "when", NULL};
    struct file_rule *rule = out;
    const struct yaml_node *policy = yaml_get(node, "policy"), *merge = yaml_get(node, "merge");
    size_t policy_word = POLICY_MERGE, merge_word = MERGE_TEXT;
    if (yaml_check_keys(node, keys, reader->err) < 0 || read_glob(&rule->glob, reader, node) < 0 ||
        read_word(&policy_word, reader, policy, "policy", file_policy_names, POLICY_COUNT) < 0 ||
        read_word(&merge_word, reader, merge, "merge", file_merge_names, MERGE_COUNT) < 0 ||
        read_text(&rule->when, reader, node, "when") < 0)
        return -1;
    if (!policy && !merge && !rule->when.text)
        return yaml_error(reader->err, node,
                          "an entry of 'files' needs 'policy', 'merge' or 'when'");
    rule->has_policy = policy != NULL;
    rule->has_merge = merge != NULL;
    rule->policy = (enum file_policy)policy_word;
    rule->merge = (enum file_merge)merge_word;
    return 0;
}

static int read_file_rules(struct file_rule **out, size_t *count, const struct reader *reader,
                           const struct yaml_node *map)
{
    const struct yaml_node *node = yaml_get(map, "files");
    if (check_count(reader, node, "rows of 'files'", LIMIT_GLOBS) < 0)
        return -1;
    return read_list((void **)out, count, sizeof(**out), reader, node, "files", read_file_rule);
}

static int read_delimiter_rule(void *out, const struct reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = {"match", "delimiters", NULL};
    struct delimiter_rule *rule = out;
    size_t word = DELIMITERS_JINJA;
    if (yaml_check_keys(node, keys, reader->err) < 0 || read_glob(&rule->glob, reader, node) < 0)
        return -1;
    if (!yaml_get(node, "delimiters"))
        return yaml_error(reader->err, node, "'delimiters' is missing");
    if (read_word(&word, reader, yaml_get(node, "delimiters"), "kind of delimiters",
                  delimiter_names, 2) < 0)
        return -1;
    rule->delimiters = (enum template_delimiters)word;
    return 0;
}

/* `delimiters: square`, or a list of {match, delimiters}. */
static int read_delimiters(struct layer *layer, const struct reader *reader,
                           const struct yaml_node *node)
{
    size_t word = DELIMITERS_JINJA;
    if (check_count(reader, node, "rows of 'delimiters'", LIMIT_GLOBS) < 0)
        return -1;
    if (!node || node->kind == YAML_LIST)
        return read_list((void **)&layer->delimiters, &layer->delimiter_count,
                         sizeof(*layer->delimiters), reader, node, "delimiters",
                         read_delimiter_rule);
    if (read_word(&word, reader, node, "kind of delimiters", delimiter_names, 2) < 0)
        return -1;
    layer->delimiters = arena_alloc(reader->arena, sizeof(*layer->delimiters));
    layer->delimiters[0] =
        (struct delimiter_rule){.glob = "**", .delimiters = (enum template_delimiters)word};
    layer->delimiter_count = 1;
    return 0;
}

static int read_layer_use(void *out, const struct reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = {"name", "when", "overrides", NULL};
    struct layer_use *use = out;
    if (yaml_check_keys(node, keys, reader->err) < 0 ||
        read_text(&use->name, reader, node, "name") < 0 ||
        read_text(&use->when, reader, node, "when") < 0)
        return -1;
    if (!use->name.text)
        return yaml_error(reader->err, node, "'name' is missing");
    return read_overrides(&use->overrides, &use->override_count, reader, node);
}

static int read_refusal(void *out, const struct reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = {"when", "because", NULL};
    struct refusal *refusal = out;
    if (yaml_check_keys(node, keys, reader->err) < 0 ||
        read_text(&refusal->when, reader, node, "when") < 0 ||
        read_text(&refusal->because, reader, node, "because") < 0)
        return -1;
    if (!refusal->when.text || !refusal->because.text)
        return yaml_error(reader->err, node, "an entry of 'refuse' needs 'when' and 'because'");
    return 0;
}

static int read_renames(const char ***old, const char ***new, size_t *count,
                        const struct reader *reader, const struct yaml_node *node)
{
    if (!node)
        return 0;
    if (want_map(reader, node, "a list of renames") < 0)
        return -1;
    *old = arena_array(reader->arena, node->map.count + 1, sizeof(**old));
    *new = arena_array(reader->arena, node->map.count + 1, sizeof(**new));
    for (size_t i = 0; i < node->map.count; i++) {
        (*old)[i] = node->map.members[i].key->text.ptr;
        if (yaml_text(&(*new)[i], node->map.members[i].value, "the new name", reader->err) < 0)
            return -1;
    }
    *count = node->map.count;
    return 0;
}

static int read_migration(void *out, const struct reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = {"from",         "rename_answers", "rename_files",
                                       "drop_answers", "note",           NULL};
    struct migration *migration = out;
    migration->node = node;
    if (yaml_check_keys(node, keys, reader->err) < 0 ||
        read_required(&migration->from, reader, node, "from") < 0 ||
        yaml_text(&migration->note, yaml_get(node, "note"), "note", reader->err) < 0 ||
        read_renames(&migration->rename_answers.old, &migration->rename_answers.new,
                     &migration->rename_answers.count, reader,
                     yaml_get(node, "rename_answers")) < 0 ||
        read_renames(&migration->rename_files.old, &migration->rename_files.new,
                     &migration->rename_files.count, reader, yaml_get(node, "rename_files")) < 0)
        return -1;
    return yaml_texts(&migration->drop_answers, &migration->drop_count, reader->arena,
                      yaml_get(node, "drop_answers"), "drop_answers", reader->err);
}

static int read_files(struct manifest *manifest, const struct reader *reader, const char *folder,
                      const struct yaml_node *root)
{
    struct layer *own = &manifest->own;
    own->name = manifest->type;
    own->folder = arena_printf(reader->arena, "%s/%s/files/", folder, manifest->type);
    if (read_delimiters(own, reader, yaml_get(root, "delimiters")) < 0 ||
        read_file_rules(&own->rules, &own->rule_count, reader, root) < 0 ||
        read_overrides(&own->overrides, &own->override_count, reader, root) < 0 ||
        check_count(reader, yaml_get(root, "layers"), "layers", LIMIT_LAYERS) < 0)
        return -1;
    return read_list((void **)&manifest->layers, &manifest->layer_count, sizeof(*manifest->layers),
                     reader, yaml_get(root, "layers"), "layers", read_layer_use);
}

int manifest_read_files(struct manifest *out, struct arena *arena, const char *folder,
                        const char *name, const struct yaml_node *root, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct reader reader = {arena, err};
    *out = (struct manifest){.type = name};
    return read_files(out, &reader, folder, root);
}

/* `name` is always an answer: where the template does not ask for it, it is asked first. */
static void add_name_question(struct manifest *manifest, struct arena *arena,
                              const struct yaml_node *root)
{
    for (size_t i = 0; i < manifest->question_count; i++)
        if (strcmp(manifest->questions[i].name, "name") == 0)
            return;
    struct question *all = arena_array(arena, manifest->question_count + 1, sizeof(*all));
    all[0] = (struct question){.name = "name",
                               .type = QUESTION_STR,
                               .help = {.text = "name of the project"},
                               .pattern = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}",
                               .node = root};
    if (manifest->question_count)
        memcpy(all + 1, manifest->questions, manifest->question_count * sizeof(*all));
    manifest->questions = all;
    manifest->question_count++;
}

static int check_name_type(const struct reader *reader, const struct manifest *manifest)
{
    const struct question *name = manifest_question(manifest, "name");
    if (name->type != QUESTION_STR || name->when.text || name->fallback)
        return yaml_error(reader->err, name->node,
                          "'name' must be of type str, without 'when' and 'default'");
    return 0;
}

static int read_python(struct manifest *manifest, const struct reader *reader,
                       const struct yaml_node *node)
{
    struct spec spec;
    ERR_SCRATCH(inner);
    if (yaml_text(&manifest->python, node, "python", reader->err) < 0)
        return -1;
    if (manifest->python &&
        spec_parse(&spec, reader->arena, manifest->python, "python", &inner) < 0)
        return yaml_error(reader->err, node, "'python' must be a SPEC such as \">=3.10\"");
    return 0;
}

static int read_next(struct manifest *manifest, const struct reader *reader,
                     const struct yaml_node *node)
{
    const char **texts = NULL;
    if (yaml_texts(&texts, &manifest->next_count, reader->arena, node, "next", reader->err) < 0)
        return -1;
    manifest->next = arena_array(reader->arena, manifest->next_count + 1, sizeof(*manifest->next));
    for (size_t i = 0; i < manifest->next_count; i++)
        manifest->next[i] = (struct manifest_text){texts[i], node->list.items[i]};
    return 0;
}

static int read_manifest(struct manifest *manifest, const struct reader *reader,
                         const struct yaml_node *root)
{
    static const char *const keys[] = {
        "description", "stack",         "layers", "questions", "files",      "migrations",
        "delimiters",  "overrides",     "next",   "python",    "frameworks", "frameworks_because",
        "refuse",      "distributions", NULL};
    static const char *const stacks[] = {"none", "framework"};
    size_t stack = 1;
    if (yaml_check_keys(root, keys, reader->err) < 0 ||
        read_required(&manifest->description, reader, root, "description") < 0 ||
        read_word(&stack, reader, yaml_get(root, "stack"), "stack", stacks, 2) < 0 ||
        read_files(manifest, reader, "templates", root) < 0 ||
        read_list((void **)&manifest->questions, &manifest->question_count,
                  sizeof(*manifest->questions), reader, yaml_get(root, "questions"), "questions",
                  read_question) < 0 ||
        read_list((void **)&manifest->refusals, &manifest->refusal_count,
                  sizeof(*manifest->refusals), reader, yaml_get(root, "refuse"), "refuse",
                  read_refusal) < 0 ||
        read_list((void **)&manifest->migrations, &manifest->migration_count,
                  sizeof(*manifest->migrations), reader, yaml_get(root, "migrations"), "migrations",
                  read_migration) < 0 ||
        yaml_texts(&manifest->frameworks, &manifest->framework_count, reader->arena,
                   yaml_get(root, "frameworks"), "frameworks", reader->err) < 0 ||
        yaml_text(&manifest->frameworks_because, yaml_get(root, "frameworks_because"),
                  "frameworks_because", reader->err) < 0 ||
        yaml_texts(&manifest->distributions.items, &manifest->distributions.count, reader->arena,
                   yaml_get(root, "distributions"), "distributions", reader->err) < 0 ||
        read_next(manifest, reader, yaml_get(root, "next")) < 0)
        return -1;
    manifest->has_stack = stack == 1;
    if (read_python(manifest, reader, yaml_get(root, "python")) < 0)
        return -1;
    add_name_question(manifest, reader->arena, root);
    if (number_questions(manifest, reader) < 0)
        return -1;
    return check_name_type(reader, manifest);
}

static int load_document(struct yaml_doc **doc, const struct reader *reader,
                         const struct fileset *files, const char *path)
{
    if (fileset_document(doc, reader->arena, files, path, reader->err) < 0)
        return -1;
    if ((*doc)->root)
        return want_map(reader, (*doc)->root, "a manifest");
    struct span text = (*doc)->source;
    (void)err_set(reader->err, TG_USAGE, "invalid", "the manifest is empty");
    return err_at(reader->err, path, text.ptr, text.len, 0);
}

static int unknown_type(const struct reader *reader, const struct catalog *catalog,
                        const char *type)
{
    const char **types;
    size_t count = catalog_types(&types, reader->arena, catalog->files);
    const char *nearest = str_nearest(type, types, count);
    const char *list = str_join(reader->arena, types, count, ", ");
    (void)err_set(reader->err, TG_USAGE, "unknown-type", "the catalog '%s' has no type '%s'",
                  catalog->name, type);
    if (nearest)
        return err_hint(reader->err, "did you mean '%s'? There is: %s", nearest, list);
    return err_hint(reader->err, "there is: %s", list);
}

int manifest_load(struct manifest **out, struct arena *arena, const struct catalog *catalog,
                  const char *type, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct reader reader = {arena, err};
    struct manifest *manifest = arena_alloc(arena, sizeof(*manifest));
    const char *path = arena_printf(arena, "templates/%s/template.yml", type);
    struct yaml_doc *doc;
    if (strchr(type, '/') || *type == '_' || fileset_find(catalog->files, path) < 0)
        return unknown_type(&reader, catalog, type);
    manifest->type = arena_strdup(arena, type);
    if (load_document(&doc, &reader, catalog->files, path) < 0 ||
        read_manifest(manifest, &reader, doc->root) < 0)
        return -1;
    *out = manifest;
    return 0;
}

int layer_load(struct layer *out, struct arena *arena, const struct fileset *files,
               const char *name, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    static const char *const keys[] = {"description", "delimiters", "files", NULL};
    struct reader reader = {arena, err};
    const char *description = NULL;
    struct yaml_doc *doc;
    *out = (struct layer){
        .name = arena_strdup(arena, name),
        .folder = arena_printf(arena, "templates/_layers/%s/files/", name),
    };
    if (load_document(&doc, &reader, files,
                      arena_printf(arena, "templates/_layers/%s/layer.yml", name)) < 0 ||
        yaml_check_keys(doc->root, keys, err) < 0 ||
        read_required(&description, &reader, doc->root, "description") < 0 ||
        read_delimiters(out, &reader, yaml_get(doc->root, "delimiters")) < 0)
        return -1;
    return read_file_rules(&out->rules, &out->rule_count, &reader, doc->root);
}

enum template_delimiters layer_delimiters(const struct layer *layer, const char *below)
{
    for (size_t i = layer->delimiter_count; i-- > 0;)
        if (budget_glob(layer->delimiters[i].glob, below))
            return layer->delimiters[i].delimiters;
    return DELIMITERS_JINJA;
}

const struct question *manifest_question(const struct manifest *manifest, const char *name)
{
    size_t number = intern_find(&manifest->question_names, span_from(name));
    return number == INTERN_NONE ? NULL : &manifest->questions[number];
}

struct stack_need manifest_need(const struct manifest *manifest)
{
    return (struct stack_need){manifest->type,
                               manifest->python,
                               {manifest->frameworks, manifest->framework_count},
                               manifest->distributions};
}
