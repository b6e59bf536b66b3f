/* UTF-8, masking, letter case and keys: exhaustively, against what Python 3.11 says. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/sha.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <stdlib.h>
#include <string.h>

#define LAST 0x10FFFF

static bool is_surrogate(uint32_t c)
{
    return c >= 0xD800 && c <= 0xDFFF;
}

TEST(test_utf8__reads_what_it_wrote_for_every_character)
{
    BUF_SCRATCH(text, 64 * LIMIT_MIB);
    size_t pos = 0;
    for (uint32_t c = 0; c <= LAST; c++)
        if (!is_surrogate(c))
            assert_int_equal(utf8_put(&text, c), 0);
    struct span all = span_of(text.ptr, text.len);
    assert_true(utf8_valid(all));
    for (uint32_t c = 0; c <= LAST; c++)
        if (!is_surrogate(c))
            assert_int_equal(utf8_next(all, &pos), c);
    assert_int_equal(pos, text.len);
    for (uint32_t c = LAST + 1; c-- > 0;)
        if (!is_surrogate(c))
            assert_int_equal(utf8_previous(all, &pos), c);
    assert_int_equal(utf8_count(all), LAST + 1 - 0x800);
    assert_int_equal(utf8_offset(all, 0x80), 0x80);
    assert_int_equal(utf8_offset(all, 0x81), 0x82);
    assert_int_equal(utf8_offset(all, SIZE_MAX), all.len);
}

TEST(test_utf8__takes_one_byte_of_what_is_invalid)
{
    static const char *const texts[] = {
        "\x80", /* a continuation alone */
        "\xBF",
        "\xC0\xAF", /* overlong */
        "\xC1\xBF",
        "\xE0\x9F\xBF",
        "\xF0\x8F\xBF\xBF",
        "\xED\xA0\x80", /* surrogates */
        "\xED\xBF\xBF",
        "\xF4\x90\x80\x80", /* above U+10FFFF */
        "\xF5\x80\x80\x80",
        "\xFE",
        "\xFF",
        "\xC3", /* cut short */
        "\xE2\x82",
        "\xF0\x9F\x98",
        "\xE2\x28\xA1", /* broken within */
        "\xF0\x9F\x28\x80",
    };
    for (EACH_ROW(i, texts, texts[i])) {
        size_t pos = 0;
        assert_true(utf8_next(span_from(texts[i]), &pos) == UTF8_INVALID);
        assert_int_equal(pos, 1);
        assert_false(utf8_valid(span_from(texts[i])));
    }
}

TEST(test_utf8__reads_nothing_behind_the_end)
{
    char *text = xmalloc(2); /* on the heap, for the sanitizer to see */
    memcpy(text, "\xE2\x82", 2);
    for (size_t pos = 0; pos < 2;)
        assert_true(utf8_next(span_of(text, 2), &pos) == UTF8_INVALID);
    free(text);
}

struct masked {
    const char *text, *wanted;
};

TEST(test_unicode__masks_what_a_terminal_would_obey_or_hide)
{
    static const struct masked cases[] = {
        {"plain text", "plain text"},
        {"\xC3\xA9 \xE6\x97\xA5 \xF0\x9F\x98\x80", "\xC3\xA9 \xE6\x97\xA5 \xF0\x9F\x98\x80"},
        {"\x1B[31mred", "\\x1B[31mred"},
        {"a\rb\tc\n", "a\\x0Db\\x09c\\x0A"},
        {"\x7F", "\\x7F"},
        {"\xC2\x9B", "\\u009B"},
        {"\xE2\x80\xAE", "\\u202E"},
        {"\xE2\x81\xA6", "\\u2066"},
        {"\xE2\x80\x8B", "\\u200B"},
        {"\xE2\x80\xA9", "\\u2029"},
        {"\xF3\xA0\x81\x81", "\\U000E0041"},
        {"\xFF\xC3(", "\\xFF\\xC3("},
        {"\\x1B", "\\x1B"},
    };
    for (EACH_ROW(i, cases, cases[i].text)) {
        BUF_SCRATCH(once, LIMIT_KIB);
        BUF_SCRATCH(twice, LIMIT_KIB);
        assert_int_equal(unicode_mask(&once, span_from(cases[i].text), false), 0);
        assert_string_equal(buf_text(&once), cases[i].wanted);
        assert_int_equal(unicode_mask(&twice, span_of(once.ptr, once.len), false), 0);
        assert_string_equal(buf_text(&twice), cases[i].wanted);
    }
}

TEST(test_unicode__masks_newlines_unless_they_are_wanted)
{
    BUF_SCRATCH(out, LIMIT_KIB);
    assert_int_equal(unicode_mask(&out, span_from("a\nb\r\n"), true), 0);
    assert_string_equal(buf_text(&out), "a\nb\\x0D\n");
}

