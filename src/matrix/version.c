/* PEP 440: versions, and the SPECs that select them. */
#include "matrix/version.h"

#include "base/arena.h"

#include <ctype.h>
#include <string.h>

/*
 * PEP 440 sorts 1.dev1 < 1a1 < 1b1 < 1rc1 < 1 < 1.post1. These numbers give that order, with "no
 * dev release" later than any dev release, and "no post release" earlier than any.
 */
enum { PRE_BEFORE_ALL, PRE_ALPHA, PRE_BETA, PRE_CANDIDATE, PRE_NONE };

#define NO_POST ((int64_t)-1)
#define NO_DEV INT64_MAX
#define NUMBER_MAX ((uint64_t)1000000000000000000) /* 10^18 */
#define CLAUSES_MAX 16

/* Reads digits; false if there are none, or too many. */
static bool take_number(const char **at, uint64_t *out)
{
    const char *p = *at;
    uint64_t value = 0;
    if (!isdigit((unsigned char)*p))
        return false;
    for (; isdigit((unsigned char)*p); p++) {
        if (value >= NUMBER_MAX / 10)
            return false;
        value = value * 10 + (uint64_t)(*p - '0');
    }
    *at = p;
    *out = value;
    return true;
}

static bool is_separator(char c)
{
    return c == '.' || c == '-' || c == '_';
}

/* Skips `word` at `p`, ignoring case; false if it is not there. */
static bool take_word(const char **p, const char *word)
{
    const char *at = *p;
    for (; *word; word++, at++)
        if (tolower((unsigned char)*at) != *word)
            return false;
    *p = at;
    return true;
}

struct suffix_word {
    const char *word;
    int kind; /* of the pre-release; 0 for post and dev */
};

/*
 * Reads [separator] word [separator] [number]; a missing number is 0. Returns the word's index, or
 * -1 without reading anything.
 */
static int take_suffix(const char **p, int64_t *number, const struct suffix_word *words,
                       size_t count, bool *bad)
{
    const char *at = *p;
    if (is_separator(*at))
        at++;
    for (size_t i = 0; i < count; i++) {
        const char *behind = at;
        if (!take_word(&behind, words[i].word))
            continue;
        const char *digits = behind;
        uint64_t value = 0;
        if (is_separator(*digits) && isdigit((unsigned char)digits[1]))
            digits++;
        if (isdigit((unsigned char)*digits)) {
            if (!take_number(&digits, &value)) {
                *bad = true;
                return -1;
            }
            behind = digits;
        }
        *p = behind;
        *number = (int64_t)value;
        return (int)i;
    }
    return -1;
}

static const struct suffix_word pre_words[] = {{"alpha", PRE_ALPHA},       {"a", PRE_ALPHA},
                                               {"beta", PRE_BETA},         {"b", PRE_BETA},
                                               {"c", PRE_CANDIDATE},       {"rc", PRE_CANDIDATE},
                                               {"preview", PRE_CANDIDATE}, {"pre", PRE_CANDIDATE}};
static const struct suffix_word post_words[] = {{"post", 0}, {"rev", 0}, {"r", 0}};
static const struct suffix_word dev_words[] = {{"dev", 0}};

static bool take_release(struct version *out, const char **p)
{
    uint64_t number;
    if (!take_number(p, &number))
        return false;
    if (**p == '!') {
        ++*p;
        out->epoch = number;
        if (!take_number(p, &number))
            return false;
    }
    out->release[out->count++] = number;
    while (**p == '.' && isdigit((unsigned char)(*p)[1])) {
        ++*p;
        if (out->count == VERSION_PARTS || !take_number(p, &out->release[out->count++]))
            return false;
    }
    return true;
}

