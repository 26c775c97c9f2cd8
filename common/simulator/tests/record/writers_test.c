// SPDX-License-Identifier: MIT
// Notes of who wrote each byte: every form of store that has a quick path notes exactly the bytes
// that it changes; host writes, fills and copies are told apart; calls are.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/run.h"
#include "suite.h"

enum { BYTES = 1 << 16, THREADS = 96 };

// Each thread that `mask` holds by its number in the warp stores at y + offset + (tid & low) * a +
// (tid >> shift) * b. Nothing stored has a byte of the poison.
#define STORE_KERNEL(name, store)                                                                  \
    ".visible .entry " name "(.param .u64 p_y, .param .u32 p_low, .param .u32 p_shift,"            \
    " .param .u32 p_a, .param .u32 p_b, .param .u32 p_mask)\n"                                     \
    "{\n"                                                                                          \
    "  .reg .pred %p<2>;\n"                                                                        \
    "  .reg .b32 %r<16>;\n"                                                                        \
    "  .reg .b64 %rd<6>;\n"                                                                        \
    "  ld.param.u64 %rd1, [p_y];\n"                                                                \
    "  ld.param.u32 %r1, [p_low];\n"                                                               \
    "  ld.param.u32 %r2, [p_shift];\n"                                                             \
    "  ld.param.u32 %r3, [p_a];\n"                                                                 \
    "  ld.param.u32 %r4, [p_b];\n"                                                                 \
    "  ld.param.u32 %r5, [p_mask];\n"                                                              \
    "  mov.u32 %r6, %tid.x;\n"                                                                     \
    "  and.b32 %r7, %r6, 31;\n"                                                                    \
    "  shr.u32 %r8, %r5, %r7;\n"                                                                   \
    "  and.b32 %r8, %r8, 1;\n"                                                                     \
    "  setp.eq.s32 %p1, %r8, 0;\n"                                                                 \
    "  @%p1 bra DONE;\n"                                                                           \
    "  and.b32 %r9, %r6, %r1;\n"                                                                   \
    "  shr.u32 %r10, %r6, %r2;\n"                                                                  \
    "  mul.lo.s32 %r11, %r9, %r3;\n"                                                               \
    "  mad.lo.s32 %r11, %r10, %r4, %r11;\n"                                                        \
    "  mul.wide.s32 %rd2, %r11, 1;\n"                                                              \
    "  add.s64 %rd3, %rd1, %rd2;\n"                                                                \
    "  mov.u32 %r12, 0x11223344;\n"                                                                \
    "  mov.b64 %rd4, 0x1122334455667788;\n" store "DONE:\n"                                        \
    "  ret;\n"                                                                                     \
    "}\n"

static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n" STORE_KERNEL(
    "store_8", "  st.global.u8 [%rd3], %r12;\n") STORE_KERNEL("store_16",
                                                              "  st.global.u16 [%rd3], %r12;\n")
    STORE_KERNEL("store_32", "  st.global.u32 [%rd3], %r12;\n")
        STORE_KERNEL("store_64", "  st.global.u64 [%rd3], %rd4;\n")
            STORE_KERNEL("store_2x32", "  st.global.v2.u32 [%rd3], {%r12, %r12};\n") STORE_KERNEL(
                "store_4x32", "  st.global.v4.u32 [%rd3], {%r12, %r12, %r12, %r12};\n")
                STORE_KERNEL("store_generic", "  st.u32 [%rd3], %r12;\n") STORE_KERNEL(
                    "store_volatile", "  st.volatile.global.u32 [%rd3], %r12;\n")
                    STORE_KERNEL("atomic_exchange", "  atom.global.exch.b32 %r13, [%rd3], %r12;\n")
                        STORE_KERNEL("reduce_and", "  red.global.and.b32 [%rd3], 0x11223344;\n");

static const struct {
    const char *kernel;
    uint32_t bytes;
} stores[] = {{"store_8", 1},       {"store_16", 2},       {"store_32", 4},
              {"store_64", 8},      {"store_2x32", 8},     {"store_4x32", 16},
              {"store_generic", 4}, {"store_volatile", 4}, {"atomic_exchange", 4},
              {"reduce_and", 4}};

// In units of the store's bytes. low, shift: 31, 5 are rows of a warp; 15, 4 rows of a half.
static const struct {
    uint32_t low, shift, a, b, mask;
} patterns[] = {{31, 5, 1, 32, UINT32_MAX}, {31, 5, 0, 1, UINT32_MAX},  {31, 5, 1, 32, 0x00FFFF00},
                {31, 5, 1, 32, 0x5A5A1248}, {31, 5, 2, 64, UINT32_MAX}, {31, 5, 3, 100, 0x0F0F0F0F},
                {15, 4, 1, 33, UINT32_MAX}, {15, 4, 0, 40, UINT32_MAX}, {15, 4, 1, 64, 0xFFFF0F0F},
                {7, 3, 1, 51, UINT32_MAX},  {3, 2, 17, 90, UINT32_MAX}, {31, 5, 1, 32, 1}};

