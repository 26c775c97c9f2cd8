// What comes of a class: quartiles that name nobody, mistakes by number, the slowest step, pairs
// that are alike without what the skeleton gives.
#include "course/pages/pages.h"

#include "suite.h"

static kl_error err;
static const ladder_lab *lab;
enum { MEMBERS = 12 };
static ladder_member members[MEMBERS];

static void make_members(void) {
    lab = ladder_lab_find("reduction");
    memset(members, 0, sizeof members);
    for (int m = 0; m < MEMBERS; m++) {
        ladder_member *member = &members[m];
        snprintf(member->shown, sizeof member->shown, "m%d", m);
        snprintf(member->page, sizeof member->page, "m%d.html", m);
        member->score = m == 11 ? NAN : 50;
        if (m == 11) snprintf(member->why, sizeof member->why, "step 0: <damaged>");
        member->solution = NAN;
        member->step_count = lab->rubric->step_count;
        for (int s = 0; s < member->step_count; s++) {
            member->steps[s].outcome = LADDER_CORRECT;
            member->steps[s].share = m / 10.0;
            member->steps[s].time_us = m < 6 ? 10.0 * (m + 1) : NAN;
        }
    }
    for (int m = 0; m < 3; m++) {
        members[m].steps[3].outcome = LADDER_WRONG_ANSWER;
        members[m].steps[3].finding = "race";
    }
    members[3].steps[3].outcome = LADDER_WRONG_ANSWER;
    members[4].steps[1].outcome = LADDER_CRASHED;
    members[5].steps[2].outcome = LADDER_NOT_SUBMITTED;
}

KL_TEST(quartiles_are_of_five_or_more) {
    ladder_distribution d;
    make_members();
    ladder_distribution_of(lab, members, MEMBERS, NULL, &d);
    ck_assert_int_eq(d.count, 11);
    ck_assert_double_eq_tol(d.shares[0].low, 0.25, 1e-9);
    ck_assert_double_eq_tol(d.shares[0].mid, 0.5, 1e-9);
    ck_assert_double_eq_tol(d.shares[0].high, 0.75, 1e-9);
    ck_assert_double_eq_tol(d.times_us[0].mid, 35, 1e-9);
    ck_assert(isnan(d.solution_us[0]));
    ladder_distribution_of(lab, members, 4, NULL, &d);
    ck_assert_int_eq(d.count, 4);
    ck_assert(isnan(d.shares[0].mid) && isnan(d.times_us[0].mid));
    ladder_distribution_of(lab, members, 0, NULL, &d);
    ck_assert_int_eq(d.count, 0);
}

KL_TEST(mistakes_are_counted_by_step_outcome_and_finding) {
    ladder_mistake mistakes[LADDER_MISTAKES_MAX];
    make_members();
    ck_assert_int_eq(ladder_mistakes_of(members, MEMBERS, mistakes), 3);
    ck_assert_uint_eq(mistakes[0].count, 3);
    ck_assert_int_eq(mistakes[0].index, 3);
    ck_assert_str_eq(mistakes[0].finding, "race");
    ck_assert_uint_eq(mistakes[1].count, 1);
    ck_assert_int_eq(mistakes[1].index, 1);
    ck_assert_int_eq(mistakes[2].index, 3);
    ck_assert_ptr_null(mistakes[2].finding);
}

KL_TEST(the_slowest_step_is_measured_by_the_solution) {
    ladder_distribution d;
    double factor = 0;
    make_members();
    ladder_distribution_of(lab, members, MEMBERS, NULL, &d);
    for (int s = 0; s < lab->rubric->step_count; s++) d.times_us[s].mid = 100 - s;
    ck_assert_int_eq(ladder_slowest_step(lab, &d, &factor), 0);
    ck_assert(isnan(factor));
    d.solution_us[4] = 94; // 1.02 times as long is noise
    ck_assert_int_eq(ladder_slowest_step(lab, &d, &factor), -1);
    d.solution_us[4] = 32;
    d.solution_us[5] = 50;
    ck_assert_int_eq(ladder_slowest_step(lab, &d, &factor), 4);
    ck_assert_double_eq_tol(factor, 3, 1e-9);
}

