/* Reads rows of YAML into structs, strictly, as described by tables of fields. */
#include "matrix/read/fields.h"

#include "base/arena.h"
#include "base/buf.h"
#include "data/yaml.h"
#include "matrix/facts.h"

#include <ctype.h>
#include <string.h>

#define FIELDS_MAX 32
#define SOURCE_MAX 4096
#define OVERLAY_SOURCE "the overlay .tmplgen-matrix.yml"

/* 86 for "8.6", or 0. */
static int cc_parse(const char *text)
{
    int major = 0, digits = 0;
    for (; isdigit((unsigned char)*text) && digits < 3; text++, digits++)
        major = major * 10 + (*text - '0');
    if (!digits || text[0] != '.' || !isdigit((unsigned char)text[1]) || text[2])
        return 0;
    return major * 10 + (text[1] - '0');
}

static int read_ccs(struct ccs *out, struct arena *arena, const struct yaml_node *node,
                    const char *text, struct err *err)
{
    struct words words = words_read(arena, text);
    if (!words.count)
        return yaml_error(err, node, "no compute capability is named");
    out->items = arena_array(arena, words.count + 1, sizeof *out->items);
    for (out->count = 0; out->count < words.count; out->count++) {
        int cc = cc_parse(words.items[out->count]);
        if (!cc)
            return yaml_error(err, node, "'%s' is no compute capability such as 8.6",
                              words.items[out->count]);
        out->items[out->count] = cc;
    }
    return 0;
}

static int read_choice(const char *const *choices, const struct yaml_node *node, const char *text,
                       const char *what, struct err *err)
{
    size_t count = 0;
    for (; choices[count]; count++)
        if (str_equal(choices[count], text))
            return (int)count;
    const char *near = str_nearest(text, choices, count);
    yaml_error(err, node, "'%s' is no %s", text, what);
    return near ? err_hint(err, "did you mean '%s'?", near) : -1;
}

static int read_text(void *at, const struct field *field, const struct row_reader *reader,
                     const struct yaml_node *node, const char *text, struct err *err)
{
    switch (field->kind) {
    case FIELD_TEXT:
        if (field->choices && read_choice(field->choices, node, text, field->name, err) < 0)
            return -1;
        *(const char **)at = text;
        return 0;
    case FIELD_VERSION:
        if (version_parse(at, text))
            return yaml_error(err, node, "%s: '%s' is no version", field->name, text);
        return 0;
    case FIELD_SPEC:
        if (spec_parse(at, reader->arena, text, field->name, err) || !((struct spec *)at)->count)
            return yaml_error(err, node, "%s: '%s' is no version or SPEC", field->name, text);
        return 0;
    case FIELD_WORDS:
        *(struct words *)at = words_read(reader->arena, text);
        return 0;
    case FIELD_CCS:
        return read_ccs(at, reader->arena, node, text, err);
    case FIELD_CC:
        *(int *)at = cc_parse(text);
        if (!*(int *)at)
            return yaml_error(err, node, "'%s' is no compute capability such as 8.6", text);
        return 0;
    default: {
        int choice = read_choice(confidence_names, node, text, "confidence", err);
        if (choice >= 0)
            *(enum confidence *)at = (enum confidence)choice;
        return choice < 0 ? -1 : 0;
    }
    }
}

static int read_pairs(struct pairs *out, const struct field *field, struct arena *arena,
                      const struct yaml_node *node, struct err *err)
{
    if (node->kind != YAML_MAP)
        return yaml_error(err, node, "%s must be a mapping", field->name);
    out->items = arena_array(arena, node->map.count + 1, sizeof *out->items);
    for (out->count = 0; out->count < node->map.count; out->count++) {
        const struct yaml_member *member = &node->map.members[out->count];
        if (member->value->kind != YAML_SCALAR)
            return yaml_error(err, member->value, "%s: must be a text or a number",
                              member->key->text.ptr);
        out->items[out->count] =
            (struct pair){member->key->text.ptr, member->value->text.ptr, member};
    }
    return 0;
}

static int read_map(void *out, const struct field *fields, const struct field *more,
                    const struct row_reader *reader, const struct yaml_node *map, struct err *err);

/* Checks a text for tables and one-line messages; a YAML block ends in a newline. */
static int check_line(const char *text, const char *what, const struct yaml_node *node,
                      struct err *err)
{
    const char *end = strchr(text, '\n');
    return end && end[strspn(end, "\n")] ? yaml_error(err, node, "'%s' must be one line", what) : 0;
}

static int read_field(void *out, const struct field *field, const struct row_reader *reader,
                      const struct yaml_node *node, struct err *err)
{
    void *at = (char *)out + field->offset;
    const char *text = NULL;
    switch (field->kind) {
    case FIELD_INT:
        return yaml_int(at, node, field->name, err);
    case FIELD_BOOL:
        return yaml_bool(at, node, field->name, err);
    case FIELD_PAIRS:
        return read_pairs(at, field, reader->arena, node, err);
    case FIELD_PART:
        return read_map(at, field->part, NULL, reader, node, err);
    default:
        if (yaml_text(&text, node, field->name, err) || check_line(text, field->name, node, err))
            return -1;
        return read_text(at, field, reader, node, text, err);
    }
}

