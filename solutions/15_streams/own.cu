// SPDX-License-Identifier: MIT
// A problem of your own (labs/15_streams/README.md): where a film changes most, with device memory
// for a few frames. A whole program: compile it with
//   nvcc -cudart shared -lineinfo own.cu -o own
// counts: l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum
#include "../../labs/own.cuh"

enum { FRAMES = 240, WIDTH = 320, HEIGHT = 240, PIXELS = WIDTH * HEIGHT, VECTORS = PIXELS / 16 };
enum { CHUNK = 15, CHUNKS = FRAMES / CHUNK, SLOTS = 3, THREADS = 160 };

// A thread has 16 pixels and goes through the frames of a chunk, so that each frame is read once.
// d_film: [CHUNK][VECTORS]; d_last: [VECTORS], the frame before the chunk, then its last one;
// d_change: [CHUNK], sums of absolute differences, zero before.
__global__ void changes(const uint4 *d_film, uint4 *d_last, unsigned *d_change) {
    int v = blockIdx.x * THREADS + threadIdx.x;
    uint4 before = d_last[v];
    for (int f = 0; f < CHUNK; f++) {
        uint4 now = d_film[f * VECTORS + v];
        unsigned sum = __vsadu4(now.x, before.x) + __vsadu4(now.y, before.y) +
                       __vsadu4(now.z, before.z) + __vsadu4(now.w, before.w);
        for (int width = 16; width > 0; width /= 2) sum += __shfl_down_sync(~0u, sum, width);
        if (threadIdx.x % 32 == 0) atomicAdd(&d_change[f], sum);
        before = now;
    }
    d_last[v] = before;
}

// A bright square that moves, ever faster up to frame 100.
static void make_film(uint8_t *film) {
    for (int f = 0; f < FRAMES; f++) {
        int speed = f < 100 ? f / 10 : 3, left = (f * speed) % (WIDTH - 40);
        for (int p = 0; p < PIXELS; p++) {
            int x = p % WIDTH - left, y = p / WIDTH - 100;
            bool bright = x >= 0 && x < 40 && y >= 0 && y < 40;
            film[(size_t)f * PIXELS + p] = (uint8_t)(bright ? 200 : p * 7 % 64);
        }
    }
}

static void change_on_host(const uint8_t *film, unsigned *change) {
    for (int f = 0; f < FRAMES; f++) {
        change[f] = 0;
        for (int p = 0; p < PIXELS; p++) {
            int before = f > 0 ? film[(size_t)(f - 1) * PIXELS + p] : 0;
            change[f] += (unsigned)abs(film[(size_t)f * PIXELS + p] - before);
        }
    }
}

static int brightest_change(const unsigned *change) {
    int most = 1;
    for (int f = 2; f < FRAMES; f++)
        if (change[f] > change[most]) most = f;
    return most;
}

int main() {
    static unsigned wanted[FRAMES];
    uint8_t *film;
    uint4 *d_film, *d_last;
    unsigned *change, *d_change;
    cudaStream_t in, compute;
    cudaEvent_t here[SLOTS], done[SLOTS];
    must(cudaMallocHost(&film, (size_t)FRAMES * PIXELS));
    must(cudaMallocHost(&change, FRAMES * sizeof *change));
    must(cudaMalloc(&d_film, (size_t)SLOTS * CHUNK * PIXELS));
    must(cudaMalloc(&d_last, PIXELS));
    must(cudaMalloc(&d_change, FRAMES * sizeof *d_change));
    must(cudaStreamCreate(&in));
    must(cudaStreamCreate(&compute));
    for (int s = 0; s < SLOTS; s++) {
        must(cudaEventCreateWithFlags(&here[s], cudaEventDisableTiming));
        must(cudaEventCreateWithFlags(&done[s], cudaEventDisableTiming));
    }
    make_film(film);
    must(cudaMemsetAsync(d_last, 0, PIXELS, compute));
    must(cudaMemsetAsync(d_change, 0, FRAMES * sizeof *d_change, compute));
    for (int k = 0; k < CHUNKS; k++) {
        int s = k % SLOTS;
        uint4 *d_slot = d_film + s * CHUNK * VECTORS;
        if (k >= SLOTS) must(cudaStreamWaitEvent(in, done[s], 0));
        must(cudaMemcpyAsync(d_slot, film + (size_t)k * CHUNK * PIXELS, CHUNK * PIXELS,
                             cudaMemcpyHostToDevice, in));
        must(cudaEventRecord(here[s], in));
        must(cudaStreamWaitEvent(compute, here[s], 0));
        changes<<<VECTORS / THREADS, THREADS, 0, compute>>>(d_slot, d_last, d_change + k * CHUNK);
        must(cudaGetLastError());
        must(cudaEventRecord(done[s], compute));
    }
    must(cudaMemcpyAsync(change, d_change, FRAMES * sizeof *change, cudaMemcpyDeviceToHost,
                         compute));
    must(cudaStreamSynchronize(compute));
    change_on_host(film, wanted);
    bool same = memcmp(wanted, change, sizeof wanted) == 0;
    printf("%s: most changes in frame %d\n", same ? "right" : "wrong", brightest_change(change));
    for (int s = 0; s < SLOTS; s++) {
        must(cudaEventDestroy(here[s]));
        must(cudaEventDestroy(done[s]));
    }
    must(cudaStreamDestroy(in));
    must(cudaStreamDestroy(compute));
    must(cudaFree(d_film));
    must(cudaFree(d_last));
    must(cudaFree(d_change));
    must(cudaFreeHost(film));
    must(cudaFreeHost(change));
    return same ? 0 : 1;
}