// The best attempt counts, and who takes part no more is forgotten.
KL_TEST(the_best_attempt_is_on_the_leaderboard) {
    ladder_leader leaders[MEMBERS];
    char folder[LADDER_PATH];
    size_t count = 0;
    make_members();
    OK(ladder_folder_temporary(folder, &err));
    const char *path = kl_own_text("%s/leaderboard.txt", folder);
    for (int m = 0; m < MEMBERS; m++) snprintf(members[m].id, sizeof members[m].id, "m%d", m);
    snprintf(members[1].nickname, sizeof members[1].nickname, "one");
    snprintf(members[2].nickname, sizeof members[2].nickname, "two");
    snprintf(members[11].nickname, sizeof members[11].nickname, "no_time");
    members[2].steps[4].time_us = 5;
    OK(ladder_leaders_make(lab, members, MEMBERS, path, leaders, &count, &err));
    ck_assert_uint_eq(count, 2);
    ck_assert_str_eq(leaders[0].nickname, "two");
    ck_assert(leaders[0].step == 4 && leaders[0].time_us == 5 && leaders[1].time_us == 20);
    members[2].steps[4].time_us = 50; // a later attempt that is slower
    for (int s = 0; s < members[1].step_count; s++) members[1].steps[s].time_us = 3;
    OK(ladder_leaders_make(lab, members, MEMBERS, path, leaders, &count, &err));
    ck_assert(leaders[0].time_us == 3 && leaders[1].time_us == 5 && leaders[1].step == 4);
    members[2].nickname[0] = '\0';
    for (int again = 0; again < 2; again++) {
        OK(ladder_leaders_make(lab, members, MEMBERS, path, leaders, &count, &err));
        ck_assert_uint_eq(count, again == 0 ? 1 : 2);
        snprintf(members[2].nickname, sizeof members[2].nickname, "two");
    }
    ck_assert(leaders[1].time_us == 30); // its own again, not the forgotten one
    ladder_folder_remove(folder);
}

// Who has a measured time comes first; the best of them is kept with its card.
KL_TEST(measured_times_are_on_the_leaderboard) {
    ladder_leader leaders[MEMBERS];
    char folder[LADDER_PATH];
    size_t count = 0;
    make_members();
    OK(ladder_folder_temporary(folder, &err));
    const char *path = kl_own_text("%s/leaderboard.txt", folder);
    for (int m = 0; m < MEMBERS; m++) {
        snprintf(members[m].id, sizeof members[m].id, "m%d", m);
        for (int s = 0; s < members[m].step_count; s++) members[m].steps[s].timed_us = NAN;
    }
    snprintf(members[1].nickname, sizeof members[1].nickname, "one");
    snprintf(members[2].nickname, sizeof members[2].nickname, "two");
    snprintf(members[2].card, sizeof members[2].card, "card a, 1");
    members[2].steps[3].timed_us = 1; // a wrong step: does not count
    members[2].steps[4].timed_us = 7;
    members[2].steps[5].timed_us = 6;
    for (int again = 0; again < 2; again++) {
        OK(ladder_leaders_make(lab, members, MEMBERS, path, leaders, &count, &err));
        ck_assert_uint_eq(count, 2);
        ck_assert_str_eq(leaders[0].nickname, "two");
        ck_assert(leaders[0].timed_step == 5 && leaders[0].timed_us == 6);
        ck_assert_str_eq(leaders[0].card, "card a, 1");
        ck_assert(leaders[0].time_us == 30 && leaders[1].time_us == 20);
        ck_assert(leaders[1].timed_step == -1 && isnan(leaders[1].timed_us));
        members[2].steps[5].timed_us = 9; // slower attempts, on another card
        members[2].steps[4].timed_us = 8;
        snprintf(members[2].card, sizeof members[2].card, "card b");
    }
    ladder_folder_remove(folder);
}

KL_TEST(scores_fall_into_tenths) {
    size_t bins[LADDER_SCORE_BINS];
    make_members();
    members[0].score = 0;
    members[1].score = 100;
    members[2].score = 89.99;
    ladder_scores_of(members, MEMBERS, bins);
    ck_assert(bins[0] == 1 && bins[9] == 1 && bins[8] == 1 && bins[5] == MEMBERS - 4);
}

