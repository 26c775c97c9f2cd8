// Execution contexts and the device's resources (CUDA Runtime API reference 13.1 and later,
// "Execution Context Management"). A green context has some of the multiprocessors. Kernels in its
// streams compute what they compute elsewhere; they are timed on the whole device.
#include "runtime/api/api.h"
#include "runtime/submit/submit.h"

enum {
    SM_GRANULE = 8,        // smallest part and its step since compute capability 9.0
    SM_GRANULE_IGNORE = 2, // where co-scheduling is not asked for
    SPLIT_IGNORE_COSCHEDULING = 1,
    SPLIT_MAX_CLUSTER = 2,
    GROUP_BACKFILL = 1,
    MOST_GROUPS = 1024,
};

_Static_assert(sizeof(cudaDevResource) == 144, "of driver_types.h of 13.1");

struct cudaExecutionContext_st {
    unsigned long long id;
    int device;
    cudaDevResource sm;
};

struct CUdevResourceDesc_st {
    cudaDevResource sm;
};

// Those of the devices, which nobody destroys.
static struct cudaExecutionContext_st whole_devices[SIM_MOST_DEVICES];

static cudaExecutionContext_t whole_device(int device) {
    whole_devices[device] =
        (struct cudaExecutionContext_st){.id = 1 + (unsigned)device, .device = device};
    return &whole_devices[device];
}

static bool is_whole(const struct cudaExecutionContext_st *context) {
    return context >= whole_devices && context < whole_devices + SIM_MOST_DEVICES;
}

static cudaDevResource sm_resource(unsigned count, unsigned granule) {
    return (cudaDevResource){
        .type = cudaDevResourceTypeSm,
        .sm = {.smCount = count, .minSmPartitionSize = granule, .smCoscheduledAlignment = granule}};
}

static cudaDevResource device_sms(void) {
    return sm_resource((unsigned)sim_engine_device(runtime.engine)->sm_count, SM_GRANULE);
}

static struct cudaExecutionContext_st *find_context(cudaExecutionContext_t context) {
    return is_whole(context) ? context : runtime_map_get(&runtime.contexts, context);
}

static cudaError_t enter_context(const char *call, cudaExecutionContext_t context,
                                 struct cudaExecutionContext_st **out_live) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "%s(%p)", call, (void *)context);
    *out_live = status ? NULL : find_context(context);
    if (*out_live) runtime_use((*out_live)->device);
    return !status && !*out_live ? cudaErrorInvalidResourceHandle : status;
}

// Only multiprocessors are told apart; queues of work are the device's own business.
static cudaError_t answer(const cudaDevResource *sm, enum cudaDevResourceType type,
                          cudaDevResource *out) {
    if (!out) return cudaErrorInvalidValue;
    if (type != cudaDevResourceTypeSm) return cudaErrorInvalidResourceType;
    *out = *sm;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDevResource(int device, cudaDevResource *resource,
                                     enum cudaDevResourceType type) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaDeviceGetDevResource(%d)", device);
    if (!status && !runtime_has_device(device)) status = cudaErrorInvalidDevice;
    cudaDevResource sm = {0};
    if (!status) sm = device_sms();
    if (!status) status = answer(&sm, type, resource);
    return runtime_leave(status);
}

cudaError_t cudaDeviceGetExecutionCtx(cudaExecutionContext_t *ctx, int device) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaDeviceGetExecutionCtx(%d)", device);
    if (!status && !runtime_has_device(device)) status = cudaErrorInvalidDevice;
    if (!status && !ctx) status = cudaErrorInvalidValue;
    if (!status) *ctx = whole_device(device);
    return runtime_leave(status);
}

// ---- parts --------------------------------------------------------------------------------------

static cudaError_t check_input(const cudaDevResource *input) {
    if (!input) return cudaErrorInvalidValue;
    if (input->type != cudaDevResourceTypeSm) return cudaErrorInvalidResourceType;
    bool whole = input->sm.smCount && input->sm.smCount <= device_sms().sm.smCount;
    return whole ? cudaSuccess : cudaErrorInvalidResourceConfiguration;
}

