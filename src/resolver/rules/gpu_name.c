/* Finds GPUs by the names that people and tools use. */
#include "resolver/rules/gpu_name.h"

#include "base/arena.h"
#include "base/str.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX 64
#define NAMES_MAX 1024
#define NEAR_SPARE 3 /* letters by which a near name may differ in length */

/* Words that do not tell the model: makers, brands, forms, sockets. */
static const char *const noise[] = {
    "nvidia", "tesla",       "geforce", "quadro",   "grid",   "generation", "edition",
    "server", "series",      "gpu",     "laptop",   "mobile", "pci",        "pcie",
    "board",  "workstation", "with",    "max",      "q",      "design",     "device",
    "mig",    "fhhl",        "dgxs",    "dgx",      "hgx",    "ac",         "active",
    "lhr",    "notebook",    "(nvgpu)", "embedded", "oem",    "lc"};

static bool is_word(struct span word, const char *text)
{
    return strlen(text) == word.len && strncasecmp(text, word.ptr, word.len) == 0;
}

static bool begins(struct span word, const char *text)
{
    return strlen(text) <= word.len && strncasecmp(text, word.ptr, strlen(text)) == 0;
}

static size_t count_digits(struct span word)
{
    size_t digits = 0;
    while (digits < word.len && isdigit((unsigned char)word.ptr[digits]))
        digits++;
    return digits;
}

/* 80GB, 144G, the 16Q of a virtual GPU. */
static bool is_amount(struct span word)
{
    static const char *const units[] = {"gb", "g", "gib", "q", "c", "b"};
    size_t digits = count_digits(word);
    struct span unit = span_of(word.ptr + digits, word.len - digits);
    for (size_t i = 0; digits && i < sizeof units / sizeof *units; i++)
        if (is_word(unit, units[i]))
            return true;
    return false;
}

/* SXM4, HBM3e, and the 3g.40gb of a MIG device. */
static bool is_form(struct span word)
{
    return (word.len <= 4 && begins(word, "sxm")) || begins(word, "hbm") ||
           (word.len > 3 && count_digits(word) == 1 && strncmp(word.ptr + 1, "g.", 2) == 0);
}

static bool is_noise(struct span word)
{
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        if (noise[i][0] == tolower((unsigned char)*word.ptr) && is_word(word, noise[i]))
            return true;
    return is_amount(word) || is_form(word);
}

/* Takes the next word of a name; empty after the last. */
static struct span next_word(struct span *rest)
{
    size_t start = 0, end;
    while (start < rest->len && strchr(" -_,", rest->ptr[start]))
        start++;
    for (end = start; end < rest->len && !strchr(" -_,", rest->ptr[end]);)
        end++;
    struct span word = span_of(rest->ptr + start, end - start);
    *rest = span_of(rest->ptr + end, rest->len - end);
    return word;
}

/*
 * The model in lower case and without spaces: "NVIDIA A100-SXM4-40GB" is "a100". `whole` keeps
 * every word but the maker's, for cards whose editions differ in the matrix.
 */
static void normalize(char out[NAME_MAX], struct span text, bool whole)
{
    size_t len = 0;
    for (struct span word; (word = next_word(&text)).len;) {
        if ((whole ? is_word(word, "nvidia") : is_noise(word)) || len + word.len >= NAME_MAX)
            continue;
        for (size_t j = 0; j < word.len; j++)
            out[len++] = (char)tolower((unsigned char)word.ptr[j]);
    }
    out[len] = '\0';
}

/* Takes the next of a list separated by commas, without the spaces around it. */
static bool next_name(struct span *name, const char **list)
{
    const char *start = *list;
    if (!start || !*start)
        return false;
    while (*start == ' ')
        start++;
    size_t len = strcspn(start, ",");
    *list = start[len] ? start + len + 1 : NULL;
    *name = span_of(start, len);
    return true;
}

/* People write only the number of a GeForce card: "4090". */
static bool same_model(const struct gpu *gpu, const char *wanted, struct span name, bool whole)
{
    char normal[NAME_MAX];
    normalize(normal, name, whole);
    if (isdigit((unsigned char)*wanted) && str_equal(gpu->class, "geforce") &&
        (str_starts(normal, "rtx") || str_starts(normal, "gtx")))
        return strcmp(wanted, normal + 3) == 0;
    return strcmp(wanted, normal) == 0;
}

