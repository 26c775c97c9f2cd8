// SPDX-License-Identifier: MIT
// Micro-benchmarks of bulk copies, mbarriers and products of warp groups: what the model of their
// time is tuned on. CSV after a line that names the card: name,value,unit. Cycles are those of
// clock64, of one block alone unless the name says `all`: then of a block on each SM, the mean over
// them. Built with COUNTS it launches each box once, for a profiler.
#include "hopper.cuh"

#include <string.h>

enum { SIDE = 4096, SHARED = 200 << 10, BARS = 16, MOST_BLOCKS = 528 };

typedef struct run {
    CUtensorMap map; // of floats
    float *from, *to;
    long long *cycles;                              // [grid]
    int columns, rows, bytes, count, flight, modes; // of a box; copies; under way at once
    int apart;                                      // those so many apart, not neighbours
    int share;                                      // blocks that load the same boxes
    int shift;                                      // boxes per row of the matrix, as a power of 2
} run;

static __device__ inline void done(const run *r, long long begin) {
    if (threadIdx.x == 0) r->cycles[blockIdx.x] = clock64() - begin;
}

// Box number i of a block: none twice.
static __device__ inline void load_number(const run *r, uint8_t *to, int i, uint64_t *bar) {
    int box = (r->apart ? blockIdx.x & (r->share - 1) : blockIdx.x / r->share) * r->count + i;
    bar_expect(bar, r->bytes);
    if (r->modes)
        load_bytes(to, r->from + (size_t)box * r->bytes / 4, r->bytes, bar);
    else
        load_box(to, &r->map, (box & ((1 << r->shift) - 1)) * r->columns,
                 (box >> r->shift) * r->rows % SIDE, bar);
}

// r.count copies, r.flight under way. A lane issues and waits.
static __global__ void loads(const __grid_constant__ run r) {
    extern __shared__ __align__(1024) uint8_t tiles[];
    __shared__ uint64_t full[BARS];
    if (threadIdx.x) return;
    for (int i = 0; i < BARS; i++) bar_init(&full[i], 1);
    bar_fence();
    long long begin = clock64();
    const int step = (r.bytes + 1023) / 1024 * 1024;
    for (int i = 0, s = 0, parity = 1; i < r.count + r.flight; i++) {
        if (i >= r.flight) bar_wait(&full[s], parity);
        if (i < r.count) load_number(&r, tiles + s * step, i, &full[s]);
        if (++s < r.flight) continue;
        s = 0;
        parity ^= 1;
    }
    done(&r, begin);
}

// r.count boxes, STREAM_FLIGHT under way, with little between two copies: alternately of two
// streams of boxes that follow each other along rows of a matrix of 1 << r.shift columns, and begin
// again after r.modes + 1 of them. r.share neighbouring blocks load the same; r.apart: the second
// stream is every r.apart-th block's.
enum { STREAM_FLIGHT = 8 };

template <bool BOXES>
static __global__ void __launch_bounds__(32) streams(const __grid_constant__ run r) {
    extern __shared__ __align__(1024) uint8_t tiles[];
    __shared__ uint64_t full[STREAM_FLIGHT];
    if (threadIdx.x) return;
    for (int i = 0; i < STREAM_FLIGHT; i++) bar_init(&full[i], 1);
    bar_fence();
    const int number = blockIdx.x / r.share, all = SIDE * SIDE >> r.shift;
    const int first = 2 * number * r.rows & (all - 1);
    const int second = r.apart ? all - (1 + blockIdx.x % r.apart) * r.rows : first + r.rows;
    const long long begin = clock64();
    for (int i = 0, x = 0, parity = 1; i < r.count; i += STREAM_FLIGHT) {
#pragma unroll
        for (int s = 0; s < STREAM_FLIGHT; s++) {
            if (i > 0) bar_wait(&full[s], parity);
            bar_expect(&full[s], r.bytes);
            const int y = s % 2 ? second : first;
            if (BOXES)
                load_box(tiles + s * r.bytes, &r.map, x, y, &full[s]);
            else
                load_bytes(tiles + s * r.bytes, r.from + ((size_t)y << r.shift) + x * r.rows,
                           r.bytes, &full[s]);
            if (s % 2) x = (x + r.columns) & r.modes;
        }
        parity ^= 1;
    }
#pragma unroll
    for (int s = 0; s < STREAM_FLIGHT; s++) bar_wait(&full[s], (r.count / STREAM_FLIGHT - 1) & 1);
    done(&r, begin);
}

