// SPDX-License-Identifier: MIT
// Products that are added or subtracted. ptxas makes one fma of them where PTX leaves it the choice
// (PTX ISA, "mul" and "add": without .rn they may be contracted). nvcc has made most of them by
// then; what it leaves are differences, and sums of its double-float arithmetic. Read off the
// machine code of ptxas 13.0 for sm_90: neither instruction names a rounding, the product does not
// saturate, both flush subnormals or neither does, and every use of the product is such a sum in
// its basic block, which does not name it twice. The multiplication stays where it is, so that PTX
// instructions are counted as written.
//
// Where both terms of a sum are such products, one goes in, and the other one's value is needed:
//   - a product with one use goes before one with several, which then goes into none of its sums;
//   - else that with fewer uses, and of two with as many the first one;
//   - sums are looked at in the order of the code, and a product whose value one of them needs goes
//     into none of the later ones.
#include "decode/stages.h"

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

typedef struct value_uses {
    uint32_t *reads, *writes;
} value_uses;

static void count_use(void *context, uint32_t *field, bool is_write) {
    value_uses *uses = context;
    (is_write ? uses->writes : uses->reads)[*field]++;
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

// Whether all reads of the product at `pc` are sums that may take it in.
static bool all_uses_are_sums(decode_function *function, uint32_t pc, const value_uses *uses) {
    const sim_instr *product = &function->code[pc];
    change_search search = {product, false};
    uint32_t sums = 0;
    if (uses->writes[product->dst] != 1) return false;
    for (uint32_t at = pc + 1; at < function->code_count; at++) {
        bool fence = function->code[at].op == SIM_OP_FENCE;
        if (function->cfg.block_of[at] != function->cfg.block_of[pc] || search.changed || fence)
            break;
        sums += is_sum_with(&function->code[at], product);
        decode_for_slots(function, &function->code[at], find_change, &search);
    }
    return sums > 0 && sums == uses->reads[product->dst];
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
    uint32_t values = function->value_count;
    value_uses uses = {sim_arena_array(function->scratch, values, sizeof *uses.reads),
                       sim_arena_array(function->scratch, values, sizeof *uses.writes)};
    const sim_instr **products = sim_arena_array(function->scratch, values, sizeof *products);
    if (!uses.reads || !uses.writes || !products) return decode_no_memory(function->module);
    for (uint32_t pc = 0; pc < function->code_count; pc++)
        decode_for_slots(function, &function->code[pc], count_use, &uses);
    for (uint32_t i = 0; i < function->out->return_count; i++)
        uses.reads[function->out->returns[i].slot]++;
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
