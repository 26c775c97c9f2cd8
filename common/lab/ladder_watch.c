// Below the ladder: the number that each step is about, before -> yours -> target, and against what
// the gains are. What the run itself does not have comes from earlier ones (past_runs.c).
#include "ladder.h"

// The step before `number` in the lab's order that has case m of the plan, or NULL.
static const kl_step_info *step_before(const kl_ladder *ladder, int number, int m) {
    const kl_problem *problem = ladder->problem;
    const kl_step_info *before = NULL;
    if (m < 0) return NULL;
    int family = ladder->plan->cases[m].data.shape.family;
    for (int i = 0; i < problem->step_count && problem->steps[i].number != number; i++)
        if (kl_problem_serves(problem, family, problem->steps[i].number))
            before = &problem->steps[i];
    return before;
}

// The case at which a step is timed.
static const kl_case *timed_case(const kl_ladder *ladder, int number) {
    int m = ladder->plan->main_of[1 + number];
    return m >= 0 ? &ladder->plan->cases[m].data.shape : NULL;
}

static kl_past_key key_of(const kl_ladder *ladder, int number, int m) {
    const kl_case *shape = &ladder->plan->cases[m].data.shape;
    return (kl_past_key){.device = &ladder->device,
                         .solution = ladder->solution,
                         .step = number,
                         .family = ladder->problem->families[shape->family].name,
                         .size = shape->size};
}

static const kl_ladder_step *step_of(const kl_ladder *ladder, int number) {
    for (int i = 0; i < ladder->count; i++)
        if (ladder->steps[i].number == number) return &ladder->steps[i];
    return NULL;
}

// A step of this run: what it gave at case m of the plan, of the kind that is kept. Of a case that
// is not timed there are only counts.
static kl_past_run present_at(const kl_ladder_step *step, int m) {
    kl_past_run run = {.state = KL_PAST_NONE, .time_us = NAN};
    if (m < 0 || step->state != LADDER_CORRECT) return run;
    const kl_case_result *result = &step->cases[m];
    if (!isfinite(result->time_us.mid) && result->counts.count == 0) return run;
    run.state = KL_PAST_KNOWN;
    run.time_us = result->time_us.mid;
    run.counts = result->counts;
    return run;
}

static kl_past_run present(const kl_ladder *ladder, const kl_ladder_step *step) {
    return present_at(step, ladder->plan->main_of[1 + step->number]);
}

void kl_ladder_known_at(const kl_ladder *ladder, int number, int m, kl_past_run *out_run) {
    const kl_ladder_step *here = step_of(ladder, number);
    *out_run = (kl_past_run){.state = KL_PAST_NONE, .time_us = NAN};
    if (here) *out_run = present_at(here, m);
    if (here || ladder->past_file[0] == '\0') return;
    kl_past_key key = key_of(ladder, number, m);
    kl_past_find(ladder->past_file, ladder->step_folder, &key, out_run);
}

static void before_at(const kl_ladder *ladder, int number, int m,
                      kl_ladder_before_step *out_before) {
    kl_ladder_before_step *b = out_before;
    *b = (kl_ladder_before_step){.run = {.state = KL_PAST_NONE, .time_us = NAN}};
    b->info = number >= 0 ? step_before(ladder, number, m) : NULL;
    if (!b->info) return;
    const kl_ladder_step *here = step_of(ladder, b->info->number);
    b->in_this_run = here;
    // Of the same case as the later step, which may not be the one before's own.
    kl_ladder_known_at(ladder, b->info->number, m, &b->run);
}

void kl_ladder_before(const kl_ladder *ladder, int number, kl_ladder_before_step *out_before) {
    before_at(ladder, number, number >= 0 ? ladder->plan->main_of[1 + number] : -1, out_before);
}

