# SPDX-License-Identifier: MIT
foreach(name cache_model active_cycles)
  sim_unit_test(counters ${name})
endforeach()
