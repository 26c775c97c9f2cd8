# SPDX-License-Identifier: MIT
# Tests of the front end: images, cubins, PTX to syntax tree.
set(sim_frontend_defines SIM_TEST_DIR="${CMAKE_CURRENT_SOURCE_DIR}")
foreach(codec ZSTD LZ4)
  if(LADDER_HAVE_${codec})
    list(APPEND sim_frontend_defines SIM_HAVE_${codec})
  endif()
endforeach()

function(sim_frontend_test name)
  sim_unit_test(${name} ${name}.c frontend_support.c frontend_build_cubin.c ${ARGN})
  target_compile_definitions(${name} PRIVATE ${sim_frontend_defines})
endfunction()

sim_frontend_test(frontend_lex)
sim_frontend_test(frontend_parse)
sim_frontend_test(frontend_parse_errors)
sim_unit_test(frontend_link frontend_link.c)
sim_frontend_test(frontend_fatbin)
sim_frontend_test(frontend_cubin)

# The fuzz targets: each as a program that replays files (fuzz/build.sh makes the libFuzzer ones), and all
# under their own names in the mutation test.
sim_frontend_test(frontend_mutations)
foreach(target ptx fatbin cubin decode)
  add_executable(fuzz_${target}_replay ../fuzz/fuzz_${target}.c ../fuzz/replay.c)
  target_link_libraries(fuzz_${target}_replay PRIVATE ladder_c_options sim_core)
  add_library(fuzz_${target} OBJECT ../fuzz/fuzz_${target}.c)
  target_compile_definitions(fuzz_${target} PRIVATE LLVMFuzzerTestOneInput=fuzz_${target})
  target_link_libraries(fuzz_${target} PRIVATE ladder_c_options sim_core)
  target_link_libraries(frontend_mutations PRIVATE fuzz_${target})
endforeach()
file(GLOB sim_ptx_goldens ${CMAKE_CURRENT_SOURCE_DIR}/ptx/*.ptx)
add_test(NAME simulator/fuzz_replay COMMAND fuzz_ptx_replay ${sim_ptx_goldens})
add_test(NAME simulator/fuzz_replay_decode COMMAND fuzz_decode_replay ${sim_ptx_goldens})

# What the installed toolkit writes. ptxas and fatbinary stand beside nvcc.
file(REAL_PATH "${CMAKE_CUDA_COMPILER}" sim_nvcc)
cmake_path(GET sim_nvcc PARENT_PATH sim_nvcc_dir)
find_program(SIM_PTXAS ptxas HINTS ${sim_nvcc_dir})
find_program(SIM_FATBINARY fatbinary HINTS ${sim_nvcc_dir})
mark_as_advanced(SIM_PTXAS SIM_FATBINARY)
if(SIM_PTXAS AND SIM_FATBINARY)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/nvcc)
  file(MAKE_DIRECTORY ${out})
  set(sources ${CMAKE_CURRENT_SOURCE_DIR}/ptx_sources)
  set(sim_nvcc_outputs "")
  # NAME SOURCE FLAGS...: one PTX file
  function(sim_compile_ptx name source)
    add_custom_command(OUTPUT ${out}/${name}.ptx DEPENDS ${sources}/${source}.cu VERBATIM
      COMMAND ${CMAKE_CUDA_COMPILER} -ptx -std=c++17 -arch=compute_90 ${ARGN}
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
    add_custom_command(OUTPUT ${out}/${mode}.fatbin DEPENDS ${out}/resources.cubin VERBATIM
      COMMAND ${SIM_FATBINARY} -64 --create=${out}/${mode}.fatbin --compress-mode=${mode}
              --image3=kind=ptx,sm=90,file=${out}/resources.ptx
              --image3=kind=elf,sm=90,file=${out}/resources.cubin)
    list(APPEND sim_nvcc_outputs ${out}/${mode}.fatbin)
  endforeach()
  add_custom_target(sim_nvcc_inputs
    DEPENDS ${sim_nvcc_outputs} ${out}/resources.cubin ${out}/features.cubin)
  sim_frontend_test(frontend_nvcc)
  target_compile_definitions(frontend_nvcc PRIVATE SIM_NVCC_DIR="${out}")
  add_dependencies(frontend_nvcc sim_nvcc_inputs)
else()
  message(STATUS "simulator tests: no ptxas or fatbinary beside nvcc, frontend_nvcc is skipped")
endif()
