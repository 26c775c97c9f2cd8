// ladder calibrate: what the kit's solution reaches on this card, and the speed thresholds that
// follow (grade/speed/speed.h).
#include "commands/command.h"
#include "grade/points/counts.h"
#include "grade/run/grade_submission.h"
#include "grade/speed/speed.h"
#include "json.h"

static const ladder_usage usage = {
    "ladder calibrate LAB [options]",
    "Times the steps of the kit's solution on this machine's GPU as `ladder grade` times a\n"
    "submission's, and proposes the speed thresholds of this card: all points from the\n"
    "geometric mean of the step's gain and the gain of an earlier step on; no points up to\n"
    "a quarter of the way between both. A gain below 1.15 is too small to be graded.\n"
    "With --write they are kept in labs/LAB/thresholds/, in a file with the card's name, and\n"
    "`ladder grade` uses them on this card from then on; delete the file to go back to the\n"
    "rubric's. About 20 s per speed criterion. Each is kept as soon as it is measured, in a\n"
    "file beside it that ends in .part: after an interruption the same command\n"
    "continues from there.",
    "  ladder calibrate reduction\n"
    "  ladder calibrate reduction --write",
};

typedef struct calibration {
    const ladder_lab *lab;
    ladder_kit kit;
    ladder_grade_plan plan;
    ladder_cases cases;
    ladder_thresholds made;
    ladder_thresholds before;  // rows of a calibration that was stopped
    bool write;                // keep what is measured
    char path[LADDER_PATH];    // of the file of this lab and card
    char part[LADDER_PATH];    // of the rows so far
    ladder_step_result result; // of the steps that are timed; nothing of it is shown
    char work[LADDER_PATH];    // private, with what is built; "" until it is made
    char run[LADDER_PATH];     // in it, empty: all that a step may see
    bool progress;
} calibration;

static void show(void *context, int step, const char *what) {
    (void)step;
    const calibration *c = context;
    if (c->progress) fprintf(stderr, "\r\033[K%s", what);
}

static kl_status set_up(calibration *c, const char *device, kl_error *err) {
    ladder_gpu card;
    bool failed = false;
    uint64_t seed = 0;
    TRY(ladder_kit_find(&c->kit, err));
    TRY(ladder_device_choose(device, err));
    if (!ladder_device_may_be_gpu(device) || !ladder_gpu_find(&card)) {
        return kl_fail(
            err, KL_ERROR_SYSTEM,
            "no usable GPU here, and thresholds are measured on one; see: ./ladder doctor");
    }
    TRY(ladder_kit_build_adapter(&c->kit, c->lab, &failed, err));
    if (failed) return kl_fail(err, KL_ERROR_SYSTEM, "the lab's own files do not build");
    c->plan = (ladder_grade_plan){.kit = &c->kit,
                                  .lab = c->lab,
                                  .cases = &c->cases,
                                  .gpu = true,
                                  .card = card,
                                  .build_s = LADDER_BUILD_SECONDS,
                                  .case_s = LADDER_CASE_SECONDS};
    TRY(ladder_rubric_check(c->lab->rubric, c->lab->problem, ladder_counter_known, err));
    TRY(ladder_secret_seed(&seed, err));
    c->cases = (ladder_cases){.lab = c->lab, .seed = seed};
    TRY(ladder_folder_temporary(c->work, err));
    TRY(ladder_path(c->run, err, "%s/run", c->work));
    TRY(ladder_folder_make(c->run, err));
    snprintf(c->made.lab, sizeof c->made.lab, "%s", c->lab->folder);
    ladder_rubric_speed_hash(c->lab->rubric, c->made.rubric);
    snprintf(c->made.card, sizeof c->made.card, "%s", card.name);
    show(c, 0, "making the inputs");
    return ladder_cases_make_speed(&c->cases, err);
}

