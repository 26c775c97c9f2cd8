# SPDX-License-Identifier: MIT
# Single instructions against the results of an H100 (docs/validation.md), bit by bit. Each class of cases is a program
# image of its own, so that an instruction which is missing costs its class only.
set(validation_dir ${PROJECT_SOURCE_DIR}/common/validation)
file(STRINGS ${validation_dir}/operands/operand_classes.def hardware_rows REGEX "^OPERAND_CLASS")
set(hardware_objects "")
foreach(row IN LISTS hardware_rows)
  string(REGEX REPLACE "^OPERAND_CLASS\\((.*)\\)$" "\\1" class ${row})
  add_library(operand_${class} OBJECT EXCLUDE_FROM_ALL ${validation_dir}/operands/operand_class.cu)
  target_compile_options(operand_${class} PRIVATE ${LADDER_NVCC_FLAGS})
  target_compile_definitions(operand_${class} PRIVATE
    OPERAND_CLASS_NAME=${class} OPERAND_IN_${class})
  list(APPEND hardware_objects $<TARGET_OBJECTS:operand_${class}>)
endforeach()
add_executable(operand_program EXCLUDE_FROM_ALL
  ${validation_dir}/operands/operand_program.c ${validation_dir}/operands/operand_golden.c
  ${validation_dir}/operands/operand_check.c ${validation_dir}/operands/operand_values.c ${hardware_objects})
set_target_properties(operand_program PROPERTIES LINKER_LANGUAGE CUDA CUDA_RUNTIME_LIBRARY Shared)
target_include_directories(operand_program SYSTEM PRIVATE
  ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_compile_options(operand_program PRIVATE
  $<$<COMPILE_LANGUAGE:C>:-D_GNU_SOURCE;-ffp-contract=off;-Wall;-Wextra;-Werror>)

# Building takes a minute: with the full tests only.
add_test(NAME simulator/operands_h100_build
         COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target operand_program sim_runtime)
set_tests_properties(simulator/operands_h100_build PROPERTIES
  LABELS full TIMEOUT 900 FIXTURES_SETUP operand_program)
add_test(NAME simulator/operands_h100
         COMMAND operand_program --compare ${validation_dir}/operands/operands_h100.bin
                 --known ${validation_dir}/operands/operands_known.txt)
set_tests_properties(simulator/operands_h100 PROPERTIES
  LABELS full TIMEOUT 300 FIXTURES_REQUIRED operand_program
  ENVIRONMENT "${sim_program_environment}")

# Matrix products against an H100's, by hashes.
add_executable(matrix_program ${validation_dir}/operands/matrix_program.cu)
set_target_properties(matrix_program PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
target_compile_options(matrix_program PRIVATE ${LADDER_NVCC_FLAGS})
add_dependencies(matrix_program sim_runtime)
add_test(NAME simulator/matrix_h100
         COMMAND matrix_program --compare ${validation_dir}/operands/matrix_h100.txt)
set_tests_properties(simulator/matrix_h100 PROPERTIES
  TIMEOUT 120 ENVIRONMENT "${sim_program_environment}")

# Products of warp groups against an H200's, likewise.
if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.4)
  add_executable(warpgroup_program ${validation_dir}/operands/warpgroup_program.cu)
  set_target_properties(warpgroup_program PROPERTIES CUDA_RUNTIME_LIBRARY Shared CUDA_ARCHITECTURES 90a)
  target_compile_options(warpgroup_program PRIVATE ${LADDER_NVCC_FLAGS})
  add_dependencies(warpgroup_program sim_runtime)
  add_test(NAME simulator/warpgroup_h200
           COMMAND warpgroup_program --compare ${validation_dir}/operands/warpgroup_h200.txt)
  set_tests_properties(simulator/warpgroup_h200 PROPERTIES
    TIMEOUT 120 ENVIRONMENT "${sim_program_environment}")
endif()

# Boxes of tensors and what the driver says to descriptions, against a card's.
if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13.0)
  add_executable(tensor_program ${validation_dir}/operands/tensor_program.cu)
  set_target_properties(tensor_program PROPERTIES CUDA_RUNTIME_LIBRARY Shared CUDA_ARCHITECTURES 90a)
  target_compile_options(tensor_program PRIVATE ${LADDER_NVCC_FLAGS})
  add_dependencies(tensor_program sim_runtime)
  add_test(NAME simulator/tensor_h200
           COMMAND tensor_program --compare ${validation_dir}/operands/tensor_h200.txt)
  set_tests_properties(simulator/tensor_h200 PROPERTIES
    TIMEOUT 120 ENVIRONMENT "${sim_program_environment}")
