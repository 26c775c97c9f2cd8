# SPDX-License-Identifier: MIT
# The extension for VS Code: its problem matchers on what commands print.
find_program(LADDER_NODE node)
if(LADDER_NODE)
  add_test(NAME autograder/editor_problems COMMAND ${LADDER_NODE} ${CMAKE_CURRENT_LIST_DIR}/problems.mjs ${PROJECT_SOURCE_DIR})
  set_tests_properties(autograder/editor_problems PROPERTIES LABELS grade)
endif()
