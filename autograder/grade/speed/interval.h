// What ratios of times say about a threshold: pure statistics, which know no clock and no process,
// so that a simulation can feed them noise (docs/tools/tables/noisy_times.c).
//
// One ratio comes from one pair of fresh processes: what differs from process to process (where
// memory lies, the clock rate) then differs from ratio to ratio, and the interval covers it.
// Within a pair of processes the two steps are timed in the order A B B A, so that a drift which is
// linear in time cancels out, some times, and the median of these ratios is taken, so that single
// disturbances do not count. The interval of the median over processes is the percentile bootstrap
// (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13), resampled from a
// fixed seed (host/stats.h): the same ratios always give the same interval. Three or four ratios
// are too few for it: there it is Student's interval, which is wide, and decides where a step is
// far from its thresholds; most are. Randomised pairs
// and fresh processes follow Kalibera and Jones, "Rigorous Benchmarking in Reasonable Time", 2013.
#pragma once

#include "stats.h"
#include <stdbool.h>
#include <stddef.h>

enum {
    LADDER_RATIOS_FEW = 3,  // pairs of processes at least
    LADDER_RATIOS = 5,      // from here on the interval is the bootstrap's
    LADDER_RATIOS_MAX = 15, // pairs at most, while noise decides
    LADDER_SAMES_MAX = 12,  // the same of a step against itself
    LADDER_ROUNDS = 5       // A B B A measurements of one pair, at most
};

// Between these two values lies a logarithmic ramp (ladder_ratio_share).
typedef struct ladder_threshold {
    double full, zero; // ratio that earns all points, and none
} ladder_threshold;

// What the ratios so far allow to say.
typedef enum ladder_decision {
    LADDER_MORE,    // another pair of processes is needed
    LADDER_DECIDED, // speed: both ends of the interval earn the same; itself: 1 is in the interval
    LADDER_DOUBT    // as many as there may be, and noise still decides
} ladder_decision;

// Time of one call from what k calls took and then 2k calls: the slope, in which start and answer
// cancel out. A step can slow its k calls down on purpose, and then the slope is too small: it
// counts no less than nine tenths of what a call of the 2k takes on average. Start and answer are
// 0.1 to 0.3 ms, and 2k calls 5 ms or more.
double ladder_call_time(double once_s, double twice_s, int k);

// Times of one call, in the order A B B A. A counts at most `most_a` (INFINITY: no limit): what a
// step that is timed beside the baseline can do to it does not make the step faster. NaN when a
// time is not positive.
double ladder_pair_ratio(const double times[4], double most_a);

// ratios: [count], one per pair of processes. last: no further pair will be timed. Decided is what
// both ends of the interval earn to within a tenth of the points: above `full` all, below `zero`
// none.
ladder_decision ladder_decide_speed(const ladder_threshold *threshold, const double *ratios,
                                    int count, bool last, kl_interval *out_ratio);

// Of a step against itself. Decided: the interval holds 1, or lies within `tolerance` of it, and is
// narrower than what the threshold leaves as margin: from `zero` to `full` is as far as from what a
// step without the gain reaches to `zero` (ladder_threshold_propose). Doubt: this machine cannot be
// timed on.
ladder_decision ladder_decide_same(double tolerance, const ladder_threshold *threshold,
                                   const double *ratios, int count, bool last,
                                   kl_interval *out_ratio);

// Thresholds for a card on which the kit's solution is `intended` times as fast as the step that it
// is compared with, and the best step that has not learned it yet (that step itself, or an earlier
// one) `naive` times: all points from the geometric mean of the two, none up to that of `naive`
// and the middle. False when they lie so near that noise would decide (LADDER_GAIN_LEAST).
bool ladder_threshold_propose(double naive, double intended, ladder_threshold *out_threshold);

#define LADDER_GAIN_LEAST 1.15 // intended / naive that leaves margins above a card's noise
