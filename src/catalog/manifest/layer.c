/* Layers: folders of files with their rules, and the questions that they bring. */
#include "catalog/manifest/layer.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/budget.h"
#include "base/limits.h"
#include "base/str.h"
#include "data/fileset.h"
#include "data/yaml.h"

#include <string.h>

const struct policy file_policies[POLICY_COUNT] = {
    [POLICY_MERGE] = {.leaves_alone = false, .conflicts = NULL},
    [POLICY_SEED] = {.leaves_alone = true, .conflicts = NULL},
    [POLICY_MANAGED] = {.leaves_alone = false,
                        .conflicts = "the template manages it, you changed it"},
};

const char *const file_policy_names[POLICY_COUNT] = {
    [POLICY_MERGE] = "merge", [POLICY_SEED] = "seed", [POLICY_MANAGED] = "managed"};
const char *const file_merge_names[MERGE_COUNT] = {[MERGE_TEXT] = "text", [MERGE_LINES] = "lines"};
static const char *const delimiter_names[] = {
    [DELIMITERS_JINJA] = "jinja", [DELIMITERS_SQUARE] = "square"};

/* Checks the number of rows in a list that is searched for each file. */
int layer_check_count(const struct reader *reader, const struct yaml_node *node, const char *what,
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
    if (reader_required(out, reader, map, "match") < 0)
        return -1;
    return check_glob(reader, yaml_get(map, "match"), *out);
}

int layer_read_overrides(struct words *out, const struct reader *reader,
                         const struct yaml_node *map)
{
    const struct yaml_node *node = yaml_get(map, "overrides");
    if (layer_check_count(reader, node, "overrides", LIMIT_GLOBS) < 0 ||
        yaml_texts(out, reader->arena, node, "overrides", reader->err) < 0)
        return -1;
    for (size_t i = 0; i < out->count; i++)
        if (check_glob(reader, node, out->items[i]) < 0)
            return -1;
    return 0;
}

