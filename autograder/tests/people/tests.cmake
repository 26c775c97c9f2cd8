# SPDX-License-Identifier: MIT
# Who is meant: sheets, the matcher, groups and times.
foreach(part csv match)
  ladder_unit_test(people people_${part} people/${part}.c)
endforeach()
add_test(NAME autograder/people_cli COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/cli.sh $<TARGET_FILE:ladder>
         ${CMAKE_CURRENT_BINARY_DIR}/people_cli ${CMAKE_COMMAND})
set_tests_properties(autograder/people_cli PROPERTIES LABELS grade)
