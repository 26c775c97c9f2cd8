// From the text of an instruction to its decoded form.
#include "decode/support.h"
#include "suite.h"
#include "program/program.h"

// ---- forms ----
// Protects the decoder's tables: every form listed in ptx/decode_forms.txt decodes to the
// operations listed there, or is refused with that message; and every operation of program/ops.def
// has at least one accepted form.

enum { LINE_BYTES = 512, TEXT_BYTES = 4096, RESULT_BYTES = 4096 };

// Some operations only targets of the family of sm_100a have.
static const char header_100[] = ".version 9.0\n.target sm_100a\n.address_size 64\n";
static const char before[] =
    ".global .align 4 .b8 table[64];\n"
    ".const .align 8 .b8 coefficients[64];\n"
    ".global .texref image;\n"
    ".extern .func (.param .b32 r) missing (.param .b32 a);\n"
    ".func (.param .b32 r) callee (.param .b32 a) { ret; }\n"
    ".func (.reg .b32 %r) plain (.reg .b32 %a) { mov.b32 %r, %a; ret; }\n"
    ".visible .entry k(.param .u64 k_param_0, .param .align 4 .b8 k_param_1[16])\n"
    "{ .reg .pred %p<5>; .reg .b16 %rs<5>; .reg .b16 %h<5>; .reg .b32 %r<9>;\n"
    ".reg .f32 %f<5>; .reg .b64 %rd<5>; .reg .f64 %fd<5>; .reg .b128 %q<2>;\n"
    ".shared .align 4 .b8 tile[128];\n"
    ".local .align 8 .b8 frame[32];\n"
    ".param .b32 argument; .param .b32 result;\n"
    "targets: .branchtargets target, other;\n"
    "prototype: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
    "target:\n";
static const char after[] = "\nother: ret;\n}\n";

static bool seen[SIM_OP_COUNT];

// What decoding gave: lines of instructions, or `! column N: message`.
static void decode_form(const char *line, char *result) {
    char text[TEXT_BYTES];
    kl_error err = {0};
    snprintf(text, sizeof text, "%s%s%s%s",
             strstr(line, "tcgen05.") || strstr(line, "clusterlaunch") ? header_100 : DECODE_HEADER,
             before, line, after);
    sim_program *program = decode_try(text, true, &err);
    result[0] = '\0';
    if (!program) {
        const char *message = strstr(err.text, "column ");
        ck_assert_msg(message, "%s: %s", line, err.text);
        snprintf(result, RESULT_BYTES, "    ! %.*s\n", (int)strcspn(message, "\n"), message);
        return;
    }
    const sim_function *function = sim_program_find(program, "k");
    ck_assert_ptr_nonnull(function);
    for (uint32_t pc = 0; pc + 1 < function->code_count; pc++) {
        size_t used = strlen(result);
        seen[function->code[pc].op] = true;
        snprintf(result + used, RESULT_BYTES - used, "    %s\n", decode_print(function, pc));
    }
    sim_program_free(program);
}

KL_TEST(forms) {
    FILE *file = fopen(TEST_GOLDEN "/decode_forms.txt", "r");
    ck_assert_msg(file, "cannot open " TEST_GOLDEN "/decode_forms.txt");
    char line[LINE_BYTES], form[LINE_BYTES] = "", wanted[RESULT_BYTES] = "", found[RESULT_BYTES];
    int count = 0, wrong = 0;
    for (bool more = true; more;) {
        more = fgets(line, sizeof line, file);
        if (more && strncmp(line, "    ", 4) == 0) {
            strncat(wanted, line, sizeof wanted - strlen(wanted) - 1);
            continue;
        }
        if (form[0]) {
            decode_form(form, found);
            count++;
            if (strcmp(found, wanted) != 0) {
                wrong++;
                printf("%s\n  wanted\n%s  found\n%s", form, wanted, found);
            }
        }
        wanted[0] = form[0] = '\0';
        if (!more || line[0] == '#') continue;
        char *result = strstr(line, " => "), *end = result ? result : strchr(line, '\n');
        if (result) snprintf(wanted, sizeof wanted, "    %s", result + 4);
        if (end) *end = '\0';
        strcpy(form, line);
    }
    fclose(file);
    fflush(stdout);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_gt(count, 250);
    for (int op = 0; op < SIM_OP_COUNT; op++)
        ck_assert_msg(seen[op], "no accepted form of %s in " TEST_GOLDEN "/decode_forms.txt",
                      sim_op_name((sim_op)op));
}