// Groups of the same size, the least multiple of the granule that has `minCount`.
cudaError_t cudaDevSmResourceSplitByCount(cudaDevResource *result, unsigned int *nbGroups,
                                          const cudaDevResource *input, cudaDevResource *remaining,
                                          unsigned int flags, unsigned int minCount) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaDevSmResourceSplitByCount(%u)", minCount);
    if (!status &&
        (!nbGroups || (flags & ~(unsigned)(SPLIT_IGNORE_COSCHEDULING | SPLIT_MAX_CLUSTER))))
        status = cudaErrorInvalidValue;
    if (!status) status = check_input(input);
    if (!status && minCount > input->sm.smCount) status = cudaErrorInvalidResourceConfiguration;
    if (!status) {
        unsigned granule = flags & SPLIT_IGNORE_COSCHEDULING ? SM_GRANULE_IGNORE : SM_GRANULE;
        unsigned each = minCount ? (minCount + granule - 1) / granule * granule : granule;
        unsigned most = input->sm.smCount / each;
        if (!result || *nbGroups > most) *nbGroups = most;
        for (unsigned i = 0; result && i < *nbGroups; i++) result[i] = sm_resource(each, granule);
        unsigned left = input->sm.smCount - *nbGroups * each;
        if (remaining && left) *remaining = sm_resource(left, granule);
        if (remaining && !left) *remaining = (cudaDevResource){0};
    }
    return runtime_leave(status);
}

// One group as it is asked for; a count of 0 is filled in: all that is left. `left`: as above.
static cudaError_t take_group(cudaDevSmResourceGroupParams *asked, bool made, unsigned *left) {
    unsigned together = asked->coscheduledSmCount ? asked->coscheduledSmCount : SM_GRANULE;
    if (asked->flags & ~(unsigned)GROUP_BACKFILL || together % 2 || together > 32)
        return cudaErrorInvalidValue;
    unsigned step = asked->flags & GROUP_BACKFILL ? 2 : together;
    if (asked->smCount % step) return cudaErrorInvalidValue;
    if (!asked->smCount) asked->smCount = *left / step * step;
    if ((made && asked->smCount < step) || asked->smCount > *left)
        return cudaErrorInvalidResourceConfiguration;
    asked->coscheduledSmCount = together;
    if (!asked->preferredCoscheduledSmCount) asked->preferredCoscheduledSmCount = together;
    *left -= asked->smCount;
    return cudaSuccess;
}

cudaError_t cudaDevSmResourceSplit(cudaDevResource *result, unsigned int nbGroups,
                                   const cudaDevResource *input, cudaDevResource *remainder,
                                   unsigned int flags, cudaDevSmResourceGroupParams *groupParams) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaDevSmResourceSplit(%u)", nbGroups);
    if (!status && (flags || !groupParams || !nbGroups || nbGroups > MOST_GROUPS))
        status = cudaErrorInvalidValue;
    if (!status) status = check_input(input);
    unsigned left = status ? 0 : input->sm.smCount;
    for (unsigned i = 0; !status && i < nbGroups; i++) {
        status = take_group(&groupParams[i], result != NULL, &left);
        if (!status && result)
            result[i] = sm_resource(groupParams[i].smCount, groupParams[i].coscheduledSmCount);
    }
    if (!status && remainder)
        *remainder = left ? sm_resource(left, SM_GRANULE_IGNORE) : (cudaDevResource){0};
    return runtime_leave(status);
}

// Parts of one split come together; more multiprocessors than the device has are of two.
cudaError_t cudaDevResourceGenerateDesc(cudaDevResourceDesc_t *phDesc, cudaDevResource *resources,
                                        unsigned int nbResources) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "cudaDevResourceGenerateDesc(%u)", nbResources);
    if (!status && (!phDesc || !resources || !nbResources)) status = cudaErrorInvalidValue;
    unsigned count = 0;
    for (unsigned i = 0; !status && i < nbResources; i++) {
        status = check_input(&resources[i]);
        if (!status) count += resources[i].sm.smCount;
        if (!status &&
            (count > device_sms().sm.smCount ||
             resources[i].sm.smCoscheduledAlignment != resources->sm.smCoscheduledAlignment))
            status = cudaErrorInvalidResourceConfiguration;
    }
    struct CUdevResourceDesc_st *made = status ? NULL : malloc(sizeof *made);
    if (!status && (!made || !runtime_map_put(&runtime.descriptors, made, made))) {
        free(made);
        status = cudaErrorMemoryAllocation;
    }
    if (!status) {
        made->sm = sm_resource(count, resources->sm.smCoscheduledAlignment);
        *phDesc = made;
    }
    return runtime_leave(status);
}

