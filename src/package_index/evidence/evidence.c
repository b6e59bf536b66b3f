/* Gathers the evidence of an index for one requirement, over the packages of its family. */
#include "package_index/evidence/evidence.h"

#include "base/arena.h"
#include "base/str.h"
#include "data/data.h"
#include "matrix/facts.h"
#include "package_index/evidence/wheel.h"
#include "package_index/package_index.h"
#include "package_index/requirement.h"

#include <stdlib.h>
#include <string.h>

#define PARTS_MAX 12
#define FIRST_PYTHON 6
#define LAST_PYTHON 20

const char *const processor_names[PROCESSORS] = {"x86_64", "aarch64"};

/* A package of the family, with its requirement. */
struct family_part {
    const char *name, *version, *extras;
    const struct data *release;
    bool on[PROCESSORS]; /* required there */
};

struct gatherer {
    struct evidence *out;
    struct arena *arena;
    struct package_index *index;
    struct family_part parts[PARTS_MAX];
    size_t count;
    bool unknown; /* an answer is missing */
};

static struct family_part *add_part(struct gatherer *g, const struct requirement *requirement,
                                    const char *version)
{
    for (size_t i = 0; i < g->count; i++)
        if (str_equal(g->parts[i].name, requirement->name))
            return &g->parts[i];
    if (g->count == PARTS_MAX)
        return NULL;
    struct family_part *part = &g->parts[g->count++];
    *part = (struct family_part){
        .name = requirement->name, .version = version, .extras = requirement->extras};
    return part;
}

/* ------------------------------------------------------------------ requirements */

/* True where `name` is `base`, or `base` followed by CUDA's major. */
static bool is_library(const char *name, const char *base)
{
    size_t len = strlen(base);
    return str_starts(name, base) && (!name[len] || str_starts(name + len, "-cu"));
}

int cuda_major_of(const char *name)
{
    const char *suffix = strstr(name, "-cu");
    size_t digits = suffix ? strspn(suffix + 3, "0123456789") : 0;
    return digits == 2 && !suffix[5] ? atoi(suffix + 3) : 0;
}

static void note_library(struct required *out, const struct requirement *requirement,
                         const char *said)
{
    const char *pin = requirement_pin(requirement);
    if (out->pin || (out->said && !pin && out->range.count))
        return;
    *out = (struct required){pin, requirement->spec, said};
}

static void note_cuda(struct gatherer *g, const struct family_part *part,
                      const struct requirement *requirement, const char *text,
                      enum processor processor)
{
    struct evidence *out = g->out;
    struct span before = span_trim_end(span_of(text, strcspn(text, ";")), " ");
    const char *said = arena_printf(g->arena, "%s %s requires %.*s", part->name, part->version,
                                    (int)before.len, before.ptr);
    if (is_library(requirement->name, "nvidia-nccl"))
        note_library(&out->nccl, requirement, said); /* XGBoost wants it, and brings its own CUDA */
    else
        out->cuda_for[processor] = true;
    if (!out->cuda_major && cuda_major_of(requirement->name)) {
        out->cuda_major = cuda_major_of(requirement->name);
        out->major_said = said;
    }
    if (is_library(requirement->name, "nvidia-cuda-runtime") ||
        str_equal(requirement->name, "cuda-toolkit"))
        note_library(&out->cuda, requirement, said);
    else if (is_library(requirement->name, "nvidia-cudnn"))
        note_library(&out->cudnn, requirement, said);
}

/* The newest release in a range with `<=`: pip takes that. NULL: none, or not known. */
static const char *newest_within(struct gatherer *g, const struct requirement *requirement)
{
    const struct data *releases;
    struct version best, version;
    const char *found = NULL;
    if (!requirement_most(requirement))
        return NULL;
    enum index_state state = index_project(&releases, g->index, requirement->name);
    g->unknown |= state == INDEX_UNKNOWN;
    for (size_t i = 0; state == INDEX_THERE && i < releases->map.count; i++) {
        const char *text = releases->map.members[i].name.ptr;
        if (version_parse(&version, text) < 0 || !spec_matches(&requirement->spec, &version) ||
            (found && version_compare(&version, &best) <= 0))
            continue;
        best = version;
        found = text;
    }
    return found;
}

