/* The template language: entry points, limits, places of errors. What it renders is compared with
 * Jinja2 in tests/oracle/. */
#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/data.h"
#include "data/json.h"
#include "jinja/template.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <stdlib.h>
#include <string.h>

/* Pairs of name and text; NULL ends. A name "broken" fails to load. */
static int load_from_list(struct template_source *out, void *context, const char *name,
                          struct err *err)
{
    out->delimiters = DELIMITERS_JINJA;
    if (str_equal(name, "broken"))
        return err_set(err, TG_RUNTIME, "io", "cannot read 'broken'");
    for (const char *const *pair = context; *pair; pair += 2) {
        if (!str_equal(pair[0], name))
            continue;
        out->text = span_from(pair[1]);
        return 0;
    }
    return 1;
}

static const char *includes[] = {
    "part",    "[{{ x }}]",
    "itself",  "{% include 'itself' %}",
    "wrong",   "line\n{{ y.z }}",
    "syntax",  "{% if %}",
    "names",   "{{ a }}{{ local }}{{ item }}{% set own = inner %}{{ own }}",
    "child",   "{% extends 'parent' %}{% set b = a %}",
    "parent",  "{% set c = 1 %}{% block one %}{{ b }}{{ e }}{% endblock %}{{ a }}",
    "round",   "{% extends 'round' %}",
    "deep",    "{% include 'syntax' %}",
    "imports", "{% import 'imports' as i %}",
    "module",  "{% set it = '!' %}",
    NULL};

static const struct template_loader loader = {.load = load_from_list, .context = includes};

static struct data *parse(struct arena *arena, const char *json)
{
    struct data *data = NULL;
    ERR_SCRATCH(err);
    if (json_parse(&data, arena, "context", span_from(json), &err))
        fail_msg("%s: %s", json, err.message);
    return data;
}

/* Each is rendered in a run of its own. */
static struct template_source source_of(const char *text)
{
    ERR_SCRATCH(err);
    assert_int_equal(budget_start(NULL, &err), 0);
    return (struct template_source){.name = "a.j2", .text = span_from(text)};
}

static void assert_renders(const char *text, const char *json, const char *wanted)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(out, LIMIT_RENDERED_BYTES);
    ERR_SCRATCH(err);
    const struct template_source source = source_of(text);
    if (template_render(&out, &source, parse(&arena, json), &loader, &err))
        fail_msg("%s: %s", text, err.message);
    assert_string_equal(buf_text(&out), wanted);
}

/* Renders what must fail; the error is the caller's to look at. */
static void fail_to_render(struct err *err, const char *text, const char *json)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(out, LIMIT_RENDERED_BYTES);
    const struct template_source source = source_of(text);
    assert_int_equal(template_render(&out, &source, parse(&arena, json), &loader, err), -1);
    assert_int_equal(err->exit, TG_USAGE);
}

static void assert_fails(const char *text, const char *code, const char *message)
{
    ERR_SCRATCH(err);
    fail_to_render(&err, text, "{}");
    assert_string_equal(err.code, code);
    assert_non_null(err.where.file);
    if (!strstr(err.message, message))
        fail_msg("'%s' is not in: %s", message, err.message);
}

/* ---------------------------------------------------------------- rendering */

TEST(test_template__renders_the_names_of_its_context)
{
    assert_renders("Hello {{ name }}!\n", "{\"name\": \"World\"}", "Hello World!\n");
    assert_renders("", "{}", "");
    assert_renders("{% for k, v in d.items() %}\n{{ k }}={{ v }}\n{% endfor %}\n",
                   "{\"d\": {\"b\": 1, \"a\": [true, null]}}", "b=1\na=[True, None]\n");
}

TEST(test_template__takes_each_kind_of_delimiters)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(out, LIMIT_RENDERED_BYTES);
    ERR_SCRATCH(err);
    struct template_source source =
        source_of("[[ x ]] {{ x }} ${{ y }}[# c #][% if x %]\nq[% endif %]");
    source.delimiters = DELIMITERS_SQUARE;
    assert_int_equal(template_render(&out, &source, parse(&arena, "{\"x\": 1}"), NULL, &err), 0);
    assert_string_equal(buf_text(&out), "1 {{ x }} ${{ y }}q");
}

