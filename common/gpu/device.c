// Device choice: see device.h. CUDA is touched in a forked child, where there may be one.
#include "device.h"
#include "parallel.h"
#include "small_case.h"
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <limits.h>
#include <unistd.h>

static const char restart_mark[] =
    "LADDER_RESTARTED"; // set in a program started again, stops a loop

const char kl_device_words[] = "auto|sim|gpu"
#define SIM_DEVICE(identifier, ...) "|" #identifier
#include "simulator/device/devices.def"
#undef SIM_DEVICE
                               "|FILE";

kl_status kl_device_parse(const char *text, kl_device_request *out_request, kl_error *err) {
    static const struct {
        const char *word;
        kl_device_request request;
    } rows[] = {
        {"auto", {KL_CHOOSE_AUTO, NULL}},
        {"sim", {KL_CHOOSE_SIM, NULL}},
        {"gpu", {KL_CHOOSE_GPU, NULL}},
#define SIM_DEVICE(identifier, ...) {#identifier, {KL_CHOOSE_SIM, #identifier}},
#include "simulator/device/devices.def"
#undef SIM_DEVICE
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(text, rows[i].word) != 0) continue;
        *out_request = rows[i].request;
        return KL_OK;
    }
    if (strpbrk(text, "/.")) { // a device by file, which the runtime reads
        *out_request = (kl_device_request){KL_CHOOSE_SIM, text};
        return KL_OK;
    }
    char got[68];
    return kl_fail(err, KL_ERROR_USAGE, "--device is one of %s, not %s", kl_device_words,
                   kl_quoted(text, got, sizeof got));
}

typedef int sim_query_function(const char *key, double *out_value);

static sim_query_function *sim_query(void) {
    // POSIX lets a data pointer from dlsym be used as a function; ISO C wants the detour.
    void *symbol = dlsym(RTLD_DEFAULT, "sim_runtime_query");
    sim_query_function *function = NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

// True when the loaded CUDA runtime is the simulator's.
static bool kl_device_is_simulated(void) { return sim_query(); }

bool kl_device_may_fork(void) {
    const char *connection = getenv("LADDER_ENGINE_FD");
    return !kl_device_is_simulated() || !connection || connection[0] == '\0';
}

bool kl_device_sim_query(const char *key, double *out_value) {
    sim_query_function *query = sim_query();
    return query && query(key, out_value) == 0;
}

void kl_device_sim_keep_busy(double us) {
    void *symbol = dlsym(RTLD_DEFAULT, "sim_runtime_keep_busy");
    void (*function)(double) = NULL;
    memcpy(&function, &symbol, sizeof function);
    if (function) function(us);
}

void kl_device_sim_allow(double warp_instructions) {
    void *symbol = dlsym(RTLD_DEFAULT, "sim_runtime_allow");
    void (*function)(double) = NULL;
    memcpy(&function, &symbol, sizeof function);
    if (function) function(warp_instructions);
}

void kl_device_sim_count(bool counts) {
    void *symbol = dlsym(RTLD_DEFAULT, "sim_runtime_count");
    void (*function)(int) = NULL;
    memcpy(&function, &symbol, sizeof function);
    if (function) function(counts);
}

void kl_device_sim_watch(const void *device, uint64_t bytes) {
    void *symbol = dlsym(RTLD_DEFAULT, "sim_runtime_watch");
    void (*function)(const void *, uint64_t) = NULL;
    memcpy(&function, &symbol, sizeof function);
    if (function) function(device, bytes);
}

int kl_device_sim_last_write(const void *device, uint32_t out_block[3], uint32_t out_thread[3]) {
    void *symbol = dlsym(RTLD_DEFAULT, "sim_runtime_last_write");
    int (*function)(const void *, uint64_t *, uint32_t *) = NULL;
    uint64_t block = 0;
    uint32_t thread = 0;
    memcpy(&function, &symbol, sizeof function);
    int written = function ? function(device, &block, &thread) : -1;
    kl_thread_unpack(block, thread, out_block, out_thread);
    return written;
}

const char *kl_device_sim_said(void) {
    void *symbol = dlsym(RTLD_DEFAULT, "sim_runtime_said");
    const char *(*function)(void) = NULL;
    memcpy(&function, &symbol, sizeof function);
    return function ? function() : "";
}

const char *kl_device_sim_fault(void) {
    void *symbol = dlsym(RTLD_DEFAULT, "sim_runtime_fault");
    const char *(*function)(void) = NULL;
    memcpy(&function, &symbol, sizeof function);
    return function ? function() : "";
}

const char *kl_device_sim_reason(void) {
    void *symbol = dlsym(RTLD_DEFAULT, "sim_runtime_reason");
    const char *(*function)(void) = NULL;
    memcpy(&function, &symbol, sizeof function);
    return function ? function() : "";
}

kl_status kl_device_program_folder(char *folder, size_t folder_bytes, kl_error *err) {
    ssize_t length = readlink("/proc/self/exe", folder, folder_bytes - 1);
    if (length <= 0 || (size_t)length >= folder_bytes - 1)
        return kl_fail(err, KL_ERROR_SYSTEM, "the folder of this program cannot be found");
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash) *slash = '\0';
    return KL_OK;
}

