# SPDX-License-Identifier: MIT
# Tests of the executor: single instructions in rows, kernels that nvcc compiles here, counting rules, memory.
set(exec_out ${CMAKE_CURRENT_BINARY_DIR}/exec)
file(MAKE_DIRECTORY ${exec_out})
set(exec_outputs "")
function(sim_exec_compile name source)
  add_custom_command(OUTPUT ${exec_out}/${name}.ptx VERBATIM
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/exec_sources/${source}.cu
    COMMAND ${CMAKE_CUDA_COMPILER} -ptx -std=c++17 -arch=compute_90 ${ARGN}
            ${CMAKE_CURRENT_SOURCE_DIR}/exec_sources/${source}.cu -o ${exec_out}/${name}.ptx)
  set(exec_outputs ${exec_outputs} ${exec_out}/${name}.ptx PARENT_SCOPE)
endfunction()
foreach(source flow warps blocks spaces)
  sim_exec_compile(${source} ${source} -O3 -lineinfo)
  sim_exec_compile(${source}_debug ${source} -G)
endforeach()
add_custom_target(exec_kernels DEPENDS ${exec_outputs})

function(sim_exec_test name)
  sim_unit_test(${name} ${name}.c exec_support.c exec_rows.c)
  target_compile_definitions(${name} PRIVATE EXEC_PTX_DIR="${exec_out}")
  target_compile_options(${name} PRIVATE -fno-strict-aliasing)
  add_dependencies(${name} exec_kernels)
endfunction()
foreach(test exec_device_memory access_rules exec_ops_int exec_ops_float exec_ops_move
             exec_flow exec_warps exec_blocks exec_spaces exec_async)
  sim_exec_test(${test})
endforeach()
