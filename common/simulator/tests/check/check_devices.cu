// Work of two devices: see check_case.h.
// options: -g
// checked: --devices 2
#include "check_case.h"

static float *d_other, *d_copy; // of device 1

__global__ void store(float *y, float value) {
    y[blockIdx.x * BLOCK + threadIdx.x] = value;
}

__global__ void copy(float *y, const float *x) {
    y[blockIdx.x * BLOCK + threadIdx.x] = x[blockIdx.x * BLOCK + threadIdx.x];
}

static void on(int device) {
    cudaSetDevice(device);
}

static void make_other() {
    on(1);
    cudaMalloc(&d_other, N * sizeof *d_other);
    cudaMalloc(&d_copy, N * sizeof *d_copy);
    cudaMemset(d_other, 0, N * sizeof *d_other);
    cudaDeviceSynchronize();
    on(0);
    cudaDeviceSynchronize();
}

static void free_other() {
    cudaDeviceSynchronize();
    on(1);
    cudaFree(d_other);
    cudaFree(d_copy);
    on(0);
}

static void reads_peer(bool has_access) {
    make_other();
    if (has_access) cudaDeviceEnablePeerAccess(1, 0);
    copy<<<GRID, BLOCK>>>(d_y, d_other);
    free_other();
}

static void reads_pool(bool has_access) {
    cudaMemPool_t pool;
    float *from;
    make_other();
    cudaDeviceGetDefaultMemPool(&pool, 0);
    cudaMallocAsync(&from, N * sizeof *from, 0);
    store<<<GRID, BLOCK>>>(from, 1);
    cudaDeviceSynchronize();
    cudaMemAccessDesc access = {{cudaMemLocationTypeDevice, 1}, cudaMemAccessFlagsProtReadWrite};
    if (has_access) cudaMemPoolSetAccess(pool, &access, 1);
    on(1);
    cudaDeviceEnablePeerAccess(0, 0);
    copy<<<GRID, BLOCK>>>(d_copy, from);
    cudaDeviceSynchronize();
    on(0);
    cudaFreeAsync(from, 0);
    free_other();
}

// A kernel of device 0 writes what a copy on device 1 reads.
static void two_streams(bool with_event) {
    cudaStream_t first, second;
    cudaEvent_t done;
    make_other();
    cudaStreamCreate(&first);
    cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
    store<<<GRID, BLOCK, 0, first>>>(d_y, 1);
    cudaEventRecord(done, first);
    on(1);
    cudaStreamCreate(&second);
    if (with_event) cudaStreamWaitEvent(second, done, 0);
    cudaMemcpyPeerAsync(d_copy, 1, d_y, 0, N * sizeof *d_y, second);
    cudaStreamSynchronize(second);
    on(0);
    free_other();
}

// Streams of both devices, and an event of each.
static cudaStream_t streams[2];
static cudaEvent_t events[2];

static void make_streams() {
    make_other();
    for (int device = 0; device < 2; device++) {
        on(device);
        cudaStreamCreateWithFlags(&streams[device], cudaStreamNonBlocking);
        cudaEventCreateWithFlags(&events[device], cudaEventDisableTiming);
    }
    on(0);
}

// What is put into the other device's stream from here on comes after what is in this one's.
static void goes_on_after(int device) {
    on(device);
    cudaEventRecord(events[device], streams[device]);
    on(1 - device);
    cudaStreamWaitEvent(streams[1 - device], events[device], 0);
}

static void free_streams() {
    for (int device = 0; device < 2; device++) {
        on(device);
        cudaStreamSynchronize(streams[device]);
        cudaStreamDestroy(streams[device]);
        cudaEventDestroy(events[device]);
    }
    on(0);
    free_other();
}

