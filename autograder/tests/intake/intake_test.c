// SPDX-License-Identifier: MIT
// Bulk downloads as course systems name them, archives of students, folders in folders, odd texts:
// who handed in what, and which files are taken. Grading itself is no part of it.
// links: ladder_package_ARCHIVE
// needs: ladder-unpack
#include "grade/intake/intake.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grade/intake/internal.h"
#include "utilities/files.h"
#include "ladder_config.h"
#include "make_archive.h"
#include "suite.h"

static kl_error err;
static char folder[LADDER_PATH], staging[LADDER_PATH];
static const ladder_lab *lab;
static ladder_intake taken;
static ladder_step_file files[LADDER_STEPS_MAX];
static ladder_result result;

static void set_up(void) {
    char top[LADDER_PATH];
    lab = ladder_lab_find("reduction");
    ck_assert_ptr_nonnull(lab);
    ck_assert_int_eq(ladder_folder_temporary(top, &err), KL_OK);
    ladder_path(folder, &err, "%s/in", top);
    ladder_path(staging, &err, "%s/staging", top);
    ck_assert_int_eq(ladder_folder_make(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_folder_make(staging, &err), KL_OK);
}

static void tear_down(void) {
    free(taken.list);
    taken.list = NULL;
    *strrchr(folder, '/') = '\0';
    ladder_folder_remove(folder);
}

static void put(const char *name, const char *text) {
    char path[LADDER_PATH], above[LADDER_PATH];
    ladder_path(path, &err, "%s/%s", folder, name);
    snprintf(above, sizeof above, "%s", path);
    *strrchr(above, '/') = '\0';
    ck_assert_int_eq(ladder_folder_make(above, &err), KL_OK);
    ck_assert_int_eq(ladder_file_write(path, text, strlen(text), &err), KL_OK);
}

static archive_maker *archive(const char *name) {
    char path[LADDER_PATH];
    put(name, ""); // and the folders above
    ladder_path(path, &err, "%s/%s", folder, name);
    unlink(path);
    return archive_maker_open(path);
}

// An archive of one file.
static void pack(const char *name, const char *entry, const char *text) {
    archive_maker *m = archive(name);
    archive_maker_text(m, entry, text);
    archive_maker_close(m);
}

// Takes what lies below `folder` (relative; "" for itself).
static void take(const char *what, const char *layout) {
    char path[LADDER_PATH];
    ladder_folder_remove(staging);
    ck_assert_int_eq(ladder_folder_make(staging, &err), KL_OK);
    ladder_path(path, &err, "%s%s%s", folder, *what != '\0' ? "/" : "", what);
    ck_assert_msg(ladder_intake_take(path, layout, lab, staging, &taken, &err) == KL_OK, "%s",
                  err.text);
}

static const ladder_submission *find(const char *title) {
    for (size_t i = 0; i < taken.count; i++)
        if (strcmp(taken.list[i].title, title) == 0) return &taken.list[i];
    ck_abort_msg("no submission of %s", title);
    return NULL;
}

// Whether a student's step (an index of the rubric) has this text; NULL: is absent.
static void holds(const char *title, int step, const char *text) {
    memset(&result, 0, sizeof result);
    ck_assert_int_eq(ladder_submission_read(find(title), lab, files, &result, &err), KL_OK);
    if (!text)
        ck_assert_msg(!files[step].present, "%s has step %d", title, step);
    else
        ck_assert_msg(files[step].text && strcmp(files[step].text, text) == 0,
                      "%s: step %d is \"%s\"", title, step,
                      files[step].text ? files[step].text : "absent");
    ladder_submission_free(files, lab->rubric->step_count);
}

static bool says(const char *text, const char *part) {
    return strstr(text, part);
}

// Whether the line on what was found has this.
static bool described(const char *part) {
    char line[400];
    ladder_intake_describe(&taken, line, sizeof line);
    return says(line, part);
}

START_TEST(canvas_files_of_one_student_are_one_submission) {
    set_up();
    put("leeann_10_501_1_interleaved.cu", "old");
    put("leeann_10_502_1_interleaved-1.cu", "new");
    put("leeann_10_503_2_strided.cu", "two");
    put("raybob_LATE_11_504_1_interleaved.cu", "bob");
    put("leeann_12_505_1_interleaved.cu", "another of this name");
    take("", NULL);
    ck_assert_int_eq(taken.layout, LADDER_LAYOUT_CANVAS);
    ck_assert_uint_eq(taken.count, 3);
    ck_assert_str_eq(taken.list[0].title, "leeann"); // two of them, told apart by number and id
    ck_assert_str_eq(taken.list[1].title, "leeann");
    ck_assert_str_ne(taken.list[0].id, taken.list[1].id);
    ck_assert_str_eq(taken.list[0].user, "10");
    ck_assert(says(taken.list[0].note, "501_1_interleaved.cu"));
    ck_assert(!taken.list[0].late && find("raybob")->late);
    holds("leeann", 1, "new");
    holds("leeann", 2, "two");
    holds("raybob", 1, "bob");
    tear_down();
}
END_TEST

START_TEST(moodle_folders_and_flat_files_are_read) {
    set_up();
    put("Ann Lee_101_assignsubmission_file/1_interleaved.cu", "ann");
    put("Jos\xc3\xa9 Ruiz_102_assignsubmission_file_/hand in/steps/1_interleaved.cu", "jos");
    put("Bob Ray_103_assignsubmission_file_2_strided.cu", "bob");
    put("Bob Ray_103_assignsubmission_file_1_interleaved.cu", "bob1");
    put("Bob Ray_103_assignsubmission_onlinetext/onlinetext.html", "text");
    char path[LADDER_PATH];
    ladder_path(path, &err, "%s/Eve_104_assignsubmission_file", folder);
    ck_assert_int_eq(symlink("Ann Lee_101_assignsubmission_file", path), 0);
    take("", NULL);
    ck_assert_int_eq(taken.layout, LADDER_LAYOUT_MOODLE);
    ck_assert_uint_eq(taken.count, 4);
    ck_assert(described(": 4 submissions, 1 that cannot be read, 1 other entry not used"));
    ck_assert(says(find("Eve")->problem, "a symbolic link, and links are not followed: hand in"));
    ck_assert_uint_eq(taken.unused, 1);
    ck_assert_str_eq(find("Jos\xc3\xa9 Ruiz")->user, "102");
    holds("Ann Lee", 1, "ann");
    holds("Jos\xc3\xa9 Ruiz", 1, "jos");
    holds("Bob Ray", 1, "bob1");
    holds("Bob Ray", 2, "bob");
    tear_down();
}
END_TEST

static const char metadata[] = "submission_11:\n"
                               "  :submitters:\n"
                               "  - :name: Ann Lee\n"
                               "    :sid: '300'\n"
                               "    :email: ann@example.edu\n"
                               "  - :name: \"Bob Ray\"\n"
                               "    :email: bob@example.edu\n"
                               "  :created_at: 2026-11-20 21:04:12.034567000 Z\n"
                               "  :score: 3.0\n"
                               "  :history:\n"
                               "  - :created_at: 2026-11-01 00:00:00.000000000 Z\n"
                               "submission_1:\n"
                               "  :submitters:\n"
                               "  - :name: Cy <b>\x1b[31m\n";

START_TEST(gradescope_names_come_from_its_metadata) {
    if (!LADDER_HAVE_YAML) return;
    set_up();
    put("export/submission_metadata.yml", metadata);
    put("export/submission_11/1_interleaved.cu", "eleven");
    put("export/submission_1/a/b/1_interleaved.cu", "one");
    put("export/submission_7/1_interleaved.cu", "seven");
    put("__MACOSX/export/._x", "x");
    take("", NULL);
    ck_assert_int_eq(taken.layout, LADDER_LAYOUT_GRADESCOPE);
    ck_assert_uint_eq(taken.count, 3);
    const ladder_submission *pair = find("Ann Lee, Bob Ray");
    ck_assert_str_eq(pair->id, "submission_11");
    ck_assert_str_eq(pair->user, "300");
    ck_assert_str_eq(pair->submitted, "2026-11-20 21:04:12.034567000 Z");
    holds("Ann Lee, Bob Ray", 1, "eleven");
    holds("Cy <b>?[31m", 1, "one");
    holds("submission_7", 1, "seven");
    tear_down();
}
END_TEST

START_TEST(repositories_lose_what_their_names_share) {
    set_up();
    put("lab-2-ann/.git/HEAD", "ref");
    put("lab-2-ann/.git/1_interleaved.cu", "not this");
    put("lab-2-ann/labs/02_reduction/steps/1_interleaved.cu", "ann");
    put("lab-2-ann/solutions/02_reduction/steps/1_interleaved.cu", "the kit's");
    put("lab-2-ann/labs/01_transpose/steps/1_interleaved.cu", "another lab's");
    put("lab-2-bob-ray/.git/HEAD", "ref");
    put("lab-2-bob-ray/2_strided.cu", "bob");
    take("", NULL);
    ck_assert_int_eq(taken.layout, LADDER_LAYOUT_CLASSROOM);
    ck_assert_uint_eq(taken.count, 2);
    ck_assert_str_eq(find("bob-ray")->user, "bob-ray");
    holds("ann", 1, "ann");
    holds("bob-ray", 2, "bob");
    ck_assert_ptr_nonnull(strstr(find("ann")->note, "not used"));
    tear_down();
}
END_TEST

START_TEST(plain_folders_are_looked_through) {
    set_up();
    put("ann/homework/final/1_interleaved.cu", "ann");
    put("bob/steps/1_interleaved.cu", "bob");
    put("bob/old/1_interleaved.cu", "old");
    put("bob/old/2_strided.cu", "old");
    put("cy/report.txt", "nothing");
    put("3_sequential-dan.cu", "dan");
    put("3_lock_step.cu", "eve"); // "step" without a number says nothing
    put("2-footsteps of fay.cu", "fay");
    take("", NULL);
    ck_assert_int_eq(taken.layout, LADDER_LAYOUT_PLAIN);
    ck_assert_uint_eq(taken.count, 6);
    holds("ann", 1, "ann");
    holds("bob", 1, "bob");
    holds("bob", 2, NULL);
    holds("cy", 1, NULL);
    holds("3_sequential-dan.cu", 3, "dan");
    holds("3_lock_step.cu", 3, "eve");
    holds("2-footsteps of fay.cu", 2, "fay");
    free(taken.list);
    taken.list = NULL;
    // Forced: nothing here has a name of Canvas's.
    take("", "canvas");
    ck_assert_uint_eq(taken.count, 0);
    ck_assert_uint_eq(taken.unused, 6);
    tear_down();
}
END_TEST

static void must_have_archives(void) {
    if (!archive_maker_can()) exit(0); // said by CMake: no libarchive
}

START_TEST(archives_are_unpacked) {
    must_have_archives();
    set_up();
    archive_maker *m = archive("ann.zip");
    archive_maker_text(m, "__MACOSX/steps/._1_interleaved.cu", "mac");
    archive_maker_text(m, "steps/.DS_Store", "mac");
    archive_maker_text(m, "steps/1_interleaved.cu", "ann");
    archive_maker_symlink(m, "steps/2_strided.cu", "/etc/passwd");
    archive_maker_close(m);
    m = archive("bob.tar.gz");
    archive_maker_text(m, "bob/1_interleaved.cu", "bob");
    archive_maker_text(m, "caf\xe9/x.cu", "Latin-1 in a name");
    archive_maker_close(m);
    pack("cy/hand in.tgz", "1_interleaved.cu", "cy");
    put("broken.zip", "PK\x03\x04 and no more");
    put("empty.tar.gz", "");
    put("dan.rar", "Rar!");
    pack("eve.tar", "../1_interleaved.cu", "eve");
    take("", NULL);
    ck_assert_int_eq(taken.layout, LADDER_LAYOUT_PLAIN);
    ck_assert_uint_eq(taken.count, 7);
    ck_assert(described(": 7 submissions, 7 archives, 4 that cannot be read"));
    holds("ann.zip", 1, "ann");
    holds("ann.zip", 2, NULL);
    ck_assert(says(find("ann.zip")->note, "2_strided.cu"));
    holds("bob.tar.gz", 1, "bob");
    holds("cy", 1, "cy");
    ck_assert(says(find("dan.rar")->problem, "no archive of a kind that is read; hand in a .zip"));
    ck_assert(says(find("eve.tar")->problem, "outside"));
    ck_assert(find("empty.tar.gz")->problem[0] != '\0');
    holds("broken.zip", 1, NULL);
    ck_assert(files[1].unreadable && says(files[1].message, "cannot be read: broken.zip"));
    tear_down();
}
END_TEST

START_TEST(an_archive_is_a_class_or_one_student) {
    must_have_archives();
    set_up();
    archive_maker *m = archive("steps.zip"); // a student's, within Canvas's
    archive_maker_text(m, "steps/1_interleaved.cu", "in the archive");
    archive_maker_text(m, "steps/2_strided.cu", "two");
    archive_maker_close(m);
    char path[LADDER_PATH], *bytes = NULL;
    size_t count = 0;
    ladder_path(path, &err, "%s/steps.zip", folder);
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, path, 1 << 20, &bytes, &count, &err), KL_OK);
    m = archive("submissions.zip");
    archive_maker_file(m, "leeann_10_501_steps.zip", bytes, count);
    archive_maker_text(m, "leeann_10_502_1_interleaved.cu", "beside it");
    archive_maker_text(m, "raybob_11_503_1_interleaved.cu", "bob");
    archive_maker_close(m);
    free(bytes);
    take("submissions.zip", NULL);
    ck_assert_int_eq(taken.layout, LADDER_LAYOUT_CANVAS);
    ck_assert_uint_eq(taken.count, 2);
    holds("leeann", 1, "beside it");
    holds("leeann", 2, "two");
    free(taken.list);
    taken.list = NULL;
    take("steps.zip", NULL);
    ck_assert_uint_eq(taken.count, 1);
    holds("steps.zip", 2, "two");
    free(taken.list);
    taken.list = NULL;
    m = archive("wrapped.tgz");
    archive_maker_text(m, "class/ann/1_interleaved.cu", "ann");
    archive_maker_text(m, "class/bob/1_interleaved.cu", "bob");
    archive_maker_close(m);
    take("wrapped.tgz", NULL);
    ck_assert_uint_eq(taken.count, 2);
    holds("bob", 1, "bob");
    free(taken.list);
    taken.list = NULL;
    put("class.zip", "no archive");
    ladder_path(path, &err, "%s/class.zip", folder);
    ck_assert_int_eq(ladder_intake_take(path, NULL, lab, staging, &taken, &err), KL_ERROR_INPUT);
    ck_assert(says(err.text, "class.zip cannot be read"));
    tear_down();
}
END_TEST

