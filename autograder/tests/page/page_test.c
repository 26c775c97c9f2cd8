// The page of a profile: it has every launch, the numbers of the JSON and of the terminal, nothing
// from elsewhere, no hostile text, and a sentence of the glossary for every number. The reports are
// made up.

#include "show/page/internal.h"
#include "suite.h"

enum { LINES = 3, LAUNCHES = 30 };
static char folder[LADDER_PATH], source[LADDER_PATH];
static char *files[] = {source};
static sim_line_counters lines[LINES];
static sim_launch_report reports[LAUNCHES];
static kl_error err;

static void set_up(void) {
    static const char text[] = "__global__ void k(float *x) {\n"
                               "    x[threadIdx.x] = 1; // </td><script>alert(1)</script>\n"
                               "    x[1] &= \"'\\x1b[31m';\n";
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(source, &err, "%s/<b>hostile.cu", folder), KL_OK);
    ck_assert_int_eq(ladder_file_write(source, text, strlen(text), &err), KL_OK);
    memset(lines, 0, sizeof lines);
    for (int i = 0; i < LINES; i++) {
        lines[i].line = (uint32_t)i + 1;
        lines[i].counters.value[SIM_COUNTER_INST] = 1000000 + (uint64_t)i;
        lines[i].counters.value[SIM_COUNTER_THREAD_INST] = 32000000;
        lines[i].counters.value[SIM_COUNTER_THREAD_INST_ON] = 31000000;
    }
    lines[1].counters.value[SIM_COUNTER_GLOBAL_ST_REQUESTS] = 1000000;
    lines[1].counters.value[SIM_COUNTER_GLOBAL_ST_SECTORS] = 31500000;
    memset(reports, 0, sizeof reports);
    for (int i = 0; i < LAUNCHES; i++) {
        sim_launch_report *r = &reports[i];
        r->kernel = i % 2 == 0 ? "_Z4evenPf" : "_Z3oddPf";
        r->config = (sim_launch_config){.grid = {1000 + (uint32_t)i, 1, 1}, .block = {256, 1, 1}};
        r->registers = 12;
        sim_occupancy_compute(sim_device_find(NULL), 256, 12, 0, &r->occupancy);
        r->time_us = r->bounded_us = 1234.5;
        r->bounds[0] = (sim_time_bound){SIM_BOUND_ISSUE, 1200};
        r->bounds[1] = (sim_time_bound){SIM_BOUND_DRAM, 300};
        snprintf(r->explanation, sizeof r->explanation, "issue bound");
        r->mode = SIM_MODE_COUNT;
        r->lines = lines;
        r->line_count = LINES;
        r->files = files;
        r->file_count = 1;
        for (int c = 0; c < SIM_COUNTER_COUNT; c++)
            for (int l = 0; l < LINES; l++) r->totals.value[c] += lines[l].counters.value[c];
    }
}

static ladder_profile *make_profile(int count) {
    set_up();
    ladder_profile *p = calloc(1, sizeof *p);
    p->device = *sim_device_find(NULL);
    snprintf(p->device_name, sizeof p->device_name, "%s", p->device.name);
    for (int i = 0; i < count; i++) p->launches[i] = &reports[i];
    p->count = (uint32_t)count;
    return kl_own(p);
}

static char *write_page(const ladder_page_part *parts, int count) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    ck_assert_int_eq(ladder_page_write(parts, count, out, &err), KL_OK);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_uint_eq(strlen(text), bytes);
    ladder_folder_remove(folder);
    return kl_own(text);
}

static char *page_of(ladder_profile *p, const ladder_checks *checks) {
    const ladder_page_part part = {"lab <x>", p, checks};
    return write_page(&part, 1);
}

// The text without the buttons that ask: sentences are whole.
static void drop_buttons(char *text) {
    char *to = text;
    for (const char *at = text; *at != '\0';) {
        bool button = strncmp(at, "<button", 7) == 0 || strncmp(at, "</button", 8) == 0;
        if (button) at += strcspn(at, ">") + 1;
        else *to++ = *at++;
    }
    *to = '\0';
}

