// ladder predict: asks for the counts that a step is about, before the step runs, and
// shows them beside what was counted.
#include "commands/command.h"
#include "json.h"
#include "learn/predict/predict.h"

static const ladder_usage usage = {
    "ladder predict LAB STEP [options]   or   ladder predict LAB [STEP] --show",
    "Asks for two or three counts that the step is about, before you run it.\n"
    "`ladder run` shows them beside what your own step counts. An answer is kept\n"
    "as soon as it is given, in labs/LAB/steps/predictions.txt, which you hand in with\n"
    "your work. It is valid if it came before the first run or profile of your file;\n"
    "a later one is kept, too, and marked. No points depend on being right.",
    "  ladder predict reduction 3\n"
    "  ladder predict reduction 1 --answer sms_used=132 --answer requests=2^20/32\n"
    "  ladder predict reduction --show",
};

typedef struct predict_options {
    ladder_texts answers;
    bool show;
    const char *json;
} predict_options;

typedef struct predicting {
    ladder_kit kit;
    const ladder_lab *lab;
    const kl_step_info *step; // NULL: all, with --show
    predict_options options;
} predicting;

static const char *case_title(const ladder_lab *lab, const ladder_asked *asked, char *text,
                              size_t text_bytes) {
    const kl_case shape = {.family = kl_problem_family(lab->problem, asked->family),
                           .size = asked->size};
    return kl_case_title(lab->problem, &shape, text, text_bytes);
}

// One "name=value" of the command line.
static kl_status take_answer(const predicting *p, const ladder_asked *asked, const char *text,
                             bool keep, kl_error *err) {
    const char *names[LADDER_ASKED_MAX], *value = strchr(text, '=');
    char name[LADDER_QUESTION_NAME], list[160] = "";
    if (!value || value == text)
        return kl_fail(err, KL_ERROR_USAGE, "--answer %.60s: expected NAME=NUMBER", text);
    snprintf(name, sizeof name, "%.*s", (int)(value - text), text);
    const ladder_question *question = ladder_asked_find(asked, name);
    for (int i = 0; i < asked->count; i++) {
        names[i] = asked->questions[i].name;
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? ", " : "",
                 names[i]);
    }
    if (!question || (size_t)(value - text) >= sizeof name) {
        const char *meant = ladder_suggest(name, names, (size_t)asked->count);
        return kl_fail(err, KL_ERROR_USAGE, "step %d does not ask for '%s'%s%s%s; it asks for: %s",
                       asked->step, name, meant ? " (did you mean " : "", meant ? meant : "",
                       meant ? "?)" : "", list);
    }
    int other = ladder_predict_waits_for(&p->kit, p->lab, asked, question);
    if (other >= 0)
        return kl_fail(err, KL_ERROR_INPUT, "%s is compared with step %d, which is not implemented",
                       name, other);
    double number = 0;
    kl_error why = {KL_OK, ""};
    if (ladder_prediction_read(value + 1, &number, &why) != KL_OK)
        return kl_fail(err, KL_ERROR_USAGE, "--answer %s: %.200s", name, why.text);
    return keep ? ladder_predict_keep(&p->kit, p->lab, asked->step, name, number, err) : KL_OK;
}

// All of them or, when one is wrong, none.
static kl_status take_answers(const predicting *p, const ladder_asked *asked, kl_error *err) {
    for (int keep = 0; keep < 2; keep++)
        for (int i = 0; i < p->options.answers.count; i++)
            TRY(take_answer(p, asked, p->options.answers.items[i], keep == 1, err));
    return KL_OK;
}

static double known_value(const ladder_step_predictions *known, const char *name) {
    for (int i = 0; known && i < known->count; i++)
        if (strcmp(known->items[i].name, name) == 0) return known->items[i].predicted;
    return NAN;
}