// ---- ptxas ----
// Protects that what ptxas takes is taken, and what it refuses is refused (golden/ptxas.txt).

enum { PTXAS_BYTES = 16384 };

// The text of a line: behind the declarations, or a module of its own.
static void ptxas_text(const char *header, const char *module, const char *body, const char *line,
                       char *out) {
    bool whole = strncmp(line, "W:", 2) == 0, scope = strncmp(line, "M:", 2) == 0;
    const char *text = whole || scope ? line + 2 : line;
    char *end = out + snprintf(out, PTXAS_BYTES, "%s", whole ? "" : header);
    if (!whole && !scope)
        end += snprintf(end, PTXAS_BYTES / 2, "%s.visible .entry k(.param .u64 p)\n{\n%s", module,
                        body);
    for (; *text; text++) {
        bool breaks = text[0] == '\\' && text[1] == 'n';
        *end++ = breaks ? '\n' : *text;
        text += breaks;
    }
    strcpy(end, whole || scope ? "\n" : "\nM: ret;\n}\n");
}

KL_TEST(what_ptxas_takes_and_refuses) {
    char *table = decode_read_file(TEST_GOLDEN "/ptxas.txt");
    char module[PTXAS_BYTES / 8] = "", body[PTXAS_BYTES / 8] = "", header[128] = "";
    static char text[PTXAS_BYTES];
    int wrong = 0, taken = 0, refused = 0;
    for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
        char version[16], target[16];
        if (strncmp(line, "> ", 2) == 0) strcat(strcat(module, line + 2), "\n");
        if (strncmp(line, ">> ", 3) == 0) strcat(strcat(body, line + 3), "\n");
        if (sscanf(line, "= %15s %15s", version, target) == 2)
            snprintf(header, sizeof header, ".version %s\n.target %s\n.address_size 64\n", version,
                     target);
        if (line[0] != '+' && line[0] != '-') continue;
        ck_assert_uint_lt(strlen(line), PTXAS_BYTES / 4);
        char one[PTXAS_BYTES / 4], *last = line + 2; // of the forms that share its operands
        for (char *at = last; (at = strstr(at, " & "));) last = at += 3;
        const char *operands = strchr(last, ' ');
        for (char *form = line + 2, *next; form; form = next) {
            next = form < last ? strstr(form, " & ") + 3 : NULL;
            if (next) snprintf(one, sizeof one, "%.*s%s", (int)(next - 3 - form), form, operands);
            else snprintf(one, sizeof one, "%s", form);
            kl_error err = {0};
            ptxas_text(header, module, body, one, text);
            sim_program *program = decode_try(text, false, &err);
            if ((program != NULL) != (line[0] == '+')) {
                printf("%c %s\n    %s\n", line[0], one, program ? "is taken" : err.text);
                wrong++;
            }
            if (!program) ck_assert_msg(strstr(err.text, "line "), "%s: %s", one, err.text);
            taken += program != NULL;
            refused += program == NULL;
            sim_program_free(program);
        }
    }
    free(table);
    fflush(stdout);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_gt(taken, 300);
    ck_assert_int_gt(refused, 200);
}

// ---- golden ----
// Protects the whole decoded form of two PTX files (golden dumps ptx/*.ops; `sim-dump ops` prints a
// new one), and the decoder against damaged PTX: any answer will do but a
// crash.

enum { ROUNDS = 4000, MAX_LINES = 512 };

static const char *const dumps[][2] = {
    {TEST_GOLDEN "/decode_kernels.ptx", TEST_GOLDEN "/decode_kernels.ops"},
    {TEST_GOLDEN "/odd_even.ptx", TEST_GOLDEN "/odd_even.ops"}, // shown in docs/simulator.md
};