static bool take_suffixes(struct version *out, const char **p)
{
    bool bad = false;
    int at = take_suffix(p, &out->pre, pre_words, sizeof pre_words / sizeof *pre_words, &bad);
    if (at >= 0)
        out->pre_kind = pre_words[at].kind;
    uint64_t implicit;
    if (**p == '-' && isdigit((unsigned char)(*p)[1])) { /* 1.0-1 is 1.0.post1 */
        ++*p;
        if (!take_number(p, &implicit))
            return false;
        out->post = (int64_t)implicit;
    } else {
        take_suffix(p, &out->post, post_words, sizeof post_words / sizeof *post_words, &bad);
    }
    take_suffix(p, &out->dev, dev_words, 1, &bad);
    if (at < 0 && out->post == NO_POST && out->dev != NO_DEV)
        out->pre_kind = PRE_BEFORE_ALL;
    return !bad;
}

static bool take_local(struct version *out, const char **p)
{
    if (**p != '+')
        return true;
    const char *start = ++*p;
    bool filled = false;
    for (; **p && !isspace((unsigned char)**p); ++*p) {
        if (isalnum((unsigned char)**p))
            filled = true;
        else if (is_separator(**p) && filled)
            filled = false;
        else
            return false;
    }
    out->local = span_of(start, (size_t)(*p - start));
    return filled;
}

int version_parse(struct version *out, const char *text)
{
    const char *p = text;
    *out = (struct version){
        .text = text, .pre_kind = PRE_NONE, .post = NO_POST, .dev = NO_DEV, .local = {NULL, 0}};
    while (isspace((unsigned char)*p))
        p++;
    if (*p == 'v' || *p == 'V')
        p++;
    if (!take_release(out, &p) || !take_suffixes(out, &p) || !take_local(out, &p))
        return -1;
    while (isspace((unsigned char)*p))
        p++;
    return *p ? -1 : 0;
}

#define order(a, b) (((a) > (b)) - ((a) < (b)))

static uint64_t part_of(const struct version *version, size_t part)
{
    return part < version->count ? version->release[part] : 0;
}

int version_compare_parts(const struct version *a, const struct version *b, size_t parts)
{
    for (size_t i = 0; i < parts; i++) {
        int result = order(part_of(a, i), part_of(b, i));
        if (result)
            return result;
    }
    return 0;
}

/* The next segment of a local version; moves `local` past it. */
static struct span next_segment(struct span *local)
{
    size_t len = 0;
    while (len < local->len && !is_separator(local->ptr[len]))
        len++;
    struct span segment = span_of(local->ptr, len);
    size_t step = len < local->len ? len + 1 : len;
    *local = span_of(local->ptr + step, local->len - step);
    return segment;
}

static bool all_digits(struct span text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!isdigit((unsigned char)text.ptr[i]))
            return false;
    return true;
}

/* Numbers compare as numbers, and are later than words; words compare ignoring case. */
static int compare_segments(struct span a, struct span b)
{
    bool a_number = all_digits(a), b_number = all_digits(b);
    if (a_number != b_number)
        return a_number ? 1 : -1;
    if (a_number) {
        for (; a.len > 1 && *a.ptr == '0'; a.ptr++)
            a.len--;
        for (; b.len > 1 && *b.ptr == '0'; b.ptr++)
            b.len--;
        if (a.len != b.len)
            return a.len > b.len ? 1 : -1;
    }
    for (size_t i = 0; i < a.len && i < b.len; i++) {
        int result = tolower((unsigned char)a.ptr[i]) - tolower((unsigned char)b.ptr[i]);
        if (result)
            return result;
    }
    return order(a.len, b.len);
}

static int compare_locals(struct span a, struct span b)
{
    while (a.len && b.len) {
        int result = compare_segments(next_segment(&a), next_segment(&b));
        if (result)
            return result;
    }
    return (a.len > 0) - (b.len > 0);
}

/* Order without the local part. */
static int compare_public(const struct version *a, const struct version *b)
{
    int result = order(a->epoch, b->epoch);
    if (!result)
        result = version_compare_parts(a, b, VERSION_PARTS);
    if (!result)
        result = a->pre_kind - b->pre_kind;
    if (!result && a->pre_kind != PRE_NONE)
        result = order(a->pre, b->pre);
    if (!result)
        result = order(a->post, b->post);
    return result ? result : order(a->dev, b->dev);
}

int version_compare(const struct version *a, const struct version *b)
{
    int result = compare_public(a, b);
    return result ? result : compare_locals(a->local, b->local);
}

