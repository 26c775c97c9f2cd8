// Which functions keep time, and what their instructions cost: see internal.h. Differs from
// machine/issue_code.c in that nothing is moved or unrolled: the order is that of the PTX, and a
// warp's clock fills the waits (warp.c).
#include "timing/kernel_clock/internal.h"

enum { NO_REGISTER = 0xFFFF, MOST_OPERANDS = 64, TEXTURE_PARTS = 4 };

// ---- Costs ----

static bool is_half(uint8_t type) {
    return type == PTX_F16 || type == PTX_F16X2 || type == PTX_BF16 || type == PTX_BF16X2;
}

static bool is_wide(uint8_t type) { return type == PTX_S64 || type == PTX_U64 || type == PTX_B64; }

// A part of 16 bits is put in its place by an instruction; of 32 bits it is a register.
static bool moves_halves(const sim_instr *instr) {
    if (!sim_is_pack(instr) && !sim_is_unpack(instr)) return false;
    return instr->vector && ptx_type_bytes((ptx_type)instr->type) / instr->vector < 4;
}

// Latency of arithmetic where the pipes of issue_cost_of do not tell operations apart that a chain
// does.
static double plain_latency(const sim_device *device, const sim_instr *instr, const issue_op *op) {
    if (sim_variant_of(instr) == SIM_VARIANT_VOTE) // measured with the comparison before it
        return machine_constant.vote_latency - machine_constant.fma_latency;
    switch (sim_cost_of(instr)) {
    case SIM_COST_CONVERSION:
        return op->pipes == 1u << ISSUE_PIPE_ALU ? machine_constant.fma_latency : op->latency;
    case SIM_COST_PRODUCT:
        if (instr->mods & SIM_MOD_HI) return machine_constant.high_product_latency;
        break;
    case SIM_COST_HALVES: // the carry follows the sum, from one to the next
        if (sim_is_sum(instr) && is_wide(instr->type)) return machine_constant.fma_latency;
        break;
    case SIM_COST_FRAGMENT:
        if (sim_role_of(instr) == SIM_ROLE_LOAD) return machine_constant.shared_latency;
        break;
    default: break;
    }
    if (sim_pipe_of(instr) == SIM_PIPE_TEX) return machine_constant.l1_latency;
    if (is_half(instr->type) && sim_pipe_of(instr) == SIM_PIPE_FMA && device->compute_major == 9)
        return machine_constant.half_latency;
    return op->latency;
}

static clock_kind kind_of(const sim_instr *instr, const issue_op *op) {
    if (sim_is_wgmma(instr)) return CLOCK_PRODUCT;
    if (instr->op == SIM_OP_NANOSLEEP) return CLOCK_SLEEP;
    if (instr->op == SIM_OP_CP_WAIT) return CLOCK_WAIT_COPIES;
    if (instr->op == SIM_OP_WARPSYNC) return CLOCK_PLAIN;
    switch (sim_variant_of(instr)) {
    case SIM_VARIANT_SPECIAL: return CLOCK_READ;
    case SIM_VARIANT_PROXY: return CLOCK_FENCE;
    case SIM_VARIANT_BULK: return CLOCK_BULK;
    case SIM_VARIANT_MBARRIER:
        if (instr->variant == SIM_MBARRIER_TEST_WAIT || instr->variant == SIM_MBARRIER_TRY_WAIT)
            return CLOCK_BULK_WAIT;
        if (instr->scope != SIM_FENCE_CTA) return CLOCK_RELEASE;
        if (instr->variant == SIM_MBARRIER_ARRIVE || instr->variant == SIM_MBARRIER_ARRIVE_DROP)
            return CLOCK_ARRIVE;
        break;
    case SIM_VARIANT_GROUPS: return CLOCK_PRODUCTS;
    case SIM_VARIANT_SHUFFLE: return CLOCK_SHUFFLE;
    case SIM_VARIANT_BAR: return sim_is_barrier(instr) ? CLOCK_BARRIER : CLOCK_CLUSTER_BARRIER;
    default: break;
    }
    switch ((issue_kind)op->kind) {
    case ISSUE_FREE: return moves_halves(instr) ? CLOCK_PLAIN : CLOCK_FREE;
    case ISSUE_GLOBAL:
    case ISSUE_SHARED: return CLOCK_MEMORY;
    case ISSUE_CONSTANT: return CLOCK_CONSTANT;
    case ISSUE_BRANCH: return CLOCK_BRANCH;
    default: return CLOCK_PLAIN;
    }
}

