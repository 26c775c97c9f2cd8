// Protects the speed criteria of rubrics: the solution must earn every point on every card that its
// lab was measured on, with room for noise and for the difference between one timing and another.
// So each criterion's steps must have been measured in its case on each card
// (measured/CARD.csv beside the lab), and the ratio of the measured times must lie above its
// threshold for full points by the factor MARGIN. A threshold for no points must lie above 1, or a
// step that gains nothing would earn some.
//   speed_thresholds_test LAB/lab.json..
#include "grade/description/description.h"
#include "grade/speed/interval.h"
#include "measured.h"

#define MARGIN     1.10
#define OWN_MARGIN 1.07 // the root of LADDER_GAIN_LEAST: calibrated thresholds lie half way
enum { CARDS_MAX = 16 };

typedef struct tally {
    int criteria, wrong;
} tally;

// The lab's runs on GPUs.
static int load_cards(const char *description, json_t *cards[CARDS_MAX]) {
    char labs[4000], lab[4000];
    measured_place(description, labs, lab, sizeof lab);
    return measured_load_cards(labs, lab, "run", cards, CARDS_MAX);
}

static bool holds_on(const json_t *card, int step, const kl_json_value *criterion) {
    int over = (int)ladder_field_integer(criterion, "over", 0);
    const char *family = ladder_field_text(criterion, "family", "");
    long long size = ladder_field_integer(criterion, "size", 0);
    double full = ladder_field_number(criterion, "full", 0);
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

static void check_criterion(int step, const kl_json_value *criterion, json_t *const *cards,
                            int count, tally *all) {
    if (strcmp(ladder_field_text(criterion, "kind", ""), "speed") != 0) return;
    double zero = ladder_field_number(criterion, "zero", 0);
    bool good = count > 0 && zero > 1;
    if (count == 0) printf("  step %d: no card was measured\n", step);
    if (!(zero > 1)) printf("  step %d: a step that gains nothing earns points\n", step);
    for (int i = 0; i < count; i++) good = holds_on(cards[i], step, criterion) && good;
    all->criteria++;
    all->wrong += !good;
}

static bool check_lab(const char *path, tally *all) {
    kl_error err;
    ladder_description d;
    json_t *cards[CARDS_MAX];
    if (ladder_description_load(path, NULL, &d, &err) != KL_OK) {
        printf("%s\n", err.text);
        return false;
    }
    int count = load_cards(path, cards);
    const kl_json_value *step = ladder_field_items(d.root, "steps");
    printf("%s\n", path);
    for (; step; step = step->next) {
        const kl_json_value *criterion = ladder_field_items(step, "criteria");
        for (; criterion; criterion = criterion->next)
            check_criterion((int)ladder_field_integer(step, "step", 0), criterion, cards, count,
                            all);
    }
    for (int c = 0; c < count; c++) json_decref(cards[c]);
    ladder_description_free(&d);
    return true;
}

int main(int argc, char **argv) {
    tally all = {0, 0};
    bool loaded = argc > 1;
    for (int i = 1; i < argc; i++) loaded = check_lab(argv[i], &all) && loaded;
    printf("%d of %d speed criteria do not hold\n", all.wrong, all.criteria);
    return loaded && all.criteria > 0 && all.wrong == 0 ? 0 : 1;
}
