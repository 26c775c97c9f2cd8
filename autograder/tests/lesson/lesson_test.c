// What the files of a lab say, and where a student is in it.
#include <time.h>

#include "learn/lesson/lesson.h"
#include "suite.h"

// ---- documents ----
// Line differences, hints, SHA-256, files.

static kl_error err;

// The edits as text: " a-b+c" for a kept, b removed, c added.
static void expect_edits(const char *a, const char *b, const char *want) {
    ladder_diff diff;
    OK(ladder_diff_make(a, b, NULL, &diff, &err));
    char text[256];
    size_t used = 0;
    for (size_t i = 0; i < diff.count; i++) {
        used +=
            (size_t)snprintf(text + used, sizeof text - used, "%c%.*s", " -+"[diff.lines[i].edit],
                             diff.lines[i].bytes, diff.lines[i].text);
    }
    text[used] = '\0';
    ck_assert_str_eq(text, want);
    ladder_diff_free(&diff);
}

KL_TEST(differences_are_minimal) {
    expect_edits("a\nb\nc\n", "a\nb\nc\n", " a b c");
    expect_edits("a\nb\nc\n", "a\nx\nc\n", " a-b+x c");
    expect_edits("a\nb\nc\nd\n", "b\nd\ne\n", "-a b-c d+e");
    expect_edits("", "a\n", "+a");
    expect_edits("a", "", "-a");
    expect_edits("a\r\nb\r\n", "a\nb\n", " a b"); // line ends of another system are no difference
    expect_edits("", "", "");
}

KL_TEST(skipped_lines_still_count) {
    ladder_diff diff;
    OK(ladder_diff_make("  // MARK x\na\n", "a\n// MARK y\nb\n", "// MARK", &diff, &err));
    ck_assert_uint_eq(diff.count, 2);
    ck_assert_int_eq(diff.lines[0].left, 2);
    ck_assert_int_eq(diff.lines[0].right, 1);
    ck_assert_int_eq(diff.lines[1].right, 3);
    ladder_diff_free(&diff);
}

KL_TEST(side_by_side_fits_its_width) {
    ladder_diff diff;
    OK(ladder_diff_make("same\nleft is long long long long\n", "same\nright\n", NULL, &diff, &err));
    kl_style style = {.width = 40};
    ck_assert_str_eq(KL_PRINTED(out, ladder_diff_print_columns(&diff, 2, &style, out)),
                     "   1   same        |    1   same\n"
                     "   2 - left is     |    2 + right\n"
                     "           long\n"
                     "           long\n"
                     "           long\n"
                     "           long\n");
    ladder_diff_free(&diff);
}

// The text without its line ends, blanks and what begins its rows.
static void squeeze(const char *text, char *out) {
    for (; *text != '\0'; text++)
        if (!strchr(" \n", *text)) *out++ = *text;
    *out = '\0';
}

KL_TEST(nothing_of_a_long_line_is_lost) {
    static const char line[] =
        "    case REDUCTION_SUM: strided<REDUCTION_SUM><<<(unsigned)blocks, "
        "THREADS>>>(from, n, to, and_a_word_that_is_longer_than_any_row); /*e*/";
    static const int widths[] = {40, 80, 120, 200};
    char wanted[300], got[1200];
    squeeze(line, wanted);
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        for (int uncut = 0; uncut < 2; uncut++) {
            kl_style style = {.width = widths[i], .uncut = uncut};
            char *text = KL_PRINTED(out, kl_print_source(out, &style, 10, line, (int)strlen(line)));
            squeeze(text, got);
            ck_assert_str_eq(got, wanted);
            ck_assert((strcspn(text, "\n") == strlen(line)) == (uncut || widths[i] == 200));
            int first = 10; // columns that the caller has filled
            for (char *row = strtok(text, "\n"); row; row = strtok(NULL, "\n"), first = 0)
                ck_assert_msg(uncut || kl_text_width(row) + first <= widths[i], "%s", row);
        }
    }
}

KL_TEST(no_row_of_a_source_line_is_blank) {
    static const char line[] = "                             name_rows(k->box[box]) + inside);";
    kl_style style = {.width = 50};
    char *text = KL_PRINTED(out, kl_print_source(out, &style, 10, line, (int)strlen(line)));
    ck_assert_msg(strspn(text, " ") < strcspn(text, "\n"), "%s", text);
}

