/* The message of an update's commit: subject, stack changes, notes, trailers. */
#include "update/report/commit_message.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/sha.h"
#include "base/str.h"
#include "base/unicode.h"
#include "data/data.h"
#include "git/commit.h"
#include "git/repo.h"
#include "git/store.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define MESSAGE_MAX (LIMIT_MIB)
#define SEAL "Tmplgen-Update: "
#define SIGNER "Signed-off-by: "

/* ---------------------------------------------------------------- the body */

static bool is_word(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || byte == '-';
}

/* True for "#", "!", "GH-" and the address of issues: with a number they name an issue. */
static bool names_issue(const char *text, size_t len)
{
    static const char *const heads[] = {"/issues/", "/pull/", "/merge_requests/", "/work_items/"};
    static const char github[] = "gh-";
    size_t gh = strlen(github);
    if (text[len - 1] == '#' || text[len - 1] == '!' ||
        (len >= gh && strncasecmp(text + len - gh, github, gh) == 0 &&
         (len == gh || !is_word(text[len - gh - 1]))))
        return true;
    for (size_t i = 0; i < sizeof(heads) / sizeof(*heads); i++)
        if (len >= strlen(heads[i]) &&
            strncasecmp(text + len - strlen(heads[i]), heads[i], strlen(heads[i])) == 0)
            return true;
    return false;
}

/* Splits "@ann" and "#12", which would link people and issues of this project's forge. */
static void put_tame(struct buf *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        bool starts = i == 0 || !is_word(text[i - 1]);
        char next = '\0';
        if (i + 1 < len)
            next = text[i + 1];
        bool number = isdigit((unsigned char)next) && names_issue(text, i + 1);
        (void)buf_putc(out, text[i]);
        if (number || (text[i] == '@' && starts && is_word(next)))
            (void)buf_putc(out, ' ');
    }
}

static void put_lines(struct buf *out, const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        (void)buf_puts(out, len ? "  " : "");
        put_tame(out, text, len);
        (void)buf_putc(out, '\n');
        text += len + (text[len] == '\n');
    }
}

static void put_stack(struct buf *out, const struct data *stack)
{
    for (size_t i = 0; stack && i < stack->list.count; i++) {
        BUF_SCRATCH(line, MESSAGE_MAX);
        BUF_SCRATCH(masked, MESSAGE_MAX);
        const struct data *change = stack->list.items[i];
        const char *from = data_get_text(change, "from"), *to = data_get_text(change, "to");
        (void)buf_printf(&line, "%s: %s -> %s", data_get_text(change, "what"), from ? from : "none",
                         to ? to : "none");
        (void)unicode_mask(&masked, span_of(buf_text(&line), line.len), false);
        (void)buf_puts(out, i ? "" : "\nStack:\n\n");
        put_lines(out, buf_text(&masked));
    }
}

static void put_notes(struct buf *out, const struct data *notes)
{
    for (size_t i = 0; notes && i < notes->list.count; i++) {
        const struct data *note = notes->list.items[i];
        const char *version = data_get_text(note, "version");
        const char *catalog = data_get_text(note, "catalog");
        if (version)
            (void)buf_printf(out, "\nNew in %s%s%s:\n\n", catalog ? catalog : "",
                             catalog ? " " : "", version);
        else
            (void)buf_puts(out, "\nTo know:\n\n");
        put_lines(out, data_get_text(note, "text"));
    }
}

/* ---------------------------------------------------------------- trailers */

/* Cleans up a message as `git commit -m` does: no space at the end, and one newline. */
static void put_given(struct buf *out, const char *text, char mark)
{
    size_t len = span_trim_end(span_from(text), " \t\n\v\f\r").len;
    for (size_t i = 0; i < len; i++) {
        if (mark && text[i] == mark && (i == 0 || text[i - 1] == '\n'))
            (void)buf_putc(out, ' ');
        (void)buf_putc(out, text[i]);
    }
    (void)buf_putc(out, '\n');
}

