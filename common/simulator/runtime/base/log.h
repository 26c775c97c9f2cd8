// SPDX-License-Identifier: MIT
// The error log (CUDA Runtime API reference, "Error Log Management Functions"): a line for each
// call that failed, with the reason where one is known. Has a lock of its own, which is held during
// no call of the program's functions.
#ifndef SIM_RUNTIME_BASE_LOG_H
#define SIM_RUNTIME_BASE_LOG_H

#include <stddef.h>

#include "runtime/abi/functions.h"
enum { RUNTIME_LOG_BYTES = 100 * 512 }; // of all lines that are kept

// A line about a call that has failed, which the registered functions are given too.
void runtime_log(const char *call, const char *error, const char *reason);
// cudaErrorMemoryAllocation when there is no room for it.
cudaError_t runtime_log_register(cudaLogsCallback_t function, void *data,
                                 cudaLogsCallbackHandle *out_handle);
// From its return on no call of the function begins; one that another thread has begun may still
// run. cudaErrorInvalidValue for a handle that nothing registered has.
cudaError_t runtime_log_unregister(cudaLogsCallbackHandle handle);
// Number of the next line.
cudaLogIterator runtime_log_next(void);
// Whole lines from *iterator (NULL: from the oldest that is kept), as many as fit into *bytes with
// a final zero; *bytes gets what they take, *iterator the number of the next line.
cudaError_t runtime_log_dump(cudaLogIterator *iterator, char *buffer, size_t *bytes);

#endif