// What the child tells about the device.
typedef struct probe_record {
    int error; // cudaError_t
    char error_text[160];
    kl_device device;
} probe_record;

static int attribute(enum cudaDeviceAttr which) {
    int value = 0;
    return cudaDeviceGetAttribute(&value, which, 0) == cudaSuccess ? value : 0;
}

static void describe_device(probe_record *record) {
    int count = 0;
    struct cudaDeviceProp properties;
    cudaError_t code = cudaGetDeviceCount(&count);
    if (code == cudaSuccess && count == 0) code = cudaErrorNoDevice;
    if (code == cudaSuccess) code = cudaGetDeviceProperties(&properties, 0);
    record->error = (int)code;
    snprintf(record->error_text, sizeof record->error_text, "%s", cudaGetErrorString(code));
    if (code == cudaSuccess) {
        kl_device *d = &record->device;
        snprintf(d->name, sizeof d->name, "%s", properties.name);
        d->devices = count;
        d->multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
        d->capability_major = attribute(cudaDevAttrComputeCapabilityMajor);
        d->capability_minor = attribute(cudaDevAttrComputeCapabilityMinor);
        d->l2_bytes = (uint64_t)attribute(cudaDevAttrL2CacheSize);
        size_t free_bytes = 0, total_bytes = 0;
        d->memory_bytes = d->memory_free_bytes = properties.totalGlobalMem;
        if (cudaMemGetInfo(&free_bytes, &total_bytes) == cudaSuccess)
            d->memory_free_bytes = free_bytes;
        cudaRuntimeGetVersion(&d->runtime_version);
        cudaDriverGetVersion(&d->driver_version);
    }
}

static void probe_child(void *context, int fd) {
    probe_record *record = context;
    describe_device(record);
    kl_isolate_send(fd, record, sizeof *record);
}

static void keep_record(void *context, const void *record) {
    memcpy(context, record, sizeof(probe_record));
}

static kl_status probe(probe_record *out_record, kl_error *err) {
    memset(out_record, 0, sizeof *out_record);
    out_record->error = (int)cudaErrorUnknown;
    snprintf(out_record->error_text, sizeof out_record->error_text, "the runtime did not answer");
    if (!kl_device_may_fork()) {
        describe_device(out_record);
        return KL_OK;
    }
    probe_record in_child = *out_record;
    kl_isolate_end end;
    const double limit_s = 120.0; // a cold driver may take many seconds
    return kl_isolate(probe_child, &in_child, sizeof in_child, limit_s, keep_record, out_record,
                      &end, err);
}

enum { PATH_BYTES = 4096 };

