/* gpu-smoke with --explain, which finds known failures in any text (docs/smoke.md, "Texts"). */
#define GPU_SMOKE_EXPLAIN
/* NOLINTNEXTLINE(bugprone-suspicious-include): one program; children get the first part alone */
#include "../../templates/_layers/gpu-smoke/files/smoke/gpu_smoke.c"

/* ---- known failures, generated from causes.txt and codes.txt */

/* Each line of `texts` is a rank and a text. The rank: '!' for the root of a failure, '.' for the
 * failure, '?' for a consequence. In the text '*' is anything, '#' a number; ' & ' separates two
 * texts of one line. A text that begins with a letter or digit begins a word. */
struct known_cause {
    struct cause cause;
    const char *texts;
};

/* Of a driver, a library, the kernel log. NULL: it has no such name. */
struct known_code {
    int number;
    const char *name, *runtime_name, *text;
    const char *causes; /* separated by blanks, the likeliest first */
};

#include "smoke/explain_tables.h"

enum { CUDA_CODES, NVML_CODES, NCCL_CODES, XID_CODES };

static const struct {
    const struct known_code *codes;
    size_t n;
} code_tables[] = {
    [CUDA_CODES] = {known_cuda, LENGTH(known_cuda)},
    [NVML_CODES] = {known_nvml, LENGTH(known_nvml)},
    [NCCL_CODES] = {known_nccl, LENGTH(known_nccl)},
    [XID_CODES] = {known_xid, LENGTH(known_xid)},
};

static const struct known_code *code_of(int table, int number)
{
    for (size_t i = 0; i < code_tables[table].n; i++)
        if (code_tables[table].codes[i].number == number)
            return &code_tables[table].codes[i];
    return NULL;
}

/* The cause named by the first word of a text; NULL if there is none. */
static const struct cause *cause_of(const char *name)
{
    size_t n = strcspn(name, " ");
    for (size_t i = 0; i < LENGTH(known_causes); i++) {
        const struct cause *cause = &known_causes[i].cause;
        if (strncmp(cause->name, name, n) == 0 && !cause->name[n])
            return cause;
    }
    return NULL;
}

/* ---- normalized lines, and matching */

enum { LINE_KEPT = 4096, LINE_OVERLAP = 512 };

/* A line in lower case, ' for all quotes, single blanks, without colours and backslashes. */
struct line {
    char text[LINE_KEPT + 1];
    unsigned short from[LINE_KEPT + 1]; /* position of each byte in the raw line */
    size_t n;
};

/* The length of a terminal's escape sequence at p, also as written in JSON or by cat -v; or 0. */
static size_t escape_length(const char *p, const char *end)
{
    static const char *const starts_with[] = {"\033", "\\u001b", "\\x1b", "\\033", "\\e", "^["};
    for (size_t i = 0; i < LENGTH(starts_with); i++) {
        size_t n = strlen(starts_with[i]);
        if ((size_t)(end - p) <= n || strncasecmp(p, starts_with[i], n) != 0 || p[n] != '[')
            continue;
        for (n++; p + n < end && (is_digit(p[n]) || strchr(";?", p[n]));)
            n++;
        return n + (p + n < end);
    }
    return 0;
}

/* The length of a quotation mark of any script at p; or 0. */
static size_t quote_length(const char *p, const char *end)
{
    static const char *const quotes[] = {
        "\"", "`", "\xe2\x80\x98", "\xe2\x80\x99", "\xe2\x80\x9c", "\xe2\x80\x9d", "\xc2\xb4"};
    for (size_t i = 0; i < LENGTH(quotes); i++)
        if ((size_t)(end - p) >= strlen(quotes[i]) && memcmp(p, quotes[i], strlen(quotes[i])) == 0)
            return strlen(quotes[i]);
    return 0;
}

/* The replacement for p: a blank, a quote, nothing (0); -1: keeps the byte. */
static int replaced(const char *p, const char *end, int json, size_t *length)
{
    if ((*length = escape_length(p, end)))
        return 0;
    if ((*length = quote_length(p, end)))
        return '\'';
    *length = 1;
    if (*p == '\\' && p + 1 < end) {
        if (strchr("\"'\\/", p[1]))
            return 0;
        *length = 2;
        if (json && strchr("ntr", p[1]))
            return ' ';
        *length = 1;
    }
    return is_space(*p) || (unsigned char)*p < 0x20 ? ' ' : -1;
}

