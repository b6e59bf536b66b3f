/* JSON: jansson reads; the writer is our own, because we decide what it escapes. */
#include "data/json.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "data/data.h"

#include <inttypes.h>
#include <jansson.h>
#include <malloc.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- writing */

static void put_escape(struct buf *out, uint32_t c)
{
    static const char names[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    for (size_t i = 0; i + 1 < sizeof(names); i += 2)
        if (c == (unsigned char)names[i]) {
            (void)buf_printf(out, "\\%c", names[i + 1]);
            return;
        }
    if (c >= 0x10000)
        (void)buf_printf(out, "\\u%04x\\u%04x", (unsigned)(0xD800 + ((c - 0x10000) >> 10)),
                         (unsigned)(0xDC00 + ((c - 0x10000) & 0x3FF)));
    else
        (void)buf_printf(out, "\\u%04x", (unsigned)c);
}

static void put_text(struct buf *out, struct span text)
{
    (void)buf_putc(out, '"');
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = utf8_next(text, &pos);
        if (c == UTF8_INVALID)
            put_escape(out, 0xFFFD);
        else if (c == '"' || c == '\\' || unicode_is_control(c) || unicode_is_hidden(c))
            put_escape(out, c);
        else
            (void)buf_append(out, text.ptr + start, pos - start);
    }
    (void)buf_putc(out, '"');
}

struct json_writer {
    struct buf *out;
    bool pretty;
};

static void put_break(const struct json_writer *writer, size_t depth)
{
    if (writer->pretty)
        (void)buf_printf(writer->out, "\n%*s", (int)(2 * depth), "");
}

static void put_value(const struct json_writer *writer, const struct data *data, size_t depth);

static void put_collection(const struct json_writer *writer, const struct data *data, size_t depth)
{
    bool list = data->kind == DATA_LIST;
    size_t count = list ? data->list.count : data->map.count;
    struct buf *out = writer->out;
    if (depth == JSON_WRITE_DEPTH)
        out->overflowed = true;
    (void)buf_putc(out, list ? '[' : '{');
    for (size_t i = 0; i < count && !out->overflowed; i++) {
        if (i > 0)
            (void)buf_putc(out, ',');
        put_break(writer, depth + 1);
        if (!list) {
            put_text(out, data->map.members[i].name);
            (void)buf_puts(out, writer->pretty ? ": " : ":");
        }
        put_value(writer, list ? data->list.items[i] : data->map.members[i].value, depth + 1);
    }
    if (count)
        put_break(writer, depth);
    (void)buf_putc(out, list ? ']' : '}');
}

static void put_value(const struct json_writer *writer, const struct data *data, size_t depth)
{
    struct buf *out = writer->out;
    switch (data->kind) {
    case DATA_NULL:
        (void)buf_puts(out, "null");
        break;
    case DATA_BOOL:
        (void)buf_puts(out, data->boolean ? "true" : "false");
        break;
    case DATA_INT:
        (void)buf_printf(out, "%" PRId64, data->integer);
        break;
    case DATA_FLOAT:
        out->overflowed |= !isfinite(data->real);
        (void)data_put_real(out, data->real);
        break;
    case DATA_STR:
        put_text(out, data->str);
        break;
    case DATA_LIST:
    case DATA_MAP:
        put_collection(writer, data, depth);
        break;
    }
}

int json_write(struct buf *out, const struct data *data, bool pretty)
{
    struct json_writer writer = {.out = out, .pretty = pretty};
    put_value(&writer, data, 0);
    return buf_putc(out, '\n');
}

/* ---------------------------------------------------------------- reading */

struct json_source {
    const char *name;
    struct span text;
    struct err *err;
};

static int fail_at(const struct json_source *doc, size_t offset)
{
    return err_at(doc->err, doc->name, doc->text.ptr, doc->text.len, offset);
}

/* The end of the string that begins at `at`, its closing quote included. */
static size_t string_end(struct span text, size_t at)
{
    for (at++; at < text.len && text.ptr[at] != '"'; at++)
        if (text.ptr[at] == '\\')
            at++;
    return at < text.len ? at + 1 : text.len;
}

static size_t skip(struct span text, size_t at, bool wanted, const char *set)
{
    while (at < text.len && (text.ptr[at] && strchr(set, text.ptr[at]) != NULL) == wanted)
        at++;
    return at;
}

/* The start of the first token at or behind `*pos`; moves `*pos` to its end. */
static size_t next_token(struct span text, size_t *pos)
{
    size_t start = skip(text, *pos, true, " \t\r\n"), end = start + 1;
    if (start < text.len && text.ptr[start] == '"')
        end = string_end(text, start);
    else if (start < text.len && !strchr("[]{},:", text.ptr[start]))
        end = skip(text, start, false, " \t\r\n[]{},:\"");
    *pos = end > start ? end : start + 1;
    return start;
}

/* Refuses documents that would make jansson recurse too deep. */
static int check_depth(const struct json_source *doc)
{
    size_t depth = 0;
    for (size_t pos = 0; pos < doc->text.len;) {
        size_t start = next_token(doc->text, &pos);
        char c = start < doc->text.len ? doc->text.ptr[start] : '\0';
        if (c == ']' || c == '}')
            depth -= depth > 0;
        if (c != '[' && c != '{')
            continue;
        if (++depth > LIMIT_DOCUMENT_DEPTH) {
            (void)err_set(doc->err, TG_USAGE, "limit", "nested deeper than %zu levels, the limit",
                          LIMIT_DOCUMENT_DEPTH);
            return fail_at(doc, start);
        }
    }
    return 0;
}

