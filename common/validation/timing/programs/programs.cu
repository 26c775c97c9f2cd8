// Times of small programs on two devices: copies, overlap, graphs, peers, a halo exchange, an
// all-reduce; from an event before to an event behind, on device 0: "number: median least most
// name", in microseconds, of 9 runs. device/links.def has its constants from those of odd numbers,
// the even ones are only reported. programs_h200.txt: two H200s' times (CUDA 13.0, driver 580).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <functional>
#include <vector>

#include "../../check.h"

static cudaStream_t s[8], t[8]; // of device 0, of device 1
static cudaEvent_t begin, end, e[8], f[8];
static float *d0, *d1, *pinned, *pinned2, *pageable;
static const size_t MB = 1 << 20;
static int runs = 10; // the first one does not count; what is modelled is the same each time

__global__ void empty() {}
__global__ void spin(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles) {}
}
__global__ void scale(float *p, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = gridDim.x * (size_t)blockDim.x;
    for (; i < n; i += step) p[i] = 2 * p[i] + 1;
}
__global__ void move(float4 *to, const float4 *from, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = gridDim.x * (size_t)blockDim.x;
    for (; i < n; i += step) to[i] = from[i];
}
__global__ void chase(const int *p, int steps, int *out) {
    int at = 0;
    for (int i = 0; i < steps; i++) at = p[at];
    *out = at;
}
static void on(int device) { cudaSetDevice(device); }
// What is in t[i] begins behind s[0] and ends before it.
static void fork_to(cudaStream_t to, int i) {
    cudaEventRecord(e[i], s[0]), cudaStreamWaitEvent(to, e[i]);
}
static void join0(cudaStream_t from, int i) {
    cudaEventRecord(e[i], from), cudaStreamWaitEvent(s[0], e[i]);
}
static void join1(cudaStream_t from, int i) {
    on(1), cudaEventRecord(f[i], from), on(0), cudaStreamWaitEvent(s[0], f[i]);
}

static void time_it(int number, const char *name, std::function<void()> work) {
    std::vector<float> us;
    for (int i = 0; i < runs; i++) {
        on(0), cudaDeviceSynchronize(), on(1), cudaDeviceSynchronize(), on(0);
        cudaEventRecord(begin, s[0]);
        work();
        on(0);
        cudaEventRecord(end, s[0]);
        cudaEventSynchronize(end);
        float ms = 0;
        cudaEventElapsedTime(&ms, begin, end);
        if (i > 0) us.push_back(1000 * ms);
    }
    std::sort(us.begin(), us.end());
    cudaError_t error = cudaGetLastError();
    printf("%03d: %.2f %.2f %.2f  %s%s%s\n", number, us[us.size() / 2], us.front(), us.back(), name,
           error ? " " : "", error ? cudaGetErrorName(error) : "");
    fflush(stdout);
}
static void up(size_t bytes, cudaStream_t q, size_t at = 0) {
    cudaMemcpyAsync((char *)d0 + at, (char *)pinned + at, bytes, cudaMemcpyHostToDevice, q);
}
static void down(size_t bytes, cudaStream_t q, size_t at = 0) {
    cudaMemcpyAsync((char *)pinned2 + at, (char *)d0 + at, bytes, cudaMemcpyDeviceToHost, q);
}