KL_TEST(every_launch_is_there) {
    ladder_profile *p = make_profile(LAUNCHES);
    char *text = page_of(p, NULL), row[64];
    ck_assert_int_eq(kl_occurrences(text, "<tr data-launch="), LAUNCHES);
    ck_assert_int_eq(kl_occurrences(text, "<details class=\"launch\""), LADDER_PAGE_FULL);
    ck_assert_int_eq(kl_occurrences(text, " open><summary>"), 2); // one of each kernel
    for (int i = 0; i < LAUNCHES; i++) {
        snprintf(row, sizeof row, "kernel\"><a href=\"#launch-%d\"", i + 1);
        ck_assert_int_eq(kl_occurrences(text, row), i < LADDER_PAGE_FULL);
    }
    ck_assert(strlen(text) < 2000000);
}

// The numbers of the terminal, and on each line the JSON's.
// What to do is the first thing, with links to the lines, and not said again below.
KL_TEST(advice_opens_the_page) {
    ladder_profile *p = make_profile(3);
    strcpy(source, "/gone/2_tiled.cu");
    for (int i = 0; i < 3; i++) {
        reports[i].bounds[1] = (sim_time_bound){SIM_BOUND_L2, 900};
        reports[i].bounds[2] = (sim_time_bound){SIM_BOUND_XU, 800};
        reports[i].totals.value[SIM_COUNTER_BRANCHES_DIVERGENT] = 7;
    }
    lines[0].counters.value[SIM_COUNTER_BRANCHES_DIVERGENT] = 7;
    lines[2].counters.value[SIM_COUNTER_THREAD_INST] = 4000000;
    reports[1].time_us = 2000;
    char *text = page_of(p, NULL);
    drop_buttons(text);
    const char *advice = strstr(text, "What to change first"), *list = strstr(text, "<h2>Launches");
    ck_assert(advice && list && advice < list);
    const char *loss = strstr(text, "<li><a href=\"#line-2-0-2\">2_tiled.cu:2</a>: a global store");
    ck_assert(loss && loss < list);
    const char *lanes = strstr(text, "<li><a href=\"#line-2-0-3\">2_tiled.cu:3</a>: only 12 % of ");
    ck_assert(lanes && lanes < list);
    KL_HAS(lanes, "is in <a href=\"#line-2-0-1\">line 1</a></li>");
    for (int line = 1; line <= 3; line++) {
        char id[32];
        snprintf(id, sizeof id, "id=\"line-2-0-%d\"", line);
        ck_assert_int_eq(kl_occurrences(text, id), 1);
    }
    const char *of =
        strstr(text, "of <a href=\"#launch-2\">launch 2, odd</a>, which takes 45 % of");
    ck_assert(of && of < list);
    // Each launch's own advice is said once; side by side they stand behind them all.
    ck_assert_int_eq(kl_occurrences(text, "What to change first"), 3);
    const char *beside = strstr(text, "id=\"beside\"");
    ck_assert(beside && !strstr(beside, "<details class=\"launch\""));
    reports[2].fault.kind = SIM_ILLEGAL_ADDRESS; // a launch that failed comes before the longest
    snprintf(reports[2].fault.text, sizeof reports[2].fault.text, "it fell");
    text = page_of(p, NULL);
    const char *fault = strstr(text, "it fell");
    ck_assert(fault && fault < strstr(text, "<h2>Launches"));
    ck_assert_int_eq(kl_occurrences(text, "it fell"), 1);
}

