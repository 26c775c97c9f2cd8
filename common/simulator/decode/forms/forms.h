// A function for every operand form that program/ops.def names: it reads the operands of the
// function's current instruction and appends what they mean.
#pragma once

#include "decode/instruction/instruction.h"

typedef sim_status (*decode_form_fn)(decode_function *function);
sim_status decode_form_D(decode_function *function);
sim_status decode_form_D_A(decode_function *function);
sim_status decode_form_D_A_B(decode_function *function);
sim_status decode_form_D_A_B_C(decode_function *function);
sim_status decode_form_D_A_B_C_E(decode_function *function);
sim_status decode_form_D_A_B_C_I(decode_function *function);
sim_status decode_form_A(decode_function *function);
sim_status decode_form_NONE(decode_function *function);
sim_status decode_form_IGNORED(decode_function *function);
sim_status decode_form_VIDEO(decode_function *function);
sim_status decode_form_SETP(decode_function *function);
sim_status decode_form_SET(decode_function *function);
sim_status decode_form_SELP(decode_function *function);
sim_status decode_form_MOV(decode_function *function);
sim_status decode_form_CVT(decode_function *function);
sim_status decode_form_CVT_FP8(decode_function *function);
sim_status decode_form_CVT_PACK(decode_function *function);
sim_status decode_form_CVTA(decode_function *function);
sim_status decode_form_ISSPACEP(decode_function *function);
sim_status decode_form_LD(decode_function *function);
sim_status decode_form_ST(decode_function *function);
sim_status decode_form_ATOM(decode_function *function);
sim_status decode_form_RED(decode_function *function);
sim_status decode_form_TEX(decode_function *function);
sim_status decode_form_TXQ(decode_function *function);
sim_status decode_form_SULD(decode_function *function);
sim_status decode_form_SUST(decode_function *function);
sim_status decode_form_SURED(decode_function *function);
sim_status decode_form_ISTYPEP(decode_function *function);
sim_status decode_form_PREFETCH(decode_function *function);
sim_status decode_form_FENCE(decode_function *function);
sim_status decode_form_CP_ASYNC(decode_function *function);
sim_status decode_form_CP_WAIT(decode_function *function);
sim_status decode_form_CP_MBARRIER(decode_function *function);
sim_status decode_form_BULK(decode_function *function);
sim_status decode_form_BULK_TENSOR(decode_function *function);
sim_status decode_form_BULK_GROUP(decode_function *function);
sim_status decode_form_TENSORMAP(decode_function *function);
sim_status decode_form_MBARRIER(decode_function *function);
sim_status decode_form_MAPA(decode_function *function);
sim_status decode_form_STACK(decode_function *function);
sim_status decode_form_BAR_CLUSTER(decode_function *function);
sim_status decode_form_MMA(decode_function *function);
sim_status decode_form_WMMA(decode_function *function);
sim_status decode_form_LDMATRIX(decode_function *function);
sim_status decode_form_MOVMATRIX(decode_function *function);
sim_status decode_form_WGMMA(decode_function *function);
sim_status decode_form_WGMMA_GROUP(decode_function *function);
sim_status decode_form_SETMAXNREG(decode_function *function);
sim_status decode_form_SHFL(decode_function *function);
sim_status decode_form_VOTE(decode_function *function);
sim_status decode_form_MATCH(decode_function *function);
sim_status decode_form_REDUX(decode_function *function);
sim_status decode_form_ELECT(decode_function *function);
sim_status decode_form_WARPSYNC(decode_function *function);
sim_status decode_form_BAR(decode_function *function);
sim_status decode_form_BRA(decode_function *function);
sim_status decode_form_BRX(decode_function *function);
sim_status decode_form_CALL(decode_function *function);

// The type of matrix elements that a word names (program/matrix_elements.def); false: none.
bool decode_find_element(const char *word, sim_element *out);

// A second address of `instr`: its register in *out_slot, its displacement in *out_displacement,
// and `wide` in mods when the register has 64 bits (bulk.c).
sim_status decode_second_address(decode_function *function, const ptx_operand *operand,
                                 uint32_t wide, sim_instr *instr, uint32_t *out_slot,
                                 uint32_t *out_displacement);

// Labels to pcs, then the control-flow graph and reconvergence points (control.c).
sim_status decode_resolve_branches(decode_function *function);
