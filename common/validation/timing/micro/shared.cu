// Shared memory of one SM: loads, stores and atomics by width, by stride (conflicts of the banks)
// and by lanes that share an address. Every word holds its own address, so that a load can wait for
// the one before.
#include "micro.h"

enum { WORDS = 8192, THREADS = 1024, WARPS = THREADS / MICRO_WARP };

// Each word of the block's shared memory holds its address; a 16-byte load needs the first of 4.
#define OWN_ADDRESSES()                                                                            \
    __shared__ __align__(16) uint32_t words[WORDS];                                                \
    const uint32_t base = (uint32_t)__cvta_generic_to_shared(words);                               \
    for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = base + 4 * i;            \
    __syncthreads();                                                                               \
    const unsigned lane = threadIdx.x % MICRO_WARP;                                                \
    uint32_t at = base + 4 * ((lane * run.apart) % WORDS)

#define LOAD_32(x) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(x)::"memory")
#define LOAD_64(x)                                                                                 \
    asm volatile("{ .reg .u32 t; ld.shared.v2.u32 {%0, t}, [%0]; add.u32 %1, %1, t; }"             \
                 : "+r"(x), "+r"(rest)::"memory")
#define LOAD_128(x)                                                                                \
    asm volatile("{ .reg .u32 t, u, v; ld.shared.v4.u32 {%0, t, u, v}, [%0];"                      \
                 "lop3.b32 %1, t, u, v, 0x96; }"                                                   \
                 : "+r"(x), "+r"(rest)::"memory")
#define STORE_32(x) asm volatile("st.shared.u32 [%0], %1;" ::"r"(x), "r"(run.seed) : "memory")
#define STORE_64(x)                                                                                \
    asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(x), "r"(run.seed) : "memory")
#define STORE_128(x)                                                                               \
    asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(x), "r"(run.seed) : "memory")

#define LOADS(name, load)                                                                          \
    static __global__ void latency_##name(micro_run run) {                                         \
        OWN_ADDRESSES();                                                                           \
        uint32_t rest = 0;                                                                         \
        MICRO_TIMED(load(at));                                                                     \
        MICRO_DONE(at + rest);                                                                     \
    }                                                                                              \
    static __global__ void rate_##name(micro_run run) {                                            \
        OWN_ADDRESSES();                                                                           \
        uint32_t rest = 0, b = at + run.zero, c = b + run.zero, d = c + run.zero;                  \
        MICRO_TIMED(load(at); load(b); load(c); load(d));                                          \
        MICRO_DONE(at + b + c + d + rest);                                                         \
    }
LOADS(load_32, LOAD_32)
LOADS(load_64, LOAD_64)
LOADS(load_128, LOAD_128)

#define STORES(name, store)                                                                        \
    static __global__ void rate_##name(micro_run run) {                                            \
        OWN_ADDRESSES();                                                                           \
        MICRO_TIMED(at += run.zero; store(at)); /* no store is superfluous */                      \
        MICRO_DONE(at);                                                                            \
    }
STORES(store_32, STORE_32)
STORES(store_64, STORE_64)
STORES(store_128, STORE_128)

// run.lanes neighbouring lanes share an address; groups lie in banks of their own.
#define SHARED_BY_LANES()                                                                          \
    __shared__ uint32_t words[WORDS];                                                              \
    for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = 0;                       \
    __syncthreads();                                                                               \
    const unsigned lane = threadIdx.x % MICRO_WARP;                                                \
    uint32_t at = (uint32_t)__cvta_generic_to_shared(words + lane / run.lanes);                    \
    uint32_t x = run.seed

#define ATOMICS(name, text, c, type)                                                               \
    static __global__ void latency_##name(micro_run run) {                                         \
        SHARED_BY_LANES();                                                                         \
        type v = (type)x;                                                                          \
        MICRO_TIMED(asm volatile("atom.shared." text " %0, [%1], %0;" : "+" c(v) : "r"(at)));      \
        MICRO_DONE(v);                                                                             \
    }                                                                                              \
    static __global__ void rate_##name(micro_run run) {                                            \
        SHARED_BY_LANES();                                                                         \
        type v = (type)(x + lane);                                                                 \
        MICRO_TIMED(asm volatile("red.shared." text " [%0], %1;" ::"r"(at), c(v) : "memory"));     \
        MICRO_DONE(v);                                                                             \
    }
ATOMICS(add_int, "add.u32", "r", uint32_t)
ATOMICS(add_float, "add.f32", "f", float)
ATOMICS(max_int, "max.s32", "r", uint32_t)