KL_TEST(numbers_are_those_of_terminal_and_json) {
    ladder_profile *p = make_profile(1);
    char *text = page_of(p, NULL), want[512];
    const sim_counters *totals = &reports[0].totals;
    int shown = 0;
    for (int i = 0; i < ladder_profile_row_count; i++) {
        const ladder_profile_row *row = &ladder_profile_rows[i];
        char value[32];
        if (!ladder_profile_row_applies(row, totals)) continue;
        ladder_profile_row_text(row, ladder_profile_row_value(row, totals), value, sizeof value);
        snprintf(want, sizeof want, "%s</button></th><td class=\"num\">%s</td>", row->label, value);
        ck_assert_msg(strstr(text, want), "no '%s'", want);
        shown++;
    }
    ck_assert_int_eq(shown, 4);
    for (int l = 0; l < LINES; l++) {
        size_t used = (size_t)snprintf(want, sizeof want, "data-c=\"");
        const char *space = "";
        for (int c = 0; c < SIM_COUNTER_COUNT; c++) {
            uint64_t value = lines[l].counters.value[c];
            if (value == 0) continue;
            used += (size_t)snprintf(want + used, sizeof want - used, "%s%d:%llu", space, c,
                                     (unsigned long long)value);
            space = " ";
        }
        snprintf(want + used, sizeof want - used, "\"><td class=\"line\">%d</td>", l + 1);
        ck_assert_msg(strstr(text, want), "no '%s'", want);
    }
    KL_HAS(text, kl_format_us(1234.5, want, sizeof want));
    drop_buttons(text);
    KL_HAS(text, "issue bound");
    ck_assert(strstr(text, "<h3>Source") < strstr(text, "<h3>What limits it"));
    KL_HAS(text, "limited by warps", "touches 31.5 sectors");
}

KL_TEST(modelled_launches_show_both_times) {
    for (int modelled = 0; modelled < 2; modelled++) {
        ladder_profile *p = make_profile(1);
        if (modelled) reports[0].time_us = 2500;
        if (modelled) reports[0].estimate = SIM_ESTIMATE_LONGEST_WARP;
        char *text = page_of(p, NULL);
        KL_HAS(text, modelled ? "2500 us" : "1234 us");
        ck_assert_int_eq(kl_occurrences(text, "These limits together would take 1234 us"),
                         modelled);
        ck_assert_int_eq(kl_occurrences(text, " is bound by the longest warp, extrapolated"),
                         modelled);
    }
}

KL_TEST(nothing_comes_from_elsewhere_and_hostile_text_is_escaped) {
    ladder_profile *p = make_profile(2);
    reports[1].fault.kind = SIM_OUT_OF_MEMORY;
    snprintf(reports[1].fault.text, sizeof reports[1].fault.text, "<img src=x onerror=alert(2)>");
    char *text = page_of(p, NULL);
    static const char *const absent[] = {"http://",    "https://", "src=\"",   "<link",
                                         "@import",    "url(",     "<script>", "<img",
                                         "<b>hostile", "lab <x>",  "\x1b",     "import("};
    char *home = strstr(text, "/*! https://github.com/leeoniya/uPlot"); // the library's own name
    ck_assert_ptr_nonnull(home);
    memset(home, ' ', strlen("/*! https://"));
    ck_assert_int_eq(kl_occurrences(text, "Permission is hereby granted"), 2); // its licence
    for (size_t i = 0; i < sizeof absent / sizeof absent[0]; i++)
        ck_assert_msg(!strstr(text, absent[i]), "'%s'", absent[i]);
    KL_HAS(text, "&lt;/td&gt;&lt;script&gt;alert(1)", "&lt;img src=x onerror=alert(2)&gt;",
           "default-src 'none'");
    ck_assert_int_eq(kl_occurrences(text, "<script"), 1);
}