START_TEST(gradescope_lists_who_is_missing_and_all_of_a_group) {
    if (!LADDER_HAVE_YAML) return;
    set_up();
    put("submission_metadata.yml", metadata);
    put("submission_11/1_interleaved.cu", "eleven");
    put("submission_7/report.txt", "no code");
    take("", NULL);
    ck_assert_uint_eq(taken.count, 3); // submission_1 is in the metadata alone
    ck_assert_uint_eq(taken.missing, 1);
    const ladder_submission *pair = find("Ann Lee, Bob Ray");
    ck_assert_str_eq(pair->members, "Ann Lee\t300\tann@example.edu\nBob Ray\tbob@example.edu\n");
    ck_assert(
        says(find("Cy <b>?[31m")->problem, "the download has no file of this lab in submission_1"));
    ck_assert(
        says(find("submission_7")->problem, "no step file of this lab (such as 1_interleaved.cu)"));
    char line[400];
    ladder_intake_describe(&taken, line, sizeof line);
    ck_assert_msg(says(line, "3 submissions, 1 without a step file, 1 listed without a file"), "%s",
                  line);
    tear_down();
}
END_TEST

// Moodle hands out each member's copy of what a group handed in.
START_TEST(moodle_groups_are_one_submission) {
    set_up();
    put("Group A-Ann Lee_101_assignsubmission_file/1_interleaved.cu", "together");
    put("Group A-Bob Ray_102_assignsubmission_file/1_interleaved.cu", "together");
    put("Group B-Jean-Luc Roe_103_assignsubmission_file/1_interleaved.cu", "alone");
    put("Group C-Di Fox_104_assignsubmission_file/1_interleaved.cu", "together"); // copied it
    take("", NULL);
    ck_assert_uint_eq(taken.count, 3);
    ck_assert_uint_eq(taken.teams, 1);
    ck_assert_str_eq(find("Group A: Ann Lee, Bob Ray")->members,
                     "Ann Lee\tParticipant 101\nBob Ray\tParticipant 102\n");
    ck_assert_str_eq(find("Group B-Jean-Luc Roe")->members, "Jean-Luc Roe\tParticipant 103\n");
    holds("Group A: Ann Lee, Bob Ray", 1, "together");
    free(taken.list);
    put("Eve Kim_105_assignsubmission_file/1_interleaved.cu", "x"); // then there are no groups
    take("", NULL);
    ck_assert_uint_eq(taken.count, 5);
    ck_assert_str_eq(find("Group B-Jean-Luc Roe")->members,
                     "Group B-Jean-Luc Roe\tParticipant 103\n");
    tear_down();
}
END_TEST

