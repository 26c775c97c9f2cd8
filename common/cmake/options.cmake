# Compiler flags, in one place. C11 with GNU extensions of the C library; warnings are errors.
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CUDA_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_package(Threads REQUIRED)

# Linking a step takes the default linker three times as long as one of these; without them it does the work.
include(CheckLinkerFlag)
set(LADDER_LINK_FLAG "-Wl,--hash-style=gnu")
foreach(linker gold lld)
  check_linker_flag(CXX -fuse-ld=${linker} LADDER_LINKER_${linker})
  if(LADDER_LINKER_${linker})
    set(LADDER_LINK_FLAG "-fuse-ld=${linker}")
    break()
  endif()
endforeach()
add_link_options(${LADDER_LINK_FLAG})

# Flags for every C target: link to it with target_link_libraries(x PRIVATE ladder_c_options).
add_library(ladder_c_options INTERFACE)
target_compile_definitions(ladder_c_options INTERFACE _GNU_SOURCE)
target_compile_options(ladder_c_options INTERFACE
  $<$<COMPILE_LANGUAGE:C>:-Wall -Wextra -Werror -ffp-contract=off -fno-math-errno>)
# For code on whose speed nothing depends, ladder_c_options as well: compiling it takes half the time that -O1 takes.
# LADDER_COLD_FLAGS is the same for all targets of a folder.
set(LADDER_COLD_FLAGS $<$<AND:$<COMPILE_LANGUAGE:C>,$<CONFIG:Release>>:-O0>)
add_library(ladder_cold_options INTERFACE)
target_compile_options(ladder_cold_options INTERFACE ${LADDER_COLD_FLAGS})
# For code that does most of the unit tests' work, after ladder_c_options: some optimisation in sanitizer builds, too.
add_library(ladder_hot_options INTERFACE)
# A target of many short files, whose headers cost more than they do: with LADDER_UNITY they are compiled as one. The
# launcher sets it, but for tests, which look at the objects of single files or take the place of one.
#   SECOND file..   whose names clash with those of the others: a second unit
#   APART file..    that clash with those, too: each for itself
option(LADDER_UNITY "Compile the files of a module as one" OFF)
function(ladder_compile_as_one target)
  if(NOT LADDER_UNITY)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 1 clash "" "" "SECOND;APART")
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source FILENAME file)
    if(file IN_LIST clash_SECOND)
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP second)
    elseif(NOT file IN_LIST clash_APART)
      set_property(SOURCE ${source} PROPERTY UNITY_GROUP first)
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
# Seconds after which CTest takes a test for hung: hours, for no verdict may depend on how fast or how busy a machine is, be it
# under a sanitizer or an emulator. No test has a limit of its own, and the waits inside tests are as patient (suite.h). Read
# by include(CTest).
set(DART_TESTING_TIMEOUT 28800)
if(LADDER_SANITIZE)
  if(LADDER_SANITIZE STREQUAL "thread")
    set(sanitizers thread)
  else()
    set(sanitizers address,undefined)
  endif()
  # None is optimised but what runs kernels (ladder_hot_options), and that little: instrumented, the interpreter's handlers
  # take five times as long to compile with -O3, and all else twice as long with -O1.
  target_compile_options(ladder_c_options INTERFACE
    $<$<COMPILE_LANGUAGE:C>:-O0 -fsanitize=${sanitizers} -fno-omit-frame-pointer
                            -fno-sanitize-recover=all -g1
                            -UNDEBUG # build types with optimisation define it; asserts stay on here
                            -Wno-maybe-uninitialized>) # instrumented code hides assignments from gcc
  target_compile_definitions(ladder_c_options INTERFACE LADDER_SANITIZED) # for tests that take a smaller sample then
  target_link_options(ladder_c_options INTERFACE -fsanitize=${sanitizers})
  target_compile_options(ladder_hot_options INTERFACE $<$<COMPILE_LANGUAGE:C>:-O1>)
endif()

# Flags for every kernel file, the grader's own builds included (it gets this list through configure_file):
# sources on every line, PTX that the simulator reads without a decompression library.
execute_process(COMMAND ${CMAKE_CUDA_COMPILER} --help OUTPUT_VARIABLE ladder_nvcc_help)
set(LADDER_NVCC_NO_COMPRESSION --no-compress) # up to 12.6
if(ladder_nvcc_help MATCHES "--compress-mode")
  set(LADDER_NVCC_NO_COMPRESSION --compress-mode=none)
endif()
set(LADDER_NVCC_FLAGS -lineinfo ${LADDER_NVCC_NO_COMPRESSION})
# The shared runtime that this toolkit's programs load, NVIDIA's or the simulator's.
set(LADDER_CUDART libcudart.so.${CUDAToolkit_VERSION_MAJOR})
if(CUDAToolkit_VERSION_MAJOR EQUAL 11)
  set(LADDER_CUDART libcudart.so.11.0)
endif()
# nvcc tries it with fewer headers first, as the grader does.
set(CMAKE_CUDA_COMPILER_LAUNCHER /bin/sh ${CMAKE_CURRENT_LIST_DIR}/nvcc/compile.sh ${CMAKE_CUDA_COMPILER_LAUNCHER})
