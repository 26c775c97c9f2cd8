// Launches each kernel of counter_kernels.def once, in order and by name, and prints one line a
// kernel:
//   launch kernel gx gy gz bx by bz words checksum
// Under Nsight Compute (collect_counters.sh) this gives the counters that the simulator's are
// compared with. Must not launch anything else, so that launch numbers and rows agree.
#include "counter_kernels.h"

#include <string.h>

#include "../check.h"

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

static uint32_t *d_in, *d_out, *d_index;

// A permutation of 0..n-1 by exchanges; the same on every machine.
static void permute(uint32_t *index, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) index[i] = i;
    for (uint32_t i = n - 1; i > 0; i--) {
        uint32_t j = counter_word(i) % (i + 1), kept = index[i];
        index[i] = index[j];
        index[j] = kept;
    }
}

static uint32_t *words_of(uint32_t count) {
    uint32_t *words = (uint32_t *)malloc(count * sizeof(uint32_t));
    CHECK(words ? cudaSuccess : cudaErrorMemoryAllocation);
    return words;
}

static void upload(void) {
    const size_t in_bytes = COUNTER_IN_WORDS * sizeof(uint32_t);
    const size_t index_bytes = COUNTER_INDEX_WORDS * sizeof(uint32_t);
    uint32_t *h_in = words_of(COUNTER_IN_WORDS), *h_index = words_of(COUNTER_INDEX_WORDS);
    for (uint32_t i = 0; i < COUNTER_IN_WORDS; i++) h_in[i] = counter_word(i);
    permute(h_index, COUNTER_INDEX_WORDS);
    CHECK(cudaMalloc(&d_in, in_bytes));
    CHECK(cudaMalloc(&d_out, COUNTER_OUT_WORDS * sizeof(uint32_t)));
    CHECK(cudaMalloc(&d_index, index_bytes));
    CHECK(cudaMemcpy(d_in, h_in, in_bytes, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_index, h_index, index_bytes, cudaMemcpyHostToDevice));
    free(h_in);
    free(h_index);
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

// False when the kernel changed more or fewer words than its row says.
static bool run(const counter_row *row, int number, uint32_t *h_out) {
    void *arguments[] = {&d_in, &d_out, &d_index};
    const size_t out_bytes = COUNTER_OUT_WORDS * sizeof(uint32_t);
    CHECK(cudaMemset(d_out, COUNTER_POISON, out_bytes));
    if (row->shared_bytes > 48 * 1024)
        CHECK(cudaFuncSetAttribute(row->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   (int)row->shared_bytes));
    CHECK(cudaLaunchKernel(row->kernel, row->grid, row->block, arguments, row->shared_bytes, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h_out, d_out, out_bytes, cudaMemcpyDeviceToHost));
    uint64_t checksum;
    unsigned words = digest(h_out, &checksum);
    printf("%d %s %u %u %u %u %u %u %u %016llx\n", number, row->name, row->grid.x, row->grid.y,
           row->grid.z, row->block.x, row->block.y, row->block.z, words,
           (unsigned long long)checksum);
    fflush(stdout);
    if (words == row->words) return true;
    fprintf(stderr, "counter_kernels: %s changed %u words of out, %u wanted\n", row->name, words,
            row->words);
    return false;
}

static bool wanted_row(const counter_row *row, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], row->name) == 0) return true;
    return count == 0;
}

int main(int argc, char **argv) {
    int launched = 0, bad = 0;
    if (argc > 1 && strcmp(argv[1], "--list") == 0) {
        for (int i = 0; i < ROWS; i++) printf("%-36s %s\n", rows[i].name, rows[i].rule);
        return 0;
    }
    upload();
    uint32_t *h_out = words_of(COUNTER_OUT_WORDS);
    for (int i = 0; i < ROWS; i++) {
        if (!wanted_row(&rows[i], argc - 1, argv + 1)) continue;
        if (!run(&rows[i], launched, h_out)) bad++;
        launched++;
    }
    free(h_out);
    fprintf(stderr, "counter_kernels: %d launched, %d wrong\n", launched, bad);
    return launched > 0 && bad == 0 ? 0 : 1;
}
