# SPDX-License-Identifier: MIT
foreach(name machine_code machine_list cache_model timeline active_cycles)
  sim_unit_test(model ${name})
endforeach()
