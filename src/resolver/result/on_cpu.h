/* What of a stack is there on a machine without a GPU. */
#ifndef TMPLGEN_ON_CPU_H
#define TMPLGEN_ON_CPU_H

#include "resolver/search/chosen_set.h"

struct on_cpu {
    struct chosen_set chosen;
    struct problem problem; /* as asked, but for the build */
    struct candidate candidate;
};

/*
 * The same releases by their builds for CPUs, without the packages that are for GPUs alone; what is
 * chosen points into `out`. False: the framework itself is for GPUs alone.
 */
bool chosen_on_cpu(struct on_cpu *out, const struct chosen_set *s);

#endif
