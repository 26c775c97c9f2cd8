// The rest of the runtime's exported functions (unsupported.def), so that every program
// starts. Their parameters do not matter: this file must not include CUDA's headers, which declare
// them with their true types, and the calling convention lets a function ignore its arguments.
enum { ERROR_NOT_SUPPORTED = 801 }; // cudaErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED

void runtime_refused(const char *function, int error); // errors.c

// Also called by libcuda.so.1, for the driver's functions.
__attribute__((visibility("default"))) int sim_runtime_refuse(const char *function);
int sim_runtime_refuse(const char *function) {
    runtime_refused(function, ERROR_NOT_SUPPORTED);
    return ERROR_NOT_SUPPORTED;
}

#define REFUSED(function)                                                                          \
    int function(void);                                                                            \
    int function(void) { return sim_runtime_refuse(#function); }
#include "runtime/api/unsupported.def"
#undef REFUSED
