// Device code that the program loads itself, here as PTX text: kernels and variables by name.
// since: 13.0
// engine: yes
#include "../check.h"

static const char ptx[] = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.visible .entry times(.param .u64 out, .param .u32 value)
{
    .reg .b32 %r<5>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [out];
    ld.param.u32 %r1, [value];
    cvta.to.global.u64 %rd2, %rd1;
    ld.global.u32 %r2, [factor];
    mul.lo.u32 %r3, %r1, %r2;
    mov.u32 %r4, %tid.x;
    mul.wide.u32 %rd3, %r4, 4;
    add.s64 %rd4, %rd2, %rd3;
    st.global.u32 [%rd4], %r3;
    ret;
}
)";

int main() {
    cudaLibrary_t library;
    cudaKernel_t kernel, again;
    CUDA_CHECK(cudaLibraryLoadData(&library, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
    CUDA_CHECK(cudaLibraryGetKernel(&kernel, library, "times"));
    CUDA_CHECK(cudaLibraryGetKernel(&again, library, "times"));
    EXPECT(kernel == again);
    EXPECT_ERROR(cudaLibraryGetKernel(&again, library, "other"), cudaErrorSymbolNotFound);
    int *device, out[32], value = 14, factor;
    CUDA_CHECK(cudaMalloc(&device, sizeof out));
    void *arguments[] = {&device, &value};
    CUDA_CHECK(cudaLaunchKernel((const void *)kernel, dim3(1), dim3(32), arguments, 0, 0));
    CUDA_CHECK(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 32; i++) EXPECT(out[i] == 42);
    void *address;
    size_t bytes;
    CUDA_CHECK(cudaLibraryGetGlobal(&address, &bytes, library, "factor"));
    EXPECT(bytes == sizeof factor);
    CUDA_CHECK(cudaMemcpy(&factor, address, bytes, cudaMemcpyDeviceToHost));
    EXPECT(factor == 3);
    CUDA_CHECK(cudaLibraryUnload(library));
    printf("ok\n");
    return 0;
}
