# SPDX-License-Identifier: MIT
sim_unit_test(debug time debug/session.c)
sim_unit_test(debug stops debug/session.c)
