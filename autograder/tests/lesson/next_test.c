// SPDX-License-Identifier: MIT
// What `ladder next` says, from made-up steps, records and pages in a kit of one lab: the section
// to read, the place to write, the state of each step, and the command to type.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "learn/lesson/lesson.h"
#include "step_text.h"
#include "suite.h"

static kl_error err;
static ladder_kit kit;
static const ladder_lab *lab;
static ladder_progress progress;
static ladder_next_step next;

static void put(const char *folder, const char *name, const char *text) {
    char path[LADDER_PATH];
    ck_assert_int_eq(ladder_folder_make(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(path, &err, "%s/%s", folder, name), KL_OK);
    ck_assert_int_eq(ladder_file_write(path, text, strlen(text), &err), KL_OK);
}

// The file of a step, last edited `age_s` seconds ago.
static void put_step(int number, const char *text, int age_s) {
    char path[LADDER_PATH];
    ck_assert_int_eq(
        ladder_kit_step_file(&kit, lab, kl_problem_step(lab->problem, number), false, path, &err),
        KL_OK);
    ck_assert_int_eq(ladder_file_write(path, text, strlen(text), &err), KL_OK);
    struct timespec times[2] = {{.tv_sec = time(NULL) - age_s}, {.tv_sec = time(NULL) - age_s}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

// As it is handed out: with its stamp.
static void put_untouched(int number, const char *text) {
    char stamped[1024];
    snprintf(stamped, sizeof stamped, "%s" KL_STAMP_START "%016llx" KL_STAMP_END, text,
             (unsigned long long)kl_step_text_hash(text, strlen(text)));
    put_step(number, stamped, 0);
}

static const char to_do[] = "// TODO(student): set this to 1 when you have written the code\n"
                            "#define IMPLEMENTED 0\n"
                            "void f(void) {\n"
                            "    // TODO(student): add the upper half\n"
                            "    // to the lower half\n"
                            "}\n";
static const char written[] = "#define IMPLEMENTED 1\nvoid f(void) {}\n";

static void set_up(void) {
    char folder[LADDER_PATH], steps[LADDER_PATH];
    lab = ladder_lab_find("reduction");
    ck_assert_int_eq(ladder_folder_temporary(kit.source, &err), KL_OK);
    ck_assert_int_eq(ladder_path(kit.build, &err, "%s/build", kit.source), KL_OK);
    ck_assert_int_eq(ladder_path(folder, &err, "%s/labs/%s", kit.source, lab->folder), KL_OK);
    ck_assert_int_eq(ladder_path(steps, &err, "%s/steps", folder), KL_OK);
    put(folder, "README.md", "# Lab\n\n## The tree (steps 1 to 3)\n\n### Step 4: **first**\n");
    put(steps, "0_one_block.cu", "void given(void) {}\n");
    for (int i = 1; i < lab->problem->step_count; i++)
        put_untouched(lab->problem->steps[i].number, to_do);
    ck_assert_int_eq(ladder_path(folder, &err, "%s/labs/%s", kit.build, lab->folder), KL_OK);
    ck_assert_int_eq(ladder_folder_make(folder, &err), KL_OK);
}

// A result of the file as it is now.
static void keep(kl_result_kind kind, int step, bool good, bool whole, const char *state,
                 const char *text) {
    char path[LADDER_PATH], file[LADDER_PATH];
    const kl_step_info *info = kl_problem_step(lab->problem, step);
    ck_assert_int_eq(ladder_kit_step_file(&kit, lab, info, false, path, &err), KL_OK);
    ck_assert_int_eq(ladder_kit_last_results(&kit, lab, file, &err), KL_OK);
    kl_last_result result = {.kind = kind, .step = step, .hash = kl_step_file_hash(path)};
    result.good = good;
    result.whole = whole;
    snprintf(result.state, sizeof result.state, "%s", state);
    snprintf(result.text, sizeof result.text, "%s", text);
    ck_assert_int_eq(kl_last_results_keep(file, &result, 1, &err), KL_OK);
}

static void expect(int step, ladder_step_state state, const char *command) {
    ck_assert_int_eq(ladder_progress_read(&kit, lab, &progress, &err), KL_OK);
    ladder_next_step_find(&kit, &progress, &next);
    ck_assert_ptr_nonnull(next.step);
    ck_assert_int_eq(next.step->info->number, step);
    ck_assert_int_eq(next.step->state, state);
    ck_assert_str_eq(next.command, command);
}

START_TEST(a_beginner_reads_predicts_and_writes_step_1) {
    set_up();
    expect(1, LADDER_STEP_TO_DO, "./ladder predict reduction 1");
    ck_assert_str_eq(next.then, "./ladder watch reduction 1");
    ck_assert_str_eq(next.page, "labs/02_reduction/README.md");
    ck_assert_int_eq(next.section.line, 3);
    ck_assert_str_eq(next.section.title, "The tree (steps 1 to 3)");
    ck_assert_str_eq(next.file, "labs/02_reduction/steps/1_interleaved.cu");
    ck_assert_int_eq(next.todo.line, 4); // not that of IMPLEMENTED
    ck_assert_str_eq(next.todo.text, "add the upper half to the lower half");
    char steps[LADDER_PATH];
    ck_assert_int_eq(ladder_path(steps, &err, "%s/labs/%s/steps", kit.source, lab->folder), KL_OK);
    put(steps, "predictions.txt",
        "predict 1 - d sms_used=1\npredict 1 - d requests=1\n"
        "predict 1 - d sectors_per_request=1\n");
    expect(1, LADDER_STEP_TO_DO, "./ladder watch reduction 1");
    ladder_folder_remove(kit.source);
}
END_TEST

START_TEST(the_step_edited_last_is_the_one_to_go_on_with) {
    set_up();
    put_step(4, to_do, 50); // begun: it still says that it is not implemented
    put_step(2, written, 100);
    expect(4, LADDER_STEP_BEGUN, "./ladder watch reduction 4");
    ck_assert_ptr_nonnull(strstr(next.result, "line 2 still says #define IMPLEMENTED 0"));
    ck_assert_str_eq(next.section.title, "Step 4: first");
    put_step(2, written, 10);
    expect(2, LADDER_STEP_CHANGED, "./ladder run reduction 2");
    ck_assert_str_eq(next.result, "not run since you changed it");
    ck_assert_int_eq(next.todo.line, 0);
    ladder_folder_remove(kit.source);
}
END_TEST

START_TEST(what_was_wrong_is_said_until_the_file_changes) {
    set_up();
    put_step(3, written, 10);
    keep(KL_RESULT_OF_RUN, 3, false, true, "WRONG", "d_result[0] is 12, expected 13");
    expect(3, LADDER_STEP_BAD, "./ladder check reduction 3");
    ck_assert_str_eq(next.result, "WRONG: d_result[0] is 12, expected 13");
    keep(KL_RESULT_OF_CHECK, 3, true, true, "clean", "");
    expect(3, LADDER_STEP_BAD, "./ladder hint reduction 3"); // the checker cannot help
    keep(KL_RESULT_OF_CHECK, 3, false, true, "race", "race at 3_sequential.cu:37 and :41");
    keep(KL_RESULT_OF_RUN, 3, true, true, "ok", "");
    expect(3, LADDER_STEP_BAD, "./ladder check reduction 3"); // right by luck
    ck_assert_str_eq(next.result, "");
    ck_assert_str_eq(next.finding, "race at 3_sequential.cu:37 and :41");
    put_step(3, "#define IMPLEMENTED 1\nvoid f(void) { g(); }\n", 0);
    expect(3, LADDER_STEP_CHANGED, "./ladder run reduction 3");
    ck_assert_str_eq(next.finding, "");
    ladder_folder_remove(kit.source);
}
END_TEST

START_TEST(a_step_is_done_when_all_cases_are_right) {
    set_up();
    put_step(1, written, 10);
    keep(KL_RESULT_OF_RUN, 1, true, false, "ok", "");
    expect(1, LADDER_STEP_RIGHT_YET, "./ladder run reduction 1");
    keep(KL_RESULT_OF_RUN, 1, true, true, "ok", "");
    expect(2, LADDER_STEP_TO_DO, "./ladder predict reduction 2"); // the next one
    ck_assert_int_eq(progress.steps[1].state, LADDER_STEP_DONE);
    for (int i = 2; i < lab->problem->step_count; i++) {
        put_step(lab->problem->steps[i].number, written, 10);
        keep(KL_RESULT_OF_RUN, lab->problem->steps[i].number, true, true, "ok", "");
    }
    ck_assert_int_eq(ladder_progress_read(&kit, lab, &progress, &err), KL_OK);
    ladder_next_step_find(&kit, &progress, &next);
    ck_assert_ptr_null(next.step);
    ck_assert_str_eq(next.command, "./ladder grade reduction");
    ck_assert_str_eq(next.then, "./ladder next occupancy");
    ladder_folder_remove(kit.source);
}
END_TEST

START_TEST(the_lab_that_was_touched_last_is_found) {
    set_up();
    ck_assert_int_eq(ladder_progress_latest(&kit, &progress, &err), KL_OK);
    ck_assert_str_eq(progress.lab->folder, ladder_labs[0].folder); // none was
    keep(KL_RESULT_OF_RUN, 0, true, true, "ok", "");               // a given step was run
    ck_assert_int_eq(ladder_progress_latest(&kit, &progress, &err), KL_OK);
    ck_assert_ptr_eq(progress.lab, lab);
    expect(1, LADDER_STEP_TO_DO, "./ladder predict reduction 1");
    ladder_folder_remove(kit.source);
}
END_TEST

static void expect_section(const char *page, int step, int line, const char *title) {
    ladder_section found = {0, ""};
    ck_assert_int_eq(ladder_section_find(page, step, &found), line > 0);
    ck_assert_int_eq(found.line, line);
    ck_assert_str_eq(found.title, title);
}

START_TEST(headings_name_steps_in_many_ways) {
    static const char page[] = "# Lab: the next step 9 is no number of this page's steps\n"
                               "## Steps 1, 2 and 3\n"
                               "## A [warp](../glossary.md#warp) alone (step 2)\n"
                               "```\n"
                               "# step 12 is code\n"
                               "```\n"
                               "## Core (steps 4 to 7)\n"
                               "## More `of` it (steps 7-9)\n"
                               "## Footsteps 11\n"
                               "<!-- predict:10 -->\n"
                               "<!-- predict:4 -->\n";
    expect_section(page, 1, 2, "Steps 1, 2 and 3");
    expect_section(page, 2, 3, "A warp alone (step 2)");
    expect_section(page, 3, 2, "Steps 1, 2 and 3");
    expect_section(page, 5, 7, "Core (steps 4 to 7)");
    expect_section(page, 8, 8, "More of it (steps 7-9)");
    expect_section(page, 10, 9, "Footsteps 11"); // by the marker
    expect_section(page, 4, 7, "Core (steps 4 to 7)");
    expect_section(page, 11, 0, "");
    expect_section(page, 12, 0, "");
    expect_section("", 1, 0, "");
}
END_TEST

START_TEST(a_given_step_that_was_run_decides_nothing) {
    static const ladder_step_state states[] = {LADDER_STEP_GIVEN, LADDER_STEP_TO_DO,
                                               LADDER_STEP_GIVEN, LADDER_STEP_TO_DO};
    memset(&progress, 0, sizeof progress);
    progress.count = sizeof states / sizeof states[0];
    static const kl_step_info info = {.name = "a"};
    for (int i = 0; i < progress.count; i++) {
        progress.steps[i].state = states[i];
        progress.steps[i].info = &info;
    }
    progress.last = 2;
    ck_assert_int_eq(ladder_progress_next(&progress), 1);
    progress.last = 3;
    ck_assert_int_eq(ladder_progress_next(&progress), 3);
}
END_TEST

KL_TEST_MAIN("next", a_beginner_reads_predicts_and_writes_step_1,
             the_step_edited_last_is_the_one_to_go_on_with,
             what_was_wrong_is_said_until_the_file_changes, a_step_is_done_when_all_cases_are_right,
             the_lab_that_was_touched_last_is_found, headings_name_steps_in_many_ways,
             a_given_step_that_was_run_decides_nothing)
