/* One option of a command line, as the parser, help and completion read it. */
#ifndef TMPLGEN_OPTION_H
#define TMPLGEN_OPTION_H

#include <stdbool.h>

struct option {
    const char *name;     /* without dashes; NULL ends a table */
    const char *argument; /* word for the value in help; NULL: a switch */
    const char *help;     /* NULL: it is taken, but not offered */
    bool repeatable;
};

#endif
