// The kernels and the table of one class of operand cases. Compiled once a class, with
//   -DOPERAND_CLASS_NAME=f32_add -DOPERAND_IN_f32_add
// into a program image of its own, so that an instruction that a device lacks costs its class only.
// Launches are whole blocks of OPERAND_BLOCK threads, one thread a tuple: every lane of every warp
// takes part.
#include "operand_program.h"

#define OPERAND_DOMAIN(name, type, bytes, values) typedef type type_##name;
#include "operand_domains.def"
#undef OPERAND_DOMAIN

// Register constraints must be string literals, and a table cannot define macros; checked against
// the table below.
#define REG_u8          "r"
#define REG_s8          "r"
#define REG_b16         "h"
#define REG_u16         "h"
#define REG_s16         "h"
#define REG_b32         "r"
#define REG_u32         "r"
#define REG_s32         "r"
#define REG_b64         "l"
#define REG_u64         "l"
#define REG_s64         "l"
#define REG_f16         "h"
#define REG_bf16        "h"
#define REG_f16x2       "r"
#define REG_bf16x2      "r"
#define REG_f32         "r"
#define REG_f64         "l"
#define REG_tf32        "r"
#define REG_e4m3x2      "h"
#define REG_e5m2x2      "h"
#define REG_angle       "r"
#define REG_wide_angle  "r"
#define REG_whole       "r"
#define REG_whole64     "l"
#define REG_shift       "r"
#define REG_field       "r"
#define REG_selector    "r"
#define REG_small       "r"
#define REG_small64     "l"
#define REG_offset      "r"
#define REG_bit         "r"
#define REG_lane        "r"
#define REG_far_lane    "r"
#define REG_pred        "r"
#define REG_warp_mask   "r"
#define REG_warp_bit    "r"
#define REG_warp_same   "r"
#define REG_warp_same64 "l"
#define REG_shfl_c      "r"
#define REG_shfl_up_c   "r"