// Asks until there is a number; an empty line keeps the answer that there is. *out_end: the input
// has ended.
static kl_status ask_one(const predicting *p, const ladder_asked *asked, int index, double before,
                         bool *out_end, kl_error *err) {
    const ladder_question *question = &asked->questions[index];
    kl_style style = kl_style_for(stdout);
    char line[256];
    double value = 0;
    char plain[512];
    ladder_page_question(p->lab, asked, question, plain, sizeof plain);
    ladder_remove_text(plain, "`");
    printf("\n%d of %d  ", index + 1, asked->count);
    kl_print_wrapped(stdout, &style, 8, plain);
    for (;;) {
        kl_error why = {KL_OK, ""};
        printf("        %s", question->name);
        if (strcmp(question->name, question->unit) != 0) printf(" (%s)", question->unit);
        if (isfinite(before)) printf(" [%.12g]", before);
        fputs(": ", stdout);
        fflush(stdout);
        if (!fgets(line, sizeof line, stdin)) {
            *out_end = true;
            fputc('\n', stdout);
            fflush(stdout); // before what standard error says of it
            return KL_OK;
        }
        line[strcspn(line, "\r\n")] = '\0';
        if (isfinite(before) && line[strspn(line, " \t")] == '\0') return KL_OK;
        if (ladder_prediction_read(line, &value, &why) == KL_OK)
            return ladder_predict_keep(&p->kit, p->lab, asked->step, question->name, value, err);
        char said[KL_ERROR_TEXT];
        printf("        %s\n", ladder_plain(why.text, false, said, sizeof said));
    }
}

// A number that cannot be counted yet is not asked.
static bool waits(const predicting *p, const ladder_asked *asked, int index) {
    const ladder_question *question = &asked->questions[index];
    int other = ladder_predict_waits_for(&p->kit, p->lab, asked, question);
    if (other < 0) return false;
    char text[160];
    kl_style style = kl_style_for(stdout);
    snprintf(text, sizeof text,
             "%s is compared with step %d, which is not implemented: it is asked when that is",
             question->name, other);
    printf("\n%d of %d  ", index + 1, asked->count);
    kl_print_wrapped(stdout, &style, 8, text);
    return true;
}

static kl_status ask_all(const predicting *p, const ladder_asked *asked,
                         const ladder_step_predictions *known, kl_error *err) {
    char title[128];
    bool end = false;
    kl_style style = kl_style_for(stdout);
    kl_print_text(stdout, &style, 2, "%s, step %d %s: predict for one call, case %s",
                  p->lab->problem->title, asked->step, p->step->name,
                  case_title(p->lab, asked, title, sizeof title));
    if (p->step->given) puts("(A given step: for practice.)");
    else if (known && known->ran)
        kl_print_wrapped(stdout, &style, 0,
                         "(Your step has run already: what you predict now is marked \"after the "
                         "first run\".)");
    for (int i = 0; i < asked->count && !end; i++) {
        if (waits(p, asked, i)) continue;
        double before = known_value(known, asked->questions[i].name);
        TRY(ask_one(p, asked, i, before, &end, err));
    }
    return end ? kl_fail(err, KL_ERROR_INPUT, "the input ended; what was answered is kept") : KL_OK;
}

static void write_item(kl_json *json, const ladder_asked *asked, const ladder_question *question,
                       const ladder_step_predictions *known) {
    const ladder_prediction none = {.predicted = NAN, .counted = NAN}, *item = &none;
    for (int i = 0; known && i < known->count; i++)
        if (strcmp(known->items[i].name, question->name) == 0) item = &known->items[i];
    kl_json_put(json,
                "{name %s text %s unit %s size %ld predicted %g counted %g "
                "before_first_run %hhd}",
                question->name, question->text, question->unit,
                ladder_question_size(asked, question), item->predicted, item->counted, item->stood);
}

static kl_status write_json(void *context, FILE *out, kl_error *err) {
    const predicting *p = context;
    ladder_predictions known;
    kl_json json;
    TRY(ladder_predict_load(&p->kit, p->lab, NULL, 0, &known, err));
    kl_json_begin(&json, out);
    kl_json_put(&json, "{schema ladder.predict/1 lab %s steps [", p->lab->problem->name);
    for (int i = 0; i < p->lab->questions->asked_count; i++) {
        const ladder_asked *asked = &p->lab->questions->asked[i];
        if (asked->count == 0 || (p->step && p->step->number != asked->step)) continue;
        kl_json_put(&json, "{step %d case %s size %ld numbers [", asked->step, asked->family,
                    asked->size);
        for (int k = 0; k < asked->count; k++)
            write_item(&json, asked, &asked->questions[k],
                       ladder_predictions_find(&known, asked->step));
        kl_json_put(&json, "]}");
    }
    kl_json_put(&json, "]}");
    return kl_json_finish(&json, err);
}