static void line_read(struct line *l, const char *raw, size_t n)
{
    const char *end = raw + n;
    int json = memmem(raw, n, "\":", 2) != NULL;
    size_t length;
    l->n = 0;
    for (const char *p = raw; p < end && l->n < LINE_KEPT; p += length) {
        int c = replaced(p, end, json, &length);
        if (c == 0 || (c == ' ' && (l->n == 0 || l->text[l->n - 1] == ' ')))
            continue;
        if (c < 0)
            c = *p >= 'A' && *p <= 'Z' ? *p + 32 : *p;
        l->from[l->n] = (unsigned short)(p - raw);
        l->text[l->n++] = (char)c;
    }
    l->from[l->n] = (unsigned short)n;
    l->text[l->n] = '\0';
}

/* The length of the number at p: 12, 12.8. */
static size_t number_length(const char *p)
{
    size_t n = 0;
    while (is_digit(p[n]) || (n && p[n] == '.' && is_digit(p[n + 1])))
        n++;
    return n;
}

/* The length of p that matches the piece (without '*'), or 0. '@' also takes a number. */
static size_t piece_length(const char *piece, size_t n, const char *p, int *code)
{
    const char *start = p;
    for (; n; n--, piece++) {
        size_t digits = *piece == '#' || *piece == '@' ? number_length(p) : 0;
        if (!digits && (*piece == '#' || *piece == '@' || *piece != *p))
            return 0;
        if (*piece == '@') {
            if (digits > 3 || p[strspn(p, "0123456789")] == '.' || is_word(p[digits]) ||
                p[digits] == '%')
                return 0;
            *code = atoi(p);
        }
        p += digits ? digits : 1;
    }
    return (size_t)(p - start);
}

struct match {
    size_t at, end;
};

/* Whether this part (without ' & ') is in the line. The first match of each piece around '*' leaves
 * the most room for the next. */
static int part_found(const char *part, size_t n, const struct line *l, struct match *found,
                      int *code)
{
    size_t at = 0;
    int first = 1;
    while (n) {
        size_t piece = 0, length = 0;
        while (piece < n && part[piece] != '*')
            piece++;
        int letter = *part != '#' && *part != '@' ? *part : 0;
        for (; piece && at < l->n; at++) {
            const char *next = letter ? memchr(l->text + at, letter, l->n - at) : l->text + at;
            if (!next)
                return 0;
            at = (size_t)(next - l->text);
            int begins = !first || at == 0 || !is_word(*part) || !is_word(l->text[at - 1]);
            if (begins && (length = piece_length(part, piece, l->text + at, code)))
                break;
        }
        if (piece && !length)
            return 0;
        if (first)
            found->at = at;
        found->end = at += length;
        first = 0;
        piece += piece < n;
        part += piece;
        n -= piece;
    }
    return 1;
}

/* Is the text of a table in the line? All of its parts, in any order; found: the first. */
static int text_found(const char *text, size_t n, const struct line *l, struct match *found,
                      int *code)
{
    struct match other;
    for (int first = 1; n; first = 0) {
        const char *more = memmem(text, n, " & ", 3);
        size_t part = more ? (size_t)(more - text) : n;
        if (!part_found(text, part, l, first ? found : &other, code))
            return 0;
        text += part + (more ? 3 : 0);
        n -= part + (more ? 3 : 0);
    }
    return 1;
}

/* ---- findings, line by line */

enum {
    MAX_TELLINGS = 4096,
    GRAMS = 1 << 14,
    MAX_TOLD = 16, /* the best so far; three are shown */
    MAX_SHOWN = 3,
    EVIDENCE = 240
};

/* How specific a match is. Consequences are shown only if there is nothing else. */
enum { FOLLOWS = 2, NUMBERED = 4, NAMED = 6, ROOT = 8, ITSELF = 10 };

/* A text of the tables: of a cause, or of a code. */
struct telling {
    const struct cause *cause;
    const struct known_code *code;
    const char *text;
    unsigned short n, rank;
    int next;           /* the next one with the same gram */
    unsigned long seen; /* number of the last lookup that met it */
};

