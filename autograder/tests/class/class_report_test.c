// ladder report from end to end, on results made by hand in which students are named everywhere: a
// page of each and one of the class; and shared pages, in which none of these names is left.
// needs: ladder
// labels: grade
#include <dirent.h>

#include "course/class/class.h"
#include "ladder_config.h"
#include "suite.h"

enum { STUDENTS = 6, PAGE_MAX = 4 << 20 };

static kl_error err;
static char folder[LADDER_PATH], results[LADDER_PATH], said[4096];

static const struct student {
    const char *title, *id, *user, *mail;
} students[STUDENTS] = {
    {"Quinlan Abernathy", "quinlan_abernathy", "8812345", "q.abernathy@uni.example"},
    {"Oyelaran Temi", "oyelaran_temi", "8812346", "temi@uni.example"},
    {"Zoe Xu", "zoe_xu", "8812347", "zx@uni.example"},
    {"M\xc3\xbcller-Vogt Jana", "m__ller_vogt_jana", "8812348", "jana@uni.example"},
    {"Ravindra Iyer", "ravindra_iyer", "8812349", "iyer@uni.example"},
    {"Szczepan Kowal", "szczepan_kowal", "8812350", "kowal@uni.example"}};

// What names a student in text of a result or a file.
static void sign(const struct student *s, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, "%s %s %s /home/%s/lab/x.cu my_%s_sum // crony of %s\n", s->title,
             s->user, s->mail, s->id, s->id, students[0].title);
}

// A time, and of step 1 a prediction: right for every other student, else twice too high.
static void add_counts(const ladder_lab *lab, int index, int i, ladder_step_result *step) {
    const char *family = "";
    ladder_call *call = &step->calls[0];
    step->call_count = 1;
    ck_assert(ladder_common_case(lab, &family, &call->size));
    snprintf(call->family, sizeof call->family, "%s", family);
    call->time_us = 100.0 - 10 * i - index;
    if (i != 1) return;
    step->prediction_count = 1;
    step->predictions[0] = (ladder_prediction){.name = "requests",
                                               .predicted = index % 2 == 0 ? 100 : 200,
                                               .counted = 100,
                                               .stood = index != 4};
}

static void fill(const struct student *s, int index, const ladder_lab *lab, ladder_result *r) {
    char text[512];
    sign(s, text, sizeof text);
    snprintf(r->id, sizeof r->id, "%s", s->id);
    snprintf(r->title, sizeof r->title, "%s", s->title);
    snprintf(r->user, sizeof r->user, "%s", s->user);
    snprintf(r->hash, sizeof r->hash, "feedc0de%d", index);
    if (index > 3) snprintf(r->members, sizeof r->members, "Group Five\t8800000\n"); // twice one
    if (index == 2 || index == 4)
        snprintf(r->nickname, sizeof r->nickname, "%s", index == 2 ? "crony_2" : "warp-4");
    ladder_result_note(r, "not used: %s", text);
    r->step_count = lab->rubric->step_count;
    for (int i = 0; i < r->step_count; i++) {
        ladder_step_result *step = &r->steps[i];
        step->step = lab->rubric->steps[i].step;
        step->criteria_count = lab->rubric->steps[i].criteria_count;
        for (int c = 0; c < step->criteria_count; c++)
            step->criteria[c] =
                (ladder_criterion_result){.counted = true, .points_max = 3, .modelled = NAN};
        step->outcome = index == 5      ? LADDER_UNREADABLE
                        : i == 3        ? LADDER_WRONG_ANSWER
                        : i < index + 1 ? LADDER_CORRECT
                                        : LADDER_NOT_IMPLEMENTED;
        if (step->outcome == LADDER_CORRECT) add_counts(lab, index, i, step);
        snprintf(step->message, sizeof step->message, "%s", text);
        ladder_result_log(step, text, strlen(text));
        if (step->outcome != LADDER_WRONG_ANSWER) continue;
        step->failure_count = 2;
        step->failures[0] = (ladder_failure){.outcome = LADDER_WRONG_ANSWER,
                                             .title = "sum-exact, 257 elements",
                                             .compared = true,
                                             .output = "result",
                                             .seen = "6"};
        snprintf(step->failures[0].text, sizeof step->failures[0].text, "(): %s", text);
        snprintf(step->failures[1].text, sizeof step->failures[1].text, "race: %s", text);
        step->check.finding_count = 1;
        step->check.findings[0].kind = "race";
        snprintf(step->check.findings[0].place, sizeof step->check.findings[0].place, "%s:2",
                 lab->rubric->steps[i].file);
    }
    ladder_result_total(r);
}

