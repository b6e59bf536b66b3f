/* Patterns: what they match, what they refuse and where, their limits; and libc as a judge. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/pattern.h"
#include "base/str.h"
#include "base/utf8.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <locale.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static bool matches(const char *pattern, const char *text)
{
    bool matched = false;
    ERR_SCRATCH(err);
    if (pattern_match(&matched, span_from(pattern), span_from(text), &err) < 0)
        fail_msg("'%s': %s", pattern, err.message);
    return matched;
}

/* ---------------------------------------------------------------- what matches */

/* A pattern, texts that it matches and others; both end with NULL. */
struct matching {
    const char *pattern, *good[8], *bad[8];
};

static const struct matching matching[] = {
    {"", {""}, {"a"}},
    {"a", {"a"}, {"", "b", "aa", "ba", "ab"}},
    {"abc", {"abc"}, {"ab", "abcd"}},
    {".", {"a", "\n", "\u00E4", "\u65E5", "\U0001F600"}, {"", "ab", "\u00E4\u00E4"}},
    {"..", {"\u00E4\u00E4"}, {"\u00E4"}},
    {"a*", {"", "a", "aaaa"}, {"b", "ab"}},
    {"a+", {"a", "aaaa"}, {"", "b"}},
    {"a?", {"", "a"}, {"aa"}},
    {"\u00E4+", {"\u00E4", "\u00E4\u00E4"}, {"", "\u00E4\u00E5", "a"}},
    {"a{2}", {"aa"}, {"a", "aaa"}},
    {"a{2,}", {"aa", "aaaaa"}, {"", "a"}},
    {"a{2,4}", {"aa", "aaa", "aaaa"}, {"a", "aaaaa"}},
    {"a{0,2}", {"", "a", "aa"}, {"aaa"}},
    {"a{0,}", {"", "aaa"}, {"b"}},
    {"xa{0}y", {"xy"}, {"xay"}},
    {"a{1}", {"a"}, {"", "aa"}},
    {"(ab){2,3}", {"abab", "ababab"}, {"ab", "aab", "abababab"}},
    {"(a{2}){2}", {"aaaa"}, {"aa", "aaa", "aaaaa"}},
    {"a|b|cd", {"a", "b", "cd"}, {"", "c", "ab", "acd"}},
    {"x(a|b)*y", {"xy", "xaby", "xbbby"}, {"x", "y", "xcy"}},
    {"(|a)b", {"b", "ab"}, {"", "a"}},
    {"a|", {"a", ""}, {"b"}},
    {"()", {""}, {"a"}},
    {"()*a", {"a"}, {""}},
    {"(a?)*b", {"b", "aab"}, {"a"}},
    {"(a*)*", {"", "aaa"}, {"b"}},
    {"((a*)+b?){2,}", {"", "ab", "aabab"}, {"c"}},
    {"^a$", {"a"}, {"", "a\n", "\na"}},
    {"(^a|b)c$", {"ac", "bc"}, {"c", "acc"}},
    {"a^b", {0}, {"ab", "a^b", "a\nb"}},
    {"(^|x)a($|y)", {"a", "xa", "ay", "xay"}, {"", "x", "yax"}},
    {"$", {""}, {"$", "a"}},
    {"[abc]", {"a", "b", "c"}, {"", "d", "ab"}},
    {"[a-cx-z]", {"a", "b", "c", "x", "z"}, {"d", "w", "-"}},
    {"[^a-c]", {"d", "\n", "\u00E4", "^"}, {"a", "b", "", "dd"}},
    {"[]a]", {"]", "a"}, {"b", "[]"}},
    {"[^]a]", {"b", "["}, {"]", "a"}},
    {"[a^]", {"a", "^"}, {"b"}},
    {"[-a]", {"-", "a"}, {"b"}},
    {"[a-]", {"-", "a"}, {"b", "`"}},
    {"[+--]", {"+", ",", "-"}, {"*", "."}},
    {"[--/]", {"-", ".", "/"}, {",", "0"}},
    {"[a[]", {"a", "["}, {"b"}},
    {"[a.*+?(){}|$]+", {"a.*+?(){}|$"}, {"^", "b"}},
    {"[a\\\\]+", {"a\\"}, {"b"}},
    {"[\u00E0-\u00FF]+", {"\u00E4\u00FC"}, {"a", "\u0100"}},
    {"[\U0001F600-\U0001F64F]", {"\U0001F600"}, {"\U0001F5FF"}},
    {"[[:alpha:]]+", {"azAZ"}, {"a1", "\u00E4", "_"}},
    {"[[:digit:]]+", {"0189"}, {"a", "\u0661"}},
    {"[[:alnum:]_-]+", {"aZ09_-"}, {"."}},
    {"[[:upper:]][[:lower:]]", {"Ab"}, {"ab", "AB"}},
    {"[[:space:]]+", {" \t\n\v\f\r"}, {"a", "\u00A0"}},
    {"[[:blank:]]+", {" \t"}, {"\n"}},
    {"[[:punct:]]+", {"!/:@[`{~_"}, {"a", " "}},
    {"[[:print:]]+", {" ~a"}, {"\t", "\x7F"}},
    {"[[:graph:]]+", {"!~a"}, {" "}},
    {"[[:cntrl:]]+", {"\x01\x1F\x7F"}, {" "}},
    {"[[:xdigit:]]+", {"09afAF"}, {"g"}},
    {"[^[:digit:]]", {"a", "\u00E4"}, {"1"}},
    {"\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\^\\$\\\\", {".*+?()[]{}|^$\\"}, {"a"}},
    {"\\-\\/\\@\\\"\\#\\_", {"-/@\"#_"}, {"\\-"}},
    {"]}-,:", {"]}-,:"}, {""}},
};