struct told {
    const struct cause *cause;
    const struct known_code *code; /* or NULL */
    int rank;
    size_t weight; /* letters matched */
    unsigned long line;
    char text[EVIDENCE + 1], matched[EVIDENCE + 1];
};

struct explanation {
    struct telling telling[MAX_TELLINGS];
    size_t tellings;
    int gram[GRAMS];
    unsigned short common[GRAMS];               /* number of texts that have the gram */
    struct told told[MAX_TOLD], gpu[MAX_SHOWN]; /* gpu: lines that mention one, and the word */
    size_t n, gpus;
    unsigned long lines, looks;
    ullong bytes;
    struct line line;
    char before[LINE_OVERLAP]; /* the previous line, if nothing matched in it */
    size_t before_n;
};

static unsigned gram_of(const char *p)
{
    unsigned hash = 0;
    for (int i = 0; i < 4; i++)
        hash = hash * 131 + (unsigned char)p[i];
    return (hash ^ hash >> 13) % GRAMS;
}

/* Four letters of the text that appear literally in a line. */
static int is_gram(const char *p)
{
    return strcspn(p, "*#@&\n") >= 4;
}

/* Adds a text, normalized like a line. */
static void telling_add(struct explanation *e, struct host *h, const struct cause *cause,
                        const struct known_code *code, const char *text, size_t n, int rank)
{
    char *copy;
    line_read(&e->line, text, n);
    n = e->line.n;
    if (e->tellings == MAX_TELLINGS || !(copy = pool_get(&h->pool, n + 1)))
        return;
    memcpy(copy, e->line.text, n);
    e->telling[e->tellings++] =
        (struct telling){cause, code, copy, (unsigned short)n, (unsigned short)rank, -1, 0};
    for (size_t i = 0; i + 4 <= n; i++)
        if (is_gram(copy + i))
            e->common[gram_of(copy + i)]++;
}

/* Indexes every text by its rarest four letters. */
static void tellings_index(struct explanation *e)
{
    for (size_t i = 0; i < GRAMS; i++)
        e->gram[i] = -1;
    for (size_t t = e->tellings; t-- > 0;) { /* so that the first of the table is met first */
        struct telling *tell = &e->telling[t];
        unsigned best = GRAMS;
        for (size_t i = 0; i + 4 <= tell->n; i++) {
            unsigned gram = is_gram(tell->text + i) ? gram_of(tell->text + i) : GRAMS;
            if (gram < GRAMS && (best == GRAMS || e->common[gram] < e->common[best]))
                best = gram;
        }
        if (best == GRAMS)
            continue;
        tell->next = e->gram[best];
        e->gram[best] = (int)t;
    }
}

/* Contexts in which a number is an error code. */
static const struct {
    int table;
    const char *text;
} number_forms[] = {
    {CUDA_CODES, "error @"},       {CUDA_CODES, "error: @"},        {CUDA_CODES, "error:@"},
    {CUDA_CODES, "error=@"},       {CUDA_CODES, "error = @"},       {CUDA_CODES, "error (@)"},
    {CUDA_CODES, "error(@)"},      {CUDA_CODES, "error[@]"},        {CUDA_CODES, "errno @"},
    {CUDA_CODES, "code @"},        {CUDA_CODES, "code: @"},         {CUDA_CODES, "code:@"},
    {CUDA_CODES, "code=@"},        {CUDA_CODES, "code = @"},        {CUDA_CODES, "code #@"},
    {CUDA_CODES, "code (@)"},      {CUDA_CODES, "code=@("},         {CUDA_CODES, "returned @"},
    {CUDA_CODES, "returned: @"},   {CUDA_CODES, "return value @"},  {CUDA_CODES, "returns @"},
    {CUDA_CODES, "failure @"},     {CUDA_CODES, "failed with @"},   {CUDA_CODES, "failed (@)"},
    {CUDA_CODES, "failed: @"},     {CUDA_CODES, "(@ vs."},          {CUDA_CODES, "status @"},
    {CUDA_CODES, "status: @"},     {CUDA_CODES, "status=@"},        {CUDA_CODES, "curesult @"},
    {CUDA_CODES, "handle : @"},    {CUDA_CODES, "[@] call to cu"},  {CUDA_CODES, "cuinit = @"},
    {NVML_CODES, "nvml:@"},        {NVML_CODES, "nvidia-smi:@"},    {NVML_CODES, "nvml error @"},
    {NVML_CODES, "nvml error: @"}, {NVML_CODES, "nvml returned @"}, {XID_CODES, "xid (*): @"},
    {XID_CODES, "xid @"},          {XID_CODES, "xid: @"},           {XID_CODES, "xid=@"},
    {XID_CODES, "xid:@"},          {XID_CODES, "xid error @"},      {XID_CODES, "xid errors: @"},
};

