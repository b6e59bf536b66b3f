/* Packed rows of the files of matrices/: bytes that can be read without parsing YAML. */
#include "matrix/read/fields.h"

#include "base/arena.h"
#include "base/buf.h"
#include "data/yaml.h"
#include "matrix/facts.h"

#include <string.h>

/*
 * Format: the header's fields, then each section with the number of its rows and their fields. A
 * value is encoded by its kind. Numbers have 7 bits a byte, lowest first; the eighth bit means that
 * more follow. Texts have their size, including a NUL, before them (0: no text); lists have their
 * count before them. The same code packs and unpacks, so that both agree.
 */
struct codec {
    struct buf *out; /* packs into it; NULL: unpacks */
    const char *at;  /* the next byte to unpack */
    struct arena *arena;
    struct err *err;
};

static uint64_t code_number(struct codec *c, uint64_t number)
{
    if (c->out) {
        for (uint64_t left = number;; left >>= 7) {
            (void)buf_putc(c->out, (char)(left > 127 ? left | 128 : left));
            if (left <= 127)
                return number;
        }
    }
    number = 0;
    for (unsigned shift = 0;; shift += 7) {
        unsigned char byte = (unsigned char)*c->at++;
        number |= (uint64_t)(byte & 127) << shift;
        if (byte <= 127)
            return number;
    }
}

static void code_text(struct codec *c, const char **text)
{
    size_t size = code_number(c, c->out && *text ? strlen(*text) + 1 : 0);
    if (c->out) {
        if (size)
            (void)buf_append(c->out, *text, size);
        return;
    }
    *text = size ? c->at : NULL;
    c->at += size;
}

/* Allocates room for `count` items of `size` bytes, unless there is some already. */
static void *room(const struct codec *c, void *items, size_t count, size_t size)
{
    return c->out ? items : arena_array(c->arena, count + 1, size);
}

static void code_words(struct codec *c, struct words *words)
{
    words->count = code_number(c, words->count);
    words->items = room(c, words->items, words->count, sizeof *words->items);
    for (size_t i = 0; i < words->count; i++)
        code_text(c, &words->items[i]);
}

static void code_ccs(struct codec *c, struct ccs *ccs)
{
    ccs->count = code_number(c, ccs->count);
    ccs->items = room(c, ccs->items, ccs->count, sizeof *ccs->items);
    for (size_t i = 0; i < ccs->count; i++)
        ccs->items[i] = (int)code_number(c, (uint64_t)ccs->items[i]);
}

static void code_pairs(struct codec *c, struct pairs *pairs)
{
    pairs->count = code_number(c, pairs->count);
    pairs->items = room(c, pairs->items, pairs->count, sizeof *pairs->items);
    for (size_t i = 0; i < pairs->count; i++) {
        code_text(c, &pairs->items[i].name);
        code_text(c, &pairs->items[i].value);
    }
}

static int code_version(struct codec *c, struct version *version)
{
    code_text(c, &version->text);
    return !c->out && version->text ? version_parse(version, version->text) : 0;
}

static int code_spec(struct codec *c, struct spec *spec)
{
    code_text(c, &spec->text);
    return !c->out && spec->text ? spec_parse(spec, c->arena, spec->text, "", c->err) : 0;
}

static int code_fields(struct codec *c, const struct field *fields, void *row);

static int code_field(struct codec *c, const struct field *field, void *at)
{
    switch (field->kind) {
    case FIELD_TEXT:
        return code_text(c, at), 0;
    case FIELD_WORDS:
        return code_words(c, at), 0;
    case FIELD_CCS:
        return code_ccs(c, at), 0;
    case FIELD_PAIRS:
        return code_pairs(c, at), 0;
    case FIELD_INT:
        return *(int64_t *)at = (int64_t)code_number(c, (uint64_t) * (int64_t *)at), 0;
    case FIELD_BOOL:
        return *(bool *)at = code_number(c, *(bool *)at), 0;
    case FIELD_CC:
        return *(int *)at = (int)code_number(c, (uint64_t) * (int *)at), 0;
    case FIELD_CONFIDENCE:
        return *(enum confidence *)at = code_number(c, *(enum confidence *)at), 0;
    case FIELD_VERSION:
        return code_version(c, at);
    case FIELD_SPEC:
        return code_spec(c, at);
    case FIELD_PART:
        break;
    }
    return code_fields(c, field->part, at);
}

static int code_fields(struct codec *c, const struct field *fields, void *row)
{
    for (; fields->name; fields++)
        if (code_field(c, fields, (char *)row + fields->offset))
            return -1;
    return 0;
}

static int code_document(struct codec *c, const struct document *document, void *filled)
{
    if (code_fields(c, document->header, filled))
        return -1;
    for (const struct section *s = document->sections; s->name; s++) {
        struct rows *rows = (struct rows *)((char *)filled + s->offset);
        rows->count = code_number(c, rows->count);
        rows->capacity = rows->count + 1;
        rows->items = room(c, rows->items, rows->count, s->row_size);
        for (size_t i = 0; i < rows->count; i++) {
            void *row = (char *)rows->items + i * s->row_size;
            if (code_fields(c, fact_fields, row) || code_fields(c, s->fields, row))
                return -1;
        }
    }
    return 0;
}

int rows_pack(struct buf *out, const char *path, struct span text, struct err *err)
{
    ARENA_SCRATCH(arena);
    union {
        struct matrix matrix;
        struct framework framework;
    } filled = {0};
    struct codec c = {out, NULL, &arena, err};
    struct row_reader reader = {.arena = &arena};
    const struct document *document = document_of(path);
    struct yaml_doc *doc;
    if (!document)
        return err_set(err, TG_USAGE, "invalid", "'%s' is no file of a matrix", path);
    if (yaml_parse(&doc, &arena, path, text, err))
        return -1;
    if (!doc->root)
        return err_set(err, TG_USAGE, "invalid", "'%s' is empty", path);
    return document_read(&filled, document, &reader, doc->root, err) ||
                   code_document(&c, document, &filled)
               ? -1
               : 0;
}

int rows_unpack(void *out, const struct document *document, struct arena *arena, struct span bytes,
                struct err *err)
{
    struct codec c = {NULL, bytes.ptr, arena, err};
    if (code_document(&c, document, out) || c.at != bytes.ptr + bytes.len)
        return err_set(err, TG_RUNTIME, "invalid", "the built-in matrix is not what was built in");
    return 0;
}
