// CUB: selections and partitions.
// labels: full
#include <algorithm>
#include <cub/device/device_partition.cuh>
#include <cub/device/device_select.cuh>

#include "algorithms.h"

// Elements of x whose flags are set, or are not.
static std::vector<int> chosen(const std::vector<int> &x, const std::vector<char> &flags,
                               bool set = true) {
    std::vector<int> to;
    for (size_t i = 0; i < x.size(); i++)
        if ((flags[i] != 0) == set) to.push_back(x[i]);
    return to;
}

static void selections(Comparisons &compare, const std::vector<int> &x) {
    int n = (int)x.size();
    std::vector<char> flags;
    for (int i = 0; i < n; i++) flags.push_back((char)(x[i] % 3 == 0));
    std::vector<char> odd(x.begin(), x.end());
    for (int i = 0; i < n; i++) odd[i] = (char)(x[i] & 1);
    DeviceArray<int> in(x), out(n), count(1);
    DeviceArray<char> d_flags(flags);
    auto expect = [&](const char *what, const std::vector<int> &want) {
        compare.expect(what, count.first(), (int)want.size());
        compare.expect(what, out.take(want.size()), want);
    };
    CUB(DeviceSelect::Flagged, in, d_flags, out, count, n);
    expect("Select::Flagged", chosen(x, flags));
    CUB(DeviceSelect::If, in, out, count, n, IsOdd());
    expect("Select::If", chosen(x, odd));
    CUB(DeviceSelect::FlaggedIf, in, in, out, count, n, IsOdd());
    expect("Select::FlaggedIf", chosen(x, odd));
    std::vector<int> want(x);
    want.erase(std::unique(want.begin(), want.end()), want.end());
    CUB(DeviceSelect::Unique, in, out, count, n);
    expect("Select::Unique", want);
    CUB(DeviceSelect::If, in, count, n, IsOdd());
    compare.expect("Select::If in place", in.take(count.first()), chosen(x, odd));
}

static void uniqueByKey(Comparisons &compare, const std::vector<int> &x) {
    int n = (int)x.size();
    std::vector<int> keys, values;
    for (int i = 0; i < n; i++)
        if (i == 0 || x[i] != x[i - 1]) {
            keys.push_back(x[i]);
            values.push_back(i);
        }
    DeviceArray<int> in(x), marks(ascending(n)), out(n), out_marks(n), count(1);
    CUB(DeviceSelect::UniqueByKey, in, marks, out, out_marks, count, n);
    compare.expect("UniqueByKey's count", count.first(), (int)keys.size());
    compare.expect("UniqueByKey's keys", out.take(keys.size()), keys);
    compare.expect("UniqueByKey", out_marks.take(keys.size()), values);
}

static void partitions(Comparisons &compare, const std::vector<int> &x) {
    int n = (int)x.size();
    std::vector<char> odd;
    for (int v : x) odd.push_back((char)(v & 1));
    std::vector<int> want = chosen(x, odd), others = chosen(x, odd, false);
    int first = (int)want.size();
    want.insert(want.end(), others.rbegin(), others.rend());
    DeviceArray<int> in(x), out(n), count(1);
    DeviceArray<char> flags(odd);
    CUB(DevicePartition::Flagged, in, flags, out, count, n);
    compare.expect("Partition::Flagged's count", count.first(), first);
    compare.expect("Partition::Flagged", out.take(n), want);
    CUB(DevicePartition::If, in, out, count, n, IsOdd());
    compare.expect("Partition::If's count", count.first(), first);
    compare.expect("Partition::If", out.take(n), want);
}

static void threeWays(Comparisons &compare, const std::vector<int> &x) {
    int n = (int)x.size();
    std::vector<int> small, middle, large;
    for (int v : x) (v < 30 ? small : v < 70 ? middle : large).push_back(v);
    DeviceArray<int> in(x), one(n), two(n), three(n), counts(2);
    CUB(DevicePartition::If, in, one, two, three, counts, n, Below{30}, Below{70});
    compare.expect("three ways, counts", counts.take(2),
                   std::vector<int>{(int)small.size(), (int)middle.size()});
    compare.expect("three ways, first", one.take(small.size()), small);
    compare.expect("three ways, second", two.take(middle.size()), middle);
    compare.expect("three ways, third", three.take(large.size()), large);
}

int main() {
    HostRandom random(25);
    Comparisons compare;
    for (int n : SIZES) {
        std::vector<int> x = randomInts(random, (size_t)n, 100), few = randomInts(random, n, 3);
        selections(compare, x);
        selections(compare, few);
        uniqueByKey(compare, few);
        partitions(compare, x);
        threeWays(compare, x);
    }
    return compare.finish("cub_select");
}
