# SPDX-License-Identifier: MIT
# What the tests of several modules share: wrong kernels as edits, defences that can be switched off, what a test costs.
ladder_unit_test(support edit support/edit_test.c)
target_sources(ladder_edit_test PRIVATE support/edit.c)
add_executable(ladder_apply_edit support/apply_edit.c support/edit.c)
target_link_libraries(ladder_apply_edit PRIVATE ladder_c_options ladder_grader)

# What the tests of a lab may do in `ladder test`: the check that the launcher makes, on work of its own.
add_test(NAME autograder/budget COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/budget_test.sh ${CMAKE_CURRENT_BINARY_DIR}/budget)