KL_TEST_ROWS(golden_dump, sizeof dumps / sizeof *dumps) {
    char *text = decode_read_file(dumps[_i][0]);
    char *wanted = decode_read_file(dumps[_i][1]), *found = NULL;
    size_t bytes = 0;
    sim_program *program = decode_text(text);
    FILE *out = open_memstream(&found, &bytes);
    ck_assert_ptr_nonnull(out);
    sim_program_print(program, out);
    fclose(out);
    const char *a = wanted, *b = found;
    for (int line = 1; *a || *b; line++) {
        size_t a_bytes = strcspn(a, "\n"), b_bytes = strcspn(b, "\n");
        if (a_bytes != b_bytes || strncmp(a, b, a_bytes) != 0)
            ck_abort_msg("line %d is '%.*s', wanted '%.*s'", line, (int)b_bytes, b, (int)a_bytes,
                         a);
        a += a_bytes + (a[a_bytes] == '\n');
        b += b_bytes + (b[b_bytes] == '\n');
    }
    free(text);
    free(wanted);
    free(found);
}

static uint32_t pick(uint64_t *state, uint32_t count) {
    return (uint32_t)(random_bits(state) >> 33) % count;
}

// A text made of the lines of another, one or two of them changed.
static void damage(char *out, char *const *lines, uint32_t count, uint64_t *state) {
    uint32_t kind = pick(state, 5), victim = pick(state, count), other = pick(state, count);
    char *end = out;
    for (uint32_t i = 0; i < count; i++) {
        const char *line = lines[i];
        if (i == victim && kind == 0) continue;
        if (i == victim && kind == 1) line = lines[other];
        if (i == victim && kind == 2) end += sprintf(end, "%s\n", lines[other]);
        char *start = end;
        end += sprintf(end, "%s\n", line);
        size_t bytes = strlen(line);
        if (i != victim || bytes < 2) continue;
        if (kind == 3) start[pick(state, (uint32_t)bytes)] = (char)(33 + pick(state, 94));
        // A word of another line in place of this one's rest.
        if (kind == 4) {
            end = start + pick(state, (uint32_t)bytes);
            const char *tail = lines[other] + pick(state, (uint32_t)strlen(lines[other]) + 1);
            end += sprintf(end, "%s\n", tail);
        }
    }
    *end = '\0';
}

KL_TEST(damaged_text) {
    char *text = decode_read_file(TEST_GOLDEN "/decode_kernels.ptx");
    char *lines[MAX_LINES], *out = malloc(strlen(text) * 2 + 4096);
    uint32_t count = 0, accepted = 0;
    uint64_t state = 7;
    ck_assert_ptr_nonnull(out);
    for (char *line = strtok(text, "\n"); line && count < MAX_LINES; line = strtok(NULL, "\n"))
        lines[count++] = line;
    for (int i = 0; i < ROUNDS; i++) {
        kl_error err = {0};
        damage(out, lines, count, &state);
        sim_program *program = decode_try(out, i % 2, &err);
        if (program) accepted++;
        else if (err.status == SIM_OK || err.status == SIM_INTERNAL || !err.text[0])
            ck_abort_msg("refused without a reason:\n%s", out);
        sim_program_free(program);
    }
    ck_assert_uint_gt(accepted, ROUNDS / 20); // damage that is too plain tests the parser alone
    ck_assert_uint_lt(accepted, ROUNDS);
    free(text);
    free(out);
}

// ---- addresses ----
// Protects the numbers of addresses (decode/internal.h): which loads of a block are said to have
// addresses of the same shape, and which of these shapes outlast a pass of their loop.

enum { MAX_LOADS = 8, TEXT_BYTES_ADDRESSES = 4096 };

typedef struct loads {
    const sim_instr *at[MAX_LOADS]; // in the order of the text, those of parameters left out
    uint32_t count;
} loads;