/* What a line mentions. Its number is an error code if it mentions a GPU's software. */
enum speaks { OF_NOTHING, OF_GPU, OF_SOFTWARE };

static enum speaks line_speaks(const struct line *l, struct match *found)
{
    static const struct {
        enum speaks of;
        const char *word;
    } words[] = {
        {OF_SOFTWARE, "nvrm"},       {OF_SOFTWARE, "xid (*)"},   {OF_SOFTWARE, "xid #"},
        {OF_SOFTWARE, "xid=#"},      {OF_SOFTWARE, "xid:#"},     {OF_SOFTWARE, "xid: #"},
        {OF_SOFTWARE, "nvidia-smi"}, {OF_SOFTWARE, "nvml"},      {OF_SOFTWARE, "cuda"},
        {OF_SOFTWARE, "thcuda"},     {OF_SOFTWARE, "libcuda"},   {OF_SOFTWARE, "cudnn"},
        {OF_SOFTWARE, "cublas"},     {OF_SOFTWARE, "nccl warn"}, {OF_SOFTWARE, "nccl error"},
        {OF_SOFTWARE, "cuinit"},     {OF_SOFTWARE, "curesult"},  {OF_SOFTWARE, "cuctx"},
        {OF_SOFTWARE, "cumem"},      {OF_SOFTWARE, "cudevice"},  {OF_SOFTWARE, "culaunch"},
        {OF_SOFTWARE, "cumodule"},   {OF_SOFTWARE, "custream"},  {OF_GPU, "nccl"},
        {OF_GPU, "nvidia"},          {OF_GPU, "libnvidia"},
    };
    int code;
    for (size_t i = 0; i < LENGTH(words); i++)
        if (text_found(words[i].word, strlen(words[i].word), l, found, &code))
            return words[i].of;
    return OF_NOTHING;
}

/* A process's exit status (exit code 1, make's Error 1) is not a CUDA error. */
static int is_exit_status(const struct line *l, struct match found)
{
    size_t from = found.at > 24 ? found.at - 24 : 0;
    return memmem(l->text + from, found.at - from, "exit", 4) ||
           memmem(l->text, l->n, "*** [", 5) || memmem(l->text, l->n, "make: ***", 9);
}

static int told_before(const struct told *a, const struct told *b)
{
    if (a->rank != b->rank)
        return a->rank > b->rank;
    return a->line != b->line ? a->line < b->line : a->weight > b->weight;
}

/* Into the list of the best, each cause once. */
static void told_add(struct explanation *e, struct told t)
{
    size_t i = 0, at;
    while (i < e->n && e->told[i].cause != t.cause)
        i++;
    if (i < e->n && !told_before(&t, &e->told[i]))
        return;
    if (i == MAX_TOLD && !told_before(&t, &e->told[--i]))
        return;
    if (i == e->n)
        e->n++;
    for (at = i; at > 0 && told_before(&t, &e->told[at - 1]); at--)
        e->told[at] = e->told[at - 1];
    e->told[at] = t;
}

/* Copies the match and the line around it, as they were in the input. */
static void evidence(struct told *t, const struct explanation *e, const char *raw,
                     struct match found)
{
    size_t n = e->line.from[e->line.n], at = e->line.from[found.at], end = e->line.from[found.end];
    size_t from = at > EVIDENCE / 3 && n > EVIDENCE ? at - EVIDENCE / 3 : 0;
    while (from < at && ((unsigned char)raw[from] & 0xc0) == 0x80)
        from++;
    format(t->text, sizeof t->text, "%.*s", (int)(n - from), raw + from);
    format(t->matched, sizeof t->matched, "%.*s", (int)(end - at), raw + at);
    t->line = e->lines;
}

