/* Strict YAML: one document read into nodes with positions, through libyaml's events. */
#include "data/yaml.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* Nodes of unfinished collections form one stack, innermost on top. */
struct yaml_reader {
    yaml_parser_t parser;
    struct yaml_doc *doc;
    struct arena *arena;
    struct yaml_node **stack;
    size_t count;
    size_t characters, bytes; /* the same position in both units: libyaml reports characters only */
    bool ascii;
    struct err *err;
};

static int fail_at(struct err *err, const struct yaml_doc *doc, size_t offset, const char *code,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Without a `doc` (NULL) the error has no place. */
static int fail_with(struct err *err, const struct yaml_doc *doc, size_t offset, const char *code,
                     const char *format, va_list args) __attribute__((format(printf, 5, 0)));

static int fail_with(struct err *err, const struct yaml_doc *doc, size_t offset, const char *code,
                     const char *format, va_list args)
{
    ARENA_SCRATCH(scratch);
    (void)err_set(err, TG_USAGE, code, "%s", arena_vprintf(&scratch, format, args));
    return doc ? err_at(err, doc->name, doc->source.ptr, doc->source.len, offset) : -1;
}

static int fail_at(struct err *err, const struct yaml_doc *doc, size_t offset, const char *code,
                   const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc = fail_with(err, doc, offset, code, format, args);
    va_end(args);
    return rc;
}

/* Whether YAML allows the character in a document (c-printable). */
static bool is_printable(uint32_t c)
{
    if (c < 0xA0)
        return c == '\t' || c == '\n' || c == '\r' || (c >= 0x20 && c < 0x7F) || c == 0x85;
    return (c < 0xD800) || (c >= 0xE000 && c != 0xFFFE && c != 0xFFFF && c <= 0x10FFFF);
}

static int refuse_character(struct err *err, const struct yaml_doc *doc, size_t offset, uint32_t c)
{
    if (c == 0)
        return fail_at(err, doc, offset, "invalid", "a NUL byte: the file must be text in UTF-8");
    if (c == UTF8_INVALID)
        return fail_at(err, doc, offset, "invalid", "not valid UTF-8 (byte 0x%02x)",
                       (unsigned char)doc->source.ptr[offset]);
    return fail_at(err, doc, offset, "invalid", "the character U+%04X is not allowed in YAML",
                   (unsigned)c);
}

/* Looks at every byte once, so that libyaml sees nothing that it would read in its own way. */
static int check_source(bool *ascii, const struct yaml_doc *doc, struct err *err)
{
    struct span text = doc->source;
    if (text.len >= 2 &&
        (memcmp(text.ptr, "\xFE\xFF", 2) == 0 || memcmp(text.ptr, "\xFF\xFE", 2) == 0)) {
        (void)fail_at(err, doc, 0, "invalid", "UTF-16 and UTF-32 are not accepted");
        return err_hint(err, "save the file as UTF-8");
    }
    *ascii = true;
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        unsigned char byte = (unsigned char)text.ptr[pos];
        if (byte >= 0x20 && byte < 0x7F) {
            pos++;
            continue;
        }
        *ascii &= byte < 0x80;
        uint32_t c = utf8_next(text, &pos);
        if (!is_printable(c))
            return refuse_character(err, doc, start, c);
    }
    return 0;
}

/* The byte at which character `index` begins. Marks mostly move forward, and so does the cursor. */
static size_t byte_offset(struct yaml_reader *reader, size_t index)
{
    struct span text = reader->doc->source;
    if (reader->ascii)
        return index < text.len ? index : text.len;
    if (index < reader->characters)
        reader->characters = reader->bytes = 0;
    while (reader->characters < index && reader->bytes < text.len) {
        reader->bytes++;
        while (reader->bytes < text.len && utf8_continues(text.ptr[reader->bytes]))
            reader->bytes++;
        reader->characters++;
    }
    return reader->bytes;
}

static size_t line_of(const struct yaml_doc *doc, size_t offset)
{
    size_t line = 1;
    for (size_t i = 0; i < offset; i++)
        line += doc->source.ptr[i] == '\n';
    return line;
}

