# SPDX-License-Identifier: MIT
sim_run_test(memory device_memory)
sim_run_test(memory access_rules)
sim_unit_test(memory access_legacy)
sim_unit_test(memory tensor_map)
sim_run_test(memory rounds)
