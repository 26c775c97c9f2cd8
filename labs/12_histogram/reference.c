// The readable answer to lab 12. Must not be linked into anything that a submission can read.
//
// There is no error bound to derive: counts are integers of at most n <= 2^31, every partial count
// is one, too, and the addition of unsigned integers is associative. Any order of counting gives
// the same answer, so one missing value always shows.
#include "reference.h"

#include "compare.h"

void histogram_reference(const void *x, int64_t n, histogram_kind kind, uint32_t *counts) {
    memset(counts, 0, sizeof *counts * (size_t)histogram_bins(kind));
    int shift = histogram_shift(kind);
    switch (kind) {
    case HISTOGRAM_BYTES:
        for (int64_t i = 0; i < n; i++) counts[((const uint8_t *)x)[i] >> shift]++;
        break;
    case HISTOGRAM_SHORTS:
        for (int64_t i = 0; i < n; i++) counts[((const uint16_t *)x)[i] >> shift]++;
        break;
    case HISTOGRAM_INTS:
        for (int64_t i = 0; i < n; i++) counts[((const uint32_t *)x)[i] >> shift]++;
        break;
    }
}

// What is true of all counts together; sum: of what was written, counts that were not left out.
typedef struct totals {
    int64_t sum;
    int unwritten, zero_unwritten, doubled;
} totals;

static totals look_at(const uint32_t *want, const uint32_t *got, int bins) {
    totals t = {0, 0, 0, 0};
    for (int b = 0; b < bins; b++) {
        bool unwritten = kl_is_never_written(kl_integer_seen(got[b], 0));
        t.unwritten += unwritten;
        t.zero_unwritten += unwritten && want[b] == 0;
        t.doubled += !unwritten && got[b] == 2 * want[b];
        if (!unwritten) t.sum += got[b];
    }
    return t;
}

void histogram_explain(const uint32_t *want, const uint32_t *got, int64_t n, histogram_kind kind,
                       char *hint, size_t hint_bytes) {
    int bins = histogram_bins(kind);
    totals t = look_at(want, got, bins);
    hint[0] = '\0';
    if (t.unwritten > 0 && t.unwritten == t.zero_unwritten)
        snprintf(hint, hint_bytes, "a bin without values must be written, too: its count is 0");
    else if (t.unwritten > 0)
        snprintf(hint, hint_bytes, "%d of %d counts were never written", t.unwritten, bins);
    else if (t.doubled == bins && n > 0)
        snprintf(hint, hint_bytes, "every count is twice as large");
    else if (t.sum < n)
        snprintf(hint, hint_bytes, "the counts add up to %lld, %lld less than there are values",
                 (long long)t.sum, (long long)(n - t.sum));
    else if (t.sum > n)
        snprintf(hint, hint_bytes, "the counts add up to %lld, %lld more than there are values",
                 (long long)t.sum, (long long)(t.sum - n));
    else
        snprintf(hint, hint_bytes,
                 "the counts add up to the number of values: some were put into a wrong bin");
}
