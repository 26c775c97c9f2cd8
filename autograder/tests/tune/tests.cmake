# SPDX-License-Identifier: MIT
# The parts of `ladder tune`, then the command with lab 07's kernel and with a faulty one.
ladder_unit_test(tune tune)
target_include_directories(ladder_tune_test PRIVATE ${CMAKE_CURRENT_LIST_DIR}) # its table
ladder_unit_test(tune machine_code)

add_executable(ladder_tune_run_test tune/run.c)
target_include_directories(ladder_tune_run_test PRIVATE ${PROJECT_SOURCE_DIR}/common/tests/host)
target_link_libraries(ladder_tune_run_test PRIVATE ladder_c_options ladder_grader ladder_package_CHECK)
target_compile_definitions(ladder_tune_run_test PRIVATE TEST_LADDER="$<TARGET_FILE:ladder>"
                           TEST_FAULTS="${CMAKE_CURRENT_LIST_DIR}/faults.cu")
add_dependencies(ladder_tune_run_test ladder gemm reduction sim_runtime)
add_test(NAME autograder/tune_run COMMAND ladder_tune_run_test)
set_tests_properties(autograder/tune_run PROPERTIES LABELS grade)
