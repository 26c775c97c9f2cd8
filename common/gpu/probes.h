// Kernels that do nothing but read, copy, multiply or start: the speed of light of a device
// (probes.cu). They lie in a library of their own, kl_probes, which the first of these calls loads:
// without it each returns cudaErrorSharedObjectSymbolNotFound.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KL_PROBE_TILE_BYTES = 512 * 4 * 16, // bytes that a block moves in one iteration
    KL_PROBE_FMA_THREADS = 256,
    KL_PROBE_FMA_CHAINS = 16, // independent sums a thread
    KL_PROBE_FMA_ITERATIONS = 8192,
    KL_PROBE_FMA_BLOCKS_AN_SM = 8,
    KL_PROBE_TENSOR_THREADS = 256,
    KL_PROBE_TENSOR_BLOCKS_AN_SM = 4,
    KL_PROBE_TENSOR_BLOCK_PRODUCTS = 1 << 28, // multiply-adds of one block of kl_probe_tensor
};
// Operations of one block of kl_probe_fma.
#define KL_PROBE_FMA_BLOCK_OPS                                                                     \
    (2.0 * KL_PROBE_FMA_THREADS * KL_PROBE_FMA_CHAINS * KL_PROBE_FMA_ITERATIONS)

// Reads d_x: [bytes], a multiple of KL_PROBE_TILE_BYTES, 16-byte aligned, in a grid of `blocks`
// (0: one block per tile). d_sink: one float, written only if the data were all NaN. Returns
// cudaError_t.
int kl_probe_read(const void *d_x, uint64_t bytes, int blocks, float *d_sink);

// Copies d_from to d_to, same rules; moves 2 x bytes.
int kl_probe_copy(const void *d_from, void *d_to, uint64_t bytes, int blocks);

// Fused multiply-adds on registers alone, in a grid of `blocks`. d_sink as above.
int kl_probe_fma(int blocks, float *d_sink);

// probe_tensor.cu: products of halves on tensor cores, in a grid of `blocks`; a device that has
// none, or below compute capability 8.0, cannot run it. d_sink as above.
int kl_probe_tensor(int blocks, float *d_sink);

// Keeps the device busy for `cycles` of its clock with one thread, without touching memory.
int kl_probe_delay(uint64_t cycles);

// Starts an empty kernel of one thread `count` times.
int kl_probe_launch(int count);

#ifdef __cplusplus
}
#endif
