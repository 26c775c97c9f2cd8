# SPDX-License-Identifier: MIT
kl_lab_unit_test(reference ${lab_dir}/tests/reference_test.c)

if(TARGET sim_runtime AND TARGET transpose_solution)
  # Stride 8 touches a sector a lane; an offset of one word a fifth sector; only odd strides are free of conflicts.
  add_test(NAME lab/transpose_micro COMMAND transpose_micro --device sim)
  set_tests_properties(lab/transpose_micro PROPERTIES LABELS full PASS_REGULAR_EXPRESSION
    "stride +sectors.* 1 +4\\.00.* 8 +32\\.00.*offset.* 0 +4\\.00.* 1 +5\\.00.* 8 +4\\.00.*wavefronts.* 1 +1\\.00.* 2 +2\\.00.* 32 +32\\.00.* 33 +1\\.00")
endif()

kl_lab_own(l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum/l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum
           l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum/l1tex__t_requests_pipe_lsu_mem_global_op_st.sum
           l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum)
