# SPDX-License-Identifier: MIT
# Warps and blocks, on kernels that nvcc compiles here.
set(exec_out ${CMAKE_CURRENT_BINARY_DIR}/exec)
file(MAKE_DIRECTORY ${exec_out})
set(exec_outputs "")
function(sim_exec_compile name source)
  add_custom_command(OUTPUT ${exec_out}/${name}.ptx VERBATIM
    DEPENDS ${SIM_TESTS}/warps/sources/${source}.cu
    COMMAND ${CMAKE_CUDA_COMPILER} ${LADDER_NVCC_QUICK} -ptx -std=c++17 -arch=compute_90 ${ARGN}
            ${SIM_TESTS}/warps/sources/${source}.cu -o ${exec_out}/${name}.ptx)
  set(exec_outputs ${exec_outputs} ${exec_out}/${name}.ptx PARENT_SCOPE)
endfunction()
foreach(source flow warps blocks spaces)
  sim_exec_compile(${source} ${source} -O3 -lineinfo)
  sim_exec_compile(${source}_debug ${source} -G)
endforeach()
add_custom_target(exec_kernels DEPENDS ${exec_outputs})

# sim_run_test(MODULE NAME): a test that runs kernels without an engine.
function(sim_run_test module name)
  sim_unit_test(${module} ${name} support/run.c support/rows.c)
  target_compile_definitions(sim_${module}_${name} PRIVATE EXEC_PTX_DIR="${exec_out}")
  target_compile_options(sim_${module}_${name} PRIVATE -fno-strict-aliasing)
  target_link_libraries(sim_${module}_${name} PRIVATE sim_other_variants)
  add_dependencies(sim_${module}_${name} exec_kernels)
endfunction()
foreach(name flow warps blocks spaces async tensor)
  sim_run_test(warps ${name})
endforeach()