static const char skeleton[] =
    "// a head\n#include \"reduction.h\"\nvoid f(const float *x, int n) {\n"
    "    for (int i = 0; i < n; i++) g(x[i]);\n}\n";
static const char loop[] = "__global__ void k(float *out, const float *x, int n) {\n"
                           "    __shared__ float part[256]; int t = threadIdx.x;\n"
                           "    part[t] = t < n ? x[t] : 0;\n    __syncthreads();\n"
                           "    for (int s = 128; s > 0; s /= 2) {\n"
                           "        if (t < s) part[t] += part[t + s];\n        __syncthreads();\n"
                           "    }\n    if (t == 0) out[blockIdx.x] = part[0];\n}\n";
// The same with other names, numbers, blanks and comments.
static const char renamed[] =
    "__global__ void mine(float *o, const float *in, int m) { // hello\n"
    "  __shared__ float a[512];\n  int q = threadIdx.x; a[q] = q < m ? in[q] : 1;"
    " __syncthreads(); for (int w = 64; w > 1; w /= 4) { if (q < w) a[q] += "
    "a[q + w]; __syncthreads(); } if (q == 7) o[blockIdx.x] = a[3]; }";
static const char other[] = "__global__ void k(float *out, const float *x, int n) {\n"
                            "    float v = 0;\n    int64_t i = blockIdx.x * 256 + threadIdx.x;\n"
                            "    while (i < n) { v = v + x[i] * x[i]; i = i + gridDim.x * 256; }\n"
                            "    for (int d = 16; d; d >>= 1) v += __shfl_down_sync(~0u, v, d);\n"
                            "    if (threadIdx.x % 32 == 0) atomicAdd(out, v); else return;\n}\n";

static ladder_prints prints_of(const char *text, const ladder_prints *without) {
    ladder_prints prints;
    OK(ladder_prints_make(&text, 1, without, &prints, NULL, &err));
    return prints;
}

KL_TEST(renamed_copies_are_alike_and_the_skeleton_is_not_counted) {
    ladder_prints given = prints_of(skeleton, NULL), nothing = prints_of(skeleton, &given);
    ck_assert_uint_gt(given.count, 0);
    ck_assert_uint_eq(nothing.count, 0);
    ladder_prints a = prints_of(loop, &given), b = prints_of(renamed, &given),
                  c = prints_of(other, &given);
    ck_assert_double_eq(ladder_prints_alike(&a, &b), 1);
    ck_assert_double_lt(ladder_prints_alike(&a, &c), 0.4);
    ck_assert_double_eq(ladder_prints_alike(&a, &nothing), 0);
    ladder_prints all[] = {a, c, b};
    ladder_clues clues[3] = {{NULL, 0}};
    ladder_pair pairs[LADDER_PAIRS_MAX];
    ladder_prints_weigh(all, 3);
    ck_assert_int_eq(ladder_similar_pairs(all, clues, 3, 0.6, false, pairs), 1);
    ck_assert(pairs[0].rare >= (double)all[0].count && pairs[0].shared[0] == '\0');
    ck_assert(pairs[0].a == 0 && pairs[0].b == 2);
    for (int i = 0; i < 3; i++) ladder_prints_free(&all[i]);
    ladder_prints_free(&given);
    ladder_prints_free(&nothing);
}

