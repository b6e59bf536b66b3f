/* Memory for data that lives as long as one command or one child: freed all at once. */
#pragma once

#include <stdarg.h>
#include <stddef.h>

/*
 * Allocation never fails: out of memory ends the process (abort). Pieces are zeroed and aligned for
 * any type. In sanitizer builds each piece is an allocation of its own, so that overruns are seen.
 */
struct arena {
    struct arena_block *blocks;
};

#define ARENA_INIT                                                                                 \
    {                                                                                              \
        NULL                                                                                       \
    }

void *arena_alloc(struct arena *arena, size_t size) __attribute__((returns_nonnull));
/* Zeroed room for `count` items of `size` bytes each; the product is checked for overflow. */
void *arena_array(struct arena *arena, size_t count, size_t size) __attribute__((returns_nonnull));
/*
 * Makes room for one item behind `count` items of `size` bytes. Returns `items`, or a copy with
 * room for twice as many. The capacity follows from `count` alone: `items` must be NULL at first
 * and come only from this function. Removing items from the end is safe.
 */
void *arena_grow(struct arena *arena, void *items, size_t count, size_t size)
    __attribute__((returns_nonnull));
/* The new last item of `items`, whose count grows by 1: `arena_push(a, items, count) = item`. */
#define arena_push(arena, items, count)                                                            \
    (*((items) = arena_grow(arena, (void *)(items), count, sizeof(*(items))), &(items)[(count)++]))
/* Concatenates two arrays of items of `size` bytes. */
void *arena_join(struct arena *arena, const void *first, size_t count, const void *second,
                 size_t more, size_t size) __attribute__((returns_nonnull));
char *arena_strdup(struct arena *arena, const char *text);
/* A NUL-terminated copy of `len` bytes, which may hold NULs themselves. */
char *arena_memdup(struct arena *arena, const void *data, size_t len)
    __attribute__((returns_nonnull));
char *arena_printf(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3), returns_nonnull));
char *arena_vprintf(struct arena *arena, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
void arena_release(struct arena *arena);

/* For scratch: an arena that is released at the end of the scope. */
#define ARENA_SCRATCH(name) __attribute__((cleanup(arena_release))) struct arena name = ARENA_INIT

/* malloc, realloc and strdup that abort when out of memory, for what an arena cannot hold. */
void *xmalloc(size_t size);
void *xrealloc(void *old, size_t size);
char *xstrdup(const char *text);
/* As arena_grow, by xrealloc. */
void *xgrow(void *items, size_t count, size_t size);
