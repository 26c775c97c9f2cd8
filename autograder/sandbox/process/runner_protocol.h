// What the judge and the runner say to each other: fixed records over a SOCK_SEQPACKET socket, one
// record a message, file descriptors attached. Inputs and outputs are raw bytes in memory files.
// The judge believes nothing that a reply says; replies only pace it and fill messages for people.
//
// On the simulator the judge gives the memory (grade/judge/judge.h): it puts inputs into the
// engine and takes outputs from there, and the runner learns addresses only. On a GPU, and for
// steps that are functions of host memory, nobody but the runner's own process can reach that
// memory: there bytes travel in memory files, and what the runner hands over is what it says. There
// the judge has poison before each call, other data in each set, fences round outputs, inputs that
// come back to be compared, and the reference. What it cannot have there: who wrote a byte, what
// went to the host, and an end of a call after which nothing changes. A step that got hold of the
// runner's own code could forge all of that, but not the answers to data that it had not seen.
#pragma once

#include "problem.h"

enum {
    LADDER_RUNNER_SOCKET = 3,   // descriptor of the judge's socket in the runner
    LADDER_RUNNER_ENGINE = 4,   // descriptor of the engine's connection; not there on a GPU
    LADDER_RUNNER_SETS = 16,    // sets of inputs at most
    LADDER_RUNNER_SLOTS = 4096, // outputs of this many calls at most
    LADDER_RUNNER_CHOSEN = 16,  // slots that a fetch can name
    LADDER_RUNNER_GIVEN = 4,    // slots at most where the judge gives the memory
    LADDER_RUNNER_TEXT = 512
};

// What a request asks for.
typedef enum ladder_runner_kind {
    LADDER_RUNNER_SETUP = 1, // take a case: `sets` memory files of inputs, then one for the outputs
    LADDER_RUNNER_GO,     // call the step `calls` times, from output slot `first_slot` on, and wait
    LADDER_RUNNER_FETCH,  // copy outputs to the memory file, poison the first `calls` slots again
    LADDER_RUNNER_POISON, // poison the first `calls` slots
    LADDER_RUNNER_INPUTS  // copy the inputs of set `first_slot` to the memory file of the outputs
} ladder_runner_kind;

// From the judge to the runner.
typedef struct ladder_runner_request {
    uint32_t kind;                               // a ladder_runner_kind
    kl_case_layout layout;                       // setup: the case
    kl_case_scalars scalars[LADDER_RUNNER_SETS]; // setup: [layout.sets]
    uint32_t file_slots; // setup: slots for which the memory file of the outputs has room
    uint64_t file_bytes; // setup: of that file
    uint32_t given; // setup: 1: no files come; one set, whose buffers the judge has made and looks
                    // after:
    uint64_t given_inputs[KL_MAX_BUFFERS]; // device addresses, the offset not added; 0: no element
    uint64_t given_outputs[LADDER_RUNNER_GIVEN][KL_MAX_BUFFERS]; // [slots][output_count] likewise
    uint32_t first_slot, calls;                                  // go, fetch, poison, inputs
    uint32_t chosen_count; // fetch; 0: the first `calls` slots; else slot chosen[i] goes to place i
    uint32_t chosen[LADDER_RUNNER_CHOSEN]; // [chosen_count]
} ladder_runner_request;

// How a request ended.
typedef enum ladder_runner_state {
    LADDER_RUNNER_OK,
    LADDER_RUNNER_NOT_IMPLEMENTED, // the step says so
    LADDER_RUNNER_STEP_ERROR,      // the step returned an error
    LADDER_RUNNER_CUDA_ERROR,      // the runtime reported one afterwards, or to the runner itself
    LADDER_RUNNER_OVERRUN,         // the step wrote before or behind an output
    LADDER_RUNNER_LOAD_ERROR,      // the step's object cannot be loaded
    LADDER_RUNNER_BROKEN           // the runner itself cannot go on: not the submission's fault
} ladder_runner_state;

// From the runner to the judge.
typedef struct ladder_runner_reply {
    uint32_t state;                // a ladder_runner_state
    int32_t code;                  // what the step returned, or the runtime's error
    char text[LADDER_RUNNER_TEXT]; // not trusted to be terminated
} ladder_runner_reply;
