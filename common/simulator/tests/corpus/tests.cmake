# SPDX-License-Identifier: MIT
# What nvcc makes of a wide corpus, for old and new architectures and with -G: nothing of it may be refused.
foreach(source math intrinsics halves groups libcu misc)
  add_test(NAME simulator/corpus/${source}
           COMMAND ${CMAKE_COMMAND} -DNVCC=${CMAKE_CUDA_COMPILER} -DSIM_DUMP=$<TARGET_FILE:sim-dump>
                   -DSOURCE=${SIM_TESTS}/corpus/${source}.cu
                   -DOUT=${CMAKE_CURRENT_BINARY_DIR}/corpus_${source}
                   -P ${SIM_TESTS}/corpus/run.cmake)
  set_tests_properties(simulator/corpus/${source} PROPERTIES LABELS full)
endforeach()
