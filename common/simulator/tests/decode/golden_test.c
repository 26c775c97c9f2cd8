// SPDX-License-Identifier: MIT
// Protects the whole decoded form of two PTX files (golden dumps ptx/*.ops; `sim-dump ops` prints a
// new one), and the decoder against damaged PTX: any answer will do but a
// crash.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/support.h"
#include "suite.h"

enum { ROUNDS = 4000, MAX_LINES = 512 };

static const char *const dumps[][2] = {
    {TEST_GOLDEN "/decode_kernels.ptx", TEST_GOLDEN "/decode_kernels.ops"},
    {TEST_GOLDEN "/odd_even.ptx", TEST_GOLDEN "/odd_even.ops"}, // shown in docs/simulator.md
};

START_TEST(golden_dump) {
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
    sim_program_free(program);
    free(text);
    free(wanted);
    free(found);
}
END_TEST

static uint32_t below(uint64_t *state, uint32_t count) {
    return (uint32_t)(random_bits(state) >> 33) % count;
}

// A text made of the lines of another, one or two of them changed.
static void damage(char *out, char *const *lines, uint32_t count, uint64_t *state) {
    uint32_t kind = below(state, 5), victim = below(state, count), other = below(state, count);
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
        if (kind == 3) start[below(state, (uint32_t)bytes)] = (char)(33 + below(state, 94));
        // A word of another line in place of this one's rest.
        if (kind == 4) {
            end = start + below(state, (uint32_t)bytes);
            const char *tail = lines[other] + below(state, (uint32_t)strlen(lines[other]) + 1);
            end += sprintf(end, "%s\n", tail);
        }
    }
    *end = '\0';
}

START_TEST(damaged_text) {
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
        if (program)
            accepted++;
        else if (err.status == SIM_OK || err.status == SIM_INTERNAL || !err.text[0])
            ck_abort_msg("refused without a reason:\n%s", out);
        sim_program_free(program);
    }
    ck_assert_uint_gt(accepted, ROUNDS / 20); // damage that is too plain tests the parser alone
    ck_assert_uint_lt(accepted, ROUNDS);
    free(text);
    free(out);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("decode_golden");
    TCase *golden = tcase_create("golden");
    tcase_add_loop_test(golden, golden_dump, 0, sizeof dumps / sizeof *dumps);
    tcase_add_test(golden, damaged_text);
    suite_add_tcase(suite, golden);
    return kl_suite_run(suite);
}