// What is kept now, and what to do next.
static kl_status show(const predicting *p, kl_error *err) {
    ladder_predictions known;
    int step = p->step ? p->step->number : -1;
    kl_style style = kl_style_for(stdout);
    TRY(ladder_predict_load(&p->kit, p->lab, &step, p->step != NULL, &known, err));
    if (!p->options.show) fputc('\n', stdout);
    if (!ladder_predict_print(p->lab, &known, &style, stdout))
        printf("nothing predicted yet: ./ladder predict %s %d\n", p->lab->problem->name,
               p->step ? step : 1);
    if (p->options.show) return KL_OK;
    const ladder_asked *asked = ladder_questions_find(p->lab->questions, step);
    for (int i = 0; i < asked->count; i++)
        if (!isfinite(
                known_value(ladder_predictions_find(&known, step), asked->questions[i].name)) &&
            ladder_predict_waits_for(&p->kit, p->lab, asked, &asked->questions[i]) < 0)
            printf("still to predict: %s\n", asked->questions[i].name);
    const ladder_step_predictions *kept = ladder_predictions_find(&known, step);
    if (!kept || !kept->ran)
        printf("next: write the step, then ./ladder run %s %d shows both\n", p->lab->problem->name,
               step);
    else if (ladder_predictions_stand(p->lab->questions, kept))
        puts("The step has run: what was predicted before that stays.");
    return KL_OK;
}

static kl_status predict(const ladder_arguments *arguments, predicting *p, kl_error *err) {
    const predict_options *o = &p->options;
    ladder_predictions known;
    TRY(ladder_lab_require(arguments->positional[0], &p->lab, err));
    if (arguments->count == 2)
        TRY(ladder_lab_require_step(p->lab, arguments->positional[1], &p->step, err));
    TRY(ladder_kit_find(&p->kit, err));
    bool to_stdout = kl_file_is_stdout(o->json);
    bool asking = !o->show && (!o->json || o->answers.count > 0);
    if (asking || o->answers.count > 0) {
        const ladder_asked *asked =
            p->step ? ladder_questions_find(p->lab->questions, p->step->number) : NULL;
        if (!p->step) return ladder_lab_ask_step(p->lab, "which step", err);
        if (!asked || asked->count == 0)
            return kl_fail(err, KL_ERROR_INPUT, "nothing is asked about step %d%s%s",
                           p->step->number, asked ? ": " : "", asked ? asked->none : "");
        TRY(ladder_predictions_read(&p->kit, p->lab, &known, err));
        TRY(o->answers.count > 0
                ? take_answers(p, asked, err)
                : ask_all(p, asked, ladder_predictions_find(&known, asked->step), err));
    }
    if (o->json) TRY(kl_file_put(o->json, write_json, p, err));
    return to_stdout ? KL_OK : show(p, err);
}

int ladder_cmd_predict(int argc, char **argv) {
    predicting p = {.step = NULL};
    predict_options *o = &p.options;
    const ladder_option options[] = {
        OPT_TEXTS("--answer", &o->answers, "NAME=NUMBER",
                  "an answer without asking; may be repeated"),
        OPT_FLAG("--show", &o->show, "only show what was predicted and counted"),
        OPT_TEXT("--json", &o->json, "FILE",
                 "predictions as JSON (- is standard output); asks nothing"),
    };
    LADDER_COMMAND_BEGIN(usage, options);
    if (arguments.count < 1 || arguments.count > 2)
        return ladder_command_no_step(argv[0], &arguments, "a lab and a step", "which step");
    kl_error err = {KL_OK, ""};
    return predict(&arguments, &p, &err) == KL_OK ? LADDER_EXIT_OK
                                                  : ladder_command_fail(argv[0], &err);
}
