// What the programs share that call each algorithm of a library: arrays on the device, temporary
// memory, and a comparison of what comes back with what the host computes.
#pragma once

#include <vector>

#include "../helper.h"

template <typename T> class DeviceArray {
  public:
    explicit DeviceArray(size_t count) {
        checkCudaErrors(cudaMalloc(&data, count * sizeof(T) + 1));
    }
    explicit DeviceArray(const std::vector<T> &from) : DeviceArray(from.size()) {
        checkCudaErrors(
            cudaMemcpy(data, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice));
    }
    DeviceArray(const DeviceArray &) = delete;
    ~DeviceArray() { cudaFree(data); }
    operator T *() const { return data; }
    // The first `count` elements.
    std::vector<T> take(size_t count) const {
        std::vector<T> to(count);
        checkCudaErrors(cudaMemcpy(to.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
        return to;
    }
    T first() const { return take(1)[0]; }

  private:
    T *data = nullptr;
};

// A call of CUB: the first time it says how much temporary memory it needs.
template <typename F> void withTemporary(F f) {
    void *temporary = nullptr;
    size_t bytes = 0;
    checkCudaErrors(f(temporary, bytes));
    checkCudaErrors(cudaMalloc(&temporary, bytes + 1));
    checkCudaErrors(f(temporary, bytes));
    checkCudaErrors(cudaDeviceSynchronize());
    checkCudaErrors(cudaFree(temporary));
}

template <typename T> T *raw(const DeviceArray<T> &array) { return array; }
template <typename T> const T &raw(const T &value) { return value; }
template <typename F, typename... Arguments> void runCub(F f, const Arguments &...arguments) {
    withTemporary(
        [&](void *temporary, size_t &bytes) { return f(temporary, bytes, raw(arguments)...); });
}
// Runs cub::call with these arguments behind those of the temporary memory.
#define CUB(call, ...)                                                                             \
    runCub([](void *temporary, size_t &bytes,                                                      \
              auto... a) { return cub::call(temporary, bytes, a...); },                            \
           __VA_ARGS__)

class Comparisons {
  public:
    template <typename T>
    void expect(const char *what, const std::vector<T> &got, const std::vector<T> &want) {
        count++;
        if (got == want) return;
        passed = false;
        printf("%s of %zu: WRONG\n", what, want.size());
    }
    template <typename T> void expect(const char *what, T got, T want) {
        expect(what, std::vector<T>{got}, std::vector<T>{want});
    }
    int finish(const char *program) const {
        printf("%d comparisons\n", count);
        return ::finish(program, passed && count > 0);
    }

  private:
    int count = 0;
    bool passed = true;
};

inline std::vector<int> randomInts(HostRandom &random, size_t count, int limit) {
    std::vector<int> values(count);
    for (int &v : values) v = random.below(limit);
    return values;
}

// 0, 1, 2, ..
inline std::vector<int> ascending(size_t count) {
    std::vector<int> values(count);
    for (size_t i = 0; i < count; i++) values[i] = (int)i;
    return values;
}

template <typename T, typename F> std::vector<T> mapped(const std::vector<T> &from, F f) {
    std::vector<T> to;
    for (const T &v : from) to.push_back(f(v));
    return to;
}

// Where segments begin, and where the last one ends; some are empty, some long.
inline std::vector<int> segmentOffsets(HostRandom &random, int count, int total) {
    std::vector<int> offsets{0};
    for (int i = 1; i < count; i++) {
        int length = i % 4 == 0 ? 0 : random.below(i % 4 == 1 ? 20 : 4 * total / count);
        offsets.push_back(offsets.back() + length < total ? offsets.back() + length : total);
    }
    offsets.push_back(total);
    return offsets;
}

struct Plus {
    template <typename T> __host__ __device__ T operator()(T a, T b) const { return a + b; }
};
struct Larger {
    template <typename T> __host__ __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};
struct Less {
    template <typename T> __host__ __device__ bool operator()(const T &a, const T &b) const {
        return a < b;
    }
};
struct IsOdd {
    __host__ __device__ bool operator()(int v) const { return v & 1; }
};
struct Below {
    int limit;
    __host__ __device__ bool operator()(int v) const { return v < limit; }
};
struct Triple {
    __host__ __device__ int operator()(int v) const { return 3 * v + 1; }
};

// One element, less than a tile, and many tiles with a part of one.
constexpr int SIZES[] = {1, 1023, 20021};
