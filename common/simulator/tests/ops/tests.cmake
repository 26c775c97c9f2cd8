# SPDX-License-Identifier: MIT
# Single instructions, in rows of operands and results.
foreach(name int float move)
  sim_run_test(ops ${name})
endforeach()
sim_unit_test(ops constants)
sim_unit_test(ops shapes support/writer.c)
sim_run_test(ops features)
target_include_directories(sim_ops_features PRIVATE ${PROJECT_SOURCE_DIR}/common/simulator)
target_compile_definitions(sim_ops_features PRIVATE TEST_FEATURES="${SIM_FEATURES_PTX}")
add_dependencies(sim_ops_features sim_bench_kernels)
