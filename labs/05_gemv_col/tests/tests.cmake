# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
kl_lab_notes(indices)
kl_lab_own(l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum time_us)

# Every method of the grid is right at every shape, and the table names what it won.
if(TARGET sim_runtime AND TARGET gemv_col_solution)
  add_test(NAME lab/gemv_col_grid COMMAND gemv_col_grid --solution --device sim)
  set_tests_properties(lab/gemv_col_grid PROPERTIES TIMEOUT 200 PASS_REGULAR_EXPRESSION
    "24 shapes, 1 seed.*A x +naive .*0 of 24.*A x +block_multiply .*24 of 24.*A\\^T x +final.*BLOCK_WIDTH +8 +16")
  # Given steps run from the skeleton; the others are left out by name.
  add_test(NAME lab/gemv_col_grid_skeleton COMMAND gemv_col_grid --device sim)
  set_tests_properties(lab/gemv_col_grid_skeleton PROPERTIES TIMEOUT 200
    PASS_REGULAR_EXPRESSION "A x +naive +[0-9.]+ us")
  add_test(NAME lab/gemv_col_grid_misused COMMAND gemv_col_grid --shapes 3)
  set_tests_properties(lab/gemv_col_grid_misused PROPERTIES PASS_REGULAR_EXPRESSION "usage: gemv_col_grid")
endif()
