// The skeleton generator: markers, errors with line numbers, and that a student's file is never
// replaced.
#include "grade/submission/submission.h"

#include <dirent.h>

#include "suite.h"

static const char solution[] = "// head\n"
                               "// SOLUTION SWITCH: when done\n"
                               "#define DONE 1\n"
                               "int f(void) {\n"
                               "    // SOLUTION BEGIN\n"
                               "    return 42;\n"
                               "    // SOLUTION TODO: find the answer;\n"
                               "    // SOLUTION TODO: it is a number\n"
                               "    // SOLUTION STUB: return 0;\n"
                               "}\n";

static kl_error err;

static char *make(const char *text) {
    char *made = NULL;
    kl_status status = ladder_skeleton_make("t.cu", text, &made, &err);
    ck_assert_msg(status == KL_OK, "%s", err.text);
    return kl_own(made);
}

KL_TEST(regions_become_todo_and_stub) {
    char *made = make(solution);
    const char *want = "// head\n"
                       "// TODO(student): when done\n"
                       "#define DONE 0\n"
                       "int f(void) {\n"
                       "    // TODO(student): find the answer;\n"
                       "    // it is a number\n"
                       "    return 0;\n"
                       "}\n"
                       "// ladder-skeleton ";
    ck_assert_int_eq(strncmp(made, want, strlen(want)), 0);
    ck_assert_ptr_null(strstr(made, "42"));
    ck_assert_ptr_null(strstr(made, "SOLUTION"));
}

KL_TEST(a_file_without_markers_is_handed_out_whole) {
    char *made = make("a\nb\n");
    ck_assert_int_eq(strncmp(made, "a\nb\n// ladder-skeleton ", 23), 0);
    made = make(""); // an empty one, too
    ck_assert_int_eq(strncmp(made, "// ladder-skeleton ", 19), 0);
}

