// SPDX-License-Identifier: MIT
// Work of two devices: see check_case.h.
// options: -g
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

static const check_case cases[] = {
#include "check_devices.def"
};

int main(int argc, char **argv) {
    return argc > 1 ? run_check_case(cases, sizeof cases / sizeof *cases, argv[1]) : 3;
}
