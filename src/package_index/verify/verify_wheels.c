/* Verifies a row by the wheels of its release: Pythons, processors, glibc, CUDA, cuDNN, NCCL. */
#include "package_index/verify/verification.h"

#include "base/arena.h"
#include "base/str.h"
#include "matrix/facts.h"

#include <string.h>

#define OLDEST_GLIBC 17 /* for a row without glibc: every distribution in use has it */

static const char *joined(struct arena *arena, const struct words *words)
{
    return words->count ? str_join(arena, words->items, words->count, " ") : "none";
}

/* Some wheels are for all later Pythons: one counts if a row of an older release has it. */
static bool is_due(const struct verification *c, const char *python)
{
    const struct rows *rows = &c->framework->releases;
    if (!c->evidence.any_python)
        return true;
    for (size_t i = rows->count; i > 0; i--) {
        const struct release *older = ROW(struct release, *rows, i - 1);
        if (older == c->release)
            return false;
        if (words_have(&older->pythons, python))
            return true;
    }
    return false;
}

static void check_pythons(const struct verification *c)
{
    const struct release *r = c->release;
    const struct evidence *e = &c->evidence;
    const char *lost = "", *more = "";
    for (size_t i = 0; i < r->pythons.count + r->experimental.count; i++) {
        bool stable = i < r->pythons.count;
        const char *python =
            stable ? r->pythons.items[i] : r->experimental.items[i - r->pythons.count];
        if (!words_have(&e->pythons, python))
            lost = arena_printf(c->arena, "%s %s", lost, python);
    }
    for (size_t i = 0; i < e->pythons.count; i++) {
        const char *python = e->pythons.items[i];
        if (!words_have(&r->pythons, python) && !words_have(&r->experimental, python) &&
            is_due(c, python))
            more = arena_printf(c->arena, "%s %s", more, python);
    }
    if (!*lost && !*more) {
        verification_prove(c, "python");
        return;
    }
    const char *evidence =
        *lost && *more ? arena_printf(c->arena, "no wheel of %s for%s; wheels for%s",
                                      verification_named(c), lost, more)
        : *lost        ? arena_printf(c->arena, "no wheel of %s for%s", verification_named(c), lost)
                : arena_printf(c->arena, "%s has wheels for%s too", verification_named(c), more);
    verification_differ(c, "python", joined(c->arena, &r->pythons), joined(c->arena, &e->pythons),
                        "%s", evidence);
}

/* True where the wheels for a processor are those of the row: with CUDA, where it has CUDA. */
static bool serves(const struct verification *c, int p)
{
    const struct evidence *e = &c->evidence;
    bool told = e->cuda_for[X86_64] || e->cuda_for[AARCH64];
    return e->wheel[p] && (!c->build->cuda.text || !told || e->cuda_for[p]);
}

static void check_processors(const struct verification *c)
{
    bool same = true;
    struct words rows = {0}, served = {0};
    const char *evidence = "";
    for (int p = 0; p < PROCESSORS; p++) {
        const struct words *own = &c->release->processors;
        bool in_row = build_has_processor(c->build, processor_names[p]) &&
                      (!own->count || words_have(own, processor_names[p]));
        bool there = serves(c, p);
        if (c->evidence.wheel[p] && !c->evidence.read[p])
            there = in_row; /* a wheel that nothing is known about */
        if (in_row)
            words_add(&rows, c->arena, processor_names[p]);
        if (there)
            words_add(&served, c->arena, processor_names[p]);
        if (in_row != there) {
            const char *why = there                  ? "has a wheel"
                              : c->evidence.wheel[p] ? "requires no CUDA there"
                                                     : "has no wheel";
            evidence = arena_printf(c->arena, "%s%s%s: %s %s", evidence, *evidence ? "; " : "",
                                    processor_names[p], verification_named(c), why);
            same = false;
        }
    }
    if (same)
        verification_prove(c, "processor");
    else
        verification_differ(c, "processor", joined(c->arena, &rows), joined(c->arena, &served),
                            "%s", evidence);
}

/*
 * A row may need a newer glibc than some wheel: of several, the one for the newer glibc is the one
 * with CUDA. Less than every wheel needs, or more than any does, is wrong. Wheels without code
 * prove nothing.
 */
static void check_glibc(const struct verification *c)
{
    const struct evidence *e = &c->evidence;
    const struct version *row = &c->release->glibc;
    int has = row->text && row->count >= 2 ? (int)row->release[1] : OLDEST_GLIBC;
    bool too_much = c->build->cuda.text && has > OLDEST_GLIBC && has > e->most_glibc;
    if (!e->glibc)
        return;
    if (has >= e->glibc && !too_much) {
        verification_prove(c, "glibc");
        return;
    }
    const char *said = arena_printf(c->arena, "2.%d", too_much ? e->most_glibc : e->glibc);
    verification_differ(c, "glibc", row->text ? row->text : "any", said,
                        "the wheels of %s are for glibc %s", verification_named(c), said);
}

