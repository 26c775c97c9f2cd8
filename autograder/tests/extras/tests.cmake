# SPDX-License-Identifier: MIT
# Programs of a lab beside its ladder: builds for the debugger.
ladder_unit_test(extras debug_build)
target_link_libraries(ladder_debug_build_test PRIVATE sim_debug_variables)
target_compile_definitions(ladder_debug_build_test PRIVATE TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
