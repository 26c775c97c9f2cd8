set(LAB_CALL_LIBRARIES CUDA::cudart)
set(LAB_APP_LIBRARIES streams_problem)
