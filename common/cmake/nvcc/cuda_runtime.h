// SPDX-License-Identifier: MIT
// Stands before the toolkit's <cuda_runtime.h>, which every file has that nvcc compiles, and takes
// <utility> out of it: the toolkit needs one function of it, and its templates are a sixth of the
// time that nvcc takes for a step. Code that calls std::move or std::pair includes <utility>, as
// C++ asks for. The machine code is the same.
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
#include_next <cuda_runtime.h>
#undef forward
#undef _GLIBCXX_UTILITY

#else
#include_next <cuda_runtime.h>
#endif

#elif !defined(__CUDA_RUNTIME_H__) // it lies in the current folder, and was found there at first
#include_next <cuda_runtime.h>
#endif