TEST(test_template__appends_to_what_is_there)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(out, LIMIT_RENDERED_BYTES);
    ERR_SCRATCH(err);
    const struct template_source source = source_of("{{ 1 }}");
    const struct data *context = data_map(&arena);
    assert_int_equal(template_render(&out, &source, context, NULL, &err), 0);
    assert_int_equal(template_render(&out, &source, context, NULL, &err), 0);
    assert_string_equal(buf_text(&out), "11");
}

TEST(test_template__leaves_its_context_as_it_was)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(out, LIMIT_RENDERED_BYTES);
    ERR_SCRATCH(err);
    const char *json = "{\"l\": [1, [2]], \"d\": {\"a\": 1}}";
    const struct data *context = parse(&arena, json);
    const struct template_source source =
        source_of("{{ l.append(3) }}{{ l[1].append(4) }}{{ d.update(b=2) }}{{ l }}{{ d }}");
    for (int i = 0; i < 2; i++) {
        buf_truncate(&out, 0);
        assert_int_equal(template_render(&out, &source, context, NULL, &err), 0);
        assert_string_equal(buf_text(&out), "NoneNoneNone[1, [2, 4], 3]{'a': 1, 'b': 2}");
    }
    assert_true(data_equal(context, parse(&arena, json)));
}

TEST(test_template__evaluates_an_answer_never)
{
    assert_renders("{{ s }}|{{ s|upper }}", "{\"s\": \"{{ 7*7 }}{% raw %}\"}",
                   "{{ 7*7 }}{% raw %}|{{ 7*7 }}{% RAW %}");
}

TEST(test_template__includes_by_name)
{
    assert_renders("{% for x in 'ab' %}{% include 'part' %}{% endfor %}", "{}", "[a][b]");
    assert_renders("{% include ['nope', 'part'] %}", "{\"x\": 5}", "[5]");
    assert_renders("{% include 'nope' ignore missing %}.", "{}", ".");
}

struct counted {
    size_t loads;
};

static int load_counted(struct template_source *out, void *context, const char *name,
                        struct err *err)
{
    ((struct counted *)context)->loads++;
    return load_from_list(out, includes, name, err);
}

/* What is kept for the next render is the template, and nothing that the context has made of it. */
TEST(test_template__includes_are_parsed_once_for_many_renders)
{
    ARENA_SCRATCH(arena);
    struct template_cache cache = {.arena = &arena};
    struct counted counted = {0};
    const struct template_loader keeping = {
        .load = load_counted, .context = &counted, .cache = &cache};
    static const char *const contexts[] = {"{\"x\": 1}", "{\"x\": 2}"};
    static const char *const wanted[] = {"[1]!1", "[2]!2"};
    for (size_t i = 0; i < 2; i++) {
        BUF_SCRATCH(out, LIMIT_RENDERED_BYTES);
        ERR_SCRATCH(err);
        const struct template_source source =
            source_of("{% include 'part' %}{% from 'module' import it %}{{ it }}{{ x }}");
        assert_int_equal(template_render(&out, &source, parse(&arena, contexts[i]), &keeping, &err),
                         0);
        assert_string_equal(buf_text(&out), wanted[i]);
    }
    assert_int_equal(counted.loads, 2);
    for (size_t i = 0; i < 2; i++) {
        BUF_SCRATCH(out, LIMIT_RENDERED_BYTES);
        ERR_SCRATCH(err);
        const struct template_source source = source_of("{% include 'deep' %}");
        assert_int_equal(template_render(&out, &source, parse(&arena, "{}"), &keeping, &err), -1);
        assert_string_equal(err.code, "template-syntax");
    }
    assert_int_equal(counted.loads, 2 + 3); /* 'syntax' is never kept, 'deep' was */
}

TEST(test_template__without_a_loader_includes_nothing)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(out, LIMIT_RENDERED_BYTES);
    ERR_SCRATCH(err);
    const struct template_source source = source_of("{% include 'part' ignore missing %}");
    assert_int_equal(template_render(&out, &source, data_map(&arena), NULL, &err), -1);
    assert_string_equal(err.message, "'include' cannot be used here");
}

/* ---------------------------------------------------------------- errors */

