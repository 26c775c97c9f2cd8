// What a run shows on a terminal: the ladder table with what stands below it, and the failures.
#include "ladder.h"
#include "outcome.h"

enum { COMPILED_MAJOR = 9 }; // compute capability that steps are compiled for without a GPU

static double main_time(const kl_ladder *ladder, const kl_ladder_step *step) {
    int m = ladder->plan->main_of[1 + step->number];
    return m >= 0 && step->state == LADDER_CORRECT ? step->cases[m].time_us.mid : NAN;
}

static void gain_cell(kl_table *table, int row, int column, double before, double now) {
    char text[32];
    double gain = before / now;
    kl_table_cell(table, row, column, gain < 0.995 ? KL_BAD : KL_PLAIN, "%s",
                  kl_format_factor(gain, text, sizeof text));
}

enum ladder_column {
    COL_STEP,
    COL_NAME,
    COL_OK,
    COL_TIME,
    COL_RATE,
    COL_CEILING,
    COL_GAIN,
    COL_TOTAL,
    COL_REASON
};

// The outcome; of correct results the checker may have found something.
static void state_cell(kl_table *table, int row, const kl_ladder_step *step) {
    const kl_side_check *check = step->check;
    bool found = check && check->findings > 0 && step->state == LADDER_CORRECT;
    kl_tone tone = step->state == LADDER_NOT_IMPLEMENTED     ? KL_DIM
                   : step->state == LADDER_CORRECT && !found ? KL_GOOD
                                                             : KL_BAD;
    kl_table_cell(table, row, COL_OK, tone, "%s",
                  ladder_outcome_word(found ? LADDER_FINDING : step->state));
}

static void add_step_row(kl_table *table, const kl_ladder *ladder, const kl_ladder_step *step,
                         double previous_us, double first_us) {
    int row = kl_table_row(table);
    char text[32];
    if (step->number >= 0) kl_table_cell(table, row, COL_STEP, KL_PLAIN, "%d", step->number);
    kl_table_cell(table, row, COL_NAME, KL_PLAIN, "%s", step->name);
    state_cell(table, row, step);
    double us = main_time(ladder, step);
    if (isfinite(us)) {
        double rate = kl_ladder_rate(ladder, step, ladder->plan->main_of[1 + step->number]);
        double part = 100.0 * kl_ladder_share(ladder, step);
        kl_table_cell(table, row, COL_TIME, KL_PLAIN, "%s", kl_format_us(us, text, sizeof text));
        if (isfinite(rate)) // 0 us have none
            kl_table_cell(table, row, COL_RATE, KL_PLAIN, "%s",
                          kl_format_rate(rate, text, sizeof text));
        if (isfinite(part)) {
            kl_table_cell(table, row, COL_CEILING, KL_PLAIN, part < 9.95 ? "%.1f%%" : "%.0f%%",
                          part);
        }
        gain_cell(table, row, COL_GAIN, previous_us, us);
        gain_cell(table, row, COL_TOTAL, first_us, us);
    }
    kl_table_cell(table, row, COL_REASON, KL_PLAIN, "%s", step->reason);
}

// Whether case `at` of the plan is the one whose time step i has in the table.
static bool stands_for(const kl_ladder *ladder, int i, int at) {
    return ladder->plan->main_of[1 + ladder->steps[i].number] == at &&
           isfinite(main_time(ladder, &ladder->steps[i]));
}

// One line each for the cases of steps that do not have the run's main one.
static void print_other_cases(const kl_ladder *ladder, FILE *out) {
    bool said[KL_PLAN_MAX] = {false};
    said[ladder->plan->main_case] = true;
    for (int i = 0; i < ladder->count; i++) {
        int at = ladder->plan->main_of[1 + ladder->steps[i].number];
        if (at < 0 || said[at] || !isfinite(main_time(ladder, &ladder->steps[i]))) continue;
        bool several = false;
        for (int k = i + 1; k < ladder->count; k++) several |= stands_for(ladder, k, at);
        fprintf(out, "          %s (step%s", ladder->plan->cases[at].title, several ? "s" : "");
        const char *before = " ";
        for (int k = i; k < ladder->count; k++) {
            if (!stands_for(ladder, k, at)) continue;
            fprintf(out, "%s%d", before, ladder->steps[k].number);
            before = ", ";
        }
        fprintf(out, ")\n");
        said[at] = true;
    }
}

void kl_ladder_print_title(const kl_ladder *ladder, const kl_style *style, FILE *out) {
    kl_print_text(out, style, 2, "%s, %s%s, on %s", ladder->problem->title, ladder->problem->folder,
                  ladder->solution ? " (solution)" : "", ladder->device.name);
    fputc('\n', out);
}