static int read_file_rule(void *out, const struct reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = {"match", "policy", "merge", "when", NULL};
    struct file_rule *rule = out;
    const struct yaml_node *policy = yaml_get(node, "policy"), *merge = yaml_get(node, "merge");
    size_t policy_word = POLICY_MERGE, merge_word = MERGE_TEXT;
    if (yaml_check_keys(node, keys, reader->err) < 0 || read_glob(&rule->glob, reader, node) < 0 ||
        reader_word(&policy_word, reader, policy, "policy", file_policy_names, POLICY_COUNT) < 0 ||
        reader_word(&merge_word, reader, merge, "merge", file_merge_names, MERGE_COUNT) < 0 ||
        reader_text(&rule->when, reader, node, "when") < 0)
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

static int read_delimiter_rule(void *out, const struct reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = {"match", "delimiters", NULL};
    struct delimiter_rule *rule = out;
    size_t word = DELIMITERS_JINJA;
    if (yaml_check_keys(node, keys, reader->err) < 0 || read_glob(&rule->glob, reader, node) < 0)
        return -1;
    if (!yaml_get(node, "delimiters"))
        return yaml_error(reader->err, node, "'delimiters' is missing");
    if (reader_word(&word, reader, yaml_get(node, "delimiters"), "kind of delimiters",
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
    if (layer_check_count(reader, node, "rows of 'delimiters'", LIMIT_GLOBS) < 0)
        return -1;
    if (!node || node->kind == YAML_LIST)
        return reader_list((void **)&layer->delimiters, &layer->delimiter_count,
                           sizeof(*layer->delimiters), reader, node, "delimiters",
                           read_delimiter_rule);
    if (reader_word(&word, reader, node, "kind of delimiters", delimiter_names, 2) < 0)
        return -1;
    layer->delimiters = arena_alloc(reader->arena, sizeof(*layer->delimiters));
    layer->delimiters[0] =
        (struct delimiter_rule){.glob = "**", .delimiters = (enum template_delimiters)word};
    layer->delimiter_count = 1;
    return 0;
}

int layer_read_rules(struct layer *layer, const struct reader *reader, const struct yaml_node *root)
{
    if (read_delimiters(layer, reader, yaml_get(root, "delimiters")) < 0 ||
        layer_check_count(reader, yaml_get(root, "files"), "rows of 'files'", LIMIT_GLOBS) < 0)
        return -1;
    return READER_LIST(layer->rules, layer->rule_count, reader, root, "files", read_file_rule);
}

static int read_refusal(void *out, const struct reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = {"when", "because", "exit", NULL};
    static const char *const exits[] = {"2", "4"};
    struct refusal *refusal = out;
    size_t exit_word = 0;
    if (yaml_check_keys(node, keys, reader->err) < 0 ||
        reader_text(&refusal->when, reader, node, "when") < 0 ||
        reader_text(&refusal->because, reader, node, "because") < 0 ||
        reader_word(&exit_word, reader, yaml_get(node, "exit"), "exit code", exits, 2) < 0)
        return -1;
    if (!refusal->when.text || !refusal->because.text)
        return yaml_error(reader->err, node, "an entry of 'refuse' needs 'when' and 'because'");
    refusal->no_row = exit_word == 1;
    return 0;
}

int layer_read_refusals(struct refusal **out, size_t *count, const struct reader *reader,
                        const struct yaml_node *root)
{
    return READER_LIST(*out, *count, reader, root, "refuse", read_refusal);
}

int layer_document(struct yaml_doc **doc, const struct reader *reader, const struct fileset *files,
                   const char *path)
{
    if (fileset_document(doc, reader->arena, files, path, reader->err) < 0)
        return -1;
    if ((*doc)->root)
        return reader_want_map(reader, (*doc)->root, "a manifest");
    struct span text = (*doc)->source;
    (void)err_set(reader->err, TG_USAGE, "invalid", "the manifest is empty");
    return err_at(reader->err, path, text.ptr, text.len, 0);
}

int layer_load(struct layer *out, struct arena *arena, const struct fileset *files,
               const char *name, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    static const char *const keys[] = {"description", "delimiters", "files",
                                       "questions",   "refuse",     NULL};
    struct reader reader = {arena, err};
    const char *description = NULL;
    struct yaml_doc *doc;
    *out = (struct layer){
        .name = arena_strdup(arena, name),
        .folder = arena_printf(arena, "templates/_layers/%s/files/", name),
    };
    if (layer_document(&doc, &reader, files,
                       arena_printf(arena, "templates/_layers/%s/layer.yml", name)) < 0 ||
        yaml_check_keys(doc->root, keys, err) < 0 ||
        reader_required(&description, &reader, doc->root, "description") < 0 ||
        layer_read_rules(out, &reader, doc->root) < 0 ||
        layer_read_refusals(&out->refusals, &out->refusal_count, &reader, doc->root) < 0)
        return -1;
    return READER_LIST(out->questions, out->question_count, &reader, doc->root, "questions",
                       question_read);
}

enum template_delimiters layer_delimiters(const struct layer *layer, const char *below)
{
    for (size_t i = layer->delimiter_count; i-- > 0;)
        if (budget_glob(layer->delimiters[i].glob, below))
            return layer->delimiters[i].delimiters;
    return DELIMITERS_JINJA;
}

struct span layer_key(const struct layer_use *use)
{
    size_t plain = strcspn(use->name.text, "{");
    return span_of(use->name.text, plain + (use->name.text[plain] == '{'));
}

size_t layer_candidates(const char ***names, struct arena *arena, const struct fileset *files,
                        const struct layer_use *use)
{
    static const char folder[] = "templates/_layers/", ending[] = "/layer.yml";
    size_t plain = strcspn(use->name.text, "{"), count = 0;
    bool exact = use->name.text[plain] == '\0';
    const char *prefix =
        arena_printf(arena, "%s%.*s%s", folder, (int)plain, use->name.text, exact ? ending : "");
    *names = NULL;
    for (size_t i = fileset_lower_bound(files, prefix);
         i < files->count && str_starts(files->entries[i].path, prefix); i++) {
        const char *name = files->entries[i].path + strlen(folder);
        size_t len = strcspn(name, "/");
        if (strcmp(name + len, ending) != 0)
            continue;
        arena_push(arena, *names, count) = arena_memdup(arena, name, len);
    }
    return count;
}

size_t layer_names(const char ***names, struct arena *arena, const struct fileset *files)
{
    return layer_candidates(names, arena, files, &(struct layer_use){.name = {.text = "{"}});
}