// ---- contexts -----------------------------------------------------------------------------------

cudaError_t cudaGreenCtxCreate(cudaExecutionContext_t *phCtx, cudaDevResourceDesc_t desc,
                               int device, unsigned int flags) {
    cudaError_t status = runtime_enter(RUNTIME_DEVICE, "cudaGreenCtxCreate(%p)", (void *)desc);
    const struct CUdevResourceDesc_st *live =
        status ? NULL : runtime_map_get(&runtime.descriptors, desc);
    if (!status && !runtime_has_device(device)) status = cudaErrorInvalidDevice;
    if (!status && (!phCtx || !live || flags)) status = cudaErrorInvalidValue;
    struct cudaExecutionContext_st *made = status ? NULL : malloc(sizeof *made);
    if (!status && (!made || !runtime_map_put(&runtime.contexts, made, made))) {
        free(made);
        status = cudaErrorMemoryAllocation;
    }
    if (!status) {
        *made = (struct cudaExecutionContext_st){
            .id = ++runtime.last_context_id, .device = device, .sm = live->sm};
        *phCtx = made;
    }
    return runtime_leave(status);
}

cudaError_t cudaExecutionCtxDestroy(cudaExecutionContext_t ctx) {
    struct cudaExecutionContext_st *live;
    cudaError_t status = enter_context("cudaExecutionCtxDestroy", ctx, &live);
    if (!status && is_whole(live)) status = cudaErrorInvalidValue;
    if (!status) {
        runtime_map_remove(&runtime.contexts, live);
        free(live);
    }
    return runtime_leave(status);
}

cudaError_t cudaExecutionCtxGetDevResource(cudaExecutionContext_t ctx, cudaDevResource *resource,
                                           enum cudaDevResourceType type) {
    struct cudaExecutionContext_st *live;
    cudaError_t status = enter_context("cudaExecutionCtxGetDevResource", ctx, &live);
    cudaDevResource sm = {0};
    if (!status) sm = is_whole(live) ? device_sms() : live->sm;
    if (!status) status = answer(&sm, type, resource);
    return runtime_leave(status);
}

cudaError_t cudaExecutionCtxGetDevice(int *device, cudaExecutionContext_t ctx) {
    struct cudaExecutionContext_st *live;
    cudaError_t status = enter_context("cudaExecutionCtxGetDevice", ctx, &live);
    if (!status && !device) status = cudaErrorInvalidValue;
    if (!status) *device = live->device;
    return runtime_leave(status);
}

cudaError_t cudaExecutionCtxGetId(cudaExecutionContext_t ctx, unsigned long long *ctxId) {
    struct cudaExecutionContext_st *live;
    cudaError_t status = enter_context("cudaExecutionCtxGetId", ctx, &live);
    if (!status && !ctxId) status = cudaErrorInvalidValue;
    if (!status) *ctxId = live->id;
    return runtime_leave(status);
}

// A green context's stream does not wait for the default stream, however it is made.
cudaError_t cudaExecutionCtxStreamCreate(cudaStream_t *phStream, cudaExecutionContext_t ctx,
                                         unsigned int flags, int priority) {
    struct cudaExecutionContext_st *live;
    cudaError_t status = enter_context("cudaExecutionCtxStreamCreate", ctx, &live);
    if (!status && !is_whole(live)) flags |= cudaStreamNonBlocking;
    if (!status) status = runtime_stream_create(phStream, flags, priority);
    if (!status && !is_whole(live)) runtime_stream_find(*phStream)->context = live->id;
    return runtime_leave(status);
}

