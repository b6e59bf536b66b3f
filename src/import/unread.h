/* Questions of a draft that nothing reads. */
#ifndef TMPLGEN_IMPORT_UNREAD_H
#define TMPLGEN_IMPORT_UNREAD_H

#include "base/err.h"

struct draft;

/*
 * Leaves out, and tells, each question that no file, name, rule or question left reads, as
 * manifest_check_use wants it, with the rules of `refuse` that speak of it.
 */
TG_CHECKED int unread_drop(struct draft *draft, struct err *err);

#endif