/* "12.8" -> "12.8.*": a range must leave room for that. */
static bool range_has_room(const struct verification *c, const struct spec *range,
                           const struct version *version)
{
    ERR_SCRATCH(err);
    struct spec own;
    const char *text = arena_printf(c->arena, "==%s.*", version->text);
    return spec_parse(&own, c->arena, text, "range", &err) < 0 || spec_overlaps(range, &own);
}

static void check_cuda(const struct verification *c)
{
    const struct required *cuda = &c->evidence.cuda;
    const struct version *row = &c->build->cuda;
    struct version pin;
    if (!row->text) {
        if (c->evidence.cuda_for[X86_64] && !strchr(c->build->variant, 'c'))
            verification_differ(c, "cuda", "none", "some", "%s",
                                c->evidence.cuda.said ? c->evidence.cuda.said : "");
        return;
    }
    if (cuda->pin && version_parse(&pin, cuda->pin) == 0) {
        if (same_minor(&pin, row))
            verification_prove(c, "cuda");
        else
            verification_differ(c, "cuda", row->text, cuda->pin, "%s", cuda->said);
    } else if (cuda->said && cuda->range.count) {
        if (range_has_room(c, &cuda->range, row))
            verification_prove(c, "cuda-range");
        else
            verification_differ(c, "cuda", row->text, cuda->range.text, "%s", cuda->said);
    } else if (c->evidence.cuda_major) {
        if ((uint64_t)c->evidence.cuda_major == row->release[0])
            verification_prove(c, "cuda-major");
        else
            verification_differ(c, "cuda", row->text,
                                arena_printf(c->arena, "%d", c->evidence.cuda_major), "%s",
                                c->evidence.major_said);
    }
}

/* 9.3 in a row stands for 9.3.0.75. */
static bool agrees_to_its_end(const struct version *row, const struct version *pin)
{
    return version_compare_parts(row, pin, row->count) == 0;
}

static bool cudnn_agrees(const struct build *build, const struct required *found,
                         const struct version *pin)
{
    if (found->pin && build->cudnn_window.count)
        return spec_matches(&build->cudnn_window, pin);
    if (found->pin)
        return agrees_to_its_end(&build->cudnn_version, pin);
    return build->cudnn_window.count && spec_same(&build->cudnn_window, &found->range);
}

static void check_cudnn(const struct verification *c)
{
    const struct required *found = &c->evidence.cudnn;
    struct version pin = {0};
    if (!c->build->cuda.text || !found->said || (!found->pin && !found->range.count) ||
        (found->pin && version_parse(&pin, found->pin) < 0))
        return;
    const char *says = found->pin ? found->pin : found->range.text;
    if (c->build->cudnn && cudnn_agrees(c->build, found, &pin))
        verification_prove(c, "cudnn");
    else
        verification_differ(c, "cudnn", c->build->cudnn ? c->build->cudnn : "not given", says, "%s",
                            found->said);
}

static void check_nccl(const struct verification *c)
{
    struct version row, pin;
    const struct required *found = &c->evidence.nccl;
    if (!c->build->nccl.count || !found->pin || version_parse(&row, c->build->nccl.text) < 0 ||
        version_parse(&pin, found->pin) < 0)
        return;
    if (agrees_to_its_end(&row, &pin))
        verification_prove(c, "nccl");
    else
        verification_differ(c, "nccl", c->build->nccl.text, found->pin, "%s", found->said);
}

/* Checks that the installation is complete: jax without jaxlib imports nothing. */
static void check_family(const struct verification *c)
{
    const struct evidence *e = &c->evidence;
    const struct build *build = c->build;
    bool brings = str_equal(supply_of(c->framework, build), "wheel");
    bool cuda = e->cuda_for[X86_64] || e->cuda_for[AARCH64] || e->cuda_major;
    /* A package on another framework brings no code of its own. */
    bool alone = !c->framework->on && !c->release->companions.count;
    if (!e->compiled && alone)
        verification_differ(c, "family", c->requirement, "no code",
                            "no wheel that %s brings is for a processor%s%s", c->requirement,
                            e->left_out ? "; it requires " : "", e->left_out ? e->left_out : "");
    else if (build->cuda.text && brings && !cuda && e->left_cuda)
        verification_differ(c, "family", c->requirement, "no CUDA",
                            "%s brings no CUDA; it requires %s", c->requirement, e->left_cuda);
}

void verify_wheels(const struct verification *c)
{
    check_family(c);
    check_pythons(c);
    check_processors(c);
    check_glibc(c);
    check_cuda(c);
    check_cudnn(c);
    check_nccl(c);
}
