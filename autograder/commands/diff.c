// ladder diff: what changed between two steps, in the source and in what the kernels did.
#include "commands/command.h"
#include "grade/submission/submission.h"
#include "learn/lesson/lesson.h"
#include "learn/predict/predict.h"
#include "show/profile/profile.h"

static const ladder_usage usage = {
    "ladder diff LAB A B [options]",
    "Shows the two step files side by side (one below the other on a narrow terminal),\n"
    "without differences of comments and of what every step has, then the counters and the\n"
    "modelled time that the change moved, at the largest size that both steps have.",
    "  ladder diff reduction 2 3 --solution",
};

enum { SIDE_BY_SIDE_WIDTH = 110, FILE_MAX = 4 << 20 };

typedef struct diff_options {
    bool solution, source_only, unified;
    const char *size, *family, *json;
} diff_options;

typedef struct side {
    const kl_step_info *step;
    char *text;
    char name[64]; // "3_sequential.cu"
    int family;    // of the case that is profiled; -1: that of --case, or none is known
    int64_t size;  // of this case
    ladder_profile *profile;
} side;

typedef struct comparison {
    ladder_kit kit;
    const ladder_lab *lab;
    diff_options options;
    side sides[2];
    ladder_diff diff;
} comparison;

static kl_status read_sides(comparison *c, const ladder_arguments *arguments, kl_error *err) {
    TRY(ladder_lab_require(arguments->positional[0], &c->lab, err));
    TRY(ladder_kit_find(&c->kit, err));
    for (int i = 0; i < 2; i++) {
        side *s = &c->sides[i];
        char path[LADDER_PATH];
        TRY(ladder_lab_require_step(c->lab, arguments->positional[i + 1], &s->step, err));
        if (c->options.solution)
            TRY(ladder_kit_require_solution(&c->kit, c->lab, &s->step->number, 1, err));
        TRY(ladder_kit_step_file(&c->kit, c->lab, s->step, c->options.solution, path, err));
        TRY(ladder_file_read(AT_FDCWD, path, FILE_MAX, &s->text, NULL, err));
        snprintf(s->name, sizeof s->name, "%d_%.48s.cu", s->step->number, s->step->name);
    }
    // A solution's markers for the skeleton (grade/submission/submission.h) are no part of the
    // lesson.
    return ladder_diff_make(c->sides[0].text, c->sides[1].text, LADDER_SOLUTION_MARKER, &c->diff,
                            err);
}

// The case of the suite that shows the steps best on the simulator: of the lab's timed family, else
// of one that is timed, and the largest. count: steps that must have it. NULL: there is none.
static const kl_suite_entry *best_case(const comparison *c, int first, int count) {
    const kl_problem *problem = c->lab->problem;
    const kl_suite_entry *best = NULL;
    int best_rank = -1,
        wanted = c->options.family ? kl_problem_family(problem, c->options.family) : -1;
    for (int i = 0; i < problem->suite_count; i++) {
        const kl_suite_entry *e = &problem->suite[i];
        bool served = (e->flags & (KL_CHECK | KL_TIME_SIM)) != 0;
        for (int k = first; k < first + count; k++)
            served = served && kl_problem_serves(problem, e->family, c->sides[k].step->number);
        if (!served || (c->options.family && e->family != wanted)) continue;
        int rank = e->family == kl_problem_family(problem, problem->timed_family) ? 2
                   : (e->flags & KL_TIME_SIM) != 0                                ? 1
                                                                                  : 0;
        if (best && (rank < best_rank || (rank == best_rank && e->size < best->size))) continue;
        best = e;
        best_rank = rank;
    }
    return best;
}

