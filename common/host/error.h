// Statuses, error record and the TRY macro: how every function of common/host and of the autograder
// reports failure. A function returns a kl_status and, on failure, fills the caller's kl_error with
// one sentence that says what went wrong, with which file or value, and what to do. It must not
// print, exit or assert.
#pragma once

#include "error_record.h" // kl_error, TRY

#ifdef __cplusplus
extern "C" {
#endif

typedef enum kl_status {
    KL_OK = 0,
    KL_ERROR_USAGE,  // the command line makes no sense
    KL_ERROR_INPUT,  // a file or value from outside is wrong
    KL_ERROR_MEMORY, // an allocation failed or a size would overflow
    KL_ERROR_SYSTEM, // a system call failed
    KL_ERROR_CUDA,   // the CUDA runtime reported an error
    KL_ERROR_LIMIT,  // a time limit or a capacity was exceeded
} kl_status;

// Fills *err (which may be NULL) and returns `status`, so that `return kl_fail(...)` reads well.
kl_status kl_fail(kl_error *err, kl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Puts "prefix: " before the text already in *err; returns err->status.
kl_status kl_fail_prefix(kl_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// The same for an error that the simulator filled: it becomes `status`, which is returned.
kl_status kl_fail_from(kl_error *err, kl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// What stands where something else was expected, for a message: "'x'", or "an empty text". Cut to
// out: [bytes]. Returns out.
const char *kl_quoted(const char *text, char *out, size_t bytes);

#ifdef __cplusplus
}
#endif