#define OPERAND_DOMAIN(name, type, bytes, values)                                                  \
    static_assert(sizeof(type) == (REG_##name[0] == 'h'   ? 2                                      \
                                   : REG_##name[0] == 'r' ? 4                                      \
                                                          : 8),                                    \
                  "register of " #name);
#include "operand_domains.def"
#undef OPERAND_DOMAIN

// in: [inputs][count]; results: [outputs][count]
#define KERNEL(id)                                                                                 \
    extern "C" __global__ void operand_##id(const uint64_t *in, uint64_t *results, uint32_t count)
#define TUPLE           uint32_t i = blockIdx.x * blockDim.x + threadIdx.x
#define VALUE(n, t)     ((type_##t)in[(n)*count + i])
#define INPUT(n, t)     REG_##t(VALUE(n, t))
#define OUTPUT(d, t)    "=" REG_##t(d)
#define SHARED_CELL(at) (uint32_t) __cvta_generic_to_shared(at)

#define ONE_RESULT(id, out, code, ...)                                                             \
    KERNEL(id) {                                                                                   \
        TUPLE;                                                                                     \
        type_##out d;                                                                              \
        asm volatile(code : OUTPUT(d, out) : __VA_ARGS__ : "memory");                              \
        results[i] = d;                                                                            \
    }
#define TWO_RESULTS(id, out, out2, code, ...)                                                      \
    KERNEL(id) {                                                                                   \
        TUPLE;                                                                                     \
        type_##out d;                                                                              \
        type_##out2 e;                                                                             \
        asm volatile(code : OUTPUT(d, out), OUTPUT(e, out2) : __VA_ARGS__ : "memory");             \
        results[i] = d;                                                                            \
        results[count + i] = e;                                                                    \
    }
// The second result is the memory cell afterwards; it lies where that result is wanted.
#define GLOBAL_CELL(id, mem, code, ...)                                                            \
    KERNEL(id) {                                                                                   \
        TUPLE;                                                                                     \
        type_##mem d;                                                                              \
        results[count + i] = in[i];                                                                \
        asm volatile(code : OUTPUT(d, mem) : "l"(results + count + i), __VA_ARGS__ : "memory");    \
        results[i] = d;                                                                            \
    }
#define SHARED_CELLS(id, mem, code, ...)                                                           \
    KERNEL(id) {                                                                                   \
        __shared__ uint64_t cells[OPERAND_BLOCK];                                                  \
        TUPLE;                                                                                     \
        type_##mem d;                                                                              \
        uint64_t *cell = cells + threadIdx.x;                                                      \
        *cell = in[i];                                                                             \
        asm volatile(code : OUTPUT(d, mem) : "r"(SHARED_CELL(cell)), __VA_ARGS__ : "memory");      \
        results[i] = d;                                                                            \
        results[count + i] = *cell;                                                                \
    }
// All threads of a block update one cell with an operation whose order does not matter.
#define CONTENDED(id, mem, declare, cell, code, ...)                                               \
    KERNEL(id) {                                                                                   \
        TUPLE;                                                                                     \
        declare;                                                                                   \
        if (threadIdx.x == 0) *(cell) = in[i];                                                     \
        __syncthreads();                                                                           \
        asm volatile(code::__VA_ARGS__ : "memory");                                                \
        __syncthreads();                                                                           \
        results[i] = (type_##mem) * (volatile uint64_t *)(cell);                                   \
    }

#define PRED(code) "{ .reg .pred p; " code " selp.u32 %0, 1, 0, p; }"

#define CASE_0(id, out, code)       ONE_RESULT(id, out, code)
#define CASE_1(id, out, a, code)    ONE_RESULT(id, out, code, INPUT(0, a))
#define CASE_2(id, out, a, b, code) ONE_RESULT(id, out, code, INPUT(0, a), INPUT(1, b))
#define CASE_3(id, out, a, b, c, code)                                                             \
    ONE_RESULT(id, out, code, INPUT(0, a), INPUT(1, b), INPUT(2, c))
#define CASE_4(id, out, a, b, c, e, code)                                                          \
    ONE_RESULT(id, out, code, INPUT(0, a), INPUT(1, b), INPUT(2, c), INPUT(3, e))
#define PAIR_1(id, out, out2, a, code)    TWO_RESULTS(id, out, out2, code, INPUT(0, a))
#define PAIR_2(id, out, out2, a, b, code) TWO_RESULTS(id, out, out2, code, INPUT(0, a), INPUT(1, b))
#define PAIR_3(id, out, out2, a, b, c, code)                                                       \
    TWO_RESULTS(id, out, out2, code, INPUT(0, a), INPUT(1, b), INPUT(2, c))
#define PAIR_4(id, out, out2, a, b, c, e, code)                                                    \
    TWO_RESULTS(id, out, out2, code, INPUT(0, a), INPUT(1, b), INPUT(2, c), INPUT(3, e))
#define GLOBAL_2(id, mem, b, code)    GLOBAL_CELL(id, mem, code, INPUT(1, b))
#define GLOBAL_3(id, mem, b, c, code) GLOBAL_CELL(id, mem, code, INPUT(1, b), INPUT(2, c))
#define SHARED_2(id, mem, b, code)    SHARED_CELLS(id, mem, code, INPUT(1, b))
#define SHARED_3(id, mem, b, c, code) SHARED_CELLS(id, mem, code, INPUT(1, b), INPUT(2, c))
#define CONTENDED_GLOBAL(id, mem, b, code)                                                         \
    CONTENDED(id, mem, uint64_t *cell = results + count + blockIdx.x, cell, code, "l"(cell),       \
              INPUT(1, b))
#define CONTENDED_SHARED(id, mem, b, code)                                                         \
    CONTENDED(id, mem, __shared__ uint64_t cell, &cell, code, "r"(SHARED_CELL(&cell)), INPUT(1, b))
#include "operand_cases.def"
#undef CASE_0
#undef CASE_1
#undef CASE_2
#undef CASE_3
#undef CASE_4
#undef PAIR_1
#undef PAIR_2
#undef PAIR_3
#undef PAIR_4
#undef GLOBAL_2
#undef GLOBAL_3
#undef SHARED_2
#undef SHARED_3
#undef CONTENDED_GLOBAL
#undef CONTENDED_SHARED

// The same rows again, as data.
#define D(name) DOMAIN_##name
#define ROW(id, outputs, inputs, code, ...)                                                        \
    {#id, (const void *)operand_##id, outputs, inputs, __VA_ARGS__, code},
#define CASE_0(id, out, code)             ROW(id, 1, 0, code, {D(out)}, {})
#define CASE_1(id, out, a, code)          ROW(id, 1, 1, code, {D(out)}, {D(a)})
#define CASE_2(id, out, a, b, code)       ROW(id, 1, 2, code, {D(out)}, {D(a), D(b)})
#define CASE_3(id, out, a, b, c, code)    ROW(id, 1, 3, code, {D(out)}, {D(a), D(b), D(c)})
#define CASE_4(id, out, a, b, c, e, code) ROW(id, 1, 4, code, {D(out)}, {D(a), D(b), D(c), D(e)})
#define PAIR_1(id, out, out2, a, code)    ROW(id, 2, 1, code, {D(out), D(out2)}, {D(a)})
#define PAIR_2(id, out, out2, a, b, code) ROW(id, 2, 2, code, {D(out), D(out2)}, {D(a), D(b)})
#define PAIR_3(id, out, out2, a, b, c, code)                                                       \
    ROW(id, 2, 3, code, {D(out), D(out2)}, {D(a), D(b), D(c)})
#define PAIR_4(id, out, out2, a, b, c, e, code)                                                    \
    ROW(id, 2, 4, code, {D(out), D(out2)}, {D(a), D(b), D(c), D(e)})
#define GLOBAL_2(id, mem, b, code)         PAIR_2(id, mem, mem, mem, b, code)
#define GLOBAL_3(id, mem, b, c, code)      PAIR_3(id, mem, mem, mem, b, c, code)
#define SHARED_2(id, mem, b, code)         PAIR_2(id, mem, mem, mem, b, code)
#define SHARED_3(id, mem, b, c, code)      PAIR_3(id, mem, mem, mem, b, c, code)
#define CONTENDED_GLOBAL(id, mem, b, code) CASE_2(id, mem, mem, b, code)
#define CONTENDED_SHARED(id, mem, b, code) CASE_2(id, mem, mem, b, code)
static const operand_case cases[] = {
#include "operand_cases.def"
};

#define TEXT_OF(name)         #name
#define TEXT(name)            TEXT_OF(name)
#define CLASS_SYMBOL_OF(name) operand_class_##name
#define CLASS_SYMBOL(name)    CLASS_SYMBOL_OF(name)
extern "C" const operand_class CLASS_SYMBOL(OPERAND_CLASS_NAME) = {
    TEXT(OPERAND_CLASS_NAME), cases, (int)(sizeof cases / sizeof cases[0])};
