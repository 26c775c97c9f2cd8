// Micro-benchmarks of bulk copies, mbarriers and products of warp groups: what the model of their
// time is tuned on. CSV after a line that names the card: name,value,unit. Cycles are those of
// clock64, of one block alone unless the name says `all`: then of a block on each SM, the mean over
// them. Built with COUNTS it launches each box once, for a profiler.
#include "units.cuh"

#include <string.h>

static bool simulated, launches; // launches: by the difference of two of them, r->count apart
static run base;
static int sms, shared = SHARED; // shared: bytes of each block
static void *cold;               // other data, written before each launch; NULL: not

typedef void (*unit_kernel)(const run);

static cudaEvent_t begin_event, end_event;

static cudaLaunchConfig_t config_of(int grid, int block, int cluster, cudaLaunchAttribute *of) {
    cudaLaunchConfig_t config = {};
    *of = {};
    of->id = cudaLaunchAttributeClusterDimension;
    of->val.clusterDim.x = cluster;
    of->val.clusterDim.y = of->val.clusterDim.z = 1;
    config.gridDim = dim3(grid);
    config.blockDim = dim3(block);
    config.dynamicSmemBytes = shared;
    config.attrs = of;
    config.numAttrs = cluster > 0;
    return config;
}

// cluster 0: as the kernel itself says.
static double cycles_of(unit_kernel kernel, const run *r, int grid, int block, int repeats,
                        int cluster = 0) {
    static long long cycles[MOST_BLOCKS];
    cudaLaunchAttribute attribute;
    const cudaLaunchConfig_t config = config_of(grid, block, cluster, &attribute);
    double sum = 0;
    float ms[2];
    int khz;
    CHECK(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shared));
    for (int i = 0; i < (launches ? 4 : repeats); i++) {
        run now = *r;
        if (launches && i % 2) now.count *= 2;
        if (cold) CHECK(cudaMemset(cold, 1, simulated ? 64u << 20 : 256u << 20));
        CHECK(cudaEventRecord(begin_event));
        CHECK(cudaLaunchKernelEx(&config, kernel, now));
        CHECK(cudaEventRecord(end_event));
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaEventElapsedTime(&ms[i % 2], begin_event, end_event));
    }
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    if (launches) return (ms[1] - ms[0]) * khz;
    CHECK(cudaMemcpy(cycles, base.cycles, grid * sizeof *cycles, cudaMemcpyDeviceToHost));
    for (int i = 0; i < grid; i++) sum += cycles[i];
    return sum / grid;
}

static run box_run(int rows, int columns, int span, int count, int flight) {
    run r = base;
    r.map = map_of(base.from, false, SIDE, SIDE, rows, columns, span);
    r.rows = rows;
    r.columns = columns;
    r.bytes = rows * columns * 4;
    r.count = count;
    r.flight = flight;
    r.modes = 0;
    r.share = 1;
    for (r.shift = 0; columns << r.shift < SIDE; r.shift++) continue;
    return r;
}

static void row(const char *name, double value, const char *unit) {
    printf("%s,%.4g,%s\n", name, value, unit);
    fflush(stdout);
}

