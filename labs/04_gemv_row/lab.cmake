# SPDX-License-Identifier: MIT
set(LAB_VENDOR_LIBRARIES CUDA::cublas)
set(LAB_APP_LIBRARIES kl_sparse)
