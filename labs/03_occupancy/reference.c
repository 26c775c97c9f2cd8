// The readable answers to lab 03. Must not be linked into anything that a submission can read.
//
// Error bound of a fold. With u = 2^-24, one turn v <- fl(fl(a v) + x) has two roundings (one with
// a fused multiply-add), so x[r] passes through at most 2 (R - r) <= 2 R factors (1 + d), |d| <= u,
// on its way to the end:
//
//     |computed - exact| <= gamma_2R * S,   S = |a| S + |x[r]| folded in the same way,   gamma_k =
//                                           k u / (1 - k u)
//
// (Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., lemma 3.1). The reference's
// own roundings in double, 2^-50 S, are added.
#include "reference.h"

enum { WARP = 32 };

static int round_up(int value, int unit) {
    return (value + unit - 1) / unit * unit;
}

static int minimum(int a, int b) {
    return a < b ? a : b;
}

static int blocks_by_registers(const occupancy_limits *l, int warps, int registers) {
    if (registers > l->registers_per_thread) return 0;
    if (l->registers_by_block) { // 25 registers, 4 warps on 1.3: 3200 -> 3584; 16384 / 3584 = 4
        int need = round_up(round_up(warps, l->warp_unit) * WARP * registers, l->register_unit);
        return l->registers / need;
    }
    // 70 registers on 9.0: 2240 -> 2304 a warp; 16384 / 2304 = 7 warps in each quarter of the file
    int a_warp = round_up(registers * WARP, l->register_unit);
    return l->registers / l->warp_unit / a_warp * l->warp_unit / warps;
}

static int blocks_by_shared(const occupancy_limits *l, int bytes) {
    if (bytes > l->shared_per_block) return 0;
    int need = round_up(bytes + l->shared_reserved, l->shared_unit);
    return need > 0 ? l->shared / need : l->blocks;
}

occupancy_count occupancy_reference(const occupancy_config *c) {
    occupancy_count count = {0, 0, 0, 0, 0};
    const occupancy_limits *l = occupancy_limits_of(c->compute);
    if (!l || c->threads > l->threads_per_block) return count;
    int warps = (c->threads + WARP - 1) / WARP;
    count.by_warps = minimum(l->blocks, l->warps / warps);
    count.by_registers = blocks_by_registers(l, warps, c->registers);
    count.by_shared = blocks_by_shared(l, c->shared_bytes);
    count.blocks = minimum(count.by_warps, minimum(count.by_registers, count.by_shared));
    count.warps = count.blocks * warps;
    return count;
}

int occupancy_reference_hiding(const occupancy_latency *c) {
    int64_t busy =
        (int64_t)c->issue_cycles * c->independent; // cycles that one warp keeps a scheduler
    return (int)((c->latency_cycles + busy - 1) / busy) * c->schedulers;
}

void occupancy_reference_fold(const float *x, int64_t columns, int rounds, double a,
                              double *out_value, double *out_bound) {
    double ku = 2.0 * rounds * 0x1p-24;
    double gamma = ku / (1.0 - ku) + 0x1p-50;
    for (int64_t j = 0; j < columns; j++) out_value[j] = out_bound[j] = 0.0;
    for (int r = 0; r < rounds; r++) {
        for (int64_t j = 0; j < columns; j++) {
            double term = x[r * columns + j];
            out_value[j] = a * out_value[j] + term;
            out_bound[j] = fabs(a) * out_bound[j] + fabs(term);
        }
    }
    for (int64_t j = 0; j < columns; j++) out_bound[j] *= gamma;
}
