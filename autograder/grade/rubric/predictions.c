// Predictions: see lab_files.h.
#include "grade/rubric/lab_files.h"

static const char head[] =
    "# Predictions for this lab's steps, and when each step ran first. Written by\n"
    "# `ladder predict`, `run` and `profile`; hand it in with your steps.\n";

static ladder_step_predictions *find_or_add(ladder_predictions *p, int step) {
    for (int i = 0; i < p->count; i++)
        if (p->steps[i].step == step) return &p->steps[i];
    if (p->count == LADDER_STEPS_MAX) return NULL;
    ladder_step_predictions *added = &p->steps[p->count++];
    memset(added, 0, sizeof *added);
    added->step = step;
    return added;
}

const ladder_step_predictions *ladder_predictions_find(const ladder_predictions *predictions,
                                                       int step) {
    for (int i = 0; i < predictions->count; i++)
        if (predictions->steps[i].step == step) return &predictions->steps[i];
    return NULL;
}

static ladder_prediction *find_item(ladder_step_predictions *step, const char *name) {
    for (int i = 0; i < step->count; i++)
        if (strcmp(step->items[i].name, name) == 0) return &step->items[i];
    if (step->count == LADDER_ASKED_MAX) return NULL;
    ladder_prediction *added = &step->items[step->count++];
    *added = (ladder_prediction){.predicted = NAN, .counted = NAN};
    snprintf(added->name, sizeof added->name, "%s", name);
    return added;
}

// "NAME=VALUE" of a number that is asked; false for anything else.
static bool read_pair(const ladder_asked *asked, char *pair, const char **out_name,
                      double *out_value) {
    char *value = strchr(pair, '='), *end = NULL;
    if (!value) return false;
    *value++ = '\0';
    const ladder_question *question = ladder_asked_find(asked, pair);
    *out_value = strtod(value, &end);
    if (!question || end == value || *end != '\0' || !isfinite(*out_value)) return false;
    *out_name = question->name;
    return true;
}

static void take_prediction(const ladder_asked *asked, ladder_step_predictions *step, char *pair) {
    const char *name = NULL;
    double value = 0;
    if (!read_pair(asked, pair, &name, &value) || value < 0) return;
    ladder_prediction *item = find_item(step, name);
    if (!item || (step->ran && item->stood)) return; // what stood is not replaced
    item->predicted = value;
    item->stood = !step->ran;
}

static void take_counts(const ladder_asked *asked, ladder_step_predictions *step, const char *key,
                        char **rest) {
    snprintf(step->key, sizeof step->key, "%s", key);
    for (char *pair; (pair = strtok_r(NULL, " ", rest));) {
        const char *name = NULL;
        double value = 0;
        ladder_prediction *item = NULL;
        if (read_pair(asked, pair, &name, &value)) item = find_item(step, name);
        if (item) item->counted = value;
    }
}

static void take_line(const ladder_questions *questions, char *line, ladder_predictions *p) {
    char *rest = NULL;
    const char *word = strtok_r(line, " ", &rest), *number = strtok_r(NULL, " ", &rest);
    const char *hash = strtok_r(NULL, " ", &rest);
    if (!hash || word[0] == '#') return;
    const ladder_asked *asked = ladder_questions_find(questions, atoi(number));
    ladder_step_predictions *step = asked ? find_or_add(p, asked->step) : NULL;
    if (!step) return;
    if (strcmp(word, "counted") == 0) {
        take_counts(asked, step, hash, &rest);
    } else if (strcmp(word, "first") == 0) {
        step->ran = true;
    } else if (strcmp(word, "predict") == 0) {
        const char *date = strtok_r(NULL, " ", &rest);
        char *pair = strtok_r(NULL, " ", &rest);
        if (date && pair) take_prediction(asked, step, pair);
    }
}

void ladder_predictions_parse(const ladder_questions *questions, const char *text,
                              ladder_predictions *out_predictions) {
    enum { LINE_MAX_BYTES = 512 };
    memset(out_predictions, 0, sizeof *out_predictions);
    while (*text != '\0') {
        char line[LINE_MAX_BYTES];
        size_t length = strcspn(text, "\r\n");
        if (length < sizeof line) {
            memcpy(line, text, length);
            line[length] = '\0';
            take_line(questions, line, out_predictions);
        }
        text += length;
        text += strspn(text, "\r\n");
    }
}

bool ladder_predictions_stand(const ladder_questions *questions,
                              const ladder_step_predictions *predictions) {
    const ladder_asked *asked =
        predictions ? ladder_questions_find(questions, predictions->step) : NULL;
    int stood = 0;
    for (int i = 0; asked && i < predictions->count; i++) stood += predictions->items[i].stood;
    return asked && asked->count > 0 && stood == asked->count;
}

