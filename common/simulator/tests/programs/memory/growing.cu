// A vector that grows where it lies: addresses are reserved for all that it may need, memory is
// mapped behind what is there (CUDA Driver API, "Virtual Memory Management"). With an argument it
// makes a mistake of such vectors: what a kernel then does is a fault.
// engine: yes
#include "../check.h"

#include <cuda.h>
#include <dlfcn.h>
#include <cstring>

__global__ void fill(int *at, int first, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) at[first + i] = first + i; // the vector's
}

__global__ void sum(const int *at, int count, unsigned long long *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(total, (unsigned long long)at[i]);
}

#define DRIVER(call)        EXPECT((call) == CUDA_SUCCESS)
#define FROM(library, name) decltype(&name) f_##name = (decltype(&name))dlsym(library, #name)

int main(int argc, char **argv) {
    const char *mistake = argc > 1 ? argv[1] : "";
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    EXPECT(library);
    FROM(library, cuMemGetAllocationGranularity);
    FROM(library, cuMemAddressReserve);
    FROM(library, cuMemAddressFree);
    FROM(library, cuMemCreate);
    FROM(library, cuMemRelease);
    FROM(library, cuMemMap);
    FROM(library, cuMemUnmap);
    FROM(library, cuMemSetAccess);
    enum { CHUNKS = 4 };
    CUmemAllocationProp prop = {};
    prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    CUmemAccessDesc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr base;
    size_t chunk;
    CUDA_CHECK(cudaFree(nullptr));
    DRIVER(f_cuMemGetAllocationGranularity(&chunk, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    DRIVER(f_cuMemAddressReserve(&base, 64 * chunk, 0, 0, 0));
    int *vector = (int *)base, count = (int)(chunk / sizeof(int));
    for (int i = 0; i < CHUNKS; i++) {
        CUmemGenericAllocationHandle handle;
        DRIVER(f_cuMemCreate(&handle, chunk, &prop, 0));
        if (strcmp(mistake, "unmapped") || i + 1 < CHUNKS)
            DRIVER(f_cuMemMap(base + i * chunk, chunk, 0, handle, 0));
        if ((strcmp(mistake, "unmapped") && strcmp(mistake, "access")) || i + 1 < CHUNKS)
            DRIVER(f_cuMemSetAccess(base + i * chunk, chunk, &access, 1));
        DRIVER(f_cuMemRelease(handle)); // lives where it is mapped
        fill<<<(count + 255) / 256, 256>>>(vector, i * count, count);
    }
    unsigned long long *total, expected = 0, got;
    int last, seam[2];
    for (int i = 0; i < CHUNKS * count; i++) expected += i;
    CUDA_CHECK(cudaMalloc(&total, sizeof *total));
    CUDA_CHECK(cudaMemset(total, 0, sizeof *total));
    sum<<<(CHUNKS * count + 255) / 256, 256>>>(vector, CHUNKS * count, total);
    CUDA_CHECK(cudaMemcpy(&got, total, sizeof got, cudaMemcpyDeviceToHost));
    EXPECT(got == expected);
    CUDA_CHECK(cudaMemcpy(&last, vector + CHUNKS * count - 1, 4, cudaMemcpyDeviceToHost));
    EXPECT(last == CHUNKS * count - 1);
    CUDA_CHECK(cudaMemcpy(seam, vector + count - 1, 8, cudaMemcpyDeviceToHost));
    EXPECT(seam[0] == count - 1 && seam[1] == count);
    DRIVER(f_cuMemUnmap(base, CHUNKS * chunk));
    if (!strcmp(mistake, "after")) fill<<<1, 1>>>(vector, 5, 1);
    CUDA_CHECK(cudaDeviceSynchronize());
    DRIVER(f_cuMemAddressFree(base, 64 * chunk));
    CUDA_CHECK(cudaFree(total));
    printf("ok\n");
    return 0;
}