static void follow(struct gatherer *g, const struct requirement *requirement,
                   enum processor processor)
{
    if (!str_starts(requirement->name, g->out->package))
        return;
    const char *pin = requirement_pin(requirement);
    if (!pin)
        pin = newest_within(g, requirement);
    if (!pin)
        return;
    if (strchr(pin, '+')) {
        g->out->elsewhere = arena_printf(g->arena, "%s %s", requirement->name, pin);
        return;
    }
    struct family_part *part = add_part(g, requirement, pin);
    if (part)
        part->on[processor] = true;
}

static bool is_cuda(const char *name)
{
    return str_starts(name, "nvidia-") || str_equal(name, "cuda-toolkit");
}

/* Notes what the package itself requires for an extra that was not requested. */
static void note_left_out(struct gatherer *g, const struct requirement *requirement,
                          const char *text)
{
    bool family = str_starts(requirement->name, g->out->package) &&
                  (requirement_pin(requirement) || requirement_most(requirement));
    bool cuda = is_cuda(requirement->name) || (family && strstr(requirement->name, "-cuda"));
    if (!requirement->marker || !strstr(requirement->marker, "extra"))
        return;
    if (cuda && !g->out->left_cuda)
        g->out->left_cuda = text;
    else if (family && !cuda && !g->out->left_out)
        g->out->left_out = text;
}

static void read_requires(struct gatherer *g, const struct family_part *part,
                          enum processor processor)
{
    const struct data *list = index_requires(part->release, processor_names[processor]);
    const struct marker_world world = {processor_names[processor], NULL, part->extras};
    if (part == g->parts)
        g->out->read[processor] = list != NULL;
    struct requirement requirement;
    const char *text;
    for (size_t i = 0; requires_next(&requirement, &text, &i, g->arena, list, NULL);) {
        if (!marker_holds(g->arena, requirement.marker, &world)) {
            if (part == g->parts)
                note_left_out(g, &requirement, text);
            continue;
        }
        if (is_cuda(requirement.name))
            note_cuda(g, part, &requirement, text, processor);
        else
            follow(g, &requirement, processor);
    }
}

/* ------------------------------------------------------------------ wheels */

static bool python_is_admitted(struct arena *arena, const struct data *release, const char *python)
{
    ERR_SCRATCH(err);
    struct spec spec;
    struct version version;
    const char *text = data_get_text(release, "python");
    /* the newest patch of that Python: ">=3.9.2" is for 3.9 */
    return !text || spec_parse(&spec, arena, text, "Requires-Python", &err) < 0 ||
           version_parse(&version, arena_printf(arena, "%s.99", python)) < 0 ||
           spec_matches(&spec, &version);
}

/*
 * True where the release has a wheel for a processor and a Python (NULL: any). `*glibc` is the
 * lowest that one of them needs, `*most` the highest; a wheel for future Pythons sets `*any`.
 */
static bool has_wheel(const struct data *release, const char *processor, const char *python,
                      int *glibc, int *most, bool *any)
{
    const struct data *wheels = data_get(release, "wheels");
    struct wheel wheel;
    int wants;
    bool found = false;
    for (size_t i = 0; wheels && i < wheels->list.count; i++) {
        const char *name = data_text(wheels->list.items[i]);
        if (wheel_parse(&wheel, name) < 0 || !wheel_fits_processor(&wants, &wheel, processor) ||
            (python && !wheel_fits_python(&wheel, python)))
            continue;
        if (!found || wants < *glibc)
            *glibc = wants;
        if (wants > *most)
            *most = wants;
        *any |= wheel_is_for_later_pythons(&wheel);
        found = true;
    }
    return found;
}

