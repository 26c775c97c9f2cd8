# SPDX-License-Identifier: MIT
set(LAB_VENDOR_LIBRARIES CUDA::cublas CUDA::cublasLt)