// A copy of device 1 reads what device 0 writes again.
static void overwritten(bool with_event) {
    make_streams();
    store<<<GRID, BLOCK, 0, streams[0]>>>(d_y, 1);
    goes_on_after(0);
    cudaMemcpyPeerAsync(d_copy, 1, d_y, 0, N * sizeof *d_y, streams[1]);
    if (with_event) goes_on_after(1);
    on(0);
    store<<<GRID, BLOCK, 0, streams[0]>>>(d_y, 2);
    free_streams();
}

// By way of page-locked memory.
static void through_host(bool with_event) {
    float *h_x;
    make_streams();
    cudaMallocHost(&h_x, N * sizeof *h_x);
    cudaMemcpyAsync(h_x, d_x, N * sizeof *h_x, cudaMemcpyDeviceToHost, streams[0]);
    if (with_event) goes_on_after(0);
    on(1);
    cudaMemcpyAsync(d_copy, h_x, N * sizeof *h_x, cudaMemcpyHostToDevice, streams[1]);
    free_streams();
    cudaFreeHost(h_x);
}

// A kernel of device 1 writes memory of device 0, whose kernel reads it.
static void peer_stores(bool with_event) {
    make_streams();
    on(1);
    cudaDeviceEnablePeerAccess(0, 0);
    store<<<GRID, BLOCK, 0, streams[1]>>>(d_y, 1);
    if (with_event) goes_on_after(1);
    on(0);
    copy<<<GRID, BLOCK, 0, streams[0]>>>(d_z, d_y);
    free_streams();
}

__global__ void gives(float *y, int *flag, bool of_system) {
    y[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x) return;
    if (of_system)
        __threadfence_system();
    else
        __threadfence();
    if (of_system)
        atomicExch_system(flag, 1);
    else
        atomicExch(flag, 1);
}

__global__ void takes(float *z, const float *y, int *flag, bool of_system) {
    if (threadIdx.x == 0) {
        while (of_system ? !atomicAdd_system(flag, 0) : !atomicAdd(flag, 0)) continue;
        __threadfence_system();
    }
    __syncthreads();
    z[threadIdx.x] = y[threadIdx.x];
}

// Device 1 tells device 0 by a flag that its data is there.
static void flags(bool of_system) {
    int *flag = cleared(d_x);
    make_streams();
    on(1);
    cudaDeviceEnablePeerAccess(0, 0);
    gives<<<1, BLOCK, 0, streams[1]>>>(d_y, flag, of_system);
    on(0);
    takes<<<1, BLOCK, 0, streams[0]>>>(d_z, d_y, flag, of_system);
    free_streams();
}

// How wide a fence is: none, of the device, of the system.
enum { NO_FENCE, DEVICE_FENCE, SYSTEM_FENCE };

__device__ void fence(int scope) {
    if (scope == DEVICE_FENCE) __threadfence();
    if (scope == SYSTEM_FENCE) __threadfence_system();
}

__global__ void sets(float *y, volatile int *flag, int scope) {
    y[threadIdx.x] = 1;
    fence(DEVICE_FENCE); // of the threads that write, as if that were enough
    __syncthreads();
    if (threadIdx.x) return;
    fence(scope);
    *flag = 1;
}

__global__ void sets_early(float *y, volatile int *flag, int scope) {
    y[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x) return;
    *flag = 1;
    fence(scope); // behind the flag
}

__global__ void fences_early(float *z, const float *y, volatile int *flag, int scope) {
    fence(scope); // before the flag is read
    while (!*flag) continue;
    z[threadIdx.x] = y[threadIdx.x];
}

__global__ void polls(float *z, const float *y, volatile int *flag, int scope) {
    if (threadIdx.x == 0) {
        while (!*flag) continue;
        fence(scope);
    }
    __syncthreads();
    z[threadIdx.x] = y[threadIdx.x];
}

__global__ void passes(volatile int *from, volatile int *to, int takes, int gives) {
    while (!*from) continue;
    fence(takes);
    fence(gives);
    *to = 1;
}

