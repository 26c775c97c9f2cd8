// Profiles: metrics of a line, the worst line in words, rendering within 80 columns, JSON,
// comparison. The reports are made up; that the simulator makes such reports is tested elsewhere.
#include "show/findings/findings.h"
#include "show/profile/profile.h"

#include "suite.h"

static char folder[LADDER_PATH], source[LADDER_PATH];
static char *files[] = {source};
static sim_line_counters lines[4];
static sim_launch_report report;
static kl_error err;

static uint64_t *at(int line, sim_counter counter) {
    lines[line].line = (uint32_t)line + 2;
    return &lines[line].counters.value[counter];
}

static void set_up(void) {
    static const char text[] =
        "line one\n"
        "    partial[t] = x[i]; // a line that is much longer than what can be "
        "shown in eighty columns of a terminal\n"
        "    if (t % 2 == 0) {\n"
        "\tpartial[t] += partial[t + 1];\n"
        "    }\n"
        "    // SOLUTION BEGIN\n"
        "    y[i] = 0;\n";
    ck_assert_int_eq(ladder_folder_temporary(folder, &err), KL_OK);
    ck_assert_int_eq(ladder_path(source, &err, "%s/1_interleaved.cu", folder), KL_OK);
    ck_assert_int_eq(ladder_file_write(source, text, strlen(text), &err), KL_OK);
    memset(lines, 0, sizeof lines);
    memset(&report, 0, sizeof report);
    report.kernel = "_Z11interleavedILi0EEvPKflPf";
    report.config = (sim_launch_config){.grid = {65536, 1, 1}, .block = {256, 1, 1}};
    report.registers = 12;
    report.local_bytes = 80;
    report.spill_store_bytes = 24;
    report.occupancy.fraction = 1.0;
    report.occupancy.blocks_per_sm = 8;
    report.time_us = report.bounded_us = 1441.2;
    report.bounds[0] = (sim_time_bound){SIM_BOUND_ISSUE, 1441.2};
    report.bounds[1] = (sim_time_bound){SIM_BOUND_DRAM, 21.5};
    snprintf(report.explanation, sizeof report.explanation, "%s",
             "bound by instruction issue: the schedulers of every SM are busy all the time");
    report.mode = SIM_MODE_COUNT;
    report.lines = lines;
    report.line_count = 4;
    report.files = files;
    report.file_count = 1;
    for (int i = 0; i < 4; i++) {
        *at(i, SIM_COUNTER_INST) = 1000000;
        *at(i, SIM_COUNTER_THREAD_INST) = 32000000;
    }
    report.totals.value[SIM_COUNTER_INST] = 4000000;
    report.totals.value[SIM_COUNTER_L1_SECTORS] = 1000;
    report.totals.value[SIM_COUNTER_L1_HITS] = 625;
    report.totals.value[SIM_COUNTER_THREAD_INST] = 128000000;
}

static void bound(int at, sim_bound_kind kind, double time_us) {
    report.bounds[at] = (sim_time_bound){kind, time_us};
}

// Line 4 has 8 wavefronts per shared load where one would do.
static void put_conflicts(void) {
    *at(2, SIM_COUNTER_SHARED_LD_INST) = 500000;
    *at(2, SIM_COUNTER_SHARED_LD_WAVEFRONTS) = 4000000;
    *at(2, SIM_COUNTER_SHARED_LD_CONFLICTS) = 3500000;
    report.totals.value[SIM_COUNTER_SHARED_LD_WAVEFRONTS] = 4000000;
    bound(1, SIM_BOUND_SHARED, 1000);
}

static const sim_device *device(void) { return sim_device_find(NULL); }

KL_TEST(metrics_of_a_line) {
    sim_counters c = {{0}};
    c.value[SIM_COUNTER_INST] = 100;
    c.value[SIM_COUNTER_THREAD_INST] = 800;
    c.value[SIM_COUNTER_GLOBAL_LD_REQUESTS] = 10;
    c.value[SIM_COUNTER_GLOBAL_LD_SECTORS] = 40;
    c.value[SIM_COUNTER_SHARED_LD_INST] = 10;
    c.value[SIM_COUNTER_SHARED_LD_WAVEFRONTS] = 80;
    c.value[SIM_COUNTER_SHARED_LD_CONFLICTS] = 70;
    ladder_line line = ladder_line_measure(&c);
    ck_assert_double_eq(line.lanes, 0.25);
    ck_assert_double_eq(line.sectors, 4.0);
    ck_assert_double_eq(line.wavefronts, 8.0);
    ck_assert_double_eq(line.ideal_wavefronts, 1.0);
    ck_assert_double_eq(line.conflict, 8.0);
    ck_assert(line.lost_sectors == 0);
    c.value[SIM_COUNTER_GLOBAL_ST_REQUESTS] = 10; // one line may load rows and store columns
    c.value[SIM_COUNTER_GLOBAL_ST_SECTORS] = 320;
    line = ladder_line_measure(&c);
    ck_assert_double_eq(line.sectors, 32.0);
    ck_assert_str_eq(line.access, "store");
    ck_assert(line.lost_sectors > 0);
    sim_counters nothing = {{0}};
    line = ladder_line_measure(&nothing);
    ck_assert(isnan(line.lanes) && isnan(line.sectors) && isnan(line.conflict));
}

