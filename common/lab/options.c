// Command line of a lab program: see plan.h.
#include "plan.h"
#include "program.h"
#include "timing.h"
#include <getopt.h>

static kl_status unknown_case(const kl_problem *problem, const char *name, kl_error *err) {
    char names[KL_ERROR_TEXT / 2] = "";
    for (int i = 0; i < problem->family_count; i++)
        kl_problem_add_name(problem, i, names, sizeof names);
    return kl_fail(err, KL_ERROR_USAGE, "--case %.64s: lab %s has %s", name, problem->name, names);
}

// A file is one case of one size; pictures are of a file.
static kl_status check_file_options(const kl_options *o, kl_error *err) {
    if (o->matrix_file && (o->size >= 0 || o->family))
        return kl_fail(err, KL_ERROR_USAGE, "--matrix takes the place of --size and --case");
    if (o->plot_folder && !o->matrix_file)
        return kl_fail(err, KL_ERROR_USAGE, "--plots goes with --matrix FILE");
    return KL_OK;
}

// What the lab has: a mistake that the options alone do not show.
static kl_status check_names(const kl_problem *problem, const kl_options *o, kl_error *err) {
    if (o->family && kl_problem_family(problem, o->family) < 0)
        return unknown_case(problem, o->family, err);
    for (int step = 0; step < KL_MAX_STEPS; step++)
        if ((o->step[step] || o->launch_once == step) && !kl_problem_step(problem, step))
            return kl_fail(err, KL_ERROR_USAGE, "lab %s has no step %d; --list shows its steps",
                           problem->name, step);
    return check_file_options(o, err);
}

kl_status kl_options_parse(int argc, char **argv, const kl_problem *problem,
                           kl_options *out_options, kl_error *err) {
    kl_options *o = out_options;
    const kl_option table[] = {
#define READS_FLAG             .kind = KL_OPTION_FLAG
#define READS_TEXT             .kind = KL_OPTION_TEXT
#define READS_DEVICE           .kind = KL_OPTION_DEVICE
#define READS_STEPS            .kind = KL_OPTION_WORDS, .most = KL_MAX_STEPS - 1
#define READS_INT(low, high)   .kind = KL_OPTION_INT, .least = (low), .most = (high)
#define READS_INT64(low, high) .kind = KL_OPTION_INT64, .least = (low), .most = (high)
#define RUN_OPTION(member, takes, reads, name, argument, help)                                     \
    {&(name)[2], .target = &o->member, READS_##reads},
#define LAB_OPTION RUN_OPTION
#include "run_options.def"
#undef RUN_OPTION
#undef LAB_OPTION
    };
    *o = (kl_options){.size = -1,
                      .launch_once = -1,
                      .trials = -1,
                      .side_check = -1,
                      .repeat = KL_TIMING_DEFAULT,
                      .seed = problem->default_seed};
    TRY(kl_program_options(argc, argv, table, sizeof table / sizeof table[0], err));
    for (int step = 0; step < KL_MAX_STEPS; step++) o->step_count += o->step[step];
    return check_names(problem, o, err);
}

bool kl_options_step(const kl_options *o, int number) {
    if (o->launch_once >= 0) return number == o->launch_once;
    return o->step_count == 0 || (number >= 0 && o->step[number]);
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
#define RUN_OPTION(member, takes, reads, name, argument, help)                                     \
    put_option(out, name, argument, help);
#define LAB_OPTION RUN_OPTION
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

// ---- options of a program as a table ------------------------------------------------------------

enum { OPTIONS_MOST = 31 };

kl_status kl_option_integer(const kl_option *option, const char *text, int64_t *out_value,
                            kl_error *err) {
    char *end = NULL, got[80];
    errno = 0;
    *out_value = strtoll(text, &end, 10);
    const char *digits = text;
    if (end != text && *end == '^' && *out_value == 2) {
        digits = end + 1;
        long long bits = strtoll(digits, &end, 10);
        if (bits < 0 || bits > 62) errno = ERANGE;
        *out_value = errno ? 0 : 1LL << bits;
    }
    if (end == digits || *end != '\0' || errno != 0 || *out_value < option->least ||
        *out_value > option->most)
        return kl_fail(err, KL_ERROR_USAGE, "--%s takes a whole number from %lld to %lld, not %s",
                       option->name, (long long)option->least, (long long)option->most,
                       kl_quoted(text, got, sizeof got));
    return KL_OK;
}

kl_status kl_option_real(const kl_option *option, const char *text, double *out_value,
                         kl_error *err) {
    char *end = NULL, got[80];
    *out_value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(*out_value))
        return kl_fail(err, KL_ERROR_USAGE, "--%s takes a number, not %s", option->name,
                       kl_quoted(text, got, sizeof got));
    return KL_OK;
}

static kl_status take_real(const kl_option *option, const char *text, kl_error *err) {
    double *value = option->target;
    char got[80];
    if (kl_option_real(option, text, value, NULL) != KL_OK ||
        !(*value >= (double)option->least && *value < (double)option->most))
        return kl_fail(err, KL_ERROR_USAGE, "--%s takes a number from %lld to below %lld, not %s",
                       option->name, (long long)option->least, (long long)option->most,
                       kl_quoted(text, got, sizeof got));
    return KL_OK;
}

static kl_status take(const kl_option *option, const char *text, kl_error *err) {
    int64_t number = 0;
    switch (option->kind) {
    case KL_OPTION_FLAG: *(bool *)option->target = true; return KL_OK;
    case KL_OPTION_TEXT: *(const char **)option->target = text; return KL_OK;
    case KL_OPTION_DEVICE: return kl_device_parse(text, option->target, err);
    case KL_OPTION_REAL: return take_real(option, text, err);
    case KL_OPTION_OTHER: return option->take(option, text, err);
    case KL_OPTION_INT64: return kl_option_integer(option, text, option->target, err);
    case KL_OPTION_INT:
    case KL_OPTION_MARK:
    case KL_OPTION_WORDS: TRY(kl_option_integer(option, text, &number, err));
    }
    if (option->kind == KL_OPTION_INT) *(int *)option->target = (int)number;
    else ((bool *)option->target)[number] = true;
    return KL_OK;
}

kl_status kl_program_options(int argc, char **argv, const kl_option *options, int count,
                             kl_error *err) {
    struct option names[OPTIONS_MOST + 1] = {{NULL, 0, NULL, 0}};
    const kl_option *bare = NULL;
    for (int i = 0; i < count && i < OPTIONS_MOST; i++) {
        names[i] = (struct option){options[i].name, options[i].kind != KL_OPTION_FLAG, NULL, 0};
        if (options[i].kind == KL_OPTION_WORDS) bare = &options[i];
    }
    opterr = 0; // messages are ours
    optind = 1;
    for (int index = -1, at = 1, code; (code = getopt_long(argc, argv, ":", names, &index)) != -1;
         at = optind) {
        if (code != 0)
            return kl_fail(err, KL_ERROR_USAGE, "%s: %s; --help lists the options", argv[at],
                           code == ':' ? "a value is missing" : "unknown option");
        TRY(take(&options[index], optarg, err));
    }
    for (; optind < argc; optind++) {
        if (!bare)
            return kl_fail(err, KL_ERROR_USAGE, "'%s' is no option; --help lists them",
                           argv[optind]);
        TRY(take(bare, argv[optind], err));
    }
    return KL_OK;
}
