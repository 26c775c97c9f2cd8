// The drop-ins for CUDA 11, 12 and 13 as a program built with those would call them, without any of
// these toolkits: structures have the size of the version, and functions that changed take what
// they took then. Argument: the library; its major decides.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/abi/types.h"

static int major, checks, failed;
static void *library;

static void expect(bool good, const char *what, int line) {
    checks++;
    if (good) return;
    failed++;
    printf("line %d, version %d: %s\n", line, major, what);
}
#define EXPECT(what) expect((what), #what, __LINE__)

// The function `name`, of the type of `pointer`, or NULL.
#define FIND(pointer, name)                                                                        \
    do {                                                                                           \
        void *symbol_ = dlsym(library, name);                                                      \
        memcpy(&(pointer), &symbol_, sizeof symbol_);                                              \
    } while (0)

enum { GUARD = 0xa5, MOST_BYTES = 2048 };

// Bytes that a call wrote at the front of `memory`, which was full of GUARD; at most MOST_BYTES.
static size_t written(const unsigned char *memory) {
    size_t count = MOST_BYTES;
    while (count > 0 && memory[count - 1] == GUARD) count--;
    return count;
}

static size_t size_in(int in_11, int in_12, int in_13) {
    return (size_t)(major == 11 ? in_11 : major == 12 ? in_12 : in_13);
}

static void check_version(void) {
    cudaError_t (*get)(int *);
    int version = 0;
    FIND(get, "cudaRuntimeGetVersion");
    EXPECT(get(&version) == cudaSuccess && version / 1000 == major);
    FIND(get, "cudaDriverGetVersion");
    EXPECT(get(&version) == cudaSuccess && version == 13000);
}

// Where the fields lie that the versions have elsewhere.
static void check_properties(void) {
    cudaError_t (*get)(void *, int);
    unsigned char properties[MOST_BYTES];
    int multiprocessors, clock_khz;
    memset(properties, GUARD, sizeof properties);
    FIND(get, "cudaGetDeviceProperties");
    EXPECT(get(properties, 0) == cudaSuccess);
    EXPECT(written(properties) == size_in(728, 728, 1008));
    memcpy(&multiprocessors, properties + (major == 13 ? 384 : 388), sizeof multiprocessors);
    EXPECT(multiprocessors == 132);
    memcpy(&clock_khz, properties + 348, sizeof clock_khz); // as 13 has no more
    EXPECT(major == 13 || clock_khz > 1000000);
    EXPECT(strstr((char *)properties, "(simulated)"));
    FIND(get, "cudaGetDeviceProperties_v2");
    EXPECT(!get == (major != 12));
    if (!get) return;
    memset(properties, GUARD, sizeof properties);
    EXPECT(get(properties, 0) == cudaSuccess && written(properties) == 1032);
}

static void check_pointers(void *managed) {
    cudaError_t (*get)(void *, const void *);
    unsigned char answer[MOST_BYTES];
    struct cudaPointerAttributes attributes;
    memset(answer, GUARD, sizeof answer);
    FIND(get, "cudaPointerGetAttributes");
    EXPECT(get(answer, managed) == cudaSuccess && written(answer) == size_in(24, 24, 88));
    memcpy(&attributes, answer, sizeof attributes);
    EXPECT(attributes.type == cudaMemoryTypeManaged && attributes.devicePointer == managed);
}

