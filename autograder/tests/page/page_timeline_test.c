// The warp timeline on the page: the picture's strokes and the table's shares are those of the view
// that the terminal prints; a page of many launches with the busiest timelines keeps its limit. The
// timelines are made up.

#include "show/page/internal.h"
#include "suite.h"

enum { LAUNCHES = 20, WARPS = 64, SPANS = 600 };
static sim_timeline_span spans[WARPS][SPANS];
static sim_timeline_row rows[WARPS];
static sim_timeline timeline;
static sim_launch_report reports[LAUNCHES];
static kl_error err;

// Warp w waits for memory for 100 cycles and issues in 100, then is at a barrier for 300.
static void fill_plain(uint32_t warps) {
    for (uint32_t w = 0; w < warps; w++) {
        spans[w][0] = (sim_timeline_span){100, SIM_PHASE_MEMORY};
        spans[w][1] = (sim_timeline_span){100, SIM_PHASE_ISSUE};
        spans[w][2] = (sim_timeline_span){300, SIM_PHASE_BARRIER};
        rows[w] = (sim_timeline_row){spans[w], 3, SPANS, 500};
    }
    timeline = (sim_timeline){500, 4, 1, false, 2.5, warps, rows};
}

// A timeline that changes as often as a picture can show.
static void fill_busy(void) {
    for (uint32_t w = 0; w < WARPS; w++) {
        for (uint32_t i = 0; i < SPANS; i++)
            spans[w][i] = (sim_timeline_span){
                20, (uint32_t)SIM_PHASE_START + (i + w) % (SIM_PHASE_COUNT - SIM_PHASE_START)};
        rows[w] = (sim_timeline_row){spans[w], SPANS, SPANS, 20 * SPANS};
    }
    timeline = (sim_timeline){20 * SPANS, 4, 1, true, 2.5, WARPS, rows};
}

static ladder_profile *make_profile(uint32_t launches) {
    ladder_profile *p = calloc(1, sizeof *p);
    memset(reports, 0, sizeof reports);
    p->device = *sim_device_find(NULL);
    for (uint32_t i = 0; i < launches; i++) {
        reports[i].kernel = "k";
        reports[i].config = (sim_launch_config){.grid = {1, 1, 1}, .block = {256, 1, 1}};
        reports[i].time_us = 1;
        reports[i].mode = SIM_MODE_COUNT;
        reports[i].timeline = &timeline;
        p->launches[i] = &reports[i];
    }
    p->count = launches;
    return kl_own(p);
}

static char *page_of(ladder_profile *p) {
    const ladder_page_part part = {"a program", p, NULL};
    return KL_PRINTED(out, ck_assert_int_eq(ladder_page_write(&part, 1, out, &err), KL_OK));
}

static char *terminal_of(uint32_t cycles) {
    kl_style style = {.width = 100};
    return KL_PRINTED(out, ladder_timeline_print(&timeline, cycles, &style, out));
}

KL_TEST(a_row_is_drawn_as_its_warp_went) {
    fill_plain(2);
    char *text = page_of(make_profile(1));
    const char *section = strstr(text, "<section class=\"timeline\">");
    ck_assert_ptr_nonnull(section);
    KL_HAS(section, "one SM, modelled: all its 500 cycles</small>",
           "warps</button> at once. <span class=\"static\">A column is 4 cycles.");
    // 125 columns of 5 px from x = 46 on: memory 0 .. 25, issue .. 50, barrier .. 125.
    KL_HAS(section, "d=\"M46 27h125M46 41h125\"", "d=\"M171 27h125M171 41h125\"",
           "d=\"M296 27h375M296 41h375\"");
    // Of the issue slots: two warps on four schedulers, for a fifth of the time.
    KL_HAS(section, "d=\"M46 90.0H46V90.0H171V73.0H296V90.0H671V90.0Z\"");
    ck_assert_int_eq(kl_occurrences(section, "<tr data-phase=\""), 5);
    KL_HAS(section, "waiting for memory</button></th><td class=\"num\">20.0 %</td>",
           "issuing</button></th><td class=\"num\">20.0 %</td>",
           "at a barrier</button></th><td class=\"num\">60.0 %</td>"
           "<td class=\"track\"><span class=\"bar most\"");
    ck_assert_int_eq(kl_occurrences(section, "<td class=\"track\"><span class=\"bar most\""), 1);
    KL_HAS(section, "</th><td>10.0 % of the SM's 4 ",
           "</th><td>2.5 requests to global memory, on average</td>");
    ck_assert_ptr_null(strstr(text, "class=\"noterm\""));
}