// %rd1: an address for each lane; %rd2: a length in common; %rd3: a length for each lane.
static loads loads_of(const char *body) {
    char text[TEXT_BYTES_ADDRESSES];
    loads out = {0};
    snprintf(text, sizeof text,
             DECODE_HEADER
             ".entry k(.param .u64 p, .param .u32 n) {\n.reg .pred %%p<4>;\n.reg .b32 %%r<9>;\n"
             ".reg .b64 %%rd<16>;\nld.param.u64 %%rd0, [p];\nld.param.u32 %%r0, [n];\n"
             "mov.u32 %%r1, %%tid.x;\nmul.wide.s32 %%rd3, %%r1, 4;\nadd.s64 %%rd1, %%rd0, %%rd3;\n"
             "mul.wide.s32 %%rd2, %%r0, 4;\nsetp.eq.s32 %%p1, %%r1, 3;\n%s\nret;\n}\n",
             body);
    const sim_program *program = decode_text(text);
    const sim_function *function = &program->functions[0];
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (instr->op != SIM_OP_LD || instr->space == PTX_SPACE_PARAM) continue;
        ck_assert_uint_lt(out.count, MAX_LOADS);
        out.at[out.count++] = instr;
    }
    return out;
}
#define LOAD(address) "ld.global.u32 %r2, [" address "];\n"

// Whether the first two loads have addresses of one shape.
static bool are_alike(const char *body) {
    loads found = loads_of(body);
    ck_assert_uint_ge(found.count, 2);
    ck_assert_uint_ne(found.at[0]->shape, 0);
    return found.at[0]->shape == found.at[1]->shape;
}
// Whether the shape of the first load stays from pass to pass.
static bool stays(const char *body) {
    loads found = loads_of(body);
    ck_assert_uint_ge(found.count, 1);
    return found.at[0]->shape & SIM_SHAPE_STAYS;
}