static void check_advice(void *managed) {
    const struct cudaMemLocation device = {cudaMemLocationTypeDevice, 0};
    cudaError_t (*range)(void *, size_t, enum cudaMemRangeAttribute, const void *, size_t);
    int place = -5;
    FIND(range, "cudaMemRangeGetAttribute");
    if (major < 13) {
        cudaError_t (*advise)(const void *, size_t, enum cudaMemoryAdvise, int);
        cudaError_t (*prefetch)(const void *, size_t, int, cudaStream_t);
        FIND(advise, "cudaMemAdvise");
        FIND(prefetch, "cudaMemPrefetchAsync");
        EXPECT(advise(managed, 256, cudaMemAdviseSetPreferredLocation, 0) == cudaSuccess);
        EXPECT(prefetch(managed, 256, cudaCpuDeviceId, NULL) == cudaSuccess);
        EXPECT(prefetch(managed, 256, 3, NULL) == cudaErrorInvalidDevice);
    } else {
        cudaError_t (*advise)(const void *, size_t, enum cudaMemoryAdvise, struct cudaMemLocation);
        FIND(advise, "cudaMemAdvise");
        EXPECT(advise(managed, 256, cudaMemAdviseSetPreferredLocation, device) == cudaSuccess);
    }
    EXPECT(range(&place, sizeof place, cudaMemRangeAttributePreferredLocation, managed, 256) ==
           cudaSuccess);
    EXPECT(place == 0);
    if (major == 13) return;
    EXPECT(range(&place, sizeof place, cudaMemRangeAttributeLastPrefetchLocation, managed, 256) ==
           cudaSuccess);
    EXPECT(place == cudaCpuDeviceId);
}

// Two empty nodes, one after the other.
static void check_graphs(void) {
    cudaError_t (*create)(cudaGraph_t *, unsigned);
    cudaError_t (*add)(cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t);
    cudaGraph_t graph = NULL;
    cudaGraphNode_t a = NULL, b = NULL, from = NULL, to = NULL;
    cudaGraphExec_t exec = NULL;
    size_t count = 1;
    FIND(create, "cudaGraphCreate");
    FIND(add, "cudaGraphAddEmptyNode");
    EXPECT(create(&graph, 0) == cudaSuccess);
    EXPECT(add(&a, graph, NULL, 0) == cudaSuccess && add(&b, graph, NULL, 0) == cudaSuccess);
    if (major < 13) {
        cudaError_t (*join)(cudaGraph_t, const cudaGraphNode_t *, const cudaGraphNode_t *, size_t);
        cudaError_t (*edges)(cudaGraph_t, cudaGraphNode_t *, cudaGraphNode_t *, size_t *);
        FIND(join, "cudaGraphAddDependencies");
        FIND(edges, "cudaGraphGetEdges");
        EXPECT(join(graph, &a, &b, 1) == cudaSuccess);
        EXPECT(edges(graph, &from, &to, &count) == cudaSuccess);
        EXPECT(count == 1 && from == a && to == b);
    }
    if (major == 11) {
        cudaError_t (*make)(cudaGraphExec_t *, cudaGraph_t, cudaGraphNode_t *, char *, size_t);
        cudaError_t (*update)(cudaGraphExec_t, cudaGraph_t, cudaGraphNode_t *,
                              enum cudaGraphExecUpdateResult *);
        char log[8] = "unset";
        enum cudaGraphExecUpdateResult result = cudaGraphExecUpdateError;
        FIND(make, "cudaGraphInstantiate");
        FIND(update, "cudaGraphExecUpdate");
        EXPECT(make(&exec, graph, &from, log, sizeof log) == cudaSuccess && !from && !*log);
        EXPECT(update(exec, graph, &from, &result) == cudaSuccess);
        EXPECT(result == cudaGraphExecUpdateSuccess);
    } else {
        cudaError_t (*make)(cudaGraphExec_t *, cudaGraph_t, unsigned long long);
        FIND(make, "cudaGraphInstantiate");
        EXPECT(make(&exec, graph, 0) == cudaSuccess && exec);
    }
}

static void check_capture(void) {
    cudaError_t (*info)(cudaStream_t, enum cudaStreamCaptureStatus *, unsigned long long *);
    enum cudaStreamCaptureStatus state = cudaStreamCaptureStatusActive;
    unsigned long long id = 0;
    if (major == 13) return;
    FIND(info, "cudaStreamGetCaptureInfo");
    EXPECT(info(cudaStreamPerThread, &state, &id) == cudaSuccess);
    EXPECT(state == cudaStreamCaptureStatusNone);
    cudaError_t (*wait)(void);
    FIND(wait, "cudaThreadSynchronize");
    EXPECT(wait() == cudaSuccess);
}