START_TEST(canvas_has_a_test_student) {
    set_up();
    put("leeann_10_501_1_interleaved.cu", "ann");
    put("studenttest_11_502_1_interleaved.cu", "a trial");
    put("raybob_12_503_report.pdf", "no code");
    take("", NULL);
    ck_assert(find("studenttest")->is_test && !find("leeann")->is_test);
    ck_assert(says(find("raybob")->problem, "no step file of this lab"));
    tear_down();
}
END_TEST

// Packs an archive's file into another archive.
static void pack_into(const char *outer, const char *inner, const char *name) {
    char path[LADDER_PATH], *bytes = NULL;
    size_t count = 0;
    ladder_path(path, &err, "%s/%s", folder, inner);
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, path, 1 << 20, &bytes, &count, &err), KL_OK);
    unlink(path);
    archive_maker *m = archive(outer);
    archive_maker_file(m, name, bytes, count);
    archive_maker_close(m);
    free(bytes);
}

// Who handed in something else in a class's archive is on the list, too.
START_TEST(no_student_vanishes_in_an_archive) {
    must_have_archives();
    set_up();
    archive_maker *m = archive("moodle.zip");
    archive_maker_text(m, "Ann Lee_101_assignsubmission_file/1_interleaved.cu", "ann");
    archive_maker_text(m, "Bob Ray_102_assignsubmission_file/report.pdf", "no code");
    archive_maker_text(m, "Cy Dee_103_assignsubmission_file/notes", "x");
    archive_maker_text(m, "Cy Dee_103_assignsubmission_file/notes/1_interleaved.cu", "cy");
    archive_maker_text(m, "README.pdf", "nobody's");
    archive_maker_close(m);
    take("moodle.zip", NULL);
    ck_assert_uint_eq(taken.count, 3);
    holds("Ann Lee", 1, "ann");
    holds("Cy Dee", 1, "cy"); // what is not wanted is in nobody's way
    ck_assert(says(find("Bob Ray")->problem, "no step file of this lab"));
    free(taken.list);
    m = archive("canvas.zip");
    archive_maker_text(m, "leeann_10_501_1_interleaved.cu", "ann");
    archive_maker_text(m, "raybob_12_503_report.pdf", "no code");
    archive_maker_close(m);
    take("canvas.zip", NULL);
    ck_assert_uint_eq(taken.count, 2);
    ck_assert(find("raybob")->problem[0] != '\0');
    tear_down();
}
END_TEST