bool version_is_prerelease(const struct version *version)
{
    return version->pre_kind != PRE_NONE || version->dev != NO_DEV;
}

/* ------------------------------------------------------------------ SPECs */

static const struct {
    const char *text;
    enum spec_op op;
} operators[] = {
    {"==", SPEC_EQ},         {"!=", SPEC_NE}, {">=", SPEC_GE}, {"<=", SPEC_LE},
    {"~=", SPEC_COMPATIBLE}, {">", SPEC_GT},  {"<", SPEC_LT},
};

static bool wants_release_only(const struct version *version)
{
    return version->pre_kind == PRE_NONE && version->post == NO_POST && version->dev == NO_DEV &&
           !version->local.len;
}

/* Parses one clause, NUL-terminated and without spaces around it; false if the form is wrong. */
static bool parse_clause(struct spec_clause *out, char *text)
{
    bool bare = true;
    *out = (struct spec_clause){.op = SPEC_EQ};
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (!str_starts(text, operators[i].text))
            continue;
        out->op = operators[i].op;
        text += strlen(operators[i].text);
        bare = false;
        break;
    }
    size_t len = strlen(text);
    if (len > 2 && memcmp(text + len - 2, ".*", 2) == 0) {
        text[len - 2] = '\0';
        out->wildcard = true;
    }
    if (version_parse(&out->version, text))
        return false;
    if (bare && wants_release_only(&out->version))
        out->wildcard = true;
    if (out->wildcard &&
        ((out->op != SPEC_EQ && out->op != SPEC_NE) || !wants_release_only(&out->version)))
        return false;
    if (out->op == SPEC_COMPATIBLE && out->version.count < 2)
        return false;
    return out->op == SPEC_EQ || out->op == SPEC_NE || !out->version.local.len;
}

static char *trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t len = strlen(text);
    while (len && isspace((unsigned char)text[len - 1]))
        text[--len] = '\0';
    return text;
}

int spec_parse(struct spec *out, struct arena *arena, const char *text, const char *what,
               struct err *err)
{
    char *copy = trim(arena_strdup(arena, text));
    *out = (struct spec){.text = text};
    if (!*copy)
        return 0;
    out->clauses = arena_array(arena, CLAUSES_MAX, sizeof *out->clauses);
    for (char *next = copy; next;) {
        char *clause = next;
        next = strchr(clause, ',');
        if (next)
            *next++ = '\0';
        if (out->count == CLAUSES_MAX || !parse_clause(&out->clauses[out->count++], trim(clause))) {
            err_set(err, TG_USAGE, "invalid-spec", "%s: '%s' is no version or SPEC", what, text);
            return err_hint(err, "such as 2.4, ==2.4.1 or '>=2.3,<2.6' (PEP 440)");
        }
    }
    return 0;
}

/* Whether `version` begins with the numbers of `prefix`. */
static bool has_prefix(const struct version *version, const struct version *prefix)
{
    return version->epoch == prefix->epoch &&
           version_compare_parts(version, prefix, prefix->count) == 0;
}

static bool equals(const struct spec_clause *clause, const struct version *version)
{
    if (clause->wildcard)
        return has_prefix(version, &clause->version);
    if (clause->version.local.len)
        return version_compare(version, &clause->version) == 0;
    return compare_public(version, &clause->version) == 0;
}

static bool is_greater(const struct version *version, const struct version *bound)
{
    struct version before = *version; /* the version that it is a post-release of */
    before.post = NO_POST;
    before.dev = NO_DEV;
    if (compare_public(version, bound) <= 0)
        return false;
    return version->post == NO_POST || bound->post != NO_POST ||
           compare_public(&before, bound) != 0;
}

static bool is_less(const struct version *version, const struct version *bound)
{
    if (version_compare(version, bound) >= 0)
        return false;
    return version_is_prerelease(bound) || !version_is_prerelease(version) ||
           version->epoch != bound->epoch ||
           version_compare_parts(version, bound, VERSION_PARTS) != 0; /* whatever follows it */
}

