// SPDX-License-Identifier: MIT
// What a class's journal says of a run that was killed, and the line of progress.
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "course/class/class.h"
#include "course/class/internal.h"
#include "utilities/files.h"
#include "suite.h"
#include "table.h"

static kl_error err;
static char folder[LADDER_PATH], path[LADDER_PATH];
static ladder_row_key key;

static const ladder_lab *lab(void) {
    return ladder_lab_find("reduction");
}

static void set_up(void) {
    bool made = false;
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ladder_path(path, &err, "%s/class", folder);
    ck_assert_int_eq(ladder_folder_make(path, &err), KL_OK);
    ladder_path(path, &err, "%s/class/key", folder);
    ck_assert_int_eq(ladder_row_key_open(path, true, &key, &made, &err), KL_OK);
    ladder_path(path, &err, "%s/class/journal", folder);
}

static void tear_down(void) {
    ladder_folder_remove(folder);
}

// A run with this seed that grades `rows` submissions.
static void run(uint64_t seed, bool anew, int rows, bool finished) {
    ladder_journal journal;
    ck_assert_int_eq(ladder_journal_open(folder, anew, lab(), seed, &key, &journal, &err), KL_OK);
    for (int i = 0; i < rows; i++) {
        ladder_row row = {.done = true, .points = {.graded = true, .reached = 2}};
        snprintf(row.id, sizeof row.id, "student%d", i);
        ck_assert_int_eq(ladder_journal_begin(&journal, row.id, &err), KL_OK);
        ck_assert_int_eq(ladder_journal_end(&journal, &row, false, &err), KL_OK);
    }
    ladder_journal_close(&journal, finished);
}

// A run that is alive refuses a second one and is named; once killed, its place is taken.
START_TEST(a_folder_of_results_is_one_run_s) {
    char pid[40], *notes = NULL, *text = NULL;
    size_t bytes = 0;
    int ready[2], lock = -1;
    ck_assert_int_eq(pipe(ready), 0);
    pid_t first = fork();
    if (first == 0) {
        if (ladder_class_lock(folder, stderr, &lock, &err) == KL_OK && write(ready[1], "", 1) == 1)
            pause();
        _exit(1);
    }
    close(ready[1]);
    ck_assert_int_eq(read(ready[0], pid, 1), 1);
    FILE *told = open_memstream(&notes, &bytes);
    ck_assert_int_eq(ladder_class_lock(folder, told, &lock, &err), KL_ERROR_SYSTEM);
    snprintf(pid, sizeof pid, "process %d on ", (int)first);
    ck_assert_msg(strstr(err.text, pid) && strstr(err.text, " since 20") &&
                      strstr(err.text, "--output"),
                  "%s", err.text);
    ck_assert_int_eq(lock, -1);
    kill(first, SIGKILL);
    ck_assert_int_eq(waitpid(first, NULL, 0), first);
    ck_assert_int_eq(ladder_class_lock(folder, told, &lock, &err), KL_OK);
    pid_t worker = fork(); // a worker that outlives its run holds nothing
    if (worker == 0) {
        pause();
        _exit(0);
    }
    fflush(told);
    ck_assert_msg(strstr(notes, pid) && strstr(notes, "has died"), "%s", notes);
    ladder_class_unlock(lock);
    rewind(told);
    ck_assert_int_eq(ladder_class_lock(folder, told, &lock, &err), KL_OK);
    fclose(told);
    ck_assert_str_eq(notes, ""); // one that has ended by itself is none
    ladder_class_unlock(lock);
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    free(notes);
    // Of another machine nothing is known.
    ladder_path(path, &err, "%s/class/lock", folder);
    ck_assert_int_eq(ladder_file_write(path, "node7.x 12 34 2026-11-28T20:00:00Z\n", 35, &err),
                     KL_OK);
    ck_assert_int_eq(ladder_class_lock(folder, stderr, &lock, &err), KL_ERROR_SYSTEM);
    ck_assert_msg(strstr(err.text, "process 12 on node7.x") && strstr(err.text, "class/lock"), "%s",
                  err.text);
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, path, 100, &text, NULL, &err), KL_OK);
    ck_assert_ptr_nonnull(strstr(text, "node7.x")); // and it stays
    free(text);
    ck_assert_int_eq(ladder_file_write(path, "\377 x", 3, &err), KL_OK); // damaged
    ck_assert_int_eq(ladder_class_lock(folder, stderr, &lock, &err), KL_OK);
    ladder_class_unlock(lock);
}
END_TEST

