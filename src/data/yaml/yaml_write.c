/* Data as YAML text: block form for files, flow form for one line. */
#include "base/buf.h"
#include "base/limits.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "data/data.h"
#include "data/yaml.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>

/* Readers search this far for the ':' behind a key; longer keys are written with '?'. */
#define KEY_BYTES_MAX 1000

/* Words that some reader, of YAML 1.1 or 1.2, takes for something other than text. */
static bool is_reserved(struct span text)
{
    static const char *const words[] = {"y",    "n",  "yes", "no",  "true",     "false",
                                        "null", "on", "off", "nan", "infinity", "inf"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (text.len == strlen(words[i]) && strncasecmp(text.ptr, words[i], text.len) == 0)
            return true;
    return false;
}

static bool is_word(char c)
{
    return str_digit(c) < 36 || (c && strchr("_-./+@=()", c));
}

/*
 * Whether `text` needs no quotes: it begins with a letter or '/', is no reserved word, and holds
 * only ASCII without a meaning in YAML. Between such characters a blank may stand, and outside flow
 * collections also ':' and ','.
 */
static bool is_plain(struct span text, bool flow)
{
    if (!text.len ||
        (str_digit(text.ptr[0]) < 10 || (str_digit(text.ptr[0]) >= 36 && text.ptr[0] != '/')) ||
        is_reserved(text))
        return false;
    for (size_t i = 1; i < text.len; i++) {
        char c = text.ptr[i], next = i + 1 < text.len ? text.ptr[i + 1] : '\0';
        bool blank = c == ' ' || (c == ',' && !flow && next == ' ');
        bool colon = c == ':' && !flow;
        if (!is_word(c) && !(blank && (is_word(next) || c == ',')) && !(colon && is_word(next)))
            return false;
    }
    return true;
}

static int put_escape(struct buf *out, uint32_t c)
{
    if (c == '\n')
        return buf_puts(out, "\\n");
    if (c == '\t')
        return buf_puts(out, "\\t");
    if (c == '\r')
        return buf_puts(out, "\\r");
    if (c < 0x100)
        return buf_printf(out, "\\x%02X", (unsigned)c);
    return buf_printf(out, c < 0x10000 ? "\\u%04X" : "\\U%08X", (unsigned)c);
}

/* Invisible characters, line breaks, and characters that YAML forbids. */
static bool needs_escape(uint32_t c)
{
    return unicode_is_control(c) || unicode_is_hidden(c) || c == 0xA0 || c == 0x2028 ||
           c == 0x2029 || c == 0xFEFF || c == 0xFFFE || c == 0xFFFF;
}

static int put_quoted(struct buf *out, struct span text)
{
    (void)buf_putc(out, '"');
    for (size_t pos = 0; pos < text.len;) {
        size_t start = pos;
        uint32_t c = utf8_next(text, &pos);
        if (c == UTF8_INVALID)
            (void)put_escape(out, 0xFFFD);
        else if (c == '"' || c == '\\')
            (void)buf_printf(out, "\\%c", (char)c);
        else if (needs_escape(c))
            (void)put_escape(out, c);
        else
            (void)buf_append(out, text.ptr + start, pos - start);
    }
    return buf_putc(out, '"');
}

static int put_text(struct buf *out, struct span text, bool flow)
{
    if (is_plain(text, flow))
        return buf_append(out, text.ptr, text.len);
    return put_quoted(out, text);
}

/* As Python's repr, but always with a point: YAML 1.1 takes 1e+16 for a text. */
static int put_float(struct buf *out, double value)
{
    if (isnan(value) || isinf(value))
        return buf_puts(out, isnan(value) ? ".nan" : value < 0 ? "-.inf" : ".inf");
    BUF_SCRATCH(text, 64);
    (void)data_put_real(&text, value);
    size_t head = strcspn(buf_text(&text), "e");
    (void)buf_append(out, text.ptr, head);
    if (!memchr(text.ptr, '.', head))
        (void)buf_puts(out, ".0");
    return buf_puts(out, text.ptr + head);
}

static int put_scalar(struct buf *out, const struct data *data, bool flow)
{
    switch (data->kind) {
    case DATA_NULL:
        return buf_puts(out, "null");
    case DATA_BOOL:
        return buf_puts(out, data->boolean ? "true" : "false");
    case DATA_INT:
        return buf_printf(out, "%" PRId64, data->integer);
    case DATA_FLOAT:
        return put_float(out, data->real);
    case DATA_STR:
        return put_text(out, data->str, flow);
    case DATA_LIST:
        return buf_puts(out, "[]");
    case DATA_MAP:
        return buf_puts(out, "{}");
    }
    return -1;
}

static bool is_block(const struct data *data)
{
    return (data->kind == DATA_LIST && data->list.count) ||
           (data->kind == DATA_MAP && data->map.count);
}

/* Refuses to write what yaml_parse would refuse to read for its depth. */
static int too_deep(struct buf *out)
{
    out->overflowed = true;
    return -1;
}

static void put_indent(struct buf *out, size_t indent)
{
    (void)buf_printf(out, "%*s", (int)indent, "");
}

/* Writes the key and its colon; a long key gets `? ` and a line of its own. */
static void put_key(struct buf *out, struct span name, size_t indent, bool flow)
{
    size_t start = out->len;
    (void)put_text(out, name, flow);
    if (out->len - start <= KEY_BYTES_MAX) {
        (void)buf_putc(out, ':');
        return;
    }
    buf_truncate(out, start);
    (void)buf_puts(out, "? ");
    (void)put_quoted(out, name);
    (void)buf_puts(out, flow ? " " : "\n");
    if (!flow)
        put_indent(out, indent);
    (void)buf_putc(out, ':');
}

static int put_block(struct buf *out, const struct data *data, size_t indent, size_t depth);

static void put_member(struct buf *out, const struct data_member *member, size_t indent,
                       size_t depth)
{
    put_key(out, member->name, indent, false);
    if (is_block(member->value)) {
        (void)buf_putc(out, '\n');
        put_indent(out, indent + 2);
        (void)put_block(out, member->value, indent + 2, depth);
        return;
    }
    (void)buf_putc(out, ' ');
    (void)put_scalar(out, member->value, false);
    (void)buf_putc(out, '\n');
}

static void put_item(struct buf *out, const struct data *item, size_t indent, size_t depth)
{
    (void)buf_puts(out, "- ");
    if (is_block(item)) {
        (void)put_block(out, item, indent + 2, depth);
        return;
    }
    (void)put_scalar(out, item, false);
    (void)buf_putc(out, '\n');
}

/* The caller has indented the first line. */
static int put_block(struct buf *out, const struct data *data, size_t indent, size_t depth)
{
    if (depth == LIMIT_DOCUMENT_DEPTH)
        return too_deep(out);
    size_t count = data->kind == DATA_LIST ? data->list.count : data->map.count;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            put_indent(out, indent);
        if (data->kind == DATA_LIST)
            put_item(out, data->list.items[i], indent, depth + 1);
        else
            put_member(out, &data->map.members[i], indent, depth + 1);
        if (out->overflowed)
            return -1;
    }
    return 0;
}

int yaml_write(struct buf *out, const struct data *data, size_t indent)
{
    put_indent(out, indent);
    if (is_block(data))
        return put_block(out, data, indent, 0);
    (void)put_scalar(out, data, false);
    return buf_putc(out, '\n');
}

static int put_flow(struct buf *out, const struct data *data, size_t depth)
{
    if (!is_block(data))
        return put_scalar(out, data, true);
    if (depth == LIMIT_DOCUMENT_DEPTH)
        return too_deep(out);
    bool list = data->kind == DATA_LIST;
    size_t count = list ? data->list.count : data->map.count;
    (void)buf_putc(out, list ? '[' : '{');
    for (size_t i = 0; i < count && !out->overflowed; i++) {
        if (i > 0)
            (void)buf_puts(out, ", ");
        if (!list) {
            put_key(out, data->map.members[i].name, 0, true);
            (void)buf_putc(out, ' ');
        }
        (void)put_flow(out, list ? data->list.items[i] : data->map.members[i].value, depth + 1);
    }
    return buf_putc(out, list ? ']' : '}');
}

int yaml_write_flow(struct buf *out, const struct data *data)
{
    return put_flow(out, data, 0);
}