START_TEST(an_archive_in_an_archive_is_opened_once) {
    must_have_archives();
    set_up();
    for (int i = 0; i < 2; i++) {
        pack("inner.zip", "steps/1_interleaved.cu", "nested");
        pack_into(i == 0 ? "ann.zip" : "middle.zip", "inner.zip", "hand in/work.zip");
    }
    pack_into("bob.zip", "middle.zip", "middle.zip");
    pack("cy.zip", "other.cu", "of no step");
    pack("dan.zip", "inside.rar", "Rar!");
    archive_maker *m = archive("inner.zip"); // limits hold for the inner one
    char *zeros = calloc(1, 32 << 20);
    archive_maker_file(m, "1_interleaved.cu", zeros, 32 << 20);
    archive_maker_close(m);
    free(zeros);
    pack_into("eve.zip", "inner.zip", "inner.zip");
    put("inner.zip", "PK\x03\x04 and no more");
    pack_into("fay.zip", "inner.zip", "inner.zip");
    take("", NULL);
    ck_assert_uint_eq(taken.count, 6);
    ck_assert(says(find("eve.zip")->problem, "inner.zip: it unpacks to more than"));
    ck_assert(says(find("fay.zip")->problem, "inner.zip: it is"));
    holds("ann.zip", 1, "nested");
    ck_assert(says(find("ann.zip")->note, "taken from an archive in the archive: work.zip"));
    ck_assert(says(find("bob.zip")->problem, "no step file of this lab"));
    ck_assert(says(find("bob.zip")->note, "an archive within two others is not read: work.zip"));
    ck_assert(says(find("cy.zip")->problem, "in cy.zip; not taken: other.cu (not a step's name)"));
    ck_assert(says(find("dan.zip")->problem, "inside.rar: it is damaged, or no archive"));
    holds("bob.zip", 1, NULL);
    ck_assert(files[1].unreadable); // and so no 0
    tear_down();
}
END_TEST

