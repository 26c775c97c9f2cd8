// Bulk tensor copies on a device: boxes of tensors of every type, rank, swizzle and position are
// loaded, stored and reduced, with a hash of the bytes per line; then what the driver says to
// descriptions of tensors, and what mistakes end with.
//
//   tensor_program                prints a line per case
//   tensor_program --section NAME prints the lines of one section
//   tensor_program --mistake NAME how a launch with this mistake ends: each needs its own process
#include "tensor/case.cuh"
#include "tensor/copies.cuh"

// ---- What the driver says to descriptions of tensors --------------------------------------------

static void tell(const char *what, const tensor *t, size_t shift) {
    CUtensorMap map;
    say("%s: code %d", what, (int)describe(&map, t, d_tensor + shift));
}

static tensor plain(void) {
    uint32_t dims[] = {64, 32, 8, 4, 2}, box[] = {16, 8, 4, 2, 1};
    return make(7, 3, dims, box, 0);
}

#define TELL(what, shift, change)                                                                  \
    do {                                                                                           \
        tensor t = plain();                                                                        \
        change;                                                                                    \
        tell(what, &t, shift);                                                                     \
    } while (0)

static void run_descriptions(void) {
    TELL("plain", 0, (void)0);
    TELL("rank 0", 0, t.rank = 0);
    TELL("rank 5", 0, t.rank = 5; for (int i = 3; i < 5; i++) t.dims[i] = t.box[i] = t.steps[i] = 1;
         t.strides[2] = t.strides[3] = 1 << 20);
    TELL("rank 6", 0, t.rank = 6);
    for (int type = 0; type < 17; type++) {
        char text[32];
        snprintf(text, sizeof text, "type %d", type);
        TELL(text, 0, t.type = type; t.dims[0] = 128; t.box[0] = 128; t.strides[0] = 1024;
             t.strides[1] = 65536; t.box[1] = 1);
    }
    TELL("type -1", 0, t.type = -1);
    TELL("address at 8", 8, (void)0);
    TELL("address at 16", 16, (void)0);
    TELL("dimension 0", 0, t.dims[1] = 0);
    TELL("dimension 2^32", 0, t.dims[1] = 1ull << 32);
    TELL("dimension 2^32 + 1", 0, t.dims[1] = (1ull << 32) + 1);
    TELL("stride 8", 0, t.strides[0] = 8);
    TELL("stride 16, rows overlap", 0, t.strides[0] = 16);
    TELL("stride 0", 0, t.strides[0] = 0);
    TELL("stride 264", 0, t.strides[0] = 264);
    TELL("stride 2^40", 0, t.strides[1] = 1ull << 40);
    TELL("stride 2^40 - 16", 0, t.strides[1] = (1ull << 40) - 16);
    TELL("outer stride below inner", 0, t.strides[1] = 128);
    TELL("outer stride not a multiple of inner", 0, t.strides[1] = t.strides[0] * 32 + 16);
    TELL("unused stride odd", 0, t.strides[2] = 3);
    TELL("box 0", 0, t.box[1] = 0);
    TELL("box 256", 0, t.box[1] = 256);
    TELL("box 257", 0, t.box[1] = 257);
    TELL("box above the dimension", 0, t.box[1] = 40);
    TELL("box of 256 x 256 x 256", 0, t.box[0] = t.box[1] = t.box[2] = 256);
    TELL("box of 256 x 64 words", 0, t.box[0] = 256; t.box[1] = 64; t.box[2] = 1);
    TELL("box of 256 x 128 words", 0, t.box[0] = 256; t.box[1] = 128; t.box[2] = 1);
    TELL("box of 256 x 227 words", 0, t.box[0] = 256; t.box[1] = 227; t.box[2] = 1);
    TELL("box of 256 x 228 words", 0, t.box[0] = 256; t.box[1] = 228; t.box[2] = 1);
    TELL("box of 256 x 255 words", 0, t.box[0] = 256; t.box[1] = 255; t.box[2] = 1);
    TELL("box of 256 x 256 words", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 1);
    TELL("box of 256 x 256 x 2 bytes", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 2; t.type = 0);
    TELL("box of 256 x 256 x 3 bytes", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 3; t.type = 0);
    TELL("box of 256 x 256 x 4 bytes", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 4; t.type = 0);
    TELL("box of 256 x 256 x 8 bytes", 0, t.box[0] = 256; t.box[1] = 256; t.box[2] = 8; t.type = 0);
    TELL("box of 256 x 256 words, every 8th row", 0, t.box[0] = t.box[1] = 256; t.box[2] = 1;
         t.steps[1] = 8);
    TELL("inner box of 8 bytes", 0, t.box[0] = 2);
    TELL("inner box of 24 bytes", 0, t.box[0] = 6);
    TELL("element stride 0", 0, t.steps[1] = 0);
    TELL("element stride 8", 0, t.steps[1] = 8);
    TELL("element stride 9", 0, t.steps[1] = 9);
    TELL("inner element stride 0", 0, t.steps[0] = 0);
    TELL("inner element stride 2", 0, t.steps[0] = 2);
    TELL("inner element stride 9", 0, t.steps[0] = 9);
    TELL("swizzle 32, 32 bytes", 0, t.swizzle = 1; t.box[0] = 8);
    TELL("swizzle 32, 64 bytes", 0, t.swizzle = 1);
    TELL("swizzle 64, 64 bytes", 0, t.swizzle = 2);
    TELL("swizzle 64, 128 bytes", 0, t.swizzle = 2; t.box[0] = 32);
    TELL("swizzle 128, 128 bytes", 0, t.swizzle = 3; t.box[0] = 32);
    TELL("swizzle 128, 256 bytes", 0, t.swizzle = 3; t.box[0] = 64);
    for (int swizzle = 4; swizzle < 8; swizzle++) {
        char text[32];
        snprintf(text, sizeof text, "swizzle number %d", swizzle);
        TELL(text, 0, t.swizzle = swizzle);
    }
    TELL("interleave 3", 0, t.interleave = 3);
    TELL("promotion 3", 0, t.promotion = 3);
    TELL("promotion 4", 0, t.promotion = 4);
    TELL("fill 1", 0, t.fill = 1);
    TELL("fill 1 of integers", 0, t.fill = 1; t.type = 2);
    TELL("fill 2", 0, t.fill = 2);
    tensor t = plain();
    CUtensorMap map[2];
    say("no map: code %d", (int)describe(NULL, &t, d_tensor));
    say("map at 8: code %d", (int)describe((CUtensorMap *)((char *)map + 8), &t, d_tensor));
    say("no dimensions: code %d",
        (int)encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, d_tensor, NULL, t.strides, t.box,
                    t.steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    say("no strides of one dimension: code %d",
        (int)encode(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, d_tensor, t.dims, NULL, t.box, t.steps,
                    CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                    CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
    say("no address: code %d", (int)describe(map, &t, NULL));
    say("host's address: code %d", (int)describe(map, &t, h_tensor));
}

// ---- How launches with a mistake end ------------------------------------------------------------

__global__ void load_misplaced(uint8_t *out, const __grid_constant__ CUtensorMap map, coordinates c,
                               uint32_t bytes) {
    load_box<1>(out, &map, c, bytes, 2048, 0);
}

static int run_mistake(const char *name) {
    uint32_t dims[] = {64, 32}, box[] = {16, 8}, offset = 0;
    tensor t = make(7, 2, dims, box, 0);
    CUtensorMap map, zeros = {}, *d_map;
    coordinates c = {};
    auto is = [name](const char *text) { return strcmp(name, text) == 0; };
    CHECK(cudaMalloc(&d_map, 4096));
    if (is("behind")) t.dims[1] = 1 << 28;
    CUresult code = describe(&map, &t, d_tensor);
    CHECK(cudaMemcpy((char *)d_map + 16, &map, sizeof map, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy((char *)d_map + 2048 + 64, &map, sizeof map, cudaMemcpyHostToDevice));
    if (is("x1")) c.at[0] = 1;
    if (is("x2")) c.at[0] = 2;
    if (is("x-1")) c.at[0] = -1;
    if (is("x-17")) c.at[0] = -17; // wholly outside
    if (is("x65")) c.at[0] = 65;
    if (is("shared16")) offset = 16;
    if (is("shared64")) offset = 64;
    if (is("behind")) c.at[1] = 1 << 27;
    int reduces = strcmp(name, "add s64") == 0 || strcmp(name, "min f32") == 0 ||
                  strcmp(name, "inc s32") == 0 || strcmp(name, "and f32") == 0;
    if (reduces) {
        t.type = is("add s64") ? 5 : is("inc s32") ? 3 : 7;
        if (is("add s64")) t.box[0] = 8;
        describe(&map, &t, d_tensor);
    }
    int operation = is("add s64")   ? ADD
                    : is("min f32") ? MIN
                    : is("inc s32") ? INC
                    : is("and f32") ? AND
                    : is("store x-4") || is("store y-1") || is("store z-1") || is("store y99")
                        ? STORE
                    : is("add x-4") || is("add y-1") ? ADD
                    : is("add x2")                   ? ADD
                                                     : -1;
    if (strstr(name, "x-4")) c.at[0] = -4;
    if (strstr(name, "y-1")) c.at[1] = -1;
    if (strstr(name, "y99")) c.at[1] = 99;
    if (is("add x2")) c.at[0] = 2;
    if (is("prefetch x2")) c.at[0] = 2;
    if (operation >= 0) sends[1]<<<1, THREADS, 2048>>>(d_out, map, c, 512, operation);
    else if (is("rank")) load_misplaced<<<1, THREADS, 2048>>>(d_out, map, c, box_bytes(&t));
    else if (is("map16"))
        load_by_pointer<<<1, THREADS, 2048>>>(d_out, (CUtensorMap *)((char *)d_map + 16), c,
                                              box_bytes(&t), 2048);
    else if (is("map64"))
        load_by_pointer<<<1, THREADS, 2048>>>(d_out, (CUtensorMap *)((char *)d_map + 2048 + 64), c,
                                              box_bytes(&t), 2048);
    else if (is("nullmap"))
        load_by_pointer<<<1, THREADS, 2048>>>(d_out, NULL, c, box_bytes(&t), 2048);
    else
        loads[1]<<<1, THREADS, 2048>>>(d_out, is("zeros") ? zeros : map, c, box_bytes(&t), 2048,
                                       offset);
    cudaError_t status = cudaGetLastError();
    if (!status) status = cudaDeviceSynchronize();
    say("mistake %s: code %d, %s", name, (int)code, cudaGetErrorName(status));
    return 0;
}

// ---- Bulk reductions without a map --------------------------------------------------------------

static const struct {
    const char *name;
    int type;
} bulk_rows[] = {{"add.u32", 2},  {"add.s32", 3},       {"add.u64", 4},        {"add.f32", 7},
                 {"add.f64", 8},  {"add.noftz.f16", 6}, {"add.noftz.bf16", 9}, {"min.u32", 2},
                 {"max.s32", 3},  {"min.u64", 4},       {"max.s64", 5},        {"min.f16", 6},
                 {"max.bf16", 9}, {"inc.u32", 2},       {"dec.u32", 2},        {"and.b32", 2},
                 {"or.b64", 4},   {"xor.b32", 2}};

// The same rows.
__device__ static void reduce_bulk(uint8_t *to, const uint8_t *tile, int number) {
#define BULK(text)                                                                                 \
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group." text                        \
                 " [%0], [%1], %2;" ::"l"(to),                                                     \
                 "r"(shared_of(tile)), "r"(1024)                                                   \
                 : "memory")
    if (number == 0) BULK("add.u32");
    if (number == 1) BULK("add.s32");
    if (number == 2) BULK("add.u64");
    if (number == 3) BULK("add.f32");
    if (number == 4) BULK("add.f64");
    if (number == 5) BULK("add.noftz.f16");
    if (number == 6) BULK("add.noftz.bf16");
    if (number == 7) BULK("min.u32");
    if (number == 8) BULK("max.s32");
    if (number == 9) BULK("min.u64");
    if (number == 10) BULK("max.s64");
    if (number == 11) BULK("min.f16");
    if (number == 12) BULK("max.bf16");
    if (number == 13) BULK("inc.u32");
    if (number == 14) BULK("dec.u32");
    if (number == 15) BULK("and.b32");
    if (number == 16) BULK("or.b64");
    if (number == 17) BULK("xor.b32");
}

__global__ void bulk_kernel(uint8_t *to, const uint8_t *in, int number) {
    extern __shared__ __align__(1024) uint8_t tile[];
    for (uint32_t i = threadIdx.x; i < 1024; i += THREADS) tile[i] = in[i];
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (threadIdx.x != 0) return;
    reduce_bulk(to, tile, number);
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

static void run_bulk(void) {
    for (int i = 0; i < (int)(sizeof bulk_rows / sizeof bulk_rows[0]); i++)
        for (int numbers = 0; numbers < 2; numbers++) {
            if (numbers && bulk_rows[i].type < 6) continue;
            fill(h_out, 1024, bulk_rows[i].type, numbers);
            fill(h_tensor, 1024, bulk_rows[i].type, numbers);
            CHECK(cudaMemcpy(d_out, h_out, 1024, cudaMemcpyHostToDevice));
            CHECK(cudaMemcpy(d_tensor, h_tensor, 1024, cudaMemcpyHostToDevice));
            bulk_kernel<<<1, THREADS, 1024>>>(d_tensor, d_out, i);
            CHECK(cudaMemcpy(h_tensor, d_tensor, 1024, cudaMemcpyDeviceToHost));
            say("bulk %s %s: %08x", bulk_rows[i].name, numbers ? "numbers" : "bits",
                hash_of(h_tensor, 1024));
        }
}

// ---- The program --------------------------------------------------------------------------------

static const struct {
    const char *name;
    void (*run)(void);
} sections[] = {{"descriptions", run_descriptions},
                {"types", run_types},
                {"conversions", run_conversions},
                {"maps", run_maps_elsewhere},
                {"shapes", run_shapes},
                {"swizzles", run_swizzles},
                {"strides", run_strides},
                {"cluster", run_cluster},
                {"reductions", run_reductions},
                {"bulk", run_bulk}};

static void *entry(const char *name) {
    void *function = NULL;
    cudaDriverEntryPointQueryResult result;
    CHECK(cudaGetDriverEntryPointByVersion(name, &function, 12000, cudaEnableDefault, &result));
    return function;
}

int main(int argc, char **argv) {
    bool mistakes = argc == 3 && strcmp(argv[1], "--mistake") == 0;
    const char *one = argc == 3 && strcmp(argv[1], "--section") == 0 ? argv[2] : NULL;
    if (argc != 1 && !mistakes && !one) {
        fprintf(stderr, "usage: %s [--section NAME | --mistake NAME]\n", argv[0]);
        return 2;
    }
    encode = (decltype(encode))entry("cuTensorMapEncodeTiled");
    replace = (decltype(replace))entry("cuTensorMapReplaceAddress");
    if (!encode || !replace) return 2;
    if (!mistakes && !one) {
        tensor t = plain();
        CUtensorMap map;
        say("without a context: code %d", (int)describe(&map, &t, NULL));
    }
    CHECK(cudaFree(0));
    CHECK(cudaMalloc(&d_tensor, TENSOR_BYTES));
    CHECK(cudaMalloc(&d_out, TENSOR_BYTES));
    h_tensor = (uint8_t *)calloc(1, TENSOR_BYTES);
    h_out = (uint8_t *)calloc(1, TENSOR_BYTES);
    if (mistakes) return run_mistake(argv[2]);
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++) {
        if (one && strcmp(one, sections[i].name) != 0) continue;
        random_state = (uint32_t)i + 1;
        sections[i].run();
    }
    return 0;
}