// The cost of the instruction at `pc`, whose straight-line code begins at `first`; its registers
// are not filled in.
static clock_op clock_cost_of(const sim_device *device, const sim_function *function, uint32_t pc,
                              uint32_t first) {
    const sim_instr *instr = &function->code[pc];
    issue_op cost = issue_cost_of(device, function, pc, first);
    clock_op op = {.exec = instr->exec,
                   .kind = (uint8_t)kind_of(instr, &cost),
                   .issues = cost.issues,
                   .pipes = cost.pipes,
                   .holds = cost.holds,
                   .latency = cost.latency};
    if (op.kind == CLOCK_BRANCH && issue_is_predicated(function, pc)) op.kind = CLOCK_FREE;
    if (op.kind == CLOCK_PLAIN) {
        op.issues = cost.issues ? cost.issues : 1;
        op.latency = (uint16_t)plain_latency(device, instr, &cost);
        if (moves_halves(instr)) op.latency = (uint16_t)machine_constant.fma_latency;
    }
    op.hoists = sim_is_setp(instr);
    return op;
}

// ---- Registers ----

typedef struct maker {
    struct sim_clock_code *code;
    const sim_function *function;
    uint16_t numbers[1 << 14]; // by slot, as in the timing model two may share one
    uint32_t operands;
} maker;

static uint16_t *number_of(maker *m, uint32_t slot) {
    return &m->numbers[(slot >> 2) % (sizeof m->numbers / sizeof *m->numbers)];
}

static uint32_t add_list(const sim_function *function, uint32_t first, uint32_t count,
                         uint32_t *slots, uint32_t at) {
    for (uint32_t i = 0; i < count && at < MOST_OPERANDS; i++) {
        uint32_t slot = function->slots[first + i];
        if (slot != SIM_NO_SLOT) slots[at++] = slot;
    }
    return at;
}

static bool multiplies(const sim_instr *instr) {
    return sim_is_product(instr) && !sim_is_wgmma(instr);
}

// Of a matrix product the list has the registers of d, a, b, c, and of metadata.
static uint32_t sources_of(const sim_function *function, const sim_instr *instr, uint32_t *slots) {
    uint32_t count = sim_operand_sources(function, instr, slots);
    if (!multiplies(instr)) return count;
    const sim_matrix *matrix = instr->extra;
    uint32_t written = matrix->registers[SIM_MATRIX_D];
    uint32_t read = matrix->registers[SIM_MATRIX_A] + matrix->registers[SIM_MATRIX_B] +
                    matrix->registers[SIM_MATRIX_C] + matrix->sparse + (matrix->factors ? 6 : 0);
    return add_list(function, instr->list + written, read, slots, count);
}

static uint32_t results_of(const sim_function *function, const sim_instr *instr, uint32_t *slots) {
    uint32_t count = sim_operand_results(function, instr, slots), listed = 0;
    const sim_matrix *matrix = instr->extra;
    sim_cost cost = sim_cost_of(instr);
    if (multiplies(instr)) listed = matrix->registers[SIM_MATRIX_D];
    else if (sim_role_of(instr) == SIM_ROLE_LOAD && cost != SIM_COST_ACCESS)
        listed = cost == SIM_COST_FRAGMENT ? matrix->registers[matrix->part]
                 : cost == SIM_COST_TEXEL  ? TEXTURE_PARTS
                                           : instr->vector;
    return add_list(function, instr->list, listed, slots, count);
}

static void number_results(maker *m) {
    uint32_t slots[MOST_OPERANDS];
    memset(m->numbers, 0xFF, sizeof m->numbers);
    for (uint32_t pc = 0; pc < m->function->code_count; pc++) {
        uint32_t count = results_of(m->function, &m->function->code[pc], slots);
        for (uint32_t i = 0; i < count; i++) {
            uint16_t *number = number_of(m, slots[i]);
            if (*number == NO_REGISTER) *number = (uint16_t)m->code->registers++;
        }
    }
}

static uint8_t put(maker *m, const uint32_t *slots, uint32_t count) {
    uint32_t before = m->operands;
    for (uint32_t i = 0; i < count; i++) {
        uint16_t number = *number_of(m, slots[i]);
        if (number != NO_REGISTER) m->code->operands[m->operands++] = number;
    }
    return (uint8_t)(m->operands - before);
}

static uint32_t most_operands(const sim_function *function) {
    uint32_t slots[MOST_OPERANDS], sum = 0;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        sum += sources_of(function, instr, slots);
        sum += results_of(function, instr, slots);
    }
    return sum;
}

// ---- A function ----

