// Predictions kept and shown: see predict.h.
#include "learn/predict/predict.h"
#include "grade/submission/submission.h"

enum { FILE_BYTES_MAX = 4 << 20 };

static bool is_selected(const int *steps, int count, int step) {
    bool selected = count == 0;
    for (int i = 0; i < count; i++) selected = selected || steps[i] == step;
    return selected;
}

// "2026-11-22T10:51", in the student's time zone.
static void write_date(char *text, size_t text_bytes) {
    time_t now = time(NULL);
    struct tm local;
    if (!localtime_r(&now, &local) || strftime(text, text_bytes, "%FT%H:%M", &local) == 0)
        snprintf(text, text_bytes, "-");
}

// The text of the student's file of a step; caller frees. NULL when there is none.
static char *read_step(const ladder_kit *kit, const ladder_lab *lab, int step, size_t *out_bytes) {
    char path[LADDER_PATH], *text = NULL;
    kl_error err = {KL_OK, ""};
    const kl_step_info *info = kl_problem_step(lab->problem, step);
    if (!info || ladder_kit_step_file(kit, lab, info, false, path, &err) != KL_OK ||
        ladder_file_read(AT_FDCWD, path, FILE_BYTES_MAX, &text, out_bytes, &err) != KL_OK)
        return NULL;
    return text;
}

// What a question whether a step is written is asked about.
typedef struct lab_of_kit {
    const ladder_kit *kit;
    const ladder_lab *lab;
} lab_of_kit;

// The hash of a step's file; "-" when there is none. *out_edited: the student has changed it.
static void hash_step(const ladder_kit *kit, const ladder_lab *lab, int step,
                      char out[LADDER_PREDICTION_HASH], bool *out_edited) {
    size_t bytes = 0;
    char *text = read_step(kit, lab, step, &bytes);
    snprintf(out, LADDER_PREDICTION_HASH, "-");
    if (text) ladder_prediction_hash(text, bytes, out);
    // Compared with nothing, a file is either untouched (its stamp fits) or somebody's work.
    *out_edited = text && ladder_skeleton_compare(text, "") == LADDER_SKELETON_CHANGED;
    free(text);
}

static bool is_unwritten(const void *context, int step) {
    const lab_of_kit *of = context;
    char ignored[LADDER_PREDICTION_HASH];
    bool edited = false;
    hash_step(of->kit, of->lab, step, ignored, &edited);
    return !edited && !kl_problem_step(of->lab->problem, step)->given;
}

int ladder_predict_waits_for(const ladder_kit *kit, const ladder_lab *lab,
                             const ladder_asked *asked, const ladder_question *question) {
    const lab_of_kit of = {kit, lab};
    return ladder_question_needs(lab->problem, asked, question, is_unwritten, &of);
}

bool ladder_predict_is_open(const ladder_kit *kit, const ladder_lab *lab, int step) {
    ladder_predictions known;
    kl_error err = {KL_OK, ""};
    const ladder_asked *asked = ladder_questions_find(lab->questions, step);
    if (!asked || ladder_predictions_read(kit, lab, &known, &err) != KL_OK) return false;
    const ladder_step_predictions *kept = ladder_predictions_find(&known, step);
    if (kept && kept->ran) return false;
    for (int i = 0; i < asked->count; i++) {
        bool answered = false;
        for (int k = 0; kept && k < kept->count; k++)
            answered = answered || strcmp(kept->items[k].name, asked->questions[i].name) == 0;
        if (!answered && ladder_predict_waits_for(kit, lab, asked, &asked->questions[i]) < 0)
            return true;
    }
    return false;
}

kl_status ladder_predict_keep(const ladder_kit *kit, const ladder_lab *lab, int step,
                              const char *name, double value, kl_error *err) {
    char hash[LADDER_PREDICTION_HASH], date[32], line[256];
    bool edited = false;
    hash_step(kit, lab, step, hash, &edited);
    write_date(date, sizeof date);
    snprintf(line, sizeof line, "predict %d %s %s %s=%.12g", step, hash, date, name, value);
    return ladder_predictions_add(kit, lab, line, err);
}