KL_TEST(mistakes_are_named_with_their_line) {
    static const struct {
        const char *text, *said;
    } rows[] = {
        {"// SOLUTION BEGIN\n// SOLUTION BEGIN\n", "t.cu:1: the region leaves nothing"},
        {"x\n\n// SOLUTION BEGIN\ny\n", "t.cu:3: the region leaves nothing"},
        {"// SOLUTION BEGIN\n// SOLUTION SWITCH: a\n", "t.cu:1: the region leaves nothing"},
        {"// SOLUTION TODO: a\n", "t.cu:1: SOLUTION TODO or STUB outside"},
        {"// SOLUTION BEGIN\n// SOLUTION TODO: a\nx\n// SOLUTION STUB: b\n",
         "t.cu:4: SOLUTION TODO or STUB outside"},
        {"// SOLUTION SWITCH: a\n#define A 2\n", "t.cu:2: what a SOLUTION SWITCH is for"},
        {"// SOLUTION END\n", "t.cu:1: no known marker"},
        {"// SOLUTION BEGINN\n", "t.cu:1: no known marker"},
        {"int a; // SOLUTION BEGIN\n", "t.cu:1: no known marker"},
        {"// SOLUTION BEGIN\n// joined SOLUTION TODO: a\n", "t.cu:2: no known marker"},
        {"a\r\n", "t.cu:1: the line ends in CR LF"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *made = NULL;
        ck_assert_int_eq(ladder_skeleton_make("t.cu", rows[i].text, &made, &err), KL_ERROR_INPUT);
        ck_assert_msg(strncmp(err.text, rows[i].said, strlen(rows[i].said)) == 0, "%s", err.text);
        ck_assert_ptr_null(made);
    }
}

KL_TEST(states_tell_untouched_from_changed) {
    char *made = make(solution);
    char *newer = make("something else\n");
    ck_assert_int_eq(ladder_skeleton_compare(NULL, made), LADDER_SKELETON_ABSENT);
    ck_assert_int_eq(ladder_skeleton_compare(made, made), LADDER_SKELETON_CURRENT);
    ck_assert_int_eq(ladder_skeleton_compare(made, newer), LADDER_SKELETON_STALE);
    char *edited = strdup(made);
    edited[3] = 'H'; // one letter of a comment
    ck_assert_int_eq(ladder_skeleton_compare(edited, made), LADDER_SKELETON_CHANGED);
    ck_assert_int_eq(ladder_skeleton_compare("", made), LADDER_SKELETON_CHANGED);
    ck_assert_int_eq(ladder_skeleton_compare("their own file\n", made), LADDER_SKELETON_CHANGED);
    char longer[2048]; // a line behind the stamp
    snprintf(longer, sizeof longer, "%sint mine;\n", made);
    ck_assert_int_eq(ladder_skeleton_compare(longer, made), LADDER_SKELETON_CHANGED);
    free(edited);
}

static void write_text(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
}

static void read_text(const char *path, char *text, size_t bytes) {
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    text[fread(text, 1, bytes - 1, in)] = '\0';
    fclose(in);
}

KL_TEST(a_students_file_is_never_replaced) {
    char folder[] = "/tmp/skeleton_test_XXXXXX";
    char from[64], to[64], text[2048];
    ladder_skeleton_state state;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(from, sizeof from, "%s/s.cu", folder);
    snprintf(to, sizeof to, "%s/k.cu", folder);
    write_text(from, solution);

    ck_assert_int_eq(ladder_skeleton_update(from, to, true, &state, &err), KL_OK);
    ck_assert_int_eq(state, LADDER_SKELETON_ABSENT);
    ck_assert_int_ne(access(to, F_OK), 0); // checking writes nothing
    ck_assert_int_eq(ladder_skeleton_update(from, to, false, &state, &err), KL_OK);
    ck_assert_int_eq(ladder_skeleton_update(from, to, false, &state, &err), KL_OK);
    ck_assert_int_eq(state, LADDER_SKELETON_CURRENT);

    write_text(from, "a newer solution\n"); // untouched: follows
    ck_assert_int_eq(ladder_skeleton_update(from, to, false, &state, &err), KL_OK);
    ck_assert_int_eq(state, LADDER_SKELETON_STALE);
    read_text(to, text, sizeof text);
    ck_assert_int_eq(strncmp(text, "a newer solution\n", 17), 0);

    write_text(to, "a student's work\n"); // changed: stays
    ck_assert_int_eq(ladder_skeleton_update(from, to, false, &state, &err), KL_OK);
    ck_assert_int_eq(state, LADDER_SKELETON_CHANGED);
    read_text(to, text, sizeof text);
    ck_assert_str_eq(text, "a student's work\n");

    // A given step is its own solution: without a stamp it gets one, and an edit stays.
    ck_assert_int_eq(ladder_skeleton_update(to, to, false, &state, &err), KL_OK);
    ck_assert_int_eq(state, LADDER_SKELETON_STALE);
    ck_assert_int_eq(ladder_skeleton_update(to, to, false, &state, &err), KL_OK);
    ck_assert_int_eq(state, LADDER_SKELETON_CURRENT);
    read_text(to, text, sizeof text);
    text[0] = 'A';
    write_text(to, text);
    ck_assert_int_eq(ladder_skeleton_update(to, to, false, &state, &err), KL_OK);
    ck_assert_int_eq(state, LADDER_SKELETON_CHANGED);

    ck_assert_int_eq(ladder_skeleton_update("/nonexistent/s.cu", to, false, &state, &err),
                     KL_ERROR_INPUT);
    unlink(from);
    unlink(to);
    rmdir(folder);
}

KL_TEST(a_skeleton_without_solution_goes_but_no_students_work) {
    char folder[] = "skeleton.XXXXXX", from[64], to[64];
    ladder_skeleton_state state;
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(from, sizeof from, "%s/solution.cu", folder);
    snprintf(to, sizeof to, "%s/skeleton.cu", folder);
    write_text(from, "// SOLUTION BEGIN\n1;\n// SOLUTION TODO: a number\n");
    ck_assert_int_eq(ladder_skeleton_update(from, to, false, &state, &err), KL_OK);

    ck_assert_int_eq(ladder_skeleton_remove(to, true, &state, &err), KL_OK);
    ck_assert_int_eq(state, LADDER_SKELETON_STALE);
    ck_assert_int_eq(access(to, F_OK), 0); // only looked at
    ck_assert_int_eq(ladder_skeleton_remove(to, false, &state, &err), KL_OK);
    ck_assert_int_ne(access(to, F_OK), 0);
    ck_assert_int_eq(ladder_skeleton_remove(to, false, &state, &err), KL_OK);
    ck_assert_int_eq(state, LADDER_SKELETON_ABSENT);

    write_text(to, "a student's work\n");
    ck_assert_int_eq(ladder_skeleton_remove(to, false, &state, &err), KL_OK);
    ck_assert_int_eq(state, LADDER_SKELETON_CHANGED);
    ck_assert_int_eq(access(to, F_OK), 0);
    unlink(from);
    unlink(to);
    rmdir(folder);
}

// Returns how many files of solutions/LAB/FOLDER were compared.
static int compare_folder(const char *lab, const char *folder) {
    char path[2048], from[4096], to[4096];
    int seen = 0;
    snprintf(path, sizeof path, "%s/solutions/%s/%s", TEST_SOURCE_DIR, lab, folder);
    DIR *files = opendir(path);
    if (!files) return 0; // a handout has no solutions, and not every lab has bug hunts
    for (struct dirent *e = readdir(files); e; e = readdir(files)) {
        size_t length = strlen(e->d_name);
        if (length < 4 || strcmp(e->d_name + length - 3, ".cu") != 0) continue;
        ladder_skeleton_state state;
        snprintf(from, sizeof from, "%s/%s", path, e->d_name);
        snprintf(to, sizeof to, "%s/labs/%s/%s/%s", TEST_SOURCE_DIR, lab, folder, e->d_name);
        kl_status status = ladder_skeleton_update(from, to, true, &state, &err);
        ck_assert_msg(status == KL_OK, "%s", err.text);
        ck_assert_msg(state != LADDER_SKELETON_ABSENT && state != LADDER_SKELETON_STALE,
                      "%s is out of date: run ladder skeleton", to);
        seen++;
    }
    closedir(files);
    return seen;
}

// Every step and bug hunt that the kit hands out follows from its solution, unless somebody works
// on it.
KL_TEST(the_kits_own_skeletons_are_current) {
    static const char *const labs[] = {KL_TEST_LABS};
    int steps = 0, bugs = 0;
    for (size_t l = 0; l < sizeof labs / sizeof labs[0]; l++) {
        steps += compare_folder(labs[l], "steps");
        bugs += compare_folder(labs[l], "bugs");
    }
    ck_assert_int_gt(steps, 0);
    ck_assert_int_gt(bugs, 0);
}

KL_TEST_MAIN("skeleton")
