// SPDX-License-Identifier: MIT
// Call adapter of lab 13: generic buffers (common/host/call.h) to the typed call of tensor_gemm.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include <string.h>

#include "tensor_gemm.h"

_Static_assert((int)TENSOR_GEMM_NOT_IMPLEMENTED == (int)KL_NOT_IMPLEMENTED,
               "the lab's status is the kit's");

// ints: m, n, k, tensor_gemm_type. Inputs 0, 1: A, B; output 0: D.
static int call(void *step_function, const kl_call *c) {
    tensor_gemm_function *step = NULL;
    memcpy(&step, &step_function, sizeof step); // ISO C has no cast from data to function pointers
    const tensor_gemm_task task = {.m = c->ints[0],
                                   .n = c->ints[1],
                                   .k = c->ints[2],
                                   .type = (tensor_gemm_type)c->ints[3],
                                   .d_a = c->d_inputs[0],
                                   .d_b = c->d_inputs[1],
                                   .d_d = c->d_outputs[0]};
    return step(&task);
}

KL_LAB_ADAPTER(tensor_gemm, .call = call);
