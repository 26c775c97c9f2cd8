# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
target_link_libraries(lab_spmv_problem PRIVATE m)
kl_lab_unit_test(advice ${lab_dir}/tests/advice_test.c ${lab_dir}/advice.c ${lab_dir}/file.c)
target_compile_definitions(lab_spmv_advice PRIVATE _GNU_SOURCE)
target_include_directories(lab_spmv_advice PRIVATE ${PROJECT_SOURCE_DIR}/common/lab ${PROJECT_SOURCE_DIR}/common/gpu
                           ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(lab_spmv_advice PRIVATE kl_sparse m)
kl_lab_notes(assignment)
kl_lab_own(l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum/1000000 smsp__inst_executed.sum/1000000 time_us)

if(TARGET sim_runtime AND TARGET spmv_solution)
  kl_lab_kernels_test(9 spmv_problem kl_sparse m)
  set_tests_properties(lab/spmv_kernels PROPERTIES LABELS full)
  add_test(NAME lab/spmv_matrix COMMAND ${CMAKE_COMMAND} -DSPMV=$<TARGET_FILE:spmv>
           -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/spmv_matrix -P ${lab_dir}/tests/matrix.cmake)
  # The preparation's price stands below the rates.
  add_test(NAME lab/spmv_preparation COMMAND spmv --solution --device sim --case stencil --size 64 --tables)
  set_tests_properties(lab/spmv_preparation PROPERTIES PASS_REGULAR_EXPRESSION
    "Preparation, in times of one call:.*1  coo.*6  adaptive.*9  auto")
  set_tests_properties(lab/spmv_matrix lab/spmv_preparation PROPERTIES TIMEOUT 300)
endif()
