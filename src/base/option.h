/* One option of a command line, as the parser, help and completion read it. */
#pragma once

#include <stdbool.h>

struct option {
    const char *name;     /* without dashes; NULL ends a table */
    const char *argument; /* word for the value in help; NULL: a switch */
    const char *help;     /* NULL: accepted, but not listed */
    bool repeatable;
};
