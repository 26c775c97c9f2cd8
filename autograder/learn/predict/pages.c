// Questions in a lab's page: see predict.h.
#include "learn/predict/predict.h"

char *ladder_page_number(double value, int decimals, char *text, size_t text_bytes) {
    double nearest = nearbyint(value);
    if (decimals >= 0) snprintf(text, text_bytes, "%.*f", decimals, value);
    else if (fabs(value) < 1e15 && (fabs(value) >= 9999.5 || fabs(value - nearest) < 1e-9))
        kl_format_grouped((long long)nearest, text, text_bytes);
    else snprintf(text, text_bytes, "%.4g", value);
    return text;
}

// Length of a place for a number at `at` ("{}", "{.2}"), 0 when there is none; its decimals or -1.
static size_t place_at(const char *at, int *out_decimals) {
    *out_decimals = -1;
    if (at[0] == '{' && at[1] == '}') return 2;
    if (at[0] != '{' || at[1] != '.' || !isdigit((unsigned char)at[2]) || at[3] != '}') return 0;
    *out_decimals = at[2] - '0';
    return 4;
}

// Text in a list's item: lines after the first are indented. Takes the numbers in order.
static void put_answer(FILE *out, const char *text, const double *values, const char *indent) {
    int decimals = -1;
    while (*text != '\0') {
        size_t length = place_at(text, &decimals);
        char number[64];
        if (length > 0) fputs(ladder_page_number(*values++, decimals, number, sizeof number), out);
        else if (*text == '\n') fprintf(out, "\n%s", text[1] == '\n' ? "" : indent);
        else fputc(*text, out);
        text += length > 0 ? length : 1;
    }
}

// The numbers of an answer, as the solution's steps count them; values: [LADDER_VALUES_MAX].
static kl_status count_values(const ladder_kit *kit, const ladder_lab *lab,
                              const ladder_selfcheck *item, double *values, kl_error *err) {
    ladder_counting *counting = calloc(1, sizeof *counting);
    if (!counting) return kl_fail(err, KL_ERROR_MEMORY, "no memory for counts");
    *counting = (ladder_counting){
        .kit = kit, .lab = lab, .family = item->family, .size = item->size, .solution = true};
    kl_status status = KL_OK;
    for (int i = 0; i < item->formula_count && i < LADDER_VALUES_MAX && status == KL_OK; i++) {
        status = ladder_counting_value(counting, item->step, item->formulas[i], &values[i], err);
        if (status == KL_OK && !isfinite(values[i])) {
            status = kl_fail(err, KL_ERROR_INPUT, "\"%.60s..\": %.200s is no number",
                             item->question, item->formulas[i]);
        }
    }
    free(counting);
    return status;
}

// The questions as a list, and their answers as another one, folded.
static kl_status put_selfchecks(FILE *out, const ladder_kit *kit, const ladder_lab *lab,
                                kl_error *err) {
    const ladder_questions *questions = lab->questions;
    fputc('\n', out);
    for (int i = 0; i < questions->selfcheck_count; i++)
        fprintf(out, "%d. %s\n", i + 1, questions->selfchecks[i].question);
    fputs("\n<details><summary>Answers</summary>\n\n", out);
    for (int i = 0; i < questions->selfcheck_count; i++) {
        const ladder_selfcheck *item = &questions->selfchecks[i];
        double values[LADDER_VALUES_MAX] = {0};
        TRY(count_values(kit, lab, item, values, err));
        fprintf(out, "%d. ", i + 1);
        put_answer(out, item->answer, values, "   ");
        fputc('\n', out);
    }
    fputs("\n</details>\n", out);
    return KL_OK;
}

char *ladder_page_question(const ladder_lab *lab, const ladder_asked *asked,
                           const ladder_question *question, char *text, size_t text_bytes) {
    char size[64];
    int family = kl_problem_family(lab->problem, asked->family);
    snprintf(text, text_bytes, "%s%s%s", question->text, question->size > 0 ? ", at " : "",
             question->size > 0
                 ? kl_size_text(lab->problem, family, question->size, size, sizeof size)
                 : "");
    return text;
}

// "sum-exact, 1048576 elements"; text: [128], which it returns.
static const char *case_title(const kl_problem *problem, const char *family, int64_t size,
                              char *text) {
    kl_case shape = {.family = kl_problem_family(problem, family), .size = size};
    kl_error ignored;
    if (shape.family >= 0) // else it has no matrices to name
        (void)problem->describe(shape.family, shape.size, 1, &shape, &ignored);
    return kl_case_title(problem, &shape, text, 128);
}

static const char asks[] = "> **Predict first**: `./ladder predict ",
                  begins[] = "<!-- selfcheck -->", ends[] = "<!-- /selfcheck -->";

// Every step of which something is asked has a line in the page, and no other step.
static kl_status check_places(const ladder_lab *lab, const char *page, kl_error *err) {
    const ladder_questions *questions = lab->questions;
    char line[128];
    for (int i = 0; i < questions->asked_count; i++) {
        const ladder_asked *asked = &questions->asked[i];
        snprintf(line, sizeof line, "\n%s%.40s %d`", asks, lab->problem->name, asked->step);
        if ((strstr(page, line) != NULL) == (asked->count > 0)) continue;
        return kl_fail(err, KL_ERROR_INPUT,
                       asked->count > 0 ? "no line \"%s..\" for the questions about step %d"
                                        : "%s: nothing is asked about step %d",
                       line + 1, asked->step);
    }
    if (questions->selfcheck_count > 0 && !strstr(page, begins))
        return kl_fail(err, KL_ERROR_INPUT, "no %s for the questions", begins);
    return KL_OK;
}