#define NINETY                                                                                     \
    "123456789_123456789_123456789_123456789_123456789_123456789_123456789_123456789_123456789_"

// A row of the ways to pack: archive, the names of step 1 and step 2 in it (NULL: none), what is
// noted.
static const struct packing {
    const char *archive, *first, *second, *noted;
} packings[] = {
    {"dot.tgz", "./1_interleaved.cu", "./2_strided.cu", NULL},
    {"dot_steps.tar", "./steps/1_interleaved.cu", "./steps/./2_strided.cu", NULL},
    {"absolute.tgz", "/home/gus/steps/1_interleaved.cu", "/home/gus/steps/2_strided.cu", NULL},
    {"slashes.zip", "//steps//1_interleaved.cu", "/steps/2_strided.cu", NULL},
    {"backslashes.zip", "hand in\\steps\\1_interleaved.cu", "hand in\\steps\\2_strided.cu", NULL},
    {"mixed.zip", "a/b\\1_interleaved.cu", "a\\b/2_strided.cu", NULL},
    {"drive.zip", "C:\\Users\\gus\\1_interleaved.cu", "C:\\Users\\gus\\2_strided.cu", NULL},
    {"deep.zip", "a/b/c/d/e/f/g/h/1_interleaved.cu", "a/b/c/d/e/f/g/h/2_strided.cu", NULL},
    {"kit.zip", "kit-main/labs/02_reduction/steps/1_interleaved.cu",
     "kit-main/labs/02_reduction/steps/2_strided.cu", NULL},
    {"case.zip", "1_Interleaved.CU", "2_STRIDED.cu", "\"2_STRIDED.cu\" is taken for 2_strided.cu"},
    {"blanks.zip", "1_interleaved.cu ", " 2_strided.cu.", "is taken for 1_interleaved.cu"},
    {"mark.zip",
     "\xef\xbb\xbf"
     "1_interleaved.cu",
     "2_strided.cu\xe2\x80\x8f", NULL},
    {"browser.zip", "1_interleaved (1).cu", "2_strided(12).cu",
     "\"1_interleaved (1).cu\" is taken"},
    {"copies.tgz", "Copy of 1_interleaved.cu", "2_strided - Copy (2).cu", "taken for 2_strided.cu"},
    {"kopien.tgz", "Kopie von 1_interleaved.cu", "2_strided \xe2\x80\x93 Kopie.cu", NULL},
    {"separators.tgz", "1-interleaved.cu", "2 Strided.cu", NULL},
    {"prefix.zip", "gus_1_interleaved.cu", "gus lee - 2_strided.cu", NULL},
    {"nfd.tgz", "Jose\xcc\x81/1_interleaved.cu", "Jose\xcc\x81/2_strided.cu", NULL},
    {"seven.7z", "steps/1_interleaved.cu", "steps/2_strided.cu", NULL},
    {"x.tar.xz", "./steps/1_interleaved.cu", "./steps/2_strided.cu", NULL},
    {"1_interleaved.cu.gz", "only", NULL, NULL},
    {"long.tgz", NINETY "/" NINETY "/1_interleaved.cu", NINETY "/" NINETY "/2_strided.cu", NULL},
    {"no_ending", "1_interleaved.cu", "2_strided.cu", NULL},
    {"of_two.zip", "first/1_interleaved.cu", "second/2_strided.cu", "steps are taken from second"},
};

