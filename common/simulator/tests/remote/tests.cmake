# SPDX-License-Identifier: MIT
# The protocol, and the two ends of it with a fake engine behind them.
sim_unit_test(remote wire)
sim_unit_test(remote remote support/fake_engine.c)
sim_unit_test(remote maps)
