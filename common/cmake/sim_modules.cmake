# SPDX-License-Identifier: MIT
# SIM_MODULES: the modules of modules.txt from the ground up. sim_module() makes one: it takes every .c file that lies in the
# folder, and gives the object library sim_module_<module>, whose objects go into sim_core, those of runtime's modules into
# sim_runtime. A module with options of its own calls it in its CMakeLists.txt.
#
#   FOLDER folder     the module's; without it the caller's
#   EXCEPT file..     of no module's library: the main file of a program
#   PER_RUNTIME file..  compiled once for each drop-in runtime, with its RUNTIME_MAJOR (sim_runtimes.cmake)
#   VARIANTS file..   compiled once for any processor and on x86-64 once more for x86-64-v3 (AVX2, FMA), with the variant's
#                     name in SIM_EXEC_VARIANT; ops/bind.c chooses one at run time. Of the operations sim_core has the variants
#                     of SIM_VARIANTS, by default only the one that this machine runs; tests link the others too.
file(STRINGS modules.txt SIM_MODULES REGEX "^[a-z_/ ]+$")
list(REVERSE SIM_MODULES)
string(REPLACE " " ";" SIM_MODULES "${SIM_MODULES}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/modules.txt)
set(SIM_ROOT ${CMAKE_CURRENT_SOURCE_DIR})

# The interpreter clears many small structures, for which `rep stos` takes longer to start than to do its work.
include(CheckCCompilerFlag)
set(sim_clear_option -mmemset-strategy=unrolled_loop:256:noalign,libcall:-1:noalign)
check_c_compiler_flag(${sim_clear_option} SIM_HAS_CLEAR_OPTION)

# Modules on whose speed that of a launch depends. The others are compiled for a short build: the runtime's without
# optimisation, those through which a program's text goes with little of it.
set(SIM_HOT_MODULES warps record ops ops/memory memory grids check check/order debug machine counters timing/bounds timing/sm timing/kernel_clock
                  timing/timeline)
# Modules of short files that may be compiled as one.
set(SIM_MODULES_AS_ONE base image program decode decode/instruction runtime/state runtime/code runtime/graph
                     runtime/api/memory)

set(sim_all_variants base)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  list(APPEND sim_all_variants v3)
endif()
set(sim_variant base)
if(v3 IN_LIST sim_all_variants AND EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo sim_processor REGEX "^flags.* avx2 .*" LIMIT_COUNT 1)
  if(sim_processor MATCHES " fma .*" AND sim_processor MATCHES " f16c " AND sim_processor MATCHES " bmi1 "
     AND sim_processor MATCHES " bmi2 ")
    set(sim_variant v3)
  endif()
endif()
if(LADDER_SANITIZE) # both are made from the same lines: of the operations one is enough
  set(sim_variant base)
endif()
set(SIM_VARIANTS ${sim_variant} CACHE STRING "Variants of the interpreter: base, v3, or base;v3 for machines of both kinds")

set(sim_variant_flags -O3 -fno-strict-aliasing -fno-math-errno -fno-trapping-math -ffp-contract=off)
set(SIM_VARIANT_FLAGS_base ${sim_variant_flags})
set(SIM_VARIANT_FLAGS_v3 ${sim_variant_flags} -march=x86-64-v3)

function(sim_module_objects target library)
  add_library(${target} OBJECT ${ARGN})
  target_include_directories(${target} PRIVATE ${SIM_ROOT})
  target_link_libraries(${target} PRIVATE ladder_c_options)
  if(library STREQUAL sim_core) # the runtime's version script says what it exports
    set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden)
  endif()
  if(library STREQUAL sim_other_variants)
    target_sources(${library} INTERFACE $<TARGET_OBJECTS:${target}>)
  else()
    foreach(each IN LISTS library)
      target_sources(${each} PRIVATE $<TARGET_OBJECTS:${target}>)
    endforeach()
  endif()
  set_property(GLOBAL APPEND PROPERTY SIM_MODULE_TARGETS ${target})
  target_link_libraries(${target} PRIVATE common_base)
endfunction()

function(sim_hot_options target)
  target_link_libraries(${target} PRIVATE ladder_hot_options)
  if(SIM_HAS_CLEAR_OPTION)
    target_compile_options(${target} PRIVATE ${sim_clear_option})
  endif()
endfunction()

function(sim_module)
  cmake_parse_arguments(PARSE_ARGV 0 module "" "FOLDER" "EXCEPT;VARIANTS;PER_RUNTIME")
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${module_FOLDER})
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${SIM_ROOT} OUTPUT_VARIABLE name)
  string(REGEX REPLACE "/$" "" name "${name}")
  set(library sim_core)
  if(name MATCHES "^runtime")
    set(library ${SIM_RUNTIMES})
  endif()
  string(REPLACE "/" "_" target sim_module_${name})
  file(GLOB sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} CONFIGURE_DEPENDS ${folder}/*.c)
  if(module_EXCEPT OR module_VARIANTS OR module_PER_RUNTIME)
    list(REMOVE_ITEM sources ${module_EXCEPT} ${module_VARIANTS} ${module_PER_RUNTIME})
  endif()
  if(sources)
    sim_module_objects(${target} "${library}" ${sources})
    if(name MATCHES "^runtime")
      target_link_libraries(${target} PRIVATE ladder_cold_options)
    elseif(NOT name IN_LIST SIM_HOT_MODULES)
      target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
    else()
      sim_hot_options(${target})
    endif()
    if(name IN_LIST SIM_MODULES_AS_ONE)
      ladder_compile_as_one(${target})
    endif()
  endif()
  foreach(runtime IN LISTS SIM_RUNTIMES)
    if(module_PER_RUNTIME)
      get_target_property(major ${runtime} SIM_RUNTIME_MAJOR)
      sim_module_objects(${target}_${major} ${runtime} ${module_PER_RUNTIME})
      target_link_libraries(${target}_${major} PRIVATE ladder_cold_options)
      target_compile_definitions(${target}_${major} PRIVATE RUNTIME_MAJOR=${major})
    endif()
  endforeach()
  if(module_VARIANTS)
    foreach(variant IN LISTS sim_all_variants)
      set(owner ${library})
      if(name MATCHES "^ops" AND NOT variant IN_LIST SIM_VARIANTS)
        if(LADDER_SANITIZE)
          continue()
        endif()
        set(owner sim_other_variants)
      endif()
      sim_module_objects(${target}_${variant} ${owner} ${module_VARIANTS})
      target_compile_definitions(${target}_${variant} PRIVATE SIM_EXEC_VARIANT=${variant})
      target_compile_options(${target}_${variant} PRIVATE ${SIM_VARIANT_FLAGS_${variant}})
      sim_hot_options(${target}_${variant})
    endforeach()
  endif()
endfunction()
