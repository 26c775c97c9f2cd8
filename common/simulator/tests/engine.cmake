# SPDX-License-Identifier: MIT
sim_unit_test(engine_tables engine_tables.c)
target_compile_definitions(engine_tables PRIVATE
  TEST_CARVE_OUTS="${CMAKE_CURRENT_SOURCE_DIR}/../hardware/carve_out_h100.csv")
sim_unit_test(engine_local engine_local_test.c frontend_support.c frontend_build_cubin.c)
sim_unit_test(machine_test machine_test.c)
sim_unit_test(cache_model_test cache_model_test.c)
sim_unit_test(timeline_test timeline_test.c)
