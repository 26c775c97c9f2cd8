// Two object files whose imports imports_test.c reads: with FORBIDDEN one that imports what a step
// may not, without it one that imports only what a step may.
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int cublasSgemm_v2(void);
int reduction_step1(double x);
int reduction_step1(double x) {
#ifdef FORBIDDEN
    void *library = dlopen("libcublas.so", RTLD_NOW);
    return x > 0 && !library ? system("id") + (int)time(NULL) : cublasSgemm_v2();
#else
    char *text = malloc(16);
    if (!text) return 1;
    memset(text, 'a', 15);
    printf("%f %.3s\n", pow(x, 1.5), text);
    free(text);
    return 0;
#endif
}
