// Bulk downloads as course systems name them, folders in folders, groups: who handed in what, and
// which files are taken. Grading itself is no part of it.
// needs: ladder-unpack
#include "class_folder.h"

KL_FIXTURE(set_up, tear_down)

KL_TEST(canvas_files_of_one_student_are_one_submission) {
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
}

KL_TEST(moodle_folders_and_flat_files_are_read) {
    put("Ann Lee_101_assignsubmission_file/1_interleaved.cu", "ann");
    put("Jos\xc3\xa9 Ruiz_102_assignsubmission_file_/hand in/steps/1_interleaved.cu", "jos");
    put("Bob Ray_103_assignsubmission_file_2_strided.cu", "bob");
    put("Bob Ray_103_assignsubmission_file_1_interleaved.cu", "bob1");
    put("Bob Ray_103_assignsubmission_onlinetext/onlinetext.html", "text");
    const char *path = kl_own_text("%s/Eve_104_assignsubmission_file", folder);
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
}

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

KL_TEST(gradescope_names_come_from_its_metadata) {
    if (!LADDER_HAVE_YAML) return;
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
}

KL_TEST(repositories_lose_what_their_names_share) {
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
}

KL_TEST(plain_folders_are_looked_through) {
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
    // Forced: nothing here has a name of Canvas's.
    take("", "canvas");
    ck_assert_uint_eq(taken.count, 0);
    ck_assert_uint_eq(taken.unused, 6);
}

KL_TEST(gradescope_lists_who_is_missing_and_all_of_a_group) {
    if (!LADDER_HAVE_YAML) return;
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
}

// Moodle hands out each member's copy of what a group handed in.
KL_TEST(moodle_groups_are_one_submission) {
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
    put("Eve Kim_105_assignsubmission_file/1_interleaved.cu", "x"); // then there are no groups
    take("", NULL);
    ck_assert_uint_eq(taken.count, 5);
    ck_assert_str_eq(find("Group B-Jean-Luc Roe")->members,
                     "Group B-Jean-Luc Roe\tParticipant 103\n");
}

KL_TEST(canvas_has_a_test_student) {
    put("leeann_10_501_1_interleaved.cu", "ann");
    put("studenttest_11_502_1_interleaved.cu", "a trial");
    put("raybob_12_503_report.pdf", "no code");
    take("", NULL);
    ck_assert(find("studenttest")->is_test && !find("leeann")->is_test);
    ck_assert(says(find("raybob")->problem, "no step file of this lab"));
}

// As many as several processes share among them: nothing is lost, mixed up or counted twice.
KL_TEST(a_large_class_is_shared) {
    enum { LARGE = 40 };
    char name[64], text[32];
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
        else holds(name, 1, text);
    }
    for (int i = 0; i < LARGE; i++) { // and the files of one student, copied beside each other
        snprintf(name, sizeof name, "canvas/s%02d_%d_%d_2_strided.cu", i, 100 + i, 1000 + i);
        snprintf(text, sizeof text, "// %d", i);
        put(name, text);
    }
    take("canvas", NULL);
    ck_assert_uint_eq(taken.count, LARGE);
    for (int i = 0; i < LARGE; i++) {
        snprintf(name, sizeof name, "s%02d", i);
        snprintf(text, sizeof text, "// %d", i);
        holds(name, 2, text);
    }
}

KL_TEST_MAIN("intake")
