// Binding: handlers for all instructions, straight-line runs, and what a launch needs to know of a
// function. Done once a program; its memory comes from the program's arena.
#include "ops/ops.h"

static bool has_v3(void) {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("f16c");
#else
    return false;
#endif
}

const sim_exec_table *sim_exec_table_for_host(void) {
    return has_v3() && &sim_exec_table_v3 ? &sim_exec_table_v3 : &sim_exec_table_base;
}

static bool is_control(const sim_instr *instr) {
    switch (instr->op) {
    case SIM_OP_BRA:
    case SIM_OP_BRX:
    case SIM_OP_CALL:
    case SIM_OP_RET:
    case SIM_OP_EXIT:
    case SIM_OP_TRAP:
    case SIM_OP_BRKPT:
    case SIM_OP_BAR:
    case SIM_OP_BAR_CLUSTER: return true;
    default: return false;
    }
}

// Whether lanes stay where they are and go on when they have executed it. Most of a program; what
// is not known to be so need not be named.
static bool goes_on(const sim_instr *instr) {
    bool memory = instr->op == SIM_OP_LD || instr->op == SIM_OP_LDU || instr->op == SIM_OP_ST;
    return instr->op <= SIM_OP_MOV || instr->op == SIM_OP_PACK || instr->op == SIM_OP_UNPACK ||
           instr->op == SIM_OP_CVT || instr->op == SIM_OP_CVTA ||
           (memory && !(instr->mods & SIM_MOD_VOLATILE));
}

// A run ends with a control instruction or before a place where lanes may meet.
static sim_status find_runs(sim_program *program, const sim_function *function, sim_bound *bound) {
    uint32_t count = function->code_count;
    bound->runs = sim_arena_array(program->arena, (size_t)count + 1, sizeof *bound->runs);
    if (!bound->runs) return SIM_OUT_OF_MEMORY;
    for (uint32_t pc = 0; pc < count; pc++) {
        const sim_instr *instr = &function->code[pc];
        bool branches = instr->op == SIM_OP_BRA || instr->op == SIM_OP_BRX;
        bool splits = instr->op == SIM_OP_CALL &&
                      (instr->guard != SIM_NO_SLOT || (instr->mods & SIM_MOD_INDIRECT));
        if (instr->op == SIM_OP_BRA && instr->target < count)
            function->code[instr->target].jumped_to = 1;
        if (branches && instr->reconverge <= count) bound->runs[instr->reconverge].joins = 1;
        if (splits) bound->runs[pc + 1].joins = 1;
    }
    for (uint32_t pc = count; pc-- > 0;) {
        const sim_run *next = &bound->runs[pc + 1];
        sim_run *run = &bound->runs[pc];
        if (is_control(&function->code[pc])) {
            run->control = 1;
        } else {
            run->plain = 1;
            run->guards = function->code[pc].guard != SIM_NO_SLOT;
            run->waits = !goes_on(&function->code[pc]);
            if (!next->joins) {
                run->guards |= next->plain && next->guards;
                run->waits |= next->plain && next->waits;
                run->plain += next->plain;
                run->control = next->control;
            }
        }
    }
    return SIM_OK;
}

// Frame bytes [offset, offset + bytes) hold an immediate or a special register.
static void mark_slot(uint8_t *units, uint32_t unit_count, uint32_t offset, uint32_t bytes) {
    for (uint32_t unit = offset / 4; unit < (offset + bytes + 3) / 4 && unit < unit_count; unit++)
        units[unit] = 1;
}

// The complement of constants and specials: what a new call clears.
static sim_status find_registers(sim_program *program, const sim_function *function,
                                 sim_bound *bound) {
    uint32_t units = (function->frame_bytes + 3) / 4;
    uint8_t *used = sim_arena_alloc(program->arena, units);
    bound->registers = sim_arena_array(
        program->arena, (size_t)function->constant_count + function->special_count + 1,
        sizeof *bound->registers);
    if (!used || !bound->registers) return SIM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < function->constant_count; i++) {
        uint32_t bytes = function->constants[i].bytes;
        mark_slot(used, units, function->constants[i].slot, bytes ? bytes * SIM_WARP_LANES : 4);
    }
    for (uint32_t i = 0; i < function->special_count; i++) {
        uint32_t bytes = 4 * SIM_WARP_LANES;
        if (function->specials[i].id == SIM_SPECIAL_GRIDID) bytes = 8 * SIM_WARP_LANES;
        if (function->specials[i].id == SIM_SPECIAL_IS_EXPLICIT_CLUSTER) bytes = 4; // a predicate
        mark_slot(used, units, function->specials[i].slot, bytes);
    }
    for (uint32_t unit = 0; unit < units; unit++) {
        if (used[unit]) continue;
        uint32_t first = unit;
        while (unit < units && !used[unit]) unit++;
        bound->registers[bound->register_range_count++] =
            (sim_range){.offset = first * 4, .bytes = (unit - first) * 4};
    }
    return SIM_OK;
}

