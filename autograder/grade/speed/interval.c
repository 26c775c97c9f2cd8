// What ratios of times say about a threshold: see interval.h.
#include "grade/speed/interval.h"
#include "grade/rubric/rubric.h"
#include "utilities/defence.h"

static const double coverage = 0.95;
static const double grain = 0.1; // of the points: what noise may decide
// Of an interval that holds 1: the ratio of its ends, for any threshold, and for a wide one.
static const double same_width = 1.2, same_most = 1.4;

// Few values: Student's interval of the mean of their logarithms. They can lie nearer to each other
// by luck than processes do, so their deviation counts as no less than that of a quiet card.
static kl_interval few_interval(const double *ratios, int count) {
    static const double student[] = {12.706, 4.303, 3.182}; // 95 %, 1 to 3 degrees of freedom
    const double least = 0.01;
    double sum = 0, squares = 0;
    kl_interval interval = kl_median_interval(ratios, (size_t)count, coverage);
    for (int i = 0; i < count; i++) sum += log(ratios[i]);
    for (int i = 0; i < count; i++) squares += pow(log(ratios[i]) - sum / count, 2);
    double deviation = fmax(least, sqrt(squares / (count - 1)));
    double reach = student[count - 2] * deviation / sqrt(count);
    interval.low = exp(sum / count - reach);
    interval.high = exp(sum / count + reach);
    return interval;
}

static kl_interval interval_of(const double *ratios, int count, int many) {
    return count > 1 && count < many ? few_interval(ratios, count)
                                     : kl_median_interval(ratios, (size_t)count, coverage);
}

double ladder_call_time(double once_s, double twice_s, int k) {
    const double least = 0.9; // of the mean
    double slope = (twice_s - once_s) / k;
    if (!ladder_defence_on(LADDER_DEFENCE_CALL_BOUND)) return slope;
    return fmax(slope, least * twice_s / (2.0 * k));
}

double ladder_pair_ratio(const double times[4], double most_a) {
    if (!ladder_defence_on(LADDER_DEFENCE_BASELINE_BOUND)) most_a = INFINITY;
    double a = fmin(times[0] + times[3], 2 * most_a), b = times[1] + times[2];
    return a > 0 && b > 0 ? a / b : NAN;
}

ladder_decision ladder_decide_speed(const ladder_threshold *threshold, const double *ratios,
                                    int count, bool last, kl_interval *out_ratio) {
    *out_ratio = interval_of(ratios, count, LADDER_RATIOS);
    double low = ladder_ratio_share(threshold->full, threshold->zero, out_ratio->low);
    double high = ladder_ratio_share(threshold->full, threshold->zero, out_ratio->high);
    if (count >= LADDER_RATIOS_FEW && fabs(high - low) <= grain) return LADDER_DECIDED;
    return count < LADDER_RATIOS_MAX && !last ? LADDER_MORE : LADDER_DOUBT;
}

ladder_decision ladder_decide_same(double tolerance, const ladder_threshold *threshold,
                                   const double *ratios, int count, bool last,
                                   kl_interval *out_ratio) {
    double width = fmin(same_most, fmax(same_width, threshold->full / threshold->zero));
    *out_ratio = interval_of(ratios, count, LADDER_RATIOS);
    bool holds = out_ratio->low <= 1 + tolerance && out_ratio->high >= 1 - tolerance;
    bool narrow = out_ratio->high <= fmax(width, 1 + tolerance) * out_ratio->low;
    if (holds && narrow && count >= LADDER_RATIOS_FEW) return LADDER_DECIDED;
    if (!ladder_defence_on(LADDER_DEFENCE_MACHINE_STEADY)) return LADDER_DECIDED;
    return count < LADDER_SAMES_MAX && !last ? LADDER_MORE : LADDER_DOUBT;
}

bool ladder_threshold_propose(double naive, double intended, ladder_threshold *out_threshold) {
    out_threshold->full = sqrt(naive * intended);
    out_threshold->zero = sqrt(naive * out_threshold->full);
    return intended >= LADDER_GAIN_LEAST * naive;
}