kl_status ladder_predict_note_run(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                                  int count, const char *how, kl_error *err) {
    ladder_predictions known;
    TRY(ladder_predictions_read(kit, lab, &known, err));
    for (int i = 0; i < lab->questions->asked_count; i++) {
        int step = lab->questions->asked[i].step;
        const kl_step_info *info = kl_problem_step(lab->problem, step);
        const ladder_step_predictions *p = ladder_predictions_find(&known, step);
        if (!is_selected(steps, count, step) || !info || info->given) continue;
        if ((p && p->ran) || lab->questions->asked[i].count == 0) continue;
        char hash[LADDER_PREDICTION_HASH], date[32], line[256];
        bool edited = false;
        hash_step(kit, lab, step, hash, &edited);
        if (!edited) continue;
        write_date(date, sizeof date);
        snprintf(line, sizeof line, "first %d %s %s %s", step, hash, date, how);
        TRY(ladder_predictions_add(kit, lab, line, err));
    }
    return KL_OK;
}

void ladder_predict_note(const ladder_kit *kit, const ladder_lab *lab, const int *steps, int count,
                         const char *how) {
    kl_error err = {KL_OK, ""};
    if (ladder_predict_note_run(kit, lab, steps, count, how, &err) != KL_OK)
        fprintf(stderr, "ladder %s: the first run is not kept: %s\n", how, err.text);
}

// What counts depend on: the step's file and that of the step before it. False when the step is not
// the student's work yet: there is nothing to count.
static bool make_key(const ladder_kit *kit, const ladder_lab *lab, const ladder_asked *asked,
                     char out[LADDER_PREDICTION_HASH]) {
    char both[2 * LADDER_PREDICTION_HASH + 2], own[LADDER_PREDICTION_HASH];
    char before[LADDER_PREDICTION_HASH];
    bool edited = false, ignored = false;
    hash_step(kit, lab, asked->step, own, &edited);
    hash_step(kit, lab, ladder_questions_step_before(lab->problem, asked->family, asked->step),
              before, &ignored);
    snprintf(both, sizeof both, "%s %s", own, before);
    ladder_prediction_hash(both, strlen(both), out);
    return edited || kl_problem_step(lab->problem, asked->step)->given;
}

// One step; one that does not run has no counts, and neither has a gain over one that does not.
static kl_status count_step(const ladder_kit *kit, const ladder_lab *lab, const ladder_asked *asked,
                            const ladder_step_predictions *step, const char *key, kl_error *err) {
    char line[512];
    ladder_counting *counting = calloc(1, sizeof *counting);
    if (!counting) return kl_fail(err, KL_ERROR_MEMORY, "no memory for counts");
    size_t used = (size_t)snprintf(line, sizeof line, "counted %d %s", asked->step, key);
    bool counted = false;
    for (int i = 0; i < step->count; i++) {
        const char *name = step->items[i].name;
        const ladder_question *question = ladder_asked_find(asked, name);
        double value = NAN;
        kl_error why = {KL_OK, ""};
        if (counting->size != ladder_question_size(asked, question)) // also the first time
            *counting = (ladder_counting){.kit = kit,
                                          .lab = lab,
                                          .family = asked->family,
                                          .size = ladder_question_size(asked, question),
                                          .past = true};
        if (ladder_counting_value(counting, asked->step, question->formula, &value, &why) !=
                KL_OK ||
            !isfinite(value) || used >= sizeof line)
            continue;
        counted = true;
        used += (size_t)snprintf(line + used, sizeof line - used, " %s=%.12g", name, value);
    }
    free(counting);
    return counted ? ladder_predictions_add(kit, lab, line, err) : KL_OK;
}

