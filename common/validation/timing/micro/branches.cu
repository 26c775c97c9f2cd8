// Loops and the sides of branches: cycles of an SM per iteration, by what an iteration does and by
// the warps that run it.
#include "micro.h"

enum { ROUNDS = 512 };

// run.apart: who takes the first side of a branch: all, odd lanes or odd warps.
enum { SIDES_SAME, SIDES_LANES, SIDES_WARPS };

static __device__ bool first_side(const micro_run &run) {
    unsigned at = run.apart == SIDES_LANES ? threadIdx.x : threadIdx.x / MICRO_WARP;
    return run.apart == SIDES_SAME ? run.zero == 0 : at % 2 != 0;
}

// K multiply-adds, each needs the one before.
template <int K> static __device__ float sums(float v, float by) {
#pragma unroll
    for (int k = 0; k < K; k++) v = v * by + 0.5f;
    return v;
}

#define LOOP(name, type, body)                                                                     \
    template <int K> static __global__ void name(micro_run run) {                                  \
        type v = (type)(run.seed + threadIdx.x), by = (type)(run.seed + 1 + run.zero);             \
        const bool first = first_side(run);                                                        \
        (void)first;                                                                               \
        long long begin = 0;                                                                       \
        for (int lap = 0; lap < 2; lap++) {                                                        \
            __syncthreads();                                                                       \
            begin = clock64();                                                                     \
            _Pragma("unroll 1") for (int i = 0; i < run.rounds; i++) { body; }                     \
        }                                                                                          \
        long long end = clock64();                                                                 \
        MICRO_DONE(v);                                                                             \
    }
LOOP(loop_sums, float, v = sums<K>(v, by))
LOOP(sides, float, if (first) v = sums<K>(v, by) - 1.0f; else v = sums<K>(v, by + 1.0f))
LOOP(one_side, float, if (first) v = sums<K>(v, by); v = v + 1.0f)
// What the loop depends on is known only at its end.
LOOP(loop_until, float, v = sums<K>(v, by); if (v == 12345.0f) break)
LOOP(roots, float, v = sqrtf(v))
LOOP(quotients, float, v = by / (v + 0.5f))

static const struct {
    const char *name;
    micro_kernel *kernel;
    int sides;
} loops[] = {
    {"loop_1_sums", loop_sums<1>, SIDES_SAME},
    {"loop_4_sums", loop_sums<4>, SIDES_SAME},
    {"loop_16_sums", loop_sums<16>, SIDES_SAME},
    {"loop_until_1_sums", loop_until<1>, SIDES_SAME},
    {"loop_until_8_sums", loop_until<8>, SIDES_SAME},
    {"sides_16_same", sides<16>, SIDES_SAME},
    {"sides_16_lanes", sides<16>, SIDES_LANES},
    {"sides_16_warps", sides<16>, SIDES_WARPS},
    {"side_16_same", one_side<16>, SIDES_SAME},
    {"side_16_lanes", one_side<16>, SIDES_LANES},
    {"side_16_warps", one_side<16>, SIDES_WARPS},
    {"root", roots<1>, SIDES_SAME},
    {"quotient", quotients<1>, SIDES_SAME},
};

void micro_branches(void) {
    if (micro_small) return;
    for (size_t i = 0; i < sizeof loops / sizeof loops[0]; i++)
        for (int warps = 1; warps <= MICRO_WARP; warps *= 2) {
            micro_run run = micro_default;
            run.apart = loops[i].sides;
            run.rounds = ROUNDS;
            micro_row(micro_cycles(loops[i].kernel, 1, warps * MICRO_WARP, run) / ROUNDS, "cycles",
                      "per iteration, of an SM with that many warps", "%s_%d_warps", loops[i].name,
                      warps);
        }
}