static void print_device(const kl_ladder *ladder, FILE *out) {
    const kl_device *d = &ladder->device;
    const kl_ceilings *c = &ladder->ceilings;
    fprintf(out, "device    %s, %d SMs\n", d->name, d->multiprocessors);
    if (d->simulated && d->capability_major < COMPILED_MAJOR)
        fprintf(out,
                "          compute capability %d.%d; machine code and instruction counts are\n"
                "          those of %d.0, for which the kernels were compiled\n",
                d->capability_major, d->capability_minor, COMPILED_MAJOR);
    if (isfinite(c->read_gbs)) {
        fprintf(out, "ceilings  read %.0f GB/s, copy %.0f GB/s, launch %.1f us (%s)\n", c->read_gbs,
                c->copy_gbs, c->launch_us, d->simulated ? "modelled" : "measured");
        if (ladder->problem->ceiling == KL_CEILING_LINK)
            fprintf(out, "          link to the host, both ways at once, %.0f GB/s\n", c->link_gbs);
        if (ladder->problem->ceiling == KL_CEILING_FMA)
            fprintf(out, "          multiply-add %.1f TFLOP/s\n", c->fma_tflops);
        if (ladder->problem->ceiling == KL_CEILING_TENSOR && isfinite(c->tensor_tflops))
            fprintf(out, "          tensor cores, 16-bit elements, %.0f TFLOP/s\n",
                    c->tensor_tflops);
    }
}

// What a gain is of that cannot be had at the step's case in the table.
static void print_shared(const kl_ladder *ladder, const kl_style *style, FILE *out) {
    for (int i = 0; i < ladder->count; i++) {
        const kl_ladder_step *s = &ladder->steps[i];
        char given[32], own[32];
        if (s->given_at < 0) continue;
        fputc('\n', out);
        kl_print_text(out, style, 2,
                      "the gain of step %d is that at %s, the largest case of the given step "
                      "before: %s instead of %s",
                      s->number, ladder->plan->cases[s->given_at].title,
                      kl_format_us(s->own_us, own, sizeof own),
                      kl_format_us(s->given_us, given, sizeof given));
    }
}

static void print_heading(const kl_ladder *ladder, bool all, FILE *out) {
    const kl_device *d = &ladder->device;
    fputc('\n', out);
    if (all) print_device(ladder, out);
    if (ladder->plan->main_case >= 0) {
        fprintf(out, "time at   %s (%s)\n", ladder->plan->cases[ladder->plan->main_case].title,
                d->simulated ? "modelled: kernels, copies and fills" : "measured, median");
        print_other_cases(ladder, out);
    }
    fprintf(out, "\n");
}

static void print_reasons(const kl_ladder *ladder, const kl_style *style, FILE *out) {
    fprintf(out, "\n");
    for (int i = 0; i < ladder->count; i++) {
        fprintf(out, "%4d  ", ladder->steps[i].number);
        kl_print_wrapped(out, style, 6, ladder->steps[i].reason);
    }
}

static void add_columns(kl_table *table, const kl_ladder *ladder, const kl_ladder_unit *unit,
                        bool timed) {
    kl_table_column(table, "step", KL_RIGHT);
    kl_table_column(table, "name", KL_LEFT);
    kl_table_column(table, "outcome", KL_LEFT);
    if (!timed) return;
    kl_table_column(table, ladder->device.simulated ? "modelled" : "measured", KL_RIGHT);
    kl_table_column(table, unit->rate, KL_RIGHT);
    kl_table_column(table, unit->share, KL_RIGHT);
    kl_table_column(table, "gain", KL_RIGHT);
    kl_table_column(table, "total", KL_RIGHT);
    kl_table_column(table, "why", KL_LEFT);
}

static void add_rows(kl_table *table, const kl_ladder *ladder, bool all) {
    for (int i = 0; i < ladder->count + ladder->has_vendor; i++) {
        const kl_ladder_step *s = i < ladder->count ? &ladder->steps[i] : &ladder->vendor;
        kl_ladder_before_step before;
        if (!all && !isfinite(main_time(ladder, s))) continue;
        kl_ladder_before(ladder, s->number, &before);
        double first_us = kl_ladder_first_us(ladder, s);
        bool shared = s->given_at >= 0; // in units of this step's time at its own case
        double given_us = s->given_us / s->own_us * main_time(ladder, s);
        bool first = shared && s->number == ladder->problem->steps[1].number;
        add_step_row(table, ladder, s, shared ? given_us : before.run.time_us,
                     first ? given_us : first_us);
    }
}

