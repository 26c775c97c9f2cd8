// How a program that nvcc built announces its device code: constructors call these functions before
// main (crt/host_runtime.h of the toolkit, as nvcc 13.0 emits it). Nothing here touches the device;
// only __cudaInitModule, which stands before the first use of a managed variable, loads code.
#include "image/image.h"
#include "runtime/code/code.h"
#include "runtime/state/state.h"

void **__cudaRegisterFatBinary(void *fatCubin);
void __cudaRegisterFatBinaryEnd(void **fatCubinHandle);
void __cudaUnregisterFatBinary(void **fatCubinHandle);
void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun,
                            const char *deviceName, int thread_limit, uint3 *tid, uint3 *bid,
                            dim3 *bDim, dim3 *gDim, int *wSize);
void __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress,
                       const char *deviceName, int ext, size_t size, int constant, int global);
void __cudaRegisterManagedVar(void **fatCubinHandle, void **hostVarPtrAddress, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant,
                              int global);
void __cudaRegisterHostVar(void **fatCubinHandle, const char *deviceName, char *hostVar,
                           size_t size);
void __cudaRegisterUnifiedTable(void **fatCubinHandle, void *table);
char __cudaInitModule(void **fatCubinHandle);

// A handle is the module itself; NULL after a failure, which later calls accept.
static runtime_module *module_of(void **handle) { return (runtime_module *)handle; }

void **__cudaRegisterFatBinary(void *fatCubin) {
    runtime_enter(RUNTIME_NOTHING, "__cudaRegisterFatBinary(%p)", fatCubin);
    sim_fatbin_wrapper wrapper = {0};
    kl_error err = {0};
    runtime_module *module = NULL;
    cudaError_t status = cudaSuccess;
    if (sim_fatbin_wrapper_read(fatCubin, &wrapper, &err) != SIM_OK) {
        runtime_say(err.text);
        status = cudaErrorInvalidKernelImage;
    } else {
        status =
            runtime_module_add(wrapper.image, wrapper.prelinked, wrapper.prelinked_count, &module);
    }
    runtime_leave(status);
    return (void **)module;
}

void __cudaRegisterFatBinaryEnd(void **fatCubinHandle) {
    runtime_enter(RUNTIME_NOTHING, "__cudaRegisterFatBinaryEnd(%p)", (void *)fatCubinHandle);
    runtime_leave(cudaSuccess);
}

void __cudaUnregisterFatBinary(void **fatCubinHandle) {
    runtime_enter(RUNTIME_NOTHING, "__cudaUnregisterFatBinary(%p)", (void *)fatCubinHandle);
    if (fatCubinHandle) runtime_module_remove(module_of(fatCubinHandle));
    runtime_leave(cudaSuccess);
}

void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun,
                            const char *deviceName, int thread_limit, uint3 *tid, uint3 *bid,
                            dim3 *bDim, dim3 *gDim, int *wSize) {
    (void)deviceFun, (void)thread_limit, (void)tid, (void)bid, (void)bDim, (void)gDim, (void)wSize;
    runtime_enter(RUNTIME_NOTHING, "__cudaRegisterFunction(%s)", deviceName);
    cudaError_t status = cudaSuccess;
    if (fatCubinHandle)
        status = runtime_kernel_add(module_of(fatCubinHandle), deviceName, hostFun, NULL);
    runtime_leave(status);
}

static void register_variable(void **handle, const void *host, const char *name, bool managed) {
    runtime_enter(RUNTIME_NOTHING, "__cudaRegisterVar(%s)", name);
    cudaError_t status = cudaSuccess;
    if (handle) status = runtime_variable_add(module_of(handle), name, host, managed);
    runtime_leave(status);
}

void __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress,
                       const char *deviceName, int ext, size_t size, int constant, int global) {
    (void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
    register_variable(fatCubinHandle, hostVar, deviceName, false);
}

void __cudaRegisterManagedVar(void **fatCubinHandle, void **hostVarPtrAddress, char *deviceAddress,
                              const char *deviceName, int ext, size_t size, int constant,
                              int global) {
    (void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
    register_variable(fatCubinHandle, hostVarPtrAddress, deviceName, true);
}

// Host variables that device code reads directly need hardware that shares page tables.
void __cudaRegisterHostVar(void **fatCubinHandle, const char *deviceName, char *hostVar,
                           size_t size) {
    (void)fatCubinHandle, (void)deviceName, (void)hostVar, (void)size;
}

void __cudaRegisterUnifiedTable(void **fatCubinHandle, void *table) {
    (void)fatCubinHandle, (void)table;
}

char __cudaInitModule(void **fatCubinHandle) {
    cudaError_t status =
        runtime_enter(RUNTIME_DEVICE, "__cudaInitModule(%p)", (void *)fatCubinHandle);
    if (!status && fatCubinHandle) status = runtime_module_load(module_of(fatCubinHandle));
    return runtime_leave(status) == cudaSuccess;
}
