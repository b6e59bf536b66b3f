/* What an update may do to a file: the policies that a manifest gives to paths. */
#ifndef TMPLGEN_FILE_POLICY_H
#define TMPLGEN_FILE_POLICY_H

#include <stdbool.h>

enum file_policy { POLICY_MERGE, POLICY_SEED, POLICY_MANAGED, POLICY_COUNT };

/* A further policy is a row here and in the names; what it cannot say is a member more. */
struct policy {
    bool leaves_alone;     /* what is there, or was there once, is the user's own */
    const char *conflicts; /* why a file that both sides changed is a conflict although it merges;
                              NULL: it is none */
};

extern const struct policy file_policies[POLICY_COUNT];
/* As manifests and reports have them. */
extern const char *const file_policy_names[POLICY_COUNT];

#endif
