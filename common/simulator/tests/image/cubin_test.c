// SPDX-License-Identifier: MIT
// Protects the cubin reader on a cubin built by hand: every attribute, the code, the line table,
// and damage.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "support/bytes.h"
#include "suite.h"

static test_bytes image;
static sim_cubin *cubin;

static void open_cubin(void) {
    kl_error err = {0};
    image = build_cubin();
    sim_status status = sim_cubin_open(image.data, image.count, &cubin, &err);
    ck_assert_msg(status == SIM_OK, "%s", err.text);
}

static void close_cubin(void) {
    sim_cubin_close(cubin);
    bytes_free(&image);
}

START_TEST(attributes) {
    ck_assert_uint_eq(sim_cubin_arch(cubin), 90);
    ck_assert_uint_eq(sim_cubin_kernel_count(cubin), 1);
    const sim_cubin_kernel *kernel = sim_cubin_find(cubin, "k");
    ck_assert_ptr_nonnull(kernel);
    ck_assert_ptr_eq(kernel, sim_cubin_kernel_get(cubin, 0));
    ck_assert_ptr_null(sim_cubin_kernel_get(cubin, 1));
    ck_assert_ptr_null(sim_cubin_find(cubin, "kk"));
    ck_assert_str_eq(kernel->name, "k");
    ck_assert(kernel->is_entry);
    ck_assert_uint_eq(kernel->registers, 40);
    ck_assert_uint_eq(kernel->max_registers, 64);
    ck_assert_uint_eq(kernel->shared_bytes, 16);
    ck_assert_uint_eq(kernel->frame_bytes, 24);
    ck_assert_uint_eq(kernel->stack_bytes, 32);
    ck_assert_uint_eq(kernel->barriers, 3);
    ck_assert_uint_eq(kernel->param_bytes, 12);
    ck_assert_uint_eq(kernel->max_threads[0], 128);
    ck_assert_uint_eq(kernel->max_threads[1], 2);
    ck_assert_uint_eq(kernel->max_threads[2], 1);
    ck_assert_uint_eq(kernel->required_threads[0], 0);
}
END_TEST

// Recursion: ptxas writes no bound for the stack, and the frame alone remains.
START_TEST(unknown_stack) {
    static const uint8_t stack[] = {4, 0x12, 8, 0, 1, 0, 0, 0, 32, 0, 0, 0};
    uint8_t *found = memmem(image.data, image.count, stack, sizeof stack);
    sim_cubin *recursive;
    kl_error err;
    ck_assert_ptr_nonnull(found);
    memset(found + 8, 0xff, 4);
    ck_assert_int_eq(sim_cubin_open(image.data, image.count, &recursive, &err), SIM_OK);
    const sim_cubin_kernel *kernel = sim_cubin_find(recursive, "k");
    ck_assert(kernel->is_stack_unknown);
    ck_assert_uint_eq(kernel->stack_bytes, 24);
    ck_assert(!sim_cubin_find(cubin, "k")->is_stack_unknown);
    sim_cubin_close(recursive);
}
END_TEST

START_TEST(parameters_and_spills) {
    const sim_cubin_kernel *kernel = sim_cubin_find(cubin, "k");
    ck_assert_uint_eq(kernel->param_count, 2);
    ck_assert_uint_eq(kernel->params[0].offset, 0);
    ck_assert_uint_eq(kernel->params[0].size_bytes, 8);
    ck_assert_uint_eq(kernel->params[1].offset, 8);
    ck_assert_uint_eq(kernel->params[1].size_bytes, 4);
    ck_assert_uint_eq(kernel->spill_count, 2);
    ck_assert_uint_eq(kernel->spills[0], 16);
    ck_assert_uint_eq(kernel->spills[1], 32);
    ck_assert_uint_eq(kernel->spill_store_bytes, 8);
    ck_assert_uint_eq(kernel->spill_load_bytes, 4);
}
END_TEST

START_TEST(code) {
    const sim_cubin_kernel *kernel = sim_cubin_find(cubin, "k");
    ck_assert_uint_eq(kernel->code_bytes, 64);
    ck_assert_uint_eq(kernel->code[0], 0x18);
}
END_TEST

START_TEST(ptx_lines) {
    const sim_cubin_line *lines;
    uint32_t count;
    kl_error err = {0};
    sim_status status = sim_cubin_ptx_lines(cubin, "k", &lines, &count, &err);
    ck_assert_msg(status == SIM_OK, "%s", err.text);
    ck_assert_uint_eq(count, 4);
    ck_assert_uint_eq(sim_cubin_line_at(lines, count, 0)->line, 10);
    ck_assert_uint_eq(sim_cubin_line_at(lines, count, 31)->line, 7);
    ck_assert_uint_eq(sim_cubin_line_at(lines, count, 32)->line, 11);
    ck_assert_uint_eq(sim_cubin_line_at(lines, count, 48)->line, 15);
    ck_assert_ptr_null(sim_cubin_line_at(lines, 0, 48));
    ck_assert_int_eq(sim_cubin_ptx_lines(cubin, "x", &lines, &count, &err), SIM_NOT_FOUND);
}
END_TEST

// Everything the reader offers, so that damage is met wherever it lies.
static void use(const uint8_t *data, size_t count) {
    kl_error err = {0};
    sim_cubin *damaged;
    if (sim_cubin_open(data, count, &damaged, &err) != SIM_OK) {
        ck_assert(err.text[0]);
        ck_assert_ptr_null(damaged);
        return;
    }
    for (uint32_t i = 0; i < sim_cubin_kernel_count(damaged); i++) {
        const char *name = sim_cubin_kernel_get(damaged, i)->name;
        const sim_cubin_line *lines;
        uint32_t line_count;
        sim_cubin_ptx_lines(damaged, name, &lines, &line_count, &err);
        sim_cubin_line_at(lines, line_count, 16);
    }
    sim_cubin_close(damaged);
}

START_TEST(truncations) {
    for (size_t count = 0; count < image.count; count++) {
        uint8_t *copy = exact_copy(image.data, count);
        sim_cubin *damaged;
        ck_assert_int_eq(sim_cubin_open(copy, count, &damaged, NULL), SIM_BAD_IMAGE);
        free(copy);
    }
}
END_TEST

START_TEST(single_bytes) {
    spoil_single_bytes(image.data, image.count, use);
}
END_TEST

START_TEST(not_cubins) {
    sim_cubin *none;
    ck_assert_int_eq(sim_cubin_open(NULL, 0, &none, NULL), SIM_INVALID_VALUE);
    ck_assert_int_eq(sim_cubin_open("", 0, &none, NULL), SIM_BAD_IMAGE);
    image.data[18] = 62; // x86-64
    ck_assert_int_eq(sim_cubin_open(image.data, image.count, &none, NULL), SIM_BAD_IMAGE);
    sim_cubin_close(NULL);
}
END_TEST

KL_TEST_MAIN_WITH("frontend_cubin", open_cubin, close_cubin, attributes, parameters_and_spills,
                  unknown_stack, code, ptx_lines, truncations, single_bytes, not_cubins)