kl_status ladder_page_renew(const ladder_kit *kit, const ladder_lab *lab, const char *page,
                            char **out_page, kl_error *err) {
    size_t bytes = 0;
    *out_page = NULL;
    TRY(check_places(lab, page, err));
    const char *start = strstr(page, begins), *stop = start ? strstr(start, ends) : NULL;
    if (start && !stop) return kl_fail(err, KL_ERROR_INPUT, "%s is missing", ends);
    FILE *out = open_memstream(out_page, &bytes);
    if (!out) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    kl_status status = KL_OK;
    if (start) {
        fprintf(out, "%.*s%s\n", (int)(start - page), page, begins);
        status = put_selfchecks(out, kit, lab, err);
        page = stop;
    }
    fputs(page, out);
    if (fclose(out) != 0 && status == KL_OK)
        status = kl_fail(err, KL_ERROR_MEMORY, "no memory for a page");
    return status;
}

// ---- a question bank ----------------------------------------------------------------------------

static char *text_of(const char *format, ...) {
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) text = NULL;
    va_end(args);
    return text;
}

static kl_status add_predictions(const ladder_kit *kit, const ladder_lab *lab,
                                 const ladder_asked *asked, ladder_bank *bank, kl_error *err) {
    kl_status status = KL_OK;
    for (int q = 0; q < asked->count && status == KL_OK; q++) {
        const ladder_question *question = &asked->questions[q];
        ladder_bank_item *item = &bank->items[bank->count++];
        char title[128];
        int64_t size = question->size > 0 ? question->size : asked->size;
        ladder_counting *counting = calloc(1, sizeof *counting);
        if (!counting) return kl_fail(err, KL_ERROR_MEMORY, "no memory for counts");
        *counting = (ladder_counting){
            .kit = kit, .lab = lab, .family = asked->family, .size = size, .solution = true};
        status = ladder_counting_value(counting, asked->step, question->formula, &item->value, err);
        free(counting);
        if (status == KL_OK && !isfinite(item->value))
            status = kl_fail(err, KL_ERROR_INPUT, "step %d, %s: %s is no number", asked->step,
                             question->name, question->formula);
        const ladder_rubric_step *step = ladder_rubric_find(lab->rubric, asked->step);
        item->unit = question->unit;
        snprintf(item->id, sizeof item->id, "%s-%d-%s", lab->problem->name, asked->step,
                 question->name);
        snprintf(item->title, sizeof item->title, "%s, step %d: %s", lab->folder, asked->step,
                 question->unit);
        item->text = text_of("One call of step %d (`%s`) of lab `%s` on the case %s, as the "
                             "published solution does it.\n\nHow much is it: %s?",
                             asked->step, step ? step->file : "", lab->folder,
                             case_title(lab->problem, asked->family, size, title), question->text);
        if (!item->text) return kl_fail(err, KL_ERROR_MEMORY, "no memory for a question");
    }
    return status;
}

static kl_status add_selfcheck(const ladder_kit *kit, const ladder_lab *lab, int index,
                               ladder_bank *bank, kl_error *err) {
    const ladder_selfcheck *check = &lab->questions->selfchecks[index];
    ladder_bank_item *item = &bank->items[bank->count++];
    double values[LADDER_VALUES_MAX] = {0};
    size_t bytes = 0;
    item->value = NAN;
    TRY(count_values(kit, lab, check, values, err));
    snprintf(item->id, sizeof item->id, "%s-check-%d", lab->problem->name, index + 1);
    snprintf(item->title, sizeof item->title, "%s, check yourself %d", lab->folder, index + 1);
    item->text = text_of("%s", check->question);
    FILE *out = open_memstream(&item->answer, &bytes);
    if (out) put_answer(out, check->answer, values, "");
    if (item->text && out && fclose(out) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_MEMORY, "no memory for a question");
}

kl_status ladder_bank_make(const ladder_kit *kit, const ladder_lab *lab, ladder_bank *out_bank,
                           kl_error *err) {
    const ladder_questions *all = lab->questions;
    size_t most = (size_t)all->selfcheck_count + 1;
    for (int i = 0; i < all->asked_count; i++) most += (size_t)all->asked[i].count;
    *out_bank = (ladder_bank){lab->folder, calloc(most, sizeof *out_bank->items), 0};
    if (!out_bank->items) return kl_fail(err, KL_ERROR_MEMORY, "no memory for questions");
    kl_status status = KL_OK;
    for (int i = 0; i < all->asked_count && status == KL_OK; i++)
        status = add_predictions(kit, lab, &all->asked[i], out_bank, err);
    for (int i = 0; i < all->selfcheck_count && status == KL_OK; i++)
        status = add_selfcheck(kit, lab, i, out_bank, err);
    if (status != KL_OK) ladder_bank_free(out_bank);
    return status;
}

void ladder_bank_free(ladder_bank *bank) {
    for (size_t i = 0; i < bank->count; i++) {
        free(bank->items[i].text);
        free(bank->items[i].answer);
    }
    free(bank->items);
    *bank = (ladder_bank){NULL, NULL, 0};
}