/* A code may have several causes, the likeliest first. */
static void told_code(struct explanation *e, const struct known_code *code, int rank,
                      const char *raw, struct match found)
{
    int place = 0;
    for (const char *name = code->causes; *name; name += strspn(name, " "), place = 1) {
        struct told t = {cause_of(name), code, rank - place, found.end - found.at, 0, "", ""};
        evidence(&t, e, raw, found);
        if (t.cause)
            told_add(e, t);
        name += strcspn(name, " ");
    }
}

static int rank_of(char mark)
{
    return mark == '!' ? ROOT : mark == '.' ? NAMED : FOLLOWS;
}

/* The rank of a code's name or text depends on how definite its likeliest cause is. */
static int code_rank(const struct known_code *code)
{
    const struct cause *c = cause_of(code->causes);
    return c && (c->layer == ANYWHERE || same(c->name, "nccl-error") || same(c->name, "nccl-usage"))
               ? FOLLOWS
               : NAMED;
}

/* Also matches gpu-smoke's own words for a cause: users paste its report. */
static void tell_of_cause(struct explanation *e, struct host *h, const struct known_cause *known)
{
    const struct cause *cause = &known->cause;
    int rank = *known->texts ? FOLLOWS : NAMED;
    for (const char *p = known->texts; *p; p += strcspn(p, "\n") + 1) {
        telling_add(e, h, cause, NULL, p + 1, strcspn(p, "\n") - 1, rank_of(*p));
        if (*p != '?')
            rank = NAMED;
    }
    telling_add(e, h, cause, NULL, cause->what, strlen(cause->what), rank);
}

static void tellings_read(struct host *h, struct explanation *e)
{
    for (size_t i = 0; i < LENGTH(known_causes); i++)
        tell_of_cause(e, h, &known_causes[i]);
    for (size_t t = 0; t < LENGTH(code_tables); t++)
        for (size_t i = 0; i < code_tables[t].n && t != XID_CODES; i++) {
            const struct known_code *c = &code_tables[t].codes[i];
            const char *names[] = {c->name, c->runtime_name, t == CUDA_CODES ? c->text : NULL};
            for (size_t k = 0; k < LENGTH(names); k++)
                if (names[k] && strlen(names[k]) > 13)
                    telling_add(e, h, NULL, c, names[k], strlen(names[k]), code_rank(c));
        }
    tellings_index(e);
}

/* A code's name must match to its end: cudaErrorInvalidDevice is not a prefix of another name. */
static int is_whole(const struct telling *t, const struct line *l, struct match found)
{
    return !t->code || !(is_word(l->text[found.end]) || l->text[found.end] == '_');
}

/* Returns the number of texts found in the line. */
static size_t told_tellings(struct explanation *e, const char *raw, int gpu)
{
    const struct line *l = &e->line;
    struct match found = {0, 0};
    size_t met = 0;
    int code;
    e->looks++;
    for (size_t i = 0; i + 4 <= l->n; i++)
        for (int at = e->gram[gram_of(l->text + i)]; at >= 0; at = e->telling[at].next) {
            struct telling *t = &e->telling[at];
            if (t->seen == e->looks || (t->code && !gpu))
                continue;
            t->seen = e->looks;
            if (!text_found(t->text, t->n, l, &found, &code) || !is_whole(t, l, found))
                continue;
            met++;
            if (t->code) {
                told_code(e, t->code, t->rank, raw, found);
                continue;
            }
            struct told told = {t->cause, NULL, t->rank, t->n, 0, "", ""};
            evidence(&told, e, raw, found);
            told_add(e, told);
        }
    return met;
}

