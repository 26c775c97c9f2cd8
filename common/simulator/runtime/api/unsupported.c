// SPDX-License-Identifier: MIT
// The rest of the runtime's exported functions (unsupported.def), so that every program
// starts. Their parameters do not matter: this file must not include CUDA's headers, which declare
// them with their true types, and the calling convention lets a function ignore its arguments.
#include <stdatomic.h>
#include <stdio.h>

enum { ERROR_NOT_SUPPORTED = 801 }; // cudaErrorNotSupported

void runtime_remember(int error); // errors.c: for cudaGetLastError

static int refuse(const char *name, atomic_flag *said) {
    if (!atomic_flag_test_and_set(said)) fprintf(stderr, "simulator: %s is not supported\n", name);
    runtime_remember(ERROR_NOT_SUPPORTED);
    return ERROR_NOT_SUPPORTED;
}

#define RUNTIME_UNSUPPORTED(function)                                                              \
    int function(void);                                                                            \
    int function(void) {                                                                           \
        static atomic_flag said = ATOMIC_FLAG_INIT;                                                \
        return refuse(#function, &said);                                                           \
    }
#include "runtime/api/unsupported.def"
#undef RUNTIME_UNSUPPORTED
