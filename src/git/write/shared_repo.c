/* Repositories of several users: core.sharedRepository. */
#include "git/shared_repo.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <strings.h>

mode_t shared_repo_mask(const char *value, mode_t mask)
{
    static const struct {
        const char *value;
        mode_t rights;
    } words[] = {{"group", 0770}, {"true", 0770}, {"1", 0770},     {"yes", 0770},      {"on", 0770},
                 {"all", 0775},   {"2", 0775},    {"world", 0775}, {"everybody", 0775}};
    char *end;
    for (size_t i = 0; value && i < sizeof(words) / sizeof(*words); i++)
        if (strcasecmp(value, words[i].value) == 0)
            return mask & ~words[i].rights;
    unsigned long mode = value ? strtoul(value, &end, 8) : 0;
    if ((mode & 0600) != 0600 || *end || mode > 0777)
        return mask;
    return 0777 & ~(mode_t)(mode | (mode & 0444) >> 2);
}

mode_t shared_repo_mode(const char *value, mode_t mask)
{
    bool is_shared = shared_repo_mask(value, 0777) != 0777;
    return is_shared ? 0666 & ~shared_repo_mask(value, mask) : 0;
}
