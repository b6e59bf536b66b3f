/* GPUs by the names that people and tools give them. */
#include "resolver/gpu.h"
#include "base/arena.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MAX 64
#define NAMES_MAX 512

/* What says nothing about the model: makers, brands, sockets. */
static const char *const noise[] = {"nvidia", "tesla",       "geforce", "generation", "edition",
                                    "server", "workstation", "series",  "gpu",        "laptop",
                                    "pcie",   "mobile",      "pci",     "board"};

static bool is_memory(struct span word)
{
    size_t digits = 0;
    while (digits < word.len && isdigit((unsigned char)word.ptr[digits]))
        digits++;
    return digits && word.len == digits + 2 && strncasecmp(word.ptr + digits, "gb", 2) == 0;
}

static bool is_noise(struct span word)
{
    for (size_t i = 0; i < sizeof noise / sizeof *noise; i++)
        if (strlen(noise[i]) == word.len && strncasecmp(noise[i], word.ptr, word.len) == 0)
            return true;
    return is_memory(word) || (word.len == 4 && strncasecmp(word.ptr, "sxm", 3) == 0) ||
           (word.len >= 4 && strncasecmp(word.ptr, "hbm", 3) == 0);
}

/* The model alone, lower case and without spaces: "NVIDIA A100-SXM4-40GB" is "a100". */
static void normalize(char out[NAME_MAX], struct span text)
{
    size_t len = 0;
    for (size_t i = 0; i < text.len;) {
        size_t start = i;
        while (i < text.len && !strchr(" -_,", text.ptr[i]))
            i++;
        struct span word = span_of(text.ptr + start, i - start);
        i += i < text.len;
        if (!word.len || is_noise(word) || len + word.len >= NAME_MAX)
            continue;
        for (size_t j = 0; j < word.len; j++)
            out[len++] = (char)tolower((unsigned char)word.ptr[j]);
    }
    out[len] = '\0';
}

/* The next of a list separated by commas, without spaces around it. */
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

static bool same_model(const char *wanted, struct span name)
{
    char normal[NAME_MAX];
    normalize(normal, name);
    return strcmp(wanted, normal) == 0;
}

/* Every name, for "did you mean". */
static size_t all_names(const char **names, struct arena *arena, const struct matrix *matrix)
{
    size_t count = 0;
    for (size_t i = 0; i < matrix->gpus.count; i++) {
        const struct gpu *gpu = ROW(struct gpu, matrix->gpus, i);
        struct span name;
        if (count < NAMES_MAX)
            names[count++] = gpu->name;
        for (const char *more = gpu->names; next_name(&name, &more) && count < NAMES_MAX;)
            names[count++] = arena_memdup(arena, name.ptr, name.len);
    }
    return count;
}

static int unknown_gpu(struct arena *arena, const struct matrix *matrix, const char *text,
                       struct err *err)
{
    const char **names = arena_array(arena, NAMES_MAX, sizeof *names);
    size_t count = all_names(names, arena, matrix);
    const char *near = str_nearest(text, names, count);
    err_set(err, TG_USAGE, "unknown-gpu", "unknown GPU '%s'", text);
    if (near)
        return err_hint(err, "did you mean '%s'? a compute capability is said as sm_86", near);
    return err_hint(err, "`tmplgen matrix list gpus` names them; a compute capability is said as "
                         "sm_86");
}

/* sm_86, sm_120: the last digit is the minor. 0 where it is not of that form. */
static int parse_sm(const char *text)
{
    if (strncasecmp(text, "sm_", 3) != 0)
        return 0;
    size_t len = strspn(text + 3, "0123456789");
    return text[3 + len] || len < 2 || len > 3 ? 0 : atoi(text + 3);
}

static bool find_model(struct asked_gpu *out, struct arena *arena, const struct gpu *gpu,
                       const char *wanted)
{
    struct span name = span_from(gpu->name);
    bool found = same_model(wanted, name);
    for (const char *more = gpu->names; !found && next_name(&name, &more);)
        found = same_model(wanted, name);
    if (found)
        *out = (struct asked_gpu){arena_memdup(arena, name.ptr, name.len), gpu->cc, gpu, NULL};
    return found;
}

int gpu_find(struct asked_gpu *out, struct arena *arena, const struct matrix *matrix,
             const char *text, struct err *err)
{
    int cc = parse_sm(text);
    bool found = cc && architecture_of(matrix, cc);
    if (found) {
        *out = (struct asked_gpu){arena_printf(arena, "sm_%d", cc), cc, NULL, NULL};
    } else {
        char wanted[NAME_MAX];
        normalize(wanted, span_from(text));
        for (size_t i = 0; *wanted && !found && i < matrix->gpus.count; i++)
            found = find_model(out, arena, ROW(struct gpu, matrix->gpus, i), wanted);
    }
    if (!found)
        return unknown_gpu(arena, matrix, text, err);
    out->architecture = architecture_of(matrix, out->cc);
    return 0;
}
