# SPDX-License-Identifier: MIT
# Single instructions, in rows of operands and results.
foreach(name int float move)
  sim_run_test(ops ${name})
endforeach()
sim_unit_test(ops constants)
sim_unit_test(ops shapes support/writer.c)
