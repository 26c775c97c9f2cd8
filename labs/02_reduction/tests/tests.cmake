# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
kl_lab_own(l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum sim__barriers.sum)

# The simulator's counts of the solution against those of an H100.
if(LADDER_HAVE_JANSSON)
  add_executable(ladder_hardware_test ${lab_dir}/tests/hardware_test.c)
  target_include_directories(ladder_hardware_test PRIVATE ${PROJECT_SOURCE_DIR}/common/tests/host)
  target_link_libraries(ladder_hardware_test PRIVATE ladder_c_options ladder_package_CHECK kl_measured)
  add_test(NAME lab/reduction_hardware_counters
           COMMAND ladder_hardware_test $<TARGET_FILE:ladder> ${PROJECT_SOURCE_DIR}/labs/measured/h100.csv:02_reduction/counters
                   ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(lab/reduction_hardware_counters PROPERTIES TIMEOUT 600)
endif()
