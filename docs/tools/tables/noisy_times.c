// Simulated timings: see noisy_times.h.
#include "tables/noisy_times.h"

#include "grade/speed/interval.h"
#include "random.h"
#include "grade/rubric/rubric.h"

const noise_kind noise_kinds[] = {
    {"1 %", 0.01, 0.005, 0, 0},
    {"3 %", 0.03, 0.015, 0, 0},
    {"10 %", 0.10, 0.05, 0, 0},
    {"3 %, one timing in 20 disturbed", 0.03, 0.015, 0, 0.05},
    {"3 %, the clock falls by 10 %", 0.03, 0.015, 0.10, 0},
    {"10 %, disturbed and falling", 0.10, 0.05, 0.10, 0.05},
    {"40 %", 0.40, 0.20, 0, 0},
};
const int noise_kind_count = sizeof noise_kinds / sizeof noise_kinds[0];

// Random numbers in order.
typedef struct source {
    uint64_t seed, used;
} source;

static double draw(source *s) { // in (0, 1)
    return ((double)(kl_random_u64(s->seed, s->used++) >> 11) + 0.5) * 0x1p-53;
}

// A lognormal factor with median 1 (Box and Muller, 1958).
static double factor(source *s, double deviation) {
    double radius = sqrt(-2 * log(draw(s))), angle = 2 * acos(-1) * draw(s);
    return exp(deviation * radius * cos(angle));
}

static double time_once(source *s, const noise_kind *kind, double true_s, double process,
                        double progress) {
    double slow = draw(s) < kind->outlier ? 1.5 + 3.5 * draw(s) : 1;
    return true_s * process * slow * (1 + kind->drift * progress) * factor(s, kind->timing);
}

// Median of one pair of processes, of steps that take `gain` and 1. own: what each process as a
// whole is slower by.
static double race(source *s, const noise_kind *kind, double gain, double first, double second) {
    double ratios[LADDER_ROUNDS], own[] = {first, second};
    for (int i = 0; i < LADDER_ROUNDS; i++) {
        double times[4];
        for (int t = 0; t < 4; t++) {
            int at = t == 1 || t == 2;
            times[t] =
                time_once(s, kind, at ? 1 : gain, own[at], (4.0 * i + t) / (4 * LADDER_ROUNDS));
        }
        ratios[i] = ladder_pair_ratio(times, INFINITY);
    }
    return kl_median(ratios, LADDER_ROUNDS);
}

// Three processes, each against the next, and as many times three as it takes.
static bool is_fit(source *s, const noise_kind *kind, const ladder_threshold *threshold,
                   int *pairs) {
    enum { TOGETHER = 3 };
    double ratios[LADDER_SAMES_MAX];
    const double tolerance = 0.01; // LADDER_SPEED_TOLERANCE
    kl_interval same;
    for (int count = 0;;) {
        double own[TOGETHER];
        for (int i = 0; i < TOGETHER; i++) own[i] = factor(s, kind->process);
        for (int i = 0; i < TOGETHER; i++)
            ratios[count++] = race(s, kind, 1, own[i], own[(i + 1) % TOGETHER]);
        *pairs += TOGETHER;
        ladder_decision d = ladder_decide_same(tolerance, threshold, ratios, count, false, &same);
        if (d != LADDER_MORE) return d == LADDER_DECIDED;
    }
}

noise_rates noise_simulate(const noise_kind *kind, double full, double zero, double gain) {
    noise_rates sum = {0};
    const ladder_threshold threshold = {full, zero};
    int fit = 0, pairs = 0;
    for (int trial = 0; trial < NOISE_TRIALS; trial++) {
        source s = {kl_random_fork(20250131, (uint64_t)trial), 0};
        if (!is_fit(&s, kind, &threshold, &pairs)) continue;
        double ratios[LADDER_RATIOS_MAX];
        kl_interval ratio;
        ladder_decision d = LADDER_MORE;
        for (int count = 1; d == LADDER_MORE; count++) {
            double own = factor(&s, kind->process);
            ratios[count - 1] = race(&s, kind, gain, own, factor(&s, kind->process));
            if (count >= LADDER_RATIOS_FEW && count % 2 == 1) // 3, and 2 more each time
                d = ladder_decide_speed(&threshold, ratios, count, false, &ratio);
            pairs++;
        }
        double share = ladder_ratio_share(full, zero, ratio.high);
        fit++;
        sum.full += share >= 1;
        sum.some += share > 0.1;
        sum.doubt += d == LADDER_DOUBT;
    }
    double of = fit > 0 ? fit : 1;
    return (noise_rates){.unfit = 1 - (double)fit / NOISE_TRIALS,
                         .full = sum.full / of,
                         .some = sum.some / of,
                         .doubt = sum.doubt / of,
                         .pairs = (double)pairs / NOISE_TRIALS};
}