// A volatile flag of device 1, or of another stream of device 0, behind fences of these scopes; the
// reading kernel begins first, or last.
static void fences(int device, int writes, int reads, bool waits,
                   void (*set)(float *, volatile int *, int) = sets,
                   void (*poll)(float *, const float *, volatile int *, int) = polls) {
    int *flag = cleared(d_x);
    cudaStream_t own = 0;
    make_streams();
    if (device == 0) cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
    if (waits) poll<<<1, BLOCK, 0, streams[0]>>>(d_z, d_y, flag, reads);
    on(device);
    if (device) cudaDeviceEnablePeerAccess(0, 0);
    set<<<1, BLOCK, 0, device ? streams[1] : own>>>(d_y, flag, writes);
    on(0);
    if (!waits) poll<<<1, BLOCK, 0, streams[0]>>>(d_z, d_y, flag, reads);
    if (own) cudaStreamSynchronize(own), cudaStreamDestroy(own);
    free_streams();
}

// What device 1 has written, a third kernel sees by way of two flags: one between devices, one
// within device 0.
static void by_two_flags(int between, int within) {
    int *flag = cleared(d_x);
    cudaStream_t third;
    make_streams();
    cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking);
    polls<<<1, BLOCK, 0, third>>>(d_z + BLOCK, d_y, flag + 1, DEVICE_FENCE);
    passes<<<1, 1, 0, streams[0]>>>(flag, flag + 1, between, within);
    on(1);
    cudaDeviceEnablePeerAccess(0, 0);
    sets<<<1, BLOCK, 0, streams[1]>>>(d_y, flag, SYSTEM_FENCE);
    on(0);
    cudaStreamSynchronize(third), cudaStreamDestroy(third);
    free_streams();
}

__global__ void exchange(volatile int *own, volatile int *other) {
    while (*own == 0) continue;
    *other = 1;
}

// Each device waits for a flag that the other one sets: one of them must have it.
static void ranks(bool has_first) {
    int *first = cleared(d_x), *second = cleared(d_z);
    make_streams();
    if (has_first) cudaMemset(first, 1, sizeof *first);
    cudaDeviceSynchronize();
    exchange<<<1, 1, 0, streams[0]>>>(first, second);
    on(1);
    cudaDeviceEnablePeerAccess(0, 0);
    exchange<<<1, 1, 0, streams[1]>>>(second, first);
    on(0);
    free_streams();
}

// The default stream of a device is not that of another.
static void default_streams(int waits_for) {
    make_other();
    store<<<GRID, BLOCK>>>(d_y, 1);
    on(waits_for);
    cudaDeviceSynchronize();
    on(1);
    cudaDeviceEnablePeerAccess(0, 0);
    copy<<<GRID, BLOCK>>>(d_copy, d_y);
    cudaDeviceSynchronize();
    on(0);
    free_other();
}

