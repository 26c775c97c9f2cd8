// ladder bench debug: how long one step back takes in the debugger, at the end of the longest
// launch of a lab's quick cases, for the last complete step of each lab or for the steps that are
// named.
#include "debug/debugger.h"
#include "grade/rubric/lab_files.h"
#include "sandbox/process/session.h"
#include "utilities/options.h"
#include <sys/socket.h>

enum { STEPS_BACK = 5 };
static const double most_s = 0.3; // of one step back

// What was measured of one step of a lab.
typedef struct measured {
    uint32_t launches;
    uint64_t instructions; // of the longest launch
    double back_s[STEPS_BACK], run_s;
} measured;

typedef struct bench {
    ladder_session session;
    sim_debug_client client;
    measured of;
} bench;

// The next stop; false: the program has ended.
static bool wait_for_stop(bench *b) {
    ladder_process *both[] = {&b->session.program, &b->session.engine};
    kl_error err;
    while (!ladder_process_wait_readable(both, 2, b->client.descriptor, kl_now_s() + 1))
        if (b->session.program.end != LADDER_END_RUNNING) return false;
    return sim_debug_wait(&b->client, &err) == SIM_OK;
}

// Seconds until the stop; below 0: there was none.
static double go(bench *b, sim_debug_way way, sim_debug_step step, uint64_t time) {
    const sim_debug_plan plan = {
        .way = way, .step = step, .thread = b->client.stop.thread, .time = time};
    kl_error err;
    double begin_s = kl_now_s();
    if (sim_debug_go(&b->client, &plan, &err) != SIM_OK || !wait_for_stop(b)) return -1;
    return kl_now_s() - begin_s;
}

// Where a launch stands at its first breakpoint: to its end, and back.
static bool measure_launch(bench *b) {
    const uint64_t end = UINT64_MAX - 1;
    kl_error err;
    if (sim_debug_set_points(&b->client, NULL, 0, &err) != SIM_OK) return false;
    double run_s = go(b, SIM_DEBUG_TO_TIME, SIM_DEBUG_CONTINUE, end);
    if (run_s < 0) return false;
    if (b->client.stop.reason != SIM_DEBUG_REACHED) return true; // a fault
    if (b->client.stop.time <= b->of.instructions) return true;
    b->of.instructions = b->client.stop.time;
    b->of.run_s = run_s;
    for (int i = 0; i < STEPS_BACK; i++) {
        b->of.back_s[i] = go(b, SIM_DEBUG_BACKWARDS, SIM_DEBUG_LINE, 0);
        if (b->of.back_s[i] < 0) return false;
    }
    return true;
}

static void measure_program(bench *b) {
    kl_error err;
    bool stopped = wait_for_stop(b);
    while (stopped) {
        const sim_debug_stop *stop = &b->client.stop;
        if (stop->reason == SIM_DEBUG_LAUNCH) {
            sim_debug_point first = {.number = 1, .kind = SIM_DEBUG_AT_FUNCTION};
            snprintf(first.name, sizeof first.name, "%s", stop->kernel);
            b->of.launches++;
            if (sim_debug_set_points(&b->client, &first, 1, &err) != SIM_OK) return;
        } else if (stop->reason == SIM_DEBUG_BREAKPOINT && !measure_launch(b)) {
            return;
        }
        if (!b->client.stopped) stopped = wait_for_stop(b);
        else stopped = go(b, SIM_DEBUG_FORWARDS, SIM_DEBUG_CONTINUE, 0) >= 0;
    }
}

static kl_status run(const ladder_kit *kit, char *const *argv, measured *out, kl_error *err) {
    bench b = {.of.launches = 0};
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
        return kl_fail(err, KL_ERROR_SYSTEM, "no socket pair");
    const ladder_engine_options options = {.answer_s = 60, .mode = "check", .debug_fd = pair[1]};
    b.client.descriptor = pair[0];
    kl_status status = ladder_session_start_engine(&b.session, kit, &options, err);
    close(pair[1]);
    if (status == KL_OK) status = ladder_session_start_program(&b.session, kit, argv, false, err);
    if (status == KL_OK) measure_program(&b);
    ladder_session_end_program(&b.session);
    close(pair[0]);
    ladder_session_close(&b.session);
    *out = b.of;
    return status;
}

static int compare(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static kl_status bench_step(const ladder_kit *kit, const ladder_lab *lab, int step, bool *out_well,
                            kl_error *err) {
    char program[LADDER_PATH];
    bool failed = false;
    ladder_program_args args;
    measured of;
    TRY(ladder_kit_build_lab(kit, lab, &step, 1, true, false, &failed, err));
    TRY(ladder_kit_lab_program(kit, lab, program, err));
    ladder_args_begin(&args, program);
    ladder_args_number(&args, "--step", step);
    ladder_args_flag(&args, "--check-only", true);
    ladder_args_flag(&args, "--quick", true);
    ladder_args_flag(&args, "--solution", true);
    ladder_args_text(&args, "--device", "sim");
    TRY(run(kit, args.argv, &of, err));
    qsort(of.back_s, STEPS_BACK, sizeof of.back_s[0], compare);
    double most = of.back_s[STEPS_BACK - 1];
    printf("%-16s %4d  %8" PRIu32 "  %12" PRIu64 "  %6.3f s  %6.3f s  %6.3f s%s\n", lab->folder,
           step, of.launches, of.instructions, of.run_s, of.back_s[STEPS_BACK / 2], most,
           most > most_s ? "  too long" : "");
    fflush(stdout);
    *out_well = *out_well && of.instructions > 0 && most <= most_s;
    return KL_OK;
}

static kl_status bench_all(int argc, char **argv, bool *out_well, kl_error *err) {
    ladder_kit kit;
    TRY(ladder_kit_find(&kit, err));
    puts("lab              step  launches  longest: ins    forward    back     slowest");
    for (int i = 1; i + 1 < argc; i += 2) {
        const ladder_lab *lab;
        const kl_step_info *step;
        TRY(ladder_lab_require(argv[i], &lab, err));
        TRY(ladder_lab_require_step(lab, argv[i + 1], &step, err));
        TRY(bench_step(&kit, lab, step->number, out_well, err));
    }
    for (int i = 0; argc < 2 && i < ladder_lab_count; i++) {
        const kl_problem *problem = ladder_labs[i].problem;
        int last = problem->steps[problem->step_count - 1].number;
        TRY(bench_step(&kit, &ladder_labs[i], last, out_well, err));
    }
    return KL_OK;
}

int main(int argc, char **argv) {
    bool well = true;
    kl_error err = {KL_OK, ""};
    if (argc > 1 && (argv[1][0] == '-' || argc % 2 == 0)) {
        puts("ladder bench debug [-- LAB STEP [LAB STEP..]]\n"
             "How long one step back takes at the end of the longest launch of the quick cases:\n"
             "the median and the slowest of five. Exit status 1 where one takes over 0.3 s.");
        return strcmp(argv[1], "--help") == 0 ? 0 : 2;
    }
    if (bench_all(argc, argv, &well, &err) != KL_OK) {
        fprintf(stderr, "ladder bench debug: %s\n", err.text);
        return 1;
    }
    return well ? 0 : 1;
}
