// SPDX-License-Identifier: MIT
// Stands before the toolkit's <cuda_runtime.h>, which every file has that nvcc compiles, and takes
// <utility> out of it: the toolkit needs one function of it, and its templates are a sixth of the
// time that nvcc takes for a step. Code that calls std::move or std::pair includes <utility>, as
// C++ asks for. With LADDER_BRIEF_CUDA_RUNTIME defined more is left out that few steps use, again
// as much: cached loads, textures, atomics of doubles, printf. The grader compiles a step with it
// first, and without it when that fails. What is left out are whole groups of overloads: code that
// compiles without them means the same with them, and its machine code is the same.
#ifndef LADDER_NVCC_CUDA_RUNTIME_H
#define LADDER_NVCC_CUDA_RUNTIME_H

#ifdef __cplusplus
#include <cstddef> // names the library
#endif

#if defined(__GLIBCXX__) && !defined(_GLIBCXX_UTILITY)

namespace std {

// Passes an argument on as it came: std::forward under a name of its own, so that <utility> can be
// included later on.
template <class T> constexpr T &&ladder_forward(T &argument) noexcept {
    return static_cast<T &&>(argument);
}

} // namespace std

#define _GLIBCXX_UTILITY 1
#define forward          ladder_forward
#if defined(LADDER_BRIEF_CUDA_RUNTIME) && !defined(_NEW) && !defined(_STDIO_H)
#define LADDER_LEAVES_OUT // these headers, which count as included already
#define _NEW
#define _STDIO_H
#define __CHANNEL_DESCRIPTOR_H__
#define __SM_32_INTRINSICS_H__
#define __SM_60_ATOMIC_FUNCTIONS_H__
#define __SM_61_INTRINSICS_H__
#define __TEXTURE_INDIRECT_FUNCTIONS_H__
#define __SURFACE_INDIRECT_FUNCTIONS_H__
#endif
#include_next <cuda_runtime.h>
#ifdef LADDER_LEAVES_OUT
#undef _NEW
#undef _STDIO_H
#undef __CHANNEL_DESCRIPTOR_H__
#undef __SM_32_INTRINSICS_H__
#undef __SM_60_ATOMIC_FUNCTIONS_H__
#undef __SM_61_INTRINSICS_H__
#undef __TEXTURE_INDIRECT_FUNCTIONS_H__
#undef __SURFACE_INDIRECT_FUNCTIONS_H__
#undef LADDER_LEAVES_OUT
#endif
#undef forward
#undef _GLIBCXX_UTILITY

#else
#include_next <cuda_runtime.h>
#endif

#elif !defined(__CUDA_RUNTIME_H__) // it lies in the current folder, and was found there at first
#include_next <cuda_runtime.h>
#endif
