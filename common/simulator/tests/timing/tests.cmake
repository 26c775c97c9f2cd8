# SPDX-License-Identifier: MIT
foreach(name sm bounds kernel_clock timeline latencies)
  sim_unit_test(timing ${name})
endforeach()
