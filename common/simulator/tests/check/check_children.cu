// Launches from kernels: what a launch orders, and what it does not. See check_case.h.
// options: -rdc=true
#include "check_case.h"

__global__ void copy(float *y, const float *x) {
    unsigned i = blockIdx.x * BLOCK + threadIdx.x;
    y[i] = x[i] + 1;
}

// The parent goes on reading what its child writes, as if a launch were a call.
__global__ void expects(float *y, const float *x, float *z, bool waits) {
    unsigned t = threadIdx.x;
    if (t == 0 && !waits) copy<<<1, BLOCK>>>(y, x);
    __syncthreads();
    z[t] = waits ? 0 : y[t];
    if (t == 0 && waits) copy<<<1, BLOCK>>>(y, x);
}

// The input of the child is written before, or after, the launch.
__global__ void prepares(float *y, float *z, bool before) {
    unsigned t = threadIdx.x;
    if (before) z[t] = (float)t;
    __syncthreads();
    if (t == 0) copy<<<1, BLOCK>>>(y, z);
    __syncthreads();
    if (!before) z[t] = (float)t;
}

// Two children, the second of which reads what the first one writes: in one stream or in two.
__global__ void in_turn(float *y, float *z, const float *x, bool one_stream) {
    cudaStream_t s = nullptr;
    if (!one_stream) cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    copy<<<1, BLOCK>>>(z, x);
    copy<<<1, BLOCK, 0, s>>>(y, z);
}

// Blocks have NULL streams of their own.
__global__ void of_blocks(float *y, const float *x, bool apart) {
    copy<<<1, BLOCK>>>(y + (apart ? BLOCK * blockIdx.x : 0), x + BLOCK * blockIdx.x);
}

// A tail launch sees what all children did, fire and forget too.
__global__ void at_last(float *y, float *z, const float *x, bool tail) {
    copy<<<1, BLOCK, 0, cudaStreamFireAndForget>>>(z, x);
    copy<<<1, BLOCK, 0, tail ? cudaStreamTailLaunch : cudaStreamFireAndForget>>>(y, z);
}

// The grandchild of one stream against the child of another.
__global__ void passes_on(float *z, const float *x) {
    copy<<<1, BLOCK>>>(z, x);
}

__global__ void nested(float *y, float *z, const float *x, bool one_stream) {
    passes_on<<<1, 1>>>(z, x);
    copy<<<1, BLOCK, 0, one_stream ? nullptr : cudaStreamFireAndForget>>>(y, z);
}

__global__ void reads_unset(float *y, float *z, bool set) {
    if (set)
        for (int i = 0; i < BLOCK; i++) z[i] = 0;
    copy<<<1, BLOCK>>>(y, z);
}

// finds grid-race: write at check_children.cu:[0-9]+\n.*y.i. = x.i. . 1.*read at .*y.t
//   ~ parent grid goes on
//   advice TAIL_LAUNCH
PAIR(child_expected, expects<<<1, BLOCK>>>(d_y, d_x, d_z, right));
// finds grid-race: read at .*write at .*z.t. = .float.t.*parent grid goes on
PAIR(child_input, prepares<<<1, BLOCK>>>(d_y, d_z, right));
// finds grid-race: different streams
//   advice ONE_CHILD_STREAM
PAIR(child_streams, in_turn<<<1, 1>>>(d_y, d_z, d_x, right));
// finds grid-race: different streams
PAIR(child_blocks, of_blocks<<<2, 1>>>(d_y, d_x, right));
// finds grid-race: different streams.*or a tail launch
PAIR(child_tail, at_last<<<1, 1>>>(d_y, d_z, d_x, right));
// finds grid-race: different streams
PAIR(child_nested, nested<<<1, 1>>>(d_y, d_z, d_x, right));
// finds uninitialised: y.i. = x.i. . 1
PAIR(child_unset, reads_unset<<<1, 1>>>(d_y, d_z, right));
