// The dispatch table of one host variant: a row of program/ops.def without its
// sim_bind_<identifier> does not link.
#include "ops/internal.h"
#include "ops/memory/memory.h"

#define SIM_OP(id, ...) sim_exec_fn SIM_VARIANT(sim_bind_##id)(const sim_instr *instr);
#include "program/ops.def"
#undef SIM_OP

const sim_exec_table SIM_VARIANT(sim_exec_table) = {
    .bind =
        {
#define SIM_OP(id, ...) [SIM_OP_##id] = SIM_VARIANT(sim_bind_##id),
#include "program/ops.def"
#undef SIM_OP
        },
    .run_warp = SIM_VARIANT(sim_warp_run),
    .as_machine = SIM_VARIANT(sim_exec_as_machine),
};

// ---- operations of several kinds of numbers -----------------------------------------------------
// The binding goes by the kind of the instruction's type.

static sim_exec_fn bind_by_type(const sim_instr *instr) {
    switch (instr->type) {
    case PTX_F32: return SIM_VARIANT(sim_bind_f32)(instr);
    case PTX_F64: return SIM_VARIANT(sim_bind_f64)(instr);
    case PTX_F16:
    case PTX_F16X2:
    case PTX_BF16:
    case PTX_BF16X2: return SIM_VARIANT(sim_bind_half)(instr);
    default: return SIM_VARIANT(sim_bind_integer)(instr);
    }
}

#define BIND_BY_TYPE(id)                                                                           \
    BIND(id) { return bind_by_type(instr); }
BIND_BY_TYPE(ADD)
BIND_BY_TYPE(SUB)
BIND_BY_TYPE(MUL)
BIND_BY_TYPE(MAD)
BIND_BY_TYPE(FMA)
BIND_BY_TYPE(MUL24)
BIND_BY_TYPE(MAD24)
BIND_BY_TYPE(ADDC)
BIND_BY_TYPE(SUBC)
BIND_BY_TYPE(MADC)
BIND_BY_TYPE(SAD)
BIND_BY_TYPE(DIV)
BIND_BY_TYPE(REM)
BIND_BY_TYPE(ABS)
BIND_BY_TYPE(NEG)
BIND_BY_TYPE(MIN)
BIND_BY_TYPE(MAX)
BIND_BY_TYPE(RCP)
BIND_BY_TYPE(SQRT)
BIND_BY_TYPE(RSQRT)
BIND_BY_TYPE(SIN)
BIND_BY_TYPE(COS)
BIND_BY_TYPE(LG2)
BIND_BY_TYPE(EX2)
BIND_BY_TYPE(TANH)
BIND_BY_TYPE(TESTP)
BIND_BY_TYPE(COPYSIGN)
