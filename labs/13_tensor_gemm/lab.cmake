# SPDX-License-Identifier: MIT
set(LAB_VENDOR_LIBRARIES CUDA::cublas CUDA::cublasLt)
set(LAB_CALL_LIBRARIES CUDA::cudart) # tensor maps, by the driver that the runtime finds
# The application is lab 09's network.
set(LAB_APP_LIBRARIES cnn_model m)
set(LAB_APP_NEEDS cnn_solution)