kl_status kl_ladder_keep_at(const kl_ladder *ladder, const kl_ladder_step *step, int m,
                            kl_error *err) {
    kl_past_run run = present_at(step, m);
    if (run.state != KL_PAST_KNOWN) return KL_OK;
    kl_past_key key = key_of(ladder, step->number, m);
    return kl_past_keep(ladder->past_file, ladder->step_folder, &key, run.time_us, &run.counts,
                        err);
}

kl_status kl_ladder_keep(const kl_ladder *ladder, kl_error *err) {
    const kl_problem *problem = ladder->problem;
    for (int i = 0; ladder->past_file[0] != '\0' && i < ladder->count; i++) {
        const kl_ladder_step *step = &ladder->steps[i];
        TRY(kl_ladder_keep_at(ladder, step, ladder->plan->main_of[1 + step->number], err));
        for (int k = 0; k < problem->watch_count; k++)
            if (problem->watches[k].family[0] != '\0')
                TRY(kl_ladder_keep_at(ladder, step,
                                      kl_plan_watched(ladder->plan, &problem->watches[k]), err));
    }
    return KL_OK;
}

// The value of a number to watch; NaN when it is not known.
static double kl_watch_value(const kl_watch *watch, const kl_counts *counts, const kl_case *shape) {
    double over = kl_counts_sum(counts, watch->counter);
    double under = watch->per[0] == '\0'                ? 1
                   : strcmp(watch->per, "element") == 0 ? (double)shape->size
                   : strcmp(watch->per, "outputs") == 0 ? (double)shape->outputs[0].elems
                   : strcmp(watch->per, "product") == 0 ? shape->work_ops / 2
                                                        : kl_counts_sum(counts, watch->per);
    return counts->count > 0 && under > 0 ? watch->scale * over / under : NAN;
}

static const char *value_text(double value, char text[32]) {
    if (!isfinite(value)) snprintf(text, 32, "-");
    else if (value >= 99999.5) kl_format_count(value, text, 32);
    else if (value >= 99.95) kl_format_grouped((long long)(value + 0.5), text, 32);
    else snprintf(text, 32, "%.3g", value);
    return text;
}

static void value_cell(kl_table *table, int row, int column, double value) {
    char text[32];
    kl_table_cell(table, row, column, isfinite(value) ? KL_PLAIN : KL_DIM, "%s",
                  value_text(value, text));
}

// A number to watch: in the step before, in this run's step, and what it is to be.
typedef struct watched {
    double before, yours, target; // NaN where it is not known
} watched;

// False when this run has no counts of it.
static bool look_at(const kl_ladder *ladder, const kl_watch *watch, watched *out) {
    const kl_ladder_step *step = step_of(ladder, watch->step);
    int m = kl_plan_watched(ladder->plan, watch);
    kl_past_run run = step ? present_at(step, m) : (kl_past_run){.state = KL_PAST_NONE};
    if (run.counts.count == 0) return false;
    kl_ladder_before_step before;
    before_at(ladder, watch->step, m, &before);
    const kl_case *shape = &ladder->plan->cases[m].data.shape;
    out->before = kl_watch_value(watch, &before.run.counts, shape);
    out->yours = kl_watch_value(watch, &run.counts, shape);
    out->target = kl_watch_target(ladder->problem, watch, shape->family, shape->size);
    return true;
}

static void print_table(const kl_ladder *ladder, const kl_style *style, FILE *out) {
    kl_table *table = calloc(1, sizeof *table);
    if (!table) return;
    kl_table_column(table, "step", KL_RIGHT);
    kl_table_column(table, "number to watch", KL_LEFT);
    kl_table_column(table, "before", KL_RIGHT);
    kl_table_column(table, "yours", KL_RIGHT);
    kl_table_column(table, "target", KL_RIGHT);
    for (int i = 0; i < ladder->problem->watch_count; i++) {
        const kl_watch *watch = &ladder->problem->watches[i];
        watched w;
        if (!look_at(ladder, watch, &w)) continue;
        int row = kl_table_row(table);
        kl_table_cell(table, row, 0, KL_PLAIN, "%d", watch->step);
        kl_table_cell(table, row, 1, KL_PLAIN, "%s", watch->text);
        value_cell(table, row, 2, w.before);
        value_cell(table, row, 3, w.yours);
        value_cell(table, row, 4, w.target);
    }
    if (table->rows > 0) {
        fputc('\n', out);
        kl_table_print(table, style, out);
    }
    free(table);
}