/* A family needs the glibc of its most demanding part. */
static bool family_has_wheel(const struct gatherer *g, enum processor processor, const char *python,
                             int *glibc, int *most, bool *any)
{
    *any = true;
    for (size_t i = 0; i < g->count; i++) {
        const struct data *release = g->parts[i].release;
        int wants = 0;
        if (!g->parts[i].on[processor])
            continue;
        bool part_any = false;
        if (!has_wheel(release, processor_names[processor], python, &wants, most, &part_any) ||
            (python && !python_is_admitted(g->arena, release, python)))
            return false;
        *any &= part_any;
        if (wants > *glibc)
            *glibc = wants;
    }
    return true;
}

static bool has_code(const struct data *release)
{
    const struct data *wheels = data_get(release, "wheels");
    struct wheel wheel;
    for (size_t i = 0; wheels && i < wheels->list.count; i++)
        if (wheel_parse(&wheel, data_text(wheels->list.items[i])) == 0 &&
            !span_equal(wheel.platform, span_from("any")))
            return true;
    return false;
}

static void read_wheels(struct gatherer *g)
{
    struct evidence *out = g->out;
    bool any;
    for (size_t i = 0; i < g->count; i++)
        out->compiled |= has_code(g->parts[i].release);
    for (int p = 0; p < PROCESSORS; p++) {
        int glibc = 0, most = 0;
        out->wheel[p] = family_has_wheel(g, (enum processor)p, NULL, &glibc, &most, &any);
        if (out->wheel[p] && (p == X86_64 || !out->wheel[X86_64])) {
            out->glibc = glibc;
            out->most_glibc = most;
            out->any_python = any;
        }
    }
    enum processor main = out->wheel[X86_64] ? X86_64 : AARCH64;
    for (int minor = FIRST_PYTHON; minor <= LAST_PYTHON; minor++) {
        int glibc = 0, most = 0;
        const char *python = arena_printf(g->arena, "3.%d", minor);
        if (family_has_wheel(g, main, python, &glibc, &most, &any))
            words_add(&out->pythons, g->arena, python);
    }
}

/* ------------------------------------------------------------------ all of it */

const char *build_requirement(struct arena *arena, const struct framework *framework,
                              const struct release *release, const struct build *build)
{
    const char *text = build->requirements ? build->requirements : framework->requirements;
    if ((build->index_url || framework->index_url) && !str_equal(release->pypi, build->variant))
        return NULL;
    text = fill_text(arena, text, release, build);
    return arena_memdup(arena, text, strcspn(text, " "));
}

static enum index_state gather_part(struct gatherer *g, size_t i)
{
    struct family_part *part = &g->parts[i];
    struct evidence *out = g->out;
    enum index_state state = index_release(&part->release, g->index, part->name, part->version);
    if (i == 0) {
        out->state = state;
        out->uploaded = data_get_text(part->release, "uploaded");
        out->old = state == INDEX_THERE && index_is_old(g->index, part->release);
        out->yanked = data_is_true(part->release, "yanked");
        out->python_spec = data_get_text(part->release, "python");
    } else if (state == INDEX_ABSENT) {
        out->missing = arena_printf(g->arena, "%s %s", part->name, part->version);
    }
    if (state != INDEX_THERE || out->old)
        return state;
    for (int p = 0; p < PROCESSORS; p++)
        if (part->on[p])
            read_requires(g, part, (enum processor)p);
    return state;
}

enum index_state evidence_gather(struct evidence *out, struct arena *arena,
                                 struct package_index *index, const struct requirement *requirement)
{
    struct gatherer g = {.out = out, .arena = arena, .index = index};
    const char *version = requirement_pin(requirement);
    bool unknown = false, failed = false;
    *out = (struct evidence){.package = requirement->name, .version = version};
    if (!version)
        return out->state = INDEX_ABSENT;
    struct family_part *target = add_part(&g, requirement, version);
    target->on[X86_64] = target->on[AARCH64] = true;
    for (size_t i = 0; i < g.count; i++) {
        enum index_state state = gather_part(&g, i);
        unknown |= state == INDEX_UNKNOWN;
        failed |= state == INDEX_FAILED;
        if (i == 0 && (state != INDEX_THERE || out->old))
            return state;
    }
    unknown |= g.unknown;
    if (unknown || failed)
        return out->state = unknown ? INDEX_UNKNOWN : INDEX_FAILED;
    if (!out->elsewhere && !out->missing)
        read_wheels(&g);
    return out->state = INDEX_THERE;
}

