// Launches each kernel of counter_kernels.def once, in order and by name, and prints one line a
// kernel:
//   launch kernel gx gy gz bx by bz words checksum
// Under Nsight Compute (collect_counters.sh) this gives the counters that the simulator's are
// compared with. Must not launch anything else, so that launch numbers and rows agree.
#include "counter_kernels.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef COUNTER_ROWS // the table of another set of kernels
#define COUNTER_ROWS "counter_kernels.def"
#endif

#define COUNTER_KERNEL(name, grid, block, shared, words, rule)                                     \
    extern "C" __global__ void name(COUNTER_ARGUMENTS);
#include COUNTER_ROWS
#undef COUNTER_KERNEL

typedef struct counter_row {
    const char *name;
    const void *kernel;
    dim3 grid, block;
    unsigned shared_bytes; // dynamic
    unsigned words;        // of `out` that the kernel changes
    const char *rule;
} counter_row;

#define X(x)         dim3(x)
#define XY(x, y)     dim3(x, y)
#define XYZ(x, y, z) dim3(x, y, z)
static const counter_row rows[] = {
#define COUNTER_KERNEL(name, grid, block, shared, words, rule)                                     \
    {#name, (const void *)name, grid, block, shared, words, rule},
#include COUNTER_ROWS
#undef COUNTER_KERNEL
};
enum { ROWS = sizeof rows / sizeof rows[0] };

typedef struct counter_arrays {
    uint32_t *d_in, *d_out, *d_index;
    uint32_t *h_out;
} counter_arrays;

static bool failed(cudaError_t error, const char *what) {
    if (error == cudaSuccess) return false;
    fprintf(stderr, "counter_kernels: %s: %s\n", what, cudaGetErrorString(error));
    return true;
}

// A permutation of 0..n-1 by exchanges; the same on every machine.
static void permute(uint32_t *index, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) index[i] = i;
    for (uint32_t i = n - 1; i > 0; i--) {
        uint32_t j = counter_word(i) % (i + 1), kept = index[i];
        index[i] = index[j];
        index[j] = kept;
    }
}

static bool upload(counter_arrays *arrays) {
    size_t in_bytes = COUNTER_IN_WORDS * sizeof(uint32_t);
    size_t out_bytes = COUNTER_OUT_WORDS * sizeof(uint32_t);
    size_t index_bytes = COUNTER_INDEX_WORDS * sizeof(uint32_t);
    uint32_t *h_in = (uint32_t *)malloc(in_bytes);
    uint32_t *h_index = (uint32_t *)malloc(index_bytes);
    arrays->h_out = (uint32_t *)malloc(out_bytes);
    bool bad = !h_in || !h_index || !arrays->h_out;
    if (bad) fprintf(stderr, "counter_kernels: out of memory\n");
    if (!bad) {
        for (uint32_t i = 0; i < COUNTER_IN_WORDS; i++) h_in[i] = counter_word(i);
        permute(h_index, COUNTER_INDEX_WORDS);
        bad = failed(cudaMalloc((void **)&arrays->d_in, in_bytes), "cudaMalloc") ||
              failed(cudaMalloc((void **)&arrays->d_out, out_bytes), "cudaMalloc") ||
              failed(cudaMalloc((void **)&arrays->d_index, index_bytes), "cudaMalloc") ||
              failed(cudaMemcpy(arrays->d_in, h_in, in_bytes, cudaMemcpyHostToDevice),
                     "cudaMemcpy") ||
              failed(cudaMemcpy(arrays->d_index, h_index, index_bytes, cudaMemcpyHostToDevice),
                     "cudaMemcpy");
    }
    free(h_in);
    free(h_index);
    return !bad;
}

static void release(counter_arrays *arrays) {
    cudaFree(arrays->d_in);
    cudaFree(arrays->d_out);
    cudaFree(arrays->d_index);
    free(arrays->h_out);
}

// Words that are not the poison any more, and a hash of them and of their places (FNV-1a over
// words).
static unsigned digest(const uint32_t *out, uint64_t *out_checksum) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    unsigned words = 0;
    for (uint32_t i = 0; i < COUNTER_OUT_WORDS; i++) {
        if (out[i] == COUNTER_POISON * 0x01010101u) continue;
        hash = (hash ^ i) * UINT64_C(0x100000001B3);
        hash = (hash ^ out[i]) * UINT64_C(0x100000001B3);
        words++;
    }
    *out_checksum = hash;
    return words;
}