START_TEST(stores_note_the_bytes_that_they_change) {
    exec_rig *rig = exec_open(ptx, 2);
    rig->grid.mode = SIM_MODE_COUNT;
    ck_assert_int_eq(sim_mem_keep_writers(rig->memory, NULL), SIM_OK);
    sim_writers *writers = sim_mem_writers(rig->memory);
    uint8_t *bytes = malloc(BYTES);
    uint64_t y = exec_alloc(rig, BYTES, NULL);
    for (size_t s = 0; s < sizeof stores / sizeof *stores; s++) {
        for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
            uint32_t unit = stores[s].bytes, a = patterns[k].a * unit, b = patterns[k].b * unit;
            uint32_t low = patterns[k].low, shift = patterns[k].shift, mask = patterns[k].mask;
            ck_assert_int_eq(sim_mem_fill(rig->memory, y, 0xFF, 1, BYTES, NULL), SIM_OK);
            sim_writers_forget(writers, y, BYTES);
            sim_writers_next_call(writers);
            EXEC_RUN(rig, stores[s].kernel, EXEC_DIM(1), EXEC_DIM(THREADS), 0, &y, &low, &shift, &a,
                     &b, &mask, NULL);
            exec_read(rig, y, bytes, BYTES);
            uint64_t changed = 0;
            for (uint64_t i = 0; i < BYTES; i++) {
                uint8_t wanted = bytes[i] != 0xFF ? writers->kernel : SIM_WRITER_NOBODY;
                ck_assert_msg(writers->notes[y - SIM_GLOBAL_BASE + i] == wanted,
                              "%s, pattern %zu, byte %d", stores[s].kernel, k, (int)i);
                changed += bytes[i] != 0xFF;
            }
            ck_assert_uint_gt(changed, 0);
            sim_writer_counts counts;
            sim_writers_count(writers, y, BYTES, &counts);
            ck_assert_uint_eq(counts.kernel, changed);
            ck_assert_uint_eq(counts.nobody, BYTES - changed);
        }
    }
    free(bytes);
    exec_close(rig);
}
END_TEST

static sim_writer_counts count(const sim_memory *memory, uint64_t address, uint64_t bytes) {
    sim_writer_counts counts;
    sim_writers_count(sim_mem_writers(memory), address, bytes, &counts);
    return counts;
}

START_TEST(copies_hand_notes_on) {
    sim_memory *memory;
    uint64_t a, b, shared;
    const uint8_t data[100] = {0};
    ck_assert_int_eq(sim_mem_new(64 << 20, &memory, NULL), SIM_OK);
    ck_assert_int_eq(sim_mem_keep_writers(memory, NULL), SIM_OK);
    sim_writers *writers = sim_mem_writers(memory);
    ck_assert_int_eq(sim_mem_alloc(memory, 300000, &a, NULL), SIM_OK);
    ck_assert_int_eq(sim_mem_alloc(memory, 300000, &b, NULL), SIM_OK);
    ck_assert_int_eq(sim_mem_alloc_shared(memory, 8192, &shared, NULL), SIM_OK);
    ck_assert_uint_eq(count(memory, a, 300000).nobody, 300000);
    ck_assert_int_eq(sim_mem_write(memory, a + 10, data, 100, NULL), SIM_OK);
    ck_assert_int_eq(sim_mem_fill(memory, a + 200000, 7, 4, 50, NULL), SIM_OK);
    sim_writers_note(writers, a + 65530, 20, writers->kernel); // over the end of a chunk
    sim_writers_next_call(writers);
    sim_writers_note(writers, a + 5, 10, writers->kernel); // on 5 bytes of the host's
    ck_assert_int_eq(sim_mem_copy(memory, b + 1, a, 299999, NULL), SIM_OK);
    sim_writer_counts counts = count(memory, b, 300000);
    ck_assert_uint_eq(counts.host, 95);
    ck_assert_uint_eq(counts.fill, 299999 - 125); // the 200 and what nobody had written
    ck_assert_uint_eq(counts.earlier, 20);
    ck_assert_uint_eq(counts.kernel, 10);
    ck_assert_uint_eq(counts.nobody, 1);
    // What passes through pages of the host is the host's.
    ck_assert_int_eq(sim_mem_copy(memory, shared, a, 20, NULL), SIM_OK);
    ck_assert_int_eq(sim_mem_copy(memory, b, shared, 20, NULL), SIM_OK);
    ck_assert_uint_eq(count(memory, b, 20).host, 20);
    sim_writers_note(writers, shared + 100, 24, writers->kernel);
    ck_assert_uint_eq(sim_mem_take_shared_bytes(memory), 24);
    ck_assert_uint_eq(sim_mem_take_shared_bytes(memory), 0);
    sim_writers_forget(writers, b, 300000);
    ck_assert_uint_eq(count(memory, b, 300000).nobody, 300000);
    // Freed and allocated again: nobody has written there.
    ck_assert_int_eq(sim_mem_release(memory, a, NULL), SIM_OK);
    ck_assert_int_eq(sim_mem_alloc_at(memory, a, 300000, NULL), SIM_OK);
    ck_assert_uint_eq(count(memory, a, 300000).nobody, 300000);
    sim_mem_delete(memory);
}
END_TEST

KL_TEST_MAIN("writers", stores_note_the_bytes_that_they_change, copies_hand_notes_on)
