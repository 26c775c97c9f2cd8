// SPDX-License-Identifier: MIT
// Data of imports.c: an object file that imports only what a step may.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int reduction_step1(double x);
int reduction_step1(double x) {
    char *text = malloc(16);
    if (!text) return 1;
    memset(text, 'a', 15);
    printf("%f %.3s\n", pow(x, 1.5), text);
    free(text);
    return 0;
}