static bool worst(char text[512]) { return ladder_profile_worst(&report, device(), text, 512); }

static void tear_down(void) { ladder_folder_remove(folder); }

KL_FIXTURE(set_up, tear_down)

KL_TEST(the_worst_line_is_named) {
    char text[512];
    ck_assert(!worst(text));
    *at(1, SIM_COUNTER_THREAD_INST) = 7360000;
    ck_assert(!worst(text));                    // no warp splits: idle lanes are not divergence
    *at(0, SIM_COUNTER_BRANCHES_DIVERGENT) = 5; // line 3 lies in the body of line 2's loop
    report.totals.value[SIM_COUNTER_BRANCHES_DIVERGENT] = 6;
    ck_assert(worst(text));
    ck_assert_str_eq(text, "1_interleaved.cu:3: only 23 % of lanes work here while the rest of the "
                           "warp idles (divergence): let the threads of a warp take the same path; "
                           "the branch that splits most warps is in line 2");
    *at(1, SIM_COUNTER_BRANCHES_DIVERGENT) = 1;
    ck_assert(worst(text));
    ck_assert_ptr_null(strstr(text, "splits most warps"));
    put_conflicts();
    ck_assert(worst(text));
    ck_assert_ptr_nonnull(
        strstr(text, "1_interleaved.cu:4: shared load is 8-way bank conflicted (8.0 wavefronts "
                     "instead of 1)"));
    *at(0, SIM_COUNTER_GLOBAL_LD_REQUESTS) = 1000000;
    *at(0, SIM_COUNTER_GLOBAL_LD_SECTORS) = 32000000;
    report.totals.value[SIM_COUNTER_GLOBAL_LD_SECTORS] = 32000000;
    bound(2, SIM_BOUND_L2, 1300);
    ck_assert(worst(text));
    KL_HAS(text, "1_interleaved.cu:2: a global load touches 32.0 sectors");
    *at(1, SIM_COUNTER_CONSTANT_LD_INST) = 1000000;
    *at(1, SIM_COUNTER_CONSTANT_LD_TURNS) = 1000000; // one place for all lanes
    report.totals.value[SIM_COUNTER_CONSTANT_LD_TURNS] = 1000000;
    bound(3, SIM_BOUND_CONSTANT, 1400);
    ck_assert(worst(text));
    KL_HAS(text, "1_interleaved.cu:2: a global load");
    *at(1, SIM_COUNTER_CONSTANT_LD_TURNS) = 30000000;
    report.totals.value[SIM_COUNTER_CONSTANT_LD_TURNS] = 30000000;
    ck_assert(worst(text));
    ck_assert_ptr_nonnull(
        strstr(text, "1_interleaved.cu:3: the lanes of a warp want 30.0 addresses"));
    report.line_count = 0; // compiled without -lineinfo
    report.totals.value[SIM_COUNTER_THREAD_INST] = 16000000;
    report.totals.value[SIM_COUNTER_CONSTANT_LD_TURNS] = 0;
    ck_assert(worst(text));
    KL_HAS(text, "this kernel: only 12 % of lanes");
}

