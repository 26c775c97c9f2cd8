// SPDX-License-Identifier: MIT
// Protects the promise that the timing model ranks the steps of a lab as the card does, and is not
// far off: of the pairs of steps whose measured times differ by more than a sixth part or so, the
// modelled times of nearly all must be in the same order: of all labs' pairs together, and of each
// lab's most. (Furthest behind is lab 01, whose tiled steps are modelled too fast and vectorized
// ones too slow at 4096. Farthest off is lab 11: a block that looks back at one tile after the
// other is modelled three to four times too fast, see docs/timing.md.)
//   model_order_test LAB/measured/DEVICE.json..
// Each run on a GPU needs one of the simulator beside it that models the same card.
#include <string.h>

#include "measured.h"

#define AGREE    0.95 // share of all pairs
#define LEAST    0.80 // of a lab's
#define FARTHEST 0.21 // mean error of a lab's times

// Whether enough of the lab's steps are in order; adds to *all. A lab whose runs have no case in
// common fails: nothing would be compared.
static bool compare_lab(const char *file, measured_fit *all) {
    char folder[4096];
    const char *slash = strrchr(file, '/');
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
    json_t *gpu = measured_load(file), *model = measured_load_model(folder, gpu);
    const char *lab = json_string_value(json_object_get(gpu, "lab"));
    measured_fit fit = {0};
    if (gpu && model && lab) {
        fit = measured_compare(gpu, model, stdout);
        printf("%s: %d of %d pairs of steps are in the measured order; %d times are off by %.1f %% "
               "on average\n",
               lab, fit.in_order, fit.pairs, fit.times, 100 * fit.mean_error);
    } else {
        printf("%s: no run of the simulator models %s; make one: ladder run %s --solution --device "
               "NAME --json FILE\n",
               folder, measured_device(gpu), lab ? lab : "LAB");
    }
    all->pairs += fit.pairs;
    all->in_order += fit.in_order;
    bool near = lab && fit.mean_error <= FARTHEST, ordered = fit.in_order >= LEAST * fit.pairs;
    json_decref(gpu);
    json_decref(model);
    return near && fit.pairs > 0 && ordered;
}

int main(int argc, char **argv) {
    int wrong = 0;
    measured_fit all = {0};
    for (int i = 1; i < argc; i++) wrong += !compare_lab(argv[i], &all);
    printf("all: %d of %d\n", all.in_order, all.pairs);
    return wrong != 0 || all.pairs == 0 || all.in_order < AGREE * all.pairs;
}
