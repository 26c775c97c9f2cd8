// SPDX-License-Identifier: MIT
// Error record and the TRY macro: how every function of common/host reports failure.
// A function returns a kl_status and, on failure, fills the caller's kl_error with one sentence
// that says what went wrong, with which file or value, and what to do. It must not print, exit or
// assert.
#ifndef KL_ERROR_H
#define KL_ERROR_H

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

enum { KL_ERROR_TEXT = 512 };

typedef struct kl_error {
    kl_status status;
    char text[KL_ERROR_TEXT]; // always terminated; empty when status is KL_OK
} kl_error;

// Fills *err (which may be NULL) and returns `status`, so that `return kl_fail(...)` reads well.
kl_status kl_fail(kl_error *err, kl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Puts "prefix: " before the text already in *err; returns err->status.
kl_status kl_fail_prefix(kl_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Evaluates an expression that yields a kl_status and returns it to the caller unless it is KL_OK.
#define TRY(expression)                                                                            \
    do {                                                                                           \
        kl_status try_status_ = (expression);                                                      \
        if (try_status_ != KL_OK) {                                                                \
            return try_status_;                                                                    \
        }                                                                                          \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
