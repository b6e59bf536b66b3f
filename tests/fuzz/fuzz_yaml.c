/* Whatever is read as YAML is written so that it reads back the same, in both forms. */
#include "fuzz.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/data.h"
#include "data/yaml.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Positions are within the document and move forward. */
static void check_offsets(const struct yaml_node *node, size_t *last)
{
    must(node->offset >= *last && node->offset <= node->doc->source.len);
    *last = node->offset;
    if (node->kind == YAML_LIST)
        for (size_t i = 0; i < node->list.count; i++)
            check_offsets(node->list.items[i], last);
    if (node->kind == YAML_MAP)
        for (size_t i = 0; i < node->map.count; i++) {
            must(yaml_get(node, node->map.members[i].key->text.ptr) == node->map.members[i].value);
            check_offsets(node->map.members[i].key, last);
            check_offsets(node->map.members[i].value, last);
        }
}

/* nan equals nothing, itself included: not what is asked here. */
static void drop_nan(struct data *data)
{
    if (data->kind == DATA_FLOAT && isnan(data->real))
        data->real = 0;
    if (data->kind == DATA_LIST)
        for (size_t i = 0; i < data->list.count; i++)
            drop_nan(data->list.items[i]);
    if (data->kind == DATA_MAP)
        for (size_t i = 0; i < data->map.count; i++)
            drop_nan(data->map.members[i].value);
}

static void check_reread(struct arena *arena, const struct buf *text, const struct data *data)
{
    ERR_SCRATCH(err);
    struct yaml_doc *doc = NULL;
    /* escapes may make a document longer than one may be */
    if (text->len > LIMIT_DOCUMENT_BYTES)
        return;
    must(yaml_parse(&doc, arena, "again", span_of(text->ptr, text->len), &err) == 0);
    must(doc->root != NULL);
    must(data_equal(yaml_to_data(arena, doc->root), data));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    BUF_SCRATCH(block, 16 * LIMIT_MIB);
    BUF_SCRATCH(line, 16 * LIMIT_MIB);
    struct yaml_doc *doc = NULL;
    size_t last = 0;
    if (yaml_parse(&doc, &arena, "in", span_of((const char *)bytes, size), &err)) {
        must(err.exit == TG_USAGE && err.message && err.where.file);
        return 0;
    }
    if (!doc->root)
        return 0;
    check_offsets(doc->root, &last);
    struct data *data = yaml_to_data(&arena, doc->root);
    drop_nan(data);
    must(yaml_write(&block, data, 0) == 0 && yaml_write_flow(&line, data) == 0);
    must(!memchr(line.ptr, '\n', line.len));
    check_reread(&arena, &block, data);
    check_reread(&arena, &line, data);
    return 0;
}
