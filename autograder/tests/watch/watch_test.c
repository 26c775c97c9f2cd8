// Saves and looks of `ladder watch` in a kit made for the test, in which a script (compile.sh)
// stands for the compiler and the simulator is this build's.
// needs: ladder_programs reduction reduction_solution_step_3 reduction_skeleton_step_3
// labels: grade
// defines: TEST_COMPILE=@FOLDER@/compile.sh TEST_CMAKE=@CMAKE@
#include <sys/file.h>

#include "learn/watch/watch.h"
#include "suite.h"

static kl_error err;
static ladder_kit kit;
static const ladder_lab *lab;

static void shell(const char *format, const char *argument) {
    char command[3 * LADDER_PATH];
    snprintf(command, sizeof command, format, argument);
    ck_assert_msg(system(command) == 0, "%s", command);
}

static void write_text(const char *path, const char *text) {
    ck_assert_int_eq(ladder_file_write(path, text, strlen(text), &err), KL_OK);
}

static const char *step_file(int step) {
    static char path[LADDER_PATH];
    const kl_step_info *info = kl_problem_step(lab->problem, step);
    ck_assert_int_eq(ladder_kit_step_file(&kit, lab, info, false, path, &err), KL_OK);
    return path;
}

// As an editor does it that writes another file and puts it in the place of the first.
static void save_by_rename(int step, const char *text) {
    char path[LADDER_PATH + 8];
    snprintf(path, sizeof path, "%s~", step_file(step));
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
    ck_assert_int_eq(rename(path, step_file(step)), 0);
}

