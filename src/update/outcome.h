/* What comes out of an update, whichever way it went. */
#ifndef TMPLGEN_OUTCOME_H
#define TMPLGEN_OUTCOME_H

struct data;

struct update_outcome {
    struct data *document; /* as in docs/json.md */
    struct data *refusal;  /* of the matrix, with exit 4; or NULL */
};

#endif
