// Streams.
// engine: yes
#include "../check.h"

// Order between streams: events that one stream waits for, host functions, callbacks, priorities,
// queries that end.
namespace stream_order {

__global__ void set(int *at, int value) { *at = value; }

__global__ void add(int *at, const int *from) { *at += *from; }

static void CUDART_CB note(void *data) { ++*(int *)data; }

static void CUDART_CB call_back(cudaStream_t, cudaError_t status, void *data) {
    if (status == cudaSuccess) *(int *)data += 10;
}

static void run_all() {
    int *device, result = 0, notes = 0, least, greatest, priority;
    cudaStream_t first, second;
    cudaEvent_t done;
    CUDA_CHECK(cudaMalloc(&device, 2 * sizeof(int)));
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT(greatest <= least);
    CUDA_CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, greatest));
    CUDA_CHECK(cudaStreamGetPriority(second, &priority));
    EXPECT(priority == greatest);
    CUDA_CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));

    set<<<1, 1, 0, first>>>(device, 40);
    CUDA_CHECK(cudaEventRecord(done, first));
    CUDA_CHECK(cudaStreamWaitEvent(second, done, 0));
    set<<<1, 1, 0, second>>>(device + 1, 2);
    add<<<1, 1, 0, second>>>(device, device + 1);
    CUDA_CHECK(cudaMemcpyAsync(&result, device, sizeof result, cudaMemcpyDeviceToHost, second));
    CUDA_CHECK(cudaLaunchHostFunc(second, note, &notes));
    CUDA_CHECK(cudaStreamAddCallback(second, call_back, &notes, 0));
    cudaError_t state;
    while ((state = cudaStreamQuery(second)) == cudaErrorNotReady) {}
    CUDA_CHECK(state);
    CUDA_CHECK(cudaStreamSynchronize(second));
    EXPECT(result == 42);
    EXPECT(notes == 11);
    CUDA_CHECK(cudaEventQuery(done));
    CUDA_CHECK(cudaEventDestroy(done));
    CUDA_CHECK(cudaStreamDestroy(first));
    CUDA_CHECK(cudaStreamDestroy(second));
}

} // namespace stream_order

// Copy, compute, copy back in chunks over several streams: right results, and by the events' clock
// faster than the same work in one stream.
namespace streams {

const int CHUNKS = 4, CHUNK = 1 << 18;

__global__ void work(float *data, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] = data[i] * 2 + 1;
}

static float run(float *host, float *device, cudaStream_t *streams, int stream_count) {
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int i = 0; i < CHUNKS * CHUNK; i++) host[i] = (float)(i % 1000);
    CUDA_CHECK(cudaEventRecord(start));
    for (int c = 0; c < CHUNKS; c++) {
        cudaStream_t stream = streams[c % stream_count];
        float *h = host + c * CHUNK, *d = device + c * CHUNK;
        CUDA_CHECK(cudaMemcpyAsync(d, h, CHUNK * sizeof(float), cudaMemcpyHostToDevice, stream));
        work<<<CHUNK / 256, 256, 0, stream>>>(d, CHUNK);
        CUDA_CHECK(cudaGetLastError());
        CUDA_CHECK(cudaMemcpyAsync(h, d, CHUNK * sizeof(float), cudaMemcpyDeviceToHost, stream));
    }
    CUDA_CHECK(cudaEventRecord(stop));
    CUDA_CHECK(cudaEventSynchronize(stop));
    float ms = 0;
    CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
    for (int i = 0; i < CHUNKS * CHUNK; i++) EXPECT(host[i] == (float)(i % 1000) * 2 + 1);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return ms;
}

static void run_all() {
    float *host, *device;
    cudaStream_t streams[CHUNKS];
    CUDA_CHECK(cudaMallocHost(&host, CHUNKS * CHUNK * sizeof(float)));
    CUDA_CHECK(cudaMalloc(&device, CHUNKS * CHUNK * sizeof(float)));
    for (cudaStream_t &stream : streams) CUDA_CHECK(cudaStreamCreate(&stream));
    run(host, device, streams, 1); // warm up
    float one = run(host, device, streams, 1), many = run(host, device, streams, CHUNKS);
    printf("one stream %.3f ms, %d streams %.3f ms\n", one, CHUNKS, many);
    EXPECT(one > 0 && many > 0 && many < one);
    for (cudaStream_t stream : streams) CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(device));
    CUDA_CHECK(cudaFreeHost(host));
}

} // namespace streams

int main() { return run_parts({stream_order::run_all, streams::run_all}); }
