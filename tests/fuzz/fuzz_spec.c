/*
 * Five lines: three versions of PEP 440, two SPECs. Versions have one order; what SPECs say of each
 * other is what they say of versions.
 */
#include "fuzz.h"

#include "base/arena.h"
#include "matrix/version.h"

#include <stdint.h>
#include <string.h>

static int sign(int n)
{
    return (n > 0) - (n < 0);
}

/* The next line as a text of its own; "" behind the last. */
static const char *take_line(struct arena *arena, struct span *rest)
{
    const char *end = rest->len ? memchr(rest->ptr, '\n', rest->len) : NULL;
    size_t len = end ? (size_t)(end - rest->ptr) : rest->len;
    const char *line = arena_memdup(arena, rest->ptr, len);
    *rest = span_of(rest->ptr + len + (end != NULL), rest->len - len - (end != NULL));
    return line;
}

static void check_order(const struct version versions[3])
{
    for (int i = 0; i < 3; i++) {
        const struct version *a = &versions[i], *b = &versions[(i + 1) % 3],
                             *c = &versions[(i + 2) % 3];
        int ab = sign(version_compare(a, b));
        must(version_compare(a, a) == 0);
        must(ab == -sign(version_compare(b, a)));
        if (ab <= 0 && version_compare(b, c) <= 0)
            must(version_compare(a, c) <= 0);
        if (ab == 0)
            must(version_compare_parts(a, b, 2) == 0 &&
                 version_is_prerelease(a) == version_is_prerelease(b));
    }
}

/* Equal versions meet the same SPECs. */
static void check_equal(const struct spec *spec, const struct version versions[3])
{
    for (int i = 0; i < 3; i++)
        if (version_compare(&versions[i], &versions[(i + 1) % 3]) == 0)
            must(spec_matches(spec, &versions[i]) == spec_matches(spec, &versions[(i + 1) % 3]));
}

static void check_both(const struct spec *a, const struct spec *b, const struct version versions[3])
{
    bool same = spec_same(a, b), overlaps = spec_overlaps(a, b);
    must(spec_same(a, a) && spec_same(b, a) == same && spec_overlaps(b, a) == overlaps);
    for (int i = 0; i < 3; i++) {
        bool one = spec_matches(a, &versions[i]), other = spec_matches(b, &versions[i]);
        must(overlaps || !one || !other);
        must(!same || one == other || version_is_prerelease(&versions[i]));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct span rest = span_of((const char *)bytes, size);
    struct version versions[3];
    struct spec specs[2];
    for (int i = 0; i < 3; i++)
        if (version_parse(&versions[i], take_line(&arena, &rest)))
            return 0;
    check_order(versions);
    for (int i = 0; i < 2; i++) {
        if (spec_parse(&specs[i], &arena, take_line(&arena, &rest), "--python", &err)) {
            must(err.exit == TG_USAGE && strcmp(err.code, "invalid-spec") == 0);
            return 0;
        }
        check_equal(&specs[i], versions);
    }
    check_both(&specs[0], &specs[1], versions);
    return 0;
}
