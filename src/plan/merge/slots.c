/* Three-way merge of files with one pin a line (`merge: lines`). */
#include "plan/merge/slots.h"

#include "base/arena.h"
#include "base/buf.h"
#include "git/patch.h"

#include <string.h>

enum { ALIGN_MAX = 1 << 20 }; /* cells of the table that aligns one hunk */

struct lines {
    struct span *items; /* without their \n */
    size_t count;
    bool ended; /* the last line has its \n */
};

/* The changes of one side to the base. */
struct slot_side {
    struct lines lines;
    size_t *line_of;  /* for each slot: its line on this side, + 1; 0: deleted */
    size_t *inserted; /* for each slot and the end: the first line that is inserted before it */
    size_t *inserted_count;
};

struct alignment {
    struct arena *arena;
    const struct lines *base;
    struct slot_side *side;
    size_t base_at, side_at; /* everything before these is aligned */
};

static void split(struct lines *out, struct arena *arena, struct span text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == '\n';
    out->ended = text.len == 0 || text.ptr[text.len - 1] == '\n';
    out->count = count + !out->ended;
    out->items = arena_array(arena, out->count + 1, sizeof(*out->items));
    for (size_t i = 0; i < out->count; i++)
        out->items[i] = span_cut_line(&text);
}

/* The name that a line pins: its first word after indent, bullet and quotes; a comment has none. */
static struct span key_of(struct span line)
{
    while (line.len && strchr(" \t\"'-*", *line.ptr))
        line = span_of(line.ptr + 1, line.len - 1);
    size_t len = 0;
    while (len < line.len && !strchr(" \t=<>!~;:[,\"'@#\r", line.ptr[len]))
        len++;
    return span_of(line.ptr, len);
}

static bool same_key(struct span a, struct span b)
{
    struct span key = key_of(a);
    return key.len && span_equal(key, key_of(b));
}

static void pair(struct alignment *a, size_t base, size_t line)
{
    a->side->line_of[base] = line + 1;
}

static void insert(struct alignment *a, size_t before_base, size_t line)
{
    size_t *count = &a->side->inserted_count[before_base];
    if (*count == 0)
        a->side->inserted[before_base] = line;
    (*count)++;
}

/* Equal numbers of lines between aligned ones are pairs; else all are deleted and inserted. */
static void align_gap(struct alignment *a, size_t base_end, size_t side_end)
{
    bool equal = base_end - a->base_at == side_end - a->side_at;
    for (size_t i = 0; a->side_at + i < side_end; i++)
        if (equal)
            pair(a, a->base_at + i, a->side_at + i);
        else
            insert(a, a->base_at, a->side_at + i);
    a->base_at = base_end;
    a->side_at = side_end;
}

/* Aligns by the longest common sequence of keys; table[i][j] is its length from i and j on. */
static void align_keys(struct alignment *a, size_t base_end, size_t side_end)
{
    size_t rows = base_end - a->base_at, columns = side_end - a->side_at, width = columns + 1;
    size_t base0 = a->base_at, side0 = a->side_at;
    size_t *table = arena_array(a->arena, (rows + 1) * width, sizeof(*table));
    for (size_t i = rows; i-- > 0;)
        for (size_t j = columns; j-- > 0;) {
            size_t down = table[(i + 1) * width + j], right = table[i * width + j + 1];
            table[i * width + j] =
                same_key(a->base->items[base0 + i], a->side->lines.items[side0 + j])
                    ? table[(i + 1) * width + j + 1] + 1
                    : (down > right ? down : right);
        }
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
        if (same_key(a->base->items[base0 + i], a->side->lines.items[side0 + j])) {
            align_gap(a, base0 + i, side0 + j);
            pair(a, a->base_at++, a->side_at++);
            i++, j++;
        } else if (table[(i + 1) * width + j] >= table[i * width + j + 1]) {
            i++;
        } else {
            j++;
        }
    }
}

static void align_equal(struct alignment *a, size_t base_end)
{
    while (a->base_at < base_end)
        pair(a, a->base_at++, a->side_at++);
}

static void align_hunk(void *context, const struct hunk *hunk)
{
    struct alignment *a = context;
    align_equal(a, hunk->old_at);
    size_t base_end = a->base_at + hunk->old_count, side_end = a->side_at + hunk->new_count;
    if (hunk->old_count && hunk->new_count && hunk->old_count < ALIGN_MAX / (hunk->new_count + 1))
        align_keys(a, base_end, side_end);
    align_gap(a, base_end, side_end);
}

