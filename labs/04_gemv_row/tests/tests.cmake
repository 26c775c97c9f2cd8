# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
kl_lab_unit_test(sweep ${lab_dir}/tests/sweep_test.c ${lab_dir}/sweep_orders.c ${lab_dir}/sweep_chart.c)
target_include_directories(lab_gemv_row_sweep PRIVATE ${lab_dir})
target_link_libraries(lab_gemv_row_sweep PRIVATE m)

if(TARGET sim_runtime AND TARGET gemv_row_solution)
  # No unit test: it runs the solution's steps on the simulator.
  add_executable(lab_gemv_row_kernels ${lab_dir}/tests/kernels_test.c)
  target_include_directories(lab_gemv_row_kernels PRIVATE ${PROJECT_SOURCE_DIR}/common/tests/host ${lab_dir})
  target_include_directories(lab_gemv_row_kernels SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(lab_gemv_row_kernels PRIVATE ladder_c_options kl_base ladder_package_CHECK CUDA::cudart
                        ${CMAKE_DL_LIBS})
  target_compile_definitions(lab_gemv_row_kernels PRIVATE
    KL_TEST_STEPS="$<TARGET_FILE_DIR:gemv_row_solution_step_7>")
  kl_find_runtime(lab_gemv_row_kernels)
  add_dependencies(lab_gemv_row_kernels gemv_row_solution sim_runtime)
  add_test(NAME lab/gemv_row_kernels COMMAND lab_gemv_row_kernels)
  set_tests_properties(lab/gemv_row_kernels PROPERTIES TIMEOUT 120
    ENVIRONMENT "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime>")
  # The sweep checks every answer itself; without a GPU it says that its times are modelled.
  add_test(NAME lab/gemv_row_sweep_runs COMMAND gemv_row_sweep --solution --device sim --step 7)
  set_tests_properties(lab/gemv_row_sweep_runs PROPERTIES TIMEOUT 300 PASS_REGULAR_EXPRESSION
    "29 small ones, modelled.*GFLOP/s by matrix order: 1 step 7,.*768")
  # A step that is not written yet has nothing to sweep.
  add_test(NAME lab/gemv_row_sweep_unwritten COMMAND gemv_row_sweep --device sim --step 7)
  set_tests_properties(lab/gemv_row_sweep_unwritten PROPERTIES TIMEOUT 60 PASS_REGULAR_EXPRESSION
    "step 7 at order 16: not implemented yet")
  # Other labs have none.
  add_test(NAME lab/gemv_row_sweep_of_another COMMAND ladder run reduction --sweep --device sim)
  set_tests_properties(lab/gemv_row_sweep_of_another PROPERTIES TIMEOUT 60 PASS_REGULAR_EXPRESSION
    "lab 02_reduction has no sweep over sizes")
endif()