KL_TEST(findings_stand_at_their_lines) {
    ladder_profile *p = make_profile(1);
    sim_finding finding = {.kind = SIM_CHECK_UNINITIALISED, .count = 1};
    snprintf(finding.kernel, sizeof finding.kernel, "_Z4evenPf");
    snprintf(finding.sides[0].file, sizeof finding.sides[0].file, "/else/%s",
             strrchr(source, '/') + 1);
    finding.sides[0].line = 2;
    snprintf(finding.sides[1].file, sizeof finding.sides[1].file, "other<.cu");
    finding.sides[1].line = 77;
    finding.sides[0].action = SIM_ACTION_READ;
    finding.sides[0].thread = (sim_dim3){159, 0, 0};
    finding.sides[0].block = (sim_dim3){390, 0, 0};
    finding.bytes = 4;
    finding.address = 0x284;
    finding.allocation_offset = 0x284;
    snprintf(finding.space, sizeof finding.space, "shared");
    snprintf(finding.variable, sizeof finding.variable, "tile");
    snprintf(finding.text, sizeof finding.text, "two <threads> & one address");
    sim_check_report report = {.findings = &finding, .count = 1};
    ladder_checks checks = {.report = &report};
    char *text = page_of(p, &checks);
    static const char sentence[] = "two &lt;threads&gt; &amp; one address";
    ck_assert_int_eq(kl_occurrences(text, sentence), 2);
    KL_HAS(text, "The checker found 1 fault in this kernel",
           "&lt;b&gt;hostile.cu:2</code>, <code>other&lt;.cu:77");
    const char *told = strstr(text, " (with <code>other&lt;.cu:77</code>)\n");
    ck_assert_ptr_nonnull(told);
    KL_HAS(told, "thread (159,0,0) of block (390,0,0)", "4 bytes of shared memory: tile");
    const char *row = strstr(text, "<tr class=\"finding\">");
    ck_assert_ptr_nonnull(row);
    const char *before = strstr(text, "<td class=\"line\">2</td>"),
               *after = strstr(text, "<td class=\"line\">3</td>");
    ck_assert(before && before < row && after && row < after);
}

// Launches of both parts are numbered through, and the choice begins with the first of each.
KL_TEST(before_and_after_stand_side_by_side) {
    ladder_profile *before = make_profile(3), *after = calloc(1, sizeof *after);
    *after = *before;
    after->count = 2;
    const ladder_page_part parts[] = {{"the old one", before, NULL}, {"the new one", after, NULL}};
    char *text = write_page(parts, 2);
    KL_HAS(text, "before: the old one", "after: the new one");
    ck_assert_int_eq(kl_occurrences(text, "<details class=\"launch\""), 5);
    const char *first = strstr(text, "aria-label=\"first launch\"");
    const char *second = strstr(text, "aria-label=\"second launch\"");
    ck_assert(first && second && first < second);
    first = strstr(first, " selected>");
    ck_assert(first && first < second);
    ck_assert_int_eq(strncmp(first, " selected>launch 1:", 19), 0);
    KL_HAS(second, " selected>launch 4:");
    free(after);
}

// 32 lanes x 2 x 10^6 multiply-adds in 1234.5 us, and a byte of memory for every 8 operations.
KL_TEST(the_roofline_says_how_far_the_roof_is) {
    ladder_profile *p = make_profile(1);
    reports[0].totals.value[SIM_COUNTER_MULTIPLY_ADDS] = 1000000;
    reports[0].totals.value[SIM_COUNTER_PIPE_FMA] = 1000000;
    reports[0].totals.value[SIM_COUNTER_DRAM_READ] = 8000000;
    double rate = 64e6 / 1234.5e-6, roof = 8e9 * p->device.read_gbs;
    char *text = page_of(p, NULL), want[128];
    snprintf(want, sizeof want,
             ": 8 operations per byte. Rate: %.4g x 10<sup>12</sup> per second, ", rate / 1e12);
    ck_assert_msg(strstr(text, want), "no '%s'", want);
    snprintf(want, sizeof want, "%.1f %% of the %.4g x 10<sup>12</sup> that device memory allows",
             100 * rate / roof, roof / 1e12);
    ck_assert_msg(strstr(text, want), "no '%s'", want);
    KL_HAS(text, "<title>this launch: ");
    ck_assert_ptr_null(strstr(text, ">L2 roof</text>"));
    ck_assert_ptr_null(strstr(text, "\" data-l2=\""));
    KL_HAS(text, "data-x=\"operations per byte\"");
    // Tensor cores of an SM do 4,096 operations per cycle on halves.
    p = make_profile(1);
    reports[0].totals.value[SIM_COUNTER_MULTIPLY_ADDS] = 1000000;
    reports[0].totals.value[SIM_COUNTER_PIPE_FMA] = 1000000;
    reports[0].totals.value[SIM_COUNTER_TENSOR_CYCLES] = 1000000;
    reports[0].totals.value[SIM_COUNTER_DRAM_READ] = 8000000;
    text = page_of(p, NULL);
    KL_HAS(text, ": 512 operations of halves per byte.");
    // Half a byte of device memory for each byte of the L2.
    p = make_profile(1);
    reports[0].totals.value[SIM_COUNTER_MULTIPLY_ADDS] = 1000000;
    reports[0].totals.value[SIM_COUNTER_PIPE_FMA] = 1000000;
    reports[0].totals.value[SIM_COUNTER_DRAM_READ] = 8000000;
    reports[0].totals.value[SIM_COUNTER_L2_READS] = 400000;
    reports[0].totals.value[SIM_COUNTER_L2_WRITES] = 100000;
    text = page_of(p, NULL);
    roof = 4e9 * p->device.l2_gbs;
    KL_HAS(text, ">L2 roof</text>", " data-l2=\"4 ",
           "<title>at L2: ", "L2</button>: 4 operations per byte.");
    snprintf(want, sizeof want, "%.1f %% of the %.4g x 10<sup>12</sup> that the L2 allows",
             100 * rate / roof, roof / 1e12);
    ck_assert_msg(strstr(text, want), "no '%s'", want);
}

