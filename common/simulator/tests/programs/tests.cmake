# Ordinary CUDA programs on the drop-in runtime: those of programs/*/, which behave alike on a GPU, and those of samples/*/, in
# the manner of sample collections, run both counting and without counters. Built as an author would, linked with the toolkit's
# shared runtime, and led to the drop-in by LD_LIBRARY_PATH. programs.session has what some of them say.
#
# The heading of a source NAME.cu, beside that of kit_tests.cmake (test, labels, environment):
#   test: none           of the plain entry simulator/program/NAME; simulator/sample/NAME and sample_functional/NAME
#   since: VERSION       the first of CUDA 11.8, 12.4 and 13.0 that has what it uses
#   header: FILE         of the toolkit, without which it is left out
#   architectures: A..   what to compile for; several: a program NAME_A for each
#   options: OPTION..    nvcc's
#   with: FILE..         more sources; the folder's, and programs of their own no longer
#   engine: yes          once more with the device in another process, and its reports fetched afterwards
#   check: CLASS.. (..)  what `ladder check` finds in it (autograder/tests/checks); without it nothing
#   build: none          no program of this build
set(SIMULATED LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime> LADDER_SIM_MEMORY=4000000000)
if(LADDER_SANITIZE) # nvcc's programs do not bring the sanitizer's runtime, which must come first
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libasan.so OUTPUT_VARIABLE asan OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND SIMULATED LD_PRELOAD=${asan} ASAN_OPTIONS=detect_leaks=0)
endif()
set(sim_program_environment "${SIMULATED}")
list(JOIN SIMULATED " " SIMULATED)

# Of a heading that kit_heading has read.
macro(program_heading source)
  kit_heading(${source} since header architectures options with engine check build)
  string(REGEX REPLACE " *\\(.*" "" kit_check "${kit_check}")
  string(REGEX MATCH "LADDER_SIM_DEVICE=[a-z0-9]+" program_device "${kit_environment}")
  foreach(key labels options with architectures check)
    separate_arguments(kit_${key} UNIX_COMMAND "${kit_${key}}")
  endforeach()
endmacro()

# sim_program(TARGET ARCHITECTURE SOURCES..)
function(sim_program target architecture)
  add_executable(${target} ${ARGN})
  set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Shared
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/programs)
  if(architecture)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES ${architecture})
  endif()
  if("-rdc=true" IN_LIST kit_options)
    set_target_properties(${target} PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
    list(REMOVE_ITEM kit_options -rdc=true)
  endif()
  target_compile_options(${target} PRIVATE ${kit_options})
  if(target MATCHES "^program_")
    target_compile_options(${target} PRIVATE ${LADDER_NVCC_FLAGS})
  endif()
  target_link_options(${target} PRIVATE LINKER:--enable-new-dtags LINKER:-rpath,${CUDAToolkit_LIBRARY_DIR})
  target_link_libraries(${target} PRIVATE Threads::Threads)
  add_dependencies(${target} sim_runtime)
  set_property(GLOBAL APPEND PROPERTY SIM_CHECKABLE_PROGRAMS ${target}) # ladder check runs them, too
  set_property(TARGET ${target} PROPERTY SIM_FINDINGS "${kit_check}")
  set_property(TARGET ${target} PROPERTY SIM_PROGRAM_DEVICE "${program_device}")
  if("full" IN_LIST kit_labels)
    set_property(GLOBAL APPEND PROPERTY SIM_FULL_PROGRAMS ${target})
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL TRUE)
    add_test(NAME simulator/${target}_build COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target ${target})
    set_tests_properties(simulator/${target}_build PROPERTIES LABELS full FIXTURES_SETUP ${target})
  endif()
endfunction()

set(compare sh ${SIM_TESTS}/programs/compare.sh)
# program_tests(NAME TARGET) and sample_tests(NAME TARGET)
function(program_tests name target)
  kit_entries(simulator/program/${name} "" "" $<TARGET_FILE:${target}>)
  if(kit_engine)
    add_test(NAME simulator/engine/${name}
             COMMAND sim_runtime_with_engine $<TARGET_FILE:ladder-engine> $<TARGET_FILE:${target}>)
    set_tests_properties(simulator/engine/${name} PROPERTIES ENVIRONMENT "${sim_program_environment}")
  endif()
endfunction()
function(sample_tests name target)
  foreach(kind "sample;count" "sample_functional;functional")
    list(POP_FRONT kind entry mode)
    set(entry simulator/${entry}/${name})
    add_test(NAME ${entry} COMMAND ${compare} sample $<TARGET_FILE:${target}> ${name} ${CMAKE_CURRENT_BINARY_DIR}/samples_printed/${name})
    set_tests_properties(${entry} PROPERTIES LABELS "samples;${kit_labels}"
                         ENVIRONMENT "${sim_program_environment};LADDER_SIM_MODE=${mode}")
    if("full" IN_LIST kit_labels)
      set_tests_properties(${entry} PROPERTIES FIXTURES_REQUIRED ${target})
    endif()
  endforeach()
endfunction()

include(${PROJECT_SOURCE_DIR}/common/tests/unpack.cmake)
tests_unpack(${card_logs}/answers/samples_h100.txt ${CMAKE_CURRENT_BINARY_DIR}/samples_printed)
file(GLOB sources CONFIGURE_DEPENDS programs/*/*.cu samples/*/*.cu)
set(parts "")
foreach(source IN LISTS sources) # those that are a part of another program, in its folder
  program_heading(${source})
  cmake_path(GET source PARENT_PATH folder)
  list(TRANSFORM kit_with PREPEND ${folder}/)
  list(APPEND parts ${kit_with})