TEST(test_template__what_is_left_to_others_is_told)
{
    static const char *const texts[] = {"k: ${{ secrets.KEY }}", "${{secrets}}", "${{\tsecret }}"};
    for (EACH_ROW(i, texts, texts[i])) {
        ERR_SCRATCH(err);
        fail_to_render(&err, texts[i], "{\"secrets_\": 1}");
        assert_non_null(strstr(err.message, "is undefined"));
        assert_non_null(strstr(err.hint, "give the file square delimiters"));
    }
    ERR_SCRATCH(err);
    fail_to_render(&err, "${ {{ secrets }} }", "{\"secrets_\": 1}");
    assert_string_equal(err.hint, "did you mean 'secrets_'?");
}

TEST(test_template__error_has_file_line_column_and_source)
{
    ERR_SCRATCH(err);
    fail_to_render(&err, "first\r\n\r\nh\xc3\xa9llo {{ nmae }}\r\nlast", "{\"name\": 1}");
    assert_string_equal(err.message, "'nmae' is undefined");
    assert_string_equal(err.code, "template-undefined");
    assert_string_equal(err.hint, "did you mean 'name'?");
    assert_string_equal(err.where.file, "a.j2");
    assert_int_equal(err.where.line, 3);
    assert_int_equal(err.where.column, 10);
    assert_string_equal(err.where.source, "h\xc3\xa9llo {{ nmae }}");
    assert_null(err.trace);
}

TEST(test_template__error_in_an_include_names_who_includes_it)
{
    ERR_SCRATCH(err);
    fail_to_render(&err, "\n  {% include 'wrong' %}", "{\"y\": {\"zz\": 1}}");
    assert_string_equal(err.message, "a mapping has no 'z'");
    assert_string_equal(err.where.file, "wrong");
    assert_int_equal(err.where.line, 2);
    assert_string_equal(err.trace, "included from a.j2:2:14\n");
    ERR_SCRATCH(syntax);
    fail_to_render(&syntax, "{% include 'syntax' %}", "{}");
    assert_string_equal(syntax.code, "template-syntax");
    assert_string_equal(syntax.where.file, "syntax");
    assert_string_equal(syntax.trace, "included from a.j2:1:12\n");
}

TEST(test_template__passes_on_what_the_loader_says)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(out, LIMIT_RENDERED_BYTES);
    ERR_SCRATCH(err);
    const struct template_source source = source_of("{% include 'broken' ignore missing %}");
    assert_int_equal(template_render(&out, &source, data_map(&arena), &loader, &err), -1);
    assert_int_equal(err.exit, TG_RUNTIME);
    assert_string_equal(err.message, "cannot read 'broken'");
    assert_string_equal(err.where.file, "a.j2");
    assert_int_equal(err.where.column, 12);
}

TEST(test_template__masks_foreign_text_in_messages)
{
    ERR_SCRATCH(err);
    fail_to_render(&err, "{{ {}[s] }}", "{\"s\": \"a\\u001b[31m\\u202eb\"}");
    assert_null(strchr(err.message, 0x1b));
    assert_non_null(strstr(err.message, "\\x1B"));
    assert_null(strstr(err.message, "\xe2\x80\xae"));
}

TEST(test_template__refuses_a_source_that_is_no_text)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(out, LIMIT_RENDERED_BYTES);
    static const struct {
        const char *bytes;
        size_t len, column;
        const char *message;
    } sources[] = {
        {"ab\0c", 4, 3, "the template holds a NUL byte"},
        {"abc\xff", 4, 4, "the template is not UTF-8"},
        {"\xed\xa0\x80", 3, 1, "the template is not UTF-8"},
        {"x\xc3", 2, 2, "the template is not UTF-8"},
    };
    for (EACH_ROW(i, sources, sources[i].bytes)) {
        ERR_SCRATCH(err);
        const struct template_source source = {.name = "a.j2",
                                               .text = span_of(sources[i].bytes, sources[i].len)};
        assert_int_equal(template_render(&out, &source, data_map(&arena), NULL, &err), -1);
        assert_string_equal(err.message, sources[i].message);
        assert_int_equal(err.where.column, sources[i].column);
    }
}

/* ---------------------------------------------------------------- limits */

/* `count` times `unit` between `before` and `after`, in the arena. */
static const char *repeat(struct arena *arena, const char *before, const char *unit, size_t count,
                          const char *after)
{
    BUF_SCRATCH(text, 64 * LIMIT_MIB);
    (void)buf_puts(&text, before);
    for (size_t i = 0; i < count; i++)
        (void)buf_puts(&text, unit);
    (void)buf_puts(&text, after);
    return arena_memdup(arena, buf_text(&text), text.len);
}