TEST(test_unicode__a_full_buffer_is_an_error)
{
    BUF_SCRATCH(masked, 3);
    BUF_SCRATCH(upper, 3);
    BUF_SCRATCH(key, 3);
    assert_int_equal(unicode_mask(&masked, span_from("\x1B"), false), -1);
    assert_int_equal(unicode_put_case(&upper, span_from("abcd"), UNICODE_UPPER), -1);
    assert_int_equal(unicode_fold_key(&key, span_from("\xC3\xA9\xC3\xA9")), -1);
}

/* ---------------------------------------------------------------- all characters, against Python
 */

typedef bool class_function(uint32_t character);

static void assert_class(class_function *function, const char *wanted)
{
    static char all[LAST + 1];
    char digest[SHA256_HEX_SIZE];
    size_t count = 0;
    for (uint32_t c = 0; c <= LAST; c++)
        if (!is_surrogate(c))
            all[count++] = function(c) ? '1' : '0';
    sha256_hex(digest, all, count);
    assert_string_equal(digest, wanted);
}

static bool is_lower(uint32_t c)
{
    BUF_SCRATCH(text, LIMIT_KIB);
    (void)utf8_put(&text, c);
    return unicode_is_lower(span_of(text.ptr, text.len));
}

static bool is_upper(uint32_t c)
{
    BUF_SCRATCH(text, LIMIT_KIB);
    (void)utf8_put(&text, c);
    return unicode_is_upper(span_of(text.ptr, text.len));
}

TEST(test_unicode__classes_are_those_of_python)
{
    assert_class(unicode_is_space,
                 "c288835013403941e55c84f9c3f66ba0c3c11f80bd5745e95622db8c61d3bf81");
    assert_class(unicode_is_printable,
                 "a3643f3bee9a3f7c853d6d179a1bad820e086f4468ac945cbd9b3f433c75b7dc");
    assert_class(unicode_is_hidden,
                 "985b19b4b78cdd4a2cd15b1d7da4247386561d002a699d13affe0706eb83d095");
    assert_class(unicode_is_unassigned,
                 "10d497ba9059b21d7053685e86c402ad5eb62588669dfcddede450dfde1d5d90");
    assert_class(unicode_is_word,
                 "75d93f8da75f01afa6ef08092878a7a9277ef123595ee42cae019636279297ff");
    assert_class(is_lower, "5fff097d3d3772cbe16418c35863748dc7c5d4ff66287d43d351f6e32ef09575");
    assert_class(is_upper, "0da7790c201d83c3047294cb4231c8df7942f3bdec4331e0a5520f98fd55e76d");
}

TEST(test_unicode__controls_are_c0_del_and_c1)
{
    for (uint32_t c = 0; c <= 0x200; c++)
        assert_int_equal(unicode_is_control(c), c < 0x20 || (c >= 0x7F && c <= 0x9F));
}

typedef int mapping(struct buf *out, struct span text);

static int lower(struct buf *out, struct span text)
{
    return unicode_put_case(out, text, UNICODE_LOWER);
}

static int upper(struct buf *out, struct span text)
{
    return unicode_put_case(out, text, UNICODE_UPPER);
}

static int title(struct buf *out, struct span text)
{
    return unicode_put_case(out, text, UNICODE_TITLE);
}

static int capitalize(struct buf *out, struct span text)
{
    return unicode_put_case(out, text, UNICODE_CAPITALIZED);
}

/* Appends the function's result for a text, and a newline. */
static void add_result(struct buf *all, mapping *function, struct span text)
{
    BUF_SCRATCH(out, LIMIT_KIB);
    assert_int_equal(function(&out, text), 0);
    assert_int_equal(buf_append(all, out.ptr, out.len), 0);
    assert_int_equal(buf_putc(all, '\n'), 0);
}

static void add_character(struct buf *all, mapping *function, uint32_t c)
{
    BUF_SCRATCH(text, LIMIT_KIB);
    (void)utf8_put(&text, c);
    add_result(all, function, span_of(text.ptr, text.len));
    buf_truncate(&text, 0);
    (void)buf_puts(&text, "a\xCE\xA3");
    (void)utf8_put(&text, c);
    (void)buf_puts(&text, "\xCE\xA3");
    (void)utf8_put(&text, c);
    add_result(all, function, span_of(text.ptr, text.len));
}

