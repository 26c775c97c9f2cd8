# SPDX-License-Identifier: MIT
sim_unit_test(engine tables)
target_compile_definitions(sim_engine_tables PRIVATE
  TEST_CARVE_OUTS="${PROJECT_SOURCE_DIR}/common/validation/carve_out_h100.csv")
sim_unit_test(engine devices)
target_compile_definitions(sim_engine_devices PRIVATE TEST_HARDWARE="${PROJECT_SOURCE_DIR}/common/validation")
sim_unit_test(engine inprocess support/bytes.c support/build_cubin.c)
sim_unit_test(engine children)
sim_unit_test(engine code)
sim_unit_test(engine occupancy)
target_include_directories(sim_engine_occupancy SYSTEM
  PRIVATE ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES})
sim_unit_test(engine device_text)
sim_unit_test(engine maps)
