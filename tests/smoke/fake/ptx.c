/* Runs PTX text on the host: the few instructions that the smoke test's kernels use.
 *
 * Written from the PTX manual, not from the kernels: it is what proves, on machines without a GPU,
 * that they compute what they should. Threads of a block run one after another up to a barrier, or
 * to what a warp does as one.
 */
#include "ptx.h"
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CODE = 256, MAX_REGISTERS = 96, MAX_THREADS = 1024, SHARED = 4096, MAX_STEPS = 1 << 26 };
enum { MAX_OPERANDS = 32, WARP = 32, TILE = 16 }; /* of wmma.mma: 8 + 8 + 8 + 8 */

enum operand_kind { REGISTER, IMMEDIATE, SPECIAL, ADDRESS, LABEL };

struct operand {
    enum operand_kind kind;
    int n;          /* register, special register, or instruction of a label */
    int64_t offset; /* of an address: from its register, or from a symbol when n < 0 */
    uint64_t value; /* of an immediate */
};

struct instruction {
    char op[48];
    int predicate; /* register, or -1 */
    struct operand at[MAX_OPERANDS];
    int n;
};

struct program {
    struct instruction code[MAX_CODE];
    int n;
    char registers[MAX_REGISTERS][12];
    int registers_n;
    char labels[16][16];
    int label_at[16], labels_n;
    char symbols[16][16]; /* parameters by their index, then shared arrays by their place */
    int64_t symbol_at[16];
    int symbols_n, parameters_n;
};

static int name_index(char (*names)[12], int *n, const char *name)
{
    for (int i = 0; i < *n; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    if (*n == MAX_REGISTERS)
        return -1;
    snprintf(names[*n], 12, "%.11s", name);
    return (*n)++;
}

static const char *const specials[] = {"%ctaid.x", "%ctaid.y", "%ntid.x",  "%ntid.y",
                                       "%tid.x",   "%tid.y",   "%nctaid.x"};

static int parse_operand(struct program *p, const char *text, struct operand *o)
{
    char base[32];
    int64_t offset = 0;

    memset(o, 0, sizeof *o);
    if (text[0] == '[') {
        o->kind = ADDRESS;
        if (sscanf(text, "[%31[^]+]+%ld]", base, (long *)&offset) < 1)
            return -1;
        o->offset = offset;
        o->n = -1;
        if (base[0] == '%')
            o->n = name_index(p->registers, &p->registers_n, base);
        for (int i = 0; i < p->symbols_n; i++)
            if (strcmp(p->symbols[i], base) == 0)
                o->offset += p->symbol_at[i];
        return 0;
    }
    for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
        if (strcmp(text, specials[i]) == 0) {
            o->kind = SPECIAL;
            o->n = (int)i;
            return 0;
        }
    if (text[0] == '%') {
        o->kind = REGISTER;
        o->n = name_index(p->registers, &p->registers_n, text);
        return o->n < 0 ? -1 : 0;
    }
    o->kind = IMMEDIATE;
    if (strncmp(text, "0f", 2) == 0 || strncmp(text, "0d", 2) == 0) {
        o->value = strtoull(text + 2, NULL, 16);
        return 0;
    }
    for (int i = 0; i < p->symbols_n; i++)
        if (strcmp(p->symbols[i], text) == 0) {
            o->value = (uint64_t)p->symbol_at[i];
            return 0;
        }
    if (text[0] >= '0' && text[0] <= '9') {
        o->value = strtoull(text, NULL, 10);
        return 0;
    }
    o->kind = LABEL;
    for (int i = 0; i < p->labels_n; i++)
        if (strcmp(p->labels[i], text) == 0) {
            o->n = p->label_at[i];
            return 0;
        }
    return -1;
}

static int parse_statement(struct program *p, char *text)
{
    struct instruction *in = &p->code[p->n];
    char *at = strtok(text, " ,\t\n{}");

    if (!at || p->n == MAX_CODE)
        return at ? -1 : 0;
    memset(in, 0, sizeof *in);
    in->predicate = -1;
    if (at[0] == '@') {
        in->predicate = name_index(p->registers, &p->registers_n, at + 1);
        at = strtok(NULL, " ,\t\n{}");
    }
    snprintf(in->op, sizeof in->op, "%s", at ? at : "");
    while ((at = strtok(NULL, " ,\t\n{}")))
        if (in->n == MAX_OPERANDS || parse_operand(p, at, &in->at[in->n++]))
            return -1;
    p->n++;
    return 0;
}

/* Splits the body at ';' and ':'; first pass: labels, second pass: instructions. */
static int parse_body(struct program *p, const char *body, const char *end, int pass)
{
    int shared = 0, n = 0;

    for (const char *at = body; at < end;) {
        char text[512];
        size_t len = strcspn(at, ";:");
        const char *start = at + strspn(at, " \t\n");
        at += len + 1;
        if (at > end || len >= sizeof text)
            break;
        snprintf(text, sizeof text, "%.*s", (int)(at - 1 - start), start);
        if (at[-1] == ':') {
            if (pass == 0 && p->labels_n < 16) {
                snprintf(p->labels[p->labels_n], 16, "%.15s", text);
                p->label_at[p->labels_n++] = n;
            }
        } else if (strncmp(text, ".shared", 7) == 0) {
            char name[16];
            int size;
            if (sscanf(text, ".shared .align 4 .b8 %15[^[][%d]", name, &size) != 2)
                return -1;
            if (pass == 0) {
                snprintf(p->symbols[p->symbols_n], 16, "%s", name);
                p->symbol_at[p->symbols_n++] = shared;
            }
            shared += size;
        } else if (text[0] != '.') {
            n++;
            if (pass == 1 && parse_statement(p, text))
                return -1;
        }
    }
    return shared <= SHARED ? 0 : -1;
}

static int parse(struct program *p, const char *text, const char *kernel)
{
    char head[64];
    const char *at, *body, *end;

    memset(p, 0, sizeof *p);
    snprintf(head, sizeof head, ".entry %s(", kernel);
    at = strstr(text, head);
    body = at ? strchr(at, '{') : NULL;
    end = body;
    for (int depth = 0; end && *end; end++) { /* vectors of registers are in braces too */
        depth += (*end == '{') - (*end == '}');
        if (depth == 0)
            break;
    }
    if (!end || !*end)
        return -1;
    for (at = strstr(at, ".param"); at && at < body; at = strstr(at + 1, ".param")) {
        if (sscanf(at, ".param .%*s %15[a-z]", p->symbols[p->symbols_n]) != 1)
            return -1;
        p->symbol_at[p->symbols_n] = p->symbols_n;
        p->symbols_n++;
    }
    p->parameters_n = p->symbols_n;
    return parse_body(p, body + 1, end, 0) || parse_body(p, body + 1, end, 1) ? -1 : 0;
}

struct thread {
    uint64_t r[MAX_REGISTERS];
    unsigned special[7];
    int pc, done;
    const struct instruction *warp; /* waits for the others of its warp here */
};

struct machine {
    const struct program *p;
    void **args;
    unsigned char shared[SHARED];
    long steps;
};

static uint64_t get(const struct thread *t, const struct operand *o)
{
    return o->kind == REGISTER ? t->r[o->n] : o->kind == SPECIAL ? t->special[o->n] : o->value;
}

static float as_float(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float f;

    memcpy(&f, &low, sizeof f);
    return f;
}

static uint64_t as_bits(float f)
{
    uint32_t low;

    memcpy(&low, &f, sizeof low);
    return low;
}

static double as_double(uint64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof d);
    return d;
}