TEST(test_pattern__matches_whole_texts)
{
    for (EACH_ROW(i, matching, matching[i].pattern)) {
        const struct matching *row = &matching[i];
        for (const char *const *text = row->good; *text; text++)
            if (!matches(row->pattern, *text))
                fail_msg("'%s' must match '%s'", row->pattern, *text);
        for (const char *const *text = row->bad; *text; text++)
            if (matches(row->pattern, *text))
                fail_msg("'%s' must not match '%s'", row->pattern, *text);
    }
}

/* ---------------------------------------------------------------- what is refused */

struct refused {
    const char *pattern;
    size_t at;
    const char *message, *hint;
};

static const struct refused refused[] = {
    {"ab\\d", 2, "no '\\d'", "write [0-9]"},
    {"\\D", 0, "no '\\D'", "[^0-9]"},
    {"\\w+", 0, "no '\\w'", "[A-Za-z0-9_]"},
    {"\\W", 0, "no '\\W'", "[^A-Za-z0-9_]"},
    {"\\s", 0, "no '\\s'", "[[:space:]]"},
    {"\\S", 0, "no '\\S'", "[^[:space:]]"},
    {"a\\b", 1, "no '\\b', a word boundary", "characters"},
    {"\\<a", 0, "no '\\<', a word boundary", "characters"},
    {"\\Aa", 0, "no '\\A'", "whole answer"},
    {"a\\Z", 1, "no '\\Z'", "whole answer"},
    {"a\\'", 1, "no '\\''", "whole answer"},
    {"\\p{L}", 0, "no '\\p', a property of Unicode", "characters"},
    {"(a)\\1", 3, "no '\\1', a reference back", "(aa|bb)"},
    {"a\\n", 1, "no '\\n'", "YAML"},
    {"\\x41", 0, "no '\\x'", "itself"},
    {"\\\u00E4", 0, "no '\\\u00E4'", "itself"},
    {"\\0", 0, "no '\\0'", "itself"},
    {"a\\", 1, "ends with a '\\'", "'\\\\'"},
    {"(?:a)", 0, "no '(?:'", "write '('"},
    {"a(?=b)", 1, "no '(?=', looking ahead", "refuse"},
    {"(?!a)", 0, "no '(?!', looking ahead", "refuse"},
    {"(?<=a)", 0, "no '(?<=', looking behind", "refuse"},
    {"(?<!a)", 0, "no '(?<!', looking behind", "refuse"},
    {"(?<n>a)", 0, "no '(?<', a named group", "write '('"},
    {"(?P<n>a)", 0, "no '(?P', a named group", "write '('"},
    {"(?#a)", 0, "no '(?#', a comment", "YAML"},
    {"(?i)a", 0, "no '(?', a flag", "[aA]"},
    {"a*?", 1, "no '*?', a lazy repetition", "leave"},
    {"a{2,3}?", 1, "no '{2,3}?', a lazy repetition", "leave"},
    {"ba++", 2, "no '++', a possessive repetition", "group"},
    {"a**", 1, "no '**', a repetition of a repetition", "(a*)*"},
    {"a{2}{3}", 1, "no '{2}{', a repetition of a repetition", "(a*)*"},
    {"*a", 0, "nothing before the repetition", "'\\'"},
    {"a|+", 2, "nothing before the repetition", "'\\'"},
    {"(?", 0, "no '(?'", ""},
    {"({1})", 1, "nothing before the repetition", "'\\'"},
    {"^*", 1, "end of an answer cannot be repeated", "'\\'"},
    {"a$+", 2, "end of an answer cannot be repeated", "'\\'"},
    {"a{", 1, "braces hold no numbers", "{2,5}"},
    {"a{x}", 1, "braces hold no numbers", "{2,5}"},
    {"a{,3}", 1, "braces hold no numbers", "{2,5}"},
    {"a{2", 1, "braces hold no numbers", "{2,5}"},
    {"a{2,3", 1, "braces hold no numbers", "{2,5}"},
    {"a{ 2}", 1, "braces hold no numbers", "{2,5}"},
    {"a{3,2}", 1, "fewer at most than at least", ""},
    {"(a", 0, "the '(' has no ')'", "\\("},
    {"a((b)", 1, "the '(' has no ')'", "\\("},
    {"a)b", 1, "the ')' has no '('", "\\)"},
    {"a[b", 1, "the '[' has no ']'", "\\["},
    {"[]", 0, "the '[' has no ']'", "\\["},
    {"[^]", 0, "the '[' has no ']'", "\\["},
    {"[a-", 0, "the '[' has no ']'", "\\["},
    {"[z-a]", 1, "ends before it begins", "lower"},
    {"[a-c-e]", 4, "is no range", "end of the set"},
    {"[a--]", 1, "ends before it begins", "lower"},
    {"[[:alpha:]-z]", 10, "is no range", "end of the set"},
    {"[a-[:alpha:]]", 1, "no end of a range", "end of the set"},
    {"[[:word:]]", 1, "no such class", "[:alnum:]"},
    {"[[:alpha]]", 1, "no such class", "[:alnum:]"},
    {"[[.a.]]", 1, "collating", "characters"},
    {"[[=a=]]", 1, "collating", "characters"},
    {"[a-[.b.]]", 3, "collating", "characters"},
    {"[\\d]", 1, "no '\\d', an escape in a set", "0-9"},
    {"[a\\]]", 2, "no '\\]', an escape in a set", "first"},
};