// What eight hand in: all the same loop, which is right, and what each has of its own.
KL_TEST(clues_are_what_only_two_have) {
    enum { COUNT = 8 };
    static const char *const more[COUNT] = {
        "// I could not sleep before this worked\nint wobbly_total;",
        "int plain_total;",
        "/* i could NOT sleep, before this worked! */\nint another_total;",
        "int same_file;",
        "int same_file;",
        "int odd_one, odd_two, odd_three;",
        "int odd_three, odd_two, odd_one;",
        "// the whole class writes this line\nint nothing_else;"};
    ladder_prints all[COUNT];
    ladder_clues clues[COUNT] = {{NULL, 0}}, kit = {NULL, 0};
    ladder_pair pairs[LADDER_PAIRS_MAX];
    ladder_prints given = {NULL, NULL, 0};
    const char *text = loop;
    OK(ladder_prints_make(&text, 1, NULL, &given, &kit, &err));
    ladder_clues_sort(&kit, NULL);
    for (int i = 0; i < COUNT; i++) {
        char file[2000];
        const char *source = file;
        snprintf(file, sizeof file, "%s%s\n// the whole class says this, too\n", loop, more[i]);
        OK(ladder_prints_make(&source, 1, &given, &all[i], &clues[i], &err));
        if (i == 1 || i == 7)
            ck_assert(ladder_clues_add(&clues[i], LADDER_CLUE_PERSON, "Ann Lee (in x.zip)"));
        ladder_clues_sort(&clues[i], &kit);
    }
    ladder_clues_keep_shared(clues, COUNT);
    ladder_prints_weigh(all, COUNT);
    ck_assert_int_eq(ladder_similar_pairs(all, clues, COUNT, 0.6, false, pairs), 4);
    static const struct {
        size_t a, b;
        const char *shared;
    } want[] = {
        {3, 4, "1 file is the same in both; 1 identifier that only these two have: 'same_file'"},
        {1, 7, "1 name of the other's: 'Ann Lee (in x.zip)'"},
        {5, 6, "3 identifiers that only these two have: 'odd_one', 'odd_three', 'odd_two'"},
        {0, 2, "1 comment that only these two have: 'i could not sleep before this worked'"}};
    for (int i = 0; i < 4; i++) {
        ck_assert_msg(pairs[i].a == want[i].a && pairs[i].b == want[i].b, "%d: %zu and %zu", i,
                      pairs[i].a, pairs[i].b);
        ck_assert_str_eq(pairs[i].shared, want[i].shared);
    }
    ck_assert_int_eq(ladder_similar_pairs(all, clues, COUNT, 0.6, true, pairs), 4); // shared pages
    ck_assert_str_eq(pairs[1].shared, "1 name of the other's");
    for (int i = 0; i < COUNT; i++) ladder_prints_free(&all[i]), ladder_clues_free(&clues[i]);
    ladder_prints_free(&given);
    ladder_clues_free(&kit);
}

// Owners 0 .. 5: a name of two words, one that many words begin like, brief ones, one without ASCII
// letters at its begin, one that two have.
KL_TEST(names_of_others_are_found) {
    static const char *const people[] = {"Ann Lee\nannlee\n70001", "Bo",   "warp\nWu", "Émile",
                                         "Ann Lee\n@xy-1",         "Al\n7"};
    static const struct {
        const char *text;
        size_t in;
        bool source;
        const char *found; // owners
    } tries[] = {
        {"by ANN Lee.", 5, true, "04"},
        {"by ANN Lee.", 4, true, ""}, // who has that name herself
        {"int annlee = 70001; Leeann, annlee2, 700012, Ann Leeson", 5, true, "0"},
        {"Anné", 5, true, ""},
        {"a /* from Bo */ b // Bo", 5, true, "1"},
        {"int Bo; // bo, BO, Bob\n", 5, true, ""},
        {"with Bo's file", 5, false, "1"},
        {"the warp of Wu \"// Wu", 5, true, "2"}, // the kit says warp
        {"// von émile, Émile", 0, true, "3"},
        {"xy-1 7 Al", 1, true, "4"},
    };
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        ladder_class_names names = {NULL, 0, NULL, 0};
        char found[16] = "";
        for (size_t k = 0; k < 6; k++) ck_assert(ladder_names_add(&names, people[k], k));
        ladder_names_sort(&names);
        ck_assert(ladder_names_look(&names, "one warp", LADDER_NAMES_KIT, false));
        ck_assert(ladder_names_look(&names, tries[i].text, tries[i].in, tries[i].source));
        for (size_t owner = 0; owner < 6; owner++)
            for (size_t k = 0; k < names.mention_count; k++)
                if (names.items[names.mentions[k].name].owner == owner &&
                    (found[0] == '\0' || found[strlen(found) - 1] != (char)('0' + owner)))
                    found[strlen(found)] = (char)('0' + owner);
        ck_assert_msg(strcmp(found, tries[i].found) == 0, "%s: %s", tries[i].text, found);
        ladder_names_free(&names);
    }
}

