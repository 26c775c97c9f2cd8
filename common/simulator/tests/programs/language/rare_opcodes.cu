// Opcodes that nvcc writes for no source of its own: jump tables, ends of threads, queries of
// textures and surfaces, hints about caches and registers (for sm_90a), events.
// architectures: 90a
// test: simulator/program/rare_opcodes
// test: simulator/program/rare_opcodes_breakpoint breakpoint
#include "../check.h"

// A jump by index, and threads that end early while the others go on.
__global__ void jumps(unsigned *out) {
    unsigned i = threadIdx.x, found = 0;
    asm volatile("{ .reg .pred p;\n"
                 " ts: .branchtargets L0, L1, L2;\n"
                 " rem.u32 %0, %1, 3;\n"
                 " brx.idx %0, ts;\n"
                 " L0: mov.u32 %0, 100; bra.uni LE;\n"
                 " L1: mov.u32 %0, 200; bra.uni LE;\n"
                 " L2: mov.u32 %0, 300;\n"
                 " LE: setp.gt.u32 p, %1, 20;\n"
                 " @p exit; }"
                 : "=r"(found)
                 : "r"(i));
    out[i] = found;
}

__global__ void queries(cudaTextureObject_t texture, cudaSurfaceObject_t surface, unsigned *out) {
    unsigned width, height, surface_width, is_texture, is_surface;
    asm("txq.width.b32 %0, [%1];" : "=r"(width) : "l"(texture));
    asm("txq.height.b32 %0, [%1];" : "=r"(height) : "l"(texture));
    asm("suq.width.b32 %0, [%1];" : "=r"(surface_width) : "l"(surface));
    asm("{ .reg .pred p; istypep.texref p, %1; selp.u32 %0, 1, 0, p; }"
        : "=r"(is_texture)
        : "l"(texture));
    asm("{ .reg .pred p; istypep.surfref p, %1; selp.u32 %0, 1, 0, p; }"
        : "=r"(is_surface)
        : "l"(surface));
    out[0] = width, out[1] = height, out[2] = surface_width, out[3] = is_texture,
    out[4] = is_surface;
}

// None of these changes a result.
__global__ void __launch_bounds__(128, 1) hints(unsigned *cells) {
    __shared__ alignas(16) unsigned tile[128];
    unsigned value, at = (unsigned)__cvta_generic_to_shared(&tile[threadIdx.x]);
    asm volatile("prefetch.global.L1 [%0]; prefetch.L2 [%0]; prefetchu.L1 [%0];" ::"l"(cells));
    asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(cells));
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], 128;" ::"l"(cells));
    asm volatile("pmevent 3; griddepcontrol.launch_dependents; griddepcontrol.wait;");
    asm volatile("setmaxnreg.inc.sync.aligned.u32 160;");
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4; cp.async.wait_all;" ::"r"(at),
                 "l"(cells + threadIdx.x)
                 : "memory");
    asm volatile("ldu.global.u32 %0, [%1];" : "=r"(value) : "l"(cells + threadIdx.x));
    cells[128 + threadIdx.x] = value + tile[threadIdx.x];
    if (threadIdx.x == 0) // like a write: by one thread
        asm volatile("discard.global.L2 [%0], 128;" ::"l"(cells + 256) : "memory");
}

__global__ void breakpoint() { asm volatile("brkpt;"); }

static void check_jumps() {
    unsigned *out;
    CUDA_CHECK(cudaMallocManaged(&out, 32 * sizeof *out));
    for (int i = 0; i < 32; i++) out[i] = 7;
    jumps<<<1, 32>>>(out);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 32; i++) EXPECT(out[i] == (i > 20 ? 7 : 100 * (1 + i % 3)));
    CUDA_CHECK(cudaFree(out));
}

static void check_queries() {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    CUDA_CHECK(cudaMallocArray(&array, &format, 48, 20, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    cudaTextureObject_t texture;
    cudaSurfaceObject_t surface;
    unsigned *out;
    CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    CUDA_CHECK(cudaCreateSurfaceObject(&surface, &resource));
    CUDA_CHECK(cudaMallocManaged(&out, 5 * sizeof *out));
    queries<<<1, 1>>>(texture, surface, out);
    CUDA_CHECK(cudaDeviceSynchronize());
    EXPECT(out[0] == 48 && out[1] == 20 && out[2] == 48);
    EXPECT(out[3] == 1 && out[4] == 1);
    CUDA_CHECK(cudaFree(out));
}

static void check_hints() {
    unsigned *cells;
    CUDA_CHECK(cudaMallocManaged(&cells, 288 * sizeof *cells));
    for (unsigned i = 0; i < 128; i++) cells[i] = i * i;
    hints<<<1, 128>>>(cells);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (unsigned i = 0; i < 128; i++) EXPECT(cells[128 + i] == 2 * i * i);
    CUDA_CHECK(cudaFree(cells));
}

int main(int argc, char **argv) {
    (void)argv;
    check_jumps();
    check_queries();
    check_hints();
    if (argc > 1) { // the last: it ends the context
        breakpoint<<<1, 1>>>();
        EXPECT(cudaDeviceSynchronize() != cudaSuccess);
    }
    printf("ok\n");
    return 0;
}
