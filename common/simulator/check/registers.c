// See rules.h. Registers are those of the PTX (sim_function.by_register): the simulator's own
// slots hold another value as soon as the compiler sees no further use. Copies from register to
// register are how a compiler renames, and no machine instruction: a copy of an accumulator is as
// much the product's as the accumulator, and overwriting by a copy is not told.
#include "check/rules.h"
#include "advice.h"
#include "machine/machine.h"
#include "warps/block.h"

// What is known of one register of a warp.
typedef struct check_register {
    uint32_t writer;  // who wrote it last, by site: copies tell whose value it is
    uint32_t written; // the warp's fences until then, and 1; 0: no writer is known
    uint32_t product; // the last one that uses it, by site
    uint32_t group;   // that product's, and 1; 0: there is none
    bool adds;        // it adds to the register; else it reads it as a part of A
} check_register;

struct check_registers {
    const sim_function *function; // whose registers they are; those of callers are not followed
    uint32_t count, fences;       // registers; fences of the warp so far
    check_register at[];          // [count]
};

void check_registers_begin(check_block *block) {
    for (uint32_t i = 0; i < CHECK_WARPS; i++)
        if (block->registers[i]) block->registers[i]->function = NULL;
}

void check_registers_free(check_block *block) {
    for (uint32_t i = 0; i < CHECK_WARPS; i++) {
        free(block->registers[i]);
        block->registers[i] = NULL;
    }
}

// Those of the warp, in its present function; NULL: no memory.
static check_registers *registers_of(check_block *block, const sim_warp *warp) {
    check_registers **at = &block->registers[warp->index], *own = *at;
    const sim_function *function = warp->frame->function;
    if (own && own->function == function) return own;
    if (!own || own->count < function->value_count) {
        own = malloc(sizeof *own + function->value_count * sizeof *own->at);
        if (!own) return NULL;
        free(*at);
        *at = own;
    }
    own->function = function;
    own->count = function->value_count;
    own->fences = 0;
    memset(own->at, 0, own->count * sizeof *own->at);
    return own;
}

// ---- Findings -----------------------------------------------------------------------------------

// What two instructions of one thread do to a register, the product second.
static void report(sim_checker *checker, const sim_warp *warp, uint32_t site,
                   sim_check_action action, uint32_t product, sim_check_action of_product,
                   const char *text) {
    uint64_t position = checker->current->order.position;
    bool is_new;
    sim_finding *finding = check_find(checker, SIM_CHECK_REGISTER_RACE, site, product, &is_new);
    if (!finding || !is_new) return;
    check_find_side(checker, &finding->sides[0], action, site, position, 32 * warp->index);
    if (product != CHECK_NO_SITE)
        check_find_side(checker, &finding->sides[1], of_product, product, position,
                        32 * warp->index);
    strcpy(finding->text, text);
}

static bool is_under_way(const sim_warp *warp, const check_register *reg) {
    return reg->group && warp->products.count && reg->group > warp->products.items[0].group;
}

static void read_register(sim_checker *checker, const sim_warp *warp, uint32_t site,
                          const check_register *reg) {
    if (!reg->adds || !is_under_way(warp, reg)) return;
    report(checker, warp, site, SIM_ACTION_READ, reg->product, SIM_ACTION_WRITE,
           kl_advice_text(KL_ADVICE_WAIT_BEFORE_READ));
}

static void write_register(sim_checker *checker, const sim_warp *warp, uint32_t site,
                           const check_register *reg) {
    if (!is_under_way(warp, reg)) return;
    report(checker, warp, site, SIM_ACTION_WRITE, reg->product,
           reg->adds ? SIM_ACTION_WRITE : SIM_ACTION_READ,
           reg->adds ? kl_advice_text(KL_ADVICE_WAIT_BEFORE_SUM)
                     : kl_advice_text(KL_ADVICE_WAIT_FOR_SOURCE));
}

// ---- Instructions -------------------------------------------------------------------------------

