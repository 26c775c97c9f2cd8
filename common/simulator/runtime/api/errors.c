// Errors: the last one, and names and texts (CUDA Runtime API reference, "Error Handling").

#include "runtime/state/state.h"

cudaError_t cudaGetLastError(void) { return runtime_last_error(true); }

cudaError_t cudaPeekAtLastError(void) { return runtime_last_error(false); }

const char *cudaGetErrorName(cudaError_t error) { return sim_error_name(error); }

const char *cudaGetErrorString(cudaError_t error) { return sim_error_text(error); }

// Declared where it is used: unsupported.c cannot include CUDA's types.
void runtime_refused(const char *function, int error);
void runtime_refused(const char *function, int error) {
    bool is_driver = function[0] == 'c' && function[1] == 'u' && function[2] != 'd';
    runtime_enter(RUNTIME_OPEN, "%s()", function); // so that findings have a place to go
    runtime_note_refused(function);
    if (is_driver) runtime_leave_driver((cudaError_t)error);
    else runtime_leave((cudaError_t)error);
}

// ---- the error log (CUDA Runtime API reference, "Error Log Management Functions") ---------------

cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc, void *userData,
                                     cudaLogsCallbackHandle *callback_out) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cudaLogsRegisterCallback()");
    if (!callbackFunc) status = cudaErrorInvalidValue;
    if (!status) status = runtime_log_register(callbackFunc, userData, callback_out);
    return runtime_leave(status);
}

cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback) {
    runtime_enter(RUNTIME_NOTHING, "cudaLogsUnregisterCallback(%p)", (void *)callback);
    return runtime_leave(runtime_log_unregister(callback));
}

cudaError_t cudaLogsCurrent(cudaLogIterator *iterator_out, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cudaLogsCurrent(%u)", flags);
    if (!iterator_out || flags != 0) status = cudaErrorInvalidValue;
    if (!status) *iterator_out = runtime_log_next();
    return runtime_leave(status);
}

cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size,
                                 unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cudaLogsDumpToMemory(%u)", flags);
    if (flags != 0) status = cudaErrorInvalidValue;
    if (!status) status = runtime_log_dump(iterator, buffer, size);
    return runtime_leave(status);
}

cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *pathToFile,
                               unsigned int flags) {
    static char text[RUNTIME_LOG_BYTES]; // guarded by the runtime's lock
    cudaError_t status =
        runtime_enter(RUNTIME_NOTHING, "cudaLogsDumpToFile(%s)", pathToFile ? pathToFile : "NULL");
    size_t bytes = sizeof text;
    FILE *file = flags == 0 && pathToFile ? fopen(pathToFile, "a") : NULL;
    if (!file) status = cudaErrorInvalidValue;
    if (!status) status = runtime_log_dump(iterator, text, &bytes);
    if (!status && fwrite(text, 1, bytes, file) != bytes) status = cudaErrorOperatingSystem;
    if (file) fclose(file);
    return runtime_leave(status);
}
