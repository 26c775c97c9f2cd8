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

static const check_case cases[] = {
#include "check_children.def"
};

int main(int argc, char **argv) {
    return run_check_case(cases, sizeof cases / sizeof *cases, argc == 2 ? argv[1] : "");
}
