// SPDX-License-Identifier: MIT
// Bulk downloads as course systems name them, archives of students, folders in folders, odd texts:
// who handed in what, and which files are taken. Grading itself is no part of it.
#include "grade/intake/intake.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "grade/intake/archive.h"
#include "grade/intake/late.h"
#include "grade/intake/metadata.h"
#include "utilities/files.h"
#include "ladder_config.h"
#include "make_archive.h"
#include "grade/submission/source_text.h"
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

START_TEST(canvas_names_are_read) {
    static const struct {
        const char *name, *title, *user, *file;
        int attempt;
        bool late;
    } rows[] = {
        {"leeann_1234_98765_1_interleaved.cu", "leeann", "1234", "1_interleaved.cu", 0, false},
        {"leeann_LATE_1234_98765_1_interleaved-2.cu", "leeann", "1234", "1_interleaved.cu", 2,
         true},
        {"leeann_1234_98765_my_work-1.tar.gz", "leeann", "1234", "my_work.tar.gz", 1, false},
        {"o_late_brian_77_5_steps.zip", "o_late_brian", "77", "steps.zip", 0, false},
        {"anon_QeD3f_98765_steps.zip", "anon_QeD3f", "QeD3f", "steps.zip", 0, false},
        {"m\xc3\xbcllerj\xc3\xb6rg_9_8_x.cu", "m\xc3\xbcllerj\xc3\xb6rg", "9", "x.cu", 0, false},
        {"leeann_1234_text.html", NULL, NULL, NULL, 0, false},
        {"1_interleaved.cu", NULL, NULL, NULL, 0, false},
        {"_1_2_x.cu", NULL, NULL, NULL, 0, false},
        {"2_strided_1_2.cu", NULL, NULL, NULL, 0, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ladder_entry entry = {.is_folder = false};
        ladder_handed handed;
        snprintf(entry.name, sizeof entry.name, "%s", rows[i].name);
        bool known = ladder_layout_read(LADDER_LAYOUT_CANVAS, &entry, "", &handed);
        ck_assert_msg(known == (rows[i].title != NULL), "%s", rows[i].name);
        if (!known) continue;
        ck_assert_str_eq(handed.title, rows[i].title);
        ck_assert_str_eq(handed.user, rows[i].user);
        ck_assert_str_eq(handed.file, rows[i].file);
        ck_assert_int_eq(handed.attempt, rows[i].attempt);
        ck_assert(handed.late == rows[i].late);
    }
}
END_TEST

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
    take("", NULL);
    ck_assert_int_eq(taken.layout, LADDER_LAYOUT_MOODLE);
    ck_assert_uint_eq(taken.count, 3);
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
    take("", NULL);
    ck_assert_int_eq(taken.layout, LADDER_LAYOUT_PLAIN);
    ck_assert_uint_eq(taken.count, 4);
    holds("ann", 1, "ann");
    holds("bob", 1, "bob");
    holds("bob", 2, NULL);
    holds("cy", 1, NULL);
    holds("3_sequential-dan.cu", 3, "dan");
    free(taken.list);
    taken.list = NULL;
    // Forced: nothing here has a name of Canvas's.
    take("", "canvas");
    ck_assert_uint_eq(taken.count, 0);
    ck_assert_uint_eq(taken.unused, 4);
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
    m = archive("cy/hand in.tgz");
    archive_maker_text(m, "1_interleaved.cu", "cy");
    archive_maker_close(m);
    put("broken.zip", "PK\x03\x04 and no more");
    put("empty.tar.gz", "");
    put("dan.rar", "Rar!");
    m = archive("eve.tar");
    archive_maker_text(m, "../1_interleaved.cu", "eve");
    archive_maker_close(m);
    take("", NULL);
    ck_assert_int_eq(taken.layout, LADDER_LAYOUT_PLAIN);
    ck_assert_uint_eq(taken.count, 7);
    ck_assert_uint_eq(taken.broken, 4);
    holds("ann.zip", 1, "ann");
    holds("ann.zip", 2, NULL);
    ck_assert(says(find("ann.zip")->note, "2_strided.cu"));
    holds("bob.tar.gz", 1, "bob");
    holds("cy", 1, "cy");
    ck_assert(says(find("dan.rar")->problem, ".zip, .tar"));
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
    ck_assert_msg(says(line, "3 submissions, 1 that cannot be read, 1 listed without a file"), "%s",
                  line);
    tear_down();
}
END_TEST