// Each warp adds to addresses of its own.
static __global__ void rate_add_float_own(micro_run run) {
    __shared__ uint32_t words[WORDS];
    for (unsigned i = threadIdx.x; i < WORDS; i += blockDim.x) words[i] = 0;
    __syncthreads();
    uint32_t at = (uint32_t)__cvta_generic_to_shared(words + threadIdx.x / run.lanes);
    float v = (float)(run.seed + threadIdx.x % MICRO_WARP);
    MICRO_TIMED(asm volatile("red.shared.add.f32 [%0], %1;" ::"r"(at), "f"(v) : "memory"));
    MICRO_DONE(v);
}

static double done(void) { return (double)MICRO_ROUNDS * MICRO_REPEATS; }

static void loads(const char *name, micro_kernel *latency, micro_kernel *rate, int words) {
    for (int apart = words; apart <= 32; apart *= 2) {
        micro_run run = micro_default;
        run.apart = apart;
        micro_row(micro_cycles(latency, 1, MICRO_WARP, run) / done(), "cycles",
                  "one warp, dependent loads; lanes that many words apart",
                  "latency_shared_%s_apart_%d", name, apart);
        if (micro_small) continue;
        micro_row(micro_cycles(rate, 1, THREADS, run) / (4 * done() * WARPS),
                  "cycles/instruction/SM", "32 warps, 4 chains each", "cost_shared_%s_apart_%d",
                  name, apart);
    }
}

static void stores(const char *name, micro_kernel *rate, int words) {
    for (int apart = words; apart <= 32; apart *= 2) {
        micro_run run = micro_default;
        run.apart = apart;
        micro_row(micro_cycles(rate, 1, THREADS, run) / (done() * WARPS), "cycles/instruction/SM",
                  "32 warps; lanes that many words apart", "cost_shared_%s_apart_%d", name, apart);
    }
}

static void atomics(const char *name, micro_kernel *latency, micro_kernel *rate) {
    for (int lanes = 1; lanes <= MICRO_WARP; lanes *= 2) {
        micro_run run = micro_default;
        run.lanes = lanes;
        run.rounds = 8;
        const double count = (double)run.rounds * MICRO_REPEATS;
        micro_row(micro_cycles(latency, 1, MICRO_WARP, run) / count, "cycles",
                  "one warp, each needs the value returned before; that many lanes on an address",
                  "latency_shared_%s_lanes_%d", name, lanes);
        if (micro_small) continue;
        micro_row(micro_cycles(rate, 1, THREADS, run) / (count * WARPS), "cycles/instruction/SM",
                  "32 warps on the same addresses, nothing returned", "cost_shared_%s_lanes_%d",
                  name, lanes);
    }
}

static void float_sums_apart(void) {
    if (micro_small) return;
    for (int lanes = 1; lanes <= MICRO_WARP; lanes *= 2) {
        for (int warps = 1; warps <= WARPS; warps *= 4) {
            micro_run run = micro_default;
            run.lanes = lanes;
            run.rounds = 8;
            micro_row(micro_cycles(rate_add_float_own, 1, warps * MICRO_WARP, run) /
                          ((double)run.rounds * MICRO_REPEATS * warps),
                      "cycles/instruction/SM",
                      "that many warps, each on addresses of its own, nothing returned",
                      "cost_shared_add_float_own_lanes_%d_warps_%d", lanes, warps);
        }
    }
}

void micro_shared(void) {
    micro_run run = micro_default;
    run.apart = 0;
    micro_row(micro_cycles(latency_load_32, 1, MICRO_WARP, run) / done(), "cycles",
              "one warp, dependent loads of one address", "latency_shared_load_32_broadcast");
    if (!micro_small)
        micro_row(micro_cycles(rate_load_32, 1, THREADS, run) / (4 * done() * WARPS),
                  "cycles/instruction/SM", "32 warps, 4 chains each",
                  "cost_shared_load_32_broadcast");
    loads("load_32", latency_load_32, rate_load_32, 1);
    loads("load_64", latency_load_64, rate_load_64, 2);
    loads("load_128", latency_load_128, rate_load_128, 4);
    if (!micro_small) {
        stores("store_32", rate_store_32, 1);
        stores("store_64", rate_store_64, 2);
        stores("store_128", rate_store_128, 4);
    }
    atomics("add_int", latency_add_int, rate_add_int);
    atomics("add_float", latency_add_float, rate_add_float);
    atomics("max_int", latency_max_int, rate_max_int);
    float_sums_apart();
}
