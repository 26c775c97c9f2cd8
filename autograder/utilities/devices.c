// The choice of a device: see kit.h.
#include "utilities/kit.h"
#include "device/device.h"
#include "ladder_config.h"
#include "utilities/options.h"
#include "utilities/text.h"
#include <dlfcn.h>
#include <sys/wait.h>

static const char variable[] = "LADDER_SIM_DEVICE";

#define SIM_DEVICE(identifier, ...) "|" #identifier
const char ladder_device_words[] = "auto|sim|gpu"
#include "device/devices.def"
                                   "|FILE";
const char ladder_simulated_words[] = "sim"
#include "device/devices.def"
                                      "|FILE";
#undef SIM_DEVICE

static const char *environment_device(void) {
    const char *id = getenv(variable);
    return id && id[0] != '\0' ? id : NULL;
}

kl_status ladder_device_choose(const char *word, kl_error *err) {
    bool names_device = word && (sim_device_find(word) || sim_device_is_file(word));
    const char *id = names_device ? word : environment_device();
    const sim_device *device;
    kl_error inner = {0};
    if (sim_device_open(id, &device, &inner) != SIM_OK) {
        char plain[KL_ERROR_TEXT];
        ladder_plain(inner.text, false, plain, sizeof plain);
        return kl_fail(err, KL_ERROR_USAGE, "%s: %s", names_device ? "--device" : variable, plain);
    }
    if (!id || setenv(variable, device->id, 1) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_MEMORY, "no memory for the environment");
}

static const char resident_variable[] = "LADDER_SIM_RESIDENT";
const char ladder_resident_words[] = "all|earlier";
static const char devices_variable[] = "LADDER_SIM_DEVICES";
const char ladder_devices_words[] = "1|2|3|4|5|6|7|8";

// What the environment says; the default where that is nothing, or wrong.
static const char *word_of(const char *variable_name, const char *words, const char *otherwise) {
    const char *word = getenv(variable_name);
    return word && ladder_is_choice(words, word) ? word : otherwise;
}

const char *ladder_resident(void) {
    return word_of(resident_variable, ladder_resident_words, "earlier");
}

static char devices_default[4] = "1";

void ladder_devices_default(int devices) {
    snprintf(devices_default, sizeof devices_default, "%d",
             devices > 1 && devices < 9 ? devices : 1);
}

const char *ladder_devices(void) {
    return word_of(devices_variable, ladder_devices_words, devices_default);
}

static kl_status choose(const char *variable_name, const char *words, const char *word,
                        kl_error *err) {
    const char *given = word ? word : getenv(variable_name);
    if (given && *given && !ladder_is_choice(words, given))
        return kl_fail(err, KL_ERROR_USAGE, "%s: it is one of %s", variable_name, words);
    if (!word || setenv(variable_name, word, 1) == 0) return KL_OK;
    return kl_fail(err, KL_ERROR_MEMORY, "no memory for the environment");
}

kl_status ladder_simulation_choose(const char *device, const char *devices, const char *resident,
                                   kl_error *err) {
    TRY(ladder_device_choose(device, err));
    TRY(choose(devices_variable, ladder_devices_words, devices, err));
    return choose(resident_variable, ladder_resident_words, resident, err);
}

const char *ladder_device_for_program(const char *word) {
    return word && sim_device_is_file(word) ? "sim" : word;
}

bool ladder_device_may_be_gpu(const char *word) {
    return !word ||
           (strcmp(word, "sim") != 0 && !sim_device_find(word) && !sim_device_is_file(word));
}

const sim_device *ladder_device_simulated(void) {
    const sim_device *device = NULL;
    if (sim_device_open(environment_device(), &device, NULL) == SIM_OK) return device;
    return sim_device_find(NULL);
}

bool ladder_device_lacks(const kl_step_info *step, const ladder_gpu *gpu, char *text,
                         size_t text_bytes) {
    const sim_device *device = ladder_device_simulated();
    int sm = gpu ? gpu->sm : 0;
    if (sm == 0) sm = (int)(10 * device->compute_major + device->compute_minor);
    // Simulated there are as many as a lab needs, unless the user has said how many.
    int devices = gpu ? gpu->devices : atoi(word_of(devices_variable, ladder_devices_words, "0"));
    return kl_step_lacks(step, atoi(LADDER_CUDA_VERSION), sm, devices, text, text_bytes);
}

