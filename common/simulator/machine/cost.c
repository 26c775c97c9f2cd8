// Costs of instructions: see machine.h. Counts of machine instructions were read off what ptxas
// makes of each operation alone for sm_90.
#include "machine/machine.h"
#include "program/program.h"

const machine_constants machine_constant = {
#define MACHINE_CONSTANT(name, value, unit, text, source) .name = value,
#include "machine/constants.def"
#undef MACHINE_CONSTANT
};

#define PIPE(name) (uint8_t)(1u << ISSUE_PIPE_##name)

bool issue_is_unrolled(const sim_function *function, uint32_t first, uint32_t last) {
    const sim_instr *end = &function->code[last];
    bool loads = false, kept = false, stores = false, may_change = false;
    if (!sim_is_jump(end) || end->target != first || last + 1 - first > ISSUE_UNROLLED_MOST)
        return false;
    for (uint32_t pc = first; pc <= last; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (sim_is_write(instr) && issue_is_in_memory(instr)) stores = true;
        if (sim_is_load(instr) && issue_is_in_memory(instr)) {
            loads = true;
            may_change = may_change || !(instr->mods & SIM_MOD_NC);
        }
        kept = kept || instr->nounroll; // #pragma unroll 1
    }
    return loads && !kept && !(stores && may_change);
}

static bool is_fragment(const sim_instr *instr) { return sim_cost_of(instr) == SIM_COST_FRAGMENT; }

// An access for each register that does not hold what another one holds.
static uint8_t fragment_issues(const sim_matrix *matrix) {
    return (uint8_t)sim_matrix_registers(matrix, (sim_matrix_part)matrix->part);
}

static bool is_wide_integer(const sim_instr *instr) {
    return instr->type == PTX_S64 || instr->type == PTX_U64 || instr->type == PTX_B64;
}

// Registers are renamed for nothing, parameters are operands in constant memory.
static bool is_free(const sim_instr *instr) {
    switch (sim_cost_of(instr)) {
    case SIM_COST_FREE: return true;
    case SIM_COST_CONVERSION:
        // of a register to its own width or from the lower half: IMAD.WIDE reads it
        return (instr->type == PTX_U64 || instr->type == PTX_S64) && instr->type2 != PTX_F32 &&
               instr->type2 != PTX_F64 && instr->type2 != PTX_F16;
    case SIM_COST_ACCESS:
        return sim_is_ld(instr) && (instr->space == PTX_SPACE_PARAM ||
                                    (instr->space == PTX_SPACE_CONST && instr->named));
    default: return false;
    }
}

issue_kind issue_kind_of(const sim_instr *instr) {
    if (is_free(instr)) return ISSUE_FREE;
    switch (sim_cost_of(instr)) {
    case SIM_COST_ACCESS:
    case SIM_COST_FRAGMENT:
        if (instr->machine == SIM_MACHINE_MERGED) return ISSUE_FREE;
        if (instr->space == PTX_SPACE_SHARED) return ISSUE_SHARED;
        return instr->space == PTX_SPACE_CONST ? ISSUE_CONSTANT : ISSUE_GLOBAL;
    case SIM_COST_TEXEL: return ISSUE_TEXTURE;
    case SIM_COST_BARRIER:
    case SIM_COST_CLUSTER_BARRIER:
        return instr->variant == SIM_BAR_ARRIVE ? ISSUE_PLAIN : ISSUE_BARRIER;
    case SIM_COST_SHUFFLE:
    case SIM_COST_MATRICES: return ISSUE_SHARED;
    default: return sim_pipe_of(instr) == SIM_PIPE_CTRL ? ISSUE_BRANCH : ISSUE_PLAIN;
    }
}

// The sum of 64 bits that adds what a wide product just gave is one machine instruction with it.
static bool ends_wide_product(const sim_function *function, uint32_t pc, uint32_t first) {
    const sim_instr *sum = &function->code[pc];
    if (!sim_is_add(sum) || !is_wide_integer(sum)) return false;
    for (uint32_t at = pc; at-- > first;) {
        const sim_instr *instr = &function->code[at];
        bool feeds = instr->dst == sum->src[0] || instr->dst == sum->src[1];
        if (feeds) return sim_is_mul(instr) && instr->mods & SIM_MOD_WIDE;
    }
    return false;
}

