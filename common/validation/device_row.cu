// Measures what a row of simulator/device/devices.def says of a card beyond its datasheet, and
// prints it: rates of reading, of copying and of the L2, what stores cost the L2, latencies, and
// the time of a launch. Medians of 21 runs after a warm-up. Build with `nvcc -arch=native -O3
// device_row.cu`; run without arguments, with nothing else on the card.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#include "check.h"

enum { THREADS = 256, RUNS = 21, CHASE_STEPS = 1 << 14, STORE_PASSES = 16, L2_PASSES = 32 };

// Each thread reads 16 bytes per step; four independent reads in flight.
__global__ void read_all(const uint4 *in, size_t count, int passes, uint32_t *out) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    uint32_t sum = 0;
    for (int pass = 0; pass < passes; pass++)
        for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += 4 * stride) {
            uint4 v[4];
#pragma unroll
            for (int k = 0; k < 4; k++)
                v[k] =
                    i + k * stride < count ? __ldcg(in + i + k * stride) : make_uint4(0, 0, 0, 0);
#pragma unroll
            for (int k = 0; k < 4; k++) sum += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
        }
    if (sum == 0x12345678u) *out = sum; // never, but the compiler cannot know
}

__global__ void copy_all(const uint4 *in, uint4 *out, size_t count) {
    size_t stride = (size_t)gridDim.x * blockDim.x;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
        out[i] = in[i];
}

// Writes the first SECTORS sectors (32 bytes) of every line (128 bytes); 8 threads per sector.
template <unsigned SECTORS> __global__ void store_sectors(uint32_t *out, unsigned lines) {
    const unsigned across = SECTORS * 8, stride = gridDim.x * blockDim.x, words = lines * across;
    for (int pass = 0; pass < STORE_PASSES; pass++)
        for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride)
            out[i / across * 32 + i % across] = pass;
}

// One thread follows indices; every load waits for the one before. past_l1: served by the L2 at
// best.
__global__ void chase(const uint32_t *next, uint32_t start, long long *out_cycles, uint32_t *out) {
    uint32_t at = start;
    for (int i = 0; i < 1024; i++) at = __ldcg(next + at); // warms the TLB along the way
    long long begin = clock64();
    for (int i = 0; i < CHASE_STEPS; i++) at = __ldcg(next + at);
    *out_cycles = clock64() - begin;
    *out = at;
}

__global__ void chase_shared(long long *out_cycles, uint32_t *out) {
    __shared__ uint32_t next[1024];
    for (int i = 0; i < 1024; i++) next[i] = (i + 33) % 1024;
    uint32_t at = 0;
    long long begin = clock64();
    for (int i = 0; i < CHASE_STEPS; i++) at = next[at];
    *out_cycles = clock64() - begin;
    *out = at;
}

__global__ void empty(void) {}

// Microseconds between events around `work`, behind `before`.
template <class Work, class Before> static double median_us(Work work, Before before) {
    double times[RUNS];
    cudaEvent_t begin, end;
    CHECK(cudaEventCreate(&begin));
    CHECK(cudaEventCreate(&end));
    for (int i = -2; i < RUNS; i++) {
        float ms;
        before();
        CHECK(cudaEventRecord(begin));
        work();
        CHECK(cudaGetLastError());
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 0) times[i] = ms * 1e3;
    }
    std::sort(times, times + RUNS);
    return times[RUNS / 2];
}
template <class Work> static double median_us(Work work) {
    return median_us(
        work, [] {});
}

// Of `launches` empty kernels that wait behind a long copy: the host has queued them all before the
// first one starts, so that it costs nothing.
static double queued_us(uint4 *a, uint4 *b, size_t count, int grid, int launches) {
    auto launch = [&] {
        for (int k = 0; k < launches; k++) empty<<<1, 32>>>();
    };
    return median_us(launch, [&] { copy_all<<<grid, THREADS>>>(a, b, count); });
}

template <unsigned SECTORS> static double store_line_ns(uint32_t *out, unsigned lines, int grid) {
    double us = median_us([&] { store_sectors<SECTORS><<<grid, THREADS>>>(out, lines); });
    return us * 1e3 / ((double)lines * STORE_PASSES);
}

// Cycles per load when every load waits for the one before, over `bytes` in lines of 128 bytes in
// random order.
static double chase_cycles(size_t bytes) {
    size_t lines = bytes / 128;
    uint32_t *order = (uint32_t *)malloc(lines * 4), *next = (uint32_t *)calloc(lines, 128),
             *device, *out;
    long long *cycles, measured[5];
    uint64_t random = 88172645463325252ull;
    for (size_t i = 0; i < lines; i++) order[i] = (uint32_t)i;
    for (size_t i = lines - 1; i > 0; i--) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        std::swap(order[i], order[random % (i + 1)]);
    }
    for (size_t i = 0; i < lines; i++) next[order[i] * 32] = order[(i + 1) % lines] * 32;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMalloc(&out, 4));
    CHECK(cudaMallocManaged(&cycles, 8));
    CHECK(cudaMemcpy(device, next, bytes, cudaMemcpyHostToDevice));
    for (int i = 0; i < 5; i++) {
        chase<<<1, 1>>>(device, order[(i * 40000ull) % lines] * 32, cycles, out);
        CHECK(cudaDeviceSynchronize());
        measured[i] = *cycles;
    }
    std::sort(measured, measured + 5);
    CHECK(cudaFree(device));
    free(order);
    free(next);
    return (double)measured[2] / CHASE_STEPS;
}