// What describes a texture is given back in the size of the version.
static void check_textures(void *device) {
    cudaError_t (*create)(cudaTextureObject_t *, const void *, const void *, const void *);
    cudaError_t (*get)(void *, cudaTextureObject_t);
    unsigned char answer[MOST_BYTES];
    struct cudaResourceDesc resource = {
        .resType = cudaResourceTypeLinear,
        .res.linear = {device, {32, 0, 0, 0, cudaChannelFormatKindFloat}, 1024}};
    struct cudaTextureDesc texture = {.readMode = cudaReadModeElementType};
    cudaTextureObject_t object = 0;
    FIND(create, "cudaCreateTextureObject");
    EXPECT(create(&object, &resource, &texture, NULL) == cudaSuccess);
    FIND(get, "cudaGetTextureObjectResourceDesc");
    memset(answer, GUARD, sizeof answer);
    EXPECT(get(answer, object) == cudaSuccess && written(answer) == size_in(64, 64, 144));
    FIND(get, "cudaGetTextureObjectTextureDesc");
    memset(answer, GUARD, sizeof answer);
    EXPECT(get(answer, object) == cudaSuccess && written(answer) == size_in(68, 72, 72));
}

// Batches of copies, which 12.8 brought with one parameter more, and the second form of a call
// from then.
static void check_batches(void *device) {
    unsigned char bytes[4] = {1, 2, 3, 4}, back[4] = {0};
    void *to[] = {device, (unsigned char *)device + 16};
    const void *from[] = {bytes, bytes + 2};
    size_t sizes[] = {2, 2}, first = 0, failing = 7;
    struct cudaMemcpyAttributes stream_order = {.srcAccessOrder = cudaMemcpySrcAccessOrderStream};
    cudaError_t (*copy)(void *, const void *, size_t, enum cudaMemcpyKind);
    FIND(copy, "cudaMemcpy");
    if (major == 12) {
        cudaError_t (*batch)(void **, const void **, size_t *, size_t,
                             struct cudaMemcpyAttributes *, size_t *, size_t, size_t *,
                             cudaStream_t);
        FIND(batch, "cudaMemcpyBatchAsync");
        EXPECT(batch(to, from, sizes, 2, &stream_order, &first, 1, &failing, cudaStreamPerThread) ==
               cudaSuccess);
        EXPECT(failing == SIZE_MAX);
    } else if (major == 13) {
        cudaError_t (*batch)(void **, const void **, const size_t *, size_t,
                             struct cudaMemcpyAttributes *, size_t *, size_t, cudaStream_t);
        FIND(batch, "cudaMemcpyBatchAsync");
        EXPECT(batch(to, from, sizes, 2, &stream_order, &first, 1, cudaStreamPerThread) ==
               cudaSuccess);
    } else {
        return;
    }
    EXPECT(copy(back, device, 2, cudaMemcpyDefault) == cudaSuccess);
    EXPECT(copy(back + 2, to[1], 2, cudaMemcpyDefault) == cudaSuccess);
    EXPECT(memcmp(back, bytes, sizeof back) == 0);
    cudaError_t (*create)(cudaEvent_t *), (*record)(cudaEvent_t, cudaStream_t),
        (*wait)(cudaEvent_t), (*elapsed)(float *, cudaEvent_t, cudaEvent_t);
    cudaEvent_t event;
    float ms = -1;
    FIND(elapsed, "cudaEventElapsedTime_v2");
    EXPECT(!elapsed == (major == 13));
    if (!elapsed) return;
    FIND(create, "cudaEventCreate");
    FIND(record, "cudaEventRecord");
    FIND(wait, "cudaEventSynchronize");
    EXPECT(create(&event) == cudaSuccess && record(event, NULL) == cudaSuccess);
    EXPECT(wait(event) == cudaSuccess && elapsed(&ms, event, event) == cudaSuccess && ms == 0);
}

