// CUB: all device-wide scans, inclusive and exclusive, in place, by key, and of other types.
// labels: full
#include <cub/device/device_scan.cuh>

#include "algorithms.h"

// keys: none, or one for each element; a run of equal ones is scanned by itself.
template <typename T, typename F>
static std::vector<T> scanned(const std::vector<T> &x, const std::vector<int> &keys, F f, T init,
                              bool has_init, bool inclusive) {
    std::vector<T> to(x.size());
    T sum = init;
    for (size_t i = 0; i < x.size(); i++) {
        bool begins = i == 0 || (!keys.empty() && keys[i] != keys[i - 1]);
        T next = begins ? (has_init ? f(init, x[i]) : x[i]) : f(sum, x[i]);
        to[i] = inclusive ? next : begins ? init : sum;
        sum = next;
    }
    return to;
}

template <typename T> static void sums(Comparisons &compare, const std::vector<T> &x) {
    int n = (int)x.size();
    DeviceArray<T> in(x), out(n);
    CUB(DeviceScan::ExclusiveSum, in, out, n);
    compare.expect("ExclusiveSum", out.take(n), scanned(x, {}, Plus(), T(0), true, false));
    CUB(DeviceScan::InclusiveSum, in, out, n);
    compare.expect("InclusiveSum", out.take(n), scanned(x, {}, Plus(), T(0), true, true));
    CUB(DeviceScan::InclusiveSum, in, n);
    compare.expect("InclusiveSum in place", in.take(n), scanned(x, {}, Plus(), T(0), true, true));
}

static void scans(Comparisons &compare, const std::vector<int> &x) {
    int n = (int)x.size();
    DeviceArray<int> in(x), out(n);
    CUB(DeviceScan::ExclusiveScan, in, out, Larger(), 500, n);
    compare.expect("ExclusiveScan", out.take(n), scanned(x, {}, Larger(), 500, true, false));
    CUB(DeviceScan::InclusiveScan, in, out, Larger(), n);
    compare.expect("InclusiveScan", out.take(n), scanned(x, {}, Larger(), 0, false, true));
    CUB(DeviceScan::InclusiveScanInit, in, out, Larger(), 500, n);
    compare.expect("InclusiveScanInit", out.take(n), scanned(x, {}, Larger(), 500, true, true));
    CUB(DeviceScan::ExclusiveSum, in, n);
    compare.expect("ExclusiveSum in place", in.take(n), scanned(x, {}, Plus(), 0, true, false));
}

static void byKey(Comparisons &compare, const std::vector<int> &x) {
    int n = (int)x.size();
    std::vector<int> keys(n);
    for (int i = 0; i < n; i++) keys[i] = i == 0 ? 0 : keys[i - 1] + (x[i] % 7 == 0);
    DeviceArray<int> d_keys(keys), in(x), out(n);
    CUB(DeviceScan::ExclusiveSumByKey, d_keys, in, out, n);
    compare.expect("ExclusiveSumByKey", out.take(n), scanned(x, keys, Plus(), 0, true, false));
    CUB(DeviceScan::InclusiveSumByKey, d_keys, in, out, n);
    compare.expect("InclusiveSumByKey", out.take(n), scanned(x, keys, Plus(), 0, true, true));
    CUB(DeviceScan::ExclusiveScanByKey, d_keys, in, out, Larger(), 500, n);
    compare.expect("ExclusiveScanByKey", out.take(n), scanned(x, keys, Larger(), 500, true, false));
    CUB(DeviceScan::InclusiveScanByKey, d_keys, in, out, Larger(), n);
    compare.expect("InclusiveScanByKey", out.take(n), scanned(x, keys, Larger(), 0, false, true));
}

int main() {
    HostRandom random(22);
    Comparisons compare;
    for (int n : SIZES) {
        std::vector<int> x = randomInts(random, (size_t)n, 1000);
        sums(compare, x);
        sums(compare, std::vector<double>(x.begin(), x.end())); // exact: small integers
        sums(compare, std::vector<uint8_t>(x.begin(), x.end()));
        scans(compare, x);
        byKey(compare, x);
    }
    return compare.finish("cub_scan");
}
