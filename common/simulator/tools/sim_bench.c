// sim-bench: how many warp instructions per second the simulator executes, on fixed kernels, by
// mode and by number of host threads; what a launch costs by itself, and the start of the engine.
// --features: of a loop of each feature (features.def), and the launch of a large kernel. A
// benchmark, never a test: it judges nothing.
#include "engine/engine.h"
#include "table.h"
#include "this_machine.h"

// The PTX of kernels.cu and features.cu, put into this program by the assembler.
__asm__(".section .rodata\n"
        ".global bench_ptx, bench_ptx_end\n"
        "bench_ptx: .incbin \"" SIM_BENCH_PTX "\"\n"
        "bench_ptx_end: .byte 0\n"
        ".global features_ptx, features_ptx_end\n"
        "features_ptx: .incbin \"" SIM_FEATURES_PTX "\"\n"
        "features_ptx_end: .byte 0\n"
        ".previous\n");
extern const char bench_ptx[], bench_ptx_end[], features_ptx[], features_ptx_end[];

// That of products.cu; nothing with a toolkit that has no wgmma.
__asm__(".section .rodata\n"
        ".global products_ptx, products_ptx_end\n"
        "products_ptx: "
#ifdef SIM_BENCH_PRODUCTS
        ".incbin \"" SIM_BENCH_PRODUCTS "\"\n"
#endif
        "products_ptx_end: .byte 0\n"
        ".previous\n");
extern const char products_ptx[], products_ptx_end[];

enum { LAUNCHES = 2000, N = 512, REDUCE_BLOCKS = 16384, REDUCE_BLOCK = 256, REPEATS = 3 };

typedef struct bench_case {
    const char *kernel, *text;
    sim_dim3 grid, block;
    int pointers; // device pointers before the int parameter
    uint64_t elems[3];
} bench_case;

static const bench_case cases[] = {
    {"bench_gemm_naive", "naive SGEMM 512^3", {32, 32, 1}, {16, 16, 1}, 3, {N * N, N *N, N *N}},
    {"bench_gemm_tiled", "tiled SGEMM 512^3", {32, 32, 1}, {16, 16, 1}, 3, {N * N, N *N, N *N}},
    {"bench_reduce",
     "divergent reduction of 2^22",
     {REDUCE_BLOCKS, 1, 1},
     {REDUCE_BLOCK, 1, 1},
     2,
     {REDUCE_BLOCKS * REDUCE_BLOCK, REDUCE_BLOCKS, 0}},
};

static sim_status prepare(sim_engine *engine, const bench_case *bench, uint8_t *params,
                          uint32_t *out_param_bytes, kl_error *err) {
    for (int p = 0; p < bench->pointers; p++) {
        uint64_t address, bytes = bench->elems[p] * sizeof(float);
        TRY(sim_memory_alloc(engine, bytes, &address, err));
        float *values = malloc(bytes);
        if (!values) return sim_fail(err, SIM_OUT_OF_MEMORY, "no memory for the inputs");
        for (uint64_t i = 0; i < bench->elems[p]; i++) values[i] = (float)(i % 7) - 3.0f;
        sim_status status = sim_memory_write(engine, address, values, bytes, err);
        free(values);
        TRY(status);
        memcpy(params + 8 * p, &address, 8);
    }
    int n = N;
    *out_param_bytes = (uint32_t)(8 * bench->pointers);
    if (bench->pointers == 3) {
        memcpy(params + 24, &n, sizeof n);
        *out_param_bytes += sizeof n;
    }
    return SIM_OK;
}

// Best speed of a few launches, in warp instructions per second.
static sim_status measure(const bench_case *bench, sim_mode mode, uint32_t threads,
                          double *out_speed, kl_error *err) {
    sim_options options = {.mode = mode, .threads = threads};
    sim_engine *engine;
    TRY(sim_engine_open_local(&options, &engine, err));
    sim_module_handle module;
    sim_function_handle function;
    uint8_t params[32];
    uint32_t param_bytes = 0;
    sim_status status =
        sim_module_load(engine, bench_ptx, (size_t)(bench_ptx_end - bench_ptx), &module, err);
    if (status == SIM_OK) status = sim_function_find(engine, module, bench->kernel, &function, err);
    if (status == SIM_OK) status = prepare(engine, bench, params, &param_bytes, err);
    *out_speed = 0;
    for (int i = 0; status == SIM_OK && i < REPEATS; i++) {
        sim_launch_config config = {.grid = bench->grid, .block = bench->block};
        sim_launch_result result;
        status = sim_launch_kernel(engine, function, &config, params, param_bytes, &result, err);
        double speed = (double)result.warp_instructions / result.host_seconds;
        if (status == SIM_OK && speed > *out_speed) *out_speed = speed;
    }
    sim_engine_close(engine);
    return status;
}

