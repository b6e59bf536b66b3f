/* The findings of `template lint`: rule, place, reason and remedy, sorted, each once. */
#include "author/lint/lint_finding.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "data/document.h"

#include <stdlib.h>
#include <string.h>

#define FINDINGS_KEPT ((size_t)1000) /* the shown ones are chosen from these */

#define RULE_ROW(constant, name, is_error, what) {name, is_error, what},
const struct lint_rule_row lint_rules[RULE_COUNT] = {EACH_LINT_RULE(RULE_ROW)};

enum lint_rule lint_rule_of(struct span name)
{
    size_t i = 0;
    while (i < RULE_COUNT && !span_equal(name, span_from(lint_rules[i].name)))
        i++;
    return (enum lint_rule)i;
}

const char *lint_severity(enum lint_rule rule)
{
    return lint_rules[rule].is_error ? "error" : "warning";
}

static const char *copy(struct arena *arena, const char *text)
{
    return text ? arena_strdup(arena, text) : NULL;
}

bool findings_full(struct finding_list *findings, enum lint_rule rule)
{
    bool full = findings->count == FINDINGS_KEPT;
    findings->more += full;
    findings->more_bad += full && lint_rules[rule].is_error;
    return full;
}

static struct finding *add(struct finding_list *findings, enum lint_rule rule,
                           const struct err *err)
{
    struct arena *arena = findings->arena;
    if (findings_full(findings, rule))
        return NULL;
    struct finding *finding = &arena_push(arena, findings->items, findings->count);
    *finding = (struct finding){.rule = rule,
                                .message = copy(arena, err->message),
                                .hint = copy(arena, err->hint),
                                .trace = copy(arena, err->trace),
                                .file = copy(arena, err->where.file),
                                .source = copy(arena, err->where.source),
                                .line = err->where.line,
                                .column = err->where.column,
                                .caret = err->where.caret};
    return finding;
}

void findings_add(struct finding_list *findings, enum lint_rule rule, const struct err *err)
{
    (void)add(findings, rule, err);
}

void findings_add_of(struct finding_list *findings, enum lint_rule rule, const struct err *err,
                     const char *subject, const char *type)
{
    struct arena *arena = findings->arena;
    const char *key =
        arena_printf(arena, "%d %s %zu %zu %s", (int)rule, err->where.file ? err->where.file : "",
                     err->where.line, err->where.column, subject);
    size_t count = findings->subjects.count;
    size_t number = intern_add(&findings->subjects, arena, span_from(key));
    if (number == count) {
        findings->numbers =
            arena_grow(arena, findings->numbers, number, sizeof(*findings->numbers));
        findings->numbers[number] = findings->count;
        struct finding *finding = add(findings, rule, err);
        if (finding)
            finding->types = copy(arena, type);
        return;
    }
    if (findings->numbers[number] >= findings->count)
        return; /* it was not kept */
    struct finding *known = &findings->items[findings->numbers[number]];
    const char *last = strrchr(known->types, ' ');
    if (!str_equal(last ? last + 1 : known->types, type))
        known->types = arena_printf(arena, "%s, %s", known->types, type);
}

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

static int compare(const void *left, const void *right)
{
    const struct finding *a = left, *b = right;
    int order = compare_texts(a->file, b->file);
    if (order == 0)
        order = (a->line > b->line) - (a->line < b->line);
    if (order == 0)
        order = (a->column > b->column) - (a->column < b->column);
    if (order == 0)
        order = (a->rule > b->rule) - (a->rule < b->rule);
    return order ? order : compare_texts(a->message, b->message);
}

void findings_sort(struct finding_list *findings)
{
    size_t kept = 0;
    if (findings->count)
        qsort(findings->items, findings->count, sizeof(*findings->items), compare);
    for (size_t i = 0; i < findings->count; i++)
        if (i == 0 || compare(&findings->items[i], &findings->items[kept - 1]) != 0)
            findings->items[kept++] = findings->items[i];
    findings->count = kept;
}

size_t findings_errors(const struct finding_list *findings)
{
    size_t errors = findings->more_bad;
    for (size_t i = 0; i < findings->count; i++)
        errors += lint_rules[findings->items[i].rule].is_error;
    return errors;
}

size_t findings_warnings(const struct finding_list *findings)
{
    return findings->count + findings->more - findings_errors(findings);
}

/* ---------------------------------------------------------------- printing */

static void put_masked(struct buf *out, const char *text)
{
    (void)unicode_mask(out, span_from(text), false);
}

/* Puts the line, and a caret below the column; masked characters before it count in full. */
static void put_excerpt(struct buf *out, const struct finding *finding)
{
    size_t len = strlen(finding->source);
    BUF_SCRATCH(before, LIMIT_MIB);
    (void)unicode_mask(
        &before, span_of(finding->source, finding->caret < len ? finding->caret : len), false);
    (void)buf_puts(out, "  | ");
    put_masked(out, finding->source);
    (void)buf_printf(out, "\n  | %*s^\n", (int)utf8_count(span_of(buf_text(&before), before.len)),
                     "");
}

int finding_print(struct buf *out, const struct finding *finding)
{
    if (finding->file) {
        put_masked(out, finding->file);
        if (finding->line)
            (void)buf_printf(out, ":%zu:%zu", finding->line, finding->column);
        (void)buf_puts(out, ": ");
    }
    (void)buf_printf(out, "%s: ", lint_severity(finding->rule));
    put_masked(out, finding->message);
    if (finding->types) {
        (void)buf_puts(out, " (in ");
        put_masked(out, finding->types);
        (void)buf_putc(out, ')');
    }
    (void)buf_printf(out, " [%s]\n", lint_rules[finding->rule].name);
    if (finding->source && *finding->source)
        put_excerpt(out, finding);
    if (finding->trace)
        (void)unicode_mask(out, span_from(finding->trace), true);
    if (finding->hint) {
        (void)buf_puts(out, "  hint: ");
        put_masked(out, finding->hint);
        (void)buf_putc(out, '\n');
    }
    return out->overflowed ? -1 : 0;
}

/* The names of a text "a, b". */
static struct data *types_data(struct arena *arena, const char *types)
{
    struct data *list = data_list(arena);
    while (types && *types) {
        size_t len = strcspn(types, ",");
        data_push(arena, list, data_span(arena, span_of(types, len)));
        types += len + strspn(types + len, ", ");
    }
    return list;
}

struct data *finding_data(struct arena *arena, const struct finding *finding)
{
    return data_of(arena, FIELD("file", finding->file), FIELD("line", finding->line),
                   FIELD("column", finding->column), FIELD("message", finding->message),
                   FIELD("rule", lint_rules[finding->rule].name),
                   FIELD("severity", lint_severity(finding->rule)), FIELD("hint", finding->hint),
                   FIELD("types", types_data(arena, finding->types)));
}
