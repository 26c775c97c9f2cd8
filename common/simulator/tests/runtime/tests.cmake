# SPDX-License-Identifier: MIT
# The drop-in runtime's own objects.
sim_unit_test(runtime clock)
target_sources(sim_runtime_clock PRIVATE ../runtime/base/clock.c)

# On a fake engine, which stands in for sim_core's.
sim_unit_test(runtime shim runtime/shim_memory.c runtime/shim_texture.c runtime/shim_graph.c support/fake_engine.c)
foreach(module IN LISTS SIM_MODULES)
  string(REPLACE "/" "_" target sim_module_${module})
  foreach(objects ${target} ${target}_13)
    if(module MATCHES "^runtime" AND TARGET ${objects})
      target_link_libraries(sim_runtime_shim PRIVATE ${objects})
    endif()
  endforeach()
endforeach()
target_link_libraries(sim_runtime_shim PRIVATE ${CMAKE_DL_LIBS})

# Against the toolkit's own library, which answers these without a GPU.
file(GLOB sim_real_cudart ${CUDAToolkit_LIBRARY_DIR}/${LADDER_CUDART})
add_executable(sim_runtime_errors runtime/errors.c ../runtime/base/errors.c ../device/cuda_numbers.c)
target_include_directories(sim_runtime_errors PRIVATE ${SIM_TESTS}/..)
target_link_libraries(sim_runtime_errors PRIVATE ladder_c_options common_base ${CMAKE_DL_LIBS})
add_test(NAME simulator/runtime/errors COMMAND sim_runtime_errors ${sim_real_cudart})
set_tests_properties(simulator/runtime/errors PROPERTIES SKIP_RETURN_CODE 77)

# Their functions that differ between versions, called as programs of each version would.
add_executable(sim_runtime_versions runtime/versions.c)
target_include_directories(sim_runtime_versions PRIVATE ${SIM_TESTS}/..)
target_link_libraries(sim_runtime_versions PRIVATE ladder_c_options ${CMAKE_DL_LIBS})
foreach(runtime IN LISTS SIM_RUNTIMES)
  get_target_property(major ${runtime} SIM_RUNTIME_MAJOR)
  add_test(NAME simulator/runtime/versions_${major} COMMAND sim_runtime_versions $<TARGET_FILE:${runtime}>)
endforeach()

add_executable(sim_runtime_driver_library runtime/driver_library.c)
target_link_libraries(sim_runtime_driver_library PRIVATE ladder_c_options ${CMAKE_DL_LIBS})
add_test(NAME simulator/runtime/driver_library
         COMMAND sim_runtime_driver_library $<TARGET_FILE:sim_runtime> $<TARGET_FILE:sim_driver>)

# What the drop-ins export, by runtime/symbols.txt, and that table by the toolkit's library.
foreach(runtime IN LISTS SIM_RUNTIMES)
  get_target_property(major ${runtime} SIM_RUNTIME_MAJOR)
  set(real "")
  if(runtime STREQUAL sim_runtime)
    set(real ${sim_real_cudart})
  endif()
  if(CMAKE_NM)
    add_test(NAME simulator/runtime/symbols_${major}
             COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DMAJOR=${major} -DOURS=$<TARGET_FILE:${runtime}> -DREAL=${real}
                     -DTABLE=${SIM_ROOT}/runtime/symbols.txt -P ${SIM_TESTS}/runtime/symbols.cmake)
  endif()
endforeach()

# The runtime's declarations of its interface, by the toolkit's headers: compiling it is the test.
add_library(sim_runtime_abi OBJECT runtime/abi.c)
target_include_directories(sim_runtime_abi PRIVATE ${SIM_TESTS}/..)
target_include_directories(sim_runtime_abi SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_link_libraries(sim_runtime_abi PRIVATE ladder_c_options)
