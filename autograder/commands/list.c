// ladder list: labs, steps, points, and how far one has come.
#include "commands/command.h"
#include "course/class/class.h"
#include "grade/submission/submission.h"
#include "learn/extras/extras.h"

static const ladder_usage usage = {
    "ladder list [LAB] [options]",
    "One row per lab: how many of your steps you have edited, how many were correct in\n"
    "your last `ladder grade`, and what it gave. With LAB its steps: \"not implemented\" as\n"
    "handed out; \"edited\": you have changed the file; otherwise the verdict of your last\n"
    "`ladder grade`. predicted: \"yes\" before the first run, \"part\" of the numbers, or\n"
    "\"late\".",
    "  ladder list\n"
    "  ladder list reduction",
};

typedef enum step_state {
    STEP_GIVEN,
    STEP_GIVEN_EDITED,
    STEP_ABSENT,
    STEP_LEFT_OUT,
    STEP_TO_DO,
    STEP_EDITED,
    STEP_GRADED
} step_state;

typedef struct step_view {
    const kl_step_info *info;
    const ladder_rubric_step *rubric;
    step_state state;
    ladder_outcome outcome; // when graded
    double points, points_max;
    const char *predicted; // "yes", "late", "part", or "" for nothing
} step_view;

static step_state state_of(const ladder_kit *kit, const ladder_lab *lab, const kl_step_info *step) {
    enum { FILE_MAX = 4 << 20 };
    char path[LADDER_PATH], *text = NULL;
    kl_error err = {KL_OK, ""};
    char why[128];
    if (ladder_device_lacks(step, NULL, why, sizeof why)) return STEP_LEFT_OUT;
    if (ladder_kit_step_file(kit, lab, step, false, path, &err) != KL_OK ||
        ladder_file_read(AT_FDCWD, path, FILE_MAX, &text, NULL, &err) != KL_OK)
        return STEP_ABSENT;
    // Compared with nothing, a file is either untouched (its stamp fits) or somebody's work.
    bool edited = ladder_skeleton_compare(text, "") == LADDER_SKELETON_CHANGED;
    if (step->given) edited = kl_step_text_is_edited(text);
    free(text);
    if (step->given) return edited ? STEP_GIVEN_EDITED : STEP_GIVEN;
    return edited ? STEP_EDITED : STEP_TO_DO;
}

// The last grading of one's own work, if there was one.
static bool last_grade(const ladder_kit *kit, const ladder_lab *lab, ladder_row *out_row) {
    char path[LADDER_PATH];
    kl_error err = {KL_OK, ""};
    char output[LADDER_PATH];
    return ladder_path(output, &err, "%s/results/%s", kit->build, lab->folder) == KL_OK &&
           ladder_class_row_path(output, "own", path, &err) == KL_OK &&
           ladder_row_read(path, NULL, out_row) == LADDER_ROW_GOOD;
}

// How far a step is predicted.
static const char *predicted_word(const ladder_kit *kit, const ladder_lab *lab, int number) {
    ladder_predictions known;
    kl_error err = {KL_OK, ""};
    if (ladder_predictions_read(kit, lab, &known, &err) != KL_OK) return "";
    const ladder_step_predictions *step = ladder_predictions_find(&known, number);
    const ladder_asked *asked = ladder_questions_find(lab->questions, number);
    if (!step || !asked || step->count == 0) return "";
    return step->count < asked->count                       ? "part"
           : ladder_predictions_stand(lab->questions, step) ? "yes"
                                                            : "late";
}

static void view_step(const ladder_kit *kit, const ladder_lab *lab, int index,
                      const ladder_row *row, step_view *out) {
    const kl_step_info *info = &lab->problem->steps[index];
    *out = (step_view){.info = info,
                       .rubric = ladder_rubric_find(lab->rubric, info->number),
                       .state = state_of(kit, lab, info),
                       .predicted = predicted_word(kit, lab, info->number)};
    if (out->rubric) out->points_max = ladder_rubric_points(out->rubric, true, "");
    for (int i = 0; row && i < row->step_count; i++) {
        if (row->steps[i].step != info->number) continue;
        out->outcome = row->steps[i].outcome;
        out->points = row->steps[i].points;
        bool tried = ladder_outcome_kind_of(out->outcome) != LADDER_KIND_ABSENT;
        if (tried && out->state == STEP_EDITED) out->state = STEP_GRADED;
    }
}