/* The start of the token to blame: jansson reports the position behind it. */
static size_t token_before(struct span text, size_t stop)
{
    size_t start = 0;
    for (size_t pos = 0; pos < stop && pos < text.len;) {
        size_t next = next_token(text, &pos);
        if (next < stop)
            start = next;
    }
    return start;
}

/* jansson's message without its excerpt, since ours shows the place. */
static const char *own_words(char *text, const json_error_t *error)
{
    enum json_error_code code = json_error_code(error);
    const char *near = strstr(error->text, " near ");
    size_t len = near ? (size_t)(near - error->text) : strlen(error->text);
    if (code == json_error_null_character || code == json_error_null_byte_in_key)
        return "a text cannot hold the NUL character ('\\u0000')";
    if (code == json_error_duplicate_key)
        return "duplicate key";
    memcpy(text, error->text, len);
    text[len] = '\0';
    if (code == json_error_premature_end_of_input && !strstr(text, "expected"))
        return "it ends too early";
    return text;
}

/* Whether jansson was refused memory: its messages for that vary, and do not name our limit. */
static _Thread_local bool starved;

static int syntax_error(const struct json_source *doc, const json_error_t *error)
{
    char text[JSON_ERROR_TEXT_LENGTH];
    enum json_error_code code = json_error_code(error);
    size_t stop = error->position > 0 ? (size_t)error->position : 0;
    if (starved)
        return budget_fail(doc->err);
    if (code == json_error_out_of_memory)
        return err_set(doc->err, TG_RUNTIME, "memory", "out of memory");
    (void)err_set(doc->err, TG_USAGE, "invalid", "not valid JSON: %s", own_words(text, error));
    if (code == json_error_premature_end_of_input)
        return fail_at(doc, doc->text.len);
    if (code == json_error_invalid_utf8)
        return fail_at(doc, stop);
    return fail_at(doc, token_before(doc->text, stop));
}

/* Checks for errors that jansson describes badly. */
static int check_text(const struct json_source *doc)
{
    size_t pos = 0;
    const char *nul = doc->text.len ? memchr(doc->text.ptr, '\0', doc->text.len) : NULL;
    if (nul) {
        (void)err_set(doc->err, TG_USAGE, "invalid", "a NUL byte: the document must be UTF-8");
        return fail_at(doc, (size_t)(nul - doc->text.ptr));
    }
    if (next_token(doc->text, &pos) < doc->text.len)
        return 0;
    (void)err_set(doc->err, TG_USAGE, "invalid", "not valid JSON: the document is empty");
    return fail_at(doc, 0);
}

/* Counts jansson's memory, and refuses it once the budget is spent. */
static void *counted_malloc(size_t size)
{
    starved = starved || account_is_spent();
    void *memory = starved ? NULL : malloc(size);
    if (memory)
        (void)account_take(malloc_usable_size(memory));
    return memory;
}

static void counted_free(void *memory)
{
    if (memory)
        account_give(malloc_usable_size(memory));
    free(memory);
}

static struct data *convert(struct arena *arena, json_t *json);

static struct data *convert_list(struct arena *arena, json_t *json)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < json_array_size(json); i++)
        data_push(arena, list, convert(arena, json_array_get(json, i)));
    return list;
}

static struct data *convert_map(struct arena *arena, json_t *json)
{
    struct data *map = data_map(arena);
    for (void *at = json_object_iter(json); at; at = json_object_iter_next(json, at))
        data_append(arena, map, span_from(json_object_iter_key(at)),
                    convert(arena, json_object_iter_value(at)));
    return map;
}

/* Converts to a null once the budget is spent; json_parse_large reports that. */
static struct data *convert(struct arena *arena, json_t *json)
{
    if (account_is_spent())
        return data_null(arena);
    switch (json_typeof(json)) {
    case JSON_TRUE:
    case JSON_FALSE:
        return data_bool(arena, json_is_true(json));
    case JSON_INTEGER:
        return data_int(arena, json_integer_value(json));
    case JSON_REAL:
        return data_float(arena, json_real_value(json));
    case JSON_STRING:
        return data_span(arena, span_of(json_string_value(json), json_string_length(json)));
    case JSON_ARRAY:
        return convert_list(arena, json);
    case JSON_OBJECT:
        return convert_map(arena, json);
    case JSON_NULL:
        break;
    }
    return data_null(arena);
}

int json_parse(struct data **out, struct arena *arena, const char *name, struct span source,
               struct err *err)
{
    return json_parse_large(out, arena, name, source, LIMIT_DOCUMENT_BYTES, err);
}

int json_parse_large(struct data **out, struct arena *arena, const char *name, struct span source,
                     size_t max, struct err *err)
{
    static const char bom[] = "\xEF\xBB\xBF";
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    json_error_t error;
    if (source.len >= 3 && memcmp(source.ptr, bom, 3) == 0)
        source = span_of(source.ptr + 3, source.len - 3);
    struct json_source doc = {.name = name, .text = source, .err = err};
    if (source.len > max) {
        (void)err_set(err, TG_USAGE, "limit", "the document has %zu bytes; the limit is %zu",
                      source.len, max);
        err->where.file = xstrdup(name);
        return -1;
    }
    if (check_text(&doc) || check_depth(&doc))
        return -1;
    json_set_alloc_funcs(counted_malloc, counted_free);
    starved = false;
    json_t *json = json_loadb(source.len ? source.ptr : "", source.len,
                              JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!json)
        return syntax_error(&doc, &error);
    *out = convert(arena, json);
    json_decref(json);
    return budget_check(err);
}