static const struct field *find_field(const struct field *fields, struct span name)
{
    for (; fields->name; fields++)
        if (span_equal(name, span_from(fields->name)))
            return fields;
    return NULL;
}

static int unknown_key(const struct field *fields, const struct field *more,
                       const struct yaml_node *key, struct err *err)
{
    const char *names[FIELDS_MAX];
    size_t count = 0;
    for (const struct field *f = fields; f->name && count < FIELDS_MAX; f++)
        names[count++] = f->name;
    for (const struct field *f = more; f && f->name && count < FIELDS_MAX; f++)
        names[count++] = f->name;
    const char *near = str_nearest(key->text.ptr, names, count);
    yaml_error(err, key, "unknown key '%s'", key->text.ptr);
    return near ? err_hint(err, "did you mean '%s'?", near) : -1;
}

static int check_required(const struct field *fields, const struct yaml_node *map, struct err *err)
{
    for (; fields->name; fields++)
        if (fields->required && !yaml_get(map, fields->name))
            return yaml_error(err, map, "'%s' is missing", fields->name);
    return 0;
}

static int read_map(void *out, const struct field *fields, const struct field *more,
                    const struct row_reader *reader, const struct yaml_node *map, struct err *err)
{
    if (map->kind != YAML_MAP)
        return yaml_error(err, map, "must be a mapping");
    for (size_t i = 0; i < map->map.count; i++) {
        const struct yaml_node *key = map->map.members[i].key;
        const struct field *field = find_field(fields, key->text);
        if (!field && more)
            field = find_field(more, key->text);
        if (!field)
            return unknown_key(fields, more, key, err);
        if (read_field(out, field, reader, map->map.members[i].value, err))
            return -1;
    }
    if (check_required(fields, map, err))
        return -1;
    return more && !reader->overlay ? check_required(more, map, err) : 0;
}

/* Replaces the keys in `source` by the texts of the file's table. */
static int resolve_sources(struct fact *fact, const struct row_reader *reader, struct err *err)
{
    const struct yaml_node *node = yaml_get(fact->node, "source");
    if (!node) {
        fact->source = OVERLAY_SOURCE;
        return 0;
    }
    struct words keys = words_read(reader->arena, fact->source);
    if (!keys.count)
        return yaml_error(err, node, "source is empty");
    BUF_SCRATCH(joined, SOURCE_MAX);
    for (size_t i = 0; i < keys.count; i++) {
        const struct yaml_node *text = yaml_get(reader->sources, keys.items[i]);
        if (!text)
            return yaml_error(err, node, "no source '%s' in 'sources'", keys.items[i]);
        buf_printf(&joined, "%s%s", i ? "; " : "", text->text.ptr);
    }
    if (joined.overflowed)
        return yaml_error(err, node, "too many sources");
    fact->source = keys.count == 1 ? yaml_get(reader->sources, keys.items[0])->text.ptr
                                   : arena_strdup(reader->arena, buf_text(&joined));
    return 0;
}

/* Replaces a note of one word by the text of the file's table. */
static int resolve_note(struct fact *fact, const struct row_reader *reader, struct err *err)
{
    const struct yaml_node *text = fact->note ? yaml_get(reader->texts, fact->note) : NULL;
    if (text)
        fact->note = text->text.ptr;
    else if (fact->note && !reader->overlay && !strchr(fact->note, ' '))
        return yaml_error(err, yaml_get(fact->node, "note"), "no text '%s' in 'texts'", fact->note);
    return 0;
}

/* 2026-07 or 2026-07-15. */
static bool is_date(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    size_t i = 0;
    for (; text[i] && form[i]; i++)
        if (form[i] == 'd' ? !isdigit((unsigned char)text[i]) : text[i] != '-')
            return false;
    if (text[i] || (i != 7 && i != 10))
        return false;
    int month = (text[5] - '0') * 10 + (text[6] - '0');
    int day = i == 7 ? 1 : (text[8] - '0') * 10 + (text[9] - '0');
    return month >= 1 && month <= 12 && day >= 1 && day <= 31;
}

static bool same_value(const struct field *field, const void *a, const void *b)
{
    const void *x = (const char *)a + field->offset, *y = (const char *)b + field->offset;
    switch (field->kind) {
    case FIELD_INT:
        return *(const int64_t *)x == *(const int64_t *)y;
    case FIELD_CC:
        return *(const int *)x == *(const int *)y;
    case FIELD_VERSION:
        return str_equal(((const struct version *)x)->text, ((const struct version *)y)->text);
    case FIELD_SPEC:
        return str_equal(((const struct spec *)x)->text, ((const struct spec *)y)->text);
    default:
        return str_equal(*(const char *const *)x, *(const char *const *)y);
    }
}

/* The row before `row` with the same key, or NULL. */
static void *row_of_key(const struct rows *rows, const struct section *section, const void *row)
{
    const struct field *key = find_field(section->fields, span_from(section->key));
    for (size_t i = 0; i < rows->count; i++) {
        void *other = (char *)rows->items + i * section->row_size;
        if (same_value(key, row, other))
            return other;
    }
    return NULL;
}