// What 13.1 to 13.4 brought: parts of the device, with the programming guide's numbers for 132
// multiprocessors.
static void check_parts(void) {
    cudaError_t (*whole)(int, cudaDevResource *, enum cudaDevResourceType);
    cudaError_t (*split)(cudaDevResource *, unsigned *, const cudaDevResource *, cudaDevResource *,
                         unsigned, unsigned);
    cudaError_t (*describe)(cudaDevResourceDesc_t *, cudaDevResource *, unsigned);
    cudaError_t (*create)(cudaExecutionContext_t *, cudaDevResourceDesc_t, int, unsigned);
    cudaError_t (*stream)(cudaStream_t *, cudaExecutionContext_t, unsigned, int);
    cudaError_t (*of_stream)(cudaStream_t, cudaDevResource *, enum cudaDevResourceType);
    cudaError_t (*wait)(cudaExecutionContext_t), (*destroy)(cudaExecutionContext_t);
    FIND(whole, "cudaDeviceGetDevResource");
    EXPECT(!whole == (major != 13));
    if (!whole) return;
    FIND(split, "cudaDevSmResourceSplitByCount");
    FIND(describe, "cudaDevResourceGenerateDesc");
    FIND(create, "cudaGreenCtxCreate");
    FIND(stream, "cudaExecutionCtxStreamCreate");
    FIND(of_stream, "cudaStreamGetDevResource");
    FIND(wait, "cudaExecutionCtxSynchronize");
    FIND(destroy, "cudaExecutionCtxDestroy");
    cudaDevResource all, parts[8], rest;
    unsigned count = 0;
    EXPECT(whole(0, &all, cudaDevResourceTypeInvalid) == cudaErrorInvalidResourceType);
    EXPECT(whole(1, &all, cudaDevResourceTypeSm) == cudaErrorInvalidDevice);
    EXPECT(whole(0, &all, cudaDevResourceTypeSm) == cudaSuccess && all.sm.smCount == 132);
    EXPECT(split(NULL, &count, &all, NULL, 0, 17) == cudaSuccess && count == 5); // 24 each
    EXPECT(split(parts, &count, &all, &rest, 0, 24) == cudaSuccess && parts[4].sm.smCount == 24);
    EXPECT(rest.type == cudaDevResourceTypeSm && rest.sm.smCount == 12);
    EXPECT(split(parts, &count, &all, NULL, 0, 133) == cudaErrorInvalidResourceConfiguration);
    cudaDevResourceDesc_t description;
    cudaExecutionContext_t green;
    cudaStream_t made;
    EXPECT(describe(&description, parts, 2) == cudaSuccess);
    EXPECT(create(&green, description, 0, 1) == cudaErrorInvalidValue);
    EXPECT(create(&green, description, 0, 0) == cudaSuccess);
    EXPECT(stream(&made, green, cudaStreamDefault, 0) == cudaSuccess);
    EXPECT(of_stream(made, &rest, cudaDevResourceTypeSm) == cudaSuccess && rest.sm.smCount == 48);
    EXPECT(of_stream(NULL, &rest, cudaDevResourceTypeSm) == cudaSuccess && rest.sm.smCount == 132);
    EXPECT(wait(green) == cudaSuccess && destroy(green) == cudaSuccess);
    EXPECT(destroy(green) == cudaErrorInvalidResourceHandle);
}

int main(int argc, char **argv) {
    const char *mark = argc == 2 ? strstr(argv[1], ".so.") : NULL;
    library = mark ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        printf("%s cannot be opened\n", argc == 2 ? argv[1] : "a library");
        return 1;
    }
    major = atoi(mark + strlen(".so."));
    cudaError_t (*allocate)(void **, size_t), (*managed)(void **, size_t, unsigned);
    void *device = NULL, *shared = NULL;
    FIND(allocate, "cudaMalloc");
    FIND(managed, "cudaMallocManaged");
    EXPECT(allocate(&device, 1024) == cudaSuccess);
    EXPECT(managed(&shared, 256, cudaMemAttachGlobal) == cudaSuccess);
    check_version();
    check_batches(device);
    check_parts();
    check_properties();
    check_pointers(shared);
    check_advice(shared);
    check_graphs();
    check_capture();
    check_textures(device);
    printf("version %d: %d checks, %d failed\n", major, checks, failed);
    return failed != 0 || checks < 20;
}