typedef struct bench_mode {
    const char *name;
    sim_mode mode;
} bench_mode;
static const bench_mode modes[] = {{"functional", SIM_MODE_FUNCTIONAL},
                                   {"count", SIM_MODE_COUNT},
                                   {"check", SIM_MODE_CHECK}}; // on one thread only
enum { MODES = sizeof modes / sizeof modes[0] };

static sim_status bench_speed(const bench_case *bench, const bench_mode *mode, uint32_t cores,
                              kl_error *err) {
    double one, all = 0;
    char text[32] = "";
    TRY(measure(bench, mode->mode, 1, &one, err));
    if (mode->mode != SIM_MODE_CHECK) {
        TRY(measure(bench, mode->mode, cores, &all, err));
        snprintf(text, sizeof text, " %10.1f", all / 1e6);
    }
    printf("%-30s %-12s %10.1f%s\n", bench->text, mode->name, one / 1e6, text);
    return SIM_OK;
}

static sim_status launch_empty(sim_engine *engine, sim_function_handle function, uint32_t blocks,
                               double *out_us, kl_error *err) {
    sim_launch_config config = {.grid = {blocks, 1, 1}, .block = {REDUCE_BLOCK, 1, 1}};
    *out_us = 0;
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        double start = kl_now_s();
        for (int i = 0; i < LAUNCHES; i++) {
            sim_launch_result result;
            TRY(sim_launch_kernel(engine, function, &config, NULL, 0, &result, err));
        }
        double us = (kl_now_s() - start) * 1e6 / LAUNCHES;
        if (repeat == 0 || us < *out_us) *out_us = us;
    }
    return SIM_OK;
}

// The engine with the kernels of this program loaded, and launches that do nothing.
static sim_status bench_launches(const bench_mode *mode, kl_error *err) {
    sim_options options = {.mode = mode->mode, .threads = 1};
    sim_engine *engine;
    sim_module_handle module;
    sim_function_handle function;
    double us[2] = {0}, start = kl_now_s();
    TRY(sim_engine_open_local(&options, &engine, err));
    sim_status status =
        sim_module_load(engine, bench_ptx, (size_t)(bench_ptx_end - bench_ptx), &module, err);
    if (status == SIM_OK) status = sim_function_find(engine, module, "bench_empty", &function, err);
    double start_ms = (kl_now_s() - start) * 1e3;
    if (status == SIM_OK) status = launch_empty(engine, function, 1, &us[0], err);
    if (status == SIM_OK) status = launch_empty(engine, function, 132, &us[1], err);
    sim_engine_close(engine);
    if (status == SIM_OK)
        printf("%-30s %-12s %10.1f %10.1f %10.1f\n", "start-up, empty launches", mode->name,
               start_ms, us[0], us[1]);
    return status;
}

// ---- tensor cores ----

enum { ROWS = 1024, PRODUCTS = 4096, SHARED_BYTES = 20 * 256 * 16 * 2, PLACES = 3 };

typedef struct bench_product {
    const char *kernel, *text;
    sim_dim3 grid, block;
    uint32_t shared_bytes;
    int pointers;     // device pointers before the int parameter
    int parameter;    // it
    double per, unit; // what the time is divided by; of what it is printed, in seconds
} bench_product;

static const bench_product products[] = {
    {"bench_wgmma",
     "wgmma 64 x 256 x 16, us",
     {1, 1, 1},
     {128, 1, 1},
     SHARED_BYTES,
     1,
     PRODUCTS,
     PRODUCTS,
     1e-6},
    {"bench_wmma",
     "wmma 1,024^3 in half, s",
     {ROWS / 32 * ROWS / 32 / 4, 1, 1},
     {128, 1, 1},
     0,
     3,
     ROWS,
     1,
     1},
};

