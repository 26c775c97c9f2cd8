# SPDX-License-Identifier: MIT
# What is tested of this lab beyond what every lab is tested for (common/cmake/lab_tests.cmake).
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
kl_lab_unit_test(backward ${lab_dir}/tests/backward_test.c)
kl_lab_unit_test(app ${lab_dir}/tests/app_test.c ${lab_dir}/app_text.c ${lab_dir}/app_layout.c)
target_include_directories(lab_attention_app PRIVATE ${lab_dir})
target_link_libraries(lab_attention_app PRIVATE attention_text tensor_gemm_products m)
if(TARGET sim_runtime) # on the simulator
  kl_lab_unit_test(backward_check ${lab_dir}/tests/backward_check_test.c ${lab_dir}/app_backward_check.c
                   ${lab_dir}/app_backward.cu ${lab_dir}/call.c)
  set_target_properties(lab_attention_backward_check PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
  target_include_directories(lab_attention_backward_check PRIVATE ${lab_dir})
  target_link_libraries(lab_attention_backward_check PRIVATE tensor_gemm_products m)
  add_dependencies(lab_attention_backward_check sim_runtime)
  set_tests_properties(lab/attention_backward_check PROPERTIES
                       ENVIRONMENT "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime>;LADDER_SIM_MODE=functional")
endif()
if(TARGET sim_runtime AND TARGET attention_solution AND TARGET tensor_gemm_solution)
  # Ten steps of descent on a small model, whose gradients are those of differences, on two steps: the same losses.
  add_test(NAME lab/attention_app_trains COMMAND attention_app --solution --device sim --quick)
  set_tests_properties(lab/attention_app_trains PROPERTIES PASS_REGULAR_EXPRESSION
    "backward +by backward.cu.*gradients  right.*\n   10 +3\\.3[0-9]+ +3\\.4[0-9]+\n.*written.*step 0 +3\\.3[0-9]+ +3\\.4")
  add_test(NAME lab/attention_app_backward COMMAND attention_app --solution --device sim --backward)
  set_tests_properties(lab/attention_app_backward PROPERTIES PASS_REGULAR_EXPRESSION "by backward.cu.*right")
  add_test(NAME lab/attention_app_given COMMAND attention_app --device sim --backward)
  set_tests_properties(lab/attention_app_given PROPERTIES PASS_REGULAR_EXPRESSION "not implemented.*right")
  add_test(NAME lab/attention_app_temperature COMMAND attention_app --temperature 0)
  set_tests_properties(lab/attention_app_temperature PROPERTIES PASS_REGULAR_EXPRESSION "--temperature takes a number")
endif()
if(TARGET sim_runtime AND TARGET attention_solution)
  add_test(NAME lab/attention_ptx_alone
           COMMAND sh ${lab_dir}/tests/ptx_alone.sh ${CMAKE_CUDA_COMPILER} ${lab_dir} ${solution_dir} $<TARGET_FILE:attention>
                   ${CMAKE_CURRENT_BINARY_DIR}/attention_ptx_alone)
  set_tests_properties(lab/attention_ptx_alone PROPERTIES
                       ENVIRONMENT "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:sim_runtime>" LABELS full)
endif()
kl_lab_own(l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum time_us)
