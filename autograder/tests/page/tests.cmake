# SPDX-License-Identifier: MIT
ladder_unit_test(page page)
ladder_unit_test(page page_code page/code.c)
ladder_unit_test(page page_maps page/maps.c)
ladder_unit_test(page page_timeline page/timeline.c)

# From end to end: the page and the JSON of one run.
add_test(NAME autograder/page_is_the_json COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder>
         -DWORK=${CMAKE_CURRENT_BINARY_DIR}/page -P ${CMAKE_CURRENT_SOURCE_DIR}/page/same.cmake)
add_test(NAME autograder/page_options COMMAND ladder profile reduction 1 --before 0)
set_tests_properties(autograder/page_options PROPERTIES
  PASS_REGULAR_EXPRESSION "--before and --check are for the page of --html")
add_test(NAME autograder/page_maps_are_the_counters COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder>
         -DWORK=${CMAKE_CURRENT_BINARY_DIR}/page_maps -P ${CMAKE_CURRENT_SOURCE_DIR}/page/recorded.cmake)
add_test(NAME autograder/page_timeline_is_the_terminals COMMAND ${CMAKE_COMMAND} -DLADDER=$<TARGET_FILE:ladder>
         -DWORK=${CMAKE_CURRENT_BINARY_DIR}/page_timeline -P ${CMAKE_CURRENT_SOURCE_DIR}/page/timeline.cmake)
