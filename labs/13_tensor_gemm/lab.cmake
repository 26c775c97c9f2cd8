# SPDX-License-Identifier: MIT
set(LAB_VENDOR_LIBRARIES CUDA::cublas CUDA::cublasLt)
set(LAB_CALL_LIBRARIES CUDA::cudart) # tensor maps, by the driver that the runtime finds
