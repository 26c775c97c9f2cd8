// Errors: the last one, and names and texts (CUDA Runtime API reference, "Error Handling").

#include "runtime/api/api.h"
#include "runtime/state/state.h"
#include <ctype.h>

cudaError_t cudaGetLastError(void) { return runtime_last_error(true); }

cudaError_t cudaPeekAtLastError(void) { return runtime_last_error(false); }

const char *cudaGetErrorName(cudaError_t error) { return sim_error_name(error); }

const char *cudaGetErrorString(cudaError_t error) { return sim_error_text(error); }

void sim_runtime_error_set(const cudaError_t *before) { runtime_last_error_set(*before); }

// CUDA_ERROR_ and the runtime's name in capitals, for all but these.
const char *sim_runtime_driver_error(cudaError_t error, bool is_name) {
    static const struct {
        int code;
        const char *name;
    } others[] = {{0, "CUDA_SUCCESS"},
                  {2, "CUDA_ERROR_OUT_OF_MEMORY"},
                  {3, "CUDA_ERROR_NOT_INITIALIZED"},
                  {4, "CUDA_ERROR_DEINITIALIZED"},
                  {46, "CUDA_ERROR_DEVICE_UNAVAILABLE"},
                  {200, "CUDA_ERROR_INVALID_IMAGE"},
                  {201, "CUDA_ERROR_INVALID_CONTEXT"},
                  {205, "CUDA_ERROR_MAP_FAILED"},
                  {206, "CUDA_ERROR_UNMAP_FAILED"},
                  {209, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
                  {214, "CUDA_ERROR_ECC_UNCORRECTABLE"},
                  {216, "CUDA_ERROR_CONTEXT_ALREADY_IN_USE"},
                  {225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC"},
                  {400, "CUDA_ERROR_INVALID_HANDLE"},
                  {500, "CUDA_ERROR_NOT_FOUND"},
                  {708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE"},
                  {719, "CUDA_ERROR_LAUNCH_FAILED"}};
    static char texts[1000][64];
    const char *from = sim_error_name(error);
    int code = (int)error;
    bool has_name = (code >= 0 && code < 9) || code == 34 || code == 36 || code == 46 ||
                    (code >= 100 && code < 103) || (code >= 200 && code < 1000);
    if (!has_name || memcmp(from, "cuda", 4) != 0) return NULL;
    if (!is_name) return sim_error_text(error);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].code == code) return others[i].name;
    char *text = texts[code];
    size_t used = (size_t)snprintf(text, sizeof texts[0], "CUDA");
    for (from += strlen("cuda"); *from && used + 2 < sizeof texts[0]; from++) {
        if (isupper((unsigned char)*from)) text[used++] = '_';
        text[used++] = (char)toupper((unsigned char)*from);
    }
    text[used] = '\0';
    return text;
}

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
