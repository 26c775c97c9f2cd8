// SPDX-License-Identifier: MIT
// Protects immediate post-dominators and reconvergence points: classic graphs by hand, random
// graphs against a definition that needs no cleverness, and PTX for what leaves a function early.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "program/program.h"
#include "decode/support.h"
#include "suite.h"

enum { MAX_NODES = 24, MAX_EDGES = 96, END = MAX_NODES + 1, ARENA_BYTES = 1 << 24 };

typedef struct edge {
    uint32_t from, to;
} edge;

typedef struct test_graph {
    sim_graph graph;
    uint32_t first[MAX_NODES + 1], targets[MAX_EDGES];
} test_graph;

static void make_graph(test_graph *test, uint32_t count, const edge *edges, uint32_t edge_count) {
    uint32_t used = 0;
    for (uint32_t n = 0; n < count; n++) {
        test->first[n] = used;
        for (uint32_t i = 0; i < edge_count; i++)
            if (edges[i].from == n) test->targets[used++] = edges[i].to;
    }
    test->first[count] = used;
    test->graph = (sim_graph){count, test->first, test->targets};
}

static void check_ipdom(uint32_t count, const edge *edges, uint32_t edge_count,
                        const uint32_t *wanted) {
    test_graph test;
    uint32_t found[MAX_NODES];
    make_graph(&test, count, edges, edge_count);
    sim_arena *arena = sim_arena_new(ARENA_BYTES);
    ck_assert(sim_graph_ipdom(arena, &test.graph, found));
    for (uint32_t n = 0; n < count; n++)
        ck_assert_msg(found[n] == wanted[n], "node %u: %u, wanted %u", n, found[n], wanted[n]);
    sim_arena_free(arena);
}
#define CHECK_IPDOM(count, edges, ...)                                                             \
    do {                                                                                           \
        const uint32_t wanted_[] = {__VA_ARGS__};                                                  \
        ck_assert_uint_eq(sizeof wanted_ / sizeof wanted_[0], (count));                            \
        check_ipdom(count, edges, sizeof edges / sizeof edges[0], wanted_);                        \
    } while (0)

START_TEST(if_then) {
    static const edge edges[] = {{0, 1}, {0, 2}, {1, 2}, {2, 3}};
    CHECK_IPDOM(3, edges, 2, 2, 3);
}
END_TEST

START_TEST(if_else) {
    static const edge edges[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}};
    CHECK_IPDOM(4, edges, 3, 3, 3, 4);
}
END_TEST

START_TEST(nested) {
    // 0: if { 1: if { 2 } else { 3 } 4 } 5
    static const edge edges[] = {{0, 1}, {0, 5}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}, {5, 6}};
    CHECK_IPDOM(6, edges, 5, 4, 4, 4, 5, 6);
}
END_TEST

START_TEST(loop_with_break) {
    // 0; do { 1: if break; 2 } while; 3
    static const edge edges[] = {{0, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 3}, {3, 4}};
    CHECK_IPDOM(4, edges, 1, 3, 3, 4);
}
END_TEST

START_TEST(switch_with_fall_through) {
    // 0: switch; case 1 falls into 2; 3 breaks; all meet in 4
    static const edge edges[] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {2, 4}, {3, 4}, {4, 5}};
    CHECK_IPDOM(5, edges, 4, 2, 4, 4, 5);
}
END_TEST

START_TEST(two_exits) {
    // 0: if { 1: return } else { 2: return }
    static const edge edges[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
    CHECK_IPDOM(3, edges, 3, 3, 3);
}
END_TEST

START_TEST(endless_loop) {
    // 0; for (;;) { 1: if { 2 } else { 3 } 4 }
    static const edge edges[] = {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}};
    CHECK_IPDOM(5, edges, 1, 4, 4, 4, 5);
}
END_TEST

START_TEST(endless_loop_beside_an_exit) {
    // 0: if { for (;;) 1 } else { 2: return }
    static const edge edges[] = {{0, 1}, {0, 2}, {1, 1}, {2, 3}};
    CHECK_IPDOM(3, edges, 3, 3, 3);
}
END_TEST

