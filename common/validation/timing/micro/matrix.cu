// Latency and rate of the warp-level matrix instructions (mma.sync): one warp whose products follow
// one another through the accumulator, and 8 warps with two chains each.
#include "micro.h"

#define HALF_PRODUCT(kind, c)                                                                      \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." kind "." kind ".f32 {%0, %1, %2, %3}, "  \
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                   \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]))

#define TF32_PRODUCT(c)                                                                            \
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "           \
                 "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                                   \
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                  \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(a[4]), "r"(a[5]))

#define MATRIX_KERNELS(name, product)                                                              \
    static __global__ void latency_##name(micro_run run) {                                         \
        uint32_t a[6];                                                                             \
        float c[4] = {1, 2, 3, 4};                                                                 \
        for (int i = 0; i < 6; i++) a[i] = run.seed + i;                                           \
        MICRO_TIMED(product(c));                                                                   \
        MICRO_DONE(c[0] + c[1] + c[2] + c[3]);                                                     \
    }                                                                                              \
    static __global__ void rate_##name(micro_run run) {                                            \
        uint32_t a[6];                                                                             \
        float c[4] = {1, 2, 3, 4}, d[4] = {5, 6, 7, 8};                                            \
        for (int i = 0; i < 6; i++) a[i] = run.seed + i;                                           \
        MICRO_TIMED(product(c); product(d));                                                       \
        MICRO_DONE(c[0] + c[1] + c[2] + c[3] + d[0] + d[1] + d[2] + d[3]);                         \
    }

#define F16(c)  HALF_PRODUCT("f16", c)
#define BF16(c) HALF_PRODUCT("bf16", c)
MATRIX_KERNELS(f16, F16)
MATRIX_KERNELS(bf16, BF16)
MATRIX_KERNELS(tf32, TF32_PRODUCT)

static void measure(const char *name, micro_kernel *latency, micro_kernel *rate) {
    const double done = (double)MICRO_ROUNDS * MICRO_REPEATS;
    enum { WARPS = 8 };
    micro_row(micro_cycles(latency, 1, MICRO_WARP, micro_default) / done, "cycles",
              "one warp, through the accumulator", "latency_mma_%s", name);
    if (micro_small) return;
    micro_row(2 * done * WARPS / micro_cycles(rate, 1, WARPS * MICRO_WARP, micro_default),
              "instructions/cycle/SM", "8 warps, two chains each", "rate_mma_%s", name);
}

void micro_matrix(void) {
    measure("m16n8k16_f16", latency_f16, rate_f16);
    measure("m16n8k16_bf16", latency_bf16, rate_bf16);
    measure("m16n8k8_tf32", latency_tf32, rate_tf32);
}