/* ------------------------------------------------------------------ unknown names */

/* True where it tells models apart: "4090", "H20", not "RTX" or "Ada". */
static bool is_number(struct span word)
{
    size_t digits = 0;
    for (size_t i = 0; i < word.len; i++)
        digits += isdigit((unsigned char)word.ptr[i]) != 0;
    return digits > 1 && !is_noise(word);
}

/* True where both have the same word that tells models apart. */
static bool share_number(struct span one, struct span other)
{
    for (struct span word; (word = next_word(&one)).len;) {
        struct span rest = other, same;
        while (is_number(word) && (same = next_word(&rest)).len)
            if (same.len == word.len && strncasecmp(same.ptr, word.ptr, word.len) == 0)
                return true;
    }
    return false;
}

/*
 * Names that differ by letters are other cards, not misspelled ones (RTX A4500, RTX A6000; MI300X,
 * B300). A near name has the same number, or is a prefix.
 */
static bool is_near(const char *text, struct span name)
{
    char wanted[NAME_MAX], normal[NAME_MAX];
    normalize(wanted, span_from(text), false);
    normalize(normal, name, false);
    size_t len = strlen(wanted), name_len = strlen(normal), least = len < name_len ? len : name_len;
    if (least > 1 && strncmp(wanted, normal, least) == 0)
        return len + name_len - 2 * least <= NEAR_SPARE;
    return share_number(span_from(text), name);
}

static size_t near_names(const char **names, struct arena *arena, const struct matrix *matrix,
                         const char *text)
{
    size_t count = 0;
    for (size_t i = 0; i < matrix->gpus.count; i++) {
        const struct gpu *gpu = ROW(struct gpu, matrix->gpus, i);
        struct span name = span_from(gpu->name);
        const char *more = gpu->names;
        do {
            if (count < NAMES_MAX && is_near(text, name))
                names[count++] = arena_memdup(arena, name.ptr, name.len);
        } while (next_name(&name, &more));
    }
    return count;
}

static int unknown_gpu(struct arena *arena, const struct matrix *matrix, const char *text,
                       struct err *err)
{
    const char **names = arena_array(arena, NAMES_MAX, sizeof *names);
    if (is_elsewhere(err, "unknown-gpu", text))
        return -1;
    size_t count = near_names(names, arena, matrix, text);
    const char *near = str_nearest(text, names, count);
    err_set(err, TG_USAGE, "unknown-gpu", "unknown GPU '%s'", text);
    if (count)
        return err_hint(err, "did you mean '%s'? a compute capability is said as sm_86",
                        near ? near : names[0]);
    return err_hint(err, "`tmplgen matrix list gpus` names them; a compute capability is said as "
                         "sm_86");
}

/* ------------------------------------------------------------------ known names */

/* Parses sm_86, sm_90a, 8.6: the last digit is the minor. 0 for another form. */
static int parse_sm(const char *text)
{
    int major, minor, used = 0;
    if (isdigit((unsigned char)*text))
        return sscanf(text, "%2d.%1d%n", &major, &minor, &used) == 2 && !text[used]
                   ? 10 * major + minor
                   : 0;
    if (strncasecmp(text, "sm_", 3) != 0)
        return 0;
    size_t len = strspn(text + 3, "0123456789");
    bool of_form =
        !text[3 + len] || str_equal(text + 3 + len, "a") || str_equal(text + 3 + len, "f");
    return !of_form || len < 2 || len > 3 ? 0 : atoi(text + 3);
}

static bool find_model(struct asked_gpu *out, struct arena *arena, const struct gpu *gpu,
                       const char *wanted, bool whole)
{
    struct span name = span_from(gpu->name);
    bool found = same_model(gpu, wanted, name, whole);
    for (const char *more = gpu->names; !found && next_name(&name, &more);)
        found = same_model(gpu, wanted, name, whole);
    if (found)
        *out = (struct asked_gpu){arena_memdup(arena, name.ptr, name.len), gpu->cc, gpu, NULL};
    return found;
}

