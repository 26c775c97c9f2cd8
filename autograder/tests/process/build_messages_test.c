// SPDX-License-Identifier: MIT
// What of a build's output is shown, from outputs as Ninja and nvcc write them.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/process/build_messages.h"
#include "step_text.h"
#include "suite.h"
#include "utilities/files.h"

static char folder[LADDER_PATH]; // of a kit

static void set_up(void) {
    kl_error err = {KL_OK, ""};
    char steps[LADDER_PATH];
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(steps, &err, "%s/labs/00_a/steps", folder), KL_OK);
    ck_assert_int_eq(ladder_folder_make(steps, &err), KL_OK);
}

// A step, as it was handed out if `stamped`.
static void put_step(const char *name, bool stamped) {
    static const char code[] = "#define IMPLEMENTED 0\n";
    char path[LADDER_PATH], text[256];
    kl_error err = {KL_OK, ""};
    int bytes = snprintf(text, sizeof text, "%s", code);
    if (stamped)
        bytes = snprintf(text, sizeof text, "%s" KL_STAMP_START "%016llx" KL_STAMP_END, code,
                         (unsigned long long)kl_step_text_hash(code, strlen(code)));
    ck_assert_int_eq(ladder_path(path, &err, "%s/labs/00_a/steps/%s", folder, name), KL_OK);
    ck_assert_int_eq(ladder_file_write(path, text, (size_t)bytes, &err), KL_OK);
}

// What is shown of a build's output; each @ in it stands for the kit's folder.
static char *shown(const char *output) {
    char *text = NULL, *said = NULL;
    size_t bytes = 0;
    FILE *in = open_memstream(&said, &bytes);
    for (const char *c = output; *c; c++)
        if (*c == '@')
            fputs(folder, in);
        else
            fputc(*c, in);
    fclose(in);
    FILE *out = open_memstream(&text, &bytes);
    ladder_build_messages(folder, said, out);
    fclose(out);
    free(said);
    return text;
}

static void expect(const char *output, const char *wanted) {
    char *text = shown(output);
    ck_assert_str_eq(text, wanted);
    free(text);
}

START_TEST(warnings_of_what_nobody_wrote_are_left_out) {
    set_up();
    put_step("4_a.cu", true);
    put_step("5_b.cu", false);
    expect("[1/3] Building CUDA object common/gpu/CMakeFiles/probe.dir/probe.cu.o\n"
           "ptxas info    : (C7519) warpgroup.arrive is injected in around line 155\n"
           "[2/3] Building CUDA object CMakeFiles/a.dir/labs/00_a/steps/4_a.cu.o\n"
           "@/labs/00_a/steps/4_a.cu(16): warning #177-D: variable \"i\" was declared\n"
           "      int i;\n"
           "          ^\n"
           "[3/3] Building CUDA object CMakeFiles/a.dir/labs/00_a/steps/5_b.cu.o\n"
           "@/labs/00_a/steps/5_b.cu(7): warning #177-D: variable \"k\" was declared\n"
           "      int k;\n"
           "          ^\n",
           "labs/00_a/steps/5_b.cu(7): warning #177-D: variable \"k\" was declared\n"
           "      int k;\n"
           "          ^\n");
    ladder_folder_remove(folder);
}
END_TEST

START_TEST(errors_are_kept_and_get_hints) {
    set_up();
    put_step("4_a.cu", true);
    expect("[1/2] Building CUDA object CMakeFiles/a.dir/labs/00_a/steps/4_a.cu.o\n"
           "FAILED: CMakeFiles/a.dir/labs/00_a/steps/4_a.cu.o\n"
           "@/labs/00_a/steps/4_a.cu(27): error: expected a \";\"\n"
           "      }\n"
           "      ^\n"
           "1 error detected in the compilation of \"4_a.cu\".\n"
           "ninja: build stopped: subcommand failed.\n",
           "labs/00_a/steps/4_a.cu(27): error: expected a \";\"\n"
           "      }\n"
           "      ^\n"
           "  hint: a semicolon is missing before this, often at the end of the line above\n");
    expect("[1/2] Building C object common/base/CMakeFiles/base.dir/a.c.o\n"
           "@/common/base/a.c:3:1: error: no such thing\n",
           "common/base/a.c:3:1: error: no such thing\n");
    ladder_folder_remove(folder);
}
END_TEST

START_TEST(long_outputs_end) {
    char output[8192] = "FAILED: labs/00_a\n";
    set_up();
    for (int i = 0; i < 50; i++) strcat(output, "@/labs/00_a/steps/6_c.cu(1): error: what\n");
    char *text = shown(output);
    ck_assert_ptr_nonnull(strstr(text, "(and 10 lines more: the first error first)\n"));
    free(text);
    expect("@/labs/00_a/steps/6_c.cu:1:4: warning: null character(s) ignored\n"
           "    1 | <ff><fe>/<U+0000>/\n"
           "@/labs/00_a/steps/6_c.cu:1:6: warning: null character(s) ignored\n",
           "labs/00_a/steps/6_c.cu: error: this file is UTF-16 or no text: save it as UTF-8\n");
    ladder_folder_remove(folder);
}
END_TEST

KL_TEST_MAIN("build_messages", warnings_of_what_nobody_wrote_are_left_out,
             errors_are_kept_and_get_hints, long_outputs_end)
