# SPDX-License-Identifier: MIT
foreach(name match list index)
  sim_unit_test(machine ${name})
endforeach()
