# SPDX-License-Identifier: MIT
# Variables of kernels for the debugger, from what the installed compiler writes with -G.
function(sim_variables_test name)
  sim_unit_test(variables ${name} variables/thread.c ${ARGN})
  target_link_libraries(sim_variables_${name} PRIVATE sim_debug_variables)
endfunction()
sim_variables_test(expressions)
if(LADDER_HAVE_LIBDW)
  set(variables_source ${SIM_TESTS}/variables/sources/shapes.cu)
  set(variables_ptx ${CMAKE_CURRENT_BINARY_DIR}/variables/shapes.ptx)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/variables)
  add_custom_command(OUTPUT ${variables_ptx} DEPENDS ${variables_source} VERBATIM
    COMMAND ${CMAKE_CUDA_COMPILER} ${LADDER_NVCC_QUICK} -ptx -std=c++17 -arch=compute_90 -w -G ${variables_source}
            -o ${variables_ptx})
  sim_variables_test(values support/bytes.c)
  sim_variables_test(sections support/bytes.c)
  foreach(name values sections)
    target_sources(sim_variables_${name} PRIVATE ${variables_ptx})
    target_compile_definitions(sim_variables_${name} PRIVATE VARIABLES_PTX="${variables_ptx}"
                                                             VARIABLES_SOURCE="${variables_source}")
  endforeach()
  target_sources(sim_variables_sections PRIVATE ../fuzz/fuzz_variables.c)
  set_source_files_properties(../fuzz/fuzz_variables.c PROPERTIES
    COMPILE_DEFINITIONS LLVMFuzzerTestOneInput=fuzz_variables)
endif()
