// Results of wgmma on random matrices (warpgroup_cases.def): prints a line per case, a hash of the
// results of each variant.
// Operands fill shared memory with random elements of their kind; descriptors of every swizzle
// point into them.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "../check.h"

// What warpgroup_program.cu multiplies: random elements, made where they are used, and where
// they lie in shared memory.
// Bits of an element, and of its exponent: 0 for an integer.
struct warpgroup_kind {
    int bits, exponent;
};
#define KIND_F16                                                                                   \
    { 16, 5 }
#define KIND_BF16                                                                                  \
    { 16, 8 }
#define KIND_TF32                                                                                  \
    { 32, 8 }
#define KIND_E4M3                                                                                  \
    { 8, 4 }
#define KIND_E5M2                                                                                  \
    { 8, 5 }
#define KIND_INT                                                                                   \
    { 8, 0 }
#define KIND_F32                                                                                   \
    { 32, 8 }
#define KIND_S32                                                                                   \
    { 32, 0 }

// Every case is multiplied so often: by swizzle, domain, and placement of the operands.
enum { SWIZZLES = 4, DOMAINS = 3, PLACEMENTS = 2, VARIANTS = SWIZZLES * DOMAINS * PLACEMENTS };
enum { NEAR, SCATTERED, SPECIAL }; // domains

struct warpgroup_variant {
    int swizzle, domain, placement; // swizzle: as a descriptor has it
};
static __device__ warpgroup_variant variant_of(int index) {
    return {index % SWIZZLES, index / SWIZZLES % DOMAINS, index / SWIZZLES / DOMAINS};
}

