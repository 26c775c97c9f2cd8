#!/bin/sh
# Scales of blocks in 8 bits (e8m0, powers of two only) and elements in 4 bits (e2m1): ml_dtypes 0.6.0 (which JAX and others use)
# against the host functions of CUDA 13.5's own headers cuda_fp8.h and cuda_fp4.h.
#   0 as a scale: NaN in ml_dtypes, 2^-127 in CUDA: a block of zeros becomes a block of NaN or of zeros.
#   a negative scale: NaN in ml_dtypes; CUDA drops the sign without a word (-3 becomes 2 or 4, -inf 2^127).
#   between powers of two: ml_dtypes rounds to nearest (2.5 to 2), CUDA only towards zero or up.
#   NaN as an element of 4 bits: -0 in ml_dtypes, +6 in CUDA (the largest number).
# Expected before it was run: 2^-127 for zero in both, and 0 for NaN.
. "$(dirname "$0")/common.sh"
packages ml_dtypes==0.6.0 numpy==2.4.6 nvidia-cuda-runtime==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-cuda-cccl==13.3.5.0.6
cat >"$work/python.py" <<'PY'
import ml_dtypes, numpy as np
x = np.array([0, -3, -np.inf, 2.5], np.float32)
print(*x.astype(ml_dtypes.float8_e8m0fnu).astype(np.float32))
print(np.array([np.nan], np.float32).astype(ml_dtypes.float4_e2m1fn).astype(np.float32)[0])
PY
cat >"$work/cuda.cpp" <<'CPP'
#include <cmath>
#include <cstdio>
#include <cuda_fp4.h>
#include <cuda_fp8.h>
int main() {
    for (float x : {0.0f, -3.0f, -INFINITY, 2.5f}) {
        std::printf("2^%d..2^%d ", __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundZero) - 127,
                    __nv_cvt_float_to_e8m0(x, __NV_SATFINITE, cudaRoundPosInf) - 127);
    }
    std::printf("\n%g\n", (float)__nv_fp4_e2m1(NAN));
}
CPP
headers=$("$python" -c 'import nvidia; print(list(nvidia.__path__)[0])')/cu13/include
c++ -std=c++17 -w -I"$headers" -I"$headers/cccl" "$work/cuda.cpp" -o "$work/cuda"
same "ml_dtypes" "$("$python" -W ignore "$work/python.py")" "nan nan nan 2.0
-0.0"
same "CUDA's headers, on the host" "$("$work/cuda")" "2^-127..2^-127 2^1..2^2 2^127..2^127 2^1..2^2 
6"