static bool launch(const counter_arrays *arrays, const counter_row *row) {
    const uint32_t *in = arrays->d_in, *index = arrays->d_index;
    uint32_t *out = arrays->d_out;
    void *arguments[] = {&in, &out, &index};
    size_t out_bytes = COUNTER_OUT_WORDS * sizeof(uint32_t);
    if (failed(cudaMemset(out, COUNTER_POISON, out_bytes), "cudaMemset")) return false;
    if (row->shared_bytes > 48 * 1024 &&
        failed(cudaFuncSetAttribute(row->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    (int)row->shared_bytes),
               "cudaFuncSetAttribute"))
        return false;
    if (failed(
            cudaLaunchKernel(row->kernel, row->grid, row->block, arguments, row->shared_bytes, 0),
            row->name) ||
        failed(cudaDeviceSynchronize(), row->name))
        return false;
    return !failed(cudaMemcpy(arrays->h_out, out, out_bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

// The checksum that `expected` (the output of an earlier run) has for this kernel; false when it
// has none.
static bool find_expected(FILE *expected, const char *name, uint64_t *out_checksum) {
    char line[256], found[64];
    unsigned long long checksum;
    rewind(expected);
    while (fgets(line, sizeof line, expected)) {
        if (sscanf(line, "%*d %63s %*d %*d %*d %*d %*d %*d %*d %llx", found, &checksum) == 2 &&
            strcmp(found, name) == 0) {
            *out_checksum = checksum;
            return true;
        }
    }
    return false;
}

static bool run(const counter_arrays *arrays, const counter_row *row, int number, FILE *expected) {
    if (!launch(arrays, row)) {
        printf("%d %s FAILED\n", number, row->name);
        cudaGetLastError();
        return false;
    }
    uint64_t checksum, wanted;
    unsigned words = digest(arrays->h_out, &checksum);
    printf("%d %s %u %u %u %u %u %u %u %016llx\n", number, row->name, row->grid.x, row->grid.y,
           row->grid.z, row->block.x, row->block.y, row->block.z, words,
           (unsigned long long)checksum);
    fflush(stdout);
    bool ok = true;
    if (words != row->words) {
        fprintf(stderr, "counter_kernels: %s changed %u words of out, %u wanted\n", row->name,
                words, row->words);
        ok = false;
    }
    if (expected && !find_expected(expected, row->name, &wanted)) {
        fprintf(stderr, "counter_kernels: %s is not in the expected output\n", row->name);
        ok = false;
    } else if (expected && wanted != checksum) {
        fprintf(stderr, "counter_kernels: %s: checksum %016llx, expected %016llx\n", row->name,
                (unsigned long long)checksum, (unsigned long long)wanted);
        ok = false;
    }
    return ok;
}

static bool wanted_row(const counter_row *row, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], row->name) == 0) return true;
    return count == 0;
}

static int usage(void) {
    fprintf(stderr, "usage: counter_kernels [--expect EARLIER_OUTPUT] [KERNEL..]\n"
                    "       counter_kernels --list\n");
    return 2;
}

int main(int argc, char **argv) {
    FILE *expected = NULL;
    int first = 1;
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        for (int i = 0; i < ROWS; i++) printf("%-36s %s\n", rows[i].name, rows[i].rule);
        return 0;
    }
    if (argc > 1 && strcmp(argv[1], "--expect") == 0) {
        if (argc < 3) return usage();
        expected = fopen(argv[2], "r");
        if (!expected) {
            perror(argv[2]);
            return 2;
        }
        first = 3;
    }
    if (argc > first && argv[first][0] == '-') return usage();
    counter_arrays arrays = {};
    int launched = 0, bad = 0;
    bool ready = upload(&arrays);
    for (int i = 0; ready && i < ROWS; i++) {
        if (!wanted_row(&rows[i], argc - first, argv + first)) continue;
        if (!run(&arrays, &rows[i], launched, expected)) bad++;
        launched++;
    }
    release(&arrays);
    if (expected) fclose(expected);
    fprintf(stderr, "counter_kernels: %d launched, %d wrong\n", launched, bad);
    return ready && launched > 0 && bad == 0 ? 0 : 1;
}