START_TEST(unreachable_code) {
    // 1 is never reached, and jumps into the middle
    static const edge edges[] = {{0, 2}, {1, 3}, {2, 3}, {3, 4}};
    CHECK_IPDOM(4, edges, 2, 3, 3, 4);
}
END_TEST

START_TEST(unreachable_endless_loop) {
    static const edge edges[] = {{0, 1}, {1, 4}, {2, 3}, {3, 2}};
    CHECK_IPDOM(4, edges, 1, 4, 3, 4);
}
END_TEST

START_TEST(irreducible) {
    // two entries into the loop 1 <-> 2
    static const edge edges[] = {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {1, 3}, {2, 3}, {3, 4}};
    CHECK_IPDOM(4, edges, 3, 3, 3, 4);
}
END_TEST

// ---- Random graphs ------------------------------------------------------------------------------

// Can the exit be reached from `from` without passing `avoid`?
static bool reaches_exit(const sim_graph *graph, uint32_t from, uint32_t avoid) {
    bool seen[MAX_NODES + 1] = {false};
    uint32_t stack[MAX_NODES + 1], depth = 0;
    if (from == avoid) return false;
    stack[depth++] = from;
    seen[from] = true;
    while (depth > 0) {
        uint32_t node = stack[--depth];
        if (node == graph->count) return true;
        for (uint32_t i = graph->first[node]; i < graph->first[node + 1]; i++) {
            uint32_t target = graph->targets[i];
            if (target == avoid || seen[target]) continue;
            seen[target] = true;
            stack[depth++] = target;
        }
    }
    return false;
}

static bool post_dominates(const sim_graph *graph, uint32_t node, uint32_t of) {
    return node != of && !reaches_exit(graph, of, node);
}

// By definition: the post-dominator that every other post-dominator post-dominates.
static uint32_t slow_ipdom(const sim_graph *graph, uint32_t of) {
    for (uint32_t n = 0; n < graph->count; n++) {
        if (!post_dominates(graph, n, of)) continue;
        bool nearest = true;
        for (uint32_t m = 0; m < graph->count && nearest; m++)
            if (m != n && post_dominates(graph, m, of) && !post_dominates(graph, m, n))
                nearest = false;
        if (nearest) return n;
    }
    return graph->count;
}

START_TEST(random_graphs) {
    uint64_t state = 20240607;
    sim_arena *arena = sim_arena_new((size_t)1 << 30);
    for (int round = 0; round < 5000; round++) {
        test_graph test;
        edge edges[MAX_EDGES];
        uint32_t count = 2 + (uint32_t)(random_bits(&state) >> 33) % (MAX_NODES - 2);
        uint32_t edge_count = 0, found[MAX_NODES];
        for (uint32_t n = 0; n < count; n++)
            for (uint32_t k = 0; k < 1 + (random_bits(&state) >> 33) % 3; k++)
                edges[edge_count++] =
                    (edge){n, (uint32_t)(random_bits(&state) >> 33) % (count + 1)};
        make_graph(&test, count, edges, edge_count);
        bool all_reach = true;
        for (uint32_t n = 0; n < count; n++)
            all_reach = all_reach && reaches_exit(&test.graph, n, END);
        ck_assert(sim_graph_ipdom(arena, &test.graph, found));
        for (uint32_t n = 0; n < count; n++) {
            ck_assert_uint_le(found[n], count);
            if (all_reach) ck_assert_uint_eq(found[n], slow_ipdom(&test.graph, n));
        }
    }
    sim_arena_free(arena);
}
END_TEST

// ---- Reconvergence in code ----------------------------------------------------------------------

#define KERNEL(body)                                                                               \
    DECODE_HEADER ".visible .entry k() { .reg .pred %p<4>; .reg .b32 %r<4>;\n" body "}\n"

