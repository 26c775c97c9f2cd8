// Runs as they are kept (ladder.run/2): what was written comes back, each result has a row, and
// rows of labs/measured are read as documents.
// where: LADDER_HAVE_JANSSON
// links: kl_lab kl_measured
#include <glob.h>

#include "ladder.h"
#include "measured.h"
#include "suite.h"

static const kl_step_info steps[] = {{.name = "zero", .given = true}, {.number = 1, .name = "one"}};
static const kl_family families[] = {{"even", "", 0}, {"odd", "", 0}};
static const kl_problem problem = {.name = "halves",
                                   .steps = steps,
                                   .step_count = 2,
                                   .families = families,
                                   .family_count = 2,
                                   .timed_family = "even"};

enum { CASES = 4 };
static const kl_case shapes[CASES] = {{.family = 0, .size = 2, .work_bytes = 8},
                                      {.family = 1, .size = 3, .work_bytes = 12},
                                      {.family = 0, .size = 4, .work_bytes = 16},
                                      {.family = 0, .size = 64, .work_bytes = 6400}};

static kl_plan plan;
static kl_ladder run;

static kl_case_result result_of(int index, ladder_outcome state, double us) {
    return (kl_case_result){.plan_index = index,
                            .state = state,
                            .verdict = {.compared = 4, .max_error = 0.25, .bound = 0.5},
                            .time_us = {us * 0.5, us, us * 2},
                            .samples = 7,
                            .prepare_us = NAN};
}

// Step 0 is right in all cases and timed in the last one; step 1 is wrong in the second.
static void make_run(void) {
    plan.problem = run.problem = &problem; // no compound literals: they are too large for a stack
    plan.count = CASES;
    plan.main_case = CASES - 1;
    run.plan = &plan;
    run.count = 2;
    snprintf(run.device.name, sizeof run.device.name, "NVIDIA H200");
    for (int s = 0; s < run.count; s++) kl_ladder_step_begin(&run.steps[s], &steps[s]);
    for (int i = 0; i < CASES; i++) {
        plan.cases[i].data.shape = shapes[i];
        plan.cases[i].timed = i == plan.main_case;
        kl_case_result right = result_of(i, LADDER_CORRECT, plan.cases[i].timed ? 20 : NAN);
        kl_ladder_step_add(&run.steps[0], &right);
        kl_case_result other = result_of(i, i == 1 ? LADDER_WRONG_ANSWER : LADDER_CORRECT, NAN);
        if (i < 2) kl_ladder_step_add(&run.steps[1], &other);
    }
    for (int s = 0; s < run.count; s++)
        kl_ladder_step_settle(&run.steps[s], &plan, KL_ALL, LADDER_EXITED, "");
}

static void write_run(char *path) {
    int fd = mkstemps(path, (int)strlen(".json"));
    ck_assert_int_ge(fd, 0);
    FILE *out = fdopen(fd, "w");
    ck_assert_ptr_nonnull(out);
    make_run();
    ck_assert_int_eq(kl_ladder_write_json(&run, NULL, NULL, out, NULL), KL_OK);
    fclose(out);
}

KL_TEST(what_was_written_comes_back) {
    char path[] = "/tmp/kl_measured_XXXXXX.json";
    write_run(path);
    json_t *read = measured_load(path);
    ck_assert_ptr_nonnull(read);
    ck_assert(measured_is_gpu(read));
    ck_assert_str_eq(measured_device(read), "NVIDIA H200");
    const json_t *right = measured_step(read, 0), *wrong = measured_step(read, 1);
    ck_assert(measured_time_us(read, 0, "even", 64) == 20);
    const json_t *timed = measured_result(right, "even", 64);
    ck_assert(measured_number(timed, "max_error") == 0.25);
    ck_assert(measured_number(timed, "bound") == 0.5);
    ck_assert(measured_number(timed, "samples") == 7);
    ck_assert(json_number_value(json_array_get(json_object_get(timed, "ci_us"), 1)) == 40);
    ck_assert(measured_number(measured_case(read, "odd", 3), "work_bytes") == 12);
    ck_assert(measured_main_case(read) == measured_case(read, "even", 64));
    // Not timed, but of these families.
    ck_assert(!measured_result(right, "odd", 3) && measured_has_family(right, "odd"));
    ck_assert(measured_has_family(wrong, "odd") && measured_has_family(wrong, "even"));
    ck_assert(measured_has_families_of(wrong, right) && measured_has_families_of(right, wrong));
    json_object_del(json_object_get(right, "checked"), "odd");
    ck_assert(!measured_has_families_of(right, wrong));
    json_decref(read);
    unlink(path);
}

