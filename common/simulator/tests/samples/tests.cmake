# SPDX-License-Identifier: MIT
# Ordinary CUDA programs in the manner of sample collections (samples/samples.cmake lists them): built with plain
# options, run with the drop-in runtime, counting (its default) and without counters.
set(sim_samples_dir ${SIM_TESTS}/samples)
include(${PROJECT_SOURCE_DIR}/common/tests/unpack.cmake)
set(sim_samples_printed ${CMAKE_CURRENT_BINARY_DIR}/samples_printed)
tests_unpack(${sim_samples_dir}/printed_h100.txt ${sim_samples_printed})

function(sim_sample_test test name mode)
  add_test(NAME ${test}
           COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:sample_${name}> -DNAME=${name}
                   -DPRINTED=${sim_samples_printed}/${name}
                   -P ${sim_samples_dir}/run_sample.cmake)
  set_tests_properties(${test} PROPERTIES LABELS samples
    ENVIRONMENT "${sim_program_environment};LADDER_SIM_MODE=${mode}")
endfunction()

function(sim_sample name)
  cmake_parse_arguments(row "FULL" "NEEDS;HEADER" "OPTIONS;SOURCES" ${ARGN})
  if(row_HEADER)
    find_file(SIM_HEADER_${name} ${row_HEADER} HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
    if(NOT SIM_HEADER_${name})
      set(row_NEEDS "the toolkit here has no ${row_HEADER}")
    endif()
  endif()
  if(row_NEEDS)
    set_property(GLOBAL APPEND PROPERTY SIM_SAMPLES_WAITING "${name} (${row_NEEDS})")
    return()
  endif()
  sim_in_module(samples ${name}.cu source)
  get_filename_component(module ${source} DIRECTORY)
  list(TRANSFORM row_SOURCES PREPEND samples/${module}/)
  add_executable(sample_${name} samples/${source} ${row_SOURCES})
  set_target_properties(sample_${name} PROPERTIES
    CUDA_RUNTIME_LIBRARY Shared RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/samples)
  target_compile_options(sample_${name} PRIVATE ${row_OPTIONS})
  if("-rdc=true" IN_LIST row_OPTIONS)
    set_target_properties(sample_${name} PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
  endif()
  target_link_options(sample_${name} PRIVATE LINKER:--enable-new-dtags
                      LINKER:-rpath,${CUDAToolkit_LIBRARY_DIR})
  target_link_libraries(sample_${name} PRIVATE Threads::Threads)
  add_dependencies(sample_${name} sim_runtime)
  set_property(GLOBAL APPEND PROPERTY SIM_CHECKABLE_PROGRAMS sample_${name}) # ladder check runs them, too
  sim_sample_test(simulator/sample/${name} ${name} count)
  sim_sample_test(simulator/sample_functional/${name} ${name} functional)
  if(row_FULL)
    set_property(GLOBAL APPEND PROPERTY SIM_FULL_PROGRAMS sample_${name})
    set_target_properties(sample_${name} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    add_test(NAME simulator/sample_build/${name}
             COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target sample_${name})
    set_tests_properties(simulator/sample_build/${name} PROPERTIES
      LABELS full FIXTURES_SETUP sample_${name})
    set_tests_properties(simulator/sample/${name} simulator/sample_functional/${name} PROPERTIES
      LABELS "samples;full" FIXTURES_REQUIRED sample_${name})
  endif()
endfunction()

include(samples/samples.cmake)
get_property(sim_samples_waiting GLOBAL PROPERTY SIM_SAMPLES_WAITING)
if(sim_samples_waiting)
  list(JOIN sim_samples_waiting ", " sim_samples_waiting)
  message(STATUS "Sample programs not run, for want of: ${sim_samples_waiting}")
endif()
