// Device code and its launches: modules, their kernels and variables; libraries that a program
// loads itself; attributes of a kernel; launches.
#pragma once

#include "engine/engine.h"
#include "runtime/base/base.h"

// ---- module.c -----------------------------------------------------------------------------------
// Modules of device code, and the kernels and variables in them.

// What one __cudaRegisterFatBinary or cudaLibraryLoadData brought; loaded into the engine when
// something in it is first needed.
typedef struct runtime_module {
    // Containers; of a program built with -rdc: the linked one, then the files'.
    const void **images;
    size_t image_count;
    sim_module_handle handle[SIM_MOST_DEVICES]; // by device; 0: not loaded there
    cudaError_t load_error;                     // sticks, so that a bad image is reported once
    struct CUkern_st *kernels;                  // list
    struct runtime_variable *variables;         // list
    struct runtime_module *next;
} runtime_module;

// A kernel: what cudaKernel_t and cudaFunction_t point to.
struct CUkern_st {
    runtime_module *module;
    char *name;       // mangled
    const void *host; // the stub's address; NULL for kernels of a library
    sim_function_handle handle[SIM_MOST_DEVICES]; // by device; 0: not looked up yet there
    uint32_t dynamic_bytes[SIM_MOST_DEVICES];     // info.max_dynamic_shared_bytes there
    sim_function_info info;                       // of the device in use; valid with handle
    int carveout;        // cudaFuncAttributePreferredSharedMemoryCarveout, -1: default
    int beyond_portable; // cudaFuncAttributeNonPortableClusterSizeAllowed
    int cluster_policy;  // cudaFuncAttributeClusterSchedulingPolicyPreference
    sim_dim3 cluster; // cudaFuncAttributeRequiredClusterWidth, .. of one not compiled for clusters
    bool prefers_l1;  // cudaFuncCachePreferL1: like a carve-out of 0 (an H100's answers)
    struct CUkern_st *next;
};

typedef struct runtime_variable {
    runtime_module *module;
    char *name;
    const void *host; // shadow variable; of a managed one, its pointer (void **)
    bool managed;
    uint64_t address[SIM_MOST_DEVICES]; // by device; 0: not looked up yet. A managed one has one
    uint64_t bytes;
    struct runtime_variable *next;
} runtime_variable;

// `image` may be NULL when there are `linked` ones: the containers of the object files of a program
// built with -rdc, whose PTX is linked when it is loaded.
cudaError_t runtime_module_add(const void *image, const void *const *linked, size_t linked_count,
                               runtime_module **out_module);
// Unloads and frees the module, its kernels and its variables.
void runtime_module_remove(runtime_module *module);
void runtime_modules_reset(void); // forgets what the device in use held
cudaError_t runtime_module_load(runtime_module *module);

cudaError_t runtime_kernel_add(runtime_module *module, const char *name, const void *host,
                               struct CUkern_st **out_kernel);
cudaError_t runtime_variable_add(runtime_module *module, const char *name, const void *host,
                                 bool managed);
// Finds the kernel in its module's images, loading them, and asks the engine about it.
cudaError_t runtime_kernel_ready(struct CUkern_st *kernel);
// The kernel behind a host function, cudaKernel_t or cudaFunction_t, made ready.
cudaError_t runtime_kernel_find(const void *function, struct CUkern_st **out_kernel);
// The same without a look at the device and its code; NULL: there is none.
struct CUkern_st *runtime_kernel_named(const void *function);
// The kernel's handle for the current device alone, a cudaFunction_t.
enum { RUNTIME_FUNCTION_ALIGN = 16 }; // of kernels in memory: what is below is a tag
void *runtime_function_of(struct CUkern_st *kernel);
cudaError_t runtime_module_symbol(runtime_module *module, const char *name, uint64_t *out_address,
                                  uint64_t *out_bytes);
cudaError_t runtime_symbol_find(const void *symbol, uint64_t *out_address, size_t *out_bytes);
// The address of byte `offset` of a symbol with room for `bytes` after it.
cudaError_t runtime_symbol_part(const void *symbol, size_t bytes, size_t offset,
                                void **out_pointer);

