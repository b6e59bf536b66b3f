/* Which system an image stands on, by what its config and its name say. Pure. */
#ifndef TMPLGEN_REBASE_SYSTEM_H
#define TMPLGEN_REBASE_SYSTEM_H

struct arena;
struct data;
struct image_reference;

/* NULL: nobody knows. */
struct rebase_system {
    const char *os;   /* "ubuntu24.04" */
    const char *cuda; /* "13.0.3", or "none" */
};

/*
 * By rank: labels of tmplgen; OCI's labels and CUDA_VERSION; the tag, where it is one of
 * nvidia/cuda. An image whose distribution is known and that has no trace of CUDA has none.
 */
struct rebase_system rebase_system_of(struct arena *arena, const struct data *config,
                                      const struct image_reference *reference);
/*
 * Why what was built on `old` is not known to run on `new`, in the arena, or NULL where it does:
 * one distribution release, one CUDA minor, and none of its parts gone. The configs are those of
 * the two bases.
 */
const char *rebase_system_refusal(struct arena *arena, const struct rebase_system *old,
                                  const struct data *old_config, const struct rebase_system *new,
                                  const struct data *new_config);

#endif
