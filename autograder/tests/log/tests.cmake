# SPDX-License-Identifier: MIT
# The work log and the sheet of questions, made from what a lab's own run keeps.
add_test(NAME autograder/log_cli COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/cli.sh $<TARGET_FILE:ladder> ${PROJECT_SOURCE_DIR}
         ${CMAKE_CURRENT_BINARY_DIR}/log_cli)
set_tests_properties(autograder/log_cli PROPERTIES LABELS grade)