static char text[1 << 20];

static void read_text(const char *path) {
    FILE *in = fopen(path, "r");
    ck_assert_ptr_nonnull(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
}

KL_TEST(what_is_right_and_not_timed_has_no_row) {
    char path[] = "/tmp/kl_measured_XXXXXX.json";
    write_run(path);
    read_text(path);
    unlink(path);
    KL_HAS(text,
           "\n      \"checked\": {\"even\": [2, 4], \"odd\": [3]},\n"
           "      \"results\": [\n"
           "        {\"case\": \"even\", \"size\": 64, ",
           "\n      \"checked\": {\"even\": [2]},\n"
           "      \"results\": [\n"
           "        {\"case\": \"odd\", \"size\": 3, "
           "\"state\": \"wrong answer\", ");
}

static size_t lines_with(const char *beginning) {
    size_t found = 0, length = strlen(beginning);
    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        found += strncmp(at, beginning, length) == 0;
    return found;
}

// Of the runs in the tree: a case has one row, with what all steps took.
KL_TEST(a_case_is_a_row) {
    glob_t files;
    size_t runs = 0;
    const char *name;
    json_t *run;
    ck_assert_int_eq(glob(TEST_SOURCE_DIR "/labs/measured/*.csv", 0, NULL, &files), 0);
    for (size_t f = 0; f < files.gl_pathc; f++) {
        json_t *documents = measured_documents(files.gl_pathv[f], NULL);
        ck_assert_ptr_nonnull(documents);
        read_text(files.gl_pathv[f]);
        ck_assert_ptr_null(strstr(text, "/results,"));
        json_object_foreach(documents, name, run) {
            char row[256];
            if (strcmp(measured_text(run, "schema"), "ladder.run/2") != 0) continue;
            size_t lab = strcspn(name, "/");
            snprintf(row, sizeof row, "%.*s,%s,cases,", (int)lab, name, name + lab + 1);
            ck_assert_uint_eq(lines_with(row), json_array_size(json_object_get(run, "cases")));
            runs++;
        }
        json_decref(documents);
    }
    globfree(&files);
    ck_assert_uint_ge(runs, 40);
}

static json_t *read_rows(const char *rows, const char *which) {
    char path[] = "/tmp/kl_rows_XXXXXX.csv", name[256];
    int fd = mkstemps(path, (int)strlen(".csv"));
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, rows, strlen(rows)), (ssize_t)strlen(rows));
    close(fd);
    snprintf(name, sizeof name, "%s:%s", path, which);
    json_t *document = measured_document(name);
    ck_assert_int_eq(measured_has(name), document != NULL);
    unlink(path);
    return document;
}

static void is_document(const char *rows, const char *which, const char *wanted) {
    json_t *read = read_rows(rows, which), *same = json_loads(wanted, 0, NULL);
    char *got = json_dumps(read, JSON_COMPACT);
    ck_assert_msg(same && json_equal(read, same), "%s is not %s", got, wanted);
    free(got);
    json_decref(read);
    json_decref(same);
}

