# The drop-in runtimes, for programs of CUDA 11.8, 12 and 13: libcudart.so.11.0, .12 and .13. All are of the same objects,
# but for those that a module gives as PER_RUNTIME. Every exported symbol carries the version node that such programs
# ask for; which functions a version has says runtime/symbols.txt.
#
# Gives SIM_RUNTIMES, the targets: sim_runtime is the one of this toolkit's major; the target sim_runtimes builds all.
set(SIM_RUNTIMES "")

function(sim_runtime_map major node out)
  file(STRINGS runtime/symbols.txt names REGEX "^[^#]")
  set(text "${node} {\nglobal:\n    sim_runtime_*;\n")
  foreach(row IN LISTS names)
    string(REGEX REPLACE "^[^:]+: " "" functions "${row}")
    if(" ${row}" MATCHES "^[^:]* ${major}")
      string(REPLACE " " ";\n    " functions "${functions}")
      string(APPEND text "    ${functions};\n")
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${out} CONTENT "${text}local:\n    *;\n};\n" @ONLY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/runtime/symbols.txt)
endfunction()

foreach(soname 11.0 12 13)
  string(REGEX REPLACE "\\..*" "" major ${soname})
  set(target sim_runtime_${major})
  if(major EQUAL CUDAToolkit_VERSION_MAJOR)
    set(target sim_runtime)
  endif()
  list(APPEND SIM_RUNTIMES ${target})
  set(map ${CMAKE_CURRENT_BINARY_DIR}/libcudart.${soname}.map)
  sim_runtime_map(${major} libcudart.so.${soname} ${map})
  add_library(${target} SHARED)
  target_link_libraries(${target} PRIVATE ladder_c_options sim_core)
  target_link_options(${target} PRIVATE LINKER:--version-script=${map} LINKER:-soname,libcudart.so.${soname})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME cudart SUFFIX .so.${soname} NO_SONAME ON LINK_DEPENDS ${map}
                                             SIM_RUNTIME_MAJOR ${major})
endforeach()
add_custom_target(sim_runtimes DEPENDS ${SIM_RUNTIMES})

# The driver's library, as far as programs that are linked with -lcuda need it: api/driver.c. Its calls lead to the runtime
# that the program has loaded, whichever it is.
add_library(sim_driver SHARED runtime/api/driver.c)
target_link_libraries(sim_driver PRIVATE ladder_c_options ladder_cold_options)
target_compile_definitions(sim_driver PRIVATE SIM_DRIVER_LIBRARY _GNU_SOURCE)
target_include_directories(sim_driver PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/../base)
target_link_options(sim_driver PRIVATE LINKER:-soname,libcuda.so.1 LINKER:-z,lazy)
set_target_properties(sim_driver PROPERTIES OUTPUT_NAME cuda SUFFIX .so.1 NO_SONAME ON C_VISIBILITY_PRESET hidden)
add_dependencies(sim_runtimes sim_driver)
