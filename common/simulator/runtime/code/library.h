// SPDX-License-Identifier: MIT
// Device code that a program loads itself: a module with the copy of its code.
#ifndef SIM_RUNTIME_CODE_LIBRARY_H
#define SIM_RUNTIME_CODE_LIBRARY_H

#include <stdbool.h>

#include "runtime/code/module.h"

struct CUlib_st {
    runtime_module *module;
    void *code; // our copy: the program may free its own
    struct CUlib_st *next;
};

bool runtime_library_is_live(cudaLibrary_t candidate);
// From fat binaries, cubins with PTX beside them, or PTX text.
cudaError_t runtime_library_load_data(cudaLibrary_t *out_library, const void *code);
cudaError_t runtime_library_load_file(cudaLibrary_t *out_library, const char *name);
void runtime_library_unload(cudaLibrary_t library);
// A kernel keeps its handle: asking twice gives the same one.
cudaError_t runtime_library_kernel(const struct CUlib_st *library, const char *name,
                                   cudaKernel_t *out_kernel);
unsigned runtime_library_kernel_count(const struct CUlib_st *library);
cudaError_t runtime_library_kernel_at(const struct CUlib_st *library, unsigned index,
                                      cudaKernel_t *out_kernel);

#endif