static const char *state_text(const step_view *view) {
    switch (view->state) {
    case STEP_GIVEN: return "given";
    case STEP_GIVEN_EDITED: return "given, but edited";
    case STEP_ABSENT: return ladder_outcome_word(LADDER_NOT_SUBMITTED);
    case STEP_LEFT_OUT: return ladder_outcome_word(LADDER_LEFT_OUT);
    case STEP_TO_DO: return ladder_outcome_word(LADDER_NOT_IMPLEMENTED);
    case STEP_EDITED: return "edited";
    case STEP_GRADED: return ladder_outcome_word(view->outcome);
    }
    return "";
}

enum { BUGS_MAX = 32 };

static void print_bugs(const ladder_kit *kit, const ladder_lab *lab) {
    char names[BUGS_MAX][LADDER_BUG_NAME];
    int count = ladder_bugs_list(kit, lab, names, BUGS_MAX);
    for (int i = 0; i < count; i++) printf("%s%s", i == 0 ? "\nbug hunts: " : ", ", names[i]);
    if (count > 0) printf("\n           (./ladder check %s %s)\n", lab->problem->name, names[0]);
}

static void print_lab(const ladder_kit *kit, const ladder_lab *lab, const kl_style *style) {
    ladder_row row;
    bool graded = last_grade(kit, lab, &row);
    printf("%s  %s", lab->folder, lab->problem->title);
    if (graded && row.points.graded)
        printf("   (last grade: %.1f %%)", ladder_points_score(&row.points));
    fputs("\n\n", stdout);
    kl_table table;
    kl_table_clear(&table);
    kl_table_column(&table, "step", KL_RIGHT);
    kl_table_column(&table, "name", KL_LEFT);
    kl_table_column(&table, "points", KL_RIGHT);
    kl_table_column(&table, "state", KL_LEFT);
    kl_table_column(&table, "predicted", KL_LEFT);
    kl_table_column(&table, "what it is about", KL_LEFT);
    for (int i = 0; i < lab->problem->step_count; i++) {
        step_view view;
        char points[32];
        view_step(kit, lab, i, graded ? &row : NULL, &view);
        int r = kl_table_row(&table);
        bool good =
            view.state == STEP_GRADED && ladder_outcome_kind_of(view.outcome) == LADDER_KIND_GOOD;
        kl_tone tone = good                        ? KL_GOOD
                       : view.state == STEP_GRADED ? KL_BAD
                       : view.state == STEP_EDITED ? KL_PLAIN
                                                   : KL_DIM;
        kl_table_cell(&table, r, 0, KL_PLAIN, "%d", view.info->number);
        kl_table_cell(&table, r, 1, KL_PLAIN, "%s", view.info->name);
        kl_table_cell(&table, r, 2, KL_PLAIN, "%s",
                      ladder_report_points(view.points_max, points, sizeof points));
        kl_table_cell(&table, r, 3, tone, "%s", state_text(&view));
        kl_table_cell(&table, r, 4, KL_PLAIN, "%s", view.predicted);
        kl_table_cell(&table, r, 5, KL_DIM, "%s", view.info->reason);
    }
    kl_table_print(&table, style, stdout);
    print_bugs(kit, lab);
    fputc('\n', stdout);
}

