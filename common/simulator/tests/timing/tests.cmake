# SPDX-License-Identifier: MIT
foreach(name sm kernel_clock timeline latencies)
  sim_unit_test(timing ${name})
endforeach()
