// What a run says first: a row for each step with its outcome, and what is wrong with it.
#include "ladder.h"

const kl_small_case *kl_ladder_small(const kl_ladder_step *step) {
    const kl_case_result *c = step->bad_case >= 0 ? &step->cases[step->bad_case] : NULL;
    bool is_of_it = c && c->state == LADDER_WRONG_ANSWER && c->call <= 1;
    return is_of_it && step->small && step->small->found ? step->small : NULL;
}

// Of a step whose bad_case has a wrong element: "y[1024] is 3, expected 4".
static void kl_ladder_wrong_text(const kl_ladder *ladder, const kl_ladder_step *step, char *text,
                                 size_t bytes) {
    const kl_small_case *small = kl_ladder_small(step);
    const kl_verdict *v = small ? &small->verdict : &step->cases[step->bad_case].verdict;
    const kl_case *shape = &ladder->plan->cases[step->bad_case].data.shape;
    const char *name = small ? small->output : shape->outputs[v->output].name;
    char got[64], expected[64];
    snprintf(text, bytes, "%s[%llu] is %s, expected %s", name, (unsigned long long)v->first_wrong,
             small && small->unset ? small->unset : kl_value_text(v->got, got, sizeof got),
             kl_value_text(v->expected, expected, sizeof expected));
}

static bool is_in_brackets(const char *text, size_t at) {
    int open = 0;
    for (size_t i = 0; i < at; i++) open += (text[i] == '(') - (text[i] == ')');
    return open > 0;
}

// Of a text that was cut, the clauses that are whole: the paragraph below has the others.
static void end_at_clause(char *text) {
    size_t end = strlen(text) - 1;
    while (end > 0 &&
           (!(strchr(",;:", text[end]) && text[end + 1] == ' ') || is_in_brackets(text, end)))
        end--;
    if (end > 0) text[end] = '\0';
}

// Appends "word: " and the first sentence of why a case failed: the paragraph below has the rest.
static void add_why(const char *before, ladder_outcome outcome, const char *why, char *text,
                    size_t bytes) {
    static const char *const ends[] = {"; hint: ", " ("};
    size_t used = strlen(text);
    snprintf(text + used, bytes - used, "%s%s%s%.*s", before, ladder_outcome_word(outcome),
             why[0] != '\0' ? ": " : "", (int)strcspn(why, "\n"), why);
    char *end = strstr(text + used, ends[outcome == LADDER_RUNAWAY]);
    if (end) *end = '\0';
    if (strlen(text) + 1 == bytes) end_at_clause(text);
}

const kl_case_result *kl_ladder_stopped(const kl_ladder_step *step) {
    for (int i = 0; i < KL_PLAN_MAX; i++)
        if (step->cases[i].stopped) return &step->cases[i];
    return NULL;
}

kl_tone kl_ladder_verdict(const kl_ladder *ladder, const kl_ladder_step *step, char *text,
                          size_t bytes) {
    const kl_side_check *check = step->check;
    const kl_case_result *stopped = kl_ladder_stopped(step);
    char wrong[256];
    text[0] = '\0';
    if (step->state == LADDER_CORRECT && check && check->findings > 0) {
        add_why("", LADDER_FINDING, check->text, text, bytes);
        return KL_BAD;
    }
    switch (step->state) {
    case LADDER_CORRECT:
    case LADDER_NOT_IMPLEMENTED:
    case LADDER_COMPILE_ERROR:
    case LADDER_NOT_RUN: add_why("", step->state, "", text, bytes); break;
    case LADDER_WRONG_ANSWER:
        kl_ladder_wrong_text(ladder, step, wrong, sizeof wrong);
        add_why("", step->state, wrong, text, bytes);
        if (stopped) add_why("; ", stopped->state, stopped->text, text, bytes);
        if (check && check->findings > 0) add_why("; ", LADDER_FINDING, check->text, text, bytes);
        break;
    default: add_why("", step->state, step->text, text, bytes); break;
    }
    if (step->state == LADDER_CORRECT) return KL_GOOD;
    return step->state == LADDER_NOT_RUN || kl_ladder_acceptable(step) ? KL_DIM : KL_BAD;
}

static const char *part_title(kl_part part) {
    switch (part) {
    case KL_SMALL: return "verdict (small inputs)";
    case KL_LARGE: return "verdict (large inputs)";
    case KL_ALL: break;
    }
    return "verdict";
}

// Steps from `first` on that are not implemented, one behind the other: one row is enough.
static int last_unwritten(const kl_ladder *ladder, int first) {
    int last = first;
    while (last < ladder->count && ladder->steps[last].state == LADDER_NOT_IMPLEMENTED) last++;
    return last - 1;
}

static void add_row(kl_table *table, const kl_ladder *ladder, const kl_ladder_step *step,
                    const kl_ladder_step *last) {
    char text[KL_TABLE_CELL];
    int row = kl_table_row(table);
    kl_tone tone = kl_ladder_verdict(ladder, step, text, sizeof text);
    if (last != step) kl_table_cell(table, row, 0, KL_DIM, "%d-%d", step->number, last->number);
    else if (step->number >= 0) kl_table_cell(table, row, 0, KL_PLAIN, "%d", step->number);
    kl_table_cell(table, row, 1, last != step ? KL_DIM : KL_PLAIN, "%s%s", step->name,
                  last != step ? " .." : "");
    kl_table_cell(table, row, 2, tone, "%s", text);
}

