// Functions of the driver, got from the runtime as programs do that do not link libcuda: memory, a
// kernel from PTX text, versions; what does not exist or is too new.
// since: 13.0
#include "../check.h"

#include <cuda.h>

static const char ptx[] = R"(
.version 8.0
.target sm_75
.address_size 64
.visible .entry twice(.param .u64 p) {
    .reg .b64 %rd<3>;
    .reg .b32 %r<4>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd1, %rd1, %rd2;
    ld.global.u32 %r2, [%rd1];
    shl.b32 %r3, %r2, 1;
    st.global.u32 [%rd1], %r3;
    ret;
}
)";

template <typename F> static void get(const char *name, F *&function) {
    cudaDriverEntryPointQueryResult result;
    void *pointer = nullptr;
    CUDA_CHECK(cudaGetDriverEntryPointByVersion(name, &pointer, 13000, cudaEnableDefault, &result));
    EXPECT(pointer != nullptr && result == cudaDriverEntryPointSuccess);
    function = (F *)pointer;
}
#define GET(name)                                                                                  \
    decltype(name) *f_##name;                                                                      \
    get(#name, f_##name)
#define DRIVER(call) EXPECT((call) == CUDA_SUCCESS)

typedef CUresult alloc_function(CUdeviceptr *, size_t);
typedef CUresult free_function(CUdeviceptr);
typedef CUresult up_function(CUdeviceptr, const void *, size_t);
typedef CUresult down_function(void *, CUdeviceptr, size_t);

int main() {
    GET(cuInit);
    GET(cuDriverGetVersion);
    GET(cuDeviceGet);
    GET(cuDeviceGetAttribute);
    GET(cuModuleLoadData);
    GET(cuModuleGetFunction);
    GET(cuModuleUnload);
    GET(cuLaunchKernel);
    GET(cuCtxSynchronize);
    GET(cuGetErrorName);
    alloc_function *f_alloc;
    free_function *f_free;
    up_function *f_up;
    down_function *f_down;
    get("cuMemAlloc", f_alloc);
    get("cuMemFree", f_free);
    get("cuMemcpyHtoD", f_up);
    get("cuMemcpyDtoH", f_down);

    CUDA_CHECK(cudaFree(nullptr)); // makes the context that the driver's functions use
    DRIVER(f_cuInit(0));
    int version = 0, warp = 0, values[32];
    CUdevice device;
    DRIVER(f_cuDriverGetVersion(&version));
    EXPECT(version >= 13000);
    DRIVER(f_cuDeviceGet(&device, 0));
    DRIVER(f_cuDeviceGetAttribute(&warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    EXPECT(warp == 32);
    CUmodule module;
    CUfunction twice, none;
    CUdeviceptr memory;
    DRIVER(f_cuModuleLoadData(&module, ptx));
    DRIVER(f_cuModuleGetFunction(&twice, module, "twice"));
    EXPECT(f_cuModuleGetFunction(&none, module, "thrice") == CUDA_ERROR_NOT_FOUND);
    DRIVER(f_alloc(&memory, sizeof values));
    for (int i = 0; i < 32; i++) values[i] = i + 100;
    DRIVER(f_up(memory, values, sizeof values));
    void *arguments[] = {&memory};
    DRIVER(f_cuLaunchKernel(twice, 1, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr));
    DRIVER(f_cuCtxSynchronize());
    DRIVER(f_down(values, memory, sizeof values));
    for (int i = 0; i < 32; i++) EXPECT(values[i] == 2 * (i + 100));
    DRIVER(f_free(memory));
    DRIVER(f_cuModuleUnload(module));
    const char *text;
    DRIVER(f_cuGetErrorName(CUDA_ERROR_INVALID_VALUE, &text));
    EXPECT(text != nullptr);

    void *pointer = &values;
    cudaDriverEntryPointQueryResult result;
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuNoSuchFunction", &pointer, 13000,
                                                cudaEnableDefault, &result));
    EXPECT(pointer == nullptr && result == cudaDriverEntryPointSymbolNotFound);
    CUDA_CHECK(cudaGetDriverEntryPointByVersion("cuLibraryLoadData", &pointer, 11000,
                                                cudaEnableDefault, &result));
    EXPECT(pointer == nullptr && result == cudaDriverEntryPointVersionNotSufficent);
    printf("ok\n");
    return 0;
}
