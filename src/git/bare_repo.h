/* An empty bare repository, made without asking git or its configuration. */
#ifndef TMPLGEN_BARE_REPO_H
#define TMPLGEN_BARE_REPO_H

#include "base/err.h"

/* `folder` must not be there; only its owner may look into it. */
TG_CHECKED int bare_repo_make(const char *folder, struct err *err);

#endif
