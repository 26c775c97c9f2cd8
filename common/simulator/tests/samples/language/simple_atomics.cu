// SPDX-License-Identifier: MIT
// Every atomic intrinsic on global and shared memory, integers of both widths, floats, doubles,
// halves of words by compare-and-swap, block and system scopes; each result has one right answer in
// any order.
#include "../helper.h"

struct Results {
    int add, sub, exchLow, max, min;
    unsigned inc, dec, cas, bitAnd, bitOr, bitXor;
    unsigned long long add64, max64, or64;
    long long min64;
    float addFloat, exchFloat;
    double addDouble;
    unsigned scopes;
    unsigned short halves[2];
};

// of_block: no other block updates them.
__device__ void update(Results *r, int tid, bool of_block) {
    atomicAdd(&r->add, 10);
    atomicSub(&r->sub, 10);
    atomicExch(&r->exchLow, tid);
    atomicMax(&r->max, tid);
    atomicMin(&r->min, tid - 3);
    atomicInc(&r->inc, 17);
    atomicDec(&r->dec, 137);
    atomicCAS(&r->cas, (unsigned)(tid - 1), (unsigned)tid);
    atomicAnd(&r->bitAnd, 2 * tid + 7);
    atomicOr(&r->bitOr, 1 << (tid % 31));
    atomicXor(&r->bitXor, tid);
    atomicAdd(&r->add64, 1ull << 33);
    atomicMax(&r->max64, (unsigned long long)tid << 32);
    atomicMin(&r->min64, -(long long)tid * 5000000000ll);
    atomicOr(&r->or64, 1ull << (tid % 64));
    atomicAdd(&r->addFloat, 0.5f);
    atomicExch(&r->exchFloat, (float)tid);
    atomicAdd(&r->addDouble, 0.25);
    if (of_block) atomicAdd_block(&r->scopes, 1u);
    else atomicAdd_system(&r->scopes, 1u);
    unsigned *word = (unsigned *)r->halves, old = *word, assumed;
    do {
        assumed = old;
        unsigned low = (assumed & 0xffff) + 1, high = (assumed >> 16) + 2;
        old = atomicCAS(word, assumed, low | high << 16);
    } while (old != assumed);
}

__global__ void globalAtomics(Results *r, int n) {
    int tid = blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < n) update(r, tid, false);
}

__global__ void sharedAtomics(Results *out, const Results *start, int n) {
    __shared__ Results r;
    if (threadIdx.x == 0) r = *start;
    __syncthreads();
    for (int tid = threadIdx.x; tid < n; tid += blockDim.x) update(&r, tid, true);
    __syncthreads();
    if (threadIdx.x == 0) *out = r;
}

static bool check(const char *name, const Results &r, int n, bool oneBlock) {
    unsigned dec = 0, inc = 0, bitXor = 0, bitAnd = 0xff;
    for (int i = 0; i < n; i++) {
        inc = inc >= 17 ? 0 : inc + 1;
        dec = dec == 0 || dec > 137 ? 137 : dec - 1;
        bitXor ^= i;
        bitAnd &= 2 * i + 7;
    }
    printf("%s: %d %d %d %d %u %u %u %08x %u %llu %.1f %.2f %u\n", name, r.add, r.sub, r.max, r.min,
           r.inc, r.dec, r.bitAnd, r.bitOr, r.bitXor, r.add64 >> 33, r.addFloat, r.addDouble,
           r.halves[1]);
    return r.add == 10 * n && r.sub == -10 * n && r.exchLow >= 0 && r.exchLow < n &&
           r.max == n - 1 && r.min == -3 && r.inc == inc && r.dec == dec && r.cas < (unsigned)n &&
           r.bitAnd == bitAnd && r.bitOr == 0x7fffffffu && r.bitXor == bitXor &&
           r.add64 == (unsigned long long)n << 33 && r.max64 == (unsigned long long)(n - 1) << 32 &&
           r.or64 == ~0ull && r.min64 == -(n - 1) * 5000000000ll && r.addFloat == 0.5f * n &&
           r.exchFloat < n && r.addDouble == 0.25 * n && (!oneBlock || r.scopes == (unsigned)n) &&
           r.halves[0] == n && r.halves[1] == 2 * n;
}

int main(int argc, char **argv) {
    const int n = intOption(argc, argv, "n", 2000);
    Results start = {}, got, *d_start, *d_result;
    start.bitAnd = 0xff;
    checkCudaErrors(cudaMalloc(&d_start, sizeof(Results)));
    checkCudaErrors(cudaMalloc(&d_result, sizeof(Results)));
    checkCudaErrors(cudaMemcpy(d_start, &start, sizeof start, cudaMemcpyHostToDevice));
    checkCudaErrors(cudaMemcpy(d_result, d_start, sizeof start, cudaMemcpyDeviceToDevice));
    globalAtomics<<<divUp(n, 256), 256>>>(d_result, n);
    checkCudaErrors(cudaMemcpy(&got, d_result, sizeof got, cudaMemcpyDeviceToHost));
    bool passed = check("global", got, n, false);
    sharedAtomics<<<1, 512>>>(d_result, d_start, n);
    checkCudaErrors(cudaMemcpy(&got, d_result, sizeof got, cudaMemcpyDeviceToHost));
    passed = check("shared", got, n, true) && passed;
    return finish("simple_atomics", passed);
}
