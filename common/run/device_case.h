// One case of a step on a device, or in host memory: its buffers with poison in and around them,
// the step's preparation and calls on them, its outputs and inputs back. The lab's program has one
// in its own process, ladder-runner one for the judge, who asks for each part (runner_protocol.h).
// It knows neither the problem nor what is correct.
#pragma once

#include "problem.h"

// The functions of the step and how they are called.
typedef struct kl_case_step {
    const kl_adapter *adapter; // of the lab
    void *function, *prepare;  // prepare: NULL: the step has none
} kl_case_step;

// One set of inputs.
typedef struct kl_case_set {
    kl_case_scalars scalars; // of the call
    void
        *bases[KL_MAX_BUFFERS]; // the input lies layout.input_offset bytes behind; NULL: no element
    void *d_prepared;           // what the preparation made; NULL: none
    bool opened;                // of a program: h_plan is to be given back
    _Alignas(16) unsigned char h_plan[KL_PLAN_BYTES]; // the plan of a lab that has one
} kl_case_set;

// A case; begin with zeros and a step.
typedef struct kl_device_case {
    kl_case_step step;                  // that is called
    kl_case_layout layout;              // of all its buffers
    kl_case_set *sets;                  // [layout.sets]
    void *(*d_outputs)[KL_MAX_BUFFERS]; // [layout.slots]; NULL: no element
    void *d_block;                      // of packed outputs
    void *d_workspace;                  // stays from case to case, as the contracts say
    bool prepares;                      // the step has a preparation for such a case
    bool borrowed;                      // inputs and outputs are somebody else's
    int code;                           // cudaError_t of the last failure
} kl_device_case;

// What fails returns KL_ERROR_CUDA (case->code), or KL_ERROR_MEMORY: this process has no memory.

// Takes a new case: its layout and scalars ([layout->sets]), of its buffers the workspace alone,
// unless it is there. The case before is released.
kl_status kl_case_begin(kl_device_case *c, const kl_case_layout *layout,
                        const kl_case_scalars *scalars, kl_error *err);
// Of programs: calls the step's preparation on each set, which sees no data; what it returned.
// Nothing of others. Comes before all below.
int kl_case_open(kl_device_case *c);
// Makes and fills the inputs of a set: inputs[i], [layout.input_bytes[i]].
kl_status kl_case_upload(kl_device_case *c, uint32_t set, const void *const *inputs, kl_error *err);
// Makes and poisons all outputs.
kl_status kl_case_make_outputs(kl_device_case *c, kl_error *err);
// Makes each set's memory for a preparation; steps without one have it, too.
kl_status kl_case_make_prepared(kl_device_case *c, kl_error *err);
// All of these for a case of one set.
kl_status kl_case_fill(kl_device_case *c, const void *const *inputs, kl_error *err);
// Frees the buffers; the workspace stays.
void kl_case_release(kl_device_case *c);
// Frees all.
void kl_case_close(kl_device_case *c);

// Poisons the outputs of the first `slots` slots.
kl_status kl_case_poison(kl_device_case *c, uint32_t slots, kl_error *err);
// Waits for the device. what: for the failure's text. A program that has not waited itself fails
// on the simulator.
kl_status kl_case_settle(kl_device_case *c, const char *what, kl_error *err);
// The step's preparation on a set (case->prepares), and a call: what they returned. Neither waits.
int kl_case_prepare(kl_device_case *c, uint32_t set);
int kl_case_call(kl_device_case *c, uint32_t slot);

// Waits for the step's kernels and brings the outputs of a slot to outputs[i],
// [layout.output_bytes[i]]. KL_ERROR_LIMIT: the step wrote before or beyond one of them.
kl_status kl_case_fetch(kl_device_case *c, uint32_t slot, void *const *outputs, kl_error *err);
// Brings the packed outputs of the first `slots` slots to `to`.
kl_status kl_case_fetch_packed(kl_device_case *c, uint32_t slots, void *to, kl_error *err);
// Brings an input back.
kl_status kl_case_fetch_input(kl_device_case *c, uint32_t set, int input, void *to, kl_error *err);
