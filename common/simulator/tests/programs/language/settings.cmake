# SPDX-License-Identifier: MIT
# Every way of compiling gives the same results: settings.cu at all levels of optimisation, with and
# without -G, for each architecture. A handful of them runs always, the rest with the full tests.
function(sim_settings_test name arch)
  string(REPLACE ";" "|" ways "${ARGN}")
  add_test(NAME simulator/settings/${name}
           COMMAND ${CMAKE_COMMAND} -DNVCC=${CMAKE_CUDA_COMPILER} -DARCH=${arch} "-DWAYS=${ways}"
                   -DSOURCE=${SIM_TESTS}/programs/language/settings.cu
                   -DGOLDEN=${SIM_TESTS}/programs/language/settings.txt
                   -DOUT=${CMAKE_CURRENT_BINARY_DIR}/settings_${name}
                   -P ${SIM_TESTS}/programs/language/run_settings.cmake)
  set_tests_properties(simulator/settings/${name} PROPERTIES
    ENVIRONMENT "${sim_program_environment}")
endfunction()

sim_settings_test(quick 75 -G)
foreach(arch 75 80 86 89 90)
  sim_settings_test(sm_${arch} ${arch} -O0 -O1 -O2 -O3 "-O0 -G" "-O3 -G" -lineinfo -rdc=true
                    --use_fast_math -maxrregcount=32 "-O3 -rdc=true -lineinfo" "-O1 -Xptxas -O1")
  set_tests_properties(simulator/settings/sm_${arch} PROPERTIES LABELS full)
endforeach()