TEST(test_template__limits_its_size)
{
    ARENA_SCRATCH(arena);
    assert_renders(repeat(&arena, "", "x", LIMIT_TEMPLATE_BYTES, ""), "{}",
                   repeat(&arena, "", "x", LIMIT_TEMPLATE_BYTES, ""));
    ERR_SCRATCH(err);
    fail_to_render(&err, repeat(&arena, "", "x", LIMIT_TEMPLATE_BYTES + 1, ""), "{}");
    assert_string_equal(err.code, "template-limit");
    assert_string_equal(err.message, "'a.j2' is larger than 4194304 bytes");
}

TEST(test_template__limits_the_steps)
{
    assert_renders("{% for i in range(500) %}{% for j in range(500) %}{% endfor %}{% endfor %}",
                   "{}", "");
    assert_fails("{% for i in range(4000) %}{% for j in range(4000) %}{% endfor %}{% endfor %}",
                 "template-limit", "more than 10000000 steps");
    assert_fails("{% for i in range(9999999999) %}{% endfor %}", "template-limit",
                 "more than 10000000 steps");
    assert_fails("{% set l = [1] %}{% for i in l %}{% set _ = l.append(i) %}{% endfor %}",
                 "template-limit", "");
}

/* As many texts side by side as a template has room for: quadratic is terabytes. */
TEST(test_template__joins_texts_side_by_side_at_once)
{
    ARENA_SCRATCH(arena);
    assert_renders("{{ 'a' \"b\" '\\x63' 'd'|upper }}", "{}", "ABCD");
    const size_t count = 1000000;
    assert_renders(repeat(&arena, "{{ ", "'a' ", count, "|length }}"), "{}", "1000000");
}

TEST(test_template__takes_many_names_and_arguments)
{
    enum { NAMES = 30000 };
    ERR_SCRATCH(err);
    BUF_SCRATCH(text, LIMIT_TEMPLATE_BYTES);
    for (int i = 0; i < NAMES; i++)
        (void)buf_printf(&text, "{%% set n%d = 1 %%}", i);
    (void)buf_puts(&text, "{{ n0 + n29999 }}");
    assert_renders(buf_text(&text), "{}", "2");
    text.len = 0;
    (void)buf_puts(&text, "{{ 1|default(");
    for (int i = 0; i < NAMES; i++)
        (void)buf_printf(&text, "n%d=1,", i);
    (void)buf_puts(&text, "n7=1) }}");
    fail_to_render(&err, buf_text(&text), "{}");
    assert_string_equal(err.message, "'n7' is given twice");
}

TEST(test_template__limits_what_is_rendered)
{
    ARENA_SCRATCH(arena);
    const struct template_source source =
        source_of("{% for i in range(100) %}{{ i }},{% endfor %}");
    for (size_t max = 288; max <= 290; max++) { /* it is 290 bytes long */
        BUF_SCRATCH(out, max);
        ERR_SCRATCH(err);
        int rc = template_render(&out, &source, data_map(&arena), NULL, &err);
        assert_int_equal(rc, max < 290 ? -1 : 0);
        if (rc)
            assert_string_equal(err.code, "template-limit");
    }
}

TEST(test_template__limits_texts_and_lists)
{
    assert_renders("{{ ('x' * 16777216)|length }}", "{}", "16777216");
    assert_fails("{{ 'x' * 16777217 }}", "template-limit", "longer than 16777216 bytes");
    assert_fails("{{ 'xy' * 9223372036854775807 }}", "template-limit", "longer than");
    assert_fails("{{ ('x' * 16777216) ~ 'y' }}", "template-limit", "longer than");
    assert_fails("{{ ('x' * 9999999)|replace('x', 'yyyy') }}", "template-limit", "longer than");
    assert_fails("{{ 'x'.center(99999999) }}", "template-limit", "longer than");
    assert_fails("{{ '%99999999d' % 1 }}", "template-type", "too large");
    assert_renders("{{ ([0] * 1000000)|length }}", "{}", "1000000");
    assert_fails("{{ [0] * 1000001 }}", "template-limit", "more than 1000000 items");
    assert_fails("{{ range(1000001)|list }}", "template-limit", "more than 1000000 items");
    assert_fails("{{ [0] * 9223372036854775807 }}", "template-limit", "more than 1000000 items");
    assert_fails("{{ range(-9223372036854775807, 9223372036854775807) }}", "template-limit",
                 "the range is too long");
    assert_fails("{% for i in range(1000) %}{% set x = 'x' * 9999999 %}{% endfor %}",
                 "template-limit", "more than 10000000 steps");
    assert_fails("{% set x %}{% for i in range(99) %}{{ 'x' * 999999 }}{% endfor %}{% endset %}",
                 "template-limit", "longer than 16777216 bytes");
}

