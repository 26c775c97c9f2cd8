# SPDX-License-Identifier: MIT
sim_unit_test(play play)
sim_unit_test(play clock)
sim_unit_test(play machine)