static sim_status time_product(sim_engine *engine, const bench_product *bench, double *out_time,
                               kl_error *err) {
    sim_module_handle module;
    sim_function_handle function;
    sim_launch_config config = {
        .grid = bench->grid, .block = bench->block, .dynamic_shared_bytes = bench->shared_bytes};
    uint64_t params[PLACES + 1];
    TRY(sim_module_load(engine, products_ptx, (size_t)(products_ptx_end - products_ptx), &module,
                        err));
    TRY(sim_function_find(engine, module, bench->kernel, &function, err));
    TRY(sim_function_set_max_dynamic_shared(engine, function, bench->shared_bytes, err));
    for (int p = 0; p < bench->pointers; p++) {
        TRY(sim_memory_alloc(engine, (uint64_t)ROWS * ROWS * sizeof(float), &params[p], err));
        TRY(sim_memory_fill(engine, params[p], 0x31, 1, (uint64_t)ROWS * ROWS * sizeof(float),
                            err));
    }
    params[bench->pointers] = (uint64_t)bench->parameter;
    for (int i = 0; i < REPEATS; i++) {
        sim_launch_result result;
        uint32_t bytes = 8 * (uint32_t)bench->pointers + 4;
        TRY(sim_launch_kernel(engine, function, &config, params, bytes, &result, err));
        double time = result.host_seconds / bench->per / bench->unit;
        if (i == 0 || time < *out_time) *out_time = time;
    }
    return SIM_OK;
}

static sim_status bench_products(kl_error *err) {
    if (!*products_ptx) return SIM_OK;
    printf("\nProducts on tensor cores on one thread, best of %d launches\n\n%-30s", REPEATS, "");
    for (size_t m = 0; m < MODES; m++) printf(" %10s", modes[m].name);
    printf("\n");
    for (size_t p = 0; p < sizeof products / sizeof products[0]; p++) {
        double time[MODES] = {0};
        for (size_t m = 0; m < MODES; m++) {
            sim_options options = {.mode = modes[m].mode, .threads = 1};
            sim_engine *engine;
            TRY(sim_engine_open_local(&options, &engine, err));
            sim_status status = time_product(engine, &products[p], &time[m], err);
            sim_engine_close(engine);
            TRY(status);
        }
        printf("%-30s %10.2f %10.2f %10.2f\n", products[p].text, time[0], time[1], time[2]);
    }
    return SIM_OK;
}

// ---- One feature after the other ----

typedef struct feature {
    const char *kernel, *text;
} feature;
#define FEATURE(name, text) {"feature_" #name, text},
static const feature features[] = {
#include "features.def"
};
#undef FEATURE

// Nanoseconds of this process's processor time, which other programs do not lengthen.
static double processor_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

// The least time of a warp instruction over a few launches on one thread.
static sim_status measure_feature(const feature *feature, sim_mode mode, double *out_ns,
                                  kl_error *err) {
    enum { BLOCKS = 128, COUNT = 256, BYTES = 4096 * 4 };
    sim_options options = {.mode = mode, .threads = 1};
    sim_engine *engine;
    TRY(sim_engine_open_local(&options, &engine, err));
    sim_module_handle module;
    sim_function_handle function;
    struct {
        uint64_t memory;
        int count;
    } params = {0, COUNT};
    size_t bytes = (size_t)(features_ptx_end - features_ptx);
    sim_status status = sim_module_load(engine, features_ptx, bytes, &module, err);
    if (status == SIM_OK)
        status = sim_function_find(engine, module, feature->kernel, &function, err);
    if (status == SIM_OK) status = sim_memory_alloc(engine, BYTES, &params.memory, err);
    if (status == SIM_OK) status = sim_memory_fill(engine, params.memory, 0, 4, BYTES / 4, err);
    *out_ns = INFINITY;
    for (int i = 0; status == SIM_OK && i < REPEATS; i++) {
        sim_launch_config config = {.grid = {BLOCKS, 1, 1}, .block = {REDUCE_BLOCK, 1, 1}};
        sim_launch_result result;
        double start = processor_ns();
        status = sim_launch_kernel(engine, function, &config, &params, 12, &result, err);
        double ns = (processor_ns() - start) / (double)result.warp_instructions;
        if (status == SIM_OK && ns < *out_ns) *out_ns = ns;
    }
    sim_engine_close(engine);
    return status;
}

