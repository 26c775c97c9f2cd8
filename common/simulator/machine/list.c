// The list of a function's machine instructions (match.c).
#include "machine/machine.h"

enum {
    CODE_BYTES = SIM_MACHINE_BYTES,
    OPCODE = MACHINE_OPCODE_BITS,
    NOP = MACHINE_NOP,
    CALL = MACHINE_CALL,
    BRA = MACHINE_BRA,
    BRX = 0x149,
    EXIT = 0x14D,
    RET = 0x150,
    FIRST_ACCESS = 0x180, // loads, stores and atomics of memory
    LAST_ACCESS = 0x18F,
    FFMA = 0x223, // of three registers, by OPCODE_AND_FORM
    OPCODE_AND_FORM = 0xFFF,
    NO_REGISTER = 255 // reads as 0
};

// Instructions up to the jump to itself that ends the code, up to what brings lanes together for a
// shuffle or a vote and jumps back, or up to the first subroutine, which few lanes need: behind
// these lie further ones, and padding.
static size_t executed(const sim_cubin_kernel *kernel) {
    size_t count = kernel->code_bytes / CODE_BYTES;
    for (size_t i = 0; i < count; i++) {
        uint64_t word = machine_word(kernel, i);
        bool calls = (word & OPCODE) == CALL;
        if ((word & OPCODE) != BRA && !calls) continue;
        int64_t target = machine_target(word, i);
        if (target == (int64_t)i) return i;
        bool aside = calls || machine_control(kernel, i) >> 27 & 1;
        if (aside && target > (int64_t)i && target < (int64_t)count) count = (size_t)target;
    }
    return count;
}

// depths[i]: branches backwards over instruction i, itself included. changes: [count + 1] zeros.
static void find_depths(const sim_cubin_kernel *kernel, size_t count, int32_t *changes,
                        uint8_t *depths) {
    for (size_t i = 0; i < count; i++) {
        uint64_t word = machine_word(kernel, i);
        int64_t target = machine_target(word, i);
        if ((word & OPCODE) != BRA || target < 0 || target > (int64_t)i) continue;
        changes[target]++;
        changes[i + 1]--;
    }
    int32_t depth = 0;
    for (size_t i = 0; i < count; i++) {
        depth += changes[i];
        depths[i] = depth < UINT8_MAX ? (uint8_t)depth : UINT8_MAX;
    }
}

// The pipes of codes that are not of memory or control (H200: which of its counters of pipes grow).
static sim_machine_pipe pipe_of(uint32_t opcode) {
    enum { MOV = 0x2, P2R, VOTE = 0x6, SEL, LAST_COMPARISON = 0xF, IADD3, LEA, LOP3, PRMT = 0x16 };
    enum { SHF = 0x19, PLOP3 = 0x1C, FMUL = 0x20, FADD, FFMA_CODE = 0x23, IMAD, IMAD_WIDE };
    enum { IMAD_HI = 0x27, HFMA2 = 0x35, VIADD, I2FP = 0x45, VIADDMNMX, VIMNMX = 0x48 };
    enum { ULDC_AT = 0xBB, FCHK = 0x102, MUFU = 0x108, BSYNC = 0x141 };
    switch (opcode) {
    case MOV:
    case P2R:
    case VOTE:
    case IADD3:
    case LEA:
    case LOP3:
    case PRMT:
    case SHF:
    case PLOP3:
    case I2FP:
    case VIADDMNMX:
    case VIMNMX: return SIM_MACHINE_PIPE_ALU;
    case IMAD:
    case HFMA2:
    case VIADD: return SIM_MACHINE_PIPE_PRODUCT;
    case IMAD_WIDE:
    case IMAD_HI: return SIM_MACHINE_PIPE_WIDE;
    case FMUL:
    case FADD:
    case FFMA_CODE: return SIM_MACHINE_PIPE_FLOAT;
    case FCHK:
    case MUFU: return SIM_MACHINE_PIPE_SPECIAL;
    case ULDC_AT: return SIM_MACHINE_PIPE_UNIFORM;
    case BSYNC:
    case BRA: return SIM_MACHINE_PIPE_BRANCH;
    default:
        return opcode >= SEL && opcode <= LAST_COMPARISON ? SIM_MACHINE_PIPE_ALU
                                                          : SIM_MACHINE_PIPE_OTHER;
    }
}

static bool jumps(uint32_t opcode) {
    return opcode == BRA || opcode == BRX || opcode == EXIT || opcode == RET;
}