static __device__ uint32_t mixed(uint32_t x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// An element from random bits. Exponents lie within 3 of 1.0, or within 14; or one in 256 elements
// is a subnormal number, an infinity or a NaN.
static __device__ uint32_t element_of(warpgroup_kind kind, int domain, uint32_t random) {
    uint32_t all = kind.bits == 32 ? 0xFFFFFFFFu : (1u << kind.bits) - 1;
    if (kind.exponent == 0) return random & all;
    int fraction = kind.bits - 1 - kind.exponent, bias = (1 << (kind.exponent - 1)) - 1;
    int spread = domain == SCATTERED ? 14 : 3, top = 2 * bias;
    int exponent = bias - spread + (int)(mixed(random) % (uint32_t)(2 * spread + 1));
    uint32_t choice = mixed(random + 1) % 512;
    if (exponent < 0) exponent = 0;
    if (exponent > top) exponent = top;
    if (domain == SPECIAL && choice == 0) exponent = top + 1;
    if (domain == SPECIAL && choice == 1) exponent = 0;
    uint32_t digits = random & ((1u << fraction) - 1), sign = random >> 31;
    return sign << (kind.bits - 1) | (uint32_t)exponent << fraction | digits;
}

static __device__ uint32_t word_of(warpgroup_kind kind, int domain, uint32_t number) {
    uint32_t word = 0;
    for (int at = 0; at < 32; at += kind.bits)
        word |= element_of(kind, domain, mixed(number * 4 + (uint32_t)at / 8)) << at;
    return word;
}

// A matrix descriptor of `rows` rows that begin at `start`, a multiple of 1024.
static __device__ uint64_t descriptor_of(uint32_t start, uint32_t rows, bool transposed,
                                         warpgroup_variant variant) {
    const uint32_t widths[SWIZZLES] = {16, 128, 64, 32};
    uint32_t width = widths[variant.swizzle], leading = 16, stride = 8 * width, base = 0;
    bool second = variant.placement == 1;
    if (variant.swizzle == 0) {
        leading = second ? rows * 16 : 128;
        stride = second ? 128 : 256;
    } else if (transposed) {
        uint32_t across = (rows + width / 2 - 1) / (width / 2);
        leading = second ? 8 * width : 16 * width;
        stride = second ? 8 * width * across : 8 * width;
    } else if (second && width > 32) {
        start += 32; // the next 32 bytes along k
    } else if (second) {
        start += 128;
        base = 1;
    }
    return (uint64_t)(start >> 4) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
           (uint64_t)base << 49 | (uint64_t)variant.swizzle << 62;
}

enum { THREADS = 128, ROWS = 64, A_BYTES = 9 * 1024, SHARED, REGISTERS };

// Names of the accumulators in the text of a product, and their constraints.
#define NAMES_2  "%0, %1"
#define NAMES_4  "%0, %1, %2, %3"
#define NAMES_6  "%0, %1, %2, %3, %4, %5"
#define NAMES_12 "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11"
#define NAMES_128                                                                                  \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15,"                        \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31,"              \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"              \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63,"              \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79,"              \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95,"              \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111,"  \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
#define OUT_2(i)   "+r"(d[i]), "+r"(d[i + 1])
#define OUT_4(i)   OUT_2(i), OUT_2(i + 2)
#define OUT_6(i)   OUT_4(i), OUT_2(i + 4)
#define OUT_8(i)   OUT_4(i), OUT_4(i + 4)
#define OUT_12(i)  OUT_8(i), OUT_4(i + 8)
#define OUT_32(i)  OUT_8(i), OUT_8(i + 8), OUT_8(i + 16), OUT_8(i + 24)
#define OUT_128(i) OUT_32(i), OUT_32(i + 32), OUT_32(i + 64), OUT_32(i + 96)

struct operands {
    uint64_t a, b;
    uint32_t of_a[4], adds;
};

// Fills both operands and gives their descriptors.
static __device__ operands prepare(uint32_t *words, warpgroup_kind a, warpgroup_kind b, int columns,
                                   bool transposes_a, bool transposes_b) {
    warpgroup_variant variant = variant_of(blockIdx.x);
    uint32_t of_a = A_BYTES / 4, all = of_a + (uint32_t)(columns * 128 + 1024) / 4;
    uint32_t seed = (uint32_t)(columns * 1000 + variant.domain * 100000), address;
    operands made;
    for (uint32_t i = threadIdx.x; i < all; i += THREADS)
        words[i] = word_of(i < of_a ? a : b, variant.domain, seed + i);
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    address = (uint32_t)__cvta_generic_to_shared(words);
    made.a = descriptor_of(address, ROWS, transposes_a, variant);
    made.b = descriptor_of(address + A_BYTES, columns, transposes_b, variant);
    for (uint32_t i = 0; i < 4; i++)
        made.of_a[i] = word_of(a, variant.domain, seed + 50000 + i * THREADS + threadIdx.x);
    made.adds = (blockIdx.x + 1) % 5 != 0;
    return made;
}

#define PLACE_SHARED    "desc_a"
#define PLACE_REGISTERS "{a0, a1, a2, a3}"
#define WARPGROUP_CASE(name, n, count, text, ka, kb, kd, place, ta, tb, immediates)                \
    __global__ void product_##name(uint32_t *out) {                                                \
        __shared__ __align__(1024) uint32_t words[(A_BYTES + n * 128 + 1024) / 4];                 \
        uint32_t d[count], hash = 0;                                                               \
        operands in = prepare(words, ka, kb, n, ta, tb);                                           \
        for (int i = 0; i < count; i++)                                                            \
            d[i] = word_of(kd, variant_of(blockIdx.x).domain, i * THREADS + threadIdx.x);          \
        asm volatile(                                                                              \
            ".reg .b64 desc_a, desc_b; .reg .pred adds; .reg .b32 a0, a1, a2, a3;\n\t"             \
            "mov.b64 desc_a, %0; mov.b64 desc_b, %1; setp.ne.b32 adds, %2, 0;\n\t"                 \
            "mov.b32 a0, %3; mov.b32 a1, %4; mov.b32 a2, %5; mov.b32 a3, %6;" ::"l"(in.a),         \
            "l"(in.b), "r"(in.adds), "r"(in.of_a[0]), "r"(in.of_a[1]), "r"(in.of_a[2]),            \
            "r"(in.of_a[3]));                                                                      \
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                    \
        asm volatile("wgmma.mma_async.sync.aligned." text " {" NAMES_##count "}, " PLACE_##place   \
                     ", desc_b, adds" immediates ";"                                               \
                     : OUT_##count(0)::"memory");                                                  \
        asm volatile("wgmma.commit_group.sync.aligned;\n\twgmma.wait_group.sync.aligned 0;"        \
                     : OUT_##count(0)::"memory");                                                  \
        for (int i = 0; i < count; i++) hash += mixed(d[i] ^ mixed(i * THREADS + threadIdx.x));    \
        atomicAdd(out + blockIdx.x, hash);                                                         \
    }
#include "warpgroup_cases.def"
#undef WARPGROUP_CASE

struct warpgroup_case {
    const char *name;
    void (*kernel)(uint32_t *);
};
static const warpgroup_case cases[] = {
#define WARPGROUP_CASE(name, n, count, text, ka, kb, kd, place, ta, tb, immediates)                \
    {#name, product_##name},
#include "warpgroup_cases.def"
#undef WARPGROUP_CASE
};

int main() {
    uint32_t *d_out, h_out[VARIANTS];
    cudaDeviceProp device;
    CHECK(cudaGetDeviceProperties(&device, 0));
    CHECK(cudaMalloc(&d_out, sizeof h_out));
    printf("# Hashes of results, a variant each. Device: %s\n", device.name);
    for (const warpgroup_case &item : cases) {
        CHECK(cudaMemset(d_out, 0, sizeof h_out));
        item.kernel<<<VARIANTS, THREADS>>>(d_out);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(h_out, d_out, sizeof h_out, cudaMemcpyDeviceToHost));
        printf("%s", item.name);
        for (uint32_t hash : h_out) printf(" %08x", (unsigned)hash);
        printf("\n");
    }
    return 0;
}