static int syntax_error(struct yaml_reader *reader)
{
    yaml_parser_t *parser = &reader->parser;
    struct yaml_doc *doc = reader->doc;
    if (parser->error == YAML_MEMORY_ERROR)
        return err_set(reader->err, TG_RUNTIME, "memory", "out of memory");
    size_t offset = byte_offset(reader, parser->problem_mark.index);
    char byte = offset < doc->source.len ? doc->source.ptr[offset] : '\0';
    const char *problem = parser->problem ? parser->problem : "unreadable";
    if (byte == '\t' && strstr(problem, "cannot start any token"))
        return fail_at(reader->err, doc, offset, "invalid",
                       "not valid YAML: a tab cannot indent; use spaces");
    if (parser->context && parser->context_mark.line != parser->problem_mark.line)
        (void)fail_at(reader->err, doc, offset, "invalid",
                      "not valid YAML: %s (%s that begins on line %zu)", problem, parser->context,
                      parser->context_mark.line + 1);
    else
        (void)fail_at(reader->err, doc, offset, "invalid", "not valid YAML: %s", problem);
    if (strchr("@`%", byte) && strstr(problem, "cannot start any token"))
        return err_hint(reader->err, "put the text in quotes: a plain text cannot begin with '%c'",
                        byte);
    if (strstr(problem, "mapping values are not allowed"))
        return err_hint(reader->err, "put a text that holds ': ' in quotes");
    return -1;
}

static int next_event(yaml_event_t *event, struct yaml_reader *reader)
{
    yaml_event_delete(event);
    if (!yaml_parser_parse(&reader->parser, event))
        return syntax_error(reader);
    return 0;
}

#define SHOWN_BYTES 60 /* of a foreign text in a message */

/* The number of bytes of `text` that a message shows: whole characters only. */
static int shown(struct span text)
{
    size_t len = text.len;
    if (len > SHOWN_BYTES)
        for (len = SHOWN_BYTES; len && utf8_continues(text.ptr[len]); len--)
            ;
    return (int)len;
}

static int refuse_property(struct yaml_reader *reader, size_t offset, const char *what, char sign,
                           const char *text)
{
    return fail_at(reader->err, reader->doc, offset, "invalid", "%s ('%.*s%.*s') are not accepted",
                   what, sign != '\0', &sign, shown(span_from(text)), text);
}

/* Refuses anchors, aliases and tags. */
static int refuse_properties(const yaml_event_t *event, size_t offset, struct yaml_reader *reader)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    struct span source = reader->doc->source;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    } else if (event->type == YAML_ALIAS_EVENT) {
        const char *alias = (const char *)event->data.alias.anchor;
        return refuse_property(reader, offset, "aliases", '*', alias);
    }
    if (anchor)
        return refuse_property(reader, offset, "anchors", '&', (const char *)anchor);
    if (tag)
        return refuse_property(reader, offset, "tags", '\0', (const char *)tag);
    /* libyaml forgets the tag "!", but the node begins with it */
    if (offset < source.len && source.ptr[offset] == '!')
        return refuse_property(reader, offset, "tags", '!', "");
    return 0;
}

static void push(struct yaml_reader *reader, struct yaml_node *node)
{
    reader->stack = xgrow(reader->stack, reader->count, sizeof(*reader->stack));
    reader->stack[reader->count++] = node;
}

static int read_node(struct yaml_node **out, struct yaml_reader *reader, const yaml_event_t *event,
                     size_t depth);

static int fill_scalar(struct yaml_node *node, struct yaml_reader *reader,
                       const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t len = event->data.scalar.length;
    if (memchr(value, '\0', len))
        return yaml_error(reader->err, node, "a text cannot hold the NUL character ('\\0')");
    node->kind = YAML_SCALAR;
    node->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->text = span_of(arena_memdup(reader->arena, value, len), len);
    return 0;
}

static int fill_list(struct yaml_node *node, struct yaml_reader *reader, size_t depth)
{
    __attribute__((cleanup(yaml_event_delete))) yaml_event_t event = {0};
    size_t base = reader->count;
    for (;;) {
        struct yaml_node *item = NULL;
        if (next_event(&event, reader))
            return -1;
        if (event.type == YAML_SEQUENCE_END_EVENT)
            break;
        if (read_node(&item, reader, &event, depth))
            return -1;
        push(reader, item);
    }
    node->kind = YAML_LIST;
    node->list.count = reader->count - base;
    node->list.items = arena_array(reader->arena, node->list.count, sizeof(*node->list.items));
    if (node->list.count)
        memcpy(node->list.items, reader->stack + base,
               node->list.count * sizeof(*node->list.items));
    reader->count = base;
    return 0;
}