// Steps 1 and 2, stored, in the RAR 5.0 archive format (rarlab.com/technote.htm): no library here
// writes it.
static const unsigned char rar[] = {
    82,  97,  114, 33,  26,  7,   1,   0,   197, 26,  51,  50,  3,   1,   0,   0,   97,  227, 210,
    214, 37,  2,   2,   3,   4,   3,   164, 131, 2,   241, 134, 108, 122, 0,   1,   22,  115, 116,
    101, 112, 115, 47,  49,  95,  105, 110, 116, 101, 114, 108, 101, 97,  118, 101, 100, 46,  99,
    117, 111, 110, 101, 243, 175, 189, 157, 33,  2,   2,   3,   4,   3,   164, 131, 2,   102, 138,
    202, 17,  0,   1,   18,  115, 116, 101, 112, 115, 47,  50,  95,  115, 116, 114, 105, 100, 101,
    100, 46,  99,  117, 116, 119, 111, 25,  178, 58,  53,  3,   5,   0,   0};

START_TEST(every_way_of_packing_is_taken) {
    must_have_archives();
    set_up();
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        const struct packing *p = &packings[i];
        archive_maker *m = archive(p->archive);
        archive_maker_text(m, p->first, "one");
        if (p->second) archive_maker_text(m, p->second, "two");
        archive_maker_close(m);
    }
    char path[LADDER_PATH], own[LADDER_PATH];
    put("real.rar", "");
    ladder_path(path, &err, "%s/real.rar", folder);
    ck_assert_int_eq(ladder_file_write(path, rar, sizeof rar, &err), KL_OK);
    take("", NULL);
    ck_assert_uint_eq(taken.count, sizeof packings / sizeof *packings + 1);
    holds("real.rar", 1, "one");
    holds("real.rar", 2, "two");
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++) {
        const struct packing *p = &packings[i];
        holds(p->archive, 1, "one");
        holds(p->archive, 2, p->second ? "two" : NULL);
        bool noted = !p->noted;
        for (int n = 0; n < result.note_count; n++)
            noted = noted || says(result.notes[n], p->noted);
        ck_assert_msg(noted, "%s: no note \"%s\"", p->archive, p->noted);
        // And each by itself, as PATH of the command line.
        static ladder_submission alone;
        ladder_path(path, &err, "%s/%s", folder, p->archive);
        ladder_path(own, &err, "%s/alone%zu", staging, i);
        ck_assert_int_eq(ladder_folder_make(own, &err), KL_OK);
        ck_assert_int_eq(ladder_intake_take_one(path, lab, own, &alone, &err), KL_OK);
        ck_assert_msg(alone.problem[0] == '\0', "%s", alone.problem);
        ck_assert_str_eq(alone.title, p->archive);
        ck_assert_int_eq(ladder_submission_read(&alone, lab, files, &result, &err), KL_OK);
        ck_assert(files[1].text && strcmp(files[1].text, "one") == 0);
        ladder_submission_free(files, lab->rubric->step_count);
    }
    tear_down();
}
END_TEST