static const char sequential_text[] =
    "// SPDX\n// Step 3: neighbours.\n#include \"a.h\"\n\n#include <b.h>\n\n"
    "template <int op> __global__ void __launch_bounds__(256) sequential(const float *x) {\n"
    "    int t = threadIdx.x;\n    use(x);\n}\n"
    "void launch() {\n    sequential<1><<<1, 2>>>(x);\n}\n"
    "extern \"C\" int lab_step3(int n) {\n    return n;\n}\n";
static const char first_add_text[] =
    "// SPDX\n//\n// Step 4: two loads.\n// More of it.\n#include <b.h>\n#include \"a.h\"\n"
    "#include <new.h>\n\n"
    "template <int op>\n__global__ void __launch_bounds__(256) first_add(const float *x) {\n\n"
    "    int t = threadIdx.x;\n    use(x[1]);\n}\n"
    "void launch() {\n    first_add<1>\n        <<<1, 2>>>(x);\n}\n"
    "extern \"C\" int lab_step4(int n) {\n    return n;\n}\n";

KL_TEST(a_diff_shows_the_idea_of_the_step) {
    ladder_diff diff;
    OK(ladder_diff_make(sequential_text, first_add_text, NULL, &diff, &err));
    ck_assert_int_eq(diff.renames.count, 2);
    ck_assert_str_eq(diff.renames.rows[0].from, "sequential");
    ck_assert_str_eq(diff.renames.rows[0].to, "first_add");
    ck_assert_str_eq(diff.renames.rows[1].to, "lab_step4");
    ck_assert_int_eq(diff.removed, 1);
    ck_assert_int_eq(diff.added, 2); // a new include, and the line that loads two
    kl_style style = {.width = 80};
    ck_assert_str_eq(KL_PRINTED(out, ladder_diff_print(&diff, 0, &style, out)),
                     "   7 + #include <new.h>\n"
                     "   ...\n"
                     "   9 -     use(x);\n"
                     "  13 +     use(x[1]);\n");
    ladder_diff_free(&diff);
    // A kernel that is new is no renamed one.
    OK(ladder_diff_make("__global__ void a(int x) {}\n",
                        "__global__ void b(int x) {}\n__global__ void c(int y) {}\n", NULL, &diff,
                        &err));
    ck_assert_int_eq(diff.renames.count, 0);
    ck_assert_int_eq(diff.removed, 1);
    ck_assert_int_eq(diff.added, 2);
    ladder_diff_free(&diff);
}

// What a skeleton has in every step, and comments, are no difference: neither where one file has
// them alone nor where both have other ones.
KL_TEST(given_lines_and_comments_are_no_difference) {
    static const char before[] = "#include \"a.h\"\n"
                                 "// One thread, as in a grid of one.\n"
                                 "__global__ void one(float *x) {\n"
                                 "    // TODO(student): every element,\n"
                                 "    // one after the other\n"
                                 "    x[0] = '\"'; // the first\n"
                                 "}\n"
                                 "extern \"C\" int lab_step0(float *x) {\n"
                                 "    one<<<1, 1>>>(x);\n"
                                 "    return f(\"http://x\"); // may fail\n"
                                 "}\n"
                                 "// ladder-skeleton 86ef98dfe85bffe7 (as it was handed out)\n";
    static const char after[] = "#include \"a.h\"\n"
                                "// TODO(student): set this to 1\n"
                                "#define IMPLEMENTED 0\n"
                                "// Two threads: one and another.\n"
                                "__global__ void grid(float *x) {\n"
                                "    // TODO(student): the thread's own\n"
                                "    x[0] = '\"'; // x[threadIdx.x]\n"
                                "}\n"
                                "extern \"C\" int lab_step1(float *x) {\n"
                                "    if (!IMPLEMENTED) {\n"
                                "        return LAB_NOT_IMPLEMENTED;\n"
                                "    }\n"
                                "    grid<<<1, 2>>>(x);\n"
                                "    return f(\"http://y\");\n"
                                "}\n"
                                "// ladder-skeleton 9350e234f98425c7 (as it was handed out)\n";
    ladder_diff diff;
    OK(ladder_diff_make(before, after, NULL, &diff, &err));
    ck_assert_int_eq(diff.renames.count, 2); // "grid" in a comment is no use of the name
    ck_assert_int_eq(diff.removed, 2);
    ck_assert_int_eq(diff.added, 2);
    kl_style style = {.width = 80};
    ck_assert_str_eq(KL_PRINTED(out, ladder_diff_print(&diff, 0, &style, out)),
                     "   ...\n"
                     "   9 -     one<<<1, 1>>>(x);\n"
                     "  10 -     return f(\"http://x\"); // may fail\n"
                     "  13 +     grid<<<1, 2>>>(x);\n"
                     "  14 +     return f(\"http://y\");\n");
    ladder_diff_free(&diff);
}

