// A stand-in for libcudart whose "device memory" is host memory. With it the lab driver can
// be tested against steps written in C that are right, wrong, crash or hang, without GPU and
// simulator. Event times grow by 1 us a record. It launches no kernels.
#include <cuda_runtime_api.h>
#include <stdlib.h>
#include <string.h>

int sim_runtime_query(const char *key, double *out_value);

int sim_runtime_query(const char *key, double *out_value) {
    if (strcmp(key, "ceiling.read_gbs") == 0 || strncmp(key, "ceiling.", 8) == 0) {
        *out_value = 1000.0;
        return 0;
    }
    return 1;
}

int sim_runtime_counter(unsigned index, const char **out_name, double *out_total);

// Two counters that have grown by 64 warp instructions with half their lanes on at every look.
int sim_runtime_counter(unsigned index, const char **out_name, double *out_total) {
    static double looks;
    if (index > 1) return -1;
    *out_name = index == 0 ? "smsp__inst_executed.sum" : "smsp__thread_inst_executed_pred_on.sum";
    if (out_total) {
        looks += index == 0;
        *out_total = looks * (index == 0 ? 64 : 1024);
    }
    return 0;
}

cudaError_t cudaMalloc(void **memory, size_t bytes) {
    *memory = bytes == 0 ? NULL : aligned_alloc(256, (bytes + 255) / 256 * 256);
    return bytes > 0 && !*memory ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t cudaFree(void *memory) {
    free(memory);
    return cudaSuccess;
}

cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
    memset(memory, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream) {
    (void)stream;
    return cudaMemset(memory, value, bytes);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    (void)kind;
    memcpy(to, from, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total_bytes) {
    *free_bytes = *total_bytes = (size_t)1 << 30;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
    (void)device;
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "Test double (simulated)");
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr which, int device) {
    (void)device;
    *value = which == cudaDevAttrMultiProcessorCount ? 4 : 1;
    return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int *version) { return cudaRuntimeGetVersion(version); }

cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }

const char *cudaGetErrorString(cudaError_t code) { return code == 0 ? "no error" : "some error"; }

const char *cudaGetErrorName(cudaError_t code) {
    return code == cudaErrorIllegalAddress ? "cudaErrorIllegalAddress" : "cudaErrorOther";
}

cudaError_t cudaPeekAtLastError(void) { return cudaSuccess; }

cudaError_t cudaGetLastError(void) { return cudaSuccess; }

static float clock_ms;

cudaError_t cudaEventCreate(cudaEvent_t *event) {
    *event = malloc(sizeof(float));
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    free(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    (void)stream;
    *(float *)event = clock_ms += 1e-3f;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    (void)event;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t start, cudaEvent_t stop) {
    *ms = *(float *)stop - *(float *)start;
    return cudaSuccess;
}

// What nvcc's generated code calls when a program with kernels starts.
void **__cudaRegisterFatBinary(void *binary);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *a, void *b, void *c, void *d, int *size);
char __cudaInitModule(void **handle);
cudaError_t __cudaPushCallConfiguration(void);
cudaError_t __cudaPopCallConfiguration(void);
cudaError_t __cudaGetKernel(void);
cudaError_t __cudaLaunchKernel(void);

void **__cudaRegisterFatBinary(void *binary) {
    (void)binary;
    static void *handle;
    return &handle;
}

void __cudaRegisterFatBinaryEnd(void **handle) { (void)handle; }

void __cudaUnregisterFatBinary(void **handle) { (void)handle; }

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *a, void *b, void *c, void *d, int *size) {
    (void)handle, (void)host, (void)device, (void)name, (void)limit;
    (void)a, (void)b, (void)c, (void)d, (void)size;
}

char __cudaInitModule(void **handle) {
    (void)handle;
    return 0;
}

cudaError_t __cudaPushCallConfiguration(void) { return cudaErrorNotSupported; }

cudaError_t __cudaPopCallConfiguration(void) { return cudaErrorNotSupported; }

cudaError_t __cudaGetKernel(void) { return cudaErrorNotSupported; }

cudaError_t __cudaLaunchKernel(void) { return cudaErrorNotSupported; }
