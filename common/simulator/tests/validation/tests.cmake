# The simulator against what cards gave and took (docs/validation.md).
set(validation_dir ${PROJECT_SOURCE_DIR}/common/validation)
include(${validation_dir}/logs.cmake)
kl_card_logs(card_logs)

# A program on the drop-in runtime, from its sources.
function(validation_program name)
  add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  target_compile_options(${name} PRIVATE ${LADDER_NVCC_FLAGS})
  add_dependencies(${name} sim_runtime)
endfunction()

# For the features of sm_90a.
function(hopper_program name)
  validation_program(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES CUDA_ARCHITECTURES 90a)
endfunction()

# Building takes a minute: with the full tests only, of which those that require this fixture wait for it.
function(build_with_full_tests target)
  set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_test(NAME simulator/${target}_build
           COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target ${target} sim_runtime ladder)
  set_tests_properties(simulator/${target}_build PROPERTIES LABELS full FIXTURES_SETUP ${target})
endfunction()

# What a program prints on the drop-in runtime, against what it printed on a card; KNOWN: the cases that differ.
function(compare_test name program stored)
  add_test(NAME simulator/${name} COMMAND sh ${SIM_TESTS}/programs/compare.sh lines $<TARGET_FILE:${program}> ${card_logs}/${stored} ${ARGN})
  set_tests_properties(simulator/${name} PROPERTIES ENVIRONMENT "${sim_program_environment}")
endfunction()

# Modelled times for each card (timing/check.sh).
function(timing_tests name what program)
  if(TARGET ${program})
    set(path $<TARGET_FILE:${program}>)
  else()
    set(path ${program})
  endif()
  foreach(card h200 h100)
    set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}_${card})
    file(MAKE_DIRECTORY ${folder})
    add_test(NAME simulator/${name}_${card}
             COMMAND sh ${validation_dir}/timing/check.sh ${what} ${path} ${card} ${folder} ${card_logs} ${ARGN})
    set_tests_properties(simulator/${name}_${card} PROPERTIES
      LABELS full FIXTURES_REQUIRED ${program} ENVIRONMENT "${sim_program_environment}")
  endforeach()
endfunction()

