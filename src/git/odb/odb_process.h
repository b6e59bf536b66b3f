/* The process that reads foreign objects, as its parent has it: started, ended, and why it ended.
 */
#ifndef TMPLGEN_ODB_PROCESS_H
#define TMPLGEN_ODB_PROCESS_H

#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

struct odb_process {
    pid_t pid; /* 0: none */
    int socket;
    int started;   /* that there were */
    size_t memory; /* in bytes: what it may take */
};

/* 0 where it runs; -1 where so many ended that no more is started; else an errno. */
TG_CHECKED int odb_process_start(struct odb_process *process, const char *objects);
/*
 * Ends it, whatever it does. NULL where it hung, crashed or gave up over an object, or did nothing
 * wrong; else what ended it, as in "was ended by SIGKILL".
 */
const char *odb_process_end(struct odb_process *process);

#endif
