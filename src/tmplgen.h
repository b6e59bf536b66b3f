/* The version of the program. */
#ifndef TMPLGEN_TMPLGEN_H
#define TMPLGEN_TMPLGEN_H

#define TMPLGEN_VERSION "0.2.0"

#endif