// What the results and times of the table are worth.
static void print_worth(const kl_ladder *ladder, const kl_style *style, FILE *out) {
    double sums[5] = {0};
    char text[1024];
    for (int i = 0; i < ladder->count; i++) {
        int m = ladder->plan->main_of[1 + ladder->steps[i].number];
        bool shown = m >= 0 && kl_ladder_acceptable(&ladder->steps[i]);
        if (!shown || ladder->steps[i].cases[m].counts.count == 0) continue;
        for (int k = 0; k < 5; k++)
            sums[k] += kl_counts_sum(&ladder->steps[i].cases[m].counts, kl_worth_counters[k]);
    }
    const kl_worth worth = {sums[0], sums[1], sums[2], sums[3], sums[4]};
    kl_worth_text(&worth, ladder->device.name, ladder->problem->name, text, sizeof text);
    if (text[0] == '\0') return;
    fputc('\n', out);
    kl_print_wrapped(out, style, 0, text);
}

void kl_ladder_print(const kl_ladder *ladder, bool all, const kl_style *style, FILE *out) {
    kl_table *table = calloc(1, sizeof *table);
    if (!table) {
        fprintf(out, "no memory for the table\n");
        return;
    }
    const kl_ladder_unit unit = kl_ladder_unit_of(ladder);
    bool timed = ladder->plan->main_case >= 0;
    add_columns(table, ladder, &unit, timed);
    add_rows(table, ladder, all);
    bool reasons_fit = timed && all && kl_table_width(table) <= style->width;
    if (timed && !reasons_fit) table->columns--; // whole sentences below instead of half ones here
    if (table->rows > 0 && (all || timed)) {
        print_heading(ladder, all, out);
        kl_table_print(table, style, out);
        print_shared(ladder, style, out);
        if (all && !reasons_fit) print_reasons(ladder, style, out);
    }
    if (all) kl_ladder_print_counts(ladder, style, out);
    kl_ladder_print_watch(ladder, style, out);
    if (all) kl_ladder_print_sizes(ladder, &unit, style, out);
    print_worth(ladder, style, out);
    free(table);
}

// Whether what the result looks like misleads: a race may be all that is wrong. An index beyond
// what was written or is there may be the very mistake that the result shows.
static bool misleads(const kl_side_check *check) {
    static const char *const of_an_index[] = {"uninitialised ", "out-of-bounds "};
    for (int i = 0; i < 2; i++)
        if (strncmp(check->text, of_an_index[i], strlen(of_an_index[i])) == 0) return false;
    return true;
}

// What to do first.
static void print_hint(const kl_ladder_step *step, const kl_case_result *c, const kl_style *style,
                       FILE *out) {
    const kl_side_check *check = step->check;
    char text[KL_HINT_TEXT + 128];
    snprintf(text, sizeof text, "%s", c->verdict.hint);
    if (check && check->findings > 0 && (text[0] == '\0' || misleads(check)))
        snprintf(text, sizeof text, "first fix what the check found");
    if (text[0] == '\0') return;
    fprintf(out, "  hint      ");
    kl_print_wrapped(out, style, 12, text);
}

// Where a wrong element is, where no small case shows it.
static void print_values(const kl_case_result *c, const kl_case *shape, FILE *out) {
    const kl_verdict *v = &c->verdict;
    char value[64];
    bool later = c->call > 1;
    fprintf(out, "  where     %s[%llu]%s\n", shape->outputs[v->output].name,
            (unsigned long long)v->first_wrong,
            later ? ", in the second call; the first was right" : "");
    fprintf(out, "  expected  %s", kl_value_text(v->expected, value, sizeof value));
    if (v->bound > 0 && !isnan(v->expected)) fprintf(out, " within %.3g", v->bound);
    fprintf(out, "\n  got       %s\n", kl_value_text(v->got, value, sizeof value));
}

static void print_wrong(const kl_ladder_step *step, const kl_case_result *c,
                        const kl_small_case *small, const kl_case *shape, const kl_style *style,
                        FILE *out) {
    bool smallest = small && small->smallest;
    if (smallest) print_hint(step, c, style, out); // on the case in the line above
    if (smallest) fprintf(out, "  smallest  %s\n", small->title);
    if (small) kl_small_draw(small, style, 4, out);
    else print_values(c, shape, out);
    if (c->text[0] != '\0') {
        fprintf(out, "  said      ");
        kl_print_lines(out, style, 12, c->text);
    }
    if (!smallest) print_hint(step, c, style, out);
}

