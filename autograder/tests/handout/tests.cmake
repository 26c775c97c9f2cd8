# SPDX-License-Identifier: MIT
# What students get: nothing of the solutions, and a kit that works.
ladder_unit_test(handout handout)
add_test(NAME autograder/handout_list COMMAND sh ${CMAKE_CURRENT_SOURCE_DIR}/handout/list.sh $<TARGET_FILE:ladder>
                                              ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/handout_list)
add_test(NAME autograder/handout_works COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder>
         -DWORK=${CMAKE_CURRENT_BINARY_DIR}/handout_works -P ${CMAKE_CURRENT_SOURCE_DIR}/handout/build.cmake)
set_tests_properties(autograder/handout_works PROPERTIES LABELS full FIXTURES_SETUP handout_built)