char *ladder_prediction_judge(double predicted, double counted, char *text, size_t text_bytes) {
    // Relative; of a whole number also what is rounded to it: 31.68 of 32 lanes.
    static const double right = 0.005, rounded = 0.02, near = 0.1;
    double off = fabs(predicted - counted);
    if (!isfinite(predicted) || !isfinite(counted)) {
        snprintf(text, text_bytes, "-");
    } else if (off <= right * fabs(counted) ||
               (predicted == nearbyint(counted) && off <= rounded * fabs(counted))) {
        snprintf(text, text_bytes, "right");
    } else if (off <= near * fabs(counted)) {
        snprintf(text, text_bytes, "within 10 %%");
    } else {
        bool high = predicted > counted;
        double factor = high ? predicted / counted : counted / predicted;
        if (isfinite(factor))
            snprintf(text, text_bytes, "%.*f times too %s", factor < 9.95 ? 1 : 0, factor,
                     high ? "high" : "low");
        else snprintf(text, text_bytes, "too %s", high ? "high" : "low");
    }
    return text;
}

static kl_status no_names(void *context, const char *name, int step, double *out_value,
                          kl_error *err) {
    (void)context, (void)step, (void)out_value;
    return kl_fail(err, KL_ERROR_INPUT, "'%.40s' is not a number", name);
}

kl_status ladder_prediction_read(const char *text, double *out_value, kl_error *err) {
    *out_value = NAN;
    if (text[strspn(text, " \t")] == '\0')
        return kl_fail(err, KL_ERROR_INPUT,
                       "empty; expected a number, for example 4096 or 2^20/32");
    kl_error inner = {KL_OK, ""};
    if (ladder_formula_value(text, no_names, NULL, out_value, &inner) != KL_OK ||
        !isfinite(*out_value)) {
        return kl_fail(err, KL_ERROR_INPUT,
                       "'%.60s' is not a number; expected one, for example 4096, 0.5 or 2^20/32",
                       text);
    }
    if (*out_value < 0)
        return kl_fail(err, KL_ERROR_INPUT, "'%.60s' is negative; nothing counted is", text);
    return KL_OK;
}

void ladder_prediction_hash(const char *text, size_t bytes, char out[LADDER_PREDICTION_HASH]) {
    ladder_sha256 hash;
    char digits[LADDER_SHA256_TEXT];
    ladder_sha256_begin(&hash);
    ladder_sha256_add(&hash, text, bytes);
    ladder_sha256_end(&hash, digits);
    snprintf(out, LADDER_PREDICTION_HASH, "%.16s", digits);
}

kl_status ladder_predictions_path(const ladder_kit *kit, const ladder_lab *lab, char *out,
                                  kl_error *err) {
    return ladder_path(out, err, "%s/labs/%s/steps/%s", kit->source, lab->folder,
                       LADDER_PREDICTIONS_FILE);
}

kl_status ladder_predictions_read(const ladder_kit *kit, const ladder_lab *lab,
                                  ladder_predictions *out_predictions, kl_error *err) {
    char path[LADDER_PATH], *text = NULL;
    memset(out_predictions, 0, sizeof *out_predictions);
    TRY(ladder_predictions_path(kit, lab, path, err));
    if (!ladder_file_exists(path)) return KL_OK;
    TRY(ladder_file_read(AT_FDCWD, path, LADDER_PREDICTIONS_BYTES, &text, NULL, err));
    ladder_predictions_parse(lab->questions, text, out_predictions);
    free(text);
    return KL_OK;
}

kl_status ladder_predictions_add(const ladder_kit *kit, const ladder_lab *lab, const char *line,
                                 kl_error *err) {
    char path[LADDER_PATH], text[1024];
    TRY(ladder_predictions_path(kit, lab, path, err));
    const char *before = ladder_file_exists(path) ? "" : head;
    int length = snprintf(text, sizeof text, "%s%s\n", before, line);
    if (length < 0 || (size_t)length >= sizeof text)
        return kl_fail(err, KL_ERROR_LIMIT, "a line of %s is too long", path);
    int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    bool written = fd >= 0 && write(fd, text, (size_t)length) == length;
    int why = errno;
    if (fd >= 0 && close(fd) != 0) written = false;
    if (!written) return kl_fail(err, KL_ERROR_SYSTEM, "%s: %s", path, strerror(why));
    return KL_OK;
}
