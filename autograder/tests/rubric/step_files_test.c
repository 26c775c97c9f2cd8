// SPDX-License-Identifier: MIT
// A student's folder of steps in a kit of one lab: files that are not there, that got another name,
// and copies.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "grade/rubric/lab_files.h"
#include "suite.h"

static ladder_kit kit;
static const ladder_lab *lab;
static char steps[LADDER_PATH];

// A file in the folder of steps, last saved `age_s` seconds ago.
static void put(const char *name, int age_s) {
    char path[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    ck_assert_int_eq(ladder_path(path, &err, "%s/%s", steps, name), KL_OK);
    ck_assert_int_eq(ladder_file_write(path, "\n", 1, &err), KL_OK);
    struct timespec times[2] = {{.tv_sec = time(NULL) - age_s}, {.tv_sec = time(NULL) - age_s}};
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void drop(const char *name) {
    char path[LADDER_PATH];
    ck_assert_int_eq(ladder_path(path, NULL, "%s/%s", steps, name), KL_OK);
    ck_assert_int_eq(unlink(path), 0);
}

static void set_up(void) {
    kl_error err = {KL_OK, ""};
    lab = ladder_lab_find("reduction");
    ck_assert_int_eq(ladder_folder_temporary(kit.source, &err), KL_OK);
    ck_assert_int_eq(ladder_path(steps, &err, "%s/labs/%s/steps", kit.source, lab->folder), KL_OK);
    ck_assert_int_eq(ladder_folder_make(steps, &err), KL_OK);
    put("3_sequential.cu", 60);
}

// What is said of step 3: the error, or the note on standard error.
static const char *said(void) {
    static char text[KL_ERROR_TEXT];
    kl_error err = {KL_OK, ""};
    FILE *note = tmpfile();
    int before = dup(STDERR_FILENO), step = 3;
    fflush(stderr);
    dup2(fileno(note), STDERR_FILENO);
    setenv("COLUMNS", "1000", 1);
    kl_status status = ladder_step_files_require(&kit, lab, &step, 1, &err);
    unsetenv("COLUMNS");
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(note);
    text[fread(text, 1, sizeof text - 1, note)] = '\0';
    fclose(note);
    if (status != KL_OK) memcpy(text, err.text, sizeof text);
    return text;
}

static void expect(const char *part) {
    const char *text = said();
    ck_assert_msg(strstr(text, part) != NULL, "\"%s\" is not in: %s", part, text);
}

START_TEST(what_is_in_order_is_not_spoken_of) {
    set_up();
    ck_assert_str_eq(said(), "");
    put("13_other.cu", 0); // neither this step's number nor its name
    put("notes.txt", 0);
    put("3_sequential.cu.bak2", 90); // an older copy
    ck_assert_str_eq(said(), "");
    ladder_folder_remove(kit.source);
}
END_TEST

START_TEST(a_file_that_is_gone_is_named) {
    set_up();
    drop("3_sequential.cu");
    expect("labs/02_reduction/steps/3_sequential.cu is not there. Copy it again");
    put("sequential.cu", 0);
    expect("\"sequential.cu\" beside it has another name");
    drop("sequential.cu");
    put("3_sequential.cu.txt", 0);
    expect("\"3_sequential.cu.txt\" beside it has another name");
    ladder_folder_remove(kit.source);
}
END_TEST

START_TEST(a_copy_that_was_edited_is_told) {
    set_up();
    put("3_sequential (copy).cu", 0);
    expect("note: \"3_sequential (copy).cu\" was saved after");
    ladder_folder_remove(kit.source);
}
END_TEST

KL_TEST_MAIN("step_files", what_is_in_order_is_not_spoken_of, a_file_that_is_gone_is_named,
             a_copy_that_was_edited_is_told)