// Fences with nothing to wait for, but a store in front of each where HOW is odd.
template <int HOW> static __global__ void fences(const __grid_constant__ run r) {
    if (threadIdx.x) return;
    long long begin = clock64();
#pragma unroll 8
    for (int i = 0; i < r.count; i++) {
        if (HOW % 2) asm volatile("st.global.f32 [%0], 0f00000000;" ::"l"(r.to) : "memory");
        if (HOW / 2 == 0) asm volatile("fence.acq_rel.cluster;" ::: "memory");
        if (HOW / 2 == 1) asm volatile("fence.acq_rel.gpu;" ::: "memory");
        if (HOW / 2 == 2) asm volatile("fence.acq_rel.sys;" ::: "memory");
    }
    done(&r, begin);
}

// Stores of boxes, each waited for: modes 1: until it is read; 0: until it is done.
static __global__ void stores(const __grid_constant__ run r) {
    extern __shared__ __align__(1024) uint8_t tiles[];
    if (threadIdx.x) return;
    proxy_fence();
    long long begin = clock64();
    for (int i = 0; i < r.count; i++) {
        int box = blockIdx.x * r.count + i;
        store_box(&r.map, (box & ((1 << r.shift) - 1)) * r.columns,
                  (box >> r.shift) * r.rows % SIDE, tiles);
        store_commit();
        if (r.flight > 1) continue;
        if (r.modes)
            store_wait_read<0>();
        else
            store_wait<0>();
    }
    store_wait<0>();
    done(&r, begin);
}

// A thread of each warp arrives at its own barrier by an address of the cluster.
template <int HOW> static __global__ void arrivals(const __grid_constant__ run r) {
    __shared__ uint64_t bars[BARS];
    if (threadIdx.x % 32) return;
    uint64_t &bar = bars[threadIdx.x / 32];
    bar_init(&bar, 1);
    bar_fence();
    uint32_t there;
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(shared_of(&bar)));
    long long begin = clock64();
    for (int i = 0; i < r.count; i++) {
        if (HOW == 0)
            asm volatile("mbarrier.arrive.shared::cluster.b64 _, [%0];" ::"r"(there) : "memory");
        if (HOW == 1)
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(there)
                         : "memory");
        if (HOW == 2) bar_arrive(&bar, true);
        if (HOW == 3) bar_expect(&bar, 0);
    }
    done(&r, begin);
}

// Two warps hand a phase to each other.
static __global__ void handing_over(const __grid_constant__ run r) {
    __shared__ uint64_t there, back;
    if (threadIdx.x == 0) {
        bar_init(&there, 1);
        bar_init(&back, 1);
        bar_fence();
    }
    __syncthreads();
    long long begin = clock64();
    if (threadIdx.x == 0)
        for (int i = 0; i < r.count; i++) {
            bar_arrive(&there, true);
            bar_wait(&back, i % 2);
        }
    if (threadIdx.x == 32)
        for (int i = 0; i < r.count; i++) {
            bar_wait(&there, i % 2);
            bar_arrive(&back, true);
        }
    done(&r, begin);
}

// One thread arrives and looks at once.
static __global__ void alone(const __grid_constant__ run r) {
    __shared__ uint64_t bar;
    if (threadIdx.x) return;
    bar_init(&bar, 1);
    bar_fence();
    long long begin = clock64();
    for (int i = 0; i < r.count; i++) {
        bar_arrive(&bar, true);
        bar_wait(&bar, i % 2);
    }
    done(&r, begin);
}

// Four products, then a commit and a wait that leaves KEEP groups: r.count times.
template <int N, bool REGISTERS, int KEEP, int EACH, int SPAN>
static __global__ void products(const __grid_constant__ run r) {
    extern __shared__ __align__(1024) uint8_t tiles[];
    float d[N / 2];
    uint32_t a[4] = {threadIdx.x, threadIdx.x, 1, 2};
    for (int i = 0; i < N / 2; i++) d[i] = 0;
    const uint8_t *mine = tiles + threadIdx.x / 128 * 8192, *b = tiles + 32768;
    long long begin = clock64();
    for (int i = 0; i < r.count; i++) {
        product_fence();
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            const int at = 2 * (k % (SPAN / 32));
            if (REGISTERS)
                product_of_registers<N>(d, a, descriptor<SPAN>(b) + at);
            else
                product<N>(d, descriptor<SPAN>(mine) + at, descriptor<SPAN>(b) + at);
        }
        product_commit();
        product_wait<KEEP>();
    }
    product_wait<0>();
    done(&r, begin);
    float sum = 0;
    for (int i = 0; i < N / 2; i++) sum += d[i];
    if (sum == 1.5f) r.to[threadIdx.x] = sum;
}

