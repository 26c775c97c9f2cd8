# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
kl_lab_own(l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum time_us)
kl_lab_unit_test(sweep ${lab_dir}/tests/sweep_test.c ${lab_dir}/sweep_orders.c ${lab_dir}/sweep_chart.c)
target_include_directories(lab_gemv_row_sweep PRIVATE ${lab_dir})
target_link_libraries(lab_gemv_row_sweep PRIVATE m)

foreach(part options system cpu file answer chart report)
  list(APPEND app_parts ${lab_dir}/app_${part}.c)
endforeach()
kl_lab_unit_test(app ${lab_dir}/tests/app_test.c ${app_parts})
target_include_directories(lab_gemv_row_app PRIVATE ${lab_dir})
target_link_libraries(lab_gemv_row_app PRIVATE kl_lab kl_sparse)
kl_find_runtime(lab_gemv_row_app)

if(TARGET sim_runtime AND TARGET gemv_row_solution)
  kl_lab_kernels_test(7)
  # A number to watch that is of another case than the timed one, before and after.
  add_test(NAME lab/gemv_row_watch COMMAND gemv_row --step 5 --step 6 --solution --quick --device sim)
  set_tests_properties(lab/gemv_row_watch PROPERTIES PASS_REGULAR_EXPRESSION
    "6  SMs used, 132 rows of 259 +9 +132 +132")
  # The sweep checks every answer itself; without a GPU it says that its times are modelled.
  add_test(NAME lab/gemv_row_sweep_runs COMMAND gemv_row_sweep --solution --device sim --step 7)
  set_tests_properties(lab/gemv_row_sweep_runs PROPERTIES PASS_REGULAR_EXPRESSION
    "29 small ones, modelled.*GFLOP/s by matrix order: 1 step 7,.*768")
  # A step that is not written yet has nothing to sweep.
  kl_lab_builds(gemv_row 7)
  add_test(NAME lab/gemv_row_sweep_unwritten COMMAND gemv_row_sweep --device sim --step 7)
  set_tests_properties(lab/gemv_row_sweep_unwritten PROPERTIES PASS_REGULAR_EXPRESSION
    "step 7 at order 16: not implemented")
  add_executable(lab_gemv_row_app_device ${lab_dir}/tests/app_device_test.c ${lab_dir}/app_device.c ${lab_dir}/app_system.c
    ${lab_dir}/app_cpu.c ${lab_dir}/app_update.cu ${lab_dir}/call.c)
  target_include_directories(lab_gemv_row_app_device PRIVATE ${PROJECT_SOURCE_DIR}/common/tests/host ${lab_dir})
  target_link_libraries(lab_gemv_row_app_device PRIVATE ladder_c_options kl_lab kl_sparse ladder_package_CHECK)
  set_target_properties(lab_gemv_row_app_device PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  kl_find_runtime(lab_gemv_row_app_device)
  add_dependencies(lab_gemv_row_app_device sim_runtime)
  add_test(NAME lab/gemv_row_app_device COMMAND lab_gemv_row_app_device)
  set_tests_properties(lab/gemv_row_app_device PROPERTIES
    ENVIRONMENT "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime>")
  # The application solves its equations three times each; --quick: at two of its three alphas.
  add_test(NAME lab/gemv_row_app_runs COMMAND gemv_row_app --solution --device sim --quick --step 2 --step 7)
  set_tests_properties(lab/gemv_row_app_runs PROPERTIES PASS_REGULAR_EXPRESSION
    "1\\.4 +host.*step 2, transfers +28 .*1\\.1 +host.*step 7 +97 +0\\.909 +0\\.909")
  # Too few iterations: said of each solution, and no success.
  add_test(NAME lab/gemv_row_app_limit COMMAND gemv_row_app --solution --device sim --limit 5 --alpha 1.5 --size 40)
  set_tests_properties(lab/gemv_row_app_limit PROPERTIES WILL_FAIL TRUE)
  file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/gemv_row_grows.mtx
       "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 2\n2 1 3\n2 2 1\n")
  add_test(NAME lab/gemv_row_app_grows COMMAND gemv_row_app --solution --device sim
           --matrix ${CMAKE_CURRENT_BINARY_DIR}/gemv_row_grows.mtx)
  set_tests_properties(lab/gemv_row_app_grows PROPERTIES PASS_REGULAR_EXPRESSION
    "contraction is 3, not below 1.*order 2, host: a NaN or an infinity after.*step 7, transfers: a NaN or an infinity")
  add_test(NAME lab/gemv_row_app_no_file COMMAND gemv_row_app --solution --device sim --matrix /none.mtx)
  set_tests_properties(lab/gemv_row_app_no_file PROPERTIES PASS_REGULAR_EXPRESSION "/none.mtx")
  add_test(NAME lab/gemv_row_app_unwritten COMMAND gemv_row_app --device sim --alpha 1.5 --size 8)
  set_tests_properties(lab/gemv_row_app_unwritten PROPERTIES PASS_REGULAR_EXPRESSION
    "not implemented .step 7, order 8")
  add_test(NAME lab/gemv_row_app_memory COMMAND gemv_row_app --solution --device sim --size 4000)
  set_tests_properties(lab/gemv_row_app_memory PROPERTIES ENVIRONMENT LADDER_HOST_MEMORY=100000000
    PASS_REGULAR_EXPRESSION "order 4000 needs 0.2 GB of host memory and there are 0.1 GB; try a smaller --size")
  # Other labs have none.
  add_test(NAME lab/gemv_row_sweep_of_another COMMAND ladder run reduction --sweep --device sim)
  set_tests_properties(lab/gemv_row_sweep_of_another PROPERTIES PASS_REGULAR_EXPRESSION
    "lab 02_reduction has no sweep over sizes")
endif()
