# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)

if(TARGET sim_runtime AND TARGET scan_solution)
  # The places of bright pixels, and an image that is coded and decoded: the application compares.
  add_test(NAME lab/scan_app COMMAND scan_app --solution --device sim --size 150)
  set_tests_properties(lab/scan_app PROPERTIES PASS_REGULAR_EXPRESSION
    "decoding .*code .*compaction  right.*round trip  right: all 22\\.5 k pixels")
  add_test(NAME lab/scan_app_one_pixel COMMAND scan_app --solution --device sim --size 1 --step 8)
  set_tests_properties(lab/scan_app_one_pixel PROPERTIES PASS_REGULAR_EXPRESSION "round trip  right: all 1 pixels")
  add_test(NAME lab/scan_app_step COMMAND scan_app --device sim --step 11)
  set_tests_properties(lab/scan_app_step PROPERTIES PASS_REGULAR_EXPRESSION "scan_app: --step takes")
endif()
kl_lab_own(l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum sim__barriers.sum)
