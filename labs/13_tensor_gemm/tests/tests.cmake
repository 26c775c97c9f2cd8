# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
kl_lab_own(l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum smsp__inst_executed.sum)
