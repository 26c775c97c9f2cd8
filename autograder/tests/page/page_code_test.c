// The code on a profile's page: its text once for each kernel, executions with each launch, hostile
// text escaped, the page below its limit also with kernels of many instructions; and launches
// before and after a change, two by two. The reports are made up.
#include "show/page/page.h"

#include "suite.h"

enum { LAUNCHES = 20, INSTRS = 3000, MACHINE = 4000 };
static sim_line_counters lines[] = {{.line = 7}, {.line = 9}};
static char file_name[] = "no_such_file.cu", *files[] = {file_name};
static sim_launch_report reports[2 * LAUNCHES];
static sim_code codes[2 * LAUNCHES];
static sim_code_instr instrs[2 * LAUNCHES][INSTRS];
static sim_code_machine machine[MACHINE];
static char text[INSTRS * 48];

static void make_code(sim_code *code, sim_code_instr *its, uint32_t instr_count,
                      uint32_t machine_count, uint64_t executed) {
    for (uint32_t i = 0; i < instr_count; i++)
        its[i] = (sim_code_instr){
            0, i < instr_count / 2 ? 7 : 9, i * 48, executed, executed * 16, false};
    *code = (sim_code){.instr_count = instr_count,
                       .instrs = its,
                       .text = text,
                       .text_bytes = sizeof text,
                       .architecture = 90,
                       .machine_count = machine_count,
                       .machine = machine};
}

static void make_reports(const char *const *kernels, int kernel_count, uint32_t instr_count) {
    memset(reports, 0, sizeof reports);
    for (uint32_t i = 0; i < INSTRS; i++)
        snprintf(text + (size_t)i * 48, 48, "add.f32 %%f%u, %%f1, </pre><script>", i);
    for (uint32_t i = 0; i < MACHINE; i++)
        machine[i] = (sim_code_machine){{0x7981, 0x1c00}, (int32_t)(i % instr_count)};
    for (int i = 0; i < 2 * LAUNCHES; i++) {
        sim_launch_report *r = &reports[i];
        r->kernel = (char *)kernels[i % kernel_count];
        r->config = (sim_launch_config){.grid = {10, 1, 1}, .block = {256, 1, 1}};
        r->registers = 16;
        sim_occupancy_compute(sim_device_find(NULL), 256, 16, 0, &r->occupancy);
        r->time_us = 10;
        r->bounds[0] = (sim_time_bound){SIM_BOUND_ISSUE, 10};
        r->mode = SIM_MODE_COUNT;
        r->totals.value[SIM_COUNTER_INST] = 1000;
        r->lines = lines;
        r->line_count = 2;
        r->files = files;
        r->file_count = 1;
        make_code(&codes[i], instrs[i], instr_count, MACHINE, 100 + (uint64_t)i);
        r->code = &codes[i];
    }
    lines[0].counters.value[SIM_COUNTER_INST] = lines[1].counters.value[SIM_COUNTER_INST] = 500;
}

static ladder_profile *profile_of(int first, int count) {
    ladder_profile *p = calloc(1, sizeof *p);
    p->device = *sim_device_find(NULL);
    snprintf(p->device_name, sizeof p->device_name, "%s", p->device.name);
    for (int i = 0; i < count; i++) p->launches[i] = &reports[first + i];
    p->count = (uint32_t)count;
    return kl_own(p);
}

static char *write_page(const ladder_page_part *parts, int count) {
    kl_error err = {KL_OK, ""};
    return KL_PRINTED(out, ck_assert_int_eq(ladder_page_write(parts, count, out, &err), KL_OK));
}

KL_TEST(the_text_stands_once_for_each_kernel) {
    static const char *const kernels[] = {"_Z4evenPf", "_Z3oddPf"};
    make_reports(kernels, 2, 6);
    ladder_profile *p = profile_of(0, 4);
    const ladder_page_part part = {"two kernels", p, NULL};
    char *page = write_page(&part, 1);
    ck_assert_int_eq(kl_occurrences(page, "<details class=\"code-text\""), 2);
    ck_assert_int_eq(kl_occurrences(page, "data-code=\"code-1\""), 2);
    ck_assert_int_eq(kl_occurrences(page, "data-code=\"code-2\""), 2);
    KL_HAS(page, "data-executed=\"102*6\" data-on=\"1632*6\"", "data-at=\"0:7*3 0:9*3\"",
           "data-of=\"0 1 2 3 4 5 0 1", "%f2, %f1, &lt;/pre&gt;&lt;script&gt;");
    ck_assert_int_eq(kl_occurrences(page, "<script"), 1);
}

KL_TEST(twenty_launches_of_large_kernels_fit) {
    static const char *const kernels[] = {"_Z1aPf", "_Z1bPf", "_Z1cPf", "_Z1dPf", "_Z1ePf"};
    make_reports(kernels, 5, INSTRS);
    ladder_profile *p = profile_of(0, LAUNCHES);
    const ladder_page_part part = {"five kernels", p, NULL};
    char *page = write_page(&part, 1);
    ck_assert_uint_lt(strlen(page), 2000000);
    ck_assert_int_eq(kl_occurrences(page, "<details class=\"launch\""), LAUNCHES);
    int shown = kl_occurrences(page, "<details class=\"code-text\"");
    ck_assert_int_gt(shown, 0);
    if (shown < 5) ck_assert_ptr_nonnull(strstr(page, "did not fit into the page"));
}

// before: a b a; after: a a c. The second a goes with the second one; b and c stay alone.
KL_TEST(launches_are_paired_by_name_and_order) {
    static const char *const kernels[] = {"_Z1aPf", "_Z1bPf", "_Z1aPf",
                                          "_Z1aPf", "_Z1aPf", "_Z1cPf"};
    make_reports(kernels, 6, 6);
    ladder_profile *before = profile_of(0, 3), *after = profile_of(3, 3);
    reports[4].time_us = 5;
    const ladder_page_part parts[] = {{"old", before, NULL}, {"new", after, NULL}};
    char *page = write_page(parts, 2);
    KL_HAS(page, "launch 1: <code>a</code></td><td class=\"kernel\">"
                 "launch 4: <code>a</code></td>");
    const char *second = strstr(page, "launch 3: <code>a</code></td><td class=\"kernel\">"
                                      "launch 5: <code>a</code></td>");
    ck_assert_ptr_nonnull(second);
    ck_assert_int_lt(strstr(second, "<td class=\"num\">0.50x</td>") - second, 300);
    KL_HAS(page, "launch 2: <code>b</code> is only before the change",
           "launch 6: <code>c</code> is only after the change");
    ck_assert_ptr_nonnull(
        strstr(page, "<option value=\"launch-1\" data-pair=\"launch-4\" selected>"));
}

KL_TEST(without_a_common_name_order_decides) {
    static const char *const kernels[] = {"_Z1aPf", "_Z1aPf", "_Z1bPf", "_Z1bPf", "_Z1bPf"};
    make_reports(kernels, 5, 6);
    ladder_profile *before = profile_of(0, 2), *after = profile_of(2, 3);
    const ladder_page_part parts[] = {{"step 1", before, NULL}, {"step 2", after, NULL}};
    KL_HAS(write_page(parts, 2), "No kernel has the same name in both",
           "launch 2: <code>a</code></td><td class=\"kernel\">"
           "launch 4: <code>b</code></td>",
           "launch 5: <code>b</code> is only after the change");
}

KL_TEST_MAIN("code on the page")