// What a resource that hardly limits loses is not worth a word, however uneven it looks.
KL_TEST(losses_beside_the_limit_are_not_named) {
    char text[512];
    *at(1, SIM_COUNTER_THREAD_INST) = 1000000;
    report.totals.value[SIM_COUNTER_BRANCHES_DIVERGENT] = 1000;
    put_conflicts();
    bound(0, SIM_BOUND_DRAM, 1441.2);
    bound(1, SIM_BOUND_ISSUE, 200); // a quarter of it lost: 3 % of the time
    bound(2, SIM_BOUND_SHARED, 60);
    ck_assert(!worst(text));
    // Conflicts of half the time, and twice as much of sectors: the limit's own loss comes first.
    char advice[LADDER_ADVICE_MAX][LADDER_ADVICE_TEXT];
    *at(0, SIM_COUNTER_GLOBAL_LD_REQUESTS) = 1000000;
    *at(0, SIM_COUNTER_GLOBAL_LD_SECTORS) = 16500000; // beside a coalesced load on the same line
    report.totals.value[SIM_COUNTER_GLOBAL_LD_SECTORS] = 16500000;
    report.totals.value[SIM_COUNTER_SHARED_LD_WAVEFRONTS] = 40000000;
    bound(0, SIM_BOUND_SHARED, 1300);
    bound(1, SIM_BOUND_L2, 1000);
    bound(2, SIM_BOUND_ISSUE, 200);
    report.config.grid.x = 1056 * 16;
    ck_assert_int_eq(ladder_profile_advise(&report, device(), advice), 2);
    KL_HAS(advice[0], "8-way bank conflicted");
    KL_HAS(advice[1], "a global load touches 16.5 sectors, where 32");
    *at(0, SIM_COUNTER_GLOBAL_LD_SECTORS) = 17000000; // 16 bytes each, not from a sector's start on
    ck_assert_int_eq(ladder_profile_advise(&report, device(), advice), 1);
}

static ladder_profile *make_profile(void) {
    ladder_profile *p = calloc(1, sizeof *p);
    p->device = *device();
    snprintf(p->device_name, sizeof p->device_name, "%s", p->device.name);
    p->launches[0] = p->launches[1] = &report;
    p->count = 2;
    return kl_own(p);
}

// Two of three warps: one issues for 250 cycles and waits for memory for 750, then both do so the
// other way round.
static sim_timeline_span first_spans[] = {{250, SIM_PHASE_ISSUE},
                                          {750, SIM_PHASE_MEMORY},
                                          {1000, SIM_PHASE_BARRIER}},
                         second_spans[] = {{1000, SIM_PHASE_ABSENT}, {1000, SIM_PHASE_READY}};
static sim_timeline_row timeline_rows[] = {{first_spans, 3, 3, 2000}, {second_spans, 2, 2, 1000}};
static const sim_timeline timeline = {2000, 4, 1, true, 3.25, 2, timeline_rows};

static char *print_timeline(int width, uint32_t cycles) {
    kl_style style = {.width = width};
    return KL_PRINTED(out, ladder_timeline_print(&timeline, cycles, &style, out));
}

KL_TEST(a_timeline_shows_what_takes_most) {
    char *text = print_timeline(80, 0); // 68 columns: 30 cycles each
    KL_HAS(text, "its first 2000 cycles, 30 per column");
    ck_assert_ptr_nonnull(
        strstr(text, "\n    0 #########------------------------|||||||||||||||||||||||||||||||||| "
                     "12.5%\n"));
    KL_HAS(text, "..................................  0.0%\n", "\nslots 2222222200000",
           "in flight: 3.2");
    text = print_timeline(80, 60); // so few that a column is one cycle
    KL_HAS(text, "its first 60 cycles, 1 per column", "#100.0%\n");
}

KL_TEST(a_timeline_fits_and_is_plain) {
    for (int width = 80; width <= 160; width += 20) {
        char *text = print_timeline(width, 0);
        ck_assert_ptr_null(strchr(text, '\033'));
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            ck_assert_msg(kl_text_width(line) <= width, "%d: %s", width, line);
    }
}

// The profile for a terminal of 80 columns, and then as JSON.
static char *printed(const ladder_profile *p, bool json) {
    kl_style style = {.width = 80};
    return KL_PRINTED(out, ladder_profile_print(p, &style, out);
                      if (json) ck_assert_int_eq(ladder_profile_json(p, out, &err), KL_OK));
}

KL_TEST(the_profile_fits_eighty_columns) {
    lines[3].line = 7; // behind a marker, which is not shown
    put_conflicts();
    ladder_profile *p = make_profile();
    char *text = printed(p, false);
    KL_HAS(text, "interleaved<0>(float const*, long, float*)",
           "launch 2: void interleaved<0> again", "partial[t] += partial[t + 1];", "y[i] = 0;");
    ck_assert_ptr_null(strstr(text, "SOLUTION"));
    KL_HAS(text, "L1 sectors that hit, %", " 62.5\n",
           "80 bytes of local memory per thread; registers spill: 24", "8-way bank conflicted");
    ck_assert_ptr_null(strchr(text, '\033'));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        ck_assert_msg(kl_text_width(line) <= 80, "%s", line);
    // The end of the long line is in a row of its own.
    text = printed(p, false);
    KL_HAS(text, "columns of a terminal\n");
}