// Calls `visit` for each stream of the context; the device's has all that are in no other.
static void each_stream(const struct cudaExecutionContext_st *context, void *with,
                        void (*visit)(struct CUstream_st *stream, void *with)) {
    unsigned long long id = is_whole(context) ? 0 : context->id;
    struct CUstream_st *stream;
    for (size_t at = 0; (stream = runtime_stream_next(&at));)
        if (stream->context == id && stream->queue.device == context->device) visit(stream, with);
}

static void host_waits(struct CUstream_st *stream, void *with) {
    cudaError_t status = runtime_stream_wait(stream);
    if (status) *(cudaError_t *)with = status;
    runtime_clock_host_waits(&runtime.clock, runtime_stream_end(stream));
    runtime_order_host_waits(&stream->queue);
}

static void waits_for(struct CUstream_st *stream, void *with) {
    runtime_stream_put_wait(stream, with);
}

cudaError_t cudaExecutionCtxSynchronize(cudaExecutionContext_t ctx) {
    struct cudaExecutionContext_st *live;
    cudaError_t status = enter_context("cudaExecutionCtxSynchronize", ctx, &live);
    if (!status) status = runtime_capture_no_device();
    if (!status) each_stream(live, &status, host_waits);
    return runtime_leave(status);
}

cudaError_t cudaExecutionCtxWaitEvent(cudaExecutionContext_t ctx, cudaEvent_t event) {
    struct cudaExecutionContext_st *live;
    cudaError_t status = enter_context("cudaExecutionCtxWaitEvent", ctx, &live);
    struct CUevent_st *found = status ? NULL : runtime_event_find(event);
    if (!status && !found) status = cudaErrorInvalidResourceHandle;
    if (!status) status = runtime_capture_no_device();
    if (!status) each_stream(live, found, waits_for);
    return runtime_leave(status);
}

static void waited_for(struct CUstream_st *stream, void *with) {
    struct CUstream_st *all = with; // made for this: ends with what all others hold
    struct CUevent_st end = {.flags = cudaEventDisableTiming};
    runtime_stream_wait(stream);
    runtime_event_record(&end, &stream->queue);
    runtime_event_wait(&end, &all->queue);
}

// The event is behind all that the context's streams hold.
cudaError_t cudaExecutionCtxRecordEvent(cudaExecutionContext_t ctx, cudaEvent_t event) {
    struct cudaExecutionContext_st *live;
    cudaError_t status = enter_context("cudaExecutionCtxRecordEvent", ctx, &live);
    struct CUevent_st *found = status ? NULL : runtime_event_find(event);
    if (!status && !found) status = cudaErrorInvalidResourceHandle;
    if (!status) status = runtime_capture_no_device();
    cudaStream_t last = NULL;
    if (!status) status = runtime_stream_create(&last, cudaStreamNonBlocking, 0);
    if (!status) {
        last->context = ~0ull; // in no context
        each_stream(live, last, waited_for);
        runtime_event_record(found, &last->queue);
        runtime_stream_free(last);
    }
    return runtime_leave(status);
}

cudaError_t cudaStreamGetDevResource(cudaStream_t hStream, cudaDevResource *resource,
                                     enum cudaDevResourceType type) {
    struct CUstream_st *found;
    cudaError_t status =
        runtime_stream_enter(RUNTIME_DEVICE, "cudaStreamGetDevResource", hStream, &found);
    cudaDevResource sm = {0};
    if (!status) sm = device_sms();
    struct cudaExecutionContext_st *live;
    for (size_t at = 0; !status && (live = runtime_map_next(&runtime.contexts, &at));)
        if (live->id == found->context) sm = live->sm;
    if (!status) status = answer(&sm, type, resource);
    return runtime_leave(status);
}

static void free_all(runtime_map *map) {
    void *live;
    for (size_t at = 0; (live = runtime_map_next(map, &at));) free(live);
    runtime_map_free(map);
}

void runtime_contexts_reset(void) {
    free_all(&runtime.contexts);
    free_all(&runtime.descriptors);
}
