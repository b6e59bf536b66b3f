/* Matching: compiles a pattern's tree to states, and follows all of them at once. */
#include "base/pattern.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/limits.h"
#include "base/text/pattern_tree.h"
#include "base/utf8.h"

enum pattern_op {
    OP_TAKE,  /* a character of `node`, then the next state */
    OP_BEGIN, /* the next state, at the beginning of the text */
    OP_END,   /* the next state, at the end of the text only */
    OP_GO,    /* the state `to` */
    OP_SPLIT, /* the state `to`, and the next one */
};

/* An instruction. The index behind the last one is the accepting state. */
struct pattern_state {
    enum pattern_op op;
    size_t to;
    const struct pattern_node *node;
};

/* ---------------------------------------------------------------- from tree to states */

struct pattern_program {
    struct pattern_state *states;
    size_t count;
};

static void emit(struct pattern_program *p, enum pattern_op op, size_t to)
{
    p->states[p->count++] = (struct pattern_state){.op = op, .to = to};
}

static void emit_node(struct pattern_program *p, const struct pattern_node *node);

/* For each part but the last: SPLIT over it, the part, GO to the end. Then the last part. */
static void emit_choice(struct pattern_program *p, const struct pattern_node *choice)
{
    size_t end = p->count + choice->states;
    for (const struct pattern_node *part = choice->parts; part; part = part->next) {
        if (part->next)
            emit(p, OP_SPLIT, p->count + part->states + 2);
        emit_node(p, part);
        if (part->next)
            emit(p, OP_GO, end);
    }
}

/*
 * Emits the part `least` times. Then, up to `most`, the part behind a SPLIT to the end; or, without
 * a maximum, a way back to the last one.
 */
static void emit_repeat(struct pattern_program *p, const struct pattern_node *repeat)
{
    size_t end = p->count + repeat->states, last = p->count;
    bool without_end = repeat->most == PATTERN_WITHOUT_END;
    if (repeat->most == 0)
        emit(p, OP_GO, end);
    for (size_t i = 0; i < repeat->least; i++) {
        last = p->count;
        emit_node(p, repeat->parts);
    }
    if (without_end && repeat->least) {
        emit(p, OP_SPLIT, last);
        return;
    }
    for (size_t i = repeat->least; i < (without_end ? 1 : repeat->most); i++) {
        emit(p, OP_SPLIT, end);
        emit_node(p, repeat->parts);
    }
    if (without_end)
        emit(p, OP_GO, last);
}

/* Emits exactly node->states states: jumps over it rely on that. */
static void emit_node(struct pattern_program *p, const struct pattern_node *node)
{
    switch (node->kind) {
    case PATTERN_CHOICE:
        emit_choice(p, node);
        break;
    case PATTERN_SEQUENCE:
        for (const struct pattern_node *part = node->parts; part; part = part->next)
            emit_node(p, part);
        if (!node->parts)
            emit(p, OP_GO, p->count + 1);
        break;
    case PATTERN_REPEAT:
        emit_repeat(p, node);
        break;
    case PATTERN_BEGIN:
        emit(p, OP_BEGIN, 0);
        break;
    case PATTERN_END:
        emit(p, OP_END, 0);
        break;
    default:
        emit(p, OP_TAKE, 0);
        p->states[p->count - 1].node = node;
    }
}

/* ---------------------------------------------------------------- following states */

/* States that take a character, in the order in which they were found. */
struct pattern_set {
    size_t *items, count;
};

struct pattern_run {
    const struct pattern_state *states;
    size_t accept; /* the state behind the last */
    size_t *seen;  /* for each state: the round in which it was last reached */
    size_t round;  /* 1 + the number of characters read */
    size_t *todo, todo_count;
    struct pattern_set now, next;
    size_t steps;
    bool at_begin, at_end; /* of the text */
};

static void reach(struct pattern_run *run, size_t state)
{
    if (run->seen[state] == run->round)
        return;
    run->seen[state] = run->round;
    run->todo[run->todo_count++] = state;
}

/* Adds a state to `next`, with all that can be reached from it without a character. */
static void follow(struct pattern_run *run, size_t state)
{
    reach(run, state);
    while (run->todo_count) {
        size_t at = run->todo[--run->todo_count];
        const struct pattern_state *reached = &run->states[at];
        run->steps++;
        if (at == run->accept)
            continue;
        if (reached->op == OP_TAKE)
            run->next.items[run->next.count++] = at;
        if (reached->op == OP_GO || reached->op == OP_SPLIT)
            reach(run, reached->to);
        if (reached->op == OP_SPLIT || (reached->op == OP_BEGIN && run->at_begin) ||
            (reached->op == OP_END && run->at_end))
            reach(run, at + 1);
    }
}

/* Whether the node takes `c`. Each range looked at is a step. */
static bool takes(struct pattern_run *run, const struct pattern_node *node, uint32_t c)
{
    run->steps++;
    if (node->kind != PATTERN_SET)
        return node->kind == PATTERN_ANY || node->character == c;
    for (size_t i = 0; i < node->range_count; i++, run->steps++)
        if (node->ranges[i].first <= c && c <= node->ranges[i].last)
            return !node->negated;
    return node->negated;
}

static void read_character(struct pattern_run *run, uint32_t c)
{
    const struct pattern_set now = run->next;
    run->next = (struct pattern_set){.items = run->now.items};
    run->now = now;
    run->round++;
    for (size_t i = 0; i < now.count; i++)
        if (takes(run, run->states[now.items[i]].node, c))
            follow(run, now.items[i] + 1);
}

/* So many of these cost as much as one step of a template. */
#define STEPS_IN_ONE 8

static int run_over(bool *out, struct pattern_run *run, struct span text, struct err *err)
{
    run->round = 1;
    run->at_begin = true;
    run->at_end = text.len == 0;
    follow(run, 0);
    for (size_t pos = 0; pos < text.len && run->next.count;) {
        uint32_t c = utf8_next(text, &pos);
        run->at_begin = false;
        run->at_end = pos == text.len;
        read_character(run, c);
        if (run->steps > LIMIT_PATTERN_STEPS)
            return err_set(err, TG_USAGE, "limit", "matching takes more than %zu steps, the limit",
                           LIMIT_PATTERN_STEPS);
    }
    *out = run->at_end && run->seen[run->accept] == run->round;
    return budget_steps(run->steps / STEPS_IN_ONE, err);
}

int pattern_check(size_t *at, struct span pattern, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct pattern_node *tree;
    return pattern_parse(&tree, at, &scratch, pattern, err);
}

int pattern_match(bool *out, struct span pattern, struct span text, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct pattern_node *tree;
    size_t at;
    if (pattern_parse(&tree, &at, &scratch, pattern, err) < 0)
        return -1;
    size_t count = tree->states + 1, each = sizeof(size_t);
    if (budget_steps(count / STEPS_IN_ONE, err) < 0)
        return -1;
    struct pattern_program program = {arena_array(&scratch, count, sizeof(*program.states)), 0};
    emit_node(&program, tree);
    struct pattern_run run = {.states = program.states,
                              .accept = program.count,
                              .seen = arena_array(&scratch, count, each),
                              .todo = arena_array(&scratch, count, each),
                              .now.items = arena_array(&scratch, count, each),
                              .next.items = arena_array(&scratch, count, each)};
    return run_over(out, &run, text, err);
}
