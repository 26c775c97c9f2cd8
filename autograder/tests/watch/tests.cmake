# SPDX-License-Identifier: MIT
# `ladder watch`: saves and looks in a made kit; the command itself on a pipe and on a terminal.
ladder_unit_test(watch watch)
ladder_test_grades(ladder_watch_test reduction reduction_solution_step_3 reduction_skeleton_step_3)
target_compile_definitions(ladder_watch_test PRIVATE TEST_COMPILE="${CMAKE_CURRENT_LIST_DIR}/compile.sh"
                           TEST_CMAKE="${CMAKE_COMMAND}" TEST_GENERATOR="${CMAKE_GENERATOR}")
set_tests_properties(autograder/watch_test PROPERTIES LABELS grade)

# The test saves a given step of this kit as it is, which other tests must not meet.
add_test(NAME autograder/watch_command COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/command.sh $<TARGET_FILE:ladder>
         ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/watch_command ${LADDER_SCRIPT})
set_tests_properties(autograder/watch_command PROPERTIES LABELS grade RUN_SERIAL TRUE)
