# SPDX-License-Identifier: MIT
# The module check by itself; what it finds in the programs here is held by autograder/tests/checks.
sim_unit_test(check cells)
sim_unit_test(check interval)
sim_unit_test(check order)