static uint64_t double_bits(double d)
{
    uint64_t bits;

    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static void *address(struct machine *m, const struct thread *t, const struct operand *o, int shared)
{
    uint64_t at = (o->n >= 0 ? t->r[o->n] : 0) + (uint64_t)o->offset;

    if (shared)
        return at + 4 <= SHARED ? m->shared + at : NULL;
    return (void *)(uintptr_t)at;
}

static int compare(const char *how, uint64_t a, uint64_t b)
{
    return strncmp(how, "ge", 2) == 0   ? a >= b
           : strncmp(how, "lt", 2) == 0 ? a < b
           : strncmp(how, "eq", 2) == 0 ? a == b
                                        : -1;
}

/* Instructions of the form: destination, up to three sources. */
static int compute(const char *op, uint64_t a, uint64_t b, uint64_t c, uint64_t *out)
{
    if (strcmp(op, "mov.u32") == 0 || strcmp(op, "mov.f32") == 0 ||
        strcmp(op, "cvt.u64.u32") == 0 || strcmp(op, "cvt.u32.u64") == 0)
        *out = (uint32_t)a;
    else if (strcmp(op, "cvta.to.global.u64") == 0 || strcmp(op, "mov.u64") == 0 ||
             strcmp(op, "mov.f64") == 0)
        *out = a;
    else if (strcmp(op, "cvt.f64.f32") == 0)
        *out = double_bits((double)as_float(a));
    else if (strcmp(op, "cvt.rn.f32.f64") == 0)
        *out = as_bits((float)as_double(a));
    else if (strcmp(op, "cvt.rni.f64.f64") == 0)
        *out = double_bits(nearbyint(as_double(a)));
    else if (strcmp(op, "add.rn.f64") == 0)
        *out = double_bits(as_double(a) + as_double(b));
    else if (strcmp(op, "mul.rn.f64") == 0)
        *out = double_bits(as_double(a) * as_double(b));
    else if (strcmp(op, "div.rn.f64") == 0)
        *out = double_bits(as_double(a) / as_double(b));
    else if (strcmp(op, "fma.rn.f64") == 0)
        *out = double_bits(fma(as_double(a), as_double(b), as_double(c)));
    else if (strcmp(op, "mad.lo.s32") == 0)
        *out = (uint32_t)((uint32_t)a * (uint32_t)b + (uint32_t)c);
    else if (strcmp(op, "mul.lo.u32") == 0)
        *out = (uint32_t)((uint32_t)a * (uint32_t)b);
    else if (strcmp(op, "mul.wide.u32") == 0)
        *out = (uint64_t)(uint32_t)a * (uint32_t)b;
    else if (strcmp(op, "add.s32") == 0)
        *out = (uint32_t)((uint32_t)a + (uint32_t)b);
    else if (strcmp(op, "add.s64") == 0)
        *out = a + b;
    else if (strcmp(op, "xor.b32") == 0)
        *out = (uint32_t)(a ^ b);
    else if (strcmp(op, "shl.b32") == 0)
        *out = b > 31 ? 0 : (uint32_t)((uint32_t)a << b);
    else if (strcmp(op, "shl.b64") == 0)
        *out = b > 63 ? 0 : a << b;
    else if (strcmp(op, "shr.u64") == 0)
        *out = b > 63 ? 0 : a >> b;
    else if (strcmp(op, "add.f32") == 0)
        *out = as_bits(as_float(a) + as_float(b));
    else if (strcmp(op, "fma.rn.f32") == 0)
        *out = as_bits(fmaf(as_float(a), as_float(b), as_float(c)));
    else
        return -1;
    return 0;
}

/* Loads, stores and atomics: 1 when it was one, -1 when it went wrong. */
static int memory(struct machine *m, struct thread *t, const struct instruction *in)
{
    const struct operand *to = &in->at[0], *from = &in->at[1];
    int shared = strstr(in->op, ".shared.") != NULL, wide = strstr(in->op, "64") != NULL;
    uint64_t value = 0;
    void *at;

    if (strncmp(in->op, "ld.param.", 9) == 0) {
        memcpy(&value, m->args[from->offset], wide ? 8 : 4);
        t->r[to->n] = value;
        return 1;
    }
    if (strncmp(in->op, "ld.", 3) == 0) {
        if (!(at = address(m, t, from, shared)))
            return -1;
        memcpy(&value, at, wide ? 8 : 4);
        t->r[to->n] = value;
        return 1;
    }
    if (strncmp(in->op, "st.", 3) == 0) {
        if (!(at = address(m, t, to, shared)))
            return -1;
        value = get(t, from);
        memcpy(at, &value, wide ? 8 : 4);
        return 1;
    }
    if (strncmp(in->op, "atom.global.", 12) == 0) {
        uint64_t old, other = get(t, &in->at[2]);
        at = address(m, t, from, 0);
        memcpy(&old, at, 8);
        value = strstr(in->op, ".add.") ? old + other : old < other ? old : other;
        memcpy(at, &value, 8);
        t->r[to->n] = old;
        return 1;
    }
    return 0;
}

/* Runs a thread to its next barrier or its end. */
static int run_thread(struct machine *m, struct thread *t)
{
    while (!t->done) {
        const struct instruction *in = &m->p->code[t->pc];
        if (t->pc >= m->p->n || ++m->steps > MAX_STEPS * 8L)
            return -1;
        t->pc++;
        if (in->predicate >= 0 && !t->r[in->predicate])
            continue;
        if (strcmp(in->op, "ret") == 0) {
            t->done = 1;
        } else if (strcmp(in->op, "bra") == 0) {
            t->pc = in->at[0].n;
        } else if (strcmp(in->op, "bar.sync") == 0) {
            return 0;
        } else if (strncmp(in->op, "wmma.", 5) == 0) {
            t->warp = in;
            return 0;
        } else if (strncmp(in->op, "setp.", 5) == 0) {
            int wide = strstr(in->op, "64") != NULL;
            uint64_t a = get(t, &in->at[1]), b = get(t, &in->at[2]);
            int is = compare(in->op + 5, wide ? a : (uint32_t)a, wide ? b : (uint32_t)b);
            if (is < 0)
                return -1;
            t->r[in->at[0].n] = (uint64_t)is;
        } else {
            int rc = memory(m, t, in);
            if (rc == 0)
                rc = compute(in->op, in->n > 1 ? get(t, &in->at[1]) : 0,
                             in->n > 2 ? get(t, &in->at[2]) : 0, in->n > 3 ? get(t, &in->at[3]) : 0,
                             &t->r[in->at[0].n]);
            if (rc < 0) {
                fprintf(stderr, "ptx: cannot run %s\n", in->op);
                return -1;
            }
        }
    }
    return 0;
}

static float half_value(uint64_t bits)
{
    unsigned h = bits & 0xffff;

    return h ? ldexpf((float)((h & 0x3ff) | 0x400), (int)(h >> 10) - 25) : 0;
}

/* Which register of which thread holds what of a tile is the hardware's affair, as the manual says;
 * here value i of a tile is in register i mod 8 of thread i / 8. */
static uint64_t *fragment(struct thread *warp, const struct operand *registers, int i)
{
    return &warp[i / 8].r[registers[i % 8].n];
}

/* Loads of fp16 tiles, the product of two with fp32 sums, stores of fp32 tiles; all by rows. */
static int run_warp(struct machine *m, struct thread *warp)
{
    const struct instruction *in = warp[0].warp;
    const struct operand *at = in->at;
    int store = strcmp(in->op, "wmma.store.d.sync.row.m16n16k16.global.f32") == 0;

    for (int i = 0; i < WARP; i++)
        if (warp[i].warp != in)
            return -1;
    if (strcmp(in->op, "wmma.mma.sync.row.row.m16n16k16.f32.f32") == 0) {
        float sums[TILE * TILE];
        for (int i = 0; i < TILE * TILE; i++) {
            sums[i] = as_float(*fragment(warp, at + 24, i));
            for (int k = 0; k < TILE; k++)
                sums[i] += half_value(*fragment(warp, at + 8, i / TILE * TILE + k)) *
                           half_value(*fragment(warp, at + 16, k * TILE + i % TILE));
        }
        for (int i = 0; i < TILE * TILE; i++)
            *fragment(warp, at, i) = as_bits(sums[i]);
        return 0;
    }
    if (!store && strcmp(in->op, "wmma.load.a.sync.row.m16n16k16.global.f16") != 0 &&
        strcmp(in->op, "wmma.load.b.sync.row.m16n16k16.global.f16") != 0)
        return -1;
    char *base = address(m, &warp[0], store ? &at[0] : &at[8], 0);
    uint64_t stride = get(&warp[0], &at[9]);
    for (int i = 0; i < TILE * TILE; i++) {
        char *value = base + ((uint64_t)(i / TILE) * stride + i % TILE) * (store ? 4 : 2);
        uint64_t *r = fragment(warp, store ? at + 1 : at, i);
        if (!store)
            *r = 0;
        memcpy(store ? (void *)value : (void *)r, store ? (void *)r : (void *)value, store ? 4 : 2);
    }
    return 0;
}

static int run_warps(struct machine *m, struct thread *threads, unsigned n)
{
    for (unsigned i = 0; i < n; i += WARP) {
        if (threads[i].warp && (i + WARP > n || run_warp(m, &threads[i])))
            return -1;
        for (unsigned k = i; k < n && k < i + WARP; k++)
            threads[k].warp = NULL;
    }
    return 0;
}

static int run_block(struct machine *m, struct thread *threads, unsigned n)
{
    unsigned left = n;

    while (left > 0) {
        left = 0;
        for (unsigned i = 0; i < n; i++) {
            if (run_thread(m, &threads[i]))
                return -1;
            left += !threads[i].done;
        }
        if (run_warps(m, threads, n)) {
            fprintf(stderr, "ptx: the threads of a warp do not do the same, or what is unknown\n");
            return -1;
        }
    }
    return 0;
}

int ptx_run(const char *text, const char *kernel, unsigned gx, unsigned gy, unsigned bx,
            unsigned by, void **args)
{
    static struct program p;
    static struct machine m;
    struct thread *threads = calloc(MAX_THREADS, sizeof *threads);
    int rc = !threads || bx * by > MAX_THREADS || parse(&p, text, kernel) ? -1 : 0;

    m.p = &p;
    m.args = args;
    m.steps = 0;
    for (unsigned block = 0; rc == 0 && block < gx * gy; block++) {
        memset(threads, 0, MAX_THREADS * sizeof *threads);
        memset(m.shared, 0xff, sizeof m.shared);
        for (unsigned i = 0; i < bx * by; i++) {
            unsigned special[] = {block % gx, block / gx, bx, by, i % bx, i / bx, gx};
            memcpy(threads[i].special, special, sizeof special);
            memset(threads[i].r, 0xff, sizeof threads[i].r);
        }
        rc = run_block(&m, threads, bx * by);
    }
    free(threads);
    return rc;
}