// Names of a class's archive as tar and Windows write them.
START_TEST(a_class_is_packed_in_every_way) {
    must_have_archives();
    set_up();
    static const char *const tops[] = {"./%s/1_interleaved.cu", "/home/prof/in/%s/1_interleaved.cu",
                                       "class\\%s\\1_interleaved.cu", "./%s/steps/1_interleaved.cu",
                                       "./%s_1_assignsubmission_file/1_interleaved.cu"};
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
        archive_maker *m = archive("class.tgz");
        for (int k = 0; k < 2; k++) {
            char name[128];
            snprintf(name, sizeof name, tops[i], k == 0 ? "ann" : "bob");
            archive_maker_text(m, name, k == 0 ? "ann" : "bob");
        }
        archive_maker_close(m);
        free(taken.list);
        take("class.tgz", NULL);
        ck_assert_uint_eq(taken.count, 2);
        holds("ann", 1, "ann");
        holds("bob", 1, "bob");
    }
    archive_maker *m = archive("class.tgz"); // nobody vanishes who handed in a link alone
    archive_maker_text(m, "./ann/1_interleaved.cu", "ann");
    archive_maker_symlink(m, "./bob/1_interleaved.cu", "../ann/1_interleaved.cu");
    archive_maker_close(m);
    free(taken.list);
    take("class.tgz", NULL);
    ck_assert_uint_eq(taken.links, 1);
    ck_assert(says(find("bob")->problem, "bob/1_interleaved.cu (a link; links are not followed)"));
    pack("steps.tgz", "./1_interleaved.cu", "inner");
    pack_into("outer.zip", "steps.tgz", "./ann.tgz"); // a class of one, as an archive of archives
    free(taken.list);
    take("outer.zip", NULL);
    ck_assert_uint_eq(taken.count, 1);
    holds("ann.tgz", 1, "inner");
    tear_down();
}
END_TEST

