# SPDX-License-Identifier: MIT
# Tests of the decoder: PTX to program.
function(sim_decode_test name)
  sim_unit_test(decode ${name} decode/support.c ${ARGN})
  target_compile_definitions(sim_decode_${name} PRIVATE
    DECODE_PTX_DIR="${SIM_GOLDEN}" DECODE_FORMS_FILE="${SIM_GOLDEN}/decode_forms.txt")
endfunction()

sim_decode_test(forms)
sim_decode_test(cfg)
sim_decode_test(slots support/writer.c)
sim_decode_test(addresses)
sim_decode_test(program)
sim_decode_test(golden)

# What the installed toolkit writes.
if(SIM_PTXAS)
  set(decode_out ${CMAKE_CURRENT_BINARY_DIR}/decode)
  file(MAKE_DIRECTORY ${decode_out})
  set(decode_outputs "")
  # NAME SOURCE FLAGS...: one PTX file
  function(sim_decode_compile name source)
    add_custom_command(OUTPUT ${decode_out}/${name}.ptx VERBATIM
      DEPENDS ${SIM_TESTS}/decode/sources/${source}.cu
      COMMAND ${CMAKE_CUDA_COMPILER} ${LADDER_NVCC_QUICK} -ptx -std=c++17 -arch=compute_90 ${ARGN}
              ${SIM_TESTS}/decode/sources/${source}.cu -o ${decode_out}/${name}.ptx)
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
  sim_decode_test(nvcc)
  target_compile_definitions(sim_decode_nvcc PRIVATE DECODE_NVCC_DIR="${decode_out}")
  add_dependencies(sim_decode_nvcc decode_nvcc_inputs)
else()
  message(STATUS "simulator tests: no ptxas beside nvcc, decode/nvcc is skipped")
endif()
