// One kernel a texture fetch or surface access. The PTX instruction is written out, so that all
// four words of every result are seen whatever the format.
#include "texture_program.h"

#define TUPLE                                                                                      \
    int at = blockIdx.x * blockDim.x + threadIdx.x;                                                \
    uint4 c = tuples[at];                                                                          \
    float x = __uint_as_float(c.x), y = __uint_as_float(c.y), z = __uint_as_float(c.z);            \
    uint4 r = {0xDEADu, 0xDEADu, 0xDEADu, 0xDEADu};                                                \
    (void)x, (void)y, (void)z

// %0 to %3 are the result, %4 the object, %5 to %7 x, y, z as floats, %8 to %11 x, y, z, layer as
// integers.
#define FETCH(name, code)                                                                          \
    __global__ void name(unsigned long long object, const uint4 *tuples, uint4 *results) {         \
        TUPLE;                                                                                     \
        asm volatile(code                                                                          \
                     : "+r"(r.x), "+r"(r.y), "+r"(r.z), "+r"(r.w)                                  \
                     : "l"(object), "f"(x), "f"(y), "f"(z), "r"(c.x), "r"(c.y), "r"(c.z), "r"(c.w) \
                     : "memory");                                                                  \
        results[at] = r;                                                                           \
    }
#define RESULT "{%0, %1, %2, %3}"

