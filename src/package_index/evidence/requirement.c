/* Requirements of packages as in their metadata: PEP 508, names and extras, markers. */
#include "package_index/requirement.h"

#include "base/arena.h"
#include "base/str.h"

#include <ctype.h>
#include <string.h>

#define MARKER_DEPTH 32

const char *requirement_name(struct arena *arena, const char *name)
{
    char *folded = arena_strdup(arena, name);
    size_t len = 0;
    for (const char *c = name; *c; c++) {
        bool dash = *c == '-' || *c == '_' || *c == '.';
        if (dash && len && folded[len - 1] == '-')
            continue;
        folded[len++] = dash ? '-' : (char)tolower((unsigned char)*c);
    }
    folded[len] = '\0';
    return folded;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* "a, B_c" -> "a b-c"; NULL where it is no list of names. */
static const char *read_extras(struct arena *arena, const char *text, size_t len)
{
    const char *extras = "";
    char *list = arena_memdup(arena, text, len), *save = NULL;
    if (strlen(list) != len)
        return NULL;
    for (char *word = strtok_r(list, ", \t", &save); word; word = strtok_r(NULL, ", \t", &save))
        extras = arena_printf(arena, "%s%s%s", extras, *extras ? " " : "",
                              requirement_name(arena, word));
    return extras;
}

/* The SPEC between the name and the marker, perhaps in parentheses. */
static int read_spec(struct requirement *out, struct arena *arena, const char *at)
{
    ERR_SCRATCH(err);
    size_t len = span_trim_end(span_of(at, strcspn(at, ";")), " \t").len;
    if (len >= 2 && at[0] == '(' && at[len - 1] == ')') {
        at++;
        len -= 2;
    }
    const char *text = arena_memdup(arena, at, len);
    if (*text == '@')
        return -1;
    if (str_starts(text, "==="))
        text++;
    return spec_parse(&out->spec, arena, text, "requirement", &err);
}

int requirement_parse(struct requirement *out, struct arena *arena, const char *text)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
    const char *at = skip_blanks(text);
    size_t len = strspn(at, letters);
    *out = (struct requirement){.extras = ""};
    if (!len)
        return -1;
    out->name = requirement_name(arena, arena_memdup(arena, at, len));
    at = skip_blanks(at + len);
    if (*at == '[') {
        const char *end = strchr(at, ']');
        out->extras = end ? read_extras(arena, at + 1, (size_t)(end - at) - 1) : NULL;
        if (!out->extras)
            return -1;
        at = skip_blanks(end + 1);
    }
    const char *marker = strchr(at, ';');
    out->marker = marker ? skip_blanks(marker + 1) : NULL;
    return read_spec(out, arena, at);
}

const char *requirement_pin(const struct requirement *requirement)
{
    const struct spec *spec = &requirement->spec;
    for (size_t i = 0; i < spec->count; i++)
        if (spec->clauses[i].op == SPEC_EQ && !spec->clauses[i].wildcard)
            return spec->clauses[i].version.text;
    if (spec->count != 2 ||
        version_compare(&spec->clauses[0].version, &spec->clauses[1].version) != 0)
        return NULL;
    bool low = spec->clauses[0].op == SPEC_GE || spec->clauses[1].op == SPEC_GE;
    bool high = spec->clauses[0].op == SPEC_LE || spec->clauses[1].op == SPEC_LE;
    return low && high ? spec->clauses[0].version.text : NULL;
}

const char *requirement_most(const struct requirement *requirement)
{
    const struct spec *spec = &requirement->spec;
    for (size_t i = 0; i < spec->count; i++)
        if (spec->clauses[i].op == SPEC_LE)
            return spec->clauses[i].version.text;
    return NULL;
}

const char *requirement_text(struct arena *arena, const struct requirement *requirement)
{
    char *text = arena_printf(arena, "%s%s", requirement->name, requirement->spec.text), *to = text;
    for (const char *c = text; *c; c++)
        if (*c != ' ')
            *to++ = *c;
    *to = '\0';
    return text;
}

/* ------------------------------------------------------------------ markers */

/* The value of a part of a marker. A marker that cannot be read is OPEN: it applies. */
enum verdict { NO, YES, OPEN };

struct marker {
    struct arena *arena;
    const struct marker_world *world;
    const char *at;
    int depth;
    bool broken;
};

struct operand {
    const char *text; /* NULL: the world does not decide it */
    bool version, extra;
};

static enum verdict read_or(struct marker *m);

/* Finds a variable of PEP 508, on Linux with CPython. */
static bool find_variable(struct operand *out, const struct marker *m, const char *name, size_t len)
{
    const struct {
        const char *name, *value;
        bool version;
    } variables[] = {
        {"platform_system", "Linux", false},
        {"sys_platform", "linux", false},
        {"os_name", "posix", false},
        {"platform_machine", m->world->processor, false},
        {"platform_python_implementation", "CPython", false},
        {"implementation_name", "cpython", false},
        {"python_version", m->world->python, true},
        {"python_full_version", m->world->python, true},
        {"platform_release", NULL, false},
        {"platform_version", NULL, false},
        {"implementation_version", NULL, true},
    };
    *out = (struct operand){NULL, false, false};
    if (len == strlen("extra") && memcmp(name, "extra", len) == 0) {
        out->extra = true;
        return true;
    }
    for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
        if (strlen(variables[i].name) == len && memcmp(name, variables[i].name, len) == 0) {
            out->text = variables[i].value;
            out->version = variables[i].version;
            return true;
        }
    return false;
}

