/* The name of a wheel: its Python, processor and glibc (PEP 427, 600). */
#include "package_index/evidence/wheel.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Takes the part after the last '-' off `rest`. */
static bool take_last(struct span *part, struct span *rest)
{
    const char *dash = rest->len ? memrchr(rest->ptr, '-', rest->len) : NULL;
    if (!dash || dash + 1 == rest->ptr + rest->len)
        return false;
    *part = span_of(dash + 1, rest->len - (size_t)(dash + 1 - rest->ptr));
    rest->len = (size_t)(dash - rest->ptr);
    return true;
}

int wheel_parse(struct wheel *out, const char *filename)
{
    struct span rest = span_from(filename);
    if (!str_ends(filename, ".whl"))
        return -1;
    rest.len -= strlen(".whl");
    if (!take_last(&out->platform, &rest) || !take_last(&out->abi, &rest) ||
        !take_last(&out->python, &rest))
        return -1;
    const char *dash = rest.len ? memchr(rest.ptr, '-', rest.len) : NULL;
    if (!dash || dash == rest.ptr)
        return -1;
    out->name = span_of(rest.ptr, (size_t)(dash - rest.ptr));
    out->version = span_of(dash + 1, rest.len - out->name.len - 1);
    const char *build = out->version.len ? memchr(out->version.ptr, '-', out->version.len) : NULL;
    if (build)
        out->version.len = (size_t)(build - out->version.ptr);
    return out->version.len ? 0 : -1;
}

/* Takes the next of several tags; false after the last. */
static bool next_tag(struct span *tag, struct span *rest)
{
    if (!rest->len)
        return false;
    const char *dot = memchr(rest->ptr, '.', rest->len);
    size_t len = dot ? (size_t)(dot - rest->ptr) : rest->len;
    *tag = span_of(rest->ptr, len);
    *rest = dot ? span_of(dot + 1, rest->len - len - 1) : span_of(rest->ptr + len, 0);
    return true;
}

static bool starts(struct span text, const char *prefix)
{
    return text.len >= strlen(prefix) && memcmp(text.ptr, prefix, strlen(prefix)) == 0;
}

/* The glibc of "manylinux_2_28_x86_64" and its older names; -1 where the processor is another. */
static int glibc_of(struct span tag, const char *processor)
{
    static const struct {
        const char *prefix;
        int glibc;
    } old[] = {{"manylinux1_", 5}, {"manylinux2010_", 12}, {"manylinux2014_", 17}, {"linux_", 0}};
    size_t len = strlen(processor);
    if (span_equal(tag, span_from("any")))
        return 0;
    if (tag.len <= len || memcmp(tag.ptr + tag.len - len, processor, len) != 0)
        return -1;
    struct span head = span_of(tag.ptr, tag.len - len);
    for (size_t i = 0; i < sizeof(old) / sizeof(*old); i++)
        if (span_equal(head, span_from(old[i].prefix)))
            return old[i].glibc;
    if (!starts(head, "manylinux_2_"))
        return -1;
    const char *digits = head.ptr + strlen("manylinux_2_");
    size_t count = strspn(digits, "0123456789");
    bool whole =
        count && count < 4 && digits + count + 1 == head.ptr + head.len && digits[count] == '_';
    return whole ? atoi(digits) : -1;
}

bool wheel_fits_processor(int *glibc, const struct wheel *wheel, const char *processor)
{
    struct span rest = wheel->platform, tag;
    int lowest = INT_MAX;
    while (next_tag(&tag, &rest)) {
        int wants = glibc_of(tag, processor);
        if (wants >= 0 && wants < lowest)
            lowest = wants;
    }
    *glibc = lowest == INT_MAX ? 0 : lowest;
    return lowest != INT_MAX;
}

/* 312 for "3.12"; 0 for a version other than 3. */
static int python_number(const char *python)
{
    if (!str_starts(python, "3."))
        return 0;
    char *end;
    long minor = strtol(python + 2, &end, 10);
    return end == python + 2 || *end || minor < 0 || minor > 99 ? 0 : 300 + (int)minor;
}

/* 312 for "cp312" with `prefix` "cp3"; 300 for "py3" with "py3"; 0 for others. */
static int tag_number(struct span tag, const char *prefix)
{
    int minor = 0;
    if (!starts(tag, prefix) || tag.len > 5)
        return 0;
    for (size_t i = 3; i < tag.len; i++) {
        if (!isdigit((unsigned char)tag.ptr[i]))
            return 0;
        minor = minor * 10 + (tag.ptr[i] - '0');
    }
    return 300 + minor;
}

static bool has_tag(struct span tags, const char *wanted)
{
    struct span tag;
    while (next_tag(&tag, &tags))
        if (span_equal(tag, span_from(wanted)))
            return true;
    return false;
}

/* The lowest Python of a wheel without an ABI, "py39" for 3.9 and later; 0: it has an ABI. */
static int pure_since(const struct wheel *wheel)
{
    struct span rest = wheel->python, tag;
    int least = 0;
    if (!has_tag(wheel->abi, "none"))
        return 0;
    while (next_tag(&tag, &rest)) {
        int since = tag_number(tag, "py3");
        if (since && (!least || since < least))
            least = since;
    }
    return least;
}

bool wheel_is_for_later_pythons(const struct wheel *wheel)
{
    return pure_since(wheel) || has_tag(wheel->abi, "abi3");
}

bool wheel_fits_python(const struct wheel *wheel, const char *python)
{
    struct span rest = wheel->python, tag;
    int number = python_number(python);
    bool stable = has_tag(wheel->abi, "abi3");
    if (!number || pure_since(wheel))
        return number && number >= pure_since(wheel);
    if (wheel->abi.len && wheel->abi.ptr[wheel->abi.len - 1] == 't')
        return false; /* free-threaded */
    while (next_tag(&tag, &rest)) {
        int built = tag_number(tag, "cp3");
        if (built && (built == number || (stable && built < number)))
            return true;
    }
    return false;
}
