// Products that are added or subtracted. ptxas makes one fma of them where PTX leaves it the choice
// (PTX ISA, "mul" and "add": without .rn they may be contracted). nvcc has made most of them by
// then; what it leaves are differences, and sums of its double-float arithmetic. Read off the
// machine code of ptxas 13.0 for sm_90: neither instruction names a rounding, the product does not
// saturate, both flush subnormals or neither does, and every use of the product is such a sum,
// which does not name it twice. Where one of them is in another basic block (a loop that the
// product stands before, what follows a branch), a factor is an operand that machine code takes
// from constant memory or from itself: a parameter of the kernel, a variable of constant memory, a
// number. The multiplication stays where it is, so that PTX instructions are counted as written;
// where a factor changes before a sum (ptxas would keep a copy) the product is not taken in.
//
// Where both terms of a sum are such products, one goes in, and the other one's value is needed:
//   - a product with one use goes before one with several, which then goes into none of its sums;
//   - else that with fewer uses, and of two with as many the first one;
//   - sums are looked at in the order of the code, and a product whose value one of them needs goes
//     into none of the later ones.
#include "decode/internal.h"

static bool may_contract(const sim_instr *instr) {
    bool half = instr->type >= PTX_F16 && instr->type <= PTX_BF16X2;
    return (half || instr->type == PTX_F32 || instr->type == PTX_F64) &&
           instr->rounding == SIM_ROUND_DEFAULT;
}

static bool is_sum(const sim_instr *instr) {
    return (instr->op == SIM_OP_ADD || instr->op == SIM_OP_SUB) && may_contract(instr);
}

static bool is_product(const sim_instr *instr) {
    return instr->op == SIM_OP_MUL && may_contract(instr) && !(instr->mods & SIM_MOD_SAT) &&
           instr->guard == SIM_NO_SLOT;
}

static bool is_sum_with(const sim_instr *instr, const sim_instr *product) {
    bool left = instr->src[0] == product->dst, right = instr->src[1] == product->dst;
    return is_sum(instr) && instr->type == product->type && left != right &&
           ((instr->mods ^ product->mods) & SIM_MOD_FTZ) == 0;
}

// Of each value: how often it is read and written, where it is last written, and of a product that
// is written once where that is, how many sums take it in and where the last of them is.
typedef struct value_uses {
    uint32_t *reads, *writes, *last_write;
    uint32_t *product, *sums, *last_sum;
    uint32_t pc; // of the instruction that is looked at
} value_uses;

static bool make_uses(decode_function *function, value_uses *uses) {
    uint32_t **arrays[] = {&uses->reads,   &uses->writes, &uses->last_write,
                           &uses->product, &uses->sums,   &uses->last_sum};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = sim_arena_array(function->scratch, function->value_count, sizeof **arrays[i]);
        if (!*arrays[i]) return false;
    }
    return true;
}

static void count_use(void *context, uint32_t *field, bool is_write) {
    value_uses *uses = context;
    (is_write ? uses->writes : uses->reads)[*field]++;
    if (is_write) uses->last_write[*field] = uses->pc;
}

static void count_uses(decode_function *function, value_uses *uses) {
    for (uses->pc = 0; uses->pc < function->code_count; uses->pc++)
        decode_for_slots(function, &function->code[uses->pc], count_use, uses);
    for (uint32_t i = 0; i < function->out->return_count; i++)
        uses->reads[function->out->returns[i].slot]++;
}

static void count_sum(const decode_function *function, value_uses *uses, uint32_t pc,
                      uint32_t term) {
    const sim_instr *product = &function->code[uses->product[term]];
    if (uses->writes[term] != 1 || !is_product(product) || product->dst != term) return;
    if (uses->product[term] > pc || !is_sum_with(&function->code[pc], product)) return;
    uses->sums[term]++;
    uses->last_sum[term] = pc;
}

static void count_sums(const decode_function *function, value_uses *uses) {
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        if (is_product(&function->code[pc])) uses->product[function->code[pc].dst] = pc;
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *sum = &function->code[pc];
        if (!is_sum(sum)) continue;
        count_sum(function, uses, pc, sum->src[0]);
        if (sum->src[1] != sum->src[0]) count_sum(function, uses, pc, sum->src[1]);
    }
}

// The end of the code that may run between `pc` and `end` without passing `pc` again: that of the
// loops which begin between them.
static uint32_t end_of_loops(const decode_function *function, uint32_t pc, uint32_t end) {
    const sim_cfg *cfg = &function->cfg;
    uint32_t block = cfg->block_of[end];
    for (uint32_t from = block; from < cfg->graph.count; from++)
        for (uint32_t i = cfg->graph.first[from]; i < cfg->graph.first[from + 1]; i++) {
            uint32_t to = cfg->graph.targets[i];
            if (to > block || cfg->first_pc[to] <= pc) continue;
            block = from;
            end = cfg->first_pc[from + 1] - 1;
        }
    return end;
}