bool issue_is_predicated(const sim_function *function, uint32_t pc) {
    enum { PREDICATED_INSTRUCTIONS = 7 };
    const sim_instr *branch = &function->code[pc];
    uint32_t count = 0;
    if (!sim_is_jump(branch) || branch->guard == SIM_NO_SLOT || branch->target <= pc) return false;
    for (uint32_t at = pc + 1; at < branch->target; at++) {
        issue_kind kind = issue_kind_of(&function->code[at]);
        // One within it, of a condition of several parts, goes no further and is predicated, too.
        if (kind == ISSUE_BRANCH && function->code[at].target <= branch->target &&
            issue_is_predicated(function, at))
            continue;
        if (kind == ISSUE_BRANCH || kind == ISSUE_BARRIER ||
            issue_is_part_barrier(&function->code[at]))
            return false;
        count += kind != ISSUE_FREE;
    }
    return function->machine ? branch->machine_jumps == 0 : count <= PREDICATED_INSTRUCTIONS;
}

// `@p bra L; bra M; L:`, of which ptxas makes `@!p bra M`.
static bool falls_through(const sim_function *function, uint32_t pc) {
    const sim_instr *branch = &function->code[pc], *jump = branch + 1;
    return sim_is_jump(branch) && branch->target == pc + 2 && sim_is_jump(jump) &&
           jump->guard == SIM_NO_SLOT;
}

double issue_branch_wait(const sim_instr *branch) {
    return branch->guard == SIM_NO_SLOT ? 0 : machine_constant.branch - machine_constant.jump;
}

bool issue_branch_reconverges(const sim_instr *branch) {
    return sim_is_jump(branch) && branch->guard != SIM_NO_SLOT && branch->target > branch->pc;
}

double issue_branch_cycles(const sim_function *function, uint32_t pc, bool taken) {
    double cycles = taken && !falls_through(function, pc) ? machine_constant.jump : 1;
    return cycles +
           (issue_branch_reconverges(&function->code[pc]) ? machine_constant.reconvergence : 0);
}

bool issue_has_reciprocal(const sim_function *function, uint32_t pc) {
    const sim_instr *instr = &function->code[pc];
    sim_cost cost = sim_cost_of(instr);
    bool special = true;
    if ((cost != SIM_COST_DIVISION && cost != SIM_COST_REMAINDER) ||
        (instr->type != PTX_U32 && instr->type != PTX_S32))
        return false;
    for (uint32_t i = 0, deepest = 0; i < function->machine_count; i++) {
        const sim_machine_op *op = &function->machine[i];
        if (op->pc != pc || op->depth < deepest) continue;
        if (op->depth > deepest) special = false;
        deepest = op->depth;
        special = special || op->pipe == SIM_MACHINE_PIPE_SPECIAL;
    }
    return !special;
}

// Machine instructions of one that is not simple.
static uint32_t issues_of(const sim_function *function, uint32_t pc) {
    const sim_instr *instr = &function->code[pc];
    bool wide = is_wide_integer(instr), real = instr->type == PTX_F32,
         twice = instr->type == PTX_F64;
    bool approx = instr->rounding >= SIM_ROUND_APPROX;
    switch (sim_cost_of(instr)) {
    case SIM_COST_DIVISION:
    case SIM_COST_REMAINDER:
        return twice                                ? 20
               : real                               ? approx ? 2 : 10
               : wide                               ? 70
               : issue_has_reciprocal(function, pc) ? 9
                                                    : 18;
    case SIM_COST_ROOT: return twice ? 16 : approx ? 4 : 9;
    case SIM_COST_RECIPROCAL: return twice ? 12 : approx ? 1 : 6;
    case SIM_COST_RECIPROCAL_ROOT: return twice ? 12 : instr->mods & SIM_MOD_FTZ ? 1 : 4;
    case SIM_COST_EXPONENT: return instr->mods & SIM_MOD_FTZ ? 1 : 3;
    case SIM_COST_SINE: return 2;
    case SIM_COST_HALVES: return wide ? 2 : 1;
    case SIM_COST_PRODUCT: return wide && !(instr->mods & SIM_MOD_WIDE) ? 4 : 1;
    default: return 1;
    }
}

double issue_fence_more(const sim_device *device) {
    return sim_larger(0, device->fence_cycles - machine_constant.mbarrier_release);
}

double issue_fence_cycles(const sim_device *device, const sim_instr *fence) {
    double stored = issue_l2_latency(device);
    switch (fence->scope) {
    case SIM_FENCE_CTA: return machine_constant.fence_block;
    case SIM_FENCE_SYS: return stored + machine_constant.fence_system + issue_fence_more(device);
    default: return sim_larger(stored + machine_constant.fence_device, device->fence_cycles);
    }
}