TEST(test_pattern__refuses_by_name_and_place)
{
    for (EACH_ROW(i, refused, refused[i].pattern)) {
        const struct refused *row = &refused[i];
        size_t at = SIZE_MAX;
        ERR_SCRATCH(err);
        if (pattern_check(&at, span_from(row->pattern), &err) == 0)
            fail_msg("'%s' must be refused", row->pattern);
        if (err.exit != TG_USAGE || strcmp(err.code, "invalid") != 0 || at != row->at ||
            !strstr(err.message, row->message) || !strstr(err.hint, row->hint))
            fail_msg("'%s': %s: at %zu: %s; %s", row->pattern, err.code, at, err.message, err.hint);
    }
}

/* ---------------------------------------------------------------- limits */

static char *repeated(struct arena *arena, const char *before, const char *text, size_t times,
                      const char *behind)
{
    size_t len = strlen(text), start = strlen(before);
    char *out = arena_alloc(arena, start + len * times + strlen(behind) + 1);
    memcpy(out, before, start);
    for (size_t i = 0; i < times; i++)
        memcpy(out + start + i * len, text, len);
    memcpy(out + start + len * times, behind, strlen(behind));
    return out;
}

static bool over_limit(const char *pattern, const char *what)
{
    size_t at = 0;
    ERR_SCRATCH(err);
    if (pattern_check(&at, span_from(pattern), &err) == 0)
        return false;
    assert_string_equal(err.code, "limit");
    assert_non_null(strstr(err.message, what));
    assert_non_null(err.hint);
    assert_true(at <= strlen(pattern));
    return true;
}

