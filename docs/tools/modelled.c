// ladder-docs modelled: how the speed criteria of the labs are graded where times are modelled.
// Writes labs/modelled.json (ladder.modelled/2) from lab.json of each lab and labs/measured; with
// --check a stale file is an error. A criterion takes part at the smallest size at which every
// measured card, and the simulator's model of it, have both steps in the same order, and at which
// the modelled gain leaves room for the model's error E (1 + the mean error of the lab's modelled
// times on that card, which the lab's page states) on both sides: the rubric's thresholds, but full
// points no later than from gain / E, and none up to E, up to what the modelled gain is beyond the
// measured one, or, where the step has no criteria on counts, which open those on speed, up to what
// the best earlier step reaches. Else the file says why it is left out.
#include "docs.h"
#include "measured.h"
#include "grade/description/description.h"
#include "grade/rubric/rubric.h"

#define APART  1.05 // full points over none, at least
#define RAMP   1.1  // and where the gain leaves room
#define BEYOND 1.02 // none over what the best earlier step reaches
enum { CARDS_MAX = 8, TEXT_MAX = 4096 };

typedef struct lab_runs {
    long long size_max; // whose times grading may model; 0: any
    json_t *gpu[CARDS_MAX], *model[CARDS_MAX];
    double error[CARDS_MAX]; // E
    int count;
} lab_runs;

// A speed criterion of the rubric.
typedef struct asked {
    int step, over;
    const char *family;
    long long size;
    double full, zero; // on a GPU
    bool has_counts;   // the step has criteria on counts, which open those on speed
} asked;

// What it comes to at one size.
typedef struct thresholds {
    long long size;
    double over_us[CARDS_MAX], full[CARDS_MAX], zero[CARDS_MAX];
    // How far it got: no times, another order, too small a gain, good.
    enum { UNTIMED, DISORDERED, TOO_NEAR, GOOD } state;
} thresholds;

static const char *const reasons[] = {
    [UNTIMED] = "no size of this case is both measured and modelled",
    [DISORDERED] = "the model does not have these steps in the measured order by a clear margin",
    [TOO_NEAR] = "the modelled gain is not beyond the model's error or beyond an earlier step",
};

static void load(const char *description, lab_runs *runs) {
    char labs[TEXT_MAX], lab[TEXT_MAX];
    json_t *cards[CARDS_MAX];
    measured_place(description, labs, lab, TEXT_MAX);
    int count = measured_load_cards(labs, lab, "run", cards, CARDS_MAX);
    for (int i = 0; i < count; i++) {
        json_t *model = measured_load_model(labs, lab, cards[i]);
        if (!model) { // a card that the simulator was not asked about
            json_decref(cards[i]);
            continue;
        }
        runs->gpu[runs->count] = cards[i];
        runs->model[runs->count] = model;
        runs->error[runs->count++] = 1 + measured_compare(cards[i], model, NULL).mean_error;
    }
}

// Whether a step has cases of every family that the criterion's step has: only then can it be right
// in that one's place.
static bool serves_all(const json_t *run, int step, int slot) {
    return measured_has_families_of(measured_step(run, step), measured_step(run, slot));
}

// The greatest modelled gain over step `over` of a step before the criterion's own.
static double best_before(const json_t *model, const asked *a, long long size) {
    double best = 1, over_us = measured_time_us(model, a->over, a->family, size);
    for (int step = 0; step < a->step; step++) {
        double us = measured_time_us(model, step, a->family, size);
        if (us > 0 && !a->has_counts && serves_all(model, step, a->step))
            best = fmax(best, over_us / us);
    }
    return best;
}

// On one card: fills in its thresholds.
static int judge_card(const lab_runs *runs, int card, const asked *a, thresholds *at) {
    const json_t *gpu = runs->gpu[card], *model = runs->model[card];
    double measured = measured_time_us(gpu, a->over, a->family, at->size) /
                      measured_time_us(gpu, a->step, a->family, at->size);
    at->over_us[card] = measured_time_us(model, a->over, a->family, at->size);
    double modelled = at->over_us[card] / measured_time_us(model, a->step, a->family, at->size);
    if (!(isfinite(measured) && isfinite(modelled) && measured > 0 && modelled > 0)) return UNTIMED;
    if (measured < MEASURED_DECIDED || modelled <= 1) return DISORDERED;
    double before = best_before(model, a, at->size), error = runs->error[card];
    double most = modelled / error, full = fmin(a->full, most);
    double zero = fmax(fmax(error, modelled / measured), fmin(a->zero, sqrt(full)));
    at->zero[card] = fmax(zero, before > 1 ? before * BEYOND : 1);
    at->full[card] = fmin(most, fmax(full, RAMP * at->zero[card]));
    return at->full[card] >= at->zero[card] * APART ? GOOD : TOO_NEAR;
}