START_TEST(a_stopped_run_is_known) {
    ck_assert(!ladder_journal_read(folder, lab()).unfinished); // there is none
    run(UINT64_MAX - 3, true, 2, false);
    ladder_journal_state state = ladder_journal_read(folder, lab());
    ck_assert(state.unfinished && state.seed == UINT64_MAX - 3);
    ck_assert_uint_eq(state.graded, 2);
    run(state.seed, false, 1, false); // goes on, and is stopped again
    ck_assert_uint_eq(ladder_journal_read(folder, lab()).graded, 3);
    ck_assert(!ladder_journal_read(folder, ladder_lab_find("gemm")).unfinished);
    run(state.seed, false, 1, true);
    ck_assert(!ladder_journal_read(folder, lab()).unfinished); // its reports have told the seed
}
END_TEST

START_TEST(a_torn_or_forged_line_says_nothing) {
    run(7, true, 1, false);
    int fd = open(path, O_WRONLY | O_APPEND);
    ck_assert_int_eq(write(fd, "graded stud", 11), 11); // killed in the middle of a line
    close(fd);
    ck_assert_uint_eq(ladder_journal_read(folder, lab()).graded, 1);
    run(7, false, 1, false);
    ck_assert(ladder_journal_read(folder, lab()).unfinished);
    char line[400];
    snprintf(line, sizeof line, "run %s %s 99 %064d\n", lab()->folder, lab()->rubric->hash, 0);
    fd = open(path, O_WRONLY | O_APPEND);
    ck_assert(write(fd, line, strlen(line)) > 0);
    close(fd);
    ck_assert(!ladder_journal_read(folder, lab()).unfinished); // not signed
}
END_TEST

START_TEST(a_full_disk_is_told) {
    ladder_journal journal = {.fd = open("/dev/full", O_WRONLY)};
    if (journal.fd < 0) return; // no such device here
    snprintf(journal.path, sizeof journal.path, "results/class/journal");
    ck_assert_int_eq(ladder_journal_begin(&journal, "ann", &err), KL_ERROR_SYSTEM);
    ck_assert_ptr_nonnull(strstr(err.text, "results/class/journal cannot be written: No space"));
    ck_assert_ptr_nonnull(strstr(err.text, "--resume"));
    ladder_journal_close(&journal, false);
}
END_TEST

START_TEST(the_time_left_follows_what_was_graded) {
    char text[64];
    ladder_progress p = {.count = 100, .finished = 40, .title = "ann"};
    ck_assert_str_eq(ladder_progress_left(&p, text, sizeof text), ""); // 40 kept: no rate yet
    p = (ladder_progress){100, 50, 10, 20, "ann"};                     // 2 s each
    ck_assert_str_eq(ladder_progress_left(&p, text, sizeof text), "about 2 min left");
    p.finished = 90;
    ck_assert_str_eq(ladder_progress_left(&p, text, sizeof text), "about 20 s left");
    p = (ladder_progress){1000, 1, 1, 60, "ann"};
    ck_assert_str_eq(ladder_progress_left(&p, text, sizeof text), "about 16.6 h left");
    p.finished = 1000;
    ck_assert_str_eq(ladder_progress_left(&p, text, sizeof text), "");
}
END_TEST

START_TEST(progress_fits_its_width) {
    static const int widths[] = {79, 119};
    char text[400];
    ladder_progress p = {1000, 999, 999, 5000,
                         "Jos\xc3\xa9 Mar\xc3\xad\xc3\xa1 de la Cruz y Villanueva"};
    for (int i = 0; i < 2; i++) {
        ladder_progress_line(&p, widths[i], text, sizeof text);
        ck_assert_int_le(kl_text_width(text), widths[i]);
        ck_assert_ptr_nonnull(strstr(text, "graded 999 of 1000  [#####"));
    }
    ck_assert_ptr_nonnull(strstr(text, "left  Jos\xc3\xa9 Mar\xc3\xad\xc3\xa1 de la"));
}
END_TEST

KL_TEST_MAIN_WITH("class journal", set_up, tear_down, a_stopped_run_is_known,
                  a_folder_of_results_is_one_run_s, a_torn_or_forged_line_says_nothing,
                  a_full_disk_is_told, the_time_left_follows_what_was_graded,
                  progress_fits_its_width)
