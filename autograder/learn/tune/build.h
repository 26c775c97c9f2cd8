// SPDX-License-Identifier: MIT
// Compiles a parametric kernel once for each configuration, several at a time. Objects are kept
// under a hash of everything that makes them (sources, flags, toolkit, configuration), failures
// too, so nothing is compiled twice.
#ifndef LADDER_TUNE_BUILD_H
#define LADDER_TUNE_BUILD_H

#include "grade/rubric/lab_files.h"
#include "learn/tune/machine_code.h"
#include "utilities/sha256.h"
#include "learn/tune/space.h"

// The kernel, and where its objects are kept.
typedef struct ladder_tune_kernel {
    const ladder_kit *kit;          // where sources lie
    const ladder_lab *lab;          // whose kernel it is
    const ladder_tune_space *space; // what may be varied
    char source[LADDER_PATH];       // solutions/<lab>/tune.cu, or another in its place
    char folder[LADDER_PATH];       // of the source, with a slash at its end
    char cache[LADDER_PATH];        // folder of the objects
    char hash[LADDER_SHA256_TEXT];  // of sources, flags and toolkit
} ladder_tune_kernel;

enum { LADDER_TUNE_KEY = 25, LADDER_TUNE_REASON = 256 };

// What became of a configuration.
typedef struct ladder_tune_object {
    char key[LADDER_TUNE_KEY];       // <cache>/<key>.so
    bool built;                      // there is an object
    ladder_machine_code code;        // when built
    char reason[LADDER_TUNE_REASON]; // why it was not built
} ladder_tune_object;

// source: NULL for the lab's own. It may include what lies beside it as tune.cuh, and what the lab
// gives to its steps: labs/<lab>/<name>.h and, where there is one, <name>.cuh.
kl_status ladder_tune_kernel_open(const ladder_kit *kit, const ladder_lab *lab,
                                  const ladder_tune_space *space, const char *source,
                                  ladder_tune_kernel *out_kernel, kl_error *err);

// Told after each: how many are done, and how many of them do not compile.
typedef void ladder_tune_built(void *context, size_t done, size_t failed);

// items: [count], out_objects: [count]. A configuration that does not compile is no error of this
// function.
kl_status ladder_tune_build(const ladder_tune_kernel *kernel, const ladder_tune_config *items,
                            size_t count, int jobs, double limit_s, ladder_tune_built *progress,
                            void *context, ladder_tune_object *out_objects, kl_error *err);

// <cache>/<key>.so; out: [LADDER_PATH].
kl_status ladder_tune_object_path(const ladder_tune_kernel *kernel,
                                  const ladder_tune_object *object, char *out, kl_error *err);

#endif
