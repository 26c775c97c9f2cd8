// Texture units: latency and cost of fetches from linear memory and from an area, by texel and by
// how many lanes lie in a row.
#include "micro.h"

#include <string.h>

enum { WIDTH = 64, HEIGHT = 1024, THREADS = 1024, WARPS = THREADS / MICRO_WARP };

// run.bytes is the texture object.
template <typename T, bool LINEAR> static __device__ T fetch(const micro_run &run, int x, int y) {
    cudaTextureObject_t texture = (cudaTextureObject_t)run.bytes;
    return LINEAR ? tex1Dfetch<T>(texture, y * WIDTH + x) : tex2D<T>(texture, x + 0.5f, y + 0.5f);
}

static __device__ uint32_t sum_of(float v) { return __float_as_uint(v); }

static __device__ uint32_t sum_of(float4 v) {
    return sum_of(v.x) + sum_of(v.y) + sum_of(v.z) + sum_of(v.w);
}

// run.lanes lanes lie in one row. Each fetch needs the one before.
template <typename T, bool LINEAR> static __global__ void chase(micro_run run) {
    int lane = threadIdx.x % MICRO_WARP, x = lane % run.lanes, y = lane / run.lanes;
    MICRO_TIMED(x += (int)sum_of(fetch<T, LINEAR>(run, x, y)));
    MICRO_DONE(x);
}

// Each warp goes through rows of its own.
template <typename T, bool LINEAR> static __global__ void stream(micro_run run) {
    int lane = threadIdx.x % MICRO_WARP, x = lane % run.lanes;
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / MICRO_WARP * MICRO_WARP + lane / run.lanes;
    uint32_t sum = 0;
    long long begin = clock64();
#pragma unroll 4
    for (int i = 0; i < run.rounds; i++)
        sum += sum_of(fetch<T, LINEAR>(run, x, (row + i * MICRO_WARP) % HEIGHT));
    long long end = clock64();
    MICRO_DONE(sum);
}

static cudaTextureObject_t texture_of(bool linear, cudaChannelFormatDesc texel, size_t bytes) {
    struct cudaResourceDesc memory;
    struct cudaTextureDesc access;
    cudaTextureObject_t texture;
    memset(&memory, 0, sizeof memory);
    memset(&access, 0, sizeof access); // zeros: texels as they are
    if (linear) {
        memory.resType = cudaResourceTypeLinear;
        memory.res.linear.devPtr = micro_default.data;
        memory.res.linear.desc = texel;
        memory.res.linear.sizeInBytes = WIDTH * HEIGHT * bytes;
    } else {
        memory.resType = cudaResourceTypePitch2D;
        memory.res.pitch2D.devPtr = micro_default.data;
        memory.res.pitch2D.desc = texel;
        memory.res.pitch2D.width = WIDTH;
        memory.res.pitch2D.height = HEIGHT;
        memory.res.pitch2D.pitchInBytes = WIDTH * bytes;
    }
    CHECK(cudaCreateTextureObject(&texture, &memory, &access, NULL));
    return texture;
}

template <typename T, bool LINEAR> static void fetches(const char *name) {
    micro_run run = micro_default;
    run.bytes = texture_of(LINEAR, cudaCreateChannelDesc<T>(), sizeof(T));
    for (int lanes = MICRO_WARP; lanes >= 1; lanes /= 2) {
        run.lanes = lanes;
        run.rounds = 16;
        run.laps = 2;
        micro_row(micro_cycles(chase<T, LINEAR>, 1, MICRO_WARP, run) /
                      (run.rounds * (double)MICRO_REPEATS),
                  "cycles", "one warp, dependent fetches, that many lanes in a row",
                  "latency_texture_%s_%d", name, lanes);
        run.rounds = 256;
        run.laps = 1;
        micro_row(micro_cycles(stream<T, LINEAR>, micro_sms, THREADS, run) /
                      (run.rounds * (double)WARPS),
                  "cycles/instruction/SM", "32 warps, each through rows of its own",
                  "cost_texture_%s_%d", name, lanes);
    }
    CHECK(cudaDestroyTextureObject((cudaTextureObject_t)run.bytes));
}

void micro_textures(void) {
    CHECK(cudaMemset(micro_default.data, 0, WIDTH * HEIGHT * sizeof(float4)));
    fetches<float, true>("1d_float");
    fetches<float4, true>("1d_float4");
    fetches<float, false>("2d_float");
    fetches<float4, false>("2d_float4");
}
