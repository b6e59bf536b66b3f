/* `update --summary FILE`: opened before anything is changed, written last of all. */
#include "cmd/project/update_summary.h"

#include "base/limits.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "data/data.h"
#include "update/summary.h"

bool update_summary_is_printed(const struct run *run)
{
    return str_equal(opt_value(&run->options, "summary"), "-");
}

int update_summary_open(struct output *out, struct run *run, struct err *err)
{
    const char *path = opt_value(&run->options, "summary");
    *out = (struct output){.fd = -1};
    if (!path || update_summary_is_printed(run))
        return 0;
    return output_open(out, &run->arena, path, err);
}

int update_summary_write(struct output *summary, struct run *run, struct data *document,
                         struct err *err)
{
    BUF_SCRATCH(text, LIMIT_MIB);
    const char *path = opt_value(&run->options, "summary");
    if (!path)
        return 0;
    if (summary->path)
        data_put_text(&run->arena, document, "summary", path);
    summary_format(&text, document);
    if (summary->path)
        return output_write(summary, span_of(buf_text(&text), text.len), err);
    cmd_print(run, "%s", buf_text(&text));
    return 0;
}
