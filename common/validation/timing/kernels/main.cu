// Times each kernel of kernels.def and prints CSV, one row a kernel:
//   name,kind,half,us,low_us,high_us
// after a line that names the card. Names of kernels or kinds as arguments choose.
#include "kernels.h"

#include "../bench.h"

#define TIMING_KERNEL(name, kind, half, grid, block, n)                                            \
    extern "C" __global__ void name(TIMING_ARGUMENTS);
#include "kernels.def"
#undef TIMING_KERNEL

enum timing_half { LOOK, HELD, NEW, CAUSE };
static const char *const half_names[] = {"look", "held", "new", "cause"};

typedef struct timing_row {
    const char *name, *kind;
    enum timing_half half;
    const void *kernel;
    dim3 grid, block;
    int n;
} timing_row;

#define X(x)         dim3(x)
#define XY(x, y)     dim3(x, y)
#define XYZ(x, y, z) dim3(x, y, z)
static const timing_row rows[] = {
#define TIMING_KERNEL(name, kind, half, grid, block, n)                                            \
    {#name, #kind, half, (const void *)name, grid, block, n},
#include "kernels.def"
#undef TIMING_KERNEL
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static uint32_t hash(uint32_t h) {
    h = (h ^ (h >> 16)) * 0x7feb352du;
    h = (h ^ (h >> 15)) * 0x846ca68bu;
    return h ^ (h >> 16);
}

static void *upload(const void *values, size_t bytes) {
    void *device;
    CHECK(cudaMalloc(&device, bytes));
    CHECK(cudaMemcpy(device, values, bytes, cudaMemcpyHostToDevice));
    return device;
}

static void *d_x, *d_y, *d_words, *d_next;

static void upload_arrays(void) {
    const size_t bytes = sizeof(uint32_t) * TIMING_ELEMS;
    uint32_t *values = (uint32_t *)malloc(bytes);
    float *floats = (float *)values, taps[TIMING_TAPS];
    for (int i = 0; i < TIMING_TAPS; i++) taps[i] = 1.0f / (1 + i);
    CHECK((cudaError_t)timing_set_taps(taps));
    for (uint32_t i = 0; i < TIMING_ELEMS; i++) floats[i] = 0.5f + (hash(i) >> 8) * 0x1p-24f;
    d_x = upload(values, bytes);
    for (uint32_t i = 0; i < TIMING_ELEMS; i++) floats[i] = 0.5f + (hash(~i) >> 8) * 0x1p-24f;
    d_y = upload(values, bytes);
    for (uint32_t i = 0; i < TIMING_ELEMS; i++) values[i] = hash(i + 0x9E3779B9u);
    d_words = upload(values, bytes);
    for (uint32_t i = 0; i < TIMING_ELEMS; i++)
        values[i] = (i * 1664525u + 1013904223u) % TIMING_ELEMS;
    d_next = upload(values, bytes);
    free(values);
}

static void measure(const bench *b, const timing_row *row) {
    int n = row->n;
    void *arguments[] = {&d_x, &d_y, (void *)&b->out, &d_words, &d_next, &n};
    const timed t = {row->kernel, arguments, row->grid, row->block, 0};
    printf("%s,%s,%s,", row->name, row->kind, half_names[row->half]);
    print_times(b, &t);
}

// Within each kind the halves alternate: see kernels.def.
static bool halves_alternate(void) {
    for (int i = 0; i < ROWS; i++) {
        int before = 0;
        for (int k = 0; k < i; k++) before += strcmp(rows[k].kind, rows[i].kind) == 0;
        if (rows[i].half >= NEW || rows[i].half == before % 2) continue;
        fprintf(stderr, "timing_kernels: %s is not in the half of its turn\n", rows[i].name);
        return false;
    }
    return true;
}

static bool wanted(const timing_row *row, int count, char **names) {
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], row->name) == 0 || strcmp(names[i], row->kind) == 0) return true;
    return count == 0;
}

int main(int argc, char **argv) {
    int measured = 0;
    if (!halves_alternate()) return 2;
    upload_arrays();
    const bench b = open_bench(sizeof(float) * TIMING_ELEMS);
    printf("name,kind,half,us,low_us,high_us\n");
    for (int i = 0; i < ROWS; i++) {
        if (!wanted(&rows[i], argc - 1, argv + 1)) continue;
        measure(&b, &rows[i]);
        measured++;
    }
    if (measured == 0) fprintf(stderr, "timing_kernels: no kernel of this name\n");
    return measured > 0 ? 0 : 1;
}