// The instruction that a line of the PTX belongs to: the last one that begins at or before it.
static uint32_t pc_of_line(const sim_function *function, uint32_t line) {
    uint32_t low = 0, high = function->code_count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (function->code[middle].ptx_line <= line) low = middle;
        else high = middle;
    }
    return low;
}

static uint8_t scoreboard_of(uint64_t control) {
    uint32_t number = control >> 46 & 7;
    return number < SIM_SCOREBOARDS ? (uint8_t)(1u << number) : 0;
}

// The registers that an instruction with three of them reads, and those that it keeps for the next
// one, by their places in it.
typedef struct register_reads {
    uint8_t from[3], keeps;
} register_reads;

static register_reads reads_of(uint64_t word, uint64_t control) {
    return (register_reads){
        .from = {(uint8_t)(word >> 24), (uint8_t)(word >> 32), (uint8_t)control},
        .keeps = control >> 58 & 7};
}

// Counts by bank the different registers that `now` reads, less those that `before` has kept.
static void count_reads(const register_reads *now, const register_reads *before, uint8_t *out) {
    for (uint32_t k = 0; k < 3; k++) {
        uint8_t from = now->from[k];
        bool kept = before->keeps >> k & 1 && before->from[k] == from;
        bool again = (k > 0 && from == now->from[0]) || (k > 1 && from == now->from[1]);
        if (from != NO_REGISTER && !kept && !again) out[from % SIM_REGISTER_BANKS]++;
    }
}

static void take(sim_function *function, const sim_cubin_kernel *kernel,
                 const sim_cubin_line *lines, uint32_t line_count, sim_machine_op *ops,
                 const uint8_t *depths, size_t count) {
    const register_reads nothing = {.keeps = 0};
    register_reads before = nothing;
    for (size_t i = 0; i < count; i++) {
        uint32_t opcode = (uint32_t)machine_word(kernel, i) & OPCODE;
        register_reads reads = reads_of(machine_word(kernel, i), machine_control(kernel, i)),
                       last = before;
        before = reads;
        const sim_cubin_line *line =
            sim_cubin_line_at(lines, line_count, (uint32_t)(i * CODE_BYTES));
        if (opcode == NOP || !line) continue;
        uint32_t pc = pc_of_line(function, line->line);
        sim_instr *instr = &function->code[pc];
        uint64_t control = machine_control(kernel, i);
        sim_machine_op *op = &ops[function->machine_count++];
        *op = (sim_machine_op){.pc = pc,
                               .depth = depths[i],
                               .stall = control >> 41 & 15,
                               .jumps = jumps(opcode),
                               .calls = opcode == CALL,
                               .pipe = (uint8_t)pipe_of(opcode),
                               .accesses = (opcode >= FIRST_ACCESS && opcode <= LAST_ACCESS) ||
                                           scoreboard_of(control),
                               .sets = scoreboard_of(control),
                               .waits = control >> 52 & ((1u << SIM_SCOREBOARDS) - 1)};
        if ((machine_word(kernel, i) & OPCODE_AND_FORM) == FFMA) {
            count_reads(&reads, &last, op->reads);
            count_reads(&reads, &nothing, op->reads_alone);
        }
        if (jumps(opcode) && instr->machine_jumps < UINT8_MAX) instr->machine_jumps++;
    }
}

// What an operation such as a root does behind a branch that calls a function, for rare operands.
static void find_aside(const sim_function *function, sim_machine_op *ops, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (!ops[i].calls || sim_is_call(&function->code[ops[i].pc])) continue;
        for (uint32_t k = i; ops[k].pc == ops[i].pc && !ops[k].jumps; k--) {
            ops[k].aside = true;
            if (k == 0) break;
        }
        for (uint32_t k = i; k < count && ops[k].pc == ops[i].pc; k++) {
            ops[k].aside = true;
            if (ops[k].jumps) break;
        }
    }
}

void sim_machine_list(sim_arena *arena, sim_function *function, const sim_cubin_kernel *kernel,
                      const sim_cubin_line *lines, uint32_t line_count) {
    size_t count = executed(kernel);
    if (function->code_count == 0 || line_count == 0 || count == 0) return;
    uint8_t *depths = calloc(count, 1);
    int32_t *changes = calloc(count + 1, sizeof *changes);
    sim_machine_op *ops = sim_arena_array(arena, count, sizeof *ops);
    if (depths && changes && ops) {
        find_depths(kernel, count, changes, depths);
        take(function, kernel, lines, line_count, ops, depths, count);
        find_aside(function, ops, function->machine_count);
        function->machine = ops;
    }
    free(changes);
    free(depths);
}