KL_TEST(what_is_not_for_a_terminal_is_whole) {
    static const char line[] = "a line of source that is longer than its forty columns";
    char before[100], after[100], *text = NULL;
    snprintf(before, sizeof before, "%s\n", line);
    snprintf(after, sizeof after, "%s, and more\n", line);
    ladder_diff diff;
    OK(ladder_diff_make(before, after, NULL, &diff, &err));
    for (int uncut = 0; uncut < 2; uncut++) {
        kl_style style = {.width = 40, .uncut = uncut};
        text = KL_PRINTED(out, ladder_diff_print(&diff, 2, &style, out));
        ck_assert((strstr(text, line) != NULL) == uncut);
        KL_HAS(text, "more\n");
    }
    ladder_diff_free(&diff);
}

static kl_status find_hints(const char *text, int step, ladder_hints *out_hints) {
    static char markdown[256]; // the hints found lie in it
    snprintf(markdown, sizeof markdown, "%s", text);
    return ladder_hints_find(markdown, step, out_hints, &err);
}

static const char hints_text[] = "# Hints\n\n## Step 1\n\n1. First?\n   Or not:\n2.\n"
                                 "   ```\n## Step 9\n     3. x;\n   ```\n\n## Step 2\n1. Other\n";

KL_TEST(hints_are_found_by_step) {
    static const char code[] = "```\n## Step 9\n  3. x;\n```"; // a heading inside code is code
    ladder_hints hints;
    OK(find_hints(hints_text, 1, &hints));
    ck_assert_int_eq(hints.count, 2);
    ck_assert_uint_eq(hints.hints[0].bytes, strlen("First?\nOr not:"));
    ck_assert_int_eq(strncmp(hints.hints[0].text, "First?\nOr not:", 14), 0);
    ck_assert_uint_eq(hints.hints[1].bytes, strlen(code));
    ck_assert_int_eq(strncmp(hints.hints[1].text, code, strlen(code)), 0);
    OK(find_hints(hints_text, 2, &hints));
    ck_assert_int_eq(hints.count, 1);
    ck_assert_uint_eq(hints.hints[0].bytes, strlen("Other"));
    OK(find_hints(hints_text, 7, &hints));
    ck_assert_int_eq(hints.count, 0);
    ck_assert_int_eq(find_hints("## Step 1\n2. x\n", 1, &hints), KL_ERROR_INPUT);
}

KL_TEST(seen_hints_are_remembered) {
    char folder[LADDER_PATH], path[LADDER_PATH];
    OK(ladder_folder_temporary(folder, &err));
    OK(ladder_path(path, &err, "%s/kept", folder));
    ck_assert_int_eq(mkdir(path, 0700), 0);
    OK(ladder_path(path, &err, "%s/kept/hints", folder));
    ck_assert_int_eq(ladder_hints_seen(path, "02_reduction", 1), 0);
    OK(ladder_hints_remember(path, "02_reduction", 1, 2, &err));
    OK(ladder_hints_remember(path, "02_reduction", 3, 1, &err));
    OK(ladder_hints_remember(path, "07_gemm", 1, 3, &err));
    ck_assert_int_eq(ladder_hints_seen(path, "02_reduction", 1), 2);
    OK(ladder_hints_remember(path, "02_reduction", 1, 0, &err));
    ck_assert_int_eq(ladder_hints_seen(path, "02_reduction", 1), 0);
    ck_assert_int_eq(ladder_hints_seen(path, "02_reduction", 3), 1);
    OK(ladder_hints_remember(path, "02_reduction", -1, 0, &err));
    ck_assert_int_eq(ladder_hints_seen(path, "02_reduction", 3), 0);
    ck_assert_int_eq(ladder_hints_seen(path, "07_gemm", 1), 3);
    ladder_folder_remove(folder);
}