kl_status ladder_predict_count(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                               int count, kl_error *err) {
    ladder_predictions known;
    TRY(ladder_predictions_read(kit, lab, &known, err));
    for (int i = 0; i < known.count; i++) {
        const ladder_step_predictions *step = &known.steps[i];
        const ladder_asked *asked = ladder_questions_find(lab->questions, step->step);
        char key[LADDER_PREDICTION_HASH];
        if (step->count == 0 || !is_selected(steps, count, step->step)) continue;
        if (!make_key(kit, lab, asked, key) || strcmp(key, step->key) == 0) continue;
        bool terminal = isatty(STDERR_FILENO) != 0;
        if (terminal) fprintf(stderr, "counting step %d for your predictions ..", step->step);
        kl_status status = count_step(kit, lab, asked, step, key, err);
        if (terminal) fputs("\r\033[K", stderr);
        TRY(status);
    }
    return KL_OK;
}

kl_status ladder_predict_load(const ladder_kit *kit, const ladder_lab *lab, const int *steps,
                              int count, ladder_predictions *out_predictions, kl_error *err) {
    ladder_predictions known;
    TRY(ladder_predictions_read(kit, lab, &known, err));
    out_predictions->count = 0;
    for (int i = 0; i < lab->questions->asked_count; i++) { // in the lab's order
        const ladder_asked *asked = &lab->questions->asked[i];
        const ladder_step_predictions *found = ladder_predictions_find(&known, asked->step);
        char key[LADDER_PREDICTION_HASH];
        if (!found || found->count == 0 || !is_selected(steps, count, asked->step)) continue;
        ladder_step_predictions *step = &out_predictions->steps[out_predictions->count++];
        *step = *found;
        bool fresh = make_key(kit, lab, asked, key) && strcmp(key, step->key) == 0;
        for (int k = 0; k < step->count && !fresh; k++) step->items[k].counted = NAN;
    }
    return KL_OK;
}

static void number_cell(kl_table *table, int row, int column, double value) {
    char text[64];
    if (isfinite(value)) ladder_page_number(value, -1, text, sizeof text);
    kl_table_cell(table, row, column, KL_PLAIN, "%s", isfinite(value) ? text : "-");
}

static void add_row(kl_table *table, const kl_step_info *info, const ladder_prediction *item,
                    bool first) {
    char text[64];
    double off = fabs(item->predicted - item->counted);
    kl_tone tone = !isfinite(off) ? KL_DIM : off <= 0.1 * fabs(item->counted) ? KL_GOOD : KL_BAD;
    int row = kl_table_row(table);
    if (first) kl_table_cell(table, row, 0, KL_PLAIN, "%d", info->number);
    kl_table_cell(table, row, 1, KL_PLAIN, "%s", item->name);
    number_cell(table, row, 2, item->predicted);
    number_cell(table, row, 3, item->counted);
    kl_table_cell(table, row, 4, tone, "%s",
                  ladder_prediction_judge(item->predicted, item->counted, text, sizeof text));
    kl_table_cell(table, row, 5, item->stood ? KL_PLAIN : KL_DIM, "%s",
                  info->given   ? "given step"
                  : item->stood ? "before run"
                                : "after run");
}

bool ladder_predict_print(const ladder_lab *lab, const ladder_predictions *predictions,
                          const kl_style *style, FILE *out) {
    kl_table *table = calloc(1, sizeof *table);
    if (!table) return false;
    kl_table_column(table, "step", KL_RIGHT);
    kl_table_column(table, "number", KL_LEFT);
    kl_table_column(table, "predicted", KL_RIGHT);
    kl_table_column(table, "counted", KL_RIGHT);
    kl_table_column(table, "how close", KL_LEFT);
    kl_table_column(table, "predicted", KL_LEFT);
    for (int i = 0; i < predictions->count; i++) {
        const ladder_step_predictions *step = &predictions->steps[i];
        for (int k = 0; k < step->count; k++)
            add_row(table, kl_problem_step(lab->problem, step->step), &step->items[k], k == 0);
    }
    bool any = table->rows > 0;
    if (any) kl_table_print(table, style, out);
    free(table);
    return any;
}