TEST(test_template__limits_the_nesting_of_expressions)
{
    ARENA_SCRATCH(arena);
    static const struct {
        const char *before, *open, *middle, *close;
    } forms[] = {
        {"{{", "(", "1", ")"},
        {"{{", "[", "1", "]"},
        {"{{", "not ", "1", ""},
        {"{{", "- ", "1", ""},
        {"{{", "", "1", "+1"},
        {"{{ 'a'", "", "", "|upper"},
        {"{{ x", "", "", ".x"},
        {"{{ x", "", "", "[0]"},
        {"{{ x", "", "", "()"},
        {"{{ 1", "", "", "<1"},
        {"{{ 1", "", "", " and 1"},
        {"{{ 1", "", "", " if 1"},
        {"{{ ", "1 if 1 else ", "1", ""},
    };
    for (EACH_ROW(i, forms, forms[i].open)) {
        const char *open = repeat(&arena, forms[i].before, forms[i].open, 200, forms[i].middle);
        assert_fails(repeat(&arena, open, forms[i].close, 200, "}}"), "template-limit", "");
    }
    const char *open = repeat(&arena, "{{", "(", 127, "1");
    assert_renders(repeat(&arena, open, ")", 127, "}}"), "{}", "1");
    assert_renders(repeat(&arena, "{{ 1", "~1", 5000, "}}") + 0, "{}",
                   repeat(&arena, "1", "1", 5000, ""));
}

TEST(test_template__limits_the_nesting_of_blocks)
{
    ARENA_SCRATCH(arena);
    static const char *const pairs[][2] = {{"{% if 1 %}", "{% endif %}"},
                                           {"{% for x in [1] %}", "{% endfor %}"},
                                           {"{% set x %}", "{% endset %}"},
                                           {"{% with x = 1 %}", "{% endwith %}"},
                                           {"{% filter upper %}", "{% endfilter %}"},
                                           {"{% macro x() %}", "{% endmacro %}"}};
    for (EACH_ROW(i, pairs, pairs[i][0])) {
        const char *open = repeat(&arena, "", pairs[i][0], 128, "");
        assert_renders(repeat(&arena, open, pairs[i][1], 128, ""), "{}", "");
        open = repeat(&arena, "", pairs[i][0], 129, "");
        assert_fails(repeat(&arena, open, pairs[i][1], 129, ""), "template-limit",
                     "nested more than 128 deep");
    }
    assert_renders(repeat(&arena, "{% if 0 %}", "{% elif 0 %}", 5000, "{% else %}1{% endif %}"),
                   "{}", "1");
}

TEST(test_template__limits_the_depth_of_includes)
{
    assert_fails("{% include 'itself' %}", "template-limit", "more than 64 deep");
}

TEST(test_template__limits_the_depth_of_values)
{
    static const char deeper[] = "{% set l = [[]] %}{% for i in range(300) %}"
                                 "{{ l.insert(0, [l[0]])|default('') if false }}"
                                 "{% set _ = l.insert(0, [l[0]]) %}{% endfor %}";
    static const char *const uses[] = {"{{ l[0] }}", "{{ l[0]|tojson }}", "{{ l[0] == l[0] }}",
                                       "{{ l[0] < l[0] }}", "{{ l[0]|to_yaml }}"};
    ARENA_SCRATCH(arena);
    for (EACH_ROW(i, uses, uses[i]))
        assert_fails(arena_printf(&arena, "%s%s", deeper, uses[i]), "template-limit",
                     "nested more than 128 deep");
}

TEST(test_template__shows_a_list_inside_itself)
{
    assert_renders("{% set l = [1] %}{% set _ = l.append(l) %}{{ l }}", "{}", "[1, [...]]");
    assert_renders("{% set d = {} %}{% set _ = d.update(d=d) %}{{ d }}", "{}", "{'d': {...}}");
    assert_fails("{% set l = [1] %}{% set _ = l.append(l) %}{{ l|tojson }}", "template-limit", "");
}