static void expect_hash(const char *text, const char *want) {
    ladder_sha256 hash;
    char digits[LADDER_SHA256_TEXT];
    ladder_sha256_begin(&hash);
    for (const char *c = text; *c != '\0'; c++) ladder_sha256_add(&hash, c, 1);
    ladder_sha256_end(&hash, digits);
    ck_assert_str_eq(digits, want);
}

KL_TEST(hashes_are_those_of_the_standard) { // FIPS 180-2, appendix B
    expect_hash("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_hash("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_hash("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    static const char data[] = "what do ya want for nothing?"; // RFC 4231, test case 2
    char digits[LADDER_SHA256_TEXT];
    ladder_hmac("Jefe", 4, data, strlen(data), digits);
    ck_assert_str_eq(digits, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

KL_TEST(reads_refuse_links_pipes_and_large_files) {
    char folder[LADDER_PATH], path[LADDER_PATH], other[LADDER_PATH], *text = NULL;
    size_t bytes = 0;
    OK(ladder_folder_temporary(folder, &err));
    OK(ladder_path(path, &err, "%s/plain", folder));
    OK(ladder_file_write(path, "hello", 5, &err));
    OK(ladder_file_read(AT_FDCWD, path, 5, &text, &bytes, &err));
    ck_assert_str_eq(text, "hello");
    free(text);
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, path, 4, &text, &bytes, &err), KL_ERROR_LIMIT);
    OK(ladder_path(other, &err, "%s/link", folder));
    ck_assert_int_eq(symlink(path, other), 0);
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, other, 100, &text, &bytes, &err), KL_ERROR_INPUT);
    KL_HAS(err.text, "symbolic link");
    OK(ladder_path(other, &err, "%s/pipe", folder));
    ck_assert_int_eq(mkfifo(other, 0600), 0);
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, other, 100, &text, &bytes, &err), KL_ERROR_INPUT);
    ck_assert_int_eq(ladder_file_read(AT_FDCWD, "/dev/zero", 100, &text, &bytes, &err),
                     KL_ERROR_INPUT);
    ladder_folder_remove(folder);
    ck_assert(!ladder_file_exists(folder));
}

// Renaming a new file over it would make a plain file of /dev/null, for one.
KL_TEST(a_pipe_is_written_to_and_stays_one) {
    char folder[LADDER_PATH], path[LADDER_PATH], got[8] = "";
    struct stat info;
    OK(ladder_folder_temporary(folder, &err));
    OK(ladder_path(path, &err, "%s/pipe", folder));
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDWR);
    ck_assert_int_ge(reader, 0);
    OK(ladder_file_write(path, "hello", 5, &err));
    ck_assert_int_eq(lstat(path, &info), 0);
    ck_assert(S_ISFIFO(info.st_mode));
    ck_assert_int_eq(read(reader, got, sizeof got - 1), 5);
    ck_assert_str_eq(got, "hello");
    close(reader);
    ladder_folder_remove(folder);
}

KL_TEST(removal_does_not_follow_links) {
    char outside[LADDER_PATH], folder[LADDER_PATH], path[LADDER_PATH];
    OK(ladder_folder_temporary(outside, &err));
    const char *kept = kl_own_text("%s/kept", outside);
    OK(ladder_file_write(kept, "x", 1, &err));
    OK(ladder_folder_temporary(folder, &err));
    OK(ladder_path(path, &err, "%s/a/b/c", folder));
    OK(ladder_folder_make(path, &err));
    OK(ladder_path(path, &err, "%s/a/link", folder));
    ck_assert_int_eq(symlink(outside, path), 0);
    ladder_folder_remove(folder);
    ck_assert(!ladder_file_exists(folder));
    ck_assert(ladder_file_exists(kept));
    ladder_folder_remove(outside);
}

// ---- next ----
// What `ladder next` says, from made-up steps, records and pages in a kit of one lab: the section
// to read, the place to write, the state of each step, and the command to type.

