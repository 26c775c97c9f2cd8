// Call adapter of lab 12: generic buffers (common/host/call.h) to the typed call of histogram.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include "histogram.h"

// ints[0]: n; ints[1]: histogram_kind. Input 0: x; output 0: the counts.
static int call(void *step_function, const kl_call *c) {
    KL_FUNCTION(histogram_function, step, step_function);
    return step(c->d_inputs[0], c->ints[0], (histogram_kind)c->ints[1], c->d_outputs[0]);
}

KL_LAB_ADAPTER(histogram, HISTOGRAM_NOT_IMPLEMENTED, .call = call);
