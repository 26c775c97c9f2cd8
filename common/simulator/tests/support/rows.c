// See exec_rows.h.
#include "support/run.h"

#include "suite.h"

#include "ops/ops.h"

enum { LANES = 32, ROW_BYTES = 8 * EXEC_ROW_OPERANDS };

typedef struct shape_kind {
    char letter;
    const char *reg, *load, *store;
    uint64_t mask;
} shape_kind;

static const shape_kind kinds[] = {
    {'h', ".b16", "ld.global.b16", "st.global.b16", 0xFFFF},
    {'r', ".b32", "ld.global.b32", "st.global.b32", 0xFFFFFFFF},
    {'l', ".b64", "ld.global.b64", "st.global.b64", UINT64_MAX},
    {'f', ".f32", "ld.global.f32", "st.global.f32", 0xFFFFFFFF},
    {'g', ".f64", "ld.global.f64", "st.global.f64", UINT64_MAX},
    {'p', ".pred", NULL, NULL, 1},
};

static const shape_kind *kind_of(char letter) {
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (kinds[i].letter == letter) return &kinds[i];
    ck_abort_msg("no shape letter %c", letter);
}

// A kernel whose thread t applies the instruction to row t, for t < count.
static void write_kernel(const char *instruction, const char *shape, char *text, size_t bytes) {
    static const char names[] = "dabce";
    size_t used = 0;
#define SAY(...) used += (size_t)snprintf(text + used, bytes - used, __VA_ARGS__)
    SAY(".version 9.5\n.target sm_90\n.address_size 64\n"
        ".visible .entry rows(.param .u64 in, .param .u64 out, .param .u32 count)\n{\n"
        ".reg .pred outside;\n.reg .b32 tid, n, word;\n.reg .b64 from, to, step;\n");
    for (size_t i = 0; shape[i]; i++) SAY(".reg %s %c;\n", kind_of(shape[i])->reg, names[i]);
    SAY("mov.u32 tid, %%tid.x;\nld.param.u32 n, [count];\nsetp.ge.u32 outside, tid, n;\n"
        "@outside exit;\n"
        "ld.param.u64 from, [in];\nmul.wide.u32 step, tid, %d;\nadd.u64 from, from, step;\n"
        "ld.param.u64 to, [out];\nmul.wide.u32 step, tid, 8;\nadd.u64 to, to, step;\n",
        ROW_BYTES);
    for (size_t i = 1; shape[i]; i++) {
        const shape_kind *kind = kind_of(shape[i]);
        if (kind->load) SAY("%s %c, [from+%zu];\n", kind->load, names[i], 8 * (i - 1));
        else
            SAY("ld.global.b32 word, [from+%zu];\nsetp.ne.u32 %c, word, 0;\n", 8 * (i - 1),
                names[i]);
    }
    SAY("%s", instruction);
    for (size_t i = 0; shape[i] && !strchr(instruction, ';'); i++)
        SAY("%s %c", i ? "," : "", names[i]);
    SAY("%s\n", strchr(instruction, ';') ? "" : ";");
    const shape_kind *kind = kind_of(shape[0]);
    if (kind->store) SAY("%s [to], d;\n", kind->store);
    else SAY("selp.b32 word, 1, 0, d;\nst.global.b32 [to], word;\n");
    SAY("ret;\n}\n");
    ck_assert_uint_lt(used, bytes);
#undef SAY
}

void exec_run_rows(const char *instruction, const char *shape, const exec_row *rows, uint32_t count,
                   int variant, int full, uint64_t *results) {
    char text[4096];
    uint64_t in[LANES][EXEC_ROW_OPERANDS], out[LANES] = {0};
    uint32_t lanes = full ? LANES : count;
    ck_assert_uint_ge(count, 1);
    ck_assert_uint_le(count, LANES);
    write_kernel(instruction, shape, text, sizeof text);
    exec_rig *rig = exec_open(text, 1);
    const sim_exec_table *tables[] = {&sim_exec_table_base, &sim_exec_table_v3};
    kl_error err = {0};
    OK_OR_SAY(sim_program_bind_table(rig->program, tables[variant], &err), err);
    for (uint32_t i = 0; i < LANES; i++) memcpy(in[i], rows[i % count].in, sizeof in[i]);
    uint64_t d_in = exec_alloc(rig, sizeof in, in), d_out = exec_alloc(rig, sizeof out, out);
    EXEC_RUN(rig, "rows", EXEC_DIM(1), EXEC_DIM(LANES), 0, &d_in, &d_out, &lanes, NULL);
    exec_read(rig, d_out, out, sizeof out);
    for (uint32_t i = 0; i < count; i++) results[i] = out[i] & kind_of(shape[0])->mask;
    for (uint32_t i = count; i < LANES && full; i++)
        ck_assert_msg(out[i] == out[i % count], "%s: lane %u differs from lane %u", instruction, i,
                      i % count);
    exec_close(rig);
}