// finds peer-access:     in kernel copy\n *at check_devices.cu:[0-9]+
//   ~ illegal read .*memory of[ \n]+device 1, to[ \n]+which the kernel's device 0 has no access:
//   ~ cudaSetDevice.0. call[ \n]+cudaDeviceEnablePeerAccess.1, 0.*\n1 finding in
//   advice PEER_ACCESS
PAIR(no_access, reads_peer(right));
// finds peer-access:     in kernel copy\n *at check_devices.cu:[0-9]+
//   ~ memory of a pool of[ \n]+device 0, .*cudaMemPoolSetAccess
//   advice POOL_ACCESS
PAIR(no_pool, reads_pool(right));
// finds stream-race:     write in kernel store at check_devices.cu:[0-9]+
//   ~     read by cudaMemcpyPeerAsync at check_devices.cu:[0-9]+
//   ~ cudaEventRecord
PAIR(two_streams, two_streams(right));
// finds stream-race:     read by cudaMemcpyPeerAsync at check_devices.cu:[0-9]+
//   ~     write in kernel store at check_devices.cu:[0-9]+
//   ~ cudaEventRecord
PAIR(overwritten, overwritten(right));
// finds stream-race:     write by cudaMemcpyAsync at check_devices.cu:[0-9]+
//   ~     read by cudaMemcpyAsync at check_devices.cu:[0-9]+
//   ~ cudaEventRecord
PAIR(through_host, through_host(right));
// finds stream-race:     write in kernel store at check_devices.cu:[0-9]+
//   ~     read in kernel copy at check_devices.cu:[0-9]+
//   ~ cudaEventRecord
PAIR(peer_stores, peer_stores(right));
// finds stream-race:     atomic in kernel gives at check_devices.cu:[0-9]+
//   ~     atomic in kernel takes at check_devices.cu:[0-9]+
//   ~ run[ \n]+on[ \n]+different[ \n]+devices.*atomicAdd_system.*\n1 finding in
//   advice SYSTEM_SCOPE
PAIR(flag_of_device, flags(right));
// finds flag-fence: +write in kernel sets at check_devices.cu:[0-9]+
//   ~     read in kernel polls at check_devices.cu:[0-9]+
//   ~ __threadfence_system..[ \n]+behind.*flag[ \n]+.line [0-9]+.[ \n]+is[ \n]+set.*\n1 finding in
//   advice FENCE_BEFORE_FLAG
CASE(writer_fence, fences(1, DEVICE_FENCE, SYSTEM_FENCE, false));
CASE(writer_fence_not, fences(1, SYSTEM_FENCE, SYSTEM_FENCE, false));
// finds flag-fence: +write in kernel sets
CASE(writer_fence_waits, fences(1, DEVICE_FENCE, SYSTEM_FENCE, true));
CASE(writer_fence_waits_not, fences(1, SYSTEM_FENCE, SYSTEM_FENCE, true));
// finds flag-fence: +write in kernel sets
//   ~ __threadfence_system..[ \n]+between[ \n]+the[ \n]+read.*\n1 finding in
//   advice FENCE_BEHIND_FLAG
CASE(reader_fence, fences(1, SYSTEM_FENCE, DEVICE_FENCE, true));
CASE(reader_fence_not, fences(1, SYSTEM_FENCE, SYSTEM_FENCE, false));
// finds flag-fence: +write in kernel sets_early
//   ~ __threadfence_system..[ \n]+behind.*flag[ \n]+.line [0-9]+.[ \n]+is[ \n]+set.*\n1 finding in
CASE(fence_behind_flag, fences(1, SYSTEM_FENCE, SYSTEM_FENCE, false, sets_early));
// finds flag-fence: +write in kernel sets
//   ~ __threadfence_system..[ \n]+between[ \n]+the[ \n]+read.*\n1 finding in
CASE(fence_before_poll, fences(1, SYSTEM_FENCE, SYSTEM_FENCE, false, sets, fences_early));
// finds flag-fence: +write in kernel sets
CASE(no_fences, fences(1, NO_FENCE, NO_FENCE, true));
// finds flag-fence: +write in kernel sets
//   ~ __threadfence..[ \n]+between
CASE(reader_fence_of_device, fences(0, DEVICE_FENCE, NO_FENCE, true));
CASE(reader_fence_of_device_not, fences(0, DEVICE_FENCE, DEVICE_FENCE, true));
// finds flag-fence: +write in kernel sets
CASE(by_two_flags, by_two_flags(DEVICE_FENCE, DEVICE_FENCE));
CASE(by_two_flags_not, by_two_flags(SYSTEM_FENCE, DEVICE_FENCE));
// finds deadlock: exchange on device 0.*argument[ \n]+1[ \n]+.own.[ \n]+of.*exchange on device 1
//   ~ what the[ \n]+first kernel has as[ \n]+argument 2:.*check_devices.cu:[0-9]+
PAIR(ranks, ranks(right));
// finds stream-race:     write in kernel store at check_devices.cu:[0-9]+
//   ~     read in kernel copy at check_devices.cu:[0-9]+
CASE(default_streams, default_streams(1));
CASE(default_streams_not, default_streams(0));