static kl_error err_next;
static ladder_kit kit;
static const ladder_lab *lab;
static ladder_progress progress;
static ladder_next_step next;

static void put(const char *folder, const char *name, const char *text) {
    OK(ladder_folder_make(folder, &err_next));
    const char *path = kl_own_text("%s/%s", folder, name);
    OK(ladder_file_write(path, text, strlen(text), &err_next));
}

// The file of a step, last edited `age_s` seconds ago.
static void put_step(int number, const char *text, int age_s) {
    char path[LADDER_PATH];
    OK(ladder_kit_step_file(&kit, lab, kl_problem_step(lab->problem, number), false, path,
                            &err_next));
    OK(ladder_file_write(path, text, strlen(text), &err_next));
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
    char folder[LADDER_PATH];
    lab = ladder_lab_find("reduction");
    OK(ladder_folder_temporary(kit.source, &err_next));
    OK(ladder_path(kit.build, &err_next, "%s/build", kit.source));
    OK(ladder_path(folder, &err_next, "%s/labs/%s", kit.source, lab->folder));
    const char *steps = kl_own_text("%s/steps", folder);
    put(folder, "README.md", "# Lab\n\n## The tree (steps 1 to 3)\n\n### Step 4: **first**\n");
    put(steps, "0_one_block.cu", "void given(void) {}\n");
    for (int i = 1; i < lab->problem->step_count; i++)
        put_untouched(lab->problem->steps[i].number, to_do);
    OK(ladder_path(folder, &err_next, "%s/labs/%s", kit.build, lab->folder));
    OK(ladder_folder_make(folder, &err_next));
}

// A result of the file as it is now.
static void keep(kl_result_kind kind, int step, bool good, bool whole, const char *state,
                 const char *text) {
    char path[LADDER_PATH], file[LADDER_PATH];
    const kl_step_info *info = kl_problem_step(lab->problem, step);
    OK(ladder_kit_step_file(&kit, lab, info, false, path, &err_next));
    OK(ladder_kit_last_results(&kit, lab, file, &err_next));
    kl_last_result result = {.kind = kind, .step = step, .hash = kl_step_file_hash(path)};
    result.good = good;
    result.whole = whole;
    snprintf(result.state, sizeof result.state, "%s", state);
    snprintf(result.text, sizeof result.text, "%s", text);
    OK(kl_last_results_keep(file, &result, 1, &err_next));
}

static void expect(int step, ladder_step_state state, const char *command) {
    OK(ladder_progress_read(&kit, lab, &progress, &err_next));
    ladder_next_step_find(&kit, &progress, &next);
    ck_assert_ptr_nonnull(next.step);
    ck_assert_int_eq(next.step->info->number, step);
    ck_assert_int_eq(next.step->state, state);
    ck_assert_str_eq(next.command, command);
}

static void tear_down(void) { ladder_folder_remove(kit.source); }

KL_FIXTURE(set_up, tear_down)

// A given step is the solution's, too: what others are compared with must not be edited.
KL_TEST(an_edited_given_step_is_no_solution) {
    char path[LADDER_PATH], text[1024];
    const kl_step_info *given = kl_problem_step(lab->problem, 0);
    put_untouched(0, "void given(void) {}\n");
    OK(ladder_kit_require_given(&kit, lab, &err_next));
    OK(ladder_kit_step_file(&kit, lab, given, false, path, &err_next));
    size_t bytes;
    char *whole = kl_step_file_text(path, &bytes);
    snprintf(text, sizeof text, "// mine\n%s", whole);
    free(whole);
    put_step(0, text, 0);
    ck_assert_int_eq(ladder_kit_require_given(&kit, lab, &err_next), KL_ERROR_INPUT);
    KL_HAS(err_next.text, "0_one_block.cu: the lab gives this step");
    ck_assert_int_eq(ladder_kit_require_solution(&kit, lab, NULL, 0, &err_next), KL_ERROR_INPUT);
    KL_HAS(err_next.text, "put it back");
    OK(ladder_progress_read(&kit, lab, &progress, &err_next));
    ck_assert_int_eq(progress.steps[0].state, LADDER_STEP_ALTERED);
}

