// Protects the drop-in runtime's memory on a fake engine: copies and their checks, symbols, memory
// that host and kernels share, pools, and the guard of device addresses.
#include "runtime/shim.h"

#include <setjmp.h>

#include "base/base.h"
#include "suite.h"

KL_FIXTURE(shim_set_up, shim_tear_down)

KL_TEST(copies_check_their_sides) {
    char host[8] = "abcdefg", back[8] = "";
    void *a, *b;
    OK(cudaMalloc(&a, 8));
    OK(cudaMalloc(&b, 8));
    OK(cudaMemcpy(a, host, 8, cudaMemcpyHostToDevice));
    OK(cudaMemcpy(b, a, 8, cudaMemcpyDeviceToDevice));
    OK(cudaMemcpy(back, b, 8, cudaMemcpyDefault));
    ck_assert_str_eq(back, "abcdefg");
    OK(cudaMemcpy(host, back, 8, cudaMemcpyHostToHost));
    ck_assert_int_eq(cudaMemcpy(host, back, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpy(a, host, 8, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpy(a, host, 9, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpy(NULL, host, 8, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaMemcpy(a, host, 8, (enum cudaMemcpyKind)9),
                     cudaErrorInvalidMemcpyDirection);
    ck_assert_int_eq(cudaMemset(host, 0, 8), cudaErrorInvalidValue);
    OK(cudaMemset(a, 0x41, 8));
    OK(cudaMemcpy(back, a, 8, cudaMemcpyDeviceToHost));
    ck_assert_mem_eq(back, "AAAAAAAA", 8);
    OK(cudaFree(a));
    ck_assert_int_eq(cudaFree(a), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaFree(host), cudaErrorInvalidValue);
    ck_assert_int_eq(cudaFree((char *)b + 4), cudaErrorInvalidValue);
    OK(cudaFree(NULL));
    ck_assert_int_eq(cudaMalloc(&a, (size_t)1 << 40), cudaErrorMemoryAllocation);
    ck_assert_int_eq(cudaMalloc(NULL, 4), cudaErrorInvalidValue);
    OK(cudaMalloc(&a, 0));
    ck_assert_ptr_null(a);
}

KL_TEST(rows_keep_their_pitch) {
    enum { ROWS = 3, WIDTH = 5, HOST_PITCH = 7 };
    char in[ROWS * HOST_PITCH], out[ROWS * HOST_PITCH];
    void *device;
    size_t pitch;
    for (int i = 0; i < ROWS * HOST_PITCH; i++) in[i] = (char)i, out[i] = 99;
    OK(cudaMallocPitch(&device, &pitch, WIDTH, ROWS));
    ck_assert_uint_eq(pitch, 512);
    OK(cudaMemcpy2D(device, pitch, in, HOST_PITCH, WIDTH, ROWS, cudaMemcpyHostToDevice));
    OK(cudaMemcpy2D(out, HOST_PITCH, device, pitch, WIDTH, ROWS, cudaMemcpyDeviceToHost));
    for (int row = 0; row < ROWS; row++)
        for (int at = 0; at < HOST_PITCH; at++)
            ck_assert_int_eq(out[row * HOST_PITCH + at], at < WIDTH ? row * HOST_PITCH + at : 99);
    ck_assert_int_eq(cudaMemcpy2D(device, 4, in, HOST_PITCH, WIDTH, ROWS, cudaMemcpyHostToDevice),
                     cudaErrorInvalidPitchValue);
    OK(cudaMemset2D(device, pitch, 1, WIDTH, ROWS));
}

KL_TEST(symbols_are_found) {
    char bytes[64];
    size_t size;
    void *address;
    OK(cudaGetSymbolSize(&size, &shadow));
    ck_assert_uint_eq(size, 64);
    OK(cudaMemcpyToSymbol(&shadow, "xyz", 3, 10, cudaMemcpyHostToDevice));
    OK(cudaMemcpyFromSymbol(bytes, &shadow, 64, 0, cudaMemcpyDeviceToHost));
    ck_assert_mem_eq(bytes + 10, "xyz", 3);
    ck_assert_int_eq(bytes[9], 7);
    OK(cudaGetSymbolAddress(&address, &shadow));
    OK(cudaMemcpy(bytes, (char *)address + 10, 3, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(cudaMemcpyToSymbol(&shadow, "xyz", 3, 62, cudaMemcpyHostToDevice),
                     cudaErrorInvalidValue);
    ck_assert_int_eq(cudaGetSymbolSize(&size, &stub), cudaErrorInvalidSymbol);
    ck_assert_int_eq(cudaMemcpyToSymbol(&shadow, "x", 1, 0, cudaMemcpyDeviceToHost),
                     cudaErrorInvalidMemcpyDirection);
}

// The fake kernel doubles the int at its pointer.
static void double_it(const fake_engine_state *state) {
    uint64_t address;
    memcpy(&address, state->params, sizeof address);
    int *value = fake_pointer(address);
    ck_assert_ptr_nonnull(value);
    *value *= 2;
}

KL_TEST(host_memory_is_shared_with_kernels) {
    fake.kernel = double_it;
    int *pinned, *unified, plain[4] = {5, 6, 7, 8};
    void *mapped;
    OK(cudaMallocManaged((void **)&unified, 4096 * 3 + 5, cudaMemAttachGlobal));
    ck_assert_uint_ge((uint64_t)(uintptr_t)unified, SIM_GLOBAL_BASE);
    *unified = 21; // readable and writable by the host
    OK(launch(one, one, 0, unified));
    ck_assert_int_eq(*unified, 42);
    OK(cudaHostAlloc((void **)&pinned, 64, cudaHostAllocMapped));
    pinned[3] = 11;
    OK(cudaHostGetDevicePointer(&mapped, pinned, 0));
    OK(launch(one, one, 0, (int *)mapped + 3));
    ck_assert_int_eq(pinned[3], 22);
    OK(launch(one, one, 0, pinned + 3)); // unified addressing
    ck_assert_int_eq(pinned[3], 44);
    OK(cudaHostRegister(plain, sizeof plain, cudaHostRegisterDefault));
    ck_assert_int_eq(cudaHostRegister(plain + 1, 4, cudaHostRegisterDefault),
                     cudaErrorHostMemoryAlreadyRegistered);
    OK(launch(one, one, 0, plain + 1));
    ck_assert_int_eq(plain[1], 12);
    int copied;
    OK(cudaMemcpy(&copied, (int *)mapped + 3, 4, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(copied, 44);
    OK(cudaHostGetDevicePointer(&mapped, plain + 1, 0));
    ck_assert_ptr_eq(mapped, plain + 1);
    OK(cudaHostUnregister(plain));
    ck_assert_int_eq(cudaHostUnregister(plain), cudaErrorHostMemoryNotRegistered);
    ck_assert_uint_eq(fake.reads + fake.writes, 0); // nothing travels
    OK(cudaFreeHost(pinned));
    ck_assert_int_eq(cudaFreeHost(pinned), cudaErrorInvalidValue);
    OK(cudaFree(unified));
}

// An engine in another process has copies of registered memory, under the same addresses.
KL_TEST(registered_memory_travels_to_other_processes) {
    fake.kernel = double_it;
    fake.copies_attached = true;
    int plain[4] = {5, 6, 7, 8};
    OK(cudaHostRegister(plain, sizeof plain, cudaHostRegisterDefault));
    plain[2] = 70;
    OK(launch(one, one, 0, plain + 2));
    ck_assert_int_eq(plain[2], 140);
    ck_assert_uint_eq(fake.writes, 1);
    ck_assert_uint_eq(fake.reads, 1);
    OK(cudaHostUnregister(plain));
}

KL_TEST(managed_variables_live_on_both_sides) {
    fake.kernel = double_it;
    ck_assert_int_eq(__cudaInitModule(module), 1);
    ck_assert_ptr_nonnull(managed);
    ck_assert_int_eq(managed[1], 0x07070707); // its initial value
    managed[1] = 4;
    OK(launch(one, one, 0, managed + 1));
    ck_assert_int_eq(managed[1], 8);
    int copy[2];
    OK(cudaMemcpyFromSymbol(copy, managed, 8, 0, cudaMemcpyDeviceToHost));
    ck_assert_int_eq(copy[1], 8);
}

KL_TEST(pointers_tell_what_they_are) {
    struct cudaPointerAttributes about;
    void *device, *pinned, *unified;
    OK(cudaMalloc(&device, 64));
    OK(cudaMallocHost(&pinned, 64));
    OK(cudaMallocManaged(&unified, 64, cudaMemAttachGlobal));
    OK(cudaPointerGetAttributes(&about, (char *)device + 5));
    ck_assert_int_eq(about.type, cudaMemoryTypeDevice);
    ck_assert_ptr_null(about.hostPointer);
    OK(cudaPointerGetAttributes(&about, pinned));
    ck_assert_int_eq(about.type, cudaMemoryTypeHost);
    OK(cudaPointerGetAttributes(&about, unified));
    ck_assert_int_eq(about.type, cudaMemoryTypeManaged);
    OK(cudaPointerGetAttributes(&about, &device));
    ck_assert_int_eq(about.type, cudaMemoryTypeUnregistered);
    cudaFree(device);
    cudaFreeHost(pinned);
    cudaFree(unified);
}

static sigjmp_buf after_fault;

static void escape(int number) { siglongjmp(after_fault, number); }

// Host code that touches device memory gets an explanation, and then the program's own handler.
KL_TEST(host_dereference_is_explained) {
    int pipe_ends[2], kept = dup(STDERR_FILENO);
    void *device;
    ck_assert_int_eq(pipe(pipe_ends), 0);
    signal(SIGSEGV, escape); // before the device opens: the runtime chains to it
    OK(cudaMalloc(&device, 64));
    dup2(pipe_ends[1], STDERR_FILENO);
    volatile bool faulted = true;
    if (sigsetjmp(after_fault, 1) == 0) {
        ((volatile int *)device)[2] = 1;
        faulted = false;
    }
    dup2(kept, STDERR_FILENO);
    ck_assert(faulted);
    char text[2048] = "";
    ck_assert_int_gt(read(pipe_ends[0], text, sizeof text - 1), 0);
    KL_HAS(text, "host code wrote to 0x", "byte 8 of the 64 bytes", "cudaMemcpy");
}

static uint64_t pool_reserves(cudaMemPool_t pool) {
    uint64_t bytes = 99;
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &bytes));
    return bytes;
}

KL_TEST(pools_account) {
    cudaMemPool_t pool, made;
    void *memory;
    uint64_t used = 99;
    OK(cudaDeviceGetDefaultMemPool(&pool, 0));
    OK(cudaMallocAsync(&memory, 1000, NULL));
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    ck_assert_uint_eq(used, 1000);
    ck_assert_uint_eq(pool_reserves(pool), 32 << 20);
    void *first = memory;
    OK(cudaFreeAsync(memory, NULL));
    ck_assert_uint_eq(pool_reserves(pool), 32 << 20);
    OK(cudaStreamSynchronize(NULL));
    ck_assert_uint_eq(pool_reserves(pool), 0); // its threshold
    uint64_t all = UINT64_MAX;
    OK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &all));
    OK(cudaMallocAsync(&memory, 1000, NULL));
    ck_assert_ptr_eq(memory, first);
    OK(cudaFreeAsync(memory, NULL));
    OK(cudaDeviceSynchronize());
    ck_assert_uint_eq(pool_reserves(pool), 32 << 20);
    OK(cudaMemPoolTrimTo(pool, 0));
    ck_assert_uint_eq(pool_reserves(pool), 0);
    OK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
    ck_assert_uint_eq(used, 0);
    struct cudaMemPoolProps properties = {.allocType = cudaMemAllocationTypePinned,
                                          .location = {.type = cudaMemLocationTypeDevice}};
    OK(cudaMemPoolCreate(&made, &properties));
    OK(cudaMallocFromPoolAsync(&memory, 10, made, NULL));
    OK(cudaMemPoolDestroy(made));
    ck_assert_int_eq(cudaMallocFromPoolAsync(&memory, 10, made, NULL), cudaErrorInvalidValue);
    OK(cudaFree(memory));
}

void shim_memory_tests(Suite *suite) { kl_add_tests(suite); }