TEST(test_template__limits_how_deep_macros_call_each_other)
{
    assert_renders("{% macro f(n) %}{{ f(n - 1) if n }}.{% endmacro %}{{ f(60)|length }}", "{}",
                   "61");
    assert_fails("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "template-limit",
                 "call each other more than 64 deep");
    assert_fails("{% block a %}{{ self.a() }}{% endblock %}", "template-limit",
                 "more than 64 deep");
    assert_fails("{% import 'imports' as i %}", "template-limit",
                 "go in a circle: 'imports' comes again and again, more than 64 deep");
    assert_fails("{% extends 'round' %}", "template-limit", "go in a circle: 'round'");
    ARENA_SCRATCH(arena);
    const char *open = repeat(&arena, "{% macro f() %}{{ ", "[", 100, "f()");
    assert_fails(repeat(&arena, open, "]", 100, " }}{% endmacro %}{{ f() }}"), "template-limit",
                 "expressions are nested more than 2048 deep");
}

TEST(test_template__takes_time_in_proportion_to_size)
{
    ARENA_SCRATCH(arena);
    /* many names, many branches: nothing of this may be quadratic */
    BUF_SCRATCH(text, LIMIT_TEMPLATE_BYTES);
    for (size_t i = 0; i < 60000; i++)
        (void)buf_printf(&text, "{%% if 0 %%}{%% set a%zu = a%zu %%}{%% endif %%}", i, i + 1);
    assert_renders(arena_memdup(&arena, buf_text(&text), text.len), "{}", "");
    assert_renders("{% set d = {} %}{% for i in range(100000) %}{% set _ = d.update({i: i}) %}"
                   "{% endfor %}{{ d|length }}{{ d[99999] }}",
                   "{}", "10000099999");
}

/* ---------------------------------------------------------------- expressions */

static void assert_no_expression(const char *text, const char *code, const char *message)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    bool truth;
    const struct template_source source = source_of(text);
    assert_int_equal(template_test(&truth, &source, data_map(&arena), &err), -1);
    assert_int_equal(err.exit, TG_USAGE);
    assert_string_equal(err.code, code);
    assert_non_null(err.where.file);
    if (!strstr(err.message, message))
        fail_msg("'%s' is not in: %s", message, err.message);
}

TEST(test_template_test__refuses_what_is_no_expression)
{
    assert_no_expression("missing", "template-undefined", "'missing' is undefined");
    assert_no_expression("", "template-syntax", "an expression was expected here");
    assert_no_expression("1 2", "template-syntax", "the end of the expression was expected here");
    assert_no_expression("1, 2", "template-syntax", "the end of the expression was expected here");
    assert_no_expression("a }}", "template-syntax", "unexpected '}'");
    assert_no_expression(" {{ a }}", "template-syntax", "an expression stands here, without '{{'");
    assert_no_expression("{% if a %}", "template-syntax", "without '{%'");
}

TEST(test_template_test__takes_truth_as_python_does)
{
    ARENA_SCRATCH(arena);
    static const struct {
        const char *text;
        bool truth;
    } cases[] = {
        {"true", true},        {"[]", false},          {"[0]", true},
        {"''", false},         {"'0'", true},          {"0.0", false},
        {"none", false},       {"{}", false},          {"range(0)", false},
        {"range(1)", true},    {"'a' in l", true},     {"missing is defined", false},
        {"1 if false", false}, {"not 'b' in l", true}, {"\n  'two'\n  if l else ''\n", true},
    };
    const struct data *context = parse(&arena, "{\"l\": [\"a\"]}");
    for (EACH_ROW(i, cases, cases[i].text)) {
        ERR_SCRATCH(err);
        bool truth = !cases[i].truth;
        const struct template_source source = source_of(cases[i].text);
        assert_int_equal(template_test(&truth, &source, context, &err), 0);
        assert_int_equal(truth, cases[i].truth);
    }
}

/* ---------------------------------------------------------------- free names */

