/* Git's built-in conversion of line endings between disk and objects. */
#include "git/worktree/convert.h"

#include "base/buf.h"

#include <string.h>

enum { CHARACTER_EOF = 032, PRINTABLE_SHIFT = 7 };

/* The counts by which git distinguishes text from binary. */
struct statistics {
    size_t nul, lone_cr, lone_lf, crlf, printable, other;
};

static void count_byte(struct statistics *s, unsigned char byte)
{
    if (byte == 0)
        s->nul++;
    if (byte == 127 || (byte < 32 && !memchr("\b\t\033\014", byte, 4)))
        s->other++;
    else
        s->printable++;
}

static struct statistics gather(struct span text)
{
    struct statistics s = {0};
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte == '\r' && i + 1 < text.len && text.ptr[i + 1] == '\n') {
            s.crlf++;
            i++;
        } else if (byte == '\r') {
            s.lone_cr++;
        } else if (byte == '\n') {
            s.lone_lf++;
        } else {
            count_byte(&s, byte);
        }
    }
    if (text.len && text.ptr[text.len - 1] == CHARACTER_EOF)
        s.other--;
    return s;
}

static bool looks_binary(const struct statistics *s)
{
    return s->lone_cr || s->nul || (s->printable >> PRINTABLE_SHIFT) < s->other;
}

static bool is_auto(enum convert_kind kind)
{
    return kind == CONVERT_AUTO_LF || kind == CONVERT_AUTO_CRLF;
}

static bool is_value(const struct attribute_value *value, const char *text)
{
    return value->state == ATTRIBUTE_VALUE && strcmp(value->value, text) == 0;
}

enum text_word { WORD_NONE, WORD_TEXT, WORD_BINARY, WORD_INPUT, WORD_AUTO };

static enum text_word read_word(const struct attribute_value *value)
{
    if (value->state == ATTRIBUTE_SET)
        return WORD_TEXT;
    if (value->state == ATTRIBUTE_UNSET)
        return WORD_BINARY;
    if (is_value(value, "input"))
        return WORD_INPUT;
    return is_value(value, "auto") ? WORD_AUTO : WORD_NONE;
}

static bool disk_is_crlf(const struct convert_config *config)
{
    return config->autocrlf == AUTOCRLF_TRUE ||
           (config->autocrlf == AUTOCRLF_FALSE && config->eol_crlf);
}

/* Without attributes the configuration decides. */
static enum convert_kind choose_by_config(const struct convert_config *config)
{
    static const enum convert_kind kinds[] = {[AUTOCRLF_FALSE] = CONVERT_NONE,
                                              [AUTOCRLF_TRUE] = CONVERT_AUTO_CRLF,
                                              [AUTOCRLF_INPUT] = CONVERT_AUTO_LF};
    return kinds[config->autocrlf];
}

static enum convert_kind choose(const struct convert_config *config,
                                const struct attribute_value values[ATTRIBUTES])
{
    const struct attribute_value *eol = &values[ATTRIBUTE_EOL];
    enum text_word word = read_word(&values[ATTRIBUTE_TEXT]);
    if (word == WORD_NONE)
        word = read_word(&values[ATTRIBUTE_CRLF]);
    bool crlf = is_value(eol, "crlf"), lf = is_value(eol, "lf");
    if (word == WORD_BINARY)
        return CONVERT_NONE;
    if (word == WORD_AUTO)
        return crlf || (!lf && disk_is_crlf(config)) ? CONVERT_AUTO_CRLF : CONVERT_AUTO_LF;
    if (crlf || lf)
        return crlf ? CONVERT_TEXT_CRLF : CONVERT_TEXT_LF;
    if (word == WORD_INPUT)
        return CONVERT_TEXT_LF;
    if (word == WORD_TEXT)
        return disk_is_crlf(config) ? CONVERT_TEXT_CRLF : CONVERT_TEXT_LF;
    return choose_by_config(config);
}

static int refuse(struct err *err, const char *path, const char *what)
{
    (void)err_set(err, TG_REFUSED, "filter", "the update would touch '%s', which %s", path, what);
    return err_hint(err, "tmplgen writes files without git's filters: put the path under `yours:` "
                         "in .tmplgen.yml, or take the attribute away");
}

int convert_choose(enum convert_kind *out, const struct convert_config *config,
                   const struct attribute_value values[ATTRIBUTES], const char *path,
                   struct err *err)
{
    if (values[ATTRIBUTE_FILTER].state == ATTRIBUTE_VALUE)
        return refuse(err, path, "goes through a filter driver (such as LFS)");
    if (values[ATTRIBUTE_IDENT].state == ATTRIBUTE_SET)
        return refuse(err, path, "has the attribute 'ident'");
    if (values[ATTRIBUTE_ENCODING].state == ATTRIBUTE_VALUE)
        return refuse(err, path, "has the attribute 'working-tree-encoding'");
    *out = choose(config, values);
    return 0;
}

static bool has_crlf(struct span text)
{
    if (!text.len || !memchr(text.ptr, '\r', text.len))
        return false;
    struct statistics s = gather(text);
    return s.crlf && !looks_binary(&s);
}

bool convert_to_object(struct buf *out, enum convert_kind kind, struct span disk, struct span known)
{
    if (kind == CONVERT_NONE || disk.len == 0 || !memchr(disk.ptr, '\r', disk.len))
        return false;
    struct statistics s = gather(disk);
    if (s.crlf == 0 || (is_auto(kind) && (looks_binary(&s) || has_crlf(known))))
        return false;
    for (size_t i = 0; i < disk.len; i++)
        if (disk.ptr[i] != '\r' || i + 1 == disk.len || disk.ptr[i + 1] != '\n')
            (void)buf_putc(out, disk.ptr[i]);
    return true;
}

bool convert_to_disk(struct buf *out, enum convert_kind kind, struct span object)
{
    if ((kind != CONVERT_TEXT_CRLF && kind != CONVERT_AUTO_CRLF) || object.len == 0)
        return false;
    struct statistics s = gather(object);
    if (s.lone_lf == 0 || (is_auto(kind) && (s.lone_cr || s.crlf || looks_binary(&s))))
        return false;
    for (size_t i = 0; i < object.len; i++) {
        if (object.ptr[i] == '\n' && (i == 0 || object.ptr[i - 1] != '\r'))
            (void)buf_putc(out, '\r');
        (void)buf_putc(out, object.ptr[i]);
    }
    return true;
}
