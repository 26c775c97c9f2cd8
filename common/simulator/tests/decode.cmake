# SPDX-License-Identifier: MIT
# Tests of the decoder: PTX to program.
function(sim_decode_test name)
  sim_unit_test(${name} ${name}.c decode_support.c)
  target_compile_definitions(${name} PRIVATE
    DECODE_PTX_DIR="${CMAKE_CURRENT_SOURCE_DIR}/ptx"
    DECODE_FORMS_FILE="${CMAKE_CURRENT_SOURCE_DIR}/ptx/decode_forms.txt")
endfunction()

sim_decode_test(decode_forms)
sim_decode_test(decode_cfg)
sim_decode_test(decode_slots)
sim_decode_test(decode_program)
sim_decode_test(decode_golden)

# What the installed toolkit writes; ptxas stands beside nvcc.
file(REAL_PATH "${CMAKE_CUDA_COMPILER}" decode_nvcc)
cmake_path(GET decode_nvcc PARENT_PATH decode_nvcc_folder)
find_program(SIM_PTXAS ptxas HINTS ${decode_nvcc_folder})
mark_as_advanced(SIM_PTXAS)
if(SIM_PTXAS)
  set(decode_out ${CMAKE_CURRENT_BINARY_DIR}/decode)
  file(MAKE_DIRECTORY ${decode_out})
  set(decode_outputs "")
  # NAME SOURCE FLAGS...: one PTX file
  function(sim_decode_compile name source)
    add_custom_command(OUTPUT ${decode_out}/${name}.ptx VERBATIM
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/decode_sources/${source}.cu
      COMMAND ${CMAKE_CUDA_COMPILER} -ptx -std=c++17 -arch=compute_90 ${ARGN}
              ${CMAKE_CURRENT_SOURCE_DIR}/decode_sources/${source}.cu -o ${decode_out}/${name}.ptx)
    set(decode_outputs ${decode_outputs} ${decode_out}/${name}.ptx PARENT_SCOPE)
  endfunction()
  foreach(source reductions dense atomics arithmetic halves calls control shared)
    sim_decode_compile(${source} ${source} -O3 -lineinfo)
  endforeach()
  foreach(source reductions calls control halves atomics)
    sim_decode_compile(${source}_debug ${source} -G)
  endforeach()
  sim_decode_compile(calls_rdc calls -rdc=true)
  add_custom_command(OUTPUT ${decode_out}/shared.log DEPENDS ${decode_out}/shared.ptx VERBATIM
    COMMAND sh -c "\"$1\" -arch=sm_90 -v \"$2\" -o \"$3\" 2> \"$4\"" sh ${SIM_PTXAS}
            ${decode_out}/shared.ptx ${decode_out}/shared.cubin ${decode_out}/shared.log)
  add_custom_target(decode_nvcc_inputs DEPENDS ${decode_outputs} ${decode_out}/shared.log)
  sim_decode_test(decode_nvcc)
  target_compile_definitions(decode_nvcc PRIVATE DECODE_NVCC_DIR="${decode_out}")
  add_dependencies(decode_nvcc decode_nvcc_inputs)
else()
  message(STATUS "simulator tests: no ptxas beside nvcc, decode_nvcc is skipped")
endif()