// Each refusal says what was seen, where, why and what to do, and is no 0.
START_TEST(what_is_not_taken_is_told) {
    must_have_archives();
    set_up();
    archive_maker *m = archive("names.zip");
    static const char *const names[] = {"step3.cu",      "1_interleaved.cu.txt",
                                        "interleavd.cu", "4_first_add.cpp",
                                        "report.pdf",    "a.png",
                                        "b.png"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) archive_maker_text(m, names[i], "x");
    archive_maker_close(m);
    m = archive("link.tgz");
    archive_maker_symlink(m, "1_interleaved.cu", "../bob/1_interleaved.cu");
    archive_maker_close(m);
    pack("mac.zip", "__MACOSX/._1_interleaved.cu", "x");
    pack("pass.secret.zip", "1_interleaved.cu", "x");
    m = archive("many.tgz");
    for (int i = 0; i < 10321; i++) archive_maker_text(m, "f", "");
    archive_maker_close(m);
    pack("climbs.tgz", "../1_interleaved.cu", "x");
    put("bob/1_interleaved.cu", "bob");
    put("eve/notes.md", "x");
    char path[LADDER_PATH];
    ladder_path(path, &err, "%s/eve/steps", folder);
    ck_assert_int_eq(symlink("../bob", path), 0);
    ladder_path(path, &err, "%s/fay", folder);
    ck_assert_int_eq(symlink("bob", path), 0);
    take("", "plain");
    const char *problem = find("names.zip")->problem;
    static const char *const told[] = {
        "such as 1_interleaved.cu) in names.zip; not taken: ",
        "step3.cu (not a step's name; 3_sequential.cu may be meant)",
        "1_interleaved.cu.txt (not a .cu file; 1_interleaved.cu may be meant)",
        "interleavd.cu (not a step's name; 1_interleaved.cu may be meant)",
        "4_first_add.cpp (not a .cu file; 4_first_add.cu may be meant)",
        " and 2 more"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        ck_assert_msg(says(problem, told[i]), "%s: %s", told[i], problem);
    ck_assert(says(find("link.tgz")->problem, "1_interleaved.cu (a link; links are not followed)"));
    ck_assert(says(find("mac.zip")->problem, "1 hidden file was passed over"));
    ck_assert(
        says(find("pass.secret.zip")->problem, "encrypted; pack it again without a password"));
    ck_assert(
        says(find("many.tgz")->problem, "holds 10321 entries; the limit of an archive is 10000"));
    ck_assert(says(find("climbs.tgz")->problem, "outside of its own folder; pack the folder"));
    ck_assert(says(find("eve")->problem, "steps (a link; links are not followed)"));
    ck_assert(says(find("fay")->problem, "a symbolic link, and links are not followed: hand in"));
    for (size_t i = 0; i < taken.count; i++) {
        if (strcmp(taken.list[i].title, "bob") == 0) continue;
        holds(taken.list[i].title, 1, NULL);
        ck_assert(files[1].unreadable && files[1].message[0] != '\0');
    }
    free(taken.list);
    taken.list = NULL;
    put("none/notes.txt", "x"); // and a folder that is no class at all
    ladder_path(path, &err, "%s/none", folder);
    ck_assert_int_eq(ladder_intake_take(path, NULL, lab, staging, &taken, &err), KL_ERROR_INPUT);
    ck_assert(says(err.text, "not taken: notes.txt (not a .cu file)"));
    tear_down();
}
END_TEST

// As many as several processes share among them: nothing is lost, mixed up or counted twice.
START_TEST(a_large_class_is_shared) {
    enum { LARGE = 40 };
    char name[64], text[32];
    set_up();
    for (int i = 0; i < LARGE; i++) {
        snprintf(text, sizeof text, "// %d", i);
        snprintf(name, sizeof name, "s%02d/deep/1_interleaved.cu", i);
        put(i % 8 == 7 ? "none/README.txt" : name, text);
        snprintf(name, sizeof name, "s%02d/work.rar", i);
        if (i % 8 == 7) put(name, "Rar!");
    }
    take("", "plain");
    ck_assert_uint_eq(taken.count, LARGE + 1);                            // "none", too
    ck_assert(described("5 that cannot be read, 1 without a step file")); // "none"
    for (int i = 0; i < LARGE; i++) {
        snprintf(name, sizeof name, "s%02d", i);
        snprintf(text, sizeof text, "// %d", i);
        if (i % 8 == 7)
            ck_assert(says(find(name)->problem, "work.rar: it is damaged, or no archive"));
        else
            holds(name, 1, text);
    }
    for (int i = 0; i < LARGE; i++) { // and the files of one student, copied beside each other
        snprintf(name, sizeof name, "canvas/s%02d_%d_%d_2_strided.cu", i, 100 + i, 1000 + i);
        snprintf(text, sizeof text, "// %d", i);
        put(name, text);
    }
    free(taken.list);
    take("canvas", NULL);
    ck_assert_uint_eq(taken.count, LARGE);
    for (int i = 0; i < LARGE; i++) {
        snprintf(name, sizeof name, "s%02d", i);
        snprintf(text, sizeof text, "// %d", i);
        holds(name, 2, text);
    }
    tear_down();
}
END_TEST

KL_TEST_MAIN("intake", canvas_files_of_one_student_are_one_submission,
             moodle_folders_and_flat_files_are_read, gradescope_names_come_from_its_metadata,
             repositories_lose_what_their_names_share, plain_folders_are_looked_through,
             archives_are_unpacked, an_archive_is_a_class_or_one_student, a_large_class_is_shared,
             gradescope_lists_who_is_missing_and_all_of_a_group, moodle_groups_are_one_submission,
             canvas_has_a_test_student, an_archive_in_an_archive_is_opened_once,
             no_student_vanishes_in_an_archive, every_way_of_packing_is_taken,
             a_class_is_packed_in_every_way, what_is_not_taken_is_told)