// Whole words, the longest heading, each once; none inside names of files and functions.
KL_TEST(words_of_sentences_can_be_asked) {
    static ladder_glossary g;
    static const struct {
        const char *text;
        int asked;
        const char *some, *none;
    } cases[] = {
        {"4 blocks of 32 threads, 12 registers", 3, ">blocks</button> of 32 <button", NULL},
        {"sectors per request, sectors", 2, ">sectors per request</button>, <", NULL},
        {"warp.cu:3: tiled, warped <block>", 1, "&lt;<button", ">warp<"},
        {"no bank conflict, block_sum, sm", 1, ">bank conflict</button>", ">block<"},
        {"1 block per SM; SMs, block", 2, ">SM</button>; SMs, block", NULL},
        {"", 0, "", NULL}};
    ladder_glossary_read(&g);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *text = NULL;
        size_t bytes = 0;
        FILE *out = open_memstream(&text, &bytes);
        ladder_glossary_ask_words(out, &g, cases[i].text);
        ck_assert_int_eq(fclose(out), 0);
        ck_assert_msg(kl_occurrences(text, "<button") == cases[i].asked, "case %zu: %s", i, text);
        ck_assert_msg(strstr(text, cases[i].some), "case %zu: %s", i, text);
        if (cases[i].none) ck_assert_ptr_null(strstr(text, cases[i].none));
        free(text);
    }
}

KL_TEST(each_number_has_a_sentence_of_the_glossary) {
    static ladder_glossary g;
    ladder_glossary_read(&g);
    ck_assert_int_gt(g.count, 100);
    for (int c = 0; c < SIM_COUNTER_COUNT; c++)
        ck_assert_msg(ladder_glossary_find(&g, ladder_counter_term((sim_counter)c)) >= 0,
                      "counter %s", sim_counter_name((sim_counter)c));
    for (int b = 1; b < SIM_BOUND_COUNT; b++)
        ck_assert_msg(ladder_glossary_find(&g, ladder_bound_term((sim_bound_kind)b)) >= 0,
                      "bound %s", sim_bound_name((sim_bound_kind)b));
    for (int i = 0; i < ladder_profile_row_count; i++)
        ck_assert_msg(ladder_glossary_find(&g, ladder_profile_rows[i].term) >= 0, "row %s",
                      ladder_profile_rows[i].label);
    ladder_profile *p = make_profile(1);
    char *text = page_of(p, NULL), id[64];
    ck_assert_ptr_null(strstr(text, "class=\"noterm\""));
    ck_assert_ptr_null(strstr(text, "term--1"));
    ck_assert_ptr_null(strstr(text, "Compute capability")); // only what can be asked
    int asked = 0;
    for (const char *at = text; (at = strstr(at, "popovertarget=\"")); asked++) {
        at += strlen("popovertarget=\"");
        snprintf(id, sizeof id, "<div popover id=\"%.*s\"", (int)strcspn(at, "\""), at);
        ck_assert_msg(strstr(text, id), "no %s", id);
    }
    ck_assert_int_gt(asked, 20);
}

KL_TEST_MAIN("page")
