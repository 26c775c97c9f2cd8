// Measures the constants of the timing model on a card and prints them as CSV, one row for each:
//   name,value,unit,how
// Build with `nvcc -arch=sm_90 -O3 -o micro *.cu`; run without arguments, or with the names of the
// groups wanted, with nothing else on the card. `small` before them, for the simulator: less
// memory, and only rows of one warp or of barriers. `agree` before them: what a row's kernel takes
// longer with all of its rounds than with half of them, by its own clock and by events around it:
//   name,clock,launch       cycles
// `quick` before them: one launch for each row, and of streams the fastest.
#include "micro.h"

#include <stdarg.h>
#include <string.h>

uint64_t micro_bytes = (uint64_t)1 << 30;
micro_run micro_default;
int micro_sms;
double micro_mhz;
bool micro_small, micro_quick;
static bool agrees;
static cudaEvent_t from, to;
static double by_clock, by_launch; // cycles; 0: nothing was timed since the last row

enum { LEAST_OF = 5, MEDIAN_OF = 11, WARM_UPS = 2, DELAY_CYCLES = 300000 };
enum { SMALL_BYTES = 128 << 20 };

static __global__ void delay(long long cycles) {
    long long begin = clock64();
    while (clock64() - begin < cycles) continue;
}

static cudaLaunchConfig_t shape(unsigned grid, unsigned block) {
    cudaLaunchConfig_t config;
    memset(&config, 0, sizeof config);
    config.gridDim = dim3(grid);
    config.blockDim = dim3(block);
    return config;
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
    const cudaLaunchConfig_t config = shape(grid, block);
    return micro_cycles_of(kernel, &config, run);
}

// Of one launch, whose time between events is *out_ms.
static double cycles_once(micro_kernel *kernel, const cudaLaunchConfig_t *config, micro_run run,
                          float *out_ms) {
    unsigned grid = config->gridDim.x;
    unsigned warps = (config->blockDim.x + MICRO_WARP - 1) / MICRO_WARP;
    size_t bytes = 2 * sizeof(long long) * grid * warps;
    long long *spans = (long long *)malloc(bytes);
    CHECK(cudaEventRecord(from));
    CHECK(cudaLaunchKernelEx(config, kernel, run));
    CHECK(cudaEventRecord(to));
    CHECK(cudaMemcpy(spans, run.spans, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaEventElapsedTime(out_ms, from, to));
    long long span = longest_span(spans, grid, warps);
    free(spans);
    return (double)span;
}

// The rounds are half of those at first, after as many that fill the caches.
static void compare(micro_kernel *kernel, const cudaLaunchConfig_t *config, micro_run run) {
    float first, all;
    run.rounds /= 2;
    cycles_once(kernel, config, run, &first);
    by_clock = -cycles_once(kernel, config, run, &first);
    run.rounds *= 2;
    by_clock += cycles_once(kernel, config, run, &all);
    by_launch = (all - first) * 1e3 * micro_mhz / run.laps;
}

double micro_cycles_of(micro_kernel *kernel, const cudaLaunchConfig_t *config, micro_run run) {
    double least = 0;
    float ms;
    if (agrees) compare(kernel, config, run);
    for (int i = 0; i < (agrees || micro_quick ? 1 : LEAST_OF); i++) {
        double span = cycles_once(kernel, config, run, &ms);
        if (i == 0 || span < least) least = span;
    }
    return least;
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
    const cudaLaunchConfig_t config = shape(grid, block);
    double times[MEDIAN_OF];
    const int count = micro_quick ? 1 : MEDIAN_OF;
    if (agrees) return 0;
    for (int i = -WARM_UPS; i < count; i++) {
        float ms;
        if (before) before();
        delay<<<1, 1>>>(DELAY_CYCLES);
        CHECK(cudaEventRecord(from));
        if (kernel) CHECK(cudaLaunchKernelEx(&config, kernel, run));
        CHECK(cudaEventRecord(to));
        CHECK(cudaEventSynchronize(to));
        CHECK(cudaEventElapsedTime(&ms, from, to));
        if (i >= 0) times[i] = ms * 1e3;
    }
    qsort(times, count, sizeof *times, by_value);
    return times[count / 2];
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
    if (agrees && by_clock > 0) printf("%s,%.0f,%.0f\n", text, by_clock, by_launch);
    if (!agrees) printf("%s,%.4g,%s,\"%s\"\n", text, value, unit, how);
    by_clock = 0;
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
    {"branches", micro_branches},   {"requests", micro_requests},
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
    micro_default.laps = 2;
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
    const char *mode = argc > 1 ? argv[1] : "";
    micro_small = strcmp(mode, "small") == 0;
    micro_quick = strcmp(mode, "quick") == 0;
    agrees = strcmp(mode, "agree") == 0;
    if (micro_small || micro_quick || agrees) {
        micro_bytes = SMALL_BYTES;
        argc--;
        argv++;
    }
    micro_default.bytes = micro_bytes;
    CHECK(cudaMalloc(&micro_default.data, micro_bytes));
    CHECK(cudaMalloc(&micro_default.out, sizeof(uint32_t) * MICRO_SPANS * MICRO_WARP));
    CHECK(cudaMalloc(&micro_default.spans, 2 * sizeof(long long) * MICRO_SPANS));
    CHECK(cudaMemset(micro_default.data, 0, micro_bytes));
    printf("# %s, %d SMs, %.0f MHz\n%s\n", card.name, micro_sms, micro_mhz,
           agrees ? "name,clock,launch" : "name,value,unit,how");
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        if (!wanted(groups[g].name, argc - 1, argv + 1)) continue;
        groups[g].measure();
        measured++;
    }
    if (measured == 0) fprintf(stderr, "micro: no group of this name\n");
    return measured > 0 ? 0 : 1;
}