// Each block of a cluster loads boxes for those of r.modes, bits of ranks counted from its own; 0:
// for itself without a multicast.
template <int CLUSTER> static __global__ void multicasts(const __grid_constant__ run r) {
    extern __shared__ __align__(1024) uint8_t tiles[];
    __shared__ uint64_t full[BARS], empty[BARS];
    uint32_t rank, blocks = r.modes ? __popc(r.modes) : 1;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    uint16_t ranks =
        (uint16_t)((r.modes << rank | r.modes << rank >> CLUSTER) & ((1 << CLUSTER) - 1));
    if (threadIdx.x == 0) {
        for (int i = 0; i < BARS; i++) bar_init(&full[i], 1);
        for (int i = 0; i < BARS; i++) bar_init(&empty[i], CLUSTER);
        bar_fence();
    }
    __syncthreads();
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    long long begin = clock64();
    if (threadIdx.x == 0) {
        for (int i = 0, s = 0, parity = 1; i < r.count + r.flight; i++) {
            int box = blockIdx.x * r.count + i;
            uint8_t *to = tiles + s * CLUSTER * r.bytes;
            if (i >= r.flight) {
                bar_wait(&full[s], parity);
                for (int k = 0; k < CLUSTER; k++) bar_arrive_at(&empty[s], k, true);
                bar_wait(&empty[s], parity);
            }
            if (i < r.count) {
                int x = (box & ((1 << r.shift) - 1)) * r.columns,
                    y = (box >> r.shift) * r.rows % SIDE;
                bar_expect(&full[s], blocks * r.bytes);
                if (r.modes)
                    load_box_for(ranks, to + rank * r.bytes, &r.map, x, y, &full[s]);
                else
                    load_box(to + rank * r.bytes, &r.map, x, y, &full[s]);
            }
            if (++s < r.flight) continue;
            s = 0;
            parity ^= 1;
        }
    }
    done(&r, begin);
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

// A step's products, or none, then arrivals that release to the cluster, while a warp more keeps
// r.flight boxes under way, or none.
enum { NO_ARRIVAL, AT_OWN, AT_NEXT, AT_BOTH_IN_TURN, AT_BOTH_BY_LANES, AT_NEXT_RELAXED };

template <int HOW> static __device__ inline void arrive_as(uint64_t *bar, uint32_t rank) {
    const uint32_t thread = threadIdx.x % 128;
    if (HOW == AT_OWN) bar_arrive_at(bar, rank, thread == 0);
    if (HOW == AT_NEXT || HOW == AT_BOTH_IN_TURN) bar_arrive_at(bar, rank ^ 1, thread == 0);
    if (HOW == AT_BOTH_IN_TURN) bar_arrive_at(bar, rank, thread == 0);
    if (HOW == AT_BOTH_BY_LANES) bar_arrive_at(bar, thread & 1, thread < 2);
    if (HOW == AT_NEXT_RELAXED)
        asm volatile(
            "{ .reg .b32 there; .reg .pred wanted;\n\t"
            "setp.eq.u32 wanted, %2, 0;\n\t"
            "mapa.shared::cluster.u32 there, %0, %1;\n\t"
            "@wanted mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [there]; }" ::"r"(
                shared_of(bar)),
            "r"(rank ^ 1), "r"(thread)
            : "memory");
}

template <int HOW, bool PRODUCTS>
static __global__ void __cluster_dims__(2, 1, 1) releases(const __grid_constant__ run r) {
    extern __shared__ __align__(1024) uint8_t tiles[];
    __shared__ uint64_t full[BARS], empty;
    __shared__ volatile int ended;
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0), groups = blockDim.x / 128;
    uint32_t rank;
    float d[64];
    for (int i = 0; i < 64; i++) d[i] = 0;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        for (int i = 0; i < BARS; i++) bar_init(&full[i], 1);
        bar_init(&empty, 1); // nobody waits for it
        bar_fence();
        ended = 0;
    }
    __syncthreads();
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    long long begin = clock64();
    if (warp == 4 * groups) {
        if (threadIdx.x % 32 == 0 && r.flight)
            for (int i = 0, s = 0, parity = 1, left = 0; left < r.flight; i++) {
                const bool more = !ended;
                if (i >= r.flight) bar_wait(&full[s], parity);
                if (more)
                    load_number(&r, tiles + s * r.bytes, i & 15, &full[s]);
                else
                    left++;
                if (++s < r.flight) continue;
                s = 0;
                parity ^= 1;
            }
    } else {
        const uint8_t *a = tiles + warp / 4 * 8192, *b = tiles + 32768;
        for (int i = 0; i < r.count; i++) {
            if (PRODUCTS) {
                product_fence();
#pragma unroll
                for (int k = 0; k < 4; k++)
                    product<128>(d, descriptor<128>(a) + 2 * k, descriptor<128>(b) + 2 * k);
                product_commit();
                product_wait<1>();
            }
            arrive_as<HOW>(&empty, rank);
        }
        product_wait<0>();
        for (int i = 0; i < 64; i++) asm volatile("" : "+f"(d[i])::"memory");
        done(&r, begin);
        if (threadIdx.x == 0) ended = 1;
        float sum = 0;
        for (int i = 0; i < 64; i++) sum += d[i];
        if (sum == 1.5f) r.to[threadIdx.x] = sum;
    }
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
}

