// SPDX-License-Identifier: MIT
// The GPU of this machine: see gpu.h.
#include "utilities/gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

bool ladder_gpu_present(void) {
    ladder_gpu ignored;
    return ladder_gpu_find(&ignored);
}
