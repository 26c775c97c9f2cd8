// The orders of lab 04's sweep: see sweep.h. Sampled from the paper's 16 .. 12800, denser where its
// figure 3 has structure: the period of 16 of the library of its time, and the period of 512 of its
// own block distribution.
#include <stdlib.h>
#include <string.h>

#include "sweep.h"

static void mark(bool *wanted, int first, int last, int step) {
    for (int n = first; n <= last; n += step)
        if (n >= SWEEP_FROM && n <= SWEEP_TO) wanted[n] = true;
}

static void mark_measured(bool *wanted) {
    static const int around[] = {2048, 4096, 8192};
    mark(wanted, SWEEP_FROM, SWEEP_FROM, 1);
    mark(wanted, 64, SWEEP_TO, 64);
    for (int i = 0; i < 3; i++)
        mark(wanted, around[i] - 8, around[i] + 8, 1); // all residues mod 16
    for (int n = 512; n <= SWEEP_TO; n += 512) mark(wanted, n - 1, n + 1, 1);
    mark(wanted, 6080, 6208, 1); // the paper's enlargement
}

int sweep_orders(bool simulated, int out_orders[SWEEP_POINTS], sweep_zoom *out_zoom) {
    static bool wanted[SWEEP_TO + 1];
    memset(wanted, 0, sizeof wanted);
    if (simulated) {
        mark(wanted, SWEEP_FROM, SWEEP_FROM, 1);
        mark(wanted, 64, 768, 64);
        mark(wanted, 504, 520, 1);
        *out_zoom = (sweep_zoom){504, 520};
    } else {
        mark_measured(wanted);
        *out_zoom = (sweep_zoom){6080, 6208};
    }
    int count = 0;
    for (int n = SWEEP_FROM; n <= SWEEP_TO && count < SWEEP_POINTS; n++)
        if (wanted[n]) out_orders[count++] = n;
    return count;
}
