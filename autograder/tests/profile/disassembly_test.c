// SPDX-License-Identifier: MIT
// The text of machine instructions by nvdisasm: a program of that name in PATH is asked, what it
// writes is taken line by line, and what it does not know, or its failure, costs nothing. The
// programs here are scripts.
#include "show/profile/profile.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "utilities/files.h"
#include "suite.h"

static char folder[LADDER_PATH];
static sim_code_machine machine[3];
static sim_code code = {.architecture = 90, .machine_count = 3, .machine = machine};
static kl_error err;

static void set_script(const char *text) {
    char path[LADDER_PATH];
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(path, &err, "%s/nvdisasm", folder), KL_OK);
    ck_assert_int_eq(ladder_file_write(path, text, strlen(text), &err), KL_OK);
    ck_assert_int_eq(chmod(path, 0700), 0);
    ck_assert_int_eq(setenv("PATH", folder, 1), 0);
    for (int i = 0; i < 3; i++)
        machine[i] = (sim_code_machine){{0x947 + (uint64_t)i, 0}, SIM_CODE_NONE};
}

START_TEST(lines_are_taken_by_their_offset) {
    ladder_disassembly got;
    char found[LADDER_PATH];
    set_script("#!/bin/sh\n"
               "[ \"$1 $2\" = '--binary SM90' ] && [ \"$(wc -c < \"$3\")\" -eq 48 ] || exit 1\n"
               "echo '\t.headerflags @\"EF_CUDA_SM90\"'\n"
               "echo '        /*0000*/                   LDC R1, c[0x0][0x28] ;'\n"
               "echo '        /*0020*/              @!P0 EXIT ;   /* 0x000 */'\n"
               "echo '        /*0030*/                   BRA 0x30;'\n");
    ck_assert(ladder_disassembler_find(found));
    ck_assert_int_eq(strncmp(found, folder, strlen(folder)), 0);
    ck_assert(ladder_disassemble(&code, &got));
    ck_assert_str_eq(got.lines[0], "LDC R1, c[0x0][0x28]");
    ck_assert_ptr_null(got.lines[1]);
    ck_assert_str_eq(got.lines[2], "@!P0 EXIT");
    ladder_disassembly_free(&got);
    ladder_folder_remove(folder);
}
END_TEST

START_TEST(a_failure_costs_nothing) {
    ladder_disassembly got;
    set_script("#!/bin/sh\necho '/*0000*/ NOP ;'\nexit 3\n");
    ck_assert(!ladder_disassemble(&code, &got));
    ck_assert_ptr_null(got.text);
    ladder_folder_remove(folder);
    set_script("#!/bin/sh\necho 'not a listing'\n");
    ck_assert(!ladder_disassemble(&code, &got));
    ladder_folder_remove(folder);
}
END_TEST

KL_TEST_MAIN("disassembly", lines_are_taken_by_their_offset, a_failure_costs_nothing)
