# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
target_link_libraries(lab_occupancy_problem PRIVATE sim_core)
target_compile_definitions(lab_occupancy_problem PRIVATE
  KL_TEST_H100_CSV="${PROJECT_SOURCE_DIR}/common/simulator/hardware/occupancy_h100.csv")
kl_lab_unit_test(header ${lab_dir}/tests/header_test.c)
target_include_directories(lab_occupancy_header SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