int main() {
    cudaDeviceProp p;
    int clock_khz, blocks;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrClockRate, 0));
    printf("name=%s sm_count=%d clock_mhz=%d l2_bytes=%d memory_bytes=%zu shared_sm=%zu "
           "shared_optin=%zu regs_sm=%d\n",
           p.name, p.multiProcessorCount, clock_khz / 1000, p.l2CacheSize, p.totalGlobalMem,
           p.sharedMemPerMultiprocessor, p.sharedMemPerBlockOptin, p.regsPerMultiprocessor);
    int memory_khz;
    size_t persisting;
    CHECK(cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0));
    CHECK(cudaDeviceGetLimit(&persisting, cudaLimitPersistingL2CacheSize));
    printf("memory_clock_khz=%d memory_bus_bits=%d persisting_l2_bytes=%d "
           "persisting_l2_default_bytes=%zu access_window_bytes=%d\n",
           memory_khz, p.memoryBusWidth, p.persistingL2CacheMaxSize, persisting,
           p.accessPolicyMaxWindowSize);
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, read_all, THREADS, 0));
    const int grid = p.multiProcessorCount * blocks;
    const size_t big = (size_t)2 << 30, small = (size_t)16 << 20;
    uint4 *a, *b;
    uint32_t *out;
    CHECK(cudaMalloc(&a, big));
    CHECK(cudaMalloc(&b, big));
    CHECK(cudaMalloc(&out, 4));
    CHECK(cudaMemset(a, 17, big));
    CHECK(cudaMemset(b, 18, big));
    double us = median_us([&] { read_all<<<grid, THREADS>>>(a, big / 16, 1, out); });
    printf("read_gbs=%.0f", big / us / 1e3);
    us = median_us([&] { copy_all<<<grid, THREADS>>>(a, b, big / 16); });
    printf(" copy_gbs=%.0f", 2.0 * big / us / 1e3);
    us = median_us([&] { CHECK(cudaMemcpyAsync(b, a, big, cudaMemcpyDeviceToDevice)); });
    printf(" memcpy_gbs=%.0f", 2.0 * big / us / 1e3);
    us = median_us([&] { read_all<<<grid, THREADS>>>(a, small / 16, L2_PASSES, out); });
    printf(" l2_gbs=%.0f\n", (double)small * L2_PASSES / us / 1e3);
    const unsigned lines = small / 128;
    uint32_t *words = (uint32_t *)a;
    const double line_ns[] = {
        store_line_ns<1>(words, lines, grid), store_line_ns<2>(words, lines, grid),
        store_line_ns<3>(words, lines, grid), store_line_ns<4>(words, lines, grid)};
    for (int i = 0; i < 4; i++)
        printf("%s%d sectors of each line: %.4f ns a line", i ? ", " : "stores: ", i + 1,
               line_ns[i]);
    double sector = (line_ns[3] - line_ns[0]) / 3;
    printf("; store_sector_ns=%.4f store_line_ns=%.4f\n", sector, line_ns[0] - sector);
    long long *cycles;
    CHECK(cudaMallocManaged(&cycles, 8));
    chase_shared<<<1, 1>>>(cycles, out);
    CHECK(cudaDeviceSynchronize());
    double mhz = clock_khz / 1e3;
    printf("shared_latency_cycles=%.1f", (double)*cycles / CHASE_STEPS);
    for (size_t mib : {1, 4, 8, 16, 24, 32, 128, 512, 1024}) {
        double c = chase_cycles(mib << 20);
        printf(" %zuMiB=%.0f cycles (%.0f ns)", mib, c, c * 1e3 / mhz);
    }
    enum { LAUNCHES = 1000 };
    us = median_us([&] {
        for (int i = 0; i < LAUNCHES; i++) empty<<<1, 32>>>();
    });
    printf("\nlaunch_us=%.2f", us / LAUNCHES);
    us = median_us([&] { empty<<<1, 32>>>(); });
    printf(" between_events_us=%.2f", us);
    const double one = queued_us(a, b, big / 16, grid, 1),
                 many = queued_us(a, b, big / 16, grid, 11);
    printf(" queued: no_kernel_us=%.2f one_us=%.2f kernel_us=%.2f\n",
           queued_us(a, b, big / 16, grid, 0), one, (many - one) / 10);
    return 0;
}
