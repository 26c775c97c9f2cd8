// A step of a lab as a shared object: finding it, loading it, and saying why it cannot be loaded.
// Each step is built alone (step_<n>.so), so a syntax error in one costs that one only.
#pragma once

#include "call.h"
#include "outcome.h"

// A loaded step. Close with kl_step_close.
typedef struct kl_step {
    void *handle;         // of dlopen
    void *function;       // the step's extern "C" function
    void *prepare;        // its preparation, or NULL
    ladder_outcome lacks; // of a step that could not be loaded: what it is instead
} kl_step;

// Loads <folder>/step_<number>.so. When <folder>/sources.txt names a source newer than the object,
// the object is out of date (the last compile failed) and is refused: KL_ERROR_INPUT, as when it
// is not there. KL_ERROR_CUDA: it was built, and is no step; the text says what is wrong with it.
// After a failure out_step->lacks is the step's outcome.
kl_status kl_step_open(const char *folder, int number, const kl_adapter *adapter, kl_step *out_step,
                       kl_error *err);

// Loads one symbol of any other shared object of the same contract, e.g. a vendor's comparison.
kl_status kl_step_open_file(const char *file, const char *symbol, kl_step *out_step, kl_error *err);

// Takes the preparation of this name, if the object has one.
void kl_step_find_prepare(kl_step *step, const char *symbol);

// What a step returned: KL_OK for 0, else KL_ERROR_CUDA with "step 4: not implemented" or the
// error's text and what the simulator says of the kernel that it stopped. `of`: "" or whose step it
// is, "lab 13, ".
kl_status kl_step_check(const char *of, int number, int code, kl_error *err);

// Tries a loaded step on a little; *out_code: what it returned. An error ends the search.
typedef kl_status kl_step_trial(void *context, const kl_step *step, int *out_code, kl_error *err);

// Which of a lab's steps an application works with.
typedef struct kl_step_search {
    const char *of;            // as for kl_step_check
    const kl_adapter *adapter; // of the lab
    int last;                  // the highest number
    kl_step_trial *attempt;    // what it must do here
    void *context;             // of `attempt`
} kl_step_search;

// Opens step `chosen`, or if that is -1 the last one in `folder` that is written and runs on this
// device. KL_ERROR_INPUT when there is none; nothing is open after an error.
kl_status kl_step_open_last(const char *folder, int chosen, const kl_step_search *search,
                            kl_step *out_step, int *out_number, kl_error *err);

// Unloads the object; the step's functions must not be called any more.
void kl_step_close(kl_step *step);

// Path of the source of the step whose object lies in `folder`; false when the build has left none.
bool kl_step_source(const char *folder, int number, char *path, size_t path_bytes);
// Hash of that source (outcome.h); 0: there is none to read.
uint64_t kl_step_source_hash(const char *folder, int number);
