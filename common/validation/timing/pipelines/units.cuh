// The kernels of units.cu. Each times itself: thread 0 of a block writes how many cycles it took.
#pragma once

#include "hopper.cuh"

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
    if (r->modes) load_bytes(to, r->from + (size_t)box * r->bytes / 4, r->bytes, bar);
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
            if (BOXES) load_box(tiles + s * r.bytes, &r.map, x, y, &full[s]);
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
        if (r.modes) store_wait_read<0>();
        else store_wait<0>();
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
            if (REGISTERS) product_of_registers<N>(d, a, descriptor<SPAN>(b) + at);
            else product<N>(d, descriptor<SPAN>(mine) + at, descriptor<SPAN>(b) + at);
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
                if (r.modes) load_box_for(ranks, to + rank * r.bytes, &r.map, x, y, &full[s]);
                else load_box(to + rank * r.bytes, &r.map, x, y, &full[s]);
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
                if (more) load_number(&r, tiles + s * r.bytes, i & 15, &full[s]);
                else left++;
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
