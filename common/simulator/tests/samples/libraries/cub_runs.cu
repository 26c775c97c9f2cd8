// CUB: run lengths. NonTrivialRuns has its threads put what they do not want into one element of
// shared memory behind the last one that is read.
// labels: full
#include <cub/device/device_run_length_encode.cuh>

#include "algorithms.h"

static void runs(Comparisons &compare, const std::vector<int> &x) {
    int n = (int)x.size();
    std::vector<int> values, lengths, starts, long_lengths;
    for (int i = 0, end; i < n; i = end) {
        for (end = i; end < n && x[end] == x[i];) end++;
        values.push_back(x[i]);
        lengths.push_back(end - i);
        if (end - i == 1) continue;
        starts.push_back(i);
        long_lengths.push_back(end - i);
    }
    DeviceArray<int> in(x), out(n), out_lengths(n), count(1);
    CUB(DeviceRunLengthEncode::Encode, in, out, out_lengths, count, n);
    compare.expect("Encode's count", count.first(), (int)values.size());
    compare.expect("Encode's values", out.take(values.size()), values);
    compare.expect("Encode", out_lengths.take(lengths.size()), lengths);
    CUB(DeviceRunLengthEncode::NonTrivialRuns, in, out, out_lengths, count, n);
    compare.expect("NonTrivialRuns' count", count.first(), (int)starts.size());
    compare.expect("NonTrivialRuns' starts", out.take(starts.size()), starts);
    compare.expect("NonTrivialRuns", out_lengths.take(starts.size()), long_lengths);
}

int main() {
    HostRandom random(30);
    Comparisons compare;
    for (int n : SIZES) runs(compare, randomInts(random, (size_t)n, 3));
    return compare.finish("cub_runs");
}