endforeach()
list(REMOVE_ITEM sources ${parts})
foreach(source IN LISTS sources)
  program_heading(${source})
  cmake_path(GET source STEM name)
  cmake_path(GET source PARENT_PATH folder)
  string(REGEX MATCH "/(program|sample)s/[a-z]+/[^/]*$" kind ${source})
  set(kind ${CMAKE_MATCH_1})
  if(kit_header)
    find_file(SIM_HEADER_${name} ${kit_header} HINTS ${CUDAToolkit_INCLUDE_DIRS} NO_DEFAULT_PATH)
  endif()
  if(kit_build OR CUDAToolkit_VERSION VERSION_LESS "${kit_since}" OR (kit_header AND NOT SIM_HEADER_${name}))
    message(STATUS "Left out: ${kind} ${name} ${kit_build} needs CUDA ${kit_since} ${kit_header}")
    continue()
  endif()
  list(TRANSFORM kit_with PREPEND ${folder}/)
  set(kit_environment "${SIMULATED} ${kit_environment}")
  list(LENGTH kit_architectures count)
  if(count GREATER 1) # as asynchronous copies, which compile to other instructions for each
    foreach(architecture IN LISTS kit_architectures)
      sim_program(${kind}_${name}_${architecture} ${architecture} ${source} ${kit_with})
      cmake_language(CALL ${kind}_tests ${name}_${architecture} ${kind}_${name}_${architecture})
    endforeach()
    continue()
  endif()
  sim_program(${kind}_${name} "${kit_architectures}" ${source} ${kit_with})
  if(NOT kit_test STREQUAL "none")
    cmake_language(CALL ${kind}_tests ${name} ${kind}_${name})
  endif()
endforeach()
kit_tests(simulator/program/@ programs)

# What a program prints against what is stored: `compare.sh WHAT PROGRAM ..`.
function(sim_compare_test test labels what program)
  if(TARGET ${program})
    add_test(NAME simulator/program/${test} COMMAND ${compare} ${what} $<TARGET_FILE:${program}> ${ARGN})
    set_tests_properties(simulator/program/${test} PROPERTIES ENVIRONMENT "${sim_program_environment}" LABELS "${labels}")
  endif()
endfunction()
# What each common mistake returns; the same program on an H100 decides what is right.
sim_compare_test(errors "" errors program_errors ${card_logs}/answers/errors_h100.txt ${SIM_TESTS}/programs/errors/differences.txt)
# The runs of docs/cards: a few orders of the 8800 GTX, and in the full tier ranges of docs/cards/generate.sh: where a matrix
# lies depends on those before it, and tells in the last digits.
set(cards ${PROJECT_SOURCE_DIR}/docs/cards)
sim_compare_test(orders_8800 "" stored program_gemv_orders ${cards}/gemv_gtx8800.csv "16 16 1" "64 64 1" "128 512 128")
sim_compare_test(full/orders_8800 full stored program_gemv_orders ${cards}/gemv_gtx8800.csv
                 "128 1792 128" "2032 2080 1" "2112 3072 64" "6080 6082 1")
set_property(TEST simulator/program/orders_8800 simulator/program/full/orders_8800 APPEND PROPERTY
             ENVIRONMENT LADDER_SIM_DEVICE=${cards}/gtx8800.txt LADDER_SIM_GUARD=1)
# What the runtime answers, section by section, against a card's answers (docs/validation.md).
file(GLOB transcripts CONFIGURE_DEPENDS ${card_logs}/answers/transcripts/*.txt)
foreach(transcript IN LISTS transcripts)
  cmake_path(GET transcript STEM name)
  file(STRINGS ${transcript} sections REGEX "^-- [a-z_]+$")
  list(TRANSFORM sections REPLACE "-- " "")
  foreach(section IN LISTS sections)
    sim_compare_test(${name}_${section} "" transcript program_${name} ${section} ${transcript})
  endforeach()
endforeach()

# Every way of compiling gives the same results: settings.cu at all levels of optimisation, with and without -G, for each
# architecture. A handful of them runs always, the rest with the full tests.
set(all_settings -O0 -O1 -O2 -O3 "-O0 -G" "-O3 -G" -lineinfo -rdc=true --use_fast_math -maxrregcount=32 "-O3 -rdc=true -lineinfo"
                 "-O1 -Xptxas -O1")
foreach(name quick sm_75 sm_80 sm_86 sm_89 sm_90)
  string(REGEX MATCH "[0-9][0-9]" architecture ${name}75)
  set(settings ${all_settings})
  set(labels full)
  if(name STREQUAL "quick")
    set(settings -G)
    set(labels "")
  endif()
  add_test(NAME simulator/settings/${name} COMMAND ${compare} settings ${CMAKE_CUDA_COMPILER} ${SIM_TESTS}/programs/settings.cu
           ${SIM_TESTS}/programs/settings.txt ${architecture} ${settings})
  set_tests_properties(simulator/settings/${name} PROPERTIES ENVIRONMENT "${sim_program_environment}" LABELS "${labels}")
endforeach()

# What nvcc makes of a wide corpus, for old and new architectures and with -G: nothing of it may be refused.
file(GLOB corpus CONFIGURE_DEPENDS corpus/*.cu)
foreach(source IN LISTS corpus)
  cmake_path(GET source STEM name)
  add_test(NAME simulator/corpus/${name} COMMAND ${compare} corpus ${CMAKE_CUDA_COMPILER} ${source} $<TARGET_FILE:sim-dump>)
  set_tests_properties(simulator/corpus/${name} PROPERTIES LABELS full)
endforeach()
