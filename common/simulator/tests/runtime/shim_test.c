// Protects the drop-in runtime on a fake engine, in one process: registration, launches and their
// parameters, error rules, events, occupancy; memory is in shim_memory.c. Linked with the
// runtime's own objects; what a program sees through the shared library is tested by
// tests/programs.
// links: ../support/fake_engine.c
#include "runtime/shim.h"

#include "runtime/api/api.h"
#include "runtime/state/state.h"
#include "suite.h"

// An empty fat binary container and its wrapper, as nvcc lays them out.
static const struct {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t payload_bytes;
} container = {0xBA55ED50, 1, 16, 0};

static struct {
    uint32_t magic, version;
    const void *data;
    void *unused;
} wrapper = {0x466243B1, 1, &container, NULL};

char stub, other_stub, shadow;
int *managed;
void **module;

void shim_set_up(void) {
    memset(&fake, 0, sizeof fake);
    fake.time_us = 10;
    module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &stub, NULL, "kernel", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFunction(module, &other_stub, NULL, "missing", -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterVar(module, &shadow, NULL, "symbol", 0, 64, 0, 0);
    __cudaRegisterManagedVar(module, (void **)&managed, NULL, "managed", 0, 64, 0, 0);
    __cudaRegisterFatBinaryEnd(module);
}

void shim_tear_down(void) { __cudaUnregisterFatBinary(module); }

const dim3 one = {1, 1, 1};

dim3 threads(unsigned x) { return (dim3){x, 1, 1}; }

cudaError_t launch(dim3 grid, dim3 block, size_t shared, void *pointer) {
    uint32_t number = 42;
    void *arguments[] = {&pointer, &number};
    return cudaLaunchKernel(&stub, grid, block, arguments, shared, NULL);
}

KL_FIXTURE(shim_set_up, shim_tear_down)

KL_TEST(nothing_opens_before_it_must) {
    int count;
    OK(cudaGetDeviceCount(&count));
    ck_assert_int_eq(count, 1);
    OK(cudaSetDevice(0));
    ck_assert_int_eq(cudaSetDevice(1), cudaErrorInvalidDevice);
    ck_assert_uint_eq(fake.opened, 0);
    OK(cudaFree(0));
    ck_assert_uint_eq(fake.opened, 1);
    ck_assert_uint_eq(fake.loads, 0);
    double value;
    ck_assert_int_eq(sim_runtime_query("simulated", &value), 0);
    ck_assert_double_eq(value, 1);
    ck_assert_int_eq(sim_runtime_query("nonsense", &value), -1);
    ck_assert_ptr_nonnull(sim_runtime_engine());
}

KL_TEST(launch_carries_configuration_and_parameters) {
    void *device;
    OK(cudaMalloc(&device, 100));
    ck_assert_uint_eq(__cudaPushCallConfiguration((dim3){3, 2, 1}, (dim3){8, 4, 2}, 256, NULL), 0);
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream = (cudaStream_t)1;
    OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
    ck_assert_int_eq(__cudaPopCallConfiguration(&grid, &block, &shared, &stream),
                     cudaErrorMissingConfiguration);
    ck_assert_ptr_null(stream);
    cudaKernel_t kernel;
    uint32_t number = 42;
    void *arguments[] = {&device, &number};
    OK(__cudaGetKernel(&kernel, &stub));
    ck_assert_uint_eq(fake.loads, 0); // asking for a handle loads nothing
    OK(__cudaLaunchKernel(kernel, grid, block, arguments, shared, stream));
    ck_assert_uint_eq(fake.loads, 1);
    ck_assert_uint_eq(fake.launches, 1);
    ck_assert_uint_eq(fake.config.grid.y, 2);
    ck_assert_uint_eq(fake.config.block.z, 2);
    ck_assert_uint_eq(fake.config.dynamic_shared_bytes, 256);
    ck_assert_uint_eq(fake.param_bytes, 12);
    ck_assert_mem_eq(fake.params, &device, 8);
    ck_assert_mem_eq(fake.params + 8, &number, 4);
    OK(launch(one, one, 0, device));
    ck_assert_uint_eq(fake.loads, 1);
    OK(cudaFree(device));
}

KL_TEST(configuration_errors_do_not_stick) {
    const struct {
        dim3 grid, block;
        size_t shared;
        cudaError_t want;
    } cases[] = {
        {{0, 1, 1}, {1, 1, 1}, 0, cudaErrorInvalidValue},
        {{1, 1, 1}, {0, 1, 1}, 0, cudaErrorInvalidValue},
        {{1, 1, 1}, {1025, 1, 1}, 0, cudaErrorInvalidValue},
        {{1, 1, 1}, {32, 33, 1}, 0, cudaErrorInvalidValue},
        {{1, 1, 1}, {1, 1, 65}, 0, cudaErrorInvalidValue},
        {{1, 65536, 1}, {1, 1, 1}, 0, cudaErrorInvalidValue},
        {{0x80000000, 1, 1}, {1, 1, 1}, 0, cudaErrorInvalidValue},
        {{1, 1, 1}, {32, 1, 1}, 49153, cudaErrorInvalidValue},
        {{1, 1, 1}, {32, 1, 1}, 49152, cudaErrorInvalidValue}, // with its static 1024 too much
        {{1, 1, 1}, {513, 1, 1}, 0, cudaErrorInvalidValue},    // beyond its launch bounds
        {{1, 1, 1}, {32, 1, 1}, 48128, cudaSuccess},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ck_assert_int_eq(launch(cases[i].grid, cases[i].block, cases[i].shared, NULL),
                         cases[i].want);
        ck_assert_int_eq(cudaPeekAtLastError(), cases[i].want);
        ck_assert_int_eq(cudaGetLastError(), cases[i].want);
        OK(cudaGetLastError());
    }
    ck_assert_uint_eq(fake.launches, 1);
    OK(cudaDeviceSynchronize());
}

KL_TEST(shared_memory_limit_can_be_raised) {
    ck_assert_int_eq(
        cudaFuncSetAttribute(&stub, cudaFuncAttributeMaxDynamicSharedMemorySize, 227 * 1024),
        cudaErrorInvalidValue); // 1024 static bytes are in the way
    OK(cudaFuncSetAttribute(&stub, cudaFuncAttributeMaxDynamicSharedMemorySize,
                            49152)); // and with the static ones beyond 48 KiB
    OK(launch(one, threads(32), 49152, NULL));
    OK(cudaFuncSetAttribute(&stub, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    OK(launch(one, threads(32), 100000, NULL));
    ck_assert_int_eq(launch(one, threads(32), 100001, NULL), cudaErrorInvalidValue);
    struct cudaFuncAttributes attributes;
    OK(cudaFuncGetAttributes(&attributes, &stub));
    ck_assert_int_eq(attributes.maxDynamicSharedSizeBytes, 100000);
    ck_assert_int_eq(attributes.numRegs, 32);
    ck_assert_uint_eq(attributes.sharedSizeBytes, 1024);
}

KL_TEST(faults_surface_late_and_stick) {
    void *device;
    float number = 0;
    OK(cudaMalloc(&device, 4));
    fake.fault = (sim_fault){.kind = SIM_ILLEGAL_ADDRESS};
    strcpy(fake.fault.text, "explained once");
    OK(launch(one, one, 0, device));
    OK(cudaGetLastError()); // the launch itself was fine
    OK(launch(one, one, 0, device));
    ck_assert_uint_eq(fake.launches, 1); // nothing runs after a fault
    ck_assert_int_eq(cudaMemcpy(&number, device, 4, cudaMemcpyDeviceToHost),
                     cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaMalloc(&device, 4), cudaErrorIllegalAddress);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorIllegalAddress);
    OK(cudaGetLastError()); // told once, as on an H100
    char properties[1008];  // cudaDeviceProp
    OK(cudaGetDeviceProperties(properties, 0));
    fake.fault.kind = SIM_OK;
    OK(cudaDeviceReset());
    OK(cudaGetLastError());
    // as an H100 and an H200 answer from then on
    ck_assert_int_eq(launch(one, one, 0, NULL), cudaErrorDevicesUnavailable);
    ck_assert_int_eq(cudaDeviceSynchronize(), cudaErrorDevicesUnavailable);
    OK(cudaGetDeviceProperties(properties, 0));
}

KL_TEST(a_reset_device_loads_code_afresh) {
    OK(launch(one, one, 0, NULL));
    OK(cudaDeviceReset());
    OK(launch(one, one, 0, NULL));
    OK(cudaDeviceSynchronize());
    ck_assert_uint_eq(fake.loads, 2);
}

KL_TEST(every_fault_has_its_code) {
    const struct {
        sim_status kind;
        cudaError_t want;
    } cases[] = {
        {SIM_ILLEGAL_ADDRESS, cudaErrorIllegalAddress},
        {SIM_MISALIGNED_ADDRESS, cudaErrorMisalignedAddress},
        {SIM_ILLEGAL_INSTRUCTION, cudaErrorIllegalInstruction},
        {SIM_TRAP, cudaErrorLaunchFailure},
        {SIM_ASSERT, cudaErrorAssert},
        {SIM_DEADLOCK, cudaErrorLaunchTimeout},
        {SIM_RUNAWAY, cudaErrorLaunchTimeout},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fake.fault = (sim_fault){.kind = cases[i].kind};
        OK(launch(one, one, 0, NULL));
        ck_assert_int_eq(cudaStreamSynchronize(NULL), cases[i].want);
        OK(cudaDeviceReset());
        bool is_fault = cases[i].want != cudaErrorLaunchTimeout; // which is the simulator's own
        ck_assert_int_eq(cudaDeviceSynchronize(),
                         is_fault ? cudaErrorDevicesUnavailable : cudaSuccess);
        runtime.is_lost = false; // the next one is of another process
    }
}

KL_TEST(unknown_kernels_and_bad_images) {
    void *arguments[] = {NULL};
    ck_assert_int_eq(cudaLaunchKernel(&other_stub, one, one, arguments, 0, NULL),
                     cudaErrorInvalidDeviceFunction);
    ck_assert_int_eq(cudaLaunchKernel(&shadow, one, one, arguments, 0, NULL),
                     cudaErrorInvalidResourceHandle);
    OK(cudaDeviceReset());
    fake.load_status = SIM_NO_IMAGE;
    ck_assert_int_eq(launch(one, one, 0, NULL), cudaErrorNoKernelImageForDevice);
    ck_assert_int_eq(launch(one, one, 0, NULL), cudaErrorNoKernelImageForDevice);
    OK(cudaDeviceSynchronize()); // not sticky
    ck_assert_int_eq(cudaLaunchKernel(&stub, one, one, arguments, 0, (cudaStream_t)&shadow),
                     cudaErrorNoKernelImageForDevice);
}

KL_TEST(events_measure_modelled_time) {
    cudaEvent_t first, second, third;
    float ms = -1;
    OK(cudaEventCreate(&first));
    OK(cudaEventCreate(&second));
    OK(cudaEventCreateWithFlags(&third, cudaEventDisableTiming));
    ck_assert_int_eq(cudaEventElapsedTime(&ms, first, second), cudaErrorInvalidResourceHandle);
    fake.time_us = 1000;
    cudaEventRecord(first, NULL);
    launch(one, one, 0, NULL);
    launch(one, one, 0, NULL);
    cudaEventRecord(second, NULL);
    cudaEventRecord(third, NULL);
    ck_assert_int_eq(cudaEventElapsedTime(&ms, first, second), cudaErrorNotReady);
    ck_assert_int_eq(cudaEventQuery(second), cudaErrorNotReady);
    OK(cudaEventSynchronize(second));
    OK(cudaEventQuery(second));
    OK(cudaEventElapsedTime(&ms, first, second));
    ck_assert_float_gt(ms, 2.0f);
    ck_assert_float_lt(ms, 2.01f);
    ck_assert_int_eq(cudaEventElapsedTime(&ms, first, third), cudaErrorInvalidResourceHandle);
    OK(cudaEventDestroy(first));
    ck_assert_int_eq(cudaEventDestroy(first), cudaErrorInvalidResourceHandle);
    ck_assert_int_eq(cudaEventRecord(first, NULL), cudaErrorInvalidResourceHandle);
}

KL_TEST(polling_ends) {
    cudaStream_t stream;
    OK(cudaStreamCreate(&stream));
    fake.time_us = 1e9; // a quarter of an hour
    uint32_t number = 0;
    void *pointer = NULL, *arguments[] = {&pointer, &number};
    OK(cudaLaunchKernel(&stub, one, one, arguments, 0, stream));
    int polls = 0;
    while (cudaStreamQuery(stream) == cudaErrorNotReady) polls++;
    ck_assert_int_gt(polls, 0);
    ck_assert_int_lt(polls, 64);
    OK(cudaStreamDestroy(stream));
    ck_assert_int_eq(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
    ck_assert_int_eq(cudaLaunchKernel(&stub, one, one, arguments, 0, stream),
                     cudaErrorInvalidResourceHandle);
}

KL_TEST(occupancy_follows_the_device) {
    int blocks;
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stub, 256, 0));
    ck_assert_int_eq(blocks, 8);
    OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stub, 1024, 0));
    ck_assert_int_eq(blocks, 0); // its launch bounds say 512
    ck_assert_int_eq(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &stub, 0, 0),
                     cudaErrorInvalidValue);
    size_t bytes;
    OK(cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, &stub, 2, 256));
    ck_assert_uint_eq(bytes, 49152 - 1024);
}