// Two blocks of a cluster hand a phase to each other.
static __global__ void __cluster_dims__(2, 1, 1) handing_across(const __grid_constant__ run r) {
    __shared__ uint64_t bar;
    uint32_t rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        bar_init(&bar, 1);
        bar_fence();
    }
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
    long long begin = clock64();
    if (threadIdx.x == 0)
        for (int i = 0; i < r.count; i++) {
            if (rank == 1) bar_wait(&bar, i % 2);
            bar_arrive_at(&bar, rank ^ 1, true);
            if (rank == 0) bar_wait(&bar, i % 2);
        }
    done(&r, begin);
    asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" ::: "memory");
}

// Blocks of so many cycles, one on an SM.
static __global__ void busy(const __grid_constant__ run r) {
    long long begin = clock64();
    while (clock64() - begin < r.count) continue;
}

// ---- Host ----

static bool simulated, launches; // launches: by the difference of two of them, r->count apart
static run base;
static int sms, shared = SHARED; // shared: bytes of each block
static void *cold;               // other data, written before each launch; NULL: not

typedef void (*unit_kernel)(const run);

static cudaEvent_t begin_event, end_event;

static void flush(void) {
    if (cold) CHECK(cudaMemset(cold, 1, simulated ? 64u << 20 : 256u << 20));
}

static double cycles_of_launches(unit_kernel kernel, const run *r, int grid, int block) {
    float ms[2];
    CHECK(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shared));
    for (int i = 0; i < 4; i++) {
        run twice = *r;
        if (i % 2) twice.count *= 2;
        flush();
        CHECK(cudaEventRecord(begin_event));
        kernel<<<grid, block, shared>>>(twice);
        CHECK(cudaEventRecord(end_event));
        CHECK(cudaEventSynchronize(end_event));
        CHECK(cudaEventElapsedTime(&ms[i % 2], begin_event, end_event));
    }
    int khz;
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
    return (ms[1] - ms[0]) * khz;
}

static double cycles_of(unit_kernel kernel, const run *r, int grid, int block, int repeats) {
    static long long cycles[MOST_BLOCKS];
    double sum = 0;
    if (launches) return cycles_of_launches(kernel, r, grid, block);
    CHECK(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               shared));
    for (int i = 0; i < repeats; i++) {
        flush();
        kernel<<<grid, block, shared>>>(*r);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
    }
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
    static const int sizes[] = {16, 256, 1024, 4096, 16384, 49152};
    for (int i = 0; i < 6; i++) {
        run r = box_run(8, 4, 0, 16, 1);
        r.modes = 1;
        r.bytes = sizes[i];
        snprintf(name, sizeof name, "bytes_latency_%d", sizes[i]);
        row(name, cycles_of(loads, &r, 1, 32, 3) / r.count, "cycles/copy");
        r.flight = 4;
        r.count = 48;
        snprintf(name, sizeof name, "bytes_rate_%d", sizes[i]);
        row(name, cycles_of(loads, &r, 1, 32, 3) / r.count, "cycles/copy, 4 under way");
    }
}