static void told_numbers(struct explanation *e, const char *raw)
{
    struct match found = {0, 0};
    for (size_t i = 0; i < LENGTH(number_forms); i++) {
        int number = 0, xid = number_forms[i].table == XID_CODES;
        const char *text = number_forms[i].text;
        if (!text_found(text, strlen(text), &e->line, &found, &number) ||
            is_exit_status(&e->line, found))
            continue;
        const struct known_code *code = code_of(number_forms[i].table, number);
        /* 43 and 45 are only consequences of earlier errors, notes are not failures */
        int follows =
            xid && code && (number == 43 || number == 45 || same(code->causes, "xid-note"));
        if (code)
            told_code(e, code, follows ? FOLLOWS : xid ? ROOT : NUMBERED, raw, found);
    }
}

/* Terminals and mails break lines: joins two lines that match nothing alone. */
static size_t explain_joined(struct explanation *e, const char *raw, size_t n)
{
    char both[LINE_OVERLAP + 1 + LINE_KEPT];
    size_t first = e->before_n;
    struct match found = {0, 0};
    memcpy(both, e->before, first);
    both[first] = ' ';
    memcpy(both + first + 1, raw, n < LINE_KEPT ? n : LINE_KEPT);
    line_read(&e->line, both, first + 1 + (n < LINE_KEPT ? n : LINE_KEPT));
    e->lines--; /* report the first of the two */
    size_t met = line_speaks(&e->line, &found) ? told_tellings(e, both, 1) : 0;
    e->lines++;
    return met;
}

static void explain_line(struct explanation *e, const char *raw, size_t n)
{
    struct match found = {0, 0};
    line_read(&e->line, raw, n);
    enum speaks of = line_speaks(&e->line, &found);
    if (of && e->gpus < MAX_SHOWN)
        evidence(&e->gpu[e->gpus++], e, raw, found);
    size_t met = told_tellings(e, raw, of != OF_NOTHING);
    if (of == OF_SOFTWARE)
        told_numbers(e, raw);
    if (!met && e->before_n)
        met = explain_joined(e, raw, n);
    e->before_n = met ? 0 : n < LINE_OVERLAP ? n : 0;
    memcpy(e->before, raw, e->before_n);
}

/* Reads all input; splits lines that are too long. */
static int explain_stream(struct explanation *e, FILE *in)
{
    char raw[2 * LINE_KEPT] = "";
    size_t n = 0;
    int c;
    for (int before = '\n'; (c = getc(in)) != EOF; before = c, e->bytes++) {
        e->lines += before == '\n';
        if (c == 0)
            continue; /* skips zero bytes: PowerShell writes UTF-16 */
        if (c != '\n')
            raw[n++] = (char)c;
        if (c != '\n' && n < LINE_KEPT)
            continue;
        explain_line(e, raw, n);
        if (c == '\n') {
            n = 0;
        } else {
            memmove(raw, raw + n - LINE_OVERLAP, LINE_OVERLAP);
            n = LINE_OVERLAP;
        }
    }
    if (n)
        explain_line(e, raw, n);
    return ferror(in) ? -1 : 0;
}

/* ---- the report */

static void put_evidence(struct sink *k, const struct told *t)
{
    if (k->quoting == JSON)
        put(k, "'line': %l, 'text': %s, 'matched': %s", (long long)t->line, t->text, t->matched);
    else
        put(k, "  line %l: %s\n", (long long)t->line, t->text);
}

static void json_explanation(struct sink *k, const struct explanation *e, size_t shown)
{
    put(k, "{'schema': 'tmplgen/explain@2', 'exit': 0, 'lines': %l, 'bytes': %l,\n 'causes': [",
        (long long)e->lines, (long long)e->bytes);
    for (size_t i = 0; i < shown; i++) {
        const struct told *t = &e->told[i];
        put(k, i ? ",\n  {'cause': %s, 'layer': %s, " : "\n  {'cause': %s, 'layer': %s, ",
            t->cause->name, t->cause->layer < N_LAYERS ? layers[t->cause->layer].name : NULL);
        put_evidence(k, t);
        if (t->code)
            put(k, ", 'code': {'number': %d, 'name': %s, 'text': %s}", t->code->number,
                t->code->name ? t->code->name : t->code->runtime_name, t->code->text);
        else
            put(k, ", 'code': null");
        json_cause(k, t->cause);
    }
    put(k, "],\n 'gpu': [");
    for (size_t i = 0; i < e->gpus; i++) {
        fputs(i ? ", {" : "{", k->out);
        put_evidence(k, &e->gpu[i]);
        fputs("}", k->out);
    }
    put(k, "]}\n");
}

