// The error log: old lines make room for new ones. Functions of the program are called without the
// lock, as they may write to the log, and register and unregister functions, themselves included: a
// callback that is being called stays in the list until its last call has returned.
#include "runtime/base/base.h"
#include <pthread.h>

// As many lines as the real log holds; the driver's are short.
enum { KEPT = 100, LINE_BYTES = RUNTIME_LOG_BYTES / KEPT };

struct CUlogsCallbackEntry_st {
    cudaLogsCallback_t function;
    void *data;
    unsigned calls; // under way
    bool removed;   // to be freed after the last of them
    struct CUlogsCallbackEntry_st *next;
};

typedef struct CUlogsCallbackEntry_st callback;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // leaf: taken with or without runtime.lock
static char lines[KEPT][LINE_BYTES];
static unsigned total; // lines ever written; line i is at i % KEPT
static callback *callbacks;

// Frees a removed callback that nobody calls any more.
static void drop_if_done(callback *done) {
    if (!done->removed || done->calls) return;
    callback **link = &callbacks;
    while (*link != done) link = &(*link)->next;
    *link = done->next;
    free(done);
}

// With the lock, which is free during each call. New callbacks come before the ones that are still
// to be called.
static void call_all(char *line) {
    for (callback *at = callbacks, *next; at; at = next) {
        if (!at->removed) {
            at->calls++;
            pthread_mutex_unlock(&lock);
            at->function(at->data, cudaLogLevelError, line, strlen(line));
            pthread_mutex_lock(&lock);
            at->calls--;
        }
        next = at->next;
        drop_if_done(at);
    }
}

void runtime_log(const char *call, const char *error, const char *reason) {
    int name_bytes = (int)strcspn(call, "(");
    char line[LINE_BYTES];
    snprintf(line, sizeof line, "[simulator][E] %.*s returned %s%s%s\n", name_bytes, call, error,
             reason[0] ? ": " : "", reason);
    pthread_mutex_lock(&lock);
    memcpy(lines[total++ % KEPT], line, sizeof line);
    call_all(line);
    pthread_mutex_unlock(&lock);
}

cudaError_t runtime_log_register(cudaLogsCallback_t function, void *data,
                                 cudaLogsCallbackHandle *out_handle) {
    callback *made = malloc(sizeof *made);
    if (!made) return cudaErrorMemoryAllocation;
    pthread_mutex_lock(&lock);
    *made = (callback){.function = function, .data = data, .next = callbacks};
    callbacks = made;
    pthread_mutex_unlock(&lock);
    if (out_handle) *out_handle = made;
    return cudaSuccess;
}

cudaError_t runtime_log_unregister(cudaLogsCallbackHandle handle) {
    pthread_mutex_lock(&lock);
    callback *found = callbacks;
    while (found && (found != handle || found->removed)) found = found->next;
    if (found) {
        found->removed = true;
        drop_if_done(found);
    }
    pthread_mutex_unlock(&lock);
    return found ? cudaSuccess : cudaErrorInvalidValue;
}

cudaLogIterator runtime_log_next(void) {
    pthread_mutex_lock(&lock);
    cudaLogIterator next = total;
    pthread_mutex_unlock(&lock);
    return next;
}

// The first line to give out: where the iterator stands, or the oldest that is kept.
static unsigned first_line(const cudaLogIterator *iterator) {
    unsigned oldest = total > KEPT ? total - KEPT : 0;
    return iterator && *iterator > oldest && *iterator <= total ? *iterator : oldest;
}

cudaError_t runtime_log_dump(cudaLogIterator *iterator, char *buffer, size_t *bytes) {
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