// Results as floats, unsigned and signed integers. A float result's register is a .b32 here.
#define FETCH_TYPES(name, before, after, operands)                                                 \
    FETCH(name##_f32, "{.reg .f32 a, b, c, d;" before ".f32" after " {a, b, c, d}, " operands ";"  \
                      "mov.b32 %0, a; mov.b32 %1, b; mov.b32 %2, c; mov.b32 %3, d;}")              \
    FETCH(name##_u32, before ".u32" after " " RESULT ", " operands ";")                            \
    FETCH(name##_s32, before ".s32" after " " RESULT ", " operands ";")

FETCH_TYPES(fetch_1d, "tex.1d.v4", ".s32", "[%4, {%8}]")
FETCH_TYPES(fetch_2d, "tex.2d.v4", ".s32", "[%4, {%8, %9}]")
FETCH_TYPES(tex_1d, "tex.1d.v4", ".f32", "[%4, {%5}]")
FETCH_TYPES(tex_2d, "tex.2d.v4", ".f32", "[%4, {%5, %6}]")
FETCH_TYPES(tex_3d, "tex.3d.v4", ".f32", "[%4, {%5, %6, %7, %7}]")
FETCH_TYPES(layered_1d, "tex.a1d.v4", ".f32", "[%4, {%11, %5}]")
FETCH_TYPES(layered_2d, "tex.a2d.v4", ".f32", "[%4, {%11, %5, %6, %6}]")
FETCH_TYPES(level_2d, "tex.level.2d.v4", ".f32", "[%4, {%5, %6}], 0f3FE00000")
FETCH_TYPES(grad_2d, "tex.grad.2d.v4", ".f32", "[%4, {%5, %6}], {%5, %6}, {%6, %5}")
FETCH_TYPES(gather_r, "tld4.r.2d.v4", ".f32", "[%4, {%5, %6}]")
FETCH_TYPES(gather_g, "tld4.g.2d.v4", ".f32", "[%4, {%5, %6}]")
FETCH_TYPES(gather_b, "tld4.b.2d.v4", ".f32", "[%4, {%5, %6}]")
FETCH_TYPES(gather_a, "tld4.a.2d.v4", ".f32", "[%4, {%5, %6}]")
FETCH(surface_1d_clamp, "suld.b.1d.b32.clamp {%0}, [%4, {%8}];")
FETCH(surface_1d_zero, "suld.b.1d.b32.zero {%0}, [%4, {%8}];")
FETCH(surface_2d_clamp, "suld.b.2d.b32.clamp {%0}, [%4, {%8, %9}];")
FETCH(surface_2d_zero, "suld.b.2d.b32.zero {%0}, [%4, {%8, %9}];")
FETCH(surface_3d_clamp, "suld.b.3d.b32.clamp {%0}, [%4, {%8, %9, %10, %10}];")
FETCH(surface_3d_zero, "suld.b.3d.b32.zero {%0}, [%4, {%8, %9, %10, %10}];")
FETCH(surface_layered_2d_zero, "suld.b.a2d.b32.zero {%0}, [%4, {%11, %8, %9, %9}];")

// One thread, tuple by tuple: the order of writes to the same texel is then known.
#define CHANGE(name, code)                                                                         \
    __global__ void name(unsigned long long object, const uint4 *tuples, uint4 *results) {         \
        if (blockIdx.x || threadIdx.x) return;                                                     \
        for (int at = 0; at < TEXTURE_TUPLES; at++) {                                              \
            uint4 c = tuples[at], r = {0, 0, 0, 0};                                                \
            asm volatile(code                                                                      \
                         : "+r"(r.x), "+r"(r.y)                                                    \
                         : "l"(object), "r"(c.x), "r"(c.y), "r"(c.w)                               \
                         : "memory");                                                              \
            results[at] = r;                                                                       \
        }                                                                                          \
    }
#define READ_BACK(mode) " suld.b.2d.b32." mode " {%0}, [%2, {%3, %4}];"
CHANGE(write_2d_clamp, "sust.b.2d.b32.clamp [%2, {%3, %4}], {%5};" READ_BACK("clamp"))
CHANGE(write_2d_zero, "sust.b.2d.b32.zero [%2, {%3, %4}], {%5};" READ_BACK("zero"))
CHANGE(add_2d_zero, "sured.b.add.2d.u32.zero [%2, {%3, %4}], %5;" READ_BACK("zero"))
// By texels; read back by bytes.
#define CHANGE_TEXEL(name, code)                                                                   \
    __global__ void name(unsigned long long object, const uint4 *tuples, uint4 *results) {         \
        if (blockIdx.x || threadIdx.x) return;                                                     \
        for (int at = 0; at < TEXTURE_TUPLES; at++) {                                              \
            uint4 c = tuples[at], r = {0, 0, 0, 0};                                                \
            asm volatile(code " suld.b.2d.b32.zero {%0}, [%2, {%6, %4}];"                          \
                         : "+r"(r.x), "+r"(r.y)                                                    \
                         : "l"(object), "r"(c.x), "r"(c.y), "r"(c.w), "r"(c.x * 4)                 \
                         : "memory");                                                              \
            results[at] = r;                                                                       \
        }                                                                                          \
    }
CHANGE_TEXEL(store_2d_zero, "sust.p.2d.v4.b32.zero [%2, {%3, %4}], {%5, %3, %4, %5};")
CHANGE_TEXEL(min_2d_zero, "sured.p.min.2d.b32.zero [%2, {%3, %4}], %5;")

typedef void (*kernel)(unsigned long long, const uint4 *, uint4 *);
#define TYPES(fetch, name)                                                                         \
    {                                                                                              \
        fetch, { name##_f32, name##_u32, name##_s32 }                                              \
    }
#define PLAIN(fetch, name)                                                                         \
    {                                                                                              \
        fetch, { name, name, name }                                                                \
    }

static const struct {
    texture_fetch fetch;
    kernel by_type[3]; // f32, u32, s32
} kernels[] = {
    TYPES(FETCH_FETCH_1D, fetch_1d),
    TYPES(FETCH_FETCH_2D, fetch_2d),
    TYPES(FETCH_1D, tex_1d),
    TYPES(FETCH_2D, tex_2d),
    TYPES(FETCH_3D, tex_3d),
    TYPES(FETCH_LAYERED_1D, layered_1d),
    TYPES(FETCH_LAYERED_2D, layered_2d),
    TYPES(FETCH_LEVEL_2D, level_2d),
    TYPES(FETCH_GRAD_2D, grad_2d),
    TYPES(FETCH_GATHER_R, gather_r),
    TYPES(FETCH_GATHER_G, gather_g),
    TYPES(FETCH_GATHER_B, gather_b),
    TYPES(FETCH_GATHER_A, gather_a),
    PLAIN(FETCH_SURFACE_1D_CLAMP, surface_1d_clamp),
    PLAIN(FETCH_SURFACE_1D_ZERO, surface_1d_zero),
    PLAIN(FETCH_SURFACE_2D_CLAMP, surface_2d_clamp),
    PLAIN(FETCH_SURFACE_2D_ZERO, surface_2d_zero),
    PLAIN(FETCH_SURFACE_3D_CLAMP, surface_3d_clamp),
    PLAIN(FETCH_SURFACE_3D_ZERO, surface_3d_zero),
    PLAIN(FETCH_SURFACE_LAYERED_2D_ZERO, surface_layered_2d_zero),
    PLAIN(FETCH_SURFACE_WRITE_2D_CLAMP, write_2d_clamp),
    PLAIN(FETCH_SURFACE_WRITE_2D_ZERO, write_2d_zero),
    PLAIN(FETCH_SURFACE_ADD_2D_ZERO, add_2d_zero),
    PLAIN(FETCH_SURFACE_STORE_2D_ZERO, store_2d_zero),
    PLAIN(FETCH_SURFACE_MIN_2D_ZERO, min_2d_zero),
};

cudaError_t texture_launch(const texture_case *test, unsigned long long object,
                           const void *d_tuples, void *d_results) {
    int type = 1;
    if (texture_result_is_float(test)) type = 0;
    if (test->format == FORMAT_S8 || test->format == FORMAT_S16 || test->format == FORMAT_S32)
        if (type) type = 2;
    for (const auto &row : kernels) {
        if (row.fetch != test->fetch) continue;
        row.by_type[type]<<<TEXTURE_TUPLES / 32, 32>>>(object, (const uint4 *)d_tuples,
                                                       (uint4 *)d_results);
        return cudaGetLastError();
    }
    return cudaErrorInvalidValue;
}
