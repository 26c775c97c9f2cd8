// SPDX-License-Identifier: MIT
// Names of kernels: see kernel_name.h.
#include "base/kernel_name.h"

#include <stdlib.h>
#include <string.h>

const char *sim_kernel_name(const char *mangled, int *out_length) {
    *out_length = (int)strlen(mangled);
    if (strncmp(mangled, "_Z", 2) != 0) return mangled;
    char *rest = NULL;
    unsigned long length = strtoul(mangled + (mangled[2] == 'L' ? 3 : 2), &rest, 10);
    if (length == 0 || length > strlen(rest)) return mangled;
    *out_length = (int)length;
    return rest;
}

const char *sim_kernel_library(const char *mangled) {
    if (strncmp(mangled, "_ZN6thrust", 10) == 0) return "Thrust";
    return strncmp(mangled, "_ZN3cub", 7) == 0 ? "CUB" : NULL;
}