KL_TEST(device_output_appears_when_the_host_waits) {
    int pipe_ends[2], kept = dup(STDOUT_FILENO);
    ck_assert_int_eq(pipe(pipe_ends), 0);
    fflush(stdout);
    dup2(pipe_ends[1], STDOUT_FILENO);
    launch(one, one, 0, NULL);
    fake.output = "from the device\n";
    cudaGetLastError();
    fflush(stdout);
    ck_assert_int_eq(write(pipe_ends[1], "|", 1), 1);
    cudaDeviceSynchronize();
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    char text[64] = "";
    ck_assert_int_gt(read(pipe_ends[0], text, sizeof text - 1), 0);
    ck_assert_str_eq(text, "|from the device\n");
}

KL_TEST(errors_read_as_the_real_ones) {
    ck_assert_str_eq(cudaGetErrorName(cudaErrorIllegalAddress), "cudaErrorIllegalAddress");
    ck_assert_str_eq(cudaGetErrorString(cudaErrorIllegalAddress),
                     "an illegal memory access was encountered");
    ck_assert_str_eq(cudaGetErrorString((cudaError_t)12345), "unrecognized error code");
    ck_assert_int_eq(cudaDestroyExternalMemory(NULL), cudaErrorNotSupported);
    ck_assert_int_eq(cudaGetLastError(), cudaErrorNotSupported);
}

