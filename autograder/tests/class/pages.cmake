# SPDX-License-Identifier: MIT
# What is made of a class that was graded: pages, and those without names.
ladder_unit_test(class class_summary class/summary.c)
ladder_unit_test(class pseudonym)
add_executable(ladder_class_report_test class/report.c)
target_include_directories(ladder_class_report_test PRIVATE ${PROJECT_SOURCE_DIR}/common/tests/host)
target_link_libraries(ladder_class_report_test PRIVATE ladder_c_options ladder_grader ladder_package_CHECK)
target_compile_definitions(ladder_class_report_test PRIVATE TEST_LADDER="$<TARGET_FILE:ladder>")
add_dependencies(ladder_class_report_test ladder)
add_test(NAME autograder/class_report COMMAND ladder_class_report_test)