static void put_explanation(struct sink *k, const struct explanation *e, size_t shown)
{
    for (size_t i = 0; i < shown; i++) {
        const struct told *t = &e->told[i];
        const char *name = t->code ? t->code->name : NULL;
        put(k, i ? "\n%s (%s)\n" : "%s (%s)\n", t->cause->name,
            t->cause->layer < N_LAYERS ? layers[t->cause->layer].name : "any layer");
        put_evidence(k, t);
        if (t->code && t->code->runtime_name && !name)
            name = t->code->runtime_name;
        if (t->code && name)
            put(k, "  that is %d, %s: %s\n", t->code->number, name, t->code->text);
        else if (t->code)
            put(k, "  that is %d: %s\n", t->code->number, t->code->text);
        else if (!same(t->text, t->matched))
            put(k, "  by its words: %s\n", t->matched);
        put_cause(k, t->cause);
    }
    if (shown > 1)
        put(k, "\nthe likeliest first; gpu-smoke tells which where it happened\n");
    if (shown)
        return;
    put(k, e->gpus ? "no failure that this version knows; of a GPU speaks:\n"
                   : "nothing of a GPU in here\n");
    for (size_t i = 0; i < e->gpus; i++)
        put_evidence(k, &e->gpu[i]);
    if (e->gpus)
        put(k, "run gpu-smoke where it happened: it looks for itself\n");
}

/* The best three; leaves out consequences if there is anything else. */
static size_t explanation_end(const struct explanation *e)
{
    size_t n = 0;
    while (n < e->n && n < MAX_SHOWN && (e->told[0].rank <= FOLLOWS || e->told[n].rank > FOLLOWS))
        n++;
    return n;
}

/* For a text that is only an error number of the driver, or a cause's name. */
static void explain_itself(struct explanation *e, const char *text)
{
    const struct cause *cause = NULL;
    const struct known_code *code = NULL;
    struct match all = {0, 0};
    char word[64];
    text += strspn(text, " \n\t");
    format(word, sizeof word, "%.*s", (int)strcspn(text, " \n\t"), text);
    if (text[strlen(word)] && text[strlen(word) + strspn(text + strlen(word), " \n\t")])
        return;
    text = word;
    all.end = strlen(text);
    cause = *text ? cause_of(text) : NULL;
    if (*text && !text[strspn(text, "0123456789")])
        code = code_of(CUDA_CODES, atoi(text));
    if (!cause && !code)
        return;
    line_read(&e->line, text, strlen(text));
    e->lines = 1;
    if (code)
        told_code(e, code, ITSELF, text, all);
    struct told told = {cause, NULL, ITSELF, 0, 0, "", ""};
    evidence(&told, e, text, all);
    if (cause)
        told_add(e, told);
    e->lines = 0; /* counted while reading */
}

static FILE *explain_open(const char *text)
{
    if (same(text, "-"))
        return stdin;
    if (*text == '@')
        return fopen(text + 1, "r");
    return fmemopen((void *)(uintptr_t)text, strlen(text), "r");
}

static int smoke_explain(struct smoke *s, struct sink *k, FILE *err)
{
    const char *text = s->opt.explain;
    struct explanation *e = calloc(1, sizeof *e);
    FILE *in = e && *text ? explain_open(text) : NULL;
    int rc = EXIT_FINE;
    if (e && in) {
        tellings_read(&s->host, e);
        explain_itself(e, text);
        if (explain_stream(e, in))
            rc = EXIT_FAILED;
    }
    if (e && *text && !in)
        rc = EXIT_USAGE;
    if (in && in != stdin)
        fclose(in);
    if (!e || rc)
        rc = fail(s, k, err, rc == EXIT_USAGE ? rc : EXIT_FAILED,
                  rc == EXIT_USAGE ? "usage" : "read",
                  text_of(&s->host, "cannot read '%s'", *text == '@' ? text + 1 : text),
                  "give a text, '-' for standard input, or @FILE");
    else
        (k->quoting == JSON ? json_explanation : put_explanation)(k, e, explanation_end(e));
    free(e);
    return rc;
}