KL_TEST(a_beginner_reads_predicts_and_writes_step_1) {
    expect(1, LADDER_STEP_TO_DO, "./ladder predict reduction 1");
    ck_assert_str_eq(next.then, "./ladder watch reduction 1");
    ck_assert_str_eq(next.page, "labs/02_reduction/README.md");
    ck_assert_int_eq(next.section.line, 3);
    ck_assert_str_eq(next.section.title, "The tree (steps 1 to 3)");
    ck_assert_str_eq(next.file, "labs/02_reduction/steps/1_interleaved.cu");
    ck_assert_int_eq(next.todo.line, 4); // not that of IMPLEMENTED
    ck_assert_str_eq(next.todo.text, "add the upper half to the lower half");
    const char *steps = kl_own_text("%s/labs/%s/steps", kit.source, lab->folder);
    put(steps, "predictions.txt",
        "predict 1 - d sms_used=1\npredict 1 - d requests=1\n"
        "predict 1 - d sectors_per_request=1\n");
    expect(1, LADDER_STEP_TO_DO, "./ladder watch reduction 1");
}

KL_TEST(the_step_edited_last_is_the_one_to_go_on_with) {
    put_step(4, to_do, 50); // begun: it still says that it is not implemented
    put_step(2, written, 100);
    expect(4, LADDER_STEP_BEGUN, "./ladder watch reduction 4");
    KL_HAS(next.result, "line 2 still says #define IMPLEMENTED 0");
    ck_assert_str_eq(next.section.title, "Step 4: first");
    put_step(2, written, 10);
    expect(2, LADDER_STEP_CHANGED, "./ladder run reduction 2");
    ck_assert_str_eq(next.result, "not run since you changed it");
    ck_assert_int_eq(next.todo.line, 0);
}

KL_TEST(steps_follow_each_other_as_on_the_page) {
    const char *folder = kl_own_text("%s/labs/%s", kit.source, lab->folder);
    put(folder, "README.md", "## Steps 1 and 2\n## Step 5\n## Step 3\n## Step 8\n");
    put_step(2, written, 10);
    keep(KL_RESULT_OF_RUN, 2, true, true, "correct", "");
    expect(5, LADDER_STEP_TO_DO, "./ladder predict reduction 5");
    put_step(5, written, 5); // steps 6 and 7, of which the page is silent, follow it
    keep(KL_RESULT_OF_RUN, 5, true, true, "correct", "");
    expect(6, LADDER_STEP_TO_DO, "./ladder predict reduction 6");
    put_step(7, written, 3);
    keep(KL_RESULT_OF_RUN, 7, true, true, "correct", "");
    expect(3, LADDER_STEP_TO_DO, "./ladder predict reduction 3");
}

KL_TEST(a_run_of_untouched_steps_leads_to_the_first) {
    for (int step = 1; step <= 8; step++)
        keep(KL_RESULT_OF_RUN, step, false, true, "not implemented", "see the TODOs");
    expect(1, LADDER_STEP_TO_DO, "./ladder predict reduction 1");
    ck_assert_str_eq(next.result, "");
}

KL_TEST(what_was_wrong_is_said_until_the_file_changes) {
    put_step(3, written, 10);
    keep(KL_RESULT_OF_RUN, 3, false, true, "wrong answer", "d_result[0] is 12, expected 13");
    expect(3, LADDER_STEP_BAD, "./ladder check reduction 3");
    ck_assert_str_eq(next.result, "wrong answer: d_result[0] is 12, expected 13");
    keep(KL_RESULT_OF_CHECK, 3, true, true, "clean", "");
    expect(3, LADDER_STEP_BAD, "./ladder hint reduction 3"); // the checker cannot help
    keep(KL_RESULT_OF_CHECK, 3, false, true, "race", "race at 3_sequential.cu:37 and :41");
    keep(KL_RESULT_OF_RUN, 3, true, true, "correct", "");
    expect(3, LADDER_STEP_BAD, "./ladder check reduction 3"); // right by luck
    ck_assert_str_eq(next.result, "");
    ck_assert_str_eq(next.finding, "race at 3_sequential.cu:37 and :41");
    put_step(3, "#define IMPLEMENTED 1\nvoid f(void) { g(); }\n", 0);
    expect(3, LADDER_STEP_CHANGED, "./ladder run reduction 3");
    ck_assert_str_eq(next.finding, "");
}

