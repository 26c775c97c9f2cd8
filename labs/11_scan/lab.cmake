set(LAB_CALL_LIBRARIES CUDA::cudart) # a case in place copies its input