// ---- the GPU of this machine --------------------------------------------------------------------

// The driver's own interface (cuda.h), by hand: cuInit(0), cuDeviceGetCount, cuDeviceGetName,
// cuDeviceGetAttribute (CUdevice_attribute) and cuDeviceTotalMem.
static bool ask_driver(ladder_gpu *gpu) {
    enum { MEMORY_CLOCK_KHZ = 36, BUS_BITS = 37, L2_BYTES = 38, MAJOR = 75, MINOR = 76 };
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver) return false;
    int (*init)(unsigned) = NULL, (*get_count)(int *) = NULL;
    int (*get_name)(char *, int, int) = NULL, (*get_attribute)(int *, int, int) = NULL;
    int (*get_memory)(size_t *, int) = NULL;
    void *symbols[] = {dlsym(driver, "cuInit"), dlsym(driver, "cuDeviceGetCount"),
                       dlsym(driver, "cuDeviceGetName"), dlsym(driver, "cuDeviceGetAttribute"),
                       dlsym(driver, "cuDeviceTotalMem_v2")};
    memcpy(&init, &symbols[0], sizeof init); // ISO C has no cast from data to function pointers
    memcpy(&get_count, &symbols[1], sizeof get_count);
    memcpy(&get_name, &symbols[2], sizeof get_name);
    memcpy(&get_attribute, &symbols[3], sizeof get_attribute);
    memcpy(&get_memory, &symbols[4], sizeof get_memory);
    int count = 0, clock = 0, bits = 0, l2 = 0, major = 0, minor = 0;
    if (!init || !get_count || init(0) != 0 || get_count(&count) != 0 || count < 1) return false;
    gpu->devices = count;
    if (!get_name || get_name(gpu->name, sizeof gpu->name, 0) != 0) gpu->name[0] = '\0';
    size_t memory = 0;
    if (get_memory && get_memory(&memory, 0) == 0) gpu->memory_bytes = memory;
    if (!get_attribute) return true;
    // Memory transfers at both edges of its clock.
    if (get_attribute(&clock, MEMORY_CLOCK_KHZ, 0) == 0 && get_attribute(&bits, BUS_BITS, 0) == 0 &&
        clock > 0 && bits > 0)
        gpu->bytes_s = 2.0 * 1e3 * clock * bits / 8;
    if (get_attribute(&l2, L2_BYTES, 0) == 0 && l2 > 0) gpu->l2_bytes = (uint64_t)l2;
    if (get_attribute(&major, MAJOR, 0) == 0 && get_attribute(&minor, MINOR, 0) == 0)
        gpu->sm = 10 * major + minor;
    return true;
}

bool ladder_gpu_find(ladder_gpu *out_gpu) {
    int tells[2], status = 0;
    memset(out_gpu, 0, sizeof *out_gpu);
    if (pipe(tells) != 0) return false;
    fflush(NULL);
    pid_t child = fork(); // the driver starts threads, and this program forks later on
    if (child == 0) {
        bool found = ask_driver(out_gpu);
        bool told = write(tells[1], out_gpu, sizeof *out_gpu) == (ssize_t)sizeof *out_gpu;
        _exit(found && told ? 0 : 1);
    }
    close(tells[1]);
    bool got = child > 0 && read(tells[0], out_gpu, sizeof *out_gpu) == (ssize_t)sizeof *out_gpu;
    close(tells[0]);
    out_gpu->name[sizeof out_gpu->name - 1] = '\0';
    bool ended = child > 0 && waitpid(child, &status, 0) == child;
    return got && ended && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

const char *ladder_gpu_row(const ladder_gpu *gpu) {
    static const char *const ids[] = {
#define SIM_DEVICE(identifier, ...) #identifier,
#include "device/devices.def"
#undef SIM_DEVICE
    };
    for (size_t i = 0; i < sizeof ids / sizeof *ids && !environment_device(); i++)
        if (strcmp(sim_device_find(ids[i])->name, gpu->name) == 0) return ids[i];
    return NULL;
}

bool ladder_gpu_present(void) {
    ladder_gpu ignored;
    return ladder_gpu_find(&ignored);
}
