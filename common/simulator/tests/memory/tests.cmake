# SPDX-License-Identifier: MIT
sim_run_test(memory device_memory)
sim_run_test(memory access_rules)
sim_run_test(memory writers)
sim_unit_test(memory older)
sim_unit_test(memory hot)
sim_unit_test(memory recent)
sim_run_test(memory rounds)