// Times one step of the solution against another. The threshold asks for no decision: as many pairs
// of processes as there must be.
static kl_status time_steps(calibration *c, const ladder_criterion *criterion, int step,
                            ladder_speed *out_speed, kl_error *err) {
    char over[LADDER_PATH], object[LADDER_PATH];
    show(c, 0, "building");
    TRY(ladder_grade_build_solution(&c->plan, criterion->over, c->work, over, err));
    TRY(ladder_grade_build_solution(&c->plan, step, c->work, object, err));
    const ladder_submission_run run = {.plan = &c->plan,
                                       .progress = show,
                                       .context = c,
                                       .step = ladder_rubric_find(c->lab->rubric, step),
                                       .object = object,
                                       .step_folder = c->run,
                                       .step_result = &c->result};
    const ladder_comparison comparison = {.run = &run,
                                          .criterion = criterion,
                                          .threshold = {1, 1},
                                          .baseline_object = over,
                                          .tolerance = LADDER_SPEED_TOLERANCE,
                                          .pairs_least = LADDER_RATIOS};
    return ladder_compare_speed(&comparison, out_speed, err);
}

// Whether a step can be right in another's place: it has every family that that one has.
static bool serves_all(const kl_problem *problem, int step, int slot) {
    for (int f = 0; f < problem->family_count; f++)
        if (kl_problem_serves(problem, f, slot) && !kl_problem_serves(problem, f, step))
            return false;
    return true;
}

// What the best earlier step gains already. Counts of the step close its speed criteria to earlier
// ones; without them each is timed.
static kl_status find_naive(calibration *c, const ladder_rubric_step *row,
                            const ladder_criterion *criterion, double *out_naive, kl_error *err) {
    const ladder_rubric *rubric = c->lab->rubric;
    *out_naive = 1;
    for (const ladder_rubric_step *other = rubric->steps;
         other < row && !ladder_rubric_has_counts(row); other++) {
        ladder_speed speed;
        if (other->step == criterion->over || !serves_all(c->lab->problem, other->step, row->step))
            continue;
        TRY(time_steps(c, criterion, other->step, &speed, err));
        *out_naive = fmax(*out_naive, speed.ratio.high);
    }
    return KL_OK;
}

static void print_row(const ladder_calibrated *row, const ladder_criterion *criterion) {
    printf("%4d  %4d  %-12.12s %11" PRId64 "  %6.3g  %6.3g .. %-6.3g  ", row->step, row->over,
           row->family, row->size, row->naive, row->gain.low, row->gain.high);
    if (row->left_out) printf("%13s", "not graded");
    else printf("%6.3g %6.3g", row->threshold.full, row->threshold.zero);
    printf("  %6.3g %6.3g  %.3f .. %.3f  %4.0f s\n", criterion->full, criterion->zero,
           row->itself.low, row->itself.high, row->seconds);
    fflush(stdout);
}

static kl_status measure_criterion(calibration *c, const ladder_rubric_step *row,
                                   const ladder_criterion *criterion, ladder_calibrated *made,
                                   kl_error *err) {
    ladder_speed speed;
    TRY(time_steps(c, criterion, row->step, &speed, err));
    *made = (ladder_calibrated){.step = row->step,
                                .over = criterion->over,
                                .size = criterion->size,
                                .gain = speed.ratio,
                                .itself = speed.same,
                                .seconds = speed.seconds};
    snprintf(made->family, sizeof made->family, "%s", criterion->family);
    TRY(find_naive(c, row, criterion, &made->naive, err));
    made->left_out = !ladder_threshold_propose(made->naive, made->gain.low, &made->threshold);
    return KL_OK;
}

