// What noise makes of verdicts on speed, by simulation (noisy_times.h), as a table.
#include "tables/noisy_times.h"
#include "tables/tables.h"

static void print_share(FILE *out, double share) { fprintf(out, " %.1f %% |", 100 * share); }

// Gains relative to thresholds that lie as `ladder calibrate` would put them for a solution that is
// twice as fast: sqrt(2) and 2 to the power of a quarter.
bool tables_print_noise(FILE *out, const char *root, const char *unused) {
    const double full = 1.4142, zero = 1.1892;
    (void)root;
    (void)unused;
    fputs("| noise of one timing | solution (2.0 x): not all | 10 % above full: not all | earlier "
          "step (1.0 x): any | 5 % below none: any | benefit of the doubt | unfit | pairs |\n"
          "|---|---|---|---|---|---|---|---|\n",
          out);
    for (int i = 0; i < noise_kind_count; i++) {
        const noise_kind *kind = &noise_kinds[i];
        noise_rates solution = noise_simulate(kind, full, zero, 2.0);
        noise_rates above = noise_simulate(kind, full, zero, 1.1 * full);
        noise_rates earlier = noise_simulate(kind, full, zero, 1.0);
        noise_rates below = noise_simulate(kind, full, zero, zero / 1.05);
        double pairs = 0.25 * (solution.pairs + above.pairs + earlier.pairs + below.pairs);
        double doubt = 0.25 * (solution.doubt + above.doubt + earlier.doubt + below.doubt);
        fprintf(out, "| %s |", kind->name);
        if (solution.unfit < 1) {
            print_share(out, 1 - solution.full);
            print_share(out, 1 - above.full);
            print_share(out, earlier.some);
            print_share(out, below.some);
            print_share(out, doubt);
        } else {
            fputs(" - | - | - | - | - |", out);
        }
        print_share(out, solution.unfit);
        fprintf(out, " %.1f |\n", pairs);
    }
    return true;
}
