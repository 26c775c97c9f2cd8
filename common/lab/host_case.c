// SPDX-License-Identifier: MIT
// Host cases: see host_case.h.
#include "host_case.h"

#include <stdlib.h>
#include <string.h>

typedef struct host_buffers {
    void *inputs[KL_MAX_BUFFERS], *outputs[KL_MAX_BUFFERS];
} host_buffers;

static void release(host_buffers *b) {
    for (int i = 0; i < KL_MAX_BUFFERS; i++) {
        free(b->inputs[i]);
        free(b->outputs[i]);
    }
}

// Exact sizes, so that a sanitizer or the C library notices what is written beyond them.
static kl_status make(const kl_prepared *p, host_buffers *b, kl_call *call, kl_error *err) {
    const kl_case *shape = &p->shape;
    call->input_count = shape->input_count;
    call->output_count = shape->output_count;
    memcpy(call->ints, shape->ints, sizeof call->ints);
    memcpy(call->reals, shape->reals, sizeof call->reals);
    for (int i = 0; i < shape->input_count + shape->output_count; i++) {
        bool is_input = i < shape->input_count;
        int at = is_input ? i : i - shape->input_count;
        uint64_t bytes = is_input ? p->input_bytes[at] : p->output_bytes[at];
        void *memory = malloc(bytes > 0 ? bytes : 1);
        if (!memory) return kl_fail(err, KL_ERROR_MEMORY, "no host memory for the step's buffers");
        if (is_input) {
            b->inputs[at] = memcpy(memory, p->inputs[at], bytes);
            call->d_inputs[at] = bytes > 0 ? memory : NULL;
            call->input_bytes[at] = bytes;
        } else {
            b->outputs[at] = memset(memory, KL_POISON, bytes);
            call->d_outputs[at] = memory;
            call->output_bytes[at] = bytes;
        }
    }
    return KL_OK;
}

kl_status kl_host_case_run(const kl_step_job *job, const kl_prepared *p, kl_case_result *result,
                           kl_error *err) {
    host_buffers buffers;
    kl_call call;
    memset(&buffers, 0, sizeof buffers);
    memset(&call, 0, sizeof call);
    kl_status status = make(p, &buffers, &call, err);
    int code = status == KL_OK ? job->adapter->call(job->step.function, &call) : 0;
    if (code == KL_NOT_IMPLEMENTED) {
        result->state = LADDER_NOT_IMPLEMENTED;
    } else if (code != 0) {
        status = kl_fail(err, KL_ERROR_CUDA, "the step returned %d instead of 0", code);
    } else if (status == KL_OK) {
        job->plan->problem->verify(&p->shape, (const void *const *)p->inputs, p->solution,
                                   (const void *const *)buffers.outputs, &result->verdict);
        bool right = result->verdict.ok && result->verdict.compared > 0;
        result->state = right ? LADDER_CORRECT : LADDER_WRONG_ANSWER;
    }
    release(&buffers);
    return status;
}
