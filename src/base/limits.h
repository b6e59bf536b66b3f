/* Every limit on foreign input, in one place. Crossing one is exit 2 with its name. */
#pragma once

#define LIMIT_KIB ((size_t)1024)
#define LIMIT_MIB (1024 * LIMIT_KIB)

/*
 * Limits of one run on all foreign input together (base/budget.h): memory, steps (of templates and
 * of other loops over foreign files), rendered bytes.
 */
#define LIMIT_RUN_MEMORY_BYTES (512 * LIMIT_MIB)
#define LIMIT_RUN_STEPS ((size_t)20000000)
#define LIMIT_RUN_RENDERED_BYTES (1024 * LIMIT_MIB)

/* YAML and JSON documents: manifests, answers, records, matrices. */
#define LIMIT_DOCUMENT_BYTES (1 * LIMIT_MIB)
#define LIMIT_DOCUMENT_DEPTH ((size_t)64)
/* TOML documents are only checked, and lock files are long. */
#define LIMIT_TOML_BYTES (8 * LIMIT_MIB)

/* Templates and what they render to. */
#define LIMIT_TEMPLATE_BYTES (4 * LIMIT_MIB)
#define LIMIT_RENDERED_BYTES (64 * LIMIT_MIB)
#define LIMIT_TEMPLATE_STEPS ((size_t)10000000)
#define LIMIT_TEMPLATE_CALLS ((size_t)64)
#define LIMIT_TEMPLATE_NESTING ((size_t)128)
/* A single text; a single list or mapping. */
#define LIMIT_TEMPLATE_TEXT_BYTES (16 * LIMIT_MIB)
#define LIMIT_TEMPLATE_ITEMS ((size_t)1000000)

/* Rows of a plan or of one base image, further tags of a plan. */
#define LIMIT_IMAGE_ROWS ((size_t)1000)
#define LIMIT_IMAGE_TAGS ((size_t)1000)

/* A glob of a manifest; longer ones would match nothing. */
#define LIMIT_GLOB_BYTES ((size_t)512)
/* Rows of one list of globs in a manifest: each glob is matched with each file. */
#define LIMIT_GLOBS ((size_t)1000)
/* Layers of one manifest. */
#define LIMIT_LAYERS ((size_t)1000)
/* All files that the templates of a type include. */
#define LIMIT_INCLUDED_BYTES (16 * LIMIT_MIB)

/*
 * The pattern of a question: its bytes, nested groups, states (repetitions written out), and the
 * steps to match one answer (under half a second).
 */
#define LIMIT_PATTERN_BYTES (4 * LIMIT_KIB)
#define LIMIT_PATTERN_NESTING ((size_t)64)
#define LIMIT_PATTERN_STATES ((size_t)10000)
#define LIMIT_PATTERN_STEPS ((size_t)100000000)

/* Catalogs that extend each other, including the first; types may be twice as many. */
#define LIMIT_CATALOGS ((size_t)5)
/* What `template test` tries for one type: values of all questions, combinations of them. */
#define LIMIT_FACTOR_VALUES ((size_t)2000)
#define LIMIT_CASES ((size_t)2000)

/* A catalog's name. */
#define LIMIT_CATALOG_NAME_BYTES ((size_t)100)

/* A commit message: git has no limit. */
#define LIMIT_MESSAGE_BYTES (64 * LIMIT_MIB)

/* One `str` answer, and all answers together, which must fit into a record. */
#define LIMIT_ANSWER_BYTES (256 * LIMIT_KIB)
#define LIMIT_ANSWERS_BYTES LIMIT_DOCUMENT_BYTES

/* The lines of `next` that `new` shows, and the bytes of each. */
#define LIMIT_NEXT_LINES ((size_t)100)
#define LIMIT_NEXT_BYTES (4 * LIMIT_KIB)

/* Trees: catalogs and renders. */
#define LIMIT_TREE_ENTRIES ((size_t)50000)
#define LIMIT_TREE_DEPTH ((size_t)64)
#define LIMIT_PATH_BYTES ((size_t)512)
#define LIMIT_NAME_BYTES ((size_t)200)

/* Tags and branches of a catalog, and git's packed-refs file. */
#define LIMIT_REFS ((size_t)1000000)
#define LIMIT_PACKED_REFS_BYTES (128 * LIMIT_MIB)

/* The disk space, time and memory that git may use to fetch a catalog (exit 1). */
#define LIMIT_FETCH_BYTES (2048 * LIMIT_MIB)
#define LIMIT_FETCH_SECONDS 600
#define LIMIT_FETCH_MEMORY_BYTES (2048 * LIMIT_MIB)

/* Answers from the network, counted as they arrive, unpacked (exit 1). */
#define LIMIT_HTTP_JSON_BYTES (8 * LIMIT_MIB)
#define LIMIT_HTTP_MANIFEST_BYTES (4 * LIMIT_MIB)
#define LIMIT_HTTP_HEADER_BYTES (64 * LIMIT_KIB)
#define LIMIT_HTTP_REDIRECTS 5U
#define LIMIT_HTTP_TRIES 4U
#define LIMIT_HTTP_FIRST_BYTE_SECONDS 30L
#define LIMIT_HTTP_SECONDS 120L
/* The total time that a run waits for servers, and the total bytes that it takes from them. */
#define LIMIT_HTTP_RUN_SECONDS 600L
#define LIMIT_HTTP_RUN_BYTES (256 * LIMIT_MIB)
#define LIMIT_HTTP_WAIT_SECONDS 60L /* the longest Retry-After that is waited for */

/*
 * Reading one object of a foreign repository: processor time (plus one second for each
 * LIMIT_OBJECT_BYTES_A_SECOND), waiting time, and memory for the object and its bases, in a user's
 * own repository and in a foreign one.
 */
#define LIMIT_OBJECT_SECONDS 2
#define LIMIT_OBJECT_BYTES_A_SECOND (16 * LIMIT_MIB)
#define LIMIT_OBJECT_WAIT_SECONDS 120
#define LIMIT_OBJECT_MEMORY_BYTES (4096 * LIMIT_MIB)
#define LIMIT_FOREIGN_OBJECT_MEMORY_BYTES (256 * LIMIT_MIB)