KL_TEST(what_all_threads_have_in_common_keeps_a_shape) {
    ck_assert(are_alike(LOAD("%rd1") LOAD("%rd1+8")));
    ck_assert(are_alike("add.s64 %rd4, %rd1, %rd2;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(are_alike("add.s64 %rd4, %rd2, %rd1;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(are_alike("sub.s64 %rd4, %rd1, %rd2;\n" LOAD("%rd4") LOAD("%rd1")));
    ck_assert(
        are_alike("add.s64 %rd4, %rd1, 16;\nmov.u64 %rd5, %rd4;\n" LOAD("%rd1") LOAD("%rd5")));
    ck_assert(are_alike("mov.u32 %r4, %ctaid.x;\nmul.wide.u32 %rd5, %r4, 64;\n"
                        "add.s64 %rd4, %rd1, %rd5;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(are_alike(LOAD("%rd1") "add.s64 %rd1, %rd1, %rd2;\n" LOAD("%rd1")));
}

KL_TEST(what_lanes_have_of_their_own_does_not) {
    ck_assert(!are_alike("add.s64 %rd4, %rd1, %rd3;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(!are_alike("cvt.u64.u32 %rd5, %r1;\nadd.s64 %rd4, %rd1, %rd5;\n" LOAD("%rd1")
                             LOAD("%rd4")));
    ck_assert(!are_alike("sub.s64 %rd4, %rd2, %rd1;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(!are_alike("mul.lo.s64 %rd4, %rd1, %rd2;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(
        !are_alike("mov.u64 %rd4, 0;\n@%p1 add.s64 %rd4, %rd1, 16;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(!are_alike(LOAD("%rd1") "@%p1 add.s64 %rd1, %rd1, %rd2;\n" LOAD("%rd1")));
    ck_assert(!are_alike("ld.shared.u64 %rd5, [%r1];\nadd.s64 %rd4, %rd1, %rd5;\n" LOAD("%rd4")));
}

// A register that is written twice, or that some lanes come to without writing it.
KL_TEST(a_register_may_be_common_in_one_place_alone) {
    ck_assert(!are_alike(
        "mov.u64 %rd5, 4;\n@%p1 mov.u64 %rd5, 8;\nadd.s64 %rd4, %rd1, %rd5;\n" LOAD("%rd1")
            LOAD("%rd4")));
    ck_assert(!are_alike("mov.u64 %rd5, 4;\n@%p1 bra L;\nmov.u64 %rd5, 8;\nL:\n"
                         "add.s64 %rd4, %rd1, %rd5;\n" LOAD("%rd1") LOAD("%rd4")));
    ck_assert(!are_alike("@%p1 bra L;\nmov.u64 %rd5, 4;\nL:\nadd.s64 %rd4, %rd1, %rd5;\n" LOAD(
        "%rd1") LOAD("%rd4")));
    ck_assert(
        !are_alike("@%p1 mov.u64 %rd5, 4;\nadd.s64 %rd4, %rd1, %rd5;\n" LOAD("%rd1") LOAD("%rd4")));
}

// Threads come to a label from elsewhere, with other values.
KL_TEST(a_shape_ends_with_its_block) {
    ck_assert(!are_alike(LOAD("%rd1") "L:\n" LOAD("%rd1") "@%p1 bra L;\n"));
    ck_assert(!are_alike("add.s64 %rd4, %rd1, 4;\nL:\n" LOAD("%rd1")
                             LOAD("%rd4") "add.s64 %rd1, %rd1, %rd3;\n@%p1 bra L;\n"));
    ck_assert(!are_alike("add.s64 %rd4, %rd1, 4;\n" LOAD("%rd1") "@%p1 bra L;\nL:\n" LOAD("%rd4")));
}

KL_TEST(a_loop_steps_its_pointers) {
    ck_assert(stays("L:\n" LOAD("%rd1") "add.s64 %rd1, %rd1, %rd2;\n@%p1 bra L;\n"));
    ck_assert(stays("L:\n" LOAD("%rd1") "@%p1 bra L;\n"));
    ck_assert(stays("L:\nadd.s64 %rd4, %rd1, %rd2;\n" LOAD("%rd4") "add.s64 %rd1, %rd4, 8;\n"
                                                                   "@%p1 bra L;\n"));
    ck_assert(!stays(LOAD("%rd1") "add.s64 %rd1, %rd1, %rd2;\n"));
    ck_assert(!stays("L:\n" LOAD("%rd1") "add.s64 %rd1, %rd1, %rd3;\n@%p1 bra L;\n"));
    ck_assert(!stays("L:\nadd.s64 %rd4, %rd1, %rd3;\n" LOAD("%rd4") "@%p1 bra L;\n"));
    ck_assert(!stays("L:\n" LOAD("%rd1") "@%p1 bra M;\nM:\nadd.s64 %rd1, %rd1, 8;\n@%p1 bra L;\n"));
    // Two pointers that change places have each other's shape.
    ck_assert(!stays("mov.u64 %rd6, %rd3;\nL:\n" LOAD(
        "%rd1") "mov.u64 %rd4, %rd1;\n"
                "mov.u64 %rd1, %rd6;\nmov.u64 %rd6, %rd4;\n@%p1 bra L;\n"));
}

// ---- cfg ----
// Protects immediate post-dominators and reconvergence points: classic graphs by hand, random
// graphs against a definition that needs no cleverness, and PTX for what leaves a function early.

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

KL_TEST(if_then) {
    static const edge edges[] = {{0, 1}, {0, 2}, {1, 2}, {2, 3}};
    CHECK_IPDOM(3, edges, 2, 2, 3);
}

KL_TEST(if_else) {
    static const edge edges[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}};
    CHECK_IPDOM(4, edges, 3, 3, 3, 4);
}

KL_TEST(nested) {
    // 0: if { 1: if { 2 } else { 3 } 4 } 5
    static const edge edges[] = {{0, 1}, {0, 5}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 5}, {5, 6}};
    CHECK_IPDOM(6, edges, 5, 4, 4, 4, 5, 6);
}

KL_TEST(loop_with_break) {
    // 0; do { 1: if break; 2 } while; 3
    static const edge edges[] = {{0, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 3}, {3, 4}};
    CHECK_IPDOM(4, edges, 1, 3, 3, 4);
}

KL_TEST(switch_with_fall_through) {
    // 0: switch; case 1 falls into 2; 3 breaks; all meet in 4
    static const edge edges[] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {2, 4}, {3, 4}, {4, 5}};
    CHECK_IPDOM(5, edges, 4, 2, 4, 4, 5);
}

KL_TEST(two_exits) {
    // 0: if { 1: return } else { 2: return }
    static const edge edges[] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}};
    CHECK_IPDOM(3, edges, 3, 3, 3);
}

KL_TEST(endless_loop) {
    // 0; for (;;) { 1: if { 2 } else { 3 } 4 }
    static const edge edges[] = {{0, 1}, {1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}};
    CHECK_IPDOM(5, edges, 1, 4, 4, 4, 5);
}

KL_TEST(endless_loop_beside_an_exit) {
    // 0: if { for (;;) 1 } else { 2: return }
    static const edge edges[] = {{0, 1}, {0, 2}, {1, 1}, {2, 3}};
    CHECK_IPDOM(3, edges, 3, 3, 3);
}

KL_TEST(unreachable_code) {
    // 1 is never reached, and jumps into the middle
    static const edge edges[] = {{0, 2}, {1, 3}, {2, 3}, {3, 4}};
    CHECK_IPDOM(4, edges, 2, 3, 3, 4);
}

KL_TEST(unreachable_endless_loop) {
    static const edge edges[] = {{0, 1}, {1, 4}, {2, 3}, {3, 2}};
    CHECK_IPDOM(4, edges, 1, 4, 3, 4);
}

KL_TEST(irreducible) {
    // two entries into the loop 1 <-> 2
    static const edge edges[] = {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {1, 3}, {2, 3}, {3, 4}};
    CHECK_IPDOM(4, edges, 3, 3, 3, 4);
}

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

KL_TEST(random_graphs) {
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
}

KL_TEST(branches_meet_after_if_else) {
    check_reconvergence(KERNEL("@%p1 bra A;\n mov.u32 %r1, 1;\n bra B;\n A: mov.u32 %r1, 2;\n"
                               "B: mov.u32 %r2, %r1;\n ret;"),
                        0, 4);
}

KL_TEST(early_return_does_not_hold_up_the_rest) {
    // if (p1) return; ... if (p2) { } ... : those that stay go on together
    check_reconvergence(KERNEL("@%p1 bra OUT;\n mov.u32 %r1, 1;\n bar.sync 0;\n OUT: ret;"), 0, 1);
    check_reconvergence(KERNEL("@%p1 bra A;\n @%p2 ret;\n mov.u32 %r1, 1;\n A: bar.sync 0;\n ret;"),
                        0, 3);
    check_reconvergence(KERNEL("@%p1 bra A;\n mov.u32 %r1, 1;\n trap;\n A: bar.sync 0;\n ret;"), 0,
                        3);
}

KL_TEST(loop_exits_meet_after_the_loop) {
    check_reconvergence(KERNEL("A: add.u32 %r1, %r1, 1;\n setp.lt.u32 %p1, %r1, 9;\n @%p1 bra A;\n"
                               "ret;"),
                        2, 3);
    // while (1) { if (p1) break; ... } ret
    check_reconvergence(KERNEL("A: @%p1 bra B;\n add.u32 %r1, %r1, 1;\n bra A;\n"
                               "B: mov.u32 %r2, 1;\n ret;"),
                        0, 3);
}

KL_TEST(table_branches_meet_after_the_switch) {
    check_reconvergence(KERNEL("T: .branchtargets A, B, C;\n brx.idx %r1, T;\n"
                               "A: mov.u32 %r2, 1;\n bra C;\n B: mov.u32 %r2, 2;\n bra C;\n"
                               "C: mov.u32 %r3, %r2;\n ret;"),
                        0, 5);
}

KL_TEST(a_long_chain_of_blocks) {
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
    free(text);
}

KL_TEST_MAIN("text")
