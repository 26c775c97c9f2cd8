// SPDX-License-Identifier: MIT
// Protects the speed criteria of rubrics: the solution must earn every point on every card that its
// lab was measured on, with room for noise and for the difference between one timing and another.
// So each criterion's steps must have been measured in its case on each card
// (measured/CARD.csv beside the lab), and the ratio of the measured times must lie above its threshold for
// full points by the factor MARGIN. A threshold for no points must lie above 1, or a step that
// gains nothing would earn some.
//   speed_thresholds_test LAB/rubric.json..
#include <string.h>

#include "grade/speed/interval.h"
#include "measured.h"

#define MARGIN     1.10
#define OWN_MARGIN 1.07 // the root of LADDER_GAIN_LEAST: calibrated thresholds lie half way
enum { CARDS_MAX = 16 };

typedef struct tally {
    int criteria, wrong;
} tally;

// The lab's runs on GPUs.
static int load_cards(const char *rubric, json_t *cards[CARDS_MAX]) {
    char labs[4000], lab[4000];
    measured_place(rubric, labs, lab, sizeof lab);
    return measured_load_cards(labs, lab, "run", cards, CARDS_MAX);
}

static bool holds_on(const json_t *card, int step, const json_t *criterion) {
    int over = (int)json_integer_value(json_object_get(criterion, "over"));
    const char *family = json_string_value(json_object_get(criterion, "family"));
    long long size = json_integer_value(json_object_get(criterion, "size"));
    double full = json_number_value(json_object_get(criterion, "full"));
    double slow_us = measured_time_us(card, over, family, size),
           fast_us = measured_time_us(card, step, family, size);
    if (!(slow_us > 0 && fast_us > 0)) {
        printf("  step %d: %s %lld was not measured on %s for steps %d and %d\n", step, family,
               size, measured_device(card), over, step);
        return false;
    }
    bool holds = slow_us / fast_us >= full * MARGIN;
    printf("  step %d: %.2f times as fast as step %d on %s, full points need %.2f%s\n", step,
           slow_us / fast_us, over, measured_device(card), full,
           holds ? "" : " with a tenth to spare");
    // A card that is calibrated has thresholds of its own: those must leave room as well.
    ladder_threshold own;
    bool proposed = ladder_threshold_propose(1, slow_us / fast_us, &own);
    if (proposed && slow_us / fast_us >= own.full * OWN_MARGIN) return holds;
    printf("  step %d: too little to calibrate %s\n", step, measured_device(card));
    return false;
}

static void check_criterion(int step, const json_t *criterion, json_t *const *cards, int count,
                            tally *all) {
    const char *kind = json_string_value(json_object_get(criterion, "kind"));
    if (!kind || strcmp(kind, "speed") != 0) return;
    double zero = json_number_value(json_object_get(criterion, "zero"));
    bool good = count > 0 && zero > 1;
    if (count == 0) printf("  step %d: no card was measured\n", step);
    if (!(zero > 1)) printf("  step %d: a step that gains nothing earns points\n", step);
    for (int i = 0; i < count; i++) good = holds_on(cards[i], step, criterion) && good;
    all->criteria++;
    all->wrong += !good;
}

static bool check_rubric(const char *path, tally *all) {
    json_error_t error;
    json_t *rubric = json_load_file(path, 0, &error), *cards[CARDS_MAX];
    if (!rubric) printf("%s, line %d: %s\n", path, error.line, error.text);
    int count = load_cards(path, cards);
    size_t i, j;
    json_t *step, *criterion;
    printf("%s\n", path);
    json_array_foreach(json_object_get(rubric, "steps"), i, step) {
        int number = (int)json_integer_value(json_object_get(step, "step"));
        json_array_foreach(json_object_get(step, "criteria"), j, criterion)
            check_criterion(number, criterion, cards, count, all);
    }
    for (int c = 0; c < count; c++) json_decref(cards[c]);
    bool loaded = rubric;
    json_decref(rubric);
    return loaded;
}

int main(int argc, char **argv) {
    tally all = {0, 0};
    bool loaded = argc > 1;
    for (int i = 1; i < argc; i++) loaded = check_rubric(argv[i], &all) && loaded;
    printf("%d of %d speed criteria do not hold\n", all.wrong, all.criteria);
    return loaded && all.criteria > 0 && all.wrong == 0 ? 0 : 1;
}