// All cards, at this size.
static thresholds judge_size(const lab_runs *runs, const asked *a, long long size) {
    thresholds at = {.size = size, .state = GOOD};
    for (int i = 0; i < runs->count; i++) {
        int state = judge_card(runs, i, a, &at);
        if (state < (int)at.state) at.state = state;
    }
    return at;
}

// The smallest size that is good, or the one that got furthest.
static thresholds choose(const lab_runs *runs, const asked *a) {
    thresholds best = {.state = UNTIMED};
    size_t index;
    json_t *item;
    if (runs->count == 0) return best;
    json_array_foreach(json_object_get(runs->model[0], "cases"), index, item) {
        const char *family = json_string_value(json_object_get(item, "case"));
        long long size = json_integer_value(json_object_get(item, "size"));
        bool dear = runs->size_max > 0 && size > runs->size_max;
        if (dear || !family || strcmp(family, a->family) != 0) continue;
        thresholds at = judge_size(runs, a, size);
        if (at.state > best.state || (at.state == best.state && at.size < best.size)) best = at;
    }
    return best;
}

// The name of the simulated card as the device's row has it: "NVIDIA H200 (simulated)" without what
// follows.
static void print_device(FILE *out, const json_t *model) {
    const char *name = measured_device(model), *end = strstr(name, " (simulated)");
    fprintf(out, "\"%.*s\"", end ? (int)(end - name) : (int)strlen(name), name);
}

static bool is_kind(const kl_json_value *criterion, const char *kind) {
    return strcmp(ladder_field_text(criterion, "kind", ""), kind) == 0;
}

static bool has_counts(const kl_json_value *step) {
    const kl_json_value *criterion = ladder_field_items(step, "criteria");
    while (criterion && !is_kind(criterion, "count")) criterion = criterion->next;
    return criterion != NULL;
}

static void print_criterion(FILE *out, const lab_runs *runs, const asked *a, bool first) {
    thresholds at = choose(runs, a);
    fprintf(out, "%s\n   \"%d/%d/%s/%lld\": {", first ? "" : ",", a->step, a->over, a->family,
            a->size);
    if (at.state != GOOD) {
        fprintf(out, "\"left_out\": \"%s\"}", reasons[at.state]);
        return;
    }
    fprintf(out, "\"size\": %lld, \"devices\": [", at.size);
    for (int i = 0; i < runs->count; i++) {
        fprintf(out, "%s{\"device\": ", i > 0 ? ", " : "");
        print_device(out, runs->model[i]);
        // Rounded to the side that leaves more room.
        fprintf(out, ", \"over_us\": %.9g, \"full\": %.3f, \"zero\": %.3f}", at.over_us[i],
                floor(1000 * at.full[i]) / 1000, ceil(1000 * at.zero[i]) / 1000);
    }
    fputs("]}", out);
}

static asked read_criterion(const kl_json_value *step, const kl_json_value *criterion) {
    return (asked){
        .step = (int)ladder_field_integer(step, "step", 0),
        .over = (int)ladder_field_integer(criterion, "over", 0),
        .family = ladder_field_text(criterion, "family", ""),
        .size = ladder_field_integer(criterion, "size", 0),
        .full = ladder_field_number(criterion, "full", 0),
        .zero = ladder_field_number(criterion, "zero", 0),
        .has_counts = has_counts(step),
    };
}

// The next speed criterion of the lab after *criterion, which is NULL at first, with its step.
static bool next_speed(const ladder_description *d, const kl_json_value **step,
                       const kl_json_value **criterion) {
    if (!*step) *step = ladder_field_items(d->root, "steps");
    for (; *step; *step = (*step)->next, *criterion = NULL) {
        do *criterion = *criterion ? (*criterion)->next : ladder_field_items(*step, "criteria");
        while (*criterion && !is_kind(*criterion, "speed"));
        if (*criterion) return true;
    }
    return false;
}

