/* The report of `update` in words. */
#pragma once

struct data;
struct run;

/* Prints the document of an update: counts first, then conflicts, the rest, the next steps. */
void update_print(struct run *run, const struct data *document);
