// SPDX-License-Identifier: MIT
// Command line of a lab program: see options.h.
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "timing.h"

enum option_code {
    OPT_STEP = 1000,
    OPT_SOLUTION,
    OPT_SIZE,
    OPT_CASE,
    OPT_DEVICE,
    OPT_CHECK_ONLY,
    OPT_JSON,
    OPT_LIST,
    OPT_HELP,
    OPT_QUICK,
    OPT_REPEAT,
    OPT_LAUNCH_ONCE,
    OPT_VENDOR,
    OPT_BENCH,
    OPT_SEED,
    OPT_STEPS_FROM,
    OPT_TIMEOUT,
    OPT_TRIALS,
    OPT_SIDE_CHECK,
    OPT_MATRIX,
    OPT_PLOTS,
    OPT_TABLES,
};

static const struct option long_options[] = {
    {"step", required_argument, NULL, OPT_STEP},
    {"solution", no_argument, NULL, OPT_SOLUTION},
    {"size", required_argument, NULL, OPT_SIZE},
    {"case", required_argument, NULL, OPT_CASE},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"check-only", no_argument, NULL, OPT_CHECK_ONLY},
    {"json", required_argument, NULL, OPT_JSON},
    {"list", no_argument, NULL, OPT_LIST},
    {"help", no_argument, NULL, OPT_HELP},
    {"quick", no_argument, NULL, OPT_QUICK},
    {"repeat", required_argument, NULL, OPT_REPEAT},
    {"launch-once", required_argument, NULL, OPT_LAUNCH_ONCE},
    {"vendor", no_argument, NULL, OPT_VENDOR},
    {"bench", no_argument, NULL, OPT_BENCH},
    {"seed", required_argument, NULL, OPT_SEED},
    {"steps-from", required_argument, NULL, OPT_STEPS_FROM},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"trials", required_argument, NULL, OPT_TRIALS},
    {"side-check", required_argument, NULL, OPT_SIDE_CHECK},
    {"matrix", required_argument, NULL, OPT_MATRIX},
    {"plots", required_argument, NULL, OPT_PLOTS},
    {"tables", no_argument, NULL, OPT_TABLES},
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
    case OPT_STEP:
        if (o->step_count == KL_MAX_STEPS)
            return kl_fail(err, KL_ERROR_USAGE, "--step was given too often");
        TRY(parse_step("--step", text, problem, &o->steps[o->step_count], err));
        o->step_count++;
        return KL_OK;
    case OPT_SIZE: return parse_number("--size", text, 0, problem->max_size, &o->size, err);
    case OPT_CASE:
        o->family = text;
        if (kl_problem_family(problem, text) < 0) return unknown_case(problem, text, err);
        return KL_OK;
    case OPT_DEVICE: return kl_device_parse(text, &o->device, err);
    case OPT_REPEAT:
        TRY(parse_number("--repeat", text, 1, KL_STATS_MAX, &number, err));
        o->repeat = (int)number;
        return KL_OK;
    case OPT_LAUNCH_ONCE: return parse_step("--launch-once", text, problem, &o->launch_once, err);
    case OPT_SEED:
        TRY(parse_number("--seed", text, 0, INT64_MAX, &number, err));
        o->seed = (uint64_t)number;
        return KL_OK;
    case OPT_TIMEOUT:
        TRY(parse_number("--timeout", text, 1, 86400, &number, err));
        o->quiet_limit_s = (double)number;
        return KL_OK;
    case OPT_TRIALS:
        TRY(parse_number("--trials", text, 0, 1023, &number, err));
        o->trials = (int)number;
        return KL_OK;
    case OPT_SIDE_CHECK:
        TRY(parse_number("--side-check", text, 0, 1023, &number, err));
        o->side_check = (int)number;
        return KL_OK;
    case OPT_JSON: o->json_file = text; return KL_OK;
    case OPT_STEPS_FROM: o->step_folder = text; return KL_OK;
    case OPT_MATRIX: o->matrix_file = text; return KL_OK;
    case OPT_PLOTS: o->plot_folder = text; return KL_OK;
    case OPT_SOLUTION: o->solution = true; return KL_OK;
    case OPT_CHECK_ONLY: o->check_only = true; return KL_OK;
    case OPT_LIST: o->list = true; return KL_OK;
    case OPT_HELP: o->help = true; return KL_OK;
    case OPT_QUICK: o->quick = true; return KL_OK;
    case OPT_VENDOR: o->vendor = true; return KL_OK;
    case OPT_BENCH: o->bench = true; return KL_OK;
    case OPT_TABLES: o->tables = true; return KL_OK;
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
        TRY(parse_one(OPT_STEP, argv[optind], problem, out_options, err));
    return check_file_options(out_options, err);
}

void kl_options_help(const kl_problem *problem, const char *program, FILE *out) {
    fprintf(
        out,
        "%s: lab %s\n\n"
        "Checks and times the steps of the lab and prints the ladder.\n\n"
        "Usage: %s [options] [STEP...]\n"
        "Example: %s --solution --size 2^20 3 5\n\n"
        "  --step N           this step only (may be repeated; a bare number does the same)\n"
        "  --solution         the complete steps instead of the student's\n"
        "  --size N           one size, in %s, instead of the lab's own (2^24 is understood)\n"
        "  --case NAME        one kind of case only (see --list)\n"
        "  --device D         %s\n"
        "                     (auto: a GPU if there is one; a name: that device, simulated)\n"
        "  --check-only       no timing\n"
        "  --quick            fewer and smaller cases\n"
        "  --tables           all tables: reasons, counts, rates at every size\n"
        "  --bench            time many sizes (GPU)\n"
        "  --vendor           time the vendor's library in the same run\n"
        "  --repeat N         repetitions of a timing on a GPU (default %d, at least %d)\n"
        "  --seed N           other inputs\n"
        "  --timeout S        stop a step that is silent for S seconds (default %.0f; with the\n"
        "                     lab's own sizes on a GPU %.0f)\n"
        "  --matrix FILE      a matrix of your own (.mtx, .mtx.gz) instead of its cases, where a\n"
        "                     lab takes one, or like:NAME, one made like a classical matrix\n"
        "                     (like:Webbase)\n"
        "  --plots DIR        with --matrix: pictures of its structure and row lengths (SVG)\n"
        "  --json FILE        write the results as JSON (ladder.run/2; - is standard output)\n"
        "  --launch-once STEP run one step once on one size, unchecked, for a profiler\n"
        "  --steps-from DIR   take step_<n>.so from this folder\n"
        "  --trials FD        bench for `ladder tune` on an open descriptor (trials.h)\n"
        "  --side-check FD    findings of `ladder run`'s checker on an open descriptor\n"
        "                     (side_check.h)\n"
        "  --list             show steps and cases\n"
        "  --help             show this\n\n"
        "Exit status: 0 when every step that is implemented is correct, 1 when not, 2 for a wrong\n"
        "command line or a machine that cannot run the lab.\n",
        problem->title, problem->folder, program, program, problem->size_unit, kl_device_words,
        KL_TIMING_DEFAULT, KL_TIMING_MIN, KL_QUIET_LIMIT_S, KL_QUIET_LIMIT_GPU_S);
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
