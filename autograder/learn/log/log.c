// The work log: see log.h. The student's words lie between two lines of comment, by which they are
// found again when the log is made anew.
#include "learn/log/log.h"
#include "grade/submission/submission.h"
#include "learn/lesson/lesson.h"
#include "learn/predict/predict.h"

enum { FILE_MAX = 4 << 20, DIFF_LINES_MAX = 80 };

// What the parts of a log work with.
typedef struct logging {
    const ladder_kit *kit;
    const ladder_lab *lab;
    const char *before; // the log as it was; NULL: none
    char *first_runs;   // text of predictions.txt; NULL: none
    ladder_progress progress;
    ladder_predictions predictions;
    ladder_past *runs;
    int run_count;
    FILE *out;
} logging;

kl_status ladder_log_path(const ladder_kit *kit, const ladder_lab *lab, char *out, kl_error *err) {
    return ladder_path(out, err, "%s/labs/%s/steps/%s", kit->source, lab->folder, LADDER_LOG_FILE);
}

// ---- The student's words ----

static const char words_end[] = "<!-- /my words -->";

// What lies between the two comments of a step in the log as it was; empty: nothing.
static const char *words_of(const logging *l, int step, int *out_bytes) {
    char begin[64];
    snprintf(begin, sizeof begin, "<!-- my words, step %d -->", step);
    const char *from = l->before ? strstr(l->before, begin) : NULL;
    const char *to = from ? strstr(from += strlen(begin), words_end) : NULL;
    *out_bytes = to ? (int)(to - from) : 0;
    return to ? from : "";
}

static bool has_words(const logging *l, int step) {
    int bytes;
    const char *words = words_of(l, step, &bytes);
    return (int)strspn(words, " \t\r\n") < bytes;
}

static void put_words(const logging *l, int step) {
    int bytes;
    const char *words = words_of(l, step, &bytes);
    if (bytes == 0) words = "\n\n", bytes = 2;
    fprintf(l->out,
            "In my own words (what I tried, what surprised me, who or what helped):\n\n"
            "<!-- my words, step %d -->%.*s%s\n\n",
            step, bytes, words, words_end);
}

// ---- What is known of a step ----

// "First run: 2026-11-22T10:51 (run)." of a line "first STEP HASH DATE COMMAND".
static void put_first_run(const logging *l, int step) {
    char begin[32], date[40], command[24];
    snprintf(begin, sizeof begin, "\nfirst %d ", step);
    const char *at = l->first_runs ? strstr(l->first_runs, begin) : NULL;
    if (at && sscanf(at + strlen(begin), "%*s %39s %23s", date, command) == 2)
        fprintf(l->out, "First run: %s (%s). ", date, command);
}

static void put_state(const logging *l, const ladder_step_progress *step) {
    static const char *const states[] = {
        [LADDER_STEP_GIVEN] = "given",
        [LADDER_STEP_ALTERED] = "given, but edited",
        [LADDER_STEP_ABSENT] = "its file is missing",
        [LADDER_STEP_TO_DO] = "as it was handed out",
        [LADDER_STEP_BEGUN] = "begun",
        [LADDER_STEP_CHANGED] = "changed since it ran last",
        [LADDER_STEP_BAD] = "not right yet",
        [LADDER_STEP_RIGHT_YET] = "right in the cases that were run, not in all of the lab yet",
        [LADDER_STEP_DONE] = "right in all cases, and the checker found nothing"};
    put_first_run(l, step->info->number);
    fprintf(l->out, "Now: %s.\n\n", states[step->state] ? states[step->state] : "-");
}

static char *read_step(const logging *l, const kl_step_info *info) {
    char path[LADDER_PATH], *text = NULL;
    if (ladder_kit_step_file(l->kit, l->lab, info, false, path, NULL) != KL_OK) return NULL;
    return ladder_file_read(AT_FDCWD, path, FILE_MAX, &text, NULL, NULL) == KL_OK ? text : NULL;
}

static void put_changed_lines(const logging *l, const ladder_diff *diff) {
    int shown = 0;
    fputs("```diff\n", l->out);
    for (size_t i = 0; i < diff->count && shown < DIFF_LINES_MAX; i++) {
        const ladder_diff_line *line = &diff->lines[i];
        if (line->edit == LADDER_SAME) continue;
        fprintf(l->out, "%c %.*s\n", line->edit == LADDER_ADDED ? '+' : '-', line->bytes,
                line->text);
        shown++;
    }
    fputs("```\n\n", l->out);
    if (shown < diff->removed + diff->added)
        fprintf(l->out, "and %d lines more\n\n", diff->removed + diff->added - shown);
}

static void put_change(const logging *l, const kl_step_info *before, const kl_step_info *info) {
    char *a = before ? read_step(l, before) : NULL, *b = read_step(l, info);
    ladder_diff diff;
    if (a && b && ladder_diff_make(a, b, LADDER_SOLUTION_MARKER, &diff, NULL) == KL_OK) {
        fprintf(l->out, "Against step %d's file (given lines included): %d removed, %d added.\n\n",
                before->number, diff.removed, diff.added);
        if (diff.removed + diff.added > 0) put_changed_lines(l, &diff);
        ladder_diff_free(&diff);
    }
    free(a);
    free(b);
}