// Looks for the simulator's library: LADDER_SIMULATOR_DIR, else common/simulator in a folder above.
static kl_status find_simulator(char *folder, size_t folder_bytes, kl_error *err) {
    char file[PATH_BYTES + 64];
    const char *given = getenv("LADDER_SIMULATOR_DIR");
    if (given && given[0] != '\0') {
        snprintf(folder, folder_bytes, "%s", given);
        snprintf(file, sizeof file, "%s/" LADDER_CUDART, folder);
        if (access(file, R_OK) == 0) return KL_OK;
        return kl_fail(err, KL_ERROR_SYSTEM, "LADDER_SIMULATOR_DIR=%s has no " LADDER_CUDART,
                       given);
    }
    char base[PATH_BYTES];
    TRY(kl_device_program_folder(base, sizeof base, err));
    for (int up = 0; up < 6 && base[0] != '\0'; up++) { // labs lie two or three folders deep
        snprintf(folder, folder_bytes, "%.*s/common/simulator", PATH_BYTES - 64, base);
        snprintf(file, sizeof file, "%.*s/" LADDER_CUDART, PATH_BYTES - 1, folder);
        if (access(file, R_OK) == 0) return KL_OK;
        char *slash = strrchr(base, '/');
        if (!slash) break;
        *slash = '\0';
    }
    return kl_fail(err, KL_ERROR_SYSTEM,
                   "the simulator's " LADDER_CUDART " was not found above this program; build the "
                   "whole kit or set LADDER_SIMULATOR_DIR");
}

static kl_status start_again_on_simulator(char **argv, kl_error *err) {
    char folder[PATH_BYTES];
    TRY(find_simulator(folder, sizeof folder, err));
    const char *old = getenv("LD_LIBRARY_PATH");
    char path[2 * PATH_BYTES];
    bool has_old = old && old[0] != '\0';
    int length =
        snprintf(path, sizeof path, "%s%s%s", folder, has_old ? ":" : "", has_old ? old : "");
    if (length < 0 || (size_t)length >= sizeof path)
        return kl_fail(err, KL_ERROR_LIMIT, "LD_LIBRARY_PATH is too long");
    setenv("LD_LIBRARY_PATH", path, 1);
    setenv(restart_mark, "1", 1);
    fflush(NULL);
    execv("/proc/self/exe", argv);
    return kl_fail(err, KL_ERROR_SYSTEM, "starting again on the simulator failed: %s",
                   strerror(errno));
}

static kl_status set_model(const char *model, kl_error *err) {
    if (!model) return KL_OK;
    if (!kl_device_may_fork()) {
        return kl_fail(err, KL_ERROR_USAGE,
                       "--device %s: this program's device belongs to the command that started it; "
                       "give --device to that command",
                       model);
    }
    if (setenv("LADDER_SIM_DEVICE", model, 1) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_MEMORY, "no memory for the environment");
}

kl_status kl_device_select(const kl_device_request *request, char **argv, kl_device *out_device,
                           kl_error *err) {
    kl_device_choice choice = request->choice;
    TRY(set_model(request->model, err));
    bool simulated = kl_device_is_simulated();
    bool restarted = getenv(restart_mark);
    if (simulated && choice == KL_CHOOSE_GPU) {
        return kl_fail(err, KL_ERROR_USAGE,
                       "--device gpu, but LD_LIBRARY_PATH leads to the simulator's libcudart; "
                       "unset it");
    }
    if (!simulated && restarted) {
        return kl_fail(err, KL_ERROR_SYSTEM,
                       "the simulator was chosen but its " LADDER_CUDART " was not loaded; is this "
                       "program linked with the shared CUDA runtime, without an RPATH that wins "
                       "over LD_LIBRARY_PATH?");
    }
    if (!simulated && choice == KL_CHOOSE_SIM) return start_again_on_simulator(argv, err);
    probe_record found;
    TRY(probe(&found, err));
    if (found.error != cudaSuccess) {
        if (simulated || choice == KL_CHOOSE_GPU) {
            return kl_fail(err, KL_ERROR_CUDA, "no usable device: %s%s", found.error_text,
                           simulated ? "" : "; --device sim runs on the simulator");
        }
        if (access("/proc/driver/nvidia", F_OK) == 0)
            fprintf(stderr, "The GPU cannot be used: %s (see ./ladder doctor).\n",
                    found.error_text);
        fputs("Running on the simulator; times are modelled.\n", stderr);
        return start_again_on_simulator(argv, err);
    }
    *out_device = found.device;
    out_device->simulated = simulated;
    return KL_OK;
}
