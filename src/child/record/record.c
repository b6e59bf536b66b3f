/* The record of a child, `.tmplgen.yml`: what the child was made from. */
#include "child/record.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/sha.h"
#include "catalog/origin.h"
#include "data/document.h"
#include "data/json.h"
#include "data/yaml.h"

#include <string.h>

static const char head[] =
    "# What this project was made from. tmplgen writes this file and reads it to update the "
    "project:\n"
    "# commit it. You may edit `yours`: paths (globs) that updates leave alone.\n";

static struct data *or_null(struct arena *arena, const struct data *data)
{
    return data ? data_copy(arena, data) : data_null(arena);
}

/* Writes them only where there are any, so that records of other catalogs hash as before. */
static void put_extended(struct arena *arena, struct data *map, const struct catalog_origin *origin)
{
    struct data *commits = data_list(arena);
    for (; origin; origin = origin->extends)
        data_push(arena, commits, data_str(arena, origin->commit));
    if (commits->list.count)
        data_put(arena, map, "extends", commits);
}

void record_hash_inputs(char inputs[65], const struct record *record, struct span overlay)
{
    ARENA_SCRATCH(scratch);
    BUF_SCRATCH(text, 2 * LIMIT_RENDERED_BYTES);
    char overlay_hash[65];
    sha256_hex(overlay_hash, overlay.ptr, overlay.len);
    struct data *map =
        data_of(&scratch, FIELD("answers", or_null(&scratch, record->answers)),
                FIELD("commit", record->catalog.commit), FIELD("engine", record->engine),
                FIELD("overlay", overlay.len ? overlay_hash : NULL),
                FIELD("request", or_null(&scratch, record->request)),
                FIELD("resolution", or_null(&scratch, record->resolution)),
                FIELD("template", record->type), FIELD("tree", record->tree));
    put_extended(&scratch, map, record->catalog.extends);
    (void)json_write(&text, data_sorted(&scratch, map), false);
    sha256_hex(inputs, buf_text(&text), text.len);
}

bool record_is_genuine(const struct record *record, struct span overlay)
{
    char inputs[65];
    record_hash_inputs(inputs, record, overlay);
    return strcmp(inputs, record->inputs) == 0;
}

int record_format(struct buf *out, const struct record *record)
{
    ARENA_SCRATCH(scratch);
    struct data *map = data_of(
        &scratch, FIELD("schema", RECORD_SCHEMA),
        FIELD("catalog", origin_record(&scratch, &record->catalog)),
        FIELD("template", record->type), FIELD("answers", or_null(&scratch, record->answers)),
        FIELD("request", or_null(&scratch, record->request)),
        FIELD("resolution", or_null(&scratch, record->resolution)),
        FIELD("render", data_of(&scratch, FIELD("tree", record->tree),
                                FIELD("inputs", record->inputs), FIELD("engine", record->engine))),
        FIELD("yours", data_texts(&scratch, record->yours.items, record->yours.count)));
    if (buf_puts(out, head) < 0)
        return -1;
    return yaml_write(out, map, 0);
}

int record_text(struct span *out, struct arena *arena, const struct record *record, struct err *err)
{
    BUF_SCRATCH(text, LIMIT_DOCUMENT_BYTES);
    if (record_format(&text, record) < 0)
        return err_set(err, TG_USAGE, "limit", "the record is larger than %zu bytes",
                       LIMIT_DOCUMENT_BYTES);
    *out = span_of(arena_memdup(arena, buf_text(&text), text.len), text.len);
    return 0;
}

bool record_is_same(const struct record *a, const struct record *b)
{
    BUF_SCRATCH(left, LIMIT_DOCUMENT_BYTES);
    BUF_SCRATCH(right, LIMIT_DOCUMENT_BYTES);
    return record_format(&left, a) == 0 && record_format(&right, b) == 0 &&
           strcmp(buf_text(&left), buf_text(&right)) == 0;
}

/* Reading: one function for each part, all with the same error text for a bad record. */
static int read_origin(struct catalog_origin *out, const struct yaml_node *node, struct err *err)
{
    static const char *const keys[] = {"source", "ref", "commit", "version", "extends", NULL};
    struct {
        const char *key;
        const char **value;
    } texts_of[] = {{"source", &out->source},
                    {"ref", &out->ref},
                    {"commit", &out->commit},
                    {"version", &out->version}};
    if (yaml_check_keys(node, keys, err) < 0)
        return -1;
    for (size_t i = 0; i < sizeof(texts_of) / sizeof(*texts_of); i++) {
        const struct yaml_node *value = yaml_get(node, texts_of[i].key);
        if (value && !yaml_is_null(value) &&
            yaml_text(texts_of[i].value, value, texts_of[i].key, err) < 0)
            return -1;
    }
    if (!out->source || !out->version)
        return yaml_error(err, node, "'%s' is missing", out->source ? "version" : "source");
    return 0;
}

/* Reads the catalog and those that it extends: each is a mapping in the one before. */
static int read_catalog(struct record *out, struct arena *arena, const struct yaml_node *root,
                        struct err *err)
{
    const struct yaml_node *node = yaml_get(root, "catalog");
    struct catalog_origin *origin = &out->catalog;
    if (!node)
        return yaml_error(err, root, "'catalog' is missing");
    for (size_t count = 1;; count++) {
        if (count > LIMIT_CATALOGS)
            return yaml_over_limit(err, node, count, "catalogs that extend each other",
                                   LIMIT_CATALOGS);
        if (read_origin(origin, node, err) < 0)
            return -1;
        if (!(node = yaml_get(node, "extends")))
            return 0;
        struct catalog_origin *extended = arena_alloc(arena, sizeof(*extended));
        origin->extends = extended;
        origin = extended;
    }
}

