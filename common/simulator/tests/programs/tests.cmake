# SPDX-License-Identifier: MIT
# Ordinary CUDA programs that run with the drop-in runtime.
# Built as an author would, linked with the toolkit's shared runtime, and led to the drop-in by
# LD_LIBRARY_PATH. They behave alike on a GPU.
set(sim_program_environment LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime> LADDER_SIM_MEMORY=4000000000)
if(LADDER_SANITIZE) # nvcc's programs do not bring the sanitizer's runtime, which must come first
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so
                  OUTPUT_VARIABLE sim_asan OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND sim_program_environment LD_PRELOAD=${sim_asan} ASAN_OPTIONS=detect_leaks=0)
endif()

# The one file NAME in a module (folder) of `parts`, as MODULE/NAME.
function(sim_in_module parts name out)
  file(GLOB found RELATIVE ${SIM_TESTS}/${parts} CONFIGURE_DEPENDS ${SIM_TESTS}/${parts}/*/${name})
  list(LENGTH found count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "${parts}: ${count} modules have a ${name}")
  endif()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

# Programs that use what older toolkits lack: the first of 11.8, 12.4 and 13.0 that has it.
set(sim_needs_cooperative_groups 12.4)
set(sim_needs_function_attributes 12.4)
set(sim_needs_uncommon 12.4)
set(sim_needs_warpgroup_products 12.4)
foreach(name IN ITEMS driver_calls library_load tensor_copies warpgroup_attention graph_api graph_more runtime_api async_copies_75 async_copies_80 async_copies_90)
  set(sim_needs_${name} 13.0)
endforeach()

# sim_program(NAME [SOURCES...]); default: NAME.cu in one of the modules of programs
function(sim_program name)
  if(CUDAToolkit_VERSION VERSION_LESS "${sim_needs_${name}}")
    message(STATUS "Left out: test program ${name} needs CUDA ${sim_needs_${name}}")
    return()
  endif()
  set(sources ${ARGN})
  if(NOT sources)
    sim_in_module(programs ${name}.cu sources)
  endif()
  list(TRANSFORM sources PREPEND programs/)
  add_executable(program_${name} ${sources})
  set_target_properties(program_${name} PROPERTIES
    CUDA_RUNTIME_LIBRARY Shared RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/programs)
  target_compile_options(program_${name} PRIVATE ${LADDER_NVCC_FLAGS})
  target_link_options(program_${name} PRIVATE LINKER:--enable-new-dtags
                      LINKER:-rpath,${CUDAToolkit_LIBRARY_DIR})
  target_link_libraries(program_${name} PRIVATE Threads::Threads)
  add_dependencies(program_${name} sim_runtime)
  set_property(GLOBAL APPEND PROPERTY SIM_CHECKABLE_PROGRAMS program_${name}) # ladder check runs them, too
endfunction()

# One CTest entry; what follows `expect` must appear in the output, else the exit status decides.
function(sim_program_test test name arguments expect)
  if(NOT TARGET program_${name})
    return()
  endif()
  add_test(NAME simulator/program/${test} COMMAND program_${name} ${arguments})
  set_tests_properties(simulator/program/${test} PROPERTIES
    ENVIRONMENT "${sim_program_environment}")
  if(expect)
    set_tests_properties(simulator/program/${test} PROPERTIES PASS_REGULAR_EXPRESSION "${expect}")
  endif()
endfunction()

set(sim_plain_programs
  api_errors clusters constant_memory cooperative_groups device_limits device_query device_symbols dynamic_shared
  fault_and_reset function_attributes grid_sync histogram launch_errors library_load local_atomics managed mapped_memory
  memory_pools number_types occupancy parameters per_thread_stream pitched_copy relocatable shared_pointers
  fork driver_calls
  gemv_orders
  matrix_bits matrix_products stencil stream_order streams timing transpose uncommon vector_add volume warp_reduction)
foreach(name IN LISTS sim_plain_programs)
  sim_program(${name})
  sim_program_test(${name} ${name} "" "")
endforeach()
# The device that the environment names, and one that is not there.
sim_program_test(device_query_h200 device_query "" "NVIDIA H200 .simulated., compute capability 9.0, 132 SMs,.*\
 60 MiB of L2 .11796480 persisting.*ok")
sim_program_test(device_query_unknown device_query "" "there is no device .h300., only h100, h200")
set_property(TEST simulator/program/device_query_h200 APPEND PROPERTY ENVIRONMENT LADDER_SIM_DEVICE=h200)
set_property(TEST simulator/program/device_query_unknown APPEND PROPERTY ENVIRONMENT LADDER_SIM_DEVICE=h300)
add_test(NAME simulator/program/times
         COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:program_timing> -P ${SIM_TESTS}/programs/times.cmake)
set_tests_properties(simulator/program/times PROPERTIES ENVIRONMENT "${sim_program_environment}")
# Cards that have no clusters; and the runs of docs/cards: a few orders of the 8800 GTX, all of them in the full tier.
sim_program_test(clusters_k40 clusters none "Tesla K40m, compute capability 3.5, has no thread block clusters")
set_property(TEST simulator/program/clusters_k40 APPEND PROPERTY ENVIRONMENT LADDER_SIM_DEVICE=k40)
set(sim_cards ${PROJECT_SOURCE_DIR}/docs/cards)
function(sim_orders_test test ranges)
  add_test(NAME simulator/program/${test} COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:program_gemv_orders>
           -DSTORED=${sim_cards}/gemv_gtx8800.csv "-DRANGES=${ranges}" -P ${SIM_TESTS}/programs/stored_orders.cmake)
  set_tests_properties(simulator/program/${test} PROPERTIES
    ENVIRONMENT "${sim_program_environment};LADDER_SIM_DEVICE=${sim_cards}/gtx8800.txt")
endfunction()
sim_orders_test(orders_8800 "16 16 1;64 64 1;128 512 128")
# Ranges of docs/cards/generate.sh: where a matrix lies depends on those before it, and tells in the last digits.
sim_orders_test(full/orders_8800 "128 1792 128;2032 2080 1;2112 3072 64;6080 6082 1")
set_tests_properties(simulator/program/full/orders_8800 PROPERTIES LABELS full)
target_compile_options(program_per_thread_stream PRIVATE --default-stream=per-thread)
sim_program(linked linked/main.cu linked/tables.cu linked/shapes.cu)
sim_program_test(linked linked "" "")
set_target_properties(program_relocatable program_linked PROPERTIES CUDA_SEPARABLE_COMPILATION ON)

# Launches from kernels.
foreach(name IN ITEMS quicksort adaptive order mistakes)
  sim_program(children_${name} children/${name}.cu)
  set_target_properties(program_children_${name} PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_ARCHITECTURES 90)
  sim_program_test(children_${name} children_${name} "" "")
endforeach()
sim_program_test(children_silent children_mistakes silent "launch of _Z5emptyv from _Z6silentv, line [0-9]+: cudaErrorInvalidConfiguration: a block of 2048 x 1 x 1.*\
2 launches from kernels failed in all.*launch: cudaSuccess, end: cudaSuccess")
sim_program_test(children_again children_mistakes again "launch of _Z5againPi: the limit of 65536 launches from kernels.*end: cudaErrorLaunch")
sim_program_test(children_fault children_mistakes fault "illegal write.*of writes_far.*end: cudaErrorIllegalAddress")
sim_program_test(children_event children_mistakes event "does not have cudaEventCreateWithFlags in device code.*launch: cudaErrorNotSupported")
sim_program_test(children_copy children_mistakes copy "does not have cudaMemcpyAsync in device code.*launch: cudaErrorNotSupported")

# Asynchronous copies compile to other instructions for each architecture.
foreach(arch 75 80 90)
  sim_program(async_copies_${arch} memory/async_copies.cu)
  if(TARGET program_async_copies_${arch})
    set_target_properties(program_async_copies_${arch} PROPERTIES CUDA_ARCHITECTURES ${arch})
  endif()
  sim_program_test(async_copies_${arch} async_copies_${arch} "" "")
endforeach()
sim_program(tensor_copies)
set_target_properties(program_tensor_copies PROPERTIES CUDA_ARCHITECTURES 90a)
sim_program_test(tensor_copies tensor_copies "" "")
sim_program(graph_memory)
sim_program_test(graph_memory graph_memory "" "")
sim_program_test(graph_memory_after_release graph_memory after "freed.*a use after the release")
sim_program(split_barriers)
set_target_properties(program_split_barriers PROPERTIES CUDA_ARCHITECTURES 75)
target_compile_options(program_split_barriers PRIVATE -G)
sim_program_test(split_barriers split_barriers "" "")
set_property(TEST simulator/program/split_barriers APPEND PROPERTY
  ENVIRONMENT LADDER_SIM_MAX_INSTRUCTIONS=4000000)
sim_program(rare_opcodes)
set_target_properties(program_rare_opcodes PROPERTIES CUDA_ARCHITECTURES 90a)
sim_program_test(rare_opcodes rare_opcodes "" "")
sim_program_test(rare_opcodes_breakpoint rare_opcodes breakpoint "")
sim_program(warpgroup_products)
if(TARGET program_warpgroup_products)
  set_target_properties(program_warpgroup_products PROPERTIES CUDA_ARCHITECTURES 90a)
endif()
sim_program_test(warpgroup_products warpgroup_products "" "")
sim_program_test(warpgroup_products_few warpgroup_products few "in warp [01] of a block of 2: a group is four warps in a row")
sim_program(warpgroup_attention)
if(TARGET program_warpgroup_attention)
  set_target_properties(program_warpgroup_attention PROPERTIES CUDA_ARCHITECTURES 90a)
endif()
sim_program_test(warpgroup_attention warpgroup_attention "" "")
sim_program(refused_kernel)
sim_program_test(refused_kernel refused_kernel "" "multimem[^\n]*\n.*\\^.*ok\n")
# What each common mistake returns; the same program on an H100 decides what is right.
sim_program(errors errors/main.cu errors/memory.cu errors/copy.cu errors/launch.cu errors/stream.cu
            errors/fault.cu)
add_test(NAME simulator/program/errors
         COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:program_errors>
                 -DGOLDEN=${SIM_TESTS}/programs/errors/h100.txt
                 -DDIFFERENCES=${SIM_TESTS}/programs/errors/differences.txt
                 -P ${SIM_TESTS}/programs/errors/compare.cmake)
set_tests_properties(simulator/program/errors PROPERTIES
  ENVIRONMENT "${sim_program_environment}")

sim_program(device_printf)
sim_program_test(device_printf device_printf ""
  "device: -17  2\\.50 hello x % 1099511627776\n4464 -1 65535 beef.    77 %\\.\\*f\nthread 3 of block 0\nno argument\nmisfit 5 0 857870592 2003195204\nmisfit 0 0.000000 [05]\n5 6 7 8 9 10 11 12 5 .* 11 12 622879781 2675248289278076192.0x2064252064252064\n5 . %y 544569893 %Lf\n.null. .nil.\n5 %zu\n=0=4=3=32=-1=1=2=1\nhost: after the kernel")
sim_program(kernel_fault)
sim_program_test(fault_null kernel_fault null "as expected: cudaErrorIllegalAddress")
sim_program_test(fault_far kernel_fault far "as expected: cudaErrorIllegalAddress")
sim_program_test(fault_misaligned kernel_fault misaligned "as expected: cudaErrorMisalignedAddress")
sim_program_test(fault_trap kernel_fault trap "as expected: cudaErrorLaunchFailure")
sim_program_test(fault_assert kernel_fault assert "as expected: cudaErrorAssert")
sim_program_test(fault_is_explained kernel_fault far "kernel_fault\\.cu:")
sim_program(endless)
foreach(kind IN ITEMS spin flag lock host)
  sim_program_test(endless_${kind} endless ${kind} "goes on")
  set_property(TEST simulator/program/endless_${kind} APPEND PROPERTY
    ENVIRONMENT LADDER_SIM_MAX_INSTRUCTIONS=2000000)
endforeach()
# Without a limit: what cannot change any more shows by itself, and who would have to come is told.
foreach(row IN ITEMS "polls:waits for flag, which holds 0" "clock:waits for flag" "call:deadlock" "rounds:waits for flag"
        "value:wait.. waits until the value is another" "permits:acquire.. waits for a permit.*release..,"
        "stages:producer_acquire.. waits for a free stage.*consumer_release.."
        "left:grid.sync.. waits for all blocks.*1 of the 4 blocks has ended.*block .1,0,0."
        "last:99 of the 100 blocks have not started.*fit on the device.*--resident all"
        "empty:an endless loop.*It is empty")
  string(REGEX MATCH "^[a-z]+" kind ${row})
  string(REGEX REPLACE "^[a-z]+:" "" text ${row})
  sim_program_test(endless_${kind} endless ${kind} "${text}.*goes on")
endforeach()
sim_program_test(endless_patient endless patient "goes on")
sim_program_test(endless_resident endless resident "goes on")
set_property(TEST simulator/program/endless_resident APPEND PROPERTY ENVIRONMENT LADDER_SIM_RESIDENT=all)
set_tests_properties(simulator/program/endless_host PROPERTIES
  PASS_REGULAR_EXPRESSION "none for the host.*goes on")
sim_program(host_dereference)
# Dies by a signal, as it must; what it says first decides.
add_test(NAME simulator/program/host_dereference
         COMMAND sh -c "\"$0\"; test $? -gt 128" $<TARGET_FILE:program_host_dereference>)
set_tests_properties(simulator/program/host_dereference PROPERTIES
  ENVIRONMENT "${sim_program_environment}"
  PASS_REGULAR_EXPRESSION "host code read 0x2.*byte 40 of the 400 bytes"
  FAIL_REGULAR_EXPRESSION "should have been impossible")

# The same programs with the device in another process, and its reports fetched afterwards.
add_executable(runtime_with_engine runtime/with_engine.c)
target_link_libraries(runtime_with_engine PRIVATE ladder_c_options sim_core)
foreach(name IN ITEMS vector_add managed mapped_memory shared_pointers pitched_copy streams device_symbols library_load fault_and_reset graph_memory
                      children_quicksort children_order)
  if(NOT TARGET program_${name})
    continue()
  endif()
  add_test(NAME simulator/engine/${name}
           COMMAND runtime_with_engine $<TARGET_FILE:ladder-engine> $<TARGET_FILE:program_${name}>)
  set_tests_properties(simulator/engine/${name} PROPERTIES
    ENVIRONMENT "${sim_program_environment}")
endforeach()

# What the runtime answers, section by section, against an H100's answers (NAME.txt beside NAME.cu). Mipmapped
# arrays are refused here, so that their section is left out.
function(sim_transcript_test name)
  sim_program(${name})
  if(NOT TARGET program_${name})
    return()
  endif()
  sim_in_module(programs ${name}.txt golden)
  foreach(section IN LISTS ARGN)
    add_test(NAME simulator/program/${name}_${section}
             COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:program_${name}> -DSECTION=${section}
                     -DGOLDEN=${SIM_TESTS}/programs/${golden}
                     -P ${SIM_TESTS}/programs/transcript.cmake)
    set_tests_properties(simulator/program/${name}_${section} PROPERTIES
      ENVIRONMENT "${sim_program_environment}")
  endforeach()
endfunction()
sim_transcript_test(texture_api arrays copies cube_maps linear_textures pitched_textures array_objects surface_trap
                    surface_misaligned no_texture freed_texture)
sim_transcript_test(graph_api capture_states unsafe_calls joined_streams destroyed_streams explicit_graphs
                    memory_nodes event_nodes updates user_objects)
sim_transcript_test(graph_more captured_calls captured_launches dependencies node_parameters
                    general_functions changes printed)
sim_transcript_test(runtime_api batch_copies peers entry_points logs libraries pools registration stack heap
                    after_fork)
sim_program(textures)
sim_program_test(textures textures "" "")
add_test(NAME simulator/engine/textures
         COMMAND runtime_with_engine $<TARGET_FILE:ladder-engine> $<TARGET_FILE:program_textures>)
set_tests_properties(simulator/engine/textures PROPERTIES
  ENVIRONMENT "${sim_program_environment}")

# The same programs by other toolkits: those of $LADDER_TOOLKITS (paths of nvcc, separated by ':'), else those that lie where
# packages put them.
add_test(NAME simulator/program/full/toolkits COMMAND sh -c
  "IFS=:; exec sh '${CMAKE_CURRENT_LIST_DIR}/toolkits.sh' '$<TARGET_FILE_DIR:sim_runtime>' '${CMAKE_CURRENT_LIST_DIR}/toolkits.txt' \
\${LADDER_TOOLKITS:-/usr/bin/nvcc:$(ls -d /usr/local/cuda-1[12].*/bin/nvcc 2>/dev/null | paste -sd: -)}")
set_tests_properties(simulator/program/full/toolkits PROPERTIES LABELS full SKIP_RETURN_CODE 77)
include(${CMAKE_CURRENT_LIST_DIR}/language/settings.cmake)