static void save_in_place(int step, const char *text) {
    FILE *out = fopen(step_file(step), "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
}

static void set_up(void) {
    lab = ladder_lab_find("reduction");
    ck_assert_int_eq(ladder_folder_temporary(kit.source, &err), KL_OK);
    ck_assert_int_eq(ladder_path(kit.build, &err, "%s/build", kit.source), KL_OK);
    shell("mkdir -p '%s/labs/02_reduction/steps'", kit.source);
    for (int i = 0; i < lab->problem->step_count; i++)
        write_text(step_file(lab->problem->steps[i].number), "to do\n");
}

static void tear_down(void) { ladder_folder_remove(kit.source); }

static void expect_saves(bool poll) {
    ladder_saves saves;
    set_up();
    ck_assert_int_eq(ladder_saves_open(&kit, lab, -1, poll, &saves, &err), KL_OK);
    ck_assert_int_eq(saves.fd >= 0, !poll);
    ck_assert(!ladder_saves_pending(&saves));
    ck_assert_int_eq(ladder_saves_take(&saves), -1);
    save_in_place(3, "in place\n");
    ladder_saves_wait(&saves, 10);
    ck_assert(ladder_saves_pending(&saves));
    ck_assert_int_eq(ladder_saves_take(&saves), 3);
    ck_assert(!ladder_saves_pending(&saves));
    save_by_rename(5, "to do\n"); // the same text is a save, too
    ladder_saves_wait(&saves, 10);
    ck_assert_int_eq(ladder_saves_take(&saves), 5);
    save_in_place(4, ""); // half of a save: the file is empty for a moment
    ck_assert(!ladder_saves_pending(&saves));
    unlink(step_file(6)); // likewise: it is not there
    ck_assert_int_eq(ladder_saves_take(&saves), -1);
    save_in_place(4, "whole\n");
    ck_assert_int_eq(ladder_saves_take(&saves), 4);
    save_in_place(0, "given\n"); // not the student's
    ck_assert(!ladder_saves_pending(&saves));
    ladder_saves_close(&saves);
    ck_assert_int_eq(ladder_saves_open(&kit, lab, 5, poll, &saves, &err), KL_OK);
    save_in_place(3, "another step\n");
    ck_assert_int_eq(ladder_saves_take(&saves), -1);
    save_by_rename(5, "this one\n");
    ck_assert_int_eq(ladder_saves_take(&saves), 5);
    ladder_saves_close(&saves);
    tear_down();
}

KL_TEST(saves_are_seen) { expect_saves(false); }

KL_TEST(saves_are_seen_without_inotify) { expect_saves(true); }

// The kit, with a build folder whose targets are a script, and this build's programs.
static void set_up_build(void) {
    char text[2 * LADDER_PATH];
    set_up();
    shell("mkdir -p '%s/common'", kit.build);
    shell("mkdir -p '%s/labs/02_reduction/skeleton'", kit.build);
    shell("ln -s '" TEST_BUILD_DIR "/common/simulator' '%s/common/simulator'", kit.build);
    shell("cp '" TEST_BUILD_DIR "/labs/02_reduction/reduction' '%s/labs/02_reduction'", kit.build);
    snprintf(text, sizeof text, "3 %s\n", step_file(3));
    char path[LADDER_PATH];
    ladder_path(path, &err, "%s/labs/02_reduction/skeleton/sources.txt", kit.build);
    write_text(path, text);
    snprintf(
        text, sizeof text,
        "cmake_minimum_required(VERSION 3.22)\nproject(kit NONE)\nadd_custom_target(reduction)\n"
        "add_custom_target(reduction_skeleton_step_3 COMMAND sh " TEST_COMPILE " %s " TEST_BUILD_DIR
        ")\n",
        kit.source);
    ladder_path(path, &err, "%s/CMakeLists.txt", kit.source);
    write_text(path, text);
    shell("cd '%s' && " TEST_CMAKE " -G '" TEST_GENERATOR "' -S . -B build >cmake.log", kit.source);
}

// At step 3 of that kit.
static ladder_look *look_in_build(void) {
    set_up_build();
    ladder_look *look = ladder_look_new();
    ck_assert_ptr_nonnull(look);
    look->kit = &kit;
    look->lab = lab;
    look->step = 3;
    return kl_own(look);
}

static bool never(void *context) {
    (void)context;
    return false;
}

// When the compiler is at work.
static bool is_compiling(void *context) {
    (void)context;
    const char *path = kl_own_text("%s/compiling", kit.source);
    return ladder_file_exists(path);
}

static kl_last_result last_run(void) {
    static kl_last_result all[KL_LAST_RESULTS];
    char path[LADDER_PATH];
    ck_assert_int_eq(ladder_kit_last_results(&kit, lab, path, &err), KL_OK);
    int count = kl_last_results_read(path, all);
    for (int i = 0; i < count; i++)
        if (all[i].kind == KL_RESULT_OF_RUN && all[i].step == 3) return all[i];
    return (kl_last_result){.step = -1};
}

KL_TEST(a_look_compiles_checks_and_counts) {
    ladder_look *look = look_in_build();
    look->style.width = 80;
    look->rows = 11;
    ck_assert(ladder_look_at(look, never, NULL));
    ck_assert_str_eq(look->verdict, "not implemented");
    ck_assert(look->compiled && !look->good && !look->counted);

    save_by_rename(3, "broken\n");
    ck_assert(ladder_look_at(look, never, NULL));
    ck_assert_str_eq(look->verdict, "does not compile");
    ck_assert(!look->compiled && !look->good);
    ck_assert_ptr_nonnull(
        strstr(look->text, "labs/02_reduction/steps/3_sequential.cu(7): error: identifier"));
    ck_assert(!last_run().good);
    ck_assert_str_eq(last_run().state, "does not compile");
    KL_HAS(last_run().text, "identifier \"broken\"");

    save_by_rename(3, "written\n");
    for (int time = 0; time < 2; time++) {
        ck_assert(ladder_look_at(look, never, NULL));
        ck_assert_msg(look->good && look->counted, "%s\n%s", look->verdict, look->text);
        KL_HAS(look->verdict, "correct in 16 small cases, no findings");
        KL_HAS(look->text, "counted in the case sum-exact, 2^20 elements");
        const char *row = strstr(look->text, "shared wavefronts per 1,000 elements");
        ck_assert_ptr_nonnull(row);
        // Before, now, target: there is nothing before the first time.
        ck_assert_msg(
            strstr(row, time == 0 ? "       98.06      98\n" : "98.06    98.06      98\n"), "%s",
            row);
        int lines = 0;
        for (const char *c = look->text; *c != '\0'; c++) lines += *c == '\n';
        ck_assert_int_le(lines, look->rows);
    }
    ck_assert(last_run().good && !last_run().whole);
    ck_assert(look->check_s > 0 && look->count_s > 0);
    ladder_look_free(look);
    tear_down();
}

static bool after_ten(void *context) {
    int *asked = context;
    return ++*asked > 10;
}

KL_TEST(nobody_waits_for_another_build_longer_than_wanted) {
    int asked = 0;
    ladder_look *look = look_in_build();
    const char *path = kl_own_text("%s/.launcher-lock", kit.build);
    int fd = open(path, O_WRONLY | O_CREAT, 0644);
    ck_assert(fd >= 0 && flock(fd, LOCK_EX) == 0);
    ck_assert(!ladder_look_at(look, after_ten, &asked));
    ck_assert(!look->done && asked == 11);
    ladder_look_free(look);
    close(fd);
    tear_down();
}

KL_TEST(a_compile_is_given_up) {
    ladder_look *look = look_in_build();
    save_by_rename(3, "endless\n");
    ck_assert(!ladder_look_at(look, is_compiling, NULL)); // it would sleep for a day
    ck_assert(!look->done);
    ladder_look_free(look);
    tear_down();
}

KL_TEST_MAIN("watch")