// Between the lines that ran stand others that are less indented: none loses its beginning.
KL_TEST(no_line_of_source_loses_its_beginning) {
    static const char text[] = "    y[i] = 0;\n}\n__device__ int sum4() {\n    return 4;\n";
    ck_assert_int_eq(ladder_file_write(source, text, strlen(text), &err), KL_OK);
    lines[0].line = 1;
    lines[1].line = 4;
    report.line_count = 2;
    ladder_profile *p = make_profile();
    KL_HAS(printed(p, false), "  __device__ int sum4() {\n", "      return 4;\n");
}

// One block of a kernel that waits, with a conflicted line: what idles most is named first.
KL_TEST(idle_sms_are_named_before_more_warps) {
    char text[LADDER_ADVICE_MAX][LADDER_ADVICE_TEXT];
    report.config.grid.x = 1;
    report.bounds[0] = (sim_time_bound){SIM_BOUND_LATENCY, 1441.2};
    report.totals.value[SIM_COUNTER_CYCLES_ELAPSED] = 1000000;
    report.totals.value[SIM_COUNTER_SM_CYCLES_ACTIVE] = 1000000;
    report.totals.value[SIM_COUNTER_WARPS_ACTIVE] = 8000000;
    report.totals.value[SIM_COUNTER_TENSOR_AND_XU] = 320000;
    report.totals.value[SIM_COUNTER_TENSOR_ALONE] = 440000;
    report.totals.value[SIM_COUNTER_XU_ALONE] = 71000;
    put_conflicts();
    ck_assert_int_eq(ladder_profile_advise(&report, device(), text), 3);
    KL_HAS(text[0], "only 1 of 132 SMs has a block");
    KL_HAS(text[1], "bank conflicted");
    KL_HAS(text[2], "warps wait for operands, and an SM has room");
    ladder_profile *p = make_profile();
    char *shown = printed(p, true);
    KL_HAS(shown, "  SMs used   1 of 132\n", "  waves      0.001 (1 block, 1,056 resident at once)",
           "theoretical 100 %: 8 blocks per SM");
    ck_assert_ptr_nonnull(
        strstr(shown, "achieved 12 % (modelled) on the SMs in use, 0.09 % over all SMs\n"));
    KL_HAS(shown, "  units      tensor cores and special functions both ",
           "\"tensor_and_xu\": 0.32", "first: only 1 of 132 SMs", "\"sms_used\": 1");
    ck_assert_ptr_nonnull(
        strstr(shown, "\"sm__warps_active.avg.pct_of_peak_sustained_active\": 12.5"));
    // Launches that end before they have begun: the number of blocks does not matter.
    report.time_us = device()->kernel_us + 0.5;
    ck_assert_int_eq(ladder_profile_advise(&report, device(), text), 1);
    // All SMs have a block, warps are left: only then more of them.
    report.time_us = report.bounded_us;
    report.config.grid.x = 1056;
    lines[2].counters.value[SIM_COUNTER_SHARED_LD_CONFLICTS] = 0;
    ck_assert_int_eq(ladder_profile_advise(&report, device(), text), 1);
    KL_HAS(text[0], "nearly as many as it can");
    report.config.grid.x = 1100;
    ck_assert_int_eq(ladder_profile_advise(&report, device(), text), 2);
    KL_HAS(text[0], "1.04 waves: the last one leaves 96 %");
}

// A modelled time that is not the limits' own says what these would be together.
KL_TEST(modelled_launches_show_both_times) {
    static const char together[] = "these limits together: 1441 us; the modelled time is bound by";
    for (int modelled = 0; modelled < 2; modelled++) {
        report.estimate = modelled ? SIM_ESTIMATE_LONGEST_WARP : SIM_ESTIMATE_ANALYTICAL;
        if (modelled) report.time_us = 2500;
        report.estimates_us[report.estimate] = report.time_us;
        ladder_profile *p = make_profile();
        char *shown = printed(p, true);
        ck_assert_ptr_nonnull(
            strstr(shown, modelled ? "modelled time 2500 us" : "modelled time 1441 us"));
        ck_assert_int_eq(strstr(shown, together) != NULL, modelled);
        ck_assert_ptr_nonnull(
            strstr(shown, modelled ? "\"time_us\": 2500" : "\"time_us\": 1441.2"));
        KL_HAS(shown, "\"bounded_us\": 1441.2");
        ck_assert_int_eq(strstr(shown, "the longest warp, extrapolated at") != NULL, modelled);
        KL_HAS(shown, modelled ? "\"time_bound_by\": \"longest_warp\""
                               : "\"time_bound_by\": \"analytical\"");
    }
}