static void make_ops(maker *m, const sim_device *device, const bool *targets) {
    uint32_t slots[MOST_OPERANDS], first = 0;
    for (uint32_t pc = 0; pc < m->function->code_count; pc++) {
        sim_instr *instr = &m->function->code[pc];
        if (targets[pc]) first = pc;
        clock_op *op = &m->code->ops[pc];
        *op = clock_cost_of(device, m->function, pc, first);
        op->operands = m->operands;
        op->sources = put(m, slots, sources_of(m->function, instr, slots));
        op->results = put(m, slots, results_of(m->function, instr, slots));
        if (op->kind == CLOCK_BRANCH || op->kind == CLOCK_BARRIER) first = pc + 1;
        instr->exec = sim_clock_exec;
    }
}

static bool make_code(sim_program *program, const sim_device *device, sim_function *function) {
    uint32_t count = function->code_count + 1;
    struct sim_clock_code *code = sim_arena_alloc(program->arena, sizeof *code);
    bool *targets = calloc(count, sizeof *targets);
    maker *m = malloc(sizeof *m);
    bool made = code && targets && m;
    if (made) {
        *code = (struct sim_clock_code){.registers = 0};
        m->code = code;
        m->function = function;
        m->operands = 0;
        code->ops = sim_arena_array(program->arena, count, sizeof *code->ops);
        code->operands = sim_arena_array(program->arena, (size_t)most_operands(function) + 1,
                                         sizeof *code->operands);
        made = code->ops && code->operands;
    }
    if (made) {
        for (uint32_t pc = 0; pc < function->code_count; pc++) {
            const sim_instr *instr = &function->code[pc];
            if (sim_is_jump(instr) && instr->target < count) targets[instr->target] = true;
        }
        number_results(m);
        make_ops(m, device, targets);
        function->bound->clock = code;
    }
    free(m);
    free(targets);
    return made;
}

// ---- Which functions ----

static bool reads_clock(const sim_function *function) {
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        if (sim_variant_of(&function->code[pc]) == SIM_VARIANT_SPECIAL) return true;
    return false;
}

// Marks what `function` calls; true: something was not marked before.
static bool mark_callees(const sim_program *program, const sim_function *function, bool *marked) {
    bool changed = false;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (!sim_is_call(instr) || ((const sim_call *)instr->extra)->is_builtin) continue;
        bool any = instr->mods & SIM_MOD_INDIRECT;
        for (uint32_t i = any ? 0 : instr->target; i < program->function_count; i++) {
            if (any && program->functions[i].is_entry) continue;
            changed = changed || !marked[i];
            marked[i] = true;
            if (!any) break;
        }
    }
    return changed;
}

// Whether `kernel` reaches a function that reads a clock; `reached`: [function_count], filled.
static bool reaches_clock(const sim_program *program, uint32_t kernel, bool *reached) {
    bool changed = true, reads = false;
    memset(reached, 0, program->function_count * sizeof *reached);
    reached[kernel] = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < program->function_count; i++)
            if (reached[i])
                changed = mark_callees(program, &program->functions[i], reached) || changed;
    }
    for (uint32_t i = 0; i < program->function_count; i++)
        reads = reads || (reached[i] && reads_clock(&program->functions[i]));
    return reads;
}

static bool bind_kernel(sim_program *program, const sim_device *device, uint32_t kernel,
                        const bool *reached) {
    for (uint32_t i = 0; i < program->function_count; i++) {
        sim_function *function = &program->functions[i];
        if (!reached[i] || function->refusal || function->bound->clock) continue;
        if (!make_code(program, device, function)) return false;
    }
    struct sim_clock_code *code = program->functions[kernel].bound->clock;
    if (code) code->reads = true;
    return true;
}

sim_status sim_clocks_bind(sim_program *program, const sim_device *device, bool *out_any,
                           kl_error *err) {
    bool made = true;
    *out_any = false;
    for (uint32_t i = 0; !*out_any && i < program->function_count; i++)
        *out_any = reads_clock(&program->functions[i]);
    if (!*out_any) return SIM_OK;
    bool *reached = malloc(program->function_count * sizeof *reached);
    for (uint32_t i = 0; reached && made && i < program->function_count; i++) {
        const sim_function *kernel = &program->functions[i];
        if (kernel->is_entry && !kernel->refusal && reaches_clock(program, i, reached))
            made = bind_kernel(program, device, i, reached);
    }
    made = made && reached;
    free(reached);
    if (made) return SIM_OK;
    return sim_fail(err, SIM_OUT_OF_MEMORY, "no host memory for the clocks of kernels");
}
