# SPDX-License-Identifier: MIT
# Descriptions of labs, rubrics, thresholds and points.
ladder_unit_test(rubric rubric)
ladder_unit_test(rubric step_files)
ladder_unit_test(rubric description)
target_sources(ladder_description_test PRIVATE rubric/fuzz_description.c)
target_compile_definitions(ladder_description_test PRIVATE TEST_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
