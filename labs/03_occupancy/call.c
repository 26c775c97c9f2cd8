// Call adapter of lab 03: generic buffers (common/host/call.h) to the typed calls of occupancy.h.
// Used by the lab program and by the graded runner; it must know neither inputs nor answers.
#include "call.h"

#include <string.h>

#include "occupancy.h"

// ints[0]: kind of step; ints[1]: count or columns; ints[2]: rounds; ints[3]: max_blocks; reals[0]:
// a.
static int call(void *step_function, const kl_call *c) {
    occupancy_calculator *calculate = NULL; // ISO C has no cast from data to function pointers
    occupancy_hiding *hide = NULL;
    occupancy_fold *fold = NULL;
    switch (c->ints[0]) {
    case OCCUPANCY_CALCULATE:
        memcpy(&calculate, &step_function, sizeof calculate);
        return calculate(c->d_inputs[0], c->ints[1], c->d_outputs[0], c->d_outputs[1]);
    case OCCUPANCY_HIDE:
        memcpy(&hide, &step_function, sizeof hide);
        return hide(c->d_inputs[0], c->ints[1], c->d_outputs[0]);
    default:
        memcpy(&fold, &step_function, sizeof fold);
        return fold(c->d_inputs[0], c->ints[1], (int)c->ints[2], (float)c->reals[0],
                    (int)c->ints[3], c->d_outputs[0]);
    }
}

KL_LAB_ADAPTER(occupancy, OCCUPANCY_NOT_IMPLEMENTED, .call = call);
