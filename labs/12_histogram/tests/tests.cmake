# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
kl_lab_own(l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum sim__global_atomics.sum)
kl_lab_unit_test(app ${lab_dir}/tests/app_test.c ${lab_dir}/app_image.c)
target_include_directories(lab_histogram_app PRIVATE ${lab_dir})
target_link_libraries(lab_histogram_app PRIVATE kl_lab m)

if(TARGET sim_runtime AND TARGET histogram_solution)
  # Every step counts both images; the host counts, too, and the program fails where they differ.
  set(image ${CMAKE_CURRENT_BINARY_DIR}/histogram_own.pgm)
  string(REPEAT "abcdefgh" 128 pixels)
  file(WRITE ${image} "P5\n32 32\n255\n${pixels}")
  add_test(NAME lab/histogram_app_runs COMMAND histogram_app --solution --device sim --image ${image}
           --step 0 --step 1 --step 2 --step 3 --step 4 --step 5 --step 6 --plots ${CMAKE_CURRENT_BINARY_DIR})
  set_tests_properties(lab/histogram_app_runs PROPERTIES PASS_REGULAR_EXPRESSION
    "32 x 32 pixels.*before +8 +97..104 +100.5.*equalised +8 +0..255 +127.*6 +[0-9.]+ us")
  add_test(NAME lab/histogram_app_unwritten COMMAND histogram_app --device sim --size 16 --step 1)
  set_tests_properties(lab/histogram_app_unwritten PROPERTIES PASS_REGULAR_EXPRESSION
    "step 1 is not implemented")
  add_test(NAME lab/histogram_app_usage COMMAND histogram_app --image ${image} --size 64)
  set_tests_properties(lab/histogram_app_usage PROPERTIES PASS_REGULAR_EXPRESSION "leave out --size")
endif()
