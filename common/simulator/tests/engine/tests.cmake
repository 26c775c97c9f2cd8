# SPDX-License-Identifier: MIT
sim_unit_test(engine tables)
target_compile_definitions(sim_engine_tables PRIVATE
  TEST_CARVE_OUTS="${SIM_TESTS}/../hardware/carve_out_h100.csv")
sim_unit_test(engine local support/bytes.c support/build_cubin.c)
