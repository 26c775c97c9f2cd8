# SPDX-License-Identifier: MIT
# The instructor guide, played as somebody would who has nothing else; and what the player takes for a block.
add_test(NAME autograder/guide_is_played COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/play.sh $<TARGET_FILE:ladder>
         ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/docs/instructors.md ${CMAKE_CURRENT_BINARY_DIR}/guide ${CMAKE_COMMAND})
set_tests_properties(autograder/guide_is_played PROPERTIES LABELS full)
add_test(NAME autograder/guide_blocks COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/blocks.sh ${CMAKE_CURRENT_BINARY_DIR}/guide_blocks)