typedef struct change_search {
    const sim_instr *product;
    bool changed;
} change_search;

static void find_change(void *context, uint32_t *field, bool is_write) {
    change_search *search = context;
    const sim_instr *product = search->product;
    search->changed |= is_write && (*field == product->src[0] || *field == product->src[1]);
}

// Whether machine code has the value as an operand that is no register, with a sign or without.
static bool is_outside_registers(const decode_function *function, const value_uses *uses,
                                 uint32_t value) {
    enum { MOVES = 4 }; // that are followed
    for (int i = 0; i < MOVES; i++) {
        if (function->values[value].kind == VALUE_CONSTANT) return true;
        const sim_instr *from = &function->code[uses->last_write[value]];
        if (uses->writes[value] != 1 || from->guard != SIM_NO_SLOT) return false;
        bool of_kernel = from->space == PTX_SPACE_PARAM && !(from->mods & SIM_MOD_FRAME);
        if (from->op == SIM_OP_LD)
            return function->values[from->src[0]].kind == VALUE_CONSTANT &&
                   (of_kernel || from->space == PTX_SPACE_CONST);
        if (from->op != SIM_OP_MOV && from->op != SIM_OP_NEG) return false;
        value = from->src[0];
    }
    return false;
}

static bool may_leave_block(const decode_function *function, const value_uses *uses,
                            const sim_instr *product) {
    return is_outside_registers(function, uses, product->src[0]) ||
           is_outside_registers(function, uses, product->src[1]);
}

// Whether all reads of the product at `pc` are sums that may take it in.
static bool all_uses_are_sums(decode_function *function, uint32_t pc, const value_uses *uses) {
    const sim_instr *product = &function->code[pc];
    uint32_t value = product->dst;
    if (uses->sums[value] == 0 || uses->sums[value] != uses->reads[value]) return false;
    uint32_t end = uses->last_sum[value];
    if (function->cfg.block_of[end] != function->cfg.block_of[pc]) {
        if (!may_leave_block(function, uses, product)) return false;
        end = end_of_loops(function, pc, end);
    }
    change_search search = {product, false};
    for (uint32_t at = pc + 1; at < end && !search.changed; at++) {
        search.changed = function->code[at].op == SIM_OP_FENCE;
        decode_for_slots(function, &function->code[at], find_change, &search);
    }
    return !search.changed;
}

static void take_in(sim_instr *sum, const sim_instr *product) {
    bool left = sum->src[0] == product->dst;
    uint32_t other = sum->src[left ? 1 : 0];
    if (sum->op == SIM_OP_SUB) sum->variant = left ? SIM_FMA_NEGATE_ADDEND : SIM_FMA_NEGATE_PRODUCT;
    sum->op = SIM_OP_FMA;
    sum->src[0] = product->src[0];
    sum->src[1] = product->src[1];
    sum->src[2] = other;
}

// A product with several uses that meets one with a single use goes into no sum.
static void keep_values(const decode_function *function, const value_uses *uses,
                        const sim_instr **products) {
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *sum = &function->code[pc];
        if (!is_sum(sum) || !products[sum->src[0]] || !products[sum->src[1]]) continue;
        uint32_t left = uses->reads[sum->src[0]], right = uses->reads[sum->src[1]];
        if (left == 1 && right > 1) products[sum->src[1]] = NULL;
        if (right == 1 && left > 1) products[sum->src[0]] = NULL;
    }
}

// The product that goes into a sum; the other term's value is needed from here on.
static const sim_instr *choose_product(const sim_instr *sum, const value_uses *uses,
                                       const sim_instr **products) {
    const sim_instr *left = products[sum->src[0]], *right = products[sum->src[1]];
    bool fewer = left && right && uses->reads[sum->src[1]] < uses->reads[sum->src[0]];
    if (left && !fewer) {
        products[sum->src[1]] = NULL;
        return left;
    }
    if (right) products[sum->src[0]] = NULL;
    return right;
}

sim_status decode_contract_products(decode_function *function) {
    value_uses uses = {.pc = 0};
    const sim_instr **products =
        sim_arena_array(function->scratch, function->value_count, sizeof *products);
    if (!products || !make_uses(function, &uses)) return decode_no_memory(function->module);
    count_uses(function, &uses);
    count_sums(function, &uses);
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        const sim_instr *instr = &function->code[pc];
        if (is_product(instr) && all_uses_are_sums(function, pc, &uses))
            products[instr->dst] = instr;
    }
    keep_values(function, &uses, products);
    for (uint32_t pc = 0; pc < function->code_count; pc++) {
        sim_instr *instr = &function->code[pc];
        const sim_instr *product = is_sum(instr) ? choose_product(instr, &uses, products) : NULL;
        if (product) take_in(instr, product);
    }
    return SIM_OK;
}