KL_TEST(unregistered_code_is_gone) {
    OK(launch(one, one, 0, NULL));
    __cudaUnregisterFatBinary(module);
    ck_assert_uint_eq(fake.unloads, 1);
    ck_assert_int_eq(launch(one, one, 0, NULL), cudaErrorInvalidResourceHandle);
    shim_set_up();
    OK(launch(one, one, 0, NULL));
}

// Callbacks of the error log: how often each was called, and which ones the second takes away.
static int log_calls[3];
static cudaLogsCallbackHandle log_handles[3];

static void count_log(void *index, cudaLogLevel level, char *message, size_t length) {
    (void)level, (void)message, (void)length;
    log_calls[(intptr_t)index]++;
}

// Itself, and one that has not been called for this line yet.
static void unregister_logs(void *index, cudaLogLevel level, char *message, size_t length) {
    count_log(index, level, message, length);
    OK(cudaLogsUnregisterCallback(log_handles[1]));
    OK(cudaLogsUnregisterCallback(log_handles[0]));
}

KL_TEST(log_callbacks_may_unregister) {
    cudaLogsRegisterCallback(count_log, (void *)0, &log_handles[0]);
    cudaLogsRegisterCallback(unregister_logs, (void *)1, &log_handles[1]);
    cudaLogsRegisterCallback(count_log, (void *)2, &log_handles[2]);
    ck_assert_int_eq(cudaMalloc(NULL, 1), cudaErrorInvalidValue);
    ck_assert_int_eq(log_calls[0], 0);
    ck_assert_int_eq(log_calls[1], 1);
    ck_assert_int_eq(log_calls[2], 1);
    ck_assert_int_eq(cudaMalloc(NULL, 1), cudaErrorInvalidValue);
    ck_assert_int_eq(log_calls[0], 0);
    ck_assert_int_eq(log_calls[1], 1);
    ck_assert_int_eq(log_calls[2], 2);
    ck_assert_int_eq(cudaLogsUnregisterCallback(log_handles[1]), cudaErrorInvalidValue);
    OK(cudaLogsUnregisterCallback(log_handles[2]));
}

int main(void) { // each test in a process of its own: the state is global
    Suite *suite = suite_create("runtime shim");
    kl_add_tests(suite);
    shim_memory_tests(suite);
    shim_texture_tests(suite);
    shim_graph_tests(suite);
    return kl_suite_run(suite);
}