// A copy; *out_clears: of a constant.
static bool passes_on(const sim_function *function, const sim_instr *instr, bool *out_clears) {
    *out_clears = false;
    if (sim_is_pack(instr) || sim_is_unpack(instr)) return true;
    if (!sim_is_mov(instr)) return false;
    for (uint32_t i = 0; i < function->constant_count; i++)
        *out_clears |= function->constants[i].slot == instr->src[0];
    return true;
}

// Whether what threads wrote to the product's registers has been fenced.
static void judge_fence(sim_checker *checker, const sim_warp *warp, const check_registers *own,
                        const uint32_t *list, uint32_t count, uint32_t site) {
    if (own->fences == 0) {
        report(checker, warp, site, SIM_ACTION_NONE, CHECK_NO_SITE, SIM_ACTION_NONE,
               "the warp's first product (wgmma) has no wgmma.fence before it: what threads wrote "
               "to its registers need not be there yet");
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const check_register *reg = &own->at[list[i]];
        if (reg->written != own->fences + 1) continue;
        report(
            checker, warp, reg->writer, SIM_ACTION_WRITE, site, SIM_ACTION_READ,
            "no wgmma.fence is between the write of a register and the product (wgmma) that "
            "uses it: the product may read what was there before. Where the source has one, "
            "the compiler moved the write behind it: asm volatile(\"\" : \"+r\"(x)), \"+f\" of a "
            "float, before the fence keeps it there");
        return;
    }
}

static void begin_product(sim_checker *checker, const sim_warp *warp, check_registers *own,
                          const sim_instr *instr) {
    const sim_function *kept = own->function->by_register;
    const uint32_t *list = kept->slots + kept->code[instr->pc].list;
    uint32_t sums = sim_written_parts(instr), site = check_site(checker, own->function, instr);
    uint32_t count = sums + ((const sim_matrix *)instr->extra)->registers[SIM_MATRIX_A];
    judge_fence(checker, warp, own, list, count, site);
    for (uint32_t i = 0; i < count; i++)
        own->at[list[i]] =
            (check_register){.product = site, .group = warp->products.groups + 1, .adds = i < sums};
}

// What a copy brings: the registers of an accumulator, or of a value somebody has written.
static check_register copied(const check_registers *own, const uint32_t *slots, uint32_t count) {
    check_register latest = {0};
    for (uint32_t i = 0; i < count; i++) {
        const check_register *reg = &own->at[slots[i]];
        if (reg->adds && reg->group > latest.group) latest = *reg;
        if (reg->written > latest.written) {
            latest.written = reg->written;
            latest.writer = reg->writer;
        }
    }
    return latest;
}

static void pass_registers(sim_checker *checker, const sim_warp *warp, check_registers *own,
                           const sim_instr *instr) {
    const sim_function *kept = own->function->by_register;
    const sim_instr *virtual = &kept->code[instr->pc];
    uint32_t slots[SIM_OPERAND_SLOTS], site = check_site(checker, own->function, instr);
    uint32_t count = sim_operand_sources(kept, virtual, slots);
    bool clears, copies = passes_on(own->function, instr, &clears);
    check_register result = {.writer = site, .written = own->fences + 1};
    for (uint32_t i = 0; !copies && i < count; i++)
        read_register(checker, warp, site, &own->at[slots[i]]);
    if (copies) result = copied(own, slots, count);
    count = sim_operand_results(kept, virtual, slots);
    for (uint32_t i = 0; i < count; i++) {
        if (!copies || clears) write_register(checker, warp, site, &own->at[slots[i]]);
        own->at[slots[i]] = result;
    }
}

void check_registers_step(sim_checker *checker, const sim_warp *warp, const sim_instr *instr) {
    if (!warp->frame->function->by_register) return;
    check_registers *own = registers_of(checker->current, warp);
    if (!own) return;
    if (sim_is_wgmma(instr)) begin_product(checker, warp, own, instr);
    else if (sim_is_wgmma_fence(instr)) own->fences++;
    else pass_registers(checker, warp, own, instr);
}
