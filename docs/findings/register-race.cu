// Means: A product of a warp group (wgmma) works on its registers from the instruction to
// wgmma.wait_group. Until then the thread that issued it must not read or write an accumulator, nor
// write a register of A. Before the product, wgmma.fence must come after the thread's own writes to
// these registers. What the thread reads otherwise, or what the product takes, is undefined.
// Fix: wgmma.commit_group and wgmma.wait_group before the registers are used; wgmma.fence after
// they are written. The compiler does not know of the product: asm volatile("" : "+f"(sum)) for
// each register keeps a use where it stands. Programs with wgmma are compiled with
// -gencode 'arch=compute_90a,code=[compute_90a,sm_90a]'.
// Sanitizer: No tool reports it.
#include <cstdint>
__global__ void multiply(float *y) {
    __shared__ alignas(128) uint16_t tiles[64 * 16 + 8 * 16]; // halves: A, then B
    float sum[4] = {0, 0, 0, 0};
    for (int i = threadIdx.x; i < 64 * 16 + 8 * 16; i += 128) tiles[i] = 0x3C00; // 1
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    uint64_t a = __cvta_generic_to_shared(tiles) >> 4 | 8ull << 16 | 16ull << 32, b = a + 128;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, "
                 "1, 1, 0, 0;"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "l"(a), "l"(b));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    y[threadIdx.x] = sum[0]; // the product may still be under way
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
int main() {
    float *y;
    cudaMalloc(&y, 512);
    multiply<<<1, 128>>>(y);
    cudaDeviceSynchronize();
}
