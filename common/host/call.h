// The generic call of a step: buffers on the device, scalars and a workspace, as plain data.
// A lab's call.c turns it into the lab's typed function call. The graded runner uses this file and
// call.c only, so nothing here may know the problem, its reference or its seeds.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
    KL_MAX_BUFFERS = 8,  // inputs or outputs of one call
    KL_MAX_SCALARS = 8,  // integers or reals of one call
    KL_PLAN_BYTES = 256, // host memory that a preparation may leave notes in
    KL_ADAPTER_VERSION = 4
};

// Byte of poison in buffers before a call: four of them are a NaN as float, eight as double.
enum { KL_POISON = 0xFF };

// What a step's function may return beside cudaError_t values, which are all >= 0.
enum { KL_NOT_IMPLEMENTED = -1 };

// The type of a buffer's elements; kl_dtype_bytes gives the size of one.
typedef enum kl_dtype { KL_F32, KL_F64, KL_I32, KL_I64, KL_U8, KL_F16, KL_BF16 } kl_dtype;

static inline size_t kl_dtype_bytes(kl_dtype dtype) {
    switch (dtype) {
    case KL_F32:
    case KL_I32: return 4;
    case KL_F64:
    case KL_I64: return 8;
    case KL_U8: return 1;
    case KL_F16:
    case KL_BF16: return 2;
    }
    return 0;
}

// One call of a step. All pointers belong to the caller, who has filled the inputs and poisoned the
// outputs.
typedef struct kl_call {
    int input_count;                       // of d_inputs, in the order of the contract
    int output_count;                      // of d_outputs
    const void *d_inputs[KL_MAX_BUFFERS];  // device; NULL when the buffer has no element
    void *d_outputs[KL_MAX_BUFFERS];       // device
    uint64_t input_bytes[KL_MAX_BUFFERS];  // of d_inputs; 0 when it has no element
    uint64_t output_bytes[KL_MAX_BUFFERS]; // of d_outputs
    int64_t ints[KL_MAX_SCALARS];          // meaning fixed by the lab's problem.c and call.c
    double reals[KL_MAX_SCALARS];          // likewise
    void *d_workspace;                     // device, 256-byte aligned
    uint64_t workspace_bytes;              // of d_workspace; 0: the case asked for none
    // What a preparation makes of one input and every call on that input may read and write again;
    // another input has its own. d_prepared: device, 256-byte aligned, NULL when prepared_bytes is
    // 0. h_plan: host, [KL_PLAN_BYTES], 16-byte aligned, zeroed before the preparation: sizes and
    // choices that a launch needs without asking the device. NULL in labs without preparations.
    void *d_prepared;
    uint64_t prepared_bytes;
    void *h_plan;
} kl_call;

// The call as a preparation sees it: the first `inputs` inputs, no outputs, no workspace.
static inline kl_call kl_call_for_preparation(const kl_call *call, int inputs) {
    kl_call seen = *call;
    for (int i = 0; i < KL_MAX_BUFFERS; i++) {
        seen.d_outputs[i] = NULL;
        seen.output_bytes[i] = 0;
        if (i >= inputs) {
            seen.d_inputs[i] = NULL;
            seen.input_bytes[i] = 0;
        }
    }
    seen.input_count = inputs;
    seen.output_count = 0;
    seen.d_workspace = NULL;
    seen.workspace_bytes = 0;
    return seen;
}

// The descriptor that a lab's call.c exports as `kl_lab_adapter`.
typedef struct kl_adapter {
    int version;             // KL_ADAPTER_VERSION
    const char *lab;         // short name, e.g. "reduction"
    const char *step_symbol; // printf format with one %d, e.g. "reduction_step%d"
    // The same for the optional preparation; NULL when the lab has none.
    const char *prepare_symbol;
    // Calls the step's function. Returns KL_NOT_IMPLEMENTED or a cudaError_t.
    int (*call)(void *step_function, const kl_call *call);
    // Calls the step's preparation; NULL when the lab has none.
    int (*prepare)(void *prepare_function, const kl_call *call);
    // Of a lab with programs (kl_case.program), in place of `prepare`: calls the step's preparation
    // (NULL: it has none), which keeps in call->h_plan what it has made, and sets call->d_inputs
    // and call->d_outputs to host memory of input_bytes and output_bytes.
    int (*open)(void *prepare_function, kl_call *call);
    // Gives back what h_plan names, also after an `open` that failed.
    void (*close)(const kl_call *call);
    // Of programs whose data lie on devices when they are called (kl_case.resident), else NULL:
    // brings the inputs there and poisons what becomes outputs, before a call; brings the outputs
    // to the buffers of the call, after it. Both return a cudaError_t, and have ended.
    int (*place)(const kl_call *call);
    int (*fetch)(const kl_call *call);
} kl_adapter;

// NAME, a pointer to a function of this type, of a pointer `data` to it: ISO C has no cast from
// data to function pointers.
#define KL_FUNCTION(type, name, data)                                                              \
    type *name = NULL;                                                                             \
    memcpy(&name, &(data), sizeof name)

// Defines a lab's descriptor. name: its short name, from which its steps' symbols follow; status:
// what a step returns that is not written; then the fields that it has beside: `.call = call`, and
// of a lab with preparations prepare_symbol and prepare, or open and close.
#define KL_LAB_ADAPTER(name, status, ...)                                                          \
    _Static_assert((int)(status) == (int)KL_NOT_IMPLEMENTED, "the lab's status is the kit's");     \
    extern const kl_adapter kl_lab_adapter;                                                        \
    const kl_adapter kl_lab_adapter = {                                                            \
        .version = KL_ADAPTER_VERSION, .lab = #name, .step_symbol = #name "_step%d", __VA_ARGS__}
