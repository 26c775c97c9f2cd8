# SPDX-License-Identifier: MIT
kl_lab_unit_test(problem ${lab_dir}/tests/problem_test.c)
kl_lab_unit_test(padding ${lab_dir}/tests/padding_test.c)
kl_lab_notes(tiles)
kl_lab_own(sim__shared_ld_requests.sum l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum)

# The page: every square size of the last step reaches 0.94 of the upper bound that the padding of its tiles sets. Its goal is 0.95;
# one size misses it by a hundredth on one card, and the page says so.
add_test(NAME lab/gemm_padding_reached COMMAND awk -F "|"
         "/11 . upper bound/ { on = 1; next } !/^[|]/ { on = 0 } \
on && $(NF - 1) + 0 > 0 { n++; if ($(NF - 1) + 0 < 0.94) bad = 1 } END { exit n < 8 || bad }" ${lab_dir}/README.md)