// A row of the table of labs.
static void add_lab(const ladder_kit *kit, const ladder_lab *lab, kl_table *table) {
    ladder_row row;
    bool graded = last_grade(kit, lab, &row);
    int own = 0, edited = 0, correct = 0, column = 0;
    for (int i = 0; i < lab->problem->step_count; i++) {
        step_view view;
        view_step(kit, lab, i, graded ? &row : NULL, &view);
        own += !view.info->given && view.state != STEP_LEFT_OUT;
        edited += view.state == STEP_EDITED || view.state == STEP_GRADED;
        correct +=
            view.state == STEP_GRADED && ladder_outcome_kind_of(view.outcome) == LADDER_KIND_GOOD;
    }
    int r = kl_table_row(table);
    kl_tone tone = edited > 0 ? KL_PLAIN : KL_DIM;
    kl_table_cell(table, r, column++, KL_PLAIN, "%s", lab->folder);
    kl_table_cell(table, r, column++, KL_DIM, "%s", lab->problem->title);
    kl_table_cell(table, r, column++, tone, "%d of %d", edited, own);
    kl_table_cell(table, r, column++, correct > 0 ? KL_GOOD : KL_DIM, "%d", correct);
    if (graded && row.points.graded)
        kl_table_cell(table, r, column, KL_PLAIN, "%.1f %%", ladder_points_score(&row.points));
}

static void print_labs(const ladder_kit *kit, const kl_style *style) {
    static const char *const names[] = {"lab", "title", "edited", "correct", "grade"};
    enum { FIRST_NUMBER = 2 };
    kl_table table;
    kl_table_clear(&table);
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++)
        kl_table_column(&table, names[i], i < FIRST_NUMBER ? KL_LEFT : KL_RIGHT);
    for (int i = 0; i < ladder_lab_count; i++) add_lab(kit, &ladder_labs[i], &table);
    kl_table_print(&table, style, stdout);
    puts("\nSteps of a lab: ./ladder list LAB; what to do next: ./ladder next");
}

typedef struct listing {
    ladder_kit kit;
    const ladder_lab *only; // NULL: all labs
} listing;

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const ladder_kit *kit = &((listing *)context)->kit;
    const ladder_lab *only = ((listing *)context)->only;
    kl_json json;
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.list/2 labs [");
    for (int l = 0; l < ladder_lab_count; l++) {
        const ladder_lab *lab = &ladder_labs[l];
        if (only && only != lab) continue;
        ladder_row row;
        bool graded = last_grade(kit, lab, &row);
        kl_json_put(&json, "{lab %s folder %s title %s", lab->problem->name, lab->folder,
                    lab->problem->title);
        if (graded && row.points.graded)
            kl_json_number(&json, "last_score", ladder_points_score(&row.points));
        kl_json_array(&json, "steps");
        for (int i = 0; i < lab->problem->step_count; i++) {
            step_view view;
            view_step(kit, lab, i, graded ? &row : NULL, &view);
            kl_json_put(&json, "{step %d name %s reason %s points %g state %s predicted %s}",
                        view.info->number, view.info->name, view.info->reason, view.points_max,
                        state_text(&view), view.predicted);
        }
        kl_json_put(&json, "] bug_hunts [");
        char bugs[BUGS_MAX][LADDER_BUG_NAME];
        int bug_count = ladder_bugs_list(kit, lab, bugs, BUGS_MAX);
        for (int i = 0; i < bug_count; i++) kl_json_string(&json, NULL, bugs[i]);
        kl_json_put(&json, "]}");
    }
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

static kl_status list(const ladder_arguments *arguments, const char *json, kl_error *err) {
    listing l = {.only = NULL};
    if (arguments->count == 1) TRY(ladder_lab_require(arguments->positional[0], &l.only, err));
    TRY(ladder_kit_find(&l.kit, err));
    if (json) TRY(kl_file_put(json, write_json, &l, err));
    if (kl_file_is_stdout(json)) return KL_OK;
    kl_style style = kl_style_for(stdout);
    if (l.only) print_lab(&l.kit, l.only, &style);
    else print_labs(&l.kit, &style);
    return KL_OK;
}

int ladder_cmd_list(int argc, char **argv) {
    const char *json = NULL;
    const ladder_option options[] = {
        OPT_TEXT("--json", &json, "FILE", "the list as JSON (- is standard output)"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    if (arguments.count > 1) return ladder_command_misused(argv[0], "expected one lab or none");
    kl_error err = {KL_OK, ""};
    return list(&arguments, json, &err) == KL_OK ? LADDER_EXIT_OK
                                                 : ladder_command_fail(argv[0], &err);
}
