# SPDX-License-Identifier: MIT
# Text, folders, nvcc.
ladder_unit_test(utilities text)
ladder_unit_test(utilities folder)
ladder_unit_test(utilities temporary)

add_test(NAME autograder/nvcc_script
         COMMAND ${CMAKE_COMMAND} -DNVCC=${CMAKE_CUDA_COMPILER} -DWORK=${CMAKE_CURRENT_BINARY_DIR}/nvcc_script
                 -DMODULE=${PROJECT_SOURCE_DIR}/common/cmake/toolkit_nvcc.cmake
                 -P ${CMAKE_CURRENT_LIST_DIR}/nvcc_script.cmake)
add_test(NAME autograder/architecture
         COMMAND ${CMAKE_COMMAND} -DWORK=${CMAKE_CURRENT_BINARY_DIR}/architecture
                 -DMODULE=${PROJECT_SOURCE_DIR}/common/cmake/cuda_architecture.cmake
                 -P ${CMAKE_CURRENT_LIST_DIR}/architecture.cmake)