static sim_status find_block_specials(sim_program *program, const sim_function *function,
                                      sim_bound *bound) {
    bound->block_specials =
        sim_arena_array(program->arena, function->special_count, sizeof *bound->block_specials);
    if (!bound->block_specials) return SIM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < function->special_count; i++) {
        uint8_t id = function->specials[i].id;
        bool by_block = (id >= SIM_SPECIAL_CTAID_X && id <= SIM_SPECIAL_CTAID_Z) ||
                        id == SIM_SPECIAL_SMID ||
                        (id >= SIM_SPECIAL_CLUSTER_CTAID_X && id <= SIM_SPECIAL_CLUSTERID_Z);
        if (by_block) bound->block_specials[bound->block_special_count++] = function->specials[i];
    }
    return SIM_OK;
}

static const char *type_text(uint8_t type) { return type ? ptx_type_name((ptx_type)type) : "-"; }

// Whether an instruction may touch device memory, so that it remembers where (sim_site).
static bool uses_site(const sim_instr *instr) {
    uint8_t pipe = sim_op_rows[instr->op].pipe;
    if (pipe != SIM_PIPE_LSU && pipe != SIM_PIPE_TEX) return false;
    return instr->space != PTX_SPACE_SHARED && instr->space != PTX_SPACE_LOCAL &&
           instr->space != PTX_SPACE_PARAM;
}

static sim_status bind_code(const sim_exec_table *table, sim_function *function, kl_error *err) {
    uint32_t sites = 0;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        instr->pc = pc;
        if (uses_site(instr)) instr->site = (uint8_t)(sites++ % SIM_SITES);
        instr->exec = table->bind[instr->op](instr);
        if (!instr->exec)
            return sim_fail(err, SIM_UNSUPPORTED,
                            "PTX line %u, in %s: no implementation of `%s` with type %s (%s)",
                            instr->ptx_line, function->name, sim_op_name((sim_op)instr->op),
                            type_text(instr->type), type_text(instr->type2));
        const sim_call *call = instr->extra;
        if (instr->op == SIM_OP_CALL && call->is_builtin && !sim_builtin_known(call->name))
            return sim_fail(err, SIM_UNSUPPORTED, "PTX line %u, in %s: call of unknown function %s",
                            instr->ptx_line, function->name, call->name);
    }
    return SIM_OK;
}

// Keeps the text of `error` with a function that cannot run.
static sim_status refuse(sim_program *program, sim_function *function, const kl_error *err) {
    function->refusal = sim_arena_copy(program->arena, err->text, strlen(err->text) + 1);
    return function->refusal ? SIM_OK : SIM_OUT_OF_MEMORY;
}

static sim_status bind_function(sim_program *program, const sim_exec_table *table, uint32_t index,
                                kl_error *err) {
    sim_function *function = &program->functions[index];
    sim_bound *bound = sim_arena_alloc(program->arena, sizeof *bound);
    if (!bound) return SIM_OUT_OF_MEMORY;
    bound->index = index;
    function->bound = bound;
    TRY(find_runs(program, function, bound));
    TRY(find_registers(program, function, bound));
    TRY(find_block_specials(program, function, bound));
    kl_error why = {0};
    sim_status status = bind_code(table, function, &why);
    if (status == SIM_UNSUPPORTED && program->refuses_functions)
        return refuse(program, function, &why);
    return status == SIM_OK ? SIM_OK : sim_fail(err, status, "%s", why.text);
}

// The function that `function` calls by name and that cannot run; NULL when there is none.
static const sim_function *refused_callee(const sim_program *program,
                                          const sim_function *function) {
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        const sim_call *call = instr->extra;
        if (instr->op != SIM_OP_CALL || call->is_builtin || (instr->mods & SIM_MOD_INDIRECT))
            continue;
        if (program->functions[instr->target].refusal) return &program->functions[instr->target];
    }
    return NULL;
}

// Callers of functions that cannot run cannot run either. Calls through pointers are found out when
// they happen (warps/control.c), because such a pointer may lead anywhere.
static sim_status propagate_refusals(sim_program *program) {
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < program->function_count; i++) {
            sim_function *function = &program->functions[i];
            const sim_function *callee =
                function->refusal ? NULL : refused_callee(program, function);
            if (!callee) continue;
            kl_error why;
            sim_fail(&why, SIM_UNSUPPORTED, "in %s, which it calls: %s", callee->name,
                     callee->refusal);
            TRY(refuse(program, function, &why));
            changed = true;
        }
    }
    return SIM_OK;
}

// LOOKS: it reads device memory to see what others write; POLLS: in a loop. CANCELS: launches.
enum { PLAIN, HEAP = 1, GRID = 2, LOOKS = 4, POLLS = 8, CANCELS = 16 };

static bool is_in_loop(const sim_function *function, uint32_t pc) {
    for (uint32_t end = pc; end < function->code_count; end++)
        if (function->code[end].op == SIM_OP_BRA && function->code[end].target <= pc) return true;
    return false;
}

static bool looks(const sim_instr *instr) {
    if (instr->space == PTX_SPACE_SHARED || instr->space == PTX_SPACE_LOCAL) return false;
    return sim_is_atom(instr) || (instr->op == SIM_OP_LD && instr->mods & SIM_MOD_VOLATILE);
}