// What is cut, and which warps are shown, is the same on the terminal and on the page.
KL_TEST(the_page_says_what_the_terminal_says) {
    fill_busy();
    static const uint32_t cuts[] = {0, 1000, 30};
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++) {
        ladder_profile *p = make_profile(1);
        p->timeline_cycles = cuts[i];
        char *text = page_of(p), *told = terminal_of(cuts[i]), want[160], title[128];
        ladder_timeline_view v;
        ladder_timeline_view_make(&timeline, cuts[i], 88, &v);
        ladder_timeline_title(&v, title, sizeof title);
        KL_HAS(text, title);
        KL_HAS(told, title);
        KL_HAS(text, " at once; shown are those of scheduler 0");
        KL_HAS(told, "64 warps at once; shown are those of scheduler 0");
        for (char *c = told; *c != '\0'; c++)
            if (*c == '\n') *c = ' '; // sentences are wrapped
        int shown = 0;
        for (int k = 0; k < SIM_PHASE_COUNT; k++) {
            if (!(v.phases[k] > 0)) continue;
            const char *name = sim_phase_text((sim_warp_phase)k);
            snprintf(want, sizeof want, "%s %.1f %%", name, v.phases[k]);
            KL_HAS(told, want);
            snprintf(want, sizeof want, ">%s</button></th><td class=\"num\">%.1f %%</td>", name,
                     v.phases[k]);
            KL_HAS(text, want);
            shown++;
        }
        ck_assert_int_ge(shown, 2);
        for (uint32_t r = 0; r < v.rows; r++) {
            snprintf(want, sizeof want, ">%s%u</text>", r == 0 ? "warp " : "",
                     ladder_timeline_warp(&v, r));
            KL_HAS(text, want);
        }
    }
}

KL_TEST(each_phase_can_be_told_apart_and_asked) {
    static ladder_glossary g;
    ladder_glossary_read(&g);
    for (int i = 0; i < SIM_PHASE_COUNT; i++)
        ck_assert_msg(ladder_glossary_find(&g, ladder_phase_term((sim_warp_phase)i)) >= 0, "%s",
                      sim_phase_name((sim_warp_phase)i));
    fill_busy();
    char *text = page_of(make_profile(1)), *at = text;
    char *looks[SIM_PHASE_COUNT];
    int keys = 0;
    while ((at = strstr(at, "<svg class=\"key\""))) {
        char *from = strstr(at, "<path "), *to = strstr(at, " d=");
        ck_assert(from && to);
        *to = '\0';
        for (int k = 0; k < keys; k++) ck_assert_str_ne(looks[k], from);
        looks[keys++] = from;
        at = to + 1;
    }
    ck_assert_int_eq(keys, SIM_PHASE_COUNT - 1); // ABSENT, which is nothing, does not occur
}

KL_TEST(without_cycles_or_warps_nothing_is_drawn) {
    fill_plain(0);
    char *text = page_of(make_profile(1));
    ck_assert_ptr_null(strstr(text, "<section class=\"timeline\">"));
    fill_plain(2);
    timeline.cycles = 0;
    text = page_of(make_profile(1));
    ck_assert_ptr_null(strstr(text, "<section class=\"timeline\">"));
    ck_assert_ptr_null(strstr(text, "No warp timeline"));
    fill_plain(2); // one launch has one, the other says why it has none
    ladder_profile *p = make_profile(2);
    reports[1].timeline = NULL;
    text = page_of(p);
    ck_assert_int_eq(kl_occurrences(text, "<section class=\"timeline\">"), 1);
    ck_assert_int_eq(kl_occurrences(text, "No warp timeline: it is made of the first 20"), 1);
}

KL_TEST(twenty_busy_timelines_leave_space_for_the_rest) {
    fill_busy();
    char *text = page_of(make_profile(LAUNCHES));
    ck_assert_int_eq(kl_occurrences(text, "<section class=\"timeline\">"), LAUNCHES);
    size_t bytes = 0;
    for (char *at = text; (at = strstr(at, "<section class=\"timeline\">")); at++)
        bytes += (size_t)(strstr(at, "</section>") - at);
    ck_assert_uint_lt(bytes, LADDER_PAGE_BYTES / 4);
}

KL_TEST_MAIN("timeline")