bool issue_is_release(const sim_instr *instr) {
    return sim_is_write(instr) &&
           (instr->order == SIM_ORDER_RELEASE || instr->order == SIM_ORDER_ACQ_REL);
}

bool issue_is_one_address(const sim_function *function, const sim_instr *instr) {
    for (uint32_t i = 0; i < function->constant_count; i++)
        if (function->constants[i].slot == instr->src[0]) return true;
    return false;
}

static double cycles_of(double rate) { return rate > 0 ? 1 / rate : 1; }

double issue_pipe_cycles(const sim_device *device, int pipe) {
    switch (pipe) {
    case ISSUE_PIPE_ALU: return 2 * cycles_of(device->alu_rate);
    case ISSUE_PIPE_FMA:
    case ISSUE_PIPE_FMA_LITE: return 2 * cycles_of(device->fma_rate);
    case ISSUE_PIPE_XU: return cycles_of(device->xu_rate);
    case ISSUE_PIPE_FP64: return cycles_of(device->fp64_rate);
    default: return 4 * cycles_of(device->tensor_rate);
    }
}

bool issue_is_loop_of_sums(const sim_instr *atomic) {
    return sim_is_atomic(atomic) && atomic->type >= PTX_F16 && atomic->type <= PTX_F64;
}

uint32_t issue_group_wavefronts(const sim_instr *product) {
    enum { OF_A = 16, COLUMNS = 4 };
    const sim_matrix *matrix = product->extra;
    return (matrix->registers[SIM_MATRIX_A] ? 0 : OF_A) + matrix->n / COLUMNS;
}

double issue_group_cycles(const sim_instr *product) {
    const sim_matrix *matrix = product->extra;
    bool from_registers = matrix->registers[SIM_MATRIX_A] > 0;
    double cycles = matrix->n * machine_constant.group_column;
    double least =
        from_registers ? machine_constant.group_registers : (double)issue_group_wavefronts(product);
    return cycles > least ? cycles : least;
}

double issue_l2_latency(const sim_device *device) {
    if (device->compute_major == 9) return machine_constant.l2_latency;
    return device->l2_latency_ns * device->clock_mhz * 1e-3;
}

static bool is_real(uint8_t type) {
    return type == PTX_F32 || type == PTX_F16X2 || type == PTX_F16 || type == PTX_BF16 ||
           type == PTX_BF16X2;
}

// Integers become floats in the integer pipe; floats become integers where special functions are.
static void set_conversion(const sim_instr *instr, issue_op *op) {
    bool wide = instr->type == PTX_F64 || instr->type2 == PTX_F64;
    bool to_integer = !is_real(instr->type) && is_real(instr->type2);
    op->pipes = wide || to_integer ? PIPE(XU) : PIPE(ALU);
    if (wide || to_integer) op->latency = (uint16_t)machine_constant.xu_latency;
}

// Quotients, roots and the like: routines in machine code, measured as wholes.
static double routine_latency(const sim_function *function, const issue_op *op) {
    const sim_instr *instr = &function->code[op->pc];
    bool twice = instr->type == PTX_F64, real = instr->type == PTX_F32;
    bool approx = instr->rounding >= SIM_ROUND_APPROX;
    switch (sim_cost_of(instr)) {
    case SIM_COST_DIVISION:
    case SIM_COST_REMAINDER:
        if (twice) return machine_constant.divide_double_latency;
        if (real && approx) return machine_constant.divide_fast_latency;
        if (real) return machine_constant.divide_float_latency;
        if (issue_has_reciprocal(function, op->pc)) return machine_constant.divide_known_latency;
        if (!is_wide_integer(instr)) return machine_constant.divide_latency;
        return op->latency + (op->issues - 1) * machine_constant.fma_latency;
    case SIM_COST_ROOT:
        if (twice) return machine_constant.root_double_latency;
        return approx && instr->mods & SIM_MOD_FTZ ? machine_constant.xu_latency
                                                   : machine_constant.root_latency;
    case SIM_COST_RECIPROCAL:
        return real && !approx ? machine_constant.reciprocal_latency : op->latency;
    case SIM_COST_EXPONENT:
        return real && !(instr->mods & SIM_MOD_FTZ) ? machine_constant.exponent_latency
                                                    : op->latency;
    default: return op->latency;
    }
}

