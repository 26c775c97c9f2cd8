// SPDX-License-Identifier: MIT
// Command line of a lab program: see plan.h.
#include "plan.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

enum option_code {
    OPT_FIRST = 1000, // no character
#define RUN_OPTION(member, takes, name, argument, help) OPT_##member,
#define LAB_OPTION(member, takes, name, argument, help) OPT_##member,
#include "run_options.def"
#undef RUN_OPTION
#undef LAB_OPTION
};

// Of getopt: names stand without their dashes.
enum { TAKES_FLAG = no_argument, TAKES_TEXT = required_argument };
static const struct option long_options[] = {
#define RUN_OPTION(member, takes, name, argument, help)                                            \
    {&(name)[2], TAKES_##takes, NULL, OPT_##member},
#define LAB_OPTION RUN_OPTION
#include "run_options.def"
#undef RUN_OPTION
#undef LAB_OPTION
    {NULL, 0, NULL, 0},
};

// A whole number in [low, high]; "2^24" is accepted as well.
static kl_status parse_number(const char *option, const char *text, int64_t low, int64_t high,
                              int64_t *out_value, kl_error *err) {
    char *end = NULL;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    bool power = end != text && *end == '^' && value == 2;
    if (power) {
        const char *exponent = end + 1;
        long long bits = strtoll(exponent, &end, 10);
        value = bits >= 0 && bits < 62 && end != exponent ? 1LL << bits : -1;
    }
    if (errno != 0 || end == text || *end != '\0' || value < low || value > high) {
        return kl_fail(err, KL_ERROR_USAGE,
                       "%s %s: expected a whole number from %lld to %lld (2^24 is one, too)",
                       option, text, (long long)low, (long long)high);
    }
    *out_value = value;
    return KL_OK;
}

static kl_status parse_step(const char *option, const char *text, const kl_problem *problem,
                            int *out_step, kl_error *err) {
    int64_t number = 0;
    TRY(parse_number(option, text, 0, KL_MAX_STEPS - 1, &number, err));
    if (!kl_problem_step(problem, (int)number)) {
        return kl_fail(err, KL_ERROR_USAGE, "%s %s: lab %s has no such step; --list shows them",
                       option, text, problem->name);
    }
    *out_step = (int)number;
    return KL_OK;
}

static kl_status unknown_case(const kl_problem *problem, const char *name, kl_error *err) {
    char names[KL_ERROR_TEXT / 2] = "";
    for (int i = 0; i < problem->family_count; i++)
        kl_problem_add_name(problem, i, names, sizeof names);
    return kl_fail(err, KL_ERROR_USAGE, "--case %.64s: lab %s has %s", name, problem->name, names);
}

static kl_status parse_one(int code, const char *text, const kl_problem *problem, kl_options *o,
                           kl_error *err) {
    int64_t number = 0;
    switch (code) {
    case OPT_step:
        if (o->step_count == KL_MAX_STEPS)
            return kl_fail(err, KL_ERROR_USAGE, "--step was given too often");
        TRY(parse_step("--step", text, problem, &o->steps[o->step_count], err));
        o->step_count++;
        return KL_OK;
    case OPT_size: return parse_number("--size", text, 0, problem->max_size, &o->size, err);
    case OPT_family:
        o->family = text;
        if (kl_problem_family(problem, text) < 0) return unknown_case(problem, text, err);
        return KL_OK;
    case OPT_device: return kl_device_parse(text, &o->device, err);
    case OPT_repeat:
        TRY(parse_number("--repeat", text, 1, KL_STATS_MAX, &number, err));
        o->repeat = (int)number;
        return KL_OK;
    case OPT_launch_once: return parse_step("--launch-once", text, problem, &o->launch_once, err);
    case OPT_seed:
        TRY(parse_number("--seed", text, 0, INT64_MAX, &number, err));
        o->seed = (uint64_t)number;
        return KL_OK;
    case OPT_timeout:
        TRY(parse_number("--timeout", text, 1, 86400, &number, err));
        o->quiet_limit_s = (double)number;
        return KL_OK;
    case OPT_trials:
        TRY(parse_number("--trials", text, 0, 1023, &number, err));
        o->trials = (int)number;
        return KL_OK;
    case OPT_side_check:
        TRY(parse_number("--side-check", text, 0, 1023, &number, err));
        o->side_check = (int)number;
        return KL_OK;
    case OPT_json: o->json_file = text; return KL_OK;
    case OPT_steps_from: o->step_folder = text; return KL_OK;
    case OPT_matrix: o->matrix_file = text; return KL_OK;
    case OPT_plots: o->plot_folder = text; return KL_OK;
    case OPT_solution: o->solution = true; return KL_OK;
    case OPT_check_only: o->check_only = true; return KL_OK;
    case OPT_list: o->list = true; return KL_OK;
    case OPT_help: o->help = true; return KL_OK;
    case OPT_quick: o->quick = true; return KL_OK;
    case OPT_readable: o->readable = true; return KL_OK;
    case OPT_vendor: o->vendor = true; return KL_OK;
    case OPT_bench: o->bench = true; return KL_OK;
    case OPT_tables: o->tables = true; return KL_OK;
    default: return kl_fail(err, KL_ERROR_USAGE, "unknown option or missing value; try --help");
    }
}

// A file is one case of one size; pictures are of a file.
static kl_status check_file_options(const kl_options *o, kl_error *err) {
    if (o->matrix_file && (o->size >= 0 || o->family))
        return kl_fail(err, KL_ERROR_USAGE, "--matrix takes the place of --size and --case");
    if (o->plot_folder && !o->matrix_file)
        return kl_fail(err, KL_ERROR_USAGE, "--plots goes with --matrix FILE");
    return KL_OK;
}

kl_status kl_options_parse(int argc, char **argv, const kl_problem *problem,
                           kl_options *out_options, kl_error *err) {
    memset(out_options, 0, sizeof *out_options);
    out_options->size = -1;
    out_options->launch_once = -1;
    out_options->trials = -1;
    out_options->side_check = -1;
    out_options->repeat = KL_TIMING_DEFAULT;
    out_options->seed = problem->default_seed;

    opterr = 0; // messages are ours
    optind = 1;
    for (;;) {
        int at = optind;
        int code = getopt_long(argc, argv, ":", long_options, NULL);
        if (code == -1) break;
        if (code == '?' || code == ':') {
            return kl_fail(err, KL_ERROR_USAGE, "%s: %s; try --help", argv[at],
                           code == ':' ? "a value is missing" : "unknown option");
        }
        TRY(parse_one(code, optarg, problem, out_options, err));
    }
    for (; optind < argc; optind++) // bare numbers are steps, too
        TRY(parse_one(OPT_step, argv[optind], problem, out_options, err));
    return check_file_options(out_options, err);
}

static void put_option(FILE *out, const char *name, const char *argument, const char *help) {
    int used = fprintf(out, "  %s %s", name, argument ? argument : "");
    fprintf(out, "%*s%s\n", used < 21 ? 21 - used : 1, "", help);
}

void kl_options_help(const kl_problem *problem, const char *program, FILE *out) {
    fprintf(out,
            "%s: lab %s\n\n"
            "Checks and times the steps of the lab and prints the ladder.\n\n"
            "Usage: %s [options] [STEP...]\n"
            "Example: %s --solution --size 2^20 3 5\n\n",
            problem->title, problem->folder, program, program);
#define RUN_OPTION(member, takes, name, argument, help) put_option(out, name, argument, help);
#define LAB_OPTION                                      RUN_OPTION
#include "run_options.def"
#undef RUN_OPTION
#undef LAB_OPTION
    fprintf(out,
            "\nSizes are in %s. Devices: %s.\n"
            "A matrix is a file (.mtx, .mtx.gz), or like:NAME, one made like a classical matrix\n"
            "(like:Webbase). A timing on a GPU is repeated %d times, at least %d. A step may be\n"
            "silent for %.0f seconds; with the lab's own sizes on a GPU for %.0f.\n"
            "Exit status: 0 when every step that is implemented is correct, 1 when not, 2 for a\n"
            "wrong command line or a machine that cannot run the lab.\n",
            problem->size_unit, kl_device_words, KL_TIMING_DEFAULT, KL_TIMING_MIN, KL_QUIET_LIMIT_S,
            KL_QUIET_LIMIT_GPU_S);
}

void kl_options_list(const kl_problem *problem, FILE *out) {
    fprintf(out, "Lab %s: %s\n\nSteps\n", problem->folder, problem->title);
    for (int i = 0; i < problem->step_count; i++) {
        const kl_step_info *s = &problem->steps[i];
        fprintf(out, "  %2d  %-14s %s\n", s->number, s->name, s->reason);
    }
    fprintf(out, "\nCases\n");
    for (int i = 0; i < problem->family_count; i++)
        fprintf(out, "  %-14s %s\n", problem->families[i].name, problem->families[i].purpose);
}