// A brief name that three others say is a word.
KL_TEST(brief_names_that_many_say_are_words) {
    static const char *const ids[] = {"m0", "m1", "m2", "m3"};
    for (size_t say = 1; say < 4; say++) {
        ladder_class_names names = {NULL, 0, NULL, 0};
        ladder_clues clues[4] = {{NULL, 0}};
        ck_assert(ladder_names_add(&names, "Max", 0));
        ladder_names_sort(&names);
        for (size_t m = 1; m <= say; m++)
            ck_assert(ladder_names_look(&names, "// Max and Max", m, true));
        ck_assert(ladder_names_clues(&names, ids, clues));
        ck_assert_uint_eq(clues[0].count, say < 3 ? say : 0);
        ck_assert_uint_eq(clues[1].count, say < 3 ? 1 : 0);
        if (say < 3) ck_assert_str_eq(clues[1].items[0], "@Max (in m1)");
        for (int i = 0; i < 4; i++) ladder_clues_free(&clues[i]);
        ladder_names_free(&names);
    }
}

KL_TEST(what_most_of_a_class_has_does_not_count) {
    ladder_prints all[MEMBERS];
    for (int i = 0; i < MEMBERS; i++) all[i] = prints_of(i < 8 ? loop : other, NULL);
    ladder_prints_weigh(all, MEMBERS);
    ck_assert_uint_eq(all[0].count, 0);
    ck_assert_uint_gt(all[MEMBERS - 1].count, 0);
    for (int i = 0; i < MEMBERS; i++) ladder_prints_free(&all[i]);
}

KL_TEST(the_page_has_all_of_it_and_nothing_from_elsewhere) {
    ladder_distribution d;
    ladder_pair pair = {0, 1, 0.875, 3, "1 file is the same in both: <i>"};
    make_members();
    snprintf(members[2].shown, sizeof members[2].shown, "<img src=x>");
    ladder_distribution_of(lab, members, MEMBERS, NULL, &d);
    const ladder_class_page page = {.lab = lab,
                                    .device = "simulated",
                                    .members = members,
                                    .count = MEMBERS,
                                    .distribution = &d,
                                    .pairs = &pair,
                                    .pair_count = 1,
                                    .least = 0.6,
                                    .compared = true,
                                    .deck =
                                        "---\nmarp: true\n# no slide\n---\n# Step 31 and trace\n\n"
                                        "# Two\nStep 3\n```\n# code\n```\n\n# A race is\n\n"
                                        "# Four\nStep 3: a race\n",
                                    .slides = "deck<1>.html"};
    ck_assert_int_eq(ladder_slide_about(page.deck, "race", 1), 3);
    ck_assert_int_eq(ladder_slide_about(page.deck, NULL, 3), 2);
    ck_assert_int_eq(ladder_slide_about(page.deck, "misaligned", 3), 2);
    ck_assert_int_eq(ladder_slide_about(page.deck, "misaligned", 9), 0);
    char *text = KL_PRINTED(out, ladder_class_write(&page, out, NULL, NULL));
    static const char *const wanted[] = {
        "mean score 50.0 %, 11 with a score",
        "<td class=\"num\">3</td><td>3 sequential</td><td><b>wrong "
        "answer</b> (race)",
        "step 0: &lt;damaged&gt;",
        "88 %",
        "<a href=\"deck&lt;1&gt;.html#3\">slide 3</a>",
        "1 file is the same in both: &lt;i&gt;",
        "href=\"m1.html\"",
        "Slowest step: <b>0 one_block</b>"};
    static const char *const absent[] = {"<img", "<script", "http:", "https:", "url("};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        ck_assert_msg(strstr(text, wanted[i]), "no '%s'", wanted[i]);
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++) {
        const char *at = strstr(text, absent[i]);
        bool name_space = at && strncmp(at, "http://www.w3.org/2000/svg", 26) == 0;
        ck_assert_msg(!at || name_space, "'%s'", absent[i]);
    }
}

KL_TEST_MAIN("class_summary")