static kl_status calibrate_criterion(calibration *c, const ladder_rubric_step *row,
                                     const ladder_criterion *criterion, kl_error *err) {
    if (c->made.count == LADDER_CALIBRATED_MAX)
        return kl_fail(err, KL_ERROR_LIMIT, "the rubric has too many speed criteria");
    ladder_calibrated *made = &c->made.rows[c->made.count];
    const ladder_calibrated *before = ladder_thresholds_find(&c->before, row->step, criterion);
    if (before) *made = *before;
    else TRY(measure_criterion(c, row, criterion, made, err));
    c->made.count++;
    if (c->progress) fputs("\r\033[K", stderr);
    print_row(made, criterion);
    if (before || !c->write) return KL_OK;
    return ladder_thresholds_write(&c->made, c->part, true, err);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const calibration *c = context;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.calibrate/1 lab %s card %s criteria [",
                c->lab->problem->name, c->made.card);
    for (int i = 0; i < c->made.count; i++) {
        const ladder_calibrated *row = &c->made.rows[i];
        kl_json_put(&json,
                    "{step %d over %d family %s size %ld naive %g gain %g gain_low %g "
                    "gain_high %g itself_low %g itself_high %g full %g zero %g seconds %g}",
                    row->step, row->over, row->family, row->size, row->naive, row->gain.mid,
                    row->gain.low, row->gain.high, row->itself.low, row->itself.high,
                    row->left_out ? NAN : row->threshold.full,
                    row->left_out ? NAN : row->threshold.zero, row->seconds);
    }
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

// What an earlier run has left. Rows of another version of the rubric are of no use.
static kl_status take_before(calibration *c, kl_error *err) {
    if (!c->write) return KL_OK;
    kl_status status = ladder_thresholds_read(c->part, true, c->lab, c->made.card, &c->before, err);
    if (status == KL_ERROR_INPUT) {
        c->before.count = 0;
        return KL_OK;
    }
    TRY(status);
    if (c->before.count > 0)
        printf("%d of them measured before, by a run that was stopped\n\n", c->before.count);
    return KL_OK;
}

static kl_status calibrate(calibration *c, const char *device, kl_error *err) {
    const ladder_rubric *rubric = c->lab->rubric;
    TRY(set_up(c, device, err));
    TRY(ladder_thresholds_path(&c->kit, c->lab, c->made.card, c->path, err));
    TRY(ladder_thresholds_part(c->path, c->part, err));
    printf("Lab %s on %s\n\n", c->lab->folder, c->made.card);
    TRY(take_before(c, err));
    printf("                                              gain            this card       rubric   "
           "  against itself\n");
    printf("step  over  case                size   naive  95 %% interval     full   zero    full   "
           "zero   95 %% interval   time\n");
    for (int s = 0; s < rubric->step_count; s++) {
        const ladder_rubric_step *row = &rubric->steps[s];
        for (int i = 0; i < row->criteria_count; i++)
            if (row->criteria[i].kind == LADDER_CRITERION_SPEED)
                TRY(calibrate_criterion(c, row, &row->criteria[i], err));
    }
    if (c->made.count == 0) {
        printf("the rubric of this lab gives no points for speed: nothing to calibrate\n");
        return KL_OK;
    }
    if (!c->write) {
        printf("\nnot kept; with --write `ladder grade` uses these on this card\n");
        return KL_OK;
    }
    TRY(ladder_thresholds_write(&c->made, c->path, false, err));
    unlink(c->part);
    printf("\nkept in %s: `ladder grade` uses these on this card\n", c->path);
    return KL_OK;
}

int ladder_cmd_calibrate(int argc, char **argv) {
    const char *device = "auto";
    const char *json = NULL;
    bool write = false;
    const ladder_option options[] = {
        OPT_CHOICE("--device", &device, "NAME", "gpu, the default and the only one",
                   ladder_device_words),
        OPT_TEXT("--json", &json, "FILE", "what was measured, as JSON"),
        OPT_FLAG("--write", &write, "keep the thresholds for this card"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    if (arguments.count != 1) {
        return ladder_command_misused(
            argv[0], "expected one lab, for example: ./ladder calibrate reduction");
    }
    kl_error err = {KL_OK, ""};
    calibration *c = calloc(1, sizeof *c);
    if (!c) return LADDER_EXIT_FAILED;
    c->progress = isatty(STDERR_FILENO) != 0;
    kl_status status = ladder_lab_require(arguments.positional[0], &c->lab, &err);
    c->write = write;
    if (status == KL_OK) status = calibrate(c, device, &err);
    if (status == KL_OK && json) status = kl_file_put(json, write_json, c, &err);
    if (c->progress) fputs("\r\033[K", stderr);
    if (c->work[0] != '\0') ladder_folder_remove(c->work);
    ladder_cases_free(&c->cases);
    free(c);
    return status == KL_OK ? LADDER_EXIT_OK : ladder_command_fail(argv[0], &err);
}
