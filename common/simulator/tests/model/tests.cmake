# SPDX-License-Identifier: MIT
foreach(name machine_code cache_model timeline active_cycles)
  sim_unit_test(model ${name})
endforeach()
