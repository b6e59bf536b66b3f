/*
 * A crit-bit tree. An inner node holds the first bit that distinguishes the texts on its two sides.
 * A byte has nine bits here: the first says that the byte exists.
 */
#include "base/intern.h"

#include "base/arena.h"

struct intern_node {
    size_t byte;
    uint16_t bit;
    uint32_t sides[2]; /* a text or a node each: see leaf_place, node_place */
};

static uint32_t leaf_place(size_t number)
{
    return (uint32_t)number << 1 | 1;
}

static uint32_t node_place(size_t index)
{
    return (uint32_t)index << 1;
}

static bool is_leaf(uint32_t place)
{
    return place & 1;
}

static unsigned byte_at(struct span text, size_t at)
{
    return at < text.len ? 0x100U | (unsigned char)text.ptr[at] : 0;
}

static bool side_of(const struct intern_node *node, struct span text)
{
    return byte_at(text, node->byte) & node->bit;
}

static struct intern_node *node_at(const struct intern *set, uint32_t place)
{
    return &set->nodes[place >> 1];
}

size_t intern_find(const struct intern *set, struct span text)
{
    uint32_t place = set->root;
    if (!set->count)
        return INTERN_NONE;
    while (!is_leaf(place)) {
        const struct intern_node *node = node_at(set, place);
        if (node->byte > text.len) /* all texts below are longer */
            return INTERN_NONE;
        place = node->sides[side_of(node, text)];
    }
    return span_equal(set->texts[place >> 1], text) ? place >> 1 : INTERN_NONE;
}

/* A text of the set whose common prefix with `text`, in bits, is the longest. */
static struct span nearest(const struct intern *set, struct span text)
{
    uint32_t place = set->root;
    while (!is_leaf(place))
        place = node_at(set, place)->sides[side_of(node_at(set, place), text)];
    return set->texts[place >> 1];
}

/* The node for the first bit in which `a` and `b` differ. */
static struct intern_node node_between(struct span a, struct span b)
{
    struct intern_node node = {.byte = 0};
    while (byte_at(a, node.byte) == byte_at(b, node.byte))
        node.byte++;
    unsigned bits = byte_at(a, node.byte) ^ byte_at(b, node.byte);
    node.bit = (uint16_t)(1U << (31 - __builtin_clz(bits)));
    return node;
}

/* Where a node for that bit belongs: above all nodes for later bits. */
static uint32_t *place_of(struct intern *set, const struct intern_node *new, struct span text)
{
    uint32_t *place = &set->root;
    while (!is_leaf(*place)) {
        struct intern_node *node = node_at(set, *place);
        if (node->byte > new->byte || (node->byte == new->byte && node->bit < new->bit))
            break;
        place = &node->sides[side_of(node, text)];
    }
    return place;
}

size_t intern_add(struct intern *set, struct arena *arena, struct span text)
{
    size_t number = intern_find(set, text);
    if (number != INTERN_NONE)
        return number;
    number = set->count;
    struct span *texts = arena_grow(arena, (void *)set->texts, number, sizeof(*texts));
    set->nodes = arena_grow(arena, set->nodes, number, sizeof(*set->nodes));
    texts[number] = text;
    set->texts = texts;
    set->count++;
    if (number == 0) {
        set->root = leaf_place(0);
        return 0;
    }
    /* there is one node less than texts: a text's node has its number */
    struct intern_node *node = &set->nodes[number];
    *node = node_between(text, nearest(set, text));
    uint32_t *place = place_of(set, node, text);
    bool side = side_of(node, text);
    node->sides[side] = leaf_place(number);
    node->sides[!side] = *place;
    *place = node_place(number);
    return number;
}
