/* libcurl, found at run time by the one file (`make portable`), and linked by every other build. */
#pragma once

#include "base/err.h"

/*
 * Must be called before the first call of a function of libcurl. Further calls do nothing. Exit 1
 * if the library is missing, or older than 7.66.
 */
TG_CHECKED int libcurl_load(struct err *err);
/* Its version, such as "8.14.1", until the process ends; NULL: the library is missing. */
const char *libcurl_version(void);
