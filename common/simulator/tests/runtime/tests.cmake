# The drop-in runtime's own objects, on a fake engine, which stands in for sim_core's.
foreach(module IN LISTS SIM_MODULES)
  string(REPLACE "/" "_" target sim_module_${module})
  foreach(objects ${target} ${target}_13)
    if(module MATCHES "^runtime" AND TARGET ${objects})
      target_link_libraries(simulator_runtime_shim PRIVATE ${objects})
    endif()
  endforeach()
endforeach()
target_link_libraries(simulator_runtime_shim PRIVATE ${CMAKE_DL_LIBS})

# Programs on the drop-ins as they are: functions that differ between versions, called as programs of each version would; the
# driver's library; errors, against the toolkit's own library, which answers these without a GPU.
foreach(program versions driver_library errors with_engine)
  add_executable(sim_runtime_${program} runtime/${program}_main.c)
  target_include_directories(sim_runtime_${program} PRIVATE ${SIM_TESTS}/..)
  target_link_libraries(sim_runtime_${program} PRIVATE ladder_c_options common_base ${CMAKE_DL_LIBS})
endforeach()
target_sources(sim_runtime_errors PRIVATE ../device/cuda_numbers.c)
target_link_libraries(sim_runtime_with_engine PRIVATE sim_core)
file(GLOB sim_real_cudart ${CUDAToolkit_LIBRARY_DIR}/${LADDER_CUDART})
add_test(NAME simulator/runtime/errors COMMAND sim_runtime_errors ${sim_real_cudart})
set_tests_properties(simulator/runtime/errors PROPERTIES SKIP_RETURN_CODE 77)
add_test(NAME simulator/runtime/driver_library
         COMMAND sim_runtime_driver_library $<TARGET_FILE:sim_runtime> $<TARGET_FILE:sim_driver>)

# What the drop-ins export, by runtime/symbols.txt, and that table by the toolkit's library.
foreach(runtime IN LISTS SIM_RUNTIMES)
  get_target_property(major ${runtime} SIM_RUNTIME_MAJOR)
  add_test(NAME simulator/runtime/versions_${major} COMMAND sim_runtime_versions $<TARGET_FILE:${runtime}>)
  set(real "")
  if(runtime STREQUAL sim_runtime)
    set(real ${sim_real_cudart})
  endif()
  if(CMAKE_NM)
    add_test(NAME simulator/runtime/symbols_${major}
             COMMAND sh ${SIM_TESTS}/runtime/symbols.sh ${CMAKE_NM} ${major} ${SIM_ROOT}/runtime/symbols.txt $<TARGET_FILE:${runtime}>
                     ${real})
  endif()
endforeach()

# And every release's own library, as NVIDIA's wheels have it.
set(releases -cu11==11.8.89 -cu12==12.0.146 -cu12==12.1.105 -cu12==12.2.140 -cu12==12.3.101 -cu12==12.4.127 -cu12==12.5.82
             -cu12==12.6.77 -cu12==12.8.90 -cu12==12.9.79 ==13.0.96 ==13.1.80 ==13.2.86 ==13.3.29 ==13.4.92 ==13.5.37)
foreach(runtime IN LISTS SIM_RUNTIMES)
  get_target_property(major ${runtime} SIM_RUNTIME_MAJOR)
  foreach(release IN LISTS releases)
    if(CMAKE_NM AND release MATCHES "==(${major}\\.[0-9]+)")
      set(test simulator/runtime/wheel_${CMAKE_MATCH_1})
      add_test(NAME ${test} COMMAND sh ${SIM_TESTS}/runtime/symbols.sh ${CMAKE_NM} ${major} ${SIM_ROOT}/runtime/symbols.txt
                                    $<TARGET_FILE:${runtime}> nvidia-cuda-runtime${release})
      set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77 LABELS full)
    endif()
  endforeach()
endforeach()