# Counters of a program's launches against a profiler's on a card: WHAT is equal, rules or unrolled (counters/check.sh).
function(counts_test test what program stored)
  add_test(NAME simulator/${test} COMMAND sh ${validation_dir}/counters/check.sh ${what} $<TARGET_FILE:ladder> $<TARGET_FILE:${program}>
                                          ${card_logs}/counters/${stored}.csv ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# Single instructions, bit by bit. Each class of cases is a program image of its own, so that an instruction which is
# missing costs its class only.
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
add_executable(operand_program
  ${validation_dir}/operands/operand_program.c ${validation_dir}/operands/operand_values.c ${hardware_objects})
set_target_properties(operand_program PROPERTIES LINKER_LANGUAGE CUDA CUDA_RUNTIME_LIBRARY Shared)
target_include_directories(operand_program SYSTEM PRIVATE
  ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_compile_options(operand_program PRIVATE
  $<$<COMPILE_LANGUAGE:C>:-D_GNU_SOURCE;-ffp-contract=off;-Wall;-Wextra;-Werror>)
build_with_full_tests(operand_program)
compare_test(operands_h100 operand_program operands/operands_h100.txt ${validation_dir}/operands/operands_known.txt)
set_tests_properties(simulator/operands_h100 PROPERTIES
  LABELS full FIXTURES_REQUIRED operand_program)

# Products of matrices and of warp groups, by hashes.
validation_program(matrix_program ${validation_dir}/operands/matrix_program.cu)
compare_test(matrix_h200 matrix_program operands/matrix_h200.txt)
if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 12.4)
  hopper_program(warpgroup_program ${validation_dir}/operands/warpgroup_program.cu)
  compare_test(warpgroup_h200 warpgroup_program operands/warpgroup_h200.txt)
endif()

# Boxes of tensors and what the driver says to descriptions.
if(CUDAToolkit_VERSION VERSION_GREATER_EQUAL 13.0)
  hopper_program(tensor_program ${validation_dir}/operands/tensor_program.cu)
  compare_test(tensor_h200 tensor_program operands/tensor_h200.txt)
endif()

# Counters of the counter kernels.
file(GLOB counter_sources CONFIGURE_DEPENDS ${validation_dir}/counters/counter_*.cu)
validation_program(counter_kernels ${counter_sources})
build_with_full_tests(counter_kernels)
counts_test(counters_h100 rules counter_kernels counters_h100)
set_tests_properties(simulator/counters_h100 PROPERTIES
  LABELS full FIXTURES_REQUIRED counter_kernels)

# Modelled times: of the kernels that the timing model is held to, which the page shows; of the pipelines of bulk copies and
# products of warp groups; of boxes and fences by themselves, which the model's constants are from; and of the labs' steps, at
# the smallest size of each shape.
file(GLOB timing_sources CONFIGURE_DEPENDS ${validation_dir}/timing/kernels/*.cu)
validation_program(timing_kernels ${timing_sources})
hopper_program(timing_pipelines ${validation_dir}/timing/pipelines/pipelines.cu)
hopper_program(timing_fresh ${validation_dir}/timing/pipelines/fresh.cu)
hopper_program(timing_units ${validation_dir}/timing/pipelines/units.cu)
foreach(program timing_kernels timing_pipelines timing_fresh timing_units)
  build_with_full_tests(${program})
endforeach()
timing_tests(timing kernels timing_kernels modelled)
timing_tests(timing_pipelines pipelines timing_pipelines modelled)
timing_tests(timing_fresh pipelines timing_fresh modelled_fresh)
timing_tests(timing_units units timing_units)
timing_tests(timing_labs labs ${CMAKE_BINARY_DIR}/labs)

# What the labs' solutions give, bit by bit.
add_test(NAME simulator/outputs_h200
         COMMAND sh ${validation_dir}/outputs/outputs.sh ${CMAKE_BINARY_DIR}/labs h200
                 ${CMAKE_CURRENT_BINARY_DIR}/outputs --compare ${card_logs}/outputs/outputs_h200.txt)
set_tests_properties(simulator/outputs_h200 PROPERTIES
  LABELS full ENVIRONMENT "${sim_program_environment}")

# What kernels read off their clocks: as stored, and as an H200 to within the stated tolerance.
file(GLOB micro_sources CONFIGURE_DEPENDS ${validation_dir}/timing/micro/*.cu)
add_executable(micro_benchmarks ${micro_sources})
set_target_properties(micro_benchmarks PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
target_compile_options(micro_benchmarks PRIVATE ${LADDER_NVCC_NO_COMPRESSION}) # as simulated_h200.csv was made: without lines
build_with_full_tests(micro_benchmarks)
add_test(NAME simulator/clocks_h200
         COMMAND sh ${validation_dir}/timing/check.sh micro $<TARGET_FILE:micro_benchmarks> h200 ${CMAKE_CURRENT_BINARY_DIR} ${card_logs})
foreach(card h200 h100)
  add_test(NAME simulator/clocks_agree_${card}
           COMMAND sh ${validation_dir}/timing/check.sh agree $<TARGET_FILE:micro_benchmarks> ${card} ${CMAKE_CURRENT_BINARY_DIR}
                   pipes matrix shared latencies blocks clocks)
endforeach()
foreach(card a100 rtx4060)
  add_test(NAME simulator/clocks_published_${card}
           COMMAND sh ${validation_dir}/timing/check.sh published $<TARGET_FILE:micro_benchmarks> ${card} ${CMAKE_CURRENT_BINARY_DIR})
endforeach()
set_tests_properties(simulator/clocks_h200 simulator/clocks_agree_h200 simulator/clocks_agree_h100
                     simulator/clocks_published_a100 simulator/clocks_published_rtx4060 PROPERTIES
  LABELS full FIXTURES_REQUIRED micro_benchmarks ENVIRONMENT "${sim_program_environment}")

# Loops that ptxas unrolls: counted as an H200 does, or said to differ.
validation_program(unrolled_loops ${validation_dir}/counters/counter_kernels.cu ${validation_dir}/counters/unrolled_loops.cu)
target_compile_definitions(unrolled_loops PRIVATE COUNTER_ROWS="unrolled_loops.def")
counts_test(unrolled_h200 unrolled unrolled_loops unrolled_loops_h200)

# Texture and surface accesses, distributed shared memory, boxes of bulk tensor copies in and out.
validation_program(texture_counts ${validation_dir}/counters/texture_counts.cu)
counts_test(texture_counts_h100 equal texture_counts texture_counts_h100)
validation_program(cluster_counts ${validation_dir}/counters/cluster_counts.cu)
counts_test(cluster_counts_h200 equal cluster_counts cluster_counts_h200)
hopper_program(bulk_counts ${validation_dir}/timing/pipelines/units.cu)
target_compile_definitions(bulk_counts PRIVATE COUNTS)
counts_test(bulk_counts_h200 equal bulk_counts bulk_counts_h200)

# Textures, and what linear filters add up, by hashes.
add_executable(texture_program
  ${validation_dir}/textures/texture_program.c ${validation_dir}/textures/texture_values.c
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
compare_test(textures_h100 texture_program textures/textures_h100.txt ${validation_dir}/textures/textures_known.txt)
validation_program(filter_program ${validation_dir}/textures/filter_program.cu)
compare_test(filters_h200 filter_program textures/filter_h200.txt)

# What the runtime and the device answer, line by line.
set(answers ${validation_dir}/answers)
validation_program(answers_program ${answers}/answers.cu)
add_test(NAME simulator/answers_h200 COMMAND sh ${SIM_TESTS}/programs/compare.sh errors $<TARGET_FILE:answers_program>
                                             ${card_logs}/answers/answers_h200.txt ${answers}/answers_known.txt)
validation_program(devices_program ${answers}/devices.cu)
add_test(NAME simulator/answers_two_h200 COMMAND sh ${SIM_TESTS}/programs/compare.sh errors $<TARGET_FILE:devices_program>
                                                 ${card_logs}/answers/devices_h200.txt ${answers}/devices_known.txt)
set_tests_properties(simulator/answers_h200 PROPERTIES
  ENVIRONMENT "${sim_program_environment};LADDER_SIM_DEVICE=h200")
set_tests_properties(simulator/answers_two_h200 PROPERTIES
  ENVIRONMENT "${sim_program_environment};LADDER_SIM_DEVICE=h200;LADDER_SIM_DEVICES=2")

# Times of small programs on two devices.
validation_program(times_program ${validation_dir}/timing/programs/programs.cu)
add_test(NAME simulator/times_two_h200
         COMMAND sh ${validation_dir}/timing/check.sh programs $<TARGET_FILE:times_program> ${card_logs}/timing/programs/programs_h200.txt 0.15)
set_tests_properties(simulator/times_two_h200 PROPERTIES ENVIRONMENT "${sim_program_environment}")

# Questions with guesses.
foreach(asked sync values host graph child matrix calls faults)
  hopper_program(ask_${asked} ${answers}/ask_${asked}.cu)
  add_test(NAME simulator/asked_${asked} COMMAND sh ${SIM_TESTS}/programs/compare.sh answers $<TARGET_FILE:ask_${asked}>
                                                 ${answers}/questions.txt)
  set_tests_properties(simulator/asked_${asked} PROPERTIES
    ENVIRONMENT "${sim_program_environment};LADDER_SIM_DEVICE=h200")
endforeach()
hopper_program(ask_counts ${answers}/ask_counts.cu)
add_test(NAME simulator/asked_counts COMMAND sh ${SIM_TESTS}/programs/compare.sh counted $<TARGET_FILE:ask_counts>
                                             ${answers}/questions.txt $<TARGET_FILE:ladder>)
set_tests_properties(simulator/asked_counts PROPERTIES ENVIRONMENT "LADDER_SIM_DEVICE=h200")
foreach(linked graph child)
  set_target_properties(ask_${linked} PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
endforeach()
