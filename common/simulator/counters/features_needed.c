// SPDX-License-Identifier: MIT
// See features_needed.h.
#include "counters/features_needed.h"

#include "machine/operands.h"

static uint32_t bit(sim_feature feature) {
    return UINT32_C(1) << feature;
}

static uint32_t type_features(const sim_instr *instr) {
    switch (instr->type) {
    case PTX_F64: return bit(SIM_FEATURE_DOUBLE);
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2: return bit(SIM_FEATURE_HALF);
    default: return 0;
    }
}

static bool is_arithmetic(const sim_instr *instr) {
    sim_pipe pipe = sim_pipe_of(instr);
    return pipe == SIM_PIPE_FMA || pipe == SIM_PIPE_ALU || pipe == SIM_PIPE_XU ||
           pipe == SIM_PIPE_FP64;
}

uint32_t sim_features_of(const sim_instr *instr) {
    switch (instr->op) {
    case SIM_OP_ATOM:
    case SIM_OP_RED:
        return bit(instr->space == PTX_SPACE_SHARED ? SIM_FEATURE_SHARED_ATOMICS
                                                    : SIM_FEATURE_GLOBAL_ATOMICS);
    case SIM_OP_VOTE: return bit(SIM_FEATURE_VOTES);
    case SIM_OP_SHFL: return bit(SIM_FEATURE_SHUFFLES);
    case SIM_OP_MATCH: return bit(SIM_FEATURE_MATCH);
    case SIM_OP_REDUX: return bit(SIM_FEATURE_WARP_REDUCTIONS);
    case SIM_OP_CP_ASYNC: return bit(SIM_FEATURE_ASYNC_COPIES);
    case SIM_OP_BULK:
    case SIM_OP_BULK_TENSOR: return bit(SIM_FEATURE_BULK_COPIES);
    case SIM_OP_SULD:
    case SIM_OP_SUST:
    case SIM_OP_SURED: return bit(SIM_FEATURE_SURFACES);
    default: break;
    }
    if (sim_pipe_of(instr) == SIM_PIPE_TENSOR) return bit(SIM_FEATURE_TENSOR_CORES);
    return is_arithmetic(instr) ? type_features(instr) : 0;
}