static bool read_operand(struct operand *out, struct marker *m)
{
    m->at = skip_blanks(m->at);
    char quote = *m->at;
    if (quote == '"' || quote == '\'') {
        const char *end = strchr(m->at + 1, quote);
        if (!end)
            return false;
        *out = (struct operand){arena_memdup(m->arena, m->at + 1, (size_t)(end - m->at) - 1), false,
                                false};
        m->at = end + 1;
        return true;
    }
    size_t len = strspn(m->at, "abcdefghijklmnopqrstuvwxyz_.");
    if (!find_variable(out, m, m->at, len))
        return false;
    m->at += len;
    return true;
}

static const char *read_operator(struct marker *m)
{
    static const char *const operators[] = {
        "===", "==", "!=", "<=", ">=", "~=", "<", ">", "in", "not in", NULL};
    m->at = skip_blanks(m->at);
    if (str_starts(m->at, "not") && (m->at[3] == ' ' || m->at[3] == '\t') &&
        str_starts(skip_blanks(m->at + 3), "in")) {
        m->at = skip_blanks(m->at + 3) + 2;
        return "not in";
    }
    for (const char *const *op = operators; *op; op++)
        if (str_starts(m->at, *op)) {
            m->at += strlen(*op);
            return *op;
        }
    return NULL;
}

static enum verdict truth(bool holds)
{
    return holds ? YES : NO;
}

static bool has_word(const char *words, const char *word)
{
    size_t len = strlen(word);
    for (const char *at = words; len && (at = strstr(at, word)); at += len)
        if ((at == words || at[-1] == ' ') && (!at[len] || at[len] == ' '))
            return true;
    return false;
}

static enum verdict compare_versions(struct marker *m, const char *text, const char *op,
                                     const char *wanted)
{
    ERR_SCRATCH(err);
    struct version version;
    struct spec spec;
    const char *clause = arena_printf(m->arena, "%s%s", str_equal(op, "===") ? "==" : op, wanted);
    if (version_parse(&version, text) < 0 ||
        spec_parse(&spec, m->arena, clause, "marker", &err) < 0)
        return OPEN;
    return truth(spec_matches(&spec, &version));
}

static enum verdict compare(struct marker *m, const struct operand *a, const char *op,
                            const struct operand *b)
{
    const char *other = a->extra ? b->text : a->text;
    if (a->extra || b->extra) {
        bool has = other && has_word(m->world->extras, requirement_name(m->arena, other));
        return str_equal(op, "!=") ? truth(!has) : truth(has);
    }
    if (!a->text || !b->text)
        return OPEN;
    if (str_equal(op, "in"))
        return truth(strstr(b->text, a->text) != NULL);
    if (str_equal(op, "not in"))
        return truth(strstr(b->text, a->text) == NULL);
    if (a->version)
        return compare_versions(m, a->text, op, b->text);
    if (b->version)
        return OPEN; /* the reverse order: nobody writes it */
    if (str_equal(op, "==") || str_equal(op, "==="))
        return truth(str_equal(a->text, b->text));
    return str_equal(op, "!=") ? truth(!str_equal(a->text, b->text)) : OPEN;
}

static enum verdict broken(struct marker *m)
{
    m->broken = true;
    return OPEN;
}

static enum verdict read_comparison(struct marker *m)
{
    struct operand a, b;
    const char *op;
    m->at = skip_blanks(m->at);
    if (*m->at == '(') {
        if (++m->depth > MARKER_DEPTH)
            return broken(m);
        m->at++;
        enum verdict inner = read_or(m);
        m->at = skip_blanks(m->at);
        m->depth--;
        return *m->at == ')' ? (m->at++, inner) : broken(m);
    }
    if (!read_operand(&a, m) || !(op = read_operator(m)) || !read_operand(&b, m))
        return broken(m);
    return compare(m, &a, op, &b);
}

/* Takes `word` if it comes next. */
static bool take_word(struct marker *m, const char *word)
{
    const char *at = skip_blanks(m->at);
    if (!str_starts(at, word) || isalnum((unsigned char)at[strlen(word)]))
        return false;
    m->at = at + strlen(word);
    return true;
}

static enum verdict read_and(struct marker *m)
{
    enum verdict result = read_comparison(m);
    while (!m->broken && take_word(m, "and")) {
        enum verdict next = read_comparison(m);
        result = result == NO || next == NO ? NO : result == OPEN ? OPEN : next;
    }
    return result;
}

static enum verdict read_or(struct marker *m)
{
    enum verdict result = read_and(m);
    while (!m->broken && take_word(m, "or")) {
        enum verdict next = read_and(m);
        result = result == YES || next == YES ? YES : result == OPEN ? OPEN : next;
    }
    return result;
}

bool marker_holds(struct arena *arena, const char *marker, const struct marker_world *world)
{
    struct marker m = {.arena = arena, .world = world, .at = marker};
    if (!marker || !*skip_blanks(marker))
        return true;
    enum verdict result = read_or(&m);
    return m.broken || *skip_blanks(m.at) || result != NO;
}
