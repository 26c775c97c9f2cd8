# SPDX-License-Identifier: MIT
# Tests of the benchmark of a class.
ladder_unit_test(bench bench_rename bench/rename.c)
target_sources(ladder_bench_rename_test PRIVATE ../bench/rename.c)
target_include_directories(ladder_bench_rename_test PRIVATE ../bench)
add_test(NAME autograder/class_bench COMMAND class-bench --submissions 8 --steps 2 --quick)
set_tests_properties(autograder/class_bench PROPERTIES LABELS full
  PASS_REGULAR_EXPRESSION "results: 8 of 8 are as they must be")
if(LADDER_HAVE_JANSSON)
  add_test(NAME docs/schema_class_bench COMMAND sh ${PROJECT_SOURCE_DIR}/docs/tools/schemas/compare.sh
           $<TARGET_FILE:ladder-docs> ${PROJECT_SOURCE_DIR}/docs/schemas.txt:ladder.class_bench/1 $<TARGET_FILE:class-bench>
           --submissions 3 --steps 2 --quick)
  set_tests_properties(docs/schema_class_bench PROPERTIES LABELS full)
endif()