// Code that two students hand in: enough of it to compare.
static const char copied[] = "__global__ void total(const float *x, float *y, int n) {\n"
                             "    float sum = 0;\n"
                             "    for (int i = threadIdx.x; i < n; i += 4 * blockDim.x) {\n"
                             "        if (i % 3 == 0) sum += x[i] * 2;\n"
                             "        else if (i % 5 == 1) sum -= x[i] / 7;\n"
                             "        else while (sum > x[i]) sum = sum / 2 - 1;\n"
                             "    }\n"
                             "    if (threadIdx.x < 32 && n > 64) y[blockIdx.x] = sum + y[0];\n"
                             "    for (int k = 16; k > 0; k >>= 1) y[k] = y[k - 1] ^ (k << 2);\n"
                             "    switch (n & 3) { case 0: y[1] = 5; break; default: y[2] = 8; }\n"
                             "}\n";

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    return ladder_report_json(context, out, err);
}

static void put_student(int index) {
    const ladder_lab *lab = ladder_lab_find("reduction");
    const struct student *s = &students[index];
    ladder_result *r = calloc(1, sizeof *r);
    ck_assert_ptr_nonnull(r);
    fill(s, index, lab, r);
    ladder_report report = {
        .lab = lab, .result = r, .device = "simulated", .sandbox = "isolated", .sandbox_text = ""};
    char path[LADDER_PATH], source[2048], text[512];
    OK(ladder_class_path(results, s->id, LADDER_CLASS_FILES, path, &err));
    OK(ladder_folder_make(path, &err));
    sign(s, text, sizeof text);
    snprintf(source, sizeof source, "// %s__global__ void my_%s() {} /* %s */\n\"%s\";\n%s", text,
             s->id, s->mail, s->user,
             index < 2   ? copied
             : index > 3 ? "// seldom said, and twice by one\n"
                         : "");
    OK(ladder_path(path, &err, "%s/submissions/%s/files/%s", results, s->id,
                   lab->rubric->steps[3].file));
    OK(ladder_file_write(path, source, strlen(source), &err));
    OK(ladder_class_path(results, s->id, "result.json", path, &err));
    OK(kl_file_put(path, write_json, &report, &err));
    free(r);
}

// Runs ladder report with these further words; returns its status.
static int run_report(const char *first, const char *second, const char *third,
                      const char *fourth) {
    const char *argv[] = {TEST_LADDER, "report", results, first, second, third, fourth, NULL};
    const char *environment[] = {"PATH=/usr/bin:/bin", "HOME=/nonexistent", NULL};
    ladder_process_spec spec = {.argv = argv, .environment = environment};
    ladder_process p;
    OK_OR_SAY(ladder_process_run(&spec, &p, &err), err);
    ck_assert_int_eq(p.end, LADDER_END_EXITED);
    int code = p.code;
    snprintf(said, sizeof said, "%s", p.output);
    if (!LADDER_HAVE_JANSSON) ck_assert_ptr_nonnull(strstr(p.output, "libjansson-dev"));
    ladder_process_free(&p);
    return code;
}

static char *read_file(const char *below, const char *name) {
    char path[LADDER_PATH], *text = NULL;
    OK(ladder_path(path, &err, "%s/%s/%s", folder, below, name));
    OK_OR_SAY(ladder_file_read(AT_FDCWD, path, PAGE_MAX, &text, NULL, &err), err);
    return kl_own(text);
}

static void set_up(void) {
    OK(ladder_folder_temporary(folder, &err));
    OK(ladder_path(results, &err, "%s/results", folder));
    for (int i = 0; i < STUDENTS; i++) put_student(i);
}

static void tear_down(void) { ladder_folder_remove(folder); }

KL_FIXTURE(set_up, tear_down)

KL_TEST(pages_of_a_class) {
    const char *json = kl_own_text("%s/class.json", folder);
    int code = run_report("--json", json, NULL, NULL);
    if (LADDER_HAVE_JANSSON) {
        ck_assert_int_eq(code, 0);
        char *text = read_file(".", "class.json");
        kl_keep("report.json", text);
        KL_HAS(text, "\"scored\": 5", "\"submission\": \"Zoe Xu\"", "\"page\": \"zoe_xu.html\"",
               "\"first\": \"Oyelaran Temi\"");
        char *class = read_file("results/pages", "class.html");
        char *page = read_file("results/pages", "zoe_xu.html");
        KL_HAS(class, "6 submissions", "<a href=\"zoe_xu.html\">Zoe Xu</a>",
               "<td class=\"num\">5</td><td>3 sequential</td>",
               "<td class=\"num\"><a href=\"pair_1.html\">");
        ck_assert_ptr_null(strstr(class, "Ravindra Iyer</a></td><td><a href=\"szcz"));
        // predicted before the first run by 3, of them 1 right; after it by one
        KL_HAS(class,
               "<td>requests</td><td class=\"num\">3</td>"
               "<td class=\"num\">1</td><td class=\"num\">3</td>"
               "<td class=\"num\">1</td><td class=\"num\">1</td>"
               "<td class=\"num\">2</td>",
               "<td class=\"num\">1</td><td>warp-4</td><td>4</td>",
               "<td class=\"num\">2</td><td>crony_2</td><td>2</td>");
        KL_HAS(read_file("results/pages", "pair_1.html"), "Oyelaran Temi", "switch (n &amp; 3)");
        char *csv = read_file("results/pages", "predictions.csv");
        KL_HAS(csv, "\"Zoe Xu\",1,\"requests\",100,100,yes");
        KL_HAS(page, "Zoe Xu", "<tr class=\"hit\"><td class=\"no\">2</td>", "feedc0de2",
               "half of the class");
        ck_assert_ptr_null(strstr(page, "Iyer")); // another's
    }
}