static void set_pipe(const sim_device *device, const sim_instr *instr, issue_op *op) {
    op->latency = (uint16_t)device->alu_latency_cycles;
    switch (sim_pipe_of(instr)) {
    case SIM_PIPE_XU:
        op->pipes = PIPE(XU);
        op->latency =
            (uint16_t)(machine_constant.xu_latency + (op->issues - 1) * device->alu_latency_cycles);
        if (sim_cost_of(instr) == SIM_COST_CONVERSION) {
            op->latency = (uint16_t)device->alu_latency_cycles;
            set_conversion(instr, op);
        }
        break;
    case SIM_PIPE_FP64:
        op->pipes = PIPE(FP64);
        op->latency = (uint16_t)machine_constant.fp64_latency;
        break;
    case SIM_PIPE_TENSOR:
        op->pipes = PIPE(TENSOR);
        op->latency = (uint16_t)machine_constant.tensor_latency;
        if (sim_is_wgmma(instr)) // its end, seen from that of its work in the tensor cores
            op->latency = (uint16_t)machine_constant.group_latency;
        break;
    case SIM_PIPE_FMA:
        // H200: rate_imul_hi is half of rate_imad; both halves of a product come the same way
        op->holds = instr->mods & (SIM_MOD_WIDE | SIM_MOD_HI) && !is_real(instr->type) ? 2 : 1;
        op->pipes = is_real(instr->type) ? PIPE(FMA) | PIPE(FMA_LITE) : PIPE(FMA);
        op->latency = (uint16_t)machine_constant.fma_latency;
        break;
    case SIM_PIPE_ALU: // ptxas makes every other sum of integers a product with one
        op->pipes = sim_is_add(instr) ? PIPE(ALU) | PIPE(FMA) : PIPE(ALU);
        if (!sim_is_add(instr)) op->latency = (uint16_t)machine_constant.fma_latency;
        break;
    default: break;
    }
    if (sim_is_mbarrier(instr)) op->latency = (uint16_t)machine_constant.mbarrier_latency;
    if (sim_variant_of(instr) == SIM_VARIANT_VOTE)
        op->latency = (uint16_t)machine_constant.vote_latency;
    if (sim_variant_of(instr) == SIM_VARIANT_MATCH)
        op->latency = (uint16_t)machine_constant.match_latency;
    if (sim_is_redux(instr)) {
        op->latency = (uint16_t)machine_constant.redux_latency;
        op->pipes = PIPE(XU);
    }
}

static uint16_t memory_latency(const sim_device *device, const sim_instr *instr, issue_kind kind) {
    if (sim_is_shuffle(instr)) return (uint16_t)machine_constant.shuffle_latency;
    if (kind == ISSUE_SHARED && sim_is_atom(instr))
        return (uint16_t)machine_constant.shared_atomic_latency;
    if (kind == ISSUE_SHARED)
        return (uint16_t)(device->compute_major == 9 ? machine_constant.shared_latency
                                                     : device->shared_latency_cycles);
    if (kind == ISSUE_CONSTANT) return (uint16_t)machine_constant.constant_latency;
    return (uint16_t)issue_l2_latency(device);
}

issue_op issue_cost_of(const sim_device *device, const sim_function *function, uint32_t pc,
                       uint32_t first) {
    const sim_instr *instr = &function->code[pc];
    issue_op op = {.pc = pc, .kind = (uint8_t)issue_kind_of(instr), .issues = 1, .holds = 1};
    if (op.kind == ISSUE_PLAIN && ends_wide_product(function, pc, first)) op.kind = ISSUE_FREE;
    switch ((issue_kind)op.kind) {
    case ISSUE_FREE: op.issues = 0; break;
    case ISSUE_PLAIN:
        op.issues = (uint8_t)issues_of(function, pc);
        set_pipe(device, instr, &op);
        op.latency = (uint16_t)routine_latency(function, &op);
        break;
    case ISSUE_GLOBAL:
    case ISSUE_SHARED:
    case ISSUE_CONSTANT:
        if (is_fragment(instr)) op.issues = fragment_issues(instr->extra);
        op.latency = memory_latency(device, instr, (issue_kind)op.kind);
        break;
    case ISSUE_TEXTURE: op.latency = (uint16_t)machine_constant.texture_latency; break;
    case ISSUE_BRANCH:
    case ISSUE_BARRIER: break;
    }
    return op;
}
