// Protects the promise that the timing model ranks the steps of a lab as the card does, and is not
// far off: of the pairs of steps whose measured times differ by more than a sixth part or so, the
// modelled times of nearly all must be in the same order: of all labs' pairs together, and of each
// lab's most. (Furthest behind is lab 01, whose tiled steps are modelled too fast and vectorized
// ones too slow at 4096. Farthest off is lab 11: a block that looks back at one tile after the
// other is modelled three to four times too fast, see docs/timing.md.)
//   model_order_test LABS/measured/CARD.csv
// Each run on a GPU needs one in simulator.csv beside it that models the same card.
#include <string.h>

#include "measured.h"

#define AGREE    0.95 // share of all pairs
#define LEAST    0.80 // of a lab's
#define FARTHEST 0.21 // mean error of a lab's times

// Whether enough of the lab's steps are in order; adds to *all. A lab whose runs have no case in
// common fails: nothing would be compared.
static bool compare_lab(const char *labs, const char *lab, const json_t *gpu, measured_fit *all) {
    json_t *model = measured_load_model(labs, lab, gpu);
    measured_fit fit = {0};
    if (model) {
        fit = measured_compare(gpu, model, stdout);
        printf("%s: %d of %d pairs of steps are in the measured order; %d times are off by %.1f %% "
               "on average\n",
               lab, fit.in_order, fit.pairs, fit.times, 100 * fit.mean_error);
    } else {
        printf("%s: no run of the simulator models %s; make one: ladder run %s --solution --device "
               "NAME --json FILE\n",
               lab, measured_device(gpu), lab);
    }
    all->pairs += fit.pairs;
    all->in_order += fit.in_order;
    bool near = model && fit.mean_error <= FARTHEST, ordered = fit.in_order >= LEAST * fit.pairs;
    json_decref(model);
    return near && fit.pairs > 0 && ordered;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    char labs[4096] = "", measured[4096];
    int wrong = 0;
    measured_fit all = {0};
    measured_place(argv[1], labs, measured, sizeof labs);
    json_t *documents = measured_documents(argv[1], NULL), *run;
    const char *name;
    json_object_foreach(documents, name, run) {
        char lab[128];
        snprintf(lab, sizeof lab, "%.*s", (int)strcspn(name, "/"), name);
        if (strcmp(name + strlen(lab), "/run") == 0) wrong += !compare_lab(labs, lab, run, &all);
    }
    json_decref(documents);
    printf("all: %d of %d\n", all.in_order, all.pairs);
    return wrong != 0 || all.pairs == 0 || all.in_order < AGREE * all.pairs;
}