// The command that runs the case again.
static void print_again(const kl_ladder *ladder, const kl_ladder_step *step,
                        const kl_small_case *small, const kl_case *shape, const kl_style *style,
                        FILE *out) {
    enum { LABEL = 12, INDENT = 4 }; // a longer line begins below its label
    char number[24] = " --vendor", text[KL_RUN_TEXT];
    if (step->number >= 0) snprintf(number, sizeof number, " %d", step->number);
    int used = snprintf(text, sizeof text, "./ladder run %s%s%s", ladder->problem->name, number,
                        ladder->solution ? " --solution" : "");
    size_t left = sizeof text - (size_t)used;
    if (ladder->matrix_file) {
        snprintf(text + used, left, " --matrix %s --check-only", ladder->matrix_file);
    } else {
        bool is_small = small && small->smallest;
        snprintf(text + used, left, " --case %s --size %lld%s --check-only",
                 ladder->problem->families[is_small ? small->family : shape->family].name,
                 (long long)(is_small ? small->size : shape->size),
                 is_small && small->readable ? " --readable" : "");
    }
    bool fits = LABEL + (int)strlen(text) <= style->width;
    fprintf(out, "  again%s%*s%s\n", fits ? "" : "\n", fits ? LABEL - 7 : INDENT, "", text);
}

// A step that was changed and still says that it is not implemented.
static bool print_forgotten(const kl_ladder *ladder, const kl_ladder_step *step,
                            const kl_style *style, FILE *out) {
    char path[KL_RUN_TEXT], text[KL_RUN_TEXT + 32];
    int used = snprintf(text, sizeof text, "step %d: ", step->number);
    if (!kl_step_source(ladder->step_folder, step->number, path, sizeof path) ||
        !kl_step_file_forgotten(path, text + used, sizeof text - (size_t)used))
        return false;
    fputc('\n', out);
    kl_print_wrapped(out, style, 0, text);
    return true;
}

// For an editor's list of problems, which lists lines of files.
static void print_for_editor(const kl_ladder *ladder, const kl_ladder_step *step, FILE *out) {
    char path[KL_RUN_TEXT], text[KL_RUN_TEXT];
    if (!getenv("LADDER_EDITOR") ||
        !kl_step_source(ladder->step_folder, step->number, path, sizeof path))
        return;
    kl_ladder_verdict(ladder, step, text, sizeof text);
    fprintf(out, "%s:1: error: %.*s\n", path, (int)strcspn(text, "\n"), text);
}

void kl_ladder_print_failure(const kl_ladder *ladder, const kl_ladder_step *step,
                             const kl_style *style, FILE *out) {
    fprintf(out, "step %d %s: %s\n", step->number, step->name, ladder_outcome_word(step->state));
    if (step->bad_case < 0) {
        fprintf(out, "  ");
        kl_print_wrapped(out, style, 2, step->text);
        print_for_editor(ladder, step, out);
        return;
    }
    const kl_case_result *c = &step->cases[step->bad_case];
    const kl_case *shape = &ladder->plan->cases[step->bad_case].data.shape;
    const kl_small_case *small = kl_ladder_small(step);
    fprintf(out, "  case      %s\n", ladder->plan->cases[step->bad_case].title);
    if (c->state == LADDER_WRONG_ANSWER) {
        print_wrong(step, c, small, shape, style, out);
    } else {
        fprintf(out, "  error     ");
        kl_print_lines(out, style, 12, step->text);
    }
    print_again(ladder, step, small, shape, style, out);
    print_for_editor(ladder, step, out);
}

static void print_failure(const kl_ladder *ladder, const kl_ladder_step *step,
                          const kl_style *style, FILE *out) {
    if (kl_ladder_acceptable(step)) return;
    if (step->state == LADDER_NOT_RUN && step->text[0] == '\0')
        return; // none of the cases is its own
    fputc('\n', out);
    kl_ladder_print_failure(ladder, step, style, out);
}

void kl_ladder_print_failures(const kl_ladder *ladder, kl_part part, const kl_style *style,
                              FILE *out) {
    bool unwritten = false, late = part == KL_LARGE;
    for (int i = 0; i < ladder->count; i++) {
        const kl_ladder_step *step = &ladder->steps[i];
        if (late && !step->large_run) continue;
        if (step->state == LADDER_NOT_IMPLEMENTED && !print_forgotten(ladder, step, style, out))
            unwritten = true;
        if (step->state == LADDER_COMPILE_ERROR && ladder->built_beside)
            continue; // the row is enough
        print_failure(ladder, step, style, out);
    }
    if (ladder->has_vendor && (!late || ladder->vendor.large_run))
        print_failure(ladder, &ladder->vendor, style, out);
    if (unwritten) {
        fputc('\n', out);
        kl_print_wrapped(out, style, 0,
                         "A step counts as implemented when its file sets IMPLEMENTED to 1.");
    }
}
