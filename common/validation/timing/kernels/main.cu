// Times each kernel of kernels.def and prints CSV, one row a kernel:
//   name,kind,half,us,low_us,high_us
// after a line that names the card:
// the median and the quartiles of RUNS launches, each with cold caches, by events: as the labs are
// timed (common/gpu/timing.c). On the simulator one launch each, its modelled time. Names of
// kernels or kinds as arguments choose. Must not know how the times come about.
#include "kernels.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../check.h"

#define TIMING_KERNEL(name, kind, half, grid, block, n)                                            \
    extern "C" __global__ void name(TIMING_ARGUMENTS);
#include "kernels.def"
#undef TIMING_KERNEL

enum timing_half { LOOK, HELD };
static const char *const half_names[] = {"look", "held"};

typedef struct timing_row {
    const char *name, *kind;
    enum timing_half half;
    const void *kernel;
    dim3 grid, block;
    int n;
} timing_row;

#define X(x)         dim3(x)
#define XY(x, y)     dim3(x, y)
#define XYZ(x, y, z) dim3(x, y, z)
static const timing_row rows[] = {
#define TIMING_KERNEL(name, kind, half, grid, block, n)                                            \
    {#name, #kind, half, (const void *)name, grid, block, n},
#include "kernels.def"
#undef TIMING_KERNEL
};
enum { ROWS = sizeof rows / sizeof rows[0], RUNS = 21, WARM_UPS = 2, DELAY_CYCLES = 300000 };
static const size_t flush_bytes = 256u << 20, simulated_bytes = 64u << 20; // more than an L2

typedef struct timing_bench {
    float *x, *y, *out;
    uint32_t *words, *next;
    void *flush; // [flush_bytes], or [simulated_bytes]
    bool simulated;
    cudaEvent_t begin, end;
} timing_bench;

static __global__ void delay(long long cycles) {
    long long begin = clock64();
    while (clock64() - begin < cycles) continue;
}

static uint32_t hash(uint32_t h) {
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

static void *upload(const void *values, size_t bytes) {
    void *device;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMemcpy(device, values, bytes, cudaMemcpyHostToDevice));
    return device;
}

static timing_bench open_bench(void) {
    timing_bench bench = {};
    cudaDeviceProp card;
    const size_t bytes = sizeof(uint32_t) * TIMING_ELEMS;
    uint32_t *values = (uint32_t *)malloc(bytes);
    float *floats = (float *)values, taps[TIMING_TAPS];
    CHECK(cudaGetDeviceProperties(&card, 0));
    printf("# %s\n", card.name);
    for (int i = 0; i < TIMING_TAPS; i++) taps[i] = 1.0f / (1 + i);
    CHECK((cudaError_t)timing_set_taps(taps));
    for (uint32_t i = 0; i < TIMING_ELEMS; i++) floats[i] = 0.5f + (hash(i) >> 8) * 0x1p-24f;
    bench.x = (float *)upload(values, bytes);
    for (uint32_t i = 0; i < TIMING_ELEMS; i++) floats[i] = 0.5f + (hash(~i) >> 8) * 0x1p-24f;
    bench.y = (float *)upload(values, bytes);
    for (uint32_t i = 0; i < TIMING_ELEMS; i++) values[i] = hash(i + 0x9E3779B9u);
    bench.words = (uint32_t *)upload(values, bytes);
    for (uint32_t i = 0; i < TIMING_ELEMS; i++)
        values[i] = (i * 1664525u + 1013904223u) % TIMING_ELEMS;
    bench.next = (uint32_t *)upload(values, bytes);
    free(values);
    CHECK(cudaMalloc(&bench.out, bytes));
    bench.simulated = strstr(card.name, "simulated");
    CHECK(cudaMalloc(&bench.flush, bench.simulated ? simulated_bytes : flush_bytes));
    CHECK(cudaEventCreate(&bench.begin));
    CHECK(cudaEventCreate(&bench.end));
    return bench;
}

static double once(const timing_bench *bench, const timing_row *row) {
    int n = row->n;
    const void *arguments[] = {&bench->x, &bench->y, &bench->out, &bench->words, &bench->next, &n};
    float ms;
    CHECK(cudaMemsetAsync(bench->out, 0, sizeof(float) * TIMING_ELEMS));
    CHECK(cudaMemsetAsync(bench->flush, 1, bench->simulated ? simulated_bytes : flush_bytes));
    if (!bench->simulated) delay<<<1, 1>>>(DELAY_CYCLES); // the host enqueues the rest meanwhile
    CHECK(cudaEventRecord(bench->begin));
    CHECK(cudaLaunchKernel(row->kernel, row->grid, row->block, (void **)arguments, 0, 0));
    CHECK(cudaEventRecord(bench->end));
    CHECK(cudaEventSynchronize(bench->end));
    CHECK(cudaEventElapsedTime(&ms, bench->begin, bench->end));
    return ms * 1e3;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void measure(const timing_bench *bench, const timing_row *row) {
    double us[RUNS];
    int runs = bench->simulated ? 1 : RUNS;
    for (int i = bench->simulated ? 0 : -WARM_UPS; i < runs; i++)
        us[i < 0 ? 0 : i] = once(bench, row);
    qsort(us, runs, sizeof *us, by_value);
    printf("%s,%s,%s,%.3f,%.3f,%.3f\n", row->name, row->kind, half_names[row->half], us[runs / 2],
           us[runs / 4], us[runs - 1 - runs / 4]);
    fflush(stdout);
}

// Within each kind the halves alternate: see kernels.def.
static bool halves_alternate(void) {
    for (int i = 0; i < ROWS; i++) {
        int before = 0;
        for (int k = 0; k < i; k++) before += strcmp(rows[k].kind, rows[i].kind) == 0;
        if (rows[i].half == before % 2) continue;
        fprintf(stderr, "timing_kernels: %s is not in the half of its turn\n", rows[i].name);
        return false;
    }
    return true;
}

static bool wanted(const timing_row *row, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], row->name) == 0 || strcmp(names[i], row->kind) == 0) return true;
    return count == 0;
}

int main(int argc, char **argv) {
    int measured = 0;
    if (!halves_alternate()) return 2;
    timing_bench bench = open_bench();
    printf("name,kind,half,us,low_us,high_us\n");
    for (int i = 0; i < ROWS; i++) {
        if (!wanted(&rows[i], argc - 1, argv + 1)) continue;
        measure(&bench, &rows[i]);
        measured++;
    }
    if (measured == 0) fprintf(stderr, "timing_kernels: no kernel of this name\n");
    return measured > 0 ? 0 : 1;
}