// Microseconds per launch of a large kernel that ends early.
static sim_status measure_large(sim_mode mode, double *out_us, kl_error *err) {
    sim_options options = {.mode = mode, .threads = 1};
    sim_engine *engine;
    TRY(sim_engine_open_local(&options, &engine, err));
    sim_module_handle module;
    sim_function_handle function;
    const struct {
        uint64_t memory;
        int goes_on;
    } params = {0, 0};
    size_t bytes = (size_t)(features_ptx_end - features_ptx);
    sim_status status = sim_module_load(engine, features_ptx, bytes, &module, err);
    if (status == SIM_OK) status = sim_function_find(engine, module, "bench_large", &function, err);
    *out_us = INFINITY;
    for (int repeat = 0; status == SIM_OK && repeat < REPEATS; repeat++) {
        const sim_launch_config config = {.grid = {1, 1, 1}, .block = {REDUCE_BLOCK, 1, 1}};
        sim_launch_result result;
        double start = processor_ns();
        for (int i = 0; status == SIM_OK && i < LAUNCHES; i++)
            status = sim_launch_kernel(engine, function, &config, &params, 12, &result, err);
        *out_us = fmin(*out_us, (processor_ns() - start) * 1e-3 / LAUNCHES);
    }
    sim_engine_close(engine);
    return status;
}

static int bench_features(void) {
    kl_error err;
    double us[2];
    printf(
        "Million warp instructions per second of processor time, one thread, best of %d launches; "
        "loops included\n\n%-34s %10s %10s\n",
        REPEATS, "feature", "functional", "count");
    for (size_t f = 0; f < sizeof features / sizeof features[0]; f++) {
        double ns[2];
        for (int m = 0; m < 2; m++)
            if (measure_feature(&features[f], modes[m].mode, &ns[m], &err) != SIM_OK) {
                fprintf(stderr, "sim-bench: %s: %s\n", features[f].kernel, err.text);
                return 1;
            }
        printf("%-34s %10.1f %10.1f\n", features[f].text, 1e3 / ns[0], 1e3 / ns[1]);
    }
    for (int m = 0; m < 2; m++)
        if (measure_large(modes[m].mode, &us[m], &err) != SIM_OK) {
            fprintf(stderr, "sim-bench: bench_large: %s\n", err.text);
            return 1;
        }
    printf("\n%-34s %10.1f %10.1f\n", "launch of a large kernel, us", us[0], us[1]);
    return 0;
}

int main(int argc, char **argv) {
    kl_ticker_say("measuring"); // rows, longer than that, come whole
    if (argc == 2 && strcmp(argv[1], "--features") == 0) return bench_features();
    if (argc > 1) {
        fprintf(stderr, "usage: sim-bench [--features]\n");
        return 2;
    }
    uint32_t cores = (uint32_t)kl_processors();
    kl_error err;
    printf("Million warp instructions per second, best of %d launches\n\n", REPEATS);
    printf("%-30s %-12s %10s %10u\n", "kernel", "mode", "1 thread", cores);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        for (size_t m = 0; m < MODES; m++)
            if (bench_speed(&cases[c], &modes[m], cores, &err) != SIM_OK) {
                fprintf(stderr, "sim-bench: %s: %s\n", cases[c].kernel, err.text);
                return 1;
            }
    printf("\nFixed costs on one thread, best of %d times %d launches of %d threads per block\n\n",
           REPEATS, LAUNCHES, REDUCE_BLOCK);
    printf("%-30s %-12s %10s %10s %10s\n", "", "mode", "start, ms", "1 block, us", "132, us");
    for (size_t m = 0; m < MODES; m++)
        if (bench_launches(&modes[m], &err) != SIM_OK) {
            fprintf(stderr, "sim-bench: bench_empty: %s\n", err.text);
            return 1;
        }
    if (bench_products(&err) != SIM_OK) {
        fprintf(stderr, "sim-bench: products: %s\n", err.text);
        return 1;
    }
    return 0;
}