// After 256 MiB of other data.
static void from_memory(void *other) {
    static const int flights[] = {1, 2, 4, 8};
    char name[96];
    for (int all = 0; all < 2; all++)
        for (int i = 0; i < 4; i++) {
            run r = box_run(64, 32, 128, 60, flights[i]);
            CHECK(cudaMemset(other, 1, simulated ? 64u << 20 : 256u << 20));
            snprintf(name, sizeof name, "cold_%s_64_rows_128_bytes_%d_under_way",
                     all ? "all" : "one", flights[i]);
            row(name, cycles_of(loads, &r, all ? sms : 1, 32, 1) / r.count,
                "cycles/box, from device memory");
        }
}

static void storing(void) {
    static const int rows[] = {1, 8, 64, 256};
    char name[96];
    for (int mode = 0; mode < 2; mode++)
        for (int flight = 1; flight < 3 - mode; flight++)
            for (int i = 0; i < 4; i++) {
                run r = box_run(rows[i], 32, 0, 32, flight);
                r.modes = mode;
                snprintf(name, sizeof name, "store_%s_%d_rows_128_bytes",
                         mode         ? "read"
                         : flight > 1 ? "rate"
                                      : "done",
                         rows[i]);
                row(name, cycles_of(stores, &r, 1, 32, 3) / r.count, "cycles/box");
                if (flight == 1) continue;
                snprintf(name, sizeof name, "store_rate_all_%d_rows_128_bytes", rows[i]);
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
    unit_kernel kernel = cluster == 2 ? multicasts<2> : multicasts<4>;
    static long long cycles[MOST_BLOCKS];
    double sum = 0;
    CHECK(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               SHARED));
    float ms[2];
    int khz;
    for (int i = 0; i < 4; i++) {
        cudaLaunchAttribute attribute = {};
        cudaLaunchConfig_t config = {};
        run twice = *r;
        if (launches && i % 2) twice.count *= 2;
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = cluster;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.gridDim = dim3(grid);
        config.blockDim = dim3(32);
        config.dynamicSmemBytes = SHARED;
        config.attrs = &attribute;
        config.numAttrs = 1;
        CHECK(cudaEventRecord(begin_event));
        CHECK(cudaLaunchKernelEx(&config, kernel, twice));
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

static void multicasting(void) {
    static const int rows[] = {8, 16, 32, 64};
    char name[96];
    for (int cluster = 2; cluster <= 4; cluster *= 2)
        for (int mask = 0; mask < 16; mask = mask == 0   ? 1
                                             : mask == 1 ? 2
                                             : mask == 2 ? 3
                                             : mask == 3 ? 15
                                                         : 16)
            for (int i = 0; i < 4 && mask >> cluster == 0; i++) {
                run r = box_run(rows[i], 32, 128, 40, 4);
                r.modes = mask;
                snprintf(name, sizeof name, "multicast_cluster_%d_mask_%d_%d_rows_128_bytes",
                         cluster, mask, rows[i]);
                row(name, cycles_of_cluster(cluster, &r, cluster) / r.count,
                    "cycles/box of each block, 4 under way");
            }
    for (int i = 0; i < 4; i++) {
        run r = box_run(8, 32 * (i + 1 + (i == 2) + 4 * (i == 3)), 0, 40, 4);
        r.modes = 3;
        snprintf(name, sizeof name, "multicast_cluster_2_mask_3_8_rows_%d_bytes", r.columns * 4);
        row(name, cycles_of_cluster(2, &r, 2) / r.count, "cycles/box of each block, 4 under way");
    }
    run r = box_run(64, 32, 128, 10, 4);
    r.modes = 3;
    row("multicast_all_cluster_2_mask_3_64_rows_128_bytes",
        cycles_of_cluster(2, &r, sms / 2 * 2) / r.count, "cycles/box of each block");
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
    else
        columns /= COPY_ROWS;
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
        cudaLaunchAttribute attribute = {};
        cudaLaunchConfig_t config = {};
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = cluster;
        attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        r.count = CYCLES;
        config.gridDim = dim3(cluster);
        config.blockDim = dim3(128);
        config.dynamicSmemBytes = SHARED;
        config.attrs = &attribute;
        config.numAttrs = 1;
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
    if (counts) {
        count();
        return 0;
    }
    launches = argc > 1 && !strcmp(argv[1], "launches");
    CHECK(cudaEventCreate(&begin_event));
    CHECK(cudaEventCreate(&end_event));
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
