// SPDX-License-Identifier: MIT
// Data of hostile.sh: programs that end, vanish, multiply, or do not end.
#include <cuda_runtime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 32, MANY = 20000 };

__global__ void tame(int *out) { out[threadIdx.x] = threadIdx.x; }

__global__ void endless(volatile int *out) {
    while (out[64] == 0) out[threadIdx.x]++;
}

__device__ __noinline__ int deeper(volatile int *out, int n) {
    return out[n & 1] + (n < 0 ? 1 : 3 * deeper(out, n + 1));
}

__global__ void recursion(int *out) { out[threadIdx.x] = deeper(out, threadIdx.x); }

__global__ void large(int *out, int index) {
    volatile int many[MANY];
    for (int i = 0; i < MANY; i += THREADS) many[i] = i;
    out[threadIdx.x] = many[index];
}

__global__ void flood(int times) {
    for (int i = 0; i < times; i++) printf("%d from thread %d: no end of words\n", i, threadIdx.x);
}

static void multiply(void) {
    if (fork() > 0) return;
    setsid();
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    if (fork() == 0)
        for (int i = 0; i < 64; i++) close(i);
    for (;;) pause();
}

static void be_deaf(void) {
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    for (;;) pause();
}

static void read_input(void) {
    int read = getchar();
    printf("read: %d\n", read);
}

// What is done on the host.
static bool act(const char *what, char **argv) {
    bool known = true;
    if (strcmp(what, "abort") == 0) abort();
    else if (strcmp(what, "kill") == 0) raise(SIGKILL);
    else if (strcmp(what, "stop") == 0) raise(SIGSTOP);
    else if (strcmp(what, "crash") == 0) raise(SIGSEGV);
    else if (strcmp(what, "leave") == 0) _exit(7);
    else if (strcmp(what, "replace") == 0) execl("/bin/true", "true", (char *)NULL);
    else if (strcmp(what, "again") == 0) execl(argv[0], argv[0], (char *)NULL);
    else if (strcmp(what, "multiply") == 0) multiply();
    else if (strcmp(what, "close") == 0)
        for (int i = 0; i < 64; i++) close(i);
    else if (strcmp(what, "read") == 0) read_input();
    else if (strcmp(what, "deaf") == 0) be_deaf();
    else known = false;
    return known;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int *out = NULL;
    setvbuf(stdout, NULL, _IONBF, 0);
    if (cudaMalloc(&out, 4096) != cudaSuccess || cudaMemset(out, 0, 4096) != cudaSuccess) return 1;
    tame<<<1, THREADS>>>(out);
    cudaDeviceSynchronize();
    if (strcmp(what, "endless") == 0) endless<<<1, THREADS>>>(out);
    if (strcmp(what, "recursion") == 0) recursion<<<1, THREADS>>>(out);
    if (strcmp(what, "large") == 0) large<<<1, 16 * THREADS>>>(out, argc);
    if (strcmp(what, "flood") == 0) flood<<<1, THREADS>>>(100);
    if (strcmp(what, "torrent") == 0) flood<<<1, THREADS>>>(100000000);
    act(what, argv);
    tame<<<1, THREADS>>>(out);
    cudaError_t err = cudaDeviceSynchronize();
    if (err == cudaSuccess) puts("the end");
    return err == cudaSuccess ? 0 : 2;
}