// Both steps on one case, the largest that both have; where they have no kind of input in common,
// each on its own, at a size that both have. --size and --case decide for themselves.
static void choose_cases(comparison *c) {
    const kl_suite_entry *both = best_case(c, 0, 2);
    int64_t size = -1;
    for (int i = 0; i < 2; i++) {
        const kl_suite_entry *own = both ? both : best_case(c, i, 1);
        c->sides[i].family = own ? own->family : -1;
        if (own && (size < 0 || own->size < size)) size = own->size;
    }
    if (c->options.size) ladder_parse_size(c->options.size, &size); // the lab's program complains
    for (int i = 0; i < 2; i++) c->sides[i].size = size;
}

static kl_status profile_side(comparison *c, side *s, kl_error *err) {
    char size[32];
    snprintf(size, sizeof size, "%lld", (long long)s->size);
    const char *family =
        s->family >= 0 ? c->lab->problem->families[s->family].name : c->options.family;
    return ladder_profile_step(&c->kit, c->lab, s->step->number, c->options.solution,
                               s->size >= 0 && !c->options.size ? size : c->options.size, family,
                               NULL, s->profile, err);
}

static kl_status profile_sides(comparison *c, kl_error *err) {
    choose_cases(c);
    for (int i = 0; i < 2; i++) {
        side *s = &c->sides[i];
        if (!c->options.solution) ladder_predict_note(&c->kit, c->lab, &s->step->number, 1, "diff");
        s->profile = calloc(1, sizeof *s->profile);
        if (!s->profile) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a profile");
        TRY(profile_side(c, s, err));
    }
    return KL_OK;
}

static void write_counters(kl_json *json, const char *key, const kl_problem *problem,
                           const side *s) {
    sim_counters totals;
    double time_us = 0;
    const ladder_profile *profile = s->profile;
    ladder_profile_totals(profile, &totals, &time_us);
    kl_json_put(json, "%s {case %s size %ld time_us %g launches %u counters {", key,
                s->family >= 0 ? problem->families[s->family].name : NULL, s->size, time_us,
                profile->count);
    for (int i = 0; i < SIM_COUNTER_COUNT; i++)
        kl_json_uint(json, sim_counter_name((sim_counter)i), totals.value[i]);
    kl_json_put(json, "}}");
}

static void write_lines(kl_json *json, const ladder_diff *diff) {
    kl_json_array(json, "lines");
    for (size_t i = 0; i < diff->count; i++) {
        const ladder_diff_line *line = &diff->lines[i];
        if (line->edit == LADDER_SAME) continue;
        char *text = strndup(line->text, (size_t)line->bytes);
        bool added = line->edit == LADDER_ADDED;
        kl_json_put(json, "{edit %s line %d text %s}", added ? "added" : "removed",
                    added ? line->right : line->left, text);
        free(text);
    }
    kl_json_put(json, "] renamed [");
    for (int i = 0; i < diff->renames.count; i++)
        kl_json_put(json, "{from %s to %s}", diff->renames.rows[i].from, diff->renames.rows[i].to);
    kl_json_end(json);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const comparison *c = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.diff/1 lab %s a %d b %d", c->lab->problem->name,
                c->sides[0].step->number, c->sides[1].step->number);
    write_lines(&json, &c->diff);
    if (c->sides[1].profile) {
        write_counters(&json, "profile_a", c->lab->problem, &c->sides[0]);
        write_counters(&json, "profile_b", c->lab->problem, &c->sides[1]);
    }
    kl_json_end(&json);
    return kl_json_finish(&json, err);
}

// Names that the change is not about.
static void print_renames(const ladder_renames *renames, const kl_style *style) {
    char text[LADDER_RENAMES_MAX * (2 * LADDER_NAME + 8) + 16] = "renamed: ";
    size_t used = strlen(text);
    if (renames->count == 0) return;
    for (int i = 0; i < renames->count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s -> %s", i > 0 ? ", " : "",
                                 renames->rows[i].from, renames->rows[i].to);
    kl_print_wrapped(stdout, style, 9, text);
}

