# SPDX-License-Identifier: MIT
# What is tested of this lab beyond what every lab is tested for (common/cmake/lab_tests.cmake).
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
kl_lab_unit_test(backward ${lab_dir}/tests/backward_test.c)
if(TARGET sim_runtime AND TARGET attention_solution AND TARGET tensor_gemm_solution)
  # Ten steps of descent on a small model whose gradients are those of differences; twice the same text.
  add_test(NAME lab/attention_app COMMAND attention_app --solution --device sim --quick)
  set_tests_properties(lab/attention_app PROPERTIES TIMEOUT 120 PASS_REGULAR_EXPRESSION
    "backward by backward.cu.*gradients  right.*\n   10 +3\\.[0-9]+ +3\\.[0-9]+\n.*written.*step 0 +3\\.")
  add_test(NAME lab/attention_app_backward COMMAND attention_app --solution --device sim --backward)
  set_tests_properties(lab/attention_app_backward PROPERTIES TIMEOUT 60 PASS_REGULAR_EXPRESSION "solution.*right")
  add_test(NAME lab/attention_app_given COMMAND attention_app --device sim --backward)
  set_tests_properties(lab/attention_app_given PROPERTIES TIMEOUT 60 PASS_REGULAR_EXPRESSION "not written yet.*right")
  add_test(NAME lab/attention_app_temperature COMMAND attention_app --temperature 0)
  set_tests_properties(lab/attention_app_temperature PROPERTIES TIMEOUT 60 PASS_REGULAR_EXPRESSION "--temperature takes")
endif()
