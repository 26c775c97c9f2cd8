// Notes when each runtime call, kernel, copy and fill of a program began and ended on a GPU, for
// `ladder trace`. The driver loads this library into the program (CUDA_INJECTION64_PATH). CUPTI
// comes with the toolkit and is opened by its path (LADDER_CUPTI); what is needed of its activity
// interface (cupti_activity.h) is written here by hand: beginnings of records, to which later
// versions only add at the end. Into the file LADDER_TIMELINE goes a line each:
// "KIND BEGIN_NS END_NS DEVICE STREAM THREAD CORRELATION BYTES NAME", or "error WHY".
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MEMCPY = 1, MEMSET = 2, RUNTIME = 5, KERNEL = 10, PEER_COPY = 22 }; // CUpti_ActivityKind
enum { OF_RUNTIME = 2 };                                                   // CUpti_CallbackDomain

// CUpti_ActivityKernel4 and later.
typedef struct kernel_record {
    uint32_t kind, settings[3];
    uint64_t begin, end, completed;
    uint32_t device, context, stream, shape[10], correlation;
    int64_t grid;
    const char *name;
} kernel_record;
_Static_assert(offsetof(kernel_record, correlation) == 92 && offsetof(kernel_record, name) == 104,
               "as cupti_activity.h has it");

// CUpti_ActivityMemcpy, CUpti_ActivityMemcpyPtoP (whose correlation stands further behind).
typedef struct copy_record {
    uint32_t kind;
    uint8_t way, from, to, flags; // CUpti_ActivityMemcpyKind; CUpti_ActivityMemoryKind
    uint64_t bytes, begin, end;
    uint32_t device, context, stream, correlation, peer[3], peer_correlation;
} copy_record;
_Static_assert(offsetof(copy_record, correlation) == 44 &&
                   offsetof(copy_record, peer_correlation) == 60,
               "as cupti_activity.h has it");

// CUpti_ActivityMemset.
typedef struct fill_record {
    uint32_t kind, value;
    uint64_t bytes, begin, end;
    uint32_t device, context, stream, correlation;
} fill_record;

// CUpti_ActivityAPI.
typedef struct call_record {
    uint32_t kind, callback;
    uint64_t begin, end;
    uint32_t process, thread, correlation, result;
} call_record;

static struct {
    int (*enable)(int kind);
    int (*take_buffers)(void (*)(uint8_t **, size_t *, size_t *),
                        void (*)(void *, uint32_t, uint8_t *, size_t, size_t));
    int (*next)(uint8_t *buffer, size_t bytes, void **record);
    int (*flush)(uint32_t forced);
    int (*name)(int domain, uint32_t callback, const char **name);
} cupti;

static FILE *out;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void put(char kind, uint64_t begin, uint64_t end, uint32_t device, uint32_t stream,
                uint32_t thread, uint32_t correlation, uint64_t bytes, const char *name) {
    fprintf(out, "%c %llu %llu %u %u %u %u %llu %s\n", kind, (unsigned long long)begin,
            (unsigned long long)end, device, stream, thread, correlation, (unsigned long long)bytes,
            name);
}

// In, out, on the device; between devices; else on the host, which is no span.
static void put_copy(const copy_record *r) {
    enum { TO_DEVICE = 1, TO_HOST = 2, ON_DEVICE = 8, TO_PEER = 10, PAGEABLE = 1 };
    char kind = r->way == TO_DEVICE   ? '>'
                : r->way == TO_HOST   ? '<'
                : r->way == ON_DEVICE ? 'd'
                : r->way == TO_PEER   ? '='
                                      : '-';
    uint32_t correlation = r->kind == PEER_COPY ? r->peer_correlation : r->correlation;
    if (kind != '-')
        put(kind, r->begin, r->end, r->device, r->stream, 0, correlation, r->bytes,
            r->from == PAGEABLE || r->to == PAGEABLE ? "pageable" : "");
}

static void put_record(void *record) {
    const char *name = "";
    switch (*(const uint32_t *)record) {
    case KERNEL: {
        const kernel_record *r = record;
        put('#', r->begin, r->end, r->device, r->stream, 0, r->correlation, 0, r->name);
        break;
    }
    case MEMCPY:
    case PEER_COPY: put_copy(record); break;
    case MEMSET: {
        const fill_record *r = record;
        put('f', r->begin, r->end, r->device, r->stream, 0, r->correlation, r->bytes, "");
        break;
    }
    case RUNTIME: {
        const call_record *r = record;
        cupti.name(OF_RUNTIME, r->callback, &name);
        put('c', r->begin, r->end, 0, 0, r->thread, r->correlation, 0, name ? name : "");
        break;
    }
    default: break;
    }
}

static void give_buffer(uint8_t **out_buffer, size_t *out_bytes, size_t *out_most_records) {
    enum { BYTES = 4 << 20, ALIGNMENT = 8 };
    *out_buffer = aligned_alloc(ALIGNMENT, BYTES);
    *out_bytes = *out_buffer ? BYTES : 0;
    *out_most_records = 0; // as many as fit
}

static void take_buffer(void *context, uint32_t stream, uint8_t *buffer, size_t bytes,
                        size_t filled) {
    void *record = NULL;
    (void)context, (void)stream, (void)bytes;
    pthread_mutex_lock(&lock);
    while (out && cupti.next(buffer, filled, &record) == 0) put_record(record);
    pthread_mutex_unlock(&lock);
    free(buffer);
}

static void end(void) {
    cupti.flush(1);
    pthread_mutex_lock(&lock);
    fclose(out);
    out = NULL;
    pthread_mutex_unlock(&lock);
}

// The function's address; ISO C has no cast from data to function pointers.
static int find(void *library, const char *name, void *out_function) {
    void *found = dlsym(library, name);
    memcpy(out_function, &found, sizeof found);
    return found != NULL;
}

static const char *begin(void) {
    static const int kinds[] = {MEMCPY, MEMSET, RUNTIME, KERNEL, PEER_COPY};
    const char *path = getenv("LADDER_CUPTI");
    void *library = dlopen(path ? path : "libcupti.so", RTLD_NOW | RTLD_LOCAL);
    if (!library) return dlerror();
    if (!find(library, "cuptiActivityEnable", &cupti.enable) ||
        !find(library, "cuptiActivityRegisterCallbacks", &cupti.take_buffers) ||
        !find(library, "cuptiActivityGetNextRecord", &cupti.next) ||
        !find(library, "cuptiActivityFlushAll", &cupti.flush) ||
        !find(library, "cuptiGetCallbackName", &cupti.name))
        return "it is no CUPTI";
    if (cupti.take_buffers(give_buffer, take_buffer) != 0) return "CUPTI takes no buffers";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (cupti.enable(kinds[i]) != 0) return "CUPTI refuses to record (another profiler runs?)";
    return NULL;
}

// What the driver calls when the program initialises it. Not 0: the driver goes on.
int InitializeInjection(void);
int InitializeInjection(void) {
    const char *file = getenv("LADDER_TIMELINE");
    out = file ? fopen(file, "w") : NULL;
    if (!out) return 1;
    const char *why = begin();
    if (why) fprintf(out, "error %s\n", why);
    if (why) fclose(out), out = NULL;
    else atexit(end);
    return 1;
}