static void put_predictions(const logging *l, int number) {
    const ladder_step_predictions *step = ladder_predictions_find(&l->predictions, number);
    if (!step || step->count == 0) return;
    fputs("| number | predicted | counted | how close | when |\n|---|---|---|---|---|\n", l->out);
    for (int i = 0; i < step->count; i++) {
        const ladder_prediction *item = &step->items[i];
        char predicted[64], counted[64], close[64];
        ladder_page_number(item->predicted, -1, predicted, sizeof predicted);
        ladder_page_number(item->counted, -1, counted, sizeof counted);
        fprintf(l->out, "| %s | %s | %s | %s | %s |\n", item->name, predicted,
                isfinite(item->counted) ? counted : "-",
                ladder_prediction_judge(item->predicted, item->counted, close, sizeof close),
                item->stood ? "before the first run" : "after the first run");
    }
    fputc('\n', l->out);
}

// The run of another step on the same case and device; NULL: none.
static const ladder_past *run_like(const logging *l, const ladder_past *run, int step) {
    for (int i = 0; i < l->run_count; i++) {
        const ladder_past *other = &l->runs[i];
        if (other->step == step && other->size == run->size &&
            strcmp(other->family, run->family) == 0 && strcmp(other->device, run->device) == 0)
            return other;
    }
    return NULL;
}

// "- DEVICE, CASE, SIZE: shared load requests per 1,000 elements: 98 (the solution: 98)" of a run
// that has the counts.
static void put_watch(const logging *l, const ladder_past *run, FILE *out) {
    const kl_problem *problem = l->lab->problem;
    const int family = kl_problem_family(problem, run->family);
    char size[64];
    for (int i = 0; i < problem->watch_count; i++) {
        const kl_watch *watch = &problem->watches[i];
        bool elements = watch->per && strcmp(watch->per, "element") == 0;
        bool plain = !watch->per || watch->per[0] == '\0';
        if (watch->step != run->step || !kl_watch_is_of(problem, watch, family)) continue;
        if (!watch->counter || (!elements && !plain)) continue;
        double value = ladder_past_sum(run, watch->counter) * watch->scale;
        if (elements) value /= (double)run->size;
        if (!isfinite(value)) continue;
        double target = kl_watch_target(problem, watch, family, run->size);
        fprintf(out, "- %s, %s, %s: %s: %.4g", strchr(run->device, ' ') + 1, run->family,
                kl_format_grouped((long long)run->size, size, sizeof size), watch->text, value);
        if (isfinite(target)) fprintf(out, " (the solution: %.4g)", target);
        fputc('\n', out);
    }
}

// Of each device and kind of input the largest size.
static bool is_largest(const logging *l, const ladder_past *run) {
    for (int i = 0; i < l->run_count; i++) {
        const ladder_past *other = &l->runs[i];
        if (other->step == run->step && other->size > run->size &&
            strcmp(other->family, run->family) == 0 && strcmp(other->device, run->device) == 0)
            return false;
    }
    return true;
}

// A row a run, then what they counted, where the lab says what to watch.
static void put_runs(const logging *l, int step, int before) {
    int shown = 0;
    char *counted = NULL;
    size_t bytes = 0;
    FILE *watched = open_memstream(&counted, &bytes);
    for (int i = 0; i < l->run_count; i++) {
        const ladder_past *run = &l->runs[i];
        char time[32], size[64];
        if (run->step != step || !is_largest(l, run)) continue;
        const ladder_past *other = run_like(l, run, before);
        if (shown++ == 0)
            fputs("| device | case | size | time | against the step before |\n"
                  "|---|---|---|---|---|\n",
                  l->out);
        fprintf(l->out, "| %s | %s | %s | %s%s | ", strchr(run->device, ' ') + 1, run->family,
                kl_format_grouped((long long)run->size, size, sizeof size),
                kl_format_us(run->time_us, time, sizeof time),
                run->now ? "" : ", before the last edit");
        if (other && other->time_us > 0)
            fprintf(l->out, "%.2f times as fast", other->time_us / run->time_us);
        fputs(" |\n", l->out);
        if (watched) put_watch(l, run, watched);
    }
    if (watched) fclose(watched);
    if (shown > 0) fputc('\n', l->out);
    if (bytes > 0) fprintf(l->out, "Counted:\n\n%s\n", counted);
    free(counted);
}

// ---- All of it ----

static void put_step(const logging *l, const ladder_step_progress *step,
                     const kl_step_info *before) {
    const kl_step_info *info = step->info;
    fprintf(l->out, "## Step %d: %s\n\n", info->number, info->name);
    put_state(l, step);
    put_change(l, before, info);
    put_predictions(l, info->number);
    put_runs(l, info->number, before ? before->number : -1);
    put_words(l, info->number);
}