static void print_source(const comparison *c, const kl_style *style) {
    enum { CONTEXT = 2 };
    printf("%s -> %s: %d line%s removed, %d added\n", c->sides[0].name, c->sides[1].name,
           c->diff.removed, c->diff.removed == 1 ? "" : "s", c->diff.added);
    print_renames(&c->diff.renames, style);
    fputc('\n', stdout);
    if (c->diff.removed + c->diff.added == 0)
        kl_print_wrapped(stdout, style, 0,
                         "no line of code differs: a step that is still to be written has only the "
                         "kit's lines (--solution compares the complete steps)\n");
    if (style->width >= SIDE_BY_SIDE_WIDTH && !c->options.unified)
        ladder_diff_print_columns(&c->diff, CONTEXT, style, stdout);
    else ladder_diff_print(&c->diff, CONTEXT, style, stdout);
    if (c->sides[1].step->reason[0] != '\0') {
        fputs("\nwhy: ", stdout);
        kl_print_wrapped(stdout, style, 5, c->sides[1].step->reason);
    }
}

// Which input the counts are of: times of different work would not say which step is faster.
static void print_cases(const comparison *c, const kl_style *style) {
    const kl_problem *problem = c->lab->problem;
    char text[256], size[64];
    int left = c->sides[0].family, right = c->sides[1].family;
    if (left < 0 || right < 0) return;
    kl_size_text(problem, left, c->sides[0].size, size, sizeof size);
    const char *largest = c->options.size ? "" : ", the largest that both have";
    if (left == right)
        snprintf(text, sizeof text, "both steps on the case %s, %s%s\n",
                 problem->families[left].name, size, largest);
    else
        snprintf(text, sizeof text,
                 "step %d on the case %s, step %d on %s, for they have no case in common; %s%s\n",
                 c->sides[0].step->number, problem->families[left].name, c->sides[1].step->number,
                 problem->families[right].name, size, largest);
    kl_print_wrapped(stdout, style, 0, text);
}

static kl_status run(comparison *c, const ladder_arguments *arguments, kl_error *err) {
    TRY(read_sides(c, arguments, err));
    kl_style style = kl_style_for(stdout);
    bool to_stdout = kl_file_is_stdout(c->options.json);
    if (!to_stdout) {
        print_source(c, &style);
        fflush(stdout);
    }
    if (!c->options.source_only) TRY(profile_sides(c, err));
    if (!to_stdout && !c->options.source_only) {
        char names[2][16];
        for (int i = 0; i < 2; i++)
            snprintf(names[i], sizeof names[i], "step %d", c->sides[i].step->number);
        fputc('\n', stdout);
        print_cases(c, &style);
        ladder_profile_compare(c->sides[0].profile, names[0], c->sides[1].profile, names[1], &style,
                               stdout);
    }
    return c->options.json ? kl_file_put(c->options.json, write_json, c, err) : KL_OK;
}

int ladder_cmd_diff(int argc, char **argv) {
    comparison c = {.options = {.size = NULL}};
    diff_options *o = &c.options;
    const ladder_option options[] = {
        OPT_FLAG("--solution", &o->solution, "the complete steps instead of yours"),
        OPT_FLAG("--source-only", &o->source_only, "do not run the steps"),
        OPT_FLAG("--unified", &o->unified, "one below the other on any terminal"),
        OPT_TEXT("--size", &o->size, "N", "another size than the largest that both steps have"),
        OPT_TEXT("--case", &o->family, "NAME", "another kind of input"),
        OPT_TEXT("--json", &o->json, "FILE", "the difference as JSON (- is standard output)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    if (arguments.count != 3)
        return ladder_command_no_step(argv[0], &arguments, "a lab and two steps",
                                      "which two steps");
    kl_error err = {KL_OK, ""};
    kl_status status = run(&c, &arguments, &err);
    for (int i = 0; i < 2; i++) {
        if (c.sides[i].profile) ladder_profile_free(c.sides[i].profile);
        free(c.sides[i].profile);
        free(c.sides[i].text);
    }
    ladder_diff_free(&c.diff);
    return status == KL_OK ? LADDER_EXIT_OK : ladder_command_fail(argv[0], &err);
}