TEST(test_pattern__holds_limits_exactly)
{
    ARENA_SCRATCH(arena);
    assert_false(over_limit(repeated(&arena, "", "a", LIMIT_PATTERN_BYTES, ""), ""));
    assert_true(over_limit(repeated(&arena, "", "a", LIMIT_PATTERN_BYTES + 1, ""), "bytes"));
    char *closed = repeated(&arena, "a", ")", LIMIT_PATTERN_NESTING, "");
    assert_false(over_limit(repeated(&arena, "", "(", LIMIT_PATTERN_NESTING, closed), ""));
    closed = repeated(&arena, "a", ")", LIMIT_PATTERN_NESTING + 1, "");
    assert_true(over_limit(repeated(&arena, "", "(", LIMIT_PATTERN_NESTING + 1, closed), "groups"));
    assert_false(over_limit("a{10000}", ""));
    assert_false(over_limit("(a{100}){100}", ""));
    assert_false(over_limit("a{0,5000}", ""));
    assert_false(over_limit("a{9997}|", ""));
    assert_true(over_limit("a{9998}|", "states"));
    assert_true(over_limit("a{10001}", "states"));
    assert_true(over_limit("a{0,5001}", "states"));
    assert_true(over_limit("a{10000}b", "states"));
    assert_true(over_limit("a{10000}|b", "states"));
    assert_true(over_limit("(){10001}", "states"));
    assert_true(over_limit("((((((a{99}){99}){99}){99}){99}){99}){99}", "states"));
    assert_true(over_limit("a{99999999999999999999999999}", "states"));
    assert_true(over_limit("(((a?){0,200}){0,200})a{200}", "states"));
}

/* Patterns that take the most steps for a text, which is the longest that there can be. */
TEST(test_pattern__comes_to_an_end)
{
    static const char *const patterns[] = {
        "(a|a|a|a|a|a)*b", "((a*)*)*b",   "(a?){3000}a{3000}", "(.*.*.*.*.*)*b",
        "(a{1,70}){1,70}", ".*a.{4000}b", "(a*){3000}b",       "(()*|a)*b",
    };
    ARENA_SCRATCH(arena);
    struct span text =
        span_of(repeated(&arena, "", "a", LIMIT_ANSWER_BYTES, ""), LIMIT_ANSWER_BYTES);
    for (EACH_ROW(i, patterns, patterns[i])) {
        bool matched = false;
        ERR_SCRATCH(err);
        if (pattern_match(&matched, span_from(patterns[i]), text, &err) < 0 &&
            strcmp(err.code, "limit") != 0)
            fail_msg("'%s': %s", patterns[i], err.message);
        assert_false(matched);
    }
}

/* ---------------------------------------------------------------- libc as a judge */

/* A generator of its own: the same numbers everywhere. */
struct dice {
    uint64_t state;
};

static size_t roll(struct dice *dice, size_t sides)
{
    dice->state = dice->state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (size_t)(dice->state >> 33) % sides;
}

static const char *pick(struct dice *dice, const char *const *items, size_t count)
{
    return items[roll(dice, count)];
}

#define PICK(dice, items) pick((dice), (items), COUNT(items))

/*
 * What libc and this mean alike: it has letters beyond ASCII, and mistakes itself where a '^' or
 * '$' stands inside.
 */
static const char *const atoms[] = {"a",
                                    "b",
                                    "\u00E4",
                                    ".",
                                    "[ab]",
                                    "[^a]",
                                    "[a-c]",
                                    "[^b-d\u00E4]",
                                    "[[:xdigit:]]",
                                    "[^[:digit:]]",
                                    "[]-]",
                                    "\\.",
                                    "()",
                                    "[a[:digit:]-]",
                                    "-",
                                    "1",
                                    "]",
                                    "}"};
