/* Arena memory: blocks of growing size, or one allocation a piece under the address sanitizer. */
#include "base/arena.h"

#include "base/account.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Scratch arenas are many and mostly small: each block is twice the one before it. */
#define FIRST_BLOCK_BYTES ((size_t)1024)
#define BLOCK_BYTES_MAX ((size_t)64 * 1024)
#define GROW_FIRST ((size_t)4)
#define ALIGNMENT _Alignof(max_align_t)

struct arena_block {
    struct arena_block *next;
    size_t used, size;
    size_t counted; /* by the run's budget */
    max_align_t data[];
};

static _Noreturn void out_of_memory(void)
{
    static const char message[] = "tmplgen: out of memory\n";
    (void)fwrite(message, 1, sizeof(message) - 1, stderr);
    abort();
}

void *xmalloc(size_t size)
{
    void *memory = malloc(size ? size : 1);
    if (!memory)
        out_of_memory();
    return memory;
}

void *xrealloc(void *old, size_t size)
{
    void *memory = realloc(old, size ? size : 1);
    if (!memory)
        out_of_memory();
    return memory;
}

char *xstrdup(const char *text)
{
    size_t len = strlen(text) + 1;
    return memcpy(xmalloc(len), text, len);
}

#if defined(__SANITIZE_ADDRESS__)
#define ONE_PIECE_A_BLOCK 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ONE_PIECE_A_BLOCK 1
#endif
#endif
#ifndef ONE_PIECE_A_BLOCK
#define ONE_PIECE_A_BLOCK 0
#endif

static struct arena_block *block_new(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - sizeof(struct arena_block))
        out_of_memory();
    size_t counted = account_take(sizeof(struct arena_block) + size);
    struct arena_block *block = calloc(1, sizeof(*block) + size);
    if (!block)
        out_of_memory();
    block->counted = counted;
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

static size_t next_block_size(const struct arena *arena)
{
    size_t size = arena->blocks ? arena->blocks->size * 2 : FIRST_BLOCK_BYTES;
    return size < BLOCK_BYTES_MAX ? size : BLOCK_BYTES_MAX;
}

void *arena_alloc(struct arena *arena, size_t size)
{
    if (size > SIZE_MAX - ALIGNMENT)
        out_of_memory();
    struct arena_block *block = arena->blocks;
    if (ONE_PIECE_A_BLOCK) {
        block = block_new(arena, size ? size : 1);
        return block->data;
    }
    size_t rounded = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!block || block->size - block->used < rounded) {
        size_t usual = next_block_size(arena);
        block = block_new(arena, rounded > usual ? rounded : usual);
    }
    void *piece = (char *)block->data + block->used;
    block->used += rounded;
    return piece;
}

void *arena_array(struct arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        out_of_memory();
    return arena_alloc(arena, bytes);
}

/* Whether `count` items fill the room that arrays are given: 0, 4, 8, 16... items. */
static bool is_full(size_t count)
{
    return count == 0 || (count >= GROW_FIRST && (count & (count - 1)) == 0);
}

static size_t next_room(size_t count)
{
    if (count > SIZE_MAX / 2)
        out_of_memory();
    return count ? count * 2 : GROW_FIRST;
}

void *arena_grow(struct arena *arena, void *items, size_t count, size_t size)
{
    if (!is_full(count))
        return items;
    void *larger = arena_array(arena, next_room(count), size);
    if (count)
        memcpy(larger, items, count * size);
    return larger;
}

void *xgrow(void *items, size_t count, size_t size)
{
    size_t bytes;
    if (!is_full(count))
        return items;
    if (__builtin_mul_overflow(next_room(count), size, &bytes))
        out_of_memory();
    return xrealloc(items, bytes);
}

char *arena_memdup(struct arena *arena, const void *data, size_t len)
{
    if (len == SIZE_MAX)
        out_of_memory();
    char *copy = arena_alloc(arena, len + 1);
    if (len)
        memcpy(copy, data, len);
    copy[len] = '\0';
    return copy;
}

void *arena_join(struct arena *arena, const void *first, size_t count, const void *second,
                 size_t more, size_t size)
{
    char *items = arena_array(arena, count + more + 1, size);
    if (count)
        memcpy(items, first, count * size);
    if (more)
        memcpy(items + count * size, second, more * size);
    return items;
}

char *arena_strdup(struct arena *arena, const char *text)
{
    return arena_memdup(arena, text, strlen(text));
}

char *arena_vprintf(struct arena *arena, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (len < 0)
        out_of_memory();
    char *text = arena_alloc(arena, (size_t)len + 1);
    (void)vsnprintf(text, (size_t)len + 1, format, args);
    return text;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(arena, format, args);
    va_end(args);
    return text;
}

void arena_release(struct arena *arena)
{
    while (arena->blocks) {
        struct arena_block *block = arena->blocks;
        arena->blocks = block->next;
        account_give(block->counted);
        free(block);
    }
}