// What has no modelled time is named beside the time.
KL_TEST(work_without_a_time_is_named) {
    static char text[] = "tcgen05.commit";
    static sim_code_instr instr = {.executed = 1, .untimed = true};
    static sim_code code = {.instr_count = 1, .instrs = &instr, .text = text};
    report.code = &code;
    KL_HAS(printed(make_profile(), false), "without tcgen05 and clusterlaunchcontrol, of which no");
    instr.executed = 0;
    ck_assert_ptr_null(strstr(printed(make_profile(), false), "of which no time"));
    report.code = NULL;
}

KL_TEST(the_profile_as_json) {
    ladder_profile *p = make_profile();
    KL_HAS(KL_PRINTED(out, ck_assert_int_eq(ladder_profile_json(p, out, &err), KL_OK)),
           "\"schema\": \"ladder.profile/1\"", "\"occupancy_limits\": {",
           "\"l1tex__t_sector_hit_rate.pct\": 62.5", "\"spill_store_bytes\": 24",
           "\"warp_instructions\": 8000000", "\"smsp__inst_executed.sum\": 1000000");
}

KL_TEST(only_what_differs_is_compared) {
    ladder_profile *a = make_profile(), *b = make_profile();
    sim_launch_report other = report;
    other.totals.value[SIM_COUNTER_BARRIERS] = 77;
    b->launches[1] = &other;
    kl_style style = {.width = 80};
    char *text = KL_PRINTED(out, ladder_profile_compare(a, "step 1", b, "step 2", &style, out));
    KL_HAS(text, "barriers", "modelled time");
    ck_assert_ptr_null(strstr(text, "warp instructions"));
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        ck_assert_msg(kl_text_width(line) <= 80, "%s", line);
}

KL_TEST(names_are_demangled) {
    char text[128];
    ck_assert_str_eq(ladder_demangle("_Z3addPKfS0_Pfi", text, sizeof text),
                     "add(float const*, float const*, float*, int)");
    ck_assert_str_eq(ladder_demangle("plain_c_name", text, sizeof text), "plain_c_name");
    ck_assert_str_eq(ladder_demangle("_Z\033[31m", text, sizeof text), "_Z?[31m");
    ladder_demangle_all("in _Z10vectorizedILi0EEvPKflPf, then _Z4spinPVf", text, sizeof text);
    ck_assert_str_eq(text, "in vectorized<0>, then spin");
    ladder_demangle_all("_Z_Z _Z4spinPVf", text, 12);
    ck_assert_uint_lt(strlen(text), 12);
}

// Some seconds at the slowest, in quick cases; more for those who ask for more work.
KL_TEST(an_endless_step_is_stopped_soon) {
    for (int i = 0; i < ladder_lab_count; i++) {
        const kl_problem *problem = ladder_labs[i].problem;
        for (int s = 0; s < problem->step_count; s++) {
            uint64_t limit =
                ladder_checks_limit(&ladder_labs[i], problem->steps[s].number, NULL, -1);
            ck_assert_msg(limit >= 10000000 && limit <= 30000000, "%s %d: %llu", problem->name,
                          problem->steps[s].number, (unsigned long long)limit);
        }
    }
    const ladder_lab *reduction = ladder_lab_find("reduction");
    ck_assert_uint_gt(ladder_checks_limit(reduction, 1, NULL, 1 << 24), 100000000);
    ck_assert_uint_lt(ladder_checks_limit(reduction, 1, "max-odd", 0), 10001000);
}

// A case in which products fill the stages again, not an empty one, in which every step is right.
KL_TEST(run_checks_a_case_with_products) {
    for (int i = 0; i < ladder_lab_count; i++) {
        const kl_problem *problem = ladder_labs[i].problem;
        for (int s = 0; s < problem->step_count; s++) {
            bool all;
            int step = problem->steps[s].number;
            const kl_suite_entry *entry = ladder_run_check_case(problem, step, &all);
            double work = entry ? ladder_checks_work(problem, entry->family, entry->size) : 0;
            if (problem->ceiling == KL_CEILING_TENSOR)
                ck_assert_msg(work >= 1 << 22, "%s %d: %g", problem->name, step, work);
        }
    }
}

KL_TEST_MAIN("profile")
