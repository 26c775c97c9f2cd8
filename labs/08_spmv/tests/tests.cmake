# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
target_link_libraries(lab_spmv_problem PRIVATE m)
kl_lab_unit_test(advice ${lab_dir}/tests/advice_test.c ${lab_dir}/advice.c ${lab_dir}/file.c)
target_compile_definitions(lab_spmv_advice PRIVATE _GNU_SOURCE)
target_include_directories(lab_spmv_advice PRIVATE ${PROJECT_SOURCE_DIR}/common/lab ${PROJECT_SOURCE_DIR}/common/gpu
                           ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(lab_spmv_advice PRIVATE kl_sparse m)
kl_lab_notes(assignment assignment.json)
kl_lab_own(l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum/1000000 smsp__inst_executed.sum/1000000 time_us)

if(TARGET sim_runtime AND TARGET spmv_solution)
  # No unit test: it runs the solution's steps on the simulator.
  add_executable(lab_spmv_kernels ${lab_dir}/tests/kernels_test.c)
  target_include_directories(lab_spmv_kernels PRIVATE ${PROJECT_SOURCE_DIR}/common/tests/host)
  target_include_directories(lab_spmv_kernels SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
  target_link_libraries(lab_spmv_kernels PRIVATE ladder_c_options ladder_package_CHECK
                        spmv_problem kl_sparse CUDA::cudart ${CMAKE_DL_LIBS} m)
  target_compile_definitions(lab_spmv_kernels PRIVATE
    KL_TEST_STEPS="$<TARGET_FILE_DIR:spmv_solution_step_9>")
  kl_find_runtime(lab_spmv_kernels)
  add_dependencies(lab_spmv_kernels spmv_solution sim_runtime)
  add_test(NAME lab/spmv_kernels COMMAND lab_spmv_kernels)
  set_tests_properties(lab/spmv_kernels PROPERTIES LABELS full TIMEOUT 300
    ENVIRONMENT "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime>")
  add_test(NAME lab/spmv_matrix COMMAND ${CMAKE_COMMAND} -DSPMV=$<TARGET_FILE:spmv>
           -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/spmv_matrix -P ${lab_dir}/tests/matrix.cmake)
  # The preparation's price stands below the rates.
  add_test(NAME lab/spmv_preparation COMMAND spmv --solution --device sim --case stencil --size 64 --tables)
  set_tests_properties(lab/spmv_preparation PROPERTIES PASS_REGULAR_EXPRESSION
    "Preparation, in times of one call:.*1  coo.*6  adaptive.*9  auto")
  set_tests_properties(lab/spmv_matrix lab/spmv_preparation PROPERTIES TIMEOUT 300)
endif()