void kl_ladder_print_verdict(const kl_ladder *ladder, kl_part part, const kl_style *style,
                             FILE *out) {
    kl_table *table = calloc(1, sizeof *table);
    if (!table) return;
    kl_table_column(table, "step", KL_RIGHT);
    kl_table_column(table, "name", KL_LEFT);
    kl_table_column(table, part_title(part), KL_LEFT);
    for (int i = 0; i < ladder->count; i++) {
        const kl_ladder_step *step = &ladder->steps[i];
        bool here = part != KL_LARGE ? !kl_ladder_has_no_case(ladder, step) : step->large_run;
        if (!here) continue;
        int last = last_unwritten(ladder, i);
        last = last > i ? last : i;
        add_row(table, ladder, step, &ladder->steps[last]);
        i = last;
    }
    if (ladder->has_vendor && (part != KL_LARGE || ladder->vendor.large_run))
        add_row(table, ladder, &ladder->vendor, &ladder->vendor);
    if (table->rows > 0) kl_table_print(table, style, out);
    free(table);
}

// ---- results for `ladder next` ------------------------------------------------------------------
// What a run says of each step in one sentence, kept for `ladder next` (outcome.h).

// "case sum-exact, 1000 elements: d_result[0] is 12, expected 13. Hint".
static void describe_wrong(const kl_ladder *ladder, const kl_ladder_step *step,
                           kl_last_result *out) {
    char wrong[160];
    if (step->bad_case < 0) {
        snprintf(out->text, sizeof out->text, "%.*s", (int)sizeof out->text - 1, step->text);
        return;
    }
    const kl_case_result *c = &step->cases[step->bad_case];
    const char *hint = c->verdict.hint;
    const char *title =
        kl_ladder_small(step) ? step->small->title : ladder->plan->cases[step->bad_case].title;
    if (c->state == LADDER_WRONG_ANSWER) {
        kl_ladder_wrong_text(ladder, step, wrong, sizeof wrong);
        snprintf(out->text, sizeof out->text, "case %s: %s%s%s", title, wrong,
                 hint[0] != '\0' ? ". " : "", hint);
    } else {
        snprintf(out->text, sizeof out->text, "case %s: %.350s", title, step->text);
    }
}

static kl_last_result result_of_check(const kl_side_check *check, uint64_t hash) {
    kl_last_result result = {.kind = KL_RESULT_OF_CHECK,
                             .step = check->step,
                             .hash = hash,
                             .good = check->findings == 0};
    snprintf(result.state, sizeof result.state, "%.*s", (int)strcspn(check->text, " "),
             result.good ? "clean" : check->text);
    snprintf(result.text, sizeof result.text, "%.*s", KL_LAST_TEXT - 1,
             result.good ? "" : check->text);
    char *end = strchr(result.text, '\n');
    if (end) *end = ' ';
    return result;
}

// Of all steps: their number.
static int take_results(const kl_ladder *ladder, bool whole, kl_last_result *out) {
    int count = 0;
    for (int i = 0; i < ladder->count; i++) {
        const kl_ladder_step *step = &ladder->steps[i];
        kl_last_result result = {.kind = KL_RESULT_OF_RUN,
                                 .step = step->number,
                                 .hash = kl_step_source_hash(ladder->step_folder, step->number),
                                 .good = step->state == LADDER_CORRECT,
                                 .whole = whole};
        if (step->state == LADDER_NOT_RUN || step->state == LADDER_NOT_IMPLEMENTED ||
            step->state == LADDER_LEFT_OUT || result.hash == 0)
            continue;
        snprintf(result.state, sizeof result.state, "%s", ladder_outcome_word(step->state));
        if (!result.good) describe_wrong(ladder, step, &result);
        out[count++] = result;
        const kl_side_check *check = step->check;
        if (check && check->findings >= 0) out[count++] = result_of_check(check, result.hash);
    }
    return count;
}

kl_status kl_ladder_keep_last(const kl_ladder *ladder, bool whole, kl_error *err) {
    char file[KL_LADDER_PATH + sizeof KL_LAST_RESULTS_FILE];
    const char *slash = strrchr(ladder->past_file, '/');
    if (ladder->solution || !slash) return KL_OK;
    snprintf(file, sizeof file, "%.*s/%s", (int)(slash - ladder->past_file), ladder->past_file,
             KL_LAST_RESULTS_FILE);
    kl_last_result *results = calloc(2 * KL_MAX_STEPS, sizeof *results);
    if (!results) return kl_fail(err, KL_ERROR_MEMORY, "no memory for the last results");
    int count = take_results(ladder, whole, results);
    kl_status status = count > 0 ? kl_last_results_keep(file, results, count, err) : KL_OK;
    free(results);
    return status;
}