static void assert_names(const char *text, bool expression, const char *wanted)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(found, LIMIT_MIB);
    ERR_SCRATCH(err);
    struct data *names = data_map(&arena);
    const struct template_source source = source_of(text);
    if (template_names(names, &arena, &source, expression, &loader, &err))
        fail_msg("%s: %s", text, err.message);
    for (size_t i = 0; i < names->map.count; i++) {
        assert_int_equal(names->map.members[i].value->kind, DATA_NULL);
        (void)buf_printf(&found, "%s%s", i ? " " : "", names->map.members[i].name.ptr);
    }
    assert_string_equal(buf_text(&found), wanted);
}

TEST(test_template_names__finds_what_is_read_from_the_context)
{
    assert_names("no names", false, "");
    assert_names("{{ a.b['c'] }}{{ d|join(e) }}{{ f(g=h) is eq i }}", false, "a d e f h i");
    assert_names("{% if a %}{{ b }}{% elif c %}{% else %}{{ d }}{% endif %}", false, "a b c d");
    assert_names("{% for x in xs if x > y %}{{ x }}{{ loop.index }}{{ z }}{% endfor %}", false,
                 "xs y z");
    assert_names("{% set a = b %}{{ a }}", false, "b");
    assert_names("{{ a }}{% set a = 1 %}", false, "a");
    assert_names("{% if c %}{% set a = 1 %}{% endif %}{{ a }}", false, "c a");
    assert_names("{% set a %}{{ b }}{% endset %}", false, "b");
    assert_names("{{ range(n) }}", false, "range n"); /* the context may have it */
    assert_names("a and b.c in d", true, "a b d");
}

TEST(test_template_names__looks_into_includes)
{
    assert_names("{% set local = 1 %}{% for item in xs %}{% include 'names' %}{% endfor %}", false,
                 "xs a inner");
    assert_names("{% include 'names' without context %}", false, "");
    assert_names("{% include 'itself' %}{% include 'nope' %}{% include [a, 'part'] %}", false,
                 "a x");
    assert_names("{% if c %}{% set a = 1 %}{% endif %}{% include 'names' if c else 'part' %}",
                 false, "c a local item inner x");
    assert_names("{% include 'syntax' without context %}{% import 'syntax' as i %}"
                 "{% include ['nope', 'syntax'] without context %}",
                 false, "");
}

TEST(test_template_names__knows_what_tags_bind)
{
    assert_names("{% macro m(p, q=r) %}{{ p }}{{ q }}{{ s }}{{ varargs }}{{ kwargs }}{{ caller() }}"
                 "{% endmacro %}{{ m(t) }}",
                 false, "r s t");
    assert_names("{% call(p) m(a) %}{{ p }}{{ b }}{% endcall %}", false, "m a b");
    assert_names("{% with a = b, c = a %}{{ a }}{{ c }}{{ d }}{% endwith %}", false, "b a d");
    assert_names("{% filter indent(w) %}{{ a }}{% endfilter %}", false, "w a");
    assert_names("{% set ns = namespace(a=b) %}{% set ns.a = c %}{% set other.a = 1 %}", false,
                 "namespace b c other");
    assert_names("{% for a in l %}{% set b = a %}{% endfor %}{{ b }}{% set b = 1 %}", false, "l b");
    assert_names("{% if c %}{% macro m() %}{{ m }}{% endmacro %}{% endif %}{{ m() }}", false,
                 "c m");
    assert_names("{{ dict(a=cycler(b), c=joiner()) }}{{ l[m:n:o] }}{{ f(*p, **q) }}", false,
                 "dict cycler b joiner l m n o f p q");
    assert_names("{% import 'part' as i %}{% from 'part' import j as k %}{{ i }}{{ k }}{{ j }}",
                 false, "j");
    assert_names("{% from 'names' import own with context %}{{ own }}", false,
                 "a local item inner");
}

TEST(test_template_names__follows_what_is_extended)
{
    assert_names("{% extends 'child' %}{% set a = 1 %}{% block one %}{{ super() }}{{ a }}{{ b }}"
                 "{{ c }}{{ d }}{{ self.two() }}{% endblock %}",
                 false, "d e");
    assert_names("{% for x in xs %}{% block one scoped %}{{ x }}{% endblock %}"
                 "{% block two %}{{ x }}{% endblock %}{% endfor %}",
                 false, "xs x");
    assert_names("{% extends 'child' %}{% block one %}{% for x in b %}{{ x }}{{ c }}{{ f }}"
                 "{% endfor %}{% include 'names' %}{% endblock %}",
                 false, "f a local item inner e");
    assert_names("{% extends 'round' %}{{ a }}", false, "a");
}

