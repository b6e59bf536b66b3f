/* The catalog that a command of `template` is about. */
#include "cmd/template_catalog.h"

#include "author/open.h"
#include "catalog/trust.h"
#include "cmd/cmd.h"
#include "cmd/source.h"

#include <unistd.h>

const struct option template_catalog_options[] = {
    {"catalog", "SRC[@REF]",
     "this catalog (default: the one in this folder, else that of your configuration, else the one "
     "built in); a folder is taken as it lies there",
     false},
    {"trust", NULL, "take a catalog that is new to you", false},
    {NULL, NULL, NULL, false},
};

int template_catalog(struct catalog **out, struct run *run, const struct config *config,
                     struct err *err)
{
    const char *source, *ref;
    if (cmd_named_catalog(&source, &ref, run, config, err) < 0)
        return -1;
    if (!source && access("catalog.yml", F_OK) == 0)
        trust_source(source = ".");
    return source ? author_open(out, &run->arena, source, ref, err)
                  : cmd_open_untold(out, run, config, err);
}
