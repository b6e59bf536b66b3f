/* Merging files of one pin a line: every line is a slot of its own. */
#include "base/buf.h"
#include "base/err.h"
#include "git/libgit2.h"
#include "plan/merge/slots.h"
#include "unit/rows.h"
#include "unit/test.h"

/* Lines end in '|', and '@' is one of git's; `merged` is NULL for a conflict: then `marked`. */
struct row {
    const char *base, *ours, *theirs, *merged, *marked;
};

static struct span lines(struct buf *out, const char *text)
{
    for (; *text; text++)
        assert_int_equal(buf_putc(out, *text == '|' ? '\n' : *text == '@' ? '|' : *text), 0);
    return span_of(buf_text(out), out->len);
}

static void check(const struct row *row)
{
    static const struct slots_labels labels = {"o", "b", "t"};
    BUF_SCRATCH(base, 10000);
    BUF_SCRATCH(ours, 10000);
    BUF_SCRATCH(theirs, 10000);
    BUF_SCRATCH(expected, 10000);
    BUF_SCRATCH(out, 10000);
    bool clean;
    assert_int_equal(slots_merge(&out, &clean, lines(&base, row->base), lines(&ours, row->ours),
                                 lines(&theirs, row->theirs), &labels),
                     0);
    (void)lines(&expected, row->merged ? row->merged : row->marked);
    assert_string_equal(buf_text(&out), buf_text(&expected));
    assert_int_equal(clean, row->merged != NULL);
}

TEST(test_slots__merge)
{
    static const struct row rows[] = {
        {"", "", "", "", NULL},
        {"a==1|", "a==1|", "a==1|", "a==1|", NULL},
        /* neighbours */
        {"a==1|b==1|", "a==2|b==1|", "a==1|b==2|", "a==2|b==2|", NULL},
        {"a==1|b==1|c==1|", "b==1|c==1|", "a==1|b==2|c==1|", "b==2|c==1|", NULL},
        {"a==1|b==1|c==1|", "a==1|c==1|", "a==1|b==1|", "a==1|", NULL},
        /* both alike */
        {"a==1|", "a==2|", "a==2|", "a==2|", NULL},
        {"a==1|b==1|", "a==1|", "a==1|", "a==1|", NULL},
        {"a==1|", "a==1|n==1|", "a==1|n==1|", "a==1|n==1|", NULL},
        /* insertions hang on the slot before them, ours first */
        {"a==1|", "a==1|o==1|", "a==1|t==1|", "a==1|o==1|t==1|", NULL},
        {"a==1|", "o==1|a==1|", "t==1|a==2|", "o==1|t==1|a==2|", NULL},
        {"a==1|z==1|", "a==1|m==1|z==1|", "a==2|z==1|zz==1|", "a==2|m==1|z==1|zz==1|", NULL},
        {"", "o==1|", "t==1|", "o==1|t==1|", NULL},
        /* a pin that was replaced by another is deleted and inserted */
        {"a==1|b==1|", "a==1|c==1|d==1|", "a==2|b==1|", "a==2|c==1|d==1|", NULL},
        /* no newline at the end */
        {"a==1", "a==2", "a==1", "a==2", NULL},
        {"a==1|b==1", "a==2|b==1", "a==1|b==2|", "a==2|b==2|", NULL},
        {"a==1", "a==1|o==1", "a==1", "a==1|o==1", NULL},
        /* CRLF belongs to the line */
        {"a==1\r|b==1\r|", "a==2\r|b==1\r|", "a==1\r|b==2\r|", "a==2\r|b==2\r|", NULL},
        /* YAML lists, markers, extras, comments, blank lines */
        {"- a==1|- b==1|", "- a==2|- b==1|", "- a==1|- b==2|", "- a==2|- b==2|", NULL},
        {"x[cuda]==1|y~=1|", "x[cuda]==2|y~=1|", "x[cuda]==1|y~=2|", "x[cuda]==2|y~=2|", NULL},
        {"# c|a==1||b==1|", "# mine|a==1||b==1|", "# c|a==2||b==2|", "# mine|a==2||b==2|", NULL},
    };
    for (EACH_ROW(i, rows, rows[i].base))
        check(&rows[i]);
}

TEST(test_slots__conflicts_in_one_slot_leave_the_others)
{
    static const struct row rows[] = {
        {"a==1|b==1|", "a==2|b==2|", "a==3|b==1|", NULL,
         "<<<<<<< o|a==2|@@@@@@@ b|a==1|=======|a==3|>>>>>>> t|b==2|"},
        {"a==1|b==1|", "b==1|", "a==2|b==2|", NULL,
         "<<<<<<< o|@@@@@@@ b|a==1|=======|a==2|>>>>>>> t|b==2|"},
        {"a==1|b==1|", "a==2|b==1|", "b==1|", NULL,
         "<<<<<<< o|a==2|@@@@@@@ b|a==1|=======|>>>>>>> t|b==1|"},
        {"a==1", "a==2", "a==3", NULL, "<<<<<<< o|a==2|@@@@@@@ b|a==1|=======|a==3|>>>>>>> t|"},
    };
    for (EACH_ROW(i, rows, rows[i].base))
        check(&rows[i]);
}

static int start(void **state)
{
    ERR_SCRATCH(err);
    (void)state;
    return git_start(&err);
}

TEST_GROUP(start, NULL)