static const char *const repetitions[] = {"",  "",    "",      "",     "*",     "+",
                                          "?", "{2}", "{0,2}", "{1,}", "{0,1}", "{1,2}"};
static const char *const letters[] = {"a", "b", "c", "\u00E4", "-", ".", "1", "]", "\n"};

/* A pattern by the grammar. */
static void grow(struct buf *out, struct dice *dice, size_t depth)
{
    for (size_t i = roll(dice, 4); i > 0; i--) {
        if (depth && roll(dice, 3) == 0) {
            (void)buf_putc(out, '(');
            grow(out, dice, depth - 1);
            if (roll(dice, 2) == 0) {
                (void)buf_putc(out, '|');
                grow(out, dice, depth - 1);
            }
            (void)buf_putc(out, ')');
            (void)buf_puts(out, PICK(dice, repetitions));
            continue;
        }
        (void)buf_puts(out, PICK(dice, atoms));
        (void)buf_puts(out, PICK(dice, repetitions));
    }
}

/* Signs in any order: most are no pattern, but what is one is one to libc. */
static void stir(struct buf *out, struct dice *dice)
{
    static const char *const signs[] = {
        "a", "b", "(", ")", "[",  "]",   "{", "}", "*",  "+", "?", "|",      "[^", "[a",  ".",
        "-", ",", "1", "2", "\\", "\\.", "]", ":", "[:", "=", "<", "\u00E4", "'",  "{1,", "a-"};
    for (size_t i = roll(dice, 9); i > 0; i--)
        (void)buf_puts(out, PICK(dice, signs));
}

/* How many of some texts match, by both. */
static size_t compare(struct dice *dice, const char *pattern, const regex_t *judge)
{
    size_t matching_count = 0;
    for (int i = 0; i < 12; i++) {
        BUF_SCRATCH(text, 100);
        for (size_t n = roll(dice, 7); n > 0; n--)
            (void)buf_puts(&text, PICK(dice, letters));
        bool wanted = regexec(judge, buf_text(&text), 0, NULL, 0) == 0;
        if (matches(pattern, buf_text(&text)) != wanted)
            fail_msg("'%s' and '%s': libc says %s", pattern, buf_text(&text),
                     wanted ? "yes" : "no");
        matching_count += wanted;
    }
    return matching_count;
}

#define LIBC_BYTES 60 /* it takes hours with some that are hardly longer */

/* How many matches there were with so many random patterns. */
static size_t compare_many(struct dice *dice, int rounds, bool by_grammar)
{
    size_t found = 0;
    for (int i = 0; i < rounds; i++) {
        BUF_SCRATCH(pattern, LIMIT_MIB);
        BUF_SCRATCH(whole, LIMIT_MIB);
        regex_t judge;
        size_t at;
        ERR_SCRATCH(err);
        if (by_grammar)
            grow(&pattern, dice, 2);
        else
            stir(&pattern, dice);
        const char *text = buf_text(&pattern);
        if (pattern.len > LIBC_BYTES)
            continue;
        if (pattern_check(&at, span_from(text), &err) < 0) {
            if (by_grammar)
                fail_msg("'%s': %s", text, err.message);
            continue;
        }
        (void)buf_printf(&whole, "^(%s)$", text);
        int rc = regcomp(&judge, buf_text(&whole), REG_EXTENDED | REG_NOSUB);
        if (rc == REG_ECOLLATE)
            continue; /* it knows no range that ends beyond ASCII, in this locale */
        if (rc != 0)
            fail_msg("'%s' is no pattern to libc", text);
        found += compare(dice, text, &judge);
        regfree(&judge);
    }
    return found;
}

TEST(test_pattern__agrees_with_libc)
{
    const char *given = getenv("TMPLGEN_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    struct dice dice = {seed};
    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        skip();
    print_message("TMPLGEN_SEED=%llu\n", (unsigned long long)seed);
    assert_true(compare_many(&dice, 3000, true) > 3000);
    assert_true(compare_many(&dice, 30000, false) > 3000);
    (void)setlocale(LC_CTYPE, "C");
}
