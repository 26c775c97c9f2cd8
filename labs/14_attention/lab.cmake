# SPDX-License-Identifier: MIT
set(LAB_PROBLEM_SOURCES explain.c)
set(LAB_CALL_LIBRARIES CUDA::cudart) # tensor maps, by the driver that the runtime finds
