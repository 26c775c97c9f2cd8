// SPDX-License-Identifier: MIT
// Protects the decoder's tables: every form listed in ptx/decode_forms.txt decodes to the
// operations listed there, or is refused with that message; and every operation of program/ops.def
// has at least one accepted form.
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "decode/support.h"
#include "suite.h"

enum { LINE_BYTES = 512, TEXT_BYTES = 4096, RESULT_BYTES = 4096 };

static const char before[] =
    DECODE_HEADER ".global .align 4 .b8 table[64];\n"
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
    snprintf(text, sizeof text, "%s%s%s", before, line, after);
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

START_TEST(forms) {
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
        if (more && line[0] != '#')
            snprintf(form, sizeof form, "%.*s", (int)strcspn(line, "\n"), line);
    }
    fclose(file);
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_gt(count, 250);
    for (int op = 0; op < SIM_OP_COUNT; op++)
        ck_assert_msg(seen[op], "no accepted form of %s in " TEST_GOLDEN "/decode_forms.txt",
                      sim_op_name((sim_op)op));
}
END_TEST

KL_TEST_MAIN("decode_forms", forms)