endif()

# The simulator's counters of the counter kernels against an H100's.
file(GLOB counter_sources CONFIGURE_DEPENDS ${validation_dir}/counters/counter_*.cu)
add_executable(counter_kernels EXCLUDE_FROM_ALL ${counter_sources})
set_target_properties(counter_kernels PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
target_compile_options(counter_kernels PRIVATE ${LADDER_NVCC_FLAGS})
add_test(NAME simulator/counters_h100_build
         COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target counter_kernels sim_runtime ladder)
set_tests_properties(simulator/counters_h100_build PROPERTIES
  LABELS full TIMEOUT 900 FIXTURES_SETUP counter_kernels)
add_test(NAME simulator/counters_h100
         COMMAND sh ${validation_dir}/counters/check_counters.sh $<TARGET_FILE:ladder>
                 $<TARGET_FILE:counter_kernels> ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(simulator/counters_h100 PROPERTIES
  LABELS full TIMEOUT 300 FIXTURES_REQUIRED counter_kernels)

# Modelled times of the kernels that the timing model is held to: those that the page shows.
file(GLOB timing_sources CONFIGURE_DEPENDS ${validation_dir}/timing/kernels/*.cu)
add_executable(timing_kernels EXCLUDE_FROM_ALL ${timing_sources})
set_target_properties(timing_kernels PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
target_compile_options(timing_kernels PRIVATE ${LADDER_NVCC_FLAGS})
add_test(NAME simulator/timing_build
         COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target timing_kernels sim_runtime)
set_tests_properties(simulator/timing_build PROPERTIES LABELS full TIMEOUT 1800 FIXTURES_SETUP timing_kernels)
foreach(card h200 h100)
  add_test(NAME simulator/timing_${card}
           COMMAND sh ${validation_dir}/timing/kernels/check_modelled.sh $<TARGET_FILE:timing_kernels> ${card}
                   ${CMAKE_CURRENT_BINARY_DIR}/timing_${card})
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/timing_${card})
  set_tests_properties(simulator/timing_${card} PROPERTIES
    LABELS full TIMEOUT 1800 FIXTURES_REQUIRED timing_kernels ENVIRONMENT "${sim_program_environment}")
endforeach()

# And of the pipelines of bulk copies and products of warp groups: each program, and the stored files' name.
foreach(program pipelines:modelled fresh:modelled_fresh)
  string(REPLACE ":" ";" program ${program})
  list(GET program 0 name)
  list(GET program 1 stored)
  add_executable(timing_${name} EXCLUDE_FROM_ALL ${validation_dir}/timing/pipelines/${name}.cu)
  set_target_properties(timing_${name} PROPERTIES CUDA_RUNTIME_LIBRARY Shared CUDA_ARCHITECTURES 90a)
  target_compile_options(timing_${name} PRIVATE ${LADDER_NVCC_FLAGS})
  add_test(NAME simulator/timing_${name}_build
           COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target timing_${name} sim_runtime)
  set_tests_properties(simulator/timing_${name}_build PROPERTIES
    LABELS full TIMEOUT 600 FIXTURES_SETUP timing_${name})
  foreach(card h200 h100)
    add_test(NAME simulator/timing_${name}_${card}
             COMMAND sh ${validation_dir}/timing/pipelines/check_modelled.sh $<TARGET_FILE:timing_${name}>
                     ${stored} ${card} ${CMAKE_CURRENT_BINARY_DIR}/timing_${card})
    set_tests_properties(simulator/timing_${name}_${card} PROPERTIES
      LABELS full TIMEOUT 600 FIXTURES_REQUIRED timing_${name} ENVIRONMENT "${sim_program_environment}")
  endforeach()
endforeach()

# Boxes and fences by themselves, which the model's constants are from.
add_executable(timing_units EXCLUDE_FROM_ALL ${validation_dir}/timing/pipelines/units.cu)
set_target_properties(timing_units PROPERTIES CUDA_RUNTIME_LIBRARY Shared CUDA_ARCHITECTURES 90a)
target_compile_options(timing_units PRIVATE ${LADDER_NVCC_FLAGS})
add_test(NAME simulator/timing_units_build
         COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target timing_units sim_runtime)
set_tests_properties(simulator/timing_units_build PROPERTIES LABELS full TIMEOUT 600 FIXTURES_SETUP timing_units)
foreach(card h200 h100)
  add_test(NAME simulator/timing_units_${card}
           COMMAND sh ${validation_dir}/timing/pipelines/check_units.sh $<TARGET_FILE:timing_units> ${card}
                   ${CMAKE_CURRENT_BINARY_DIR}/timing_${card})
  set_tests_properties(simulator/timing_units_${card} PROPERTIES
    LABELS full TIMEOUT 600 FIXTURES_REQUIRED timing_units ENVIRONMENT "${sim_program_environment}")
endforeach()

# And of the labs' steps, at the smallest size of each shape.
foreach(card h200 h100)
  file(MAKE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/timing_labs_${card})
  add_test(NAME simulator/timing_labs_${card}
           COMMAND sh ${validation_dir}/timing/labs/check_modelled.sh ${CMAKE_BINARY_DIR}/labs ${card}
                   ${CMAKE_CURRENT_BINARY_DIR}/timing_labs_${card})
  set_tests_properties(simulator/timing_labs_${card} PROPERTIES
    LABELS full TIMEOUT 1800 ENVIRONMENT "${sim_program_environment}")
endforeach()

# What the labs' solutions give, bit by bit.
add_test(NAME simulator/outputs_h200
         COMMAND sh ${validation_dir}/outputs/outputs.sh ${CMAKE_BINARY_DIR}/labs h200
                 ${CMAKE_CURRENT_BINARY_DIR}/outputs --compare ${validation_dir}/outputs/outputs_h200.txt)
set_tests_properties(simulator/outputs_h200 PROPERTIES
  LABELS full TIMEOUT 600 ENVIRONMENT "${sim_program_environment}")

# What kernels read off their clocks: as stored, and as an H200 to within the stated tolerance.
file(GLOB micro_sources CONFIGURE_DEPENDS ${validation_dir}/timing/micro/*.cu)
add_executable(micro_benchmarks EXCLUDE_FROM_ALL ${micro_sources})
set_target_properties(micro_benchmarks PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
target_compile_options(micro_benchmarks PRIVATE ${LADDER_NVCC_NO_COMPRESSION}) # as simulated_h200.csv was made: without lines
add_test(NAME simulator/clocks_build
         COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target micro_benchmarks sim_runtime)
set_tests_properties(simulator/clocks_build PROPERTIES LABELS full TIMEOUT 1800 FIXTURES_SETUP micro_benchmarks)
add_test(NAME simulator/clocks_h200
         COMMAND sh ${validation_dir}/timing/micro/check_simulated.sh $<TARGET_FILE:micro_benchmarks> ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(simulator/clocks_h200 PROPERTIES
  LABELS full TIMEOUT 600 FIXTURES_REQUIRED micro_benchmarks ENVIRONMENT "${sim_program_environment}")

# Loops that ptxas unrolls: counted as an H200 does, or said to differ.
add_executable(unrolled_loops ${validation_dir}/counters/counter_kernels.cu ${validation_dir}/counters/unrolled_loops.cu)
set_target_properties(unrolled_loops PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
target_compile_definitions(unrolled_loops PRIVATE COUNTER_ROWS="unrolled_loops.def")
target_compile_options(unrolled_loops PRIVATE ${LADDER_NVCC_FLAGS})
add_test(NAME simulator/unrolled_h200
         COMMAND sh ${validation_dir}/counters/check_unrolled.sh $<TARGET_FILE:ladder>
                 $<TARGET_FILE:unrolled_loops> ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(simulator/unrolled_h200 PROPERTIES TIMEOUT 120)

# The counters of texture and surface accesses and of distributed shared memory, launch by launch.
foreach(counts texture_counts_h100 cluster_counts_h200)
  string(REGEX REPLACE "_h[0-9]+$" "" program ${counts})
  add_executable(${program} ${validation_dir}/counters/${program}.cu)
  set_target_properties(${program} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  target_compile_options(${program} PRIVATE ${LADDER_NVCC_FLAGS})
  add_test(NAME simulator/${counts}
           COMMAND sh ${validation_dir}/counters/check_launches.sh $<TARGET_FILE:ladder> $<TARGET_FILE:${program}>
                   ${validation_dir}/counters/${counts}.csv ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(simulator/${counts} PROPERTIES TIMEOUT 120)
endforeach()

# Boxes of bulk tensor copies, in and out.
add_executable(bulk_counts ${validation_dir}/timing/pipelines/units.cu)
set_target_properties(bulk_counts PROPERTIES CUDA_RUNTIME_LIBRARY Shared CUDA_ARCHITECTURES 90a)
target_compile_options(bulk_counts PRIVATE ${LADDER_NVCC_FLAGS})
target_compile_definitions(bulk_counts PRIVATE COUNTS)
add_test(NAME simulator/bulk_counts_h200
         COMMAND sh ${validation_dir}/counters/check_launches.sh $<TARGET_FILE:ladder> $<TARGET_FILE:bulk_counts>
                 ${validation_dir}/counters/bulk_counts_h200.csv ${CMAKE_CURRENT_BINARY_DIR})
set_tests_properties(simulator/bulk_counts_h200 PROPERTIES TIMEOUT 120)

# Textures: quick to build, so with every run.
add_executable(texture_program
  ${validation_dir}/textures/texture_program.c ${validation_dir}/textures/texture_values.c ${validation_dir}/textures/texture_golden.c
  ${validation_dir}/textures/texture_kernels.cu)
set_target_properties(texture_program PROPERTIES LINKER_LANGUAGE CUDA CUDA_RUNTIME_LIBRARY Shared)
target_include_directories(texture_program SYSTEM PRIVATE
  ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_compile_options(texture_program PRIVATE
  $<$<COMPILE_LANGUAGE:C>:-D_GNU_SOURCE;-ffp-contract=off;-Wall;-Wextra;-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:${LADDER_NVCC_FLAGS}>)
target_link_options(texture_program PRIVATE LINKER:--enable-new-dtags
                    LINKER:-rpath,${CUDAToolkit_LIBRARY_DIR})
add_dependencies(texture_program sim_runtime)
add_test(NAME simulator/textures_h100
         COMMAND texture_program --compare ${validation_dir}/textures/textures_h100.bin)
set_tests_properties(simulator/textures_h100 PROPERTIES
  TIMEOUT 120 ENVIRONMENT "${sim_program_environment}")

# What linear filters add up, by hashes.
add_executable(filter_program ${validation_dir}/textures/filter_program.cu)
set_target_properties(filter_program PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
target_compile_options(filter_program PRIVATE ${LADDER_NVCC_FLAGS})
add_dependencies(filter_program sim_runtime)
add_test(NAME simulator/filters_h200
         COMMAND filter_program --compare ${validation_dir}/textures/filter_h200.txt)
set_tests_properties(simulator/filters_h200 PROPERTIES
  TIMEOUT 120 ENVIRONMENT "${sim_program_environment}")
