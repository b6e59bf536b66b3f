/* YAML documents read beforehand: nodes as bytes, which need no parsing. */
#include "base/yaml_nodes.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/yaml.h"

/*
 * A node is a tag, the distance of its offset from that of the node before it, and its content: a
 * text with its length and a NUL, or the count of a collection's items, which follow. Numbers have
 * 7 bits a byte, the lowest first, the eighth saying that more follow.
 */
enum node_tag { TAG_QUOTED = 1, TAG_PLAIN, TAG_LIST, TAG_MAP };

struct cursor {
    struct arena *arena;
    const struct yaml_doc *doc;
    const char *at, *end;
    size_t offset; /* of the node before */
};

static void put_number(struct buf *out, size_t number)
{
    for (; number > 127; number >>= 7)
        (void)buf_putc(out, (char)(number | 128));
    (void)buf_putc(out, (char)number);
}

static void put_node(struct buf *out, size_t *before, const struct yaml_node *node)
{
    static const enum node_tag tags[] = {
        [YAML_SCALAR] = TAG_QUOTED, [YAML_LIST] = TAG_LIST, [YAML_MAP] = TAG_MAP};
    (void)buf_putc(out, (char)(node->plain ? TAG_PLAIN : tags[node->kind]));
    put_number(out, node->offset - *before);
    *before = node->offset;
    if (node->kind == YAML_SCALAR) {
        put_number(out, node->text.len);
        (void)buf_append(out, node->text.ptr, node->text.len);
        (void)buf_putc(out, '\0');
    } else if (node->kind == YAML_LIST) {
        put_number(out, node->list.count);
        for (size_t i = 0; i < node->list.count; i++)
            put_node(out, before, node->list.items[i]);
    } else {
        put_number(out, node->map.count);
        for (size_t i = 0; i < node->map.count; i++) {
            put_node(out, before, node->map.members[i].key);
            put_node(out, before, node->map.members[i].value);
        }
    }
}

void yaml_nodes_write(struct buf *out, const struct yaml_doc *doc)
{
    size_t before = 0;
    if (doc->root)
        put_node(out, &before, doc->root);
}

static bool take_number(size_t *out, struct cursor *c)
{
    *out = 0;
    for (unsigned shift = 0; c->at < c->end && shift < 63; shift += 7) {
        unsigned char byte = (unsigned char)*c->at++;
        *out |= (size_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

/* NULL where the bytes make no node. */
static struct yaml_node *take_node(struct cursor *c, size_t depth);

static bool take_text(struct yaml_node *node, struct cursor *c)
{
    size_t len;
    if (!take_number(&len, c) || len >= (size_t)(c->end - c->at) || c->at[len] != '\0')
        return false;
    node->text = span_of(c->at, len);
    c->at += len + 1;
    return true;
}

static bool take_list(struct yaml_node *node, struct cursor *c, size_t count, size_t depth)
{
    node->kind = YAML_LIST;
    node->list.count = count;
    node->list.items = arena_array(c->arena, count, sizeof(*node->list.items));
    for (size_t i = 0; i < count; i++)
        if (!(node->list.items[i] = take_node(c, depth)))
            return false;
    return true;
}

static bool take_map(struct yaml_node *node, struct cursor *c, size_t count, size_t depth)
{
    node->kind = YAML_MAP;
    node->map.count = count;
    node->map.members = arena_array(c->arena, count, sizeof(*node->map.members));
    for (size_t i = 0; i < count; i++) {
        struct yaml_member *member = &node->map.members[i];
        if (!(member->key = take_node(c, depth)) || member->key->kind != YAML_SCALAR ||
            !(member->value = take_node(c, depth)))
            return false;
    }
    return true;
}

static bool take_content(struct yaml_node *node, struct cursor *c, enum node_tag tag, size_t depth)
{
    node->plain = tag == TAG_PLAIN;
    if (tag == TAG_PLAIN || tag == TAG_QUOTED)
        return take_text(node, c);
    size_t count;
    if (!take_number(&count, c) || count > (size_t)(c->end - c->at) ||
        depth == LIMIT_DOCUMENT_DEPTH)
        return false;
    return tag == TAG_LIST ? take_list(node, c, count, depth + 1)
                           : tag == TAG_MAP && take_map(node, c, count, depth + 1);
}

static struct yaml_node *take_node(struct cursor *c, size_t depth)
{
    if (c->at == c->end)
        return NULL;
    enum node_tag tag = (enum node_tag) * c->at++;
    struct yaml_node *node = arena_alloc(c->arena, sizeof(*node));
    size_t distance, left = c->doc->source.len - c->offset;
    if (!take_number(&distance, c) || distance > left)
        return NULL;
    node->offset = c->offset += distance;
    node->doc = c->doc;
    return take_content(node, c, tag, depth) ? node : NULL;
}

int yaml_nodes_read(struct yaml_doc **out, struct arena *arena, const char *name,
                    struct span source, struct span bytes, struct err *err)
{
    struct yaml_doc *doc = arena_alloc(arena, sizeof(*doc));
    struct cursor c = {.arena = arena, .doc = doc, .at = bytes.ptr, .end = bytes.ptr + bytes.len};
    doc->name = arena_strdup(arena, name);
    doc->source = source;
    doc->root = bytes.len ? take_node(&c, 0) : NULL;
    if (bytes.len && (!doc->root || c.at != c.end))
        return err_set(err, TG_RUNTIME, "invalid", "'%s' was not read beforehand as it should be",
                       name);
    *out = doc;
    return 0;
}