static const int shapes[][3] = {
    {8, 4, 0},   {8, 8, 0},    {8, 8, 32},     {8, 16, 64},    {8, 32, 128},  {8, 32, 0},
    {64, 4, 0},  {64, 8, 0},   {64, 8, 32},    {64, 16, 64},   {64, 32, 128}, {64, 32, 0},
    {64, 64, 0}, {64, 256, 0}, {128, 32, 128}, {256, 32, 128}, {256, 8, 32},  {32, 256, 0},
    {1, 256, 0}, {4, 256, 0},  {16, 256, 0}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void boxes(void) {
    char name[96];
    for (int i = 0; i < SHAPES; i++) {
        int rows = shapes[i][0], columns = shapes[i][1], span = shapes[i][2];
        run r = box_run(rows, columns, span, 16, 1);
        snprintf(name, sizeof name, "box_latency_%d_rows_%d_bytes_swizzle_%d", rows, columns * 4,
                 span);
        row(name, cycles_of(loads, &r, 1, 32, 3) / r.count, "cycles/box");
        if (r.bytes > 48 << 10) continue;
        r = box_run(rows, columns, span, 48, 4);
        snprintf(name, sizeof name, "box_rate_%d_rows_%d_bytes_swizzle_%d", rows, columns * 4,
                 span);
        row(name, cycles_of(loads, &r, 1, 32, 3) / r.count, "cycles/box, 4 under way");
        if (i < 6) continue;
        r = box_run(rows, columns, span, 12, 4);
        snprintf(name, sizeof name, "box_rate_all_%d_rows_%d_bytes_swizzle_%d", rows, columns * 4,
                 span);
        row(name, cycles_of(loads, &r, sms, 32, 3) / r.count,
            "cycles/box, 4 under way, all SMs, from the L2");
    }
    for (int sizes : {16, 256, 1024, 4096, 16384, 49152}) {
        run r = box_run(8, 4, 0, 16, 1);
        r.modes = 1;
        r.bytes = sizes;
        snprintf(name, sizeof name, "bytes_latency_%d", sizes);
        row(name, cycles_of(loads, &r, 1, 32, 3) / r.count, "cycles/copy");
        r.flight = 4;
        r.count = 48;
        snprintf(name, sizeof name, "bytes_rate_%d", sizes);
        row(name, cycles_of(loads, &r, 1, 32, 3) / r.count, "cycles/copy, 4 under way");
    }
}

// After 256 MiB of other data.
static void from_memory(void *other) {
    char name[96];
    for (int all = 0; all < 2; all++)
        for (int flights : {1, 2, 4, 8}) {
            run r = box_run(64, 32, 128, 60, flights);
            CHECK(cudaMemset(other, 1, simulated ? 64u << 20 : 256u << 20));
            snprintf(name, sizeof name, "cold_%s_64_rows_128_bytes_%d_under_way",
                     all ? "all" : "one", flights);
            row(name, cycles_of(loads, &r, all ? sms : 1, 32, 1) / r.count,
                "cycles/box, from device memory");
        }
}

static void storing(void) {
    char name[96];
    for (int mode = 0; mode < 2; mode++)
        for (int flight = 1; flight < 3 - mode; flight++)
            for (int rows : {1, 8, 64, 256}) {
                run r = box_run(rows, 32, 0, 32, flight);
                r.modes = mode;
                snprintf(name, sizeof name, "store_%s_%d_rows_128_bytes",
                         mode         ? "read"
                         : flight > 1 ? "rate"
                                      : "done",
                         rows);
                row(name, cycles_of(stores, &r, 1, 32, 3) / r.count, "cycles/box");
                if (flight == 1) continue;
                snprintf(name, sizeof name, "store_rate_all_%d_rows_128_bytes", rows);
                row(name, cycles_of(stores, &r, sms, 32, 3) / r.count, "cycles/box, all SMs");
            }
}

#define PRODUCTS_OF(n, registers, keep, each, span, with)                                          \
    do {                                                                                           \
        run r = base;                                                                              \
        r.count = 64;                                                                              \
        for (int groups = 1; groups <= 2; groups++) {                                              \
            char name[96];                                                                         \
            snprintf(name, sizeof name, "product_n%d_%s_%d_per_group_keep_%d_%d_groups%s", n,      \
                     registers ? "registers" : "shared", each, keep, groups, with);                \
            row(name,                                                                              \
                cycles_of(products<n, registers, keep, each, span>, &r, 1, 128 * groups, 2) /      \
                    r.count,                                                                       \
                "cycles/group");                                                                   \
        }                                                                                          \
    } while (0)
#define PRODUCTS(n, registers, keep, each) PRODUCTS_OF(n, registers, keep, each, 128, "")

static double cycles_of_cluster(int cluster, const run *r, int grid) {
    return cycles_of(cluster == 2 ? multicasts<2> : multicasts<4>, r, grid, 32, 4, cluster) /
           r->count;
}

static void multicasting(void) {
    static const int rows[] = {8, 16, 32, 64};
    char name[96];
    for (int cluster = 2; cluster <= 4; cluster *= 2)
        for (int mask : {0, 1, 2, 3, 15})
            for (int i = 0; i < 4 && mask >> cluster == 0; i++) {
                run r = box_run(rows[i], 32, 128, 40, 4);
                r.modes = mask;
                snprintf(name, sizeof name, "multicast_cluster_%d_mask_%d_%d_rows_128_bytes",
                         cluster, mask, rows[i]);
                row(name, cycles_of_cluster(cluster, &r, cluster),
                    "cycles/box of each block, 4 under way");
            }
    for (int i = 0; i < 4; i++) {
        run r = box_run(8, 32 * (i + 1 + (i == 2) + 4 * (i == 3)), 0, 40, 4);
        r.modes = 3;
        snprintf(name, sizeof name, "multicast_cluster_2_mask_3_8_rows_%d_bytes", r.columns * 4);
        row(name, cycles_of_cluster(2, &r, 2), "cycles/box of each block, 4 under way");
    }
    run r = box_run(64, 32, 128, 10, 4);
    r.modes = 3;
    row("multicast_all_cluster_2_mask_3_64_rows_128_bytes", cycles_of_cluster(2, &r, sms / 2 * 2),
        "cycles/box of each block");
}

// Blocks that load the same boxes at the same time: neighbours, or those so many apart.
static void sharing(void) {
    static const int shares[] = {1, 2, 4, 8, 16, 32, 128}, widths[] = {8, 16, 32};
    char name[96];
    for (int w = 0; w < 3; w++)
        for (int apart = 0; apart < 2; apart++)
            for (int i = 0; i < 7; i++) {
                run r = box_run(256, widths[w], 4 * widths[w], 8, 4);
                r.share = apart ? 128 / shares[i] : shares[i];
                r.apart = apart;
                snprintf(name, sizeof name, "box_shared_by_%d_%s_256_rows_%d_bytes", shares[i],
                         apart ? "apart" : "neighbours", 4 * widths[w]);
                row(name, cycles_of(loads, &r, 128, 32, 3) / r.count,
                    "cycles/box, 4 under way, 128 SMs, from the L2");
            }
}

// Cycles per box, or copy of as many bytes, of an SM with so many blocks. rows 0: a copy. Of a
// matrix with rows of 1 KiB, or 4 KiB.
typedef struct streamed {
    const char *how;
    int on_sm, all, share, apart, wide;
} streamed;

static void stream(int rows, int bytes, const streamed *of) {
    enum { FOOTPRINT = 16 << 20, COPY_ROWS = 8 };
    char name[96], shape[32];
    int blocks = (of->all ? sms : 1) * of->on_sm, columns = bytes / 4;
    run r = base;
    r.shift = of->wide ? 10 : 8;
    if (rows)
        r.map = map_of(base.from, false, SIDE * SIDE >> r.shift, 1 << r.shift, rows, columns,
                       bytes >= 32 && bytes <= 128 ? bytes : 0);
    else columns /= COPY_ROWS;
    r.rows = rows ? rows : COPY_ROWS;
    r.columns = columns;
    r.bytes = r.rows * columns * 4;
    r.share = of->share ? of->share : blocks;
    r.apart = of->apart;
    int of_all = 2 * ((blocks + r.share - 1) / r.share), steps = (1 << r.shift) / columns;
    while (steps > 1 && of_all * r.bytes * steps > FOOTPRINT) steps /= 2;
    r.modes = steps * columns - 1;
    r.count = cold ? steps : simulated ? 32 : 512; // cold: half of it where two are compared
    if (of->on_sm > 1) shared = STREAM_FLIGHT * r.bytes + 1024;
    snprintf(shape, sizeof shape, rows ? "%d_rows_%d_bytes" : "copies%.0d_of_%d_bytes", rows,
             bytes);
    snprintf(name, sizeof name, "stream_%s_%s_%d_blocks%s", of->how, shape, of->on_sm,
             cold ? "_cold" : "");
    row(name,
        cycles_of(rows ? streams<true> : streams<false>, &r, blocks, 32, cold ? 1 : 3) / r.count /
            of->on_sm,
        "cycles/box of an SM, 8 under way per block");
    shared = SHARED;
}

static void streaming(void *other) {
    static const int shapes[][3] = {{8, 16, 1},   {8, 128, 1},  {64, 16, 4},  {64, 32, 4},
                                    {64, 64, 4},  {64, 128, 2}, {128, 64, 2}, {128, 128, 1},
                                    {256, 16, 4}, {256, 32, 2}, {256, 64, 1}, {0, 1024, 4},
                                    {0, 4096, 4}, {64, 256, 1}, {8, 1024, 2}};
    for (int i = 0; i < (int)(sizeof shapes / sizeof shapes[0]); i++) {
        const int rows = shapes[i][0], bytes = shapes[i][1], most = shapes[i][2];
        const streamed of[] = {{"one", 1, false, 1},
                               {"all", most, true, 1},
                               {"all_by_4", most, true, 4},
                               {"all_the_same", most, true, 0},
                               {"all_16_by_16", most, true, 16, 16},
                               {"wide_one", 1, false, 1, 0, true},
                               {"wide_16_by_16", most, true, 16, 16, true}};
        for (int k = 0; k < 5; k++)
            if (!simulated || k < 2 || of[k].apart) stream(rows, bytes, &of[k]);
        if (rows == 8 || simulated) continue;
        for (cold = NULL; true; cold = other) {
            for (int k = 5; k < 7; k++) stream(rows, bytes, &of[k]);
            if (cold) break;
        }
        cold = NULL;
    }
}

#define FENCES(how, name)                                                                          \
    row("fence_" name, cycles_of(fences<how>, &r, 1, 32, 2) / r.count, "cycles")

static void fencing(void) {
    run r = base;
    r.count = 256;
    FENCES(0, "cluster");
    FENCES(1, "cluster_behind_store");
    FENCES(2, "device");
    FENCES(3, "device_behind_store");
    FENCES(4, "system");
    FENCES(5, "system_behind_store");
}

#define RELEASES(how, products)                                                                    \
    do {                                                                                           \
        for (int flight = 0; flight <= 4; flight += 4)                                             \
            for (int groups = 1; groups <= 2; groups++)                                            \
                for (int all = 0; all < (simulated ? 1 : 2); all++) {                              \
                    char name[96];                                                                 \
                    run r = box_run(128, 32, 128, simulated ? 16 : 256, flight);                   \
                    snprintf(name, sizeof name, "release_%s_%s_%d_boxes_%d_groups%s", #how,        \
                             products ? "products" : "nothing", flight, groups,                    \
                             all ? "_all" : "");                                                   \
                    row(name,                                                                      \
                        cycles_of(releases<how, products>, &r, all ? sms / 2 * 2 : 2,              \
                                  128 * groups + 32, 2) /                                          \
                            r.count,                                                               \
                        "cycles/step");                                                            \
                }                                                                                  \
    } while (0)

// Cycles of a wave of blocks beyond their own, one on each SM.
static void waves(void) {
    for (int cluster = 1; cluster <= 8; cluster *= 2) {
        enum { CYCLES = 4000, WAVES = 8 };
        char name[64];
        float us[2] = {1e9f, 1e9f};
        int fit, khz;
        run r = base;
        cudaLaunchAttribute attribute;
        cudaLaunchConfig_t config = config_of(cluster, 128, cluster, &attribute);
        r.count = CYCLES;
        CHECK(cudaFuncSetAttribute((const void *)busy, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   SHARED));
        CHECK(cudaOccupancyMaxActiveClusters(&fit, busy, &config));
        CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
        for (int i = 0; i < 10; i++) {
            float ms;
            config.gridDim = dim3((i % 2 ? WAVES + 1 : 1) * fit * cluster);
            CHECK(cudaEventRecord(begin_event));
            CHECK(cudaLaunchKernelEx(&config, busy, r));
            CHECK(cudaEventRecord(end_event));
            CHECK(cudaEventSynchronize(end_event));
            CHECK(cudaEventElapsedTime(&ms, begin_event, end_event));
            if (ms * 1e3f < us[i % 2]) us[i % 2] = ms * 1e3f;
        }
        snprintf(name, sizeof name, "clusters_of_%d_at_once", cluster);
        row(name, fit, "clusters, of blocks that have an SM each");
        snprintf(name, sizeof name, "wave_of_clusters_of_%d", cluster);
        row(name, (us[1] - us[0]) / WAVES * khz * 1e-3 - CYCLES, "cycles beyond the blocks' own");
        snprintf(name, sizeof name, "launch_of_clusters_of_%d", cluster);
        row(name, us[0] - CYCLES / (khz * 1e-3), "us of one wave beyond the blocks' own");
    }
}

static void clusters(void) {
    run r = base;
    r.count = 256;
    row("mbarrier_handed_across", cycles_of(handing_across, &r, 2, 32, 2) / r.count / 2,
        "cycles/arrival and wait of a thread of another block");
    waves();
    RELEASES(NO_ARRIVAL, false);
    RELEASES(AT_OWN, false);
    RELEASES(AT_NEXT, false);
    RELEASES(AT_BOTH_IN_TURN, false);
    RELEASES(AT_BOTH_BY_LANES, false);
    RELEASES(AT_NEXT_RELAXED, false);
    RELEASES(NO_ARRIVAL, true);
    RELEASES(AT_OWN, true);
    RELEASES(AT_NEXT, true);
    RELEASES(AT_BOTH_IN_TURN, true);
    RELEASES(AT_BOTH_BY_LANES, true);
    RELEASES(AT_NEXT_RELAXED, true);
}

// For a profiler: one launch of each shape, in and out.
static void count(void) {
    for (int i = 0; i < SHAPES; i++)
        for (int out = 0; out < 2; out++) {
            run r = box_run(shapes[i][0], shapes[i][1], shapes[i][2], 16, 1);
            cycles_of(out ? stores : loads, &r, 4, 32, 1);
        }
}

#ifdef COUNTS
static const bool counts = true;
#else
static const bool counts = false;
#endif

int main(int argc, char **argv) {
    cudaDeviceProp card;
    void *other;
    CHECK(cudaGetDeviceProperties(&card, 0));
    if (!counts) printf("# %s\nname,value,unit\n", card.name);
    simulated = strstr(card.name, "simulated");
    sms = card.multiProcessorCount;
    CHECK(cudaMalloc(&base.from, (size_t)SIDE * SIDE * 4));
    CHECK(cudaMalloc(&base.to, 4096));
    CHECK(cudaMalloc(&base.cycles, MOST_BLOCKS * sizeof *base.cycles));
    CHECK(cudaMalloc(&other, simulated ? 64u << 20 : 256u << 20));
    CHECK(cudaMemset(base.from, 0, (size_t)SIDE * SIDE * 4));
    launches = argc > 1 && !strcmp(argv[1], "launches");
    CHECK(cudaEventCreate(&begin_event));
    CHECK(cudaEventCreate(&end_event));
    if (counts) {
        count();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[argc - 1], "clusters")) {
        clusters();
        return 0;
    }
    if (argc > 1 && !strcmp(argv[argc - 1], "streams")) {
        streaming(other);
        fencing();
        if (simulated) return 0;
        PRODUCTS_OF(128, false, 1, 4, 64, "_rows_of_64_bytes");
        PRODUCTS_OF(128, false, 1, 4, 32, "_rows_of_32_bytes");
        PRODUCTS_OF(64, false, 1, 4, 32, "_rows_of_32_bytes");
        return 0;
    }
    run r = base;
    r.count = 256;
    row("arrival_by_cluster_address", cycles_of(arrivals<0>, &r, 1, 32, 2) / r.count, "cycles");
    row("arrival_release_cluster", cycles_of(arrivals<1>, &r, 1, 32, 2) / r.count, "cycles");
    for (int warps = 2; warps <= 8; warps *= 2) {
        char name[96];
        snprintf(name, sizeof name, "arrival_release_cluster_%d_warps", warps);
        row(name, cycles_of(arrivals<1>, &r, 1, 32 * warps, 2) / r.count, "cycles");
    }
    row("arrival", cycles_of(arrivals<2>, &r, 1, 32, 2) / r.count, "cycles");
    row("arrival_expect", cycles_of(arrivals<3>, &r, 1, 32, 2) / r.count, "cycles");
    if (argc > 1 && !strcmp(argv[1], "sharing")) {
        sharing();
        return 0;
    }
    row("mbarrier_alone", cycles_of(alone, &r, 1, 32, 2) / r.count,
        "cycles/arrival and wait of one thread");
    row("mbarrier_handed_over", cycles_of(handing_over, &r, 1, 64, 2) / r.count / 2,
        "cycles/arrival and wait of another warp");
    PRODUCTS(64, false, 0, 1);
    PRODUCTS(64, false, 0, 4);
    PRODUCTS(64, false, 1, 4);
    PRODUCTS(128, false, 0, 1);
    PRODUCTS(128, false, 0, 4);
    PRODUCTS(128, false, 1, 4);
    PRODUCTS(64, true, 0, 1);
    PRODUCTS(64, true, 0, 4);
    PRODUCTS(64, true, 1, 4);
    PRODUCTS(128, true, 0, 1);
    PRODUCTS(128, true, 0, 4);
    PRODUCTS(128, true, 1, 4);
    boxes();
    storing();
    multicasting();
    sharing();
    from_memory(other);
    return 0;
}