// ---- library.c ----------------------------------------------------------------------------------
// Device code that a program loads itself: a module with the copy of its code.

struct CUlib_st {
    runtime_module *module;
    void *code; // our copy: the program may free its own
    struct CUlib_st *next;
};

bool runtime_library_is_live(cudaLibrary_t candidate);
// From fat binaries, cubins with PTX beside them, or PTX text.
cudaError_t runtime_library_load_data(cudaLibrary_t *out_library, const void *code);
cudaError_t runtime_library_load_file(cudaLibrary_t *out_library, const char *name);
void runtime_library_unload(cudaLibrary_t library);
// A kernel keeps its handle: asking twice gives the same one.
cudaError_t runtime_library_kernel(const struct CUlib_st *library, const char *name,
                                   cudaKernel_t *out_kernel);
unsigned runtime_library_kernel_count(const struct CUlib_st *library);
cudaError_t runtime_library_kernel_at(const struct CUlib_st *library, unsigned index,
                                      cudaKernel_t *out_kernel);

// ---- function.c ---------------------------------------------------------------------------------
// Attributes of kernels, and how many blocks of one fit on a multiprocessor.

cudaError_t runtime_function_set(const void *function, enum cudaFuncAttribute attribute, int value);
// Blocks of so many threads that a multiprocessor holds at once; 0 for a block that cannot be
// launched.
cudaError_t runtime_blocks_per_sm(const void *function, int threads, size_t dynamic_bytes,
                                  int *out_blocks);
// Dynamic shared memory that each of so many blocks on a multiprocessor can have.
cudaError_t runtime_dynamic_bytes(const void *function, int blocks, int threads, size_t *out_bytes);

// ---- launch.c -----------------------------------------------------------------------------------
// Launches of kernels: checked, their arguments gathered, run.

enum {
    // Most of a portable cluster (CUDA C++ Programming Guide, "Thread Block Clusters").
    RUNTIME_CLUSTER_BLOCKS = 8,
    RUNTIME_PARAM_BYTES = 32764 // PTX ISA, ".param": from sm_70 on
};

// A launch as a program asks for it. The device takes the low 32 bits of the dynamic shared memory,
// as an H100's driver does.
typedef struct runtime_launch {
    const void *function; // host function or handle
    dim3 grid, block;
    void **arguments;
    size_t shared_bytes; // dynamic
    cudaStream_t stream;
    bool cooperative;
    dim3 cluster; // blocks of a cluster as the launch asks for them; x 0: it does not
} runtime_launch;

// Blocks that a cluster of the kernel may have, and whether it may have such a cluster.
uint32_t runtime_cluster_blocks(const struct CUkern_st *kernel);
bool runtime_cluster_fits(const struct CUkern_st *kernel, dim3 cluster);
// Finds the kernel, and what an H100 says about the configuration.
cudaError_t runtime_launch_check(const runtime_launch *launch, struct CUkern_st **out_kernel);
// block: info.param_bytes, the arguments as the kernel's parameters.
cudaError_t runtime_launch_gather(const struct CUkern_st *kernel, void *const *arguments,
                                  uint8_t *block);
// How a kernel comes to run.
typedef enum runtime_way {
    RUNTIME_NOW,   // by a call that is under way
    RUNTIME_LATER, // by one that has returned
    RUNTIME_IN_GRAPH
} runtime_way;

// A launch that the engine has set aside (sim_launch_go_on).
typedef struct runtime_held {
    uint32_t number; // of the engine; 0: it has ended
    const struct CUkern_st *kernel;
    runtime_way way;
} runtime_held;

// Runs what was checked and gathered until it has ended or is set aside.
cudaError_t runtime_launch_run(const runtime_launch *launch, struct CUkern_st *kernel,
                               const uint8_t *block, runtime_queue *queue, runtime_way way,
                               runtime_held *out_held);
// One that was set aside has ended, with this result and status.
cudaError_t runtime_launch_ended(const runtime_held *held, runtime_queue *queue,
                                 const sim_launch_result *result, const kl_error *err);
