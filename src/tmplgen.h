/* The version of the program. */
#pragma once

#define TMPLGEN_VERSION "0.3.1-dev"
