// Measures the constants of the timing model on a card and prints them as CSV, one row for each:
//   name,value,unit,how
// Build with `nvcc -arch=sm_90 -O3 -o micro *.cu`; run without arguments, or with the names of the
// groups wanted, with nothing else on the card. `small` before them, for the simulator: less
// memory, and only rows of one warp or of barriers.
#include "micro.h"

#include <stdarg.h>
#include <string.h>

uint64_t micro_bytes = (uint64_t)1 << 30;
micro_run micro_default;
int micro_sms;
double micro_mhz;
bool micro_small;

enum { LEAST_OF = 5, MEDIAN_OF = 11, WARM_UPS = 2, DELAY_CYCLES = 300000 };
enum { SMALL_BYTES = 128 << 20 };

static __global__ void delay(long long cycles) {
    long long begin = clock64();
    while (clock64() - begin < cycles) continue;
}

static void launch(micro_kernel *kernel, unsigned grid, unsigned block, micro_run run) {
    kernel<<<grid, block>>>(run);
    CHECK(cudaGetLastError());
}

// The longest block's span in this launch's records.
static long long longest_span(const long long *spans, unsigned grid, unsigned warps) {
    long long longest = 0;
    for (unsigned b = 0; b < grid; b++) {
        const long long *of = spans + 2 * (size_t)b * warps;
        long long first = of[0], last = of[1];
        for (unsigned w = 1; w < warps; w++) {
            if (of[2 * w] < first) first = of[2 * w];
            if (of[2 * w + 1] > last) last = of[2 * w + 1];
        }
        if (last - first > longest) longest = last - first;
    }
    return longest;
}

double micro_cycles(micro_kernel *kernel, unsigned grid, unsigned block, micro_run run) {
    cudaLaunchConfig_t config;
    memset(&config, 0, sizeof config);
    config.gridDim = dim3(grid);
    config.blockDim = dim3(block);
    return micro_cycles_of(kernel, &config, run);
}

double micro_cycles_of(micro_kernel *kernel, const cudaLaunchConfig_t *config, micro_run run) {
    unsigned grid = config->gridDim.x;
    unsigned warps = (config->blockDim.x + MICRO_WARP - 1) / MICRO_WARP;
    size_t bytes = 2 * sizeof(long long) * grid * warps;
    long long *spans = (long long *)malloc(bytes), least = 0;
    for (int i = 0; i < LEAST_OF; i++) {
        CHECK(cudaLaunchKernelEx(config, kernel, run));
        CHECK(cudaMemcpy(spans, run.spans, bytes, cudaMemcpyDeviceToHost));
        long long span = longest_span(spans, grid, warps);
        if (i == 0 || span < least) least = span;
    }
    free(spans);
    return (double)least;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double micro_us(micro_kernel *kernel, unsigned grid, unsigned block, micro_run run) {
    return micro_us_after(NULL, kernel, grid, block, run);
}

double micro_us_after(void (*before)(void), micro_kernel *kernel, unsigned grid, unsigned block,
                      micro_run run) {
    static cudaEvent_t begin, end;
    double times[MEDIAN_OF];
    if (!begin) CHECK(cudaEventCreate(&begin));
    if (!end) CHECK(cudaEventCreate(&end));
    for (int i = -WARM_UPS; i < MEDIAN_OF; i++) {
        float ms;
        if (before) before();
        delay<<<1, 1>>>(DELAY_CYCLES);
        CHECK(cudaEventRecord(begin));
        if (kernel) launch(kernel, grid, block, run);
        CHECK(cudaEventRecord(end));
        CHECK(cudaEventSynchronize(end));
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        if (i >= 0) times[i] = ms * 1e3;
    }
    qsort(times, MEDIAN_OF, sizeof *times, by_value);
    return times[MEDIAN_OF / 2];
}

const uint64_t micro_flush_bytes = 256 << 20;

void micro_flush_written(void) {
    CHECK(cudaMemsetAsync(micro_default.data + micro_bytes - micro_flush_bytes, 1,
                          micro_flush_bytes));
}

void micro_row(double value, const char *unit, const char *how, const char *name, ...) {
    char text[128];
    va_list list;
    va_start(list, name);
    vsnprintf(text, sizeof text, name, list);
    va_end(list);
    printf("%s,%.4g,%s,\"%s\"\n", text, value, unit, how);
    fflush(stdout);
}

static const struct {
    const char *name;
    void (*measure)(void);
} groups[] = {
    {"pipes", micro_pipes},         {"matrix", micro_matrix},       {"shared", micro_shared},
    {"latencies", micro_latencies}, {"streams", micro_streams},     {"atomics", micro_atomics},
    {"constants", micro_constants}, {"blocks", micro_blocks},       {"cold", micro_cold},
    {"clocks", micro_clocks},       {"scattered", micro_scattered}, {"textures", micro_textures},
    {"clusters", micro_clusters},   {"mixed", micro_mixed},         {"registers", micro_registers},
    {"branches", micro_branches},
};

static bool wanted(const char *name, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return count == 0;
}

int main(int argc, char **argv) {
    cudaDeviceProp card;
    int khz, measured = 0;
    CHECK(cudaGetDeviceProperties(&card, 0));
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    micro_sms = card.multiProcessorCount;
    micro_mhz = khz / 1e3;
    micro_default.seed = 1;
    micro_default.rounds = MICRO_ROUNDS;
    if (argc > 1 && strcmp(argv[1], "small") == 0) {
        micro_small = true;
        micro_bytes = SMALL_BYTES;
        argc--;
        argv++;
    }
    micro_default.bytes = micro_bytes;
    CHECK(cudaMalloc(&micro_default.data, micro_bytes));
    CHECK(cudaMalloc(&micro_default.out, sizeof(uint32_t) * MICRO_SPANS * MICRO_WARP));
    CHECK(cudaMalloc(&micro_default.spans, 2 * sizeof(long long) * MICRO_SPANS));
    CHECK(cudaMemset(micro_default.data, 0, micro_bytes));
    printf("# %s, %d SMs, %.0f MHz\nname,value,unit,how\n", card.name, micro_sms, micro_mhz);
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        if (!wanted(groups[g].name, argc - 1, argv + 1)) continue;
        groups[g].measure();
        measured++;
    }
    if (measured == 0) fprintf(stderr, "micro: no group of this name\n");
    return measured > 0 ? 0 : 1;
}
