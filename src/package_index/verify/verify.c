/* Compares the rows of a matrix with a package index. */
#include "package_index/verify.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "data/document.h"
#include "data/yaml.h"
#include "matrix/facts.h"
#include "package_index/evidence/evidence.h"
#include "package_index/verify/verification.h"

#include <string.h>

/* ------------------------------------------------------------------ days */

/* Compares days or months, up to the length of the shorter one. */
static int compare_days(const char *a, const char *b)
{
    size_t len = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    return strncmp(a, b, len);
}

/* A row cannot date from before the release's upload, nor from after the index's answer. */
static void check_day(const struct verification *c, const struct fact *fact, const char *asked)
{
    const char *uploaded = c->evidence.uploaded;
    if (asked && compare_days(fact->as_of, asked) > 0)
        verification_differ(c, "as_of", fact->as_of, asked, "the index was asked on %s", asked);
    else if (uploaded && compare_days(fact->as_of, uploaded) < 0)
        verification_differ(c, "as_of", fact->as_of, uploaded, "%s was uploaded on %s",
                            verification_named(c), uploaded);
}

/* ------------------------------------------------------------------ a row */

/* The requirement that installs a build from the user's index; NULL: `*why` names the other. */
static const char *requirement_of(const struct verification *c, const char **why)
{
    const char *text = build_requirement(c->arena, c->framework, c->release, c->build);
    const char *url = c->build->index_url ? c->build->index_url : c->framework->index_url;
    if (!text)
        *why =
            arena_printf(c->arena, "it is on %s", fill_text(c->arena, url, c->release, c->build));
    return text;
}

/* Checks that there is no wheel, and that the release admits the row's Pythons. */
static void check_source(const struct verification *c)
{
    ERR_SCRATCH(err);
    const struct evidence *e = &c->evidence;
    struct spec spec;
    struct version version;
    if (e->wheel[X86_64] || e->wheel[AARCH64]) {
        verification_differ(c, "wheel", "none", "some", "%s has a wheel for Linux",
                            verification_named(c));
        return;
    }
    verification_prove(c, "source");
    if (!e->python_spec || spec_parse(&spec, c->arena, e->python_spec, "Requires-Python", &err) < 0)
        return;
    for (size_t i = 0; i < c->release->pythons.count; i++) {
        const char *python = c->release->pythons.items[i];
        if (version_parse(&version, arena_printf(c->arena, "%s.99", python)) == 0 &&
            spec_matches(&spec, &version))
            continue;
        verification_differ(c, "python", python, e->python_spec, "%s requires Python %s",
                            verification_named(c), e->python_spec);
        return;
    }
    verification_prove(c, "python");
}

static const char *compare(struct verification *c, struct package_index *index, const char **why,
                           size_t *wanted)
{
    const struct evidence *e = &c->evidence;
    if (e->yanked)
        verification_differ(c, "release", e->version, "withdrawn",
                            "%s was withdrawn from the index", verification_named(c));
    else if (e->missing)
        verification_differ(c, "release", e->version, "none",
                            "%s requires %s, which the index does not have", verification_named(c),
                            e->missing);
    else if (str_equal(supply_of(c->framework, c->build), "build"))
        check_source(c);
    else if (!e->wheel[X86_64] && !e->wheel[AARCH64])
        verification_differ(c, "wheel", "some", "none", "%s has no wheel for Linux",
                            verification_named(c));
    else {
        verification_prove(c, "wheel");
        verify_wheels(c);
        verify_requires(c, index, wanted);
        enum index_state state = verify_companions(c, index);
        *wanted += state == INDEX_UNKNOWN;
        if (state == INDEX_FAILED) {
            *why = "a companion could not be asked for";
            return "failed";
        }
    }
    return "verified";
}

static bool is_unexplained(const struct verification *c)
{
    for (size_t i = 0; i < c->differences->list.count; i++)
        if (!data_get(c->differences->list.items[i], "explained")->boolean)
            return true;
    return false;
}

static const char *judge(struct verification *c, struct package_index *index, const char **why,
                         size_t *wanted)
{
    struct requirement requirement;
    const char *text = c->requirement;
    if (requirement_parse(&requirement, c->arena, text) < 0 || !requirement_pin(&requirement)) {
        *why = "its requirement names no one version";
        return "not-asked";
    }
    enum index_state state = evidence_gather(&c->evidence, c->arena, index, &requirement);
    if (state == INDEX_UNKNOWN) {
        (*wanted)++;
        *why = "it is not in the record";
        return "not-asked";
    }
    if (state == INDEX_FAILED) {
        *why = "the index could not be asked";
        return "failed";
    }
    if (state == INDEX_ABSENT) {
        verification_differ(c, "release", requirement_pin(&requirement), "none",
                            "the index has no %s", text);
        return "verified";
    }
    if (c->evidence.old) {
        *why = arena_printf(c->arena, "uploaded on %s", c->evidence.uploaded);
        return "old";
    }
    if (c->evidence.elsewhere) {
        *why = arena_printf(c->arena, "it requires %s, which is on another index",
                            c->evidence.elsewhere);
        return "not-asked";
    }
    return compare(c, index, why, wanted);
}