static int align(struct slot_side *out, struct arena *arena, const struct lines *base,
                 struct span base_text, struct span text)
{
    struct alignment a = {.arena = arena, .base = base, .side = out};
    split(&out->lines, arena, text);
    out->line_of = arena_array(arena, base->count + 1, sizeof(*out->line_of));
    out->inserted = arena_array(arena, base->count + 1, sizeof(*out->inserted));
    out->inserted_count = arena_array(arena, base->count + 1, sizeof(*out->inserted_count));
    if (patch_hunks(arena, base_text, text, align_hunk, &a) < 0)
        return -1;
    align_equal(&a, base->count);
    return 0;
}

struct slot_writer {
    struct buf *out;
    const struct slots_labels *labels;
    bool clean;
};

static void put_line(struct slot_writer *w, struct span line)
{
    (void)buf_append(w->out, line.ptr, line.len);
    (void)buf_putc(w->out, '\n');
}

static bool was_inserted(const struct slot_side *side, size_t slot, struct span line)
{
    for (size_t i = 0; i < side->inserted_count[slot]; i++)
        if (span_equal(side->lines.items[side->inserted[slot] + i], line))
            return true;
    return false;
}

static void put_inserted(struct slot_writer *w, const struct slot_side *ours,
                         const struct slot_side *theirs, size_t slot)
{
    for (size_t i = 0; i < ours->inserted_count[slot]; i++)
        put_line(w, ours->lines.items[ours->inserted[slot] + i]);
    for (size_t i = 0; i < theirs->inserted_count[slot]; i++) {
        struct span line = theirs->lines.items[theirs->inserted[slot] + i];
        if (!was_inserted(ours, slot, line))
            put_line(w, line);
    }
}

static const struct span *slot_line(const struct slot_side *side, size_t slot)
{
    return side->line_of[slot] ? &side->lines.items[side->line_of[slot] - 1] : NULL;
}

static bool same_line(const struct span *a, const struct span *b)
{
    return a && b ? span_equal(*a, *b) : a == b;
}

static void put_conflict(struct slot_writer *w, const struct span *ours, struct span base,
                         const struct span *theirs)
{
    w->clean = false;
    (void)buf_printf(w->out, "<<<<<<< %s\n", w->labels->ours);
    if (ours)
        put_line(w, *ours);
    (void)buf_printf(w->out, "||||||| %s\n", w->labels->base);
    put_line(w, base);
    (void)buf_puts(w->out, "=======\n");
    if (theirs)
        put_line(w, *theirs);
    (void)buf_printf(w->out, ">>>>>>> %s\n", w->labels->theirs);
}

static void put_slot(struct slot_writer *w, const struct span *ours, struct span base,
                     const struct span *theirs)
{
    const struct span *taken = same_line(ours, &base) ? theirs : ours;
    if (!same_line(ours, &base) && !same_line(theirs, &base) && !same_line(ours, theirs))
        put_conflict(w, ours, base, theirs);
    else if (taken)
        put_line(w, *taken);
}

int slots_merge(struct buf *out, bool *clean, struct span base, struct span ours,
                struct span theirs, const struct slots_labels *labels)
{
    ARENA_SCRATCH(scratch);
    struct lines slots;
    struct slot_side our_side, their_side;
    struct slot_writer w = {.out = out, .labels = labels, .clean = true};
    split(&slots, &scratch, base);
    if (align(&our_side, &scratch, &slots, base, ours) < 0 ||
        align(&their_side, &scratch, &slots, base, theirs) < 0)
        return -1;
    for (size_t i = 0; i <= slots.count; i++) {
        put_inserted(&w, &our_side, &their_side, i);
        if (i < slots.count)
            put_slot(&w, slot_line(&our_side, i), slots.items[i], slot_line(&their_side, i));
    }
    bool ends = our_side.lines.ended == slots.ended ? their_side.lines.ended : our_side.lines.ended;
    if (!ends && w.clean && out->len)
        buf_truncate(out, out->len - 1);
    *clean = w.clean;
    return out->overflowed ? -1 : 0;
}