static void expect_no_trace(const char *name, const char *page) {
    for (int i = 0; i < STUDENTS; i++) {
        const struct student *s = &students[i];
        char words[512];
        snprintf(words, sizeof words, "%s %s %s %s /home feedc0de crony Zoe", s->title, s->id,
                 s->user, s->mail);
        for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
            ck_assert_msg(!strcasestr(page, word) || strcmp(word, "Xu") == 0, "%s: '%s' in '%.80s'",
                          name, word, strcasestr(page, word) - 30);
    }
}

KL_TEST(shared_pages_name_nobody) {
    const char *key = kl_own_text("%s/key", folder);
    const char *shared = kl_own_text("%s/shared", folder);
    if (LADDER_HAVE_JANSSON) {
        const char *json = kl_own_text("%s/class.json", folder);
        ck_assert_int_eq(run_report("--pseudonyms", key, "--json", json), 0);
        char *text = read_file(".", "class.json");
        KL_HAS(text, "\"submission\": \"student-");
        expect_no_trace("class.json", text);
    }
    for (int again = 0; again < 2 && LADDER_HAVE_JANSSON; again++) { // the same names again
        ck_assert_int_eq(run_report("--pseudonyms", key, "--output", shared), 0);
        DIR *entries = opendir(shared);
        ck_assert_ptr_nonnull(entries);
        int pages = 0, pairs = 0;
        for (struct dirent *item; (item = readdir(entries));) {
            if (item->d_name[0] == '.') continue;
            char *page = read_file("shared", item->d_name);
            bool class = strcmp(item->d_name, "class.html") == 0;
            bool pair = strncmp(item->d_name, "pair_", 5) == 0;
            bool csv = strcmp(item->d_name, "predictions.csv") == 0;
            ck_assert(class || pair || csv || strncmp(item->d_name, "student-", 8) == 0);
            expect_no_trace(item->d_name, page);
            ck_assert_ptr_null(!strchr(page, '@') ? NULL : strstr(page, "example"));
            pages += !pair;
            pairs += pair;
        }
        closedir(entries);
        ck_assert_int_eq(pages, STUDENTS + 2); // the class, predictions
        ck_assert_int_ge(pairs, 1);            // a copy, and who names another student
    }
}

// One file that is no result costs its own page, and the status.
KL_TEST(a_damaged_result_is_left_out) {
    char path[LADDER_PATH];
    OK(ladder_class_path(results, "zoe_xu", "result.json", path, &err));
    OK(ladder_file_write(path, "{\"schema\"", 9, &err));
    ck_assert_int_eq(run_report(NULL, NULL, NULL, NULL), 1);
    if (LADDER_HAVE_JANSSON) {
        char *class = read_file("results/pages", "class.html");
        KL_HAS(class, "5 submissions");
    }
}

// Two under one pseudonym: on the leaderboard they are told, of shared pages one would be lost.
KL_TEST(two_of_one_pseudonym_are_an_error) {
    char path[LADDER_PATH];
    const char *key = kl_own_text("%s/key", folder);
    OK(ladder_class_path(results, "zoe_xu", "result.json", path, &err));
    char *text = NULL;
    OK(ladder_file_read(AT_FDCWD, path, PAGE_MAX, &text, NULL, &err));
    if (LADDER_HAVE_JANSSON) {
        char *name = strstr(text, "crony_2");
        ck_assert_ptr_nonnull(name);
        memcpy(name, "Warp-4\"", 7 + 1); // that of another, in other letters
        memmove(name + 7, name + 8, strlen(name + 8) + 1);
        OK(ladder_file_write(path, text, strlen(text), &err));
        ck_assert_int_eq(run_report(NULL, NULL, NULL, NULL), 1);
        char *class = read_file("results/pages", "class.html"); // and the pages are there
        ck_assert(strstr(class, "Warp-4") && strstr(class, "warp-4"));
        ck_assert_msg(strstr(said, "ravindra_iyer and zoe_xu have one pseudonym") ||
                          strstr(said, "zoe_xu and ravindra_iyer have one pseudonym"),
                      "%s", said);
        char *user = strstr(text, "\"8812347\"");
        ck_assert_ptr_nonnull(user);
        memcpy(user, "\"8812345\"", 9); // Quinlan's
        OK(ladder_file_write(path, text, strlen(text), &err));
        ck_assert_int_eq(run_report("--pseudonyms", key, NULL, NULL), 1);
        KL_HAS(said, "quinlan_abernathy and zoe_xu are of one student");
    }
    free(text);
}

KL_TEST_MAIN("class_report")
