# SPDX-License-Identifier: MIT
# The drop-in runtime's own objects.
sim_unit_test(runtime clock)
target_sources(sim_runtime_clock PRIVATE ../runtime/base/clock.c)

# On a fake engine, which stands in for sim_core's.
sim_unit_test(runtime shim runtime/shim_memory.c runtime/shim_texture.c runtime/shim_graph.c support/fake_engine.c)
foreach(module IN LISTS SIM_MODULES)
  string(REPLACE "/" "_" target sim_module_${module})
  if(module MATCHES "^runtime" AND TARGET ${target})
    target_link_libraries(sim_runtime_shim PRIVATE ${target})
  endif()
endforeach()
target_include_directories(sim_runtime_shim SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_link_libraries(sim_runtime_shim PRIVATE ${CMAKE_DL_LIBS})

# Against the toolkit's own library, which answers these without a GPU.
set(sim_real_cudart ${CUDAToolkit_LIBRARY_DIR}/libcudart.so.13)
add_executable(sim_runtime_errors runtime/errors.c ../runtime/base/errors.c ../device/cuda_numbers.c)
target_include_directories(sim_runtime_errors PRIVATE ${SIM_TESTS}/..)
target_include_directories(sim_runtime_errors SYSTEM PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
target_link_libraries(sim_runtime_errors PRIVATE ladder_c_options common_base ${CMAKE_DL_LIBS})
add_test(NAME simulator/runtime/errors COMMAND sim_runtime_errors ${sim_real_cudart})
set_tests_properties(simulator/runtime/errors PROPERTIES SKIP_RETURN_CODE 77)
if(CMAKE_NM AND EXISTS ${sim_real_cudart})
  add_test(NAME simulator/runtime/symbols
           COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} -DREAL=${sim_real_cudart}
                   -DOURS=$<TARGET_FILE:sim_runtime> -P ${SIM_TESTS}/runtime/symbols.cmake)
endif()