/* The digests are those of `tools/gen-unicode.py --digests`. */
static void assert_mapping(mapping *function, const char *wanted)
{
    static const uint32_t ranges[][2] = {{0, 0x1FFFF}, {0x2F800, 0x2FA1F}, {0xE0000, 0xE01FF}};
    char digest[SHA256_HEX_SIZE];
    BUF_SCRATCH(all, 16 * LIMIT_MIB);
    for (size_t i = 0; i < COUNT(ranges); i++)
        for (uint32_t c = ranges[i][0]; c <= ranges[i][1]; c++)
            if (!is_surrogate(c))
                add_character(&all, function, c);
    sha256_hex(digest, buf_text(&all), all.len);
    assert_string_equal(digest, wanted);
}

TEST(test_unicode__lower_is_that_of_python)
{
    assert_mapping(lower, "a0b3ebaf5afd92070b70dc85c9cb6768ac74ada603bc525de839ab365abe2665");
}

TEST(test_unicode__upper_is_that_of_python)
{
    assert_mapping(upper, "8777e583161249c6bae65ada0ebe9aab31064c6a945098c437271c991e859ad0");
}

TEST(test_unicode__title_is_that_of_python)
{
    assert_mapping(title, "f71c9d1f5b8d428fd3a5a1a1be02ce247ed361e9a42c41692f77fe1c0f8dd094");
}

TEST(test_unicode__capitalize_is_that_of_python)
{
    assert_mapping(capitalize, "6d9b25ef0d429452dc75d69485b26840d543ac5ea76c93e8ab5615244ac94797");
}

TEST(test_unicode__fold_key_is_nfd_of_the_folded_nfd)
{
    assert_mapping(unicode_fold_key,
                   "ed8f337226116b18249962f5b0d10ef580a9e5f90e5c41d4c7239ace33c28b4b");
}

static int put_digit(struct buf *out, struct span text)
{
    size_t pos = 0;
    return buf_printf(out, "%d", unicode_digit(utf8_next(text, &pos)));
}

TEST(test_unicode__digits_are_those_of_python)
{
    assert_mapping(put_digit, "39f9e75ce24f0051a66d522dab9476b11d9177964ecfd4dbfad100e8db565d8c");
}

/* ---------------------------------------------------------------- by hand */

static void assert_text(mapping *function, const char *text, const char *wanted)
{
    BUF_SCRATCH(out, LIMIT_KIB);
    assert_int_equal(function(&out, span_from(text)), 0);
    assert_string_equal(buf_text(&out), wanted);
}

TEST(test_unicode__case_of_words)
{
    assert_text(lower, "HELLO World", "hello world");
    assert_text(upper,
                "stra\xC3\x9F"
                "e",
                "STRASSE");
    assert_text(title, "they're bill's 3rd x", "They'Re Bill'S 3Rd X");
    assert_text(capitalize, "hELLO wORLD", "Hello world");
    assert_text(lower, "\xCE\x9F\xCE\xA3 \xCE\xA3", "\xCE\xBF\xCF\x82 \xCF\x83");
    assert_text(lower, "\xC4\xB0", "i\xCC\x87");
    assert_text(title, "\xC7\x84", "\xC7\x85");
    assert_text(lower, "", "");
}

TEST(test_unicode__bytes_that_are_no_utf8_stay)
{
    assert_text(upper,
                "a\xFF"
                "b\xC3",
                "A\xFF"
                "B\xC3");
    assert_text(unicode_fold_key, "A\xFF\xC3\x89\xC3",
                "a\xFF"
                "e\xCC\x81\xC3");
}

TEST(test_unicode__marks_of_many_classes_are_put_in_order)
{
    /* U+0345 (240), U+0301 (230), U+0323 (220), U+0327 (202); two of one class keep their order */
    assert_text(unicode_fold_key, "a\xCC\x81\xCC\xA3\xCC\xA7\xCC\x80",
                "a\xCC\xA7\xCC\xA3\xCC\x81\xCC\x80");
    /* U+0345 folds to a letter: what stood in front of it stays in front */
    assert_text(unicode_fold_key, "\xCE\xB1\xCD\x85\xCC\x81", "\xCE\xB1\xCC\x81\xCE\xB9");
}

TEST(test_unicode__a_million_marks_are_no_problem)
{
    BUF_SCRATCH(text, 8 * LIMIT_MIB);
    BUF_SCRATCH(key, 8 * LIMIT_MIB);
    for (int i = 0; i < 500000; i++)
        (void)buf_puts(&text, i % 2 ? "\xCC\x81" : "\xCC\xA3");
    assert_int_equal(unicode_fold_key(&key, span_of(text.ptr, text.len)), 0);
    assert_int_equal(key.len, text.len);
    assert_memory_equal(key.ptr, "\xCC\xA3\xCC\xA3", 4);
    assert_memory_equal(key.ptr + key.len - 4, "\xCC\x81\xCC\x81", 4);
}
