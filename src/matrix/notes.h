/* What a user should know of a stack beside its versions. Inside src/matrix/ only. */
#ifndef TMPLGEN_MATRIX_NOTES_H
#define TMPLGEN_MATRIX_NOTES_H

#include "matrix/chosen.h"

struct data;

/* The list of {code, text}. */
struct data *notes_data(const struct chosen *s);

#endif