KL_TEST(a_step_is_done_when_all_cases_are_right) {
    put_step(1, written, 10);
    keep(KL_RESULT_OF_RUN, 1, true, false, "correct", "");
    expect(1, LADDER_STEP_RIGHT_YET, "./ladder run reduction 1");
    keep(KL_RESULT_OF_RUN, 1, true, true, "correct", "");
    expect(2, LADDER_STEP_TO_DO, "./ladder predict reduction 2"); // the next one
    ck_assert_int_eq(progress.steps[1].state, LADDER_STEP_DONE);
    for (int i = 2; i < lab->problem->step_count; i++) {
        put_step(lab->problem->steps[i].number, written, 10);
        keep(KL_RESULT_OF_RUN, lab->problem->steps[i].number, true, true, "correct", "");
    }
    OK(ladder_progress_read(&kit, lab, &progress, &err_next));
    ladder_next_step_find(&kit, &progress, &next);
    ck_assert_ptr_null(next.step);
    ck_assert_str_eq(next.command, "./ladder grade reduction");
    ck_assert_str_eq(next.then, "./ladder next occupancy");
}

KL_TEST(the_lab_that_was_touched_last_is_found) {
    OK(ladder_progress_latest(&kit, &progress, &err_next));
    ck_assert_str_eq(progress.lab->folder, ladder_labs[0].folder); // none was
    keep(KL_RESULT_OF_RUN, 0, true, true, "correct", "");          // a given step was run
    OK(ladder_progress_latest(&kit, &progress, &err_next));
    ck_assert_ptr_eq(progress.lab, lab);
    expect(1, LADDER_STEP_TO_DO, "./ladder predict reduction 1");
}

static void expect_section(const char *page, int step, int line, const char *title) {
    ladder_section found = {0, ""};
    ck_assert_int_eq(ladder_section_find(page, step, &found), line > 0);
    ck_assert_int_eq(found.line, line);
    ck_assert_str_eq(found.title, title);
}

KL_TEST(headings_name_steps_in_many_ways) {
    static const char page[] = "# Lab: the next step 9 is no number of this page's steps\n"
                               "## Steps 1, 2 and 3\n"
                               "## A [warp](../glossary.md#warp) alone (step 2)\n"
                               "```\n"
                               "# step 12 is code\n"
                               "```\n"
                               "## Core (steps 4 to 7)\n"
                               "## More `of` it (steps 7-9)\n"
                               "## Footsteps 11\n"
                               "> **Predict first**: `./ladder predict a 10`\n"
                               "> **Predict first**: `./ladder predict a 4`\n";
    expect_section(page, 1, 2, "Steps 1, 2 and 3");
    expect_section(page, 2, 3, "A warp alone (step 2)");
    expect_section(page, 3, 2, "Steps 1, 2 and 3");
    expect_section(page, 5, 7, "Core (steps 4 to 7)");
    expect_section(page, 8, 8, "More of it (steps 7-9)");
    expect_section(page, 10, 9, "Footsteps 11"); // by the line
    expect_section(page, 4, 7, "Core (steps 4 to 7)");
    expect_section(page, 11, 0, "");
    expect_section(page, 12, 0, "");
    expect_section("", 1, 0, "");
}

KL_TEST(a_given_step_that_was_run_decides_nothing) {
    static const ladder_step_state states[] = {LADDER_STEP_GIVEN, LADDER_STEP_TO_DO,
                                               LADDER_STEP_GIVEN, LADDER_STEP_TO_DO};
    memset(&progress, 0, sizeof progress);
    progress.count = sizeof states / sizeof states[0];
    static const kl_step_info given = {.name = "a", .given = true}, own = {.name = "b"};
    for (int i = 0; i < progress.count; i++) {
        progress.steps[i].state = states[i];
        progress.steps[i].info = states[i] == LADDER_STEP_GIVEN ? &given : &own;
    }
    progress.last = 2;
    ck_assert_int_eq(ladder_progress_next(&progress), 1);
    progress.last = 3;
    ck_assert_int_eq(ladder_progress_next(&progress), 3);
}

KL_TEST_MAIN("lesson")
