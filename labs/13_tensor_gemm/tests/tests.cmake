# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
if(TARGET sim_runtime AND TARGET tensor_gemm_solution AND TARGET cnn_solution)
  # Lab 09's layers on this lab's last step are those of the host; one step of descent in each type.
  add_test(NAME lab/tensor_gemm_app COMMAND tensor_gemm_app --solution --device sim --data shapes --size 16 --test 8 --batch 16)
  set_tests_properties(lab/tensor_gemm_app PROPERTIES PASS_REGULAR_EXPRESSION
    "layers    right.*float +2\\.31.*half +2\\.31.*scaled +2\\.31.*bfloat16 +2\\.31")
  add_test(NAME lab/tensor_gemm_app_scale COMMAND tensor_gemm_app --scale 0)
  set_tests_properties(lab/tensor_gemm_app_scale PROPERTIES PASS_REGULAR_EXPRESSION "tensor_gemm_app: --scale takes")
  add_test(NAME lab/tensor_gemm_app_step COMMAND tensor_gemm_app --solution --device sim --data shapes --size 16 --test 8 --step 31)
  set_tests_properties(lab/tensor_gemm_app_step PROPERTIES PASS_REGULAR_EXPRESSION "lab 13, step 31: not built")
endif()
kl_lab_own(l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum smsp__inst_executed.sum)
