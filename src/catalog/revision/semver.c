/* Semantic versions (semver.org 2.0), and tags with such names. */
#include "catalog/semver.h"

#include <string.h>

/* A number without a leading zero that fits. */
static bool take_number(uint64_t *out, const char **at)
{
    const char *start = *at;
    for (*out = 0; str_digit(**at) < 10; (*at)++) {
        if (*out > (UINT64_MAX - 9) / 10)
            return false;
        *out = *out * 10 + (uint64_t)(**at - '0');
    }
    return *at > start && (*start != '0' || *at == start + 1);
}

static bool is_number(struct span word)
{
    for (size_t i = 0; i < word.len; i++)
        if (str_digit(word.ptr[i]) >= 10)
            return false;
    return word.len > 0;
}

static struct span first_word(struct span words)
{
    const char *dot = memchr(words.ptr, '.', words.len);
    return span_of(words.ptr, dot ? (size_t)(dot - words.ptr) : words.len);
}

static struct span behind(struct span words, struct span word)
{
    size_t len = word.len + (word.len < words.len);
    return span_of(words.ptr + len, words.len - len);
}

/* Takes words separated by dots; with `strict`, numbers must not have a leading zero. */
static bool take_words(struct span *out, const char **at, bool strict)
{
    const char *start = *at;
    while (str_digit(**at) < 36 || **at == '-' || **at == '.')
        (*at)++;
    *out = span_of(start, (size_t)(*at - start));
    if (out->len == 0 || start[out->len - 1] == '.')
        return false;
    for (struct span rest = *out; rest.len;) {
        struct span word = first_word(rest);
        if (word.len == 0 || (strict && word.len > 1 && *word.ptr == '0' && is_number(word)))
            return false;
        rest = behind(rest, word);
    }
    return true;
}

bool semver_parse(struct semver *out, const char *text)
{
    struct span build;
    *out = (struct semver){.prerelease = {"", 0}};
    for (int i = 0; i < 3; i++)
        if ((i && *text++ != '.') || !take_number(&out->parts[i], &text))
            return false;
    if (*text == '-' && (text++, !take_words(&out->prerelease, &text, true)))
        return false;
    if (*text == '+' && (text++, !take_words(&build, &text, false)))
        return false;
    return *text == '\0';
}

bool semver_parse_tag(struct semver *out, const char *tag)
{
    return semver_parse(out, tag + (*tag == 'v'));
}

bool semver_is_release(const struct semver *version)
{
    return version->prerelease.len == 0;
}

/* Compares numbers by value (by length first: no leading zeros), and puts them before words. */
static int compare_words(struct span a, struct span b)
{
    bool a_number = is_number(a), b_number = is_number(b);
    if (a_number != b_number)
        return a_number ? -1 : 1;
    if (a_number && a.len != b.len)
        return a.len < b.len ? -1 : 1;
    return span_compare(a, b);
}

int semver_compare(const struct semver *a, const struct semver *b)
{
    struct span left = a->prerelease, right = b->prerelease;
    for (int i = 0; i < 3; i++)
        if (a->parts[i] != b->parts[i])
            return a->parts[i] < b->parts[i] ? -1 : 1;
    if (!left.len || !right.len)
        return (left.len == 0) - (right.len == 0);
    while (left.len && right.len) {
        struct span one = first_word(left), other = first_word(right);
        int order = compare_words(one, other);
        if (order)
            return order;
        left = behind(left, one);
        right = behind(right, other);
    }
    return (left.len > 0) - (right.len > 0);
}

/* ---------------------------------------------------------------- policies */

/* Takes one to three numbers, and returns how many. 0 if invalid, or if text follows. */
static int take_parts(struct semver *out, const char *text, const char *behind)
{
    int count = 0;
    *out = (struct semver){.prerelease = {"", 0}};
    do {
        if (!take_number(&out->parts[count++], &text))
            return 0;
    } while (count < 3 && *text == '.' && str_digit(text[1]) < 10 && text++);
    return strcmp(text, behind) == 0 ? count : 0;
}

/* The first version with a different number at `part`. */
static struct semver next_after(const struct semver *version, int part)
{
    struct semver out = *version;
    out.parts[part]++;
    for (int i = part + 1; i < 3; i++)
        out.parts[i] = 0;
    return out;
}

bool semver_range_parse(struct semver_range *out, const char *text)
{
    bool caret = *text == '^', tilde = *text == '~';
    int count = take_parts(&out->first, text + (caret || tilde), caret || tilde ? "" : ".x");
    int fixed = tilde ? count > 1 : count - 1; /* the last number that stays fixed */
    if (count == 0 || (!caret && !tilde && count == 3))
        return false;
    if (caret)
        for (fixed = 0; fixed + 1 < count && !out->first.parts[fixed];)
            fixed++;
    out->end = next_after(&out->first, fixed);
    return true;
}

bool semver_range_has(const struct semver_range *range, const struct semver *version)
{
    /* 2.0.0-rc.1 comes before 2.0.0, and is no 1.x */
    return semver_compare(version, &range->first) >= 0 &&
           memcmp(version->parts, range->end.parts, sizeof(version->parts)) != 0 &&
           semver_compare(version, &range->end) < 0;
}
