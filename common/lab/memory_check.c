// SPDX-License-Identifier: MIT
// Whether a plan fits: see memory_check.h.
#include "memory_check.h"

#include <stdio.h>

#include "memory_need.h"
#include "plan.h"
#include "table.h"

typedef struct memory_left {
    uint64_t host, device;
    bool simulated;
} memory_left;

// Fitting to the last byte is not asked for: the program, its libraries and the simulator take
// some, too.
static uint64_t usable(uint64_t bytes) {
    return bytes - bytes / 32;
}

static bool fits(const kl_memory_need *need, const memory_left *left) {
    return kl_memory_on_host(need, left->simulated) <= usable(left->host) &&
           kl_memory_on_device(need) <= usable(left->device);
}

// Whether the plan of these options exists and fits.
static bool plan_fits(const kl_problem *problem, const kl_options *options,
                      const memory_left *left) {
    kl_memory_need need;
    return kl_plan_need(problem, options, left->simulated, &need, NULL) == KL_OK &&
           fits(&need, left);
}

// "--size 2^26 fits", "--case sum-exact alone fits", or "".
static void advise(const kl_problem *problem, const kl_options *options, const memory_left *left,
                   char *text, size_t bytes) {
    kl_options other = *options;
    text[0] = '\0';
    if (!options->family) {
        other.family = problem->timed_family;
        if (plan_fits(problem, &other, left)) {
            snprintf(text, bytes, "; --case %s alone fits", other.family);
            return;
        }
        other.family = NULL;
    }
    for (other.size = INT64_C(1) << 40; other.size > 0; other.size /= 2) {
        if (options->size >= 0 && other.size >= options->size) continue;
        if (!plan_fits(problem, &other, left)) continue;
        char size[32];
        snprintf(text, bytes, "; --size %s fits",
                 kl_format_size((long long)other.size, size, sizeof size));
        return;
    }
}

kl_status kl_memory_check(const kl_problem *problem, const kl_options *options,
                          const kl_device *device, kl_error *err) {
    const double gb = 1e9;
    memory_left left = {kl_memory_available(), device->memory_free_bytes, device->simulated};
    kl_memory_need need;
    char advice[128];
    TRY(kl_plan_need(problem, options, device->simulated, &need, err));
    if (fits(&need, &left)) return KL_OK;
    advise(problem, options, &left, advice, sizeof advice);
    uint64_t host = kl_memory_on_host(&need, left.simulated);
    if (host > usable(left.host))
        return kl_fail(err, KL_ERROR_LIMIT,
                       "not enough memory: inputs, answers%s need %.2f GB, and %.2f GB are "
                       "available%s",
                       left.simulated ? " and the simulated device" : " and outputs",
                       (double)host / gb, (double)left.host / gb, advice);
    return kl_fail(err, KL_ERROR_LIMIT,
                   "not enough memory on the device: a call needs %.2f GB, and %.2f GB are "
                   "free%s",
                   (double)kl_memory_on_device(&need) / gb, (double)left.device / gb, advice);
}
