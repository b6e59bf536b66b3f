/* Conditions: texts that copier renders and takes for true or false. */
#include "import/truth.h"

#include "base/arena.h"
#include "base/data.h"
#include "import/draft.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What copier takes for false, beside numbers that are 0, and true; all else is true. */
static const char *const false_words[] = {"", "n", "no", "f", "false", "off", "~", "null", "none"};
#define FALSE_LIST "['', '0', '0.0', 'n', 'no', 'f', 'false', 'off', '~', 'null', 'none']"

static bool word_is_true(const char *text)
{
    char *end;
    double number = strtod(text, &end);
    if (*text && !*end)
        return number != 0;
    for (size_t i = 0; i < sizeof(false_words) / sizeof(*false_words); i++)
        if (strcasecmp(text, false_words[i]) == 0)
            return false;
    return true;
}

/* Whether a question of that name is of type bool. */
static bool is_bool(const struct draft *draft, struct span name)
{
    for (size_t i = 0; i < draft->questions->list.count; i++) {
        const struct data *row = draft->questions->list.items[i];
        if (span_equal(name, span_from(data_get_text(row, "name"))))
            return str_equal(data_get_text(row, "type"), "bool");
    }
    return false;
}

static bool is(struct span word, const char *text)
{
    return span_equal(word, span_from(text));
}

/* What has been seen of an operand of `and` and `or`. */
struct truth_part {
    size_t words;
    bool compares; /* or is negated: a truth, whatever the rest is */
    struct span only;
};

static bool is_truth(const struct draft *draft, const struct truth_part *operand)
{
    return operand->compares || (operand->words == 1 && is_bool(draft, operand->only));
}

/* Whether an expression of ours can be nothing but true or false: its str() is then no other. */
static bool is_boolean(const struct draft *draft, const char *expression)
{
    static const char *const truths[] = {"not", "in", "is", "=", "!", "<", ">", "true", "false"};
    struct truth_part operand = {0};
    struct span text = span_from(expression), word;
    enum word_kind kind;
    size_t at = 0, open = 0;
    while ((kind = jinja_word(&word, text, &at)) != WORD_END) {
        bool joins = open == 0 && (is(word, "and") || is(word, "or"));
        if (open == 0 && kind == WORD_NAME && is(word, "if"))
            return false; /* of two values */
        if (joins && !is_truth(draft, &operand))
            return false;
        if (joins) {
            operand = (struct truth_part){0};
            continue;
        }
        open -= kind == WORD_SIGN && strchr(")]}", *word.ptr) && open;
        for (size_t i = 0; open == 0 && i < sizeof(truths) / sizeof(*truths); i++)
            operand.compares |= is(word, truths[i]);
        open += kind == WORD_SIGN && strchr("([{", *word.ptr);
        operand.words += kind != WORD_BLANK;
        operand.only = kind == WORD_BLANK ? operand.only : word;
    }
    return is_truth(draft, &operand);
}

/* What `text` renders to, worked out by an expression. */
static const char *output_truth(const char **why, struct draft *draft, const char *expression)
{
    const char *ours = draft_expression(why, draft, expression);
    if (!ours || is_boolean(draft, ours))
        return ours;
    return arena_printf(draft->arena, "(%s)|string|lower not in " FALSE_LIST, ours);
}

const char *truth_of(const char **why, struct draft *draft, const char *text)
{
    const struct jinja_style *style = &draft->dialect.style;
    struct jinja_pieces pieces;
    ERR_SCRATCH(err);
    const char *when, *then, *expression = text_as_output(draft->arena, text, style);
    if (expression)
        return output_truth(why, draft, expression);
    if (text_as_condition(&when, &then, draft->arena, text, style) &&
        !strstr(then, style->variable_begin))
        return word_is_true(then) ? draft_expression(why, draft, when) : "false";
    *why = "it is more than one output, or one condition";
    if (jinja_scan(&pieces, draft->arena, span_from(text), style, &err) < 0)
        *why = arena_strdup(draft->arena, err.message);
    else if (pieces.count == 0 || (pieces.count == 1 && pieces.items[0].kind == PIECE_DATA))
        return word_is_true(text) ? "true" : "false";
    return NULL;
}
