/* Finds the system of an image by its config and its name. Pure. */
#include "image/rebase/rebase_parts.h"

#include "base/arena.h"
#include "data/data.h"
#include "registry/reference.h"

#include <string.h>

#define DIGITS "0123456789"

static bool has_trace_of_cuda(const struct data *env)
{
    for (size_t i = 0; i < env->map.count; i++) {
        const char *name = env->map.members[i].name.ptr;
        if (str_starts(name, "CUDA_") || str_starts(name, "NV_CUDA_") ||
            str_equal(name, "NVARCH") || str_equal(name, "NVIDIA_REQUIRE_CUDA"))
            return true;
    }
    return false;
}

/* "13.0.3-cudnn-runtime-ubuntu24.04" */
static struct rebase_system system_of_tag(struct arena *arena,
                                          const struct image_reference *reference)
{
    struct rebase_system found = {0};
    const char *last = reference->tag ? strrchr(reference->tag, '-') : NULL;
    size_t len = reference->tag ? strspn(reference->tag, DIGITS ".") : 0;
    if (!str_equal(reference->path, "nvidia/cuda") && !str_ends(reference->path, "/nvidia/cuda"))
        return found;
    if (last && strpbrk(last, DIGITS))
        found.os = last + 1;
    if (len && reference->tag[len] == '-' && strchr(reference->tag, '.'))
        found.cuda = arena_memdup(arena, reference->tag, len);
    return found;
}

static const char *os_of_labels(struct arena *arena, const struct data *config)
{
    const char *name = rebase_label(config, "org.opencontainers.image.ref.name");
    const char *version = rebase_label(config, "org.opencontainers.image.version");
    return name && *name && version && *version ? arena_printf(arena, "%s%s", name, version) : NULL;
}

static const char *first_of(const char *a, const char *b)
{
    return a && *a ? a : b && *b ? b : NULL;
}

struct rebase_system rebase_system_of(struct arena *arena, const struct data *config,
                                      const struct image_reference *reference)
{
    struct rebase_system by_tag = system_of_tag(arena, reference);
    const struct data *env = rebase_env(arena, config);
    struct rebase_system found = {
        first_of(first_of(rebase_label(config, "tmplgen.os"), os_of_labels(arena, config)),
                 by_tag.os),
        first_of(first_of(rebase_label(config, "tmplgen.cuda"), data_get_text(env, "CUDA_VERSION")),
                 by_tag.cuda)};
    if (found.os && !found.cuda && !has_trace_of_cuda(env))
        found.cuda = "none";
    return found;
}

/* "13.0" of "13.0.3" */
static size_t minor_len(const char *version)
{
    size_t len = strspn(version, DIGITS);
    if (version[len] == '.')
        len += 1 + strspn(version + len + 1, DIGITS);
    return len;
}

static bool same_minor(const char *a, const char *b)
{
    size_t len = minor_len(a);
    if (!len || !minor_len(b))
        return str_equal(a, b);
    return len == minor_len(b) && memcmp(a, b, len) == 0;
}

/* The first part that the old base has, by a variable NV_..._VERSION, and the new one lacks. */
static const char *missing_part(const struct data *old, const struct data *new)
{
    for (size_t i = 0; i < old->map.count; i++) {
        const char *name = old->map.members[i].name.ptr;
        if (str_starts(name, "NV_") && str_ends(name, "_VERSION") && !data_get(new, name))
            return name;
    }
    return NULL;
}

const char *rebase_system_refusal(struct arena *arena, const struct rebase_system *old,
                                  const struct data *old_config, const struct rebase_system *new,
                                  const struct data *new_config)
{
    const struct data *old_env = rebase_env(arena, old_config);
    const struct data *new_env = rebase_env(arena, new_config);
    const char *cudnn = data_get_text(old_env, "NV_CUDNN_VERSION");
    const char *other = data_get_text(new_env, "NV_CUDNN_VERSION");
    if (!old->os || !old->cuda)
        return "nobody says which distribution and CUDA its old base is of";
    if (!new->os || !new->cuda)
        return "nobody says which distribution and CUDA the new base is of";
    if (!str_equal(old->os, new->os))
        return arena_printf(arena, "it stands on %s, and the new base is %s", old->os, new->os);
    if (!same_minor(old->cuda, new->cuda))
        return arena_printf(arena, "it stands on CUDA %s, and the new base has %s", old->cuda,
                            new->cuda);
    const char *missing = missing_part(old_env, new_env);
    if (missing)
        return arena_printf(arena, "its old base has a part that the new one lacks (%s)", missing);
    if (cudnn && other && !same_minor(cudnn, other))
        return arena_printf(arena, "it stands on cuDNN %s, and the new base has %s", cudnn, other);
    return NULL;
}
