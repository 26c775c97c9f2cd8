# SPDX-License-Identifier: MIT
sim_run_test(record writers)
sim_unit_test(record block_chain)
sim_unit_test(record contended_atomics)
sim_unit_test(record l2_before_launch)
sim_unit_test(record warp_trace)