static bool is_compatible(const struct version *version, const struct version *bound)
{
    struct version prefix = *bound;
    prefix.count--;
    return compare_public(version, bound) >= 0 && has_prefix(version, &prefix);
}

static bool clause_matches(const struct spec_clause *clause, const struct version *version)
{
    switch (clause->op) {
    case SPEC_EQ:
        return equals(clause, version);
    case SPEC_NE:
        return !equals(clause, version);
    case SPEC_GE:
        return compare_public(version, &clause->version) >= 0;
    case SPEC_LE:
        return compare_public(version, &clause->version) <= 0;
    case SPEC_GT:
        return is_greater(version, &clause->version);
    case SPEC_LT:
        return is_less(version, &clause->version);
    case SPEC_COMPATIBLE:
        return is_compatible(version, &clause->version);
    }
    return false;
}

static bool names_prerelease(const struct spec *spec)
{
    for (size_t i = 0; i < spec->count; i++)
        if (version_is_prerelease(&spec->clauses[i].version))
            return true;
    return false;
}

bool spec_matches(const struct spec *spec, const struct version *version)
{
    if (version_is_prerelease(version) && !names_prerelease(spec))
        return false;
    for (size_t i = 0; i < spec->count; i++)
        if (!clause_matches(&spec->clauses[i], version))
            return false;
    return true;
}

bool spec_is_exact(const struct spec *spec)
{
    for (size_t i = 0; i < spec->count; i++)
        if (spec->clauses[i].op == SPEC_EQ && !spec->clauses[i].wildcard)
            return true;
    return false;
}

static bool both_match(const struct spec *a, const struct spec *b, const struct version *version)
{
    return spec_matches(a, version) && spec_matches(b, version);
}

#define POINTS 4

/*
 * The points where the versions that match a clause may begin or end: at the named version, just
 * above it (`>1.0`, `!=1.0`), behind all with its prefix (`!=1.0.*`), behind those with the prefix
 * of `~=1.0`.
 */
static void points_of(struct version points[POINTS], const struct version *named)
{
    for (size_t i = 0; i < POINTS; i++) {
        points[i] = *named;
        if (i == 0)
            continue;
        points[i].pre_kind = PRE_NONE;
        points[i].post = NO_POST;
        points[i].dev = NO_DEV;
        points[i].local = span_of(NULL, 0);
    }
    points[1].count = VERSION_PARTS;
    points[1].release[VERSION_PARTS - 1]++;
    points[2].release[named->count - 1]++;
    if (named->count > 1) {
        points[3].release[named->count - 1] = 0;
        points[3].release[named->count - 2]++;
    }
}

/* The lowest version, where `<2` begins. */
static const struct version first_version = {
    .count = 1, .pre_kind = PRE_NONE, .post = NO_POST, .dev = NO_DEV};

/* If two SPECs overlap, the overlap begins at such a point, or at the lowest version. */
static bool begins_at(const struct spec *a, const struct spec *b, const struct spec *names)
{
    struct version points[POINTS];
    for (size_t i = 0; i < names->count; i++) {
        points_of(points, &names->clauses[i].version);
        for (size_t j = 0; j < POINTS; j++)
            if (both_match(a, b, &points[j]))
                return true;
    }
    return false;
}

bool spec_overlaps(const struct spec *a, const struct spec *b)
{
    return !a->count || !b->count || both_match(a, b, &first_version) || begins_at(a, b, a) ||
           begins_at(a, b, b);
}

/* Between two adjacent points, matching does not change. */
static bool same_at(const struct spec *a, const struct spec *b, const struct spec *names)
{
    struct version points[POINTS];
    for (size_t i = 0; i < names->count; i++) {
        points_of(points, &names->clauses[i].version);
        for (size_t j = 0; j < POINTS; j++)
            if (spec_matches(a, &points[j]) != spec_matches(b, &points[j]))
                return false;
    }
    return true;
}

bool spec_same(const struct spec *a, const struct spec *b)
{
    return spec_matches(a, &first_version) == spec_matches(b, &first_version) && same_at(a, b, a) &&
           same_at(a, b, b);
}
