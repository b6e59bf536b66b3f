/* What `update` did, in words. */
#pragma once

struct data;
struct run;

/* Prints the document of an update: counts first, conflicts, the rest, what is to be done. */
void update_print(struct run *run, const struct data *document);
