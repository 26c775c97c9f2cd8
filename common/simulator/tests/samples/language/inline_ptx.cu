// Inline PTX: special registers, bit field and permute instructions, carry chains of a 128-bit sum,
// cache hints, predicates, and clock64 timing of a loop.
#include "../helper.h"

__device__ unsigned laneId() {
    unsigned lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
}
__device__ unsigned lanesBelow() {
    unsigned mask;
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(mask));
    return mask;
}
__device__ uint4 add128(uint4 a, uint4 b) {
    uint4 c;
    asm("add.cc.u32 %0, %4, %8;\n\t"
        "addc.cc.u32 %1, %5, %9;\n\t"
        "addc.cc.u32 %2, %6, %10;\n\t"
        "addc.u32 %3, %7, %11;"
        : "=r"(c.x), "=r"(c.y), "=r"(c.z), "=r"(c.w)
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y), "r"(b.z), "r"(b.w));
    return c;
}
__device__ int loadNoCache(const int *p) {
    int value;
    asm volatile("ld.global.cg.s32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}

__global__ void bits(const unsigned *in, unsigned *out) {
    unsigned v = in[threadIdx.x], a, b, c, d, e, f;
    asm("bfe.u32 %0, %1, 5, 9;" : "=r"(a) : "r"(v));
    asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(b) : "r"(v), "r"(0u));
    asm("prmt.b32 %0, %1, %2, 0x5410;" : "=r"(c) : "r"(v), "r"(~v));
    asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(d) : "r"(v), "r"(0x0f0f0f0fu), "r"(v >> 1));
    asm("{\n\t.reg .pred p;\n\tsetp.gt.u32 p, %1, 1000;\n\tselp.u32 %0, 1, 2, p;\n\t}"
        : "=r"(e)
        : "r"(v));
    asm("brev.b32 %0, %1;" : "=r"(f) : "r"(v));
    unsigned *o = out + threadIdx.x * 8;
    o[0] = a, o[1] = b, o[2] = c, o[3] = d, o[4] = e, o[5] = f;
    o[6] = laneId();
    o[7] = lanesBelow();
}

__global__ void wide(uint4 *data) { data[2] = add128(data[0], data[1]); }

__global__ void timed(const int *in, int *out, long long *elapsed) {
    long long start = clock64();
    unsigned begin = clock();
    int sum = 0;
    for (int i = 0; i < 100; i++) sum += loadNoCache(&in[(threadIdx.x + i) % 128]);
    out[threadIdx.x] = sum;
    unsigned end = clock();
    elapsed[threadIdx.x] = (clock64() - start) * (end - begin > 0);
}

int main() {
    unsigned *in, *out;
    uint4 *big;
    checkCudaErrors(cudaMallocManaged(&in, 64 * sizeof(unsigned)));
    checkCudaErrors(cudaMallocManaged(&out, 64 * 8 * sizeof(unsigned)));
    checkCudaErrors(cudaMallocManaged(&big, 3 * sizeof(uint4)));
    HostRandom random(13);
    for (int i = 0; i < 64; i++) in[i] = i == 0 ? 999 : random.next();
    bits<<<1, 64>>>(in, out);
    checkCudaErrors(cudaDeviceSynchronize());
    bool passed = true;
    for (int i = 0; i < 64; i++) {
        unsigned v = in[i], reversed = 0, x = 0x0f0f0f0f, y = v >> 1, *o = out + 8 * i;
        for (int b = 0; b < 32; b++) reversed |= (v >> b & 1) << (31 - b);
        passed = passed && o[0] == (v >> 5 & 511) && o[1] == (v & 15) << 8 &&
                 o[2] == ((v & 0xffff) | (~v << 16)) && o[3] == ((v & x) | (v & y) | (x & y)) &&
                 o[4] == (v > 1000 ? 1u : 2u) && o[5] == reversed && o[6] == i % 32u &&
                 o[7] == (1u << i % 32) - 1;
    }
    printf("bits %08x %08x %08x\n", out[8], out[10], out[11]);
    big[0] = make_uint4(0xffffffff, 0xffffffff, 7, 1);
    big[1] = make_uint4(1, 0, 0xfffffff8, 2);
    wide<<<1, 1>>>(big);
    checkCudaErrors(cudaDeviceSynchronize());
    printf("sum %08x%08x%08x%08x\n", big[2].w, big[2].z, big[2].y, big[2].x);
    passed = passed && big[2].x == 0 && big[2].y == 0 && big[2].z == 0 && big[2].w == 4;
    int *numbers, *sums;
    long long *elapsed;
    checkCudaErrors(cudaMallocManaged(&numbers, 128 * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&sums, 128 * sizeof(int)));
    checkCudaErrors(cudaMallocManaged(&elapsed, 128 * sizeof(long long)));
    for (int i = 0; i < 128; i++) numbers[i] = i;
    timed<<<1, 128>>>(numbers, sums, elapsed);
    checkCudaErrors(cudaDeviceSynchronize());
    fprintf(stderr, "%lld cycles\n", elapsed[0]);
    for (int i = 0; i < 128; i++) {
        int want = 0;
        for (int k = 0; k < 100; k++) want += (i + k) % 128;
        passed = passed && sums[i] == want && elapsed[i] > 100;
    }
    printf("timed sum %d\n", sums[127]);
    return finish("inline_ptx", passed);
}
