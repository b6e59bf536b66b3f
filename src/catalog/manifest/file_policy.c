/* What an update may do to a file: the policies that a manifest gives to paths. */
#include "catalog/file_policy.h"

#include <stddef.h>

const struct policy file_policies[POLICY_COUNT] = {
    [POLICY_MERGE] = {.leaves_alone = false, .conflicts = NULL},
    [POLICY_SEED] = {.leaves_alone = true, .conflicts = NULL},
    [POLICY_MANAGED] = {.leaves_alone = false,
                        .conflicts = "the template manages it, you changed it"},
};

const char *const file_policy_names[POLICY_COUNT] = {
    [POLICY_MERGE] = "merge", [POLICY_SEED] = "seed", [POLICY_MANAGED] = "managed"};
