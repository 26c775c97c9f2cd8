// SPDX-License-Identifier: MIT
// The error log (CUDA Runtime API reference, "Error Log Management Functions"): a line for each call
// that failed, with the reason where one is known. Old lines make room for new ones.
#include "runtime/runtime.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEPT = 100,
    LINE_BYTES = 512
}; // as many as the real log holds; the driver's lines are short

struct CUlogsCallbackEntry_st {
    cudaLogsCallback_t function;
    void *data;
    struct CUlogsCallbackEntry_st *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // leaf: taken with or without runtime.lock
static char lines[KEPT][LINE_BYTES];
static unsigned total; // lines ever written; line i is at i % KEPT
static struct CUlogsCallbackEntry_st *callbacks;

void runtime_log(const char *call, const char *error, const char *reason) {
    int name_bytes = (int)strcspn(call, "(");
    char line[LINE_BYTES];
    snprintf(line, sizeof line, "[simulator][E] %.*s returned %s%s%s\n", name_bytes, call, error,
             reason[0] ? ": " : "", reason);
    pthread_mutex_lock(&lock);
    memcpy(lines[total++ % KEPT], line, sizeof line);
    struct CUlogsCallbackEntry_st *next = callbacks;
    pthread_mutex_unlock(&lock);
    for (; next; next = next->next)
        next->function(next->data, cudaLogLevelError, line, strlen(line));
}

cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callbackFunc, void *userData,
                                     cudaLogsCallbackHandle *callback_out) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cudaLogsRegisterCallback()");
    struct CUlogsCallbackEntry_st *made = callbackFunc ? malloc(sizeof *made) : NULL;
    if (!callbackFunc) status = cudaErrorInvalidValue;
    if (!status && !made) status = cudaErrorMemoryAllocation;
    if (!status) {
        pthread_mutex_lock(&lock);
        *made = (struct CUlogsCallbackEntry_st){callbackFunc, userData, callbacks};
        callbacks = made;
        pthread_mutex_unlock(&lock);
        if (callback_out) *callback_out = made;
    }
    return runtime_leave(status);
}

cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle callback) {
    runtime_enter(RUNTIME_NOTHING, "cudaLogsUnregisterCallback(%p)", (void *)callback);
    pthread_mutex_lock(&lock);
    struct CUlogsCallbackEntry_st **link = &callbacks;
    while (*link && *link != callback) link = &(*link)->next;
    struct CUlogsCallbackEntry_st *found = *link;
    if (found) *link = found->next;
    pthread_mutex_unlock(&lock);
    free(found);
    return runtime_leave(found ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaLogsCurrent(cudaLogIterator *iterator_out, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cudaLogsCurrent(%u)", flags);
    if (!iterator_out || flags != 0) status = cudaErrorInvalidValue;
    pthread_mutex_lock(&lock);
    if (!status) *iterator_out = total;
    pthread_mutex_unlock(&lock);
    return runtime_leave(status);
}

// The first line to give out: where the iterator stands, or the oldest that is kept.
static unsigned first_line(const cudaLogIterator *iterator) {
    unsigned oldest = total > KEPT ? total - KEPT : 0;
    return iterator && *iterator > oldest && *iterator <= total ? *iterator : oldest;
}

static cudaError_t dump(cudaLogIterator *iterator, char *buffer, size_t *bytes) {
    if (!buffer || !bytes || *bytes == 0) return cudaErrorInvalidValue;
    size_t used = 0;
    pthread_mutex_lock(&lock);
    unsigned at = first_line(iterator);
    for (; at < total; at++) { // whole lines, as many as fit
        size_t length = strlen(lines[at % KEPT]);
        if (length >= *bytes - used) break;
        memcpy(buffer + used, lines[at % KEPT], length);
        used += length;
    }
    if (iterator) *iterator = at;
    pthread_mutex_unlock(&lock);
    buffer[used] = '\0';
    *bytes = used;
    return cudaSuccess;
}

cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size,
                                 unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_NOTHING, "cudaLogsDumpToMemory(%u)", flags);
    if (flags != 0) status = cudaErrorInvalidValue;
    if (!status) status = dump(iterator, buffer, size);
    return runtime_leave(status);
}

cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *pathToFile,
                               unsigned int flags) {
    static char text[KEPT * LINE_BYTES]; // guarded by the runtime's lock
    cudaError_t status =
        runtime_enter(RUNTIME_NOTHING, "cudaLogsDumpToFile(%s)", pathToFile ? pathToFile : "NULL");
    size_t bytes = sizeof text;
    FILE *file = flags == 0 && pathToFile ? fopen(pathToFile, "a") : NULL;
    if (!file) status = cudaErrorInvalidValue;
    if (!status) status = dump(iterator, text, &bytes);
    if (!status && fwrite(text, 1, bytes, file) != bytes) status = cudaErrorOperatingSystem;
    if (file) fclose(file);
    return runtime_leave(status);
}