/* ------------------------------------------------------------------ metadata on other packages */

#define TEXTS_MAX 16 /* for one package in one release: some have one for each Python */

/* All requirements of a release on one package. */
struct sayings {
    struct requirement items[TEXTS_MAX];
    const char *texts[TEXTS_MAX];
    size_t count;
};

bool requires_next(struct requirement *out, const char **text, size_t *at, struct arena *arena,
                   const struct data *list, const char *name)
{
    while (list && *at < list->list.count) {
        *text = data_text(list->list.items[(*at)++]);
        if (requirement_parse(out, arena, *text) == 0 && (!name || str_equal(out->name, name)))
            return true;
    }
    return false;
}

static void find_sayings(struct sayings *out, struct arena *arena, const struct data *list,
                         const char *name)
{
    size_t at = 0;
    out->count = 0;
    while (out->count < TEXTS_MAX &&
           requires_next(&out->items[out->count], &out->texts[out->count], &at, arena, list, name))
        out->count++;
}

/* Joins all that hold in a world into one SPEC; false where none does. `*said` is the last text. */
static bool join_sayings(struct spec *out, const char **said, struct arena *arena,
                         const struct sayings *sayings, const struct marker_world *world)
{
    bool found = false;
    *out = (struct spec){.text = ""};
    for (size_t i = 0; i < sayings->count; i++) {
        const struct spec *spec = &sayings->items[i].spec;
        if (!marker_holds(arena, sayings->items[i].marker, world))
            continue;
        found = true;
        *said = sayings->texts[i];
        if (!spec->count)
            continue;
        struct spec_clause *both =
            arena_array(arena, out->count + spec->count, sizeof(struct spec_clause));
        for (size_t j = 0; j < out->count + spec->count; j++)
            both[j] = j < out->count ? out->clauses[j] : spec->clauses[j - out->count];
        out->clauses = both;
        out->count += spec->count;
    }
    return found;
}

bool requires_agree(const char **said, struct arena *arena, const struct data *release,
                    const struct words *pythons, const struct requirement *row)
{
    struct sayings sayings;
    struct spec spec;
    *said = NULL;
    for (int p = 0; p < PROCESSORS; p++) {
        find_sayings(&sayings, arena, index_requires(release, processor_names[p]), row->name);
        for (size_t i = 0; i < pythons->count; i++) {
            const struct marker_world world = {processor_names[p], pythons->items[i], row->name};
            if (join_sayings(&spec, said, arena, &sayings, &world) && spec_same(&spec, &row->spec))
                return true;
        }
    }
    return false;
}

bool requires_version(struct arena *arena, const struct data *release, const char *name,
                      const char *version)
{
    const struct marker_world world = {processor_names[X86_64], NULL, ""};
    struct sayings sayings;
    struct version wanted;
    if (version_parse(&wanted, version) < 0)
        return false;
    find_sayings(&sayings, arena, index_requires(release, processor_names[X86_64]), name);
    for (size_t i = 0; i < sayings.count; i++)
        if (marker_holds(arena, sayings.items[i].marker, &world))
            return spec_matches(&sayings.items[i].spec, &wanted);
    return false;
}

bool requires_always(struct arena *arena, const struct requirement *said,
                     const struct words *pythons)
{
    for (int p = 0; p < PROCESSORS; p++)
        for (size_t i = 0; i < pythons->count; i++) {
            const struct marker_world world = {processor_names[p], pythons->items[i], ""};
            if (!marker_holds(arena, said->marker, &world))
                return false;
        }
    return true;
}