/* Adds the trailer once, as `git commit --signoff` does. */
static void put_signer(struct arena *arena, struct buf *out, const char *committer)
{
    size_t len = strcspn(committer, ">"); /* of "NAME <EMAIL> SECONDS ZONE" */
    const char *line =
        arena_printf(arena, "\n" SIGNER "%.*s\n", (int)len + (committer[len] == '>'), committer);
    if (!str_ends(buf_text(out), line))
        (void)buf_puts(out, line);
}

/* The subject contains the catalog's name, which is foreign. */
static const char *own_subject(struct arena *arena, const char *subject)
{
    BUF_SCRATCH(masked, MESSAGE_MAX);
    BUF_SCRATCH(tame, MESSAGE_MAX);
    (void)unicode_mask(&masked, span_from(subject), false);
    put_tame(&tame, buf_text(&masked), masked.len);
    return arena_strdup(arena, buf_text(&tame));
}

const char *message_format(struct arena *arena, const struct message *m)
{
    BUF_SCRATCH(out, MESSAGE_MAX);
    put_given(&out, m->given ? m->given : own_subject(arena, m->subject), m->comment);
    put_stack(&out, m->stack);
    put_notes(&out, m->notes);
    if (m->signer)
        put_signer(arena, &out, m->signer->committer);
    return arena_strdup(arena, buf_text(&out));
}

/* ---------------------------------------------------------------- the seal */

static void hash(char out[SHA256_HEX_SIZE], struct span message, const struct oid *parents,
                 size_t parent_count, const struct oid *tree)
{
    BUF_SCRATCH(text, 2 * MESSAGE_MAX);
    char hex[41];
    (void)buf_puts(&text, "tmplgen update 1\n");
    for (size_t i = 0; i < parent_count; i++) {
        oid_hex(hex, &parents[i]);
        (void)buf_printf(&text, "parent %s\n", hex);
    }
    oid_hex(hex, tree);
    (void)buf_printf(&text, "tree %s\n", hex);
    (void)buf_append(&text, message.ptr, message.len);
    sha256_hex(out, buf_text(&text), text.len);
}

/* True where a further trailer goes into the paragraph of the last one. */
static bool ends_in_trailer(const char *message)
{
    const char *last = strstr(message, "\n" SIGNER);
    return last && strchr(last + 1, '\n') && strchr(last + 1, '\n')[1] == '\0';
}

const char *message_seal(struct arena *arena, const char *message, const struct oid *parents,
                         size_t parent_count, const struct oid *tree)
{
    char sum[SHA256_HEX_SIZE];
    const char *gap = ends_in_trailer(message) ? "" : "\n";
    hash(sum, span_from(message), parents, parent_count, tree);
    return arena_printf(arena, "%s%s" SEAL "%s\n", message, gap, sum);
}

/* Splits the text into the message and the hash of its last line. */
static bool split_seal(struct span *message, const char **sum, const char *text)
{
    size_t len = strlen(text), line = strlen(SEAL) + SHA256_HEX_SIZE - 1;
    if (len < line + 2 || text[len - 1] != '\n' || text[len - 2 - line] != '\n' ||
        strncmp(text + len - 1 - line, SEAL, strlen(SEAL)) != 0)
        return false;
    *sum = text + len - SHA256_HEX_SIZE;
    *message = span_of(text, len - 1 - line);
    if (message->len > 1 && message->ptr[message->len - 2] == '\n')
        message->len--; /* drop the empty line before the trailer */
    return true;
}

int message_seal_of(const char **out, const struct repo *repo, const struct oid *commit,
                    struct err *err)
{
    struct commit read;
    struct span bytes, message;
    const char *sum;
    char expected[SHA256_HEX_SIZE];
    *out = NULL;
    if (repo_commit(&read, repo->arena, repo->store, commit, err) < 0 ||
        store_copy(&bytes, repo->arena, repo->store, STORE_COMMIT, commit, "a commit", err) < 0)
        return -1;
    const char *body = strstr(bytes.ptr, "\n\n");
    if (read.parent_count == 0 || !body || !split_seal(&message, &sum, body + 2))
        return 0;
    hash(expected, message, read.parents, read.parent_count, &read.tree);
    if (strncmp(expected, sum, SHA256_HEX_SIZE - 1) == 0)
        *out = arena_strdup(repo->arena, expected);
    return 0;
}