/* Makes a row in the arena; the much larger data behind it is released. */
static struct data *verify_build(struct arena *arena, const struct verification *build,
                                 struct package_index *index, size_t *wanted)
{
    ARENA_SCRATCH(scratch);
    struct verification check = *build, *c = &check;
    const char *why = NULL;
    c->arena = &scratch;
    c->requirement = requirement_of(c, &why);
    c->proved = data_list(c->arena);
    c->differences = data_list(c->arena);
    const char *state = c->requirement ? judge(c, index, &why, wanted) : "not-asked";
    check_day(c, &c->release->fact, index_asked_on(index));
    if (c->build->releases.count && !words_have(&c->build->releases, "all"))
        check_day(c, &c->build->fact, index_asked_on(index));
    if (is_unexplained(c))
        state = "differs";
    /* A package without build rows is reported at its release. */
    ERR_SCRATCH(place);
    (void)yaml_error(&place, c->build->fact.node ? c->build->fact.node : c->release->fact.node,
                     "here");
    const struct data *row =
        data_of(&scratch, FIELD("framework", c->framework->name),
                FIELD("release", c->release->version.text), FIELD("variant", c->build->variant),
                FIELD("requirement", c->requirement), FIELD("state", state),
                FIELD("proved", c->proved), FIELD("differences", c->differences), FIELD("why", why),
                FIELD("file", place.where.file), FIELD("line", place.where.line));
    return data_copy(arena, row);
}

struct data *matrix_verify(size_t *wanted, struct arena *arena, const struct matrix *matrix,
                           const char *name, struct package_index *index)
{
    struct data *rows = data_list(arena);
    const struct framework *f;
    *wanted = 0;
    for (size_t i = 0; (f = any_framework(matrix, i)); i++) {
        if ((name && !str_equal(name, f->name)) || (f->on && f->by_companions))
            continue;
        for (size_t j = 0; j < f->releases.count; j++) {
            const struct release *release = ROW(struct release, f->releases, j);
            for (size_t k = 0; k < release->build_count; k++) {
                const struct verification build = {.matrix = matrix,
                                                   .framework = f,
                                                   .release = release,
                                                   .build = release->builds[k]};
                data_push(arena, rows, verify_build(arena, &build, index, wanted));
            }
        }
    }
    return rows;
}

/* ------------------------------------------------------------------ for people */

static const char *const states[] = {"verified", "differs", "not-asked", "old", "failed"};
#define STATES (sizeof(states) / sizeof(*states))

static size_t count_state(const struct data *rows, const char *framework, const char *state)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->list.count; i++) {
        const struct data *row = rows->list.items[i];
        count += (!framework || str_equal(data_get_text(row, "framework"), framework)) &&
                 (!state || str_equal(data_get_text(row, "state"), state));
    }
    return count;
}

static size_t count_explained(const struct data *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->list.count; i++)
        count += data_get(rows->list.items[i], "differences")->list.count > 0 &&
                 str_equal(data_get_text(rows->list.items[i], "state"), "verified");
    return count;
}

struct data *matrix_verify_counts(struct arena *arena, const struct data *rows)
{
    static const char *const keys[STATES] = {"verified", "differs", "not_asked", "old", "failed"};
    struct data *counts = data_map(arena);
    for (size_t i = 0; i < STATES; i++)
        data_add(arena, counts, FIELD(keys[i], count_state(rows, NULL, states[i])));
    return data_add(arena, counts, FIELD("explained", count_explained(rows)));
}

static void print_frameworks(struct buf *out, const struct data *rows)
{
    const char *last = NULL;
    (void)buf_printf(out, "%-21s %9s %9s %9s %9s %9s\n", "framework or package", "verified",
                     "differs", "not asked", "old", "failed");
    for (size_t i = 0; i < rows->list.count; i++) {
        const char *name = data_get_text(rows->list.items[i], "framework");
        if (str_equal(name, last))
            continue;
        last = name;
        (void)buf_printf(out, "%-21s", name);
        for (size_t j = 0; j < STATES; j++)
            (void)buf_printf(out, " %9zu", count_state(rows, name, states[j]));
        (void)buf_putc(out, '\n');
    }
}

static void print_differences(struct buf *out, const struct data *row)
{
    const struct data *list = data_get(row, "differences");
    for (size_t i = 0; i < list->list.count; i++) {
        const struct data *d = list->list.items[i];
        if (data_get(d, "explained")->boolean)
            continue;
        (void)buf_printf(out, "%s %s %s: %s: the row has %s, the index %s\n    %s\n",
                         data_get_text(row, "framework"), data_get_text(row, "release"),
                         data_get_text(row, "variant"), data_get_text(d, "what"),
                         data_get_text(d, "row"), data_get_text(d, "index"),
                         data_get_text(d, "evidence"));
    }
}

int matrix_verify_table(struct buf *out, const struct data *rows)
{
    print_frameworks(out, rows);
    (void)buf_putc(out, '\n');
    for (size_t i = 0; i < rows->list.count; i++)
        print_differences(out, rows->list.items[i]);
    return out->overflowed ? -1 : 0;
}
