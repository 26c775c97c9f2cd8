// SPDX-License-Identifier: MIT
// Names of kernels: see kernel_name.h.
#include "base/kernel_name.h"

#include <stdbool.h>
#include <stdio.h>
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

const char *sim_variable_name(const char *symbol, char *text, size_t bytes) {
    for (const char *at = symbol; strncmp(symbol, "_ZZ", 3) == 0 && (at = strchr(at, 'E'));) {
        char *name;
        unsigned long length = strtoul(++at, &name, 10);
        size_t left = strlen(name);
        bool last = length > 0 && (length == left || (length < left && name[length] == '_'));
        if (!last || length >= bytes) continue;
        snprintf(text, bytes, "%.*s", (int)length, name);
        return text;
    }
    return symbol;
}

const char *sim_kernel_library(const char *mangled) {
    if (strncmp(mangled, "_ZN6thrust", 10) == 0) return "Thrust";
    return strncmp(mangled, "_ZN3cub", 7) == 0 ? "CUB" : NULL;
}
