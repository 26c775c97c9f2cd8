// SPDX-License-Identifier: MIT
// Kernels that wait for each other, or for the host, by flags in memory of a peer, of their own
// device or of the host: the one that waits is launched first, and more work comes behind it.
// environment: LADDER_SIM_DEVICES=2
// engine: yes
#include "../check.h"

#include <cstring>

enum { ROUNDS = 5, BLOCKS = 6, THREADS = 64 };

// What a device has: what the other one writes, and how often each block has exchanged.
struct mail {
    int flag[BLOCKS], data[BLOCKS], met, rounds[BLOCKS];
};

__device__ static void give(int *flag, int value) {
    asm volatile("st.release.sys.global.s32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

__device__ static int look(const int *flag) {
    int value;
    asm volatile("ld.acquire.sys.global.s32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

// Each block gives a number to that of the other device, and adds what it gets.
__global__ void exchange(mail *own, mail *other, int *out) {
    __shared__ int got;
    int block = blockIdx.x;
    if (threadIdx.x == 0) {
        int round = ++own->rounds[block];
        other->data[block] = 100 * round + block;
        give(&other->flag[block], 2 * round);
        while (look(&own->flag[block]) < 2 * round) continue;
        got = *(volatile int *)&own->data[block];
        give(&other->flag[block], 2 * round + 1); // the next number may come
        while (look(&own->flag[block]) < 2 * round + 1) continue;
    }
    __syncthreads();
    out[block * THREADS + threadIdx.x] += got;
}

// No block goes on before all blocks of both devices have come.
__global__ void meet(mail *own, mail *other, int *out) {
    if (threadIdx.x == 0) {
        atomicAdd_system(&own->met, 1);
        atomicAdd_system(&other->met, 1);
        while (atomicAdd_system(&own->met, 0) < 2 * (int)gridDim.x) continue;
    }
    __syncthreads();
    out[blockIdx.x * THREADS + threadIdx.x] = 7;
}

__global__ void wait_for(const volatile int *flag, int value) {
    while (*flag != value) continue;
}

__global__ void set(volatile int *flag, int value) { *flag = value; }
__global__ void add(int *p, int value) { *p += value; }

static mail *d_mail[2];
static int *d_out[2];
static cudaStream_t streams[2];

static void on(int device) { CUDA_CHECK(cudaSetDevice(device)); }

// Side 1 is device 1, or a second stream of device 0.
static void begin(int devices) {
    for (int i = 0; i < 2; i++) {
        on(i % devices);
        CUDA_CHECK(cudaMalloc(&d_mail[i], sizeof(mail)));
        CUDA_CHECK(cudaMalloc(&d_out[i], BLOCKS * THREADS * sizeof(int)));
        CUDA_CHECK(cudaMemset(d_mail[i], 0, sizeof(mail)));
        CUDA_CHECK(cudaMemset(d_out[i], 0, BLOCKS * THREADS * sizeof(int)));
        CUDA_CHECK(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    }
    for (int i = 0; i < devices; i++) {
        on(i);
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    on(0);
}

static void end(int devices) {
    for (int i = 0; i < 2; i++) {
        on(i % devices);
        CUDA_CHECK(cudaStreamSynchronize(streams[i]));
        CUDA_CHECK(cudaStreamDestroy(streams[i]));
        CUDA_CHECK(cudaFree(d_mail[i]));
        CUDA_CHECK(cudaFree(d_out[i]));
    }
    on(0);
}

static void expect_out(int devices, int first, int each) {
    static int h_out[BLOCKS * THREADS];
    for (int i = 0; i < 2; i++) {
        on(i % devices);
        CUDA_CHECK(cudaStreamSynchronize(streams[i]));
        CUDA_CHECK(cudaMemcpy(h_out, d_out[i], sizeof h_out, cudaMemcpyDeviceToHost));
        for (int k = 0; k < BLOCKS * THREADS; k++) EXPECT(h_out[k] == first + each * (k / THREADS));
    }
}

static void launch_exchange(int i) {
    exchange<<<BLOCKS, THREADS, 0, streams[i]>>>(d_mail[i], d_mail[1 - i], d_out[i]);
    CUDA_CHECK(cudaGetLastError());
}

// All rounds of one side, and then all of the other.
static void in_streams(int devices) {
    begin(devices);
    for (int i = 0; i < 2; i++) {
        on(i % devices);
        for (int round = 0; round < ROUNDS; round++) launch_exchange(i);
    }
    expect_out(devices, 100 * ROUNDS * (ROUNDS + 1) / 2, ROUNDS);
    end(devices);
}

static void all_meet(int devices) {
    begin(devices);
    for (int i = 0; i < 2; i++) {
        on(i % devices);
        meet<<<BLOCKS, THREADS, 0, streams[i]>>>(d_mail[i], d_mail[1 - i], d_out[i]);
        CUDA_CHECK(cudaGetLastError());
    }
    expect_out(devices, 7, 0);
    end(devices);
}

// A graph of some rounds for each side, launched again before its last launch can be done.
static void in_graphs(int devices) {
    cudaGraph_t graph;
    cudaGraphExec_t exec[2];
    begin(devices);
    for (int i = 0; i < 2; i++) {
        on(i % devices);
        CUDA_CHECK(cudaStreamBeginCapture(streams[i], cudaStreamCaptureModeThreadLocal));
        for (int round = 0; round < ROUNDS; round++) launch_exchange(i);
        CUDA_CHECK(cudaStreamEndCapture(streams[i], &graph));
        CUDA_CHECK(cudaGraphInstantiate(&exec[i], graph, 0));
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
    for (int i = 0; i < 2; i++) {
        on(i % devices);
        for (int launch = 0; launch < 2; launch++) CUDA_CHECK(cudaGraphLaunch(exec[i], streams[i]));
        CUDA_CHECK(cudaGraphExecDestroy(exec[i]));
    }
    expect_out(devices, 100 * ROUNDS * (2 * ROUNDS + 1), 2 * ROUNDS);
    end(devices);
}

// One graph with a branch for each side, and work behind both.
static void in_one_graph(int devices) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaEvent_t fork, joined;
    begin(devices);
    CUDA_CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    on(1 % devices);
    CUDA_CHECK(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    on(0);
    CUDA_CHECK(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
    CUDA_CHECK(cudaEventRecord(fork, streams[0]));
    CUDA_CHECK(cudaStreamWaitEvent(streams[1], fork));
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < 2; i++) {
            on(i % devices);
            launch_exchange(i);
        }
    CUDA_CHECK(cudaEventRecord(joined, streams[1]));
    on(0);
    CUDA_CHECK(cudaStreamWaitEvent(streams[0], joined));
    add<<<1, 1, 0, streams[0]>>>(&d_mail[0]->met, 1);
    CUDA_CHECK(cudaStreamEndCapture(streams[0], &graph));
    CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
    for (int launch = 0; launch < 2; launch++) CUDA_CHECK(cudaGraphLaunch(exec, streams[0]));
    expect_out(devices, 100 * ROUNDS * (2 * ROUNDS + 1), 2 * ROUNDS);
    int met = 0;
    CUDA_CHECK(cudaMemcpy(&met, &d_mail[0]->met, sizeof met, cudaMemcpyDeviceToHost));
    EXPECT(met == 2);
    CUDA_CHECK(cudaGraphExecDestroy(exec));
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaEventDestroy(fork));
    CUDA_CHECK(cudaEventDestroy(joined));
    end(devices);
}

static void note(void *data) { *(int *)data = 1; }

// Copies, fills, events and host functions behind a kernel that waits are done when it is.
static void work_behind() {
    cudaEvent_t event;
    int *h_value, noted = 0;
    begin(1);
    CUDA_CHECK(cudaMallocHost(&h_value, sizeof *h_value));
    CUDA_CHECK(cudaEventCreate(&event));
    *h_value = -1;
    wait_for<<<1, 1, 0, streams[0]>>>(&d_mail[0]->flag[0], 3);
    add<<<1, 1, 0, streams[0]>>>(d_out[0], 5);
    CUDA_CHECK(cudaMemcpyAsync(d_out[1], d_out[0], sizeof(int), cudaMemcpyDefault, streams[0]));
    CUDA_CHECK(cudaMemsetAsync(d_out[0] + 1, 1, sizeof(int), streams[0]));
    CUDA_CHECK(cudaMemcpyAsync(h_value, d_out[1], sizeof(int), cudaMemcpyDefault, streams[0]));
    CUDA_CHECK(cudaLaunchHostFunc(streams[0], note, &noted));
    CUDA_CHECK(cudaEventRecord(event, streams[0]));
    CUDA_CHECK(cudaStreamWaitEvent(streams[1], event));
    EXPECT_ERROR(cudaEventQuery(event), cudaErrorNotReady);
    EXPECT_ERROR(cudaStreamQuery(streams[0]), cudaErrorNotReady);
    EXPECT_ERROR(cudaStreamQuery(streams[1]), cudaErrorNotReady);
    EXPECT(*h_value == -1 && !noted);
    set<<<1, 1>>>(&d_mail[0]->flag[0], 3);
    CUDA_CHECK(cudaStreamSynchronize(streams[1]));
    EXPECT(*h_value == 5 && noted);
    CUDA_CHECK(cudaEventQuery(event));
    CUDA_CHECK(cudaEventDestroy(event));
    CUDA_CHECK(cudaFreeHost(h_value));
    end(1);
}

// A kernel waits for a flag that the host sets after the launch, and for a copy.
static void for_the_host() {
    int *h_flag;
    begin(1);
    CUDA_CHECK(cudaMallocHost(&h_flag, sizeof *h_flag));
    *h_flag = 0;
    wait_for<<<1, 1, 0, streams[0]>>>(h_flag, 1);
    add<<<1, 1, 0, streams[0]>>>(d_out[0], 1);
    EXPECT_ERROR(cudaStreamQuery(streams[0]), cudaErrorNotReady);
    *(volatile int *)h_flag = 1;
    while (cudaStreamQuery(streams[0]) == cudaErrorNotReady) continue;
    wait_for<<<1, 1, 0, streams[0]>>>(d_out[1], 2);
    *h_flag = 2;
    CUDA_CHECK(cudaMemcpyAsync(d_out[1], h_flag, sizeof(int), cudaMemcpyDefault, streams[1]));
    CUDA_CHECK(cudaStreamSynchronize(streams[0]));
    CUDA_CHECK(cudaFreeHost(h_flag));
    end(1);
}

__global__ void answer(const volatile int *question, int *data, volatile int *flag) {
    while (*question == 0) continue;
    *data = *question + 1;
    __threadfence_system();
    *flag = 1;
}

// The host asks a kernel of the default stream and polls for the answer, without any call.
static void polled_by_host() {
    int *h_mail;
    CUDA_CHECK(cudaMallocHost(&h_mail, 3 * sizeof *h_mail));
    memset(h_mail, 0, 3 * sizeof *h_mail);
    answer<<<1, 1>>>(h_mail, h_mail + 1, h_mail + 2);
    CUDA_CHECK(cudaGetLastError());
    *(volatile int *)h_mail = 41;
    while (((volatile int *)h_mail)[2] == 0) continue;
    EXPECT(h_mail[1] == 42);
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaFreeHost(h_mail));
}

int main() {
    int count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    for (int devices = 1; devices <= 2 && devices <= count; devices++) {
        if (devices == 2)
            for (int i = 0; i < 2; i++) {
                on(i);
                CUDA_CHECK(cudaDeviceEnablePeerAccess(1 - i, 0));
            }
        in_streams(devices);
        all_meet(devices);
        in_graphs(devices);
        in_one_graph(devices);
    }
    on(0);
    work_behind();
    for_the_host();
    polled_by_host();
    printf("ok\n");
    return 0;
}
