/* How a template wants Jinja2 to be: the options of its environment. */
#include "import/style.h"

#include "base/data.h"
#include "import/draft.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    size_t offset; /* in a jinja_style: of the text, or of the truth */
    bool is_truth;
} members[] = {
    {"variable_start_string", offsetof(struct jinja_style, variable_begin), false},
    {"variable_end_string", offsetof(struct jinja_style, variable_end), false},
    {"block_start_string", offsetof(struct jinja_style, block_begin), false},
    {"block_end_string", offsetof(struct jinja_style, block_end), false},
    {"comment_start_string", offsetof(struct jinja_style, comment_begin), false},
    {"comment_end_string", offsetof(struct jinja_style, comment_end), false},
    {"trim_blocks", offsetof(struct jinja_style, trim_blocks), true},
    {"lstrip_blocks", offsetof(struct jinja_style, lstrip_blocks), true},
};

/* No other text may mean a tag, and no text be escaped. */
static const char *const refused[] = {"line_statement_prefix", "line_comment_prefix", "autoescape"};

static int invalid(const char *name, const char *why, struct err *err)
{
    (void)err_set(err, TG_USAGE, "invalid", "'%s' of the options for Jinja2 %s", name, why);
    return err_hint(err, "change the template so that it does without, then import it");
}

static bool is_set(const struct data *value)
{
    return value && value->kind != DATA_NULL && !(value->kind == DATA_BOOL && !value->boolean);
}

static int read_member(struct jinja_style *style, size_t i, const struct data *value,
                       struct err *err)
{
    char *at = (char *)style + members[i].offset;
    if (members[i].is_truth) {
        if (value->kind != DATA_BOOL)
            return invalid(members[i].name, "must be true or false", err);
        *(bool *)(void *)at = value->boolean;
        return 0;
    }
    const char *text = data_text(value);
    if (!text || !*text)
        return invalid(members[i].name, "must be a text that is not empty", err);
    *(const char **)(void *)at = text;
    return 0;
}

int style_read(struct draft *draft, const struct data *options, struct err *err)
{
    struct jinja_style *style = &draft->dialect.style;
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        if (is_set(data_get(options, refused[i])))
            return invalid(refused[i], "is not in the template language", err);
    for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
        const struct data *value = data_get(options, members[i].name);
        if (value && read_member(style, i, value, err) < 0)
            return -1;
    }
    const struct data *keep = data_get(options, "keep_trailing_newline");
    style->drops_last_newline = keep && keep->kind == DATA_BOOL && !keep->boolean;
    bool square = str_equal(style->variable_begin, "[[") && str_equal(style->variable_end, "]]") &&
                  str_equal(style->block_begin, "[%") && str_equal(style->block_end, "%]") &&
                  str_equal(style->comment_begin, "[#") && str_equal(style->comment_end, "#]");
    draft->dialect.files = square ? DELIMITERS_SQUARE : DELIMITERS_JINJA;
    return 0;
}