static int variants_here(void) {
    ck_assert(&sim_exec_table_base);
#if defined(__x86_64__) && !defined(LADDER_SANITIZED)
    ck_assert(&sim_exec_table_v3); // sanitizer builds have one
#endif
    return sim_exec_table_for_host() == &sim_exec_table_v3 ? 2 : 1;
}

void exec_check_rows(const char *instruction, const char *shape, const exec_row *rows,
                     uint32_t count) {
    uint64_t results[LANES];
    for (int variant = 0; variant < variants_here(); variant++) {
        for (int full = 0; full < 2; full++) {
            exec_run_rows(instruction, shape, rows, count, variant, full, results);
            for (uint32_t i = 0; i < count; i++)
                ck_assert_msg(results[i] == rows[i].expected,
                              "%s row %u (variant %d, %s): 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64
                              " 0x%" PRIx64 " gave 0x%" PRIx64 ", expected 0x%" PRIx64,
                              instruction, i, variant, full ? "full" : "masked", rows[i].in[0],
                              rows[i].in[1], rows[i].in[2], rows[i].in[3], results[i],
                              rows[i].expected);
        }
    }
}

// Random bits, and often the numbers where instructions change their ways.
static uint64_t interesting(uint64_t *state) {
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     0x7F,
                                     0x80,
                                     0xFF,
                                     0x7FFF,
                                     0x8000,
                                     0xFFFF,
                                     0x7FFFFFFF,
                                     0x80000000,
                                     0xFFFFFFFF,
                                     0x3F800000,
                                     0xBF800000,
                                     0x7F800000,
                                     0xFF800000,
                                     0x7FC00000,
                                     0x00000001,
                                     0x00800000,
                                     0x3FF0000000000000,
                                     0xBFF0000000000000,
                                     0x7FF0000000000000,
                                     0xFFF0000000000000,
                                     0x7FF8000000000000,
                                     0x7FFFFFFFFFFFFFFF,
                                     0x8000000000000000,
                                     0xFFFFFFFFFFFFFFFF};
    uint64_t random = random_bits(state);
    switch (random >> 61) {
    case 0:
    case 1: return edges[random % (sizeof edges / sizeof edges[0])];
    case 2: return exec_f32((float)((int64_t)(random % 2001) - 1000) / 8);
    case 3: return exec_f64((double)((int64_t)(random % 2001) - 1000) / 8);
    case 4: return random % 100;
    default: return random_bits(state);
    }
}

void exec_check_variants_agree(const char *instruction, const char *shape) {
    uint64_t state = 42;
    exec_row rows[LANES] = {{{0}, 0}};
    uint64_t expected[LANES], results[LANES];
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < LANES; i++)
            for (int k = 0; k < EXEC_ROW_OPERANDS; k++) rows[i].in[k] = interesting(&state);
        exec_run_rows(instruction, shape, rows, LANES, 0, 1, expected);
        for (int variant = 0; variant < variants_here(); variant++) {
            for (uint32_t count = 31; count <= 32; count++) {
                exec_run_rows(instruction, shape, rows, count, variant, count == 32, results);
                for (uint32_t i = 0; i < count; i++)
                    ck_assert_msg(results[i] == expected[i],
                                  "%s variant %d, %u lanes, lane %u (0x%" PRIx64 " 0x%" PRIx64
                                  " 0x%" PRIx64 "): 0x%" PRIx64 " against 0x%" PRIx64,
                                  instruction, variant, count, i, rows[i].in[0], rows[i].in[1],
                                  rows[i].in[2], results[i], expected[i]);
            }
        }
    }
}

uint64_t exec_f32(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

uint64_t exec_f64(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}