TEST(test_template_names__fails_as_rendering_would)
{
    ARENA_SCRATCH(arena);
    static const char *const texts[] = {"{{", "{% do x %}", "{% extends 'syntax' %}",
                                        "{% include 'syntax' %}"};
    for (EACH_ROW(i, texts, texts[i])) {
        ERR_SCRATCH(err);
        const struct template_source source = source_of(texts[i]);
        assert_int_equal(template_names(data_map(&arena), &arena, &source, false, &loader, &err),
                         -1);
        assert_string_equal(err.code, "template-syntax");
    }
}

TEST(test_template_names__tells_how_it_came_to_an_error)
{
    ARENA_SCRATCH(arena);
    static const struct {
        const char *text, *code, *file, *trace;
    } cases[] = {
        {"{% extends 'syntax' %}", "template-syntax", "syntax", "extended from a.j2:1:12\n"},
        {"\n{% from 'syntax' import a with context %}", "template-syntax", "syntax",
         "imported from a.j2:2:9\n"},
        {"{% if a %}{% include 'deep' %}{% endif %}", "template-syntax", "syntax",
         "included from deep:1:12\nincluded from a.j2:1:22\n"},
        {"{% include ['nope', 'broken'] %}", "io", NULL, "included from a.j2:1:21\n"},
    };
    for (EACH_ROW(i, cases, cases[i].text)) {
        ERR_SCRATCH(err);
        const struct template_source source = source_of(cases[i].text);
        assert_int_equal(template_names(data_map(&arena), &arena, &source, false, &loader, &err),
                         -1);
        assert_string_equal(err.code, cases[i].code);
        assert_true(str_equal(err.where.file, cases[i].file));
        assert_string_equal(err.trace, cases[i].trace);
    }
}

/* "x" includes "xa" and "xb", and so on, up to a length. */
static int load_two_more(struct template_source *out, void *context, const char *name,
                         struct err *err)
{
    (void)err;
    out->text = span_from(
        strlen(name) > 20
            ? ""
            : arena_printf(context, "{%% include '%sa' %%}{%% include '%sb' %%}", name, name));
    return 0;
}

TEST(test_template_names__reads_so_many_templates)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    const struct template_loader two_more = {.load = load_two_more, .context = &arena};
    const struct template_source source = source_of("{% include 'x' %}");
    assert_int_equal(template_names(data_map(&arena), &arena, &source, false, &two_more, &err), -1);
    assert_string_equal(err.code, "template-limit");
    assert_string_equal(err.message, "more than 10000 templates are included");
    assert_int_equal(err.where.line, 1);
}

/* ---------------------------------------------------------------- our own filters */

TEST(test_template__to_yaml_is_one_line_of_yaml)
{
    assert_renders("{{ 'no'|to_yaml }} {{ 'plain'|to_yaml }} {{ none|to_yaml }} {{ 1.5|to_yaml }} "
                   "{{ 'a\\nb'|to_yaml }} {{ ['x', true, {'k': []}]|to_yaml }}",
                   "{}", "\"no\" plain null 1.5 \"a\\nb\" [x, true, {k: []}]");
    assert_renders("{{ (n < 2)|to_yaml }} {{ (n + l[0])|to_yaml }} {{ (l + [l])|to_yaml }} "
                   "{{ (1, [])|to_yaml }} {{ {'a': l, 'b': {}}|to_yaml }}",
                   "{\"n\": 1, \"l\": [1, \"x\"]}",
                   "true 2 [1, x, [1, x]] [1, []] {a: [1, x], b: {}}");
}

TEST(test_template__to_yaml_refuses_what_is_no_data)
{
    assert_fails("{{ missing|to_yaml }}", "template-undefined", "'missing' is undefined");
    assert_fails("{{ (1 if false)|to_yaml }}", "template-undefined", "has no 'else'");
    assert_fails("{{ range(3)|to_yaml }}", "template-type", "a range is no plain data");
    assert_fails("{{ 'x'.upper|to_yaml }}", "template-type", "a method is no plain data");
    assert_fails("{{ [1]|unique|to_yaml }}", "template-type", "an iterator is no plain data");
    assert_fails("{{ {1: 2}|to_yaml }}", "template-type", "the key of a mapping is an integer");
}
