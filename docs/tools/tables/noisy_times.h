// Simulated timings: what noise makes of verdicts on speed (autograder/grade/speed/interval.h).
// Times are drawn from a fixed seed, go through the judge's own statistics, and wrong verdicts are
// counted.
#pragma once

#include <stdbool.h>

// Noise of the simulated machine: times are multiplied by factors that are lognormal.
typedef struct noise_kind {
    const char *name;
    double timing;  // standard deviation of the factor of one timing
    double process; // and of one process, as a whole
    double drift;   // the clock slows down by this share while one pair of processes is timed
    double outlier; // share of timings that take 1.5 to 5 times as long
} noise_kind;

extern const noise_kind noise_kinds[];
extern const int noise_kind_count;

// Verdicts on steps with a known gain, as shares of NOISE_TRIALS submissions.
typedef struct noise_rates {
    double unfit; // the machine was not fit to time on; the others are shares of the rest
    double full;  // earned all points
    double some;  // earned more than a tenth of the points
    double doubt; // had the benefit of the doubt
    double pairs; // of processes, on average
} noise_rates;

enum { NOISE_TRIALS = 200 };

// full, zero: the thresholds; gain: how many times as fast as the baseline the step really is.
noise_rates noise_simulate(const noise_kind *kind, double full, double zero, double gain);