/* Finds by the whole name where there is one, else by the model. */
static bool find_name(struct asked_gpu *out, struct arena *arena, const struct matrix *matrix,
                      const char *text)
{
    bool found = false;
    for (int whole = 1; whole >= 0 && !found; whole--) {
        char wanted[NAME_MAX];
        normalize(wanted, span_from(text), whole);
        for (size_t i = 0; *wanted && !found && i < matrix->gpus.count; i++)
            found = find_model(out, arena, ROW(struct gpu, matrix->gpus, i), wanted, whole);
    }
    return found;
}

int gpu_find(struct asked_gpu *out, struct arena *arena, const struct matrix *matrix,
             const char *text, struct err *err)
{
    int cc = parse_sm(text);
    bool found = cc && architecture_of(matrix, cc);
    if (found)
        *out = (struct asked_gpu){arena_printf(arena, "sm_%d", cc), cc, NULL, NULL};
    else
        found = find_name(out, arena, matrix, text);
    if (!found)
        return unknown_gpu(arena, matrix, text, err);
    out->architecture = architecture_of(matrix, out->cc);
    return 0;
}

/* ------------------------------------------------------------------ absent from every matrix */

#define CPU "`--variant cpu` runs without a GPU"

/* `words` are separated by spaces; '#' stands for a number, as in MI300X */
static const struct {
    const char *words, *what, *hint;
} places[] = {
    {"rocm rocm# hip hip# amd radeon instinct mi# gfx# rx vega navi", "AMD's GPUs",
     CPU "; AMD's own images (rocm/pytorch) are taken as given: "
         "`--framework none --variant cpu --image rocm/pytorch:TAG`"},
    {"xpu oneapi sycl ipex intel arc iris openvino", "Intel's GPUs",
     CPU "; Intel's own images (intel/intel-extension-for-pytorch) are taken as given: "
         "`--framework none --variant cpu --image REPO:TAG`"},
    {"hpu gaudi gaudi# habana", "Intel's Gaudi",
     CPU "; Habana's own images are taken as given: "
         "`--framework none --variant cpu --image REPO:TAG`"},
    {"mps mlx apple m# macos macos# mac osx darwin", "Apple's machines",
     CPU ", on a Mac in a Linux container too (`--arch aarch64`); GPUs are not reached from there"},
    {"windows windows# win win# win32 win64 directml dml", "Windows",
     "`--platform wsl2`: in WSL 2 the same images and wheels run on Windows' driver"},
    {"tpu tpu# tpuv#", "Google's TPUs", CPU},
    {"neuron trainium trainium# inferentia inferentia# trn# inf#", "Amazon's chips", CPU},
    {"npu cann ascend ascend# mlu mlu# musa", "another maker's chips", CPU},
    {"cpu none no vulkan opencl webgpu", "no CUDA", CPU},
};

static bool matches(struct span word, const char *pattern, size_t len)
{
    bool numbered = pattern[len - 1] == '#';
    len -= numbered;
    if (strncasecmp(word.ptr, pattern, word.len < len ? word.len : len) != 0)
        return false;
    return numbered ? word.len > len && isdigit((unsigned char)word.ptr[len]) : word.len == len;
}

static bool is_among(struct span word, const char *patterns)
{
    while (*patterns) {
        size_t len = strcspn(patterns, " ");
        if (matches(word, patterns, len))
            return true;
        patterns += len + strspn(patterns + len, " ");
    }
    return false;
}

/* True where a word of `text` matches one of `patterns`. */
static bool names_one(const char *text, const char *patterns)
{
    static const char breaks[] = " -_/:.";
    while (*(text += strspn(text, breaks))) {
        size_t len = strcspn(text, breaks);
        if (is_among(span_of(text, len), patterns))
            return true;
        text += len;
    }
    return false;
}

bool is_elsewhere(struct err *err, const char *code, const char *text)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (!names_one(text, places[i].words))
            continue;
        err_set(err, TG_USAGE, code, "tmplgen's matrix is NVIDIA on Linux: '%s' means %s", text,
                places[i].what);
        err_hint(err, "%s", places[i].hint);
        return true;
    }
    return false;
}