static void *room(struct rows *rows, size_t row_size, size_t more, struct arena *arena)
{
    if (rows->count + more > rows->capacity) {
        size_t capacity = rows->count + more;
        void *items = arena_array(arena, capacity, row_size);
        if (rows->count)
            memcpy(items, rows->items, rows->count * row_size);
        rows->items = items;
        rows->capacity = capacity;
    }
    return (char *)rows->items + rows->count * row_size;
}

static int read_row(struct rows *rows, const struct section *section,
                    const struct row_reader *reader, const struct yaml_node *map, struct err *err)
{
    struct fact *row = room(rows, section->row_size, 1, reader->arena);
    memset(row, 0, section->row_size);
    row->node = map;
    row->overlaid = reader->overlay;
    if (read_map(row, section->fields, fact_fields, reader, map, err) ||
        resolve_sources(row, reader, err) || resolve_note(row, reader, err))
        return -1;
    if (row->as_of && !is_date(row->as_of))
        return yaml_error(err, yaml_get(map, "as_of"), "as_of must be YYYY-MM or YYYY-MM-DD");
    struct fact *same = section->key ? row_of_key(rows, section, row) : NULL;
    if (!same) {
        rows->count++;
        return 0;
    }
    if (!reader->overlay || same->overlaid)
        return yaml_error(err, yaml_get(map, section->key), "a second row of %s %s", section->key,
                          yaml_get(map, section->key)->text.ptr);
    memcpy(same, row, section->row_size);
    return 0;
}

static int read_rows(struct rows *rows, const struct section *section,
                     const struct row_reader *reader, const struct yaml_node *list, struct err *err)
{
    if (!list)
        return 0;
    if (list->kind != YAML_LIST)
        return yaml_error(err, list, "'%s' must be a list of rows", section->name);
    room(rows, section->row_size, list->list.count, reader->arena);
    struct named_rows own = {.section = section, .list = list};
    struct named_rows curated = {.section = section,
                                 .list = yaml_get(reader->curated, section->name)};
    for (size_t i = 0; i < list->list.count; i++) {
        const struct yaml_node *row = list->list.items[i];
        if (((section->key || section->words) &&
             derived_rows_expand(&row, reader->arena, &own, &curated, row, err)) ||
            read_row(rows, section, reader, row, err))
            return -1;
    }
    return 0;
}

const struct section *section_find(const struct section *sections, struct span name)
{
    for (; sections->name; sections++)
        if (span_equal(name, span_from(sections->name)))
            return sections;
    return NULL;
}

/* Reports an unknown key, with all keys of the document. */
static int unknown_document_key(const struct document *document, const struct yaml_node *key,
                                struct err *err)
{
    struct field names[FIELDS_MAX] = {{.name = "sources"}, {.name = "texts"}};
    size_t count = 2;
    for (const struct section *s = document->sections; s->name && count < FIELDS_MAX - 1; s++)
        names[count++].name = s->name;
    return unknown_key(document->header, names, key, err);
}

static int read_table(const struct yaml_node **out, const struct yaml_node *root, const char *name,
                      struct err *err)
{
    const struct yaml_node *table = yaml_get(root, name);
    if (!table)
        return 0;
    if (table->kind != YAML_MAP)
        return yaml_error(err, table, "'%s' must be a mapping of keys to texts", name);
    for (size_t i = 0; i < table->map.count; i++) {
        const struct yaml_member *member = &table->map.members[i];
        const char *text = NULL, *key = member->key->text.ptr;
        if (yaml_text(&text, member->value, key, err) || check_line(text, key, member->value, err))
            return -1;
    }
    *out = table;
    return 0;
}

int tables_read(struct row_reader *reader, const struct yaml_node *root, struct err *err)
{
    return read_table(&reader->sources, root, "sources", err) ||
                   read_table(&reader->texts, root, "texts", err)
               ? -1
               : 0;
}

int document_read(void *out, const struct document *document, struct row_reader *reader,
                  const struct yaml_node *root, struct err *err)
{
    if (root->kind != YAML_MAP)
        return yaml_error(err, root, "must be a mapping");
    if (tables_read(reader, root, err))
        return -1;
    for (size_t i = 0; i < root->map.count; i++) {
        const struct yaml_node *key = root->map.members[i].key;
        const struct yaml_node *value = root->map.members[i].value;
        const struct section *section = section_find(document->sections, key->text);
        const struct field *field = find_field(document->header, key->text);
        if (section) {
            if (read_rows((struct rows *)((char *)out + section->offset), section, reader, value,
                          err))
                return -1;
        } else if (field) {
            if (read_field(out, field, reader, value, err))
                return -1;
        } else if (!span_equal(key->text, span_from("sources")) &&
                   !span_equal(key->text, span_from("texts"))) {
            return unknown_document_key(document, key, err);
        }
    }
    return reader->overlay ? 0 : check_required(document->header, root, err);
}
