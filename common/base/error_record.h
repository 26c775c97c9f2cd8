// The error record and the TRY macro of every component in C. A component has an enum of statuses
// whose first is 0, "no error" (kl_status of common/host, sim_status of the simulator), and a
// function of its own that fills the record (kl_fail, sim_fail), so that the compiler tells one
// component's statuses from another's. With the C library's headers that nearly every file needs.
#pragma once

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { KL_ERROR_TEXT = 2048 };

// What failed, for people: one message, possibly of several lines (a caret under a source column).
typedef struct kl_error {
    unsigned status;          // of the component that failed; 0: nothing did
    char text[KL_ERROR_TEXT]; // always terminated
} kl_error;

// Fills *err, which may be NULL.
void kl_error_fill(kl_error *err, unsigned status, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

// Appends to the text of an error that is already filled.
void kl_error_append(kl_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Puts "prefix: " before the text of an error that is already filled. A text that is too long loses
// its end.
void kl_error_prefix(kl_error *err, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

// Evaluates an expression that yields a status, and returns it to the caller unless it is 0.
#define TRY(expression)                                                                            \
    do {                                                                                           \
        __typeof__(expression) try_status_ = (expression);                                         \
        if (try_status_ != 0) return try_status_;                                                  \
    } while (0)

#ifdef __cplusplus
}
#endif
