// SPDX-License-Identifier: MIT
// Given to all steps of lab 11: what a call checks, the launch of one block, four elements as one
// load or store, a thread's elements when all before them are known, and values as bits.
#pragma once

#include "scan.h"

#include <cuda_runtime.h>

// Whether a call keeps to the contract.
static inline bool scan_call_is_valid(int64_t n, scan_type type, scan_kind kind,
                                      size_t workspace_bytes) {
    return n >= 0 && n <= INT64_C(1) << 30 && (type == SCAN_INT || type == SCAN_FLOAT) &&
           (kind == SCAN_INCLUSIVE || kind == SCAN_EXCLUSIVE) &&
           workspace_bytes >= scan_workspace_bytes(n);
}

// A kernel that scans x: [n] into y: [n].
template <class T> using scan_kernel = void(const T *x, T *y, int64_t n, bool exclusive);

// Launches one block of the kernel for the type.
static inline int scan_in_one_block(scan_kernel<unsigned> *of_int, scan_kernel<float> *of_float,
                                    int threads, const void *d_x, int64_t n, scan_type type,
                                    scan_kind kind, void *d_y) {
    bool exclusive = kind == SCAN_EXCLUSIVE;
    if (type == SCAN_INT) {
        of_int<<<1, threads>>>((const unsigned *)d_x, (unsigned *)d_y, n, exclusive);
    } else {
        of_float<<<1, threads>>>((const float *)d_x, (float *)d_y, n, exclusive);
    }
    return cudaGetLastError();
}

// Integers are added as unsigned ones: of signed ones C leaves undefined what wraps.
template <class T> struct __align__(16) vec4 {
    T x, y, z, w;
};

// Elements i .. i+3 of x: [n], zeros after the last: in one load where there are four and they are
// aligned.
template <class T> __device__ __forceinline__ vec4<T> load4(const T *x, int64_t i, int64_t n) {
    if (i + 4 <= n && (uintptr_t)(x + i) % 16 == 0) return *(const vec4<T> *)(x + i);
    vec4<T> v = {i < n ? x[i] : T(0), i + 1 < n ? x[i + 1] : T(0), i + 2 < n ? x[i + 2] : T(0),
                 i + 3 < n ? x[i + 3] : T(0)};
    return v;
}

// Stores v to elements i .. i+3 of y: [n], as far as they are there.
template <class T> __device__ __forceinline__ void store4(T *y, int64_t i, int64_t n, vec4<T> v) {
    if (i + 4 <= n && (uintptr_t)(y + i) % 16 == 0) {
        *(vec4<T> *)(y + i) = v;
        return;
    }
    if (i < n) y[i] = v.x;
    if (i + 1 < n) y[i + 1] = v.y;
    if (i + 2 < n) y[i + 2] = v.z;
    if (i + 3 < n) y[i + 3] = v.w;
}

template <class T> __device__ __forceinline__ T sum4(vec4<T> v) {
    return (v.x + v.y) + (v.z + v.w);
}

// own: this thread's elements, which become the results; before: the sum of all before them.
template <int vectors, class T>
__device__ __forceinline__ void finish(vec4<T> (&own)[vectors], T before, bool exclusive) {
    for (int k = 0; k < vectors; k++) {
        vec4<T> v = own[k];
        T a = before + v.x, b = a + v.y, c = b + v.z, d = c + v.w;
        own[k] = exclusive ? vec4<T>{before, a, b, c} : vec4<T>{a, b, c, d};
        before = d;
    }
}

// A value as 32 bits, and back.
__device__ __forceinline__ unsigned bits_of(unsigned value) {
    return value;
}
__device__ __forceinline__ unsigned bits_of(float value) {
    return __float_as_uint(value);
}
__device__ __forceinline__ void from_bits(unsigned bits, unsigned *out_value) {
    *out_value = bits;
}
__device__ __forceinline__ void from_bits(unsigned bits, float *out_value) {
    *out_value = __uint_as_float(bits);
}