KL_TEST(rows_are_a_document) {
    is_document("# a comment\nlab,document,-,schema,device/name,n,gone\n"
                "01_a,run,-,s/1,\"A, \"\"B\"\"\",1.5,\n",
                "01_a",
                "{\"schema\": \"s/1\", \"device\": {\"name\": \"A, \\\"B\\\"\"}, \"n\": 1.5}");
    // A text of several lines, one of them like a comment.
    is_document("# \"\nlab,document,-,text,n\n01_a,run,-,\"race\n\n# \"\"x\"\"\n\",3\n", "01_a",
                "{\"text\": \"race\\n\\n# \\\"x\\\"\\n\", \"n\": 3}");
    // Numbers, what is not known, and text that looks like a number.
    is_document(
        "lab,document,-,a,b,c,d,e,f\n01_a,other,-,null,true,7,\"7\",\"\",[]\n01_b,other,-,1,,,,,\n",
        "01_a/other", "{\"a\": null, \"b\": true, \"c\": 7, \"d\": \"7\", \"e\": \"\", \"f\": []}");
    is_document(
        "lab,document,-,ci[],shapes[][],steps[]/us,steps[]/n,steps[]/of[]\n"
        "01_a,run,-,1 2.5,1 2;3 4,7 null,one 2,5 6;7\n",
        "01_a",
        "{\"ci\": [1, 2.5], \"shapes\": [[1, 2], [3, 4]], \"steps\":"
        " [{\"us\": 7, \"n\": \"one\", \"of\": [5, 6]}, {\"us\": null, \"n\": 2, \"of\": [7]}]}");
    // Lists in lists, in objects, and a heading that another one replaces.
    is_document("lab,document,-,s\nlab,document,steps,n\nlab,document,steps/results,us\n"
                "lab,document,best/results,us\n01_a,run,-,x\n01_a,run,steps,0\n"
                "01_a,run,steps/results,5\n01_a,run,steps/results,6\nlab,document,steps,m,n\n"
                "01_a,run,steps,9,1\n01_a,run,steps/results,7\n01_a,run,best/results,3\n",
                "01_a",
                "{\"s\": \"x\", \"steps\": [{\"n\": 0, \"results\": [{\"us\": 5}, {\"us\": 6}]},"
                " {\"m\": 9, \"n\": 1, \"results\": [{\"us\": 7}]}], "
                "\"best\": {\"results\": [{\"us\": 3}]}}");
    // A list in an element of a list, as part of its row.
    is_document("lab,document,-,s\nlab,document,c,n\n"
                "lab,document,c/p,a,r/0/us,r/0/to/n,r/1/us\n01_a,run,-,x\n01_a,run,c,1\n"
                "01_a,run,c/p,3,4,5,6\n01_a,run,c/p,7,8,,\n",
                "01_a",
                "{\"s\": \"x\", \"c\": [{\"n\": 1, \"p\": [{\"a\": 3, \"r\": [{\"us\": 4, "
                "\"to\": {\"n\": 5}}, {\"us\": 6}]}, {\"a\": 7, \"r\": [{\"us\": 8}]}]}]}");
    // What steps took in a case, in its row: step 0 in both cases, step 1 in one of them.
    is_document(
        "lab,document,-,s\nlab,document,steps,n\n"
        "lab,document,cases,case,size,steps/0/results:us,steps/1/results:us,"
        "steps/1/results:ci[],best/results:us\n01_a,run,-,x\n01_a,run,steps,0\n"
        "01_a,run,steps,1\n01_a,run,cases,a,4,5,,,\n01_a,run,cases,b,8,6,7,1 2,3\n",
        "01_a",
        "{\"s\": \"x\", \"steps\": [{\"n\": 0, \"results\": [{\"case\": \"a\", \"size\": 4, "
        "\"us\": 5}, {\"case\": \"b\", \"size\": 8, \"us\": 6}]}, {\"n\": 1, \"results\": "
        "[{\"case\": \"b\", \"size\": 8, \"us\": 7, \"ci\": [1, 2]}]}], \"best\": "
        "{\"results\": [{\"case\": \"b\", \"size\": 8, \"us\": 3}]}, \"cases\": "
        "[{\"case\": \"a\", \"size\": 4}, {\"case\": \"b\", \"size\": 8}]}");
}

KL_TEST(rows_that_are_no_document_are_refused) {
    static const char *const wrong[] = {
        "01_a,run,-,1\n",                                       // no heading
        "lab,document,-,a,b\n01_a,run,-,1\n",                   // a cell is missing
        "lab,document,-,a\n01_a,run,-,1,2\n",                   // one too many
        "lab,document,-,a\n01_a,run,-,\"1\n",                   // a quote that is open
        "lab,document,-,a\n01_a,run,-,\"1\"2\n",                // text behind a quote
        "lab,document,steps/results,a\n01_a,run,steps/results", // cut off
        "01_a\n",                                               // no row at all
        "lab,document,-,a\nlab,document,s,n\nlab,document,c,s/1/r:a\n"
        "01_a,run,-,1\n01_a,run,s,0\n01_a,run,c,1\n", // no second element
        "",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        ck_assert_msg(!read_rows(wrong[i], "01_a"), "%s is a document", wrong[i]);
}

KL_TEST_MAIN("measured")