static kl_status collect(logging *l, kl_error *err) {
    char path[LADDER_PATH];
    TRY(ladder_progress_read(l->kit, l->lab, &l->progress, err));
    TRY(ladder_predict_load(l->kit, l->lab, NULL, 0, &l->predictions, err));
    TRY(ladder_predictions_path(l->kit, l->lab, path, err));
    if (ladder_file_exists(path))
        ladder_file_read(AT_FDCWD, path, LADDER_PREDICTIONS_BYTES, &l->first_runs, NULL, NULL);
    return ladder_past_read(l->kit, l->lab, &l->runs, &l->run_count, err);
}

kl_status ladder_log_write(const ladder_kit *kit, const ladder_lab *lab, const char *before,
                           FILE *out, int *out_steps, kl_error *err) {
    logging *l = calloc(1, sizeof *l);
    if (!l) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a log");
    *l = (logging){.kit = kit, .lab = lab, .before = before, .out = out};
    kl_status status = collect(l, err);
    *out_steps = 0;
    if (status == KL_OK)
        fprintf(out,
                "# Work log: %s\n\nMade by `ladder log %s` from what the kit keeps of my runs, and "
                "by me. Times are of the last\nrun of each step; the text between `my words` and "
                "`/my words` stays when it is made anew.\n\n",
                lab->problem->title, lab->problem->name);
    for (int i = 0; i < l->progress.count && status == KL_OK; i++) {
        const ladder_step_progress *step = &l->progress.steps[i];
        if (step->state < LADDER_STEP_BEGUN && !has_words(l, step->info->number)) continue;
        (*out_steps)++;
        put_step(l, step, i > 0 ? l->progress.steps[i - 1].info : NULL);
    }
    if (status == KL_OK && *out_steps == 0)
        status =
            kl_fail(err, KL_ERROR_INPUT,
                    "no step of %s has been begun, so there is nothing to log; ./ladder next says "
                    "where to begin",
                    lab->problem->name);
    free(l->first_runs);
    free(l->runs);
    free(l);
    return status;
}

// ---- past ---------------------------------------------------------------------------------------
// Runs that the lab's program keeps: see log.h. A line of the file: kind and name of the device,
// "yours" or "solution", step, case, size, hash of the step's file, microseconds, counts.

// Cuts the next field off *at; NULL: there is none.
static char *next_field(char **at) { return *at ? strsep(at, "\t") : NULL; }

static bool read_run(const ladder_kit *kit, const ladder_lab *lab, char *line, ladder_past *out) {
    char *at = line, source[LADDER_PATH];
    line[strcspn(line, "\n")] = '\0';
    const char *device = next_field(&at), *whose = next_field(&at), *step = next_field(&at);
    const char *family = next_field(&at), *size = next_field(&at), *hash = next_field(&at);
    const char *time = next_field(&at);
    if (!time || strcmp(whose, "yours") != 0) return false;
    memset(out, 0, sizeof *out);
    snprintf(out->device, sizeof out->device, "%s", device);
    snprintf(out->family, sizeof out->family, "%s", family);
    out->step = atoi(step);
    out->size = strtoll(size, NULL, 10);
    out->time_us = strtod(time, NULL);
    if (at) snprintf(out->counts, sizeof out->counts, "%s", at);
    const kl_step_info *info = kl_problem_step(lab->problem, out->step);
    if (!info || ladder_kit_step_file(kit, lab, info, false, source, NULL) != KL_OK) return false;
    out->now = strtoull(hash, NULL, 16) == kl_step_file_hash(source);
    return out->time_us > 0;
}

kl_status ladder_past_read(const ladder_kit *kit, const ladder_lab *lab, ladder_past **out_list,
                           int *out_count, kl_error *err) {
    char path[LADDER_PATH], *line = NULL;
    size_t capacity = 0;
    *out_count = 0;
    *out_list = NULL;
    TRY(ladder_path(path, err, "%s/labs/%s/past_runs.txt", kit->build, lab->folder));
    ladder_past *list = calloc(LADDER_PAST_MAX, sizeof *list);
    if (!list) return kl_fail(err, KL_ERROR_MEMORY, "no memory for runs");
    FILE *in = fopen(path, "r");
    while (in && *out_count < LADDER_PAST_MAX && getline(&line, &capacity, in) > 0)
        *out_count += read_run(kit, lab, line, &list[*out_count]);
    free(line);
    if (in) fclose(in);
    *out_list = list;
    return KL_OK;
}

static double one_count(const char *counts, const char *name, size_t length) {
    for (const char *at = counts; *at != '\0'; at += *at == '\t') {
        if (strncmp(at, name, length) == 0 && at[length] == '=')
            return strtod(at + length + 1, NULL);
        at += strcspn(at, "\t");
    }
    return 0; // the file leaves zeros out
}

double ladder_past_sum(const ladder_past *run, const char *counters) {
    double sum = 0;
    if (run->counts[0] == '\0') return NAN;
    while (*counters != '\0') {
        size_t length = strcspn(counters, " ");
        sum += one_count(run->counts, counters, length);
        counters += length;
        counters += strspn(counters, " ");
    }
    return sum;
}