int main() {
    const size_t bytes = 64 * MB;
    int devices = 0;
    CHECK(cudaGetDeviceCount(&devices));
    if (devices < 2) {
        fprintf(stderr, "there is one device, and two are timed (LADDER_SIM_DEVICES=2)\n");
        return 1;
    }
    cudaDeviceProp about;
    CHECK(cudaGetDeviceProperties(&about, 0));
    if (strstr(about.name, "simulated")) runs = 2;
    on(1);
    for (int i = 0; i < 8; i++)
        cudaStreamCreateWithFlags(&t[i], cudaStreamNonBlocking),
            cudaEventCreateWithFlags(&f[i], cudaEventDisableTiming);
    cudaMalloc(&d1, bytes), cudaMemset(d1, 0, bytes);
    on(0);
    for (int i = 0; i < 8; i++)
        cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking),
            cudaEventCreateWithFlags(&e[i], cudaEventDisableTiming);
    cudaEventCreate(&begin), cudaEventCreate(&end);
    cudaMalloc(&d0, bytes), cudaMemset(d0, 0, bytes);
    cudaMallocHost(&pinned, bytes), cudaMallocHost(&pinned2, bytes);
    pageable = (float *)malloc(bytes);
    for (size_t i = 0; i < bytes / 4; i++) pageable[i] = pinned[i] = pinned2[i] = 0;
    float *d = d0, *x = d1;
    time_it(
        701, "nothing", [] {});
    time_it(
        702, "one empty kernel", [] { empty<<<1, 1, 0, s[0]>>>(); });
    time_it(
        703, "20 empty kernels",
        [] {
            for (int i = 0; i < 20; i++) empty<<<1, 1, 0, s[0]>>>();
        });
    time_it(
        704, "200 empty kernels",
        [] {
            for (int i = 0; i < 200; i++) empty<<<1, 1, 0, s[0]>>>();
        });
    time_it(
        705, "pinned H2D 4 KiB", [] { up(4096, s[0]); });
    time_it(
        706, "pinned H2D 64 KiB", [] { up(65536, s[0]); });
    time_it(
        707, "pinned H2D 1 MiB", [] { up(MB, s[0]); });
    time_it(
        708, "pinned H2D 16 MiB", [] { up(16 * MB, s[0]); });
    time_it(
        709, "pinned D2H 4 KiB", [] { down(4096, s[0]); });
    time_it(
        710, "pinned D2H 16 MiB", [] { down(16 * MB, s[0]); });
    time_it(
        711, "pageable H2D 1 MiB",
        [=] { cudaMemcpyAsync(d, pageable, MB, cudaMemcpyHostToDevice, s[0]); });
    time_it(
        712, "pageable D2H 4 MiB",
        [=] { cudaMemcpyAsync(pageable, d, 4 * MB, cudaMemcpyDeviceToHost, s[0]); });
    time_it(
        713, "pageable H2D 16 MiB",
        [=] { cudaMemcpyAsync(d, pageable, 16 * MB, cudaMemcpyHostToDevice, s[0]); });
    time_it(
        714, "16 copies H2D of 64 KiB",
        [] {
            for (int i = 0; i < 16; i++) up(65536, s[0], i * 65536);
        });
    time_it(
        715, "both ways, 16 MiB each",
        [] { fork_to(s[1], 0), up(16 * MB, s[0]), down(16 * MB, s[1], 32 * MB), join0(s[1], 1); });
    time_it(716, "in, compute, out of 16 MiB", [=] {
        up(16 * MB, s[0]), scale<<<528, 256, 0, s[0]>>>(d, 4 * MB), down(16 * MB, s[0]);
    });
    time_it(717, "the same in 4 chunks, 2 streams", [=] {
        fork_to(s[1], 0);
        for (int i = 0; i < 4; i++)
            up(4 * MB, s[i & 1], i * 4 * MB), scale<<<132, 256, 0, s[i & 1]>>>(d + i * MB, MB),
                down(4 * MB, s[i & 1], i * 4 * MB);
        join0(s[1], 1);
    });
    time_it(
        718, "the same in 8 chunks, 4 streams",
        [=] {
            for (int i = 1; i < 4; i++) fork_to(s[i], i);
            for (int i = 0; i < 8; i++)
                up(2 * MB, s[i & 3], i * 2 * MB),
                    scale<<<132, 256, 0, s[i & 3]>>>(d + i * MB / 2, MB / 2),
                    down(2 * MB, s[i & 3], i * 2 * MB);
            for (int i = 1; i < 4; i++) join0(s[i], i + 3);
        });
    time_it(
        719, "D2D 16 MiB",
        [=] { cudaMemcpyAsync(d, d + 8 * MB, 16 * MB, cudaMemcpyDeviceToDevice, s[0]); });
    time_it(
        720, "memset 16 MiB", [=] { cudaMemsetAsync(d, 0, 16 * MB, s[0]); });
    time_it(721, "4 kernels of 100,000 cycles, one stream", [] {
        for (int i = 0; i < 4; i++) spin<<<1, 32, 0, s[0]>>>(100000);
    });
    time_it(
        722, "4 kernels of 100,000 cycles, 4 streams",
        [] {
            for (int i = 1; i < 4; i++) fork_to(s[i], i);
            for (int i = 0; i < 4; i++) spin<<<1, 32, 0, s[i]>>>(100000);
            for (int i = 1; i < 4; i++) join0(s[i], i + 3);
        });
    time_it(
        723, "kernel on device 1 between two events",
        [] { fork_to(t[0], 0), on(1), empty<<<1, 1, 0, t[0]>>>(), join1(t[0], 0); });
    time_it(724, "kernels of 100,000 cycles on both devices", [] {
        fork_to(t[0], 0), spin<<<1, 32, 0, s[0]>>>(100000), on(1), spin<<<1, 32, 0, t[0]>>>(100000),
            join1(t[0], 0);
    });
    cudaGraph_t graph;
    cudaGraphExec_t chain, wide;
    cudaStreamBeginCapture(s[2], cudaStreamCaptureModeGlobal);
    for (int i = 0; i < 20; i++) empty<<<1, 1, 0, s[2]>>>();
    cudaStreamEndCapture(s[2], &graph), cudaGraphInstantiate(&chain, graph, 0);
    time_it(725, "graph of a chain of 20 empty kernels", [=] { cudaGraphLaunch(chain, s[0]); });
    cudaStreamBeginCapture(s[2], cudaStreamCaptureModeGlobal);
    for (int k = 0; k < 5; k++) {
        cudaEventRecord(e[0], s[2]);
        for (int i = 3; i < 6; i++)
            cudaStreamWaitEvent(s[i], e[0]), empty<<<1, 1, 0, s[i]>>>(),
                cudaEventRecord(e[i], s[i]), cudaStreamWaitEvent(s[2], e[i]);
        empty<<<1, 1, 0, s[2]>>>();
    }
    cudaStreamEndCapture(s[2], &graph), cudaGraphInstantiate(&wide, graph, 0);
    time_it(
        726, "graph of 5 times 3 kernels and 1", [=] { cudaGraphLaunch(wide, s[0]); });
    time_it(
        727, "peer copy 16 MiB without access",
        [=] { cudaMemcpyPeerAsync(x, 1, d, 0, 16 * MB, s[0]); });
    time_it(728, "peer copy 1 MiB without access",
            [=] { cudaMemcpyPeerAsync(x, 1, d, 0, MB, s[0]); });
    cudaDeviceEnablePeerAccess(1, 0), on(1), cudaDeviceEnablePeerAccess(0, 0), on(0);
    time_it(
        729, "peer copy 4 KiB", [=] { cudaMemcpyPeerAsync(x, 1, d, 0, 4096, s[0]); });
    time_it(
        730, "peer copy 64 KiB", [=] { cudaMemcpyPeerAsync(x, 1, d, 0, 65536, s[0]); });
    time_it(
        731, "peer copy 1 MiB", [=] { cudaMemcpyPeerAsync(x, 1, d, 0, MB, s[0]); });
    time_it(732, "peer copy 16 MiB", [=] { cudaMemcpyPeerAsync(x, 1, d, 0, 16 * MB, s[0]); });
    time_it(733, "peer copies both ways, 16 MiB", [=] {
        fork_to(t[0], 0), cudaMemcpyPeerAsync(x, 1, d, 0, 16 * MB, s[0]);
        on(1), cudaMemcpyPeerAsync(d + 8 * MB, 0, x + 8 * MB, 1, 16 * MB, t[0]), join1(t[0], 0);
    });
    time_it(
        734, "peer copies both ways, 1 MiB",
        [=] {
            fork_to(t[0], 0), cudaMemcpyPeerAsync(x, 1, d, 0, MB, s[0]);
            on(1), cudaMemcpyPeerAsync(d + 8 * MB, 0, x + 8 * MB, 1, MB, t[0]), join1(t[0], 0);
        });
    time_it(
        735, "kernel reads peer, 16 MiB, 132 blocks",
        [=] { move<<<132, 1024, 0, s[0]>>>((float4 *)d, (float4 *)x, MB); });
    time_it(
        736, "kernel reads peer, 16 MiB, 16 blocks",
        [=] { move<<<16, 1024, 0, s[0]>>>((float4 *)d, (float4 *)x, MB); });
    time_it(
        737, "kernel writes peer, 16 MiB, 132 blocks",
        [=] { move<<<132, 1024, 0, s[0]>>>((float4 *)x, (float4 *)d, MB); });
    time_it(738, "kernel copies on its device, 16 MiB, 132 blocks",
            [=] { move<<<132, 1024, 0, s[0]>>>((float4 *)d + 2 * MB, (float4 *)d, MB); });
    int *links = (int *)x, *own = (int *)d;
    on(1), cudaMemset(x, 0, 4096), on(0), cudaMemset(d, 0, 4096);
    time_it(
        739, "1,000 dependent loads of a peer",
        [=] { chase<<<1, 1, 0, s[0]>>>(links, 1000, own + 64); });
    time_it(740, "1,000 dependent loads, own",
            [=] { chase<<<1, 1, 0, s[0]>>>(own, 1000, own + 64); });
    // a halo exchange: boundary, then rows each way beside the interior
    auto halo = [=](size_t row, int steps) {
        fork_to(t[0], 0);
        for (int k = 0; k < steps; k++) {
            scale<<<4, 256, 0, s[0]>>>(d, row), on(1), scale<<<4, 256, 0, t[0]>>>(x, row);
            on(0), cudaEventRecord(e[1], s[0]), on(1), cudaEventRecord(f[1], t[0]);
            on(0), cudaMemcpyPeerAsync(x + 8 * MB, 1, d, 0, row * 4, s[0]),
                scale<<<132, 256, 0, s[0]>>>(d + MB, MB);
            on(1), cudaMemcpyPeerAsync(d + 8 * MB, 0, x, 1, row * 4, t[0]),
                scale<<<132, 256, 0, t[0]>>>(x + MB, MB);
            on(0), cudaEventRecord(e[2], s[0]), cudaStreamWaitEvent(s[0], f[1]);
            on(1), cudaEventRecord(f[2], t[0]), cudaStreamWaitEvent(t[0], e[2]);
            on(0), cudaStreamWaitEvent(s[0], f[2]);
        }
        join1(t[0], 0);
    };
    time_it(
        741, "halo exchange, row of 8,192, 1 step", [=] { halo(8192, 1); });
    time_it(742, "halo exchange, row of 8,192, 10 steps", [=] { halo(8192, 10); });
    // all-reduce over two by copies: halves exchanged, added, exchanged
    auto all_reduce = [=](size_t n) {
        fork_to(t[0], 0);
        cudaMemcpyPeerAsync(x + 8 * MB, 1, d, 0, n * 2, s[0]), cudaEventRecord(e[1], s[0]);
        on(1), cudaMemcpyPeerAsync(d + 8 * MB, 0, x + n / 2, 1, n * 2, t[0]),
            cudaEventRecord(f[1], t[0]);
        on(0), cudaStreamWaitEvent(s[0], f[1]), scale<<<132, 256, 0, s[0]>>>(d, n / 2);
        on(1), cudaStreamWaitEvent(t[0], e[1]), scale<<<132, 256, 0, t[0]>>>(x, n / 2);
        on(0), cudaMemcpyPeerAsync(x, 1, d, 0, n * 2, s[0]);
        on(1), cudaMemcpyPeerAsync(d + n / 2, 0, x + n / 2, 1, n * 2, t[0]), join1(t[0], 0);
    };
    time_it(
        743, "all-reduce of 1 MiB by copies", [=] { all_reduce(MB / 4); });
    time_it(
        744, "all-reduce of 16 MiB by copies", [=] { all_reduce(4 * MB); });
    time_it(
        745, "D2D 4 KiB",
        [=] { cudaMemcpyAsync(d, d + MB, 4096, cudaMemcpyDeviceToDevice, s[0]); });
    time_it(746, "memset 4 KiB", [=] { cudaMemsetAsync(d, 0, 4096, s[0]); });
    return 0;
}