static int copy_hex(char *out, size_t digits, const struct yaml_node *node, const char *what,
                    struct err *err)
{
    const char *text = NULL;
    if (yaml_text(&text, node, what, err) < 0)
        return -1;
    if (!text || strlen(text) != digits || strspn(text, "0123456789abcdef") != digits)
        return yaml_error(err, node, "'%s' must be %zu hexadecimal digits", what, digits);
    memcpy(out, text, digits + 1);
    return 0;
}

static int read_render(struct record *out, const struct yaml_node *root, struct err *err)
{
    static const char *const keys[] = {"tree", "inputs", "engine", NULL};
    const struct yaml_node *node = yaml_get(root, "render");
    int64_t engine = 0;
    if (!node)
        return yaml_error(err, root, "'render' is missing");
    if (yaml_check_keys(node, keys, err) < 0)
        return -1;
    for (size_t i = 0; keys[i]; i++)
        if (!yaml_get(node, keys[i]))
            return yaml_error(err, node, "'%s' is missing", keys[i]);
    if (copy_hex(out->tree, 40, yaml_get(node, "tree"), "tree", err) < 0 ||
        copy_hex(out->inputs, 64, yaml_get(node, "inputs"), "inputs", err) < 0 ||
        yaml_int(&engine, yaml_get(node, "engine"), "engine", err) < 0)
        return -1;
    if (engine < 1 || engine > 1000000)
        return yaml_error(err, yaml_get(node, "engine"), "'engine' is out of range");
    out->engine = (int)engine;
    return 0;
}

static int read_map(const struct data **out, const struct yaml_node **node_out, struct arena *arena,
                    const struct yaml_node *root, const char *key, struct err *err)
{
    const struct yaml_node *node = yaml_get(root, key);
    *out = NULL;
    if (!node || yaml_is_null(node))
        return 0;
    if (node->kind != YAML_MAP)
        return yaml_error(err, node, "'%s' must be a mapping", key);
    *out = yaml_to_data(arena, node);
    if (node_out)
        *node_out = node;
    return 0;
}

static int check_schema(const struct yaml_node *root, struct err *err)
{
    const struct yaml_node *node = yaml_get(root, "schema");
    int64_t schema = 0;
    if (!node)
        return yaml_error(err, root, "'schema' is missing");
    if (yaml_int(&schema, node, "schema", err) < 0)
        return -1;
    if (schema == RECORD_SCHEMA)
        return 0;
    (void)yaml_error(err, node, "this tmplgen reads records of schema %d, not %lld", RECORD_SCHEMA,
                     (long long)schema);
    return err_hint(err, "install a newer tmplgen");
}

static int read_record(struct record *out, struct arena *arena, const struct yaml_node *root,
                       struct err *err)
{
    static const char *const keys[] = {"schema",     "catalog", "template", "answers", "request",
                                       "resolution", "render",  "yours",    NULL};
    if (root->kind != YAML_MAP)
        return yaml_error(err, root, "a record must be a mapping");
    if (check_schema(root, err) < 0 || yaml_check_keys(root, keys, err) < 0 ||
        read_catalog(out, arena, root, err) < 0 ||
        yaml_text(&out->type, yaml_get(root, "template"), "template", err) < 0)
        return -1;
    if (!out->type)
        return yaml_error(err, root, "'template' is missing");
    if (read_map(&out->answers, &out->answers_node, arena, root, "answers", err) < 0 ||
        read_map(&out->request, &out->request_node, arena, root, "request", err) < 0 ||
        read_map(&out->resolution, NULL, arena, root, "resolution", err) < 0 ||
        read_render(out, root, err) < 0)
        return -1;
    if (!out->answers)
        return yaml_error(err, root, "'answers' is missing");
    const struct yaml_node *yours = yaml_get(root, "yours");
    if (yours && yours->kind == YAML_LIST && yours->list.count > LIMIT_GLOBS)
        return yaml_over_limit(err, yours, yours->list.count, "globs of 'yours'", LIMIT_GLOBS);
    bool text = yours && yours->kind == YAML_SCALAR && yours->text.len;
    if (yaml_texts(&out->yours, arena, yours, "yours", err) < 0)
        return text ? err_hint(err, "it is a list of globs, such as yours: [\"docs/**\"]") : -1;
    return 0;
}

const char *record_idle_glob(const struct record *record)
{
    for (size_t i = 0; i < record->yours.count; i++) {
        const char *glob = record->yours.items[i];
        if (!*glob || str_starts(glob, "/") || str_starts(glob, "./") || str_starts(glob, "../") ||
            str_ends(glob, "/"))
            return glob;
    }
    return NULL;
}

int record_parse(struct record *out, struct arena *arena, const char *name, struct span text,
                 struct err *err)
{
    struct yaml_doc *doc;
    *out = (struct record){0};
    int rc = yaml_parse(&doc, arena, name, text, err);
    if (rc == 0 && !doc->root) {
        (void)err_set(err, TG_USAGE, "invalid-record", "the record is empty");
        rc = err_at(err, name, text.ptr, text.len, 0);
    }
    if (rc == 0)
        rc = read_record(out, arena, doc->root, err);
    if (rc < 0)
        err->code = "invalid-record";
    return rc;
}