static int check_key(const struct yaml_node *key, struct err *err)
{
    if (key->kind != YAML_SCALAR) {
        (void)yaml_error(err, key, "a key must be a text, not %s",
                         key->kind == YAML_LIST ? "a list" : "a mapping");
        return err_hint(err, "put a text that begins with '{' or '[' in quotes");
    }
    if (key->plain && span_equal(key->text, span_from("<<")))
        return yaml_error(err, key, "merge keys ('<<') are not accepted");
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct yaml_node *x = *(struct yaml_node *const *)a, *y = *(struct yaml_node *const *)b;
    int order = span_compare(x->text, y->text);
    return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

/* Keeps the pair whose repeated key comes first in the document. */
static void note_duplicate(const struct yaml_node *pair[2], const struct yaml_node *first,
                           const struct yaml_node *again)
{
    if (pair[1] && pair[1]->offset <= again->offset)
        return;
    pair[0] = first;
    pair[1] = again;
}

#define FEW_KEYS 12 /* up to here, comparing every pair is fastest */

static void find_duplicate(const struct yaml_node *pair[2], const struct yaml_node *map)
{
    size_t count = map->map.count;
    const struct yaml_member *members = map->map.members;
    if (count <= FEW_KEYS) {
        for (size_t i = 1; i < count; i++)
            for (size_t j = 0; j < i; j++)
                if (span_equal(members[i].key->text, members[j].key->text))
                    note_duplicate(pair, members[j].key, members[i].key);
        return;
    }
    struct yaml_node **keys = xmalloc(count * sizeof(struct yaml_node *));
    for (size_t i = 0; i < count; i++)
        keys[i] = members[i].key;
    qsort(keys, count, sizeof(struct yaml_node *), by_name);
    for (size_t i = 1; i < count; i++)
        if (span_equal(keys[i]->text, keys[i - 1]->text))
            note_duplicate(pair, keys[i - 1], keys[i]);
    free(keys);
}

static int check_duplicates(const struct yaml_node *map, struct err *err)
{
    const struct yaml_node *pair[2] = {NULL, NULL};
    find_duplicate(pair, map);
    if (!pair[1])
        return 0;
    return yaml_error(err, pair[1], "duplicate key '%.*s' (first on line %zu)",
                      shown(pair[1]->text), pair[1]->text.ptr, line_of(map->doc, pair[0]->offset));
}

static int fill_map(struct yaml_node *node, struct yaml_reader *reader, size_t depth)
{
    __attribute__((cleanup(yaml_event_delete))) yaml_event_t event = {0};
    size_t base = reader->count;
    for (;;) {
        struct yaml_node *key = NULL, *value = NULL;
        if (next_event(&event, reader))
            return -1;
        if (event.type == YAML_MAPPING_END_EVENT)
            break;
        if (read_node(&key, reader, &event, depth) || check_key(key, reader->err))
            return -1;
        if (next_event(&event, reader) || read_node(&value, reader, &event, depth))
            return -1;
        push(reader, key);
        push(reader, value);
    }
    node->kind = YAML_MAP;
    node->map.count = (reader->count - base) / 2;
    node->map.members = arena_array(reader->arena, node->map.count, sizeof(*node->map.members));
    for (size_t i = 0; i < node->map.count; i++)
        node->map.members[i] = (struct yaml_member){.key = reader->stack[base + 2 * i],
                                                    .value = reader->stack[base + 2 * i + 1]};
    reader->count = base;
    return check_duplicates(node, reader->err);
}

/* `depth` is that of the collection around the node: 0 for the root. */
static int read_node(struct yaml_node **out, struct yaml_reader *reader, const yaml_event_t *event,
                     size_t depth)
{
    size_t offset = byte_offset(reader, event->start_mark.index);
    if (refuse_properties(event, offset, reader) || budget_check(reader->err) < 0)
        return -1;
    struct yaml_node *node = arena_alloc(reader->arena, sizeof(*node));
    node->offset = offset;
    node->doc = reader->doc;
    *out = node;
    if (event->type == YAML_SCALAR_EVENT)
        return fill_scalar(node, reader, event);
    if (depth == LIMIT_DOCUMENT_DEPTH)
        return fail_at(reader->err, reader->doc, offset, "limit",
                       "nested deeper than %zu levels, the limit", LIMIT_DOCUMENT_DEPTH);
    if (event->type == YAML_SEQUENCE_START_EVENT)
        return fill_list(node, reader, depth + 1);
    return fill_map(node, reader, depth + 1);
}

/* A document without content, or with an empty one ("---"), has no root. */
static int read_root(struct yaml_reader *reader, yaml_event_t *event)
{
    struct yaml_node *root = NULL;
    if (event->data.document_start.tag_directives.start !=
        event->data.document_start.tag_directives.end)
        return fail_at(reader->err, reader->doc, byte_offset(reader, event->start_mark.index),
                       "invalid", "tag directives ('%%TAG') are not accepted");
    if (next_event(event, reader) || read_node(&root, reader, event, 0))
        return -1;
    if (root && (root->kind != YAML_SCALAR || !root->plain || root->text.len))
        reader->doc->root = root;
    return next_event(event, reader); /* the document's end */
}

static int read_document(struct yaml_reader *reader)
{
    __attribute__((cleanup(yaml_event_delete))) yaml_event_t event = {0};
    /* the stream's start, then the document's, or the stream's end */
    if (next_event(&event, reader) || next_event(&event, reader))
        return -1;
    if (event.type == YAML_STREAM_END_EVENT)
        return 0;
    if (read_root(reader, &event) || next_event(&event, reader))
        return -1;
    if (event.type != YAML_STREAM_END_EVENT)
        return fail_at(reader->err, reader->doc, byte_offset(reader, event.start_mark.index),
                       "invalid", "a second document: only one is accepted");
    return 0;
}

static struct yaml_doc *doc_new(struct arena *arena, const char *name, struct span source)
{
    static const char bom[] = "\xEF\xBB\xBF";
    struct yaml_doc *doc = arena_alloc(arena, sizeof(*doc));
    if (source.len >= 3 && memcmp(source.ptr, bom, 3) == 0)
        source = span_of(source.ptr + 3, source.len - 3);
    doc->name = arena_strdup(arena, name);
    doc->source = span_of(arena_memdup(arena, source.ptr, source.len), source.len);
    return doc;
}

int yaml_parse(struct yaml_doc **out, struct arena *arena, const char *name, struct span source,
               struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct yaml_reader reader = {.arena = arena, .err = err};
    if (source.len > LIMIT_DOCUMENT_BYTES) {
        (void)err_set(err, TG_USAGE, "limit", "the file has %zu bytes; the limit is %zu",
                      source.len, LIMIT_DOCUMENT_BYTES);
        err->where.file = xstrdup(name);
        return -1;
    }
    reader.doc = doc_new(arena, name, source);
    if (budget_steps(budget_steps_of(source.len), err) < 0 ||
        check_source(&reader.ascii, reader.doc, err))
        return -1;
    if (!yaml_parser_initialize(&reader.parser))
        return err_set(err, TG_RUNTIME, "memory", "out of memory");
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)reader.doc->source.ptr,
                                 reader.doc->source.len);
    int rc = read_document(&reader);
    yaml_parser_delete(&reader.parser);
    free(reader.stack);
    if (rc == 0)
        *out = reader.doc;
    return rc;
}