static uint8_t own_uses(const sim_function *function) {
    uint8_t uses = PLAIN;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        if (function->code[pc].op == SIM_OP_LAUNCH_CANCEL) uses |= CANCELS;
        if (!(uses & POLLS) && looks(&function->code[pc]))
            uses |= is_in_loop(function, pc) ? LOOKS | POLLS : LOOKS;
    }
    return uses;
}

static uint8_t uses_of(const sim_call *call) {
    static const struct {
        const char *name;
        uint8_t uses;
    } rows[] = {
#define SIM_BUILTIN(name, handler, uses) {#name, uses},
#include "program/builtins.def"
#undef SIM_BUILTIN
    };
    for (size_t i = 0; call->is_builtin && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].name, call->name) == 0) return rows[i].uses;
    return PLAIN;
}

// What one step of the call graph makes `function` a user of.
static uint8_t reached_uses(const sim_program *program, const sim_function *function) {
    uint8_t uses = function->bound->uses;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (instr->op != SIM_OP_CALL) continue;
        const sim_call *call = instr->extra;
        uint8_t called = PLAIN;
        if (call->is_builtin) {
            called = uses_of(call);
        } else if (instr->mods & SIM_MOD_INDIRECT) { // may reach any function
            for (uint32_t i = 0; i < program->function_count; i++)
                if (!program->functions[i].is_entry) called |= program->functions[i].bound->uses;
        } else {
            called = program->functions[instr->target].bound->uses;
        }
        uses |= called & LOOKS && is_in_loop(function, pc) ? called | POLLS : called;
    }
    return uses;
}

static void propagate_uses(sim_program *program) {
    bool changed = true;
    for (uint32_t i = 0; i < program->function_count; i++)
        program->functions[i].bound->uses = own_uses(&program->functions[i]);
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < program->function_count; i++) {
            sim_bound *bound = program->functions[i].bound;
            uint8_t uses = reached_uses(program, &program->functions[i]);
            if (uses == bound->uses) continue;
            bound->uses = uses;
            changed = true;
        }
    }
}

// Whether every call leads to a function that is known to be bounded.
static bool calls_are_bounded(const sim_program *program, const sim_function *function) {
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (instr->op != SIM_OP_CALL || ((const sim_call *)instr->extra)->is_builtin) continue;
        if (instr->mods & SIM_MOD_INDIRECT ||
            !program->functions[instr->target].bound->has_bounded_stack)
            return false;
    }
    return true;
}

// From the functions that call nothing upwards: those on a cycle are never reached.
static void find_bounded(sim_program *program) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < program->function_count; i++) {
            sim_function *function = &program->functions[i];
            if (function->bound->has_bounded_stack || !calls_are_bounded(program, function))
                continue;
            function->bound->has_bounded_stack = changed = true;
        }
    }
}

// Whether it adds to device memory in a loop, and has what was there before.
static bool draws_tickets(const sim_function *function) {
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *atom = &function->code[pc];
        if (sim_is_counting_atom(atom) && atom->space != PTX_SPACE_SHARED &&
            is_in_loop(function, pc))
            return true;
    }
    return false;
}

sim_status sim_program_bind_table(sim_program *program, const sim_exec_table *table,
                                  kl_error *err) {
    for (uint32_t i = 0; i < program->function_count; i++) {
        sim_status status = bind_function(program, table, i, err);
        if (status == SIM_OUT_OF_MEMORY)
            return sim_fail(err, status, "no host memory to bind %s", program->functions[i].name);
        TRY(status);
    }
    if (propagate_refusals(program) != SIM_OK)
        return sim_fail(err, SIM_OUT_OF_MEMORY, "no host memory to bind the program");
    propagate_uses(program);
    find_bounded(program);
    for (uint32_t i = 0; i < program->function_count; i++) {
        sim_function *function = &program->functions[i];
        sim_bound *bound = function->bound;
        bound->calls_heap = bound->uses & HEAP;
        bound->calls_runtime = bound->uses & GRID;
        bound->polls = bound->uses & POLLS;
        bound->cancels = bound->uses & CANCELS;
        bound->orders_blocks = function->orders_blocks || bound->uses & (HEAP | GRID);
        bound->draws_tickets = draws_tickets(function);
    }
    return SIM_OK;
}

void sim_bind_machine(sim_function *function) {
    const sim_exec_table *table = sim_exec_table_for_host();
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        bool other = instr->machine == SIM_MACHINE_WIDE || instr->machine == SIM_MACHINE_MERGED;
        if (!other || !instr->exec || instr->exec == table->as_machine) continue;
        instr->plain = instr->exec;
        instr->exec = table->as_machine;
    }
}

sim_status sim_program_bind(sim_program *program, kl_error *err) {
    const sim_exec_table *table = sim_exec_table_for_host();
    if (!table)
        return sim_fail(
            err, SIM_UNSUPPORTED,
            "the simulator was built for processors with AVX2 and FMA; build it here, or "
            "with -DSIM_VARIANTS='base;v3'");
    return sim_program_bind_table(program, table, err);
}