bool kl_watch_missed(double before, double now, double target) {
    const double near = 0.05; // of the target: what a size that is no power of two moves
    if (!isfinite(before) || !isfinite(now) || !isfinite(target) || before == target) return false;
    return before > target ? now > target * (1 + near) : now < target * (1 - near);
}

// A right step that does not reach its number has not done what it is about.
static void print_missed(const kl_ladder *ladder, const kl_style *style, FILE *out) {
    for (int i = 0; i < ladder->problem->watch_count && !ladder->solution; i++) {
        const kl_watch *watch = &ladder->problem->watches[i];
        const kl_step_info *info = kl_problem_step(ladder->problem, watch->step);
        char text[400], reached[32], wanted[32];
        watched w;
        if (!info || info->given || !look_at(ladder, watch, &w) ||
            !kl_watch_missed(w.before, w.yours, w.target))
            continue;
        snprintf(
            text, sizeof text,
            "warning: step %d misses its target: %.120s: %s instead of %s. It is right, but not "
            "yet what the step is about: ./ladder hint %.40s %d",
            watch->step, watch->text, value_text(w.yours, reached), value_text(w.target, wanted),
            ladder->problem->name, watch->step);
        fputc('\n', out);
        kl_print_wrapped(out, style, 2, text);
    }
}

// "./ladder run reduction 2 --size 1048576": the run that gives the figures of the step before.
static void command_for(const kl_ladder *ladder, int number, int before, char *text,
                        size_t text_bytes) {
    const kl_case *shape = timed_case(ladder, number);
    snprintf(
        text, text_bytes, "./ladder run %s %d%s%s%s --size %lld%s", ladder->problem->name, before,
        ladder->solution ? " --solution" : "",
        strcmp(ladder->problem->timed_family, ladder->problem->families[shape->family].name) == 0
            ? ""
            : " --case ",
        strcmp(ladder->problem->timed_family, ladder->problem->families[shape->family].name) == 0
            ? ""
            : ladder->problem->families[shape->family].name,
        (long long)shape->size, ladder->device.simulated ? " --device sim" : " --device gpu");
}

// For steps whose step before is not in this run: where its figures come from.
static void print_origins(const kl_ladder *ladder, const kl_style *style, FILE *out) {
    for (int i = 0; i < ladder->count; i++) {
        const kl_ladder_step *step = &ladder->steps[i];
        char command[200], text[512];
        kl_ladder_before_step before;
        kl_ladder_before(ladder, step->number, &before);
        bool timed = present(ladder, step).state == KL_PAST_KNOWN;
        if (!timed || !before.info || before.in_this_run) continue;
        command_for(ladder, step->number, before.info->number, command, sizeof command);
        if (before.run.state == KL_PAST_KNOWN)
            snprintf(text, sizeof text,
                     "step %d's figures for step %d are those of its last run on this device",
                     before.info->number, step->number);
        else
            snprintf(text, sizeof text, "no figures of step %d to compare step %d with%s: %s",
                     before.info->number, step->number,
                     before.run.state == KL_PAST_STALE ? " since its file changed" : "", command);
        fputc('\n', out);
        kl_print_wrapped(out, style, 2, text);
    }
}

void kl_ladder_print_watch(const kl_ladder *ladder, const kl_style *style, FILE *out) {
    if (ladder->plan->main_case < 0) return; // nothing was timed
    print_table(ladder, style, out);
    print_missed(ladder, style, out);
    if (ladder->past_file[0] != '\0') print_origins(ladder, style, out);
}