int yaml_error(struct err *err, const struct yaml_node *node, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int rc =
        fail_with(err, node ? node->doc : NULL, node ? node->offset : 0, "invalid", format, args);
    va_end(args);
    return rc;
}

int yaml_blame(struct err *err, const struct yaml_node *node, const struct err *inner)
{
    (void)yaml_error(err, node, "%s", inner->message);
    err->exit = inner->exit;
    err->code = inner->code;
    return inner->hint ? err_hint(err, "%s", inner->hint) : -1;
}

int yaml_at(struct err *err, const struct yaml_node *node)
{
    return err_at(err, node->doc->name, node->doc->source.ptr, node->doc->source.len, node->offset);
}

int yaml_at_byte(struct err *err, const struct yaml_node *node, size_t byte)
{
    struct span source = node->doc->source;
    size_t start = node->offset + (node->plain ? 0 : 1); /* skip the quote */
    bool as_it_is = start <= source.len && node->text.len <= source.len - start &&
                    memcmp(source.ptr + start, node->text.ptr, node->text.len) == 0;
    return err_at(err, node->doc->name, source.ptr, source.len,
                  as_it_is ? start + byte : node->offset);
}

int yaml_over_limit(struct err *err, const struct yaml_node *node, size_t count, const char *what,
                    size_t limit)
{
    (void)yaml_error(err, node, "%zu %s are too many: the limit is %zu", count, what, limit);
    err->code = "limit";
    return -1;
}