// Of the criteria that the thresholds are made from: the autograder refuses them with others.
static void hash_criteria(const ladder_description *d, char *out_text) {
    const kl_json_value *step = NULL, *criterion = NULL;
    ladder_sha256 hash;
    ladder_sha256_begin(&hash);
    while (next_speed(d, &step, &criterion)) {
        const asked a = read_criterion(step, criterion);
        ladder_speed_hash_add(&hash, a.step, a.has_counts, a.over, a.family, a.size, a.full,
                              a.zero);
    }
    ladder_speed_hash_end(&hash, out_text);
}

static void print_lab(FILE *out, const char *lab, const ladder_description *d, const lab_runs *runs,
                      bool first_lab) {
    char hash[LADDER_SPEED_HASH_TEXT];
    const kl_json_value *step = NULL, *criterion = NULL;
    hash_criteria(d, hash);
    fprintf(out, "%s\n  \"%s\": {\"rubric\": \"%s\", \"criteria\": {", first_lab ? "" : ",", lab,
            hash);
    for (bool first = true; next_speed(d, &step, &criterion); first = false) {
        const asked a = read_criterion(step, criterion);
        print_criterion(out, runs, &a, first);
    }
    fputs("}}", out);
}

static bool same_as_file(const char *path, const char *text) {
    FILE *file = fopen(path, "rb");
    size_t length = strlen(text);
    char *old = malloc(length + 2);
    size_t got = file && old ? fread(old, 1, length + 1, file) : 0;
    bool same = file && old && got == length && memcmp(old, text, length) == 0;
    if (file) fclose(file);
    free(old);
    return same;
}

// A lab without measured cards is left out.
static bool add_lab(FILE *out, const char *path, bool *first) {
    char labs[TEXT_MAX], lab[TEXT_MAX];
    kl_error err;
    ladder_description d;
    lab_runs runs = {.count = 0};
    if (ladder_description_load(path, NULL, &d, &err) != KL_OK) {
        fprintf(stderr, "ladder-docs modelled: %s\n", err.text);
        return false;
    }
    load(path, &runs);
    runs.size_max = ladder_field_integer(kl_json_member(d.root, "limits"), "modelled_size", 0);
    measured_place(path, labs, lab, TEXT_MAX);
    if (runs.count > 0) {
        print_lab(out, lab, &d, &runs, *first);
        *first = false;
    }
    for (int i = 0; i < runs.count; i++) {
        json_decref(runs.gpu[i]);
        json_decref(runs.model[i]);
    }
    ladder_description_free(&d);
    return true;
}

static bool put(const char *to, const char *text, bool check) {
    bool good = same_as_file(to, text);
    if (!good && check) {
        fprintf(stderr, "ladder-docs modelled: %s is stale, run ./ladder tables\n", to);
    } else if (!good) {
        FILE *file = fopen(to, "wb");
        good = file && fputs(text, file) >= 0;
        if (file && fclose(file) != 0) good = false;
        if (!good) perror(to);
    }
    return good;
}

int docs_modelled(int argc, char **argv) {
    bool check = argc > 1 && !strcmp(argv[1], "--check"), good = true, first_lab = true;
    int first = check ? 2 : 1;
    if (argc <= first) {
        fprintf(stderr, "usage: ladder-docs modelled [--check] LABS/LAB/lab.json...\n");
        return 2;
    }
    char *text = NULL, labs[TEXT_MAX], lab[TEXT_MAX], to[2 * TEXT_MAX];
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    if (!out) return 1;
    fputs("{\"schema\": \"ladder.modelled/2\",\n \"note\": \"Made by ladder tables from lab.json "
          "of each lab and measured/*.csv; do not edit.\",\n \"labs\": {",
          out);
    for (int i = first; i < argc; i++) good = add_lab(out, argv[i], &first_lab) && good;
    fputs("}}\n", out);
    fclose(out);
    measured_place(argv[first], labs, lab, TEXT_MAX);
    snprintf(to, sizeof to, "%s/modelled.json", labs);
    good = good && put(to, text, check);
    free(text);
    return good ? 0 : 1;
}
