/* The files of a template, as files of a type. */
#ifndef TMPLGEN_IMPORT_CONVERT_H
#define TMPLGEN_IMPORT_CONVERT_H

#include "base/err.h"

struct draft;

/*
 * Makes files, pieces for includes and rules of conditions out of the draft's inputs. What cannot
 * be rendered here is put below `unconverted/`, and told.
 */
TG_CHECKED int convert_files(struct draft *draft, struct err *err);
/* Puts a file that was converted there after all: `why` is what rendering it says. */
TG_CHECKED int convert_undo(struct draft *draft, size_t file, size_t line, const char *why,
                            struct err *err);

#endif