START_TEST(names_in_quotes_are_read) {
    static const char text[] = "submission_1:\n  :submitters:\n  - :name: 'Pat O''Brien'\n"
                               "  - :name: \"Di \\\"Dee\\\" Fox\"\n    :sid: 7\n";
    ladder_metadata got;
    ladder_metadata_file *file = NULL;
    char key[NAME_MAX + 1];
    size_t at = 0;
    if (!LADDER_HAVE_YAML) return;
    ck_assert_msg(ladder_metadata_open(text, &file, &err) == KL_OK, "%s", err.text);
    ladder_metadata_find(file, "submission_1", &got);
    ck_assert_int_eq(got.count, 2);
    ck_assert_str_eq(got.members[0].name, "Pat O'Brien");
    ck_assert_str_eq(got.members[1].name, "Di \"Dee\" Fox");
    ck_assert_str_eq(got.members[1].ids, "7");
    ck_assert(ladder_metadata_next(file, &at, key) && strcmp(key, "submission_1") == 0);
    ck_assert(!ladder_metadata_next(file, &at, key));
    ladder_metadata_close(file);
}
END_TEST

// What a student's program prints is in the file as well, and is nobody's name.
START_TEST(only_submitters_hand_in) {
    static const struct {
        const char *entry, *names; // of the entry; NULL: no such file
    } rows[] = {
        {"  :submitters:\n  - :name: Ann\n  :results:\n    :output: |\n      - :name: Bob\n"
         "        :sid: 9\n      :submitters:\n      - :name: Cy\n",
         "Ann"},
        {"  :results:\n    :tests:\n    - :name: step 3\n      :submitters:\n      - :name: Bob\n"
         "  :submitters:\n  - :name: Ann\n",
         "Ann"},
        {"  :results: {output: \"x\\n:submitters:\\n- :name: Bob\"}\n"
         "  :submitters: [{\":name\": Ann}]\n",
         "Ann"},
        {"  :results:\n    :output: 'x\n\n      :submitters:\n\n      - :name: Bob'\n"
         "  :submitters:\n  - :name: Ann\n    :details:\n      :name: Bob\n",
         "Ann"},
        {"  :results:\n    :output: >-\n      a\n      submission_2:\n  :submitters:\n"
         "  - &1\n    :name: Ann\n  - *1\n  :history:\n  - :submitters:\n    - :name: Bob\n",
         "Ann, Ann"},
        {"  :submitters:\r\n  - :name: \"Ann\\u00e9 \\\"A\\\" \xC3\xA9\"\r\n    :sid:\r\n",
         "Ann\xC3\xA9 \"A\" \xC3\xA9"},
        {"  :submitters: Ann\n  :name: Bob\n", ""},
        {"  :submitters:\n  :created_at: 2026\n", ""},
        {"  :submitters:\n  - Ann\n  - :sid: 7\n", ""},
        {"  :submitters:\n  - :name: Ann: B: [\n\t:sid\n", NULL},
        {"  :submitters: [\n", NULL},
        {"  :submitters: *nobody\n", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && LADDER_HAVE_YAML; i++) {
        char text[600], key[NAME_MAX + 1];
        ladder_metadata got;
        ladder_metadata_file *file = NULL;
        size_t at = 0;
        snprintf(text, sizeof text, "---\nsubmission_1:\n%s", rows[i].entry);
        kl_status status = ladder_metadata_open(text, &file, &err);
        if (!rows[i].names) {
            ck_assert_int_eq(status, KL_ERROR_INPUT);
            ck_assert_msg(says(err.text, "submission_metadata.yml: line "), "%s", err.text);
            ck_assert_ptr_null(file);
            continue;
        }
        ck_assert_msg(status == KL_OK, "row %zu: %s", i, err.text);
        ladder_metadata_find(file, "submission_1", &got);
        ck_assert_str_eq(got.names, rows[i].names);
        ck_assert(ladder_metadata_next(file, &at, key) && strcmp(key, "submission_1") == 0);
        ck_assert(!ladder_metadata_next(file, &at, key));
        ladder_metadata_find(file, "submission_2", &got);
        ck_assert_int_eq(got.count, 0);
        ladder_metadata_close(file);
    }
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
        archive_maker *m = archive("inner.zip");
        archive_maker_text(m, "steps/1_interleaved.cu", "nested");
        archive_maker_close(m);
        pack_into(i == 0 ? "ann.zip" : "middle.zip", "inner.zip", "hand in/work.zip");
    }
    pack_into("bob.zip", "middle.zip", "middle.zip");
    archive_maker *m = archive("cy.zip");
    archive_maker_text(m, "other.cu", "of no step");
    archive_maker_close(m);
    m = archive("dan.zip");
    archive_maker_text(m, "inside.rar", "Rar!");
    archive_maker_close(m);
    m = archive("inner.zip"); // limits hold for the inner one
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
    ck_assert(says(find("cy.zip")->problem, "in cy.zip, but other.cu"));
    ck_assert(says(find("dan.zip")->problem, "inside.rar: archives are read as"));
    holds("bob.zip", 1, NULL);
    ck_assert(files[1].unreadable); // and so no 0
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
    ck_assert_uint_eq(taken.count, LARGE + 1);      // "none", too
    ck_assert_uint_eq(taken.broken, LARGE / 8 + 1); // "none" has no step file
    for (int i = 0; i < LARGE; i++) {
        snprintf(name, sizeof name, "s%02d", i);
        snprintf(text, sizeof text, "// %d", i);
        if (i % 8 == 7)
            ck_assert(says(find(name)->problem, "work.rar: archives are read as"));
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

START_TEST(texts_of_all_systems_are_one) {
    static const struct {
        const char *text;
        size_t bytes;
        const char *want; // NULL: refused
    } rows[] = {
        {"int a;\n", 7, "int a;\n"},
        {"\xef\xbb\xbfint a;\n", 10, "int a;\n"},
        {"// 1\r\n#define A \\\r\n 2\r\n", 23, "// 1\n#define A \\\n 2\n"},
        {"a\rb\r\rc\r", 7, "a\nb\n\nc\n"},
        {"// caf\xe9\n", 8, "// caf\xe9\n"},
        {"\xff\xfei\0n\0", 6, NULL},
        {"\xfe\xff\0i\0n", 6, NULL},
        {"i\0n\0t\0", 6, NULL},
        {"", 0, ""},
        {"\xef\xbb\xbf", 3, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[64];
        size_t bytes = rows[i].bytes;
        memcpy(text, rows[i].text, bytes + 1);
        kl_status status = ladder_source_text(text, &bytes, &err);
        ck_assert_int_eq(status, rows[i].want ? KL_OK : KL_ERROR_INPUT);
        if (!rows[i].want) {
            ck_assert(says(err.text, "UTF-8"));
            continue;
        }
        ck_assert_uint_eq(bytes, strlen(rows[i].want));
        ck_assert_str_eq(text, rows[i].want);
    }
    set_up();
    put("ann/1_interleaved.cu", "\xff\xfe/\x01");
    take("", NULL);
    ck_assert_int_eq(ladder_submission_read(find("ann"), lab, files, &result, &err), KL_OK);
    ck_assert(files[1].refused && says(files[1].message, "save it as UTF-8"));
    tear_down();
}
END_TEST

START_TEST(late_days_cost_a_share) {
    double a = 0, b = 0;
    ladder_late_policy policy;
    ladder_submission s = {.late = false};
    ck_assert(ladder_time_read("2026-11-20T23:59Z", &a));
    ck_assert(a == 1795219140); // date -u -d '2026-11-20 23:59' +%s
    ck_assert(ladder_time_read("2026-11-21 00:59:00.034567000 +01:00", &b) && a == b);
    ck_assert(ladder_time_read("2026-11-20 15:59:00 -0800", &b) && a == b);
    static const char *const wrong[] = {"",
                                        "2026-11-20",
                                        "tomorrow",
                                        "2026-13-20T23:59",
                                        "2026-11-20T23:59x",
                                        "2026-11-20T24:00",
                                        "2026-02-30T12:00",
                                        "2026-11-31T12:00Z",
                                        "20.11.2026T23:59"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ck_assert_msg(!ladder_time_read(wrong[i], &b), "%s", wrong[i]);
    kl_status status = ladder_late_policy_read("2026-11-20T23:59Z", "10%", "25", &policy, &err);
    ck_assert_int_eq(status, KL_OK);
    static const struct {
        const char *submitted;
        bool late;
        int days, percent;
        int own_days; // of an own due date after the class's; 0: none
    } rows[] = {
        {"2026-11-20 23:58:00 Z", false, 0, 100, 0},
        {"2026-11-20 23:59:00 Z", true, 0, 100, 0},
        {"2026-11-20 23:59:01 Z", false, 1, 90, 0},
        {"2026-11-22 20:00:00 Z", false, 2, 80, 0},
        {"2026-12-24 20:00:00 Z", false, 34, 75, 0},
        {"", true, 1, 90, 0},
        {"", false, 0, 100, 0},
        {"2026-11-22 20:00:00 Z", true, 0, 100, 2},
        {"2026-11-22 23:59:01 Z", true, 1, 90, 2},
        {"", true, 0, 100, 2}, // marked by the class's due date
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(s.submitted, sizeof s.submitted, "%s", rows[i].submitted);
        s.late = rows[i].late;
        s.due_s = rows[i].own_days > 0 ? a + 86400 * rows[i].own_days : 0;
        int days = ladder_late_days(&policy, &s);
        ck_assert_int_eq(days, rows[i].days);
        ck_assert_int_eq((int)(100 * ladder_late_share(&policy, days) + 0.5), rows[i].percent);
    }
    ck_assert_int_eq(ladder_late_policy_read(NULL, "10", NULL, &policy, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(ladder_late_policy_read("x", NULL, NULL, &policy, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(
        ladder_late_policy_read("2026-11-20T23:59", "12,5 %/day", "5e1", &policy, &err), KL_OK);
    ck_assert(policy.rate == 0.125 && policy.at_most == 0.5);
    static const char *const no_rates[] = {"10 points", "0x10", "-1", "nan", "1/2", "10%%", ""};
    for (size_t i = 0; i < sizeof no_rates / sizeof no_rates[0]; i++)
        ck_assert_int_eq(
            ladder_late_policy_read("2026-11-20T23:59", no_rates[i], NULL, &policy, &err),
            KL_ERROR_INPUT);
    ck_assert_int_eq(ladder_late_policy_read("2026-11-20T23:59", "110", NULL, &policy, &err),
                     KL_ERROR_INPUT);
    ck_assert_int_eq(ladder_late_policy_read(NULL, NULL, NULL, &policy, &err), KL_OK);
    ck_assert(ladder_late_days(&policy, &s) == 0 && ladder_late_share(&policy, 0) == 1);
}
END_TEST

KL_TEST_MAIN("intake", canvas_names_are_read, canvas_files_of_one_student_are_one_submission,
             moodle_folders_and_flat_files_are_read, gradescope_names_come_from_its_metadata,
             repositories_lose_what_their_names_share, plain_folders_are_looked_through,
             archives_are_unpacked, an_archive_is_a_class_or_one_student, a_large_class_is_shared,
             texts_of_all_systems_are_one, late_days_cost_a_share,
             gradescope_lists_who_is_missing_and_all_of_a_group, names_in_quotes_are_read,
             only_submitters_hand_in, moodle_groups_are_one_submission, canvas_has_a_test_student,
             an_archive_in_an_archive_is_opened_once, no_student_vanishes_in_an_archive)
