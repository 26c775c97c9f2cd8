// SPDX-License-Identifier: MIT
// Data of imports.c: an object file that imports what a step may not.
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int cublasSgemm_v2(void);
int reduction_step1(void);
int reduction_step1(void) {
    void *library = dlopen("libcublas.so", RTLD_NOW);
    return !library ? system("id") + (int)time(NULL) : cublasSgemm_v2();
}