static void check_reconvergence(const char *text, uint32_t pc, uint32_t wanted) {
    sim_program *program = decode_text(text);
    const sim_function *function = sim_program_find(program, "k");
    ck_assert_uint_lt(pc, function->code_count);
    const sim_instr *instr = &function->code[pc];
    ck_assert(instr->op == SIM_OP_BRA || instr->op == SIM_OP_BRX);
    ck_assert_msg(instr->reconverge == wanted, "%s, wanted %u", decode_print(function, pc), wanted);
    sim_program_free(program);
}

START_TEST(branches_meet_after_if_else) {
    check_reconvergence(KERNEL("@%p1 bra A;\n mov.u32 %r1, 1;\n bra B;\n A: mov.u32 %r1, 2;\n"
                               "B: mov.u32 %r2, %r1;\n ret;"),
                        0, 4);
}
END_TEST

START_TEST(early_return_does_not_hold_up_the_rest) {
    // if (p1) return; ... if (p2) { } ... : those that stay go on together
    check_reconvergence(KERNEL("@%p1 bra OUT;\n mov.u32 %r1, 1;\n bar.sync 0;\n OUT: ret;"), 0, 1);
    check_reconvergence(KERNEL("@%p1 bra A;\n @%p2 ret;\n mov.u32 %r1, 1;\n A: bar.sync 0;\n ret;"),
                        0, 3);
    check_reconvergence(KERNEL("@%p1 bra A;\n mov.u32 %r1, 1;\n trap;\n A: bar.sync 0;\n ret;"), 0,
                        3);
}
END_TEST

START_TEST(loop_exits_meet_after_the_loop) {
    check_reconvergence(KERNEL("A: add.u32 %r1, %r1, 1;\n setp.lt.u32 %p1, %r1, 9;\n @%p1 bra A;\n"
                               "ret;"),
                        2, 3);
    // while (1) { if (p1) break; ... } ret
    check_reconvergence(KERNEL("A: @%p1 bra B;\n add.u32 %r1, %r1, 1;\n bra A;\n"
                               "B: mov.u32 %r2, 1;\n ret;"),
                        0, 3);
}
END_TEST

START_TEST(table_branches_meet_after_the_switch) {
    check_reconvergence(KERNEL("T: .branchtargets A, B, C;\n brx.idx %r1, T;\n"
                               "A: mov.u32 %r2, 1;\n bra C;\n B: mov.u32 %r2, 2;\n bra C;\n"
                               "C: mov.u32 %r3, %r2;\n ret;"),
                        0, 5);
}
END_TEST

START_TEST(a_long_chain_of_blocks) {
    enum { BLOCKS = 20000 };
    size_t bytes = 200 + BLOCKS * 64;
    char *text = malloc(bytes);
    size_t used = (size_t)snprintf(
        text, bytes, DECODE_HEADER ".entry k() { .reg .pred %%p<4>; .reg .b32 %%r<4>;\n");
    for (int i = 0; i < BLOCKS; i++)
        used += (size_t)snprintf(text + used, bytes - used,
                                 "@%%p1 bra L%d;\n add.u32 %%r1, %%r1, 1;\nL%d:\n", i, i);
    snprintf(text + used, bytes - used, "ret; }\n");
    sim_program *program = decode_text(text);
    const sim_function *function = sim_program_find(program, "k");
    for (int i = 0; i < BLOCKS - 1; i++)
        ck_assert_uint_eq(function->code[2 * i].reconverge, 2 * i + 2);
    sim_program_free(program);
    free(text);
}
END_TEST

KL_TEST_MAIN("decode_cfg", if_then, if_else, nested, loop_with_break, switch_with_fall_through,
             two_exits, endless_loop, endless_loop_beside_an_exit, unreachable_code,
             unreachable_endless_loop, irreducible, random_graphs, branches_meet_after_if_else,
             early_return_does_not_hold_up_the_rest, loop_exits_meet_after_the_loop,
             table_branches_meet_after_the_switch, a_long_chain_of_blocks)
