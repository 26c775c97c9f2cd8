# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
kl_lab_own(grid:0 block:0 time_us)
target_link_libraries(lab_occupancy_problem PRIVATE sim_core)
include(${PROJECT_SOURCE_DIR}/common/validation/logs.cmake)
kl_card_logs(card_logs)
target_compile_definitions(lab_occupancy_problem PRIVATE KL_TEST_H100_CSV="${card_logs}/occupancy_h100.csv")
kl_lab_unit_test(header ${lab_dir}/tests/header_test.c)
target_include_directories(lab_occupancy_header SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
# The numbers to watch of steps 7 and 8, before and after, as the page's results have them.
add_test(NAME lab/occupancy_watch COMMAND occupancy --step 6 --step 7 --step 8 --solution --quick --device sim)
set_tests_properties(lab/occupancy_watch PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION
  "7  registers per thread +28 +64 +64.*8  registers per thread +64 +48 +48")
