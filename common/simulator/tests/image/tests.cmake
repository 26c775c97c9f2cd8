# SPDX-License-Identifier: MIT
# Fat binaries and cubins, and what damaged ones do to every parser.
sim_golden_test(image fatbin)
sim_golden_test(image cubin)
sim_unit_test(image machine_opcode)

# The fuzz targets: each as a program that replays files (../fuzz/build.sh makes the libFuzzer ones), and all
# under their own names in the mutation test.
sim_golden_test(image mutations)
foreach(target ptx fatbin cubin decode)
  add_executable(fuzz_${target}_replay ../fuzz/fuzz_${target}.c ../fuzz/replay.c)
  target_link_libraries(fuzz_${target}_replay PRIVATE ladder_c_options sim_core)
  add_library(fuzz_${target} OBJECT ../fuzz/fuzz_${target}.c)
  target_compile_definitions(fuzz_${target} PRIVATE LLVMFuzzerTestOneInput=fuzz_${target})
  target_link_libraries(fuzz_${target} PRIVATE ladder_c_options sim_core)
  target_link_libraries(sim_image_mutations PRIVATE fuzz_${target})
endforeach()
file(GLOB sim_ptx_goldens ${SIM_GOLDEN}/*.ptx)
add_test(NAME simulator/fuzz_replay COMMAND fuzz_ptx_replay ${sim_ptx_goldens})
add_test(NAME simulator/fuzz_replay_decode COMMAND fuzz_decode_replay ${sim_ptx_goldens})

# What the installed toolkit writes.
if(SIM_PTXAS AND SIM_FATBINARY)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/nvcc)
  file(MAKE_DIRECTORY ${out})
  set(sources ${CMAKE_CURRENT_LIST_DIR}/sources)
  set(sim_nvcc_outputs "")
  # NAME SOURCE FLAGS...: one PTX file
  function(sim_compile_ptx name source)
    add_custom_command(OUTPUT ${out}/${name}.ptx DEPENDS ${sources}/${source}.cu VERBATIM
      COMMAND ${CMAKE_CUDA_COMPILER} ${LADDER_NVCC_QUICK} -ptx -std=c++17 -arch=compute_90 ${ARGN}
              ${sources}/${source}.cu -o ${out}/${name}.ptx)
    set(sim_nvcc_outputs ${sim_nvcc_outputs} ${out}/${name}.ptx PARENT_SCOPE)
  endfunction()
  sim_compile_ptx(features_line features -lineinfo)
  sim_compile_ptx(features_debug features -G)
  sim_compile_ptx(features_rdc features -rdc=true)
  sim_compile_ptx(resources resources)
  add_custom_command(OUTPUT ${out}/resources.cubin ${out}/resources.log
    DEPENDS ${out}/resources.ptx VERBATIM
    COMMAND sh -c "\"$1\" -arch=sm_90 -v \"$2\" -o \"$3\" 2> \"$4\"" sh ${SIM_PTXAS}
            ${out}/resources.ptx ${out}/resources.cubin ${out}/resources.log)
  add_custom_command(OUTPUT ${out}/features.cubin DEPENDS ${out}/features_line.ptx VERBATIM
    COMMAND ${SIM_PTXAS} -arch=sm_90 --generate-line-info ${out}/features_line.ptx
            -o ${out}/features.cubin)
  foreach(mode none default size speed)
    set(how --compress-mode=${mode})
    if(LADDER_NVCC_NO_COMPRESSION STREQUAL --no-compress) # an older toolkit compresses or does not
      set(how --compress=true)
      if(mode STREQUAL none)
        set(how --compress=false)
      endif()
    endif()
    add_custom_command(OUTPUT ${out}/${mode}.fatbin DEPENDS ${out}/resources.cubin VERBATIM
      COMMAND ${SIM_FATBINARY} -64 --create=${out}/${mode}.fatbin ${how}
              --image3=kind=ptx,sm=90,file=${out}/resources.ptx
              --image3=kind=elf,sm=90,file=${out}/resources.cubin)
    list(APPEND sim_nvcc_outputs ${out}/${mode}.fatbin)
  endforeach()
  add_custom_target(sim_nvcc_inputs
    DEPENDS ${sim_nvcc_outputs} ${out}/resources.cubin ${out}/features.cubin)
  sim_golden_test(image nvcc)
  target_compile_definitions(sim_image_nvcc PRIVATE SIM_NVCC_DIR="${out}")
  add_dependencies(sim_image_nvcc sim_nvcc_inputs)
else()
  message(STATUS "simulator tests: no ptxas or fatbinary beside nvcc, image/nvcc is skipped")
endif()
